/**
 * One step as the minimum of an incremental potential (energy.ts): backward Euler (`implicit-euler`, the default) or the two-step formula BDF2 on the
 * positions of the nodes. Velocities are differences of these positions, stored per node. With backward Euler the energy of an undamped rod never
 * grows; BDF2 is of second order, and a curl that bounces keeps bouncing.
 *
 * Pins move the root: previous positions were computed with the previous root, new ones with the current root, and nothing else of the root's motion
 * is needed.
 */
import type { NewtonResult } from '../../statics/search.ts';
import type { Stage, Workspace } from './energy.ts';
import { weighHold } from './holdSolve.ts';
import { measureRootRate, placeRoot, poseRod } from './kinematics.ts';
import { type NewtonOptions, solveStage } from './newton.ts';
import { evaluateEnergy } from './potential.ts';
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

/**
 * The stage that a step ends with: x̃ and ṽ in place of position and velocity before, and the step that leads from them.
 * Backward Euler: those of now and dt. BDF2: (1 + ρ)²/(1 + 2ρ) of now less ρ²/(1 + 2ρ) of before, ρ = dt/dt₋, and
 * dt (1 + ρ)/(1 + 2ρ). Either way Φ is the same function, so BDF2 is a minimisation as well.
 */
function writeStart(h: HelixRod, w: Workspace, dt: number): number {
  const { q, history, nodePosition, nodeVelocity, directorRate } = h;
  const n = 3 * h.nodeCount;
  const last = history.length > 0 ? history[history.length - 1] : 0;
  const ratio = last > 0 ? dt / last : 0;
  // a step that grew by much more than that would not be stable: Euler
  const two = ratio > 0 && ratio <= 2;
  const old = two ? (ratio * ratio) / (1 + 2 * ratio) : 0;
  const now = 1 + old;
  const step = two ? (dt * (1 + ratio)) / (1 + 2 * ratio) : dt;
  for (let k = 0; k < n; k++) {
    w.before[k] = now * nodePosition[k] - (two ? old * history[k] : 0);
    w.target[k] = w.before[k] + step * (now * nodeVelocity[k] - (two ? old * history[n + k] : 0));
  }
  if (h.hasFrames) {
    readDirectors(w.directorBefore, h);
    for (let k = 0; k < 2 * n; k++) {
      const director = w.directorBefore[k];
      const blend = now * director - (two ? old * history[2 * n + k] : 0);
      w.directorTarget[k] = blend + step * (now * directorRate[k] - (two ? old * history[4 * n + k] : 0));
      if (history.length > 0) history[2 * n + k] = director;
      w.directorBefore[k] = blend;
    }
  }
  for (let d = 0; d < q.length; d++) w.kappaBefore[d] = now * q[d] - (two ? old * history[6 * n + d] : 0);
  return step;
}

/** From t to t + dt; on failure q, v and memory are as before. `guess`: curvatures to start from. */
export function stepIncremental(
  h: HelixRod,
  w: Workspace,
  t: number,
  dt: number,
  options: NewtonOptions,
  guess?: Float64Array,
): NewtonResult {
  const { q, v, history, nodeVelocity, nodeAcceleration, directorRate, directorAcceleration, nodePosition } = h;
  const n = 3 * h.nodeCount;
  placeRoot(h, t);
  poseRod(h, q);
  w.start.q.set(q);
  w.start.nodePosition.set(nodePosition);
  w.start.history.set(history);
  const step = writeStart(h, w, dt);
  measureRootRate(w.rootRate, h, t, dt);
  placeRoot(h, t + dt);
  const stage: Stage = { t: t + dt, inertia: 1 / (step * step), rate: 1 / step };
  const multiplier = h.hold?.multiplier.slice();
  if (h.hold) weighHold(h, h.hold, stage.inertia);
  if (guess) q.set(guess);
  else predict(h, w, stage, dt);
  const newton = solveStage(h, w, stage, options);
  if (!newton.converged) {
    q.set(w.start.q);
    history.set(w.start.history);
    if (multiplier) h.hold?.multiplier.set(multiplier);
    return newton;
  }
  for (let d = 0; d < q.length; d++) v[d] = (q[d] - w.kappaBefore[d]) / step;
  for (let k = 0; k < n; k++) {
    const velocity = (nodePosition[k] - w.before[k]) / step;
    nodeAcceleration[k] = (nodePosition[k] - w.target[k]) / (step * step);
    if (history.length > 0) {
      history[k] = w.start.nodePosition[k];
      history[n + k] = nodeVelocity[k];
    }
    nodeVelocity[k] = velocity;
  }
  if (h.hasFrames) {
    readDirectors(w.directorNow, h);
    for (let k = 0; k < 2 * n; k++) {
      directorAcceleration[k] = (w.directorNow[k] - w.directorTarget[k]) / (step * step);
      if (history.length > 0) history[4 * n + k] = directorRate[k];
      directorRate[k] = (w.directorNow[k] - w.directorBefore[k]) / step;
    }
  }
  if (history.length > 0) {
    history.set(w.start.q, 6 * n);
    history[history.length - 1] = dt;
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
  if (!(evaluateEnergy(h, w, stage) < stay)) q.set(w.start.q);
}
