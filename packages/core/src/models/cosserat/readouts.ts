import type { ChannelReaders } from '../../channels.ts';
import { acos, hypot } from '../../math/rounded/index.ts';
import type { Channel, Energies, Momentum, Reaction } from '../../model.ts';
import { averageJoints } from '../joints.ts';
import { addPointMomentum } from '../momentum.ts';
import { listReactions } from '../pins.ts';
import { addEdgeForces, addElasticEnergies, addJoints, writeHeldTorque } from './energy.ts';
import { subtractLinkForces } from './linkedEdges.ts';
import type { CosseratRod } from './rod.ts';
import { evaluateLoads, subtractLoads, type Workspace } from './stage.ts';

/** Reaction of each pin: forces hold its position against the residual, torques turn its held frame. */
export function measureReactions(cos: CosseratRod, work: Workspace, t: number): Reaction[] {
  const { heldPin, mass, massDamping, acceleration, v, size } = cos;
  work.residual.fill(0);
  addJoints(cos, work.residual, undefined, v, 0);
  addEdgeForces(cos, work.residual);
  evaluateLoads(cos, t);
  subtractLoads(cos, work.residual);
  subtractLinkForces(cos, work.residual);
  for (let d = 0; d < size; d++) work.residual[d] += mass[d] * (acceleration[d] + massDamping[d] * v[d]);
  const torque = new Float64Array(3 * heldPin.length);
  writeHeldTorque(torque, cos, v);
  return listReactions(cos, work.residual, 6, torque);
}

export function addEnergies(out: Energies, cos: CosseratRod, t: number): void {
  const { v, mass, size, drive, samples } = cos;
  for (let d = 0; d < size; d++) out.kinetic += 0.5 * mass[d] * v[d] * v[d];
  addElasticEnergies(cos, out);
  for (const source of drive.sources) out.potential += source.potential(samples, t);
}

export function addMomentum(out: Momentum, cos: CosseratRod): void {
  const { q, v, mass, nodeCount, edgeCount, edgeFrame } = cos;
  for (let i = 0; i < nodeCount; i++) {
    addPointMomentum(out, mass[6 * i], { x: q, o: 7 * i, v, p: 6 * i });
  }
  for (let j = 0; j < edgeCount; j++) {
    for (let m = 0; m < 3; m++) {
      const spin = mass[6 * j + 3 + m] * v[6 * j + 3 + m];
      for (let k = 0; k < 3; k++) out.angular[k] += spin * edgeFrame[9 * j + 3 * m + k];
    }
  }
}

/** Bending angle of a joint [rad]; if the frame spins freely, the angle between the edge and the held tangent. */
function bendingAngle({ joints, jointRotation, edgeFrame, poses }: CosseratRod, i: number): number {
  if (!joints.freeSpin[i]) return hypot(jointRotation[3 * i], jointRotation[3 * i + 1]);
  const f = 9 * Math.max(joints.before[i], joints.after[i]) + 6;
  const { tangent } = poses[joints.pin[i]];
  const cosine = edgeFrame[f] * tangent[0] + edgeFrame[f + 1] * tangent[1] + edgeFrame[f + 2] * tangent[2];
  return acos(Math.min(1, Math.max(-1, cosine)));
}

export function readChannel(out: Float64Array, cos: CosseratRod, channel: Channel): void {
  const { joints, jointRotation, edgeForce, edgeCount } = cos;
  out.fill(0);
  const readers: ChannelReaders = {
    tension() {
      for (let j = 0; j < edgeCount; j++) out[j] = edgeForce[3 * j + 2];
    },
    curvature: () => averageJoints(out, cos, (i) => bendingAngle(cos, i)),
    twist: () => averageJoints(out, cos, (i) => (joints.freeSpin[i] ? 0 : jointRotation[3 * i + 2])),
  };
  readers[channel]();
}
