/**
 * Tables of the fast functions, made when the module is loaded (about 10 ms) from big integers: no digits to copy, and every
 * engine makes the same. A value is stored as high + low, and for products with a short number also as `short` (24 digits, so
 * that its product with another of 24 digits has no rounding error) plus `rest`.
 */
import {
  fixedExponential,
  fixedLog2,
  fixedPi,
  fixedSineCosine,
  ratioSeries,
  toDouble,
  toFixedPoint,
} from './bigFixed.ts';

const BITS = 200;

function writePair(out: Float64Array, o: number, value: bigint): void {
  out[o] = toDouble(value, BITS);
  out[o + 1] = toDouble(value - toFixedPoint(out[o], BITS), BITS);
}

function writeSplit(out: Float64Array, o: number, value: bigint): void {
  writePair(out, o, value);
  out[o + 2] = Math.fround(out[o]);
  out[o + 3] = out[o] - out[o + 2] + out[o + 1];
}

/** Points per radian of the table of sines and cosines, which reaches π/4. */
export const ANGLES = 128;
/** At 8j: sine of j/ANGLES (high, low, short, rest), then its cosine. */
export const sineTable: Float64Array = makeSines();

function makeSines(): Float64Array {
  const count = 102;
  const table = new Float64Array(8 * count);
  const shift = BigInt(BITS);
  const turn = fixedSineCosine((1n << shift) / BigInt(ANGLES), BITS);
  let sine = 0n;
  let cosine = 1n << shift;
  for (let j = 0; j < count; j++) {
    writeSplit(table, 8 * j, sine);
    writeSplit(table, 8 * j + 4, cosine);
    const next = (sine * turn.cosine + cosine * turn.sine) >> shift;
    cosine = (cosine * turn.cosine - sine * turn.sine) >> shift;
    sine = next;
  }
  return table;
}

/** Points per octave of the table of powers. */
export const POWERS = 128;
/** At 4j: 2^(j/POWERS) as high, low, short, rest. */
export const powerTable: Float64Array = makePowers();

function makePowers(): Float64Array {
  const table = new Float64Array(4 * POWERS);
  const shift = BigInt(BITS);
  const factor = fixedExponential(fixedLog2(BITS) / BigInt(POWERS), BITS);
  let power = 1n << shift;
  for (let j = 0; j < POWERS; j++) {
    writeSplit(table, 4 * j, power);
    power = (power * factor) >> shift;
  }
  return table;
}

/** The table of logarithms has an entry for j/LOGS, from below √½ to above √2. */
export const LOGS = 128;
export const FIRST_LOG = 90;
const LAST_LOG = 182;
/** At 2(j − FIRST_LOG): −log(j/LOGS) as high, low. */
export const logTable: Float64Array = makeLogs();

function makeLogs(): Float64Array {
  const table = new Float64Array(2 * (LAST_LOG - FIRST_LOG + 1));
  // log(j + 1) − log j = 2 artanh(1/(2j + 1)), upwards and downwards from log 1 = 0
  let sum = 0n;
  for (let j = LOGS; j <= LAST_LOG; j++) {
    writePair(table, 2 * (j - FIRST_LOG), sum);
    sum -= 2n * ratioSeries(1n, BigInt(2 * j + 1), 1n, BITS);
  }
  sum = 0n;
  for (let j = LOGS - 1; j >= FIRST_LOG; j--) {
    sum += 2n * ratioSeries(1n, BigInt(2 * j + 1), 1n, BITS);
    writePair(table, 2 * (j - FIRST_LOG), sum);
  }
  return table;
}

/** The table of arc tangents has an entry for j/TANGENTS, up to 1. */
export const TANGENTS = 128;
/** At 2j: atan(j/TANGENTS) as high, low. */
export const arctangentTable: Float64Array = makeArctangents();

function makeArctangents(): Float64Array {
  const table = new Float64Array(2 * (TANGENTS + 1));
  let sum = 0n;
  for (let j = 0; j <= TANGENTS; j++) {
    writePair(table, 2 * j, sum);
    // difference of the arc tangents of (j + 1)/n and j/n
    sum += ratioSeries(BigInt(TANGENTS), BigInt(TANGENTS * TANGENTS + j * (j + 1)), -1n, BITS);
  }
  return table;
}

/** `value` as doubles of `digits` digits each, the last one of 53: their multiples by small integers have no rounding error. */
function split(value: bigint, digits: readonly number[]): Float64Array {
  const parts = new Float64Array(digits.length + 1);
  let rest = value;
  digits.forEach((count, k) => {
    const length = BigInt(rest.toString(2).length - count);
    const part = (rest >> length) << length;
    parts[k] = toDouble(part, BITS);
    rest -= part;
  });
  parts[digits.length] = toDouble(rest, BITS);
  return parts;
}

/** π/2 in parts of 33 digits, for reduction by up to 2^20 quarter turns [Cody–Waite]. */
export const halfPiParts: Float64Array = split(fixedPi(BITS) >> 1n, [33, 33, 33]);
/** log 2/POWERS, for multiples of up to 18 digits. */
export const stepLogParts: Float64Array = split(fixedLog2(BITS) / BigInt(POWERS), [35]);
/** log 2, for multiples of up to 11 digits. */
export const log2Parts: Float64Array = split(fixedLog2(BITS), [42]);

const pairOf = (value: bigint): Float64Array => {
  const out = new Float64Array(2);
  writePair(out, 0, value);
  return out;
};
/** π/2, 1/log 2 and 1/log 10 as high, low. */
export const halfPi: Float64Array = pairOf(fixedPi(BITS) >> 1n);
export const inverseLog2: Float64Array = pairOf((1n << BigInt(2 * BITS)) / fixedLog2(BITS));
export const inverseLog10: Float64Array = pairOf(
  (1n << BigInt(2 * BITS)) / (3n * fixedLog2(BITS) + 2n * ratioSeries(1n, 9n, 1n, BITS)),
);
