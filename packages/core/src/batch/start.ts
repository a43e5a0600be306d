/** Initial values of a motion by TR-BDF2: twist in equilibrium, and the accelerations that inextensible edges allow. */
import { solveTridiagonal } from '../linalg/tridiagonal.ts';
import { add, apply, cross, dot, type Quaternion, scale, subtract, type Vector } from './algebra.ts';
import { jointTorques } from './energy.ts';
import { exponential, jointStiffness, rotationVector, tangentOf, turnJoint } from './formulas.ts';
import { RELATIVE, TARGET, VELOCITY } from './layout.ts';
import { evaluateLoads, poseSamples, visitFrames } from './pose.ts';
import type { BatchRod } from './rod.ts';
import { edgeTorqueOf, nodeForceOf, readState, softnessOf, stiffnessOf, writeState } from './strand.ts';

function listFrames(batch: BatchRod): Quaternion[] {
  const frames: Quaternion[] = [];
  visitFrames(batch, (_, q) => frames.push(q));
  return frames;
}

/** Torque on every edge from its joints and from outside [N m]. */
function edgeTorques(batch: BatchRod): Vector[] {
  const joints = jointTorques(batch);
  return joints.map((torque, j) => {
    const elastic = j + 1 < joints.length ? subtract(joints[j + 1], torque) : scale(-1, torque);
    return add(elastic, edgeTorqueOf(batch.strand, j));
  });
}

/** Twist has no inertia here, so it is in equilibrium at every instant: edges turn about themselves until no torque is left. */
function relaxTwist(batch: BatchRod): void {
  const { strand, rod } = batch;
  const n = rod.edgeCount;
  for (let iteration = 0; iteration < 100; iteration++) {
    const frames = listFrames(batch);
    const tangents = frames.map(tangentOf);
    const right = Float64Array.from(edgeTorques(batch), (torque, j) => dot(torque, tangents[j]));
    const diagonal = new Float64Array(n);
    const upper = new Float64Array(n);
    const lower = new Float64Array(n);
    for (let j = 0; j < n; j++) {
      const stiffness = jointStiffness(
        frames[j],
        rotationVector(readState(strand, j, RELATIVE)),
        stiffnessOf(strand, j),
      );
      diagonal[j] += dot(tangents[j], apply(stiffness, tangents[j])) + softnessOf(strand, j);
      if (j === 0) continue;
      diagonal[j - 1] += dot(tangents[j - 1], apply(stiffness, tangents[j - 1]));
      upper[j - 1] = -dot(tangents[j - 1], apply(stiffness, tangents[j]));
      lower[j] = upper[j - 1];
    }
    if (!solveTridiagonal(lower, diagonal, upper, right, n, 'independent')) return;
    const largest = right.reduce((most, turn) => Math.max(most, Math.abs(turn)), 0);
    const part = largest > 0.5 ? 0.5 / largest : 1;
    let before: Quaternion = [0, 0, 0, 1];
    for (let j = 0; j < n; j++) {
      const after = exponential(scale(part * right[j], tangents[j]));
      const frameBefore = j > 0 ? frames[j - 1] : strand.root.frame;
      writeState(strand, j, RELATIVE, turnJoint(frameBefore, before, after, readState(strand, j, RELATIVE)));
      before = after;
    }
    if (largest < 1e-13) return;
  }
}

/** Forces on nodes: loads, damping, and torques on edges as couples [N]. */
function nodeForces(batch: BatchRod, tangents: readonly Vector[]): Vector[] {
  const { strand, rod } = batch;
  const forces = Array.from({ length: rod.nodeCount }, (_, i): Vector => {
    const damping = scale(rod.nodeMass[i] * rod.nodeDamping[i], readState(strand, i, VELOCITY));
    return subtract(nodeForceOf(strand, i), damping);
  });
  edgeTorques(batch).forEach((torque, j) => {
    const couple = scale(1 / rod.edgeLengthRest[j], cross(torque, tangents[j]));
    forces[j + 1] = add(forces[j + 1], couple);
    forces[j] = subtract(forces[j], couple);
  });
  return forces;
}

/**
 * Writes the accelerations of the nodes to TARGET, from which the trapezoidal stage reads them. Tensions keep the lengths of edges:
 * t·(a₊ − a) + |ω|² l = 0 for every edge, a tridiagonal system.
 */
export function startMotion(batch: BatchRod, t: number): void {
  const { strand, rod, history } = batch;
  poseSamples(batch);
  evaluateLoads(batch, t);
  relaxTwist(batch);
  poseSamples(batch);
  evaluateLoads(batch, t);
  const tangents = listFrames(batch).map(tangentOf);
  const forces = nodeForces(batch, tangents);
  const inverse = (i: number): number => (i === 0 && strand.root.kind !== 'free' ? 0 : 1 / rod.nodeMass[i]);
  const free = forces.map((force, i) => scale(inverse(i), force));
  const n = rod.edgeCount;
  const diagonal = new Float64Array(n);
  const upper = new Float64Array(n);
  const lower = new Float64Array(n);
  const tension = new Float64Array(n);
  tangents.forEach((tangent, j) => {
    const spin = cross(tangent, subtract(readState(strand, j + 1, VELOCITY), readState(strand, j, VELOCITY)));
    diagonal[j] = inverse(j) + inverse(j + 1);
    tension[j] = dot(tangent, subtract(free[j + 1], free[j])) + dot(spin, spin) / rod.edgeLengthRest[j];
    if (j + 1 === n) return;
    upper[j] = -dot(tangent, tangents[j + 1]) * inverse(j + 1);
    lower[j + 1] = upper[j];
  });
  if (!solveTridiagonal(lower, diagonal, upper, tension, n, 'independent')) return;
  for (let i = 0; i <= n; i++) {
    const after = i < n ? scale(tension[i], tangents[i]) : ([0, 0, 0] as const);
    const before = i > 0 ? scale(tension[i - 1], tangents[i - 1]) : ([0, 0, 0] as const);
    writeState(strand, i, TARGET, add(free[i], scale(inverse(i), subtract(after, before))));
  }
  batch.acceleration.set(strand.slots[TARGET]);
  history[0] = 0;
}
