/**
 * Arithmetic on a pair of doubles, one per rod, and functions for which WebAssembly has no instruction.
 *
 * Sine, cosine and angles are polynomials over the range in which a rod's joints nearly always are; outside it, the pair is computed one by one. Both
 * are within 2e-16 of the true value (docs/notes/elementary-functions.md).
 */

// @ts-ignore: decorator
@inline export function ld(p: usize, k: i32): v128 {
  return v128.load(p + ((<usize>k) << 4));
}

// @ts-ignore: decorator
@inline export function st(p: usize, k: i32, x: v128): void {
  v128.store(p + ((<usize>k) << 4), x);
}

/** Offset of entry k in a table of pairs. */
// @ts-ignore: decorator
@inline export function entry(p: usize, k: i32): usize {
  return p + ((<usize>k) << 4);
}

// @ts-ignore: decorator
@inline export function add(a: v128, b: v128): v128 {
  return f64x2.add(a, b);
}

// @ts-ignore: decorator
@inline export function sub(a: v128, b: v128): v128 {
  return f64x2.sub(a, b);
}

// @ts-ignore: decorator
@inline export function mul(a: v128, b: v128): v128 {
  return f64x2.mul(a, b);
}

// @ts-ignore: decorator
@inline export function div(a: v128, b: v128): v128 {
  return f64x2.div(a, b);
}

// @ts-ignore: decorator
@inline export function splat(x: f64): v128 {
  return f64x2.splat(x);
}

/** `yes` in the lanes where a comparison holds, `no` in the others. */
// @ts-ignore: decorator
@inline export function select(mask: v128, yes: v128, no: v128): v128 {
  return v128.bitselect(yes, no, mask);
}

/** True if a comparison holds for both rods. */
// @ts-ignore: decorator
@inline export function both(mask: v128): bool {
  return i64x2.all_true(mask);
}

// @ts-ignore: decorator
@inline export function lane(x: v128, k: i32): f64 {
  return k == 0 ? f64x2.extract_lane(x, 0) : f64x2.extract_lane(x, 1);
}

// @ts-ignore: decorator
@inline export function pairOf(a: f64, b: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

/** Taylor coefficients are enough below π/4: the last term is below 1e-17. */
export function sin(x: v128): v128 {
  if (!both(f64x2.le(f64x2.abs(x), splat(0.79)))) return pairOf(Math.sin(lane(x, 0)), Math.sin(lane(x, 1)));
  const s = mul(x, x);
  let p = splat(2.8114572543455206e-15);
  p = sub(mul(p, s), splat(7.647163731819816e-13));
  p = add(mul(p, s), splat(1.6059043836821613e-10));
  p = sub(mul(p, s), splat(2.505210838544172e-8));
  p = add(mul(p, s), splat(2.7557319223985893e-6));
  p = sub(mul(p, s), splat(1.984126984126984e-4));
  p = add(mul(p, s), splat(8.333333333333333e-3));
  p = sub(mul(p, s), splat(0.16666666666666666));
  return add(x, mul(mul(p, s), x));
}

export function cos(x: v128): v128 {
  if (!both(f64x2.le(f64x2.abs(x), splat(0.79)))) return pairOf(Math.cos(lane(x, 0)), Math.cos(lane(x, 1)));
  const s = mul(x, x);
  let p = splat(4.779477332387385e-14);
  p = sub(mul(p, s), splat(1.1470745597729725e-11));
  p = add(mul(p, s), splat(2.08767569878681e-9));
  p = sub(mul(p, s), splat(2.755731922398589e-7));
  p = add(mul(p, s), splat(2.48015873015873e-5));
  p = sub(mul(p, s), splat(1.388888888888889e-3));
  p = add(mul(p, s), splat(0.041666666666666664));
  return add(sub(splat(1.0), mul(splat(0.5), s)), mul(mul(p, s), s));
}

/** Angle of (x, y), by the series of the arc tangent if it is small. */
export function angle(y: v128, x: v128): v128 {
  if (!both(f64x2.le(f64x2.abs(y), mul(splat(0.2), x))))
    return pairOf(Math.atan2(lane(y, 0), lane(x, 0)), Math.atan2(lane(y, 1), lane(x, 1)));
  const t = div(y, x);
  const s = mul(t, t);
  let p = splat(1.0 / 23.0);
  p = sub(splat(1.0 / 21.0), mul(p, s));
  p = sub(splat(1.0 / 19.0), mul(p, s));
  p = sub(splat(1.0 / 17.0), mul(p, s));
  p = sub(splat(1.0 / 15.0), mul(p, s));
  p = sub(splat(1.0 / 13.0), mul(p, s));
  p = sub(splat(1.0 / 11.0), mul(p, s));
  p = sub(splat(1.0 / 9.0), mul(p, s));
  p = sub(splat(1.0 / 7.0), mul(p, s));
  p = sub(splat(1.0 / 5.0), mul(p, s));
  p = sub(splat(1.0 / 3.0), mul(p, s));
  return sub(t, mul(mul(p, s), t));
}

/**
 * The counterpart of `writeAngleRatio` in strain.ts: f = 2 acos(W)/√(1−W²) and its derivatives. With z = (1 − W)/2 it is 2 Σ c_k z^k, c_(k+1)/c_k =
 * (2k+2)/(2k+3); z < 1/20 is a rotation of less than 52°.
 */
export function writeAngleRatio(out: usize, W: v128): void {
  const z = mul(splat(0.5), sub(splat(1.0), W));
  if (!both(f64x2.lt(z, splat(0.05)))) {
    writeLargeRatio(out, lane(W, 0), 0);
    writeLargeRatio(out, lane(W, 1), 8);
    return;
  }
  // f, and −½ of its derivatives in z, by Horner's rule with derivatives; below 0.004 (a quarter of a radian) nine terms suffice
  const last = both(f64x2.lt(z, splat(0.004))) ? 8 : 14;
  let f = splat(coefficient(last));
  let d = splat(0.0);
  let e = splat(0.0);
  for (let k = last - 1; k >= 0; k--) {
    e = add(mul(e, z), d);
    d = add(mul(d, z), f);
    f = add(mul(f, z), splat(coefficient(k)));
  }
  st(out, 0, mul(splat(2.0), f));
  st(out, 1, f64x2.neg(d));
  st(out, 2, e);
}

const coefficients: StaticArray<f64> = makeCoefficients();

function makeCoefficients(): StaticArray<f64> {
  const list = new StaticArray<f64>(15);
  let c: f64 = 1.0;
  for (let k = 0; k < 15; k++) {
    list[k] = c;
    c *= <f64>(2 * k + 2) / <f64>(2 * k + 3);
  }
  return list;
}

// @ts-ignore: decorator
@inline function coefficient(k: i32): f64 {
  return unchecked(coefficients[k]);
}

function writeLargeRatio(out: usize, W: f64, lane: usize): void {
  const x = 1.0 - W;
  if (x < 1e-3) {
    store<f64>(out + lane, 2.0 + x * (2.0 / 3.0 + x * (4.0 / 15.0 + x * (4.0 / 35.0 + x * (16.0 / 315.0)))));
    store<f64>(out + lane + 16, -(2.0 / 3.0 + x * (8.0 / 15.0 + x * (12.0 / 35.0 + x * (64.0 / 315.0)))));
    store<f64>(out + lane + 32, 8.0 / 15.0 + x * (24.0 / 35.0 + x * (64.0 / 105.0)));
    return;
  }
  const s2 = Math.max(1.0 - W * W, 1e-12);
  const f = (2.0 * Math.acos(W)) / Math.sqrt(s2);
  const f1 = (W * f - 2.0) / s2;
  store<f64>(out + lane, f);
  store<f64>(out + lane + 16, f1);
  store<f64>(out + lane + 32, (f + 3.0 * W * f1) / s2);
}
