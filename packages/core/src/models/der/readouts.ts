/** Read-outs of rods and bodies that do not move them: energies, momentum, reactions of pins, channels. */

import type { ChannelReaders } from '../../channels.ts';
import { atan2, hypot, square } from '../../math/rounded/index.ts';
import type { Channel, Energies, Momentum, Reaction, SystemEnergy } from '../../model.ts';
import { averageJoints } from '../joints.ts';
import { addPointMomentum } from '../momentum.ts';
import { listReactions } from '../pins.ts';
import type { DerBody } from './body.ts';
import { addHeldHessian, writeHeldTorque } from './held.ts';
import { refineResidual } from './restNewton.ts';
import type { DerRod } from './rod.ts';
import { evaluateResidual, type Workspace } from './stage.ts';
import { addElasticEnergy } from './strainEnergy.ts';

const rodElastic = { bending: 0, twisting: 0 };

export function addEnergies(out: Energies, der: DerRod, t: number): void {
  const { v, mass, size, edgeCount, edgeStiffness, edgeLength, rod, drive, samples } = der;
  for (let d = 0; d < size; d++) out.kinetic += 0.5 * mass[d] * v[d] * v[d];
  rodElastic.bending = 0;
  rodElastic.twisting = 0;
  addElasticEnergy(rodElastic, der);
  out.bending += rodElastic.bending;
  out.twisting += rodElastic.twisting;
  for (let j = 0; j < edgeCount; j++) {
    if (edgeStiffness[j] < Infinity)
      out.stretching += 0.5 * edgeStiffness[j] * square(edgeLength[j] - rod.edgeLengthRest[j]);
  }
  if (der.material) out.dissipated = (out.dissipated ?? 0) + der.material.measureHeat();
  if (der.breaking) out.dissipated = (out.dissipated ?? 0) + der.breaking.heat[0];
  for (const source of drive.sources) out.potential += source.potential(samples, t);
}

/** Kinetic and elastic energy of a rod. */
export function addRodEnergy(out: SystemEnergy, der: DerRod): void {
  const { v, mass, size, edgeCount, edgeStiffness, edgeLength, rod } = der;
  for (let d = 0; d < size; d++) out.kinetic += 0.5 * mass[d] * v[d] * v[d];
  rodElastic.bending = 0;
  rodElastic.twisting = 0;
  addElasticEnergy(rodElastic, der);
  out.elastic += rodElastic.bending + rodElastic.twisting;
  for (let j = 0; j < edgeCount; j++)
    if (edgeStiffness[j] < Infinity)
      out.elastic += 0.5 * edgeStiffness[j] * square(edgeLength[j] - rod.edgeLengthRest[j]);
}

const bodyLoad = new Float64Array(6);

export function addBodyEnergies(out: Energies, { body, mass, velocity, momentum, pose }: DerBody, t: number): void {
  body.load(bodyLoad, t);
  for (let k = 0; k < 3; k++) {
    out.kinetic += 0.5 * (mass * velocity[k] * velocity[k] + momentum[k] * pose.angularVelocity[k]);
    // of weight and dead forces; the welded nodes' weight is in the rods' potential
    out.potential -= bodyLoad[k] * pose.position[k];
  }
}

export function addBodyMomentum(out: Momentum, { mass, position, velocity, momentum }: DerBody): void {
  out.mass += mass;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    out.linear[k] += mass * velocity[k];
    out.center[k] += mass * position[k];
    out.angular[k] += mass * (position[a] * velocity[b] - position[b] * velocity[a]) + momentum[k];
  }
}

export function addMomentum(out: Momentum, der: DerRod): void {
  const { q, v, mass, nodeCount, edgeCount, edgeTangent } = der;
  for (let i = 0; i < nodeCount; i++) {
    addPointMomentum(out, mass[4 * i], { x: q, o: 4 * i, v, p: 4 * i });
  }
  for (let j = 0; j < edgeCount; j++) {
    for (let k = 0; k < 3; k++) out.angular[k] += mass[4 * j + 3] * v[4 * j + 3] * edgeTangent[3 * j + k];
  }
}

/** Writes all forces, including the inertia of the current acceleration, to work.residual; returns the torques on held frames, 3 each [N m]. */
function measureHolding(der: DerRod, work: Workspace, t: number): Float64Array {
  const { held, mass, acceleration, size } = der;
  const torque = new Float64Array(3 * held.count);
  const isAtRest = der.v.every((v) => v === 0) && acceleration.every((a) => a === 0);
  if (isAtRest && refineResidual(der, work, t)) {
    writeHeldTorque(torque, der);
    const rotation = new Float64Array(9);
    const mixed = new Float64Array(3 * size);
    for (let h = 0; h < held.count; h++) {
      mixed.fill(0);
      addHeldHessian(rotation, mixed, der, { h, at: 0, rateScale: 0 });
      for (let o = 0; o < 3 * size; o++) torque[3 * h + Math.floor(o / size)] += mixed[o] * work.step[o % size];
    }
    return torque;
  }
  // the stage q̂ = q − a, c = 1
  for (let d = 0; d < size; d++) work.qHat[d] = der.q[d] - (mass[d] !== 0 ? acceleration[d] : 0);
  evaluateResidual(der, work, { t, inertia: 1, rate: 1 });
  writeHeldTorque(torque, der, der.v);
  return torque;
}

/** Reaction of each pin: forces hold its position against the residual, torques turn its held frame. */
export function measureReactions(der: DerRod, work: Workspace, t: number): Reaction[] {
  const torque = measureHolding(der, work, t);
  const { rod, pins, poses, held } = der;
  return listReactions({ rod, pins, poses, heldPin: held.pin }, work.residual, 4, torque);
}

/** Angle between the tangents before and after a joint [rad]. */
function bendingAngle({ joints, edgeTangent, held }: DerRod, i: number): number {
  const before = joints.before[i];
  const after = joints.after[i];
  const e = before >= 0 ? edgeTangent : held.tangent;
  const f = after >= 0 ? edgeTangent : held.tangent;
  const a = before >= 0 ? 3 * before : 3 * (-1 - before);
  const b = after >= 0 ? 3 * after : 3 * (-1 - after);
  const cosine = e[a] * f[b] + e[a + 1] * f[b + 1] + e[a + 2] * f[b + 2];
  const sine = hypot(
    e[a + 1] * f[b + 2] - e[a + 2] * f[b + 1],
    e[a + 2] * f[b] - e[a] * f[b + 2],
    e[a] * f[b + 1] - e[a + 1] * f[b],
  );
  return atan2(sine, cosine);
}

export function readChannel(out: Float64Array, der: DerRod, channel: Channel): void {
  out.fill(0);
  const readers: ChannelReaders = {
    tension: () => out.set(der.edgeTension),
    curvature: () => averageJoints(out, der, (i) => bendingAngle(der, i)),
    twist: () => averageJoints(out, der, (i) => der.jointTwist[i]),
  };
  readers[channel]();
}
