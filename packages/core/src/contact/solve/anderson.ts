/**
 * Anderson acceleration of a fixed-point iteration q ← q + f(q) [Anderson1965]: combines the last iterates so that f is least in the weighted norm.
 * If f becomes more than twice as large, it takes the plain step instead and restarts: acceleration can cost an iteration, but not the result.
 *
 * The loops over all numbers are those of vectorLoops.ts, which threads share if there are many.
 */
import { contactConstants } from '../../constants.ts';
import type { SharedLoops } from '../../threads/contactThreads.ts';
import {
  changeBlocks,
  copyBlocks,
  countBlocks,
  cutMixRows,
  emptyBlocks,
  type IterateRows,
  type MixPart,
  type MixRows,
  measureBlocks,
  mixBlocks,
  mixBytes,
  readMeasure,
  readProduct,
  returnBlocks,
  WINDOW,
} from './vectorLoops.ts';

/**
 * Above this many numbers (a cloth of 2 × 500 fibers), or MANY_FRICTIONLESS without friction, uses SMALL_WINDOW: it saves most of the solver's
 * memory, and costs few iterations (docs/notes/contact-solver.md).
 */
const MANY = 3e6;
const MANY_FRICTIONLESS = 2e4;
const SMALL_WINDOW = 3;

/** Above this many numbers (cloths, whose size does not change) no spare memory is allocated. */
const LARGE = 1e6;

export const MEASURE = 0;
export const CHANGE = 1;
export const MIX = 2;
export const KEEP = 3;
export const RETURN = 4;
export const GUESS = 5;
export const EMPTY = 6;

export interface Accelerator {
  readonly rows: MixRows;
  readonly iterate: IterateRows;
  readonly size: number;
  readonly shared: SharedLoops | undefined;
  /** Inner products of the changes of f, and their factor; an iteration updates one row. */
  readonly products: Float64Array;
  readonly matrix: Float64Array;
  readonly right: Float64Array;
  /** Iterations since the last restart, and the norm of the last f. */
  iterations: number;
  norm: number;
  mixed: boolean;
}

/** Memory of the last solve with one thread, reused by the next. */
let ownMemory = new ArrayBuffer(0);
let ownRows: MixRows = cutMixRows(ownMemory, 0, WINDOW);

function makeRows(size: number, window: number, shared: SharedLoops | undefined): MixRows {
  if (shared) return cutMixRows(shared.memory(mixBytes(size, window)), size, window);
  if (ownRows.capacity < size || ownRows.window !== window) {
    const capacity = size > LARGE ? size : 2 * size;
    const bytes = mixBytes(capacity, window);
    if (ownMemory.byteLength < bytes) ownMemory = new ArrayBuffer(bytes);
    ownRows = cutMixRows(ownMemory, capacity, window);
  }
  return ownRows;
}

/** Starts with q in `iterate.free` and f in `iterate.velocity`, `size` numbers each. Weights are zero. */
export function startMixing(
  iterate: IterateRows,
  size: number,
  frictionless: boolean,
  shared: SharedLoops | undefined,
): Accelerator {
  const rows = makeRows(size, size < (frictionless ? MANY_FRICTIONLESS : MANY) ? WINDOW : SMALL_WINDOW, shared);
  const state: Accelerator = {
    rows,
    iterate,
    size,
    shared,
    products: new Float64Array(WINDOW * WINDOW),
    matrix: new Float64Array(WINDOW * WINDOW),
    right: new Float64Array(WINDOW),
    iterations: 0,
    norm: Infinity,
    mixed: false,
  };
  loop(state, EMPTY, 0, 0);
  return state;
}

/** A loop over all blocks. */
function loop({ rows, iterate, size, shared, right }: Accelerator, kind: number, count: number, slot: number): void {
  const { capacity, window } = rows;
  if (shared) shared.run({ kind, capacity, window, size, count, slot, gamma: right });
  else runLoop(rows, iterate, { kind, size, from: 0, to: countBlocks(size), count, slot, gamma: right });
}

/** A loop of this kind over some blocks. */
export interface LoopPart extends MixPart {
  readonly kind: number;
}

export function runLoop(rows: MixRows, iterate: IterateRows, part: LoopPart): void {
  const { kind } = part;
  if (kind === MEASURE) measureBlocks(rows, iterate, part);
  else if (kind === CHANGE) changeBlocks(rows, iterate, part);
  else if (kind === MIX) mixBlocks(rows, iterate, part);
  else if (kind === KEEP) copyBlocks(rows.best, iterate.lawInput, part);
  else if (kind === RETURN) returnBlocks(rows, iterate.lawInput, part);
  else if (kind === GUESS) copyBlocks(rows.best, iterate.copy, part);
  else emptyBlocks(rows, part);
}

/** Discards the stored iterates, because the fixed point has changed. */
export function restartMixing(state: Accelerator): void {
  state.iterations = 0;
  state.mixed = false;
  state.norm = Infinity;
}

/** Computes f from the velocities and the copies; returns its norm², its largest error, and the largest ratio of an error to its tolerance. */
export function measure(state: Accelerator): ReturnType<typeof readMeasure> {
  loop(state, MEASURE, 0, 0);
  return readMeasure(state.rows, state.size);
}

/** Stores q as the best so far. */
export function keep(state: Accelerator): void {
  loop(state, KEEP, 0, 0);
}

/** Overwrites the best iterate by the copies. */
export function keepCopies(state: Accelerator): void {
  loop(state, GUESS, 0, 0);
}

/** Replaces q by the next iterate; `square`: ‖f‖². */
export function accelerate(state: Accelerator, square: number): void {
  const { rows, size, products, matrix, right } = state;
  const norm = Math.sqrt(square);
  if (state.mixed && norm > 2 * state.norm) {
    // f grew: take the plain step and restart
    loop(state, RETURN, 0, 0);
    restartMixing(state);
    return;
  }
  state.norm = norm;
  const count = Math.min(state.iterations, rows.window);
  const slot = count > 0 ? (state.iterations - 1) % rows.window : 0;
  loop(state, CHANGE, count, slot);
  for (let a = 0; a < count; a++) {
    const product = readProduct(rows, size, 2 * a);
    products[a * WINDOW + slot] = product;
    products[slot * WINDOW + a] = product;
    right[a] = readProduct(rows, size, 2 * a + 1);
  }
  state.iterations++;
  state.mixed = false;
  if (count === 0) return;
  matrix.set(products);
  if (!solveSmall(matrix, right, count)) return;
  loop(state, MIX, count, slot);
  state.mixed = true;
}

/** Cholesky with a small ridge on the diagonal: the last iterates are often nearly linearly dependent. */
function solveSmall(matrix: Float64Array, right: Float64Array, n: number): boolean {
  let trace = 0;
  for (let i = 0; i < n; i++) trace += matrix[i * WINDOW + i];
  if (!(trace > 0)) return false;
  for (let i = 0; i < n; i++) matrix[i * WINDOW + i] += contactConstants.MIXING_RIDGE * trace;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * WINDOW + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * WINDOW + k] * matrix[j * WINDOW + k];
      if (i === j) {
        if (!(sum > 0)) return false;
        matrix[i * WINDOW + i] = Math.sqrt(sum);
      } else matrix[i * WINDOW + j] = sum / matrix[j * WINDOW + j];
    }
  }
  for (let i = 0; i < n; i++) {
    let sum = right[i];
    for (let k = 0; k < i; k++) sum -= matrix[i * WINDOW + k] * right[k];
    right[i] = sum / matrix[i * WINDOW + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = right[i];
    for (let k = i + 1; k < n; k++) sum -= matrix[k * WINDOW + i] * right[k];
    right[i] = sum / matrix[i * WINDOW + i];
  }
  return true;
}
