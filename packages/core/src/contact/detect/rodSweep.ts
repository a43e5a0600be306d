/**
 * Continuous collision check between rods: did two edges come closer within the step than half the sum of their radii?
 *
 * Conservative advancement: two edges whose points move by at most L in the step cannot meet before the fraction d/L of it, so time advances by
 * that fraction until they are close or the step is over [Li2021, appendix]. The first test rejects nearly all pairs, because they are farther apart
 * than they move.
 *
 * A pair that did meet becomes a contact with the points and the normal at the time of impact, and the step is solved again. Contacts handle
 * shallower overlaps; this check prevents passing through.
 */

import type { ContactSet } from '../contactSet.ts';
import { DEEPER, targetGap } from '../solve/sideVelocities.ts';
import { measureMoving } from './edgePairs.ts';
import { notePair, sortPairs } from './finder.ts';
import type { Finder } from './finderData.ts';
import { areEdgesSearched, coverPaths, mayTouch } from './nearPairs.ts';
import { areTooNearPins } from './overlapsNearPins.ts';
import { addRodContact } from './rodContacts.ts';
import { areSegmentsApart } from './sweptTree.ts';

const place = new Float64Array(2);

/** Reads current positions of all nodes as the end of the step. */
export function gatherEnd(out: Float64Array, finder: Finder, rods: Iterable<number> = finder.rods.keys()): void {
  for (const r of rods) out.set(finder.samples[r].nodePosition, 3 * finder.nodeOffset[r]);
}

/** Largest displacement of the four nodes relative to their mean, first edge plus second. */
function measureTravel(x: Float64Array, y: Float64Array, a: number, b: number, c: number, d: number): number {
  const mean0 = 0.25 * (y[a] - x[a] + y[b] - x[b] + y[c] - x[c] + y[d] - x[d]);
  const mean1 = 0.25 * (y[a + 1] - x[a + 1] + y[b + 1] - x[b + 1] + y[c + 1] - x[c + 1] + y[d + 1] - x[d + 1]);
  const mean2 = 0.25 * (y[a + 2] - x[a + 2] + y[b + 2] - x[b + 2] + y[c + 2] - x[c + 2] + y[d + 2] - x[d + 2]);
  const displacementOf = (i: number): number => {
    const p = y[i] - x[i] - mean0;
    const q = y[i + 1] - x[i + 1] - mean1;
    const r = y[i + 2] - x[i + 2] - mean2;
    return Math.sqrt(p * p + q * q + r * r);
  };
  return Math.max(displacementOf(a), displacementOf(b)) + Math.max(displacementOf(c), displacementOf(d));
}

/**
 * Time in [0, 1] at which two edges come within `near` of each other, or 2 if they do not; writes the points to `place`. `near` is limited to half
 * the distance at the start.
 */
export function findMeeting(
  x: Float64Array,
  y: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
  near: number,
): number {
  const start = measureMoving(place, x, y, 0, a, b, c, d);
  // coincident from the start: they already have a contact
  if (!(start > 1e-9 * near)) return 2;
  const limit = Math.min(near, 0.5 * start);
  const travel = measureTravel(x, y, a, b, c, d);
  if (start - travel > limit) return 2;
  let u = 0;
  let distance = start;
  for (let k = 0; k < 200; k++) {
    if (distance - limit < 0.05 * start) return u;
    u += (0.95 * (distance - limit)) / travel;
    if (u >= 1) return 2;
    distance = measureMoving(place, x, y, u, a, b, c, d);
  }
  return u;
}

const normal = new Float64Array(3);

/**
 * A pair that overlaps initially by more than OVERLAP radii is pushed apart over many steps, and may penetrate deeper by OVERLAPPED of that before
 * the step is solved again; if it is closer than half its reach it may come out on either side. If axes nearly intersect, normals change with every
 * motion, and never all fit at once: a bundle of 2,500 hairs, each overlapping five others, was solved again and again for four pairs.
 */
const OVERLAP = 0.05;
const OVERLAPPED = 0.2;

/**
 * Time in [0, 1] at which a pair gets a contact: at the impact, or at the end if it penetrates too deeply there; 2 for neither. Writes the points
 * to `place`.
 */
function findTime(
  { edgeFirst, edgeSecond, position: x, pairRadius }: Finder,
  end: Float64Array,
  first: number,
  second: number,
  deep: number,
  deeper: number,
): number {
  const a = 3 * edgeFirst[first];
  const b = 3 * edgeSecond[first];
  const c = 3 * edgeFirst[second];
  const d = 3 * edgeSecond[second];
  const reach = pairRadius[first] + pairRadius[second];
  if (areSegmentsApart(x, end, a, b, c, d, reach)) return 2;
  const from = measureMoving(place, x, end, 0, a, b, c, d);
  if (from < 0.5 * reach) return 2;
  const u = findMeeting(x, end, a, b, c, d, 0.5 * reach);
  if (u < 1) return u;
  const thin = Math.min(pairRadius[first], pairRadius[second]);
  const to = measureMoving(place, x, end, 1, a, b, c, d);
  const more = Math.max(deeper * thin, OVERLAPPED * (reach - from - OVERLAP * thin));
  return to >= reach - deep * thin || to >= from - more ? 2 : 1;
}

/**
 * Appends a contact for every pair that met on the way from finder.position to `end` (came within half its reach), and for every pair that ended
 * more than `deep` times the smaller radius inside each other and deeper by `deeper` than it began: its contact point slid along the edges within
 * the step. Returns how many pairs met.
 */
export function sweepPairs(
  finder: Finder,
  set: ContactSet,
  end: Float64Array,
  deep: number,
  deeper: number = DEEPER,
): number {
  const { near, rods, edgeRod, edgeCount, edgeFirst, edgeSecond, position: x, pairRadius } = finder;
  coverPaths(finder, end);
  finder.pairCount = 0;
  for (let k = 0; k < near.list.length; k += 2) {
    const first = near.list.data[k];
    const second = near.list.data[k + 1];
    if (rods[edgeRod[first]].animation && !mayTouch(finder, first, second)) continue;
    if (!areEdgesSearched(finder, first, second)) continue;
    if (findTime(finder, end, first, second, deep, deeper) < 2) notePair(finder, first, second);
  }
  sortPairs(finder);
  let met = 0;
  for (let k = 0; k < finder.pairCount; k++) {
    const first = Math.floor(finder.pairs[k] / edgeCount);
    const second = finder.pairs[k] - first * edgeCount;
    const a = 3 * edgeFirst[first];
    const b = 3 * edgeSecond[first];
    const c = 3 * edgeFirst[second];
    const d = 3 * edgeSecond[second];
    const reach = pairRadius[first] + pairRadius[second];
    const thin = Math.min(pairRadius[first], pairRadius[second]);
    const u = findTime(finder, end, first, second, deep, deeper);
    if (u < 1) met++;
    const s = place[0];
    const t = place[1];
    let size = 0;
    let gap = -reach;
    for (let m = 0; m < 3; m++) {
      const from = (1 - s) * x[a + m] + s * x[b + m] - (1 - t) * x[c + m] - t * x[d + m];
      const to = (1 - s) * end[a + m] + s * end[b + m] - (1 - t) * end[c + m] - t * end[d + m];
      normal[m] = (1 - u) * from + u * to;
      size += normal[m] * normal[m];
    }
    size = Math.sqrt(size);
    for (let m = 0; m < 3; m++) {
      normal[m] /= size;
      gap += normal[m] * ((1 - s) * x[a + m] + s * x[b + m] - (1 - t) * x[c + m] - t * x[d + m]);
    }
    if (gap < 0 && areTooNearPins(finder, first, s, second, t, -gap)) continue;
    const i = addRodContact(finder, set, { first, second, s, t }, { normal, gap, approach: 0 });
    const began = measureMoving(place, x, end, 0, a, b, c, d) - reach;
    set.swept[i] = 1;
    set.floor[i] = began < 0 ? targetGap(began, thin) : 0;
  }
  return met;
}
