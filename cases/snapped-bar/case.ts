import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { numberAt } from '../src/controls.ts';

/** EA [N], mass per length [kg/m] and speed of stretch waves [m/s] of a bar of 1 m. */
const EA = 1000;
const MASS = 0.1;
const SPEED = Math.sqrt(EA / MASS);

const section = { type: 'stiffness', EA, EI1: 1e-3, GJ: 1e-3, mass: MASS, inertia: 1e-6, radius: 0.01 } as const;

/** Strength of the tapered bar [N]: its end is the weakest place. */
const strengthAt = (u: number): number => 6 - u;
/** Speed at which it is pulled [m/s], and its stiffness damping [s]: the tension is EA (strain + damping × rate of strain). */
const PULL = 0.01;
const VISCOSITY = 1e-3;

/** A bar that is pulled at its end, slowly beside its waves. */
function pulled(edges: number): SceneInput {
  return {
    tendril: 1,
    title: 'A bar that is pulled until it breaks',
    rods: [
      {
        id: 'bar',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { ...section, damping: { stiffness: VISCOSITY } },
        break: {
          tension: {
            along: [
              [0, strengthAt(0)],
              [1, strengthAt(1)],
            ],
          },
        },
      },
    ],
    pins: [
      { rod: 'bar', at: 'start', hold: 'position' },
      {
        rod: 'bar',
        at: 'end',
        hold: 'position',
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [PULL, 0, 0] }] },
      },
    ],
    time: { duration: 0.7, step: 0.005 },
    output: { every: 0.02 },
  };
}

/** A stretched bar, weak in the edge before the last, or in the middle and in free flight. */
function stretched(edges: number, tension: number, kind: 'held' | 'free'): SceneInput {
  const weak = kind === 'held' ? 1 - 1.5 / edges : 0.5 + 0.5 / edges;
  const points = Array.from({ length: edges + 1 }, (_, i): [number, number, number] => [
    (i / edges) * (1 + tension / EA),
    0,
    0,
  ]);
  const near = 0.4 / edges;
  return {
    tendril: 1,
    rods: [
      {
        id: 'bar',
        shape: { type: 'points', points },
        natural: { length: 1 },
        section,
        break: {
          tension: {
            along: [
              [0, 10 * tension],
              [weak - near, 10 * tension],
              [weak - near, tension],
              [weak + near, tension],
              [weak + near, 10 * tension],
              [1, 10 * tension],
            ],
          },
        },
        ...(kind === 'free' && { velocity: { linear: [0.3, 0.1, 2], angular: [0, 1, 3] } }),
      },
    ],
    ...(kind === 'held' && {
      pins: [
        { rod: 'bar', at: 'start', hold: 'position' },
        { rod: 'bar', at: 'end', hold: 'position' },
      ],
    }),
    time: { duration: 1, step: 0.25 / edges / SPEED },
  };
}

function measurePulled(n: number): Record<string, number> {
  const world = worldOf(pulled(n));
  while (world.time < 0.7) {
    const [first] = world.step().breaks ?? [];
    if (first?.edge === undefined) continue;
    const strength = strengthAt((first.edge + 0.5) / n);
    return {
      'edges from the weakest place to the break': n - 1 - first.edge,
      'time of the break / theory': ((first.time + VISCOSITY) * EA * PULL) / strength,
    };
  }
  return { 'edges from the weakest place to the break': n, 'time of the break / theory': 0 };
}

/** Speed of the wave from three quarters of the bar to one, and velocity behind it. */
function measureWave(n: number): Record<string, number> {
  const tension = 5;
  const world = worldOf(stretched(n, tension, 'held'));
  const behind = tension / (MASS * SPEED);
  const nodes = [Math.round(0.75 * n), Math.round(0.25 * n)];
  const arrivals: number[] = [];
  let before = 0;
  while (arrivals.length < 2 && world.time < 2 / SPEED) {
    const { time } = world;
    world.step();
    const now = -world.samples[0].nodeVelocity[3 * nodes[arrivals.length]] / behind;
    if (now >= 0.5) {
      arrivals.push(time + ((world.time - time) * (0.5 - before)) / (now - before));
      before = 0;
    } else before = now;
  }
  let sum = 0;
  let count = 0;
  for (let i = Math.round(0.4 * n); i <= Math.round(0.6 * n); i++, count++)
    sum -= world.samples[0].nodeVelocity[3 * i] / behind;
  return {
    'speed of the wave / c': 0.5 / (arrivals[1] - arrivals[0]) / SPEED,
    'velocity behind it / theory': sum / count,
  };
}

/** Largest change of momentum while a bar breaks in flight, relative to its momentum. */
function measureFlight(n: number): Record<string, number> {
  const world = worldOf(stretched(n, 10, 'free'));
  const start = world.momentum();
  let largest = 0;
  let breaks = 0;
  for (let k = 0; k < 100; k++) {
    breaks += world.step().breaks?.length ?? 0;
    const { linear } = world.momentum();
    for (let a = 0; a < 3; a++) largest = Math.max(largest, Math.abs(linear[a] - start.linear[a]));
  }
  return { 'breaks in flight': breaks, 'change of momentum / momentum': largest / Math.abs(start.linear[2]) };
}

export const snappedBar: Case = defineCase({
  id: 'snapped-bar',
  topics: ['theory'],
  finish: 'rope',
  title: 'A bar that is pulled snaps at its weakest place',
  claim:
    'A bar that is pulled breaks where its strength is least, when its tension reaches it; its stretch leaves by a wave of speed √(EA/ρA), and its momentum is kept.',
  group: 'classics',
  source: 'closed form: Hooke’s law, and the wave equation with the initial stretch T/EA',
  models: ['der'],
  quick: [20, 40],
  full: [20, 40, 80, 160],
  controls: [
    {
      path: ['rods', 0, 'break', 'tension', 'along', 1, 1],
      label: 'Strength of the end',
      symbol: 'F',
      unit: 'N',
      low: 1,
      high: 8,
    },
    {
      path: ['rods', 0, 'break', 'tension', 'along', 0, 1],
      label: 'Strength of the start',
      symbol: 'F₀',
      unit: 'N',
      low: 1,
      high: 8,
    },
    {
      path: ['pins', 1, 'path', 'keys', 1, 'offset', 0],
      label: 'Pulled by, in a second',
      symbol: 'v',
      unit: 'm',
      low: 0,
      high: 0.05,
      // EA times the strain at the end of the scene
      threshold: (scene) => {
        const strength = numberAt(scene, ['rods', 0, 'break', 'tension', 'along', 1, 1]);
        const at = strength / EA / (scene.time?.duration ?? 1);
        return { at, what: `breaks above ${(1000 * at).toFixed(1)} mm/s` };
      },
    },
  ],
  scene: () => pulled(40),
  measure: (n) => ({ ...measurePulled(n), ...measureWave(n), ...measureFlight(n) }),
  expect: {
    'edges from the weakest place to the break': { value: 0, tolerance: 0 },
    'time of the break / theory': { value: 1, tolerance: 1e-3 },
    'speed of the wave / c': { value: 1, tolerance: (n) => 1 / n },
    'velocity behind it / theory': { value: 1, tolerance: (n) => 1.5 / n },
    'breaks in flight': { value: 1, tolerance: 0 },
    'change of momentum / momentum': { value: 0, tolerance: 1e-9 },
  },
});
