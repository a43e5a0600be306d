/**
 * Frames that follow the centreline: time-parallel reference directors, material frames, twist.
 *
 * Each edge has a reference director that is transported in time with its tangent; θ rotates the material frame from it. The twist at a joint is θ after
 * − θ before + the twist of the reference frames, which is updated from its last value and so stays unwrapped over any number of turns. [Bergou2010],
 * after the holonomy of [Bergou2008 §6].
 */

import { cos, sin } from '../../math/rounded/index.ts';
import { angleAbout3, transport3 } from '../../math/vec3.ts';
import type { PrescribedTurn } from '../../scene/startTwist.ts';
import { switchJoints } from '../joints.ts';
import { evaluatePoses, interpolateTurn, markHeld } from '../pins.ts';
import type { DerRod, HeldFrames } from './rod.ts';

const scratch = new Float64Array(6);

/** Pins at time t: held frames, and prescribed unknowns. `placePinned` writes the positions. */
export function evaluatePins(der: DerRod, t: number): void {
  const { poses, held } = der;
  der.material?.setTime(t);
  der.adopt?.(t);
  evaluatePoses(der, t);
  markHeld(der.fixed, der, (node) => 4 * node);
  switchJoints(der);
  der.breaking?.release();
  for (let h = 0; h < held.count; h++) {
    const pose = poses[held.pin[h]];
    held.tangent.set(pose.tangent, 3 * h);
    held.director.set(pose.director, 3 * h);
    held.theta[h] = pose.twist;
    held.spin.set(pose.angularVelocity, 3 * h);
    if (!held.hinged[h]) continue;
    held.axis.set(pose.axis, 3 * h);
    held.baseTangent.set(pose.tangent, 3 * h);
    held.baseDirector.set(pose.director, 3 * h);
    der.hinges?.turn(der, h);
  }
  turnHeldFrames(held);
}

/** Material axes of held frames; call whenever those were written. */
export function turnHeldFrames(held: HeldFrames): void {
  for (let h = 0; h < held.count; h++) turnFrame(held.m1, held.m2, held.tangent, held.director, 3 * h, held.theta[h]);
}

/** m1 = cos θ d + sin θ t×d, m2 = −sin θ d + cos θ t×d, all at offset o. */
function turnFrame(
  m1: Float64Array,
  m2: Float64Array,
  t: Float64Array,
  d: Float64Array,
  o: number,
  theta: number,
): void {
  const c = cos(theta);
  const s = sin(theta);
  const ex = t[o + 1] * d[o + 2] - t[o + 2] * d[o + 1];
  const ey = t[o + 2] * d[o] - t[o] * d[o + 2];
  const ez = t[o] * d[o + 1] - t[o + 1] * d[o];
  m1[o] = c * d[o] + s * ex;
  m1[o + 1] = c * d[o + 1] + s * ey;
  m1[o + 2] = c * d[o + 2] + s * ez;
  m2[o] = c * ex - s * d[o];
  m2[o + 1] = c * ey - s * d[o + 1];
  m2[o + 2] = c * ez - s * d[o + 2];
}

/**
 * A first guess for θ if held frames were turned by more than a joint can take: the rotation, minus the part in the guess, is distributed linearly
 * between held frames. `start`: θ before the guess changed it, if it did. Returns false if the rotation is more than a joint can represent, about half a
 * turn per edge.
 */
export function spreadHeldTwist(der: DerRod, thetaBefore: Float64Array, start: Float64Array | undefined): boolean {
  const { held, pins, q, rod, edgeCount } = der;
  const turns: PrescribedTurn[] = [];
  let largest = 0;
  for (let h = 0; h < held.count; h++) {
    const pin = pins[held.pin[h]];
    if (pin.orientation !== 'frame') continue;
    const edge = Math.min(pin.node, edgeCount - 1);
    const turn = held.theta[h] - thetaBefore[h] - (start ? q[4 * edge + 3] - start[4 * edge + 3] : 0);
    largest = Math.max(largest, Math.abs(turn));
    turns.push({ arc: rod.nodeArc[pin.node], turn });
  }
  if (largest < 0.5) return true;
  turns.sort((a, b) => a.arc - b.arc);
  for (let j = 0; j < edgeCount; j++) {
    q[4 * j + 3] += interpolateTurn(turns, rod, j);
  }
  return largest < 1.5 * edgeCount;
}

/** Writes the prescribed positions into q, and their velocities into v. */
export function placePinned(der: DerRod, q: Float64Array, v: Float64Array | undefined): void {
  const { pins, poses, fixed } = der;
  for (let p = 0; p < pins.length; p++) {
    const o = 4 * pins[p].node;
    for (let k = 0; k < 3; k++) {
      if (!fixed[o + k] || !poses[p].active) continue;
      q[o + k] = poses[p].position[k];
      if (v) v[o + k] = poses[p].velocity[k];
    }
  }
}

/** Edge lengths and tangents from q; a broken edge has its rest length and no direction. Returns `false` if an edge has no length or a position is not a number. */
export function measureEdges(der: DerRod, q: Float64Array, previous: Float64Array): boolean {
  const { edgeCount, nodeCount, edgeLength, edgeTangent } = der;
  const broken = der.breaking?.broken;
  previous.set(edgeTangent);
  for (let j = 0; j < edgeCount; j++) {
    if (broken && broken[j] === 1) {
      edgeLength[j] = der.rod.edgeLengthRest[j];
      edgeTangent.fill(0, 3 * j, 3 * j + 3);
      continue;
    }
    const a = 4 * j;
    const b = j + 1 < nodeCount ? a + 4 : 0;
    const x = q[b] - q[a];
    const y = q[b + 1] - q[a + 1];
    const z = q[b + 2] - q[a + 2];
    const length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > 0) || length === Infinity) return false;
    edgeLength[j] = length;
    const inverse = 1 / length;
    edgeTangent[3 * j] = x * inverse;
    edgeTangent[3 * j + 1] = y * inverse;
    edgeTangent[3 * j + 2] = z * inverse;
  }
  return true;
}

/** Material axes m1, m2 of every edge from its reference director and θ. */
export function turnMaterialFrames(der: DerRod): void {
  const { edgeCount, q, edgeReference: d, edgeTangent: t, edgeM1, edgeM2 } = der;
  for (let j = 0; j < edgeCount; j++) turnFrame(edgeM1, edgeM2, t, d, 3 * j, q[4 * j + 3]);
}

/** Twist of the reference frames at joint i, as the value closest to the last one. */
export function measureReferenceTwist(der: DerRod, i: number): void {
  const { joints, held, edgeReference, edgeTangent, jointReferenceTwist } = der;
  const before = joints.before[i];
  const after = joints.after[i];
  const fromDirector = before >= 0 ? edgeReference : held.director;
  const fromTangent = before >= 0 ? edgeTangent : held.tangent;
  const from = before >= 0 ? 3 * before : 3 * (-1 - before);
  const toDirector = after >= 0 ? edgeReference : held.director;
  const toTangent = after >= 0 ? edgeTangent : held.tangent;
  const to = after >= 0 ? 3 * after : 3 * (-1 - after);
  transport3(scratch, 0, fromDirector, from, fromTangent, from, toTangent, to);
  const angle = angleAbout3(scratch, 0, toDirector, to, toTangent, to);
  const turns = Math.round((jointReferenceTwist[i] - angle) / (2 * Math.PI));
  jointReferenceTwist[i] = angle + 2 * Math.PI * turns;
}

/** Material twist at every joint from θ and the twist of the reference frames. */
export function updateTwist(der: DerRod): void {
  const { joints, held, jointReferenceTwist, jointTwist, jointOffset, q } = der;
  for (let i = 0; i < joints.count; i++) {
    const before = joints.before[i];
    const after = joints.after[i];
    const thetaBefore = before >= 0 ? q[4 * before + 3] : held.theta[-1 - before];
    const thetaAfter = after >= 0 ? q[4 * after + 3] : held.theta[-1 - after];
    jointTwist[i] = thetaAfter - thetaBefore + jointReferenceTwist[i] + jointOffset[i];
  }
}

function measureTwist(der: DerRod): void {
  for (let i = 0; i < der.joints.count; i++) if (!der.breaking?.parts(i)) measureReferenceTwist(der, i);
  updateTwist(der);
}

/**
 * Updates frames to the current q: transports the reference directors from the last tangents to the new ones and updates twist and material frames.
 * Returns false if the state is impossible (zero edge, not a number).
 */
export function followCenterline(der: DerRod, work: Float64Array): boolean {
  if (!measureEdges(der, der.q, work)) return false;
  const { edgeCount, edgeReference, edgeTangent } = der;
  const broken = der.breaking?.broken;
  for (let j = 0, o = 0; j < edgeCount; j++, o += 3)
    if (!broken || broken[j] === 0) transport3(edgeReference, o, edgeReference, o, work, o, edgeTangent, o);
  measureTwist(der);
  turnMaterialFrames(der);
  der.hinges?.swing(der);
  return true;
}

/** Recomputes all derived quantities from a complete state without changing it: a restart continues with the same bits. */
export function restoreFrames(der: DerRod, work: Float64Array): boolean {
  if (!measureEdges(der, der.q, work)) return false;
  updateTwist(der);
  turnMaterialFrames(der);
  der.hinges?.swing(der);
  return true;
}

/** Recomputes all derived quantities from q and the reference directors, including the twist of the reference frames. */
export function rebuildFrames(der: DerRod, work: Float64Array): boolean {
  if (!measureEdges(der, der.q, work)) return false;
  measureTwist(der);
  turnMaterialFrames(der);
  der.hinges?.swing(der);
  return true;
}

/** The initial state of the compiled rod: θ = 0, reference = material director, twist as compiled. */
export function initializeState(der: DerRod, work: Float64Array): void {
  const { rod, q, v, joints, jointReferenceTwist } = der;
  der.q.fill(0);
  der.v.fill(0);
  for (let i = 0; i < rod.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      q[4 * i + k] = rod.nodePosition[3 * i + k];
      v[4 * i + k] = rod.nodeVelocity[3 * i + k];
    }
  }
  for (let j = 0; j < rod.edgeCount; j++) v[4 * j + 3] = der.mass[4 * j + 3] > 0 ? rod.edgeSpin[j] : 0;
  der.edgeReference.set(rod.edgeDirector);
  der.edgeTension.fill(0);
  measureEdges(der, q, work);
  for (let i = 0; i < joints.count; i++) {
    // a half joint has at most half of the node's twist: its principal value is right
    jointReferenceTwist[i] = joints.before[i] >= 0 && joints.after[i] >= 0 ? rod.nodeTwist[joints.node[i]] : 0;
  }
  measureTwist(der);
  if (rod.closed) {
    // the imposed twist need not be a whole number of turns: the joint that closes the rod keeps the rest
    der.jointOffset[0] = rod.nodeTwist[joints.node[0]] - jointReferenceTwist[0];
    measureTwist(der);
  }
  turnMaterialFrames(der);
}

/** State → samples. [port] */
export function poseSamples(der: DerRod): void {
  const { samples, nodeCount, edgeCount, q, v } = der;
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      samples.nodePosition[3 * i + k] = q[4 * i + k];
      samples.nodeVelocity[3 * i + k] = v[4 * i + k];
    }
  }
  samples.edgeTangent.set(der.edgeTangent);
  samples.edgeDirector.set(der.edgeM1);
  for (let j = 0; j < edgeCount; j++) samples.edgeSpin[j] = v[4 * j + 3];
}
