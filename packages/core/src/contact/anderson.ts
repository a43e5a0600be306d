/**
 * Mixing of the last turns of a fixed point q ← q + f(q) [Anderson1965]: the combination of them whose f is least, in the
 * weighted norm. A turn that made f larger is taken back, and mixing starts anew; so it can cost a turn, but not the result.
 */

/** Turns that are mixed: 3 to 10 make little difference. */
const WINDOW = 6;

/**
 * From so many numbers on (a cloth of 2 × 500 fibers) only FEWER: they are most of the memory that a solution takes. And so without
 * friction: 33,000 contacts take 244, 248, 258 and 264 turns with 6, 3, 2 and 1, and mixing 6 is a fifth of their time.
 */
const MANY = 3e6;
export const FEWER = 3;

export interface Accelerator {
  readonly capacity: number;
  /** Turns that are mixed, and at most. */
  window: number;
  readonly most: number;
  readonly weight: Float64Array;
  /** Changes of q + f, and of f. */
  readonly changeNext: readonly Float64Array[];
  readonly changeF: readonly Float64Array[];
  /** q and f of the turn before, and where a plain step from the last good turn leads. */
  readonly lastQ: Float64Array;
  readonly lastF: Float64Array;
  readonly plain: Float64Array;
  /** Products of the changes of f with each other, kept: a turn changes one row. And a factor of them. */
  readonly products: Float64Array;
  readonly matrix: Float64Array;
  readonly right: Float64Array;
  /** Turns seen since the last fresh start, and the norm of the last f. */
  turns: number;
  norm: number;
  mixed: boolean;
}

export function createAccelerator(capacity: number): Accelerator {
  const make = (): Float64Array => new Float64Array(capacity);
  const window = capacity < MANY ? WINDOW : FEWER;
  const list = (): Float64Array[] => Array.from({ length: window }, make);
  return {
    capacity,
    window,
    most: window,
    weight: make(),
    changeNext: list(),
    changeF: list(),
    lastQ: make(),
    lastF: make(),
    plain: make(),
    products: new Float64Array(WINDOW * WINDOW),
    matrix: new Float64Array(WINDOW * WINDOW),
    right: new Float64Array(WINDOW),
    turns: 0,
    norm: Infinity,
    mixed: false,
  };
}

export function resetAccelerator(state: Accelerator, size: number, window: number = WINDOW): void {
  state.window = Math.min(window, state.most);
  state.turns = 0;
  state.norm = Infinity;
  state.mixed = false;
  state.weight.fill(0, 0, size);
}

function dot(a: Float64Array, b: Float64Array, weight: Float64Array, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += weight[i] * a[i] * b[i];
  return sum;
}

/** q becomes the next q; f is f(q). */
export function accelerate(state: Accelerator, q: Float64Array, f: Float64Array, size: number): void {
  const { weight, window, changeNext, changeF, lastQ, lastF, plain, products, matrix, right } = state;
  const norm = Math.sqrt(dot(f, f, weight, size));
  if (state.mixed && norm > 2 * state.norm) {
    // worse than it was: back to the plain step, and start anew
    for (let i = 0; i < size; i++) q[i] = plain[i];
    state.turns = 0;
    state.mixed = false;
    state.norm = Infinity;
    return;
  }
  state.norm = norm;
  const count = Math.min(state.turns, window);
  if (count > 0) {
    const slot = (state.turns - 1) % window;
    const next = changeNext[slot];
    const df = changeF[slot];
    for (let i = 0; i < size; i++) {
      const change = f[i] - lastF[i];
      df[i] = change;
      next[i] = q[i] - lastQ[i] + change;
    }
    // two at a time: what is read of the others serves both
    for (let a = 0; a < count; a += 2) {
      const b = a + 1 < count ? a + 1 : a;
      multiplyChanges(changeF[a], changeF[b], weight, df, f, size);
      for (let k = 0; k < 2; k++) {
        const row = k === 0 ? a : b;
        products[row * WINDOW + slot] = pair[2 * k];
        products[slot * WINDOW + row] = pair[2 * k];
        right[row] = pair[2 * k + 1];
      }
    }
  }
  for (let i = 0; i < size; i++) {
    lastQ[i] = q[i];
    lastF[i] = f[i];
    plain[i] = q[i] + f[i];
    q[i] = plain[i];
  }
  state.turns++;
  state.mixed = false;
  if (count === 0) return;
  matrix.set(products);
  if (!solveSmall(matrix, right, count)) return;
  let a = 0;
  for (; a + 1 < count; a += 2) subtractTwo(q, right[a], changeNext[a], right[a + 1], changeNext[a + 1], size);
  if (a < count) subtractTwo(q, right[a], changeNext[a], 0, changeNext[a], size);
  state.mixed = true;
}

function subtractTwo(
  q: Float64Array,
  gamma: number,
  x: Float64Array,
  delta: number,
  y: Float64Array,
  size: number,
): void {
  for (let i = 0; i < size; i++) q[i] = q[i] - gamma * x[i] - delta * y[i];
}

/** Weighted products of each of two changes with a third, and with f. */
const pair = new Float64Array(4);

function multiplyChanges(
  one: Float64Array,
  other: Float64Array,
  weight: Float64Array,
  df: Float64Array,
  f: Float64Array,
  size: number,
): void {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < size; i++) {
    const w = weight[i];
    const x = w * one[i];
    const y = w * other[i];
    const u = df[i];
    const v = f[i];
    a += x * u;
    b += x * v;
    c += y * u;
    d += y * v;
  }
  pair[0] = a;
  pair[1] = b;
  pair[2] = c;
  pair[3] = d;
}

/** Cholesky with a little on the diagonal: the last turns are often nearly in line. */
function solveSmall(matrix: Float64Array, right: Float64Array, n: number): boolean {
  let trace = 0;
  for (let i = 0; i < n; i++) trace += matrix[i * WINDOW + i];
  if (!(trace > 0)) return false;
  for (let i = 0; i < n; i++) matrix[i * WINDOW + i] += 1e-10 * trace;
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
