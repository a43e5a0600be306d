import type { ModelId } from '@tendril-sim/core';
import { hypot, hypotOf, log, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, distance, nodeAt, onModel, worldOf } from '../src/case.ts';
import { gravity } from '../src/controls.ts';

type Integrator = NonNullable<NonNullable<NonNullable<SceneInput['solver']>['der']>['integrator']>;

/** Rubber rod held straight and let go: 1 m, radius 5 mm, 10 MPa. */
function scene(edges: number, integrator: Integrator, step: number, duration: number, from: number): SceneInput {
  return {
    tendril: 1,
    title: 'A rubber rod is let go',
    description: 'Clamped at one end, held straight, released under gravity.',
    gravity: [0, 0, '-9.81 m/s^2'],
    materials: { rubber: { E: '10 MPa', nu: 0.5, density: '1000 kg/m^3' } },
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [from, 0, 0], to: ['1 m', 0, 0] },
        edges,
        section: { type: 'circle', radius: '5 mm' },
        material: 'rubber',
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration, step },
    solver: { der: { integrator } },
    output: { every: 0.02, probes: [{ name: 'tip', rod: 'rod', at: 'end' }] },
  };
}

/** The same in units of L = EI = ρA = 1 with weight parameter 10, inextensible: the swing that the energies are judged on. */
function swing(edges: number, integrator: Integrator, step: number): SceneInput {
  return {
    tendril: 1,
    title: 'Released cantilever, weight parameter 10',
    gravity: [0, 0, -10],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 2 / 3, mass: 1, radius: 0.01 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    time: { duration: 2, step },
    solver: { der: { integrator } },
  };
}

/** Largest change of the total energy, in units of EI/L. */
function energyDrift(
  edges: number,
  integrator: Integrator,
  step: number,
  duration = 2,
): { drift: number; iterationsMax: number; stretch: number } {
  const world = worldOf(swing(edges, integrator, step));
  const start = world.energies().total;
  let drift = 0;
  let iterationsMax = 0;
  let stretch = 0;
  const steps = Math.round(duration / step);
  for (let k = 1; k <= steps; k++) {
    iterationsMax = Math.max(iterationsMax, world.step().iterationsMax);
    if (k % 20 !== 0) continue;
    drift = Math.max(drift, Math.abs(world.energies().total - start));
    const { nodePosition: x } = world.samples[0];
    for (let j = 0; j < edges; j++) {
      const length = hypot(x[3 * j + 3] - x[3 * j], x[3 * j + 4] - x[3 * j + 1], x[3 * j + 5] - x[3 * j + 2]);
      stretch = Math.max(stretch, Math.abs(length * edges - 1));
    }
  }
  return { drift, iterationsMax, stretch };
}

/** Weight of the rod of `swing` times its length [EI/L]: more than the fall can set free. */
const FALL = 10;

/**
 * Largest change of energy by a symmetric scheme of second order, in units of `FALL`. A mode of frequency ω lends (ωh)²/8 of its energy.
 * Let go under its weight, a beam gives its modes c²/ω² each, with Σc² = 1 (all of the mass) and Σc²/ω² = 1/20 (its static energy is w²/40):
 * the mean of ω² is 20.
 */
const symmetricError = (step: number): number => (20 * square(step)) / 8;

/** Longest step that the explicit schemes take whole, in the units of `swing` with 40 edges. */
const EXPLICIT_STEP = 1.25e-4;
const explicitStep = (n: number): number => (EXPLICIT_STEP * 50) / n;

/** Order in the step of the energy change of an explicit scheme, from a swing with this step and with half of it. */
function energyOrder(integrator: Integrator, step: number): number {
  const [coarse, fine] = [step, step / 2].map((h) => energyDrift(40, integrator, h, 0.25).drift);
  return log(coarse / fine) / log(2);
}

type CosseratOptions = NonNullable<NonNullable<SceneInput['solver']>['cosserat']>;

/**
 * The swing of a Cosserat rod to t = 0.6 by two methods that share no integrator: explicit, with an inflated section, extrapolated
 * to none, and implicit, rigid in shear and stretch. Largest distances of nodes: of the extrapolation from the implicit one (`apart`), and of the
 * two explicit ones (`spread`); and the largest change of the explicit energies.
 */
function compareSwings(edges: number): { apart: number; spread: number; drift: number } {
  const world = (step: number, cosserat: CosseratOptions): ReturnType<typeof worldOf> =>
    worldOf(onModel({ ...swing(edges, 'tr-bdf2', step), solver: { cosserat } }, 'cosserat'));
  const thick = world(0.02, { integrator: 'verlet', gyration: 0.01 });
  const thin = world(0.02, { integrator: 'verlet', gyration: 0.005 });
  const rigid = world(1e-3, {});
  const start = [thick, thin].map((one) => one.energies().total);
  let apart = 0;
  let spread = 0;
  let drift = 0;
  for (let k = 0; k < 30; k++) {
    thick.step();
    thin.step();
    for (let j = 0; j < 20; j++) rigid.step();
    [thick, thin].forEach((one, m) => {
      drift = Math.max(drift, Math.abs(one.energies().total - start[m]));
    });
    for (let i = 0; i <= edges; i++) {
      const [a, b, c] = [thick, thin, rigid].map((one) => nodeAt(one, 0, i));
      apart = Math.max(apart, hypotOf(c.map((x, m) => (4 * b[m] - a[m]) / 3 - x)));
      spread = Math.max(spread, distance(a, b));
    }
  }
  return { apart, spread, drift };
}

/** Edges of the Cosserat rod, at resolution n. */
const edgesOfSwing = (n: number): number => (n * 2) / 5;

const derOnly: readonly ModelId[] = ['der'];
const cosseratOnly: readonly ModelId[] = ['cosserat'];

export const cantileverRelease: Case = defineCase({
  id: 'cantilever-release',
  topics: ['theory'],
  title: 'Energy of a rod that is let go, and another simulator',
  claim:
    "A cantilever that is held straight and let go keeps its energy: to 1e-6 of its weight times its length with shake, to 1e-4 with tr-bdf2. The error is of second order in the step with shake and tr-bdf2, and of first order with fast-projection. Projection keeps every edge's length in at most 3 iterations. The tip agrees with another simulator, which uses another method.",
  group: 'cosserat',
  source: 'conservation of energy; tip at 0.5 s by PyElastica, converged in its time step',
  models: ['der', 'cosserat'],
  papers: [
    {
      paper: 'bergou2008',
      figure: '§10',
      claim: 'Fast projection dissipates energy while it enforces the constraints.',
      quantities: [
        'energy change over the swing, shake',
        'largest stretch, fast projection',
        'projection iterations, fast projection',
        'order of the energy change in the step',
      ],
    },
  ],
  quick: [50],
  full: [50, 100],
  controls: [
    { path: ['materials', 'rubber', 'E'], label: "Young's modulus", symbol: 'E', unit: 'Pa', low: 1e6, high: 1e9 },
    { path: ['rods', 0, 'section', 'radius'], label: 'Radius', symbol: 'r', unit: 'm', low: 1e-3, high: 2e-2 },
    gravity({ high: 30 }),
  ],
  scene: () => scene(50, 'tr-bdf2', 0.005, 1.5, 0),
  measure(n, model): Readonly<Record<string, number>> {
    // the other simulator holds the whole first of its 50 elements: its rod bends from 1 cm on only
    const world = worldOf(onModel(scene(n, 'tr-bdf2', 1e-3, 0.5, 0.01), model));
    for (let k = 0; k < 500; k++) world.step();
    const tip = nodeAt(world, 0, -1);
    if (model === 'cosserat') {
      const { apart, spread, drift } = compareSwings(edgesOfSwing(n));
      return {
        'tip x at 0.5 s': tip[0],
        'tip z at 0.5 s': tip[2],
        'energy change over the swing, verlet': drift,
        'largest distance of verlet from tr-bdf2': apart,
        'largest distance of the two inflated sections': spread,
      };
    }
    const step = explicitStep(n);
    const shake = energyDrift(40, 'shake', step);
    const fast = energyDrift(40, 'fast-projection', step);
    const smooth = energyDrift(40, 'tr-bdf2', 5e-3 / (n / 50));
    return {
      'tip x at 0.5 s': tip[0],
      'tip z at 0.5 s': tip[2],
      'energy change over the swing, shake': shake.drift,
      'largest stretch, shake': shake.stretch,
      'projection iterations, shake': shake.iterationsMax,
      'largest stretch, fast projection': fast.stretch,
      'projection iterations, fast projection': fast.iterationsMax,
      'energy change over the swing, tr-bdf2': smooth.drift,
      'energy change over the swing, fast projection': fast.drift,
      'order of the energy change in the step, shake': energyOrder('shake', step),
      'order of the energy change in the step, fast projection': energyOrder('fast-projection', step),
    };
  },
  expect: {
    // its clamped element differs from a clamped node by a part of an edge
    'tip x at 0.5 s': { value: -0.1212, scale: 1, tolerance: (n) => 0.16 / n },
    'tip z at 0.5 s': { value: -0.8998, scale: 1, tolerance: (n) => 0.16 / n },
    // in units of the weight times the length
    'energy change over the swing, shake': {
      value: 0,
      scale: FALL,
      tolerance: (n) => symmetricError(explicitStep(n)),
      order: 1.9,
      models: derOnly,
    },
    'energy change over the swing, fast projection': {
      value: 0,
      scale: FALL,
      tolerance: 0.01,
      order: 0.9,
      models: derOnly,
    },
    'largest stretch, shake': { atMost: 1e-10, models: derOnly },
    'projection iterations, shake': { atMost: 3, models: derOnly },
    'largest stretch, fast projection': { atMost: 1e-10, models: derOnly },
    'projection iterations, fast projection': { atMost: 3, models: derOnly },
    'energy change over the swing, tr-bdf2': { value: 0, scale: FALL, tolerance: 1e-4, order: 1.9, models: derOnly },
    // a symmetric scheme against one that is implicit in the constraint forces
    'order of the energy change in the step, shake': { value: 2, scale: 1, tolerance: 0.1, models: derOnly },
    'order of the energy change in the step, fast projection': { value: 1, scale: 1, tolerance: 0.1, models: derOnly },
    // no step is longer than a wave of stretch takes over an edge: its speed is 1/gyration
    'energy change over the swing, verlet': {
      value: 0,
      scale: FALL,
      tolerance: (n) => symmetricError(0.01 / edgesOfSwing(n)),
      models: cosseratOnly,
    },
    // extrapolation removes what the sections differ by
    'largest distance of verlet from tr-bdf2': {
      lessThan: 'largest distance of the two inflated sections',
      models: cosseratOnly,
    },
  },
});
