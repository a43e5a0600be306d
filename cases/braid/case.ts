import { atan2, cos, sin, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, onModel, worldOf } from '../src/case.ts';
import { gravity } from '../src/controls.ts';
import { drawPerson } from '../src/drawnHead.ts';

const GRAVITY = 9.81;
/** The strand is a bun up to the first fraction of its length, and a braid from the second on. */
const [BUN, BRAID] = [0.35, 0.5];
const stiffness = `10^(-4*clamp((u-${BUN})/${BRAID - BUN}, 0, 1))`;

type Keys = { time: number; offset?: [number, number, number]; rotation?: [number, number, number] }[];

/** Somebody starts to run and turns on the way: where the hip is, and how it is turned. A size of 1 is a run. */
const hip = (t: number, size: number): { offset: [number, number, number]; angle: number } => {
  const u = Math.min(1, t / 2);
  const go = size * u * u * u * (10 - 15 * u + 6 * u * u);
  return {
    offset: [4 * go, 0.01 * sin(2 * Math.PI * 3 * t) * go, 0.012 * (1 - cos(2 * Math.PI * 3 * t)) * go],
    angle: 1.2 * go,
  };
};

/** Instants of the keys of the run; `rate` per second. */
const timesOf = (rate: number): number[] => Array.from({ length: 3 * rate + 1 }, (_, k) => k / rate);
const HEAD: [number, number, number] = [-0.08, 0, 0.6];

/** The head rides on the hip. */
function headKeys(size: number, rate: number): Keys {
  return timesOf(rate).map((time) => {
    const { offset, angle } = hip(time, size);
    const turned = [cos(angle) * HEAD[0] - sin(angle) * HEAD[1], sin(angle) * HEAD[0] + cos(angle) * HEAD[1], HEAD[2]];
    return {
      time,
      offset: [0, 1, 2].map((k) => offset[k] + turned[k] - HEAD[k]) as [number, number, number],
      rotation: [0, 0, angle],
    };
  });
}
const hipKeys = (size: number, rate: number): Keys =>
  timesOf(rate).map((time) => {
    const { offset, angle } = hip(time, size);
    return { time, offset, rotation: [0, 0, angle] };
  });

/** A bun, four decades stiffer than the braid that hangs from it, in one strand. */
function scene(edges: number, amount: number, size = 1, rate = 16): SceneInput {
  return {
    tendril: 1,
    title: 'A bun and a braid behind somebody who runs',
    gravity: [0, 0, -GRAVITY],
    rods: [
      {
        id: 'braid',
        model: 'strand',
        shape: { type: 'points', points: [HEAD, [-0.16, 0, 0.62], [-0.2, 0, 0.55], [-0.2, 0, 0.35], [-0.2, 0, 0.05]] },
        edges,
        natural: 'equilibrium',
        section: {
          type: 'stiffness',
          EI1: { formula: stiffness },
          GJ: { formula: stiffness },
          mass: {
            along: [
              [0, 0.5],
              [BUN, 0.5],
              [BRAID, 0.15],
              [1, 0.08],
            ],
          },
          inertia: 1e-5,
          radius: {
            along: [
              [0, 0.05],
              [BUN, 0.05],
              [BRAID, 0.015],
              [1, 0.008],
            ],
          },
          damping: { stiffness: 0.02 },
        },
      },
    ],
    pins: [{ rod: 'braid', at: 'start', path: { keys: headKeys(size, rate) } }],
    time: { duration: 3, step: 1 / 120 },
    solver: { strand: { direct: [{ local: { amount, position: [0, 0, 0], path: { keys: hipKeys(size, rate) } } }] } },
    output: { every: 1 / 24 },
  };
}

/** The same with the person who runs: the bun is at the back of the head. */
function withPerson(drawn: SceneInput): SceneInput {
  const path = drawn.pins?.[0].path;
  const at: [number, number, number] = [HEAD[0] + 0.085, HEAD[1], HEAD[2]];
  return {
    ...drawn,
    rods: drawn.rods.map((rod) => ({ ...rod, color: '#7a4a26' })),
    colliders: drawPerson('runner', { at, pivot: HEAD, ...(path && { path }) }),
  };
}

/** Largest change of a joint's bend in the braid [rad]. */
function swing(edges: number, amount: number, size: number, rate?: number): number {
  const world = worldOf(scene(edges, amount, size, rate));
  const start = world.channel(0, 'curvature');
  const arc = world.rods[0].nodeArc.map((s) => s / world.rods[0].length);
  let largest = 0;
  for (let k = 0; k < 360; k++) {
    world.step();
    if (k % 4) continue;
    world.channel(0, 'curvature').forEach((kappa, i) => {
      if (arc[i] > BRAID) largest = Math.max(largest, (Math.abs(kappa - start[i]) * world.rods[0].length) / edges);
    });
  }
  return largest;
}

/** A sideways pull per mass that grows to this from t = 0 to 1 [m/s²]: the braid then hangs along the sum of pull and weight. */
const PULL = 0.1;

/** Angles by which the pull turns the end of the bun and the tip of the braid [rad]. */
function turns(edges: number, model: 'strand' | 'der'): { bun: number; tip: number } {
  const { solver: _, ...still } = scene(edges, 0, 0);
  const pull = { type: 'force' as const, per: 'mass' as const, formula: [`${PULL}*min(t, 1)`, '0', '0'] as const };
  const world = worldOf(onModel({ ...still, fields: [pull] }, model));
  const directions = (): number[] => {
    const { nodePosition: x } = world.samples[0];
    return Array.from({ length: edges }, (_, j) => atan2(x[3 * j + 3] - x[3 * j], x[3 * j + 2] - x[3 * j + 5]));
  };
  const before = directions();
  equilibrium(world, 1);
  const turned = directions().map((angle, j) => angle - before[j]);
  const end = Math.round(BUN * edges);
  return { bun: (turned[end - 1] + turned[end]) / 2, tip: turned[edges - 1] };
}

/** Size of the gentle run, and the largest angle between its accelerations and gravity: 4 m in 2 s, smoothly, is 5.8 m/s². */
const GENTLE = 0.01;
const gentleTilt = (GENTLE * 5.8) / GRAVITY;

export const braid: Case = defineCase({
  id: 'braid',
  topics: ['hair', 'art'],
  finish: 'rope',
  title: 'Bun and braid: very stiff to soft along one strand; local dynamics',
  claim:
    'A single strand represents a stiff bun and a soft braid, four decades apart in stiffness. With local dynamics relative to the hip, an animator chooses whether all, half or none of the acceleration of a run acts on the strand.',
  group: 'hadap2006',
  source: 'figure 7 and section 6.4 of Hadap 2006',
  models: ['strand'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 7',
      claim:
        'One strand may be very stiff at its beginning and soft after it; local dynamics sets how much of the motion of the head is felt.',
      panels: {
        aspect: 1,
        look: { follow: 'braid', target: [-0.1, 0, 0.42], zoom: 4.5 },
        moments: [
          { time: 0, caption: 'At rest.' },
          { time: 0.7, caption: 'The runner starts: the bun gives a little, the braid lags behind.' },
          { time: 2.2, caption: 'After the stop: the braid swings on, the bun trembles.' },
        ],
      },
    },
  ],
  quick: [20],
  full: [20, 40],
  controls: [
    {
      path: ['solver', 'strand', 'direct', 0, 'local', 'amount'],
      label: 'Part of the run that acts on the braid',
      low: 0,
      high: 1,
    },
    {
      path: ['rods', 0, 'section', 'damping', 'stiffness'],
      label: 'Damping of the braid',
      symbol: 'τ',
      unit: 's',
      low: 0,
      high: 0.1,
    },
    gravity({ high: 30 }),
  ],
  scene: () => withPerson(scene(30, 0.5)),
  measure(n) {
    const [whole, half] = [0, 0.5].map((amount) => swing(n, amount, 1));
    const [gentle, gentleHalf] = [0, 0.5].map((amount) => swing(n, amount, GENTLE));
    const pulled = turns(n, 'strand');
    return {
      'turn of the bun by a sideways pull [rad]': pulled.bun,
      'turn of the tip by a sideways pull [rad]': pulled.tip,
      'the whole run felt: bend of the braid [rad]': whole,
      'half of the run felt: bend of the braid [rad]': half,
      'none of the run felt: bend of the braid [rad]': swing(n, 1, 1, 0.8 * n),
      'half of a gentle run felt: bend over the whole': gentleHalf / gentle,
    };
  },
  expect: () => ({
    // an independent model, converged to 2e-4; the strand is of second order, over a stiffness that falls within 0.15 of its length
    'turn of the bun by a sideways pull [rad]': {
      value: turns(80, 'der').bun,
      tolerance: (n) => 0.5 / square((BRAID - BUN) * n),
      order: 1.7,
    },
    // a string hangs along the sum of the accelerations; what is left is of the order of the pull over gravity
    'turn of the tip by a sideways pull [rad]': { value: atan2(PULL, GRAVITY), tolerance: PULL / GRAVITY },
    'half of the run felt: bend of the braid [rad]': { lessThan: 'the whole run felt: bend of the braid [rad]' },
    // linear but for terms of the swing's size
    'half of a gentle run felt: bend over the whole': { value: 0.5, tolerance: gentleTilt },
    // the head is rigid on the hip, but splines through keys of two points are not quite those of one body: their accelerations
    // differ by the square of the time between keys, of which there are 0.8 n per second
    'none of the run felt: bend of the braid [rad]': { value: 0, tolerance: (n) => 4e-4 / square(n), order: 2 },
  }),
});
