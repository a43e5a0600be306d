/** Rims of the holes of a triangle mesh, and the caps that close them: triangles from each edge of a rim to the middle of the rim. */

/** A mesh whose caps are a larger part of its area than this is open: a scalp, a sheet, a bowl. */
export const holeLimit = 0.25;

/** Edges with one triangle, each from corner to corner as its triangle has them. */
export function findOpenEdges(triangle: Uint32Array): [number, number][] {
  const count = triangle.reduce((most, vertex) => Math.max(most, vertex), 0) + 1;
  const edges = new Set<number>();
  for (let i = 0; i < triangle.length; i++) {
    const next = i % 3 === 2 ? i - 2 : i + 1;
    edges.add(triangle[i] * count + triangle[next]);
  }
  const open: [number, number][] = [];
  for (const key of edges) {
    const [a, b] = [Math.floor(key / count), key % count];
    if (!edges.has(b * count + a)) open.push([a, b]);
  }
  return open;
}

/** Loops of open edges, in the direction in which a face that closes them runs. */
export function joinRims(openEdges: readonly (readonly [number, number])[]): number[][] {
  /** Next vertices along the open edges at a vertex; several if loops touch. */
  const after = new Map<number, number[]>();
  for (const [a, b] of openEdges) {
    const list = after.get(b);
    if (list) list.push(a);
    else after.set(b, [a]);
  }
  const rims: number[][] = [];
  for (const start of after.keys()) {
    while (after.get(start)?.length) {
      const rim: number[] = [];
      let vertex = start;
      for (let to = after.get(vertex)?.pop(); to !== undefined; to = after.get(vertex)?.pop()) {
        rim.push(vertex);
        vertex = to;
        if (vertex === start) break;
      }
      if (rim.length > 2) rims.push(rim);
    }
  }
  return rims;
}

/** Mean of the vertices of a rim. */
export function middleOf(position: Float64Array, rim: readonly number[]): number[] {
  return [0, 1, 2].map((k) => rim.reduce((sum, vertex) => sum + position[3 * vertex + k], 0) / rim.length);
}

/** [m²] of the triangles from a rim to its middle. */
export function capArea(p: Float64Array, rim: readonly number[], middle: readonly number[]): number {
  return rim.reduce((sum, vertex, k) => {
    const next = rim[(k + 1) % rim.length];
    const u = middle.map((m, i) => p[3 * vertex + i] - m);
    const v = middle.map((m, i) => p[3 * next + i] - m);
    const cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    return sum + 0.5 * Math.sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
  }, 0);
}
