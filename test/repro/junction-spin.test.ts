/**
 * Junctions without inertia: their rotation was computed from their angular momentum, which is nothing but rounding. Trees with stiffness damping gained
 * energy (25 J where 0.05 J was right), and Newton took up to 95 iterations per step.
 */
import { createWorld, type Scene, type World } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

/** Branches that grow out of each other's ends in directions that no axis shares, so that arms of welds are rounded; gravity lets them swing. */
function chain(inertia: number, beta: number): Scene {
  const count = 4;
  const places: [number, number, number][] = [[0, 0, 0]];
  for (let k = 0; k < count; k++) {
    const [x, y, z] = places[k];
    const length = 0.9 - 0.13 * k;
    const [u, v] = [0.3 + 0.7 * k, 0.4 - 0.23 * k];
    places.push([
      x + length * Math.cos(v) * Math.cos(u),
      y + length * Math.cos(v) * Math.sin(u),
      z + length * Math.sin(v),
    ]);
  }
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: count }, (_, k) => ({
      id: `branch ${k}`,
      shape: { type: 'straight' as const, from: places[k], to: places[k + 1] },
      edges: 6,
      section: { type: 'circle' as const, radius: 0.012 },
      material: { E: 3e9, nu: 0.3, density: 600, damping: { stiffness: beta } },
    })),
    bodies: places.slice(1, -1).map((position, k) => ({
      id: `junction ${k}`,
      position,
      mass: inertia,
      ...(inertia > 0 && { inertia: [inertia, inertia, inertia] as [number, number, number] }),
    })),
    welds: places.slice(1, -1).flatMap((_, k) => [
      { rod: `branch ${k}`, at: 'end' as const, body: `junction ${k}` },
      { rod: `branch ${k + 1}`, at: 'start' as const, body: `junction ${k}` },
    ]),
    pins: [{ rod: 'branch 0', at: 'start' }],
    time: { duration: 0.2, step: 0.005 },
  };
}

function swing(world: World): { gains: number; most: number; tip: number[] } {
  let gains = 0;
  let most = 0;
  for (let k = 0; k < 40; k++) {
    const { energyGain, iterationsMax } = world.step();
    if (energyGain) gains++;
    most = Math.max(most, iterationsMax);
  }
  return { gains, most, tip: [...world.samples[3].nodePosition.subarray(-3)] };
}

describe.each([0, 0.002])('a chain of branches with a damping of %f s', (beta) => {
  it('moves as one whose junctions have next to no inertia, without energy from nowhere', () => {
    const [without, little] = [swing(createWorld(chain(0, beta))), swing(createWorld(chain(1e-9, beta)))];
    expect(without.gains).toBe(0);
    expect(without.most).toBeLessThanOrEqual(little.most + 1);
    for (let k = 0; k < 3; k++) expect(without.tip[k]).toBeCloseTo(little.tip[k], 6);
    // it has moved at all
    expect(Math.abs(little.tip[2] - createWorld(chain(0, beta)).samples[3].nodePosition[20])).toBeGreaterThan(0.01);
  });

  it('goes on from a saved state with the same bits', () => {
    const world = createWorld(chain(0, beta));
    for (let k = 0; k < 10; k++) world.step();
    const again = createWorld(chain(0, beta));
    again.restore(structuredClone(world.save()));
    for (let k = 0; k < 5; k++) {
      world.step();
      again.step();
    }
    expect(again.hash()).toBe(world.hash());
  });
});
