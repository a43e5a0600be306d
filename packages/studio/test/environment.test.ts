/** The light around a scene, as a cube map with a level per roughness. */
import { DataUtils } from 'three';
import { expect, it } from 'vitest';
import { createEnvironment } from '../src/view/environment.ts';

const faces = createEnvironment().image as unknown as readonly {
  readonly mipmaps: readonly { readonly data: Uint16Array; readonly width: number }[];
}[];

/** Mean light over some faces, by the solid angle of texels; `weight` by the place on a face, −1…1. */
function mean(level: number, of: readonly number[], weight = (_s: number, _t: number): number => 1): number {
  let [sum, total] = [0, 0];
  for (const face of of) {
    const { data, width } = faces[face].mipmaps[level];
    for (let k = 0; k < width * width; k++) {
      const s = (2 * (k % width) + 1) / width - 1;
      const t = (2 * Math.floor(k / width) + 1) / width - 1;
      const w = weight(s, t) * (1 + s * s + t * t) ** -1.5;
      sum += w * DataUtils.fromHalfFloat(data[4 * k + 1]);
      total += w;
    }
  }
  return sum / total;
}

it('has as much light in every level, and more from above', () => {
  const all = [0, 1, 2, 3, 4, 5];
  for (const level of [1, 2, 3]) expect(mean(level, all) / mean(0, all)).toBeCloseTo(1, 1.5);
  for (const level of [0, 1, 2, 3]) expect(mean(level, [4])).toBeGreaterThan(1.5 * mean(level, [5]));
});

it('blurs more the rougher a surface is', () => {
  const spread = [0, 1, 2, 3].map((level) => {
    const light = faces.flatMap(
      ({
        mipmaps: {
          [level]: { data },
        },
      }) => Array.from({ length: data.length / 4 }, (_, k) => DataUtils.fromHalfFloat(data[4 * k + 1])),
    );
    return Math.max(...light) - Math.min(...light);
  });
  for (const level of [1, 2, 3]) expect(spread[level]).toBeLessThan(spread[level - 1]);
});

it('joins at the edges of faces', () => {
  // the last level is smooth: the upper rows of the four sides are as bright as the edge of the upper face, within a texel
  const near = (face: number): number => mean(3, [face], (_, t) => (t < -0.7 ? 1 : 0));
  const top = mean(3, [4], (_, t) => (t < -0.7 ? 1 : 0));
  // GL: the upper rows (t = −1) of the face +z meet the face +y
  const side = mean(3, [2], (_, t) => (t > 0.7 ? 1 : 0));
  expect(side / top).toBeCloseTo(1, 1);
  expect(near(2)).toBeLessThan(side);
});
