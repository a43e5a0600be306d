import type { SceneInput } from '@tendril/io';
import { type Case, defineCase, distance, equilibrium, worldOf } from '../src/case.ts';

type Integrator = NonNullable<NonNullable<NonNullable<SceneInput['solver']>['der']>['integrator']>;
const orders: { integrator: Integrator; order: number; tolerance: number }[] = [
  { integrator: 'tr-bdf2', order: 2, tolerance: 2.5 },
  { integrator: 'bdf2', order: 2, tolerance: 20 },
  { integrator: 'midpoint', order: 2, tolerance: 5 },
  { integrator: 'implicit-euler', order: 1, tolerance: 10 },
];
const DURATION = 1;

/** A hanging rod pushed sideways, smoothly from rest: nothing in it is faster than the steps resolve. */
function scene(integrator: Integrator, steps: number): SceneInput {
  return {
    tendril: 1,
    title: 'Hanging rod pushed sideways',
    gravity: [0, 0, -10],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -1] },
        edges: 8,
        section: { type: 'stiffness', EA: 500, EI1: 0.2, GJ: 0.1, mass: 1, radius: 0.02 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    loads: [{ type: 'distributed', rod: 'rod', force: [6, 3, 0], factor: { formula: 'sin(pi*t)^4' } }],
    time: { duration: DURATION, step: DURATION / steps },
    solver: { der: { integrator, tolerance: 1e-12 } },
    output: { every: 0.02 },
  };
}

/** All node positions at the end. */
function shapeAfter(integrator: Integrator, steps: number): Float64Array {
  const world = worldOf(scene(integrator, steps));
  // from rest under its own weight, or its stretch would ring
  equilibrium(world);
  for (let k = 0; k < steps; k++) world.step();
  return world.samples[0].nodePosition.slice();
}

let reference: Float64Array | undefined;

export const integratorOrder: Case = defineCase({
  id: 'integrator-order',
  title: 'Order of the implicit integrators in the time step',
  source: 'definition of order; reference by Richardson extrapolation at 4096 steps',
  models: ['der'],
  quick: [128, 256, 512],
  full: [128, 256, 512, 1024],
  scene: () => scene('tr-bdf2', 200),
  measure(n) {
    if (!reference) {
      const coarse = shapeAfter('tr-bdf2', 2048);
      reference = shapeAfter('tr-bdf2', 4096).map((fine, k) => fine + (fine - coarse[k]) / 3);
    }
    const exact = reference;
    return Object.fromEntries(
      orders.map(({ integrator }) => [`error, ${integrator}`, distance([...shapeAfter(integrator, n)], [...exact])]),
    );
  },
  expect: Object.fromEntries(
    orders.map(({ integrator, order, tolerance }) => [
      `error, ${integrator}`,
      { value: 0, tolerance: (n: number) => tolerance / n ** order, order: order - 0.15, floor: 3e-8 },
    ]),
  ),
});
