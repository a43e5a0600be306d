/**
 * The SIMD kernels as a device that moves strands: serves the same requests as the thread that has a GPU (gpu/requests.ts), but at once and in
 * the thread that calls it.
 */

import { pressedStage } from '../contactSweeps.ts';
import type { GpuCaller } from '../gpu/caller.ts';
import type { AirNow, GroupTask } from '../gpu/requests.ts';
import { type Stage, stageFields } from '../layout.ts';
import type { Obstacle } from '../obstacles.ts';
import {
  addressOf,
  countStage,
  emptyAnswer,
  keepBlock,
  lanesOf,
  type MutableAnswer,
  openBlock,
  type Place,
  putInputs,
  reportContact,
  type Step,
  undoStep,
} from './blocks.ts';
import { readRows, writeRows } from './contacts.ts';
import { obstacleFields, PAIR_LOADS, parameterFields } from './description.ts';
import {
  firstOf,
  getStates,
  type LaneMemory,
  OBSTACLE_FLOATS,
  openMemory,
  putStates,
  type SimdModule,
  takeRootMoves,
} from './memory.ts';
import { createPairList, type PairList, readPairRows, undoList, writePairRows } from './pairList.ts';
import { stepPairs } from './pairStep.ts';

/** Parameters of the step's stages, and obstacles. */
function putStep(memory: LaneMemory, group: number, { stages, contact, obstacles }: Step): void {
  const { floats, parameters, task } = memory;
  const put = (stage: Stage, air: AirNow, at: number): void => {
    const numbers = stageFields.map((name) => stage[name]);
    floats.set([...numbers, task.massDamping, task.stiffnessDamping, contact.dt, ...air], at / 4);
    const integers = [task.obstacles, 0, 0, 0, 0, Number(task.root === 'free'), task.pairs ? PAIR_LOADS : 0];
    new Int32Array(floats.buffer).set(integers, at / 4 + numbers.length + parameterFields.length);
  };
  stages.forEach(({ stage, air }, k) => {
    put(stage, air[group], parameters[k]);
  });
  if (task.obstacles === 0 && !task.pairs) return;
  put(pressedStage(contact.dt), stages[stages.length - 1].air[group], parameters[2]);
  obstacles.forEach((one, k) => {
    const at = memory.obstacles / 4 + k * OBSTACLE_FLOATS;
    new Int32Array(floats.buffer).set([one.kind, memory.fields / 16 + one.start], at);
    floats.set(
      obstacleFields.flatMap(([name]) => one[name as Exclude<keyof Obstacle, 'kind' | 'start'>]),
      at + 2,
    );
  });
}

/** All stages of the step for one block, while it is in the cache. */
function stepBlock(memory: LaneMemory, step: Step, place: Place, answer: MutableAnswer): void {
  const { kept, parameters, task, kernels } = memory;
  const { block } = place;
  keepBlock(memory, block);
  openBlock(memory, block);
  step.stages.forEach(({ isLast }, k) => {
    putInputs(memory, step, k, place);
    const { iterations, tolerance, contact } = step;
    const [now, pressed] = [parameters[k], parameters[2]];
    const code =
      task.obstacles > 0
        ? kernels.advanceInContact(now, pressed, addressOf(kept, block), iterations, tolerance, contact.iterations)
        : kernels.advance(now, Number(isLast), iterations, tolerance);
    const pressing = countStage(answer, place, code, lanesOf(memory, block));
    if (task.obstacles > 0) reportContact(memory, answer, place, pressing);
  });
}

/** A group of strands, and its pairs if strands may touch strands. */
interface LaneGroup {
  readonly memory: LaneMemory;
  readonly pairs: PairList | undefined;
}

function openGroup(module: SimdModule, task: GroupTask): LaneGroup {
  const memory = openMemory(module, task);
  return { memory, pairs: task.pairs && createPairList(memory) };
}

function stepGroups(groups: readonly LaneGroup[], step: Step, answer: MutableAnswer): void {
  groups.forEach(({ memory, pairs }, group) => {
    putStep(memory, group, step);
    const first = firstOf(memory.task);
    if (pairs) stepPairs(pairs, group, step, answer);
    else for (let block = 0; block < memory.blocks; block++) stepBlock(memory, step, { group, block, first }, answer);
  });
  if (answer.failed === 0) for (const { memory } of groups) takeRootMoves(memory);
}

function undoGroup({ memory, pairs }: LaneGroup): void {
  undoStep(memory);
  if (pairs) undoList(pairs);
}

/** Returns the number of active contacts, which may exceed the capacity of `rows`. */
function readContacts(groups: readonly LaneGroup[], rows: Float32Array): number {
  const memories = groups.map(({ memory }) => memory);
  return groups.reduce(
    (count, { pairs }, group) => (pairs ? readPairRows(pairs, group, rows, count) : count),
    readRows(memories, rows),
  );
}

/** Replaces all contacts. */
function writeContacts(groups: readonly LaneGroup[], rows: Float32Array, count: number): void {
  const memories = groups.map(({ memory }) => memory);
  writeRows(memories, rows, count);
  groups.forEach(({ pairs }, group) => {
    if (pairs) writePairRows(pairs, group, rows, count);
  });
}

/** A device in the caller's thread: it never waits and is never lost. */
export function createSimdDevice(module: SimdModule): GpuCaller {
  const bundles = new Map<number, readonly LaneGroup[]>();
  const groupsOf = (bundle: number): readonly LaneGroup[] => bundles.get(bundle) ?? [];
  const forEach = (bundle: number, act: (memory: LaneMemory) => void): void => {
    for (const { memory } of groupsOf(bundle)) act(memory);
  };
  return {
    where: 'in single precision',
    device: 'a thread of the SIMD kernels',
    movesLooseRoots: true,
    call(request) {
      const answer = emptyAnswer();
      const { kind, bundle } = request;
      if (kind === 'open')
        bundles.set(
          bundle,
          request.groups.map((task) => openGroup(module, task)),
        );
      else if (kind === 'step') stepGroups(groupsOf(bundle), request, answer);
      else if (kind === 'undo') groupsOf(bundle).forEach(undoGroup);
      else if (kind === 'read') forEach(bundle, getStates);
      else if (kind === 'write') forEach(bundle, putStates);
      else if (kind === 'close') bundles.delete(bundle);
      else if (kind === 'readContacts') answer.rows = readContacts(groupsOf(bundle), new Float32Array(request.rows));
      else writeContacts(groupsOf(bundle), new Float32Array(request.rows), request.count);
      return answer;
    },
  };
}
