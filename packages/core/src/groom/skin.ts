/**
 * Hair roots on a skin that deforms: each root keeps its place on its triangle, and its frame turns as the triangle does.
 *
 * A triangle stretches as well as turns. Its rotation is that of the polar decomposition: the normal follows exactly, and within the plane the
 * rotation is the one nearest to the deformation, so that it does not depend on which edge of the triangle comes first.
 */

import {
  add,
  addScaled,
  cross,
  dot,
  type Frame,
  normalize,
  rotationBetween,
  scale,
  subtract,
  turnFrame,
  type Vector,
} from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { atan2 } from '../math/rounded/index.ts';
import type { PathSpec } from '../scene/types.ts';
import { findNearest, nearest } from '../surface/triangle.ts';
import type { RootPose } from './hairs.ts';
import { vectorAt } from './hairstyle.ts';

/** Triangles of a skin: 3 numbers per vertex [m], 3 vertices per triangle. */
export interface SkinMesh {
  /** Vertices [m], 3 per vertex. */
  readonly position: Float64Array;
  /** Vertex indices, 3 per triangle. */
  readonly triangle: ArrayLike<number>;
}

/** Where roots are on a skin at rest. */
export interface SkinRoots {
  /** The skin at rest. */
  readonly skin: SkinMesh;
  /** Triangle of each root, and the weights of its second and third vertex. */
  readonly triangle: Uint32Array;
  /** Weights of the second and third vertex of the triangle, 2 per root. */
  readonly weight: Float64Array;
  /** Distance of each root from the skin [m]. */
  readonly distance: Float64Array;
}

/** The skin at an instant. */
export interface SkinFrame {
  /** [s] */
  readonly time: number;
  /** Vertices [m], 3 per vertex. */
  readonly position: Float64Array;
}

/** Finds the point of the skin that is nearest to each root. */
export function bindRoots(skin: SkinMesh, roots: readonly Vector[]): SkinRoots {
  const { position, triangle: corners } = skin;
  const bounds = boundTriangles(skin);
  const triangle = new Uint32Array(roots.length);
  const weight = new Float64Array(2 * roots.length);
  const distance = new Float64Array(roots.length);
  roots.forEach(([x, y, z], r) => {
    let best = Infinity;
    for (let f = 0; 3 * f < corners.length; f++) {
      const [dx, dy, dz] = [x - bounds[4 * f], y - bounds[4 * f + 1], z - bounds[4 * f + 2]];
      if (Math.sqrt(dx * dx + dy * dy + dz * dz) - bounds[4 * f + 3] >= best) continue;
      const [a, b, c] = [3 * corners[3 * f], 3 * corners[3 * f + 1], 3 * corners[3 * f + 2]];
      findNearest(position, a, b, c, x, y, z);
      const { v, w } = nearest;
      const on = (k: number): number => (1 - v - w) * position[a + k] + v * position[b + k] + w * position[c + k];
      const [ex, ey, ez] = [x - on(0), y - on(1), z - on(2)];
      const d = Math.sqrt(ex * ex + ey * ey + ez * ez);
      if (d >= best) continue;
      best = d;
      triangle[r] = f;
      weight[2 * r] = v;
      weight[2 * r + 1] = w;
    }
    distance[r] = best;
  });
  return { skin, triangle, weight, distance };
}

/** Centre and radius of a ball about each triangle that has an area; others have a negative infinite radius, so that no root binds to them. */
function boundTriangles({ position, triangle }: SkinMesh): Float64Array {
  const out = new Float64Array((4 * triangle.length) / 3);
  for (let f = 0; 3 * f < triangle.length; f++) {
    const corners = cornersOf(position, triangle, f);
    const center = scale(corners.reduce(add), 1 / 3);
    const radius = Math.max(...corners.map((corner) => Math.sqrt(squared(subtract(corner, center)))));
    out.set([...center, isFlat(corners) ? -Infinity : radius], 4 * f);
  }
  return out;
}

const squared = (a: Vector): number => dot(a, a);

/** True if the triangle has no area, up to rounding. */
function isFlat([a, b, c]: readonly [Vector, Vector, Vector]): boolean {
  const [e, f] = [subtract(b, a), subtract(c, a)];
  const size = squared(e) + squared(f);
  return squared(cross(e, f)) <= 1e-24 * size * size;
}

function cornersOf(position: Float64Array, triangle: ArrayLike<number>, f: number): [Vector, Vector, Vector] {
  return [
    vectorAt(position, triangle[3 * f]),
    vectorAt(position, triangle[3 * f + 1]),
    vectorAt(position, triangle[3 * f + 2]),
  ];
}

/** A path per root: its displacement and rotation relative to rest. `turns: false`: displacement only. */
export function rideSkin(roots: SkinRoots, frames: readonly SkinFrame[], turns = true): PathSpec[] {
  const { skin, triangle } = roots;
  const all = Array.from(triangle, (face, r): Rider => {
    const rest = cornersOf(skin.position, skin.triangle, face);
    return { start: placeOf(roots, skin.position, r), rest, frame: frameOf(rest), turned: [0, 0, 0], keys: [] };
  });
  // positions may be computed on demand, so each frame is visited once
  for (const { time, position } of frames) {
    if (position.length !== skin.position.length)
      throw new SceneError(
        ['skin'],
        `${position.length / 3} vertices at ${time} s; at rest the skin has ${skin.position.length / 3}`,
      );
    all.forEach((rider, r) => {
      const offset = subtract(placeOf(roots, position, r), rider.start);
      if (turns) turnRider(rider, cornersOf(position, skin.triangle, triangle[r]));
      rider.keys.push({ time, offset, ...(turns && { rotation: inWorld(rider.frame, rider.turned) }) });
    });
  }
  return all.map(({ keys }) => ({ interpolation: 'smooth', keys }));
}

type Corners = [Vector, Vector, Vector];

/** A root on its way: its triangle at rest, and how far that has turned since. */
interface Rider {
  readonly start: Vector;
  readonly rest: Corners;
  readonly frame: Frame;
  turned: Vector;
  readonly keys: PathSpec['keys'][number][];
}

/** A triangle that has collapsed has no frame: the root keeps its last rotation. */
function turnRider(rider: Rider, now: Corners): void {
  if (!isFlat(now)) rider.turned = rotationBetween(rider.frame, turnedFrame(rider.rest, now), rider.turned);
}

/** Where roots are, and how they have turned, on a skin whose vertices are at `position`. */
export function poseRoots(roots: SkinRoots, position: Float64Array): RootPose {
  const { skin, triangle } = roots;
  const out = { position: new Float64Array(3 * triangle.length), turn: new Float64Array(9 * triangle.length) };
  triangle.forEach((face, r) => {
    out.position.set(placeOf(roots, position, r), 3 * r);
    const rest = cornersOf(skin.position, skin.triangle, face);
    const now = cornersOf(position, skin.triangle, face);
    const from = frameOf(rest);
    const to = isFlat(now) ? from : turnedFrame(rest, now);
    const [a, b] = [axesOf(from), axesOf(to)];
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 3; j++)
        out.turn[9 * r + 3 * i + j] = b[0][i] * a[0][j] + b[1][i] * a[1][j] + b[2][i] * a[2][j];
  });
  return out;
}

function axesOf({ d1, tangent }: Frame): readonly [Vector, Vector, Vector] {
  return [d1, cross(tangent, d1), tangent];
}

function placeOf({ skin, triangle, weight }: SkinRoots, position: Float64Array, r: number): Vector {
  const [a, b, c] = cornersOf(position, skin.triangle, triangle[r]);
  const [v, w] = [weight[2 * r], weight[2 * r + 1]];
  return addScaled(addScaled(scale(a, 1 - v - w), b, v), c, w);
}

/** The first edge and the normal of a triangle. */
function frameOf([a, b, c]: readonly [Vector, Vector, Vector]): Frame {
  const edge = subtract(b, a);
  return { d1: normalize(edge), tangent: normalize(cross(edge, subtract(c, a))) };
}

/** The frame of the triangle at rest, turned as the triangle has turned since. */
function turnedFrame(rest: readonly [Vector, Vector, Vector], now: readonly [Vector, Vector, Vector]): Frame {
  const [from, to] = [frameOf(rest), frameOf(now)];
  const [p, q] = [planeCoordinates(rest, from), planeCoordinates(now, to)];
  // in-plane gradient G with G p = q, up to the positive factor det p
  const [g00, g01] = [q[0] * p[3] - q[1] * p[2], q[1] * p[0] - q[0] * p[1]];
  const [g10, g11] = [q[2] * p[3] - q[3] * p[2], q[3] * p[0] - q[2] * p[1]];
  return turnFrame(to, atan2(g10 - g01, g00 + g11));
}

/** Both edges from the first vertex in the axes d1 and d2 of the triangle: x of both, then y of both. */
function planeCoordinates([a, b, c]: readonly [Vector, Vector, Vector], { d1, tangent }: Frame): number[] {
  const d2 = cross(tangent, d1);
  const [e, f] = [subtract(b, a), subtract(c, a)];
  return [dot(e, d1), dot(f, d1), dot(e, d2), dot(f, d2)];
}

function inWorld({ d1, tangent }: Frame, [x, y, z]: Vector): Vector {
  return addScaled(addScaled(scale(d1, x), cross(tangent, d1), y), tangent, z);
}
