/** All nodes and edges of a scene in one row each: what contacts with obstacles are found by, and threads that find them see. */
import type { SearchCounts } from '../../threads/contactThreads.ts';
import type { Cutter } from '../memory.ts';

export interface FinderRows {
  /** First node and edge of each rod, and the number of all. */
  readonly nodeOffset: Int32Array;
  readonly edgeOffset: Int32Array;
  readonly edgeRod: Int32Array;
  /** Index in its rod. */
  readonly edgeIndex: Int32Array;
  readonly edgeFirst: Int32Array;
  readonly edgeSecond: Int32Array;
  readonly edgeLength: Float64Array;
  /** Factors of the rod on friction and restitution. */
  readonly edgeFriction: Float64Array;
  readonly edgeRestitution: Float64Array;
  /** Against colliders [m]. */
  readonly edgeRadius: Float64Array;
  readonly nodeRadius: Float64Array;
  /** 1 where a pin holds the node. */
  readonly nodeHeld: Uint8Array;
  /** Of each rod: 2 where contacts are looked for, 1 where only what is looked at may meet it, 0 where it is not there. */
  readonly rodRole: Uint8Array;
  /** At the start of the step. */
  readonly position: Float64Array;
  readonly velocity: Float64Array;
  /** At its end, of the rods that were last asked for. */
  readonly end: Float64Array;
  readonly nodeDistance: Float64Array;
}

/** Cuts doubles, then integers, then bytes. */
export function layOutFinder(
  { rods, nodes, edges }: Omit<SearchCounts, 'colliders'>,
  { doubles, integers, bytes }: Cutter,
): FinderRows {
  return {
    position: doubles(3 * nodes),
    velocity: doubles(3 * nodes),
    end: doubles(3 * nodes),
    nodeDistance: doubles(4 * nodes),
    nodeRadius: doubles(nodes),
    edgeLength: doubles(edges),
    edgeFriction: doubles(edges),
    edgeRestitution: doubles(edges),
    edgeRadius: doubles(edges),
    nodeOffset: integers(rods + 1),
    edgeOffset: integers(rods + 1),
    edgeRod: integers(edges),
    edgeIndex: integers(edges),
    edgeFirst: integers(edges),
    edgeSecond: integers(edges),
    rodRole: bytes(rods),
    nodeHeld: bytes(nodes),
  };
}
