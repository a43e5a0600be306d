/** Links that break: at their force, with their energy, and with the edge of a rod that they are on. */
import { expect, it } from 'vitest';
import { type Break, createWorld, type LinkSpec, type Scene, type World } from '../../src/index.ts';

const section = { type: 'stiffness', EA: 1000, EI1: 1, GJ: 1, mass: 0.1, inertia: 1e-6 } as const;
const bar = { id: 'bar', shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] }, edges: 4, section } as const;
const hook: LinkSpec = { rod: 'bar', at: { u: 0.125 }, to: { point: [0.125, 0, 0.2] }, stiffness: 1e4, damping: 10 };

/** A bar that hangs from two points, with a weight that grows. */
function scene(links: readonly LinkSpec[], more: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: { acceleration: [0, 0, -10], factor: { formula: 't' } },
    rods: [bar],
    links,
    time: { duration: 1, step: 0.005 },
    ...more,
  };
}
const other: LinkSpec = { ...hook, at: { u: 0.875 }, to: { point: [0.875, 0, 0.2] } };

function run(world: World, until: number): Break[] {
  const breaks: Break[] = [];
  while (world.time < until - 1e-9) {
    const report = world.step();
    expect(report.energyGain).toBeUndefined();
    breaks.push(...(report.breaks ?? []));
  }
  return breaks;
}

it.each<[string, Partial<LinkSpec>]>([
  ['free to turn', {}],
  ['that hold rotations', { rotation: { stiffness: 1 } }],
  ['that pull together', { rest: 'together', to: { point: [0.125, 0, 0] } }],
])('links %s break when each carries half of the weight, and the bar falls', (_, kind) => {
  const at = (one: LinkSpec): LinkSpec => ({
    ...one,
    ...kind,
    ...(kind.to && { to: { point: [one === other ? 0.875 : 0.125, 0, 0] } }),
    break: { force: 0.25 },
  });
  const world = createWorld(scene([at(hook), at(other)]));
  const breaks = run(world, 0.6);
  expect(breaks.map(({ link }) => link).sort()).toEqual(['link 0', 'link 1']);
  // half of m g t
  expect(breaks[0].time).toBeCloseTo(0.5, 1.7);
  expect(breaks[0].tension).toBeCloseTo(0.25, 3);
  const { linear, mass } = world.momentum();
  const speed = linear[2] / mass;
  // in between it turns about the link that is left
  const [earliest, latest] = breaks.map(({ time }) => -5 * (0.6 ** 2 - time ** 2));
  expect(speed).toBeGreaterThan(earliest - 5e-3);
  expect(speed).toBeLessThan(latest + 5e-3);
  expect(world.linkForces().every(({ force }) => force.every((f) => f === 0))).toBe(true);
  expect(world.energies().dissipated).toBeCloseTo(breaks[0].energy + breaks[1].energy, 12);
});

it('the other link takes over when one breaks', () => {
  const world = createWorld(scene([{ ...hook, break: { force: 0.25 } }, other]));
  const [first, second] = run(world, 0.8);
  expect(first.link).toBe('link 0');
  expect(second).toBeUndefined();
});

it('continues bit for bit, before and after breaks', () => {
  const broken = scene([{ ...hook, break: { force: 0.25 } }, other]);
  const world = createWorld(broken);
  const saved = [];
  for (let k = 0; k < 140; k++) {
    if (k % 35 === 0) saved.push(world.save());
    world.step();
  }
  const again = createWorld(broken);
  for (const state of saved) {
    again.restore(state);
    while (again.stepCount < 140) again.step();
    expect(again.hash()).toBe(world.hash());
  }
});

it('a link breaks with the edge that it is on', () => {
  const weak = {
    ...bar,
    break: {
      moment: {
        along: [
          [0, 1],
          [0.2, 1],
          [0.2, 1e-3],
          [0.3, 1e-3],
          [0.3, 1],
          [1, 1],
        ] as [number, number][],
      },
    },
  };
  const world = createWorld(
    scene([{ ...hook, at: { u: 0.375 }, to: { point: [0.375, 0, 0.2] } }, other], { rods: [weak] }),
  );
  const breaks = run(world, 0.6);
  const edges = breaks.filter(({ rod }) => rod).map(({ edge }) => edge);
  expect(edges.length).toBeGreaterThan(0);
  expect(breaks.filter(({ link }) => link)).toHaveLength(edges.includes(1) ? 1 : 0);
  expect(world.samples[0].nodePosition.every(Number.isFinite)).toBe(true);
});

it('rejects what cannot break', () => {
  const bad = (link: Partial<LinkSpec>): (() => unknown) => {
    return () => createWorld(scene([{ ...hook, ...link }]));
  };
  expect(bad({ break: { force: 0 } })).toThrow(/the force is 0 N; it must be positive/);
  const beside = {
    id: 'beside',
    shape: { type: 'straight', from: [0, 0.1, 0], to: [1, 0.1, 0] },
    edges: 4,
    section,
  } as const;
  const normal: LinkSpec = {
    ...hook,
    to: { rod: 'beside', at: { u: 0.125 } },
    rotation: { about: 'normal', stiffness: 1 },
  };
  expect(() => createWorld(scene([{ ...normal, break: { force: 1 } }], { rods: [bar, beside] }))).toThrow(
    /about: normal does not break/,
  );
  expect(() => createWorld(scene([{ ...hook, break: { force: 1 } }])).equilibrate(0.1)).toThrow(
    /link 'link 0' can break/,
  );
});
