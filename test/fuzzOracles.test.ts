/** The oracles of the fuzzer can fail: each finds the physics, or the program, that is broken on purpose here, and nothing in the same scene as it is. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createWorld, type MaterialSpec, type Scene, type World } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
// built, since the threads run built code
import { startThreads } from '../packages/io/dist/node.js';
import { createChecker } from './fuzz/checker.ts';
import { checkScene } from './fuzz/oracles.ts';
import type { Open } from './fuzz/runScene.ts';
import type { SceneJson } from './fuzz/scenes.ts';

const rod = (id: string, y: number): SceneJson => ({
  id,
  model: 'der',
  shape: { type: 'straight', from: [0, y, 0], to: [0.4, y, 0] },
  frame: { d1: [0, 0, 1] },
  edges: 8,
  section: { type: 'circle', radius: 0.002 },
  material: { E: 1e9, nu: 0.4, density: 1000 },
});
const scene: SceneJson = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [rod('r0', 0), rod('r1', 0.1)],
  pins: [
    { rod: 'r0', at: 'start' },
    { rod: 'r1', at: 'start' },
  ],
  loads: [{ type: 'force', rod: 'r0', at: 'end', force: [0.01, 0.02, 0] }],
  time: { duration: 0.02, step: 0.004 },
};

/** Builds the world of another scene than the one that it is given. */
const changing =
  (change: (scene: Scene) => Scene): Open =>
  (given, options) =>
    createWorld(change(given), options);
const pull = (given: Scene, factor: number): Scene => {
  const [x, y, z] = given.gravity as readonly [number, number, number];
  return { ...given, gravity: [factor * x, factor * y, factor * z] };
};

/** Builds a world some of whose functions are others. */
const replacing =
  (replace: (world: World) => Partial<World>): Open =>
  (given, options) => {
    const world = createWorld(given, options);
    const own = replace(world);
    return new Proxy(world, {
      get: (target, key) => (key in own ? own[key as keyof World] : Reflect.get(target, key, target)),
    });
  };
/** A force that the scene does not have, from t > 0 on. */
const push = (world: World, force: number): void => {
  world.addLoad(0, {
    addLoads: ({ nodeForce }, _, t) => {
      if (t > 0) nodeForce[nodeForce.length - 1] += force;
    },
    potential: () => 0,
    dependsOnState: false,
  });
};

const isKernel = (options: Parameters<Open>[1]): boolean => (options?.models?.length ?? 0) > 0;

const faults: readonly (readonly [fault: string, oracle: string, open: Open])[] = [
  ['gravity that pushes upwards', 'energy', changing((given) => pull(given, -1))],
  [
    'a force along z, however the scene is turned',
    'motion',
    changing(({ loads = [], ...given }) => ({
      ...given,
      loads: [...loads, { type: 'force', rod: 'r0', at: 'end', force: [0, 0, 1e-4] }],
    })),
  ],
  [
    'a stiffness with a summand in pascals',
    'scaling',
    changing((given) => ({
      ...given,
      rods: given.rods.map((one) => {
        const material = one.material as MaterialSpec & { readonly E: number };
        return { ...one, material: { ...material, E: material.E + 1e6 } };
      }),
    })),
  ],
  [
    'kernels with another gravity',
    'kernels',
    (given, options) => createWorld(pull(given, isKernel(options) ? 1.1 : 1), options),
  ],
  [
    'a reading that pushes the rod',
    'reading',
    replacing((world) => ({
      momentum: () => {
        push(world, 1e-9);
        return world.momentum();
      },
    })),
  ],
  [
    'a state that comes with a push',
    'resume',
    replacing((world) => ({
      restore: (state) => {
        world.restore(state);
        push(world, 1e-9);
      },
    })),
  ],
  [
    'an equilibrium that is left at once',
    'statics',
    replacing((world) => ({
      equilibrate: (...all) => {
        const reports = world.equilibrate(...all);
        push(world, 0.01);
        return reports;
      },
    })),
  ],
  [
    'reactions that carry too much',
    'balance',
    replacing((world) => ({
      reactions: () =>
        world
          .reactions()
          .map(({ force: [x, y, z], ...one }) => ({ ...one, force: [1.01 * x, 1.01 * y, 1.01 * z] as const })),
    })),
  ],
  [
    'a bending energy that the forces do not belong to',
    'balance',
    replacing((world) => ({
      energies: () => {
        const { bending, ...others } = world.energies();
        return { ...others, bending: 1.05 * bending };
      },
    })),
  ],
  [
    'energies that are no numbers',
    'not finite',
    replacing((world) => ({ energies: () => ({ ...world.energies(), kinetic: Number.NaN }) })),
  ],
  [
    'a mistake of the program',
    'crash',
    replacing(() => ({
      step: () => {
        throw new TypeError('broken on purpose');
      },
    })),
  ],
];

describe('an oracle', () => {
  it('finds nothing in a scene that is right', async () => {
    expect(await checkScene(scene)).toEqual({ outcome: 'ran' });
  });

  it.each(faults)('finds %s', async (_, oracle, open) => {
    const { finding } = await checkScene(scene, { open });
    expect(finding).toMatchObject({ oracle });
  });

  it('finds threads that change the last bits', async () => {
    const { ports, close } = startThreads(2);
    let opened = 0;
    // kernels alone come first, with threads second
    const open: Open = (given, options) =>
      createWorld(pull(given, isKernel(options) && ++opened === 2 ? 1 + 1e-15 : 1), options);
    try {
      expect(await checkScene(scene, { ports })).toEqual({ outcome: 'ran' });
      expect((await checkScene(scene, { ports, open })).finding).toMatchObject({ oracle: 'threads' });
    } finally {
      await close();
    }
  });

  it('finds a scene that does not end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tendril-hang-'));
    const program = join(folder, 'hangs.mjs');
    writeFileSync(
      program,
      "import { parentPort } from 'node:worker_threads';\nparentPort.on('message', () => { for (;;); });\n",
    );
    const checker = createChecker(pathToFileURL(program).href, { processor: 1, all: 30 });
    try {
      expect((await checker.check(scene)).finding).toMatchObject({ oracle: 'hang' });
    } finally {
      checker.close();
      rmSync(folder, { recursive: true });
    }
  });
});
