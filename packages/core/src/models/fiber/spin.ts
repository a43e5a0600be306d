/**
 * Corrects the spin of rings in a step of implicit Euler, so that a rod in contact rolls at the right speed.
 *
 * Implicit Euler moves particles along chords. A ring that turns by δ about its axis then loses the part δ² of its spin in every step. So the step
 * begins with the velocities whose chords end where the rotation leads, and ends with the velocities of that rotation in place of the chords'. A ring
 * on which no torque acts keeps its spin; the mean velocity of a ring does not change.
 */
import { atan2, cos, sin } from '../../math/rounded/index.ts';
import type { FiberRod } from './rod.ts';

const axis = new Float64Array(3);
const arms = new Float64Array(12);
const armsBefore = new Float64Array(12);

/** Writes the unit normal of the ring whose particles start at o. */
function writeAxis(x: Float64Array, o: number): void {
  const first = (k: number): number => x[o + 3 + k] + x[o + 6 + k] - x[o + k] - x[o + 9 + k];
  const second = (k: number): number => x[o + 6 + k] + x[o + 9 + k] - x[o + k] - x[o + 3 + k];
  let square = 0;
  for (let k = 0; k < 3; k++) {
    const [a, b] = [(k + 1) % 3, (k + 2) % 3];
    axis[k] = first(a) * second(b) - first(b) * second(a);
    square += axis[k] * axis[k];
  }
  const length = Math.sqrt(square);
  for (let k = 0; k < 3; k++) axis[k] /= length;
}

/** Writes the particles' distances from the line along `axis` through the middle of their ring. */
function writeArms(out: Float64Array, x: Float64Array, o: number): void {
  for (let k = 0; k < 3; k++) {
    const mean = 0.25 * (x[o + k] + x[o + 3 + k] + x[o + 6 + k] + x[o + 9 + k]);
    for (let d = k; d < 12; d += 3) out[d] = x[o + d] - mean;
  }
  for (let d = 0; d < 12; d += 3) {
    const along = axis[0] * out[d] + axis[1] * out[d + 1] + axis[2] * out[d + 2];
    for (let k = 0; k < 3; k++) out[d + k] -= along * axis[k];
  }
}

/** Σ axis · (r × u) over the particles. */
function sumMoment(r: Float64Array, u: Float64Array, o: number): number {
  let sum = 0;
  for (let d = 0; d < 12; d += 3)
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      sum += axis[k] * (r[d + a] * u[o + d + b] - r[d + b] * u[o + d + a]);
    }
  return sum;
}

function sumProduct(r: Float64Array, u: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < 12; d++) sum += r[d] * u[d];
  return sum;
}

/** v += outward·r + onward·(axis × r) for the particles of the ring at o. */
function addTurn(v: Float64Array, o: number, r: Float64Array, outward: number, onward: number): void {
  for (let d = 0; d < 12; d += 3)
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      v[o + d + k] += outward * r[d + k] + onward * (axis[a] * r[d + b] - axis[b] * r[d + a]);
    }
}

/** True if a pin prescribes how the ring turns. */
function isTurned({ held, poses }: FiberRod, ring: number): boolean {
  return held.some((one) => one.ring === ring && one.framePin >= 0 && poses[one.framePin].active);
}

/** Bends the velocities v0 of the start of a step of length h; `turn`: the angle by which each ring would turn freely [rad]. */
export function bendSpin(
  fiber: FiberRod,
  { x0, v0, turn }: { readonly x0: Float64Array; readonly v0: Float64Array; readonly turn: Float64Array },
  h: number,
): void {
  for (let i = 0; i < fiber.ringCount; i++) {
    turn[i] = 0;
    if (isTurned(fiber, i)) continue;
    const o = 12 * i;
    writeAxis(x0, o);
    writeArms(arms, x0, o);
    const spin = sumMoment(arms, v0, o) / sumProduct(arms, arms);
    // mass damping divides the displacement of a free particle by 1 + αh
    const damped = 1 + fiber.ringDamping[i] * h;
    turn[i] = (spin * h) / damped;
    const rate = damped / h;
    addTurn(v0, o, arms, rate * (cos(turn[i]) - 1), rate * sin(turn[i]) - spin);
  }
}

/** Replaces the chords' part of the velocities v at y, the end of a step of length h from x0, by that of a rotation. */
export function straightenSpin(
  fiber: FiberRod,
  { x0, y, turn }: { readonly x0: Float64Array; readonly y: Float64Array; readonly turn: Float64Array },
  v: Float64Array,
  h: number,
): void {
  for (let i = 0; i < fiber.ringCount; i++) {
    if (isTurned(fiber, i)) continue;
    const o = 12 * i;
    writeAxis(y, o);
    writeArms(arms, y, o);
    writeArms(armsBefore, x0, o);
    const angle = atan2(sumMoment(armsBefore, arms, 0), sumProduct(armsBefore, arms));
    const turned = angle + 2 * Math.PI * Math.round((turn[i] - angle) / (2 * Math.PI));
    addTurn(v, o, arms, (cos(turned) - 1) / h, (turned - sin(turned)) / h);
  }
}
