/** Threads, on what `npm run build` made: the same bits whatever their number. */
import { createWorld, type Model, type Scene, SimulationError, type World } from '@tendril/core';
import { type Balance, loadDer, loadFiber, loadThreadedDer, loadThreadedFiber } from '@tendril/core/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// the sources have no file that a thread could run
import { startThreads, type Threads } from '../../io/dist/node.js';

let seed = 1;
/** Ranges of rods that end somewhere else in every step; and where they ended. */
const ends = new Set<string>();
const wander: Balance = (bounds) => {
  ends.add(Array.from(bounds).join());
  return Array.from(bounds, (bound) => {
    seed = (seed * 16807) % 2147483647;
    return bound + 12 * (seed / 2147483647 - 0.5);
  });
};

let threads: Threads;
let one: Model;
let three: Model;
beforeAll(async () => {
  threads = startThreads(3);
  one = await loadDer();
  const least = { leastParts: 2, leastTouching: 2, leastNumbers: 1, leastNodes: 1 };
  three = await loadThreadedDer(threads.ports, { ...least, balance: wander });
});
afterAll(() => {
  threads.close();
});

const scene: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: Array.from({ length: 11 }, (_, k) => ({
    id: `hair ${k}`,
    shape: { type: 'straight', from: [0, 0.01 * k, 0], to: [0.1, 0.01 * k, 0] },
    edges: 8 + (k % 2),
    section: { type: 'circle', radius: 3e-5 + 1e-6 * k },
    material: { E: 3.5e9, G: 1e9, density: 1300 },
  })),
  pins: Array.from({ length: 11 }, (_, k) => ({ rod: `hair ${k}`, at: 'start' })),
  time: { duration: 1, step: 0.004 },
};

describe('threads', () => {
  it('give the same bits as one', () => {
    const alone = createWorld(scene, { models: [one] });
    const shared = createWorld(scene, { models: [three] });
    for (let k = 0; k < 10; k++) expect(shared.step().iterations).toBe(alone.step().iterations);
    expect(shared.hash()).toBe(alone.hash());
    expect(shared.energies()).toEqual(alone.energies());
    expect(shared.channel(10, 'curvature')).toEqual(alone.channel(10, 'curvature'));
    expect(shared.samples[10].nodePosition[24]).toBe(alone.samples[10].nodePosition[24]);
    // reading changed nothing
    shared.step();
    alone.step();
    expect(shared.hash()).toBe(alone.hash());
  });

  it('go back to a saved state', () => {
    const shared = createWorld(scene, { models: [three] });
    for (let k = 0; k < 3; k++) shared.step();
    const saved = shared.save();
    const later = (): string => {
      for (let k = 0; k < 3; k++) shared.step();
      return shared.hash();
    };
    const first = later();
    shared.restore(saved);
    expect(later()).toBe(first);
  });

  it('cut a step that fails, as one does', () => {
    const violent: Scene = { ...scene, time: { duration: 10, step: 2 }, solver: { der: { iterations: 3 } } };
    const alone = createWorld(violent, { models: [one] });
    const shared = createWorld(violent, { models: [three] });
    expect(shared.step().substeps).toBe(alone.step().substeps);
    expect(shared.hash()).toBe(alone.hash());
  });

  it.each(['implicit-euler', 'tr-bdf2'] as const)('with contact: %s', (integrator) => {
    const touching: Scene = {
      ...scene,
      pins: scene.pins?.slice(0, 7),
      colliders: [{ type: 'plane', position: [0, 0, -0.01], normal: [0, 0, 1], friction: 0.3 }],
      solver: { der: { integrator } },
    };
    const alone = createWorld(touching, { models: [one] });
    const shared = createWorld(touching, { models: [three] });
    let touched = 0;
    for (let k = 0; k < 30; k++) {
      expect(shared.step().iterations).toBe(alone.step().iterations);
      touched += alone.contactForces().length;
    }
    expect(touched).toBeGreaterThan(50);
    expect(shared.hash()).toBe(alone.hash());
    expect(shared.energies()).toEqual(alone.energies());
  });

  it('leave a world for the next one, which then goes on alone', () => {
    const first = createWorld(scene, { models: [three] });
    first.step();
    const second = createWorld(scene, { models: [three] });
    first.step();
    for (let k = 0; k < 2; k++) second.step();
    expect(second.hash()).toBe(first.hash());
  });
});

describe('threads in contact', () => {
  const count = 20;
  const shaken: NonNullable<NonNullable<Scene['pins']>[number]['path']> = {
    keys: [
      { time: 0, offset: [0, 0, 0] },
      { time: 0.03, offset: [0, 0, 0] },
      { time: 0.08, offset: [0.02, 0, 0] },
      { time: 0.13, offset: [-0.02, 0.01, 0], rotation: [0, 0.5, 0] },
    ],
  };
  /** Hairs all over a ball of 2 cm, which is shaken; every third has another number of edges. */
  const ball = (contact: Scene['contact'], more: Partial<Scene> = {}): Scene => {
    const rods = Array.from({ length: count }, (_, k): Scene['rods'][number] => {
      const z = 1 - (2 * (k + 0.5)) / count;
      const a = 2.4 * k;
      const s = Math.sqrt(1 - z * z);
      const at = (r: number): [number, number, number] => [r * s * Math.cos(a), r * s * Math.sin(a), r * z];
      return {
        id: `hair ${k}`,
        shape: { type: 'straight', from: at(0.02), to: at(0.08) },
        edges: k % 3 === 1 ? 7 : 8,
        section: { type: 'circle', radius: 3e-5 },
        material: { E: 1e8, G: 4e7, density: 1300, damping: { mass: 5 } },
      };
    });
    return {
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods,
      pins: rods.map(({ id }) => ({ rod: id, at: 'start', path: shaken })),
      colliders: [{ type: 'sphere', radius: 0.02 - 3e-5, friction: 0.3, path: shaken }],
      ...(contact && { contact }),
      time: { duration: 1, step: 1 / 240 },
      ...more,
    };
  };
  const touching = ball({ radius: 6e-4, friction: 0.2, tolerance: 1e-3 });
  let two: Threads;
  /** By one, two and three threads; threads take part in groups of two, and of five hairs on. */
  const teams: (readonly [string, Model])[] = [];
  beforeAll(async () => {
    two = startThreads(2);
    teams.push(
      ['one', one],
      ['two', await loadThreadedDer(two.ports, { leastParts: 2, leastTouching: 5, leastNodes: 60, balance: wander })],
      ['three', three],
    );
  });
  afterAll(() => {
    two.close();
  });
  const run = (scene: Scene, act: (world: World) => unknown): number[] => {
    const [first, ...others] = teams.map(([name, model]) => {
      ends.clear();
      const found = act(createWorld(scene, { models: [model] }));
      return [name, found, ends.size];
    });
    for (const [name, found] of others) expect([name, found]).toEqual([name, first[1]]);
    return others.map(([, , places]) => places as number);
  };

  it.each([0.2, 0])('hairs that touch each other, with friction %f', (friction) => {
    const smooth = touching.colliders?.map((collider) => ({ ...collider, friction }));
    const scene: Scene = { ...touching, colliders: smooth ?? [], contact: { ...touching.contact, friction } };
    run(scene, (world) => {
      const reports: unknown[] = [];
      let touched = 0;
      for (let k = 0; k < 40; k++) {
        reports.push(world.step(), { ...world.contactReport }, world.hash());
        touched += world.contactForces().filter(({ kind }) => kind === 'rod').length;
      }
      expect(touched).toBeGreaterThan(60);
      reports.push(world.energies(), world.momentum(), world.reactions(), world.channel(19, 'curvature'), world.save());
      // reading changed nothing
      reports.push(world.step(), world.hash());
      return reports;
    });
  });

  it('hair on a moving ball, each by itself', () => {
    const free = ball({ between: 'none', tolerance: 1e-3 });
    // by one layout, ranges may end after every other rod
    const alike = { ...free, rods: free.rods.map((rod) => ({ ...rod, edges: 8 })) };
    const places = run(alike, (world) => {
      const reports: unknown[] = [];
      let touched = 0;
      for (let k = 0; k < 40; k++) {
        reports.push(world.step(), { ...world.contactReport }, world.hash());
        touched += world.contactForces().length;
      }
      expect(touched).toBeGreaterThan(100);
      reports.push(world.energies(), world.reactions());
      return reports;
    });
    // rods have changed hands
    for (const many of places) expect(many).toBeGreaterThan(2);
  });

  it('among obstacles of all kinds, moved by hand on the way', () => {
    const strip = (z: number): [number, number, number][] => [
      [-0.1, -0.1, z],
      [0.1, -0.1, z],
      [0.1, 0.1, z],
      [-0.1, 0.1, z],
    ];
    const bed = strip(-0.079);
    const colliders: Scene['colliders'] = [
      { type: 'sphere', radius: 0.0203, friction: { static: 0.4, dynamic: 0.2 }, path: shaken },
      { type: 'sphere', radius: 0.084, hollow: true, friction: 0.1 },
      {
        type: 'box',
        size: [0.06, 0.1, 0.02],
        position: [0.05, 0, -0.06],
        rods: Array.from({ length: count >> 1 }, (_, k) => `hair ${2 * k}`),
      },
      {
        type: 'mesh',
        vertices: bed,
        faces: [
          [0, 1, 2],
          [0, 2, 3],
        ],
        solid: false,
        friction: 0.3,
        deform: [
          { time: 0, vertices: bed },
          { time: 0.2, vertices: strip(-0.05) },
        ],
      },
    ];
    const met = new Set<string>();
    run(ball({ between: 'none', tolerance: 1e-3 }, { colliders }), (world) => {
      // the roots lie in the first
      expect(world.warnings.join()).toContain('held inside');
      const reports: unknown[] = [];
      for (let k = 0; k < 36; k++) {
        if (k === 20) world.colliders[2].move([-0.01, 0.002, 0.001], world.time, 0.02);
        reports.push(world.step(), { ...world.contactReport }, world.hash());
        for (const { other } of world.contactForces()) met.add(other);
      }
      reports.push(world.contactForces(), world.save(), world.energies());
      return reports;
    });
    expect([...met].sort()).toEqual(colliders.map((_, k) => `collider ${k}`));
  });

  it('with rods of many layouts, some without a partner', () => {
    const rods = Array.from({ length: 40 }, (_, k) => ({
      ...scene.rods[0],
      id: `hair ${k}`,
      edges: 4 + ((7 * k) % 9),
    }));
    const apart = rods.map((rod, k): Scene['rods'][number] => ({
      ...rod,
      shape: { type: 'straight', from: [0, 0.004 * k, 0], to: [0.1, 0.004 * k, 0] },
      section: { type: 'circle', radius: 2e-4 },
      material: { E: 1e8, G: 4e7, density: 1300 },
    }));
    const falling: Scene = {
      ...scene,
      rods: apart,
      pins: apart.map(({ id }) => ({ rod: id, at: 'start' })),
      colliders: [{ type: 'plane', position: [0, 0, -0.01], normal: [0, 0, 1], friction: 0.3 }],
    };
    run(falling, (world) => {
      const reports: unknown[] = [];
      for (let k = 0; k < 18; k++) reports.push(world.step(), world.hash());
      expect(world.contactForces().length).toBeGreaterThan(20);
      return reports;
    });
  });

  it.each([true, false])('cloth that links hold together, by kernels: %s', async (kernels) => {
    const cloth: Scene = {
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [],
      weaves: [
        {
          id: 'cloth',
          center: [0.003, 0.002, 0.0605],
          warp: { count: 7, spacing: 0.02 },
          edges: 1,
          section: { type: 'circle', radius: 3e-5 },
          material: { E: 3.58e9, G: 1.07e9, density: 1107, damping: { mass: 10 } },
          joints: { stiffness: 10, rotation: { about: 'normal', stiffness: 5e-8 } },
        },
      ],
      colliders: [{ type: 'sphere', radius: 0.06, friction: 0.3 }],
      contact: { between: 'none' },
      time: { duration: 1, step: 1 / 240 },
    };
    const options = { leastParts: 2, leastTouching: 2, leastNumbers: 1, leastNodes: 1, kernels, balance: wander };
    const models = [
      kernels ? [one] : [],
      [await loadThreadedDer(two.ports, options)],
      [await loadThreadedDer(threads.ports, options)],
    ];
    const [first, ...others] = models.map((list) => {
      const world = createWorld(cloth, { models: list });
      const reports: unknown[] = [];
      for (let k = 0; k < 16; k++) reports.push(world.step(), world.hash());
      expect(world.contactForces().length).toBeGreaterThan(2);
      return [...reports, world.linkForces(), world.energies()];
    });
    for (const found of others) expect(found).toEqual(first);
  });

  it('cloth that is corrected by cells of space, as it is where a step takes long', async () => {
    const cloth: Scene = {
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [],
      weaves: [
        {
          id: 'cloth',
          center: [0.0003, 0.0002, 0.0601],
          warp: { count: 44, spacing: 0.2 / 44 },
          edges: 1,
          section: { type: 'circle', radius: 3e-5 },
          material: { E: 3.58e9, G: 1.07e9, density: 1107, damping: { mass: 10 } },
          joints: { stiffness: 10, rotation: { about: 'normal', stiffness: 5e-8 } },
        },
      ],
      colliders: [{ type: 'sphere', radius: 0.06, friction: 0.3 }],
      contact: { between: 'none' },
      time: { duration: 1, step: 1 / 240 },
    };
    const options = {
      leastParts: 2,
      leastTouching: 2,
      leastNumbers: 1,
      leastNodes: 1,
      kernels: false,
      balance: wander,
    };
    const models = [[], [await loadThreadedDer(two.ports, options)], [await loadThreadedDer(threads.ports, options)]];
    const [first, ...others] = models.map((list) => {
      const world = createWorld(cloth, { models: list });
      const reports: unknown[] = [];
      let most = 0;
      for (let k = 0; k < 2; k++) {
        reports.push(world.step(), world.hash());
        most = Math.max(most, world.contactReport?.iterations ?? 0);
      }
      // PATIENCE of linkCoarse.ts, in each of two rounds and in those that came before
      expect(most).toBeGreaterThan(90);
      return reports;
    });
    for (const found of others) expect(found).toEqual(first);
  });

  it('cloths that know nothing of each other, one of which has links of all kinds', async () => {
    const weave = {
      warp: { count: 5, spacing: 0.02 },
      edges: 1,
      section: { type: 'circle', radius: 3e-5 },
      material: { E: 3.58e9, G: 1.07e9, density: 1107, damping: { mass: 10 } },
      joints: { stiffness: 10, rotation: { about: 'normal', stiffness: 5e-8 } },
    } as const;
    const cloths: Scene = {
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [],
      weaves: [
        { id: 'on', center: [0.003, 0.002, 0.0603], ...weave },
        { id: 'beside', center: [0.3, 0, 0.06], ...weave },
      ],
      links: [
        { rod: 'beside warp 0', at: 'start', to: { point: [0.26, -0.05, 0.06] }, stiffness: 1 },
        {
          rod: 'beside warp 1',
          at: { u: 0.9 },
          to: { rod: 'beside warp 2', at: { u: 0.9 } },
          stiffness: 1,
          rotation: { about: 'all', stiffness: 1e-8 },
        },
      ],
      colliders: [{ type: 'sphere', radius: 0.06, friction: 0.3 }],
      contact: { between: 'none' },
      time: { duration: 1, step: 1 / 240 },
    };
    const options = {
      leastParts: 2,
      leastTouching: 2,
      leastNumbers: 1,
      leastNodes: 1,
      kernels: false,
      balance: wander,
    };
    const models = [[], [await loadThreadedDer(two.ports, options)], [await loadThreadedDer(threads.ports, options)]];
    const [first, ...others] = models.map((list) => {
      const world = createWorld(cloths, { models: list });
      const reports: unknown[] = [];
      for (let k = 0; k < 5; k++) reports.push(world.step(), world.hash(), { ...world.contactReport });
      expect(world.contactForces().length).toBeGreaterThan(1);
      const saved = world.save();
      reports.push(world.step(), world.hash());
      world.restore(saved);
      return [...reports, world.step(), world.hash(), world.linkForces(), world.energies(), world.reactions()];
    });
    for (const found of others) expect(found).toEqual(first);
  });

  it('go back to a saved state, and on from it', () => {
    run(touching, (world) => {
      for (let k = 0; k < 30; k++) world.step();
      const saved = world.save();
      const later = (): string => {
        for (let k = 0; k < 4; k++) world.step();
        return world.hash();
      };
      const first = later();
      world.restore(saved);
      expect(later()).toBe(first);
      return first;
    });
  });

  it('say which rod fails, and leave all as it was', () => {
    const violent = ball(touching.contact, {
      solver: { der: { iterations: 2 } },
      time: { duration: 1, step: 1 / 60, halvings: 0 },
    });
    run(violent, (world) => {
      for (let k = 0; k < 30; k++) {
        const before = world.hash();
        try {
          world.step();
        } catch (error) {
          expect(error).toBeInstanceOf(SimulationError);
          expect(world.hash()).toBe(before);
          return [k, String(error), before];
        }
      }
      throw new Error('no step failed');
    });
  });

  it('cut the steps of groups that fail', () => {
    run(
      ball(touching.contact, { solver: { der: { iterations: 3 } }, time: { duration: 1, step: 1 / 80 } }),
      (world) => {
        const reports: unknown[] = [];
        let substeps = 0;
        for (let k = 0; k < 14; k++) {
          const report = world.step();
          substeps += report.substeps;
          reports.push(report, world.hash());
        }
        expect(substeps).toBeGreaterThan(14);
        return reports;
      },
    );
  });

  it('take a world that begins elsewhere as its caller does', () => {
    const first = createWorld(scene, { models: [one] });
    for (let k = 0; k < 5; k++) first.step();
    const rods = first.rods.map((rod, r) => ({
      ...rod,
      nodePosition: first.samples[r].nodePosition.slice(),
      edgeDirector: first.samples[r].edgeDirector.slice(),
    }));
    run(scene, () => undefined);
    const [expected, ...found] = teams.map(([, model]) => {
      const world = createWorld(scene, { models: [model], start: { time: 0.02, rods } });
      for (let k = 0; k < 3; k++) world.step();
      return world.hash();
    });
    expect(found).toEqual([expected, expected]);
  });
});

describe('threads over fibers', () => {
  const fibers: Scene = {
    ...scene,
    rods: scene.rods.map((rod) => ({ ...rod, model: 'fiber', section: { type: 'circle', radius: 5e-4 } })),
  };
  let plain: Model;
  let shared: Model;
  beforeAll(async () => {
    plain = await loadFiber();
    shared = await loadThreadedFiber(threads.ports, {
      leastParts: 2,
      leastTouching: 2,
      leastNumbers: 1,
      leastNodes: 1,
      balance: wander,
    });
  });

  it('give the bits of one, and of none of it', () => {
    const worlds = [
      createWorld(fibers),
      createWorld(fibers, { models: [plain] }),
      createWorld(fibers, { models: [shared] }),
    ];
    for (let k = 0; k < 6; k++) {
      const [iterations, ...others] = worlds.map((world) => world.step().iterations);
      expect(others).toEqual([iterations, iterations]);
    }
    const [alone, , together] = worlds;
    for (const world of worlds) expect(world.hash()).toBe(alone.hash());
    expect(together.energies()).toEqual(alone.energies());
    expect(together.channel(10, 'curvature')).toEqual(alone.channel(10, 'curvature'));
    expect(together.samples[10].nodeVelocity).toEqual(alone.samples[10].nodeVelocity);
    const saved = together.save();
    for (const world of worlds) world.step();
    expect(together.hash()).toBe(alone.hash());
    together.restore(saved);
    expect(together.step().iterations).toBeGreaterThan(11);
    expect(together.hash()).toBe(alone.hash());
  });

  it('cut a step that fails, as one does', () => {
    const violent: Scene = { ...fibers, time: { duration: 10, step: 0.3 }, solver: { fiber: { iterations: 2 } } };
    const alone = createWorld(violent, { models: [plain] });
    const together = createWorld(violent, { models: [shared] });
    const { substeps } = alone.step();
    expect(substeps).toBeGreaterThan(1);
    expect(together.step().substeps).toBe(substeps);
    expect(together.hash()).toBe(alone.hash());
  });

  it('with contact', () => {
    const touching: Scene = {
      ...fibers,
      pins: fibers.pins?.slice(0, 7),
      colliders: [{ type: 'plane', position: [0, 0, -0.003], normal: [0, 0, 1], friction: 0.3 }],
    };
    const alone = createWorld(touching, { models: [plain] });
    const together = createWorld(touching, { models: [shared] });
    let touched = 0;
    for (let k = 0; k < 12; k++) {
      expect(together.step().iterations).toBe(alone.step().iterations);
      touched += alone.contactForces().length;
    }
    expect(touched).toBeGreaterThan(20);
    expect(together.hash()).toBe(alone.hash());
    expect(together.energies()).toEqual(alone.energies());
    expect(together.reactions()).toEqual(alone.reactions());
  });

  it('that touch each other', () => {
    const crossing: Scene = {
      ...fibers,
      rods: fibers.rods.map((rod, k) => ({
        ...rod,
        shape:
          k % 2
            ? { type: 'straight', from: [0.05, 0.01 * k - 0.05, -0.002], to: [0.05, 0.01 * k + 0.05, -0.002] }
            : rod.shape,
      })),
      contact: { friction: 0.2 },
    };
    const alone = createWorld(crossing, { models: [plain] });
    const together = createWorld(crossing, { models: [shared] });
    let touched = 0;
    for (let k = 0; k < 12; k++) {
      expect(together.step()).toEqual(alone.step());
      touched += alone.contactForces().length;
    }
    expect(touched).toBeGreaterThan(20);
    expect(together.hash()).toBe(alone.hash());
    expect(together.reactions()).toEqual(alone.reactions());
  });
});
