/**
 * Follows a path of equilibria in increments, for every model: loads that are raised from zero, a natural shape that returns to the rod's own, pins that
 * move. An increment that fails is undone and divided; after one that succeeds the next may be larger. Why schedules differ:
 * docs/notes/statics-convergence.md#increments.
 */

/** How a path from 0 to 1 is divided. */
export interface Schedule {
  /** First increment, and the largest; default of `largest`: no limit. */
  readonly first: number;
  readonly largest?: number;
  /** Factor of the next increment after a success, and divisor after a failure. */
  readonly growth: number;
  readonly division: number;
  /** The path ends where an increment would be smaller than this. */
  readonly least: number;
}

/** What a path needs from a system. */
export interface IncrementPath<T> {
  /** Searches for the equilibrium at a share of the path, from the current state. */
  solve(share: number): T;
  /** Saves the state, and restores it. */
  hold(): void;
  revert(): void;
}

/** Follows a path to its end, or to the last equilibrium that was found. */
export function takeIncrements<T extends { readonly converged: boolean; readonly iterations: number }>(
  { solve, hold, revert }: IncrementPath<T>,
  { first, largest = Infinity, growth, division, least }: Schedule,
): { readonly last: T; readonly iterations: number } {
  let [reached, part, iterations] = [0, first, 0];
  for (;;) {
    hold();
    const share = Math.min(1, reached + part);
    const last = solve(share);
    iterations += last.iterations;
    if (last.converged) {
      reached = share;
      part = Math.min(growth * part, largest);
    } else {
      revert();
      part /= division;
    }
    if (reached >= 1 || part < least) return { last, iterations };
  }
}
