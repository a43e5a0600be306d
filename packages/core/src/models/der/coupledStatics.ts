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

/** Search for an equilibrium of a system. */
interface Search {
  readonly system: System;
  /** Work space: the state at the start of an attempt. */
  readonly starts: readonly Snapshot[];
  readonly t: number;
  readonly tolerance: number;
  /** Iterations since the counter was last reset. */
  iterations: number;
  /** True if the last search used descent. */
  descended: boolean;
}

/** Finds an equilibrium of rods joined by bodies; `rod` is the name for the report. */
export function findSystemEquilibrium(
  system: System,
  starts: readonly Snapshot[],
  rod: string,
  at: { readonly t: number; readonly options: EquilibriumOptions },
): EquilibriumReport {
  const { t, options } = at;
  const search: Search = { system, starts, t, tolerance: options.tolerance, iterations: 0, descended: false };
  const softest = estimateSoftest(system);
  for (const { der } of system.members) der.material?.beginRest();
  const report = seekStable(
    {
      settle() {
        search.iterations = 0;
        search.descended = false;
        const newton = solveEquilibrium(search);
        return { ...newton, iterations: search.iterations, descended: search.descended };
      },
      judge: () => judge(system, t),
      leave(round) {
        search.iterations = 0;
        // close to a critical load the rod easily falls back
        nudge(system, starts, t, 0.02 * round);
        descend(search, softest);
        return search.iterations;
      },
    },
    rod,
    options,
  );
  stopMotion(system);
  for (const { der } of system.members) der.material?.endRest(report.converged);
  return report;
}

/** One Newton solve, with fictitious inertia [1/s²]; if it fails, the system is as before. */
function attempt(
  search: Search,
  inertia: number,
  limits: { readonly tolerance: number; readonly iterations: number; readonly unshift?: boolean },
): NewtonResult {
  const { system, starts, t } = search;
  const { tolerance, iterations, unshift = false } = limits;
  begin(system, starts, t);
  const newton = {
    ...solveSystem(system, { t, inertia, rate: 0 }, { tolerance, iterations, rotation: 0.5, unshift }),
  };
  if (!newton.converged) back(system, starts, t);
  search.iterations += newton.iterations;
  return newton;
}

/** A typical frequency² of the stiffest motion [1/s²]: the initial fictitious inertia. */
function estimateStiffest({ members }: System): number {
  return Math.max(
    ...members.map(({ der }) => Math.max(...der.stiffnessScale.map((k, d) => (der.mass[d] > 0 ? k / der.mass[d] : 0)))),
  );
}

/** A typical frequency² of the slowest motion, bending of a rod under all masses [1/s²]: the fictitious inertia of a descent from a saddle. */
function estimateSoftest({ members, bodies }: System): number {
  const mass = bodies.reduce((sum, body) => sum + body.mass, 0);
  return Math.max(
    ...members.map(({ der }) => {
      const own = der.mass.reduce((sum, m, d) => sum + ((d & 3) === 3 ? 0 : m / 3), 0);
      return (
        (30 * Math.max(...der.softScale.map((k, d) => ((d & 3) === 3 ? 0 : k)))) / pow(der.edgeCount, 3) / (own + mass)
      );
    }),
  );
}

/** Newton's method; if it fails, loads raised in increments, then steps with less and less fictitious inertia. */
function solveEquilibrium(search: Search): NewtonResult {
  const { tolerance } = search;
  let newton = attempt(search, 0, { tolerance, iterations: 100 });
  // descent needs a potential
  if (!newton.converged && hasFollowers(search.system)) newton = raise(search);
  let inertia = newton.converged ? 0 : estimateStiffest(search.system);
  search.descended = !newton.converged;
  for (let round = 0; !newton.converged && round < 200; round++) {
    const step = attempt(search, inertia, { tolerance: 1e-6, iterations: 40 });
    inertia *= step.converged ? 0.25 : 16;
    if (step.converged && round % 8 === 7) newton = attempt(search, 0, { tolerance, iterations: 100 });
  }
  return newton;
}

/** Raises the loads of the rods in increments, as `raiseLoads` for a single rod; a failure leaves the last equilibrium. */
function raise(search: Search): NewtonResult {
  const before = search.iterations;
  let returns = false;
  const raised = raiseLoads(
    {
      setLoads(factor) {
        for (const { der } of search.system.members) der.loadFactor = factor;
      },
      solve: (tolerance, iterations) => attempt(search, 0, { tolerance, iterations, unshift: returns }),
      hold() {
        returns = true;
      },
      revert() {},
    },
    search.tolerance,
  );
  search.iterations = before + raised.iterations;
  return raised.last;
}

/** Only steps of descent, so that Newton does not return to the previous equilibrium. */
function descend(search: Search, softest: number): void {
  let inertia = softest;
  for (let step = 0, tries = 0; step < 60 && tries < 180; tries++) {
    const newton = attempt(search, inertia, { tolerance: 1e-6, iterations: 40 });
    inertia *= newton.converged ? 0.5 : 16;
    if (newton.converged) step++;
    if (inertia < 1e-8 * softest) break;
  }
}

/** Stops bodies and rods at their current positions. */
function stopMotion({ bodies, members }: System): void {
  for (const body of bodies) {
    body.velocity.fill(0);
    body.momentum.fill(0);
    body.force.fill(0);
    body.torque.fill(0);
    syncPose(body);
  }
  for (const { der } of members) {
    der.v.fill(0);
    der.acceleration.fill(0);
    der.history.fill(0);
    poseSamples(der);
  }
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
