/**
 * Contact for super-helices: the implicit step under forces at points, and its linear response, both by the sweep.
 *
 * A point lies on the chord of an edge, and an edge lies in one element. So the point moves with the near end of that element and with the element's own
 * curvatures, v = v_e + P ω_e + J δκ_e, and a point mass there enters the sweep like a node inside the element: the matrix with all point masses is still
 * factored in linear time. The Hessian of the step's potential is A/h². Rods in contact take steps of backward Euler, and the next step discards the
 * history, because velocities are discontinuous at a contact.
 */

import type { BundleState, ContactPort, StepOutcome } from '../../model.ts';
import type { ContactSides, StepRequest } from '../../port.ts';
import { markTouched, readSampleVelocity } from '../sideSamples.ts';
import { cloneState, copyState, partOf } from '../stateParts.ts';
import { collectSides, createSlot, factorStep, placePoints, respond, type Slot, traceOf } from './contactResponse.ts';
import { respondHold } from './holdSolve.ts';
import { placeRoot, poseSamples } from './kinematics.ts';
import type { NewtonOptions } from './newton.ts';
import { addRodEnergy } from './readouts.ts';
import type { HelixRod } from './rod.ts';
import { stepIncremental } from './step.ts';
import { factorRod } from './sweep.ts';

export interface HelixContactParts {
  readonly helices: readonly HelixRod[];
  readonly state: BundleState;
  readonly newton: NewtonOptions;
  readonly patient: NewtonOptions;
}

/** Data of contact over a step. */
interface HelixContact extends HelixContactParts {
  readonly slots: (Slot | undefined)[];
  /** State of each rod at the start of the step. */
  readonly starts: readonly BundleState[];
}

function slotOf({ slots, helices }: HelixContact, k: number): Slot {
  slots[k] ??= createSlot(helices[k]);
  return slots[k];
}

export function createHelixContact(parts: HelixContactParts): ContactPort {
  const { helices, state } = parts;
  const held = cloneState(state);
  const starts = helices.map((h) => partOf(h, state, held));
  const context: HelixContact = { ...parts, slots: [], starts };
  return {
    systemOfRod: Int32Array.from(helices, (_, k) => k),
    systemOfBody: new Int32Array(0),
    systemCount: helices.length,
    hold(marked) {
      helices.forEach((h, k) => {
        if (marked && !marked[k]) return;
        copyState(starts[k], h);
      });
    },
    revert(marked, t) {
      helices.forEach((h, k) => {
        if (!marked[k]) return;
        copyState(h, starts[k]);
        placeRoot(h, t);
        poseSamples(h);
      });
    },
    step: (marked, sides, { t, dt, robust }) => stepHelices(context, marked, sides, { t, dt, again: true, robust }),
    readVelocity: (out, sides) => readSampleVelocity(out, helices, sides),
    measureEnergy(out, k) {
      addRodEnergy(out, helices[k]);
      return true;
    },
    applyForces(sides) {
      for (const h of helices) h.contact = undefined;
      addSideForces(helices, markTouched(helices.length, sides), sides);
    },
    // the first guess is the step under the forces of the last step
    guess(velocity, marked, sides, { t, dt }) {
      if (!stepHelices(context, marked, sides, { t, dt, again: false, robust: false }).ok) return false;
      readSampleVelocity(velocity, helices, sides);
      return true;
    },
    linearize({ velocity, response }, marked, sides, { t, dt, fresh }) {
      const wishes = { t, dt, again: false, robust: false };
      if (fresh && !stepHelices(context, marked, sides, wishes).ok) return false;
      readSampleVelocity(velocity, helices, sides);
      return linearizeHelices(context, response, sides, dt);
    },
    factor: (_marked, sides) => factorWithMasses(context, sides),
    solve(velocity, impulse) {
      for (let k = 0; k < helices.length; k++) {
        const slot = context.slots[k];
        if (!slot || slot.count === 0) continue;
        respond(velocity, helices[k], slot, impulse, slot.stage.inertia);
      }
    },
  };
}

interface StepWishes extends StepRequest {
  /** True if Newton starts from the rods' current state; else from the start of the step. */
  readonly again: boolean;
}

/** Steps the marked rods from the start of the step by backward Euler, under the forces at the sides. */
function stepHelices(
  context: HelixContact,
  marked: Uint8Array,
  sides: ContactSides,
  { t, dt, again, robust }: StepWishes,
): StepOutcome {
  const { helices, starts, newton, patient } = context;
  let iterations = 0;
  let iterationsMax = 0;
  let shifts = 0;
  addSideForces(helices, marked, sides);
  for (let k = 0; k < helices.length; k++) {
    if (!marked[k]) continue;
    const h = helices[k];
    const slot = slotOf(context, k);
    slot.guess.set(h.q);
    copyState(h, starts[k]);
    // no past: one step of backward Euler
    h.history.fill(0);
    const step = stepIncremental(h, slot.work, t, dt, robust ? patient : newton, again ? slot.guess : undefined);
    h.history.fill(0);
    iterations += step.iterations;
    iterationsMax = Math.max(iterationsMax, step.iterations);
    shifts += step.shifts;
    if (!step.converged) {
      const failure = { rod: h.rod.id, reason: step.reason };
      return { ok: false, iterations, iterationsMax, shifts, failure };
    }
    slot.stage = { t: t + dt, inertia: 1 / (dt * dt), rate: 1 / dt };
    poseSamples(h);
  }
  return { ok: true, iterations, iterationsMax, shifts };
}

/** Computes the response of every rod with sides, at its current state. */
function linearizeHelices(context: HelixContact, response: Float64Array, sides: ContactSides, dt: number): boolean {
  const { helices, slots } = context;
  for (const slot of slots) if (slot) slot.count = 0;
  collectSides((k) => slotOf(context, k), sides);
  for (let k = 0; k < helices.length; k++) {
    const slot = slots[k];
    if (!slot || slot.count === 0) continue;
    placePoints(helices[k], slot, sides);
    if (!factorStep(helices[k], slot)) return false;
    for (let i = 0; i < slot.count; i++) response[slot.side[i]] = traceOf(helices[k], slot, i) / (3 * dt * dt);
  }
  return true;
}

/** H with the sides' point masses. */
function factorWithMasses({ helices, slots }: HelixContact, sides: ContactSides): boolean {
  for (let k = 0; k < helices.length; k++) {
    const slot = slots[k];
    if (!slot || slot.count === 0) continue;
    for (let i = 0; i < slot.count; i++) slot.pointMasses.mass[i] = sides.mass[slot.side[i]] * slot.stage.inertia;
    slot.work.assembly.pointMasses = slot.pointMasses;
    const good = factorRod(helices[k], slot.work.assembly, 'stop-at-negative', 'geometric');
    slot.work.assembly.pointMasses = undefined;
    if (!good) return false;
    const { hold } = helices[k];
    if (hold) respondHold(helices[k], slot.work, hold);
  }
  return true;
}

/** A force on the chord of an edge is one on its two nodes; with a lever it also turns the edge about itself. */
function addSideForces(helices: readonly HelixRod[], marked: Uint8Array, sides: ContactSides): void {
  helices.forEach((h, k) => {
    if (!marked[k]) return;
    h.contact = {
      nodeForce: new Float64Array(3 * h.nodeCount),
      edgeTorque: new Float64Array(3 * h.edgeCount),
    };
  });
  const { rod, edge, weight, arm, force } = sides;
  for (let c = 0; c < sides.count; c++) {
    const h = helices[rod[c]];
    if (!h.contact) continue;
    const { nodeForce, edgeTorque } = h.contact;
    const o = 3 * c;
    const a = 3 * edge[c];
    const spin = arm[o] * force[o] + arm[o + 1] * force[o + 1] + arm[o + 2] * force[o + 2];
    for (let k = 0; k < 3; k++) {
      nodeForce[a + k] += (1 - weight[c]) * force[o + k];
      nodeForce[a + 3 + k] += weight[c] * force[o + k];
      edgeTorque[a + k] += spin * h.samples.edgeTangent[a + k];
    }
  }
}
