/** Clamps that are twisted relative to each other at t = 0. */
import { describe, expect, it } from 'vitest';
import { createWorld, type ModelId, type PinSpec, type RodSpec, type Scene } from '../../src/index.ts';

const GJ = 0.8;

function twisted(model: ModelId, twist: number, rod: Partial<RodSpec> = {}, pin: Partial<PinSpec> = {}): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
        edges: 50,
        section: { type: 'stiffness', EI1: 1, GJ, mass: 1, inertia: 1e-4, radius: 2e-3 },
        ...rod,
      },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      {
        rod: 'rod',
        at: 'end',
        path: {
          keys: [
            { time: 0, twist },
            { time: 1, twist: 2 * twist },
          ],
        },
        ...pin,
      },
    ],
    time: { duration: 1, step: 1e-3 },
  };
}

const meanTwist = (values: Float64Array): number => values.reduce((sum, x) => sum + x, 0) / values.length;

describe('clamps that start with turns', () => {
  it.each([
    ['der', 1e-9],
    ['cosserat', 1e-9],
    ['helix', 1e-9],
    // sin 2f / 2f at f = 0.15 rad per edge, and softer joints
    ['fiber', 0.02],
    ['massspring', 0.05],
  ] as const)('twist the rod by all of them, %s', (model, tolerance) => {
    const world = createWorld(twisted(model, 7.5));
    const [{ converged }] = world.equilibrate(0);
    expect(converged).toBe(true);
    const [base, end] = world.reactions();
    expect(end.torque[2] / (7.5 * GJ)).toBeGreaterThan(1 - tolerance);
    expect(end.torque[2] / (7.5 * GJ)).toBeLessThan(1 + tolerance);
    expect(base.torque[2]).toBeCloseTo(-end.torque[2], 6);
  });

  it.each(['der', 'cosserat', 'helix', 'fiber'] as const)('keep them in the first steps, %s', (model) => {
    const world = createWorld(twisted(model, 15));
    expect(world.warnings.filter((text) => text.includes('orientation'))).toEqual([]);
    for (let k = 0; k < 3; k++) world.step();
    expect(meanTwist(world.channel(0, 'twist'))).toBeCloseTo(15, 1);
  });

  it('buckle a shaft at the torque of Greenhill, 8.987 EI/L', () => {
    const stable = [8.7, 9.3].map((torque) => {
      const world = createWorld({
        ...twisted('der', torque / GJ, {}, { axes: ['x', 'y'] }),
        statics: { stability: 'report' },
      });
      return world.equilibrate(0)[0].stable;
    });
    expect(stable).toEqual([true, false]);
  });

  it('give the same equilibrium as a path that begins without twist, in between and on curved rods', () => {
    const shape = { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 1, angle: 1 } as const;
    const [first, second] = [0, 1].map((from) => {
      const keys = [
        { time: 0, twist: from === 0 ? 8 : 0 },
        { time: 1, twist: 8 },
      ];
      const scene = twisted('der', 0, { shape }, { at: { u: 0.4 }, path: { keys } });
      const world = createWorld(scene);
      if (from === 1) world.equilibrate(0);
      expect(world.equilibrate(from)[0].converged).toBe(true);
      return world;
    });
    const far = first.samples[0].nodePosition.map((x, k) => Math.abs(x - second.samples[0].nodePosition[k]));
    expect(Math.max(...far)).toBeLessThan(1e-6);
    expect(first.energies().twisting).toBeCloseTo(second.energies().twisting, 6);
    expect(first.energies().twisting).toBeGreaterThan((0.5 * (0.8 * GJ * 64)) / 0.4);
  });

  it('are warned about where the rod cannot start turned', () => {
    const pin = { hold: 'frame', path: { keys: [{ time: 0, rotation: [5, 0, 0] }] } } as const;
    expect(createWorld(twisted('der', 0, {}, pin)).warnings.join('\n')).toContain('by at most half a turn');

    const world = createWorld({
      ...twisted('der', 7.5),
      bodies: [{ id: 'ball', solid: { type: 'sphere', density: 1000, radius: 0.01 }, position: [0, 0, 0.5] }],
      welds: [{ rod: 'rod', at: { u: 0.5 }, body: 'ball' }],
    });
    expect(world.warnings.join('\n')).toContain('by at most half a turn');
  });
});
