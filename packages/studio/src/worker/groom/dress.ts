/** A run of guides, drawn as the hairs that follow them, on the head that they grow on. */
import {
  createHairs,
  createHeadField,
  type GuidePose,
  type Hairs,
  type Hairstyle,
  type HeadField,
  type Roots,
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

function everyRoot({ count, position, normal, side, color }: Roots, every: number): Roots {
  const list = Array.from({ length: count }, (_, g) => g).filter((g) => g % every === 0);
  const pick = (values: Float64Array): Float64Array =>
    Float64Array.from(list.flatMap((g) => [values[3 * g], values[3 * g + 1], values[3 * g + 2]]));
  return { count: list.length, position: pick(position), normal: pick(normal), side: pick(side), color: pick(color) };
}

/** Hairs between the guides of a run. */
interface HairView {
  readonly hairs: Hairs;
  /** Nodes of a hair, and of a guide. */
  readonly nodes: number;
  readonly guideNodes: number;
  /** Guides as they are now, then the poses of the colliders, the head first. */
  readGuides(): Float32Array;
  /** Positions of all hairs for such guides. */
  place(guides: Float32Array): Float32Array;
  /** The data of a frame. Bodies are not drawn with hair: their poses stay zero. */
  hairsOf(guides: Float32Array): Float32Array;
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
  const turn = new Float64Array(9 * roots.count);
  const head = { position: new Float64Array(3), rotation: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1) };
  const moving = world.colliders.map((_, k) => k);
  const place = (guides: Float32Array): Float32Array => {
    position.set(guides.subarray(0, guideLength));
    if (moving.length > 0) {
      head.position.set(guides.subarray(guideLength, guideLength + 3));
      readRotation(head.rotation, guides.subarray(guideLength + 3, guideLength + poseSize));
    }
    for (let g = 0; g < roots.count; g++) turn.set(head.rotation, 9 * g);
    const pose: GuidePose = { nodes: guideNodes, position, turn };
    return placeHairs(hairs, pose, nodes, field);
  };
  return {
    hairs,
    nodes,
    guideNodes,
    readGuides() {
      const guides = new Float32Array(guideLength + poseSize * moving.length);
      world.samples.forEach(({ nodePosition }, g) => {
        guides.set(nodePosition, 3 * guideNodes * g);
      });
      writeColliders(guides, guideLength, world.colliders, moving, world.time);
      return guides;
    },
    place,
    hairsOf(guides) {
      const data = packHairs(place(guides), hairs.count, nodes, poseSize * (bodyCount + moving.length));
      data.set(guides.subarray(guideLength), data.length - poseSize * moving.length);
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
