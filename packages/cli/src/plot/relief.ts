/**
 * Solids as an image with a depth buffer: smoothly shaded, with the depth of each visible point.
 *
 * Painting faces from far to near has three defects: where two solids intersect, the order of whole faces is wrong; one colour per face shows every
 * facet; and it does not show which part of a rod a solid hides. A depth buffer solves all three. Rods stay vector lines: `nearest` sorts their pieces.
 */
import { deflateSync } from 'node:zlib';
import { mix } from './color.ts';
import { creaseNormals, isClosed, weldCorners } from './normals.ts';

export interface Solid {
  /** On the page, 3 per corner: right and down, in pixels, and depth towards the reader, in pixels too. */
  readonly position: Float64Array;
  readonly triangle: ArrayLike<number>;
  /** A vessel: the near side is open to the eye. */
  readonly hollow?: boolean;
}

export interface Relief {
  /** Place and size on the page, whole pixels. */
  readonly box: readonly [left: number, top: number, width: number, height: number];
  /** Depth of the visible surface at a point of the page; −∞ if there is none. */
  nearest(x: number, y: number): number;
  /** Its colour. */
  tone(x: number, y: number): string | undefined;
  /** Two pixels of the image to one of the page. */
  png(): Uint8Array;
}

/** Samples per pixel of the page and direction: two pixels of the image, of two samples. */
const density = 4;
/** With four degrees of coverage and nothing at all these fill a palette of 256. */
const shades = 63;
/** Admissible deviation of the pieces of a smooth face, in pixels of the page, and maximum subdivision. */
const stray = 0.12;
const mostParts = 16;
/** Towards the light: right, down, and towards the reader. */
const light = [-0.38, -0.68, 0.627];

const palette: readonly string[] = Array.from({ length: shades }, (_, k) =>
  mix('#87929f', '#f4f6f8', k / (shades - 1)),
);

/** `clip` is the part of the page to draw in; `floor` hides everything deeper. Undefined if nothing is visible. */
export function createRelief(
  solids: readonly Solid[],
  clip: readonly [left: number, top: number, width: number, height: number],
  floor: (x: number, y: number) => number = () => -Infinity,
): Relief | undefined {
  const box = boxOf(solids, clip);
  if (!box) return undefined;
  const [left, top] = box;
  const columns = density * box[2];
  const rows = density * box[3];
  const target: Target = {
    left,
    top,
    columns,
    rows,
    depth: new Float32Array(columns * rows).fill(-Infinity),
    shade: new Uint8Array(columns * rows),
    floor,
  };
  for (const solid of solids) paintSolid(target, solid);
  const index = (x: number, y: number): number => {
    const [i, j] = [Math.floor(density * (x - left)), Math.floor(density * (y - top))];
    return i < 0 || j < 0 || i >= columns || j >= rows ? -1 : j * columns + i;
  };
  return {
    box,
    nearest(x, y) {
      const k = index(x, y);
      return k < 0 ? -Infinity : target.depth[k];
    },
    tone(x, y) {
      const k = index(x, y);
      return k < 0 || target.depth[k] === -Infinity ? undefined : palette[levelOf(target.shade[k])];
    },
    png: () => encode(target),
  };
}

const levelOf = (shade: number): number => Math.round((shade / 255) * (shades - 1));

interface Target {
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
  readonly depth: Float32Array;
  readonly shade: Uint8Array;
  floor(x: number, y: number): number;
}

/** Bounds of the drawing with a margin of one pixel, in whole pixels, inside the clip. */
function boxOf(
  solids: readonly Solid[],
  [x, y, width, height]: readonly [number, number, number, number],
): Relief['box'] | undefined {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { position } of solids) {
    for (let i = 0; i < position.length; i += 3) {
      left = Math.min(left, position[i]);
      right = Math.max(right, position[i]);
      top = Math.min(top, position[i + 1]);
      bottom = Math.max(bottom, position[i + 1]);
    }
  }
  // smooth faces bulge a little beyond their corners
  left = Math.max(Math.ceil(x), Math.floor(left) - 3);
  right = Math.min(Math.floor(x + width), Math.ceil(right) + 3);
  top = Math.max(Math.ceil(y), Math.floor(top) - 3);
  bottom = Math.min(Math.floor(y + height), Math.ceil(bottom) + 3);
  return right > left && bottom > top ? [left, top, right - left, bottom - top] : undefined;
}

/** x, y, depth and shade of the corners of a piece. */
type Corner = readonly [number, number, number, number];

function paintSolid(target: Target, { position, triangle: given, hollow = false }: Solid): void {
  const triangle = weldCorners(position, given);
  const { normal, round } = creaseNormals(position, triangle);
  const both = !isClosed(triangle);
  // y runs down the page, which turns right-handed faces round
  const outward = hollow ? 1 : -1;
  // elsewhere faces stay flat, or those on the two sides of an edge would bulge apart
  const parts = round ? partsOf(position, triangle, normal) : 1;
  for (let f = 0; f + 2 < triangle.length; f += 3) {
    const at = [0, 1, 2].map((k) => 3 * triangle[f + k]);
    const [a, b, c] = at;
    const area =
      (position[b] - position[a]) * (position[c + 1] - position[a + 1]) -
      (position[b + 1] - position[a + 1]) * (position[c] - position[a]);
    // of a smooth face that looks away a part may bulge into view: the depth buffer decides
    if (!both && !round && !(outward * area > 0)) continue;
    paintFace(target, { position, normal, at, first: 3 * f }, parts, both ? 0 : outward);
  }
}

/** Into how many parts edges are cut: as many for all faces, or cracks would open between them. */
function partsOf(position: Float64Array, triangle: ArrayLike<number>, normal: Float64Array): number {
  let most = 0;
  for (let k = 0; k < triangle.length; k++) {
    const [p, q] = [3 * triangle[k], 3 * triangle[k % 3 === 2 ? k - 2 : k + 1]];
    let above = 0;
    for (let d = 0; d < 3; d++) above += (position[q + d] - position[p + d]) * normal[3 * k + d];
    most = Math.max(most, Math.abs(above));
  }
  // an arc is a quarter of that above the middle of its chord
  return Math.min(mostParts, Math.max(1, Math.ceil(Math.sqrt(most / (4 * stray)))));
}

/** A triangle: its corners in `position`, and their normals, from `first` on in `normal`. */
interface Face {
  readonly position: Float64Array;
  readonly normal: Float64Array;
  readonly at: readonly number[];
  readonly first: number;
}

/**
 * Cut into parts² pieces that lie on a curved face: each point moved towards the planes that touch the solid at the corners. Half the
 * way is right for a ball: Σ w (r − p·n) = (r² − |p|²) / r, which is twice what p lacks of the radius r.
 */
function paintFace(target: Target, { position, normal, at, first }: Face, parts: number, outward: number): void {
  const bulge = parts > 1 ? 0.5 : 0;
  const corner = (i: number, j: number): Corner => {
    const weight = [1 - (i + j) / parts, i / parts, j / parts];
    const p = [0, 0, 0];
    const n = [0, 0, 0];
    for (let m = 0; m < 3; m++) {
      for (let k = 0; k < 3; k++) {
        p[k] += weight[m] * position[at[m] + k];
        n[k] += weight[m] * normal[first + 3 * m + k];
      }
    }
    const moved = [p[0], p[1], p[2]];
    for (let m = 0; m < 3 && bulge > 0; m++) {
      const d = first + 3 * m;
      let above = 0;
      for (let k = 0; k < 3; k++) above += (p[k] - position[at[m] + k]) * normal[d + k];
      for (let k = 0; k < 3; k++) moved[k] -= bulge * weight[m] * above * normal[d + k];
    }
    return [moved[0], moved[1], moved[2], shadeOf(n, outward)];
  };
  let above: Corner[] = Array.from({ length: parts + 1 }, (_, i) => corner(i, 0));
  for (let j = 1; j <= parts; j++) {
    const row = Array.from({ length: parts + 1 - j }, (_, i) => corner(i, j));
    for (let i = 0; i < row.length; i++) {
      paintPiece(target, above[i], above[i + 1], row[i], outward);
      if (i + 1 < row.length) paintPiece(target, above[i + 1], row[i + 1], row[i], outward);
    }
    above = row;
  }
}

/** 0…255. Light falls off softly, so that the side away from it still shows its form, and the rim is a little darker. */
function shadeOf(n: readonly number[], outward: number): number {
  const size = Math.hypot(n[0], n[1], n[2]) || 1;
  // `normal` points along the right-hand rule of the page, which is left-handed; sheets face the reader
  const sign = (outward === 0 ? (n[2] >= 0 ? 1 : -1) : outward) / size;
  const lit = 0.5 + 0.5 * sign * (n[0] * light[0] + n[1] * light[1] + n[2] * light[2]);
  const facing = Math.max(0, sign * n[2]);
  return 255 * Math.min(1, Math.max(0, lit ** 1.5 * (0.72 + 0.28 * Math.sqrt(facing)) * 1.04));
}

function paintPiece(target: Target, a: Corner, b: Corner, c: Corner, outward: number): void {
  const { left, top, columns, rows, depth, shade, floor } = target;
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area === 0 || (outward !== 0 && outward * area < 0)) return;
  const [low, high] = [Math.min(a[1], b[1], c[1]), Math.max(a[1], b[1], c[1])];
  const j0 = Math.max(0, Math.ceil(density * (low - top) - 0.5));
  const j1 = Math.min(rows - 1, Math.floor(density * (high - top) - 0.5));
  // depth and shade are linear on the page
  const slope = (k: 2 | 3, axis: 0 | 1): number =>
    axis === 0
      ? ((b[k] - a[k]) * (c[1] - a[1]) - (c[k] - a[k]) * (b[1] - a[1])) / area
      : ((c[k] - a[k]) * (b[0] - a[0]) - (b[k] - a[k]) * (c[0] - a[0])) / area;
  const [zx, zy, sx, sy] = [slope(2, 0), slope(2, 1), slope(3, 0), slope(3, 1)];
  for (let j = j0; j <= j1; j++) {
    const y = top + (j + 0.5) / density;
    let [from, to] = [Infinity, -Infinity];
    for (let k = 0; k < 3; k++) {
      const [p, q] = k === 0 ? [a, b] : k === 1 ? [b, c] : [c, a];
      if (y < Math.min(p[1], q[1]) || y > Math.max(p[1], q[1])) continue;
      const x = p[1] === q[1] ? q[0] : p[0] + ((q[0] - p[0]) * (y - p[1])) / (q[1] - p[1]);
      from = Math.min(from, x);
      to = Math.max(to, x);
    }
    // a sample on an edge between two pieces belongs to both, so that no seam opens
    const i0 = Math.max(0, Math.ceil(density * (from - left) - 0.5 - 1e-6));
    const i1 = Math.min(columns - 1, Math.floor(density * (to - left) - 0.5 + 1e-6));
    for (let i = i0; i <= i1; i++) {
      const x = left + (i + 0.5) / density;
      const z = a[2] + zx * (x - a[0]) + zy * (y - a[1]);
      const k = j * columns + i;
      if (z <= depth[k] || z < floor(x, y)) continue;
      depth[k] = z;
      shade[k] = Math.min(255, Math.max(0, a[3] + sx * (x - a[0]) + sy * (y - a[1])));
    }
  }
}

/** An indexed PNG: colour by shade, opacity by how many of the four samples are covered. */
function encode({ columns, rows, depth, shade }: Target): Uint8Array {
  const width = columns / 2;
  const height = rows / 2;
  const lines = new Uint8Array(height * (width + 1));
  for (let j = 0; j < height; j++) {
    for (let i = 0; i < width; i++) {
      let covered = 0;
      let sum = 0;
      for (let m = 0; m < 4; m++) {
        const k = (2 * j + (m >> 1)) * columns + 2 * i + (m & 1);
        if (depth[k] === -Infinity) continue;
        covered++;
        sum += shade[k];
      }
      if (covered > 0) lines[j * (width + 1) + 1 + i] = 1 + (covered - 1) * shades + levelOf(sum / covered);
    }
  }
  const colors = [0, 0, 0];
  const alphas = [0];
  for (let covered = 1; covered <= 4; covered++) {
    for (const color of palette) {
      colors.push(...[1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)));
      alphas.push(Math.round((255 * covered) / 4));
    }
  }
  const size = new DataView(new ArrayBuffer(13));
  size.setUint32(0, width);
  size.setUint32(4, height);
  size.setUint8(8, 8);
  size.setUint8(9, 3);
  return Buffer.concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', new Uint8Array(size.buffer)),
    chunk('PLTE', Uint8Array.from(colors)),
    chunk('tRNS', Uint8Array.from(alphas)),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(12 + data.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  for (let k = 0; k < 4; k++) out[4 + k] = name.charCodeAt(k);
  out.set(data, 8);
  view.setUint32(8 + data.length, checksum(out.subarray(4, 8 + data.length)));
  return out;
}

/** CRC-32, which Node's own zlib has only since version 22. */
function checksum(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
