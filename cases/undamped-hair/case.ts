import { square } from '@tendril-sim/core/math';
import { type Case, defineCase, distance, nodeAt, worldOf } from '../src/case.ts';
import { bendingStiffness, gravity, timeStep } from '../src/controls.ts';
import { hair, swingEnergy, swingingHair } from '../src/hair.ts';

/** Tip after 0.1 … 0.6 s [m] of the same network of 50 cuboids, by Verlet steps of 5 and 10 µs, which agree to all digits. */
const tips = [
  [0.1, 0.237782, -0.049559],
  [0.2, 0.115594, -0.217694],
  [0.3, -0.129113, -0.190682],
  [0.4, -0.202118, -0.084546],
  [0.5, -0.133169, -0.004102],
  [0.6, -0.016989, -0.093088],
];

export const undampedHair: Case = defineCase({
  id: 'undamped-hair',
  topics: ['hair'],
  title: 'A hair swings without damping: energy at large steps',
  claim: '[Michels2015 Fig. 4]: the energy of an undamped fiber stays bounded at steps up to 1e-3 s.',
  group: 'laws',
  source: 'Michels et al. 2015, Fig. 4; conservation; Verlet steps of 5 µs',
  models: ['fiber'],
  papers: [
    {
      paper: 'michels2015',
      figure: 'Fig. 4',
      claim: 'Without damping the energy does not drift, at steps of 1 to 10 ms.',
    },
  ],
  // steps a second
  quick: [100, 200],
  full: [100, 200, 500, 1000],
  controls: [
    timeStep({ low: 2e-4, high: 1e-2 }),
    bendingStiffness({ low: 2e-10, high: 2e-8 }),
    gravity({ axis: 1, high: 30 }),
  ],
  scene: () => swingingHair(50, 2e-3, 2, 0, {}),
  measure(n) {
    const out: Record<string, number> = {};
    const world = worldOf(swingingHair(20, 1 / n, 5, 0, {}));
    const start = world.energies().total;
    let [largest, solves, rise] = [0, 0, 0];
    for (let k = 0; k < 5 * n; k++) {
      solves += world.step().iterations / (5 * n);
      const change = (world.energies().total - start) / swingEnergy;
      largest = Math.max(largest, Math.abs(change));
      rise = Math.max(rise, change);
    }
    out['largest change of energy in 5 s'] = largest;
    out['solves per step'] = solves;
    const exact = worldOf(swingingHair(20, 1 / n, 1, 0, { tolerance: 1e-6 }));
    const before = exact.energies().total;
    let rounding = 0;
    for (let k = 0; k < n; k++) {
      exact.step();
      rounding = Math.max(rounding, Math.abs(exact.energies().total - before) / swingEnergy);
    }
    out['largest change of energy in 1 s, solved to 1e-6'] = rounding;
    const fine = worldOf(swingingHair(50, 1 / n, 1, 0, {}));
    let apart = 0;
    for (const [t, x, y] of tips) {
      while (fine.time < t - 1e-9) fine.step();
      apart = Math.max(apart, distance(nodeAt(fine, 0, -1), [x, y, 0]) / hair.L);
    }
    out['tip against Verlet, t ≤ 0.6 s'] = apart;
    return out;
  },
  expect: {
    'largest change of energy in 5 s': { value: 0, tolerance: 1e-4 },
    'largest change of energy in 1 s, solved to 1e-6': { value: 0, tolerance: 1e-10 },
    'solves per step': { atMost: (n) => (n >= 500 ? 4 : n >= 200 ? 5 : 10) },
    // second order in the step, but for the axial modes that a sudden release excites
    'tip against Verlet, t ≤ 0.6 s': { value: 0, tolerance: (n) => 1e-4 + square(14 / n) },
  },
});
