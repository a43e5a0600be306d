/**
 * How the loads change with the rod: ∂f/∂(x, ϑ) of fields, followers, torques and wind, for equilibria, the verdict on
 * their stability, and modes. By central differences: loads of a node depend on the nodes and edges next to it at most,
 * so that every fifth node with its edge can be moved at once.
 */

import { addEntry, type BorderedBand } from '../../linalg/band.ts';
import { square } from '../../math/rounded/index.ts';
import { measureStrain, moveBy } from './kinematics.ts';
import type { CosseratRod } from './rod.ts';

const REACH = 5;
const WIDTH = 10;
const ROW = 2 * WIDTH + 1;

export interface LoadJacobian {
  /** ∂f_row/∂q_column, columns row−10 … row+10, 21 a row; across the seam of a closed rod too. */
  readonly entries: Float64Array;
  /** Size of the unsymmetric part relative to the whole: 0 for conservative loads. */
  asymmetry: number;
}

export function createLoadJacobian(cos: CosseratRod): LoadJacobian {
  return { entries: new Float64Array(ROW * cos.size), asymmetry: 0 };
}

/** Groups of nodes that can be moved at once. */
function independentNodes(cos: CosseratRod): number[][] {
  const { nodeCount, rod } = cos;
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
  cos: CosseratRod,
  generalized: (out: Float64Array) => void,
): void {
  const { size, q, edgeCount, rod } = cos;
  const { entries } = out;
  entries.fill(0);
  const plus = new Float64Array(size);
  const minus = new Float64Array(size);
  const kept = q.slice();
  const step = new Float64Array(size);
  const length = rod.length / edgeCount;
  for (const group of independentNodes(cos)) {
    for (let part = 0; part < 6; part++) {
      const h = part > 2 ? 1e-5 : 1e-5 * length;
      step.fill(0);
      for (const i of group) if (part < 3 || i < edgeCount) step[6 * i + part] = h;
      for (const sign of [1, -1]) {
        moveBy(cos, step, sign);
        measureStrain(cos);
        generalized(sign > 0 ? plus : minus);
        q.set(kept);
      }
      for (const i of group) {
        if (part > 2 && i >= edgeCount) continue;
        const column = 6 * i + part;
        for (let offset = -WIDTH; offset <= WIDTH; offset++) {
          let row = column + offset;
          if (rod.closed) row = (row + size) % size;
          if (row >= 0 && row < size) entries[ROW * row + WIDTH - offset] = (plus[row] - minus[row]) / (2 * h);
        }
      }
    }
  }
  measureStrain(cos);
  let whole = 0;
  let odd = 0;
  for (let row = 0; row < size; row++) {
    for (let offset = -WIDTH; offset <= WIDTH; offset++) {
      const value = entries[ROW * row + WIDTH + offset];
      whole += value * value;
      odd += square(value - transposed(entries, size, rod.closed, row, offset));
    }
  }
  out.asymmetry = whole > 0 ? Math.sqrt(odd / whole) : 0;
}

function transposed(entries: Float64Array, size: number, closed: boolean, row: number, offset: number): number {
  let other = row + offset;
  if (closed) other = (other + size) % size;
  return other < 0 || other >= size ? 0 : entries[ROW * other + WIDTH - offset];
}

/** Subtracts the symmetric part from a stiffness matrix. */
export function subtractSymmetricPart(matrix: BorderedBand, jacobian: LoadJacobian, cos: CosseratRod): void {
  const { entries } = jacobian;
  const { size, rod } = cos;
  for (let row = 0; row < size; row++) {
    for (let offset = -WIDTH; offset <= 0; offset++) {
      let column = row + offset;
      if (rod.closed) column = (column + size) % size;
      if (column < 0) continue;
      const value = 0.5 * (entries[ROW * row + WIDTH + offset] + transposed(entries, size, rod.closed, row, offset));
      if (value !== 0) addEntry(matrix, row, column, -value);
    }
  }
}
