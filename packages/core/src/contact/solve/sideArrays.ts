/**
 * The arrays of contact's sides, side by side in one piece of memory: threads that know the piece and the number of sides know the
 * arrays.
 */
import type { ContactPort } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import type { LinkGroup } from '../links/linkData.ts';
import { createCutter } from '../memory.ts';

/** Buffers that are reused from step to step, so that a million contacts leave no garbage. */
export interface BufferPool {
  /** A buffer of at least `bytes`, zeroed. It replaces the one that this slot had before. */
  take(slot: number, bytes: number): ArrayBufferLike;
}

/** Above this many bytes, less spare memory. */
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

/** Numbers of each side, in one row each. */
export interface SideRows {
  readonly weight: Float64Array;
  readonly mass: Float64Array;
  readonly response: Float64Array;
  readonly clearance: Float64Array;
  /** 3 each. */
  readonly arm: Float64Array;
  readonly force: Float64Array;
  /** 3 each where the rows below have 1. */
  readonly direction: Float64Array;
  /** 1 or 3 each, see SideArrays.axes. */
  readonly start: Float64Array;
  readonly velocity: Float64Array;
  readonly right: Float64Array;
  readonly copy: Float64Array;
  readonly free: Float64Array;
  readonly rod: Int32Array;
  readonly edge: Int32Array;
}

/** Doubles of a side in front of its integers. */
export function doublesOf(axes: 1 | 3): number {
  return 4 + 3 + 3 + (axes === 1 ? 3 : 0) + 5 * axes;
}

/** Bytes of a side. */
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

/** What is known of contacts and sides beside the rows: the rod of the scene of each side, and who solves keeps the rest. */
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

/** Bytes of the rows for so many sides and contacts. */
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

/** Sides of all bundles in one row; each bundle sees its part. */
export interface SideArrays {
  readonly count: number;
  /** Numbers of a side's velocity: 1 where contact is without friction (frictionless.ts). */
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
  /** Place of each contact's sides; −1 where the second is fixed. */
  readonly sideA: Int32Array;
  readonly sideB: Int32Array;
  readonly mass: Float64Array;
  readonly response: Float64Array;
  /** Place of each side on its rod, and the force on it [N], 3 each. */
  readonly edge: Int32Array;
  readonly weight: Float64Array;
  readonly force: Float64Array;
  /** S v₀, S v, the copies y, and what is solved for, `axes` each. */
  readonly start: Float64Array;
  readonly velocity: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  /** What the law of contact is applied to: the copies less their scaled impulses, `axes` a side. */
  readonly free: Float64Array;
  /** Impulses along the normals, where these are all. */
  readonly push: Float64Array;
  /** p₀, `axes` a contact. */
  readonly impulseStart: Float64Array;
  /** ω of each contact [1/kg]; 0 where nothing can move. */
  readonly omega: Float64Array;
  /** Contacts at the busiest node of each contact. */
  readonly contactsAtNode: Float64Array;
  /** 1 for each contact that is solved for; the others have no mass (see activeSet.ts). */
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
