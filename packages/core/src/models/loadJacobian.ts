/**
 * Derivative of a rod's loads with respect to its unknowns: ∂f/∂q of fields, followers, torques and wind, for equilibria, stability verdicts and modes.
 * Without it Newton's method does not converge under strong wind, and a rod on an elastic foundation counts as unstable. Time steps do not need it: there
 * inertia keeps the iteration convergent.
 *
 * Unknowns are ordered by node: three of position, then those of the edge after it. Derivatives are central differences. The loads on a node
 * depend on at most two nodes on either side, so every fifth node moves at once, and the number of evaluations does not grow with the rod.
 */

import { addGeneral, type GeneralBand, solveGeneral } from '../linalg/bandLu.ts';
import { addEntry, BAND_WIDTH, type BorderedBand, readEntry } from '../linalg/bandMatrix.ts';
import { square } from '../math/rounded/index.ts';
import type { Drive } from '../model.ts';
import type { Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';

/** Every fifth node moves at once. */
const REACH = 5;
const ROW = 2 * BAND_WIDTH + 1;

export interface LoadJacobian {
  /** ∂f_row/∂q_column for columns row − 10 … row + 10, 21 per row; across the seam of a closed rod too. */
  readonly entries: Float64Array;
  readonly size: number;
  readonly closed: boolean;
  /** Norm of the antisymmetric part relative to the whole: 0 for conservative loads. */
  asymmetry: number;
}

/** An empty Jacobian for a rod with `size` unknowns. */
export function createLoadJacobian(size: number, closed: boolean): LoadJacobian {
  return { entries: new Float64Array(ROW * size), size, closed, asymmetry: 0 };
}

/** True if a load depends on the state of the rod. */
export function dependsOnState({ sources }: Drive): boolean {
  for (const source of sources) if (source.dependsOnState) return true;
  return false;
}

/** A rod whose loads are evaluated at several states. */
export interface MovableRod {
  readonly rod: Rod;
  /** Unknowns per node. */
  readonly stride: number;
  /** Moves the unknowns by `sign` times the step and updates what follows from them. */
  move(step: Float64Array, sign: number): void;
  /** Undoes the move; derived quantities need not be updated. */
  restore(): void;
  /** Evaluates the loads at the current state and writes their generalized force. */
  writeForce(out: Float64Array): void;
  /**
   * Adds the contribution of torques that arises because rotations do not commute. The stiffness matrix is the symmetric part of the derivative of the
   * elastic forces; its antisymmetric part is half the torque on each edge, which at rest is the torque `force` of the loads.
   */
  addTurnOrder(add: AddToJacobian, force: Float64Array): void;
  /** The rod's loads and their samples; factor on all loads. */
  readonly drive: Drive;
  readonly samples: Samples;
  readonly loadFactor: number;
}

/** Adds a value to ∂f_row/∂q_column. */
export type AddToJacobian = (row: number, column: number, value: number) => void;

/** Adds `factor` (a × ·) to the 3 × 3 block of these first row and column. */
export function addCross(
  add: AddToJacobian,
  [row, column]: readonly [number, number],
  a: ArrayLike<number>,
  factor: number,
): void {
  for (let k = 0; k < 3; k++) {
    const [next, last] = [(k + 1) % 3, (k + 2) % 3];
    add(row + last, column + next, factor * a[k]);
    add(row + next, column + last, -factor * a[k]);
  }
}

/** Groups of nodes that can move at once. */
function findIndependentNodes({ nodeCount, closed }: Rod): number[][] {
  const groups: number[][] = [];
  const whole = closed ? nodeCount - (nodeCount % REACH) : nodeCount;
  for (let color = 0; color < REACH; color++) {
    const group: number[] = [];
    for (let i = color; i < whole; i += REACH) group.push(i);
    if (group.length > 0) groups.push(group);
  }
  for (let i = whole; i < nodeCount; i++) groups.push([i]);
  return groups;
}

/** Computes the Jacobian by moving the rod. The caller must update derived quantities afterwards. */
export function measureLoadJacobian(out: LoadJacobian, movable: MovableRod): void {
  const { entries, size, closed } = out;
  entries.fill(0);
  const force = new Float64Array(size);
  const add: AddToJacobian = (row, column, value) => {
    let offset = column - row;
    if (closed && offset > size / 2) offset -= size;
    if (closed && offset < -size / 2) offset += size;
    entries[ROW * row + BAND_WIDTH + offset] += value;
  };
  const isGiven = movable.drive.sources.every((source) => !source.dependsOnState || source.addDerivative);
  if (!isGiven) addDifferences(out, movable);
  movable.writeForce(force);
  if (isGiven) addGivenDerivatives(movable, add);
  movable.addTurnOrder(add, force);
  out.asymmetry = measureAsymmetry(out);
}

function addGivenDerivatives({ drive, samples, stride, loadFactor }: MovableRod, add: AddToJacobian): void {
  const at = (k: number): number => stride * Math.floor(k / 3) + (k % 3);
  for (const source of drive.sources)
    source.addDerivative?.((row, column, value) => add(at(row), at(column), loadFactor * value), samples);
}

/** Adds central differences of all loads. */
function addDifferences({ entries, size, closed }: LoadJacobian, movable: MovableRod): void {
  const { rod, stride } = movable;
  const plus = new Float64Array(size);
  const minus = new Float64Array(size);
  const step = new Float64Array(size);
  const length = rod.length / rod.edgeCount;
  for (const group of findIndependentNodes(rod)) {
    for (let part = 0; part < stride; part++) {
      const h = part > 2 ? 1e-5 : 1e-5 * length;
      const columns = group.filter((i) => part < 3 || i < rod.edgeCount).map((i) => stride * i + part);
      step.fill(0);
      for (const column of columns) step[column] = h;
      for (const sign of [1, -1]) {
        movable.move(step, sign);
        movable.writeForce(sign > 0 ? plus : minus);
        movable.restore();
      }
      for (const column of columns) {
        for (let offset = -BAND_WIDTH; offset <= BAND_WIDTH; offset++) {
          let row = column + offset;
          if (closed) row = (row + size) % size;
          if (row >= 0 && row < size) entries[ROW * row + BAND_WIDTH - offset] = (plus[row] - minus[row]) / (2 * h);
        }
      }
    }
  }
}

/** Entry (row, row + offset) of the transpose is at (row + offset, −offset). */
function readTransposed({ entries, size, closed }: LoadJacobian, row: number, offset: number): number {
  let other = row + offset;
  if (closed) other = (other + size) % size;
  return other < 0 || other >= size ? 0 : entries[ROW * other + BAND_WIDTH - offset];
}

function measureAsymmetry(jacobian: LoadJacobian): number {
  let whole = 0;
  let odd = 0;
  for (let row = 0; row < jacobian.size; row++) {
    for (let offset = -BAND_WIDTH; offset <= BAND_WIDTH; offset++) {
      const value = jacobian.entries[ROW * row + BAND_WIDTH + offset];
      whole += value * value;
      odd += square(value - readTransposed(jacobian, row, offset));
    }
  }
  return whole > 0 ? Math.sqrt(odd / whole) : 0;
}

/** Subtracts the symmetric part from a stiffness matrix. */
export function subtractSymmetricPart(matrix: BorderedBand, jacobian: LoadJacobian): void {
  const { entries, size, closed } = jacobian;
  for (let row = 0; row < size; row++) {
    for (let offset = -BAND_WIDTH; offset <= 0; offset++) {
      let column = row + offset;
      if (closed) column = (column + size) % size;
      if (column < 0) continue;
      const value = 0.5 * (entries[ROW * row + BAND_WIDTH + offset] + readTransposed(jacobian, row, offset));
      if (value !== 0) addEntry(matrix, row, column, -value);
    }
  }
}

/** ∂f_row/∂q_column; 0 outside the band. */
export function readJacobian({ entries, size, closed }: LoadJacobian, row: number, column: number): number {
  let offset = column - row;
  if (closed && offset > size / 2) offset -= size;
  if (closed && offset < -size / 2) offset += size;
  return Math.abs(offset) > BAND_WIDTH ? 0 : entries[ROW * row + BAND_WIDTH + offset];
}

/** out += factor · J x. */
export function addJacobianProduct(out: Float64Array, jacobian: LoadJacobian, x: Float64Array, factor: number): void {
  const { entries, size, closed } = jacobian;
  for (let row = 0; row < size; row++) {
    for (let offset = -BAND_WIDTH; offset <= BAND_WIDTH; offset++) {
      let column = row + offset;
      if (closed) column = (column + size) % size;
      if (column >= 0 && column < size) out[row] += factor * entries[ROW * row + BAND_WIDTH + offset] * x[column];
    }
  }
}

/** Replaces J by its transpose. */
export function transposeJacobian(jacobian: LoadJacobian): void {
  const { entries, size } = jacobian;
  const turned = new Float64Array(entries.length);
  for (let row = 0; row < size; row++)
    for (let offset = -BAND_WIDTH; offset <= BAND_WIDTH; offset++)
      turned[ROW * row + BAND_WIDTH + offset] = readTransposed(jacobian, row, offset);
  entries.set(turned);
}

/** out += ½(J − Jᵀ) x. */
export function addAntisymmetricPart(out: Float64Array, jacobian: LoadJacobian, x: Float64Array): void {
  const { entries, size, closed } = jacobian;
  for (let row = 0; row < size; row++) {
    for (let offset = -BAND_WIDTH; offset <= BAND_WIDTH; offset++) {
      let column = row + offset;
      if (closed) column = (column + size) % size;
      if (column < 0 || column >= size) continue;
      const odd = entries[ROW * row + BAND_WIDTH + offset] - readTransposed(jacobian, row, offset);
      out[row] += 0.5 * odd * x[column];
    }
  }
}

/**
 * Newton's step with loads that depend on the rod. `measure` writes their Jacobian. Solves with the whole unsymmetric matrix, which makes Newton
 * quadratic, and returns true; if that fails, or for a ring, subtracts the symmetric part from `matrix` and returns false.
 */
export function solveWithLoads(
  { fixed, rod }: { readonly fixed: Uint8Array; readonly rod: { readonly closed: boolean } },
  work: UnsymmetricWork,
  measure: () => void,
): boolean {
  for (let d = 0; d < fixed.length; d++) if (fixed[d]) work.step[d] = 0;
  measure();
  const solved = !rod.closed && solveUnsymmetric(fixed, work) !== 0;
  if (!solved) subtractSymmetricPart(work.matrix, work.loadJacobian);
  return solved;
}

/** What `solveUnsymmetric` reads and writes. */
export interface UnsymmetricWork {
  readonly matrix: BorderedBand;
  readonly loadJacobian: LoadJacobian;
  readonly general: GeneralBand;
  readonly step: Float64Array;
}

/**
 * Solves (K − ∂f/∂q) x = step in place, with K in `matrix`; prescribed unknowns keep their values. Returns the sign of the determinant, or 0 if
 * the matrix is singular, and then leaves the right-hand side unchanged.
 */
export function solveUnsymmetric(fixed: Uint8Array, work: UnsymmetricWork): number {
  const { general, matrix, loadJacobian, step } = work;
  const { entries, size } = loadJacobian;
  general.entries.fill(0);
  for (let i = 0; i < size; i++) {
    if (fixed[i]) {
      addGeneral(general, i, i, 1);
      continue;
    }
    for (let j = Math.max(0, i - BAND_WIDTH); j <= Math.min(size - 1, i + BAND_WIDTH); j++) {
      if (!fixed[j]) addGeneral(general, i, j, readEntry(matrix, i, j) - entries[ROW * i + BAND_WIDTH + j - i]);
    }
  }
  const right = step.slice();
  const sign = solveGeneral(general, step);
  if (sign === 0) step.set(right);
  return sign;
}

/** The part of velocity-dependent loads that a stage of rate s treats implicitly; `drag` has six entries per node. */
export function addDrag(matrix: BorderedBand, drag: Float64Array, stride: number, s: number): void {
  for (let o = 0, d = 0; o < drag.length; o += 6, d += stride) {
    if (drag[o] === 0 && drag[o + 3] === 0 && drag[o + 5] === 0) continue;
    addEntry(matrix, d, d, s * drag[o]);
    addEntry(matrix, d + 1, d, s * drag[o + 1]);
    addEntry(matrix, d + 2, d, s * drag[o + 2]);
    addEntry(matrix, d + 1, d + 1, s * drag[o + 3]);
    addEntry(matrix, d + 2, d + 1, s * drag[o + 4]);
    addEntry(matrix, d + 2, d + 2, s * drag[o + 5]);
  }
}
