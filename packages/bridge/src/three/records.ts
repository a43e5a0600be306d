/**
 * What a graphics card needs to know of rods: one record a node, all rods in one buffer.
 *
 * A segment of a tube or a hair reads two records in a row, its own and the next, from a texture. So an update writes each
 * node once, and any number of rods is one draw call. Between rods one record has no segment (`join` = 0). A closed rod
 * repeats its first node.
 *
 * `dynamic`, three texels a node: position, value | tangent, 1 if the edge after it is broken | d1, arc length over radius.   `fixed`, two: half axes a b, u, join | end caps
 * at this node and at the next, squareness, a number in 0…1 that distinguishes rods.
 */

/** What is drawn, and does not change. Core's `Rod` is one. */
export interface RodShape {
  /** True for a ring. */
  readonly closed: boolean;
  /** Number of nodes. */
  readonly nodeCount: number;
  /** Number of edges. */
  readonly edgeCount: number;
  /** Radius of the circle with the section's area [m], 1 an edge. */
  readonly edgeRadius: ArrayLike<number>;
  /** Stiffnesses about d1 and d2, 2 an edge: an ellipse is drawn with the axes that have their ratio. Default: a circle. */
  readonly halfEI1?: ArrayLike<number>;
  /** Bending stiffness about d2 [N m²], 2 per edge. */
  readonly halfEI2?: ArrayLike<number>;
  /** A rectangle in place of an ellipse. */
  readonly square?: boolean;
}

/** What changes. Core's `Samples` are such. */
export interface RodSamples {
  /** [m], 3 a node */
  readonly nodePosition: ArrayLike<number>;
  /** d1, unit, 3 an edge, zero if the edge is broken; without it the section's direction is arbitrary. */
  readonly edgeDirector?: ArrayLike<number>;
}

export const DYNAMIC = 12;
export const FIXED = 8;
/** Records in a row of a texture, and its width in texels. */
const row = 512;
export const dynamicWidth: number = (row * DYNAMIC) / 4;
export const fixedWidth: number = (row * FIXED) / 4;

/** For so many records, up to whole rows. */
const room = (count: number, stride: number): Float32Array =>
  new Float32Array(stride * row * Math.max(1, Math.ceil(count / row)));

/** Per-edge records of rods, laid out for instanced drawing. */
export interface Records {
  /** Rods, in the order of the records. */
  readonly rods: readonly RodShape[];
  /** Of the first record of each rod; one more at the end. */
  readonly start: readonly number[];
  /** Number of records. */
  readonly count: number;
  /** Numbers of the records that change with every update. */
  readonly dynamic: Float32Array;
  /** Numbers of the records that do not change. */
  readonly fixed: Float32Array;
}

const ratioLimit = 12;

/** Allocates the per-edge records of rods. */
export function createRecords(rods: readonly RodShape[]): Records {
  const start = [0];
  for (const rod of rods) start.push(start[start.length - 1] + rod.nodeCount + (rod.closed ? 1 : 0));
  const count = start[rods.length];
  const fixed = room(count, FIXED);
  rods.forEach((rod, r) => {
    const nodes = start[r + 1] - start[r];
    for (let i = 0; i < nodes; i++) {
      const o = FIXED * (start[r] + i);
      const [a, b] = halfAxes(rod, i);
      const last = i === nodes - 1;
      fixed[o] = a;
      fixed[o + 1] = b;
      fixed[o + 2] = i / (nodes - 1);
      fixed[o + 3] = last ? 0 : 1;
      fixed[o + 4] = !rod.closed && i === 0 ? 1 : 0;
      fixed[o + 5] = !rod.closed && i === nodes - 2 ? 1 : 0;
      fixed[o + 6] = rod.square ? 1 : 0;
      fixed[o + 7] = (r * 0.6180339887498949) % 1;
    }
  });
  return { rods, start, count, dynamic: room(count, DYNAMIC), fixed };
}

/** Half axes along d1 and d2 [m] at a node: mean of the edges beside it. */
function halfAxes(rod: RodShape, node: number): [number, number] {
  const { edgeCount, edgeRadius, halfEI1, halfEI2, closed } = rod;
  const edges = [node - 1, node].flatMap((edge) => {
    if (closed) return [(edge + edgeCount) % edgeCount];
    return edge >= 0 && edge < edgeCount ? [edge] : [];
  });
  let a = 0;
  let b = 0;
  for (const edge of edges) {
    const ratio = halfEI1 && halfEI2 ? Math.sqrt(halfEI2[2 * edge] / halfEI1[2 * edge]) : 1;
    const root = Math.sqrt(Math.min(ratioLimit, Math.max(1 / ratioLimit, ratio)));
    a += (edgeRadius[edge] * root) / edges.length;
    b += edgeRadius[edge] / root / edges.length;
  }
  // a rectangle of the same area
  const scale = rod.square ? Math.sqrt(Math.PI) / 2 : 1;
  return [scale * a, scale * b];
}

/** Arc length of every node over the mean radius of its rod, along the shape of the moment. */
function writeArcLengths({ rods, start, dynamic, fixed }: Records): void {
  for (let r = 0; r < rods.length; r++) {
    const nodes = start[r + 1] - start[r];
    let [sum, radius] = [0, 0];
    for (let i = 0; i < nodes; i++) {
      const o = DYNAMIC * (start[r] + i);
      const p = o - DYNAMIC;
      if (i > 0) {
        const [x, y, z] = [dynamic[o] - dynamic[p], dynamic[o + 1] - dynamic[p + 1], dynamic[o + 2] - dynamic[p + 2]];
        sum += Math.sqrt(x * x + y * y + z * z);
      }
      dynamic[o + 11] = sum;
      radius += Math.sqrt(fixed[FIXED * (start[r] + i)] * fixed[FIXED * (start[r] + i) + 1]) / nodes;
    }
    for (let i = 0; i < nodes; i++) dynamic[DYNAMIC * (start[r] + i) + 11] /= radius || 1;
  }
}

/** Positions, tangents and directors of all nodes; no allocation. Arc lengths are those of the first samples, so that patterns stay. */
export function writeSamples(records: Records, samples: readonly RodSamples[]): void {
  const { rods, start, dynamic } = records;
  for (let r = 0; r < rods.length; r++) {
    const { closed, nodeCount } = rods[r];
    const { nodePosition, edgeDirector } = samples[r];
    const nodes = start[r + 1] - start[r];
    const first = DYNAMIC * start[r];
    for (let i = 0; i < nodes; i++) {
      const o = first + DYNAMIC * i;
      const p = 3 * (i % nodeCount);
      dynamic[o] = nodePosition[p];
      dynamic[o + 1] = nodePosition[p + 1];
      dynamic[o + 2] = nodePosition[p + 2];
    }
    markBroken(dynamic, first, nodes, edgeDirector);
    writeTangents(dynamic, first, nodes, closed);
    writeDirectors(dynamic, first, nodes, closed, edgeDirector);
  }
  if (rods.length > 0 && dynamic[DYNAMIC * (start[1] - 1) + 11] === 0) writeArcLengths(records);
}

/** Marks the edges without a frame: they are not drawn. */
function markBroken(out: Float32Array, first: number, nodes: number, d: ArrayLike<number> | undefined): void {
  for (let i = 0; i < nodes; i++) {
    const isBroken = d && i < nodes - 1 && d[3 * i] === 0 && d[3 * i + 1] === 0 && d[3 * i + 2] === 0;
    out[first + DYNAMIC * i + 7] = isBroken ? 1 : 0;
  }
}

/** Unit tangents: mean direction of the edges beside a node; at a free end such that the curvature goes on. */
function writeTangents(out: Float32Array, first: number, nodes: number, closed: boolean): void {
  for (let i = 0; i < nodes; i++) {
    const before = i > 0 ? i - 1 : closed ? nodes - 2 : -1;
    const after = i < nodes - 1 ? i : closed ? 0 : -1;
    let x = 0;
    let y = 0;
    let z = 0;
    for (let side = 0; side < 2; side++) {
      const edge = side === 0 ? before : after;
      if (edge < 0) continue;
      const a = first + DYNAMIC * edge;
      if (out[a + 7] === 1) continue;
      const b = a + DYNAMIC;
      const ex = out[b] - out[a];
      const ey = out[b + 1] - out[a + 1];
      const ez = out[b + 2] - out[a + 2];
      const length = Math.sqrt(ex * ex + ey * ey + ez * ez) || 1;
      x += ex / length;
      y += ey / length;
      z += ez / length;
    }
    const norm = Math.sqrt(x * x + y * y + z * z) || 1;
    const o = first + DYNAMIC * i + 4;
    out[o] = x / norm;
    out[o + 1] = y / norm;
    out[o + 2] = z / norm;
  }
  if (closed || nodes < 3) return;
  continueCurvature(out, first, first + DYNAMIC);
  continueCurvature(out, first + DYNAMIC * (nodes - 1), first + DYNAMIC * (nodes - 2));
}

/** t_end = 2 (t_end·t) … the tangent at the next node mirrored at the edge. */
function continueCurvature(out: Float32Array, end: number, next: number): void {
  const e = end + 4;
  const n = next + 4;
  const d = out[e] * out[n] + out[e + 1] * out[n + 1] + out[e + 2] * out[n + 2];
  for (let k = 0; k < 3; k++) out[e + k] = 2 * d * out[e + k] - out[n + k];
}

/** d1 at nodes: mean of the edges', made normal to the tangent; anything normal where no frame is known. */
function writeDirectors(
  out: Float32Array,
  first: number,
  nodes: number,
  closed: boolean,
  edgeDirector: ArrayLike<number> | undefined,
): void {
  const edges = nodes - 1;
  for (let i = 0; i < nodes; i++) {
    const o = first + DYNAMIC * i;
    let x = 0;
    let y = 0;
    let z = 0;
    if (edgeDirector) {
      const before = 3 * (i > 0 ? i - 1 : closed ? edges - 1 : 0);
      const after = 3 * (i < edges ? i : closed ? 0 : edges - 1);
      x = edgeDirector[before] + edgeDirector[after];
      y = edgeDirector[before + 1] + edgeDirector[after + 1];
      z = edgeDirector[before + 2] + edgeDirector[after + 2];
    } else if (i > 0) {
      // carried along from the node before
      x = out[o - DYNAMIC + 8];
      y = out[o - DYNAMIC + 9];
      z = out[o - DYNAMIC + 10];
    }
    const tx = out[o + 4];
    const ty = out[o + 5];
    const tz = out[o + 6];
    let d = x * tx + y * ty + z * tz;
    if (!(x * x + y * y + z * z - d * d > 1e-6)) {
      x = Math.abs(tx) < 0.6 ? 1 : 0;
      y = 1 - x;
      z = 0;
      d = x * tx + y * ty;
    }
    x -= d * tx;
    y -= d * ty;
    z -= d * tz;
    const norm = Math.sqrt(x * x + y * y + z * z) || 1;
    out[o + 8] = x / norm;
    out[o + 9] = y / norm;
    out[o + 10] = z / norm;
  }
}

/** The first and the last segment of every open rod, as rods of two nodes: where caps are drawn. */
export function createEndRecords(records: Records): Records {
  const { rods, start, fixed } = records;
  const open = rods.flatMap((rod, r) => (rod.closed ? [] : [r]));
  const shape = rods[open[0]];
  const count = 4 * open.length;
  const out: Records = {
    rods: open.flatMap((r) => [rods[r], rods[r]]),
    start: [...Array.from({ length: 2 * open.length }, (_, k) => 2 * k), count],
    count: shape ? count : 0,
    dynamic: room(count, DYNAMIC),
    fixed: room(count, FIXED),
  };
  open.forEach((r, k) => {
    const first = start[r];
    const last = start[r + 1] - 2;
    for (let half = 0; half < 2; half++) {
      const from = half === 0 ? first : last;
      const o = FIXED * (4 * k + 2 * half);
      out.fixed.set(fixed.subarray(FIXED * from, FIXED * (from + 2)), o);
      // one segment a pair: no joint to the next, and the cap of this end alone
      out.fixed[o + 3] = 1;
      out.fixed[o + FIXED + 3] = 0;
      out.fixed[o + 4] = half === 0 ? 1 : 0;
      out.fixed[o + 5] = half === 1 ? 1 : 0;
    }
  });
  return out;
}

/** Brings the ends up to date with the rods. */
export function copyEnds(ends: Records, { rods, start, dynamic }: Records): void {
  let o = 0;
  for (let r = 0; r < rods.length; r++) {
    if (rods[r].closed) continue;
    for (let half = 0; half < 2; half++) {
      const from = DYNAMIC * (half === 0 ? start[r] : start[r + 1] - 2);
      for (let k = 0; k < 2 * DYNAMIC; k++) ends.dynamic[o++] = dynamic[from + k];
    }
  }
}

/** A value for every node of every rod: 1 a node, or 1 an edge (then the mean of the edges beside a node). */
export function writeValues({ rods, start, dynamic }: Records, values: readonly ArrayLike<number>[]): void {
  for (let r = 0; r < rods.length; r++) {
    const { closed, nodeCount, edgeCount } = rods[r];
    const value = values[r];
    const onEdges = value.length === edgeCount && edgeCount !== nodeCount;
    const nodes = start[r + 1] - start[r];
    for (let i = 0; i < nodes; i++) {
      const o = DYNAMIC * (start[r] + i) + 3;
      if (!onEdges) dynamic[o] = value[i % nodeCount];
      else {
        const before = i > 0 ? i - 1 : closed ? edgeCount - 1 : 0;
        const after = i < edgeCount ? i : closed ? 0 : edgeCount - 1;
        dynamic[o] = 0.5 * (value[before] + value[after]);
      }
    }
  }
}
