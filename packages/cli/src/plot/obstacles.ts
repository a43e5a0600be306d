/**
 * Obstacles as pale solids behind the rods: faces from far to near, shaded by how they face the light. What lies behind one is drawn
 * over it all the same, as on a drawing of glass: rods are what the picture is about.
 */
import { mix } from './color.ts';
import { num } from './svg.ts';

export interface PictureObstacle {
  /** Corners in world axes [m], 3 each, and three of them a face. */
  readonly position: ArrayLike<number>;
  readonly triangle: ArrayLike<number>;
}

/** A ground, or a wall: it goes on beyond the page, and must not decide its scale. */
const isFlat = ({ triangle }: PictureObstacle): boolean => triangle.length <= 6;

const extent = (clouds: readonly ArrayLike<number>[]): number => {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const points of clouds) {
    for (let i = 0; i < points.length; i++) {
      low[i % 3] = Math.min(low[i % 3], points[i]);
      high[i % 3] = Math.max(high[i % 3], points[i]);
    }
  }
  return Math.hypot(...low.map((x, k) => Math.max(0, high[k] - x)));
};

/** Points that the page needs room for: of obstacles that are not far larger than what moves. */
export function roomForObstacles(
  obstacles: readonly PictureObstacle[],
  swept: readonly ArrayLike<number>[],
): ArrayLike<number>[] {
  const size = extent(swept);
  return obstacles.filter((one) => !isFlat(one) && extent([one.position]) <= 2 * size).map(({ position }) => position);
}

const ground = '#f4f5f6';

/** Towards the light: right, up, and towards the reader. */
const light = [-0.35, 0.75, 0.56];

/**
 * `place` gives pixels and depth towards the reader [m], `scale` is pixels a metre, `frame` the part of the page to draw in: left,
 * top, width, height.
 */
export function drawObstacles(
  obstacles: readonly PictureObstacle[],
  place: (points: ArrayLike<number>) => Float64Array,
  scale: number,
  frame: readonly [number, number, number, number],
): string[] {
  const faces: { depth: number; path: string; color: string }[] = [];
  for (const one of obstacles) {
    const points = place(one.position);
    for (let i = 2; i < points.length; i += 3) points[i] *= scale;
    const both = isFlat(one);
    for (let f = 0; f + 2 < one.triangle.length; f += 3) {
      const [a, b, c] = [3 * one.triangle[f], 3 * one.triangle[f + 1], 3 * one.triangle[f + 2]];
      const edge = (to: number, k: number): number => points[to + k] - points[a + k];
      // y runs down the page: of right-handed faces that look at the reader, this is negative
      const nz = edge(b, 0) * edge(c, 1) - edge(b, 1) * edge(c, 0);
      if (!(nz < 0) && !both) continue;
      const nx = edge(b, 1) * edge(c, 2) - edge(b, 2) * edge(c, 1);
      const ny = edge(b, 2) * edge(c, 0) - edge(b, 0) * edge(c, 2);
      const size = Math.hypot(nx, ny, nz) || 1;
      const lit = Math.max(0, (-light[0] * nx + light[1] * ny - light[2] * nz) / size);
      faces.push({
        depth: both ? -Infinity : (points[a + 2] + points[b + 2] + points[c + 2]) / 3,
        path: `M${num(points[a])} ${num(points[a + 1])}L${num(points[b])} ${num(points[b + 1])}L${num(points[c])} ${num(points[c + 1])}Z`,
        // few shades, so that neighbours share a path
        color: both ? ground : mix('#aab3bd', '#eef0f3', Math.round(24 * lit) / 24),
      });
    }
  }
  faces.sort((p, q) => p.depth - q.depth);
  const out: string[] = [];
  for (let k = 0; k < faces.length; ) {
    const { color } = faces[k];
    let path = '';
    while (k < faces.length && faces[k].color === color) path += faces[k++].path;
    // the outline closes the seams between faces, and shows a ground that is seen edge on
    const stroke = color === ground ? '#d3d8dd' : color;
    out.push(`<path d="${path}" fill="${color}" stroke="${stroke}" stroke-width="0.8" stroke-linejoin="round"/>`);
  }
  if (out.length === 0) return [];
  const [x, y, width, height] = frame;
  const clip = `<clipPath id="stage"><rect x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}"/></clipPath>`;
  return [clip, '<g clip-path="url(#stage)">', ...out, '</g>'];
}
