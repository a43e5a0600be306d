/**
 * One step of the default integrator: the minimum of an incremental potential (energy.ts), which is backward Euler on the
 * positions of the nodes. Velocities are differences of positions, kept for each node: they are those of the discrete motion,
 * and the energy of an undamped rod never grows.
 *
 * The root moves by its pins: where the nodes were is taken with the root of then, where they go with the root of now, and
 * nothing else of the root's motion is needed.
 */
import { evaluateEnergy, type Stage, type Workspace } from './energy.ts';
import { measureRootRate, placeRoot, poseRod } from './kinematics.ts';
import { type NewtonOptions, type NewtonResult, solveStage } from './newton.ts';
import type { HelixRod } from './rod.ts';

/** d1 and d2 of the nodes as posed. */
export function readDirectors(out: Float64Array, h: HelixRod): void {
  const { nodeFrame } = h;
  for (let i = 0; i < h.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      out[6 * i + k] = nodeFrame[9 * i + 3 * k];
      out[6 * i + 3 + k] = nodeFrame[9 * i + 3 * k + 1];
    }
  }
}

/** From t to t + dt; on failure q, v and memory are as before. */
export function stepIncremental(
  h: HelixRod,
  w: Workspace,
  t: number,
  dt: number,
  options: NewtonOptions,
): NewtonResult {
  const { q, v, nodeVelocity, nodeAcceleration, directorRate, directorAcceleration, nodePosition } = h;
  placeRoot(h, t);
  poseRod(h, q);
  w.kappaBefore.set(q);
  w.before.set(nodePosition);
  for (let k = 0; k < nodePosition.length; k++) w.target[k] = nodePosition[k] + dt * nodeVelocity[k];
  if (h.hasFrames) {
    readDirectors(w.directorBefore, h);
    for (let k = 0; k < directorRate.length; k++) w.directorTarget[k] = w.directorBefore[k] + dt * directorRate[k];
  }
  measureRootRate(w.rootRate, h, t, dt);
  placeRoot(h, t + dt);
  const stage: Stage = { t: t + dt, inertia: 1 / (dt * dt), rate: 1 / dt };
  predict(h, w, stage, dt);
  const newton = solveStage(h, w, stage, options);
  if (!newton.converged) {
    q.set(w.kappaBefore);
    return newton;
  }
  for (let d = 0; d < q.length; d++) v[d] = (q[d] - w.kappaBefore[d]) / dt;
  for (let k = 0; k < nodePosition.length; k++) {
    const velocity = (nodePosition[k] - w.before[k]) / dt;
    nodeAcceleration[k] = (velocity - nodeVelocity[k]) / dt;
    nodeVelocity[k] = velocity;
  }
  if (h.hasFrames) {
    readDirectors(w.directorTarget, h);
    for (let k = 0; k < directorRate.length; k++) {
      const rate = (w.directorTarget[k] - w.directorBefore[k]) / dt;
      directorAcceleration[k] = (rate - directorRate[k]) / dt;
      directorRate[k] = rate;
    }
  }
  h.rootRate.set(w.rootRate);
  return newton;
}

/** Starts from where the curvatures would go at their last rates, unless staying is better (after a blow, or a jump). */
function predict(h: HelixRod, w: Workspace, stage: Stage, dt: number): void {
  const { q, v } = h;
  h.loads.nodeForce.fill(0);
  h.loads.edgeTorque.fill(0);
  h.loads.nodeDrag.fill(0);
  w.torqueForce.fill(0);
  poseRod(h, q);
  const stay = evaluateEnergy(h, w, stage);
  for (let d = 0; d < q.length; d++) q[d] += dt * v[d];
  poseRod(h, q);
  if (!(evaluateEnergy(h, w, stage) < stay)) q.set(w.kappaBefore);
}
