/**
 * Positions of a rod's nodes, as fractions u of its rest length, and the node or edge that a Location in the scene means.
 *
 * A rod along a smooth curve gets a node exactly at each pin: the pins divide it into pieces, and each piece gets a number of
 * equal edges in proportion to its length. A polyline keeps its nodes; a pin that is not at a node is an error that names the nearest one.
 */
import { SceneError } from '../errors.ts';
import type { Location } from './values.ts';
import type { Path } from './varying.ts';

export interface Layout {
  readonly closed: boolean;
  readonly edgeCount: number;
  readonly nodeCount: number;
  /** Fractions of the rest length, edgeCount + 1 of them, from 0 to 1. */
  readonly nodeU: readonly number[];
  /** Rest length [m]. */
  readonly length: number;
}

export function createLayout(nodeU: readonly number[], closed: boolean, length: number): Layout {
  const edgeCount = nodeU.length - 1;
  return { closed, edgeCount, nodeCount: closed ? edgeCount : edgeCount + 1, nodeU, length };
}

/** Pins closer together than this share a node, as a fraction of the length; a pin must be this close to a node of a rod along a curve. */
const sameCut = 1e-9;
/** How far from a pin a node of a polyline may be, as a fraction of the length. */
const sameNode = 1e-6;

/** Fraction u of a location, before the rod has nodes; undefined for `{ node }`. */
export function fractionOf(at: Location, length: number, path: Path): number | undefined {
  if (at === 'start') return 0;
  if (at === 'end') return 1;
  if ('node' in at) return undefined;
  if ('u' in at) {
    if (!(at.u >= 0 && at.u <= 1))
      throw new SceneError([...path, 'u'], `u is ${at.u}; it must be from 0 to 1 (the fraction of the rest length)`);
    return at.u;
  }
  if (!(at.s >= 0 && at.s <= length * (1 + sameCut))) {
    throw new SceneError(
      [...path, 's'],
      `s is ${at.s} m, but the rod's rest length is ${Number(length.toPrecision(9))} m; give s from 0 to that`,
    );
  }
  return Math.min(at.s / length, 1);
}

/** Nodes of a rod with `edges` edges that is cut at the fractions `cuts`. */
export function layNodes(edges: number, cuts: readonly number[], path: Path): number[] {
  const borders = [0];
  for (const u of [...cuts].sort((a, b) => a - b)) {
    if (u - borders[borders.length - 1] > sameCut && 1 - u > sameCut) borders.push(u);
  }
  borders.push(1);
  const pieces = borders.length - 1;
  if (edges < pieces)
    throw new SceneError(
      path,
      `${edges} edges cannot reach all pins: they cut the rod into ${pieces} pieces; use at least ${pieces} edges`,
    );
  const share = Array.from({ length: pieces }, (_, k) => (borders[k + 1] - borders[k]) * edges);
  const counts = share.map((want) => Math.max(1, Math.round(want)));
  // if rounding misses the total, the piece that it suits best loses or gains an edge
  for (let left = edges - counts.reduce((sum, count) => sum + count, 0); left !== 0; left -= Math.sign(left)) {
    let best = -1;
    for (let k = 0; k < pieces; k++) {
      if (left < 0 && counts[k] === 1) continue;
      if (best < 0 || Math.sign(left) * (share[k] - counts[k] - (share[best] - counts[best])) > 0) best = k;
    }
    counts[best] += Math.sign(left);
  }
  const nodeU = [0];
  counts.forEach((count, k) => {
    for (let i = 1; i < count; i++) nodeU.push(borders[k] + ((borders[k + 1] - borders[k]) * i) / count);
    nodeU.push(borders[k + 1]);
  });
  return nodeU;
}

function checkNode(node: number, layout: Layout, path: Path): number {
  if (!Number.isInteger(node) || node < 0 || node >= layout.nodeCount) {
    throw new SceneError(
      [...path, 'node'],
      `node ${node} does not exist; the rod has nodes 0 to ${layout.nodeCount - 1}`,
    );
  }
  return node;
}

/** The node that a pin holds. */
export function findNode(at: Location, layout: Layout, path: Path): number {
  if (typeof at === 'object' && 'node' in at) return checkNode(at.node, layout, path);
  const u = fractionOf(at, layout.length, path) as number;
  let nearest = 0;
  layout.nodeU.forEach((place, i) => {
    if (Math.abs(place - u) < Math.abs(layout.nodeU[nearest] - u)) nearest = i;
  });
  if (Math.abs(layout.nodeU[nearest] - u) > sameNode) {
    const place = Number(layout.nodeU[nearest].toPrecision(9));
    throw new SceneError(
      path,
      `no node lies there; the nearest is node ${nearest % layout.nodeCount} at u = ${place}. Pin that one, add a point, or set 'edges', which places new nodes`,
    );
  }
  return nearest % layout.nodeCount;
}

/** A point on an edge: `fraction` from its first node to its second; `node` is −1 if it is not at a node. */
export interface Place {
  readonly edge: number;
  readonly fraction: number;
  readonly node: number;
}

export function findPlace(at: Location, layout: Layout, path: Path): Place {
  const { nodeU, edgeCount, nodeCount } = layout;
  const byNode = typeof at === 'object' && 'node' in at;
  const u = byNode ? nodeU[checkNode(at.node, layout, path)] : (fractionOf(at, layout.length, path) as number);
  let edge = 0;
  while (edge < edgeCount - 1 && nodeU[edge + 1] <= u) edge++;
  const fraction = (u - nodeU[edge]) / (nodeU[edge + 1] - nodeU[edge]);
  if (fraction < sameCut * edgeCount) return { edge, fraction: 0, node: edge };
  if (fraction > 1 - sameCut * edgeCount) return { edge, fraction: 1, node: (edge + 1) % nodeCount };
  return { edge, fraction, node: -1 };
}
