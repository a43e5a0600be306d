/**
 * A collider in its pose: distance, normal and velocity of its surface at points in world axes. Built by compileCollider.ts.
 *
 * Each step uses two poses, at its start and at its end. The velocity of a surface point is its displacement between them divided by dt, so a
 * fast rotation carries rods that lie on it along the chord of the arc, not along its tangent.
 */
import { type BodyPose, rotate } from '../../bodies/body.ts';
import type { BodyPath } from '../../scene/kinematic.ts';
import { isMovedByHand } from './handMotion.ts';
import type { Shape } from './shape.ts';

/** Coefficients of friction, and the factor on them at time t [s]. */
export interface ChangingFriction {
  readonly static: number;
  readonly dynamic: number;
  factor(t: number): number;
}

/** Makes the friction of a collider, or of contacts between rods, that of time t. */
export function animateFriction(
  out: { staticFriction: number; dynamicFriction: number },
  changing: ChangingFriction,
  t: number,
): void {
  const factor = changing.factor(t);
  out.staticFriction = factor * changing.static;
  out.dynamicFriction = factor * changing.dynamic;
}

export interface Pose {
  readonly position: Float64Array;
  /** Rotation from the collider's axes to world axes, 3 × 3. */
  readonly rotation: Float64Array;
}

/** A collider of the scene, compiled: distance, normal and motion of its surface. */
export interface Collider {
  /** Id in the scene. */
  readonly id: string;
  /** Shape in axes of the collider. */
  readonly shape: Shape;
  /** Sign of the distance: −1 if the outside is solid. */
  readonly side: 1 | -1;
  /** Friction at the end of the current step. */
  staticFriction: number;
  /** Friction while the surfaces slide, at the end of the current step. */
  dynamicFriction: number;
  /** Its value and the factor of a friction that changes in time; absent if it does not. */
  readonly changingFriction?: ChangingFriction;
  /** Coefficient of restitution, 0 to 1. */
  readonly restitution: number;
  /** Index in the scene's bodies, −1 for none. */
  readonly body: number;
  /** Current pose of that body. */
  readonly ride: BodyPose | undefined;
  /** Path of that body, if it is prescribed. */
  readonly ridePath: BodyPath | undefined;
  /** 1 for each rod of the scene that it acts on. */
  readonly acts: Uint8Array;
  /** Pose at the start of the step. */
  readonly now: Pose;
  /** Pose at the end of the step. */
  readonly next: Pose;
  /** Bounding box of the solid in world axes, at the start of the step. */
  readonly bounds: Float64Array;
  /** Time of the pose `now` [s]. */
  time: number;
  /** True if the collider ever moves. */
  moves: boolean;
  /** Displacement that `move` has set; copied when the same collider is placed elsewhere. */
  readonly hand: Float64Array;
  /** Writes the pose at time t [s]. */
  evaluate(out: Pose, t: number): void;
  /** Displacement over the last dt [m] of the surface point that is at x at time t: by the motion of the pose and by deformation. */
  measureDisplacement(out: Float64Array, x: Float64Array, t: number, dt: number): void;
  /** Moves the collider by hand from its place at time t to `offset` [m] from its place in the scene, within `seconds`. Not part of the state. */
  move(offset: ArrayLike<number>, t: number, seconds: number): void;
}

export const createPose = (): Pose => ({
  position: new Float64Array(3),
  rotation: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
});

/** Copies the displacement by hand of the same collider elsewhere. */
export function takeHand(collider: Collider, hand: Float64Array): void {
  collider.hand.set(hand);
  if (isMovedByHand(hand)) collider.moves = true;
}

/** Sets the poses at t and at t + dt, and the bounding box in world axes. */
export function placeCollider(collider: Collider, t: number, dt: number): void {
  const { shape, now, next, bounds } = collider;
  shape.update?.(t);
  collider.time = t;
  collider.evaluate(now, t);
  collider.evaluate(next, t + dt);
  if (collider.changingFriction) animateFriction(collider, collider.changingFriction, t + dt);
  if (collider.side < 0) {
    bounds.fill(-Infinity, 0, 3).fill(Infinity, 3, 6);
    return;
  }
  for (let i = 0; i < 3; i++) {
    let low = now.position[i];
    let high = low;
    for (let j = 0; j < 3; j++) {
      const r = now.rotation[3 * i + j];
      if (r === 0) continue;
      const p = r * shape.bounds[j];
      const q = r * shape.bounds[3 + j];
      low += Math.min(p, q);
      high += Math.max(p, q);
    }
    bounds[i] = Number.isNaN(low) ? -Infinity : low;
    bounds[3 + i] = Number.isNaN(high) ? Infinity : high;
  }
}

/** Distance and outward normal (world axes) at a point: 4 numbers. */
export function measureDistance(out: Float64Array, collider: Collider, x: number, y: number, z: number): void {
  point[0] = x;
  point[1] = y;
  point[2] = z;
  measureDistanceIn(out, collider, collider.now, point, 0);
}

const point = new Float64Array(3);

/**
 * Distance and normal at the point at index `o` of an array, for the collider in any pose. Coordinates stay in arrays because JavaScript boxes
 * numbers passed to a function that is not inlined: that cost 40 MB of garbage per step of 10,000 hairs.
 */
export function measureDistanceIn(
  out: Float64Array,
  collider: Collider,
  { position: p, rotation: r }: Pose,
  x: Float64Array,
  o: number,
): void {
  const { side } = collider;
  const a = x[o] - p[0];
  const b = x[o + 1] - p[1];
  const c = x[o + 2] - p[2];
  collider.shape.distance(
    out,
    r[0] * a + r[3] * b + r[6] * c,
    r[1] * a + r[4] * b + r[7] * c,
    r[2] * a + r[5] * b + r[8] * c,
  );
  out[0] *= side;
  const u = side * out[1];
  const v = side * out[2];
  const w = side * out[3];
  out[1] = r[0] * u + r[1] * v + r[2] * w;
  out[2] = r[3] * u + r[4] * v + r[5] * w;
  out[3] = r[6] * u + r[7] * v + r[8] * w;
}

const localA = new Float64Array(3);
const localB = new Float64Array(3);

/** Point at index `o` of x in the collider's axes. */
export function toLocal(out: Float64Array, { position: p, rotation: r }: Pose, x: Float64Array, o: number): void {
  const a = x[o] - p[0];
  const b = x[o + 1] - p[1];
  const c = x[o + 2] - p[2];
  for (let k = 0; k < 3; k++) out[k] = r[k] * a + r[3 + k] * b + r[6 + k] * c;
}

/** Parameter t in [0, 1] at which the edge from point a to point b of `x` is closest to the collider. */
export function findClosest(collider: Collider, x: Float64Array, a: number, b: number): number {
  toLocal(localA, collider.now, x, a);
  toLocal(localB, collider.now, x, b);
  if (collider.side > 0) return collider.shape.closest(localA, localB);
  // inside a hollow collider the edge is farthest out at one of its ends wherever the solid's interior is convex
  return searchHollow(collider, x, a, b);
}

const hollow = new Float64Array(4);

function searchHollow(collider: Collider, x: Float64Array, a: number, b: number): number {
  let best = 0;
  let least = Infinity;
  for (let k = 0; k <= 8; k++) {
    const t = k / 8;
    measureDistance(
      hollow,
      collider,
      x[a] + t * (x[b] - x[a]),
      x[a + 1] + t * (x[b + 1] - x[a + 1]),
      x[a + 2] + t * (x[b + 2] - x[a + 2]),
    );
    if (hollow[0] >= least) continue;
    least = hollow[0];
    best = t;
  }
  return best;
}

/** Mean velocity over the step of the surface point at (x, y, z) [m/s]; `dt` > 0. Zero for a collider on a body: the solver moves the body. */
export function measureSurfaceVelocity(
  out: Float64Array,
  collider: Collider,
  x: number,
  y: number,
  z: number,
  dt: number,
): void {
  point[0] = x;
  point[1] = y;
  point[2] = z;
  measureSurfaceVelocityAt(out, collider, point, 0, dt);
}

/** Mean velocity over the step of the surface point at index `o` of an array [m/s]. */
export function measureSurfaceVelocityAt(
  out: Float64Array,
  collider: Collider,
  x: Float64Array,
  o: number,
  dt: number,
): void {
  out[0] = 0;
  out[1] = 0;
  out[2] = 0;
  if (!collider.moves || collider.body >= 0) return;
  const { now, next, shape } = collider;
  if (shape.surfaceVelocity) {
    shape.surfaceVelocity(localB, dt);
    rotate(out, 0, now.rotation, localB, 0);
  }
  const a = x[o] - now.position[0];
  const b = x[o + 1] - now.position[1];
  const c = x[o + 2] - now.position[2];
  const r = now.rotation;
  localA[0] = r[0] * a + r[3] * b + r[6] * c;
  localA[1] = r[1] * a + r[4] * b + r[7] * c;
  localA[2] = r[2] * a + r[5] * b + r[8] * c;
  rotate(localB, 0, next.rotation, localA, 0);
  out[0] += (localB[0] + next.position[0] - x[o]) / dt;
  out[1] += (localB[1] + next.position[1] - x[o + 1]) / dt;
  out[2] += (localB[2] + next.position[2] - x[o + 2]) / dt;
}

const backward: Pose = createPose();

/** Mean velocity over the last dt of the surface point at `at` [m/s], for a collider placed at the end of a step. */
export function measureBackward(out: Float64Array, collider: Collider, x: Float64Array, at: number, dt: number): void {
  out.fill(0, 0, 3);
  if (!collider.moves || collider.body >= 0) return;
  const { now, shape } = collider;
  if (shape.surfaceVelocity) {
    shape.surfaceVelocity(localB, -dt);
    rotate(out, 0, now.rotation, localB, 0);
  }
  collider.evaluate(backward, collider.time - dt);
  toLocal(localA, now, x, at);
  rotate(localB, 0, backward.rotation, localA, 0);
  for (let k = 0; k < 3; k++) out[k] += (x[at + k] - localB[k] - backward.position[k]) / dt;
}

const ended: Pose = createPose();
const distanceAt = new Float64Array(4);

/** See `Collider.measureDisplacement`. */
export function measureDisplacement(
  out: Float64Array,
  collider: Collider,
  x: Float64Array,
  { t, dt }: { readonly t: number; readonly dt: number },
): void {
  const { shape } = collider;
  collider.evaluate(ended, t);
  collider.evaluate(backward, t - dt);
  toLocal(localA, ended, x, 0);
  rotate(localB, 0, backward.rotation, localA, 0);
  for (let k = 0; k < 3; k++) out[k] = x[k] - localB[k] - backward.position[k];
  if (!shape.surfaceVelocity) return;
  shape.update?.(t);
  measureDistanceIn(distanceAt, collider, ended, x, 0);
  shape.surfaceVelocity(localB, -dt);
  rotate(localA, 0, ended.rotation, localB, 0);
  for (let k = 0; k < 3; k++) out[k] += dt * localA[k];
}
