/** Linear response of a strand: matrices of the backward sweep against differences of solved steps. */
import { describe, expect, test } from 'vitest';
import { add, dot, type Quaternion, scale, type Vector } from '../../src/batch/algebra.ts';
import { DISPLACEMENT } from '../../src/batch/layout.ts';
import type { EdgePoint } from '../../src/batch/points.ts';
import { measureCompliance, respondToForces, takeFactors } from '../../src/batch/response.ts';
import { type BatchRod, createBatchRod, stateSizes } from '../../src/batch/rod.ts';
import { eulerStage } from '../../src/batch/schemes.ts';
import { beginSolve, continueSolve } from '../../src/batch/step.ts';
import { eliminateStrand } from '../../src/batch/sweeps.ts';
import { compileScene, type RodSpec, type Scene } from '../../src/index.ts';
import { DT, farthest, sceneOf } from './scenes.ts';

const STAGE = eulerStage(DT);
const options = { scheme: 'implicit-euler', tolerance: 1e-14, iterations: 60 } as const;
const places = [
  { edge: 3, part: 0.4, arm: [0, 0, 0] },
  { edge: 7, part: 1, arm: [1e-3, 2e-3, -1e-3] },
  { edge: 7, part: 0, arm: [0, 0, 0] },
] as const;
const push: readonly Vector[] = [
  [2e-5, -1e-5, 3e-5],
  [-1e-5, 2e-5, 1e-5],
  [1e-5, 1e-5, -2e-5],
];

function makeStrand(changes: Partial<Scene>, rod: Partial<RodSpec> = {}): BatchRod {
  const { rods, drives } = compileScene(sceneOf(changes, rod));
  const sizes = stateSizes(rods[0]);
  const [q, v, memory] = [sizes.q, sizes.v, sizes.memory].map((size) => new Float64Array(size));
  return createBatchRod(rods[0], drives[0], { q, v, memory });
}

interface Solved {
  readonly tip: Quaternion;
  readonly moved: readonly number[][];
  readonly iterations: number;
}

/** A solved step under forces at the points; displacements of the points, and the frame of the last edge. */
function solve(batch: BatchRod, forces: readonly Vector[], arms = 1): Solved {
  const points: EdgePoint[][] = Array.from({ length: batch.rod.edgeCount }, () => []);
  places.forEach(({ edge, part, arm }, c) => {
    points[edge].push({
      part,
      arm: scale(arms, arm),
      force: forces[c],
      normal: [0, 0, 0],
      stiffness: 0,
      tangentStiffness: 0,
    });
  });
  batch.strand.points = points;
  const out = { ok: false, iterations: 0, iterationsMax: 0, reason: '' };
  const { tip, failure } = continueSolve(
    batch,
    { stage: STAGE, tip: beginSolve(batch, STAGE, DT), t: DT },
    options,
    out,
  );
  expect(failure).toBe('');
  const d = batch.strand.slots[DISPLACEMENT];
  const moved = places.map(({ edge, part }) =>
    [0, 1, 2].map((k) => (1 - part) * d[3 * edge + k] + part * d[3 * edge + 3 + k]),
  );
  return { tip, moved, iterations: out.iterations };
}

const helix: Partial<RodSpec> = { shape: { type: 'helix', radius: 0.01, pitch: 0.03, turns: 3 }, natural: 'initial' };
const roots = { clamped: makeStrand, free: () => makeStrand({ pins: [] }, helix) };

describe.each(Object.keys(roots) as (keyof typeof roots)[])('%s root', (kind) => {
  const make = (): BatchRod => roots[kind]({});

  test('the response is the derivative of the step by its forces', () => {
    const batch = make();
    const { tip } = solve(batch, push);
    batch.strand.eliminated = [];
    const beyond = eliminateStrand(batch.strand, STAGE, tip, true);
    expect(beyond.definite).toBe(true);
    const factored = takeFactors(batch.strand, beyond);
    const probe: readonly Vector[] = [push[1], [0, 0, 0], push[0]];
    const h = 1e-4;
    const [plus, minus] = [h, -h].map((s) => {
      const forces = push.map((force, c) => add(force, scale(s, probe[c])));
      return solve(make(), forces).moved;
    });
    const index = (edge: number, point: number): number => (edge === 3 ? 0 : 1 + point);
    respondToForces(
      factored,
      (j, c) => probe[index(j, c)],
      (j, c, found) => {
        const n = index(j, c);
        // points with an arm also move with the spin of the edge, which displacements of nodes do not show
        if (places[n].arm.some((one) => one !== 0)) return;
        const expected = plus[n].map((x, k) => (x - minus[n][k]) / (2 * h));
        expect(Math.hypot(...expected)).toBeGreaterThan(1e-8);
        expect(farthest(found, expected) / Math.hypot(...expected)).toBeLessThan(1e-3);
      },
    );
  });

  test('compliances are the responses to unit forces, also with stiffness glued on', () => {
    const batch = make();
    const { tip } = solve(batch, push);
    batch.strand.points = batch.strand.points.map((list) =>
      list.map((point) => ({ ...point, tangentStiffness: 0.02 })),
    );
    batch.strand.eliminated = [];
    const factored = takeFactors(batch.strand, eliminateStrand(batch.strand, STAGE, tip, true));
    const found = measureCompliance(factored);
    for (const [edge, point] of [
      [3, 0],
      [7, 0],
      [7, 1],
    ]) {
      let trace = 0;
      for (const axis of [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ] as const)
        respondToForces(
          factored,
          (j, c) => (j === edge && c === point ? axis : scale(0, axis)),
          (j, c, moved) => {
            if (j === edge && c === point) trace += dot(moved, axis);
          },
        );
      expect(found[edge][point]).toBeGreaterThan(1e-3);
      expect(found[edge][point] / (trace / 3)).toBeCloseTo(1, 9);
    }
  });

  test('a force at a node is a load on that node', () => {
    const point = make();
    solve(point, [[0, 0, 0], push[1], [0, 0, 0]], 0);
    const load = make();
    const source = {
      dependsOnState: false,
      potential: () => 0,
      addLoads: (loads: { nodeForce: Float64Array }) => {
        for (let k = 0; k < 3; k++) loads.nodeForce[3 * 8 + k] += push[1][k];
      },
    };
    (load.drive.sources as unknown[]).push(source);
    solve(load, [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    const [a, b] = [point, load].map(({ strand }) => strand.slots[DISPLACEMENT]);
    expect(farthest(a, b)).toBeLessThan(1e-12);
    expect(Math.max(...a.map(Math.abs))).toBeGreaterThan(1e-4);
  });
});

test('Newton is quadratic under large moments', () => {
  const batch = makeStrand({});
  const { iterations } = solve(batch, [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ]);
  expect(iterations).toBeLessThan(10);
});
