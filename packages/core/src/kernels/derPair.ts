/** One pair of rods in the kernel: single stages, whole steps and steps with contact (overview in der.ts). */

import type { SingleRodBatch } from '../model.ts';
import { turnsFar } from '../models/der/guard.ts';
import type { PairKernel, PairMember, PairScheme } from '../models/der/kernel.ts';
import { evaluatePins } from '../models/der/kinematics.ts';
import type { StepStart } from '../models/der/slip.ts';
import { keepState } from '../models/der/snapshot.ts';
import { evaluateLoads, type Stage } from '../models/der/stage.ts';
import type { NewtonOptions } from '../models/mixedNewton.ts';
import type { RodStep } from '../models/rodStep.ts';
import type { NewtonResult } from '../statics/search.ts';
import { readContacts, writeContacts } from './contacts.ts';
import { interleave, take } from './copy.ts';
import type { KernelMemory, Shared } from './derMemory.ts';
import {
  answerLoads,
  askLoads,
  hasStateLoads,
  movePins,
  readLoads,
  writeLists,
  writeLoads,
  writePoses,
} from './derPairInput.ts';
import { createPairState, load, type Pair, setLanes, unload, writeStart } from './derPairState.ts';
import { codes, contactOutcomes, outcomes, stages } from './description.ts';
import { type Addresses, contactCapacity, type PairField } from './layout.ts';

/** In the order of `codes`. */
const reasons: readonly string[] = [
  '',
  'an edge has no length or a position is not a number',
  'two edges point against each other',
  'the residual is not a number',
  'no convergence',
  'the stiffness matrix cannot be made positive definite',
  'the Newton step is not a number',
  'the first guess turns a clamp too far',
];
const { NO_GUESS, NO_CONVERGENCE } = codes;
const { EULER, TRAPEZOID, SECOND } = stages;
const { RESIDUAL, LIMIT, ITERATIONS, SHIFTS } = outcomes;
const { CONTACT_ROUNDS, CONTACT_ITERATIONS, CONTACT_ERROR, CONTACT_SHIFTS, CONTACT_UNCONVERGED } = contactOutcomes;

export function createPair(
  memory: KernelMemory,
  block: number,
  addresses: Addresses,
  shared: Shared,
  members: readonly [PairMember, PairMember],
): PairKernel {
  const pair: Pair = { ...createPairState(memory, block, addresses, shared, members), ask: () => answerLoads(pair) };
  return {
    solve: (stage, options) => solve(pair, stage, options),
    step: (scheme, t, h, options) => step(pair, scheme, t, h, options),
    stepInContact: (job, one, other, starts, options) => stepInContact(pair, job, one, other, starts, options),
  };
}

/** Runs one stage on the rods' own arrays. */
function solve(pair: Pair, stage: Stage, options: NewtonOptions): NewtonResult {
  const { memory, block, addresses, shared, members, rods } = pair;
  const { doubles, exports } = memory;
  setLanes(pair, 0, 1);
  writeLists(pair, rods[0]);
  shared.pattern = -1;
  writePoses(pair);
  pair.loadTime = stage.t;
  askLoads(pair);
  if (!hasStateLoads(pair)) {
    for (const der of rods) evaluateLoads(der, stage.t);
    writeLoads(pair, rods[0].loads, rods[1].loads, 0);
  }
  for (const [field, of] of carried)
    interleave(doubles, addresses[field] >> 3, of(members[0]), 0, of(members[1]), 0, of(members[0]).length);
  const { tolerance, iterations, rotation, firstShift = 1e-7 } = options;
  const { inertia, rate, span = 0 } = stage;
  const code = exports.solvePair(block, inertia, rate, tolerance, iterations, rotation, firstShift, span);
  for (let lane = 0; lane < 2; lane++)
    for (const [field, of] of returned)
      take(of(members[lane]), 0, doubles, (addresses[field] >> 3) + lane, of(members[lane]).length);
  return report(pair, code, iterations);
}

const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };

/** Result of the kernel's last stage. */
function report({ memory, outcome }: Pair, code: number, iterations: number): NewtonResult {
  const { doubles } = memory;
  const read = (entry: number, lane: number): number => doubles[outcome + 2 * entry + lane];
  result.converged = code === 0;
  result.residual = Math.max(read(RESIDUAL, 0), read(RESIDUAL, 1));
  result.tolerance = Math.max(read(LIMIT, 0), read(LIMIT, 1));
  result.iterations = Math.max(read(ITERATIONS, 0), read(ITERATIONS, 1));
  result.shifts = read(SHIFTS, 0) + read(SHIFTS, 1);
  result.reason = code === NO_CONVERGENCE ? `no convergence in ${iterations} iterations` : reasons[code];
  return result;
}

/** Statistics of the last step: one object for all pairs, because there are thousands. */
const taken: RodStep = { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };

function clearTaken(): void {
  taken.ok = false;
  taken.iterations = 0;
  taken.iterationsMax = 0;
  taken.shifts = 0;
  taken.reason = '';
}

/** A whole step: the stages of the scheme, and the checks that a kernel's step must pass. */
function step(pair: Pair, scheme: PairScheme, t: number, h: number, options: NewtonOptions): RodStep | undefined {
  const { memory, block, rods, members, wholeMemory, history } = pair;
  load(pair, 0, 1);
  clearTaken();
  const isSecondOrder = scheme === 'tr-bdf2';
  let code = memory.exports.beginStep(block);
  if (code === 0 && isSecondOrder) code = runStage(pair, TRAPEZOID, t + (2 - Math.SQRT2) * h, h, options);
  if (code === 0) code = runStage(pair, isSecondOrder ? SECOND : EULER, t + h, h, options);
  if (code !== 0) {
    for (const der of rods) evaluatePins(der, t);
    taken.reason = report(pair, code, options.iterations).reason;
    return code === NO_GUESS ? undefined : taken;
  }
  // a rod that turns far may have gained energy, and is measured separately
  if (isSecondOrder && (turned(pair, 0) || turned(pair, 1))) {
    for (const der of rods) evaluatePins(der, t);
    taken.reason = 'an edge turned far';
    return taken;
  }
  taken.ok = true;
  if (taken.shifts > 0) for (const { der, start } of members) keepState(start, der);
  for (let lane = 0; lane < 2; lane++) {
    if (!isSecondOrder) wholeMemory[history[lane]] = 0;
    unload(pair, lane, 1);
  }
  return taken;
}

/** One stage with pins and loads at t; returns a code of `reasons`. */
function runStage(pair: Pair, kind: number, t: number, h: number, options: NewtonOptions): number {
  if (!movePins(pair, t)) return NO_GUESS;
  readLoads(pair, t);
  const { memory, block, wholeMemory, history } = pair;
  const a = wholeMemory[history[0] + 1] > 0 ? 1 : 0;
  const b = wholeMemory[history[1] + 1] > 0 ? 1 : 0;
  const { tolerance, iterations, rotation } = options;
  const code = memory.exports.stagePair(block, kind, h, a, b, tolerance, iterations, rotation);
  const { iterations: count, shifts } = report(pair, code, iterations);
  taken.iterations += count;
  taken.iterationsMax = Math.max(taken.iterationsMax, count);
  taken.shifts += shifts;
  return code;
}

function turned({ wholeQ, q, memory, turnPlaces }: Pair, lane: number): boolean {
  return turnsFar(wholeQ, q[lane], memory.doubles, turnPlaces[lane]);
}

/** An implicit Euler step of rods `one` and `other` of the job (−1: that lane idles) under the contacts that the job lists. */
function stepInContact(
  pair: Pair,
  job: SingleRodBatch,
  one: number,
  other: number,
  starts: readonly [StepStart, StepStart],
  options: NewtonOptions,
): RodStep {
  const { t, from, to } = job;
  const count = Math.max(one < 0 ? 0 : to[one] - from[one], other < 0 ? 0 : to[other] - from[other]);
  clearTaken();
  if (count > contactCapacity(pair.rods[0].nodeCount)) return taken;
  const code = solveInContact(pair, job, { one, other, count }, starts, options);
  countContact(pair, job, code, 0, one);
  countContact(pair, job, code, 1, other);
  taken.ok = code === 0;
  taken.reason = reasons[code];
  if (code !== 0) {
    for (let lane = 0; lane < 2 && job.fresh; lane++) evaluatePins(pair.inLane[lane], t);
    return taken;
  }
  leaveContact(pair, job, 0, one);
  leaveContact(pair, job, 1, other);
  return taken;
}

/** Rods of the batch in the first and second lane (−1: none), and the number of contact slots. */
interface ContactLanes {
  readonly one: number;
  readonly other: number;
  readonly count: number;
}

/** Copies state, pins, loads and contacts into the kernel and runs the step; returns a code of `reasons`. */
function solveInContact(
  pair: Pair,
  job: SingleRodBatch,
  { one, other, count }: ContactLanes,
  starts: readonly [StepStart, StepStart],
  { tolerance, rotation }: NewtonOptions,
): number {
  const { memory, block, addresses, inLane } = pair;
  const { exports } = memory;
  const { t, dt: h, fresh, speed, tolerance: precision, iterations } = job;
  const a = one < 0 ? 1 : 0;
  const b = other < 0 ? 0 : 1;
  load(pair, a, b);
  // initial frames, from which held frames turn
  for (let lane = 0; lane < 2 && fresh; lane++) {
    const { held, pins, poses } = inLane[lane];
    for (let p = 0; p < pins.length && held.count > 0; p++) pins[p].evaluate(poses[p], t);
  }
  const code = exports.beginStep(block);
  if (code !== 0) return code;
  if (!movePins(pair, t + h)) return NO_GUESS;
  if (!fresh) {
    writeStart(pair, starts[a], h, 0);
    writeStart(pair, starts[b], h, 1);
  }
  readLoads(pair, t + h);
  writeContacts(memory, addresses.contacts, 0, job, one, count);
  writeContacts(memory, addresses.contacts, 1, job, other, count);
  const isFresh = fresh ? 1 : 0;
  return exports.stepPairInContact(
    block,
    h,
    isFresh,
    one < 0 ? 1 : 0,
    other < 0 ? 1 : 0,
    count,
    speed,
    precision,
    iterations,
    tolerance,
    rotation,
  );
}

/** Adds the statistics of the rod in a lane; `rod`: its index in the job, −1 if the lane idles. */
function countContact(pair: Pair, job: SingleRodBatch, code: number, lane: number, rod: number): void {
  const { doubles } = pair.memory;
  const at = pair.contactOutcome + lane;
  const rounds = doubles[at + 2 * CONTACT_ROUNDS];
  taken.iterations += rounds;
  taken.iterationsMax = Math.max(taken.iterationsMax, rounds);
  taken.shifts += doubles[at + 2 * CONTACT_SHIFTS];
  if (rod < 0) return;
  job.solverIterations = Math.max(job.solverIterations, doubles[at + 2 * CONTACT_ITERATIONS]);
  if (code !== 0) return;
  if (doubles[at + 2 * CONTACT_UNCONVERGED] > 0) job.converged = false;
  job.error = Math.max(job.error, doubles[at + 2 * CONTACT_ERROR]);
}

/** Copies state, samples and contacts of the rod in a lane out of the kernel. */
function leaveContact(pair: Pair, job: SingleRodBatch, lane: number, rod: number): void {
  if (rod < 0) return;
  pair.wholeMemory[pair.history[lane]] = 0;
  unload(pair, lane, 2);
  readContacts(pair.memory.doubles, pair.addresses.contacts, lane, job, rod);
}

type Carried = readonly [PairField, (member: PairMember) => Float64Array];

/** Inputs of a stage. */
const carried: readonly Carried[] = [
  ['q', ({ der }) => der.q],
  ['v', ({ der }) => der.v],
  ['qHat', ({ work }) => work.qHat],
  ['qRate', ({ work }) => work.qRate],
  ['tension', ({ der }) => der.edgeTension],
  ['tangent', ({ der }) => der.edgeTangent],
  ['reference', ({ der }) => der.edgeReference],
  ['referenceTwist', ({ der }) => der.jointReferenceTwist],
];

/** Outputs of a stage. */
const returned: readonly Carried[] = [
  ['q', ({ der }) => der.q],
  ['v', ({ der }) => der.v],
  ['tension', ({ der }) => der.edgeTension],
  ['length', ({ der }) => der.edgeLength],
  ['tangent', ({ der }) => der.edgeTangent],
  ['reference', ({ der }) => der.edgeReference],
  ['m1', ({ der }) => der.edgeM1],
  ['m2', ({ der }) => der.edgeM2],
  ['referenceTwist', ({ der }) => der.jointReferenceTwist],
  ['twist', ({ der }) => der.jointTwist],
];
