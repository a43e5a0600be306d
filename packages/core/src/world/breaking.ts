/**
 * Rods and links that break: finds the time within a step at which a load reaches a strength, ends the span there, and breaks what has reached it.
 *
 * A rod breaks at most once per step: the cut unloads the rest of it, and steps need not resolve how.
 */

import type { Break } from '../breakPort.ts';
import { spanTo } from '../math/substeps.ts';
import type { StepOutcome } from '../model.ts';
import { advanceInSubsteps } from './advance.ts';
import { restartMotion, type WorldParts } from './build.ts';
import type { StepSpan } from './spans.ts';
import { restoreState, saveRods } from './state.ts';

/** What broke in a step so far. */
export interface Breaks {
  readonly list: Break[];
  /** Rods (by id) that have broken. */
  readonly rods: Set<string>;
}

export const createBreaks = (): Breaks => ({ list: [], rods: new Set() });

/** A load within this share of the strength has reached it. */
const LOAD_TOLERANCE = 1e-7;
/** The time is found to this share of the span if the load jumps; no part of a span is shorter. */
const TIME_TOLERANCE = 1e-4;
/** After so many breaks in a step, further ones are placed at its end: each takes about three steps to find. */
const LOCATED_BREAKS = 16;

/** Largest load over strength, less 1. */
function measureExcess({ breakables }: WorldParts, { rods }: Breaks, t: number): number {
  let largest = 0;
  for (const one of breakables) largest = Math.max(largest, one.measureLoad(t, rods));
  return largest - 1;
}

/** Breaks what has reached its strength now, at t. */
export function breakLoaded(world: WorldParts, breaks: Breaks, t: number): void {
  if (world.breakables.length === 0 || measureExcess(world, breaks, t) < -LOAD_TOLERANCE) return;
  const found = world.breakables.flatMap((one) => one.breakLoaded(t, breaks.rods, 1 - LOAD_TOLERANCE));
  for (const { rod } of found) if (rod !== undefined) breaks.rods.add(rod);
  breaks.list.push(...found);
  restartMotion(world, t);
}

/** Advances all rods over a span, or over its part up to the time at which something breaks. */
export function advanceToBreak(
  world: WorldParts,
  span: StepSpan,
  breaks: Breaks,
): { readonly outcome: StepOutcome; readonly part: StepSpan } {
  if (world.breakables.length === 0) return { outcome: advanceInSubsteps(world, span), part: span };
  const { t, dt } = span;
  const { contact } = world;
  const before = saveRods(world, t);
  const report = { ...contact?.report };
  let low = { dt: 0, excess: measureExcess(world, breaks, t) };
  const advance = (length: number): { outcome: StepOutcome; dt: number; excess: number } => {
    const outcome = advanceInSubsteps(world, { t, dt: length });
    return { outcome, dt: length, excess: measureExcess(world, breaks, t + length) };
  };
  let high = advance(dt);
  const isWhole = high.excess <= LOAD_TOLERANCE || breaks.list.length >= LOCATED_BREAKS || low.excess >= 0;
  if (isWhole) return { outcome: high.outcome, part: span };
  // false position [Illinois]: of an end that stays, half of the excess counts
  let [weightLow, weightHigh] = [1, 1];
  let reached = high;
  while (high.excess > LOAD_TOLERANCE && high.dt - low.dt > TIME_TOLERANCE * dt) {
    const width = high.dt - low.dt;
    const [a, b] = [weightLow * low.excess, weightHigh * high.excess];
    const share = Math.min(0.99, Math.max(0.01, -a / (b - a)));
    restoreState(world, before);
    if (contact) Object.assign(contact.report, report);
    reached = advance(spanTo(t, t + low.dt + share * width).dt);
    if (reached.excess >= 0) {
      high = reached;
      [weightLow, weightHigh] = [0.5 * weightLow, 1];
    } else {
      low = reached;
      [weightLow, weightHigh] = [1, 0.5 * weightHigh];
    }
  }
  // a short remainder belongs to this part
  const length = dt - high.dt > TIME_TOLERANCE * dt ? high.dt : dt;
  if (reached.dt !== length) {
    restoreState(world, before);
    if (contact) Object.assign(contact.report, report);
    reached = advance(length);
  }
  return { outcome: reached.outcome, part: length === dt ? span : { ...span, dt: length, end: t + length } };
}
