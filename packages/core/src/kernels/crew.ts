/**
 * What threads that share a bundle have in common: words to wait on, numbers to hand over, marks, and memory for the sides of contact.
 *
 * A request is one word that all threads look at. They look for it for some microseconds before they sleep, and so does the caller for
 * the answer: contact asks hundreds of times a step, and to wake a thread takes 10 to 50 µs.
 */
import type { StepOutcome } from '../model.ts';
import { type Claims, claimBytes, openClaims } from './claims.ts';

/** What a thread is asked to do, in `control[COMMAND]`; every request raises `control[TURN]`. */
export const TURN = 0;
export const COMMAND = 1;
const READY = 2;
export const DONE = 3;
export const SAVED = 4;
/** Number of a thread that an error has ended. */
const FAILED = 5;
const CONTROL = 6;

export const ADVANCE = 1;
export const REFRESH = 2;
export const LEAVE = 3;
/** To go and fetch a message: memory for sides. */
export const FETCH = 4;
export const HOLD = 5;
export const REVERT = 6;
export const GUESS = 7;
export const LINEARIZE = 8;
export const FACTOR = 9;
export const SOLVE = 10;
export const STEP = 11;
export const READ = 12;
export const SETTLE = 13;
export const LOOP = 14;
export const LAW = 15;
export const SEARCH = 16;
export const DELIVER = 17;
export const LINK = 18;
/** A loop over links that does not look at sides. */
export const GAUGE = 19;
/** Zeros in a slot of memory. */
export const CLEAR = 20;
export const WAYS = 21;

/** Places of arguments in `numbers`; then come the bounds of the threads' ranges, one more than there are threads, and the answers. */
export const TIME = 0;
export const DT = 1;
/** 1: robust, fresh, or some systems alone; and 1: rough. */
export const FIRM = 2;
export const ROUGH = 3;
/** Sides: number of the layout, slot of its memory, sides in it, first of the bundle, whether they have goals, whether released, axes. */
export const SERIAL = 4;
export const SLOT = 5;
export const TOTAL = 6;
export const FROM = 7;
export const GOALS = 8;
export const RELEASED = 9;
/** Lone rods: what velocities are compared with, tolerance, turns. */
export const SPEED = 10;
export const TOLERANCE = 11;
export const LIMIT = 12;
export const AXES = 13;
/** Loops of the solver: which, room and turns of its arrays, numbers, changes, place of the last; then what changes are mixed by. */
export const KIND = 14;
export const CAPACITY = 15;
export const WINDOW = 16;
export const SIZE = 17;
export const CHANGES = 18;
export const LAST = 19;
export const GAMMA = 20;
const BOUNDS = 26;
/** Numbers from GAMMA on. */
export const GIVEN: number = BOUNDS - GAMMA;

/** ok, iterations, iterationsMax, shifts, substeps, rejected, unfinished; of lone rods turns, error, converged. */
const ANSWER = 10;
/** Letters that say why a rod failed, their number first. */
const LETTERS = 1024;

/** Slots of memory: 0 and 1 for sides of all contacts, and of those solved for; lone rods; the solver's loops, and laws; what contacts are found by, and found; links, and cells for them. */
export const LONE = 2;
export const MIXING = 3;
export const LAWS = 4;
export const NODES = 5;
export const FOUND = 6;
export const LINKS = 7;
export const COARSE = 8;

/** What all know. */
export interface CrewMemory {
  readonly count: number;
  readonly control: SharedArrayBuffer;
  readonly numbers: SharedArrayBuffer;
  readonly letters: SharedArrayBuffer;
  /** 1 for each system that contact moves and `advance` leaves alone; empty where a scene has no contact. */
  readonly without: SharedArrayBuffer;
  /** 1 for each system that a request is about. */
  readonly marks: SharedArrayBuffer;
  /** 1 for each rod that the caller has moved in place of its thread, since that moved it. */
  readonly behind: SharedArrayBuffer;
  /** Where each thread begins: its first rod, then its first part; and how long each has been at work on its rods in the step [ms]. */
  readonly ranges: SharedArrayBuffer;
  readonly busy: SharedArrayBuffer;
  /** Rods that either of two may move. */
  readonly claims: SharedArrayBuffer;
  /** Where the numbers of each rod begin in q, v and memory, one after the other. */
  readonly starts: SharedArrayBuffer;
  /** Where the state at the start of a step is kept, all of it in one; every thread copies a share. */
  readonly before: SharedArrayBuffer;
}

export interface Crew {
  /** Threads, the caller among them. */
  readonly count: number;
  readonly control: Int32Array;
  readonly numbers: Float64Array;
  readonly letters: Uint16Array;
  readonly without: Uint8Array;
  readonly marks: Uint8Array;
  readonly behind: Uint8Array;
  readonly firstRods: Int32Array;
  readonly firstParts: Int32Array;
  readonly busy: Float64Array;
  readonly claims: Claims;
  readonly starts: readonly Float64Array[];
  readonly before: Float64Array;
  /** When the caller asked last. */
  asked: number;
}

export function createCrewMemory(
  count: number,
  rods: number,
  systems: number,
  touching: boolean,
  state: number,
  pieces: readonly (readonly number[])[],
): CrewMemory {
  const claims = new SharedArrayBuffer(claimBytes(pieces));
  openClaims(claims, pieces.length, pieces);
  return {
    count,
    control: new SharedArrayBuffer(4 * CONTROL),
    numbers: new SharedArrayBuffer(8 * (BOUNDS + count + 1 + ANSWER * count)),
    letters: new SharedArrayBuffer(2 * LETTERS * count),
    without: new SharedArrayBuffer(touching ? systems : 0),
    marks: new SharedArrayBuffer(systems),
    behind: new SharedArrayBuffer(rods),
    ranges: new SharedArrayBuffer(4 * 2 * (count + 1)),
    busy: new SharedArrayBuffer(8 * count),
    claims,
    starts: new SharedArrayBuffer(8 * 3 * (rods + 1)),
    before: new SharedArrayBuffer(8 * state),
  };
}

export function openCrew(memory: CrewMemory): Crew {
  const { count } = memory;
  const firstOf = (kind: number): Int32Array => new Int32Array(memory.ranges, 4 * kind * (count + 1), count + 1);
  // none where rods are not in ranges
  const zones = memory.claims.byteLength > 4 ? count - 1 : 0;
  return {
    count,
    control: new Int32Array(memory.control),
    numbers: new Float64Array(memory.numbers),
    letters: new Uint16Array(memory.letters),
    without: new Uint8Array(memory.without),
    marks: new Uint8Array(memory.marks),
    behind: new Uint8Array(memory.behind),
    firstRods: firstOf(0),
    firstParts: firstOf(1),
    busy: new Float64Array(memory.busy),
    claims: openClaims(memory.claims, zones),
    starts: [0, 1, 2].map((k) => {
      const each = memory.starts.byteLength / 3;
      return new Float64Array(memory.starts, k * each, each / 8);
    }),
    before: new Float64Array(memory.before),
    asked: 0,
  };
}

export function boundOf({ numbers }: Crew, k: number): number {
  return numbers[BOUNDS + k];
}

export function setBounds({ numbers }: Crew, bounds: ArrayLike<number>): void {
  numbers.set(bounds, BOUNDS);
}

/** First of thread k's share of `all`. */
export function shareOf(all: number, k: number, count: number): number {
  return Math.floor((all * k) / count);
}

/** Looks before one sleeps: some 50 µs. */
const LOOKS = 5000;

export function waitFor(control: Int32Array, word: number, value: number): void {
  for (let k = 0; k < LOOKS; k++) if (Atomics.load(control, word) === value) return;
  for (;;) {
    const seen = Atomics.load(control, word);
    if (seen === value) return;
    Atomics.wait(control, word, seen);
  }
}

/** The next request after `turn`. */
export function waitTurn(control: Int32Array, turn: number): number {
  for (let k = 0; k < LOOKS; k++) if (Atomics.load(control, TURN) !== turn) return Atomics.load(control, TURN);
  for (;;) {
    const seen = Atomics.load(control, TURN);
    if (seen !== turn) return seen;
    Atomics.wait(control, TURN, turn);
  }
}

/** Asks all threads; the answer is there when DONE is their number less the caller. */
export function ask(crew: Crew, command: number): void {
  const { control } = crew;
  control[COMMAND] = command;
  crew.asked = performance.now();
  Atomics.store(control, DONE, 0);
  Atomics.store(control, SAVED, 0);
  Atomics.add(control, TURN, 1);
  Atomics.notify(control, TURN);
}

/** What is shared whatever rods a thread has. */
const evenly: readonly number[] = [LOOP, LAW, FETCH, LINK, GAUGE, CLEAR, SEARCH, DELIVER];

/** Whether what a thread does takes the longer the more rods it has. */
const goesByRods = (command: number): boolean => !evenly.includes(command);

/** The caller has done its part of what it asked for, and waits for the others. */
export function finish(crew: Crew): void {
  const { control, busy, count } = crew;
  if (goesByRods(control[COMMAND])) busy[0] += performance.now() - crew.asked;
  waitFor(control, DONE, count - 1);
  throwFailure(crew);
}

/** Thread k does its part of it. Where it cannot the caller gets the error, which would else wait for ever. */
export function serveTurn(crew: Crew, k: number, action: (command: number) => void): void {
  const { control, busy, count } = crew;
  const command = control[COMMAND];
  const start = performance.now();
  try {
    action(command);
  } catch (error) {
    noteFailure(crew, k, error);
    arrive(control, DONE, count - 1);
    throw error;
  }
  if (goesByRods(command)) busy[k] += performance.now() - start;
  arrive(control, DONE, count - 1);
}

/** One more has come so far; the last of `all` wakes who waits. */
export function arrive(control: Int32Array, word: number, all: number): void {
  if (Atomics.add(control, word, 1) + 1 === all) Atomics.notify(control, word);
}

/** Thread k is ready to serve; with an error: it never will be. */
export function reportReady(crew: Crew, k: number, error?: unknown): void {
  if (error !== undefined) noteFailure(crew, k, error);
  Atomics.add(crew.control, READY, 1);
  Atomics.notify(crew.control, READY);
}

/** Until so many threads are. */
export function waitReady(crew: Crew, count: number): void {
  waitFor(crew.control, READY, count);
  throwFailure(crew);
}

function noteFailure({ control, letters }: Crew, k: number, error: unknown): void {
  writeText(letters, k, error instanceof Error ? error.message : String(error));
  Atomics.store(control, FAILED, k);
}

function throwFailure({ control, letters }: Crew): void {
  const failed = Atomics.load(control, FAILED);
  if (failed > 0) throw new Error(`a thread has ended: ${readText(letters, failed)}`);
}

function writeText(letters: Uint16Array, k: number, text: string): void {
  const length = text.length < LETTERS ? text.length : 0;
  letters[LETTERS * k] = length;
  for (let i = 0; i < length; i++) letters[LETTERS * k + 1 + i] = text.charCodeAt(i);
}

function readText(letters: Uint16Array, k: number): string {
  const from = LETTERS * k + 1;
  return String.fromCharCode(...letters.subarray(from, from + letters[from - 1]));
}

/** What a request asked, of thread k. */
export interface Answer extends StepOutcome {
  readonly turns?: number;
  readonly error?: number;
  readonly converged?: boolean;
}

const answerAt = (count: number, k: number): number => BOUNDS + count + 1 + ANSWER * k;

export function writeAnswer({ numbers, letters, count }: Crew, k: number, answer: Answer): void {
  const at = answerAt(count, k);
  numbers[at] = answer.ok ? 1 : 0;
  numbers[at + 1] = answer.iterations;
  numbers[at + 2] = answer.iterationsMax;
  numbers[at + 3] = answer.shifts;
  numbers[at + 4] = answer.substeps ?? 1;
  numbers[at + 5] = answer.rejected ?? 0;
  numbers[at + 6] = answer.unfinished ? 1 : 0;
  numbers[at + 7] = answer.turns ?? 0;
  numbers[at + 8] = answer.error ?? 0;
  numbers[at + 9] = answer.converged === false ? 0 : 1;
  writeText(letters, k, answer.failure ? JSON.stringify(answer.failure) : '');
}

export function writeVerdict({ numbers, count }: Crew, k: number, ok: boolean): void {
  numbers[answerAt(count, k)] = ok ? 1 : 0;
}

/** How much a thread has found. */
export function writeCount({ numbers, count }: Crew, k: number, found: number): void {
  numbers[answerAt(count, k)] = found;
}

export function countOf({ numbers, count }: Crew, k: number): number {
  return numbers[answerAt(count, k)];
}

/** Whether all other threads could. */
export function allCould({ numbers, count }: Crew): boolean {
  for (let k = 1; k < count; k++) if (numbers[answerAt(count, k)] !== 1) return false;
  return true;
}

/**
 * The caller's and the others' outcomes as one. Threads have rods in their order: up to the first that failed all is as one thread would
 * have it, which stops there.
 */
export function gatherOutcomes(
  { numbers, letters, count }: Crew,
  own: StepOutcome,
): Required<Omit<Answer, 'violation' | 'failure'>> & Pick<Answer, 'failure'> {
  let { ok, iterations, iterationsMax, shifts, substeps = 1, rejected = 0, unfinished = false, failure } = own;
  let [turns, error, converged] = [0, 0, true];
  for (let k = 1; k < count && ok; k++) {
    const at = answerAt(count, k);
    ok = numbers[at] === 1;
    iterations += numbers[at + 1];
    iterationsMax = Math.max(iterationsMax, numbers[at + 2]);
    shifts += numbers[at + 3];
    substeps = Math.max(substeps, numbers[at + 4]);
    rejected += numbers[at + 5];
    unfinished ||= numbers[at + 6] === 1;
    turns = Math.max(turns, numbers[at + 7]);
    error = Math.max(error, numbers[at + 8]);
    converged &&= numbers[at + 9] === 1;
    if (ok) continue;
    const text = readText(letters, k);
    failure = text ? (JSON.parse(text) as NonNullable<StepOutcome['failure']>) : { rod: '', reason: 'the step failed' };
  }
  return {
    ok,
    iterations,
    iterationsMax,
    shifts,
    substeps,
    rejected,
    unfinished,
    turns,
    error,
    converged,
    ...(failure && { failure }),
  };
}
