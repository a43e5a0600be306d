/** Options of `loadThreadedDer` and `loadThreadedFiber`. */
import type { BalanceRule } from './ranges.ts';

/** The part of a worker's interface, of Node or of a browser, that threads use. */
export interface ThreadPort {
  /** Sends a message to the worker thread. */
  postMessage(message: unknown): void;
  /**
   * Returns true if the worker has ended; must work while the calling thread is blocked. If absent, as for workers of a browser, a worker that does
   * not start a request within `answerSeconds` counts as ended.
   */
  hasEnded?(): boolean;
  /** For workers of a browser: reports a script that cannot be loaded. */
  addEventListener?(type: 'error', listener: (event: unknown) => void): void;
}

/** Sizes below which threads are not used, and how long to wait for them. */
export interface ThreadOptions {
  /** Parts of a bundle (pairs of rods, with kernels) below which the caller works alone. Default 32, for fibers 4. */
  readonly leastParts?: number;
  /** Rods in contact below which the caller solves contact alone. Default 32, for fibers 4. */
  readonly leastTouching?: number;
  /** Numbers in the contact solver's iterate below which the caller runs its vector loops alone. Default 32768. */
  readonly leastNumbers?: number;
  /** Nodes below which the caller alone detects contacts with colliders. Default 4096. */
  readonly leastNodes?: number;
  /** True if kernels solve the rods, two at a time. Default true. Rods of cloth, which links join, gain little from them. */
  readonly kernels?: boolean;
  /** Returns where ranges of rods should end; called in every step. Default: such that all threads take equally long. */
  readonly balance?: BalanceRule;
  /** Time that a worker whose port has no `hasEnded` may take to start, and to begin a request [s]. Default 30. */
  readonly answerSeconds?: number;
}
