/**
 * The base's motion within a step: by the same differences as the joints'.
 *
 * A joint's rate is that of the link minus that of the base. The base's path must be differenced like the joints, otherwise the two do not cancel in the
 * link's motion: with the path's own second derivative, a step in which that jumps (the first and the last of every path) left the links with a velocity
 * that was wrong by the jump times the step. A lantern whose hand stops turned by a tenth too far with steps of 10 ms, and by a thirtieth with 2.5 ms; with
 * differences, steps of 10 ms are accurate to 1e-4.
 */

import { multiplyQuaternions, rotationFromQuaternion } from '../../math/quaternion.ts';
import { writeRotationSeries } from '../../math/rotationSeries.ts';
import { writeQuaternion } from './frames.ts';
import { evaluateBase, moveBase, moveLinks, poseLinks, poseSamples } from './kinematics.ts';
import { DRIVEN } from './records.ts';
import type { StrandTree } from './rod.ts';
import { turnBack } from './spatial.ts';
import { formula } from './trial.ts';

const inverse = new Float64Array(4);
const between = new Float64Array(4);
const angle = new Float64Array(3);
const past = new Float64Array(3);
const rate = new Float64Array(3);
const series = new Float64Array(6);

/** Frame and velocities of the base at t by its path. */
export function readBase(out: Float64Array, tree: StrandTree, t: number): void {
  const { base } = tree;
  const { pins, poses, motions, axes, free, frame } = base;
  evaluateBase(tree, t);
  for (let p = 0; p < pins.length; p++) pins[p].evaluateMotion?.(motions[p], t);
  writeQuaternion(out, 0, base.rotation, 0);
  out.fill(0, 4);
  if (frame >= 0) turnBack(out, 4, base.rotation, 0, motions[frame].angularVelocity, 0);
  for (let k = 0; k < 3; k++) out[10 + k] = free[k] ? 0 : poses[axes[k]].velocity[k];
}

/** Rotation vector from frame a to frame b, in the axes of a. */
function writeTurn(out: Float64Array, a: Float64Array, b: Float64Array): void {
  inverse[0] = a[0];
  for (let k = 1; k < 4; k++) inverse[k] = -a[k];
  multiplyQuaternions(between, 0, inverse, 0, b, 0);
  rotationFromQuaternion(out, 0, between, 0);
}

/** out = J(φ) u */
function writeSpin(out: Float64Array, o: number, phi: Float64Array, u: Float64Array): void {
  const [x, y, z] = phi;
  writeRotationSeries(series, x * x + y * y + z * z, 4);
  const p = y * u[2] - z * u[1];
  const q = z * u[0] - x * u[2];
  const r = x * u[1] - y * u[0];
  out[o] = u[0] - series[2] * p + series[3] * (y * r - z * q);
  out[o + 1] = u[1] - series[2] * q + series[3] * (z * p - x * r);
  out[o + 2] = u[2] - series[2] * r + series[3] * (x * q - y * p);
}

/** The motion of a reference frame is subtracted from that of the path, so both must be differenced in the same way. */
const isDriven = ({ base, direction }: StrandTree): boolean => base.pins.length > 0 && !direction?.local;

/** Writes the base's motion at the end of a step from t, by the current difference formula; `start` receives the motion before it. */
export function driveBase(tree: StrandTree, start: Float64Array, q0: Float64Array, t: number): void {
  const { base, history } = tree;
  const now = history.base;
  // the work space is shared: without this, values of another tree would become part of this one's state
  if (!isDriven(tree)) {
    start.fill(0);
    return;
  }
  if (history.header[3] === 0) readBase(now, tree, t);
  start.set(now);
  const { h, c0, c1, c2 } = formula;
  const { baseEarlier: earlier, q1 } = history;
  evaluateBase(tree, t + h);
  writeQuaternion(now, 0, base.rotation, 0);
  writeTurn(angle, start, now);
  past.fill(0);
  if (c2 !== 0) writeTurn(past, start, earlier);
  for (let k = 0; k < 3; k++) rate[k] = (c0 * angle[k] + c2 * past[k]) / h;
  writeSpin(now, 4, angle, rate);
  for (let k = 0; k < 3; k++) {
    now[7 + k] = (c0 * now[4 + k] + c1 * start[4 + k] + c2 * earlier[4 + k]) / h;
    const place = base.free[k] ? 0 : base.poses[base.axes[k]].position[k];
    now[10 + k] = base.free[k] ? 0 : (c0 * place + c1 * q0[k] + c2 * q1[k]) / h;
    now[13 + k] = (c0 * now[10 + k] + c1 * start[10 + k] + c2 * earlier[7 + k]) / h;
  }
  base.driven = now;
}

/** Stores the base's motion after an accepted step. */
export function passBase({ history }: StrandTree, start: Float64Array): void {
  for (let k = 0; k < 7; k++) history.baseEarlier[k] = start[k];
  for (let k = 0; k < 3; k++) history.baseEarlier[7 + k] = start[10 + k];
}

/** The motion that belongs to the state: of the last step, or of the path. */
export function recallBase(tree: StrandTree): void {
  const { base, history } = tree;
  base.driven = history.header[3] > 0 && isDriven(tree) ? history.base : undefined;
}

const before = new Float64Array(DRIVEN);

/** For a step by positions: velocities of the path, and their change over the step. */
export function driveByPlaces(out: Float64Array, tree: StrandTree, t: number, h: number): void {
  readBase(before, tree, t);
  readBase(out, tree, t + h);
  for (let k = 0; k < 3; k++) {
    out[7 + k] = (out[4 + k] - before[4 + k]) / h;
    out[13 + k] = (out[10 + k] - before[10 + k]) / h;
  }
  resumeDrive(out, tree);
}

/** On with a step by places. */
export function resumeDrive(driven: Float64Array, tree: StrandTree): void {
  tree.base.driven = isDriven(tree) ? driven : undefined;
}

/** Updates everything derived from the state at time t. */
export function poseTree(tree: StrandTree, t: number): void {
  tree.adopt?.(t);
  recallBase(tree);
  evaluateBase(tree, t);
  moveBase(tree, t, tree.originRate);
  poseLinks(tree);
  moveLinks(tree);
  poseSamples(tree);
}

/** As `poseTree`, for a tree in equilibrium: with the base's pose at t, but without the velocity of its path. */
export function poseAtRest(tree: StrandTree, t: number): void {
  tree.adopt?.(t);
  recallBase(tree);
  evaluateBase(tree, t);
  moveBase(tree, t, undefined);
  poseLinks(tree);
  moveLinks(tree);
  poseSamples(tree);
}

/** For a tree whose joints come from an equilibrium that was found elsewhere: nothing of the steps that led there remains. */
export function settleTree(tree: StrandTree, t: number): void {
  tree.v.fill(0);
  tree.rate.fill(0);
  tree.originRate.fill(0);
  tree.history.header.fill(0);
  poseAtRest(tree, t);
}
