/**
 * Moves the pins to their poses at a time in increments, with an equilibrium after each. Ghosts between two clamps are rotated about the axis in proportion
 * to the clamps' rotation, and a rod that is held at one end only is rotated as a whole. Otherwise one tetrahedron would take up the whole turn and invert.
 */
import { rotateVector } from '../../math/frameRotation.ts';
import { assignPose, copyPose, type PinStop, planPinMotion } from '../../scene/pinMotion.ts';
import { findInverted } from './energy.ts';
import { fixParticles, measureEdge, placePinned } from './kinematics.ts';
import type { Hair } from './rod.ts';
import { chooseKinds, type Search, solve } from './statics.ts';

const edge = new Float64Array(6);

/** Rotates ghosts about their edges by the rotation of the clamps about their tangents. */
function spinGhosts(hair: Hair, { poses, rotation }: PinStop): void {
  const { pins, rod, q, start, stride } = hair;
  const clamps = pins
    .flatMap((pin, p) => {
      if (pin.orientation !== 'frame' || !poses[p].active) return [];
      const [x, y, z] = poses[p].tangent;
      const spin = rotation[3 * p] * x + rotation[3 * p + 1] * y + rotation[3 * p + 2] * z;
      return [{ arc: rod.nodeArc[pin.node], spin }];
    })
    .sort((a, b) => a.arc - b.arc);
  if (clamps.length === 0) return;
  const [first, last] = [clamps[0], clamps[clamps.length - 1]];
  for (let j = 0; j < rod.edgeCount; j++) {
    const arc = 0.5 * (rod.nodeArc[j] + rod.nodeArc[j + 1]);
    const w = last.arc > first.arc ? (arc - first.arc) / (last.arc - first.arc) : 0;
    const spin = (1 - w) * first.spin + w * last.spin;
    if (spin === 0) continue;
    measureEdge(edge, hair, q, j);
    const a = 3 * (start + stride * j);
    const turn = [spin * edge[0], spin * edge[1], spin * edge[2]];
    turnAbout(
      q,
      a + 3,
      [0, 1, 2].map((k) => 0.5 * (q[a + k] + q[a + 6 + k])),
      turn,
    );
  }
}

/** Rotates the particle at offset o about a point. */
function turnAbout(q: Float64Array, o: number, point: readonly number[], rotation: readonly number[]): void {
  for (let k = 0; k < 3; k++) q[o + k] -= point[k];
  rotateVector(q, o, rotation);
  for (let k = 0; k < 3; k++) q[o + k] += point[k];
}

/** Moves and turns the whole rod with the only pin that holds it. */
function carryRod(hair: Hair, p: number, stop: PinStop): void {
  const { q, pins, start, stride, particleCount } = hair;
  const o = 3 * (start + stride * pins[p].node);
  const point = [q[o], q[o + 1], q[o + 2]];
  const rotation = Array.from(stop.rotation.subarray(3 * p, 3 * p + 3));
  const turns = pins[p].orientation === 'frame' && rotation.some((x) => x !== 0);
  for (let m = 0; m < particleCount; m++) {
    if (turns) turnAbout(q, 3 * m, point, rotation);
    for (let k = 0; k < 3; k++) q[3 * m + k] += stop.poses[p].position[k] - point[k];
  }
}

/** Intermediate poses of the pins, from where they hold the rod now to their poses at t. */
export function planPins(hair: Hair, t: number): PinStop[] {
  const { q, rod, pins, poses, start, stride } = hair;
  const from = poses.map((pose, p) => {
    const at = copyPose(pose);
    const o = 3 * (start + stride * pins[p].node);
    for (let k = 0; k < 3; k++) at.position[k] = q[o + k];
    return at;
  });
  const limits = { distance: (0.3 * rod.length) / rod.edgeCount, turn: 0.1, twist: 0.02 * rod.edgeCount };
  return planPinMotion(pins, from, [hair.poseTime, t], limits);
}

/** Moves the pins and their particles to a stop; ghosts between clamps turn with these. */
export function moveToStop(hair: Hair, stop: PinStop): void {
  const { pins, poses } = hair;
  stop.poses.forEach((pose, p) => {
    assignPose(poses[p], pose);
  });
  fixParticles(hair);
  const holding = pins.flatMap((_, p) => (poses[p].active ? [p] : []));
  if (holding.length === 1 && pins[holding[0]].holdX && pins[holding[0]].holdY && pins[holding[0]].holdZ)
    carryRod(hair, holding[0], stop);
  else spinGhosts(hair, stop);
  placePinned(hair, hair.q);
}

/** Follows the pins to their poses at t. Returns the node at which turns were lost, −1 if none were, and the iterations. */
export function followPins(search: Search, t: number): { lost: number; iterations: number } {
  const { hair, work } = search;
  const stops = planPins(hair, t);
  hair.poseTime = t;
  let iterations = 0;
  for (const [k, stop] of stops.entries()) {
    moveToStop(hair, stop);
    if (k + 1 === stops.length) break;
    search.t = stop.time;
    iterations += solve(search, 1e-4, 40, 0).iterations;
    const lost = findInverted(hair);
    if (lost >= 0) return { lost, iterations };
    chooseKinds(hair, work);
  }
  search.t = t;
  return { lost: findInverted(hair), iterations };
}
