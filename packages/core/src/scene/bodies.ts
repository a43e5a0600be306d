/**
 * Bodies and welds of a scene: checks mass and inertia, and turns welds into pins that are attached to their body. Models bring this code to the world
 * (`bodyModule`), so a program whose model has no bodies does not bundle it.
 */

import {
  type BodyEnergies,
  type BodyPose,
  bodyEnergies,
  createBodyPose,
  type RigidBody,
  rotate,
  writeRotation,
  writeWorldInertia,
} from '../bodies/body.ts';
import { SceneError } from '../errors.ts';
import { eigenSymmetric } from '../linalg/jacobi.ts';
import { rotateVector } from '../math/frameRotation.ts';
import { multiplyQuaternions, quaternionFromRotation } from '../math/quaternion.ts';
import { hypotOf, pow } from '../math/rounded/index.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from './compiled.ts';
import { type BodyPath, compileBodyPath, rideOnPath } from './kinematic.ts';
import type { CompiledPin } from './pins.ts';
import type { RigidMotion } from './startPose.ts';
import type { BodySpec, Scene, SolidSpec } from './types.ts';
import { compileTimed, type Path } from './varying.ts';

export interface CompiledBody {
  readonly body: RigidBody;
  readonly pose: BodyPose;
  /** Prescribed path of the body, if it has one. */
  readonly path?: BodyPath;
  /** Its kinetic energies in its current motion. */
  energies(): BodyEnergies;
}

/** A place on a rod that moves with a body. */
export interface Weld {
  readonly body: number;
  readonly rod: number;
  readonly pin: Pin;
  /** From the centre of mass to the node, in body axes [m]. */
  readonly arm: Float64Array;
}

const AXES = ['x', 'y', 'z'] as const;

/** A load on a body: its index among the six components of force and torque, and its factor in time. */
interface BodyLoad {
  readonly body: string;
  readonly offset: 0 | 3;
  readonly vector: readonly number[];
  readonly factor: (t: number) => number;
}

function compileBodyLoads(scene: Scene): BodyLoad[] {
  const known = new Set(scene.bodies?.map(({ id }) => id));
  return (scene.loads ?? []).flatMap((spec, k): BodyLoad[] => {
    if (spec.type !== 'body-force' && spec.type !== 'body-torque') return [];
    if (!known.has(spec.body)) {
      throw new SceneError(
        ['loads', k, 'body'],
        `unknown body '${spec.body}'; known: ${[...known].join(', ') || 'none'}`,
      );
    }
    const factor = compileTimed(spec.factor, ['loads', k, 'factor']);
    const force = spec.type === 'body-force';
    return [{ body: spec.body, offset: force ? 0 : 3, vector: force ? spec.force : spec.torque, factor }];
  });
}

function compileBodies(scene: Scene): CompiledBody[] {
  const loads = compileBodyLoads(scene);
  const seen = new Set<string>();
  return (scene.bodies ?? []).map((spec, k) => {
    const path = ['bodies', k];
    if (seen.has(spec.id))
      throw new SceneError([...path, 'id'], `the id '${spec.id}' is taken by another body; ids must differ`);
    seen.add(spec.id);
    return compileBody(
      spec,
      scene,
      loads.filter(({ body }) => body === spec.id),
      path,
    );
  });
}

function compileBody(spec: BodySpec, scene: Scene, loads: readonly BodyLoad[], path: Path): CompiledBody {
  const { mass, inertia } = spec.solid
    ? fromSolid(spec, spec.solid, path)
    : spec.path && spec.mass === undefined
      ? { mass: 0, inertia: new Float64Array(9) }
      : readInertia(spec, path);
  if (spec.path && loads.length > 0)
    throw new SceneError(
      [...path, 'path'],
      `body '${spec.id}' has a path, and no force can move it off; remove its loads`,
    );
  const pose = createStartPose(spec);
  const world = new Float64Array(9);
  writeWorldInertia(world, pose.rotation, inertia);
  const angularMomentum = new Float64Array(3);
  rotate(angularMomentum, 0, world, pose.angularVelocity, 0);
  const translation = spec.free?.translation ?? AXES;
  const rotation = spec.free?.rotation ?? AXES;
  const free = Uint8Array.from([
    ...AXES.map((a) => (translation.includes(a) ? 1 : 0)),
    ...AXES.map((a) => (rotation.includes(a) ? 1 : 0)),
  ]);
  const { acceleration, factor } = compileGravity(scene);
  const way = compileBodyPath(spec, pose, path);
  const body: RigidBody = {
    id: spec.id,
    mass,
    inertia,
    free,
    start: {
      position: pose.position.slice(),
      orientation: pose.orientation.slice(),
      velocity: pose.velocity.slice(),
      angularMomentum,
    },
    load(out, t) {
      const f = factor(t);
      for (let i = 0; i < 3; i++) {
        out[i] = mass * f * acceleration[i];
        out[3 + i] = 0;
      }
      for (const one of loads) {
        const share = one.factor(t);
        for (let i = 0; i < 3; i++) out[one.offset + i] += share * one.vector[i];
      }
    },
  };
  return { pose, ...(way && { path: way }), body, energies: () => bodyEnergies(body, pose) };
}

function createStartPose({ position, rotation, velocity }: BodySpec): BodyPose {
  const pose = createBodyPose();
  pose.position.set(position);
  quaternionFromRotation(pose.orientation, 0, rotation ?? [0, 0, 0], 0);
  writeRotation(pose.rotation, pose.orientation);
  pose.velocity.set(velocity?.linear ?? [0, 0, 0]);
  pose.angularVelocity.set(velocity?.angular ?? [0, 0, 0]);
  return pose;
}

/** Acceleration of gravity [m/s²], and its factor over time. */
function compileGravity({ gravity }: Scene): { acceleration: ArrayLike<number>; factor: (t: number) => number } {
  const acceleration = gravity === undefined ? [0, 0, 0] : 'acceleration' in gravity ? gravity.acceleration : gravity;
  const factor = gravity !== undefined && 'acceleration' in gravity ? (gravity.factor ?? 1) : 1;
  return { acceleration, factor: compileTimed(factor, ['gravity', 'factor']) };
}

function fromSolid(spec: BodySpec, solid: SolidSpec, path: Path): { mass: number; inertia: Float64Array } {
  if (spec.mass !== undefined || spec.inertia !== undefined) {
    throw new SceneError([...path, 'solid'], "'solid' gives mass and inertia; remove 'mass' and 'inertia', or 'solid'");
  }
  const sizes =
    solid.type === 'box' ? [...solid.size] : solid.type === 'sphere' ? [solid.radius] : [solid.radius, solid.height];
  if (!sizes.every((size) => size > 0) || !(solid.density > 0)) {
    throw new SceneError([...path, 'solid'], 'a solid needs positive sizes and a positive density');
  }
  const diagonal = (x: number, y: number, z: number): Float64Array => Float64Array.of(x, 0, 0, 0, y, 0, 0, 0, z);
  if (solid.type === 'sphere') {
    const mass = (solid.density * 4 * Math.PI * pow(solid.radius, 3)) / 3;
    const moment = 0.4 * mass * (solid.radius * solid.radius);
    return { mass, inertia: diagonal(moment, moment, moment) };
  }
  if (solid.type === 'cylinder') {
    const mass = solid.density * Math.PI * (solid.radius * solid.radius) * solid.height;
    const across = (mass * (3 * (solid.radius * solid.radius) + solid.height * solid.height)) / 12;
    return { mass, inertia: diagonal(across, across, 0.5 * mass * (solid.radius * solid.radius)) };
  }
  const [a, b, c] = solid.size;
  const mass = solid.density * a * b * c;
  return {
    mass,
    inertia: diagonal((mass * (b * b + c * c)) / 12, (mass * (a * a + c * c)) / 12, (mass * (a * a + b * b)) / 12),
  };
}

/** Moments that some body can have: positive, and none larger than the sum of the other two. */
function readInertia(spec: BodySpec, path: Path): { mass: number; inertia: Float64Array } {
  const { mass, inertia } = spec;
  if (mass === undefined)
    throw new SceneError(
      [...path, 'mass'],
      "a body needs 'mass' and 'inertia', or a 'solid'; mass: 0 makes a junction",
    );
  if (mass < 0)
    throw new SceneError([...path, 'mass'], `the mass is ${mass} kg; it must be positive, or 0 for a junction`);
  if (mass === 0) {
    if (inertia?.some((moment) => moment !== 0))
      throw new SceneError([...path, 'inertia'], 'a junction (mass 0) has no inertia; remove it');
    return { mass, inertia: new Float64Array(9) };
  }
  if (!inertia)
    throw new SceneError(
      [...path, 'inertia'],
      "a body with mass needs 'inertia': three moments, or six with the products, or a 'solid'",
    );
  if (inertia.length !== 3 && inertia.length !== 6) {
    throw new SceneError(
      [...path, 'inertia'],
      `${inertia.length} numbers; give three moments xx yy zz, or six: xx yy zz xy xz yz`,
    );
  }
  const [xx, yy, zz, xy = 0, xz = 0, yz = 0] = inertia;
  const tensor = Float64Array.of(xx, xy, xz, xy, yy, yz, xz, yz, zz);
  const [a, b, c] = eigenSymmetric(tensor, 3).values;
  if (!(a > 0))
    throw new SceneError([...path, 'inertia'], `the principal moments are ${a}, ${b}, ${c}; all must be positive`);
  if (c > (a + b) * (1 + 1e-9)) {
    throw new SceneError(
      [...path, 'inertia'],
      `no body has the principal moments ${a}, ${b}, ${c}: the largest exceeds the sum of the others`,
    );
  }
  return { mass, inertia: tensor };
}

/** A pin attached to the body, which replaces a pin at a fixed pose. */
function rideOnBody(pin: Pin, rod: Rod, rodIndex: number, body: number, pose: BodyPose): Weld {
  const o = 3 * pin.node;
  const { rotation } = pose;
  // Rᵀ·v
  const toBody = (v: readonly number[]): Float64Array =>
    Float64Array.from([0, 1, 2], (k) => rotation[k] * v[0] + rotation[3 + k] * v[1] + rotation[6 + k] * v[2]);
  const at = (array: Float64Array): number[] => [array[o], array[o + 1], array[o + 2]];
  const arm = toBody(at(rod.nodePosition).map((x, k) => x - pose.position[k]));
  const tangent = toBody(at(rod.nodeTangent));
  const director = toBody(at(rod.nodeDirector));
  const start = createPinPose();
  pin.evaluate(start, 0);
  const axis = toBody([...start.axis]);
  const evaluate = (out: PinPose): void => {
    rotate(out.position, 0, pose.rotation, arm, 0);
    const w = pose.angularVelocity;
    const p = out.position;
    out.velocity[0] = pose.velocity[0] + w[1] * p[2] - w[2] * p[1];
    out.velocity[1] = pose.velocity[1] + w[2] * p[0] - w[0] * p[2];
    out.velocity[2] = pose.velocity[2] + w[0] * p[1] - w[1] * p[0];
    for (let k = 0; k < 3; k++) p[k] += pose.position[k];
    rotate(out.tangent, 0, pose.rotation, tangent, 0);
    rotate(out.director, 0, pose.rotation, director, 0);
    rotate(out.axis, 0, pose.rotation, axis, 0);
    out.angularVelocity.set(w);
    out.twist = 0;
    out.active = true;
  };
  return { body, rod: rodIndex, arm, pin: { ...pin, evaluate, holds: () => true } };
}

/** Throws SceneError if rods at a junction do not meet: a junction has no extent. A body with mass may hold a rod at the end of a rigid arm. */
function checkJunctionMeets({ body }: CompiledBody, { arm, pin }: Weld, rod: Rod, path: Path): void {
  if (body.mass > 0) return;
  const gap = hypotOf(arm);
  const edge = rod.edgeLengthRest[Math.min(pin.node, rod.edgeCount - 1)];
  // nodes of a curved rod are off its curve by a fraction of an edge
  if (gap <= 0.25 * edge) return;
  throw new SceneError(
    [...path, 'at'],
    `rod '${rod.id}' is ${gap.toPrecision(4)} m away from junction '${body.id}', which joins what meets in a point; move one of them, or give the body a mass and it holds the rod at the end of a rigid arm`,
  );
}

/** A body that no rod holds flies freely: allowed with mass, but a junction needs at least one rod. */
function checkBodiesAreTied(bodies: readonly CompiledBody[], tied: ReadonlySet<number>): void {
  bodies.forEach(({ body }, k) => {
    if (tied.has(k)) return;
    throw new SceneError(
      ['bodies', k],
      `no rod is welded to body '${body.id}'; add an entry to 'welds', or remove the body`,
    );
  });
}

/** Attaches the pin of a weld to body number `index`. Also returns the weld, unless the body follows a path. */
function attach(
  { pin, path }: Pick<CompiledPin, 'pin' | 'path'>,
  rod: Rod,
  rodIndex: number,
  bodies: readonly CompiledBody[],
  index: number,
): { readonly pin: Pin; readonly weld?: Weld } {
  const { path: way, pose } = bodies[index];
  if (way) return { pin: rideOnPath(pin, rod, way, pose) };
  const weld = rideOnBody(pin, rod, rodIndex, index, pose);
  checkJunctionMeets(bodies[index], weld, rod, path);
  return { pin: weld.pin, weld };
}

/** Moves a body along with the rods that it is welded to, in place. Its velocities are given in world axes: they do not turn. */
function moveBody({ body, pose }: CompiledBody, { center, rotation, offset }: RigidMotion): void {
  const arm = pose.position.map((x, k) => x - center[k]);
  rotateVector(arm, 0, rotation);
  for (let k = 0; k < 3; k++) pose.position[k] = center[k] + arm[k] + offset[k];
  const turn = new Float64Array(4);
  quaternionFromRotation(turn, 0, rotation, 0);
  multiplyQuaternions(pose.orientation, 0, turn, 0, pose.orientation.slice(), 0);
  writeRotation(pose.rotation, pose.orientation);
  const inertia = new Float64Array(9);
  writeWorldInertia(inertia, pose.rotation, body.inertia);
  body.start.position.set(pose.position);
  body.start.orientation.set(pose.orientation);
  rotate(body.start.angularMomentum, 0, inertia, pose.angularVelocity, 0);
}

/** Compiles the bodies of a scene and what holds them. */
export interface BodyModule {
  readonly compileBodies: typeof compileBodies;
  readonly attach: typeof attach;
  readonly moveBody: typeof moveBody;
  readonly checkBodiesAreTied: typeof checkBodiesAreTied;
}

/** Bodies of scenes, for the models that support them. */
export const bodyModule: BodyModule = { compileBodies, attach, moveBody, checkBodiesAreTied };
