/** Threads over fibers, which are the bits of the plain code and of kernels. */
import type { Scene } from '@tendril-sim/core';
import { loadFiber, loadThreadedFiber } from '@tendril-sim/core/kernels';
import { describe, expect, it } from 'vitest';
import { compare, eager, floorAt, hairs, hire, type Team, takeSteps, touch } from './teams.ts';

const pair: readonly Team[] = [
  ['one', [await loadFiber()]],
  ['three', [await loadThreadedFiber(hire(3), eager)]],
];

const fibers: Scene = {
  ...hairs,
  rods: hairs.rods.map((rod) => ({ ...rod, model: 'fiber', section: { type: 'circle', radius: 5e-4 } })),
};

describe('threads over fibers', () => {
  it('give the bits of one, and of none of it', () => {
    compare([['plain', []], ...pair], fibers, (world) => {
      const reports = takeSteps(world, 6);
      reports.push(world.energies(), world.channel(10, 'curvature'), world.samples[10].nodeVelocity.slice());
      const saved = world.save();
      const next = takeSteps(world, 1);
      world.restore(saved);
      const { iterations } = world.step();
      expect(iterations).toBeGreaterThan(11);
      expect(world.hash()).toBe(next.at(-1));
      return [...reports, ...next, iterations];
    });
  });

  it('cut a step that fails, as one does', () => {
    const violent: Scene = { ...fibers, time: { duration: 10, step: 0.3 }, solver: { fiber: { iterations: 2 } } };
    compare(pair, violent, (world) => {
      const { substeps } = world.step();
      expect(substeps).toBeGreaterThan(1);
      return [substeps, world.hash()];
    });
  });

  it('with contact', () => {
    const touching: Scene = { ...fibers, pins: fibers.pins?.slice(0, 7), colliders: floorAt(-0.003) };
    compare(pair, touching, (world) => {
      const { reports, touched } = touch(world, 12);
      expect(touched).toBeGreaterThan(20);
      return [...reports, world.energies(), world.reactions()];
    });
  });

  it('that touch each other', () => {
    const across = (y: number): Scene['rods'][number]['shape'] => ({
      type: 'straight',
      from: [0.05, y - 0.05, -0.002],
      to: [0.05, y + 0.05, -0.002],
    });
    const crossing: Scene = {
      ...fibers,
      rods: fibers.rods.map((rod, k) => (k % 2 ? { ...rod, shape: across(0.01 * k) } : rod)),
      contact: { friction: 0.2 },
    };
    compare(pair, crossing, (world) => {
      const { reports, touched } = touch(world, 12);
      expect(touched).toBeGreaterThan(20);
      return [...reports, world.reactions()];
    });
  });
});
