/**
 * The rods over time on one page: earlier times as pale lines, the last as shaded tubes, with a scale bar,
 * axes, times and pins.
 */
import type { SectionOutline } from '@tendril-sim/io';
import { hueCount, mix, ramp } from './color.ts';
import { drawAxes, drawPins, drawScaleBar, drawTimeLegend, type PinMark } from './decor.ts';
import { bottom, layOut, maximum, type Page, side, top, widthPage } from './layout.ts';
import {
  createScenery,
  layerCount,
  type PictureObstacle,
  poolsOf,
  roomForObstacles,
  roomForPools,
  type Scenery,
} from './obstacles.ts';
import { createPrism, type Prism } from './ribbon.ts';
import { refineCurve } from './smooth.ts';
import { document, fitText, inkSoft, smoothPathData, text } from './svg.ts';
import { drawGhost, layGhost, layTubes, type Stroke } from './tube.ts';
import { chooseView, project, type Vector, type View } from './view.ts';

export interface PictureRod {
  readonly id: string;
  readonly closed: boolean;
  /** [m], one per edge. */
  readonly radius: ArrayLike<number>;
  /** Positions [m], 3 per node, one array per frame. */
  readonly frames: readonly ArrayLike<number>[];
  /** Outline of a section that is not round. */
  readonly section?: SectionOutline;
  /** d1 of the edges in the last frame, 3 per edge: rods are drawn with their section and a stripe that shows twist. */
  readonly director?: ArrayLike<number>;
  /** Rods of one hue belong together, and the first of them names it; default: a hue each. */
  readonly hue?: number;
}

export interface PictureBody {
  readonly id: string;
  /** [m]; 0: nothing to draw. */
  readonly radius: number;
  /** Position [m] and orientation w, x, y, z, one array of seven per frame. */
  readonly frames: readonly ArrayLike<number>[];
}

export interface PicturePin {
  readonly rod: number;
  readonly node: number;
  readonly kind: 'clamp' | 'hinge';
  /** Direction that the clamp holds; default: along the first edge. */
  readonly tangent?: Vector;
}

export interface Picture {
  readonly title: string;
  readonly subtitle?: string;
  readonly rods: readonly PictureRod[];
  readonly bodies?: readonly PictureBody[];
  /** As they are in the last frame. */
  readonly obstacles?: readonly PictureObstacle[];
  readonly times: ArrayLike<number>;
  readonly timeLabel?: string;
  readonly timeUnit?: string;
  /** Names of the frames in the legend, in place of their times. */
  readonly labels?: readonly string[];
  readonly pins?: readonly PicturePin[];
  readonly gravity?: Vector;
  /** Overlaid frames; default: about nine, evenly spread. */
  readonly select?: readonly number[];
  /** Points that determine view and scale in place of the drawn ones, so that all pictures of a film have the same. */
  readonly stage?: readonly ArrayLike<number>[];
  /** Points of obstacles that view and scale include; default: of obstacles that are not far larger than the moving parts. */
  readonly around?: readonly ArrayLike<number>[];
  /** Rods that lie on top of each other: flat lines, each hue narrower than the one before, so that all are seen. */
  readonly nested?: boolean;
}

/** A picture laid out on its page: view and scale, which frames are shown, and in which colours. */
interface LaidPicture {
  readonly picture: Picture;
  /** Hues in use; above a certain number all rods have the same, and are drawn as a crowd. */
  readonly hues: ReadonlySet<number>;
  readonly isCrowd: boolean;
  readonly bodies: readonly PictureBody[];
  readonly view: View;
  readonly page: Page;
  readonly scenery: ReturnType<typeof createScenery>;
  /** Frames shown, the last of them in front, and how strong each is drawn, from 0 to 1. */
  readonly select: readonly number[];
  readonly amounts: readonly number[];
  /** Pieces per edge of each rod, so that curves look smooth. */
  readonly parts: readonly number[];
  hue(rod: number): number;
}

function layPicture(picture: Picture): LaidPicture {
  const { rods } = picture;
  const hues = new Set(rods.map(({ hue }, k) => hue ?? k));
  const few = hues.size <= hueCount;
  const candidates = picture.select ?? spreadFrames(picture.times.length, overlayCount(rods.length));
  const swept = picture.stage
    ? [...picture.stage]
    : rods.flatMap(({ frames }) => (few && !picture.select ? frames : candidates.map((k) => frames[k])));
  const bodies = (picture.bodies ?? []).filter(({ radius }) => radius > 0);
  for (const { radius, frames } of picture.stage ? [] : bodies)
    for (const frame of [frames[0], frames[frames.length - 1]]) swept.push(boxAround(frame, radius));
  const obstacles = picture.obstacles ?? [];
  const around = picture.around ?? roomForObstacles(obstacles, swept);
  const pools = poolsOf(obstacles, [...swept, ...around]);
  const view = chooseView(swept, { gravity: picture.gravity, oblique: rods.some(({ closed }) => closed), around });
  const page = layOut(view, [...swept, ...around, ...roomForPools(pools)], rods);
  const scenery = createScenery(obstacles, pools, page.place, [0, top - 8, widthPage, page.height - top - bottom + 24]);
  const select = picture.select ?? thinOut(candidates, rods, page);
  const edges = rods.reduce((sum, { radius }) => sum + radius.length, 0);
  return {
    picture,
    hues,
    isCrowd: !few,
    bodies,
    view,
    page,
    scenery,
    select,
    amounts: select.map((_, k) => (k === select.length - 1 ? 1 : few ? (0.74 * k) / (select.length - 1) : 0.1)),
    parts: rods.map((rod) => Math.min(partsOf(rod, page.scale), few ? 8 : Math.max(1, Math.floor(4000 / edges)))),
    hue: (rod) => (few ? (rods[rod].hue ?? rod) : 0),
  };
}

export function drawPicture(picture: Picture): string {
  const laid = layPicture(picture);
  const { page, view, scenery } = laid;
  const body: string[] = [
    text(side - 8, 28, fitText(picture.title, widthPage - 2 * side, 15, { bold: true }), { size: 15, bold: true }),
    ...(picture.subtitle
      ? [text(side - 8, 46, fitText(picture.subtitle, widthPage - 2 * side, 11), { size: 11, fill: inkSoft })]
      : []),
  ];
  drawLayers(laid).forEach((layer, k) => {
    body.push(...layer, ...(scenery?.after[k] ?? []));
  });
  const baseline = page.height - 30;
  body.push(...drawAxes(side + 4, baseline, view, picture.gravity));
  body.push(...drawScaleBar(widthPage - side, baseline - 8, page.scale, 150));
  body.push(...drawLegend(laid, baseline));
  return document(widthPage, page.height, picture.title, body);
}

/** Rods, bodies and pins, in layers from back to front. */
function drawLayers(laid: LaidPicture): string[][] {
  const { picture, isCrowd, bodies, page, scenery, select, amounts } = laid;
  const { rods } = picture;
  const layers: string[][] = Array.from({ length: layerCount }, () => []);
  const lay = (parts: readonly string[][]): void => {
    parts.forEach((part, k) => {
      layers[k].push(...part);
    });
  };
  for (let k = 0; k < select.length - 1; k++) {
    rods.forEach((_, rod) => {
      lay(layGhost(strokeOf(laid, k, rod, ramp(laid.hue(rod), amounts[k])), isCrowd ? 0.6 : 1, scenery));
    });
  }
  for (const one of bodies) {
    select.forEach((frame, k) => {
      const [x, y, depth] = page.place(Array.from(one.frames[frame]).slice(0, 3));
      const layer = scenery?.layer(x, y, depth, one.radius * page.scale) ?? layerCount - 1;
      layers[layer].push(...drawBody(one, frame, page, amounts[k]));
    });
  }
  if (rods.length <= 2) for (const rod of rods) lay(drawTrace(rod, page, scenery));
  layLastFrame(laid, layers, lay);
  return layers;
}

/** The last frame in full, with the marks of pins: those of a crowd go behind it, those of a few rods in front. */
function layLastFrame(laid: LaidPicture, layers: string[][], lay: (parts: readonly string[][]) => void): void {
  const { picture, isCrowd, view, page, scenery, select, parts } = laid;
  const last = select.length - 1;
  const strokes = picture.rods.map((rod, k) => ({
    ...strokeOf(laid, last, k, isCrowd ? variedColor(k) : ramp(laid.hue(k), 1)),
    round: rod.section === undefined,
    ...(!isCrowd && { prism: surfaceOf(rod, rod.frames[select[last]], parts[k], page) }),
  }));
  const layMarks = (): void => {
    const found = pinMarks(picture.pins ?? [], parts, view, strokes, scenery);
    drawPins(found).forEach((mark, k) => {
      layers[found[k].layer].push(mark);
    });
  };
  if (isCrowd) layMarks();
  if (picture.nested) layers[layerCount - 1].push(...strokes.map((one) => drawGhost(one, 1)));
  else lay(layTubes(strokes, !view.planar, scenery));
  if (!isCrowd) layMarks();
}

/** Centreline and widths of a rod in a shown frame. */
function strokeOf(laid: LaidPicture, shown: number, rod: number, color: string): Stroke {
  const { picture, page, select, parts, isCrowd, hues } = laid;
  const { closed, radius, frames } = picture.rods[rod];
  const isClamped = (node: number): boolean =>
    (picture.pins ?? []).some((pin) => pin.rod === rod && pin.node === node && pin.kind === 'clamp');
  return {
    points: page.place(refineCurve(frames[select[shown]], closed, parts[rod])),
    closed,
    width: Array.from({ length: radius.length * parts[rod] }, (_, j) =>
      picture.nested
        ? nestedWidth(laid.hue(rod), hues.size)
        : page.widthOf(radiusAt(radius, (j + 0.5) / parts[rod], closed)),
    ),
    color,
    flat: isCrowd ? undefined : [isClamped(0), isClamped(radius.length)],
  };
}

function drawLegend({ picture, hues, isCrowd, select, amounts, hue }: LaidPicture, baseline: number): string[] {
  const { rods } = picture;
  return drawTimeLegend(side + 104, baseline - 2, widthPage - 2 * side - 340, {
    label: picture.timeLabel ?? 't',
    unit: picture.timeUnit ?? 's',
    times: select.map((frame) => picture.times[frame]),
    labels: picture.labels && select.map((frame) => picture.labels?.[frame] ?? ''),
    amounts,
    rows: isCrowd
      ? [{ hue: 0, name: '' }]
      : [...hues].map((one) => ({ hue: one, name: rods[rods.findIndex((_, k) => hue(k) === one)].id })),
  });
}

/** Below this width a stripe on a round rod would only blur it [px]. */
const leastStriped = 7;

/** Section and stripe of a rod whose directors are known; of a round one only if it is wide enough. */
function surfaceOf(rod: PictureRod, nodes: ArrayLike<number>, parts: number, page: Page): Prism | undefined {
  const { closed, radius, section, director } = rod;
  if (!director || (!section && 2 * maximum(radius) * page.scale < leastStriped)) return undefined;
  const points = refineCurve(nodes, closed, parts);
  return createPrism({ points, closed, parts, director, section, radius, ...page });
}

/** In pixels: from wide to narrow, the last a line. */
function nestedWidth(hue: number, count: number): number {
  return 2.2 + (4 + 2.2 * count) * (1 - (hue + 1) / count);
}

/** The corners of a cube about a body: what the page must have room for. */
function boxAround(frame: ArrayLike<number>, radius: number): number[] {
  return [-1, 1].flatMap((i) =>
    [-1, 1].flatMap((j) =>
      [-1, 1].flatMap((k) => [frame[0] + i * radius, frame[1] + j * radius, frame[2] + k * radius]),
    ),
  );
}

/** A ball with spokes along its x and y axes, which show how it has turned. */
function drawBody({ radius, frames }: PictureBody, frame: number, page: Page, amount: number): string[] {
  const [x, y, z, w, a, b, c] = Array.from(frames[frame]);
  const spokes = [
    [1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b)],
    [2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a)],
  ];
  const points = page.place([
    x,
    y,
    z,
    ...spokes.flatMap((d) => [x + radius * d[0], y + radius * d[1], z + radius * d[2]]),
  ]);
  const at = (k: number): string => `${points[k].toFixed(2)} ${points[k + 1].toFixed(2)}`;
  const ink = mix('#ffffff', '#39424e', 0.25 + 0.75 * amount);
  const fill = mix('#ffffff', '#c9d2dc', amount);
  const center = `cx="${points[0].toFixed(2)}" cy="${points[1].toFixed(2)}" r="${(radius * page.scale).toFixed(2)}"`;
  return [
    `<circle ${center} fill="${fill}" fill-opacity="${(0.15 + 0.55 * amount).toFixed(2)}" stroke="${ink}" stroke-width="1.2"/>`,
    `<path d="M${at(3)}L${at(0)}L${at(6)}" stroke="${ink}" stroke-width="1.2" stroke-linecap="round" stroke-linejoin="round" fill="none"/>`,
  ];
}

function overlayCount(rods: number): number {
  return rods <= 3 ? 9 : rods <= hueCount ? 5 : 2;
}

/** Indices of about `count` frames, the first and the last among them, evenly spread where a near count allows it. */
export function spreadFrames(frames: number, count: number): number[] {
  if (frames <= 1) return frames === 1 ? [0] : [];
  // two are two: the first and the last
  const even =
    count <= 2
      ? undefined
      : [0, 2, -1, 1, -2, -3].map((d) => count + d).find((n) => n > 2 && (frames - 1) % (n - 1) === 0);
  const n = Math.min(frames, even ?? count);
  return [...new Set(Array.from({ length: n }, (_, k) => Math.round((k * (frames - 1)) / (n - 1))))];
}

/** Radius at a place counted in edges from the start: between the middles of edges, so that a taper has no steps. */
function radiusAt(radius: ArrayLike<number>, place: number, closed: boolean): number {
  const count = radius.length;
  if (count < 2) return radius[0];
  const low = closed ? Math.floor(place - 0.5) : Math.min(Math.max(Math.floor(place - 0.5), 0), count - 2);
  const part = place - 0.5 - low;
  const [a, b] = [radius[(low + count) % count], radius[(low + 1) % count]];
  return Math.max(0, a + part * (b - a));
}

/** Fewer overlaid times where the lines would cover the page: coils, tangles. */
function thinOut(frames: readonly number[], rods: readonly PictureRod[], page: Page): readonly number[] {
  let ink = 0;
  for (const rod of rods) {
    const points = page.place(rod.frames[rod.frames.length - 1]);
    const width = 0.6 * page.widthOf(maximum(rod.radius));
    for (let i = 3; i < points.length; i += 3)
      ink += width * Math.hypot(points[i] - points[i - 3], points[i + 1] - points[i - 2]);
  }
  if (rods.length > hueCount) return frames;
  const share = ink / page.area;
  // three at least: a motion that goes and comes back would else not be seen
  const most = Math.max(3, Math.floor(0.3 / share));
  return most >= frames.length ? frames : spreadFrames(frames.length, most).map((k) => frames[k]);
}

/** Strands of a crowd differ a little in lightness and warmth, else they melt into one blot. */
function variedColor(rod: number): string {
  const a = (rod * 0.6180339887) % 1;
  const b = (rod * 0.7548776662) % 1;
  return mix(ramp(0, 0.62 + 0.38 * a), ramp(5, 0.8), 0.45 * b);
}

/** The path of a free end through all frames, where the frames are dense enough to show one. */
function drawTrace(rod: PictureRod, page: Page, scenery: Scenery | undefined): string[][] {
  const out: string[][] = Array.from({ length: layerCount }, () => []);
  if (rod.closed || rod.frames.length < 12) return out;
  for (const node of [0, rod.frames[0].length / 3 - 1]) {
    const path = page.place(rod.frames.flatMap((frame) => [0, 1, 2].map((k) => frame[3 * node + k])));
    const track = Array.from(path).filter((_, i) => i % 3 < 2);
    const middle = 3 * Math.floor(path.length / 6);
    const layer = scenery?.layer(path[middle], path[middle + 1], path[middle + 2], 0.5) ?? layerCount - 1;
    let turned = 0;
    let length = 0;
    for (let i = 2; i + 3 < track.length; i += 2) {
      const [ax, ay, bx, by] = [
        track[i] - track[i - 2],
        track[i + 1] - track[i - 1],
        track[i + 2] - track[i],
        track[i + 3] - track[i + 1],
      ];
      const weight = Math.hypot(bx, by);
      turned += Math.abs(Math.atan2(ax * by - ay * bx, ax * bx + ay * by)) * weight;
      length += weight;
    }
    if (length > 20 && turned / length < 0.35) {
      out[layer].push(
        `<path d="${smoothPathData(track)}" stroke="${inkSoft}" stroke-width="0.9" stroke-dasharray="1.5 2.5" stroke-linejoin="round"/>`,
      );
    }
  }
  return out;
}

function pinMarks(
  pins: readonly PicturePin[],
  parts: readonly number[],
  view: View,
  strokes: readonly Stroke[],
  scenery: Scenery | undefined,
): (PinMark & { readonly layer: number })[] {
  return pins.map(({ rod, node: original, kind, tangent }) => {
    const { points, width, closed } = strokes[rod];
    const node = original * parts[rod];
    const end = points.length / 3 - 1;
    const inner = closed || (node > 0 && node < end);
    const next = node === 0 ? 1 : end - 1;
    const x = points[3 * node];
    const y = points[3 * node + 1];
    let [dx, dy] = inner ? [0, 0] : [points[3 * next] - x, points[3 * next + 1] - y];
    if (!inner && tangent) {
      const [right, up] = project(view, tangent);
      const sign = node === 0 ? 1 : -1;
      [dx, dy] = [sign * right, -sign * up];
    }
    const thick = width[Math.min(node, width.length - 1)];
    const layer = scenery?.layer(x, y, points[3 * node + 2], thick / 2) ?? layerCount - 1;
    return { x, y, dx, dy, kind, width: thick, layer };
  });
}

/** Pieces of about six pixels look smooth. */
function partsOf(rod: PictureRod, scale: number): number {
  const points = rod.frames[rod.frames.length - 1];
  let longest = 0;
  for (let i = 3; i + 2 < points.length; i += 3) {
    longest = Math.max(
      longest,
      Math.hypot(points[i] - points[i - 3], points[i + 1] - points[i - 2], points[i + 2] - points[i - 1]),
    );
  }
  return Math.min(8, Math.max(1, Math.ceil((longest * scale) / 6)));
}
