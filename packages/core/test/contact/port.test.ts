/** The port: its linear response is that of the step itself, with and without point masses and bodies. */
import { describe, expect, it } from 'vitest';
import { createBorderedFactor, factorBand, solveBand } from '../../src/linalg/band.ts';
import { invertWithinBand, readInverse } from '../../src/linalg/bandInverse.ts';
import { createBorderedBand } from '../../src/linalg/bandMatrix.ts';
import type { Bundle } from '../../src/model.ts';
import { der as derModel } from '../../src/models/der/index.ts';
import type { ContactSides } from '../../src/port.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { Scene } from '../../src/scene/types.ts';
import { bent, random, ring, sidesOf } from './support.ts';

describe('the inverse within the band', () => {
  it('is that of the columns', () => {
    const n = 37;
    const next = random(2);
    const matrix = createBorderedBand(n, 0);
    for (let i = 0; i < n; i++) {
      for (let j = Math.max(0, i - 10); j < i; j++) matrix.band[11 * i + j - i + 10] = next() - 0.5;
      matrix.band[11 * i + 10] = 8 + next();
    }
    const factor = createBorderedFactor(matrix);
    expect(factorBand(factor, matrix, 0, new Float64Array(n), 'stop-at-negative')).toBe(true);
    const inverse = new Float64Array(11 * n);
    invertWithinBand(inverse, factor, n);
    for (let j = 0; j < n; j++) {
      const column = new Float64Array(n);
      column[j] = 1;
      solveBand(factor, matrix, column);
      for (let i = Math.max(0, j - 10); i < Math.min(n, j + 11); i++)
        expect(readInverse(inverse, i, j)).toBeCloseTo(column[i], 14);
    }
  });
});

function compile(scene: Scene): Bundle {
  const { rods, drives, bodies, welds } = compileScene(scene);
  return derModel.compile(rods, drives, scene, { bodies, welds });
}

const cases: readonly (readonly [string, Scene, ContactSides])[] = [
  [
    'a clamped rod',
    { tendril: 1, rods: [bent], pins: [{ rod: 'rod', at: 'start' }] },
    sidesOf([
      { rod: 0, edge: 0, weight: 0.3, arm: [0, 0.001, 0] },
      { rod: 0, edge: 4, weight: 1 },
      { rod: 0, edge: 7, weight: 0.5, arm: [0, 0.001, 0] },
    ]),
  ],
  [
    'a ring',
    { tendril: 1, rods: [ring] },
    sidesOf([
      { rod: 0, edge: 9, weight: 0.4 },
      { rod: 0, edge: 3, weight: 0 },
    ]),
  ],
  [
    'a rod with a body',
    {
      tendril: 1,
      rods: [bent],
      bodies: [{ id: 'ball', mass: 0.01, inertia: [1e-6, 2e-6, 2.5e-6], position: [0.11, 0, 0.1] }],
      welds: [{ rod: 'rod', at: 'end', body: 'ball' }],
    },
    sidesOf([
      { rod: 0, edge: 2, weight: 0.5 },
      { rod: 0, edge: 7, weight: 0.6 },
      { rod: -1, arm: [0.12, 0.01, 0.11] },
    ]),
  ],
];

describe.each(cases)('%s', (_, scene, sides) => {
  const h = 1 / 300;
  const marks = Uint8Array.of(1);

  /** Velocities of the sides after a step under forces. */
  const velocities = (force: ArrayLike<number>): Float64Array => {
    const bundle = compile({ ...scene, gravity: [1, 2, -5], solver: { der: { tolerance: 1e-12 } } });
    sides.force.set(force);
    const port = bundle.contact;
    if (!port) throw new Error('no port');
    port.hold();
    const nothing = new Float64Array(3 * sides.count);
    expect(
      port.linearize({ velocity: nothing, response: new Float64Array(sides.count) }, marks, sides, {
        t: 0,
        dt: h,
        fresh: true,
      }),
    ).toBe(true);
    expect(port.step(marks, sides, { t: 0, dt: h, robust: false }).ok).toBe(true);
    const out = new Float64Array(3 * sides.count);
    port.readVelocity(out, sides);
    return out;
  };

  it('responds to a small force as the linear response says', () => {
    const bundle = compile({ ...scene, gravity: [1, 2, -5], solver: { der: { tolerance: 1e-12 } } });
    const port = bundle.contact;
    if (!port) throw new Error('no port');
    sides.force.fill(0);
    sides.mass.fill(0);
    port.hold();
    const response = new Float64Array(sides.count);
    const velocity = new Float64Array(3 * sides.count);
    port.linearize({ velocity, response }, marks, sides, { t: 0, dt: h, fresh: true });
    const guess = velocity.slice();
    port.step(marks, sides, { t: 0, dt: h, robust: false });
    expect(port.linearize({ velocity, response }, marks, sides, { t: 0, dt: h, fresh: false })).toBe(true);
    // the linear step from the first guess leads near where the whole step does
    const fast = Math.max(...velocity.map(Math.abs));
    for (let k = 0; k < guess.length; k++) expect(Math.abs(guess[k] - velocity[k])).toBeLessThan(0.02 * fast);
    expect(port.factor(marks, sides)).toBe(true);
    const size = 3 * sides.count;
    const epsilon = 1e-4;
    let largest = 0;
    for (let k = 0; k < size; k++) {
      const force = new Float64Array(size);
      force[k] = epsilon;
      const plus = velocities(force);
      force[k] = -epsilon;
      const minus = velocities(force);
      const impulse = new Float64Array(size);
      impulse[k] = 1;
      const linear = new Float64Array(size);
      port.solve(linear, impulse, sides);
      const scale = Math.max(...linear.map(Math.abs));
      largest = Math.max(largest, scale);
      for (let i = 0; i < size; i++) {
        const exact = (plus[i] - minus[i]) / (2 * epsilon * h);
        // the torque of an arm keeps its direction while the edge turns in the step
        expect(Math.abs(linear[i] - exact) / scale).toBeLessThan(1e-3);
      }
    }
    expect(largest).toBeGreaterThan(1);
    for (let c = 0; c < sides.count; c++) {
      let trace = 0;
      for (let k = 0; k < 3; k++) {
        const impulse = new Float64Array(size);
        impulse[3 * c + k] = 1;
        const linear = new Float64Array(size);
        port.solve(linear, impulse, sides);
        trace += linear[3 * c + k] / 3;
      }
      expect(response[c] / trace).toBeCloseTo(1, 8);
    }
  });

  it('takes point masses: (W⁻¹ + ρ)⁻¹ in place of W', () => {
    const bundle = compile(scene);
    const port = bundle.contact;
    if (!port) throw new Error('no port');
    sides.force.fill(0);
    sides.mass.fill(0);
    port.hold();
    const velocity = new Float64Array(3 * sides.count);
    const response = new Float64Array(sides.count);
    port.linearize({ velocity, response }, marks, sides, { t: 0, dt: h, fresh: true });
    port.step(marks, sides, { t: 0, dt: h, robust: false });
    port.linearize({ velocity, response }, marks, sides, { t: 0, dt: h, fresh: false });
    port.factor(marks, sides);
    const size = 3 * sides.count;
    const impulse = Float64Array.from({ length: size }, (_item, k) => Math.sin(3 * k + 1));
    const solve = (right: Float64Array): Float64Array => {
      const out = new Float64Array(size);
      port.solve(out, right, sides);
      return out;
    };
    const bare = new Array<Float64Array>(size);
    for (let k = 0; k < size; k++) {
      const unit = new Float64Array(size);
      unit[k] = 1;
      bare[k] = solve(unit);
    }
    const rho = Float64Array.from(response, (w) => 0.7 / w);
    sides.mass.set(rho);
    port.linearize({ velocity, response }, marks, sides, { t: 0, dt: h, fresh: false });
    port.factor(marks, sides);
    const heavy = solve(impulse);
    // v = W(g − ρ v)
    for (let i = 0; i < size; i++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += bare[k][i] * (impulse[k] - rho[Math.floor(k / 3)] * heavy[k]);
      expect(heavy[i]).toBeCloseTo(sum, 7);
    }
    sides.mass.fill(0);
  });

  it('answers as before when it has been asked so often that it keeps its answers as a matrix', () => {
    const port = compile(scene).contact;
    if (!port) throw new Error('no port');
    sides.force.fill(0);
    sides.mass.fill(1e-4);
    port.hold();
    const velocity = new Float64Array(3 * sides.count);
    port.linearize({ velocity, response: new Float64Array(sides.count) }, marks, sides, { t: 0, dt: h, fresh: true });
    port.factor(marks, sides);
    const size = 3 * sides.count;
    const impulse = Float64Array.from({ length: size }, (_item, k) => Math.sin(3 * k + 1));
    const first = new Float64Array(size);
    port.solve(first, impulse, sides);
    const last = new Float64Array(size);
    for (let k = 0; k < 2 * size; k++) port.solve(last, impulse, sides);
    const scale = Math.max(...first.map(Math.abs));
    expect(scale).toBeGreaterThan(0);
    for (let k = 0; k < size; k++) expect(Math.abs(last[k] - first[k])).toBeLessThan(1e-12 * scale);
    sides.mass.fill(0);
  });
});

describe('a node that a pin moves', () => {
  it('comes its way in the first guess of a step, not by the velocity of its path at the end', () => {
    const bundle = compile({
      tendril: 1,
      rods: [bent],
      pins: [
        {
          rod: 'rod',
          at: 'start',
          path: {
            interpolation: 'smooth',
            keys: [0, 1, 2, 3].map((k) => ({ time: 0.1 * k, offset: [0, 0, 0.3 * k * k] as const })),
          },
        },
      ],
    });
    const port = bundle.contact;
    if (!port) throw new Error('no port');
    const sides = sidesOf([
      { rod: 0, edge: 0, weight: 0 },
      { rod: 0, edge: 0, weight: 0.5 },
    ]);
    const h = 0.01;
    bundle.refresh(0);
    port.hold();
    const start = bundle.samples[0].nodePosition.slice();
    const velocity = new Float64Array(6);
    port.linearize({ velocity, response: new Float64Array(2) }, Uint8Array.of(1), sides, { t: 0, dt: h, fresh: true });
    const guess = velocity[2];
    expect(port.step(Uint8Array.of(1), sides, { t: 0, dt: h, robust: false }).ok).toBe(true);
    const { nodePosition: x, nodeVelocity: v } = bundle.samples[0];
    const way = (x[2] - start[2]) / h;
    expect(guess).toBeCloseTo(way, 10);
    expect(Math.abs(v[2] - way)).toBeGreaterThan(0.1);
  });
});
