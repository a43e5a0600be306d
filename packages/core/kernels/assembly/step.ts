/** Steps of two rods at once: the stages of the model's step.ts, each with its first guess. The host places pins between stages. */
import { add, both, div, entry, ld, mul, select, splat, st, sub } from './lanes';
import { solvePair } from './newton';
import { Pair } from './pair';
import { EULER, FIRST_SHIFT, GUESS_TURN, NO_GUESS, TRAPEZOID } from './shared';
import { measureEdges } from './stage';

/** Saves the start of the step; lengths and tangents there. */
export function beginStep(block: usize): i32 {
  const p = changetype<Pair>(block);
  const bytes = <usize>(16 * (4 * p.nodeCount - 1));
  memory.copy(p.qStart, p.q, bytes);
  memory.copy(p.vStart, p.v, bytes);
  return measureEdges(p) ? 0 : 1;
}

/**
 * A stage of a step h: implicit Euler, the trapezoidal stage of TR-BDF2, or its second. `first`, `second`: 1 if the rod's acceleration is used for
 * the first guess.
 */
export function stagePair(
  block: usize,
  kind: i32,
  h: f64,
  first: f64,
  second: f64,
  tolerance: f64,
  iterations: i32,
  rotation: f64,
): i32 {
  const p = changetype<Pair>(block);
  const gamma = 2.0 - Math.SQRT2;
  const known = f64x2.replace_lane(splat(first), 1, second);
  let k = h;
  if (kind == EULER) setEuler(p, h);
  else if (kind == TRAPEZOID) {
    k = 0.5 * gamma * h;
    setTrapezoid(p, k);
  } else {
    k = (h * (1.0 - gamma)) / (2.0 - gamma);
    const w1 = 1.0 / (gamma * (2.0 - gamma));
    setSecond(p, w1, (1.0 - gamma) * (1.0 - gamma) * w1, k);
  }
  const ahead = kind == EULER ? h : kind == TRAPEZOID ? gamma * h : (1.0 - gamma) * h;
  if (!predict(p, ahead, mul(known, splat(0.5 * ahead * ahead)))) return NO_GUESS;
  const c = 1.0 / (k * k);
  const code = solvePair(block, c, 1.0 / k, tolerance, iterations, rotation, FIRST_SHIFT, kind == EULER ? h : 0.0);
  if (code != 0) return code;
  const inertia = splat(c);
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) {
    const massive = f64x2.gt(ld(p.mass, ((d >> 2) << 1) + ((d & 3) == 3 ? 1 : 0)), splat(0.0));
    st(p.acceleration, d, v128.and(mul(inertia, sub(ld(p.q, d), ld(p.qHat, d))), massive));
  }
  return 0;
}

export function setEuler(p: Pair, h: f64): void {
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) {
    const q = ld(p.q, d);
    st(p.qRate, d, q);
    st(p.qHat, d, add(q, mul(splat(h), ld(p.v, d))));
  }
}

function setTrapezoid(p: Pair, k: f64): void {
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) {
    const q = ld(p.q, d);
    const v = ld(p.v, d);
    st(p.qHat, d, add(add(q, mul(splat(2.0 * k), v)), mul(splat(k * k), ld(p.acceleration, d))));
    st(p.qRate, d, add(q, mul(splat(k), v)));
  }
}

function setSecond(p: Pair, w1: f64, w0: f64, d2: f64): void {
  for (let d = 0; d < 4 * p.nodeCount - 1; d++) {
    const rate = sub(mul(splat(w1), ld(p.q, d)), mul(splat(w0), ld(p.qStart, d)));
    const speed = sub(mul(splat(w1), ld(p.v, d)), mul(splat(w0), ld(p.vStart, d)));
    st(p.qRate, d, rate);
    st(p.qHat, d, add(rate, mul(splat(d2), speed)));
  }
}

/** `predict` of the model, then places pins; returns false if a held frame turns so far that the twist must be spread over the rod. */
export function predict(p: Pair, h: f64, half: v128): bool {
  const hh = splat(h);
  let largest = splat(0.0);
  const edges = p.nodeCount - 1;
  for (let j = 0; j < edges; j++) {
    const v = entry(p.v, 4 * j);
    const a = entry(p.acceleration, 4 * j);
    const inverse = div(splat(1.0), ld(p.length, j));
    let square = splat(0.0);
    for (let k = 0; k < 3; k++) {
      const way = add(mul(hh, sub(ld(v, 4 + k), ld(v, k))), mul(half, sub(ld(a, 4 + k), ld(a, k))));
      square = add(square, mul(way, way));
    }
    const turn = f64x2.abs(add(mul(hh, ld(v, 3)), mul(half, ld(a, 3))));
    largest = f64x2.max(largest, add(turn, mul(f64x2.sqrt(square), inverse)));
  }
  const far = f64x2.gt(largest, splat(GUESS_TURN));
  let fraction = select(far, div(splat(GUESS_TURN), largest), splat(1.0));
  // if a value is NaN: stay
  fraction = v128.and(fraction, f64x2.lt(largest, splat(Infinity)));
  for (let i = 0; i < p.heldCount; i++) {
    const edge = load<i32>(p.heldEdge + ((<usize>i) << 2));
    if (edge < 0) continue;
    const d = 4 * edge + 3;
    const moved = mul(fraction, add(mul(hh, ld(p.v, d)), mul(half, ld(p.acceleration, d))));
    const turn = sub(sub(ld(p.heldTheta, i), ld(p.heldThetaStart, i)), moved);
    if (!both(f64x2.lt(f64x2.abs(turn), splat(GUESS_TURN)))) return false;
  }
  for (let d = 0; d < 4 * edges + 3; d++) {
    const move = add(mul(hh, ld(p.v, d)), mul(half, ld(p.acceleration, d)));
    st(p.q, d, add(ld(p.q, d), mul(fraction, move)));
  }
  for (let k = 0; k < p.fixedCount; k++) {
    const d = load<i32>(p.fixed + ((<usize>k) << 2));
    st(p.q, d, ld(p.place, d));
    st(p.v, d, ld(p.placeRate, d));
  }
  return true;
}
