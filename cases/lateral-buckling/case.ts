import type { ModelId } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { gravityAlong, sectionNumber } from '../src/controls.ts';

/** A strip that stands on edge: L = 1, weak bending 1, strong bending so large that it hardly bends before it tips over. */
const STRONG = 1e4;
const GJ = 0.7;

const loads = ['force at the tip', 'own weight'] as const;
type Load = (typeof loads)[number];

/** In units of √(EI GJ)/L² and √(EI GJ)/L³ [Prandtl and Michell 1899; Timoshenko and Gere]. */
const critical: Readonly<Record<Load, number>> = { 'force at the tip': 4.0126, 'own weight': 12.8538 };

function scene(load: Load, size: number, edges: number, model: ModelId = 'der'): SceneInput {
  const isWeight = load === 'own weight';
  return {
    tendril: 1,
    title: `Strip on edge, ${load} ${size.toPrecision(3)}`,
    ...(isWeight && { gravity: [0, 0, -1] as [number, number, number] }),
    rods: [
      {
        id: 'strip',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        frame: { d1: [0, 0, 1] },
        section: {
          type: 'stiffness',
          EI1: 1,
          EI2: STRONG,
          GJ,
          mass: isWeight ? size : 1,
          radius: 0.004,
          damping: { mass: 2 },
        },
        velocity: { angular: [0, 0, 0.01] },
      },
    ],
    pins: [{ rod: 'strip', at: 'start' }],
    ...(!isWeight && { loads: [{ type: 'force' as const, rod: 'strip', at: 'end' as const, force: [0, 0, -size] }] }),
    time: { duration: 12, step: 0.01 },
    statics: { stability: 'report' },
    output: { every: 0.1 },
  };
}

export const lateralBuckling: Case = defineCase({
  id: 'lateral-buckling',
  topics: ['theory'],
  title: 'Lateral buckling of a strip on edge',
  claim:
    'A strip that is clamped on edge and loaded in its stiff direction tips over sideways at F = 4.0126 √(EI GJ)/L² (force at the tip) and at a weight of 12.8538 √(EI GJ)/L².',
  group: 'classics',
  source: 'Prandtl and Michell 1899: F = 4.0126 √(EI GJ)/L² at the tip, 12.8538 √(EI GJ)/L² for its own weight',
  models: ['der', 'helix', 'strand', 'fiber', 'cosserat'],
  papers: [
    {
      paper: 'romero2021',
      figure: 'Lateral buckling',
      claim: 'A strip that is clamped on edge falls over sideways at a critical load.',
      remark:
        'The strip is a rod with a flat section (EI₂/EI₁ = 10,000). The paper also tests plates, whose width matters.',
    },
  ],
  quick: [20],
  full: [20, 40, 80, 160],
  // of 160 cuboids its verdicts scatter by half a per cent
  resolutions: { fiber: { quick: [20], full: [20, 40, 80] } },
  controls: [
    {
      path: ['rods', 0, 'section', 'mass'],
      label: 'Mass per length',
      symbol: 'ρA',
      unit: 'kg/m',
      low: 1,
      high: 30,
      threshold: (scene) => {
        const stiffness = Math.sqrt(sectionNumber(scene, 'EI1') * sectionNumber(scene, 'GJ'));
        const at = (critical['own weight'] * stiffness) / -gravityAlong(scene, 2);
        return { at, what: `tips over above ${at.toFixed(2)} kg/m` };
      },
    },
    { path: ['rods', 0, 'section', 'EI1'], label: 'Bending stiffness', symbol: 'EI', unit: 'N·m²', low: 0.2, high: 4 },
    { path: ['rods', 0, 'section', 'GJ'], label: 'Twisting stiffness', symbol: 'GJ', unit: 'N·m²', low: 0.2, high: 4 },
  ],
  scene: () => scene('own weight', 1.3 * critical['own weight'] * Math.sqrt(GJ), 60),
  measure(n, model) {
    const out: Record<string, number> = {};
    for (const load of loads) {
      const unit = Math.sqrt(GJ);
      let [low, high] = [0.9 * critical[load] * unit, 1.1 * critical[load] * unit];
      while (high - low > 2e-5 * high) {
        const size = 0.5 * (low + high);
        const [{ stable }] = equilibrium(worldOf(scene(load, size, n, model)));
        if (stable) low = size;
        else high = size;
      }
      out[`critical load, ${load}`] = (0.5 * (low + high)) / unit;
    }
    return out;
  },
  expect: Object.fromEntries(
    loads.map((load) => [
      `critical load, ${load}`,
      {
        value: critical[load],
        // bending before the strip tips over raises the load by about GJ/EI₂
        tolerance: (n: number, model: ModelId) => 2e-4 + (model === 'fiber' ? 2.4 : 1.4) / (n * n),
        order: 1.5,
        floor: 5e-4,
      },
    ]),
  ),
});
