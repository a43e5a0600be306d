/** Common parts of `RestRod`, the equations of a rod in an equilibrium of linked rods, for models with a banded stiffness: `der`, `cosserat`. */
import { BAND_WIDTH, type BorderedBand, clearBand, readEntry } from '../linalg/bandMatrix.ts';
import type { RestRod } from '../model.ts';
import { type LoadJacobian, subtractSymmetricPart } from './loadJacobian.ts';

/** Indices and entries of the matrix: the band, and for a ring the rows of its border. */
export function readBandEntries(matrix: BorderedBand, size: number): Pick<RestRod, 'pairs' | 'readMatrix'> {
  const pairs: [number, number][] = [];
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) if (i - j <= BAND_WIDTH || j < matrix.borderSize) pairs.push([i, j]);
  return {
    pairs,
    readMatrix(out) {
      pairs.forEach(([i, j], k) => {
        out[k] = readEntry(matrix, i, j);
      });
    },
  };
}

/** What `evaluateBanded` needs of a model, at the current state of a rod. */
export interface BandedEvaluation {
  readonly matrix: BorderedBand;
  readonly loadJacobian: LoadJacobian;
  /** Writes the tangent for stability verdicts to `matrix`, without prescribed unknowns. Returns false if there is none. */
  assembleTangent(): boolean;
  /** Evaluates the loads, and the stiffness of edges in the matrix. */
  prepare(): void;
  /** Writes the residual, and the stiffness if a matrix is given. Returns the sum of force magnitudes [N], or NaN. */
  evaluateStage(matrix: BorderedBand | undefined): number;
  /** True if loads depend on the rod. */
  readonly hasLiveLoads: boolean;
  /** Writes their derivative to `loadJacobian`. */
  measureLoads(): void;
}

/** `RestRod.evaluate` for a rod whose derived quantities are up to date. */
export function evaluateBanded(rod: BandedEvaluation, what: Parameters<RestRod['evaluate']>[1]): number {
  const { matrix, loadJacobian } = rod;
  loadJacobian.asymmetry = 0;
  if (what === 'tangent') return rod.assembleTangent() ? 0 : Number.NaN;
  rod.prepare();
  if (what === 'residual') return rod.evaluateStage(undefined);
  clearBand(matrix);
  const scale = rod.evaluateStage(matrix);
  if (!rod.hasLiveLoads || Number.isNaN(scale)) return scale;
  rod.measureLoads();
  subtractSymmetricPart(matrix, loadJacobian);
  return scale;
}
