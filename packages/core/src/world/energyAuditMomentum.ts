/** Momentum of one rod, for the energy audit: its momentum now, and the change by pins over a step. */
import { hypot } from '../math/rounded/index.ts';
import type { Momentum } from '../model.ts';
import type { Loads, Samples } from '../port.ts';
import type { AuditedRod, RodMomentum, Work } from './auditedRod.ts';

/** Adds a force and its moment about the origin. */
export function addForce(out: Float64Array, at: ArrayLike<number>, force: ArrayLike<number>, sign: number): void {
  const x = sign * force[0];
  const y = sign * force[1];
  const z = sign * force[2];
  out[0] += x;
  out[1] += y;
  out[2] += z;
  out[3] += at[1] * z - at[2] * y;
  out[4] += at[2] * x - at[0] * z;
  out[5] += at[0] * y - at[1] * x;
}

const missing = new Float64Array(6);
const center = new Float64Array(3);
const at = new Float64Array(3);
const push = new Float64Array(3);

const own: Momentum = {
  linear: new Float64Array(3),
  angular: new Float64Array(3),
  center: new Float64Array(3),
  mass: 0,
};

type Motion = Pick<Samples, 'nodePosition' | 'nodeVelocity' | 'edgeTangent' | 'edgeSpin'>;

/** Measures the rod's momentum in the given motion, which is the current one if the model gives the momentum itself. */
export function measureMomentum(
  { nodes, rest }: RodMomentum,
  { rod, addMomentum }: AuditedRod,
  { nodePosition: x, nodeVelocity: v, edgeTangent, edgeSpin }: Motion,
): void {
  nodes.fill(0);
  rest.fill(0);
  for (let i = 0; i < rod.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      at[k] = x[3 * i + k];
      push[k] = rod.nodeMass[i] * v[3 * i + k];
    }
    addForce(nodes, at, push, 1);
  }
  if (addMomentum) {
    own.linear.fill(0);
    own.angular.fill(0);
    addMomentum(own);
    for (let k = 0; k < 3; k++) {
      rest[k] = own.linear[k] - nodes[k];
      rest[3 + k] = own.angular[k] - nodes[3 + k];
    }
    return;
  }
  for (let j = 0; j < rod.edgeCount; j++) {
    for (let k = 0; k < 3; k++) rest[3 + k] += rod.edgeInertia[j] * edgeSpin[j] * edgeTangent[3 * j + k];
  }
}

/**
 * Writes the force and the torque about the origin that follow from the change of momentum and angular momentum beyond loads and damping, as means over
 * the step: the effect of pins and contacts.
 */
function writeMissing(one: AuditedRod, loads: Loads, dt: number): void {
  const { rod, samples, position, force, torque, momentum, momentumNow, damping, given } = one;
  const { nodePosition: x } = samples;
  measureMomentum(momentumNow, one, samples);
  if (!one.measuresAtStart) {
    const { velocity, tangent, spin } = one;
    measureMomentum(momentum, one, {
      nodePosition: position,
      nodeVelocity: velocity,
      edgeTangent: tangent,
      edgeSpin: spin,
    });
  }
  for (let k = 0; k < 6; k++) {
    const [before, now] = [momentum.rest[k], momentumNow.rest[k]];
    const change = momentumNow.nodes[k] - momentum.nodes[k] + now - before - given[k];
    missing[k] = change / dt + 0.5 * damping * (before + now);
  }
  for (let i = 0; i < rod.nodeCount; i++) {
    for (let k = 0; k < 3; k++) {
      const a = 3 * i + k;
      at[k] = 0.5 * (position[a] + x[a]);
      push[k] =
        -0.5 * (force[a] + loads.nodeForce[a]) + (rod.nodeMass[i] * rod.nodeDamping[i] * (x[a] - position[a])) / dt;
    }
    addForce(missing, at, push, 1);
  }
  for (let j = 0; j < rod.edgeCount; j++) {
    for (let k = 0; k < 3; k++) missing[3 + k] -= 0.5 * (torque[3 * j + k] + loads.edgeTorque[3 * j + k]);
  }
}

/**
 * Work of pins that move together, from the change of momentum, and of angular momentum about the first of them. Force and velocity both change within
 * the step: if both are linear in time and the force does not change its sign, the mean force times the displacement is off by up to
 * force × change of velocity × dt / 6.
 */
export function workOfPins(out: Work, one: AuditedRod, loads: Loads, dt: number): void {
  const { samples, pins, before, after, position, displacement, turn, contact } = one;
  const first = before.findIndex(({ active }) => active);
  const o = 3 * pins[first].node;
  for (let k = 0; k < 3; k++) center[k] = 0.5 * (position[o + k] + samples.nodePosition[o + k]);
  writeMissing(one, loads, dt);
  for (let k = 0; k < 6; k++) missing[k] -= contact[k];
  let sum = 0;
  let change = 0;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    const moment = missing[3 + k] - (center[a] * missing[b] - center[b] * missing[a]);
    sum += missing[k] * displacement[k] + moment * turn[k];
    change += missing[k] * (after[first].velocity[k] - before[first].velocity[k]);
    change += moment * (after[first].angularVelocity[k] - before[first].angularVelocity[k]);
  }
  out.done += sum;
  out.doubt += 0.1 * Math.abs(sum) + (dt / 6) * Math.abs(change);
}

/** Accumulates the momentum that a free rod (no contact, no pin) has gained; returns it minus its uncertainty [N s]. */
export function addFreeMomentum(one: AuditedRod, loads: Loads, dt: number): number {
  const { rod, samples, force, after, free } = one;
  if (after.some(({ active }) => active)) return 0;
  writeMissing(one, loads, dt);
  let speed = 0;
  let doubt = 0;
  for (let k = 0; k < force.length; k++) {
    speed += rod.nodeMass[Math.floor(k / 3)] * Math.abs(samples.nodeVelocity[k]);
    doubt += Math.abs(loads.nodeForce[k] - force[k]);
  }
  for (let k = 0; k < 3; k++) free.impulse[k] += dt * missing[k];
  free.scale = Math.max(free.scale, speed);
  free.doubt += 0.5 * dt * doubt;
  return hypot(free.impulse[0], free.impulse[1], free.impulse[2]) - free.doubt;
}

/** Forgets the momentum that a free rod has gained. */
export function clearFreeMomentum({ free }: AuditedRod): void {
  free.impulse.fill(0);
  free.doubt = 0;
  free.scale = 0;
}
