/**
 * Rejects steps that create energy.
 *
 * Backward differences of joint rates, in axes that turn with the links, have no energy inequality: if a step does not resolve the vibrations of a released
 * kink, the terms in the square of the rates push the links outwards, and of 150 links one that whips may gain several times the energy of all. Implicit
 * Euler of the nodes' masses in world axes (departure.ts) is the step of an incremental potential and dissipates. So the energy of every step is
 * measured, and a step that gained is repeated in that way.
 *
 * Properties that change in time are those of the end of the step, at its start too: implicit Euler uses no others.
 *
 * Not measured: `direct` of a strand, driven joints, and the law `paper`, which has no energy.
 */

import { createInstant, measureBalance, noteInstant } from '../../balance.ts';
import { hypot } from '../../math/rounded/index.ts';
import { poseTree } from './drive.ts';
import { elasticEnergy } from './energy.ts';
import { poseLinks, poseSamples } from './kinematics.ts';
import type { Guard } from './records.ts';
import { writeBaseReaction } from './residual.ts';
import type { StrandTree } from './rod.ts';

function createGuard({ rods, q, v }: StrandTree): Guard {
  return {
    from: createInstant(rods),
    to: createInstant(rods),
    loads: rods.map(({ loads }) => loads),
    balance: { start: 0, gain: 0, scale: 0 },
    frame: new Float64Array(3),
    base: new Float64Array(3),
    spin: new Float64Array(3),
    changed: 0,
    endTime: Number.NaN,
    endQ: q.slice(),
    endV: v.slice(),
    reaction: new Float64Array(6),
    hasReaction: false,
  };
}

const isMeasured = ({ law, direction, constraints }: StrandTree): boolean =>
  law !== 'paper' && !direction && !constraints?.axis.some((axis) => axis < 0);

const joints = (tree: StrandTree): number => {
  const { bending, twisting } = elasticEnergy(tree);
  return bending + twisting;
};

function isSame(a: Float64Array, b: Float64Array): boolean {
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}

/** True if the last step ended here, at t, and has been measured: nothing has moved since, and the samples are those of this state. */
export function hasEndedHere({ guard, q, v }: StrandTree, t: number): boolean {
  return guard !== undefined && guard.endTime === t && isSame(guard.endQ, q) && isSame(guard.endV, v);
}

const held = new Float64Array(6);

/** Records the tree at the start t of a step to `end`: from the record of the end of the last one, or from its current pose. */
export function beginGuard(tree: StrandTree, t: number, end: number): void {
  if (!isMeasured(tree)) return;
  tree.guard ??= createGuard(tree);
  const { guard } = tree;
  if (!tree.adopt && hasEndedHere(tree, t)) {
    [guard.from, guard.to] = [guard.to, guard.from];
    guard.from.hasLoads = false;
    guard.endTime = Number.NaN;
    guard.base.set(tree.q.subarray(0, 3));
    guard.spin.set(tree.base.spin);
    return;
  }
  held.set(tree.q.subarray(0, 3));
  held.set(tree.v.subarray(0, 3), 3);
  poseTree(tree, t);
  guard.base.set(tree.q.subarray(0, 3));
  guard.spin.set(tree.base.spin);
  noteInstant(guard.from, tree.rods, undefined, joints(tree));
  if (tree.adopt) {
    const past = guard.from.elastic;
    tree.adopt(end);
    poseLinks(tree);
    guard.from.elastic = joints(tree);
    guard.changed = 0.5 * Math.abs(guard.from.elastic - past);
  }
  // a path evaluated again at the same instant may differ in its last bit
  tree.q.set(held.subarray(0, 3));
  tree.v.set(held.subarray(3));
}

const reaction = new Float64Array(6);

/** Upper bound on the work of pins: reactions are known at the end of the step only, and change over it. */
function boundPinWork(tree: StrandTree, { from, to, spin, frame }: Guard, h: number): number {
  const { base, rods, pull, constraints } = tree;
  let sum = 0;
  if (tree.rootHeld) {
    writeBaseReaction(reaction, tree);
    const turned = hypot(spin[0], spin[1], spin[2]) + hypot(base.spin[0], base.spin[1], base.spin[2]);
    sum += h * turned * hypot(reaction[3], reaction[4], reaction[5]);
  }
  if (!constraints) return sum;
  let node = 0;
  for (const { rod, firstLink } of rods) {
    for (let k = 0; k < 3 * rod.edgeCount; k++) {
      const o = 3 * (node + 1) + k;
      sum += 2 * Math.abs(pull[3 * firstLink + k] * (to.position[o] - from.position[o] - h * frame[k % 3]));
    }
    node += rod.nodeCount;
  }
  return sum;
}

/** True if the last step, of length h and to the time t, has gained more than this fraction of the energy. */
export function hasGained(tree: StrandTree, t: number, h: number, part: number): boolean {
  const { guard, base, q, rods } = tree;
  if (!guard || !isMeasured(tree)) return false;
  guard.hasReaction = false;
  const { from, to, loads, balance, frame } = guard;
  poseSamples(tree);
  noteInstant(to, rods, loads, joints(tree));
  for (let k = 0; k < 3; k++) frame[k] = base.free[k] ? 0 : (q[k] - guard.base[k]) / h;
  const pinWork = boundPinWork(tree, guard, h) + guard.changed;
  measureBalance(balance, rods, { from, to, frame, h, pinWork });
  const isGain = !(balance.gain <= part * balance.scale);
  guard.endTime = isGain ? Number.NaN : t;
  guard.endQ.set(q);
  guard.endV.set(tree.v);
  return isGain;
}

/** Keeps the reaction of the base that the step has just left, after a step by rates that `hasGained` has accepted. */
export function keepReaction(tree: StrandTree): void {
  const { guard } = tree;
  if (!guard || tree.constraints) return;
  writeBaseReaction(guard.reaction, tree);
  guard.hasReaction = true;
}

/** Reaction of the base at t, if a step has left it and nothing has moved since. */
export function reactionOfStep(tree: StrandTree, t: number): Float64Array | undefined {
  return tree.guard?.hasReaction && hasEndedHere(tree, t) ? tree.guard.reaction : undefined;
}
