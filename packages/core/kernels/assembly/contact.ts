/**
 * The implicit Euler step of two rods that touch obstacles and nothing else, one per lane. Contacts of different rods do not affect each other, so
 * each lane has a solution of its own.
 *
 * This does what contact/solve/islandSolver.ts and models/der/contact.ts do for any island, with the same law and tolerances. A round has a matrix K
 * at the current state of the rods, the impulses of the linear response by ADMM (contact/solve/admm.ts), and the Newton step under these impulses,
 * for which K is already factored. A rod at rest takes one round and one evaluation of its residual. Rounds end when forces are balanced, velocities
 * are those that the law was applied to, and no inactive contact has closed. Unusual cases are left to the host.
 *
 * Tried on hair that falls on a head (frames of 1/60 s, about 25 contacts per rod) and rejected: Newton's method for the law itself, which needs 2 to
 * 4 factorizations where it converges, and does not converge at impacts (a third of the cases); rough rounds while the rods still move, which save no
 * iterations and cost rounds.
 */
import { turnFrame } from './generated';
import { add, both, div, entry, ld, mul, select, splat, st, sub } from './lanes';
import { keepBest, mixTurn, startMixing, takeBest } from './mixing';
import { fixedAt, fixUnknowns, limitStep, measureConvergence, setMeasure, setRates, takeStep, writeRightSide } from './newton';
import { chooseOrder, clearHeld, factorHeld, factorStiffness, invertTouched, solveHeld, solveStiffness, traceAt } from './order';
import { askLoads, Pair } from './pair';
import {
  ABRUPT,
  ASK_LOADS,
  BAD_STEP,
  BEFORE,
  CLOSE,
  CONVERGED,
  COPY,
  FIRST_SHIFT,
  FOLDED,
  FREE,
  IMPULSE,
  LARGEST_SHIFT,
  LATE,
  LINEAR,
  NO_CONVERGENCE,
  NO_EDGE,
  NO_GUESS,
  NOT_A_NUMBER,
  NOT_DEFINITE,
  OMEGA,
  RHO,
  ROUGH,
  CONTACT_ERROR,
  CONTACT_OUTCOMES,
  CONTACT_ROUNDS,
  CONTACT_SHIFTS,
  CONTACT_ITERATIONS,
  CONTACT_UNCONVERGED,
  PAIR_ROUNDS,
  SHIFT_FACTOR,
  SIZE,
  SMALL_LEAST,
  SMALL_SQUARE,
  SWING,
  THERE,
  VELOCITY,
} from './shared';
import { evaluateStage, followCenterline, setPenalties, setSpan } from './stage';
import { predict, setEuler } from './step';
import { addAt, applyLaw, closing, countContactsAtNodes, contactsNear, listActive, activeContactAt, readAt, subtractPush, contactAt } from './contactLaw';

const contactOutcome: usize = memory.data(16 * CONTACT_OUTCOMES, 16);
const scale: usize = memory.data(16, 16);

/**
 * ω relative to atNode × response, which islands use: a single rod may be held to its copies four times as tightly. Hair that falls on a head takes
 * 0.64 of the iterations; with a factor of 0.12 one rod in fifty does not converge, with 0.05 one in three.
 */
const EASE = 0.25;

/**
 * The last acceleration is used for the first guess if it is between these multiples of gravity: hair on a head that turns takes 0.88 of the
 * iterations. The acceleration of an impact would mislead. At rest it is the error of the last step, and forces would not converge.
 */
const SLIGHT = 0.1;
const STEADY = 1.0;

/** Iterations of a round, regardless of how many the earlier rounds took. */
const LEAST_TURNS = 20.0;

/** Factor on the tolerance of the round, per lane. */
const loose: usize = memory.data(16, 16);

export function contactOutcomeAddress(): usize {
  return contactOutcome;
}

/**
 * Moves the rods to the end of a step h under their contacts, at most `count` per rod. `fresh`: from the start of the step, where the rods are; else
 * from their current state, with q̂ and q̃ in place. `firstWaits`, `secondWaits`: not 0 for a rod that must not move. `speed`: reference for
 * velocities [m/s].
 */
export function stepPairInContact(
  block: usize,
  h: f64,
  fresh: i32,
  firstWaits: f64,
  secondWaits: f64,
  count: i32,
  speed: f64,
  precision: f64,
  limit: i32,
  tolerance: f64,
  rotation: f64,
): i32 {
  const p = changetype<Pair>(block);
  const zero = splat(0.0);
  let done = f64x2.ne(f64x2.replace_lane(splat(firstWaits), 1, secondWaits), zero);
  for (let k = 0; k < CONTACT_OUTCOMES; k++) st(contactOutcome, k, zero);
  if (fresh) {
    setEuler(p, h);
    if (!predict(p, h, v128.and(splat(h * h), isSteady(p, speed / h)))) return NO_GUESS;
  }
  const inertia = 1.0 / (h * h);
  const rate = 1.0 / h;
  setPenalties(p, inertia);
  setMeasure(p, inertia, rate);
  setSpan(h);
  for (let i = 0; i < p.heldCount; i++) {
    const o = <usize>(48 * i);
    turnFrame(p.heldM1 + o, p.heldM2 + o, p.heldTangent + o, p.heldDirector + o, ld(p.heldTheta, i));
  }
  const rooted = isRooted(p);
  v128.store(loose, splat(1.0));
  for (let c = 0; c < count; c++) clearActive(contactAt(p, c));
  chooseOrder(p, count);
  const small = Math.max(SMALL_LEAST, Math.sqrt(SMALL_SQUARE) * tolerance);
  /** Number of moves after which forces are evaluated without the matrix, because it is probably not needed. */
  const last = rooted ? 3.0 * small : small;
  let lastStep = splat(Infinity);
  let shift = zero;
  let balanced = zero;
  /** Lanes whose velocities are those that the law was applied to, and in which no other contact closes. */
  let agreed = zero;
  for (let round = 0; ; round++) {
    if (!followCenterline(p)) return NO_EDGE;
    setRates(p, rate);
    if (p.loads & ASK_LOADS) askLoads(block);
    const gradientOnly = both(v128.or(done, f64x2.lt(lastStep, splat(last))));
    if (!evaluate(p, count, h, !gradientOnly)) return FOLDED;
    if (round > 0) {
      balanced = measureConvergence(p, v128.load(scale), tolerance);
      agreed = agree(p, count, speed * precision, rate);
      agreed = v128.and(agreed, f64x2.eq(v128.load(loose), splat(1.0)));
      done = v128.or(done, v128.and(balanced, agreed));
      if (both(done)) break;
    }
    if (round >= PAIR_ROUNDS) return NO_CONVERGENCE;
    if (gradientOnly && !evaluate(p, count, h, true)) return FOLDED;
    writeRightSide(p, done);
    fixUnknowns(p);
    while (true) {
      const failed = factorStiffness(p, shift, done);
      if (!v128.any_true(failed)) break;
      const raised = select(f64x2.eq(shift, zero), splat(FIRST_SHIFT), mul(splat(SHIFT_FACTOR), shift));
      shift = select(failed, raised, shift);
      st(contactOutcome, CONTACT_SHIFTS, add(ld(contactOutcome, CONTACT_SHIFTS), v128.and(failed, splat(1.0))));
      if (!both(f64x2.le(shift, splat(LARGEST_SHIFT)))) return NOT_DEFINITE;
    }
    // converged but for the balance of forces: the impulses stay
    const polish = v128.and(agreed, f64x2.lt(lastStep, splat(small)));
    const waits = v128.or(done, polish);
    memory.copy(p.right, p.step, <usize>(16 * (4 * p.nodeCount - 1)));
    if (!both(waits)) {
      const code = findImpulses(p, count, h, round == 0, shift, waits, done, speed, precision, limit);
      if (code != 0) return code;
    }
    memory.copy(p.step, p.right, <usize>(16 * (4 * p.nodeCount - 1)));
    pushBy(p, count, h);
    solveStiffness(p);
    const fraction = v128.andnot(limitStep(p, rotation), done);
    if (!both(v128.or(done, f64x2.gt(fraction, zero)))) return BAD_STEP;
    lastStep = takeStep(p, fraction, done);
    if (rooted) keepLengths(p, fraction, done);
    for (let c = 0; c < count; c++) {
      const t = contactAt(p, c);
      for (let k = 0; k < 3; k++) st(t, BEFORE + k, ld(t, IMPULSE + k));
    }
    shift = select(f64x2.gt(shift, splat(SHIFT_FACTOR * FIRST_SHIFT)), mul(splat(1.0 / SHIFT_FACTOR), shift), zero);
    st(contactOutcome, CONTACT_ROUNDS, add(ld(contactOutcome, CONTACT_ROUNDS), v128.andnot(splat(1.0), done)));
  }
  const c = splat(inertia);
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) {
    const massive = f64x2.gt(ld(p.mass, ((d >> 2) << 1) + ((d & 3) == 3 ? 1 : 0)), zero);
    st(p.acceleration, d, v128.and(mul(c, sub(ld(p.q, d), ld(p.qHat, d))), massive));
  }
  return CONVERGED;
}

/** Lanes in which the acceleration of the last step predicts this one; g: gravity. */
function isSteady(p: Pair, g: f64): v128 {
  let largest = splat(0.0);
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) if ((d & 3) != 3) largest = f64x2.max(largest, f64x2.abs(ld(p.acceleration, d)));
  return v128.and(f64x2.ge(largest, splat(SLIGHT * g)), f64x2.le(largest, splat(STEADY * g)));
}

/** True if pins hold the first node and no other. */
function isRooted(p: Pair): bool {
  let held = 0;
  for (let k = 0; k < p.fixedCount; k++) {
    const d = fixedAt(p, k);
    if ((d & 3) == 3) continue;
    if (d > 2) return false;
    held++;
  }
  return held == 3;
}

/**
 * After a step, edges that it has turned by φ are longer by φ²/2 than prescribed; for hair that an obstacle carries along, this is the whole error.
 * Sets them to the prescribed lengths and shifts all nodes farther from the root. Hair on a head that turns takes one round instead of two.
 */
function keepLengths(p: Pair, fraction: v128, done: v128): void {
  let sx = splat(0.0);
  let sy = sx;
  let sz = sx;
  for (let j = 0; j < p.nodeCount - 1; j++) {
    const q = entry(p.q, 4 * j);
    const x = entry(p.step, 4 * j);
    const t = p.tangent + <usize>(48 * j);
    // the first node has been shifted, the second has not
    const ex = add(sub(ld(q, 4), ld(q, 0)), sx);
    const ey = add(sub(ld(q, 5), ld(q, 1)), sy);
    const ez = add(sub(ld(q, 6), ld(q, 2)), sz);
    let along = mul(sub(ld(x, 4), ld(x, 0)), ld(t, 0));
    along = add(along, mul(sub(ld(x, 5), ld(x, 1)), ld(t, 1)));
    along = add(along, mul(sub(ld(x, 6), ld(x, 2)), ld(t, 2)));
    const meant = add(ld(p.length, j), mul(fraction, along));
    const length = f64x2.sqrt(add(add(mul(ex, ex), mul(ey, ey)), mul(ez, ez)));
    const less = v128.andnot(sub(div(meant, length), splat(1.0)), done);
    sx = add(sx, mul(less, ex));
    sy = add(sy, mul(less, ey));
    sz = add(sz, mul(less, ez));
    st(q, 4, add(ld(q, 4), sx));
    st(q, 5, add(ld(q, 5), sy));
    st(q, 6, add(ld(q, 6), sz));
  }
}

/** Where pins hold a node: its displacement over the step, in place of its velocity at the end (`replacePinVelocity` of the model). */
function useDisplacements(p: Pair, rate: f64): void {
  for (let k = 0; k < p.fixedCount; k++) {
    const d = fixedAt(p, k);
    st(p.v, d, mul(splat(rate), sub(ld(p.q, d), ld(p.qRate, d))));
  }
}

function restoreVelocities(p: Pair): void {
  for (let k = 0; k < p.fixedCount; k++) st(p.v, fixedAt(p, k), ld(p.placeRate, fixedAt(p, k)));
}

function clearActive(t: usize): void {
  st(t, OMEGA, splat(0.0));
  st(t, RHO, splat(0.0));
  for (let k = 0; k < 3; k++) st(t, BEFORE + k, ld(t, IMPULSE + k));
}

function evaluate(p: Pair, count: i32, h: f64, matrix: bool): bool {
  const fine = evaluateStage(p, 1.0 / (h * h), 1.0 / h, matrix, scale);
  v128.store(scale, add(v128.load(scale), subtractPush(p, count, h)));
  return fine;
}

/** Adds Sᵀ(p − p₀)/h to `step`. Prescribed unknowns have none. */
function pushBy(p: Pair, count: i32, h: f64): void {
  const s = splat(1.0 / h);
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    addAt(
      p.step,
      t,
      mul(s, sub(ld(t, IMPULSE), ld(t, BEFORE))),
      mul(s, sub(ld(t, IMPULSE + 1), ld(t, BEFORE + 1))),
      mul(s, sub(ld(t, IMPULSE + 2), ld(t, BEFORE + 2))),
      4,
    );
  }
  for (let k = 0; k < p.fixedCount; k++) st(p.step, fixedAt(p, k), splat(0.0));
}

/** Lanes whose sides move as the law requires, and none of whose inactive contacts has closed; those become active. */
function agree(p: Pair, count: i32, least: f64, rate: f64): v128 {
  const zero = splat(0.0);
  const most = mul(splat(10.0), f64x2.max(splat(least), ld(contactOutcome, CONTACT_ERROR)));
  let fine = f64x2.eq(zero, zero);
  useDisplacements(p, rate);
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    const active = f64x2.gt(ld(t, RHO), zero);
    readAt(t, VELOCITY, p.v, splat(1.0), -1);
    let error = zero;
    for (let k = 0; k < 3; k++) error = f64x2.max(error, f64x2.abs(sub(ld(t, VELOCITY + k), ld(t, COPY + k))));
    const open = f64x2.ge(closing(t, VELOCITY), mul(splat(LATE), ld(t, SIZE)));
    const there = f64x2.gt(ld(t, THERE), zero);
    fine = v128.and(fine, v128.or(v128.not(there), select(active, f64x2.le(error, most), open)));
  }
  restoreVelocities(p);
  return fine;
}

/**
 * Impulses of the linear response with the current matrix, which is factored (order.ts); the right-hand side is in `step`. `first`: also computes the
 * responses ω, which serve all rounds of a step.
 */
function findImpulses(
  p: Pair,
  count: i32,
  h: f64,
  first: bool,
  shift: v128,
  waits: v128,
  done: v128,
  speed: f64,
  precision: f64,
  limit: i32,
): i32 {
  solveStiffness(p);
  useDisplacements(p, 1.0 / h);
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    readAt(t, LINEAR, p.v, splat(1.0), -1);
    readAt(t, LINEAR, p.step, splat(1.0 / h), LINEAR);
  }
  restoreVelocities(p);
  weigh(p, count, h, first, waits, speed * precision);
  const active = listActive(p, count);
  if (v128.any_true(factorHeld(p, active, h, shift, done))) return NOT_DEFINITE;
  return iterate(p, active, h, waits, speed, precision, limit);
}

/** Selects the active contacts: those that carry force and those that would close; and computes their weights. */
function weigh(p: Pair, count: i32, h: f64, first: bool, waits: v128, least: f64): void {
  const zero = splat(0.0);
  const one = splat(1.0);
  let worst = zero;
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    let loaded = f64x2.gt(ld(t, RHO), zero);
    for (let k = 0; k < 3; k++) loaded = v128.or(loaded, f64x2.ne(ld(t, IMPULSE + k), zero));
    const u = closing(t, LINEAR);
    const closes = f64x2.lt(u, mul(splat(CLOSE), ld(t, SIZE)));
    const there = f64x2.gt(ld(t, THERE), zero);
    worst = f64x2.min(worst, v128.and(u, there));
    st(t, RHO, select(waits, ld(t, RHO), v128.and(one, v128.and(there, v128.or(loaded, closes)))));
  }
  const abrupt = v128.andnot(f64x2.lt(worst, splat(-ABRUPT * least)), waits);
  v128.store(loose, select(abrupt, splat(ROUGH), one));
  if (first) invertTouched(p);
  countContactsAtNodes(p, count);
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    const trace = mul(splat(1.0 / (3.0 * h * h)), traceAt(p, t));
    const there = ld(t, THERE);
    const before = ld(t, RHO);
    const active = v128.and(f64x2.gt(before, zero), f64x2.gt(trace, zero));
    const atNode = contactsNear(p, t);
    const omega = v128.and(mul(mul(splat(EASE), atNode), trace), active);
    const rho = v128.and(div(one, omega), active);
    st(t, OMEGA, select(waits, ld(t, OMEGA), omega));
    st(t, RHO, select(waits, before, rho));
    st(t, THERE, select(waits, there, v128.and(atNode, f64x2.gt(there, zero))));
    for (let k = 0; k < 3; k++) {
      const impulse = v128.and(ld(t, IMPULSE + k), v128.or(active, waits));
      st(t, IMPULSE + k, impulse);
      st(t, FREE + k, sub(ld(t, LINEAR + k), mul(impulse, omega)));
      st(t, COPY + k, select(waits, ld(t, COPY + k), ld(t, LINEAR + k)));
    }
  }
}

/**
 * Iterations of ADMM until the lanes agree with their copies (admm.ts). Lanes that do not within `limit` iterations of all rounds together get the
 * impulses with the least error.
 */
function iterate(p: Pair, count: i32, h: f64, still: v128, speed: f64, precision: f64, limit: i32): i32 {
  const zero = splat(0.0);
  const size = 4 * p.nodeCount - 1;
  let waits = still;
  let least = splat(Infinity);
  startMixing(p, count);
  const before = ld(contactOutcome, CONTACT_ITERATIONS);
  const most = f64x2.max(splat(LEAST_TURNS), sub(splat(<f64>limit), before));
  let turn = zero;
  while (true) {
    const swing = f64x2.max(splat(speed), mul(splat(SWING), applyLaw(p, count, waits)));
    clearHeld(p);
    followCopies(p, count, h);
    solveHeld(p);
    let error = zero;
    for (let c = 0; c < count; c++) {
      const t = activeContactAt(p, c);
      readAt(t, VELOCITY, p.step, splat(1.0 / h), LINEAR);
      const active = f64x2.gt(ld(t, RHO), zero);
      for (let k = 0; k < 3; k++)
        error = f64x2.max(error, v128.and(active, f64x2.abs(sub(ld(t, VELOCITY + k), ld(t, COPY + k)))));
    }
    turn = add(turn, splat(1.0));
    st(contactOutcome, CONTACT_ERROR, select(waits, ld(contactOutcome, CONTACT_ERROR), error));
    st(contactOutcome, CONTACT_ITERATIONS, select(waits, ld(contactOutcome, CONTACT_ITERATIONS), add(before, turn)));
    waits = v128.or(waits, f64x2.le(error, mul(mul(splat(precision), v128.load(loose)), swing)));
    if (both(waits)) return 0;
    // values of a waiting rod may be NaN
    if (!both(v128.or(waits, f64x2.lt(error, splat(Infinity))))) return NOT_A_NUMBER;
    const better = v128.andnot(f64x2.lt(error, least), waits);
    keepBest(p, count, better);
    least = select(better, error, least);
    const spent = v128.andnot(f64x2.ge(turn, most), waits);
    if (v128.any_true(spent)) {
      takeBest(p, count, v128.not(spent));
      applyLaw(p, count, v128.not(spent));
      st(contactOutcome, CONTACT_ERROR, select(spent, least, ld(contactOutcome, CONTACT_ERROR)));
      st(contactOutcome, CONTACT_UNCONVERGED, v128.or(ld(contactOutcome, CONTACT_UNCONVERGED), v128.and(spent, splat(1.0))));
      waits = v128.or(waits, spent);
      if (both(waits)) return 0;
    }
    mixTurn(p, count, waits);
  }
}

/** Adds Sᵀ(p − p₀ + ρ(y − S v))/h of the active contacts to `step`. Prescribed unknowns get none. */
function followCopies(p: Pair, count: i32, h: f64): void {
  const s = splat(1.0 / h);
  for (let c = 0; c < count; c++) {
    const t = activeContactAt(p, c);
    const rho = ld(t, RHO);
    addAt(
      p.step,
      t,
      mul(s, add(sub(ld(t, IMPULSE), ld(t, BEFORE)), mul(rho, sub(ld(t, COPY), ld(t, LINEAR))))),
      mul(s, add(sub(ld(t, IMPULSE + 1), ld(t, BEFORE + 1)), mul(rho, sub(ld(t, COPY + 1), ld(t, LINEAR + 1))))),
      mul(s, add(sub(ld(t, IMPULSE + 2), ld(t, BEFORE + 2)), mul(rho, sub(ld(t, COPY + 2), ld(t, LINEAR + 2))))),
      4,
    );
  }
  for (let k = 0; k < p.fixedCount; k++) st(p.step, fixedAt(p, k), splat(0.0));
}
