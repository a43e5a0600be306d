import type { World } from '@tendril-sim/core';
import { cos, hypot, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { timeStep } from '../src/controls.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const HEAD = 0.05;
const HAIR = 30e-6;
const LENGTH = 0.08;
const SETTLE = 0.3;

/** Displacement under accelerations of 30, 0, −60, 0, 30 m/s² for a tenth of a second each: there and back at 3 m/s. */
function shake(t: number): number {
  let [x, v, left] = [0, 0, t];
  for (const a of [30, 0, -60, 0, 30]) {
    const dt = Math.min(0.1, Math.max(0, left));
    x += v * dt + 0.5 * a * dt * dt;
    v += a * dt;
    left -= 0.1;
  }
  return x;
}

/** Keys dense enough for the spline to follow the parabolas. */
function path(from: number, axes: readonly number[], settle: number): NonNullable<SceneInput['pins']>[number]['path'] {
  const keys: { time: number; offset: [number, number, number] }[] = [{ time: 0, offset: [0, 0, 0] }];
  axes.forEach((axis, k) => {
    // a few keys of rest before and after, or the spline would swing
    for (let i = -5; i <= 55; i++) {
      const offset: [number, number, number] = [0, 0, 0];
      offset[axis] = shake(0.01 * Math.min(50, Math.max(0, i)));
      keys.push({ time: from + k * (0.5 + settle) + 0.01 * i, offset });
    }
  });
  return { interpolation: 'smooth', keys };
}

/**
 * Straight hairs on a Fibonacci lattice over a ball that is shaken along x, then along y. The paper's motion lasts 3 s: a second to
 * settle, each way half a second, and after each half a second of rest.
 */
export function hairBallScene(
  hairs: number,
  edges: number,
  axes: readonly number[],
  contact: boolean,
  settle: number = SETTLE,
  rest: number = 0,
): SceneInput {
  const motion = path(settle, axes, 0.5);
  const rods: SceneInput['rods'][number][] = [];
  for (let k = 0; k < hairs; k++) {
    const z = 1 - (2 * (k + 0.5)) / hairs;
    const a = Math.PI * (3 - Math.sqrt(5)) * k;
    const s = Math.sqrt(1 - z * z);
    const at = (r: number): [number, number, number] => [r * s * cos(a), r * s * sin(a), r * z];
    rods.push({
      id: `hair ${k}`,
      shape: { type: 'straight', from: at(HEAD), to: at(HEAD + LENGTH) },
      edges,
      section: { type: 'circle', radius: HAIR },
      material: { E: '3.58 GPa', nu: 0.4, density: 1100, damping: { mass: 5 } },
    });
  }
  return {
    tendril: 1,
    title: 'A ball of hair is shaken',
    gravity: {
      acceleration: [0, 0, -9.81],
      factor: {
        keys: [
          [0, 0],
          [Math.min(0.5, (2 / 3) * settle), 1],
        ],
        interpolation: 'linear',
      },
    },
    rods,
    pins: rods.map(({ id }) => ({ rod: id, at: 'start' as const, path: motion })),
    ...(contact && {
      colliders: [{ id: 'ball', type: 'sphere' as const, radius: HEAD - HAIR, path: motion }],
      contact: { radius: '0.3 mm', tolerance: 1e-3 },
    }),
    time: { duration: settle + 0.5 * axes.length + 0.5 * (axes.length - 1) + rest, step: 1 / 240 },
    output: { every: 1 / 60 },
  };
}

/** Largest strain. */
function inspect(world: World): number {
  let strain = 0;
  world.rods.forEach((rod, k) => {
    const x = world.samples[k].nodePosition;
    for (let i = 1; i < rod.nodeCount; i++) {
      const o = 3 * i;
      const l = hypot(x[o] - x[o - 3], x[o + 1] - x[o - 2], x[o + 2] - x[o - 1]);
      strain = Math.max(strain, Math.abs(l / rod.edgeLengthRest[i - 1] - 1));
    }
  });
  return strain;
}

export const hairBall: Case = defineCase({
  id: 'hair-ball',
  topics: ['hair', 'contact'],
  title: 'A ball of hair shaken to and fro',
  claim:
    'Straight hairs on a ball that is thrown about at 30 and 60 m/s² stay outside the ball, meet each other without passing through, and keep their length.',
  group: 'contact',
  source:
    'Michels et al. 2015, § 4.3, in the well-posed form of docs/contact.md; momentum: Σ pin forces = rate of momentum − weight',
  models: ['der'],
  papers: [
    {
      paper: 'michels2015',
      figure: 'Fig. 8',
      claim:
        'A ball with over 25,000 elements of hair is thrown about; hairs collide with the ball and with each other.',
      missing:
        'The pictures have 500 hairs of 16 edges, the comparisons 16 hairs of 10, or 100 with `--full`. `npm run study -- hair-ball` has the paper’s 25,000 elements.',
      panels: {
        aspect: 1,
        look: { thickness: 8 },
        moments: [
          { time: 0, caption: '500 hairs, drawn eight times as thick as they are.' },
          { time: 0.55, caption: 'Thrown to one side.' },
          { time: 1.8, caption: 'After the second shake.' },
        ],
      },
    },
  ],
  quick: [16],
  full: [16, 100],
  controls: [
    { path: ['contact', 'radius'], label: 'Contact radius', symbol: 'r', unit: 'm', low: 5e-5, high: 5e-4 },
    {
      path: ['gravity', 'acceleration', 2],
      label: 'Gravity',
      symbol: 'g',
      unit: 'm/s²',
      low: 0,
      high: 30,
      factor: -1,
    },
    timeStep({ low: 1e-3, high: 1e-2 }),
  ],
  scene: () => hairBallScene(500, 16, [0, 1], true),
  measure(n) {
    const world = worldOf(hairBallScene(n, 10, [0], true));
    const steps = Math.round(240 * (SETTLE + 0.5));
    const meter = createOverlapMeter(world);
    let [strain, root] = [0, 0];
    let impulse = 0;
    for (let k = 0; k < steps; k++) {
      world.step();
      const { nodePosition } = world.samples[0];
      const { nodePosition: rest } = world.rods[0];
      // the ball is where the roots are
      const center = [0, 1, 2].map((i) => nodePosition[i] - rest[i]);
      root = Math.max(root, Math.abs(center[0] - (world.time > SETTLE ? shake(world.time - SETTLE) : 0)));
      meter.look();
      strain = Math.max(strain, inspect(world));
      if (world.contactForces().length > 0) impulse++;
    }
    return {
      'penetration of the ball / radius of a hair': meter.obstacles,
      'penetration of hairs / radius at which they meet': meter.rods,
      'largest strain': strain,
      'roots off the motion [m]': root,
      'steps with contact': Math.min(1, impulse),
    };
  },
  expect: {
    'penetration of the ball / radius of a hair': { value: 0, tolerance: 0.05, scale: 1 },
    'penetration of hairs / radius at which they meet': { value: 0, tolerance: 0.05, scale: 1 },
    'largest strain': { value: 0, tolerance: 1e-3, scale: 1 },
    'roots off the motion [m]': { value: 0, tolerance: 2e-4, scale: 1 },
    'steps with contact': { value: 1, tolerance: 0 },
  },
});
