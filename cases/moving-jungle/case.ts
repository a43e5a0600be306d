import { cos, log10, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { turbulence, wind } from '../src/controls.ts';

type Vector = [number, number, number];
type Rods = SceneInput['rods'];
const GRAVITY = 9.81;
const wood = { E: '1 GPa', nu: 0.3, density: 700, damping: { mass: 0.1, stiffness: 0.01 } };

/** Six branches along a trunk, each with its own direction: fractions of the trunk, and angles about it. */
const branches = Array.from({ length: 6 }, (_, k) => ({ u: 0.4 + 0.12 * k, angle: 2.4 * k, length: 1.4 - 0.15 * k }));

/** A tree of 75 segments at scale 5: 15 in the trunk, 10 in each branch. */
function tree(id: string, at: Vector, scale: number, turn: number): Rods {
  const height = 3;
  const taper = (a: number, b: number): { along: [number, number][] } => ({
    along: [
      [0, a],
      [1, b],
    ],
  });
  const trunk = {
    id,
    model: 'strand' as const,
    shape: { type: 'straight' as const, from: at, to: [at[0], at[1], at[2] + height] as Vector },
    edges: 3 * scale,
    section: { type: 'circle' as const, radius: taper(0.05, 0.015) },
    material: wood,
  };
  const twigs = branches.map(({ u, angle, length }, k) => {
    const from: Vector = [at[0], at[1], at[2] + u * height];
    const a = angle + turn;
    return {
      id: `${id}.${k}`,
      model: 'strand' as const,
      parent: { rod: id, at: { u } },
      shape: {
        type: 'straight' as const,
        from,
        to: [from[0] + 0.9 * length * cos(a), from[1] + 0.9 * length * sin(a), from[2] + 0.44 * length] as Vector,
      },
      edges: 2 * scale,
      section: { type: 'circle' as const, radius: taper(0.014, 0.003) },
      material: wood,
    };
  });
  return [trunk, ...twigs];
}

/** Trees on a grid, in the wake of something large that comes by. */
export function jungle(count: number, scale: number): SceneInput {
  const side = Math.ceil(Math.sqrt(count));
  const rods = Array.from({ length: count }, (_, k) =>
    tree(`tree${k}`, [3 * (k % side), 3 * Math.floor(k / side), 0], scale, 1.7 * k),
  ).flat();
  return {
    tendril: 1,
    title: 'A jungle in the wake of something large',
    gravity: [0, 0, -GRAVITY],
    rods,
    pins: Array.from({ length: count }, (_, k) => ({ rod: `tree${k}`, at: 'start' as const })),
    fields: [
      {
        type: 'air',
        quadratic: { density: 1.2, normal: 1.2 },
        wind: {
          mean: [6, 0, 0],
          gust: { amplitude: 0.6, period: 2 },
          vortices: [{ center: [-8, 3, 2], axis: [0, 0, 1], circulation: 60, core: 2, velocity: [8, 0, 0] }],
          turbulence: { intensity: 4, length: 3 },
        },
      },
    ],
    time: { duration: 4, step: 1 / 48 },
    output: { every: 1 / 24 },
  };
}

const greens = ['#4f7d32', '#639441', '#7aa84f'];

/** A tuft of leaves at the end of every branch: a light body that the branch carries, drawn as flat ellipsoids that touch nothing. */
function leavesOn(rods: Rods): Pick<SceneInput, 'bodies' | 'welds' | 'colliders'> {
  const tufts = rods.flatMap(({ id, parent, shape }) =>
    parent && shape.type === 'straight' ? [{ rod: id as string, at: shape.to as Vector }] : [],
  );
  return {
    bodies: tufts.map(({ rod, at }) => ({
      id: `leaves ${rod}`,
      mass: 0.05,
      inertia: [1e-3, 1e-3, 1e-3],
      position: at,
    })),
    welds: tufts.map(({ rod }) => ({ rod, at: 'end', body: `leaves ${rod}` })),
    colliders: tufts.flatMap(({ rod }, k) =>
      [0, 1, 2, 3, 4, 5].map((leaf) => {
        const turn = 1.05 * leaf + 0.7 * k;
        return {
          id: `leaf ${leaf} ${rod}`,
          rods: [],
          type: 'ellipsoid' as const,
          color: greens[(k + leaf) % greens.length],
          radii: [0.42, 0.17, 0.03] as Vector,
          position: [0.32 * cos(turn), 0.32 * sin(turn), 0.1 * (leaf % 3) - 0.1] as Vector,
          rotation: [0, 0, turn] as Vector,
          body: `leaves ${rod}`,
        };
      }),
    ),
  };
}

/** The same tree of elastic rods, branches joined to the trunk by junctions. */
function elastic(scale: number): SceneInput {
  const [trunk, ...twigs] = tree('tree', [0, 0, 0], scale, 0);
  const rods = [trunk, ...twigs].map(({ parent: _, ...rod }) => ({ ...rod, model: 'der' as const }));
  const bodies = branches.map(({ u }, k) => ({ id: `joint${k}`, mass: 0, position: [0, 0, 3 * u] as Vector }));
  const welds = branches.flatMap(({ u }, k) => [
    { rod: 'tree', at: { u }, body: `joint${k}` },
    { rod: `tree.${k}`, at: 'start' as const, body: `joint${k}` },
  ]);
  return { tendril: 1, gravity: [0, 0, -GRAVITY], rods, bodies, welds, pins: [{ rod: 'tree', at: 'start' }] };
}

const still = (scale: number): SceneInput => ({
  ...jungle(1, scale),
  fields: [],
  rods: tree('tree0', [0, 0, 0], scale, 0),
});

/** Weight and its moment about the root against what holds the root, relative. */
function measureRoot(scale: number): { force: number; moment: number } {
  const world = worldOf(still(scale));
  equilibrium(world);
  const { mass, center } = world.momentum();
  const [{ force, torque }] = world.reactions();
  const moment = [-GRAVITY * mass * center[1], GRAVITY * mass * center[0], 0];
  return {
    force: distance(force, [0, 0, GRAVITY * mass]) / (GRAVITY * mass),
    moment:
      distance(
        torque,
        moment.map((m) => -m),
      ) /
      (GRAVITY * mass * 3),
  };
}

let reference: [number, number, number] | undefined;

/** Where the tip of the longest branch hangs, less where elastic rods have it [m]. */
function measureSag(scale: number): number {
  const world = worldOf(still(scale));
  equilibrium(world);
  if (!reference) {
    const rods = worldOf(elastic(16));
    equilibrium(rods);
    reference = nodeAt(rods, 1, -1);
  }
  return distance(nodeAt(world, 1, -1), reference);
}

/** How far one tree of a forest is after a second from where it is alone. */
function measureForest(): { apart: number; swayed: number } {
  const alone = worldOf(jungle(1, 2));
  const forest = worldOf(jungle(6, 2));
  const start = nodeAt(alone, 0, -1);
  for (let k = 0; k < 48; k++) {
    alone.step();
    forest.step();
  }
  return {
    apart: distance([...alone.samples[3].nodePosition], [...forest.samples[3].nodePosition]),
    swayed: distance(start, nodeAt(alone, 0, -1)),
  };
}

export const movingJungle: Case = defineCase({
  id: 'moving-jungle',
  topics: ['art'],
  title: 'Moving jungle: branched strands in a strong field',
  claim:
    'Branched strands balance their weight at the root to rounding, and sag as elastic rods joined by junctions do, with second order. In a strong field each tree moves as it would alone, however many there are.',
  group: 'hadap2006',
  source: 'figure 5 of Hadap 2006; statics; the same tree of elastic rods',
  models: ['strand'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 5',
      claim: 'Trees of strands with very stiff trunks move believably in a strong field, and a thousand of them do.',
      panels: {
        aspect: 1.25,
        look: { zoom: 1.5, elevation: 14 },
        moments: [
          { time: 0, caption: 'At rest.' },
          { time: 2, caption: 'In the wake.' },
          { time: 4, caption: 'Later.' },
        ],
      },
    },
  ],
  quick: [2, 4],
  full: [2, 4, 8],
  controls: [
    wind({ high: 30 }),
    {
      path: ['fields', 0, 'wind', 'vortices', 0, 'circulation'],
      label: 'Circulation of the wake',
      symbol: 'Γ',
      unit: 'm²/s',
      low: 0,
      high: 200,
    },
    turbulence({ high: 15 }),
  ],
  scene: () => {
    const scene = jungle(12, 5);
    // trunks and boughs
    const rods = scene.rods.map((rod) => ({ ...rod, color: rod.parent ? '#5d8a3a' : '#6b4a32' }));
    return { ...scene, rods, ...leavesOn(rods) };
  },
  measure(n) {
    const root = measureRoot(n);
    const forest = measureForest();
    return {
      'weight held at the root, error': root.force,
      'moment of the weight held at the root, error': root.moment,
      'sag of a branch against elastic rods [m]': measureSag(n),
      'a tree of a forest against the same tree alone [m]': forest.apart,
      'sway of the tree in the wake, log10 [m]': log10(forest.swayed),
    };
  },
  expect: {
    'weight held at the root, error': { value: 0, tolerance: 1e-9 },
    'moment of the weight held at the root, error': { value: 0, tolerance: 1e-9 },
    'sag of a branch against elastic rods [m]': { value: 0, tolerance: (n) => 0.02 / (n * n), order: 1.7 },
    'a tree of a forest against the same tree alone [m]': { value: 0, tolerance: 1e-12 },
    'sway of the tree in the wake, log10 [m]': { value: -1, scale: 1, tolerance: 1 },
  },
});
