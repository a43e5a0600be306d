/** Parameters of a dispatch that all strands share: the stage, the head, contact, obstacles. */
import { compose, conjugate, normalize } from '../formulas.ts';
import { MOST_ALONE, type Stage, stageFields } from '../layout.ts';
import type { Obstacle } from '../obstacles.ts';
import { CONTACTS_EVERY } from '../pairs.ts';
import type { BatchPart, HeadPose, Parts, StrandsOptions } from './parts.ts';
import type { AirNow } from './requests.ts';
import { PARAMETER_BYTES, parameterIntegers, parameterVectors } from './shader.ts';
import { countRounds } from './statusShader.ts';
import type { Device } from './webgpu.ts';

/** Inputs of a dispatch. */
export interface Dispatch {
  readonly stage: Stage;
  /** Pose of the head at the end of the stage, at the end of the previous stage, and at the start of the step. */
  readonly now: HeadPose;
  readonly last: HeadPose;
  readonly start: HeadPose;
  readonly flags: number;
  readonly iterations: number;
  /** [rad] */
  readonly tolerance: number;
  /** With obstacles: length of the step [s], smallest and largest number of contact iterations (largest: 4, 8, 16 or 32). */
  readonly contact?: { readonly dt: number; readonly iterations: number; readonly most?: number };
  /** Number of searches for pairs before this stage; default 0. */
  readonly search?: number;
  /** Wind at the end of the stage [m/s], and the factor of the drag; default: none. */
  readonly air?: AirNow;
}

export const restingHead: HeadPose = { rotation: [0, 0, 0, 1], position: [0, 0, 0] };

export function writeParameters(device: Device, part: BatchPart, options: StrandsOptions, dispatch: Dispatch): void {
  const { stage, now, last, start, contact = { dt: 0, iterations: 0, most: 0 } } = dispatch;
  const vectors: Record<(typeof parameterVectors)[number], readonly number[]> = {
    head: now.rotation,
    headBefore: last.rotation,
    headStart: start.rotation,
    turn: normalize(compose(now.rotation, conjugate(start.rotation))),
    shift: [...[0, 1, 2].map((k) => now.position[k] - start.position[k]), options.massDamping ?? 0],
    gravity: [...(options.gravity ?? [0, 0, 0]), options.stiffnessDamping ?? 0],
    place: [...now.position, dispatch.tolerance],
    pair: pairVector(options),
    contact: [contact.dt, countRounds(contact.most ?? MOST_ALONE), contact.iterations, 0],
    search: [searchEveryOf(options), searchReachOf(options), (GOLDEN * (dispatch.search ?? 0)) % 1, 0],
    wind: dispatch.air ?? [0, 0, 0, 0],
  };
  const integers: Record<(typeof parameterIntegers)[number], number> = {
    strands: part.count,
    iterations: dispatch.iterations,
    flags: dispatch.flags,
    first: part.first,
  };
  const block = new ArrayBuffer(PARAMETER_BYTES);
  const floats = new Float32Array(block);
  parameterVectors.forEach((name, k) => {
    floats.set(vectors[name], 4 * k);
  });
  const o = 4 * parameterVectors.length;
  new Uint32Array(block).set(
    parameterIntegers.map((name) => integers[name]),
    o,
  );
  floats.set(
    stageFields.map((name) => stage[name]),
    o + parameterIntegers.length,
  );
  if (part.buffers.parameters) device.queue.writeBuffer(part.buffers.parameters, 0, block);
}

/** By how much of an edge the place at which it begins to look for others moves on from search to search, in real time. */
const GOLDEN = 0.618;
/** How far it looks in real time [radii]. */
const REACH = 2;

/** Steps that a search serves. */
export function searchEveryOf({ pairs }: StrandsOptions): number {
  return pairs?.searchEvery ?? (pairs?.realTime ? 8 : 1);
}

/** Steps for which the contacts that were found among candidates serve. */
export function contactsEveryOf({ pairs }: StrandsOptions): number {
  return pairs?.realTime ? CONTACTS_EVERY : 1;
}

/** Longest edge and largest radius of strands [m]: looking through all of them takes long, so it is done once. */
interface Extent {
  readonly longest: number;
  readonly radius: number;
}
const extents = new WeakMap<StrandsOptions['strands'], Extent>();

function extentOf({ strands, contactRadius = 0 }: StrandsOptions): Extent {
  const known = extents.get(strands);
  if (known) return known;
  let [longest, radius] = [0, contactRadius];
  for (const { edgeLength, contact } of strands) {
    for (let j = 0; j < edgeLength.length; j++) longest = Math.max(longest, edgeLength[j]);
    const radii = contact?.pairRadius ?? contact?.radius ?? [];
    for (let j = 0; j < radii.length; j++) radius = Math.max(radius, radii[j]);
  }
  extents.set(strands, { longest, radius });
  return { longest, radius };
}

/** How far a search looks from an edge at most [m]. */
function searchReachOf(options: StrandsOptions): number {
  const { pairs } = options;
  return pairs?.searchReach ?? (pairs?.realTime ? REACH * extentOf(options).radius : 1e9);
}

/** Edge of a grid's cell, friction, whether strands meet themselves, and the longest edge. */
function pairVector(options: StrandsOptions): number[] {
  const { pairs } = options;
  if (!pairs) return [0, 0, 0, 0];
  const { longest } = extentOf(options);
  return [pairs.cell ?? (pairs.realTime ? 0.1 : 0.5) * longest, pairs.friction, pairs.self ? 1 : 0, longest];
}

/** Writes the obstacles of the next step. Throws if their number differs from that with which the strands were created. */
export function writeObstacles(device: Device, { list, shader }: Parts, obstacles: readonly Obstacle[]): void {
  if (obstacles.length !== shader.obstacles)
    throw new Error(`${obstacles.length} obstacles were given; the strands were created for ${shader.obstacles}`);
  const rows = obstacles.flatMap((o) =>
    [
      o.frame,
      [...o.position, o.kind],
      [...o.half, o.rounding],
      o.turn,
      [...o.shift, o.friction],
      [...o.counts, o.start],
    ].flat(),
  );
  for (const { buffers } of list)
    if (buffers.obstacles && rows.length > 0) device.queue.writeBuffer(buffers.obstacles, 0, Float32Array.from(rows));
}
