/** Energy of a strand, and its gradient with respect to the rotations of its edges. The sweeps find its stationary point; tests use this file to check them. */
import { square } from '../math/rounded/index.ts';
import { add, cross, scale, subtract, type Vector } from './algebra.ts';
import { jointMoment, jointTorque, rotationVector, tangentOf, zeroVector } from './formulas.ts';
import { RELATIVE, STRAIN_RATE } from './layout.ts';
import { visitFrames } from './pose.ts';
import type { BatchRod } from './rod.ts';
import { edgeTorqueOf, isViscous, readState, restStrainOf, stiffnessOf, viscosityOf } from './strand.ts';

/** Bending and twisting energy [J] of joint j. */
export function jointEnergy({ strand }: BatchRod, j: number): { readonly bending: number; readonly twisting: number } {
  const u = rotationVector(readState(strand, j, RELATIVE));
  const k = stiffnessOf(strand, j);
  const rest = restStrainOf(strand, j);
  const part = (axis: 0 | 1 | 2): number => 0.5 * k[axis] * square(u[axis] - rest[axis]);
  return { bending: part(0) + part(1), twisting: part(2) };
}

/**
 * Gradient of the energy of every joint by the rotation of the edge after it [N m], world axes. Between steps, `isMoving` adds stiffness damping.
 */
export function jointTorques(batch: BatchRod, { isMoving = false }: { readonly isMoving?: boolean } = {}): Vector[] {
  const { strand } = batch;
  const torques: Vector[] = [];
  visitFrames(batch, (j, q) => {
    const u = rotationVector(readState(strand, j, RELATIVE));
    const strain = subtract(u, restStrainOf(strand, j));
    const viscosity = isMoving && isViscous(strand) ? viscosityOf(strand, j) : 0;
    const rate = viscosity > 0 ? readState(strand, j, STRAIN_RATE) : zeroVector();
    torques.push(jointTorque(q, u, jointMoment(stiffnessOf(strand, j), strain, viscosity, rate)));
  });
  return torques;
}

/**
 * ∂(elastic energy − work of loads)/∂(rotation of edge j) [N m]. `nodeResidual(i)`: residual force of node i, minus its load plus its inertia in motion.
 */
export function turnGradient(batch: BatchRod, nodeResidual: (i: number) => Vector): Vector[] {
  const { strand, rod } = batch;
  const torques = jointTorques(batch);
  const edges: Vector[] = [];
  visitFrames(batch, (j, q) => edges.push(scale(rod.edgeLengthRest[j], tangentOf(q))));
  const gradient: Vector[] = new Array(rod.edgeCount);
  let beyond = nodeResidual(rod.edgeCount);
  for (let j = rod.edgeCount - 1; j >= 0; j--) {
    const elastic = j + 1 < rod.edgeCount ? subtract(torques[j], torques[j + 1]) : torques[j];
    gradient[j] = subtract(add(elastic, cross(edges[j], beyond)), edgeTorqueOf(strand, j));
    beyond = add(beyond, nodeResidual(j));
  }
  return gradient;
}
