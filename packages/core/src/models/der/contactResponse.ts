/**
 * The linear response of systems in contact to impulses at points: S A⁻¹ Sᵀ, and S H⁻¹ Sᵀ with the sides' point masses. A single rod is solved with its
 * own banded matrix; rods joined by bodies are solved together.
 */
import { solveBand } from '../../linalg/band.ts';
import type { ContactSides } from '../../port.ts';
import { addBodySide, clearRight, factorSystem, finishStep, readBodySide, solveFactored } from './contactBodies.ts';
import {
  addPointMass,
  addSide,
  endOfRod,
  readBodyVelocity,
  readSide,
  readSides,
  replacePinVelocity,
} from './contactSides.ts';
import { assemble, factorWithMasses, measureResponse, respondTo } from './contactSlot.ts';
import { scatterForces } from './contactStep.ts';
import { writeRightSide } from './newton.ts';
import { bodyIn, isJoined, type PortContext, slotOf, sortJoinedSides } from './portContext.ts';
import { setEulerStage, startEuler } from './step.ts';

/** Outputs of `linearize`, and its step. */
export interface Linearization {
  readonly velocity: Float64Array;
  readonly response: Float64Array;
  readonly t: number;
  readonly dt: number;
  /** From the start of the step; else from the end of the last step. */
  readonly fresh: boolean;
}

/** S v now. */
export function readVelocity({ ders, bodies }: PortContext, out: Float64Array, sides: ContactSides): void {
  for (let c = 0; c < sides.count; ) {
    const rod = sides.rod[c];
    const end = endOfRod(sides, c);
    if (rod >= 0) readSides(out, ders[rod], ders[rod].v, sides, c, end, 1);
    for (let k = c; k < end && rod < 0; k++) readBodyVelocity(out, bodies[-1 - rod].body, sides, k);
    c = end;
  }
}

/** A rod without bodies, at its sides c … end − 1. */
function linearizeRod(context: PortContext, out: Linearization, sides: ContactSides, c: number): boolean {
  const { systemOfRod, ders, works, systems, startsOf, heldStarts, newton, stage, atStart } = context;
  const { velocity, response, t, dt, fresh } = out;
  const rod = sides.rod[c];
  const end = endOfRod(sides, c);
  const s = systemOfRod[rod];
  const der = ders[rod];
  const work = works[rod];
  const slot = slotOf(context, rod);
  if (fresh && startEuler(systems[s].system, startsOf[s], t, dt, newton)) return false;
  atStart[s] = 0;
  // rods share their work space
  if (!fresh && sides.goal) setEulerStage({ system: systems[s].system, starts: startsOf[s], h: dt });
  if (!assemble(der, work, slot, stage)) return false;
  measureResponse(
    response,
    { der: der, factor: work.factor, slot: slot, inverse: context.inverse },
    sides,
    c,
    end,
    1 / (dt * dt),
  );
  if (!fresh && !sides.goal) return true;
  writeRightSide(der, work);
  for (let d = 0; d < der.size; d++) if (der.fixed[d]) work.step[d] = 0;
  if (sides.goal) {
    for (let d = 0; d < der.size; d++) slot.right[d] = dt * work.step[d];
    readSides(velocity, der, der.v, sides, c, end, 1);
    // for a completed step, contact computes the displacements itself
    for (let k = c; k < end && fresh; k++) replacePinVelocity(velocity, der, heldStarts[rod].q, sides, k, stage.rate);
    if (!fresh) return true;
  }
  solveBand(work.factor, slot.matrix, work.step);
  for (let d = 0; d < der.size; d++) work.step[d] = der.v[d] + stage.rate * work.step[d];
  const linear = sides.goal ?? velocity;
  readSides(linear, der, work.step, sides, c, end, 1);
  for (let k = c; k < end; k++) replacePinVelocity(linear, der, heldStarts[rod].q, sides, k, stage.rate);
  return true;
}

const change = new Float64Array(3);

/** Velocities of the linear step at the sides of a system with bodies. */
function readLinearStep(context: PortContext, velocity: Float64Array, s: number, sides: ContactSides): void {
  const { systems, ders, works, bodies, stage, joinedSides } = context;
  for (const c of joinedSides[s]) {
    const rod = sides.rod[c];
    if (rod >= 0) readSide(velocity, ders[rod], works[rod].step, sides, c, stage.rate);
    else readBodySide(velocity, systems[s].system, bodies[-1 - rod].index, sides, c, stage.rate);
    for (let k = 0; k < 3; k++) change[k] = velocity[3 * c + k];
    if (rod >= 0) readSide(velocity, ders[rod], ders[rod].v, sides, c, 1);
    else readBodyVelocity(velocity, bodies[-1 - rod].body, sides, c);
    for (let k = 0; k < 3; k++) velocity[3 * c + k] += change[k];
  }
}

/** A system with bodies: one solve per axis of each side gives its response. */
function linearizeSystem(context: PortContext, out: Linearization, sides: ContactSides, s: number): boolean {
  const { systems, stage, joinedSides } = context;
  const { velocity, response, fresh } = out;
  const { system } = systems[s];
  if (
    !factorSystem(
      system,
      stage,
      { sides: sides, list: joinedSides[s], bodyOf: bodyIn(context, sides), scale: 0, addMass: () => {} },
      fresh ? 'matrix-and-right-side' : 'matrix',
    )
  )
    return false;
  if (fresh) {
    finishStep(system);
    readLinearStep(context, velocity, s, sides);
  }
  const unit = new Float64Array(3 * sides.count);
  const answer = new Float64Array(3 * sides.count);
  for (const c of joinedSides[s]) {
    response[c] = 0;
    for (let k = 0; k < 3; k++) {
      unit[3 * c + k] = 1;
      solveSystem(context, { s, list: [c] }, sides, { velocity: answer, impulse: unit });
      response[c] += answer[3 * c + k] / 3;
      unit[3 * c + k] = 0;
    }
  }
  return true;
}

/** velocity = S H⁻¹ Sᵀ impulse for the sides in `list`, of the system s with bodies. */
function solveSystem(
  { systems, ders, works, bodies, h }: PortContext,
  { s, list }: { readonly s: number; readonly list: readonly number[] },
  sides: ContactSides,
  { velocity, impulse }: { readonly velocity: Float64Array; readonly impulse: Float64Array },
): void {
  const { system } = systems[s];
  clearRight(system);
  for (const c of list) {
    if (sides.rod[c] >= 0) addSide(works[sides.rod[c]].step, ders[sides.rod[c]], impulse, sides, c);
    else addBodySide(system, bodies[-1 - sides.rod[c]].index, impulse, sides, c);
  }
  solveFactored(system);
  const scale = 1 / (h * h);
  for (const c of list) {
    if (sides.rod[c] >= 0) readSide(velocity, ders[sides.rod[c]], works[sides.rod[c]].step, sides, c, scale);
    else readBodySide(velocity, system, bodies[-1 - sides.rod[c]].index, sides, c, scale);
  }
}

/** See `ContactPort.linearize`. */
export function linearize(context: PortContext, out: Linearization, marked: Uint8Array, sides: ContactSides): boolean {
  const { systems, startsOf, bodies, newton, atStart } = context;
  const { t, dt, fresh } = out;
  context.h = dt;
  context.stage = { t: t + dt, inertia: 1 / (dt * dt), rate: 1 / dt, span: dt };
  sortJoinedSides(context, sides);
  if (fresh) scatterForces(context, marked, sides);
  for (let s = marked.indexOf(1); s >= 0 && bodies.length > 0; s = marked.indexOf(1, s + 1)) {
    if (systems[s].system.bodies.length === 0) continue;
    if (fresh && startEuler(systems[s].system, startsOf[s], t, dt, newton)) return false;
    atStart[s] = 0;
    if (!linearizeSystem(context, out, sides, s)) return false;
  }
  for (let c = 0; c < sides.count; c = endOfRod(sides, c))
    if (!isJoined(context, sides.rod[c]) && !linearizeRod(context, out, sides, c)) return false;
  if (!fresh) readVelocity(context, out.velocity, sides);
  return true;
}

/** Factors H, the matrix with the sides' point masses. */
export function factor(context: PortContext, sides: ContactSides): boolean {
  const { systems, ders, works, stage, h, joinedSides, joinedSystems } = context;
  const scale = 1 / (h * h);
  const addMass = (c: number): void => {
    addPointMass(works[sides.rod[c]].matrix, ders[sides.rod[c]], sides, c, scale, 'all');
  };
  for (const s of joinedSystems) {
    const { system } = systems[s];
    if (
      !factorSystem(
        system,
        stage,
        { sides: sides, list: joinedSides[s], bodyOf: bodyIn(context, sides), scale: scale, addMass: addMass },
        'matrix',
      )
    )
      return false;
  }
  for (let c = 0, end = 0; c < sides.count; c = end) {
    const rod = sides.rod[c];
    end = endOfRod(sides, c);
    if (isJoined(context, rod)) continue;
    const slot = slotOf(context, rod);
    for (let k = c; k < end; k++) addPointMass(slot.matrix, ders[rod], sides, k, scale, 'free');
    if (!factorWithMasses(slot, ders[rod], sides.goal !== undefined)) return false;
    slot.turns = 0;
  }
  return true;
}

/** velocity = S H⁻¹ Sᵀ impulse for all sides of the marked systems, or of all. */
export function solve(
  context: PortContext,
  { velocity, impulse }: { readonly velocity: Float64Array; readonly impulse: Float64Array },
  sides: ContactSides,
  marked: Uint8Array | undefined,
): void {
  const { ders, h, systemOfRod, joinedSides, joinedSystems } = context;
  const scale = 1 / (h * h);
  for (const s of joinedSystems)
    if (!marked || marked[s]) solveSystem(context, { s, list: joinedSides[s] }, sides, { velocity, impulse });
  for (let c = 0, end = 0; c < sides.count; c = end) {
    const rod = sides.rod[c];
    end = endOfRod(sides, c);
    if (isJoined(context, rod) || (marked && !marked[systemOfRod[rod]])) continue;
    respondTo(velocity, impulse, ders[rod], slotOf(context, rod), { sides: sides, c: c, end: end, scale: scale });
  }
}
