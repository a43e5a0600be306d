/** One test for each fault that was found by trying scenes nobody had tried before. */

import { createWorld, type RodSpec, type Scene, SceneError } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

const unit: RodSpec = {
  id: 'r',
  shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
  edges: 40,
  section: { type: 'stiffness', EI1: 1, GJ: 0.8, mass: 1, inertia: 1e-3, radius: 0.01 },
};
const clamp = { rod: 'r', at: 'start' as const };
const scene = (changes: Partial<Scene>): Scene => ({ tendril: 1, rods: [unit], pins: [clamp], ...changes });

describe('stiffness damping', () => {
  it.each([
    ['hair', 0.1, 4e-5, 3.58e9, 1320, 1e-3, 1e-3],
    ['steel wire', 1, 1e-3, 2e11, 7850, 1e-2, 1e-2],
    ['steel wire, lightly damped', 1, 1e-3, 2e11, 7850, 1e-4, 1e-2],
  ])('lets a %s fall', (_, length, radius, E, density, stiffness, step) => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'r',
          shape: { type: 'straight', from: [0, 0, 0], to: [length, 0, 0] },
          edges: 40,
          section: { type: 'circle', radius },
          material: { E, nu: 0.35, density, damping: { mass: 0.5, stiffness } },
        },
      ],
      pins: [clamp],
      time: { duration: 1, step },
    });
    for (let k = 0; k < 20; k++) expect(world.step().substeps).toBe(1);
    expect(world.samples[0].nodePosition[3 * 40 + 2]).toBeLessThan(-1e-5);
  });

  it('does not soften what stands still', () => {
    const still = (stiffness: number): number => {
      const section = { ...(unit.section as object), EA: 1e5, damping: { stiffness, mass: 1 } } as RodSpec['section'];
      const world = createWorld(
        scene({ gravity: [0, 0, -2], rods: [{ ...unit, section }], time: { duration: 40, step: 0.05 } }),
      );
      for (let k = 0; k < 800; k++) world.step();
      return world.samples[0].nodePosition[3 * 40 + 2];
    };
    const soft = still(0.02);
    expect(soft).toBeLessThan(-0.2);
    expect(Math.abs(soft - still(0.002))).toBeLessThan(1e-7);
  });
});

describe('loads that change with the rod', () => {
  it('hold up a column on an elastic foundation', () => {
    // pinned-pinned: P = π² + k/π² = 20.0
    const column = (load: number) =>
      createWorld(
        scene({
          pins: [
            { rod: 'r', at: 'start', hold: 'position' },
            { rod: 'r', at: 'end', hold: 'position', axes: ['y', 'z'] },
          ],
          loads: [{ type: 'force', rod: 'r', at: 'end', force: [-load, 0, 0] }],
          fields: [{ type: 'force', per: 'length', formula: ['0', '-100*y', '-100*z'] }],
          statics: { stability: 'report' },
        }),
      ).equilibrate()[0];
    expect(column(19.5)).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
    expect(column(20.5)).toMatchObject({ converged: true, stable: false });
  });

  it('swing a rod in a trap: ω = 3 along every axis', () => {
    const world = createWorld(
      scene({ pins: [], fields: [{ type: 'force', per: 'mass', formula: ['-9*x', '-9*y', '-9*z'] }] }),
    );
    world.equilibrate();
    const omega = [...world.modes(8)[0].omega];
    expect(omega.filter((w) => Math.abs(w - 3) < 1e-3).length).toBeGreaterThanOrEqual(3);
    expect(Math.min(...omega)).toBeGreaterThan(-1e-2);
  });

  it('leave the stability of a ring under loads that follow it open', () => {
    const world = createWorld({
      tendril: 1,
      rods: [{ ...unit, shape: { type: 'ring', radius: 1 }, edges: 40, frame: { follow: 'curve' } }],
      loads: [{ type: 'distributed', rod: 'r', force: [2, 0, 0], frame: 'material' }],
    });
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, criterion: 'none', negativeModes: -1 });
    // N = −pR: the ring carries the pressure as compression
    expect(world.channel(0, 'tension')[7]).toBeCloseTo(-2, 2);
  });

  it.each([1, 2, Math.PI])('roll a rod up by an end moment of %s into an arc', (moment) => {
    const world = createWorld(scene({ loads: [{ type: 'torque', rod: 'r', at: 'end', torque: [0, -moment, 0] }] }));
    const [report] = world.equilibrate();
    expect(report).toMatchObject({ converged: true, criterion: 'divergence' });
    const tip = world.samples[0].nodePosition.slice(-3);
    expect(Math.hypot(tip[0] - Math.sin(moment) / moment, tip[2] - (1 - Math.cos(moment)) / moment)).toBeLessThan(1e-3);
  });

  it('bend a rod in strong wind', () => {
    const world = createWorld(scene({ fields: [{ type: 'air', wind: [0, 0, 20], linear: [1, 0] }] }));
    const [report] = world.equilibrate();
    expect(report.converged).toBe(true);
    expect(report.iterations).toBeLessThan(60);
    expect(world.samples[0].nodePosition[3 * 40 + 2]).toBeGreaterThan(0.6);
    // it holds what pushes it
    expect(world.reactions()[0].force[2]).toBeLessThan(-5);
  });
});

describe('turns of a clamp', () => {
  const twisted = (turns: number, edges: number): Scene =>
    scene({
      rods: [{ ...unit, edges, section: { type: 'stiffness', EI1: 1, GJ: 0.02, mass: 1, inertia: 1e-3 } }],
      pins: [
        clamp,
        {
          rod: 'r',
          at: 'end',
          path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, twist: 2 * Math.PI * turns }] },
        },
      ],
      time: { duration: 1, step: 0.1 },
    });

  it.each([
    [1, 40],
    [1.5, 40],
    [3, 20],
    [10, 20],
    [10, 80],
  ])('are all counted in statics: %s turns over %s edges', (turns, edges) => {
    const world = createWorld(twisted(turns, edges));
    expect(world.equilibrate(1)[0].converged).toBe(true);
    const twist = world.channel(0, 'twist');
    expect(twist[Math.floor(edges / 2)]).toBeCloseTo(2 * Math.PI * turns, 6);
  });

  it('are all counted in motion: two turns a step', () => {
    const world = createWorld(twisted(20, 40));
    for (let k = 0; k < 10; k++) world.step();
    // mean over the rod; waves may still run along it
    const twist = world.channel(0, 'twist');
    const mean = twist.slice(1, 40).reduce((sum, m) => sum + m, 0) / 39;
    expect(Math.abs(mean - 40 * Math.PI)).toBeLessThan(5);
  });
});

describe('leaving an unstable equilibrium', () => {
  it.each([50, 100, 200, 500])('finds the buckled column close to its critical load, with %s edges', (edges) => {
    let before = 0;
    // Euler: 2.4674
    for (const load of [2.48, 2.5, 2.55, 2.75]) {
      const world = createWorld(
        scene({ rods: [{ ...unit, edges }], loads: [{ type: 'force', rod: 'r', at: 'end', force: [-load, 0, 0] }] }),
      );
      const [report] = world.equilibrate();
      expect(report).toMatchObject({ converged: true, stable: true, saddlesLeft: 1 });
      const [, y, z] = world.samples[0].nodePosition.slice(-3);
      expect(Math.hypot(y, z)).toBeGreaterThan(before + 0.05);
      before = Math.hypot(y, z);
    }
  });
});

describe('the verdict on stability', () => {
  it('is that of the softer plane: a tall strip tips over sideways', () => {
    const strip = (load: number) =>
      createWorld(
        scene({
          rods: [
            { ...unit, frame: { d1: [0, 1, 0] }, section: { type: 'stiffness', EI1: 1e4, EI2: 1, GJ: 0.8, mass: 1 } },
          ],
          loads: [{ type: 'force', rod: 'r', at: 'end', force: [0, 0, -load] }],
          statics: { stability: 'report' },
        }),
      ).equilibrate()[0];
    // Prandtl: 4.013 √(EI GJ) = 3.589
    expect(strip(3.5).stable).toBe(true);
    expect(strip(3.68).stable).toBe(false);
  });

  it.each([1000, 2000])('holds for a column of %s edges', (edges) => {
    const column = (load: number) =>
      createWorld(
        scene({
          rods: [{ ...unit, edges }],
          loads: [{ type: 'force', rod: 'r', at: 'end', force: [-load, 0, 0] }],
          statics: { stability: 'report' },
        }),
      ).equilibrate()[0];
    expect(column(2.4).negativeModes).toBe(0);
    expect(column(2.55).negativeModes).toBe(2);
  });
});

describe('formulas without a value', () => {
  it.each([
    [{ fields: [{ type: 'force', per: 'length', formula: ['1/(x-0.5)', '0', '0'] }] }, /Infinity at x, y, z = 0.5/],
    [{ gravity: { acceleration: [0, 0, -9.81], factor: { formula: 'sqrt(0.01-t)' } } }, /NaN at t = /],
  ] as [Partial<Scene>, RegExp][])('are errors that say where: %#', (changes, message) => {
    const run = (): void => {
      const world = createWorld(scene({ ...changes, time: { duration: 1, step: 0.01 } }));
      for (let k = 0; k < 3; k++) world.step();
    };
    expect(run).toThrow(SceneError);
    expect(run).toThrow(message);
  });
});

describe('the start', () => {
  it('spins the material about the rod', () => {
    const world = createWorld(
      scene({ pins: [], rods: [{ ...unit, velocity: { angular: [5, 0, 0] } }], time: { duration: 1, step: 0.01 } }),
    );
    expect(world.energies().kinetic).toBeCloseTo(0.0125, 12);
    expect(world.momentum().angular[0]).toBeCloseTo(5e-3, 12);
  });

  it('lets go of a pin at its time, also within a step', () => {
    const fall = (release: number, step: number): number => {
      const world = createWorld(
        scene({
          gravity: [0, 0, -10],
          pins: [{ ...clamp, release }],
          rods: [{ ...unit, shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -1] } }],
          time: { duration: 1, step },
        }),
      );
      while (world.time < 1 - 1e-9) world.step();
      return world.momentum().center[2] + 0.5;
    };
    expect(fall(0.5, 0.01)).toBeCloseTo(-1.25, 6);
    expect(fall(0.503, 0.01)).toBeCloseTo(-5 * 0.497 ** 2, 6);
  });
});

describe('loads that follow a rod far from its natural shape', () => {
  it('are raised from nothing: few iterations, and the same end as by another way', () => {
    const curved: RodSpec = {
      id: 'r',
      shape: { type: 'straight', from: [0, 0, 0], to: [0.2, 0, 0] },
      frame: { d1: [0, 1, 0], twist: 0.7 },
      natural: { curvature: [6, { formula: '10*u' }, 8] },
      edges: 20,
      section: { type: 'ellipse', a: 6e-4, b: 4e-4 },
      material: { E: 2e8, G: 0.7e8, density: 1200 },
    };
    const pull = { type: 'force', rod: 'r', at: 'end', force: [0, 0.005, 0], frame: 'material' } as const;
    const direct = createWorld(scene({ rods: [curved], loads: [pull] }));
    const [report] = direct.equilibrate();
    expect(report.converged && report.stable).toBe(true);
    expect(report.iterations).toBeLessThan(300);
    // by hand, in forty equilibria
    const slow = createWorld(
      scene({
        rods: [curved],
        loads: [
          {
            ...pull,
            factor: {
              keys: [
                [0, 0],
                [1, 1],
              ],
              interpolation: 'linear',
            },
          },
        ],
      }),
    );
    for (let k = 0; k <= 40; k++) slow.equilibrate(k / 40);
    const tip = (world: typeof slow): number[] => [...world.samples[0].nodePosition.slice(-3)];
    tip(direct).forEach((x, k) => {
      expect(x).toBeCloseTo(tip(slow)[k], 7);
    });
    expect(Math.abs(tip(direct)[0] - 0.2)).toBeGreaterThan(0.1);
  });
});

it('a formula with a mistake is a mistake of the scene, also in a field that acts on no rod', () => {
  const fields: Scene['fields'] = [{ type: 'force', rods: [], per: 'mass', formula: ['2 ms', '0', '0'] }];
  // it was an error of the program, exit code 70
  expect(() => createWorld(scene({ fields }))).toThrow(SceneError);
});
