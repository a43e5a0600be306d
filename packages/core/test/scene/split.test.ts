/** Cutting a rod: the pieces are what the whole was, and go on from where it was. */
import { describe, expect, it } from 'vitest';
import { compileScene, createWorld, type ModelId, type Scene, splitRod, startOf, type World } from '../../src/index.ts';

function scene(changes: Partial<Scene['rods'][number]> = {}, more: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'a',
        shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 0.4, angle: 1.5 },
        edges: 24,
        natural: 'initial',
        section: { type: 'circle', radius: 0.005 },
        material: { E: 4e6, nu: 0.4, density: 1100, damping: { stiffness: 1e-3 } },
        ...changes,
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    time: { duration: 1, step: 0.004 },
    ...more,
  };
}

function cut(world: World, rod: number, node: number): World {
  const { scene: parted, pieces } = splitRod(world.scene, world.rods, rod, node);
  const rods = pieces.map((piece) =>
    startOf(world.rods[piece.rod], world.samples[piece.rod], world.channel(piece.rod, 'twist'), piece),
  );
  return createWorld(parted, { start: { time: world.time, rods } });
}

function center(world: World, rod: number): number[] {
  const { nodeMass } = world.rods[rod];
  const { nodePosition } = world.samples[rod];
  const mass = nodeMass.reduce((a, b) => a + b, 0);
  return [0, 1, 2].map((k) => nodeMass.reduce((sum, m, i) => sum + m * nodePosition[3 * i + k], 0) / mass);
}

/** Mean velocity from a node on, of which half the mass counts. */
function drift(world: World, rod: number, from = 0): number[] {
  const nodeMass = world.rods[rod].nodeMass.slice(from);
  if (from > 0) nodeMass[0] *= 0.5;
  const nodeVelocity = world.samples[rod].nodeVelocity.slice(3 * from);
  const mass = nodeMass.reduce((a, b) => a + b, 0);
  return [0, 1, 2].map((k) => nodeMass.reduce((sum, m, i) => sum + m * nodeVelocity[3 * i + k], 0) / mass);
}

describe('a cut', () => {
  it('leaves every property as it was along the whole', () => {
    const tapered = scene({
      shape: { type: 'helix', radius: 0.05, pitch: 0.1, turns: 2 },
      section: {
        type: 'ellipse',
        a: { formula: '0.004*(1 - 0.5*u)' },
        b: {
          along: [
            [0, 0.002],
            [0.5, 0.003],
            [0.5, 0.001],
            [1, 0.001],
          ],
        },
      },
    });
    const [whole] = compileScene(tapered).rods;
    const { scene: parted, pieces } = splitRod(tapered, [whole], 0, 9);
    const { rods, drives } = compileScene(parted);
    expect(rods.map(({ id }) => id)).toEqual(['a', 'a-2']);
    expect(pieces.map(({ from, to }) => [from, to])).toEqual([
      [0, 9],
      [9, 24],
    ]);
    rods.forEach((rod, k) => {
      const { from, to } = pieces[k];
      const close = (values: Float64Array, expected: Float64Array): void => {
        expect(values.length).toBe(expected.length);
        const size = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        expect(size).toBeGreaterThan(0);
        // a cubic of the taper within half an edge is not a line
        for (const [i, value] of values.entries()) expect(Math.abs(value - expected[i]) / size).toBeLessThan(3e-4);
      };
      close(rod.edgeLengthRest, whole.edgeLengthRest.slice(from, to));
      close(rod.edgeEA, whole.edgeEA.slice(from, to));
      close(rod.halfEI1, whole.halfEI1.slice(2 * from, 2 * to));
      close(rod.halfGJ, whole.halfGJ.slice(2 * from, 2 * to));
      close(rod.halfStrainRest, whole.halfStrainRest.slice(6 * from, 6 * to));
      close(rod.nodeMass.slice(1, -1), whole.nodeMass.slice(from + 1, to));
    });
    const mass = rods.reduce((sum, { nodeMass }) => sum + nodeMass.reduce((a, b) => a + b, 0), 0);
    expect(mass).toBeCloseTo(
      whole.nodeMass.reduce((a, b) => a + b, 0),
      6,
    );
    // the clamp stays where it was and as it was, though the shape that is written is another
    expect(drives.map(({ pins }) => pins.length)).toEqual([1, 0]);
  });

  it.each<[ModelId, number]>([
    ['der', 1e-12],
    ['cosserat', 1e-12],
    ['massspring', 1e-12],
    ['fiber', 2e-3],
    ['strand', 1e-6],
  ])('lets both parts of a %s go on from where they are, and the loose one fall', (model, exact) => {
    const world = createWorld(scene({ model }));
    for (let k = 0; k < 40; k++) world.step();
    const before = world.samples[0].nodePosition.slice();
    const after = cut(world, 0, 10);
    expect(after.time).toBe(world.time);
    const off = (rod: number, from: number): number =>
      after.samples[rod].nodePosition.reduce((most, x, i) => Math.max(most, Math.abs(x - before[3 * from + i])), 0);
    expect(off(0, 0)).toBeLessThan(exact);
    expect(off(1, 10)).toBeLessThan(exact);
    const [x, v] = [center(after, 1), drift(after, 1)];
    expect(Math.abs(v[2])).toBeGreaterThan(0.05);
    expect(Math.abs(v[2] - drift(world, 0, 10)[2])).toBeLessThan(0.02 * Math.abs(v[2]));
    const steps = 25;
    for (let k = 0; k < steps; k++) after.step();
    const t = steps * 0.004;
    const fallen = center(after, 1)[2] - x[2] - v[2] * t;
    expect(fallen / (-0.5 * 9.81 * t * t)).toBeCloseTo(1, 1);
    expect(Math.abs(center(after, 1)[0] - x[0] - v[0] * t)).toBeLessThan(2e-3);
    // the clamp holds the other
    expect(Math.hypot(...after.samples[0].nodePosition.slice(0, 3))).toBeLessThan(1e-9);
  });

  it('keeps the velocities', () => {
    const world = createWorld(scene());
    for (let k = 0; k < 40; k++) world.step();
    const after = cut(world, 0, 10);
    const { kinetic } = world.energies();
    expect(kinetic).toBeGreaterThan(0);
    expect(after.energies().kinetic / kinetic).toBeCloseTo(1, 9);
    // what is gone is the bending at the node that was cut
    expect(after.energies().bending).toBeLessThan(world.energies().bending);
    expect(after.energies().bending).toBeGreaterThan(0.8 * world.energies().bending);
  });

  it('opens a ring, and a twisted one unwinds', () => {
    const ring = scene(
      {
        shape: { type: 'ring', radius: 0.1 },
        edges: 30,
        frame: { twist: 9 },
        natural: { shape: { type: 'ring', radius: 0.1 } },
      },
      { pins: [], gravity: [0, 0, 0] },
    );
    const world = createWorld(ring);
    const after = cut(world, 0, 7);
    expect(after.rods.map(({ nodeCount, closed }) => [nodeCount, closed])).toEqual([[31, false]]);
    const before = world.energies().twisting;
    expect(after.energies().twisting / before).toBeCloseTo(29 / 30, 2);
    for (let k = 0; k < 60; k++) after.step();
    expect(after.energies().twisting).toBeLessThan(0.5 * before);
  });

  it('leaves other rods as they are, a twisted ring among them', () => {
    const both = scene({}, { gravity: [0, 0, 0] });
    const [a] = both.rods;
    const ring = { ...a, id: 'ring', shape: { type: 'ring', radius: 0.1 }, edges: 30, frame: { twist: 9 } } as const;
    const world = createWorld({ ...both, rods: [a, { ...ring, natural: { shape: ring.shape } }] });
    for (let k = 0; k < 10; k++) world.step();
    const after = cut(world, 0, 12);
    expect(after.rods.map(({ id }) => id)).toEqual(['a', 'a-2', 'ring']);
    expect(after.energies().twisting / world.energies().twisting).toBeCloseTo(1, 4);
    const [before, now] = [world, after].map((one) => {
      for (let k = 0; k < 10; k++) one.step();
      return one.samples[one.samples.length - 1].nodePosition;
    });
    const size = before.reduce((most, x, k) => Math.max(most, Math.abs(x - now[k])), 0);
    expect(size).toBeLessThan(1e-4);
  });

  it('moves pins and loads to the piece they are on', () => {
    const loaded = scene(
      {},
      {
        pins: [
          { rod: 'a', at: 'start' },
          { rod: 'a', at: { u: 0.75 }, hold: 'position' },
        ],
        loads: [
          { type: 'force', rod: 'a', at: 'end', force: [1, 0, 0] },
          { type: 'distributed', rod: 'a', force: [0, 1, 0], from: 0.25, to: 1 },
        ],
        fields: [{ type: 'air', linear: [0.1, 0.1], rods: ['a'], weight: { formula: 'u' } }],
      },
    );
    const { rods } = compileScene(loaded);
    const { scene: parted } = splitRod(loaded, rods, 0, 12);
    expect(parted.pins?.map(({ rod, at }) => [rod, at])).toEqual([
      ['a', { node: 0 }],
      ['a-2', { node: 6 }],
    ]);
    expect(parted.loads?.map((load) => 'rod' in load && load.rod)).toEqual(['a-2', 'a', 'a-2']);
    const parts = parted.loads?.flatMap((load) => (load.type === 'distributed' ? [[load.from, load.to]] : []));
    expect(parts?.flat().map((u) => Number(u?.toFixed(6)))).toEqual([0.5, 1, 0, 1]);
    expect(parted.fields?.map(({ rods: named }) => named)).toEqual([['a'], ['a-2']]);
    createWorld(parted);
  });

  it('is refused, in words, at an end and where a body hangs', () => {
    const whole = scene();
    const { rods } = compileScene(whole);
    expect(() => splitRod(whole, rods, 0, 0)).toThrow('this is its end');
    expect(() => splitRod(whole, rods, 0, 24)).toThrow('this is its end');
    const weighed = scene(
      {},
      {
        bodies: [{ id: 'ball', solid: { type: 'sphere', radius: 0.02, density: 1000 }, position: [0.4, 0, 0.37] }],
        welds: [{ rod: 'a', at: 'end', body: 'ball' }],
      },
    );
    expect(() => splitRod(weighed, compileScene(weighed).rods, 0, 12)).toThrow('carries a body');
  });
});
