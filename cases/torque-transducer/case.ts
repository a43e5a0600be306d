import { hypotOf, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, worldOf } from '../src/case.ts';
import { twistingStiffness } from '../src/controls.ts';

/** Two bodies on a shaft, set spinning against each other: kinetic energy goes into twist and comes back. */
const GJ = 0.8;
const LENGTH = 1.5;
const INERTIA = [0.03, 0.05];
const OMEGA = Math.sqrt((GJ / LENGTH) * (1 / INERTIA[0] + 1 / INERTIA[1]));

type Scheme = 'midpoint' | 'shake' | 'fast-projection';

function scene(edges: number, step: number, integrator: Scheme, inertia: readonly number[] = INERTIA): SceneInput {
  const body = (id: string, moment: number, x: number, spin: number) => ({
    id,
    mass: 2,
    inertia: [moment, moment, moment],
    position: [x, 0, 0] as [number, number, number],
    velocity: { angular: [spin, 0, 0] as [number, number, number] },
  });
  return {
    tendril: 1,
    title: 'Torque transducer: two flywheels trade their spin through a shaft',
    rods: [
      {
        id: 'shaft',
        shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] },
        edges,
        section: { type: 'stiffness', EA: 1e5, EI1: 1, GJ, mass: 0.05, radius: 0.02 },
      },
    ],
    // no net angular momentum: the middle of the twist stands still
    bodies: [body('left', inertia[0], 0, 5), body('right', inertia[1], LENGTH, (-5 * inertia[0]) / inertia[1])],
    welds: [
      { rod: 'shaft', at: 'start', body: 'left' },
      { rod: 'shaft', at: 'end', body: 'right' },
    ],
    time: { duration: 4, step },
    solver: { der: { integrator, twist: 'quasistatic', tolerance: 1e-11 } },
    output: { every: 0.02 },
  };
}

/** As in the paper, one body is much heavier than the other. */
const UNEQUAL = [0.03, 0.3];

/** The paper's plot: the total energy, broken up into those of both bodies and of the shaft. */
function exchange(): CaseFigure {
  const world = worldOf(scene(20, 0.005, 'midpoint', UNEQUAL));
  const read = () => {
    const spin = world.bodies.map(({ pose }, k) => 0.5 * UNEQUAL[k] * square(pose.angularVelocity[0]));
    return { time: world.time, spin, ...world.energies() };
  };
  const rows = [read()];
  while (world.time < 2 - 1e-9) {
    world.step();
    rows.push(read());
  }
  return {
    title: 'Torque transducer: two bodies and the rod between them trade their energy',
    subtitle: 'moments of inertia 0.03 and 0.3 kg m², angular momenta equal and opposite',
    x: rows.map(({ time }) => time),
    xLabel: 'time',
    xUnit: 's',
    yLabel: 'energy',
    yUnit: 'J',
    lines: [
      { label: 'light body', y: rows.map(({ spin }) => spin[0]) },
      { label: 'rod', y: rows.map(({ twisting, bending, stretching }) => twisting + bending + stretching) },
      { label: 'heavy body', y: rows.map(({ spin }) => spin[1]) },
      { label: 'sum', y: rows.map(({ total }) => total) },
    ],
    points: [],
  };
}

interface Found {
  readonly frequency: number;
  readonly share: number;
  readonly drift: number;
  readonly momentum: number;
}

function swing(n: number, integrator: Scheme): Found {
  const step = 4 / n;
  const world = worldOf(scene(20, step, integrator));
  const start = world.energies();
  let drift = 0;
  let share = 0;
  let momentum = 0;
  const crossings: number[] = [];
  let before = world.bodies[0].pose.angularVelocity[0];
  for (let k = 0; k < n; k++) {
    world.step();
    const energies = world.energies();
    drift = Math.max(drift, Math.abs(energies.total / start.total - 1));
    share = Math.max(share, energies.twisting / start.total);
    momentum = Math.max(momentum, hypotOf(world.momentum().angular));
    const now = world.bodies[0].pose.angularVelocity[0];
    if (now > 0 !== before > 0) crossings.push(world.time - (step * now) / (now - before));
    before = now;
  }
  const half = (crossings[crossings.length - 1] - crossings[0]) / (crossings.length - 1);
  return { frequency: Math.PI / half, share, drift, momentum };
}

export const torqueTransducer: Case = defineCase({
  id: 'torque-transducer',
  topics: ['theory'],
  finish: 'steel',
  title: 'Torque transducer: kinetic energy and twist',
  claim:
    'Two bodies at the ends of a shaft, set spinning against each other, trade their kinetic energy with the twist of the shaft at ω² = (GJ/L)(1/I1 + 1/I2); energy and angular momentum are kept.',
  group: 'bergou2008',
  colorBy: 'twist',
  source: 'Bergou et al. 2008, Fig. 6; torsional oscillator ω² = (GJ/L)(1/I1 + 1/I2)',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 6',
      claim: 'Two bodies on a rod exchange the energy of their spin through the twist of the rod.',
      timed: { row: 'Fig. 6', scene: () => scene(199, 0.002, 'midpoint'), remark: 'implicit midpoint rule' },
    },
  ],
  quick: [200, 400],
  full: [200, 400, 800],
  controls: [
    {
      path: ['bodies', 0, 'velocity', 'angular', 0],
      label: 'Spin of the left wheel',
      symbol: 'ω₁',
      unit: 'rad/s',
      low: -15,
      high: 15,
    },
    twistingStiffness({ low: 0.1, high: 5 }),
    {
      path: ['bodies', 1, 'inertia', 0],
      label: 'Inertia of the right wheel',
      symbol: 'I₂',
      unit: 'kg·m²',
      low: 5e-3,
      high: 0.5,
    },
  ],
  scene: () => scene(20, 0.01, 'midpoint'),
  figure: exchange,
  measure(n) {
    const implicit = swing(n, 'midpoint');
    // the paper's coupling; steps are cut to the stable 0.4 ms
    const shake = swing(n, 'shake');
    const fast = swing(n, 'fast-projection');
    return {
      'angular frequency [rad/s]': implicit.frequency,
      'largest share of twist': implicit.share,
      'change of the total energy': implicit.drift,
      'angular momentum [kg m²/s]': implicit.momentum,
      'angular frequency, shake [rad/s]': shake.frequency,
      'change of the total energy, shake': shake.drift,
      'angular momentum, shake [kg m²/s]': shake.momentum,
      'angular frequency, fast-projection [rad/s]': fast.frequency,
      'change of the total energy, fast-projection': fast.drift,
    };
  },
  expect: {
    // the midpoint rule lowers the frequency by (ωh)²/12
    'angular frequency [rad/s]': { value: OMEGA, tolerance: (n) => 40 / (n * n), order: 1.8, floor: 1e-5 },
    'largest share of twist': { value: 1, tolerance: 5e-3 },
    'change of the total energy': { value: 0, tolerance: 1e-2 },
    'angular momentum [kg m²/s]': { value: 0, tolerance: 1e-7 },
    // crossings are read off a chord of the step
    'angular frequency, shake [rad/s]': { value: OMEGA, tolerance: (n) => 2 / (n * n) + 1e-6 },
    'change of the total energy, shake': { value: 0, tolerance: 1e-5 },
    'angular momentum, shake [kg m²/s]': { value: 0, tolerance: 1e-10 },
    'angular frequency, fast-projection [rad/s]': { value: OMEGA, tolerance: (n) => 2 / (n * n) + 1e-6 },
    'change of the total energy, fast-projection': { value: 0, tolerance: 1e-2 },
  },
});
