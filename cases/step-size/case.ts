import type { ModelId } from '@tendril-sim/core';
import { pow } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, worldOf } from '../src/case.ts';
import { massDamping, timeStep } from '../src/controls.ts';
import { slope } from '../src/study.ts';

interface Scheme {
  readonly name: string;
  readonly model: ModelId;
  readonly solver: SceneInput['solver'];
  /** Least order that is asked for. */
  readonly least: number;
  /** The error is at most this / n^exponent [m]. */
  readonly within: number;
  readonly exponent: number;
  readonly color: number;
  readonly dash?: boolean;
}

const fiber = (integrator: 'energy-momentum' | 'deti-r' | 'midpoint' | 'implicit-euler'): SceneInput['solver'] => ({
  fiber: { integrator, tolerance: 1e-9 },
});
const cosserat = (integrator: 'tr-bdf2' | 'midpoint' | 'implicit-euler'): SceneInput['solver'] => ({
  cosserat: { integrator, tolerance: 1e-12 },
});
const helix = (integrator: 'bdf2' | 'implicit-euler'): SceneInput['solver'] => ({
  helix: { integrator, tolerance: 1e-11 },
});
const second = { least: 1.9, exponent: 2 };
const first = { least: 0.9, exponent: 1 };

/** The fiber, the Cosserat rod, super-helices and the mass–spring hair, with the controls of each. */
const schemes: readonly Scheme[] = [
  { name: 'fiber', model: 'fiber', solver: fiber('energy-momentum'), ...second, within: 2, color: 0 },
  { name: 'fiber, deti-r', model: 'fiber', solver: fiber('deti-r'), ...second, within: 2, color: 0, dash: true },
  { name: 'fiber, midpoint', model: 'fiber', solver: fiber('midpoint'), ...second, within: 2, color: 5 },
  {
    name: 'fiber, backward Euler',
    model: 'fiber',
    solver: fiber('implicit-euler'),
    ...first,
    within: 2,
    color: 5,
    dash: true,
  },
  { name: 'Cosserat', model: 'cosserat', solver: cosserat('tr-bdf2'), ...second, within: 0.7, color: 1 },
  { name: 'Cosserat, midpoint', model: 'cosserat', solver: cosserat('midpoint'), ...second, within: 2, color: 6 },
  {
    name: 'Cosserat, implicit Euler',
    model: 'cosserat',
    solver: cosserat('implicit-euler'),
    ...first,
    within: 2.2,
    color: 1,
    dash: true,
  },
  { name: 'super-helices, BDF2', model: 'helix', solver: helix('bdf2'), ...second, within: 4, color: 3 },
  {
    name: 'super-helices, backward Euler',
    model: 'helix',
    solver: helix('implicit-euler'),
    ...first,
    within: 2.2,
    color: 3,
    dash: true,
  },
  // altitude springs jump from one altitude to another, and the published step reflects springs that are stiff at the step
  { name: 'mass–spring', model: 'massspring', solver: {}, least: 0.9, exponent: 1.4, within: 0.3, color: 2 },
  {
    name: 'mass–spring, published',
    model: 'massspring',
    solver: { massspring: { iterations: 0 } },
    least: 0.9,
    exponent: 1.4,
    within: 0.3,
    color: 4,
  },
  {
    name: 'mass–spring, θ = 1',
    model: 'massspring',
    solver: { massspring: { theta: 1 } },
    least: 0.75,
    exponent: 0.85,
    within: 0.08,
    color: 2,
    dash: true,
  },
];
const DURATION = 1;
const FINEST = 2048;

/** A hanging rod pushed aside, smoothly from rest, with the damping that deti-r is for. */
function scene(model: ModelId, solver: SceneInput['solver'], steps: number): SceneInput {
  return {
    tendril: 1,
    title: 'Hanging rod pushed aside, damped',
    gravity: [0, 0, -10],
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -1] },
        edges: 8,
        section: { type: 'stiffness', EA: 500, EI1: 0.2, GJ: 0.1, mass: 1, radius: 0.02, damping: { mass: 5 } },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    loads: [{ type: 'distributed', rod: 'rod', force: [6, 3, 0], factor: { formula: 'sin(pi*t)^4' } }],
    time: { duration: DURATION, step: DURATION / steps },
    ...(solver && { solver }),
    output: { every: 0.02 },
  };
}

/** All node positions at the end, from rest under its own weight. */
function shapeAfter({ model, solver }: Scheme, steps: number): number[] {
  const world = worldOf(scene(model, solver, steps));
  equilibrium(world);
  for (let k = 0; k < steps; k++) world.step();
  return [...world.samples[0].nodePosition];
}

const limits = new Map<string, number[]>();

/** Two fine runs, extrapolated with the order that theory gives. */
function limitOf(scheme: Scheme, finest = FINEST): number[] {
  const key = `${scheme.name}, ${finest}`;
  const known = limits.get(key);
  if (known) return known;
  const coarse = shapeAfter(scheme, finest / 2);
  const weight = 1 / (2 ** Math.round(scheme.exponent) - 1);
  const limit = shapeAfter(scheme, finest).map((fine, k) => fine + weight * (fine - coarse[k]));
  limits.set(key, limit);
  return limit;
}

export interface Order {
  readonly name: string;
  readonly order: number;
  /** [s] */
  readonly steps: readonly number[];
  /** [m] */
  readonly errors: readonly number[];
  readonly color: number;
  readonly dash?: boolean;
}

/** Steps a second. */
export const pushSteps: readonly number[] = [64, 128, 256, 512];

/** For a report: the error of every scheme over the step, and its slope. */
export function* pushOrders(counts: readonly number[], finest: number = FINEST): Generator<string, Order[]> {
  const out: Order[] = [];
  for (const scheme of schemes) {
    yield `order of ${scheme.name}, its limit`;
    const limit = limitOf(scheme, finest);
    const errors: number[] = [];
    for (const count of counts) {
      yield `order of ${scheme.name}, ${count} steps a second`;
      errors.push(distance(shapeAfter(scheme, count), limit));
    }
    const steps = counts.map((count) => DURATION / count);
    const { name, color, dash } = scheme;
    out.push({ name, color, ...(dash && { dash }), order: slope(steps, errors), steps, errors });
  }
  return out;
}

export const stepSize: Case = defineCase({
  id: 'step-size',
  topics: ['theory'],
  title: 'Error against the step: fiber, Cosserat rod, super-helices, mass–spring hair',
  claim:
    "[Michels2015 Fig. 3] shows the error against the step for three methods. What a step alone does is its order: 2 for the fiber's energy-momentum, deti-r and midpoint, for the Cosserat rod's tr-bdf2 and midpoint and for the bdf2 of super-helices, 1 for all implicit Eulers.",
  group: 'laws',
  source: 'Michels et al. 2015, Fig. 3; definition of order, reference by extrapolation at 2048 steps',
  models: ['fiber', 'cosserat', 'helix', 'massspring'],
  papers: [
    {
      paper: 'michels2015',
      figure: 'Fig. 3',
      claim:
        'The error falls with the square of the step, and stays below those of a mass–spring hair and of super-helices.',
    },
  ],
  // steps in the second that it lasts
  quick: [128, 256],
  full: [...pushSteps],
  controls: [
    timeStep({ low: 1e-3, high: 0.05 }),
    { path: ['loads', 0, 'force', 0], label: 'Push', symbol: 'f', unit: 'N/m', low: 0, high: 20 },
    massDamping({ high: 20 }),
  ],
  scene: () => scene('fiber', {}, 200),
  measure(n, model) {
    return Object.fromEntries(
      schemes
        .filter((scheme) => scheme.model === model)
        .map((scheme) => [`error, ${scheme.name} [m]`, distance(shapeAfter(scheme, n), limitOf(scheme))]),
    );
  },
  expect: Object.fromEntries(
    schemes.map(({ name, model, least, within, exponent }) => [
      `error, ${name} [m]`,
      { value: 0, tolerance: (n: number) => within / pow(n, exponent), order: least, models: [model] },
    ]),
  ),
});
