/**
 * The mixed Newton method of the model's newton.ts, for two rods at once. A rod that has converged waits for the other: its step is zero from then
 * on. So the result does not depend on its partner, except for the last digits of a residual that is evaluated once more.
 */
import { multiplyRow, reduceRow, subtractColumn, turnFrame } from './generated';
import { add, both, div, entry, ld, mul, select, splat, st, sub } from './lanes';
import { askLoads, Pair } from './pair';
import {
  ASK_LOADS,
  BAD_STEP,
  CONVERGED,
  FOLDED,
  ITERATIONS,
  LARGEST_SHIFT,
  LENGTH_FACTOR,
  LENGTH_LEAST,
  LENGTH_ROUNDING,
  LIMIT,
  NO_CONVERGENCE,
  NO_EDGE,
  NOT_A_NUMBER,
  NOT_DEFINITE,
  OUTCOMES,
  RESIDUAL,
  RESIDUAL_ROUNDING,
  SHIFT_FACTOR,
  SMALLEST_PIVOT,
  SHIFTS,
  SMALL_LEAST,
  SMALL_SQUARE,
} from './shared';
import { evaluateStage, followCenterline, setPenalties, setSpan } from './stage';

const outcome: usize = memory.data(16 * OUTCOMES, 16);
const scale: usize = memory.data(16, 16);
/** References for the residual of this stage: 0 length of the rod, 1 force that bends it, 2 floor due to rounding. */
const measure: usize = memory.data(16 * 3, 16);

export function outcomeAddress(): usize {
  return outcome;
}

// @ts-ignore: decorator
@inline export function fixedAt(p: Pair, k: i32): i32 {
  return load<i32>(p.fixed + ((<usize>k) << 2));
}

export function solvePair(
  block: usize,
  inertia: f64,
  rate: f64,
  tolerance: f64,
  iterations: i32,
  rotation: f64,
  firstShift: f64,
  span: f64,
): i32 {
  const p = changetype<Pair>(block);
  setSpan(span);
  const zero = splat(0.0);
  setPenalties(p, inertia);
  setMeasure(p, inertia, rate);
  let done = zero;
  let count = zero;
  let shifts = zero;
  let shift = zero;
  let lastStep = splat(Infinity);
  st(outcome, ITERATIONS, zero);
  st(outcome, SHIFTS, zero);
  for (let i = 0; i < p.heldCount; i++) {
    const o = <usize>(48 * i);
    turnFrame(p.heldM1 + o, p.heldM2 + o, p.heldTangent + o, p.heldDirector + o, ld(p.heldTheta, i));
  }
  if (!followCenterline(p)) return NO_EDGE;
  // smallMove of the model
  const small = Math.max(SMALL_LEAST, Math.sqrt(SMALL_SQUARE) * tolerance);
  let round = 0;
  while (true) {
    setRates(p, rate);
    if (p.loads & ASK_LOADS) askLoads(block);
    const gradientOnly = both(v128.or(done, f64x2.lt(lastStep, splat(small))));
    if (!evaluateStage(p, inertia, rate, !gradientOnly, scale)) return FOLDED;
    done = v128.or(done, measureConvergence(p, v128.load(scale), tolerance));
    st(outcome, ITERATIONS, count);
    st(outcome, SHIFTS, shifts);
    if (both(done)) return CONVERGED;
    if (!both(v128.or(done, f64x2.lt(ld(outcome, RESIDUAL), splat(Infinity))))) return NOT_A_NUMBER;
    if (round++ >= iterations) return NO_CONVERGENCE;
    if (gradientOnly && !evaluateStage(p, inertia, rate, true, scale)) return FOLDED;
    writeRightSide(p, done);
    fixUnknowns(p);
    while (true) {
      const failed = factor(p, shift, done);
      if (!v128.any_true(failed)) break;
      // the factor has overwritten the matrix
      if (!evaluateStage(p, inertia, rate, true, scale)) return FOLDED;
      fixUnknowns(p);
      const raised = select(f64x2.eq(shift, zero), splat(firstShift), mul(splat(SHIFT_FACTOR), shift));
      shift = select(failed, raised, shift);
      shifts = add(shifts, v128.and(failed, splat(1.0)));
      if (!both(f64x2.le(shift, splat(LARGEST_SHIFT)))) return NOT_DEFINITE;
    }
    solve(p);
    const fraction = v128.andnot(limitStep(p, rotation), done);
    if (!both(v128.or(done, f64x2.gt(fraction, zero)))) return BAD_STEP;
    lastStep = takeStep(p, fraction, done);
    shift = select(f64x2.gt(shift, splat(SHIFT_FACTOR * firstShift)), mul(splat(1.0 / SHIFT_FACTOR), shift), zero);
    count = add(count, v128.andnot(splat(1.0), done));
    if (!followCenterline(p)) return NO_EDGE;
  }
}

/** v = s·(q − q̃), except prescribed unknowns. */
export function setRates(p: Pair, rate: f64): void {
  const s = splat(rate);
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) st(p.v, d, mul(s, sub(ld(p.q, d), ld(p.qRate, d))));
  if (rate == 0.0) return;
  for (let k = 0; k < p.fixedCount; k++) st(p.v, fixedAt(p, k), ld(p.placeRate, fixedAt(p, k)));
}

/** References that do not change within a stage; see measureConvergence in the model. */
export function setMeasure(p: Pair, inertia: f64, rate: f64): void {
  let length = splat(0.0);
  let damping = splat(0.0);
  let bending = splat(0.0);
  let floor = splat(0.0);
  const edges = p.nodeCount - 1;
  for (let j = 0; j < edges; j++) length = add(length, ld(p.lengthRest, j));
  for (let i = 0; i < p.jointCount; i++) damping = f64x2.max(damping, ld(p.jointDamping, i));
  const viscous = add(splat(1.0), mul(splat(rate), damping));
  for (let i = 0; i <= edges; i++) {
    const stiffness = ld(p.stiffnessScale, 2 * i);
    floor = f64x2.max(floor, add(mul(stiffness, viscous), mul(splat(inertia), ld(p.mass, 2 * i))));
    bending = f64x2.max(bending, stiffness);
  }
  const edge = div(length, splat(<f64>edges));
  st(measure, 0, length);
  st(measure, 1, div(mul(bending, mul(edge, mul(edge, edge))), mul(length, length)));
  st(measure, 2, mul(splat(RESIDUAL_ROUNDING), floor));
}

/** Lanes whose residual is small enough; see measureConvergence in the model. Writes residual and tolerance to `outcome`. */
export function measureConvergence(p: Pair, sum: v128, tolerance: f64): v128 {
  const edges = p.nodeCount - 1;
  const length = ld(measure, 0);
  for (let k = 0; k < p.fixedCount; k++) st(p.residual, fixedAt(p, k), splat(0.0));
  let extent = length;
  let largest = splat(0.0);
  let torque = splat(0.0);
  for (let i = 0; i <= edges; i++) {
    const q = entry(p.q, 4 * i);
    const r = entry(p.residual, 4 * i);
    const x = f64x2.max(f64x2.max(f64x2.abs(ld(q, 0)), f64x2.abs(ld(q, 1))), f64x2.abs(ld(q, 2)));
    const f = f64x2.max(f64x2.max(f64x2.abs(ld(r, 0)), f64x2.abs(ld(r, 1))), f64x2.abs(ld(r, 2)));
    extent = f64x2.max(extent, x);
    largest = f64x2.max(largest, f);
    if (i < edges) torque = f64x2.max(torque, f64x2.abs(ld(r, 3)));
  }
  const limit = f64x2.max(mul(splat(tolerance), f64x2.max(sum, ld(measure, 1))), mul(ld(measure, 2), extent));
  st(outcome, RESIDUAL, f64x2.max(largest, div(torque, length)));
  st(outcome, LIMIT, limit);
  let met = v128.and(f64x2.le(largest, limit), f64x2.le(torque, mul(limit, length)));
  if (!v128.any_true(met)) return met;
  const least = mul(splat(LENGTH_ROUNDING), extent);
  // lengthTolerance of the model
  const turned = LENGTH_FACTOR * tolerance * tolerance;
  const rigid = splat(Math.max(LENGTH_LEAST, turned));
  for (let j = 0; j < edges; j++) {
    const rounding = mul(least, ld(p.viscous, j));
    const extensible = f64x2.lt(ld(p.stiffness, j), splat(Infinity));
    const strain = v128.and(div(limit, ld(p.penalty, j)), extensible);
    const stretch = mul(select(extensible, splat(turned), rigid), ld(p.lengthRest, j));
    met = v128.and(met, f64x2.le(f64x2.abs(ld(p.error, j)), f64x2.max(f64x2.max(strain, stretch), rounding)));
  }
  return met;
}

/** −r − Aᵀ(k·rl), zero at prescribed unknowns and for rods that wait. */
export function writeRightSide(p: Pair, done: v128): void {
  let fx = splat(0.0);
  let fy = fx;
  let fz = fx;
  const edges = p.nodeCount - 1;
  for (let i = 0; i <= edges; i++) {
    const r = entry(p.residual, 4 * i);
    const x = entry(p.step, 4 * i);
    let gx = sub(f64x2.neg(ld(r, 0)), fx);
    let gy = sub(f64x2.neg(ld(r, 1)), fy);
    let gz = sub(f64x2.neg(ld(r, 2)), fz);
    if (i < edges) {
      const pull = mul(ld(p.penalty, i), ld(p.error, i));
      const t = p.tangent + <usize>(48 * i);
      fx = mul(pull, ld(t, 0));
      fy = mul(pull, ld(t, 1));
      fz = mul(pull, ld(t, 2));
      gx = add(gx, fx);
      gy = add(gy, fy);
      gz = add(gz, fz);
      st(x, 3, v128.andnot(f64x2.neg(ld(r, 3)), done));
    }
    st(x, 0, v128.andnot(gx, done));
    st(x, 1, v128.andnot(gy, done));
    st(x, 2, v128.andnot(gz, done));
  }
  for (let k = 0; k < p.fixedCount; k++) st(p.step, fixedAt(p, k), splat(0.0));
}

export function fixUnknowns(p: Pair): void {
  const zero = splat(0.0);
  for (let f = 0; f < p.fixedCount; f++) {
    const d = fixedAt(p, f);
    const row = 11 * d + 10;
    for (let k = 1; k <= 10; k++) {
      // entries to the left of the first column are padding
      if (k <= d) st(p.band, row - k, zero);
      if (d + k < 4 * p.nodeCount - 1) st(p.band, row + 10 * k, zero);
    }
    st(p.band, row, splat(1.0));
  }
}

/** LDLᵀ in place of the matrix, so that both are in the cache; returns the lanes that are not positive definite, without waiting rods. */
export function factor(p: Pair, shift: v128, done: v128): v128 {
  const size = 4 * p.nodeCount - 1;
  if (v128.any_true(f64x2.ne(shift, splat(0.0)))) {
    for (let d = 0; d < size; d++) {
      const weight = ld(p.stiffnessScale, ((d >> 2) << 1) + ((d & 3) == 3 ? 1 : 0));
      st(p.band, 11 * d + 10, add(ld(p.band, 11 * d + 10), mul(shift, weight)));
    }
  }
  return factorRows(p.band, 0, size, done);
}

/** The same for any matrix with ten unknowns to the left, whose rows before `first` are already factored. */
export function factorRows(band: usize, first: i32, size: i32, done: v128): v128 {
  const one = splat(1.0);
  for (let d = first; d < size; d++) {
    const source = 11 * d;
    const original = ld(band, source + 10);
    const diagonal = sub(original, reduceRow(band, source, band, source));
    const fine = v128.or(done, f64x2.gt(diagonal, mul(splat(SMALLEST_PIVOT), f64x2.abs(original))));
    if (!both(fine)) return v128.not(fine);
    st(band, source + 10, div(one, select(done, one, diagonal)));
  }
  return splat(0.0);
}

/** Solves with the factor, in place. */
export function solve(p: Pair): void {
  solveRows(p.band, p.step, 0, 4 * p.nodeCount - 1);
}

/**
 * Solves for the unknowns from `first` on, if all before have a zero right-hand side; overwrites ten of those by zeros. In the backward pass each
 * unknown gathers the contributions of those after it. Scattering them to those before it stored every unknown ten times and took a quarter longer.
 */
export function solveRows(band: usize, x: usize, first: i32, size: i32): void {
  memory.fill(entry(x, first) - 160, 0, 160);
  for (let d = first; d < size; d++) st(x, d, sub(ld(x, d), multiplyRow(entry(band, 11 * d), entry(x, d) - 160)));
  for (let d = first; d < size; d++) st(x, d, mul(ld(x, d), ld(band, 11 * d + 10)));
  let d = size - 1;
  for (; d >= first && d > size - 11; d--) {
    let sum = ld(x, d);
    for (let k = size - 1 - d; k > 0; k--) sum = sub(sum, mul(ld(band, 11 * d + 10 + 10 * k), ld(x, d + k)));
    st(x, d, sum);
  }
  for (; d >= first; d--) st(x, d, subtractColumn(entry(band, 11 * d), entry(x, d)));
}

/** Fraction of the step that turns no edge by more than `rotation`. */
export function limitStep(p: Pair, rotation: f64): v128 {
  let largest = splat(0.0);
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const x = entry(p.step, 4 * j);
    const t = p.tangent + <usize>(48 * j);
    const dx = sub(ld(x, 4), ld(x, 0));
    const dy = sub(ld(x, 5), ld(x, 1));
    const dz = sub(ld(x, 6), ld(x, 2));
    const along = add(add(mul(dx, ld(t, 0)), mul(dy, ld(t, 1))), mul(dz, ld(t, 2)));
    const square = sub(add(add(mul(dx, dx), mul(dy, dy)), mul(dz, dz)), mul(along, along));
    const inverse = div(splat(1.0), ld(p.length, j));
    const across = mul(f64x2.sqrt(f64x2.max(splat(0.0), square)), inverse);
    const shrink = f64x2.neg(mul(along, inverse));
    largest = f64x2.max(f64x2.max(largest, across), f64x2.max(f64x2.abs(ld(x, 3)), shrink));
  }
  return select(f64x2.gt(largest, splat(rotation)), div(splat(rotation), largest), select(f64x2.le(largest, largest), splat(1.0), largest));
}

/** Adds `fraction` of the step to q, and the change of λ that it implies; returns the largest relative move of an edge. */
export function takeStep(p: Pair, fraction: v128, done: v128): v128 {
  let largest = splat(0.0);
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const x = entry(p.step, 4 * j);
    const t = p.tangent + <usize>(48 * j);
    const dx = sub(ld(x, 4), ld(x, 0));
    const dy = sub(ld(x, 5), ld(x, 1));
    const dz = sub(ld(x, 6), ld(x, 2));
    const along = add(add(mul(dx, ld(t, 0)), mul(dy, ld(t, 1))), mul(dz, ld(t, 2)));
    const pull = mul(ld(p.penalty, j), add(mul(ld(p.viscous, j), along), ld(p.error, j)));
    st(p.tension, j, add(ld(p.tension, j), v128.andnot(mul(fraction, pull), done)));
    const size = f64x2.max(f64x2.max(f64x2.abs(dx), f64x2.abs(dy)), f64x2.abs(dz));
    largest = f64x2.max(f64x2.max(largest, div(size, ld(p.length, j))), f64x2.abs(ld(x, 3)));
  }
  for (let d = 0; d < 4 * p.nodeCount - 1; d++)
    st(p.q, d, add(ld(p.q, d), v128.andnot(mul(fraction, ld(p.step, d)), done)));
  return largest;
}
