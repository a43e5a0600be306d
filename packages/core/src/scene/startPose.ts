/**
 * Moves rods to where their pins start.
 *
 * A path may already differ from its pin's pose at t = 0, such as for a base that starts turned. If one rigid motion takes the rods of a tree to
 * all of their pins, the rods start there, with the given shape relative to the base, and so do free bodies that are
 * welded to no other tree. Otherwise they start in the shape of the scene, twisted as their clamps are (startTwist.ts), with a warning about pins that pull in the first step. A pose that the pin itself specifies (`position`, `tangent`, `d1`) does not move rods: shape and pose are both explicit.
 */
import { distance, dot, norm, normalize, subtract, type Vector, vectorOf } from '../curve/vector.ts';
import { rotateVector, rotationBetween } from '../math/frameRotation.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from './compiled.ts';
import type { CompiledPin } from './pins.ts';
import { startVelocity } from './rods.ts';
import { countFromStart, twistToPins } from './startTwist.ts';
import type { RodSpec } from './types.ts';

/** x → center + rotation·(x − center) + offset. */
export interface RigidMotion {
  readonly center: Vector;
  /** Rotation vector [rad] in world axes. */
  readonly rotation: Vector;
  readonly offset: Vector;
}

/** A rod with its pins, as they are at t = 0. */
export interface PinnedRod {
  readonly rod: Rod;
  readonly spec: RodSpec;
  readonly pins: readonly CompiledPin[];
  /** False for a rod with welds or branches, whose frames other things follow. */
  readonly canTwist?: boolean;
}

/** Tolerance of positions, relative to the rod's length, and of directions. */
const TOLERANCE = 1e-9;

const scratch = createPinPose();

const vectorAt = (array: ArrayLike<number>, i: number): Vector => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];

/** A rod after its move to the start pose: the pins that hold it, and its initial shape in the scene if it was moved. */
export interface StartPose {
  readonly pins: Pin[];
  readonly laid?: Rod['laid'];
}

/** The rods of a tree after the move, and the motion; undefined if they did not move. */
export interface MovedTree {
  readonly starts: readonly StartPose[];
  readonly motion?: RigidMotion;
}

/** Moves the rods of one tree to their pins, in place; adds warnings where no rigid motion does, or where they may not move. */
export function moveToPins(tree: readonly PinnedRod[], canMove: boolean, warnings: string[]): MovedTree {
  const jumps: string[] = [];
  for (const { rod, pins } of tree) for (const pin of pins) warnJump(pin, rod, jumps);
  const unmoved = tree.map(({ pins }) => ({ pins: pins.map(({ pin }) => pin) }));
  if (jumps.length === 0) return { starts: unmoved };
  const motion = canMove ? findMotion(tree) : undefined;
  const rods = motion && tree.map(({ rod }) => moveRod(rod, motion));
  const counted = unmoved.map(({ pins }) => pins.map((pin) => countFromStart(pin)));
  const left: string[] = [];
  rods?.forEach((rod, k) => {
    tree[k].pins.forEach((pin, p) => {
      warnJump({ ...pin, pin: counted[k][p] }, rod, left);
    });
  });
  if (!motion || !rods || left.length > 0) return twistOrWarn(tree, jumps, warnings);
  const starts = tree.map(({ rod, spec }, k) => {
    const laid = copyPose(rod);
    adopt(rod, rods[k], spec);
    return { pins: counted[k], laid };
  });
  return { starts, motion };
}

/** Where no rigid motion takes rods to their pins: a rod by itself starts with the twist of its clamps; warns about all that pins then pull. */
function twistOrWarn(tree: readonly PinnedRod[], jumps: readonly string[], warnings: string[]): MovedTree {
  const [{ rod, pins, canTwist }] = tree;
  const laid = copyPose(rod);
  const twisted = canTwist
    ? twistToPins(
        rod,
        pins.map(({ pin }) => pin),
      )
    : undefined;
  if (!twisted) {
    warnings.push(...jumps);
    return { starts: tree.map((one) => ({ pins: one.pins.map(({ pin }) => pin) })) };
  }
  pins.forEach((pin, p) => {
    warnJump({ ...pin, pin: twisted[p] }, rod, warnings);
  });
  return { starts: [{ pins: twisted, laid }] };
}

const copyPose = ({ nodePosition, nodeTangent, nodeDirector }: Rod): NonNullable<Rod['laid']> => ({
  nodePosition: nodePosition.slice(),
  nodeTangent: nodeTangent.slice(),
  nodeDirector: nodeDirector.slice(),
});

function poseAt(pin: Pin, t: number): PinPose {
  const pose = createPinPose();
  pin.evaluate(pose, t);
  return pose;
}

/** Rigid motion given by the first pins of a frame and of a position; undefined if there are none. */
function findMotion(tree: readonly PinnedRod[]): RigidMotion | undefined {
  const held = tree.flatMap(({ rod, pins }) =>
    pins.map(({ pin, spec }) => ({ rod, pin, spec, pose: poseAt(pin, 0) })).filter(({ pose }) => pose.active),
  );
  if (held.some(({ spec }) => spec.position ?? spec.tangent ?? spec.d1)) return undefined;
  // a full turn of one clamp relative to another does not change the frames, but twists the rod
  const twists = held.filter(({ pin }) => pin.orientation === 'frame').map(({ pose }) => pose.twist);
  if (twists.some((twist) => Math.abs(twist - twists[0]) > TOLERANCE)) return undefined;
  const oriented = held.find(({ pin }) => pin.orientation !== 'free');
  const placed = held.find(({ pin }) => pin.holdX || pin.holdY || pin.holdZ);
  let rotation: Vector = [0, 0, 0];
  if (oriented) {
    const { rod, pin, pose } = oriented;
    const director = pose.director.slice();
    rotateVector(director, 0, scaled(pose.tangent, pose.twist));
    const laid = { tangent: vectorAt(rod.nodeTangent, pin.node), director: vectorAt(rod.nodeDirector, pin.node) };
    rotation = rotationBetween(laid, { tangent: pose.tangent, director });
  }
  const { rod, pin } = placed ?? oriented ?? held[0];
  const center = vectorAt(rod.nodePosition, pin.node);
  const offset = vectorOf((k) =>
    placed && [pin.holdX, pin.holdY, pin.holdZ][k] ? placed.pose.position[k] - center[k] : 0,
  );
  return { center, rotation, offset };
}

const scaled = (vector: ArrayLike<number>, factor: number): Vector => vectorOf((k) => factor * vector[k]);

type Placed = Pick<Rod, 'nodePosition' | 'nodeTangent' | 'nodeDirector' | 'edgeDirector'>;

function moveRod(rod: Rod, { center, rotation, offset }: RigidMotion): Rod & Placed {
  const turn = (values: Float64Array): Float64Array => {
    const out = values.slice();
    for (let o = 0; o < out.length; o += 3) rotateVector(out, o, rotation);
    return out;
  };
  const arms = turn(rod.nodePosition.map((x, d) => x - center[d % 3]));
  return {
    ...rod,
    nodePosition: arms.map((x, d) => x + center[d % 3] + offset[d % 3]),
    nodeTangent: turn(rod.nodeTangent),
    nodeDirector: turn(rod.nodeDirector),
    edgeDirector: turn(rod.edgeDirector),
  };
}

/** Writes the moved arrays over those of the rod. Velocities are given in world axes: they do not turn with the rod. */
function adopt(rod: Rod, to: Placed, { velocity }: RodSpec): void {
  rod.nodePosition.set(to.nodePosition);
  rod.nodeTangent.set(to.nodeTangent);
  rod.nodeDirector.set(to.nodeDirector);
  rod.edgeDirector.set(to.edgeDirector);
  if (!velocity) return;
  const nodes = Array.from({ length: rod.nodeCount }, (_, i) => vectorAt(rod.nodePosition, i));
  rod.nodeVelocity.set(startVelocity(velocity, nodes, rod.nodeMass, (length) => new Float64Array(length)));
  const { angular = [0, 0, 0] } = velocity;
  rod.edgeSpin.forEach((_, j) => {
    rod.edgeSpin[j] = dot(angular, normalize(subtract(nodes[(j + 1) % rod.nodeCount], nodes[j])));
  });
}

/** Warns about pins that do not start at the rod: allowed, but rarely intended. */
function warnJump({ pin, label }: CompiledPin, rod: Rod, warnings: string[]): void {
  const pose = scratch;
  pin.evaluate(pose, 0);
  const held = [pin.holdX, pin.holdY, pin.holdZ];
  const gap = vectorOf((k) => (held[k] ? pose.position[k] - rod.nodePosition[3 * pin.node + k] : 0));
  if (norm(gap) > TOLERANCE * rod.length) {
    warnings.push(
      `${label} starts ${norm(gap).toPrecision(4)} m away from its node; the rod will be pulled there at once`,
    );
  }
  if (pin.orientation === 'free') return;
  const turn = distance(vectorAt(pose.tangent, 0), vectorAt(rod.nodeTangent, pin.node));
  const spin =
    pin.orientation === 'frame'
      ? distance(vectorAt(pose.director, 0), vectorAt(rod.nodeDirector, pin.node)) + Math.abs(pose.twist)
      : 0;
  if (turn <= TOLERANCE && spin <= TOLERANCE) return;
  // frames cannot distinguish a rotation by 5 rad from one by 1.3 rad the other way
  warnings.push(
    `${label} starts with another orientation than its node; the rod will be turned there at once, by at most half a turn: to turn it further, let the path start without rotation`,
  );
}
