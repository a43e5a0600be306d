/** What the device's thread does: serves requests one after the other. Call it with every message that the thread gets. */
import { encodeError, writeText } from '../../threads/failure.ts';
import {
  createParts,
  destroyParts,
  encodeStage,
  type Part,
  type Parts,
  restingHead,
  type StrandsOptions,
  writeParameters,
} from './parts.ts';
import {
  ANSWER,
  type AnswerMemory,
  type GpuMessage,
  type GpuRequest,
  type GroupTask,
  OUTCOME,
  type StageTask,
} from './requests.ts';
import { FINISH, ROOT_VECTORS, STATUS_WORDS } from './shader.ts';
import { type Device, type DeviceBuffer, MAP_READ, USAGE } from './webgpu.ts';

/** Strands with the same number of nodes on the device. */
interface Group {
  readonly task: GroupTask;
  readonly options: StrandsOptions;
  readonly parts: Parts;
  /** State at the start of the last step, and where states and counts are read from; one each per part. */
  readonly kept: readonly DeviceBuffer[];
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
  const bundles = new Map<number, readonly Group[]>();
  let lost: string | undefined;
  void device.lost?.then(({ message }) => {
    lost = message || 'no reason was given';
  });
  const groupsOf = (bundle: number): readonly Group[] => {
    const groups = bundles.get(bundle);
    if (!groups) throw new Error(`there are no strands with number ${bundle} on the device`);
    return groups;
  };
  const act = async (request: GpuRequest, words: Int32Array): Promise<void> => {
    const { bundle } = request;
    if (request.kind === 'open') bundles.set(bundle, await openGroups(device, request.groups));
    else if (request.kind === 'step') await stepGroups(device, groupsOf(bundle), request, words);
    else if (request.kind === 'undo') undoStep(device, groupsOf(bundle));
    else if (request.kind === 'read') await readStates(device, groupsOf(bundle));
    else if (request.kind === 'write') writeStates(device, groupsOf(bundle));
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

async function openGroups(device: Device, tasks: readonly GroupTask[]): Promise<Group[]> {
  const groups: Group[] = [];
  try {
    for (const task of tasks) groups.push(await openGroup(device, task));
  } catch (error) {
    groups.forEach(closeGroup);
    throw error;
  }
  return groups;
}

async function openGroup(device: Device, task: GroupTask): Promise<Group> {
  const { nodes, strands, massDamping, stiffnessDamping } = task;
  // half precision of the gains would be faster and need more iterations
  const options: StrandsOptions = { nodes, strands, massDamping, stiffnessDamping, forces: true, gains: 'f32' };
  const parts = await createParts(device, options, 'each');
  device.pushErrorScope('out-of-memory');
  const { COPY_DST, COPY_SRC, MAP_READ: READ } = USAGE;
  const forEachPart = (usage: number, size: (part: Part) => number): DeviceBuffer[] =>
    parts.list.map((part) => device.createBuffer({ size: size(part), usage }));
  const stateBytes = ({ buffers }: Part): number => buffers.states?.size ?? 0;
  const group: Group = {
    task,
    options,
    parts,
    kept: forEachPart(COPY_DST | COPY_SRC, stateBytes),
    staging: forEachPart(COPY_DST | READ, stateBytes),
    counts: forEachPart(COPY_DST | READ, () => 4 * STATUS_WORDS),
  };
  const error = await device.popErrorScope();
  if (!error) return group;
  closeGroup(group);
  throw new Error(`the device has too little memory for the strands: ${error.message}`);
}

function closeGroup({ parts, kept, staging, counts }: Group): void {
  destroyParts(parts);
  for (const buffer of [...kept, ...staging, ...counts]) buffer.destroy();
}

/** Writes a slice of shared memory, which a queue does not take itself, to a buffer. */
function upload(device: Device, to: DeviceBuffer | undefined, from: SharedArrayBuffer, byteOffset: number): void {
  if (!to) return;
  const floats = new Float32Array(to.size / 4);
  floats.set(new Float32Array(from, byteOffset, to.size / 4));
  device.queue.writeBuffer(to, 0, floats);
}

/** Bytes of a part's rows begin after those of the parts before it: parts end with whole blocks. */
function forEachPart({ parts }: Group, visit: (part: Part, index: number) => void): void {
  parts.list.forEach(visit);
}

async function stepGroups(device: Device, groups: readonly Group[], step: Step, words: Int32Array): Promise<void> {
  for (const [g, group] of groups.entries()) {
    copyStates(device, group, 'keep');
    forEachPart(group, ({ buffers }) => {
      if (buffers.status) device.queue.writeBuffer(buffers.status, 0, new Uint32Array([0, 0xffffffff, 0, 0]).buffer);
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
      addCounts(words, g, new Uint32Array(counts.getMappedRange()));
      counts.unmap();
    }
}

function addCounts(words: Int32Array, group: number, [failed, first, most, all]: Uint32Array): void {
  if (failed > 0 && words[ANSWER.failed] === 0) {
    words[ANSWER.firstGroup] = group;
    words[ANSWER.firstStrand] = first;
  }
  words[ANSWER.failed] += failed;
  words[ANSWER.iterationsMax] = Math.max(words[ANSWER.iterationsMax], most);
  words[ANSWER.iterations] += all;
}

function solveStage(
  device: Device,
  group: Group,
  step: Step & { readonly task: StageTask; readonly k: number; readonly g: number },
): void {
  const { task, k, g, iterations, tolerance } = step;
  const { memory } = group.task;
  let forceOffset = 0;
  forEachPart(group, (part) => {
    const { buffers } = part;
    if (task.hasNewRoots[g]) upload(device, buffers.roots, memory.roots[k], 16 * ROOT_VECTORS * part.first);
    if (task.hasNewForces[g]) upload(device, buffers.forces, memory.forces[k], forceOffset);
    forceOffset += buffers.forces?.size ?? 0;
    writeParameters(device, part, group.options, {
      stage: task.stage,
      now: restingHead,
      last: restingHead,
      start: restingHead,
      flags: task.isLast ? FINISH : 0,
      iterations,
      tolerance,
    });
  });
  const encoder = device.createCommandEncoder();
  encodeStage(encoder, group.parts);
  device.queue.submit([encoder.finish()]);
}

function copyStates(device: Device, group: Group, way: 'keep' | 'undo' | 'stage'): void {
  const encoder = device.createCommandEncoder();
  forEachPart(group, ({ buffers: { states } }, p) => {
    if (!states) return;
    const [from, to] =
      way === 'keep' ? [states, group.kept[p]] : way === 'undo' ? [group.kept[p], states] : [states, group.staging[p]];
    encoder.copyBufferToBuffer(from, 0, to, 0, states.size);
  });
  device.queue.submit([encoder.finish()]);
}

function undoStep(device: Device, groups: readonly Group[]): void {
  for (const group of groups) copyStates(device, group, 'undo');
}

async function readStates(device: Device, groups: readonly Group[]): Promise<void> {
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

function writeStates(device: Device, groups: readonly Group[]): void {
  for (const group of groups) {
    let offset = 0;
    forEachPart(group, ({ buffers: { states } }) => {
      upload(device, states, group.task.memory.states, offset);
      offset += states?.size ?? 0;
    });
  }
}
