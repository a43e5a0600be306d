/**
 * What pushes and pulls at rods, as arrows: contacts, pins, links and the scene's loads. Weight is left out: it is everywhere,
 * and everyone knows where it points.
 *
 * A load that is spread over a rod becomes a comb of a few arrows, each the sum over its part: single nodes carry so little
 * that beside the pin which holds them all they would not be seen.
 */
import { compileScene, type LoadSource, type Samples, type Scene, type World } from '@tendril-sim/core';
import { type ForceKind, forceKinds, forceStride } from '../protocol.ts';

/** Arrows that a spread load has on a rod. */
const combSize = 8;
/** More are not seen; the largest are kept. */
const arrowLimit = 4000;

type Triple = readonly [number, number, number];

export interface ForceList {
  readonly count: number;
  add(kind: ForceKind, place: Triple, force: Triple): void;
  /** As a frame carries them. */
  pack(): Float32Array;
}

export function createForceList(limit: number = arrowLimit): ForceList {
  const list: number[][] = [];
  return {
    get count() {
      return list.length;
    },
    add(kind, place, force) {
      // nothing, or what rounding leaves of it
      if (!(Math.hypot(...force) > 1e-30)) return;
      list.push([forceKinds.indexOf(kind), ...place, ...force]);
    },
    pack() {
      const size = (arrow: readonly number[]): number => Math.hypot(arrow[4], arrow[5], arrow[6]);
      const kept = list.length > limit ? list.sort((a, b) => size(b) - size(a)).slice(0, limit) : list;
      const out = new Float32Array(forceStride * kept.length);
      kept.forEach((arrow, k) => {
        out.set(arrow, forceStride * k);
      });
      return out;
    },
  };
}

/** Reads the forces of a world as it is now. */
export function createForceReader(world: World): () => Float32Array {
  const indexOf = new Map(world.rods.map(({ id }, k) => [id, k]));
  const addLoads = createLoadReader(world.scene, world.rods);
  return () => {
    const list = createForceList();
    for (const { rod, node, force, unsettled } of world.reactions()) {
      if (unsettled !== undefined) continue;
      const x = world.samples[indexOf.get(rod) ?? 0].nodePosition;
      list.add('pin', [x[3 * node], x[3 * node + 1], x[3 * node + 2]], force);
    }
    const at = (rod: string, edge: number, weight: number): Triple =>
      placeOn(world.samples[indexOf.get(rod) ?? 0].nodePosition, edge, weight);
    for (const { rod, other, edge, weight, otherEdge, otherWeight, force } of world.contactForces()) {
      list.add('contact', at(rod, edge, weight), force);
      if (otherEdge === undefined || otherWeight === undefined) continue;
      // the other rod feels the opposite
      list.add('contact', at(other, otherEdge, otherWeight), [-force[0], -force[1], -force[2]]);
    }
    for (const { rod, edge, weight, force } of world.linkForces()) list.add('link', at(rod, edge, weight), force);
    addLoads(list, world.samples, world.time);
    return list.pack();
  };
}

function placeOn(x: ArrayLike<number>, edge: number, weight: number): Triple {
  const a = 3 * edge;
  const b = (a + 3) % x.length;
  const mix = (k: number): number => (1 - weight) * x[a + k] + weight * x[b + k];
  return [mix(0), mix(1), mix(2)];
}

type LoadReader = (list: ForceList, samples: readonly Samples[], time: number) => void;

/** The scene's loads and fields; they need samples and nothing else, so that a recording has them too. */
export function createLoadReader(
  scene: Scene,
  rods: readonly { readonly nodeCount: number; readonly edgeCount: number }[],
): LoadReader {
  if (!scene.loads?.length && !scene.fields?.length) return () => {};
  const { gravity: _, links: __, ...rest } = scene;
  const drives = compileScene(rest).drives.map(({ sources }) => sources);
  const most = Math.max(...rods.map(({ nodeCount }) => nodeCount));
  const nodeForce = new Float64Array(3 * most);
  return (list, samples, time) => {
    drives.forEach((sources, r) => {
      for (const source of sources) addSource(list, source, samples[r], rods[r], nodeForce, time);
    });
  };
}

function addSource(
  list: ForceList,
  source: LoadSource,
  samples: Samples,
  { nodeCount, edgeCount }: { readonly nodeCount: number; readonly edgeCount: number },
  nodeForce: Float64Array,
  time: number,
): void {
  nodeForce.fill(0);
  const loads = { nodeForce, edgeTorque: new Float64Array(3 * edgeCount), nodeDrag: new Float64Array(6 * nodeCount) };
  source.addLoads(loads, samples, time);
  const loaded: number[] = [];
  for (let i = 0; i < nodeCount; i++) if (sizeAt(nodeForce, i) > 0) loaded.push(i);
  // a force within an edge is shared by its two nodes, and shown where it acts
  const parts = loaded.length <= 2 ? 1 : Math.min(combSize, loaded.length);
  for (let p = 0; p < parts; p++) {
    const part = loaded.slice(Math.round((p * loaded.length) / parts), Math.round(((p + 1) * loaded.length) / parts));
    addSum(list, part, nodeForce, samples.nodePosition);
  }
}

const sizeAt = (list: Float64Array, i: number): number => Math.hypot(list[3 * i], list[3 * i + 1], list[3 * i + 2]);

/** The sum of forces on some nodes, where their sizes have their centre. */
function addSum(list: ForceList, nodes: readonly number[], force: Float64Array, x: Float64Array): void {
  const sum = [0, 0, 0];
  const centre = [0, 0, 0];
  let weight = 0;
  for (const i of nodes) {
    const size = sizeAt(force, i);
    weight += size;
    for (let k = 0; k < 3; k++) {
      sum[k] += force[3 * i + k];
      centre[k] += size * x[3 * i + k];
    }
  }
  if (weight > 0)
    list.add('load', [centre[0] / weight, centre[1] / weight, centre[2] / weight], [sum[0], sum[1], sum[2]]);
}
