/** A rod as a smooth curve with frames: Catmull–Rom between nodes, divided until pieces turn by a few degrees. */

/** A rod to be drawn. */
export interface RenderRod {
  /** True for a ring. */
  readonly closed: boolean;
  /** [m], 3 per node; the first node of a closed rod is not repeated. */
  readonly position: ArrayLike<number>;
  /** d1, 3 per node. */
  readonly director: ArrayLike<number>;
  /** [m], one per node. */
  readonly radius: ArrayLike<number>;
  /** Half widths along d1 and d2 at nodes [m] of a section that is not round. */
  readonly section?: {
    readonly shape: 'ellipse' | 'rectangle';
    readonly halfWidth: ArrayLike<number>;
    readonly halfHeight: ArrayLike<number>;
  };
  /** Index of its material. */
  readonly material: number;
}

/** Points of a smooth curve, in units of the picture. */
export interface Centreline {
  readonly count: number;
  readonly position: Float64Array;
  readonly tangent: Float64Array;
  readonly director: Float64Array;
  readonly radius: Float64Array;
  /** Arc length over the mean radius. */
  readonly arc: Float64Array;
  /** Place among the nodes: index and fraction. */
  readonly node: Float64Array;
}

/** Centre and scale of a picture: positions [m] become (x − center)·scale. */
export interface Framing {
  /** Centre of the picture [m]. */
  readonly center: readonly [number, number, number];
  /** Units of the picture per metre [1/m]. */
  readonly scale: number;
}

/** Largest turn of a piece [rad], and most pieces per edge. */
const turnLimit = 0.12;
const pieceLimit = 10;

/** Divides a rod. `most`: most pieces per edge. */
export function traceCentreline(rod: RenderRod, framing: Framing, most: number = pieceLimit): Centreline {
  const node = divide(rod, most);
  const count = node.length;
  const out: Centreline = {
    count,
    position: new Float64Array(3 * count),
    tangent: new Float64Array(3 * count),
    director: new Float64Array(3 * count),
    radius: new Float64Array(count),
    arc: new Float64Array(count),
    node: Float64Array.from(node),
  };
  for (let k = 0; k < count; k++) writePoint(out, k, rod, framing);
  writeArc(out);
  return out;
}

const nodesOf = ({ position }: RenderRod): number => position.length / 3;

/** Index of a node, around a closed rod and mirrored nowhere: ends repeat. */
function wrap(rod: RenderRod, i: number): number {
  const n = nodesOf(rod);
  return rod.closed ? (i + n) % n : Math.min(n - 1, Math.max(0, i));
}

/** Places of the points, as node index and fraction. */
function divide(rod: RenderRod, most: number): number[] {
  const n = nodesOf(rod);
  const edges = rod.closed ? n : n - 1;
  const turn = Array.from({ length: n }, (_, i) => turnAt(rod, i));
  const out: number[] = [];
  for (let j = 0; j < edges; j++) {
    const bend = Math.max(turn[j], turn[(j + 1) % n]);
    const pieces = Math.max(1, Math.min(most, Math.ceil(bend / turnLimit)));
    for (let k = 0; k < pieces; k++) out.push(j + k / pieces);
  }
  out.push(edges);
  return out;
}

/** Angle between the edges at a node, nearly [rad]. */
function turnAt(rod: RenderRod, i: number): number {
  const x = rod.position;
  const [a, b, c] = [3 * wrap(rod, i - 1), 3 * wrap(rod, i), 3 * wrap(rod, i + 1)];
  let [dot, p, q] = [0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const u = x[b + k] - x[a + k];
    const v = x[c + k] - x[b + k];
    dot += u * v;
    p += u * u;
    q += v * v;
  }
  if (p === 0 || q === 0) return 0;
  return Math.sqrt(Math.max(0, 2 - (2 * dot) / Math.sqrt(p * q)));
}

function writePoint(out: Centreline, k: number, rod: RenderRod, { center, scale }: Framing): void {
  const n = nodesOf(rod);
  const edges = rod.closed ? n : n - 1;
  const j = Math.min(edges - 1, Math.floor(out.node[k]));
  const u = out.node[k] - j;
  const at = [wrap(rod, j - 1), wrap(rod, j), wrap(rod, j + 1), wrap(rod, j + 2)];
  const x = rod.position;
  let norm = 0;
  for (let c = 0; c < 3; c++) {
    let [a, b, d, e] = at.map((i) => x[3 * i + c]);
    // beyond an end the curve goes on as it came
    if (at[0] === at[1]) a = 2 * b - d;
    if (at[2] === at[3]) e = 2 * d - b;
    const [p, q, r] = [0.5 * (d - a), a - 2.5 * b + 2 * d - 0.5 * e, 0.5 * (e - a) + 1.5 * (b - d)];
    out.position[3 * k + c] = scale * (b + u * (p + u * (q + u * r)) - center[c]);
    const slope = p + u * (2 * q + 3 * u * r);
    out.tangent[3 * k + c] = slope;
    norm += slope * slope;
  }
  const length = Math.sqrt(norm) || 1;
  for (let c = 0; c < 3; c++) out.tangent[3 * k + c] /= length;
  writeDirector(out, k, rod, at[1], at[2], u);
  out.radius[k] = scale * (rod.radius[at[1]] + u * (rod.radius[at[2]] - rod.radius[at[1]]));
}

function writeDirector(out: Centreline, k: number, rod: RenderRod, a: number, b: number, u: number): void {
  const d = rod.director;
  const t = out.tangent;
  const o = 3 * k;
  const v = [0, 1, 2].map((c) => (1 - u) * d[3 * a + c] + u * d[3 * b + c]);
  const along = v[0] * t[o] + v[1] * t[o + 1] + v[2] * t[o + 2];
  let norm = 0;
  for (let c = 0; c < 3; c++) {
    v[c] -= along * t[o + c];
    norm += v[c] * v[c];
  }
  if (!(norm > 1e-12)) {
    const c = Math.abs(t[o]) < 0.6 ? 0 : 1;
    for (let m = 0; m < 3; m++) v[m] = (m === c ? 1 : 0) - t[o + c] * t[o + m];
    norm = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  }
  for (let c = 0; c < 3; c++) out.director[o + c] = v[c] / Math.sqrt(norm);
}

function writeArc({ count, position: x, radius, arc }: Centreline): void {
  const mean = radius.reduce((sum, r) => sum + r, 0) / count || 1;
  for (let k = 1; k < count; k++) {
    const [a, b, c] = [0, 1, 2].map((m) => x[3 * k + m] - x[3 * k - 3 + m]);
    arc[k] = arc[k - 1] + Math.sqrt(a * a + b * b + c * c) / mean;
  }
}
