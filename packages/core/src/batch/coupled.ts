/**
 * A step of strands that touch each other, in double precision: the reference for SIMD and the GPU. Strands in contact with each other iterate in lockstep;
 * all others are stepped one by one, as in merged.ts. With SIMD the iterations are accelerated (coupledSides.ts); those of the GPU are plain (pairSweeps.ts).
 */
import type { Quaternion } from './algebra.ts';
import { beginPressed, isLarge, type LawChange, type PressedProgress, pressedStage, SETTLED } from './contactSweeps.ts';
import { type CoupledContacts, compareContacts, listContacts, mixContacts, pressContacts } from './coupledSides.ts';
import { LEAST_COUPLED_ITERATIONS, MOST_ITERATIONS, PAIR_SLOTS } from './layout.ts';
import {
  closeMergedStep,
  type MergedReport,
  type MergedStart,
  type MergedStep,
  noContact,
  openMergedStep,
  reportProgress,
} from './merged.ts';
import { locateNodes } from './pairList.ts';
import { findCandidates, type PairRules } from './pairSearch.ts';
import { applyLawsAt, confirmPairsOf, findPairsOf, hasPassedAt, type PairSearch } from './pairSweeps.ts';
import type { BatchRod } from './rod.ts';
import { beginSolve, completeStep, type StepOptions } from './step.ts';
import type { Strand } from './strand.ts';
import { iterateStage } from './sweeps.ts';
import { ATTEMPTS, expectPairs, findUnexpected, isSame, type UnexpectedPair } from './unexpectedPairs.ts';

/** Settings of contact between strands. */
export interface PairSettings extends PairRules {
  readonly friction: number;
  /** Contact radius of the edges of a strand [m]. */
  radiusOf(strand: number): ArrayLike<number>;
}

/** Prepares strands for contact with each other; call after `meetObstacles` of each. */
export function meetStrands(strands: readonly BatchRod[], settings: PairSettings): void {
  const all = strands.map(({ strand }) => strand);
  strands.forEach(({ strand: { merged }, rod }, index) => {
    if (!merged) throw new Error('meetObstacles was not called');
    const perEdge = <T>(make: () => T): T[][] =>
      Array.from({ length: rod.edgeCount }, () => Array.from({ length: PAIR_SLOTS }, make));
    for (const list of merged.contacts) for (let k = 0; k < PAIR_SLOTS; k++) list.push(noContact);
    merged.pairs = {
      index,
      all,
      friction: settings.friction,
      radius: settings.radiusOf(index),
      partners: perEdge(() => ({ strand: 0, edge: 0, part: 0, isSet: 0 })),
      weights: perEdge(() => ({ compliance: 0, side: 0 })),
      candidates: [],
      positions: new Float64Array(3 * rod.nodeCount),
      predicted: new Float64Array(3 * rod.nodeCount),
    };
  });
}

/** Searches edge by edge, as the GPU does with one thread per edge. */
function findPairs(s: Strand): PairSearch {
  let [overlap, dropped, deep] = [0, 0, 0];
  for (let j = 0; j < s.edgeCount; j++) {
    const found = findPairsOf(s, j);
    overlap = Math.max(overlap, found.overlap);
    dropped += found.dropped;
    deep += found.deep;
  }
  return { overlap, dropped, deep };
}

function confirmPairs(s: Strand): boolean {
  let presses = false;
  for (let j = 0; j < s.edgeCount; j++) presses = confirmPairsOf(s, j) || presses;
  return presses;
}

function applyLaws(s: Strand, k: number): LawChange {
  let [change, loaded] = [0, 0];
  for (let j = 0; j < s.edgeCount; j++) {
    const law = applyLawsAt(s, j, k);
    change = Math.max(change, law.change);
    loaded += law.loaded;
  }
  return { change, loaded };
}

/** `looksFurther`: also at pairs that nothing predicted. */
function hasPassed(s: Strand, looksFurther: boolean): boolean {
  for (let j = 0; j < s.edgeCount; j++) if (hasPassedAt(s, j, looksFurther)) return true;
  return false;
}

/** A strand that iterates together with others. */
interface Coupled {
  readonly batch: BatchRod;
  readonly index: number;
  readonly start: MergedStart;
  tip: Quaternion;
  change: number;
  loaded: number;
  largest: number;
  moves: boolean;
  iterations: number;
}

export interface CoupledReport {
  readonly ok: boolean;
  readonly reason: string;
  /** Strand that failed. */
  readonly failed: number;
  readonly reports: readonly MergedReport[];
  /** Strands with more pairs than their edges have contact slots. */
  readonly dropped: readonly number[];
  /** Pairs that nothing predicted. */
  readonly unexpected: readonly UnexpectedPair[];
}

/** Iterates strands that touch each other in lockstep. */
function iterateTogether(list: readonly Coupled[], dt: number, least: number): void {
  const stage = pressedStage(dt);
  for (const one of list) one.tip = beginPressed(one.batch.strand, stage, one.tip);
  let k = 0;
  for (let moves = list.length > 0; moves && k < MOST_ITERATIONS; k++) {
    for (const one of list) {
      const { strand } = one.batch;
      ({ change: one.change, loaded: one.loaded } = applyLaws(strand, k));
      one.moves = isLarge(strand, one.change);
    }
    for (const one of list) {
      const progress = iterateStage(one.batch.strand, stage, one.tip);
      one.tip = progress.tip;
      one.largest = progress.largest;
      one.iterations = k + 1;
    }
    moves = k + 1 < least || list.some((one) => one.moves);
  }
}

/** The same with the accelerated iterations of SIMD, island by island. Sets the iterations of every strand. */
function iterateAccelerated(list: readonly Coupled[], dt: number, least: number): void {
  const stage = pressedStage(dt);
  for (const one of list) one.tip = beginPressed(one.batch.strand, stage, one.tip);
  const of = new Map(list.map((one) => [one.batch.strand, one]));
  const all = listContacts([...of.keys()]);
  const { moves } = all.islands;
  let moving = list;
  for (let k = 0; moving.length > 0 && k < MOST_ITERATIONS; k++) {
    if (k > 0) mixContacts(all);
    pressContacts(all);
    for (const one of moving) {
      const progress = iterateStage(one.batch.strand, stage, one.tip);
      one.tip = progress.tip;
      one.largest = progress.largest;
      one.iterations = k + 1;
    }
    compareAll(all, of);
    moves.fill(k + 1 < least ? 1 : 0);
    for (const one of moving) if (one.moves) moves[all.islandOf(one.batch.strand)] = 1;
    moving = moving.filter(({ batch }) => moves[all.islandOf(batch.strand)] === 1);
  }
}

/** Measures the errors of all contacts, and what every strand has of them. */
function compareAll(all: CoupledContacts, of: ReadonlyMap<Strand, Coupled>): void {
  for (const one of of.values()) [one.change, one.loaded, one.moves] = [0, 0, false];
  compareContacts(all, ({ low, high, change, size, isLoaded }) => {
    for (const strand of [low, high]) {
      const one = strand && of.get(strand);
      if (!one) continue;
      one.change = Math.max(one.change, change);
      one.moves ||= !(change <= SETTLED * size * (SETTLED * size));
    }
    const owner = of.get(low);
    if (owner && isLoaded) owner.loaded++;
  });
}

function progressOf({ tip, largest, moves, change, loaded, iterations }: Coupled): PressedProgress {
  return { tip, largest, moves, change, loaded, iterations, boost: 1 };
}

function withElimination(list: readonly Coupled[], action: () => void): void {
  const set = (value: Strand['eliminated']): void => {
    for (const { batch } of list) {
      batch.strand.exact = false;
      batch.strand.eliminated = value && [];
    }
  };
  set([]);
  action();
  set(undefined);
}

const PASSED = 'two rods are about to pass through each other';

/** `isPlain`: iterates as the GPU does; `expected`: pairs that meet although nothing predicts it. */
interface CoupledChoices {
  readonly isPlain?: boolean;
  readonly expected?: readonly UnexpectedPair[];
}

/** One step of all strands; after a failure their state is arbitrary, and the caller restores it. */
export function stepCoupled(
  strands: readonly BatchRod[],
  step: MergedStep,
  options: StepOptions,
  rules: PairRules,
  { isPlain = false, expected = [] }: CoupledChoices = {},
): CoupledReport {
  const { t, dt } = step;
  const starts = strands.map((one) => openMergedStep(one, step));
  for (const { strand } of strands) locateNodes(strand, dt);
  const all = strands.map(({ strand }) => strand);
  findCandidates(all, rules);
  const searches = strands.map(({ strand }) => findPairs(strand));
  const dropped = searches.flatMap((one, k) => (one.dropped > 0 ? [k] : [])).concat(expectPairs(strands, expected));
  const isCoupled = strands.map(({ strand }) => confirmPairs(strand));
  const coupled = strands.flatMap((batch, index): Coupled[] => {
    if (!isCoupled[index]) return [];
    const tip = beginSolve(batch, pressedStage(dt), t + dt);
    return [{ batch, index, start: starts[index], tip, change: 0, loaded: 0, largest: 0, moves: false, iterations: 0 }];
  });
  withElimination(coupled, () =>
    (isPlain ? iterateTogether : iterateAccelerated)(coupled, dt, Math.max(step.iterations, LEAST_COUPLED_ITERATIONS)),
  );
  const reports: MergedReport[] = [];
  for (const one of coupled) {
    const overlap = Math.max(one.start.overlap, searches[one.index].overlap);
    reports[one.index] = reportProgress(progressOf(one), overlap);
  }
  strands.forEach((one, k) => {
    if (!isCoupled[k]) reports[k] = closeMergedStep(one, step, options, starts[k]);
  });
  const fail = (failed: number, reason: string): CoupledReport => ({
    ok: false,
    reason,
    failed,
    reports,
    dropped,
    unexpected: [],
  });
  const diverged = reports.findIndex(({ ok }) => !ok);
  if (diverged >= 0) return fail(diverged, reports[diverged].reason);
  const passed = strands.findIndex(({ strand }) => hasPassed(strand, isPlain));
  if (passed >= 0) return fail(passed, PASSED);
  // those that contact pushes go where nothing predicted
  if (!isPlain) findCandidates(all, rules, { isSolved: true });
  const unexpected = all.flatMap(findUnexpected);
  for (const { batch, start } of coupled) completeStep(batch, pressedStage(dt), dt, start.tangentBefore);
  return { ok: true, reason: '', failed: -1, reports, dropped, unexpected };
}

/** Iterations of contact and of Newton's method, of all strands. */
function countIterations(reports: readonly MergedReport[]): { most: number; sum: number } {
  const counts = reports.map(({ iterations }) => iterations);
  return { most: Math.max(0, ...counts), sum: counts.reduce((sum, k) => sum + k + 1, 0) };
}

/** The report of the last attempt at a step, and the iterations of those before it. */
export interface RepeatedReport extends CoupledReport {
  readonly before: { readonly most: number; readonly sum: number };
}

/**
 * The same, attempted again with contacts for the pairs that were not expected. `restore`: returns the strands to the start of the step. Fails if some of
 * them were about to pass and the last attempt has not settled.
 */
export function repeatCoupled(
  strands: readonly BatchRod[],
  step: MergedStep,
  options: StepOptions,
  { rules, restore }: { readonly rules: PairRules; restore(): void },
): RepeatedReport {
  const before = { most: 0, sum: 0 };
  const expected: UnexpectedPair[] = [];
  let passing: UnexpectedPair | undefined;
  for (let attempt = 1; ; attempt++) {
    const report = stepCoupled(strands, step, options, rules, { expected });
    const { unexpected } = report;
    const added = unexpected.filter(
      (one) => !expected.some(({ low, high }) => isSame(low, one.low) && isSame(high, one.high)),
    );
    passing ??= unexpected.find(({ passes }) => passes);
    if (attempt === ATTEMPTS || added.length === 0) {
      const isSettled = unexpected.length === 0 && report.reports.every(({ settled }) => settled);
      if (!report.ok || !passing || isSettled) return { ...report, before };
      return { ...report, before, ok: false, reason: PASSED, failed: passing.low.strand };
    }
    const { most, sum } = countIterations(report.reports);
    before.most += most;
    before.sum += sum;
    expected.push(...added);
    restore();
  }
}
