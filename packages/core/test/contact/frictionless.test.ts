/** Contact without friction is solved with one number a side: the same contact as with three. */
import { describe, expect, it } from 'vitest';
import { createWorld, type Scene, type World } from '../../src/index.ts';
import { der as derModel } from '../../src/models/der/index.ts';
import { axesOf, type ContactSides } from '../../src/port.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { RodSpec } from '../../src/scene/types.ts';
import { bent, random, ring, sidesOf } from './support.ts';

const h = 1 / 300;
const marks = Uint8Array.of(1);

const next = random(5);
const direction = new Float64Array(12);
for (let c = 0; c < 4; c++) {
  const n = [next() - 0.5, next() - 0.5, next() - 0.5];
  for (let k = 0; k < 3; k++) direction[3 * c + k] = n[k] / Math.hypot(...n);
}

const sides: ContactSides = {
  ...sidesOf([
    { rod: 0, edge: 0, weight: 0.3, arm: [0, 0.001, 0] },
    { rod: 0, edge: 3, weight: 1 },
    { rod: 0, edge: 4, weight: 0.2, arm: [0.0004, 0, -0.001] },
    { rod: 0, edge: 7, weight: 0.5, arm: [0, 0.001, 0] },
  ]),
  force: Float64Array.from({ length: 12 }, (_, k) => 1e-4 * Math.sin(k)),
};
const directed: ContactSides = { ...sides, direction };

/** Part of 3 a side along the directions. */
const along = (vectors: Float64Array): Float64Array =>
  Float64Array.from({ length: 4 }, (_, c) =>
    [0, 1, 2].reduce((sum, k) => sum + direction[3 * c + k] * vectors[3 * c + k], 0),
  );

describe.each([
  ['a clamped rod', { tendril: 1, rods: [bent], pins: [{ rod: 'rod', at: 'start' }] }, 7],
  ['a ring', { tendril: 1, rods: [ring] }, 9],
] as const)('sides with directions: %s', (_, given, last) => {
  const scene: Scene = { ...given, rods: [...given.rods], gravity: [1, 2, -5] } as Scene;
  sides.edge[3] = last;
  const { rods, drives, bodies, welds } = compileScene(scene);
  const { contact: port } = derModel.compile(rods, drives, scene, { bodies, welds });
  if (!port) throw new Error('no port');
  sides.edge[3] = last;
  port.hold();

  it('have the velocities, responses and masses of their axes', () => {
    sides.edge[3] = last;
    expect(port.directed).toBe(true);
    expect([axesOf(sides), axesOf(directed)]).toEqual([3, 1]);
    const vectors = new Float64Array(12);
    const numbers = new Float64Array(4);
    const response = new Float64Array(4);
    for (const fresh of [true, false]) {
      sides.mass.fill(0);
      expect(port.linearize({ velocity: vectors, response }, marks, sides, { t: 0, dt: h, fresh })).toBe(true);
      if (fresh) port.revert(marks, 0);
      expect(port.linearize({ velocity: numbers, response }, marks, directed, { t: 0, dt: h, fresh })).toBe(true);
      along(vectors).forEach((v, c) => {
        expect(Math.abs(v)).toBeGreaterThan(1e-4);
        expect(numbers[c] / v).toBeCloseTo(1, 10);
      });
      if (fresh) expect(port.step(marks, sides, { t: 0, dt: h, robust: false }).ok).toBe(true);
    }
    port.readVelocity(vectors, sides);
    port.readVelocity(numbers, directed);
    along(vectors).forEach((v, c) => {
      expect(numbers[c]).toBeCloseTo(v, 14);
    });
    // W of the axes, from that of the vectors
    port.linearize({ velocity: vectors, response }, marks, sides, { t: 0, dt: h, fresh: false });
    port.factor(marks, sides);
    const columns = Array.from({ length: 4 }, (_, c) => {
      const impulse = new Float64Array(12);
      for (let k = 0; k < 3; k++) impulse[3 * c + k] = direction[3 * c + k];
      port.solve(vectors, impulse, sides);
      return along(vectors);
    });
    port.linearize({ velocity: numbers, response }, marks, directed, { t: 0, dt: h, fresh: false });
    for (let c = 0; c < 4; c++) expect(response[c] / columns[c][c]).toBeCloseTo(1, 8);
    const rho = Float64Array.from(response, (w) => (w > 0 ? 0.7 / w : 0));
    sides.mass.set(rho);
    expect(port.factor(marks, directed)).toBe(true);
    const impulse = Float64Array.from({ length: 4 }, (_, k) => Math.sin(3 * k + 1));
    // often enough that the matrix of the sides takes over from solving with the band
    for (let turn = 0; turn < 6; turn++) {
      const heavy = new Float64Array(4);
      port.solve(heavy, impulse, directed);
      const scale = Math.max(...heavy.map(Math.abs));
      expect(scale).toBeGreaterThan(0.01);
      for (let i = 0; i < 4; i++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += columns[k][i] * (impulse[k] - rho[k] * heavy[k]);
        expect(Math.abs(heavy[i] - sum) / scale).toBeLessThan(1e-6);
      }
    }
  });
});

/** Hairs that lie across each other and on a floor, and fall. */
function pile(friction: number): World {
  const rods = Array.from({ length: 9 }, (_, i): RodSpec => {
    const turn = (2 * i) / 9;
    const [x, y] = [0.1 * Math.cos(turn * Math.PI), 0.1 * Math.sin(turn * Math.PI)];
    const z = 0.004 + 0.0035 * i;
    return {
      id: `hair${i}`,
      shape: { type: 'straight', from: [-x, -y, z], to: [x, y, z + 0.004] },
      edges: 12,
      section: { type: 'circle', radius: 0.001 },
      material: { E: 1e7, nu: 0.3, density: 1000, damping: { mass: 2 } },
    };
  });
  return createWorld({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods,
    pins: [{ rod: 'hair0', at: 'start' }],
    colliders: [{ type: 'plane', normal: [0, 0, 1], friction }],
    contact: { pairs: true, friction, tolerance: 1e-6, iterations: 3000 },
    time: { duration: 1, step: 1 / 240 },
    solver: { der: { tolerance: 1e-9 } },
  } as Scene);
}

describe('a pile without friction', () => {
  it('falls as one with next to none, which is solved with three numbers a side', () => {
    const worlds = [pile(0), pile(1e-9)];
    let most = 0;
    let iterations = [0, 0];
    for (let k = 0; k < 30; k++) {
      for (const world of worlds) expect(world.step().substeps).toBe(1);
      const reports = worlds.map(({ contactReport }) => contactReport);
      for (const report of reports) expect(report?.converged).toBe(true);
      most = Math.max(most, reports[0]?.contacts ?? 0);
      iterations = iterations.map((sum, i) => sum + (reports[i]?.iterations ?? 0));
    }
    expect(most).toBeGreaterThan(20);
    let differs = 0;
    worlds[0].samples.forEach(({ nodePosition }, r) => {
      nodePosition.forEach((x, i) => {
        differs = Math.max(differs, Math.abs(x - worlds[1].samples[r].nodePosition[i]));
      });
    });
    // what the solver leaves of 1e-7 m/s at first; along the floor nothing brings it back
    expect(differs).toBeLessThan(5e-5);
    // and takes fewer turns
    expect(iterations[0]).toBeLessThan(iterations[1]);
    expect(iterations[0]).toBeGreaterThan(0);
    const forces = worlds.map((world) => world.contactForces().map(({ force }) => force[2]));
    const total = forces.map((list) => list.reduce((sum, f) => sum + Math.abs(f), 0));
    expect(total[0]).toBeGreaterThan(1e-3);
    expect(total[0] / total[1]).toBeCloseTo(1, 2);
  });
});
