/** Loads that are too much for Newton's method at once are raised in increments that adapt, in every model. */
import { expect, it } from 'vitest';
import { createWorld, type ModelId } from '../../src/index.ts';

const radius = 1e-4;
const E = 3e9;
const length = 0.2;
const force = (5 * E * Math.PI * radius ** 4) / 4 / length ** 2;

function tipOf(model: ModelId): { readonly tip: readonly number[]; readonly converged: boolean } {
  const world = createWorld({
    tendril: 1,
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [length, 0, 0] },
        edges: 60,
        section: { type: 'circle', radius },
        material: { E, nu: 0.35, density: 1300 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    loads: [{ type: 'force', frame: 'material', rod: 'rod', at: 'end', force: [0.3 * force, force, -0.2 * force] }],
  });
  const [{ converged }] = world.equilibrate();
  return { tip: [...world.samples[0].nodePosition.slice(-3)], converged };
}

it.each<ModelId>(['cosserat', 'fiber', 'strand'])('a force that follows the tip bends %s as it bends der', (model) => {
  const [der, other] = [tipOf('der'), tipOf(model)];
  expect([der.converged, other.converged]).toEqual([true, true]);
  der.tip.forEach((x, k) => {
    expect(Math.abs(other.tip[k] - x)).toBeLessThan(0.01 * length);
  });
});
