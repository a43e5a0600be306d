/** Hair as a mass on a grid: drag between neighbours, resistance to being pressed together and none to being parted. */
import { describe, expect, it } from 'vitest';
import type { RodSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld, type World } from '../../src/world/world.ts';

const soft = { section: { type: 'circle', radius: 5e-5 }, material: { E: 1e7, nu: 0.4, density: 1000 } } as const;

/** A bundle of n × n hairs along z about (x, y), moving with v. */
function bundle(id: string, n: number, x: number, y: number, spacing: number, v: Vec3): RodSpec[] {
  const rods: RodSpec[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const at = [x + spacing * (i - 0.5 * (n - 1)), y + spacing * (j - 0.5 * (n - 1))];
      const shape = { type: 'straight', from: [at[0], at[1], 0], to: [at[0], at[1], 0.04] } as const;
      rods.push({ id: `${id} ${i} ${j}`, shape, edges: 4, ...soft, velocity: { linear: v } });
    }
  }
  return rods;
}

const scene = (rods: readonly RodSpec[], continuum: NonNullable<Scene['contact']>['continuum']): Scene => ({
  tendril: 1,
  rods,
  contact: { between: 'continuum', continuum },
  time: { duration: 1, step: 1 / 240 },
});

/** Mean of a component of the velocities of the rods whose name starts with `id`. */
function meanSpeed(world: World, id: string, axis: number): number {
  let [sum, count] = [0, 0];
  world.rods.forEach((rod, k) => {
    if (!rod.id.startsWith(id)) return;
    const { nodeVelocity } = world.samples[k];
    for (let i = axis; i < nodeVelocity.length; i += 3) {
      sum += nodeVelocity[i];
      count++;
    }
  });
  return sum / count;
}

describe('hair as a continuum', () => {
  it('makes the velocities of hairs that share cells alike, at the rate of the relaxation time, and keeps the momentum', () => {
    // two hairs in the middle of a column of cells, which they fill to more than half and less than the whole density: full drag, no pressure
    const place = { from: [0.0025, 0.0025, 0], to: [0.0025, 0.0025, 0.2] } as const;
    const hair = (id: string, speed: number): RodSpec => ({
      id,
      shape: { type: 'straight', ...place },
      edges: 20,
      ...soft,
      velocity: { linear: [speed, 0, 0] },
    });
    // a force that is constant over a step: implicit Euler takes it as it is
    const world = createWorld({
      ...scene([hair('a', 1e-3), hair('b', -1e-3)], { cell: 0.005, density: 1, relaxation: 0.02 }),
      solver: { der: { integrator: 'implicit-euler' } },
    });
    for (let k = 0; k < 12; k++) world.step();
    const [a, b] = world.samples.map(({ nodeVelocity }) => nodeVelocity[3 * 10] / 1e-3);
    expect(a).toBeCloseTo(Math.exp(-0.05 / 0.02), 4);
    expect(b).toBeCloseTo(-Math.exp(-0.05 / 0.02), 4);
    expect(Math.abs(world.momentum().linear[0] / (1e-3 * world.momentum().mass))).toBeLessThan(1e-9);
  });

  it('drags thin hair in proportion to its density', () => {
    const rods = [...bundle('a', 3, 0, 0, 0.002, [0, 0, 0.1]), ...bundle('b', 3, 0, 0, 0.002, [0, 0, -0.1])];
    const [thin, thinner] = [1e4, 2e4].map((density) => {
      const world = createWorld(scene(rods, { cell: 0.005, density, relaxation: 0.02 }));
      for (let k = 0; k < 12; k++) world.step();
      return 1 - meanSpeed(world, 'a', 2) / 0.1;
    });
    expect(thin).toBeGreaterThan(1e-4);
    expect(thin / thinner).toBeCloseTo(2, 2);
  });

  it('resists being pressed together, not being parted', () => {
    const towards = [
      ...bundle('a', 5, -0.006, 0, 0.002, [0.1, 0, 0]),
      ...bundle('b', 5, 0.006, 0, 0.002, [-0.1, 0, 0]),
    ];
    const away = towards.map((rod) => ({
      ...rod,
      velocity: { linear: [-(rod.velocity?.linear?.[0] ?? 0), 0, 0] as Vec3 },
    }));
    const options = { cell: 0.004, relaxation: 1e9 };
    const pressed = createWorld(scene(towards, options));
    const parted = createWorld(scene(away, options));
    for (let k = 0; k < 16; k++) {
      pressed.step();
      parted.step();
    }
    expect(meanSpeed(pressed, 'a', 0)).toBeLessThan(0.08);
    expect(meanSpeed(pressed, 'a', 0)).toBeCloseTo(-meanSpeed(pressed, 'b', 0), 12);
    expect(meanSpeed(parted, 'a', 0)).toBeCloseTo(-0.1, 10);
    // where there is room for both, nothing resists
    const roomy = createWorld(scene(towards, { ...options, density: 1e6 }));
    for (let k = 0; k < 16; k++) roomy.step();
    expect(meanSpeed(roomy, 'a', 0)).toBeCloseTo(0.1, 10);
    expect(Math.abs(pressed.momentum().linear[0])).toBeLessThan(1e-9);
  });

  it('drags alike along all axes, also across the borders of cells', () => {
    // hairs of three directions about one place, each with a velocity of its own
    const [from, to] = [
      [
        [0.0011, 0.0032, -0.011],
        [0.0047, -0.013, 0.0012],
        [-0.012, 0.0041, 0.0048],
        [0.0063, 0.0061, -0.009],
      ],
      [
        [0.0011, 0.0032, 0.021],
        [0.0047, 0.019, 0.0012],
        [0.022, 0.0041, 0.0048],
        [0.0063, 0.0061, 0.023],
      ],
    ];
    const speeds = [
      [0.1, -0.2, 0.05],
      [-0.15, 0.1, 0.2],
      [0.05, 0.12, -0.1],
      [0, 0, 0],
    ];
    const turned = (v: readonly number[], by: number): Vec3 => [v[by % 3], v[(1 + by) % 3], v[(2 + by) % 3]];
    const ends = [0, 1, 2].map((by) => {
      const rods = from.map((_, k): RodSpec => {
        const shape = { type: 'straight', from: turned(from[k], by), to: turned(to[k], by) } as const;
        return { id: `${k}`, shape, edges: 4, ...soft, velocity: { linear: turned(speeds[k], by) } };
      });
      // full drag, and room for all
      const world = createWorld(scene(rods, { cell: 0.005, density: 0.5, relaxation: 0.01 }));
      for (let k = 0; k < 3; k++) world.step();
      return world.samples.map(({ nodeVelocity: v }) =>
        Array.from({ length: 5 }, (_, i) => turned([v[3 * i], v[3 * i + 1], v[3 * i + 2]], 3 - by)),
      );
    });
    expect(Math.abs(ends[0][3][2][0])).toBeGreaterThan(1e-3);
    for (const end of ends.slice(1))
      end.flat(2).forEach((v, k) => {
        expect(v).toBeCloseTo(ends[0].flat(2)[k], 6);
      });
  });

  it('is asked for with a cell', () => {
    const rods = bundle('a', 1, 0, 0, 0.002, [0, 0, 0]);
    expect(() => createWorld({ ...scene(rods, undefined) })).toThrow(/size of a cell/);
    expect(() => createWorld({ tendril: 1, rods, contact: { continuum: { cell: 0.01 } } })).toThrow(/has no effect/);
  });
});
