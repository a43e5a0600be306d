/** Modes under loads without a potential: Beck's column flutters at a follower force of 20.0509 EI/L². */
import { createWorld, type Modes, type Scene } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { growingMode } from '../../../../cases/becks-column/theory.ts';

const CRITICAL = 20.0509536;

function column(edges: number, force: number, frame: 'material' | 'world'): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'column',
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
        edges,
        section: {
          type: 'stiffness',
          EI1: 1,
          EI2: 4,
          GJ: 1,
          mass: 1,
          radius: 0.01,
        },
      },
    ],
    pins: [{ rod: 'column', at: 'start' }],
    loads: [{ type: 'force', rod: 'column', at: 'end', force: [0, 0, -force], frame }],
  };
}

const modesAt = (...scene: Parameters<typeof column>): Modes => createWorld(column(...scene)).modes(6)[0];

describe("Beck's column", () => {
  it('begins to flutter at the critical force, with second order in the number of edges', () => {
    const [coarse, fine] = [16, 32].map((edges) => {
      let [low, high] = [18, 22];
      for (let k = 0; k < 12; k++) {
        const middle = (low + high) / 2;
        const { growth } = modesAt(edges, middle, 'material');
        if (growth?.some((rate) => rate > 0)) high = middle;
        else low = middle;
      }
      return low;
    });
    expect(Math.abs(fine / CRITICAL - 1)).toBeLessThan(6e-3);
    expect((4 * fine - coarse) / 3 / CRITICAL).toBeCloseTo(1, 3);
  });

  it('grows at the rate of theory beyond it', () => {
    const theory = growingMode(22);
    const errors = [16, 32].map((edges) => {
      const { omega, growth } = modesAt(edges, 22, 'material');
      if (!growth) throw new Error('no growth rates');
      const k = growth.findIndex((rate) => rate > 0);
      // growing and decaying, of the same frequency
      expect(growth[k + 1]).toBe(-growth[k]);
      expect(omega[k + 1]).toBe(omega[k]);
      expect(Math.abs(omega[k] / theory.frequency - 1)).toBeLessThan(8 / (edges * edges));
      return growth[k] - theory.growth;
    });
    expect(Math.log2(Math.abs(errors[0] / errors[1]))).toBeGreaterThan(1.7);
    expect(Math.abs(errors[1])).toBeLessThan(0.08);
  });

  it('has the natural modes of the free rod without force, and real ones below the critical force', () => {
    const free = modesAt(16, 0, 'world');
    const tiny = modesAt(16, 1e-6, 'material');
    expect(tiny.growth).toBeDefined();
    tiny.omega.forEach((omega, k) => {
      expect(omega / free.omega[k]).toBeCloseTo(1, 6);
    });
    const { growth, omega } = modesAt(16, 15, 'material');
    expect([...(growth ?? [])]).toEqual(Array(6).fill(0));
    // the two lowest approach each other
    expect(omega[0] / free.omega[0]).toBeGreaterThan(1.3);
  });
});

it('a rod let go in the shape of a mode swings in that shape, with its frequency', () => {
  const scene = column(16, 15, 'material');
  const rods = scene.rods.map((rod) => ({ ...rod, frame: { d1: [1, 0, 0] as [number, number, number] } }));
  const [{ omega, shapes }] = createWorld({ ...scene, rods }).modes(2);
  const { nodeDisplacement } = shapes[0];
  const points = Array.from({ length: 17 }, (_, i): [number, number, number] => [
    1e-5 * nodeDisplacement[3 * i],
    1e-5 * nodeDisplacement[3 * i + 1],
    i / 16,
  ]);
  const world = createWorld({
    ...scene,
    rods: rods.map(({ edges: _, ...rod }) => ({ ...rod, shape: { type: 'points', points }, natural: 'straight' })),
    pins: [{ rod: 'column', at: 'start', tangent: [0, 0, 1] }],
    time: { duration: 1, step: 0.002 },
    solver: { der: { integrator: 'tr-bdf2', tolerance: 1e-12 } },
  });
  for (let k = 0; k < 60; k++) world.step();
  const swing = Math.cos(omega[0] * 0.12);
  expect(swing).toBeLessThan(0.8);
  for (let i = 2; i < 17; i++)
    for (const axis of [0, 1])
      expect(
        Math.abs(1e5 * world.samples[0].nodePosition[3 * i + axis] - swing * nodeDisplacement[3 * i + axis]),
      ).toBeLessThan(2e-3);
});
