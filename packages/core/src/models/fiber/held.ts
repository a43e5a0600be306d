/**
 * Rings that pins hold.
 *
 * A ring has twelve coordinates. In the orthonormal basis of its mean, its two axes and its warp (halved sums of the corners with
 * signs), a pin prescribes some of them: the mean along world axes for a position; the two axes and the warp for a frame; the
 * components of these along the tangent for a direction that may spin. So a held ring has a few fixed unknowns in another
 * basis, whatever the pin holds; everywhere else, the particles are the unknowns.
 */

import { BLOCK, type BlockTridiagonal, fixEntry } from '../../linalg/blockTridiagonal.ts';
import { cos, sin } from '../../math/rounded/index.ts';
import type { Pin, PinPose } from '../../scene/compiled.ts';
import { evaluatePoses } from '../pins.ts';
import type { FiberRod } from './rod.ts';

export interface HeldRing {
  readonly ring: number;
  /** Indices of pins. */
  readonly placePins: readonly number[];
  /** −1: none. */
  readonly framePin: number;
  /** Rows are basis vectors, 12 × 12: 3m + axis for mean, first axis, second axis, warp. */
  readonly basis: Float64Array;
  readonly fixed: Uint8Array;
  /** Prescribed values of `fixed` coordinates, and their rates if the pin prescribes those too, which a direction alone does not. */
  readonly target: Float64Array;
  readonly rate: Float64Array;
  /** True if any coordinate is fixed now; true if all are. */
  active: boolean;
  full: boolean;
}

/** Signs of the corners in each mode: mean, first axis, second axis, warp. */
const SIGN = [
  [1, 1, 1, 1],
  [-1, 1, 1, -1],
  [-1, -1, 1, 1],
  [1, -1, 1, -1],
];

export function holdRings(pins: readonly Pin[]): HeldRing[] {
  const rings = [...new Set(pins.map(({ node }) => node))].sort((a, b) => a - b);
  return rings.map((ring) => {
    const here = pins.flatMap((pin, p) => (pin.node === ring ? [p] : []));
    return {
      ring,
      placePins: here.filter((p) => pins[p].holdX || pins[p].holdY || pins[p].holdZ),
      framePin: here.find((p) => pins[p].orientation !== 'free') ?? -1,
      basis: new Float64Array(144),
      fixed: new Uint8Array(12),
      target: new Float64Array(12),
      rate: new Float64Array(12),
      active: false,
      full: false,
    };
  });
}

/** Axes of the pose: tangent, d1 turned by the twist, and d2. */
const axes = new Float64Array(9);

function writeAxes(tangent: Float64Array, director: Float64Array, twist: number): void {
  const [tx, ty, tz] = tangent;
  const [dx, dy, dz] = director;
  const ex = ty * dz - tz * dy;
  const ey = tz * dx - tx * dz;
  const ez = tx * dy - ty * dx;
  const c = cos(twist);
  const s = sin(twist);
  axes[0] = c * dx + s * ex;
  axes[1] = c * dy + s * ey;
  axes[2] = c * dz + s * ez;
  axes[3] = c * ex - s * dx;
  axes[4] = c * ey - s * dy;
  axes[5] = c * ez - s * dz;
  axes[6] = tx;
  axes[7] = ty;
  axes[8] = tz;
}

/** Axes of a pose, as `writeAxes` has them. Reused by the next call. */
export function axesOf({ tangent, director, twist }: PinPose): Float64Array {
  writeAxes(tangent, director, twist);
  return axes;
}

/** Evaluates the pins at time t: fixed coordinates, their basis and their values. */
export function evaluateHeld(fiber: FiberRod, t: number): void {
  const { held } = fiber;
  evaluatePoses(fiber, t);
  fiber.poseTime = t;
  for (let h = 0; h < held.length; h++) evaluateRing(fiber, held[h]);
}

/** Like `holdRings`, with poses of the pins that have been written already. */
export function evaluateRing(fiber: FiberRod, ring: HeldRing): void {
  const { pins, poses, width1, width2 } = fiber;
  const { basis, fixed, target, rate, placePins, framePin } = ring;
  fixed.fill(0);
  target.fill(0);
  rate.fill(0);
  for (let a = 0; a < placePins.length; a++) {
    const p = placePins[a];
    if (!poses[p].active) continue;
    if (pins[p].holdX) fixed[0] = 1;
    if (pins[p].holdY) fixed[1] = 1;
    if (pins[p].holdZ) fixed[2] = 1;
    for (let k = 0; k < 3; k++) {
      target[k] = fixed[k] ? 2 * poses[p].position[k] : 0;
      rate[k] = fixed[k] ? 2 * poses[p].velocity[k] : 0;
    }
  }
  const turned = framePin >= 0 && poses[framePin].active;
  const spins = turned && pins[framePin].orientation === 'tangent';
  if (turned) {
    writeAxes(poses[framePin].tangent, poses[framePin].director, poses[framePin].twist);
    for (let m = 1; m < 4; m++) for (let k = spins ? 2 : 0; k < 3; k++) fixed[3 * m + k] = 1;
  }
  for (let m = 0; m < 4; m++) {
    for (let k = 0; k < 3; k++) {
      for (let c = 0; c < 4; c++) {
        for (let x = 0; x < 3; x++) {
          const axis = spins && m > 0 ? axes[3 * k + x] : k === x ? 1 : 0;
          basis[BLOCK * (3 * m + k) + 3 * c + x] = 0.5 * SIGN[m][c] * axis;
        }
      }
      if (turned && !spins && m > 0)
        target[3 * m + k] = m === 1 ? width1 * axes[k] : m === 2 ? width2 * axes[3 + k] : 0;
    }
  }
  if (turned && !spins) {
    turnWith(rate, target, 3, poses[framePin].angularVelocity);
    turnWith(rate, target, 6, poses[framePin].angularVelocity);
  }
  ring.active = false;
  ring.full = true;
  for (let k = 0; k < 12; k++) {
    if (fixed[k]) ring.active = true;
    else ring.full = false;
  }
}

/** The rate of the vector at o that turns with ω. */
function turnWith(rate: Float64Array, x: Float64Array, o: number, w: Float64Array): void {
  rate[o] = w[1] * x[o + 2] - w[2] * x[o + 1];
  rate[o + 1] = w[2] * x[o] - w[0] * x[o + 2];
  rate[o + 2] = w[0] * x[o + 1] - w[1] * x[o];
}

/** Replaces the twelve numbers of a ring at o by their coordinates in its basis. */
export function turnVector({ basis }: HeldRing, x: Float64Array, o: number): void {
  for (let k = 0; k < BLOCK; k++) {
    let sum = 0;
    for (let j = 0; j < BLOCK; j++) sum += basis[BLOCK * k + j] * x[o + j];
    turnedRing[k] = sum;
  }
  for (let k = 0; k < BLOCK; k++) x[o + k] = turnedRing[k];
}

const turnedRing = new Float64Array(12);

/** turnedRing = basis · x of the ring. */
function turnInto({ basis, ring }: HeldRing, x: Float64Array): void {
  for (let k = 0; k < BLOCK; k++) {
    let sum = 0;
    for (let j = 0; j < BLOCK; j++) sum += basis[BLOCK * k + j] * x[BLOCK * ring + j];
    turnedRing[k] = sum;
  }
}

/** x of the ring = basisᵀ · turnedRing. */
function turnBack({ basis, ring }: HeldRing, x: Float64Array): void {
  for (let j = 0; j < BLOCK; j++) {
    let sum = 0;
    for (let k = 0; k < BLOCK; k++) sum += basis[BLOCK * k + j] * turnedRing[k];
    x[BLOCK * ring + j] = sum;
  }
}

/** Moves the held rings of x to the poses of their pins. */
export function imposeHeld(fiber: FiberRod, x: Float64Array): void {
  for (let h = 0; h < fiber.held.length; h++) {
    const ring = fiber.held[h];
    if (!ring.active) continue;
    turnInto(ring, x);
    for (let k = 0; k < BLOCK; k++) if (ring.fixed[k]) turnedRing[k] = ring.target[k];
    turnBack(ring, x);
  }
}

/**
 * Sets the velocities of held rings to those of their pins. `mean`: mean velocities over the step, used for a ring that is held by its direction
 * alone: trapezoidal velocities would oscillate there.
 */
export function imposeHeldVelocity(fiber: FiberRod, v: Float64Array, mean: Float64Array): void {
  copyHeld(fiber, v, mean);
  for (const ring of fiber.held) {
    if (!ring.active) continue;
    const spins = ring.framePin >= 0 && fiber.pins[ring.framePin].orientation === 'tangent';
    turnInto(ring, v);
    for (let k = 0; k < (spins ? 3 : BLOCK); k++) if (ring.fixed[k]) turnedRing[k] = ring.rate[k];
    turnBack(ring, v);
  }
}

/** Sets the held coordinates of a vector of displacements or velocities to zero. */
export function freeHeld(fiber: FiberRod, x: Float64Array): void {
  for (let h = 0; h < fiber.held.length; h++) {
    const ring = fiber.held[h];
    if (!ring.active) continue;
    turnInto(ring, x);
    for (let k = 0; k < BLOCK; k++) if (ring.fixed[k]) turnedRing[k] = 0;
    turnBack(ring, x);
  }
}

/** Copies the held coordinates of `from` to `to`; the rest of `to` is unchanged. */
export function copyHeld(fiber: FiberRod, to: Float64Array, from: Float64Array): void {
  for (let h = 0; h < fiber.held.length; h++) {
    const ring = fiber.held[h];
    if (!ring.active) continue;
    turnInto(ring, from);
    for (let k = 0; k < BLOCK; k++) kept[k] = turnedRing[k];
    turnInto(ring, to);
    for (let k = 0; k < BLOCK; k++) if (ring.fixed[k]) turnedRing[k] = kept[k];
    turnBack(ring, to);
  }
}
const kept = new Float64Array(12);

const block = new Float64Array(144);

/** block at o ← basis · block, or block · basisᵀ. */
function turnRows(a: Float64Array, o: number, basis: Float64Array): void {
  for (let i = 0; i < BLOCK; i++) {
    for (let j = 0; j < BLOCK; j++) {
      let sum = 0;
      for (let k = 0; k < BLOCK; k++) sum += basis[BLOCK * i + k] * a[o + BLOCK * k + j];
      block[BLOCK * i + j] = sum;
    }
  }
  for (let k = 0; k < 144; k++) a[o + k] = block[k];
}
function turnColumns(a: Float64Array, o: number, basis: Float64Array): void {
  for (let i = 0; i < BLOCK; i++) {
    for (let j = 0; j < BLOCK; j++) {
      let sum = 0;
      for (let k = 0; k < BLOCK; k++) sum += a[o + BLOCK * i + k] * basis[BLOCK * j + k];
      block[BLOCK * i + j] = sum;
    }
  }
  for (let k = 0; k < 144; k++) a[o + k] = block[k];
}

/** Rows and columns of a ring in its pin's basis. */
export function turnHeld({ ring: b, basis }: HeldRing, matrix: BlockTridiagonal): void {
  turnRows(matrix.diagonal, 144 * b, basis);
  turnColumns(matrix.diagonal, 144 * b, basis);
  if (b + 1 < matrix.count) {
    turnRows(matrix.upper, 144 * b, basis);
    turnColumns(matrix.lower, 144 * b, basis);
  }
  if (b > 0) {
    turnRows(matrix.lower, 144 * (b - 1), basis);
    turnColumns(matrix.upper, 144 * (b - 1), basis);
  }
}

/** Fixes held unknowns in A dx = r; `returnHeld` transforms the solution back to particles. */
export function constrainHeld(fiber: FiberRod, matrix: BlockTridiagonal, r: Float64Array | undefined): void {
  const { held } = fiber;
  for (let h = 0; h < held.length; h++) {
    const ring = held[h];
    if (!ring.active) continue;
    const b = ring.ring;
    if (!ring.full) turnHeld(ring, matrix);
    for (let k = 0; k < BLOCK; k++) if (ring.full || ring.fixed[k]) fixEntry(matrix, b, k);
    if (r) constrainVector(ring, r);
  }
}

/** Constrains a right-hand side alone, if the matrix has been constrained already. */
export function constrainRight(fiber: FiberRod, r: Float64Array): void {
  for (let h = 0; h < fiber.held.length; h++) if (fiber.held[h].active) constrainVector(fiber.held[h], r);
}

function constrainVector(ring: HeldRing, r: Float64Array): void {
  if (ring.full) {
    for (let k = 0; k < BLOCK; k++) r[BLOCK * ring.ring + k] = 0;
    return;
  }
  turnInto(ring, r);
  for (let k = 0; k < BLOCK; k++) r[BLOCK * ring.ring + k] = ring.fixed[k] ? 0 : turnedRing[k];
}

export function returnHeld(fiber: FiberRod, dx: Float64Array): void {
  for (let h = 0; h < fiber.held.length; h++) {
    const ring = fiber.held[h];
    if (!ring.active || ring.full) continue;
    for (let k = 0; k < BLOCK; k++) turnedRing[k] = dx[BLOCK * ring.ring + k];
    turnBack(ring, dx);
  }
}
