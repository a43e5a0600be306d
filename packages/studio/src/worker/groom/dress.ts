/** A run of guides, drawn as the hairs that follow them, on the head that they grow on. */
import {
  bindRoots,
  createHairs,
  createHeadField,
  createVertexMotion,
  type GuidePose,
  type Hairs,
  type Hairstyle,
  type HeadField,
  poseRoots,
  type RootPose,
  type Roots,
  selectRoots,
  type World,
} from '@tendril-sim/core';
import { createFileResolver, decodeHairstyle, InputError, readMesh } from '@tendril-sim/io';
import { poseSize } from '../../frameLayout.ts';
import { type Lane, writeColliders } from '../lane.ts';
import { describeHairs, hairNodes, packHairs, placeHairs } from './draw.ts';
import { partHairs } from './parting.ts';

type Files = ReadonlyMap<string, Uint8Array>;

/** For scenes that name files: those that were made here. */
export function resolverOf(files: Files): ReturnType<typeof createFileResolver> {
  return createFileResolver((name) => {
    const bytes = files.get(name);
    if (!bytes)
      throw new InputError(name, `the file '${name}' is not at hand; groom a hairstyle and simulate it, or inline it`);
    return bytes;
  });
}

export interface Dress {
  readonly style: Hairstyle;
  readonly every: number;
  readonly field: HeadField | undefined;
}

/** What a scene's hair looks like, where it is one hairstyle and nothing else. */
export function dressOf(values: unknown, files: Files): Dress | undefined {
  const { strands, rods, colliders } = (values ?? {}) as Record<string, Record<string, unknown>[] | undefined>;
  const [only] = strands ?? [];
  if (!only || strands?.length !== 1 || rods || typeof only.file !== 'string') return undefined;
  const bytes = files.get(only.file);
  if (!bytes || !/\.hairstyle$/i.test(only.file)) return undefined;
  const style = decodeHairstyle(bytes, only.file);
  if (!style.hairRoots) return undefined;
  const mesh = colliders?.find(({ type }) => type === 'mesh-file')?.file;
  const obstacle = typeof mesh === 'string' ? files.get(mesh) : undefined;
  return {
    style,
    every: typeof only.every === 'number' ? only.every : 1,
    field: obstacle && createHeadField(readMesh(obstacle, String(mesh)), { draft: true }),
  };
}

function everyRoot(roots: Roots, every: number): Roots {
  const all = Array.from({ length: roots.count }, (_, g) => g);
  return selectRoots(
    roots,
    all.filter((g) => g % every === 0),
  );
}

/** Hairs between the guides of a run. */
interface HairView {
  readonly hairs: Hairs;
  /** Nodes of a hair, and of a guide. */
  readonly nodes: number;
  readonly guideNodes: number;
  /** Guides as they are now, the poses of the colliders, the head first, and the time. */
  readGuides(): Float32Array;
  /** Positions of all hairs for such guides. */
  place(guides: Float32Array): Float32Array;
  /** The data of a frame. Bodies are not drawn with hair: their poses stay zero. */
  hairsOf(guides: Float32Array): Float32Array;
}

/** How roots have moved since the hair was grown, from the end of what `readGuides` returns. */
type RootReader = (after: Float32Array) => Pick<GuidePose, 'turn' | 'hairRoots'>;

/** Roots on a head that is rigid: all turn as the first collider does. */
function rigidRoots(guides: number, hasHead: boolean): RootReader {
  const turn = new Float64Array(9 * guides);
  const rotation = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  return (after) => {
    if (hasHead) readRotation(rotation, after.subarray(3, poseSize));
    for (let g = 0; g < guides; g++) turn.set(rotation, 9 * g);
    return { turn };
  };
}

/** Roots on a skin that deforms; undefined if no collider does. */
function skinnedRoots(world: World, guides: Roots, hairs: Roots): RootReader | undefined {
  const skin = world.scene.colliders?.find((spec) => spec.type === 'mesh' && (spec.deform ?? spec.blend));
  const verticesAt = skin?.type === 'mesh' ? createVertexMotion(skin) : undefined;
  if (skin?.type !== 'mesh' || !verticesAt) return undefined;
  const triangle = skin.faces.flatMap((face) => face.slice(2).flatMap((corner, k) => [face[0], face[k + 1], corner]));
  const mesh = { position: Float64Array.from(skin.vertices.flat()), triangle };
  const follow = ({ count, position: p }: Roots): ((vertices: Float64Array) => RootPose) => {
    const places = Array.from({ length: count }, (_, k) => [p[3 * k], p[3 * k + 1], p[3 * k + 2]] as const);
    const bound = bindRoots(mesh, places as [number, number, number][]);
    return (vertices) => poseRoots(bound, vertices);
  };
  const [guidesAt, hairsAt] = [follow(guides), follow(hairs)];
  return (after) => {
    const vertices = verticesAt(after[after.length - 1]);
    return { turn: guidesAt(vertices).turn, hairRoots: hairsAt(vertices) };
  };
}

/** Undefined if the rods of the world are not the guides of the style. */
function createHairView(world: World, bodyCount: number, { style, every, field }: Dress): HairView | undefined {
  const roots = everyRoot(style.guideRoots, every);
  if (!style.hairRoots || world.rods.length !== roots.count) return undefined;
  const guideNodes = world.rods[0].nodeCount;
  if (world.rods.some(({ nodeCount }) => nodeCount !== guideNodes)) return undefined;
  const guideLength = 3 * guideNodes * roots.count;
  const begin = new Float64Array(guideLength);
  world.samples.forEach(({ nodePosition }, g) => {
    begin.set(nodePosition, 3 * guideNodes * g);
  });
  const grown = createHairs(roots, style.hairRoots, style.hairOptions);
  const hairs = partHairs(grown, { nodes: guideNodes, position: begin });
  // a run draws many pictures: fewer nodes than in a still picture
  const nodes = Math.min(hairNodes(hairs.count, 3 * guideNodes), 48);
  const position = new Float64Array(guideLength);
  const moving = world.colliders.map((_, k) => k);
  const readRoots = skinnedRoots(world, roots, style.hairRoots) ?? rigidRoots(roots.count, moving.length > 0);
  const place = (guides: Float32Array): Float32Array => {
    position.set(guides.subarray(0, guideLength));
    const pose: GuidePose = { nodes: guideNodes, position, ...readRoots(guides.subarray(guideLength)) };
    return placeHairs(hairs, pose, nodes, field);
  };
  const poses = poseSize * moving.length;
  return {
    hairs,
    nodes,
    guideNodes,
    readGuides() {
      const guides = new Float32Array(guideLength + poses + 1);
      world.samples.forEach(({ nodePosition }, g) => {
        guides.set(nodePosition, 3 * guideNodes * g);
      });
      writeColliders(guides, guideLength, world.colliders, moving, world.time);
      guides[guideLength + poses] = world.time;
      return guides;
    },
    place,
    hairsOf(guides) {
      const data = packHairs(place(guides), hairs.count, nodes, poseSize * bodyCount + poses);
      data.set(guides.subarray(guideLength, guideLength + poses), data.length - poses);
      return data;
    },
  };
}

/** The same run, drawn as hairs; undefined if its rods are not the guides of the style. */
export function dressLane(lane: Lane, dress: Dress): Lane | undefined {
  const { world, info } = lane;
  const view = world && createHairView(world, info.bodies.length, dress);
  if (!world || !view) return undefined;
  const { hairs, nodes, guideNodes, readGuides, place, hairsOf } = view;
  const { style } = dress;
  const longest = style.length.reduce((most, value) => Math.max(most, value), 0);
  const dressed = {
    ...info,
    moving: world.colliders.map((_, k) => k),
    pins: [],
    rods: describeHairs(hairs, nodes, place(readGuides()), style.fiber, longest),
  };
  return {
    info: dressed,
    world,
    duration: lane.duration,
    stepSize: lane.stepSize,
    note: lane.note,
    get time() {
      return lane.time;
    },
    get failure() {
      return lane.failure;
    },
    set failure(value) {
      lane.failure = value;
    },
    step: () => lane.step(),
    guideAt: (hair, node) => ({
      rod: hairs.guide[3 * hair],
      node: Math.round((node * (guideNodes - 1)) / (nodes - 1)),
    }),
    hairsOf,
    frame() {
      const { stats, forces, contact, cost } = lane.frame();
      const guides = readGuides();
      return { data: hairsOf(guides), guides, stats, ...(forces && { forces }), ...(contact && { contact }), cost };
    },
  };
}

/** Rotation matrix of a quaternion w x y z. */
function readRotation(out: Float64Array, [w, x, y, z]: Float32Array): void {
  out.set([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], 0);
  out.set([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], 3);
  out.set([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 6);
}
