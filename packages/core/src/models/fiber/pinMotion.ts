/**
 * Moves pins to their poses at t in increments that Newton's method can follow. A held frame that spins rotates the rings between it and the next held one in
 * proportion: a ring does not count turns, and a cuboid twisted by more than π/4 collapses.
 */
import { cos, hypotOf, sin } from '../../math/rounded/index.ts';
import { assignPose, copyPose, type PinStop, planPinMotion } from '../../scene/pinMotion.ts';
import { evaluateRing, imposeHeld } from './held.ts';
import type { FiberRod } from './rod.ts';
import { descend, newton, type StaticWork } from './statics.ts';
import { explainOvertwist } from './twist.ts';
import type { Workspace } from './workspace.ts';

export interface Brought {
  readonly iterations: number;
  /** Why turns may have been lost on the path; empty if none were. */
  readonly overtwist: string;
}

/** Intermediate poses of the pins, from where they hold the rod now to their poses at t. */
export function planPins(fiber: FiberRod, t: number): PinStop[] {
  const { poses, pins, rod } = fiber;
  const from = poses.map((pose, p) => {
    const at = copyPose(pose);
    // from the ring's position, not from the previous pose of the pin
    for (let k = 0; k < 3; k++) {
      at.position[k] = 0;
      for (let c = 0; c < 4; c++) at.position[k] += 0.25 * fiber.q[12 * pins[p].node + 3 * c + k];
    }
    return at;
  });
  const shortest = rod.edgeLengthRest.reduce((a, b) => Math.min(a, b), Infinity);
  const limits = { distance: 0.3 * shortest, turn: 0.3, twist: 0.1 * fiber.edgeCount };
  return planPinMotion(pins, from, [fiber.poseTime, t], limits);
}

/** Moves the pins and their rings to a stop; rings between held frames turn with these. */
export function moveToStop(fiber: FiberRod, stop: PinStop): void {
  stop.poses.forEach((pose, p) => {
    assignPose(fiber.poses[p], pose);
  });
  for (const ring of fiber.held) evaluateRing(fiber, ring);
  spinBetween(fiber, stop);
  imposeHeld(fiber, fiber.q);
}

export function bringPins(fiber: FiberRod, work: Workspace, statics: StaticWork, t: number): Brought {
  const stops = planPins(fiber, t);
  fiber.poseTime = t;
  let iterations = 0;
  for (const [k, stop] of stops.entries()) {
    moveToStop(fiber, stop);
    const overtwist = explainOvertwist(fiber, fiber.q);
    if (overtwist !== '' || k + 1 === stops.length) return { iterations, overtwist };
    statics.entry.set(fiber.q);
    const result = newton(fiber, work, statics, stop.time, { tolerance: 1e-4, iterations: 30 });
    iterations += result.iterations;
    if (!result.converged) {
      fiber.q.set(statics.entry);
      iterations += descend(fiber, work, statics, stop.time, 10);
    }
  }
  return { iterations, overtwist: '' };
}

/** Turns every ring about its normal by its part of the twist between the held frames. */
function spinBetween(fiber: FiberRod, { poses, rotation }: PinStop): void {
  const { pins, rod, ringCount, q } = fiber;
  const knots = pins
    .flatMap((pin, p) => {
      if (pin.orientation !== 'frame' || !poses[p].active) return [];
      const [x, y, z] = poses[p].tangent;
      const turn = rotation[3 * p] * x + rotation[3 * p + 1] * y + rotation[3 * p + 2] * z;
      return [{ arc: rod.nodeArc[pin.node], turn }];
    })
    .sort((a, b) => a.arc - b.arc);
  if (knots.every(({ turn }) => turn === 0)) return;
  for (let i = 0; i < ringCount; i++) {
    const arc = rod.nodeArc[i];
    const after = knots.findIndex((knot) => knot.arc >= arc);
    const right = after < 0 ? knots[knots.length - 1] : knots[after];
    const left = after > 0 ? knots[after - 1] : after < 0 ? right : knots[0];
    const w = right.arc > left.arc ? (arc - left.arc) / (right.arc - left.arc) : 0;
    spinRing(q, i, (1 - w) * left.turn + w * right.turn);
  }
}

function spinRing(q: Float64Array, i: number, angle: number): void {
  const o = 12 * i;
  const mean = [0, 1, 2].map((k) => 0.25 * (q[o + k] + q[o + 3 + k] + q[o + 6 + k] + q[o + 9 + k]));
  const a = [0, 1, 2].map((k) => -q[o + k] + q[o + 3 + k] + q[o + 6 + k] - q[o + 9 + k]);
  const b = [0, 1, 2].map((k) => -q[o + k] - q[o + 3 + k] + q[o + 6 + k] + q[o + 9 + k]);
  const n = [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
  const size = hypotOf(n);
  const [c, s] = [cos(angle), sin(angle)];
  for (let p = 0; p < 4; p++) {
    const arm = [0, 1, 2].map((k) => q[o + 3 * p + k] - mean[k]);
    const along = (arm[0] * n[0] + arm[1] * n[1] + arm[2] * n[2]) / size;
    for (let k = 0; k < 3; k++) {
      const [u, v] = [(k + 1) % 3, (k + 2) % 3];
      const turned = (n[u] * arm[v] - n[v] * arm[u]) / size;
      q[o + 3 * p + k] = mean[k] + c * arm[k] + s * turned + ((1 - c) * along * n[k]) / size;
    }
  }
}
