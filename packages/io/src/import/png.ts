/**
 * PNG pictures as textures: grey, colour and palette, 1 to 16 bits per channel. Transparency is ignored, and so are colour spaces: a texture that steers hair is
 * data. Interlaced pictures are rejected.
 */
import type { Texture } from '@tendril-sim/core';
import { InputError } from '../errors.ts';
import { InflateError, inflate } from './inflate.ts';

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Pixels at most. */
const pixelLimit = 2 ** 26;
/** Channels by colour type. */
const channelsOf = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

interface PngHead {
  readonly width: number;
  readonly height: number;
  /** Bits per channel. */
  readonly depth: number;
  readonly type: number;
  readonly channels: number;
}

/** Reads a PNG picture from bytes; throws `InputError`. */
export function readTexture(bytes: Uint8Array, source: string): Texture {
  if (!signature.every((byte, k) => bytes[k] === byte))
    throw new InputError(source, `this is ${kindOf(bytes)}; a texture must be a PNG picture: save it as PNG`);
  const { head, palette, data } = readChunks(bytes, source);
  const { width, height, depth, channels } = head;
  const stride = Math.ceil((width * channels * depth) / 8);
  let rows: Uint8Array;
  try {
    rows = inflate(data, (stride + 1) * height);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw new InputError(source, `the picture is damaged: ${error.message}; save it again`);
  }
  unfilter(rows, head, stride, source);
  return { width, height, color: colorsOf(rows, head, stride, { palette, source }) };
}

/** What a file is that is no PNG picture. */
function kindOf(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes.subarray(0, 12));
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'a JPEG picture';
  if (text.startsWith('GIF8')) return 'a GIF picture';
  if (text.startsWith('BM')) return 'a BMP picture';
  if (text.startsWith('RIFF') && text.endsWith('WEBP')) return 'a WebP picture';
  if (text.startsWith('II*') || text.startsWith('MM')) return 'a TIFF picture';
  if (text.startsWith('v/1\x01')) return 'an OpenEXR picture';
  return bytes.length === 0 ? 'an empty file' : 'no picture';
}

interface Chunks {
  readonly head: PngHead;
  readonly palette: Uint8Array;
  readonly data: Uint8Array;
}

function readChunks(bytes: Uint8Array, source: string): Chunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let head: PngHead | undefined;
  let palette: Uint8Array = new Uint8Array(0);
  const data: Uint8Array[] = [];
  for (let at = signature.length; ; ) {
    const start = at + 8;
    const length = start <= bytes.length ? view.getUint32(at) : 0;
    if (start + length + 4 > bytes.length)
      throw new InputError(source, 'the picture is truncated; copy or save it again');
    const type = String.fromCharCode(...bytes.subarray(at + 4, start));
    const content = bytes.subarray(start, start + length);
    if (type === 'IHDR') head = readHead(content, source);
    else if (type === 'PLTE') palette = content;
    else if (type === 'IDAT') data.push(content);
    else if (type === 'IEND') break;
    at = start + length + 4;
  }
  if (!head) throw new InputError(source, 'the picture has no header; save it again');
  const whole = new Uint8Array(data.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of data) {
    whole.set(part, offset);
    offset += part.length;
  }
  return { head, palette, data: whole };
}

function readHead(content: Uint8Array, source: string): PngHead {
  if (content.length < 13) throw new InputError(source, 'the header of the picture is too short; save it again');
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth, type] = [content[8], content[9]];
  const channels = channelsOf.get(type);
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth))
    throw new InputError(source, `the picture has the unknown colour type ${type} with ${depth} bits; save it again`);
  if (content[12] !== 0) throw new InputError(source, 'the picture is interlaced; save it without interlacing');
  if (!(width > 0 && height > 0 && width * height <= pixelLimit))
    throw new InputError(source, `the picture has ${width} × ${height} pixels; up to ${pixelLimit} are read`);
  return { width, height, depth, type, channels };
}

/** Undoes the filter of each row, in place. A row begins with the number of its filter. */
function unfilter(rows: Uint8Array, { height, depth, channels }: PngHead, stride: number, source: string): void {
  const back = Math.max(1, (depth * channels) / 8);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1) + 1;
    const filter = rows[start - 1];
    if (filter > 4)
      throw new InputError(source, `row ${y} of the picture has the unknown filter ${filter}; save it again`);
    if (filter === 0) continue;
    for (let x = 0; x < stride; x++) {
      const left = x >= back ? rows[start + x - back] : 0;
      const up = y > 0 ? rows[start + x - stride - 1] : 0;
      const corner = x >= back && y > 0 ? rows[start + x - stride - 1 - back] : 0;
      rows[start + x] += predict(filter, left, up, corner);
    }
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function colorsOf(
  rows: Uint8Array,
  { width, height, depth, type, channels }: PngHead,
  stride: number,
  { palette, source }: { readonly palette: Uint8Array; readonly source: string },
): Uint8Array {
  const color = new Uint8Array(3 * width * height);
  /** The nth value of a row as it is stored; of 16 bits the upper 8. */
  const read = (start: number, n: number): number => {
    if (depth >= 8) return rows[start + (n * depth) / 8];
    const bit = n * depth;
    return (rows[start + (bit >> 3)] >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
  };
  // few bits span the same range
  const scale = depth < 8 ? 255 / ((1 << depth) - 1) : 1;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const start = y * (stride + 1) + 1;
      const o = 3 * (width * y + x);
      const first = read(start, channels * x);
      if (type === 3 && 3 * first + 2 >= palette.length)
        throw new InputError(
          source,
          `the picture names colour ${first}, which its palette does not have; save it again`,
        );
      for (let k = 0; k < 3; k++)
        color[o + k] =
          type === 3 ? palette[3 * first + k] : scale * (channels > 2 ? read(start, channels * x + k) : first);
    }
  return color;
}
