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
  readonly reached: Float64Array;
  readonly velocityChange: Float64Array;
  readonly right: Float64Array;
  readonly copy: Float64Array;
  readonly lawInput: Float64Array;
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
    reached: take(axes),
    velocityChange: take(axes),
    right: take(axes),
    copy: take(axes),
    lawInput: take(axes),
    rod: takeIntegers(),
    edge: takeIntegers(),
  };
}

/** Data of contacts and sides besides the arrays: the rod of the scene of each side; the solver keeps the rest. */
export interface ContactRows {
  readonly normalImpulse: Float64Array;
  readonly impulseStart: Float64Array;
  readonly omega: Float64Array;
  readonly contactsAtNode: Float64Array;
  readonly sceneRod: Int32Array;
  readonly sideA: Int32Array;
  readonly sideB: Int32Array;
  readonly isActive: Uint8Array;
}

/** Bytes of the arrays for the given numbers of sides and contacts. */
export function contactBytes(sides: number, contacts: number, axes: 1 | 3): number {
  const doubles = (axes === 1 ? contacts : 0) + axes * contacts + 2 * contacts;
  return 8 * doubles + 4 * (sides + 2 * contacts) + contacts;
}

export function cutContactRows(buffer: ArrayBufferLike, sides: number, contacts: number, axes: 1 | 3): ContactRows {
  const { doubles: take, integers: takeIntegers, bytes: takeBytes } = createCutter(buffer);
  return {
    normalImpulse: take(axes === 1 ? contacts : 0),
    impulseStart: take(axes * contacts),
    omega: take(contacts),
    contactsAtNode: take(contacts),
    sceneRod: takeIntegers(sides),
    sideA: takeIntegers(contacts),
    sideB: takeIntegers(contacts),
    isActive: takeBytes(contacts),
  };
}

/** The sides of one bundle: what its model reads, and its part of the arrays in SideArrays. */
export interface BundleSides {
  readonly port: ContactPort;
  readonly sides: ContactSides;
  /** Index of its first side in SideArrays. */
  readonly from: number;
  /** Marks of the island's systems. */
  readonly systems: Uint8Array;
  readonly response: Float64Array;
  readonly reached: Float64Array;
  readonly velocityChange: Float64Array;
  readonly right: Float64Array;
}

/**
 * The unknowns of an island and what the solver computes with them; README.md has the equations. Arrays of sides hold the sides of all bundles,
 * one bundle after the other.
 */
export interface SideArrays {
  /** Number of sides. */
  readonly count: number;
  /** Components of a side's velocity: 1 for frictionless contact (frictionless.ts), else 3. */
  readonly axes: 1 | 3;
  readonly bundles: readonly BundleSides[];

  /** Per side: rod of the scene, −1 for a body; edge and weight of its second node. */
  readonly rod: Int32Array;
  readonly edge: Int32Array;
  readonly weight: Float64Array;
  /** Per side: response to a unit impulse [1/kg], and the point mass ρ that ties the rod to the copy [kg]. */
  readonly response: Float64Array;
  readonly mass: Float64Array;
  /** Per side: force on the rod in its next step [N], 3 components. */
  readonly force: Float64Array;

  /** Per side, `axes` numbers [m/s]: velocity S v₀ at the state that the rods have reached. */
  readonly reached: Float64Array;
  /** Difference S(v − v₀) of the current iteration, which `measure` then overwrites by its residual f. */
  readonly velocityChange: Float64Array;
  /** Copies y, which obey the contact law. */
  readonly copy: Float64Array;
  /** Iterate q, from which the contact law computes copies and impulses: the copies minus their scaled impulses. */
  readonly lawInput: Float64Array;
  /** Right-hand side of the rods' linear solves [N s]. */
  readonly right: Float64Array;

  /** Per contact: indices of its sides; the second is −1 for an obstacle that no bundle moves. */
  readonly sideA: Int32Array;
  readonly sideB: Int32Array;
  /** Per contact: ω [1/kg]; 0 if neither side can move, or the contact is inactive. */
  readonly omega: Float64Array;
  /** Per contact: normal impulse, if `axes` is 1. With friction, impulses are in the set of contacts. */
  readonly normalImpulse: Float64Array;
  /** Per contact: impulse p₀ at the state that the rods have reached, `axes` numbers. */
  readonly impulseStart: Float64Array;
  /** Per contact: number of contacts at its node with most contacts. */
  readonly contactsAtNode: Float64Array;
  /** Per contact: 1 if it is solved for, which only islands with links decide here (activeSet.ts). */
  readonly isActive: Uint8Array;
  /** Links that are solved together with the contacts. */
  readonly links: LinkGroup | undefined;
}

export interface SolveResult {
  iterations: number;
  /** Largest error of a velocity [m/s]. */
  error: number;
  converged: boolean;
}

/** Result of one computation of impulses. */
export interface ImpulseResult extends SolveResult {
  /** Error at which the solver stops [m/s]; 0 if it has none. */
  admissible: number;
}
