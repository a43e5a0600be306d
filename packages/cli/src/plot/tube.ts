/**
 * Rods as strokes that look like tubes: outline, body and highlight, painted from the farthest piece to the nearest.
 * Each piece has a thin halo in the colour of the paper, which shows which strand passes over which.
 */
import { mix } from './color.ts';
import { layerCount, type Scenery } from './obstacles.ts';
import { dark, drawPrismPiece, drawStripe, type Prism } from './ribbon.ts';
import { num, paper, pathData } from './svg.ts';

/** A rod on the page: x, y and depth (larger is nearer) in pixels, a node. */
export interface Stroke {
  readonly points: Float64Array;
  readonly closed: boolean;
  /** Pixels, one per edge. */
  readonly width: ArrayLike<number>;
  readonly color: string;
  /** Its section and stripe, if they are drawn. */
  readonly prism?: Prism;
  /** Whether the section is round: a tube with a stripe instead of a prism. */
  readonly round?: boolean;
  /** Ends that are cut square, as in a wall, and not rounded. */
  readonly flat?: readonly [boolean, boolean];
}

interface Piece {
  readonly stroke: Stroke;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly layer: number;
}

/** More pieces than this make files that viewers open slowly; long rods are then painted in longer pieces. */
const pieceLimit = 5000;
/** Enough that the eye sees no steps, few enough that colours repeat. */
const hazeLevels = 32;

/** The plain line of an earlier time. */
export function drawGhost(stroke: Stroke, opacity = 1): string {
  if (!stroke.closed && isTapered(stroke.width)) return drawTaperedGhost(stroke, opacity);
  const d = pathData(flatten(stroke.points, 0, nodes(stroke) - 1, stroke.closed), stroke.closed);
  const width = ghostWidth(stroke.width[0], stroke.width[Math.floor(stroke.width.length / 2)] ?? 2);
  const faded = opacity < 1 ? ` stroke-opacity="${num(opacity)}"` : '';
  return `<path d="${d}" stroke="${stroke.color}" stroke-width="${num(width)}" stroke-linejoin="round" stroke-linecap="${stroke.flat?.includes(true) ? 'butt' : 'round'}"${faded}/>`;
}

/** Thinner than the rod itself, but not so thin that it is lost. */
const ghostWidth = (first: number, width: number): number => Math.max(Math.min(1.8, first), 0.55 * width);

function isTapered(width: ArrayLike<number>): boolean {
  const all = Array.from(width);
  return Math.max(...all) > 1.2 * Math.min(...all);
}

/** The outline of a rod whose width varies: one side, and the other back. */
function drawTaperedGhost(stroke: Stroke, opacity: number): string {
  const count = nodes(stroke);
  const sides: [number[], number[]] = [[], []];
  for (let i = 0; i < count; i++) {
    const [a, b] = [Math.max(0, i - 1), Math.min(count - 1, i + 1)];
    const [dx, dy] = [at(stroke, b, 0) - at(stroke, a, 0), at(stroke, b, 1) - at(stroke, a, 1)];
    const length = Math.hypot(dx, dy) || 1;
    const own = stroke.width[Math.min(i, stroke.width.length - 1)];
    const half = 0.5 * ghostWidth(Math.min(own, 1), own);
    const [x, y] = [at(stroke, i, 0), at(stroke, i, 1)];
    sides[0].push(x - (half * dy) / length, y + (half * dx) / length);
    sides[1].unshift(x + (half * dy) / length, y - (half * dx) / length);
  }
  const outline = [...sides[0], ...sides[1]];
  const points = Array.from(
    { length: outline.length / 2 },
    (_, k) => `${num(outline[2 * k])},${num(outline[2 * k + 1])}`,
  );
  const faded = opacity < 1 ? ` fill-opacity="${num(opacity)}"` : '';
  return `<polygon points="${points.join(' ')}" fill="${stroke.color}" stroke="none"${faded}/>`;
}

/** The line of an earlier time in the layers of a picture: whole runs of it are seen or hidden. */
export function layGhost(stroke: Stroke, opacity: number, scenery: Scenery | undefined): string[][] {
  const out = emptyLayers();
  if (!scenery) {
    out[layerCount - 1].push(drawGhost(stroke, opacity));
    return out;
  }
  const count = stroke.width.length;
  const layers = Array.from({ length: count }, (_, j) => layerOf(scenery, stroke, j, j + 1));
  if (layers.every((layer) => layer === layers[0])) {
    out[layers[0]].push(drawGhost(stroke, opacity));
    return out;
  }
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && layers[to] === layers[from]) to++;
    const points = Float64Array.from({ length: 3 * (to - from + 1) }, (_, i) =>
      at(stroke, from + Math.floor(i / 3), i % 3),
    );
    const width = Array.from(stroke.width).slice(from, to);
    out[layers[from]].push(drawGhost({ ...stroke, points, width, closed: false }, opacity));
    from = to;
  }
  return out;
}

export function drawTubes(strokes: readonly Stroke[], { shadeDepth }: { readonly shadeDepth: boolean }): string[] {
  return layTubes(strokes, shadeDepth, undefined).flat();
}

function emptyLayers(): string[][] {
  return Array.from({ length: layerCount }, () => []);
}

/** Of a piece: where its middle is, or where its ends are if the middle is beside all obstacles. */
function layerOf(scenery: Scenery, stroke: Stroke, from: number, to: number): number {
  const half = stroke.width[from] / 2;
  const [p, q] = [from, to].map((node) => [0, 1, 2].map((k) => at(stroke, node, k)));
  const middle = scenery.layer((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2, half);
  if (middle < layerCount - 1 || scenery.tone((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)) return middle;
  return Math.min(scenery.layer(p[0], p[1], p[2], half), scenery.layer(q[0], q[1], q[2], half));
}

/** Tubes in the layers of a picture, each from far to near. */
export function layTubes(strokes: readonly Stroke[], shadeDepth: boolean, scenery: Scenery | undefined): string[][] {
  const edges = strokes.reduce((sum, { width }) => sum + width.length, 0);
  const coarse = Math.max(1, Math.ceil(edges / pieceLimit));
  const pieces: Piece[] = [];
  let near = -Infinity;
  let far = Infinity;
  for (const stroke of strokes) {
    const count = stroke.width.length;
    const run = Math.max(coarse, shortest(stroke));
    for (let from = 0; from < count; from += run) {
      const to = Math.min(count, from + run);
      const depth = (at(stroke, from, 2) + at(stroke, to, 2)) / 2;
      near = Math.max(near, depth);
      far = Math.min(far, depth);
      pieces.push({ stroke, from, to, depth, layer: scenery ? layerOf(scenery, stroke, from, to) : layerCount - 1 });
    }
  }
  // ties keep the order of the scene, so that the text of the picture does not depend on the sort
  pieces.sort((a, b) => a.depth - b.depth);
  const shades = new Map<string, string>();
  const out = emptyLayers();
  for (const piece of pieces) {
    // haze: far pieces fade towards the paper
    const level = shadeDepth && near > far ? Math.round((1 - (piece.depth - far) / (near - far)) * hazeLevels) : 0;
    const key = `${piece.stroke.color}/${level}`;
    let color = shades.get(key);
    if (color === undefined) {
      color = mix(piece.stroke.color, paper, (0.36 * level) / hazeLevels);
      shades.set(key, color);
    }
    drawPiece(out[piece.layer], piece, color, scenery && haloOn(scenery, piece));
  }
  return out;
}

/** Edges per piece: one much shorter than the tube's width would show its square ends at a bend. */
function shortest(stroke: Stroke): number {
  const count = stroke.width.length;
  let length = 0;
  let width = 0;
  for (let j = 0; j < count; j++) {
    length += Math.hypot(at(stroke, j + 1, 0) - at(stroke, j, 0), at(stroke, j + 1, 1) - at(stroke, j, 1));
    width += stroke.width[j];
  }
  return Math.max(1, Math.min(count, Math.ceil((0.25 * width) / Math.max(length, 1e-9))));
}

/** On a solid the halo is a shadow of it; paper would look like a gap between the two. None at an outline: it is neither there. */
function haloOn(scenery: Scenery, { stroke, from, to, layer }: Piece): string {
  if (layer < layerCount - 1) return paper;
  const [x, y] = [0, 1].map((k) => (at(stroke, from, k) + at(stroke, to, k)) / 2);
  const reach = 0.75 * stroke.width[from];
  const middle = scenery.tone(x, y);
  for (const [dx, dy] of [
    [reach, 0],
    [-reach, 0],
    [0, reach],
    [0, -reach],
  ]) {
    if ((scenery.tone(x + dx, y + dy) === undefined) !== (middle === undefined)) return 'none';
  }
  return middle === undefined ? paper : mix(middle, '#39424e', 0.16);
}

function drawPiece(out: string[], { stroke, from, to }: Piece, color: string, background: string = paper): void {
  const { prism } = stroke;
  if (prism && !stroke.round) {
    out.push(...drawPrismPiece(prism, from, to, color, background));
    return;
  }
  const width = stroke.width[from];
  const free = [from === 0 && !stroke.closed, to === stroke.width.length && !stroke.closed] as const;
  const halo = Math.min(3, 0.5 * width);
  // a little into the neighbours, or it would show gaps on the outer side of a bend
  if (background !== 'none')
    out.push(strokePath(pathData(reach(stroke, from, to, free, 0.2, 0)), background, width + halo));
  const shades = layers(color, width);
  // Each layer reaches farther into the neighbours than the one below, and so covers the seam that one leaves.
  shades.forEach(({ share, tone, shift }, k) => {
    free.forEach((isFree, side) => {
      if (isFree && width >= 2 && !stroke.flat?.[side])
        out.push(
          drawCap(stroke, side === 0 ? 0 : to, side === 0 ? 1 : to - 1, (share * width) / 2, shift * width, tone),
        );
    });
    out.push(strokePath(pathData(reach(stroke, from, to, free, 0.3 + 0.15 * k, shift * width)), tone, share * width));
  });
  // darker than the gleam, which runs along the tube too
  if (prism) out.push(...drawStripe(prism, from, to, mix(color, dark, 0.7)));
}

/** Half a disc beyond the end of a tube: a whole one would cover the shading of the pieces before it. */
function drawCap(stroke: Stroke, node: number, inner: number, radius: number, shift: number, tone: string): string {
  const [x, y] = [0, 1].map((k) => at(stroke, node, k) + (shift === 0 ? 0 : towardsLight(stroke, node, shift)[k]));
  const [dx, dy] = [0, 1].map((k) => at(stroke, node, k) - at(stroke, inner, k));
  const length = Math.hypot(dx, dy);
  const r = num(radius);
  if (length < 1e-6) return `<circle cx="${num(x)}" cy="${num(y)}" r="${r}" fill="${tone}"/>`;
  const [ax, ay] = [(-dy / length) * radius, (dx / length) * radius];
  return `<path d="M${num(x + ax)} ${num(y + ay)}A${r} ${r} 0 0 0 ${num(x - ax)} ${num(y - ay)}Z" fill="${tone}"/>`;
}

interface Layer {
  /** Part of the full width. */
  readonly share: number;
  readonly tone: string;
  /** Towards the light, as part of the width. */
  readonly shift: number;
}

/** The more pixels a tube has, the more steps its shading has. */
function layers(color: string, width: number): Layer[] {
  const outline = { share: 1, tone: mix(color, dark, 0.5), shift: 0 };
  const body = (share: number): Layer => ({ share, tone: color, shift: 0 });
  const gleam = { share: 0.18, tone: mix(color, paper, 0.5), shift: 0.17 };
  if (width < 2.6) return [body(1)];
  if (width < 5) return [{ ...outline, tone: mix(color, dark, 0.35) }, body(0.72), gleam];
  const edge = Math.min(0.25, 2 / width);
  const soft = { share: 0.55, tone: mix(color, paper, 0.16), shift: 0.08 };
  if (width < 12) return [outline, body(1 - edge), soft, gleam];
  return [
    outline,
    { share: 1 - edge, tone: mix(color, dark, 0.16), shift: 0 },
    { share: 0.8, tone: color, shift: 0.04 },
    { share: 0.56, tone: mix(color, paper, 0.1), shift: 0.09 },
    { share: 0.34, tone: mix(color, paper, 0.24), shift: 0.13 },
    { ...gleam, share: 0.12, tone: mix(color, paper, 0.55) },
  ];
}

/** x, y pairs of a piece, extended by a part of an edge into its neighbours and moved sideways towards the light. */
function reach(
  stroke: Stroke,
  from: number,
  to: number,
  free: readonly [boolean, boolean],
  extension: number,
  shift: number,
): number[] {
  const out: number[] = [];
  const push = (node: number, beyond: number): void => {
    const [x, y] = [at(stroke, node, 0), at(stroke, node, 1)];
    const dx = at(stroke, beyond, 0) - x;
    const dy = at(stroke, beyond, 1) - y;
    const [sx, sy] = shift === 0 ? [0, 0] : towardsLight(stroke, node, shift);
    const part = node === beyond ? 0 : extension;
    out.push(x + sx + dx * part, y + sy + dy * part);
  };
  if (!free[0] && extension > 0) push(from, from - 1);
  for (let node = from; node <= to; node++) push(node, node);
  if (!free[1] && extension > 0) push(to, to + 1);
  return out;
}

/** Sideways to the rod, so that pieces keep meeting: where the rod runs along the light there is no side to light. */
function towardsLight(stroke: Stroke, node: number, shift: number): [number, number] {
  const last = nodes(stroke) - 1;
  const before = stroke.closed ? node - 1 : Math.max(0, node - 1);
  const after = stroke.closed ? node + 1 : Math.min(last, node + 1);
  const tx = at(stroke, after, 0) - at(stroke, before, 0);
  const ty = at(stroke, after, 1) - at(stroke, before, 1);
  const squared = tx * tx + ty * ty;
  if (squared < 1e-6) return [0, 0];
  // light from the upper left
  const [lx, ly] = [-0.55, -0.835];
  const along = (lx * tx + ly * ty) / squared;
  return [(lx - tx * along) * shift, (ly - ty * along) * shift];
}

function strokePath(d: string, color: string, width: number): string {
  return `<path d="${d}" stroke="${color}" stroke-width="${num(width)}" stroke-linejoin="round"/>`;
}

function nodes(stroke: Stroke): number {
  return stroke.points.length / 3;
}

function at(stroke: Stroke, node: number, axis: number): number {
  const count = nodes(stroke);
  return stroke.points[3 * (((node % count) + count) % count) + axis];
}

/** x, y pairs of the nodes from…to. */
function flatten(points: Float64Array, from: number, to: number, closed: boolean): number[] {
  const count = points.length / 3;
  const out: number[] = [];
  for (let i = from; i <= to; i++) {
    const k = closed ? i % count : i;
    out.push(points[3 * k], points[3 * k + 1]);
  }
  return out;
}
