/** What a rod starts with: a base that is turned at t = 0, and shapes and sections that deserve a warning. */
import { describe, expect, it } from 'vitest';
import {
  createWorld,
  type PinSpec,
  type RodSpec,
  type Scene,
  SceneError,
  type Vec3,
  type World,
} from '../../packages/core/src/index.ts';

const tipOf = (world: World): number[] => [...world.samples[0].nodePosition.slice(-3)];
const apart = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));

function scene(rod: Partial<RodSpec>, more: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 20,
        section: { type: 'stiffness', EI1: 1, GJ: 0.7, mass: 1, inertia: 1e-4 },
        ...rod,
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step: 2e-3 },
    ...more,
  };
}

const models = ['der', 'cosserat', 'fiber', 'massspring', 'helix', 'strand'] as const;

describe.each(models)('a base of %s that is turned at t = 0', (model) => {
  const base = (
    rotation: readonly [number, number, number],
    rod: Partial<RodSpec> = {},
    more: Partial<Scene> = {},
  ): Scene => {
    const keys = [
      { time: 0, rotation },
      { time: 5, rotation },
    ];
    return scene({ model, ...rod }, { pins: [{ rod: 'rod', at: 'start', path: { keys } }], ...more });
  };

  it.each([
    [
      [0, Math.PI / 2, 0],
      [0, 0, -1],
    ],
    [
      [0, 0, 1],
      [Math.cos(1), Math.sin(1), 0],
    ],
    [[0.4, -0.3, 2.5], undefined],
    // about the rod itself, by more than a turn
    [
      [7, 0, 0],
      [1, 0, 0],
    ],
  ] as const)('takes the rod with it, by [%s]', (rotation, tip) => {
    const world = createWorld(base(rotation));
    const start = tipOf(world);
    if (tip) expect(apart(start, tip)).toBeLessThan(1e-12);
    // 20 edges are few for a truss, whose bending has a warning
    expect(world.warnings.filter((one) => !/the truss of massspring with 20 edges/.test(one))).toEqual([]);
    expect(world.energies().total).toBeLessThan(1e-20);
    for (let k = 0; k < 20; k++) world.step();
    expect(apart(tipOf(world), start)).toBeLessThan(1e-9);
    expect(world.energies().total).toBeLessThan(1e-18);
  });

  it('keeps the shape that it is laid in, relative to the base', () => {
    const shape = {
      type: 'arc',
      from: [0, 0, 0],
      tangent: [1, 0, 0],
      normal: [0, 0, 1],
      radius: 0.5,
      angle: 1,
    } as const;
    const laid = createWorld(base([0, 0, 0], { shape, natural: 'straight' }));
    const turned = createWorld(base([0, 0, Math.PI / 2], { shape, natural: 'straight' }));
    const [x, y, z] = tipOf(laid);
    expect(apart(tipOf(turned), [-y, x, z])).toBeLessThan(1e-12);
    expect(turned.energies().total).toBeCloseTo(laid.energies().total, 10);
  });

  it('moves as a base that was laid there', () => {
    const swing = (first: Vec3, shape: RodSpec['shape']): number[] => {
      const keys = [
        { time: 0, offset: [1, 2, 3] as const, rotation: first },
        { time: 1, offset: [1.1, 2, 3] as const, rotation: first },
      ];
      const world = createWorld(
        scene(
          { model, shape, frame: { d1: [0, 0, 1] } },
          { pins: [{ rod: 'rod', at: 'start', path: { keys } }], gravity: [0, 0, -1] },
        ),
      );
      for (let k = 0; k < 30; k++) world.step();
      return tipOf(world);
    };
    const turned = swing([0, 0, Math.PI / 2], { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] });
    const laid = swing([0, 0, 0], { type: 'straight', from: [0, 0, 0], to: [0, 1, 0] });
    expect(apart(turned, laid)).toBeLessThan(1e-8);
    expect(apart(turned, [1, 3, 3])).toBeGreaterThan(1e-4);
  });

  it.runIf(model === 'helix' || model === 'strand')('is at rest there with natural: equilibrium', () => {
    const world = createWorld(base([0, 0.5, 1], { natural: 'equilibrium' }, { gravity: [0, 0, -0.5] }));
    const start = tipOf(world);
    expect(apart(start, [1, 0, 0])).toBeGreaterThan(0.5);
    for (let k = 0; k < 20; k++) world.step();
    expect(apart(tipOf(world), start)).toBeLessThan(1e-6);
    expect(world.equilibrate()[0].converged).toBe(true);
    expect(apart(tipOf(world), start)).toBeLessThan(1e-6);
  });
});

describe('pins that start elsewhere than their rod', () => {
  const turned = { keys: [{ time: 0, rotation: [0, 0, 1] as const, offset: [0, 0, 1] as const }] };
  const warningsOf = (pins: readonly Omit<PinSpec, 'rod'>[]): readonly string[] =>
    createWorld(
      scene(
        { section: { type: 'stiffness', EI1: 1, GJ: 1, EA: 100, mass: 1 } },
        { pins: pins.map((pin) => ({ rod: 'rod', ...pin })) },
      ),
    ).warnings;

  it('take the rod with them if one motion of the rod does', () => {
    expect(warningsOf([{ at: 'start', path: turned }])).toEqual([]);
    expect(warningsOf([{ at: { u: 0.5 }, path: turned }])).toEqual([]);
    const up = { keys: [{ time: 0, offset: [0, 0, 1] as const }] };
    expect(
      warningsOf([
        { at: 'start', path: up },
        { at: 'end', hold: 'position', path: up },
      ]),
    ).toEqual([]);
  });

  it('are warned of if none does, or if the pin says where it is', () => {
    expect(warningsOf([{ at: 'start', path: turned }, { at: 'end' }])).toHaveLength(2);
    expect(
      warningsOf([
        { at: 'start', path: turned },
        { at: 'end', path: turned },
      ]),
    ).toHaveLength(4);
    expect(warningsOf([{ at: 'start', position: [0, 0, 1] }])[0]).toMatch(/1.000 m away from its node/);
    expect(warningsOf([{ at: 'start', tangent: [0, 1, 0] }])[0]).toMatch(/another orientation/);
  });
});

it('a force field without formulas is refused by name', () => {
  const fields = [{ type: 'force', per: 'mass' }] as unknown as NonNullable<Scene['fields']>;
  expect(() => createWorld(scene({}, { fields }))).toThrow(SceneError);
  expect(() => createWorld(scene({}, { fields }))).toThrow(/formulas of x, y and z/);
});

describe('doubtful rods', () => {
  const warningsOf = (rod: Partial<RodSpec>): string => createWorld(scene(rod)).warnings.join('\n');
  const material = { E: 1e7, nu: 0.3, density: 1000 };

  it('warns of a taper to a point, not of one that is resolved', () => {
    const taper = (tip: number): string =>
      warningsOf({
        model: 'helix',
        section: {
          type: 'circle',
          radius: {
            along: [
              [0, 0.01],
              [1, tip],
            ],
          },
        },
        material,
      });
    expect(taper(1e-6)).toMatch(/tapers to a point/);
    expect(taper(2e-3)).toBe('');
  });

  it('warns of hair that is centimetres thick, and of rods as thick as long', () => {
    expect(warningsOf({ hair: 'straight', section: { type: 'circle', radius: 0.04 } })).toMatch(
      /hair of 80.0 mm diameter/,
    );
    expect(warningsOf({ hair: 'straight', section: { type: 'circle', radius: 4e-5 } })).toBe('');
    expect(warningsOf({ section: { type: 'circle', radius: 0.3 }, material })).toMatch(/0.600 m thick and 1.00 m long/);
  });

  it('warns of rods that would stretch, where the model does not', () => {
    const section = { type: 'stiffness', EA: 100, EI1: 1, GJ: 0.7, mass: 0.1 } as const;
    const pull = (force: number, more: object = {}): string[] =>
      (['strand', 'helix', 'der'] as const).map((model) =>
        createWorld({
          tendril: 1,
          rods: [{ id: 'r', model, shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] }, section, ...more }],
          pins: [{ rod: 'r', at: 'start' }],
          loads: [{ type: 'force', rod: 'r', at: 'end', force: [force, 0, 0] }],
        }).warnings.join(),
      );
    const stretched = expect.stringMatching(/may stretch by up to 5.0 % under its loads/);
    expect(pull(5)).toEqual([stretched, stretched, '']);
    expect(pull(0.5)).toEqual(['', '', '']);
    expect(pull(5, { inextensible: true })).toEqual(['', '', '']);
  });

  it('warns of a rod that is laid shorter than its rest length', () => {
    const section = { type: 'stiffness', EA: 1000, EI1: 1, GJ: 0.7, mass: 1 } as const;
    const laid = (length: number): string => warningsOf({ section, natural: { curvature: [0, 0, 0], length } });
    expect(laid(1.05)).toMatch(/4.76 % shorter than its rest length of 1.05000 m/);
    expect(laid(0.999)).toBe('');
  });
});
