import { describe, expect, it } from 'vitest';
import type { ContactPort } from '../../src/model.ts';
import { createStrandContact } from '../../src/models/strand/contact.ts';
import type { StepOptions } from '../../src/models/strand/step.ts';
import { createSweep } from '../../src/models/strand/terms.ts';
import { createStepWork } from '../../src/models/strand/trial.ts';
import type { ContactSides } from '../../src/port.ts';
import type { Scene } from '../../src/scene/types.ts';
import { branchedScene, createRandomTree, randomNumbers } from './trees.ts';

const H = 5e-3;
const COUNT = 40;

/** Sides all over the branched tree, some on the same edge, some without mass; forces of the size of its weight. */
function randomSides(seed: number, arms: boolean): ContactSides {
  const random = randomNumbers(seed);
  const rod = Int32Array.from({ length: COUNT }, (_, c) => Math.floor((3 * c) / COUNT));
  return {
    count: COUNT,
    rod,
    edge: Int32Array.from(rod, (r, c) => c % [5, 4, 3][r]),
    weight: Float64Array.from({ length: COUNT }, (_, c) => (c % 5 === 0 ? 1 : 0.5 + 0.5 * random())),
    arm: Float64Array.from({ length: 3 * COUNT }, () => (arms ? 0.05 * random() : 0)),
    force: Float64Array.from({ length: 3 * COUNT }, () => 0.2 * random()),
    mass: Float64Array.from({ length: COUNT }, (_, c) => (c % 7 === 0 ? 0 : 0.3 + 0.2 * random())),
  };
}

interface Answers {
  readonly velocity: Float64Array;
  readonly response: Float64Array;
  readonly free: Float64Array;
  readonly glued: Float64Array;
}

/** What the port says of the sides: by a dense matrix, or by sweeps. */
function ask(scene: Scene, many: number, arms: boolean): Answers {
  const tree = createRandomTree(scene, 'gibbs', 5);
  // with Newton's matrix by differences no elimination is left over from an earlier place
  const options: StepOptions = { order: 1, tolerance: 1e-12, iterations: 50, stepError: 0, numeric: true };
  const work = createStepWork(tree.linkCount, createSweep(tree.linkCount));
  const port: ContactPort = createStrandContact({
    trees: [tree],
    place: tree.rods.map((strand) => ({ tree, strand })),
    workOf: () => work,
    state: { q: tree.q, v: tree.v, memory: tree.memory },
    options,
    many,
  });
  const sides = randomSides(11, arms);
  const marked = new Uint8Array([1]);
  const out: Answers = {
    velocity: new Float64Array(3 * COUNT),
    response: new Float64Array(COUNT),
    free: new Float64Array(3 * COUNT),
    glued: new Float64Array(3 * COUNT),
  };
  const random = randomNumbers(3);
  const impulse = Float64Array.from({ length: 3 * COUNT }, random);
  port.hold();
  expect(
    port.linearize({ velocity: out.velocity, response: out.response }, marked, sides, { t: 0.3, dt: H, fresh: true }),
  ).toBe(true);
  const masses = sides.mass.slice();
  sides.mass.fill(0);
  expect(port.factor(marked, sides)).toBe(true);
  port.solve(out.free, impulse, sides);
  sides.mass.set(masses);
  expect(port.factor(marked, sides)).toBe(true);
  port.solve(out.glued, impulse, sides);
  return out;
}

/** Largest difference, as a part of the largest number. */
function distance(a: Float64Array, b: Float64Array): number {
  const size = Math.max(...a.map(Math.abs));
  expect(size).toBeGreaterThan(0);
  return Math.max(...a.map((x, k) => Math.abs(x - b[k]))) / size;
}

const free: Partial<Scene> = { pins: [] };
const ball: Partial<Scene> = { pins: [{ rod: 'trunk', at: 'start', hold: 'position' }] };

describe('a tree with many sides', () => {
  for (const [name, changes, arms] of [
    ['on a base that moves', {}, true],
    ['that nothing holds', free, true],
    ['on a ball joint, without arms', ball, false],
  ] as const)
    it(`answers by sweeps as by a matrix: ${name}`, () => {
      const scene = branchedScene(changes);
      const dense = ask(scene, Number.POSITIVE_INFINITY, arms);
      const sweeps = ask(scene, 0, arms);
      expect(distance(dense.velocity, sweeps.velocity)).toBe(0);
      expect(distance(dense.response, sweeps.response)).toBeLessThan(1e-10);
      expect(distance(dense.free, sweeps.free)).toBeLessThan(1e-10);
      expect(distance(dense.glued, sweeps.glued)).toBeLessThan(1e-10);
      // point masses matter
      expect(distance(dense.free, dense.glued)).toBeGreaterThan(0.1);
    });
});
