import { hypotOf } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';

type Integrator = NonNullable<NonNullable<NonNullable<SceneInput['solver']>['der']>['integrator']>;

/** A curved, anisotropic rod tumbles in free space: nothing acts on it from outside. */
function scene(integrator: Integrator, steps: number, EA?: number): SceneInput {
  return {
    tendril: 1,
    title: 'A bent strip tumbles in free flight',
    rods: [
      {
        id: 'strip',
        shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0.6, 0.8], radius: 0.6, angle: 1.8 },
        edges: 24,
        natural: { curvature: [0.3, 1, 0.5] },
        section: { type: 'stiffness', ...(EA ? { EA } : {}), EI1: 0.02, EI2: 0.08, GJ: 0.03, mass: 1, radius: 0.02 },
        velocity: { linear: [0.2, -0.1, 0.3], angular: [1, 2, -1.5] },
      },
    ],
    time: { duration: 2, step: 2 / steps },
    solver: { der: { integrator, twist: 'quasistatic', tolerance: 1e-11 } },
    output: { every: 0.02 },
  };
}

function drift(
  integrator: Integrator,
  steps: number,
  EA?: number,
): { linear: number; angular: number; energy: number } {
  const world = worldOf(scene(integrator, steps, EA));
  const before = world.momentum();
  const start = world.energies().total;
  const size = hypotOf(before.angular);
  const out = { linear: 0, angular: 0, energy: 0 };
  for (let k = 0; k < steps; k++) {
    world.step();
    const now = world.momentum();
    out.linear = Math.max(out.linear, hypotOf(now.linear.map((p, i) => p - before.linear[i])) / hypotOf(before.linear));
    out.angular = Math.max(out.angular, hypotOf(now.angular.map((l, i) => l - before.angular[i])) / size);
    out.energy = Math.max(out.energy, Math.abs(world.energies().total - start) / start);
  }
  return out;
}

export const freeFlight: Case = defineCase({
  id: 'free-flight',
  topics: ['theory'],
  title: 'Momentum, angular momentum and energy in free flight',
  claim:
    'A bent, anisotropic strip that tumbles freely keeps its momentum with every scheme; its angular momentum to rounding with shake and midpoint, and to second order in the step with tr-bdf2; its energy, within a bound, with shake.',
  group: 'laws',
  colorBy: 'twist',
  source: 'conservation laws',
  models: ['der'],
  quick: [500, 1000],
  full: [500, 1000, 2000],
  controls: [
    { path: ['rods', 0, 'velocity', 'angular', 1], label: 'Spin', symbol: 'ω', unit: 'rad/s', low: -10, high: 10 },
    {
      path: ['rods', 0, 'natural', 'curvature', 1],
      label: 'Natural curvature',
      symbol: 'κ₂',
      unit: '1/m',
      low: 0,
      high: 6,
    },
    {
      path: ['rods', 0, 'section', 'EI1'],
      label: 'Bending stiffness',
      symbol: 'EI₁',
      unit: 'N·m²',
      low: 2e-3,
      high: 0.2,
    },
  ],
  scene: () => scene('tr-bdf2', 400),
  measure(n) {
    const shake = drift('shake', 4 * n);
    const midpoint = drift('midpoint', n, 20);
    const trbdf2 = drift('tr-bdf2', n);
    return {
      'linear momentum, shake': shake.linear,
      'angular momentum, shake': shake.angular,
      'energy, shake': shake.energy,
      'linear momentum, tr-bdf2': trbdf2.linear,
      'angular momentum, tr-bdf2': trbdf2.angular,
      'linear momentum, midpoint': midpoint.linear,
      'angular momentum, midpoint': midpoint.angular,
    };
  },
  expect: {
    'linear momentum, shake': { value: 0, tolerance: 1e-10 },
    'angular momentum, shake': { value: 0, tolerance: 1e-8 },
    'energy, shake': { value: 0, tolerance: 5e-3 },
    'linear momentum, tr-bdf2': { value: 0, tolerance: 1e-8 },
    'angular momentum, tr-bdf2': { value: 0, tolerance: (n) => 100 / (n * n), order: 1.7 },
    'linear momentum, midpoint': { value: 0, tolerance: 1e-8 },
    // the midpoint rule keeps quadratic invariants: angular momentum to the solver's tolerance
    'angular momentum, midpoint': { value: 0, tolerance: 1e-7 },
  },
});
