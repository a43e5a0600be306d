/** Threads over rods that know nothing of each other, free or above a floor. */
import { createWorld, type Scene } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { compare, floorAt, hairs, hireAll, repeat, takeSteps, touch } from './teams.ts';

const teams = await hireAll();
const [[, one], , [, three]] = teams;

describe('threads', () => {
  it('give the same bits as one', () => {
    compare(teams, hairs, (world) => {
      const reports = takeSteps(world, 10);
      reports.push(world.energies(), world.channel(10, 'curvature'), world.samples[10].nodePosition[24]);
      // reading changed nothing
      return [...reports, ...takeSteps(world, 1)];
    });
  });

  it('go back to a saved state', () => {
    compare(teams, hairs, (world) => {
      for (let k = 0; k < 3; k++) world.step();
      return repeat(world, 3);
    });
  });

  it('cut a step that fails, as one does', () => {
    const violent: Scene = { ...hairs, time: { duration: 10, step: 2 }, solver: { der: { iterations: 3 } } };
    compare(teams, violent, (world) => {
      const { substeps } = world.step();
      expect(substeps).toBeGreaterThan(1);
      return [substeps, world.hash()];
    });
  });

  it.each(['implicit-euler', 'tr-bdf2'] as const)('with contact: %s', (integrator) => {
    const touching: Scene = {
      ...hairs,
      pins: hairs.pins?.slice(0, 7),
      colliders: floorAt(-0.01),
      solver: { der: { integrator } },
    };
    compare(teams, touching, (world) => {
      const { reports, touched } = touch(world, 30);
      expect(touched).toBeGreaterThan(50);
      return [...reports, world.energies()];
    });
  });

  it('leave a world for the next one, which then goes on alone', () => {
    const first = createWorld(hairs, { models: three });
    first.step();
    const second = createWorld(hairs, { models: three });
    first.step();
    for (let k = 0; k < 2; k++) second.step();
    expect(second.hash()).toBe(first.hash());
  });

  it('take a world that begins elsewhere as its caller does', () => {
    const first = createWorld(hairs, { models: one });
    for (let k = 0; k < 5; k++) first.step();
    const rods = first.rods.map((rod, r) => ({
      ...rod,
      nodePosition: first.samples[r].nodePosition.slice(),
      edgeDirector: first.samples[r].edgeDirector.slice(),
    }));
    // others have had the threads
    compare(teams, hairs, () => undefined);
    const [expected, ...found] = teams.map(([, models]) => {
      const world = createWorld(hairs, { models, start: { time: 0.02, rods } });
      for (let k = 0; k < 3; k++) world.step();
      return world.hash();
    });
    expect(found).toEqual([expected, expected]);
  });
});
