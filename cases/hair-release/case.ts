import type { HelixOptions } from '@tendril-sim/core';
import { hypot, pow, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { timeStep, youngsModulus } from '../src/controls.ts';
import type { CurvePoint } from '../src/expectation.ts';

const LENGTH = 0.3;

function scene(integrator: HelixOptions['integrator'], steps: number, stiffness: number, edges = 10): SceneInput {
  return {
    tendril: 1,
    title: 'Straight hair is let go',
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'hair',
        model: 'helix',
        hair: 'straight',
        material: { E: 3.58e9, G: 1.07e9, density: 1300, damping: { stiffness } },
        shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] },
        edges,
      },
    ],
    pins: [{ rod: 'hair', at: 'start' }],
    // a step that fails shall end the run
    time: { duration: 1, step: 1 / steps, halvings: 0 },
    output: { every: 0.01 },
    solver: { helix: { integrator } },
  };
}

/** Largest gain over the energy at the start, relative to what the fall sets free, and the loss at the end, in 1 s. */
function follow(
  integrator: HelixOptions['integrator'],
  steps: number,
  stiffness: number,
): { gain: number; loss: number } {
  const world = worldOf(scene(integrator, steps, stiffness));
  const resting = worldOf(scene(integrator, steps, stiffness));
  resting.equilibrate();
  const start = world.energies().total;
  const drop = start - resting.energies().total;
  let gain = 0;
  for (let k = 0; k < steps; k++) {
    try {
      world.step();
    } catch {
      return { gain: Number.POSITIVE_INFINITY, loss: Number.POSITIVE_INFINITY };
    }
    gain = Math.max(gain, (world.energies().total - start) / drop);
  }
  return { gain, loss: (start - world.energies().total) / drop };
}

/** A hair of two elements with L = EI = ρA = 1, so light that it swings by a ten-thousandth of its length. */
function lightHair(integrator: HelixOptions['integrator'], steps: number): SceneInput {
  const { rods, ...rest } = scene(integrator, steps, 0);
  const section = { type: 'stiffness' as const, EI1: 1, GJ: 1, mass: 1, radius: 0.01 };
  const shape = { type: 'straight' as const, from: [0, 0, 0] as const, to: [1, 0, 0] as const };
  return { ...rest, gravity: [0, 0, -1e-3], rods: [{ id: 'hair', model: 'helix', section, shape, edges: 2 }] };
}

/** Energy above the equilibrium over time, as a fraction of that at the start. */
function energyOfSwings(integrator: 'implicit-euler' | 'bdf2', steps: number): CurvePoint[] {
  const world = worldOf(lightHair(integrator, steps));
  const resting = worldOf(lightHair(integrator, steps));
  resting.equilibrate();
  const bottom = resting.energies().total;
  const top = world.energies().total - bottom;
  return Array.from({ length: steps }, (_, k) => {
    world.step();
    return [(k + 1) / steps, (world.energies().total - bottom) / top];
  });
}

/**
 * The two modes of the light hair. Element i bends by κ_i and lifts its nodes, of masses l and l/2, by φ_i: M = Σ m φφᵀ, K = EI l.
 * With l = L/2, the mass matrix in units of ρA l⁵ is [11, 3; 3, 1]/8, and the weight in units of ρA g l³ is (5, 1)/4.
 */
const swings = [1, -1].map((sign) => {
  const mass = (12 + sign * Math.sqrt(136)) / 16;
  // eigenvector (3/8, mass − 11/8)
  const [a, b] = [3 / 8, mass - 11 / 8];
  return { omega: 4 / Math.sqrt(mass), share: square((5 * a + b) / hypot(a, b)) / 26 };
});

/** Energy that a scheme leaves of the swings after so many steps of 1/n: each mode is ż = iωz, with energy |z|². */
function energyLeft(integrator: 'implicit-euler' | 'bdf2', k: number, n: number): number {
  return swings.reduce((sum, { omega, share }) => {
    const x = omega / n;
    if (integrator === 'implicit-euler') return sum + share / pow(1 + x * x, k);
    // first step by implicit Euler, then (3/2 − ix) z₂ = 2 z₁ − z₀/2
    let [re, im] = [1 / (1 + x * x), x / (1 + x * x)];
    let [oldRe, oldIm] = [1, 0];
    for (let step = 1; step < k; step++) {
      const [p, q] = [2 * re - oldRe / 2, 2 * im - oldIm / 2];
      const size = 2.25 + x * x;
      [oldRe, oldIm, re, im] = [re, im, (1.5 * p - x * q) / size, (1.5 * q + x * p) / size];
    }
    return sum + share * (re * re + im * im);
  }, 0);
}

/** Swings are linear but for the square of their size, 1e-4 lengths; rounding of the energies adds as much. */
const LINEAR = 1e-7;

export const hairRelease: Case = defineCase({
  id: 'hair-release',
  topics: ['hair'],
  title: 'Energy of straight hair that is let go',
  claim:
    'The default integrator of super-helices never creates energy, at any step; BDF2 creates none here either and loses less; the semi-implicit scheme of the literature blows up without damping, and is stable with enough of it.',
  group: 'bertails2006',
  source: 'no force does work but weight: the total energy is constant; amplification of implicit Euler and BDF2',
  models: ['helix'],
  quick: [60, 240],
  full: [30, 60, 120, 240, 480, 960],
  controls: [
    timeStep({ low: 2e-4, high: 2e-2 }),
    {
      path: ['rods', 0, 'material', 'damping', 'stiffness'],
      label: 'Damping of the material',
      symbol: 'τ',
      unit: 's',
      low: 0,
      high: 0.02,
    },
    youngsModulus({ low: 3e8, high: 3e10 }),
  ],
  scene: () => scene('bdf2', 500, 0, 20),
  measure(n) {
    const euler = follow('implicit-euler', n, 0);
    const bdf2 = follow('bdf2', n, 0);
    return {
      'implicit-euler: largest gain': euler.gain,
      'bdf2: largest gain': bdf2.gain,
      'implicit-euler: loss': euler.loss,
      'bdf2: loss': bdf2.loss,
      'implicit-euler: energy of small swings': energyOfSwings('implicit-euler', n),
      'bdf2: energy of small swings': energyOfSwings('bdf2', n),
      'semi-implicit, damped by 0.2 s: largest gain': follow('semi-implicit', n, 0.2).gain,
      // the published scheme without damping: it gains more than it ever had
      'semi-implicit, undamped: gains energy': follow('semi-implicit', n, 0).gain > 0.1,
    };
  },
  expect: {
    'implicit-euler: largest gain': { atMost: 1e-12 },
    'bdf2: largest gain': { atMost: 1e-12 },
    'bdf2: loss': { lessThan: 'implicit-euler: loss' },
    'implicit-euler: energy of small swings': {
      curve: (t, n) => energyLeft('implicit-euler', Math.round(t * n), n),
      within: LINEAR,
    },
    'bdf2: energy of small swings': { curve: (t, n) => energyLeft('bdf2', Math.round(t * n), n), within: LINEAR },
    'semi-implicit, damped by 0.2 s: largest gain': { atMost: 1e-12 },
    'semi-implicit, undamped: gains energy': { holds: true },
  },
});
