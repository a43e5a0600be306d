/**
 * `deti-r`: the two-step form of deti with the tangent of the moment and a rational filter in place of the exponential one,
 *
 *     x_{n+1} = x_n + q²(x_n − x_{n−1}) + dx,     (M/β + H/(1 + q)²) dx = all forces,     q = e^(−αh/2), β = W(0)
 *
 * One solve per step. The modulus of every underdamped mode is exactly q, equilibria and terminal velocity are exact, and the scheme rotates with the
 * fiber. It needs damping. A step that would raise the energy by more than the loads put in is taken by the energy–momentum method instead.
 * Velocities of the state are (3d − d')/2h of the last two displacements, of second order; the recursion does not use them.
 * Limits and measurements: docs/notes/fiber.md#deti-and-deti-r.
 */

import { clearBlocks, solveBlocks } from '../../linalg/blockTridiagonal.ts';
import { exp, expm1, square } from '../../math/rounded/index.ts';
import { lengthLike } from '../../math/substeps.ts';
import { addElements } from './elements.ts';
import { kineticEnergy, measureElastic } from './energy.ts';
import { constrainHeld, copyHeld, evaluateHeld, imposeHeld, returnHeld } from './held.ts';
import { addLoadForce, gatherLoads, poseSamples } from './kinematics.ts';
import type { FiberRod } from './rod.ts';
import { updateStiffness } from './rod.ts';
import { addMassMatrix, type NewtonOptions, stepImplicit } from './step.ts';
import type { Workspace } from './workspace.ts';

/** Kinetic energy of displacements d in a step h, or of velocities with h = 1, and energy of the springs [J]. */
function mechanicalEnergy(fiber: FiberRod, work: Workspace, d: Float64Array, h: number): number {
  const elastic = measureElastic(fiber, fiber.q);
  return kineticEnergy(fiber, d, work.image) / (h * h) + elastic.bending + elastic.twisting + elastic.stretching;
}

/** q², β; the displacement per initial velocity, and that of a constant unit force from rest, in the first step. */
function coefficientsOf(alpha: number, h: number) {
  const z = alpha * h;
  const decay2 = exp(-z);
  return {
    decay2,
    beta: z < 1e-12 ? h * h : (-h * h * expm1(-z)) / z,
    kick: z < 1e-12 ? h : -expm1(-z) / alpha,
    start: z < 1e-3 ? 0.5 * h * h * (1 - z / 3) : (h * h * (decay2 - 1 + z)) / (z * z),
  };
}

/**
 * Steps the fiber; by the energy–momentum method if the step of deti-r fails or creates energy. Memory: the length of the step before (0: none), then
 * the last displacement, 12 per ring.
 */
export function stepDetiR(fiber: FiberRod, work: Workspace, t: number, dt: number, options: NewtonOptions): boolean {
  const { q, v, memory } = fiber;
  const { startQ, startV } = work;
  work.iterations = 1;
  work.iterationsMax = 1;
  startQ.set(q);
  startV.set(v);
  if (takeFilteredStep(fiber, work, t, dt)) return true;
  q.set(startQ);
  v.set(startV);
  const taken = stepImplicit(fiber, work, 'energy-momentum', t, dt, options);
  if (taken) memory[0] = 0;
  return taken;
}

/** One step of deti-r; returns false if the matrix is singular, a position is not finite, or the step creates energy. */
function takeFilteredStep(fiber: FiberRod, work: Workspace, t: number, dt: number): boolean {
  const { q, v, memory, size, ringDamping } = fiber;
  const { startQ, middle, residual: dx, rate: load } = work;
  const last = memory.subarray(1, 1 + size);
  const h = lengthLike(memory[0], dt);
  const fresh = memory[0] !== h;
  const before = fresh ? mechanicalEnergy(fiber, work, v, 1) : mechanicalEnergy(fiber, work, last, h);
  updateStiffness(fiber, t + dt);
  evaluateHeld(fiber, t + dt);
  imposeHeld(fiber, q);
  const { decay2, beta, kick, start } = coefficientsOf(ringDamping[0], h);
  // the kernel gives half the Hessian: everything is multiplied by (1 + q)²/2
  const scale = 0.5 * square(1 + Math.sqrt(decay2));
  if (!solveForIncrement(fiber, work, t, { mass: scale / beta, force: fresh ? (scale * start) / beta : scale }))
    return false;
  for (let d = 0; d < size; d++) middle[d] = dx[d] + (fresh ? kick * v[d] : decay2 * last[d]);
  let isBounded = true;
  for (let d = 0; d < size; d++) {
    q[d] += middle[d];
    isBounded &&= Math.abs(q[d]) < Infinity;
  }
  if (!isBounded) return false;
  imposeHeld(fiber, q);
  let gain = 0;
  for (let d = 0; d < size; d++) {
    middle[d] = q[d] - startQ[d];
    gain += load[d] * middle[d];
    v[d] = fresh ? (2 * middle[d]) / h - v[d] : (1.5 * middle[d] - 0.5 * last[d]) / h;
  }
  const after = mechanicalEnergy(fiber, work, middle, h);
  // tolerance relative to the kinetic energy and to the work of the loads
  const energyScale = kineticEnergy(fiber, middle, work.image) / (h * h) + 1e-3 * (before + Math.abs(gain));
  if (!(after <= before + gain + 1e-2 * energyScale)) return false;
  last.set(middle);
  memory[0] = h;
  for (let d = 0; d < size; d++) middle[d] /= h;
  copyHeld(fiber, v, middle);
  return true;
}

/** Solves (mass·M + tangent) dx = force·(all forces) for dx in `work.residual`; leaves the loads in `work.rate`. Returns false if the matrix is singular. */
function solveForIncrement(
  fiber: FiberRod,
  work: Workspace,
  t: number,
  factors: { readonly mass: number; readonly force: number },
): boolean {
  const { q, v, size } = fiber;
  const { matrix, residual: dx, rate: load } = work;
  clearBlocks(matrix);
  dx.fill(0);
  work.elements.edgeChi.fill(0);
  work.elements.ringChi.fill(0);
  const ok = addElements(fiber, work.elements, { force: dx, matrix: matrix }, { x0: q, y: q }, 'exact-pulling');
  poseSamples(fiber, q, v);
  gatherLoads(fiber, t);
  load.fill(0);
  addLoadForce(load, fiber, q);
  for (let d = 0; d < size; d++) dx[d] += load[d];
  addMassMatrix(fiber, matrix, () => factors.mass);
  for (let d = 0; d < size; d++) dx[d] *= factors.force;
  constrainHeld(fiber, matrix, dx);
  if (!ok || solveBlocks(matrix, dx) === 0) return false;
  returnHeld(fiber, dx);
  return true;
}
