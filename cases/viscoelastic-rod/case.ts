import { exp, hypot } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, nodeAt, worldOf } from '../src/case.ts';

/** Prony series of the held rod. */
const terms = [
  { ratio: 0.5, time: 1 },
  { ratio: 2, time: 0.1 },
];

/** Single term of the loaded rod, and the time in which its load rises [s]. */
const ratio = 1.5;
const time = 0.4;
const rise = 0.5;
const load = 1e-3;

const section = { type: 'stiffness', EI1: 1, GJ: 1, mass: 1e-6, inertia: 1e-9, radius: 0.01 } as const;

/** A straight rod, bent to an arc of 1 rad at t = 0 and held there. */
function held(n: number): SceneInput {
  return {
    tendril: 1,
    title: 'A bent rod relaxes between its clamps',
    rods: [
      {
        id: 'rod',
        shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 1, angle: 1 },
        natural: 'straight',
        edges: 20,
        section,
        law: { type: 'viscoelastic', terms },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      { rod: 'rod', at: 'end' },
    ],
    time: { duration: 2, step: 1 / n },
  };
}

/** A cantilever under a small load that rises and stays. */
function loaded(n: number, force = load): SceneInput {
  return {
    tendril: 1,
    title: 'A cantilever of rubber creeps under its load',
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 20,
        section,
        law: { type: 'viscoelastic', terms: [{ ratio, time }] },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    loads: [
      {
        type: 'force',
        rod: 'rod',
        at: 'end',
        force: [0, 0, -force],
        factor: {
          keys: [
            [0, 0],
            [rise, 1],
          ],
          interpolation: 'linear',
        },
      },
    ],
    time: { duration: 4, step: 1 / n },
    output: { every: 0.05 },
  };
}

/** Deflection of the standard linear solid under that load, relative to its last one. */
function creep(t: number): number {
  const slow = time * (1 + ratio);
  const lag = (ratio / (1 + ratio)) * (slow / rise);
  return t < rise ? t / rise - lag * (1 - exp(-t / slow)) : 1 - lag * (exp(rise / slow) - 1) * exp(-t / slow);
}

function measureHeld(n: number): Record<string, number> {
  const world = worldOf(held(n));
  let worst = 0;
  for (let k = 1; k <= 2 * n; k++) {
    world.step(1 / n);
    const moment = terms.reduce((sum, term) => sum + term.ratio * exp(-world.time / term.time), 1);
    worst = Math.max(worst, Math.abs(hypot(...world.reactions()[0].torque) / moment - 1));
  }
  return { 'held: largest error of the moment': worst, 'held: heat': world.energies().dissipated ?? 0 };
}

function measureCreep(n: number): Record<string, number | boolean> {
  const relaxed = worldOf(loaded(n));
  equilibrium(relaxed, 4);
  const last = nodeAt(relaxed, 0, -1)[2];
  const world = worldOf(loaded(n));
  let worst = 0;
  let heat = 0;
  let grows = true;
  for (let k = 1; k <= 4 * n; k++) {
    world.step(1 / n);
    worst = Math.max(worst, Math.abs(nodeAt(world, 0, -1)[2] / last - creep(world.time)));
    const { dissipated = 0 } = world.energies();
    grows &&= dissipated >= heat;
    heat = dissipated;
  }
  return { 'creep: largest error of the deflection': worst, 'creep: heat grows': grows && heat > 0 };
}

export const viscoelasticRod: Case = defineCase({
  id: 'viscoelastic-rod',
  topics: ['theory'],
  title: 'A rod that relaxes and creeps',
  claim:
    'A rod with the law viscoelastic follows the generalised Maxwell solid: its moments relax if its shape is held, and it creeps under a load. Steps may be longer than the relaxation times.',
  group: 'classics',
  source: 'generalised Maxwell solid, closed form',
  models: ['der'],
  quick: [4, 8, 16],
  full: [4, 8, 16, 32, 64],
  controls: [
    { path: ['loads', 0, 'force', 2], label: 'Load', symbol: 'F', unit: 'N', low: 0, high: 5, factor: -1 },
    { path: ['rods', 0, 'law', 'terms', 0, 'ratio'], label: 'Viscous part', symbol: 'g', low: 0.1, high: 5 },
    {
      path: ['rods', 0, 'law', 'terms', 0, 'time'],
      label: 'Relaxation time',
      symbol: 'τ',
      unit: 's',
      low: 0.05,
      high: 4,
    },
  ],
  scene: () => loaded(50, 2),
  measure: (n) => ({ ...measureHeld(n), ...measureCreep(n) }),
  expect: {
    // the update is exact for a held strain; Newton stops at 1e-9 of the forces
    'held: largest error of the moment': { atMost: 1e-8 },
    'held: heat': {
      value: terms.reduce((sum, term) => sum + 0.5 * term.ratio * (1 - exp(-4 / term.time)), 0),
      tolerance: 1e-8,
    },
    // the strain between steps is a chord: h²/8 of its second derivative, at most ratio/(1 + ratio)/(rise·slow)
    'creep: largest error of the deflection': { value: 0, tolerance: (n) => 0.15 / (n * n), order: 1.8, floor: 1e-6 },
    'creep: heat grows': { holds: true },
  },
});
