/** Blocks of strands within a step: the operations that all kinds of steps share, and their contributions to the answer. */
import type { StepAnswer } from '../gpu/caller.ts';
import type { GpuRequest } from '../gpu/requests.ts';
import { headFields, vectorsBefore } from './description.ts';
import { indexOf, isDamped, type LaneArray, type LaneMemory, putForces, putRoots, WIDTH } from './memory.ts';

/** Offsets of the results of contact in the head of a block, in vectors. */
const [OVERLAP, ITERATIONS, LOADED, CHANGE, MOVES] = ['overlap', 'iterations', 'loaded', 'change', 'moves'].map(
  (name) => vectorsBefore(headFields, name),
);

export type Step = Extract<GpuRequest, { readonly kind: 'step' }>;
export type MutableAnswer = { -readonly [Name in keyof StepAnswer]: StepAnswer[Name] };

export function emptyAnswer(): MutableAnswer {
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

const precedes = (group: number, strand: number, otherGroup: number, otherStrand: number): boolean =>
  group < otherGroup || (group === otherGroup && strand < otherStrand);

/** The answer of two parts of a device together. */
export function combineAnswers(a: StepAnswer, b: StepAnswer): StepAnswer {
  const failure =
    b.failed === 0 || (a.failed > 0 && precedes(a.firstGroup, a.firstStrand, b.firstGroup, b.firstStrand)) ? a : b;
  const isBefore = precedes(a.unsettledGroup, a.unsettledStrand, b.unsettledGroup, b.unsettledStrand);
  const unsettled = b.unsettled === 0 || (a.unsettled > 0 && isBefore) ? a : b;
  return {
    failed: a.failed + b.failed,
    firstGroup: failure.firstGroup,
    firstStrand: failure.firstStrand,
    iterationsMax: Math.max(a.iterationsMax, b.iterationsMax),
    iterations: a.iterations + b.iterations,
    loaded: a.loaded + b.loaded,
    overlap: Math.max(a.overlap, b.overlap),
    contactIterations: Math.max(a.contactIterations, b.contactIterations),
    error: Math.max(a.error, b.error),
    unsettled: a.unsettled + b.unsettled,
    unsettledGroup: unsettled.unsettledGroup,
    unsettledStrand: unsettled.unsettledStrand,
    rows: a.rows + b.rows,
  };
}

/** A block; `first`: number of the first strand of its group here, among all. */
export interface Place {
  readonly group: number;
  readonly block: number;
  readonly first: number;
}

/** Counts the strands of a block that failed: bits of lanes. */
export function countFailures(answer: MutableAnswer, { group, block, first }: Place, bits: number): void {
  for (let lane = 0; lane < WIDTH; lane++) {
    if (((bits >> lane) & 1) === 0) continue;
    if (answer.failed === 0) [answer.firstGroup, answer.firstStrand] = [group, first + WIDTH * block + lane];
    answer.failed++;
  }
}

/** Adds the results of contact in the head of a block to the answer. */
export function reportContact(
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

/** Address of a block's part of an array. */
export function addressOf(array: LaneArray, block: number): number {
  return array.first + block * array.bytes;
}

/** Selects the block for the next calls of kernels. */
export function openBlock(memory: LaneMemory, block: number): void {
  const { state, nodes, head, contacts, task, kernels } = memory;
  kernels.openBlock(
    addressOf(state, block),
    addressOf(nodes, block),
    addressOf(head, block),
    memory.work,
    task.nodes - 1,
    addressOf(contacts, block),
    memory.obstacles,
    Number(isDamped(task)),
  );
}

/** Copies the shorter of two arrays' parts of a block. */
function copyBlock(floats: Float32Array, from: LaneArray, to: LaneArray, block: number): void {
  const [source, target] = [addressOf(from, block), addressOf(to, block)];
  floats.copyWithin(target / 4, source / 4, (source + Math.min(from.bytes, to.bytes)) / 4);
}

/** Saves the state of a block at the start of a step. */
export function keepBlock({ floats, state, kept, contacts, keptContacts, task }: LaneMemory, block: number): void {
  copyBlock(floats, state, kept, block);
  if (task.obstacles > 0) copyBlock(floats, contacts, keptContacts, block);
}

/** Restores the saved state of all blocks. */
export function undoStep({ floats, state, kept, contacts, keptContacts, blocks }: LaneMemory): void {
  for (let block = 0; block < blocks; block++) {
    copyBlock(floats, kept, state, block);
    copyBlock(floats, keptContacts, contacts, block);
  }
}

/** Roots and forces of stage k. */
export function putInputs(memory: LaneMemory, { stages }: Step, k: number, { group, block }: Place): void {
  if (stages[k].hasNewRoots[group]) putRoots(memory, k, block);
  if (stages[k].hasNewForces[group]) putForces(memory, k, block);
}

/** Counts the results of a kernel for the lanes of a block. Returns the lanes that are in contact, as bits. */
export function countStage(answer: MutableAnswer, place: Place, code: number, lanes: number): number {
  const used = code & 0xffff;
  const pressing = (code >> 20) & 15;
  for (let lane = 0; lane < WIDTH; lane++) if ((((lanes & ~pressing) >> lane) & 1) === 1) answer.iterations += used;
  answer.iterationsMax = Math.max(answer.iterationsMax, used);
  countFailures(answer, place, (code >> 16) & lanes);
  return pressing;
}

/** Lanes of a block that have a strand of their own, as bits. */
export function lanesOf({ task }: LaneMemory, block: number): number {
  return (1 << Math.min(WIDTH, task.strands.length - WIDTH * block)) - 1;
}
