/** Animated meshes, converted to the time of a scene: keys of a deforming collider, and paths of hair roots that ride on the skin. */
import { bindRoots, type ColliderSpec, type PathSpec, rideSkin, type SkinFrame, type Vec3 } from '@tendril-sim/core';
import { findBlendShapes } from './blendShapes.ts';
import { InputError } from './errors.ts';
import type { Placement } from './import/curves.ts';
import { readMeshMotion } from './import/mesh.ts';
import type { MeshMotion, TriangleMesh } from './import/meshFile.ts';
import type { AnimationSpec } from './schema/files.ts';

/**
 * Keys per second at least. Files that were sampled at 24 frames per second or more keep their keys: positions between two samples are interpolated
 * linearly, and a smooth curve through such points would stop and start at every sample.
 */
const RATE = 20;
/** Vertices times shapes or keys at most that a scene stores, and its recording. */
const STORED_LIMIT = 2_000_000;
/** Vertices times keys at most that are computed: a minute or so. */
const KEY_LIMIT = 100_000_000;
/** Stored vertices differ from the animation by this part of the size of the mesh at most: the precision of the numbers in its file. */
const PRECISION = 1e-7;

/** A mesh at rest, and how it moves in the time of a scene. */
export interface AnimatedSkin {
  /** The mesh at rest. */
  readonly mesh: TriangleMesh;
  /** Vertices at the keys of the animation. */
  readonly frames: readonly SkinFrame[];
  /** Name of the animation, and of its file. */
  readonly name: string;
  /** Name of the file. */
  readonly source: string;
  /** What was omitted or assumed. */
  readonly warnings: readonly string[];
}

/** Reads a mesh and its animation. Throws `InputError`. */
export function readAnimatedSkin(
  bytes: Uint8Array,
  source: string,
  { animation, ...placement }: Placement & { readonly animation?: AnimationSpec | string },
): AnimatedSkin {
  const { name, start = 0, rate = RATE } = typeof animation === 'object' ? animation : { name: animation };
  const { mesh, motion, warnings } = readMeshMotion(bytes, source, { ...placement, animation: name });
  const vertices = mesh.position.length / 3;
  const [first, last] = [motion.times[0], motion.times[motion.times.length - 1]];
  const most = motion.times.length + Math.ceil(rate * (last - first));
  if (vertices * most > KEY_LIMIT)
    throw new InputError(
      source,
      `animation '${motion.name}' would have up to ${most} keys of ${vertices} vertices; ${KEY_LIMIT} positions are computed at most: use a coarser mesh or a lower rate`,
    );
  const frames = keyTimes(motion, rate).map((time) => ({
    time: start + time - first,
    // computed on demand: all of them together could fill the memory
    get position() {
      return motion.positionsAt(time);
    },
  }));
  return { mesh, frames, name: motion.name, source, warnings };
}

/** The keys of the file without near duplicates, with additional keys where they are farther apart than the rate allows. */
function keyTimes({ times }: MeshMotion, rate: number): number[] {
  const out = [times[0]];
  for (const time of times) {
    const last = out[out.length - 1];
    if (time - last < 0.1 / rate) continue;
    const parts = Math.max(1, Math.ceil((time - last) * rate - 1e-6));
    for (let k = 1; k <= parts; k++) out.push(k === parts ? time : last + ((time - last) * k) / parts);
  }
  return out;
}

type Deformation = Pick<Extract<ColliderSpec, { type: 'mesh' }>, 'deform' | 'blend' | 'interpolation'>;
const deformations = new WeakMap<AnimatedSkin, Deformation>();

/**
 * Vertices in time, as fields of a mesh collider: blend shapes if they are fewer than half the keys, else the vertices at every key. Throws InputError if
 * either would be too large for a scene.
 */
export function deformOf(skin: AnimatedSkin): Deformation {
  const known = deformations.get(skin) ?? findDeformation(skin);
  deformations.set(skin, known);
  return known;
}

function findDeformation({ mesh, frames, name, source }: AnimatedSkin): Deformation {
  const vertices = mesh.position.length / 3;
  const fitsAsKeys = vertices * frames.length <= STORED_LIMIT;
  const most = fitsAsKeys ? Math.ceil(frames.length / 2) - 1 : Math.floor(STORED_LIMIT / vertices);
  const found = findBlendShapes(mesh.position, frames, PRECISION * sizeOf(mesh.position), most);
  if (found) {
    const keys = frames.map(({ time }, k) => ({ time, weights: found.weights[k] }));
    return { interpolation: 'smooth', blend: { shapes: found.shapes.map(triplesOf), keys } };
  }
  if (!fitsAsKeys)
    throw new InputError(
      source,
      `animation '${name}' moves the ${vertices} vertices of its mesh in more than ${most} independent ways, and ${STORED_LIMIT} positions are stored at most: use a coarser mesh`,
    );
  return {
    interpolation: 'smooth',
    deform: frames.map(({ time, position }) => ({ time, vertices: triplesOf(position) })),
  };
}

export function triplesOf(values: ArrayLike<number>): Vec3[] {
  return Array.from({ length: values.length / 3 }, (_, k) => [values[3 * k], values[3 * k + 1], values[3 * k + 2]]);
}

/** Paths of roots that ride on the skin, and a warning about roots that are off the skin. */
export function rootPaths(
  { mesh, frames, source }: AnimatedSkin,
  roots: readonly { readonly rod: string; readonly position: Vec3 }[],
  turns: boolean,
): { readonly paths: readonly PathSpec[]; readonly warnings: readonly string[] } {
  const bound = bindRoots(
    mesh,
    roots.map(({ position }) => position),
  );
  if (bound.distance.some((distance) => !Number.isFinite(distance)))
    throw new InputError(source, 'no triangle of the mesh has an area, so that roots have no place on it');
  const limit = 0.01 * sizeOf(mesh.position);
  const off = roots.flatMap(({ rod }, k) => (bound.distance[k] > limit ? [{ rod, distance: bound.distance[k] }] : []));
  const worst = off.reduce((a, b) => (b.distance > a.distance ? b : a), { rod: '', distance: 0 });
  const warnings =
    off.length === 0
      ? []
      : [
          `${off.length} of ${roots.length} roots do not lie on the skin at rest ('${worst.rod}' is ${worst.distance.toPrecision(2)} m away); they follow the nearest triangle`,
        ];
  return { paths: rideSkin(bound, frames, turns), warnings };
}

/** Diagonal of the box about all vertices [m]. */
function sizeOf(position: Float64Array): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  position.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x);
    high[i % 3] = Math.max(high[i % 3], x);
  });
  return Math.sqrt(high.reduce((sum, x, k) => sum + (x - low[k]) * (x - low[k]), 0));
}
