/**
 * Brings the end of a rod to its pin: sequential quadratic programming with the augmented Lagrangian as merit.
 *
 * Every Newton iteration first takes the multipliers from the constrained quadratic problem, by one solve per constraint with the factor at hand; the
 * plain step of the potential then leads along the motions that keep the end. ρ keeps the matrix positive definite and weighs a gap against energy; it does
 * not affect the result. Why not a penalty or a multiplier method alone: docs/notes/helix.md#a-pin-at-the-end.
 */
import { factorDense, solveDense } from '../../linalg/dense.ts';
import type { Workspace } from './energy.ts';
import type { Hold } from './hold.ts';
import { poseRod, writeTurn } from './kinematics.ts';
import type { HelixBody } from './rod.ts';
import { solveRod } from './sweep.ts';

/** ρ in units of the bending stiffness over the length, and of the whole mass over the square of the step. */
const PENALTY = 1e3;
/** Factor of one increase of ρ, and of all together at most. */
const GROWTH = 10;
const LARGEST = 1e4;
/** Gap that remains, relative to the length; also an angle [rad]. */
const GAP = 1e-10;
/** If a step turns the elements by more than this in total [rad], its change of the multipliers is reduced in proportion. */
const TURN = 2;

/** Chooses ρ for a stage with inertia c [1/s²]. */
export function weighHold(h: HelixBody, hold: Hold, inertia: number, factor = 1): void {
  let bending = 0;
  let mass = 0;
  for (let d = 0; d < h.stiffness.length; d++)
    bending = Math.max(bending, h.stiffness[d] / h.elementLength[(d / 3) | 0]);
  for (let i = 0; i < h.nodeCount; i++) mass += h.nodeMass[i];
  hold.turning = factor * ((PENALTY * bending) / h.length + mass * inertia * h.length * h.length);
  hold.stiffness = hold.turning / (h.length * h.length);
  hold.growth = 1;
}

/** A larger ρ, for a matrix that is indefinite because of it; false if it is large enough. */
export function stiffenHold(hold: Hold): boolean {
  if (hold.growth >= LARGEST) return false;
  hold.growth *= GROWTH;
  hold.turning *= GROWTH;
  hold.stiffness *= GROWTH;
  return true;
}

/** Writes the gap of the current pose; returns the largest entry. */
export function measureGap(h: HelixBody, hold: Hold): number {
  const { gap, position, frame } = hold;
  const i = h.nodeCount - 1;
  for (let k = 0; k < 3; k++) gap[k] = (h.nodePosition[3 * i + k] - position[k]) / h.length;
  if (hold.rows === 6) writeTurn(gap, 3, frame, h.nodeFrame.subarray(9 * i), 1);
  let largest = 0;
  for (const value of gap) largest = Math.max(largest, Math.abs(value));
  return largest;
}

/** Motion of the last node by the curvatures, of the current pose. */
function writeJacobian(h: HelixBody, hold: Hold): void {
  const { elementCount, position, jacobianAngular: A, jacobianLinear: B, length } = h;
  const { jacobian, rows } = hold;
  const n = 3 * elementCount;
  for (let e = 0; e < elementCount; e++) {
    const d = [0, 1, 2].map((k) => position[3 * elementCount + k] - position[3 * e + 3 + k]);
    for (let k = 0; k < 3; k++) {
      const a = [A[9 * e + k], A[9 * e + 3 + k], A[9 * e + 6 + k]];
      for (let r = 0; r < 3; r++) {
        const [p, q] = [(r + 1) % 3, (r + 2) % 3];
        jacobian[r * n + 3 * e + k] = (B[9 * e + 3 * r + k] + a[p] * d[q] - a[q] * d[p]) / length;
        if (rows === 6) jacobian[(3 + r) * n + 3 * e + k] = a[r];
      }
    }
  }
}

/**
 * Responses of the constraints with the matrix that was factored last, at the current pose. Returns the number of negative eigenvalues that the matrix has
 * beyond those on motions that keep the last node.
 */
export function respondHold(h: HelixBody, w: Workspace, hold: Hold): number {
  const { jacobian, response, factor, rows } = hold;
  const n = h.q.length;
  writeJacobian(h, hold);
  response.set(jacobian);
  for (let r = 0; r < rows; r++) solveRod(h, w.assembly, response.subarray(r * n, r * n + n));
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c <= r; c++) {
      let sum = 0;
      for (let d = 0; d < n; d++) sum += jacobian[r * n + d] * response[c * n + d];
      factor[r * rows + c] = factor[c * rows + r] = sum;
    }
  }
  return factorDense(factor, rows, 3).negative;
}

/**
 * Changes x by a response such that it moves the last node by `goal`; needs `respondHold`. Returns the constraints' forces, as in `jacobian`. Directions
 * in which the node cannot move are left out.
 */
export function projectRates(hold: Hold, x: Float64Array, goal?: ArrayLike<number>): Float64Array {
  const { jacobian, response, rows } = hold;
  const n = x.length;
  const force = new Float64Array(rows);
  for (let r = 0; r < rows; r++) {
    force[r] = -(goal?.[r] ?? 0);
    for (let d = 0; d < n; d++) force[r] += jacobian[r * n + d] * x[d];
  }
  solveDense(hold.factor, rows, force);
  for (let r = 0; r < rows; r++) for (let d = 0; d < n; d++) x[d] -= force[r] * response[r * n + d];
  return force;
}

const limitOf = ({ length }: HelixBody, w: Workspace): number => GAP + 4 * (w.blur / length + w.directorBlur);

/** Adds forces as in `jacobian` to the multipliers. */
export function addMultipliers(h: HelixBody, hold: Hold, force: Float64Array, part = 1): void {
  for (let k = 0; k < 3; k++) hold.multiplier[k] += (part * force[k]) / h.length;
  for (let k = 3; k < hold.rows; k++) hold.multiplier[k] += part * force[k];
}

/** Result of `steerHold`. */
export interface Steered {
  /** Change of the potential at the current pose [J]. */
  energy: number;
  /** True if the last node is at its prescribed position, to rounding. */
  isThere: boolean;
  /** The last node can move towards its place at first order. A straight rod cannot shorten. */
  isFree: boolean;
}

const steered: Steered = { energy: 0, isThere: false, isFree: false };

/**
 * Multipliers of the next Newton step of the constrained problem, after a factor and its gradient, which follows. With them the plain step of the potential
 * is that Newton step.
 */
export function steerHold(h: HelixBody, w: Workspace, hold: Hold): Steered {
  const { jacobian, gap, rows, factor } = hold;
  const { step, gradient } = w;
  const n = step.length;
  steered.isThere = measureGap(h, hold) <= limitOf(h, w);
  for (let d = 0; d < n; d++) step[d] = -gradient[d];
  solveRod(h, w.assembly, step);
  respondHold(h, w, hold);
  for (let r = 0; r < rows; r++) linear[r] = -gap[r];
  const force = projectRates(hold, step, linear);
  let turn = 0;
  for (let d = 0; d < n; d++) turn += h.elementLength[(d / 3) | 0] * Math.abs(step[d]);
  const part = turn > TURN ? TURN / turn : 1;
  steered.energy = 0;
  steered.isFree = true;
  for (let r = 0; r < rows; r++) {
    if (factor[r * (rows + 1)] === 0) steered.isFree = false;
    steered.energy += part * force[r] * gap[r];
    for (let d = 0; d < n; d++) gradient[d] += part * force[r] * jacobian[r * n + d];
  }
  addMultipliers(h, hold, force, part);
  return steered;
}

const linear = new Float64Array(6);

/**
 * Removes the nonlinear part of the end's motion from a step from `h.q` to `w.trial`, and poses the rod there. A straight step leaves the curved set
 * of shapes that keep the end in place, and ρ would make it short. Returns false if the correction is as long as the step.
 */
export function curveStep(h: HelixBody, w: Workspace, hold: Hold, part: number): boolean {
  const { jacobian, response, gap, rows } = hold;
  const { step, trial } = w;
  const n = trial.length;
  measureGap(h, hold);
  const force = gap.slice();
  poseRod(h, h.q);
  respondHold(h, w, hold);
  measureGap(h, hold);
  for (let r = 0; r < rows; r++) {
    linear[r] = gap[r];
    for (let d = 0; d < n; d++) linear[r] += part * jacobian[r * n + d] * step[d];
    force[r] -= linear[r];
  }
  solveDense(hold.factor, rows, force);
  let size = 0;
  let change = 0;
  for (let d = 0; d < n; d++) {
    let sum = 0;
    for (let r = 0; r < rows; r++) sum += force[r] * response[r * n + d];
    trial[d] -= sum;
    size += h.stiffness[d] * part * part * step[d] * step[d];
    change += h.stiffness[d] * sum * sum;
  }
  poseRod(h, trial);
  return change < size;
}
