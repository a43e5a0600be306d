/**
 * How deep rods lie in each other, in themselves and in obstacles: what every case with contact measures after every step.
 *
 * It shares nothing with the search for contacts but the distance to a collider: edges whose boxes meet are found by a grid, where the search
 * has a tree of paths, and are looked at in obstacles at places a sixth of an edge apart. What pins hold is left out, and so is a rod beside itself:
 * nearer along it than half a turn of a rod bent as tightly as it can be (docs/contact.md).
 */

import {
  createHashGrid,
  findPairsByGrid,
  type HashGrid,
  measureDistance,
  placeCollider,
  type World,
} from '@tendril-sim/core';
import { log2, pow } from '@tendril-sim/core/math';
import { segmentDistance } from './contact.ts';

/** Keeps the deepest overlap of a world since it was created. */
export interface OverlapMeter {
  /** Deepest so far, over the smaller of the two radii: of rods in rods, and of rods in obstacles. */
  readonly rods: number;
  /** Deepest overlap of rods with obstacles so far, over the radius of the rod. */
  readonly obstacles: number;
  /** Either. */
  readonly deepest: number;
  /** When and where, for people. */
  readonly where: string;
  /** Looks at the world as it is now. */
  look(): void;
}

/** Places on an edge besides its nodes. */
const WITHIN = 5;

/** Options of `createOverlapMeter`. */
export interface OverlapOptions {
  /** Leaves out the nodes that it is true for, besides those that pins hold. */
  readonly except?: (rod: number, node: number) => boolean;
  /** Leaves out the pairs of edges that it is true for, such as those that a joint holds together. */
  readonly exceptPair?: (rod: number, edge: number, other: number, otherEdge: number) => boolean;
}

/** Creates a meter for a world; call `look` after every step. */
export function createOverlapMeter(
  world: World,
  { except = () => false, exceptPair = () => false }: OverlapOptions = {},
): OverlapMeter {
  const { rods, scene } = world;
  const held = rods.map(({ nodeCount }, rod) =>
    Uint8Array.from({ length: nodeCount }, (_, node) => (except(rod, node) ? 1 : 0)),
  );
  for (const { rod, node } of world.grips) held[rod][node] = 1;
  const { contact } = scene;
  const pairs = contact !== undefined && (contact.between ?? 'pairs') === 'pairs';
  const found = { rods: 0, obstacles: 0, where: 'nowhere' };
  const note: Note = (kind, depth, place) => {
    if (!(depth > found[kind])) return;
    found[kind] = depth;
    if (depth >= Math.max(found.rods, found.obstacles))
      found.where = `${(100 * depth).toFixed(2)} % at t = ${world.time.toFixed(5)} s: ${place()}`;
  };
  const lookAtRods = pairs ? createRodLook(world, held, exceptPair, note) : () => {};

  return {
    get rods() {
      return found.rods;
    },
    get obstacles() {
      return found.obstacles;
    },
    get deepest() {
      return Math.max(found.rods, found.obstacles);
    },
    get where() {
      return found.where;
    },
    look() {
      lookAtObstacles(world, held, note);
      lookAtRods();
    },
  };
}

/** Takes down what is deeper than all before. */
type Note = (kind: 'rods' | 'obstacles', depth: number, place: () => string) => void;

/** Of each edge of all rods: its rod, its number, the offsets of its nodes and the radius at which it meets others. */
interface Edges {
  readonly rod: Int32Array;
  readonly number: Int32Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly radius: Float64Array;
}

function listEdges({ rods, scene: { contact } }: World): Edges {
  const count = rods.reduce((sum, { edgeCount }) => sum + edgeCount, 0);
  const [rod, number, first, second] = Array.from({ length: 4 }, () => new Int32Array(count));
  const radius = new Float64Array(count);
  let e = 0;
  rods.forEach(({ edgeCount, nodeCount, edgeRadius }, r) => {
    for (let j = 0; j < edgeCount; j++, e++) {
      rod[e] = r;
      number[e] = j;
      first[e] = 3 * j;
      second[e] = 3 * ((j + 1) % nodeCount);
      radius[e] = contact?.radius || edgeRadius[j];
    }
  });
  return { rod, number, first, second, radius };
}

/** Cells as small as they may be for no edge to lie in more than eight on the average: those of edges of one length are as long as these. */
function createGrid({ rods }: World, { rod, number, radius }: Edges): HashGrid {
  const extents = radius.map((r, e) => rods[rod[e]].edgeLengthRest[number[e]] + 2 * r);
  const count = extents.length;
  let cell = extents.reduce((least, extent) => Math.min(least, extent), Infinity);
  while (extents.reduce((sum, extent) => sum + pow(1 + extent / cell, 3), 0) > 8.001 * count) cell *= 1.25;
  return createHashGrid(cell, 2 ** Math.ceil(log2(2 * Math.max(1, count))));
}

function createRodLook(
  world: World,
  held: readonly Uint8Array[],
  exceptPair: NonNullable<OverlapOptions['exceptPair']>,
  note: Note,
): () => void {
  const { rods, samples } = world;
  const self = world.scene.contact?.self ?? true;
  const edges = listEdges(world);
  const { rod, number, first, second, radius } = edges;
  const box = new Float64Array(6 * rod.length);
  const grid = createGrid(world, edges);

  const isHeld = (e: number): boolean => held[rod[e]][first[e] / 3] === 1 && held[rod[e]][second[e] / 3] === 1;
  const isBeside = (e: number, f: number): boolean => {
    const { nodeArc, edgeLengthRest: l, closed, length } = rods[rod[e]];
    const j = number[e];
    const k = number[f];
    let arc = Math.abs(nodeArc[j] + 0.5 * l[j] - nodeArc[k] - 0.5 * l[k]);
    if (closed) arc = Math.min(arc, length - arc);
    return arc <= Math.PI * Math.max(radius[e], radius[f]) + 0.5005 * (l[j] + l[k]);
  };
  const compare = (e: number, f: number): void => {
    if (rod[e] === rod[f] && (!self || isBeside(e, f))) return;
    if (isHeld(e) && isHeld(f)) return;
    const x = samples[rod[e]].nodePosition;
    const y = samples[rod[f]].nodePosition;
    const d = segmentDistance(x, first[e], second[e], y, first[f], second[f]);
    if (d < radius[e] + radius[f] && exceptPair(rod[e], number[e], rod[f], number[f])) return;
    note(
      'rods',
      (radius[e] + radius[f] - d) / Math.min(radius[e], radius[f]),
      () => `rod '${rods[rod[e]].id}' edge ${number[e]} and rod '${rods[rod[f]].id}' edge ${number[f]}`,
    );
  };
  return () => {
    for (let e = 0; e < rod.length; e++) {
      const x = samples[rod[e]].nodePosition;
      for (let k = 0; k < 3; k++) {
        const [p, q] = [x[first[e] + k], x[second[e] + k]];
        box[6 * e + k] = Math.min(p, q) - radius[e];
        box[6 * e + 3 + k] = Math.max(p, q) + radius[e];
      }
    }
    findPairsByGrid(grid, box, rod.length, compare);
  };
}

function lookAtObstacles(world: World, held: readonly Uint8Array[], note: Note): void {
  const distance = new Float64Array(4);
  for (const collider of world.colliders) {
    placeCollider(collider, world.time, 0);
    world.rods.forEach(({ nodeCount, edgeCount, edgeRadius, edgeLengthRest, id }, rod) => {
      if (!collider.acts[rod]) return;
      const x = world.samples[rod].nodePosition;
      const nodeDistance = new Float64Array(nodeCount);
      for (let i = 0; i < nodeCount; i++) {
        measureDistance(distance, collider, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        nodeDistance[i] = distance[0];
        const r = edgeRadius[Math.min(i, edgeCount - 1)];
        if (!held[rod][i] && r > 0)
          note('obstacles', 1 - distance[0] / r, () => `rod '${id}' node ${i} in '${collider.id}'`);
      }
      for (let j = 0; j < edgeCount; j++) {
        const [a, b] = [j, (j + 1) % nodeCount];
        const r = edgeRadius[j];
        if (!(r > 0) || held[rod][a] || held[rod][b]) continue;
        if (0.5 * (nodeDistance[a] + nodeDistance[b] - 1.02 * edgeLengthRest[j]) > r) continue;
        for (let k = 1; k <= WITHIN; k++) {
          const w = k / (WITHIN + 1);
          const [px, py, pz] = [0, 1, 2].map((m) => (1 - w) * x[3 * a + m] + w * x[3 * b + m]);
          measureDistance(distance, collider, px, py, pz);
          note('obstacles', 1 - distance[0] / r, () => `rod '${id}' edge ${j} at ${w.toFixed(2)} in '${collider.id}'`);
        }
      }
    });
  }
}
