/** Rods that break: place, time and energy of a break, the state after it, and what rejects it. */
import { describe, expect, it } from 'vitest';
import { type Break, createWorld, type RodSpec, type Scene, type World } from '../../src/index.ts';

const soft: RodSpec['section'] = { type: 'stiffness', EA: 1000, EI1: 1e-3, GJ: 1e-3, mass: 0.1, inertia: 1e-6 };
const straight: RodSpec['shape'] = { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] };
const rope: RodSpec = { id: 'rope', shape: straight, edges: 20, section: soft, break: { tension: 5 } };
const held: Scene['pins'] = [{ rod: 'rope', at: 'start', hold: 'position' }];

function scene(rod: Partial<RodSpec>, more: Partial<Scene> = {}): Scene {
  return { tendril: 1, rods: [{ ...rope, ...rod }], pins: held, time: { duration: 1, step: 0.01 }, ...more };
}

/** Steps until t; returns the breaks. No step may create energy or momentum. */
function run(world: World, until: number): Break[] {
  const breaks: Break[] = [];
  while (world.time < until - 1e-9) {
    const report = world.step();
    expect(report.energyGain ?? report.energyLoss ?? report.momentumGain, `t = ${report.time}`).toBeUndefined();
    breaks.push(...(report.breaks ?? []));
  }
  return breaks;
}

/** A weight that grows with time: the rope hangs straight, so its tension is that of statics. */
const hanging = scene(
  {
    shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -1] },
    inextensible: true,
    break: { tension: 0.5 },
  },
  { gravity: { acceleration: [0, 0, -10], factor: { formula: 't' } }, time: { duration: 1, step: 0.03 } },
);

describe('a hanging rope', () => {
  it('breaks at its top when its weight reaches the strength', () => {
    const world = createWorld(hanging);
    const [first, second] = run(world, 0.6);
    // ρ g L t (1 − 1/2n) is the tension in the middle of the first edge
    expect(first.time).toBeCloseTo(0.5 / (1 - 1 / 40), 6);
    expect(first).toMatchObject({ rod: 'rope', edge: 0, energy: expect.closeTo(0, 9) });
    expect(first.tension).toBeCloseTo(0.5, 6);
    expect(second).toBeUndefined();
    // the rest falls freely: ½ g (t² − t₀²)
    const fall = -5 * (world.time ** 2 - first.time ** 2);
    expect(world.samples[0].nodeVelocity[3 * 20 + 2]).toBeCloseTo(fall, 6);
    expect(Math.max(...world.channel(0, 'tension').map(Math.abs))).toBeLessThan(1e-6);
  });

  it('does not break below its strength', () => {
    const strong = { ...hanging, rods: [{ ...hanging.rods[0], break: { tension: 1 } }] };
    expect(run(createWorld(strong), 1)).toEqual([]);
  });
});

describe('the time of a break', () => {
  const timeAt = (integrator: 'tr-bdf2' | 'implicit-euler', step: number): number => {
    // a weight that acts at once: the rope swings like a spring
    const world = createWorld(
      scene(
        {
          edges: 3,
          shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -1] },
          section: { ...soft, EA: 20 } as RodSpec['section'],
          break: { tension: 1.2 },
        },
        { gravity: [0, 0, -10], solver: { der: { integrator } }, time: { duration: 1, step } },
      ),
    );
    for (;;) {
      const [first] = world.step().breaks ?? [];
      if (first) return first.time;
    }
  };

  it.each([
    ['tr-bdf2', 1.8],
    ['implicit-euler', 0.9],
  ] as const)('converges with the order of %s', (integrator, order) => {
    const exact = timeAt('tr-bdf2', 0.0002);
    const [coarse, fine] = [0.008, 0.002].map((step) => Math.abs(timeAt(integrator, step) - exact));
    expect(fine).toBeGreaterThan(0);
    expect(Math.log2(coarse / fine) / 2).toBeGreaterThan(order);
  });
});

describe('a break in bending', () => {
  const beam = (edges: number): Scene =>
    scene(
      {
        edges,
        section: { ...soft, EI1: 10, GJ: 10, damping: { mass: 20 } } as RodSpec['section'],
        break: { moment: 0.2 },
      },
      {
        pins: [{ rod: 'rope', at: 'start' }],
        loads: [
          { type: 'force', rod: 'rope', at: 'end', force: [0, 0, 0.25], factor: { formula: 'smoothstep(0, 8, t)' } },
        ],
        time: { duration: 8, step: 0.05 },
      },
    );

  it.each([5, 20])('is at the clamp of a cantilever, when F L is the strength, with %i edges', (edges) => {
    const world = createWorld(beam(edges));
    const [first] = run(world, 8);
    expect(first.edge).toBe(0);
    expect(first.moment).toBeCloseTo(0.2, 6);
    const u = first.time / 8;
    expect(0.25 * u * u * (3 - 2 * u)).toBeCloseTo(0.2, 2);
  });

  it('is in the middle of a beam on three points', () => {
    const world = createWorld(
      scene(
        { edges: 20, section: { ...soft, EI1: 10, GJ: 10 } as RodSpec['section'], break: { moment: 0.2 } },
        {
          pins: [
            { rod: 'rope', at: 'start', hold: 'position' },
            { rod: 'rope', at: 'end', hold: 'position', axes: ['y', 'z'] },
          ],
          loads: [{ type: 'force', rod: 'rope', at: { u: 0.5 }, force: [0, 0, 1], factor: { formula: 't' } }],
          time: { duration: 2, step: 0.02 },
        },
      ),
    );
    expect([9, 10]).toContain(run(world, 1.5)[0].edge);
  });
});

describe('an evenly loaded bar', () => {
  const bar = (step: number, damping: object = { stiffness: 0.01 }): Scene =>
    scene(
      { section: { ...soft, damping } as RodSpec['section'] },
      {
        pins: [
          { rod: 'rope', at: 'start', hold: 'position' },
          {
            rod: 'rope',
            at: 'end',
            hold: 'position',
            path: { keys: [{ time: 0 }, { time: 1, offset: [0.01, 0, 0] }] },
          },
        ],
        time: { duration: 1, step },
      },
    );

  it.each([0.02, 0.002])('breaks once, at any step: %d s', (step) => {
    expect(run(createWorld(bar(step)), 0.8)).toHaveLength(1);
  });

  it('loses the energy of one edge', () => {
    const world = createWorld(bar(0.01, { mass: 20 }));
    const [{ energy, tension }] = run(world, 0.8);
    // T²L/2EA
    expect(energy).toBeCloseTo((0.5 * tension ** 2 * 0.05) / 1000, 8);
    expect(world.energies().dissipated).toBe(energy);
  });
});

const ring: Partial<RodSpec> = {
  shape: { type: 'ring', center: [0, 0, 0], radius: 0.1 },
  edges: 24,
  break: { tension: 1 },
};
const pulledRing: Partial<Scene> = {
  pins: [
    { rod: 'rope', at: { node: 0 }, hold: 'position' },
    {
      rod: 'rope',
      at: { node: 12 },
      hold: 'position',
      path: { keys: [{ time: 0 }, { time: 0.5, offset: [-0.15, 0, 0] }] },
    },
  ],
};
const floor: Partial<Scene> = {
  gravity: [0, 0, -9.81],
  pins: [{ rod: 'rope', at: 'start' }],
  contact: { friction: 0.3 },
  colliders: [{ id: 'floor', type: 'plane', position: [0, 0, -0.4], normal: [0, 0, 1] }],
};
const beamOnFloor: Partial<RodSpec> = {
  section: { type: 'circle', radius: 0.01 },
  material: { E: 1e7, nu: 0.4, density: 1000, damping: { stiffness: 1e-3 } },
  break: { moment: 0.3 },
};

describe('the state', () => {
  it.each<[string, Partial<RodSpec>, Partial<Scene>]>([
    ['of a ring', ring, pulledRing],
    ['in contact', beamOnFloor, floor],
    ['with a law', { ...beamOnFloor, law: { type: 'viscoelastic', terms: [{ ratio: 1, time: 0.05 }] } }, floor],
    ['of bdf2', ring, { ...pulledRing, solver: { der: { integrator: 'bdf2' } } }],
    ['without inertia of twist', ring, { ...pulledRing, solver: { der: { twist: 'quasistatic' } } }],
  ])('%s continues bit for bit, before and after breaks', (_, rod, more) => {
    const world = createWorld(scene(rod, more));
    const saved = [];
    let breaks = 0;
    for (let k = 0; k < 60; k++) {
      if (k % 15 === 0) saved.push(world.save());
      breaks += world.step().breaks?.length ?? 0;
    }
    expect(breaks).toBeGreaterThan(0);
    const other = createWorld(scene(rod, more));
    for (const state of saved) {
      other.restore(state);
      while (other.stepCount < 60) other.step();
      expect(other.hash()).toBe(world.hash());
    }
  });

  it('of other rods does not depend on a strength that is not reached', () => {
    const end = (strength: number | undefined): Float64Array => {
      const { break: _, ...whole } = rope;
      const world = createWorld({
        ...scene({}),
        gravity: [0, 0, -9.81],
        rods: [strength === undefined ? whole : { ...rope, break: { tension: strength } }],
      });
      run(world, 0.3);
      return world.samples[0].nodePosition.slice();
    };
    expect(end(1e6)).toEqual(end(undefined));
  });
});

it('falls on the floor in pieces, which it does not enter', () => {
  const world = createWorld(scene(beamOnFloor, { ...floor, time: { duration: 2, step: 0.01 } }));
  expect(run(world, 2).length).toBeGreaterThan(1);
  const { nodePosition } = world.samples[0];
  for (let i = 0; i <= 20; i++) expect(nodePosition[3 * i + 2]).toBeGreaterThan(-0.4 + 0.01 - 1e-3);
});

describe('rejections', () => {
  it.each<[string, Scene, RegExp]>([
    ['shake', scene({}, { solver: { der: { integrator: 'shake' } } }), /shake has no rods that break/],
    ['midpoint', scene({}, { solver: { der: { integrator: 'midpoint' } } }), /midpoint has no rods that break/],
    ['the batch backend', scene({}, { solver: { der: { backend: 'batch' } } }), /do not break|backend/],
    ['other models', scene({ model: 'fiber' }), /rods of model 'fiber' do not break; remove 'break', or use der/],
    ['no strength', scene({ break: {} }), /neither 'tension' nor 'moment'/],
    ['a strength of zero', scene({ break: { tension: 0 } }), /must be positive/],
    [
      'bodies',
      scene(
        {},
        {
          bodies: [{ id: 'bob', position: [1, 0, 0], mass: 1, inertia: [1, 1, 1] }],
          welds: [{ rod: 'rope', at: 'end', body: 'bob' }],
        },
      ),
      /carries a body/,
    ],
    ['hinges', scene({}, { pins: [{ rod: 'rope', at: 'start', hold: 'hinge', axis: [0, 1, 0] }] }), /has a hinge/],
  ])('of %s', (_, one, message) => {
    expect(() => createWorld(one)).toThrow(message);
  });

  it('of statics after a break, and a remark before it', () => {
    const hung = { ...hanging, gravity: [0, 0, -10] } as Scene;
    const world = createWorld(hung);
    expect(world.equilibrate()[0].remark).toMatch(/would break: at edge 0 its load is 1\.95 times its strength/);
    world.step();
    expect(() => world.equilibrate()).toThrow(/rod 'rope' has broken at edge 0/);
    expect(() => world.modes()).toThrow(/has broken/);
  });
});
