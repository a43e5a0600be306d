/** What a program gives to `loadThreadedDer` and `loadThreadedFiber`. */
import type { BalanceRule } from './ranges.ts';

/** A worker of Node or of a browser, as far as it is needed. */
export interface ThreadPort {
  postMessage(message: unknown): void;
  /**
   * Whether the worker has ended; must be right while the calling thread is blocked. Absent, as for workers of a browser: a worker that does not
   * begin with a request within `answerSeconds` is taken to have ended.
   */
  hasEnded?(): boolean;
  /** Of a browser's worker: reports a script that cannot be loaded. */
  addEventListener?(type: 'error', listener: (event: unknown) => void): void;
}

/** Below which sizes threads are not used, and how long to wait for them. */
export interface ThreadOptions {
  /** Parts of a bundle (pairs of rods, with kernels) below which the caller works alone. Default 32, for fibers 4. */
  readonly leastParts?: number;
  /** Rods in contact below which the caller solves contact alone. Default 32, for fibers 4. */
  readonly leastTouching?: number;
  /** Numbers that the contact solver iterates on below which its vector loops are the caller's: default 32768. */
  readonly leastNumbers?: number;
  /** Nodes below which the caller alone finds contacts with colliders: default 4096. */
  readonly leastNodes?: number;
  /** Whether kernels solve the rods, two at a time; default true. Rods of cloth, which links join, gain little by them. */
  readonly kernels?: boolean;
  /** Where ranges of rods should end, asked in every step: by default where all threads take equally long. */
  readonly balance?: BalanceRule;
  /** How long a worker whose port has no `hasEnded` may take to start, and to begin with a request [s]: default 30. */
  readonly answerSeconds?: number;
}
