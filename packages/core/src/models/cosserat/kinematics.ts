/** Pins, frames and strain from positions and quaternions; moving along unknowns; samples. */

import { multiplyQuaternions, quaternionFromRotation } from '../../math/quaternion.ts';
import { atan2, cos as cosine, sin } from '../../math/rounded/index.ts';
import type { PrescribedTurn } from '../../scene/startTwist.ts';
import { switchJoints } from '../joints.ts';
import { evaluatePoses, interpolateTurn, markHeld } from '../pins.ts';
import { measureRotation } from './joint.ts';
import type { CosseratRod } from './rod.ts';

const scratch = new Float64Array(8);

/** Unit quaternion of the frame with axes d1 and d3 (d2 = d3 × d1). */
export function quaternionFromFrame(
  out: Float64Array,
  o: number,
  d1: ArrayLike<number>,
  i: number,
  d3: ArrayLike<number>,
  j: number,
): void {
  const m00 = d1[i];
  const m10 = d1[i + 1];
  const m20 = d1[i + 2];
  const m02 = d3[j];
  const m12 = d3[j + 1];
  const m22 = d3[j + 2];
  const m01 = m12 * m20 - m22 * m10;
  const m11 = m22 * m00 - m02 * m20;
  const m21 = m02 * m10 - m12 * m00;
  const trace = m00 + m11 + m22;
  let w: number;
  let x: number;
  let y: number;
  let z: number;
  if (trace > 0) {
    [w, x, y, z] = [1 + trace, m21 - m12, m02 - m20, m10 - m01];
  } else if (m00 >= m11 && m00 >= m22) {
    [w, x, y, z] = [m21 - m12, 1 + m00 - m11 - m22, m01 + m10, m02 + m20];
  } else if (m11 >= m22) {
    [w, x, y, z] = [m02 - m20, m01 + m10, 1 + m11 - m00 - m22, m12 + m21];
  } else {
    [w, x, y, z] = [m10 - m01, m02 + m20, m12 + m21, 1 + m22 - m00 - m11];
  }
  const scale = 1 / Math.sqrt(w * w + x * x + y * y + z * z);
  out[o] = scale * w;
  out[o + 1] = scale * x;
  out[o + 2] = scale * y;
  out[o + 3] = scale * z;
}

/** Pins at time t: prescribed unknowns, acting joints, held frames. Positions are written by `placePinned`. */
export function evaluatePins(cos: CosseratRod, t: number): void {
  evaluatePoses(cos, t);
  markHeld(cos.fixed, cos, (node) => 6 * node);
  switchJoints(cos);
  placeHeldFrames(cos);
  cos.adopt?.(t);
}

/** Quaternions of held frames from the pins' poses; of both signs, the one closer to the last quaternion. */
export function placeHeldFrames(cos: CosseratRod): void {
  const { heldPin, heldQuaternion, heldMemory, poses } = cos;
  for (let h = 0; h < heldPin.length; h++) {
    const pose = poses[heldPin[h]];
    quaternionFromFrame(scratch, 0, pose.director, 0, pose.tangent, 0);
    let along = 0;
    for (let k = 0; k < 4; k++) along += scratch[k] * heldMemory[5 * h + k];
    if (along < 0) for (let k = 0; k < 4; k++) scratch[k] = -scratch[k];
    scratch[4] = cosine(0.5 * pose.twist);
    scratch[5] = 0;
    scratch[6] = 0;
    scratch[7] = sin(0.5 * pose.twist);
    multiplyQuaternions(heldQuaternion, 4 * h, scratch, 0, scratch, 4);
  }
}

/** Stores the current held frames, so that the quaternions of the next ones do not change their sign. */
export function rememberHeldFrames(cos: CosseratRod): void {
  const { heldPin, heldMemory, poses } = cos;
  for (let h = 0; h < heldPin.length; h++) {
    const pose = poses[heldPin[h]];
    quaternionFromFrame(scratch, 0, pose.director, 0, pose.tangent, 0);
    let along = 0;
    for (let k = 0; k < 4; k++) along += scratch[k] * heldMemory[5 * h + k];
    for (let k = 0; k < 4; k++) heldMemory[5 * h + k] = along < 0 ? -scratch[k] : scratch[k];
    heldMemory[5 * h + 4] = pose.twist;
  }
}

/** Writes prescribed positions into q, and their velocities into v. */
export function placePinned(cos: CosseratRod, what: 'motion' | 'pose'): void {
  const { pins, poses, fixed, q, v } = cos;
  for (let p = 0; p < pins.length; p++) {
    if (!poses[p].active) continue;
    const node = pins[p].node;
    for (let k = 0; k < 3; k++) {
      if (!fixed[6 * node + k]) continue;
      q[7 * node + k] = poses[p].position[k];
      if (what === 'motion') v[6 * node + k] = poses[p].velocity[k];
    }
  }
}

/**
 * First guess for the frames after held ones have turned about their tangents: distributes the rotation linearly over arc length. Returns false if
 * the rotation is more than joints can represent, about half a turn per edge.
 */
export function spreadHeldTwist(cos: CosseratRod): boolean {
  const { heldPin, heldMemory, poses, pins, rod, edgeCount, q } = cos;
  let largest = 0;
  for (let h = 0; h < heldPin.length; h++) {
    if (pins[heldPin[h]].orientation === 'frame' && poses[heldPin[h]].active)
      largest = Math.max(largest, Math.abs(poses[heldPin[h]].twist - heldMemory[5 * h + 4]));
  }
  if (largest < 0.5) return true;
  const turns: PrescribedTurn[] = [];
  for (let h = 0; h < heldPin.length; h++) {
    const pin = pins[heldPin[h]];
    if (pin.orientation !== 'frame' || !poses[heldPin[h]].active) continue;
    turns.push({ arc: rod.nodeArc[pin.node], turn: poses[heldPin[h]].twist - heldMemory[5 * h + 4] });
  }
  turns.sort((a, b) => a.arc - b.arc);
  for (let j = 0; j < edgeCount; j++) {
    scratch[0] = 0;
    scratch[1] = 0;
    scratch[2] = interpolateTurn(turns, rod, j);
    turnQuaternion(q, 7 * j + 3, scratch, 0);
  }
  return largest < 1.5 * edgeCount;
}

const turn = new Float64Array(4);

/** q ← q·exp(ϑ), normalised. */
export function turnQuaternion(q: Float64Array, o: number, rotation: ArrayLike<number>, i: number): void {
  quaternionFromRotation(turn, 0, rotation, i);
  multiplyQuaternions(q, o, q, o, turn, 0);
  const size = 1 / Math.sqrt(q[o] * q[o] + q[o + 1] * q[o + 1] + q[o + 2] * q[o + 2] + q[o + 3] * q[o + 3]);
  q[o] *= size;
  q[o + 1] *= size;
  q[o + 2] *= size;
  q[o + 3] *= size;
}

const stepScratch = new Float64Array(3);

/** Moves positions and frames by `fraction` of a step in the unknowns. */
export function moveBy(cos: CosseratRod, step: Float64Array, fraction: number): void {
  const { q, nodeCount, edgeCount } = cos;
  for (let i = 0; i < nodeCount; i++) for (let k = 0; k < 3; k++) q[7 * i + k] += fraction * step[6 * i + k];
  for (let j = 0; j < edgeCount; j++) {
    for (let k = 0; k < 3; k++) stepScratch[k] = fraction * step[6 * j + 3 + k];
    turnQuaternion(q, 7 * j + 3, stepScratch, 0);
  }
}

/** Computes frames and strains of edges from q; returns false if a number is NaN. */
export function measureEdges(cos: CosseratRod): boolean {
  const { q, edgeCount, nodeCount, edgeFrame, edgeStrain, rod } = cos;
  for (let j = 0; j < edgeCount; j++) {
    const o = 7 * j + 3;
    const w = q[o];
    const x = q[o + 1];
    const y = q[o + 2];
    const z = q[o + 3];
    const f = 9 * j;
    edgeFrame[f] = 1 - 2 * (y * y + z * z);
    edgeFrame[f + 1] = 2 * (x * y + w * z);
    edgeFrame[f + 2] = 2 * (x * z - w * y);
    edgeFrame[f + 3] = 2 * (x * y - w * z);
    edgeFrame[f + 4] = 1 - 2 * (x * x + z * z);
    edgeFrame[f + 5] = 2 * (y * z + w * x);
    edgeFrame[f + 6] = 2 * (x * z + w * y);
    edgeFrame[f + 7] = 2 * (y * z - w * x);
    edgeFrame[f + 8] = 1 - 2 * (x * x + y * y);
    const b = j + 1 < nodeCount ? 7 * j + 7 : 0;
    const l = 1 / rod.edgeLengthRest[j];
    const ex = l * (q[b] - q[7 * j]);
    const ey = l * (q[b + 1] - q[7 * j + 1]);
    const ez = l * (q[b + 2] - q[7 * j + 2]);
    for (let k = 0; k < 3; k++) {
      edgeStrain[3 * j + k] = edgeFrame[f + 3 * k] * ex + edgeFrame[f + 3 * k + 1] * ey + edgeFrame[f + 3 * k + 2] * ez;
    }
    if (!(Math.abs(edgeStrain[3 * j] + edgeStrain[3 * j + 1] + edgeStrain[3 * j + 2]) < Infinity)) return false;
  }
  return true;
}

/** Computes frames, strains and joint rotations from q; returns false if a number is NaN or a joint is turned too far. */
export function measureStrain(cos: CosseratRod): boolean {
  if (!measureEdges(cos)) return false;
  const { q, joints, jointRotation, jointActive, heldQuaternion } = cos;
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i] || joints.freeSpin[i]) continue;
    const before = joints.before[i];
    const after = joints.after[i];
    const a = before >= 0 ? q : heldQuaternion;
    const b = after >= 0 ? q : heldQuaternion;
    if (
      !measureRotation(
        jointRotation,
        3 * i,
        a,
        before >= 0 ? 7 * before + 3 : 4 * (-1 - before),
        b,
        after >= 0 ? 7 * after + 3 : 4 * (-1 - after),
        closingOf(cos, i),
      )
    )
      return false;
  }
  return true;
}

/** Angle about d3 that joint i adds: for the joint after the last edge of a closed rod, that of the seam, also if a frame is held there. */
export function closingOf({ rod, joints, edgeCount, closing }: CosseratRod, i: number): number {
  return rod.closed && joints.node[i] === 0 && joints.before[i] === edgeCount - 1 ? closing : 0;
}

/** The compiled rod's initial state; frames get the signs that make the joints' twist as compiled. False: cannot be counted. */
export function initializeState(cos: CosseratRod): boolean {
  const { rod, q, v, edgeCount, nodeCount, edgeFrame } = cos;
  const tangent = new Float64Array(3);
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      q[7 * i + k] = rod.nodePosition[3 * i + k];
      v[6 * i + k] = rod.nodeVelocity[3 * i + k];
    }
  }
  let countable = true;
  for (let j = 0; j < edgeCount; j++) {
    const next = (j + 1) % nodeCount;
    let length = 0;
    for (let k = 0; k < 3; k++) {
      tangent[k] = rod.nodePosition[3 * next + k] - rod.nodePosition[3 * j + k];
      length += tangent[k] * tangent[k];
    }
    for (let k = 0; k < 3; k++) tangent[k] /= Math.sqrt(length);
    quaternionFromFrame(q, 7 * j + 3, rod.edgeDirector, 3 * j, tangent, 0);
    if (j > 0) countable = chooseSign(q, 7 * j - 4, 7 * j + 3, rod.nodeTwist[j]) && countable;
  }
  cos.closing = 0;
  if (rod.closed) closeFrames(cos);
  measureStrain(cos);
  // the material turns with its edge, and spins about it
  for (let j = 0; j < edgeCount; j++) {
    const b = j + 1 < nodeCount ? 6 * j + 6 : 0;
    const f = 9 * j;
    const l = 1 / rod.edgeLengthRest[j];
    const rate = [0, 1, 2].map((k) => l * (v[b + k] - v[6 * j + k]));
    const across = (k: number): number =>
      edgeFrame[f + k] * rate[0] + edgeFrame[f + k + 1] * rate[1] + edgeFrame[f + k + 2] * rate[2];
    // d3' = ω × d3: ω1 = −d3'·d2, ω2 = d3'·d1
    v[6 * j + 3] = -across(3);
    v[6 * j + 4] = across(0);
    v[6 * j + 5] = rod.edgeSpin[j];
  }
  initializeHeld(cos);
  return countable;
}

/** Chooses the sign of quaternion b that gives the requested twist from a to b. */
function chooseSign(q: Float64Array, a: number, b: number, twist: number): boolean {
  const w = q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2] + q[a + 3] * q[b + 3];
  const z = q[a] * q[b + 3] - q[a + 1] * q[b + 2] + q[a + 2] * q[b + 1] - q[a + 3] * q[b];
  const plus = Math.abs(2 * atan2(z, w) - twist);
  const minus = Math.abs(2 * atan2(-z, -w) - twist);
  if (minus < plus) for (let k = 0; k < 4; k++) q[b + k] = -q[b + k];
  return Math.min(plus, minus) < 2;
}

/** The imposed twist need not be a whole number of turns: the joint that closes the rod has the remainder as an offset. */
function closeFrames(cos: CosseratRod): void {
  const { q, edgeCount, rod } = cos;
  const a = 7 * (edgeCount - 1) + 3;
  const b = 3;
  const w = q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2] + q[a + 3] * q[b + 3];
  const z = q[a] * q[b + 3] - q[a + 1] * q[b + 2] + q[a + 2] * q[b + 1] - q[a + 3] * q[b];
  cos.closing = rod.nodeTwist[0] - 2 * atan2(z, w);
}

/** The signs of held frames that make their half joints short, at the start. */
function initializeHeld(cos: CosseratRod): void {
  const { heldPin, heldMemory, poses, pins, q, edgeCount } = cos;
  for (let h = 0; h < heldPin.length; h++) {
    const { node } = pins[heldPin[h]];
    const edge = Math.min(node, edgeCount - 1);
    const pose = poses[heldPin[h]];
    quaternionFromFrame(scratch, 0, pose.director, 0, pose.tangent, 0);
    let along = 0;
    for (let k = 0; k < 4; k++) along += scratch[k] * q[7 * edge + 3 + k];
    for (let k = 0; k < 4; k++) heldMemory[5 * h + k] = along < 0 ? -scratch[k] : scratch[k];
    heldMemory[5 * h + 4] = 0;
  }
  placeHeldFrames(cos);
}

/** State → samples: the tangent of an edge is d3, from which its chord differs by shear. [port] */
export function poseSamples(cos: CosseratRod): void {
  const { samples, nodeCount, edgeCount, q, v, edgeFrame } = cos;
  for (let i = 0; i < nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      samples.nodePosition[3 * i + k] = q[7 * i + k];
      samples.nodeVelocity[3 * i + k] = v[6 * i + k];
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    for (let k = 0; k < 3; k++) {
      samples.edgeDirector[3 * j + k] = edgeFrame[9 * j + k];
      samples.edgeTangent[3 * j + k] = edgeFrame[9 * j + 6 + k];
    }
    samples.edgeSpin[j] = v[6 * j + 5];
  }
}
