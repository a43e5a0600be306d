/** USD's compression: pieces of LZ4, and integers as differences in one, two or four bytes on top of it. */
import { viewOf } from '../bytes.ts';

/** Thrown where the data does not follow the format. */
export class CompressionError extends Error {}

/** Uncompressed bytes per piece, but for the last. */
const pieceSize = 0x7e000000;

/** Decompresses to at most `size` bytes: one piece after a zero, or a count, the sizes of the pieces, and the pieces. */
export function decompress(bytes: Uint8Array, size: number): Uint8Array {
  // LZ4 makes at most 255 bytes of one
  const out = new Uint8Array(Math.min(size, 255 * bytes.length + 64));
  if (bytes.length === 0) throw new CompressionError('compressed data is empty');
  const pieces = bytes[0];
  if (pieces === 0) return out.subarray(0, decompressPiece(out, 0, bytes.subarray(1)));
  let [from, to] = [1 + 4 * pieces, 0];
  if (from > bytes.length) throw new CompressionError('compressed data is truncated');
  const view = viewOf(bytes);
  for (let k = 0; k < pieces; k++) {
    const length = view.getInt32(1 + 4 * k, true);
    if (length < 0 || from + length > bytes.length) throw new CompressionError('compressed data is truncated');
    to = decompressPiece(
      out.subarray(0, Math.min(out.length, to + pieceSize)),
      to,
      bytes.subarray(from, from + length),
    );
    from += length;
  }
  return out.subarray(0, to);
}

/** Decompresses one block of LZ4 to `out` from `to` on; returns the end. */
function decompressPiece(out: Uint8Array, start: number, bytes: Uint8Array): number {
  let [from, to] = [0, start];
  /** Adds the bytes that continue a length of 15. */
  const lengthFrom = (nibble: number): number => {
    let length = nibble;
    if (nibble < 15) return length;
    for (let more = 255; more === 255; length += more) {
      if (from >= bytes.length) throw new CompressionError('compressed data is truncated');
      more = bytes[from++];
    }
    return length;
  };
  while (from < bytes.length) {
    const head = bytes[from++];
    const literals = lengthFrom(head >> 4);
    if (from + literals > bytes.length || to + literals > out.length)
      throw new CompressionError('compressed data is damaged: its text is longer than announced');
    out.set(bytes.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    // the last sequence has no match
    if (from >= bytes.length) break;
    if (from + 2 > bytes.length) throw new CompressionError('compressed data is truncated');
    const back = bytes[from] | (bytes[from + 1] << 8);
    from += 2;
    const length = 4 + lengthFrom(head & 15);
    if (back === 0 || back > to - start || to + length > out.length)
      throw new CompressionError('compressed data is damaged: it repeats bytes that are not there');
    // a match may overlap what it writes
    for (let k = 0; k < length; k++, to++) out[to] = out[to - back];
  }
  return to;
}

/** Decodes `count` integers of 32 bits: differences to the previous one, of which the commonest takes no byte. */
export function decompressIntegers(bytes: Uint8Array, count: number): Int32Array {
  const codeBytes = Math.ceil(count / 4);
  const data = decompress(bytes, 4 + codeBytes + 4 * count);
  if (count === 0) return new Int32Array(0);
  if (data.length < 4 + codeBytes) throw new CompressionError(`compressed data holds fewer than ${count} integers`);
  const view = viewOf(data);
  const common = view.getInt32(0, true);
  const out = new Int32Array(count);
  let at = 4 + codeBytes;
  let value = 0;
  for (let k = 0; k < count; k++) {
    const code = (data[4 + (k >> 2)] >> (2 * (k & 3))) & 3;
    const size = code === 0 ? 0 : 1 << (code - 1);
    if (at + size > data.length) throw new CompressionError(`compressed data holds fewer than ${count} integers`);
    value +=
      code === 0
        ? common
        : code === 1
          ? view.getInt8(at)
          : code === 2
            ? view.getInt16(at, true)
            : view.getInt32(at, true);
    out[k] = value;
    // the sum wraps as in 32 bits
    value = out[k];
    at += size;
  }
  return out;
}
