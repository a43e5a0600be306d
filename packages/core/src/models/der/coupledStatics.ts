/**
 * Equilibria of rods with bodies: Newton on the whole system; if it fails, descent with a decreasing fictitious inertia. An unstable equilibrium is left
 * along its softest direction, as for a single rod.
 */
import { pow } from '../../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import { type NewtonResult, raiseLoads, seekStable, type Verdict } from '../../statics/search.ts';
import { beginStep, cancelStep, moveBody, setBodyStage, syncPose } from './body.ts';
import { hasFollowers } from './coupledFollow.ts';
import { findSystemSoftDirection } from './coupledModal.ts';
import { type System, solveSystem } from './coupling.ts';
import { evaluatePins, followCenterline, placePinned, poseSamples } from './kinematics.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { countNegativePivots } from './weldedNewton.ts';

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
  const attempt = (inertia: number, tolerance: number, iterations: number, unshift = false): NewtonResult => {
    begin(system, starts, t);
    const newton = {
      ...solveSystem(system, { t, inertia, rate: 0 }, { tolerance, iterations, rotation: 0.5, unshift }),
    };
    if (!newton.converged) back(system, starts, t);
    return newton;
  };
  let iterations = 0;
  // a typical frequency of the stiffest motion sets the initial fictitious inertia
  const stiffest = Math.max(
    ...system.members.map(({ der }) =>
      Math.max(...der.stiffnessScale.map((k, d) => (der.mass[d] > 0 ? k / der.mass[d] : 0))),
    ),
  );
  // and of the slowest motion, bending of a rod under all masses, that of the descent from a saddle
  const mass = system.bodies.reduce((sum, body) => sum + body.mass, 0);
  const softest = Math.max(
    ...system.members.map(({ der }) => {
      const own = der.mass.reduce((sum, m, d) => sum + ((d & 3) === 3 ? 0 : m / 3), 0);
      return (
        (30 * Math.max(...der.softScale.map((k, d) => ((d & 3) === 3 ? 0 : k)))) / pow(der.edgeCount, 3) / (own + mass)
      );
    }),
  );
  const setLoads = (factor: number): void => {
    for (const { der } of system.members) der.loadFactor = factor;
  };
  /** Raises the loads of the rods in increments, as `raiseLoads` for a single rod; a failure leaves the last equilibrium. */
  const raise = (): NewtonResult => {
    let returns = false;
    const raised = raiseLoads(
      {
        setLoads,
        solve: (tolerance, most) => attempt(0, tolerance, most, returns),
        hold() {
          returns = true;
        },
        revert() {},
      },
      options.tolerance,
    );
    iterations += raised.iterations;
    return raised.last;
  };
  const settle = (): NewtonResult => {
    let newton = attempt(0, options.tolerance, 100);
    iterations += newton.iterations;
    // descent needs a potential
    if (!newton.converged && hasFollowers(system)) newton = raise();
    let inertia = stiffest;
    for (let round = 0; !newton.converged && round < 200; round++) {
      const step = attempt(inertia, 1e-6, 40);
      iterations += step.iterations;
      inertia *= step.converged ? 0.25 : 16;
      if (step.converged && round % 8 === 7) {
        newton = attempt(0, options.tolerance, 100);
        iterations += newton.iterations;
      }
    }
    return newton;
  };
  /** Only steps of descent, so that Newton does not return to the previous equilibrium. */
  const descend = (): void => {
    let inertia = softest;
    for (let step = 0, tries = 0; step < 60 && tries < 180; tries++) {
      const newton = attempt(inertia, 1e-6, 40);
      iterations += newton.iterations;
      inertia *= newton.converged ? 0.5 : 16;
      if (newton.converged) step++;
      if (inertia < 1e-8 * softest) break;
    }
  };
  const report = seekStable(
    {
      settle() {
        iterations = 0;
        return { ...settle(), iterations };
      },
      judge: () => judge(system, t),
      leave(round) {
        iterations = 0;
        // close to a critical load the way back is short
        nudge(system, starts, t, 0.02 * round);
        descend();
        return iterations;
      },
    },
    rod,
    options,
  );
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
  return report;
}

/** Number of negative pivots of the whole; no verdict if loads have no potential, because there is no energy then. */
function judge(system: System, t: number): Verdict {
  const negativeModes = countNegativePivots(system, t);
  const follows = system.members.some(({ work }) => work.loadJacobian.asymmetry > 1e-4);
  return negativeModes < 0 || follows
    ? { negativeModes: -1, criterion: 'none' }
    : { negativeModes, criterion: 'energy' };
}

/** Moves the system along its softest direction, by `amplitude` of its longest rod or until some edge or body turns by 0.3 rad. */
function nudge(system: System, starts: readonly Snapshot[], t: number, amplitude: number): void {
  begin(system, starts, t);
  const direction = findSystemSoftDirection(system, t);
  back(system, starts, t);
  let turn = 1e-300;
  let move = 1e-300;
  let length = 0;
  system.members.forEach(({ der }, m) => {
    const x = direction.rods[m];
    length = Math.max(length, der.rod.length);
    for (let d = 0; d < der.size; d++) if ((d & 3) !== 3) move = Math.max(move, Math.abs(x[d]));
    for (let j = 0; j < der.edgeCount; j++) {
      const b = j + 1 < der.nodeCount ? 4 * j + 4 : 0;
      turn = Math.max(turn, Math.abs(x[4 * j + 3]));
      for (let k = 0; k < 3; k++) turn = Math.max(turn, Math.abs(x[b + k] - x[4 * j + k]) / der.edgeLength[j]);
    }
  });
  for (let i = 0; i < direction.bodies.length; i++)
    if (i % 6 >= 3) turn = Math.max(turn, Math.abs(direction.bodies[i]));
  const scale = Math.min((amplitude * length) / move, 0.3 / turn);
  system.bodies.forEach((body, b) => {
    moveBody(body, direction.bodies, 6 * b, scale);
    syncPose(body);
  });
  system.members.forEach(({ der, work }, m) => {
    for (let d = 0; d < der.size; d++) if (!der.fixed[d]) der.q[d] += scale * direction.rods[m][d];
    evaluatePins(der, t);
    placePinned(der, der.q, undefined);
    followCenterline(der, work.edgeWork);
  });
}
