/**
 * The elementary functions, rounded correctly whatever it takes: fixed-point results of growing precision, until all numbers within the
 * error round to the same double. That ends, since the results are transcendental; the exceptions (powers, roots) are exact in
 * big integers. A call takes some ten microseconds. The callers have dealt with NaN, infinities, zeros and overflow.
 */
import {
  bitLength,
  decompose,
  fixedArctangent,
  fixedExponential,
  fixedLog2,
  fixedLogarithm,
  fixedPi,
  fixedSineCosine,
  integerCubeRoot,
  integerRoot,
  ratioSeries,
  shiftRight,
  toDouble,
  toFixedPoint,
} from './bigFixed.ts';

/** A number value·2^-bits. */
interface Fixed {
  readonly value: bigint;
  readonly bits: number;
}

/** Largest error of an evaluation, in units of the last digit; those below stay under a quarter of it. */
const SLACK = 4096n;

function roundUntilCertain(evaluate: (bits: number) => Fixed): number {
  for (let precision = 160; ; precision *= 2) {
    const { value, bits } = evaluate(precision);
    const low = toDouble(value - SLACK, bits);
    if (low === toDouble(value + SLACK, bits)) return low;
  }
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** |x| less whole quarter turns, which are counted; Payne–Hanek's method with all digits of π that x needs. */
function reduce(x: number, bits: number): { readonly quarters: number; readonly angle: bigint } {
  const extra = Math.max(0, decompose(x).exponent + 53) + 8;
  const whole = toFixedPoint(Math.abs(x), bits + extra);
  const quarter = fixedPi(bits + extra) >> 1n;
  const count = whole / quarter;
  return { quarters: Number(count & 3n), angle: (whole - count * quarter) >> BigInt(extra) };
}

export function exactSine(x: number): number {
  return (
    roundUntilCertain((bits) => {
      const { quarters, angle } = reduce(x, bits);
      const { sine, cosine } = fixedSineCosine(angle, bits);
      const value = quarters & 1 ? cosine : sine;
      return { value: quarters & 2 ? -value : value, bits };
    }) * Math.sign(x)
  );
}

export function exactCosine(x: number): number {
  return roundUntilCertain((bits) => {
    const { quarters, angle } = reduce(x, bits);
    const { sine, cosine } = fixedSineCosine(angle, bits);
    const value = quarters & 1 ? sine : cosine;
    return { value: quarters === 1 || quarters === 2 ? -value : value, bits };
  });
}

export function exactTangent(x: number): number {
  // no double is nearer than 2^-62 to a multiple of π/2: the quotient loses at most 134 digits
  const loss = 140;
  return (
    roundUntilCertain((bits) => {
      const { quarters, angle } = reduce(x, bits + loss);
      const { sine, cosine } = fixedSineCosine(angle, bits + loss);
      const shift = BigInt(bits);
      return { value: quarters & 1 ? -(cosine << shift) / sine : (sine << shift) / cosine, bits };
    }) * Math.sign(x)
  );
}

/** base·π/2 + sign·atan(y/x), for 0 ≤ y ≤ x given as integers. */
function arctangent(y: bigint, x: bigint, bits: number): bigint {
  return fixedArctangent((y << BigInt(bits)) / x, bits);
}

export function exactArctangent2(y: number, x: number): number {
  const a = decompose(Math.abs(y));
  const b = decompose(Math.abs(x));
  const least = Math.min(a.exponent, b.exponent);
  const up = a.mantissa << BigInt(a.exponent - least);
  const along = b.mantissa << BigInt(b.exponent - least);
  const isSteep = up > along;
  // a small quotient needs digits further down
  const small = Math.max(0, bitLength(along) - bitLength(up));
  return (
    roundUntilCertain((precision) => {
      const bits = precision + small;
      const first = isSteep ? (fixedPi(bits) >> 1n) - arctangent(along, up, bits) : arctangent(up, along, bits);
      return { value: x < 0 ? fixedPi(bits) - first : first, bits };
    }) * Math.sign(y)
  );
}

/** Angle of the point (x, √(1 − x²)), 0 < x < 1, from the axis x. */
function arccosine(x: number, bits: number): bigint {
  const along = toFixedPoint(x, bits);
  const up = integerRoot((1n << BigInt(2 * bits)) - along * along);
  return up > along ? (fixedPi(bits) >> 1n) - arctangent(along, up, bits) : arctangent(up, along, bits);
}

export function exactArccosine(x: number): number {
  return roundUntilCertain((precision) => {
    // the root must not lose the digits of x near 1
    const bits = precision + 64;
    const value = arccosine(Math.abs(x), bits);
    return { value: (x < 0 ? fixedPi(bits) - value : value) >> 32n, bits: bits - 32 };
  });
}

export function exactArcsine(x: number): number {
  return (
    roundUntilCertain((precision) => {
      const bits = precision + 64;
      return { value: ((fixedPi(bits) >> 1n) - arccosine(Math.abs(x), bits)) >> 32n, bits: bits - 32 };
    }) * Math.sign(x)
  );
}

/** e^x as value·2^-bits with value between 1 and 2 in fixed point of `precision`; x is a fixed-point number of `inner` bits. */
function exponential(x: bigint, inner: number, precision: number): Fixed {
  const log2 = fixedLog2(inner);
  const count = x >= 0n ? x / log2 : -((-x + log2 - 1n) / log2);
  const value = fixedExponential(shiftRight(x - count * log2, inner - precision - 8), precision + 8) >> 8n;
  return { value, bits: precision - Number(count) };
}

const exponentialOf = (x: number, precision: number): Fixed =>
  exponential(toFixedPoint(x, precision + 32), precision + 32, precision);

export function exactExponential(x: number): number {
  return roundUntilCertain((precision) => exponentialOf(x, precision));
}

export function exactExponentialLess1(x: number): number {
  return roundUntilCertain((precision) => {
    const { value, bits } = exponentialOf(x, precision);
    return { value: value - shiftRight(1n, -bits), bits };
  });
}

/** e^|x| and e^−|x| in the same units. */
function bothExponentials(x: number, precision: number): { readonly up: bigint; readonly down: bigint; bits: number } {
  const { value, bits } = exponentialOf(Math.abs(x), precision);
  return { up: value, down: shiftRight((1n << BigInt(2 * precision)) / value, 2 * (precision - bits)), bits };
}

export function exactHyperbolicSine(x: number): number {
  return (
    roundUntilCertain((precision) => {
      const { up, down, bits } = bothExponentials(x, precision);
      return { value: up - down, bits: bits + 1 };
    }) * Math.sign(x)
  );
}

export function exactHyperbolicCosine(x: number): number {
  return roundUntilCertain((precision) => {
    const { up, down, bits } = bothExponentials(x, precision);
    return { value: up + down, bits: bits + 1 };
  });
}

export function exactHyperbolicTangent(x: number): number {
  return (
    roundUntilCertain((precision) => {
      const { up, down } = bothExponentials(x, precision);
      return { value: ((up - down) << BigInt(precision)) / (up + down), bits: precision };
    }) * Math.sign(x)
  );
}

/** Logarithm of value·2^-scale, above zero. */
function logarithm(value: bigint, scale: number, bits: number): bigint {
  const guard = 16;
  const inner = bits + guard;
  const length = bitLength(value);
  // between 1/16 and 1, then near 1
  let x = shiftRight(value, length - inner);
  let exponent = length - scale;
  while (4n * x < 3n << BigInt(inner)) {
    x <<= 1n;
    exponent--;
  }
  return (fixedLogarithm(x, inner) + BigInt(exponent) * fixedLog2(inner)) >> BigInt(guard);
}

function logarithmOf(x: number, bits: number): bigint {
  const { mantissa, exponent } = decompose(x);
  return logarithm(mantissa, -exponent, bits);
}

export function exactLogarithm(x: number): number {
  return roundUntilCertain((bits) => ({ value: logarithmOf(x, bits + 64), bits: bits + 64 }));
}

/** log(1 + x) */
export function exactLogarithm1(x: number): number {
  return roundUntilCertain((precision) => {
    const bits = precision + 64;
    return { value: logarithm((1n << BigInt(bits)) + toFixedPoint(x, bits), bits, bits), bits };
  });
}

export function exactLogarithm2(x: number): number {
  return roundUntilCertain((precision) => {
    const bits = precision + 64;
    return { value: (logarithmOf(x, bits) << BigInt(bits)) / fixedLog2(bits), bits };
  });
}

export function exactLogarithm10(x: number): number {
  return roundUntilCertain((precision) => {
    const bits = precision + 64;
    const log10 = 3n * fixedLog2(bits) + 2n * ratioSeries(1n, 9n, 1n, bits);
    return { value: (logarithmOf(x, bits) << BigInt(bits)) / log10, bits };
  });
}

/** x^y for finite x > 0 and y ≠ 0 whose result neither overflows nor vanishes. */
export function exactPower(x: number, y: number): number {
  const found = representablePower(x, y);
  if (found) return toDouble(found.value, found.bits);
  return roundUntilCertain((precision) => {
    const inner = precision + 160;
    const { mantissa, exponent } = decompose(y);
    const product = shiftRight(logarithmOf(x, inner) * mantissa, -exponent);
    return exponential(product, inner, precision);
  });
}

/**
 * x^y where it may have few enough digits to lie halfway between doubles: x a dyadic number, y a whole number after as many square roots of x
 * as are whole. An odd number above 1 to a power above 40 has more than 60 digits; to a negative power, infinitely many.
 */
function representablePower(x: number, y: number): Fixed | undefined {
  let { mantissa, exponent } = decompose(x);
  while ((mantissa & 1n) === 0n) {
    mantissa >>= 1n;
    exponent++;
  }
  let power = y;
  while (!Number.isInteger(power)) {
    const root = integerRoot(mantissa);
    if (root * root !== mantissa || exponent % 2 !== 0) return undefined;
    mantissa = root;
    exponent /= 2;
    power *= 2;
  }
  if (mantissa === 1n) return { value: 1n, bits: -exponent * power };
  return power > 0 && power <= 40 ? { value: mantissa ** BigInt(power), bits: -exponent * power } : undefined;
}

/** Root of the sum of squares of finite numbers that are not all zero. */
export function exactHypotenuse(sides: readonly number[]): number {
  const parts = sides.map(decompose);
  const least = Math.min(...parts.map(({ exponent }) => exponent));
  let sum = 0n;
  for (const { mantissa, exponent } of parts) sum += (mantissa * mantissa) << BigInt(2 * (exponent - least));
  const shift = Math.max(0, 132 - bitLength(sum) + (bitLength(sum) % 2)) + 2;
  const even = shift + (shift % 2);
  const root = integerRoot(sum << BigInt(even));
  const sticky = root * root === sum << BigInt(even) ? 0n : 1n;
  return toDouble(2n * root + sticky, even / 2 - least + 1);
}

export function exactCubeRoot(x: number): number {
  const { mantissa, exponent } = decompose(x);
  // enough digits, and an exponent that three divides
  const shift = 210 + (((exponent % 3) + 3) % 3);
  const size = abs(mantissa) << BigInt(shift);
  const root = integerCubeRoot(size);
  const value = 2n * root + (root ** 3n === size ? 0n : 1n);
  return toDouble(mantissa < 0n ? -value : value, (shift - exponent) / 3 + 1);
}
