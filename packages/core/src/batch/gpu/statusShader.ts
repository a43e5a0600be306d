/**
 * Counts of a dispatch, and the lists of strands that further dispatches continue. Counts are integers, so the order of threads does not matter. Nor does
 * the order of a list, since strands do not affect each other.
 */

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
export const ROUNDS = 4;
/** Number of rounds for a number of iterations. */
export function countRounds(iterations: number): number {
  return iterations > 16 ? 4 : iterations > 8 ? 3 : iterations > 4 ? 2 : 1;
}
/** Index of the list of strands that touch strands, after those of the rounds. */
const COUPLED_LIST = ROUNDS;
/**
 * Word of the present round; then of each round, and of strands that touch strands, the length of its list and the arguments of its
 * dispatch; then the lists: two, used in turn, and one.
 */
const ROUND = STATUS_WORDS;
const LISTS = STATUS_WORDS + 2;
const ENTRIES = LISTS + 4 * (ROUNDS + 1);

export const roundOffset: number = 4 * ROUND;
export const argumentsOffset = (round: number): number => 4 * (LISTS + 4 * round + 1);
/** Words of a strand in contact with strands, after the lists: marks, change of contacts, and number of contacts that carry force. */
export const MARKS = { marks: 0, change: 1, loaded: 2 } as const;
/** Bits of the marks; above them the number of iterations. */
export const MARK = { coupled: 1, dropped: 2, passed: 4, crowded: 8, overflow: 16, iteration: 256 } as const;
export const statusBytes = (strands: number, contact: { readonly has: boolean; readonly pairs: boolean }): number =>
  4 * (contact.has ? ENTRIES + (contact.pairs ? 6 : 3) * strands : STATUS_WORDS);

/** At the start of a step. */
export function startStatus(hasContact: boolean): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(hasContact ? ENTRIES : STATUS_WORDS);
  words[STATUS.firstFailed] = words[STATUS.firstUnsettled] = words[STATUS.firstPassed] = 0xffffffff;
  for (let round = 0; round <= ROUNDS && hasContact; round++) words.set([0, 0, 1, 1], LISTS + 4 * round);
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
fn markAt(strand: u32, word: u32) -> u32 { return ${ENTRIES} + (3 + word) * P.strands + strand; }
fn currentRound() -> u32 { return atomicLoad(&status[${ROUND}]); }
fn listLength(round: u32) -> u32 { return atomicLoad(&status[${LISTS} + 4 * round]); }
fn listStart(round: u32) -> u32 { return ${ENTRIES} + select(round % 2, 2u, round == ${COUPLED_LIST}) * P.strands; }
fn listEntry(round: u32, k: u32) -> u32 { return atomicLoad(&status[listStart(round) + k]); }
fn appendToList(round: u32, workgroup: u32) {
  let k = atomicAdd(&status[${LISTS} + 4 * round], 1u);
  atomicStore(&status[listStart(round) + k], strandIndex);
  atomicMax(&status[${LISTS} + 4 * round + 1], k / workgroup + 1);
}`;
}
