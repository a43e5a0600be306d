/** What pins bear knows of contact: right after a step, in a world that was restored, and by kernels. */
import { describe, expect, it } from 'vitest';
import { restoreWarmStart, type WarmStart } from '../../src/contact/warmStart.ts';
import { createWorld, type ModelId, type Scene, type World } from '../../src/index.ts';
import { loadDer } from '../../src/kernels/index.ts';

/** Two rods that are held beside a ball and lie on it by their first edges; they come to rest. */
function onBall(model: ModelId, changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [0, 1].map((k) => ({
      id: `rod${k}`,
      model,
      shape: { type: 'straight' as const, from: [0, 0.01 * k, 0.0505], to: [0.2, 0.01 * k, 0.0505] },
      edges: 10,
      section: { type: 'circle' as const, radius: 1e-3 },
      material: { E: 1e6, nu: 0.45, density: 1000, damping: { mass: 8 } },
    })),
    pins: [0, 1].map((k) => ({ rod: `rod${k}`, at: 'start' as const })),
    colliders: [{ id: 'ball', type: 'capsule', from: [0.01, -1, 0], to: [0.01, 1, 0], radius: 0.05, friction: 0.3 }],
    time: { duration: 1, step: 4e-3 },
    ...changes,
  };
}

function run(world: World, steps: number): World {
  for (let k = 0; k < steps; k++) world.step();
  return world;
}

const linked: Partial<Scene> = {
  links: [{ id: 'tie', rod: 'rod0', at: { node: 4 }, to: { rod: 'rod1', at: { node: 4 } }, stiffness: 20 }],
};

describe('reactions of pins', () => {
  for (const [model, changes] of [
    ['der', {}],
    ['fiber', {}],
    ['strand', {}],
    ['helix', {}],
    ['der', linked],
  ] as const)
    it(`and forces of contacts are the same in a restored world: ${model}${changes === linked ? ', linked' : ''}`, () => {
      const scene = onBall(model, changes);
      const world = run(createWorld(scene), 120);
      const [{ force }] = world.reactions();
      const touching = world.contactForces();
      // the ball pushes the rod up so near the pin that this one holds it down, and all carry the weight together
      expect(force[2]).toBeLessThan(0);
      const weight = 9.81 * world.momentum().mass;
      const sum = [...world.reactions(), ...touching].reduce((total, one) => total + one.force[2], 0);
      expect(sum / weight).toBeCloseTo(1, 1);
      const other = createWorld(scene);
      other.restore(world.save());
      expect(other.reactions()).toEqual(world.reactions());
      expect(other.contactForces()).toEqual(touching);
      expect(other.contactForces().length).toBeGreaterThan(1);
      for (const channel of ['curvature', 'tension'] as const)
        expect([...other.channel(0, channel)]).toEqual([...world.channel(0, channel)]);
      expect(Math.abs(other.channel(0, 'tension')[3])).toBeGreaterThan(1e-4);
    });

  it('know of contacts that kernels solved', async () => {
    const kernel = run(createWorld(onBall('der'), { models: [await loadDer()] }), 120);
    const plain = run(createWorld(onBall('der')), 120);
    kernel.reactions().forEach(({ force }, k) => {
      const { force: wanted } = plain.reactions()[k];
      for (let axis = 0; axis < 3; axis++) expect(force[axis]).toBeCloseTo(wanted[axis], 3);
    });
  });

  it.each(['der', 'strand'] as const)(
    'of %s change nothing of what comes after, where a pin lets go either',
    (model) => {
      const scene = onBall(model, {
        pins: [
          { rod: 'rod0', at: 'start', release: 0.2 },
          { rod: 'rod1', at: 'start' },
        ],
      });
      const asked = createWorld(scene);
      const other = createWorld(scene);
      for (let k = 0; k < 70; k++) {
        asked.step();
        asked.reactions();
        asked.channel(0, 'tension');
        other.step();
      }
      expect(asked.hash()).toBe(other.hash());
    },
  );
});

describe('contact forces that were saved with another layout', () => {
  it('are refused', () => {
    const warmStart: WarmStart = { data: new Float64Array(0), count: 0 };
    expect(() => restoreWarmStart(warmStart, Float64Array.of(7, 1, 2, 3, 0, 9, 4, 5, 6, 1))).toThrow(/layout/);
  });
});
