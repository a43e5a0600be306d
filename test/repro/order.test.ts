/**
 * Order in the time step. A load that comes on smoothly leaves schemes of second order their order; one that comes on at once excites
 * modes that no step of use resolves, and the order falls to about 1 until it does, in every model.
 */
import { describe, expect, it } from 'vitest';
import { createWorld, type Scene } from '../../packages/core/src/index.ts';

const T = 0.3;

/** A cantilever on which Γ = 10 comes within 0.15 s, twice continuously differentiable in time. */
function release(model: 'helix' | 'strand', edges: number): Scene {
  const u = `min(1,t/${T / 2})`;
  return {
    tendril: 1,
    gravity: { acceleration: [0, 0, -10], factor: { formula: `${u}^3*(10-15*${u}+6*${u}^2)` } },
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 0.7, mass: 1, inertia: 1e-4 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    solver: { helix: { integrator: 'bdf2' } },
    time: { duration: T, step: T },
  };
}

function shapeAfter(scene: Scene, steps: number): Float64Array {
  const world = createWorld(scene);
  for (let k = 0; k < steps; k++) world.step(T / steps);
  return world.samples[0].nodePosition.slice();
}

const apart = (a: Float64Array, b: Float64Array): number =>
  Math.sqrt(a.reduce((sum, x, k) => sum + (x - b[k]) ** 2, 0));

describe('a cantilever whose weight comes on smoothly', () => {
  it.each(['helix', 'strand'] as const)('%s is of second order in the step', (model) => {
    const shapes = [50, 100, 200].map((steps) => shapeAfter(release(model, 15), steps));
    const order = Math.log2(apart(shapes[0], shapes[1]) / apart(shapes[1], shapes[2]));
    expect(order).toBeGreaterThan(1.85);
    expect(order).toBeLessThan(2.15);
  });

  it('helix is of second order in the number of elements', () => {
    const tips = [6, 12, 24].map((edges) => shapeAfter(release('helix', edges), 150).slice(-3));
    const order = Math.log2(apart(tips[0], tips[1]) / apart(tips[1], tips[2]));
    expect(order).toBeGreaterThan(1.8);
    expect(order).toBeLessThan(2.2);
  });
});
