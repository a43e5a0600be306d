/** All nodes and edges of a scene in flat arrays, which detection of contacts with obstacles reads; threads share them. */
import type { SearchCounts } from '../../threads/contactThreads.ts';
import type { Cutter } from '../memory.ts';

export interface FinderRows {
  /** First node and edge of each rod, and the number of all. */
  readonly nodeOffset: Int32Array;
  readonly edgeOffset: Int32Array;
  readonly edgeRod: Int32Array;
  /** Index of the node or edge in its rod. */
  readonly edgeIndex: Int32Array;
  readonly edgeFirst: Int32Array;
  readonly edgeSecond: Int32Array;
  readonly edgeLength: Float64Array;
  /** Factors of the rod on friction and restitution. */
  readonly edgeFriction: Float64Array;
  readonly edgeRestitution: Float64Array;
  /** Contact radius against colliders [m]. */
  readonly edgeRadius: Float64Array;
  readonly nodeRadius: Float64Array;
  /** 1 if a pin holds the node along all axes. */
  readonly nodeHeld: Uint8Array;
  /** World axes along which other pins hold the node: bits 1, 2 and 4 for x, y and z. */
  readonly nodeHeldAxes: Uint8Array;
  /** 1 for an edge that is broken: it touches nothing. */
  readonly edgeBroken: Uint8Array;
  /** How each rod takes part in the search: SEARCHED, PARTNER or IGNORED (finderData.ts). */
  readonly rodRole: Uint8Array;
  /** State at the start of the step. */
  readonly position: Float64Array;
  readonly velocity: Float64Array;
  /** Positions at the end of the step, of the rods last requested. */
  readonly end: Float64Array;
  readonly nodeDistance: Float64Array;
}

/** Allocates doubles, then integers, then bytes. */
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
    edgeBroken: bytes(edges),
    nodeHeld: bytes(nodes),
    nodeHeldAxes: bytes(nodes),
  };
}
