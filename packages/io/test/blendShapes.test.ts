/** Animations as blend shapes: how many they need, and that they move as the keys did. */
import { createVertexMotion } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { findBlendShapes } from '../src/blendShapes.ts';
import { deformOf, triplesOf } from '../src/skin.ts';

describe('blend shapes of an animation', () => {
  /** Two joints: a rotation of part of the vertices, with a smooth border, over 200 frames. */
  const count = 60;
  const rest = Float64Array.from({ length: 3 * count }, (_, k) => Math.sin(7 * k) + 0.3 * (k % 3));
  const turned = (angle: number): Float64Array =>
    Float64Array.from({ length: 3 * count }, (_, k) => {
      const [v, axis] = [Math.floor(k / 3), k % 3];
      const [x, y] = [rest[3 * v], rest[3 * v + 1]];
      const to = [
        x * Math.cos(angle) - y * Math.sin(angle),
        x * Math.sin(angle) + y * Math.cos(angle),
        rest[3 * v + 2],
      ];
      return rest[k] + (v / count) * (to[axis] - rest[k]);
    });
  const frames = Array.from({ length: 200 }, (_, k) => ({
    time: 0.01 * k,
    position: turned(Math.sin(0.05 * k) + 1e-3 * k),
  }));

  it('are as few as the skin has ways to move, and give every frame', () => {
    const found = findBlendShapes(rest, frames, 1e-7, 10);
    expect(found?.shapes).toHaveLength(2);
    frames.forEach(({ position }, f) => {
      const error = position.reduce((most, x, k) => {
        const sum = found?.shapes.reduce((at, shape, s) => at + found.weights[f][s] * shape[k], rest[k]) ?? Number.NaN;
        return Math.max(most, Math.abs(sum - x));
      }, 0);
      expect(error, `frame ${f}`).toBeLessThan(1e-7);
    });
    expect(findBlendShapes(rest, frames, 1e-7, 1)).toBeUndefined();
  });

  it('replace keys in a scene where they are smaller, with the same vertices at all times', () => {
    const mesh = { position: rest, triangle: Uint32Array.of(0, 1, 2) };
    const skin = { mesh, frames, name: 'turn', source: 'test', warnings: [] };
    const vertices = triplesOf(rest);
    const { blend, deform, interpolation } = deformOf(skin);
    expect(deform).toBeUndefined();
    expect(blend?.shapes).toHaveLength(2);
    const blended = createVertexMotion({ blend, interpolation, vertices });
    const keyed = createVertexMotion({
      deform: frames.map(({ time, position }) => ({ time, vertices: triplesOf(position) })),
      interpolation,
      vertices,
    });
    for (const t of [0, 0.0123, 0.777, 1.986, 3]) {
      const wanted = keyed?.(t) ?? [];
      expect(Math.max(...(blended?.(t) ?? []).map((x, k) => Math.abs(x - wanted[k]))), `at ${t} s`).toBeLessThan(5e-7);
    }
    // four keys need more shapes than they save
    expect(deformOf({ ...skin, frames: frames.slice(0, 4) }).deform).toHaveLength(4);
  });
});
