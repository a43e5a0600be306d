/** Hair by texture: pictures on the texture coordinates of a mesh. */
import { describe, expect, it } from 'vitest';
import { growHairstyle } from '../../src/groom/grow.ts';
import { placeRoots } from '../../src/groom/roots.ts';
import { compileSurfaceMap } from '../../src/groom/surfaceMap.ts';
import { createSurface, type Surface } from '../../src/surface/surface.ts';
import { paintSurface, sampleTexture, type Texture } from '../../src/surface/texture.ts';

/** A square of side 0.1 m of two triangles without common vertices, one of them turned; texture coordinates (x, y)/0.1. */
function sheet(): Surface {
  const position = [0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0, 0, 0, 0, 0.1, 0.1, 0, 0, 0.1, 0];
  // the area of the turned triangle is the same, and the first decides
  const triangle = [0, 1, 2, 3, 5, 4];
  const uv = triangle.flatMap((vertex) => [position[3 * vertex] / 0.1, position[3 * vertex + 1] / 0.1]);
  return createSurface({ position, triangle, uv });
}

/** White within a disc about (0.3, 0.7) with radius 0.2, black elsewhere, red growing with u. */
function disc(size: number): Texture {
  const color = new Uint8Array(3 * size * size);
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const [u, v] = [(column + 0.5) / size, 1 - (row + 0.5) / size];
      const o = 3 * (size * row + column);
      color[o] = Math.round(255 * u);
      if (Math.hypot(u - 0.3, v - 0.7) < 0.2) color[o + 1] = 255;
    }
  return { width: size, height: size, color };
}

describe('textures', () => {
  it('are sampled linearly and repeat', () => {
    const texture = { width: 2, height: 1, color: Uint8Array.of(0, 0, 255, 255, 0, 0) };
    const out = new Float64Array(3);
    for (const [u, expected] of [
      [0.25, [0, 0, 1]],
      [0.75, [1, 0, 0]],
      [0.5, [0.5, 0, 0.5]],
      [0.1, [0, 0, 1]],
      [1, [1, 0, 0]],
      [1.25, [0, 0, 1]],
      [-0.25, [1, 0, 0]],
    ] as const) {
      sampleTexture(out, 0, texture, u, 0.3);
      expect([...out]).toEqual(expected);
    }
  });

  it('grow hair as finely as their pixels, with lengths of their own, on a mesh of two triangles', () => {
    const surface = paintSurface(sheet(), disc(256));
    expect(surface.report).toMatchObject({ merged: 2, flipped: 1 });
    const { style } = growHairstyle(surface, {
      guides: { count: 60, spread: true, density: compileSurfaceMap('g', 'density') },
      length: compileSurfaceMap('0.01 + 0.1*r', 'length'),
      hairs: { count: 4000, density: compileSurfaceMap('g', 'density') },
      settle: false,
    });
    const { hairRoots, guideRoots } = style;
    const uv = hairRoots?.uv ?? new Float64Array(0);
    let moment = 0;
    for (let h = 0; h < 4000; h++) {
      const [u, v] = [uv[2 * h], uv[2 * h + 1]];
      expect(hairRoots?.position[3 * h]).toBeCloseTo(0.1 * u, 12);
      expect(hairRoots?.position[3 * h + 1]).toBeCloseTo(0.1 * v, 12);
      const r = Math.hypot(u - 0.3, v - 0.7);
      // a pixel beyond the disc the interpolation ends
      expect(r).toBeLessThan(0.2 + 1.5 / 256);
      moment += (r * r) / 4000;
    }
    // evenly over the disc: the mean square of the radius is half of its square
    expect(moment / (0.5 * 0.2 * 0.2)).toBeGreaterThan(0.96);
    expect(moment / (0.5 * 0.2 * 0.2)).toBeLessThan(1.06);
    style.length.forEach((length, g) => {
      expect(length).toBeCloseTo(0.01 + guideRoots.position[3 * g], 3);
    });
  });

  it('reject what has no place', () => {
    const bare = createSurface({ position: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangle: [0, 1, 2] });
    expect(() => paintSurface(bare, disc(4))).toThrow('the mesh has no texture coordinates');
    expect(() => placeRoots(bare, { count: 3, density: compileSurfaceMap('u > 0.5', 'density') })).toThrow(
      'u and v are texture coordinates, which this mesh does not have',
    );
    const black = { width: 1, height: 1, color: new Uint8Array(3) };
    const density = compileSurfaceMap('g', 'density');
    expect(() => placeRoots(paintSurface(sheet(), black), { count: 3, density })).toThrow('0 everywhere on the mesh');
    expect(() => createSurface({ position: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangle: [0, 1, 2], uv: [0, 0] })).toThrow(
      'there are 3 corners and 1 texture coordinates',
    );
    // formulas that have a u in a name need none
    expect(compileSurfaceMap('nz', 'density')({ position: [0, 0, 0], normal: [0, 0, 1], color: [0, 0, 0] })).toBe(1);
  });
});
