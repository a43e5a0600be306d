/** Bias velocities of contacts, comparison of a step with its prediction, and which contacts slide. */

import type { ContactSet } from '../contactSet.ts';
import type { Finder } from '../detect/finderData.ts';
import { limitPush } from '../detect/overlapsNearPins.ts';
import { loopLinks } from '../links/law.ts';
import { MISS, missOfSides } from '../links/loops.ts';
import type { SideArrays } from './sideArrays.ts';

/**
 * Target gap at the end of the step of an overlap (`gap` < 0): it is reduced by a fifth of the excess over 1 % of its size, or by half of the
 * excess over 2.5 %, and by at most 5 %. Reasons for these numbers: docs/notes/contact-solver.md.
 */
export function targetGap(gap: number, size: number): number {
  const depth = -gap;
  return gap + Math.min(Math.max(0, 0.2 * (depth - 0.01 * size), 0.5 * (depth - 0.025 * size)), 0.05 * size);
}

/** Depth in radii by which a contact must have penetrated within a step to be added: an old overlap is already being pushed out. */
export const DEEPER = 2e-4;

/** By how much the radii at contact c grow in the step [m]. */
function growthOf(
  { edgeGrowth, edgeOffset, rules }: Finder,
  { rodA, edgeA, rodB, edgeB, collider }: ContactSet,
  c: number,
): number {
  if (!edgeGrowth) return 0;
  const own = edgeGrowth[edgeOffset[rodA[c]] + edgeA[c]];
  if (collider[c] >= 0) return own;
  return rules.radius > 0 ? 0 : own + edgeGrowth[edgeOffset[rodB[c]] + edgeB[c]];
}

/** Sets the bias of each contact: a gap may close, an overlap is pushed out gently, an impact rebounds. */
export function setBias(set: ContactSet, finder: Finder, dt: number, threshold: number): void {
  const { gravity } = finder;
  for (let c = 0; c < set.count; c++) {
    const gap = set.gap[c];
    const size = set.size[c];
    // growth of the radii in this step is not an overlap: the surfaces move by that much
    const before = gap + growthOf(finder, set, c);
    const floor = set.swept[c] ? set.floor[c] : before > 0 ? 0 : targetGap(before, size);
    set.bias[c] = (gap - floor) / dt;
    if (gap < floor) set.bias[c] *= limitPush(finder, set, c);
    const speed = set.approach[c];
    if (set.restitution[c] === 0 || speed >= -threshold || gap > -dt * speed) continue;
    // after the rebound, gravity slows it for the rest of the step
    const n = 3 * c;
    const pull = gravity[0] * set.normal[n] + gravity[1] * set.normal[n + 1] + gravity[2] * set.normal[n + 2];
    set.bias[c] = Math.min(set.bias[c], set.restitution[c] * speed - dt * pull);
  }
}

/** Largest difference between the velocities that the rods reached and their copies [m/s]. */
export function measureMiss(arrays: SideArrays): number {
  return arrays.links ? loopLinks(arrays.links, MISS, arrays) : missOfSides(arrays, 0, arrays.count);
}

/** True if the rods moved as the linear response predicted: the velocities at the sides agree with their copies. */
export function matchesPrediction(arrays: SideArrays, limit: number): boolean {
  const { reached, copy, count, axes, links } = arrays;
  if (links) return measureMiss(arrays) <= 10 * limit;
  for (let k = 0; k < axes * count; k++) if (!(Math.abs(reached[k] - copy[k]) <= 10 * limit)) return false;
  return true;
}

/** Share of the largest contact speed by which rods may miss the prediction. */
const SPEED_SHARE = 1e-2;

/** Like `matchesPrediction`, with a looser tolerance that includes a share of the largest contact speed. */
export function isNearPrediction(arrays: SideArrays, limit: number): boolean {
  const { reached, copy, count, axes } = arrays;
  let fastest = 0;
  for (let k = 0; k < axes * count; k++) fastest = Math.max(fastest, Math.abs(reached[k]), Math.abs(copy[k]));
  return matchesPrediction(arrays, Math.max(limit, 0.1 * SPEED_SHARE * fastest));
}

/** True if contacts reached the positions that their copies predict, within `part` of their size. */
export function keepsPositions(
  set: ContactSet,
  arrays: Pick<SideArrays, 'reached' | 'copy' | 'sideA' | 'sideB' | 'isActive'>,
  dt: number,
  part: number,
): boolean {
  const { reached, copy, sideA, sideB, isActive } = arrays;
  for (let c = 0; c < set.count; c++) {
    if (!isActive[c]) continue;
    let miss = 0;
    for (let k = 0; k < 3; k++) {
      const a = 3 * sideA[c] + k;
      const b = 3 * sideB[c] + k;
      miss += set.normal[3 * c + k] * (reached[a] - copy[a] - (b >= 0 ? reached[b] - copy[b] : 0));
    }
    if (!(Math.abs(miss) * dt <= part * set.size[c])) return false;
  }
  return true;
}

/** Speed above which a contact slides [m/s]; `scale` is the reference velocity. */
export const slipLimit = (scale: number): number => 0.05 * scale + 1e-6;

/**
 * Marks the contacts that slide at the start of the step; the warm start overwrites the marks of persisting contacts. Contacts on bodies stick at first.
 */
export function markSlidingAtStart(set: ContactSet, finder: Finder, limit: number): void {
  const { velocity: v, edgeOffset, edgeFirst, edgeSecond, colliders } = finder;
  for (let c = 0; c < set.count; c++) {
    set.sliding[c] = 0;
    // static and dynamic coefficient are equal
    if (set.staticFriction[c] === set.dynamicFriction[c]) continue;
    if (set.collider[c] >= 0 && colliders[set.collider[c]].body >= 0) continue;
    const e = edgeOffset[set.rodA[c]] + set.edgeA[c];
    const f = set.rodB[c] >= 0 ? edgeOffset[set.rodB[c]] + set.edgeB[c] : -1;
    let along = 0;
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const w = set.weightA[c];
      let u = (1 - w) * v[3 * edgeFirst[e] + k] + w * v[3 * edgeSecond[e] + k];
      if (f < 0) u -= set.surface[3 * c + k];
      else u -= (1 - set.weightB[c]) * v[3 * edgeFirst[f] + k] + set.weightB[c] * v[3 * edgeSecond[f] + k];
      along += u * set.normal[3 * c + k];
      square += u * u;
    }
    if (square - along * along > limit * limit) set.sliding[c] = 1;
  }
}

/** Marks the contacts that slide at the end of the step: they have dynamic friction in the next. */
export function markSliding(set: ContactSet, arrays: SideArrays, scale: number): void {
  const { reached, sideA, sideB } = arrays;
  if (arrays.axes === 1) {
    set.slides.fill(0, 0, set.count);
    return;
  }
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    let un = 0;
    let u2 = 0;
    for (let k = 0; k < 3; k++) {
      const b = sideB[c];
      const u = reached[3 * sideA[c] + k] - (b >= 0 ? reached[3 * b + k] : set.surface[o + k]);
      un += u * set.normal[o + k];
      u2 += u * u;
    }
    const slip = Math.sqrt(Math.max(0, u2 - un * un));
    set.slides[c] = slip > slipLimit(scale) ? 1 : 0;
  }
}
