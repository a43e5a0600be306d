/** A group of strands whose state is on the device: its shared memory, and functions that fill it from strands and read it back. */

import { compose, fromVectorPart, normalize } from '../formulas.ts';
import { ELASTIC_SLOTS, LANES, STRAIN_TARGET, stateSlots } from '../layout.ts';
import { evaluateStageLoads } from '../pose.ts';
import type { BatchRod } from '../rod.ts';
import { placeRoot } from '../step.ts';
import { describeStrand } from './describe.ts';
import type { Members } from './membership.ts';
import { floatAt } from './parts.ts';
import { type AirNow, type GroupTask, MOVED_FLOATS } from './requests.ts';
import { ROOT_VECTORS } from './shader.ts';

export interface DeviceGroup {
  readonly members: Members;
  readonly strands: readonly BatchRod[];
  readonly task: GroupTask;
  readonly states: Float32Array;
  /** For each of two stages. */
  readonly roots: readonly Float32Array[];
  readonly forces: readonly Float32Array[];
  readonly moved: Float32Array;
  /** Forces last sent to the device; undefined: none yet. */
  sentForces: Float32Array | undefined;
  /** True if forces, and poses of roots, never change; then they are sent once. */
  readonly hasConstantForces: boolean;
  readonly hasStillRoots: boolean;
  /** True if the poses of roots that do not move have been sent. */
  hasSentRoots: boolean;
  /** Frames of the roots at the start of the step, 4 per strand, if the step may turn them. */
  readonly framesBefore: Float64Array;
  hasKeptFrames: boolean;
}

/** Slots of a node in shared memory. */
export function countSlots({ stiffnessDamping }: Pick<Members, 'stiffnessDamping'>): number {
  return stiffnessDamping > 0 ? stateSlots.length : ELASTIC_SLOTS;
}

/** `contact`: obstacles of the strands, and settings of contact between strands. */
export function createDeviceGroup(
  members: Members,
  all: readonly BatchRod[],
  contact: Pick<GroupTask, 'obstacles' | 'fields' | 'pairs'>,
): DeviceGroup {
  const { nodes, root, massDamping, stiffnessDamping, air } = members;
  const strands = members.rods.map((rod) => all[rod]);
  const rows = Math.ceil(strands.length / LANES) * nodes * LANES * 16;
  const share = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes);
  const twice = (bytes: number): [SharedArrayBuffer, SharedArrayBuffer] => [share(bytes), share(bytes)];
  const memory = {
    states: share(rows * countSlots(members)),
    roots: twice(16 * ROOT_VECTORS * strands.length),
    forces: twice(rows),
    moved: share(root === 'clamped' ? 0 : 4 * MOVED_FLOATS * strands.length),
  };
  return {
    members,
    strands,
    task: {
      nodes,
      root,
      massDamping,
      stiffnessDamping,
      hasAir: air >= 0,
      ...contact,
      strands: strands.map(describeStrand),
      memory,
    },
    states: new Float32Array(memory.states),
    roots: memory.roots.map((buffer) => new Float32Array(buffer)),
    forces: memory.forces.map((buffer) => new Float32Array(buffer)),
    moved: new Float32Array(memory.moved),
    sentForces: undefined,
    hasConstantForces: strands.every(({ drive, airSource }) =>
      drive.sources.every((source) => source.isConstant || source === airSource),
    ),
    hasStillRoots: root === 'clamped' && strands.every(({ pin }) => pin?.isStill),
    hasSentRoots: false,
    framesBefore: new Float64Array(4 * strands.length),
    hasKeptFrames: false,
  };
}

/** Slots that a step writes before it reads them; they are not sent. */
const temporary = new Set([STRAIN_TARGET]);

/** Writes states to shared memory for the device, after they have changed. */
export function packStates(group: DeviceGroup): void {
  const { strands, states, members } = group;
  const slots = countSlots(members);
  group.hasSentRoots = false;
  for (let s = 0; s < strands.length; s++)
    for (let slot = 0; slot < slots; slot++) {
      const from = strands[s].strand.slots[slot];
      for (let i = 0; i < members.nodes; i++) {
        const at = floatAt(members.nodes, slots, s, i, slot);
        states[at] = from[3 * i];
        states[at + 1] = from[3 * i + 1];
        states[at + 2] = from[3 * i + 2];
      }
    }
}

export function unpackStates({ strands, states, members }: DeviceGroup): void {
  const slots = countSlots(members);
  for (let s = 0; s < strands.length; s++)
    for (let slot = 0; slot < slots; slot++) {
      if (temporary.has(slot)) continue;
      const to = strands[s].strand.slots[slot];
      for (let i = 0; i < members.nodes; i++) {
        const at = floatAt(members.nodes, slots, s, i, slot);
        to[3 * i] = states[at];
        to[3 * i + 1] = states[at + 1];
        to[3 * i + 2] = states[at + 2];
      }
    }
}

export function keepFrames(group: DeviceGroup): void {
  const { strands, framesBefore, hasSentRoots } = group;
  group.hasKeptFrames = !hasSentRoots;
  if (hasSentRoots) return;
  for (let s = 0; s < strands.length; s++) framesBefore.set(strands[s].frame, 4 * s);
}

export function revertFrames(group: DeviceGroup): void {
  const { strands, framesBefore, hasKeptFrames } = group;
  if (!hasKeptFrames) return;
  group.hasSentRoots = false;
  for (let s = 0; s < strands.length; s++) strands[s].frame.set(framesBefore.subarray(4 * s, 4 * s + 4));
}

/** Moves the roots to the end of stage k, at t, and writes their poses. Returns true if they differ from those on the device. */
export function writeRoots(group: DeviceGroup, k: number, t: number): boolean {
  const { strands, roots } = group;
  if (group.hasSentRoots) return false;
  const to = roots[k];
  let isSettled = group.hasStillRoots;
  for (let s = 0; s < strands.length; s++) {
    const batch = strands[s];
    placeRoot(batch, t);
    const { frame, frameBefore, displacement } = batch.strand.root;
    const { position } = batch.pose;
    const o = 4 * ROOT_VECTORS * s;
    for (let i = 0; i < 4; i++) {
      to[o + i] = frame[i];
      to[o + 4 + i] = frameBefore[i];
      if (frame[i] !== frameBefore[i]) isSettled = false;
    }
    for (let i = 0; i < 3; i++) {
      to[o + 8 + i] = displacement[i];
      to[o + 12 + i] = position[i];
    }
    batch.frame.set(frame);
  }
  group.hasSentRoots = isSettled;
  return true;
}

/** Writes the forces of stage k, at t. Returns true if they differ from those on the device. */
export function writeForces(group: DeviceGroup, k: number, t: number): boolean {
  const { strands, forces, members, hasConstantForces, sentForces } = group;
  if (hasConstantForces && sentForces) return false;
  const to = forces[k];
  for (let s = 0; s < strands.length; s++) {
    const batch = strands[s];
    evaluateStageLoads(batch, t);
    const { nodeForce } = batch.loads;
    for (let i = 0; i < members.nodes; i++) {
      const at = floatAt(members.nodes, 1, s, i, 0);
      for (let axis = 0; axis < 3; axis++) to[at + axis] = nodeForce[3 * i + axis];
    }
  }
  const isNew = !sentForces?.every((value, i) => value === to[i]);
  if (isNew) group.sentForces = to.slice();
  return isNew;
}

/** Wind [m/s] at t, and the factor of the drag; zeros without air. */
export function readAir({ strands }: DeviceGroup, t: number): AirNow {
  const air = new Float64Array(4);
  strands[0].airSource?.air?.read(air, t);
  return [air[0], air[1], air[2], air[3]];
}

/** Updates the roots at the end of a step: held ones from their pins, free ones from the device. */
export function moveOrigins({ strands, members, moved }: DeviceGroup, dt: number): void {
  const { root } = members;
  for (const [s, { origin, pose, history, frame }] of strands.entries()) {
    history[0] = dt;
    const o = MOVED_FLOATS * s;
    if (root === 'free') for (let k = 0; k < 3; k++) origin[k] += moved[o + k];
    else origin.set(pose.position);
    if (root === 'clamped') continue;
    // without a joint at the root, its frame takes the rotation of the first edge
    const before = [frame[0], frame[1], frame[2], frame[3]] as const;
    frame.set(normalize(compose(before, fromVectorPart([moved[o + 3], moved[o + 4], moved[o + 5]]))));
  }
}
