/**
 * The SIMD kernels as a device that moves strands: serves the same requests as the thread that has a GPU (gpu/requests.ts), but at once and in
 * the caller's thread.
 */
import type { GpuCaller, StepAnswer } from '../gpu/caller.ts';
import type { GpuRequest } from '../gpu/requests.ts';
import { stageFields } from '../layout.ts';
import {
  getStates,
  type LaneMemory,
  openMemory,
  putForces,
  putRoots,
  putStates,
  type SimdModule,
  WIDTH,
} from './memory.ts';

type Step = Extract<GpuRequest, { readonly kind: 'step' }>;
type MutableAnswer = { -readonly [Name in keyof StepAnswer]: StepAnswer[Name] };

function emptyAnswer(): MutableAnswer {
  return {
    failed: 0,
    firstGroup: 0,
    firstStrand: 0,
    iterationsMax: 0,
    iterations: 0,
    loaded: 0,
    overlap: 0,
    contactIterations: 0,
    error: 0,
    unsettled: 0,
    unsettledGroup: 0,
    unsettledStrand: 0,
    rows: 0,
  };
}

function putStages(memory: LaneMemory, { stages }: Step): void {
  const { floats, parameters, task } = memory;
  stages.forEach(({ stage }, k) => {
    const numbers = stageFields.map((name) => stage[name]);
    floats.set([...numbers, task.massDamping, task.stiffnessDamping], parameters[k] / 4);
  });
}

/** All stages of the step for one block, while it is in the cache. */
function stepBlock(
  memory: LaneMemory,
  step: Step,
  place: { readonly group: number; readonly block: number },
  answer: MutableAnswer,
): void {
  const { floats, state, kept, nodes, head, work, parameters, task, advance } = memory;
  const { group, block } = place;
  const at = state.first + block * state.bytes;
  floats.copyWithin((kept.first + block * kept.bytes) / 4, at / 4, (at + state.bytes) / 4);
  const damped = Number(task.massDamping > 0 || task.stiffnessDamping > 0);
  const count = Math.min(WIDTH, task.strands.length - WIDTH * block);
  step.stages.forEach(({ hasNewRoots, hasNewForces, isLast }, k) => {
    if (hasNewRoots[group]) putRoots(memory, k, block);
    if (hasNewForces[group]) putForces(memory, k, block);
    const code = advance(
      at,
      nodes.first + block * nodes.bytes,
      head.first + block * head.bytes,
      work,
      parameters[k],
      task.nodes - 1,
      damped,
      Number(isLast),
      step.iterations,
      step.tolerance,
    );
    const used = code & 0xffff;
    answer.iterations += used * count;
    answer.iterationsMax = Math.max(answer.iterationsMax, used);
    for (let lane = 0; lane < count; lane++) {
      if (((code >> (16 + lane)) & 1) === 0) continue;
      if (answer.failed === 0) [answer.firstGroup, answer.firstStrand] = [group, WIDTH * block + lane];
      answer.failed++;
    }
  });
}

function stepGroups(groups: readonly LaneMemory[], step: Step, answer: MutableAnswer): void {
  groups.forEach((memory, group) => {
    putStages(memory, step);
    for (let block = 0; block < memory.blocks; block++) stepBlock(memory, step, { group, block }, answer);
  });
}

function undoStep({ floats, state, kept, blocks }: LaneMemory): void {
  floats.copyWithin(state.first / 4, kept.first / 4, (kept.first + blocks * kept.bytes) / 4);
}

/** A device that never waits and is never lost. */
export function createSimdDevice(module: SimdModule): GpuCaller {
  const bundles = new Map<number, readonly LaneMemory[]>();
  const groupsOf = (bundle: number): readonly LaneMemory[] => bundles.get(bundle) ?? [];
  return {
    where: 'in single precision',
    call(request) {
      const answer = emptyAnswer();
      const { kind, bundle } = request;
      if (kind === 'open')
        bundles.set(
          bundle,
          request.groups.map((task) => openMemory(module, task)),
        );
      else if (kind === 'step') stepGroups(groupsOf(bundle), request, answer);
      else if (kind === 'undo') groupsOf(bundle).forEach(undoStep);
      else if (kind === 'read') groupsOf(bundle).forEach(getStates);
      else if (kind === 'write') groupsOf(bundle).forEach(putStates);
      else if (kind === 'close') bundles.delete(bundle);
      else throw new Error(`the SIMD kernels have no contact: ${kind}`);
      return answer;
    },
  };
}
