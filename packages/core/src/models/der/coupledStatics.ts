/**
 * Equilibria of rods with bodies: Newton on the whole system, and where it does not get through, steps of descent with
 * fictitious inertia that fades.
 */
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import { beginStep, cancelStep, setBodyStage, syncPose } from './body.ts';
import { countNegativePivots, type System, solveSystem } from './coupling.ts';
import { evaluatePins, placePinned, poseSamples } from './kinematics.ts';
import type { NewtonResult } from './newton.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';

function begin(system: System, starts: readonly Snapshot[], t: number): void {
  system.members.forEach(({ der, work }, m) => {
    evaluatePins(der, t);
    placePinned(der, der.q, undefined);
    takeSnapshot(starts[m], der);
    work.qHat.set(der.q);
    work.qRate.set(der.q);
  });
  for (const body of system.bodies) {
    beginStep(body);
    setBodyStage(body, (k, start) => [start.position[k], start.position[k], 0, 0]);
  }
}

function back(system: System, starts: readonly Snapshot[], t: number): void {
  for (const body of system.bodies) cancelStep(body);
  system.members.forEach(({ der, work }, m) => {
    returnToSnapshot(der, starts[m], work, t);
  });
}

export function settleSystem(
  system: System,
  starts: readonly Snapshot[],
  rod: string,
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport {
  const attempt = (inertia: number, tolerance: number, iterations: number): NewtonResult => {
    begin(system, starts, t);
    const newton = { ...solveSystem(system, { t, inertia, rate: 0 }, { tolerance, iterations, rotation: 0.5 }) };
    if (!newton.converged) back(system, starts, t);
    return newton;
  };
  let newton = attempt(0, options.tolerance, 100);
  let iterations = newton.iterations;
  // a typical frequency of the stiffest motion sets where the fictitious inertia begins
  let inertia = Math.max(
    ...system.members.map(({ der }) =>
      Math.max(...der.stiffnessScale.map((k, d) => (der.mass[d] > 0 ? k / der.mass[d] : 0))),
    ),
  );
  for (let round = 0; !newton.converged && round < 200; round++) {
    const step = attempt(inertia, 1e-6, 40);
    iterations += step.iterations;
    inertia *= step.converged ? 0.25 : 16;
    if (step.converged && round % 8 === 7) {
      newton = attempt(0, options.tolerance, 100);
      iterations += newton.iterations;
    }
  }
  for (const body of system.bodies) {
    body.velocity.fill(0);
    body.momentum.fill(0);
    body.force.fill(0);
    body.torque.fill(0);
    syncPose(body);
  }
  for (const { der } of system.members) {
    der.v.fill(0);
    der.acceleration.fill(0);
    der.history.fill(0);
    poseSamples(der);
  }
  const follows = system.members.some(({ der }) => der.drive.sources.some((source) => source.dependsOnState));
  const negativeModes = newton.converged && !follows ? countNegativePivots(system, t) : -1;
  return {
    rod,
    converged: newton.converged,
    iterations,
    residual: newton.residual,
    tolerance: newton.tolerance,
    negativeModes,
    stable: negativeModes === 0,
    // NOTE: how loads change with the rods is not in this matrix: with such loads there is no verdict
    criterion: follows || !newton.converged ? 'none' : 'energy',
    saddlesLeft: 0,
    ...(newton.converged ? {} : { reason: newton.reason }),
  };
}
