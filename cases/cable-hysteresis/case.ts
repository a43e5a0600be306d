import { tanh } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';

/** Largest moment of friction [N m], and its stiffness relative to EI = GJ = 1 N m². */
const LIMIT = { bending: 0.2, twist: 0.1 };
const STIFFNESS = 3;

/** A cable that is clamped at its start and turned to and fro by a torque at its end; one turn a second. */
function cable(edges: number, torque: readonly [number, number, number]): SceneInput {
  return {
    tendril: 1,
    title: 'A cable with friction between its strands, bent to and fro',
    rods: [
      {
        id: 'cable',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1e-5, inertia: 1e-8, radius: 0.01, damping: { mass: 20 } },
        law: { type: 'dahl', limit: LIMIT, stiffness: STIFFNESS },
      },
    ],
    pins: [{ rod: 'cable', at: 'start' }],
    loads: [{ type: 'torque', rod: 'cable', at: 'end', torque: [...torque], factor: { formula: 'sin(2*pi*t)' } }],
    time: { duration: 3, step: 0.01 },
    output: { every: 0.02 },
  };
}

/** Heat of a steady cycle over the loop area that Dahl's model has between ±amplitude; both per length. */
function measureLoop(n: number, torque: readonly [number, number, number], limit: number): Record<string, number> {
  const what = torque[0] === 0 ? 'curvature' : 'twist';
  const world = worldOf(cable(n, torque));
  const read = (): number => Math.abs(world.channel(0, what)[Math.floor(n / 2)]);
  const heat: number[] = [];
  let amplitude = 0;
  for (let k = 0; k < 16; k++) {
    equilibrium(world, 0.25 + 0.5 * k);
    amplitude = read();
    heat.push((world.energies().dissipated ?? 0) / (1 - 0.5 / n));
  }
  const x = (STIFFNESS * amplitude) / limit;
  const area = 4 * limit * amplitude * (1 - tanh(x) / x);
  return {
    [`${what}: loop area over theory`]: (heat[15] - heat[13]) / area,
    [`${what}: torque over theory`]: Math.abs(torque[0] + torque[1]) / (amplitude + limit * tanh(x)),
  };
}

/** The same cycle in motion, with n steps per second: slow against the cable's own frequencies. */
function measureMotion(n: number): Record<string, number | boolean> {
  const world = worldOf(cable(8, [0, -0.5, 0]));
  let amplitude = 0;
  let grows = true;
  const heat = [0];
  for (let k = 1; k <= 3 * n; k++) {
    world.step(1 / n);
    const { dissipated = 0 } = world.energies();
    grows &&= dissipated >= heat[k - 1];
    heat.push(dissipated);
    if (k > 2 * n) amplitude = Math.max(amplitude, world.channel(0, 'curvature')[4]);
  }
  const x = (STIFFNESS * amplitude) / LIMIT.bending;
  const area = 4 * LIMIT.bending * amplitude * (1 - tanh(x) / x);
  return {
    'in motion: loop area over theory': (heat[3 * n] - heat[2 * n]) / (1 - 0.5 / 8) / area,
    'in motion: heat grows': grows,
  };
}

export const cableHysteresis: Case = defineCase({
  id: 'cable-hysteresis',
  topics: ['theory'],
  finish: 'steel',
  title: 'Friction inside a cable: the loop of moment and curvature',
  claim: "A rod with the law dahl has the hysteresis of Dahl's friction model in bending and twist.",
  group: 'classics',
  source: 'Dahl: loop area in closed form',
  models: ['der'],
  quick: [20, 40],
  full: [20, 40, 80, 160],
  controls: [
    {
      path: ['loads', 0, 'torque', 1],
      label: 'Bending torque',
      symbol: 'M',
      unit: 'N·m',
      low: 0.05,
      high: 2,
      factor: -1,
    },
    {
      path: ['rods', 0, 'law', 'limit', 'bending'],
      label: 'Largest moment of friction',
      symbol: 'M₀',
      unit: 'N·m',
      low: 0.02,
      high: 0.8,
    },
    { path: ['rods', 0, 'law', 'stiffness'], label: 'Stiffness of the friction', symbol: 'σ', low: 0.3, high: 30 },
  ],
  scene: () => cable(30, [0, -1, 0]),
  measure: (n) => ({
    ...measureLoop(8, [0, -0.5, 0], LIMIT.bending),
    ...measureLoop(8, [0.4, 0, 0], LIMIT.twist),
    ...measureMotion(n),
  }),
  expect: {
    // steps between the ends of the loop are exact; after eight cycles the loop is steady
    'curvature: loop area over theory': { value: 1, tolerance: 1e-7 },
    'curvature: torque over theory': { value: 1, tolerance: 1e-7 },
    'twist: loop area over theory': { value: 1, tolerance: 1e-7 },
    'twist: torque over theory': { value: 1, tolerance: 1e-7 },
    // damping adds up to 20 ρ L⁴ κ′/8 = 8e-5 N m to torques of 0.5 N m; steps end at the ends of the loop
    'in motion: loop area over theory': { value: 1, tolerance: 2e-4 },
    'in motion: heat grows': { holds: true },
  },
});
