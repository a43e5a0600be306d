/** The scene's bodies, joints and ground in a Rapier world. */

import RAPIER from '@dimforge/rapier3d-compat';
import { type BodyPose, type RigidBody, type Scene, SceneError, type SolidSpec } from '@tendril-sim/core';
import { hypot, hypotOf } from '@tendril-sim/core/math';

type Vector = readonly [number, number, number];
type Path = readonly (string | number)[];

export interface Built {
  readonly world: RAPIER.World;
  /** Rapier's handles of the scene's bodies, by id. */
  readonly handles: ReadonlyMap<string, number>;
  /** Of their twins: the same bodies without joints and shapes, that fly freely. */
  readonly twins: ReadonlyMap<string, number>;
}

interface Wishes {
  readonly world?: RAPIER.World;
  readonly bodies?: Readonly<Record<string, RAPIER.RigidBody>>;
}

/** Of bodies with each other. */
const BODY_FRICTION = 0.5;

const xyz = ([x, y, z]: ArrayLike<number> & Iterable<number>): RAPIER.Vector3 => new RAPIER.Vector3(x, y, z);
const quaternion = (q: ArrayLike<number>): RAPIER.Quaternion => new RAPIER.Quaternion(q[1], q[2], q[3], q[0]);

export function buildFromScene(
  wishes: Wishes,
  bodies: readonly { readonly body: RigidBody; readonly pose: BodyPose }[],
  scene: Scene,
): Built {
  const { gravity } = scene;
  const down = gravity === undefined ? [0, 0, 0] : 'acceleration' in gravity ? gravity.acceleration : gravity;
  const world = wishes.world ?? new RAPIER.World(xyz(down as Vector));
  const handles = new Map<string, number>();
  const twins = new Map<string, number>();
  bodies.forEach(({ body, pose }) => {
    const k = scene.bodies?.findIndex(({ id }) => id === body.id) ?? 0;
    const own = wishes.bodies?.[body.id];
    if (own) adopt(own, body, pose, ['bodies', k]);
    const made = own ?? make(world, body, pose, scene.bodies?.[k]?.solid, ['bodies', k]);
    // weight comes with the rods' half of the step
    made.setGravityScale(0, true);
    handles.set(body.id, made.handle);
    const twin = make(world, body, pose, undefined, ['bodies', k]);
    twin.setGravityScale(0, true);
    twins.set(body.id, twin.handle);
  });
  const unknown = Object.keys(wishes.bodies ?? {}).find((id) => !handles.has(id));
  if (unknown !== undefined)
    throw new SceneError(['bodies'], `Rapier was given a body '${unknown}' that the scene does not have`);
  const { ground, joints = [] } = scene.engine ?? {};
  if (ground) {
    // what the scene says of the ground is what holds between it and bodies; Rapier would take the mean with theirs, 0.5 and 0
    const { friction = BODY_FRICTION, restitution = 0 } = ground;
    const floor = RAPIER.ColliderDesc.cuboid(500, 500, 1)
      .setTranslation(0, 0, ground.height - 1)
      .setFriction(friction / BODY_FRICTION)
      .setFrictionCombineRule(RAPIER.CoefficientCombineRule.Multiply)
      .setRestitution(restitution)
      .setRestitutionCombineRule(RAPIER.CoefficientCombineRule.Max);
    world.createCollider(floor);
  }
  joints.forEach((joint, k) => {
    buildJoint(world, handles, joint, ['engine', 'joints', k]);
  });
  return { world, handles, twins };
}

/** Principal moments and their frame, as Rapier wants them. */
function principalFrame(inertia: Float64Array, path: Path): { moments: RAPIER.Vector3; frame: RAPIER.Quaternion } {
  const off = Math.abs(inertia[1]) + Math.abs(inertia[2]) + Math.abs(inertia[5]);
  if (off > 1e-9 * (inertia[0] + inertia[4] + inertia[8])) {
    throw new SceneError(
      [...path, 'inertia'],
      'with Rapier a body has its principal axes along its own: give three moments and turn the body by `rotation`',
    );
  }
  return { moments: xyz([inertia[0], inertia[4], inertia[8]]), frame: new RAPIER.Quaternion(0, 0, 0, 1) };
}

function make(
  world: RAPIER.World,
  body: RigidBody,
  pose: BodyPose,
  solid: SolidSpec | undefined,
  path: Path,
): RAPIER.RigidBody {
  if (!(body.mass > 0))
    throw new SceneError(
      [...path, 'mass'],
      'Rapier has no bodies without mass; leave junctions to our own bodies, or give it some',
    );
  const { moments, frame } = principalFrame(body.inertia, path);
  const { free } = body;
  const desc = RAPIER.RigidBodyDesc.dynamic()
    .setTranslation(pose.position[0], pose.position[1], pose.position[2])
    .setRotation(quaternion(pose.orientation))
    .setCanSleep(false)
    .setAdditionalMassProperties(body.mass, xyz([0, 0, 0]), moments, frame)
    .enabledTranslations(free[0] === 1, free[1] === 1, free[2] === 1)
    .enabledRotations(free[3] === 1, free[4] === 1, free[5] === 1);
  const made = world.createRigidBody(desc);
  const shape = solid && colliderOf(solid);
  if (shape) world.createCollider(shape.setDensity(0).setFriction(BODY_FRICTION), made);
  return made;
}

function colliderOf(solid: SolidSpec): RAPIER.ColliderDesc {
  if (solid.type === 'sphere') return RAPIER.ColliderDesc.ball(solid.radius);
  if (solid.type === 'box') {
    const [x, y, z] = solid.size;
    return RAPIER.ColliderDesc.cuboid(x / 2, y / 2, z / 2);
  }
  // Rapier's stands along y
  const upright = new RAPIER.Quaternion(Math.SQRT1_2, 0, 0, Math.SQRT1_2);
  return RAPIER.ColliderDesc.cylinder(solid.height / 2, solid.radius).setRotation(upright);
}

/** A body of the user's world must be the one that the scene describes. */
function adopt(own: RAPIER.RigidBody, body: RigidBody, pose: BodyPose, path: Path): void {
  if (!own.isDynamic())
    throw new SceneError(path, `Rapier's body for '${body.id}' is not dynamic; use a pin, or a body with a path`);
  // mass from colliders is known only after an update
  own.recomputeMassPropertiesFromColliders();
  const near = (a: number, b: number, scale: number): boolean => Math.abs(a - b) <= 1e-4 * scale;
  const check = (ok: boolean, field: string, words: string): void => {
    if (!ok) throw new SceneError([...path, field], `Rapier's body for '${body.id}' ${words}; make the two agree`);
  };
  check(near(own.mass(), body.mass, body.mass), 'mass', `weighs ${own.mass()} kg and the scene's ${body.mass} kg`);
  const center = own.localCom();
  const place = own.translation();
  const size = 1 + hypot(place.x, place.y, place.z);
  check(
    hypot(center.x, center.y, center.z) <= 1e-5 * size,
    'position',
    'has its centre of mass off its origin, where the scene has it',
  );
  const gap = hypot(place.x - pose.position[0], place.y - pose.position[1], place.z - pose.position[2]);
  check(gap <= 1e-5 * size, 'position', `starts ${gap} m from where the scene has it`);
  const turned = own.rotation();
  const q = pose.orientation;
  const overlap = Math.abs(turned.w * q[0] + turned.x * q[1] + turned.y * q[2] + turned.z * q[3]);
  check(overlap > 1 - 1e-6, 'rotation', 'is turned another way than the scene has it');
  const { x, y, z } = own.principalInertia();
  const theirs = [x, y, z].sort((a, b) => a - b);
  const ours = [body.inertia[0], body.inertia[4], body.inertia[8]].sort((a, b) => a - b);
  principalFrame(body.inertia, path);
  check(
    theirs.every((moment, k) => near(moment, ours[k], ours[2])),
    'inertia',
    `has the principal moments ${theirs.join(', ')} and the scene's ${ours.join(', ')}`,
  );
}

type Joint = NonNullable<NonNullable<Scene['engine']>['joints']>[number];

/** Rᵀ(v). */
function toLocal(body: RAPIER.RigidBody, v: Vector): RAPIER.Vector3 {
  const { x, y, z, w } = body.rotation();
  // v turned by the conjugate: v + 2u×(u×v − w v), u = (x, y, z) of the conjugate taken with its sign
  const [ux, uy, uz] = [-x, -y, -z];
  const cx = uy * v[2] - uz * v[1] + w * v[0];
  const cy = uz * v[0] - ux * v[2] + w * v[1];
  const cz = ux * v[1] - uy * v[0] + w * v[2];
  return new RAPIER.Vector3(
    v[0] + 2 * (uy * cz - uz * cy),
    v[1] + 2 * (uz * cx - ux * cz),
    v[2] + 2 * (ux * cy - uy * cx),
  );
}

function buildJoint(world: RAPIER.World, handles: ReadonlyMap<string, number>, spec: Joint, path: Path): void {
  const find = (id: string, field: string): RAPIER.RigidBody => {
    const handle = handles.get(id);
    if (handle === undefined)
      throw new SceneError(
        [...path, field],
        `unknown body '${id}'; known: ${[...handles.keys()].join(', ') || 'none'}`,
      );
    return world.getRigidBody(handle);
  };
  const second = find(spec.body, 'body');
  if (spec.to === spec.body) throw new SceneError([...path, 'to'], 'a joint needs two bodies, or one and the world');
  const first =
    spec.to === undefined
      ? world.createRigidBody(RAPIER.RigidBodyDesc.fixed().setRotation(second.rotation()))
      : find(spec.to, 'to');
  const center = second.translation();
  const at: Vector = spec.at ?? [center.x, center.y, center.z];
  const anchor = (body: RAPIER.RigidBody): RAPIER.Vector3 => {
    const { x, y, z } = body.translation();
    return toLocal(body, [at[0] - x, at[1] - y, at[2] - z]);
  };
  const axis = readAxis(spec, path);
  const a = anchor(first);
  const b = anchor(second);
  const one = toLocal(first, axis);
  const two = toLocal(second, axis);
  if (spec.type === 'slider' && hypot(one.x - two.x, one.y - two.y, one.z - two.z) > 1e-6)
    throw new SceneError([...path, 'to'], 'a slider joins bodies that start with the same rotation');
  const { x, y, z, w } = first.rotation();
  const r = second.rotation();
  const data =
    spec.type === 'hinge'
      ? RAPIER.JointData.revoluteWithAxes(a, b, one, two)
      : spec.type === 'slider'
        ? RAPIER.JointData.prismatic(a, b, one)
        : spec.type === 'ball'
          ? RAPIER.JointData.spherical(a, b)
          : RAPIER.JointData.fixed(
              a,
              new RAPIER.Quaternion(-x, -y, -z, w),
              b,
              new RAPIER.Quaternion(-r.x, -r.y, -r.z, r.w),
            );
  const joint = world.createImpulseJoint(data, first, second, true);
  if (spec.motor) addMotor(joint as RAPIER.RevoluteImpulseJoint, spec, spec.motor, path);
}

const hasAxis = ({ type }: Joint): boolean => type === 'hinge' || type === 'slider';

/** Unit vector of a hinge or slider; x for joints that have none. */
function readAxis(spec: Joint, path: Path): Vector {
  if (hasAxis(spec) !== (spec.axis !== undefined)) {
    throw new SceneError(
      [...path, 'axis'],
      hasAxis(spec)
        ? `a ${spec.type} needs the direction of its axis`
        : `'axis' has no effect on a ${spec.type} joint; remove it`,
    );
  }
  const along = spec.axis ?? [1, 0, 0];
  const size = hypotOf(along);
  if (!(size > 0)) throw new SceneError([...path, 'axis'], 'the axis is the zero vector; give a direction');
  return [along[0] / size, along[1] / size, along[2] / size];
}

function addMotor(
  joint: RAPIER.RevoluteImpulseJoint,
  spec: Joint,
  { speed, limit }: NonNullable<Joint['motor']>,
  path: Path,
): void {
  if (!hasAxis(spec))
    throw new SceneError([...path, 'motor'], `a ${spec.type} joint has no motor; use a hinge or a slider`);
  joint.configureMotorModel(RAPIER.MotorModel.AccelerationBased);
  // stiff enough to reach its speed within a step or two
  joint.configureMotorVelocity(speed, 1e4);
  if (limit === undefined) return;
  if (!(limit > 0)) throw new SceneError([...path, 'motor', 'limit'], 'the limit must be positive');
  joint.setMotorMaxForce(limit);
}
