/** Hairs as the view draws rods: what a lane has to say about them, and their frame. */
import type { Fiber, GuidePose, Hairs, HeadField } from '@tendril-sim/core';
import { layHairs, writeHairs } from '@tendril-sim/core';
import { rodSize } from '../../frameLayout.ts';
import type { LaneInfo, RodInfo } from '../../protocol.ts';

/** Nodes of all hairs together, at most. */
const nodeLimit = 240_000;

/** Points per hair, enough to show the curls of its guides; `least`: what its layers need. */
export function hairNodes(hairs: number, guideNodes: number, least = 0): number {
  const most = Math.max(12, Math.floor(nodeLimit / Math.max(1, hairs)));
  // the view draws a smooth curve through them: one in 45° of a curl is enough
  return Math.min(most, 80, Math.max(16, least, Math.ceil(guideNodes / 2)));
}

export function describeHairs(
  hairs: Hairs,
  nodes: number,
  position: Float32Array,
  fiber: Fiber,
  length: number,
): LaneInfo['rods'] {
  const edges = nodes - 1;
  const nodeArc = Float32Array.from({ length: nodes }, (_, i) => (length * i) / edges);
  const edgeRadius = new Float32Array(edges).fill(Math.sqrt(fiber.a * fiber.b));
  const even = new Float32Array(2 * edges).fill(1);
  return Array.from(
    { length: hairs.count },
    (_, h): RodInfo => ({
      id: `hair ${h}`,
      model: 'helix',
      closed: false,
      nodeCount: nodes,
      edgeCount: edges,
      length,
      square: false,
      nodeArc,
      edgeRadius,
      halfEI1: even,
      halfEI2: even,
      nodePosition: position.subarray(3 * nodes * h, 3 * nodes * (h + 1)),
    }),
  );
}

/** Positions of all hairs, kept out of the head. */
export function placeHairs(hairs: Hairs, pose: GuidePose, nodes: number, field: HeadField | undefined): Float32Array {
  const position = new Float32Array(3 * nodes * hairs.count);
  writeHairs(position, hairs, pose, nodes);
  if (field) layHairs(position, hairs, nodes, { field, pose });
  return position;
}

/** As the data of a frame, with room for `more` numbers after the hairs. */
export function packHairs(position: Float32Array, count: number, nodes: number, more = 0): Float32Array {
  const each = rodSize({ nodeCount: nodes, edgeCount: nodes - 1 });
  const data = new Float32Array(each * count + more);
  for (let h = 0; h < count; h++) {
    data.set(position.subarray(3 * nodes * h, 3 * nodes * (h + 1)), each * h);
    // any unit vectors, for hair is round: an edge without a director counts as broken
    const directors = each * h + 3 * nodes;
    for (let edge = 0; edge < nodes - 1; edge++) data[directors + 3 * edge] = 1;
  }
  return data;
}
