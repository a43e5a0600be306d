/** Tension of a string of mass-spring hair, as docs/massspring.md states it: EA × strain, the better the larger EA l² is beside EI. */
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../src/index.ts';

const EDGES = 50;

/** Tension over EA × strain, and whether the world warns that its springs are too stiff. `ratio`: EA l²/EI. */
function stretched(GJ: number, ratio: number, strain: number): { tension: number; isTooStiff: boolean } {
  const EA = ratio * EDGES ** 2;
  const world = createWorld({
    tendril: 1,
    rods: [
      {
        id: 'string',
        model: 'massspring',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: EDGES,
        natural: { length: 1 / (1 + strain) },
        section: { type: 'stiffness', EI1: 1, GJ, EA, mass: 1 },
      },
    ],
    pins: [
      { rod: 'string', at: 'start', hold: 'position' },
      { rod: 'string', at: 'end', hold: 'position' },
    ],
  });
  expect(world.equilibrate()[0].converged).toBe(true);
  const [, { force }] = world.reactions();
  return {
    tension: force[0] / (EA * strain),
    isTooStiff: world.warnings.some((one) => /as stiff against stretch/.test(one)),
  };
}

describe.each([
  [1, 60, 0.01],
  [0.6, 100, 0.01],
  [0.3, 200, 0.02],
])('a string with GJ/EI = %d', (GJ, limit, error) => {
  it.each([1e-3, 1e-4])('has the tension of a strain of %d', (strain) => {
    const { tension, isTooStiff } = stretched(GJ, 300, strain);
    expect(Math.abs(tension - 1)).toBeLessThan(error);
    expect(isTooStiff).toBe(false);
  });

  it.each([
    [1e-3, 0.07],
    [1e-4, 0.14],
  ])('is less exact at its limit, at a strain of %d', (strain, most) => {
    const { tension, isTooStiff } = stretched(GJ, limit, strain);
    expect(Math.abs(tension - 1)).toBeLessThan(most);
    expect(isTooStiff).toBe(false);
  });

  it('warns below its limit', () => {
    const { tension, isTooStiff } = stretched(GJ, 0.9 * limit, 1e-3);
    expect(tension).toBeGreaterThan(1.02);
    expect(isTooStiff).toBe(true);
  });
});
