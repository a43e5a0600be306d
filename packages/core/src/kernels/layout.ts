/** Where the numbers of two rods are in the kernels' memory. */
import type { PairMember } from '../models/der/kernel.ts';

/** Arrays of a pair in the order of the fields of kernels/assembly/pair.ts, with what their length is counted in. */
export const fields = [
  ['fixed', 'unknown'],
  ['active', 'joint'],
  ['before', 'joint'],
  ['after', 'joint'],
  ['node', 'joint'],
  ['heldEdge', 'held'],
  ['q', 'unknown'],
  ['v', 'unknown'],
  // the order of a rod's memory
  ['reference', 'edge', 3],
  ['referenceTwist', 'joint'],
  ['tension', 'edge'],
  ['acceleration', 'unknown'],
  ['qStart', 'unknown'],
  ['vStart', 'unknown'],
  ['qHat', 'unknown'],
  ['qRate', 'unknown'],
  ['residual', 'unknown'],
  ['step', 'unknown'],
  ['place', 'unknown'],
  ['placeRate', 'unknown'],
  ['mass', 'node', 2],
  ['massDamping', 'node', 2],
  ['stiffnessScale', 'node', 2],
  ['length', 'edge'],
  ['lengthRest', 'edge'],
  ['stiffness', 'edge'],
  ['edgeDamping', 'edge'],
  ['penalty', 'edge'],
  ['error', 'edge'],
  ['viscous', 'edge'],
  ['tangent', 'edge', 3],
  ['m1', 'edge', 3],
  ['m2', 'edge', 3],
  ['constants', 'joint', 8],
  ['jointDamping', 'joint'],
  ['twist', 'joint'],
  ['offset', 'joint'],
  ['heldTangent', 'held', 3],
  ['heldDirector', 'held', 3],
  ['heldM1', 'held', 3],
  ['heldM2', 'held', 3],
  ['heldTheta', 'held'],
  ['heldThetaStart', 'held'],
  ['force', 'node', 3],
  ['torque', 'edge', 3],
  ['drag', 'node', 6],
  ['band', 'unknown', 11],
  ['spare', 'unknown', 11],
  ['inverse', 'unknown', 11],
  ['right', 'unknown'],
  ['push', 'node', 3],
  ['crowd', 'node'],
  ['touch', 'contact', 32],
  ['mixing', 'contact', 36],
  ['live', 'contact'],
  ['turned', 'unknown', 11],
  ['turnedStep', 'unknown'],
] as const;

export type Field = (typeof fields)[number][0];

/** What differs from pair to pair and stays: the rest is work space that pairs of one layout share. */
export const own: ReadonlySet<string> = new Set([
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
const padding: Readonly<Partial<Record<string, number>>> = {
  residual: 8,
  step: 10,
  band: 110,
  spare: 110,
  inverse: 110,
  turned: 110,
  turnedStep: 10,
};

/** Contacts that a kernel takes of one rod: each node and each edge with one obstacle. */
export function contactCapacity(nodeCount: number): number {
  return 2 * nodeCount;
}

export type Addresses = Readonly<Record<Field, number>>;

export interface Layout {
  /** Bytes. */
  readonly size: number;
  readonly addresses: Addresses;
}

export function layOut({ der }: PairMember, from: number, wanted: (field: string) => boolean): Layout {
  const counts = {
    unknown: der.size,
    joint: der.joints.count,
    edge: der.edgeCount,
    held: Math.max(1, der.held.count),
    node: der.nodeCount,
    contact: contactCapacity(der.nodeCount),
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

/** Integers in front of the addresses: counts of nodes, joints, held frames and prescribed unknowns, kinds of loads. */
export const HEAD = 5;
export const FIXED_COUNT = 3;
export const LOADS = 4;
export const STRUCTURE: number = 16 * Math.ceil((4 * (HEAD + fields.length)) / 16);

/** Start of the memory that the host gives out: the module's own tables lie below. */
export const HEAP = 65536;
