/**
 * Anderson acceleration of ADMM for two rods at once: the counterpart of contact/solve/anderson.ts. Each lane starts and mixes independently of the
 * other; slots are counted from the start of the solution for both.
 */
import { add, both, div, entry, ld, mul, select, splat, st, sub } from './lanes';
import { Pair } from './pair';
import { COPY, FREE, MIXING, MIXING_RIDGE, PAIR_WINDOW, RELAXATION, RHO, VELOCITY } from './shared';
import { activeContactAt } from './contactLaw';

/** Entries per contact (MIXING in all): last q and f, the plain step, changes of q and of f. */
const LAST_Q = 0;
const LAST_F = 3;
const PLAIN = 6;
const CHANGE_Q = 9;
const CHANGE_F = 9 + 3 * PAIR_WINDOW;
/** q of the iteration with the least error. */
const BEST = 9 + 6 * PAIR_WINDOW;

const products: usize = memory.data(16 * 16, 16);
const matrix: usize = memory.data(16 * 16, 16);
const gamma: usize = memory.data(16 * 4, 16);

/** Iterations since the last start; norm of the last f; lanes whose last step was mixed. */
let turns: v128 = f64x2.splat(0.0);
let norm: v128 = f64x2.splat(0.0);
let mixed: v128 = f64x2.splat(0.0);
let slot: i32 = 0;

// @ts-ignore: decorator
@inline function memoryAt(p: Pair, c: i32): usize {
  return p.mixing + <usize>(16 * MIXING * c);
}

export function startMixing(p: Pair, count: i32): void {
  // other values may be NaN, and zero times NaN is NaN
  memory.fill(p.mixing, 0, <usize>(16 * MIXING * count));
  turns = splat(0.0);
  norm = splat(Infinity);
  mixed = splat(0.0);
  slot = 0;
}

/** Saves FREE of the lanes whose error is the least so far. */
export function keepBest(p: Pair, count: i32, better: v128): void {
  for (let c = 0; c < count; c++) {
    const t = activeContactAt(p, c);
    const m = memoryAt(p, c);
    for (let k = 0; k < 3; k++) st(m, BEST + k, select(better, ld(t, FREE + k), ld(m, BEST + k)));
  }
}

/** Returns to the saved iterate, except in waiting lanes. */
export function takeBest(p: Pair, count: i32, waits: v128): void {
  for (let c = 0; c < count; c++) {
    const t = activeContactAt(p, c);
    const m = memoryAt(p, c);
    for (let k = 0; k < 3; k++) st(t, FREE + k, select(waits, ld(t, FREE + k), ld(m, BEST + k)));
  }
}

// @ts-ignore: decorator
@inline function stepAt(t: usize, k: i32): v128 {
  return mul(splat(RELAXATION), sub(ld(t, VELOCITY + k), ld(t, COPY + k)));
}

/** FREE of the next iteration, except in waiting lanes. */
export function mixTurn(p: Pair, count: i32, waits: v128): void {
  const zero = splat(0.0);
  let square = zero;
  for (let c = 0; c < count; c++) {
    const t = activeContactAt(p, c);
    const rho = ld(t, RHO);
    for (let k = 0; k < 3; k++) {
      const f = stepAt(t, k);
      square = add(square, mul(rho, mul(f, f)));
    }
  }
  const size = f64x2.sqrt(square);
  // the error has grown: return to the plain step and start again
  const worse = v128.and(mixed, f64x2.gt(size, mul(splat(2.0), norm)));
  norm = select(worse, splat(Infinity), size);
  const known = v128.andnot(f64x2.gt(turns, zero), worse);
  recordTurn(p, count);
  const fine = v128.and(known, solveSmall());
  moveOn(p, count, worse, fine, waits);
  turns = select(worse, zero, add(turns, splat(1.0)));
  mixed = fine;
  slot = slot + 1 == PAIR_WINDOW ? 0 : slot + 1;
}

/** Changes since the previous iteration, and their inner products with the others and with f; four sums of each, in variables. */
function recordTurn(p: Pair, count: i32): void {
  const zero = splat(0.0);
  let p0 = zero;
  let p1 = zero;
  let p2 = zero;
  let p3 = zero;
  let g0 = zero;
  let g1 = zero;
  let g2 = zero;
  let g3 = zero;
  for (let c = 0; c < count; c++) {
    const t = activeContactAt(p, c);
    const rho = ld(t, RHO);
    const m = memoryAt(p, c);
    for (let k = 0; k < 3; k++) {
      const f = stepAt(t, k);
      const change = sub(f, ld(m, LAST_F + k));
      st(m, CHANGE_Q + 3 * slot + k, sub(ld(t, FREE + k), ld(m, LAST_Q + k)));
      st(m, CHANGE_F + 3 * slot + k, change);
      const weighted = mul(rho, change);
      const force = mul(rho, f);
      const f0 = ld(m, CHANGE_F + k);
      const f1 = ld(m, CHANGE_F + 3 + k);
      const f2 = ld(m, CHANGE_F + 6 + k);
      const f3 = ld(m, CHANGE_F + 9 + k);
      p0 = add(p0, mul(f0, weighted));
      p1 = add(p1, mul(f1, weighted));
      p2 = add(p2, mul(f2, weighted));
      p3 = add(p3, mul(f3, weighted));
      g0 = add(g0, mul(f0, force));
      g1 = add(g1, mul(f1, force));
      g2 = add(g2, mul(f2, force));
      g3 = add(g3, mul(f3, force));
    }
  }
  st(gamma, 0, g0);
  st(gamma, 1, g1);
  st(gamma, 2, g2);
  st(gamma, 3, g3);
  st(products, slot, p0);
  st(products, PAIR_WINDOW + slot, p1);
  st(products, 2 * PAIR_WINDOW + slot, p2);
  st(products, 3 * PAIR_WINDOW + slot, p3);
  for (let k = 0; k < PAIR_WINDOW; k++) st(products, PAIR_WINDOW * slot + k, ld(products, PAIR_WINDOW * k + slot));
}

function moveOn(p: Pair, count: i32, worse: v128, fine: v128, waits: v128): void {
  const g0 = v128.and(ld(gamma, 0), fine);
  const g1 = v128.and(ld(gamma, 1), fine);
  const g2 = v128.and(ld(gamma, 2), fine);
  const g3 = v128.and(ld(gamma, 3), fine);
  for (let c = 0; c < count; c++) {
    const t = activeContactAt(p, c);
    const m = memoryAt(p, c);
    for (let k = 0; k < 3; k++) {
      const q = ld(t, FREE + k);
      const f = stepAt(t, k);
      const plain = select(worse, ld(m, PLAIN + k), add(q, f));
      st(m, LAST_Q + k, q);
      st(m, LAST_F + k, f);
      st(m, PLAIN + k, plain);
      const mixed0 = mul(g0, add(ld(m, CHANGE_Q + k), ld(m, CHANGE_F + k)));
      const mixed1 = mul(g1, add(ld(m, CHANGE_Q + 3 + k), ld(m, CHANGE_F + 3 + k)));
      const mixed2 = mul(g2, add(ld(m, CHANGE_Q + 6 + k), ld(m, CHANGE_F + 6 + k)));
      const mixed3 = mul(g3, add(ld(m, CHANGE_Q + 9 + k), ld(m, CHANGE_F + 9 + k)));
      const next = sub(plain, add(add(mixed0, mixed1), add(mixed2, mixed3)));
      st(t, FREE + k, select(waits, q, next));
    }
  }
}

/** Lanes in which the changes since the last start can be mixed; writes the factors to `gamma`. */
function solveSmall(): v128 {
  const zero = splat(0.0);
  const one = splat(1.0);
  let trace = zero;
  memory.copy(matrix, products, 16 * 16);
  for (let a = 0; a < PAIR_WINDOW; a++) {
    // iterations since the slot was written: before the last start it has no meaning
    const age = slot >= a ? slot - a : slot - a + PAIR_WINDOW;
    const valid = f64x2.gt(turns, splat(<f64>age));
    for (let b = 0; b < PAIR_WINDOW; b++) {
      const o = entry(matrix, PAIR_WINDOW * a + b);
      const q = entry(matrix, PAIR_WINDOW * b + a);
      const off = a == b ? one : zero;
      v128.store(o, select(valid, v128.load(o), off));
      v128.store(q, select(valid, v128.load(q), off));
    }
    st(gamma, a, v128.and(ld(gamma, a), valid));
    trace = add(trace, v128.and(ld(matrix, PAIR_WINDOW * a + a), valid));
  }
  let fine = f64x2.gt(trace, zero);
  const little = mul(splat(MIXING_RIDGE), trace);
  for (let i = 0; i < PAIR_WINDOW; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = ld(matrix, PAIR_WINDOW * i + j);
      if (i == j) sum = add(sum, little);
      for (let k = 0; k < j; k++) sum = sub(sum, mul(ld(matrix, PAIR_WINDOW * i + k), ld(matrix, PAIR_WINDOW * j + k)));
      if (i == j) {
        fine = v128.and(fine, f64x2.gt(sum, zero));
        st(matrix, PAIR_WINDOW * i + i, f64x2.sqrt(f64x2.max(sum, zero)));
      } else st(matrix, PAIR_WINDOW * i + j, div(sum, ld(matrix, PAIR_WINDOW * j + j)));
    }
    if (!both(fine) && !v128.any_true(fine)) return fine;
  }
  for (let i = 0; i < PAIR_WINDOW; i++) {
    let sum = ld(gamma, i);
    for (let k = 0; k < i; k++) sum = sub(sum, mul(ld(matrix, PAIR_WINDOW * i + k), ld(gamma, k)));
    st(gamma, i, div(sum, ld(matrix, PAIR_WINDOW * i + i)));
  }
  for (let i = PAIR_WINDOW - 1; i >= 0; i--) {
    let sum = ld(gamma, i);
    for (let k = i + 1; k < PAIR_WINDOW; k++) sum = sub(sum, mul(ld(matrix, PAIR_WINDOW * k + i), ld(gamma, k)));
    st(gamma, i, div(sum, ld(matrix, PAIR_WINDOW * i + i)));
  }
  return fine;
}
