import { cos, pow, sin, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, equilibrium, nodeAt, worldOf } from '../src/case.ts';
import { bendingStiffness, gravity, gravityAlong, numberAt, sectionNumber } from '../src/controls.ts';
import { findRoot } from '../src/elliptic.ts';

/** Length and bending stiffness are 1; GJ of a round rod that keeps its volume. */
const TWISTING = 2 / 3;
/** Turns of the natural shape, a circle: κ0 = 2π · TURNS. */
const TURNS = 20;
/** Weights in units of that which straightens the rod at its top, B²κ0²/C. */
const weights = [0.25, 0.5, 1, 2, 4];

/**
 * Helix of pitch angle ψ under the force F along its axis: r = (B cos²ψ + C sin²ψ)/Bκ0 and F = C sin ψ/r². Returns sin ψ for a force in units of B²κ0²/C,
 * at which the helix becomes straight.
 */
function stretchAt(force: number): number {
  if (force >= 1) return 1;
  return findRoot((s) => (square(TWISTING) * s) / square(1 - (1 - TWISTING) * s * s) - force, 0, 1);
}

/** Height of a hanging curl over its length, by the rule of midpoints: at each place the force is the weight below. */
function height(weight: number): number {
  const parts = 4000;
  let sum = 0;
  for (let i = 0; i < parts; i++) sum += stretchAt(weight * ((i + 0.5) / parts)) / parts;
  return sum;
}

/** Nodes near the expected shape, from the clamp down; `most`: largest sin ψ, since a straight rod does not know which way to turn. */
function nodes(edges: number, turns: number, weight: number, most: number): [number, number, number][] {
  const fine = 10;
  const ds = 1 / (edges * fine);
  const curvature = 2 * Math.PI * turns;
  const points: [number, number, number][] = [];
  let [phi, z] = [0, 0];
  for (let i = 0; i <= edges * fine; i++) {
    const s = Math.min(most, stretchAt(weight * (1 - i * ds)));
    const r = (1 - (1 - TWISTING) * s * s) / curvature;
    if (i % fine === 0) points.push([r * cos(phi), r * sin(phi), z]);
    phi += (Math.sqrt(1 - s * s) / r) * ds;
    z -= s * ds;
  }
  return points;
}

/** `weight`: as in `weights`; `start`: the weight for which it is laid. */
function scene(edges: number, turns: number, weight: number, start = weight): SceneInput {
  const curvature = 2 * Math.PI * turns;
  return {
    tendril: 1,
    title: 'A curl that hangs from a clamp',
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'curl',
        shape: { type: 'points', points: nodes(edges, turns, start, 0.9995) },
        frame: { follow: 'curve' },
        inextensible: true,
        natural: { curvature: [0, curvature, 0], length: 1 },
        section: {
          type: 'stiffness',
          EI1: 1,
          GJ: TWISTING,
          mass: (weight * square(curvature)) / TWISTING / 9.81,
          radius: 0.15 / curvature,
          damping: { mass: 4 },
        },
      },
    ],
    pins: [{ rod: 'curl', at: 'start' }],
  };
}

/** Height of the curl in equilibrium, with this many edges per turn of its natural shape. */
function hang(perTurn: number, weight: number): number {
  const world = worldOf(scene(perTurn * TURNS, TURNS, weight));
  const [{ stable }] = equilibrium(world);
  return stable ? nodeAt(world, 0, 0)[2] - nodeAt(world, 0, -1)[2] : Number.NaN;
}

function master(): CaseFigure {
  const x = Array.from({ length: 61 }, (_, k) => 0.05 * pow(10, k / 30));
  return {
    title: 'A curl unwinds under its own weight',
    subtitle: `dots: ${TURNS} turns, 20 edges per turn`,
    x,
    xLabel: 'weight wL C/B²κ0²',
    xScale: 'log',
    yLabel: 'height h/L',
    lines: [
      { label: 'local helix', y: x.map(height) },
      { label: 'curl', x: weights, y: weights.map((weight) => hang(20, weight)), dots: true },
    ],
    points: [],
  };
}

export const hangingCurl: Case = defineCase({
  id: 'hanging-curl',
  topics: ['hair', 'theory'],
  title: 'A hanging curl unwinds',
  claim:
    'A curl whose natural shape is a circle hangs from a clamp. At each place it is the helix that carries the weight below, so its height depends on one number, wL·GJ/(EI κ0)². From 1 on, its upper part hangs straight; at the free end it is always curled.',
  group: 'classics',
  source: 'equilibrium of a Kirchhoff helix under an axial force; derivation on the page',
  models: ['der'],
  quick: [10, 20],
  full: [10, 20, 40],
  controls: [
    gravity({ high: 40 }),
    bendingStiffness({ low: 0.3, high: 3 }),
    {
      path: ['rods', 0, 'section', 'mass'],
      label: 'Mass per length',
      symbol: 'ρA',
      unit: 'kg/m',
      low: 20,
      high: 3000,
      threshold: (at) => {
        const curvature = numberAt(at, ['rods', 0, 'natural', 'curvature', 1]);
        const bending = sectionNumber(at, 'EI1') * curvature;
        const mass = square(bending) / (-gravityAlong(at, 2) * sectionNumber(at, 'GJ'));
        return { at: mass, what: `straight at its top above ${mass.toFixed(0)} kg/m` };
      },
    },
  ],
  scene: () => ({
    ...scene(200, 8, 1.6, 0.05),
    time: { duration: 4, step: 0.005 },
    output: { every: 0.04 },
  }),
  measure: (n) => Object.fromEntries(weights.map((weight) => [`height, weight ${weight}`, hang(n, weight)])),
  figure: master,
  expect: () =>
    Object.fromEntries(
      weights.map((weight) => [
        `height, weight ${weight}`,
        // its ends are not part of a uniform helix, which counts by a share of a turn; half an edge at either end is straight
        { value: height(weight), tolerance: (n: number) => (0.02 + 0.8 / n) / TURNS },
      ]),
    ),
});
