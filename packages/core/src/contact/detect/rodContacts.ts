/** Contacts of two edges: their contact points, and the data of each contact. */

import { hypot } from '../../math/rounded/index.ts';
import { addContact, type ContactSet, FEATURE_LIMIT } from '../contactSet.ts';
import { createEdgePlaces, findPlaces } from './edgePairs.ts';
import { type Finder, featureOf, interpolate, isHeldAlong, isNear } from './finderData.ts';
import { isPairSearched, mayTouch } from './nearPairs.ts';
import { areTooNearPins } from './overlapsNearPins.ts';

const places = createEdgePlaces();
const normal = new Float64Array(3);

/** Appends the contacts that two edges have at the start of a step. */
export function addEdgePair(finder: Finder, set: ContactSet, first: number, second: number, dt: number): void {
  const { edgeFirst, edgeSecond, position: x } = finder;
  const a = 3 * edgeFirst[first];
  const b = 3 * edgeSecond[first];
  const c = 3 * edgeFirst[second];
  const d = 3 * edgeSecond[second];
  findPlaces(places, x, a, b, c, d);
  for (let k = 0; k < places.count; k++) addPair(finder, set, { first, second, s: places.s[k], t: places.t[k] }, dt);
}

/** Cosine beyond which the adjacent edge is closer: parallel edges touch along their length and keep their contact points. */
const NEARER = 0.1;

/**
 * True if a point at the end of an edge is not a local minimum of the distance, because the adjacent edge is closer still and has the contact.
 * Otherwise two crossing hairs would have nine contacts instead of one, most of them spurious.
 */
function isNearerBeside(
  finder: Finder,
  edge: number,
  other: number,
  weight: number,
  n: Float64Array,
  sign: number,
): boolean {
  if (weight !== 0 && weight !== 1) return false;
  const { edgeRod, edgeIndex, edgeFirst, edgeSecond, edgeOffset, rods, position: x } = finder;
  const r = edgeRod[edge];
  if (r === edgeRod[other]) return false;
  const { edgeCount, closed } = rods[r];
  const j = edgeIndex[edge] + (weight === 0 ? -1 : 1);
  if (!closed && (j < 0 || j >= edgeCount)) return false;
  const beside = edgeOffset[r] + ((j + edgeCount) % edgeCount);
  if (finder.edgeBroken[beside] || !isPairSearched(finder, r, edgeRod[other])) return false;
  if (!mayTouch(finder, Math.min(beside, other), Math.max(beside, other))) return false;
  const [from, to] = weight === 0 ? [edgeSecond[beside], edgeFirst[beside]] : [edgeFirst[beside], edgeSecond[beside]];
  const dx = x[3 * to] - x[3 * from];
  const dy = x[3 * to + 1] - x[3 * from + 1];
  const dz = x[3 * to + 2] - x[3 * from + 2];
  return sign * (dx * n[0] + dy * n[1] + dz * n[2]) > NEARER * Math.sqrt(dx * dx + dy * dy + dz * dz);
}

/** Two points of edges: s along the first edge, t along the second, from 0 to 1. */
export interface PointPair {
  readonly first: number;
  readonly second: number;
  readonly s: number;
  readonly t: number;
}

/** Appends the contact of two points if it may close within the step. */
function addPair(finder: Finder, set: ContactSet, pair: PointPair, dt: number): void {
  const { first, second, s, t } = pair;
  const { edgeFirst, edgeSecond, position: x, velocity: v, pairRadius } = finder;
  const a = 3 * edgeFirst[first];
  const b = 3 * edgeSecond[first];
  const c = 3 * edgeFirst[second];
  const d = 3 * edgeSecond[second];
  for (let k = 0; k < 3; k++) normal[k] = interpolate(x, a, b, s, k) - interpolate(x, c, d, t, k);
  const distance = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  const rA = pairRadius[first];
  const rB = pairRadius[second];
  const reach = rA + rB;
  const gap = distance - reach;
  if (gap > 2 * reach + finder.rules.reach) return;
  if (distance > 1e-9 * reach) for (let k = 0; k < 3; k++) normal[k] /= distance;
  else writeCross(normal, x, a, b, c, d);
  if (isHeldAlong(finder, first, s, normal) && isHeldAlong(finder, second, t, normal)) return;
  if (gap < 0 && areTooNearPins(finder, first, s, second, t, -gap)) return;
  if (isNearerBeside(finder, first, second, s, normal, -1)) return;
  if (isNearerBeside(finder, second, first, t, normal, 1)) return;
  let approach = 0;
  for (let k = 0; k < 3; k++) approach += normal[k] * (interpolate(v, a, b, s, k) - interpolate(v, c, d, t, k));
  const size = Math.min(rA, rB);
  if (!isNear(gap - finder.rules.reach, approach, size, finder.acceleration, dt)) return;
  addRodContact(finder, set, pair, { normal, gap, approach });
}

/** Direction perpendicular to both edges, if their axes intersect. */
function writeCross(out: Float64Array, x: Float64Array, a: number, b: number, c: number, d: number): void {
  const dx = x[b] - x[a];
  const dy = x[b + 1] - x[a + 1];
  const dz = x[b + 2] - x[a + 2];
  const ex = x[d] - x[c];
  const ey = x[d + 1] - x[c + 1];
  const ez = x[d + 2] - x[c + 2];
  let nx = dy * ez - dz * ey;
  let ny = dz * ex - dx * ez;
  let nz = dx * ey - dy * ex;
  let size = hypot(nx, ny, nz);
  if (!(size > 1e-12 * hypot(dx, dy, dz) * hypot(ex, ey, ez))) {
    // parallel and coincident: any perpendicular direction
    const flat = Math.abs(dx) < Math.abs(dy);
    nx = flat ? 0 : -dz;
    ny = flat ? dz : 0;
    nz = flat ? -dy : dx;
    size = hypot(nx, ny, nz) || 1;
  }
  out[0] = nx / size;
  out[1] = ny / size;
  out[2] = nz / size;
}

/** Appends the contact of two points; returns its index. */
export function addRodContact(
  finder: Finder,
  set: ContactSet,
  { first, second, s, t }: PointPair,
  { normal: n, gap, approach }: { readonly normal: Float64Array; readonly gap: number; readonly approach: number },
): number {
  const { edgeRod, edgeIndex, pairRadius, rules } = finder;
  const i = addContact(set);
  set.key[i] = featureOf(finder, first, s) * FEATURE_LIMIT + featureOf(finder, second, t);
  set.rodA[i] = edgeRod[first];
  set.edgeA[i] = edgeIndex[first];
  set.weightA[i] = s;
  set.rodB[i] = edgeRod[second];
  set.edgeB[i] = edgeIndex[second];
  set.weightB[i] = t;
  set.collider[i] = -1;
  set.gap[i] = gap;
  set.approach[i] = approach;
  set.size[i] = Math.min(pairRadius[first], pairRadius[second]);
  const factor = finder.edgeFriction[first] * finder.edgeFriction[second];
  set.staticFriction[i] = rules.staticFriction * factor;
  set.dynamicFriction[i] = rules.dynamicFriction * factor;
  // the contact point divides the line between the axes in proportion to the radii
  const distance = gap + pairRadius[first] + pairRadius[second];
  const share = pairRadius[first] / (pairRadius[first] + pairRadius[second]);
  set.leverA[i] = -share * distance;
  set.leverB[i] = (1 - share) * distance;
  for (let k = 0; k < 3; k++) set.normal[3 * i + k] = n[k];
  return i;
}
