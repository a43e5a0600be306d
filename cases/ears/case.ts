import { cos, exp, hypot, hypotOf, log10, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { youngsModulus } from '../src/controls.ts';
import { drawDonkey } from '../src/drawnHead.ts';
import type { CurvePoint } from '../src/expectation.ts';

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

/** The same with the donkey, who looks away from where the ear points. */
function withDonkey(scene: SceneInput): SceneInput {
  const path = scene.pins?.[0].path;
  return {
    ...scene,
    rods: scene.rods.map((rod) => ({ ...rod, color: '#9c9086' })),
    colliders: drawDonkey('donkey', { at: [0, 0, 0], facing: Math.PI, ...(path && { path }) }),
  };
}

const STRENGTH = 2000;

/** A chain without stiffness, whose nodes fall from the pose and come to rest g/strength below it. */
function slackChain(edges: number, damping: number, step: number): SceneInput {
  const scene = ear(edges, STRENGTH, 1, false);
  return {
    ...scene,
    time: { duration: 2, step },
    rods: [
      {
        ...scene.rods[0],
        section: { type: 'stiffness', EI1: 1e-9, GJ: 1e-9, mass: 0.1, inertia: 1e-5, radius: 0.01 },
        material: undefined,
      },
    ],
    solver: {
      strand: {
        direct: [{ pose: { strength: STRENGTH, damping, keys: [{ time: 0, curvature: 'initial' }] } }],
      },
    },
  };
}

/** Sag of the tip across the chain, in units of g/strength: along it the links do not stretch. */
function sagOf({ samples }: ReturnType<typeof worldOf>): number {
  const [x, , z] = samples[0].nodePosition.slice(-3);
  const across = (x - 0.3) * -0.2 + (z - 0.2) * 0.3;
  return (-across * STRENGTH) / (GRAVITY * 0.3);
}

function restingSag(edges: number): number {
  const world = worldOf(slackChain(edges, 2 * Math.sqrt(STRENGTH), 1 / 120));
  for (let k = 0; k < 240; k++) world.step();
  return sagOf(world);
}

const FALL = { damping: 0.4 * Math.sqrt(STRENGTH), step: 1 / 960, duration: 0.25 };

/** The sag over time. */
function fall(edges: number): CurvePoint[] {
  const world = worldOf(slackChain(edges, FALL.damping, FALL.step));
  return Array.from({ length: Math.round(FALL.duration / FALL.step) }, () => {
    world.step();
    return [world.time, sagOf(world)];
  });
}

/** Every node of the slack chain is a damped oscillator of its own: ü + cu̇ + su = s, from rest at 0. */
function oscillator(t: number): number {
  const rate = FALL.damping / 2;
  const omega = Math.sqrt(STRENGTH - rate * rate);
  return 1 - exp(-rate * t) * (cos(omega * t) + (rate / omega) * sin(omega * t));
}

/** Error of the scheme in the oscillator: its first step is implicit Euler, and the frequency of BDF2 is low by (ωh)²/3 of itself, which shows most after the time 2/c. */
const fallError = (() => {
  const { damping, step } = FALL;
  const square = STRENGTH * step * step;
  return square / 2 + ((2 * Math.sqrt(STRENGTH)) / damping) * (square / 3) * exp(-1);
})();

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
  topics: ['art'],
  title: 'Ears: a pose is hit, and let go',
  claim:
    'Springs to an animated pose hold an ear in the pose: strong springs hold it closely, weak ones leave it free to move.',
  group: 'hadap2006',
  source: 'figure 6 and section 6.5 of Hadap 2006; statics of a chain on springs',
  models: ['strand'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 6',
      claim: 'Animators control motion around a pose by its strength, which may change in time.',
      panels: {
        aspect: 1,
        moments: [
          { time: 0, caption: 'The pose.' },
          { time: 1, caption: 'The ears give way.' },
          { time: 4, caption: 'Back around the pose.' },
        ],
      },
    },
  ],
  quick: [12],
  full: [12, 24],
  controls: [
    {
      path: ['solver', 'strand', 'direct', 0, 'pose', 'strength'],
      label: 'Springs to the pose',
      symbol: 'k',
      low: 20,
      high: 2000,
    },
    youngsModulus({ low: 6e3, high: 6e5 }),
    {
      path: ['rods', 0, 'material', 'damping', 'stiffness'],
      label: 'Damping of the material',
      symbol: 'τ',
      unit: 's',
      low: 0,
      high: 0.1,
    },
  ],
  scene: () =>
    withDonkey(
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
    ),
  measure(n) {
    const { loose, held } = liveliness(n);
    return {
      'sag of a slack chain below its pose, in g/strength': restingSag(n),
      'fall of a slack chain from its pose, in g/strength': fall(n),
      'miss of the pose falls with strength, 100 to 10,000, by': log10(miss(n, 100) / miss(n, 1e4)),
      'tip speed, let loose [m/s]': loose,
      'tip speed, held [m/s]': held,
    };
  },
  expect: {
    'sag of a slack chain below its pose, in g/strength': { value: 1, tolerance: 1e-6 },
    'fall of a slack chain from its pose, in g/strength': { curve: oscillator, within: fallError },
    // as 1/strength: two decades
    'miss of the pose falls with strength, 100 to 10,000, by': { value: 2, scale: 1, tolerance: 0.2 },
    'tip speed, held [m/s]': { lessThan: 'tip speed, let loose [m/s]' },
  },
});
