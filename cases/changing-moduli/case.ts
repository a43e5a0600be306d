import { hypot } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, onModel, worldOf } from '../src/case.ts';
import { bendingStiffness, massDamping } from '../src/controls.ts';

/** E and G fall to a quarter within 1 s, stay for 2 s, and come back within 1 s. */
export const moist = {
  keys: [
    [0, 1],
    [0.5, 1],
    [1.5, 0.25],
    [3.5, 0.25],
    [4.5, 1],
  ],
  interpolation: 'linear',
} as const;

export type Factor = NonNullable<NonNullable<NonNullable<SceneInput['rods']>[number]['animate']>['E']>;

export function moistCurl(edges: number, E: Factor, G: Factor = E): SceneInput {
  const [L, R, pitch] = [0.25, 5e-3, 5e-3];
  return {
    tendril: 1,
    title: 'A curl in moist air: its moduli fall to a quarter and come back',
    gravity: {
      acceleration: [0, 0, -9.81],
      factor: {
        keys: [
          [0, 0],
          [0.3, 1],
        ],
      },
    },
    rods: [
      {
        id: 'curl',
        model: 'fiber',
        shape: {
          type: 'helix',
          axis: [0, 0, -1],
          start: [1, 0, 0],
          radius: R,
          pitch,
          turns: L / hypot(2 * Math.PI * R, pitch),
        },
        edges,
        animate: { E, G },
        section: {
          type: 'stiffness',
          EA: 10.122,
          EI1: 2.2775e-9,
          GJ: 1.3614e-9,
          mass: 3.13e-6,
          radius: 3e-5,
          damping: { mass: 20 },
        },
      },
    ],
    pins: [{ rod: 'curl', at: 'start' }],
    time: { duration: 6, step: 1e-2 },
    output: { every: 0.05, probes: [{ name: 'tip', rod: 'curl', at: 'end' }] },
  };
}

const drop = (world: ReturnType<typeof worldOf>, edges: number, start: number): number =>
  1e3 * (start - world.samples[0].nodePosition[3 * edges + 2]);

export const changingModuli: Case = defineCase({
  id: 'changing-moduli',
  topics: ['hair'],
  title: 'A curl in moist air: its moduli fall to a quarter and come back',
  claim: 'E and G may change during a run, as they do with moisture and heat [Michels2015 §5, Fig. 7].',
  group: 'cosserat',
  colorBy: 'twist',
  source: 'Michels et al. 2015, Fig. 7 and §5; equilibria from a converged Cosserat rod',
  models: ['fiber', 'cosserat'],
  papers: [
    {
      paper: 'michels2015',
      figure: 'Fig. 7',
      claim: 'Moduli may change during a run: a curl falls in moist air and comes back.',
    },
  ],
  quick: [80],
  full: [80, 160],
  controls: [
    {
      path: ['rods', 0, 'animate', 'E', 'keys', 2, 1],
      also: [
        ['rods', 0, 'animate', 'E', 'keys', 3, 1],
        ['rods', 0, 'animate', 'G', 'keys', 2, 1],
        ['rods', 0, 'animate', 'G', 'keys', 3, 1],
      ],
      label: 'What moisture leaves of the stiffness',
      low: 0.05,
      high: 1,
    },
    bendingStiffness({ low: 5e-10, high: 1e-8 }),
    massDamping({ high: 50 }),
  ],
  scene: () => moistCurl(100, moist),
  measure(n, model) {
    const world = worldOf(onModel(moistCurl(n, moist), model));
    const start = world.samples[0].nodePosition[3 * n + 2];
    const out: Record<string, number> = {};
    while (world.time < 3.5 - 1e-9) world.step();
    out['drop when moist [mm]'] = drop(world, n, start);
    const soft = worldOf(onModel(moistCurl(n, 0.25), model));
    equilibrium(soft, 1);
    out['moist: motion over equilibrium'] = out['drop when moist [mm]'] / drop(soft, n, start);
    while (world.time < 6 - 1e-9) world.step();
    out['drop when dry again [mm]'] = drop(world, n, start);
    const dry = worldOf(onModel(moistCurl(n, 1), model));
    equilibrium(dry, 1);
    out['dry again: motion over equilibrium'] = out['drop when dry again [mm]'] / drop(dry, n, start);
    return out;
  },
  expect: {
    'drop when moist [mm]': { value: 55.52, tolerance: (n) => 2e-3 + 250 / (n * n) },
    'drop when dry again [mm]': { value: 16.51, tolerance: (n) => 2e-3 + 400 / (n * n) },
    'moist: motion over equilibrium': { value: 1, tolerance: 1e-3 },
    'dry again: motion over equilibrium': { value: 1, tolerance: 1e-3 },
  },
});
