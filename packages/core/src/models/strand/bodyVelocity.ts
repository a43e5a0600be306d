/**
 * Velocities after a step with contact of a tree that carries bodies.
 *
 * As in endVelocity.ts, the admissible velocities closest to the mean velocities of the step, in the metric of the masses. Links of one body do not turn
 * against each other, so the recursion through links that turn freely does not apply; the mass matrix of the joints, dense, does:
 * M ν = Jᵀ m (u − w), with w the velocities that the motion of the base alone gives.
 */

import { solvePivoted } from '../../linalg/dense.ts';
import { RIGID } from './bodyLinkTypes.ts';
import { moveLinks } from './kinematics.ts';
import { writeMassMatrix } from './massMatrix.ts';
import type { Departure } from './records.ts';
import type { StrandTree } from './rod.ts';
import { addForce, turn, turnBack } from './spatial.ts';

/** Polar inertia of links without, as a fraction of their mass times length²: their spin is then that of the step. */
const THIN = 1e-10;

/** Writes the rates of joints and origin; base and links are posed and the base moves as at the end of the step. Returns the kinetic energy [J]. */
export function writeBodyVelocity(tree: StrandTree, at: Departure): number {
  const { linkCount, inertia, tipMass, length, v, base, lock } = tree;
  const n = 3 * linkCount + 3;
  const held = inertia.slice();
  for (let j = 0; j < linkCount; j++) {
    if (inertia[36 * j + 14] === 0 && lock[j] !== RIGID)
      inertia[36 * j + 14] = THIN * tipMass[j] * (length[j] * length[j]);
  }
  for (let k = 0; k < 3; k++) if (base.free[k]) v[k] = 0;
  v.fill(0, 3);
  base.motion.fill(0, 3);
  moveLinks(tree);
  const right = new Float64Array(n);
  writeMomentum(right, tree, at);
  const mass = new Float64Array(n * n);
  writeMassMatrix(mass, tree);
  inertia.set(held);
  const isOut = (k: number): boolean => (k < n - 3 ? lock[Math.floor(k / 3)] === RIGID : base.free[k - n + 3] === 0);
  for (let k = 0; k < n; k++) {
    if (!isOut(k)) continue;
    right[k] = 0;
    for (let i = 0; i < n; i++) {
      mass[k * n + i] = 0;
      mass[i * n + k] = 0;
    }
    mass[k * n + k] = 1;
  }
  solvePivoted(mass, n, right);
  v.set(right.subarray(0, n - 3), 3);
  for (let k = 0; k < 3; k++) if (base.free[k]) v[k] = right[n - 3 + k];
  turnBack(
    base.motion,
    3,
    base.rotation,
    0,
    Float64Array.from(base.free, (free, k) => (free ? v[k] : 0)),
    0,
  );
  moveLinks(tree);
  return kineticEnergy(tree);
}

const local = new Float64Array(3);
const global = new Float64Array(3);
const wrench = new Float64Array(6);

/** Velocity of the tip of link j in its axes. */
function readTip(out: Float64Array, { motion: m, length }: StrandTree, j: number): void {
  const l = length[j];
  out[0] = m[6 * j + 3] + l * m[6 * j + 1];
  out[1] = m[6 * j + 4] - l * m[6 * j];
  out[2] = m[6 * j + 5];
}

/** Jᵀ m (u − w): sums momenta inwards. */
function writeMomentum(out: Float64Array, tree: StrandTree, { h, tip, turned, base: from }: Departure): void {
  const { linkCount, parent, rotation, offset, world, origin, length, tipMass, inertia, motion, base, q } = tree;
  const sums = new Float64Array(6 * linkCount + 6);
  for (let j = linkCount - 1; j >= 0; j--) {
    const l = length[j];
    for (let k = 0; k < 3; k++) global[k] = (origin[3 * j + k] + l * world[9 * j + 3 * k + 2] - tip[3 * j + k]) / h;
    turnBack(wrench, 3, world, 9 * j, global, 0);
    readTip(local, tree, j);
    for (let k = 0; k < 3; k++) wrench[3 + k] = tipMass[j] * (wrench[3 + k] - local[k]);
    sums[6 * j] -= l * wrench[4];
    sums[6 * j + 1] += l * wrench[3];
    sums[6 * j + 2] += inertia[36 * j + 14] * (turned[j] - motion[6 * j + 2]);
    for (let k = 3; k < 6; k++) sums[6 * j + k] += wrench[k];
    for (let k = 0; k < 3; k++) out[3 * j + k] = sums[6 * j + k];
    addForce(sums, 6 * (parent[j] < 0 ? linkCount : parent[j]), rotation, 9 * j, offset[j], sums, 6 * j);
  }
  turn(global, 0, base.rotation, 0, sums, 6 * linkCount + 3);
  for (let k = 0; k < 3; k++) out[3 * linkCount + k] = global[k] + (base.mass * (q[k] - from[k])) / h;
}

function kineticEnergy(tree: StrandTree): number {
  const { linkCount, tipMass, inertia, motion, base, v } = tree;
  let sum = 0;
  for (let j = 0; j < linkCount; j++) {
    readTip(local, tree, j);
    sum += 0.5 * tipMass[j] * (local[0] * local[0] + local[1] * local[1] + local[2] * local[2]);
    sum += 0.5 * inertia[36 * j + 14] * (motion[6 * j + 2] * motion[6 * j + 2]);
  }
  for (let k = 0; k < 3; k++) if (base.free[k]) sum += 0.5 * base.mass * v[k] * v[k];
  return sum;
}
