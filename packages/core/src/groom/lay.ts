/**
 * Keeps hair out of the head: curves that would pass through the skin are laid over it, from the root on.
 *
 * Every piece of a curve keeps its length and its direction, and slides along the skin where that direction would enter it. Guides are laid as
 * polylines; then they come to rest on a soft layer over the skin, by their own weight and stiffness, so that a simulation starts without kinks, without
 * twist that would snap, and off the skin. A guide that still cuts into the head is laid again, farther from the skin. The grooming panel of the studio,
 * the command line and the exporters all call this file.
 */
import { normalize, transport } from '../curve/vector.ts';
import { hypot, pow, square } from '../math/rounded/index.ts';
import type { Helices } from '../models/helix/fit.ts';
import { reconstructHelices, type StrandSolver } from '../models/helix/strand.ts';
import type { GuidePose, Hairs, RootPose } from './hairs.ts';
import { guideOf, type Hairstyle, placesPerElement, poseGuides, solversByLength } from './hairstyle.ts';
import type { HeadField } from './headField.ts';
import { reshapeHairstyle } from './styling.ts';

/** Over this length from the root the clearance grows from zero [m]: there hair leaves the skin. */
const rise = 0.015;
const rounds = 6;
const middle = new Float64Array(3);

/**
 * Lays the polyline of `nodes` points that begins at `first` over the skin; the first point stays. True if anything moved.
 * `clearance`: distance from the skin [m], less near the root.
 */
export function layCurve(
  p: Float32Array | Float64Array,
  { first, nodes }: { readonly first: number; readonly nodes: number },
  field: HeadField,
  clearance: number,
): boolean {
  let moved = false;
  let s = 0;
  let [ax, ay, az] = [p[first], p[first + 1], p[first + 2]];
  for (let i = 1; i < nodes; i++) {
    const o = first + 3 * i;
    const [dx, dy, dz] = [p[o] - ax, p[o + 1] - ay, p[o + 2] - az];
    [ax, ay, az] = [p[o], p[o + 1], p[o + 2]];
    const length = hypot(dx, dy, dz);
    s += length;
    p[o] = p[o - 3] + dx;
    p[o + 1] = p[o - 2] + dy;
    p[o + 2] = p[o - 1] + dz;
    const distance = clearance * Math.min(1, s / rise);
    for (let round = 0; round < rounds && pushPiece(p, o, field, distance); round++) {
      moved = true;
      if (round < rounds - 1) keepLength(p, o, length);
    }
  }
  return moved;
}

/** Pushes the end of a piece out, and again by the penetration of its midpoint: a chord cuts through a convex surface. */
function pushPiece(p: Float32Array | Float64Array, o: number, field: HeadField, distance: number): boolean {
  const pushed = field.push(p, o, distance);
  for (let k = 0; k < 3; k++) middle[k] = 0.5 * (p[o + k - 3] + p[o + k]);
  const [x, y, z] = middle;
  if (!field.push(middle, 0, 0.25 * distance)) return pushed;
  p[o] += 2 * (middle[0] - x);
  p[o + 1] += 2 * (middle[1] - y);
  p[o + 2] += 2 * (middle[2] - z);
  return true;
}

function keepLength(p: Float32Array | Float64Array, o: number, length: number): void {
  const [x, y, z] = [p[o] - p[o - 3], p[o + 1] - p[o - 2], p[o + 2] - p[o - 1]];
  const scale = length / Math.max(hypot(x, y, z), 1e-12);
  p[o] = p[o - 3] + scale * x;
  p[o + 1] = p[o - 2] + scale * y;
  p[o + 2] = p[o - 1] + scale * z;
}

/** Distance of guides from the skin [m]: hairs between them come nearer. */
export const guideClearance = 0.004;
/** How often a guide is laid again, each time 1.5 times as far from the skin. */
const attempts = 5;

/** Result of laying guides over a head. */
export interface LayReport {
  /** Guides that were laid over the head. */
  readonly laid: number;
  /** Those of them that still run deeper than a millimetre. */
  readonly inside: number;
  /** Depth of the deepest guide under the skin [m]; 0 if none is inside. */
  readonly deepest: number;
}

/** Springs that hold a guide while it comes to rest [1/s²]: under its weight it sinks by g/pull, half a millimetre, into the soft layer. */
const pull = 2e4;
/** Guides are at rest when no node moves farther than this [m]; rounds at most. */
const restless = 1e-4;
const settlings = 40;

/**
 * Lays guides over the head. Natural curvatures stay: the head holds the hair, so in a simulation it lies on the head.
 * A guide that is nowhere nearer to the skin than its clearance keeps its shape.
 */
export function layHairstyle(
  style: Hairstyle,
  field: HeadField,
): { readonly style: Hairstyle; readonly report: LayReport } {
  const perElement = 2 * Math.ceil(placesPerElement(style) / 2);
  const free = poseGuides(style, perElement);
  const { nodes } = free;
  let current = style;
  let list = Array.from({ length: style.guideRoots.count }, (_, g) => g);
  let laid = 0;
  for (let attempt = 0; attempt < attempts && list.length > 0; attempt++) {
    const clearance = guideClearance * pow(1.5, attempt);
    const shapes = new Map<number, Float64Array>();
    for (const g of list) {
      const curve = free.position.slice(3 * nodes * g, 3 * nodes * (g + 1));
      if (layCurve(curve, { first: 0, nodes }, field, clearance)) shapes.set(g, everyHalf(curve, perElement));
    }
    if (attempt === 0) laid = shapes.size;
    current = restGuides(style, current, { shapes, field, clearance });
    list = deepGuides(current, [...shapes.keys()], field).map(({ guide }) => guide);
  }
  const deep = deepGuides(current, list, field);
  const deepest = deep.reduce((most, { depth }) => Math.max(most, depth), 0);
  return { style: current, report: { laid, inside: deep.filter(({ depth }) => depth > 1e-3).length, deepest } };
}

interface Laying {
  /** Laid guides as polylines, two places per element. */
  readonly shapes: ReadonlyMap<number, Float64Array>;
  readonly field: HeadField;
  readonly clearance: number;
}

/** Lets laid guides come to rest; `free`: the style before it was laid, from which they start. Guides that find no rest become their polylines. */
function restGuides(free: Hairstyle, current: Hairstyle, { shapes, field, clearance }: Laying): Hairstyle {
  const { elements, length } = free;
  const { curvature, rootTangent, rootDirector } = current;
  const rested = {
    ...current,
    curvature: curvature.slice(),
    rootTangent: rootTangent.slice(),
    rootDirector: rootDirector.slice(),
  };
  const solverOf = solversByLength(free);
  const lost = new Map<number, Float64Array>();
  for (const [g, shape] of shapes) {
    const own = free.curvature.slice(3 * elements * g, 3 * elements * (g + 1));
    const natural = turnRoot(guideOf(free, g, 'natural'), reconstructHelices(guideOf(free, g), 2).position, shape);
    if (restOnSkin(own, shape.slice(), { solver: solverOf(length[g]), natural, field, clearance })) {
      rested.curvature.set(own, 3 * elements * g);
      rested.rootTangent.set(natural.rootTangent, 3 * g);
      rested.rootDirector.set(natural.rootDirector, 3 * g);
    } else lost.set(g, shape);
  }
  return lost.size === 0 ? rested : reshapeHairstyle(rested, lost, { hold: false }).style;
}

/** The root frame turns as the first piece of the curve did when it was laid, so that the guide leaves the skin. */
function turnRoot(natural: Helices, before: Float64Array, after: Float64Array): Helices {
  const [from, to] = [before, after].map((p) => normalize([p[3] - p[0], p[4] - p[1], p[5] - p[2]]));
  return {
    ...natural,
    rootTangent: transport(natural.rootTangent, from, to),
    rootDirector: transport(natural.rootDirector, from, to),
  };
}

interface Resting extends Pick<Laying, 'field' | 'clearance'> {
  readonly solver: StrandSolver;
  readonly natural: Helices;
}

/** Pulls a guide to `places`, then repeatedly to its own position pushed out of the skin, until it rests. False if no equilibrium is found. */
function restOnSkin(curvature: Float64Array, places: Float64Array, resting: Resting): boolean {
  const { solver, natural, field, clearance } = resting;
  const piece = natural.elementLength[0] / 2;
  const before = new Float64Array(places.length);
  let roughly = true;
  for (let round = 0; round < settlings; round++) {
    if (!solver.approach(curvature, natural, places, pull, roughly ? 1 : undefined)) return false;
    const moved = places.reduce((most, x, k) => Math.max(most, Math.abs(x - before[k])), 0);
    if (moved < restless && !roughly) return true;
    // while the guide is still moving, one step of Newton's method per round is enough
    roughly = moved >= restless;
    before.set(places);
    for (let o = 3; o < places.length; o += 3) field.push(places, o, clearance * Math.min(1, (piece * (o / 3)) / rise));
  }
  return true;
}

/** Two places an element, from which helices can be fitted. */
function everyHalf(curve: Float64Array, perElement: number): Float64Array {
  const stride = perElement / 2;
  const count = (curve.length / 3 - 1) / stride + 1;
  return Float64Array.from({ length: 3 * count }, (_, k) => curve[3 * stride * Math.floor(k / 3) + (k % 3)]);
}

/** Guides of a list that pass through the skin, and their depth. */
function deepGuides(
  style: Hairstyle,
  list: readonly number[],
  field: HeadField,
): { readonly guide: number; readonly depth: number }[] {
  const radius = Math.max(style.fiber.a, style.fiber.b);
  const perElement = Math.max(4, placesPerElement(style));
  return list
    .map((guide) => {
      const { position } = reconstructHelices(guideOf(style, guide), perElement);
      let depth = 0;
      // the root itself is on the skin
      for (let o = 3; o < position.length; o += 3) depth = Math.max(depth, -field.distance(position, o));
      return { guide, depth };
    })
    .filter(({ depth }) => depth > radius);
}

/** Least distance of hairs from the skin [m], and how much more some of them keep. */
const hairClearance = 0.0012;
const volume = 0.005;

/**
 * Lays hairs over the head, `nodes` points each. `pose`: guides as they are now; each hair is laid in the axes of its own root if the pose has it, else of
 * its nearest guide's root, as it was grown: there the head stands still.
 */
export function layHairs(
  position: Float32Array | Float64Array,
  hairs: Hairs,
  nodes: number,
  { field, pose }: { readonly field: HeadField; readonly pose: GuidePose },
): void {
  const { guide, guideRoots, hairRoots, count } = hairs;
  for (let h = 0; h < count; h++) {
    const first = 3 * nodes * h;
    const own = position.subarray(first, first + 3 * nodes);
    const move = pose.hairRoots
      ? rootMotion(pose.hairRoots, hairRoots.position, h)
      : pose.turn &&
        rootMotion({ turn: pose.turn, position: pose.position }, guideRoots.position, guide[3 * h], pose.nodes);
    if (move) moveBack(own, move);
    layCurve(own, { first: 0, nodes }, field, hairClearance + volume * square((h * 0.618) % 1));
    if (move) moveForth(own, move);
  }
}

/** Motion of a root since the hair was grown: rotation row by row, and its places now and then. */
interface RootMotion {
  readonly turn: ArrayLike<number>;
  readonly m: number;
  readonly now: ArrayLike<number>;
  readonly a: number;
  readonly then: ArrayLike<number>;
  readonly b: number;
}

/** Of root `k`; `nodes`: positions of a pose have so many per root. */
function rootMotion({ turn, position }: RootPose, then: Float64Array, k: number, nodes = 1): RootMotion {
  return { turn, m: 9 * k, now: position, a: 3 * nodes * k, then, b: 3 * k };
}

/** From the world to the axes in which the hair was grown. */
function moveBack(p: Float32Array | Float64Array, { turn: r, m, now, a, then, b }: RootMotion): void {
  for (let o = 0; o < p.length; o += 3) {
    const [x, y, z] = [p[o] - now[a], p[o + 1] - now[a + 1], p[o + 2] - now[a + 2]];
    for (let k = 0; k < 3; k++) p[o + k] = then[b + k] + r[m + k] * x + r[m + 3 + k] * y + r[m + 6 + k] * z;
  }
}

function moveForth(p: Float32Array | Float64Array, { turn: r, m, now, a, then, b }: RootMotion): void {
  for (let o = 0; o < p.length; o += 3) {
    const [x, y, z] = [p[o] - then[b], p[o + 1] - then[b + 1], p[o + 2] - then[b + 2]];
    for (let k = 0; k < 3; k++) p[o + k] = now[a + k] + r[m + 3 * k] * x + r[m + 3 * k + 1] * y + r[m + 3 * k + 2] * z;
  }
}
