/**
 * Initial values of a motion. Frames without inertia are in equilibrium at every instant, also at the first, for the given nodes. The search for this
 * equilibrium gives rigid edges a finite stiffness; afterwards it aligns d3 with them again.
 */

import { multiplyQuaternions } from '../../math/quaternion.ts';
import { hypot } from '../../math/rounded/index.ts';
import { evaluatePins, measureStrain } from './kinematics.ts';
import { solveStage } from './newton.ts';
import type { CosseratRod } from './rod.ts';
import type { Workspace } from './stage.ts';
import { returnToSnapshot, type Snapshot, takeSnapshot } from './step.ts';
import { stiffEnough } from './tangent.ts';

export function relaxFrames(cos: CosseratRod, work: Workspace, start: Snapshot, t: number): void {
  const { mass, size, edgeCount, edgeStiffness, stiffnessScale, fixed, rod } = cos;
  let massless = false;
  for (let j = 0; j < edgeCount; j++) massless ||= mass[6 * j + 5] === 0;
  if (!massless) return;
  takeSnapshot(start, cos);
  const stiffness = edgeStiffness.slice();
  for (let o = 0; o < 3 * edgeCount; o++) {
    const j = (o / 3) | 0;
    if (edgeStiffness[o] === Infinity)
      edgeStiffness[o] = stiffEnough(cos) * stiffnessScale[6 * j] * rod.edgeLengthRest[j];
  }
  // unknowns with mass do not move
  for (let d = 0; d < size; d++) fixed[d] = d % 6 < 3 || mass[d] > 0 ? 1 : 0;
  const velocity = cos.v.slice();
  const options = { tolerance: 1e-12, iterations: 60, rotation: 0.5 };
  const { converged } = solveStage(cos, work, { t, rate: 0, descent: 0 }, options);
  edgeStiffness.set(stiffness);
  if (!converged) returnToSnapshot(cos, start);
  else if (stiffness.includes(Infinity)) {
    for (let j = 0; j < edgeCount; j++) alignEdge(cos, j);
    cos.edgeForce.fill(0);
  }
  cos.v.set(velocity);
  evaluatePins(cos, t);
  measureStrain(cos);
}

const turn = new Float64Array(4);

/** Turns a frame by the smallest rotation that lays its d3 along the edge. */
function alignEdge(cos: CosseratRod, j: number): void {
  const { q, edgeFrame, nodeCount } = cos;
  const b = j + 1 < nodeCount ? 7 * j + 7 : 0;
  const e = [0, 1, 2].map((k) => q[b + k] - q[7 * j + k]);
  const length = hypot(e[0], e[1], e[2]);
  const d = [edgeFrame[9 * j + 6], edgeFrame[9 * j + 7], edgeFrame[9 * j + 8]];
  const cosine = (d[0] * e[0] + d[1] * e[1] + d[2] * e[2]) / length;
  turn[0] = 1 + cosine;
  turn[1] = (d[1] * e[2] - d[2] * e[1]) / length;
  turn[2] = (d[2] * e[0] - d[0] * e[2]) / length;
  turn[3] = (d[0] * e[1] - d[1] * e[0]) / length;
  const size = hypot(turn[0], turn[1], turn[2], turn[3]);
  for (let k = 0; k < 4; k++) turn[k] /= size;
  multiplyQuaternions(q, 7 * j + 3, turn, 0, q, 7 * j + 3);
}
