/**
 * Edges of a rod as links see them: by the chord and the first axis of the frame, projected across the chord. Shear, by which the frame leans from the chord,
 * adds the chord's rates to those of the frame.
 */
import type { OutsideForces } from '../../model.ts';
import type { Samples } from '../../port.ts';
import { createMarkedEdge, measureMark } from '../edgeTurn.ts';
import { poseSamples, turnQuaternion } from './kinematics.ts';
import type { CosseratRod } from './rod.ts';

/** Unknowns of an edge's two nodes and, if asked for, of its frame. */
export function listEdgeUnknowns({ nodeCount }: CosseratRod, edge: number, of: 'nodes-and-turn' | 'nodes'): number[] {
  const a = 6 * edge;
  const b = 6 * ((edge + 1) % nodeCount);
  return [a, a + 1, a + 2, b, b + 1, b + 2, ...(of === 'nodes-and-turn' ? [a + 3, a + 4, a + 5] : [])];
}

const marked = createMarkedEdge();
const pose = new Float64Array(10);
const frame = new Float64Array(9);

/** Axes of the frame of the quaternion in `pose`. */
function writeFrame(): void {
  const [, , , , , , w, x, y, z] = pose;
  frame.set([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]);
  frame.set([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)], 3);
  frame.set([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 6);
}

/** Copies nodes and frame of an edge to `pose`. */
function readPose({ q, nodeCount }: CosseratRod, edge: number): void {
  const b = 7 * ((edge + 1) % nodeCount);
  for (let k = 0; k < 3; k++) {
    pose[k] = q[7 * edge + k];
    pose[3 + k] = q[b + k];
  }
  for (let k = 0; k < 4; k++) pose[6 + k] = q[7 * edge + 3 + k];
}

/** Rates of the turn of the edge in `pose`. */
function writePoseRates(out: Float64Array): void {
  writeFrame();
  measureMark(marked, { x: pose, a: 0, b: 3 }, frame, 0);
  const { turnPerMark: m, turnPerChord } = marked;
  for (let k = 0; k < 3; k++) {
    out[k] = -turnPerChord[k];
    out[3 + k] = turnPerChord[k];
    // a rotation about axis k moves the mark by d_k × d1
    const [x, y, z] = [frame[3 * k], frame[3 * k + 1], frame[3 * k + 2]];
    out[6 + k] =
      m[0] * (y * frame[2] - z * frame[1]) +
      m[1] * (z * frame[0] - x * frame[2]) +
      m[2] * (x * frame[1] - y * frame[0]);
  }
}

/** Rates of the turn of an edge by its nine unknowns: the two nodes, then rotations about the axes of the frame. */
export function writeTurnRates(out: Float64Array, cos: CosseratRod, edge: number): void {
  readPose(cos, edge);
  writePoseRates(out);
}

const turn = new Float64Array(3);

/** Rates of the turn of an edge by its nine unknowns, with one of them displaced. */
export function writeMovedRates(out: Float64Array, cos: CosseratRod, edge: number, unknown: number, by: number): void {
  readPose(cos, edge);
  if (unknown < 6) pose[unknown] += by;
  else {
    turn.fill(0);
    turn[unknown - 6] = by;
    turnQuaternion(pose, 6, turn, 0);
  }
  writePoseRates(out);
}

/** Writes the samples of the rod, with edges along their chords. */
export function poseChords(cos: CosseratRod, out: Samples): Samples {
  poseSamples(cos);
  out.nodePosition.set(cos.samples.nodePosition);
  for (let j = 0; j < cos.edgeCount; j++) {
    readPose(cos, j);
    writeFrame();
    measureMark(marked, { x: pose, a: 0, b: 3 }, frame, 0);
    out.edgeTangent.set(marked.tangent, 3 * j);
    out.edgeDirector.set(marked.across, 3 * j);
  }
  return out;
}

const turnRates = new Float64Array(9);

/** Subtracts the forces of links at rest from a residual. */
export function subtractLinkForces(cos: CosseratRod, residual: Float64Array): void {
  if (!cos.linkForces) return;
  const { nodeForce, edgeTorque }: OutsideForces = cos.linkForces;
  for (let i = 0; i < cos.nodeCount; i++) for (let k = 0; k < 3; k++) residual[6 * i + k] -= nodeForce[3 * i + k];
  for (let j = 0; j < cos.edgeCount; j++) {
    if (edgeTorque[j] === 0) continue;
    writeTurnRates(turnRates, cos, j);
    listEdgeUnknowns(cos, j, 'nodes-and-turn').forEach((d, k) => {
      residual[d] -= edgeTorque[j] * turnRates[k];
    });
  }
}
