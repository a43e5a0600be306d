/**
 * Pins: the pose at which a node is held, as a function of time.
 *
 * The pose is that of the initial state unless given; the path moves it. Rotation vectors are interpolated by component and
 * turn the frame about the pin's own position. A rotation that is always about the tangent becomes `twist`, which counts
 * turns: a frame alone cannot distinguish a full turn from none. A component that a key omits keeps its value from the
 * previous key (zero at the first).
 */

import type { Frame, Vector } from '../curve/vector.ts';
import { cross, dot, makeFrame, norm, normalize, normalPart, transportFrame } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { writeAngularAcceleration, writeAngularVelocity } from '../math/rotationRates.ts';
import { sin, square } from '../math/rounded/index.ts';
import { capabilitiesOf } from '../models/registry.ts';
import type { Pin, PinMotion, PinPose, Rod } from './compiled.ts';
import { createPinPose } from './compiled.ts';
import type { Layout } from './layout.ts';
import { findNode } from './layout.ts';
import type { PlacedPin } from './rods.ts';
import type { PathSpec, PinSpec } from './types.ts';
import type { Path, Track } from './varying.ts';
import { checkTimes, createTrack } from './varying.ts';

export interface CompiledPin {
  readonly pin: Pin;
  readonly spec: PinSpec;
  readonly path: Path;
  readonly label: string;
}

const vectorAt = (array: Float64Array, i: number): Vector => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];

interface Holding {
  readonly x: boolean;
  readonly y: boolean;
  readonly z: boolean;
  readonly orientation: Pin['orientation'];
}

/** Coordinates that a pin holds; throws SceneError for fields that would have no effect. */
function readHolding(spec: PinSpec, path: Path): Holding {
  const { hold = 'clamp', axes = ['x', 'y', 'z'] } = spec;
  const place = hold === 'clamp' || hold === 'position' || hold === 'hinge';
  const orientation =
    hold === 'position' ? 'free' : hold === 'tangent' ? 'tangent' : hold === 'hinge' ? 'hinge' : 'frame';
  if ((spec.axis !== undefined) !== (hold === 'hinge')) {
    throw new SceneError(
      [...path, 'axis'],
      hold === 'hinge'
        ? 'a hinge needs its axis, such as axis: [0, 1, 0]'
        : `'axis' has no effect with hold: ${hold}; remove it, or use hold: hinge`,
    );
  }
  if (spec.axis && !(norm(spec.axis) > 0))
    throw new SceneError([...path, 'axis'], 'the axis is the zero vector; give a direction');
  const refuse = (field: 'axes' | 'position' | 'tangent' | 'd1', remedy: string): void => {
    if (spec[field] !== undefined)
      throw new SceneError([...path, field], `'${field}' has no effect with hold: ${hold}; ${remedy}`);
  };
  if (!place) {
    refuse('axes', 'remove it, or hold the position');
    refuse('position', 'remove it, or hold the position');
  }
  if (orientation === 'free') refuse('tangent', 'remove it, or use hold: clamp');
  if (orientation !== 'frame' && orientation !== 'hinge') refuse('d1', 'remove it, or use hold: clamp');
  if (axes.length === 0)
    throw new SceneError([...path, 'axes'], 'no axis is held; name some of x, y, z, or remove the pin');
  return {
    x: place && axes.includes('x'),
    y: place && axes.includes('y'),
    z: place && axes.includes('z'),
    orientation,
  };
}

/** The frame that the path starts from. */
function readFrame(spec: PinSpec, initial: Frame, path: Path): Frame {
  let frame = initial;
  if (spec.tangent) {
    if (!(norm(spec.tangent) > 0))
      throw new SceneError([...path, 'tangent'], 'the tangent is the zero vector; give a direction');
    const tangent = normalize(spec.tangent);
    // the smallest rotation has no direction when the tangent is reversed: any will do
    frame = 1 + dot(tangent, frame.tangent) < 1e-9 ? makeFrame(tangent, frame.d1) : transportFrame(frame, tangent);
  }
  if (spec.d1) {
    const d1 = normalPart(spec.d1, frame.tangent);
    if (!d1)
      throw new SceneError(
        [...path, 'd1'],
        `d1 [${spec.d1.join(', ')}] is parallel to the tangent; give a direction across the rod`,
      );
    frame = { tangent: frame.tangent, d1 };
  }
  return frame;
}

interface Motion {
  readonly times: readonly number[];
  /** offset (3), rotation (3), twist (1); undefined if nothing moves. */
  readonly track: Track | undefined;
  readonly rotates: boolean;
}

/** Cache of the last motion: thousands of hair roots move with one head, and separate splines would take a gigabyte. */
let last:
  | {
      readonly times: readonly number[];
      readonly values: readonly (readonly number[])[];
      readonly interpolation: NonNullable<PathSpec['interpolation']>;
      readonly spins: boolean;
      readonly motion: Motion;
    }
  | undefined;

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, k) => Object.is(value, b[k]));

function readMotion(spec: PathSpec | undefined, tangent: Vector, path: Path): Motion {
  if (!spec) return { times: [], track: undefined, rotates: false };
  const times = spec.keys.map(({ time }) => time);
  checkTimes(times, [...path, 'keys'], (i) => [i, 'time']);
  let offset: Vector = [0, 0, 0];
  let rotation: Vector = [0, 0, 0];
  let twist = 0;
  const keys = spec.keys.map((key) => {
    offset = key.offset ?? offset;
    rotation = key.rotation ?? rotation;
    twist = key.twist ?? twist;
    return { offset, rotation, twist };
  });
  const spins = keys.every((key) => norm(cross(key.rotation, tangent)) <= 1e-12 * norm(key.rotation));
  const values = keys.map((key) =>
    spins
      ? [...key.offset, 0, 0, 0, key.twist + dot(key.rotation, tangent)]
      : [...key.offset, ...key.rotation, key.twist],
  );
  const { interpolation = 'smooth' } = spec;
  if (
    last &&
    last.interpolation === interpolation &&
    isSame(last.times, times) &&
    last.values.every((value, i) => isSame(value, values[i]))
  )
    return last.spins === spins ? last.motion : { ...last.motion, rotates: !spins };
  const motion = { times, track: createTrack(times, values, interpolation), rotates: !spins };
  last = { times, values, interpolation, spins, motion };
  return motion;
}

/** Rotates the vector in `out` by the rotation vector (x, y, z), in place. */
export function rotateInPlace(out: Float64Array, x: number, y: number, z: number): void {
  const angle2 = x * x + y * y + z * z;
  const angle = Math.sqrt(angle2);
  const half = sin(angle / 2);
  const a = angle < 1e-8 ? 1 : sin(angle) / angle;
  const b = angle < 1e-8 ? 0.5 : (2 * half * half) / angle2;
  const p = y * out[2] - z * out[1];
  const q = z * out[0] - x * out[2];
  const r = x * out[1] - y * out[0];
  out[0] += a * p + b * (y * r - z * q);
  out[1] += a * q + b * (z * p - x * r);
  out[2] += a * r + b * (x * q - y * p);
}

/** Value, rate and second derivative of the track that was evaluated last. All pins share them, because each reads them at once. */
const moving = new Float64Array(14);
const still: Float64Array = new Float64Array(14);
const second = new Float64Array(7);
const tangent = new Float64Array(3);
/** Poses that are compared. */
const poses = [createPinPose(), createPinPose()];

export function compilePin(placed: PlacedPin, rod: Rod, rodIndex: number, layout: Layout): CompiledPin {
  const { spec, path } = placed;
  const node = findNode(spec.at, layout, [...path, 'at']);
  const holding = readHolding(spec, path);
  const { release = Number.POSITIVE_INFINITY } = spec;
  if (!(release >= 0)) throw new SceneError([...path, 'release'], `the release time is ${release} s; times start at 0`);
  const initial: Frame = { tangent: vectorAt(rod.nodeTangent, node), d1: vectorAt(rod.nodeDirector, node) };
  const frame = readFrame(spec, initial, path);
  const start = spec.position ?? vectorAt(rod.nodePosition, node);
  const motion = readMotion(spec.path, frame.tangent, [...path, 'path']);
  const axis: Vector = spec.axis ? normalize(spec.axis) : [0, 0, 0];
  const now = motion.track ? moving : still;

  // the pin still holds at the instant of its release, because the last stage before it may end exactly then
  const holds = (t: number): boolean => t <= release * (1 + 1e-12);
  const evaluate = (pose: PinPose, t: number): void => {
    const active = holds(t);
    motion.track?.evaluate(now, active ? t : release);
    // a released pin does not move
    if (!active && motion.track) now.fill(0, 7);
    for (let k = 0; k < 3; k++) {
      pose.position[k] = start[k] + now[k];
      pose.velocity[k] = now[7 + k];
      pose.tangent[k] = frame.tangent[k];
      pose.director[k] = frame.d1[k];
      pose.axis[k] = axis[k];
    }
    if (motion.rotates) {
      rotateInPlace(pose.tangent, now[3], now[4], now[5]);
      rotateInPlace(pose.director, now[3], now[4], now[5]);
      rotateInPlace(pose.axis, now[3], now[4], now[5]);
    }
    writeSpin(pose, now, motion.rotates);
    pose.twist = now[6];
    pose.active = active;
  };
  const { track } = motion;
  const evaluateMotion = (out: PinMotion, t: number): void => {
    writeMotion(out, motion, frame, t, holds(t));
  };
  const smooth = !track || track.accelerate !== undefined;
  const pin: Pin = {
    rod: rodIndex,
    node,
    holdX: holding.x,
    holdY: holding.y,
    holdZ: holding.z,
    orientation: holding.orientation,
    evaluate,
    holds,
    isStill: !track,
    ...(smooth && { evaluateMotion }),
  };
  const label = `${path[0] === 'welds' ? 'weld' : 'pin'} ${path[path.length - 1]} (rod '${rod.id}', node ${node})`;
  return { pin, spec, path, label };
}

/** Angular velocity of the pose from the rates of its rotation vector and of its twist, which is about the tangent. */
function writeSpin({ angularVelocity, tangent }: PinPose, now: Float64Array, rotates: boolean): void {
  if (rotates) writeAngularVelocity(angularVelocity, now, 3, now, 10);
  else angularVelocity.fill(0);
  for (let k = 0; k < 3; k++) angularVelocity[k] += now[13] * tangent[k];
}

/** Writes acceleration, angular velocity and angular acceleration of a pin at time t; zeros after its release. */
function writeMotion(out: PinMotion, { track, rotates }: Motion, frame: Frame, t: number, active: boolean): void {
  out.acceleration.fill(0);
  out.angularVelocity.fill(0);
  out.angularAcceleration.fill(0);
  if (!track?.accelerate || !active) return;
  const now = moving;
  track.evaluate(now, t);
  track.accelerate(second, t);
  for (let k = 0; k < 3; k++) out.acceleration[k] = second[k];
  writeAngularVelocity(out.angularVelocity, now, 3, now, 10);
  writeAngularAcceleration(out.angularAcceleration, now, 3, now, 10, second, 3);
  // the twist is about the tangent, which turns with the rest
  for (let k = 0; k < 3; k++) tangent[k] = frame.tangent[k];
  if (rotates) rotateInPlace(tangent, now[3], now[4], now[5]);
  const w = out.angularVelocity;
  const [x, y, z] = w;
  const spin = now[13];
  out.angularAcceleration[0] += second[6] * tangent[0] + spin * (y * tangent[2] - z * tangent[1]);
  out.angularAcceleration[1] += second[6] * tangent[1] + spin * (z * tangent[0] - x * tangent[2]);
  out.angularAcceleration[2] += second[6] * tangent[2] + spin * (x * tangent[1] - y * tangent[0]);
  for (let k = 0; k < 3; k++) w[k] += spin * tangent[k];
}

/** Two pins may share a node when they hold different things. */
export function checkPinsDisagree(pins: readonly CompiledPin[]): void {
  pins.forEach((b, j) => {
    for (const a of pins.slice(0, j)) {
      if (a.pin.node !== b.pin.node) continue;
      const axes = [a.pin.holdX && b.pin.holdX, a.pin.holdY && b.pin.holdY, a.pin.holdZ && b.pin.holdZ];
      const shared = axes.includes(true)
        ? 'position'
        : a.pin.orientation !== 'free' && b.pin.orientation !== 'free'
          ? 'orientation'
          : undefined;
      if (shared)
        throw new SceneError(
          b.path,
          `${b.label} holds the ${shared} of a node that ${a.label} holds already; remove one of them`,
        );
    }
  });
}

/** Throws if pins are farther apart than the rest length of an inextensible rod; warns if an extensible one would have to double its length. */
export function checkReach(pins: readonly CompiledPin[], rod: Rod, warnings: string[]): void {
  pins.forEach((b, j) => {
    for (const a of pins.slice(0, j)) {
      if (a.pin.node === b.pin.node) continue;
      const along = Math.abs(rod.nodeArc[b.pin.node] - rod.nodeArc[a.pin.node]);
      const rest = rod.closed ? Math.min(along, rod.length - along) : along;
      const axes = [a.pin.holdX && b.pin.holdX, a.pin.holdY && b.pin.holdY, a.pin.holdZ && b.pin.holdZ];
      const times = new Set([0, ...[a, b].flatMap(({ spec }) => spec.path?.keys.map(({ time }) => time) ?? [])]);
      for (const t of [...times].sort((x, y) => x - y)) {
        a.pin.evaluate(poses[0], t);
        b.pin.evaluate(poses[1], t);
        if (!poses[0].active || !poses[1].active) continue;
        let d2 = 0;
        for (let k = 0; k < 3; k++) if (axes[k]) d2 += square(poses[0].position[k] - poses[1].position[k]);
        const reach = Math.sqrt(d2);
        const words = `${a.label} and ${b.label} are ${reach.toPrecision(6)} m apart at t = ${t} s, but the rod between them is ${rest.toPrecision(6)} m long`;
        if (capabilitiesOf(rod).softPins && reach > rest * (1 + 1e-9)) {
          warnings.push(
            `${words}, and strands do not stretch, whatever EA is: the pin will not be reached, and the rod is pulled as far as it goes`,
          );
          break;
        }
        if (rod.inextensible && reach > rest * (1 + 1e-9)) {
          throw new SceneError(
            b.path,
            `${words} and inextensible; bring them closer, or make the rod longer or extensible`,
          );
        }
        if (!rod.inextensible && reach > 2 * rest) {
          warnings.push(`${words}: it would be stretched to more than double`);
          break;
        }
      }
    }
  });
}
