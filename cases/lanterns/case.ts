import type { ModelId } from '@tendril-sim/core';
import { atan2, cos, hypot, sin, tan } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, onModel, worldOf } from '../src/case.ts';

const L = 0.5;
const GJ = 2e-4;
const GRAVITY = 9.81;
/** The lantern: the last tenth of the strand is heavy and wide. */
const SHARE = 0.1;
const LANTERN = { mass: 4, inertia: 2e-3 };
const CORD = { mass: 0.01, inertia: 1e-9 };
/** How the hand turns [rad], every so often [s]. */
const TWIST = [0, 1, -1, 0.8, 0];
const BEAT = 0.5;

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
              { time: 0, offset: [0, 0, 0], twist: TWIST[0] },
              { time: BEAT, offset: [0.1 * sway, 0.05 * sway, 0.05 * sway], twist: TWIST[1] },
              { time: 2 * BEAT, offset: [-0.1 * sway, 0, 0], twist: TWIST[2] },
              { time: 3 * BEAT, offset: [0.1 * sway, -0.05 * sway, 0.05 * sway], twist: TWIST[3] },
              { time: 4 * BEAT, offset: [0, 0, 0], twist: TWIST[4] },
            ],
          },
        }),
      },
    ],
    time: { duration: 8, step: 0.01 },
    output: { every: 0.04, probes: [{ name: 'lantern', rod: 'lantern', at: 'end', quantity: 'd1' }] },
  };
}

/** A shaft without inertia of its own that turns a uniform heavy end: β tan(βℓ) = 1/a, one root for each `mode`. */
function wavenumber(mode: number): number {
  const heavy = SHARE * L;
  const shaft = L - heavy;
  let low = (mode * Math.PI) / heavy;
  let high = low + Math.PI / 2 / heavy;
  for (let k = 0; k < 200; k++) {
    const beta = 0.5 * (low + high);
    if (beta * tan(beta * heavy) < 1 / shaft) low = beta;
    else high = beta;
  }
  return low;
}

/** ω = β √(GJ/I) */
const frequency = (mode: number): number => wavenumber(mode) * Math.sqrt(GJ / LANTERN.inertia);
const twistFrequency = (): number => frequency(0);

/** Second derivatives at the keys of the spline through TWIST that starts and ends at rest. */
function bends(): number[] {
  const last = TWIST.length - 1;
  const m = TWIST.map(() => 0);
  const chord = (i: number): number => (TWIST[i + 1] - TWIST[i]) / BEAT;
  for (let sweep = 0; sweep < 60; sweep++) {
    m[0] = 0.5 * ((6 / BEAT) * chord(0) - m[1]);
    for (let i = 1; i < last; i++) m[i] = 0.25 * ((6 / BEAT) * (chord(i) - chord(i - 1)) - m[i - 1] - m[i + 1]);
    m[last] = 0.5 * ((-6 / BEAT) * chord(last - 1) - m[last - 1]);
  }
  return m;
}

/** How far the end turns after the hand has stopped: three modes, each driven by the hand's acceleration. */
function turnedBy(): number {
  const heavy = SHARE * L;
  const m = bends();
  const parts = [0, 1, 2].map((mode) => {
    const omega = frequency(mode);
    const angle = wavenumber(mode) * heavy;
    // ∫φ/∫φ² of φ = cos β(ℓ − x)
    const share = sin(angle) / angle / (0.5 + sin(2 * angle) / (4 * angle));
    let [c, s] = [0, 0];
    const points = 4000;
    for (let k = 0; k < points; k++) {
      const t = ((TWIST.length - 1) * BEAT * (k + 0.5)) / points;
      const i = Math.floor(t / BEAT);
      const force = -(m[i] + (m[i + 1] - m[i]) * (t / BEAT - i)) * (((TWIST.length - 1) * BEAT) / points);
      c += cos(omega * t) * force;
      s += sin(omega * t) * force;
    }
    return (t: number): number => (share * (sin(omega * t) * c - cos(omega * t) * s)) / omega;
  });
  let most = 0;
  for (let k = 201; k <= 800; k++)
    most = Math.max(most, Math.abs(parts.reduce((sum, part) => sum + part(0.01 * k), 0)));
  return most;
}

/** Period of the lantern's turn about the vertical after the hand has turned, and by how much d1 and d2 fail to be a frame. */
function listen(edges: number, model: ModelId): { period: number; frame: number; amplitude: number } {
  const world = worldOf(onModel(scene(edges, 'turn'), model));
  const crossings: number[] = [];
  let before = 0;
  let amplitude = 0;
  let frame = 0;
  for (let k = 1; k <= 800; k++) {
    world.step();
    if (k <= 200) continue;
    const { edgeDirector: d, edgeTangent: t } = world.samples[0];
    const o = 3 * (edges - 1);
    const angle = atan2(d[o + 1], d[o]);
    amplitude = Math.max(amplitude, Math.abs(angle));
    if (before < 0 && angle >= 0) crossings.push(k - angle / (angle - before));
    before = angle;
    for (let i = 0; i < 3 * edges; i += 3)
      frame = Math.max(
        frame,
        Math.abs(d[i] * t[i] + d[i + 1] * t[i + 1] + d[i + 2] * t[i + 2]),
        Math.abs(hypot(d[i], d[i + 1], d[i + 2]) - 1),
      );
  }
  const periods = crossings.length - 1;
  return { period: (0.01 * (crossings[periods] - crossings[0])) / periods, frame, amplitude };
}

export const lanterns: Case = defineCase({
  id: 'lanterns',
  title: 'Lanterns: a heavy tip, and twist that goes on by itself',
  group: 'hadap2006',
  colorBy: 'twist',
  source: 'figure 1 of Hadap 2006; torsional pendulum; pendulum',
  models: ['strand', 'der'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 1',
      claim: 'Coordinate frames along the strand are stable and consistent, and a heavy tip twists by itself.',
    },
  ],
  quick: [10, 20],
  full: [10, 20, 40],
  scene: () => scene(20, 'all'),
  measure(n, model) {
    const modes = worldOf(onModel(scene(n, 'none'), model)).modes(6)[0];
    const twisting =
      modes.omega.find(
        (_, k) =>
          Math.max(...modes.shapes[k].edgeTwist.map(Math.abs)) > 0.99 &&
          Math.max(...modes.shapes[k].nodeDisplacement.map(Math.abs)) < 1e-3,
      ) ?? 0;
    const { period, frame, amplitude } = listen(n, model);
    return {
      'frequency of the twist': twisting,
      'period of the twist after a turn of the hand': period,
      'turned by it [rad]': amplitude,
      'largest deviation of a frame from orthonormal': frame,
    };
  },
  expect: {
    'frequency of the twist': { value: twistFrequency(), tolerance: (n) => 1.5 / (n * n), order: 1.8 },
    'period of the twist after a turn of the hand': {
      value: (2 * Math.PI) / twistFrequency(),
      tolerance: 0.012,
    },
    // six times as far off as the frequency, and the heavy end is n/10 edges
    'turned by it [rad]': { value: turnedBy(), scale: 1, tolerance: (n) => 0.25 / n },
    'largest deviation of a frame from orthonormal': { value: 0, tolerance: 1e-12 },
  },
});
