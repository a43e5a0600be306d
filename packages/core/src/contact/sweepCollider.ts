/**
 * The check of paths against surfaces that are not solid: did a place on a rod pass through within the step? Contacts are taken up a step
 * ahead by the speed at its start; what is thrown within the step is missed by that, and behind a thin surface nothing tells that
 * it went through. What ends inside a solid is seen (`findSunken`).
 *
 * Conservative advancement as in sweep.ts, with the distance function that every shape has: a place cannot meet the collider before
 * it has gone its distance. Paths are straight in the collider's own axes, from its pose at the start to that at the end; the
 * surface as it is at the start. Nodes are looked at, and three places inside each edge: a patch that fits between them is not seen.
 */
import { rotate } from '../bodies/body.ts';
import { type Collider, measureSurfaceVelocity, toLocal } from './collider.ts';
import { type Finder, interpolate, isHeld } from './find.ts';
import { isExempt, radiusAt, sizeAt, writeColliderPair } from './place.ts';
import { addContact, type ContactSet } from './set.ts';

const start = new Float64Array(3);
const way = new Float64Array(3);
const world = new Float64Array(3);
const local = new Float64Array(3);
/** Distance and normal. */
const found = new Float64Array(4);
const surface = new Float64Array(3);

const PLACES = [0, 0.25, 0.5, 0.75, 1] as const;

/** Adds a contact for every place that met a collider on the way from finder.position to `end`. Returns how many. */
export function sweepColliders(finder: Finder, set: ContactSet, end: Float64Array, t: number, dt: number): number {
  let met = 0;
  finder.colliders.forEach((collider, index) => {
    if (!collider.shape.thin) return;
    // a body is where it came to
    if (collider.body >= 0) collider.evaluate(collider.next, t + dt);
    let firstEdge = 0;
    for (let r = 0; r < finder.rods.length; r++) {
      const { edgeCount, closed } = finder.rods[r];
      const edge0 = firstEdge;
      firstEdge += edgeCount;
      if (!collider.acts[r] || finder.look[r] < 2 || !crossesBox(finder, collider, r, end)) continue;
      for (let j = 0; j < edgeCount; j++)
        for (const weight of PLACES)
          if (weight < 1 || (!closed && j === edgeCount - 1))
            met += sweepPlace(finder, set, collider, index, edge0 + j, weight, end, dt) ? 1 : 0;
    }
  });
  return met;
}

/** Whether the box of a rod at both ends of the step meets that of the collider at both. */
function crossesBox({ nodeOffset, position: x }: Finder, collider: Collider, r: number, end: Float64Array): boolean {
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
  finder: Finder,
  set: ContactSet,
  collider: Collider,
  index: number,
  edge: number,
  weight: number,
  end: Float64Array,
  dt: number,
): boolean {
  const { edgeFirst, edgeSecond, position: x } = finder;
  const a = 3 * edgeFirst[edge];
  const b = 3 * edgeSecond[edge];
  if (isHeld(finder, edge, weight) || isExempt(finder, index, edge, weight)) return false;
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
  if (length < 0.5 * size) return false;
  const { shape } = collider;
  shape.distance(found, start[0], start[1], start[2]);
  const limit = Math.min(0.5 * radius, 0.5 * found[0]);
  if (!(found[0] > 0) || found[0] - length > limit) return false;
  const near = 0.05 * found[0];
  let u = 0;
  while (found[0] - limit >= near) {
    u += (0.95 * (found[0] - limit)) / length;
    if (u >= 1) return false;
    for (let k = 0; k < 3; k++) local[k] = start[k] + u * way[k];
    shape.distance(found, local[0], local[1], local[2]);
  }
  addMeeting(finder, set, collider, index, edge, weight, u, radius, size, dt);
  return true;
}

/** With the path in `start` and `way`, and distance and normal at the meeting, both in the collider's axes. */
function addMeeting(
  finder: Finder,
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
  measureSurfaceVelocity(surface, collider, set.point[3 * i], set.point[3 * i + 1], set.point[3 * i + 2], dt);
  for (let k = 0; k < 3; k++) set.surface[3 * i + k] = collider.body >= 0 ? 0 : surface[k];
}
