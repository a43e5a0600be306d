/**
 * Small vectors and rotations for building rods. They allocate, so they are for compilation, not for steps. Functions that are called for every
 * edge of ten thousand rods allocate only their result.
 *
 * A frame is a unit tangent with a unit director d1 normal to it; d2 = tangent × d1. Rotation vectors between frames
 * are written in the material frame (d1, d2, d3 = tangent); both frames agree on those components.
 */
import { atan2, cos, sin } from '../math/rounded/index.ts';

export type Vector = readonly [number, number, number];

export interface Frame {
  readonly tangent: Vector;
  readonly d1: Vector;
}

/** By its components. */
export const vectorOf = (component: (k: number) => number): Vector => [component(0), component(1), component(2)];
export const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vector, k: number): Vector => [k * a[0], k * a[1], k * a[2]];
/** a + k·b */
export const addScaled = (a: Vector, b: Vector, k: number): Vector => [
  a[0] + k * b[0],
  a[1] + k * b[1],
  a[2] + k * b[2],
];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
/** Without Math.hypot, whose rounding differs between engines. */
export const norm = (a: Vector): number => Math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
export function distance(a: Vector, b: Vector): number {
  const x = a[0] - b[0];
  const y = a[1] - b[1];
  const z = a[2] - b[2];
  return Math.sqrt(x * x + y * y + z * z);
}

export const normalize = (a: Vector): Vector => makeUnit(a[0], a[1], a[2]);

function makeUnit(ax: number, ay: number, az: number): Vector {
  // scaled first, so that micrometres squared do not underflow
  const k = 1 / Math.max(Math.abs(ax), Math.abs(ay), Math.abs(az));
  const x = k * ax;
  const y = k * ay;
  const z = k * az;
  const inverse = 1 / Math.sqrt(x * x + y * y + z * z);
  return [inverse * x, inverse * y, inverse * z];
}

/** The part of `a` normal to the unit vector `t`, made unit; undefined when `a` is parallel to `t` (or zero). */
export function normalPart(a: Vector, t: Vector): Vector | undefined {
  const size = norm(a);
  if (!(size > 0)) return undefined;
  const part = addScaled(a, t, -dot(a, t));
  if (norm(part) < 1e-9 * size) return undefined;
  const unit = normalize(part);
  return normalize(addScaled(unit, t, -dot(unit, t)));
}

/** A unit normal of the unit vector `t`, the same for the same `t`: towards the axis along which `t` is smallest. */
export function anyNormal(t: Vector): Vector {
  const [x, y, z] = t.map(Math.abs);
  const axis: Vector = x <= y && x <= z ? [1, 0, 0] : y <= z ? [0, 1, 0] : [0, 0, 1];
  return normalPart(axis, t) as Vector;
}

/** Makes the director exactly normal to the tangent again. */
export function makeFrame(tangent: Vector, d1: Vector): Frame {
  const k = -(d1[0] * tangent[0] + d1[1] * tangent[1] + d1[2] * tangent[2]);
  return { tangent, d1: makeUnit(d1[0] + k * tangent[0], d1[1] + k * tangent[1], d1[2] + k * tangent[2]) };
}

/** Rotates `a` by the rotation vector `w`. */
export function rotate(a: Vector, w: Vector): Vector {
  const angle = norm(w);
  // sin(x)/x and (1 − cos x)/x² without cancellation
  const half = sin(angle / 2);
  const first = angle < 1e-8 ? 1 : sin(angle) / angle;
  const second = angle < 1e-8 ? 0.5 : (2 * half * half) / (angle * angle);
  const x = w[1] * a[2] - w[2] * a[1];
  const y = w[2] * a[0] - w[0] * a[2];
  const z = w[0] * a[1] - w[1] * a[0];
  return [
    a[0] + first * x + second * (w[1] * z - w[2] * y),
    a[1] + first * y + second * (w[2] * x - w[0] * z),
    a[2] + first * z + second * (w[0] * y - w[1] * x),
  ];
}

/** Rotates `a` by the smallest rotation that takes the unit vector `from` to `to`. */
export function transport(a: Vector, from: Vector, to: Vector): Vector {
  const bx = from[1] * to[2] - from[2] * to[1];
  const by = from[2] * to[0] - from[0] * to[2];
  const bz = from[0] * to[1] - from[1] * to[0];
  const x = by * a[2] - bz * a[1];
  const y = bz * a[0] - bx * a[2];
  const z = bx * a[1] - by * a[0];
  const k = 1 / (1 + (from[0] * to[0] + from[1] * to[1] + from[2] * to[2]));
  return [a[0] + x + k * (by * z - bz * y), a[1] + y + k * (bz * x - bx * z), a[2] + z + k * (bx * y - by * x)];
}

/** The frame carried by that rotation. */
export const transportFrame = (frame: Frame, to: Vector): Frame =>
  makeFrame(to, transport(frame.d1, frame.tangent, to));

/** Signed angle about the unit vector `t` from `a` to `b`, both normal to it; in (−π, π]. */
export const angleAbout = (t: Vector, a: Vector, b: Vector): number => atan2(dot(cross(a, b), t), dot(a, b));

export function turnFrame(frame: Frame, angle: number): Frame {
  if (angle === 0) return frame;
  const { tangent, d1 } = frame;
  return makeFrame(tangent, addScaled(scale(d1, cos(angle)), cross(tangent, d1), sin(angle)));
}

/** Twist [rad] from frame a to frame b beyond the smallest rotation between their tangents; in (−π, π]. */
export const twistBetween = (a: Frame, b: Frame): number =>
  angleAbout(b.tangent, transportFrame(a, b.tangent).d1, b.d1);

/**
 * Rotation vector from frame a to frame b in material components. Of all the vectors that differ by full turns, the one
 * nearest to `expected` (default: the shortest).
 */
export function rotationBetween(a: Frame, b: Frame, expected: Vector = none): Vector {
  const { tangent: at, d1: a1 } = a;
  const { tangent: bt, d1: b1 } = b;
  const ax = at[1] * a1[2] - at[2] * a1[1];
  const ay = at[2] * a1[0] - at[0] * a1[2];
  const az = at[0] * a1[1] - at[1] * a1[0];
  const bx = bt[1] * b1[2] - bt[2] * b1[1];
  const by = bt[2] * b1[0] - bt[0] * b1[2];
  const bz = bt[0] * b1[1] - bt[1] * b1[0];
  // the matrix between the axes (d1, d2, d3)
  const m00 = dot(a1, b1);
  const m01 = a1[0] * bx + a1[1] * by + a1[2] * bz;
  const m02 = dot(a1, bt);
  const m10 = ax * b1[0] + ay * b1[1] + az * b1[2];
  const m11 = ax * bx + ay * by + az * bz;
  const m12 = ax * bt[0] + ay * bt[1] + az * bt[2];
  const m20 = dot(at, b1);
  const m21 = at[0] * bx + at[1] * by + at[2] * bz;
  const m22 = dot(at, bt);
  // the quaternion by its largest component, which is never small
  const w2 = 1 + m00 + m11 + m22;
  const x2 = 1 + m00 - m11 - m22;
  const y2 = 1 - m00 + m11 - m22;
  const z2 = 1 - m00 - m11 + m22;
  let w = w2;
  let x = m21 - m12;
  let y = m02 - m20;
  let z = m10 - m01;
  const largest = Math.max(w2, x2, y2, z2);
  if (largest !== w2) {
    if (largest === x2) [w, x, y, z] = [x, x2, m10 + m01, m02 + m20];
    else if (largest === y2) [w, x, y, z] = [y, m10 + m01, y2, m21 + m12];
    else [w, x, y, z] = [z, m02 + m20, m21 + m12, z2];
  }
  const sign = w < 0 ? -1 : 1;
  w *= sign;
  x *= sign;
  y *= sign;
  z *= sign;
  const sine = Math.sqrt(x * x + y * y + z * z);
  if (sine < 1e-12 * w) {
    // no rotation to speak of, or whole turns about an axis that only `expected` can name
    const turns = Math.round(norm(expected) / (2 * Math.PI));
    const k = 2 / w;
    const small: Vector = [k * x, k * y, k * z];
    return turns === 0 ? small : addScaled(small, normalize(expected), 2 * Math.PI * turns);
  }
  const angle = 2 * atan2(sine, w);
  const k = 1 / sine;
  x *= k;
  y *= k;
  z *= k;
  const turns = Math.round((expected[0] * x + expected[1] * y + expected[2] * z - angle) / (2 * Math.PI));
  const size = angle + 2 * Math.PI * turns;
  return [size * x, size * y, size * z];
}

const none: Vector = [0, 0, 0];

/** The frame that the rotation vector `w`, in material components, takes `frame` to. */
export function advanceFrame(frame: Frame, w: Vector): Frame {
  const { tangent: t, d1 } = frame;
  const [x, y, z] = cross(t, d1);
  const world: Vector = [
    w[0] * d1[0] + w[1] * x + w[2] * t[0],
    w[0] * d1[1] + w[1] * y + w[2] * t[1],
    w[0] * d1[2] + w[1] * z + w[2] * t[2],
  ];
  return makeFrame(normalize(rotate(t, world)), rotate(d1, world));
}
