/** Numbers of nodes as rows of 32 bytes, from lanes: position and contact radius, displacement and bits of the edge; and counts of the contacts of an edge. */
import {
  CONTACT_ACTIVE,
  CONTACT_PART,
  CONTACT_RECORD,
  EDGE_ISCONTINUEDBEFORE,
  EDGE_ISCONTINUEDBEHIND,
  EDGE_ISROOT,
  HEAD_ROWS,
  NODE_PAIRRADIUS,
  NODE_RECORD,
} from './generated';

/** Writes 16 bytes of a row for each lane. */
// @ts-ignore: decorator
@inline
function storeRows(rows: v128, offset: usize, x: v128, y: v128, z: v128, w: v128): void {
  const low = i32x4.shuffle(x, y, 0, 4, 1, 5);
  const high = i32x4.shuffle(x, y, 2, 6, 3, 7);
  const otherLow = i32x4.shuffle(z, w, 0, 4, 1, 5);
  const otherHigh = i32x4.shuffle(z, w, 2, 6, 3, 7);
  v128.store(<usize>i32x4.extract_lane(rows, 0) + offset, i32x4.shuffle(low, otherLow, 0, 1, 4, 5));
  v128.store(<usize>i32x4.extract_lane(rows, 1) + offset, i32x4.shuffle(low, otherLow, 2, 3, 6, 7));
  v128.store(<usize>i32x4.extract_lane(rows, 2) + offset, i32x4.shuffle(high, otherHigh, 0, 1, 4, 5));
  v128.store(<usize>i32x4.extract_lane(rows, 3) + offset, i32x4.shuffle(high, otherHigh, 2, 3, 6, 7));
}

function bitsOf(i: i32, edges: i32, freeRoot: i32): i32 {
  if (i == 0) return (edges > 1 ? EDGE_ISCONTINUEDBEHIND : 0) | (freeRoot != 0 ? 0 : EDGE_ISROOT);
  return EDGE_ISCONTINUEDBEFORE | (i + 1 < edges ? EDGE_ISCONTINUEDBEHIND : 0);
}

/** Node i: its position at the start of the step, and its free displacement. */
export function storePlace(
  head: usize,
  nodes: usize,
  i: i32,
  edges: i32,
  freeRoot: i32,
  x: v128,
  y: v128,
  z: v128,
  wayX: v128,
  wayY: v128,
  wayZ: v128,
): void {
  const rows = v128.load(head, HEAD_ROWS);
  const radius = v128.load(nodes + <usize>i * NODE_RECORD, NODE_PAIRRADIUS);
  storeRows(rows, <usize>i * 32, x, y, z, radius);
  storeRows(rows, <usize>i * 32 + 16, wayX, wayY, wayZ, i32x4.splat(bitsOf(i, edges, freeRoot)));
}

/** Displacements of all nodes of a block; `record`: bytes of a node's state. */
export function storeWays(head: usize, state: usize, record: usize, edges: i32, freeRoot: i32): void {
  const rows = v128.load(head, HEAD_ROWS);
  for (let i = 0; i <= edges; i++) {
    // displacements are the second of a node's vectors
    const at = state + <usize>i * record;
    const bits = i32x4.splat(bitsOf(i, edges, freeRoot));
    storeRows(rows, <usize>i * 32 + 16, v128.load(at, 48), v128.load(at, 64), v128.load(at, 80), bits);
  }
}

/** Active contacts of edge j, those with strands included; `inside`: only those that also touch its first node. */
export function countContacts(
  contacts: usize,
  j: i32,
  edges: i32,
  obstacleCount: i32,
  pairLoads: i32,
  inside: bool,
): v128 {
  const one = f32x4.splat(1);
  let count = f32x4.splat(0);
  let at = contacts + <usize>(2 * obstacleCount * j) * CONTACT_RECORD;
  for (let c = 0; c < 2 * obstacleCount; c++, at += CONTACT_RECORD) {
    let counts = f32x4.ne(v128.load(at, CONTACT_ACTIVE), f32x4.splat(0));
    if (inside) counts = v128.and(counts, f32x4.lt(v128.load(at, CONTACT_PART), one));
    count = f32x4.add(count, v128.and(counts, one));
  }
  if (pairLoads == 0) return count;
  const loads = contacts + <usize>(2 * obstacleCount * edges + pairLoads * j) * CONTACT_RECORD;
  return f32x4.add(count, v128.load(inside ? loads : loads + 2 * CONTACT_RECORD, CONTACT_ACTIVE));
}
