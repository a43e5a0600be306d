/**
 * Cem Yuksel's .hair: strands with points in single precision. Layout, little endian, by its public description:
 *
 *   0   4  the letters HAIR
 *   4   4  u32 number of strands
 *   8   4  u32 number of points
 *  12   4  u32 which arrays follow: 1 segments, 2 points, 4 thickness, 8 transparency, 16 colours
 *  16   4  u32 segments of a strand, if there is no such array
 *  20   4  f32 thickness, if there is no such array
 *  24  16  f32 transparency, three f32 of colour
 *  40  88  text
 * 128      u16 segments per strand; per point: 3 f32 position; f32 thickness; f32 transparency; 3 f32 colour
 *
 * The file specifies neither unit nor axes. Thickness is read as a diameter.
 */
import { viewOf } from '../bytes.ts';
import { binaryError } from '../container.ts';
import type { Curves } from './curves.ts';
import { pointLimit } from './curves.ts';

const headSize = 128;

export function readHair(bytes: Uint8Array, source: string): Curves {
  if (bytes.length < headSize)
    throw binaryError(
      source,
      bytes.length,
      `a .hair file begins with ${headSize} bytes of header, and this one ends before`,
    );
  const view = viewOf(bytes);
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== 'HAIR')
    throw binaryError(source, 0, 'this is not a .hair file: it does not begin with the letters HAIR');
  const [strands, points, arrays, usual] = [4, 8, 12, 16].map((at) => view.getUint32(at, true));
  const has = (bit: number): boolean => (arrays & bit) !== 0;
  if (!has(2)) throw binaryError(source, 12, 'the file holds no points');
  if (points > pointLimit)
    throw binaryError(source, 8, `the file claims ${points} points; ${pointLimit} are read at most`);
  const sizes = [has(1) ? 2 * strands : 0, 12 * points, has(4) ? 4 * points : 0];
  const expected = headSize + sizes[0] + sizes[1] + sizes[2];
  if (bytes.length < expected)
    throw binaryError(
      source,
      bytes.length,
      `the file is truncated: ${strands} strands with ${points} points need ${expected} bytes, and it has ${bytes.length}`,
    );
  const counts = new Uint32Array(strands);
  let sum = 0;
  for (let k = 0; k < strands; k++) {
    counts[k] = (has(1) ? view.getUint16(headSize + 2 * k, true) : usual) + 1;
    sum += counts[k];
    if (sum > points)
      throw binaryError(
        source,
        has(1) ? headSize + 2 * k : 16,
        `strand ${k} goes beyond the ${points} points that the file has`,
      );
  }
  if (sum !== points) throw binaryError(source, 8, `the strands have ${sum} points and the file has ${points}`);
  const position = new Float64Array(3 * points);
  const at = headSize + sizes[0];
  for (let i = 0; i < 3 * points; i++) {
    position[i] = view.getFloat32(at + 4 * i, true);
    if (!Number.isFinite(position[i]))
      throw binaryError(source, at + 4 * i, `coordinate ${i % 3} of point ${Math.floor(i / 3)} is not a number`);
  }
  const thickness = view.getFloat32(20, true);
  const radius = new Float64Array(points);
  for (let i = 0; i < points; i++)
    radius[i] = 0.5 * (has(4) ? view.getFloat32(at + sizes[1] + 4 * i, true) : thickness);
  const known = radius.every((value) => value > 0 && Number.isFinite(value));
  return { position, counts, closed: new Uint8Array(strands), ...(known && { radius }), unit: 1, warnings: [] };
}

/** Curves as a .hair file; closed curves are opened, because the format has only open ones. */
export function encodeHair({ position, counts, radius }: Pick<Curves, 'position' | 'counts' | 'radius'>): Uint8Array {
  const strands = counts.length;
  const points = position.length / 3;
  const long = counts.findIndex((count) => count > 65536);
  if (long >= 0)
    throw new RangeError(`curve ${long} has ${counts[long]} points, and a .hair file holds 65536 a strand`);
  const out = new Uint8Array(headSize + 2 * strands + 12 * points + (radius ? 4 * points : 0));
  const view = viewOf(out);
  out.set([0x48, 0x41, 0x49, 0x52]);
  view.setUint32(4, strands, true);
  view.setUint32(8, points, true);
  view.setUint32(12, 1 | 2 | (radius ? 4 : 0), true);
  view.setFloat32(20, radius ? 2 * radius[0] : 0, true);
  for (let k = 0; k < 3; k++) view.setFloat32(28 + 4 * k, 0.3, true);
  out.set(new TextEncoder().encode('Tendril'), 40);
  for (let k = 0; k < strands; k++) view.setUint16(headSize + 2 * k, counts[k] - 1, true);
  const at = headSize + 2 * strands;
  for (let i = 0; i < 3 * points; i++) view.setFloat32(at + 4 * i, position[i], true);
  if (radius) for (let i = 0; i < points; i++) view.setFloat32(at + 12 * points + 4 * i, 2 * radius[i], true);
  return out;
}
