/**
 * Rods and the bodies they are welded to, as one system: poses, forces at the start of a step, and the choice of the solver. A system without bodies is a
 * single rod, or two that a kernel solves at once; weldedNewton.ts solves systems with bodies.
 */

import type { NewtonResult } from '../../statics/search.ts';
import { dependsOnState } from '../loadJacobian.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import { evaluateBody, writeBodyLoad } from './body.ts';
import { writeHeldTorque } from './held.ts';
import { canPair } from './kernel.ts';
import { evaluatePins, followCenterline, placePinned } from './kinematics.ts';
import { solveStage } from './newton.ts';
import { evaluateLoads, evaluateResidual, type Stage } from './stage.ts';
import { measureLevers, type System } from './welds.ts';

export type { System } from './welds.ts';

/**
 * Poses of all bodies at the stage, then pins, frames, rates and loads of all rods. Returns false if a rod cannot be in that state. Dead loads are
 * evaluated only for a new stage.
 */
export function poseSystem(system: System, stage: Stage, fresh = true): boolean {
  for (const body of system.bodies) evaluateBody(body, stage.t, stage.inertia, stage.rate);
  for (const member of system.members) {
    const { der, work } = member;
    evaluatePins(der, stage.t);
    placePinned(der, der.q, der.v);
    if (!followCenterline(der, work.edgeWork)) return false;
    for (let d = 0; d < der.size; d++)
      if (!der.fixed[d] || stage.rate === 0) der.v[d] = stage.rate * (der.q[d] - work.qRate[d]);
    if (fresh || dependsOnState(der.drive)) evaluateLoads(der, stage.t);
    measureLevers(member, system.bodies);
  }
  return true;
}

/** Force and torque on every body at the current state, for the first trapezoidal stage. */
export function initializeForces(system: System, t: number): void {
  for (const body of system.bodies) writeBodyLoad(body, t);
  for (const member of system.members) {
    // q̂ = q: no inertia in the residual, all else is
    member.work.qHat.set(member.der.q);
    evaluateResidual(member.der, member.work, { t, inertia: 1, rate: 1 });
    measureLevers(member, system.bodies);
  }
  addWeldResiduals(system, 1);
  for (const { body, residual, force, torque } of system.bodies) {
    for (let k = 0; k < 3; k++) {
      force[k] = body.free[k] ? -residual[k] : 0;
      torque[k] = body.free[3 + k] ? -residual[3 + k] : 0;
    }
  }
}

/** Force and torque on the bodies from the gradients at their welded nodes and held frames, in a stage of that rate. */
export function addWeldResiduals(system: System, rate: number): void {
  for (const { der, work, ties, heldTorque } of system.members) {
    if (ties.length === 0) continue;
    writeHeldTorque(heldTorque, der, rate > 0 ? der.v : undefined);
    for (const { body, node, held, lever: a } of ties) {
      const out = system.bodies[body].residual;
      const g = work.residual;
      const o = 4 * node;
      for (let k = 0; k < 3; k++) {
        const i = (k + 1) % 3;
        const j = (k + 2) % 3;
        out[k] += g[o + k];
        out[3 + k] += a[i] * g[o + j] - a[j] * g[o + i] + (held >= 0 ? heldTorque[3 * held + k] : 0);
      }
    }
  }
}

/** Rods without bodies: one, or two at once if a kernel can solve them. */
function solveLone({ members, pair }: System, stage: Stage, options: NewtonOptions): NewtonResult {
  const [first, second] = members;
  if (second === undefined) return solveStage(first.der, first.work, stage, options);
  if (pair && canPair(first, second)) return pair(stage, options);
  const one = { ...solveStage(first.der, first.work, stage, options) };
  if (!one.converged) return one;
  const other = solveStage(second.der, second.work, stage, options);
  other.iterations = Math.max(one.iterations, other.iterations);
  other.shifts += one.shifts;
  return other;
}

/** Solves one stage of a system, see `solveMixed`. */
export function solveSystem(system: System, stage: Stage, options: NewtonOptions): NewtonResult {
  return system.solveWelded?.(system, stage, options) ?? solveLone(system, stage, options);
}
