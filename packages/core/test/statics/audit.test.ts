import {
  availableModels,
  createWorld,
  type EquilibriumReport,
  type ModelId,
  type PinSpec,
  type RodSpec,
  type Scene,
} from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { der as derModel } from '../../src/models/der/index.ts';

/** The bar that `der` once accepted without its sag. */
function bar(model: ModelId, extra: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'bar',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] },
        edges: 60,
        section: { type: 'circle', radius: 0.002 },
        material: { E: 2e9, nu: 0.3, density: 1200 },
      },
    ],
    pins: [{ rod: 'bar', at: 'start' }],
    ...extra,
  };
}

describe('the audit of equilibria', () => {
  it.each(availableModels())('closes the balance of %s', (model) => {
    const world = createWorld(
      bar(model, { loads: [{ type: 'force', rod: 'bar', at: 'end', force: [0.01, 0.02, 0.03] }] }),
    );
    const [report] = world.equilibrate();
    expect(report.converged).toBe(true);
    expect(report.imbalance).toBeLessThan(1e-6);
  });

  it('takes back a search that accepts the unloaded rod', () => {
    const accepted: EquilibriumReport = {
      rod: 'bar',
      converged: true,
      iterations: 0,
      residual: 0,
      tolerance: 1,
      negativeModes: 0,
      stable: true,
      criterion: 'energy',
      saddlesLeft: 0,
    };
    const careless: typeof derModel = {
      ...derModel,
      compile: (...scene) => ({ ...derModel.compile(...scene), equilibrate: () => accepted }),
    };
    const [report] = createWorld(bar('der'), { models: [careless] }).equilibrate();
    expect(report).toMatchObject({ converged: false, stable: false, negativeModes: -1, criterion: 'none' });
    expect(report.reason).toMatch(/do not balance/);
    expect(report.imbalance).toBeGreaterThan(0.3);
  });

  it('takes back an equilibrium whose reactions are wrong', () => {
    const careless: typeof derModel = {
      ...derModel,
      compile(...scene) {
        const bundle = derModel.compile(...scene);
        const twist = ([x, y, z]: readonly [number, number, number]): [number, number, number] => [x + 1e-4, y, z];
        return {
          ...bundle,
          reactions: (rod, t) => bundle.reactions(rod, t).map((one) => ({ ...one, torque: twist(one.torque) })),
        };
      },
    };
    const [report] = createWorld(bar('der'), { models: [careless] }).equilibrate();
    expect(report.converged).toBe(false);
    expect(report.reason).toMatch(/N and 1\.00e-4 N m/);
  });

  it.each(['der', 'cosserat', 'fiber'] as const)('counts the force of two pins at one node of %s once', (model) => {
    const hold = (what: 'position' | 'tangent'): PinSpec => ({ rod: 'bar', at: 'start', hold: what });
    const world = createWorld(bar(model, { pins: [hold('position'), hold('tangent')] }));
    expect(world.equilibrate()[0].imbalance).toBeLessThan(1e-6);
  });

  it('counts links, to rods and to points', () => {
    const rod = (id: string, y: number): RodSpec => ({
      id,
      shape: { type: 'straight', from: [0, y, 0], to: [0.1, y, 0] },
      edges: 20,
      section: { type: 'circle', radius: 0.002 },
      material: { E: 2e9, nu: 0.3, density: 1200 },
    });
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [rod('a', 0), rod('b', 0.01)],
      pins: [{ rod: 'a', at: 'start' }],
      links: [
        { rod: 'a', at: { u: 0.1 }, to: { rod: 'b', at: { u: 0.1 } }, stiffness: 1e3 },
        { rod: 'a', at: { u: 0.9 }, to: { rod: 'b', at: { u: 0.9 } }, stiffness: 1e3 },
        { rod: 'b', at: { u: 0.5 }, to: { point: [0.05, 0.01, 0.1] }, stiffness: 5 },
      ],
    });
    for (const report of world.equilibrate()) {
      expect(report.converged).toBe(true);
      expect(report.imbalance).toBeLessThan(1e-6);
    }
  });
});
