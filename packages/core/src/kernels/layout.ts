/** Layout of the numbers of two rods in the kernels' memory. */
import type { PairMember } from '../models/der/kernel.ts';
import { pairFields, pairHead } from './description.ts';

export type PairField = (typeof pairFields)[number][0];

/** Constants of each pair: all other arrays are work space that pairs of one layout share. */
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
] satisfies PairField[]);

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

/** Maximum number of contacts per rod in a kernel: each node and each edge with one obstacle. */
export function contactCapacity(nodeCount: number): number {
  return 2 * nodeCount;
}

export type Addresses = Readonly<Record<PairField, number>>;

export interface PairLayout {
  /** Bytes. */
  readonly size: number;
  readonly addresses: Addresses;
}

export function layOutPair({ der }: PairMember, from: number, wanted: (field: string) => boolean): PairLayout {
  const counts = {
    unknown: der.size,
    joint: der.joints.count,
    edge: der.edgeCount,
    held: Math.max(1, der.held.count),
    node: der.nodeCount,
    contact: contactCapacity(der.nodeCount),
  };
  let cursor = from;
  const addresses: Partial<Record<PairField, number>> = {};
  for (const [name, unit, stride = 1] of pairFields) {
    if (!wanted(name)) continue;
    const pad = 16 * (padding[name] ?? 0);
    addresses[name] = cursor + pad;
    cursor += 16 * counts[unit] * stride + 2 * pad;
  }
  return { size: cursor - from, addresses: addresses as Addresses };
}

/** Number of integers before the addresses, and index of two of them. */
export const HEAD: number = pairHead.length;
export const FIXED_COUNT: number = pairHead.indexOf('fixedCount');
export const LOADS: number = pairHead.indexOf('loads');
export const STRUCTURE: number = 16 * Math.ceil((4 * (HEAD + pairFields.length)) / 16);

/** Start of the memory that the host allocates: the module's own tables lie below. */
export const HEAP = 65536;
