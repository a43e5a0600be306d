import type { SceneInput } from '@tendril/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';

const L = 0.5;
const GJ = 2e-4;
const GRAVITY = 9.81;
/** The lantern: the last tenth of the strand is heavy and wide. */
const SHARE = 0.1;
const LANTERN = { mass: 4, inertia: 2e-3 };
const CORD = { mass: 0.01, inertia: 1e-9 };

const jump = (cord: number, lantern: number): { along: [number, number][] } => ({
  along: [
    [0, cord],
    [1 - SHARE, cord],
    [1 - SHARE, lantern],
    [1, lantern],
  ],
});

/** A cord with a lantern in the hand of somebody who dances and then stands still. */
function scene(edges: number, dance: 'none' | 'turn' | 'all'): SceneInput {
  const sway = dance === 'all' ? 1 : 0;
  return {
    tendril: 1,
    title: 'A lantern on a cord',
    gravity: [0, 0, -GRAVITY],
    rods: [
      {
        id: 'lantern',
        model: 'strand',
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -L] },
        edges,
        frame: { d1: [1, 0, 0] },
        section: {
          type: 'stiffness',
          EI1: 2e-4,
          GJ,
          mass: jump(CORD.mass, LANTERN.mass),
          inertia: jump(CORD.inertia, LANTERN.inertia),
          radius: jump(0.004, 0.05),
        },
      },
    ],
    pins: [
      {
        rod: 'lantern',
        at: 'start',
        ...(dance !== 'none' && {
          path: {
            keys: [
              { time: 0, offset: [0, 0, 0], twist: 0 },
              { time: 0.5, offset: [0.1 * sway, 0.05 * sway, 0.05 * sway], twist: 1 },
              { time: 1, offset: [-0.1 * sway, 0, 0], twist: -1 },
              { time: 1.5, offset: [0.1 * sway, -0.05 * sway, 0.05 * sway], twist: 0.8 },
              { time: 2, offset: [0, 0, 0], twist: 0 },
            ],
          },
        }),
      },
    ],
    time: { duration: 8, step: 0.01 },
    output: { every: 0.04, probes: [{ name: 'lantern', rod: 'lantern', at: 'end', quantity: 'd1' }] },
  };
}

/** A shaft without inertia of its own that turns a uniform heavy end: β tan(βℓ) = 1/a, ω² = β² GJ/I. */
function twistFrequency(): number {
  const heavy = SHARE * L;
  const shaft = L - heavy;
  let [low, high] = [0, Math.PI / 2 / heavy];
  for (let k = 0; k < 200; k++) {
    const beta = 0.5 * (low + high);
    if (beta * Math.tan(beta * heavy) < 1 / shaft) low = beta;
    else high = beta;
  }
  return low * Math.sqrt(GJ / LANTERN.inertia);
}

/** Period of the lantern's turn about the vertical after the hand has turned, and by how much d1 and d2 fail to be a frame. */
function listen(edges: number): { period: number; frame: number; amplitude: number } {
  const world = worldOf(scene(edges, 'turn'));
  const crossings: number[] = [];
  let before = 0;
  let amplitude = 0;
  let frame = 0;
  for (let k = 1; k <= 800; k++) {
    world.step();
    if (k <= 200) continue;
    const { edgeDirector: d, edgeTangent: t } = world.samples[0];
    const o = 3 * (edges - 1);
    const angle = Math.atan2(d[o + 1], d[o]);
    amplitude = Math.max(amplitude, Math.abs(angle));
    if (before < 0 && angle >= 0) crossings.push(k - angle / (angle - before));
    before = angle;
    for (let i = 0; i < 3 * edges; i += 3)
      frame = Math.max(
        frame,
        Math.abs(d[i] * t[i] + d[i + 1] * t[i + 1] + d[i + 2] * t[i + 2]),
        Math.abs(Math.hypot(d[i], d[i + 1], d[i + 2]) - 1),
      );
  }
  const periods = crossings.length - 1;
  return { period: (0.01 * (crossings[periods] - crossings[0])) / periods, frame, amplitude };
}

export const lanterns: Case = defineCase({
  id: 'lanterns',
  title: 'Lanterns: a heavy tip, and twist that goes on by itself',
  source: 'figure 1 of Hadap 2006; torsional pendulum; pendulum',
  models: ['strand'],
  quick: [10, 20],
  full: [10, 20, 40],
  scene: () => scene(20, 'all'),
  measure(n) {
    const modes = worldOf(scene(n, 'none')).modes(6)[0];
    const twisting =
      modes.omega.find(
        (_, k) =>
          Math.max(...modes.shapes[k].edgeTwist.map(Math.abs)) > 0.99 &&
          Math.max(...modes.shapes[k].nodeDisplacement.map(Math.abs)) < 1e-3,
      ) ?? 0;
    const { period, frame, amplitude } = listen(n);
    return {
      'frequency of the twist': twisting,
      'period of the twist after a turn of the hand': period,
      'turned by it [rad]': amplitude,
      'frames that are none': frame,
    };
  },
  expect: {
    'frequency of the twist': { value: twistFrequency(), tolerance: (n) => 1.5 / n ** 2, order: 1.8 },
    'period of the twist after a turn of the hand': {
      value: (2 * Math.PI) / twistFrequency(),
      tolerance: 0.012,
    },
    'turned by it [rad]': { value: 0.27, scale: 1, tolerance: 0.05 },
    'frames that are none': { value: 0, tolerance: 1e-12 },
  },
});
