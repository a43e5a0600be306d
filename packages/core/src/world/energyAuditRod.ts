/**
 * Work on one rod over a step, for the energy audit. The work of loads follows from their forces at both ends of the step; that of pins from the change of
 * momentum, or from their reactions at both ends.
 */
import { rotationBetween } from '../math/frameRotation.ts';
import { atan2, square } from '../math/rounded/index.ts';
import type { Reaction } from '../model.ts';
import type { Loads } from '../port.ts';
import { createPinPose, type PinPose, type Rod } from '../scene/compiled.ts';
import type { AuditedRod, Work } from './auditedRod.ts';
import type { WorldParts } from './build.ts';
import { addForce, measureMomentum, workOfPins } from './energyAuditMomentum.ts';

/** Sum over the nodes of their mass times a value. */
function sumOverMass({ nodeMass, nodeCount }: Rod, of: (node: number) => number): number {
  let sum = 0;
  for (let i = 0; i < nodeCount; i++) sum += nodeMass[i] * of(i);
  return sum;
}

const meanDamping = (rod: Rod): number => sumOverMass(rod, (i) => rod.nodeDamping[i]) / sumOverMass(rod, () => 1);

/**
 * Reads the reactions of the pins of rod r; undefined if their work follows from the change of its momentum. Bodies and links change the momentum too, so
 * the pins of rods that have them need reactions.
 */
function createReactionReader(world: WorldParts, r: number): AuditedRod['measureReactions'] {
  const { welds, placeOfRod, contact } = world;
  const { bundle, index } = placeOfRod[r];
  const atBodies = new Set(welds.filter((weld) => weld.rod === r).map(({ pin }) => pin.node));
  const isLinked = contact?.links.plans.some(({ rodA, rodB }) => rodA === r || rodB === r);
  if (!bundle.hasJointUnknowns && atBodies.size === 0 && !isLinked) return undefined;
  return (t, when) => {
    contact?.applyContactForces();
    // forces of bodies are internal: the bundle's energy includes that of its bodies
    return bundle.reactions(index, t, when).filter(({ node }) => !atBodies.has(node));
  };
}

export function createAuditedRod(world: WorldParts, rod: Rod, r: number): AuditedRod {
  const { drives, samples, welds, placeOfRod } = world;
  const { bundle, index } = placeOfRod[r];
  const pins = drives[r].pins.filter((pin) => !welds.some((weld) => weld.pin === pin));
  const make = (length: number): Float64Array => new Float64Array(length);
  const mass = sumOverMass(rod, () => 1);
  return {
    rod,
    mass,
    measureReactions: createReactionReader(world, r),
    reactions: [],
    reactionsBefore: [],
    addMomentum: bundle.addRodMomentum && ((out) => bundle.addRodMomentum?.(out, index)),
    measuresAtStart: bundle.addRodMomentum !== undefined || rod.animation !== undefined,
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
    momentum: { nodes: make(6), rest: make(6) },
    momentumNow: { nodes: make(6), rest: make(6) },
    damping: meanDamping(rod),
    given: make(6),
    pinTurns: make(3 * pins.length),
    displacement: make(3),
    turn: make(3),
    motion: 'none',
    contact: make(6),
    free: { impulse: make(3), doubt: 0, scale: 0 },
    momentumFloor: 1e-6 * Math.sqrt((mass * (rod.halfEI1[0] + rod.halfEI2[0])) / rod.length),
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
  if (out.measuresAtStart) measureMomentum(out.momentum, out, samples);
  if (out.rod.animation) out.damping = meanDamping(out.rod);
}

/** Records its pins at t, before the first step. */
export function notePins(one: AuditedRod, t: number): void {
  const { pins, after, measureReactions } = one;
  for (let p = 0; p < pins.length; p++) pins[p].evaluate(after[p], t);
  if (measureReactions && pins.length > 0) one.reactions = measureReactions(t, 'any-time');
}

const noReactions: readonly Reaction[] = [];

/** False for pins that do no work: they stay where they are. A grip that moves one counts from the next step on. */
function canMove({ pins, motion }: AuditedRod): boolean {
  return motion !== 'none' || pins.some(({ isStill }) => !isStill);
}

/** Displacements and rotations of all pins since the last record, and effect of contacts on rods whose pins moved. */
export function movePins(audited: readonly AuditedRod[], { contact, rods }: WorldParts, t: number): void {
  let isMoving = false;
  for (const one of audited) {
    findMotion(one, t);
    if (one.measureReactions && one.pins.length > 0) {
      one.reactionsBefore = one.reactions;
      one.reactions = canMove(one) ? one.measureReactions(t, 'after-step') : noReactions;
      continue;
    }
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

function findMotion(one: AuditedRod, t: number): void {
  [one.before, one.after] = [one.after, one.before];
  const { pins, before, after, pinTurns, displacement, turn, position, samples, rod } = one;
  one.motion = 'none';
  displacement.fill(0);
  turn.fill(0);
  const small = 1e-9 * rod.length;
  let first = true;
  for (let p = 0; p < pins.length; p++) {
    pins[p].evaluate(after[p], t);
    writeTurn(pinTurns, 3 * p, before[p], after[p], pins[p].orientation !== 'free');
    if (!after[p].active || !before[p].active) continue;
    const o = 3 * pins[p].node;
    let apart = 0;
    let moved = 0;
    for (let k = 0; k < 3; k++) {
      const shift = samples.nodePosition[o + k] - position[o + k];
      const isHeld = k === 0 ? pins[p].holdX : k === 1 ? pins[p].holdY : pins[p].holdZ;
      if (first) {
        displacement[k] = isHeld ? shift : 0;
        turn[k] = pinTurns[3 * p + k];
      }
      if (isHeld) apart = Math.max(apart, Math.abs(shift - displacement[k]));
      apart = Math.max(apart, rod.length * Math.abs(pinTurns[3 * p + k] - turn[k]));
      moved = Math.max(moved, Math.abs(displacement[k]), rod.length * Math.abs(turn[k]));
    }
    first = false;
    if (moved > small && one.motion === 'none') one.motion = 'together';
    if (apart > small) one.motion = 'apart';
  }
}

/** Rotation vector from one held frame to the next, with the twist about the mean of both tangents, at `o`. */
function writeTurn(out: Float64Array, o: number, from: PinPose, to: PinPose, isHeld: boolean): void {
  if (!isHeld) return;
  const swing = rotationBetween(from, to);
  const twist = 0.5 * (to.twist - from.twist);
  for (let k = 0; k < 3; k++) out[o + k] = swing[k] + twist * (from.tangent[k] + to.tangent[k]);
}

/** Energy that mass damping has dissipated since the last record, dt ago, by the velocities at both ends [J]. */
function dissipationOf({ rod, velocity, samples, spin }: AuditedRod, dt: number): number {
  const { nodeMass, nodeDamping, edgeInertia, edgeCount } = rod;
  let power = 0;
  for (let k = 0; k < velocity.length; k++) {
    const i = Math.floor(k / 3);
    power += nodeDamping[i] * nodeMass[i] * (square(velocity[k]) + square(samples.nodeVelocity[k]));
  }
  for (let j = 0; j < edgeCount; j++)
    power += nodeDamping[j] * edgeInertia[j] * (square(spin[j]) + square(samples.edgeSpin[j]));
  return 0.5 * dt * power;
}

/** Adds the work on the rod since the last record, dt ago; `loads`: current loads. */
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
  out.damped += dissipationOf(one, dt);
  if (one.measureReactions) workOfReactions(out, one);
  else if (motion === 'apart') out.isKnown = false;
  else if (motion === 'together') workOfPins(out, one, loads, dt);
}

/** Work of pins by their reactions at both ends of the step. */
function workOfReactions(
  out: Work,
  { pins, before, pinTurns, position, samples, reactions, reactionsBefore }: AuditedRod,
): void {
  const workBy = (list: readonly Reaction[]): number => {
    let sum = 0;
    for (const { node, force, torque } of list) {
      const p = pins.findIndex((pin, i) => pin.node === node && pin.orientation !== 'free' && before[i].active);
      for (let k = 0; k < 3; k++) {
        sum += force[k] * (samples.nodePosition[3 * node + k] - position[3 * node + k]);
        if (p >= 0) sum += torque[k] * pinTurns[3 * p + k];
      }
    }
    return sum;
  };
  const first = workBy(reactionsBefore);
  const last = workBy(reactions);
  out.done += 0.5 * (first + last);
  out.doubt += 0.5 * Math.abs(last - first);
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
