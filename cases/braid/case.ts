import { cos, log10, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';

type Keys = { time: number; offset?: [number, number, number]; rotation?: [number, number, number] }[];

/** Somebody starts to run and turns on the way: where the hip is, and how it is turned. */
const hip = (t: number): { offset: [number, number, number]; angle: number } => {
  const u = Math.min(1, t / 2);
  const go = u * u * u * (10 - 15 * u + 6 * u * u);
  return {
    offset: [4 * go, 0.01 * sin(2 * Math.PI * 3 * t) * go, 0.012 * (1 - cos(2 * Math.PI * 3 * t)) * go],
    angle: 1.2 * go,
  };
};

const times = Array.from({ length: 49 }, (_, k) => k / 16);
const HEAD: [number, number, number] = [-0.08, 0, 0.6];

/** The head rides on the hip. */
function headKeys(): Keys {
  return times.map((time) => {
    const { offset, angle } = hip(time);
    const turned = [cos(angle) * HEAD[0] - sin(angle) * HEAD[1], sin(angle) * HEAD[0] + cos(angle) * HEAD[1], HEAD[2]];
    return {
      time,
      offset: [0, 1, 2].map((k) => offset[k] + turned[k] - HEAD[k]) as [number, number, number],
      rotation: [0, 0, angle],
    };
  });
}
const hipKeys = (): Keys =>
  times.map((time) => ({ time, offset: hip(time).offset, rotation: [0, 0, hip(time).angle] }));

/** A bun, four decades stiffer than the braid that follows it, in one strand. */
function scene(edges: number, amount: number): SceneInput {
  return {
    tendril: 1,
    title: 'A bun and a braid behind somebody who runs',
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'braid',
        model: 'strand',
        shape: { type: 'points', points: [HEAD, [-0.16, 0, 0.62], [-0.2, 0, 0.55], [-0.2, 0, 0.35], [-0.2, 0, 0.05]] },
        edges,
        natural: 'equilibrium',
        section: {
          type: 'stiffness',
          EI1: { formula: '10^(-4*clamp((u-0.2)/0.15, 0, 1))' },
          GJ: { formula: '10^(-4*clamp((u-0.2)/0.15, 0, 1))' },
          mass: {
            along: [
              [0, 0.5],
              [0.25, 0.5],
              [0.35, 0.15],
              [1, 0.08],
            ],
          },
          inertia: 1e-5,
          radius: {
            along: [
              [0, 0.05],
              [0.22, 0.05],
              [0.35, 0.015],
              [1, 0.008],
            ],
          },
          damping: { stiffness: 0.02 },
        },
      },
    ],
    pins: [{ rod: 'braid', at: 'start', path: { keys: headKeys() } }],
    time: { duration: 3, step: 1 / 120 },
    solver: { strand: { direct: [{ local: { amount, position: [0, 0, 0], path: { keys: hipKeys() } } }] } },
    output: { every: 1 / 24 },
  };
}

/** Largest change of a joint's bend [rad] in the bun and in the braid, and of the tip as the head sees it [m]. */
function swing(edges: number, amount: number): { bun: number; braid: number } {
  const world = worldOf(scene(edges, amount));
  const start = world.channel(0, 'curvature');
  const arc = world.rods[0].nodeArc.map((s) => s / world.rods[0].length);
  let bun = 0;
  let braid = 0;
  for (let k = 0; k < 360; k++) {
    world.step();
    if (k % 4) continue;
    world.channel(0, 'curvature').forEach((kappa, i) => {
      const bend = (Math.abs(kappa - start[i]) * world.rods[0].length) / edges;
      if (arc[i] < 0.2) bun = Math.max(bun, bend);
      else if (arc[i] > 0.35) braid = Math.max(braid, bend);
    });
  }
  return { bun, braid };
}

export const braid: Case = defineCase({
  id: 'braid',
  title: 'Bun and braid: very stiff to soft along one strand; local dynamics',
  group: 'hadap2006',
  source: 'figure 7 and section 6.4 of Hadap 2006',
  models: ['strand'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 7',
      claim:
        'One strand may be very stiff at its beginning and soft after it; local dynamics sets how much of the motion of the head is felt.',
    },
  ],
  quick: [20],
  full: [20, 40],
  scene: () => scene(30, 0.5),
  measure(n) {
    const [free, half, local] = [0, 0.5, 1].map((amount) => swing(n, amount));
    return {
      'bend of the bun over that of the braid, log10': log10(free.bun / free.braid),
      'half of the run felt: bend over the whole': half.braid / free.braid,
      'none of the run felt: bend of the braid [rad]': local.braid,
    };
  },
  expect: {
    'bend of the bun over that of the braid, log10': { atMost: -1.8 },
    // half where bends are small; large ones grow less than the push
    'half of the run felt: bend over the whole': { from: 0.5, to: 0.8 },
    // the head is rigid on the hip, but smooth keys of two points are not quite those of one body
    'none of the run felt: bend of the braid [rad]': { atMost: 1e-6 },
  },
});
