/** Parameters of a dispatch that all strands share: the stage, the head, contact, obstacles. */
import { compose, conjugate, normalize } from '../formulas.ts';
import { MOST_ITERATIONS, type Stage, stageFields } from '../layout.ts';
import type { Obstacle } from '../obstacles.ts';
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
    contact: [contact.dt, countRounds(contact.most ?? MOST_ITERATIONS), contact.iterations, 0],
    search: [options.pairs?.searchEvery ?? 1, options.pairs?.searchReach ?? 1e9, 0, 0],
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

/** Edge of a grid's cell, friction, whether strands meet themselves, and the longest edge. */
function pairVector({ pairs, strands }: StrandsOptions): number[] {
  if (!pairs) return [0, 0, 0, 0];
  const longest = strands.reduce((most, { edgeLength }) => Math.max(most, ...Array.from(edgeLength)), 0);
  return [pairs.cell ?? 0.5 * longest, pairs.friction, pairs.self ? 1 : 0, longest];
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
