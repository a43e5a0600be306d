/** Edges of a rod as links see them: by the chord, and by the ghost, which turns about it. */
import type { OutsideForces } from '../../model.ts';
import { createMarkedEdge, measureMark } from '../edgeTurn.ts';
import type { Hair } from './rod.ts';

/** First unknowns of an edge's two nodes and of its ghost. */
function placesOf({ start, stride }: Hair, edge: number): readonly [number, number, number] {
  const a = 3 * (start + stride * edge);
  return [a, a + 3 * stride, a + 3];
}

export function listEdgeUnknowns(hair: Hair, edge: number, of: 'nodes-and-turn' | 'nodes'): number[] {
  const [a, b, ghost] = placesOf(hair, edge);
  return (of === 'nodes-and-turn' ? [a, b, ghost] : [a, b]).flatMap((o) => [o, o + 1, o + 2]);
}

const marked = createMarkedEdge();
const pose = new Float64Array(9);
const mark = new Float64Array(3);

/** Copies the particles of an edge to `pose`: its nodes, and its ghost. */
function readPose(hair: Hair, edge: number): void {
  placesOf(hair, edge).forEach((o, p) => {
    for (let k = 0; k < 3; k++) pose[3 * p + k] = hair.q[o + k];
  });
}

/** Rates of the turn of the edge in `pose`. */
function writePoseRates(out: Float64Array): void {
  for (let k = 0; k < 3; k++) mark[k] = pose[6 + k] - 0.5 * (pose[k] + pose[3 + k]);
  measureMark(marked, { x: pose, a: 0, b: 3 }, mark, 0);
  const { turnPerMark, turnPerChord } = marked;
  for (let k = 0; k < 3; k++) {
    out[k] = -0.5 * turnPerMark[k] - turnPerChord[k];
    out[3 + k] = -0.5 * turnPerMark[k] + turnPerChord[k];
    out[6 + k] = turnPerMark[k];
  }
}

/** Rates of the turn of an edge by its nine unknowns, with one of them displaced. */
export function writeMovedRates(out: Float64Array, hair: Hair, edge: number, unknown: number, by: number): void {
  readPose(hair, edge);
  pose[unknown] += by;
  writePoseRates(out);
}

/** Rates of the turn of an edge by its nine unknowns: both nodes, and the ghost. */
export function writeTurnRates(out: Float64Array, hair: Hair, edge: number): void {
  writeMovedRates(out, hair, edge, 0, 0);
}

const turnRates = new Float64Array(9);

/** Subtracts the forces of links at rest from a residual. */
export function subtractLinkForces(hair: Hair, residual: Float64Array): void {
  if (!hair.linkForces) return;
  const { nodeForce, edgeTorque }: OutsideForces = hair.linkForces;
  for (let i = 0; i < hair.rod.nodeCount; i++)
    for (let k = 0; k < 3; k++) residual[3 * (hair.start + hair.stride * i) + k] -= nodeForce[3 * i + k];
  for (let j = 0; j < hair.rod.edgeCount; j++) {
    if (edgeTorque[j] === 0) continue;
    writeTurnRates(turnRates, hair, j);
    listEdgeUnknowns(hair, j, 'nodes-and-turn').forEach((d, k) => {
      residual[d] -= edgeTorque[j] * turnRates[k];
    });
  }
}
