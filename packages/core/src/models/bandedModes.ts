/** Natural modes of rods with a banded tangent stiffness, by subspace iteration. */

import { SceneError } from '../errors.ts';
import { type BorderedFactor, factorBand, solveBand } from '../linalg/band.ts';
import { type BorderedBand, multiplyBand } from '../linalg/bandMatrix.ts';
import { collectBand, collectDiagonal, normalizeShape } from '../linalg/modal.ts';
import { diagonalMass, findLowestModes } from '../linalg/subspace.ts';
import { pow } from '../math/rounded/index.ts';
import type { Matrices, Modes } from '../model.ts';
import type { Rod } from '../scene/compiled.ts';
import { findFlutterModes, sizeFlutterBasis } from './flutter.ts';
import type { LoadJacobian } from './loadJacobian.ts';

export interface ModalRod {
  readonly rod: Rod;
  readonly size: number;
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly fixed: Uint8Array;
  readonly mass: Float64Array;
  readonly stiffnessScale: Float64Array;
}

export interface ModalWork {
  readonly matrix: BorderedBand;
  readonly factor: BorderedFactor;
  readonly loadJacobian: LoadJacobian;
}

/** Unknowns per node, of which the first three are its position, and the index among them of the angle about the edge. */
export interface Unknowns {
  readonly stride: number;
  readonly twist: number;
  /** Whether modes under loads without a potential are supported. */
  readonly canFlutter: boolean;
}

/** Asymmetry of the loads' derivative from which they have no potential. */
const ASYMMETRIC = 1e-4;

/**
 * The lowest modes of the rod whose tangent is in `work.matrix`; `close` removes prescribed unknowns from it. Under loads without a potential they may
 * flutter, see flutter.ts; throws SceneError if the model does not support that.
 */
export function findBandedModes(
  one: ModalRod,
  { matrix, factor, loadJacobian }: ModalWork,
  unknowns: Unknowns,
  close: () => void,
  count: number,
): Modes {
  const { rod, size, fixed, mass } = one;
  close();
  const isAsymmetric = loadJacobian.asymmetry > ASYMMETRIC;
  if (isAsymmetric && !unknowns.canFlutter) {
    const remedy = 'use model der or `run`, or remove followers, torques and wind from the scene';
    throw new SceneError(
      ['loads'],
      `rod '${rod.id}' has loads without a potential, so it has no natural modes; ${remedy}`,
    );
  }
  const active = mass.map((m, d) => (fixed[d] ? 0 : m));
  const soft = softestRatio(one, unknowns);
  // K + σM may be indefinite about an unstable equilibrium: the factorization works, and the iteration converges nevertheless
  factorBand(factor, matrix, 1e-3 * soft, active, 'count-negative');
  const solve = (y: Float64Array): void => {
    solveBand(factor, matrix, y);
    for (let d = 0; d < size; d++) if (fixed[d]) y[d] = 0;
  };
  const multiply = (y: Float64Array, x: Float64Array): void => multiplyBand(y, matrix, x);
  const { values, vectors } = findLowestModes(
    { ...diagonalMass(active), soft, solve, multiply },
    isAsymmetric ? sizeFlutterBasis(count) : count,
  );
  const layout = { ...unknowns, nodeCount: one.nodeCount, edgeCount: one.edgeCount, length: rod.length };
  if (isAsymmetric) {
    const found = findFlutterModes({ jacobian: loadJacobian, mass: active, fixed, solve, multiply }, vectors, count);
    return {
      rod: rod.id,
      omega: Float64Array.from(found, ({ omega }) => omega),
      growth: Float64Array.from(found, ({ growth }) => growth),
      shapes: found.map(({ shape }) => normalizeShape(shape, layout)),
    };
  }
  return {
    rod: rod.id,
    omega: values.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value))),
    shapes: vectors.map((x) => normalizeShape(x, layout)),
  };
}

/** A typical ω² of slow bending: EI/(m L⁴) from the scales of a node. */
function softestRatio({ size, mass, stiffnessScale, edgeCount }: ModalRod, { stride }: Unknowns): number {
  let ratio = Infinity;
  for (let d = 0; d < size; d++)
    if (mass[d] > 0 && d % stride < 3) ratio = Math.min(ratio, stiffnessScale[d] / mass[d]);
  return ratio / pow(edgeCount, 4);
}

/** Functions that write the two matrices to `work.matrix`, and the name of each unknown. */
interface MatrixSource {
  readonly labelOf: (unknown: number) => string;
  readonly assembleStiffness: () => void;
  readonly assembleDamping: () => void;
}

/** M, K and C of the free unknowns. */
export function collectMatrices(
  { rod, size, fixed, mass }: ModalRod,
  { matrix }: ModalWork,
  { labelOf, assembleStiffness, assembleDamping }: MatrixSource,
): Matrices {
  const free: number[] = [];
  for (let d = 0; d < size; d++) if (!fixed[d]) free.push(d);
  assembleStiffness();
  const stiffness = collectBand(matrix, free);
  assembleDamping();
  return {
    rod: rod.id,
    size: free.length,
    labels: free.map(labelOf),
    unknowns: free,
    mass: collectDiagonal(mass, free),
    stiffness,
    damping: collectBand(matrix, free),
  };
}
