/** Memory of a search for pairs, reused in every step: data of all edges, and arrays of both grids. */

/** Nodes of strands, 8 numbers each from `first` on: position and contact radius, then displacement over the step and one other number. */
export interface NodeRows {
  readonly floats: Float32Array;
  readonly first: number;
  readonly nodes: number;
  readonly strands: number;
}

/** Numbers of candidates: first nodes of the lower and the higher edge, ordered. */
export interface Candidates {
  edges: Int32Array;
  count: number;
}

/** Numbers per edge in `rows`: midpoint [m], half of the edge as a vector, half the length, spare. A test reads all of them, from one cache line. */
export const ROW = 8;
export const HALF = 3;
export const HALF_LENGTH = 6;
export const SPARE = 7;

/** Numbers of all edges, in order. */
export interface Edges {
  readonly count: number;
  /** Number of the first node. */
  readonly node: Int32Array;
  readonly strand: Int32Array;
  readonly rows: Float64Array;
  /** Displacement of the midpoint [m], 3 numbers each, and the other terms of the spare. */
  readonly way: Float64Array;
  readonly reach: Float64Array;
}

function createEdges(count: number): Edges {
  const numbers = (each: number): Float64Array => new Float64Array(each * count);
  const [node, strand] = [new Int32Array(count), new Int32Array(count)];
  return { count, node, strand, rows: numbers(ROW), way: numbers(3), reach: numbers(1) };
}

export function measureEdges(edges: Edges, { floats, first, nodes, strands }: NodeRows): void {
  const { node, strand, rows, way, reach } = edges;
  let e = 0;
  for (let s = 0; s < strands; s++)
    for (let j = 0; j < nodes - 1; j++, e++) {
      node[e] = s * nodes + j;
      strand[e] = s;
      const o = first + 8 * node[e];
      let size = 0;
      let apart = 0;
      for (let k = 0; k < 3; k++) {
        const a = floats[o + k];
        const b = floats[o + 8 + k];
        const p = floats[o + 4 + k];
        const q = floats[o + 12 + k];
        rows[ROW * e + k] = 0.5 * (a + b);
        rows[ROW * e + HALF + k] = 0.5 * (b - a);
        way[3 * e + k] = 0.5 * (p + q);
        size += (b - a) * (b - a);
        apart += (q - p) * (q - p);
      }
      rows[ROW * e + HALF_LENGTH] = 0.5 * Math.sqrt(size);
      reach[e] = floats[o + 3] + 0.5 * Math.sqrt(apart);
    }
}

/** A reusable array that grows on demand. */
interface Room<T> {
  take(length: number): T;
}

function createRoom<T extends { readonly length: number; subarray(start: number, end: number): T }>(
  create: (length: number) => T,
): Room<T> {
  let memory = create(0);
  return {
    take(length) {
      if (memory.length < length) memory = create(length + (length >> 2));
      return memory.subarray(0, length);
    },
  };
}

/** Memory of a search that is repeated for the same strands. */
export interface PairSearch {
  readonly edges: Edges;
  /** Cells of edges in the coarse grid, sums over its cells, and how much they differ from their neighbours. */
  readonly cell: Int32Array;
  readonly means: Room<Float64Array>;
  readonly differences: Room<Float64Array>;
  /** Entries and members of the fine grid. */
  readonly cells: Room<Int32Array>;
  readonly first: Int32Array;
  readonly ends: Room<Int32Array>;
  readonly members: Room<Int32Array>;
  /** The last edge that was compared with an edge. */
  readonly seen: Int32Array;
  /** Where every edge was searched for last, as `rows` of edges, and which edges (by their first nodes) must be searched for again. */
  readonly places: Float64Array;
  readonly stale: Uint8Array;
  /** Pairs that a search finds, as one number each, and the candidates before it. */
  readonly keys: Room<Float64Array>;
  readonly before: Room<Int32Array>;
  readonly found: Candidates;
}

export function createPairSearch({ strands, nodes }: Pick<NodeRows, 'strands' | 'nodes'>): PairSearch {
  const count = strands * (nodes - 1);
  const words = (): Room<Int32Array> => createRoom((length) => new Int32Array(length));
  const rooms = (): Room<Float64Array> => createRoom((length) => new Float64Array(length));
  return {
    edges: createEdges(count),
    cell: new Int32Array(count),
    means: rooms(),
    differences: rooms(),
    cells: words(),
    first: new Int32Array(count + 1),
    ends: words(),
    members: words(),
    seen: new Int32Array(count),
    // no spare covers anything before the first search
    places: new Float64Array(ROW * count).fill(-1),
    stale: new Uint8Array(strands * nodes),
    keys: rooms(),
    before: words(),
    found: { edges: new Int32Array(4 * count + 16), count: 0 },
  };
}
