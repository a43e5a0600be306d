/** Natural modes about the current state, by subspace iteration, and the matrices M, K, C. */

import { SceneError } from '../../errors.ts';
import { diagonalMass, findLowestModes } from '../../linalg/subspace.ts';
import {
  clearWide,
  factorWide,
  fixWide,
  multiplyWide,
  readWide,
  solveWide,
  type WideBand,
} from '../../linalg/wideBand.ts';
import { pow } from '../../math/rounded/index.ts';
import type { Matrices, Modes, SparseSymmetric } from '../../model.ts';
import { addRowMatrix, forEachRow } from './energy.ts';
import { evaluatePins, measureEdge } from './kinematics.ts';
import type { Hair } from './rod.ts';
import { WIDTH, type Workspace } from './step.ts';
import { assembleTangent } from './tangent.ts';

export function findModes(hair: Hair, work: Workspace, t: number, count: number): Modes {
  const { size, mass, fixed, rod, stiffnessScale } = hair;
  evaluatePins(hair, t);
  if (hair.drive.sources.some(({ dependsOnState }) => dependsOnState)) {
    throw new SceneError(
      ['loads'],
      `rod '${rod.id}' has loads that depend on its state, for which massspring has no natural modes; remove them, or use model: der`,
    );
  }
  const active = mass.map((m, d) => (fixed[d] ? 0 : m));
  writeStiffness(hair, work);
  for (let d = 0; d < size; d++) if (fixed[d]) fixWide(work.matrix, d);
  let soft = Infinity;
  for (let d = 0; d < size; d++) if (active[d] > 0) soft = Math.min(soft, stiffnessScale[d] / active[d]);
  soft /= pow(rod.edgeCount, 4);
  factorWide(work.factor, work.matrix, 1e-3 * soft, active, 'count-negative');
  const { values, vectors } = findLowestModes(
    {
      ...diagonalMass(active),
      soft,
      solve: (y) => {
        solveWide(work.factor, work.matrix, y);
        for (let d = 0; d < size; d++) if (fixed[d]) y[d] = 0;
      },
      multiply: (y, x) => multiplyWide(y, work.matrix, x),
    },
    count,
  );
  return {
    rod: rod.id,
    omega: values.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value))),
    shapes: vectors.map((x) => normalizedShape(hair, x)),
  };
}

function writeStiffness(hair: Hair, work: Workspace): void {
  clearWide(work.matrix);
  work.right.fill(0);
  assembleTangent(work.matrix, work.right, hair, work.row, undefined, undefined);
}

const edge = new Float64Array(6);

/** Scales a mode to largest displacement 1, or to largest twist 1 if nodes hardly move; twist is the rotation of the ghosts about their segments. */
function normalizedShape(hair: Hair, x: Float64Array): Modes['shapes'][number] {
  const { rod, start, stride, q } = hair;
  const nodeDisplacement = new Float64Array(3 * rod.nodeCount);
  const edgeTwist = new Float64Array(rod.edgeCount);
  let largest = 0;
  let sign = 1;
  for (let i = 0; i < rod.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const value = x[3 * (start + stride * i) + k];
      nodeDisplacement[3 * i + k] = value;
      if (Math.abs(value) <= largest * (1 + 1e-9)) continue;
      largest = Math.abs(value);
      sign = Math.sign(value);
    }
  }
  let turn = 0;
  for (let j = 0; j < rod.edgeCount; j++) {
    const distance = measureEdge(edge, hair, q, j);
    const a = 3 * (start + stride * j);
    for (let k = 0; k < 3; k++) {
      const [m, n] = [(k + 1) % 3, (k + 2) % 3];
      const across = edge[m] * edge[3 + n] - edge[n] * edge[3 + m];
      edgeTwist[j] += (across * (x[a + 3 + k] - 0.5 * (x[a + k] + x[a + 6 + k]))) / (distance || 1);
    }
    if (Math.abs(edgeTwist[j]) > Math.abs(turn)) turn = edgeTwist[j];
  }
  const scale = largest > 1e-6 * Math.abs(turn) * rod.length ? sign / largest : 1 / turn;
  return { nodeDisplacement: nodeDisplacement.map((u) => scale * u), edgeTwist: edgeTwist.map((u) => scale * u) };
}

export function exportMatrices(hair: Hair, work: Workspace, t: number): Matrices {
  const { size, mass, massDamping, fixed, rod, start } = hair;
  evaluatePins(hair, t);
  const free: number[] = [];
  for (let d = 0; d < size; d++) if (!fixed[d]) free.push(d);
  const labels = free.map((d) => {
    const p = ((d / 3) | 0) - start;
    return `${p % 2 === 0 ? 'node' : 'ghost'} ${p >> 1} ${'xyz'[d % 3]}`;
  });
  writeStiffness(hair, work);
  const stiffness = collect(work.matrix, free);
  clearWide(work.matrix);
  forEachRow(hair, hair.q, hair.q, (row) => addRowMatrix(work.matrix, row, row.damping * row.stiffness));
  for (let d = 0; d < size; d++) work.matrix.entries[d * (WIDTH + 1) + WIDTH] += mass[d] * massDamping[d];
  const diagonal: SparseSymmetric = {
    row: Int32Array.from(free, (_, i) => i),
    column: Int32Array.from(free, (_, i) => i),
    value: Float64Array.from(free, (d) => mass[d]),
  };
  return {
    rod: rod.id,
    size: free.length,
    labels,
    unknowns: free,
    mass: diagonal,
    stiffness,
    damping: collect(work.matrix, free),
  };
}

function collect(matrix: WideBand, free: readonly number[]): SparseSymmetric {
  const row: number[] = [];
  const column: number[] = [];
  const value: number[] = [];
  free.forEach((d, i) => {
    for (let j = 0; j <= i; j++) {
      const entry = readWide(matrix, d, free[j]);
      if (entry === 0) continue;
      row.push(i);
      column.push(j);
      value.push(entry);
    }
  });
  return { row: Int32Array.from(row), column: Int32Array.from(column), value: Float64Array.from(value) };
}
