/** Equilibria, their stability, loads of all kinds, and the way back from a shape to its natural curvature. */
import { describe, expect, it } from 'vitest';
import { createWorld, curvatureOfCurl, type HairType, hairTypes, type Scene, type World } from '../../src/index.ts';

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.sqrt(Array.from(a).reduce((sum, x, k) => sum + (x - b[k]) ** 2, 0));
const tip = (world: World): Float64Array => world.samples[0].nodePosition.slice(-3);

describe('statics from the natural shape', () => {
  // beside the four curls, as the notes on this model have them: 10 and 30 cm
  it.each(Object.keys(hairTypes) as HairType[])('takes at most 20 Newton steps for %s hair', (hair) => {
    let most = 0;
    for (const length of [0.1, 0.3]) {
      for (const degrees of [-90, -60, -30, 0, 30, 60, 85, 90]) {
        const angle = (degrees * Math.PI) / 180;
        const world = createWorld({
          tendril: 1,
          gravity: [0, 0, -9.81],
          rods: [
            {
              id: 'a',
              model: 'helix',
              hair,
              shape: { type: 'straight', from: [0, 0, 0], to: [length * Math.cos(angle), 0, length * Math.sin(angle)] },
              edges: 120,
            },
          ],
          pins: [{ rod: 'a', at: 'start' }],
          solver: { helix: { elements: 20 } },
        });
        const saved = world.save();
        const { curl } = hairTypes[hair];
        const natural = curl ? curvatureOfCurl(curl.radius as number, curl.pitch as number) : [0, 0, 0];
        saved.bundles[0].q.set(saved.bundles[0].q.map((_, d) => natural[d % 3]));
        world.restore(saved);
        expect(world.energies().bending).toBeLessThan(1e-20);
        const [report] = world.equilibrate();
        expect(report).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
        most = Math.max(most, report.iterations);
      }
    }
    expect(most).toBeLessThanOrEqual(20);
    expect(most).toBeGreaterThan(2);
  });
});

const column = (load: number, stability: 'seek' | 'report'): Scene => ({
  tendril: 1,
  rods: [
    {
      id: 'a',
      model: 'helix',
      shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
      edges: 30,
      section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
    },
  ],
  pins: [{ rod: 'a', at: 'start' }],
  loads: [{ type: 'force', rod: 'a', at: 'end', force: [0, 0, -load] }],
  statics: { stability },
});

describe('stability', () => {
  it.each([
    [0.999, 0],
    [1.001, 2],
    [8.99, 2],
    [9.05, 4],
    [25.2, 6],
  ])('of a column at %s of the critical load: %s unstable directions', (part, negativeModes) => {
    const world = createWorld(column((part * Math.PI ** 2) / 4, 'report'));
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, negativeModes, stable: negativeModes === 0 });
  });

  it('is sought: a saddle is left, with less energy', () => {
    const world = createWorld(column(4, 'seek'));
    const before = world.energies().total;
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true, saddlesLeft: 1 });
    expect(world.energies().total).toBeLessThan(before - 0.1);
    // the elastica with P = 4 EI/L²: the same as Discrete Elastic Rods find
    const scene = column(4, 'seek');
    const other = createWorld({ ...scene, rods: [{ ...scene.rods[0], model: 'der', edges: 120 }] });
    other.equilibrate();
    expect(Math.abs(tip(world)[2] - tip(other)[2])).toBeLessThan(2e-3);
  });

  it('feels five per cent of stiffness', () => {
    const at = (EI: number): boolean => {
      const scene = column(0.98 * (Math.PI ** 2 / 4), 'report');
      const section = { type: 'stiffness' as const, EI1: EI, GJ: 1, mass: 1 };
      return createWorld({ ...scene, rods: [{ ...scene.rods[0], section }] }).equilibrate()[0].stable;
    };
    expect(at(1)).toBe(true);
    expect(at(0.95)).toBe(false);
  });
});

describe('loads that depend on the state', () => {
  const scene = (model: 'der' | 'helix', edges: number): Scene => ({
    tendril: 1,
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'a',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, EI2: 2, GJ: 1, mass: 1, radius: 0.01 },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    loads: [
      { type: 'force', rod: 'a', at: 'end', force: [1, 2, 0.5], frame: 'material' },
      { type: 'distributed', rod: 'a', from: 0.25, to: 0.75, force: [0, 1, 0.5] },
      { type: 'torque', rod: 'a', at: { u: 0.5 }, torque: [0.5, 0.2, -0.3] },
    ],
    fields: [
      { type: 'air', wind: [0, 3, 1], linear: [0.5, 0.1] },
      { type: 'force', per: 'length', formula: ['-2*x', '0', 'sin(z)'] },
    ],
  });

  it('find the same equilibrium as Discrete Elastic Rods, with the same reactions and channels', () => {
    const [helix, der] = [createWorld(scene('helix', 40)), createWorld(scene('der', 40))];
    const [report] = helix.equilibrate();
    expect(report).toMatchObject({ converged: true, criterion: 'divergence', stable: true });
    expect(report.iterations).toBeLessThan(10);
    expect(der.equilibrate()[0].converged).toBe(true);
    expect(distance(tip(der), [1, 0, 0])).toBeGreaterThan(0.5);
    expect(distance(tip(helix), tip(der))).toBeLessThan(2e-3);
    const [a, b] = [helix.reactions()[0], der.reactions()[0]];
    expect(distance(a.force, b.force)).toBeLessThan(3e-3 * Math.hypot(...b.force));
    expect(distance(a.torque, b.torque)).toBeLessThan(3e-3 * Math.hypot(...b.torque));
    for (const channel of ['tension', 'curvature', 'twist'] as const) {
      const [p, q] = [helix.channel(0, channel)[10], der.channel(0, channel)[10]];
      expect(Math.abs(q)).toBeGreaterThan(0.02);
      expect(Math.abs(p / q - 1)).toBeLessThan(0.02);
    }
  });

  it('roll a rod up to a circle by a torque at its end', () => {
    const world = createWorld({
      ...scene('helix', 20),
      gravity: undefined,
      fields: undefined,
      loads: [{ type: 'torque', rod: 'a', at: 'end', torque: [0, -2 * Math.PI, 0], factor: { formula: 't' } }],
    });
    for (const t of [0.25, 0.5, 0.75, 1]) expect(world.equilibrate(t)[0].converged).toBe(true);
    // the moment acts in the middle of the last edge, half an edge before the end
    expect(Math.hypot(...tip(world))).toBeLessThan(0.02);
    expect(Math.abs(world.channel(0, 'curvature')[10] - 2 * Math.PI)).toBeLessThan(1e-6);
  });

  it('with a potential are judged by energy: a column on an elastic foundation', () => {
    // buckling load of a clamped-free column on a stiff foundation is above Euler's
    const scenes = (k: number): Scene => ({
      ...column(4, 'report'),
      fields: [{ type: 'force', per: 'length', formula: [`-${k}*x`, `-${k}*y`, '0'] }],
    });
    expect(createWorld(scenes(0)).equilibrate()[0]).toMatchObject({ negativeModes: 2 });
    expect(createWorld(scenes(20)).equilibrate()[0]).toMatchObject({ criterion: 'energy', negativeModes: 0 });
  });
});

describe('natural: equilibrium', () => {
  const scene = (EI: number, model: 'helix' | 'cosserat' = 'helix'): Scene => ({
    tendril: 1,
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'a',
        model,
        shape: { type: 'formula', x: 'u', y: '0.2*sin(3*u)', z: '0.3*u*u' },
        edges: 24,
        natural: 'equilibrium',
        section: { type: 'stiffness', EI1: EI, EI2: 1.5 * EI, GJ: 0.7 * EI, mass: 2 },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    loads: [{ type: 'force', rod: 'a', at: 'end', force: [0, 0.4, -0.7] }],
    statics: { stability: 'report' },
    time: { duration: 1, step: 0.01 },
  });

  it('keeps the initial shape, in statics and in motion, where it is stable', () => {
    const world = createWorld(scene(1));
    expect(world.warnings).toEqual([]);
    const before = world.samples[0].nodePosition.slice();
    expect(world.energies().bending).toBeGreaterThan(0.01);
    for (let k = 0; k < 50; k++) world.step();
    expect(distance(world.samples[0].nodePosition, before)).toBeLessThan(1e-9);
    expect(world.equilibrate()[0]).toMatchObject({ iterations: 0, stable: true });
  });

  it('warns of an unstable equilibrium with the stiffness that would hold it', () => {
    const world = createWorld(scene(0.02));
    const factor = Number(/([\d.]+) times its stiffness/.exec(world.warnings[0])?.[1]);
    expect(factor).toBeGreaterThan(1.5);
    expect(world.equilibrate()[0].stable).toBe(false);
    expect(createWorld(scene(0.02 * factor * 0.98)).equilibrate()[0].stable).toBe(false);
    const held = createWorld(scene(0.02 * factor * 1.02));
    expect(held.warnings).toEqual([]);
    expect(held.equilibrate()[0]).toMatchObject({ iterations: 0, stable: true });
  });

  it('knows loads without a potential: a verdict, but no stiffness', () => {
    const pushed = (EI: number): Scene => ({
      ...scene(EI),
      fields: [{ type: 'force', per: 'mass', formula: ['0', '0', '-z'] }],
    });
    expect(createWorld(pushed(1)).warnings).toEqual([]);
    expect(createWorld(pushed(1)).equilibrate()[0]).toMatchObject({ iterations: 0, converged: true });
    expect(createWorld(pushed(0.02)).warnings.join()).toMatch(
      /unstable equilibrium, which the rod will leave; make it stiffer/,
    );
  });

  it('is refused by models that do not find it', () => {
    expect(() => createWorld(scene(1, 'cosserat'))).toThrow(/natural: equilibrium is for the models (der|helix), /);
  });
});

describe('loads that turn a rod round', () => {
  const scene = (EI: number, fields: Scene['fields']): Scene => ({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'a',
        model: 'helix',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 16,
        section: { type: 'stiffness', EI1: EI, EI2: 2 * EI, GJ: EI, mass: 1, damping: { mass: 5 } },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    fields,
    time: { duration: 1, step: 0.02 },
  });
  // there are several equilibria; what is found must stay where it is when time runs, even when it is pushed
  const drift = (world: World): number => {
    const before = tip(world);
    const saved = world.save();
    saved.bundles[0].q.set(saved.bundles[0].q.map((x, d) => x + 0.1 * Math.sin(d)));
    world.restore(saved);
    expect(distance(tip(world), before)).toBeGreaterThan(1e-3);
    for (let k = 0; k < 400; k++) world.step();
    return distance(tip(world), before);
  };

  it.each([20, 60, 150])('a wind of %s m/s from ahead', (speed) => {
    const wind = [-speed, 0.3 * speed, speed / 2] as const;
    const world = createWorld(scene(0.05, [{ type: 'air', wind, linear: [1, 0.5] }]));
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true, criterion: 'divergence' });
    expect(tip(world)[0]).toBeLessThan(-0.3);
    expect(drift(world)).toBeLessThan(1e-5);
  });

  it.each([20, 60, 150])('a field of place, %s N/(kg m), that drives it off a saddle', (strength) => {
    const formula = [`-${strength}*x`, '0.1', `${strength}*z`] as const;
    const world = createWorld(scene(0.3, [{ type: 'force', per: 'mass', formula }]));
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
    expect(drift(world)).toBeLessThan(1e-5);
  });
});
