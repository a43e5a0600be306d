/**
 * Equilibrium of one strand: Newton iterations with a decreasing attraction to the previous shape (pseudo-transient continuation), until only
 * elasticity and loads act. The same iterations reach equilibrium in single precision.
 */
import type { EquilibriumOptions, EquilibriumReport } from '../model.ts';
import { dot, scale } from './algebra.ts';
import { turnGradient } from './energy.ts';
import { DISPLACEMENT, STRAIN_RATE, TARGET, VELOCITY } from './layout.ts';
import { evaluateLoads, poseSamples } from './pose.ts';
import { type BatchRod, evaluateRoot, frameOfPose } from './rod.ts';
import { restStage } from './schemes.ts';
import { nodeForceOf, stiffnessOf } from './strand.ts';
import { beginStage, iterateStage } from './sweeps.ts';

/** Largest number of iterations, rotation that counts as zero [rad], rotation above which the attraction grows again [rad]. */
const ITERATIONS = 1000;
const SETTLED = 1e-12;
const VIOLENT = 0.5;

/** Attraction per mass [1/s²] that matches the stiffness of joints. */
function firstAttraction({ strand, rod }: BatchRod): number {
  const k = Math.max(...stiffnessOf(strand, Math.min(1, rod.edgeCount - 1)));
  const length = rod.edgeLengthRest[0];
  return (2 * k) / (rod.nodeMass[Math.min(1, rod.nodeCount - 1)] * length * length);
}

function placeRoot(batch: BatchRod, t: number): void {
  const { strand, origin, pose, frame } = batch;
  evaluateRoot(batch, t);
  const { root } = strand;
  if (root.kind !== 'free') origin.set(pose.position);
  root.frameBefore = [frame[0], frame[1], frame[2], frame[3]];
  root.frame = root.kind === 'clamped' ? frameOfPose(pose) : root.frameBefore;
  root.displacement = [0, 0, 0];
}

/** Largest residual torque of an edge, divided by its length [N]; and the sum of the magnitudes of forces [N]. */
function measureResidual(batch: BatchRod): { readonly residual: number; readonly scale: number } {
  const { strand, rod } = batch;
  const gradient = turnGradient(batch, (i) => scale(-1, nodeForceOf(strand, i)));
  let residual = 0;
  let total = 0;
  gradient.forEach((g, j) => {
    residual = Math.max(residual, Math.sqrt(dot(g, g)) / rod.edgeLengthRest[j]);
  });
  for (let k = 0; k < strand.nodeForce.length; k++) total += Math.abs(strand.nodeForce[k]);
  for (let j = 0; j < rod.edgeCount; j++) {
    const k = stiffnessOf(strand, j);
    total = Math.max(total, (1e-3 * Math.max(k[0], k[1], k[2])) / rod.edgeLengthRest[j]);
  }
  return { residual, scale: total };
}

/** Leaves the strand at rest in the equilibrium, or where the search ended. */
export function findEquilibrium(batch: BatchRod, t: number, { tolerance }: EquilibriumOptions): EquilibriumReport {
  const { strand, rod, frame, history, samples } = batch;
  placeRoot(batch, t);
  const unheld = strand.root.kind === 'free';
  let attraction = firstAttraction(batch);
  const none = 1e-12 * attraction;
  const follow = batch.drive.sources.some(({ dependsOnState }) => dependsOnState);
  strand.slots[VELOCITY].fill(0);
  samples.nodeVelocity.fill(0);
  evaluateLoads(batch, t);
  let iterations = 0;
  let settled = false;
  while (!unheld && !settled && iterations < ITERATIONS) {
    const stage = restStage(attraction > none ? attraction : 0);
    const tip = beginStage(strand, stage);
    frame.set(strand.root.frame);
    strand.root.frameBefore = strand.root.frame;
    if (follow) {
      poseSamples(batch, stage);
      evaluateLoads(batch, t);
    }
    const turn = Math.sqrt(iterateStage(strand, stage, tip).largest);
    iterations++;
    if (!(turn < Infinity)) break;
    attraction *= turn > VIOLENT ? 2 : 0.5;
    settled = turn < SETTLED && stage.inertia === 0;
  }
  poseSamples(batch);
  samples.edgeSpin.fill(0);
  evaluateLoads(batch, t);
  // at rest nothing accelerates
  for (const slot of [DISPLACEMENT, TARGET, STRAIN_RATE]) strand.slots[slot].fill(0);
  history.fill(0);
  batch.acceleration.fill(0);
  const found = measureResidual(batch);
  const limit = tolerance * found.scale;
  const converged = !unheld && found.residual <= Math.max(limit, 1e-13 * found.scale);
  return {
    rod: rod.id,
    converged,
    iterations,
    residual: found.residual,
    tolerance: limit,
    negativeModes: 0,
    stable: false,
    criterion: 'none',
    saddlesLeft: 0,
    ...(!converged && {
      reason: unheld ? 'nothing holds the rod' : `no equilibrium within ${ITERATIONS} iterations`,
    }),
  };
}
