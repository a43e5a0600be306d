/**
 * The part of the nodes' accelerations that is independent of the second derivative of curvatures: that of the root, and Coriolis and centrifugal
 * terms. The semi-implicit scheme and the start of a motion need it; the incremental potential does not.
 */
import { SERIES } from './gamma.ts';
import type { HelixRod } from './rod.ts';

const chord = new Float64Array(3);
const chordRate = new Float64Array(3);
const chordBend = new Float64Array(3);
const turnRate = new Float64Array(3);
const turnBend = new Float64Array(3);
const world = new Float64Array(15);
const w = new Float64Array(3);
const al = new Float64Array(3);
const v = new Float64Array(3);
const a = new Float64Array(3);

function cross(out: Float64Array, x: ArrayLike<number>, y: ArrayLike<number>): void {
  const a0 = x[1] * y[2] - x[2] * y[1];
  const a1 = x[2] * y[0] - x[0] * y[2];
  out[2] = x[0] * y[1] - x[1] * y[0];
  out[0] = a0;
  out[1] = a1;
}

const phi = new Float64Array(3);
const rate = new Float64Array(3);
const x1 = new Float64Array(3);
const x2 = new Float64Array(3);
const x3 = new Float64Array(3);
const x4 = new Float64Array(3);
const x5 = new Float64Array(3);
const e3 = Float64Array.of(0, 0, 1);

/** Place, turn and their rates at u of an element in its own axes, its curvatures changing at a constant rate. */
function writeLocalMotion(
  kappa: Float64Array,
  kappaRate: Float64Array,
  e: number,
  u: number,
  s: Float64Array,
  o: number,
): void {
  for (let k = 0; k < 3; k++) {
    phi[k] = kappa[3 * e + k] * u;
    rate[k] = kappaRate[3 * e + k] * u;
  }
  const a2 = s[o + 2];
  const a3 = s[o + 3];
  const b2 = 2 * s[o + 4] - s[o + 3];
  const b3 = 3 * s[o + 5] - s[o + 4];
  const b4 = 4 * s[o + 6] - s[o + 5];
  const b5 = 5 * s[o + 7] - s[o + 6];
  const c2 = 2 * b4 - b3;
  const c3 = 3 * b5 - b4;
  const mix = phi[0] * rate[0] + phi[1] * rate[1] + phi[2] * rate[2];
  const square = rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2];
  cross(x1, phi, e3);
  cross(x2, phi, x1);
  cross(x3, rate, e3);
  cross(x4, rate, x1);
  cross(x5, phi, x3);
  for (let k = 0; k < 3; k++) {
    chord[k] = u * (e3[k] + a2 * x1[k] + a3 * x2[k]);
    chordRate[k] = u * (b2 * mix * x1[k] + a2 * x3[k] + b3 * mix * x2[k] + a3 * (x4[k] + x5[k]));
  }
  const p = c2 * mix * mix + b2 * square;
  const q = c3 * mix * mix + b3 * square;
  for (let k = 0; k < 3; k++)
    chordBend[k] = u * (p * x1[k] + 2 * b2 * mix * x3[k] + q * x2[k] + 2 * b3 * mix * (x4[k] + x5[k]));
  cross(x5, rate, x3);
  for (let k = 0; k < 3; k++) chordBend[k] += 2 * u * a3 * x5[k];
  cross(x1, phi, rate);
  cross(x2, phi, x1);
  cross(x3, rate, x1);
  for (let k = 0; k < 3; k++) {
    turnRate[k] = rate[k] + a2 * x1[k] + a3 * x2[k];
    turnBend[k] = b2 * mix * x1[k] + b3 * mix * x2[k] + a3 * x3[k];
  }
}

/** Into world axes: chord, its two rates, turn rate and its rate; 3 each. */
function turnToWorld(frame: Float64Array, at: number): void {
  const local = [chord, chordRate, chordBend, turnRate, turnBend];
  for (let n = 0; n < 5; n++) {
    const x = local[n];
    for (let r = 0; r < 3; r++)
      world[3 * n + r] = frame[at + 3 * r] * x[0] + frame[at + 3 * r + 1] * x[1] + frame[at + 3 * r + 2] * x[2];
  }
}

/** Acceleration of the point that the local motion was written for, from the near end's motion. */
function writePointAcceleration(out: Float64Array, o: number): void {
  const [px, py, pz, rx, ry, rz] = world;
  // ω × p + 2 ṗ, crossed with ω once more
  const kx = w[1] * pz - w[2] * py + 2 * rx;
  const ky = w[2] * px - w[0] * pz + 2 * ry;
  const kz = w[0] * py - w[1] * px + 2 * rz;
  out[o] = a[0] + al[1] * pz - al[2] * py + w[1] * kz - w[2] * ky + world[6];
  out[o + 1] = a[1] + al[2] * px - al[0] * pz + w[2] * kx - w[0] * kz + world[7];
  out[o + 2] = a[2] + al[0] * py - al[1] * px + w[0] * ky - w[1] * kx + world[8];
}

/** d̈ = α × d + ω × (ω × d) of d1 and d2 at a node, with spin ω and its rate α. */
function writeDirectorAcceleration(
  out: Float64Array,
  h: HelixRod,
  i: number,
  spin: Float64Array,
  turn: Float64Array,
): void {
  for (let n = 0; n < 2; n++) {
    for (let k = 0; k < 3; k++) x1[k] = h.nodeFrame[9 * i + 3 * k + n];
    cross(x2, spin, x1);
    cross(x3, spin, x2);
    cross(x4, turn, x1);
    for (let k = 0; k < 3; k++) out[6 * i + 3 * n + k] = x4[k] + x3[k];
  }
}

const spinHere = new Float64Array(3);
const turnHere = new Float64Array(3);

/**
 * Accelerations of nodes (3 each) and of their directors (6 each) at constant rates of the curvatures, in the current pose.
 * `rootAcceleration`: of the root's velocity and spin.
 */
export function writeBiasAcceleration(
  nodeOut: Float64Array,
  directorOut: Float64Array,
  h: HelixRod,
  kappaRate: Float64Array,
  rootRate: Float64Array,
  rootAcceleration: Float64Array,
): void {
  const { elementCount, elementNode, elementLength, frame, pose } = h;
  for (let k = 0; k < 3; k++) {
    v[k] = rootRate[k];
    w[k] = rootRate[3 + k];
    a[k] = rootAcceleration[k];
    al[k] = rootAcceleration[3 + k];
    nodeOut[k] = a[k];
  }
  if (h.hasFrames) writeDirectorAcceleration(directorOut, h, 0, w, al);
  for (let e = 0; e < elementCount; e++) {
    for (let i = elementNode[e] + 1; i <= elementNode[e + 1]; i++) {
      const tip = i === elementNode[e + 1];
      writeLocalMotion(
        pose,
        kappaRate,
        e,
        tip ? elementLength[e] : h.nodeOffset[i],
        tip ? h.series : h.nodeSeries,
        SERIES * (tip ? e : i),
      );
      turnToWorld(frame, 9 * e);
      writePointAcceleration(nodeOut, 3 * i);
      for (let k = 0; k < 3; k++) spinHere[k] = world[9 + k];
      cross(turnHere, w, spinHere);
      for (let k = 0; k < 3; k++) {
        turnHere[k] += al[k] + world[12 + k];
        spinHere[k] += w[k];
      }
      if (h.hasFrames) writeDirectorAcceleration(directorOut, h, i, spinHere, turnHere);
    }
    // the last was the far end
    for (let k = 0; k < 3; k++) a[k] = nodeOut[3 * elementNode[e + 1] + k];
    w.set(spinHere);
    al.set(turnHere);
  }
}
