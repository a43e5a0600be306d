/**
 * What a world asks of the thread that has the device, and the memory that both share.
 *
 * WebGPU answers later, and a step of a world answers at once. So the device lives in a thread of its own: the world posts a request and
 * sleeps until the thread has written its answer (caller.ts, server.ts).
 */
import type { Stage } from '../layout.ts';
import type { StrandDescription } from './pack.ts';

/** Strands with the same number of nodes and the same damping. */
export interface GroupTask {
  readonly nodes: number;
  readonly strands: readonly StrandDescription[];
  /** [1/s] and [s] */
  readonly massDamping: number;
  readonly stiffnessDamping: number;
  readonly memory: GroupMemory;
}

/** Single precision, laid out as the device's buffers are, without parts. */
export interface GroupMemory {
  readonly states: SharedArrayBuffer;
  /** For each of two stages. */
  readonly roots: readonly [SharedArrayBuffer, SharedArrayBuffer];
  readonly forces: readonly [SharedArrayBuffer, SharedArrayBuffer];
}

export interface StageTask {
  readonly stage: Stage;
  /** Whether the step ends with this stage. */
  readonly isLast: boolean;
  /** For each group whether poses of roots, and forces, are others than those of the stage before. */
  readonly hasNewRoots: readonly boolean[];
  readonly hasNewForces: readonly boolean[];
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
    }
  /** Takes the last step back. */
  | { readonly kind: 'undo'; readonly bundle: number }
  /** Copies the state from the device to shared memory, or from there to the device. */
  | { readonly kind: 'read'; readonly bundle: number }
  | { readonly kind: 'write'; readonly bundle: number }
  | { readonly kind: 'close'; readonly bundle: number };

/** Message to the thread that owns the GPU. */
export interface GpuMessage {
  readonly request: GpuRequest;
  readonly answer: AnswerMemory;
}

/** Where the answer to a request is written. */
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
} as const;
export const ANSWER_WORDS = 6;

export const OUTCOME = { done: 1, error: 2, lost: 3 } as const;
