/**
 * Rods with their true section: prisms along ellipses and rectangles, shaded by their faces, and a stripe along one side that shows twist.
 * A round rod keeps its tube (tube.ts) and gets the stripe alone.
 */
import type { SectionOutline } from '@tendril-sim/io';
import { mix } from './color.ts';
import { num, paper } from './svg.ts';

/** A point or direction on the page: right, down and towards the reader, in pixels. */
type Point = readonly [number, number, number];

/** The surface of a rod on the page: corners of its section at every node, around it. */
export interface Prism {
  /** Nodes × corners × 3 [px]. */
  readonly corners: Float64Array;
  readonly count: number;
  readonly closed: boolean;
  /** Outer edges of the stripe at every node, 6 numbers [px]; the stripe lies on the face towards `stripeNormal`. */
  readonly stripe: Float64Array;
  /** Unit, 3 per node. */
  readonly stripeNormal: Float64Array;
}

export interface PrismInput {
  /** Refined nodes [m], 3 per node. */
  readonly points: ArrayLike<number>;
  readonly closed: boolean;
  /** Refined nodes per edge. */
  readonly parts: number;
  /** d1 of the edges, 3 per edge. */
  readonly director: ArrayLike<number>;
  /** Round if there is none. */
  readonly section?: SectionOutline;
  /** [m], one per edge. */
  readonly radius: ArrayLike<number>;
  /** Pixels per metre. */
  readonly scale: number;
  /** Sections are drawn at least this wide [px]. */
  readonly least: number;
  /** World → page. */
  readonly place: (points: ArrayLike<number>) => Float64Array;
}

/** Share of the wide side that the stripe covers. */
const stripeShare = 0.2;
/** Faces of an ellipse. */
const facets = 12;
/** A thinner side would not be seen [px]. */
const thinnest = 1.2;

export function createPrism(input: PrismInput): Prism {
  const { points, closed, parts, director, section, radius, scale, least, place } = input;
  const nodes = points.length / 3;
  const edges = radius.length;
  const count = section?.shape === 'rectangle' ? 4 : facets;
  const corners: number[] = [];
  const stripe: number[] = [];
  const normals: number[] = [];
  for (let i = 0; i < nodes; i++) {
    const d3 = tangentAt(points, i, closed);
    const d1 = unit(across(directorAt(director, i / parts, closed), d3));
    const d2 = cross(d3, d1);
    const j = Math.min(Math.floor(i / parts), edges - 1);
    let a = section ? section.edgeHalfWidth[j] : radius[j];
    let b = section ? section.edgeHalfHeight[j] : radius[j];
    const enlarged = Math.max(1, least / (2 * Math.max(a, b) * scale));
    a = Math.max(a * enlarged, thinnest / (2 * scale));
    b = Math.max(b * enlarged, thinnest / (2 * scale));
    const at = (u: number, v: number): number[] =>
      [0, 1, 2].map((k) => points[3 * i + k] + u * a * d1[k] + v * b * d2[k]);
    for (let c = 0; c < count; c++) corners.push(...at(...cornerOf(c, section?.shape)));
    // on the wide side; of a round rod on d1
    const onD2 = section !== undefined && a >= b;
    stripe.push(
      ...(onD2 ? [at(-stripeShare, 1), at(stripeShare, 1)] : [at(1, -stripeShare), at(1, stripeShare)]).flat(),
    );
    normals.push(...(onD2 ? d2 : d1));
  }
  const origin = place([0, 0, 0]);
  const stripeNormal = place(normals).map((value, i) => (value - origin[i % 3]) / scale);
  return { corners: place(corners), count, closed, stripe: place(stripe), stripeNormal };
}

function cornerOf(c: number, shape: SectionOutline['shape'] | undefined): [number, number] {
  if (shape === 'rectangle')
    return [
      [1, -1],
      [1, 1],
      [-1, 1],
      [-1, -1],
    ][c] as [number, number];
  const angle = (2 * Math.PI * c) / facets;
  return [Math.cos(angle), Math.sin(angle)];
}

/** Between the middles of edges, at a place counted in edges. */
function directorAt(director: ArrayLike<number>, place: number, closed: boolean): Point {
  const edges = director.length / 3;
  const low = closed ? Math.floor(place - 0.5) : Math.min(Math.max(Math.floor(place - 0.5), 0), Math.max(edges - 2, 0));
  const part = Math.min(Math.max(place - 0.5 - low, 0), 1);
  const [a, b] = [(low + edges) % edges, (low + 1 + edges) % edges];
  const [x, y, z] = [0, 1, 2].map((k) => director[3 * a + k] * (1 - part) + director[3 * b + k] * part);
  return [x, y, z];
}

function tangentAt(points: ArrayLike<number>, i: number, closed: boolean): Point {
  const nodes = points.length / 3;
  const a = closed ? (i - 1 + nodes) % nodes : Math.max(0, i - 1);
  const b = closed ? (i + 1) % nodes : Math.min(nodes - 1, i + 1);
  return unit([
    points[3 * b] - points[3 * a],
    points[3 * b + 1] - points[3 * a + 1],
    points[3 * b + 2] - points[3 * a + 2],
  ]);
}

const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const across = (v: Point, n: Point): Point => {
  const along = dot(v, n);
  return [v[0] - along * n[0], v[1] - along * n[1], v[2] - along * n[2]];
};
function unit(v: Point): Point {
  const length = Math.hypot(...v) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}

/** From the upper left, in front of the page. */
const light = unit([-0.5, -0.7, 0.6]);
export const dark = '#0b1220';

/** A piece of a prism, from one node to another: halo, faces, outlines and stripe. */
export function drawPrismPiece(prism: Prism, from: number, to: number, color: string, background: string): string[] {
  const nodes = prism.corners.length / (3 * prism.count);
  const out: string[] = [];
  for (let i = from; i < to; i++) {
    const [a, b] = [i % nodes, (i + 1) % nodes];
    const faces = Array.from({ length: prism.count }, (_, c) => faceOf(prism, a, b, c));
    const isOutline = (c: number): boolean => faces[c].visible !== faces[(c + prism.count - 1) % prism.count].visible;
    const rims = faces.flatMap((_, c) => (isOutline(c) ? [lineOf(prism, a, b, c)] : []));
    if (background !== 'none') out.push(...rims.map((d) => rim(d, background, 3.2)));
    for (const { visible, quad, normal } of faces) if (visible) out.push(polygon(quad, shade(color, normal)));
    out.push(...rims.map((d) => rim(d, mix(color, dark, 0.5), 0.9)));
  }
  out.push(...drawStripe(prism, from, to, mix(color, paper, 0.8)));
  return out;
}

/** The stripe of a piece where it faces the reader, and that of both neighbours, because the piece has painted over it. */
export function drawStripe({ stripe, stripeNormal, closed }: Prism, from: number, to: number, color: string): string[] {
  const nodes = stripe.length / 6;
  const at = (o: number): Point => [stripe[o], stripe[o + 1], stripe[o + 2]];
  const out: string[] = [];
  for (let i = closed ? from - 1 : Math.max(0, from - 1); i < (closed ? to + 1 : Math.min(to + 1, nodes - 1)); i++) {
    const [a, b] = [(i + nodes) % nodes, (i + 1) % nodes];
    if (stripeNormal[3 * a + 2] + stripeNormal[3 * b + 2] <= 0.02) continue;
    out.push(polygon([at(6 * a), at(6 * b), at(6 * b + 3), at(6 * a + 3)], color));
  }
  return out;
}

const rim = (d: string, color: string, width: number): string =>
  `<path d="${d}" stroke="${color}" stroke-width="${width}" stroke-linecap="${width > 2 ? 'butt' : 'round'}"/>`;

interface Face {
  readonly quad: readonly Point[];
  readonly normal: Point;
  readonly visible: boolean;
}

function cornerAt({ corners, count }: Prism, node: number, corner: number): Point {
  const o = 3 * (node * count + (corner % count));
  return [corners[o], corners[o + 1], corners[o + 2]];
}

/** Between corners c and c + 1, with its normal outwards. */
function faceOf(prism: Prism, a: number, b: number, c: number): Face {
  const quad = [cornerAt(prism, a, c), cornerAt(prism, b, c), cornerAt(prism, b, c + 1), cornerAt(prism, a, c + 1)];
  const [p, q, r, s] = quad;
  const diagonal = (x: Point, y: Point): Point => [y[0] - x[0], y[1] - x[1], y[2] - x[2]];
  // the page has its second axis down: the order of the corners turns there, and with it the sign of the product
  const normal = unit(cross(diagonal(p, r), diagonal(q, s)));
  return { quad, normal, visible: normal[2] > 0 };
}

function lineOf(prism: Prism, a: number, b: number, c: number): string {
  const [p, q] = [cornerAt(prism, a, c), cornerAt(prism, b, c)];
  return `M${num(p[0])} ${num(p[1])}L${num(q[0])} ${num(q[1])}`;
}

function polygon(points: readonly Point[], color: string): string {
  const list = points.map(([x, y]) => `${num(x)},${num(y)}`).join(' ');
  // the thin stroke covers the seam to the next piece
  return `<polygon points="${list}" fill="${color}" stroke="${color}" stroke-width="0.5" stroke-linejoin="round"/>`;
}

function shade(color: string, normal: Point): string {
  // in steps, so that colours repeat in the file
  const level = Math.round(16 * dot(normal, light)) / 16;
  return level >= 0.6 ? mix(color, paper, 0.7 * (level - 0.6)) : mix(color, dark, 0.42 * Math.min(1, 0.6 - level));
}
