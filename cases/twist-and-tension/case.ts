import type { World } from '@tendril-sim/core';
import { acos, cos, sin, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { goToBifurcation, walkBranch } from '../src/branches.ts';
import { type Case, type CaseFigure, defineCase, worldOf } from '../src/case.ts';
import { massDamping, twistingStiffness } from '../src/controls.ts';
import { findRoot } from '../src/elliptic.ts';

/** Length and bending stiffness are 1. */
const TWISTING = 0.75;
/** Distances by which the ends have approached. */
const shortenings = [0.12, 0.15];
/** What clamps at a finite distance do to the localized buckle of an infinite rod, relative. */
const FLOOR = 5e-4;
/** The same in the scene that one sees. */
const SEEN = 0.3;
/** Tension of the rod whose end may move. */
const TENSION = 400;

const turning = (share: number) => ({
  interpolation: 'linear' as const,
  keys: [{ time: 0 }, { time: 100, twist: 100 * share }],
});

const section = { type: 'stiffness' as const, EI1: 1, GJ: TWISTING, mass: 1, radius: 5e-3 };

/** An arch of n edges whose ends are `shortening` closer than its length; its first and its last edge lie on the axis. */
function arch(edges: number, shortening: number): [number, number, number][] {
  const angles = (most: number): number[] =>
    Array.from({ length: edges }, (_, j) => most * sin((2 * Math.PI * j) / (edges - 1)));
  const span = (most: number): number => angles(most).reduce((sum, angle) => sum + cos(angle) / edges, 0);
  const most = findRoot((x) => 1 - shortening - span(x), 0, 2);
  const points: [number, number, number][] = [[0, 0, 0]];
  for (const angle of angles(most)) {
    const [x, , z] = points[points.length - 1];
    points.push([x + cos(angle) / edges, 0, z + sin(angle) / edges]);
  }
  return points;
}

/** A rod between clamps at a fixed distance, which turn against each other; the parameter is the angle between them. */
function clamped(edges: number, shortening: number): SceneInput {
  return {
    tendril: 1,
    title: 'A rod between clamps that turn against each other',
    rods: [
      {
        id: 'rod',
        shape: { type: 'points', points: arch(edges, shortening) },
        natural: 'straight',
        inextensible: true,
        section,
      },
    ],
    pins: [
      { rod: 'rod', at: 'start', path: turning(-0.5) },
      { rod: 'rod', at: 'end', path: turning(0.5) },
    ],
    statics: { from: 0, to: 100, follow: 'branch' },
  };
}

/** A straight rod that is pulled, and twisted by a clamp that slides along the axis. */
function pulled(edges: number): SceneInput {
  return {
    tendril: 1,
    title: 'A rod that is pulled and twisted',
    rods: [
      { id: 'rod', shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] }, edges, inextensible: true, section },
    ],
    pins: [
      { rod: 'rod', at: 'start' },
      { rod: 'rod', at: 'end', axes: ['y', 'z'], path: turning(1) },
    ],
    loads: [{ type: 'force', rod: 'rod', at: 'end', force: [TENSION, 0, 0] }],
    statics: { from: 0, to: 70, follow: 'branch' },
  };
}

/**
 * Moment at which the straight rod between clamps buckles: B w'''' − iM w''' − T w'' = 0 has the solutions 1, s, e^{ips} and e^{iqs}, with p + q = M/B, pq =
 * T/B; w and w' vanish at both ends.
 */
function criticalMoment(): number {
  const determinant = (moment: number): number => {
    const root = Math.sqrt(square(moment) - 4 * TENSION);
    const [p, q] = [(moment + root) / 2, (moment - root) / 2];
    return 4 * (p - q) * sin(p / 2) * sin(q / 2) - 2 * p * q * sin((p - q) / 2);
  };
  // above Greenhill's moment of an infinite rod; the first change of sign
  let low = 2 * Math.sqrt(TENSION) + 1e-3;
  const sign = Math.sign(determinant(low));
  while (Math.sign(determinant(low + 0.01)) === sign) low += 0.01;
  return findRoot(determinant, low, low + 0.01);
}

/** Turns of a long rod under its largest moment 4B/D, and where they turn back: R = ML/C + 2φ with M = 4B sin φ/D. */
const turnAtFold = (shortening: number): number => {
  const phi = acos((-TWISTING * shortening) / 2);
  return (4 * sin(phi)) / (TWISTING * shortening) + 2 * phi;
};

interface State {
  readonly kind: string;
  readonly turn: number;
  readonly moment: number;
  readonly tension: number;
  readonly shortening: number;
  readonly negativeModes: number;
}

function stateOf(world: World): Pick<State, 'moment' | 'tension' | 'shortening'> {
  const [start] = world.reactions();
  const { nodePosition: x } = world.samples[0];
  return {
    moment: Math.abs(start.torque[0]),
    tension: -start.force[0],
    shortening: world.rods[0].length - (x[x.length - 3] - x[0]),
  };
}

function follow(world: World, start: 'along' | 'across', until: (state: State) => boolean): State[] {
  const states: State[] = [];
  walkBranch(world, {
    start,
    look({ kind, parameter, negativeModes }) {
      const state = { kind, turn: parameter, negativeModes, ...stateOf(world) };
      states.push(state);
      return until(state) ? 'stop' : undefined;
    },
  });
  return states;
}

/** Past the largest moment and the fold. */
const followClamped = (edges: number, shortening: number): State[] =>
  follow(worldOf(clamped(edges, shortening)), 'along', ({ tension }) => tension * square(shortening) > 1.4 * 8);

/** From the straight rod to the plane loop, where the moment is zero again. */
function followPulled(edges: number): { readonly critical: number; readonly states: State[] } {
  const world = worldOf(pulled(edges));
  goToBifurcation(world);
  const { moment: critical } = stateOf(world);
  let largest = 0;
  const states = follow(world, 'across', ({ shortening }) => {
    largest = Math.max(largest, shortening);
    return shortening < largest;
  });
  return { critical, states };
}

/** Tension relative to that at the largest moment; moment relative to the largest. */
const scaled = ({ moment, tension, shortening }: State): readonly [number, number] => [
  (tension * square(shortening)) / 8,
  (moment * shortening) / 4,
];

/** From here on the buckle is short compared with the rod: its width is 4B/TD. */
const isLocal = ({ tension, shortening }: State): boolean => tension * shortening > 40;

/** Points of the path, with their distance from the middle of the circle. */
const radii = (states: readonly State[]): (readonly [number, number])[] =>
  states.filter(isLocal).map((state) => {
    const [x, y] = scaled(state);
    return [x, Math.sqrt(square(x - 1) + square(y))];
  });

/** Height of the parabola through the largest value and its neighbours, over the turn. */
function largestMoment(states: readonly State[]): number {
  const k = states.reduce((best, { moment }, i) => (moment > states[best].moment ? i : best), 1);
  const [a, b, c] = states.slice(k - 1, k + 2);
  const left = (b.moment - a.moment) / (b.tension - a.tension);
  const right = (c.moment - b.moment) / (c.tension - b.tension);
  const bend = (right - left) / (c.tension - a.tension);
  const slope = left + bend * (b.tension - a.tension);
  return b.moment - square(slope) / (4 * bend);
}

function circle(): CaseFigure {
  const angles = Array.from({ length: 91 }, (_, k) => (Math.PI * k) / 90);
  return {
    title: 'A twisted rod, from the arch through the helix to the plane loop',
    subtitle: 'ends held at a distance: moment and tension of the localized buckle lie on a circle',
    x: angles.map((phi) => 1 - cos(phi)),
    xLabel: 'tension T D²/8B',
    yLabel: 'moment M D/4B',
    lines: [
      { label: 'long rod', y: angles.map((phi) => sin(phi)) },
      ...shortenings.map((shortening) => {
        const states = followClamped(200, shortening);
        return {
          label: `D = ${shortening} L`,
          x: states.map((state) => scaled(state)[0]),
          y: states.map((state) => scaled(state)[1]),
          dots: true,
        };
      }),
    ],
    points: [],
  };
}

export const twistAndTension: Case = defineCase({
  id: 'twist-and-tension',
  topics: ['theory'],
  colorBy: 'twist',
  title: 'A twisted rod, from the arch through the localized helix to a loop',
  claim:
    'The ends of a rod are held closer than its length and turned against each other. The planar arch becomes a localized helix. Its moment grows to 4B/D and falls again, while the tension goes on growing; the two lie on a circle. The turn of the clamps reaches a fold just past the largest moment: there the rod jumps into a loop.',
  group: 'classics',
  source: 'van der Heijden and Thompson 2000; Thompson and Champneys 1996; derivation on the page',
  models: ['der'],
  quick: [50, 100],
  full: [50, 100, 200],
  controls: [
    {
      path: ['pins', 1, 'path', 'keys', 1, 'twist'],
      label: 'Turn of each clamp',
      symbol: 'R/2',
      unit: 'rad',
      low: 0,
      high: 40,
      threshold: () => ({
        at: turnAtFold(SEEN) / 2,
        what: `jumps into a loop at ${(turnAtFold(SEEN) / 2).toFixed(1)} rad`,
      }),
    },
    twistingStiffness({ low: 0.3, high: 2 }),
    massDamping({ high: 40 }),
  ],
  scene: () => {
    const { rods, pins, ...rest } = clamped(80, SEEN);
    const turn = (share: number) => ({
      interpolation: 'linear' as const,
      keys: [{ time: 0 }, { time: 6, twist: 24 * share }],
    });
    return {
      ...rest,
      rods: rods.map((rod) => ({ ...rod, section: { ...section, damping: { mass: 10 } } })),
      pins: pins?.map((pin, k) => ({ ...pin, path: turn(k - 0.5) })),
      contact: {},
      statics: { from: 0, to: 6, follow: 'branch' },
      time: { duration: 6.5, step: 0.005 },
      output: { every: 0.05 },
    };
  },
  measure(n) {
    const out: Record<string, number | (readonly [number, number])[]> = {};
    for (const shortening of shortenings) {
      const states = followClamped(n, shortening);
      const fold = states.find(({ kind }) => kind === 'fold');
      const name = `D = ${shortening}`;
      out[`${name}, largest moment`] = largestMoment(states);
      out[`${name}, turn at the fold`] = fold?.turn ?? Number.NaN;
      out[`${name}, radius of the circle`] = radii(states);
    }
    const { critical, states } = followPulled(n);
    out['pulled, critical moment'] = critical;
    out['pulled, radius of the circle'] = radii(states);
    out['pulled, shortening of the plane loop'] = Math.max(...states.map(({ shortening }) => shortening));
    return out;
  },
  figure: circle,
  expect: {
    ...Object.fromEntries(
      shortenings.flatMap((shortening) => [
        [
          `D = ${shortening}, largest moment`,
          { value: 4 / shortening, tolerance: (n: number) => 60 / (n * n), order: 1.7, floor: FLOOR },
        ],
        [
          `D = ${shortening}, turn at the fold`,
          { value: turnAtFold(shortening), tolerance: (n: number) => 60 / (n * n), order: 1.7, floor: FLOOR },
        ],
        [`D = ${shortening}, radius of the circle`, { curve: () => 1, within: (n: number) => FLOOR + 130 / (n * n) }],
      ]),
    ),
    'pulled, critical moment': { value: criticalMoment(), tolerance: (n) => 15 / (n * n), order: 1.8 },
    'pulled, radius of the circle': { curve: () => 1, within: (n) => FLOOR + 130 / (n * n) },
    'pulled, shortening of the plane loop': {
      value: 4 / Math.sqrt(TENSION),
      tolerance: (n) => 60 / (n * n),
      order: 1.7,
      floor: FLOOR,
    },
  },
});
