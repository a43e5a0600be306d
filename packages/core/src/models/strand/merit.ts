/** Measures that decide on a Newton iteration of a step: size of the residual, its rounding, and rotations that go too far. */
import { square } from '../../math/rounded/index.ts';
import { constraintMerit } from './constraints.ts';
import type { StrandTree } from './rod.ts';

/** Square of the residual, with that of the constraints. */
export function sizeOf({ residual, linkCount: links, reach, constraints }: StrandTree): number {
  let sum = constraints ? constraintMerit(constraints, reach) : 0;
  for (let k = 0; k < 3 * links; k++) sum += residual[k] * residual[k];
  // forces at a free origin, as torques over the strand's length
  for (let k = 3 * links; k < 3 * links + 3; k++) sum += square(residual[k] * reach);
  return sum;
}

/** The smallest residual that rounding allows: torques that cancel, relative to their size. */
export function roundingOf({ force, torque, linkCount }: StrandTree): number {
  let largest = 0;
  for (let j = 0; j < linkCount; j++) {
    for (let k = 0; k < 3; k++) largest = Math.max(largest, Math.abs(force[6 * j + k]), Math.abs(torque[3 * j + k]));
  }
  return square(1e-13 * largest);
}

/** Largest rotation of a joint per iteration that is accepted from an indefinite matrix [rad]. */
const FAR = 0.3;

export function turnsFar(direction: Float64Array, links: number): boolean {
  for (let k = 0; k < 3 * links; k++) if (Math.abs(direction[k]) > FAR) return true;
  return false;
}

/** True if a joint turns by more than its rotation vector represents well. */
export function tooFar(phi: Float64Array, links: number): boolean {
  for (let j = 0; j < links; j++)
    if (phi[3 * j] * phi[3 * j] + phi[3 * j + 1] * phi[3 * j + 1] + phi[3 * j + 2] * phi[3 * j + 2] > square(2.5))
      return true;
  return false;
}

/** Angle by which a joint may leave the course of its rates in one step [rad]. */
const LEAP = 1;

/**
 * True if a joint ends far from where its rates take it. The equations of so long a step have several solutions, and rounding decides which of them
 * Newton's method finds.
 */
export function leaps(phi: Float64Array, predicted: Float64Array, links: number): boolean {
  for (let j = 0; j < links; j++) {
    let sum = 0;
    for (let k = 3 * j; k < 3 * j + 3; k++) sum += square(phi[k] - predicted[k]);
    if (sum > square(LEAP)) return true;
  }
  return false;
}
