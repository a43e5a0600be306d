/**
 * Contact for fibers: a step of backward Euler under forces at points, and its linear response.
 *
 * A point on an edge moves with the means of two rings and, where it lies off the axis, with their spin: S has 24 entries a
 * row, and a point mass glued to it stays within two neighbouring blocks, so everything remains block-tridiagonal. The
 * matrix of the response is the Hessian of the step at the state it came to; where springs that push make it
 * indefinite, they lose their geometric part. A step with contact loses energy, as backward Euler does; the steps after
 * are the integrator's own again.
 */
import {
  type BlockTridiagonal,
  type CreateFactor,
  clearBlocks,
  createBlocks,
  createSymmetricFactor,
  factorSymmetric,
  type SymmetricFactor,
  solveSymmetric,
} from '../../linalg/blockTridiagonal.ts';
import { createSelectedInverse, invertSelected, type SelectedInverse } from '../../linalg/selectedInverse.ts';
import type { Bundle, BundleState, ContactPort, StepOutcome } from '../../model.ts';
import type { Allocate, ContactSides } from '../../port.ts';
import { copyState, partOf } from '../stateParts.ts';
import { addElements } from './elements.ts';
import { kineticEnergy, measureElastic } from './energy.ts';
import { constrainHeld, constrainRight, evaluateHeld, returnHeld } from './held.ts';
import type { Unit } from './kernel.ts';
import { poseSamples, writeSpinGradient } from './kinematics.ts';
import { type FiberRod, updateStiffness } from './rod.ts';
import { addDrag, addMassMatrix, stepMembers, type Workspace } from './step.ts';

/** What one rod keeps over the iterations of a step with contact. */
interface Slot {
  /** A/h² without and with point masses, and its factor. */
  readonly base: BlockTridiagonal;
  readonly glued: BlockTridiagonal;
  readonly factor: SymmetricFactor;
  readonly x: Float64Array;
  /** Of contact, on the particles [N]. */
  readonly force: Float64Array;
  readonly none: Float64Array;
  /** Places of the rod's points among the sides; rows of S, 72 each. */
  side: Int32Array;
  rows: Float64Array;
  count: number;
  scale: number;
}

function createSlot({ ringCount, size }: FiberRod, createFactor: CreateFactor): Slot {
  return {
    base: createBlocks(ringCount),
    glued: createBlocks(ringCount),
    factor: createFactor(ringCount),
    x: new Float64Array(size),
    force: new Float64Array(size),
    none: new Float64Array(size),
    side: new Int32Array(0),
    rows: new Float64Array(0),
    count: 0,
    scale: 1,
  };
}

type RefreshRod = NonNullable<NonNullable<Bundle['parts']>['refreshRod']>;

/** The port, and `refreshRod` of the bundle's parts. */
export function createFiberContact(
  fibers: readonly FiberRod[],
  state: BundleState,
  units: readonly Unit[],
  allocate: Allocate,
  createFactor: CreateFactor = createSymmetricFactor,
): { readonly port: ContactPort; readonly refreshRod: RefreshRod } {
  const slots: (Slot | undefined)[] = [];
  const slotOf = (k: number): Slot => {
    slots[k] ??= createSlot(fibers[k], createFactor);
    return slots[k] as Slot;
  };
  const sizes = fibers.map(({ size }) => size);
  // threads share the start of the step too
  const held = {
    q: allocate(state.q.length, sizes),
    v: allocate(state.v.length, sizes),
    memory: allocate(
      state.memory.length,
      fibers.map(({ memory }) => memory.length),
    ),
  };
  const startOf = (fiber: FiberRod): BundleState => partOf(fiber, state, held);
  const toStart = (fiber: FiberRod): void => copyState(fiber, startOf(fiber));

  const works: Workspace[] = [];
  for (const { members } of units) for (const { index, work } of members) works[index] = work;
  /** The same fibers, as closely as contact asks for. */
  const close = (iterations: number): Unit[] =>
    units.map(({ kernel, members }) => ({
      kernel,
      members: members.map((one) => {
        const tolerance = 1e-6 * Math.min(one.fiber.width1, one.fiber.width2);
        return { ...one, options: { tolerance, iterations, depth: 0 } };
      }),
    }));
  const quick = close(25);
  const patient = close(60);

  const step = (marked: Uint8Array, sides: ContactSides, t: number, dt: number, robust: boolean): StepOutcome => {
    let iterations = 0;
    let iterationsMax = 0;
    const forces = gatherForces(fibers, marked, sides, slotOf);
    for (const { kernel, members } of robust ? patient : quick) {
      let wanted = 0;
      members.forEach(({ fiber, index }, lane) => {
        if (!marked[index]) return;
        wanted |= 1 << lane;
        toStart(fiber);
        fiber.loadsFollow = fiber.drive.sources.some((source) => source.dependsOnState);
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
  };

  const readVelocity = (out: Float64Array, sides: ContactSides): void => {
    for (let c = 0; c < sides.count; c++) {
      const { nodeVelocity: v, edgeSpin } = fibers[sides.rod[c]].samples;
      const a = 3 * sides.edge[c];
      const w = sides.weight[c];
      for (let k = 0; k < 3; k++)
        out[3 * c + k] = (1 - w) * v[a + k] + w * v[a + 3 + k] + edgeSpin[sides.edge[c]] * sides.arm[3 * c + k];
    }
  };

  const refreshRod: RefreshRod = (rod, t) => {
    updateStiffness(fibers[rod], t);
    evaluateHeld(fibers[rod], t);
  };

  const port: ContactPort = {
    systemOfRod: Int32Array.from(fibers, (_, k) => k),
    systemOfBody: new Int32Array(0),
    systemCount: fibers.length,
    hold(marked) {
      fibers.forEach((fiber, k) => {
        if (!marked || marked[k]) copyState(startOf(fiber), fiber);
      });
    },
    revert(marked, t) {
      fibers.forEach((fiber, k) => {
        if (!marked[k]) return;
        toStart(fiber);
        updateStiffness(fiber, t);
        evaluateHeld(fiber, t);
        poseSamples(fiber, fiber.q, fiber.v);
      });
    },
    step,
    readVelocity,
    measureEnergy(out, k) {
      const { bending, twisting, stretching } = measureElastic(fibers[k], fibers[k].q);
      out.kinetic += kineticEnergy(fibers[k], fibers[k].v, slotOf(k).x);
      out.elastic += bending + twisting + stretching;
      return true;
    },
    applyForces(sides) {
      const touched = new Uint8Array(fibers.length);
      for (let c = 0; c < sides.count; c++) touched[sides.rod[c]] = 1;
      const forces = gatherForces(fibers, touched, sides, slotOf);
      fibers.forEach((fiber, k) => {
        fiber.contactForce = forces[k];
      });
    },
    // the first guess is the step itself under the last forces
    guess(velocity, marked, sides, t, dt) {
      if (!step(marked, sides, t, dt, false).ok) return false;
      readVelocity(velocity, sides);
      return true;
    },
    linearize(velocity, response, marked, sides, t, dt, fresh) {
      if (fresh && !step(marked, sides, t, dt, false).ok) return false;
      readVelocity(velocity, sides);
      for (const slot of slots) if (slot) slot.count = 0;
      for (let c = 0; c < sides.count; c++) addSide(fibers[sides.rod[c]], slotOf(sides.rod[c]), sides, c);
      for (let k = 0; k < fibers.length; k++) {
        const slot = slots[k];
        if (!slot || slot.count === 0) continue;
        slot.scale = 1 / (dt * dt);
        if (!assembleResponse(fibers[k], works[k], slot, dt)) return false;
        writeTraces(response, fibers[k], slot, sides);
      }
      return true;
    },
    factor(_marked, sides) {
      for (let k = 0; k < fibers.length; k++) {
        const slot = slots[k];
        if (!slot || slot.count === 0) continue;
        copyBlocks(slot.glued, slot.base);
        for (let i = 0; i < slot.count; i++) addPointMass(slot, sides, i);
        constrainHeld(fibers[k], slot.glued, undefined);
        if (!factorSymmetric(slot.factor, slot.glued, 0, slot.none, true)) return false;
      }
      return true;
    },
    solve(velocity, impulse, sides) {
      for (let k = 0; k < fibers.length; k++) {
        const slot = slots[k];
        if (!slot || slot.count === 0) continue;
        slot.x.fill(0);
        for (let i = 0; i < slot.count; i++) addImpulse(slot, sides, i, impulse, 3 * slot.side[i]);
        solveSlot(fibers[k], slot);
        for (let i = 0; i < slot.count; i++) readPoint(velocity, 3 * slot.side[i], slot, sides, i);
      }
    },
  };
  return { port, refreshRod };
}

function copyBlocks(to: BlockTridiagonal, from: BlockTridiagonal): void {
  to.diagonal.set(from.diagonal);
  to.upper.set(from.upper);
  to.lower.set(from.lower);
}

const spin = new Float64Array(24);

/** Three rows of S for the point of side c: over the 24 coordinates of rings `edge` and `edge` + 1. */
function writeRows(rows: Float64Array, o: number, fiber: FiberRod, sides: ContactSides, c: number): void {
  writeSpinGradient(spin, fiber.q, sides.edge[c]);
  const w = sides.weight[c];
  for (let axis = 0; axis < 3; axis++) {
    const arm = sides.arm[3 * c + axis];
    for (let d = 0; d < 24; d++) {
      const mean = d % 3 === axis ? 0.25 * (d < 12 ? 1 - w : w) : 0;
      rows[o + 24 * axis + d] = mean + arm * spin[d];
    }
  }
}

function addSide(fiber: FiberRod, slot: Slot, sides: ContactSides, c: number): void {
  if (slot.count === slot.side.length) {
    const side = new Int32Array(2 * slot.count + 8);
    side.set(slot.side);
    slot.side = side;
    const rows = new Float64Array(72 * side.length);
    rows.set(slot.rows);
    slot.rows = rows;
  }
  slot.side[slot.count] = c;
  writeRows(slot.rows, 72 * slot.count, fiber, sides, c);
  slot.count++;
}

const row = new Float64Array(72);

/** Forces at the points as forces on particles, with S at the present state. */
function gatherForces(
  fibers: readonly FiberRod[],
  marked: Uint8Array,
  sides: ContactSides,
  slotOf: (k: number) => Slot,
): (Float64Array | undefined)[] {
  const out = fibers.map((_, k) => (marked[k] ? slotOf(k).force.fill(0) : undefined));
  for (let c = 0; c < sides.count; c++) {
    const force = out[sides.rod[c]];
    if (!force) continue;
    writeRows(row, 0, fibers[sides.rod[c]], sides, c);
    for (let axis = 0; axis < 3; axis++)
      for (let d = 0; d < 24; d++) force[12 * sides.edge[c] + d] += row[24 * axis + d] * sides.force[3 * c + axis];
  }
  return out;
}

/** M(1 + αh)/h² + drag/h + Hessian at q into `base`, and a factor of it; positive definite. */
function assembleResponse(fiber: FiberRod, work: Workspace, slot: Slot, h: number): boolean {
  const { base, glued, factor } = slot;
  work.elements.edgeChi.fill(0);
  work.elements.ringChi.fill(0);
  for (const mode of ['exact', 'exact-pulling'] as const) {
    clearBlocks(base);
    if (!addElements(fiber, work.elements, work.image.fill(0), base, fiber.q, fiber.q, mode)) return false;
    // the kernel gives half the Hessian
    for (let k = 0; k < base.diagonal.length; k++) {
      base.diagonal[k] *= 2;
      base.upper[k] *= 2;
      base.lower[k] *= 2;
    }
    addMassMatrix(fiber, base, (i) => (1 + fiber.ringDamping[i] * h) / (h * h));
    addDrag(fiber, base, 1 / h);
    copyBlocks(glued, base);
    constrainHeld(fiber, glued, undefined);
    if (factorSymmetric(factor, glued, 0, slot.none, true)) return true;
  }
  return false;
}

function solveSlot(fiber: FiberRod, { x, factor }: Slot): void {
  constrainRight(fiber, x);
  solveSymmetric(factor, x);
  returnHeld(fiber, x);
}

/** x += Sᵀ impulse of point i; the impulse stands at `from`. */
function addImpulse(slot: Slot, sides: ContactSides, i: number, impulse: Float64Array, from: number): void {
  const at = 12 * sides.edge[slot.side[i]];
  for (let axis = 0; axis < 3; axis++)
    for (let d = 0; d < 24; d++) slot.x[at + d] += slot.rows[72 * i + 24 * axis + d] * impulse[from + axis];
}

/** out = S x/h² of point i: x solves the matrix A/h². */
function readPoint(out: Float64Array, to: number, slot: Slot, sides: ContactSides, i: number): void {
  const at = 12 * sides.edge[slot.side[i]];
  for (let axis = 0; axis < 3; axis++) {
    let sum = 0;
    for (let d = 0; d < 24; d++) sum += slot.rows[72 * i + 24 * axis + d] * slot.x[at + d];
    out[to + axis] = slot.scale * sum;
  }
}

const unit = new Float64Array(3);
const moved = new Float64Array(3);

/** tr(S A⁻¹ Sᵀ)/3 of point i. */
function traceOf(fiber: FiberRod, slot: Slot, sides: ContactSides, i: number): number {
  let trace = 0;
  for (let axis = 0; axis < 3; axis++) {
    unit.fill(0);
    unit[axis] = 1;
    slot.x.fill(0);
    addImpulse(slot, sides, i, unit, 0);
    solveSlot(fiber, slot);
    readPoint(moved, 0, slot, sides, i);
    trace += moved[axis] / 3;
  }
  return trace;
}

/**
 * Sides from which on their responses are read off blocks of the inverse, not found by solves of their own: of a rope with a hundred sides
 * these solves were half of all the time.
 */
const MANY = 8;

/** Factor and inverse of a matrix, one for each number of rings. */
const inverses = new Map<number, { readonly factor: SymmetricFactor; readonly inverse: SelectedInverse }>();

function writeTraces(response: Float64Array, fiber: FiberRod, slot: Slot, sides: ContactSides): void {
  const { count, side, rows, scale } = slot;
  let inverse: SelectedInverse | undefined;
  if (count >= MANY) {
    const { ringCount } = fiber;
    const work = inverses.get(ringCount) ?? {
      factor: createSymmetricFactor(ringCount),
      inverse: createSelectedInverse(ringCount),
    };
    inverses.set(ringCount, work);
    let first = ringCount;
    for (let i = 0; i < count; i++) first = Math.min(first, sides.edge[side[i]]);
    if (factorSymmetric(work.factor, slot.glued, 0, slot.none, true)) {
      invertSelected(work.inverse, work.factor, first);
      inverse = work.inverse;
    }
  }
  for (let i = 0; i < count; i++) {
    const edge = sides.edge[side[i]];
    // rings that are partly held have coordinates of their own
    const held = fiber.held.some(({ active, ring }) => active && (ring === edge || ring === edge + 1));
    response[side[i]] =
      inverse && !held ? (scale / 3) * traceOfBlocks(inverse, rows, 72 * i, edge) : traceOf(fiber, slot, sides, i);
  }
}

/** tr(S Z Sᵀ) of the three rows at o, over two rings. */
function traceOfBlocks(
  { diagonal: Z, upper: Y }: SelectedInverse,
  rows: Float64Array,
  o: number,
  edge: number,
): number {
  const at = 144 * edge;
  let trace = 0;
  for (let s = o; s < o + 72; s += 24) {
    for (let a = 0; a < 12; a++) {
      const [x, y] = [rows[s + a], rows[s + 12 + a]];
      if (x === 0 && y === 0) continue;
      const row = at + 12 * a;
      let near = 0;
      let across = 0;
      let far = 0;
      for (let b = 0; b < 12; b++) {
        near += Z[row + b] * rows[s + b];
        across += Y[row + b] * rows[s + 12 + b];
        far += Z[row + 144 + b] * rows[s + 12 + b];
      }
      trace += x * (near + 2 * across) + y * far;
    }
  }
  return trace;
}

/** Adds ρ SᵀS/h² of point i. */
function addPointMass({ glued, rows, side, scale }: Slot, sides: ContactSides, i: number): void {
  const rho = scale * sides.mass[side[i]];
  if (rho === 0) return;
  const at = 144 * sides.edge[side[i]];
  for (let a = 0; a < 24; a++) {
    for (let b = 0; b < 24; b++) {
      let sum = 0;
      for (let axis = 0; axis < 3; axis++) sum += rows[72 * i + 24 * axis + a] * rows[72 * i + 24 * axis + b];
      if (sum === 0) continue;
      const to = a < 12 === b < 12 ? glued.diagonal : a < 12 ? glued.upper : glued.lower;
      const block = a >= 12 && b >= 12 ? at + 144 : at;
      to[block + 12 * (a % 12) + (b % 12)] += rho * sum;
    }
  }
}
