/**
 * Operations that reshape guides as a whole: puff, smooth, wrap, part. Each returns a new style and leaves the old one unchanged.
 *
 * Each moves the points of a guide, restores the distances between them, and fits helices whose natural curvature holds the shape, as combing does. A mask
 * gives the strength per guide, from 0 to 1.
 */
import { add, cross, dot, normalize, scale, subtract, type Vector } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { hypot, hypotOf, pow, square } from '../math/rounded/index.ts';
import { reconstructHelices } from '../models/helix/strand.ts';
import { guideOf, type Hairstyle, vectorAt } from './hairstyle.ts';
import type { HeadField } from './headField.ts';
import type { Roots } from './roots.ts';
import { type CombReport, keepDistances, reshapeHairstyle } from './styling.ts';
import { rootMap, type SurfaceMap } from './surfaceMap.ts';

/** How strongly an operation acts on each guide. */
export interface Masked {
  /** Strength per guide, 0 to 1; greater values count as 1. Default 1. */
  readonly mask?: SurfaceMap;
}

/** A changed style, and how many guides changed. */
export interface Shaped {
  /** The changed style. */
  readonly style: Hairstyle;
  /** Guides that moved, and those too soft to keep the shape. */
  readonly report: CombReport;
}

/** Changes the points of guide g, 3 numbers each, from the root on; `strength`: of the mask. */
type Move = (points: Float64Array, g: number, strength: number) => void;

function moveGuides(style: Hairstyle, { mask = 1 }: Masked, move: Move): Shaped {
  const strength = rootMap(style.guideRoots, mask, 'mask');
  const shapes = new Map<number, Float64Array>();
  for (let g = 0; g < style.guideRoots.count; g++) {
    if (strength[g] === 0) continue;
    const before = pointsOf(style, g);
    const points = before.slice();
    move(points, g, Math.min(1, strength[g]));
    keepDistances(points, before);
    if (points.some((x, k) => x !== before[k])) shapes.set(g, points);
  }
  return reshapeHairstyle(style, shapes);
}

/** Two places per element, from which helices can be fitted. */
const pointsOf = (style: Hairstyle, g: number): Float64Array => reconstructHelices(guideOf(style, g), 2).position;

function check(name: string, value: number, isGood: boolean, what: string): void {
  if (!(Number.isFinite(value) && isGood)) throw new SceneError([name], `must be ${what}, got ${value}`);
}

/** Over this fraction of the length from the root, puffed hair rises to its full height. */
const riseOver = 0.3;

/** Lifts hair off the skin by a height [m], along the normals at the roots. */
export function puffHairstyle(style: Hairstyle, { height, ...masked }: Masked & { readonly height: number }): Shaped {
  check('height', height, height >= 0, 'zero or more');
  return moveGuides(style, masked, (p, g, strength) => {
    const normal = vectorAt(style.guideRoots.normal, g);
    const last = p.length / 3 - 1;
    for (let i = 1; i <= last; i++) {
      const share = Math.min(1, i / last / riseOver);
      const lift = strength * height * share * share * (3 - 2 * share);
      for (let k = 0; k < 3; k++) p[3 * i + k] += lift * normal[k];
    }
  });
}

/** Neighbours with which a guide is averaged. */
const neighbours = 6;

/** Evens out guides: moves each towards the mean shape of its six nearest neighbours. `strength` 0 to 1; default 0.5. */
export function smoothHairstyle(
  style: Hairstyle,
  { strength: most = 0.5, ...masked }: Masked & { readonly strength?: number } = {},
): Shaped {
  check('strength', most, most >= 0 && most <= 1, 'from 0 to 1');
  const { guideRoots, length } = style;
  // shapes from the root on, for the length 1
  const shapes = Array.from(length, (size, g) => {
    const p = pointsOf(style, g);
    return p.map((x, o) => (x - p[o % 3]) / size);
  });
  return moveGuides(style, masked, (p, g, strength) => {
    const near = nearestGuides(guideRoots, g);
    if (near.length === 0) return;
    const share = strength * most;
    const root = vectorAt(p, 0);
    for (let o = 3; o < p.length; o++) {
      const mean = root[o % 3] + (length[g] / near.length) * near.reduce((sum, other) => sum + shapes[other][o], 0);
      p[o] += share * (mean - p[o]);
    }
  });
}

/** The nearest guides of the same section whose normals do not point apart. */
function nearestGuides({ count, position, normal, section }: Roots, g: number): number[] {
  const from = vectorAt(position, g);
  const own = vectorAt(normal, g);
  return Array.from({ length: count }, (_, k) => k)
    .filter((k) => k !== g && (section?.[k] ?? 0) === (section?.[g] ?? 0) && dot(vectorAt(normal, k), own) > 0)
    .map((k) => ({ k, d: hypotOf(subtract(vectorAt(position, k), from)) }))
    .sort((a, b) => a.d - b.d || a.k - b.k)
    .slice(0, neighbours)
    .map(({ k }) => k);
}

/** Over this length from the root the distance from the skin grows from zero [m]. */
const rise = 0.015;
const wrapRounds = 8;

/** Pulls hair to the skin: points farther from it than `distance` [m] move towards it by the fraction `strength` (default 1) of what they are too far. */
export function wrapHairstyle(
  style: Hairstyle,
  field: HeadField,
  { distance, strength: most = 1, ...masked }: Masked & { readonly distance: number; readonly strength?: number },
): Shaped {
  check('distance', distance, distance > 0, 'positive');
  check('strength', most, most >= 0 && most <= 1, 'from 0 to 1');
  const out = new Float64Array(4);
  return moveGuides(style, masked, (p, g, strength) => {
    const before = p.slice();
    const piece = style.length[g] / (p.length / 3 - 1);
    const part = 1 - pow(1 - strength * most, 1 / wrapRounds);
    // restoring the lengths moves points along the skin, and off it again
    for (let round = 0; round < wrapRounds; round++) {
      for (let i = 1; 3 * i < p.length; i++) {
        field.measure(out, p, 3 * i);
        const wanted = distance * Math.min(1, (i * piece) / rise);
        const excess = out[0] - wanted;
        // what restoring the lengths has pulled through the skin comes out again
        const pull = excess > 0 ? part * excess : Math.min(0, out[0] - 0.25 * wanted);
        for (let k = 0; k < 3; k++) p[3 * i + k] -= pull * out[1 + k];
      }
      keepDistances(p, before);
    }
  });
}

/** A parting: a line on the head from which hair falls to both sides. */
export interface PartOptions extends Masked {
  /** Points of the line [m], two at least. */
  readonly curve: readonly Vector[];
  /** Distance from the line within which hair is combed to its side [m]. Default 4 cm. */
  readonly width?: number;
  /** How far hair at the line leans to its side, as a fraction of its distance from the root. Default 1. */
  readonly strength?: number;
}

/**
 * Parts hair along a line: combs guides near it to their side, and divides guides and hairs into sections, so that no hair blends guides of both sides. Beyond
 * the ends of the line hair is not divided.
 */
export function partHairstyle(
  style: Hairstyle,
  { curve, width = 0.04, strength: most = 1, ...masked }: PartOptions,
): Shaped {
  check('width', width, width > 0, 'positive');
  check('strength', most, most >= 0, 'zero or more');
  const steps = curve.slice(1).map((point, k) => hypotOf(subtract(point, curve[k])));
  if (curve.length < 2 || !steps.every((size) => size > 0))
    throw new SceneError(['curve'], 'a parting needs two points or more, each at another place than the one before');
  const sideAt = (roots: Roots, k: number): Side =>
    sideOf(curve, vectorAt(roots.position, k), vectorAt(roots.normal, k));
  const divide = (roots: Roots): Roots => ({
    ...roots,
    section: Float64Array.from({ length: roots.count }, (_, k) => sideAt(roots, k).section),
  });
  const combed = moveGuides(style, masked, (p, g, strength) => {
    const { section, away, distance } = sideAt(style.guideRoots, g);
    if (section === 0 || distance >= width) return;
    const lean = strength * most * square(1 - square(distance / width));
    for (let o = 3; o < p.length; o += 3) {
      const reach = hypot(p[o] - p[0], p[o + 1] - p[1], p[o + 2] - p[2]);
      for (let k = 0; k < 3; k++) p[o + k] += lean * reach * away[k];
    }
  });
  const { guideRoots, hairRoots } = combed.style;
  return {
    ...combed,
    style: { ...combed.style, guideRoots: divide(guideRoots), ...(hairRoots && { hairRoots: divide(hairRoots) }) },
  };
}

/** Where a root is relative to a parting. */
interface Side {
  /** 0: beyond its ends; 1, 2: its sides. */
  readonly section: number;
  /** Unit, along the skin, away from the line. */
  readonly away: Vector;
  readonly distance: number;
}

function sideOf(curve: readonly Vector[], root: Vector, normal: Vector): Side {
  let best: { d: Vector; tangent: Vector; distance: number; isBeyond: boolean } | undefined;
  for (let k = 0; k + 1 < curve.length; k++) {
    const way = subtract(curve[k + 1], curve[k]);
    const t = dot(subtract(root, curve[k]), way) / dot(way, way);
    const foot = add(curve[k], scale(way, Math.min(1, Math.max(0, t))));
    const d = subtract(root, foot);
    const distance = hypotOf(d);
    if (best && distance >= best.distance) continue;
    const isBeyond = (k === 0 && t < 0) || (k === curve.length - 2 && t > 1);
    best = { d, tangent: normalize(way), distance, isBeyond };
  }
  if (!best || best.isBeyond) return { section: 0, away: normal, distance: Infinity };
  const across = cross(best.tangent, normal);
  const sign = dot(across, best.d) >= 0 ? 1 : -1;
  const size = hypotOf(across);
  return {
    section: sign > 0 ? 1 : 2,
    // a line along the normal has no sides
    away: size > 1e-9 ? scale(across, sign / size) : normal,
    distance: best.distance,
  };
}
