import { describe, expect, it } from 'vitest';
import { createFinder } from '../../src/contact/detect/finder.ts';
import { gather } from '../../src/contact/detect/finderData.ts';
import { replaceByDisplacements } from '../../src/contact/solve/displacements.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import { sidesOf, smooth } from './support.ts';

const rubber = { E: 1e6, nu: 0.49, density: 1000, damping: { mass: 5 } };
const thin = { type: 'circle', radius: 1e-3 } as const;

describe('velocities of contact', () => {
  it('are the ways of the nodes by the length of the step', () => {
    const { rods, samples } = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'a',
          shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] },
          edges: 2,
          section: thin,
          material: rubber,
        },
      ],
    });
    const finder = createFinder({ rods, samples, colliders: [], rules: smooth(), gravity: [0, 0, 0] });
    gather(finder);
    // began 2 mm and 6 mm lower, with velocities at the end that say nothing of it
    finder.position[2] -= 0.002;
    finder.position[5] -= 0.006;
    samples[0].nodeVelocity.set([0, 0, 7, 0, 0, 9], 0);
    const reached = Float64Array.of(0, 0, 0.75 * 7 + 0.25 * 9);
    const sides = sidesOf([{ rod: 0, weight: 0.25 }]);
    replaceByDisplacements(
      { port: { readsDisplacements: true }, sides, from: 0, reached },
      Int32Array.of(0),
      finder,
      0.01,
    );
    expect(reached[2]).toBe(7.5);
    replaceByDisplacements({ port: {}, sides, from: 0, reached }, Int32Array.of(0), finder, 0.01);
    expect(reached[2]).toBeCloseTo(0.75 * 0.2 + 0.25 * 0.6, 12);
  });
});

describe('links beside a pin that is thrown about', () => {
  // rods that go with masses glued on saw a held node's velocity, the solver its way: it went on until it had no turns left
  it('are solved for in as few turns as beside one that rests', () => {
    const turnsOf = (thrown: boolean): number => {
      const keys = Array.from({ length: 41 }, (_, i) => ({
        time: 0.005 * i,
        offset: [0, 0, 30 * (0.005 * i) ** 2] as const,
      }));
      const at = { s: 0.0125 };
      const world = createWorld({
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: ['a', 'b'].map((id, k) => ({
          id,
          shape: { type: 'straight' as const, from: [0, 0.01 * k, 0], to: [0.25, 0.01 * k, 0] },
          edges: 10,
          section: thin,
          material: { ...rubber, E: 1e7 },
        })),
        pins: [{ rod: 'a', at: 'start', ...(thrown && { path: { keys } }) }],
        links: [{ rod: 'a', at, to: { rod: 'b', at }, stiffness: 50 }],
        time: { duration: 0.1, step: 1 / 240 },
      });
      let turns = 0;
      for (let k = 0; k < 20; k++) {
        world.step();
        turns += world.contactReport?.iterations ?? 0;
      }
      return turns;
    };
    expect(turnsOf(true)).toBeLessThan(1.8 * turnsOf(false));
  });
});

describe('rods of two models', () => {
  it('touch, though their models choose among contacts in different ways', () => {
    const scene: Scene = {
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'coil',
          shape: { type: 'helix', radius: 0.02, pitch: 0.005, turns: 3, axis: [0, 0, 1] },
          edges: 60,
          section: thin,
          material: rubber,
        },
        {
          id: 'stick',
          model: 'strand',
          shape: { type: 'straight', from: [-0.05, 0, 0.04], to: [0.05, 0, 0.04] },
          edges: 20,
          section: thin,
          material: rubber,
        },
      ],
      colliders: [{ type: 'plane', normal: [0, 0, 1], friction: 0.5 }],
      contact: { friction: 0.3 },
      time: { duration: 0.12, step: 0.002 },
    };
    const world = createWorld(scene);
    let touched = 0;
    for (let k = 0; k < 60; k++) {
      world.step();
      if (world.contactForces().some(({ rod, other, kind }) => kind === 'rod' && rod !== other)) touched++;
    }
    expect(touched).toBeGreaterThan(0);
    for (const { nodePosition: x } of world.samples)
      for (let i = 2; i < x.length; i += 3) expect(x[i]).toBeGreaterThan(0.95e-3);
  });
});
