/**
 * Continuous collision check against surfaces that are not solid: did a point of a rod pass through within the step? Detection at the start of a
 * step extrapolates with the speed there, and misses points that accelerate within the step. Behind a thin surface the distance does not show
 * that they passed. Points that end inside a solid are detected in penetration.ts.
 *
 * Conservative advancement as in rodSweep.ts, with the distance function that every shape has: a point cannot reach the collider before it has
 * moved by its distance. Paths are straight in the collider's axes, from its pose at the start to that at the end, and the surface keeps its form
 * of the start. The check covers nodes and three points inside each edge; a patch that fits between them is missed.
 */
import { rotate } from '../../bodies/body.ts';
import { addContact } from '../contactSet.ts';
import { type Collider, measureSurfaceVelocityAt, toLocal } from '../shapes/collider.ts';
import { type ColliderFinder, interpolate, isHeldAlong } from './finderData.ts';
import { type ColliderPass, isExempt, radiusAt, sizeAt, writeColliderPair } from './rodPoint.ts';

const start = new Float64Array(3);
const normal = new Float64Array(3);
const path = new Float64Array(3);
const world = new Float64Array(3);
const local = new Float64Array(3);
/** Distance and normal. */
const found = new Float64Array(4);
const surface = new Float64Array(3);

const PLACES = [0, 0.25, 0.5, 0.75, 1] as const;

/**
 * Appends a contact for every point of rods `from` to `to` that reached a collider on the way from finder.position to finder.end. The collider
 * must be placed at the start of the step.
 */
export function sweepCollider(pass: ColliderPass, from: number = 0, to: number = pass.finder.rodRole.length): void {
  const { finder, collider, t, dt } = pass;
  const { nodeOffset, edgeOffset, end } = finder;
  // a body is at its position at the end of the step
  if (collider.body >= 0) collider.evaluate(collider.next, t + dt);
  for (let r = from; r < to; r++) {
    if (!collider.acts[r] || finder.rodRole[r] < 2 || !crossesBox(finder, collider, r, end)) continue;
    const edge0 = edgeOffset[r];
    const edgeCount = edgeOffset[r + 1] - edge0;
    const closed = nodeOffset[r + 1] - nodeOffset[r] === edgeCount;
    for (let j = 0; j < edgeCount; j++)
      for (const weight of PLACES)
        if (sweepsPoint(finder, edge0 + j, weight, !closed && j === edgeCount - 1)) sweepPoint(pass, edge0 + j, weight);
  }
}

/** True if the point of an edge is swept: a node once, with the edge after it, and points inside unless the edge is broken. */
function sweepsPoint({ edgeBroken }: ColliderFinder, edge: number, weight: number, isLast: boolean): boolean {
  if (weight === 0) return true;
  return weight < 1 ? edgeBroken[edge] === 0 : isLast;
}

/** True if the bounding box of a rod over the step overlaps that of the collider over the step. */
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

/** Appends a contact if the point of an edge reaches the collider within the step. */
function sweepPoint(pass: ColliderPass, edge: number, weight: number): void {
  const { finder, collider, index } = pass;
  if (isExempt(finder, index, edge, weight)) return;
  const radius = radiusAt(finder, edge, weight);
  const length = writePath(pass, edge, weight);
  // a shorter path ends where the detection at the end of the step finds it
  if (length < 0.5 * sizeAt(finder, edge, radius)) return;
  const { shape } = collider;
  shape.distance(found, start[0], start[1], start[2]);
  const limit = Math.min(0.5 * radius, 0.5 * found[0]);
  if (!(found[0] > 0) || found[0] - length > limit) return;
  const near = 0.05 * found[0];
  let u = 0;
  while (found[0] - limit >= near) {
    u += (0.95 * (found[0] - limit)) / length;
    if (u >= 1) return;
    for (let k = 0; k < 3; k++) local[k] = start[k] + u * path[k];
    shape.distance(found, local[0], local[1], local[2]);
  }
  // the point of the surface that is hit
  for (let k = 0; k < 3; k++) local[k] = start[k] + u * path[k] - found[0] * found[1 + k];
  rotate(normal, 0, collider.now.rotation, found.subarray(1, 4), 0);
  if (!isHeldAlong(finder, edge, weight, normal)) addImpact(pass, edge, weight);
}

/** Writes the point's path over the step, in the collider's axes, to `start` and `path`; returns its length. */
function writePath({ finder, collider }: ColliderPass, edge: number, weight: number): number {
  const { edgeFirst, edgeSecond, position, end } = finder;
  const a = 3 * edgeFirst[edge];
  const b = 3 * edgeSecond[edge];
  for (let k = 0; k < 3; k++) world[k] = interpolate(position, a, b, weight, k);
  toLocal(start, collider.now, world, 0);
  for (let k = 0; k < 3; k++) world[k] = interpolate(end, a, b, weight, k);
  toLocal(path, collider.next, world, 0);
  let square = 0;
  for (let k = 0; k < 3; k++) {
    path[k] -= start[k];
    square += path[k] * path[k];
  }
  return Math.sqrt(square);
}

/** Appends the contact of a path that begins at `start` and hits the surface at `local` in the collider's axes, with the normal in `normal`. */
function addImpact(pass: ColliderPass, edge: number, weight: number): void {
  const { finder, set, collider, dt } = pass;
  const i = addContact(set);
  writeColliderPair(pass, i, edge, weight);
  set.rodB[i] = -1;
  set.swept[i] = 1;
  const radius = radiusAt(finder, edge, weight);
  let gap = -radius;
  for (let k = 0; k < 3; k++) gap += found[1 + k] * (start[k] - local[k]);
  set.gap[i] = gap;
  set.normal.set(normal, 3 * i);
  rotate(world, 0, collider.now.rotation, local, 0);
  for (let k = 0; k < 3; k++) {
    set.point[3 * i + k] = world[k] + collider.now.position[k];
  }
  set.leverA[i] = -radius;
  measureSurfaceVelocityAt(surface, collider, set.point, 3 * i, dt);
  for (let k = 0; k < 3; k++) set.surface[3 * i + k] = collider.body >= 0 ? 0 : surface[k];
}
