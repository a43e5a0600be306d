/**
 * Hairstyles by name: options for growing a style, in proportion to a head that is found in the mesh, and the steps after that.
 *
 * Input: the surface, the name and the direction of the face. Output: options of `growHairstyle`, a function that shapes guides in place of `layHairstyle`,
 * and one that trims them afterwards. The head is found from above: the first place below the top at which the mesh is widest is the middle of the head.
 */
import { normalize, type Vector } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { hypot } from '../math/rounded/index.ts';
import type { Surface } from '../surface/surface.ts';
import { gatheredLength, gatherGuides, type Tail } from './gather.ts';
import type { GrowOptions } from './grow.ts';
import type { Hairstyle } from './hairstyle.ts';
import type { HeadField } from './headField.ts';
import { type CutOptions, cutHairstyle } from './styling.ts';
import type { SurfacePlace } from './surfaceMap.ts';

/** Middle and half width of a head, and its axes. */
export interface HeadPlace {
  /** [m] */
  readonly center: Vector;
  /** Half of the width from ear to ear [m]. */
  readonly radius: number;
  /** Unit vectors: to the left of the face, to the back of the head, up. */
  readonly side: Vector;
  /** Unit vector to the back of the head. */
  readonly back: Vector;
  /** Unit vector to the top of the head. */
  readonly up: Vector;
}

/** Names of styles. */
export type StylePreset = 'bob' | 'fringe' | 'ponytail' | 'braid' | 'afro' | 'coily' | 'fur';

/** A style for one mesh. */
export interface Preset {
  /** Options for `growHairstyle`. */
  readonly grow: GrowOptions;
  /** Shapes guides in place of laying them over the head. Something that is not in the style, such as a band, would hold this shape. */
  readonly shape?: (style: Hairstyle, field: HeadField | undefined) => Hairstyle;
  /** Cuts guides after they were laid over the head. */
  readonly trim?: (style: Hairstyle) => Hairstyle;
}

/** What the styles are. */
export const stylePresets: Readonly<Record<StylePreset, string>> = {
  bob: 'straight, parted, cut level at the chin',
  fringe: 'a bob with hair over the forehead, cut above the eyes',
  ponytail: 'gathered at the back of the head',
  braid: 'gathered at the back of the head and plaited in three strands',
  afro: 'short, standing off the head, in small curls',
  coily: 'hanging coils',
  fur: 'short hair all over the mesh, in tufts',
};

/** Options and steps of a style for a surface. `front`: direction of the face; default −y. Throws SceneError. */
export function createPreset(surface: Surface, name: StylePreset, front: Vector = [0, -1, 0]): Preset {
  if (!Object.hasOwn(makers, name))
    throw new SceneError(['preset'], `unknown style '${name}'; known: ${Object.keys(stylePresets).join(', ')}`);
  return makers[name](findHead(surface, front));
}

/** Slices of the mesh in which its width is measured. */
const slices = 48;

/** The head of a mesh that stands upright: all of a ball, the upper part of a bust. */
export function findHead({ position: p }: Pick<Surface, 'position'>, front: Vector): HeadPlace {
  const level = hypot(front[0], front[1]);
  if (!(level > 0 && front.every(Number.isFinite)))
    throw new SceneError(['front'], 'expected a horizontal direction, such as 0,-1,0');
  const back: Vector = [-front[0] / level, -front[1] / level, 0];
  const side: Vector = [back[1], -back[0], 0];
  const count = p.length / 3;
  const across = (i: number, axis: Vector): number => axis[0] * p[3 * i] + axis[1] * p[3 * i + 1];
  const all = Array.from({ length: count }, (_, i) => i);
  const [low, top] = rangeOf(all.map((i) => p[3 * i + 2]));
  const piles: number[][] = Array.from({ length: slices }, () => []);
  for (const i of all) {
    const depth = (top - p[3 * i + 2]) / Math.max(top - low, 1e-12);
    piles[Math.min(slices - 1, Math.floor(depth * slices))].push(i);
  }
  let radius = 0;
  for (const pile of piles) {
    if (pile.length < 4) continue;
    const [left, right] = rangeOf(pile.map((i) => across(i, side)));
    const half = 0.5 * (right - left);
    // the jaw and the neck are narrower, the shoulders wider again
    if (half < 0.85 * radius) break;
    radius = Math.max(radius, half);
  }
  // a mesh of few vertices has no full slices
  if (radius === 0)
    for (const axis of [side, back]) {
      const [least, most] = rangeOf(all.map((i) => across(i, axis)));
      radius = Math.max(radius, 0.5 * (most - least));
    }
  const crown = all.filter((i) => p[3 * i + 2] > top - 1.2 * radius);
  const middle = (axis: Vector): number => {
    const [least, most] = rangeOf(crown.map((i) => across(i, axis)));
    return 0.5 * (least + most);
  };
  const [x, y] = [middle(side), middle(back)];
  const center: Vector = [x * side[0] + y * back[0], x * side[1] + y * back[1], top - radius];
  return { center, radius, side, back, up: [0, 0, 1] };
}

function rangeOf(values: readonly number[]): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

/** Components to the side, to the back and up, in head radii from the middle. */
function placeOnHead({ center, radius, side, back, up }: HeadPlace, position: ArrayLike<number>): Vector {
  const d = [0, 1, 2].map((k) => (position[k] - center[k]) / radius);
  const along = (axis: Vector): number => d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2];
  return [along(side), along(back), along(up)];
}

const toWorld = ({ side, back, up }: HeadPlace, v: Vector): Vector => [
  v[0] * side[0] + v[1] * back[0] + v[2] * up[0],
  v[0] * side[1] + v[1] * back[1] + v[2] * up[1],
  v[0] * side[2] + v[1] * back[2] + v[2] * up[2],
];

/** Height above the hairline, from the forehead over the ears to the nape: positive where hair grows. */
const aboveHairline = ([, back, up]: Vector): number => 0.634 * back + 0.775 * up + 0.2;

const clamp = (x: number): number => Math.min(1, Math.max(0, x));

/** A function of the place on the head, as a map of the surface. */
const mapped =
  <T>(head: HeadPlace, at: (place: Vector) => T) =>
  ({ position }: SurfacePlace): T =>
    at(placeOnHead(head, position));

function scalp(head: HeadPlace): (place: SurfacePlace) => number {
  return mapped(head, (place) => (aboveHairline(place) > 0 ? 1 : 0));
}

/** Where hair of a fringe grows: the front of the top of the head. */
const isFringe = ([side, back, up]: Vector): boolean => back < -0.25 && Math.abs(side) < 0.62 && up > 0.3;

/** Parted a little beside the middle: to both sides in front, back and down behind. */
function partedLean([side, back, up]: Vector): Vector {
  const front = clamp(0.25 - back);
  const top = clamp(up);
  const way = side > 0.14 ? 1 : -1;
  return [0.8 * way * (0.35 + front) * top, 0.8 * (0.55 + 1.8 * front), 0.8 * (0.2 * front - 0.7)];
}

/** Cuts what hangs below a height, in head radii above the middle. */
function cutLevel(head: HeadPlace, height: number, where?: CutOptions['where']): (style: Hairstyle) => Hairstyle {
  const point: Vector = [head.center[0], head.center[1], head.center[2] + height * head.radius];
  return (style) => cutHairstyle(style, { plane: { point, normal: [0, 0, -1] }, where }).style;
}

function bob(head: HeadPlace): Preset {
  const density = scalp(head);
  return {
    grow: {
      guides: { count: 250, spread: true, density },
      hair: 'smooth-asian',
      length: 3.5 * head.radius,
      lengthJitter: 0.04,
      elements: 16,
      lean: mapped(head, (place) => toWorld(head, partedLean(place))),
      // hairs keep to their own side of the parting
      hairs: { count: 16_000, density, clump: 0.8, clumpPower: 0.4 },
    },
    trim: cutLevel(head, -1.5),
  };
}

function fringe(head: HeadPlace): Preset {
  const plain = bob(head);
  const level = cutLevel(
    head,
    -0.08,
    mapped(head, (place) => (isFringe(place) ? 1 : 0)),
  );
  return {
    grow: {
      ...plain.grow,
      guides: { ...plain.grow.guides, count: 350 },
      lean: mapped(head, (place) => toWorld(head, isFringe(place) ? [0.3 * place[0], -1.6, -0.1] : partedLean(place))),
    },
    trim: (style) => (plain.trim as NonNullable<Preset['trim']>)(level(style)),
  };
}

function gathered(head: HeadPlace, tail: Tail, guides = 200): Preset {
  const density = scalp(head);
  return {
    grow: {
      guides: { count: guides, spread: true, density },
      hair: 'straight',
      length: ({ position }) => gatheredLength(head, tail, position),
      elements: tail.elements,
      settle: false,
      hairs: { count: 16_000, density, clump: 1, clumpPower: tail.clumpPower },
    },
    shape: (style, field) => gatherGuides(style, { head, tail, field }),
  };
}

function afro(head: HeadPlace): Preset {
  const density = scalp(head);
  return {
    grow: {
      guides: { count: 250, spread: true, density },
      hair: 'straight',
      length: mapped(head, ([, , up]) => head.radius * (0.62 + 0.12 * clamp(up))),
      lengthJitter: 0.05,
      hairs: {
        count: 22_000,
        density,
        length: [0.8, 1],
        layers: [
          { type: 'clump', count: 900, strength: 0.3 },
          { type: 'curl', radius: 0.0025, pitch: 0.008, phase: 1 },
          { type: 'frizz', amplitude: 0.0025, wavelength: 0.02 },
        ],
      },
    },
  };
}

function coily(head: HeadPlace): Preset {
  const density = scalp(head);
  return {
    grow: {
      guides: { count: 220, spread: true, density },
      hair: 'coily',
      length: 4.4 * head.radius,
      lengthJitter: 0.2,
      lean: mapped(head, ([side, back]) => toWorld(head, [0.5 * side, 0.4 * back + 0.3, -0.3])),
      hairs: { count: 8000, density, clump: 0.9, clumpPower: 0.6, length: [0.85, 1] },
    },
  };
}

function fur(head: HeadPlace): Preset {
  return {
    grow: {
      guides: { count: 500, spread: true },
      hair: 'straight',
      length: 0.3 * head.radius,
      lengthJitter: 0.2,
      lean: toWorld(head, [0, 0.9, -0.7]),
      hairs: {
        count: 40_000,
        length: [0.6, 1],
        layers: [
          { type: 'clump', count: 1800, strength: 0.7, power: 1.5 },
          { type: 'frizz', amplitude: 0.0006, wavelength: 0.012 },
        ],
      },
    },
  };
}

/** Where hair is tied: behind the crown. */
const tie = normalize([0, 0.88, 0.42]);

const makers: Readonly<Record<StylePreset, (head: HeadPlace) => Preset>> = {
  bob,
  fringe,
  ponytail: (head) => gathered(head, { tie, elements: 24, clumpPower: 0.45 }),
  braid: (head) => gathered(head, { tie: normalize([0, 0.98, -0.1]), elements: 40, clumpPower: 0.2, plaits: 3.5 }, 240),
  afro,
  coily,
  fur,
};
