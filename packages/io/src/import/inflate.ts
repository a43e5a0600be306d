/** Inflate (RFC 1951) within a zlib stream (RFC 1950): for pictures, in browsers and Node alike, without waiting. */

/** Thrown where the data does not follow the format. */
export class InflateError extends Error {}

/** Symbols of a prefix code, by length of their codes. */
interface Code {
  /** How many codes have each length. */
  readonly count: Uint16Array;
  /** Symbols in the order of their codes. */
  readonly symbol: Uint16Array;
}

interface Bits {
  take(count: number): number;
  /** Drops the rest of a byte. */
  align(): void;
}

const longestCode = 15;
/** Base and extra bits of lengths from symbol 257 on, and of distances. */
const lengthBase = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBase = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const distanceBits = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
/** Order in which lengths of the code of code lengths are stored. */
const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Decompresses a zlib stream to exactly `size` bytes; throws InflateError. */
export function inflate(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length < 2 || (bytes[0] & 15) !== 8 || (256 * bytes[0] + bytes[1]) % 31 !== 0)
    throw new InflateError('its data is not compressed as zlib does');
  const bits = readBits(bytes.subarray(2));
  const out = new Uint8Array(size);
  let at = 0;
  for (let last = 0; last === 0; ) {
    last = bits.take(1);
    const kind = bits.take(2);
    if (kind === 0) at = copyStored(bits, out, at);
    else if (kind === 1) at = decode(bits, fixedLengths, fixedDistances, out, at);
    else if (kind === 2) at = decode(bits, ...readCodes(bits), out, at);
    else throw new InflateError('its data has a block of an unknown kind');
  }
  if (at !== size) throw new InflateError(`its data has ${at} bytes, expected ${size}`);
  bits.align();
  const sum = [24, 16, 8, 0].reduce((value, shift) => value + bits.take(8) * 2 ** shift, 0);
  if (sum !== adler32(out)) throw new InflateError('its data does not match its checksum');
  return out;
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b * 65536 + a;
}

function readBits(bytes: Uint8Array): Bits {
  let [at, held, count] = [0, 0, 0];
  return {
    take(wanted) {
      while (count < wanted) {
        if (at >= bytes.length) throw new InflateError('its data is truncated');
        held |= bytes[at++] << count;
        count += 8;
      }
      const value = held & ((1 << wanted) - 1);
      held >>>= wanted;
      count -= wanted;
      return value;
    },
    align() {
      held >>>= count % 8;
      count -= count % 8;
    },
  };
}

function makeCode(lengths: ArrayLike<number>): Code {
  const count = new Uint16Array(longestCode + 1);
  for (let k = 0; k < lengths.length; k++) count[lengths[k]]++;
  count[0] = 0;
  let left = 1;
  for (let length = 1; length <= longestCode; length++) {
    left = 2 * left - count[length];
    if (left < 0) throw new InflateError('its data has an impossible code');
  }
  const next = new Uint16Array(longestCode + 2);
  for (let length = 1; length <= longestCode; length++) next[length + 1] = next[length] + count[length];
  const symbol = new Uint16Array(lengths.length);
  for (let k = 0; k < lengths.length; k++) if (lengths[k] > 0) symbol[next[lengths[k]]++] = k;
  return { count, symbol };
}

const fixedLengths = makeCode(Array.from({ length: 288 }, (_, k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8)));
const fixedDistances = makeCode(new Array<number>(30).fill(5));

function readSymbol(bits: Bits, { count, symbol }: Code): number {
  let [code, first, index] = [0, 0, 0];
  for (let length = 1; length <= longestCode; length++) {
    code |= bits.take(1);
    if (code - first < count[length]) return symbol[index + code - first];
    index += count[length];
    first = 2 * (first + count[length]);
    code *= 2;
  }
  throw new InflateError('its data has an unknown code');
}

function copyStored(bits: Bits, out: Uint8Array, from: number): number {
  bits.align();
  const length = bits.take(16);
  if (bits.take(16) !== (length ^ 0xffff)) throw new InflateError('its data is damaged');
  if (from + length > out.length) throw new InflateError('it has more data than its size says');
  for (let k = 0; k < length; k++) out[from + k] = bits.take(8);
  return from + length;
}

/** The codes of lengths and distances that a block begins with. */
function readCodes(bits: Bits): [Code, Code] {
  const [lengths, distances, given] = [bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4];
  const own = new Uint8Array(19);
  for (let k = 0; k < given; k++) own[order[k]] = bits.take(3);
  const code = makeCode(own);
  const all = new Uint8Array(lengths + distances);
  for (let k = 0; k < all.length; ) {
    const symbol = readSymbol(bits, code);
    if (symbol < 16) all[k++] = symbol;
    else {
      if (symbol === 16 && k === 0) throw new InflateError('its data repeats what is not there');
      const value = symbol === 16 ? all[k - 1] : 0;
      const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
      if (k + times > all.length) throw new InflateError('its data has too many codes');
      all.fill(value, k, k + times);
      k += times;
    }
  }
  return [makeCode(all.subarray(0, lengths)), makeCode(all.subarray(lengths))];
}

function decode(bits: Bits, lengths: Code, distances: Code, out: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const symbol = readSymbol(bits, lengths);
    if (symbol === 256) return at;
    if (symbol < 256) {
      if (at >= out.length) throw new InflateError('it has more data than its size says');
      out[at++] = symbol;
      continue;
    }
    const which = symbol - 257;
    if (which >= lengthBase.length) throw new InflateError('its data has an unknown length');
    const length = lengthBase[which] + bits.take(lengthBits[which]);
    const far = readSymbol(bits, distances);
    if (far >= distanceBase.length) throw new InflateError('its data has an unknown distance');
    const distance = distanceBase[far] + bits.take(distanceBits[far]);
    if (distance > at) throw new InflateError('its data refers to before its start');
    if (at + length > out.length) throw new InflateError('it has more data than its size says');
    for (let k = 0; k < length; k++, at++) out[at] = out[at - distance];
  }
}
