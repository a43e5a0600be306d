/**
 * Ghost particles of a rod whose initial shape is not its natural shape.
 *
 * Bending a truss moves its ghosts along the segment and across it. At the positions of a stress-free rod they stretch the stiff springs between them: a
 * hair with a bent initial shape began with about fifty times the energy of its bending, and released it violently. This file places them at the minimum of the spring
 * energy (Gauss–Newton with descent). The nodes stay fixed, because they are the rod's shape, and so does the angle about the axis of every other ghost,
 * because these are its twist. The angles of the ghosts between them are free: bending turns the two kinds of ghosts against each other. With all angles
 * fixed, a bent hair has 1.35 times its energy, for any number of edges; this way 1.00, and a twisted one 1.02 (both without altitude springs).
 *
 * A rod that starts in its natural shape has unstrained springs and is not changed.
 */

import { addWide, clearWide, factorWide, fixWide, solveWide } from '../../linalg/wideBand.ts';
import { hypot } from '../../math/rounded/index.ts';
import { addRowForce, addRowMatrix, forEachRow } from './energy.ts';
import { measureEdge } from './kinematics.ts';
import type { Hair } from './rod.ts';
import type { Workspace } from './step.ts';

const most = 60;

function elasticEnergy(hair: Hair): number {
  let sum = 0;
  forEachRow(hair, hair.q, hair.q, (row) => {
    sum += 0.5 * row.stiffness * row.value * row.value;
  });
  return sum;
}

/** Moves only the ghosts; changes nothing if no spring is strained or the energy does not decrease. */
export function layGhosts(hair: Hair, work: Workspace): void {
  const { rod, q, size, start, stride, fixed, springs, stiffnessScale } = hair;
  const strain = (s: number): number => {
    const [a, b] = [3 * springs.a[s], 3 * springs.b[s]];
    return Math.abs(hypot(q[b] - q[a], q[b + 1] - q[a + 1], q[b + 2] - q[a + 2]) / springs.rest[s] - 1);
  };
  let strained = 0;
  for (let s = 0; s < springs.count; s++) strained = Math.max(strained, strain(s));
  if (strained < 1e-9) return;
  const held = fixed.slice();
  for (let i = 0; i < rod.nodeCount; i++) fixed.fill(1, 3 * (start + stride * i), 3 * (start + stride * i) + 3);
  const spin = spinDirections(hair);
  const { matrix, factor, right } = work;
  const before = q.slice();
  let energy = elasticEnergy(hair);
  for (let iteration = 0; iteration < most; iteration++) {
    clearWide(matrix);
    right.fill(0);
    forEachRow(hair, q, q, (row) => {
      addRowForce(right, row, -1);
      addRowMatrix(matrix, row, row.stiffness);
    });
    holdAngles(hair, work, spin);
    for (let d = 0; d < size; d++) {
      if (!fixed[d]) continue;
      fixWide(matrix, d);
      right[d] = 0;
    }
    if (!factorWide(factor, matrix, 1e-9, stiffnessScale, 'stop-at-negative')) break;
    solveWide(factor, matrix, right);
    before.set(q);
    let [part, lower] = [1, Infinity];
    for (; part > 1e-3; part /= 2) {
      for (let d = 0; d < size; d++) q[d] = before[d] + part * right[d];
      lower = elasticEnergy(hair);
      if (lower < energy) break;
    }
    if (!(lower < energy)) {
      q.set(before);
      break;
    }
    const gain = energy - lower;
    energy = lower;
    if (gain < 1e-10 * energy) break;
  }
  fixed.set(held);
}

/** Direction in which each ghost rotates about the axis, normal to its offset and its segment; 3 per edge. */
function spinDirections(hair: Hair): Float64Array {
  const out = new Float64Array(3 * hair.rod.edgeCount);
  const edge = new Float64Array(6);
  for (let j = 0; j < hair.rod.edgeCount; j++) {
    measureEdge(edge, hair, hair.q, j);
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      out[3 * j + k] = edge[a] * edge[3 + b] - edge[b] * edge[3 + a];
    }
  }
  return out;
}

/** Removes the rotation from the forces, and makes it far stiffer than anything else. */
function holdAngles({ rod, start, springs }: Hair, { matrix, right }: Workspace, spin: Float64Array): void {
  const stiff = 1e6 * springs.stiffness.reduce((a, b) => Math.max(a, b), 0);
  for (let j = 0; j < rod.edgeCount; j++) {
    if (j % 2 !== 0 && j !== rod.edgeCount - 1) continue;
    const g = 3 * (start + 2 * j + 1);
    let along = 0;
    for (let k = 0; k < 3; k++) along += right[g + k] * spin[3 * j + k];
    for (let k = 0; k < 3; k++) {
      right[g + k] -= along * spin[3 * j + k];
      for (let m = 0; m <= k; m++) addWide(matrix, g + k, g + m, stiff * spin[3 * j + k] * spin[3 * j + m]);
    }
  }
}
