/** Read-outs of a strand that do not move it: energies, momentum, reaction of its pin, channels. */
import type { ChannelReaders } from '../channels.ts';
import { atan2, hypot } from '../math/rounded/index.ts';
import type { Channel, Energies, Momentum, Reaction } from '../model.ts';
import { add, dot, scale, subtract, type Vector } from './algebra.ts';
import { jointEnergy, jointTorques } from './energy.ts';
import { fromVectorPart, tangentOf } from './formulas.ts';
import { RELATIVE } from './layout.ts';
import { evaluateLoads, poseSamples, visitFrames } from './pose.ts';
import type { BatchRod } from './rod.ts';
import { nodeForceOf, readState } from './strand.ts';

export function addEnergies(out: Energies, batch: BatchRod, t: number): void {
  const { rod, samples, drive } = batch;
  for (let i = 0; i < rod.nodeCount; i++)
    for (let k = 0; k < 3; k++)
      out.kinetic += 0.5 * rod.nodeMass[i] * (samples.nodeVelocity[3 * i + k] * samples.nodeVelocity[3 * i + k]);
  for (let j = 0; j < rod.edgeCount; j++) {
    const { bending, twisting } = jointEnergy(batch, j);
    out.bending += bending;
    out.twisting += twisting;
  }
  for (const source of drive.sources) out.potential += source.potential(samples, t);
}

export function addMomentum(out: Momentum, { rod, samples }: BatchRod): void {
  const { nodePosition: x, nodeVelocity: v } = samples;
  for (let i = 0; i < rod.nodeCount; i++) {
    const m = rod.nodeMass[i];
    const o = 3 * i;
    out.mass += m;
    for (let k = 0; k < 3; k++) {
      const [a, b] = [(k + 1) % 3, (k + 2) % 3];
      out.linear[k] += m * v[o + k];
      out.center[k] += m * x[o + k];
      out.angular[k] += m * (x[o + a] * v[o + b] - x[o + b] * v[o + a]);
    }
  }
}

/** Residual force of each node: inertia and damping minus loads and contact [N]. */
function nodeResiduals(batch: BatchRod, t: number): Vector[] {
  const { rod, strand, samples, acceleration } = batch;
  poseSamples(batch);
  evaluateLoads(batch, t);
  return Array.from({ length: rod.nodeCount }, (_, i) => {
    const at = (from: Float64Array): Vector => [from[3 * i], from[3 * i + 1], from[3 * i + 2]];
    const m = rod.nodeMass[i];
    const moving = add(scale(m, at(acceleration)), scale(m * rod.nodeDamping[i], at(samples.nodeVelocity)));
    return subtract(subtract(moving, nodeForceOf(strand, i)), at(batch.contactForce));
  });
}

/** Force and torque of the pin on the rod. The torque balances the moment at the root, elastic and viscous. */
export function measureReactions(batch: BatchRod, t: number): Reaction[] {
  const { strand, rod } = batch;
  if (strand.root.kind === 'free') return [];
  const force = nodeResiduals(batch, t).reduce(add);
  const torque =
    strand.root.kind === 'clamped' ? scale(-1, jointTorques(batch, { isMoving: true })[0]) : ([0, 0, 0] as const);
  return [{ rod: rod.id, node: 0, force, torque }];
}

function readTension(out: Float64Array, batch: BatchRod, t: number): void {
  const residual = nodeResiduals(batch, t);
  const tangents: Vector[] = [];
  visitFrames(batch, (_, q) => tangents.push(tangentOf(q)));
  let beyond: Vector = [0, 0, 0];
  for (let j = batch.rod.edgeCount - 1; j >= 0; j--) {
    beyond = add(beyond, residual[j + 1]);
    out[j] = -dot(beyond, tangents[j]);
  }
}

/** An angle of each joint, divided by the joint's length. */
function readJoints(
  out: Float64Array,
  { rod, strand }: BatchRod,
  angleOf: (q: ReturnType<typeof fromVectorPart>) => number,
): void {
  for (let j = strand.root.kind === 'clamped' ? 0 : 1; j < rod.edgeCount; j++) {
    const length = 0.5 * ((j > 0 ? rod.edgeLengthRest[j - 1] : 0) + rod.edgeLengthRest[j]);
    out[j] = angleOf(fromVectorPart(readState(strand, j, RELATIVE))) / length;
  }
}

export function readChannel(out: Float64Array, batch: BatchRod, channel: Channel, t: number): void {
  out.fill(0);
  const readers: ChannelReaders = {
    tension: () => readTension(out, batch, t),
    curvature: () => readJoints(out, batch, (q) => 2 * atan2(hypot(q[0], q[1]), hypot(q[2], q[3]))),
    twist: () => readJoints(out, batch, (q) => 2 * atan2(q[2], q[3])),
  };
  readers[channel]();
}
