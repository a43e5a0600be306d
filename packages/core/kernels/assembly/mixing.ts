/**
 * Mixing of the last turns of the alternating method for two rods at once: the mirror of anderson.ts in contact. Each lane has its
 * own start, and what it mixes does not depend on the other: slots are counted from the start of the solution for both.
 */
import { add, both, div, entry, ld, mul, select, splat, st, sub } from './lanes';
import { Pair } from './pair';
import { COPY, FREE, RHO, touchAt, VELOCITY } from './touch';

/** Turns that are mixed. */
const WINDOW = 5;
/** Entries a contact: last q and f, the plain step, changes of q and of f. */
const LAST_Q = 0;
const LAST_F = 3;
const PLAIN = 6;
const CHANGE_Q = 9;
const CHANGE_F = 9 + 3 * WINDOW;
export const MIXING = 9 + 6 * WINDOW;

const RELAXATION = 1.7;

const products: usize = memory.data(16 * 25, 16);
const matrix: usize = memory.data(16 * 25, 16);
const gamma: usize = memory.data(16 * 5, 16);

/** Turns seen since the last start; norm of the last f; which lanes' last step was mixed. */
let turns: v128 = f64x2.splat(0.0);
let norm: v128 = f64x2.splat(0.0);
let mixed: v128 = f64x2.splat(0.0);
let slot: i32 = 0;

// @ts-ignore: decorator
@inline function memoryAt(p: Pair, c: i32): usize {
  return p.mixing + <usize>(16 * MIXING * c);
}

export function startMixing(p: Pair, count: i32): void {
  // what is left of others may be no number, and zero times that is none
  memory.fill(p.mixing, 0, <usize>(16 * MIXING * count));
  turns = splat(0.0);
  norm = splat(Infinity);
  mixed = splat(0.0);
  slot = 0;
}

// @ts-ignore: decorator
@inline function stepAt(t: usize, k: i32): v128 {
  return mul(splat(RELAXATION), sub(ld(t, VELOCITY + k), ld(t, COPY + k)));
}

/** FREE of the next turn, but in the lanes that wait. */
export function mixTurn(p: Pair, count: i32, waits: v128): void {
  const zero = splat(0.0);
  let square = zero;
  for (let c = 0; c < count; c++) {
    const t = touchAt(p, c);
    const rho = ld(t, RHO);
    for (let k = 0; k < 3; k++) {
      const f = stepAt(t, k);
      square = add(square, mul(rho, mul(f, f)));
    }
  }
  const size = f64x2.sqrt(square);
  // worse than it was: back to the plain step, and start anew
  const worse = v128.and(mixed, f64x2.gt(size, mul(splat(2.0), norm)));
  norm = select(worse, splat(Infinity), size);
  const known = v128.andnot(f64x2.gt(turns, zero), worse);
  for (let k = 0; k < WINDOW; k++) st(gamma, k, zero);
  for (let k = 0; k < WINDOW; k++) {
    st(products, WINDOW * k + slot, zero);
    st(products, WINDOW * slot + k, zero);
  }
  for (let c = 0; c < count; c++) recordTurn(p, c);
  for (let k = 0; k < WINDOW; k++) st(products, WINDOW * slot + k, ld(products, WINDOW * k + slot));
  const fine = v128.and(known, solveSmall());
  for (let c = 0; c < count; c++) moveOn(p, c, worse, fine, waits);
  turns = select(worse, zero, add(turns, splat(1.0)));
  mixed = fine;
  slot = slot + 1 == WINDOW ? 0 : slot + 1;
}

/** Changes since the turn before, and their products with the others and with f. */
function recordTurn(p: Pair, c: i32): void {
  const t = touchAt(p, c);
  const rho = ld(t, RHO);
  const m = memoryAt(p, c);
  for (let k = 0; k < 3; k++) {
    const f = stepAt(t, k);
    const change = sub(f, ld(m, LAST_F + k));
    st(m, CHANGE_Q + 3 * slot + k, sub(ld(t, FREE + k), ld(m, LAST_Q + k)));
    st(m, CHANGE_F + 3 * slot + k, change);
    const weighted = mul(rho, change);
    const force = mul(rho, f);
    for (let a = 0; a < WINDOW; a++) {
      const other = ld(m, CHANGE_F + 3 * a + k);
      const o = WINDOW * a + slot;
      st(products, o, add(ld(products, o), mul(other, weighted)));
      st(gamma, a, add(ld(gamma, a), mul(other, force)));
    }
  }
}

function moveOn(p: Pair, c: i32, worse: v128, fine: v128, waits: v128): void {
  const t = touchAt(p, c);
  const m = memoryAt(p, c);
  for (let k = 0; k < 3; k++) {
    const q = ld(t, FREE + k);
    const f = stepAt(t, k);
    const plain = select(worse, ld(m, PLAIN + k), add(q, f));
    st(m, LAST_Q + k, q);
    st(m, LAST_F + k, f);
    st(m, PLAIN + k, plain);
    let next = plain;
    for (let a = 0; a < WINDOW; a++) {
      const change = add(ld(m, CHANGE_Q + 3 * a + k), ld(m, CHANGE_F + 3 * a + k));
      next = sub(next, v128.and(mul(ld(gamma, a), change), fine));
    }
    st(t, FREE + k, select(waits, q, next));
  }
}

/** Lanes where the changes of the turns since the last start can be mixed; `gamma` becomes the shares. */
function solveSmall(): v128 {
  const zero = splat(0.0);
  const one = splat(1.0);
  let trace = zero;
  memory.copy(matrix, products, 16 * 25);
  for (let a = 0; a < WINDOW; a++) {
    // how many turns ago the slot was written: beyond the last start it says nothing
    const age = slot >= a ? slot - a : slot - a + WINDOW;
    const valid = f64x2.gt(turns, splat(<f64>age));
    for (let b = 0; b < WINDOW; b++) {
      const o = entry(matrix, WINDOW * a + b);
      const q = entry(matrix, WINDOW * b + a);
      const off = a == b ? one : zero;
      v128.store(o, select(valid, v128.load(o), off));
      v128.store(q, select(valid, v128.load(q), off));
    }
    st(gamma, a, v128.and(ld(gamma, a), valid));
    trace = add(trace, v128.and(ld(matrix, WINDOW * a + a), valid));
  }
  let fine = f64x2.gt(trace, zero);
  const little = mul(splat(1e-10), trace);
  for (let i = 0; i < WINDOW; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = ld(matrix, WINDOW * i + j);
      if (i == j) sum = add(sum, little);
      for (let k = 0; k < j; k++) sum = sub(sum, mul(ld(matrix, WINDOW * i + k), ld(matrix, WINDOW * j + k)));
      if (i == j) {
        fine = v128.and(fine, f64x2.gt(sum, zero));
        st(matrix, WINDOW * i + i, f64x2.sqrt(f64x2.max(sum, zero)));
      } else st(matrix, WINDOW * i + j, div(sum, ld(matrix, WINDOW * j + j)));
    }
    if (!both(fine) && !v128.any_true(fine)) return fine;
  }
  for (let i = 0; i < WINDOW; i++) {
    let sum = ld(gamma, i);
    for (let k = 0; k < i; k++) sum = sub(sum, mul(ld(matrix, WINDOW * i + k), ld(gamma, k)));
    st(gamma, i, div(sum, ld(matrix, WINDOW * i + i)));
  }
  for (let i = WINDOW - 1; i >= 0; i--) {
    let sum = ld(gamma, i);
    for (let k = i + 1; k < WINDOW; k++) sum = sub(sum, mul(ld(matrix, WINDOW * k + i), ld(gamma, k)));
    st(gamma, i, div(sum, ld(matrix, WINDOW * i + i)));
  }
  return fine;
}
