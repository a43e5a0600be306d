/** The incremental potential Φ of a stage [J], summed over strains, loads, inertia and a held end. Its derivatives are in energy.ts. */

import type { Stage, Workspace } from './energy.ts';
import { measureHold } from './hold.ts';
import type { HelixBody } from './rod.ts';

/** Component k of both directors of a node. */
function directorOf({ nodeFrame }: HelixBody, i: number, k: number): number {
  return nodeFrame[9 * i + 3 * (k % 3) + (k < 3 ? 0 : 1)];
}

/** Sums of `evaluateEnergy`: Φ, its terms without sign [J], and forces on positions and on directors [N], whose points rounding moves. */
const sums = new Float64Array(4);
const PHI = 0;
const SCALE = 1;
const PUSH = 2;
const TURN_PUSH = 3;

/** Φ at the current pose [J]. */
export function evaluateEnergy(h: HelixBody, w: Workspace, stage: Stage): number {
  sums.fill(0);
  addStrainEnergy(h, w, stage);
  for (let i = 0; i < h.nodeCount; i++) {
    addLoadWork(h, w, i);
    if (stage.inertia === 0) continue;
    addNodeInertia(h, w, stage, i);
    if (h.hasFrames) addDirectorInertia(h, w, stage, i);
  }
  if (h.hold) {
    const held = measureHold(h, h.hold);
    sums[PHI] += held.sum;
    sums[SCALE] += held.scale;
    sums[PUSH] += held.push;
    sums[TURN_PUSH] += held.turnPush;
  }
  w.energyNoise = 1e-14 * sums[SCALE] + w.blur * sums[PUSH] + w.directorBlur * sums[TURN_PUSH];
  return sums[PHI];
}

/** Elastic and viscous energy of the strains, less the work of torques. */
function addStrainEnergy(
  { pose, kappaRest, stiffness, elementDamping }: HelixBody,
  w: Workspace,
  { rate }: Stage,
): void {
  let sum = 0;
  let scale = 0;
  for (let d = 0; d < pose.length; d++) {
    const strain = pose[d] - kappaRest[d];
    const change = pose[d] - w.kappaBefore[d];
    const elastic = 0.5 * stiffness[d] * (strain * strain + rate * elementDamping[(d / 3) | 0] * change * change);
    const work = w.torqueForce[d] * (pose[d] - w.kappaAnchor[d]);
    sum += elastic - work;
    scale += elastic + Math.abs(work);
  }
  sums[PHI] += sum;
  sums[SCALE] += scale;
}

/** Subtracts the work of the load on node i. */
function addLoadWork({ nodePosition: x, loads: { nodeForce } }: HelixBody, { anchor }: Workspace, i: number): void {
  const o = 3 * i;
  const dx = x[o] - anchor[o];
  const dy = x[o + 1] - anchor[o + 1];
  const dz = x[o + 2] - anchor[o + 2];
  const work = nodeForce[o] * dx + nodeForce[o + 1] * dy + nodeForce[o + 2] * dz;
  sums[PHI] -= work;
  sums[SCALE] += Math.abs(work);
  sums[PUSH] += Math.abs(nodeForce[o]) + Math.abs(nodeForce[o + 1]) + Math.abs(nodeForce[o + 2]);
}

/** Inertia, mass damping and drag of node i, as energies. */
function addNodeInertia(h: HelixBody, w: Workspace, { inertia: c, rate: s }: Stage, i: number): void {
  const { nodePosition: x, nodeMass, nodeDamping } = h;
  const { nodeDrag } = h.loads;
  const o = 3 * i;
  const m = nodeMass[i];
  const g = s * nodeDamping[i];
  let inertial = 0;
  for (let k = o; k < o + 3; k++) {
    const ahead = x[k] - w.target[k];
    const moved = x[k] - w.before[k];
    inertial += c * ahead * ahead + g * moved * moved;
    sums[PUSH] += m * (c * Math.abs(ahead) + g * Math.abs(moved));
  }
  inertial *= 0.5 * m;
  const dx = x[o] - w.anchor[o];
  const dy = x[o + 1] - w.anchor[o + 1];
  const dz = x[o + 2] - w.anchor[o + 2];
  const D = 6 * i;
  const drag =
    0.5 *
    s *
    (nodeDrag[D] * dx * dx +
      nodeDrag[D + 3] * dy * dy +
      nodeDrag[D + 5] * dz * dz +
      2 * (nodeDrag[D + 1] * dx * dy + nodeDrag[D + 2] * dx * dz + nodeDrag[D + 4] * dy * dz));
  sums[PHI] += inertial + drag;
  sums[SCALE] += inertial + drag;
}

/** Rotational inertia and mass damping of node i, through its two directors. */
function addDirectorInertia(h: HelixBody, w: Workspace, { inertia: c, rate: s }: Stage, i: number): void {
  const turn = 0.25 * h.nodeInertia[i] * c;
  const resist = 0.25 * h.nodeInertia[i] * s * h.nodeDamping[i];
  let square = 0;
  let past = 0;
  for (let k = 0; k < 6; k++) {
    const director = directorOf(h, i, k);
    const ahead = director - w.directorTarget[6 * i + k];
    const moved = director - w.directorBefore[6 * i + k];
    square += ahead * ahead;
    past += moved * moved;
    sums[TURN_PUSH] += 2 * turn * Math.abs(ahead) + 2 * resist * Math.abs(moved);
  }
  sums[PHI] += square * turn + past * resist;
  sums[SCALE] += square * turn + past * resist;
}
