import { describe, expect, it } from 'vitest';
import type { Vector } from '../../src/curve/vector.ts';
import { add, cross, distance, dot, norm, normalize, scale, subtract, vectorOf } from '../../src/curve/vector.ts';
import { createWind } from '../../src/fields/wind.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { TurbulenceSpec, VortexSpec, WindSpec } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/world.ts';
import { expectSceneError, sceneOf } from './support.ts';

type Field = (place: Vector, t?: number) => Vector;
function fieldOf(spec: WindSpec): Field {
  const wind = createWind(spec);
  const out = new Float64Array(3);
  return ([x, y, z], t = 0) => {
    wind(out, x, y, z, t);
    return [out[0], out[1], out[2]];
  };
}

/** Places without order in a cube of that side: additive recurrence, evenly spread. */
const places = (count: number, side: number): Vector[] =>
  Array.from({ length: count }, (_, i) => {
    const at = (step: number): number => side * (((i + 1) * step) % 1);
    return [at(0.8191725133961645), at(0.6710436067037893), at(0.5497004779019703)];
  });

/** J[a][b] = ∂v_b/∂x_a by central differences of fourth order. */
function gradient(field: Field, place: Vector, h: number, t = 0): Vector[] {
  return [0, 1, 2].map((axis) => {
    const at = (step: number): Vector =>
      field(
        vectorOf((k) => (k === axis ? place[k] + step * h : place[k])),
        t,
      );
    const [a, b, c, d] = [at(-2), at(-1), at(1), at(2)];
    return vectorOf((k) => (a[k] - 8 * b[k] + 8 * c[k] - d[k]) / (12 * h));
  });
}
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const still: Vector = [0, 0, 0];

describe('mean and gust', () => {
  it('is still by default, and the mean alone is uniform', () => {
    expect(fieldOf({})([1, 2, 3], 4)).toEqual([0, 0, 0]);
    expect(fieldOf({ mean: [1, -2, 3] })([1, 2, 3], 4)).toEqual([1, -2, 3]);
  });

  it('a gust starts at the mean, stays within its amplitude, comes near it, and has no period', () => {
    const field = fieldOf({ mean: [2, 0, -4], gust: { amplitude: 0.5, period: 3 } });
    expect(field(still)).toEqual([2, 0, -4]);
    const factors = Array.from({ length: 40000 }, (_, k) => field(still, 0.05 * k)[0] / 2);
    expect(Math.max(...factors)).toBeLessThanOrEqual(1.5);
    expect(Math.min(...factors)).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...factors)).toBeGreaterThan(1.45);
    expect(Math.min(...factors)).toBeLessThan(0.55);
    expect(meanOf(factors)).toBeCloseTo(1, 2);
    const repeats = [1, 2, 3, 4].map((n) =>
      Math.max(...factors.slice(0, 1000).map((value, k) => Math.abs(factors[k + 60 * n] - value))),
    );
    for (const difference of repeats) expect(difference).toBeGreaterThan(0.1);
    // all components alike
    const [x, , z] = field([5, 6, 7], 1.3);
    expect(z / x).toBeCloseTo(-2, 14);
  });

  it('is smooth: value and rate change little in a little time', () => {
    const field = fieldOf({ mean: [1, 0, 0], gust: { amplitude: 1, period: 2 } });
    const rate = (t: number): number => (field(still, t + 1e-4)[0] - field(still, t - 1e-4)[0]) / 2e-4;
    // bounds: Σ w·ω and Σ w·ω²
    for (let t = 0; t < 50; t += 0.01) {
      expect(Math.abs(rate(t))).toBeLessThan(1.47 * Math.PI);
      expect(Math.abs(rate(t + 0.01) - rate(t))).toBeLessThan(0.01 * 2.46 * Math.PI ** 2);
    }
  });
});

describe('vortex', () => {
  const axis: Vector = [1, -2, 2];
  const vortex: VortexSpec = { center: [0.3, -0.1, 0.2], axis, circulation: 1.7, core: 0.05 };
  const unit = normalize(axis);
  const e1 = normalize(cross(unit, [1, 0, 0]));
  const e2 = cross(unit, e1);
  const around = (radius: number, angle: number, along = 0): Vector =>
    vectorOf((k) => vortex.center[k] + along * unit[k] + radius * (Math.cos(angle) * e1[k] + Math.sin(angle) * e2[k]));

  it('has its circulation on every loop outside the core, none on loops beside it', () => {
    const field = fieldOf({ vortices: [vortex] });
    const circulation = (centre: number, radius: number): number => {
      const n = 400;
      let sum = 0;
      for (let k = 0; k < n; k++) {
        const angle = (2 * Math.PI * k) / n;
        const middle = around(centre, 0);
        const place = add(around(radius, angle, 0.1 * Math.sin(angle)), subtract(middle, vortex.center));
        const tangent = vectorOf(
          (i) => radius * (Math.cos(angle) * e2[i] - Math.sin(angle) * e1[i]) + 0.1 * Math.cos(angle) * unit[i],
        );
        sum += (dot(field(place), tangent) * 2 * Math.PI) / n;
      }
      return sum;
    };
    for (const radius of [0.25, 0.5, 3]) expect(Math.abs(circulation(0, radius) / 1.7 - 1)).toBeLessThan(1e-6);
    expect(Math.abs(circulation(0.1, 0.5) / 1.7 - 1)).toBeLessThan(1e-6);
    expect(Math.abs(circulation(1, 0.4))).toBeLessThan(1e-6);
  });

  it('turns like a solid inside the core and is at rest on the axis', () => {
    const field = fieldOf({ vortices: [vortex] });
    const rate = 1.7 / (2 * Math.PI * 0.05 ** 2);
    expect(field(vortex.center)).toEqual([0, 0, 0]);
    for (const radius of [1e-12, 1e-6, 5e-4]) {
      const velocity = field(around(radius, 1, 0.4));
      const solid = scale(cross(unit, subtract(around(1, 1), vortex.center)), rate * radius);
      // less by r²/2core²; the place itself has about 1e-16 of rounding
      expect(distance(velocity, solid)).toBeLessThan(rate * radius * 1e-4 + rate * 1e-15);
    }
    const speed = norm(field(around(0.05, 2)));
    expect(speed).toBeCloseTo((1.7 / (2 * Math.PI * 0.05)) * (1 - Math.exp(-1)), 12);
  });

  it('does not depend on the length of its axis, moves with its velocity, and turns back for a negative Γ', () => {
    const place = around(0.07, 0.4);
    const velocity = fieldOf({ vortices: [vortex] })(place);
    expect(distance(fieldOf({ vortices: [{ ...vortex, axis: scale(axis, 9) }] })(place), velocity)).toBeLessThan(1e-14);
    const moving = fieldOf({ vortices: [{ ...vortex, velocity: [1, 2, -3] }] });
    const moved: Vector = [place[0] + 0.5, place[1] + 1, place[2] - 1.5];
    expect(distance(moving(moved, 0.5), velocity)).toBeLessThan(1e-13);
    const back = fieldOf({ vortices: [{ ...vortex, circulation: -1.7 }] })(place);
    expect(distance(back, scale(velocity, -1))).toBe(0);
  });
});

describe('turbulence', () => {
  const turbulence: TurbulenceSpec = { intensity: 1.5, length: 0.4 };

  it.each([1, 3, 6])('has no divergence, but a curl, with %i octaves', (octaves) => {
    const field = fieldOf({ turbulence: { ...turbulence, octaves }, mean: [3, 0, 0] });
    const smallest = turbulence.length / 2 ** octaves;
    for (const place of places(50, 2)) {
      const g = gradient(field, place, 3e-3 * smallest, 0.7);
      const size = Math.sqrt(g.reduce((sum, row) => sum + dot(row, row), 0));
      const curl: Vector = [g[1][2] - g[2][1], g[2][0] - g[0][2], g[0][1] - g[1][0]];
      expect(Math.abs(g[0][0] + g[1][1] + g[2][2])).toBeLessThan(1e-6 * size);
      expect(norm(curl)).toBeGreaterThan(0.05 * size);
    }
  });

  it.each([
    [1, 0],
    [3, 0],
    [3, 1],
    [6, 12345],
  ])('has the rms speed asked for, no mean, and shares it among the axes (octaves %i, seed %i)', (octaves, seed) => {
    const field = fieldOf({ turbulence: { ...turbulence, octaves, seed } });
    const rms = (values: readonly Vector[]): number => Math.sqrt(meanOf(values.map((v) => dot(v, v))));
    const values = places(20000, 40).map((place) => field(place, 0.3));
    expect(Math.abs(rms(values) / 1.5 - 1)).toBeLessThan(0.05);
    // in time at one place too
    const inTime = Array.from({ length: 20000 }, (_, k) => field([0.1, 0.2, 0.3], 0.037 * k));
    expect(Math.abs(rms(inTime) / 1.5 - 1)).toBeLessThan(0.05);
    for (let k = 0; k < 3; k++) {
      expect(Math.abs(meanOf(values.map((v) => v[k])))).toBeLessThan(0.05);
      const share = meanOf(values.map((v) => v[k] ** 2)) / 1.5 ** 2;
      expect(share).toBeGreaterThan(0.15);
      expect(share).toBeLessThan(0.55);
    }
  });

  it('is the same for the same seed, another for another', () => {
    const at = (seed?: number): Vector[] =>
      places(20, 1).map((place) => fieldOf({ turbulence: { ...turbulence, seed } })(place, 0.1));
    expect(at(5)).toEqual(at(5));
    expect(at()).toEqual(at(0));
    for (const other of [1, 2, 5, 2 ** 32 - 1]) {
      const apart = meanOf(at(other).map((v, k) => distance(v, at(0)[k])));
      expect(apart).toBeGreaterThan(0.5);
    }
  });

  it('is carried by the mean wind, gusts included', () => {
    const time = 1e9;
    const mean: Vector = [3, -1, 2];
    const frozen = fieldOf({ turbulence: { ...turbulence, time } });
    const gust = { amplitude: 0.8, period: 0.9 };
    const field = fieldOf({ turbulence: { ...turbulence, time }, mean, gust });
    const wind = fieldOf({ mean, gust });
    // Simpson's rule for the way of the mean wind
    const t = 1.3;
    const n = 400;
    const gone = [0, 0, 0];
    for (let i = 0; i <= n; i++) {
      const weight = ((i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2) * t) / (3 * n);
      wind(still, (t * i) / n).forEach((v, k) => {
        gone[k] += weight * v;
      });
    }
    for (const place of places(10, 1)) {
      const moved: Vector = [place[0] + gone[0], place[1] + gone[1], place[2] + gone[2]];
      const expected = add(frozen(place), wind(still, t));
      expect(distance(field(moved, t), expected)).toBeLessThan(1e-5);
    }
  });

  it('changes in its time, by default length over intensity', () => {
    const likeness = (field: Field, t: number): number =>
      meanOf(places(4000, 30).map((place) => dot(field(place), field(place, t)))) / 1.5 ** 2;
    const usual = fieldOf({ turbulence });
    expect(usual([1, 1, 1], 0.2)).toEqual(fieldOf({ turbulence: { ...turbulence, time: 0.4 / 1.5 } })([1, 1, 1], 0.2));
    const slow = fieldOf({ turbulence: { ...turbulence, time: 10 } });
    expect(likeness(slow, 0.1)).toBeGreaterThan(0.95);
    expect(Math.abs(likeness(slow, 10))).toBeLessThan(0.4);
  });

  it('of no intensity is nothing', () => {
    expect(fieldOf({ turbulence: { intensity: 0, length: 1 } })([1, 2, 3], 4)).toEqual([0, 0, 0]);
  });
});

describe('wind from parts', () => {
  const all: WindSpec = {
    mean: [0, 3, 0],
    gust: { amplitude: 0.5, period: 0.7 },
    vortices: [{ center: [1, -0.5, 0], axis: [0, 0, 1], circulation: 0.5, core: 0.1, velocity: [0, 1, 0] }],
    turbulence: { intensity: 0.8, length: 0.5, seed: 4 },
  };

  it('is the sum of its parts', () => {
    const { mean, gust, vortices, turbulence } = all;
    const base = fieldOf({ mean, gust });
    const whole = fieldOf(all);
    const swirl = fieldOf({ vortices });
    const eddies = fieldOf({ mean, gust, turbulence });
    for (const place of places(10, 1)) {
      const sum = add(eddies(place, 0.4), swirl(place, 0.4));
      expect(distance(whole(place, 0.4), sum)).toBeLessThan(1e-14);
      expect(distance(eddies(place, 0.4), base(place, 0.4))).toBeGreaterThan(0.01);
    }
  });

  it('bends a rod downwind on average', () => {
    const run = (): { mean: number; side: number; tip: number } => {
      const world = createWorld(
        sceneOf(
          {
            shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
            edges: 20,
            section: { type: 'stiffness', EI1: 0.01, GJ: 0.01, mass: 0.02, radius: 0.004 },
            material: undefined,
          },
          {
            pins: [{ rod: 'a', at: 'start' }],
            fields: [{ type: 'air', wind: all, quadratic: { density: 1.2, normal: 1.2 } }],
            time: { duration: 4, step: 0.01 },
          },
        ),
      );
      const [{ nodePosition }] = world.samples;
      const heights: number[] = [];
      const sides: number[] = [];
      for (let k = 0; k < 400; k++) {
        world.step();
        heights.push(nodePosition[61]);
        sides.push(nodePosition[62]);
      }
      return { mean: meanOf(heights), side: meanOf(sides), tip: nodePosition[61] };
    };
    const { mean, side, tip } = run();
    expect(mean).toBeGreaterThan(0.1);
    expect(Math.abs(side)).toBeLessThan(0.5 * mean);
    expect(run().tip).toBe(tip);
  });

  const vortex: VortexSpec = { center: [0, 0, 0], axis: [0, 0, 1], circulation: 1, core: 1 };
  const eddies: TurbulenceSpec = { intensity: 1, length: 1 };
  const faults: [string, WindSpec, (string | number)[], RegExp][] = [
    ['mean', { mean: [0, Number.NaN, 0] }, ['mean', 1], /NaN; it must be a finite number/],
    ['gust without mean', { gust: { amplitude: 1, period: 1 } }, ['gust'], /give 'mean'/],
    ['period', { mean: [1, 0, 0], gust: { amplitude: 1, period: 0 } }, ['gust', 'period'], /0; it must be positive/],
    ['amplitude', { mean: [1, 0, 0], gust: { amplitude: -1, period: 1 } }, ['gust', 'amplitude'], /zero or more/],
    ['core', { vortices: [vortex, { ...vortex, core: 0 }] }, ['vortices', 1, 'core'], /positive; without a core/],
    ['axis', { vortices: [{ ...vortex, axis: [0, 0, 0] }] }, ['vortices', 0, 'axis'], /give the direction/],
    [
      'circulation',
      { vortices: [{ ...vortex, circulation: Number.POSITIVE_INFINITY }] },
      ['vortices', 0, 'circulation'],
      /Infinity/,
    ],
    ['intensity', { turbulence: { ...eddies, intensity: -1 } }, ['turbulence', 'intensity'], /zero or more/],
    ['length', { turbulence: { ...eddies, length: -1 } }, ['turbulence', 'length'], /must be positive/],
    ['few octaves', { turbulence: { ...eddies, octaves: 0 } }, ['turbulence', 'octaves'], /whole number from 1 to 6/],
    ['many octaves', { turbulence: { ...eddies, octaves: 7 } }, ['turbulence', 'octaves'], /whole number from 1 to 6/],
    ['broken octaves', { turbulence: { ...eddies, octaves: 2.5 } }, ['turbulence', 'octaves'], /whole number/],
    ['seed', { turbulence: { ...eddies, seed: 2 ** 32 } }, ['turbulence', 'seed'], /from 0 to 4294967295/],
    ['time', { turbulence: { ...eddies, time: 0 } }, ['turbulence', 'time'], /positive; leave it out/],
  ];
  it.each(faults)('refuses a bad %s', (_, wind, path, message) => {
    const build = (): unknown => compileScene(sceneOf({}, { fields: [{ type: 'air', wind, linear: [1, 1] }] }));
    expectSceneError(build, ['fields', 0, 'wind', ...path], message);
  });
});
