/**
 * Draws a smooth curve (Catmull–Rom) through the nodes of a rod, which are samples of one. A sharp turn at a node is either
 * a true corner or too coarse to smooth, so it remains a corner.
 */
import type { Vector } from './view.ts';

const sharp = Math.cos((50 * Math.PI) / 180);

/** Each edge cut into `parts`; node i of the input is node i·parts of the result. */
export function refineCurve(points: ArrayLike<number>, closed: boolean, parts: number): ArrayLike<number> {
  const nodes = points.length / 3;
  if (parts <= 1 || nodes < 3 || turnsSharply(points, closed)) return repeat(points, closed, parts);
  const at = (i: number, k: number): number => {
    if (closed) return points[3 * ((i + nodes) % nodes) + k];
    // beyond an end the curve goes on straight
    if (i < 0) return 2 * points[k] - points[3 + k];
    if (i >= nodes) return 2 * points[3 * (nodes - 1) + k] - points[3 * (nodes - 2) + k];
    return points[3 * i + k];
  };
  return cut(points, closed, parts, (i, u, k) => {
    const [a, b, c, d] = [at(i - 1, k), at(i, k), at(i + 1, k), at(i + 2, k)];
    return b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
  });
}

function repeat(points: ArrayLike<number>, closed: boolean, parts: number): ArrayLike<number> {
  if (parts <= 1) return points;
  const nodes = points.length / 3;
  return cut(points, closed, parts, (i, u, k) => points[3 * i + k] * (1 - u) + points[3 * ((i + 1) % nodes) + k] * u);
}

function cut(
  points: ArrayLike<number>,
  closed: boolean,
  parts: number,
  between: (edge: number, u: number, axis: number) => number,
): Float64Array {
  const nodes = points.length / 3;
  const edges = closed ? nodes : nodes - 1;
  const out = new Float64Array(3 * (edges * parts + (closed ? 0 : 1)));
  for (let i = 0; i < edges; i++) {
    for (let j = 0; j < parts; j++) {
      for (let k = 0; k < 3; k++) out[3 * (i * parts + j) + k] = j === 0 ? points[3 * i + k] : between(i, j / parts, k);
    }
  }
  if (!closed) for (let k = 0; k < 3; k++) out[3 * edges * parts + k] = points[3 * (nodes - 1) + k];
  return out;
}

function turnsSharply(points: ArrayLike<number>, closed: boolean): boolean {
  const nodes = points.length / 3;
  const edge = (i: number): Vector => {
    const [a, b] = [3 * (i % nodes), 3 * ((i + 1) % nodes)];
    return [points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]];
  };
  const joints = closed ? nodes : nodes - 2;
  for (let i = 0; i < joints; i++) {
    const [a, b] = [edge(i), edge(i + 1)];
    const product = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if (product < sharp * Math.hypot(...a) * Math.hypot(...b)) return true;
  }
  return false;
}
