/**
 * Small vectors and rotations for building rods. These allocate, so they serve compilation, not the step.
 *
 * A frame is a unit tangent with a unit director d1 normal to it; d2 = tangent × d1. Rotation vectors between frames
 * are written in the material frame (d1, d2, d3 = tangent); both frames agree on those components.
 */
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
export const norm = (a: Vector): number => Math.sqrt(dot(a, a));
export const distance = (a: Vector, b: Vector): number => norm(subtract(a, b));

export function normalize(a: Vector): Vector {
  // scaled first, so that micrometres squared do not underflow
  const largest = Math.max(Math.abs(a[0]), Math.abs(a[1]), Math.abs(a[2]));
  const b = scale(a, 1 / largest);
  return scale(b, 1 / norm(b));
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
export const makeFrame = (tangent: Vector, d1: Vector): Frame => ({
  tangent,
  d1: normalize(addScaled(d1, tangent, -dot(d1, tangent))),
});

/** Rotates `a` by the rotation vector `w`. */
export function rotate(a: Vector, w: Vector): Vector {
  const angle = norm(w);
  // sin(x)/x and (1 − cos x)/x² without cancellation
  const half = Math.sin(angle / 2);
  const first = angle < 1e-8 ? 1 : Math.sin(angle) / angle;
  const second = angle < 1e-8 ? 0.5 : (2 * half * half) / (angle * angle);
  const wa = cross(w, a);
  return addScaled(addScaled(a, wa, first), cross(w, wa), second);
}

/** Rotates `a` by the smallest rotation that takes the unit vector `from` to `to`. */
export function transport(a: Vector, from: Vector, to: Vector): Vector {
  const b = cross(from, to);
  const ba = cross(b, a);
  return addScaled(add(a, ba), cross(b, ba), 1 / (1 + dot(from, to)));
}

/** The frame carried by that rotation. */
export const transportFrame = (frame: Frame, to: Vector): Frame =>
  makeFrame(to, transport(frame.d1, frame.tangent, to));

/** Signed angle about the unit vector `t` from `a` to `b`, both normal to it; in (−π, π]. */
export const angleAbout = (t: Vector, a: Vector, b: Vector): number => Math.atan2(dot(cross(a, b), t), dot(a, b));

export function turnFrame({ tangent, d1 }: Frame, angle: number): Frame {
  if (angle === 0) return { tangent, d1 };
  return makeFrame(tangent, addScaled(scale(d1, Math.cos(angle)), cross(tangent, d1), Math.sin(angle)));
}

/** Twist [rad] from frame a to frame b beyond the smallest rotation between their tangents; in (−π, π]. */
export const twistBetween = (a: Frame, b: Frame): number =>
  angleAbout(b.tangent, transportFrame(a, b.tangent).d1, b.d1);

/**
 * Rotation vector from frame a to frame b in material components. Of all the vectors that differ by full turns, the one
 * nearest to `expected` (default: the shortest).
 */
export function rotationBetween(a: Frame, b: Frame, expected: Vector = [0, 0, 0]): Vector {
  const a2 = cross(a.tangent, a.d1);
  const b2 = cross(b.tangent, b.d1);
  const rows = [a.d1, a2, a.tangent];
  const columns = [b.d1, b2, b.tangent];
  const m = rows.map((row) => columns.map((column) => dot(row, column)));
  // the quaternion by its largest component, which is never small
  const w2 = 1 + m[0][0] + m[1][1] + m[2][2];
  const x2 = 1 + m[0][0] - m[1][1] - m[2][2];
  const y2 = 1 - m[0][0] + m[1][1] - m[2][2];
  const z2 = 1 - m[0][0] - m[1][1] + m[2][2];
  const p = m[2][1] - m[1][2];
  const q = m[0][2] - m[2][0];
  const r = m[1][0] - m[0][1];
  const largest = Math.max(w2, x2, y2, z2);
  let quaternion: [number, number, number, number];
  if (largest === w2) quaternion = [w2, p, q, r];
  else if (largest === x2) quaternion = [p, x2, m[1][0] + m[0][1], m[0][2] + m[2][0]];
  else if (largest === y2) quaternion = [q, m[1][0] + m[0][1], y2, m[2][1] + m[1][2]];
  else quaternion = [r, m[0][2] + m[2][0], m[2][1] + m[1][2], z2];
  const sign = quaternion[0] < 0 ? -1 : 1;
  const w = sign * quaternion[0];
  const v: Vector = [sign * quaternion[1], sign * quaternion[2], sign * quaternion[3]];
  const sine = norm(v);
  if (sine < 1e-12 * w) {
    // no rotation to speak of, or whole turns about an axis that only `expected` can name
    const turns = Math.round(norm(expected) / (2 * Math.PI));
    const small = scale(v, 2 / w);
    return turns === 0 ? small : addScaled(small, normalize(expected), 2 * Math.PI * turns);
  }
  const angle = 2 * Math.atan2(sine, w);
  const axis = scale(v, 1 / sine);
  const turns = Math.round((dot(expected, axis) - angle) / (2 * Math.PI));
  return scale(axis, angle + 2 * Math.PI * turns);
}

/** The frame that the rotation vector `w`, in material components, takes `frame` to. */
export function advanceFrame(frame: Frame, w: Vector): Frame {
  const d2 = cross(frame.tangent, frame.d1);
  const world = addScaled(addScaled(scale(frame.d1, w[0]), d2, w[1]), frame.tangent, w[2]);
  const tangent = normalize(rotate(frame.tangent, world));
  return makeFrame(tangent, rotate(frame.d1, world));
}
