/** What is given by a formula or a grid of distances, as a mesh to look at: the surface where the distance is zero (surface nets). */
import type { Collider, World } from '@tendril-sim/core';

const cells = 44;

export interface Drawn {
  readonly vertices: number[][];
  readonly faces: number[][];
}

/** In the collider's own axes. `world` tells how large things are, where the shape has no end. */
export function meshOf({ shape, now }: Collider, world: World): Drawn {
  const [low, high] = extent(shape.bounds, world, now.position);
  const step = low.map((least, k) => (high[k] - least) / cells);
  const side = cells + 1;
  const value = new Float64Array(side ** 3);
  const out = new Float64Array(4);
  const at = (i: number, j: number, k: number): number => i + side * (j + side * k);
  for (let k = 0; k < side; k++)
    for (let j = 0; j < side; j++)
      for (let i = 0; i < side; i++) {
        shape.distance(out, low[0] + i * step[0], low[1] + j * step[1], low[2] + k * step[2]);
        value[at(i, j, k)] = out[0];
      }
  return surface(value, side, low, step);
}

function extent(bounds: Float64Array, { samples }: World, origin: Float64Array): [number[], number[]] {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const { nodePosition: x } of samples)
    for (let i = 0; i < x.length; i++) {
      low[i % 3] = Math.min(low[i % 3], x[i]);
      high[i % 3] = Math.max(high[i % 3], x[i]);
    }
  const reach = 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  const own = (k: number, end: number[], sign: number): number => {
    const limit = bounds[sign < 0 ? k : 3 + k];
    return Number.isFinite(limit) ? limit + 0.02 * sign * reach : end[k] - origin[k] + sign * reach;
  };
  return [[0, 1, 2].map((k) => own(k, low, -1)), [0, 1, 2].map((k) => own(k, high, 1))];
}

const corners = Array.from({ length: 8 }, (_, c) => [c & 1, (c >> 1) & 1, c >> 2]);
const edges = corners.flatMap((_, a) => [1, 2, 4].flatMap((bit) => (a & bit ? [] : [[a, a | bit]])));

/** A vertex in every cell that the surface passes, and a face for every edge of the grid that it crosses. */
function surface(value: Float64Array, side: number, low: number[], step: number[]): Drawn {
  const vertices: number[][] = [];
  const faces: number[][] = [];
  const vertexOf = new Int32Array(side ** 3).fill(-1);
  const at = (i: number, j: number, k: number): number => i + side * (j + side * k);
  for (let k = 0; k < side - 1; k++)
    for (let j = 0; j < side - 1; j++)
      for (let i = 0; i < side - 1; i++) {
        const d = corners.map(([x, y, z]) => value[at(i + x, j + y, k + z)]);
        const crossed = edges.filter(([a, b]) => d[a] < 0 !== d[b] < 0);
        if (crossed.length === 0) continue;
        const mean = [0, 0, 0];
        for (const [a, b] of crossed) {
          const t = d[a] / (d[a] - d[b]);
          for (let c = 0; c < 3; c++) mean[c] += corners[a][c] + t * (corners[b][c] - corners[a][c]);
        }
        vertexOf[at(i, j, k)] = vertices.length;
        vertices.push([i, j, k].map((n, c) => low[c] + (n + mean[c] / crossed.length) * step[c]));
      }
  const stride = [1, side, side * side];
  for (let k = 1; k < side - 1; k++)
    for (let j = 1; j < side - 1; j++)
      for (let i = 1; i < side - 1; i++)
        for (let axis = 0; axis < 3; axis++) {
          const here = at(i, j, k);
          const inside = value[here] < 0;
          if (inside === value[here + stride[axis]] < 0) continue;
          const [u, v] = [stride[(axis + 1) % 3], stride[(axis + 2) % 3]];
          const quad = [here, here - u, here - u - v, here - v].map((cell) => vertexOf[cell]);
          if (quad.every((vertex) => vertex >= 0)) faces.push(inside ? quad : quad.reverse());
        }
  return { vertices, faces };
}
