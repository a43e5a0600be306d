import { describe, expect, it } from 'vitest';
import { createWorld, type Scene, type StrandOptions } from '../../src/index.ts';

/** A curl that hangs from the side of a head. */
function curl(E: number, stiffness: StrandOptions['stiffness'], natural: 'initial' | 'equilibrium', up = false): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'curl',
        model: 'strand',
        shape: { type: 'helix', radius: 0.01, pitch: 0.03, turns: 3, axis: [0.3, 0, up ? 1 : -1] },
        edges: 45,
        natural,
        section: stiffness === 'swing-twist' ? { type: 'circle', radius: 4e-4 } : { type: 'ellipse', a: 4e-4, b: 3e-4 },
        material: { E, nu: 0.3, density: 1300 },
      },
    ],
    pins: [{ rod: 'curl', at: 'start' }],
    time: { duration: 1, step: 0.01 },
    solver: { strand: { stiffness } },
  };
}

describe('a natural shape that does not sag', () => {
  it.each(['gibbs', 'swing-twist', 'paper'] as const)('leaves the curl where it is, with %s', (stiffness) => {
    const world = createWorld(curl(1e8, stiffness, 'equilibrium'));
    const start = world.samples[0].nodePosition.slice();
    for (let k = 0; k < 50; k++) world.step();
    const moved = Math.max(...world.samples[0].nodePosition.map((x, k) => Math.abs(x - start[k])));
    expect(moved).toBeLessThan(1e-10);
    const sagging = createWorld(curl(1e8, stiffness, 'initial'));
    for (let k = 0; k < 50; k++) sagging.step();
    expect(Math.max(...sagging.samples[0].nodePosition.map((x, k) => Math.abs(x - start[k])))).toBeGreaterThan(1e-4);
  });

  it('is an equilibrium to rounding', () => {
    const world = createWorld(curl(1e8, 'gibbs', 'equilibrium'));
    const [report] = world.equilibrate();
    expect(report.iterations).toBe(0);
    expect(report.residual / report.tolerance).toBeLessThan(0.02);
    expect(report.stable).toBe(true);
    expect(world.warnings).toEqual([]);
  });

  it('is told when it is unstable, with the stiffness that would do', () => {
    const world = createWorld(curl(5e5, 'gibbs', 'equilibrium', true));
    const warning = world.warnings.join();
    expect(warning).toMatch(/unstable one; [\d.]+ times its stiffness/);
    const factor = Number(/([\d.]+) times/.exec(warning)?.[1]);
    expect(factor).toBeGreaterThan(1);
    expect(createWorld(curl(5e5 * factor * 1.01, 'gibbs', 'equilibrium', true)).warnings).toEqual([]);
    expect(createWorld(curl(5e5 * factor * 0.97, 'gibbs', 'equilibrium', true)).warnings.length).toBe(1);
  });
});
