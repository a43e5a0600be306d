/** Messages that the caller posts to a worker. Requests of a step are not messages: they are in shared memory (requests.ts). */
import type { ColliderSpec, Scene } from '../scene/types.ts';
import type { ThreadableModel } from './modelMaker.ts';
import type { PoolMemory } from './workerPool.ts';

/** Asks a worker to show that it runs: it writes 1 to index `index` of the memory. */
export interface HelloMessage {
  readonly kind: 'hello';
  readonly memory: SharedArrayBuffer;
  readonly index: number;
}

/** A worker's part of a world. */
export interface Task {
  readonly kind: 'task';
  readonly model: ThreadableModel;
  readonly kernels: boolean;
  /** The scene, or the part that the worker's rods need. */
  readonly scene: Scene;
  /** Colliders that its rods may collide with. */
  readonly colliders: readonly ColliderSpec[];
  /** Arrays in the order in which compiling requests them. */
  readonly arrays: readonly { readonly buffer: SharedArrayBuffer; readonly from: number; readonly length: number }[];
  /** Index of the one with the samples of all rods, or −1. */
  readonly samples: number;
  readonly memory: PoolMemory;
  /** Number of the thread; the caller is 0. */
  readonly index: number;
  /** The first rod and the first part (`Bundle.parts`) of its scene, numbered in the whole bundle. */
  readonly first: number;
  readonly part: number;
  /** True if its scene contains only rods that it may have to move. */
  readonly inRanges: boolean;
}

/** A new shared buffer for a slot (slots.ts). */
export interface BufferMessage {
  readonly kind: 'buffer';
  readonly slot: number;
  readonly buffer: SharedArrayBuffer;
}
