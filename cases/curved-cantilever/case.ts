import type { ModelId } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { bendingStiffness, massPerLength, twistingStiffness } from '../src/controls.ts';

/** A naturally curved rod in the horizontal plane that sags and twists under its weight; shooting solution in space. */
const positions = [
  { s: 0.25, at: [0.238717224234, 0.0601595573308, -0.0221183664323] },
  { s: 0.5, at: [0.415409003644, 0.222616009774, -0.0818995877822] },
  { s: 0.75, at: [0.487634475879, 0.446701683616, -0.157999672203] },
  { s: 1, at: [0.438648097158, 0.679914297408, -0.224522512792] },
];

function scene(edges: number, model: ModelId = 'der'): SceneInput {
  return {
    tendril: 1,
    title: 'Curved cantilever under its own weight',
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'arc',
        model,
        shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: 0.5, angle: 2 },
        edges,
        frame: { d1: [0, 1, 0] },
        section: { type: 'stiffness', EI1: 1, EI2: 1, GJ: 2 / 3, mass: 2, radius: 0.01, damping: { mass: 1 } },
      },
    ],
    pins: [{ rod: 'arc', at: 'start' }],
    time: { duration: 5, step: 0.01 },
    output: { every: 0.05 },
  };
}

export const curvedCantilever: Case = defineCase({
  id: 'curved-cantilever',
  topics: ['theory'],
  title: 'Naturally curved cantilever: bending and twist together',
  claim:
    'A rod that is naturally an arc, clamped horizontally, sags and twists under its weight as a Kirchhoff rod in space does: every piece is bent and twisted by what lies beyond it.',
  group: 'classics',
  source: 'Kirchhoff rod in space, shooting; checked by the gradient of a Ritz energy',
  models: ['der', 'helix', 'strand', 'fiber', 'cosserat'],
  quick: [20, 40, 80],
  full: [20, 40, 80, 160, 320],
  controls: [
    massPerLength({ low: 0.1, high: 20 }),
    bendingStiffness({ low: 0.1, high: 10 }),
    twistingStiffness({ low: 0.1, high: 5 }),
  ],
  scene: () => scene(60),
  measure(n, model) {
    const world = worldOf(scene(n, model));
    equilibrium(world);
    return Object.fromEntries(
      positions.map(({ s, at }) => [
        `distance from theory at s = ${s} L`,
        distance(nodeAt(world, 0, Math.round(s * n)), at),
      ]),
    );
  },
  expect: Object.fromEntries(
    positions.map(({ s }) => [
      `distance from theory at s = ${s} L`,
      { value: 0, tolerance: (n: number) => 0.3 / (n * n), order: 1.9, floor: 1e-8 },
    ]),
  ),
});
