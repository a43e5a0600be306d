/**
 * Requests of a world to the thread that owns the device, and the memory that both share.
 *
 * WebGPU is asynchronous, and a step of a world is synchronous. So the device is in a separate thread: the world posts a request and
 * blocks until the thread has written its answer (caller.ts, server.ts).
 */
import type { Stage } from '../layout.ts';
import type { Obstacle } from '../obstacles.ts';
import type { RootKind } from '../strand.ts';
import type { StrandDescription } from './pack.ts';
import type { PairOptions } from './parts.ts';

/** Strands with the same number of nodes, kind of root and damping. */
export interface GroupTask {
  readonly nodes: number;
  readonly root: RootKind;
  readonly strands: readonly StrandDescription[];
  /** Number of the first strand in the shared memory; default 0. */
  readonly first?: number;
  /** [1/s] and [s] */
  readonly massDamping: number;
  readonly stiffnessDamping: number;
  /** True if air drags the strands: `StrandDescription.air` has its coefficients, and each stage the wind. */
  readonly hasAir: boolean;
  /** Number of obstacles. */
  readonly obstacles: number;
  /** Rows of the obstacles' distance fields, in shared memory: distance [m] and normal. */
  readonly fields: Float32Array;
  /** Settings of contact between strands, if there is any. */
  readonly pairs?: PairOptions;
  readonly memory: GroupMemory;
}

/** Single precision, laid out as the device's buffers are, without parts. */
export interface GroupMemory {
  readonly states: SharedArrayBuffer;
  /** For each of two stages. */
  readonly roots: readonly [SharedArrayBuffer, SharedArrayBuffer];
  readonly forces: readonly [SharedArrayBuffer, SharedArrayBuffer];
  /** Motion of the first node and edge of strands that are not clamped in the last step: displacement, and vector part of the rotation. */
  readonly moved: SharedArrayBuffer;
}

/** Floats of a strand in `moved`. */
export const MOVED_FLOATS = 6;

/** Wind [m/s], and the factor of the drag. */
export type AirNow = readonly [number, number, number, number];

export interface StageTask {
  readonly stage: Stage;
  /** True if the step ends with this stage. */
  readonly isLast: boolean;
  /** For each group, whether poses of roots, and forces, differ from those of the previous stage. */
  readonly hasNewRoots: readonly boolean[];
  readonly hasNewForces: readonly boolean[];
  /** For each group, at the end of the stage. */
  readonly air: readonly AirNow[];
}

export type GpuRequest =
  /** Puts strands on the device, under this number. */
  | { readonly kind: 'open'; readonly bundle: number; readonly groups: readonly GroupTask[] }
  /** One step. The answer counts strands that failed. */
  | {
      readonly kind: 'step';
      readonly bundle: number;
      readonly stages: readonly StageTask[];
      readonly iterations: number;
      /** [rad] */
      readonly tolerance: number;
      /** Obstacles in the step, as many as the groups were opened for; its length [s], and the smallest number of contact iterations. */
      readonly obstacles: readonly Obstacle[];
      readonly contact: { readonly dt: number; readonly iterations: number };
    }
  /** Undoes the last step. */
  | { readonly kind: 'undo'; readonly bundle: number }
  /** Copies the state from the device to shared memory, or from there to the device. */
  | { readonly kind: 'read'; readonly bundle: number }
  | { readonly kind: 'write'; readonly bundle: number }
  /** Copies contacts that are active to rows of shared memory, as many as it holds; the answer says how many there are. Or back, `count` of them. */
  | { readonly kind: 'readContacts'; readonly bundle: number; readonly rows: SharedArrayBuffer }
  | {
      readonly kind: 'writeContacts';
      readonly bundle: number;
      readonly rows: SharedArrayBuffer;
      readonly count: number;
    }
  | { readonly kind: 'close'; readonly bundle: number };

/**
 * Floats of a contact in such a row: group, strand, edge, place, age (see OwnContactRow), weight, force, normal; between strands, strand + 1 of
 * the other, its edge and weight. Forces and normals are those on this strand.
 */
export const CONTACT_ROW = 15;

/** Message to the thread that owns the GPU. */
export interface GpuMessage {
  /** What to do. */
  readonly request: GpuRequest;
  /** Shared memory that the answer is written to. */
  readonly answer: AnswerMemory;
}

/** Memory for the answer to a request. */
export interface AnswerMemory {
  readonly words: SharedArrayBuffer;
  readonly letters: SharedArrayBuffer;
}

/** Words of an answer. */
export const ANSWER = {
  /** 0 until the answer is complete; then one of OUTCOME. */
  outcome: 0,
  failed: 1,
  firstGroup: 2,
  firstStrand: 3,
  iterationsMax: 4,
  iterations: 5,
  /** Counts of contact, as in STATUS; lengths are the bits of floats. */
  loaded: 6,
  overlap: 7,
  contactIterations: 8,
  unsettled: 9,
  unsettledGroup: 10,
  unsettledStrand: 11,
  error: 12,
  /** Rows of contacts. */
  rows: 13,
} as const;
export const ANSWER_WORDS = 14;

export const OUTCOME = { done: 1, error: 2, lost: 3 } as const;
