/** Frames of a rod in its initial shape: at its nodes and edges, with the twist that the scene gives it. */
import { twistBetween, type Vector } from '../curve/vector.ts';
import type { Allocate } from '../port.ts';
import type { Rod } from './compiled.ts';
import type { Layout } from './layout.ts';
import { twistFrames } from './natural.ts';
import { placesOf, type Trace } from './trace.ts';

type Frames = Pick<Rod, 'nodePosition' | 'edgeDirector' | 'nodeTwist' | 'nodeTangent' | 'nodeDirector'>;

/** Positions, material frames and twist of a rod in its initial shape. */
export function placeFrames(initial: Trace, layout: Layout, twist: (u: number) => number, allocate: Allocate): Frames {
  const { edgeCount: n, nodeCount, closed, nodeU } = layout;
  const places = placesOf(nodeU, { closed });
  const frames = twistFrames(initial.frames, places, twist);
  const nodeTwist = allocate(nodeCount);
  for (let i = 1; i <= (closed ? n : n - 1); i++) {
    // the untwisted frames give the small angle of the curve; the twist counts full turns
    const elastic = twist(places[2 * i + 1]) - twist(places[2 * i - 1]);
    nodeTwist[i % nodeCount] = twistBetween(initial.frames[2 * i - 1], initial.frames[2 * i + 1]) + elastic;
  }
  const out: Frames = {
    nodePosition: allocate(3 * nodeCount),
    edgeDirector: allocate(3 * n),
    nodeTwist,
    nodeTangent: allocate(3 * nodeCount),
    nodeDirector: allocate(3 * nodeCount),
  };
  for (let i = 0; i < nodeCount; i++) {
    writeVector(out.nodePosition, i, initial.position[i]);
    writeVector(out.nodeTangent, i, frames[2 * i].tangent);
    writeVector(out.nodeDirector, i, frames[2 * i].d1);
  }
  for (let j = 0; j < n; j++) writeVector(out.edgeDirector, j, frames[2 * j + 1].d1);
  return out;
}

/** Writes vector i. */
export function writeVector(out: Float64Array, i: number, vector: Vector): void {
  out[3 * i] = vector[0];
  out[3 * i + 1] = vector[1];
  out[3 * i + 2] = vector[2];
}
