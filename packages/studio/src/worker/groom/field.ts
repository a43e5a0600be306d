/**
 * The distance to a mesh on a grid, for what asks for it a hundred thousand times a picture: hair that lies on a head.
 *
 * Good to a fraction of a cell (a few millimetres on a head), which is enough to keep hair out of it for the eye; simulations meet
 * the mesh itself.
 */
import { compileColliders } from '@tendril-sim/core';
import type { Mesh } from './heads.ts';

export interface Field {
  /** Moves the point at `o` out to `clearance` [m] from the skin; true where it had to. */
  push(p: Float32Array | Float64Array, o: number, clearance: number): boolean;
}

const cells = 42;
/** Beyond the mesh [m]. */
const margin = 0.02;

/** Undefined where the mesh has no inside. */
export function createField({ position, triangle }: Mesh): Field | undefined {
  const triples = (values: ArrayLike<number>): [number, number, number][] =>
    Array.from({ length: values.length / 3 }, (_, k) => [values[3 * k], values[3 * k + 1], values[3 * k + 2]]);
  let distance: (out: Float64Array, x: number, y: number, z: number) => void;
  try {
    const mesh = { type: 'mesh' as const, vertices: triples(position), faces: triples(triangle) };
    const [collider] = compileColliders({ tendril: 1, rods: [], colliders: [mesh] }, [], [], []);
    distance = collider.shape.distance;
  } catch {
    return undefined;
  }
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  position.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x - margin);
    high[i % 3] = Math.max(high[i % 3], x + margin);
  });
  const size = Math.max(...high.map((x, k) => x - low[k])) / cells;
  const count = high.map((x, k) => Math.ceil((x - low[k]) / size) + 1);
  const [nx, ny, nz] = count;
  const value = new Float32Array(nx * ny * nz);
  const out = new Float64Array(4);
  for (let k = 0, at = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, at++) {
        distance(out, low[0] + i * size, low[1] + j * size, low[2] + k * size);
        value[at] = out[0];
      }
  const [dy, dz] = [nx, nx * ny];
  return {
    push(p, o, clearance) {
      const x = (p[o] - low[0]) / size;
      const y = (p[o + 1] - low[1]) / size;
      const z = (p[o + 2] - low[2]) / size;
      if (!(x >= 0 && y >= 0 && z >= 0 && x < nx - 1 && y < ny - 1 && z < nz - 1)) return false;
      const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
      const at = i + dy * j + dz * k;
      if (value[at] > clearance + 2 * size) return false;
      const [a, b, c] = [x - i, y - j, z - k];
      // along x on the four edges of the cell, then y, then z; differences give the gradient
      const e00 = value[at] + a * (value[at + 1] - value[at]);
      const e10 = value[at + dy] + a * (value[at + dy + 1] - value[at + dy]);
      const e01 = value[at + dz] + a * (value[at + dz + 1] - value[at + dz]);
      const e11 = value[at + dy + dz] + a * (value[at + dy + dz + 1] - value[at + dy + dz]);
      const f0 = e00 + b * (e10 - e00);
      const f1 = e01 + b * (e11 - e01);
      const d = f0 + c * (f1 - f0);
      if (d >= clearance) return false;
      const gx =
        (1 - b) * (1 - c) * (value[at + 1] - value[at]) +
        b * (1 - c) * (value[at + dy + 1] - value[at + dy]) +
        (1 - b) * c * (value[at + dz + 1] - value[at + dz]) +
        b * c * (value[at + dy + dz + 1] - value[at + dy + dz]);
      const gy = (1 - c) * (e10 - e00) + c * (e11 - e01);
      const gz = f1 - f0;
      const norm = Math.hypot(gx, gy, gz);
      if (norm === 0) return false;
      const way = (clearance - d) / norm;
      p[o] += way * gx;
      p[o + 1] += way * gy;
      p[o + 2] += way * gz;
      return true;
    },
  };
}

/**
 * Lays a polyline over the skin, from the root on: every piece goes the way it went, and where that is into the head, along it.
 * True where anything had to move.
 */
export function drape(
  p: Float32Array | Float64Array,
  first: number,
  nodes: number,
  field: Field,
  clearance: number,
): boolean {
  let moved = false;
  let s = 0;
  let [ax, ay, az] = [p[first], p[first + 1], p[first + 2]];
  for (let i = 1; i < nodes; i++) {
    const o = first + 3 * i;
    const [dx, dy, dz] = [p[o] - ax, p[o + 1] - ay, p[o + 2] - az];
    [ax, ay, az] = [p[o], p[o + 1], p[o + 2]];
    const length = Math.hypot(dx, dy, dz);
    s += length;
    const [px, py, pz] = [p[o - 3], p[o - 2], p[o - 1]];
    p[o] = px + dx;
    p[o + 1] = py + dy;
    p[o + 2] = pz + dz;
    // near the root the hair leaves the skin
    const room = clearance * Math.min(1, s / 0.015);
    for (let round = 0; round < 3 && field.push(p, o, room); round++) {
      moved = true;
      const [ex, ey, ez] = [p[o] - px, p[o + 1] - py, p[o + 2] - pz];
      const scale = length / Math.max(Math.hypot(ex, ey, ez), 1e-12);
      p[o] = px + scale * ex;
      p[o + 1] = py + scale * ey;
      p[o + 2] = pz + scale * ez;
    }
  }
  return moved;
}
