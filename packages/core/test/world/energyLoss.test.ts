/** Energy that integrators dissipate in scenes without damping. */
import { describe, expect, it } from 'vitest';
import { createWorld, type EnergyLoss, type ModelId, type Scene } from '../../src/index.ts';

/** A hair is let go; `step` [s]. */
function hair(model: ModelId, step: number, more: Partial<Scene> = {}, damping?: { mass: number }): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'hair',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] },
        edges: 20,
        section: { type: 'circle', radius: 4e-5 },
        material: { E: 3.58e9, nu: 0.35, density: 1320, ...(damping && { damping }) },
      },
    ],
    pins: [{ rod: 'hair', at: 'start' }],
    time: { duration: 1, step },
    ...more,
  };
}

/** The last report of a run, and the loss by the world's own energies relative to the largest kinetic plus elastic energy. */
function run(scene: Scene, steps: number): { found?: EnergyLoss; lost: number } {
  const world = createWorld(scene);
  const { total, potential } = world.energies();
  let found: EnergyLoss | undefined;
  let largest = total - potential;
  for (let k = 0; k < steps; k++) {
    found = world.step().energyLoss;
    const energies = world.energies();
    largest = Math.max(largest, energies.total - energies.potential);
  }
  return { ...(found && { found }), lost: (total - world.energies().total) / largest };
}

describe('energy that the integrator dissipates', () => {
  it.each([0.001, 0.004])('is measured: helix by implicit Euler, steps of %s s', (step) => {
    const { found, lost } = run(hair('helix', step), 1 / step);
    expect(lost).toBeGreaterThan(0.1);
    expect((found?.loss ?? 0) / (found?.scale ?? 1)).toBeCloseTo(lost, 2);
  });

  it.each(['der', 'strand', 'fiber', 'cosserat'] as const)(
    'is below a tenth with the default scheme of %s',
    (model) => {
      const { found, lost } = run(hair(model, 0.004), 200);
      expect(found).toBeUndefined();
      expect(Math.abs(lost)).toBeLessThan(0.02);
    },
  );

  it('is found where the whole swing is too fast for the steps', () => {
    // twist that is let go, 20 steps per period
    const scene = hair('strand', 2e-5, { gravity: [0, 0, 0] });
    const rods = scene.rods?.map((rod) => ({ ...rod, frame: { twist: 1 } }));
    const { found, lost } = run({ ...scene, rods, pins: [{ rod: 'hair', at: 'start' }] }, 400);
    expect(lost).toBeGreaterThan(0.3);
    expect((found?.loss ?? 0) / (found?.scale ?? 1)).toBeCloseTo(lost, 1);
  });

  it('is told from the work of mass damping, which is measured too', () => {
    const { found, lost } = run(hair('helix', 0.004, {}, { mass: 1 }), 500);
    expect(found?.loss).toBeGreaterThan(0.25 * (found?.damped ?? Infinity));
    expect(((found?.loss ?? 0) + (found?.damped ?? 0)) / (found?.scale ?? 1)).toBeCloseTo(lost, 1);
    // the same motion by a scheme that conserves energy: damping takes half of it
    const exact = run(hair('der', 0.004, {}, { mass: 1 }), 500);
    expect(exact.lost).toBeGreaterThan(0.4);
    expect(exact.found).toBeUndefined();
  });

  it('does not come from the first steps of a fall', () => {
    // implicit Euler loses 1/n of the energy in its first n steps
    expect(run(hair('helix', 1e-5), 60).found).toBeUndefined();
  });

  it('is measured in steps in which nothing touches', () => {
    const below = (z: number): Partial<Scene> => ({ colliders: [{ type: 'plane', position: [0, 0, z] }] });
    const free = run(hair('helix', 0.004), 200);
    expect(run(hair('helix', 0.004, below(-1)), 200).found?.loss).toBeCloseTo(free.found?.loss ?? 0, 12);
    const touching = run(hair('helix', 0.004, below(-0.004)), 200);
    expect(touching.lost).toBeGreaterThan(0.5);
    // what it has lost before it lands
    expect((touching.found?.loss ?? 0) / (touching.found?.scale ?? 1)).toBeLessThan(0.3 * touching.lost);
  });

  it('is not told from damping of stiffness and from the work of air', () => {
    const stiff = hair('helix', 0.004);
    const rods = stiff.rods.map((rod) => ({
      ...rod,
      material: { E: 3.58e9, nu: 0.35, density: 1320, damping: { stiffness: 1e-3 } },
    }));
    expect(run({ ...stiff, rods }, 200).found).toBeUndefined();
    const air = { type: 'air', linear: [1e-3, 1e-3] } as const;
    const { found, lost } = run(hair('der', 0.004, { fields: [air] }), 200);
    expect(lost).toBeGreaterThan(0.5);
    expect(found).toBeUndefined();
  });
});
