/**
 * The SIMD kernels in several threads: every thread moves a range of blocks of each group, with a device of its own (device.ts). The caller posts a
 * request to all workers, serves its own range meanwhile, and combines the answers. Blocks are the same for any number of threads, and strands of
 * different blocks do not affect each other, so the result has the same bits.
 */
import type { ThreadPort } from '../../threads/options.ts';
import { type DeviceChannel, type GpuCaller, openChannel, type StepAnswer } from '../gpu/caller.ts';
import { CONTACT_ROW, type GpuRequest, type GroupTask } from '../gpu/requests.ts';
import { combineAnswers } from './blocks.ts';
import { createSimdDevice } from './device.ts';
import { type SimdModule, WIDTH } from './memory.ts';

/** Strands below which the caller works alone. */
export const LEAST_STRANDS = 512;

/** Range k of `count` of a group's strands, in whole blocks. */
function sliceTask(task: GroupTask, k: number, count: number): GroupTask {
  const blocks = Math.ceil(task.strands.length / WIDTH);
  const bound = (thread: number): number => WIDTH * Math.floor((blocks * thread) / count);
  const first = bound(k);
  return { ...task, first, strands: task.strands.slice(first, bound(k + 1)) };
}

/** The request for thread k of `count`; its rows of contacts go to separate memory. */
function requestFor(request: GpuRequest, k: number, count: number): GpuRequest {
  if (request.kind === 'open') return { ...request, groups: request.groups.map((task) => sliceTask(task, k, count)) };
  if (request.kind === 'readContacts' && k > 0)
    return { ...request, rows: new SharedArrayBuffer(request.rows.byteLength) };
  return request;
}

/** Appends the rows of the other threads to those of the first. Rows that do not fit are only counted, and the caller must repeat the request. */
function joinRows(requests: readonly GpuRequest[], answers: readonly StepAnswer[]): void {
  const [first] = requests;
  const count = answers.reduce((sum, { rows }) => sum + rows, 0);
  if (first.kind !== 'readContacts' || 4 * CONTACT_ROW * count > first.rows.byteLength) return;
  const to = new Float32Array(first.rows);
  let end = CONTACT_ROW * answers[0].rows;
  requests.slice(1).forEach((request, k) => {
    if (request.kind !== 'readContacts') return;
    const length = CONTACT_ROW * answers[k + 1].rows;
    to.set(new Float32Array(request.rows, 0, length), end);
    end += length;
  });
}

/** Waits for the answers of all workers, also if some throw, and then throws the first error. */
function awaitAll(channels: readonly DeviceChannel[]): StepAnswer[] {
  let fault: { readonly error: unknown } | undefined;
  const answers: StepAnswer[] = [];
  for (const channel of channels)
    try {
      answers.push(channel.wait());
    } catch (error) {
      fault ??= { error };
    }
  if (fault) throw fault.error;
  return answers;
}

/** `leastStrands`: below, the caller works alone. Throws DeviceLostError if a worker has ended. */
export function createThreadedSimdDevice(
  module: SimdModule,
  ports: readonly ThreadPort[],
  leastStrands: number,
): GpuCaller {
  const own = createSimdDevice(module);
  const channels = ports.map((port, k) => openChannel(port, `worker thread ${k + 1} has ended`));
  const shared = new Set<number>();
  return {
    ...own,
    call(request) {
      if (request.kind === 'open') {
        const strands = request.groups.reduce((sum, task) => sum + task.strands.length, 0);
        // a thread has only its own strands, but contact between strands needs all of them
        const meet = request.groups.some(({ pairs }) => pairs);
        if (strands >= leastStrands && !meet) shared.add(request.bundle);
      }
      if (!shared.has(request.bundle)) return own.call(request);
      if (request.kind === 'close') shared.delete(request.bundle);
      const count = 1 + channels.length;
      const requests = Array.from({ length: count }, (_, k) => requestFor(request, k, count));
      channels.forEach((channel, k) => {
        channel.post(requests[k + 1]);
      });
      let first: StepAnswer;
      let others: StepAnswer[] = [];
      try {
        first = own.call(requests[0]);
      } finally {
        others = awaitAll(channels);
      }
      const answers = [first, ...others];
      joinRows(requests, answers);
      return answers.reduce(combineAnswers);
    },
  };
}
