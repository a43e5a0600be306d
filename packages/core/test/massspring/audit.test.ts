/** The energy audit of a mass-spring rod: its weight acts on particles beside the axis. */
import { expect, it } from 'vitest';
import { createWorld } from '../../src/world/world.ts';

it('finds nothing in a small swing, whose energy is no larger than what the particles beside the axis exchange with gravity', () => {
  const world = createWorld({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'pendulum',
        model: 'massspring',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.3 * Math.sin(0.02), 0, -0.3 * Math.cos(0.02)] },
        edges: 15,
        section: { type: 'circle', radius: 0.003 },
        material: { E: 1e8, nu: 0.4, density: 1000 },
      },
    ],
    pins: [{ rod: 'pendulum', at: 'start' }],
    time: { duration: 3, step: 0.002 },
  });
  const start = world.energies();
  let nodes = 0;
  let highest = -Infinity;
  for (let k = 0; k < 900; k++) {
    expect(world.step().energyGain).toBeUndefined();
    const { kinetic, bending, stretching, total, beside = 0 } = world.energies();
    nodes = Math.max(nodes, Math.abs(beside - (start.beside ?? 0)) / (kinetic + bending + stretching));
    highest = Math.max(highest, total - start.total);
  }
  // the energy falls, and without this part it would seem to rise
  expect(highest).toBeLessThan(1e-12);
  expect(nodes).toBeGreaterThan(0.05);
});
