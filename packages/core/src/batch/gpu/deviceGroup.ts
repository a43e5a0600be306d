/** A group of strands whose state is on the device: shared memory, and how it is filled from strands and read back to them. */
import { ELASTIC_SLOTS, LANES, RATE, STRAIN_TARGET, stateSlots } from '../layout.ts';
import { evaluateLoads } from '../pose.ts';
import type { BatchRod } from '../rod.ts';
import { placeRoot } from '../step.ts';
import { describeStrand } from './describe.ts';
import type { Members } from './membership.ts';
import { floatAt } from './parts.ts';
import type { GroupTask } from './requests.ts';
import { ROOT_VECTORS } from './shader.ts';

export interface DeviceGroup {
  readonly members: Members;
  readonly strands: readonly BatchRod[];
  readonly task: GroupTask;
  readonly states: Float32Array;
  /** For each of two stages. */
  readonly roots: readonly Float32Array[];
  readonly forces: readonly Float32Array[];
  /** Forces that the device has; undefined: none yet. */
  sentForces: Float32Array | undefined;
  /** Frames of the roots at the start of the step, 4 per strand. */
  readonly framesBefore: Float64Array;
}

function countSlots({ stiffnessDamping }: Members): number {
  return stiffnessDamping > 0 ? stateSlots.length : ELASTIC_SLOTS;
}

export function createDeviceGroup(members: Members, all: readonly BatchRod[]): DeviceGroup {
  const { nodes, massDamping, stiffnessDamping } = members;
  const strands = members.rods.map((rod) => all[rod]);
  const rows = Math.ceil(strands.length / LANES) * nodes * LANES * 16;
  const share = (bytes: number): SharedArrayBuffer => new SharedArrayBuffer(bytes);
  const twice = (bytes: number): [SharedArrayBuffer, SharedArrayBuffer] => [share(bytes), share(bytes)];
  const memory = {
    states: share(rows * countSlots(members)),
    roots: twice(16 * ROOT_VECTORS * strands.length),
    forces: twice(rows),
  };
  return {
    members,
    strands,
    task: { nodes, massDamping, stiffnessDamping, strands: strands.map(describeStrand), memory },
    states: new Float32Array(memory.states),
    roots: memory.roots.map((buffer) => new Float32Array(buffer)),
    forces: memory.forces.map((buffer) => new Float32Array(buffer)),
    sentForces: undefined,
    framesBefore: new Float64Array(4 * strands.length),
  };
}

/** Slots that a step writes before it reads them need not travel. */
const temporary = new Set([RATE, STRAIN_TARGET]);

export function packStates({ strands, states, members }: DeviceGroup): void {
  visitSlots(members, strands.length, (s, slot, i, at) => {
    const from = strands[s].strand.slots[slot];
    for (let k = 0; k < 3; k++) states[at + k] = from[3 * i + k];
  });
}

export function unpackStates({ strands, states, members }: DeviceGroup): void {
  visitSlots(members, strands.length, (s, slot, i, at) => {
    const to = strands[s].strand.slots[slot];
    for (let k = 0; k < 3; k++) to[3 * i + k] = states[at + k];
  });
}

function visitSlots(
  members: Members,
  count: number,
  visit: (s: number, slot: number, i: number, at: number) => void,
): void {
  const slots = countSlots(members);
  const { nodes } = members;
  for (let slot = 0; slot < slots; slot++) {
    if (temporary.has(slot)) continue;
    for (let s = 0; s < count; s++)
      for (let i = 0; i < nodes; i++) visit(s, slot, i, floatAt(nodes, slots, s, i, slot));
  }
}

export function keepFrames({ strands, framesBefore }: DeviceGroup): void {
  for (let s = 0; s < strands.length; s++) framesBefore.set(strands[s].frame, 4 * s);
}

export function revertFrames({ strands, framesBefore }: DeviceGroup): void {
  for (let s = 0; s < strands.length; s++) strands[s].frame.set(framesBefore.subarray(4 * s, 4 * s + 4));
}

/** Moves the roots to the end of stage k, at t, and writes their poses. */
export function writeRoots({ strands, roots }: DeviceGroup, k: number, t: number): void {
  const to = roots[k];
  for (let s = 0; s < strands.length; s++) {
    const batch = strands[s];
    placeRoot(batch, t);
    const { frame, frameBefore, displacement } = batch.strand.root;
    const { position } = batch.pose;
    const o = 4 * ROOT_VECTORS * s;
    for (let i = 0; i < 4; i++) {
      to[o + i] = frame[i];
      to[o + 4 + i] = frameBefore[i];
    }
    for (let i = 0; i < 3; i++) {
      to[o + 8 + i] = displacement[i];
      to[o + 12 + i] = position[i];
    }
    batch.frame.set(frame);
  }
}

/** Writes the forces of stage k, at t. Returns whether the device has others. */
export function writeForces(group: DeviceGroup, k: number, t: number): boolean {
  const { strands, forces, members } = group;
  const to = forces[k];
  for (let s = 0; s < strands.length; s++) {
    const batch = strands[s];
    evaluateLoads(batch, t);
    const { nodeForce } = batch.loads;
    for (let i = 0; i < members.nodes; i++) {
      const at = floatAt(members.nodes, 1, s, i, 0);
      for (let axis = 0; axis < 3; axis++) to[at + axis] = nodeForce[3 * i + axis];
    }
  }
  const isNew = !group.sentForces?.every((value, i) => value === to[i]);
  if (isNew) group.sentForces = to.slice();
  return isNew;
}

/** At the end of a step: held roots are where their pins are. */
export function moveOrigins({ strands }: DeviceGroup, dt: number): void {
  for (const { origin, pose, history } of strands) {
    origin.set(pose.position);
    history[0] = dt;
  }
}
