/** Quantities on a surface: constant, one value per vertex, or a function of the point, such as a formula of position, colour and texture coordinates. */
import { SceneError } from '../errors.ts';
import { compileExpression, ExpressionError } from '../scene/expression.ts';
import type { Surface } from '../surface/surface.ts';
import { sampleTexture } from '../surface/texture.ts';
import type { Roots } from './roots.ts';

/** A point on a surface, as input of a map. */
export interface SurfacePlace {
  /** [m]. */
  readonly position: ArrayLike<number>;
  /** Unit, outwards. */
  readonly normal: ArrayLike<number>;
  /** Of the texture or of the vertices; black if the mesh has neither. */
  readonly color: ArrayLike<number>;
  /** Texture coordinates, if the mesh has them. */
  readonly uv?: ArrayLike<number>;
}

/** A quantity on a surface: constant, one value per vertex, or a function of the point. */
export type SurfaceMap = number | ArrayLike<number> | ((place: SurfacePlace) => number);

/** Evaluates a map at the vertices; throws if a value is negative or not a number. */
export function vertexMap(surface: Surface, map: SurfaceMap, name: string): Float64Array {
  const { position, normal } = surface;
  const uv = uvAtVertices(surface);
  const places = { position, normal, color: colorAtVertices(surface, uv), ...(uv && { uv }) };
  return readMap(map, name, position.length / 3, places, 'vertex');
}

/** Texture coordinates of each vertex, 2 per vertex: at a seam, those of one of its faces. */
export function uvAtVertices({ position, triangle, uv }: Surface): Float64Array | undefined {
  if (!uv) return undefined;
  const out = new Float64Array((2 * position.length) / 3);
  triangle.forEach((vertex, corner) => {
    out[2 * vertex] = uv[2 * corner];
    out[2 * vertex + 1] = uv[2 * corner + 1];
  });
  return out;
}

/** Colours of the vertices: of the texture, or their own; black if there are none. */
export function colorAtVertices({ position, color, texture }: Surface, uv: Float64Array | undefined): Float64Array {
  if (!texture || !uv) return color ?? new Float64Array(position.length);
  const out = new Float64Array(position.length);
  for (let i = 0; 3 * i < out.length; i++) sampleTexture(out, 3 * i, texture, uv[2 * i], uv[2 * i + 1]);
  return out;
}

/** Evaluates a map at roots, with the same check. */
export function rootMap(roots: Roots, map: SurfaceMap, name: string): Float64Array {
  return readMap(map, name, roots.count, roots, 'root');
}

type Places = Pick<Roots, 'position' | 'normal' | 'color' | 'uv'>;

function readMap(map: SurfaceMap, name: string, count: number, places: Places, noun: string): Float64Array {
  if (typeof map !== 'number' && typeof map !== 'function' && map.length !== count)
    throw new SceneError([name], `a map has ${map.length} values, expected ${count}: one a ${noun}`);
  return Float64Array.from({ length: count }, (_, i) => {
    const value = typeof map === 'number' ? map : typeof map === 'function' ? map(placeAt(places, i)) : map[i];
    if (Number.isFinite(value) && value >= 0) return value;
    const where = typeof map === 'number' ? '' : ` at ${noun} ${i}`;
    throw new SceneError([name], `must be zero or more, got ${value}${where}`);
  });
}

/** One of many places. */
export function placeAt({ position, normal, color, uv }: Places, i: number): SurfacePlace {
  const at = (array: Float64Array): Float64Array => array.subarray(3 * i, 3 * i + 3);
  return {
    position: at(position),
    normal: at(normal),
    color: at(color),
    ...(uv && { uv: uv.subarray(2 * i, 2 * i + 2) }),
  };
}

const mapVariables = ['x', 'y', 'z', 'nx', 'ny', 'nz', 'r', 'g', 'b', 'u', 'v'] as const;

/** A map from an expression in the place (x, y, z), the normal (nx, ny, nz), the colour (r, g, b) and the texture coordinates (u, v) of the surface. */
export function compileSurfaceMap(text: string, name: string): (place: SurfacePlace) => number {
  let evaluate: (values: ArrayLike<number>) => number;
  try {
    evaluate = compileExpression(text, mapVariables);
  } catch (error) {
    if (error instanceof ExpressionError) throw new SceneError([name], error.message);
    throw error;
  }
  const values = new Float64Array(11);
  const needsUv = /(?<!\w)[uv](?!\w)/.test(text);
  return ({ position, normal, color, uv }) => {
    if (needsUv && !uv)
      throw new SceneError(
        [name],
        'u and v are texture coordinates, which this mesh does not have: unwrap it and export it with UVs, or use x, y, z',
      );
    values[9] = uv?.[0] ?? 0;
    values[10] = uv?.[1] ?? 0;
    for (let k = 0; k < 3; k++) {
      values[k] = position[k];
      values[3 + k] = normal[k];
      values[6 + k] = color[k];
    }
    return evaluate(values);
  };
}
