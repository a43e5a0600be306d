/** A step that throws leaves the world as it was: time, step count and every bit of the state. */
import { createWorld, type Scene, type World } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

type ModelName = NonNullable<Scene['rods'][number]['model']>;
const step = 0.004;

/** Rods that hang from clamps. The formula of the force on the last has no value for 20 ms after `until`. */
function scene(models: readonly ModelName[], until: number, more: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: models.map((model, k) => ({
      id: `rod${k}`,
      model,
      shape: { type: 'straight', from: [0, 0.1 * k, 0.2], to: [0.2, 0.1 * k, 0.2] },
      edges: 6,
      section: { type: 'circle', radius: 0.005 },
      material: { E: 3e6, nu: 0.4, density: 900 },
    })),
    pins: models.map((_, k) => ({ rod: `rod${k}`, at: 'start' })),
    fields: [
      {
        type: 'force',
        per: 'mass',
        formula: ['0', `y < ${0.1 * models.length - 0.15} ? 1 : sqrt((t - ${until}) * (t - ${until} - 0.02))`, '0'],
      },
    ],
    time: { duration: 10, step },
    ...more,
  };
}

/** Steps until one throws, and compares with a world that stopped before. */
function expectAtomic(open: () => World): void {
  const [world, stopped] = [open(), open()];
  let error: unknown;
  while (world.stepCount < 50) {
    try {
      world.step();
    } catch (thrown) {
      error = thrown;
      break;
    }
  }
  expect(String(error)).toMatch(/NaN|not a number|failed/);
  expect(world.stepCount).toBeGreaterThan(1);
  for (let k = 0; k < world.stepCount; k++) stopped.step();
  expect(world.time).toBe(stopped.time);
  expect(world.hash()).toBe(stopped.hash());
  expect(world.samples.map(({ nodePosition }) => [...nodePosition])).toEqual(
    stopped.samples.map(({ nodePosition }) => [...nodePosition]),
  );
}

const names = ['der', 'helix', 'strand', 'fiber', 'cosserat', 'massspring'] as const;

describe('a formula that gives NaN', () => {
  it.each(names)('leaves all rods of %s where they were', (model) => {
    // in the middle of a step: some stages still see a number
    for (const until of [3.3 * step, 3.9 * step]) expectAtomic(() => createWorld(scene([model, model], until)));
  });

  it('leaves rods of several models where they were', () => {
    expectAtomic(() => createWorld(scene([...names], 4.2 * step)));
  });

  it.each(['der', 'helix', 'strand', 'fiber'] as const)('leaves rods of %s in contact where they were', (model) => {
    const floor: Partial<Scene> = { colliders: [{ type: 'plane', position: [0, 0, 0.194] }] };
    const open = (): World => createWorld(scene([model, model], 9.4 * step, floor));
    expectAtomic(open);
    const world = open();
    for (let k = 0; k < 8; k++) world.step();
    expect(world.contactForces().length).toBeGreaterThan(0);
  });
});

describe('a step that a released pin splits', () => {
  const release = 5.4 * step;
  const free = (more: Partial<Scene>, until: number): Scene => ({
    ...scene(['strand', 'strand'], until, more),
    pins: [
      { rod: 'rod0', at: 'start' },
      { rod: 'rod0', at: 'end', hold: 'position', release },
      { rod: 'rod1', at: 'start' },
    ],
  });

  it('leaves the world as it was if its second part throws', () => {
    expectAtomic(() => createWorld(free({}, 5.7 * step)));
  });

  it('reports rejected steps of both parts, and the violation of constraints at its end', () => {
    const world = createWorld(free({}, 5));
    const reports = Array.from({ length: 8 }, () => world.step());
    const split = reports.find(({ time }) => time > release);
    expect(split?.substeps).toBeGreaterThan(1);
    expect(reports[0].violation).toBeGreaterThan(0);
    expect(split?.violation).toBeUndefined();
    expect(split?.rejected).toBeDefined();
  });
});
