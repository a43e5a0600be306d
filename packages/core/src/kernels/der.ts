/**
 * Discrete elastic rods two at a time, in WebAssembly with SIMD: the Newton method of models/der/newton.ts, one rod a lane.
 *
 * The formulas are the model's own, translated (kernels/translate.ts); what is written by hand is the loop around them
 * (kernels/assembly). A stage copies q, λ and frames of both rods in, iterates to convergence, and copies them back: about
 * fifty numbers a node, against some 1,500 operations a node and iteration. Constants of a pair stay in memory.
 *
 * Tried: single functions (force, Hessian, solve) called from TypeScript, with the loop outside: the copying then costs
 * as much as the lanes save.
 */
import type { DerKernel, PairMember, PairSolver } from '../models/der/kernel.ts';
import type { NewtonOptions, NewtonResult } from '../models/der/newton.ts';
import { evaluateLoads, type Stage } from '../models/der/stage.ts';
import { derWasm } from './generated/der.ts';

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
}

/** By the number that `solvePair` returns. */
const reasons: readonly string[] = [
  '',
  'an edge has no length or a position is not a number',
  'two edges point against each other',
  'the residual is not a number',
  'no convergence',
  'the stiffness matrix cannot be made positive definite',
  'the Newton step is not a number',
];

/** Arrays of a pair in the order of the fields of kernels/assembly/pair.ts, with what their length is counted in. */
const fields = [
  ['fixed', 'unknown'],
  ['active', 'joint'],
  ['before', 'joint'],
  ['after', 'joint'],
  ['node', 'joint'],
  ['q', 'unknown'],
  ['v', 'unknown'],
  ['qHat', 'unknown'],
  ['qRate', 'unknown'],
  ['mass', 'unknown'],
  ['massDamping', 'unknown'],
  ['stiffnessScale', 'unknown'],
  ['residual', 'unknown'],
  ['step', 'unknown'],
  ['tension', 'edge'],
  ['length', 'edge'],
  ['lengthRest', 'edge'],
  ['stiffness', 'edge'],
  ['edgeDamping', 'edge'],
  ['penalty', 'edge'],
  ['error', 'edge'],
  ['viscous', 'edge'],
  ['tangent', 'edge', 3],
  ['previous', 'edge', 3],
  ['reference', 'edge', 3],
  ['m1', 'edge', 3],
  ['m2', 'edge', 3],
  ['constants', 'joint', 8],
  ['jointDamping', 'joint'],
  ['referenceTwist', 'joint'],
  ['twist', 'joint'],
  ['offset', 'joint'],
  ['heldTangent', 'held', 3],
  ['heldDirector', 'held', 3],
  ['heldM1', 'held', 3],
  ['heldM2', 'held', 3],
  ['heldTheta', 'held'],
  ['force', 'node', 3],
  ['band', 'unknown', 11],
  ['lower', 'unknown', 11],
] as const;

type Field = (typeof fields)[number][0];

/** What differs from pair to pair and stays: the rest is work space that pairs of one layout share. */
const own: ReadonlySet<string> = new Set([
  'mass',
  'massDamping',
  'stiffnessScale',
  'lengthRest',
  'stiffness',
  'edgeDamping',
  'constants',
  'jointDamping',
  'offset',
] satisfies Field[]);

/** Rows of zeros before and after the first and last unknown, in entries. */
const padding: Readonly<Partial<Record<string, number>>> = { residual: 8, step: 10, band: 88, lower: 110 };

type Addresses = Readonly<Record<Field, number>>;

/** Start of the memory that the host gives out: the module's own tables lie below. */
const HEAP = 65536;

interface Layout {
  /** Bytes. */
  readonly size: number;
  readonly addresses: Addresses;
}

function layOut({ der }: PairMember, from: number, wanted: (field: string) => boolean): Layout {
  const counts = {
    unknown: der.size,
    joint: der.joints.count,
    edge: der.edgeCount,
    held: Math.max(1, der.held.count),
    node: der.nodeCount,
  };
  let cursor = from;
  const addresses: Partial<Record<Field, number>> = {};
  for (const [name, unit, stride = 1] of fields) {
    if (!wanted(name)) continue;
    const pad = 16 * (padding[name] ?? 0);
    addresses[name] = cursor + pad;
    cursor += 16 * counts[unit] * stride + 2 * pad;
  }
  return { size: cursor - from, addresses: addresses as Addresses };
}

/** Fields of the structure in front of the addresses: counts of nodes, joints and held frames. */
const HEAD = 3;
const STRUCTURE = 16 * Math.ceil((4 * (HEAD + fields.length)) / 16);

export async function loadDerKernel(): Promise<DerKernel> {
  const bytes = Uint8Array.from(atob(derWasm), (character) => character.charCodeAt(0));
  const module = await WebAssembly.compile(bytes);
  return { createPairs: (pairs) => createPairs(module, pairs) };
}

function createPairs(module: WebAssembly.Module, pairs: readonly (readonly [PairMember, PairMember])[]): PairSolver[] {
  const shared = new Map<string, Layout>();
  let cursor = HEAP;
  const placed = pairs.map(([first]) => {
    const { der } = first;
    const key = `${der.nodeCount} ${der.joints.count} ${der.held.count}`;
    let work = shared.get(key);
    if (!work) {
      work = layOut(first, cursor, (field) => !own.has(field));
      cursor += work.size;
      shared.set(key, work);
    }
    const constants = layOut(first, cursor, (field) => own.has(field));
    cursor += constants.size;
    const block = cursor;
    cursor += STRUCTURE;
    return { block, addresses: { ...work.addresses, ...constants.addresses } };
  });
  const memory = new WebAssembly.Memory({ initial: Math.ceil(cursor / 65536) + 1 });
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  const exports = instance.exports as unknown as Exports;
  return placed.map(({ block, addresses }, k) => createPair(exports, memory, block, addresses, pairs[k]));
}

function createPair(
  exports: Exports,
  memory: WebAssembly.Memory,
  block: number,
  addresses: Addresses,
  members: readonly [PairMember, PairMember],
): PairSolver {
  const doubles = new Float64Array(memory.buffer);
  const bytes = new Uint8Array(memory.buffer);
  const integers = new Int32Array(memory.buffer);
  const [{ der: first }] = members;
  const at = (field: Field): number => addresses[field] >> 3;
  /** Interleaves both rods' arrays. */
  const pack = (field: Field, of: (member: PairMember) => Float64Array): void => {
    members.forEach((member, lane) => {
      copyIn(doubles, at(field) + lane, of(member));
    });
  };
  integers.set([first.nodeCount, first.joints.count, first.held.count], block >> 2);
  integers.set(
    fields.map(([name]) => addresses[name]),
    (block >> 2) + HEAD,
  );
  pack('mass', ({ der }) => der.mass);
  pack('massDamping', ({ der }) => der.massDamping);
  pack('stiffnessScale', ({ der }) => der.stiffnessScale);
  pack('lengthRest', ({ der }) => der.rod.edgeLengthRest);
  pack('stiffness', ({ der }) => der.edgeStiffness);
  pack('edgeDamping', ({ der }) => der.edgeDamping);
  pack('constants', ({ der }) => der.joints.constants);
  pack('jointDamping', ({ der }) => der.joints.damping);
  pack('offset', ({ der }) => der.jointOffset);
  const result: NewtonResult = { converged: false, iterations: 0, shifts: 0, residual: 0, tolerance: 0, reason: '' };
  const outcome = exports.outcomeAddress() >> 3;

  return (stage: Stage, options: NewtonOptions): NewtonResult => {
    bytes.set(first.fixed, addresses.fixed);
    bytes.set(first.jointActive, addresses.active);
    integers.set(first.joints.before, addresses.before >> 2);
    integers.set(first.joints.after, addresses.after >> 2);
    integers.set(first.joints.node, addresses.node >> 2);
    for (const { der } of members) evaluateLoads(der, stage.t);
    for (const [field, of] of carried) pack(field, of);
    const code = exports.solvePair(
      block,
      stage.inertia,
      stage.rate,
      options.tolerance,
      options.iterations,
      options.rotation,
      options.firstShift ?? 1e-7,
    );
    members.forEach((member, lane) => {
      for (const [field, of] of returned) copyOut(of(member), doubles, at(field) + lane);
    });
    result.converged = code === 0;
    result.residual = Math.max(doubles[outcome], doubles[outcome + 1]);
    result.tolerance = Math.max(doubles[outcome + 2], doubles[outcome + 3]);
    result.iterations = Math.max(doubles[outcome + 4], doubles[outcome + 5]);
    result.shifts = doubles[outcome + 6] + doubles[outcome + 7];
    result.reason = code === 4 ? `no convergence in ${options.iterations} iterations` : reasons[code];
    return result;
  };
}

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
  ['heldTangent', ({ der }) => der.held.tangent],
  ['heldDirector', ({ der }) => der.held.director],
  ['heldM1', ({ der }) => der.held.m1],
  ['heldM2', ({ der }) => der.held.m2],
  ['heldTheta', ({ der }) => der.held.theta],
  ['force', ({ der }) => der.loads.nodeForce],
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

function copyIn(to: Float64Array, offset: number, from: Float64Array): void {
  for (let k = 0; k < from.length; k++) to[offset + 2 * k] = from[k];
}

function copyOut(to: Float64Array, from: Float64Array, offset: number): void {
  for (let k = 0; k < to.length; k++) to[k] = from[offset + 2 * k];
}
