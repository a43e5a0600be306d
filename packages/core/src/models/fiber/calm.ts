/**
 * Suppresses the vibration of rings (`calmRings`). In a fiber that moves undamped for seconds, a tenth of the energy ends in rings that change their
 * shape. In the exact network they hardly do, so this is an error of the method. With `calmRings` the springs of the rings are viscous (χ = 1, which
 * stops the vibration within a step). The energy that each spring dissipates is known exactly, χk(l1 − l0)²/2, and is returned to the motion: v is
 * scaled so that the energy balances. In a free fiber the rigid part of v is not scaled, so momentum and angular momentum do not change.
 */

import { factorDense, solveDense } from '../../linalg/dense.ts';
import { hypot } from '../../math/rounded/index.ts';
import { kineticEnergy } from './energy.ts';
import { applyMass, type FiberRod, RING_FROM, RING_TO } from './rod.ts';

export const CALM = 1;

/** Energy that the viscous springs of the rings take between x0 and y [J]. */
export function ringLoss({ ringCount, ringStiffness }: FiberRod, x0: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let r = 0; r < ringCount; r++) {
    for (let m = 0; m < 6; m++) {
      const [a, b] = [12 * r + 3 * RING_FROM[m], 12 * r + 3 * RING_TO[m]];
      const change =
        hypot(y[b] - y[a], y[b + 1] - y[a + 1], y[b + 2] - y[a + 2]) -
        hypot(x0[b] - x0[a], x0[b + 1] - x0[a + 1], x0[b + 2] - x0[a + 2]);
      sum += 0.5 * CALM * ringStiffness[r] * change * change;
    }
  }
  return sum;
}

/** Adds `energy` to the velocities, by scaling them. Scales the kinetic energy by at most 4: if there is hardly any motion, energy is lost. */
export function returnEnergy(
  fiber: FiberRod,
  energy: number,
  free: boolean,
  rigid: Float64Array,
  image: Float64Array,
): void {
  const { v, q, size } = fiber;
  if (!(energy > 0)) return;
  if (free) writeRigidPart(rigid, fiber, q, image);
  else rigid.fill(0);
  for (let d = 0; d < size; d++) v[d] -= rigid[d];
  const kinetic = kineticEnergy(fiber, v, image);
  const factor = kinetic > 0 ? Math.min(2, Math.sqrt(1 + energy / kinetic)) : 1;
  for (let d = 0; d < size; d++) v[d] = factor * v[d] + rigid[d];
}

const gram = new Float64Array(36);
const along = new Float64Array(6);
const center = new Float64Array(3);

/** The velocities of a rigid body with the same momentum and angular momentum. */
function writeRigidPart(out: Float64Array, fiber: FiberRod, q: Float64Array, image: Float64Array): void {
  const { v, size } = fiber;
  center.fill(0);
  for (let d = 0; d < size; d++) center[d % 3] += (3 * q[d]) / size;
  /** Coordinate d of rigid motion k at a particle: translations, then rotations about the middle. */
  const motion = (k: number, d: number): number => {
    const axis = d % 3;
    if (k < 3) return axis === k ? 1 : 0;
    const p = d - axis;
    // e × r, component by component
    const [about, next, after] = [k - 3, (axis + 1) % 3, (axis + 2) % 3];
    return (next === about ? q[p + after] - center[after] : 0) - (after === about ? q[p + next] - center[next] : 0);
  };
  applyMass(image, fiber, v);
  along.fill(0);
  for (let d = 0; d < size; d++) for (let k = 0; k < 6; k++) along[k] += motion(k, d) * image[d];
  for (let k = 0; k < 6; k++) {
    for (let d = 0; d < size; d++) out[d] = motion(k, d);
    applyMass(image, fiber, out);
    for (let m = 0; m < 6; m++) {
      let sum = 0;
      for (let d = 0; d < size; d++) sum += motion(m, d) * image[d];
      gram[6 * k + m] = sum;
    }
  }
  factorDense(gram, 6, 3);
  solveDense(gram, 6, along);
  for (let d = 0; d < size; d++) {
    out[d] = 0;
    for (let k = 0; k < 6; k++) out[d] += along[k] * motion(k, d);
  }
}
