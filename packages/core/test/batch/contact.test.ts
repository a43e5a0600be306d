/** Contact of the batch backend through the world: against `der`, which is the same discrete rod, and against closed forms. */
import { describe, expect, test } from 'vitest';
import { createWorld, type Scene, type World } from '../../src/index.ts';
import { DT, farthest } from './scenes.ts';

type Backend = 'standard' | 'batch';
const RADIUS = 1e-3;
const rope = { section: { type: 'circle', radius: RADIUS }, material: { E: 1e7, G: 4e6, density: 1300 } } as const;
const floor = { id: 'floor', type: 'plane', position: [0, 0, 0], normal: [0, 0, 1], friction: 0.3 } as const;

function sceneOf(changes: Partial<Scene>, backend: Backend, integrator: 'implicit-euler' | 'bdf2' = 'bdf2'): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    contact: { between: 'none' },
    time: { step: DT, duration: 1 },
    solver: { der: { integrator, twist: 'quasistatic', backend } },
    rods: [],
    ...changes,
  };
}

const straight = (from: readonly [number, number, number], to: readonly [number, number, number], edges = 12) =>
  ({ id: 'rope', shape: { type: 'straight', from, to }, edges, inextensible: true, ...rope }) as const;

const overBall: Partial<Scene> = {
  rods: [{ ...straight([0, 0, 0.05], [0.3, 0.02, 0.05]), section: { type: 'circle', radius: 5e-4 } }],
  pins: [{ rod: 'rope', at: 'start' }],
  colliders: [{ id: 'ball', type: 'sphere', radius: 0.05, position: [0.12, 0, -0.03], friction: 0.3 }],
};
const onFloor: Partial<Scene> = { rods: [straight([0, 0, 0.005], [0.3, 0.02, 0.02])], colliders: [floor] };
const ledOverBall: Partial<Scene> = {
  ...overBall,
  pins: [
    {
      rod: 'rope',
      at: 'start',
      path: { keys: [{ time: 0 }, { time: 40 * DT, offset: [-0.02, 0.03, -0.02], rotation: [0.2, 0.1, 0.4] }] },
      release: 33.3 * DT,
    },
  ],
};
const carried: Partial<Scene> = {
  rods: [straight([0, 0, RADIUS], [0.2, 0, RADIUS])],
  colliders: [
    {
      ...floor,
      type: 'box',
      size: [1, 1, 0.2],
      position: [0, 0, -0.1],
      path: { keys: [{ time: 0 }, { time: 0.2, offset: [0.05, 0.02, 0.01] }] },
    },
  ],
};

describe('step by step against der', () => {
  test.each([
    // both solvers stop within a tolerance: 1e-4 of the velocity of the fall, some 2e-7 m in the step of the impact
    ['a free rope that falls on a floor', onFloor, 24, 1e-6],
    ['a clamped rope that falls on a ball', overBall, 40, 5e-6],
    ['a clamped rope that its clamp leads over a ball, and lets go', ledOverBall, 40, 1e-4],
    ['a rope carried by a box', carried, 40, 1e-6],
  ] as const)('%s', (_, scene, steps, tolerance) => {
    const [expected, found] = (['standard', 'batch'] as const).map((backend) =>
      createWorld(sceneOf(scene, backend, 'implicit-euler')),
    );
    for (let k = 0; k < steps; k++) {
      expected.step();
      found.step();
      expect(found.contactReport?.converged).toBe(true);
      expect(farthest(expected.samples[0].nodePosition, found.samples[0].nodePosition)).toBeLessThan(tolerance);
    }
    const [a, b] = [expected.contactForces(), found.contactForces()];
    expect(b.length).toBe(a.length);
    expect(b.length).toBeGreaterThan(1);
    const total = (list: typeof a): number => list.reduce((sum, { force }) => sum + force[2], 0);
    expect(total(b) / total(a)).toBeCloseTo(1, 2);
  });
});

/** Straight rope on a plane tilted by `angle`; how far its middle got in 1/4 s. */
function slide(angle: number, friction: number): { world: World; distance: number; steps: number } {
  const gravity = [9.81 * Math.sin(angle), 0, -9.81 * Math.cos(angle)] as const;
  const rods = [straight([-0.1, 0, RADIUS], [0.1, 0, RADIUS], 8)];
  const world = createWorld(sceneOf({ gravity, rods, colliders: [{ ...floor, friction }] }, 'batch'));
  const steps = 60;
  for (let k = 0; k < steps; k++) world.step();
  return { world, distance: world.samples[0].nodePosition[12], steps };
}

describe('incline', () => {
  test.each([0.2, 0.5])('sticks just below the cone and slides as computed just above, friction %f', (friction) => {
    expect(Math.abs(slide(Math.atan(0.98 * friction), friction).distance)).toBeLessThan(1e-6);
    for (const part of [1.02, 1.5]) {
      const angle = Math.atan(part * friction);
      const { distance, steps } = slide(angle, friction);
      const acceleration = 9.81 * (Math.sin(angle) - friction * Math.cos(angle));
      expect(distance / (0.5 * acceleration * DT * DT * steps * (steps + 1))).toBeCloseTo(1, 3);
    }
  });
});

describe('rest', () => {
  test('a rope lies on the floor: its weight is carried, it stops and does not sink in', () => {
    const world = createWorld(sceneOf(onFloor, 'batch'));
    const start = world.energies().total;
    let energy = start;
    for (let k = 0; k < 120; k++) {
      world.step();
      const now = world.energies().total;
      expect(now).toBeLessThan(energy + 1e-5 * start);
      energy = now;
    }
    const forces = world.contactForces();
    const { mass } = world.momentum();
    expect(forces.reduce((sum, { force }) => sum + force[2], 0) / (9.81 * mass)).toBeCloseTo(1, 3);
    for (const { gap } of forces) expect(gap).toBeGreaterThan(-0.05 * RADIUS);
    expect(Math.max(...world.samples[0].nodeVelocity.map(Math.abs))).toBeLessThan(1e-4);
  });

  test('reactions and tension count contact: a rope held at one end, its other end on the floor', () => {
    const damped = {
      ...straight([0, 0, 0.1], [0.2, 0, 0.02]),
      material: { ...rope.material, damping: { mass: 30 } },
    };
    const scene = { ...onFloor, rods: [damped], pins: [{ rod: 'rope', at: 'start' }] };
    const world = createWorld(sceneOf(scene as Partial<Scene>, 'batch'));
    for (let k = 0; k < 150; k++) world.step();
    const carriedByFloor = world.contactForces().reduce((sum, { force }) => sum + force[2], 0);
    const weight = 9.81 * world.momentum().mass;
    expect(carriedByFloor / weight).toBeGreaterThan(0.1);
    expect((world.reactions()[0].force[2] + carriedByFloor) / weight).toBeCloseTo(1, 2);
  });
});

test('capstan: tension grows by exp(μ φ) over half a turn', () => {
  const [bar, friction, force] = [0.03, 0.3, 0.1];
  const r = 5e-4;
  const around = bar + r;
  const points: [number, number, number][] = [];
  for (let k = 0; k <= 6; k++) points.push([-around, 0, 0.004 * (k - 6)]);
  for (let k = 1; k < 20; k++) {
    const angle = Math.PI * (1 - k / 20);
    points.push([around * Math.cos(angle), 0, around * Math.sin(angle)]);
  }
  for (let k = 0; k <= 6; k++) points.push([around, 0, -0.004 * k]);
  const pull = { keys: [{ time: 0 }, { time: 1, offset: [0, 0, -0.05] as const }], interpolation: 'linear' as const };
  const world = createWorld(
    sceneOf(
      {
        rods: [
          {
            id: 'rope',
            shape: { type: 'points', points },
            edges: 32,
            inextensible: true,
            section: { type: 'circle', radius: r },
            material: { E: 1e6, G: 4e5, density: 1000 },
          },
        ],
        pins: [{ rod: 'rope', at: 'start', hold: 'position', path: pull }],
        loads: [{ rod: 'rope', type: 'force', at: 'end', force: [0, 0, -force] }],
        colliders: [{ id: 'bar', type: 'capsule', from: [0, -0.1, 0], to: [0, 0.1, 0], radius: bar, friction }],
      },
      'batch',
    ),
  );
  const ratios: number[] = [];
  for (let k = 0; k < 16; k++) {
    const { contact } = world.step();
    if (k < 6) continue;
    expect(contact?.converged).toBe(true);
    ratios.push(-world.reactions()[0].force[2] / force);
  }
  const exact = Math.exp(friction * Math.PI);
  for (const ratio of ratios) expect(Math.abs(ratio / exact - 1)).toBeLessThan(0.04);
  expect(Math.abs(ratios.reduce((sum, x) => sum + x) / ratios.length / exact - 1)).toBeLessThan(0.03);
});

describe('strands against each other', () => {
  const crossing: Partial<Scene> = {
    contact: { between: 'pairs', friction: 0.2 },
    gravity: [0, 0, 0],
    rods: [
      { ...straight([-0.1, 0, 0], [0.1, 0, 0], 8), id: 'below' },
      { ...straight([0, -0.1, 0.02], [0, 0.1, 0.02], 8), id: 'thrown', velocity: { linear: [0, 0, -2] } },
    ],
  };
  test('one thrown across another at 2 m/s does not pass, and both keep their momentum', () => {
    const world = createWorld(sceneOf(crossing, 'batch'));
    const before = world.momentum().linear.slice();
    for (let k = 0; k < 20; k++) {
      world.step();
      const [below, thrown] = world.samples.map(({ nodePosition }) => nodePosition[3 * 4 + 2]);
      expect(thrown - below).toBeGreaterThan(1.9 * RADIUS);
    }
    expect(world.samples[0].nodeVelocity[3 * 4 + 2]).toBeLessThan(-0.5);
    expect(farthest(world.momentum().linear, before)).toBeLessThan(1e-4 * Math.hypot(...before));
  });

  test('two runs, and a run that was saved and restored in contact, give the same bits', () => {
    const [one, other, restored] = [0, 1, 2].map(() => createWorld(sceneOf(crossing, 'batch')));
    for (let k = 0; k < 6; k++) for (const world of [one, other]) world.step();
    expect(one.contactForces().length).toBeGreaterThan(0);
    restored.restore(one.save());
    for (let k = 0; k < 6; k++) for (const world of [one, other, restored]) world.step();
    expect(other.hash()).toBe(one.hash());
    expect(restored.hash()).toBe(one.hash());
  });
});
