/**
 * Draws obstacles as pale, opaque solids, and planes as a patch of ground that fades out: a plane has no
 * edge, so the picture must not show one.
 *
 * Rods remain lines, so their pieces are sorted into layers by comparing their depth with that of the solids: below the ground, behind
 * the solids, in front of them. A piece behind a solid is drawn first and then covered by the image of the solid, so
 * it ends exactly at the outline.
 */
import { mix } from './color.ts';
import { createRelief, type Relief } from './relief.ts';
import { niceFloor } from './scale.ts';
import { num } from './svg.ts';
import type { Vector } from './view.ts';

export interface PictureObstacle {
  /** Corners in world axes [m], 3 each, and three of them a face. */
  readonly position: ArrayLike<number>;
  readonly triangle: ArrayLike<number>;
  /** A ground, or a wall: it goes on beyond the page, and must not decide its scale. */
  readonly endless?: boolean;
  /** Rods are inside: its near side is left out. */
  readonly hollow?: boolean;
  /** Colour that the scene gives it; path-traced pictures show it. */
  readonly color?: string;
}

/** What rods are painted in, from the back: under the ground, behind solids, before them. */
export const layerCount = 3;

export interface Scenery {
  /** Layer of something round at a point of the page, `half` pixels thick; the depth is in pixels too. */
  layer(x: number, y: number, depth: number, half: number): number;
  /** Colour of the solid that is seen there. */
  tone(x: number, y: number): string | undefined;
  /** To be painted after the layer of this index. */
  readonly after: readonly (readonly string[])[];
}

/** Part of a plane around what moves, world axes [m]. */
export interface Pool {
  readonly center: Vector;
  /** Two half axes, across each other. */
  readonly u: Vector;
  readonly v: Vector;
  readonly near: boolean;
  /** Where the plane's own origin is, in these half axes. */
  readonly origin: readonly [number, number];
}

interface Box {
  readonly center: Vector;
  /** Length of the diagonal. */
  readonly extent: number;
}

function boxOf(clouds: readonly ArrayLike<number>[]): Box {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const points of clouds) {
    for (let i = 0; i < points.length; i++) {
      low[i % 3] = Math.min(low[i % 3], points[i]);
      high[i % 3] = Math.max(high[i % 3], points[i]);
    }
  }
  if (!(high[0] >= low[0])) return { center: [0, 0, 0], extent: 0 };
  const [x, y, z] = low.map((one, k) => (one + high[k]) / 2);
  return { center: [x, y, z], extent: Math.hypot(...low.map((one, k) => high[k] - one)) };
}

/** Points that the page needs room for: of obstacles that are not far larger than what moves. */
export function roomForObstacles(
  obstacles: readonly PictureObstacle[],
  swept: readonly ArrayLike<number>[],
): ArrayLike<number>[] {
  const { extent } = boxOf(swept);
  return obstacles
    .filter((one) => !one.endless && boxOf([one.position]).extent <= 2 * extent)
    .map(({ position }) => position);
}

/** The pools of planes, as large as the shadow of `clouds` on them and a margin. */
export function poolsOf(obstacles: readonly PictureObstacle[], clouds: readonly ArrayLike<number>[]): Pool[] {
  const { center, extent } = boxOf(clouds);
  return obstacles
    .filter(({ endless }) => endless)
    .map(({ position: p }) => {
      const axis = (to: number): number[] => {
        const d = [0, 1, 2].map((k) => p[3 * to + k] - p[k]);
        return d.map((x) => x / (Math.hypot(...d) || 1));
      };
      // corners go round: from the first to its neighbours
      const [a, b] = [axis(1), axis(3)];
      const along = (point: ArrayLike<number>, i: number, axis: readonly number[]): number =>
        axis.reduce((sum, x, k) => sum + x * (point[i + k] - center[k]), 0);
      const normal = [1, 2, 0].map((k, m) => a[k] * b[(m + 2) % 3] - a[(m + 2) % 3] * b[k]);
      const height = along(p, 0, normal);
      let gap = Infinity;
      let reach = 0.6 * extent;
      for (const points of clouds)
        for (let i = 0; i + 2 < points.length; i += 3) {
          reach = Math.max(reach, 1.4 * Math.hypot(along(points, i, a), along(points, i, b)));
          gap = Math.min(gap, Math.abs(along(points, i, normal) - height));
        }
      const middle = [0, 1, 2].map((k) => (p[k] + p[6 + k]) / 2);
      const [s, t] = [-along(p, 0, a), -along(p, 0, b)];
      const at = (k: number): number => p[k] + s * a[k] + t * b[k];
      return {
        center: [at(0), at(1), at(2)],
        u: [reach * a[0], reach * a[1], reach * a[2]],
        v: [reach * b[0], reach * b[1], reach * b[2]],
        near: gap < 0.25 * extent,
        origin: [along(middle, 0, a) / reach, along(middle, 0, b) / reach],
      };
    });
}

/** Points of ground patches that the picture must contain: the part that does not fade, for planes that rods come near. */
export function roomForPools(pools: readonly Pool[]): number[][] {
  return pools
    .filter(({ near }) => near)
    .map(({ center, u, v }) =>
      [u, v].flatMap((axis) => [-0.5, 0.5].flatMap((s) => center.map((x, k) => x + s * axis[k]))),
    );
}

/** `place` gives pixels, right and down, and depth towards the reader; `frame` is the part of the page to draw in. */
export function createScenery(
  obstacles: readonly PictureObstacle[],
  pools: readonly Pool[],
  place: (points: ArrayLike<number>) => Float64Array,
  frame: PageBox,
): Scenery | undefined {
  if (obstacles.length === 0) return undefined;
  // the renderer aborts the process over a group whose parts are all off the page
  const grounds = pools.map((pool) => groundOf(pool, place)).filter(({ box }) => overlaps(box, frame));
  const floor = (x: number, y: number): number =>
    grounds.reduce((most, { depth }) => Math.max(most, depth(x, y)), -Infinity);
  const solids = obstacles
    .filter(({ endless }) => !endless)
    .map(({ position, triangle, hollow }) => ({ position: place(position), triangle, hollow }));
  const relief = createRelief(solids, frame, floor);
  const solid = relief ? (reachesBorder(relief, frame) ? fadeOut([imageOf(relief)], frame) : [imageOf(relief)]) : [];
  return {
    layer(x, y, depth, half) {
      // a rod drawn thicker than it is would sink into the solid that it touches, and facets are slightly off the true surface
      const reach = depth + half + 1;
      if (relief && isBehind(relief, x, y, reach, half)) return 1;
      return reach < floor(x, y) ? 0 : 2;
    },
    tone: (x, y) => relief?.tone(x, y),
    after: [
      grounds.length > 0
        ? fadeOut(
            grounds.flatMap(({ svg }) => svg),
            frame,
          )
        : [],
      solid,
      [],
    ],
  };
}

/** Behind where its middle is; where the solid leaves that free, behind with one of its sides. */
function isBehind(relief: Relief, x: number, y: number, reach: number, half: number): boolean {
  const middle = relief.nearest(x, y);
  if (middle > -Infinity) return middle > reach;
  for (const [dx, dy] of [
    [half, 0],
    [-half, 0],
    [0, half],
    [0, -half],
  ]) {
    if (relief.nearest(x + dx, y + dy) > reach) return true;
  }
  return false;
}

function reachesBorder({ box }: Relief, [x, y, width, height]: PageBox): boolean {
  return box[0] < x + 1 || box[1] < y + 1 || box[0] + box[2] > x + width - 1 || box[1] + box[3] > y + height - 1;
}

function imageOf(relief: Relief): string {
  const [x, y, width, height] = relief.box;
  const data = Buffer.from(relief.png()).toString('base64');
  return `<image x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}" href="data:image/png;base64,${data}"/>`;
}

const groundColor = '#eceff1';
const gridColor = '#cdd3d9';

/** Left, top, width, height. */
type PageBox = readonly [number, number, number, number];

function overlaps([ax, ay, aw, ah]: PageBox, [bx, by, bw, bh]: PageBox): boolean {
  return ax < bx + bw && bx < ax + aw && ay < by + bh && by < ay + ah;
}

interface Ground {
  /** Where it is on the page. */
  readonly box: PageBox;
  readonly svg: readonly string[];
  depth(x: number, y: number): number;
}

function groundOf({ center, u, v, origin }: Pool, place: (points: ArrayLike<number>) => Float64Array): Ground {
  const p = place([center, u, v].flatMap((axis, i) => axis.map((x, k) => x + (i === 0 ? 0 : center[k]))));
  const [a, b] = [
    [p[3] - p[0], p[4] - p[1], p[5] - p[2]],
    [p[6] - p[0], p[7] - p[1], p[8] - p[2]],
  ];
  const [wide, high] = [Math.hypot(a[0], b[0]), Math.hypot(a[1], b[1])];
  const box: PageBox = [p[0] - wide, p[1] - high, 2 * wide, 2 * high];
  const area = a[0] * b[1] - a[1] * b[0];
  // its normal, which is u × v, looks at the reader where this is negative: y runs down the page
  const square = Math.hypot(...a) * Math.hypot(...b);
  if (Math.abs(area) < 0.02 * square) {
    const [dx, dy] = Math.hypot(a[0], a[1]) > Math.hypot(b[0], b[1]) ? a : b;
    const [x, y] = [num(p[0] - dx), num(p[1] - dy)];
    const edge = `<path d="M${x} ${y}L${num(p[0] + dx)} ${num(p[1] + dy)}" stroke="${mix(groundColor, '#000000', 0.2)}" stroke-width="1.4"/>`;
    return { box, svg: [edge], depth: () => -Infinity };
  }
  // in units of the half axes, where the pool is a circle of radius 1
  const fade = (id: string, color: string): string =>
    `<radialGradient id="${id}" gradientUnits="userSpaceOnUse" cx="0" cy="0" r="1"><stop offset="0.3" stop-color="${color}"/><stop offset="1" stop-color="${color}" stop-opacity="0"/></radialGradient>`;
  const matrix = [a[0], a[1], b[0], b[1], p[0], p[1]].map(num).join(' ');
  const spacing = niceFloor(Math.hypot(...u) / 3) / Math.hypot(...u);
  return {
    box,
    svg: [
      fade('ground', groundColor),
      fade('grid', gridColor),
      `<g transform="matrix(${matrix})"><circle r="1" fill="url(#ground)"/><path d="${gridPath(origin, spacing)}" stroke="url(#grid)" stroke-width="${(1.6 / Math.hypot(...a)).toFixed(5)}"/></g>`,
    ],
    depth(x, y) {
      if (area > 0) return -Infinity;
      const [s, t] = [((x - p[0]) * b[1] - (y - p[1]) * b[0]) / area, (a[0] * (y - p[1]) - a[1] * (x - p[0])) / area];
      return s * s + t * t > 1 ? -Infinity : p[2] + s * a[2] + t * b[2];
    },
  };
}

/** Lines through the origin and at round distances from it, in the unit circle. */
function gridPath([s, t]: readonly [number, number], spacing: number): string {
  let out = '';
  const write = (x: number): string => String(Math.round(1e4 * x) / 1e4);
  for (const [axis, offset] of [s, t].entries()) {
    for (let k = Math.ceil((-1 - offset) / spacing); offset + k * spacing < 1; k++) {
      const [at, half] = [write(offset + k * spacing), Math.sqrt(Math.max(0, 1 - (offset + k * spacing) ** 2))];
      const [from, to] = [write(-half), write(half)];
      out += axis === 0 ? `M${at} ${from}V${to}` : `M${from} ${at}H${to}`;
    }
  }
  return out;
}

/** What reaches the border of the frame fades there: it goes on, and the page does not. */
function fadeOut(parts: readonly string[], [x, y, width, height]: PageBox): string[] {
  const size = (s: number, along: number): string => num(s / along);
  const stops = (along: number): string =>
    [
      ['0', '0'],
      [size(28, along), '1'],
      [num(1 - 28 / along), '1'],
      ['1', '0'],
    ]
      .map(([at, opacity]) => `<stop offset="${at}" stop-color="#fff" stop-opacity="${opacity}"/>`)
      .join('');
  // several pictures on a page share ids, so an id has the same content in all pictures of one size
  const id = `fade${Math.round(height)}`;
  const rect = `x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}"`;
  const masks = (['x', 'y'] as const).map((axis) => {
    const way = axis === 'x' ? '' : ' x2="0" y2="1"';
    return `<linearGradient id="${id}${axis}g"${way}>${stops(axis === 'x' ? width : height)}</linearGradient><mask id="${id}${axis}" maskUnits="userSpaceOnUse" ${rect}><rect ${rect} fill="url(#${id}${axis}g)"/></mask>`;
  });
  return [...masks, `<g mask="url(#${id}x)"><g mask="url(#${id}y)">`, ...parts, '</g></g>'];
}
