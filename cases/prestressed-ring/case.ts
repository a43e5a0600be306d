import type { Scene } from '@tendril-sim/core';
import { hypot, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { goToBifurcation, walkBranch } from '../src/branches.ts';
import { type Case, type CaseFigure, defineCase, worldOf } from '../src/case.ts';
import { bendingStiffness, sectionNumber, twistingStiffness } from '../src/controls.ts';

/** GJ/EI: of a round rod that keeps its volume, and of a rod that is stiffer in torsion than in bending. */
const ratios = [2 / 3, 1.5];
const nameOf = (ratio: number): string => `GJ/EI = ${ratio.toFixed(2)}`;

/**
 * A circle of curvature k, covered `loops` times, of a rod with natural curvature κ0 carries the moment μk, μ = EI − EI κ0/k. A disturbance with n waves per
 * turn has no stiffness if μ² − μ(EI + GJ) − EI GJ(n² − 1) = 0. Returns κ0/k, with EI = 1.
 */
function criticalOvercurvature(ratio: number, waves: number): number {
  const sum = 1 + ratio;
  return 1 - 0.5 * (sum - Math.sqrt(square(sum) + 4 * ratio * (square(waves) - 1)));
}

/** κ0 L/2π at which the single ring loses its stability to two waves, and the threefold ring to two waves in its three turns. */
const single = (ratio: number): number => criticalOvercurvature(ratio, 2);
const threefold = (ratio: number): number => 3 * criticalOvercurvature(ratio, 2 / 3);

function scene(edges: number, ratio: number, curvature: number): SceneInput {
  return {
    tendril: 1,
    title: 'A ring whose rod would rather be curved more',
    rods: [
      {
        id: 'ring',
        shape: { type: 'ring', radius: 1, axis: [0, 0, 1] },
        edges,
        inextensible: true,
        natural: { curvature: [curvature, 0, 0] },
        section: { type: 'stiffness', EI1: 1, GJ: ratio, mass: 1, radius: 0.02, damping: { mass: 1 } },
      },
    ],
  };
}

interface Ends {
  /** Natural curvatures at which the branch leaves the ring and reaches the threefold ring. */
  readonly single: number;
  readonly threefold: number;
  /** Largest distance of points a third of the length apart, where it reaches it. */
  readonly apart: number;
  /** Energy there. */
  readonly energy: number;
  /** Unstable directions between the two. */
  readonly negativeModes: number;
  /** Natural curvature and energy along the branch. */
  readonly path: (readonly [curvature: number, energy: number])[];
}

/** Follows the branch of folded rings from the flat ring to the threefold one, where the natural curvature turns back. */
function fold(edges: number, ratio: number): Ends {
  const from = 0.95 * Math.min(single(ratio), threefold(ratio));
  const to = 1.1 * Math.max(single(ratio), threefold(ratio));
  const world = worldOf({
    ...scene(edges, ratio, from),
    statics: { follow: 'branch', parameter: 'rods.0.natural.curvature.0', from, to, stride: 0.1 },
  });
  const start = goToBifurcation(world);
  const path: (readonly [number, number])[] = [];
  let negativeModes = 0;
  const points = walkBranch(world, {
    start: 'across',
    look({ kind, parameter, negativeModes: modes }) {
      path.push([parameter, world.energies().total]);
      if (kind === 'point' && path.length > 3) negativeModes = Math.max(negativeModes, modes);
      return kind === 'fold' ? 'stop' : undefined;
    },
  });
  const { nodePosition: x } = world.samples[0];
  const third = x.length / 3;
  const gap = (o: number): number =>
    hypot(x[o] - x[o + third], x[o + 1] - x[o + third + 1], x[o + 2] - x[o + third + 2]);
  const apart = Math.max(...Array.from({ length: third / 3 }, (_, i) => gap(3 * i)));
  const last = points[points.length - 1];
  return {
    single: start.parameter,
    threefold: last.parameter,
    apart,
    energy: world.energies().total,
    negativeModes,
    path,
  };
}

function energies(): CaseFigure {
  const x = Array.from({ length: 81 }, (_, k) => 1.4 + (1.4 * k) / 80);
  return {
    title: 'A pre-stressed ring folds into three loops',
    subtitle: 'dots: folded rings, from where the ring loses its stability to where the threefold ring gains it',
    x,
    xLabel: 'natural curvature κ0 R',
    yLabel: 'energy R/EI',
    lines: [
      { label: 'ring', y: x.map((k) => Math.PI * square(1 - k)) },
      { label: 'threefold ring', y: x.map((k) => Math.PI * square(3 - k)) },
      ...ratios.map((ratio) => {
        const { path } = fold(60, ratio);
        return { label: nameOf(ratio), x: path.map(([k]) => k), y: path.map(([, energy]) => energy), dots: true };
      }),
    ],
    points: [],
  };
}

const overcurvature = (at: Scene): number => single(sectionNumber(at, 'GJ') / sectionNumber(at, 'EI1'));

export const prestressedRing: Case = defineCase({
  id: 'prestressed-ring',
  topics: ['theory', 'art'],
  finish: 'steel',
  title: 'A pre-stressed ring folds into three loops',
  claim:
    'A rod is closed to a ring although it would rather be curved more, like the hoop of a pop-up tent. At the natural curvature κ0R = 1.81 (for GJ/EI = 2/3) the ring leaves its plane; it folds more and more, and at 2.21 it is a flat ring of three loops. A rod that is stiffer in torsion than in bending snaps instead: its folded shapes are unstable.',
  group: 'classics',
  source: 'linear stability of rings with natural curvature; derivation on the page',
  models: ['der'],
  quick: [24, 48],
  full: [24, 48, 96],
  controls: [
    {
      path: ['rods', 0, 'natural', 'curvature', 0],
      label: 'Natural curvature',
      symbol: 'κ0',
      unit: '1/m',
      low: 0,
      high: 4,
      threshold: (at) => ({ at: overcurvature(at), what: `leaves its plane at ${overcurvature(at).toFixed(2)} /m` }),
    },
    bendingStiffness({ low: 0.2, high: 4 }),
    twistingStiffness({ low: 0.2, high: 4 }),
  ],
  scene: () => ({
    ...scene(96, 2 / 3, 2.5),
    // a pinch at two opposite places, for a moment, says how to fold
    loads: [0, 0.5].map((u) => ({
      type: 'force' as const,
      rod: 'ring',
      at: { u },
      force: [0, 0, 0.3] as [number, number, number],
      factor: { formula: 'clamp(1 - t, 0, 1)' },
    })),
    contact: {},
    time: { duration: 16, step: 0.01 },
    output: { every: 0.1 },
  }),
  measure(n) {
    const out: Record<string, number> = {};
    for (const ratio of ratios) {
      const found = fold(n, ratio);
      out[`ring leaves its plane, ${nameOf(ratio)}`] = found.single;
      out[`threefold ring, ${nameOf(ratio)}`] = found.threefold;
      out[`energy of the threefold ring over theory, ${nameOf(ratio)}`] =
        found.energy / (Math.PI * square(3 - found.threefold));
      out[`distance of its loops, ${nameOf(ratio)}`] = found.apart;
      out[`unstable directions in between, ${nameOf(ratio)}`] = found.negativeModes;
    }
    return out;
  },
  figure: energies,
  expect: Object.fromEntries(
    ratios.flatMap((ratio) => [
      [
        `ring leaves its plane, ${nameOf(ratio)}`,
        { value: single(ratio), tolerance: (n: number) => 12 / (n * n), order: 1.8 },
      ],
      [
        `threefold ring, ${nameOf(ratio)}`,
        { value: threefold(ratio), tolerance: (n: number) => 15 / (n * n), order: 1.8 },
      ],
      [`energy of the threefold ring over theory, ${nameOf(ratio)}`, { value: 1, tolerance: 1e-9 }],
      [`distance of its loops, ${nameOf(ratio)}`, { value: 0, tolerance: 2e-3 }],
      [`unstable directions in between, ${nameOf(ratio)}`, { value: ratio < 1 ? 0 : 1, tolerance: 0 }],
    ]),
  ),
});
