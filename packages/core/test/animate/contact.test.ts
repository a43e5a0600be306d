/** Friction and radius that change while rods touch. */
import { describe, expect, it } from 'vitest';
import { createWorld, type RodSpec, type Scene, type World } from '../../src/index.ts';

const RADIUS = 1e-3;
const rope = (more: Partial<RodSpec> = {}): RodSpec => ({
  id: 'rope',
  shape: { type: 'straight', from: [0, 0, RADIUS], to: [0.1, 0, RADIUS] },
  edges: 4,
  section: { type: 'circle', radius: RADIUS },
  material: { E: 1e8, nu: 0.4, density: 1000 },
  ...more,
});

const onFloor = (rod: RodSpec, friction: NonNullable<Scene['colliders']>[number]['friction']): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [rod],
  colliders: [
    { id: 'floor', type: 'plane', position: [0, 0, 0], normal: [0, 0, 1], ...(friction && { friction }) } as never,
  ],
});

function run(scene: Scene, steps: number, duration: number): World {
  const world = createWorld(scene);
  for (let k = 0; k < steps; k++) {
    const { energyGain, contact } = world.step(duration / steps);
    expect(energyGain).toBeUndefined();
    expect(contact?.converged).not.toBe(false);
  }
  return world;
}

describe('friction that rises while a rod slides', () => {
  // v = v0 − ½ μ g t²: it stops after t = √(2 v0/(μ g)), two thirds of the way that it would have gone
  const speed = 0.5;
  const rate = 0.4;
  const stop = Math.sqrt((2 * speed) / (rate * 9.81));
  const way = (2 / 3) * speed * stop;
  const sliding = (more: Partial<RodSpec> = {}): RodSpec => rope({ velocity: { linear: [speed, 0, 0] }, ...more });
  const wayOf = (scene: Scene, steps: number): number => run(scene, steps, 1.2 * stop).samples[0].nodePosition[0];
  const factor = { formula: 't' };

  it.each([
    ['the rod', onFloor(sliding({ animate: { friction: factor } }), rate)],
    ['the obstacle', onFloor(sliding(), { static: rate, dynamic: rate, factor })],
  ])('of %s stops it where Coulomb says, with an error of first order', (_, scene) => {
    const [coarse, fine] = [30, 60].map((steps) => Math.abs(wayOf(scene, steps) - way));
    expect(fine).toBeLessThan(0.03 * way);
    expect(coarse / fine).toBeGreaterThan(1.6);
    expect(coarse / fine).toBeLessThan(2.5);
  });

  it('lets a rod slide that stuck, where it falls', () => {
    const slope = {
      ...onFloor(
        rope({
          animate: {
            friction: {
              keys: [
                [0, 1],
                [0.1, 0],
              ],
              interpolation: 'step',
            },
          },
        }),
        1,
      ),
    };
    const world = run({ ...slope, gravity: [3, 0, -9.81] }, 30, 0.3);
    // 3 m/s² for 0.2 s
    expect(world.samples[0].nodePosition[0]).toBeGreaterThan(0.95 * 0.5 * 3 * 0.04);
    expect(world.samples[0].nodePosition[0]).toBeLessThan(1.1 * 0.5 * 3 * 0.04);
  });

  it('rejects a factor below zero, with its place', () => {
    const scene = onFloor(sliding(), { static: 1, dynamic: 1, factor: { formula: '1 - 20*t' } });
    const world = createWorld(scene);
    expect(() => {
      for (let k = 0; k < 10; k++) world.step(0.01);
    }).toThrow(/colliders\.?\[?0\]?\.friction\.factor|the factor is/);
  });
});

describe('a radius that grows', () => {
  it('lifts a rod from the floor, and keeps two crossed rods apart', () => {
    const animate = { radius: { formula: '1 + t' } };
    const lower = rope({ animate, material: { E: 1e8, nu: 0.4, density: 1000, damping: { mass: 5 } } });
    const upper: RodSpec = {
      ...lower,
      id: 'upper',
      shape: { type: 'straight', from: [0.05, -0.05, 3 * RADIUS], to: [0.05, 0.05, 3 * RADIUS] },
    };
    const scene: Scene = { ...onFloor(lower, 0.3), contact: { friction: 0.3 } };
    const world = run({ ...scene, rods: [lower, upper] }, 100, 1);
    const height = (rod: number, node: number): number => world.samples[rod].nodePosition[3 * node + 2];
    expect(height(0, 2)).toBeGreaterThan(1.98 * RADIUS);
    expect(height(0, 2)).toBeLessThan(2.1 * RADIUS);
    expect(height(1, 2) - height(0, 2)).toBeGreaterThan(3.95 * RADIUS);
    expect(height(1, 2) - height(0, 2)).toBeLessThan(4.1 * RADIUS);
    // density stays: four times the mass
    expect(world.momentum().mass).toBeCloseTo(2 * 4 * 1000 * Math.PI * RADIUS ** 2 * 0.1, 9);
  });
});
