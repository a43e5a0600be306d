import type { ChannelReaders } from '../../channels.ts';
import { atan2, hypot } from '../../math/rounded/index.ts';
import type { Channel, Energies, Momentum, Reaction } from '../../model.ts';
import type { ActingRod } from '../../port.ts';
import { addPointMomentum } from '../momentum.ts';
import { virtualBend } from '../virtualBend.ts';
import { BALL, type CarriedBody, RIGID } from './bodyLinkTypes.ts';
import { elasticEnergy } from './energy.ts';
import { reactionOfStep } from './guard.ts';
import { poseLinks, poseSamples, turnJoint } from './kinematics.ts';
import { evaluateResidual, writeBaseReaction } from './residual.ts';
import type { StrandTree } from './rod.ts';
import { turn as turnVector } from './spatial.ts';

type Strand = StrandTree['rods'][number];

export function addEnergies(out: Energies, tree: StrandTree, t: number): void {
  const elastic = elasticEnergy(tree);
  out.bending += elastic.bending;
  out.twisting += elastic.twisting;
  for (const { rod, samples, drive } of tree.rods) {
    for (let i = 0; i < rod.nodeCount; i++) {
      for (let k = 0; k < 3; k++)
        out.kinetic += 0.5 * rod.nodeMass[i] * (samples.nodeVelocity[3 * i + k] * samples.nodeVelocity[3 * i + k]);
    }
    for (let j = 0; j < rod.edgeCount; j++)
      out.kinetic += 0.5 * rod.edgeInertia[j] * (samples.edgeSpin[j] * samples.edgeSpin[j]);
    for (const source of drive.sources) out.potential += source.potential(samples, t);
  }
}

export function addMomentum(out: Momentum, { rods }: StrandTree): void {
  for (const { rod, samples } of rods) {
    const { nodePosition: x, nodeVelocity: v, edgeTangent, edgeSpin } = samples;
    for (let i = 0; i < rod.nodeCount; i++) addPointMomentum(out, rod.nodeMass[i], { x, o: 3 * i, v, p: 3 * i });
    for (let j = 0; j < rod.edgeCount; j++) {
      for (let k = 0; k < 3; k++) out.angular[k] += rod.edgeInertia[j] * edgeSpin[j] * edgeTangent[3 * j + k];
    }
  }
}

/** Acceleration of the base's origin; undefined in equilibrium, which ignores the motion of the base's path. */
function rateOfOrigin({ v, rate, originRate, history }: StrandTree): Float64Array | undefined {
  const moves = history.header[3] > 0 || v.subarray(3).some((w) => w !== 0) || rate.some((w) => w !== 0);
  return moves ? originRate : undefined;
}

const held = new Float64Array(6);

/** Forces in the tree as it is at t. Place and velocity of the base are part of the state, and a path that is evaluated again may differ in its last bit. */
function evaluateForces(tree: StrandTree, t: number): void {
  const { q, v } = tree;
  held.set(q.subarray(0, 3));
  held.set(v.subarray(0, 3), 3);
  evaluateResidual(tree, t, rateOfOrigin(tree), 'new-time');
  q.set(held.subarray(0, 3));
  v.set(held.subarray(3));
}

/** `after-step`: loads are those of the step that has just ended. */
export function measureReactions(
  tree: StrandTree,
  strand: Strand,
  t: number,
  when: 'after-step' | 'any-time',
): Reaction[] {
  const { constraints } = tree;
  const { rod, firstLink } = strand;
  const out: Reaction[] = [];
  const left = when === 'after-step' && tree.bodies.length === 0 ? reactionOfStep(tree, t) : undefined;
  if (!left) evaluateForces(tree, t);
  if (strand === tree.rods[0] && tree.base.poses.some(({ active }) => active)) {
    const base = left ?? new Float64Array(6);
    if (!left) writeBaseReaction(base, tree);
    out.push({ rod: rod.id, node: 0, force: [base[0], base[1], base[2]], torque: [base[3], base[4], base[5]] });
  }
  for (const body of tree.bodies) if (tree.rods[body.part] === strand) out.push(reactionOfWeld(tree, rod.id, body));
  if (!constraints) return out;
  for (let j = 0; j < rod.edgeCount; j++) {
    const force: [number, number, number] = [0, 0, 0];
    let held = false;
    for (let r = 0; r < constraints.count; r++) {
      if (constraints.axis[r] < 0 || constraints.link[r] !== firstLink + j || !constraints.active[r]) continue;
      force[constraints.axis[r]] = constraints.force[r];
      held = true;
    }
    if (held) out.push({ rod: rod.id, node: j + 1, force, torque: [0, 0, 0] });
  }
  return out;
}

const passed = new Float64Array(6);

/** Force and torque of a body on its rod: opposite to the force that the joint of its first link transmits. */
function reactionOfWeld({ world, force, lock }: StrandTree, rod: string, { node, link }: CarriedBody): Reaction {
  turnVector(passed, 0, world, 9 * link, force, 6 * link + 3);
  turnVector(passed, 3, world, 9 * link, force, 6 * link);
  const [x, y, z, p, q, r] = passed.map((value) => -value);
  return { rod, node, force: [x, y, z], torque: lock[link] === BALL ? [0, 0, 0] : [p, q, r] };
}

/** Rods of the scene as they act at rest, without the reactions of bodies, and the bodies with their loads: for virtual work. */
export function addBodiesActing(tree: StrandTree, acting: readonly ActingRod[], t: number): readonly ActingRod[] {
  if (tree.bodies.length === 0) return acting;
  const out = acting.map((one) => ({ ...one, nodeForce: one.nodeForce.slice() }));
  evaluateForces(tree, t);
  for (const body of tree.bodies) {
    const { rod, samples } = tree.rods[body.part];
    const { force } = reactionOfWeld(tree, rod.id, body);
    const own = out.find((one) => one.samples === samples);
    for (let k = 0; own && k < 3; k++) own.nodeForce[3 * body.node + k] -= force[k];
  }
  const bodyLinks = tree.rods.filter(({ isBodyLink }) => isBodyLink);
  return [
    ...out,
    ...bodyLinks.map(({ samples, loads }) => ({ samples, nodeForce: loads.nodeForce, edgeTorque: loads.edgeTorque })),
  ];
}

/**
 * A virtual displacement, see `Bend`. Moves the whole tree. Undefined for held and limited joints, poses and the law `paper`: the work of their torques is unknown.
 */
export function bendTree(tree: StrandTree, direction: number, angle: number): number | undefined {
  const { constraints, law, linkCount, length, q, reach } = tree;
  if (law === 'paper' || tree.direction || constraints?.axis.includes(-1)) return undefined;
  const before = q.slice();
  const turn = new Float64Array(3);
  for (let j = 0; angle !== 0 && j < linkCount; j++) {
    const { component, weight } = virtualBend(direction, j);
    turn.fill(0);
    if (tree.lock[j] !== RIGID) turn[component] = (angle * weight * length[j]) / reach;
    turnJoint(q, 3 + 4 * j, before, 3 + 4 * j, turn, 0);
  }
  poseLinks(tree);
  poseSamples(tree);
  const { bending, twisting } = elasticEnergy(tree);
  q.set(before);
  return bending + twisting;
}

/** Tension: the force through each joint along its link, which holds all links beyond it. */
function readTension(out: Float64Array, tree: StrandTree, { rod, firstLink }: Strand): void {
  // a step leaves forces behind, a restored state does not
  evaluateForces(tree, tree.time);
  for (let j = 0; j < rod.edgeCount; j++) out[j] = -tree.force[6 * (firstLink + j) + 5];
}

/** Writes an angle of each joint divided by the joint's length; `o` is the index of its quaternion in tree.q. */
function readJoints(
  out: Float64Array,
  tree: StrandTree,
  { rod, firstLink }: Strand,
  angleOf: (o: number) => number,
): void {
  for (let j = 0; j < rod.edgeCount; j++) {
    if (j === 0 && firstLink === 0 && !tree.rootHeld) continue;
    const length = rod.edgeLengthRest[j] / 2 + (j > 0 ? rod.edgeLengthRest[j - 1] / 2 : 0);
    out[j] = angleOf(3 + 4 * (firstLink + j)) / length;
  }
}

export function readChannel(out: Float64Array, tree: StrandTree, strand: Strand, channel: Channel): void {
  const { q } = tree;
  out.fill(0);
  const readers: ChannelReaders = {
    tension: () => readTension(out, tree, strand),
    curvature: () => readJoints(out, tree, strand, (o) => 2 * atan2(hypot(q[o + 1], q[o + 2]), hypot(q[o], q[o + 3]))),
    twist: () => readJoints(out, tree, strand, (o) => 2 * atan2(q[o + 3] * Math.sign(q[o] || 1), Math.abs(q[o]))),
  };
  readers[channel]();
}
