/**
 * Brings pins to where they are at t in pieces that Newton's method can follow. A held frame that spins takes the rings between it
 * and the next held one with it, in proportion: a ring does not count turns, and a cuboid twisted by more than π/4 gives way.
 */
import type { PinPose } from '../../scene/compiled.ts';
import { evaluateHeld, evaluateRing, imposeHeld } from './held.ts';
import type { FiberRod } from './network.ts';
import { descend, newton, type StaticWork } from './statics.ts';
import type { Workspace } from './step.ts';

interface Placed {
  readonly position: Float64Array;
  readonly tangent: Float64Array;
  readonly director: Float64Array;
  readonly twist: number;
}
const copyOf = (pose: PinPose): Placed => ({
  position: pose.position.slice(),
  tangent: pose.tangent.slice(),
  director: pose.director.slice(),
  twist: pose.twist,
});

const dot = (a: Float64Array, b: Float64Array): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export function bringPins(fiber: FiberRod, work: Workspace, statics: StaticWork, t: number): number {
  const { poses, pins, rod } = fiber;
  const from = poses.map(copyOf);
  evaluateHeld(fiber, t);
  const to = poses.map(copyOf);
  const shortest = rod.edgeLengthRest.reduce((a, b) => Math.min(a, b), Infinity);
  let pieces = 1;
  poses.forEach((pose, p) => {
    if (!pose.active) return;
    for (let k = 0; k < 3; k++) {
      // from where the ring is, not from where the pin was
      let mean = 0;
      for (let c = 0; c < 4; c++) mean += 0.25 * fiber.q[12 * pins[p].node + 3 * c + k];
      if (k === 0 ? pins[p].holdX : k === 1 ? pins[p].holdY : pins[p].holdZ) from[p].position[k] = mean;
      else from[p].position[k] = to[p].position[k];
      pieces = Math.max(pieces, Math.abs(to[p].position[k] - from[p].position[k]) / (0.3 * shortest));
    }
    if (pins[p].orientation === 'free') return;
    const turn = Math.acos(Math.min(1, Math.max(-1, dot(from[p].tangent, to[p].tangent))));
    pieces = Math.max(pieces, turn / 0.3, Math.abs(to[p].twist - from[p].twist) / (0.1 * fiber.edgeCount));
  });
  pieces = Math.min(400, Math.ceil(pieces));
  let iterations = 0;
  for (let piece = 1; piece <= pieces; piece++) {
    blend(fiber, from, to, piece / pieces);
    spinBetween(fiber, from, to, 1 / pieces);
    imposeHeld(fiber, fiber.q);
    if (piece === pieces) break;
    statics.entry.set(fiber.q);
    const result = newton(fiber, work, statics, t, 1e-4, 30, 0);
    iterations += result.iterations;
    if (!result.converged) {
      fiber.q.set(statics.entry);
      iterations += descend(fiber, work, statics, t, 10);
    }
  }
  return iterations;
}

/** Held rings at the share w of the way. */
function blend(fiber: FiberRod, from: readonly Placed[], to: readonly Placed[], w: number): void {
  const { poses, held } = fiber;
  poses.forEach((pose, p) => {
    const t = pose.tangent;
    const d = pose.director;
    for (let k = 0; k < 3; k++) {
      pose.position[k] = (1 - w) * from[p].position[k] + w * to[p].position[k];
      t[k] = (1 - w) * from[p].tangent[k] + w * to[p].tangent[k];
      d[k] = (1 - w) * from[p].director[k] + w * to[p].director[k];
    }
    const length = Math.sqrt(dot(t, t));
    for (let k = 0; k < 3; k++) t[k] /= length;
    const along = dot(t, d);
    for (let k = 0; k < 3; k++) d[k] -= along * t[k];
    const size = Math.sqrt(dot(d, d));
    for (let k = 0; k < 3; k++) d[k] /= size;
    pose.twist = (1 - w) * from[p].twist + w * to[p].twist;
  });
  for (const ring of held) evaluateRing(fiber, ring);
}

/** Turns every ring about its own normal by its part of what the held frames have been twisted by. */
function spinBetween(fiber: FiberRod, from: readonly Placed[], to: readonly Placed[], share: number): void {
  const { pins, poses, rod, ringCount, q } = fiber;
  const knots = pins
    .flatMap((pin, p) =>
      pin.orientation === 'frame' && poses[p].active
        ? [{ arc: rod.nodeArc[pin.node], turn: share * (to[p].twist - from[p].twist) }]
        : [],
    )
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
  const size = Math.hypot(...n);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
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
