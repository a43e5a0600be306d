/**
 * Hairs that follow guides: many rendered hairs between few simulated ones.
 *
 * A hair blends the shapes of the three guides with the nearest roots, each rotated from the guide's root frame into the hair's, so that hair stands off a round
 * head everywhere. Shapes are blended, not positions, and the root stays fixed. Weights fall to zero if a fourth guide comes as near
 * (Shepard's weights with the radius of Franke and Little), so that neighbouring hairs do not separate where the sets of guides change. Guides on the
 * other side of a fold (normals pointing apart) or of another section (a parting, a strand of a braid) are ignored. When guides move, their root frames move the hairs, whatever the model.
 *
 * Clumping attracts a hair to the nearest guide, more towards the tip.
 */

import { SceneError } from '../errors.ts';
import { hypot, pow, square } from '../math/rounded/index.ts';
import { type CompiledLayers, compileLayers, createLayering, type HairLayer } from './layers.ts';
import { randomAt } from './random.ts';
import type { Roots } from './roots.ts';

/** Guides per hair. */
const NEAR = 3;

/** How many hairs follow the guides, and how much they clump. */
export interface HairOptions {
  /** Attraction of tips to the nearest guide, 0 (default) to 1. */
  readonly clump?: number;
  /** Exponent of u: how late along the hair the attraction begins. Default 2. */
  readonly clumpPower?: number;
  /** Length relative to the guides', up to 1: least and greatest, random in between. Default [1, 1]. */
  readonly length?: readonly [number, number];
  /** Operators on the hairs, applied in order. Default none. */
  readonly layers?: readonly HairLayer[];
  /** Default 0. */
  readonly seed?: number;
}

/** Roots and weights of the hairs that follow guides. */
export interface Hairs {
  /** Number of hairs. */
  readonly count: number;
  /** Number of guides. */
  readonly guideCount: number;
  /** Guides of each hair, nearest first, 3 per hair. */
  readonly guide: Uint32Array;
  /** Their weights, which add up to 1, 3 per hair. */
  readonly weight: Float64Array;
  /** Fraction of the guides' length, 1 per hair. */
  readonly length: Float32Array;
  /** How far tips are pulled to the nearest guide, 0 to 1. */
  readonly clump: number;
  /** Exponent of the growth of `clump` along the hair. */
  readonly clumpPower: number;
  /** Layers of clumps, curls and frizz. */
  readonly layers?: CompiledLayers;
  /** Roots of the hairs. */
  readonly hairRoots: Roots;
  /** Roots of the guides. */
  readonly guideRoots: Roots;
}

/** State of the guides at an instant, all with the same number of nodes. */
export interface GuidePose {
  /** Nodes a guide. */
  readonly nodes: number;
  /** [m], 3 per node, guide by guide */
  readonly position: ArrayLike<number>;
  /** Material axis d1 at nodes, unit, 3 per node; for directors of hairs. */
  readonly director?: ArrayLike<number>;
  /** Rotation of the root frames since the hair was grown, 9 per guide, row by row. Default: none. */
  readonly turn?: ArrayLike<number>;
  /** Roots of the hairs themselves, on a skin that deforms. Default: they follow the roots of their guides. */
  readonly hairRoots?: RootPose;
}

/** Where roots are at an instant. */
export interface RootPose {
  /** [m], 3 per root */
  readonly position: ArrayLike<number>;
  /** Rotation since the hair was grown, 9 per root, row by row. */
  readonly turn: ArrayLike<number>;
}

/** Places hairs between guides. */
export function createHairs(guideRoots: Roots, hairRoots: Roots, options: HairOptions = {}): Hairs {
  const { clump = 0, clumpPower = 2, length: range = [1, 1], layers = [], seed = 0 } = options;
  if (guideRoots.count === 0) throw new SceneError(['guides'], 'there are no guides for the hairs to follow');
  if (!(clump >= 0 && clump <= 1)) throw new SceneError(['clump'], `must be from 0 to 1, got ${clump}`);
  if (!(clumpPower >= 0)) throw new SceneError(['clumpPower'], `must be zero or more, got ${clumpPower}`);
  if (!(range[0] > 0 && range[1] >= range[0] && range[1] <= 1))
    throw new SceneError(['length'], `expected [least, most] from above 0 to 1, got [${range.join(', ')}]`);
  const { count } = hairRoots;
  const guide = new Uint32Array(NEAR * count);
  const weight = new Float64Array(NEAR * count);
  const search = createSearch(guideRoots);
  for (let h = 0; h < count; h++) search(guide, weight, h, hairRoots);
  const length = Float32Array.from(
    { length: count },
    (_, h) => range[0] + (range[1] - range[0]) * randomAt(seed + 5, h),
  );
  return {
    count,
    guideCount: guideRoots.count,
    guide,
    weight,
    length,
    clump,
    clumpPower,
    ...(layers.length > 0 && { layers: compileLayers(layers, hairRoots, seed) }),
    hairRoots,
    guideRoots,
  };
}

type Search = (guide: Uint32Array, weight: Float64Array, hair: number, roots: Roots) => void;

/** Guides that a hair may follow: least cosine between the normals, and section. */
interface Wanted {
  readonly facing: number;
  readonly section: number;
}

/** Finds the nearest guides by brute force: 25 million distances for 500 guides and 50,000 hairs take a tenth of a second. */
function createSearch(guides: Roots): Search {
  const { position: g, normal: gn, count, section: sections } = guides;
  const best = new Float64Array(NEAR + 1);
  const which = new Int32Array(NEAR + 1);
  const scan = (place: Float64Array, n: Float64Array, o: number, { facing, section }: Wanted): number => {
    const [x, y, z] = [place[o], place[o + 1], place[o + 2]];
    best.fill(Infinity);
    which.fill(-1);
    let found = 0;
    for (let k = 0; k < count; k++) {
      const d = square(g[3 * k] - x) + square(g[3 * k + 1] - y) + square(g[3 * k + 2] - z);
      if (d >= best[NEAR]) continue;
      if (section !== 0 && sections && sections[k] !== 0 && sections[k] !== section) continue;
      if (gn[3 * k] * n[o] + gn[3 * k + 1] * n[o + 1] + gn[3 * k + 2] * n[o + 2] < facing) continue;
      found++;
      let at = NEAR;
      for (; at > 0 && best[at - 1] > d; at--) {
        best[at] = best[at - 1];
        which[at] = which[at - 1];
      }
      best[at] = d;
      which[at] = k;
    }
    return found;
  };
  return (guide, weight, h, { position: p, normal: n, section: own }) => {
    let [facing, section] = [0.2, own?.[h] ?? 0];
    const search = (): number => scan(p, n, 3 * h, { facing, section });
    if (search() === 0) {
      facing = -2;
      if (search() === 0) {
        // a section without guides
        section = 0;
        search();
      }
    }
    // the fourth sets the radius beyond which a guide has no weight; with fewer guides, all count
    const radius = Math.sqrt(best[NEAR]);
    let sum = 0;
    for (let k = 0; k < NEAR; k++) {
      const d = Math.sqrt(best[k]);
      const inner = Number.isFinite(radius) ? Math.max(0, (radius - d) / radius) : 1;
      const w = which[k] < 0 ? 0 : square(inner / Math.max(d, 1e-9));
      guide[NEAR * h + k] = Math.max(0, which[k]);
      weight[NEAR * h + k] = Math.min(w, 1e18);
      sum += weight[NEAR * h + k];
    }
    if (sum > 0) for (let k = 0; k < NEAR; k++) weight[NEAR * h + k] /= sum;
    else weight[NEAR * h] = 1;
  };
}

const frame = new Float64Array(9);
const other = new Float64Array(9);
const matrix = new Float64Array(9 * NEAR);
const root = new Float64Array(3);

/** Options of `writeHairs`. */
export interface WriteHairsOptions {
  /** First hair, and the one after the last; default: all. */
  readonly from?: number;
  /** One after the last hair; default: the number of hairs. */
  readonly to?: number;
  /** Receives the directors at the points, 3 numbers each, if the guides have them. */
  readonly director?: Float32Array | Float64Array;
}

/** Writes positions of hairs, `nodes` points each, 3 numbers per point, to `out` from its start. */
export function writeHairs(
  out: Float32Array | Float64Array,
  hairs: Hairs,
  pose: GuidePose,
  nodes: number,
  { from = 0, to = hairs.count, director }: WriteHairsOptions = {},
): void {
  const own = new Float64Array(3 * nodes);
  const layered = hairs.layers && createLayering(hairs.layers, { nodes, place });
  function place(points: Float64Array, side: Float64Array, h: number): void {
    placeRoot(hairs, pose, h);
    blendHair(points, hairs, pose, nodes, h);
    writeSide(side, hairs, pose, h);
  }
  for (let h = from; h < to; h++) {
    const first = 3 * nodes * (h - from);
    layered?.(own, h);
    // layers place other hairs too
    placeRoot(hairs, pose, h);
    if (!layered) blendHair(own, hairs, pose, nodes, h);
    out.set(own, first);
    if (director && pose.director) writeDirectors(director, out, hairs, pose, { nodes, h, first });
  }
}

/** The direction across hair h at its root now. */
function writeSide(out: Float64Array, { hairRoots, guide }: Hairs, pose: GuidePose, h: number): void {
  const turn = pose.hairRoots?.turn ?? pose.turn;
  const q = 9 * (pose.hairRoots ? h : guide[NEAR * h]);
  const [x, y, z] = hairRoots.side.subarray(3 * h, 3 * h + 3);
  for (let r = 0; r < 3; r++)
    out[r] = turn ? turn[q + 3 * r] * x + turn[q + 3 * r + 1] * y + turn[q + 3 * r + 2] * z : [x, y, z][r];
}

/** Writes the points of hair h without layers; `placeRoot` was called for it. */
function blendHair(out: Float64Array, hairs: Hairs, pose: GuidePose, nodes: number, h: number): void {
  const { guide, weight, length } = hairs;
  const last = pose.nodes - 1;
  for (let i = 0; i < nodes; i++) {
    const u = i / (nodes - 1);
    const at = Math.min(length[h] * u * last, last);
    const low = Math.min(Math.floor(at), last - 1);
    const t = at - low;
    const o = 3 * i;
    let [x, y, z] = [root[0], root[1], root[2]];
    for (let k = 0; k < NEAR; k++) {
      const w = weight[NEAR * h + k];
      if (w === 0) continue;
      const start = 3 * pose.nodes * guide[NEAR * h + k];
      const a = start + 3 * low;
      const p = pose.position;
      const dx = p[a] + t * (p[a + 3] - p[a]) - p[start];
      const dy = p[a + 1] + t * (p[a + 4] - p[a + 1]) - p[start + 1];
      const dz = p[a + 2] + t * (p[a + 5] - p[a + 2]) - p[start + 2];
      const m = 9 * k;
      x += w * (matrix[m] * dx + matrix[m + 1] * dy + matrix[m + 2] * dz);
      y += w * (matrix[m + 3] * dx + matrix[m + 4] * dy + matrix[m + 5] * dz);
      z += w * (matrix[m + 6] * dx + matrix[m + 7] * dy + matrix[m + 8] * dz);
    }
    if (hairs.clump > 0) {
      const c = hairs.clump * pow(u, hairs.clumpPower);
      const a = 3 * pose.nodes * guide[NEAR * h] + 3 * low;
      const p = pose.position;
      x += c * (p[a] + t * (p[a + 3] - p[a]) - x);
      y += c * (p[a + 1] + t * (p[a + 4] - p[a + 1]) - y);
      z += c * (p[a + 2] + t * (p[a + 5] - p[a + 2]) - z);
    }
    out[o] = x;
    out[o + 1] = y;
    out[o + 2] = z;
  }
}

/** Current position of a hair's root, and for each of its guides the rotation of shapes from the guide's frame to the hair's. */
function placeRoot({ guide, weight, hairRoots, guideRoots }: Hairs, pose: GuidePose, h: number): void {
  const own = pose.hairRoots;
  writeRootFrame(frame, hairRoots, h);
  root.fill(0);
  for (let k = 0; k < NEAR; k++) {
    const w = weight[NEAR * h + k];
    if (w === 0) continue;
    const g = guide[NEAR * h + k];
    writeRootFrame(other, guideRoots, g);
    const m = 9 * k;
    // B_h B_gᵀ
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++)
        matrix[m + 3 * r + c] =
          frame[3 * r] * other[3 * c] + frame[3 * r + 1] * other[3 * c + 1] + frame[3 * r + 2] * other[3 * c + 2];
    if (pose.turn)
      conjugate(matrix, m, { left: own?.turn ?? pose.turn, l: 9 * (own ? h : g), q: pose.turn, at: 9 * g });
    const start = 3 * pose.nodes * g;
    for (let r = 0; r < 3; r++) {
      const d = (c: number): number => hairRoots.position[3 * h + c] - guideRoots.position[3 * g + c];
      const moved = pose.turn
        ? pose.turn[9 * g + 3 * r] * d(0) + pose.turn[9 * g + 3 * r + 1] * d(1) + pose.turn[9 * g + 3 * r + 2] * d(2)
        : d(r);
      root[r] += w * (pose.position[start + r] + moved);
    }
  }
  if (own) for (let r = 0; r < 3; r++) root[r] = own.position[3 * h + r];
}

/** Columns: across, across, normal. */
function writeRootFrame(out: Float64Array, { normal: n, side: s }: Roots, k: number): void {
  const o = 3 * k;
  for (let r = 0; r < 3; r++) {
    const [a, b] = [o + ((r + 1) % 3), o + ((r + 2) % 3)];
    out[3 * r] = s[o + r];
    out[3 * r + 1] = n[a] * s[b] - n[b] * s[a];
    out[3 * r + 2] = n[o + r];
  }
}

const product = new Float64Array(9);

interface Turns {
  /** L, from `l` on. */
  readonly left: ArrayLike<number>;
  readonly l: number;
  /** Q, from `at` on. */
  readonly q: ArrayLike<number>;
  readonly at: number;
}

/** Replaces M by L M Qᵀ. */
function conjugate(m: Float64Array, o: number, { left, l, q, at }: Turns): void {
  for (let r = 0; r < 3; r++)
    for (let c = 0; c < 3; c++)
      product[3 * r + c] =
        left[l + 3 * r] * m[o + c] + left[l + 3 * r + 1] * m[o + 3 + c] + left[l + 3 * r + 2] * m[o + 6 + c];
  for (let r = 0; r < 3; r++)
    for (let c = 0; c < 3; c++)
      m[o + 3 * r + c] =
        product[3 * r] * q[at + 3 * c] +
        product[3 * r + 1] * q[at + 3 * c + 1] +
        product[3 * r + 2] * q[at + 3 * c + 2];
}

/** Directors of hair h, at `first` in `out`: the guides' directors, rotated and blended like the shapes, and made normal to the hair. */
function writeDirectors(
  out: Float32Array | Float64Array,
  position: Float32Array | Float64Array,
  { guide, weight, length }: Hairs,
  pose: GuidePose,
  { nodes, h, first }: { readonly nodes: number; readonly h: number; readonly first: number },
): void {
  const d = pose.director as ArrayLike<number>;
  for (let i = 0; i < nodes; i++) {
    const near = Math.round((length[h] * i * (pose.nodes - 1)) / (nodes - 1));
    const o = first + 3 * i;
    let [x, y, z] = [0, 0, 0];
    for (let k = 0; k < NEAR; k++) {
      const w = weight[NEAR * h + k];
      if (w === 0) continue;
      const a = 3 * (pose.nodes * guide[NEAR * h + k] + near);
      const m = 9 * k;
      x += w * (matrix[m] * d[a] + matrix[m + 1] * d[a + 1] + matrix[m + 2] * d[a + 2]);
      y += w * (matrix[m + 3] * d[a] + matrix[m + 4] * d[a + 1] + matrix[m + 5] * d[a + 2]);
      z += w * (matrix[m + 6] * d[a] + matrix[m + 7] * d[a + 1] + matrix[m + 8] * d[a + 2]);
    }
    const [b, c] = [first + 3 * Math.max(0, i - 1), first + 3 * Math.min(nodes - 1, i + 1)];
    const [tx, ty, tz] = [
      position[c] - position[b],
      position[c + 1] - position[b + 1],
      position[c + 2] - position[b + 2],
    ];
    const along = (x * tx + y * ty + z * tz) / Math.max(tx * tx + ty * ty + tz * tz, 1e-300);
    [x, y, z] = [x - along * tx, y - along * ty, z - along * tz];
    const size = hypot(x, y, z);
    // if the guides' frames cancel, continue with the previous director
    const keep = size < 1e-9 && i > 0;
    out[o] = keep ? out[o - 3] : x / Math.max(size, 1e-300);
    out[o + 1] = keep ? out[o - 2] : y / Math.max(size, 1e-300);
    out[o + 2] = keep ? out[o - 1] : z / Math.max(size, 1e-300);
  }
}
