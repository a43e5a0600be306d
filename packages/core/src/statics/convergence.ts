/**
 * Decides whether a Newton search for an equilibrium has converged, for all models that solve with a tangent stiffness.
 *
 * The test uses the Newton correction, in metres, not the residual. Rounding of positions causes forces of EI·ε·n³/L² between n edges, far above small
 * loads; the corresponding correction is only ε·L. A correction counts as small relative to the displacement that the loads cause. If rounding
 * ends the iteration before that, the result is accepted only if rounding itself is small relative to that displacement. See
 * docs/notes/statics-convergence.md.
 */

/** The correction of a Newton iteration at the current state. */
export interface Correction {
  /** Largest displacement of a node, or rotation times the rod's length [m]. */
  readonly move: number;
  /** Largest change of a tension or another internal force that is an unknown [N]. */
  readonly force: number;
  /** True for a plain Newton step: no shift, no limit. */
  readonly whole: boolean;
  /** Largest unbalanced force [N], and whether edge lengths match their tensions. */
  readonly residual: number;
  readonly fits: boolean;
}

/** Reference values for corrections. */
export interface RestScales {
  /** Length of the rod [m]. */
  readonly length: number;
  /** Displacement that the loads cause, at most the rod's length [m]. */
  readonly move: number;
  /** Sum of the load magnitudes, or the force that bends the whole rod if there is no load [N]. */
  readonly force: number;
  /** Error of positions by rounding [m]. */
  readonly rounding: number;
  /** Residual by rounding [N]. */
  readonly roundingForce: number;
  readonly edgeCount: number;
}

/**
 * `arrived`: converged before this correction, which only amplifies rounding and must not be applied; `rounding`: no search can come closer; `stuck`:
 * positions have converged, but forces or lengths have not.
 */
export type RestDecision = 'go-on' | 'converged' | 'arrived' | 'rounding' | 'stuck';

/** Fraction of the displacement that may be lost to rounding: far below the discretization error on coarse rods, 1e-5 on fine ones. */
function allowedShare(edgeCount: number): number {
  return Math.max(1e-5, 0.1 / (edgeCount * edgeCount));
}

/** Why a search ended with `rounding`. */
export function describeRounding({ rounding, move }: RestScales): string {
  const [error, effect] = [rounding, move].map((x) => `${x.toExponential(1)} m`);
  return `rounding of positions (${error}) hides the effect of the loads (${effect}); use fewer edges, or place the scene closer to the origin`;
}

export interface RestTest {
  /** `error`: estimated error of positions [m], once decided. */
  error: number;
  /** `bending`: displacement that corresponds to the elastic energy [m]; called only if rounding matters. */
  decide(correction: Correction, scales: RestScales, bending: () => number): RestDecision;
}

/**
 * A test for one search; it stores the last corrections. `keepsBranch`: stops as soon as rounding dominates, because close to a critical load each
 * further correction adds rounding along the mode that becomes unstable.
 */
export function createRestTest(tolerance: number, { keepsBranch }: { readonly keepsBranch: boolean }): RestTest {
  let lastMove = Infinity;
  let lastForce = Infinity;
  let waited = 0;
  /** Consecutive corrections that hardly decreased, and the largest of them [m]. */
  let stalls = 0;
  let largest = 0;
  const test: RestTest = {
    error: Infinity,
    decide({ move, force, whole, residual, fits }, scales, bending) {
      const moveStalls = move > 0.5 * lastMove;
      const before = lastMove;
      const forceStalls = force > 0.5 * lastForce;
      lastMove = whole ? move : Infinity;
      lastForce = whole ? force : Infinity;
      test.error = move;
      // also if rigid motions are free, whose corrections mean nothing; the load of every node must matter
      if (fits && residual <= Math.min(tolerance, 0.01 / scales.edgeCount) * scales.force)
        // along a rotation that nothing resists, a long step in a straight line would stretch the rod
        return move > Math.sqrt(tolerance) * scales.length ? 'arrived' : 'converged';
      if (!whole) return 'go-on';
      const moved = move <= tolerance * scales.move;
      const forced = force <= tolerance * scales.force;
      if (moved && forced) return 'converged';
      stalls = moveStalls ? stalls + 1 : 0;
      largest = moveStalls ? Math.max(largest, move) : move;
      const share = allowedShare(scales.edgeCount);
      // at a critical load corrections grow, although forces are balanced up to rounding
      const isBalanced = fits && residual <= scales.roundingForce && 10 * before <= share * scales.move;
      if (keepsBranch && move > before && isBalanced) {
        test.error = 10 * before;
        return 'arrived';
      }
      // close to a critical load rounding moves the rod farther; factor ten, because slow convergence looks the same
      const isNoise = stalls > 0 && move <= 16 * scales.rounding;
      const isAmplified = stalls > (keepsBranch ? 0 : 5) && 10 * largest <= share * scales.move;
      if (moved ? !forceStalls : !isNoise && !isAmplified) return 'go-on';
      test.error = moved ? move : isNoise ? Math.max(move, scales.rounding) : 10 * largest;
      if (test.error > share * scales.move && test.error > share * bending()) return 'rounding';
      if (forced || force <= 1e-6 * scales.force) return 'converged';
      if (++waited <= 8) return 'go-on';
      if (!fits) return 'stuck';
      return force <= 1e-4 * scales.force ? 'converged' : 'rounding';
    },
  };
  return test;
}
