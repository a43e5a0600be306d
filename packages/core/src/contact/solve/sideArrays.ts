/**
 * The arrays of contact sides, consecutively in one buffer: a thread that has the buffer and the number of sides can derive the arrays.
 */
import type { ContactPort } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import type { LinkGroup } from '../links/linkData.ts';
import { createCutter } from '../memory.ts';

/** Buffers that are reused from step to step, so that a million contacts leave no garbage. */
export interface BufferPool {
  /** Returns a zeroed buffer of at least `bytes`. It replaces the previous buffer of this slot. */
  take(slot: number, bytes: number): ArrayBufferLike;
}

/** Above this many bytes, allocate less spare memory. */
const LARGE = 1e8;

export function createBufferPool(): BufferPool {
  const buffers: ArrayBuffer[] = [];
  return {
    take(slot, bytes) {
      const known = buffers[slot];
      if (known && known.byteLength >= bytes) {
        new Uint8Array(known, 0, bytes).fill(0);
        return known;
      }
      // the number of contacts varies from step to step: spare memory avoids another allocation
      buffers[slot] = new ArrayBuffer(8 * Math.ceil(((bytes > LARGE ? 1.03 : 1.25) * bytes) / 8));
      return buffers[slot];
    },
  };
}

/** Numbers of each side, one array per quantity. */
export interface SideRows {
  readonly weight: Float64Array;
  readonly mass: Float64Array;
  readonly response: Float64Array;
  readonly clearance: Float64Array;
  /** 3 numbers per side. */
  readonly arm: Float64Array;
  readonly force: Float64Array;
  /** 3 numbers per side even if the arrays below have 1. */
  readonly direction: Float64Array;
  /** 1 or 3 numbers per side, see SideArrays.axes. */
  readonly start: Float64Array;
  readonly velocity: Float64Array;
  readonly right: Float64Array;
  readonly copy: Float64Array;
  readonly free: Float64Array;
  readonly rod: Int32Array;
  readonly edge: Int32Array;
}

/** Doubles per side, stored before its integers. */
export function doublesOf(axes: 1 | 3): number {
  return 4 + 3 + 3 + (axes === 1 ? 3 : 0) + 5 * axes;
}

/** Bytes per side. */
export function bytesOf(axes: 1 | 3): number {
  return 8 * doublesOf(axes) + 4 * 2;
}

export function cutRows(buffer: ArrayBufferLike, count: number, axes: 1 | 3): SideRows {
  const { doubles, integers } = createCutter(buffer);
  const take = (width: number): Float64Array => doubles(width * count);
  const takeIntegers = (): Int32Array => integers(count);
  return {
    weight: take(1),
    mass: take(1),
    response: take(1),
    clearance: take(1),
    arm: take(3),
    force: take(3),
    direction: take(axes === 1 ? 3 : 0),
    start: take(axes),
    velocity: take(axes),
    right: take(axes),
    copy: take(axes),
    free: take(axes),
    rod: takeIntegers(),
    edge: takeIntegers(),
  };
}

/** Data of contacts and sides besides the arrays: the rod of the scene of each side; the solver keeps the rest. */
export interface ContactRows {
  readonly push: Float64Array;
  readonly impulseStart: Float64Array;
  readonly omega: Float64Array;
  readonly contactsAtNode: Float64Array;
  readonly sceneRod: Int32Array;
  readonly sideA: Int32Array;
  readonly sideB: Int32Array;
  readonly awake: Uint8Array;
}

/** Bytes of the arrays for the given numbers of sides and contacts. */
export function contactBytes(sides: number, contacts: number, axes: 1 | 3): number {
  const doubles = (axes === 1 ? contacts : 0) + axes * contacts + 2 * contacts;
  return 8 * doubles + 4 * (sides + 2 * contacts) + contacts;
}

export function cutContactRows(buffer: ArrayBufferLike, sides: number, contacts: number, axes: 1 | 3): ContactRows {
  const { doubles: take, integers: takeIntegers, bytes: takeBytes } = createCutter(buffer);
  return {
    push: take(axes === 1 ? contacts : 0),
    impulseStart: take(axes * contacts),
    omega: take(contacts),
    contactsAtNode: take(contacts),
    sceneRod: takeIntegers(sides),
    sideA: takeIntegers(contacts),
    sideB: takeIntegers(contacts),
    awake: takeBytes(contacts),
  };
}

/** Sides of all bundles in one list; each bundle sees its part. */
export interface SideArrays {
  readonly count: number;
  /** Components of a side's velocity: 1 for frictionless contact (frictionless.ts), else 3. */
  readonly axes: 1 | 3;
  readonly sides: readonly {
    readonly port: ContactPort;
    readonly sides: ContactSides;
    readonly from: number;
    readonly systems: Uint8Array;
    /** The bundle's part of the arrays below. */
    readonly response: Float64Array;
    readonly start: Float64Array;
    readonly velocity: Float64Array;
    readonly right: Float64Array;
  }[];
  /** Rod of the scene of each side; −1 for a body. */
  readonly rod: Int32Array;
  /** Indices of each contact's sides; −1 if the second is fixed. */
  readonly sideA: Int32Array;
  readonly sideB: Int32Array;
  readonly mass: Float64Array;
  readonly response: Float64Array;
  /** Position of each side on its rod, and the force on it [N], 3 components each. */
  readonly edge: Int32Array;
  readonly weight: Float64Array;
  readonly force: Float64Array;
  /** S v₀, S v, the copies y, and the unknowns, `axes` numbers each. */
  readonly start: Float64Array;
  readonly velocity: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  /** Input of the contact law: the copies minus their scaled impulses, `axes` numbers per side. */
  readonly free: Float64Array;
  /** Normal impulses, if contact is frictionless. */
  readonly push: Float64Array;
  /** p₀, `axes` numbers per contact. */
  readonly impulseStart: Float64Array;
  /** ω of each contact [1/kg]; 0 if neither side can move. */
  readonly omega: Float64Array;
  /** Number of contacts at the node with most contacts, for each contact. */
  readonly contactsAtNode: Float64Array;
  /** 1 for each contact in the active set; the others have no mass (activeSet.ts). */
  readonly awake: Uint8Array;
  /** Links that are solved together with the contacts. */
  readonly links?: LinkGroup;
}

export interface SolveResult {
  iterations: number;
  /** Largest error of a velocity [m/s]. */
  error: number;
  converged: boolean;
}
