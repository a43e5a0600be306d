/**
 * Equilibria: the mixed Newton method of the steps, without inertia. If it fails, loads are raised in increments; if that fails,
 * steps of steepest descent (each a well-posed minimisation of E + c|x − x₀|²/2) follow until Newton converges. The stability
 * verdict is the number of negative pivots of the tangent stiffness; an unstable equilibrium is left along its softest direction.
 */

import {
  createSymmetricFactor,
  factorSymmetric,
  type SymmetricFactor,
  solveSymmetric,
} from '../../linalg/blockSymmetric.ts';
import { solveBlocks } from '../../linalg/blockTridiagonal.ts';
import { hypotOf, pow, sin, square } from '../../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import { descendBySteps } from '../../statics/descent.ts';
import {
  descendInRounds,
  type NewtonResult,
  noVerdict,
  raiseLoads,
  type Settled,
  seekStable,
  unsolved,
  type Verdict,
} from '../../statics/search.ts';
import { largestTurn, predictTension, type TensionMode } from './elements.ts';
import { measureDeformation } from './energy.ts';
import { constrainHeld, constrainRight, freeHeld, imposeHeld, returnHeld } from './held.ts';
import { poseSamples } from './kinematics.ts';
import { bringPins } from './pinMotion.ts';
import { type FiberRod, updateStiffness } from './rod.ts';
import { edgeStiffness } from './scaffold.ts';
import { assembleTangent, createLoadJacobian, type FiberLoadJacobian, measureLoadJacobian } from './tangent.ts';
import { explainSoftTwist } from './twist.ts';
import type { Workspace } from './workspace.ts';

export interface StaticWork {
  readonly factor: SymmetricFactor;
  readonly jacobian: FiberLoadJacobian;
  readonly from: Float64Array;
  readonly entry: Float64Array;
  /** Weight of every unknown in shifts: the softer bending stiffness of its node, EI/l³ [N/m]. */
  readonly weight: Float64Array;
}

export function createStaticWork(fiber: FiberRod): StaticWork {
  const { size, ringCount, edgeCount, rod } = fiber;
  const weight = new Float64Array(size);
  for (let i = 0; i < ringCount; i++) {
    let soft = Infinity;
    for (const j of [i - 1, i]) {
      if (j < 0 || j >= edgeCount) continue;
      const EI = Math.min(edgeStiffness(rod.halfEI1, j), edgeStiffness(rod.halfEI2, j));
      soft = Math.min(soft, EI / pow(rod.edgeLengthRest[j], 3));
    }
    weight.fill(0.25 * soft, 12 * i, 12 * i + 12);
  }
  return {
    factor: createSymmetricFactor(ringCount),
    jacobian: createLoadJacobian(fiber),
    from: new Float64Array(size),
    entry: new Float64Array(size),
    weight,
  };
}

/** Sum of the magnitudes of the loads, and the error of the stiffest spring's force by rounding of positions [N]. */
export function forceScale(fiber: FiberRod): { loads: number; floor: number } {
  const { rod, edgeCount, loads, longStiffness, ringStiffness, shearStiffness, loadFactor } = fiber;
  let stiff = 0;
  for (let j = 0; j < edgeCount; j++)
    stiff = Math.max(stiff, longStiffness[j], ringStiffness[j], shearStiffness[2 * j], shearStiffness[2 * j + 1]);
  let sum = 0;
  for (const force of loads.nodeForce) sum += Math.abs(force);
  for (const torque of loads.edgeTorque) sum += Math.abs(torque) / rod.length;
  let far = rod.length;
  for (const x of fiber.samples.nodePosition) far = Math.max(far, Math.abs(x));
  return { loads: sum * loadFactor, floor: 8 * Number.EPSILON * stiff * far };
}

/** Largest turn in a full Newton step [rad] after which the step counts as the last: what remains is of second order. */
export const LAST_TURN = 1e-7;

/** Sum of all turns and stretches below which a rod without loads is in its natural shape; its end is then off by at most this fraction of the length. */
export const LEAST_DEFORMATION = 1e-8;

/** Largest entry of the residual, and the sum of all: the error of the pins' reactions. */
function measureResidual(fiber: FiberRod, residual: Float64Array): { largest: number; sum: number } {
  let largest = 0;
  const sum = [0, 0, 0];
  for (let d = 0; d < fiber.size; d++) {
    largest = Math.max(largest, Math.abs(residual[d]));
    sum[d % 3] += residual[d];
  }
  return { largest, sum: hypotOf(sum) };
}

/** Residual and constrained matrix at q; `inertia` c keeps the rod near `from` (descent). */
function prepare(
  fiber: FiberRod,
  work: Workspace,
  statics: StaticWork,
  t: number,
  mode: TensionMode,
  inertia: number,
): boolean {
  const { q, size } = fiber;
  const { matrix, residual } = work;
  const { weight, from, jacobian } = statics;
  if (!assembleTangent(fiber, work, t, mode, jacobian, 'whole')) return false;
  if (inertia > 0) {
    for (let d = 0; d < size; d++) {
      residual[d] -= inertia * weight[d] * (q[d] - from[d]);
      matrix.diagonal[144 * ((d / 12) | 0) + 13 * (d % 12)] += inertia * weight[d];
    }
  }
  if (inertia === 0) holdSpin(fiber, matrix.diagonal);
  constrainHeld(fiber, matrix, residual);
  return true;
}

/** Stiffness of `holdSpin` relative to the softest twist of a free rod: Newton's method loses this share of its speed there. */
const SPIN = 0.1;

/**
 * A rod whose pins hold no frame may spin about its centreline without effort. Rounding then makes a full Newton step spin it by radians, which hides the
 * rest of the step. So rings resist the spin of a step, not that of the solution: the residual does not change.
 */
function holdSpin({ pins, poses, q, rod, ringCount, edgeCount }: FiberRod, diagonal: Float64Array): void {
  if (pins.length === 0 || pins.some(({ orientation }, p) => orientation === 'frame' && poses[p].active)) return;
  let soft = Infinity;
  for (let j = 0; j < edgeCount; j++) soft = Math.min(soft, edgeStiffness(rod.halfGJ, j));
  const stiffness = (SPIN * soft * square(Math.PI / rod.length) * rod.length) / ringCount;
  const center = (i: number, k: number): number =>
    0.25 * (q[12 * i + k] + q[12 * i + 3 + k] + q[12 * i + 6 + k] + q[12 * i + 9 + k]);
  const spin = new Float64Array(12);
  for (let i = 0; i < ringCount; i++) {
    const [a, b] = [Math.max(0, i - 1), Math.min(ringCount - 1, i + 1)];
    const along = [0, 1, 2].map((k) => center(b, k) - center(a, k));
    const length = hypotOf(along);
    const place = [0, 1, 2].map((k) => center(i, k));
    for (let d = 0; d < 12; d++) {
      const [m, n] = [(d + 1) % 3, (d + 2) % 3];
      const o = 12 * i + d - (d % 3);
      spin[d] = (along[m] * (q[o + n] - place[n]) - along[n] * (q[o + m] - place[m])) / length;
    }
    const size = spin.reduce((sum, x) => sum + x * x, 0);
    // a turn by θ moves particles by θ z: the force k θ z / |z|² has the torque k θ
    for (let d = 0; d < 12; d++)
      for (let e = 0; e < 12; e++) diagonal[144 * i + 12 * d + e] += (stiffness * spin[d] * spin[e]) / (size * size);
  }
}

interface RestNewtonOptions {
  readonly tolerance: number;
  readonly iterations: number;
  /** Fictitious inertia of a descent, which keeps the rod near where it was; default 0. */
  readonly inertia?: number;
}

/**
 * Newton's method from q. Far from the solution, while the matrix is not positive definite, compressed springs lose their geometric
 * stiffness: without this a long rod under sudden load takes ten times the iterations, or more.
 *
 * It has converged when the residual is small compared with the loads, or when a full step turns no spring by more than rounding: the residual is
 * compared with the loads that act and a position with the next Newton correction, never with a fixed force.
 */
export function newton(
  fiber: FiberRod,
  work: Workspace,
  statics: StaticWork,
  t: number,
  { tolerance, iterations, inertia = 0 }: RestNewtonOptions,
): NewtonResult {
  const { q, size } = fiber;
  const { elements, matrix, residual } = work;
  const out: NewtonResult = { ...unsolved, residual: Infinity };
  elements.edgeChi.fill(0);
  elements.ringChi.fill(0);
  let [turn, smallSteps] = [0, 0];
  for (let k = 0; k <= iterations; k++) {
    if (fiber.loadsDependOnState) measureLoadJacobian(statics.jacobian, fiber, t);
    if (!prepare(fiber, work, statics, t, k === 0 ? 'exact' : 'given', inertia)) {
      out.reason = 'a spring has lost its length';
      return out;
    }
    if (k === 0) elements.tau.set(elements.tension);
    const { loads, floor } = forceScale(fiber);
    const { largest, sum } = measureResidual(fiber, residual);
    out.residual = largest;
    out.tolerance = tolerance * loads;
    // forces of rounding grow with n³ and hide a strain of the whole rod: its shape decides
    const isUnstrained = loads === 0 && largest <= floor && measureDeformation(fiber) <= LEAST_DEFORMATION;
    // a small step is the last, unless it is large compared with the deformation, as at the start or under rounding
    const isLast = smallSteps > 0 && (loads === 0 || (turn <= 1e-2 * measureDeformation(fiber) && sum <= 1e-2 * loads));
    if (largest <= out.tolerance || isUnstrained || isLast) {
      out.tolerance = Math.max(out.tolerance, largest);
      out.converged = true;
      return out;
    }
    if (smallSteps >= 4) {
      out.final = true;
      out.reason =
        'the loads deform the rod by less than the rounding of its positions, or are smaller than the spring forces that this rounding causes';
      return out;
    }
    if (k === iterations || !(out.residual < Infinity)) break;
    if (turn > 0.1 && !factorSymmetric(statics.factor, matrix, 0, statics.weight, 'stop-at-negative'))
      prepare(fiber, work, statics, t, 'pulling', inertia);
    if (solveBlocks(matrix, residual) === 0) {
      out.reason = 'the matrix is singular';
      return out;
    }
    out.iterations++;
    returnHeld(fiber, residual);
    turn = largestTurn(fiber, elements, residual);
    if (!(turn < Infinity)) break;
    smallSteps = turn <= LAST_TURN ? smallSteps + 1 : 0;
    const s = turn > 0.5 ? 0.5 / turn : 1;
    predictTension(fiber, elements, residual, s, 1);
    for (let d = 0; d < size; d++) q[d] += s * residual[d];
  }
  out.reason = `Newton's method did not converge in ${iterations} iterations`;
  return out;
}

/** At most `count` steps of descent. */
export function descend(fiber: FiberRod, work: Workspace, statics: StaticWork, t: number, count: number): number {
  return descendBySteps(
    {
      hold: () => statics.from.set(fiber.q),
      solve(inertia) {
        const { converged, iterations } = newton(fiber, work, statics, t, { tolerance: 1e-6, iterations: 20, inertia });
        return { converged: converged && isMinimum(fiber, work, statics, t, inertia), iterations };
      },
      revert: () => fiber.q.set(statics.from),
    },
    count,
    { first: 1, least: 1e-12, most: 1e10 },
  );
}

/** True if the step of descent ended at a minimum of E + c|x − x₀|²/2, not at a saddle. */
function isMinimum(fiber: FiberRod, work: Workspace, statics: StaticWork, t: number, inertia: number): boolean {
  if (!assembleTangent(fiber, work, t, 'exact', statics.jacobian, 'symmetric')) return false;
  constrainHeld(fiber, work.matrix, undefined);
  return factorSymmetric(statics.factor, work.matrix, inertia, statics.weight, 'stop-at-negative');
}

/** Eigenvalues below this, relative to `StaticWork.weight`, count as zero: the softest bending mode has about 100/n⁴ of the weight. */
export function zeroModeShift({ edgeCount }: FiberRod): number {
  return 1e-4 / pow(edgeCount, 4);
}

/**
 * Conservative loads: negative eigenvalues of the tangent stiffness; rigid motions and free spins, which have none, do not count.
 * Loads without a potential leave an unsymmetric matrix, whose determinant changes its sign where the equilibrium is lost.
 */
export function judgeStability(fiber: FiberRod, work: Workspace, statics: StaticWork, t: number): Verdict {
  measureLoadJacobian(statics.jacobian, fiber, t);
  const skew = statics.jacobian.asymmetry > 1e-4;
  if (!assembleTangent(fiber, work, t, 'exact', statics.jacobian, skew ? 'whole' : 'symmetric')) return noVerdict;
  constrainHeld(fiber, work.matrix, undefined);
  if (skew) {
    const sign = solveBlocks(work.matrix, work.residual.fill(0));
    return { negativeModes: sign > 0 ? 0 : 1, criterion: 'divergence' };
  }
  const shift = zeroModeShift(fiber);
  if (!factorSymmetric(statics.factor, work.matrix, shift, statics.weight, 'count-negative')) return noVerdict;
  return { negativeModes: statics.factor.negative, criterion: 'energy' };
}

/** Moves along the softest direction, by `amplitude` of the length or until something turns by 0.3 rad. */
export function nudge(fiber: FiberRod, work: Workspace, statics: StaticWork, t: number, amplitude: number): void {
  const { size, q, rod } = fiber;
  const { factor, weight } = statics;
  if (!assembleTangent(fiber, work, t, 'exact', statics.jacobian, 'symmetric')) return;
  constrainHeld(fiber, work.matrix, undefined);
  let shift = 1e-7;
  while (!factorSymmetric(factor, work.matrix, shift, weight, 'stop-at-negative') && shift < 1e12) shift *= 1.5;
  const x = new Float64Array(size).map((_, d) => sin(1 + 0.7 * ((d / 12) | 0) + (d % 3)));
  for (let k = 0; k < 60; k++) {
    for (let d = 0; d < size; d++) x[d] *= weight[d];
    constrainRight(fiber, x);
    solveSymmetric(factor, x);
    returnHeld(fiber, x);
    const norm = x.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-300);
    for (let d = 0; d < size; d++) x[d] /= norm;
  }
  freeHeld(fiber, x);
  const turn = largestTurn(fiber, work.elements, x);
  const scale = Math.min(amplitude * rod.length, 0.3 / Math.max(turn, 1e-300));
  for (let d = 0; d < size; d++) q[d] += scale * x[d];
}

/** Raises the loads in increments, from the current state. */
function raise(
  fiber: FiberRod,
  tolerance: number,
  solve: (tolerance: number) => NewtonResult,
): ReturnType<typeof raiseLoads<NewtonResult>> {
  const kept = fiber.q.slice();
  return raiseLoads(
    {
      setLoads(share) {
        fiber.loadFactor = share;
      },
      solve,
      hold: () => kept.set(fiber.q),
      revert: () => fiber.q.set(kept),
    },
    tolerance,
  );
}

function settle(
  fiber: FiberRod,
  work: Workspace,
  statics: StaticWork,
  t: number,
  tolerance: number,
  from: 'saddle' | 'start',
): Settled {
  const { entry } = statics;
  entry.set(fiber.q);
  let result = newton(fiber, work, statics, t, { tolerance, iterations: 40 });
  let iterations = result.iterations;
  if (!result.converged && !result.final && from === 'start') {
    fiber.q.set(entry);
    const raised = raise(fiber, tolerance, (precision) =>
      newton(fiber, work, statics, t, { tolerance: precision, iterations: 40 }),
    );
    result = raised.last;
    iterations += raised.iterations;
  }
  const { last, ...more } = descendInRounds(result, {
    nudge: (amplitude) => nudge(fiber, work, statics, t, amplitude),
    descend: (count) => descend(fiber, work, statics, t, count),
    newton: () => newton(fiber, work, statics, t, { tolerance, iterations: 60 }),
    hold: () => entry.set(fiber.q),
    revert: () => fiber.q.set(entry),
  });
  if (!last.converged) fiber.q.set(entry);
  return { ...last, iterations: iterations + more.iterations, descended: last !== result };
}

const staticWorks = new WeakMap<FiberRod, StaticWork>();
export function staticWorkOf(fiber: FiberRod): StaticWork {
  let statics = staticWorks.get(fiber);
  if (!statics) {
    statics = createStaticWork(fiber);
    staticWorks.set(fiber, statics);
  }
  return statics;
}

/** Rejects an equilibrium of the network whose cuboids are twisted too far: it is not one of the rod. */
function refuseTwist(fiber: FiberRod, result: Settled): Settled {
  const reason = result.converged ? explainSoftTwist(fiber, fiber.q) : '';
  return reason === '' ? result : { ...result, converged: false, reason };
}

export function findEquilibrium(
  fiber: FiberRod,
  work: Workspace,
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport {
  const statics = staticWorkOf(fiber);
  updateStiffness(fiber, t);
  const brought = bringPins(fiber, work, statics, t);
  imposeHeld(fiber, fiber.q);
  const report = seekStable(
    {
      settle(from) {
        const result = settle(fiber, work, statics, t, options.tolerance, from);
        if (from === 'saddle') return refuseTwist(fiber, result);
        const { overtwist } = brought;
        const first = overtwist !== '' ? { ...result, converged: false, reason: overtwist } : result;
        return { ...refuseTwist(fiber, first), iterations: brought.iterations + result.iterations };
      },
      judge: () => judgeStability(fiber, work, statics, t),
      leave(round) {
        nudge(fiber, work, statics, t, 0.02 * round);
        return descend(fiber, work, statics, t, 60);
      },
    },
    fiber.rod.id,
    options,
  );
  fiber.v.fill(0);
  poseSamples(fiber, fiber.q, fiber.v);
  return report;
}
