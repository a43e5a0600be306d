/**
 * The strands of a bundle, divided between a device and the reference: the copy of their state in double precision, and the contacts of both. When the
 * device is lost, the reference repeats the steps since the copy was read, and moves all strands from then on.
 */
import { SceneError, SimulationError } from '../../errors.ts';
import type { OwnContactReport, OwnContactRow, SolidScene, StepRequest } from '../../port.ts';
import { RATE } from '../layout.ts';
import type { BatchBundle } from '../model.ts';
import { addOwnReport, createOwnReport, listRows, restoreRows, stepAmong, toObstacle } from '../ownContact.ts';
import { measureSpin } from '../pose.ts';
import { type BatchRod, evaluateRoot, frameOfPose, frameQuaternion } from '../rod.ts';
import { adoptState, type StepResult, stepStrand } from '../step.ts';
import { DeviceLostError, type GpuCaller } from './caller.ts';
import { readDeviceContacts, writeDeviceContacts } from './deviceContacts.ts';
import { createDeviceGroup, type DeviceGroup, unpackStates } from './deviceGroup.ts';
import { divideStrands, type Membership } from './membership.ts';
import type { PairOptions } from './parts.ts';

/** Strands on the device, and those that the reference moves. */
export interface DeviceBatch {
  readonly caller: GpuCaller;
  /** Number of the bundle on the device. */
  readonly number: number;
  readonly reference: BatchBundle;
  membership: Membership;
  groups: readonly DeviceGroup[];
  /** Strands that the reference moves, and their indices in the bundle. */
  others: readonly BatchRod[];
  /** Obstacles, if contact is merged and the world has passed them; and the contact report of the last step. */
  solids: SolidScene | undefined;
  readonly report: OwnContactReport;
  /** Number of loads and grips set from outside when strands were last divided. */
  overrides: number;
  /** True if the copy has changed since it was sent to the device. */
  isChanged: boolean;
  isLost: boolean;
  /** Steps that the device has taken since its state was read, and the length of the step before them [s]. */
  readonly unread: StepRequest[];
  lengthBeforeUnread: number;
  /** Warnings for the user. */
  remarks: string[];
}

let bundleCount = 0;

export function countOverrides({ strands }: BatchBundle): number {
  return strands.reduce((sum, { drive }) => sum + (drive.overrides ?? 0), 0);
}

/** Called after the copy has changed: divides the strands between device and reference by their current pins. */
export function divide(batch: DeviceBatch): void {
  const { caller, number, reference } = batch;
  batch.overrides = countOverrides(reference);
  batch.isChanged = true;
  // with merged contact, strands are sent to the device only when the obstacles are known
  if (batch.isLost || (reference.isMerged && !batch.solids)) return;
  const obstacles = batch.solids?.count ?? 0;
  const membership = divideStrands(reference.strands, { obstacles, looseRoots: caller.movesLooseRoots });
  if (isSame(membership, batch.membership)) return;
  if (batch.solids?.pairs) refuseDivided(membership, batch);
  const contacts = listContacts(batch);
  batch.membership = membership;
  batch.others = batch.membership.others.map(({ rod }) => reference.strands[rod]);
  batch.groups = batch.membership.groups.map((members) =>
    createDeviceGroup(members, reference.strands, {
      obstacles,
      fields: batch.solids?.fields ?? noFields,
      ...describePairs(batch.solids),
    }),
  );
  caller.call({ kind: 'close', bundle: number });
  if (batch.groups.length > 0)
    caller.call({ kind: 'open', bundle: number, groups: batch.groups.map(({ task }) => task) });
  if (batch.solids) restoreContacts(batch, contacts);
}

const noFields = new Float32Array(0);

function describePairs(solids: SolidScene | undefined): { readonly pairs?: PairOptions } {
  if (!solids?.pairs) return {};
  const { friction, self } = solids.pairs;
  return { pairs: { friction, self } };
}

/** Throws SceneError if strands that may touch each other are not all in one group on the device. */
function refuseDivided({ groups, others }: Membership, { reference: { strands }, caller }: DeviceBatch): void {
  const refuse = (rod: number, why: string): never => {
    throw new SceneError(
      ['contact', 'between'],
      `contact between rods ${caller.where} needs all rods there, alike; rod '${strands[rod].rod.id}' ${why}; use solver.der.backend: batch`,
    );
  };
  if (others.length > 0) refuse(others[0].rod, others[0].reason);
  if (groups.length > 1) refuse(groups[1].rods[0], 'has other damping or another number of nodes');
}

/** Contacts of the last step, of strands on the device and of the others; `only`: those of this rod. */
export function listContacts(batch: DeviceBatch, only?: number): OwnContactRow[] {
  const { membership, solids, groups, reference } = batch;
  if (!solids) return [];
  const beside = groups.length === 0 ? reference.strands.map((_, rod) => rod) : membership.others.map(({ rod }) => rod);
  const rows = beside.flatMap((rod) =>
    only === undefined || rod === only ? listRows(reference.strands[rod], rod) : [],
  );
  if (groups.length > 0)
    withoutDevice(batch, () => {
      for (const row of readDeviceContacts({ ...batch, obstacles: solids.count }, only)) rows.push(row);
    });
  return rows.sort((a, b) => a.rod - b.rod || a.edge - b.edge || a.place - b.place);
}

export function restoreContacts(batch: DeviceBatch, rows: readonly OwnContactRow[]): void {
  const { solids, groups, reference } = batch;
  restoreRows(reference.strands, rows);
  if (solids && groups.length > 0) writeDeviceContacts({ ...batch, obstacles: solids.count }, rows);
}

function isSame(a: Membership, b: Membership): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Updates the copy from the device. */
export function readBack(batch: DeviceBatch): void {
  const { unread, caller, number, groups } = batch;
  if (unread.length === 0) return;
  withoutDevice(batch, () => {
    caller.call({ kind: 'read', bundle: number });
    const { t, dt } = unread[unread.length - 1];
    const elapsed = t + dt - unread[0].t;
    for (const group of groups) {
      unpackStates(group);
      for (const one of group.strands) poseStrand(one, t + dt, elapsed);
    }
    unread.length = 0;
  });
}

/** Recomputes the data derived from a strand's state after that was read. `elapsed`: time since it was last read [s]. */
function poseStrand(one: BatchRod, t: number, elapsed: number): void {
  const { strand, samples, acceleration, directorBefore } = one;
  const tangentBefore = samples.edgeTangent.slice();
  directorBefore.set(samples.edgeDirector);
  acceleration.set(strand.slots[RATE]);
  adoptState(one, t);
  measureSpin(one, tangentBefore, elapsed);
}

/** Calls `action`; if that loses the device, the reference repeats the unread steps and moves all strands from then on. */
export function withoutDevice(batch: DeviceBatch, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof DeviceLostError)) throw error;
    repeatUnread(batch, error.message);
    batch.groups = [];
    batch.isLost = true;
    const { device } = batch.caller;
    batch.remarks.push(`${device} was lost (${error.message}); the run continues in double precision on the CPU`);
  }
}

/** Returns the root to its pose at the time `start`, when the copy was read. */
function returnRoot(one: BatchRod, start: number): void {
  const { origin, frame, pose, samples, strand } = one;
  evaluateRoot(one, start);
  if (strand.root.kind === 'free') origin.set(samples.nodePosition.subarray(0, 3));
  else origin.set(pose.position);
  if (strand.root.kind === 'clamped') frame.set(frameOfPose(pose));
  else {
    const [a, b, c] = samples.edgeTangent;
    const [x, y, z] = samples.edgeDirector;
    frame.set(frameQuaternion([a, b, c], [x, y, z]));
  }
}

function repeatUnread(batch: DeviceBatch, why: string): void {
  const { groups, unread, lengthBeforeUnread, membership } = batch;
  if (unread.length === 0) return;
  const start = unread[0].t;
  const rods = membership.groups.flatMap((members) => members.rods);
  for (const [k, one] of groups.flatMap(({ strands }) => strands).entries()) {
    returnRoot(one, start);
    one.history[0] = lengthBeforeUnread;
    adoptState(one, start);
    for (const step of unread) {
      const { ok, reason } = stepReference(batch, one, { ...step, rod: rods[k] });
      if (ok) continue;
      const { t } = step;
      throw new SimulationError(
        one.rod.id,
        t,
        `${batch.caller.device} was lost (${why}), and rod '${one.rod.id}' could not be moved without it: ${reason}`,
        'continue from the last saved state',
      );
    }
  }
  unread.length = 0;
}

/** One step of a strand that is not on the device. */
export function stepReference(
  batch: DeviceBatch,
  one: BatchRod,
  step: StepRequest & { readonly rod: number },
): StepResult {
  const { solids, report, reference } = batch;
  const { t, dt } = step;
  if (!solids) return stepStrand(one, step, reference.options);
  const { ok, reason, iterations, own } = stepAmong(one, step, solids.at(t, dt).map(toObstacle), reference.options);
  addOwnReport(report, own);
  return { ok, reason, iterations: iterations + 1, iterationsMax: iterations + 1 };
}

export function createDeviceBatch(caller: GpuCaller, reference: BatchBundle): DeviceBatch {
  return {
    caller,
    number: bundleCount++,
    reference,
    membership: { groups: [], others: [] },
    groups: [],
    others: [],
    solids: undefined,
    report: createOwnReport(),
    overrides: 0,
    isChanged: true,
    isLost: false,
    unread: [],
    lengthBeforeUnread: 0,
    remarks: [],
  };
}
