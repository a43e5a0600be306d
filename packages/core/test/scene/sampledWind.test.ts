/** Wind on a grid: interpolation against closed forms, runs against uniform wind, and what is rejected. */
import { describe, expect, it } from 'vitest';
import { createWind } from '../../src/fields/wind.ts';
import type { FieldSpec, ModelId, SampledWindSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld, type World } from '../../src/world/world.ts';
import { expectSceneError, rodSpec, sceneOf } from './support.ts';

const origin: Vec3 = [-1, 0.5, 2];
const spacing: Vec3 = [0.5, 0.25, 0.2];
const count: Vec3 = [5, 4, 6];

type Velocity = (x: number, y: number, z: number, t: number) => Vec3;

function sample(
  velocity: Velocity,
  times: readonly number[] = [0],
  change: Partial<SampledWindSpec> = {},
): SampledWindSpec {
  const grid = { origin, spacing, count, outside: 'nearest' as const, ...change };
  const [hx, hy, hz] = typeof grid.spacing === 'number' ? [grid.spacing, grid.spacing, grid.spacing] : grid.spacing;
  const values: number[] = [];
  for (const t of times)
    for (let k = 0; k < grid.count[2]; k++)
      for (let j = 0; j < grid.count[1]; j++)
        for (let i = 0; i < grid.count[0]; i++)
          values.push(...velocity(grid.origin[0] + i * hx, grid.origin[1] + j * hy, grid.origin[2] + k * hz, t));
  return { ...grid, values, ...(times.length > 1 && { times }) };
}

function read(grid: SampledWindSpec): (x: number, y: number, z: number, t?: number) => number[] {
  const wind = createWind({ grid });
  const out = new Float64Array(3);
  return (x, y, z, t = 0) => {
    wind(out, x, y, z, t);
    return [...out];
  };
}

const near = (found: readonly number[], wanted: readonly number[], tolerance: number): void =>
  found.forEach((value, k) => {
    expect(Math.abs(value - wanted[k])).toBeLessThanOrEqual(tolerance);
  });

/** Places inside the grid, irregular. */
const places = Array.from(
  { length: 40 },
  (_, i): Vec3 => [
    origin[0] + 2 * ((i * 0.617) % 1),
    origin[1] + 0.75 * ((i * 0.377) % 1),
    origin[2] + 1 * ((i * 0.819) % 1),
  ],
);

describe('interpolation', () => {
  it('reproduces shear, and whatever is linear in each coordinate, to rounding', () => {
    const flow: Velocity = (x, y, z) => [3 * z - x * y, x * y * z, 2 - 5 * y + x];
    const at = read(sample(flow));
    for (const [x, y, z] of places) near(at(x, y, z), flow(x, y, z, 0), 1e-14 * 20);
  });

  it('returns the samples themselves at the grid points', () => {
    const flow: Velocity = (x, y, z) => [Math.sin(9 * x), Math.cos(7 * y * z), Math.exp(z - x)];
    const grid = sample(flow);
    const values = grid.values as readonly number[];
    expect(read({ ...grid, origin: [0, 0, 0], spacing: 1 })(3, 2, 4)).toEqual(
      values.slice(3 * (3 + 5 * (2 + 4 * 4))).slice(0, 3),
    );
  });

  it('is of second order in the spacing and in the time between frames', () => {
    const flow: Velocity = (x, y, z, t) => [Math.sin(2 * x + y), Math.cos(3 * y - z), Math.sin(x * z + 2 * t)];
    const errorOf = (refined: number, interpolation: 'linear' | 'smooth'): number => {
      const grid = sample(
        flow,
        Array.from({ length: 8 * refined + 1 }, (_, k) => (0.4 * k) / refined),
        {
          spacing: spacing.map((h) => h / refined) as unknown as Vec3,
          count: count.map((n) => (n - 1) * refined + 1) as unknown as Vec3,
          interpolation,
        },
      );
      const at = read(grid);
      let worst = 0;
      for (const [i, [x, y, z]] of places.entries()) {
        const t = 0.8 + 1.6 * ((i * 0.29) % 1);
        at(x, y, z, t).forEach((v, k) => {
          worst = Math.max(worst, Math.abs(v - flow(x, y, z, t)[k]));
        });
      }
      return worst;
    };
    for (const interpolation of ['linear', 'smooth'] as const) {
      const order = Math.log2(errorOf(2, interpolation) / errorOf(4, interpolation));
      expect(order).toBeGreaterThan(1.7);
      expect(order).toBeLessThan(2.3);
    }
  });

  it('is linear between frames, and holds the first and last', () => {
    const at = read(sample((x, _y, _z, t) => [x * t, t, 1], [1, 2, 4]));
    near(at(0.3, 0.7, 2.1, 3.5), [0.3 * 3.5, 3.5, 1], 1e-14);
    expect(at(0.3, 0.7, 2.1, 0)).toEqual(at(0.3, 0.7, 2.1, 1));
    expect(at(0.3, 0.7, 2.1, 9)).toEqual(at(0.3, 0.7, 2.1, 4));
  });

  it('smooth: a parabola in time is exact between inner frames, and the rate never jumps', () => {
    const times = [0, 0.5, 1.25, 2, 2.4, 3];
    const at = read(sample((_x, _y, _z, t) => [1 + t - 2 * t * t, 0, 0], times, { interpolation: 'smooth' }));
    for (const t of [0.5, 0.8, 1.25, 1.7, 2.1]) near(at(0, 1, 2, t), [1 + t - 2 * t * t, 0, 0], 1e-13);
    const rate = (t: number, side: number): number =>
      (at(0, 1, 2, t + side * 1e-6)[0] - at(0, 1, 2, t)[0]) / (side * 1e-6);
    for (const t of times) expect(Math.abs(rate(t, 1) - rate(t, -1))).toBeLessThan(1e-3);
  });

  it('is constant along an axis with one point', () => {
    const at = read(sample((x) => [x, 0, 0], [0], { count: [5, 1, 1] }));
    expect(at(0.25, -70, 99)).toEqual(at(0.25, 0.5, 2));
    expect(at(0.25, 0, 0)[0]).toBe(0.25);
  });

  it('outside: the nearest point, or still air within one spacing, without a jump', () => {
    const flow: Velocity = (x, y, z) => [x, y, z];
    const nearest = read(sample(flow));
    near(nearest(5, 0.6, 2.5), [1, 0.6, 2.5], 1e-14);
    const still = read(sample(flow, [0], { outside: 'still' }));
    near(still(1, 0.6, 2.5), [1, 0.6, 2.5], 1e-14);
    near(still(1.25, 0.6, 2.5), [0.5, 0.3, 1.25], 1e-14);
    near(still(1.125, 1.25 + 0.125, 2.5), [0.75 * 0.5, 1.25 * 0.75 * 0.5, 2.5 * 0.75 * 0.5], 1e-14);
    expect(still(1.5, 0.6, 2.5)).toEqual([0, 0, 0]);
    expect(still(-90, 0.6, 2.5)).toEqual([0, 0, 0]);
  });

  it('reads packed numbers', () => {
    const values = sample((x, y, z) => [x, y, z]).values as readonly number[];
    const bytes = new Uint8Array(new Float64Array(values).buffer);
    const text = Buffer.from(bytes).toString('base64');
    const grid = sample((x, y, z) => [x, y, z]);
    expect(read({ ...grid, values: { float64: text } })(0.1, 0.9, 2.2)).toEqual(read(grid)(0.1, 0.9, 2.2));
  });
});

const drag = { linear: [0.05, 0.02], quadratic: { density: 1.2, normal: 1.1, tangential: 0.1 } } as const;

function sceneIn(model: ModelId, wind: Extract<FieldSpec, { type: 'air' }>['wind']): Scene {
  const scene = sceneOf(
    { model, section: { type: 'circle', radius: 2e-3 } },
    {
      gravity: [0, 0, -9.81],
      pins: [{ rod: 'a', at: 'start' }],
      fields: [{ type: 'air', wind, ...drag }],
      time: { duration: 0.2, step: 0.01 },
    },
  );
  return { ...scene, rods: [rodSpec({ model, edges: 4, material: { E: 5e6, nu: 0.3, density: 1000 } })] };
}

const run = (scene: Scene, steps: number): World => {
  const world = createWorld(scene);
  for (let k = 0; k < steps; k++) expect(world.step(0.01).energyGain).toBeUndefined();
  return world;
};

describe('a rod in it', () => {
  it.each(['der', 'helix', 'strand', 'fiber', 'cosserat', 'massspring'] as const)(
    '%s moves as in uniform wind, to the last bit',
    (model) => {
      const grid: SampledWindSpec = sample(() => [4, -1.7, 0.3], [0, 0.1], {
        origin: [-3, -3, -3],
        spacing: [2, 3, 1.5],
      });
      const sampled = run(sceneIn(model, { grid }), 4);
      // formulas in x are not uniform to the program, so the same code computes both
      const uniform = run(sceneIn(model, ['4 + 0*x', '-1.7', '0.3']), 4);
      expect([...sampled.samples[0].nodePosition]).toEqual([...uniform.samples[0].nodePosition]);
    },
  );

  it('feels the shear that a formula gives, and its work is counted', () => {
    const flow: Velocity = (_x, _y, z) => [6 * z + 8, 0, 0];
    const grid = sample(flow, [0], { origin: [-3, -3, -3], spacing: 3, count: [3, 3, 3] });
    const sampled = run(sceneIn('der', { grid }), 40);
    const formula = run(sceneIn('der', ['6*z + 8', '0', '0']), 40);
    sampled.samples[0].nodePosition.forEach((x, k) => {
      expect(Math.abs(x - formula.samples[0].nodePosition[k])).toBeLessThan(1e-9);
    });
    // blown by more than it would fall
    expect(sampled.samples[0].nodePosition.at(-1)).toBeGreaterThan(-1.9);
  });
});

describe('what is rejected', () => {
  const grid = sample(() => [1, 0, 0]);
  const at =
    (change: object): (() => unknown) =>
    () =>
      createWorld(sceneIn('der', { grid: { ...grid, ...change } as SampledWindSpec }));
  const path = ['fields', 0, 'wind', 'grid'];

  it('says what is wrong, and where', () => {
    const values = grid.values as readonly number[];
    expectSceneError(
      at({ values: values.slice(1) }),
      [...path, 'values'],
      /there are 359 numbers; 5 × 4 × 6 points need 360 per frame/,
    );
    expectSceneError(
      at({ values: [...values, ...values] }),
      [...path, 'times'],
      /the values are 2 frames; give the time of each/,
    );
    expectSceneError(at({ times: [0, 1] }), [...path, 'times'], /there are 2 times for 1 frames/);
    expectSceneError(
      at({ values: [...values, ...values], times: [1, 1] }),
      [...path, 'times'],
      /frame 1 is at 1 s, not after/,
    );
    expectSceneError(at({ times: { every: 0 } }), [...path, 'times', 'every'], /must be positive/);
    expectSceneError(at({ count: [5, 0, 6] }), [...path, 'count'], /along y there are 0 points/);
    expectSceneError(at({ count: [5e3, 5e3, 6] }), [...path, 'count'], /33554432 are allowed/);
    expectSceneError(at({ spacing: -1 }), [...path, 'spacing'], /must be positive/);
    expectSceneError(at({ outside: undefined }), [...path, 'outside'], /give 'still' or 'nearest'/);
    expectSceneError(at({ values: { float32: 'a*b' } }), [...path, 'values', 'float32'], /not base64/);
    const spoilt = new Float32Array(360);
    spoilt[3 * (2 + 5 * (1 + 4 * 3)) + 1] = Number.NaN;
    const packed = Buffer.from(new Uint8Array(spoilt.buffer)).toString('base64');
    expectSceneError(
      at({ values: { float32: packed } }),
      [...path, 'values'],
      /component y at point \[2, 1, 3\] of frame 0 is NaN/,
    );
  });
});
