import type { SceneInput } from '@tendril-sim/io';
import { goToBifurcation, walkBranch } from '../src/branches.ts';
import { type Case, type CaseFigure, defineCase, worldOf } from '../src/case.ts';
import { bendingStiffness, sectionNumber, twistingStiffness } from '../src/controls.ts';
import { completeElliptic, findRoot } from '../src/elliptic.ts';

/** The ring has radius 1 and bending stiffness 1. */
const LENGTH = 2 * Math.PI;
/** GJ/EI: of a ring that goes over into the eight, and of one that leaps. */
const ratios = [2, 1];
const nameOf = (ratio: number): string => `GJ/EI = ${ratio}`;

/** Michell's twist, at which the ring leaves its plane. */
const michell = (ratio: number): number => (2 * Math.PI * Math.sqrt(3)) / ratio;

/** Energy of the elastica that is a figure eight: 2E(k) = K(k), and 8λ(E − (1 − k²)K) with λ = 4K/L. */
const energyOfEight = (() => {
  const k = findRoot((x) => completeElliptic(x).K - 2 * completeElliptic(x).E, 0.5, 0.99);
  const { K, E } = completeElliptic(k);
  return ((32 * K) / LENGTH) * (E - (1 - k * k) * K);
})();

/** A straight rod that is closed to a ring; `twist`: by how much its natural shape is twisted, which the ring undoes. */
function scene(edges: number, ratio: number, twist: number): SceneInput {
  return {
    tendril: 1,
    title: 'A twisted ring turns into a figure eight',
    rods: [
      {
        id: 'ring',
        shape: { type: 'ring', radius: 1, axis: [0, 0, 1] },
        edges,
        inextensible: true,
        natural: { shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] }, frame: { twist } },
        section: { type: 'stiffness', EI1: 1, GJ: ratio, mass: 1, radius: 0.05, damping: { mass: 1 } },
      },
    ],
  };
}

interface State {
  readonly twist: number;
  readonly energy: number;
  /** Twisting moment; its sign changes at the figure eight. */
  readonly moment: number;
}

interface Path {
  readonly critical: number;
  readonly states: State[];
  readonly negativeModes: number;
  readonly eight: { readonly twist: number; readonly energy: number };
}

/** From the flat ring to just past the figure eight. */
function follow(edges: number, ratio: number): Path {
  const from = 0.95 * Math.min(LENGTH, michell(ratio));
  const to = 1.1 * Math.max(LENGTH, michell(ratio));
  const world = worldOf({
    ...scene(edges, ratio, from),
    statics: { follow: 'branch', parameter: 'rods.0.natural.frame.twist', from, to, stride: 0.1 },
  });
  const { parameter: critical } = goToBifurcation(world);
  const states: State[] = [];
  let negativeModes = 0;
  walkBranch(world, {
    start: 'across',
    look({ kind, parameter, negativeModes: modes }) {
      const along = world.channel(0, 'twist');
      const mean = along.reduce((sum, one) => sum + one / along.length, 0);
      const { total, twisting } = world.energies();
      const moment = Math.sign(parameter / LENGTH - mean) * Math.sqrt((2 * ratio * twisting) / LENGTH);
      states.push({ twist: parameter, energy: total, moment });
      if (kind === 'point') negativeModes = Math.max(negativeModes, modes);
      return moment < 0 ? 'stop' : undefined;
    },
  });
  return { critical, states, negativeModes, eight: interpolate(states) };
}
/** Where the moment changes its sign, between the last two states. The derivative of the energy with respect to the twist is the moment. */
function interpolate(states: readonly State[]): { twist: number; energy: number } {
  const [before, after] = states.slice(-2);
  const share = before.moment / (before.moment - after.moment);
  const twist = before.twist + share * (after.twist - before.twist);
  return { twist, energy: before.energy + 0.5 * before.moment * (twist - before.twist) };
}

function energies(): CaseFigure {
  const finest = ratios.map((ratio) => ({ ratio, path: follow(96, ratio) }));
  const ends = [LENGTH, ...ratios.map(michell)];
  const x = Array.from(
    { length: 81 },
    (_, k) => Math.min(...ends) + ((Math.max(...ends) - Math.min(...ends)) * k) / 80,
  );
  return {
    title: 'A twisted ring turns into a figure eight',
    subtitle: 'from where Michell’s ring leaves its plane to the elastica that crosses itself, at one turn',
    x,
    xLabel: 'twist',
    xUnit: 'rad',
    yLabel: 'energy R/EI',
    lines: [
      { label: 'figure eight', y: x.map(() => energyOfEight) },
      ...finest.map(({ ratio, path }) => ({
        label: nameOf(ratio),
        x: path.states.map(({ twist }) => twist),
        y: path.states.map(({ energy }) => energy),
        dots: true,
      })),
    ],
    points: finest.map(({ path }) => ({ x: path.eight.twist, y: path.eight.energy, filled: true })),
  };
}

export const figureEight: Case = defineCase({
  id: 'figure-eight',
  topics: ['theory', 'art'],
  colorBy: 'twist',
  title: 'A twisted ring turns into a figure eight',
  claim:
    'Past the twist of Michell, 2π√3·EI/GJ, a twisted ring folds over itself. Its branch of equilibria reaches the plane elastica of the figure eight when the twist is exactly one turn, for every ratio of the stiffnesses: the crossing has taken up the turn, and the rod is free of twist. For GJ = 2 EI the ring goes there gradually, for GJ = EI it leaps.',
  group: 'classics',
  source: 'Michell 1889; the closed elastica with 2E(k) = K(k); linking number = twist + writhe',
  models: ['der'],
  quick: [48, 72],
  full: [48, 72, 96],
  controls: [
    {
      path: ['rods', 0, 'natural', 'frame', 'twist'],
      label: 'Twist',
      symbol: 'θ',
      unit: 'rad',
      low: 0,
      high: 25,
      threshold: (at) => {
        const leaves = michell(sectionNumber(at, 'GJ') / sectionNumber(at, 'EI1'));
        return { at: leaves, what: `leaves its plane at ${leaves.toFixed(2)} rad` };
      },
    },
    bendingStiffness({ low: 0.4, high: 4 }),
    twistingStiffness({ low: 0.5, high: 4 }),
  ],
  scene: () => {
    const { rods, ...rest } = scene(80, 2, 8);
    return {
      ...rest,
      rods,
      // a pinch at two opposite places, for a moment, says how to fold
      loads: [0, 0.5].map((u) => ({
        type: 'force' as const,
        rod: 'ring',
        at: { u },
        force: [0, 0, 0.3] as [number, number, number],
        factor: { formula: 'clamp(1 - t, 0, 1)' },
      })),
      contact: {},
      time: { duration: 12, step: 0.01 },
      output: { every: 0.1 },
    };
  },
  measure(n) {
    const out: Record<string, number> = {};
    for (const ratio of ratios) {
      const { critical, eight, negativeModes } = follow(n, ratio);
      const name = nameOf(ratio);
      out[`${name}, twist at which the ring leaves its plane`] = critical;
      out[`${name}, twist of the figure eight`] = eight.twist;
      out[`${name}, energy of the figure eight`] = eight.energy;
      out[`${name}, unstable directions on the way`] = negativeModes;
    }
    return out;
  },
  figure: energies,
  expect: Object.fromEntries(
    ratios.flatMap((ratio) => {
      const name = nameOf(ratio);
      return [
        [
          `${name}, twist at which the ring leaves its plane`,
          { value: michell(ratio), tolerance: (n: number) => 15 / (n * n), order: 1.8 },
        ],
        [`${name}, twist of the figure eight`, { value: LENGTH, tolerance: (n: number) => 8 / (n * n), order: 1.8 }],
        [
          `${name}, energy of the figure eight`,
          { value: energyOfEight, tolerance: (n: number) => 1 / (n * n), order: 1.6 },
        ],
        [`${name}, unstable directions on the way`, { value: ratio > 1 ? 0 : 1, tolerance: 0 }],
      ];
    }),
  ),
});
