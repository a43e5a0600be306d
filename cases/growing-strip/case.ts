import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { twistingStiffness } from '../src/controls.ts';

/** Natural curvature and twist rate of the grown strip [1/m]; bending stiffness about d2 and twisting stiffness are 2 and 1 N m². */
const CURVATURE = 3;
const TWIST = 1;

/** A straight strip that grows to a helix within a second, clamped at its start and perhaps at its end. */
function strip(edges: number, isHeld: boolean): SceneInput {
  return {
    tendril: 1,
    title: 'A strip grows into a helix',
    rods: [
      {
        id: 'strip',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        frame: { d1: [0, 0, 1] },
        natural: { curvature: [0, CURVATURE, TWIST] },
        section: {
          type: 'stiffness',
          EI1: 4,
          EI2: 2,
          GJ: 1,
          mass: 1e-2,
          inertia: 1e-5,
          radius: 0.01,
          damping: { mass: 5 },
        },
        law: {
          type: 'growth',
          factor: {
            keys: [
              [0, 0],
              [1, 1],
            ],
          },
        },
      },
    ],
    pins: [{ rod: 'strip', at: 'start' }, ...(isHeld ? [{ rod: 'strip', at: 'end' } as const] : [])],
    time: { duration: 3, step: 0.01 },
    statics: { stability: 'report' },
    output: { every: 0.02 },
  };
}

export const growingStrip: Case = defineCase({
  id: 'growing-strip',
  topics: ['theory', 'art'],
  title: 'A strip that grows into a helix',
  claim: 'With the law growth the natural curvature and twist of a rod change in time.',
  group: 'classics',
  source: 'natural strain that is free, and natural strain that is held',
  models: ['der'],
  quick: [16, 32],
  full: [16, 32, 64],
  controls: [
    {
      path: ['rods', 0, 'natural', 'curvature', 1],
      label: 'Grown curvature',
      symbol: 'κ',
      unit: '1/m',
      low: 0,
      high: 15,
    },
    { path: ['rods', 0, 'natural', 'curvature', 2], label: 'Grown twist', symbol: 'τ', unit: '1/m', low: 0, high: 10 },
    twistingStiffness({ low: 0.1, high: 10 }),
  ],
  scene: () => strip(40, false),
  measure(n) {
    const free = worldOf(strip(n, false));
    equilibrium(free, 1);
    const held = worldOf(strip(n, true));
    held.equilibrate(1);
    const [bend, twist] = [held.reactions()[0].torque[1], held.reactions()[0].torque[0]];
    const moving = worldOf(strip(n, false));
    while (moving.time < 3 - 1e-9) moving.step();
    return {
      'free: energy': free.energies().total,
      'free: twist': free.channel(0, 'twist')[n / 2],
      'held: bending torque at the clamp': Math.abs(bend),
      'held: twisting torque at the clamp': Math.abs(twist),
      'in motion: elastic energy that is left': moving.energies().bending + moving.energies().twisting,
    };
  },
  expect: {
    // nothing holds the strip: it has its natural strain, whatever the mesh
    'free: energy': { value: 0, tolerance: 1e-12 },
    // the channel is the twist about the tangents, the law has the rotation vector: (κ/n)²/12 apart
    'free: twist': { value: TWIST, tolerance: (n) => (1.1 * CURVATURE * CURVATURE) / (12 * n * n), order: 1.9 },
    // nothing moves: the moments are stiffness times natural strain
    'held: bending torque at the clamp': { value: 2 * CURVATURE, tolerance: 1e-7 },
    'held: twisting torque at the clamp': { value: TWIST, tolerance: 1e-7 },
    // two seconds at a damping of 5/s leave exp(−10) of the energy of growth, at most ½ Σ K u² = 9.5 J
    'in motion: elastic energy that is left': { atMost: 9.5 * 5e-5 },
  },
});
