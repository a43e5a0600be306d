/**
 * Contact for fibers: a step of backward Euler under forces at points, and its linear response.
 *
 * A point on an edge moves with the means of two rings and, if it lies off the axis, with their spin. So S has 24 entries
 * per row, and a point mass attached to the point stays within two neighbouring blocks: everything remains block-tridiagonal.
 * The matrix of the response is the Hessian of the step at the state that it reached; if springs under compression make it
 * indefinite, they lose their geometric part. A step with contact loses energy, as backward Euler does; steps without contact
 * use the integrator of the scene.
 */
import { type CreateFactor, createSymmetricFactor, factorSymmetric } from '../../linalg/blockSymmetric.ts';
import type { Bundle, BundleState, ContactPort, StepOutcome } from '../../model.ts';
import type { Allocate, ContactSides, StepRequest } from '../../port.ts';
import { markTouched, readSampleVelocity } from '../sideSamples.ts';
import { allocateCopy, copyState, partOf } from '../stateParts.ts';
import {
  addImpulse,
  addPointMass,
  addSide,
  assembleResponse,
  copyBlocks,
  createSlot,
  readPoint,
  type Slot,
  solveSlot,
  writeRows,
  writeTraces,
} from './contactResponse.ts';
import { kineticEnergy, measureElastic } from './energy.ts';
import { constrainHeld, evaluateHeld } from './held.ts';
import type { Unit } from './kernel.ts';
import { poseSamples } from './kinematics.ts';
import { type FiberRod, updateStiffness } from './rod.ts';
import { stepMembers } from './step.ts';
import type { Workspace } from './workspace.ts';

type RefreshRod = NonNullable<NonNullable<Bundle['parts']>['refreshRod']>;

/** Data of contact over a step. */
interface FiberContact {
  readonly fibers: readonly FiberRod[];
  /** State of each fiber at the start of the step. */
  readonly starts: readonly BundleState[];
  readonly works: readonly Workspace[];
  readonly slots: (Slot | undefined)[];
  readonly createFactor: CreateFactor;
  /** The bundle's fibers with the tolerance of contact, and few or many iterations. */
  readonly quick: readonly Unit[];
  readonly patient: readonly Unit[];
}

function createContext(
  fibers: readonly FiberRod[],
  state: BundleState,
  units: readonly Unit[],
  allocate: Allocate,
  createFactor: CreateFactor,
): FiberContact {
  const held = allocateCopy(allocate, state, fibers);
  const works: Workspace[] = [];
  for (const { members } of units) for (const { index, work } of members) works[index] = work;
  return {
    fibers,
    starts: fibers.map((fiber) => partOf(fiber, state, held)),
    works,
    slots: [],
    createFactor,
    quick: limitUnits(units, 25),
    patient: limitUnits(units, 60),
  };
}

function limitUnits(units: readonly Unit[], iterations: number): Unit[] {
  return units.map(({ kernel, members }) => ({
    kernel,
    members: members.map((one) => {
      const tolerance = 1e-6 * Math.min(one.fiber.width1, one.fiber.width2);
      return { ...one, options: { tolerance, iterations, depth: 0, keepsSpin: true } };
    }),
  }));
}

function slotOf({ slots, fibers, createFactor }: FiberContact, k: number): Slot {
  slots[k] ??= createSlot(fibers[k], createFactor);
  return slots[k];
}

/** Updates stiffness and held rings to time t. */
function moveToTime(fiber: FiberRod, t: number): void {
  updateStiffness(fiber, t);
  evaluateHeld(fiber, t);
}

/** The port, and `refreshRod` of the bundle's parts. */
export function createFiberContact(
  fibers: readonly FiberRod[],
  state: BundleState,
  units: readonly Unit[],
  allocate: Allocate,
  createFactor: CreateFactor = createSymmetricFactor,
): { readonly port: ContactPort; readonly refreshRod: RefreshRod } {
  const context = createContext(fibers, state, units, allocate, createFactor);
  const { starts } = context;
  const refreshRod: RefreshRod = (rod, t) => moveToTime(fibers[rod], t);
  const port: ContactPort = {
    systemOfRod: Int32Array.from(fibers, (_, k) => k),
    systemOfBody: new Int32Array(0),
    systemCount: fibers.length,
    hold(marked) {
      fibers.forEach((fiber, k) => {
        if (!marked || marked[k]) copyState(starts[k], fiber);
      });
    },
    revert(marked, t) {
      fibers.forEach((fiber, k) => {
        if (!marked[k]) return;
        copyState(fiber, starts[k]);
        moveToTime(fiber, t);
        poseSamples(fiber, fiber.q, fiber.v);
      });
    },
    step: (marked, sides, step) => stepFibers(context, marked, sides, step),
    readVelocity: (out, sides) => readSampleVelocity(out, fibers, sides),
    measureEnergy(out, k) {
      const { bending, twisting, stretching } = measureElastic(fibers[k], fibers[k].q);
      out.kinetic += kineticEnergy(fibers[k], fibers[k].v, slotOf(context, k).x);
      out.elastic += bending + twisting + stretching;
      return true;
    },
    applyForces(sides) {
      const forces = gatherForces(context, markTouched(fibers.length, sides), sides);
      fibers.forEach((fiber, k) => {
        fiber.contactForce = forces[k];
      });
    },
    // the first guess is the step under the forces of the last step
    guess(velocity, marked, sides, { t, dt }) {
      if (!stepFibers(context, marked, sides, { t, dt, robust: false }).ok) return false;
      readSampleVelocity(velocity, fibers, sides);
      return true;
    },
    linearize({ velocity, response }, marked, sides, { t, dt, fresh }) {
      if (fresh && !stepFibers(context, marked, sides, { t, dt, robust: false }).ok) return false;
      readSampleVelocity(velocity, fibers, sides);
      return linearizeFibers(context, response, sides, dt);
    },
    factor: (_marked, sides) => factorWithMasses(context, sides),
    solve: (velocity, impulse, sides) => solveFibers(context, velocity, impulse, sides),
  };
  return { port, refreshRod };
}

/** Steps the marked fibers from the start of the step by backward Euler, under the forces at the sides. */
function stepFibers(
  context: FiberContact,
  marked: Uint8Array,
  sides: ContactSides,
  { t, dt, robust }: StepRequest,
): StepOutcome {
  const { starts, quick, patient } = context;
  let iterations = 0;
  let iterationsMax = 0;
  const forces = gatherForces(context, marked, sides);
  for (const { kernel, members } of robust ? patient : quick) {
    let wanted = 0;
    members.forEach(({ fiber, index }, lane) => {
      if (!marked[index]) return;
      wanted |= 1 << lane;
      copyState(fiber, starts[index]);
      fiber.loadsDependOnState = fiber.drive.sources.some((source) => source.dependsOnState);
      fiber.contactForce = forces[index];
    });
    if (wanted === 0) continue;
    const stepped = stepMembers(kernel, members, 'implicit-euler', t, dt, wanted);
    for (let lane = 0; lane < members.length; lane++) {
      if (!(wanted & (1 << lane))) continue;
      const { fiber, work } = members[lane];
      const ok = (stepped & (1 << lane)) !== 0;
      if (fiber.memory.length > 0) fiber.memory[0] = 0;
      iterations += work.iterations;
      iterationsMax = Math.max(iterationsMax, work.iterationsMax);
      if (!ok) {
        const failure = { rod: fiber.rod.id, reason: work.reason };
        return { ok, iterations, iterationsMax, shifts: 0, failure };
      }
      poseSamples(fiber, fiber.q, fiber.v);
    }
  }
  return { ok: true, iterations, iterationsMax, shifts: 0 };
}

/** Computes the response of every fiber with sides, at its current state. */
function linearizeFibers(context: FiberContact, response: Float64Array, sides: ContactSides, dt: number): boolean {
  const { fibers, works, slots } = context;
  for (const slot of slots) if (slot) slot.count = 0;
  for (let c = 0; c < sides.count; c++) addSide(fibers[sides.rod[c]], slotOf(context, sides.rod[c]), sides, c);
  for (let k = 0; k < fibers.length; k++) {
    const slot = slots[k];
    if (!slot || slot.count === 0) continue;
    slot.scale = 1 / (dt * dt);
    if (!assembleResponse(fibers[k], works[k], slot, dt)) return false;
    writeTraces(response, fibers[k], slot, sides);
  }
  return true;
}

/** H with the sides' point masses. */
function factorWithMasses({ fibers, slots }: FiberContact, sides: ContactSides): boolean {
  for (let k = 0; k < fibers.length; k++) {
    const slot = slots[k];
    if (!slot || slot.count === 0) continue;
    copyBlocks(slot.withMasses, slot.base);
    for (let i = 0; i < slot.count; i++) addPointMass(slot, sides, i);
    constrainHeld(fibers[k], slot.withMasses, undefined);
    if (!factorSymmetric(slot.factor, slot.withMasses, 0, slot.none, 'stop-at-negative')) return false;
  }
  return true;
}

function solveFibers(
  { fibers, slots }: FiberContact,
  velocity: Float64Array,
  impulse: Float64Array,
  sides: ContactSides,
): void {
  for (let k = 0; k < fibers.length; k++) {
    const slot = slots[k];
    if (!slot || slot.count === 0) continue;
    slot.x.fill(0);
    for (let i = 0; i < slot.count; i++) addImpulse(slot, sides, i, impulse, 3 * slot.side[i]);
    solveSlot(fibers[k], slot);
    for (let i = 0; i < slot.count; i++) readPoint(velocity, 3 * slot.side[i], slot, sides, i);
  }
}

const row = new Float64Array(72);

/** Forces at the points as forces on particles, with S at the current state. */
function gatherForces(context: FiberContact, marked: Uint8Array, sides: ContactSides): (Float64Array | undefined)[] {
  const { fibers } = context;
  const out = fibers.map((_, k) => (marked[k] ? slotOf(context, k).force.fill(0) : undefined));
  for (let c = 0; c < sides.count; c++) {
    const force = out[sides.rod[c]];
    if (!force) continue;
    writeRows(row, 0, fibers[sides.rod[c]], sides, c);
    for (let axis = 0; axis < 3; axis++)
      for (let d = 0; d < 24; d++) force[12 * sides.edge[c] + d] += row[24 * axis + d] * sides.force[3 * c + axis];
  }
  return out;
}
