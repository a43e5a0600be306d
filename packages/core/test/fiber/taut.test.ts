/** Fibers between held ends: the tension depends on EA, which the scaffold must have. */
import { describe, expect, it } from 'vitest';
import type { ModelId, Scene } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/world.ts';

/** A cable of 0.5 m and 4 mm between clamps, or between pins that leave it free to spin, which approach by `slack` times its length. */
const cable = (model: ModelId, slack: number, hold: 'clamp' | 'position', more: Partial<Scene> = {}): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'cable',
      model,
      shape: { type: 'straight', from: [0, 0, 0], to: [0.5, 0, 0] },
      edges: 40,
      section: { type: 'circle', radius: 0.002 },
      material: { E: 1e9, nu: 0.4, density: 1200 },
    },
  ],
  pins: [
    { rod: 'cable', at: 'start', hold },
    { rod: 'cable', at: 'end', hold, path: { keys: [{ time: 0 }, { time: 1, offset: [-0.5 * slack, 0, 0] }] } },
  ],
  time: { duration: 1, step: 0.002 },
  ...more,
});

function pull(scene: Scene): { force: number; warnings: readonly string[]; isSolved: boolean } {
  const world = createWorld(scene);
  const [{ converged }] = world.equilibrate(1);
  return { force: world.reactions()[1].force[0], warnings: world.warnings, isSolved: converged };
}

describe('a fiber between held ends', () => {
  it.each([
    ['clamp', 0],
    ['clamp', 0.002],
    ['position', 0],
    ['position', 0.002],
    ['position', 0.008],
  ] as const)('pulls at its %ss like der, with a slack of %f', (hold, slack) => {
    const fiber = pull(cable('fiber', slack, hold));
    const der = pull(cable('der', slack, hold));
    expect(fiber.isSolved && der.isSolved).toBe(true);
    expect(Math.abs(fiber.force / der.force - 1)).toBeLessThan(0.01);
    expect(fiber.warnings).toEqual([]);
  });

  it('warns if its scaffold has another EA, and is then wrong', () => {
    const wide = { solver: { fiber: { scaffold: 0.004 } } };
    const fiber = pull(cable('fiber', 0, 'clamp', wide));
    expect(fiber.warnings.join()).toContain('0.25 of the EA of the rod: reactions may be off by more than half');
    expect(Math.abs(fiber.force / pull(cable('der', 0, 'clamp')).force - 1)).toBeGreaterThan(0.2);
    const slack = cable('fiber', 0, 'clamp', wide);
    const [start] = slack.pins ?? [];
    expect(createWorld({ ...slack, pins: [start] }).warnings).toEqual([]);
  });

  it('warns if it is inextensible', () => {
    const scene = cable('fiber', 0, 'clamp');
    const { warnings } = createWorld({ ...scene, rods: [{ ...scene.rods[0], inextensible: true }] });
    expect(warnings.join()).toContain('a finite one while the rod does not stretch');
  });
});
