/**
 * Rapier's half of a step.
 *
 * Each of our bodies is put where it was at the start of the step, with the velocity that rods and loads have given it by the end, and
 * beside it a twin that has the same mass and nothing to hold or hit it. Rapier steps. What the body did and the twin did not is the work
 * of joints, motors, contacts and of forces that a user added; it is added to what the rods said. So the peculiarities
 * of the engine's free flight (float32, first order, its own gyroscopic term) cancel, and a body that nothing touches stays exactly where
 * the rods put it. Setting velocities instead and comparing with theory was tried: the gyroscopic term of tops passed for a touch.
 *
 * Velocities are set, not forces added: none of ours persists from step to step.
 */

import RAPIER from '@dimforge/rapier3d-compat';
import type { BodyMotion, EngineSession } from '@tendril-sim/core';
import { cos, hypot, hypotOf, sin } from '@tendril-sim/core/math';
import type { Built } from './build.ts';

export interface RapierSession extends EngineSession {
  readonly world: RAPIER.World;
  body(id: string): RAPIER.RigidBody | undefined;
}

/** Relative rounding of float32, and a margin for a few operations. */
const ROUNDING = 8 * 2 ** -24;

export function createSession(built: Built): RapierSession {
  let { world } = built;
  const find = (handles: ReadonlyMap<string, number>, id: string): RAPIER.RigidBody | undefined => {
    const handle = handles.get(id);
    return handle === undefined ? undefined : world.getRigidBody(handle);
  };
  const body = (id: string): RAPIER.RigidBody | undefined => find(built.handles, id);
  return {
    get world() {
      return world;
    },
    body,
    respond(motions, dt) {
      world.timestep = dt;
      for (const motion of motions) {
        for (const one of [body(motion.id), find(built.twins, motion.id)]) if (one) put(one, motion);
      }
      world.step();
      for (const motion of motions) {
        const one = body(motion.id);
        const twin = find(built.twins, motion.id);
        if (one && twin) take(one, twin, motion, dt);
      }
    },
    save: () => world.takeSnapshot(),
    restore(bytes) {
      const restored = RAPIER.World.restoreSnapshot(bytes);
      world.free();
      world = restored;
    },
  };
}

function put(one: RAPIER.RigidBody, { startPosition: x, startOrientation: q, pose }: BodyMotion): void {
  const { velocity: v, angularVelocity: w } = pose;
  one.setTranslation({ x: x[0], y: x[1], z: x[2] }, true);
  one.setRotation({ x: q[1], y: q[2], z: q[3], w: q[0] }, true);
  one.setLinvel({ x: v[0], y: v[1], z: v[2] }, true);
  one.setAngvel({ x: w[0], y: w[1], z: w[2] }, true);
}

/** Quaternion of a rotation vector, (w, x, y, z). */
function exp(x: number, y: number, z: number): [number, number, number, number] {
  const angle = hypot(x, y, z);
  const s = angle < 1e-8 ? 0.5 : sin(0.5 * angle) / angle;
  return [cos(0.5 * angle), s * x, s * y, s * z];
}

function multiply(a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number, number] {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/**
 * How much of a change Δv over the step counts for the way: the reaction to a steady force acts all along, ½ dt Δv, as that force
 * itself does; an impact stops the body at once, dt Δv. The motion of rods and loads in the same step distinguishes the two.
 */
function shareOf(change: readonly number[], before: ArrayLike<number>, after: ArrayLike<number>): number {
  const own = hypot(after[0] - before[0], after[1] - before[1], after[2] - before[2]);
  return hypotOf(change) <= 10 * own ? 0.5 : 1;
}

/** A difference of two float32 computations that is no more than their rounding. */
const within = (list: readonly number[], limit: number): boolean => list.every((x) => Math.abs(x) <= limit);

const conjugate = (q: readonly number[]): number[] => [q[0], -q[1], -q[2], -q[3]];

function take(one: RAPIER.RigidBody, twin: RAPIER.RigidBody, motion: BodyMotion, dt: number): void {
  const { pose } = motion;
  const kick = differ(one.linvel(), twin.linvel());
  const twist = differ(one.angvel(), twin.angvel());
  const way = differ(one.translation(), twin.translation());
  const turn = multiply(quaternionOf(one), conjugate(quaternionOf(twin)));
  const sign = turn[0] < 0 ? -1 : 1;
  const speed = hypotOf(pose.velocity);
  const spin = hypotOf(pose.angularVelocity);
  const untouched =
    within(kick, ROUNDING * speed) &&
    within(twist, ROUNDING * spin) &&
    within(way, ROUNDING * (hypotOf(motion.startPosition) + speed * dt)) &&
    within([turn[1], turn[2], turn[3]], ROUNDING);
  if (untouched) return;
  motion.changed = true;
  // what Rapier moved it beyond the change of velocity: back into joints, out of contacts
  const fix = multiply(
    turn.map((x) => sign * x),
    exp(-dt * twist[0], -dt * twist[1], -dt * twist[2]),
  );
  const share = dt * shareOf(kick, motion.startVelocity, pose.velocity);
  const turnShare = dt * shareOf(twist, motion.startAngularVelocity, pose.angularVelocity);
  const orientation = multiply(
    fix,
    multiply(exp(turnShare * twist[0], turnShare * twist[1], turnShare * twist[2]), pose.orientation),
  );
  const length = hypotOf(orientation);
  for (let k = 0; k < 3; k++) {
    pose.position[k] += share * kick[k] + way[k] - dt * kick[k];
    pose.velocity[k] += kick[k];
    pose.angularVelocity[k] += twist[k];
  }
  for (let k = 0; k < 4; k++) pose.orientation[k] = orientation[k] / length;
}

function differ(a: RAPIER.Vector, b: RAPIER.Vector): number[] {
  return [a.x - b.x, a.y - b.y, a.z - b.z];
}

function quaternionOf(body: RAPIER.RigidBody): number[] {
  const { x, y, z, w } = body.rotation();
  return [w, x, y, z];
}
