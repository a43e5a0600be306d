import type { World } from '@tendril-sim/core';
import { log, pow, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { linkingNumber, twistBetween } from '../src/linking.ts';

/**
 * Figure 2 of the paper: a ribbon that would like to coil is held straight, and its ends approach without turning. Lengths
 * in units of the natural radius; EI2 bends the ribbon the easy way, in which it is curved.
 */
const EI1 = 4;
const EI2 = 1;
const GJ = 0.8;
const CURVATURE = 1;
const COILS = 8;
const lengthOf = (coils: number): number => (2 * Math.PI * coils) / CURVATURE;

/**
 * The straight ribbon under tension T, tilted by b the stiff way and turned by θ: the energy EI1 b'² − 2 EI2 κ θ b' + GJ θ'² + T b²
 * is lost for b = sin(2πs/L), θ' = −(EI2 κ/GJ) b first.
 */
const criticalTension = square(EI2 * CURVATURE) / GJ - EI1 * square((2 * Math.PI) / lengthOf(COILS));

/** Ends brought together by a part of the length: shooting on the Kirchhoff equations (16 pieces, RK4). */
const perverted = [
  { shortening: 0.3, tension: 0.6459305953, twist: 13.37759249, energy: 11.919838295 },
  { shortening: 0.6, tension: 0.3645333166, twist: 9.816864034, energy: 4.472877677 },
];

/**
 * Far from its ends and from the perversion each half is a helix. Without a moment about the axis, and with z = rise/length,
 * it has κ = EI2 κ₀ (1 − z²)/D, τ = EI2 κ₀ z√(1 − z²)/D, D = EI2 (1 − z²) + GJ z², T = GJ (EI2 κ₀)² z/D².
 */
function helixUnder(tension: number): { curvature: number; torsion: number } {
  const spread = (z: number): number => EI2 * (1 - z * z) + GJ * (z * z);
  let [low, high] = [0, 1];
  for (let k = 0; k < 60; k++) {
    const z = (low + high) / 2;
    if ((GJ * square(EI2 * CURVATURE) * z) / square(spread(z)) < tension) low = z;
    else high = z;
  }
  const scale = (EI2 * CURVATURE) / spread(low);
  return { curvature: scale * (1 - low * low), torsion: scale * low * Math.sqrt(1 - low * low) };
}

interface Drive {
  /** Force on the far end, which may then move along; otherwise it is brought near. */
  readonly load?: number;
  /** Turns of the far end, in proportion to its way. */
  readonly turns?: number;
}

/** Held straight at the start. Without a load the scene's time is the shortening as a part of the length. */
function ribbon(edges: number, coils: number, { load, turns = 0 }: Drive = {}): SceneInput {
  const length = lengthOf(coils);
  const arrived = { time: 1, offset: [-length, 0, 0], twist: 2 * Math.PI * turns } as const;
  return {
    tendril: 1,
    title: 'Helical perversion',
    rods: [
      {
        id: 'ribbon',
        shape: { type: 'straight', from: [0, 0, 0], to: [length, 0, 0] },
        edges,
        frame: { d1: [0, 0, 1] },
        natural: { curvature: [0, CURVATURE, 0] },
        section: { type: 'stiffness', EI1, EI2, GJ, mass: 1, radius: 0.1 },
      },
    ],
    pins: [
      { rod: 'ribbon', at: 'start' },
      load === undefined
        ? { rod: 'ribbon', at: 'end', path: { interpolation: 'linear', keys: [{ time: 0 }, arrived] } }
        : { rod: 'ribbon', at: 'end', axes: ['y', 'z'] },
    ],
    ...(load === undefined
      ? {}
      : {
          loads: [{ type: 'force', rod: 'ribbon', at: 'end', force: [load, 0, 0] }],
          statics: { stability: 'report' },
        }),
  };
}

/** Of the natural coils of the moving scene: a little more than the ribbon is thick, as in a Slinky. */
const PITCH = 0.4;

/** In motion, beside the natural shape: all of it coils one way. */
function moving(edges: number): SceneInput {
  const length = lengthOf(COILS);
  const natural = {
    type: 'helix',
    axis: [1, 0, 0],
    center: [0.2 * length, 0, 5],
    start: [0, 0, 1],
    radius: 1 / CURVATURE,
    pitch: PITCH,
    turns: COILS,
  } as const;
  const slope = (PITCH * CURVATURE) / (2 * Math.PI);
  const stretch = 1 + slope * slope;
  const section = {
    type: 'stiffness',
    EA: 1e4,
    EI1,
    EI2,
    GJ,
    mass: 1e-4,
    radius: 0.12,
    damping: { mass: 20 },
  } as const;
  const strained = 2e-4 * length;
  return {
    tendril: 1,
    title: 'Helical perversion: natural shape, and after it was straightened',
    rods: [
      {
        id: 'perverted',
        shape: { type: 'straight', from: [0, 0, 0], to: [length, 0, 0] },
        edges,
        frame: { d1: [0, 0, 1] },
        natural: { curvature: [0, CURVATURE / stretch, (slope * CURVATURE) / stretch] },
        section,
      },
      { id: 'natural', shape: natural, edges, frame: { follow: 'curve' }, section },
    ],
    pins: [
      { rod: 'perverted', at: 'start' },
      {
        rod: 'perverted',
        at: 'end',
        path: {
          interpolation: 'linear',
          keys: [{ time: 0 }, { time: 1, offset: [strained, 0, 0] }, { time: 20, offset: [-0.6 * length, 0, 0] }],
        },
      },
    ],
    // a breath, or it would stay straight
    loads: [
      {
        type: 'distributed',
        rod: 'perverted',
        force: [0, 1e-3, 0],
        factor: { formula: 'clamp(5 - t, 0, 1)' },
      },
    ],
    time: { duration: 22, step: 0.02 },
    output: { every: 0.2 },
  };
}

/** Load at which the straight ribbon becomes unstable, by bisection on the verdict. */
function findCriticalTension(edges: number): number {
  let low = 0.8 * criticalTension;
  let high = 1.2 * criticalTension;
  while (high - low > 1e-7) {
    const load = (low + high) / 2;
    const [report] = equilibrium(worldOf(ribbon(edges, COILS, { load })));
    if (report.stable) high = load;
    else low = load;
  }
  return (low + high) / 2;
}

/** Brings the ends together; small steps first, since the straight ribbon is where branches meet. */
function shorten(world: World, to: number): void {
  const from = Math.max(world.time, 1e-3);
  const steps = Math.max(1, Math.ceil(log(to / from) / 0.2));
  for (let k = world.time > 0 ? 1 : 0; k <= steps; k++) equilibrium(world, from * pow(to / from, k / steps));
}

/** Twist is torsion where the section follows the coils: how often its hand changes, small twists aside. */
function countPerversions(world: World): number {
  const twist = world.channel(0, 'twist');
  const largest = twist.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const hands = Array.from(twist.filter((x) => Math.abs(x) > 0.2 * largest)).map(Math.sign);
  return hands.filter((hand, i) => i > 0 && hand !== hands[i - 1]).length;
}

/** Triple products of neighbouring edges, summed over the edges [from, to): positive for a right-handed helix. */
function handedness(world: World, from: number, to: number): number {
  const { edgeTangent: t } = world.samples[0];
  let sum = 0;
  for (let j = from + 1; j < to - 1; j++) {
    const [a, b, c] = [3 * j - 3, 3 * j, 3 * j + 3];
    sum +=
      t[a] * (t[b + 1] * t[c + 2] - t[b + 2] * t[c + 1]) +
      t[a + 1] * (t[b + 2] * t[c] - t[b] * t[c + 2]) +
      t[a + 2] * (t[b] * t[c + 1] - t[b + 1] * t[c]);
  }
  return sum;
}

export const helicalPerversion: Case = defineCase({
  id: 'helical-perversion',
  topics: ['theory', 'art'],
  title: 'Helical perversion of a coiling ribbon',
  claim:
    'A ribbon with natural curvature is held straight. When its ends approach without turning, it cannot coil one way: it forms two helices of opposite hand, with one perversion between them.',
  group: 'bergou2008',
  colorBy: 'twist',
  source: 'figure 2 of Bergou 2008; Goriely and Tabor 1998; linear stability, and Kirchhoff rods by shooting',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 2',
      claim:
        'A coiled ribbon that is pulled straight and let back has coils of opposite hands on its two sides, joined by a perversion.',
      panels: {
        aspect: 3.2,
        columns: 1,
        look: { azimuth: 0, elevation: 12 },
        moments: [
          { time: 0, caption: 'The natural shape, a coil (blue), and the same ribbon pulled straight (red).' },
          { time: 12, caption: 'Its ends come together.' },
          { time: 22, caption: 'A perversion in the middle joins coils of opposite hands.' },
        ],
      },
    },
  ],
  quick: [80, 160],
  full: [80, 160, 320],
  controls: [
    {
      path: ['pins', 1, 'path', 'keys', 2, 'offset', 0],
      label: 'Ends brought together by',
      symbol: 'D',
      unit: 'm',
      low: 0,
      high: 40,
      factor: -1,
    },
    {
      path: ['rods', 0, 'natural', 'curvature', 1],
      label: 'Natural curvature',
      symbol: 'κ',
      unit: '1/m',
      low: 0,
      high: 2,
    },
    { path: ['rods', 0, 'section', 'GJ'], label: 'Twisting stiffness', symbol: 'GJ', unit: 'N·m²', low: 0.2, high: 4 },
  ],
  scene: () => moving(160),
  measure(n) {
    const out: Record<string, number> = { 'critical tension': findCriticalTension(n) };
    const world = worldOf(ribbon(n, COILS));
    for (const { shortening } of perverted) {
      shorten(world, shortening);
      const after = `, shortened by ${shortening}`;
      out[`tension${after}`] = world.reactions()[1].force[0];
      out[`twist of a half${after}`] = Math.abs(twistBetween(world, 0, n / 2));
      out[`energy${after}`] = world.energies().total;
      out[`twist of both halves${after}`] = twistBetween(world, 0, n);
      out[`hand of one half / of the other${after}`] = handedness(world, 0, n / 2) / handedness(world, n / 2, n);
      out[`perversions${after}`] = countPerversions(world);
    }
    const turned = worldOf(ribbon(n, COILS, { turns: 1 / 0.6 }));
    shorten(turned, 0.6);
    out['end turned once, linking number'] = linkingNumber(turned);
    out['end turned once, perversions'] = countPerversions(turned);
    const long = worldOf(ribbon(2 * n, 2 * COILS));
    shorten(long, 0.4);
    const tension = long.reactions()[1].force[0];
    const helix = helixUnder(tension);
    out['16 coils, curvature / that of the helix'] = long.channel(0, 'curvature')[n / 2] / helix.curvature;
    out['16 coils, torsion / that of the helix'] = Math.abs(long.channel(0, 'twist')[n / 2]) / helix.torsion;
    return out;
  },
  expect: {
    'critical tension': { value: criticalTension, tolerance: (n) => 12 / (n * n), order: 1.8 },
    ...Object.fromEntries(
      perverted.flatMap(({ shortening, tension, twist, energy }) => {
        const after = `, shortened by ${shortening}`;
        return [
          [`tension${after}`, { value: tension, tolerance: (n: number) => 20 / (n * n), order: 1.7 }],
          [`twist of a half${after}`, { value: twist, tolerance: (n: number) => 150 / (n * n), order: 1.8 }],
          [`energy${after}`, { value: energy, tolerance: (n: number) => 20 / (n * n), order: 1.7 }],
          [`twist of both halves${after}`, { value: 0, tolerance: 1e-6 }],
          [`hand of one half / of the other${after}`, { value: -1, tolerance: 1e-6 }],
          [`perversions${after}`, { value: 1, tolerance: 0 }],
        ];
      }),
    ),
    'end turned once, linking number': { value: 1, tolerance: 1e-6 },
    'end turned once, perversions': { value: 1, tolerance: 0 },
    '16 coils, curvature / that of the helix': { value: 1, tolerance: (n) => 40 / (n * n), order: 1.6, floor: 5e-4 },
    '16 coils, torsion / that of the helix': { value: 1, tolerance: (n) => 150 / (n * n), order: 1.6, floor: 5e-4 },
  },
});
