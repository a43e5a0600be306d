/**
 * How deep rods lie in each other, in themselves and in obstacles: what every case with contact measures after every step.
 *
 * It shares nothing with the search for contacts but the distance to a collider: edges are sorted along x and compared where their boxes meet,
 * and are looked at in obstacles at places a sixth of an edge apart. What pins hold is left out, and so is a rod beside itself: nearer along it than
 * half a turn of a rod bent as tightly as it can be (docs/contact.md).
 */
import { measureDistance, placeCollider, type World } from '@tendril/core';
import { segmentDistance } from './contact.ts';

export interface OverlapMeter {
  /** Deepest so far, over the smaller of the two radii: of rods in rods, and of rods in obstacles. */
  readonly rods: number;
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

export interface OverlapOptions {
  /** Leaves out the nodes that it is true for, besides those that pins hold. */
  readonly except?: (rod: number, node: number) => boolean;
}

export function createOverlapMeter(world: World, { except = () => false }: OverlapOptions = {}): OverlapMeter {
  const { rods, samples, scene, colliders } = world;
  const edges = rods.flatMap(({ edgeCount, nodeCount }, rod) =>
    Array.from({ length: edgeCount }, (_, j) => ({ rod, j, a: 3 * j, b: 3 * ((j + 1) % nodeCount) })),
  );
  const held = rods.map(({ nodeCount }, rod) =>
    Uint8Array.from({ length: nodeCount }, (_, node) => (except(rod, node) ? 1 : 0)),
  );
  for (const { rod, node } of world.grips) held[rod][node] = 1;
  const { contact } = scene;
  const pairs = contact !== undefined && (contact.between ?? 'pairs') === 'pairs';
  const self = contact?.self ?? true;
  const radiusOf = (rod: number, j: number): number => contact?.radius || rods[rod].edgeRadius[j];
  const box = new Float64Array(6 * edges.length);
  const order = edges.map((_, e) => e);
  const found = { rods: 0, obstacles: 0, where: 'nowhere' };

  const note = (kind: 'rods' | 'obstacles', depth: number, place: () => string): void => {
    if (!(depth > found[kind])) return;
    found[kind] = depth;
    if (depth >= Math.max(found.rods, found.obstacles))
      found.where = `${(100 * depth).toFixed(2)} % at t = ${world.time.toFixed(5)} s: ${place()}`;
  };

  const mayMeet = (e: number, f: number): boolean => {
    const [{ rod, j }, { rod: other, j: k }] = [edges[e], edges[f]];
    if (rod !== other) return true;
    if (!self) return false;
    const { nodeArc, edgeLengthRest: l, closed, length } = rods[rod];
    let arc = Math.abs(nodeArc[j] + 0.5 * l[j] - nodeArc[k] - 0.5 * l[k]);
    if (closed) arc = Math.min(arc, length - arc);
    return arc > Math.PI * Math.max(radiusOf(rod, j), radiusOf(rod, k)) + 0.5005 * (l[j] + l[k]);
  };

  const lookAtRods = (): void => {
    edges.forEach(({ rod, j, a, b }, e) => {
      const x = samples[rod].nodePosition;
      const r = radiusOf(rod, j);
      for (let k = 0; k < 3; k++) {
        box[6 * e + k] = Math.min(x[a + k], x[b + k]) - r;
        box[6 * e + 3 + k] = Math.max(x[a + k], x[b + k]) + r;
      }
    });
    order.sort((e, f) => box[6 * e] - box[6 * f]);
    for (let m = 0; m < order.length; m++) {
      const e = order[m];
      for (let n = m + 1; n < order.length && box[6 * order[n]] < box[6 * e + 3]; n++) {
        const f = order[n];
        if (box[6 * f + 1] > box[6 * e + 4] || box[6 * e + 1] > box[6 * f + 4]) continue;
        if (box[6 * f + 2] > box[6 * e + 5] || box[6 * e + 2] > box[6 * f + 5]) continue;
        if (!mayMeet(e, f)) continue;
        const [p, q] = [edges[e], edges[f]];
        if ([p, q].every(({ rod, a, b }) => held[rod][a / 3] && held[rod][b / 3])) continue;
        const [r, s] = [radiusOf(p.rod, p.j), radiusOf(q.rod, q.j)];
        const d = segmentDistance(samples[p.rod].nodePosition, p.a, p.b, samples[q.rod].nodePosition, q.a, q.b);
        note(
          'rods',
          (r + s - d) / Math.min(r, s),
          () => `rod '${rods[p.rod].id}' edge ${p.j} and rod '${rods[q.rod].id}' edge ${q.j}`,
        );
      }
    }
  };

  const distance = new Float64Array(4);
  const lookAtObstacles = (): void => {
    for (const collider of colliders) {
      placeCollider(collider, world.time, 0);
      rods.forEach(({ nodeCount, edgeCount, edgeRadius, edgeLengthRest, id }, rod) => {
        if (!collider.acts[rod]) return;
        const x = samples[rod].nodePosition;
        const nodeDistance = Float64Array.from({ length: nodeCount }, (_, i) => {
          measureDistance(distance, collider, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
          return distance[0];
        });
        nodeDistance.forEach((d, i) => {
          if (held[rod][i]) return;
          const r = edgeRadius[Math.min(i, edgeCount - 1)];
          if (r > 0) note('obstacles', 1 - d / r, () => `rod '${id}' node ${i} in '${collider.id}'`);
        });
        for (let j = 0; j < edgeCount; j++) {
          const [a, b] = [j, (j + 1) % nodeCount];
          const r = edgeRadius[j];
          if (!(r > 0) || held[rod][a] || held[rod][b]) continue;
          if (0.5 * (nodeDistance[a] + nodeDistance[b] - 1.02 * edgeLengthRest[j]) > r) continue;
          for (let k = 1; k <= WITHIN; k++) {
            const w = k / (WITHIN + 1);
            const [px, py, pz] = [0, 1, 2].map((m) => (1 - w) * x[3 * a + m] + w * x[3 * b + m]);
            measureDistance(distance, collider, px, py, pz);
            note(
              'obstacles',
              1 - distance[0] / r,
              () => `rod '${id}' edge ${j} at ${w.toFixed(2)} in '${collider.id}'`,
            );
          }
        }
      });
    }
  };

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
      lookAtObstacles();
      if (pairs) lookAtRods();
    },
  };
}
