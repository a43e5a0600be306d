/** Rods that are welded to a body on a path, in models that ask more of their pins than a pose. */
import { expect, it } from 'vitest';
import { loadSimdDer } from '../../src/batch/index.ts';
import { type BodySpec, createWorld, type PinSpec, type RodSpec, type Scene } from '../../src/index.ts';
import { createPinMotion, createPinPose, type Pin } from '../../src/scene/compiled.ts';
import { compileScene } from '../../src/scene/compileScene.ts';

const rod: RodSpec = {
  id: 'hair',
  shape: { type: 'straight', from: [0.1, 0, 0], to: [0.25, 0, 0.02] },
  edges: 12,
  section: { type: 'circle', radius: 2e-4 },
  material: { E: 3e9, nu: 0.3, density: 1300 },
};

function sceneOf(change: Partial<Scene>, keys: NonNullable<BodySpec['path']>['keys']): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [rod],
    bodies: [{ id: 'head', position: [0.02, 0.01, -0.03], path: { keys } }],
    welds: [{ rod: 'hair', at: 'start', body: 'head' }],
    ...change,
  };
}

const turns: NonNullable<BodySpec['path']>['keys'] = [
  { time: 0 },
  { time: 0.1, offset: [0.02, -0.01, 0.03], rotation: [0.3, -0.5, 0.7] },
  { time: 0.3, offset: [0, 0.02, 0], rotation: [-0.2, 0.4, -0.3] },
];

function middle(scene: Scene, steps: number, models?: Parameters<typeof createWorld>[1]): number[] {
  const world = createWorld(scene, models);
  for (let k = 0; k < steps; k++) world.step(0.002);
  return Array.from(world.samples[0].nodePosition.slice(-3));
}

it('their pins have the rates of the path', () => {
  const { drives } = compileScene(sceneOf({}, turns));
  const [pin] = drives[0].pins;
  expect(pin.isStill).toBe(false);
  const motion = createPinMotion();
  const [before, after, now] = [createPinPose(), createPinPose(), createPinPose()];
  const h = 1e-5;
  for (const t of [0.03, 0.12, 0.24]) {
    pin.evaluateMotion?.(motion, t);
    const rates = (one: Pin): void => {
      one.evaluate(before, t - h);
      one.evaluate(after, t + h);
      one.evaluate(now, t);
    };
    rates(pin);
    for (let k = 0; k < 3; k++) {
      const acceleration = (after.velocity[k] - before.velocity[k]) / (2 * h);
      const spinRate = (after.angularVelocity[k] - before.angularVelocity[k]) / (2 * h);
      expect(Math.abs(acceleration)).toBeGreaterThan(0.1);
      expect(Math.abs(spinRate)).toBeGreaterThan(0.1);
      expect(motion.acceleration[k]).toBeCloseTo(acceleration, 5);
      expect(motion.angularAcceleration[k]).toBeCloseTo(spinRate, 5);
      expect(motion.angularVelocity[k]).toBeCloseTo(now.angularVelocity[k], 12);
    }
  }
});

it('strand that lies on its body settles in every step, and where der does', () => {
  const lies = (model: 'strand' | 'der'): Scene =>
    sceneOf(
      {
        rods: [
          {
            ...rod,
            model,
            section: { type: 'circle', radius: 5e-5 },
            shape: { type: 'straight', from: [0.02, 0.01, 0.0565], to: [0.17, 0.01, 0.0565] },
          },
        ],
        colliders: [{ type: 'sphere', radius: 0.085, friction: 0.2, body: 'head' }],
      },
      turns,
    );
  const worlds = [createWorld(lies('strand')), createWorld(lies('der'))];
  let contacts = 0;
  for (let k = 0; k < 100; k++)
    for (const world of worlds) {
      world.step(0.002);
      expect(world.contactReport?.converged).toBe(true);
      contacts += world.contactReport?.contacts ?? 0;
    }
  expect(contacts).toBeGreaterThan(100);
  const [tip, other] = worlds.map(({ samples }) => samples[0].nodePosition.slice(-3));
  expect(Math.hypot(...tip.map((x, k) => x - other[k]))).toBeLessThan(2e-3);
});

it('strand refuses a path whose velocity jumps', () => {
  const scene = sceneOf({ rods: [{ ...rod, model: 'strand' }] }, turns);
  const [head] = scene.bodies ?? [];
  const jumps = { ...scene, bodies: [{ ...head, path: { interpolation: 'linear', keys: turns } }] } as Scene;
  expect(() => createWorld(jumps)).toThrow(/velocity jumps; use interpolation: smooth/);
});

it('simd follows a body that rests before it moves, and one that does not turn', async () => {
  const models = { models: [await loadSimdDer()] };
  for (const keys of [
    [{ time: 0 }, { time: 0.02 }, { time: 0.1, rotation: [0.3, -0.5, 0.7] }],
    [{ time: 0 }, { time: 0.1, offset: [0.05, 0.02, 0] }],
  ] as const) {
    const solver = (backend: 'standard' | 'simd'): Partial<Scene> => ({
      rods: [{ ...rod, inextensible: true }],
      solver: { der: { backend, twist: 'quasistatic', strain: 'rotation' } },
    });
    const tip = middle(sceneOf(solver('simd'), keys), 50, models);
    const other = middle(sceneOf(solver('standard'), keys), 50);
    const still = middle(sceneOf(solver('standard'), [{ time: 0 }]), 50);
    expect(Math.hypot(...other.map((x, k) => x - still[k]))).toBeGreaterThan(0.02);
    expect(Math.hypot(...tip.map((x, k) => x - other[k]))).toBeLessThan(1e-4);
  }
});

it('a pin is not still because it began as one', () => {
  const pins: PinSpec[] = [{ rod: 'hair', at: 'start' }];
  const { drives } = compileScene({ tendril: 1, gravity: [0, 0, 0], rods: [rod], pins });
  expect(drives[0].pins[0].isStill).toBe(true);
});
