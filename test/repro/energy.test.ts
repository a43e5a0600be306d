/** Rods that are let go or pushed, without contact: energy does not grow beyond the tolerance of the scheme. */
import { createWorld, type ModelId, type RodSpec, type Scene } from '@tendril/core';
import { describe, expect, it } from 'vitest';

/** Numbers in [0, 1) that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Points of a polyline of straight edges that is bent at one node, by an angle [rad]. */
function kinked(edges: number, length: number, angle: number, at: number): [number, number, number][] {
  const points: [number, number, number][] = [[0, 0, 0]];
  for (let i = 0; i < edges; i++) {
    const [x, , z] = points[i];
    const direction = i < at ? 0 : angle;
    points.push([x + (length / edges) * Math.cos(direction), 0, z + (length / edges) * Math.sin(direction)]);
  }
  return points;
}

/** Energy at the start, and the largest of all, over so many steps [J]. */
function watch(scene: Scene, steps: number): { readonly start: number; readonly largest: number } {
  const world = createWorld(scene);
  const start = world.energies().total;
  let largest = start;
  for (let k = 0; k < steps; k++) {
    world.step();
    largest = Math.max(largest, world.energies().total);
  }
  return { start, largest };
}

const rodOf = (model: ModelId, more: Partial<RodSpec>): RodSpec => ({
  id: 'rod',
  model,
  shape: { type: 'straight', from: [0, 0, 0], to: [0.5, 0, 0] },
  section: { type: 'circle', radius: 0.002 },
  material: { E: 1e7, nu: 0.3, density: 1000 },
  ...more,
});

describe('a clamped strand with a kink that is let go', () => {
  // 6.1 times the energy at 0.5 ms before steps were measured
  it.each([2e-3, 5e-4, 2e-4])('gains no energy with steps of %s s', (step) => {
    const { start, largest } = watch(
      {
        tendril: 1,
        rods: [
          rodOf('strand', {
            shape: { type: 'points', points: kinked(50, 1, 1.5, 25) },
            natural: 'straight',
            section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
          }),
        ],
        pins: [{ rod: 'rod', at: 'start' }],
        time: { duration: 1, step },
      },
      100,
    );
    expect(largest).toBeLessThan(1.01 * start);
  });
});

describe('a free rod that is pushed for 2 ms', () => {
  /** Largest energy after the push by that at its end. */
  function growth(model: ModelId, random: () => number): number {
    const force = 10 ** (1 + random());
    const step = 5e-4 + 2e-3 * random();
    const world = createWorld({
      tendril: 1,
      rods: [
        rodOf(model, {
          edges: 8 + Math.floor(20 * random()),
          material: { E: 10 ** (5 + 3 * random()), nu: 0.3, density: 1000 },
          inextensible: model === 'der' && random() < 0.5,
        }),
      ],
      loads: [
        {
          type: 'force',
          rod: 'rod',
          at: 'end',
          force: [force * (random() - 0.5), force * (random() - 0.5), force * (random() - 0.5)],
          factor: { formula: 't < 0.002' },
        },
      ],
      time: { duration: 1, step },
    });
    while (world.time < 0.002) world.step();
    world.step();
    const start = world.energies().total;
    let largest = start;
    for (let k = 0; k < 30; k++) {
      world.step();
      largest = Math.max(largest, world.energies().total);
    }
    return largest / start;
  }

  it.each(['der', 'cosserat'] as const)('gains no energy afterwards with %s', (model) => {
    const random = createRandom(11);
    for (let k = 0; k < 15; k++) expect(growth(model, random)).toBeLessThan(1.02);
  });
});

describe('random releases', () => {
  function randomScene(model: ModelId, random: () => number): Scene {
    const edges = 6 + Math.floor(14 * random());
    const length = 0.2 + random();
    const radius = 0.002 + 0.008 * random();
    const EI = 10 ** (-5 + 5 * random());
    const isHeld = model === 'helix' || random() < 0.6;
    return {
      tendril: 1,
      rods: [
        rodOf(model, {
          shape: {
            type: 'points',
            points: kinked(edges, length, 0.3 + 1.4 * random(), 1 + Math.floor((edges - 1) * random())),
          },
          natural:
            random() < 0.5
              ? 'straight'
              : { curvature: [(5 * random()) / length, (5 * random()) / length, (3 * random()) / length] },
          section: { type: 'circle', radius },
          material: { E: (4 * EI) / (Math.PI * radius ** 4), nu: 0.3, density: 1000 },
        }),
      ],
      pins: isHeld ? [{ rod: 'rod', at: 'start' }] : [],
      time: { duration: 1, step: 10 ** (-4.3 + 2 * random()) },
    };
  }

  it.each(['der', 'cosserat', 'strand', 'helix', 'fiber', 'massspring'] as const)('gain no energy with %s', (model) => {
    const random = createRandom(5);
    for (let k = 0; k < (model === 'massspring' ? 5 : 10); k++) {
      const { start, largest } = watch(randomScene(model, random), 40);
      expect(largest).toBeLessThan(1.02 * start);
    }
  });
});
