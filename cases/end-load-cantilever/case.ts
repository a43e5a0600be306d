import type { ModelId } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { bendingStiffness, massDamping } from '../src/controls.ts';

/** Bisshopp and Drucker's elastica with a dead load P across its tip, by elliptic integrals. */
const tips = [
  { load: 0.5, x: 0.984081037529, z: -0.162143575658 },
  { load: 1, x: 0.943566763717, z: -0.3017207738 },
  { load: 2, x: 0.839358279175, z: -0.493457480397 },
  { load: 5, x: 0.612371639276, z: -0.713791523612 },
  { load: 10, x: 0.445004402246, z: -0.81060902488 },
];

function scene(edges: number, model: ModelId = 'der'): SceneInput {
  return {
    tendril: 1,
    title: 'End-loaded cantilever: the load grows to 10 EI/L²',
    rods: [
      {
        id: 'beam',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 2 / 3, mass: 1, radius: 0.01, damping: { mass: 2 } },
      },
    ],
    pins: [{ rod: 'beam', at: 'start' }],
    loads: [
      {
        type: 'force',
        rod: 'beam',
        at: 'end',
        force: [0, 0, -1],
        factor: {
          keys: [
            [0, 0],
            [10, 10],
          ],
          interpolation: 'linear',
        },
      },
    ],
    time: { duration: 10, step: 0.02 },
    statics: { from: 0, to: 10, steps: 20 },
    output: { every: 0.25 },
  };
}

/** The joints of a strand stiffen as they bend: their second order shows later. */
const orderOf = (model: ModelId): number => (model === 'strand' ? 1.75 : 1.9);

export const endLoadCantilever: Case = defineCase({
  id: 'end-load-cantilever',
  topics: ['theory'],
  title: 'Cantilever with a dead load at its tip',
  claim:
    'A weightless cantilever under a force P across its tip that keeps its direction bends as the elastica does, up to loads that turn the tip by almost 90°.',
  group: 'classics',
  source: 'Bisshopp & Drucker: elliptic integrals',
  models: ['der', 'helix', 'strand', 'fiber', 'cosserat'],
  quick: [25, 50, 100],
  full: [25, 50, 100, 200, 400],
  controls: [
    { path: ['loads', 0, 'force', 2], label: 'Load', symbol: 'F', unit: 'N', low: 0, high: 20, factor: -1 },
    bendingStiffness({ low: 0.1, high: 10 }),
    massDamping({ high: 10 }),
  ],
  scene: () => scene(50),
  measure(n, model) {
    const out: Record<string, number> = {};
    const world = worldOf(scene(n, model));
    for (const { load, x, z } of tips) {
      equilibrium(world, load);
      const tip = nodeAt(world, 0, -1);
      out[`tip x, PL²/EI = ${load}`] = tip[0];
      out[`tip z, PL²/EI = ${load}`] = tip[2];
      out[`tip distance from theory, PL²/EI = ${load}`] = distance(tip, [x, 0, z]);
    }
    return out;
  },
  expect: Object.fromEntries(
    tips.flatMap(({ load, x, z }) => [
      [`tip x, PL²/EI = ${load}`, { value: x, scale: 1, tolerance: (n: number) => 1 / (n * n) }],
      [`tip z, PL²/EI = ${load}`, { value: z, scale: 1, tolerance: (n: number) => 1 / (n * n) }],
      [
        `tip distance from theory, PL²/EI = ${load}`,
        { value: 0, tolerance: (n: number) => 1 / (n * n), order: orderOf, floor: 2e-9 },
      ],
    ]),
  ),
});
