/** The batch formulation in double precision against `der`, which is the same discrete rod with other unknowns. */
import { describe, expect, test } from 'vitest';
import { batchModel } from '../../src/batch/model.ts';
import { createWorld, type RodSpec, type Scene, type World } from '../../src/index.ts';
import { DT, farthest, material, sceneOf } from './scenes.ts';

type Integrator = 'implicit-euler' | 'bdf2' | 'tr-bdf2';

const der = (scene: Scene, integrator: Integrator): Scene => ({
  ...scene,
  solver: { der: { integrator, twist: 'quasistatic', tolerance: 1e-11 } },
});
const both = (scene: Scene, integrator: Integrator): [World, World] => [
  createWorld(der(scene, integrator)),
  createWorld(der(scene, integrator), { models: [batchModel] }),
];
const helix: Partial<RodSpec> = { shape: { type: 'helix', radius: 0.01, pitch: 0.03, turns: 3 }, natural: 'initial' };

const motions: Record<string, Scene> = {
  'clamped, let go straight': sceneOf(),
  'clamped on a moving and turning root': sceneOf({
    pins: [
      {
        rod: 'strand',
        at: 'start',
        path: {
          keys: [{ time: 0 }, { time: 0.1, offset: [0.02, 0.01, 0], rotation: [0.3, 0.5, 0.2], twist: 0.4 }],
        },
      },
    ],
  }),
  pinned: sceneOf({ pins: [{ rod: 'strand', at: 'start', hold: 'position' }] }, helix),
  free: sceneOf({ pins: [] }, { ...helix, velocity: { linear: [1, 0, 0.5], angular: [3, 2, 5] } }),
  'clamped, then released': sceneOf({ pins: [{ rod: 'strand', at: 'start', release: 2.5 * DT }] }, helix),
  'with mass damping, forces and torques': sceneOf(
    {
      loads: [
        { rod: 'strand', type: 'torque', at: 'end', torque: [4e-9, 8e-9, 1.2e-8], frame: 'material' },
        { rod: 'strand', type: 'force', at: { u: 0.5 }, force: [1e-6, 2e-5, 3e-6] },
      ],
    },
    { material: { ...material, damping: { mass: 3 } } },
  ),
  'in wind': sceneOf({
    fields: [{ type: 'air', wind: [3, 2, 0], linear: [2e-4, 1e-4], quadratic: { density: 1.2, normal: 1.2 } }],
  }),
};

describe.each(['implicit-euler', 'bdf2', 'tr-bdf2'] as const)('step by step, %s', (integrator) => {
  test.each(Object.keys(motions))('%s', (name) => {
    const [expected, found] = both(motions[name], integrator);
    const start = expected.samples[0].nodePosition.slice();
    for (let k = 0; k < 8; k++) {
      expected.step();
      found.step();
      const [a, b] = [expected.samples[0], found.samples[0]];
      expect(farthest(a.nodePosition, b.nodePosition)).toBeLessThan(1e-8 * 0.3);
      expect(farthest(a.nodeVelocity, b.nodeVelocity)).toBeLessThan(1e-7);
      expect(farthest(a.edgeDirector, b.edgeDirector)).toBeLessThan(1e-6);
    }
    expect(farthest(start, found.samples[0].nodePosition)).toBeGreaterThan(1e-3);
    const [energy, same] = [expected.energies(), found.energies()];
    expect(same.kinetic / energy.kinetic).toBeCloseTo(1, 6);
    expect(same.bending / energy.bending).toBeCloseTo(1, 6);
    expect(same.total).toBeCloseTo(energy.total, 12);
  });
});

describe('stiffness damping', () => {
  /** Largest distance from `der` after 0.05 s. */
  const distance = (dt: number): number => {
    const scene = sceneOf({}, { material: { ...material, damping: { stiffness: 0.01 } } });
    const [expected, found] = both({ ...scene, time: { step: dt, duration: 1 } }, 'tr-bdf2');
    while (expected.time < 0.05 - 1e-9) {
      expected.step();
      found.step();
    }
    return farthest(expected.samples[0].nodePosition, found.samples[0].nodePosition);
  };
  test('is the law of `der`: both come together with the step, of second order', () => {
    const [coarse, fine] = [distance(DT), distance(DT / 2)];
    expect(coarse).toBeGreaterThan(1e-9);
    expect(coarse).toBeLessThan(1e-5);
    expect(coarse / fine).toBeGreaterThan(3);
  });
  test('is part of the torque of the clamp', () => {
    const scene = sceneOf({}, { material: { ...material, damping: { stiffness: 0.01 } } });
    const [expected, found] = both(scene, 'tr-bdf2');
    for (let k = 0; k < 12; k++) {
      expected.step();
      found.step();
      const [[{ torque }], [own]] = [expected.reactions(), found.reactions()];
      expect(farthest(own.torque, torque)).toBeLessThan(1e-4 * Math.hypot(...torque));
    }
  });
  test('does not resist a rod that turns with its clamp', () => {
    const turn = {
      rod: 'strand',
      at: 'start',
      path: { keys: [{ time: 0 }, { time: 0.2, rotation: [0, 0, 1] as const }] },
    } as const;
    const stiff = { ...helix, section: { type: 'circle', radius: 5e-3 } as const };
    const run = (stiffness: number): World => {
      const scene = sceneOf(
        { pins: [turn], gravity: [0, 0, 0] },
        { ...stiff, material: { ...material, damping: { stiffness } } },
      );
      const world = createWorld(der(scene, 'tr-bdf2'), { models: [batchModel] });
      for (let k = 0; k < 24; k++) world.step();
      return world;
    };
    const [damped, free] = [run(0.5), run(0)];
    const [a, b] = [damped.samples[0].nodePosition, free.samples[0].nodePosition];
    expect(farthest(a, b)).toBeLessThan(1e-5);
    expect(farthest(a, damped.rods[0].nodePosition)).toBeGreaterThan(1e-2);
  });
});

const rests: Record<string, Scene> = {
  'elliptic, tapered and curved': sceneOf(),
  'pinned, hanging': sceneOf({ pins: [{ rod: 'strand', at: 'start', hold: 'position' }] }, helix),
  'round and straight': sceneOf({}, { natural: 'straight', section: { type: 'circle', radius: 40e-6 } }),
  'stiff, hardly bent': sceneOf({}, { natural: 'straight', section: { type: 'circle', radius: 5e-3 } }),
  'under a force that follows': sceneOf({
    loads: [{ rod: 'strand', type: 'force', at: 'end', force: [1e-6, 2e-6, 3e-6], frame: 'material' }],
  }),
  'under a torque': sceneOf({ loads: [{ rod: 'strand', type: 'torque', at: 'end', torque: [5e-8, 2e-8, 1e-7] }] }),
};

describe('equilibria', () => {
  test.each(Object.keys(rests))('%s', (name) => {
    const [expected, found] = both(rests[name], 'tr-bdf2');
    const [[report], [own]] = [expected.equilibrate(), found.equilibrate()];
    expect(report.converged).toBe(true);
    expect(own.converged).toBe(true);
    const [a, b] = [expected.samples[0].nodePosition, found.samples[0].nodePosition];
    // a pinned rod may turn about the vertical: its heights are what is determined
    const pinned = name.startsWith('pinned');
    const compared = (x: Float64Array): Float64Array => (pinned ? x.filter((_, k) => k % 3 === 2) : x);
    expect(farthest(compared(a), compared(b))).toBeLessThan(1e-8 * 0.3);
    expect(found.energies().total).toBeCloseTo(expected.energies().total, 14);
    expect(farthest(b, found.rods[0].nodePosition)).toBeGreaterThan(1e-7);
    for (const channel of ['curvature', 'twist', 'tension'] as const) {
      const [c, d] = [expected.channel(0, channel), found.channel(0, channel)];
      expect(farthest(c, d)).toBeLessThan(1e-7 * Math.max(...c.map(Math.abs)) + 1e-9);
    }
    const [[pin], [same]] = [expected.reactions(), found.reactions()];
    expect(farthest(pin.force, same.force)).toBeLessThan(1e-7 * Math.hypot(...pin.force));
    expect(farthest(pin.torque, same.torque)).toBeLessThan(1e-7 * Math.hypot(...pin.torque) + 1e-16);
    // at rest it stays
    const rest = b.slice();
    found.step();
    expect(farthest(b, rest)).toBeLessThan(1e-9);
  });

  test('a rod that nothing holds has none, and the report says so', () => {
    const [, world] = both(sceneOf({ pins: [] }), 'tr-bdf2');
    const [report] = world.equilibrate();
    expect(report.converged).toBe(false);
    expect(report.reason).toMatch(/holds/);
  });
});

describe('order in time', () => {
  const orders = { 'implicit-euler': 1, bdf2: 2, 'tr-bdf2': 2 };
  test.each(Object.keys(orders) as Integrator[])('%s', (integrator) => {
    const stiff = { ...helix, edges: 6, section: { type: 'circle', radius: 1e-3 } as const };
    const scene = sceneOf({ gravity: { acceleration: [0, 0, -9.81], factor: { formula: 'sin(20 * t)^2' } } }, stiff);
    const end = (dt: number, scheme: Integrator): Float64Array => {
      const world = createWorld(der({ ...scene, time: { step: dt, duration: 1 } }, scheme), { models: [batchModel] });
      while (world.time < 0.04 - 1e-9) world.step();
      return world.samples[0].nodePosition.slice();
    };
    const exact = end(0.04 / 1024, 'tr-bdf2');
    const [coarse, fine] = [0.04 / 96, 0.04 / 192].map((dt) => farthest(end(dt, integrator), exact));
    expect(coarse).toBeGreaterThan(1e-9);
    expect(Math.log2(coarse / fine)).toBeGreaterThan(orders[integrator] - 0.25);
  });
});

describe('invariance', () => {
  test('turning the whole scene turns the motion', () => {
    const turn = (x: number, y: number, z: number): [number, number, number] => [y, z, x];
    const run = (scene: Scene): Float64Array => {
      const world = createWorld(der(scene, 'bdf2'), { models: [batchModel] });
      for (let k = 0; k < 20; k++) world.step();
      return world.samples[0].nodePosition;
    };
    const frame = { d1: [0, 0, 1] as const };
    const plain = run(sceneOf({}, { frame }));
    const turnedFrame = { d1: turn(0, 0, 1) };
    const shape = { type: 'straight', from: [0, 0, 0], to: turn(0.3, 0.02, 0.1) } as const;
    const turned = run(sceneOf({ gravity: turn(0, 0, -9.81) }, { shape, frame: turnedFrame }));
    for (let k = 0; k < plain.length; k += 3)
      expect(farthest(turn(plain[k], plain[k + 1], plain[k + 2]), turned.subarray(k, k + 3))).toBeLessThan(1e-9);
  });

  test('a free rod without gravity keeps its momentum, and edges their lengths', () => {
    const scene = sceneOf(
      { pins: [], gravity: [0, 0, 0] },
      { ...helix, velocity: { linear: [1, 0, 0.5], angular: [3, 2, 5] } },
    );
    const world = createWorld(der(scene, 'tr-bdf2'), { models: [batchModel] });
    const before = world.momentum();
    for (let k = 0; k < 60; k++) world.step();
    const after = world.momentum();
    const size = before.mass * 1.1;
    expect(farthest(before.linear, after.linear)).toBeLessThan(1e-9 * size);
    // implicit schemes lose angular momentum, of second order
    expect(farthest(before.angular, after.angular)).toBeLessThan(2e-3 * Math.hypot(...before.angular));
    const { nodePosition: x } = world.samples[0];
    world.rods[0].edgeLengthRest.forEach((length, j) => {
      const edge = Math.hypot(...[0, 1, 2].map((k) => x[3 * j + 3 + k] - x[3 * j + k]));
      expect(edge / length).toBeCloseTo(1, 13);
    });
  });

  test('a restored state goes on bit by bit', () => {
    for (const integrator of ['bdf2', 'tr-bdf2'] as const) {
      const scene = der(sceneOf({}, { material: { ...material, damping: { stiffness: 0.01, mass: 1 } } }), integrator);
      const [one, other] = [0, 1].map(() => createWorld(scene, { models: [batchModel] }));
      for (let k = 0; k < 5; k++) one.step();
      other.restore(one.save());
      for (let k = 0; k < 5; k++) {
        one.step();
        other.step();
      }
      expect(other.hash()).toBe(one.hash());
    }
  });
});

test('solver.der.backend chooses it in the scene', () => {
  const scene = der(sceneOf(), 'bdf2');
  const [standard, injected] = both(sceneOf(), 'bdf2');
  const chosen = createWorld({ ...scene, solver: { der: { ...scene.solver?.der, backend: 'batch' } } });
  for (const world of [standard, injected, chosen]) world.step();
  expect(chosen.hash()).toBe(injected.hash());
  expect(chosen.hash()).not.toBe(standard.hash());
});

describe('what the formulation does not cover is refused', () => {
  const create = (scene: Scene) => (): World => createWorld(scene, { models: [batchModel] });
  test.each([
    ['rods that stretch', sceneOf({}, { inextensible: false }), /inextensible: true/],
    ['rings', sceneOf({ pins: [] }, { shape: { type: 'ring', radius: 0.1 }, natural: 'initial' }), /closed/],
    ['pins elsewhere', sceneOf({ pins: [{ rod: 'strand', at: 'end' }] }), /first node/],
    ['hinges', sceneOf({ pins: [{ rod: 'strand', at: 'start', hold: 'hinge', axis: [0, 1, 0] }] }), /hinge/],
    ['other strains', sceneOf({ solver: { der: { strain: 'bergou2008' } } }), /rotation/],
    ['explicit schemes', sceneOf({ solver: { der: { integrator: 'shake' } } }), /tr-bdf2/],
  ])('%s', (_, scene, message) => {
    expect(create(scene)).toThrow(message);
  });

  test('inertia of twist is left out, with a warning', () => {
    expect(create(sceneOf())().warnings.join()).toMatch(/inertia of twist/);
    expect(create(sceneOf({ solver: { der: { twist: 'quasistatic' } } }))().warnings.join()).not.toMatch(/twist/);
  });
});
