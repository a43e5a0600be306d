/**
 * The SIMD kernels as a device that moves strands: serves the same requests as the thread that has a GPU (gpu/requests.ts), but at once and in
 * the thread that calls it.
 */

import { pressedStage } from '../contactSweeps.ts';
import type { GpuCaller, StepAnswer } from '../gpu/caller.ts';
import type { GpuRequest } from '../gpu/requests.ts';
import { type Stage, stageFields } from '../layout.ts';
import type { Obstacle } from '../obstacles.ts';
import { readRows, writeRows } from './contacts.ts';
import { headFields, obstacleFields, vectorsBefore } from './description.ts';
import {
  firstOf,
  getStates,
  indexOf,
  type LaneArray,
  type LaneMemory,
  OBSTACLE_FLOATS,
  openMemory,
  putForces,
  putRoots,
  putStates,
  type SimdModule,
  takeRootMoves,
  WIDTH,
} from './memory.ts';

/** Vectors before results of contact in the head of a block. */
const [OVERLAP, ITERATIONS, LOADED, CHANGE, MOVES] = ['overlap', 'iterations', 'loaded', 'change', 'moves'].map(
  (name) => vectorsBefore(headFields, name),
);

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

/** Parameters of the step's stages, and obstacles. */
function putStep(memory: LaneMemory, { stages, contact, obstacles }: Step): void {
  const { floats, parameters, task } = memory;
  const put = (stage: Stage, at: number): void => {
    const numbers = stageFields.map((name) => stage[name]);
    floats.set([...numbers, task.massDamping, task.stiffnessDamping, contact.dt], at / 4);
    const integers = [task.obstacles, 0, 0, 0, 0, Number(task.root === 'free')];
    new Int32Array(floats.buffer).set(integers, at / 4 + numbers.length + 3);
  };
  stages.forEach(({ stage }, k) => {
    put(stage, parameters[k]);
  });
  if (task.obstacles === 0) return;
  put(pressedStage(contact.dt), parameters[2]);
  obstacles.forEach((one, k) => {
    const at = memory.obstacles / 4 + k * OBSTACLE_FLOATS;
    new Int32Array(floats.buffer)[at] = one.kind;
    floats.set(
      obstacleFields.flatMap(([name]) => one[name as Exclude<keyof Obstacle, 'kind'>]),
      at + 2,
    );
  });
}

/** A block; `first`: number of the first strand of its group here, among all. */
interface Place {
  readonly group: number;
  readonly block: number;
  readonly first: number;
}

/** Counts the strands of a block that failed: bits of lanes. */
function countFailures(answer: MutableAnswer, { group, block, first }: Place, bits: number, count: number): void {
  for (let lane = 0; lane < count; lane++) {
    if (((bits >> lane) & 1) === 0) continue;
    if (answer.failed === 0) [answer.firstGroup, answer.firstStrand] = [group, first + WIDTH * block + lane];
    answer.failed++;
  }
}

/** What the iterations of contact left in the head of a block. */
function reportContact(
  memory: LaneMemory,
  answer: MutableAnswer,
  { group, block, first }: Place,
  pressing: number,
): void {
  const { floats, head, task } = memory;
  const integers = new Int32Array(floats.buffer);
  for (let lane = 0; lane < WIDTH; lane++) {
    const s = WIDTH * block + lane;
    if (s >= task.strands.length) return;
    const at = (vectors: number): number => indexOf(head, s, vectors);
    answer.overlap = Math.max(answer.overlap, floats[at(OVERLAP)]);
    if (((pressing >> lane) & 1) === 0) continue;
    const iterations = floats[at(ITERATIONS)] + 1;
    answer.iterations += iterations;
    answer.iterationsMax = Math.max(answer.iterationsMax, iterations);
    answer.contactIterations = Math.max(answer.contactIterations, iterations - 1);
    answer.loaded += floats[at(LOADED)];
    answer.error = Math.max(answer.error, Math.fround(Math.sqrt(floats[at(CHANGE)])));
    if (integers[at(MOVES)] === 0) continue;
    if (answer.unsettled === 0) [answer.unsettledGroup, answer.unsettledStrand] = [group, first + s];
    answer.unsettled++;
  }
}

/** All stages of the step for one block, while it is in the cache. */
function stepBlock(memory: LaneMemory, step: Step, place: Place, answer: MutableAnswer): void {
  const { floats, state, kept, contacts, keptContacts, nodes, head, parameters, task, kernels } = memory;
  const { group, block } = place;
  const at = (array: LaneArray): number => array.first + block * array.bytes;
  const keep = (from: LaneArray, to: LaneArray): void => {
    floats.copyWithin(at(to) / 4, at(from) / 4, (at(from) + from.bytes) / 4);
  };
  keep(state, kept);
  if (task.obstacles > 0) keep(contacts, keptContacts);
  const damped = Number(task.massDamping > 0 || task.stiffnessDamping > 0);
  const count = Math.min(WIDTH, task.strands.length - WIDTH * block);
  kernels.openBlock(
    at(state),
    at(nodes),
    at(head),
    memory.work,
    task.nodes - 1,
    at(contacts),
    memory.obstacles,
    damped,
  );
  step.stages.forEach(({ hasNewRoots, hasNewForces, isLast }, k) => {
    if (hasNewRoots[group]) putRoots(memory, k, block);
    if (hasNewForces[group]) putForces(memory, k, block);
    const { iterations, tolerance } = step;
    const code =
      task.obstacles > 0
        ? kernels.advanceInContact(
            parameters[k],
            parameters[2],
            at(kept),
            iterations,
            tolerance,
            step.contact.iterations,
          )
        : kernels.advance(parameters[k], Number(isLast), iterations, tolerance);
    const used = code & 0xffff;
    const pressing = (code >> 20) & 15;
    for (let lane = 0; lane < count; lane++) if (((pressing >> lane) & 1) === 0) answer.iterations += used;
    answer.iterationsMax = Math.max(answer.iterationsMax, used);
    countFailures(answer, place, (code >> 16) & 15, count);
    if (task.obstacles > 0) reportContact(memory, answer, place, pressing);
  });
}

function stepGroups(groups: readonly LaneMemory[], step: Step, answer: MutableAnswer): void {
  groups.forEach((memory, group) => {
    putStep(memory, step);
    const first = firstOf(memory.task);
    for (let block = 0; block < memory.blocks; block++) stepBlock(memory, step, { group, block, first }, answer);
  });
  if (answer.failed === 0) groups.forEach(takeRootMoves);
}

function undoStep({ floats, state, kept, contacts, keptContacts, blocks }: LaneMemory): void {
  const restore = (from: LaneArray, to: LaneArray): void => {
    floats.copyWithin(to.first / 4, from.first / 4, (from.first + blocks * from.bytes) / 4);
  };
  restore(kept, state);
  restore(keptContacts, contacts);
}

/** A device in the caller's thread: it never waits and is never lost. */
export function createSimdDevice(module: SimdModule): GpuCaller {
  const bundles = new Map<number, readonly LaneMemory[]>();
  const groupsOf = (bundle: number): readonly LaneMemory[] => bundles.get(bundle) ?? [];
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
          request.groups.map((task) => openMemory(module, task)),
        );
      else if (kind === 'step') stepGroups(groupsOf(bundle), request, answer);
      else if (kind === 'undo') groupsOf(bundle).forEach(undoStep);
      else if (kind === 'read') groupsOf(bundle).forEach(getStates);
      else if (kind === 'write') groupsOf(bundle).forEach(putStates);
      else if (kind === 'close') bundles.delete(bundle);
      else if (kind === 'readContacts') answer.rows = readRows(groupsOf(bundle), new Float32Array(request.rows));
      else writeRows(groupsOf(bundle), new Float32Array(request.rows), request.count);
      return answer;
    },
  };
}
