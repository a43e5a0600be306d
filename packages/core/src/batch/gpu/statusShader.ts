/**
 * Counts of a dispatch, and the lists of strands that further dispatches continue. Counts are integers, so the order of threads does not matter. Nor does
 * the order of a list, since strands do not affect each other.
 */
import { log2 } from '../../math/rounded/index.ts';

/** Words of the status, as the caller reads them. Overlap [m] and error [m] are the bits of positive floats, which are ordered as integers. */
export const STATUS = {
  /** Strands that failed, and the first of them. */
  failed: 0,
  firstFailed: 1,
  /** Most Newton iterations of a strand, and those of all. */
  iterationsMax: 2,
  iterations: 3,
  /** Contacts that carry force, deepest overlap at the start of the step, most iterations of contact. */
  loaded: 4,
  overlap: 5,
  contactIterations: 6,
  /** Strands whose contacts did not settle, the first of them, and the largest displacement of a contact. */
  unsettled: 7,
  firstUnsettled: 8,
  error: 9,
  /** Strands with edges that are about to pass through another, and the first of them. */
  passed: 10,
  firstPassed: 11,
  /** The last iteration after which a contact of strands that touch was not settled. */
  moved: 12,
  /** Contacts between strands that overlap deeply at the start of the step. */
  deep: 13,
  /** Strands that moved too far for the last search. */
  overflow: 14,
  /** Strands with more neighbouring edges than the search keeps. */
  crowded: 15,
} as const;
export const STATUS_WORDS = 16;

/** Dispatches of strands in contact: each continues the strands that have not settled in the previous one, up to twice the iterations. */
export const ROUNDS = 5;
/** Number of rounds for a number of iterations. */
export function countRounds(iterations: number): number {
  return Math.min(ROUNDS, Math.max(1, Math.ceil(log2(iterations)) - 1));
}
/** Lists after those of the rounds: of strands that touch strands, of those without contact, and of those among them that run into something. */
export const COUPLED_LIST: number = ROUNDS;
export const FREE_LIST: number = ROUNDS + 1;
export const MISSED_LIST: number = ROUNDS + 2;
const LIST_COUNT = ROUNDS + 3;
/**
 * Word of the present list; then of each list its length and the arguments of its dispatch; then the lists: two of the rounds, used in turn, and the
 * others.
 */
const LIST = STATUS_WORDS;
const LISTS = STATUS_WORDS + 2;
const ENTRIES = LISTS + 4 * LIST_COUNT;
/** Lists that have memory of their own. */
const STORED_LISTS = LIST_COUNT - ROUNDS + 2;

export const listOffset: number = 4 * LIST;
export const argumentsOffset = (list: number): number => 4 * (LISTS + 4 * list + 1);
/** Words of a strand in contact with strands, after the lists: marks, change of contacts, and number of contacts that carry force. */
export const MARKS = { marks: 0, change: 1, loaded: 2 } as const;
/** Bits of the marks; above them the number of iterations. */
export const MARK = { coupled: 1, dropped: 2, passed: 4, crowded: 8, overflow: 16, iteration: 256 } as const;
export const statusBytes = (strands: number, contact: { readonly has: boolean; readonly pairs: boolean }): number =>
  4 * (contact.has ? ENTRIES + (STORED_LISTS + (contact.pairs ? 3 : 0)) * strands : STATUS_WORDS);

/** At the start of a step. */
export function startStatus(hasContact: boolean): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(hasContact ? ENTRIES : STATUS_WORDS);
  words[STATUS.firstFailed] = words[STATUS.firstUnsettled] = words[STATUS.firstPassed] = 0xffffffff;
  for (let list = 0; list < LIST_COUNT && hasContact; list++) words.set([0, 0, 1, 1], LISTS + 4 * list);
  return words;
}

/** Real part of a joint's quaternion below which the step fails: its rotation is then 168° or more. */
const FOLDED = 0.1;

/** `countsFailures`: whether to check for strands that failed. */
export function writeStatus(countsFailures: boolean): string {
  return `
@group(0) @binding(7) var<storage, read_write> status: array<atomic<u32>>;
fn isFolded() -> bool {
  for (var j: u32 = 0; j < NODES - 1; j++) {
    let v = readState(j, RELATIVE);
    if (!(dot(v, v) < ${1 - FOLDED * FOLDED})) {
      return true;
    }
  }
  return false;
}
fn reportSolved(isSolved: bool, iterations: u32) {
  ${
    countsFailures
      ? `atomicMax(&status[${STATUS.iterationsMax}], iterations);
  atomicAdd(&status[${STATUS.iterations}], iterations);
  if (!isSolved || isFolded()) {
    atomicAdd(&status[${STATUS.failed}], 1u);
    atomicMin(&status[${STATUS.firstFailed}], P.first + strandIndex);
  }`
      : ''
  }
}
fn reportPressed(progress: PressedProgress) {
  atomicAdd(&status[${STATUS.loaded}], progress.loaded);
  raiseStatus(${STATUS.contactIterations}, progress.iterations);
  raiseStatus(${STATUS.error}, bitcast<u32>(sqrt(progress.change)));
  if (progress.moves) {
    atomicAdd(&status[${STATUS.unsettled}], 1u);
    atomicMin(&status[${STATUS.firstUnsettled}], P.first + strandIndex);
  }
}
/** Reads first: thousands of threads would wait for one word. */
fn raiseStatus(word: u32, value: u32) {
  if (value > atomicLoad(&status[word])) {
    atomicMax(&status[word], value);
  }
}
fn reportOverlap(overlap: f32) { raiseStatus(${STATUS.overlap}, bitcast<u32>(max(overlap, 0))); }
fn markAt(strand: u32, word: u32) -> u32 { return ${ENTRIES} + (${STORED_LISTS} + word) * P.strands + strand; }
fn currentList() -> u32 { return atomicLoad(&status[${LIST}]); }
fn listLength(list: u32) -> u32 { return atomicLoad(&status[${LISTS} + 4 * list]); }
fn listStart(list: u32) -> u32 { return ${ENTRIES} + select(list % 2, list - ${ROUNDS - 2}, list >= ${ROUNDS}) * P.strands; }
fn listEntry(list: u32, k: u32) -> u32 { return atomicLoad(&status[listStart(list) + k]); }
fn appendToList(list: u32, workgroup: u32) {
  let k = atomicAdd(&status[${LISTS} + 4 * list], 1u);
  atomicStore(&status[listStart(list) + k], strandIndex);
  atomicMax(&status[${LISTS} + 4 * list + 1], k / workgroup + 1);
}`;
}
