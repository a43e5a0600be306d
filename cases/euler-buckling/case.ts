import type { ModelId } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, nodeAt, onModel, worldOf } from '../src/case.ts';
import { massDamping } from '../src/controls.ts';

type Pins = NonNullable<SceneInput['pins']>;

/** Euler's loads P L²/EI of a straight column. The loaded end may slide along the column. */
const columns: { name: string; load: number; pins: Pins }[] = [
  { name: 'clamped-free', load: 2.46740110027, pins: [{ rod: 'column', at: 'start' }] },
  {
    name: 'pinned-pinned',
    load: 9.86960440109,
    pins: [
      { rod: 'column', at: 'start', hold: 'position' },
      { rod: 'column', at: 'end', hold: 'position', axes: ['x', 'y'] },
    ],
  },
  {
    name: 'clamped-pinned',
    load: 20.1907285564,
    pins: [
      { rod: 'column', at: 'start' },
      { rod: 'column', at: 'end', hold: 'position', axes: ['x', 'y'] },
    ],
  },
  {
    name: 'clamped-clamped',
    load: 39.4784176044,
    pins: [
      { rod: 'column', at: 'start' },
      { rod: 'column', at: 'end', hold: 'clamp', axes: ['x', 'y'] },
    ],
  },
];

/** Clamped-clamped elastica pushed together by D: mid deflection and load. */
const buckled = [
  { shortening: 0.01, amplitude: 0.0634627217646, load: 1.00502829004 },
  { shortening: 0.1, amplitude: 0.194924311376, load: 1.05298688032 },
  { shortening: 0.3, amplitude: 0.314312612956, load: 1.18069881491 },
];
const EULER = 39.4784176044;

function column(edges: number, load: number, pins: Pins): SceneInput {
  return {
    tendril: 1,
    title: 'Column under its critical load',
    rods: [
      {
        id: 'column',
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 2 / 3, mass: 1, radius: 0.01 },
      },
    ],
    pins,
    loads: [{ type: 'force', rod: 'column', at: 'end', force: [0, 0, -load] }],
    statics: { stability: 'report' },
  };
}

function shortened(edges: number): SceneInput {
  return {
    tendril: 1,
    title: 'Column pushed together between two clamps',
    rods: [
      {
        id: 'column',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        // weaker in one plane, so that it knows where to go
        section: { type: 'stiffness', EI1: 2, EI2: 1, GJ: 1, mass: 1, radius: 0.01, damping: { mass: 5 } },
        frame: { d1: [0, 0, 1] },
        // in motion it needs a push to leave the straight line; statics finds its way by itself
        velocity: { linear: [0, 0, 0.02] },
      },
    ],
    pins: [
      { rod: 'column', at: 'start' },
      {
        rod: 'column',
        at: 'end',
        path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 0.5, offset: [-0.5, 0, 0] }] },
      },
    ],
    time: { duration: 0.5, step: 0.0025 },
    statics: { from: 0, to: 0.5, steps: 50 },
    output: { every: 0.01 },
  };
}

/** Least weight qL³/EI under which a clamped column does not stand, and largest torque ML/EI that a rod between clamps bears. */
const GREENHILL = { weight: 7.83734744, torque: 8.98681891 };
/** Stiff in torsion, so that no cuboid of a fiber twists by more than it can before the rod gives way. */
const GJ = 2;

function standing(edges: number, gravity: number, model: ModelId): SceneInput {
  const { loads: _, ...rest } = column(edges, 0, [{ rod: 'column', at: 'start' }]);
  const scene = {
    ...rest,
    title: 'Column under its own weight',
    gravity: [0, 0, -gravity] as [number, number, number],
  };
  return onModel(model === 'helix' ? { ...scene, solver: { helix: { elements: edges } } } : scene, model);
}

function twisted(edges: number, angle: number, model: ModelId): SceneInput {
  const turning = {
    rod: 'column',
    at: 'end' as const,
    hold: 'clamp' as const,
    axes: ['x', 'y'] as ('x' | 'y')[],
    path: { interpolation: 'linear' as const, keys: [{ time: 0 }, { time: 1, twist: angle }] },
  };
  const { loads: _, ...rest } = column(edges, 0, [{ rod: 'column', at: 'start' }, turning]);
  const rods = rest.rods.map((rod) => ({
    ...rod,
    section: { type: 'stiffness' as const, EI1: 1, GJ, mass: 1, radius: 0.01 },
  }));
  return onModel({ ...rest, rods, title: 'Column twisted between two clamps' }, model);
}

/** Where a verdict changes, by bisection to 1e-6. */
function threshold(guess: number, stands: (value: number) => boolean): number {
  let [low, high] = [0.7 * guess, 1.4 * guess];
  while (high - low > 1e-6 * guess) {
    const middle = 0.5 * (low + high);
    if (stands(middle)) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

function criticalWeight(edges: number, model: ModelId): number {
  return threshold(GREENHILL.weight, (g) => equilibrium(worldOf(standing(edges, g, model)))[0].stable);
}

/** The torque itself, at the clamp: cuboids twist by a law that is not linear. */
function criticalTorque(edges: number, model: ModelId): number {
  const steps = 4;
  let torque = 0;
  threshold(GREENHILL.torque / GJ, (angle) => {
    const world = worldOf(twisted(edges, angle, model));
    let stable = true;
    for (let k = 0; k <= steps && stable; k++) stable = equilibrium(world, k / steps)[0].stable;
    if (stable) torque = Math.abs(world.reactions()[0].torque[2]);
    return stable;
  });
  return torque;
}

/** Load at which the straight column's tangent stiffness first has a negative eigenvalue, by bisection. */
function criticalLoad(edges: number, guess: number, pins: Pins, model: ModelId): number {
  let low = 0.5 * guess;
  let high = 1.5 * guess;
  while (high - low > 1e-7 * guess) {
    const load = 0.5 * (low + high);
    const world = worldOf(onModel(column(edges, load, pins), model));
    const [report] = equilibrium(world);
    if (report.stable) low = load;
    else high = load;
  }
  return 0.5 * (low + high);
}

/** Models that hold both ends. */
const held: readonly ModelId[] = ['der', 'fiber', 'cosserat'];

export const eulerBuckling: Case = defineCase({
  id: 'euler-buckling',
  topics: ['theory'],
  title: 'Buckling of a column, and beyond',
  claim:
    "The verdict on stability finds Euler's critical loads for four kinds of support, and Greenhill's two: the weight under which a column no longer stands, qL³/EI = 7.8373, and the torque under which a rod between clamps buckles, ML/EI = 8.9868. Pushed together further between two clamps, the column follows the buckled branch: deflection and load agree with the elastica up to a shortening of 0.3 L.",
  group: 'classics',
  source: 'Euler; Greenhill; clamped-clamped elastica by elliptic integrals',
  models: ['der', 'fiber', 'cosserat', 'helix', 'strand'],
  quick: [20, 40],
  full: [20, 40, 80, 160],
  resolutions: { helix: { quick: [4, 8], full: [4, 8, 16] } },
  controls: [
    {
      path: ['pins', 1, 'path', 'keys', 1, 'offset', 0],
      label: 'Pushed together by',
      symbol: 'D',
      unit: 'm',
      low: 0,
      high: 0.7,
      factor: -1,
    },
    {
      path: ['rods', 0, 'section', 'EI2'],
      label: 'Bending stiffness',
      symbol: 'EI₂',
      unit: 'N·m²',
      low: 0.1,
      high: 10,
    },
    massDamping({ high: 50 }),
  ],
  scene: () => shortened(60),
  measure(n, model) {
    const out: Record<string, number> = { 'critical weight, standing': criticalWeight(n, model) };
    if (!held.includes(model)) return out;
    out['critical torque between clamps'] = criticalTorque(n, model);
    for (const { name, load, pins } of columns) out[`critical load, ${name}`] = criticalLoad(n, load, pins, model);
    const world = worldOf(onModel(shortened(n), model));
    equilibrium(world, 0);
    for (const { shortening } of buckled) {
      const from = world.time;
      const steps = Math.ceil((shortening - from) / 0.01);
      for (let k = 1; k <= steps; k++) equilibrium(world, from + ((shortening - from) * k) / steps);
      const tension = world.channel(0, 'tension');
      out[`mid deflection, D/L = ${shortening}`] = Math.abs(nodeAt(world, 0, n / 2)[2]);
      // at mid-span the rod is parallel to the load
      out[`load, D/L = ${shortening}`] = -(tension[n / 2 - 1] + tension[n / 2]) / 2 / EULER;
    }
    return out;
  },
  expect: Object.fromEntries([
    [
      'critical weight, standing',
      {
        value: GREENHILL.weight,
        tolerance: (n: number, model: ModelId) => (model === 'helix' ? 0.2 : 1) / (n * n),
        order: 1.8,
        floor: 5e-5,
      },
    ],
    [
      'critical torque between clamps',
      {
        value: GREENHILL.torque,
        tolerance: (n: number, model: ModelId) => (model === 'fiber' ? 12 : 2) / (n * n),
        order: 1.8,
        floor: 5e-5,
        models: held,
      },
    ],
    ...columns.map(({ name, load }) => [
      `critical load, ${name}`,
      { value: load, tolerance: (n: number) => 8 / (n * n), order: 1.8, floor: 3e-5, models: held },
    ]),
    ...buckled.flatMap(({ shortening, amplitude, load }) => [
      [
        `mid deflection, D/L = ${shortening}`,
        // the scaffold of a fiber is compressed by some 1e-3 before it buckles
        {
          value: amplitude,
          tolerance: (n: number, model: ModelId) => (model === 'fiber' ? 15 : 8) / (n * n),
          order: 1.8,
          models: held,
        },
      ],
      [`load, D/L = ${shortening}`, { value: load, tolerance: (n: number) => 12 / (n * n), order: 1.8, models: held }],
    ]),
  ]),
});
