/**
 * `solveBlocks` of linalg/blockTridiagonal.ts with SIMD along the rows: a row of twelve numbers is six pairs, which stay in registers while multiples
 * of other rows are subtracted. Every number sees the same operations in the same order as in the reference, so the bits are the same.
 *
 * One fiber per lane was not chosen: two fibers exchange different rows, a single fiber would gain nothing, and matrices would have to be copied.
 */
import { BLOCK, BLOCK_AREA } from './shared';

/** Bytes per row and per block. */
const ROW: usize = 8 * BLOCK;
const AREA: usize = 8 * BLOCK_AREA;

// @ts-ignore: decorator
@inline function less(a: v128, f: v128, p: usize, o: usize): v128 {
  return f64x2.sub(a, f64x2.mul(f, v128.load(p + o)));
}

/** Addresses of the blocks on, above and below the diagonal and of x. The sign of det A, 0 where a block is singular. */
export function solveBlocks(count: i32, diagonal: usize, upper: usize, lower: usize, x: usize): i32 {
  let sign = 1;
  for (let b = 0; b < count; b++) {
    const at = <usize>b * AREA;
    const y = x + <usize>b * ROW;
    if (b > 0) eliminateBefore(diagonal + at, lower + at - AREA, upper + at - AREA, y);
    const part = reduceBlock(diagonal + at, upper + at, y);
    if (part == 0) return 0;
    sign *= part;
  }
  for (let b = count - 2; b >= 0; b--) {
    for (let i: usize = 0; i < 12; i++) {
      const row = upper + <usize>b * AREA + i * ROW;
      const next = x + <usize>(b + 1) * ROW;
      let sum = 0.0;
      for (let j: usize = 0; j < ROW; j += 8) sum += load<f64>(row + j) * load<f64>(next + j);
      const y = x + <usize>b * ROW + (i << 3);
      store<f64>(y, load<f64>(y) - sum);
    }
  }
  return sign;
}

/** D −= L W, b −= L y, with W and y of the block before. */
function eliminateBefore(d: usize, l: usize, w: usize, y: usize): void {
  for (let i: usize = 0; i < 12; i++) {
    const row = d + i * ROW;
    let a0 = v128.load(row);
    let a1 = v128.load(row, 16);
    let a2 = v128.load(row, 32);
    let a3 = v128.load(row, 48);
    let a4 = v128.load(row, 64);
    let a5 = v128.load(row, 80);
    let sum = 0.0;
    for (let j: usize = 0; j < 12; j++) {
      const factor = load<f64>(l + i * ROW + (j << 3));
      if (factor == 0.0) continue;
      const f = f64x2.splat(factor);
      const from = w + j * ROW;
      a0 = less(a0, f, from, 0);
      a1 = less(a1, f, from, 16);
      a2 = less(a2, f, from, 32);
      a3 = less(a3, f, from, 48);
      a4 = less(a4, f, from, 64);
      a5 = less(a5, f, from, 80);
      sum += factor * load<f64>(y - ROW + (j << 3));
    }
    v128.store(row, a0);
    v128.store(row, a1, 16);
    v128.store(row, a2, 32);
    v128.store(row, a3, 48);
    v128.store(row, a4, 64);
    v128.store(row, a5, 80);
    store<f64>(y + (i << 3), load<f64>(y + (i << 3)) - sum);
  }
}

function swapRows(a: usize, b: usize): void {
  for (let o: usize = 0; o < ROW; o += 16) {
    const keep = v128.load(a + o);
    v128.store(a + o, v128.load(b + o));
    v128.store(b + o, keep);
  }
}

/** [D | U | b] → [1 | D⁻¹U | D⁻¹b] with row exchanges; the sign of det D, 0 if singular. */
function reduceBlock(d: usize, u: usize, y: usize): i32 {
  let sign = 1;
  for (let k: usize = 0; k < 12; k++) {
    const column = k << 3;
    const row = d + k * ROW;
    let pivot = k;
    let largest = Math.abs(load<f64>(row + column));
    for (let i = k + 1; i < 12; i++) {
      const size = Math.abs(load<f64>(d + i * ROW + column));
      if (size > largest) {
        largest = size;
        pivot = i;
      }
    }
    if (!(largest > 0.0) || largest == Infinity) return 0;
    if (pivot != k) {
      swapRows(row, d + pivot * ROW);
      swapRows(u + k * ROW, u + pivot * ROW);
      const keep = load<f64>(y + column);
      store<f64>(y + column, load<f64>(y + (pivot << 3)));
      store<f64>(y + (pivot << 3), keep);
      sign = -sign;
    }
    const diagonal = load<f64>(row + column);
    if (diagonal < 0.0) sign = -sign;
    const inverse = 1.0 / diagonal;
    eliminateBelow(d, u, y, k, inverse);
    store<f64>(row + column, inverse);
  }
  for (let i: i32 = 11; i >= 0; i--) finishRow(d, u, y, <usize>i);
  return sign;
}

/** Subtracts multiples of row k from those below it; skips pairs of columns that are already zero. */
function eliminateBelow(d: usize, u: usize, y: usize, k: usize, inverse: f64): void {
  const from = (k >> 1) << 4;
  const row = d + k * ROW;
  const side = u + k * ROW;
  const u0 = v128.load(side);
  const u1 = v128.load(side, 16);
  const u2 = v128.load(side, 32);
  const u3 = v128.load(side, 48);
  const u4 = v128.load(side, 64);
  const u5 = v128.load(side, 80);
  const right = load<f64>(y + (k << 3));
  for (let i = k + 1; i < 12; i++) {
    const below = d + i * ROW;
    const factor = load<f64>(below + (k << 3)) * inverse;
    if (factor == 0.0) continue;
    const f = f64x2.splat(factor);
    for (let o = from; o < ROW; o += 16)
      v128.store(below + o, f64x2.sub(v128.load(below + o), f64x2.mul(f, v128.load(row + o))));
    const out = u + i * ROW;
    v128.store(out, f64x2.sub(v128.load(out), f64x2.mul(f, u0)));
    v128.store(out, f64x2.sub(v128.load(out, 16), f64x2.mul(f, u1)), 16);
    v128.store(out, f64x2.sub(v128.load(out, 32), f64x2.mul(f, u2)), 32);
    v128.store(out, f64x2.sub(v128.load(out, 48), f64x2.mul(f, u3)), 48);
    v128.store(out, f64x2.sub(v128.load(out, 64), f64x2.mul(f, u4)), 64);
    v128.store(out, f64x2.sub(v128.load(out, 80), f64x2.mul(f, u5)), 80);
    store<f64>(y + (i << 3), load<f64>(y + (i << 3)) - factor * right);
  }
}

/** Row i of D⁻¹U and of D⁻¹b from the rows below it; called from the last row to the first. */
function finishRow(d: usize, u: usize, y: usize, i: usize): void {
  const row = d + i * ROW;
  const out = u + i * ROW;
  let a0 = v128.load(out);
  let a1 = v128.load(out, 16);
  let a2 = v128.load(out, 32);
  let a3 = v128.load(out, 48);
  let a4 = v128.load(out, 64);
  let a5 = v128.load(out, 80);
  let value = load<f64>(y + (i << 3));
  for (let k: usize = 11; k > i; k--) {
    const factor = load<f64>(row + (k << 3));
    const f = f64x2.splat(factor);
    const side = u + k * ROW;
    a0 = less(a0, f, side, 0);
    a1 = less(a1, f, side, 16);
    a2 = less(a2, f, side, 32);
    a3 = less(a3, f, side, 48);
    a4 = less(a4, f, side, 64);
    a5 = less(a5, f, side, 80);
    value -= factor * load<f64>(y + (k << 3));
  }
  const inverse = load<f64>(row + (i << 3));
  const f = f64x2.splat(inverse);
  v128.store(out, f64x2.mul(a0, f));
  v128.store(out, f64x2.mul(a1, f), 16);
  v128.store(out, f64x2.mul(a2, f), 32);
  v128.store(out, f64x2.mul(a3, f), 48);
  v128.store(out, f64x2.mul(a4, f), 64);
  v128.store(out, f64x2.mul(a5, f), 80);
  store<f64>(y + (i << 3), value * inverse);
}
