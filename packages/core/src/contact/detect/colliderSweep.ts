/**
 * The check of paths against surfaces that are not solid: did a place on a rod pass through within the step? Contacts are taken up a step
 * ahead by the speed at its start; what is thrown within the step is missed by that, and behind a thin surface nothing tells that
 * it went through. What ends inside a solid is seen (`findSunken`).
 *
 * Conservative advancement as in rodSweep.ts, with the distance function that every shape has: a place cannot meet the collider before
 * it has gone its distance. Paths are straight in the collider's own axes, from its pose at the start to that at the end; the
 * surface as it is at the start. Nodes are looked at, and three places inside each edge: a patch that fits between them is not seen.
 */
import { rotate } from '../../bodies/body.ts';
import { addContact, type ContactSet } from '../contactSet.ts';
import { type Collider, measureSurfaceVelocityAt, toLocal } from '../shapes/collider.ts';
import { type ColliderFinder, interpolate, isHeld } from './finderData.ts';
import { isExempt, radiusAt, sizeAt, writeColliderPair } from './rodPoint.ts';

const start = new Float64Array(3);
const way = new Float64Array(3);
const world = new Float64Array(3);
const local = new Float64Array(3);
/** Distance and normal. */
const found = new Float64Array(4);
const surface = new Float64Array(3);

const PLACES = [0, 0.25, 0.5, 0.75, 1] as const;

/**
 * Adds a contact for every place of rods `from` to `to` that met a collider, which is placed at the start of the step, on the way from
 * finder.position to finder.end.
 */
export function sweepCollider(
  finder: ColliderFinder,
  set: ContactSet,
  index: number,
  t: number,
  dt: number,
  from: number = 0,
  to: number = finder.rodRole.length,
): void {
  const collider = finder.colliders[index];
  const { nodeOffset, edgeOffset, end } = finder;
  // a body is where it came to
  if (collider.body >= 0) collider.evaluate(collider.next, t + dt);
  for (let r = from; r < to; r++) {
    if (!collider.acts[r] || finder.rodRole[r] < 2 || !crossesBox(finder, collider, r, end)) continue;
    const edge0 = edgeOffset[r];
    const edgeCount = edgeOffset[r + 1] - edge0;
    const closed = nodeOffset[r + 1] - nodeOffset[r] === edgeCount;
    for (let j = 0; j < edgeCount; j++)
      for (const weight of PLACES)
        if (weight < 1 || (!closed && j === edgeCount - 1))
          sweepPlace(finder, set, collider, index, edge0 + j, weight, end, dt);
  }
}

/** Whether the box of a rod at both ends of the step meets that of the collider at both. */
function crossesBox(
  { nodeOffset, position: x }: ColliderFinder,
  collider: Collider,
  r: number,
  end: Float64Array,
): boolean {
  const { bounds, now, next, moves } = collider;
  if (moves && turns(collider)) return true;
  for (let k = 0; k < 3; k++) {
    const shift = next.position[k] - now.position[k];
    let low = Infinity;
    let high = -Infinity;
    for (let i = 3 * nodeOffset[r] + k; i < 3 * nodeOffset[r + 1]; i += 3) {
      low = Math.min(low, x[i], end[i]);
      high = Math.max(high, x[i], end[i]);
    }
    if (low > bounds[3 + k] + Math.max(0, shift) || high < bounds[k] + Math.min(0, shift)) return false;
  }
  return true;
}

function turns({ now, next }: Collider): boolean {
  return now.rotation.some((value, k) => value !== next.rotation[k]);
}

function sweepPlace(
  finder: ColliderFinder,
  set: ContactSet,
  collider: Collider,
  index: number,
  edge: number,
  weight: number,
  end: Float64Array,
  dt: number,
): void {
  const { edgeFirst, edgeSecond, position: x } = finder;
  const a = 3 * edgeFirst[edge];
  const b = 3 * edgeSecond[edge];
  if (isHeld(finder, edge, weight) || isExempt(finder, index, edge, weight)) return;
  const radius = radiusAt(finder, edge, weight);
  for (let k = 0; k < 3; k++) world[k] = interpolate(x, a, b, weight, k);
  toLocal(start, collider.now, world, 0);
  for (let k = 0; k < 3; k++) world[k] = interpolate(end, a, b, weight, k);
  toLocal(way, collider.next, world, 0);
  let length = 0;
  for (let k = 0; k < 3; k++) {
    way[k] -= start[k];
    length += way[k] * way[k];
  }
  length = Math.sqrt(length);
  const size = sizeAt(finder, edge, radius);
  // who goes less than that ends where contacts at the end of the step see it
  if (length < 0.5 * size) return;
  const { shape } = collider;
  shape.distance(found, start[0], start[1], start[2]);
  const limit = Math.min(0.5 * radius, 0.5 * found[0]);
  if (!(found[0] > 0) || found[0] - length > limit) return;
  const near = 0.05 * found[0];
  let u = 0;
  while (found[0] - limit >= near) {
    u += (0.95 * (found[0] - limit)) / length;
    if (u >= 1) return;
    for (let k = 0; k < 3; k++) local[k] = start[k] + u * way[k];
    shape.distance(found, local[0], local[1], local[2]);
  }
  addMeeting(finder, set, collider, index, edge, weight, u, radius, size, dt);
}

/** With the path in `start` and `way`, and distance and normal at the meeting, both in the collider's axes. */
function addMeeting(
  finder: ColliderFinder,
  set: ContactSet,
  collider: Collider,
  index: number,
  edge: number,
  weight: number,
  u: number,
  radius: number,
  size: number,
  dt: number,
): void {
  const i = addContact(set);
  writeColliderPair(finder, set, i, collider, index, edge, weight, size);
  set.rodB[i] = -1;
  set.swept[i] = 1;
  let gap = -radius;
  for (let k = 0; k < 3; k++) {
    // the point of the surface that is met
    local[k] = start[k] + u * way[k] - found[0] * found[1 + k];
    gap += found[1 + k] * (start[k] - local[k]);
  }
  set.gap[i] = gap;
  rotate(set.normal, 3 * i, collider.now.rotation, found.subarray(1, 4), 0);
  rotate(world, 0, collider.now.rotation, local, 0);
  for (let k = 0; k < 3; k++) {
    set.point[3 * i + k] = world[k] + collider.now.position[k];
  }
  set.leverA[i] = -radius;
  measureSurfaceVelocityAt(surface, collider, set.point, 3 * i, dt);
  for (let k = 0; k < 3; k++) set.surface[3 * i + k] = collider.body >= 0 ? 0 : surface[k];
}
