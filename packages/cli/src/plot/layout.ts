/** Layout of a picture: scale, height, and the map from the world to pixels. */
import { hueCount } from './color.ts';
import type { PictureRod } from './picture.ts';
import { project, type View } from './view.ts';

/** Of the page and its margins [px]. */
export const widthPage = 860;
export const top = 66;
export const bottom = 84;
export const side = 44;

export interface Page {
  readonly height: number;
  /** Pixels per metre. */
  readonly scale: number;
  /** Area of the drawing, in square pixels. */
  readonly area: number;
  /** World → pixels, right and down, and depth towards the reader, in pixels too. */
  place(points: ArrayLike<number>): Float64Array;
  widthOf(radius: number): number;
  /** Rods are drawn at least this wide [px]. */
  readonly least: number;
}

export function layOut(view: View, swept: readonly ArrayLike<number>[], rods: readonly PictureRod[]): Page {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const points of swept) {
    const flat = project(view, points);
    for (let i = 0; i < flat.length; i += 3) {
      left = Math.min(left, flat[i]);
      right = Math.max(right, flat[i]);
      low = Math.min(low, flat[i + 1]);
      high = Math.max(high, flat[i + 1]);
    }
  }
  if (!(right >= left)) [left, right, low, high] = [0, 1, 0, 1];
  const room = widthPage - 2 * side - 24;
  const roomHigh = 560;
  const extent = Math.max(right - left, high - low, 1e-12);
  const thickest = Math.max(0, ...rods.map(halfWidthOf));
  const scale = Math.min(
    room / Math.max(right - left + 2 * thickest, extent * 1e-3),
    roomHigh / Math.max(high - low + 2 * thickest, extent * 1e-3),
  );
  const drawnHeight = Math.max(90, (high - low + 2 * thickest) * scale);
  const height = Math.round(top + drawnHeight + 40 + bottom);
  const centerX = (left + right) / 2;
  const centerY = (low + high) / 2;
  const middleY = top + 20 + drawnHeight / 2;
  // Thin things are drawn thicker than they are, or nobody would see them; crowds less so.
  const least = rods.length <= hueCount ? 3.6 : rods.length <= 60 ? 2.2 : rods.length <= 400 ? 1.4 : 0.9;
  return {
    height,
    scale,
    area: Math.max(1, (right - left) * scale) * drawnHeight,
    place(points) {
      const out = project(view, points);
      for (let i = 0; i < out.length; i += 3) {
        out[i] = widthPage / 2 + (out[i] - centerX) * scale;
        out[i + 1] = middleY - (out[i + 1] - centerY) * scale;
        out[i + 2] *= scale;
      }
      return out;
    },
    least,
    widthOf: (radius) => Math.max(least, 2 * radius * scale),
  };
}

/** The farthest that a section reaches from its middle [m]. */
function halfWidthOf({ radius, section }: PictureRod): number {
  return section ? Math.max(maximum(section.edgeHalfWidth), maximum(section.edgeHalfHeight)) : maximum(radius);
}

export function maximum(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]);
  return most;
}
