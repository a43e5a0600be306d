/** Ghosts: where they are put when a rod is not laid in its natural shape, and which way they point in a curl. */
import { describe, expect, it } from 'vitest';
import { createWorld, type RodSpec, type Scene, type World } from '../../src/index.ts';

const EI = 1e-3;
const GJ = 6e-4;

function laid(model: 'massspring' | 'der', edges: number, rod: Partial<RodSpec>, altitude = 0): World {
  const scene: Scene = {
    tendril: 1,
    rods: [
      {
        id: 'hair',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        frame: { d1: [0, 0, 1] },
        natural: 'straight',
        edges,
        section: { type: 'stiffness', EA: 100, EI1: EI, GJ, mass: 0.01, radius: 1e-3 },
        ...rod,
      },
    ],
    pins: [],
    time: { duration: 1, step: 1e-3 },
    solver: { massspring: { altitude } },
  };
  return createWorld(scene);
}
const arc = (radius: number, normal: readonly [number, number, number]): RodSpec['shape'] => ({
  type: 'arc',
  from: [0, 0, 0],
  tangent: [1, 0, 0],
  normal,
  radius,
  angle: 1 / radius,
});
const apart = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (x, k) => Math.abs(x - b[k])));

describe('a rod that is not laid in its natural shape', () => {
  it.each([
    ['bent towards d1', arc(1, [0, 0, 1]), 0],
    ['bent towards d2', arc(1, [0, 1, 0]), 0],
    ['bent sharply', arc(0.3, [0, 0.6, 0.8]), 0],
    ['twisted', undefined, 3],
    ['bent and twisted', arc(0.5, [0, 1, 0]), 3],
  ])('starts with the energy of its bending and twist: %s', (_, shape, twist) => {
    const radius = shape?.type === 'arc' ? shape.radius : Infinity;
    const theory = EI / (2 * radius ** 2) + (GJ * twist ** 2) / 2;
    const errors = [80, 160].map((edges) => {
      const world = laid('massspring', edges, { ...(shape && { shape }), frame: { d1: [0, 0, 1], twist } });
      return Math.abs(world.energies().total / theory - 1);
    });
    expect(errors[1]).toBeLessThan(0.05);
    expect(errors[1]).toBeLessThan(Math.max(0.02, 0.7 * errors[0]));
  });

  it('keeps its nodes and its frames', () => {
    const shape = arc(0.5, [0, 1, 0]);
    const world = laid('massspring', 20, { shape, frame: { d1: [0, 0, 1], twist: 2 } });
    const { nodePosition, edgeDirector } = laid('der', 20, { shape, frame: { d1: [0, 0, 1], twist: 2 } }).rods[0];
    expect(apart(world.samples[0].nodePosition, nodePosition)).toBe(0);
    // every other one to rounding; those between find their own, a little aside
    const { edgeDirector: d } = world.samples[0];
    for (let j = 0; j < 20; j += 2)
      expect(apart(d.slice(3 * j, 3 * j + 3), edgeDirector.slice(3 * j, 3 * j + 3))).toBeLessThan(1e-6);
    expect(apart(d, edgeDirector)).toBeLessThan(0.1);
  });

  it('swings like a rod from there: no more energy comes out than was put in', () => {
    const world = laid('massspring', 20, { shape: arc(0.5, [0, 1, 0]) });
    const { total } = world.energies();
    let kinetic = 0;
    for (let k = 0; k < 300; k++) {
      world.step();
      kinetic = Math.max(kinetic, world.energies().kinetic);
    }
    expect(kinetic).toBeGreaterThan(0.3 * total);
    expect(kinetic).toBeLessThan(1.01 * total);
  });

  it('is not touched where it is laid in its natural shape', () => {
    for (const shape of [undefined, arc(0.3, [0, 1, 0])]) {
      const world = laid('massspring', 20, { natural: 'initial', ...(shape && { shape }) }, 0.02);
      expect(world.energies().total).toBeLessThan(1e-20);
    }
  });
});

describe('a curl', () => {
  /** Tip of an arc that is clamped and loaded, relative to der. */
  function softness(edges: number, force: readonly [number, number, number], axis: number, ratio: number): number {
    const move = (model: 'massspring' | 'der', n: number): number => {
      const world = createWorld({
        tendril: 1,
        rods: [
          {
            id: 'arc',
            model,
            shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 1, angle: 6 },
            edges: n,
            section: { type: 'stiffness', EA: 1e6, EI1: 1, GJ: ratio, mass: 1, radius: 1e-3 },
          },
        ],
        pins: [{ rod: 'arc', at: 'start' }],
        loads: [{ type: 'force', rod: 'arc', at: 'end', force }],
        solver: { massspring: { altitude: 0 } },
      });
      const start = world.samples[0].nodePosition.slice(-3);
      for (const report of world.equilibrate()) expect(report.converged).toBe(true);
      return world.samples[0].nodePosition[3 * n + axis] - start[axis];
    };
    return move('massspring', edges) / move('der', 200);
  }

  it.each([
    ['across its plane', [0, 1e-4, 0], 1],
    ['along its plane', [1e-4, 0, 0], 0],
    ['towards its middle', [0, 0, 1e-4], 2],
  ] as const)('gives way as the rod does, %s', (_, force, axis) => {
    for (const ratio of [0.4, 1]) {
      expect(Math.abs(softness(24, force, axis, ratio) - 1)).toBeLessThan(0.025);
      expect(Math.abs(softness(48, force, axis, ratio) - 1)).toBeLessThan(0.008);
    }
  });

  it('hangs as the rod does under its weight', () => {
    const drop = (model: 'massspring' | 'der', n: number): number => {
      const world = createWorld({
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [
          {
            id: 'curl',
            model,
            shape: { type: 'helix', axis: [0, 0, -1], start: [1, 0, 0], radius: 5e-3, pitch: 5e-3, turns: 3 },
            edges: n,
            section: { type: 'stiffness', EA: 10, EI1: 2.2775e-9, GJ: 1.3614e-9, mass: 3.13e-6, radius: 3e-5 },
          },
        ],
        pins: [{ rod: 'curl', at: 'start' }],
        solver: { massspring: { altitude: 0 } },
      });
      const start = world.samples[0].nodePosition[3 * n + 2];
      for (const report of world.equilibrate()) expect(report.converged).toBe(true);
      return start - world.samples[0].nodePosition[3 * n + 2];
    };
    const theory = drop('der', 150);
    expect(Math.abs(drop('massspring', 76) / theory - 1)).toBeLessThan(0.05);
    expect(Math.abs(drop('massspring', 152) / theory - 1)).toBeLessThan(0.015);
  });
});
