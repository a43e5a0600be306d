/**
 * Writes PNG and animated PNG. Browsers and code hosts play the latter as an image, so films need no ffmpeg.
 *
 * The first frame is complete. Each later frame contains the changed pixels, in the smallest rectangle around them; the other pixels are transparent and
 * take almost no space. Layout: https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
import { deflateSync } from 'node:zlib';
import { crc32 } from '@tendril-sim/io';

/** Pixels in rows from the top, four bytes each: red, green, blue, alpha. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

interface Patch {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** An animation of pictures of equal size that plays for ever, `fps` pictures per second. */
export function encodeApng(frames: Iterable<Bitmap>, fps: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let before: Bitmap | undefined;
  let size = { width: 0, height: 0 };
  let sequence = 0;
  let count = 0;
  for (const picture of frames) {
    const frame = { ...picture, pixels: rounded(picture.pixels) };
    if (!before) size = frame;
    const patch = before ? changes(before, frame) : { x: 0, y: 0, ...frame };
    chunks.push(chunk('fcTL', frameControl(sequence++, patch, fps, before !== undefined)));
    const data = deflateSync(filtered(patch), { level: 9 });
    chunks.push(before ? chunk('fdAT', concat([words(sequence++), data])) : chunk('IDAT', data));
    before = frame;
    count++;
  }
  if (count === 0) throw new RangeError('an animation needs a frame');
  const header = concat([words(size.width, size.height), Uint8Array.of(8, 6, 0, 0, 0)]);
  return concat([
    signature,
    chunk('IHDR', header),
    chunk('acTL', words(count, 0)),
    ...chunks,
    chunk('IEND', new Uint8Array()),
  ]);
}

/** One picture as PNG, all colours kept; opaque. */
export function encodePng({ width, height, pixels }: Bitmap): Uint8Array {
  const stride = 3 * width;
  const rows = new Uint8Array((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    // filter 1: differences from the pixel to the left
    rows[y * (stride + 1)] = 1;
    for (let k = 0; k < stride; k++) {
      const at = 4 * (y * width + Math.floor(k / 3)) + (k % 3);
      rows[y * (stride + 1) + 1 + k] = pixels[at] - (k < 3 ? 0 : pixels[at - 4]);
    }
  }
  const header = concat([words(width, height), Uint8Array.of(8, 2, 0, 0, 0)]);
  return concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ]);
}

/** Reduces colours to five bits per channel: the difference is hardly visible, and files are half as large. White stays white. */
function rounded(pixels: Uint8Array): Uint8Array {
  return pixels.map((value) => Math.round(Math.round((value * 31) / 255) * (255 / 31)));
}

/** What differs from the picture before; one pixel if nothing does. */
function changes(before: Bitmap, now: Bitmap): Patch {
  const { width, height } = now;
  const a = new Uint32Array(before.pixels.slice().buffer);
  const b = new Uint32Array(now.pixels.slice().buffer);
  let [left, top, right, bottom] = [width - 1, height - 1, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (a[y * width + x] === b[y * width + x]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  if (right < left || bottom < top) return { x: 0, y: 0, width: 1, height: 1, pixels: now.pixels.slice(0, 4) };
  const patch = new Uint32Array((right - left + 1) * (bottom - top + 1));
  for (let y = top, k = 0; y <= bottom; y++) {
    for (let x = left; x <= right; x++, k++) patch[k] = a[y * width + x] === b[y * width + x] ? 0 : b[y * width + x];
  }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1, pixels: new Uint8Array(patch.buffer) };
}

/** Rows as differences from the row above (filter 2), which suits smooth pictures with large flat parts. */
function filtered({ width, height, pixels }: Patch): Uint8Array {
  const stride = 4 * width;
  const out = new Uint8Array((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    out[y * (stride + 1)] = 2;
    for (let k = 0; k < stride; k++) {
      const above = y === 0 ? 0 : pixels[(y - 1) * stride + k];
      out[y * (stride + 1) + 1 + k] = pixels[y * stride + k] - above;
    }
  }
  return out;
}

function frameControl(sequence: number, { x, y, width, height }: Patch, fps: number, over: boolean): Uint8Array {
  const bytes = new Uint8Array(26);
  bytes.set(words(sequence, width, height, x, y));
  const view = new DataView(bytes.buffer);
  view.setUint16(20, 100);
  view.setUint16(22, Math.round(100 * fps));
  // leave the picture as it is, and draw the next one over it
  bytes[25] = over ? 1 : 0;
  return bytes;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = concat([new TextEncoder().encode(name), data]);
  return concat([words(data.length), body, words(crc32(body))]);
}

/** Unsigned integers of four bytes, big endian. */
function words(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, k) => {
    view.setUint32(4 * k, value);
  });
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
