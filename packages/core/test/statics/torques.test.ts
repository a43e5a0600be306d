/** Torques out of the plane of bending, whose stiffness depends on the order of turns: convergence, verdicts and derivatives. */
import { createDerivatives, createWorld, type Scene, type World } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

type Frame = 'world' | 'material';

/** A rod that is bent in space, with a torque at its end and a force F·t across. */
const bent = (model: 'der' | 'cosserat', frame: Frame, force = 0.02): Scene => ({
  tendril: 1,
  gravity: [0, 0, -2],
  rods: [
    {
      id: 'rod',
      model,
      shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 1, angle: 1.2 },
      edges: 16,
      frame: { d1: [0, 0.6, 0.8] },
      natural: { curvature: [0.4, 0.9, 0.5] },
      section: { type: 'rectangle', width: 0.02, height: 0.011 },
      material: { E: 2e6, nu: 0.3, density: 800 },
    },
  ],
  pins: [{ rod: 'rod', at: 'start' }],
  loads: [
    { type: 'force', rod: 'rod', at: 'end', force: [0, force, 0], factor: { formula: 't' } },
    { type: 'torque', rod: 'rod', at: 'end', torque: [0, 0.003, 0.001], frame },
  ],
  statics: { tolerance: 1e-12 },
});

const tip = (world: World): number => world.samples[0].nodePosition[3 * 16];

describe.each(['der', 'cosserat'] as const)('a torque on a rod of %s', (model) => {
  it.each(['world', 'material'] as const)('leaves Newton quadratic, fixed in the %s', (frame) => {
    const world = createWorld(bent(model, frame));
    expect(world.equilibrate(1)[0].converged).toBe(true);
    const [{ converged, iterations }] = world.equilibrate(1.001);
    expect(converged).toBe(true);
    expect(iterations).toBeLessThanOrEqual(3);
  });

  // Ziegler: no other equilibrium is near the straight shaft, at any torque
  it.each(['world', 'material'] as const)('does not buckle a shaft with a free end, fixed in the %s', (frame) => {
    const verdicts = [2, 4, 7].map((torque) => {
      const [{ negativeModes, criterion }] = createWorld({
        tendril: 1,
        rods: [
          {
            id: 'shaft',
            model,
            shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
            edges: 20,
            section: { type: 'stiffness', EA: 1e6, EI1: 1, GJ: 1, mass: 1, radius: 0.002 },
          },
        ],
        pins: [{ rod: 'shaft', at: 'start' }],
        loads: [{ type: 'torque', rod: 'shaft', at: 'end', torque: [0, 0, torque], frame }],
        statics: { stability: 'report' },
      }).equilibrate();
      return `${negativeModes} ${criterion}`;
    });
    expect(verdicts).toEqual(['0 divergence', '0 divergence', '0 divergence']);
  });
});

describe('derivatives of an equilibrium with a torque', () => {
  it.each(['world', 'material'] as const)('agree with differences, fixed in the %s', (frame) => {
    const [force, step] = [0.02, 1e-5];
    const settle = (one: number): World => {
      const world = createWorld(bent('der', frame, one));
      world.equilibrate(1);
      return world;
    };
    const derivatives = createDerivatives(settle(force));
    const parameter = { name: 'force', value: force, scene: (one: number): Scene => bent('der', frame, one) };
    const difference = (tip(settle(force + step)) - tip(settle(force - step))) / (2 * step);
    expect(derivatives.gradientOf({ of: tip }).by(parameter) / difference).toBeCloseTo(1, 5);
    expect(derivatives.by(parameter).of({ of: tip }) / difference).toBeCloseTo(1, 5);
  });
});
