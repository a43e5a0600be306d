/** Links in the unknowns of their rods: blocks in the coordinates of edges (stiffness.ts), times the derivatives of these coordinates. */
import type { RestEdges } from '../../model.ts';
import type { Link } from './linkData.ts';
import type { LinkBlock } from './stiffness.ts';

/** A link in the unknowns of its rods, n in number. */
export interface MappedLink {
  /** Derivatives of the block's coordinates with respect to them, row by row. */
  readonly coordinate: Float64Array;
  /** B, row by row, gradient and matrix: those of the block, times these derivatives. */
  readonly rate: Float64Array;
  readonly gradient: Float64Array;
  readonly matrix: Float64Array;
}

/** Edges of a rod of the scene in terms of its unknowns. */
type EdgesOf = (rod: number) => RestEdges;

/** A link's ends: the rod of the scene, and its edge. */
export function listEnds({ plan }: Link): readonly { readonly rod: number; readonly edge: number }[] {
  const { rodA, edgeA, rodB, edgeB } = plan;
  return [{ rod: rodA, edge: edgeA }, ...(rodB >= 0 ? [{ rod: rodB, edge: edgeB }] : [])];
}

/** Unknowns that the edges of a block depend on, with their rods, in the order of a mapped link. */
export function listUnknowns(
  { link, perEnd }: LinkBlock,
  edgesOf: EdgesOf,
): { readonly rod: number; readonly unknown: number }[] {
  return listEnds(link).flatMap(({ rod, edge }) =>
    edgesOf(rod)
      .listEdgeUnknowns(edge, perEnd === 7 ? 'nodes-and-turn' : 'nodes')
      .map((unknown) => ({ rod, unknown })),
  );
}

/** Arrays of a link that depends on n unknowns. */
export function createMappedLink({ size, link }: LinkBlock, n: number): MappedLink {
  return {
    coordinate: new Float64Array(size * n),
    rate: new Float64Array(link.rows * n),
    gradient: new Float64Array(n),
    matrix: new Float64Array(n * n),
  };
}

const edgeRates = new Float64Array(7 * 64);

/** Derivatives of the coordinates of a block with respect to the unknowns of its rods. */
function writeCoordinateRates(
  { coordinate, gradient }: MappedLink,
  { link, perEnd }: LinkBlock,
  edgesOf: EdgesOf,
): void {
  const n = gradient.length;
  coordinate.fill(0);
  let before = 0;
  listEnds(link).forEach(({ rod, edge }, end) => {
    const edges = edgesOf(rod);
    const count = edges.listEdgeUnknowns(edge, perEnd === 7 ? 'nodes-and-turn' : 'nodes').length;
    edges.writeEdgeRates(edgeRates, edge, perEnd === 7 ? 'nodes-and-turn' : 'nodes');
    for (let i = 0; i < perEnd; i++)
      for (let j = 0; j < count; j++) coordinate[(end * perEnd + i) * n + before + j] = edgeRates[i * count + j];
    before += count;
  });
}

/** out = leftᵀ·right of matrices with `rows` rows, of `m` and `n` columns. */
function multiplyTransposed(
  out: Float64Array,
  [left, m]: readonly [Float64Array, number],
  [right, n]: readonly [Float64Array, number],
  rows: number,
): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < rows; k++) sum += left[k * m + i] * right[k * n + j];
      out[i * n + j] = sum;
    }
  }
}

const halfProduct = new Float64Array(14 * 128);

/** From the coordinates of edges to the unknowns of rods: B C, Cᵀg and CᵀKC with the coordinates' derivatives C. */
export function mapLink(mapped: MappedLink, block: LinkBlock, edgesOf: EdgesOf): void {
  const { rate, gradient, matrix, size, link } = block;
  const { coordinate, ...out } = mapped;
  const n = out.gradient.length;
  writeCoordinateRates(mapped, block, edgesOf);
  for (let r = 0; r < link.rows; r++)
    multiplyTransposed(
      out.rate.subarray(r * n, r * n + n),
      [rate.subarray(r * size, r * size + size), 1],
      [coordinate, n],
      size,
    );
  multiplyTransposed(out.gradient, [gradient, 1], [coordinate, n], size);
  const half = halfProduct.subarray(0, size * n);
  for (let i = 0; i < size; i++) {
    // row i of the matrix times C
    const row = matrix.subarray(i * size, i * size + size);
    multiplyTransposed(half.subarray(i * n, i * n + n), [row, 1], [coordinate, n], size);
  }
  multiplyTransposed(out.matrix, [coordinate, n], [half, n], size);
  if (block.perEnd === 7) addTurnCurvature(mapped, block, edgesOf);
}

const turnCurvature = new Float64Array(64 * 64);

/** Adds the torque about each edge times the second derivatives of its turn to a link's matrix. */
function addTurnCurvature({ gradient, matrix }: MappedLink, block: LinkBlock, edgesOf: EdgesOf): void {
  const { link, perEnd, gradient: edgeGradient } = block;
  const n = gradient.length;
  let before = 0;
  listEnds(link).forEach(({ rod, edge }, end) => {
    const edges = edgesOf(rod);
    const count = edges.listEdgeUnknowns(edge, 'nodes-and-turn').length;
    const torque = edgeGradient[end * perEnd + 6];
    if (edges.writeTurnCurvature && torque !== 0) {
      edges.writeTurnCurvature(turnCurvature, edge);
      for (let i = 0; i < count; i++)
        for (let j = 0; j < count; j++) matrix[(before + i) * n + before + j] += torque * turnCurvature[i * count + j];
    }
    before += count;
  });
}
