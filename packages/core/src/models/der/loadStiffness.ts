/**
 * How the loads change with the rod: ∂f/∂q of fields, followers, torques and wind, for equilibria, the verdict on
 * their stability, and modes. Without it Newton does not converge under strong wind, and a rod on an elastic foundation
 * counts as unstable.
 *
 * By central differences: loads on a node depend on the two nodes on either side at most, so that every fifth node can be
 * moved at once, and 40 evaluations give the whole matrix whatever the length of the rod. Time steps do without: there
 * inertia keeps the iteration convergent.
 */

import { addEntry, type BorderedBand } from '../../linalg/band.ts';
import { square } from '../../math/rounded/index.ts';
import { followCenterline } from './kinematics.ts';
import type { DerRod } from './rod.ts';

const REACH = 5;

export interface LoadJacobian {
  /** ∂f_row/∂q_column, columns row−10 … row+10, 21 a row; across the seam of a closed rod too. */
  readonly entries: Float64Array;
  /** Size of the unsymmetric part relative to the whole: 0 for conservative loads. */
  asymmetry: number;
}

export function createLoadJacobian(der: DerRod): LoadJacobian {
  return { entries: new Float64Array(21 * der.size), asymmetry: 0 };
}

/** Groups of nodes that can be moved at once. */
function independentNodes(der: DerRod): number[][] {
  const { nodeCount, rod } = der;
  const groups: number[][] = [];
  const whole = rod.closed ? nodeCount - (nodeCount % REACH) : nodeCount;
  for (let color = 0; color < REACH; color++) {
    const group: number[] = [];
    for (let i = color; i < whole; i += REACH) group.push(i);
    if (group.length > 0) groups.push(group);
  }
  for (let i = whole; i < nodeCount; i++) groups.push([i]);
  return groups;
}

/** `generalized(out)` evaluates the loads at the present state and writes the generalised force. */
export function measureLoadJacobian(
  out: LoadJacobian,
  der: DerRod,
  edgeWork: Float64Array,
  generalized: (out: Float64Array) => void,
): void {
  const { size, q, edgeCount, rod, edgeReference, jointReferenceTwist, edgeTangent } = der;
  const { entries } = out;
  entries.fill(0);
  const plus = new Float64Array(size);
  const minus = new Float64Array(size);
  const kept = {
    q: q.slice(),
    reference: edgeReference.slice(),
    twist: jointReferenceTwist.slice(),
    tangent: edgeTangent.slice(),
  };
  const restore = (): void => {
    q.set(kept.q);
    edgeReference.set(kept.reference);
    jointReferenceTwist.set(kept.twist);
    edgeTangent.set(kept.tangent);
  };
  const length = rod.length / edgeCount;
  for (const group of independentNodes(der)) {
    for (let part = 0; part < 4; part++) {
      const h = part === 3 ? 1e-5 : 1e-5 * length;
      for (const sign of [1, -1]) {
        for (const i of group) if (part < 3 || i < edgeCount) q[4 * i + part] += sign * h;
        followCenterline(der, edgeWork);
        generalized(sign > 0 ? plus : minus);
        restore();
      }
      for (const i of group) {
        if (part === 3 && i >= edgeCount) continue;
        const column = 4 * i + part;
        for (let offset = -10; offset <= 10; offset++) {
          let row = column + offset;
          if (rod.closed) row = (row + size) % size;
          if (row < 0 || row >= size) continue;
          entries[21 * row + 10 - offset] = (plus[row] - minus[row]) / (2 * h);
        }
      }
    }
  }
  followCenterline(der, edgeWork);
  out.asymmetry = measureAsymmetry(entries, size, rod.closed);
}

/** Entry (row, row + offset) of the transpose stands at (row + offset, −offset). */
function transposed(entries: Float64Array, size: number, closed: boolean, row: number, offset: number): number {
  let other = row + offset;
  if (closed) other = (other + size) % size;
  return other < 0 || other >= size ? 0 : entries[21 * other + 10 - offset];
}

function measureAsymmetry(entries: Float64Array, size: number, closed: boolean): number {
  let whole = 0;
  let odd = 0;
  for (let row = 0; row < size; row++) {
    for (let offset = -10; offset <= 10; offset++) {
      const value = entries[21 * row + 10 + offset];
      whole += value * value;
      odd += square(value - transposed(entries, size, closed, row, offset));
    }
  }
  return whole > 0 ? Math.sqrt(odd / whole) : 0;
}

/** Subtracts the symmetric part from a stiffness matrix. */
export function subtractSymmetricPart(
  matrix: BorderedBand,
  jacobian: LoadJacobian,
  size: number,
  closed: boolean,
): void {
  const { entries } = jacobian;
  for (let row = 0; row < size; row++) {
    for (let offset = -10; offset <= 0; offset++) {
      let column = row + offset;
      if (closed) column = (column + size) % size;
      if (column < 0) continue;
      const value = 0.5 * (entries[21 * row + 10 + offset] + transposed(entries, size, closed, row, offset));
      if (value !== 0) addEntry(matrix, row, column, -value);
    }
  }
}

/** out += ½(J − Jᵀ) x. */
export function addAntisymmetricPart(
  out: Float64Array,
  jacobian: LoadJacobian,
  x: Float64Array,
  closed: boolean,
): void {
  const { entries } = jacobian;
  const size = x.length;
  for (let row = 0; row < size; row++) {
    for (let offset = -10; offset <= 10; offset++) {
      let column = row + offset;
      if (closed) column = (column + size) % size;
      if (column < 0 || column >= size) continue;
      out[row] += 0.5 * (entries[21 * row + 10 + offset] - transposed(entries, size, closed, row, offset)) * x[column];
    }
  }
}
