import type { World } from '@tendril-sim/core';
import { asin, atan2, cos, hypot, hypotOf, pow, square, tanh } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { twistingStiffness } from '../src/controls.ts';
import { linkingNumber } from '../src/linking.ts';

/** Figure 7 of the paper: a twisted rod whose ends approach buckles to a helix with modulated amplitude. */
const LENGTH = 9.29;
const BENDING = 1.345;
const TWISTING = 0.789;
const TURNS = 27;
const SHORTENING = 0.3;

/**
 * The homoclinic solution of van der Heijden and Thompson, with its length and its clamps. A moment M along the axis
 * makes 1 − cos φ = (1 − cos φ0) sech²(s/s*), with s* = 2α/M √((1 + cos φ0)/(1 − cos φ0)). The integral of 1 − cos φ is the
 * shortening, D = 4α sin φ0/M; the turns of the clamp are those of the twist, ML/β, and 2φ0 from the buckle.
 */
const theory = (() => {
  const moment = (deviation: number): number => (TWISTING * (2 * Math.PI * TURNS - 2 * deviation)) / LENGTH;
  let deviation = 0;
  for (let k = 0; k < 60; k++) deviation = asin((SHORTENING * moment(deviation)) / (4 * BENDING));
  const M = moment(deviation);
  const cosine = cos(deviation);
  return {
    deviation,
    moment: M,
    tension: (M * M) / (2 * BENDING * (1 + cosine)),
    width: ((2 * BENDING) / M) * Math.sqrt((1 + cosine) / (1 - cosine)),
  };
})();

/** Nodes of a straight rod whose second half has edges half as long. */
function refined(edges: number): [number, number, number][] {
  const coarse = Math.round(edges / 3);
  const fine = edges - coarse;
  return Array.from({ length: edges + 1 }, (_, i) => [
    i <= coarse ? (LENGTH / 2) * (i / coarse) : (LENGTH / 2) * (1 + (i - coarse) / fine),
    0,
    0,
  ]);
}

interface Variant {
  readonly name: string;
  readonly strain: 'rotation' | 'bergou2008';
  readonly halves: boolean;
}

const variants: readonly Variant[] = [
  { name: 'uniform', strain: 'rotation', halves: false },
  { name: 'one half refined', strain: 'rotation', halves: true },
  { name: 'bergou2008', strain: 'bergou2008', halves: false },
];

/** The scene's time is the distance by which the clamps have approached. */
function shortened(edges: number, { strain, halves }: Variant): SceneInput {
  return {
    tendril: 1,
    title: 'Localized buckling of a twisted rod',
    rods: [
      {
        id: 'rod',
        ...(halves
          ? { shape: { type: 'points', points: refined(edges) } }
          : { shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] }, edges }),
        frame: { d1: [0, 0, 1], twist: 2 * Math.PI * TURNS },
        natural: 'straight',
        section: { type: 'stiffness', EI1: BENDING, GJ: TWISTING, mass: 1, radius: 0.03 },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      {
        rod: 'rod',
        at: 'end',
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [-1, 0, 0] }] },
      },
      // The buckle could sit anywhere and at any angle about the axis. Its centre lies on an axis of symmetry, so this asks for
      // one of these places and exerts no force.
      {
        rod: 'rod',
        at: { u: 0.5 },
        hold: 'position',
        axes: ['x', 'z'],
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [-0.5, 0, 0] }] },
      },
    ],
    solver: { der: { strain } },
  };
}

/** In motion: the far clamp pulls, so that the rod stays straight while it is twisted, and then approaches. */
function moving(edges: number): SceneInput {
  return {
    tendril: 1,
    title: 'Localized buckling of a twisted rod',
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] },
        edges,
        // it gives a little: between two walls, an inextensible rod cannot even be pulled
        section: {
          type: 'stiffness',
          EA: 1e5,
          EI1: BENDING,
          GJ: TWISTING,
          mass: 1,
          radius: 0.03,
          damping: { mass: 1 },
        },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      {
        rod: 'rod',
        at: 'end',
        path: {
          interpolation: 'linear',
          keys: [
            { time: 0 },
            { time: 1, offset: [0.006, 0, 0] },
            { time: 3, twist: 2 * Math.PI * TURNS },
            { time: 23, offset: [-SHORTENING, 0, 0] },
          ],
        },
      },
    ],
    // a breath in the middle says where to buckle
    loads: [
      {
        type: 'distributed',
        rod: 'rod',
        force: [0, 1, 0],
        from: 0.49,
        to: 0.51,
        factor: { formula: 'clamp((23 - t)/3, 0, 1)' },
      },
    ],
    time: { duration: 25, step: 0.02 },
    output: { every: 0.25 },
  };
}

/** Deviation φ of every edge from the axis, and where on the rod its middle is. */
function deviations(world: World): { place: number[]; angle: number[] } {
  const { edgeTangent } = world.samples[0];
  const { nodeArc, edgeCount } = world.rods[0];
  const edges = Array.from({ length: edgeCount }, (_, j) => j);
  const place = edges.map((j) => (nodeArc[j] + nodeArc[j + 1]) / 2);
  const angle = edges.map((j) => atan2(hypot(edgeTangent[3 * j + 1], edgeTangent[3 * j + 2]), edgeTangent[3 * j]));
  return { place, angle };
}

/** Top of the parabola through the largest value and its neighbours. */
function peak(x: readonly number[], y: readonly number[]): number {
  const k = y.indexOf(Math.max(...y));
  const left = (y[k] - y[k - 1]) / (x[k] - x[k - 1]);
  const right = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
  const bend = (right - left) / (x[k + 1] - x[k - 1]);
  const slope = left + bend * (x[k] - x[k - 1]);
  return y[k] - (slope * slope) / (4 * bend);
}

const first = 0.001;
const increments = 12;

/** The rod between clamps that have approached, in equilibrium. */
function buckled(n: number, variant: Variant): World {
  const world = worldOf(shortened(n, variant));
  for (let k = 0; k <= increments; k++) equilibrium(world, first * pow(SHORTENING / first, k / increments));
  return world;
}

/** Envelope f = (cos φ − cos φ0)/(1 − cos φ0) of every edge, over s/s* from the middle; tanh²(s/s*) in theory. */
function envelope(world: World): { along: number[]; f: number[] } {
  const { place, angle } = deviations(world);
  const cosine = cos(theory.deviation);
  return {
    along: place.map((s) => (s - LENGTH / 2) / theory.width),
    f: angle.map((phi) => (cos(phi) - cosine) / (1 - cosine)),
  };
}

/** The paper's plots: the envelope under refinement, of a uniform rod and of one whose right half has edges half as long. */
function envelopes(): CaseFigure {
  const reach = 4;
  const along = Array.from({ length: 161 }, (_, k) => reach * (k / 80 - 1));
  const rods = [50, 100, 200].flatMap((n) => [
    [n, variants[0]] as const,
    ...(n === 100 ? [[n, variants[1]] as const] : []),
  ]);
  return {
    title: 'Localized buckling: envelope of the helix',
    subtitle: 'dots: edges of the rod; s is measured from its middle',
    x: along,
    xLabel: 's/s*',
    yLabel: 'f(φ) = (cos φ − cos φ0)/(1 − cos φ0)',
    lines: [
      { label: 'tanh²(s/s*)', y: along.map((s) => square(tanh(s))) },
      ...rods.map(([n, variant]) => {
        const found = envelope(buckled(n, variant));
        const shown = found.along.map((s) => Math.abs(s) <= reach);
        return {
          label: `${n} edges${variant.halves ? ', right half refined' : ''}`,
          x: found.along.filter((_, j) => shown[j]),
          y: found.f.filter((_, j) => shown[j]),
          dots: true,
        };
      }),
    ],
    points: [],
  };
}

export const localizedBuckling: Case = defineCase({
  id: 'localized-buckling',
  topics: ['theory'],
  title: 'Localized buckling of a twisted rod',
  claim:
    'A straight round rod is twisted by 27 turns between two clamps. When the clamps approach, it buckles in one place, to a helix whose amplitude fades to both sides. The largest angle φ0 between rod and axis, the envelope, the moment and the tension converge to those of the smooth rod, also when one half of the rod has edges half as long.',
  group: 'bergou2008',
  colorBy: 'twist',
  source: 'van der Heijden and Thompson 2000; figure 7 of Bergou 2008: φ0 = 0.919',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 7',
      claim:
        'The envelope of the buckled helix converges to the analytical solution under refinement, on a uniform rod and on one with a half refined; φ0 = 0.919 for 27 turns and a shortening of 0.3.',
      panels: {
        aspect: 4,
        look: { azimuth: 0, elevation: 8 },
        moments: [{ time: 25, caption: 'The inset of the paper’s figure: a helix with modulated amplitude.' }],
      },
      timed: { row: 'Fig. 7', scene: () => moving(74), from: 20 },
    },
  ],
  quick: [100, 200],
  full: [100, 200, 400],
  controls: [
    {
      path: ['pins', 1, 'path', 'keys', 2, 'twist'],
      label: 'Turn of the clamp',
      symbol: 'Θ',
      unit: 'rad',
      low: 0,
      high: 250,
    },
    {
      path: ['pins', 1, 'path', 'keys', 3, 'offset', 0],
      label: 'Ends brought together by',
      symbol: 'D',
      unit: 'm',
      low: 0,
      high: 1,
      factor: -1,
    },
    twistingStiffness({ low: 0.1, high: 4 }),
  ],
  scene: () => moving(200),
  figure: envelopes,
  measure(n) {
    const out: Record<string, number> = {};
    for (const variant of variants) {
      const world = buckled(n, variant);
      const { place, angle } = deviations(world);
      out[`deviation φ0, ${variant.name}`] = peak(place, angle);
      if (variant.strain !== 'rotation') continue;
      const { along, f } = envelope(world);
      out[`envelope, ${variant.name}`] = Math.max(...f.map((value, j) => Math.abs(value - square(tanh(along[j])))));
      const [, end, middle] = world.reactions();
      out[`moment, ${variant.name}`] = end.torque[0];
      out[`tension, ${variant.name}`] = end.force[0];
      out[`linking number, ${variant.name}`] = linkingNumber(world);
      if (!variant.halves) out['force of the middle pin'] = hypotOf(middle.force);
    }
    return out;
  },
  expect: {
    'deviation φ0, uniform': { value: theory.deviation, tolerance: (n) => 400 / (n * n), order: 1.8 },
    'envelope, uniform': { value: 0, tolerance: (n) => 800 / (n * n), order: 1.8 },
    'moment, uniform': { value: theory.moment, tolerance: (n) => 10 / (n * n), order: 1.8 },
    'tension, uniform': { value: theory.tension, tolerance: (n) => 400 / (n * n), order: 1.8 },
    'linking number, uniform': { value: TURNS, tolerance: 1e-6 },
    'force of the middle pin': { value: 0, tolerance: 1e-8 },
    'deviation φ0, one half refined': { value: theory.deviation, tolerance: (n) => 200 / (n * n), order: 1.6 },
    'envelope, one half refined': { value: 0, tolerance: (n) => 1400 / (n * n), order: 1.6 },
    'moment, one half refined': { value: theory.moment, tolerance: (n) => 20 / (n * n), order: 1.8 },
    'tension, one half refined': { value: theory.tension, tolerance: (n) => 400 / (n * n), order: 1.8 },
    'linking number, one half refined': { value: TURNS, tolerance: 1e-6 },
    'deviation φ0, bergou2008': { value: theory.deviation, tolerance: (n) => 3000 / (n * n), order: 1.5 },
  },
});
