/** The device's thread: serves requests one after the other. Call it with every message that the thread receives. */
import { encodeError, writeText } from '../../threads/failure.ts';
import { readContacts, writeContacts } from './contactTransfer.ts';
import { FINISH, LOOK_FURTHER } from './flags.ts';
import { restingHead, writeObstacles, writeParameters } from './parameters.ts';
import { type BatchPart, createParts, destroyParts, encodeStage, type Parts, type StrandsOptions } from './parts.ts';
import {
  ANSWER,
  type AnswerMemory,
  type GpuMessage,
  type GpuRequest,
  type GroupTask,
  OUTCOME,
  type StageTask,
} from './requests.ts';
import { hasContactOf, ROOT_VECTORS, STRAND_VECTORS } from './shader.ts';
import { STATUS, STATUS_WORDS, startStatus } from './statusShader.ts';
import { type Device, type DeviceBuffer, MAP_READ, USAGE } from './webgpu.ts';

/** Strands with the same number of nodes on the device. */
interface ServedGroup {
  readonly task: GroupTask;
  readonly options: StrandsOptions;
  readonly parts: Parts;
  /** For each part: state at the start of the last step, and buffers from which states and counts are read. */
  readonly kept: readonly DeviceBuffer[];
  readonly keptContacts: readonly DeviceBuffer[];
  readonly keptPairs: readonly DeviceBuffer[];
  readonly staging: readonly DeviceBuffer[];
  readonly counts: readonly DeviceBuffer[];
}

type Step = Extract<GpuRequest, { readonly kind: 'step' }>;

/** Serves requests for a GPU in its own thread. */
export interface GpuServer {
  /** Serves one message; never throws. */
  serve(message: GpuMessage): Promise<void>;
}

/** Creates the server of a GPU device. */
export function createGpuServer(device: Device): GpuServer {
  const bundles = new Map<number, readonly ServedGroup[]>();
  let lost: string | undefined;
  void device.lost?.then(({ message }) => {
    lost = message || 'no reason was given';
  });
  const groupsOf = (bundle: number): readonly ServedGroup[] => {
    const groups = bundles.get(bundle);
    if (!groups) throw new Error(`there are no strands with number ${bundle} on the device`);
    return groups;
  };
  const partsOf = (bundle: number): Parts[] => groupsOf(bundle).map(({ parts }) => parts);
  const act = async (request: GpuRequest, words: Int32Array): Promise<void> => {
    const { bundle } = request;
    if (request.kind === 'open') bundles.set(bundle, await openGroups(device, request.groups));
    else if (request.kind === 'step') await stepGroups(device, groupsOf(bundle), request, words);
    else if (request.kind === 'undo') undoStep(device, groupsOf(bundle));
    else if (request.kind === 'read') await readStates(device, groupsOf(bundle));
    else if (request.kind === 'write') writeStates(device, groupsOf(bundle));
    else if (request.kind === 'readContacts')
      words[ANSWER.rows] = await readContacts(device, partsOf(bundle), new Float32Array(request.rows));
    else if (request.kind === 'writeContacts')
      writeContacts(device, partsOf(bundle), new Float32Array(request.rows), request.count);
    else {
      for (const group of bundles.get(bundle) ?? []) closeGroup(group);
      bundles.delete(bundle);
    }
  };
  let last: Promise<void> = Promise.resolve();
  const answer = async ({ request, answer: memory }: GpuMessage): Promise<void> => {
    const words = new Int32Array(memory.words);
    try {
      if (lost === undefined) await act(request, words);
    } catch (error) {
      if (lost === undefined) {
        finish(memory, OUTCOME.error, error);
        return;
      }
    }
    if (lost === undefined) finish(memory, OUTCOME.done);
    else finish(memory, OUTCOME.lost, new Error(lost));
  };
  return {
    serve(message) {
      last = last.then(() => answer(message));
      return last;
    },
  };
}

function finish(memory: AnswerMemory, outcome: number, error?: unknown): void {
  const words = new Int32Array(memory.words);
  if (error !== undefined) writeText(new Uint16Array(memory.letters), 0, encodeError(error));
  Atomics.store(words, ANSWER.outcome, outcome);
  Atomics.notify(words, ANSWER.outcome);
}

async function openGroups(device: Device, tasks: readonly GroupTask[]): Promise<ServedGroup[]> {
  const groups: ServedGroup[] = [];
  try {
    for (const task of tasks) groups.push(await openGroup(device, task));
  } catch (error) {
    groups.forEach(closeGroup);
    throw error;
  }
  return groups;
}

async function openGroup(device: Device, task: GroupTask): Promise<ServedGroup> {
  const { memory: _, ...described } = task;
  // half precision of the gains would be faster and need more iterations
  const options: StrandsOptions = { ...described, forces: true, gains: 'f32' };
  const parts = await createParts(device, options, 'each');
  device.pushErrorScope('out-of-memory');
  const { COPY_DST, COPY_SRC, MAP_READ: READ } = USAGE;
  const forEachPart = (usage: number, size: (part: BatchPart) => number): DeviceBuffer[] =>
    parts.list.map((part) => device.createBuffer({ size: size(part), usage }));
  const stateBytes = ({ buffers }: BatchPart): number => buffers.states?.size ?? 0;
  const pairBytes = ({ buffers }: BatchPart): number => buffers.pairs?.size ?? 0;
  const contactBytes = ({ buffers }: BatchPart): number => buffers.contacts?.size ?? 0;
  const group: ServedGroup = {
    task,
    options,
    parts,
    kept: forEachPart(COPY_DST | COPY_SRC, stateBytes),
    keptContacts: hasContactOf(parts.shader) ? forEachPart(COPY_DST | COPY_SRC, contactBytes) : [],
    keptPairs: task.pairs ? forEachPart(COPY_DST | COPY_SRC, pairBytes) : [],
    staging: forEachPart(COPY_DST | READ, stateBytes),
    counts: forEachPart(COPY_DST | READ, () => 4 * STATUS_WORDS),
  };
  const error = await device.popErrorScope();
  if (!error) return group;
  closeGroup(group);
  throw new Error(`the device has too little memory for the strands: ${error.message}`);
}

function closeGroup({ parts, kept, keptContacts, keptPairs, staging, counts }: ServedGroup): void {
  destroyParts(parts);
  for (const buffer of [...kept, ...keptContacts, ...keptPairs, ...staging, ...counts]) buffer.destroy();
}

/** Range of bytes to copy: their number, and their offsets in the buffer and in shared memory. */
interface Slice {
  readonly bytes: number;
  readonly offset: number;
  readonly from: number;
}

/** Writes a slice of shared memory, which a queue does not accept directly, to a buffer. */
function upload(device: Device, to: DeviceBuffer | undefined, shared: SharedArrayBuffer, slice: Slice): void {
  if (!to) return;
  const floats = new Float32Array(slice.bytes / 4);
  floats.set(new Float32Array(shared, slice.from, slice.bytes / 4));
  device.queue.writeBuffer(to, slice.offset, floats);
}

/** Visits all parts in order. The rows of a part follow those of the previous one, because parts end with whole blocks. */
function forEachPart({ parts }: ServedGroup, visit: (part: BatchPart, index: number) => void): void {
  parts.list.forEach(visit);
}

async function stepGroups(
  device: Device,
  groups: readonly ServedGroup[],
  step: Step,
  words: Int32Array,
): Promise<void> {
  for (const [g, group] of groups.entries()) {
    copyStates(device, group, 'keep');
    if (group.task.obstacles > 0) writeObstacles(device, group.parts, step.obstacles);
    forEachPart(group, ({ buffers }) => {
      if (buffers.status) device.queue.writeBuffer(buffers.status, 0, startStatus(false));
    });
    step.stages.forEach((task, k) => {
      solveStage(device, group, { ...step, task, k, g });
    });
  }
  const encoder = device.createCommandEncoder();
  for (const group of groups)
    forEachPart(group, ({ buffers }, p) => {
      if (buffers.status) encoder.copyBufferToBuffer(buffers.status, 0, group.counts[p], 0, 4 * STATUS_WORDS);
    });
  device.queue.submit([encoder.finish()]);
  for (const [g, group] of groups.entries())
    for (const counts of group.counts) {
      await counts.mapAsync(MAP_READ);
      addCounts(words, g, new Uint32Array(counts.getMappedRange()).slice());
      counts.unmap();
    }
}

function addCounts(words: Int32Array, group: number, counts: Uint32Array): void {
  // a step in which strands would pass through each other, or move too far for the search, fails and is repeated in halves
  if (counts[STATUS.passed] > 0)
    counts[STATUS.firstFailed] = Math.min(counts[STATUS.firstFailed], counts[STATUS.firstPassed]);
  if (counts[STATUS.overflow] > 0) counts[STATUS.firstFailed] = Math.min(counts[STATUS.firstFailed], 0);
  counts[STATUS.failed] += counts[STATUS.passed] + counts[STATUS.overflow];
  if (counts[STATUS.failed] > 0 && words[ANSWER.failed] === 0) {
    words[ANSWER.firstGroup] = group;
    words[ANSWER.firstStrand] = counts[STATUS.firstFailed];
  }
  // the search keeps only the nearest edges, so contacts with others are not solved
  if (counts[STATUS.crowded] > 0 && counts[STATUS.unsettled] === 0) {
    counts[STATUS.unsettled] = 1;
    counts[STATUS.firstUnsettled] = 0;
  }
  if (counts[STATUS.unsettled] > 0 && words[ANSWER.unsettled] === 0) {
    words[ANSWER.unsettledGroup] = group;
    words[ANSWER.unsettledStrand] = counts[STATUS.firstUnsettled];
  }
  for (const name of ['failed', 'iterations', 'loaded', 'unsettled'] as const)
    words[ANSWER[name]] += counts[STATUS[name]];
  for (const name of ['iterationsMax', 'contactIterations', 'overlap', 'error'] as const)
    words[ANSWER[name]] = Math.max(words[ANSWER[name]], counts[STATUS[name]]);
}

function solveStage(
  device: Device,
  group: ServedGroup,
  step: Step & { readonly task: StageTask; readonly k: number; readonly g: number },
): void {
  const { task, k, g, iterations, tolerance, contact } = step;
  const { memory } = group.task;
  let forceOffset = 0;
  forEachPart(group, (part) => {
    const { buffers } = part;
    const roots = {
      bytes: 16 * ROOT_VECTORS * part.count,
      offset: 16 * STRAND_VECTORS * part.count,
      from: 16 * ROOT_VECTORS * part.first,
    };
    const bytes = buffers.forces?.size ?? 0;
    if (task.hasNewRoots[g]) upload(device, buffers.strands, memory.roots[k], roots);
    if (task.hasNewForces[g]) upload(device, buffers.forces, memory.forces[k], { bytes, offset: 0, from: forceOffset });
    forceOffset += bytes;
    writeParameters(device, part, group.options, {
      stage: task.stage,
      now: restingHead,
      last: restingHead,
      start: restingHead,
      flags: (task.isLast ? FINISH : 0) | LOOK_FURTHER,
      iterations,
      tolerance,
      contact,
      air: task.air[g],
    });
  });
  const encoder = device.createCommandEncoder();
  encodeStage(encoder, group.parts);
  device.queue.submit([encoder.finish()]);
}

function copyStates(device: Device, group: ServedGroup, way: 'keep' | 'undo' | 'stage'): void {
  const encoder = device.createCommandEncoder();
  forEachPart(group, ({ buffers }, p) => {
    const { states } = buffers;
    if (!states) return;
    const [from, to] =
      way === 'keep' ? [states, group.kept[p]] : way === 'undo' ? [group.kept[p], states] : [states, group.staging[p]];
    encoder.copyBufferToBuffer(from, 0, to, 0, states.size);
    if (buffers.pairs && way !== 'stage') {
      const [source, copy] = way === 'keep' ? [buffers.pairs, group.keptPairs[p]] : [group.keptPairs[p], buffers.pairs];
      encoder.copyBufferToBuffer(source, 0, copy, 0, buffers.pairs.size);
    }
    if (buffers.contacts && way === 'keep')
      encoder.copyBufferToBuffer(buffers.contacts, 0, group.keptContacts[p], 0, buffers.contacts.size);
    if (buffers.contacts && way === 'undo')
      encoder.copyBufferToBuffer(group.keptContacts[p], 0, buffers.contacts, 0, buffers.contacts.size);
  });
  device.queue.submit([encoder.finish()]);
}

function undoStep(device: Device, groups: readonly ServedGroup[]): void {
  for (const group of groups) copyStates(device, group, 'undo');
}

async function readStates(device: Device, groups: readonly ServedGroup[]): Promise<void> {
  for (const group of groups) copyStates(device, group, 'stage');
  for (const { staging, task } of groups) {
    const to = new Float32Array(task.memory.states);
    let offset = 0;
    for (const buffer of staging) {
      await buffer.mapAsync(MAP_READ);
      to.set(new Float32Array(buffer.getMappedRange()), offset);
      buffer.unmap();
      offset += buffer.size / 4;
    }
  }
}

function writeStates(device: Device, groups: readonly ServedGroup[]): void {
  for (const group of groups) {
    let offset = 0;
    forEachPart(group, ({ buffers: { states } }) => {
      const bytes = states?.size ?? 0;
      upload(device, states, group.task.memory.states, { bytes, offset: 0, from: offset });
      offset += bytes;
    });
  }
}
