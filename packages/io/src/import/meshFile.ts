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
  };
  return {
    ...about,
    mesh,
    animations: times.length > 1 ? [timelineName] : [],
    motion: () => ({ name: timelineName, times, positionsAt }),
  };
}

/** Polygons as fans of triangles. `clockwise`: the file winds them so, seen from outside. */
export function triangulate(
  counts: ArrayLike<number>,
  corners: ArrayLike<number>,
  { count, name, source }: { readonly count: number; readonly name: string; readonly source: string },
  clockwise: boolean,
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
      out.push(corners[first], corners[first + b], corners[first + c]);
    }
    first += size;
  }
  return out;
}
