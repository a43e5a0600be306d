/** A file with meshes, opened: the mesh at rest in the unit and axes of the file, and its animations. Formats that consist of parts join them here. */
import { InputError } from '../errors.ts';
import type { UpAxis } from './curves.ts';

/** Triangles in metres with z up. */
export interface TriangleMesh {
  /** 3 per vertex; metres with z up after `readMesh`. */
  readonly position: Float64Array;
  /** Corners, 3 per triangle, anticlockwise seen from outside. */
  readonly triangle: Uint32Array;
  /** Linear RGB, 3 per vertex, where the file has colours: they can serve as maps. */
  readonly color?: Float64Array;
  /** Texture coordinates of the corners, 6 per triangle, where the file has them; (0, 0) is the bottom left of a picture. */
  readonly uv?: Float64Array;
  /** What was omitted or assumed when the file was read. */
  readonly warnings?: readonly string[];
}

/** How the vertices of a mesh move. */
export interface MeshMotion {
  /** Name of the animation in the file. */
  readonly name: string;
  /** Times of its keys [s], increasing. */
  readonly times: readonly number[];
  /** Vertices at a time, in the order of the mesh. */
  positionsAt(time: number): Float64Array;
}

export interface MeshFile {
  /** In the unit and axes of the file. */
  readonly mesh: TriangleMesh;
  /** Metres per unit of the file. */
  readonly unit: number;
  readonly up: UpAxis;
  /** Names of the animations. */
  readonly animations: readonly string[];
  /** The animation of that name; throws InputError. */
  motion(name: string): MeshMotion;
  /** What was omitted or assumed. */
  readonly warnings: readonly string[];
}

/** A mesh of the file whose faces stay and whose vertices may move. */
export interface MeshPart {
  readonly name: string;
  /** Number of vertices. */
  readonly count: number;
  /** Anticlockwise seen from outside. */
  readonly triangle: readonly number[];
  readonly color?: Float64Array;
  /** Texture coordinates of the corners, 6 per triangle; (0, 0) is the bottom left of a picture. */
  readonly uv?: ArrayLike<number>;
  /** In the axes of the file, at a time [s]; undefined: at rest. */
  positionsAt(time: number | undefined): Float64Array;
}

/** The name of the only animation of a file that has a timeline instead of named animations. */
export const timelineName = '0';

/** All parts as one mesh, which moves if there are `times`. */
export function joinParts(
  parts: readonly MeshPart[],
  {
    source,
    times,
    ...about
  }: Pick<MeshFile, 'unit' | 'up' | 'warnings'> & { readonly source: string; readonly times: readonly number[] },
): MeshFile {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const positionsAt = (time: number | undefined): Float64Array => {
    const out = new Float64Array(3 * total);
    let at = 0;
    for (const part of parts) {
      const position = part.positionsAt(time);
      const when = time === undefined ? '' : ` at ${time} s`;
      if (position.length !== 3 * part.count)
        throw new InputError(
          source,
          `'${part.name}' has ${position.length / 3} vertices${when} and ${part.count} at first; their number must stay`,
        );
      const wrong = position.findIndex((x) => !Number.isFinite(x));
      if (wrong >= 0)
        throw new InputError(source, `vertex ${Math.floor(wrong / 3)} of '${part.name}' is not finite${when}`);
      out.set(position, at);
      at += position.length;
    }
    return out;
  };
  const triangle: number[] = [];
  let first = 0;
  for (const part of parts) {
    for (const corner of part.triangle) triangle.push(first + corner);
    first += part.count;
  }
  if (triangle.length === 0) throw new InputError(source, 'there are no triangles in it');
  const color = parts.every((part) => part.color) ? parts.flatMap((part) => [...(part.color ?? [])]) : undefined;
  const mesh = {
    position: positionsAt(undefined),
    triangle: Uint32Array.from(triangle),
    ...(color && { color: Float64Array.from(color) }),
    ...joinUv(parts),
  };
  return {
    ...about,
    mesh,
    animations: times.length > 1 ? [timelineName] : [],
    motion: () => ({ name: timelineName, times, positionsAt }),
  };
}

/** Texture coordinates of all parts; none if no part has any. Those without have zeros. */
export function joinUv(parts: readonly { readonly uv?: ArrayLike<number>; readonly triangle: ArrayLike<number> }[]): {
  readonly uv?: Float64Array;
} {
  if (!parts.some(({ uv }) => uv)) return {};
  const out = new Float64Array(2 * parts.reduce((sum, { triangle }) => sum + triangle.length, 0));
  let at = 0;
  for (const { uv, triangle } of parts) {
    if (uv) out.set(uv, at);
    at += 2 * triangle.length;
  }
  return { uv: out };
}

/** Polygons as fans of triangles, and texture coordinates with them. */
export interface Triangulated {
  readonly triangle: number[];
  readonly uv?: Float64Array;
}

/** Texture coordinates as a file has them: values, and for each corner or vertex which of them, or all in order. */
export interface FileUv {
  readonly values: Float64Array;
  readonly index?: ArrayLike<number>;
}

/**
 * Splits the polygons of a file into triangles. `clockwise`: the file winds them so, seen from outside. Texture coordinates that belong neither to the
 * corners nor to the vertices are omitted.
 */
export function triangulate(
  counts: ArrayLike<number>,
  corners: ArrayLike<number>,
  about: { readonly count: number; readonly name: string; readonly source: string; readonly clockwise: boolean },
  file: FileUv | undefined,
): Triangulated {
  const fan = fanCorners(counts, corners, about);
  const triangle = fan.map((k) => corners[k]);
  if (!file) return { triangle };
  const { values, index } = file;
  const given = index?.length ?? values.length / 2;
  const which = given === corners.length ? fan : given === about.count ? triangle : undefined;
  if (!which) return { triangle };
  const uv = new Float64Array(2 * which.length);
  which.forEach((k, corner) => {
    const at = index ? index[k] : k;
    for (let c = 0; c < 2; c++) {
      const value = values[2 * at + c];
      if (!Number.isFinite(value))
        throw new InputError(about.source, `texture coordinate ${at} of '${about.name}' is missing or not finite`);
      uv[2 * corner + c] = value;
    }
  });
  return { triangle, uv };
}

/** Which corners of polygons form triangles. */
function fanCorners(
  counts: ArrayLike<number>,
  corners: ArrayLike<number>,
  {
    count,
    name,
    source,
    clockwise,
  }: { readonly count: number; readonly name: string; readonly source: string; readonly clockwise: boolean },
): number[] {
  const out: number[] = [];
  let first = 0;
  for (let f = 0; f < counts.length; f++) {
    const size = counts[f];
    if (!(size >= 0) || first + size > corners.length)
      throw new InputError(source, `face ${f} of '${name}' names more corners than the file has`);
    for (let k = 0; k < size; k++)
      if (!(corners[first + k] >= 0 && corners[first + k] < count))
        throw new InputError(
          source,
          `face ${f} of '${name}' names vertex ${corners[first + k]}, and there are ${count} vertices`,
        );
    for (let k = 2; k < size; k++) {
      const [b, c] = clockwise ? [k, k - 1] : [k - 1, k];
      out.push(first, first + b, first + c);
    }
    first += size;
  }
  return out;
}
