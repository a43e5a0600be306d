/**
 * Divides a curve into edges: nodes, edge lengths and frames.
 *
 * Along a smooth curve, edge j has the arc length ds of its piece and the direction of the tangent at its middle, and nodes are
 * chained: x' = x + ds·t. Chords of sampled points would be shorter than ds and turn by another angle; here a circle becomes
 * the polygon with edges ds that turn by exactly ds/R. The chain drifts from the curve by O(ds²). On a closed curve it
 * misses its start, by very little if the curve is smooth and the edges are equal. The gap is distributed linearly over the
 * nodes, and Newton steps along the edges restore their lengths.
 */
import type { FrameRule } from '../curve/framing.ts';
import { FramingError, frameCurve, framePolyline } from '../curve/framing.ts';
import type { Curve } from '../curve/shapes.ts';
import { positionAt } from '../curve/shapes.ts';
import type { Frame, Vector } from '../curve/vector.ts';
import {
  add,
  addScaled,
  advanceFrame,
  dot,
  norm,
  normalize,
  rotationBetween,
  scale,
  subtract,
  transportFrame,
} from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { solveCyclicSymmetric } from '../linalg/tridiagonal.ts';
import type { Path } from './varying.ts';

export interface Trace {
  /** Nodes; a closed rod has as many as edges. */
  readonly position: readonly Vector[];
  /** [m] */
  readonly edgeLength: readonly number[];
  /** At node 0, the middle of edge 0, node 1 … node n; if closed, also at the middle of edge 0 again, after one round. */
  readonly frames: readonly Frame[];
}

/** Arc lengths or fractions of nodes and middles in the order of `Trace.frames`. */
export function placesOf(nodes: readonly number[], { closed }: { readonly closed: boolean }): number[] {
  const n = nodes.length - 1;
  const places: number[] = [];
  for (let j = 0; j < n; j++) places.push(nodes[j], (nodes[j] + nodes[j + 1]) / 2);
  places.push(nodes[n]);
  if (closed) places.push(nodes[n] + (nodes[1] - nodes[0]) / 2);
  return places;
}

/** Runs `build`; a frame that cannot be built is an error of the field `frame`. */
export function framed<T>(path: Path, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (error instanceof FramingError) throw new SceneError([...path, 'frame', error.field], error.message);
    throw error;
  }
}

export function traceCurve(curve: Curve, nodeU: readonly number[], closed: boolean, rule: FrameRule): Trace {
  const n = nodeU.length - 1;
  const arcs = nodeU.map((u) => u * curve.length);
  const frames = frameCurve(curve, placesOf(arcs, { closed: closed && curve.closed }), rule);
  const chain: Vector[] = [positionAt(curve, curve.parameter(0))];
  for (let j = 0; j < n; j++) chain.push(addScaled(chain[j], frames[2 * j + 1].tangent, arcs[j + 1] - arcs[j]));
  if (!closed || !curve.closed) {
    return { position: chain, edgeLength: arcs.slice(1).map((arc, j) => arc - arcs[j]), frames };
  }
  const edgeLength = arcs.slice(1).map((arc, j) => arc - arcs[j]);
  const position = closeChain(chain, nodeU, edgeLength);
  // the edges have turned slightly, so their frames are updated
  const edge = (j: number): Vector => subtract(position[(j + 1) % n], position[j % n]);
  const turned = frames.map((frame, k) => (k % 2 === 1 ? transportFrame(frame, normalize(edge((k - 1) / 2))) : frame));
  return { position, edgeLength, frames: turned };
}

/** Nodes of a closed chain whose last point missed the first; edges end up with their lengths, node 0 if it was. */
function closeChain(chain: readonly Vector[], nodeU: readonly number[], edgeLength: readonly number[]): Vector[] {
  const n = edgeLength.length;
  const gap = subtract(chain[n], chain[0]);
  let position = chain.slice(0, n).map((x, i) => addScaled(x, gap, -nodeU[i]));
  for (let iteration = 0; iteration < 20; iteration++) {
    const edges = position.map((x, j) => subtract(position[(j + 1) % n], x));
    const excess = edges.map((edge, j) => (dot(edge, edge) - edgeLength[j] * edgeLength[j]) / 2);
    if (excess.every((value, j) => Math.abs(value) < 4e-16 * (edgeLength[j] * edgeLength[j]))) break;
    // least change of positions that removes the excess to first order
    const pull = solveCyclicSymmetric(
      edges.map((edge) => 2 * dot(edge, edge)),
      edges.map((edge, j) => -dot(edge, edges[(j + 1) % n])),
      excess,
    );
    position = position.map((x, i) =>
      addScaled(addScaled(x, edges[i], pull[i]), edges[(i + n - 1) % n], -pull[(i + n - 1) % n]),
    );
  }
  const shift = subtract(chain[0], position[0]);
  return position.map((x) => add(x, shift));
}

export function tracePolyline(points: readonly Vector[], closed: boolean, rule: FrameRule, path: Path): Trace {
  const n = closed ? points.length : points.length - 1;
  const tangents: Vector[] = [];
  const edgeLength: number[] = [];
  for (let j = 0; j < n; j++) {
    const edge = subtract(points[(j + 1) % points.length], points[j]);
    tangents.push(normalize(edge));
    edgeLength.push(norm(edge));
  }
  for (let j = 0; j < n; j++) {
    const next = j + 1 < n ? j + 1 : 0;
    if ((j + 1 < n || closed) && 1 + dot(tangents[j], tangents[next]) < 1e-9) {
      throw new SceneError(
        [...path, 'points', next],
        `the rod folds back on itself at point ${next}; a joint cannot turn by 180°`,
      );
    }
  }
  const divide = (before: Frame, after: Frame, share: number): Frame =>
    advanceFrame(before, scale(rotationBetween(before, after), share));
  return { position: points, edgeLength, frames: framePolyline(tangents, edgeLength, closed, rule, divide) };
}
