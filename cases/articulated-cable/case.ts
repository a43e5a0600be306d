import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { massDamping, massPerLength } from '../src/controls.ts';

/** A cable of links: soft up to the curvature at which they lock [1/m], then ten times as stiff [N m²]. */
const LOCK = 1e-3;
const SOFT = 1;
const STIFF = 10;
const LOAD = 4e-3;

function cable(edges: number, load: number): SceneInput {
  return {
    tendril: 1,
    title: 'A cable of links that lock bends under a load at its end',
    rods: [
      {
        id: 'cable',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: SOFT, GJ: 1, mass: 1e-3, inertia: 1e-6, radius: 0.01, damping: { mass: 5 } },
        law: {
          type: 'table',
          moments: [
            [LOCK, SOFT * LOCK],
            [2 * LOCK, SOFT * LOCK + STIFF * LOCK],
          ],
        },
      },
    ],
    pins: [{ rod: 'cable', at: 'start' }],
    loads: [{ type: 'force', rod: 'cable', at: 'end', force: [0, 0, -load] }],
    time: { duration: 2, step: 0.01 },
    output: { every: 0.05 },
  };
}

/** Deflection of the end: ∫ κ(P s) s ds over the distance s from the end. */
function deflection(load: number): number {
  const moment = SOFT * LOCK;
  const s = Math.min(1, moment / load);
  const locked = (load * (1 - s * s * s)) / 3 - (moment * (1 - s * s)) / 2;
  return (load * s * s * s) / (3 * SOFT) + (LOCK * (1 - s * s)) / 2 + locked / STIFF;
}

/** Energy: ∫ of the area under the table. */
function energyOf(load: number): number {
  const moment = SOFT * LOCK;
  const s = Math.min(1, moment / load);
  const below = (load * load * s * s * s) / (6 * SOFT);
  const square = (load * load * (1 - s * s * s)) / 3 - moment * moment * (1 - s);
  return below + (1 - s) * 0.5 * moment * LOCK + square / (2 * STIFF);
}

export const articulatedCable: Case = defineCase({
  id: 'articulated-cable',
  topics: ['theory'],
  finish: 'steel',
  title: 'A cable of links that lock',
  claim: 'The law table bends a rod by a table of moments: here a cable of links, soft until they lock.',
  group: 'classics',
  source: 'bilinear moment and curvature, integrated along a cantilever',
  models: ['der'],
  quick: [20, 40],
  full: [20, 40, 80, 160],
  controls: [
    {
      path: ['loads', 0, 'force', 2],
      label: 'Load',
      symbol: 'F',
      unit: 'N',
      low: 1e-4,
      high: 4,
      factor: -1,
      // the largest moment is that at the clamp, 1 m away
      threshold: () => ({ at: SOFT * LOCK, what: `links lock above ${1e3 * SOFT * LOCK} mN` }),
    },
    massPerLength({ low: 1e-4, high: 1e-2 }),
    massDamping({ high: 20 }),
  ],
  scene: () => cable(40, 500 * LOAD),
  measure(n) {
    const world = worldOf(cable(n, LOAD));
    equilibrium(world);
    const soft = worldOf(cable(n, LOAD / 8));
    equilibrium(soft);
    return {
      'locked: deflection': -nodeAt(world, 0, -1)[2],
      'locked: energy': world.energies().bending,
      'soft: deflection': -nodeAt(soft, 0, -1)[2],
    };
  },
  expect: {
    // second order in the edges as for elastic rods; where the links lock, the curvature has a kink inside an edge
    'locked: deflection': { value: deflection(LOAD), tolerance: (n) => 2 / (n * n) },
    'locked: energy': { value: energyOf(LOAD), tolerance: (n) => 2 / (n * n) },
    'soft: deflection': { value: deflection(LOAD / 8), tolerance: (n) => 1 / (n * n), order: 1.9, floor: 1e-6 },
  },
});
