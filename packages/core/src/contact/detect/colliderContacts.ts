/** Detects contacts of rods with colliders at the start of a step. Penetration at the end of a step is detected in penetration.ts. */

import { square as squareOf } from '../../math/rounded/index.ts';
import { addColliderPlace } from '../contactSet.ts';
import { type Collider, findClosest, measureDistanceIn, measureSurfaceVelocityAt } from '../shapes/collider.ts';
import { interpolate as at, type ColliderFinder, isHeldAlong, isNear } from './finderData.ts';
import { type ColliderPass, isExempt, radiusAt, sizeAt, writeColliderPair } from './rodPoint.ts';

/** Distance and normal of the last query. */
const distanceAt = new Float64Array(4);
const surface = new Float64Array(3);
/** Velocity of a point of a rod; contact point, or position at the end of the step. */
const velocity = new Float64Array(3);
const touching = new Float64Array(3);

/** The interpolated point between the points at a and b. */
function placeAt(out: Float64Array, x: Float64Array, a: number, b: number, weight: number): void {
  for (let k = 0; k < 3; k++) out[k] = at(x, a, b, weight, k);
}

/** A point of a rod that may come into contact within the step. */
interface Candidate {
  /** True if there is one. */
  near: boolean;
  weight: number;
  radius: number;
  size: number;
  gap: number;
  approach: number;
  restitution: number;
  /** Position on the axis; normal; velocity of the surface. */
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

/** Least distance, in radii, by which both adjacent edges must be closer than a node for the node's contact to be dropped. */
const NEARER = 0.01;

/**
 * Appends the contacts of rods `from` to `to` (default: all) with a collider.
 *
 * If a rod lies around a sphere, each edge touches the sphere in its interior and the nodes between them do not. So a node whose two edges are
 * both closer gets no contact (with hair on a head, two fifths of all). If such a node penetrates after all, the check at the end of the step
 * detects it.
 */
export function findWithCollider(pass: ColliderPass, from: number = 0, to: number = pass.finder.rodRole.length): void {
  const { finder, collider } = pass;
  const turn = measureRotation(collider);
  const shift = measureTranslation(collider);
  const own: StartPass = { ...pass, turn, shift, turns: turn > 1e-9 && turn < Infinity };
  for (let r = from; r < to; r++) {
    if (!collider.acts[r] || finder.rodRole[r] < 2 || !isRodNear(own, r)) continue;
    findWithRod(own, r);
  }
}

/** Search at the start of the step, with the collider's motion over the step. */
interface StartPass extends ColliderPass {
  /** Bound on a surface point's displacement per distance from the origin; displacement of the origin [m]. */
  readonly turn: number;
  readonly shift: number;
  /** True if the collider rotates. */
  readonly turns: boolean;
}

function findWithRod(pass: StartPass, r: number): void {
  const { finder, collider } = pass;
  const { nodeOffset, edgeOffset, position: x, nodeDistance } = finder;
  const nodeCount = nodeOffset[r + 1] - nodeOffset[r];
  const edge0 = edgeOffset[r];
  const edgeCount = edgeOffset[r + 1] - edge0;
  for (let i = nodeOffset[r]; i < nodeOffset[r + 1]; i++) {
    measureDistanceIn(distanceAt, collider, collider.now, x, 3 * i);
    for (let k = 0; k < 4; k++) nodeDistance[4 * i + k] = distanceAt[k];
  }
  edges[1].near = false;
  // nodes and edges alternate, in the order of their keys
  for (let i = 0; i < nodeCount; i++) {
    const atEnd = i >= edgeCount;
    const edge = edge0 + (atEnd ? edgeCount - 1 : i);
    const before = edges[(i + 1) & 1];
    const after = edges[i & 1];
    after.near = false;
    if (!atEnd && !finder.edgeBroken[edge]) measureInside(after, pass, edge);
    node.near = false;
    if (mayReach(pass, nodeOffset[r] + i, edge)) {
      const o = nodeOffset[r] + i;
      // a deforming surface provides its velocity only at the last point queried
      if (collider.shape.surfaceVelocity) measureDistanceIn(distanceAt, collider, collider.now, x, 3 * o);
      else for (let k = 0; k < 4; k++) distanceAt[k] = nodeDistance[4 * o + k];
      measureCandidate(node, pass, edge, atEnd ? 1 : 0);
    }
    const least = node.gap - NEARER * node.size;
    const between = before.near && after.near && before.gap < least && after.gap < least;
    if (node.near && !between) addCandidate(pass, edge, node);
    if (after.near) addCandidate(pass, edge, after);
  }
}

/** Displacement of the collider's origin over the step. */
function measureTranslation({ moves, now, next }: Collider): number {
  let square = 0;
  for (let k = 0; k < 3 && moves; k++) square += squareOf(next.position[k] - now.position[k]);
  return Math.sqrt(square);
}

/** Bound on a surface point's displacement over the step, per distance from the collider's origin; infinite if there is no bound. */
function measureRotation({ moves, body, shape, now, next }: Collider): number {
  if (body >= 0 || shape.surfaceVelocity) return Infinity;
  let square = 0;
  for (let k = 0; k < 9 && moves; k++) square += squareOf(next.rotation[k] - now.rotation[k]);
  return Math.sqrt(square);
}

/** True if a node with known distance may come into contact within the step. Nearly all nodes may not. */
function mayReach({ finder, collider, turn, shift, dt }: StartPass, node: number, edge: number): boolean {
  if (turn === Infinity) return true;
  const { position: x, velocity: v, nodeDistance, nodeRadius, acceleration, rules } = finder;
  const { now, moves } = collider;
  const o = 3 * node;
  let travel = dt * Math.sqrt(v[o] * v[o] + v[o + 1] * v[o + 1] + v[o + 2] * v[o + 2]);
  if (moves) {
    let far = 0;
    for (let k = 0; k < 3; k++) far += squareOf(x[o + k] - now.position[k]);
    // the surface point is at most as far away as the node's distance from it
    travel += shift + turn * (Math.sqrt(far) + Math.abs(nodeDistance[4 * node]));
  }
  const size = sizeAt(finder, edge, nodeRadius[node]);
  const gap = nodeDistance[4 * node] - nodeRadius[node] - rules.reach;
  return gap - 1.25 * travel - acceleration * dt * dt < 0.1 * size;
}

/** True if the bounding box of a rod and its motion overlaps the collider's. */
function isRodNear({ finder, collider, dt }: ColliderPass, r: number): boolean {
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

/** The interior point of an edge, if it is closer than both ends. */
function measureInside(out: Candidate, pass: StartPass, edge: number): void {
  const { finder, collider, shift, dt } = pass;
  const { edgeFirst, edgeSecond, position: x, velocity: v, nodeDistance, edgeRadius, acceleration } = finder;
  const a = edgeFirst[edge];
  const b = edgeSecond[edge];
  if (collider.shape.type === 'plane') return;
  // Math.hypot takes ten times as long, and this runs for every edge
  const length = Math.sqrt(
    squareOf(x[3 * b] - x[3 * a]) + squareOf(x[3 * b + 1] - x[3 * a + 1]) + squareOf(x[3 * b + 2] - x[3 * a + 2]),
  );
  const speed = Math.sqrt(
    Math.max(
      v[3 * a] * v[3 * a] + v[3 * a + 1] * v[3 * a + 1] + v[3 * a + 2] * v[3 * a + 2],
      v[3 * b] * v[3 * b] + v[3 * b + 1] * v[3 * b + 1] + v[3 * b + 2] * v[3 * b + 2],
    ),
  );
  const travel = 1.25 * dt * speed + (collider.moves ? shift + length : 0) + acceleration * dt * dt;
  const least = 0.5 * (nodeDistance[4 * a] + nodeDistance[4 * b] - length) - edgeRadius[edge];
  if (least - finder.rules.reach - travel > 0.1 * edgeRadius[edge]) return;
  const t = findClosest(collider, x, 3 * a, 3 * b);
  if (t < 1e-3 || t > 1 - 1e-3) return;
  placeAt(out.place, x, 3 * a, 3 * b, t);
  measureDistanceIn(distanceAt, collider, collider.now, out.place, 0);
  if (distanceAt[0] > Math.min(nodeDistance[4 * a], nodeDistance[4 * b])) return;
  if (repeatsNode(finder, a, t * length, edge) || repeatsNode(finder, b, (1 - t) * length, edge)) return;
  measureCandidate(out, pass, edge, t);
}

/**
 * True if the contact in `distanceAt` nearly coincides with that of a node at this distance: two nearly equal contacts make the response
 * matrix singular and the solver slow.
 */
function repeatsNode(
  { nodeDistance, edgeRadius }: ColliderFinder,
  node: number,
  distance: number,
  edge: number,
): boolean {
  if (distance > 0.5 * edgeRadius[edge]) return false;
  const o = 4 * node;
  const turned =
    distanceAt[1] * nodeDistance[o + 1] + distanceAt[2] * nodeDistance[o + 2] + distanceAt[3] * nodeDistance[o + 3];
  return nodeDistance[o] - distanceAt[0] < 0.005 * edgeRadius[edge] && turned > 0.9999;
}

/** Writes the candidate with the distance and normal in `distanceAt`, if it may come into contact within the step. */
function measureCandidate(out: Candidate, pass: StartPass, edge: number, weight: number): void {
  const { finder, collider, index, turns, dt } = pass;
  const { edgeFirst, edgeSecond, position: x, velocity: v } = finder;
  const a = 3 * edgeFirst[edge];
  const b = 3 * edgeSecond[edge];
  if (isExempt(finder, index, edge, weight)) return;
  if (collider.body < 0 && isHeldAlong(finder, edge, weight, distanceAt, 1)) return;
  const radius = radiusAt(finder, edge, weight);
  const gap = distanceAt[0] - radius;
  placeAt(out.place, x, a, b, weight);
  placeAt(velocity, v, a, b, weight);
  // the contact point
  const nx = distanceAt[1];
  const ny = distanceAt[2];
  const nz = distanceAt[3];
  const reach = Math.max(radius, 0) + 0.5 * gap;
  touching[0] = out.place[0] - reach * nx;
  touching[1] = out.place[1] - reach * ny;
  touching[2] = out.place[2] - reach * nz;
  measureSurfaceVelocityAt(surface, collider, touching, 0, dt);
  if (collider.body >= 0) addBodyVelocity(surface, collider, touching, 0);
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
 * For a rotating obstacle, replaces the normal in `distanceAt` by that at the end of the step, at the point's predicted position, and writes the
 * velocity at which the surface recedes along it to `surface`. With normal and surface of the start, a point that stays behind on a ball rotating
 * by θ would penetrate by R θ²/2, a third of a hair's radius on a head.
 */
function predictNormal(collider: Collider, p: Float64Array, v: Float64Array, dt: number): void {
  const nx = distanceAt[1];
  const ny = distanceAt[2];
  const nz = distanceAt[3];
  // tangentially with its current velocity, along the normal with the surface
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
  // beyond an edge of the obstacle: the current normal is more accurate
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

function addCandidate(pass: ColliderPass, edge: number, candidate: Candidate): void {
  const { set, collider } = pass;
  const { weight, radius, gap, approach, restitution, place, normal, surface: velocity } = candidate;
  const i = addColliderPlace(set);
  writeColliderPair(pass, i, edge, weight);
  set.gap[i] = gap;
  set.approach[i] = approach;
  set.restitution[i] = restitution;
  for (let k = 0; k < 3; k++) {
    set.normal[3 * i + k] = normal[k];
    // the velocity of a body is an unknown of the solver
    set.surface[3 * i + k] = collider.body >= 0 ? 0 : velocity[k];
  }
  set.leverA[i] = -(radius + gap);
  // do not allocate arrays that are never written
  if (collider.body >= 0) for (let k = 0; k < 3; k++) set.point[3 * i + k] = place[k] - (radius + gap) * normal[k];
}

/** Approach speed [m/s] below which contacts do not rebound: such speeds occur in resting contacts. */
export function reboundThreshold(finder: ColliderFinder, dt: number): number {
  return Math.max(2 * finder.acceleration * dt, 1e-3);
}

/** True if the impact, with the normal in `distanceAt`, will rebound after the end of this step. The world splits steps at impacts. */
function missesWithinStep(finder: ColliderFinder, gap: number, approach: number, dt: number): boolean {
  if (approach >= -reboundThreshold(finder, dt)) return false;
  const { gravity } = finder;
  const pull = gravity[0] * distanceAt[1] + gravity[1] * distanceAt[2] + gravity[2] * distanceAt[3];
  return gap + dt * approach + 0.5 * dt * dt * pull > 0.02 * dt * approach;
}

/** Current velocity of a body's point, for the approach speed. */
export function addBodyVelocity(out: Float64Array, { ride: pose }: Collider, x: Float64Array, o: number): void {
  if (!pose) return;
  const a = x[o] - pose.position[0];
  const b = x[o + 1] - pose.position[1];
  const c = x[o + 2] - pose.position[2];
  const w = pose.angularVelocity;
  out[0] += pose.velocity[0] + w[1] * c - w[2] * b;
  out[1] += pose.velocity[1] + w[2] * a - w[0] * c;
  out[2] += pose.velocity[2] + w[0] * b - w[1] * a;
}
