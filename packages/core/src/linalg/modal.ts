/** Common parts of modes and matrices of banded models, independent of their unknowns. */
import { BAND_WIDTH, type BorderedBand, readEntry } from './bandMatrix.ts';

/** Symmetric matrix in coordinate form: lower triangle and diagonal. */
export interface Triplets {
  readonly row: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

/** Non-zero entries of the lower triangle among the free unknowns. */
export function collectBand(matrix: BorderedBand, free: readonly number[]): Triplets {
  const row: number[] = [];
  const column: number[] = [];
  const value: number[] = [];
  free.forEach((d, i) => {
    for (let j = 0; j <= i; j++) {
      if (d - free[j] > BAND_WIDTH && free[j] >= matrix.borderSize) continue;
      const entry = readEntry(matrix, d, free[j]);
      if (entry === 0) continue;
      row.push(i);
      column.push(j);
      value.push(entry);
    }
  });
  return { row: Int32Array.from(row), column: Int32Array.from(column), value: Float64Array.from(value) };
}

/** Non-zero entries of the lower triangle of an n × n matrix, by rows. */
export function collectDense(matrix: Float64Array, n: number): Triplets {
  const row: number[] = [];
  const column: number[] = [];
  const value: number[] = [];
  for (let r = 0; r < n; r++) {
    for (let c = 0; c <= r; c++) {
      if (matrix[r * n + c] === 0) continue;
      row.push(r);
      column.push(c);
      value.push(matrix[r * n + c]);
    }
  }
  return { row: Int32Array.from(row), column: Int32Array.from(column), value: Float64Array.from(value) };
}

/** A diagonal matrix of the free unknowns. */
export function collectDiagonal(diagonal: Float64Array, free: readonly number[]): Triplets {
  const place = Int32Array.from(free, (_, i) => i);
  return { row: place, column: place, value: Float64Array.from(free, (d) => diagonal[d]) };
}

/** Unknowns a node and its edge: three positions first, the angle about the edge at `twist`. */
export interface UnknownLayout {
  readonly stride: number;
  readonly twist: number;
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** [m] */
  readonly length: number;
}

/** A mode with the largest displacement 1; a torsion mode hardly moves the nodes, and has the largest twist 1 instead. */
export function normalizeShape(
  x: Float64Array,
  { stride, twist, nodeCount, edgeCount, length }: UnknownLayout,
): { nodeDisplacement: Float64Array; edgeTwist: Float64Array } {
  const nodeDisplacement = new Float64Array(3 * nodeCount);
  const edgeTwist = new Float64Array(edgeCount);
  let [largest, sign, turn] = [0, 1, 0];
  for (let d = 0; d < x.length; d++) {
    const place = d % stride;
    if (place === twist && Math.abs(x[d]) > Math.abs(turn)) turn = x[d];
    if (place < 3 && Math.abs(x[d]) > largest * (1 + 1e-9)) {
      largest = Math.abs(x[d]);
      sign = Math.sign(x[d]);
    }
  }
  const scale = largest > 1e-6 * Math.abs(turn) * length ? sign / largest : 1 / turn;
  for (let i = 0; i < nodeCount; i++)
    for (let k = 0; k < 3; k++) nodeDisplacement[3 * i + k] = scale * x[stride * i + k];
  for (let j = 0; j < edgeCount; j++) edgeTwist[j] = scale * x[stride * j + twist];
  return { nodeDisplacement, edgeTwist };
}
