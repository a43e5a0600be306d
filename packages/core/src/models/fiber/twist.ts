/**
 * Twist of cuboids, and its limit. A cuboid that is twisted by f beyond its natural shape has sin 2f/2f of the linear torque. At π/4 it collapses, and
 * the twist of its neighbours concentrates in it. The limit is checked for the initial state, while pins move, and after every step.
 */
import { atan2, sin } from '../../math/rounded/index.ts';
import type { FiberRod } from './rod.ts';

/** Twist at which a cuboid yields [rad], and at which its torque changes sign: a step with more twist fails, because turns are lost. */
const GIVES_WAY = Math.PI / 4;
const REVERSES = Math.PI / 2;
/** Largest twist of a cuboid in an equilibrium [rad]: the torque is then 0.90 of the rod's. */
const LARGEST_TWIST = 0.4;

const result = { edge: 0, twist: 0 };

/** The cuboid that is twisted most beyond its natural shape at x, and by how much [rad]. The result is reused. */
export function measureTwist(fiber: FiberRod, x: Float64Array): { readonly edge: number; readonly twist: number } {
  const { edgeCount, rod, width1, width2 } = fiber;
  result.edge = 0;
  result.twist = 0;
  for (let j = 0; j < edgeCount; j++) {
    let [sine, cosine] = [0, 0];
    for (let k = 12 * j; k < 12 * j + 3; k++) {
      // the two axes of the rings at both ends, as unit vectors
      const a1 = (x[k + 3] + x[k + 6] - x[k] - x[k + 9]) / (2 * width1);
      const a2 = (x[k + 6] + x[k + 9] - x[k] - x[k + 3]) / (2 * width2);
      const b1 = (x[k + 15] + x[k + 18] - x[k + 12] - x[k + 21]) / (2 * width1);
      const b2 = (x[k + 18] + x[k + 21] - x[k + 12] - x[k + 15]) / (2 * width2);
      sine += a2 * b1 - a1 * b2;
      cosine += a1 * b1 + a2 * b2;
    }
    // the twist of a cuboid that is folded back is undefined
    if (sine * sine + cosine * cosine < 0.3) continue;
    const natural = rod.halfStrainRest[6 * j + 2] + rod.halfStrainRest[6 * j + 5];
    const twist = Math.abs(atan2(sine, cosine) - natural);
    if (twist > result.twist) {
      result.edge = j;
      result.twist = twist;
    }
  }
  return result;
}

function explain(fiber: FiberRod, x: Float64Array, limit: number): string {
  const { edge, twist } = measureTwist(fiber, x);
  if (!(twist > limit)) return '';
  return `edge ${edge} is twisted by ${twist.toFixed(2)} rad beyond its natural shape, and a cuboid collapses at π/4: use more edges`;
}

/** Why a step to x is rejected; empty if no cuboid has lost its torque. */
export function explainLostTurn(fiber: FiberRod, x: Float64Array): string {
  return explain(fiber, x, REVERSES);
}

/** Reason why a path through x is rejected; empty if no cuboid yields. */
export function explainOvertwist(fiber: FiberRod, x: Float64Array): string {
  return explain(fiber, x, GIVES_WAY);
}

/** Why an equilibrium at x is rejected; empty if the torque of every cuboid is near that of the rod. */
export function explainSoftTwist(fiber: FiberRod, x: Float64Array): string {
  const { edge, twist } = measureTwist(fiber, x);
  if (!(twist > LARGEST_TWIST)) return '';
  const share = Math.max(0, sin(2 * twist) / (2 * twist)).toFixed(2);
  return `edge ${edge} is twisted by ${twist.toFixed(2)} rad beyond its natural shape, where a cuboid has ${share} of the rod's torque (limit ${LARGEST_TWIST} rad): use more edges`;
}
