/**
 * Where hair grows: roots on a surface, at its vertices or spread over its faces by a density.
 *
 * Each root has a frame: the normal, and a tangential direction that changes smoothly over the head, so that curls of neighbours are in phase. The
 * direction is a fixed one transported over the sphere of normals from a pole (up) by the shortest rotation: smooth everywhere except opposite the pole,
 * where no hair grows. (The projection of a fixed direction would vanish on both ears.)
 *
 * Roots on faces are distributed by cumulative weight, with faces in an order that keeps neighbours together, so that the number in any patch is its share
 * to within a few. `spread` then picks from several candidates the one farthest from all others, for guides, which are few and should not cluster.
 */

import { SceneError } from '../errors.ts';
import { hypot, hypotOf, square } from '../math/rounded/index.ts';
import type { Surface } from '../surface/surface.ts';
import { sampleTexture } from '../surface/texture.ts';
import { densityOnFaces, type FaceDensity } from './density.ts';
import { randomAt } from './random.ts';
import { colorAtVertices, type SurfaceMap, uvAtVertices, vertexMap } from './surfaceMap.ts';

/** Points on a surface from which hair grows. */
export interface Roots {
  /** Number of roots. */
  readonly count: number;
  /** [m], 3 per root */
  readonly position: Float64Array;
  /** Unit, outwards, 3 per root. */
  readonly normal: Float64Array;
  /** Unit, tangential, in phase with its neighbours, 3 per root. */
  readonly side: Float64Array;
  /** Colour of the mesh at the roots, 3 per root; black if it has no colours. */
  readonly color: Float64Array;
  /** Texture coordinates of the roots, 2 per root, if the mesh has them. */
  readonly uv?: Float64Array;
  /** Section of hair that each root belongs to: hairs follow guides of their own section alone. 0: any. Default: no sections. */
  readonly section?: Float64Array;
}

/** Number of roots, and their distribution. */
export interface RootOptions {
  /** `vertices`: one per vertex of the mesh; `faces` (default): `count` of them, spread by density. */
  readonly on?: 'vertices' | 'faces';
  /** Number of roots on faces. */
  readonly count?: number;
  /** Relative density; 0: no hair there. Default 1. */
  readonly density?: SurfaceMap;
  /** Keeps roots away from each other; for small numbers of roots. Default false. */
  readonly spread?: boolean;
  /** Default 0. */
  readonly seed?: number;
  /** Direction at which the frames begin: up. Default z. */
  readonly pole?: readonly [number, number, number];
}

/** Maximum number of roots: more are a mistake in the count. */
const countLimit = 5_000_000;

/** Places roots on a surface. */
export function placeRoots(surface: Surface, options: RootOptions = {}): Roots {
  const { on = 'faces', count, seed = 0, pole = [0, 0, 1] } = options;
  if (!(hypotOf(pole) > 0 && pole.every(Number.isFinite))) throw new SceneError(['pole'], 'expected a direction');
  if (!Number.isInteger(seed)) throw new SceneError(['seed'], `expected a whole number, got ${seed}`);
  const map = options.density ?? 1;
  if (on === 'vertices') return rootsAtVertices(surface, vertexMap(surface, map, 'density'), pole);
  if (count === undefined || !Number.isInteger(count) || count < 1 || count > countLimit)
    throw new SceneError(['count'], `expected how many hairs, a whole number from 1 to ${countLimit}, got ${count}`);
  const density = densityOnFaces(surface, map);
  const chosen = options.spread
    ? spreadRoots(surface, density, count, seed)
    : chooseFaces(surface, density, count, seed);
  return rootsOnFaces(surface, chosen, pole);
}

/** The roots of a list, in its order. */
export function selectRoots(roots: Roots, list: readonly number[]): Roots {
  const pick = (values: Float64Array, per: number): Float64Array =>
    Float64Array.from({ length: per * list.length }, (_, k) => values[per * list[Math.floor(k / per)] + (k % per)]);
  return {
    count: list.length,
    position: pick(roots.position, 3),
    normal: pick(roots.normal, 3),
    side: pick(roots.side, 3),
    color: pick(roots.color, 3),
    ...(roots.uv && { uv: pick(roots.uv, 2) }),
    ...(roots.section && { section: pick(roots.section, 1) }),
  };
}

function makeRoots(count: number, hasUv: boolean): Roots {
  const make = (): Float64Array => new Float64Array(3 * count);
  const uv = hasUv ? new Float64Array(2 * count) : undefined;
  return { count, position: make(), normal: make(), side: make(), color: make(), ...(uv && { uv }) };
}

function rootsAtVertices(surface: Surface, density: Float64Array, pole: ArrayLike<number>): Roots {
  const grows = Array.from(density, (_, i) => i).filter((i) => density[i] > 0 && hasNormal(surface, i));
  if (grows.length === 0) throw new SceneError(['density'], 'is 0 everywhere on the mesh: nothing grows');
  const uv = uvAtVertices(surface);
  const color = colorAtVertices(surface, uv);
  const roots = makeRoots(grows.length, uv !== undefined);
  grows.forEach((vertex, k) => {
    for (let m = 0; m < 3; m++) {
      roots.position[3 * k + m] = surface.position[3 * vertex + m];
      roots.normal[3 * k + m] = surface.normal[3 * vertex + m];
      roots.color[3 * k + m] = color[3 * vertex + m];
    }
    if (uv) roots.uv?.set(uv.subarray(2 * vertex, 2 * vertex + 2), 2 * k);
    writeSide(roots.side, 3 * k, roots.normal, pole);
  });
  return roots;
}

function hasNormal({ normal }: Surface, i: number): boolean {
  return normal[3 * i] !== 0 || normal[3 * i + 1] !== 0 || normal[3 * i + 2] !== 0;
}

/** Faces and barycentric coordinates, three numbers per root: face, u, v. */
type Chosen = Float64Array;

/** Faces in an order in which neighbours are near each other, with the sum of their weights before each. */
function cumulate(surface: Surface, { mean }: FaceDensity): { order: number[]; sums: Float64Array } {
  const { area } = surface;
  const order = orderFaces(surface);
  const sums = new Float64Array(order.length + 1);
  order.forEach((f, k) => {
    sums[k + 1] = sums[k] + area[f] * mean[f];
  });
  if (!(sums[order.length] > 0)) throw new SceneError(['density'], 'is 0 everywhere on the mesh: nothing grows');
  return { order, sums };
}

/** Along a curve that fills the box around the mesh (Morton's order of 1024³ cells). */
function orderFaces({ position: p, triangle: t }: Surface): number[] {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < p.length; i++) {
    low[i % 3] = Math.min(low[i % 3], p[i]);
    high[i % 3] = Math.max(high[i % 3], p[i]);
  }
  const size = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  const keys = Float64Array.from({ length: t.length / 3 }, (_, f) => {
    let key = 0;
    const cell = [0, 1, 2].map((k) => {
      const middle = (p[3 * t[3 * f] + k] + p[3 * t[3 * f + 1] + k] + p[3 * t[3 * f + 2] + k]) / 3;
      return Math.min(1023, Math.floor((1024 * (middle - low[k])) / size));
    });
    for (let bit = 9; bit >= 0; bit--) for (let k = 0; k < 3; k++) key = 2 * key + ((cell[k] >> bit) & 1);
    return key;
  });
  return Array.from(keys, (_, f) => f).sort((a, b) => keys[a] - keys[b] || a - b);
}

function chooseFaces(surface: Surface, density: FaceDensity, count: number, seed: number): Chosen {
  const { order, sums } = cumulate(surface, density);
  const total = sums[order.length];
  const out = new Float64Array(3 * count);
  let k = 0;
  for (let i = 0; i < count; i++) {
    // one in each of `count` equal parts of the weight, anywhere within it
    const goal = ((i + randomAt(seed, 3 * i)) / count) * total;
    while (k + 1 < order.length && sums[k + 1] <= goal) k++;
    writeInside(out, 3 * i, density, order[k], { seed, index: 3 * i + 1 });
  }
  return out;
}

/** Writes face f and a random point in it, drawn by the density. */
function writeInside(
  out: Float64Array,
  o: number,
  density: FaceDensity,
  f: number,
  { seed, index }: { readonly seed: number; readonly index: number },
): void {
  const most = density.most(f);
  for (let attempt = 0; attempt < density.attempts; attempt++) {
    let [u, v] = [randomAt(seed + 7919 * attempt, index), randomAt(seed + 7919 * attempt, index + 1)];
    if (u + v > 1) [u, v] = [1 - u, 1 - v];
    out[o] = f;
    out[o + 1] = u;
    out[o + 2] = v;
    if (density.at(f, u, v) >= randomAt(seed + 104729, index + 31 * attempt) * most) return;
  }
  density.settle?.(out, o, f);
}

/** Chooses each root as the farthest of several candidates from those chosen before; O(count²), for guides. */
function spreadRoots(surface: Surface, density: FaceDensity, count: number, seed: number): Chosen {
  const per = 8;
  const candidates = chooseFaces(surface, density, per * count, seed);
  const total = per * count;
  const place = new Float64Array(3 * total);
  for (let i = 0; i < total; i++) writePoint(place, 3 * i, surface.position, surface, candidates, 3 * i);
  const nearest = new Float64Array(total).fill(Infinity);
  const out = new Float64Array(3 * count);
  let next = Math.floor(randomAt(seed, 1) * total);
  for (let k = 0; k < count; k++) {
    out.set(candidates.subarray(3 * next, 3 * next + 3), 3 * k);
    const [x, y, z] = [place[3 * next], place[3 * next + 1], place[3 * next + 2]];
    let best = -1;
    for (let i = 0; i < total; i++) {
      const d = square(place[3 * i] - x) + square(place[3 * i + 1] - y) + square(place[3 * i + 2] - z);
      if (d < nearest[i]) nearest[i] = d;
      if (best < 0 || nearest[i] > nearest[best]) best = i;
    }
    next = best;
  }
  return out;
}

function writePoint(
  out: Float64Array,
  o: number,
  values: Float64Array,
  { triangle }: Surface,
  chosen: Chosen,
  at: number,
): void {
  const [f, u, v] = [chosen[at], chosen[at + 1], chosen[at + 2]];
  const [a, b, c] = [3 * triangle[3 * f], 3 * triangle[3 * f + 1], 3 * triangle[3 * f + 2]];
  for (let m = 0; m < 3; m++) out[o + m] = (1 - u - v) * values[a + m] + u * values[b + m] + v * values[c + m];
}

function rootsOnFaces(surface: Surface, chosen: Chosen, pole: ArrayLike<number>): Roots {
  const { uv, texture } = surface;
  const roots = makeRoots(chosen.length / 3, uv !== undefined);
  for (let k = 0; k < roots.count; k++) {
    const o = 3 * k;
    writePoint(roots.position, o, surface.position, surface, chosen, o);
    if (uv && roots.uv) writeUv(roots.uv, 2 * k, uv, chosen.subarray(o, o + 3));
    if (texture && roots.uv) sampleTexture(roots.color, o, texture, roots.uv[2 * k], roots.uv[2 * k + 1]);
    else if (surface.color) writePoint(roots.color, o, surface.color, surface, chosen, o);
    writePoint(roots.normal, o, surface.normal, surface, chosen, o);
    const size = hypot(roots.normal[o], roots.normal[o + 1], roots.normal[o + 2]);
    // normals that cancel (a fold): that of the face itself
    if (size > 1e-6) for (let m = 0; m < 3; m++) roots.normal[o + m] /= size;
    else writeFaceNormal(roots.normal, o, surface, chosen[o]);
    writeSide(roots.side, o, roots.normal, pole);
  }
  return roots;
}

/** Texture coordinates of a point of a face: face, u, v. */
function writeUv(out: Float64Array, o: number, uv: Float64Array, [f, u, v]: Float64Array): void {
  for (let k = 0; k < 2; k++) out[o + k] = (1 - u - v) * uv[6 * f + k] + u * uv[6 * f + 2 + k] + v * uv[6 * f + 4 + k];
}

function writeFaceNormal(out: Float64Array, o: number, { position: p, triangle, area }: Surface, f: number): void {
  const [a, b, c] = [3 * triangle[3 * f], 3 * triangle[3 * f + 1], 3 * triangle[3 * f + 2]];
  for (let m = 0; m < 3; m++) {
    const [n, r] = [(m + 1) % 3, (m + 2) % 3];
    out[o + m] =
      ((p[b + n] - p[a + n]) * (p[c + r] - p[a + r]) - (p[b + r] - p[a + r]) * (p[c + n] - p[a + n])) / (2 * area[f]);
  }
}

/** A fixed direction normal to the pole, transported to the normal by the shortest rotation. */
function writeSide(out: Float64Array, o: number, normal: Float64Array, pole: ArrayLike<number>): void {
  const size = hypot(pole[0], pole[1], pole[2]);
  const [px, py, pz] = [pole[0] / size, pole[1] / size, pole[2] / size];
  const [nx, ny, nz] = [normal[o], normal[o + 1], normal[o + 2]];
  // across the pole: x, or y where the pole is along x
  let [ax, ay, az] = Math.abs(px) < 0.9 ? [1 - px * px, -px * py, -px * pz] : [-py * px, 1 - py * py, -py * pz];
  const length = hypot(ax, ay, az);
  [ax, ay, az] = [ax / length, ay / length, az / length];
  const cosine = px * nx + py * ny + pz * nz;
  if (cosine < -1 + 1e-9) {
    out.set([ax, ay, az], o);
    return;
  }
  // a − (a·n)/(1 + p·n) (p + n), for a across p: the turn from p to n
  const k = (ax * nx + ay * ny + az * nz) / (1 + cosine);
  out[o] = ax - k * (px + nx);
  out[o + 1] = ay - k * (py + ny);
  out[o + 2] = az - k * (pz + nz);
}
