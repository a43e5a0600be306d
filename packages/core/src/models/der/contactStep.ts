/**
 * The implicit Euler step of systems in contact, under given forces at points.
 *
 * With goals (`ContactSides.goal`) the step takes a few Newton iterations with the sides' point masses attached, and may end `unfinished`; once the
 * forces are known, `releasePointMasses` removes the masses.
 */
import type { StepOutcome } from '../../model.ts';
import type { ContactSides, StepRequest } from '../../port.ts';
import type { RodStep } from '../rodStep.ts';
import { copyState } from '../stateParts.ts';
import { syncPose } from './body.ts';
import {
  addBodyForce,
  addPointMasses,
  addSideForce,
  clearContact,
  endOfRod,
  leavesRoom,
  missGoal,
} from './contactSides.ts';
import { evaluatePins, poseSamples, rebuildFrames, restoreFrames } from './kinematics.ts';
import type { PortContext, StepGroup } from './portContext.ts';
import { createSnapshot, returnToSnapshot, takeSnapshot } from './snapshot.ts';
import { resumeEuler, startEuler } from './step.ts';

/** Newton iterations of a step with goals, after which contact recomputes the forces. */
const FEW = 4;

/** Applies the forces at the sides to the rods of the marked systems. */
export function scatterForces(
  { systems, ders, bodies, renew }: PortContext,
  marked: Uint8Array,
  sides: ContactSides,
): void {
  for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
    for (const rod of systems[s].rods) {
      renew(rod);
      clearContact(ders[rod], 'others-follow');
    }
  }
  for (const { body, system } of bodies) if (marked[system]) body.contact.fill(0);
  for (let c = 0; c < sides.count; c++) {
    if (sides.rod[c] >= 0) addSideForce(ders[sides.rod[c]], sides, c);
    else addBodyForce(bodies[-1 - sides.rod[c]].body, sides, c);
  }
}

/** Applies the forces at the sides to all rods, replacing all others, with the bodies at their current poses. */
export function applyForces({ ders, bodies, renew }: PortContext, sides: ContactSides): void {
  const touched = new Uint8Array(ders.length);
  for (let c = 0; c < sides.count; c++) if (sides.rod[c] >= 0) touched[sides.rod[c]] = 1;
  ders.forEach((der, rod) => {
    if (touched[rod]) renew(rod);
    clearContact(der, touched[rod] === 1 ? 'others-follow' : 'none');
  });
  for (const { body } of bodies) body.contact.fill(0);
  for (let c = 0; c < sides.count; c++) {
    if (sides.rod[c] >= 0) {
      addSideForce(ders[sides.rod[c]], sides, c);
      continue;
    }
    const { body } = bodies[-1 - sides.rod[c]];
    addBodyForce({ contact: body.contact, start: body.pose }, sides, c);
  }
}

/** Saves the marked systems, or all, as the start of the step. `holdRuns` does it for many rods at once. */
export function holdStart(
  context: PortContext,
  marked: Uint8Array | undefined,
  holdRuns: ((marked: Uint8Array) => void) | undefined,
): void {
  const { bodies, held, state, atStart, systems, ders, heldStarts, heldBodies } = context;
  for (const { body, system } of bodies) if (!marked || marked[system]) body.start.position.set(body.position);
  if (!marked) {
    copyState(held, state);
    atStart.fill(1);
    return;
  }
  for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) atStart[s] = 1;
  if (holdRuns) {
    holdRuns(marked);
    return;
  }
  for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
    for (const rod of systems[s].rods) copyState(heldStarts[rod], ders[rod]);
    systems[s].system.bodies.forEach((body, b) => {
      heldBodies[s][b].set(body.memory);
    });
  }
}

/** Returns a system to the start of the step, at time t. */
export function returnToStart(context: PortContext, s: number, t: number): void {
  const { systems, atStart, ders, works, heldStarts, heldBodies } = context;
  const { system, rods } = systems[s];
  atStart[s] = 1;
  for (const rod of rods) copyState(ders[rod], heldStarts[rod]);
  system.bodies.forEach((body, b) => {
    body.memory.set(heldBodies[s][b]);
    syncPose(body);
  });
  for (const rod of rods) {
    context.movedTo(rod, undefined);
    evaluatePins(ders[rod], t);
    rebuildFrames(ders[rod], works[rod].edgeWork);
    poseSamples(ders[rod]);
  }
}

function attachPointMasses({ ders, heldStarts }: PortContext, sides: ContactSides, rate: number): void {
  for (let c = 0; c < sides.count; ) {
    const end = endOfRod(sides, c);
    const { contact } = ders[sides.rod[c]];
    if (contact)
      contact.pointMasses = { sides, from: c, to: end, rate, start: heldStarts[sides.rod[c]].q, add: addPointMasses };
    c = end;
  }
}

function detachPointMasses({ ders }: PortContext, { rod, count }: ContactSides): void {
  for (let c = 0; c < count; c++) {
    const { contact } = ders[rod[c]];
    if (contact) contact.pointMasses = undefined;
  }
}

/**
 * Removes the point masses from rods that are in equilibrium with them. Their remaining forces are as small as the solver's error, but have no reaction,
 * so momentum would not be conserved. A rod that would move elsewhere without the masses keeps its state.
 */
function releasePointMasses(
  context: PortContext,
  marked: Uint8Array,
  sides: ContactSides,
  t: number,
  dt: number,
): StepOutcome {
  const { ders, works, systems, startsOf, heldStarts, systemOfRod, snapshots, newton } = context;
  let iterations = 0;
  for (let c = 0, end = 0; c < sides.count; c = end) {
    const rod = sides.rod[c];
    const s = systemOfRod[rod];
    end = endOfRod(sides, c);
    if (!marked[s]) continue;
    const der = ders[rod];
    snapshots[rod] ??= createSnapshot(der);
    takeSnapshot(snapshots[rod], der);
    const { q } = heldStarts[rod];
    const before = missGoal(der, sides, c, end, q, 1 / dt);
    const out = resumeEuler(systems[s].system, startsOf[s], t, dt, { ...newton, rotation: 0.5, iterations: FEW });
    iterations += out.iterations;
    const missed = missGoal(der, sides, c, end, q, 1 / dt);
    if (!out.ok || missed > 100 * before + 1e-6 || leavesRoom(der, sides, c, end, q, dt))
      returnToSnapshot(der, snapshots[rod], works[rod], t + dt);
    poseSamples(der);
  }
  return { ok: true, iterations, iterationsMax: FEW, shifts: 0 };
}

/**
 * Steps one system from the start of the step with more iterations and smaller rotations. Newton's method may converge from there if it did not from the
 * system's last state; a single hair that fails would make contact repeat the step of hundreds.
 */
function stepPatiently(context: PortContext, s: number, t: number, dt: number): RodStep {
  const { systems, startsOf, newton, atStart } = context;
  returnToStart(context, s, t);
  const { system } = systems[s];
  const reason = startEuler(system, startsOf[s], t, dt, newton);
  atStart[s] = 0;
  if (reason) return { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason };
  return resumeEuler(system, startsOf[s], t, dt, { ...newton, rotation: 0.25, iterations: 3 * newton.iterations });
}

/** The single system, or the pair that it belongs to, if both are marked and there are no goals. */
function chooseGroup({ alone, together }: PortContext, s: number, marked: Uint8Array, hasGoals: boolean): StepGroup {
  const pair = together.get(s);
  return !hasGoals && pair?.list.every((one) => marked[one]) ? pair : alone[s];
}

/** Moves the marked systems to t + dt, see `ContactPort.step`. */
export function stepSystems(
  context: PortContext,
  marked: Uint8Array,
  sides: ContactSides,
  { t, dt, robust }: StepRequest,
): StepOutcome {
  const { systems, startsOf, ders, works, moved, atStart, newton } = context;
  const hasGoals = sides.goal !== undefined;
  const cost = { iterations: 0, iterationsMax: 0, shifts: 0 };
  const count = (one: RodStep): RodStep => {
    cost.iterations += one.iterations;
    cost.iterationsMax = Math.max(cost.iterationsMax, one.iterations);
    cost.shifts += one.shifts;
    return one;
  };
  context.h = dt;
  const limit = hasGoals ? FEW : (robust ? 3 : 1) * newton.iterations;
  const options = { ...newton, rotation: 0.5, iterations: limit };
  let unfinished = false;
  scatterForces(context, marked, sides);
  if (hasGoals && sides.released) return releasePointMasses(context, marked, sides, t, dt);
  if (hasGoals) attachPointMasses(context, sides, 1 / dt);
  for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) moved[s] = 0;
  for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
    if (moved[s]) continue;
    const { list, system, rods, starts } = chooseGroup(context, s, marked, hasGoals);
    for (const one of list) {
      moved[one] = 1;
      if (atStart[one]) startEuler(systems[one].system, startsOf[one], t, dt, newton);
      atStart[one] = 0;
    }
    const found = count(resumeEuler(system, starts, t, dt, options));
    const isSlow = hasGoals && !found.ok && found.reason.startsWith('no convergence');
    if (isSlow) unfinished = true;
    for (const one of found.ok || isSlow ? [] : list) {
      const { ok, reason } = count(stepPatiently(context, one, t, dt));
      if (ok) continue;
      if (hasGoals) detachPointMasses(context, sides);
      return { ok: false, ...cost, failure: { rod: ders[systems[one].rods[0]].rod.id, reason } };
    }
    for (const rod of rods) {
      // a kernel rounds sines differently; derived quantities are computed here, so that they depend on the state alone
      if (list.length > 1) restoreFrames(ders[rod], works[rod].edgeWork);
      poseSamples(ders[rod]);
    }
  }
  if (hasGoals) detachPointMasses(context, sides);
  return { ok: true, ...cost, unfinished };
}
