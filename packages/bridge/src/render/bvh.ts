/**
 * A tree of bounding boxes over cones and triangles, built by the surface area heuristic in bins.
 *
 * Primitives are numbered cones first, then triangles. A node has six bounds; its children follow each other, or it is a leaf with a range of `order`.
 */
import type { RenderGeometry } from './types.ts';

/** A tree of boxes in flat arrays. */
export interface Bvh {
  /** Low and high corner, 6 per node. */
  readonly bounds: Float32Array;
  /** Inner node: index of the first child, 0. Leaf: first entry of `order`, number of entries. 2 per node. */
  readonly link: Int32Array;
  /** Primitives in the order of the leaves. */
  readonly order: Uint32Array;
}

const leafSize = 4;
const binCount = 16;
/** Cost of visiting a node, in intersections of a primitive. */
const visitCost = 0.7;

interface Builder {
  /** Low and high corner, 6 per primitive. */
  readonly box: Float32Array;
  readonly bounds: Float32Array;
  readonly link: Int32Array;
  readonly order: Uint32Array;
  nodes: number;
}

/** Builds the tree of a picture's surfaces. */
export function buildBvh(geometry: RenderGeometry): Bvh {
  const box = boxesOf(geometry);
  const count = box.length / 6;
  const builder: Builder = {
    box,
    bounds: new Float32Array(12 * Math.max(1, count)),
    link: new Int32Array(4 * Math.max(1, count)),
    order: Uint32Array.from({ length: count }, (_, k) => k),
    nodes: 1,
  };
  const stack = [0, 0, count];
  while (stack.length > 0) {
    const end = stack.pop() as number;
    const begin = stack.pop() as number;
    const node = stack.pop() as number;
    const middle = split(builder, node, begin, end);
    if (middle < 0) continue;
    const first = builder.nodes;
    builder.nodes += 2;
    builder.link[2 * node] = first;
    stack.push(first, begin, middle, first + 1, middle, end);
  }
  const { bounds, link, order, nodes } = builder;
  return { bounds: bounds.slice(0, 6 * nodes), link: link.slice(0, 2 * nodes), order };
}

/** Boxes of all primitives, widened by what single precision may lose. */
function boxesOf({ cone, triangle }: RenderGeometry): Float32Array {
  const [cones, triangles] = [cone.length / 8, triangle.length / 9];
  const box = new Float32Array(6 * (cones + triangles));
  const margin = 2e-7;
  for (let k = 0; k < cones; k++) {
    for (let c = 0; c < 3; c++) {
      const [a, ra, b, rb] = [cone[8 * k + c], cone[8 * k + 3], cone[8 * k + 4 + c], cone[8 * k + 7]];
      box[6 * k + c] = Math.min(a - ra, b - rb) - margin * (1 + Math.abs(a));
      box[6 * k + 3 + c] = Math.max(a + ra, b + rb) + margin * (1 + Math.abs(a));
    }
  }
  for (let k = 0; k < triangles; k++) {
    for (let c = 0; c < 3; c++) {
      const [p, q, r] = [triangle[9 * k + c], triangle[9 * k + 3 + c], triangle[9 * k + 6 + c]];
      const o = 6 * (cones + k) + c;
      box[o] = Math.min(p, q, r) - margin * (1 + Math.abs(p));
      box[o + 3] = Math.max(p, q, r) + margin * (1 + Math.abs(p));
    }
  }
  return box;
}

/** Bounds a node, and divides its primitives; returns where, or −1 for a leaf. */
function split(builder: Builder, node: number, begin: number, end: number): number {
  const { box, bounds, link, order } = builder;
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  const [from, to] = [low.slice(), high.slice()];
  for (let i = begin; i < end; i++) {
    const o = 6 * order[i];
    for (let c = 0; c < 3; c++) {
      low[c] = Math.min(low[c], box[o + c]);
      high[c] = Math.max(high[c], box[o + 3 + c]);
      const middle = box[o + c] + box[o + 3 + c];
      from[c] = Math.min(from[c], middle);
      to[c] = Math.max(to[c], middle);
    }
  }
  for (let c = 0; c < 3; c++) {
    bounds[6 * node + c] = low[c];
    bounds[6 * node + 3 + c] = high[c];
  }
  const leaf = (): number => {
    link[2 * node] = begin;
    link[2 * node + 1] = end - begin;
    return -1;
  };
  if (end - begin <= 1) return leaf();
  const best = bestPlane(builder, { begin, end, from, to, area: areaOf(low, high) });
  if (!best) return end - begin <= leafSize ? leaf() : halve(builder, begin, end, from, to);
  return divide(builder, begin, end, best);
}

const areaOf = (low: readonly number[], high: readonly number[]): number => {
  const [x, y, z] = [high[0] - low[0], high[1] - low[1], high[2] - low[2]];
  return x < 0 ? 0 : x * y + y * z + z * x;
};

interface Range {
  readonly begin: number;
  readonly end: number;
  /** Bounds of twice the centres. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly area: number;
}

interface Plane {
  readonly axis: number;
  /** Of twice the centre. */
  readonly at: number;
}

/** The plane with the least cost; none if a leaf costs less. */
function bestPlane(builder: Builder, range: Range): Plane | undefined {
  const { begin, end, from, to, area } = range;
  let best: Plane | undefined;
  let least = end - begin <= leafSize ? (end - begin - visitCost) * area : Infinity;
  for (let axis = 0; axis < 3; axis++) {
    const width = to[axis] - from[axis];
    if (!(width > 0)) continue;
    const costs = binCosts(builder, range, axis);
    for (let k = 0; k + 1 < binCount; k++) {
      if (!(costs[k] < least)) continue;
      least = costs[k];
      best = { axis, at: from[axis] + (width * (k + 1)) / binCount };
    }
  }
  return best;
}

/** Area times number on both sides of each plane between bins. */
function binCosts({ box, order }: Builder, { begin, end, from, to }: Range, axis: number): Float64Array {
  const bins = Array.from({ length: binCount }, () => ({
    low: [Infinity, Infinity, Infinity],
    high: [-Infinity, -Infinity, -Infinity],
    count: 0,
  }));
  const scale = binCount / (to[axis] - from[axis]);
  for (let i = begin; i < end; i++) {
    const o = 6 * order[i];
    const k = Math.min(binCount - 1, Math.floor((box[o + axis] + box[o + 3 + axis] - from[axis]) * scale));
    const bin = bins[k];
    bin.count++;
    for (let c = 0; c < 3; c++) {
      if (box[o + c] < bin.low[c]) bin.low[c] = box[o + c];
      if (box[o + 3 + c] > bin.high[c]) bin.high[c] = box[o + 3 + c];
    }
  }
  const costs = new Float64Array(binCount);
  const sweep = (forwards: boolean): void => {
    const [low, high] = [
      [Infinity, Infinity, Infinity],
      [-Infinity, -Infinity, -Infinity],
    ];
    let count = 0;
    for (let i = 0; i + 1 < binCount; i++) {
      const bin = bins[forwards ? i : binCount - 1 - i];
      count += bin.count;
      for (let c = 0; c < 3; c++) {
        low[c] = Math.min(low[c], bin.low[c]);
        high[c] = Math.max(high[c], bin.high[c]);
      }
      costs[forwards ? i : binCount - 2 - i] += count === 0 ? Infinity : count * areaOf(low, high);
    }
  };
  sweep(true);
  sweep(false);
  return costs;
}

/** Moves the primitives before a plane to the front; returns where the others begin. */
function divide({ box, order }: Builder, begin: number, end: number, { axis, at }: Plane): number {
  let i = begin;
  let j = end - 1;
  while (i <= j) {
    const o = 6 * order[i];
    if (box[o + axis] + box[o + 3 + axis] < at) i++;
    else {
      [order[i], order[j]] = [order[j], order[i]];
      j--;
    }
  }
  return i > begin && i < end ? i : (begin + end) >> 1;
}

/** Halves by number along the longest axis: for primitives whose centres coincide. */
function halve(
  { box, order }: Builder,
  begin: number,
  end: number,
  from: readonly number[],
  to: readonly number[],
): number {
  const axis = [0, 1, 2].reduce((best, c) => (to[c] - from[c] > to[best] - from[best] ? c : best), 0);
  order.subarray(begin, end).sort((a, b) => box[6 * a + axis] - box[6 * b + axis]);
  return (begin + end) >> 1;
}
