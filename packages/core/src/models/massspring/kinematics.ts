/** Pins and clamps as prescribed particles; the initial state; samples. */

import { writeFrameQuaternion } from '../../math/frameRotation.ts';
import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../../math/quaternion.ts';
import { cos, hypot, sin } from '../../math/rounded/index.ts';
import { createPinPose, type PinPose } from '../../scene/compiled.ts';
import { evaluatePoses, markHeld } from '../pins.ts';
import type { Hair } from './rod.ts';

const frame = new Float64Array(9);

/** d1, d2, d3 of a pin's pose, including its twist, turned about d3 by the angle of the ghosts. */
function writePoseFrame(tangent: Float64Array, director: Float64Array, twist: number): void {
  const c = cos(twist);
  const s = sin(twist);
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    const across = tangent[a] * director[b] - tangent[b] * director[a];
    frame[k] = c * director[k] + s * across;
    frame[3 + k] = c * across - s * director[k];
    frame[6 + k] = tangent[k];
  }
}

/** Pins at time t: which particles are prescribed. Positions are written by `placePinned`. */
export function evaluatePins(hair: Hair, t: number): void {
  evaluatePoses(hair, t);
  hair.poseTime = t;
  fixParticles(hair);
}

/** Which particles the poses of the pins prescribe. */
export function fixParticles(hair: Hair): void {
  const { fixed, stubs, start, stride } = hair;
  markHeld(fixed, hair, (node) => 3 * (start + stride * node));
  // a stub whose clamp was released has no springs left, and stays in place
  for (const { ghost, main } of stubs) {
    fixed.fill(1, 3 * ghost, 3 * ghost + 3);
    fixed.fill(1, 3 * main, 3 * main + 3);
  }
}

/** Writes the positions of pinned particles. */
export function placePinned(hair: Hair, x: Float64Array): void {
  const { pins, poses, fixed, stubs, start, stride } = hair;
  for (let p = 0; p < pins.length; p++) {
    if (!poses[p].active) continue;
    const o = 3 * (start + stride * pins[p].node);
    for (let k = 0; k < 3; k++) if (fixed[o + k]) x[o + k] = poses[p].position[k];
  }
  for (const stub of stubs) {
    if (!poses[stub.pin].active) continue;
    writeStub(stubAt, hair, stub, poses[stub.pin]);
    const o = 3 * (start + stride * stub.node);
    for (let k = 0; k < 3; k++) {
      x[3 * stub.main + k] = x[o + k] + stubAt[k];
      x[3 * stub.ghost + k] = x[o + k] + stubAt[3 + k];
    }
  }
}

const stubAt = new Float64Array(6);
const stubBefore = new Float64Array(6);
const poseBefore = createPinPose();

/** Main particle and ghost of a stub relative to their node. */
function writeStub(
  out: Float64Array,
  hair: Hair,
  { side, length, offset, axis }: Hair['stubs'][number],
  { tangent, director, twist }: PinPose,
): void {
  writePoseFrame(tangent, director, twist + hair.ghostAngle[side < 0 ? 0 : hair.rod.edgeCount - 1]);
  for (let k = 0; k < 3; k++) {
    out[k] = side * length * frame[6 + k];
    out[3 + k] = 0.5 * side * length * frame[6 + k] + offset * frame[3 * (axis - 1) + k];
  }
}

/** Stub velocities are differenced over this part of a step. */
const SPAN = 1e-4;

/** Velocities of pinned particles at the end t of a step of length h: those of the paths at t, not means over the step. */
export function movePinned(hair: Hair, t: number, h: number): void {
  const { v, pins, poses, fixed, stubs, start, stride } = hair;
  for (let p = 0; p < pins.length; p++) {
    const o = 3 * (start + stride * pins[p].node);
    if (poses[p].active) for (let k = 0; k < 3; k++) if (fixed[o + k]) v[o + k] = poses[p].velocity[k];
  }
  for (const stub of stubs) {
    if (!poses[stub.pin].active) continue;
    pins[stub.pin].evaluate(poseBefore, t - SPAN * h);
    writeStub(stubAt, hair, stub, poses[stub.pin]);
    writeStub(stubBefore, hair, stub, poseBefore);
    const o = 3 * (start + stride * stub.node);
    for (let k = 0; k < 3; k++) {
      v[3 * stub.main + k] = v[o + k] + (stubAt[k] - stubBefore[k]) / (SPAN * h);
      v[3 * stub.ghost + k] = v[o + k] + (stubAt[3 + k] - stubBefore[3 + k]) / (SPAN * h);
    }
  }
}

/** Particles on the compiled rod's initial shape. */
export function initializeState(hair: Hair): void {
  const { rod, q, v, start, stride, ghostOffset } = hair;
  for (let i = 0; i < rod.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      q[3 * (start + stride * i) + k] = rod.nodePosition[3 * i + k];
      v[3 * (start + stride * i) + k] = rod.nodeVelocity[3 * i + k];
    }
  }
  for (let j = 0; j < rod.edgeCount && stride === 2; j++) {
    const g = 3 * (start + 2 * j + 1);
    let length = 0;
    const t = [0, 1, 2].map((k) => rod.nodePosition[3 * j + 3 + k] - rod.nodePosition[3 * j + k]);
    for (const x of t) length += x * x;
    const d = [0, 1, 2].map((k) => rod.edgeDirector[3 * j + k]);
    const across = [0, 1, 2].map((k) => {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      return (t[a] * d[b] - t[b] * d[a]) / Math.sqrt(length);
    });
    // offset along the two axes in turn; it moves with the middle of its segment and spins about it
    const [c, s] = [cos(hair.ghostAngle[j]), sin(hair.ghostAngle[j])];
    const [e1, e2] = [d.map((x, k) => c * x + s * across[k]), d.map((x, k) => c * across[k] - s * x)];
    const [off, spin] = j % 2 === 0 ? [e1, e2] : [e2, e1.map((x) => -x)];
    for (let k = 0; k < 3; k++) {
      q[g + k] = 0.5 * (rod.nodePosition[3 * j + k] + rod.nodePosition[3 * j + 3 + k]) + ghostOffset[j] * off[k];
      v[g + k] =
        0.5 * (rod.nodeVelocity[3 * j + k] + rod.nodeVelocity[3 * j + 3 + k]) +
        ghostOffset[j] * rod.edgeSpin[j] * spin[k];
    }
    // the rotation of the segment moves the ghost: ω × offset with ω = t × t'
    const rate = [0, 1, 2].map((k) => rod.nodeVelocity[3 * j + 3 + k] - rod.nodeVelocity[3 * j + k]);
    const along = (off[0] * rate[0] + off[1] * rate[1] + off[2] * rate[2]) / length;
    for (let k = 0; k < 3; k++) v[g + k] -= ghostOffset[j] * along * t[k];
  }
  placePinned(hair, q);
}

/** Unit tangent of edge j and the unit direction of its ghost across it, into the six numbers of `out`; returns the distance. */
export function measureEdge(out: Float64Array, hair: Hair, x: Float64Array, j: number): number {
  const { start, stride } = hair;
  const a = 3 * (start + stride * j);
  const b = a + 3 * stride;
  const g = a + 3;
  let length = 0;
  for (let k = 0; k < 3; k++) {
    out[k] = x[b + k] - x[a + k];
    length += out[k] * out[k];
  }
  length = Math.sqrt(length);
  let along = 0;
  for (let k = 0; k < 3; k++) {
    out[k] /= length;
    out[3 + k] = x[g + k] - 0.5 * (x[a + k] + x[b + k]);
    along += out[k] * out[3 + k];
  }
  let size = 0;
  for (let k = 0; k < 3; k++) {
    out[3 + k] -= along * out[k];
    size += out[3 + k] * out[3 + k];
  }
  size = Math.sqrt(size);
  for (let k = 0; k < 3; k++) out[3 + k] /= size > 0 ? size : 1;
  return size;
}

const edge = new Float64Array(6);

/** State → samples: the director of an edge points to its ghost, or is perpendicular to that direction. [port] */
export function poseSamples(hair: Hair): void {
  const { samples, rod, q, v, start, stride, ghostAngle } = hair;
  for (let i = 0; i < rod.nodeCount; i++) {
    const o = 3 * (start + stride * i);
    for (let k = 0; k < 3; k++) {
      samples.nodePosition[3 * i + k] = q[o + k];
      samples.nodeVelocity[3 * i + k] = v[o + k];
    }
  }
  for (let j = 0; j < rod.edgeCount; j++) {
    const distance = measureEdge(edge, hair, q, j);
    const a = 3 * (start + stride * j);
    const cosine = cos(ghostAngle[j]);
    const sine = sin(ghostAngle[j]);
    let spin = 0;
    for (let k = 0; k < 3; k++) {
      const [m, n] = [(k + 1) % 3, (k + 2) % 3];
      const across = edge[m] * edge[3 + n] - edge[n] * edge[3 + m];
      samples.edgeTangent[3 * j + k] = edge[k];
      // even edges: the ghost is along the first axis; odd: along the second, at a right angle. Rotating back by the axes' angle gives d1
      const [e1, e2] = j % 2 === 0 ? [edge[3 + k], across] : [-across, edge[3 + k]];
      samples.edgeDirector[3 * j + k] = cosine * e1 - sine * e2;
      spin += across * (v[a + 3 + k] - 0.5 * (v[a + k] + v[a + 6 + k]));
    }
    samples.edgeSpin[j] = distance > 0 ? spin / distance : 0;
  }
}

const before = new Float64Array(4);
const after = new Float64Array(4);
const natural = new Float64Array(4);
const strain = new Float64Array(3);

/**
 * Turns between the frames of neighbouring edges beyond the natural ones [rad]: the largest, its node, and the sum of all, to which the
 * strains of the edges are added; of the samples.
 */
export function measureTurns({ samples, rod }: Hair): { largest: number; node: number; sum: number } {
  const { edgeTangent, edgeDirector, nodePosition: x } = samples;
  const out = { largest: 0, node: 0, sum: 0 };
  const frameOf = (q: Float64Array, j: number): void =>
    writeFrameQuaternion(q, {
      tangent: edgeTangent.subarray(3 * j, 3 * j + 3),
      director: edgeDirector.subarray(3 * j, 3 * j + 3),
    });
  for (let j = 0; j < rod.edgeCount; j++) {
    const length = hypot(x[3 * j + 3] - x[3 * j], x[3 * j + 4] - x[3 * j + 1], x[3 * j + 5] - x[3 * j + 2]);
    out.sum += Math.abs(length / rod.edgeLengthRest[j] - 1);
  }
  for (let i = 1; i < rod.edgeCount; i++) {
    frameOf(before, i - 1);
    frameOf(after, i);
    for (let k = 1; k < 4; k++) before[k] = -before[k];
    // R_before⁻¹ R_after relative to the natural turn over the two halves, in the axes of the first edge
    multiplyQuaternions(after, 0, before, 0, after, 0);
    for (let k = 0; k < 3; k++) strain[k] = -rod.halfStrainRest[6 * i + k];
    quaternionFromRotation(natural, 0, strain, 0);
    multiplyQuaternions(after, 0, after, 0, natural, 0);
    for (let k = 0; k < 3; k++) strain[k] = -rod.halfStrainRest[6 * i - 3 + k];
    quaternionFromRotation(natural, 0, strain, 0);
    multiplyQuaternions(after, 0, after, 0, natural, 0);
    rotationFromQuaternion(strain, 0, after, 0);
    const turn = hypot(strain[0], strain[1], strain[2]);
    out.sum += turn;
    if (turn > out.largest) {
      out.largest = turn;
      out.node = i;
    }
  }
  return out;
}
