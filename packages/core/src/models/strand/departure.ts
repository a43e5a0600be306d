/**
 * Inertia of a step with contact, as a function of the nodes' final positions: implicit Euler of the nodes' masses in world axes.
 *
 * With u = (x − x₀)/h the mean velocity over the step, a mass takes the force m (u − v₀)/h. The sum over a strand telescopes, so a strand that nothing
 * holds keeps its linear momentum to the accuracy of Newton's method. The force depends on positions alone, so Newton's matrix has the six columns of
 * an equilibrium instead of eighteen. The spin about a link's axis is ψ/h, with ψ the twist of its rotation over the step.
 *
 * The base's prescribed acceleration is that of the end of the step (direction.ts). endVelocity.ts computes the velocities after the step.
 * Why not differences of joint rates: docs/notes/strand.md#steps-with-contact.
 */

import { quaternionFromRotation } from '../../math/quaternion.ts';
import { atan2 } from '../../math/rounded/index.ts';
import { driveByPlaces } from './drive.ts';
import { elasticEnergy } from './energy.ts';
import { evaluateBase, moveBase, moveLinks, poseLinks } from './kinematics.ts';
import { type Departure, DRIVEN } from './records.ts';
import type { StrandTree } from './rod.ts';
import { multiply3, turn, turnBack, writeRotation } from './spatial.ts';

export function createDeparture(links: number, nodes: readonly Float64Array[]): Departure {
  return {
    h: Number.NaN,
    t: Number.NaN,
    tip: new Float64Array(3 * links),
    velocity: new Float64Array(3 * links),
    frame: new Float64Array(9 * links),
    spin: new Float64Array(links),
    base: new Float64Array(3),
    baseVelocity: new Float64Array(3),
    driven: new Float64Array(DRIVEN),
    nodes,
    elastic: 0,
    turned: new Float64Array(links),
    slope: new Float64Array(2 * links),
    force: new Float64Array(3 * links),
    torque: new Float64Array(3 * links),
    baseRate: new Float64Array(3),
  };
}

const none = new Float64Array(3);
const back = new Float64Array(3);
const quaternion = new Float64Array(4);
const rotation = new Float64Array(9);
const rotated = new Float64Array(9);
const local = new Float64Array(3);
const global = new Float64Array(3);

/** Records the tree at t, for a step of length h. Keeps q and v; everything derived from them is invalidated. */
export function depart(tree: StrandTree, at: Departure, t: number, h: number): void {
  const { base, q, v, linkCount, world, origin, length, motion } = tree;
  at.h = h;
  at.t = t;
  const [x, y, z] = q;
  const [vx, vy, vz] = v;
  // the base's own motion at the end; a free origin is part of the state
  v.fill(0, 0, 3);
  driveByPlaces(at.driven, tree, t, h);
  moveBase(tree, t + h, none, 'same-time');
  turn(global, 0, base.rotation, 0, base.acceleration, 3);
  const start = [x, y, z];
  const speed = [vx, vy, vz];
  for (let k = 0; k < 3; k++) {
    at.base[k] = base.free[k] ? start[k] : q[k];
    at.baseVelocity[k] = base.free[k] ? speed[k] : -h * global[k];
    back[k] = -h * base.motion[k];
  }
  quaternionFromRotation(quaternion, 0, back, 0);
  writeRotation(rotation, 0, quaternion, 0);
  multiply3(rotated, 0, base.rotation, 0, rotation, 0);
  base.rotation.set(rotated);
  for (let k = 0; k < 3; k++) base.motion[k] -= h * base.acceleration[k];
  turnBack(base.motion, 3, base.rotation, 0, at.baseVelocity, 0);
  q.set(at.base);
  poseLinks(tree);
  moveLinks(tree);
  for (let j = 0; j < linkCount; j++) {
    const l = length[j];
    local[0] = motion[6 * j + 3] + l * motion[6 * j + 1];
    local[1] = motion[6 * j + 4] - l * motion[6 * j];
    local[2] = motion[6 * j + 5];
    turn(at.velocity, 3 * j, world, 9 * j, local, 0);
    for (let k = 0; k < 3; k++) at.tip[3 * j + k] = origin[3 * j + k] + l * world[9 * j + 3 * k + 2];
    at.spin[j] = motion[6 * j + 2];
  }
  at.frame.set(world);
  const { bending, twisting } = elasticEnergy(tree);
  at.elastic = bending + twisting;
  q.set(start);
  v.set(speed);
}

const held = new Float64Array(3);

/** Records the positions of the nodes at t, the start of the step, with the base where its path has it then. Keeps q. */
export function writeNodes(tree: StrandTree, { nodes }: Departure, t: number): void {
  const { rods, q, origin, length, world } = tree;
  held.set(q.subarray(0, 3));
  evaluateBase(tree, t);
  poseLinks(tree);
  rods.forEach(({ rod, firstLink, root }, r) => {
    for (let i = 0; i <= rod.edgeCount; i++) {
      const link = i === 0 ? root : firstLink + i - 1;
      for (let k = 0; k < 3; k++)
        nodes[r][3 * i + k] = link < 0 ? q[k] : origin[3 * link + k] + length[link] * world[9 * link + 3 * k + 2];
    }
  });
  q.set(held);
}

/** Adds the inertial forces of the links at the current pose. */
export function addInertia(tree: StrandTree, at: Departure): void {
  const { linkCount, tipMass, inertia, length, world, origin, force, q } = tree;
  const { h, tip, velocity, frame, spin, turned, slope, baseRate } = at;
  for (let j = 0; j < linkCount; j++) {
    const o = 3 * j;
    const r = 9 * j;
    const l = length[j];
    const share = tipMass[j] / (h * h);
    for (let k = 0; k < 3; k++)
      global[k] = share * (origin[o + k] + l * world[r + 3 * k + 2] - tip[o + k] - h * velocity[o + k]);
    turnBack(at.force, o, world, r, global, 0);
    const s = 6 * j;
    force[s] -= l * at.force[o + 1];
    force[s + 1] += l * at.force[o];
    force[s + 3] += at.force[o];
    force[s + 4] += at.force[o + 1];
    force[s + 5] += at.force[o + 2];
    // the old axis in the link's axes, and the twist of its rotation
    const x = frame[r + 2] * world[r] + frame[r + 5] * world[r + 3] + frame[r + 8] * world[r + 6];
    const y = frame[r + 2] * world[r + 1] + frame[r + 5] * world[r + 4] + frame[r + 8] * world[r + 7];
    const z = frame[r + 2] * world[r + 2] + frame[r + 5] * world[r + 5] + frame[r + 8] * world[r + 8];
    const whole = Math.max(1e-9, 1 + z);
    slope[2 * j] = x / whole;
    slope[2 * j + 1] = y / whole;
    turned[j] = twistOf(frame, world, r, h * spin[j]) / h;
    const polar = inertia[36 * j + 14] / h;
    at.torque[o] = polar * spin[j] * x;
    at.torque[o + 1] = polar * spin[j] * y;
    at.torque[o + 2] = polar * spin[j] * z;
    force[s] -= at.torque[o];
    force[s + 1] -= at.torque[o + 1];
    force[s + 2] += polar * turned[j] - at.torque[o + 2];
  }
  for (let k = 0; k < 3; k++) baseRate[k] = (q[k] - at.base[k] - h * at.baseVelocity[k]) / (h * h);
}

/** Twist of the rotation from A to B about the common axis, in whole turns as near to `near` as there is one. */
function twistOf(A: Float64Array, B: Float64Array, r: number, near: number): number {
  const d00 = A[r] * B[r] + A[r + 3] * B[r + 3] + A[r + 6] * B[r + 6];
  const d11 = A[r + 1] * B[r + 1] + A[r + 4] * B[r + 4] + A[r + 7] * B[r + 7];
  const d01 = A[r] * B[r + 1] + A[r + 3] * B[r + 4] + A[r + 6] * B[r + 7];
  const d10 = A[r + 1] * B[r] + A[r + 4] * B[r + 3] + A[r + 7] * B[r + 6];
  const angle = atan2(d10 - d01, d00 + d11);
  return angle + 2 * Math.PI * Math.round((near - angle) / (2 * Math.PI));
}
