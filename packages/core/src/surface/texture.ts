/** A picture on a surface: its colours at texture coordinates, as maps for growing hair. */
import { SceneError } from '../errors.ts';
import type { Surface } from './surface.ts';

/** A picture whose pixels are data: its numbers are used as they are, without a colour space. */
export interface Texture {
  /** Pixels per row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Red, green and blue from 0 to 255, 3 per pixel, row by row from the top. */
  readonly color: Uint8Array;
}

/** The surface with a texture in place of its vertex colours. Throws SceneError if it has no texture coordinates. */
export function paintSurface(surface: Surface, texture: Texture): Surface {
  const { width, height, color } = texture;
  if (!(width > 0 && height > 0 && color.length === 3 * width * height))
    throw new SceneError(['texture'], `expected 3 × ${width} × ${height} numbers, got ${color.length}`);
  if (!surface.uv)
    throw new SceneError(
      ['texture'],
      'the mesh has no texture coordinates, so that a texture has no place on it: unwrap the mesh (Blender: UV, Smart UV Project) and export it with UVs, or use vertex colours or a formula of x, y, z',
    );
  return { ...surface, texture };
}

/**
 * Writes red, green and blue, 0 to 1, at texture coordinates (0, 0: bottom left), linear between the pixels. The picture repeats, but its
 * edges do not blend with the opposite ones: a map is painted up to its edge.
 */
export function sampleTexture(out: Float64Array, o: number, texture: Texture, u: number, v: number): void {
  const { width, height, color } = texture;
  const [x, y] = [repeat(u) * width - 0.5, (1 - repeat(v)) * height - 0.5];
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [s, t] = [x - column, y - row];
  const within = (k: number, count: number): number => Math.min(count - 1, Math.max(0, k));
  const [c0, c1] = [within(column, width), within(column + 1, width)];
  const [r0, r1] = [within(row, height), within(row + 1, height)];
  for (let k = 0; k < 3; k++) {
    const at = (r: number, c: number): number => color[3 * (width * r + c) + k];
    const above = at(r0, c0) + s * (at(r0, c1) - at(r0, c0));
    const below = at(r1, c0) + s * (at(r1, c1) - at(r1, c0));
    out[o + k] = (above + t * (below - above)) / 255;
  }
}

/** From 0 to 1, both included. */
const repeat = (x: number): number => (x >= 0 && x <= 1 ? x : x - Math.floor(x));
