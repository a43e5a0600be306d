/**
 * The obstacles of a recorded scene as meshes, and their pose and shape in each frame: on their path, attached to a body, or deforming. Formulas and grids
 * have no mesh and are omitted.
 */

import { type ColliderSpec, compileColliders, createVertexMotion } from '@tendril-sim/core';
import { cos, hypotOf, sin } from '@tendril-sim/core/math';
import type { BodyFrame, RecordingFrame } from '../recording.ts';
import type { Footage } from './footage.ts';
import { ballMesh } from './tube.ts';

/** A solid that strands or rods cannot enter. */
export interface Obstacle {
  /** Id in the scene. */
  readonly id: string;
  /** In its own axes [m], 3 per vertex. */
  readonly position: Float64Array;
  /** Vertex indices, 3 per triangle. */
  readonly triangle: Uint32Array;
  /** Vertices in its own axes at a time [s], valid until the next call; missing if it keeps its shape. */
  readonly shapeAt?: (time: number) => Float64Array;
  /** True if its pose changes. */
  readonly moves: boolean;
  /** True for a plane, which extends beyond its mesh. */
  readonly endless: boolean;
  /** True if rods are inside. */
  readonly hollow: boolean;
  /** Colour that the scene gives it. */
  readonly color?: string;
  /** Writes columns x, y, z axis and origin of its pose in a frame. */
  place(out: Float64Array, frame: Pick<RecordingFrame, 'time' | 'bodies'>): void;
}

/** Meshes of the obstacles of a scene. */
export function obstaclesOf({ scene, bodies = [], rods }: Footage['header']): Obstacle[] {
  const reach =
    2 *
    rods.reduce(
      (most, rod) =>
        Math.max(
          most,
          rod.edgeLengthRest.reduce((sum, l) => sum + l, 0),
        ),
      0,
    );
  return (scene.colliders ?? []).flatMap((spec, k): Obstacle[] => {
    const mesh = meshOf(spec, reach > 0 ? reach : 1);
    if (!mesh) return [];
    // only the pose is needed: bodies are in the recording, and rods do not matter
    const { body, rods: _, ...own } = spec;
    const rigid = own.type === 'mesh' ? { ...own, deform: undefined, blend: undefined } : own;
    const [collider] = compileColliders({ tendril: 1, rods: [], colliders: [rigid] }, [], [], []);
    const shapeAt = spec.type === 'mesh' ? motionOf(spec) : undefined;
    const pose = { position: new Float64Array(3), rotation: new Float64Array(9) };
    const ride = bodies.findIndex(({ id }) => id === body);
    return [
      {
        id: spec.id ?? `collider ${k}`,
        ...mesh,
        ...(shapeAt && { shapeAt }),
        moves: collider.moves || ride >= 0,
        endless: spec.type === 'plane',
        hollow: spec.hollow ?? false,
        ...(spec.color && { color: spec.color }),
        place(out, frame) {
          collider.evaluate(pose, frame.time);
          for (let r = 0; r < 3; r++) {
            for (let c = 0; c < 3; c++) out[3 * c + r] = pose.rotation[3 * r + c];
            out[9 + r] = pose.position[r];
          }
          const carrier = ride >= 0 ? frame.bodies?.[ride] : undefined;
          if (carrier) carry(out, carrier);
        },
      },
    ];
  });
}

type MeshSpec = Extract<ColliderSpec, { type: 'mesh' }>;

/** Motions of meshes that deform: films ask for the obstacles of every frame, and a spline takes long to make. */
const motions = new WeakMap<MeshSpec, ReturnType<typeof createVertexMotion>>();

function motionOf(spec: MeshSpec): ReturnType<typeof createVertexMotion> {
  if (!motions.has(spec)) motions.set(spec, createVertexMotion(spec));
  return motions.get(spec);
}

/** Vertices of an obstacle in a frame, in world axes [m]. */
export function writeObstacle(
  out: Float32Array | Float64Array,
  { position, shapeAt, place }: Obstacle,
  frame: Pick<RecordingFrame, 'time' | 'bodies'>,
): void {
  place(axes, frame);
  const p = shapeAt?.(frame.time) ?? position;
  for (let i = 0; i < p.length; i += 3)
    for (let k = 0; k < 3; k++)
      out[i + k] = axes[9 + k] + axes[k] * p[i] + axes[3 + k] * p[i + 1] + axes[6 + k] * p[i + 2];
}

const axes = new Float64Array(12);

/** Pose of something attached to a body, in world axes. */
function carry(out: Float64Array, { position, orientation: q }: BodyFrame): void {
  const [w, x, y, z] = [q[0], q[1], q[2], q[3]];
  for (let o = 0; o < 12; o += 3) {
    const [a, b, c] = [out[o], out[o + 1], out[o + 2]];
    // v + 2 u × (u × v + w v)
    const [tx, ty, tz] = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
    out[o] = a + 2 * (y * tz - z * ty);
    out[o + 1] = b + 2 * (z * tx - x * tz);
    out[o + 2] = c + 2 * (x * ty - y * tx);
  }
  for (let k = 0; k < 3; k++) out[9 + k] += position[k];
}

interface Mesh {
  readonly position: Float64Array;
  readonly triangle: Uint32Array;
}

function meshOf(spec: ColliderSpec, reach: number): Mesh | undefined {
  if (spec.type === 'sphere') return stretched([0, 0, 0], [0, 0, 0], spec.radius);
  if (spec.type === 'ellipsoid') return ellipsoidMesh(spec.radii);
  if (spec.type === 'capsule') return stretched(spec.from, spec.to, spec.radius);
  if (spec.type === 'torus') return torusMesh(spec.ring, spec.radius);
  if (spec.type === 'box') return boxMesh(spec.size);
  if (spec.type === 'plane') return planeMesh(spec.normal ?? [0, 0, 1], reach);
  if (spec.type !== 'mesh') return undefined;
  const triangle: number[] = [];
  for (const face of spec.faces) for (let k = 2; k < face.length; k++) triangle.push(face[0], face[k - 1], face[k]);
  return { position: Float64Array.from(spec.vertices.flat()), triangle: Uint32Array.from(triangle) };
}

type Triple = readonly number[];

/** A ball, its upper half moved from one point to another: a capsule. */
function stretched(from: Triple, to: Triple, radius: number): Mesh {
  // rods lie on it, and corners would show under them
  const { position, indices } = ballMesh(24);
  const way = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  const length = hypotOf(way);
  const up = length > 0 ? way.map((x) => x / length) : [0, 0, 1];
  const [across, side] = axesAcross(up);
  const out = new Float64Array(position.length);
  for (let i = 0; i < position.length; i += 3) {
    const [a, b, c] = [position[i], position[i + 1], position[i + 2]];
    const end = c > 0 ? to : from;
    for (let k = 0; k < 3; k++) out[i + k] = end[k] + radius * (a * across[k] + b * side[k] + c * up[k]);
  }
  return { position: out, triangle: indices };
}

function ellipsoidMesh(radii: Triple): Mesh {
  const { position, indices } = ballMesh(24);
  return { position: Float64Array.from(position, (x, i) => x * radii[i % 3]), triangle: indices };
}

/** 96 segments round the axis, 32 round the ring. */
function torusMesh(ring: number, radius: number): Mesh {
  const [around, across] = [96, 32];
  const position = new Float64Array(3 * around * across);
  const triangle = new Uint32Array(6 * around * across);
  for (let i = 0; i < around; i++) {
    const u = (2 * Math.PI * i) / around;
    for (let j = 0; j < across; j++) {
      const v = (2 * Math.PI * j) / across;
      const k = across * i + j;
      const far = ring + radius * cos(v);
      position.set([far * cos(u), far * sin(u), radius * sin(v)], 3 * k);
      const [next, beside] = [across * ((i + 1) % around), (j + 1) % across];
      const corners = [k, next + j, next + beside, across * i + beside];
      triangle.set(
        [0, 1, 2, 0, 2, 3].map((m) => corners[m]),
        6 * k,
      );
    }
  }
  return { position, triangle };
}

function axesAcross(up: Triple): [number[], number[]] {
  const k = Math.abs(up[0]) < 0.6 ? 0 : 1;
  const axis = [0, 1, 2].map((m) => (m === k ? 1 : 0) - up[k] * up[m]);
  const size = hypotOf(axis);
  const a = axis.map((x) => x / size);
  return [a, [up[1] * a[2] - up[2] * a[1], up[2] * a[0] - up[0] * a[2], up[0] * a[1] - up[1] * a[0]]];
}

function boxMesh(size: Triple): Mesh {
  const position = Float64Array.from({ length: 24 }, (_, k) => {
    const [corner, axis] = [Math.floor(k / 3), k % 3];
    return (((corner >> axis) & 1) - 0.5) * size[axis];
  });
  const quads = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  return { position, triangle: Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])) };
}

/** The part of a plane that the rods could touch. */
function planeMesh(normal: Triple, reach: number): Mesh {
  const size = hypotOf(normal);
  const [a, b] = axesAcross(normal.map((x) => x / size));
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ];
  return {
    position: Float64Array.from(corners.flatMap(([s, t]) => [0, 1, 2].map((k) => reach * (s * a[k] + t * b[k])))),
    triangle: Uint32Array.of(0, 1, 2, 0, 2, 3),
  };
}
