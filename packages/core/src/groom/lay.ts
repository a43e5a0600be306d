/**
 * Keeps hair out of the head: curves that would pass through the skin are laid over it, from the root on.
 *
 * Every piece of a curve keeps its length and its direction, and slides along the skin where that direction would enter it. Guides are
 * laid as polylines, and helices are fitted to the result; a guide whose helices still cut into the head is laid again, farther from the
 * skin. The grooming panel of the studio, the command line and the exporters all call this file.
 */
import { createMesh, type Mesh, measureVolume } from '../contact/shapes/mesh.ts';
import { hypot, pow, square } from '../math/rounded/index.ts';
import { makeSolid } from '../surface/solid.ts';
import type { MeshInput } from '../surface/surface.ts';
import type { GuidePose, Hairs } from './hairs.ts';
import { type Hairstyle, placesPerElement, poseGuides } from './hairstyle.ts';
import { reshapeHairstyle } from './styling.ts';

/** Signed distance to a head, for pushing points out of it. */
export interface HeadField {
  /** Moves the point at `o` to at least `clearance` [m] from the skin; true if it had to move. */
  push(p: Float32Array | Float64Array, o: number, clearance: number): boolean;
  /** Signed distance of the point at `o` from the skin [m], negative inside; Infinity if it is far. */
  distance(p: Float32Array | Float64Array, o: number): number;
}

/** How finely the distance field of a head is computed. */
export interface HeadFieldOptions {
  /** A coarser grid, for pictures while someone grooms: off by millimetres. Default false. */
  readonly draft?: boolean;
}

/** Cells along the longest side of the head. */
const fineCells = 96;
const draftCells = 42;
/** How far the grid reaches beyond the mesh [m]. */
const margin = 0.02;
/** A closed mesh that fills less than this part of a cube around it is a sheet. */
const thinnest = 1e-3;

function closedMesh(mesh: MeshInput): Mesh | undefined {
  const { vertices, triangles, solid } = makeSolid(mesh.position, mesh.triangle, true);
  if (!solid) return undefined;
  const shape = createMesh(vertices, triangles, true);
  const [x, y, z] = [0, 1, 2].map((k) => shape.bounds[3 + k] - shape.bounds[k]);
  return measureVolume(vertices, triangles) < thinnest * pow(hypot(x, y, z), 3) ? undefined : shape;
}

/** True if a mesh has an inside once its holes are closed: a head, not a sheet. */
export function hasInside(mesh: MeshInput): boolean {
  return closedMesh(mesh) !== undefined;
}

/** Undefined if the mesh has no inside, even with its holes closed. */
export function createHeadField(mesh: MeshInput, { draft = false }: HeadFieldOptions = {}): HeadField | undefined {
  const shape = closedMesh(mesh);
  if (!shape) return undefined;
  const grid = createGrid(shape.bounds, shape.distance, draft ? draftCells : fineCells);
  const out = new Float64Array(4);
  return {
    distance(p, o) {
      if (!grid(out, p[o], p[o + 1], p[o + 2], margin / 2)) return Infinity;
      shape.distance(out, p[o], p[o + 1], p[o + 2]);
      return out[0];
    },
    push(p, o, clearance) {
      if (!grid(out, p[o], p[o + 1], p[o + 2], clearance) || out[0] >= clearance) return false;
      for (let k = 0; k < 3; k++) p[o + k] += (clearance - out[0]) * out[1 + k];
      return true;
    },
  };
}

type Distance = (out: Float64Array, x: number, y: number, z: number) => void;
/** Writes distance and direction away from the skin to `out`; returns false, and writes nothing, if the skin is farther than `near`. */
type Grid = (out: Float64Array, x: number, y: number, z: number, near: number) => boolean;

/** Spacing of the grid points that are always measured. */
const stride = 4;

/**
 * Distances on a grid, interpolated linearly. They are measured within a few cells of the skin, where hair is pushed out, and on every fourth point
 * elsewhere, which is enough to distinguish inside from outside.
 */
function createGrid(bounds: ArrayLike<number>, distance: Distance, cells: number): Grid {
  const low = [0, 1, 2].map((k) => bounds[k] - margin);
  const span = [0, 1, 2].map((k) => bounds[3 + k] + margin - low[k]);
  const size = Math.max(...span) / cells;
  const [nx, ny, nz] = span.map((length) => stride * Math.ceil(length / size / stride) + 1);
  const value = new Float32Array(nx * ny * nz);
  const found = new Float64Array(4);
  const measure = (i: number, j: number, k: number): number => {
    distance(found, low[0] + i * size, low[1] + j * size, low[2] + k * size);
    return found[0];
  };
  for (let k = 0; k < nz; k += stride)
    for (let j = 0; j < ny; j += stride)
      for (let i = 0; i < nx; i += stride) value[i + nx * (j + ny * k)] = measure(i, j, k);
  const coarse = (i: number, j: number, k: number): number => value[i + nx * (j + ny * k)];
  for (let k = 0, at = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, at++) {
        if (i % stride === 0 && j % stride === 0 && k % stride === 0) continue;
        const guess = interpolate(coarse, i, j, k, [nx, ny, nz]);
        value[at] = Math.abs(guess) < stride * size ? measure(i, j, k) : guess;
      }
  const [dy, dz] = [nx, nx * ny];
  return (out, px, py, pz, reach) => {
    const [x, y, z] = [(px - low[0]) / size, (py - low[1]) / size, (pz - low[2]) / size];
    if (!(x >= 0 && y >= 0 && z >= 0 && x < nx - 1 && y < ny - 1 && z < nz - 1)) return false;
    const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
    const at = i + dy * j + dz * k;
    // the point is at most √3 cells from the corner
    if (value[at] > reach + 2 * size) return false;
    const [a, b, c] = [x - i, y - j, z - k];
    // along x on the four edges of the cell, then y, then z; differences give the gradient
    const e00 = value[at] + a * (value[at + 1] - value[at]);
    const e10 = value[at + dy] + a * (value[at + dy + 1] - value[at + dy]);
    const e01 = value[at + dz] + a * (value[at + dz + 1] - value[at + dz]);
    const e11 = value[at + dy + dz] + a * (value[at + dy + dz + 1] - value[at + dy + dz]);
    const f0 = e00 + b * (e10 - e00);
    const f1 = e01 + b * (e11 - e01);
    const gx =
      (1 - b) * (1 - c) * (value[at + 1] - value[at]) +
      b * (1 - c) * (value[at + dy + 1] - value[at + dy]) +
      (1 - b) * c * (value[at + dz + 1] - value[at + dz]) +
      b * c * (value[at + dy + dz + 1] - value[at + dy + dz]);
    const gy = (1 - c) * (e10 - e00) + c * (e11 - e01);
    const gz = f1 - f0;
    const norm = hypot(gx, gy, gz);
    if (norm === 0) return false;
    out[0] = f0 + c * (f1 - f0);
    out[1] = gx / norm;
    out[2] = gy / norm;
    out[3] = gz / norm;
    return true;
  };
}

/** Linear interpolation between the eight points of a coarser grid around a point. */
function interpolate(
  value: (i: number, j: number, k: number) => number,
  i: number,
  j: number,
  k: number,
  count: readonly number[],
): number {
  const at = [i, j, k];
  const first = at.map((x, m) => Math.min(x - (x % stride), count[m] - 1 - stride));
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const bits = [corner & 1, (corner >> 1) & 1, corner >> 2];
    const weight = bits.reduce((product, bit, m) => {
      const part = (at[m] - first[m]) / stride;
      return product * (bit ? part : 1 - part);
    }, 1);
    if (weight > 0)
      sum += weight * value(first[0] + stride * bits[0], first[1] + stride * bits[1], first[2] + stride * bits[2]);
  }
  return sum;
}

/** Over this length from the root the clearance grows from zero [m]: there hair leaves the skin. */
const rise = 0.015;
const rounds = 6;
const middle = new Float64Array(3);

/**
 * Lays the polyline of `nodes` points that begins at `first` over the skin; the first point stays. True if anything moved.
 * `clearance`: distance from the skin [m], less near the root.
 */
export function layCurve(
  p: Float32Array | Float64Array,
  { first, nodes }: { readonly first: number; readonly nodes: number },
  field: HeadField,
  clearance: number,
): boolean {
  let moved = false;
  let s = 0;
  let [ax, ay, az] = [p[first], p[first + 1], p[first + 2]];
  for (let i = 1; i < nodes; i++) {
    const o = first + 3 * i;
    const [dx, dy, dz] = [p[o] - ax, p[o + 1] - ay, p[o + 2] - az];
    [ax, ay, az] = [p[o], p[o + 1], p[o + 2]];
    const length = hypot(dx, dy, dz);
    s += length;
    p[o] = p[o - 3] + dx;
    p[o + 1] = p[o - 2] + dy;
    p[o + 2] = p[o - 1] + dz;
    const distance = clearance * Math.min(1, s / rise);
    for (let round = 0; round < rounds && pushPiece(p, o, field, distance); round++) {
      moved = true;
      if (round < rounds - 1) keepLength(p, o, length);
    }
  }
  return moved;
}

/** Pushes the end of a piece out, and again by the penetration of its midpoint: a chord cuts through a convex surface. */
function pushPiece(p: Float32Array | Float64Array, o: number, field: HeadField, distance: number): boolean {
  const pushed = field.push(p, o, distance);
  for (let k = 0; k < 3; k++) middle[k] = 0.5 * (p[o + k - 3] + p[o + k]);
  const [x, y, z] = middle;
  if (!field.push(middle, 0, 0.25 * distance)) return pushed;
  p[o] += 2 * (middle[0] - x);
  p[o + 1] += 2 * (middle[1] - y);
  p[o + 2] += 2 * (middle[2] - z);
  return true;
}

function keepLength(p: Float32Array | Float64Array, o: number, length: number): void {
  const [x, y, z] = [p[o] - p[o - 3], p[o + 1] - p[o - 2], p[o + 2] - p[o - 1]];
  const scale = length / Math.max(hypot(x, y, z), 1e-12);
  p[o] = p[o - 3] + scale * x;
  p[o + 1] = p[o - 2] + scale * y;
  p[o + 2] = p[o - 1] + scale * z;
}

/** Distance of guides from the skin [m]: hairs between them come nearer. */
export const guideClearance = 0.004;
/** How often a guide is laid again, each time 1.5 times as far from the skin. */
const attempts = 5;

/** Result of laying guides over a head. */
export interface LayReport {
  /** Guides that were laid over the head. */
  readonly laid: number;
  /** Those of them that still run deeper than a millimetre. */
  readonly inside: number;
  /** Depth of the deepest guide under the skin [m]; 0 if none is inside. */
  readonly deepest: number;
}

/**
 * Lays guides over the head. Natural curvatures stay: the head holds the hair, so in a simulation it lies on the head.
 * A guide that is nowhere nearer to the skin than its clearance keeps its shape.
 */
export function layHairstyle(
  style: Hairstyle,
  field: HeadField,
): { readonly style: Hairstyle; readonly report: LayReport } {
  const perElement = 2 * Math.ceil(placesPerElement(style) / 2);
  const free = poseGuides(style, perElement);
  const { nodes } = free;
  let current = style;
  let list = Array.from({ length: style.guideRoots.count }, (_, g) => g);
  let laid = 0;
  for (let attempt = 0; attempt < attempts && list.length > 0; attempt++) {
    const clearance = guideClearance * pow(1.5, attempt);
    const shapes = new Map<number, Float64Array>();
    for (const g of list) {
      const curve = free.position.slice(3 * nodes * g, 3 * nodes * (g + 1));
      if (layCurve(curve, { first: 0, nodes }, field, clearance)) shapes.set(g, everyHalf(curve, perElement));
    }
    if (attempt === 0) laid = shapes.size;
    current = reshapeHairstyle(current, shapes, { hold: false }).style;
    list = deepGuides(current, [...shapes.keys()], field).map(({ guide }) => guide);
  }
  const deep = deepGuides(current, list, field);
  const deepest = deep.reduce((most, { depth }) => Math.max(most, depth), 0);
  return { style: current, report: { laid, inside: deep.filter(({ depth }) => depth > 1e-3).length, deepest } };
}

/** Two places an element, from which helices can be fitted. */
function everyHalf(curve: Float64Array, perElement: number): Float64Array {
  const stride = perElement / 2;
  const count = (curve.length / 3 - 1) / stride + 1;
  return Float64Array.from({ length: 3 * count }, (_, k) => curve[3 * stride * Math.floor(k / 3) + (k % 3)]);
}

/** Guides of a list that pass through the skin, and their depth. */
function deepGuides(
  style: Hairstyle,
  list: readonly number[],
  field: HeadField,
): { readonly guide: number; readonly depth: number }[] {
  const radius = Math.max(style.fiber.a, style.fiber.b);
  const { nodes, position } = poseGuides(style, Math.max(4, placesPerElement(style)));
  return list
    .map((guide) => {
      let depth = 0;
      // the root itself is on the skin
      for (let i = 1; i < nodes; i++) depth = Math.max(depth, -field.distance(position, 3 * (nodes * guide + i)));
      return { guide, depth };
    })
    .filter(({ depth }) => depth > radius);
}

/** Least distance of hairs from the skin [m], and how much more some of them keep. */
const hairClearance = 0.0012;
const volume = 0.005;

/**
 * Lays hairs over the head, `nodes` points each. `pose`: guides as they are now; each hair is laid in the axes of its nearest guide's
 * root as it was grown, where the head stands still.
 */
export function layHairs(
  position: Float32Array | Float64Array,
  hairs: Hairs,
  nodes: number,
  { field, pose }: { readonly field: HeadField; readonly pose: GuidePose },
): void {
  const { guide, guideRoots, count } = hairs;
  for (let h = 0; h < count; h++) {
    const first = 3 * nodes * h;
    const g = guide[3 * h];
    const own = position.subarray(first, first + 3 * nodes);
    if (pose.turn) turnAbout(own, pose, guideRoots.position, g, true);
    layCurve(own, { first: 0, nodes }, field, hairClearance + volume * square((h * 0.618) % 1));
    if (pose.turn) turnAbout(own, pose, guideRoots.position, g, false);
  }
}

/** Transforms from the world to the axes in which the hair was grown, by the root of guide `g`, or back. */
function turnAbout(
  p: Float32Array | Float64Array,
  { turn, position: now, nodes }: GuidePose,
  then: Float64Array,
  g: number,
  back: boolean,
): void {
  const r = turn as ArrayLike<number>;
  const [m, a, b] = [9 * g, 3 * nodes * g, 3 * g];
  for (let o = 0; o < p.length; o += 3) {
    const from = back
      ? [p[o] - now[a], p[o + 1] - now[a + 1], p[o + 2] - now[a + 2]]
      : [p[o] - then[b], p[o + 1] - then[b + 1], p[o + 2] - then[b + 2]];
    for (let k = 0; k < 3; k++)
      p[o + k] = back
        ? then[b + k] + r[m + k] * from[0] + r[m + 3 + k] * from[1] + r[m + 6 + k] * from[2]
        : now[a + k] + r[m + 3 * k] * from[0] + r[m + 3 * k + 1] * from[1] + r[m + 3 * k + 2] * from[2];
  }
}
