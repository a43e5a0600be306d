/**
 * Contact for strands of the batch formulation in double precision: the implicit step under forces at points of edges, and its linear
 * response. contact/ finds contacts and impulses, as for any model, with every collider that a scene may have.
 *
 * A strand in contact takes implicit Euler. There are three copies of its state: at the start of the step; at the last Newton iterate, from which a call
 * with other forces continues; and at the end of the step, with velocities. The first iterate is close to the start: a whole step without contact forces
 * would carry a taut rope through the obstacle below it.
 */
import type { SystemEnergy } from '../contactPort.ts';
import type { BundleState, ContactPort, StepOutcome } from '../model.ts';
import type { ContactSides, LinearizedStep, SideResponse } from '../port.ts';
import type { Quaternion, Vector } from './algebra.ts';
import { jointEnergy } from './energy.ts';
import { zeroVector } from './formulas.ts';
import { DISPLACEMENT, type Stage } from './layout.ts';
import type { EdgePoint } from './points.ts';
import { type Factored, measureCompliance, predictPoints, respondToForces, takeFactors } from './response.ts';
import { type BatchRod, evaluateRoot } from './rod.ts';
import { eulerStage } from './schemes.ts';
import {
  AFTER_CONTACT,
  adoptState,
  beginSolve,
  completeStep,
  continueSolve,
  keepFrames,
  type StepOptions,
  type StepResult,
} from './step.ts';
import type { Root } from './strand.ts';
import { eliminateStrand } from './sweeps.ts';

/** A state of one strand. */
interface Snapshot {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly memory: Float64Array;
}

/** Data of one strand that lasts over the iterations of a step with contact. */
interface Slot {
  readonly batch: BatchRod;
  /** Views into the bundle's state. */
  readonly state: Snapshot;
  readonly start: Snapshot;
  readonly iterate: Snapshot;
  readonly finished: Snapshot;
  /** True if the strand is at the start of the step and has no iterate yet. */
  fresh: boolean;
  tip: Quaternion;
  root: Root;
  tangentBefore: Float64Array;
  /** For each edge: its contact points, and the indices of their sides. */
  points: EdgePoint[][];
  sides: number[][];
  factored: Factored | undefined;
}

const copy = (to: Snapshot, from: Snapshot): void => {
  to.q.set(from.q);
  to.v.set(from.v);
  to.memory.set(from.memory);
};
const clone = ({ q, v, memory }: Snapshot): Snapshot => ({ q: q.slice(), v: v.slice(), memory: memory.slice() });

export interface BatchContactParts {
  readonly batch: readonly BatchRod[];
  /** Each strand's part of the bundle's state. */
  readonly states: readonly BundleState[];
  readonly options: StepOptions;
}

const vectorAt = (from: Float64Array, c: number): Vector => [from[3 * c], from[3 * c + 1], from[3 * c + 2]];

/** The first guess ignores the acceleration of the previous step, because contacts change it. */
const stageOf = (dt: number, { scheme }: StepOptions): Stage => ({
  ...eulerStage(dt, scheme === 'tr-bdf2' ? 2 : 1),
  guessRate: 0,
});

/** The sides of a strand as points of its edges, with their forces; `inertia` > 0: with their point masses, too. */
function placePoints(slot: Slot, k: number, sides: ContactSides, inertia: number): void {
  const { edgeCount } = slot.batch.rod;
  slot.points = Array.from({ length: edgeCount }, () => []);
  slot.sides = Array.from({ length: edgeCount }, () => []);
  for (let c = 0; c < sides.count; c++) {
    if (sides.rod[c] !== k) continue;
    const j = sides.edge[c];
    slot.points[j].push({
      part: sides.weight[c],
      arm: vectorAt(sides.arm, c),
      force: vectorAt(sides.force, c),
      normal: zeroVector(),
      stiffness: 0,
      tangentStiffness: inertia * (inertia > 0 ? sides.mass[c] : 0),
    });
    slot.sides[j].push(c);
  }
  slot.batch.strand.points = slot.points;
}

/** First iterate of a step: edges turn as the free flight of their end nodes suggests. The state stays at the start. */
function beginStrand(slot: Slot, t: number, dt: number, options: StepOptions): void {
  const { batch, state, start, iterate, finished } = slot;
  copy(state, start);
  adoptState(batch, t);
  slot.tangentBefore = keepFrames(batch);
  slot.tip = beginSolve(batch, stageOf(dt, options), t + dt);
  slot.root = { ...batch.strand.root };
  copy(iterate, state);
  copy(state, start);
  copy(finished, start);
  adoptState(batch, t);
  slot.fresh = false;
}

/** Implicit Euler under the forces at the points, from the last iterate. */
function moveStrand(slot: Slot, t: number, dt: number, options: StepOptions): StepResult {
  const { batch, state, iterate, finished } = slot;
  const stage = stageOf(dt, options);
  const out: StepResult = { ok: false, iterations: 0, iterationsMax: 0, reason: '' };
  if (slot.fresh) beginStrand(slot, t, dt, options);
  copy(state, iterate);
  // the step ends at the pose of the pin at t + dt; reading and linearizing evaluate it at t
  evaluateRoot(batch, t + dt);
  Object.assign(batch.strand.root, slot.root);
  const { tip, failure } = continueSolve(batch, { stage, tip: slot.tip, t: t + dt }, options, out);
  out.reason = failure;
  if (failure) return out;
  slot.tip = tip;
  slot.root = { ...batch.strand.root };
  copy(iterate, state);
  completeStep(batch, stage, dt, slot.tangentBefore);
  batch.history[0] = AFTER_CONTACT;
  copy(finished, state);
  out.ok = true;
  return out;
}

/** Factors Newton's matrix at the iterate, with the current contact points. */
function factorStrand(slot: Slot, dt: number, options: StepOptions): void {
  const { batch, state, iterate, finished } = slot;
  const { strand } = batch;
  const root = { ...strand.root };
  copy(state, iterate);
  Object.assign(strand.root, slot.root);
  strand.eliminated = [];
  const stage = stageOf(dt, options);
  let beyond = eliminateStrand(strand, stage, slot.tip, true);
  if (!beyond.definite) beyond = eliminateStrand(strand, stage, slot.tip, false);
  slot.factored = takeFactors(strand, beyond);
  strand.eliminated = undefined;
  Object.assign(strand.root, root);
  copy(state, finished);
}

/** Velocities of the sides (S v) at the current state. */
function readVelocity(out: Float64Array, batch: readonly BatchRod[], sides: ContactSides): void {
  for (let c = 0; c < sides.count; c++) {
    const { nodeVelocity: v, edgeSpin } = batch[sides.rod[c]].samples;
    const j = sides.edge[c];
    const w = sides.weight[c];
    for (let k = 0; k < 3; k++)
      out[3 * c + k] = (1 - w) * v[3 * j + k] + w * v[3 * j + 3 + k] + edgeSpin[j] * sides.arm[3 * c + k];
  }
}

/** Velocities of the sides (S v) after a linear step from the first iterate. */
function predictVelocity(out: Float64Array, slot: Slot, dt: number): void {
  const { factored, iterate, sides, batch } = slot;
  if (!factored) return;
  const moved = slotOf(batch, iterate, DISPLACEMENT);
  predictPoints(factored, (j, c, further) => {
    const { part } = factored.points[j][c];
    for (let k = 0; k < 3; k++) {
      const sofar = (1 - part) * moved[3 * j + k] + part * moved[3 * j + 3 + k];
      out[3 * sides[j][c] + k] = (sofar + further[k]) / dt;
    }
  });
}

/** A slot of the strand's layout in a snapshot. */
function slotOf({ strand }: BatchRod, { memory }: Snapshot, index: number): Float64Array {
  const view = strand.slots[index];
  const first = Math.min(...strand.slots.map((one) => (one.buffer === view.buffer ? one.byteOffset : Infinity)));
  const o = (view.byteOffset - first) / 8;
  return memory.subarray(o, o + view.length);
}

const createSlot = (batch: BatchRod, state: BundleState): Slot => ({
  batch,
  state,
  start: clone(state),
  iterate: clone(state),
  finished: clone(state),
  fresh: true,
  tip: [0, 0, 0, 1],
  root: { ...batch.strand.root },
  tangentBefore: batch.samples.edgeTangent.slice(),
  points: [],
  sides: [],
  factored: undefined,
});

/** The strands of a bundle, and the length of the step that was linearized last. */
interface Strands {
  readonly slots: readonly Slot[];
  readonly batch: readonly BatchRod[];
  readonly options: StepOptions;
  dt: number;
}

/** Every marked strand takes a step under the forces at its sides; stops at the first that fails. */
function moveStrands(strands: Strands, marked: Uint8Array, sides: ContactSides, t: number, dt: number): StepOutcome {
  const total = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0 };
  strands.dt = dt;
  putForces(strands.batch, sides, marked);
  for (const [k, slot] of strands.slots.entries()) {
    if (!marked[k]) continue;
    placePoints(slot, k, sides, 0);
    const one = moveStrand(slot, t, dt, strands.options);
    slot.batch.strand.points = [];
    total.iterations += one.iterations;
    total.iterationsMax = Math.max(total.iterationsMax, one.iterationsMax);
    if (!one.ok) return { ...total, ok: false, failure: { rod: slot.batch.rod.id, reason: one.reason } };
  }
  return total;
}

/** `inertia`: factor on the point masses of the sides; 0 ignores them. */
function factorStrands(
  { slots, options, dt }: Strands,
  marked: Uint8Array,
  sides: ContactSides,
  inertia: number,
): void {
  for (const [k, slot] of slots.entries()) {
    if (!marked[k]) continue;
    placePoints(slot, k, sides, inertia);
    factorStrand(slot, dt, options);
    slot.batch.strand.points = [];
  }
}

/** Velocity of the sides and their response: `ContactPort.linearize`. */
function linearizeStrands(
  strands: Strands,
  { velocity, response }: SideResponse,
  marked: Uint8Array,
  sides: ContactSides,
  { t, dt, fresh }: LinearizedStep,
): void {
  const { slots, batch, options } = strands;
  strands.dt = dt;
  if (!fresh) readVelocity(velocity, batch, sides);
  else for (const [k, slot] of slots.entries()) if (marked[k]) beginStrand(slot, t, dt, options);
  factorStrands(strands, marked, sides, 0);
  if (fresh) for (const [k, slot] of slots.entries()) if (marked[k]) predictVelocity(velocity, slot, dt);
  for (const [k, { factored, sides: numbers }] of slots.entries()) {
    if (!marked[k] || !factored) continue;
    measureCompliance(factored).forEach((values, j) => {
      values.forEach((value, c) => {
        response[numbers[j][c]] = value / (dt * dt);
      });
    });
  }
}

/** Velocity of the sides under impulses at them: `ContactPort.solve`. */
function respondToImpulses(
  { slots, dt }: Strands,
  velocity: Float64Array,
  impulse: Float64Array,
  marked?: Uint8Array,
): void {
  for (const [k, { factored, sides: numbers }] of slots.entries()) {
    if (!factored || numbers.length === 0 || (marked && !marked[k])) continue;
    respondToForces(
      factored,
      (j, c) => vectorAt(impulse, numbers[j][c]),
      (j, c, displacement) => {
        for (let a = 0; a < 3; a++) velocity[3 * numbers[j][c] + a] = displacement[a] / (dt * dt);
      },
    );
  }
}

function addEnergy(out: SystemEnergy, strand: BatchRod): void {
  const { rod, samples } = strand;
  for (let i = 0; i < samples.nodeVelocity.length; i++)
    out.kinetic += 0.5 * rod.nodeMass[(i / 3) | 0] * (samples.nodeVelocity[i] * samples.nodeVelocity[i]);
  for (let j = 0; j < rod.edgeCount; j++) {
    const { bending, twisting } = jointEnergy(strand, j);
    out.elastic += bending + twisting;
  }
}

/** Every strand is a system of its own. */
export function createBatchContact({ batch, states, options }: BatchContactParts): ContactPort {
  const slots = batch.map((one, k) => createSlot(one, states[k]));
  const strands: Strands = { slots, batch, options, dt: 0 };
  return {
    systemOfRod: Int32Array.from(batch, (_, k) => k),
    systemOfBody: new Int32Array(0),
    systemCount: batch.length,
    selective: true,
    hold(marked) {
      slots.forEach((slot, k) => {
        if (marked && !marked[k]) return;
        copy(slot.start, slot.state);
        slot.fresh = true;
      });
    },
    revert(marked, t) {
      slots.forEach((slot, k) => {
        if (!marked[k]) return;
        copy(slot.state, slot.start);
        slot.fresh = true;
        adoptState(slot.batch, t);
      });
    },
    step: (marked, sides, { t, dt }) => moveStrands(strands, marked, sides, t, dt),
    readVelocity: (out, sides) => readVelocity(out, batch, sides),
    measureEnergy(out, k) {
      addEnergy(out, batch[k]);
      return true;
    },
    linearize(out, marked, sides, step) {
      linearizeStrands(strands, out, marked, sides, step);
      return true;
    },
    factor(marked, sides) {
      factorStrands(strands, marked, sides, 1 / (strands.dt * strands.dt));
      return true;
    },
    solve: (velocity, impulse, _sides, marked) => respondToImpulses(strands, velocity, impulse, marked),
    applyForces: (sides) => putForces(batch, sides),
  };
}

/**
 * Stores the forces at the sides for reactions and channels: as forces on the two nodes of an edge, and as a torque about the edge if the side has an arm.
 * `marked`: strands whose forces are replaced; all others keep theirs.
 */
function putForces(batch: readonly BatchRod[], sides: ContactSides, marked?: Uint8Array): void {
  batch.forEach(({ contactForce, contactTorque }, k) => {
    if (marked && !marked[k]) return;
    contactForce.fill(0);
    contactTorque.fill(0);
  });
  for (let c = 0; c < sides.count; c++) {
    if (marked && !marked[sides.rod[c]]) continue;
    const { contactForce, contactTorque, samples } = batch[sides.rod[c]];
    const o = 3 * sides.edge[c];
    const force = vectorAt(sides.force, c);
    const arm = vectorAt(sides.arm, c);
    const spin = arm[0] * force[0] + arm[1] * force[1] + arm[2] * force[2];
    for (let k = 0; k < 3; k++) {
      contactForce[o + k] += (1 - sides.weight[c]) * force[k];
      contactForce[o + 3 + k] += sides.weight[c] * force[k];
      contactTorque[o + k] += spin * samples.edgeTangent[o + k];
    }
  }
}
