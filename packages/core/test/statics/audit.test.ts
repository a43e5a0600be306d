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
import type { Model } from '../../src/model.ts';
import { der as derModel } from '../../src/models/der/index.ts';
import { helix as helixModel } from '../../src/models/helix/index.ts';
import { strand as strandModel } from '../../src/models/strand/index.ts';

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

  /** Accepts the rod as it lies. */
  function createCareless(model: Model): Model {
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
    return {
      ...model,
      compile(...scene) {
        const bundle = model.compile(...scene);
        const equilibrate = (): EquilibriumReport => {
          // at rest, without the accelerations of the first step
          bundle.state.memory.fill(0);
          return accepted;
        };
        return { ...bundle, equilibrate };
      },
    };
  }
  const refused = { converged: false, stable: false, negativeModes: -1, criterion: 'none' };

  it('takes back a search that accepts the unloaded rod', () => {
    const [report] = createWorld(bar('der'), { models: [createCareless(derModel)] }).equilibrate();
    expect(report).toMatchObject(refused);
    expect(report.reason).toMatch(/do not balance/);
    expect(report.imbalance).toBeGreaterThan(0.3);
  });

  describe.each([strandModel, helixModel])('where reactions follow from loads', (model) => {
    const id = model.id as ModelId;
    const loads: Record<string, Partial<Scene>> = {
      weight: {},
      'a force at the end': {
        gravity: [0, 0, 0],
        loads: [{ type: 'force', rod: 'bar', at: 'end', force: [0, 0.02, 0] }],
      },
      'a torque about the axis': {
        gravity: [0, 0, 0],
        loads: [{ type: 'torque', rod: 'bar', at: 'end', torque: [1e-4, 0, 0] }],
      },
    };

    it.each(Object.keys(loads))(`${id}: takes back the unloaded rod under %s`, (name) => {
      const [report] = createWorld(bar(id, loads[name]), { models: [createCareless(model)] }).equilibrate();
      expect(report).toMatchObject(refused);
      expect(report.reason).toMatch(/does not carry its loads/);
      expect(report.imbalance).toBeGreaterThan(0.3);
    });

    it(`${id}: takes back the equilibrium of another load`, () => {
      let part = 1;
      const load = {
        type: 'force',
        rod: 'bar',
        at: 'end',
        force: [0, 0.5, 0.2],
        factor: { formula: '1 + t' },
      } as const;
      const half: Model = {
        ...model,
        compile(...scene) {
          const bundle = model.compile(...scene);
          return { ...bundle, equilibrate: (rod, t, wanted) => bundle.equilibrate(rod, part * t, wanted) };
        },
      };
      const world = createWorld(bar(id, { loads: [load] }), { models: [half] });
      const { converged, imbalance } = world.equilibrate(1)[0];
      expect(converged).toBe(true);
      expect(imbalance).toBeLessThan(1e-7);
      part = 0.98;
      expect(world.equilibrate(1)[0]).toMatchObject(refused);
    });

    it(`${id}: leaves the state and its samples as they were`, () => {
      const world = createWorld(bar(id));
      world.equilibrate();
      const before = world.samples[0].nodePosition.slice();
      const { edgeDirector } = world.samples[0];
      const directors = edgeDirector.slice();
      world.restore(world.save());
      expect(world.samples[0].nodePosition).toEqual(before);
      expect(world.samples[0].edgeDirector).toEqual(directors);
    });
  });

  it('knows points that are held along a strand, and trees', () => {
    const [trunk] = bar('strand').rods;
    const twig: RodSpec = {
      ...trunk,
      id: 'twig',
      parent: { rod: 'bar', at: { u: 0.5 } },
      shape: { type: 'straight', from: [0.05, 0, 0], to: [0.05, 0.05, 0.02] },
      edges: 20,
    };
    const world = createWorld(
      bar('strand', {
        rods: [trunk, twig],
        pins: [
          { rod: 'bar', at: 'start' },
          {
            rod: 'bar',
            at: 'end',
            hold: 'position',
            path: { keys: [{ time: 0 }, { time: 1, offset: [-0.01, 0, 0.005] }] },
          },
        ],
      }),
    );
    for (const { converged, imbalance } of world.equilibrate(1)) {
      expect(converged).toBe(true);
      expect(imbalance).toBeLessThan(1e-6);
    }
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
