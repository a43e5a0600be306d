/**
 * An independent judge of the elementary functions: true values in big integers by other series than those of the sources, and an exact
 * comparison with the numbers halfway to a result's neighbours. Slow and simple.
 */

/** Fraction digits; arguments and results near 2^±1074 get more. */
const BITS = 320;

const view = new DataView(new ArrayBuffer(8));

/** A finite double times 2^1075: an even integer. */
function unitsOf(x: number): bigint {
  view.setFloat64(0, x);
  const high = view.getUint32(0);
  const biased = (high >>> 20) & 0x7ff;
  const digits = (BigInt(high & 0xfffff) << 32n) + BigInt(view.getUint32(4)) + (biased > 0 ? 1n << 52n : 0n);
  const size = digits << BigInt(Math.max(1, biased));
  return high >>> 31 ? -size : size;
}

function neighbour(x: number, away: 1n | -1n): number {
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + away);
  return view.getFloat64(0);
}

/** A number value·2^-bits. */
export interface Value {
  readonly value: bigint;
  readonly bits: number;
}

/** Whether `result` is the double nearest to a value; both signs, subnormal results and overflow included. */
export function isNearest(result: number, { value, bits }: Value): boolean {
  const sign = value < 0n ? -1n : 1n;
  const size = sign * value;
  if (Object.is(result, -0) ? value > 0n : result !== 0 && result < 0 !== value < 0n) return false;
  const found = Math.abs(result);
  const top = found === Number.POSITIVE_INFINITY ? undefined : unitsOf(found);
  // halfway to the next larger and smaller double; the largest double is followed by 2^1024
  const above = found < Number.MAX_VALUE ? unitsOf(neighbour(found, 1n)) : 1n << (1024n + 1075n);
  const below = found === 0 ? 0n : unitsOf(top === undefined ? Number.MAX_VALUE : neighbour(found, -1n));
  const compare = (sum: bigint): bigint => (size << 1076n) - (sum << BigInt(bits));
  const low = found === 0 ? 1n : compare((top ?? 1n << (1024n + 1075n)) + below);
  const high = top === undefined ? -1n : compare(top + above);
  return low >= 0n && high <= 0n;
}

const fixed = (x: number, bits: number): bigint => {
  const units = unitsOf(x);
  return bits >= 1075 ? units << BigInt(bits - 1075) : units >> BigInt(1075 - bits);
};

/** atan(p/q) by Euler's series: Σ 2^2n (n!)²/(2n + 1)!·t^(2n+1)/(1 + t²)^(n+1). */
function atanRatio(p: bigint, q: bigint, bits: number): bigint {
  const whole = p * p + q * q;
  let term = ((p * q) << BigInt(bits)) / whole;
  let sum = 0n;
  for (let n = 1n; term !== 0n; n++) {
    sum += term;
    term = (term * 2n * n * p * p) / ((2n * n + 1n) * whole);
  }
  return sum;
}

const known = new Map<number, bigint>();
/** π by Störmer's formula. */
function pi(bits: number): bigint {
  let value = known.get(bits);
  if (value === undefined) {
    const inner = bits + 40;
    value = (4n * (6n * atanRatio(1n, 8n, inner) + 2n * atanRatio(1n, 57n, inner) + atanRatio(1n, 239n, inner))) >> 40n;
    known.set(bits, value);
  }
  return value;
}

/** e^x as value·2^-bits for any x in fixed point: squarings of the series of a small part. */
function expFixed(x: bigint, bits: number): Value {
  const halvings = Math.max(0, (x < 0n ? -x : x).toString(2).length - bits + 12);
  // relative error doubles with every squaring
  const inner = bits + halvings + 40;
  const part = x << BigInt(inner - bits - halvings);
  const one = 1n << BigInt(inner);
  let sum = one;
  let term = one;
  for (let k = 1n; ; k++) {
    term = (term * part) / (one * k);
    if (term === 0n) break;
    sum += term;
  }
  let scale = inner;
  for (let k = 0; k < halvings; k++) {
    sum *= sum;
    scale *= 2;
    const excess = sum.toString(2).length - inner;
    if (excess > 0) {
      sum >>= BigInt(excess);
      scale -= excess;
    }
  }
  return { value: sum, bits: scale };
}

/** log x, x > 0, by Newton's method on the exponential, from a guess. */
function logFixed(x: Value, guess: number, bits: number): bigint {
  let y = fixed(guess, bits);
  for (let k = 0; k < 5; k++) {
    // y + 2 (x − e^y)/(x + e^y): thrice the digits
    const e = expFixed(y, bits);
    const common = Math.max(e.bits, x.bits);
    const [a, b] = [x.value << BigInt(common - x.bits), e.value << BigInt(common - e.bits)];
    y += ((a - b) << BigInt(bits + 1)) / (a + b);
  }
  return y;
}

const exact = (x: number): Value => ({ value: unitsOf(x), bits: 1075 });
const ratio = (a: Value, b: Value, bits: number): Value => ({
  value: (a.value << BigInt(bits + b.bits)) / (b.value << BigInt(a.bits)),
  bits,
});
const sum = (a: Value, b: Value): Value => {
  const bits = Math.max(a.bits, b.bits);
  return { value: (a.value << BigInt(bits - a.bits)) + (b.value << BigInt(bits - b.bits)), bits };
};
const negative = ({ value, bits }: Value): Value => ({ value: -value, bits });

/** Sine and cosine: the argument less whole turns, then their series. */
function circular(x: number): { readonly sine: Value; readonly cosine: Value } {
  const bits = BITS + 1100;
  const turn = 2n * pi(bits);
  const rest = (((fixed(x, bits) % turn) + turn) % turn) >> BigInt(1100 - 40);
  const scale = BITS + 40;
  const one = 1n << BigInt(scale);
  const parts = [0n, 0n];
  for (let k = 0, term = one; term !== 0n; k++, term = (term * rest) / (one * BigInt(k)))
    parts[k & 1] += k & 2 ? -term : term;
  return { sine: { value: parts[1], bits: scale }, cosine: { value: parts[0], bits: scale } };
}

function angle(y: Value, x: Value): Value {
  const bits = Math.max(BITS, y.bits, x.bits) + 100;
  const [a, b] = [y, x].map(({ value, bits: own }) => value << BigInt(bits - own));
  const [up, along] = [a < 0n ? -a : a, b < 0n ? -b : b];
  let result = up > along ? pi(bits) / 2n - atanRatio(along, up, bits) : atanRatio(up, along, bits);
  if (b < 0n) result = pi(bits) - result;
  return { value: a < 0n ? -result : result, bits };
}

function root(n: bigint): bigint {
  let low = 0n;
  let x = 1n << BigInt(Math.ceil(n.toString(2).length / 2));
  while (x !== low) {
    low = x;
    const next = (x + n / x) / 2n;
    if (next < x) x = next;
  }
  return x;
}

/** √(1 − x²) */
function cofactor(x: number): Value {
  const one = 1n << 1075n;
  const shift = 400n;
  return { value: root((one * one - unitsOf(x) ** 2n) << (2n * shift)), bits: 1075 + 400 };
}

const expOf = (x: number): Value => expFixed(fixed(x, 1100), 1100);
const logOf = (x: Value, guess: number): Value => ({ value: logFixed(x, guess, BITS + 60), bits: BITS + 60 });
const ln = (x: number): Value => logOf(exact(x), Math.log(x));

function powerOf(x: number, y: number): Value {
  const bits = 700;
  const log = logFixed(exact(x), Math.log(x), bits);
  return expFixed((log * unitsOf(y)) >> 1075n, bits);
}

function cubeRoot(x: number): Value {
  const size = unitsOf(Math.abs(x)) << (600n + 2n * 1075n);
  let guess = 1n << BigInt(Math.ceil(size.toString(2).length / 3));
  for (;;) {
    const next = (2n * guess + size / (guess * guess)) / 3n;
    if (next >= guess) break;
    guess = next;
  }
  return { value: x < 0 ? -guess : guess, bits: 1075 + 200 };
}

/** True values of the functions, by name. */
export const truth: Readonly<Record<string, (x: number, y: number) => Value>> = {
  sin: (x) => circular(x).sine,
  cos: (x) => circular(x).cosine,
  tan: (x) => ratio(circular(x).sine, circular(x).cosine, BITS),
  asin: (x) => angle(exact(x), cofactor(x)),
  acos: (x) => angle(cofactor(x), exact(x)),
  atan: (x) => angle(exact(x), exact(1)),
  atan2: (y, x) => angle(exact(y), exact(x)),
  exp: expOf,
  expm1: (x) => sum(expOf(x), exact(-1)),
  sinh: (x) => {
    const { value, bits } = sum(expOf(x), negative(expOf(-x)));
    return { value, bits: bits + 1 };
  },
  cosh: (x) => {
    const { value, bits } = sum(expOf(x), expOf(-x));
    return { value, bits: bits + 1 };
  },
  tanh: (x) => ratio(sum(expOf(x), negative(expOf(-x))), sum(expOf(x), expOf(-x)), BITS + 1100),
  log: ln,
  log1p: (x) => logOf(sum(exact(1), exact(x)), Math.log1p(x)),
  log2: (x) => ratio(ln(x), ln(2), BITS),
  log10: (x) => ratio(ln(x), ln(10), BITS),
  pow: powerOf,
  cbrt: cubeRoot,
  hypot: (x, y) => ({ value: root((unitsOf(x) ** 2n + unitsOf(y) ** 2n) << 400n), bits: 1075 + 200 }),
};
