/**
 * The mixed Newton method of newton.ts in the model, for two rods at once. A rod that has converged waits for the
 * other: its step is zero from then on, so that the result does not depend on which rod it was paired with, but for
 * the last digits of a residual that was evaluated once more.
 */
import { reduceRow } from './generated';
import { add, both, div, ld, mul, splat, st, sub } from './lanes';
import { Pair } from './pair';
import { evaluateStage, followCenterline, setPenalties } from './stage';

/** Outcome, a pair each: 0 residual, 1 tolerance, 2 iterations, 3 shifts, 4 converged (1 or 0). */
const outcome: usize = memory.data(16 * 5, 16);
const scale: usize = memory.data(16, 16);

/** Why a stage failed; the host has the words. */
const CONVERGED = 0;
const NO_EDGE = 1;
const FOLDED = 2;
const NOT_A_NUMBER = 3;
const NO_CONVERGENCE = 4;
const NOT_DEFINITE = 5;
const BAD_STEP = 6;

export function outcomeAddress(): usize {
  return outcome;
}

/** All bits of the lanes where a comparison holds. */
// @ts-ignore: decorator
@inline function select(mask: v128, yes: v128, no: v128): v128 {
  return v128.bitselect(yes, no, mask);
}

export function solvePair(
  block: usize,
  inertia: f64,
  rate: f64,
  tolerance: f64,
  iterations: i32,
  rotation: f64,
  firstShift: f64,
): i32 {
  const p = changetype<Pair>(block);
  const size = 4 * p.nodeCount - 1;
  const zero = splat(0.0);
  setPenalties(p, inertia);
  let done = zero;
  let count = zero;
  let shifts = zero;
  let shift = zero;
  let lastStep = splat(Infinity);
  st(outcome, 2, zero);
  st(outcome, 3, zero);
  st(outcome, 4, zero);
  if (!followCenterline(p)) return NO_EDGE;
  // smallMove of the model
  const small = Math.max(1e-4, Math.sqrt(0.02 * tolerance));
  let round = 0;
  while (true) {
    for (let d = 0; d < size; d++) {
      if (!load<u8>(p.fixed + <usize>d) || rate == 0.0)
        st(p.v, d, mul(splat(rate), sub(ld(p.q, d), ld(p.qRate, d))));
    }
    const gradientOnly = both(v128.or(done, f64x2.lt(lastStep, splat(small))));
    if (!evaluateStage(p, inertia, rate, !gradientOnly, scale)) return FOLDED;
    const sum = v128.load(scale);
    const met = measureConvergence(p, inertia, rate, sum, tolerance);
    done = v128.or(done, met);
    st(outcome, 2, count);
    st(outcome, 3, shifts);
    st(outcome, 4, v128.and(done, splat(1.0)));
    if (both(done)) return CONVERGED;
    if (!both(v128.or(done, f64x2.lt(ld(outcome, 0), splat(Infinity))))) return NOT_A_NUMBER;
    if (round++ >= iterations) return NO_CONVERGENCE;
    if (gradientOnly && !evaluateStage(p, inertia, rate, true, scale)) return FOLDED;
    writeRightSide(p, done);
    fixUnknowns(p);
    while (true) {
      const failed = factor(p, shift, done);
      if (!v128.any_true(failed)) break;
      const raised = select(f64x2.eq(shift, zero), splat(firstShift), mul(splat(4.0), shift));
      shift = select(failed, raised, shift);
      shifts = add(shifts, v128.and(failed, splat(1.0)));
      if (!both(f64x2.le(shift, splat(1e8)))) return NOT_DEFINITE;
    }
    solve(p);
    const fraction = v128.andnot(limitStep(p, rotation), done);
    if (!both(v128.or(done, f64x2.gt(fraction, zero)))) return BAD_STEP;
    lastStep = takeStep(p, fraction, done);
    shift = select(f64x2.gt(shift, splat(4.0 * firstShift)), mul(splat(0.25), shift), zero);
    count = add(count, v128.andnot(splat(1.0), done));
    if (!followCenterline(p)) return NO_EDGE;
  }
}

/** Lanes whose residual is small enough; see measureConvergence in the model. Leaves residual and tolerance in `outcome`. */
function measureConvergence(p: Pair, inertia: f64, rate: f64, sum: v128, tolerance: f64): v128 {
  const zero = splat(0.0);
  const edges = p.nodeCount - 1;
  let length = zero;
  for (let j = 0; j < edges; j++) length = add(length, ld(p.lengthRest, j));
  let damping = zero;
  for (let i = 0; i < p.jointCount; i++) damping = f64x2.max(damping, ld(p.jointDamping, i));
  let extent = length;
  let floor = zero;
  let largest = zero;
  let torque = zero;
  let bending = zero;
  const viscous = add(splat(1.0), mul(splat(rate), damping));
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) {
    const r = f64x2.abs(ld(p.residual, d));
    if ((d & 3) == 3) {
      torque = f64x2.max(torque, r);
      continue;
    }
    extent = f64x2.max(extent, f64x2.abs(ld(p.q, d)));
    const stiffness = ld(p.stiffnessScale, d);
    floor = f64x2.max(floor, add(mul(stiffness, viscous), mul(splat(inertia), ld(p.mass, d))));
    bending = f64x2.max(bending, stiffness);
    if (!load<u8>(p.fixed + <usize>d)) largest = f64x2.max(largest, r);
  }
  const edge = div(length, splat(<f64>edges));
  const elastic = div(mul(bending, mul(edge, mul(edge, edge))), mul(length, length));
  const limit = f64x2.max(
    mul(splat(tolerance), f64x2.max(sum, elastic)),
    mul(splat(4e-15), mul(floor, extent)),
  );
  st(outcome, 0, f64x2.max(largest, div(torque, length)));
  st(outcome, 1, limit);
  let met = v128.and(f64x2.le(largest, limit), f64x2.le(torque, mul(limit, length)));
  const least = mul(splat(2e-15), extent);
  // lengthTolerance of the model
  const rigid = splat(Math.max(1e-11, 0.01 * tolerance));
  for (let j = 0; j < edges; j++) {
    const rounding = mul(least, ld(p.viscous, j));
    const extensible = f64x2.lt(ld(p.stiffness, j), splat(Infinity));
    const strain = v128.and(div(limit, ld(p.penalty, j)), extensible);
    const stretch = mul(select(extensible, splat(0.01 * tolerance), rigid), ld(p.lengthRest, j));
    met = v128.and(met, f64x2.le(f64x2.abs(ld(p.error, j)), f64x2.max(f64x2.max(strain, stretch), rounding)));
  }
  return met;
}

/** −r − Aᵀ(k·rl), zero at prescribed unknowns and for rods that wait. */
function writeRightSide(p: Pair, done: v128): void {
  const size = 4 * p.nodeCount - 1;
  for (let d = 0; d < size; d++) st(p.step, d, f64x2.neg(ld(p.residual, d)));
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const pull = mul(ld(p.penalty, j), ld(p.error, j));
    for (let k = 0; k < 3; k++) {
      const f = mul(pull, ld(p.tangent, 3 * j + k));
      st(p.step, 4 * j + k, add(ld(p.step, 4 * j + k), f));
      st(p.step, 4 * j + 4 + k, sub(ld(p.step, 4 * j + 4 + k), f));
    }
  }
  for (let d = 0; d < size; d++) {
    if (load<u8>(p.fixed + <usize>d)) st(p.step, d, splat(0.0));
    else st(p.step, d, v128.andnot(ld(p.step, d), done));
  }
}

function fixUnknowns(p: Pair): void {
  const zero = splat(0.0);
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) {
    if (!load<u8>(p.fixed + <usize>d)) continue;
    const row = 11 * d + 10;
    for (let k = 1; k <= 10; k++) {
      // what lies left of the first column is padding
      if (k <= d) st(p.band, row - k, zero);
      if (d + k < 4 * p.nodeCount - 1) st(p.band, row + 10 * k, zero);
    }
    st(p.band, row, splat(1.0));
  }
}

/** LDLᵀ; returns the lanes that turned out not to be positive definite, rods that wait left aside. */
function factor(p: Pair, shift: v128, done: v128): v128 {
  const one = splat(1.0);
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) {
    const source = 11 * d;
    const row = source + 110;
    const original = add(ld(p.band, source + 10), mul(shift, ld(p.stiffnessScale, d)));
    const diagonal = sub(original, reduceRow(p.lower, row, p.band, source));
    const fine = v128.or(done, f64x2.gt(diagonal, mul(splat(1e-14), f64x2.abs(original))));
    if (!both(fine)) return v128.not(fine);
    st(p.lower, row + 10, div(one, select(done, one, diagonal)));
  }
  return splat(0.0);
}

/** Solves with the factor, in place; ten zeros stand before the first unknown. */
function solve(p: Pair): void {
  const size = 4 * p.nodeCount - 1;
  const x = p.step;
  // the way back writes there, and what a waiting rod writes may be no number
  memory.fill(x - 160, 0, 160);
  for (let d = 0; d < size; d++) {
    const l = p.lower + <usize>(16 * (11 * d + 110));
    const y = x + <usize>(16 * d) - 160;
    let sum = mul(ld(l, 0), ld(y, 0));
    for (let k = 1; k < 10; k++) sum = add(sum, mul(ld(l, k), ld(y, k)));
    st(x, d, sub(ld(x, d), sum));
  }
  for (let d = 0; d < size; d++) st(x, d, mul(ld(x, d), ld(p.lower, 11 * d + 120)));
  for (let d = size - 1; d >= 0; d--) {
    const l = p.lower + <usize>(16 * (11 * d + 110));
    const y = x + <usize>(16 * d) - 160;
    const value = ld(x, d);
    for (let k = 0; k < 10; k++) st(y, k, sub(ld(y, k), mul(ld(l, k), value)));
  }
}

/** Fraction of the step that turns no edge by more than `rotation`. */
function limitStep(p: Pair, rotation: f64): v128 {
  let largest = splat(0.0);
  const x = p.step;
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const a = 4 * j;
    const dx = sub(ld(x, a + 4), ld(x, a));
    const dy = sub(ld(x, a + 5), ld(x, a + 1));
    const dz = sub(ld(x, a + 6), ld(x, a + 2));
    const along = add(
      add(mul(dx, ld(p.tangent, 3 * j)), mul(dy, ld(p.tangent, 3 * j + 1))),
      mul(dz, ld(p.tangent, 3 * j + 2)),
    );
    const square = sub(add(add(mul(dx, dx), mul(dy, dy)), mul(dz, dz)), mul(along, along));
    const inverse = div(splat(1.0), ld(p.length, j));
    const across = mul(f64x2.sqrt(f64x2.max(splat(0.0), square)), inverse);
    const shrink = f64x2.neg(mul(along, inverse));
    largest = f64x2.max(f64x2.max(largest, across), f64x2.max(f64x2.abs(ld(x, a + 3)), shrink));
  }
  return select(f64x2.gt(largest, splat(rotation)), div(splat(rotation), largest), select(f64x2.le(largest, largest), splat(1.0), largest));
}

/** Adds `fraction` of the step to q and of what it implies to λ; returns the largest relative move of an edge. */
function takeStep(p: Pair, fraction: v128, done: v128): v128 {
  let largest = splat(0.0);
  const x = p.step;
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const a = 4 * j;
    const dx = sub(ld(x, a + 4), ld(x, a));
    const dy = sub(ld(x, a + 5), ld(x, a + 1));
    const dz = sub(ld(x, a + 6), ld(x, a + 2));
    const along = add(
      add(mul(dx, ld(p.tangent, 3 * j)), mul(dy, ld(p.tangent, 3 * j + 1))),
      mul(dz, ld(p.tangent, 3 * j + 2)),
    );
    const pull = mul(ld(p.penalty, j), add(mul(ld(p.viscous, j), along), ld(p.error, j)));
    st(p.tension, j, add(ld(p.tension, j), v128.andnot(mul(fraction, pull), done)));
    const size = f64x2.max(f64x2.max(f64x2.abs(dx), f64x2.abs(dy)), f64x2.abs(dz));
    largest = f64x2.max(f64x2.max(largest, div(size, ld(p.length, j))), f64x2.abs(ld(x, a + 3)));
  }
  for (let d = 0; d < 4 * p.nodeCount - 1; d++)
    st(p.q, d, add(ld(p.q, d), v128.andnot(mul(fraction, ld(x, d)), done)));
  return largest;
}
