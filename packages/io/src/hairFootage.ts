/**
 * The hairs of a hairstyle as footage for the exporters: one frame at rest, or many in motion. Hairs are kept out of the style's skin. The footage has the
 * skin as an obstacle: attached to the body `head`, or deforming as its animation does; the roots of all hairs then stay on it.
 */
import {
  bindRoots,
  type ColliderSpec,
  createHeadField,
  createVertexMotion,
  type GuidePose,
  type Hairs,
  type Hairstyle,
  hairsOf,
  layerNodes,
  layHairs,
  playCoordinates,
  poseGuides,
  poseRoots,
  type RootPose,
  type Roots,
  writeHairs,
} from '@tendril-sim/core';
import { atan2, hypot } from '@tendril-sim/core/math';
import type { Footage, Groom } from './export/footage.ts';
import type { Motion } from './hairstyle.ts';
import type { RecordedRod, RecordingFrame } from './recording.ts';
import { type AnimatedSkin, deformOf, triplesOf } from './skin.ts';

/** Hairs that follow recorded guides. */
export interface HairFootageOptions {
  /** Recorded motion of the guides. Default: they rest. */
  readonly motion?: Motion;
  /** The animated mesh that the hair grows on. Default: the skin of the style, which follows the first guide as a rigid body. */
  readonly skin?: AnimatedSkin;
  /** Points per hair. Default 21, or enough for its layers and curls. */
  readonly nodes?: number;
  /** The guides themselves instead of the hairs. */
  readonly guides?: boolean;
}

const energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };

/** Shows the hairs of a hairstyle as they follow recorded guides. */
export function hairFootage(style: Hairstyle, version: string, options: HairFootageOptions = {}): Footage {
  const longest = style.length.reduce((most, value) => Math.max(most, value), 0);
  const least = Math.min(400, Math.max(21, 1 + Math.ceil(8 * mostTurns(style))));
  const { motion, nodes = layerNodes(style.hairOptions?.layers, longest, least) } = options;
  const hairs = options.guides ? undefined : hairsOf(style);
  const poseAt = (k: number): GuidePose => (motion ? playCoordinates(style, motion.frame(k)) : poseGuides(style));
  const field = style.skin && hairs ? createHeadField(style.skin) : undefined;
  const guideNodes = poseAt(0).nodes;
  const count = hairs?.count ?? style.guideRoots.count;
  const own = hairs ? nodes : guideNodes;
  const rods = recordedRods(style, count, own);
  const rootsAt = hairs && options.skin && ridingRoots(hairs.hairRoots, options.skin);
  const timeOf = (k: number): number => (motion ? motion.frame(k).time : 0);
  const frame = (k: number): RecordingFrame => {
    const pose = { ...poseAt(k), ...(rootsAt && { hairRoots: rootsAt(timeOf(k)) }) };
    const position = new Float64Array(3 * own * count);
    const director = new Float64Array(position.length);
    if (hairs) {
      writeHairs(position, hairs, pose, own, { to: count, director });
      if (field) layHairs(position, hairs, own, { field, pose });
    } else {
      position.set(pose.position);
      if (pose.director) director.set(pose.director);
    }
    return {
      time: timeOf(k),
      energies,
      ...(style.skin && { bodies: [headPose(style, pose)] }),
      rods: rods.map((_, r) => ({
        nodePosition: position.subarray(3 * own * r, 3 * own * (r + 1)),
        edgeDirector: director.subarray(3 * own * r, 3 * own * (r + 1) - 3),
      })),
    };
  };
  return {
    header: {
      version,
      scene: {
        tendril: 1,
        title: 'A hairstyle',
        gravity: style.gravity,
        rods: [],
        colliders: skinOf(style, options.skin),
      },
      rods,
      ...(style.skin && { bodies: [{ id: 'head', radius: 0 }] }),
    },
    frameCount: motion?.frameCount ?? 1,
    frame,
    timeOf,
    groom: groomOf(hairs?.hairRoots ?? style.guideRoots, hairs),
  };
}

/** Turns of the guide that turns most. */
function mostTurns({ curvature, length, elements }: Hairstyle): number {
  let most = 0;
  for (let g = 0; g < length.length; g++) {
    let angle = 0;
    for (let o = 3 * elements * g; o < 3 * elements * (g + 1); o += 3)
      angle += (hypot(curvature[o], curvature[o + 1], curvature[o + 2]) * length[g]) / elements;
    most = Math.max(most, angle / (2 * Math.PI));
  }
  return most;
}

/** Where roots are on an animated skin, as a function of time. */
function ridingRoots({ count, position }: Roots, skin: AnimatedSkin): (time: number) => RootPose {
  const places = Array.from({ length: count }, (_, h): [number, number, number] => [
    position[3 * h],
    position[3 * h + 1],
    position[3 * h + 2],
  ]);
  const bound = bindRoots(skin.mesh, places);
  const verticesAt = createVertexMotion({ ...deformOf(skin), vertices: triplesOf(skin.mesh.position) });
  return (time) => poseRoots(bound, verticesAt?.(time) ?? skin.mesh.position);
}

function recordedRods(style: Hairstyle, count: number, nodes: number): RecordedRod[] {
  const radius = Math.sqrt(style.fiber.a * style.fiber.b);
  // strands share their lists: a list each for fifty thousand would fill the memory
  const edgeRadius = new Array<number>(nodes - 1).fill(radius);
  const mean = style.length.reduce((sum, value) => sum + value, 0) / style.length.length;
  const edgeLengthRest = new Array<number>(nodes - 1).fill(mean / (nodes - 1));
  return Array.from(
    { length: count },
    (_, k): RecordedRod => ({
      id: `hair-${k}`,
      model: 'helix',
      closed: false,
      nodeCount: nodes,
      edgeCount: nodes - 1,
      edgeLengthRest,
      edgeRadius,
    }),
  );
}

function groomOf({ count, normal, color, uv }: Roots, hairs: Hairs | undefined): Groom {
  return {
    rootUv: uv ? Float32Array.from(uv) : sphereUv(normal, count),
    isGuides: hairs === undefined,
    guide: Int32Array.from({ length: count }, (_, h) => (hairs ? hairs.guide[3 * h] : h)),
    ...(color.some((value) => value > 0) && { color: Float32Array.from(color) }),
  };
}

/** For a mesh without texture coordinates: longitude and latitude of the normals. */
function sphereUv(n: Float64Array, count: number): Float32Array {
  const rootUv = new Float32Array(2 * count);
  for (let h = 0; h < count; h++) {
    const [x, y, z] = [n[3 * h], n[3 * h + 1], n[3 * h + 2]];
    rootUv[2 * h] = 0.5 + atan2(y, x) / (2 * Math.PI);
    rootUv[2 * h + 1] = 0.5 + atan2(z, Math.sqrt(x * x + y * y)) / Math.PI;
  }
  return rootUv;
}

function skinOf({ skin }: Hairstyle, animated: AnimatedSkin | undefined): ColliderSpec[] {
  const mesh = animated?.mesh ?? skin;
  if (!mesh) return [];
  const vertices = triplesOf(mesh.position);
  const faces = triplesOf(mesh.triangle);
  const motion = animated ? deformOf(animated) : { body: 'head' };
  return [{ id: 'skin', type: 'mesh', vertices, faces, solid: false, ...motion }];
}

/** Pose of the head, from the root of the first guide. */
function headPose(
  { guideRoots }: Hairstyle,
  { turn, position }: GuidePose,
): { position: Float64Array; orientation: Float64Array } {
  const r = turn ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const p = guideRoots.position;
  const at = [0, 1, 2].map((k) => position[k] - r[3 * k] * p[0] - r[3 * k + 1] * p[1] - r[3 * k + 2] * p[2]);
  return { position: Float64Array.from(at), orientation: quaternionOf(r) };
}

/** w, x, y, z of a rotation matrix, row by row. The largest component comes from the diagonal, the others from it. */
function quaternionOf(r: ArrayLike<number>): Float64Array {
  const diagonal = [r[0] + r[4] + r[8], r[0] - r[4] - r[8], r[4] - r[0] - r[8], r[8] - r[0] - r[4]];
  const largest = diagonal.indexOf(Math.max(...diagonal));
  const half = 0.5 * Math.sqrt(1 + diagonal[largest]);
  // products of pairs of components, times four
  const [wx, wy, wz] = [r[7] - r[5], r[2] - r[6], r[3] - r[1]];
  const [xy, yz, zx] = [r[1] + r[3], r[5] + r[7], r[2] + r[6]];
  const rows = [
    [0, wx, wy, wz],
    [wx, 0, xy, zx],
    [wy, xy, 0, yz],
    [wz, zx, yz, 0],
  ];
  return Float64Array.from(rows[largest], (product, k) => (k === largest ? half : product / (4 * half)));
}
