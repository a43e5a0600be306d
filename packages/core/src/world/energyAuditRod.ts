/** Work on one rod over a step, for the energy audit: of loads, from their forces at both ends, and of pins, from the change of momentum. */
import { atan2, hypot } from '../math/rounded/index.ts';
import { capabilitiesOf } from '../models/registry.ts';
import type { Loads, Samples } from '../port.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from '../scene/compiled.ts';
import type { WorldParts } from './build.ts';

export interface Work {
  /** [J] */
  done: number;
  /** Uncertainty: how much larger it may have been [J]. */
  doubt: number;
  /** False if the work of something cannot be determined. */
  isKnown: boolean;
}

export interface AuditedRod {
  readonly rod: Rod;
  /** See `Capabilities`. */
  readonly hasNodeMasses: boolean;
  readonly samples: Samples;
  /** Pins without a body, and their previous and current positions. */
  readonly pins: readonly Pin[];
  before: readonly PinPose[];
  after: readonly PinPose[];
  /** At the start of the step: position and velocity of nodes, direction and spin of edges, loads. */
  readonly position: Float64Array;
  readonly velocity: Float64Array;
  readonly tangent: Float64Array;
  readonly director: Float64Array;
  readonly spin: Float64Array;
  readonly force: Float64Array;
  readonly torque: Float64Array;
  /** Displacement and rotation [rad] of the pins over the step, if they move as one. */
  readonly displacement: Float64Array;
  readonly turn: Float64Array;
  motion: 'none' | 'together' | 'apart';
  /** Force of contacts over the step, and its moment about the origin. */
  readonly contact: Float64Array;
  /** Unexplained momentum while the rod was free, its uncertainty, and the largest momentum so far [N s]. */
  readonly free: { readonly impulse: Float64Array; doubt: number; scale: number };
  /** Momentum below this is rounding: a millionth of that of vibrations with a strain of order one [N s]. */
  readonly momentumFloor: number;
}

function massOf({ nodeMass }: Rod): number {
  let mass = 0;
  for (const part of nodeMass) mass += part;
  return mass;
}

export function createAuditedRod({ drives, samples, welds }: WorldParts, rod: Rod, r: number): AuditedRod {
  const pins = drives[r].pins.filter((pin) => !welds.some((weld) => weld.pin === pin));
  const make = (length: number): Float64Array => new Float64Array(length);
  return {
    rod,
    hasNodeMasses: capabilitiesOf(rod).nodeMasses ?? false,
    samples: samples[r],
    pins,
    before: pins.map(createPinPose),
    after: pins.map(createPinPose),
    position: make(3 * rod.nodeCount),
    velocity: make(3 * rod.nodeCount),
    tangent: make(3 * rod.edgeCount),
    director: make(3 * rod.edgeCount),
    spin: make(rod.edgeCount),
    force: make(3 * rod.nodeCount),
    torque: make(3 * rod.edgeCount),
    displacement: make(3),
    turn: make(3),
    motion: 'none',
    contact: make(6),
    free: { impulse: make(3), doubt: 0, scale: 0 },
    momentumFloor: 1e-6 * Math.sqrt((massOf(rod) * (rod.halfEI1[0] + rod.halfEI2[0])) / rod.length),
  };
}

/** Records the rod and its loads. */
export function noteRod(out: AuditedRod, loads: Loads): void {
  const { samples } = out;
  out.position.set(samples.nodePosition);
  out.velocity.set(samples.nodeVelocity);
  out.tangent.set(samples.edgeTangent);
  out.director.set(samples.edgeDirector);
  out.spin.set(samples.edgeSpin);
  out.force.set(loads.nodeForce);
  out.torque.set(loads.edgeTorque);
}

/** Records its pins at t, before the first step. */
export function notePins({ pins, after }: AuditedRod, t: number): void {
  for (let p = 0; p < pins.length; p++) pins[p].evaluate(after[p], t);
}

/** Displacements and rotations of all pins since the last record, and effect of contacts on rods whose pins moved. */
export function movePins(audited: readonly AuditedRod[], { contact, rods }: WorldParts, t: number): void {
  let isMoving = false;
  for (const one of audited) {
    findMotion(one, t);
    isMoving ||= one.motion === 'together';
  }
  if (!contact || !isMoving) return;
  for (const one of audited) one.contact.fill(0);
  const index = new Map(rods.map(({ id }, r) => [id, r]));
  for (const { rod, edge, weight, other, kind, force } of contact.forces(t)) {
    const one = audited[index.get(rod) ?? 0];
    const { nodePosition: x } = one.samples;
    const place = [0, 1, 2].map((k) => (1 - weight) * x[3 * edge + k] + weight * x[3 * edge + 3 + k]);
    addForce(one.contact, place, force, 1);
    if (kind === 'rod') addForce(audited[index.get(other) ?? 0].contact, place, force, -1);
  }
}

/** Adds a force and its moment about the origin. */
function addForce(out: Float64Array, at: ArrayLike<number>, force: ArrayLike<number>, sign: number): void {
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

const turnOfPin = new Float64Array(3);

function findMotion(one: AuditedRod, t: number): void {
  [one.before, one.after] = [one.after, one.before];
  const { pins, before, after, displacement, turn, position, samples, rod } = one;
  one.motion = 'none';
  displacement.fill(0);
  turn.fill(0);
  const small = 1e-9 * rod.length;
  let first = true;
  for (let p = 0; p < pins.length; p++) {
    pins[p].evaluate(after[p], t);
    if (!after[p].active || !before[p].active) continue;
    const o = 3 * pins[p].node;
    writeTurn(turnOfPin, before[p], after[p], pins[p].orientation !== 'free');
    let apart = 0;
    let moved = 0;
    for (let k = 0; k < 3; k++) {
      const shift = samples.nodePosition[o + k] - position[o + k];
      const isHeld = k === 0 ? pins[p].holdX : k === 1 ? pins[p].holdY : pins[p].holdZ;
      if (first) {
        displacement[k] = isHeld ? shift : 0;
        turn[k] = turnOfPin[k];
      }
      if (isHeld) apart = Math.max(apart, Math.abs(shift - displacement[k]));
      apart = Math.max(apart, rod.length * Math.abs(turnOfPin[k] - turn[k]));
      moved = Math.max(moved, Math.abs(displacement[k]), rod.length * Math.abs(turn[k]));
    }
    first = false;
    if (moved > small && one.motion === 'none') one.motion = 'together';
    // otherwise the rod's momentum is not known here
    if (apart > small || (moved > small && !one.hasNodeMasses)) one.motion = 'apart';
  }
}

/** Rotation vector from one held frame to the next, for angles that are not large: half the sum of the axes' cross products. */
function writeTurn(out: Float64Array, from: PinPose, to: PinPose, isHeld: boolean): void {
  out.fill(0);
  if (!isHeld) return;
  const twist = to.twist - from.twist;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    const swing = from.tangent[a] * to.tangent[b] - from.tangent[b] * to.tangent[a];
    // the rotation of the director about the tangent
    out[k] = swing + twist * to.tangent[k];
  }
  let about = 0;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    about += to.tangent[k] * (from.director[a] * to.director[b] - from.director[b] * to.director[a]);
  }
  for (let k = 0; k < 3; k++) out[k] += about * to.tangent[k];
}

/** Adds the work on the rod since the last record, dt ago; `loads`: current loads. Damping is omitted: it only dissipates. */
export function workOfRod(out: Work, one: AuditedRod, loads: Loads, dt: number): void {
  const { samples, position, force, motion } = one;
  const { nodePosition: x } = samples;
  let first = 0;
  let last = 0;
  for (let k = 0; k < x.length; k++) {
    const displacement = x[k] - position[k];
    first += force[k] * displacement;
    last += loads.nodeForce[k] * displacement;
  }
  if (hasAny(loads.edgeTorque) || hasAny(one.torque)) {
    const before = workOfTorques(one, one.torque, dt);
    const after = workOfTorques(one, loads.edgeTorque, dt);
    first += before;
    last += after;
    // an edge that turns far has no single axis
    out.doubt += 0.05 * (Math.abs(before) + Math.abs(after));
  }
  out.done += 0.5 * (first + last);
  out.doubt += 0.5 * Math.abs(last - first);
  if (motion === 'apart') out.isKnown = false;
  if (motion === 'together') workOfPins(out, one, loads, dt);
}

function hasAny(list: Float64Array): boolean {
  for (let k = 0; k < list.length; k++) if (list[k] !== 0) return true;
  return false;
}

/** Rotation of the material of edge j about its axis, with the number of turns closest to its spin [rad]. */
function spinAngle({ samples, director, spin }: AuditedRod, j: number, dt: number): number {
  const { edgeTangent: t, edgeDirector: d, edgeSpin } = samples;
  let sine = 0;
  let cosine = 0;
  for (let k = 0; k < 3; k++) {
    const a = 3 * j + ((k + 1) % 3);
    const b = 3 * j + ((k + 2) % 3);
    sine += t[3 * j + k] * (director[a] * d[b] - director[b] * d[a]);
    cosine += director[3 * j + k] * d[3 * j + k];
  }
  const angle = atan2(sine, cosine);
  const near = 0.5 * dt * (spin[j] + edgeSpin[j]);
  return angle + 2 * Math.PI * Math.round((near - angle) / (2 * Math.PI));
}

function workOfTorques(one: AuditedRod, torque: Float64Array, dt: number): number {
  const { samples, tangent } = one;
  const { edgeTangent: now } = samples;
  let sum = 0;
  for (let j = 0; 3 * j < torque.length; j++) {
    const o = 3 * j;
    if (torque[o] === 0 && torque[o + 1] === 0 && torque[o + 2] === 0) continue;
    const turned = 0.5 * spinAngle(one, j, dt);
    for (let k = 0; k < 3; k++) {
      const a = o + ((k + 1) % 3);
      const b = o + ((k + 2) % 3);
      const swing = tangent[a] * now[b] - tangent[b] * now[a];
      sum += torque[o + k] * (swing + turned * (tangent[o + k] + now[o + k]));
    }
  }
  return sum;
}

const missing = new Float64Array(6);
const center = new Float64Array(3);
const at = new Float64Array(3);
const push = new Float64Array(3);

/**
 * Writes the force and the torque about `center` that follow from the change of momentum and angular momentum beyond loads and damping, as means over
 * the step: the effect of pins and contacts.
 */
function writeMissing(one: AuditedRod, loads: Loads, dt: number, center: ArrayLike<number>): void {
  const { rod, samples, position, velocity, force, torque, spin, tangent } = one;
  const { nodePosition: x, nodeVelocity: v, edgeTangent, edgeSpin } = samples;
  missing.fill(0);
  for (let i = 0; i < rod.nodeCount; i++) {
    const m = rod.nodeMass[i];
    for (let side = 0; side < 2; side++) {
      const place = side === 0 ? x : position;
      const rate = side === 0 ? v : velocity;
      for (let k = 0; k < 3; k++) {
        at[k] = place[3 * i + k] - center[k];
        push[k] = ((side === 0 ? m : -m) * rate[3 * i + k]) / dt;
      }
      addForce(missing, at, push, 1);
    }
    for (let k = 0; k < 3; k++) {
      const a = 3 * i + k;
      at[k] = 0.5 * (position[a] + x[a]) - center[k];
      push[k] = -0.5 * (force[a] + loads.nodeForce[a]) + (m * rod.nodeDamping[i] * (x[a] - position[a])) / dt;
    }
    addForce(missing, at, push, 1);
  }
  for (let j = 0; j < rod.edgeCount; j++) {
    for (let k = 0; k < 3; k++) {
      const a = 3 * j + k;
      missing[3 + k] += (rod.edgeInertia[j] * (edgeSpin[j] * edgeTangent[a] - spin[j] * tangent[a])) / dt;
      missing[3 + k] -= 0.5 * (torque[a] + loads.edgeTorque[a]);
    }
  }
}

/** Work of pins that move together, from the change of momentum, and of angular momentum about the first of them. */
function workOfPins(out: Work, one: AuditedRod, loads: Loads, dt: number): void {
  const { samples, pins, before, position, displacement, turn, contact } = one;
  const o = 3 * pins[before.findIndex(({ active }) => active)].node;
  for (let k = 0; k < 3; k++) center[k] = 0.5 * (position[o + k] + samples.nodePosition[o + k]);
  writeMissing(one, loads, dt, center);
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    const moment = contact[3 + k] - (center[a] * contact[b] - center[b] * contact[a]);
    sum += (missing[k] - contact[k]) * displacement[k] + (missing[3 + k] - moment) * turn[k];
  }
  out.done += sum;
  out.doubt += 0.1 * Math.abs(sum);
}

/** Accumulates the momentum that a free rod (no contact, no pin) has gained; returns it minus its uncertainty [N s]. */
export function addFreeMomentum(one: AuditedRod, loads: Loads, dt: number): number {
  const { rod, samples, force, after, free } = one;
  if (!one.hasNodeMasses || after.some(({ active }) => active)) return 0;
  writeMissing(one, loads, dt, samples.nodePosition);
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
