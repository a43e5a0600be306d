import type { ModelId } from '@tendril-sim/core';
import { pow } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { gravityAlong, sectionNumber } from '../src/controls.ts';
import type { CheckRow } from '../src/expectation.ts';
import { criticalCurvature, criticalCurvatureExact } from './theory.ts';

/** GJ/EI of a round rod that keeps its volume. */
const RATIO = 2 / 3;
const weights = [15, 30, 100, 300, 1000];
const exact = new Map<number, number>();

/** Computed when it is first asked for: 0.2 s a weight. */
function theory(gamma: number): number {
  const known = exact.get(gamma) ?? criticalCurvatureExact(gamma, RATIO);
  exact.set(gamma, known);
  return known;
}

/** Laid straight down; natural curvature κ about d1, in the plane of x and z. */
function scene(gamma: number, kappa: number, edges: number, model: ModelId = 'der'): SceneInput {
  return {
    tendril: 1,
    title: `Hanging rod of natural curvature κL = ${kappa}, Γ = ${gamma}`,
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -1] },
        edges,
        frame: { d1: [0, 1, 0] },
        natural: { curvature: [kappa, 0, 0] },
        section: { type: 'stiffness', EI1: 1, GJ: RATIO, mass: gamma, radius: 0.01, damping: { mass: 8 } },
        velocity: { angular: [0, 0, 0.02] },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 12, step: 0.01 },
    statics: { stability: 'report' },
    output: { every: 0.1 },
  };
}

/** Whether the planar shape is stable. Beyond its fold, at 1.4 times the boundary, the search ends out of the plane. */
function staysPlanar(gamma: number, kappa: number, edges: number, model: ModelId): boolean {
  const world = worldOf(scene(gamma, kappa, edges, model));
  const [report] = equilibrium(world);
  if (report.criterion !== 'energy') throw new Error(`no verdict from ${model}`);
  const { nodePosition } = world.samples[0];
  return report.stable && nodePosition.every((y, k) => k % 3 !== 1 || Math.abs(y) < 1e-6);
}

/** The paper's map: rods of 60 edges that stay in their plane (open) and that leave it (filled). */
function map(rows: readonly CheckRow[]): CaseFigure {
  const lines = Array.from({ length: 25 }, (_, k) => pow(10, 1.15 + (1.9 * k) / 24));
  const points = [15, 30, 60, 120, 250, 500, 1000].flatMap((gamma) =>
    [0.75, 0.9, 0.97, 1.03, 1.1, 1.25].map((share) => {
      const kappa = share * criticalCurvature(gamma, RATIO, 200);
      return { x: gamma, y: kappa, filled: !staysPlanar(gamma, kappa, 60, 'der') };
    }),
  );
  const models = [...new Set(rows.map(({ model }) => model))];
  const finest = (model: string): number => Math.max(...rows.filter((row) => row.model === model).map(({ n }) => n));
  return {
    title: 'Bend–twist: filled dots leave their plane',
    subtitle: 'dots: der with 60 edges; lines with dots: thresholds of each model by bisection',
    x: lines,
    xLabel: 'Γ = ρAgL³/EI',
    xScale: 'log',
    yLabel: 'natural curvature κL',
    lines: [
      { label: 'linear stability', y: lines.map((gamma) => criticalCurvature(gamma, RATIO, 200)) },
      ...models.map((model) => {
        const own = rows.filter((row) => row.model === model && row.n === finest(model));
        return { label: model, x: weights, y: own.map(({ measured }) => measured), dots: true };
      }),
    ],
    points,
  };
}

/** Relative errors as multiples of 1/n². */
const coefficients: Readonly<Partial<Record<ModelId, number>>> = {
  der: 6,
  cosserat: 6,
  helix: 2,
  fiber: 60,
  strand: 45,
};

export const bendTwist: Case = defineCase({
  id: 'bend-twist',
  topics: ['theory'],
  title: 'Bend–twist: a hanging rod with natural curvature leaves its plane',
  claim:
    'A rod with natural curvature that hangs from a clamp stays in its plane while its curvature is small, and leaves the plane beyond a critical curvature. The critical κL depends on Γ = ρAgL³/EI and on GJ/EI alone. One of the three tests for rods of [Romero2021].',
  group: 'classics',
  source: 'linear stability of the planar Kirchhoff rod, computed from the continuum',
  models: ['der', 'helix', 'strand', 'fiber', 'cosserat'],
  papers: [
    {
      paper: 'romero2021',
      figure: 'Bend–twist',
      claim:
        'A naturally curved rod that hangs from a clamp stays in its plane or leaves it, depending on κL and Γ alone; a simulator has to reproduce the boundary.',
      remark:
        'The boundary is computed here by linear stability of the continuum for GJ/EI = 2/3, the branch of planar shapes being followed from the straight rod. `massspring` is left out: its ghosts lie on one side of the plane, so it leaves the plane gradually, without a boundary.',
    },
  ],
  quick: [30],
  full: [30, 60, 120],
  controls: [
    {
      path: ['rods', 0, 'natural', 'curvature', 0],
      label: 'Natural curvature',
      symbol: 'κ',
      unit: '1/m',
      low: 0,
      high: 20,
      threshold: (scene) => {
        const EI = sectionNumber(scene, 'EI1');
        const gamma = (sectionNumber(scene, 'mass') * -gravityAlong(scene, 2)) / EI;
        const ratio = sectionNumber(scene, 'GJ') / EI;
        const at = gamma > 0 && ratio > 0 ? criticalCurvature(gamma, ratio, 100) : Number.NaN;
        return { at, what: `leaves its plane above ${at.toFixed(2)} /m` };
      },
    },
    { path: ['rods', 0, 'section', 'mass'], label: 'Mass per length', symbol: 'ρA', unit: 'kg/m', low: 10, high: 1000 },
    { path: ['rods', 0, 'section', 'GJ'], label: 'Twisting stiffness', symbol: 'GJ', unit: 'N·m²', low: 0.2, high: 2 },
  ],
  scene: () => scene(100, 10, 80),
  measure(n, model) {
    const out: Record<string, number> = {};
    for (const gamma of weights) {
      let [low, high] = [0.93 * theory(gamma), 1.07 * theory(gamma)];
      while (high - low > 1e-4 * high) {
        const kappa = 0.5 * (low + high);
        if (staysPlanar(gamma, kappa, n, model)) low = kappa;
        else high = kappa;
      }
      out[`critical κL, Γ = ${gamma}`] = 0.5 * (low + high);
    }
    return out;
  },
  figure: map,
  expect: () =>
    Object.fromEntries(
      weights.map((gamma) => [
        `critical κL, Γ = ${gamma}`,
        {
          value: theory(gamma),
          // κh decides: heavy rods curl within Γ^(−1/3) of their length
          tolerance: (n: number, model: ModelId) =>
            1e-4 + ((coefficients[model] ?? 6) * pow(gamma / 1000, 1 / 3)) / (n * n),
          order: 1.6,
          floor: 1e-3,
        },
      ]),
    ),
});
