/**
 * A bundle whose strands a device moves. The reference has a copy of their state in double precision, which `readBack` updates; everything outside this
 * folder sees only the copy. The reference moves the strands that the device cannot move.
 *
 * If the device is lost, the run continues from the copy.
 */
import type { Bundle, StepOutcome } from '../../model.ts';
import type { OwnContact, StepRequest } from '../../port.ts';
import { LEAST_ITERATIONS } from '../layout.ts';
import type { BatchBundle } from '../model.ts';
import { addOwnReport, applyRows, copyContacts, createOwnReport, putContacts, toObstacle } from '../ownContact.ts';
import { readChannel } from '../readouts.ts';
import type { BatchRod } from '../rod.ts';
import { adoptState, listStages } from '../step.ts';
import type { GpuCaller, StepAnswer } from './caller.ts';
import {
  countOverrides,
  createDeviceBatch,
  type DeviceBatch,
  divide,
  listContacts,
  readBack,
  restoreContacts,
  stepReference,
  withoutDevice,
} from './deviceBatch.ts';
import { reportOf } from './deviceContacts.ts';
import { keepFrames, moveOrigins, packStates, readAir, revertFrames, writeForces, writeRoots } from './deviceGroup.ts';
import type { Membership } from './membership.ts';
import type { StageTask } from './requests.ts';

/** Newton stops when no edge turns by more than this [rad], which single precision resolves, or by more than the scene's tolerance. */
const TOLERANCE = 1e-5;

/** One step of the strands on the device; if some fail, all keep their state. */
function stepDevice(batch: DeviceBatch, step: StepRequest): StepAnswer {
  const { caller, number, groups, reference, unread } = batch;
  const { t, dt, robust } = step;
  const { scheme, iterations, tolerance } = reference.options;
  if (batch.isChanged) {
    groups.forEach(packStates);
    caller.call({ kind: 'write', bundle: number });
    batch.isChanged = false;
  }
  const lengthBefore = groups[0].strands[0].history[0];
  const stages = listStages(scheme, { dt, before: lengthBefore, robust });
  groups.forEach(keepFrames);
  const tasks = stages.map(({ stage, part }, k): StageTask => {
    const end = t + part * dt;
    const hasNewRoots = groups.map((group) => writeRoots(group, k, end));
    const hasNewForces = groups.map((group) => writeForces(group, k, end));
    const air = groups.map((group) => readAir(group, end));
    return { stage, isLast: k === stages.length - 1, hasNewRoots, hasNewForces, air };
  });
  const answer = caller.call({
    kind: 'step',
    bundle: number,
    stages: tasks,
    iterations,
    tolerance: Math.max(TOLERANCE, tolerance),
    obstacles: batch.solids?.at(t, dt).map(toObstacle) ?? [],
    contact: { dt, iterations: LEAST_ITERATIONS },
  });
  if (answer.failed > 0) {
    caller.call({ kind: 'undo', bundle: number });
    groups.forEach(revertFrames);
    return answer;
  }
  if (unread.length === 0) batch.lengthBeforeUnread = lengthBefore;
  unread.push(step);
  for (const group of groups) moveOrigins(group, dt);
  addOwnReport(batch.report, reportOf(answer, batch.membership));
  return answer;
}

/** Returns a function that undoes everything that a step from t changes in a strand. */
function keepStrand(one: BatchRod, t: number): () => void {
  const parts = [one.origin, one.frame, one.history, one.acceleration, ...one.strand.slots];
  const copies = parts.map((part) => part.slice());
  const contacts = copyContacts(one);
  return () => {
    parts.forEach((part, k) => {
      part.set(copies[k]);
    });
    putContacts(one, contacts);
    adoptState(one, t);
  };
}

/** One step of the strands that are not on the device. */
function stepOthers(batch: DeviceBatch, step: StepRequest): StepOutcome {
  const total = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0 };
  for (const [k, one] of batch.others.entries()) {
    const result = stepReference(batch, one, { ...step, rod: batch.membership.others[k].rod });
    total.iterations += result.iterations;
    total.iterationsMax = Math.max(total.iterationsMax, result.iterationsMax);
    if (!result.ok) return { ...total, ok: false, failure: { rod: one.rod.id, reason: result.reason } };
  }
  return total;
}

/** One step of all strands without a device. */
function advanceReference({ reference, report }: DeviceBatch, step: StepRequest): StepOutcome {
  const { bundle } = reference;
  const outcome = bundle.advance(step);
  Object.assign(report, bundle.ownContact?.report ?? {});
  return outcome;
}

function advance(batch: DeviceBatch, step: StepRequest): StepOutcome {
  const { reference, others } = batch;
  const { t } = step;
  Object.assign(batch.report, createOwnReport());
  if (batch.groups.length === 0) return advanceReference(batch, step);
  const restores = others.map((one) => keepStrand(one, t));
  const restoreOthers = (): void => {
    for (const restore of restores) restore();
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
    return advanceReference(batch, step);
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
      reason: `it did not converge in ${reference.options.iterations} iterations ${batch.caller.where}, or a joint bends by more than 168°${more}`,
    },
  };
}

/** Functions that read the state. `now`: its time. */
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

/** Contact merged into the strands' own iterations, for strands on the device and those of the reference. */
function createDeviceContact(batch: DeviceBatch, inner: OwnContact): OwnContact {
  const { strands } = batch.reference;
  return {
    name: inner.name,
    report: batch.report,
    open(solids) {
      inner.open(solids);
      batch.solids = solids;
      divide(batch);
    },
    listContacts: (rod) => listContacts(batch, rod),
    restoreContacts: (rows) => withoutDevice(batch, () => restoreContacts(batch, rows)),
    applyForces: () => applyRows(strands, listContacts(batch)),
  };
}

/** `explain`: returns remarks about which rods the device moves. Errors of `explain`, and of a device that rejects the strands, are thrown. */
export function createDeviceBundle(
  caller: GpuCaller,
  reference: BatchBundle,
  explain: (membership: Membership) => readonly string[],
): Bundle {
  const { bundle: inner } = reference;
  const batch = createDeviceBatch(caller, reference);
  divide(batch);
  if (!reference.isMerged) explain(batch.membership);
  let now = 0;
  const divideAgain = (): void => withoutDevice(batch, () => divide(batch));
  return {
    ...inner,
    contact: undefined,
    ...(inner.ownContact && { ownContact: createDeviceContact(batch, inner.ownContact) }),
    get state() {
      readBack(batch);
      return inner.state;
    },
    get warnings() {
      return [...(inner.warnings ?? []), ...explain(batch.membership)];
    },
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
    advance(step) {
      if (countOverrides(reference) !== batch.overrides) {
        readBack(batch);
        divideAgain();
      }
      const outcome = advance(batch, step);
      now = outcome.ok ? step.t + step.dt : step.t;
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
