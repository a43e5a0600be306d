import type { World } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { numberAt } from '../src/controls.ts';

/** Yield moments of bending and twist [N m], hardening, and the moments that form the wire; EI = GJ = 1 N m². */
const YIELD = { bending: 1, twist: 0.5 };
const HARDENING = 0.2;
const BEND = 1.5;
const TWIST = 0.8;

/** Torques at the end of a wire that is clamped at its start: `keys` are times and factors. */
function wire(edges: number, torque: readonly [number, number, number], keys: readonly [number, number][]): SceneInput {
  return {
    tendril: 1,
    title: 'A wire is bent, let go, and keeps a curve',
    rods: [
      {
        id: 'wire',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: {
          type: 'stiffness',
          EI1: 1,
          GJ: 1,
          mass: 1e-5,
          inertia: 1e-8,
          radius: 0.01,
          damping: { mass: 20 },
        },
        law: { type: 'elastoplastic', yield: YIELD, hardening: HARDENING },
      },
    ],
    pins: [{ rod: 'wire', at: 'start' }],
    loads: [
      {
        type: 'torque',
        rod: 'wire',
        at: 'end',
        torque: [...torque],
        factor: { keys: [...keys], interpolation: 'linear' },
      },
    ],
    time: { duration: 3, step: 0.02 },
    output: { every: 0.05 },
  };
}

const loading: readonly [number, number][] = [
  [0, 0],
  [1, 1],
  [2, 0],
  [3, 0],
];
const cycle: readonly [number, number][] = [
  [0, 0],
  [1, 1],
  [2, -1],
  [3, 1],
];

/** Curvature or twist rate in the middle of the wire [1/m]. */
function read(world: World, channel: 'curvature' | 'twist'): number {
  const values = world.channel(0, channel);
  return Math.abs(values[Math.floor(values.length / 2)]);
}

/** Bilinear law: strain under a moment, what springs back, and the plastic strain. */
function bilinear(moment: number, limit: number): { readonly formed: number; readonly kept: number } {
  const formed = limit + (moment - limit) / HARDENING;
  return { formed, kept: formed - moment };
}

function measureForming(n: number): Record<string, number> {
  const out: Record<string, number> = {};
  const bent = worldOf(wire(n, [0, -BEND, 0], loading));
  equilibrium(bent, 1);
  out['bent: curvature under load'] = read(bent, 'curvature');
  equilibrium(bent, 2);
  out['bent: curvature that stays'] = read(bent, 'curvature');
  const twisted = worldOf(wire(n, [TWIST, 0, 0], loading));
  equilibrium(twisted, 1);
  equilibrium(twisted, 2);
  out['twisted: twist that stays'] = read(twisted, 'twist');
  const moving = worldOf(wire(n, [0, -BEND, 0], loading));
  while (moving.time < 3 - 1e-9) moving.step(0.02);
  out['in motion: curvature that stays'] = read(moving, 'curvature');
  return out;
}

/** Heat of a load to +M, to −M and back to +M, per length of wire that bends. */
function measureCycle(n: number): Record<string, number> {
  const world = worldOf(wire(n, [0, -BEND, 0], cycle));
  for (const t of [1, 2, 3]) equilibrium(world, t);
  return { 'cycle: heat per length': (world.energies().dissipated ?? 0) / (1 - 0.5 / n) };
}

const bending = bilinear(BEND, YIELD.bending);

export const wireForming: Case = defineCase({
  id: 'wire-forming',
  topics: ['theory'],
  finish: 'steel',
  title: 'A wire that is bent beyond yield springs back in part',
  claim:
    'A rod with the law elastoplastic keeps a curve after it was bent beyond its yield moment, and gives back the elastic part.',
  group: 'classics',
  source: 'bilinear moment and curvature, closed form',
  models: ['der'],
  quick: [4, 8],
  full: [8, 16, 32, 64],
  controls: [
    {
      path: ['loads', 0, 'torque', 1],
      label: 'Bending torque',
      symbol: 'M',
      unit: 'N·m',
      low: 0,
      high: 3,
      factor: -1,
      // the moment is the same all along the wire
      threshold: (scene) => {
        const at = numberAt(scene, ['rods', 0, 'law', 'yield', 'bending']);
        return { at, what: `keeps a curve above ${at.toFixed(2)} N·m` };
      },
    },
    {
      path: ['rods', 0, 'law', 'yield', 'bending'],
      label: 'Yield moment',
      symbol: 'M₀',
      unit: 'N·m',
      low: 0.2,
      high: 3,
      threshold: (scene) => {
        const at = -numberAt(scene, ['loads', 0, 'torque', 1]);
        return { at, what: `springs back wholly above ${at.toFixed(2)} N·m` };
      },
    },
    { path: ['rods', 0, 'law', 'hardening'], label: 'Hardening', symbol: 'h', low: 0, high: 1 },
  ],
  scene: () => wire(40, [0, -BEND, 0], loading),
  measure: (n) => ({ ...measureForming(n), ...measureCycle(n) }),
  expect: {
    // the moment is the same everywhere, so every mesh is exact
    'bent: curvature under load': { value: bending.formed, tolerance: 1e-7 },
    'bent: curvature that stays': { value: bending.kept, tolerance: 1e-7 },
    'twisted: twist that stays': { value: bilinear(TWIST, YIELD.twist).kept, tolerance: 1e-7 },
    // damping takes a moment of up to 20 ρ L⁴ κ′/8 = 1.9e-4 N m from the torque, which is 9e-4 of curvature
    'in motion: curvature that stays': { value: bending.kept, tolerance: 5e-4 },
    // plastic strain goes 0 → p → −p → p at the moment of yield
    'cycle: heat per length': { value: 5 * YIELD.bending * bending.kept, tolerance: 1e-7 },
  },
});
