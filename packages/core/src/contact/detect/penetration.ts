/** Detects points of rods that ended a step inside a collider. */
import type { EachRange } from '../../threads/contactThreads.ts';
import { addColliderPlace, type ContactSet } from '../contactSet.ts';
import { type Collider, findClosest, measureBackward, measureDistanceIn, placeCollider } from '../shapes/collider.ts';
import { DEEPER, targetGap } from '../solve/sideVelocities.ts';
import { addBodyVelocity } from './colliderContacts.ts';
import { interpolate as at, type ColliderFinder, isHeldAlong } from './finderData.ts';
import { type ColliderPass, isExempt, radiusAt, sizeAt, writeColliderPair } from './rodPoint.ts';

/** Distance and normal of the last query. */
const distanceAt = new Float64Array(4);
const surface = new Float64Array(3);

/** A search for points that ended too deep inside one collider. */
interface PenetrationPass extends ColliderPass {
  /** Positions at the end of the step. */
  readonly end: Float64Array;
  /** Depth that is tolerated, in radii. */
  readonly allowed: number;
}

export interface PenetrationQuery {
  readonly t: number;
  readonly dt: number;
  /** Depth that is tolerated, in radii. */
  readonly allowed: number;
  /** The rods to search (default: all). Those that are not SEARCHED are skipped. */
  readonly rods?: readonly number[];
}

/**
 * Appends a contact for every point of the rods that ended the step too deep inside a collider, and deeper than it started: the normal changed
 * within the step, at an edge of the collider or because the point slid. `finder.end` holds the positions at the end of the step.
 */
export function findPenetrations(finder: ColliderFinder, set: ContactSet, query: PenetrationQuery): void {
  const { t, dt, allowed, rods = finder.rodRole.keys() } = query;
  const list = [...rods].filter((r) => finder.rodRole[r] >= 2);
  finder.colliders.forEach((collider, index) => {
    const pass = { finder, set, collider, index, t, dt, end: finder.end, allowed };
    atEnd(pass, () => {
      for (const r of list) findPenetrationsOfRod(pass, r);
    });
  });
}

/** Like `findPenetrations`, for one collider and the marked rods of some ranges. */
export function findMarkedPenetrations(
  pass: ColliderPass & { readonly allowed: number },
  marks: Uint8Array,
  each: EachRange,
): void {
  const own = { ...pass, end: pass.finder.end };
  const { rodRole } = pass.finder;
  atEnd(own, () => {
    each((from, to) => {
      for (let r = marks.indexOf(1, from); r >= 0 && r < to; r = marks.indexOf(1, r + 1))
        if (rodRole[r] >= 2) findPenetrationsOfRod(own, r);
    });
  });
}

/** Calls a function with the collider placed at the end of the step. */
function atEnd({ collider, t, dt }: ColliderPass, action: () => void): void {
  placeCollider(collider, t + dt, 0);
  action();
  placeCollider(collider, t, dt);
}

/** True if the bounding box of a rod at the end of the step overlaps the collider's. */
function meetsBounds(
  { nodeOffset, nodeRadius }: ColliderFinder,
  { bounds }: Collider,
  r: number,
  x: Float64Array,
): boolean {
  for (let k = 0; k < 3; k++) {
    if (bounds[k] === -Infinity && bounds[3 + k] === Infinity) continue;
    let low = Infinity;
    let high = -Infinity;
    for (let i = nodeOffset[r]; i < nodeOffset[r + 1]; i++) {
      const p = x[3 * i + k];
      if (p - nodeRadius[i] < low) low = p - nodeRadius[i];
      if (p + nodeRadius[i] > high) high = p + nodeRadius[i];
    }
    if (low > bounds[3 + k] || high < bounds[k]) return false;
  }
  return true;
}

function findPenetrationsOfRod(pass: PenetrationPass, r: number): void {
  const { finder, collider, end } = pass;
  if (!collider.acts[r] || !meetsBounds(finder, collider, r, end)) return;
  const nodeCount = finder.nodeOffset[r + 1] - finder.nodeOffset[r];
  const edge0 = finder.edgeOffset[r];
  const edgeCount = finder.edgeOffset[r + 1] - edge0;
  for (let i = 0; i < nodeCount; i++) {
    const o = 3 * (finder.nodeOffset[r] + i);
    measureDistanceIn(distanceAt, collider, collider.now, end, o);
    finder.nodeDistance[(4 * o) / 3] = distanceAt[0];
    const last = i >= edgeCount;
    addPenetration(pass, edge0 + (last ? i - 1 : i), last ? 1 : 0);
  }
  if (collider.shape.type === 'plane') return;
  for (let j = edge0; j < edge0 + edgeCount; j++) {
    if (finder.edgeBroken[j]) continue;
    const a = finder.edgeFirst[j];
    const b = finder.edgeSecond[j];
    const least = 0.5 * (finder.nodeDistance[4 * a] + finder.nodeDistance[4 * b] - 1.01 * finder.edgeLength[j]);
    if (least > 0.96 * finder.edgeRadius[j]) continue;
    const w = findClosest(collider, end, 3 * a, 3 * b);
    if (w < 1e-3 || w > 1 - 1e-3) continue;
    for (let k = 0; k < 3; k++) carried[k] = at(end, 3 * a, 3 * b, w, k);
    measureDistanceIn(distanceAt, collider, collider.now, carried, 0);
    addPenetration(pass, j, w);
  }
}

/** A point of an edge: indices of its ends in positions, its weight between them, and the radius of the rod there. */
interface EdgePoint {
  readonly a: number;
  readonly b: number;
  readonly weight: number;
  readonly radius: number;
}

/** Appends the point if it is too deep, with the distance and normal at the end of the step in `distanceAt`. */
function addPenetration(pass: PenetrationPass, edge: number, weight: number): void {
  const { finder, set, index, allowed } = pass;
  const radius = radiusAt(finder, edge, weight);
  const size = sizeAt(finder, edge, radius);
  const gap = distanceAt[0] - radius;
  if (gap > -allowed * size || isExempt(finder, index, edge, weight)) return;
  if (isHeldAlong(finder, edge, weight, distanceAt, 1)) return;
  const point = { a: 3 * finder.edgeFirst[edge], b: 3 * finder.edgeSecond[edge], weight, radius };
  const i = addColliderPlace(set);
  writeColliderPair(pass, i, edge, weight);
  set.swept[i] = 1;
  const [nx, ny, nz] = [distanceAt[1], distanceAt[2], distanceAt[3]];
  const inward = placeAlongEnd(pass, i, point) < -DEEPER * size;
  measureAtStart(pass, point);
  const began = distanceAt[0] - radius;
  const sameSide = nx * distanceAt[1] + ny * distanceAt[2] + nz * distanceAt[3] > 0;
  // a point that slides round a ball may move outwards along its final normal and penetrate nevertheless
  if (inward || (sameSide && gap < began - DEEPER * size)) {
    set.floor[i] = began < 0 ? targetGap(began, size) : 0;
    return;
  }
  // inside, yet moving outwards: it entered through the far side, unless it was inside before
  const displacement = placeAlongStart(pass, i, point);
  if (began < -allowed * size || set.gap[i] + displacement > -allowed * size) set.count--;
}

const carried = new Float64Array(3);

/**
 * Distance and normal, to the collider at the end of the step, of the point's initial position moved along with the surface (`surface`, which
 * `placeAlongEnd` wrote).
 */
function measureAtStart({ finder: { position: x }, collider, dt }: PenetrationPass, point: EdgePoint): void {
  const { a, b, weight } = point;
  for (let k = 0; k < 3; k++) carried[k] = at(x, a, b, weight, k) + dt * surface[k];
  measureDistanceIn(distanceAt, collider, collider.now, carried, 0);
}

/** Sets contact i along the normal that `measureAtStart` found; returns the point's displacement along it. */
function placeAlongStart(pass: PenetrationPass, i: number, { a, b, weight, radius }: EdgePoint): number {
  const { set, end, dt } = pass;
  const { position: x } = pass.finder;
  const gap = distanceAt[0] - radius;
  let displacement = 0;
  for (let k = 0; k < 3; k++) {
    const n = distanceAt[1 + k];
    set.normal[3 * i + k] = n;
    set.point[3 * i + k] = carried[k] - (radius + gap) * n;
    displacement += n * (at(end, a, b, weight, k) - at(x, a, b, weight, k) - dt * surface[k]);
  }
  set.leverA[i] = -(radius + gap);
  set.gap[i] = gap;
  return displacement;
}

/**
 * Sets normal, gap at the start, lever and surface velocity of contact i from the distance and normal at the end in `distanceAt`; returns the
 * point's displacement along the normal. The collider must be placed at the end of the step.
 */
function placeAlongEnd(pass: PenetrationPass, i: number, { a, b, weight, radius }: EdgePoint): number {
  const { set, collider, end, dt } = pass;
  const { position: x } = pass.finder;
  const gap = distanceAt[0] - radius;
  for (let k = 0; k < 3; k++) {
    const n = distanceAt[1 + k];
    set.normal[3 * i + k] = n;
    set.point[3 * i + k] = at(end, a, b, weight, k) - (radius + gap) * n;
  }
  set.leverA[i] = -(radius + gap);
  // both poses are those of the end: use surface velocities of the step before
  measureBackward(surface, collider, set.point, 3 * i, dt);
  // the body's velocity is an unknown, and the body is at its end as well
  if (collider.body >= 0) addBodyVelocity(surface, collider, set.point, 3 * i);
  let displacement = 0;
  for (let k = 0; k < 3; k++) {
    set.surface[3 * i + k] = collider.body >= 0 ? 0 : surface[k];
    displacement += distanceAt[1 + k] * (at(end, a, b, weight, k) - at(x, a, b, weight, k) - dt * surface[k]);
  }
  // along this normal the gap at the start was larger by that much
  set.gap[i] = gap - displacement;
  return displacement;
}
