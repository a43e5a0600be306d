/** Paths of equilibria: the energy between two of them agrees with the work of loads and pins, or the rods have jumped. */
import { createWorld, type EquilibriumReport, type ModelId, type Scene, type World } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

type Section = Scene['rods'][number]['section'];
type Pins = NonNullable<Scene['pins']>;

function straight(
  model: ModelId,
  section: Section,
  rest: Omit<Scene, 'tendril' | 'rods'>,
  inextensible = false,
): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 40,
        ...(inextensible && { inextensible }),
        section,
      },
    ],
    ...rest,
  };
}

/** Equilibria at each time; every one must be found. */
function follow(world: World, times: readonly number[]): EquilibriumReport[] {
  return times.map((t) => {
    const [report] = world.equilibrate(t);
    expect(report, `t = ${t}`).toMatchObject({ converged: true });
    return report;
  });
}

const upTo = (last: number, steps: number): number[] => Array.from({ length: steps + 1 }, (_, k) => (last * k) / steps);

/** A strip that buckles upwards, because its clamp tilts; then the clamp turns over, and the strip snaps. */
function snapping(model: ModelId): Scene {
  const pins: Pins = [
    {
      rod: 'rod',
      at: 'start',
      path: { keys: [{ time: 0 }, { time: 2, rotation: [0, -0.5, 0] }, { time: 3, rotation: [0, 1, 0] }] },
    },
    {
      rod: 'rod',
      at: 'end',
      hold: 'position',
      path: { keys: [{ time: 0 }, { time: 2, offset: [-0.1, 0, 0] }, { time: 3, offset: [-0.1, 0, 0] }] },
    },
  ];
  return straight(model, { type: 'stiffness', EI1: 1, EI2: 30, GJ: 1, mass: 0.1 }, { pins }, true);
}

describe.each<ModelId>(['der', 'fiber', 'cosserat', 'helix', 'strand'])('a strip that snaps over, by %s', (model) => {
  it('stays on its branch until that ends, and the jump is reported there', () => {
    const world = createWorld(snapping(model));
    const times = [1, 1.5, ...upTo(1, 20).map((t) => 2 + t)];
    const jumps = follow(world, times).flatMap(({ jump }) => jump ?? []);
    expect(jumps).toHaveLength(1);
    const [{ from, to, energy }] = jumps;
    expect(to - from).toBeLessThan(1e-3);
    // the fold, by the continuation of der with 240 edges, and the energy that it releases
    expect(Math.abs(from / 2.6368 - 1)).toBeLessThan(2e-3);
    expect(Math.abs(energy / -3.1 - 1)).toBeLessThan(0.02);
  });
});

it('a clamp that turns far passes through equilibria in between, and a jump on the way is reported', () => {
  const scene = snapping('der');
  const [start, end] = scene.pins ?? [];
  const path = {
    keys: [{ time: 0 }, { time: 2, rotation: [0, -0.5, 0] }, { time: 3, rotation: [0, 2.5, 0] }],
  } as const;
  const world = createWorld({ ...scene, pins: [{ ...start, path }, end] });
  const [, , , last] = follow(world, [1, 1.5, 2, 3]);
  // the clamp turns by 3 rad: there is an instant in the middle, and the strip has snapped before it
  expect(last.jump?.to).toBeLessThan(2.5);
});

describe.each<ModelId>(['der', 'fiber', 'cosserat', 'massspring', 'helix', 'strand'])(
  'no jump is reported by %s',
  (model) => {
    const section: Section = { type: 'stiffness', EI1: 1, EI2: 1, GJ: 0.7, EA: 1e4, mass: 0.1 };
    const start: Pins = [{ rod: 'rod', at: 'start' }];
    const loads = (load: object): NonNullable<Scene['loads']> =>
      [{ rod: 'rod', at: 'end', factor: { formula: 't' }, ...load }] as unknown as NonNullable<Scene['loads']>;
    it.each([
      ['a force', { pins: start, loads: loads({ type: 'force', force: [0, 0, -20] }) }],
      [
        'a force that turns with the rod',
        { pins: start, loads: loads({ type: 'force', frame: 'material', force: [0, 10, 0] }) },
      ],
    ])('under %s, in few steps and in many', (_, rest) => {
      for (const steps of [2, 12]) {
        // both say that they do not converge
        if ((model === 'massspring' || model === 'strand') && 'frame' in rest.loads[0]) continue;
        const world = createWorld(straight(model, section, rest));
        for (const { jump } of follow(world, upTo(1, steps))) expect(jump).toBeUndefined();
      }
    });
  },
);

it.each<ModelId>(['der', 'cosserat'])(
  'a column of %s is not left in an unstable equilibrium of its straight branch',
  (model) => {
    const section: Section = { type: 'stiffness', EI1: 1, EI2: 1, GJ: 0.7, EA: 1e4, mass: 0.1 };
    const pins: Pins = [
      { rod: 'rod', at: 'start' },
      {
        rod: 'rod',
        at: 'end',
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [-0.3, 0, 0.02] }] },
      },
    ];
    const world = createWorld(straight(model, section, { pins }));
    const reports = follow(world, [0, 0.1]);
    for (const report of reports) expect(report).toMatchObject({ stable: true });
    // Euler's load of clamped ends, 4π² EI/L², and a little more past it
    const [, { force }] = world.reactions();
    expect(-force[0] / (4 * Math.PI ** 2)).toBeGreaterThan(1);
    expect(-force[0] / (4 * Math.PI ** 2)).toBeLessThan(1.06);
  },
);
