import { hypot, hypotOf, log10 } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';

const GRAVITY = 9.81;
type Timed = number | { keys: [number, number][]; interpolation: 'linear' };

/** A long ear on a head that nods; the animator bends it and lets it loose again. */
function ear(edges: number, strength: number, factor: Timed, nods: boolean): SceneInput {
  return {
    tendril: 1,
    title: "A donkey's ear hits a pose",
    gravity: [0, 0, -GRAVITY],
    rods: [
      {
        id: 'ear',
        model: 'strand',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0.2] },
        edges,
        frame: { d1: [0, 1, 0] },
        section: {
          type: 'ellipse',
          a: 0.03,
          b: {
            along: [
              [0, 0.008],
              [1, 0.003],
            ],
          },
        },
        material: { E: '60 kPa', nu: 0.4, density: 900, damping: { stiffness: 0.02 } },
      },
    ],
    pins: [
      {
        rod: 'ear',
        at: 'start',
        ...(nods && {
          path: {
            keys: [
              { time: 0, rotation: [0, 0, 0] },
              { time: 0.6, rotation: [0, 0.4, 0.2] },
              { time: 1.2, rotation: [0, -0.3, 0] },
              { time: 2, rotation: [0, 0, 0] },
            ],
          },
        }),
      },
    ],
    time: { duration: 4, step: 1 / 120 },
    solver: {
      strand: {
        direct: [
          {
            pose: {
              strength,
              damping: 0.4 * Math.sqrt(strength),
              factor,
              keys: [
                { time: 0, curvature: 'initial' },
                { time: 1, curvature: [3, 0, 0] },
                { time: 2.5, curvature: [-2, 0, 1] },
              ],
            },
          },
        ],
      },
    },
    output: { every: 1 / 24 },
  };
}

/** A chain without stiffness: its nodes hang below the pose by g/strength. */
function slack(edges: number, strength: number): number {
  const scene = ear(edges, strength, 1, false);
  const world = worldOf({
    ...scene,
    rods: [
      {
        ...scene.rods[0],
        section: { type: 'stiffness', EI1: 1e-9, GJ: 1e-9, mass: 0.1, inertia: 1e-5, radius: 0.01 },
        material: undefined,
      },
    ],
    solver: {
      strand: {
        direct: [{ pose: { strength, damping: 2 * Math.sqrt(strength), keys: [{ time: 0, curvature: 'initial' }] } }],
      },
    },
  });
  for (let k = 0; k < 240; k++) world.step();
  // the tip, across the chain: along it the links do not stretch
  const { nodePosition: x } = world.samples[0];
  const o = 3 * edges;
  const across = ((x[o] - 0.3) * -0.2 + (x[o + 2] - 0.2) * 0.3) / hypot(0.3, 0.2);
  return (-across * strength) / ((GRAVITY * 0.3) / hypot(0.3, 0.2));
}

/** Distance of the tip from the pose at the second key [m]. */
function miss(edges: number, strength: number): number {
  const world = worldOf(ear(edges, strength, 1, true));
  const stiff = worldOf(ear(edges, 1e8, 1, true));
  for (let k = 0; k < 300; k++) {
    world.step();
    stiff.step();
  }
  const a = world.samples[0].nodePosition.slice(-3);
  const b = stiff.samples[0].nodePosition.slice(-3);
  return hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** How much of its own the ear does about the pose while the springs are weak, and after they are strong: tip speed [m/s]. */
function liveliness(edges: number): { loose: number; held: number } {
  const world = worldOf(
    ear(
      edges,
      2e4,
      {
        keys: [
          [0, 0],
          [2.6, 0],
          [2.8, 1],
        ],
        interpolation: 'linear',
      },
      true,
    ),
  );
  let loose = 0;
  let held = 0;
  for (let k = 1; k <= 480; k++) {
    world.step();
    const speed = hypotOf(world.samples[0].nodeVelocity.slice(-3));
    if (k > 250 && k < 310) loose = Math.max(loose, speed);
    if (k > 440) held = Math.max(held, speed);
  }
  return { loose, held };
}

export const ears: Case = defineCase({
  id: 'ears',
  title: 'Ears: a pose is hit, and let go',
  group: 'hadap2006',
  source: 'figure 6 and section 6.5 of Hadap 2006; statics of a chain on springs',
  models: ['strand'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 6',
      claim: 'Animators control motion around a pose by its strength, which may change in time.',
    },
  ],
  quick: [12],
  full: [12, 24],
  scene: () =>
    ear(
      16,
      400,
      {
        keys: [
          [0, 1],
          [1.2, 1],
          [1.6, 0.1],
          [2.2, 0.1],
          [2.6, 1],
        ],
        interpolation: 'linear',
      },
      true,
    ),
  measure(n) {
    const { loose, held } = liveliness(n);
    return {
      'sag of a slack chain below its pose, in g/strength': slack(n, 2000),
      'miss of the pose falls with strength, 100 to 10,000, by': log10(miss(n, 100) / miss(n, 1e4)),
      'tip speed let loose over held, log10': log10(loose / held),
    };
  },
  expect: {
    'sag of a slack chain below its pose, in g/strength': { value: 1, tolerance: 1e-6 },
    // as 1/strength: two decades
    'miss of the pose falls with strength, 100 to 10,000, by': { value: 2, scale: 1, tolerance: 0.2 },
    'tip speed let loose over held, log10': { atLeast: 2.9 },
  },
});
