/** Common parts of equilibria of rods with a banded tangent stiffness: their stability, and their softest direction. */

import { type BorderedFactor, factorBand, solveBand } from '../linalg/band.ts';
import { addEntry } from '../linalg/bandMatrix.ts';
import { sin } from '../math/rounded/index.ts';
import type { Drive } from '../model.ts';
import type { Rod } from '../scene/compiled.ts';
import type { BranchRod } from '../statics/branchProblem.ts';
import { noVerdict, type Verdict } from '../statics/search.ts';
import { judgeDivergence, judgeEnergy, type RingStability } from '../statics/stability.ts';
import { dependsOnState, solveUnsymmetric, subtractSymmetricPart, type UnsymmetricWork } from './loadJacobian.ts';

export interface BandedRod {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly size: number;
  readonly fixed: Uint8Array;
  /** Stiffness of each unknown by its softest and by its stiffest part. */
  readonly softScale: Float64Array;
  readonly stiffnessScale: Float64Array;
}

export interface BandedWork extends UnsymmetricWork {
  readonly factor: BorderedFactor;
}

interface Judgement {
  /** Eigenvalues that count as zero, relative to the softest; and rounding error of the matrix, relative to the stiffest. */
  readonly zero: number;
  readonly rounding: number;
  /** Removes prescribed unknowns from the tangent, and adds the symmetric part of the loads' derivative. */
  readonly close: () => void;
  /** xᵀKx of the rod [J], summed element by element; undefined if the model does not provide it. */
  readonly measureEnergy: ((x: Float64Array) => number) | undefined;
  /** If the rod is closed. */
  readonly ring?: RingStability | undefined;
}

/**
 * Stability of the current state, whose tangent stiffness is in `work.matrix`. With conservative loads: negative eigenvalues; zero modes (free rigid
 * motion, free spin) are not counted. Loads without a potential (followers, wind, dead torques) give an unsymmetric matrix, whose determinant changes
 * its sign where the equilibrium is lost; flutter is not detected.
 */
export function judgeTangent(
  { rod, size, fixed, softScale, stiffnessScale }: BandedRod,
  work: BandedWork,
  { zero, rounding, close, measureEnergy, ring }: Judgement,
): Verdict {
  const { matrix, factor, step, loadJacobian } = work;
  const scales = { fixed, softScale, stiffnessScale, zero, rounding };
  if (loadJacobian.asymmetry > 1e-4) {
    if (rod.closed) return noVerdict;
    return judgeDivergence(scales, (added) => {
      for (let d = 0; d < size; d++) addEntry(matrix, d, d, added[d]);
      step.fill(0);
      const sign = solveUnsymmetric(fixed, work);
      for (let d = 0; d < size; d++) addEntry(matrix, d, d, -added[d]);
      return sign;
    });
  }
  close();
  return judgeEnergy({ ...scales, matrix, factor, measureEnergy, ring });
}

/** Start vector of `findSoftDirection`: the same in every run, and not along a mode of a symmetric rod. */
function startDirection({ size, fixed }: BandedRod): Float64Array {
  const x = new Float64Array(size);
  for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : sin(1 + 0.7 * d) + 0.3 * sin(0.1 * d);
  return x;
}

/**
 * Softest direction by inverse iteration with the factored, shifted matrix; its largest displacement is 1. `stride`: unknowns per node, of
 * which the first three are its position. `assemble` writes the tangent to `work.matrix`; returns false if it cannot.
 */
export function findSoftDirection(
  rod: BandedRod,
  { matrix, factor }: BandedWork,
  stride: number,
  assemble: () => boolean,
): Float64Array {
  const { size, fixed, stiffnessScale } = rod;
  const x = startDirection(rod);
  if (!assemble()) return x;
  // the smallest shift that makes the matrix positive definite lies just above the lowest eigenvalue's size
  let shift = 1e-9;
  while (!factorBand(factor, matrix, shift, stiffnessScale, 'stop-at-negative')) shift *= 1.5;
  for (let k = 0; k < 60; k++) {
    for (let d = 0; d < size; d++) x[d] = fixed[d] ? 0 : x[d] * stiffnessScale[d];
    solveBand(factor, matrix, x);
    let norm = 0;
    for (let d = 0; d < size; d++) if (d % stride < 3) norm = Math.max(norm, Math.abs(x[d]));
    if (norm === 0) norm = 1;
    for (let d = 0; d < size; d++) x[d] /= norm;
  }
  return x;
}

/** The part of a branch problem that loads and matrix answer. */
export function createBranchLoads(
  { rod, drive, fixed }: BandedRod,
  work: BandedWork,
  measureLoads: () => void,
): Pick<BranchRod, 'closed' | 'loadsDependOnState' | 'measureLoads' | 'subtractSymmetricPart' | 'solveUnsymmetric'> {
  return {
    closed: rod.closed,
    loadsDependOnState: dependsOnState(drive),
    measureLoads() {
      measureLoads();
      return work.loadJacobian.asymmetry;
    },
    subtractSymmetricPart: () => subtractSymmetricPart(work.matrix, work.loadJacobian),
    solveUnsymmetric: () => solveUnsymmetric(fixed, work),
  };
}
