/**
 * Density of hair on the faces of a surface: linear between its vertices, or, where a texture gives the colours, as fine as the texture.
 *
 * Input: a surface and a map. Output: the mean of each face, by which faces are chosen, and the density within a face, by which points in it are.
 */
import { SceneError } from '../errors.ts';
import type { Surface } from '../surface/surface.ts';
import { sampleTexture } from '../surface/texture.ts';
import { type SurfaceMap, type SurfacePlace, vertexMap } from './surfaceMap.ts';

/** A density on the faces of a surface. */
export interface FaceDensity {
  /** Mean of each face. */
  readonly mean: Float64Array;
  /** Largest value on face f. */
  most(f: number): number;
  /** At a point of face f, by the weights of its second and third corner. */
  at(f: number, u: number, v: number): number;
  /** How many random points of a face are tried. */
  readonly attempts: number;
  /** Writes a point of face f where there is hair, in place of a random one. */
  settle?(out: Float64Array, o: number, f: number): void;
}

/** Values of a map on the faces; throws SceneError if one is negative or not a number. */
export function densityOnFaces(surface: Surface, map: SurfaceMap): FaceDensity {
  return surface.texture && surface.uv && typeof map === 'function'
    ? texturedDensity(surface, surface.uv, map)
    : vertexDensity(surface, vertexMap(surface, map, 'density'));
}

function vertexDensity({ triangle }: Surface, density: Float64Array): FaceDensity {
  const corner = (f: number, k: number): number => density[triangle[3 * f + k]];
  return {
    mean: Float64Array.from(
      { length: triangle.length / 3 },
      (_, f) => (corner(f, 0) + corner(f, 1) + corner(f, 2)) / 3,
    ),
    most: (f) => Math.max(corner(f, 0), corner(f, 1), corner(f, 2)),
    at: (f, u, v) => (1 - u - v) * corner(f, 0) + u * corner(f, 1) + v * corner(f, 2),
    attempts: 16,
  };
}

/** Samples along the longest side of a face at most: one per pixel up to there. */
const finest = 48;

function texturedDensity(surface: Surface, uv: Float64Array, map: (place: SurfacePlace) => number): FaceDensity {
  const at = pointEvaluator(surface, uv, map);
  const faces = surface.triangle.length / 3;
  const mean = new Float64Array(faces);
  const most = new Float64Array(faces);
  // where the density is greatest
  const best = new Float64Array(2 * faces);
  for (let f = 0; f < faces; f++) {
    const n = Math.min(finest, Math.max(2, Math.ceil(pixelsAlong(surface, uv, f))));
    // middles of the n² triangles into which the face is divided
    for (let i = 0; i < n; i++)
      for (let j = 0; i + j < n; j++)
        for (const third of i + j < n - 1 ? [1, 2] : [1]) {
          const [u, v] = [(i + third / 3) / n, (j + third / 3) / n];
          const value = at(f, u, v);
          mean[f] += value / (n * n);
          if (value <= most[f]) continue;
          most[f] = value;
          best.set([u, v], 2 * f);
        }
  }
  return {
    mean,
    most: (f) => most[f],
    at,
    attempts: 200,
    settle: (out, o, f) => out.set([f, best[2 * f], best[2 * f + 1]], o),
  };
}

/** Length of the longest side of a face on the texture, in pixels. */
function pixelsAlong({ texture }: Surface, uv: Float64Array, f: number): number {
  const [width, height] = [texture?.width ?? 1, texture?.height ?? 1];
  let longest = 0;
  for (let k = 0; k < 3; k++) {
    const [a, b] = [6 * f + 2 * k, 6 * f + 2 * ((k + 1) % 3)];
    longest = Math.max(longest, width * Math.abs(uv[b] - uv[a]), height * Math.abs(uv[b + 1] - uv[a + 1]));
  }
  return longest;
}

function pointEvaluator(
  { position, normal, triangle, texture }: Surface,
  uv: Float64Array,
  map: (place: SurfacePlace) => number,
): FaceDensity['at'] {
  const place = {
    position: new Float64Array(3),
    normal: new Float64Array(3),
    color: new Float64Array(3),
    uv: new Float64Array(2),
  };
  return (f, u, v) => {
    const w = 1 - u - v;
    for (let k = 0; k < 2; k++) place.uv[k] = w * uv[6 * f + k] + u * uv[6 * f + 2 + k] + v * uv[6 * f + 4 + k];
    for (let k = 0; k < 3; k++) {
      const mix = (p: Float64Array): number =>
        w * p[3 * triangle[3 * f] + k] + u * p[3 * triangle[3 * f + 1] + k] + v * p[3 * triangle[3 * f + 2] + k];
      place.position[k] = mix(position);
      place.normal[k] = mix(normal);
    }
    if (texture) sampleTexture(place.color, 0, texture, place.uv[0], place.uv[1]);
    const value = map(place);
    if (Number.isFinite(value) && value >= 0) return value;
    throw new SceneError(['density'], `must be zero or more, got ${value} on face ${f}`);
  };
}
