/** Numbers that a network of springs must give and that no other test asks for; docs/fiber.md lists where the rest are. */
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../src/index.ts';
import { HAIR, hairScene } from './fibers.ts';

describe('a fiber', () => {
  it('has the bending, torsional and axial frequencies of the rod, with the scaffold of its section', () => {
    // 10 mm of the hair: bending, torsion and stretch, all of one network
    const L = 1e-2;
    const world = createWorld({
      ...hairScene(L, 20, { gravity: [0, 0, 0], modes: { count: 60, about: 'initial' } }, 0, { scaffold: 'section' }),
    });
    const [{ omega, shapes }] = world.modes(60);
    const of = (wanted: (displacement: Float64Array, twist: Float64Array) => boolean): number =>
      omega[shapes.findIndex(({ nodeDisplacement, edgeTwist }) => wanted(nodeDisplacement, edgeTwist))];
    const along = (d: Float64Array): number => d.reduce((sum, x, k) => sum + (k % 3 === 0 ? x * x : 0), 0);
    const across = (d: Float64Array): number => d.reduce((sum, x, k) => sum + (k % 3 === 0 ? 0 : x * x), 0);
    const beam = (1.8751040687 ** 2 * Math.sqrt(HAIR.EI / HAIR.mass)) / L ** 2;
    const rotary = (HAIR.mass * (2 * HAIR.EI)) / HAIR.EA;
    const torsion = (Math.PI / (2 * L)) * Math.sqrt(HAIR.GJ / rotary);
    const axial = (Math.PI / (2 * L)) * Math.sqrt(HAIR.EA / HAIR.mass);
    expect(Math.abs(omega[0] / beam - 1)).toBeLessThan(1e-3);
    expect(
      Math.abs(of((d, twist) => across(d) < 1e-6 && along(d) < 1e-6 && twist.some((x) => x !== 0)) / torsion - 1),
    ).toBeLessThan(2e-3);
    expect(Math.abs(of((d) => along(d) > 100 * across(d) && along(d) > 0.5) / axial - 1)).toBeLessThan(1e-3);
  });

  it('has the torsional frequency of the rod by default, however wide its scaffold', () => {
    const [L, radius, E, nu, density] = [0.2, 2e-3, 1e8, 0.35, 1200];
    const world = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'rod',
          model: 'fiber',
          shape: { type: 'straight', from: [0, 0, 0], to: [L, 0, 0] },
          edges: 12,
          section: { type: 'circle', radius },
          material: { E, nu, density },
        },
      ],
      pins: [{ rod: 'rod', at: 'start' }],
      // four times the width of the section: with the inertia of the scaffold torsion would be four times slower
      solver: { fiber: { scaffold: 8e-3 } },
      modes: { count: 40, about: 'initial' },
    });
    const [{ omega, shapes }] = world.modes(40);
    const torsion = (Math.PI / (2 * L)) * Math.sqrt(E / (2 * (1 + nu)) / density);
    const first = shapes.findIndex(({ nodeDisplacement: d }) => d.every((x) => Math.abs(x) < 1e-6));
    expect(Math.abs(omega[first] / torsion - 1)).toBeLessThan(2e-3);
  });

  it('has the energy that its clamp gives it, also if a step turns it by less than the tolerance', () => {
    const twist = (tolerance: number): { energy: number; alarms: number } => {
      const world = createWorld({
        tendril: 1,
        rods: [
          {
            id: 'hair',
            model: 'fiber',
            shape: { type: 'straight', from: [0, 0, 0], to: [0.25, 0, 0] },
            edges: 20,
            section: { type: 'circle', radius: 3e-5 },
            material: { E: 3.58e9, nu: 0.35, density: 1107 },
          },
        ],
        pins: [
          { rod: 'hair', at: 'start', path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, twist: 1 }] } },
        ],
        solver: { fiber: { tolerance } },
        time: { duration: 1, step: 2e-3 },
      });
      let alarms = 0;
      for (let k = 0; k < 20; k++) if (world.step().energyGain) alarms++;
      return { energy: world.energies().total, alarms };
    };
    const [coarse, fine] = [twist(1e-3), twist(1e-9)];
    expect(Math.abs(coarse.energy / fine.energy - 1)).toBeLessThan(1e-3);
    expect([coarse.alarms, fine.alarms]).toEqual([0, 0]);
  });

  it.each([0.05, 0.15, 0.27])('twisted by f = %s a cuboid has sin 2f/2f of the linear torque', (f) => {
    const [L, edges] = [0.1, 20];
    const angle = f * edges;
    const base = hairScene(L, edges, { gravity: [0, 0, 0] }, 0, { scaffold: 5e-4, ring: 1000 });
    const world = createWorld({
      ...base,
      pins: [
        { rod: 'hair', at: 'start' },
        // along the axis it may slide: a twisted cuboid is shorter
        { rod: 'hair', at: 'end', axes: ['y', 'z'], path: { keys: [{ time: 0 }, { time: 1, twist: angle }] } },
      ],
      statics: { stability: 'report' },
    });
    expect(world.equilibrate(1)[0].converged).toBe(true);
    const torque = world.reactions()[1].torque[0];
    const linear = (HAIR.GJ * angle) / L;
    const law = Math.sin(2 * f) / (2 * f);
    expect(Math.abs(torque / linear / law - 1)).toBeLessThan(0.05 * (1 - law) + 1e-4);
    expect(1 - torque / linear).toBeGreaterThan(0.5 * (1 - law));
  });

  it('holds a buckled shape without damping for seconds: energy to 1e-10', () => {
    const base = hairScene(0.1, 20, { time: { duration: 3, step: 5e-3 } }, 0, {
      scaffold: 'inflated',
      tolerance: 1e-6,
    });
    const keys = [{ time: 0 }, { time: 0.5, offset: [-0.03, 0, 0] as const, twist: 2 }];
    const world = createWorld({
      ...base,
      pins: [
        { rod: 'hair', at: 'start' },
        { rod: 'hair', at: 'end', path: { keys } },
      ],
    });
    while (world.time < 0.52 - 1e-9) world.step();
    const { total, kinetic } = world.energies();
    expect(kinetic).toBeGreaterThan(1e-4 * total);
    let drift = 0;
    for (let k = 0; k < 300; k++) {
      world.step();
      drift = Math.max(drift, Math.abs(world.energies().total / total - 1));
    }
    expect(drift).toBeLessThan(1e-10);
  });

  it.each([
    [1e-3, 2e-5],
    [1e-2, 3e-4],
  ])('sinks under a damping of 100 1/s to where tiny steps bring it, at %s s', (step, within) => {
    const tipAfter = (h: number): number[] => {
      const world = createWorld(hairScene(0.25, 20, { time: { duration: 1, step: h } }, 100));
      while (world.time < 0.4 - 1e-9) world.step();
      return [...world.samples[0].nodePosition.slice(-3)];
    };
    const [x, y] = tipAfter(step);
    // the same network, from steps of 0.25 ms; and g/α for 0.4 s, less what bending holds back
    const [fx, fy] = tipAfter(2.5e-4);
    expect(Math.hypot(x - fx, y - fy)).toBeLessThan(within);
    expect(Math.hypot(fx - 0.2436, fy + 0.0377)).toBeLessThan(5e-4);
  });
});
