import { cos, pow, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { youngsModulus } from '../src/controls.ts';

/** Dry spaghetti, in SI units. */
const LENGTH = 0.24;
const RADIUS = 0.00057;
const YOUNG = 3.8e9;
const DENSITY = 1500;
const EI = (YOUNG * Math.PI * pow(RADIUS, 4)) / 4;
/** √(EI/ρA) [m²/s]. */
const SPREADING = Math.sqrt(EI / (DENSITY * Math.PI * RADIUS * RADIUS));

/** 2 S(√2), S the Fresnel sine integral: the largest curvature of the released rod, relative to the initial one. */
const PEAK = 1.42795;

const rod = {
  id: 'spaghetti',
  natural: 'straight',
  section: { type: 'circle', radius: RADIUS },
} as const;
const material = { E: YOUNG, nu: 0.3, density: DENSITY } as const;

/** A bent piece between clamps, which breaks beside the one at its end at once. `time` is that at which the wave has come a quarter of the way. */
const time = pow(LENGTH / 4, 2) / (4 * Math.PI * SPREADING);
const BEND = 0.1;
const MOMENT = EI * BEND;

function released(edges: number): SceneInput {
  return {
    tendril: 1,
    title: 'A bent piece whose end breaks free',
    rods: [
      {
        ...rod,
        shape: {
          type: 'arc',
          from: [0, 0, 0],
          tangent: [1, 0, 0],
          normal: [0, 0, 1],
          radius: 1 / BEND,
          angle: LENGTH * BEND,
        },
        edges,
        material,
        break: {
          moment: {
            along: [
              [0, 10 * MOMENT],
              [0.9999, 10 * MOMENT],
              [0.9999, 0.99 * MOMENT],
              [1, 0.99 * MOMENT],
            ],
          },
        },
      },
    ],
    pins: [
      { rod: 'spaghetti', at: 'start' },
      { rod: 'spaghetti', at: 'end' },
    ],
    time: { duration: time, step: (4 * time) / edges },
  };
}

function measure(n: number): Record<string, number> {
  const world = worldOf(released(n));
  let breaks = 0;
  for (let k = 0; k < n / 4; k++) breaks += world.step().breaks?.length ?? 0;
  const curvature = world.channel(0, 'curvature');
  const node = curvature.indexOf(Math.max(...curvature));
  // from the free end, in the middle of the edge that broke
  const distance = LENGTH * (1 - (node + 0.5) / n);
  return {
    'breaks of the released end': breaks,
    'largest curvature / initial': curvature[node] / BEND,
    'its place / theory': distance / Math.sqrt(4 * Math.PI * SPREADING * time),
  };
}

/** The ends of an arc of this curvature, whose middle stays: how far they move inwards, and how far they turn. */
function ends(curvature: number): { readonly inwards: number; readonly turn: number } {
  const turn = 0.5 * curvature * LENGTH;
  return { inwards: 0.5 * LENGTH - (turn > 0 ? sin(turn) / curvature : 0.5 * LENGTH), turn };
}

/** Ends that turn and approach until it breaks. */
function bent(): SceneInput {
  const [last, steps] = [14, 24];
  const keys = (
    side: -1 | 1,
  ): { time: number; offset: [number, number, number]; rotation: [number, number, number] }[] =>
    Array.from({ length: steps + 1 }, (_, k) => {
      // slower and slower, to a stop
      const part = 0.5 * (1 - cos((Math.PI * k) / steps));
      const { inwards, turn } = ends(last * part);
      return { time: (0.4 * k) / steps, offset: [-side * inwards, 0, 0], rotation: [0, side * turn, 0] };
    });
  return {
    tendril: 1,
    title: 'Spaghetti that is bent until it breaks',
    gravity: [0, 0, -9.81],
    rods: [
      {
        ...rod,
        shape: { type: 'straight', from: [-LENGTH / 2, 0, 0], to: [LENGTH / 2, 0, 0] },
        edges: 120,
        material: { ...material, damping: { mass: 2, stiffness: 2e-5 } },
        color: '#d9b25f',
        // two weak places, the second a quarter stronger than the first, so that bending alone does not break it; strong in the clamps
        break: {
          moment: {
            formula: `${12 * EI}*(1.8 - 0.8*exp(-(40*(u - 0.38))^2) - 0.55*exp(-(40*(u - 0.66))^2) + 2*exp(-(12*u)^2) + 2*exp(-(12*(1 - u))^2))`,
          },
        },
      },
    ],
    pins: [
      { rod: 'spaghetti', at: 'start', path: { interpolation: 'smooth', keys: keys(-1) } },
      { rod: 'spaghetti', at: 'end', path: { interpolation: 'smooth', keys: keys(1) } },
    ],
    time: { duration: 0.5, step: 1e-4 },
    output: { every: 0.002 },
  };
}

export const brokenSpaghetti: Case = defineCase({
  id: 'broken-spaghetti',
  topics: ['theory'],
  finish: 'wood',
  title: 'Spaghetti breaks in more than two pieces',
  claim:
    'A bent rod that breaks at one place breaks again at others: the wave that sets off from its new end raises the curvature to 1.428 times the initial one.',
  group: 'classics',
  source: 'Audoly and Neukirch 2005: the self-similar solution of a bent beam whose end is released',
  models: ['der'],
  quick: [80],
  full: [80, 160, 320],
  controls: [
    youngsModulus({ low: 1e9, high: 1e10 }),
    { path: ['rods', 0, 'material', 'density'], label: 'Density', symbol: 'ρ', unit: 'kg/m³', low: 500, high: 3000 },
    { path: ['rods', 0, 'section', 'radius'], label: 'Radius', symbol: 'r', unit: 'm', low: 4e-4, high: 8e-4 },
  ],
  scene: bent,
  measure,
  expect: {
    'breaks of the released end': { value: 1, tolerance: 0 },
    'largest curvature / initial': { value: PEAK, tolerance: (n) => 0.8 / n },
    'its place / theory': { value: 1, tolerance: (n) => 2.01 / n },
  },
});
