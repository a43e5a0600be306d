/**
 * A step of strands that may touch each other: coupled.ts with the kernels. Strands that touch strands iterate in lockstep, all pairs and then all blocks;
 * the others step as they do with obstacles alone.
 */

import { SETTLED } from '../contactSweeps.ts';
import { createIslandFinder, islandsOfContacts } from '../islands.ts';
import { LEAST_COUPLED_ITERATIONS, MOST_ITERATIONS } from '../layout.ts';
import { mixIterates } from '../mixing.ts';
import { PASSING } from '../pairSweeps.ts';
import { ATTEMPTS } from '../unexpectedPairs.ts';
import {
  addressOf,
  combineAnswers,
  countFailures,
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
import { addCandidates, findCandidates } from './candidates.ts';
import { firstOf, type LaneMemory, loadsAt } from './memory.ts';
import { type LaneMixing, openMixing } from './mixing.ts';
import { type ListedObstacles, returnObstacles, takeObstacles } from './obstacleList.ts';
import {
  AT,
  addTested,
  beginList,
  type PairList,
  placeOf,
  putTest,
  RECORD,
  testCandidates,
  undoList,
} from './pairList.ts';
import type { Candidates, NodeRows } from './pairMemory.ts';
import { findUnexpected, type UnexpectedPair } from './unexpectedPairs.ts';

/** The step of a group. `coupled`: the strands that touch strands, as bits of the lanes of every block. */
interface CoupledStep {
  readonly list: PairList;
  readonly group: number;
  readonly step: Step;
  readonly answer: MutableAnswer;
  readonly coupled: Uint8Array;
  /** Pairs that meet although nothing predicts it. */
  readonly expected: readonly UnexpectedPair[];
}

/** Contacts of the strands that touch strands within the iterations. */
interface Iterated {
  readonly obstacles: ListedObstacles;
  readonly mixing: LaneMixing;
  /** The island of every strand, and its iterations. */
  readonly islandOf: Int32Array;
  readonly iterations: Int32Array;
  /** Strands that iterate, as `coupled`. */
  readonly moving: Uint8Array;
}

const placeAt = ({ list, group }: CoupledStep, block: number): Place => ({
  group,
  block,
  first: firstOf(list.memory.task),
});

/** True if edges a and b, a < b, of one strand are so far apart along it that they can touch only if it bends back; the rule of contact/detect. */
function mayMeetItself({ task }: LaneMemory): (strand: number, a: number, b: number) => boolean {
  if (!task.pairs?.self) return () => false;
  return (strand, a, b) => {
    const { edgeLength, contact } = task.strands[strand];
    const radius = contact?.pairRadius ?? [];
    let arc = 0;
    for (let j = a + 1; j < b; j++) arc += edgeLength[j];
    const ends = 0.5 * (edgeLength[a] + edgeLength[b]);
    return arc + ends > Math.PI * Math.max(radius[a], radius[b]) + 1.001 * ends;
  };
}

/** Finds contacts with obstacles, and candidates for pairs. */
function searchPairs(now: CoupledStep): Candidates {
  const { list, step } = now;
  const { memory } = list;
  const { kernels, task, parameters, blocks } = memory;
  for (let block = 0; block < blocks; block++) {
    keepBlock(memory, block);
    openBlock(memory, block);
    putInputs(memory, step, 0, placeAt(now, block));
    kernels.openCoupled(parameters[0]);
    kernels.clearLoads(loadsAt(memory, block), task.nodes - 1, 1);
  }
  const found = findCandidates(list.search, rowsOf(memory), mayMeetItself(memory));
  if (now.expected.length === 0) return found;
  return addCandidates(
    found,
    now.expected.map(({ low, high }) => [low, high]),
  );
}

function rowsOf({ floats, pairs, task }: LaneMemory): NodeRows {
  return { floats, first: pairs.rows / 4, nodes: task.nodes, strands: task.strands.length };
}

/** Fills the list, and marks strands that touch. */
function meetCandidates({ list, answer, coupled, expected }: CoupledStep, candidates: Candidates): void {
  const { memory } = list;
  const { task, kernels, pairs } = memory;
  beginList(list);
  const { edges } = candidates;
  const nodeCount = task.nodes * task.strands.length;
  const tests = new Map(expected.map(({ low, high, test }) => [nodeCount * low + high, test]));
  testCandidates(list, candidates, (n, k) => {
    const test = tests.get(nodeCount * edges[2 * n] + edges[2 * n + 1]);
    if (test) putTest(memory, k, test);
    answer.overlap = Math.max(answer.overlap, addTested(list, k, edges[2 * n], edges[2 * n + 1]));
  });
  const words = new Int32Array(memory.floats.buffer);
  for (let k = 0; k < list.count; k++)
    for (const side of [AT.low, AT.high]) {
      const strand = Math.floor(words[pairs.list / 4 + placeOf(k) + side] / task.nodes);
      coupled[strand >> 2] |= 1 << (strand & 3);
    }
  kernels.openPairs(pairs.list, list.count, pairs.table);
}

/** Steps the strands that touch no strand, and begins the stage of the others. */
function beginBlocks(now: CoupledStep): void {
  const { list, step, answer, coupled } = now;
  const { memory } = list;
  const { kernels, parameters, kept, task } = memory;
  const { iterations, tolerance, contact } = step;
  const isFree = Number(task.root === 'free');
  for (let block = 0; block < memory.blocks; block++) {
    const place = placeAt(now, block);
    const apart = lanesOf(memory, block) & ~coupled[block];
    openBlock(memory, block);
    if (apart !== 0) {
      const at = addressOf(kept, block);
      const code = kernels.advanceApart(
        parameters[0],
        parameters[2],
        at,
        iterations,
        tolerance,
        contact.iterations,
        apart,
      );
      reportContact(memory, answer, place, countStage(answer, place, code, apart));
    }
    if (coupled[block] !== 0) kernels.beginCoupled(parameters[2], coupled[block]);
    kernels.publish(isFree);
  }
}

/** Whether the contacts of a strand have not settled in the last iteration. */
function isMoving({ floats, pairs }: LaneMemory, s: number): boolean {
  return !(floats[pairs.changes / 4 + s] <= SETTLED * SETTLED);
}

/** `chosen`: strands as bits of the lanes of every block. */
function forEachCoupled({ memory }: PairList, chosen: Uint8Array, visit: (strand: number) => void): void {
  for (let s = 0; s < memory.task.strands.length; s++) if ((chosen[s >> 2] >> (s & 3)) & 1) visit(s);
}

/** Lists all contacts of the strands that touch strands, and starts from the forces of the last step. */
function beginIterations(now: CoupledStep): Iterated {
  const { list } = now;
  const { memory } = list;
  const { kernels, pairs, task } = memory;
  kernels.weighPairs(pairs.list, list.count, pairs.table);
  const strands: number[] = [];
  forEachCoupled(list, now.coupled, (s) => {
    strands.push(s);
  });
  const obstacles = takeObstacles(list, strands);
  const end = obstacles.first + obstacles.places.length;
  kernels.countObstacles(pairs.list, obstacles.first, end, pairs.table);
  kernels.startAll(pairs.list, end, pairs.rows);
  const finder = createIslandFinder(task.strands.length);
  const words = new Int32Array(memory.floats.buffer);
  const strandAt = (k: number, side: number): number =>
    Math.floor(words[pairs.list / 4 + placeOf(k) + side] / task.nodes);
  for (let k = 0; k < list.count; k++) finder.join(strandAt(k, AT.low), strandAt(k, AT.high));
  const found = finder.number();
  const isSpare = (k: number): boolean => (k >= list.count && k < obstacles.first) || k >= end;
  const islands = islandsOfContacts(found, end, (k) => (isSpare(k) ? -1 : strandAt(k, AT.low)));
  return {
    obstacles,
    mixing: openMixing(memory, 4 * RECORD, islands),
    islandOf: found.of,
    iterations: new Int32Array(found.count),
    moving: now.coupled.slice(),
  };
}

/** Iteration k of the islands that move. Returns true while contacts of some have not settled. */
function iterateOnce(
  now: CoupledStep,
  { obstacles, mixing, islandOf, iterations, moving }: Iterated,
  least: number,
): boolean {
  const { list } = now;
  const { memory, count } = list;
  const { kernels, parameters, pairs, task, blocks } = memory;
  const forBlocks = (visit: (block: number) => void): void => {
    for (let block = 0; block < blocks; block++) if (moving[block] !== 0) visit(block);
  };
  forBlocks((block) => kernels.clearLoads(loadsAt(memory, block), task.nodes - 1, 0));
  const { list: at, rows, table, changes } = pairs;
  const { first, places } = obstacles;
  const end = first + places.length;
  const { of, moves, islands } = mixing;
  kernels.pressAll(at, 0, count, rows, table, 1, of, moves);
  kernels.pressAll(at, first, end, rows, table, 0, of, moves);
  forBlocks((block) => {
    openBlock(memory, block);
    kernels.iterateCoupled(parameters[2], moving[block]);
    kernels.publish(Number(task.root === 'free'));
  });
  memory.floats.fill(0, changes / 4, changes / 4 + task.strands.length);
  kernels.compareAll(at, 0, count, rows, changes, task.nodes, 1, of, moves);
  kernels.compareAll(at, first, end, rows, changes, task.nodes, 0, of, moves);
  islands.moves.forEach((moved, island) => {
    iterations[island] += moved;
    islands.moves[island] = moved === 1 && iterations[island] < least ? 1 : 0;
  });
  let any = islands.moves.includes(1);
  forEachCoupled(list, moving, (s) => {
    if (!isMoving(memory, s)) return;
    islands.moves[islandOf[s]] = 1;
    any = true;
  });
  forEachCoupled(list, moving, (s) => {
    if (islands.moves[islandOf[s]] === 0) moving[s >> 2] &= ~(1 << (s & 3));
  });
  return any;
}

/** Reports the strands that touched. */
function reportCoupled(now: CoupledStep, { islandOf, iterations, obstacles }: Iterated): void {
  const { list, answer, group, coupled } = now;
  const { memory } = list;
  const { task, kernels, pairs } = memory;
  let most = -1;
  forEachCoupled(list, coupled, (s) => {
    const own = iterations[islandOf[s]];
    most = Math.max(most, own);
    answer.iterations += own + 1;
    if (!isMoving(memory, s)) return;
    if (answer.unsettled === 0) [answer.unsettledGroup, answer.unsettledStrand] = [group, firstOf(task) + s];
    answer.unsettled++;
  });
  if (most < 0) return;
  const { first, places } = obstacles;
  const ranges = [
    [0, list.count],
    [first, first + places.length],
  ] as const;
  for (const [from, end] of ranges) {
    answer.loaded += kernels.countLoaded(pairs.list, from, end);
    answer.error = Math.max(answer.error, Math.fround(Math.sqrt(kernels.largestChange(pairs.list, from, end))));
  }
  answer.iterationsMax = Math.max(answer.iterationsMax, most + 1);
  answer.contactIterations = Math.max(answer.contactIterations, most);
}

/** Ends the step of the strands that touched. */
function finishBlocks(now: CoupledStep): void {
  const { list, answer, coupled } = now;
  const { memory } = list;
  for (let block = 0; block < memory.blocks; block++) {
    if (coupled[block] === 0) continue;
    openBlock(memory, block);
    countFailures(answer, placeAt(now, block), memory.kernels.finishCoupled(memory.parameters[2], coupled[block]));
  }
}

function failAt({ list, answer, group }: CoupledStep, node: number): void {
  const { task } = list.memory;
  const strand = firstOf(task) + Math.floor(node / task.nodes);
  if (answer.failed === 0) [answer.firstGroup, answer.firstStrand] = [group, strand];
  answer.failed++;
}

/** Counts pairs that contact did not hold back, so that they are about to pass through each other. */
function countPassing(now: CoupledStep): void {
  const { memory, count } = now.list;
  const { kernels, pairs } = memory;
  kernels.measureAll(pairs.list, count, pairs.rows);
  const { floats } = memory;
  const words = new Int32Array(floats.buffer);
  for (let k = 0; k < count; k++) {
    const o = pairs.list / 4 + placeOf(k);
    if (!(floats[o + AT.near] < PASSING * floats[o + AT.sum])) failAt(now, words[o + AT.low]);
  }
}

/** Strands of pairs that were still not expected in the last attempt count as unsettled. */
function reportUnexpected({ list, answer, group }: CoupledStep, unexpected: readonly UnexpectedPair[]): void {
  const { task } = list.memory;
  const strands = new Set(
    unexpected.flatMap(({ low, high }) => [low, high].map((node) => firstOf(task) + Math.floor(node / task.nodes))),
  );
  if (strands.size === 0) return;
  if (answer.unsettled === 0) [answer.unsettledGroup, answer.unsettledStrand] = [group, Math.min(...strands)];
  answer.unsettled += strands.size;
}

/** One attempt at a step. Returns the pairs that were not expected. */
function attemptStep(now: CoupledStep): UnexpectedPair[] {
  const { list, step } = now;
  const { memory } = list;
  const candidates = searchPairs(now);
  meetCandidates(now, candidates);
  beginBlocks(now);
  const iterated = beginIterations(now);
  const least = Math.max(step.contact.iterations, LEAST_COUPLED_ITERATIONS);
  let moves = list.count > 0;
  for (let k = 0; moves && k < MOST_ITERATIONS; k++) {
    if (k > 0) mixIterates(iterated.mixing);
    moves = iterateOnce(now, iterated, least);
  }
  returnObstacles(list, iterated.obstacles);
  reportCoupled(now, iterated);
  finishBlocks(now);
  if (now.answer.failed > 0) return [];
  countPassing(now);
  if (now.answer.failed > 0) return [];
  return findUnexpected(list, findCandidates(list.search, rowsOf(memory), mayMeetItself(memory), 1));
}

/**
 * One step of all strands of a group, attempted again with contacts for pairs that were not expected. Fails if some of them were about to pass and the
 * last attempt has not settled. If some strands fail, the caller undoes the step.
 */
export function stepPairs(list: PairList, group: number, step: Step, answer: MutableAnswer): void {
  const { memory } = list;
  const expected: UnexpectedPair[] = [];
  let [iterations, contactIterations] = [0, 0];
  let passing: UnexpectedPair | undefined;
  for (let attempt = 1; ; attempt++) {
    const own = emptyAnswer();
    const coupled = new Uint8Array(memory.blocks);
    const now: CoupledStep = { list, group, step, answer: own, coupled, expected };
    const unexpected = attemptStep(now);
    own.iterations += iterations;
    own.contactIterations += contactIterations;
    passing ??= unexpected.find(({ passes }) => passes);
    if (unexpected.length === 0 || attempt === ATTEMPTS) {
      reportUnexpected(now, unexpected);
      if (passing && own.failed === 0 && own.unsettled > 0) failAt(now, passing.low);
      Object.assign(answer, combineAnswers(answer, own));
      return;
    }
    ({ iterations, contactIterations } = own);
    expected.push(...unexpected);
    undoStep(memory);
    undoList(list);
  }
}
