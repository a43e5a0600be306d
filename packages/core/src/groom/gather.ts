/**
 * Gathers guides at one place of the head, as in a ponytail or a braid: each runs over the head to the tie, then along the tail.
 *
 * A guide's path is an arc about the middle of the head followed by a curve through the tail, at an offset that depends on the direction from which
 * it comes, so that neighbours stay neighbours. The corner at the tie is rounded. Input: a style with guides of the lengths of their paths. Output: the style
 * with these shapes. Natural curvatures do not change: a band would hold the hair, and without one a simulation lets it fall loose.
 */
import { cross, dot, normalize, normalPart, type Vector } from '../curve/vector.ts';
import { acos, atan2, cos, hypot, sin } from '../math/rounded/index.ts';
import { type Hairstyle, vectorAt } from './hairstyle.ts';
import type { HeadField } from './headField.ts';
import { guideClearance } from './lay.ts';
import type { HeadPlace } from './presets.ts';
import type { Roots } from './roots.ts';
import { reshapeHairstyle } from './styling.ts';

/** Where hair is gathered and how it continues. */
export interface Tail {
  /** Direction from the middle of the head: components to the side, to the back, up; unit. */
  readonly tie: Vector;
  /** Helical elements per guide. */
  readonly elements: number;
  /** How early hairs follow their nearest guide. */
  readonly clumpPower: number;
  /** Full turns of a plait of three strands along the tail. Default none. */
  readonly plaits?: number;
}

/** Points of the arc and of the tail. */
const arcPoints = 32;
const tailPoints = 160;
/** Length over which the corner at the tie is rounded, in head radii. */
const rounding = 0.12;
/** Length from the root over which hair leaves the skin [m]. */
const rise = 0.015;

/** Length of the path of a guide from its root to the tip of the tail [m]. */
export function gatheredLength(head: HeadPlace, tail: Tail, position: ArrayLike<number>): number {
  return lengthOf(pathFrom(head, tail, position));
}

/** Gives guides their paths, off the skin. */
export function gatherGuides(
  style: Hairstyle,
  { head, tail, field }: { readonly head: HeadPlace; readonly tail: Tail; readonly field: HeadField | undefined },
): Hairstyle {
  const shapes = new Map<number, Float64Array>();
  for (let g = 0; g < style.guideRoots.count; g++) {
    const path = pathFrom(head, tail, vectorAt(style.guideRoots.position, g));
    shapes.set(g, sampleEvenly(field ? pushOut(path, field) : path, 2 * style.elements));
  }
  const gathered = reshapeHairstyle(style, shapes, { hold: false }).style;
  if (!tail.plaits) return gathered;
  const divide = (roots: Roots): Roots => ({
    ...roots,
    section: Float64Array.from(
      { length: roots.count },
      (_, k) => 1 + strandOf(bundleOf(head, tail, vectorAt(roots.position, k)).share),
    ),
  });
  return {
    ...gathered,
    guideRoots: divide(gathered.guideRoots),
    ...(gathered.hairRoots && { hairRoots: divide(gathered.hairRoots) }),
  };
}

/** Moves points that are too near to the skin away from it, all but the root. */
function pushOut(path: readonly Vector[], field: HeadField): Vector[] {
  const p = Float64Array.from(path.flat());
  let s = 0;
  for (let o = 3; o < p.length; o += 3) {
    s += hypot(...between(path[o / 3 - 1], path[o / 3]));
    field.push(p, o, guideClearance * Math.min(1, s / rise));
  }
  return path.map((_, i) => vectorAt(p, i));
}

function pathFrom(head: HeadPlace, tail: Tail, position: ArrayLike<number>): Vector[] {
  const { center: c, radius: r } = head;
  const from: Vector = [position[0] - c[0], position[1] - c[1], position[2] - c[2]];
  const bundle = bundleOf(head, tail, position);
  const { a, b } = bundle;
  const angle = acos(Math.min(1, Math.max(-1, dot(a, b))));
  const height = hypot(from[0], from[1], from[2]);
  const end = 1.12 * r;
  const points: Vector[] = [];
  const start = tailAt(head, tail, bundle, 0);
  for (let i = 0; i < arcPoints; i++) {
    const t = i / arcPoints;
    const direction = slerp(a, b, angle, t);
    const distance = height + (end - height) * t + 0.05 * r * sin(Math.PI * t);
    // arrives at the start of its place in the tail
    const near = t * t;
    points.push(mix(addTo(c, direction, distance), start, near * near));
  }
  for (let i = 0; i <= tailPoints; i++) points.push(tailAt(head, tail, bundle, i / tailPoints));
  return roundOff(points, rounding * r);
}

function slerp(a: Vector, b: Vector, angle: number, t: number): Vector {
  const s = sin(angle);
  if (s < 1e-6) return b;
  const [u, v] = [sin((1 - t) * angle) / s, sin(t * angle) / s];
  return [u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2]];
}

/** Where a guide comes from and runs. */
interface GatheredGuide {
  /** From the middle of the head to the root, and to the tie. */
  readonly a: Vector;
  readonly b: Vector;
  /** Direction across the tail, to the side. */
  readonly e1: Vector;
  /** Components of a across the tail: where a guide comes from is where it runs. */
  readonly share: readonly [number, number];
}

function bundleOf(head: HeadPlace, tail: Tail, position: ArrayLike<number>): GatheredGuide {
  const { center: c, side } = head;
  const a = normalize([position[0] - c[0], position[1] - c[1], position[2] - c[2]]);
  const b = worldOf(head, tail.tie);
  const e1 = normalize(normalPart(side, b) ?? side);
  const below = dot(a, cross(b, e1));
  // little hair comes from below the tie: it must not run alone
  return { a, b, e1, share: [dot(a, e1), below > 0 ? 0.35 * below : below] };
}

/** Directions that bound the strand from the top of the head, and the middles of all three; as angles from the side, downwards. */
const topStrand = [(-125 / 180) * Math.PI, (-55 / 180) * Math.PI] as const;
const strandMiddles = [-Math.PI / 2, 0, Math.PI];

/** Which of three strands a guide belongs to: from the top of the head 0, from its sides 1 and 2. */
function strandOf([u, v]: GatheredGuide['share']): number {
  const angle = atan2(v, u);
  if (angle > topStrand[0] && angle < topStrand[1]) return 0;
  return u > 0 ? 1 : 2;
}

/** A point of the tail, t from 0 at the tie to 1 at the tip. */
function tailAt(head: HeadPlace, { plaits }: Tail, { b, e1, share }: GatheredGuide, t: number): Vector {
  const { center: c, radius: r } = head;
  const p0: Vector = addTo(c, b, 1.16 * r);
  const p1 = addTo(p0, b, 0.5 * r);
  const p2 = addTo(p0, worldOf(head, [0, 0.75, -0.9]), r);
  const p3 = addTo(p0, worldOf(head, [0, 0.35, plaits ? -3.4 : -2.8]), r);
  const middle = combine([p0, p1, p2, p3], bernstein(t));
  const slope = (at: number): Vector => combine([p0, p1, p2, p3], bernsteinSlope(at));
  // the tail stays in a plane to which e1 is normal
  const e2 = cross(normalize(slope(t)), e1);
  const [u, v] = plaits ? plaitOffset(share, plaits, partOfLength(slope, t)) : looseOffset(share, t);
  return addTo(addTo(middle, e1, u * r), e2, v * r);
}

function bernstein(t: number): readonly number[] {
  const s = 1 - t;
  return [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
}

/** A third of the derivatives. */
function bernsteinSlope(t: number): readonly number[] {
  const s = 1 - t;
  return [-s * s, s * s - 2 * s * t, 2 * s * t - t * t, t * t];
}

function combine(points: readonly Vector[], weights: readonly number[]): Vector {
  const along = (k: number): number => points.reduce((sum, point, i) => sum + weights[i] * point[k], 0);
  return [along(0), along(1), along(2)];
}

/** Length up to t as a part of the whole, by Simpson's rule. */
function partOfLength(slope: (t: number) => Vector, t: number): number {
  const pieces = 8;
  const lengthTo = (end: number): number => {
    let sum = 0;
    for (let k = 0; k <= 2 * pieces; k++) {
      const weight = k === 0 || k === 2 * pieces ? 1 : 2 + 2 * (k % 2);
      sum += weight * hypot(...slope((end * k) / (2 * pieces)));
    }
    return sum * end;
  };
  return lengthTo(t) / lengthTo(1);
}

/** Narrow at the tie, wide in the middle, pointed. */
function looseOffset(share: GatheredGuide['share'], t: number): [number, number] {
  const width = 0.12 + 0.1 * sin(Math.PI * Math.min(1, 0.15 + t)) * (t > 0 ? Math.min(1, 6 * t) : 0) * (1 - 0.6 * t);
  return [width * share[0], width * share[1]];
}

/** Where the plait ends and a tuft begins, along the tail. */
const band = 0.86;

/** Three strands that pass over each other: a figure of eight, each a third of a turn behind the last; a tuft at the end. */
function plaitOffset(share: GatheredGuide['share'], turns: number, t: number): [number, number] {
  const strand = strandOf(share);
  const phase = 2 * Math.PI * (turns * t + strand / 3);
  // from the tie to its full width, narrower below, together at the band
  const open = Math.min(1, 10 * t) * Math.min(1, Math.max(0, (8 * (band - t)) / band)) * (1 - 0.35 * t);
  const tuft = Math.max(0, (t - band) / (1 - band));
  const width =
    0.16 *
    (1 - 0.45 * t) *
    (1 - 0.4 * Math.min(1, 8 * Math.max(0, t - band + 0.125))) *
    (1 + 1.2 * tuft * (1 - 0.6 * tuft));
  // within the strand: from the middle of the directions of its guides
  const middle = strandMiddles[strand];
  const within = [share[0] - 0.55 * cos(middle), share[1] - 0.55 * sin(middle)];
  return [open * 0.2 * sin(phase) + width * within[0], open * 0.11 * sin(2 * phase) + width * within[1]];
}

const addTo = (a: Vector, b: Vector, k: number): Vector => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];

const mix = (a: Vector, b: Vector, t: number): Vector => [
  a[0] + t * (b[0] - a[0]),
  a[1] + t * (b[1] - a[1]),
  a[2] + t * (b[2] - a[2]),
];

function worldOf({ side, back, up }: HeadPlace, v: Vector): Vector {
  const along = (k: number): number => v[0] * side[k] + v[1] * back[k] + v[2] * up[k];
  return [along(0), along(1), along(2)];
}

function lengthOf(points: readonly Vector[]): number {
  let length = 0;
  for (let i = 1; i < points.length; i++) length += hypot(...between(points[i - 1], points[i]));
  return length;
}

const between = (a: Vector, b: Vector): [number, number, number] => [b[0] - a[0], b[1] - a[1], b[2] - a[2]];

/** Diffusion along the path: rounds corners over about this length, and keeps both ends. */
function roundOff(points: readonly Vector[], width: number): Vector[] {
  const count = 160;
  const p = sampleEvenly(points, count);
  const step = lengthOf(points) / count;
  const passes = Math.ceil((width / step) * (width / step));
  for (let pass = 0; pass < passes; pass++) {
    const before = p.slice();
    for (let k = 3; k < p.length - 3; k++) p[k] = 0.25 * before[k - 3] + 0.5 * before[k] + 0.25 * before[k + 3];
  }
  return Array.from({ length: count + 1 }, (_, i) => vectorAt(p, i));
}

/** Points at equal arc length along a polyline, both ends included. */
function sampleEvenly(points: readonly Vector[], count: number): Float64Array {
  const out = new Float64Array(3 * (count + 1));
  const total = lengthOf(points);
  let [i, passed] = [1, 0];
  let piece = hypot(...between(points[0], points[1]));
  for (let k = 0; k <= count; k++) {
    const s = (total * k) / count;
    while (i < points.length - 1 && passed + piece < s) {
      passed += piece;
      i++;
      piece = hypot(...between(points[i - 1], points[i]));
    }
    out.set(mix(points[i - 1], points[i], piece > 0 ? Math.min(1, (s - passed) / piece) : 0), 3 * k);
  }
  return out;
}
