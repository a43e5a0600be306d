/**
 * A step of strands that may touch each other: coupled.ts with the kernels. Strands that touch strands iterate in lockstep, all pairs and then all blocks;
 * the others step as they do with obstacles alone.
 */

import { SETTLED } from '../contactSweeps.ts';
import { LEAST_COUPLED_ITERATIONS, MOST_ITERATIONS } from '../layout.ts';
import { PASSING } from '../pairSweeps.ts';
import {
  addressOf,
  countFailures,
  countStage,
  keepBlock,
  lanesOf,
  type MutableAnswer,
  openBlock,
  type Place,
  putInputs,
  reportContact,
  type Step,
} from './blocks.ts';
import { headFields, vectorsBefore } from './description.ts';
import { firstOf, indexOf, type LaneMemory, loadsAt, TESTED } from './memory.ts';
import { findCandidates } from './pairGrid.ts';
import { AT, addTested, beginList, type PairList, placeOf, putTested } from './pairList.ts';
import type { Candidates } from './pairMemory.ts';

const [CHANGE, LOADED] = ['change', 'loaded'].map((name) => vectorsBefore(headFields, name));

/** The step of a group. `coupled`: the strands that touch strands, as bits of the lanes of every block. */
interface CoupledStep {
  readonly list: PairList;
  readonly group: number;
  readonly step: Step;
  readonly answer: MutableAnswer;
  readonly coupled: Uint8Array;
  /** Pairs that carry force. */
  loaded: number;
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
  const { kernels, task, parameters, blocks, pairs } = memory;
  for (let block = 0; block < blocks; block++) {
    keepBlock(memory, block);
    openBlock(memory, block);
    putInputs(memory, step, 0, placeAt(now, block));
    kernels.openCoupled(parameters[0]);
    kernels.clearLoads(loadsAt(memory, block), task.nodes - 1, 1);
  }
  const { floats } = memory;
  const rows = { floats, first: pairs.rows / 4, nodes: task.nodes, strands: task.strands.length };
  return findCandidates(list.search, rows, mayMeetItself(memory));
}

/** Tests candidates in batches of TESTED. `visit` gets the index of a candidate, and its index in the batch. */
function testCandidates(
  { memory }: PairList,
  { edges, count }: Candidates,
  visit: (candidate: number, place: number) => void,
): void {
  const { kernels, pairs } = memory;
  for (let first = 0; first < count; first += TESTED) {
    const part = Math.min(TESTED, count - first);
    putTested(memory, edges, first, part);
    kernels.meetAll(pairs.tested, part, pairs.rows);
    for (let k = 0; k < part; k++) visit(first + k, k);
  }
}

/** Fills the list, and marks strands that touch. */
function meetCandidates({ list, answer, coupled }: CoupledStep, candidates: Candidates): void {
  const { memory } = list;
  const { task, kernels, pairs } = memory;
  beginList(list);
  const { edges } = candidates;
  testCandidates(list, candidates, (n, k) => {
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

/** Square of the largest displacement of a strand's contacts in the last iteration, and its limit [m²]. */
function changeOf({ floats, head, pairs, task }: LaneMemory, s: number): { change: number; limit: number } {
  const most = SETTLED * (task.strands[s].contact?.radius[0] ?? 0);
  const [own, between] = [floats[indexOf(head, s, CHANGE)], floats[pairs.changes / 4 + s]];
  return { change: Math.max(own, between), limit: most * most };
}

function forEachCoupled({ list, coupled }: CoupledStep, visit: (strand: number) => void): void {
  for (let s = 0; s < list.memory.task.strands.length; s++) if ((coupled[s >> 2] >> (s & 3)) & 1) visit(s);
}

/** One iteration of all strands that touch strands. Returns true while contacts have not settled. */
function iterateOnce(now: CoupledStep, k: number): boolean {
  const { list, coupled } = now;
  const { memory, count } = list;
  const { kernels, parameters, pairs, task, blocks } = memory;
  const forBlocks = (visit: (block: number) => void): void => {
    for (let block = 0; block < blocks; block++) if (coupled[block] !== 0) visit(block);
  };
  memory.floats.fill(0, pairs.changes / 4, pairs.changes / 4 + task.strands.length);
  forBlocks((block) => kernels.clearLoads(loadsAt(memory, block), task.nodes - 1, 0));
  const friction = task.pairs?.friction ?? 0;
  const { list: at, rows, table, changes } = pairs;
  const first = Number(k === 0);
  now.loaded = kernels.pressAll(at, count, rows, table, changes, task.nodes, friction, first);
  forBlocks((block) => {
    openBlock(memory, block);
    kernels.iterateCoupled(parameters[2], coupled[block]);
    kernels.publish(Number(task.root === 'free'));
  });
  let moves = false;
  forEachCoupled(now, (s) => {
    const { change, limit } = changeOf(memory, s);
    moves ||= change > limit;
  });
  return moves;
}

/** Reports the strands that touched, after `iterations`. */
function reportCoupled(now: CoupledStep, iterations: number): void {
  const { list, answer, group } = now;
  const { memory } = list;
  const { floats, head, task } = memory;
  let any = false;
  forEachCoupled(now, (s) => {
    any = true;
    const { change, limit } = changeOf(memory, s);
    answer.iterations += iterations + 1;
    answer.loaded += floats[indexOf(head, s, LOADED)];
    answer.error = Math.max(answer.error, Math.fround(Math.sqrt(change)));
    if (!(change > limit)) return;
    if (answer.unsettled === 0) [answer.unsettledGroup, answer.unsettledStrand] = [group, firstOf(task) + s];
    answer.unsettled++;
  });
  if (!any) return;
  answer.loaded += now.loaded;
  answer.iterationsMax = Math.max(answer.iterationsMax, iterations + 1);
  answer.contactIterations = Math.max(answer.contactIterations, iterations);
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

/** Counts pairs that are about to pass through each other: those that contact did not hold back, and those that were not expected. */
function countPassing(now: CoupledStep, candidates: Candidates): void {
  const { list, answer, group } = now;
  const { memory } = list;
  const { kernels, pairs, task } = memory;
  const fail = (node: number): void => {
    const strand = firstOf(task) + Math.floor(node / task.nodes);
    if (answer.failed === 0) [answer.firstGroup, answer.firstStrand] = [group, strand];
    answer.failed++;
  };
  kernels.measureAll(pairs.list, list.count, pairs.rows);
  const { floats } = memory;
  const words = new Int32Array(floats.buffer);
  for (let k = 0; k < list.count; k++) {
    const o = pairs.list / 4 + placeOf(k);
    if (!(floats[o + AT.near] < PASSING * floats[o + AT.sum])) fail(words[o + AT.low]);
  }
  let next = 0;
  testCandidates(list, candidates, (n, k) => {
    const low = candidates.edges[2 * n];
    const high = candidates.edges[2 * n + 1];
    const own = pairs.list / 4 + placeOf(next);
    if (next < list.count && words[own + AT.low] === low && words[own + AT.high] === high) {
      next++;
      return;
    }
    const o = pairs.tested / 4 + placeOf(k);
    const limit = PASSING * floats[o + AT.sum];
    if (floats[o + AT.near] < limit && floats[o + AT.gap] > -0.5 * limit && floats[o + AT.end] < -limit) fail(low);
  });
}

/** One step of all strands of a group. If some fail, the caller undoes it. */
export function stepPairs(list: PairList, group: number, step: Step, answer: MutableAnswer): void {
  const { memory } = list;
  const now: CoupledStep = { list, group, step, answer, coupled: new Uint8Array(memory.blocks), loaded: 0 };
  const candidates = searchPairs(now);
  meetCandidates(now, candidates);
  beginBlocks(now);
  const { kernels, pairs } = memory;
  kernels.weighPairs(pairs.list, list.count, pairs.table);
  const least = Math.max(step.contact.iterations, LEAST_COUPLED_ITERATIONS);
  let k = 0;
  for (let moves = list.count > 0; moves && k < MOST_ITERATIONS; k++) moves = iterateOnce(now, k) || k + 1 < least;
  reportCoupled(now, k);
  finishBlocks(now);
  if (answer.failed === 0) countPassing(now, candidates);
}
