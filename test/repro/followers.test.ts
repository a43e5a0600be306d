/** Torques, and loads that follow the rod, act where the scene says, not in the middle of the nearest edge: errors are of second order. */
import { createWorld, type World } from '@tendril-sim/core';
import { sceneFromObject } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';

const models = ['der', 'strand', 'helix', 'fiber', 'cosserat'] as const;

/** A rod of 1 m from the origin along x, d1 along z, with EI = GJ = `stiffness`. */
function solve(model: string, edges: number, stiffness: number, load: object, natural?: object): World {
  const world = createWorld(
    sceneFromObject({
      tendril: 1,
      rods: [
        {
          ...{
            id: 'r',
            model,
            edges,
            shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
            frame: { d1: [0, 0, 1] },
          },
          section: { type: 'stiffness', EI1: stiffness, GJ: stiffness, EA: 1e7 * stiffness, mass: 0.1, radius: 0.003 },
          ...(natural && { natural }),
        },
      ],
      pins: [{ rod: 'r', at: 'start' }],
      loads: [{ rod: 'r', ...load }],
    }),
  );
  for (const { converged, reason } of world.equilibrate()) expect(converged, reason).toBe(true);
  return world;
}

const tipOf = ({ samples: [{ nodePosition }] }: World): number[] => [...nodePosition.slice(-3)];
const distance = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));

describe.each(models)('%s', (model) => {
  it('a torque that follows the end bends and twists the rod to a helix', () => {
    // EI = GJ: the moment has the same components along the whole rod, and the tip is ∫ exp(s κ) e3 ds
    const [k1, k3] = [0.9, 0.7];
    const k = Math.hypot(k1, k3);
    const [along, across] = [k3 / k, k1 / k];
    // components of the tip along the axis of the helix, and in the plane across it
    const inPlane = (across * Math.sin(k)) / k;
    const outOfPlane = (across * (1 - Math.cos(k))) / k;
    // axis (across, 0, along) of (d1, d2, d3) = (z, −y, x)
    const want = [along * along + across * inPlane, outOfPlane, along * across - along * inPlane];
    const load = { type: 'torque', at: 'end', torque: [k1, 0, k3], frame: 'material' };
    const errors = [10, 20].map((edges) => distance(tipOf(solve(model, edges, 1, load)), want));
    // it was 2.0; the stretch of fiber is a part of its error
    expect(errors[0] / errors[1]).toBeGreaterThan(model === 'fiber' ? 2.5 : 3.3);
    expect(errors[1]).toBeLessThan(2e-3);
  });

  it('a torque inside an edge bends the rod up to there', () => {
    // beside a node, where the middle of the edge is farthest
    const [u, angle] = [0.405, 1.2];
    const load = { type: 'torque', at: { u }, torque: [0, 0, angle / u] };
    const rest = 1 - u;
    const want = [
      (u / angle) * Math.sin(angle) + rest * Math.cos(angle),
      (u / angle) * (1 - Math.cos(angle)) + rest * Math.sin(angle),
      0,
    ];
    const errors = [10, 20].map((edges) => distance(tipOf(solve(model, edges, 1, load)), want));
    expect(errors[0] / errors[1]).toBeGreaterThan(3);
    expect(errors[1]).toBeLessThan(7e-3);
  });

  it.each([1, 0.405])('a force that follows a curved rod at u = %d has the direction of the rod there', (u) => {
    // a rod that hardly bends: about d1, along z, to a circle
    const load = { type: 'force', at: { u }, force: [0, 0, 1], frame: 'material' };
    const world = solve(model, 20, 1e4, load, { curvature: [1.2, 0, 0] });
    const [{ force }] = world.reactions();
    expect(force[0]).toBeCloseTo(-Math.cos(1.2 * u), 3);
    expect(Math.abs(force[1])).toBeCloseTo(Math.sin(1.2 * u), 3);
  });
});
