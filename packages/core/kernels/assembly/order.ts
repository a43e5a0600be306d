/**
 * Matrices of two rods in contact, ordered so that the unknowns at contacts come last: from the first unknown to the last or from the last to the
 * first. An ADMM iteration reads and writes only those, and H = K + ρ SᵀS differs from K only there, so the factor of H begins with that of K. For
 * hair on a head they are the third nearest to the roots.
 *
 * K stays in `band`. Its factor is in `turned`, that of H in `spare`, from ten rows before the first unknown at a contact on.
 */
import { invertRow } from './generated';
import { add, entry, ld, mul, splat, st } from './lanes';
import { factorRows, fixedAt, solveRows } from './newton';
import { Pair } from './pair';
import { RHO, THERE, WEIGHT } from './shared';
import { edgeOf, gather, activeContactAt, contactAt } from './contactLaw';

let fromTip = false;
/** First row of an unknown at a contact, in this order; and the first of an active contact. */
let start: i32 = 0;
let startActive: i32 = 0;

// @ts-ignore: decorator
@inline function sizeOf(p: Pair): i32 {
  return 4 * p.nodeCount - 1;
}

/** Row of unknown d. */
// @ts-ignore: decorator
@inline function rowOf(p: Pair, d: i32): i32 {
  return fromTip ? sizeOf(p) - 1 - d : d;
}

/** Chooses the order by the contacts that the rods may have. */
export function chooseOrder(p: Pair, count: i32): void {
  let low = p.nodeCount - 2;
  let high = 0;
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    for (let lane: usize = 0; lane < 16; lane += 8) {
      if (load<f64>(t + 16 * THERE + lane) == 0.0) continue;
      low = min(low, <i32>edgeOf(t, lane));
      high = max(high, <i32>edgeOf(t, lane));
    }
  }
  fromTip = 4 * high + 7 < sizeOf(p) - 4 * low;
  start = fromTip ? sizeOf(p) - 7 - 4 * high : 4 * low;
}

/** Rows of K from `first` on, in this order, with the shift. */
function arrange(p: Pair, to: usize, first: i32, shift: v128): void {
  const size = sizeOf(p);
  for (let r = first; r < size; r++) {
    const d = rowOf(p, r);
    const row = entry(to, 11 * r);
    if (fromTip) {
      // entries to the left of the first column are padding
      for (let k = 1; k <= 10; k++) st(row, 10 - k, k <= r ? ld(p.band, 11 * d + 10 + 10 * k) : splat(0.0));
    } else memory.copy(row, entry(p.band, 11 * d), 160);
    const weight = ld(p.stiffnessScale, ((d >> 2) << 1) + ((d & 3) == 3 ? 1 : 0));
    st(row, 10, add(ld(p.band, 11 * d + 10), mul(shift, weight)));
  }
}

/** Factors K; returns the lanes that are not positive definite. */
export function factorStiffness(p: Pair, shift: v128, done: v128): v128 {
  arrange(p, p.turned, 0, shift);
  return factorRows(p.turned, 0, sizeOf(p), done);
}

/** Solves with K, `step` in place. */
export function solveStiffness(p: Pair): void {
  const size = sizeOf(p);
  if (!fromTip) {
    solveRows(p.turned, p.step, 0, size);
    return;
  }
  for (let d = 0; d < size; d++) st(p.turnedStep, size - 1 - d, ld(p.step, d));
  solveRows(p.turned, p.turnedStep, 0, size);
  for (let d = 0; d < size; d++) st(p.step, d, ld(p.turnedStep, size - 1 - d));
}

/** Factors H with `active` contacts; returns the lanes that are not positive definite. */
export function factorHeld(p: Pair, active: i32, h: f64, shift: v128, done: v128): v128 {
  const size = sizeOf(p);
  arrange(p, p.spare, start, shift);
  const before = <usize>(176 * min(10, start));
  memory.copy(entry(p.spare, 11 * start) - before, entry(p.turned, 11 * start) - before, before);
  startActive = size;
  const s = splat(1.0 / (h * h));
  for (let c = 0; c < active; c++) {
    const t = activeContactAt(p, c);
    addMass(p, t, mul(s, ld(t, RHO)));
  }
  for (let k = 0; k < p.fixedCount; k++) fixRow(p, rowOf(p, fixedAt(p, k)));
  return factorRows(p.spare, start, size, done);
}

// @ts-ignore: decorator
@inline function increase(a: usize, value: f64): void {
  store<f64>(a, load<f64>(a) + value);
}

/** ρ SᵀS of a contact. */
function addMass(p: Pair, t: usize, rho: v128): void {
  const w = ld(t, WEIGHT);
  const u = add(splat(1.0), f64x2.neg(w));
  addMassOf(p, edgeOf(t, 0), 0, f64x2.extract_lane(rho, 0), f64x2.extract_lane(u, 0), f64x2.extract_lane(w, 0));
  addMassOf(p, edgeOf(t, 8), 8, f64x2.extract_lane(rho, 1), f64x2.extract_lane(u, 1), f64x2.extract_lane(w, 1));
}

function addMassOf(p: Pair, edge: usize, lane: usize, rho: f64, u: f64, w: f64): void {
  if (rho == 0.0) return;
  const first = rowOf(p, 4 * <i32>edge);
  const second = rowOf(p, 4 * <i32>edge + 4);
  const step = fromTip ? -176 : 176;
  const own = p.spare + <usize>(176 * first + 160) + lane;
  const next = p.spare + <usize>(176 * second + 160) + lane;
  // four unknowns apart, in the row of the later one
  const across = (fromTip ? own : next) - 64;
  for (let k = 0; k < 3; k++) {
    const o = <usize>(step * k);
    increase(own + o, rho * u * u);
    increase(across + o, rho * u * w);
    increase(next + o, rho * w * w);
  }
  startActive = min(startActive, fromTip ? second - 2 : first);
}

/** A prescribed unknown's row and column of H. */
function fixRow(p: Pair, r: i32): void {
  if (r < start) return;
  const zero = splat(0.0);
  const row = 11 * r + 10;
  for (let k = 1; k <= 10; k++) {
    if (k <= r) st(p.spare, row - k, zero);
    if (r + k < sizeOf(p)) st(p.spare, row + 10 * k, zero);
  }
  st(p.spare, row, splat(1.0));
}

/** Before an iteration: clears the right-hand side of the active unknowns. */
export function clearHeld(p: Pair): void {
  const size = sizeOf(p);
  const first = fromTip ? 0 : startActive;
  memory.fill(entry(p.step, first), 0, <usize>(16 * (size - startActive)));
}

/** Solves with H, `step` in place, for the active unknowns. */
export function solveHeld(p: Pair): void {
  const size = sizeOf(p);
  if (!fromTip) {
    solveRows(p.spare, p.step, startActive, size);
    return;
  }
  const last = size - 1;
  for (let r = startActive; r < size; r++) st(p.turnedStep, r, ld(p.step, last - r));
  solveRows(p.spare, p.turnedStep, startActive, size);
  for (let r = startActive; r < size; r++) st(p.step, last - r, ld(p.turnedStep, r));
}

/** The inverse of K within the band, for the unknowns at contacts. */
export function invertTouched(p: Pair): void {
  const size = sizeOf(p);
  memory.fill(entry(p.inverse, 11 * size), 0, 16 * 110);
  for (let r = size - 1; r >= start; r--) invertRow(entry(p.inverse, 11 * r), entry(p.turned, 11 * r));
  for (let k = 0; k < p.fixedCount; k++) {
    const r = rowOf(p, fixedAt(p, k));
    if (r >= start) st(p.inverse, 11 * r, splat(0.0));
  }
}

/** tr(S K⁻¹ Sᵀ) of a contact. */
export function traceAt(p: Pair, t: usize): v128 {
  const w = ld(t, WEIGHT);
  const u = add(splat(1.0), f64x2.neg(w));
  const size: i32 = fromTip ? -176 : 176;
  const a = p.inverse + <usize>(176 * rowOf(p, 4 * <i32>edgeOf(t, 0)));
  const b = p.inverse + <usize>(176 * rowOf(p, 4 * <i32>edgeOf(t, 8))) + 8;
  const far = <usize>(4 * size);
  // in the row of the earlier one
  const earlier: usize = fromTip ? far : 0;
  let sum = splat(0.0);
  for (let k = 0; k < 3; k++) {
    const o = <usize>(k * size);
    const own = gather(a + o, b + o);
    const across = gather(a + o + earlier + 64, b + o + earlier + 64);
    const next = gather(a + o + far, b + o + far);
    sum = add(sum, add(add(mul(mul(u, u), own), mul(mul(splat(2.0), mul(u, w)), across)), mul(mul(w, w), next)));
  }
  return sum;
}
