import type { ModelId } from '@tendril-sim/core';
import { square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { bendingStiffness, gravity, massPerLength, sectionNumber } from '../src/controls.ts';

type Pins = NonNullable<SceneInput['pins']>;
const clamp: Pins = [{ rod: 'rod', at: 'start' }];
const beams: { name: string; pins: Pins; roots: number[]; models?: readonly ModelId[] }[] = [
  { name: 'clamped-free', pins: clamp, roots: [1.87510406871, 4.69409113297, 7.85475743824, 10.9955407349] },
  {
    name: 'free-free',
    pins: [],
    models: ['der', 'strand', 'fiber', 'cosserat'],
    roots: [4.73004074486, 7.8532046241, 10.995607838, 14.1371654913],
  },
  {
    name: 'clamped-clamped',
    pins: [...clamp, { rod: 'rod', at: 'end' }],
    models: ['der', 'fiber', 'cosserat'],
    roots: [4.73004074486, 7.8532046241, 10.995607838, 14.1371654913],
  },
  {
    name: 'clamped-pinned',
    pins: [...clamp, { rod: 'rod', at: 'end', hold: 'position' }],
    models: ['der', 'fiber', 'cosserat', 'strand'],
    roots: [3.92660231205, 7.06858274563, 10.2101761228, 13.3517687778],
  },
  {
    name: 'pinned-pinned',
    pins: [
      { rod: 'rod', at: 'start', hold: 'position' },
      { rod: 'rod', at: 'end', hold: 'position' },
    ],
    models: ['der', 'fiber', 'cosserat', 'strand'],
    roots: [Math.PI, 2 * Math.PI, 3 * Math.PI, 4 * Math.PI],
  },
];

/** Clamped rod hanging down (Γ > 0) or standing up (Γ < 0). */
const heavy: Record<string, number[]> = {
  '10': [5.29178335502, 23.9119990014, 63.681554249, 123.007782983],
  '-7': [1.15155323845, 20.612760667, 60.2620615411, 119.400965567],
};
const chain = [1.20241277885, 2.76003905514, 4.32686395646, 5.89576721951];
const GJ = 2 / 3;
/** Greenhill: the weight qL³/EI under which a column no longer stands. */
const GREENHILL = 7.83734744;
/** Polar inertia that puts torsion apart from bending. */
const INERTIA = 1e-4;

function rod(
  edges: number,
  section: object,
  to: [number, number, number],
  gravity: number,
  pins: Pins,
  model: ModelId = 'der',
): SceneInput {
  return {
    tendril: 1,
    title: 'Natural frequencies',
    gravity: [0, 0, -gravity],
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ, mass: 1, inertia: INERTIA, radius: 0.01, ...section },
      },
    ],
    pins,
    modes: { count: 12 },
    // torsion as fast as the section makes it, not its scaffold
    ...(model === 'fiber' && 'inertia' in section === false && { solver: { fiber: { inertia: 'section' as const } } }),
  };
}

/** Distinct values of an ascending list: round rods have every bending mode twice, close to buckling not to all digits. */
function distinct(omega: ArrayLike<number>, count: number): number[] {
  const out: number[] = [];
  for (let k = 0; k < omega.length && out.length < count; k++) {
    if (out.length === 0 || omega[k] > out[out.length - 1] * (1 + 1e-3) + 1e-6) out.push(omega[k]);
  }
  return out;
}

export const cantileverFrequencies: Case = defineCase({
  id: 'cantilever-frequencies',
  topics: ['theory'],
  title: 'Natural frequencies of beams, chains and twisting rods',
  claim:
    'Frequencies about an equilibrium are right for five kinds of support, for a rod that hangs or stands under its own weight, for a chain that has next to no bending stiffness, and for torsion.',
  group: 'classics',
  source: 'characteristic equations of Euler–Bernoulli beams; Ritz solution with gravity; Bessel zeros for the chain',
  models: ['der', 'helix', 'strand', 'fiber', 'cosserat'],
  quick: [25, 50, 100],
  full: [25, 50, 100, 200],
  // matrices of strands and helices are dense
  resolutions: {
    helix: { quick: [20, 40], full: [20, 40, 80] },
    strand: { quick: [20, 40], full: [20, 40, 80] },
    fiber: { quick: [25, 50], full: [25, 50, 100, 200] },
  },
  controls: [
    {
      ...gravity({ axis: 0, high: 10 }),
      label: 'Weight towards the clamp',
      // Greenhill's column, one metre long
      threshold: (scene) => {
        const at = (GREENHILL * sectionNumber(scene, 'EI1')) / sectionNumber(scene, 'mass');
        return { at, what: `the rod no longer stands above ${at.toFixed(2)} m/s²` };
      },
    },
    bendingStiffness({ low: 0.1, high: 10 }),
    massPerLength({ low: 0.1, high: 10 }),
  ],
  scene: () => rod(100, {}, [1, 0, 0], 0, clamp),
  measure(n, model) {
    const out: Record<string, number> = {};
    for (const { name, pins, roots, models } of beams) {
      if (models && !models.includes(model)) continue;
      const world = worldOf(rod(n, { inertia: 0 }, [1, 0, 0], 0, pins, model));
      const omega = distinct(
        [...world.modes(16)[0].omega].filter((w) => w > 1),
        roots.length,
      );
      roots.forEach((_, k) => {
        out[`${name} ω${k + 1}`] = omega[k];
      });
    }
    for (const [gamma, roots] of Object.entries(heavy)) {
      const world = worldOf(
        rod(n, { inertia: 0 }, [0, 0, Number(gamma) > 0 ? -1 : 1], Math.abs(Number(gamma)), clamp, model),
      );
      equilibrium(world);
      const omega = distinct(world.modes(10)[0].omega, roots.length);
      roots.forEach((_, k) => {
        out[`vertical, Γ = ${gamma}, ω${k + 1}`] = omega[k];
      });
    }
    // a super-helix does not hang from a hinge
    if (model !== 'helix') {
      const hanging = worldOf(
        rod(
          n,
          { EI1: 1e-7, GJ: 1e-7, inertia: 0 },
          [0, 0, -1],
          1,
          [{ rod: 'rod', at: 'start', hold: 'position' }],
          model,
        ),
      );
      equilibrium(hanging);
      // a fiber on a ball joint is free to spin
      const omega = distinct(
        [...hanging.modes(10)[0].omega].filter((w) => w > 0.9),
        4,
      );
      chain.forEach((_, k) => {
        out[`hanging chain ω${k + 1}`] = omega[k];
      });
    }
    const torsion = worldOf(rod(n, {}, [1, 0, 0], 0, clamp, model)).modes(20)[0];
    const twisting = [...torsion.omega].filter((_, k) => Math.max(...torsion.shapes[k].edgeTwist.map(Math.abs)) > 0.99);
    out['torsion ω1'] = twisting[0];
    out['torsion ω2'] = twisting[1];
    return out;
  },
  expect: Object.fromEntries([
    ...beams.flatMap(({ name, roots, models }) =>
      roots.map((root, k) => [
        `${name} ω${k + 1}`,
        {
          value: root * root,
          tolerance: (n: number) => (1.2 * square(k + 2)) / (n * n),
          order: 1.8,
          floor: 1e-7,
          ...(models && { models }),
        },
      ]),
    ),
    ...Object.entries(heavy).flatMap(([gamma, roots]) =>
      roots.map((value, k) => [
        `vertical, Γ = ${gamma}, ω${k + 1}`,
        { value, tolerance: (n: number) => (3 * square(k + 1)) / (n * n), order: 1.7, floor: 1e-6 },
      ]),
    ),
    ...chain.map((value, k) => [
      `hanging chain ω${k + 1}`,
      {
        value,
        tolerance: (n: number) => 1e-3 + (3 * square(k + 1)) / (n * n),
        models: ['der', 'strand', 'fiber', 'cosserat'],
      },
    ]),
    [
      'torsion ω1',
      { value: (Math.PI / 2) * Math.sqrt(GJ / INERTIA), tolerance: (n: number) => 1 / (n * n), order: 1.9 },
    ],
    [
      'torsion ω2',
      { value: ((3 * Math.PI) / 2) * Math.sqrt(GJ / INERTIA), tolerance: (n: number) => 5 / (n * n), order: 1.9 },
    ],
  ]),
});
