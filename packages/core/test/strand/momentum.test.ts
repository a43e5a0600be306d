import { describe, expect, it } from 'vitest';
import { createWorld, type RodSpec, type Scene } from '../../src/index.ts';

/** Strips of 8 cm: 1 mm thick, 1 MPa, mass 0.25 g. */
const strip = (
  id: string,
  from: readonly [number, number, number],
  to: readonly [number, number, number],
  velocity: NonNullable<RodSpec['velocity']>,
): RodSpec => ({
  id,
  model: 'strand',
  shape: { type: 'straight', from, to },
  edges: 16,
  section: { type: 'circle', radius: 0.001 },
  material: { E: 1e6, nu: 0.3, density: 1000 },
  velocity,
});

const bent = {
  type: 'points',
  points: [
    [0, 0, 0],
    [0.02, 0.003, 0.001],
    [0.04, 0.001, 0.004],
    [0.06, 0.004, 0.002],
  ],
} as const;

interface Account {
  /** Change of momentum over mass [m/s] and of angular momentum over mass [m²/s]. */
  readonly linear: readonly number[];
  readonly angular: readonly number[];
  /** Largest rise of the energy in a step, and what is left of it; over what there was. */
  readonly rise: number;
  readonly left: number;
  readonly touched: number;
  readonly turning: readonly number[];
}

function account(scene: Scene, steps: number): Account {
  const world = createWorld(scene);
  const before = world.momentum();
  const linear = Array.from(before.linear);
  const angular = Array.from(before.angular);
  const energy = world.energies().total;
  let last = energy;
  let rise = 0;
  let touched = 0;
  for (let k = 0; k < steps; k++) {
    world.step();
    const { total } = world.energies();
    rise = Math.max(rise, (total - last) / energy);
    last = total;
    if (world.contactForces().length > 0) touched++;
  }
  const after = world.momentum();
  return {
    linear: linear.map((value, k) => (after.linear[k] - value) / after.mass),
    angular: angular.map((value, k) => (after.angular[k] - value) / after.mass),
    turning: angular.map((value) => value / after.mass),
    rise,
    left: last / energy,
    touched,
  };
}

const largest = (values: readonly number[]): number => Math.max(...values.map(Math.abs));

describe('a strand that nothing holds', () => {
  /** Onto a smooth plane, askew; `speed` [m/s] scales all velocities, and the step by its inverse. */
  const fall = (speed: number, step: number, linear: readonly [number, number, number], spin: number): Scene => ({
    tendril: 1,
    rods: [
      strip('a', [-0.04, 0, 0.002], [0.04, 0, 0.012], {
        linear: [speed * linear[0], speed * linear[1], speed * linear[2]],
        angular: [0, 0, speed * spin],
      }),
    ],
    colliders: [{ type: 'plane', friction: 0 }],
    time: { duration: 1, step: step / speed },
  });

  it.each([
    [1, 4e-3],
    [1, 1e-3],
    [1, 2.5e-4],
    [50, 4e-3],
    [50, 1e-3],
  ])('is not thrown sideways by a smooth plane, and gains no energy: %d m/s, %d m a step', (speed, step) => {
    const found = account(fall(speed, step, [0, 0, -1], 0), Math.round(0.04 / step));
    expect(found.touched).toBeGreaterThan(3);
    expect(Math.hypot(found.linear[0], found.linear[1])).toBeLessThan(1e-7 * speed);
    // it comes to rest, or nearly: nothing throws it back
    expect(found.linear[2]).toBeGreaterThan(0.99 * speed);
    expect(found.rise).toBeLessThan(1e-9);
    expect(found.left).toBeLessThan(1e-3);
  });

  it.each([1, 50])('keeps what it has along the plane while it turns and bounces, at %d m/s', (speed) => {
    const found = account(fall(speed, 5e-4, [0.3, 0.2, -1], 20), 60);
    expect(found.touched).toBeGreaterThan(20);
    expect(Math.hypot(found.linear[0], found.linear[1])).toBeLessThan(1e-7 * speed);
    expect(found.turning[2]).toBeGreaterThan(9e-3 * speed);
    expect(Math.abs(found.angular[2])).toBeLessThan(1e-5 * found.turning[2]);
    expect(found.rise).toBeLessThan(1e-6);
  });

  it('keeps turning on a smooth plane that carries it', () => {
    const scene = fall(1, 2e-3, [0.3, 0.2, 0], 20);
    const rods: RodSpec[] = [
      { ...scene.rods[0], shape: { type: 'straight', from: [0, 0, 0.001], to: [0.08, 0, 0.001] } },
    ];
    const found = account({ ...scene, gravity: [0, 0, -9.81], rods }, 50);
    expect(found.touched).toBe(50);
    expect(Math.abs(found.angular[2])).toBeLessThan(1e-9 * found.turning[2]);
    // 1.6 % a step would go with the turning that implicit Euler loses
    expect(found.left).toBeCloseTo(1, 4);
  });
});

describe('two strands that nothing holds', () => {
  it.each([
    [1, 0],
    [50, 0],
    [1, 0.4],
  ])('keep momentum and angular momentum while they touch: %d m/s, friction %d', (speed, friction) => {
    const found = account(
      {
        tendril: 1,
        contact: { friction },
        rods: [
          strip('a', [-0.04, 0, 0.004], [0.04, 0.01, 0.012], { linear: [0.3 * speed, 0.2 * speed, -speed] }),
          strip('b', [0.01, -0.04, 0], [0.015, 0.04, 0], {}),
        ],
        time: { duration: 1, step: 1e-3 / speed },
      },
      40,
    );
    expect(found.touched).toBeGreaterThan(20);
    expect(largest(found.linear)).toBeLessThan(1e-8 * speed);
    expect(largest(found.turning)).toBeGreaterThan(3e-3 * speed);
    expect(largest(found.angular)).toBeLessThan(1e-9 * speed);
    expect(found.rise).toBeLessThan(1e-9);
    expect(found.left).toBeLessThan(0.95);
  });

  it.each([2e-3, 5e-4])('keep them where a link joins them, step %d s', (step) => {
    const found = account(
      {
        tendril: 1,
        links: [{ rod: 'a', at: 'end', to: { rod: 'b', at: 'start' }, stiffness: 1e3 }],
        rods: [
          strip('a', [-0.04, 0, 0], [0.04, 0, 0], { linear: [0.3, 0.2, -1], angular: [0, 0, 10] }),
          strip('b', [0.04, 0, 0], [0.04, 0.08, 0], {}),
        ],
        time: { duration: 1, step },
      },
      Math.round(0.05 / step),
    );
    expect(largest(found.linear)).toBeLessThan(1e-8);
    expect(found.turning[2]).toBeGreaterThan(2e-3);
    expect(largest(found.angular)).toBeLessThan(1e-9);
    expect(found.rise).toBeLessThan(1e-9);
    expect(found.left).toBeGreaterThan(0.85);
  });
});

describe('free fall', () => {
  it('stays of second order where no energy about the centre of mass tells steps apart', () => {
    const [step, g] = [1e-3, 9.81];
    const rod = { ...strip('r', [0, 0, 0], [0.05, 0.04, 0.03], {}), shape: bent };
    const world = createWorld({ tendril: 1, gravity: [0, 0, -g], rods: [rod], time: { duration: 1, step } });
    const start = world.momentum().center[2];
    for (let k = 0; k < 20; k++) expect(world.step().iterationsMax).toBeLessThan(3);
    // the first step is of first order; steps of first order alone would be 10 g h² too low
    const error = start - 0.5 * g * world.time ** 2 - world.momentum().center[2];
    expect(Math.abs(error)).toBeLessThan(0.8 * g * step ** 2);
  });
});
