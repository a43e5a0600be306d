/** Verdicts and natural modes about equilibria in which obstacles hold a rod, with and without friction, against beam theory. */
import { createWorld, type EquilibriumReport, type Scene, type World } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

const radius = 1e-3;
const section = { type: 'stiffness', EI1: 1, GJ: 1, mass: 1, radius } as const;

function settle(scene: Scene): { readonly world: World; readonly report: EquilibriumReport } {
  const world = createWorld(scene);
  const [report] = world.equilibrate();
  return { world, report };
}

/** A beam between position pins, the second of which may slide along it, that its small weight presses onto a peg under its middle. */
const onPeg = (edges: number, friction: number): Scene => ({
  tendril: 1,
  gravity: [0, 0, -1e-3],
  rods: [
    {
      id: 'beam',
      edges,
      inextensible: true,
      shape: { type: 'straight', from: [0, 0, radius], to: [1, 0, radius] },
      section,
    },
  ],
  pins: [
    { rod: 'beam', at: 'start', hold: 'position' },
    { rod: 'beam', at: 'end', hold: 'position', axes: ['y', 'z'] },
  ],
  colliders: [{ id: 'peg', type: 'capsule', from: [0.5, -1, -0.05], to: [0.5, 1, -0.05], radius: 0.05, friction }],
});

/** k² = ω √(m/EI) L²: hinged at both ends; with a support in the middle, antisymmetric and symmetric (two clamped and hinged halves). */
const HINGED = Math.PI ** 2;
const TWO_SPANS = [(2 * Math.PI) ** 2, 4 * 3.926602312 ** 2];

describe('a beam that lies on a peg', () => {
  it('swings up and down on two spans, and sideways on one if there is no friction', () => {
    const errors = [20, 40].map((edges) => {
      const { world, report } = settle(onPeg(edges, 0));
      expect(report).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
      const [{ omega }] = world.modes(6);
      const bending = [...omega].filter((one) => one > 1);
      return [HINGED, TWO_SPANS[0], TWO_SPANS[0], TWO_SPANS[1]].map((theory, k) => Math.abs(bending[k] / theory - 1));
    });
    for (const [k, fine] of errors[1].entries()) {
      expect(fine).toBeLessThan(8e-3);
      expect(errors[0][k] / fine).toBeGreaterThan(3);
    }
  });

  it('swings on two spans in both directions if friction holds it', () => {
    const { world, report } = settle(onPeg(40, 0.5));
    expect(report).toMatchObject({ converged: true, stable: true, criterion: 'energy' });
    const before = world.samples[0].nodePosition.slice();
    const bending = [...world.modes(6)[0].omega].filter((one) => one > 1);
    for (const k of [0, 1]) expect(Math.abs(bending[k] / TWO_SPANS[0] - 1)).toBeLessThan(8e-3);
    expect(world.samples[0].nodePosition).toEqual(before);
    expect(world.reactions()[0].force[2]).toBeGreaterThan(0);
  });

  it('has no modes before its equilibrium is found', () => {
    expect(() => createWorld(onPeg(20, 0)).modes()).toThrow(/are about an equilibrium: find it first/);
  });
});

describe('a column that is pushed against a wall', () => {
  // P = EA t/L; Euler's loads: 2.47 if its end slides along the wall, 20.19 if friction holds it
  const EA = 1e4;
  const pushed = (load: number, friction: number): Scene => ({
    tendril: 1,
    rods: [
      {
        id: 'column',
        edges: 40,
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
        section: { ...section, EA },
      },
    ],
    pins: [{ rod: 'column', at: 'start' }],
    colliders: [{ id: 'wall', type: 'plane', normal: [0, 0, -1], position: [0, 0, 1 + radius - load / EA], friction }],
    statics: { stability: 'report' },
  });
  const modesOf = (load: number, friction: number): number => {
    const { report } = settle(pushed(load, friction));
    expect(report.converged, report.reason).toBe(true);
    return report.negativeModes;
  };

  it('buckles at the load of a free end without friction', () => {
    expect(modesOf(2.4, 0)).toBe(0);
    expect(modesOf(2.6, 0)).toBeGreaterThan(0);
  });

  it('buckles at the load of a hinged end if friction holds it', () => {
    expect(modesOf(19.9, 0.5)).toBe(0);
    expect(modesOf(20.5, 0.5)).toBeGreaterThan(0);
  });
});

describe('a cantilever whose tip is pressed onto a peg, under a force along the peg that comes and goes', () => {
  // the tip slides where the force exceeds the friction of 1 N, against 3 EI/L³
  const scene: Scene = {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        edges: 40,
        inextensible: true,
        shape: { type: 'straight', from: [0, 0, radius], to: [1, 0, radius] },
        section,
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    loads: [
      { rod: 'rod', type: 'force', at: 'end', force: [0, 0, -1] },
      { rod: 'rod', type: 'force', at: 'end', force: [0, 1, 0], factor: { formula: '1.03*sin(pi*t)' } },
    ],
    colliders: [{ id: 'peg', type: 'capsule', from: [1, -1, -0.05], to: [1, 1, -0.05], radius: 0.05, friction: 1 }],
  };

  it('sticks, slides with the friction of the law, and sticks again where it is', () => {
    const world = createWorld(scene);
    const tips: { force: number; y: number; friction: number }[] = [];
    for (let k = 0; k <= 10; k++) {
      const [{ converged, reason }] = world.equilibrate(k / 10);
      expect(converged, reason).toBe(true);
      const friction = world.contactForces().reduce((sum, one) => sum - one.force[1], 0);
      const force = 1.03 * Math.sin((Math.PI * k) / 10);
      tips.push({ force, y: world.samples[0].nodePosition[121], friction });
    }
    for (const { force, y, friction } of tips.slice(0, 5)) {
      expect(Math.abs(y)).toBeLessThan(1e-9);
      expect(friction).toBeCloseTo(force, 8);
    }
    const slid = tips[5].y;
    expect(tips[5].friction).toBeCloseTo(1, 3);
    expect(Math.abs((3 * slid) / 0.03 - 1)).toBeLessThan(0.03);
    for (const { force, y, friction } of tips.slice(6)) {
      expect(Math.abs(y - slid)).toBeLessThan(1e-6);
      expect(friction).toBeCloseTo(force - 0.03, 3);
    }
  });
});
