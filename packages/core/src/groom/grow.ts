/**
 * Grows a hairstyle on a surface: guides along the normals, curls in phase with their neighbours, lengths from a map, and hairs between the guides.
 *
 * The number of elements is chosen so that none turns by more than half a turn: an element of a full turn would close on itself.
 */

import { cross, dot, normalize, normalPart, rotate, type Vector } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { cos, hypotOf, sin } from '../math/rounded/index.ts';
import { alignCurl } from '../models/helix/strand.ts';
import { curvatureOfCurl, hairMaterial, hairNumbers, hairSection } from '../scene/hair.ts';
import type { HairType } from '../scene/types.ts';
import type { Surface } from '../surface/surface.ts';
import { createHairs, type HairOptions } from './hairs.ts';
import { type Fiber, type Hairstyle, type SettleReport, settleHairstyle, vectorAt } from './hairstyle.ts';
import { randomAt } from './random.ts';
import { placeRoots, type RootOptions, type Roots, selectRoots } from './roots.ts';
import { placeAt, rootMap, type SurfaceMap, type SurfacePlace } from './surfaceMap.ts';

/** A helix by radius and pitch [m]. */
export interface Curl {
  /** Radius of the helix that the hair follows [m]. */
  readonly radius: number;
  /** Rise per turn [m]. */
  readonly pitch: number;
  /** Sense of the helix. Default right. */
  readonly handedness?: 'right' | 'left';
}

/** How hair grows: guides, lengths, type, curl and hairs. */
export interface GrowOptions {
  /** Roots on vertices, or a number of roots on faces (default 200, spread); density and seed. */
  readonly guides?: RootOptions;
  /** Length [m]; 0: no hair there. One value per vertex is not allowed: pass a function if it varies. */
  readonly length: Exclude<SurfaceMap, ArrayLike<number>>;
  /** Largest random variation of lengths, as a fraction. Default 0. */
  readonly lengthJitter?: number;
  /** Default straight. */
  readonly hair?: HairType;
  /** Overrides that of the hair type. */
  readonly curl?: Curl;
  /** Number of elements. Default: 10, or as many as the curl needs. */
  readonly elements?: number;
  /** Largest random rotation of curls [rad]. Default 0: all in phase. */
  readonly phaseJitter?: number;
  /** Added to the normal at the root: hair lies down along this direction, which may depend on the place. Default none. */
  readonly lean?: Vector | ((place: SurfacePlace) => Vector);
  /** Default [0, 0, −9.81]. */
  readonly gravity?: Vector;
  /** True if guides hang under their weight. Default true. */
  readonly settle?: boolean;
  /** Number of hairs between the guides, and how they follow. Default none. */
  readonly hairs?: { readonly count: number; readonly density?: SurfaceMap } & HairOptions;
}

/** The hairstyle, and the guides that failed. */
export interface GrowReport extends Partial<SettleReport> {
  /** Number of guides. */
  readonly guides: number;
  /** Number of hairs that follow the guides. */
  readonly hairs: number;
  /** Helical elements per guide. */
  readonly elements: number;
}

/** Largest rotation of an element [rad]: a request for more is rejected, and the default avoids it. */
const turnLimit = 2 * Math.PI;

/** Grows hair on a surface and lets its guides hang under their weight. */
export function growHairstyle(
  surface: Surface,
  options: GrowOptions,
): { readonly style: Hairstyle; readonly report: GrowReport } {
  const { hair = 'straight', lengthJitter = 0, phaseJitter = 0, gravity = [0, 0, -9.81], settle = true } = options;
  if (!Object.hasOwn(hairNumbers, hair))
    throw new SceneError(['hair'], `unknown hair type '${hair}'; known: ${Object.keys(hairNumbers).join(', ')}`);
  checkRange(lengthJitter, 'lengthJitter', 0, 0.99);
  checkRange(phaseJitter, 'phaseJitter', 0, 100);
  const seed = options.guides?.seed ?? 0;
  const all = placeRoots(surface, { count: 200, spread: true, ...options.guides });
  const wanted = rootMap(all, options.length, 'length');
  const { roots, lengths } = keepGrowing(all, wanted);
  const length = lengths.map((value, g) => value * (1 - lengthJitter * randomAt(seed + 11, g)));
  const curl = curvatureOf(options.curl ?? numericCurl(hair));
  const elements = chooseElements(options.elements, curl, length);
  const style = layGuides({ roots, length, elements, curl, seed, fiber: fiberOf(hair), gravity }, options);
  const withHairs = options.hairs ? addHairs(style, surface, options.hairs, seed) : style;
  const settled = settle ? settleHairstyle(withHairs) : undefined;
  return {
    style: settled?.style ?? withHairs,
    report: { ...settled?.report, guides: roots.count, hairs: withHairs.hairRoots?.count ?? 0, elements },
  };
}

function checkRange(value: number, name: string, low: number, high: number): void {
  if (!(value >= low && value <= high)) throw new SceneError([name], `must be from ${low} to ${high}, got ${value}`);
}

function fiberOf(hair: HairType): Fiber {
  const section = hairSection(hairNumbers[hair]);
  const { E, G, density } = hairMaterial;
  if (section.type !== 'ellipse') throw new TypeError('hair has elliptic sections');
  const numbers = { a: section.a, b: section.b, E, G: G ?? 0, density };
  return numbers as Fiber;
}

function numericCurl(hair: HairType): Curl | undefined {
  const { curl } = hairNumbers[hair];
  return curl && { radius: curl.radius as number, pitch: curl.pitch as number, handedness: curl.handedness };
}

/** (κ1, κ2, τ) of a curl; straight if undefined. */
export function curvatureOf(curl: Curl | undefined): readonly [number, number, number] {
  if (!curl) return [0, 0, 0];
  if (!(curl.radius > 0 && Number.isFinite(curl.radius)))
    throw new SceneError(['curl'], `its radius must be positive, got ${curl.radius}`);
  if (!(curl.pitch >= 0 && Number.isFinite(curl.pitch)))
    throw new SceneError(['curl'], `its pitch must be zero or more, got ${curl.pitch}`);
  return curvatureOfCurl(curl.radius, curl.pitch, curl.handedness);
}

/** Hair shorter than this [m] does not grow: its points would coincide in the rounding of their positions. */
const SHORTEST = 1e-6;

/** Roots where the length is not zero. */
function keepGrowing(roots: Roots, wanted: Float64Array): { roots: Roots; lengths: Float64Array } {
  const kept = Array.from(wanted, (_, g) => g).filter((g) => wanted[g] >= SHORTEST);
  if (kept.length === 0)
    throw new SceneError(['length'], 'is 0, or below a micrometre, everywhere on the mesh: nothing grows');
  if (kept.length === roots.count) return { roots, lengths: wanted };
  return {
    roots: selectRoots(roots, kept),
    lengths: Float64Array.from(kept, (g) => wanted[g]),
  };
}

export function chooseElements(wanted: number | undefined, curl: readonly number[], length: Float64Array): number {
  const turn = hypotOf(curl) * length.reduce((most, value) => Math.max(most, value), 0);
  const enough = Math.max(10, Math.ceil(turn / Math.PI));
  if (wanted === undefined) {
    if (enough > 1000)
      throw new SceneError(
        ['curl'],
        `winds ${Math.round(turn / 6.28)} turns over the longest hair; make it wider or the hair shorter`,
      );
    return enough;
  }
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > 1000)
    throw new SceneError(['elements'], `expected a whole number from 1 to 1000, got ${wanted}`);
  if (turn / wanted > turnLimit) {
    throw new SceneError(
      ['elements'],
      `${wanted} elements would each turn ${(turn / wanted / 6.2832).toFixed(1)} times; use at least ${enough}`,
    );
  }
  return wanted;
}

/** Guides that are all alike but for their roots and lengths. */
interface Guides {
  readonly roots: Roots;
  /** Length of each guide [m]. */
  readonly length: Float64Array;
  /** Per guide. */
  readonly elements: number;
  /** Natural curvatures of every element [1/m]. */
  readonly curl: readonly [number, number, number];
  readonly seed: number;
  readonly fiber: Fiber;
  readonly gravity: Vector;
}

/** Sets the guides on their roots, turned about the normal so that their curl grows along it. */
function layGuides(
  { roots, length, elements, curl, seed, fiber, gravity }: Guides,
  { lean = [0, 0, 0], phaseJitter = 0, hair }: GrowOptions,
): Hairstyle {
  const { count } = roots;
  const make = (): Float64Array => new Float64Array(3 * count);
  const [rootTangent, rootDirector, axis] = [make(), make(), make()];
  for (let g = 0; g < count; g++) {
    const way = typeof lean === 'function' ? lean(placeAt(roots, g)) : lean;
    const along = leanOver(vectorAt(roots.normal, g), way);
    const turned = rotate(
      acrossAxis(vectorAt(roots.side, g), along),
      scaled(along, phaseJitter * (2 * randomAt(seed + 13, g) - 1)),
    );
    const frame = alignCurl(curl, along, turned);
    axis.set(along, 3 * g);
    rootTangent.set(frame.rootTangent, 3 * g);
    rootDirector.set(frame.rootDirector, 3 * g);
  }
  const natural = Float64Array.from({ length: 3 * elements * count }, (_, d) => curl[d % 3]);
  return {
    ...(hair && { hair }),
    fiber,
    gravity,
    elements,
    guideRoots: roots,
    rootTangent,
    rootDirector,
    axis,
    length,
    natural,
    curvature: natural.slice(),
  };
}

const scaled = (a: Vector, k: number): Vector => [k * a[0], k * a[1], k * a[2]];

/** The normal plus the lean, but never into the skin: at least 10° above it. */
function leanOver(normal: Vector, lean: Vector): Vector {
  const sum: Vector = [normal[0] + lean[0], normal[1] + lean[1], normal[2] + lean[2]];
  const size = hypotOf(sum);
  const up = dot(sum, normal);
  const least = sin(Math.PI / 18);
  if (size > 0 && up / size >= least) return normalize(sum);
  const flat = normalPart(sum, normal);
  if (!flat) return normal;
  const level = normalize(flat);
  const c = cos(Math.PI / 18);
  return [c * level[0] + least * normal[0], c * level[1] + least * normal[1], c * level[2] + least * normal[2]];
}

/** Makes a direction normal to the axis. */
export function acrossAxis(side: Vector, axis: Vector): Vector {
  const part = normalPart(side, axis);
  if (part) return normalize(part);
  return normalize(cross(axis, Math.abs(axis[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]));
}

/** Replaces the hairs of a style that follow its guides. */
export function addHairs(
  style: Hairstyle,
  surface: Surface,
  { count, density, ...hairOptions }: NonNullable<GrowOptions['hairs']>,
  seed = 0,
): Hairstyle {
  const { uv: guideUv, section, ...guides } = style.guideRoots;
  const { uv: hairUv, ...hairs } = placeRoots(surface, { count, density, seed: seed + 1 });
  const sections = section && sectionsOfNearest(style.guideRoots, hairs);
  return {
    ...style,
    // a style from another mesh may differ in having texture coordinates: both have them, or neither
    guideRoots: { ...guides, ...(guideUv && hairUv && { uv: guideUv }), ...(section && { section }) },
    hairRoots: { ...hairs, ...(guideUv && hairUv && { uv: hairUv }), ...(sections && { section: sections }) },
    hairOptions: { seed, ...hairOptions },
  };
}

/** Sections of the nearest guides. */
function sectionsOfNearest({ section, ...guides }: Roots, hairRoots: Roots): Float64Array {
  const { guide } = createHairs(guides, hairRoots);
  return Float64Array.from({ length: hairRoots.count }, (_, h) => section?.[guide[3 * h]] ?? 0);
}
