/**
 * Fixed-point arithmetic on big integers: a number is `value`·2^-bits. Slow, of any precision, made of additions, products,
 * integer divisions and shifts alone, so every engine computes the same.
 *
 * `exact.ts` decides with it what the fast functions leave open; `tables.ts` makes the tables with it.
 */

const buffer = new DataView(new ArrayBuffer(8));

/** A finite double as an integer times a power of two: x = mantissa·2^exponent. */
export function decompose(x: number): { readonly mantissa: bigint; readonly exponent: number } {
  buffer.setFloat64(0, x);
  const raw = buffer.getBigUint64(0);
  const biased = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  const size = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return { mantissa: raw >> 63n ? -size : size, exponent: Math.max(1, biased) - 1075 };
}

/** 2^exponent for −1022 ≤ exponent ≤ 1023. */
export function powerOfTwo(exponent: number): number {
  buffer.setUint32(0, (exponent + 1023) << 20);
  buffer.setUint32(4, 0);
  return buffer.getFloat64(0);
}

export function bitLength(value: bigint): number {
  return (value < 0n ? -value : value).toString(16).length * 4;
}

/** value·2^-by; digits below the last are dropped. */
export function shiftRight(value: bigint, by: number): bigint {
  return by >= 0 ? value >> BigInt(by) : value << BigInt(-by);
}

/** x in fixed point; exact if `bits` reaches the last digit of x. */
export function toFixedPoint(x: number, bits: number): bigint {
  const { mantissa, exponent } = decompose(x);
  return shiftRight(mantissa, -exponent - bits);
}

/** The double nearest to value·2^-bits, ties to even, subnormal numbers and infinity included. */
export function toDouble(value: bigint, bits: number): number {
  const size = value < 0n ? -value : value;
  if (size === 0n) return 0;
  // 64 leading digits, or those above half of the least subnormal; what is cut off is kept as one sticky digit
  const cut = Math.max(0, bitLength(size) - 66, bits - 1076);
  const kept = size >> BigInt(cut);
  const sticky = kept << BigInt(cut) === size ? kept : kept | 1n;
  const exponent = cut - bits;
  const isSubnormal = exponent === -1076 && sticky < 1n << 54n;
  const result = isSubnormal ? roundQuarter(sticky) : scale(Number(sticky), exponent);
  return value < 0n ? -result : result;
}

/** quarters·2^-1076, rounded to a multiple of 2^-1074. */
function roundQuarter(quarters: bigint): number {
  const whole = quarters >> 2n;
  const rest = quarters & 3n;
  const up = rest === 3n || (rest === 2n && (whole & 1n) === 1n);
  return Number(up ? whole + 1n : whole) * Number.MIN_VALUE;
}

/** x·2^exponent where no digit is lost: the result is normal or overflows. */
function scale(x: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return x * powerOfTwo(half) * powerOfTwo(exponent - half);
}

/** Largest integer whose square is at most n (Newton's method from above). */
export function integerRoot(n: bigint): bigint {
  if (n < 2n) return n;
  let x = 1n << BigInt((bitLength(n) >> 1) + 1);
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

/** Largest integer whose cube is at most n (Newton's method from above). */
export function integerCubeRoot(n: bigint): bigint {
  if (n === 0n) return 0n;
  let x = 1n << BigInt(Math.floor(bitLength(n) / 3) + 1);
  for (;;) {
    const next = (2n * x + n / (x * x)) / 3n;
    if (next >= x) return x;
    x = next;
  }
}

/** Σ ±t^(2k+1)/(2k+1) for t = p/q: the arc tangent with `sign` −1, the inverse hyperbolic tangent with +1. */
export function ratioSeries(p: bigint, q: bigint, sign: 1n | -1n, bits: number): bigint {
  let power = (p << BigInt(bits)) / q;
  let sum = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power = (sign * power * p * p) / (q * q);
    sum += power / k;
  }
  return sum;
}

const constant = (compute: (bits: number) => bigint): ((bits: number) => bigint) => {
  let known = 0n;
  let knownBits = 0;
  return (bits) => {
    if (bits > knownBits) {
      knownBits = bits;
      known = compute(bits + 32) >> 32n;
    }
    return known >> BigInt(knownBits - bits);
  };
};

/** π by Machin's formula. */
export const fixedPi: (bits: number) => bigint = constant(
  (bits) => 16n * ratioSeries(1n, 5n, -1n, bits) - 4n * ratioSeries(1n, 239n, -1n, bits),
);

/** log 2 = 2 artanh(1/3) */
export const fixedLog2: (bits: number) => bigint = constant((bits) => 2n * ratioSeries(1n, 3n, 1n, bits));

/** Sine and cosine of 0 ≤ x < 2, by their series. */
export function fixedSineCosine(x: bigint, bits: number): { readonly sine: bigint; readonly cosine: bigint } {
  const shift = BigInt(bits);
  let term = 1n << shift;
  const sums = [term, 0n];
  for (let k = 1; term !== 0n; k++) {
    term = ((term * x) >> shift) / BigInt(k);
    sums[k & 1] += k & 2 ? -term : term;
  }
  return { sine: sums[1], cosine: sums[0] };
}

/** Exponential of |x| < 1: the series of x/2^8, squared eight times. */
export function fixedExponential(x: bigint, bits: number): bigint {
  const shift = BigInt(bits + 16);
  const reduced = x << 8n;
  let term = 1n << shift;
  let sum = term;
  for (let k = 1n; term !== 0n && term !== -1n; k++) {
    term = ((term * reduced) >> shift) / k;
    sum += term;
  }
  for (let k = 0; k < 8; k++) sum = (sum * sum) >> shift;
  return sum >> 16n;
}

/** Logarithm of x near 1, as 2 artanh((x − 1)/(x + 1)). */
export function fixedLogarithm(x: bigint, bits: number): bigint {
  const shift = BigInt(bits);
  const one = 1n << shift;
  const t = ((x - one) << shift) / (x + one);
  const square = (t * t) >> shift;
  let power = t;
  let sum = t;
  for (let k = 3n; power !== 0n && power !== -1n; k += 2n) {
    power = (power * square) >> shift;
    sum += power / k;
  }
  return 2n * sum;
}

/** Arc tangent of 0 ≤ t ≤ 1: the angle is halved three times before the series. */
export function fixedArctangent(t: bigint, bits: number): bigint {
  const shift = BigInt(bits);
  const one = 1n << shift;
  let u = t;
  for (let k = 0; k < 3; k++) u = (u << shift) / (one + integerRoot((one << shift) + u * u));
  const square = (u * u) >> shift;
  let power = u;
  let sum = u;
  for (let k = 3n; power !== 0n && power !== -1n; k += 2n) {
    power = -((power * square) >> shift);
    sum += power / k;
  }
  return 8n * sum;
}
