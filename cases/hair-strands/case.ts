import type { HairType, ModelId } from '@tendril-sim/core';
import { cos, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { gravity, timeStep } from '../src/controls.ts';

const LENGTH = 0.1;
const ANGLE = Math.PI / 6;

/** Tips in lengths of the hair: the limits n → ∞ of two models, which agree to 1e-7 (curly hair: 2e-5). */
const tips: { hair: HairType; tip: [number, number, number] }[] = [
  { hair: 'straight', tip: [0.68612388, 0, -0.60128005] },
  { hair: 'wavy', tip: [0.47113812, 0.44866387, -0.50709547] },
  { hair: 'curly', tip: [0.13372474, 0.19836626, -0.33792258] },
  { hair: 'coily', tip: [0.06870505, 0.20118674, -0.061634] },
];

function scene(hair: HairType, edges: number, model: ModelId = 'helix'): SceneInput {
  return {
    tendril: 1,
    title: `Hair of type '${hair}' under its weight`,
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'hair',
        model,
        hair,
        inextensible: true,
        shape: {
          type: 'straight',
          from: [0, 0, 0],
          to: [LENGTH * cos(ANGLE), 0, LENGTH * sin(ANGLE)],
        },
        frame: { d1: [0, 1, 0] },
        edges,
      },
    ],
    pins: [{ rod: 'hair', at: 'start' }],
    fields: [{ type: 'air', linear: ['2 g/(m s)', '1 g/(m s)'] }],
    time: { duration: 0.5, step: 0.001 },
    output: { every: 0.005 },
  };
}

export const hairStrands: Case = defineCase({
  id: 'hair-strands',
  topics: ['hair'],
  title: 'Straight, wavy, curly and coily hair hang alike in two models',
  claim:
    'Super-helices and Discrete Elastic Rods, which share no coordinates, no strain and no solver, find the same equilibrium for every kind of hair, at second order. Super-helices take no more iterations for coils than for straight hair.',
  group: 'bertails2006',
  source: 'Discrete Elastic Rods and super-helices at 320 and 640 edges, extrapolated',
  models: ['helix', 'der'],
  papers: [
    {
      paper: 'lou2013',
      figure: 'Default values',
      claim: 'Straight, wavy, curly and African hair differ in their natural curvature and section.',
      quantities: ['straight', 'wavy', 'curly', 'coily'],
    },
  ],
  quick: [40, 80],
  full: [40, 80, 160, 320],
  controls: [
    gravity({ high: 30 }),
    {
      path: ['fields', 0, 'linear', 0],
      label: 'Drag of air across the hair',
      symbol: 'c',
      unit: 'kg/(m·s)',
      low: 0,
      high: 0.02,
    },
    timeStep({ low: 2e-4, high: 5e-3 }),
  ],
  scene: () => scene('curly', 60),
  measure(n, model) {
    const out: Record<string, number> = {};
    for (const { hair, tip } of tips) {
      // still air does nothing in equilibrium, but it would make the loads depend on the state
      const world = worldOf({ ...scene(hair, n, model), fields: [] });
      const [report] = equilibrium(world);
      out[`${hair}: tip distance`] =
        distance(
          nodeAt(world, 0, -1),
          tip.map((x) => x * LENGTH),
        ) / LENGTH;
      out[`${hair}: Newton iterations`] = report.iterations;
    }
    return out;
  },
  expect: Object.fromEntries(
    tips.flatMap(({ hair }) => [
      [
        `${hair}: tip distance`,
        {
          value: 0,
          // a coil of 3 mm winds by 0.8 rad an edge at n = 40
          tolerance: (n: number) => (hair === 'coily' ? 12 : 2) / (n * n),
          order: hair === 'coily' ? 1.7 : 1.9,
          floor: 2e-6,
        },
      ],
      [`${hair}: Newton iterations`, { atMost: 10, models: ['helix'] }],
    ]),
  ),
});
