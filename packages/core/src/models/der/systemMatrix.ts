/** Sparse matrices of rods that bodies join: numbering of the unknowns, entries, products, shifted factors. */
import { BAND_WIDTH, readEntry } from '../../linalg/bandMatrix.ts';
import {
  analyzeSparse,
  createSparsePattern,
  factorSparse,
  type SparseFactor,
  type SparsePattern,
} from '../../linalg/sparse.ts';
import type { SparseSymmetric } from '../../model.ts';
import type { System } from './welds.ts';

/** A sparse symmetric matrix as entries: lower triangle, without duplicates. */
export interface Entries {
  readonly row: number[];
  readonly column: number[];
  readonly value: number[];
}

export interface Unknowns {
  readonly size: number;
  /** Index of unknown d of member m, −1 if it is prescribed or slaved. */
  readonly ofRod: readonly Int32Array[];
  /** Index of component k of body b at 6 b + k, −1 if it is locked. */
  readonly ofBody: Int32Array;
  readonly labels: readonly string[];
}

const AXES = ['x', 'y', 'z'];

export function number({ members, bodies }: System): Unknowns {
  const labels: string[] = [];
  const ofRod = members.map(({ der }) =>
    Int32Array.from({ length: der.size }, (_, d) => {
      if (der.fixed[d]) return -1;
      const what = (d & 3) === 3 ? `edge ${d >> 2} twist` : `node ${d >> 2} ${AXES[d & 3]}`;
      return labels.push(members.length > 1 ? `rod '${der.rod.id}' ${what}` : what) - 1;
    }),
  );
  const ofBody = Int32Array.from({ length: 6 * bodies.length }, (_, i) => {
    const { body } = bodies[Math.floor(i / 6)];
    const k = i % 6;
    if (!body.free[k]) return -1;
    return labels.push(`body '${body.id}' ${k < 3 ? AXES[k] : `rotation ${AXES[k - 3]}`}`) - 1;
  });
  return { size: labels.length, ofRod, ofBody, labels };
}

/** Collects the entries of the members' matrices, of the rows of their welds and of the bodies' matrix. */
export function gather(system: System, unknowns: Unknowns): Entries {
  const out: Entries = { row: [], column: [], value: [] };
  const add = (i: number, j: number, value: number): void => {
    if (i < 0 || j < 0 || value === 0) return;
    out.row.push(Math.max(i, j));
    out.column.push(Math.min(i, j));
    out.value.push(value);
  };
  system.members.forEach(({ der, work, ties }, m) => {
    const index = unknowns.ofRod[m];
    const { borderSize } = work.matrix;
    for (let d = 0; d < der.size; d++) {
      if (index[d] < 0) continue;
      for (let e = 0; e <= d; e++) {
        if (d - e > BAND_WIDTH && e >= borderSize) e = d - BAND_WIDTH;
        add(index[d], index[e], readEntry(work.matrix, d, e));
      }
    }
    for (const { body, rows } of ties)
      for (let k = 0; k < 6; k++)
        for (let d = 0; d < der.size; d++) add(unknowns.ofBody[6 * body + k], index[d], rows[k * der.size + d]);
  });
  const n = 6 * system.bodies.length;
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++)
      add(unknowns.ofBody[i], unknowns.ofBody[j], 0.5 * (system.outer[i * n + j] + system.outer[j * n + i]));
  return out;
}

export function massEntries(system: System, unknowns: Unknowns): Entries {
  const out: Entries = { row: [], column: [], value: [] };
  const add = (i: number, j: number, value: number): void => {
    if (i < 0 || j < 0 || value === 0) return;
    out.row.push(i);
    out.column.push(j);
    out.value.push(value);
  };
  system.members.forEach(({ der }, m) => {
    for (let d = 0; d < der.size; d++) add(unknowns.ofRod[m][d], unknowns.ofRod[m][d], der.mass[d]);
  });
  system.bodies.forEach(({ mass, worldInertia }, b) => {
    for (let k = 0; k < 3; k++) {
      add(unknowns.ofBody[6 * b + k], unknowns.ofBody[6 * b + k], mass);
      for (let m = 0; m <= k; m++)
        add(unknowns.ofBody[6 * b + 3 + k], unknowns.ofBody[6 * b + 3 + m], worldInertia[3 * k + m]);
    }
  });
  return out;
}

/** Merges duplicate entries. */
export function merge({ row, column, value }: Entries, size: number): SparseSymmetric {
  const sums = new Map<number, number>();
  row.forEach((i, k) => {
    const key = i * size + column[k];
    sums.set(key, (sums.get(key) ?? 0) + value[k]);
  });
  const keys = [...sums.keys()].sort((a, b) => a - b);
  return {
    row: Int32Array.from(keys, (key) => Math.floor(key / size)),
    column: Int32Array.from(keys, (key) => key % size),
    value: Float64Array.from(keys, (key) => sums.get(key) as number),
  };
}

/** y = A x. */
export function multiply(y: Float64Array, { row, column, value }: SparseSymmetric, x: Float64Array): void {
  y.fill(0);
  for (let k = 0; k < value.length; k++) {
    y[row[k]] += value[k] * x[column[k]];
    if (row[k] !== column[k]) y[column[k]] += value[k] * x[row[k]];
  }
}

/** K + σM, factored. */
export function factorShifted(
  stiffness: SparseSymmetric,
  mass: SparseSymmetric,
  size: number,
  shift: number,
): SparseFactor {
  const pairs = [stiffness, mass].flatMap(({ row, column }) =>
    Array.from(row, (i, k): [number, number] => [i, column[k]]),
  );
  const pattern: SparsePattern = createSparsePattern(size, pairs);
  const values = new Float64Array(pattern.slots);
  stiffness.value.forEach((value, k) => {
    values[pattern.slotOf(stiffness.row[k], stiffness.column[k])] += value;
  });
  mass.value.forEach((value, k) => {
    values[pattern.slotOf(mass.row[k], mass.column[k])] += shift * value;
  });
  const factor = analyzeSparse(pattern, pairs);
  factorSparse(factor, values, 0);
  return factor;
}
