/** Inputs of the contact law in shared memory, per contact and in the order of the set. */

import type { ContactSet } from '../contactSet.ts';
import { createCutter } from '../memory.ts';
import type { SideArrays } from './sideArrays.ts';

/** Fields of a set of contacts. */
export type LawSet = Pick<
  ContactSet,
  'impulse' | 'normal' | 'bias' | 'surface' | 'sliding' | 'staticFriction' | 'dynamicFriction'
>;

/** Fields of its side arrays. */
export type LawArrays = Pick<
  SideArrays,
  | 'axes'
  | 'sideA'
  | 'sideB'
  | 'omega'
  | 'contactsAtNode'
  | 'normalImpulse'
  | 'impulseStart'
  | 'mass'
  | 'reached'
  | 'copy'
  | 'lawInput'
  | 'right'
>;

/** Those in the same memory; sides are stored separately. */
export type LawRows = LawSet &
  Pick<LawArrays, 'sideA' | 'sideB' | 'omega' | 'contactsAtNode' | 'normalImpulse' | 'impulseStart'> & {
    /** Result of the contact law for each thread's share. */
    readonly impulseSpeed: Float64Array;
  };

/** Maximum number of threads. */
const THREADS = 256;

export function lawBytes(contacts: number): number {
  return 8 * (THREADS + 18 * contacts) + 4 * 2 * contacts + contacts;
}

export function cutLawRows(buffer: ArrayBufferLike, contacts: number): LawRows {
  const { doubles: take, integers, bytes } = createCutter(buffer);
  const takeIntegers = (): Int32Array => integers(contacts);
  return {
    impulseSpeed: take(THREADS),
    impulse: take(3 * contacts),
    normal: take(3 * contacts),
    surface: take(3 * contacts),
    impulseStart: take(3 * contacts),
    bias: take(contacts),
    staticFriction: take(contacts),
    dynamicFriction: take(contacts),
    omega: take(contacts),
    contactsAtNode: take(contacts),
    normalImpulse: take(contacts),
    sideA: takeIntegers(),
    sideB: takeIntegers(),
    sliding: bytes(contacts),
  };
}

/** Copies the inputs of the contact law from a set and its sides. */
export function writeLawRows(rows: LawRows, set: ContactSet, arrays: SideArrays): void {
  const { count } = set;
  rows.impulse.set(set.impulse.subarray(0, 3 * count));
  rows.normal.set(set.normal.subarray(0, 3 * count));
  rows.surface.set(set.surface.subarray(0, 3 * count));
  rows.bias.set(set.bias.subarray(0, count));
  rows.staticFriction.set(set.staticFriction.subarray(0, count));
  rows.dynamicFriction.set(set.dynamicFriction.subarray(0, count));
  rows.sliding.set(set.sliding.subarray(0, count));
  rows.impulseStart.set(arrays.impulseStart);
  rows.omega.set(arrays.omega);
  rows.contactsAtNode.set(arrays.contactsAtNode);
  rows.normalImpulse.set(arrays.normalImpulse);
  rows.sideA.set(arrays.sideA);
  rows.sideB.set(arrays.sideB);
}

/** Copies the computed impulses back. */
export function readLawRows(rows: LawRows, set: ContactSet, { normalImpulse }: SideArrays): void {
  set.impulse.set(rows.impulse);
  normalImpulse.set(rows.normalImpulse.subarray(0, normalImpulse.length));
}
