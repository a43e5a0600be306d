/** Branches of equilibria through folds and bifurcations, against closed forms. */
import { type BranchPoint, createWorld, type ModelId, type Scene, type World } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

interface Followed {
  readonly points: BranchPoint[];
  readonly end: string;
}

/** All points of a branch; `look` sees the world at each. */
function follow(world: World, start?: 'across' | 'back', look: (point: BranchPoint) => void = () => {}): Followed {
  const branch = world.branch(start);
  const points: BranchPoint[] = [];
  for (;;) {
    const next = branch.next();
    if (next.done) return { points, end: next.value.reason };
    points.push(next.value);
    look(next.value);
  }
}

const eventsOf = ({ points }: Followed): (readonly [string, number])[] =>
  points
    .filter(({ kind }) => kind === 'fold' || kind === 'bifurcation')
    .map(({ kind, parameter }) => [kind, parameter]);

function column(model: ModelId, to: number): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'column',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
        edges: 40,
        inextensible: true,
        section: { type: 'stiffness', EI1: 1, EI2: 3, GJ: 1, mass: 1 },
      },
    ],
    pins: [{ rod: 'column', at: 'start' }],
    loads: [{ type: 'force', rod: 'column', at: 'end', force: [0, 0, -1], factor: { formula: 't' } }],
    statics: { from: 0, to, follow: 'branch' },
  };
}

/** Complete elliptic integrals K and E of modulus k, by the arithmetic–geometric mean. */
function elliptic(k: number): { readonly K: number; readonly E: number } {
  let [a, g, c, sum] = [1, Math.sqrt(1 - k * k), k, (k * k) / 2];
  for (let power = 1; Math.abs(c) > 1e-16 && power < 1e6; power *= 2) {
    c = (a - g) / 2;
    [a, g] = [(a + g) / 2, Math.sqrt(a * g)];
    sum += power * c * c;
  }
  return { K: Math.PI / (2 * a), E: (Math.PI / (2 * a)) * (1 - sum) };
}

/** Height of the tip of a buckled column of length 1 and EI 1 under its tip load: F = K², z = 2E/K − 1. */
function buckledHeight(load: number): number {
  let [low, high] = [0, 1 - 1e-15];
  for (let i = 0; i < 100; i++) {
    const k = (low + high) / 2;
    if (elliptic(k).K ** 2 < load) low = k;
    else high = k;
  }
  const { K, E } = elliptic(low);
  return (2 * E) / K - 1;
}

describe.each(['der', 'cosserat'] as const)('a column of %s', (model) => {
  const euler = Math.PI ** 2 / 4;

  it('buckles at the loads of Euler, and is followed past them', () => {
    const found = follow(createWorld(column(model, 30)));
    const events = eventsOf(found);
    expect(found.end).toBe('range');
    expect(events.map(([kind]) => kind)).toEqual(['bifurcation', 'bifurcation', 'bifurcation']);
    [1, 3, 9].forEach((multiple, k) => {
      expect(events[k][1] / (multiple * euler)).toBeCloseTo(1, 2.5);
    });
    expect(found.points.at(-1)?.negativeModes).toBe(3);
  });

  it('is found to buckle between the last point and the end of the range', () => {
    for (const to of [2.475, 2.6, 3.1]) {
      const events = eventsOf(follow(createWorld(column(model, to))));
      expect(events.map(([kind]) => kind)).toEqual(['bifurcation']);
      expect(events[0][1] / euler).toBeCloseTo(1, 2.5);
    }
  });

  it('follows the elastica from the first of them, on both sides', () => {
    const world = createWorld(column(model, 12));
    let state = world.save();
    follow(world, undefined, ({ kind, parameter }) => {
      if (kind === 'bifurcation' && parameter < 3) state = world.save();
    });
    const tips = (['across', 'back'] as const).map((start) => {
      world.restore(state);
      let checked = 0;
      const side = follow(world, start, ({ kind, parameter, negativeModes }) => {
        if (kind === 'start' || parameter < 1.01 * euler) return;
        checked++;
        expect(negativeModes).toBe(0);
        const x = world.samples[0].nodePosition;
        expect(Math.abs(x[x.length - 1] - buckledHeight(parameter))).toBeLessThan(2e-3);
      });
      expect(side.end).toBe('range');
      expect(checked).toBeGreaterThan(10);
      return world.samples[0].nodePosition.slice(-3);
    });
    const [here, there] = tips;
    expect(Math.abs(here[1])).toBeGreaterThan(0.3);
    expect(here[1] + there[1]).toBeCloseTo(0, 6);
    expect(here[2] - there[2]).toBeCloseTo(0, 6);
  });
});

describe('a column with pinned ends', () => {
  it('shows each of the loads of Euler that lie between two points', () => {
    const { rods } = column('der', 1);
    const found = follow(
      createWorld({
        ...column('der', 100),
        rods: rods.map((rod) => ({ ...rod, section: { type: 'stiffness', EI1: 1, EI2: 50, GJ: 10, mass: 1 } })),
        pins: [
          { rod: 'column', at: 'start', hold: 'position' },
          { rod: 'column', at: 'end', hold: 'position', axes: ['x', 'y'] },
        ],
        statics: { from: 0, to: 100, follow: 'branch', stride: 0.7 },
      }),
    );
    const events = eventsOf(found);
    expect(events.map(([kind]) => kind)).toEqual(['bifurcation', 'bifurcation', 'bifurcation']);
    for (const [k, [, load]] of events.entries())
      expect(Math.abs(load / ((k + 1) * Math.PI) ** 2 - 1)).toBeLessThan(6e-3);
    expect(found.points.length).toBeLessThan(9);
  });
});

/** Two bars that meet under an angle, with next to no bending stiffness, pushed down in the middle (von Mises). */
function truss(): Scene {
  return {
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
    loads: [{ type: 'force', rod: 'bars', at: { node: 1 }, force: [0, 0, -1], factor: { formula: 't - 1' } }],
    statics: { from: 0, to: 3, follow: 'branch' },
  };
}

describe('two bars', () => {
  it('snap through at the fold of the closed form, and back at its mirror image', () => {
    // F(z) = 2 EA (l0/l − 1) z/l0
    const l0 = Math.sqrt(1.25);
    const force = (z: number): number => 2 * (l0 / Math.hypot(1, z) - 1) * (z / l0);
    let [low, high] = [0, 0.5];
    for (let i = 0; i < 200; i++) {
      const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
      if (force(a) < force(b)) low = a;
      else high = b;
    }
    const world = createWorld(truss());
    const heights: [number, number][] = [];
    const found = follow(world, undefined, ({ kind, parameter }) => {
      const z = world.samples[0].nodePosition[5];
      if (kind === 'point') heights.push([force(z), parameter - 1]);
    });
    expect(found.end).toBe('range');
    const folds = eventsOf(found).filter(([kind]) => kind === 'fold');
    expect(folds.length).toBeGreaterThan(0);
    expect(Math.max(...folds.map(([, t]) => t - 1)) / force(low)).toBeCloseTo(1, 4);
    expect(heights.length).toBeGreaterThan(20);
    for (const [expected, seen] of heights) expect(Math.abs(expected - seen)).toBeLessThan(1e-5);
  });
});

describe('a shallow arch under a load like its shape', () => {
  it('buckles sideways and snaps at the loads of the theory of shallow arches', () => {
    // y = b sin πx of rise a: q = π⁴(a − b + EA b (a² − b²)/4), antisymmetric buckling where EA (a² − b²) = 16 (EI = L = 1)
    const [rise, EA, edges] = [0.02, 9e4, 40];
    const load = (b: number): number => Math.PI ** 4 * (rise - b + (EA * b * (rise * rise - b * b)) / 4);
    const heights = Array.from({ length: 4001 }, (_, k) => (rise * k) / 4000);
    const fold = Math.max(...heights.map(load));
    const sideways = load(Math.sqrt(rise * rise - 16 / EA));
    const places = Array.from({ length: edges + 1 }, (_, k) => k / edges);
    const points = places.map((x) => [x, 0, rise * Math.sin(Math.PI * x)] as const);
    const world = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'arch',
          shape: { type: 'points', points },
          frame: { d1: [0, 1, 0] },
          section: { type: 'stiffness', EI1: 1, EI2: 1000, GJ: 100, EA, mass: 1 },
        },
      ],
      pins: (['start', 'end'] as const).map((at) => ({
        rod: 'arch',
        at,
        hold: 'hinge' as const,
        axis: [0, 1, 0] as const,
      })),
      loads: points.slice(1, -1).map((_, k) => ({
        type: 'force' as const,
        rod: 'arch',
        at: { node: k + 1 },
        force: [0, 0, -Math.sin(Math.PI * places[k + 1]) / edges] as const,
        factor: { formula: 't' },
      })),
      statics: { from: 0, to: 2 * fold, follow: 'branch' },
    });
    const found = follow(world);
    // it comes back to no load, in another shape than it left
    expect(found.end).toBe('range');
    expect(found.points.at(-1)).toMatchObject({ parameter: 0, negativeModes: 2 });
    const events = eventsOf(found);
    expect(events[0][0]).toBe('bifurcation');
    expect(events[0][1] / sideways).toBeCloseTo(1, 1.7);
    expect(events[1][0]).toBe('fold');
    expect(events[1][1] / fold).toBeCloseTo(1, 1.7);
    expect(sideways / fold).toBeLessThan(0.99);
  });
});

/** A round rod with B = C = 1 between clamps on one axis, pulled with T = 2 and twisted by t. */
function twisted(edges: number): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [10, 0, 0] },
        edges,
        inextensible: true,
        frame: { d1: [0, 0, 1] },
        section: { type: 'stiffness', EI1: 1, EI2: 1, GJ: 1, mass: 1 },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      {
        rod: 'rod',
        at: 'end',
        axes: ['y', 'z'],
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 30, twist: 30 }] },
      },
    ],
    loads: [{ type: 'force', rod: 'rod', at: 'end', force: [2, 0, 0] }],
    statics: { from: 0, to: 30, follow: 'branch' },
  };
}

/**
 * Shortening of the localized buckle (van der Heijden and Thompson 2000): T = M²/2B(1 + cos φ), D = 4 √(B/T) sin(φ/2), turns ML/C + 2φ. Past the plane loop,
 * φ = π, the same with the other hand.
 */
function localizedShortening(turn: number): number {
  const way = (phi: number): number => 10 * 2 * Math.sqrt(2) * Math.cos(phi / 2) + 2 * phi;
  let [low, high] = [0.5, 2 * Math.PI - 0.5];
  for (let k = 0; k < 100; k++) {
    const middle = (low + high) / 2;
    if (way(middle) > turn) low = middle;
    else high = middle;
  }
  return 2 * Math.SQRT2 * Math.sin(low / 2);
}

describe('the localized buckle of a twisted rod', () => {
  it('is followed from the straight rod through the plane loop, without a pin in its middle', () => {
    const world = createWorld(twisted(60));
    let state = world.save();
    const events = eventsOf(
      follow(world, undefined, ({ kind }) => {
        if (kind === 'bifurcation') state = world.save();
      }),
    );
    // Greenhill: (M/2B)² = T/B + (π/L)² for pinned ends, a little more for clamped ones
    expect(events).toHaveLength(1);
    expect(events[0][1] / 20).toBeGreaterThan(0.99 * Math.sqrt(2 + (Math.PI / 10) ** 2));
    expect(events[0][1] / 20).toBeLessThan(Math.sqrt(2 + (2 * Math.PI) ** 2 / 100));
    world.restore(state);
    let checked = 0;
    const side = follow(world, 'across', ({ kind, parameter, negativeModes }) => {
      if (kind !== 'point' || parameter > 24) return;
      checked++;
      expect(negativeModes).toBe(1);
      const shortening = 10 - world.samples[0].nodePosition[3 * 60];
      expect(Math.abs(shortening / localizedShortening(parameter) - 1)).toBeLessThan(0.01);
    });
    expect(side.end).toBe('range');
    expect(side.points.at(-1)?.parameter).toBe(0);
    expect(checked).toBeGreaterThan(40);
  });
});

/** The rod of figure 7 of Bergou (2008), pulled with T = 47; t: turns of its clamp. */
function twistedFast(edges: number): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [9.29, 0, 0] },
        edges,
        inextensible: true,
        section: { type: 'stiffness', EI1: 1.345, EI2: 1.345, GJ: 0.789, mass: 1 },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      {
        rod: 'rod',
        at: 'end',
        axes: ['y', 'z'],
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 40, twist: 80 * Math.PI }] },
      },
    ],
    loads: [{ type: 'force', rod: 'rod', at: 'end', force: [47, 0, 0] }],
    statics: { from: 28, to: 31.5, follow: 'branch' },
  };
}

describe('a rod twisted by thirty turns', () => {
  it('is followed into its localized buckle, which may lie in any plane and anywhere along the rod', () => {
    // D = 4B sin φ/M with M² = 2BT(1 + cos φ); turns ML/C + 2φ: see cases/localized-buckling
    const turnsAt = (shortening: number): number => {
      let [phi, M] = [0, 0];
      for (let k = 0; k < 60; k++) {
        M = Math.sqrt(2 * 1.345 * 47 * (1 + Math.cos(phi)));
        phi = Math.asin((shortening * M) / (4 * 1.345));
      }
      return ((M * 9.29) / 0.789 + 2 * phi) / (2 * Math.PI);
    };
    const [coarse, fine] = [75, 150].map((edges) => {
      const world = createWorld(twistedFast(edges));
      for (const { kind } of world.branch()) if (kind === 'bifurcation') break;
      const errors: number[] = [];
      const side = follow(world, 'across', ({ kind, parameter }) => {
        const shortening = 9.29 - world.samples[0].nodePosition[3 * edges];
        if (kind === 'point' && shortening > 0.1) errors.push(parameter / turnsAt(shortening) - 1);
      });
      expect(side.end).toBe('range');
      expect(side.points.length).toBeLessThan(60);
      expect(errors.length).toBeGreaterThan(10);
      return Math.max(...errors.map(Math.abs));
    });
    expect(fine).toBeLessThan(8e-3);
    expect(Math.log2(coarse / fine)).toBeGreaterThan(1.8);
  });
});

it('equilibria at instants are reached along the branch where a buckle may slide and turn', () => {
  const [rod] = twistedFast(60).rods;
  const keys = [{ time: 0 }, { time: 1, twist: 54 * Math.PI }, { time: 2, offset: [-1, 0, 0] as const }];
  const world = createWorld({
    tendril: 1,
    rods: [rod],
    pins: [
      { rod: 'rod', at: 'start' },
      { rod: 'rod', at: 'end', path: { interpolation: 'linear', keys } },
    ],
  });
  for (const t of [1, 1.05, 1.1, 1.2, 1.3])
    expect(world.equilibrate(t)[0]).toMatchObject({ converged: true, criterion: 'energy' });
  const [, { force, torque }] = world.reactions();
  const phi = Math.acos(torque[0] ** 2 / (2 * 1.345 * force[0]) - 1);
  const turns = ((torque[0] * 9.29) / 0.789 + 2 * phi) / (2 * Math.PI);
  expect(Math.abs(turns / 27 - 1)).toBeLessThan(2e-3);
  for (const t of [1.36, 1.375]) expect(world.equilibrate(t)[0]).toMatchObject({ converged: true });
  const before = world.energies().total;
  // the branch ends in a fold at a shortening of 0.379: what the search finds beyond it has two turns less
  const [{ jump }] = world.equilibrate(1.39);
  expect(Math.abs((world.energies().total - before) / (jump?.energy ?? 0) - 1)).toBeLessThan(0.01);
  expect(world.energies().total).toBeLessThan(0.9 * before);
  expect(jump?.from).toBeCloseTo(1.379, 3);
});

describe('what cannot be followed', () => {
  const scene = column('der', 3);
  it('is refused with its reason', () => {
    expect(() => follow(createWorld({ ...scene, statics: { follow: 'branch' } }))).toThrow(/are equal/);
    const other = { ...scene, rods: scene.rods.map((rod) => ({ ...rod, model: 'helix' as const })) };
    expect(() => follow(createWorld(other))).toThrow(/der or cosserat/);
    const [rod] = scene.rods;
    const link = { rod: 'column', at: 'end', to: { point: [0, 0, 1] }, stiffness: 1 } as const;
    expect(() => follow(createWorld({ ...scene, links: [link] }))).toThrow(/does not support links.*'links'/);
    const floor = [{ id: 'floor', type: 'plane', friction: 0.5 }] as const;
    const lying = { ...rod, shape: { type: 'straight', from: [0, 0, 1e-3], to: [1, 0, 1e-3] } } as const;
    const onFloor = {
      ...scene,
      gravity: [0, 0, -1] as [number, number, number],
      rods: [{ ...lying, section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1, radius: 1e-3 } as const }],
      pins: [{ rod: 'column', at: 'start', hold: 'position' } as const],
      loads: [],
      colliders: floor,
    };
    expect(() => follow(createWorld(onFloor))).toThrow(/without friction; at the start the rod touches/);
  });
});
