import { pow } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, worldOf } from '../src/case.ts';
import { bendingStiffness, timeStep } from '../src/controls.ts';

type Integrator = NonNullable<NonNullable<NonNullable<SceneInput['solver']>['der']>['integrator']>;
/** The explicit schemes are for inextensible rods with the strain of the paper: their reference is an implicit run of that. */
type Rods = 'extensible' | 'inextensible';
const orders: { integrator: Integrator; order: number; tolerance: number; rods?: Rods }[] = [
  { integrator: 'tr-bdf2', order: 2, tolerance: 2.5 },
  { integrator: 'bdf2', order: 2, tolerance: 20 },
  { integrator: 'midpoint', order: 2, tolerance: 5 },
  { integrator: 'implicit-euler', order: 1, tolerance: 10 },
  { integrator: 'shake', order: 2, tolerance: 5, rods: 'inextensible' },
  { integrator: 'fast-projection', order: 1, tolerance: 10, rods: 'inextensible' },
];
const DURATION = 1;
/** Schemes of the model strand, by its own reference: its joints stiffen as they bend. */
const strandOrders = [
  { integrator: 'bdf2', order: 2, tolerance: 20 },
  { integrator: 'implicit-euler', order: 1, tolerance: 10 },
] as const;

/** A hanging rod pushed sideways, smoothly from rest: nothing in it is faster than the steps resolve. */
function scene(integrator: Integrator, steps: number, rods: Rods): SceneInput {
  const inextensible = rods === 'inextensible';
  return {
    tendril: 1,
    title: 'Hanging rod pushed sideways',
    gravity: [0, 0, -10],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -1] },
        edges: 8,
        inextensible,
        section: { type: 'stiffness', EA: 500, EI1: 0.2, GJ: 0.1, mass: 1, radius: 0.02 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    loads: [{ type: 'distributed', rod: 'rod', force: [6, 3, 0], factor: { formula: 'sin(pi*t)^4' } }],
    time: { duration: DURATION, step: DURATION / steps },
    solver: { der: { integrator, tolerance: 1e-12, ...(inextensible && { strain: 'bergou2008' as const }) } },
    output: { every: 0.02 },
  };
}

/** All node positions at the end. */
function shapeAfter(integrator: Integrator, steps: number, rods: Rods): Float64Array {
  const world = worldOf(scene(integrator, steps, rods));
  // from rest under its own weight, or its stretch would ring
  equilibrium(world);
  for (let k = 0; k < steps; k++) world.step();
  return world.samples[0].nodePosition.slice();
}

function strandAfter(integrator: 'implicit-euler' | 'bdf2', steps: number): Float64Array {
  const hanging = scene('tr-bdf2', steps, 'inextensible');
  const world = worldOf({
    ...hanging,
    rods: hanging.rods.map((rod) => ({ ...rod, model: 'strand' as const })),
    solver: { strand: { integrator, tolerance: 1e-12 } },
  });
  for (let k = 0; k < steps; k++) world.step();
  return world.samples[0].nodePosition.slice();
}

let strandReference: Float64Array | undefined;

function strandError(integrator: 'implicit-euler' | 'bdf2', steps: number): number {
  // before the reference, so that the first scene is the same whether or not that is known
  const found = strandAfter(integrator, steps);
  if (!strandReference) {
    const coarse = strandAfter('bdf2', 2048);
    strandReference = strandAfter('bdf2', 4096).map((fine, k) => fine + (fine - coarse[k]) / 3);
  }
  return distance([...found], [...strandReference]);
}

const references = new Map<Rods, Float64Array>();

/** Two fine runs, extrapolated. */
function referenceOf(rods: Rods): Float64Array {
  const known = references.get(rods);
  if (known) return known;
  const coarse = shapeAfter('tr-bdf2', 2048, rods);
  const reference = shapeAfter('tr-bdf2', 4096, rods).map((fine, k) => fine + (fine - coarse[k]) / 3);
  references.set(rods, reference);
  return reference;
}

export const integratorOrder: Case = defineCase({
  id: 'integrator-order',
  topics: ['theory'],
  title: 'Order of the integrators in the time step',
  claim:
    'tr-bdf2, bdf2, midpoint and shake are of second order in the time step, implicit-euler and fast-projection of first; of strand, bdf2 is of second order and implicit-euler of first. The explicit schemes, which are written apart from the implicit ones, converge to the same motion.',
  group: 'laws',
  source: 'definition of order; reference by Richardson extrapolation at 4096 steps',
  models: ['der', 'strand'],
  quick: [128, 256, 512],
  full: [128, 256, 512, 1024],
  controls: [
    timeStep({ low: 1e-3, high: 0.05 }),
    { path: ['loads', 0, 'force', 0], label: 'Push', symbol: 'f', unit: 'N/m', low: 0, high: 20 },
    bendingStiffness({ low: 0.02, high: 2 }),
  ],
  scene: () => scene('tr-bdf2', 200, 'extensible'),
  measure(n, model) {
    if (model === 'strand') {
      return Object.fromEntries(
        strandOrders.map(({ integrator }) => [`error, strand, ${integrator}`, strandError(integrator, n)]),
      );
    }
    return Object.fromEntries(
      orders.map(({ integrator, rods = 'extensible' }) => [
        `error, ${integrator}`,
        distance([...shapeAfter(integrator, n, rods)], [...referenceOf(rods)]),
      ]),
    );
  },
  expect: Object.fromEntries([
    ...orders.map(({ integrator, order, tolerance }) => [
      `error, ${integrator}`,
      {
        value: 0,
        tolerance: (n: number) => tolerance / pow(n, order),
        order: order - 0.15,
        floor: 3e-8,
        models: ['der'],
      },
    ]),
    ...strandOrders.map(({ integrator, order, tolerance }) => [
      `error, strand, ${integrator}`,
      { value: 0, tolerance: (n: number) => tolerance / pow(n, order), order: order - 0.15, models: ['strand'] },
    ]),
  ]),
});
