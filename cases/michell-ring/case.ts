import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, equilibrium, onModel, worldOf } from '../src/case.ts';
import { sectionNumber } from '../src/controls.ts';
import type { CheckRow } from '../src/expectation.ts';

/** Michell (1889), Zajac: a ring twisted by more than 2π√3·α/β leaves its plane. */
const ratios = [0.5, 2 / 3, 1, 1.5, 2, 3];
const criticalTwist = (ratio: number): number => (2 * Math.PI * Math.sqrt(3)) / ratio;

function scene(edges: number, ratio: number, twist: number): SceneInput {
  return {
    tendril: 1,
    title: `Michell's ring, β/α = ${ratio}`,
    rods: [
      {
        id: 'ring',
        shape: { type: 'ring', radius: 1, axis: [0, 0, 1] },
        edges,
        natural: 'straight',
        frame: { twist },
        section: { type: 'stiffness', EI1: 1, GJ: ratio, mass: 1, radius: 0.03, damping: { mass: 0.5 } },
        velocity: { angular: [1e-3, 0, 0] },
      },
    ],
    time: { duration: 12, step: 0.02 },
    statics: { stability: 'report' },
    output: { every: 0.1 },
  };
}

/** The map of figure 8: flat rings of 50 edges that are stable (open) and not (filled), and where theory parts them. */
function map(rows: readonly CheckRow[]): CaseFigure {
  const x = Array.from({ length: 61 }, (_, k) => 0.4 + (2.8 * k) / 60);
  const finest = Math.max(...rows.map(({ n }) => n));
  const points = ratios.flatMap((ratio) =>
    [0.5, 0.7, 0.85, 0.95, 1.05, 1.15, 1.3, 1.5].map((share) => {
      const y = share * criticalTwist(ratio);
      const [{ stable }] = equilibrium(worldOf(scene(50, ratio, y)));
      return { x: ratio, y, filled: !stable };
    }),
  );
  const worst = Math.max(...rows.filter(({ n }) => n === finest).map(({ error }) => error));
  return {
    title: "Michell's instability: filled dots leave their plane",
    subtitle: `thresholds by bisection are within ${(100 * worst).toPrecision(2)} % of theory at ${finest} edges`,
    x,
    xLabel: 'β/α',
    yLabel: 'twist [rad]',
    lines: [{ label: '2π√3·α/β', y: x.map(criticalTwist) }],
    points,
  };
}

export const michellRing: Case = defineCase({
  id: 'michell-ring',
  topics: ['theory', 'art'],
  title: "Michell's instability of a twisted ring",
  claim:
    'A straight rod that is bent to a ring and closed with a twist stays flat until the twist reaches θc = 2π√3·α/β, and then leaves its plane. α is the bending, β the twisting stiffness.',
  group: 'classics',
  colorBy: 'twist',
  source: 'Michell 1889, Zajac 1962: θc = 2π√3·α/β',
  models: ['der', 'cosserat'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 8',
      claim: 'The circular ring loses stability at the twist 2π√3·α/β, for every ratio of the moduli.',
      panels: {
        moments: [
          { time: 6, caption: 'The ring is still a circle.' },
          { time: 12, caption: 'The twist has passed its threshold, and the ring has buckled out of its plane.' },
        ],
      },
      timed: { row: 'Fig. 8', scene: () => scene(67, 1, 14), from: 2 },
    },
  ],
  quick: [25, 50],
  full: [25, 50, 100, 200],
  controls: [
    {
      path: ['rods', 0, 'frame', 'twist'],
      label: 'Twist',
      symbol: 'θ',
      unit: 'rad',
      low: 0,
      high: 25,
      threshold: (scene) => {
        const at = criticalTwist(sectionNumber(scene, 'GJ') / sectionNumber(scene, 'EI1'));
        return { at, what: `leaps out of its plane at ${at.toFixed(2)} rad` };
      },
    },
    { path: ['rods', 0, 'section', 'EI1'], label: 'Bending stiffness', symbol: 'α', unit: 'N·m²', low: 0.2, high: 4 },
    { path: ['rods', 0, 'section', 'GJ'], label: 'Twisting stiffness', symbol: 'β', unit: 'N·m²', low: 0.2, high: 4 },
  ],
  scene: () => scene(60, 1, 14),
  measure(n, model) {
    const out: Record<string, number> = {};
    for (const ratio of ratios) {
      let low = 0.7 * criticalTwist(ratio);
      let high = 1.3 * criticalTwist(ratio);
      while (high - low > 1e-7 * high) {
        const twist = 0.5 * (low + high);
        const [report] = equilibrium(worldOf(onModel(scene(n, ratio, twist), model)));
        if (report.stable) low = twist;
        else high = twist;
      }
      out[`critical twist, β/α = ${ratio.toFixed(2)}`] = 0.5 * (low + high);
    }
    return out;
  },
  figure: map,
  expect: Object.fromEntries(
    ratios.map((ratio) => [
      `critical twist, β/α = ${ratio.toFixed(2)}`,
      // the error grows with the twist at a joint, θc/n
      {
        value: criticalTwist(ratio),
        tolerance: (n: number) => (ratio < 0.9 ? 30 : 6) / (n * n),
        order: 1.8,
        floor: 2e-5,
      },
    ]),
  ),
});
