import { describe, expect, it } from 'vitest';
import { createWorld, type ModelId, type Scene, type World } from '../../src/index.ts';

const RADIUS = 0.05;
const THICK = 1e-3;
const EDGES = 16;

/** A soft rod whose root lies 2 cm under the top of a ball, and which falls over on it. */
function embedded(model: ModelId, changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'hair',
        model,
        shape: { type: 'straight', from: [0, 0, 0.03], to: [0.04, 0, 0.18] },
        edges: EDGES,
        section: { type: 'circle', radius: THICK },
        material: { E: 1e6, nu: 0.45, density: 1000, damping: { mass: 8 } },
      },
    ],
    pins: [{ rod: 'hair', at: 'start' }],
    colliders: [{ id: 'head', type: 'sphere', radius: RADIUS, friction: 0.3 }],
    time: { duration: 0.6, step: 2e-3 },
    ...changes,
  };
}

function run(world: World, steps: number): World {
  for (let k = 0; k < steps; k++) world.step();
  return world;
}

/** Largest change of an edge's length, as a part of it. */
function stretchOf({ samples, rods }: World): number {
  const { nodePosition: x } = samples[0];
  let worst = 0;
  for (let j = 0; j < rods[0].edgeCount; j++) {
    const length = Math.hypot(x[3 * j + 3] - x[3 * j], x[3 * j + 4] - x[3 * j + 1], x[3 * j + 5] - x[3 * j + 2]);
    worst = Math.max(worst, Math.abs(length / rods[0].edgeLengthRest[j] - 1));
  }
  return worst;
}

const depths = ({ samples }: World): number[] =>
  Array.from({ length: EDGES + 1 }, (_, i) => {
    const [x, y, z] = samples[0].nodePosition.subarray(3 * i, 3 * i + 3);
    return RADIUS + THICK - Math.hypot(x, y, z);
  });

describe('a rod that is held inside an obstacle', () => {
  for (const model of ['der', 'fiber', 'strand'] as const)
    it(`is left alone up to where it leaves it, and rests on it from there: ${model}`, () => {
      const world = createWorld(embedded(model));
      expect(world.warnings).toEqual([
        "rod 'hair' is held inside collider 'head', which does not act next to the pin: 29.1 mm",
      ]);
      let stretched = 0;
      for (let k = 0; k < 300; k++) {
        world.step();
        stretched = Math.max(stretched, stretchOf(world));
      }
      // pushed out, its first edge was twice as long; what is left is weight
      expect(stretched).toBeLessThan(0.01);
      const deep = depths(world);
      expect(deep[0]).toBeCloseTo(0.021, 6);
      expect(deep[2]).toBeGreaterThan(0.5 * THICK);
      expect(Math.max(...deep.slice(3))).toBeLessThan(0.05 * THICK);
      const touching = world.contactForces();
      expect(touching.length).toBeGreaterThan(0);
      for (const { edge } of touching) expect(edge).toBeGreaterThanOrEqual(3);
    });

  it('goes on bit for bit in a new world from a saved state', () => {
    const scene = embedded('der');
    const world = run(createWorld(scene), 120);
    const saved = world.save();
    run(world, 20);
    const other = createWorld(scene);
    other.restore(saved);
    expect(run(other, 20).hash()).toBe(world.hash());
  });

  it('is left alone while it is held: when the pin lets go, it is pushed out', () => {
    const scene = embedded('der', { pins: [{ rod: 'hair', at: 'start', release: 0.2 }], gravity: [0, 0, 0] });
    const world = run(createWorld(scene), 95);
    expect(depths(world)[0]).toBeCloseTo(0.021, 6);
    run(world, 500);
    expect(Math.max(...depths(world))).toBeLessThan(0.05 * THICK);
  });

  it('that merely touches is not inside: a rod that is held on a floor, and sinks into it, is pushed out as before', () => {
    const lies = (z: number): Scene =>
      embedded('der', {
        rods: [
          { ...embedded('der').rods[0], shape: { type: 'straight', from: [0, 0, z], to: [0.15, 0, z] } },
        ] as Scene['rods'],
        colliders: [{ id: 'floor', type: 'plane' }],
      });
    for (const z of [0.8 * THICK, -0.8 * THICK]) {
      const world = run(createWorld(lies(z)), 300);
      const { nodePosition: x } = world.samples[0];
      expect(x[2]).toBe(z);
      for (let i = 2; i <= EDGES; i++) expect(x[3 * i + 2]).toBeGreaterThan(0.95 * THICK);
    }
  });

  it.each([
    [0.48, 0],
    [0.52, 1],
  ])('or merely touches: with its axis %f radii deep it has %i root', (depth, roots) => {
    const scene = embedded('der', {
      rods: [
        {
          ...embedded('der').rods[0],
          shape: { type: 'straight', from: [0, 0, -depth * THICK], to: [0, 0, 0.15] },
        },
      ] as Scene['rods'],
      colliders: [{ id: 'floor', type: 'plane' }],
    });
    const { warnings } = createWorld(scene);
    expect(warnings.filter((line) => line.includes("is held inside collider 'floor'")).length).toBe(roots);
  });

  it('and never leaves it is left alone over twice the depth of its pin', () => {
    const scene = embedded('der', {
      rods: [
        { ...embedded('der').rods[0], shape: { type: 'straight', from: [0, 0, -0.02], to: [0.15, 0, -0.02] } },
      ] as Scene['rods'],
      colliders: [{ id: 'ground', type: 'plane' }],
    });
    const world = createWorld(scene);
    expect(world.warnings[0]).toContain('40.0 mm');
    expect(world.warnings[1]).toContain('pushed apart gently');
    run(world, 100);
    expect(stretchOf(world)).toBeLessThan(0.05);
    expect(world.samples[0].nodePosition[3 * EDGES + 2]).toBeGreaterThan(-0.018);
  });

  it.each(['der', 'strand'] as const)('or behind a surface stays threaded where it passes through: %s', (model) => {
    const w = 0.3;
    const scalp: Partial<Scene> = {
      colliders: [
        {
          id: 'scalp',
          type: 'mesh',
          solid: false,
          vertices: [
            [-w, -w, 0],
            [w, -w, 0],
            [w, w, 0],
            [-w, w, 0],
          ],
          faces: [
            [0, 1, 2],
            [0, 2, 3],
          ],
        },
      ],
    };
    const from = (z: number): Scene =>
      embedded(model, {
        ...scalp,
        rods: [
          { ...embedded(model).rods[0], shape: { type: 'straight', from: [0, 0, z], to: [0.03, 0, z + 0.15] } },
        ] as Scene['rods'],
      });
    const world = createWorld(from(-0.012));
    expect(world.warnings).toEqual([
      "rod 'hair' is held behind collider 'scalp', which does not act next to the pin: 19.1 mm",
    ]);
    run(world, 300);
    expect(stretchOf(world)).toBeLessThan(0.01);
    const heights = Array.from({ length: EDGES + 1 }, (_, i) => world.samples[0].nodePosition[3 * i + 2]);
    expect(heights[1]).toBeLessThan(0);
    for (const z of heights.slice(3)) expect(z).toBeGreaterThan(0.95 * THICK);
    expect(Math.min(...heights.slice(3))).toBeLessThan(1.1 * THICK);
    // a root that lies on it, or is no deeper than the rod is thick, is behind nothing
    expect(createWorld(from(0)).warnings).toEqual([]);
    const along = THICK * Math.cos(Math.atan2(0.03, 0.15));
    const isThreaded = (z: number): boolean =>
      createWorld(from(z)).warnings.some((line) => line.includes('is held behind'));
    expect(isThreaded(-0.95 * along)).toBe(false);
    expect(isThreaded(-1.05 * along)).toBe(true);
  });

  it('behind a surface is followed from either end, and not around the border of the surface', () => {
    const w = 0.03;
    const scalp = {
      id: 'scalp',
      type: 'mesh',
      solid: false,
      vertices: [
        [-w, -w, 0],
        [w, -w, 0],
        [w, w, 0],
        [-w, w, 0],
      ],
      faces: [
        [0, 1, 2],
        [0, 2, 3],
      ],
    } as const;
    const warningsOf = (x: number, at: 'start' | 'end'): readonly string[] => {
      const [low, high] = [
        [x, 0, -0.012],
        [x, 0, 0.138],
      ] as const;
      const shape = { type: 'straight', from: at === 'start' ? low : high, to: at === 'start' ? high : low } as const;
      const { rods } = embedded('der');
      return createWorld(
        embedded('der', {
          rods: [{ ...rods[0], shape }] as Scene['rods'],
          pins: [{ rod: 'hair', at }],
          colliders: [scalp],
        }),
      ).warnings;
    };
    // two edges of 9.375 mm reach through it
    const through = /^rod 'hair' is held behind collider 'scalp', which does not act next to the pin: 18\.[78] mm$/;
    for (const at of ['start', 'end'] as const) {
      expect(warningsOf(0.01, at)).toEqual([expect.stringMatching(through)]);
      expect(warningsOf(w + 2 * THICK, at)).toEqual([]);
    }
  });

  it('is told once for all rods of an obstacle', () => {
    const { rods, pins = [], ...rest } = embedded('der');
    const world = createWorld({
      ...rest,
      rods: [0, 1, 2].map((k) => ({ ...rods[0], id: `hair${k}` })),
      pins: [0, 1, 2].map((k) => ({ ...pins[0], rod: `hair${k}` })),
    } as Scene);
    expect(world.warnings).toEqual([
      "3 rods are held inside collider 'head', which does not act next to the pin: at most, rod 'hair0', 29.1 mm",
    ]);
  });
});
