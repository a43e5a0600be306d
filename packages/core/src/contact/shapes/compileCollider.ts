/** Compiles the colliders of a scene: checks, shape, pose over time, surface properties. */
import { type BodyPose, rotate, writeRotation } from '../../bodies/body.ts';
import { SceneError } from '../../errors.ts';
import { quaternionFromRotation } from '../../math/quaternion.ts';
import type { BodyPath } from '../../scene/kinematic.ts';
import { listNames } from '../../scene/names.ts';
import type { ColliderSpec, FrictionSpec, Scene } from '../../scene/types.ts';
import { checkTimes, compileTimed, createTrack, type Path } from '../../scene/varying.ts';
import {
  type ChangingFriction,
  type Collider,
  createPose,
  measureDisplacement,
  type Pose,
  placeCollider,
} from './collider.ts';
import { compileShape } from './compileShape.ts';
import { addHand, HAND, moveHand } from './handMotion.ts';

/** What colliders need of rods: their names. */
interface Named {
  readonly id: string;
}

/** What colliders need of bodies. */
interface Carrier {
  readonly body: Named;
  readonly pose: BodyPose;
  readonly path?: BodyPath;
}

/** Compiles the colliders of a scene. */
export function compileColliders(
  scene: Scene,
  rods: readonly Named[],
  bodies: readonly Carrier[],
  warnings: string[],
): Collider[] {
  const ids = new Set<string>();
  return (scene.colliders ?? []).map((spec, k) => {
    const path = ['colliders', k];
    const id = spec.id ?? `collider ${k}`;
    if (ids.has(id))
      throw new SceneError([...path, 'id'], `the id '${id}' is taken by another collider; ids must differ`);
    ids.add(id);
    return compileCollider(spec, { id, path, rods, bodies }, warnings);
  });
}

/** Coefficients at t = 0, and how they change in time. */
interface Friction {
  readonly static: number;
  readonly dynamic: number;
  readonly changing?: ChangingFriction;
}

export function readFriction(spec: FrictionSpec | undefined, path: Path): Friction {
  const friction = typeof spec === 'object' ? spec : { static: spec ?? 0, dynamic: spec ?? 0 };
  for (const name of ['static', 'dynamic'] as const) {
    const at = typeof spec === 'object' ? [...path, name] : path;
    if (!(friction[name] >= 0 && friction[name] <= 1e6)) {
      const remedy = 'it must be from 0 to 1e6; 1e3 already prevents slip';
      throw new SceneError(at, `the coefficient of friction is ${friction[name]}; ${remedy}`);
    }
  }
  if (friction.dynamic > friction.static) {
    const order = `dynamic friction ${friction.dynamic} is greater than static friction ${friction.static}`;
    throw new SceneError([...path, 'dynamic'], `${order}; dynamic friction must not exceed static friction`);
  }
  const { static: sticking, dynamic: sliding } = friction;
  if (typeof spec !== 'object' || spec.factor === undefined) return { static: sticking, dynamic: sliding };
  const place = [...path, 'factor'];
  const raw = compileTimed(spec.factor, place);
  const factor = (t: number): number => {
    const value = raw(t);
    if (value >= 0 && value < Infinity) return value;
    throw new SceneError(place, `the factor is ${value} at t = ${t} s; it must be zero or more`);
  };
  return {
    static: sticking * factor(0),
    dynamic: sliding * factor(0),
    changing: { static: sticking, dynamic: sliding, factor },
  };
}

/** Path of a collider's fields in the scene, and the rods and bodies that it may refer to. */
interface ColliderPlace {
  readonly id: string;
  readonly path: Path;
  readonly rods: readonly Named[];
  readonly bodies: readonly Carrier[];
}

function compileCollider(spec: ColliderSpec, place: ColliderPlace, warnings: string[]): Collider {
  const { id, path, bodies } = place;
  const friction = readFriction(spec.friction, [...path, 'friction']);
  const restitution = readRestitution(spec, path);
  const body = findBody(spec, place);
  const acts = markRods(spec, place);
  const shape = compileShape(spec, path, warnings);
  const ride = body < 0 ? undefined : bodies[body].pose;
  const hand = new Float64Array(HAND);
  const evaluate = compilePose(spec, ride, path);
  const collider: Collider = {
    id,
    shape,
    side: spec.hollow ? -1 : 1,
    staticFriction: friction.static,
    dynamicFriction: friction.dynamic,
    ...(friction.changing && { changingFriction: friction.changing }),
    restitution,
    body,
    ride,
    ridePath: body < 0 ? undefined : bodies[body].path,
    acts,
    now: createPose(),
    next: createPose(),
    bounds: new Float64Array(6),
    time: 0,
    moves: spec.path !== undefined || shape.update !== undefined || body >= 0,
    hand,
    evaluate(out, t) {
      evaluate(out, t);
      addHand(out.position, hand, t);
    },
    move(offset, t, seconds) {
      collider.moves = true;
      moveHand(hand, offset, t, seconds);
    },
    measureDisplacement: (out, x, t, dt) => measureDisplacement(out, collider, x, { t, dt }),
  };
  placeCollider(collider, 0, 0);
  return collider;
}

function readRestitution({ restitution = 0 }: ColliderSpec, path: Path): number {
  if (!(restitution >= 0 && restitution <= 1))
    throw new SceneError([...path, 'restitution'], `the restitution is ${restitution}; it must be from 0 to 1`);
  return restitution;
}

/** Index of the body that the collider rides on; −1 for none. */
function findBody(spec: ColliderSpec, { path, bodies }: ColliderPlace): number {
  if (spec.body !== undefined && spec.path)
    throw new SceneError([...path, 'path'], "a collider rides on a body or moves on a path; remove 'path' or 'body'");
  if (spec.pivot && !spec.path)
    throw new SceneError([...path, 'pivot'], "'pivot' has no effect without a path; remove it, or add the path");
  const body = spec.body === undefined ? -1 : bodies.findIndex((one) => one.body.id === spec.body);
  if (spec.body !== undefined && body < 0) {
    const known = bodies.map((one) => one.body.id).join(', ') || 'none';
    throw new SceneError([...path, 'body'], `unknown body '${spec.body}'; known: ${known}`);
  }
  return body;
}

/** 1 for each rod that the collider acts on. */
function markRods(spec: ColliderSpec, { path, rods }: ColliderPlace): Uint8Array {
  const acts = new Uint8Array(rods.length).fill(spec.rods ? 0 : 1);
  spec.rods?.forEach((name, i) => {
    const index = rods.findIndex((rod) => rod.id === name);
    if (index < 0) {
      const ids = rods.map((rod) => rod.id);
      throw new SceneError([...path, 'rods', i], `unknown rod '${name}'; known: ${listNames(ids, name)}`);
    }
    acts[index] = 1;
  });
  return acts;
}

const quaternion = new Float64Array(4);
const turn = new Float64Array(9);

/** Pose as a function of time: fixed, on a path, or attached to a body (then the body's current pose). */
function compilePose(spec: ColliderSpec, ride: BodyPose | undefined, path: Path): Collider['evaluate'] {
  const position = Float64Array.from(spec.position ?? [0, 0, 0]);
  const rotation = new Float64Array(9);
  quaternionFromRotation(quaternion, 0, spec.rotation ?? [0, 0, 0], 0);
  writeRotation(rotation, quaternion);
  if (ride) {
    return (out) => {
      multiply3(out.rotation, ride.rotation, rotation);
      rotate(out.position, 0, ride.rotation, position, 0);
      for (let k = 0; k < 3; k++) out.position[k] += ride.position[k];
    };
  }
  if (!spec.path) {
    return (out) => {
      out.position.set(position);
      out.rotation.set(rotation);
    };
  }
  return compilePath(spec, spec.path, { position, rotation }, path);
}

/** Pose on a path of keys, about the scene's pose of the collider. */
function compilePath(
  { pivot }: ColliderSpec,
  { keys, interpolation = 'smooth' }: NonNullable<ColliderSpec['path']>,
  { position, rotation }: Pose,
  path: Path,
): Collider['evaluate'] {
  const times = keys.map(({ time }) => time);
  checkTimes(times, [...path, 'path', 'keys'], (i) => [i, 'time']);
  let offset: readonly number[] = [0, 0, 0];
  let spin: readonly number[] = [0, 0, 0];
  const values = keys.map((key, i) => {
    if (key.twist !== undefined)
      throw new SceneError(
        [...path, 'path', 'keys', i, 'twist'],
        "a collider has no tangent to twist about; use 'rotation'",
      );
    offset = key.offset ?? offset;
    spin = key.rotation ?? spin;
    return [...offset, ...spin];
  });
  const track = createTrack(times, values, interpolation);
  const state = new Float64Array(12);
  const arm = pivot && Float64Array.from(position, (x, k) => x - pivot[k]);
  return (out, t) => {
    track.evaluate(state, t);
    quaternionFromRotation(quaternion, 0, state, 3);
    writeRotation(turn, quaternion);
    multiply3(out.rotation, turn, rotation);
    if (arm && pivot) rotate(out.position, 0, turn, arm, 0);
    for (let k = 0; k < 3; k++)
      out.position[k] = arm && pivot ? pivot[k] + out.position[k] + state[k] : position[k] + state[k];
  };
}

function multiply3(out: Float64Array, a: Float64Array, b: Float64Array): void {
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}
