/**
 * Discrete elastic rods two at a time, in WebAssembly with SIMD: the Newton method of models/der/newton.ts and the schemes of
 * models/der/step.ts, one rod a lane.
 *
 * The formulas are the model's own, translated (kernels/translate.ts); what is written by hand is the loop around them
 * (kernels/assembly). A step copies the state of both rods in, goes through its stages and copies state and samples back: some
 * fifty numbers a node, against 2,600 operations a node and iteration. Constants of a pair stay in memory.
 *
 * A frame of 10,000 strands is as much a matter of memory as of arithmetic: a rod has tens of arrays, and what is touched of
 * them is not in the cache when its turn comes again. So a step reads and writes the state, the samples and the pair's constants
 * and nothing else; first guess, start of the step, loads and frames live in work space that pairs share. Of a strand of 32
 * nodes that is 14 kB a step in place of 37.
 *
 * Tried: single functions (force, Hessian, solve) called from TypeScript, with the loop outside: the copying then costs
 * as much as the lanes save. Single precision for the matrix, four rods at once: the penalty of a stiff edge is 1e7 times
 * what inertia gives, and rounds the rest away.
 */
import type { DerKernel, PairKernel, PairMember, PairScheme, PairSolver } from '../models/der/kernel.ts';
import { pairKey } from '../models/der/kernel.ts';
import { evaluatePins } from '../models/der/kinematics.ts';
import type { NewtonOptions, NewtonResult } from '../models/der/newton.ts';
import type { DerRod } from '../models/der/rod.ts';
import { dependsOnState, evaluateLoads, type Stage, sumLoads } from '../models/der/stage.ts';
import type { RodStep } from '../models/der/step.ts';
import { createLoads, type Loads } from '../port.ts';
import { derWasm } from './generated/der.ts';
import {
  type Addresses,
  FIXED_COUNT,
  type Field,
  fields,
  HEAD,
  HEAP,
  type Layout,
  LOADS,
  layOut,
  own,
  STRUCTURE,
} from './layout.ts';

interface Exports {
  readonly outcomeAddress: () => number;
  readonly solvePair: (
    block: number,
    inertia: number,
    rate: number,
    tolerance: number,
    iterations: number,
    rotation: number,
    firstShift: number,
  ) => number;
  readonly beginStep: (block: number) => number;
  readonly stagePair: (
    block: number,
    kind: number,
    h: number,
    first: number,
    second: number,
    tolerance: number,
    iterations: number,
    rotation: number,
  ) => number;
}

/** By the number that a stage returns. */
const reasons: readonly string[] = [
  '',
  'an edge has no length or a position is not a number',
  'two edges point against each other',
  'the residual is not a number',
  'no convergence',
  'the stiffness matrix cannot be made positive definite',
  'the Newton step is not a number',
];
const NO_GUESS = 7;

/** Kinds of stages. */
const EULER = 0;
const TRAPEZOID = 1;
const SECOND = 2;

/** Bits of `Pair.loads`. */
const ASK = 1;
const TORQUE = 2;
const DRAG = 4;

export async function loadDerKernel(): Promise<DerKernel> {
  const bytes = Uint8Array.from(atob(derWasm), (character) => character.charCodeAt(0));
  const module = await WebAssembly.compile(bytes);
  return { createPairs: (pairs) => createPairs(module, pairs) };
}

/** Work space of the pairs of one layout. */
interface Shared extends Layout {
  /** Loads of either rod while they do not look at it. */
  readonly loads: readonly [Loads, Loads];
}

/** The memory of all pairs of a bundle, and what the kernel calls back. */
interface Room {
  readonly exports: Exports;
  readonly doubles: Float64Array;
  readonly bytes: Uint8Array;
  readonly integers: Int32Array;
  /** Loads of the pair at work, where they look at the rods. */
  ask: () => void;
}

function createPairs(module: WebAssembly.Module, pairs: readonly (readonly [PairMember, PairMember])[]): PairKernel[] {
  const shared = new Map<string, Shared>();
  let cursor = HEAP;
  const placed = pairs.map(([first]) => {
    const { der } = first;
    const key = pairKey(der) ?? '';
    let work = shared.get(key);
    if (!work) {
      const layout = layOut(first, cursor, (field) => !own.has(field));
      work = { ...layout, loads: [createLoads(der.rod), createLoads(der.rod)] };
      cursor += work.size;
      shared.set(key, work);
    }
    const constants = layOut(first, cursor, (field) => own.has(field));
    cursor += constants.size;
    const block = cursor;
    cursor += STRUCTURE;
    return { block, work, addresses: { ...work.addresses, ...constants.addresses } };
  });
  const memory = new WebAssembly.Memory({ initial: Math.ceil(cursor / 65536) + 1 });
  const room: { -readonly [K in keyof Room]?: Room[K] } = {
    doubles: new Float64Array(memory.buffer),
    bytes: new Uint8Array(memory.buffer),
    integers: new Int32Array(memory.buffer),
    ask: () => {},
  };
  const instance = new WebAssembly.Instance(module, { env: { memory, askLoads: () => room.ask?.() } });
  room.exports = instance.exports as unknown as Exports;
  return placed.map(({ block, work, addresses }, k) =>
    createPair(room as Room, block, addresses, work.loads, pairs[k]),
  );
}

/** Constants of both rods, and how they are laid out. */
function writeConstants(
  room: Room,
  block: number,
  addresses: Addresses,
  [first, second]: readonly [DerRod, DerRod],
): void {
  const { doubles, integers } = room;
  const pack = (field: Field, of: (der: DerRod) => Float64Array): void => {
    interleave(doubles, addresses[field] >> 3, of(first), of(second), of(first).length);
  };
  /** Of node i and edge i, from what the four unknowns have. */
  const halve = (field: Field, of: (der: DerRod) => Float64Array): void => {
    pack(field, (der) => of(der).filter((_, d) => (d & 3) === 0 || (d & 3) === 3));
  };
  integers.set([first.nodeCount, first.joints.count, first.held.count], block >> 2);
  integers.set(
    fields.map(([name]) => addresses[name]),
    (block >> 2) + HEAD,
  );
  integers.set(first.joints.before, addresses.before >> 2);
  integers.set(first.joints.after, addresses.after >> 2);
  integers.set(first.joints.node, addresses.node >> 2);
  const edgeOf = (pin: number): number =>
    first.pins[pin].orientation === 'frame' ? Math.min(first.pins[pin].node, first.edgeCount - 1) : -1;
  integers.set(Int32Array.from(first.held.pin, edgeOf), addresses.heldEdge >> 2);
  halve('mass', (der) => der.mass);
  halve('massDamping', (der) => der.massDamping);
  halve('stiffnessScale', (der) => der.stiffnessScale);
  pack('lengthRest', (der) => der.rod.edgeLengthRest);
  pack('stiffness', (der) => der.edgeStiffness);
  pack('edgeDamping', (der) => der.edgeDamping);
  pack('constants', (der) => der.joints.constants);
  pack('jointDamping', (der) => der.joints.damping);
  pack('offset', (der) => der.jointOffset);
}

function createPair(
  room: Room,
  block: number,
  addresses: Addresses,
  scratch: readonly [Loads, Loads],
  members: readonly [PairMember, PairMember],
): PairKernel {
  const { exports, doubles, bytes, integers } = room;
  const first = members[0].der;
  const second = members[1].der;
  const rods = [first, second] as const;
  writeConstants(room, block, addresses, rods);
  const head = block >> 2;
  const outcome = exports.outcomeAddress() >> 3;
  const kept = 4 * first.edgeCount + first.joints.count + first.size;

  /** Pins as they are now: what is prescribed, and held frames. */
  const writePins = (): void => {
    let count = 0;
    for (let d = 0; d < first.size; d++) if (first.fixed[d]) integers[(addresses.fixed >> 2) + count++] = d;
    integers[head + FIXED_COUNT] = count;
    bytes.set(first.jointActive, addresses.active);
    if (first.held.count === 0) return;
    const a = first.held;
    const b = second.held;
    interleave(doubles, addresses.heldTangent >> 3, a.tangent, b.tangent, a.tangent.length);
    interleave(doubles, addresses.heldDirector >> 3, a.director, b.director, a.director.length);
    interleave(doubles, addresses.heldM1 >> 3, a.m1, b.m1, a.m1.length);
    interleave(doubles, addresses.heldM2 >> 3, a.m2, b.m2, a.m2.length);
    interleave(doubles, addresses.heldTheta >> 3, a.theta, b.theta, a.count);
  };
  /** Where pins have their nodes, and how these move. */
  const writePlaces = (): void => {
    for (let lane = 0; lane < 2; lane++) {
      const { pins, poses, fixed } = rods[lane];
      for (let p = 0; p < pins.length; p++) {
        if (!poses[p].active) continue;
        for (let k = 0; k < 3; k++) {
          const d = 4 * pins[p].node + k;
          if (!fixed[d]) continue;
          doubles[(addresses.place >> 3) + 2 * d + lane] = poses[p].position[k];
          doubles[(addresses.placeRate >> 3) + 2 * d + lane] = poses[p].velocity[k];
        }
      }
    }
  };
  const writeLoads = (a: Loads, b: Loads, ask: number): void => {
    const torque = hasAny(a.edgeTorque) || hasAny(b.edgeTorque) ? TORQUE : 0;
    interleave(doubles, addresses.force >> 3, a.nodeForce, b.nodeForce, a.nodeForce.length);
    if (torque) interleave(doubles, addresses.torque >> 3, a.edgeTorque, b.edgeTorque, a.edgeTorque.length);
    if (ask) interleave(doubles, addresses.drag >> 3, a.nodeDrag, b.nodeDrag, a.nodeDrag.length);
    integers[head + LOADS] = ask | torque | (ask ? DRAG : 0);
  };
  const writeSamples = (): void => {
    for (let lane = 0; lane < 2; lane++) {
      const { samples, nodeCount, edgeCount } = rods[lane];
      const q = (addresses.q >> 3) + lane;
      const v = (addresses.v >> 3) + lane;
      takeNodes(samples.nodePosition, doubles, q, nodeCount);
      takeNodes(samples.nodeVelocity, doubles, v, nodeCount);
      take(samples.edgeTangent, doubles, (addresses.tangent >> 3) + lane, 3 * edgeCount);
      take(samples.edgeDirector, doubles, (addresses.m1 >> 3) + lane, 3 * edgeCount);
      for (let j = 0; j < edgeCount; j++) samples.edgeSpin[j] = doubles[v + 8 * j + 6];
    }
  };
  let time = 0;
  const ask = (): void => {
    writeSamples();
    sumLoads(first, time, first.loads);
    sumLoads(second, time, second.loads);
    writeLoads(first.loads, second.loads, ASK);
  };
  const report = (code: number, iterations: number): NewtonResult => {
    result.converged = code === 0;
    result.residual = Math.max(doubles[outcome], doubles[outcome + 1]);
    result.tolerance = Math.max(doubles[outcome + 2], doubles[outcome + 3]);
    result.iterations = Math.max(doubles[outcome + 4], doubles[outcome + 5]);
    result.shifts = doubles[outcome + 6] + doubles[outcome + 7];
    result.reason = code === 4 ? `no convergence in ${iterations} iterations` : reasons[code];
    return result;
  };

  const solve: PairSolver = (stage: Stage, options: NewtonOptions): NewtonResult => {
    writePins();
    writePlaces();
    const asks = dependsOnState(first.drive) || dependsOnState(second.drive);
    time = stage.t;
    room.ask = ask;
    integers[head + LOADS] = ASK;
    if (!asks) {
      for (const der of rods) evaluateLoads(der, stage.t);
      writeLoads(first.loads, second.loads, 0);
    }
    for (const [field, of] of carried)
      interleave(doubles, addresses[field] >> 3, of(members[0]), of(members[1]), of(members[0]).length);
    const { tolerance, iterations, rotation, firstShift = 1e-7 } = options;
    const code = exports.solvePair(block, stage.inertia, stage.rate, tolerance, iterations, rotation, firstShift);
    for (let lane = 0; lane < 2; lane++)
      for (const [field, of] of returned)
        take(of(members[lane]), doubles, (addresses[field] >> 3) + lane, of(members[lane]).length);
    return report(code, iterations);
  };

  /** One stage with pins and loads at t; a code as `reasons` has them. */
  const runStage = (kind: number, t: number, h: number, asks: boolean, options: NewtonOptions): number => {
    interleave(doubles, addresses.heldThetaStart >> 3, first.held.theta, second.held.theta, first.held.count);
    evaluatePins(first, t);
    evaluatePins(second, t);
    writePins();
    writePlaces();
    time = t;
    integers[head + LOADS] = ASK;
    if (!asks) {
      sumLoads(first, t, scratch[0]);
      sumLoads(second, t, scratch[1]);
      writeLoads(scratch[0], scratch[1], 0);
    }
    const a = first.history[1] > 0 ? 1 : 0;
    const b = second.history[1] > 0 ? 1 : 0;
    const { tolerance, iterations, rotation } = options;
    const code = exports.stagePair(block, kind, h, a, b, tolerance, iterations, rotation);
    const { iterations: count, shifts } = report(code, iterations);
    taken.iterations += count;
    taken.iterationsMax = Math.max(taken.iterationsMax, count);
    taken.shifts += shifts;
    return code;
  };

  const step = (scheme: PairScheme, t: number, h: number, options: NewtonOptions): RodStep | undefined => {
    interleave(doubles, addresses.q >> 3, first.q, second.q, first.size);
    interleave(doubles, addresses.v >> 3, first.v, second.v, first.size);
    interleave(doubles, addresses.reference >> 3, first.memory, second.memory, kept);
    const asks = dependsOnState(first.drive) || dependsOnState(second.drive);
    room.ask = ask;
    Object.assign(taken, { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' });
    let code = exports.beginStep(block);
    if (code === 0 && scheme === 'tr-bdf2') code = runStage(TRAPEZOID, t + (2 - Math.SQRT2) * h, h, asks, options);
    if (code === 0) code = runStage(scheme === 'tr-bdf2' ? SECOND : EULER, t + h, h, asks, options);
    if (code !== 0) {
      for (const der of rods) evaluatePins(der, t);
      taken.reason = report(code, options.iterations).reason;
      return code === NO_GUESS ? undefined : taken;
    }
    taken.ok = true;
    for (let lane = 0; lane < 2; lane++) {
      const der = rods[lane];
      take(der.q, doubles, (addresses.q >> 3) + lane, der.size);
      take(der.v, doubles, (addresses.v >> 3) + lane, der.size);
      take(der.memory, doubles, (addresses.reference >> 3) + lane, kept);
      if (scheme === 'implicit-euler') der.history[0] = 0;
      der.history[1] = 1;
    }
    writeSamples();
    return taken;
  };
  return { solve, step };
}

/** Of the last stage and the last step. */
const taken: RodStep = { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
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

function hasAny(list: Float64Array): boolean {
  for (let k = 0; k < list.length; k++) if (list[k] !== 0) return true;
  return false;
}

/** Numbers of two rods to pairs, from `o` on. */
function interleave(to: Float64Array, o: number, a: Float64Array, b: Float64Array, count: number): void {
  for (let k = 0; k < count; k++) {
    to[o + 2 * k] = a[k];
    to[o + 2 * k + 1] = b[k];
  }
}

/** Numbers of one rod from pairs. */
function take(to: Float64Array, from: Float64Array, o: number, count: number): void {
  for (let k = 0; k < count; k++) to[k] = from[o + 2 * k];
}

/** The three of each node, out of four unknowns. */
function takeNodes(to: Float64Array, from: Float64Array, o: number, count: number): void {
  for (let i = 0; i < count; i++) {
    to[3 * i] = from[o + 8 * i];
    to[3 * i + 1] = from[o + 8 * i + 2];
    to[3 * i + 2] = from[o + 8 * i + 4];
  }
}
