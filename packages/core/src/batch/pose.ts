/** State → samples, and samples → loads: the two sides of the port. */
import { atan2 } from '../math/rounded/index.ts';
import type { LoadSource } from '../port.ts';
import type { Quaternion } from './algebra.ts';
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
  const { nodePosition: x, nodeVelocity: v, edgeTangent, edgeDirector } = samples;
  const [displacement, rate, velocity] = [DISPLACEMENT, RATE, VELOCITY].map((slot) => strand.slots[slot]);
  for (let k = 0; k < 3; k++) x[k] = origin[k] + (stage ? displacement[k] : 0);
  visitFrames(batch, (j, q) => {
    const t = tangentOf(q);
    const d = directorOf(q);
    const l = rod.edgeLengthRest[j];
    for (let k = 0; k < 3; k++) {
      const o = 3 * j + k;
      x[o + 3] = x[o] + l * t[k];
      edgeTangent[o] = t[k];
      edgeDirector[o] = d[k];
    }
  });
  if (!stage) v.set(velocity);
  else for (let k = 0; k < v.length; k++) v[k] = stage.rate * (displacement[k] - rate[k]);
  if (strand.root.kind !== 'free') v.set(pose.velocity, 0);
}

/**
 * Turn of the material about the tangent over a step, per time; of first order in the step: from d0, carried from tangent t0 to t1 without
 * twist, to d1. Written out, since it runs for every edge of a head of hair.
 */
export function measureSpin(batch: BatchRod, tangentBefore: Float64Array, dt: number): void {
  const { samples, directorBefore, rod } = batch;
  const { edgeTangent, edgeDirector, edgeSpin } = samples;
  for (let j = 0; j < rod.edgeCount; j++) {
    const o = 3 * j;
    const [t0x, t0y, t0z] = [tangentBefore[o], tangentBefore[o + 1], tangentBefore[o + 2]];
    const [t1x, t1y, t1z] = [edgeTangent[o], edgeTangent[o + 1], edgeTangent[o + 2]];
    const [d0x, d0y, d0z] = [directorBefore[o], directorBefore[o + 1], directorBefore[o + 2]];
    const [d1x, d1y, d1z] = [edgeDirector[o], edgeDirector[o + 1], edgeDirector[o + 2]];
    const cosine = t0x * t1x + t0y * t1y + t0z * t1z;
    const bx = t0y * t1z - t0z * t1y;
    const by = t0z * t1x - t0x * t1z;
    const bz = t0x * t1y - t0y * t1x;
    const along = (bx * d0x + by * d0y + bz * d0z) / (1 + cosine);
    const x = cosine * d0x + (by * d0z - bz * d0y) + along * bx;
    const y = cosine * d0y + (bz * d0x - bx * d0z) + along * by;
    const z = cosine * d0z + (bx * d0y - by * d0x) + along * bz;
    const across = (t1y * z - t1z * y) * d1x + (t1z * x - t1x * z) * d1y + (t1x * y - t1y * x) * d1z;
    edgeSpin[j] = atan2(across, x * d1x + y * d1y + z * d1z) / dt;
  }
}

/** True if loads besides the air that the sweeps evaluate depend on the state. */
export function loadsDependOnState({ drive, airSource }: BatchRod): boolean {
  return drive.sources.some((source) => source.dependsOnState && source !== airSource);
}

function addLoads(batch: BatchRod, t: number, without?: LoadSource): void {
  const { drive, loads, samples } = batch;
  loads.nodeForce.fill(0);
  loads.edgeTorque.fill(0);
  loads.nodeDrag.fill(0);
  for (const source of drive.sources) if (source !== without) source.addLoads(loads, samples, t);
}

/** Evaluates all load sources at the current samples. */
export function evaluateLoads(batch: BatchRod, t: number): void {
  addLoads(batch, t);
  if (batch.strand.air) batch.strand.air.factor = 0;
}

const airNow = new Float64Array(4);

/** Evaluates the load sources for a stage that ends at t, without uniform air, which the sweeps evaluate. */
export function evaluateStageLoads(batch: BatchRod, t: number): void {
  const { strand, airSource } = batch;
  addLoads(batch, t, airSource);
  if (!strand.air || !airSource?.air) return;
  airSource.air.read(airNow, t);
  strand.air.wind = [airNow[0], airNow[1], airNow[2]];
  strand.air.factor = airNow[3];
}
