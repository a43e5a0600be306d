/** Threads over cloth: rods that links hold together. */
import type { Scene } from '@tendril-sim/core';
import { loadDer, loadThreadedDer, type ThreadPort } from '@tendril-sim/core/kernels';
import { describe, expect, it } from 'vitest';
// the number of a piece of memory
import { slots } from '../../../core/src/threads/slots.ts';
import { compare, eager, hire, type Team, takeSteps } from './teams.ts';

type Weave = NonNullable<Scene['weaves']>[number];

/** Memory that the threads were given: numbers of its pieces. */
const given = new Set<unknown>();
const listen = (port: ThreadPort): ThreadPort => ({
  postMessage(message) {
    given.add((message as { slot?: number }).slot);
    port.postMessage(message);
  },
});
const ports = [2, 3].map((count) => hire(count).map(listen));

/** One, two and three threads. */
const teamsOf = async (kernels: boolean): Promise<readonly Team[]> => [
  ['one', kernels ? [await loadDer()] : []],
  ['two', [await loadThreadedDer(ports[0], { ...eager, kernels })]],
  ['three', [await loadThreadedDer(ports[1], { ...eager, kernels })]],
];
const plain = await teamsOf(false);

/** As much of a cloth as its place and size leave open. */
const cloth: Omit<Weave, 'id' | 'center' | 'warp'> = {
  edges: 1,
  section: { type: 'circle', radius: 3e-5 },
  material: { E: 3.58e9, G: 1.07e9, density: 1107, damping: { mass: 10 } },
  joints: { stiffness: 10, rotation: { about: 'normal', stiffness: 5e-8 } },
};
/** A ball of 6 cm, and cloths that fall on it. */
const falling = (weaves: readonly Weave[], more: Partial<Scene> = {}): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [],
  weaves,
  colliders: [{ type: 'sphere', radius: 0.06, friction: 0.3 }],
  contact: { between: 'none' },
  time: { duration: 1, step: 1 / 240 },
  ...more,
});

describe('threads over cloth', () => {
  // the tests below have no kernels either
  it.each(process.env.TENDRIL_LONG ? [true, false] : [true])(
    'that links hold together, by kernels: %s',
    async (kernels) => {
      const scene = falling([
        { id: 'cloth', center: [0.003, 0.002, 0.0605], warp: { count: 7, spacing: 0.02 }, ...cloth },
      ]);
      compare(kernels ? await teamsOf(true) : plain, scene, (world) => {
        const reports = takeSteps(world, 14);
        expect(world.contactForces().length).toBeGreaterThan(2);
        return [...reports, world.linkForces(), world.energies()];
      });
    },
  );

  it('that is corrected by cells of space, as it is where a step takes long', () => {
    // EACH × LEAST links of links/coarse.ts, which touch at once
    const warp = { count: 44, spacing: 0.2 / 44 };
    const scene = falling([{ id: 'cloth', center: [0.0003, 0.0002, 0.06], warp, ...cloth }]);
    given.clear();
    compare(plain, scene, (world) => {
      const reports = takeSteps(world, 1);
      // PATIENCE of links/coarse.ts, in each of two rounds and in those that came before: the cells of the first serve the second
      expect(world.contactReport?.iterations).toBeGreaterThan(90);
      return reports;
    });
    expect(given).toContain(slots.coarse);
  });

  it('of two that know nothing of each other, one of which has links of all kinds', () => {
    const warp = { count: 5, spacing: 0.02 };
    const links: Scene['links'] = [
      { rod: 'beside warp 0', at: 'start', to: { point: [0.26, -0.05, 0.06] }, stiffness: 1 },
      {
        rod: 'beside warp 1',
        at: { u: 0.9 },
        to: { rod: 'beside warp 2', at: { u: 0.9 } },
        stiffness: 1,
        rotation: { about: 'all', stiffness: 1e-8 },
      },
    ];
    const weaves: Weave[] = [
      { id: 'on', center: [0.003, 0.002, 0.0603], warp, ...cloth },
      { id: 'beside', center: [0.3, 0, 0.06], warp, ...cloth },
    ];
    compare(plain, falling(weaves, { links }), (world) => {
      const reports = takeSteps(world, 5);
      expect(world.contactForces().length).toBeGreaterThan(1);
      const saved = world.save();
      reports.push(...takeSteps(world, 1));
      world.restore(saved);
      reports.push(...takeSteps(world, 1));
      return [...reports, world.linkForces(), world.energies(), world.reactions()];
    });
  });
});
