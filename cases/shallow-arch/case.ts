import { sin, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { walkBranch } from '../src/branches.ts';
import { type Case, type CaseFigure, defineCase, nodeAt, worldOf } from '../src/case.ts';
import { bendingStiffness } from '../src/controls.ts';

const PI4 = square(square(Math.PI));

/** Rise of the arch; its span and EI are 1. */
const RISE = 0.005;

/** Terms of higher order that the theory leaves out, relative to the load. */
const FLOOR = 3 * square(Math.PI * RISE);

/** EA a²/EI of an arch that snaps through as it is, and of one that sways to a side first. */
const arches = { low: 9, high: 36 } as const;
type Arch = keyof typeof arches;

/**
 * Arch y = a sin πx between hinges under q sin πx, of height b then: q = π⁴(a − b + EA b (a² − b²)/4). The load turns back where dq/db = 0. It sways where the
 * thrust EA π²(a² − b²)/4 is 4π².
 */
const stiffness = (arch: Arch): number => arches[arch] / square(RISE);
const load = (arch: Arch, b: number): number =>
  PI4 * (RISE - b + (stiffness(arch) * b * (square(RISE) - square(b))) / 4);
const heightAtFold = (arch: Arch): number => Math.sqrt((square(RISE) - 4 / stiffness(arch)) / 3);
const snap = (arch: Arch): number => load(arch, heightAtFold(arch));
const snapBack = (arch: Arch): number => load(arch, -heightAtFold(arch));
const sway = (arch: Arch): number => load(arch, Math.sqrt(square(RISE) - 16 / stiffness(arch)));

function scene(edges: number, rise: number, EA: number): SceneInput {
  const points = Array.from({ length: edges + 1 }, (_, k): [number, number, number] => [
    k / edges,
    0,
    rise * sin((Math.PI * k) / edges),
  ]);
  return {
    tendril: 1,
    title: 'A shallow arch between hinges',
    rods: [
      {
        id: 'arch',
        shape: { type: 'points', points },
        // wide, so that it stays in its plane
        frame: { d1: [0, 1, 0] },
        section: { type: 'stiffness', EI1: 1, EI2: 1000, GJ: 100, EA, mass: 1, radius: 5e-3, damping: { mass: 4 } },
      },
    ],
    pins: (['start', 'end'] as const).map((at) => ({ rod: 'arch', at, hold: 'hinge' as const, axis: [0, 1, 0] })),
  };
}

interface Point {
  readonly kind: string;
  readonly load: number;
  readonly height: number;
  readonly stable: boolean;
}

/** Times are not negative, loads are: the load is zero at this time. */
const ORIGIN = 2;

/** The branch under a load that is spread like the arch, in theory's units, through both folds. */
function follow(edges: number, arch: Arch): Point[] {
  const loads = Array.from({ length: edges - 1 }, (_, k) => ({
    type: 'force' as const,
    rod: 'arch',
    at: { node: k + 1 },
    force: [0, 0, -sin((Math.PI * (k + 1)) / edges) / edges] as [number, number, number],
    factor: { formula: `t - ${ORIGIN}` },
  }));
  const world = worldOf({
    ...scene(edges, RISE, stiffness(arch)),
    loads,
    statics: {
      from: ORIGIN + Math.min(0, 1.3 * snapBack(arch)),
      to: ORIGIN + 2 * snap(arch),
      follow: 'branch',
      stride: 0.02,
    },
  });
  const points: Point[] = [];
  walkBranch(world, {
    look({ kind, parameter, negativeModes }) {
      const [, , height] = nodeAt(world, 0, edges / 2);
      points.push({ kind, load: parameter - ORIGIN, height, stable: negativeModes === 0 });
      return undefined;
    },
  });
  return points;
}

function diagram(): CaseFigure {
  const x = Array.from({ length: 101 }, (_, k) => 1 - (2.2 * k) / 100);
  return {
    title: 'A shallow arch snaps through',
    subtitle: 'dots: equilibria of 40 edges; circles: unstable ones',
    x,
    xLabel: 'height of the middle b/a',
    yLabel: 'load q/(π⁴ EI a/L⁴)',
    lines: (['low', 'high'] as const).map((arch) => ({
      label: `EA a²/EI = ${arches[arch]}`,
      y: x.map((b) => load(arch, b * RISE) / (PI4 * RISE)),
    })),
    points: (['low', 'high'] as const).flatMap((arch) =>
      follow(40, arch)
        .filter(({ height }) => height > -1.2 * RISE && height < RISE)
        .map((one) => ({ x: one.height / RISE, y: one.load / (PI4 * RISE), filled: one.stable })),
    ),
  };
}

/** Rise and stiffness of the arch that one sees. */
const SEEN = { rise: 0.12, EA: 3000 };

export const shallowArch: Case = defineCase({
  id: 'shallow-arch',
  topics: ['theory'],
  finish: 'steel',
  title: 'A shallow arch snaps through',
  claim:
    'An arch between two hinges carries a load that grows until it snaps through, at a fold of its branch of equilibria, and snaps back at another one. A higher arch sways to a side before it reaches the fold. Both loads agree with the theory of shallow arches.',
  group: 'classics',
  source: 'theory of shallow arches with one half-wave; derivation on the page',
  models: ['der'],
  quick: [20, 40],
  full: [20, 40, 80],
  controls: [
    {
      path: ['loads', 0, 'force', 2],
      label: 'Load at the end of the run',
      symbol: 'q',
      unit: 'N/m',
      low: 0,
      high: 100,
      factor: -1,
      // a uniform load has a part π/4 as large as it that is spread like the arch
      threshold: (at) => {
        const { EI1: EI = Number.NaN } = at.rods[0].section as { readonly EI1?: number };
        const b = Math.sqrt(square(SEEN.rise) - (16 * EI) / SEEN.EA);
        const thrust = PI4 * EI * (SEEN.rise + 3 * b) * (Math.PI / 4);
        return { at: thrust, what: `a shallow arch would sway at ${thrust.toFixed(1)} N/m` };
      },
    },
    bendingStiffness({ low: 0.5, high: 2.5 }),
    { path: ['rods', 0, 'section', 'damping', 'mass'], label: 'Damping', symbol: 'c', unit: '1/s', low: 0, high: 20 },
  ],
  scene: () => ({
    ...scene(60, SEEN.rise, SEEN.EA),
    loads: [{ type: 'distributed', rod: 'arch', force: [0, 0, -45], factor: { formula: 't/4' } }],
    statics: { from: 0, to: 4, follow: 'branch', switches: 1 },
    time: { duration: 4, step: 0.002 },
    output: { every: 0.02 },
  }),
  measure(n) {
    const out: Record<string, number | [number, number][]> = {};
    for (const arch of ['low', 'high'] as const) {
      const points = follow(n, arch);
      const folds = points.filter(({ kind }) => kind === 'fold');
      out[`${arch} arch, load at the fold`] = folds[0].load;
      out[`${arch} arch, load where it snaps back`] = Math.min(...folds.map((one) => one.load));
      if (arch === 'high') {
        const bifurcation = points.find(({ kind }) => kind === 'bifurcation');
        out['high arch, load at which it sways'] = bifurcation?.load ?? Number.NaN;
        continue;
      }
      out['low arch, last stable height before the fold over that of the fold'] =
        Math.min(...points.filter(({ stable, height }) => stable && height > 0).map(({ height }) => height)) /
        heightAtFold(arch);
      out['low arch, load over height'] = points.map((one) => [one.height / RISE, one.load]);
    }
    return out;
  },
  figure: diagram,
  expect: {
    ...Object.fromEntries(
      (['low', 'high'] as const).flatMap((arch) => [
        [
          `${arch} arch, load at the fold`,
          { value: snap(arch), tolerance: (n: number) => 3 / (n * n), order: 1.8, floor: FLOOR },
        ],
        [
          `${arch} arch, load where it snaps back`,
          { value: snapBack(arch), tolerance: (n: number) => 10 / (n * n), order: 1.8, floor: FLOOR },
        ],
      ]),
    ),
    'high arch, load at which it sways': {
      value: sway('high'),
      tolerance: (n) => 5 / (n * n),
      order: 1.8,
      floor: FLOOR,
    },
    // points are not at the fold but around it
    'low arch, last stable height before the fold over that of the fold': { value: 1, tolerance: 0.1 },
    'low arch, load over height': {
      curve: (height) => load('low', height * RISE),
      within: (n) => 6 / (n * n),
      scale: snap('low'),
    },
  },
});
