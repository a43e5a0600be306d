/** What the springs cannot follow is said in motion too. */
import { expect, it } from 'vitest';
import { createWorld, type World } from '../../src/index.ts';

/** A cantilever that sags: with E = 100 MPa and 16 edges its tip hung 27 instead of 22 cm low, and nothing said so. */
function cantilever(E: number): World {
  return createWorld({
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'rod',
        model: 'massspring',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] },
        edges: 16,
        section: { type: 'circle', radius: 1e-3 },
        material: { E, nu: 0.4, density: 1000, damping: { mass: 5 } },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 1, step: 2e-3 },
  });
}

it.each([
  ['once where a rod turns by more per edge than its springs can follow', 1e8, 1],
  ['not where they can', 1e9, 0],
])('massspring remarks %s', (_, E, count) => {
  const world = cantilever(E);
  const remarks = Array.from({ length: 150 }, () => world.step().remarks ?? []).flat();
  expect(remarks).toHaveLength(count);
  for (const remark of remarks)
    expect(remark).toMatch(/^rod 'rod' from t = 0\.\d+ s on: at node 1 .* use more edges, or der$/);
});

it('warns of bending that differs by direction where springs that follow EA bend', () => {
  const [EI, length, edges, load] = [1e-3, 0.3, 20, 1e-3];
  const rod = {
    id: 'rod',
    model: 'massspring',
    shape: { type: 'straight', from: [0, 0, 0], to: [length, 0, 0] },
    edges,
    section: { type: 'stiffness', EI1: EI, GJ: 0.75 * EI, EA: 60 * EI * (edges / length) ** 2, mass: 0.01 },
  } as const;
  const world = createWorld({
    tendril: 1,
    rods: [rod],
    pins: [
      { rod: 'rod', at: 'start', hold: 'position' },
      { rod: 'rod', at: 'end', hold: 'position', axes: ['y', 'z'] },
    ],
    loads: [{ type: 'distributed', rod: 'rod', force: [0, 0, -load] }],
  });
  world.equilibrate();
  const sag = -world.samples[0].nodePosition[(3 * edges) / 2 + 2] / ((5 * load * length ** 4) / (384 * EI));
  // on two supports a rod turns into its softest plane
  expect(sag).toBeGreaterThan(1.08);
  const [, most] = world.warnings.join().match(/ to ([\d.]+) % too much, depending on the direction/) ?? [];
  expect(Number(most) / 100).toBeGreaterThan(sag - 1);
});
