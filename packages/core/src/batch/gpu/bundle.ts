/**
 * A bundle whose strands a device moves. The reference keeps a copy of their state in double precision, which `readBack` brings up to
 * date; nobody else sees more than the copy. Strands that the device cannot move are moved by the reference.
 *
 * If the device is lost, the run goes on from the copy: the reference repeats the steps since it was read.
 */
import { SimulationError } from '../../errors.ts';
import type { Bundle, StepOutcome } from '../../model.ts';
import { RATE } from '../layout.ts';
import type { BatchBundle } from '../model.ts';
import { measureSpin } from '../pose.ts';
import { readChannel } from '../readouts.ts';
import { type BatchRod, evaluateRoot, frameOfPose } from '../rod.ts';
import { adoptState, listStages, stepStrand } from '../step.ts';
import { DeviceLostError, type GpuCaller, type StepAnswer } from './caller.ts';
import {
  createDeviceGroup,
  type DeviceGroup,
  keepFrames,
  moveOrigins,
  packStates,
  revertFrames,
  unpackStates,
  writeForces,
  writeRoots,
} from './deviceGroup.ts';
import { divideStrands, type Membership } from './membership.ts';
import type { StageTask } from './requests.ts';

/** Newton stops once no edge turns by more than this [rad]: what single precision resolves. */
const TOLERANCE = 1e-5;

interface UnreadStep {
  readonly t: number;
  readonly dt: number;
  readonly robust: boolean;
}

/** Strands on the device and beside it. */
interface DeviceBatch {
  readonly caller: GpuCaller;
  /** Number of the bundle on the device. */
  readonly number: number;
  readonly reference: BatchBundle;
  membership: Membership;
  groups: readonly DeviceGroup[];
  /** Strands that the reference moves. */
  others: readonly BatchRod[];
  /** Loads and grips by hand when strands were last divided. */
  overrides: number;
  /** Whether the copy has changed since the device got it. */
  isChanged: boolean;
  isLost: boolean;
  /** Steps that the device has taken since its state was read, and the length of the step before them [s]. */
  readonly unread: UnreadStep[];
  lengthBeforeUnread: number;
  /** To be told to the user. */
  remarks: string[];
}

let bundleCount = 0;

function countOverrides({ strands }: BatchBundle): number {
  return strands.reduce((sum, { drive }) => sum + (drive.overrides ?? 0), 0);
}

/** The copy has changed. Divides the strands, as they are held now, between device and reference. */
function divide(batch: DeviceBatch): void {
  const { caller, number, reference } = batch;
  batch.overrides = countOverrides(reference);
  batch.isChanged = true;
  if (batch.isLost) return;
  const membership = divideStrands(reference.strands);
  if (isSame(membership, batch.membership)) return;
  batch.membership = membership;
  batch.others = batch.membership.others.map(({ rod }) => reference.strands[rod]);
  batch.groups = batch.membership.groups.map((members) => createDeviceGroup(members, reference.strands));
  caller.call({ kind: 'close', bundle: number });
  if (batch.groups.length > 0)
    caller.call({ kind: 'open', bundle: number, groups: batch.groups.map(({ task }) => task) });
}

function isSame(a: Membership, b: Membership): boolean {
  return JSON.stringify(a.groups) === JSON.stringify(b.groups);
}

/** Brings the copy up to date. */
function readBack(batch: DeviceBatch): void {
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

/** What follows from a strand's state that was read. `elapsed`: since it was read last [s]. */
function poseStrand(one: BatchRod, t: number, elapsed: number): void {
  const { strand, samples, acceleration, directorBefore } = one;
  const tangentBefore = samples.edgeTangent.slice();
  directorBefore.set(samples.edgeDirector);
  acceleration.set(strand.slots[RATE]);
  adoptState(one, t);
  measureSpin(one, tangentBefore, elapsed);
}

/** Calls `action`; if the device is lost in it, the reference repeats what is unread and has all strands from then on. */
function withoutDevice(batch: DeviceBatch, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof DeviceLostError)) throw error;
    repeatUnread(batch, error.message);
    batch.groups = [];
    batch.isLost = true;
    batch.remarks.push(`the GPU was lost (${error.message}); the run goes on in double precision on the CPU`);
  }
}

function repeatUnread({ groups, unread, lengthBeforeUnread, reference }: DeviceBatch, why: string): void {
  if (unread.length === 0) return;
  const start = unread[0].t;
  for (const one of groups.flatMap(({ strands }) => strands)) {
    evaluateRoot(one, start);
    one.origin.set(one.pose.position);
    one.frame.set(frameOfPose(one.pose));
    one.history[0] = lengthBeforeUnread;
    adoptState(one, start);
    for (const { t, dt, robust } of unread) {
      const { ok, reason } = stepStrand(one, t, dt, reference.options, robust);
      if (ok) continue;
      throw new SimulationError(
        one.rod.id,
        t,
        `the GPU was lost (${why}), and rod '${one.rod.id}' could not be moved without it: ${reason}`,
        'go on from the last state that was saved',
      );
    }
  }
  unread.length = 0;
}

/** One step of the strands on the device; if some fail, all stay where they were. */
function stepDevice(batch: DeviceBatch, step: UnreadStep): StepAnswer {
  const { caller, number, groups, reference, unread } = batch;
  const { t, dt, robust } = step;
  const { scheme, iterations } = reference.options;
  if (batch.isChanged) {
    groups.forEach(packStates);
    caller.call({ kind: 'write', bundle: number });
    batch.isChanged = false;
  }
  const lengthBefore = groups[0].strands[0].history[0];
  const stages = listStages(scheme, dt, lengthBefore, robust);
  groups.forEach(keepFrames);
  const tasks = stages.map(({ stage, part }, k): StageTask => {
    const end = t + part * dt;
    const hasNewRoots = groups.map((group) => writeRoots(group, k, end));
    const hasNewForces = groups.map((group) => writeForces(group, k, end));
    return { stage, isLast: k === stages.length - 1, hasNewRoots, hasNewForces };
  });
  const answer = caller.call({ kind: 'step', bundle: number, stages: tasks, iterations, tolerance: TOLERANCE });
  if (answer.failed > 0) {
    caller.call({ kind: 'undo', bundle: number });
    groups.forEach(revertFrames);
    return answer;
  }
  if (unread.length === 0) batch.lengthBeforeUnread = lengthBefore;
  unread.push(step);
  for (const group of groups) moveOrigins(group, dt);
  return answer;
}

/** All that a step changes of a strand. */
function copyStrand({ origin, frame, history, acceleration, strand }: BatchRod): Float64Array[] {
  return [origin, frame, history, acceleration, ...strand.slots].map((part) => part.slice());
}

function restoreStrand(one: BatchRod, copy: readonly Float64Array[], t: number): void {
  [one.origin, one.frame, one.history, one.acceleration, ...one.strand.slots].forEach((part, k) => {
    part.set(copy[k]);
  });
  adoptState(one, t);
}

/** One step of the strands beside the device. */
function stepOthers({ others, reference }: DeviceBatch, { t, dt, robust }: UnreadStep): StepOutcome {
  const total = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0 };
  for (const one of others) {
    const step = stepStrand(one, t, dt, reference.options, robust);
    total.iterations += step.iterations;
    total.iterationsMax = Math.max(total.iterationsMax, step.iterationsMax);
    if (!step.ok) return { ...total, ok: false, failure: { rod: one.rod.id, reason: step.reason } };
  }
  return total;
}

function advance(batch: DeviceBatch, step: UnreadStep): StepOutcome {
  const { reference, others } = batch;
  const { t, dt, robust } = step;
  if (batch.groups.length === 0) return reference.bundle.advance(t, dt, robust);
  const copies = others.map(copyStrand);
  const restoreOthers = (): void => {
    for (let k = 0; k < others.length; k++) restoreStrand(others[k], copies[k], t);
  };
  const rest = stepOthers(batch, step);
  if (!rest.ok) {
    restoreOthers();
    return rest;
  }
  let answer: StepAnswer | undefined;
  const { groups } = batch;
  withoutDevice(batch, () => {
    answer = stepDevice(batch, step);
  });
  if (!answer) {
    groups.forEach(revertFrames);
    restoreOthers();
    return reference.bundle.advance(t, dt, robust);
  }
  const iterations = rest.iterations + answer.iterations;
  const iterationsMax = Math.max(rest.iterationsMax, answer.iterationsMax);
  if (answer.failed === 0) return { ok: true, iterations, iterationsMax, shifts: 0 };
  restoreOthers();
  const more = answer.failed > 1 ? `, nor did ${answer.failed - 1} others` : '';
  return {
    ok: false,
    iterations,
    iterationsMax,
    shifts: 0,
    failure: {
      rod: groups[answer.firstGroup].strands[answer.firstStrand].rod.id,
      reason: `it did not converge in ${reference.options.iterations} iterations on the GPU, or a joint bends by more than 168°${more}`,
    },
  };
}

function createDeviceBatch(caller: GpuCaller, reference: BatchBundle): DeviceBatch {
  return {
    caller,
    number: bundleCount++,
    reference,
    membership: { groups: [], others: [] },
    groups: [],
    others: [],
    overrides: 0,
    isChanged: true,
    isLost: false,
    unread: [],
    lengthBeforeUnread: 0,
    remarks: [],
  };
}

/** What reads the state; `now`: its time. */
function createReadings(
  batch: DeviceBatch,
  now: () => number,
): Pick<Bundle, 'addEnergies' | 'addMomentum' | 'readChannel' | 'reactions'> {
  const { bundle: inner, strands } = batch.reference;
  return {
    addEnergies(out, t) {
      readBack(batch);
      inner.addEnergies(out, t);
    },
    addMomentum(out) {
      readBack(batch);
      inner.addMomentum(out);
    },
    readChannel(out, rod, channel) {
      readBack(batch);
      readChannel(out, strands[rod], channel, now());
    },
    reactions(rod, t) {
      readBack(batch);
      return inner.reactions(rod, t);
    },
  };
}

/** `explain`: remarks on who moves what. Throws what it throws, and what the device says if it refuses the strands. */
export function createDeviceBundle(
  caller: GpuCaller,
  reference: BatchBundle,
  explain: (membership: Membership) => readonly string[],
): Bundle {
  const { bundle: inner } = reference;
  const batch = createDeviceBatch(caller, reference);
  divide(batch);
  let now = 0;
  const divideAgain = (): void => withoutDevice(batch, () => divide(batch));
  return {
    ...inner,
    contact: undefined,
    get state() {
      readBack(batch);
      return inner.state;
    },
    warnings: [...(inner.warnings ?? []), ...explain(batch.membership)],
    takeRemarks: () => batch.remarks.splice(0),
    readBack: () => readBack(batch),
    refresh(t) {
      now = t;
      batch.unread.length = 0;
      inner.refresh(t);
      divideAgain();
    },
    restart(t) {
      readBack(batch);
      inner.restart(t);
      divideAgain();
    },
    advance(t, dt, robust) {
      if (countOverrides(reference) !== batch.overrides) {
        readBack(batch);
        divideAgain();
      }
      const outcome = advance(batch, { t, dt, robust });
      now = outcome.ok ? t + dt : t;
      return outcome;
    },
    equilibrate(rod, t, options) {
      now = t;
      readBack(batch);
      batch.isChanged = true;
      return inner.equilibrate(rod, t, options);
    },
    ...createReadings(batch, () => now),
  };
}
