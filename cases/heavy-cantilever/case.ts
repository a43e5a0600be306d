import type { ModelId } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';

/**
 * Errors as multiples of 1/n²: a fiber also stretches and shears a little, with a scaffold of a quarter of a cuboid. Springs
 * have an error of first order, since their two planes differ, and one that stays: altitude springs stiffen them by 4 %.
 */
const within = (n: number, model: ModelId): number =>
  model === 'massspring' ? 4 / n : (model === 'fiber' ? 1.3 : 1) / (n * n);

/** Tip of the inextensible planar elastica under its own weight, Γ = ρAgL³/EI, to 12 digits by ODE shooting and by a spectral method. */
const tips = [
  { gamma: 0.1, x: 0.999910732224, z: -0.012498437848 },
  { gamma: 1, x: 0.991246395347, z: -0.123471401983 },
  { gamma: 5, x: 0.846657179954, z: -0.495905044622 },
  { gamma: 20, x: 0.44523205224, z: -0.829881443439 },
];

function scene(gamma: number, edges: number, model: ModelId = 'der'): SceneInput {
  return {
    tendril: 1,
    title: `Heavy cantilever, weight parameter ${gamma}`,
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
    output: { every: 0.05, probes: [{ name: 'tip', rod: 'beam', at: 'end' }] },
  };
}

/** The joints of a strand stiffen as they bend: their second order shows later. */
const orderOf = (model: ModelId): number | undefined =>
  model === 'massspring' ? undefined : model === 'strand' ? 1.75 : 1.9;

const mostIterations: Readonly<Partial<Record<ModelId, number>>> = { strand: 14, fiber: 12, massspring: 20 };

export const heavyCantilever: Case = defineCase({
  id: 'heavy-cantilever',
  topics: ['theory'],
  title: 'Cantilever under its own weight',
  claim:
    'A horizontal rod, clamped at one end, hangs under its own weight as the theory of the heavy elastica predicts, from a slight sag to a rod that points almost straight down. The error falls with the square of the number of edges, and the equilibrium takes ten Newton iterations or fewer from the straight rod (strand 12, massspring up to 15).',
  group: 'classics',
  source: 'heavy elastica: ODE shooting and spectral solution of the continuum',
  models: ['der', 'helix', 'strand', 'fiber', 'cosserat', 'massspring'],
  papers: [
    {
      paper: 'lou2013',
      figure: 'Energy minimisation',
      claim:
        'The shape of a hair under gravity has the least sum of elastic and potential energy. The thesis describes the minimisation and did not achieve it.',
      remark: '`helix` finds it in six Newton iterations.',
    },
  ],
  quick: [25, 50, 100],
  full: [25, 50, 100, 200, 400],
  // of 25 segments it leaves its plane
  resolutions: { massspring: { quick: [50, 100], full: [50, 100] } },
  controls: [
    { path: ['rods', 0, 'section', 'mass'], label: 'Mass per length', symbol: 'ρA', unit: 'kg/m', low: 0.1, high: 40 },
    { path: ['rods', 0, 'section', 'EI1'], label: 'Bending stiffness', symbol: 'EI', unit: 'N·m²', low: 0.1, high: 10 },
    { path: ['gravity', 2], label: 'Gravity', symbol: 'g', unit: 'm/s²', low: 0, high: 5, factor: -1 },
  ],
  scene: () => scene(20, 50),
  measure(n, model) {
    const out: Record<string, number> = {};
    for (const { gamma, x, z } of tips) {
      const world = worldOf(scene(gamma, n, model));
      const [report] = equilibrium(world);
      const tip = nodeAt(world, 0, -1);
      out[`tip x, Γ = ${gamma}`] = tip[0];
      out[`tip z, Γ = ${gamma}`] = tip[2];
      out[`tip distance from theory, Γ = ${gamma}`] = distance(tip, [x, 0, z]);
      if (gamma === 20) out['Newton iterations, Γ = 20'] = report.iterations;
    }
    return out;
  },
  expect: Object.fromEntries([
    ...tips.flatMap(({ gamma, x, z }) => [
      [`tip x, Γ = ${gamma}`, { value: x, scale: 1, tolerance: within }],
      [`tip z, Γ = ${gamma}`, { value: z, scale: 1, tolerance: within }],
      [`tip distance from theory, Γ = ${gamma}`, { value: 0, tolerance: within, order: orderOf, floor: 2e-9 }],
    ]),
    ['Newton iterations, Γ = 20', { atMost: (_n: number, model: ModelId) => mostIterations[model] ?? 10 }],
  ]),
});
