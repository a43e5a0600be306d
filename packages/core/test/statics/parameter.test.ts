/** Equilibria along a number of the scene, against closed forms. */
import { type BranchPoint, createWorld, type Scene, simulate } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

function follow(scene: Scene): { readonly points: BranchPoint[]; readonly nodes: Float64Array } {
  const world = createWorld(scene);
  const points = [...world.branch()];
  return { points, nodes: world.samples[0].nodePosition };
}
const eventsOf = (points: readonly BranchPoint[]): (readonly [string, number])[] =>
  points
    .filter(({ kind }) => kind === 'fold' || kind === 'bifurcation')
    .map(({ kind, parameter }) => [kind, parameter]);

/** A column of L = 1, clamped at its foot. */
const column = (statics: Scene['statics'], more: Partial<Scene> = {}): Scene => ({
  tendril: 1,
  rods: [
    {
      id: 'column',
      shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
      edges: 40,
      inextensible: true,
      natural: { curvature: [0, 0, 0] },
      section: { type: 'stiffness', EI1: 1, EI2: 3, GJ: 1, mass: 1 },
    },
  ],
  pins: [{ rod: 'column', at: 'start' }],
  statics: { follow: 'branch', ...statics },
  ...more,
});

describe('a column followed along', () => {
  it('its stiffness buckles where EI is 4PL²/π²', () => {
    const load = [{ type: 'force', rod: 'column', at: 'end', force: [0, 0, -2] }] as const;
    const { points } = follow(column({ parameter: 'rods.0.section.EI1', from: 1.5, to: 0.5 }, { loads: load }));
    expect(points.at(-1)?.parameter).toBe(0.5);
    const events = eventsOf(points);
    expect(events).toHaveLength(1);
    expect(events[0][1] / (8 / Math.PI ** 2)).toBeCloseTo(1, 2.5);
  });

  it('gravity buckles under its weight where mgL²/EI is 7.837', () => {
    const { points } = follow(column({ parameter: 'gravity.2', from: 0, to: -10 }, { gravity: [0, 0, -1] }));
    const events = eventsOf(points);
    expect(events).toHaveLength(1);
    expect(events[0][1] / -7.8373).toBeCloseTo(1, 2.5);
  });

  it('its natural curvature rolls up to arcs, in the plane of that curvature', () => {
    const world = createWorld(column({ parameter: 'rods.0.natural.curvature.1', from: 0, to: 5 }));
    let checked = 0;
    for (const { parameter: k } of world.branch()) {
      const [x, y, z] = world.samples[0].nodePosition.slice(-3);
      if (k < 0.1) continue;
      checked++;
      expect(Math.abs(Math.hypot(x, y) - (1 - Math.cos(k)) / k)).toBeLessThan(2e-3);
      expect(Math.abs(z - Math.sin(k) / k)).toBeLessThan(2e-3);
    }
    expect(checked).toBeGreaterThan(10);
    expect(world.time).toBe(5);
  });

  it('the place of a pin gives what the pin gives that goes there in time', () => {
    const held = (statics: Scene['statics'], path?: object): Scene => {
      const pin = { rod: 'column', at: 'end', hold: 'position', position: [0, 0.2, 0.9], ...path } as const;
      return column(statics, { pins: [{ rod: 'column', at: 'start' }, pin] });
    };
    const keys = [{ time: 0 }, { time: 1, offset: [0, 0, -0.6] }];
    const moved = follow(held({ parameter: 'pins.1.position.2', from: 0.9, to: 0.3 }));
    const timed = follow(held({ from: 0, to: 1 }, { path: { interpolation: 'linear', keys } }));
    expect(Math.max(...moved.nodes.map((x, k) => Math.abs(x - timed.nodes[k])))).toBeLessThan(1e-7);
    expect(moved.nodes[moved.nodes.length - 1]).toBeCloseTo(0.3, 12);
  });
});

describe('two bars followed along their load', () => {
  it('snap through at the fold of the closed form', () => {
    const l0 = Math.sqrt(1.25);
    const force = (z: number): number => 2 * (l0 / Math.hypot(1, z) - 1) * (z / l0);
    const heights = Array.from({ length: 5001 }, (_, k) => k / 1e4);
    const { points } = follow({
      tendril: 1,
      rods: [
        {
          id: 'bars',
          shape: { type: 'points', points: [[-1, 0, 0], [0, 0, 0.5], [1, 0, 0]] }, // biome-ignore format: one line
          section: { type: 'stiffness', EI1: 1e-7, EI2: 1e-7, GJ: 1e-7, EA: 1, mass: 1 },
        },
      ],
      pins: [
        { rod: 'bars', at: 'start', hold: 'position' },
        { rod: 'bars', at: 'end', hold: 'position' },
        { rod: 'bars', at: { node: 1 }, hold: 'position', axes: ['y'] },
      ],
      loads: [{ type: 'force', rod: 'bars', at: { node: 1 }, force: [0, 0, -1] }],
      statics: { parameter: 'loads.0.force.2', from: 0.5, to: -1, follow: 'branch' },
    });
    const folds = eventsOf(points).filter(([kind]) => kind === 'fold');
    expect(folds.length).toBeGreaterThan(0);
    expect(Math.min(...folds.map(([, p]) => p)) / -Math.max(...heights.map(force))).toBeCloseTo(1, 4);
  });
});

describe('a ring twisted along its natural twist', () => {
  const ring = (edges: number, field: 'natural.frame' | 'frame', section = {}, from = 0, to = 14): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'ring',
        shape: { type: 'ring', radius: 1 },
        edges,
        frame: { twist: 0 },
        natural: { shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 2 * Math.PI] }, frame: { twist: 0 } },
        section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1, ...section },
      },
    ],
    statics: { parameter: `rods.0.${field}.twist`, from, to, follow: 'branch' },
  });

  it('leaves its plane at the twist of Michell, and no free motion of the ring shortens the stride', () => {
    // the two modes that buckle together are one bifurcation, though rounding parts them on 60 edges
    const [coarse, fine] = [16, 32, 60].map((edges) => {
      const { points } = follow(ring(edges, 'natural.frame'));
      expect(points.length).toBeLessThan(30);
      const events = eventsOf(points);
      expect(events.map(([kind]) => kind)).toEqual(['bifurcation']);
      return events[0][1];
    });
    expect((4 * fine - coarse) / 3 / (2 * Math.PI * Math.sqrt(3))).toBeCloseTo(1, 3);
  });

  // the buckle turns, spins and slides round the ring without stiffness; its edges stretch as they are told to
  it.each([
    { edges: 20, section: { EA: 1e4 }, from: 9, to: 13, unstable: 1 },
    { edges: 40, section: {}, from: 8, to: 13, unstable: 1 },
    { edges: 40, section: { EA: 1e4 }, from: 8, to: 13, unstable: 1 },
    { edges: 41, section: { GJ: 2 }, from: 4, to: 6, unstable: 0 },
  ])(
    'has $unstable unstable direction once it has left its plane: $edges edges, $section',
    ({ edges, section, from, to, unstable }) => {
      const world = createWorld(ring(edges, 'natural.frame', section, from, to));
      for (const { kind } of world.branch()) if (kind === 'bifurcation') break;
      const start = world.save();
      for (const way of ['across', 'back'] as const) {
        world.restore(start);
        const [, ...rest] = world.branch(way);
        expect(rest.length).toBeGreaterThan(5);
        for (const point of rest) expect(point).toMatchObject({ negativeModes: unstable, criterion: 'energy' });
        expect(eventsOf(rest)).toEqual([]);
      }
    },
  );

  it('keeps the twist with which it was closed, so that twist is no parameter', () => {
    expect(() => createWorld(ring(16, 'frame'))).toThrow(/a closed rod keeps it/);
  });
});

describe('a parameter that leads nowhere', () => {
  const make =
    (parameter: string, more: Partial<Scene> = {}): (() => unknown) =>
    () =>
      createWorld(column({ parameter, from: 1, to: 2 }, more));
  it('is refused with its reason', () => {
    expect(make('rods.0.section.EI3')).toThrow(/there is no 'rods.0.section.EI3'/);
    expect(make('rods.0.shape.type')).toThrow(/not a number/);
    expect(make('time.step')).toThrow(/is not in one of rods, pins/);
    expect(make('rods.0.edges')).toThrow(/leads to 'edges'/);
    expect(make('rods.0.section.EI1', { contact: { friction: 0.3 } })).toThrow(/scenes without contact/);
    const strand = column({}).rods.map((rod) => ({ ...rod, model: 'cosserat' as const }));
    expect(make('rods.0.section.EI1', { rods: strand })).toThrow(/for model der, and rod 'column' is cosserat/);
  });

  it('and a scene with one does not run', () => {
    const world = createWorld(column({ parameter: 'rods.0.section.EI1', from: 1, to: 2 }));
    expect(() => world.step(0.01)).toThrow(/remove 'parameter' to run it/);
    // its time is 1 already, which must not count as the end of a run
    expect(() => simulate(world, 0.5)).toThrow(/remove 'parameter' to run it/);
  });
});
