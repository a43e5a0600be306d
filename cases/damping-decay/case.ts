import { type Case, defineCase, worldOf } from '../src/case.ts';
import { bendingStiffness, gravity, massDamping } from '../src/controls.ts';
import { swingEnergy, swingingHair } from '../src/hair.ts';

/** Energy lost after 0.5, 1 and 1.5 s, in halves of weight × length: the same network of 20 cuboids by Verlet steps of 5 µs. */
const losses: Readonly<Record<string, readonly number[]>> = {
  '1': [0.30084, 0.50939, 0.64819],
  '10': [0.83846, 0.84512, 0.84517],
  '100': [0.26963, 0.47292, 0.61833],
  '1000': [0.03329, 0.06434, 0.09404],
};
const times = [0.5, 1, 1.5];
const name = (alpha: string, k: number): string => `energy lost after ${times[k]} s, α = ${alpha}/s`;

export const dampingDecay: Case = defineCase({
  id: 'damping-decay',
  topics: ['hair'],
  title: 'A hair swings with damping from none to far too much',
  claim:
    '[Michels2015 Fig. 6] shows the decay of energy for damping from 0 to 100, with steps of the same size and no instability.',
  group: 'classics',
  source: 'Michels et al. 2015, Fig. 6; Verlet steps of 5 µs',
  models: ['fiber'],
  papers: [
    {
      paper: 'michels2015',
      figure: 'Fig. 6',
      claim: 'Damping of any strength takes energy out without trouble, at once where it is strong.',
    },
  ],
  // steps a second
  quick: [100, 200],
  full: [100, 200, 500, 1000],
  controls: [massDamping({ high: 100 }), bendingStiffness({ low: 2e-10, high: 2e-8 }), gravity({ axis: 1, high: 30 })],
  scene: () => swingingHair(50, 2e-3, 1.5, 10, {}),
  measure(n) {
    const out: Record<string, number> = {};
    for (const alpha of Object.keys(losses)) {
      const world = worldOf(swingingHair(20, 1 / n, 1.5, Number(alpha), {}));
      const start = world.energies().total;
      let last = start;
      let rise = 0;
      times.forEach((t, k) => {
        while (world.time < t - 1e-9) {
          world.step();
          const now = world.energies().total;
          rise = Math.max(rise, (now - last) / swingEnergy);
          last = now;
        }
        out[name(alpha, k)] = (start - last) / swingEnergy;
      });
      out[`largest rise of energy in a step, α = ${alpha}/s`] = rise;
    }
    return out;
  },
  expect: Object.fromEntries(
    Object.entries(losses).flatMap(([alpha, values]) => [
      ...values.map((value, k) => [
        name(alpha, k),
        // the reference has five digits; the error falls with the square of the step
        { value, scale: 1, tolerance: (n: number) => 5e-5 + (alpha === '1' ? 30 : 8) / (n * n) },
      ]),
      [`largest rise of energy in a step, α = ${alpha}/s`, { value: 0, tolerance: 1e-6 }],
    ]),
  ),
});
