import { log } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { linkingNumber, twistBetween } from '../src/linking.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const R = 0.0015;
const L = 0.4;
const TURNS = 6;

/** A clamped rod whose end comes nearer while it is turned about its axis. */
function scene(edges: number, duration: number): SceneInput {
  return {
    tendril: 1,
    title: 'A rod under growing twist winds up on itself',
    gravity: [0, 0, -0.2],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [L, 0, 0] },
        edges,
        section: { type: 'circle', radius: R },
        material: { E: '5 MPa', nu: 0.45, density: 1000, damping: { mass: 20, stiffness: '0.2 ms' } },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      {
        rod: 'rod',
        at: 'end',
        path: {
          interpolation: 'linear',
          keys: [{ time: 0 }, { time: duration, offset: ['-12 cm', 0, 0], twist: `${TURNS} turns` }],
        },
      },
    ],
    contact: { friction: 0.1 },
    time: { duration, step: 1 / 240 },
    output: { every: 0.02 },
  };
}

interface Hanging {
  /** Of the rod, and between its ends [m]. */
  readonly length: number;
  readonly width: number;
  readonly edges: number;
  /** [1/s] */
  readonly drag: number;
  readonly turns: number;
  /** Where the rod has bumps out of its plane, from 0 to 1. */
  readonly bumps: readonly number[];
}

/** Depth of a parabola of this length between ends that are `width` apart. */
function sagOf(length: number, width: number): number {
  let [low, high] = [0, length];
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    const slope = (4 * middle) / width;
    const root = Math.sqrt(1 + slope * slope);
    if (0.5 * width * (root + log(slope + root) / slope) > length) high = middle;
    else low = middle;
  }
  return low;
}

/** The paper's scene: a rod that sags as a parabola, both ends of which are turned within 0.2 s. */
function hanging({ length, width, edges, drag, turns, bumps }: Hanging): SceneInput {
  const r = 0.002;
  const bump = bumps.map((at, k) => `${(k % 2 === 0 ? 6 : -6) * r}*exp(-((u - ${at})/0.03)^2)`).join(' + ');
  return {
    tendril: 1,
    title: 'Plectonemes on a hanging rod',
    gravity: [0, 0, -5],
    rods: [
      {
        id: 'rod',
        shape: {
          type: 'formula',
          x: `${width}*(u - 0.5)`,
          y: bump,
          z: `-${sagOf(length, width)}*(1 - (2*u - 1)^2)`,
        },
        natural: 'straight',
        edges,
        section: { type: 'circle', radius: r },
        material: { E: '1 MPa', nu: 0.45, density: 1000, damping: { mass: drag, stiffness: '0.2 ms' } },
      },
    ],
    pins: (
      [
        ['start', -0.5],
        ['end', 0.5],
      ] as const
    ).map(([at, part]) => ({
      rod: 'rod',
      at,
      path: { interpolation: 'linear' as const, keys: [{ time: 0 }, { time: 0.2, twist: `${part * turns} turns` }] },
    })),
    contact: { friction: 0 },
    time: { duration: 1, step: 1 / 240 },
    output: { every: 0.02 },
  };
}

export const plectoneme: Case = defineCase({
  id: 'plectoneme',
  topics: ['knots', 'contact'],
  title: 'Plectonemes under growing twist',
  claim:
    'A clamped rod whose end is turned buckles, forms a loop, and winds up on itself, without ever passing through itself at steps of 1/240 s.',
  group: 'bergou2008',
  colorBy: 'twist',
  source:
    'Bergou et al. 2008, Fig. 9; Călugăreanu: linking number = twist + writhe, unless strands pass through each other',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 9',
      claim: 'The ends of a hanging rod are twisted: it writhes out of its plane, and a plectoneme forms.',
      remark: 'The pictures have the paper’s hanging rod, the comparisons a shorter rod whose ends also come together.',
      panels: {
        scene: () => hanging({ length: 0.8, width: 0.5, edges: 200, drag: 20, turns: 26, bumps: [0.3, 0.5, 0.7] }),
        look: { azimuth: 0, elevation: 8, floor: false },
        moments: [
          { time: 0, caption: 'Laid as a parabola, without twist.' },
          { time: 0.28, caption: 'The helix along the rod has closed at the lowest point.' },
          { time: 1, caption: 'The plectoneme has drawn the rod in until it hangs almost straight.' },
        ],
      },
      timed: { row: 'Fig. 9', scene: () => scene(274, 2), from: 1.5 },
    },
    {
      paper: 'bergou2008',
      figure: 'Fig. 9',
      claim: 'Depending on drag and gravity, one or several plectonemes form; at long times they merge.',
      quantities: ['linking number', 'penetration'],
      missing:
        'Two plectonemes form where the rod has imperfections, and merge at their feet soon after. The merged one keeps two arms: neither took up the other in 3 s. Pairs that form further apart stay apart (see the notes on large cases).',
      panels: {
        scene: () => hanging({ length: 0.6, width: 0.38, edges: 160, drag: 6, turns: 20, bumps: [0.33, 0.67] }),
        look: { azimuth: 0, elevation: 8, floor: false },
        moments: [
          { time: 0.2, caption: 'A helix with two crests that are about to close.' },
          { time: 0.25, caption: 'Two plectonemes.' },
          { time: 0.6, caption: 'They have merged at their feet.' },
        ],
      },
    },
  ],
  quick: [80],
  full: [80, 160],
  controls: [
    {
      path: ['pins', 1, 'path', 'keys', 1, 'twist'],
      label: 'Turn of the clamp',
      symbol: 'Θ',
      unit: 'rad',
      low: 0,
      high: 60,
    },
    {
      path: ['pins', 1, 'path', 'keys', 1, 'offset', 0],
      label: 'Ends brought together by',
      symbol: 'D',
      unit: 'm',
      low: 0.02,
      high: 0.25,
      factor: -1,
    },
    { path: ['contact', 'friction'], label: 'Friction', symbol: 'µ', low: 0, high: 0.5 },
  ],
  scene: () => scene(80, 2),
  measure(n) {
    const duration = 2;
    const world = worldOf(scene(n, duration));
    const steps = 240 * duration;
    let error = 0;
    const meter = createOverlapMeter(world);
    for (let k = 1; k <= steps; k++) {
      world.step();
      meter.look();
      if (k % 12 > 0) continue;
      error = Math.max(error, Math.abs(linkingNumber(world) - (TURNS * k) / steps));
    }
    const writhe = linkingNumber(world) - twistBetween(world, 0, n) / (2 * Math.PI);
    return {
      'linking number: largest error': error,
      'writhe at the end': writhe,
      'penetration / radius': meter.deepest,
    };
  },
  expect: {
    'linking number: largest error': { value: 0, tolerance: 1e-3, scale: 1 },
    // without contact the rod passes through itself and is left with less than 2
    'writhe at the end': { value: 2.6, tolerance: 0.1 },
    'penetration / radius': { value: 0, tolerance: 0.05, scale: 1 },
  },
});
