/**
 * The recursive residual [Hadap2006 Algorithm 1]: the unbalanced torque of every joint for the current q, v and rate, and after the joints the unbalanced
 * force at the base's origin.
 */
import type { LoadSource } from '../../port.ts';
import { RIGID } from './bodyLinkTypes.ts';
import { applyConstraints } from './constraints.ts';
import { addInertia } from './departure.ts';
import { evaluatePose } from './direction.ts';
import { writeJointTorque } from './energy.ts';
import { evaluateBase, moveBase, moveLinks, poseLinks, poseSamples, writeInertialForces } from './kinematics.ts';
import { dampAgain, dampSpin, gatherLoads, subtractLoads } from './loads.ts';
import type { StrandTree } from './rod.ts';
import { addForce, turn, turnBack } from './spatial.ts';

const spin = new Float64Array(3);
const pull = new Float64Array(3);

/** Torques of the joints' springs and dashpots on the children, in their axes. */
export function writeTorques(tree: StrandTree): void {
  const { linkCount, stiffness, damping, deformation, toJoint, v, torque, law } = tree;
  for (let j = 0; j < linkCount; j++) {
    if (j === 0 && !tree.rootHeld) {
      torque.fill(0, 0, 3);
      continue;
    }
    const lawHere = j === 0 && tree.swingOnly ? 'swing-twist' : law;
    writeJointTorque(pull, lawHere, deformation, stiffness, j);
    turn(spin, 0, toJoint, 9 * j, v, 3 + 3 * j);
    for (let k = 0; k < 3; k++) pull[k] -= damping[3 * j + k] * spin[k];
    turnBack(torque, 3 * j, toJoint, 9 * j, pull, 0);
  }
}

const baseForce = new Float64Array(6);

/** Sums forces inwards; the residual of a joint is the torque that its spring does not balance. */
export function sweepForces(tree: StrandTree, originRate: Float64Array | undefined): void {
  const { linkCount, parent, rotation, offset, force, residual, torque, base, lock } = tree;
  baseForce.fill(0);
  for (let j = linkCount - 1; j >= 0; j--) {
    const i = parent[j];
    addForce(i < 0 ? baseForce : force, i < 0 ? 0 : 6 * i, rotation, 9 * j, offset[j], force, 6 * j);
    for (let k = 0; k < 3; k++) residual[3 * j + k] = lock[j] === RIGID ? 0 : force[6 * j + k] - torque[3 * j + k];
  }
  const o = 3 * linkCount;
  turn(residual, o, base.rotation, 0, baseForce, 3);
  for (let k = 0; k < 3; k++) {
    residual[o + k] += (originRate ? base.mass * originRate[k] : 0) - base.force[k];
    if (!base.free[k]) residual[o + k] = 0;
  }
}

/** Force and torque that hold the base [N, N m], in world axes; after `sweepForces`. */
export function writeBaseReaction(out: Float64Array, tree: StrandTree): void {
  const { base } = tree;
  turn(out, 0, base.rotation, 0, baseForce, 3);
  turn(out, 3, base.rotation, 0, baseForce, 0);
  for (let k = 0; k < 3; k++) {
    out[k] += base.mass * base.originAcceleration[k] - base.force[k];
    if (base.free[k]) out[k] = 0;
    if (!tree.rootHeld) out[3 + k] = 0;
  }
}

/**
 * Residual at the current q, v and rates. `originRate`: acceleration of the base's origin along free axes; undefined for statics. At a new time it
 * evaluates all loads, at the same time only those that depend on the state.
 */
export function evaluateResidual(
  tree: StrandTree,
  t: number,
  originRate: Float64Array | undefined,
  time: 'new-time' | 'same-time',
): void {
  if (time === 'new-time') tree.adopt?.(t);
  const pose = tree.direction?.pose;
  if (pose && time === 'new-time') evaluatePose(tree, pose, t);
  evaluateBase(tree, t, time);
  const { departure } = tree;
  if (!departure || time === 'new-time') moveBase(tree, t, originRate, time);
  poseLinks(tree);
  if (!departure) moveLinks(tree);
  writeTorques(tree);
  const { constraints, torque, hold } = tree;
  if (constraints) {
    constraints.evaluate(tree, t);
    applyConstraints(constraints, tree);
    for (let k = 0; k < 3 * tree.linkCount; k++) torque[k] += hold[k];
  }
  // loads may have been added or removed since the last step
  if (time === 'new-time')
    for (const strand of tree.rods) strand.dependsOnState = pose !== undefined || strand.drive.sources.some(changes);
  const moved = originRate && !departure;
  if (moved) writeInertialForces(tree);
  else tree.force.fill(0);
  if (departure) addInertia(tree, departure);
  if (originRate && tree.rods.some(isDamped)) dampSpin(tree);
  if (time === 'new-time' || tree.rods.some(needsLoads)) {
    poseSamples(tree);
    gatherLoads(tree, t);
  } else if (tree.rods.some(isDamped)) {
    poseSamples(tree);
    dampAgain(tree);
  }
  subtractLoads(tree);
  sweepForces(tree, departure ? departure.baseRate : originRate);
}

const needsLoads = ({ dependsOnState }: StrandTree['rods'][number]): boolean => dependsOnState;

const isDamped = ({ damped }: StrandTree['rods'][number]): boolean => damped;

const changes = (source: LoadSource): boolean => source.dependsOnState;
