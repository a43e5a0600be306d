/** State → samples, and samples → loads: the two sides of the port. */
import { atan2 } from '../math/rounded/index.ts';
import type { Quaternion, Vector } from './algebra.ts';
import { compose, directorOf, fromVectorPart, normalize, tangentOf } from './formulas.ts';
import { DISPLACEMENT, RATE, RELATIVE, type Stage, VELOCITY } from './layout.ts';
import type { BatchRod } from './rod.ts';
import { readState } from './strand.ts';

/** Frame of every edge, from the root to the tip. */
export function visitFrames({ strand, rod }: BatchRod, visit: (j: number, frame: Quaternion) => void): void {
  let q = strand.root.frame;
  for (let j = 0; j < rod.edgeCount; j++) {
    q = normalize(compose(q, fromVectorPart(readState(strand, j, RELATIVE))));
    visit(j, q);
  }
}

/** Samples at an iterate of a stage, or between steps where none is given. */
export function poseSamples(batch: BatchRod, stage?: Stage): void {
  const { rod, samples, strand, origin, pose } = batch;
  const { nodePosition: x, nodeVelocity: v } = samples;
  const [displacement, rate, velocity] = [DISPLACEMENT, RATE, VELOCITY].map((slot) => strand.slots[slot]);
  for (let k = 0; k < 3; k++) x[k] = origin[k] + (stage ? displacement[k] : 0);
  visitFrames(batch, (j, q) => {
    const t = tangentOf(q);
    const l = rod.edgeLengthRest[j];
    for (let k = 0; k < 3; k++) x[3 * j + 3 + k] = x[3 * j + k] + l * t[k];
    samples.edgeTangent.set(t, 3 * j);
    samples.edgeDirector.set(directorOf(q), 3 * j);
  });
  if (!stage) v.set(velocity);
  else for (let k = 0; k < v.length; k++) v[k] = stage.rate * (displacement[k] - rate[k]);
  if (strand.root.kind !== 'free') v.set(pose.velocity, 0);
}

/** Turn of the material about the tangent over a step, per time; of first order in the step. */
export function measureSpin(batch: BatchRod, tangentBefore: Float64Array, dt: number): void {
  const { samples, directorBefore, rod } = batch;
  for (let j = 0; j < rod.edgeCount; j++) {
    const at = (from: Float64Array): Vector => [from[3 * j], from[3 * j + 1], from[3 * j + 2]];
    samples.edgeSpin[j] =
      twistBetween(at(tangentBefore), at(directorBefore), at(samples.edgeTangent), at(samples.edgeDirector)) / dt;
  }
}

/** Angle about t1 from d0, carried from t0 to t1 without twist, to d1. */
function twistBetween(t0: Vector, d0: Vector, t1: Vector, d1: Vector): number {
  const cosine = t0[0] * t1[0] + t0[1] * t1[1] + t0[2] * t1[2];
  const b = [t0[1] * t1[2] - t0[2] * t1[1], t0[2] * t1[0] - t0[0] * t1[2], t0[0] * t1[1] - t0[1] * t1[0]];
  const along = (b[0] * d0[0] + b[1] * d0[1] + b[2] * d0[2]) / (1 + cosine);
  const d = [0, 1, 2].map((k) => {
    const [m, n] = [(k + 1) % 3, (k + 2) % 3];
    return cosine * d0[k] + (b[m] * d0[n] - b[n] * d0[m]) + along * b[k];
  });
  const e = [0, 1, 2].map((k) => {
    const [m, n] = [(k + 1) % 3, (k + 2) % 3];
    return t1[m] * d[n] - t1[n] * d[m];
  });
  return atan2(e[0] * d1[0] + e[1] * d1[1] + e[2] * d1[2], d[0] * d1[0] + d[1] * d1[1] + d[2] * d1[2]);
}

export function loadsFollow({ drive }: BatchRod): boolean {
  return drive.sources.some((source) => source.dependsOnState);
}

/** Asks all sources, where the samples are. */
export function evaluateLoads({ drive, loads, samples }: BatchRod, t: number): void {
  loads.nodeForce.fill(0);
  loads.edgeTorque.fill(0);
  loads.nodeDrag.fill(0);
  for (const source of drive.sources) source.addLoads(loads, samples, t);
}
