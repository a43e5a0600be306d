/** One pair of rods in the kernel: pins, loads, state and samples in and out, stages and steps (der.ts has what it is about). */

import { turnPlaceOf, turnsFar } from '../models/der/guard.ts';
import type { PairKernel, PairMember, PairSolver } from '../models/der/kernel.ts';
import { evaluatePins } from '../models/der/kinematics.ts';
import type { DerRod } from '../models/der/rod.ts';
import type { RodStep, StepStart } from '../models/der/rodStep.ts';
import { keepState } from '../models/der/snapshot.ts';
import { evaluateLoads, type Stage, sumLoads } from '../models/der/stage.ts';
import { dependsOnState } from '../models/loadJacobian.ts';
import type { NewtonOptions } from '../models/mixedNewton.ts';
import type { Loads } from '../port.ts';
import type { NewtonResult } from '../statics/search.ts';
import { readContacts, writeContacts } from './contacts.ts';
import { hasAny, interleave, placeOf, take, takeNodes } from './copy.ts';
import type { KernelMemory, Shared } from './der.ts';
import { codes, contactOutcomes, loadBits, outcomes, stages } from './description.ts';
import { type Addresses, contactCapacity, FIXED_COUNT, type Field, LOADS } from './layout.ts';

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
const { ASK_LOADS: ASK, WITH_TORQUE: TORQUE, WITH_DRAG: DRAG } = loadBits;
const { RESIDUAL, LIMIT, ITERATIONS, SHIFTS } = outcomes;
const { CONTACT_ROUNDS, CONTACT_ITERATIONS, CONTACT_ERROR, CONTACT_SHIFTS, CONTACT_UNCONVERGED } = contactOutcomes;

export function createPair(
  memory: KernelMemory,
  block: number,
  addresses: Addresses,
  shared: Shared,
  members: readonly [PairMember, PairMember],
): PairKernel {
  const { exports, doubles, bytes, integers } = memory;
  const first = members[0].der;
  const second = members[1].der;
  const rods = [first, second] as const;
  const head = block >> 2;
  const outcome = exports.outcomeAddress() >> 3;
  const contactOutcome = exports.contactOutcomeAddress() >> 3;
  const place = addresses.place >> 3;
  const placeRate = addresses.placeRate >> 3;
  const heldTangent = addresses.heldTangent >> 3;
  const heldDirector = addresses.heldDirector >> 3;
  const heldTheta = addresses.heldTheta >> 3;
  const heldThetaStart = addresses.heldThetaStart >> 3;
  const kept = 4 * first.edgeCount + first.joints.count + first.size;

  /** The rod in each lane: one rod is in both where the other waits, and nothing of that one is looked at. */
  const inLane = [first, second];
  const setLanes = (a: number, b: number): void => {
    inLane[0] = rods[a];
    inLane[1] = rods[b];
  };
  /** What is prescribed and what acts, as of the last `evaluatePins` of the first rod. */
  const writeLists = ({ fixed, jointActive }: DerRod): void => {
    let count = 0;
    for (let d = 0; d < first.size; d++) if (fixed[d]) integers[(addresses.fixed >> 2) + count++] = d;
    shared.fixed = count;
    bytes.set(jointActive, addresses.active);
  };
  /** Held frames, where pins have their nodes, and how these move. */
  const writePoses = (): void => {
    for (let lane = 0; lane < 2; lane++) {
      const { pins, poses, held } = inLane[lane];
      for (let h = 0; h < held.count; h++) {
        const { tangent, director, twist } = poses[held.pin[h]];
        for (let k = 0; k < 3; k++) {
          doubles[heldTangent + 6 * h + 2 * k + lane] = tangent[k];
          doubles[heldDirector + 6 * h + 2 * k + lane] = director[k];
        }
        doubles[heldTheta + 2 * h + lane] = twist;
      }
      for (let p = 0; p < pins.length; p++) {
        const { node, holdX, holdY, holdZ } = pins[p];
        const { position, velocity, active } = poses[p];
        if (!active) continue;
        const o = 8 * node + lane;
        if (holdX) {
          doubles[place + o] = position[0];
          doubles[placeRate + o] = velocity[0];
        }
        if (holdY) {
          doubles[place + o + 2] = position[1];
          doubles[placeRate + o + 2] = velocity[1];
        }
        if (holdZ) {
          doubles[place + o + 4] = position[2];
          doubles[placeRate + o + 4] = velocity[2];
        }
      }
    }
  };
  /** Pins to time t; false where other pins of one rod hold than of the other. */
  const movePins = (t: number): boolean => {
    let pattern = 0;
    for (let lane = 0; lane < 2; lane++) {
      const { pins, poses, held } = inLane[lane];
      let bits = 0;
      for (let h = 0; h < held.count; h++) {
        const start = heldThetaStart + 2 * h + lane;
        doubles[start] = lane === 1 && inLane[1] === inLane[0] ? doubles[start - 1] : poses[held.pin[h]].twist;
      }
      for (let p = 0; p < pins.length; p++) {
        if (lane === 0 || inLane[1] !== inLane[0]) pins[p].evaluate(poses[p], t);
        if (poses[p].active) bits += 2 ** p;
      }
      if (lane === 1 && bits !== pattern) return false;
      pattern = bits;
    }
    if (pattern !== shared.pattern) {
      evaluatePins(inLane[0], t);
      writeLists(inLane[0]);
      shared.pattern = pattern;
    }
    integers[head + FIXED_COUNT] = shared.fixed;
    writePoses();
    return true;
  };
  const writeLoads = (a: Loads, b: Loads, ask: number): void => {
    const torque = hasAny(a.edgeTorque) || hasAny(b.edgeTorque) ? TORQUE : 0;
    interleave(doubles, addresses.force >> 3, a.nodeForce, 0, b.nodeForce, 0, a.nodeForce.length);
    if (torque) interleave(doubles, addresses.torque >> 3, a.edgeTorque, 0, b.edgeTorque, 0, a.edgeTorque.length);
    if (ask) interleave(doubles, addresses.drag >> 3, a.nodeDrag, 0, b.nodeDrag, 0, a.nodeDrag.length);
    integers[head + LOADS] = ask | torque | (ask ? DRAG : 0);
  };
  const posed = rods.map(({ samples }) => samples);
  const sampled = posed.map(({ nodePosition }) => memory.wholeOf(nodePosition));
  const samplePlaces = Int32Array.from(posed.flatMap(Object.values), placeOf);
  const writeSamples = (lane: number): void => {
    const to = sampled[lane];
    const o = 5 * lane;
    const v = (addresses.v >> 3) + lane;
    takeNodes(to, samplePlaces[o], doubles, (addresses.q >> 3) + lane, first.nodeCount);
    takeNodes(to, samplePlaces[o + 1], doubles, v, first.nodeCount);
    take(to, samplePlaces[o + 2], doubles, (addresses.tangent >> 3) + lane, 3 * first.edgeCount);
    take(to, samplePlaces[o + 3], doubles, (addresses.m1 >> 3) + lane, 3 * first.edgeCount);
    for (let j = 0; j < first.edgeCount; j++) to[samplePlaces[o + 4] + j] = doubles[v + 8 * j + 6];
  };
  let time = 0;
  const ask = (): void => {
    for (let lane = 0; lane < 2; lane++) {
      if (inLane[lane] !== rods[lane]) continue;
      writeSamples(lane);
      sumLoads(rods[lane], time, rods[lane].loads);
    }
    writeLoads(inLane[0].loads, inLane[1].loads, ASK);
  };
  const report = (code: number, iterations: number): NewtonResult => {
    result.converged = code === 0;
    const read = (entry: number, lane: number): number => doubles[outcome + 2 * entry + lane];
    result.residual = Math.max(read(RESIDUAL, 0), read(RESIDUAL, 1));
    result.tolerance = Math.max(read(LIMIT, 0), read(LIMIT, 1));
    result.iterations = Math.max(read(ITERATIONS, 0), read(ITERATIONS, 1));
    result.shifts = read(SHIFTS, 0) + read(SHIFTS, 1);
    result.reason = code === NO_CONVERGENCE ? `no convergence in ${iterations} iterations` : reasons[code];
    return result;
  };

  const solve: PairSolver = (stage: Stage, options: NewtonOptions): NewtonResult => {
    setLanes(0, 1);
    writeLists(first);
    shared.pattern = -1;
    integers[head + FIXED_COUNT] = shared.fixed;
    writePoses();
    const asks = dependsOnState(first.drive) || dependsOnState(second.drive);
    time = stage.t;
    memory.ask = ask;
    integers[head + LOADS] = ASK;
    if (!asks) {
      for (const der of rods) evaluateLoads(der, stage.t);
      writeLoads(first.loads, second.loads, 0);
    }
    for (const [field, of] of carried)
      interleave(doubles, addresses[field] >> 3, of(members[0]), 0, of(members[1]), 0, of(members[0]).length);
    const { tolerance, iterations, rotation, firstShift = 1e-7 } = options;
    const code = exports.solvePair(block, stage.inertia, stage.rate, tolerance, iterations, rotation, firstShift);
    for (let lane = 0; lane < 2; lane++)
      for (const [field, of] of returned)
        take(of(members[lane]), 0, doubles, (addresses[field] >> 3) + lane, of(members[lane]).length);
    return report(code, iterations);
  };

  const { size } = first;
  const wholeQ = memory.wholeOf(first.q);
  const wholeV = memory.wholeOf(first.v);
  const wholeMemory = memory.wholeOf(first.memory);
  /** Where the rods' numbers start in the bundle's. */
  const sources = {
    q: [first.q, second.q].map(placeOf),
    v: [first.v, second.v].map(placeOf),
    memory: [first.memory, second.memory].map(placeOf),
    history: [first.history, second.history].map(placeOf),
  };

  /** Loads at t, now or whenever the kernel asks for them. */
  const readLoads = (t: number, asks: boolean): void => {
    time = t;
    memory.ask = ask;
    integers[head + LOADS] = ASK;
    if (asks) return;
    sumLoads(inLane[0], t, shared.loads[0]);
    sumLoads(inLane[1], t, shared.loads[1]);
    writeLoads(shared.loads[0], shared.loads[1], 0);
  };

  /** One stage with pins and loads at t; a code as `reasons` has them. */
  const runStage = (kind: number, t: number, h: number, asks: boolean, options: NewtonOptions): number => {
    if (!movePins(t)) return NO_GUESS;
    readLoads(t, asks);
    const a = wholeMemory[sources.history[0] + 1] > 0 ? 1 : 0;
    const b = wholeMemory[sources.history[1] + 1] > 0 ? 1 : 0;
    const { tolerance, iterations, rotation } = options;
    const code = exports.stagePair(block, kind, h, a, b, tolerance, iterations, rotation);
    const { iterations: count, shifts } = report(code, iterations);
    taken.iterations += count;
    taken.iterationsMax = Math.max(taken.iterationsMax, count);
    taken.shifts += shifts;
    return code;
  };

  /** State of rod a to the first lane and of rod b to the second. */
  const load = (a: number, b: number): void => {
    setLanes(a, b);
    interleave(doubles, addresses.q >> 3, wholeQ, sources.q[a], wholeQ, sources.q[b], size);
    interleave(doubles, addresses.v >> 3, wholeV, sources.v[a], wholeV, sources.v[b], size);
    interleave(doubles, addresses.reference >> 3, wholeMemory, sources.memory[a], wholeMemory, sources.memory[b], kept);
  };
  /** And back, with samples; `last`: what the rod's last step was. */
  const unload = (lane: number, last: number): void => {
    take(wholeQ, sources.q[lane], doubles, (addresses.q >> 3) + lane, size);
    take(wholeV, sources.v[lane], doubles, (addresses.v >> 3) + lane, size);
    take(wholeMemory, sources.memory[lane], doubles, (addresses.reference >> 3) + lane, kept);
    wholeMemory[sources.history[lane] + 1] = last;
    writeSamples(lane);
  };

  const writeStart = ({ q, v }: StepStart, h: number, lane: number): void => {
    const rate = (addresses.qRate >> 3) + lane;
    const hat = (addresses.qHat >> 3) + lane;
    for (let d = 0; d < size; d++) {
      doubles[rate + 2 * d] = q[d];
      doubles[hat + 2 * d] = q[d] + h * v[d];
    }
  };

  const waits = [false, false];
  const stepInContact: PairKernel['stepInContact'] = (job, one, other, starts, options) => {
    const { t, dt: h, fresh, from, to } = job;
    // no object and no list for each of thousands of pairs
    waits[0] = one < 0;
    waits[1] = other < 0;
    const count = Math.max(one < 0 ? 0 : to[one] - from[one], other < 0 ? 0 : to[other] - from[other]);
    clearTaken();
    const asks = dependsOnState(first.drive) || dependsOnState(second.drive);
    if (count > contactCapacity(first.nodeCount)) return taken;
    load(waits[0] ? 1 : 0, waits[1] ? 0 : 1);
    // where held frames are turned from
    for (let lane = 0; lane < 2 && fresh; lane++) {
      const { held, pins, poses } = inLane[lane];
      for (let p = 0; p < pins.length && held.count > 0; p++) pins[p].evaluate(poses[p], t);
    }
    let code = exports.beginStep(block);
    if (code === 0 && !movePins(t + h)) code = NO_GUESS;
    if (code === 0) {
      for (let lane = 0; lane < 2 && !fresh; lane++) writeStart(starts[waits[lane] ? 1 - lane : lane], h, lane);
      readLoads(t + h, asks);
      writeContacts(doubles, integers, addresses.contacts, 0, job, one, count);
      writeContacts(doubles, integers, addresses.contacts, 1, job, other, count);
      const { speed, tolerance: precision, iterations } = job;
      const { tolerance, rotation } = options;
      code = exports.stepPairInContact(
        block,
        h,
        fresh ? 1 : 0,
        waits[0] ? 1 : 0,
        waits[1] ? 1 : 0,
        count,
        speed,
        precision,
        iterations,
        tolerance,
        rotation,
      );
    }
    for (let lane = 0; lane < 2; lane++) {
      const rounds = doubles[contactOutcome + 2 * CONTACT_ROUNDS + lane];
      taken.iterations += rounds;
      taken.iterationsMax = Math.max(taken.iterationsMax, rounds);
      taken.shifts += doubles[contactOutcome + 2 * CONTACT_SHIFTS + lane];
      if (waits[lane]) continue;
      job.solverIterations = Math.max(job.solverIterations, doubles[contactOutcome + 2 * CONTACT_ITERATIONS + lane]);
      if (code !== 0) continue;
      if (doubles[contactOutcome + 2 * CONTACT_UNCONVERGED + lane] > 0) job.converged = false;
      job.error = Math.max(job.error, doubles[contactOutcome + 2 * CONTACT_ERROR + lane]);
    }
    taken.ok = code === 0;
    taken.reason = reasons[code];
    if (code !== 0) {
      for (let lane = 0; lane < 2 && fresh; lane++) evaluatePins(inLane[lane], t);
      return taken;
    }
    for (let lane = 0; lane < 2; lane++) {
      if (waits[lane]) continue;
      wholeMemory[sources.history[lane]] = 0;
      unload(lane, 2);
      readContacts(doubles, addresses.contacts, lane, job, lane === 0 ? one : other);
    }
    return taken;
  };

  const places = [0, 1].map((lane) => ({ ...turnPlaceOf(first), start: (addresses.q >> 3) + lane, step: 2 }));
  const turned = (lane: number): boolean => turnsFar(wholeQ, sources.q[lane], doubles, places[lane]);

  const step: PairKernel['step'] = (scheme, t, h, options) => {
    load(0, 1);
    const asks = dependsOnState(first.drive) || dependsOnState(second.drive);
    clearTaken();
    let code = exports.beginStep(block);
    if (code === 0 && scheme === 'tr-bdf2') code = runStage(TRAPEZOID, t + (2 - Math.SQRT2) * h, h, asks, options);
    if (code === 0) code = runStage(scheme === 'tr-bdf2' ? SECOND : EULER, t + h, h, asks, options);
    if (code !== 0) {
      for (const der of rods) evaluatePins(der, t);
      taken.reason = report(code, options.iterations).reason;
      return code === NO_GUESS ? undefined : taken;
    }
    // what turns far may have gained energy, and is measured one by one
    if (scheme === 'tr-bdf2' && (turned(0) || turned(1))) {
      for (const der of rods) evaluatePins(der, t);
      taken.reason = 'an edge turned far';
      return taken;
    }
    taken.ok = true;
    if (taken.shifts > 0) for (const { der, start } of members) keepState(start, der);
    for (let lane = 0; lane < 2; lane++) {
      if (scheme === 'implicit-euler') wholeMemory[sources.history[lane]] = 0;
      unload(lane, 1);
    }
    return taken;
  };
  return { solve, step, stepInContact };
}

/** Of the last stage and the last step. */
const taken: RodStep = { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };

function clearTaken(): void {
  taken.ok = false;
  taken.iterations = 0;
  taken.iterationsMax = 0;
  taken.shifts = 0;
  taken.reason = '';
}
const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };

type Carried = readonly [Field, (member: PairMember) => Float64Array];

/** What a stage needs of a rod. */
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

/** What it leaves. */
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
