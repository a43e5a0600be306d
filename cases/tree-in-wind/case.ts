import { cos, hypotOf, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { turbulence, wind } from '../src/controls.ts';

type Vector = [number, number, number];

/** The same numbers every time: a tree must not grow anew between two runs. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Trunk and branches; where one ends, two begin, joined by a junction. */
function growTree(levels: number, edges: number): Pick<SceneInput, 'bodies' | 'rods' | 'welds'> {
  const random = createRandom(5);
  const rods: NonNullable<SceneInput['rods']>[number][] = [];
  const bodies: NonNullable<SceneInput['bodies']>[number][] = [];
  const welds: NonNullable<SceneInput['welds']>[number][] = [];
  const grow = (
    from: Vector,
    direction: Vector,
    length: number,
    radius: number,
    left: number,
    parent?: string,
  ): void => {
    const id = `branch${rods.length}`;
    const to = from.map((x, k) => x + length * direction[k]) as Vector;
    rods.push({
      id,
      shape: { type: 'straight', from, to },
      edges,
      section: {
        type: 'circle',
        radius: {
          along: [
            [0, radius],
            [1, 0.75 * radius],
          ],
        },
      },
      material: 'green wood',
    });
    if (parent) welds.push({ rod: id, at: 'start', body: parent });
    if (left === 0) return;
    const junction = `junction${bodies.length}`;
    bodies.push({ id: junction, mass: 0, position: to });
    welds.push({ rod: id, at: 'end', body: junction });
    const turn = 2 * Math.PI * random();
    for (const side of [-1, 1]) {
      const spread = side * (0.45 + 0.2 * random());
      const bent: Vector = [direction[0] + spread * cos(turn), direction[1] + spread * sin(turn), direction[2] + 0.1];
      const size = hypotOf(bent);
      grow(to, bent.map((x) => x / size) as Vector, 0.75 * length, 0.7 * radius, left - 1, junction);
    }
  };
  grow([0, 0, 0], [0, 0, 1], 1.2, 0.03, levels);
  return { rods, bodies, welds };
}

/** Mean wind of the case, and of the pictures [m/s]. */
const BREEZE = 12;
const STORM = 28;

/** `wind`: its mean [m/s]; undefined: still air. */
function scene(levels: number, edges: number, wind?: number): SceneInput {
  return {
    tendril: 1,
    title: 'A young tree in gusts',
    gravity: [0, 0, -9.81],
    materials: {
      'green wood': { E: '3 GPa', nu: 0.3, density: '600 kg/m^3', damping: { mass: '0.3 1/s', stiffness: '2 ms' } },
    },
    ...growTree(levels, edges),
    pins: [{ rod: 'branch0', at: 'start' }],
    ...(wind !== undefined && {
      fields: [
        {
          type: 'air' as const,
          wind: {
            mean: [wind, 0, 0] as [number, number, number],
            gust: { amplitude: 0.5, period: '3 s' },
            turbulence: { intensity: '4 m/s', length: '2 m' },
          },
          quadratic: { density: 1.2, normal: 1.2 },
        },
      ],
    }),
    time: { duration: 6, step: 0.02 },
    output: { every: 0.1 },
  };
}

/** Where the first twig ends under the tree's own weight. */
function twig(edges: number): Vector {
  const world = worldOf(scene(3, edges));
  equilibrium(world);
  return nodeAt(world, 4, -1).map((x, k) => x - world.rods[4].nodePosition[3 * edges + k]) as Vector;
}

let reference: Vector | undefined;

export const treeInWind: Case = defineCase({
  id: 'tree-in-wind',
  topics: ['art'],
  finish: 'wood',
  title: 'Tree in wind',
  claim:
    'A tree of branches joined by junctions holds its weight at the root to rounding, its sag converges with second order through the junctions, and in a gale the branches stay joined.',
  group: 'bergou2008',
  source: 'Bergou et al. 2008, Fig. 12; equilibrium of forces and moments; Richardson extrapolation',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 12',
      claim: 'Rods joined by rigid bodies form a tree that bends and twists in a strong wind.',
      panels: {
        scene: () => scene(5, 16, STORM),
        aspect: 1.05,
        look: { azimuth: 0, elevation: 8, zoom: 1.1, material: ['plant'] },
        moments: [
          { time: 0, caption: 'Reference, before it bends under its weight: the inset of the paper’s figure.' },
          { time: 3, caption: 'In a wind of 28 m/s.' },
          { time: 4.5, caption: 'Later, in another gust.' },
        ],
      },
      timed: { row: 'Fig. 12', scene: () => scene(5, 33, BREEZE), from: 0.1, remark: '63 branches' },
    },
  ],
  quick: [4, 8],
  full: [4, 8, 16],
  controls: [
    wind({ high: 40 }),
    turbulence({ high: 15 }),
    { path: ['materials', 'green wood', 'E'], label: "Young's modulus", symbol: 'E', unit: 'Pa', low: 3e8, high: 3e10 },
  ],
  scene: () => scene(5, 32, BREEZE),
  measure(n) {
    const world = worldOf(scene(5, n));
    equilibrium(world);
    const [{ force, torque }] = world.reactions();
    const { mass, center } = world.momentum();
    const windy = worldOf(scene(5, n, BREEZE));
    for (let k = 0; k < 25; k++) windy.step();
    // nodes that a junction ties stay together
    let gap = 0;
    const { welds = [] } = windy.scene;
    const placeOf = (rod: string, at: unknown): Vector =>
      nodeAt(
        windy,
        windy.rods.findIndex(({ id }) => id === rod),
        at === 'start' ? 0 : -1,
      );
    for (const a of welds) {
      for (const b of welds)
        if (a.body === b.body) gap = Math.max(gap, distance(placeOf(a.rod, a.at), placeOf(b.rod, b.at)));
    }
    if (!reference) {
      const coarse = twig(32);
      reference = twig(64).map((fine, k) => fine + (fine - coarse[k]) / 3) as Vector;
    }
    return {
      'weight held at the root, relative': force[2] / (9.81 * mass),
      'moment about x at the root, relative': torque[0] / (9.81 * mass * center[1]),
      'moment about y at the root, relative': torque[1] / (-9.81 * mass * center[0]),
      'gap at the junctions in wind [m]': gap,
      'sag of a twig, error relative to the sag': distance(twig(n), reference) / hypotOf(reference),
    };
  },
  expect: {
    'weight held at the root, relative': { value: 1, tolerance: 1e-8 },
    'moment about x at the root, relative': { value: 1, tolerance: 1e-6 },
    'moment about y at the root, relative': { value: 1, tolerance: 1e-6 },
    'gap at the junctions in wind [m]': { value: 0, tolerance: 1e-12 },
    'sag of a twig, error relative to the sag': { value: 0, tolerance: (n) => 0.15 / (n * n), order: 1.8 },
  },
});
