/**
 * The search for an equilibrium, for any model: first Newton; if it fails, with the loads raised in parts; if that fails too, steps of descent. An
 * unstable equilibrium is left along its softest direction, or only reported.
 *
 * A model implements `RestSystem`: its state and its Newton method. This file decides the order of attempts and when to give up.
 */
import { pow } from '../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport } from '../model.ts';
import { type Schedule, takeIncrements } from './increments.ts';

export interface Verdict {
  /** Number of unstable directions; 0 for a stable equilibrium, −1 if unknown. */
  readonly negativeModes: number;
  /**
   * `energy`: negative eigenvalues counted; `divergence`: loads without a potential, only the sign of the determinant;
   * `none`: such loads on a closed rod, whose rigid motions make the determinant zero, or an eigenvalue whose sign is lost in rounding.
   */
  readonly criterion: 'energy' | 'divergence' | 'none';
}

export const noVerdict: Verdict = { negativeModes: -1, criterion: 'none' };

/** Result of a search by Newton's method. */
export interface NewtonResult {
  converged: boolean;
  iterations: number;
  shifts: number;
  /** Largest residual force [N] and its tolerance. */
  residual: number;
  tolerance: number;
  reason: string;
  /** At rest: error of positions, estimated from the last correction [m]. */
  error?: number;
  /** Rounding ended the search: no other method comes closer. */
  final?: boolean;
}

export interface SearchMode {
  /** Smallest shift of a matrix that is not positive definite, relative to the stiffness scale. Default 1e-7. */
  readonly firstShift?: number;
  /** Solves with the unshifted indefinite matrix, which leads to the nearest equilibrium, stable or not. */
  readonly keepsBranch?: boolean;
}

export interface NewtonRequest extends SearchMode {
  readonly tolerance: number;
  readonly iterations: number;
}

/** A rod, or several joined rods, in search of an equilibrium. */
export interface RestSystem {
  readonly edgeCount: number;
  /** Newton's method from the current state. On failure the state is arbitrary. */
  newton(request: NewtonRequest): NewtonResult;
  /** Sets the fraction of all loads that acts. */
  setLoads(share: number): void;
  /** Prepares to set the natural shape between the current one (0) and the rod's own (1); undefined if that is impossible. */
  blendNatural(): ((share: number) => void) | undefined;
  /** Saves the state in one of two slots, and restores it. */
  hold(place: 'entry' | 'start'): void;
  revert(place: 'entry' | 'start'): void;
  /** Moves along the softest direction, by `amplitude` of the length. */
  nudge(amplitude: number): void;
  /** At most `count` steps of steepest descent; returns the number of iterations. */
  descend(count: number): number;
  judge(): Verdict;
}

interface Search {
  readonly newton: NewtonResult;
  readonly iterations: number;
  readonly descended: boolean;
}

/** Result of a search that has not begun. */
export const unsolved: NewtonResult = {
  converged: false,
  iterations: 0,
  shifts: 0,
  residual: 0,
  tolerance: 0,
  reason: '',
};

function isSettled({ converged, final }: Pick<NewtonResult, 'converged' | 'final'>): boolean {
  return converged || final === true;
}

/** What raising loads needs from a system. */
export interface LoadRaiser<T> {
  /** Sets the fraction of all loads that acts. */
  setLoads(share: number): void;
  /** Newton's method from the current state. */
  solve(tolerance: number, iterations: number): T;
  /** Saves the state, and restores it. */
  hold(): void;
  revert(): void;
}

/** Increments of loads that grow while Newton converges and shrink when it does not. */
const RAISING: Schedule = { first: 0.1, growth: 1.5, division: 3, least: 0.004 / 3 };

/**
 * Solves without loads, then with loads that rise in increments: each solution is close to the last, which matters most for follower loads. Not used
 * after a saddle was left, because small loads lead back to it.
 */
export function raiseLoads<T extends { readonly converged: boolean; readonly iterations: number }>(
  { setLoads, solve, hold, revert }: LoadRaiser<T>,
  tolerance: number,
): { readonly last: T; readonly iterations: number } {
  setLoads(0);
  const unloaded = solve(1e-6, 60);
  if (!unloaded.converged) {
    setLoads(1);
    return { last: unloaded, iterations: unloaded.iterations };
  }
  const solveAt = (share: number): T => {
    setLoads(share);
    return solve(share < 1 ? 1e-6 : tolerance, 30);
  };
  const { last, iterations } = takeIncrements({ solve: solveAt, hold, revert }, RAISING);
  setLoads(1);
  return { last, iterations: unloaded.iterations + iterations };
}

/** What a descent needs from a system. */
export interface Descender<T> {
  /** Moves along the softest direction, by `amplitude` of the length. */
  nudge(amplitude: number): void;
  /** At most `count` steps of descent; returns the number of iterations. */
  descend(count: number): number;
  /** Newton's method from the current state. */
  newton(): T;
  /** Saves the state, and restores it. */
  hold(): void;
  revert(): void;
}

/** Rounds of descent before a search gives up. */
const MOST_ROUNDS = 6;

/**
 * After Newton's method has failed: descends from the state that is held, and tries again, until an equilibrium is found. `failed` is the result so far;
 * if it is settled, nothing happens. If no round succeeds, the state is that after the last descent.
 */
export function descendInRounds<T extends Pick<NewtonResult, 'converged' | 'iterations' | 'final'>>(
  failed: T,
  system: Descender<T>,
): { readonly last: T; readonly iterations: number } {
  let last = failed;
  let iterations = 0;
  for (let round = 0; !isSettled(last) && round < MOST_ROUNDS; round++) {
    if (round === 0) system.revert();
    system.nudge(2e-3);
    iterations += system.descend(20);
    system.hold();
    last = system.newton();
    iterations += last.iterations;
    if (!last.converged) system.revert();
  }
  return { last, iterations };
}

/** `at once`: Newton from the current shape; `laid`: raises loads and natural shape, from the current shape; `unloaded`: raises loads, from the natural shape. */
type Approach = 'at once' | 'laid' | 'unloaded';

/** Iterations per increment of `laid`: a solution that needs more is on another branch, beyond a fold. */
const NEAR = 12;

/** Newton's method from the state held as `entry`, by one of three approaches. */
function attempt(system: RestSystem, approach: Approach, mode: SearchMode, tolerance: number): NewtonResult {
  const solve = (precision: number, most: number): NewtonResult => ({
    ...system.newton({ ...mode, tolerance: precision, iterations: most }),
  });
  system.revert('entry');
  if (approach === 'at once') return solve(tolerance, 60);
  const setNatural = approach === 'laid' ? system.blendNatural() : () => {};
  if (!setNatural) return unsolved;
  const { last, iterations } = raiseLoads(
    {
      setLoads(share) {
        system.setLoads(share);
        setNatural(share);
      },
      solve: (precision, most) => solve(precision, approach === 'laid' ? NEAR : most),
      hold: () => system.hold('start'),
      revert: () => system.revert('start'),
    },
    tolerance,
  );
  return { ...last, iterations };
}

/**
 * Newton; if it fails, Newton with loads that rise in increments; then descent. A perturbation precedes the descent: a straight inextensible rod under
 * compression has no equilibrium on its straight line, and only a perturbation makes it leave that line.
 */
function settle(system: RestSystem, { tolerance, stability }: EquilibriumOptions, from: 'saddle' | 'start'): Search {
  system.hold('entry');
  // when leaving a saddle: a shift well below the softest mode, 100/n⁴, otherwise progress is too slow
  const shifted: SearchMode = from === 'saddle' ? { firstShift: Math.min(1e-7, 1 / pow(system.edgeCount, 4)) } : {};
  const downhill: readonly Approach[] = from === 'saddle' ? ['at once'] : ['at once', 'unloaded'];
  // a branch that is only judged must not be left: first without shifts, which lead downhill
  const level: readonly Approach[] = stability === 'report' ? ['at once', 'laid', 'unloaded'] : [];
  let newton = unsolved;
  let iterations = 0;
  let descended = false;
  const search = (approaches: readonly Approach[], mode: SearchMode): void => {
    for (const approach of approaches) {
      if (isSettled(newton)) return;
      descended = mode === shifted;
      newton = attempt(system, approach, mode, tolerance);
      iterations += newton.iterations;
    }
  };
  search(level, { keepsBranch: true });
  search(downhill, shifted);
  const found = descendInRounds(newton, {
    nudge: (amplitude) => system.nudge(amplitude),
    descend: (count) => system.descend(count),
    newton: () => ({ ...system.newton({ ...shifted, tolerance, iterations: 100 }) }),
    hold: () => system.hold('entry'),
    revert: () => system.revert('entry'),
  });
  return { newton: found.last, iterations: iterations + found.iterations, descended };
}

/** Result of one attempt at an equilibrium. */
export interface Settled {
  readonly converged: boolean;
  readonly iterations: number;
  /** Largest residual force [N] and its tolerance. */
  readonly residual: number;
  readonly tolerance: number;
  readonly error?: number;
  readonly reason: string;
  /** True if the search went downhill, so that it would not have found an unstable equilibrium. Default false. */
  readonly descended?: boolean;
}

/** How a model finds an equilibrium, judges it and leaves it. */
export interface StableSearch {
  /** Finds an equilibrium near the current state: that of the start, or one beside an unstable equilibrium (a saddle). */
  settle(from: 'saddle' | 'start'): Settled;
  /** Verdict on the equilibrium that was found. */
  judge(): Verdict;
  /** Moves away from an unstable equilibrium, farther each time: `round` counts from 1. Returns the number of iterations. */
  leave(round: number): number;
  /** False if unstable equilibria are reported and never left. Default true. */
  readonly leaves?: boolean;
}

/** Number of unstable equilibria that a search leaves before it reports one. */
const MOST_SADDLES = 8;

/** Finds an equilibrium, leaves unstable ones if `stability` is `seek`, and reports; `rod` is the name in the report. */
export function seekStable(search: StableSearch, rod: string, { stability }: EquilibriumOptions): EquilibriumReport {
  const judge = ({ converged }: Settled): Verdict => (converged ? search.judge() : noVerdict);
  const leaves = stability === 'seek' && (search.leaves ?? true);
  let settled = search.settle('start');
  let { iterations } = settled;
  let verdict = judge(settled);
  let saddlesLeft = 0;
  while (settled.converged && verdict.negativeModes > 0 && leaves && saddlesLeft < MOST_SADDLES) {
    saddlesLeft++;
    iterations += search.leave(saddlesLeft);
    settled = search.settle('saddle');
    iterations += settled.iterations;
    verdict = judge(settled);
  }
  const { converged, residual, tolerance, error, reason, descended } = settled;
  return {
    rod,
    converged,
    iterations,
    residual,
    tolerance,
    ...(error !== undefined && error < Infinity && { error }),
    negativeModes: verdict.negativeModes,
    stable: verdict.negativeModes === 0,
    criterion: verdict.criterion,
    saddlesLeft,
    ...(converged && descended && stability === 'report' && verdict.negativeModes === 0 && { leftBranch: true }),
    ...(converged ? {} : { reason }),
  };
}

/** Finds an equilibrium from the current state and reports on it; `rod` is the name in the report. */
export function seekEquilibrium(system: RestSystem, rod: string, options: EquilibriumOptions): EquilibriumReport {
  return seekStable(
    {
      settle(from) {
        const { newton, iterations, descended } = settle(system, options, from);
        return { ...newton, iterations, descended };
      },
      judge: () => system.judge(),
      leave(round) {
        // close to a critical load the rod easily falls back
        system.nudge(0.02 * round);
        return system.descend(60);
      },
    },
    rod,
    options,
  );
}
