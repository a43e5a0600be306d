/**
 * Makes an obstacle of a triangle mesh as artists leave it: vertices split at seams are joined, faces turned outwards, holes closed.
 *
 * A hole is closed by triangles from its rim to the middle of the rim. A mesh that is mostly hole, such as a scalp or a sheet, has no
 * inside: it stays an open surface, which rods meet from both sides.
 */
import { capArea, findOpenEdges, holeLimit, joinRims, middleOf } from './rims.ts';
import { createSurface } from './surface.ts';

export interface SolidMesh {
  readonly vertices: Float64Array;
  readonly triangles: Int32Array;
  /** False: the mesh is an open surface. */
  readonly solid: boolean;
  /** Changes made to the mesh, for a warning; empty if there were none. */
  readonly changes: readonly string[];
  /** Moves vertices given in the order of the input to the order of `vertices`. */
  readonly arrange: (input: ArrayLike<number>) => Float64Array;
}

/** `wanted`: true closes holes of any size; undefined closes small ones. `path`: field of the mesh in the scene, for errors. */
export function makeSolid(
  position: ArrayLike<number>,
  triangle: ArrayLike<number>,
  { wanted }: { readonly wanted: boolean | undefined },
  path: readonly (string | number)[] = ['mesh'],
): SolidMesh {
  const surface = createSurface({ position, triangle }, path);
  const { report, source } = surface;
  const changes = describe(report);
  const open = (reason: string): SolidMesh => ({
    vertices: surface.position,
    triangles: Int32Array.from(surface.triangle),
    solid: false,
    changes: [...changes, reason],
    arrange: (input) => pick(input, source),
  });
  if (report.branched > 0) return open('it acts as a thin surface with two sides');
  const rims = joinRims(findOpenEdges(surface.triangle));
  const middles = rims.map((rim) => middleOf(surface.position, rim));
  const closed = rims.reduce((sum, rim, k) => sum + capArea(surface.position, rim, middles[k]), 0);
  const part = closed / (closed + report.area);
  if (part > holeLimit && wanted !== true) {
    const percent = Math.round(100 * part);
    return open(`it is open (holes are ${percent} % of its area) and met as a thin surface, from both sides`);
  }
  if (rims.length > 0) changes.push(`${rims.length} ${rims.length === 1 ? 'hole is' : 'holes are'} closed`);
  const triangles = [...surface.triangle];
  let next = surface.position.length / 3;
  for (const rim of rims) {
    if (rim.length === 3) triangles.push(rim[0], rim[1], rim[2]);
    else {
      rim.forEach((vertex, k) => {
        triangles.push(vertex, rim[(k + 1) % rim.length], next);
      });
      next++;
    }
  }
  const arrange = (input: ArrayLike<number>): Float64Array => {
    const kept = pick(input, source);
    const added = rims.filter(({ length }) => length > 3).flatMap((rim) => middleOf(kept, rim));
    const out = new Float64Array(kept.length + added.length);
    out.set(kept);
    out.set(added, kept.length);
    return out;
  };
  return { vertices: arrange(position), triangles: Int32Array.from(triangles), solid: true, changes, arrange };
}

function describe({
  merged,
  degenerate,
  flipped,
  branched,
}: {
  readonly merged: number;
  readonly degenerate: number;
  readonly flipped: number;
  readonly branched: number;
}): string[] {
  return [
    merged > 0 ? `${merged} vertices at the place of another are joined` : '',
    degenerate > 0 ? `${degenerate} triangles without area are left out` : '',
    flipped > 0 ? `${flipped} triangles faced the wrong way and are turned` : '',
    branched > 0 ? `${branched} edges have more than two triangles` : '',
  ].filter((words) => words !== '');
}

function pick(values: ArrayLike<number>, source: Uint32Array): Float64Array {
  return Float64Array.from({ length: 3 * source.length }, (_, k) => values[3 * source[Math.floor(k / 3)] + (k % 3)]);
}
