/** Contacts of rods with colliders at the start of a step; what ended inside one is in penetration.ts. */

import { square as squareOf } from '../../math/rounded/index.ts';
import { addColliderPlace, type ContactSet } from '../contactSet.ts';
import { type Collider, findClosest, measureDistanceIn, measureSurfaceVelocityAt } from '../shapes/collider.ts';
import { interpolate as at, type ColliderFinder, isHeld, isNear } from './finderData.ts';
import { isExempt, radiusAt, sizeAt, writeColliderPair } from './rodPoint.ts';

/** Distance and normal that were measured last. */
const distanceAt = new Float64Array(4);
const surface = new Float64Array(3);
/** Of a place: its velocity, and where the surfaces meet or it will be. */
const velocity = new Float64Array(3);
const touching = new Float64Array(3);

/** The place between the points at a and b. */
function placeAt(out: Float64Array, x: Float64Array, a: number, b: number, weight: number): void {
  for (let k = 0; k < 3; k++) out[k] = at(x, a, b, weight, k);
}

/** A place that may come near within the step. */
interface Candidate {
  /** Whether there is one. */
  near: boolean;
  weight: number;
  radius: number;
  size: number;
  gap: number;
  approach: number;
  restitution: number;
  /** Of the axis; normal; velocity of the surface. */
  readonly place: Float64Array;
  readonly normal: Float64Array;
  readonly surface: Float64Array;
}

const createCandidate = (): Candidate => ({
  near: false,
  weight: 0,
  radius: 0,
  size: 0,
  gap: 0,
  approach: 0,
  restitution: 0,
  place: new Float64Array(3),
  normal: new Float64Array(3),
  surface: new Float64Array(3),
});
const node = createCandidate();
const edges: readonly Candidate[] = [createCandidate(), createCandidate()];

/** How much nearer, in radii, the edges on either side of a node are where contact is theirs. */
const NEARER = 0.01;

/**
 * Appends the contacts of rods `from` to `to`, by default of all, with a collider.
 *
 * Where a rod lies round a sphere each edge touches it somewhere inside, and the nodes between them do not: contact of a node whose
 * edges both come nearer than it is left out. (Of hair on a head that is two fifths of all.) Should it sink in after all, that is found at the
 * end of the step.
 */
export function findWithCollider(
  finder: ColliderFinder,
  set: ContactSet,
  collider: Collider,
  index: number,
  dt: number,
  from: number = 0,
  to: number = finder.rodRole.length,
): void {
  const { nodeOffset, edgeOffset, position: x, nodeDistance } = finder;
  const turn = measureRotation(collider);
  const shift = measureTranslation(collider);
  const turns = turn > 1e-9 && turn < Infinity;
  for (let r = from; r < to; r++) {
    const nodeCount = nodeOffset[r + 1] - nodeOffset[r];
    const edge0 = edgeOffset[r];
    const edgeCount = edgeOffset[r + 1] - edge0;
    if (!collider.acts[r] || finder.rodRole[r] < 2 || !isRodNear(finder, collider, r, dt)) continue;
    for (let i = nodeOffset[r]; i < nodeOffset[r + 1]; i++) {
      measureDistanceIn(distanceAt, collider, collider.now, x, 3 * i);
      for (let k = 0; k < 4; k++) nodeDistance[4 * i + k] = distanceAt[k];
    }
    edges[1].near = false;
    // nodes and edges in turn, in the order of their keys
    for (let i = 0; i < nodeCount; i++) {
      const atEnd = i >= edgeCount;
      const edge = edge0 + (atEnd ? edgeCount - 1 : i);
      const before = edges[(i + 1) & 1];
      const after = edges[i & 1];
      after.near = false;
      if (!atEnd) measureInside(after, finder, collider, index, edge, shift, turns, dt);
      node.near = false;
      if (mayReach(finder, collider, nodeOffset[r] + i, edge, turn, shift, dt)) {
        const o = nodeOffset[r] + i;
        // a surface that deforms has its velocity only where it was last measured
        if (collider.shape.surfaceVelocity) measureDistanceIn(distanceAt, collider, collider.now, x, 3 * o);
        else for (let k = 0; k < 4; k++) distanceAt[k] = nodeDistance[4 * o + k];
        measureCandidate(node, finder, collider, index, edge, atEnd ? 1 : 0, turns, dt);
      }
      const least = node.gap - NEARER * node.size;
      const between = before.near && after.near && before.gap < least && after.gap < least;
      if (node.near && !between) addCandidate(finder, set, collider, index, edge, node);
      if (after.near) addCandidate(finder, set, collider, index, edge, after);
    }
  }
}

/** How far the collider's place comes in the step. */
function measureTranslation({ moves, now, next }: Collider): number {
  let square = 0;
  for (let k = 0; k < 3 && moves; k++) square += squareOf(next.position[k] - now.position[k]);
  return Math.sqrt(square);
}

/** How far a point of the surface comes in the step at most, per distance from the collider's place; infinite where that says nothing. */
function measureRotation({ moves, body, shape, now, next }: Collider): number {
  if (body >= 0 || shape.surfaceVelocity) return Infinity;
  let square = 0;
  for (let k = 0; k < 9 && moves; k++) square += squareOf(next.rotation[k] - now.rotation[k]);
  return Math.sqrt(square);
}

/** Whether a node, whose distance is known, may come near within the step: those that may not are nearly all. */
function mayReach(
  finder: ColliderFinder,
  collider: Collider,
  node: number,
  edge: number,
  turn: number,
  shift: number,
  dt: number,
): boolean {
  if (turn === Infinity) return true;
  const { position: x, velocity: v, nodeDistance, nodeRadius, acceleration, rules } = finder;
  const { now, moves } = collider;
  const o = 3 * node;
  let way = dt * Math.sqrt(v[o] * v[o] + v[o + 1] * v[o + 1] + v[o + 2] * v[o + 2]);
  if (moves) {
    let far = 0;
    for (let k = 0; k < 3; k++) far += squareOf(x[o + k] - now.position[k]);
    // the surface's point is as far away as the node's distance from it, at most
    way += shift + turn * (Math.sqrt(far) + Math.abs(nodeDistance[4 * node]));
  }
  const size = sizeAt(finder, edge, nodeRadius[node]);
  const gap = nodeDistance[4 * node] - nodeRadius[node] - rules.reach;
  return gap - 1.25 * way - acceleration * dt * dt < 0.1 * size;
}

/** Whether the box about a rod and its motion meets the collider's. */
function isRodNear(finder: ColliderFinder, collider: Collider, r: number, dt: number): boolean {
  const { nodeOffset, position: x, velocity: v, nodeRadius, acceleration } = finder;
  const { bounds, now, next } = collider;
  const from = nodeOffset[r];
  const to = nodeOffset[r + 1];
  for (let k = 0; k < 3; k++) {
    if (bounds[k] === -Infinity && bounds[3 + k] === Infinity) continue;
    let low = Infinity;
    let high = -Infinity;
    let reach = 0;
    let speed = 0;
    for (let i = from; i < to; i++) {
      const p = x[3 * i + k];
      if (p < low) low = p;
      if (p > high) high = p;
      reach = Math.max(reach, nodeRadius[i]);
      speed = Math.max(speed, Math.abs(v[3 * i + k]));
    }
    const shift = Math.abs(next.position[k] - now.position[k]);
    const margin = finder.rules.reach + 1.1 * reach + 1.25 * dt * speed + acceleration * dt * dt + 2 * shift;
    if (low - margin > bounds[3 + k] || high + margin < bounds[k]) return false;
  }
  return true;
}

/** The inside of an edge, where it is closer than both its ends. */
function measureInside(
  out: Candidate,
  finder: ColliderFinder,
  collider: Collider,
  index: number,
  edge: number,
  shift: number,
  turns: boolean,
  dt: number,
): void {
  const { edgeFirst, edgeSecond, position: x, velocity: v, nodeDistance, edgeRadius, acceleration } = finder;
  const a = edgeFirst[edge];
  const b = edgeSecond[edge];
  if (collider.shape.type === 'plane') return;
  // not by Math.hypot, which takes ten times as long: this is done for every edge
  const length = Math.sqrt(
    squareOf(x[3 * b] - x[3 * a]) + squareOf(x[3 * b + 1] - x[3 * a + 1]) + squareOf(x[3 * b + 2] - x[3 * a + 2]),
  );
  const speed = Math.sqrt(
    Math.max(
      v[3 * a] * v[3 * a] + v[3 * a + 1] * v[3 * a + 1] + v[3 * a + 2] * v[3 * a + 2],
      v[3 * b] * v[3 * b] + v[3 * b + 1] * v[3 * b + 1] + v[3 * b + 2] * v[3 * b + 2],
    ),
  );
  const way = 1.25 * dt * speed + (collider.moves ? shift + length : 0) + acceleration * dt * dt;
  const least = 0.5 * (nodeDistance[4 * a] + nodeDistance[4 * b] - length) - edgeRadius[edge];
  if (least - finder.rules.reach - way > 0.1 * edgeRadius[edge]) return;
  const t = findClosest(collider, x, 3 * a, 3 * b);
  if (t < 1e-3 || t > 1 - 1e-3) return;
  placeAt(out.place, x, 3 * a, 3 * b, t);
  measureDistanceIn(distanceAt, collider, collider.now, out.place, 0);
  if (distanceAt[0] > Math.min(nodeDistance[4 * a], nodeDistance[4 * b])) return;
  if (repeatsNode(finder, a, t * length, edge) || repeatsNode(finder, b, (1 - t) * length, edge)) return;
  measureCandidate(out, finder, collider, index, edge, t, turns, dt);
}

/**
 * Whether the place in `distanceAt` says what a node says that is `way` from it: two contacts that are all but one make the matrix of
 * responses singular, and solvers slow.
 */
function repeatsNode({ nodeDistance, edgeRadius }: ColliderFinder, node: number, way: number, edge: number): boolean {
  if (way > 0.5 * edgeRadius[edge]) return false;
  const o = 4 * node;
  const turned =
    distanceAt[1] * nodeDistance[o + 1] + distanceAt[2] * nodeDistance[o + 2] + distanceAt[3] * nodeDistance[o + 3];
  return nodeDistance[o] - distanceAt[0] < 0.005 * edgeRadius[edge] && turned > 0.9999;
}

/** With distance and normal in `distanceAt`. */
function measureCandidate(
  out: Candidate,
  finder: ColliderFinder,
  collider: Collider,
  index: number,
  edge: number,
  weight: number,
  turns: boolean,
  dt: number,
): void {
  const { edgeFirst, edgeSecond, position: x, velocity: v } = finder;
  const a = 3 * edgeFirst[edge];
  const b = 3 * edgeSecond[edge];
  if (isExempt(finder, index, edge, weight)) return;
  if (isHeld(finder, edge, weight) && collider.body < 0) return;
  const radius = radiusAt(finder, edge, weight);
  const gap = distanceAt[0] - radius;
  placeAt(out.place, x, a, b, weight);
  placeAt(velocity, v, a, b, weight);
  // where the surfaces meet
  const nx = distanceAt[1];
  const ny = distanceAt[2];
  const nz = distanceAt[3];
  const reach = Math.max(radius, 0) + 0.5 * gap;
  touching[0] = out.place[0] - reach * nx;
  touching[1] = out.place[1] - reach * ny;
  touching[2] = out.place[2] - reach * nz;
  measureSurfaceVelocityAt(surface, collider, touching, 0, dt);
  if (collider.body >= 0) addBodyVelocity(surface, collider, touching[0], touching[1], touching[2]);
  const approach = nx * (velocity[0] - surface[0]) + ny * (velocity[1] - surface[1]) + nz * (velocity[2] - surface[2]);
  const size = sizeAt(finder, edge, radius);
  if (!isNear(gap - finder.rules.reach, approach, size, finder.acceleration, dt)) return;
  const restitution = Math.min(1, collider.restitution * finder.edgeRestitution[edge]);
  if (restitution > 0 && missesWithinStep(finder, gap, approach, dt)) return;
  out.near = true;
  out.weight = weight;
  out.radius = radius;
  out.size = size;
  out.gap = gap;
  out.approach = approach;
  out.restitution = restitution;
  if (turns) predictNormal(collider, out.place, velocity, dt);
  for (let k = 0; k < 3; k++) {
    out.normal[k] = distanceAt[1 + k];
    out.surface[k] = surface[k];
  }
}

const ahead = new Float64Array(4);

/**
 * Puts the direction of an obstacle that turns, as it will be at the end of the step where the place will have come to, in place of
 * that in `distanceAt`, and the velocity at which the surface recedes there along it into `surface`. With direction and surface of the
 * start, a place that stays behind on a ball that turns by θ is let in by R θ²/2, a third of a hair's radius on a head.
 */
function predictNormal(collider: Collider, p: Float64Array, v: Float64Array, dt: number): void {
  const nx = distanceAt[1];
  const ny = distanceAt[2];
  const nz = distanceAt[3];
  // along the surface as now, across it as the surface
  const closing = nx * (v[0] - surface[0]) + ny * (v[1] - surface[1]) + nz * (v[2] - surface[2]);
  const wx = v[0] - closing * nx;
  const wy = v[1] - closing * ny;
  const wz = v[2] - closing * nz;
  touching[0] = p[0] + dt * wx;
  touching[1] = p[1] + dt * wy;
  touching[2] = p[2] + dt * wz;
  measureDistanceIn(ahead, collider, collider.next, touching, 0);
  const mx = ahead[1];
  const my = ahead[2];
  const mz = ahead[3];
  // beyond an edge: what holds it now is nearer to the truth
  if (!(nx * mx + ny * my + nz * mz > 0.7)) return;
  const recedes = mx * wx + my * wy + mz * wz - (ahead[0] - distanceAt[0]) / dt;
  const more = recedes - (mx * surface[0] + my * surface[1] + mz * surface[2]);
  surface[0] += more * mx;
  surface[1] += more * my;
  surface[2] += more * mz;
  distanceAt[1] = mx;
  distanceAt[2] = my;
  distanceAt[3] = mz;
}

function addCandidate(
  finder: ColliderFinder,
  set: ContactSet,
  collider: Collider,
  index: number,
  edge: number,
  { weight, radius, size, gap, approach, restitution, place, normal, surface: velocity }: Candidate,
): void {
  const i = addColliderPlace(set);
  writeColliderPair(finder, set, i, collider, index, edge, weight, size);
  set.gap[i] = gap;
  set.approach[i] = approach;
  set.restitution[i] = restitution;
  for (let k = 0; k < 3; k++) {
    set.normal[3 * i + k] = normal[k];
    // a body's velocity is an unknown of its own
    set.surface[3 * i + k] = collider.body >= 0 ? 0 : velocity[k];
  }
  set.leverA[i] = -(radius + gap);
  // room that is never written need not be there
  if (collider.body >= 0) for (let k = 0; k < 3; k++) set.point[3 * i + k] = place[k] - (radius + gap) * normal[k];
}

/** Approach [m/s] below which an impact rebounds: slower ones are those of things at rest. */
export function reboundThreshold(finder: ColliderFinder, dt: number): number {
  return Math.max(2 * finder.acceleration * dt, 1e-3);
}

/** With the normal in `distanceAt`: it will rebound when it arrives, but does not within the step. Steps are cut at impacts. */
function missesWithinStep(finder: ColliderFinder, gap: number, approach: number, dt: number): boolean {
  if (approach >= -reboundThreshold(finder, dt)) return false;
  const { gravity } = finder;
  const pull = gravity[0] * distanceAt[1] + gravity[1] * distanceAt[2] + gravity[2] * distanceAt[3];
  return gap + dt * approach + 0.5 * dt * dt * pull > 0.02 * dt * approach;
}

/** Velocity of a body's point now, for the approach. */
export function addBodyVelocity(out: Float64Array, collider: Collider, x: number, y: number, z: number): void {
  const pose = collider.ride;
  if (!pose) return;
  const a = x - pose.position[0];
  const b = y - pose.position[1];
  const c = z - pose.position[2];
  const w = pose.angularVelocity;
  out[0] += pose.velocity[0] + w[1] * c - w[2] * b;
  out[1] += pose.velocity[1] + w[2] * a - w[0] * c;
  out[2] += pose.velocity[2] + w[0] * b - w[1] * a;
}
