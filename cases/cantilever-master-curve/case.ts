import type { ModelId } from '@tendril-sim/core';
import { pow } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { bendingStiffness, gravity, massDamping } from '../src/controls.ts';
import { heavyCantileverTip } from '../src/elastica.ts';
import type { CheckRow } from '../src/expectation.ts';

const weights = [0.1, 1, 10, 100, 1000];

function scene(gamma: number, edges: number, model: ModelId = 'der'): SceneInput {
  return {
    tendril: 1,
    title: `Cantilever with Γ = ${gamma}`,
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'beam',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 2 / 3, mass: gamma, radius: 0.01, damping: { mass: 1 } },
      },
    ],
    pins: [{ rod: 'beam', at: 'start' }],
    time: { duration: 6, step: 0.01 },
    output: { every: 0.05 },
  };
}

/** Five cantilevers side by side, from stiff to soft. */
function show(): SceneInput {
  const one = scene(1, 60);
  return {
    ...one,
    title: 'Cantilevers with Γ from 0.1 to 1000',
    rods: weights.map((mass, k) => ({
      ...one.rods[0],
      id: `Γ = ${mass}`,
      shape: { type: 'straight', from: [0, 0.02 * k, 0], to: [1, 0.02 * k, 0] },
      section: { type: 'stiffness', EI1: 1, GJ: 2 / 3, mass, radius: 0.006, damping: { mass: 2 } },
    })),
    pins: weights.map((mass) => ({ rod: `Γ = ${mass}`, at: 'start' as const })),
    time: { duration: 8, step: 0.01 },
  };
}

const name = (gamma: number): string => `height over width, Γ = ${gamma}`;

function curve(rows: readonly CheckRow[]): CaseFigure {
  const x = Array.from({ length: 49 }, (_, k) => pow(10, -1 + (4 * k) / 48));
  const models = [...new Set(rows.map(({ model }) => model))];
  return {
    title: 'Master curve of the heavy cantilever',
    subtitle: 'drop of the tip over its distance from the clamp; dots: each model at its finest resolution',
    x,
    xLabel: 'Γ = ρAgL³/EI',
    xScale: 'log',
    yLabel: 'height over width',
    yScale: 'log',
    lines: [
      {
        label: 'elastica',
        y: x.map((gamma) => {
          const [out, down] = heavyCantileverTip(gamma);
          return down / out;
        }),
      },
      ...models.map((model) => {
        const of = rows.filter((row) => row.model === model);
        const finest = Math.max(...of.map(({ n }) => n));
        const shown = weights.flatMap((gamma) => {
          const row = of.find(({ n, quantity }) => n === finest && quantity === name(gamma));
          return row ? [{ gamma, y: row.measured }] : [];
        });
        return { label: model, x: shown.map(({ gamma }) => gamma), y: shown.map(({ y }) => y), dots: true };
      }),
    ],
    points: [],
  };
}

/** Distances from theory at Γ = 1000 as multiples of 1/n²: all of the bending is within 1/√Γ of the clamp. */
const coefficients: Readonly<Partial<Record<ModelId, number>>> = { helix: 2.5, fiber: 13 };

export const cantileverMasterCurve: Case = defineCase({
  id: 'cantilever-master-curve',
  topics: ['theory'],
  title: 'Master curve of a heavy cantilever',
  claim:
    'The shape of a cantilever under its own weight depends on Γ = ρAgL³/EI alone. Over four decades of Γ, drop over width of the tip lies on the curve of the elastica. One of the three tests for rods of [Romero2021].',
  group: 'classics',
  source: 'planar elastica under its weight, from its differential equation',
  models: ['der', 'helix', 'strand', 'fiber', 'cosserat', 'massspring'],
  papers: [
    {
      paper: 'romero2021',
      figure: 'Cantilever',
      claim:
        'The shape of a heavy cantilever depends on one number, Γ = ρAgL³/EI: height over width lies on one master curve for all materials and sizes.',
      remark:
        '`massspring` is compared up to Γ = 100. At Γ = 1000 it says that its springs fold at the clamp, also with 200 segments.',
    },
  ],
  quick: [50, 100],
  full: [50, 100, 200, 400],
  resolutions: { massspring: { quick: [100], full: [100] } },
  controls: [
    gravity({ high: 5 }),
    bendingStiffness({ low: 0.1, high: 10, rods: 5 }),
    massDamping({ high: 10, rods: 5 }),
  ],
  scene: show,
  measure(n, model) {
    const out: Record<string, number> = {};
    for (const gamma of weights) {
      if (model === 'massspring' && gamma > 100) continue;
      const world = worldOf(scene(gamma, n, model));
      equilibrium(world);
      const tip = nodeAt(world, 0, -1);
      const [x, down] = heavyCantileverTip(gamma);
      out[name(gamma)] = -tip[2] / tip[0];
      out[`tip distance from theory, Γ = ${gamma}`] = distance(tip, [x, 0, -down]);
    }
    return out;
  },
  figure: curve,
  expect: () =>
    Object.fromEntries(
      weights.flatMap((gamma) => {
        const [x, down] = heavyCantileverTip(gamma);
        const models: ModelId[] = ['der', 'helix', 'strand', 'fiber', 'cosserat'];
        if (gamma <= 100) models.push('massspring');
        const within = (n: number, model: ModelId): number =>
          model === 'massspring'
            ? 4 / n
            : ((coefficients[model] ?? 6) * Math.max(0.05, pow(gamma / 1000, 1 / 3))) / (n * n);
        return [
          [
            name(gamma),
            {
              value: down / x,
              tolerance: (n: number, model: ModelId) => 1.2 / (n * n) + within(n, model) * (1 + down / x),
              models,
            },
          ],
          [
            `tip distance from theory, Γ = ${gamma}`,
            {
              value: 0,
              tolerance: within,
              order: (model: ModelId) =>
                model === 'massspring' || (model === 'fiber' && gamma === 1000) ? undefined : 1.7,
              floor: 2e-9,
              models,
            },
          ],
        ];
      }),
    ),
});
