/**
 * `factorSymmetric` and `solveSymmetric` of linalg/blockSymmetric.ts with SIMD along the rows: the same operations on every number in the same order,
 * so the same bits.
 *
 * A block of the factor has, so that every loop of a solve runs along rows: the multipliers below and, mirrored, above a diagonal of zeros (144
 * numbers), the reciprocals of the pivots (12), S⁻¹U (144) and its transpose (144).
 */
import { BLOCK, BLOCK_AREA, BLOCK_FACTOR } from './shared';

/** Bytes per row and per block. */
const ROW: usize = 8 * BLOCK;
const AREA: usize = 8 * BLOCK_AREA;
const MULTIPLIERS: usize = 0;
const PIVOTS: usize = AREA;
const CARRIED: usize = PIVOTS + ROW;
const TRANSPOSED: usize = CARRIED + AREA;
const STRIDE: usize = 8 * BLOCK_FACTOR;

/** row of a −= f · row of b, twelve entries. */
// @ts-ignore: decorator
@inline function subtractRow(a: usize, f: v128, b: usize): void {
  for (let o: usize = 0; o < ROW; o += 16) v128.store(a + o, f64x2.sub(v128.load(a + o), f64x2.mul(f, v128.load(b + o))));
}

/**
 * LDLᵀ of the matrix with the given blocks; `upper` is not changed. Returns false at the first pivot that is not positive, or with `any` at one that
 * is zero or NaN; then it counts negative ones in the word at `negative`.
 */
export function factorSymmetric(count: i32, diagonal: usize, upper: usize, factor: usize, any: bool, negative: usize): bool {
  let below0 = 0;
  for (let b = 0; b < count; b++) {
    const at = factor + <usize>b * STRIDE;
    memory.copy(at + MULTIPLIERS, diagonal + <usize>b * AREA, AREA);
    memory.copy(at + CARRIED, upper + <usize>b * AREA, AREA);
    if (b > 0) reduceByBefore(at + MULTIPLIERS, upper + <usize>(b - 1) * AREA, at - STRIDE + CARRIED);
    const last = b + 1 == count;
    for (let k: usize = 0; k < 12; k++) {
      const row = at + MULTIPLIERS + k * ROW;
      const pivot = load<f64>(row + (k << 3));
      const size = Math.abs(pivot);
      if (!(size > 0.0) || size == Infinity) return false;
      if (pivot < 0.0) {
        if (!any) return false;
        below0++;
      }
      const inverse = 1.0 / pivot;
      eliminateBelow(at, k, inverse, last);
      store<f64>(at + PIVOTS + (k << 3), inverse);
    }
    if (!last) finishCarried(at);
    mirror(at + MULTIPLIERS);
    if (!last) transpose(at + TRANSPOSED, at + CARRIED);
  }
  store<i32>(negative, below0);
  return true;
}

/** S = D − Uᵀ W of the block before. */
function reduceByBefore(d: usize, u: usize, w: usize): void {
  for (let i: usize = 0; i < 12; i++) {
    for (let j: usize = 0; j < 12; j++) {
      const f = load<f64>(u + j * ROW + (i << 3));
      if (f != 0.0) subtractRow(d + i * ROW, f64x2.splat(f), w + j * ROW);
    }
  }
}

/** Subtracts multiples of row k from those below it; their columns before the diagonal are overwritten later. */
function eliminateBelow(at: usize, k: usize, inverse: f64, last: bool): void {
  const row = at + MULTIPLIERS + k * ROW;
  const side = at + CARRIED + k * ROW;
  const from = ((k + 1) >> 1) << 4;
  for (let i = k + 1; i < 12; i++) {
    const below = at + MULTIPLIERS + i * ROW;
    const factor = load<f64>(row + (i << 3)) * inverse;
    const f = f64x2.splat(factor);
    for (let o = from; o < ROW; o += 16)
      v128.store(below + o, f64x2.sub(v128.load(below + o), f64x2.mul(f, v128.load(row + o))));
    store<f64>(below + (k << 3), factor);
    if (!last) subtractRow(at + CARRIED + i * ROW, f, side);
  }
}

/** Completes S⁻¹U: D⁻¹, then the unit upper factor. */
function finishCarried(at: usize): void {
  for (let back: usize = 0; back < 12; back++) {
    const k: usize = <usize>11 - back;
    const row = at + CARRIED + k * ROW;
    const f = f64x2.splat(load<f64>(at + PIVOTS + (k << 3)));
    for (let o: usize = 0; o < ROW; o += 16) v128.store(row + o, f64x2.mul(v128.load(row + o), f));
    for (let i = k + 1; i < 12; i++)
      subtractRow(row, f64x2.splat(load<f64>(at + MULTIPLIERS + i * ROW + (k << 3))), at + CARRIED + i * ROW);
  }
}

/** Mirrors the multipliers above the diagonal, with zeros on it. */
function mirror(m: usize): void {
  for (let i: usize = 0; i < 12; i++) {
    for (let k: usize = 0; k < i; k++) store<f64>(m + k * ROW + (i << 3), load<f64>(m + i * ROW + (k << 3)));
    store<f64>(m + i * ROW + (i << 3), 0.0);
  }
}

function transpose(to: usize, from: usize): void {
  for (let i: usize = 0; i < 12; i++)
    for (let j: usize = 0; j < 12; j++) store<f64>(to + j * ROW + (i << 3), load<f64>(from + i * ROW + (j << 3)));
}

/** Solves with the factor, in place. */
export function solveSymmetric(count: i32, factor: usize, x: usize): void {
  for (let b = 1; b < count; b++) {
    const to = x + <usize>b * ROW;
    const w = factor + <usize>(b - 1) * STRIDE + CARRIED;
    subtractRows(to, w, to - ROW);
  }
  for (let b = count - 1; b >= 0; b--) {
    const at = factor + <usize>b * STRIDE;
    const to = x + <usize>b * ROW;
    for (let k: usize = 0; k < 11; k++) {
      const f = f64x2.splat(load<f64>(to + (k << 3)));
      const row = at + MULTIPLIERS + k * ROW;
      for (let o = ((k + 1) >> 1) << 4; o < ROW; o += 16)
        v128.store(to + o, f64x2.sub(v128.load(to + o), f64x2.mul(v128.load(row + o), f)));
    }
    for (let o: usize = 0; o < ROW; o += 16)
      v128.store(to + o, f64x2.mul(v128.load(to + o), v128.load(at + PIVOTS + o)));
    for (let back: usize = 0; back < 11; back++) {
      const i: usize = <usize>11 - back;
      const f = f64x2.splat(load<f64>(to + (i << 3)));
      const row = at + MULTIPLIERS + i * ROW;
      const end = i << 3;
      for (let o: usize = 0; o < end; o += 16)
        v128.store(to + o, f64x2.sub(v128.load(to + o), f64x2.mul(v128.load(row + o), f)));
    }
    if (b + 1 < count) subtractSum(to, at + TRANSPOSED, to + ROW);
  }
}

/** x −= Σ row j · y_j, one row after the other. */
function subtractRows(x: usize, rows: usize, y: usize): void {
  let a0 = v128.load(x);
  let a1 = v128.load(x, 16);
  let a2 = v128.load(x, 32);
  let a3 = v128.load(x, 48);
  let a4 = v128.load(x, 64);
  let a5 = v128.load(x, 80);
  for (let j: usize = 0; j < 12; j++) {
    const row = rows + j * ROW;
    const f = f64x2.splat(load<f64>(y + (j << 3)));
    a0 = f64x2.sub(a0, f64x2.mul(v128.load(row), f));
    a1 = f64x2.sub(a1, f64x2.mul(v128.load(row, 16), f));
    a2 = f64x2.sub(a2, f64x2.mul(v128.load(row, 32), f));
    a3 = f64x2.sub(a3, f64x2.mul(v128.load(row, 48), f));
    a4 = f64x2.sub(a4, f64x2.mul(v128.load(row, 64), f));
    a5 = f64x2.sub(a5, f64x2.mul(v128.load(row, 80), f));
  }
  v128.store(x, a0);
  v128.store(x, a1, 16);
  v128.store(x, a2, 32);
  v128.store(x, a3, 48);
  v128.store(x, a4, 64);
  v128.store(x, a5, 80);
}

/** x −= Σ row j · y_j, the sum first. */
function subtractSum(x: usize, rows: usize, y: usize): void {
  const zero = f64x2.splat(0.0);
  let a0 = zero;
  let a1 = zero;
  let a2 = zero;
  let a3 = zero;
  let a4 = zero;
  let a5 = zero;
  for (let j: usize = 0; j < 12; j++) {
    const row = rows + j * ROW;
    const f = f64x2.splat(load<f64>(y + (j << 3)));
    a0 = f64x2.add(a0, f64x2.mul(v128.load(row), f));
    a1 = f64x2.add(a1, f64x2.mul(v128.load(row, 16), f));
    a2 = f64x2.add(a2, f64x2.mul(v128.load(row, 32), f));
    a3 = f64x2.add(a3, f64x2.mul(v128.load(row, 48), f));
    a4 = f64x2.add(a4, f64x2.mul(v128.load(row, 64), f));
    a5 = f64x2.add(a5, f64x2.mul(v128.load(row, 80), f));
  }
  v128.store(x, f64x2.sub(v128.load(x), a0));
  v128.store(x, f64x2.sub(v128.load(x, 16), a1), 16);
  v128.store(x, f64x2.sub(v128.load(x, 32), a2), 32);
  v128.store(x, f64x2.sub(v128.load(x, 48), a3), 48);
  v128.store(x, f64x2.sub(v128.load(x, 64), a4), 64);
  v128.store(x, f64x2.sub(v128.load(x, 80), a5), 80);
}
