/** Inertia of the ghosts: with half of the mass, rods spun with up to 155 times their polar inertia, and pendulums left their plane. */
import { describe, expect, it } from 'vitest';
import { createWorld, type Scene } from '../../src/index.ts';

const [radius, length, density, E, nu] = [3e-3, 0.5, 1000, 1e9, 0.4];

function straight(edges: number, to: readonly [number, number, number], more: Partial<Scene>): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        model: 'massspring',
        shape: { type: 'straight', from: [0, 0, 0], to },
        edges,
        section: { type: 'circle', radius },
        material: { E, nu, density },
      },
    ],
    time: { duration: 1, step: 1e-3 },
    ...more,
  };
}

describe('massspring', () => {
  it.each([8, 32])('spins about its axis with the polar inertia of the rod, %i edges', (edges) => {
    const scene = straight(edges, [length, 0, 0], {});
    const world = createWorld({
      ...scene,
      rods: [{ ...scene.rods[0], velocity: { linear: [0, 0, 0], angular: [20, 0, 0] } }],
    });
    const mass = density * Math.PI * radius ** 2 * length;
    const energy = 0.5 * ((mass * radius ** 2) / 2) * 20 ** 2;
    for (let k = 0; k < 50; k++) world.step();
    expect(world.momentum().mass / mass).toBeCloseTo(1, 9);
    expect(world.energies().kinetic / energy).toBeCloseTo(1, 4);
    expect(world.momentum().angular[0] / ((mass * radius ** 2 * 20) / 2)).toBeCloseTo(1, 4);
  });

  it('swings on a ball joint in its plane, with the period of a rod', () => {
    const angle = 0.2;
    const world = createWorld(
      straight(16, [length * Math.sin(angle), 0, -length * Math.cos(angle)], {
        gravity: [0, 0, -9.81],
        pins: [{ rod: 'rod', at: 'start', hold: 'position' }],
      }),
    );
    const crossings: number[] = [];
    let [before, side] = [world.samples[0].nodePosition[48], 0];
    for (let k = 0; k < 1000; k++) {
      world.step();
      const [x, y] = world.samples[0].nodePosition.slice(48);
      if (x * before < 0) crossings.push(world.time - (1e-3 * x) / (x - before));
      before = x;
      side = Math.max(side, Math.abs(y));
    }
    const period = 2 * Math.PI * Math.sqrt((2 * length) / (3 * 9.81)) * (1 + angle ** 2 / 16);
    expect(crossings).toHaveLength(2);
    expect((2 * (crossings[1] - crossings[0])) / period).toBeCloseTo(1, 2);
    expect(side).toBeLessThan(2e-3);
  });

  it('vibrates in torsion at c/4L', () => {
    const scene = straight(16, [length, 0, 0], { pins: [{ rod: 'rod', at: 'start' }] });
    const { omega, shapes } = createWorld(scene).modes(24)[0];
    const theory = (2 * Math.PI * Math.sqrt(E / (2 * (1 + nu)) / density)) / (4 * length);
    const turnOf = ({ edgeTwist, nodeDisplacement }: (typeof shapes)[number]): number =>
      Math.max(...edgeTwist.map(Math.abs)) / Math.max(...nodeDisplacement.map(Math.abs));
    const most = shapes.reduce((best, shape, k) => (turnOf(shape) > turnOf(shapes[best]) ? k : best), 0);
    // with half of the mass on the ghosts it was at 0.16 of it
    expect(omega[most] / theory).toBeGreaterThan(0.95);
    expect(omega[most] / theory).toBeLessThan(1.05);
  });
});
