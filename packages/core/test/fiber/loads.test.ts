import { describe, expect, it } from 'vitest';
import { createWorld, type ModelId, type Scene, type World } from '../../src/index.ts';

const rod = (model: ModelId, more: object = {}): Scene['rods'][number] => ({
  id: 'a',
  model,
  shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
  edges: 16,
  section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 2, inertia: 0.01 },
  ...more,
});
const tip = (world: World): number[] => [...world.samples[0].nodePosition.slice(-3)];

describe('loads on a fiber', () => {
  it('give it their impulse and its moment', () => {
    const world = createWorld({
      tendril: 1,
      rods: [rod('fiber')],
      loads: [
        { type: 'force', rod: 'a', at: { u: 0.35 }, force: [0.3, 0.2, -0.5] },
        { type: 'torque', rod: 'a', at: { u: 0.5 }, torque: [0.2, 0.1, 0.4] },
      ],
      time: { duration: 1, step: 1e-3 },
    });
    for (let k = 0; k < 10; k++) world.step();
    const { linear, angular } = world.momentum();
    for (let k = 0; k < 3; k++) expect(linear[k]).toBeCloseTo([0.3, 0.2, -0.5][k] * 0.01, 10);
    const expected = [0.2, 0.1 + 0.35 * 0.5, 0.4 + 0.35 * 0.2];
    for (let k = 0; k < 3; k++) expect(angular[k]).toBeCloseTo(expected[k] * 0.01, 5);
  });

  it('let it fall through air at the speed at which drag holds its weight', () => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -10],
      rods: [rod('fiber')],
      fields: [{ type: 'air', linear: [50, 25] }],
      time: { duration: 1, step: 0.02 },
    });
    for (let k = 0; k < 60; k++) world.step();
    for (let i = 0; i <= 16; i++) expect(world.samples[0].nodeVelocity[3 * i + 2]).toBeCloseTo((-10 * 2) / 50, 6);
  });

  it.each<[string, Scene['loads'], Scene['fields']]>([
    [
      'a force that follows the tip',
      [{ type: 'force', rod: 'a', at: 'end', force: [1.5, 0, -1], frame: 'material' }],
      [],
    ],
    ['a dead torque', [{ type: 'torque', rod: 'a', at: { u: 0.6 }, torque: [0.4, 0.3, 0] }], []],
    ['wind', [], [{ type: 'air', wind: [0.5, 0, 2], linear: [1, 0.5] }]],
  ])('bend it as they bend a discrete elastic rod: %s', (_, loads, fields) => {
    const ends = (['fiber', 'der'] as const).map((model) => {
      const world = createWorld({
        tendril: 1,
        rods: [rod(model, { edges: 40 })],
        pins: [{ rod: 'a', at: 'start' }],
        loads,
        fields,
      });
      const [report] = world.equilibrate();
      expect(report).toMatchObject({ converged: true, stable: true });
      return tip(world);
    });
    expect(Math.hypot(...ends[0].map((x, k) => x - [1, 0, 0][k]))).toBeGreaterThan(0.05);
    expect(Math.hypot(...ends[0].map((x, k) => x - ends[1][k]))).toBeLessThan(2e-3);
  });

  it('goes on when a pin lets go, with the energy it had', () => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -10],
      rods: [rod('fiber')],
      pins: [{ rod: 'a', at: 'start', release: 0.1003 }],
      time: { duration: 1, step: 5e-3 },
      solver: { fiber: { tolerance: 1e-7 } },
    });
    const before = world.energies().total;
    for (let k = 0; k < 60; k++) world.step();
    expect(world.reactions()).toEqual([]);
    expect(Math.abs(world.energies().total - before)).toBeLessThan(1e-9 * 20);
    // free: the centre of mass falls with g
    const { linear } = world.momentum();
    const sooner = linear[2];
    world.step();
    expect(world.momentum().linear[2] - sooner).toBeCloseTo(-10 * 2 * 5e-3, 9);
  });
});

describe('a fiber that is twisted', () => {
  const [EI, GJ, length] = [1e-3, 0.75e-3, 0.5];
  const twisted = (isHeld: boolean, twist: number): World => {
    const path = { keys: [{ time: 0 }, { time: 1, twist }], interpolation: 'linear' } as const;
    return createWorld({
      tendril: 1,
      rods: [
        {
          id: 'a',
          model: 'fiber',
          shape: { type: 'straight', from: [0, 0, 0], to: [length, 0, 0] },
          edges: 40,
          section: { type: 'stiffness', EI1: EI, GJ, EA: 1e3, mass: 0.01 },
        },
      ],
      pins: [
        { rod: 'a', at: 'start' },
        { rod: 'a', at: 'end', hold: 'position', axes: isHeld ? ['x', 'y', 'z'] : ['y', 'z'] },
        { rod: 'a', at: 'end', hold: 'frame', path },
      ],
      statics: { to: 1 },
    });
  };

  it.each([true, false])('has the tension of its pins, ends held apart: %s', (isHeld) => {
    const world = twisted(isHeld, 6);
    world.equilibrate(1);
    const pull = -world.reactions()[0].force[0];
    const scale = EI * (6 / length) ** 2;
    // longitudinal springs alone: 1.0 and 0.7
    expect(world.channel(0, 'tension')[20] / scale).toBeCloseTo(pull / scale, 3);
    expect(pull / scale).toBeCloseTo(isHeld ? (EI - 0.94 * GJ) / EI : 0, 1);
  });

  it('warns that it pulls between clamps that keep it straight', () => {
    expect(twisted(true, 6).warnings.join()).toMatch(/twisted by 6\.00 rad between clamps that keep it straight/);
    expect(twisted(false, 6).warnings.join()).not.toMatch(/twisted/);
    expect(twisted(true, 1).warnings.join()).not.toMatch(/twisted/);
  });
});
