/**
 * Loads of the port on links: forces on nodes act at the tips of links, torques on edges on the links themselves. The power is equal on both sides
 * (tested). A force keeps its direction in the world, so in a link's axes it changes as the link rotates; Newton's matrix contains that and the drag's
 * dependence on velocity exactly. It does not contain how wind, followers and fields change with the position: these are evaluated at every
 * iterate, so the solution is the same.
 */
import type { Pose } from './records.ts';
import type { StrandTree } from './rod.ts';
import { turnBack } from './spatial.ts';

/** Evaluates all load sources at time t and adds their loads; positions and velocities of the samples must be up to date. */
export function gatherLoads(tree: StrandTree, t: number): void {
  const { rods, base, tipForce, linkTorque, tipDrag, tipDamping, linkCount, loadFactor, tipSpring } = tree;
  tipForce.fill(0);
  linkTorque.fill(0);
  tipDrag.fill(0);
  base.force.fill(0);
  base.drag.fill(0);
  for (const { rod, drive, loads, samples, firstLink, root } of rods) {
    const { nodeForce, edgeTorque, nodeDrag } = loads;
    nodeForce.fill(0);
    edgeTorque.fill(0);
    nodeDrag.fill(0);
    for (const source of drive.sources) source.addLoads(loads, samples, t);
    for (let i = 0; i <= rod.edgeCount; i++) {
      const link = i === 0 ? root : firstLink + i - 1;
      const force = link < 0 ? base.force : tipForce;
      const drag = link < 0 ? base.drag : tipDrag;
      const f = link < 0 ? 0 : 3 * link;
      const d = link < 0 ? 0 : 6 * link;
      for (let k = 0; k < 3; k++) force[f + k] += loadFactor * nodeForce[3 * i + k];
      for (let k = 0; k < 6; k++) drag[d + k] += loadFactor * nodeDrag[6 * i + k];
    }
    for (let k = 0; k < 3 * rod.edgeCount; k++) linkTorque[3 * firstLink + k] += loadFactor * edgeTorque[k];
  }
  for (let j = 0; j < linkCount; j++) {
    if (tipDamping[j] === 0) continue;
    tipDrag[6 * j] += tipDamping[j];
    tipDrag[6 * j + 3] += tipDamping[j];
    tipDrag[6 * j + 5] += tipDamping[j];
  }
  if (tree.contact) {
    const { tip, torque, base: atBase } = tree.contact;
    for (let k = 0; k < 3 * linkCount; k++) {
      tipForce[k] += tip[k];
      linkTorque[k] += torque[k];
    }
    for (let k = 0; k < 3; k++) base.force[k] += atBase[k];
  }
  tree.steadyForce.set(tipForce);
  base.steadyForce.set(base.force);
  addDamping(tree);
  const pose = tree.direction?.pose;
  tipSpring.fill(0);
  if (pose) pullToPose(tree, pose, t);
  base.drag[0] += base.damping;
  base.drag[3] += base.damping;
  base.drag[5] += base.damping;
}

/** Loads that do not depend on the state were gathered in this step: only the damping changes with the motion. */
export function dampAgain(tree: StrandTree): void {
  tree.tipForce.set(tree.steadyForce);
  tree.base.force.set(tree.base.steadyForce);
  addDamping(tree);
}

/** Mass damping, at the velocities of the samples. */
function addDamping({ rods, base, tipForce }: StrandTree): void {
  for (const { rod, samples, firstLink, root, damped } of rods) {
    if (!damped) continue;
    const { nodeVelocity: v } = samples;
    for (let i = 0; i <= rod.edgeCount; i++) {
      const link = i === 0 ? root : firstLink + i - 1;
      const force = link < 0 ? base.force : tipForce;
      const f = link < 0 ? 0 : 3 * link;
      const damping = rod.nodeMass[i] * rod.nodeDamping[i];
      for (let k = 0; k < 3; k++) force[f + k] -= damping * v[3 * i + k];
    }
  }
}

/** Mass damping of the links' spins about their axes; of steps in world axes, of the mean spin over the step. */
export function dampSpin({ linkCount, spinDamping, trueMotion, force, departure }: StrandTree): void {
  for (let j = 0; j < linkCount; j++)
    force[6 * j + 2] += spinDamping[j] * (departure ? departure.turned[j] : trueMotion[6 * j + 2]);
}

/** Springs and dampers between the tips and the pose; `evaluatePose` has placed it for this time. */
function pullToPose(tree: StrandTree, pose: Pose, t: number): void {
  const { rods, linkCount, tipForce, tipDrag, tipSpring } = tree;
  const { nodePosition: x, nodeVelocity: v } = rods[0].samples;
  // a smooth factor may swing below zero between its keys; springs that push away would be none
  const factor = Math.max(0, pose.factor(t));
  for (let j = 0; j < linkCount; j++) {
    const spring = factor * pose.spring[j];
    const damper = factor * pose.damper[j];
    for (let k = 0; k < 3; k++) {
      const o = 3 * j + k;
      tipForce[o] -= spring * (x[o + 3] - pose.position[o]) + damper * (v[o + 3] - pose.velocity[o]);
    }
    tipSpring[j] += spring;
    tipDrag[6 * j] += damper;
    tipDrag[6 * j + 3] += damper;
    tipDrag[6 * j + 5] += damper;
  }
}

const f = new Float64Array(3);
const n = new Float64Array(3);

/** Subtracts the loads from the links' forces, in the links' axes. */
export function subtractLoads(tree: StrandTree): void {
  const { linkCount, world, tipForce, pull, linkTorque, length, force } = tree;
  for (let j = 0; j < linkCount; j++) {
    for (let k = 0; k < 3; k++) n[k] = tipForce[3 * j + k] + pull[3 * j + k];
    turnBack(f, 0, world, 9 * j, n, 0);
    turnBack(n, 0, world, 9 * j, linkTorque, 3 * j);
    const o = 6 * j;
    const l = length[j];
    force[o] -= n[0] - l * f[1];
    force[o + 1] -= n[1] + l * f[0];
    force[o + 2] -= n[2];
    force[o + 3] -= f[0];
    force[o + 4] -= f[1];
    force[o + 5] -= f[2];
  }
}
