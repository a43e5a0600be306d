/**
 * Bodies on a path: forces do not affect their motion. A weld to such a body is a pin that moves with it, so every model with
 * pins supports these bodies; the reactions of those pins are the forces of the body on the rods.
 */

import type { BodyPose } from '../bodies/body.ts';
import { rotate, writeRotation } from '../bodies/body.ts';
import { SceneError } from '../errors.ts';
import { multiplyQuaternions, quaternionFromRotation } from '../math/quaternion.ts';
import { writeAngularAcceleration } from '../math/rotationRates.ts';
import { cos, hypot, sin } from '../math/rounded/index.ts';
import type { Pin, PinMotion, PinPose, Rod } from './compiled.ts';
import { createPinPose } from './compiled.ts';
import type { BodySpec } from './types.ts';
import type { Path, Track } from './varying.ts';
import { checkTimes, createTrack } from './varying.ts';

/** Motion of a body on a path at one time. */
interface PathMotion {
  time: number;
  /** Offset (3), rotation vector (3) and their rates (6). */
  readonly values: Float64Array;
  /** The rotation as a quaternion and as a matrix, and the angular velocity. */
  readonly turn: Float64Array;
  readonly rotation: Float64Array;
  readonly spin: Float64Array;
}

export interface BodyPath {
  /** The motion at t; the object holds until the next call. */
  moveTo(t: number): PathMotion;
  /** Writes the pose of the body at t. */
  evaluate(pose: BodyPose, t: number): void;
  /** Writes the second derivatives of offset (3) and rotation vector (3); absent if the velocity jumps (interpolation linear or step). */
  readonly accelerate?: (out: Float64Array, t: number) => void;
  /** Rotation vectors of the keys; a rotation about a fixed direction counts full turns. */
  readonly rotations: readonly (readonly [number, number, number])[];
}

export function compileBodyPath(spec: BodySpec, start: BodyPose, path: Path): BodyPath | undefined {
  if (!spec.path) return undefined;
  for (const field of ['velocity', 'free'] as const) {
    if (spec[field] !== undefined)
      throw new SceneError([...path, field], `'${field}' has no effect on a body with a path; remove it, or the path`);
  }
  const { keys, interpolation = 'smooth' } = spec.path;
  const times = keys.map(({ time }) => time);
  checkTimes(times, [...path, 'path', 'keys'], (i) => [i, 'time']);
  let offset: readonly [number, number, number] = [0, 0, 0];
  let rotation: readonly [number, number, number] = [0, 0, 0];
  const values = keys.map((key, k) => {
    if (key.twist !== undefined)
      throw new SceneError([...path, 'path', 'keys', k, 'twist'], 'a body has no tangent to twist about; use rotation');
    offset = key.offset ?? offset;
    rotation = key.rotation ?? rotation;
    return [...offset, ...rotation];
  });
  const track = createTrack(times, values, interpolation);
  const position = start.position.slice();
  const orientation = start.orientation.slice();
  const moveTo = createPathMotion(track);
  return {
    moveTo,
    ...(track.accelerate && { accelerate: track.accelerate }),
    evaluate(pose, t) {
      const { values, turn, spin } = moveTo(t);
      multiplyQuaternions(pose.orientation, 0, turn, 0, orientation, 0);
      writeRotation(pose.rotation, pose.orientation);
      for (let k = 0; k < 3; k++) {
        pose.position[k] = position[k] + values[k];
        pose.velocity[k] = values[6 + k];
        pose.angularVelocity[k] = spin[k];
      }
    },
    rotations: values.map(([, , , x, y, z]) => [x, y, z] as const),
  };
}

/** Evaluates a track; the last two times are kept, because all pins on a body ask for the start and the end of the same step. */
function createPathMotion(track: Track): BodyPath['moveTo'] {
  const create = (): PathMotion => ({
    time: Number.NaN,
    values: new Float64Array(12),
    turn: new Float64Array(4),
    rotation: new Float64Array(9),
    spin: new Float64Array(3),
  });
  let [last, other] = [create(), create()];
  return (t) => {
    if (t === last.time) return last;
    [last, other] = [other, last];
    if (t === last.time) return last;
    const { values, turn, rotation, spin } = last;
    track.evaluate(values, t);
    quaternionFromRotation(turn, 0, values, 3);
    writeRotation(rotation, turn);
    writeSpin(spin, values);
    last.time = t;
    return last;
  };
}

/** ω of a rotation vector ρ with rate ρ̇: ρ̇ + (1−cos φ)/φ² ρ×ρ̇ + (φ−sin φ)/φ³ ρ×(ρ×ρ̇), φ = |ρ|; ρ at 3, ρ̇ at 9. */
function writeSpin(out: Float64Array, now: Float64Array): void {
  const [x, y, z] = [now[3], now[4], now[5]];
  const [u, v, w] = [now[9], now[10], now[11]];
  const angle2 = x * x + y * y + z * z;
  const angle = Math.sqrt(angle2);
  const c1 = angle < 1e-3 ? 0.5 - angle2 / 24 : (1 - cos(angle)) / angle2;
  const c2 = angle < 1e-2 ? 1 / 6 - angle2 / 120 : (angle - sin(angle)) / (angle2 * angle);
  const p = y * w - z * v;
  const q = z * u - x * w;
  const r = x * v - y * u;
  out[0] = u + c1 * p + c2 * (y * r - z * q);
  out[1] = v + c1 * q + c2 * (z * p - x * r);
  out[2] = w + c1 * r + c2 * (x * q - y * p);
}

/** A pin that moves with a body on a path. */
export function rideOnPath(pin: Pin, rod: Rod, body: BodyPath, start: BodyPose): Pin {
  const o = 3 * pin.node;
  const at = (array: Float64Array): Float64Array => array.slice(o, o + 3);
  const first = createPinPose();
  pin.evaluate(first, 0);
  const origin = start.position.slice();
  const arm = at(rod.nodePosition).map((x, k) => x - origin[k]);
  const tangent = at(rod.nodeTangent);
  const director = at(rod.nodeDirector);
  const axis = first.axis.slice();
  // turns about the tangent are counted as twist: a frame alone does not distinguish a full turn from none
  const spins = body.rotations.every(([x, y, z]) => {
    const off = hypot(
      y * tangent[2] - z * tangent[1],
      z * tangent[0] - x * tangent[2],
      x * tangent[1] - y * tangent[0],
    );
    return off <= 1e-12 * hypot(x, y, z);
  });
  const evaluate = (out: PinPose, t: number): void => {
    const { values: now, rotation, spin } = body.moveTo(t);
    rotate(out.position, 0, rotation, arm, 0);
    const p = out.position;
    out.velocity[0] = now[6] + spin[1] * p[2] - spin[2] * p[1];
    out.velocity[1] = now[7] + spin[2] * p[0] - spin[0] * p[2];
    out.velocity[2] = now[8] + spin[0] * p[1] - spin[1] * p[0];
    for (let k = 0; k < 3; k++) p[k] += origin[k] + now[k];
    out.angularVelocity.set(spin);
    if (spins && pin.orientation !== 'hinge') {
      out.tangent.set(tangent);
      out.director.set(director);
      out.twist = now[3] * tangent[0] + now[4] * tangent[1] + now[5] * tangent[2];
    } else {
      rotate(out.tangent, 0, rotation, tangent, 0);
      rotate(out.director, 0, rotation, director, 0);
      rotate(out.axis, 0, rotation, axis, 0);
      out.twist = 0;
    }
    out.active = true;
  };
  const { evaluateMotion: _, ...held } = pin;
  return {
    ...held,
    evaluate,
    holds: () => true,
    isStill: false,
    ...(body.accelerate && { evaluateMotion: (out: PinMotion, t: number) => writeMotion(out, body, arm, t) }),
  };
}

const second = new Float64Array(6);
const lever = new Float64Array(3);

/** Motion of a point of the body, at `arm` from its centre at the start. */
function writeMotion(out: PinMotion, { moveTo, accelerate }: BodyPath, arm: ArrayLike<number>, t: number): void {
  const { values, rotation, spin } = moveTo(t);
  accelerate?.(second, t);
  const { acceleration, angularVelocity: w, angularAcceleration: a } = out;
  w.set(spin);
  writeAngularAcceleration(a, values, 3, values, 9, second, 3);
  rotate(lever, 0, rotation, arm, 0);
  const [x, y, z] = lever;
  const along = w[0] * x + w[1] * y + w[2] * z;
  const square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  acceleration[0] = second[0] + a[1] * z - a[2] * y + along * w[0] - square * x;
  acceleration[1] = second[1] + a[2] * x - a[0] * z + along * w[1] - square * y;
  acceleration[2] = second[2] + a[0] * y - a[1] * x + along * w[2] - square * z;
}
