import type { SceneInput } from '@tendril/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';

/** Two bodies on a shaft, set spinning against each other: kinetic energy goes into twist and comes back. */
const GJ = 0.8;
const LENGTH = 1.5;
const INERTIA = [0.03, 0.05];
const OMEGA = Math.sqrt((GJ / LENGTH) * (1 / INERTIA[0] + 1 / INERTIA[1]));

function scene(edges: number, step: number): SceneInput {
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
    bodies: [body('left', INERTIA[0], 0, 5), body('right', INERTIA[1], LENGTH, (-5 * INERTIA[0]) / INERTIA[1])],
    welds: [
      { rod: 'shaft', at: 'start', body: 'left' },
      { rod: 'shaft', at: 'end', body: 'right' },
    ],
    time: { duration: 4, step },
    solver: { der: { integrator: 'midpoint', twist: 'quasistatic', tolerance: 1e-11 } },
    output: { every: 0.02 },
  };
}

export const torqueTransducer: Case = defineCase({
  id: 'torque-transducer',
  title: 'Torque transducer: kinetic energy and twist',
  source: 'Bergou et al. 2008, Fig. 6; torsional oscillator ω² = (GJ/L)(1/I1 + 1/I2)',
  models: ['der'],
  quick: [200, 400],
  full: [200, 400, 800],
  scene: () => scene(20, 0.01),
  measure(n) {
    const step = 4 / n;
    const world = worldOf(scene(20, step));
    const start = world.energies();
    let drift = 0;
    let most = 0;
    let spinSum = 0;
    const crossings: number[] = [];
    let before = world.bodies[0].pose.angularVelocity[0];
    for (let k = 0; k < n; k++) {
      world.step();
      const energies = world.energies();
      drift = Math.max(drift, Math.abs(energies.total / start.total - 1));
      most = Math.max(most, energies.twisting / start.total);
      spinSum = Math.max(spinSum, Math.hypot(...world.momentum().angular));
      const now = world.bodies[0].pose.angularVelocity[0];
      if (now > 0 !== before > 0) crossings.push(world.time - (step * now) / (now - before));
      before = now;
    }
    const half = (crossings[crossings.length - 1] - crossings[0]) / (crossings.length - 1);
    return {
      'angular frequency [rad/s]': Math.PI / half,
      'largest share of twist': most,
      'change of the total energy': drift,
      'angular momentum [kg m²/s]': spinSum,
    };
  },
  expect: {
    // the midpoint rule lowers the frequency by (ωh)²/12
    'angular frequency [rad/s]': { value: OMEGA, tolerance: (n) => 40 / n ** 2, order: 1.8, floor: 1e-5 },
    'largest share of twist': { value: 1, tolerance: 5e-3 },
    'change of the total energy': { value: 0, tolerance: 1e-2 },
    'angular momentum [kg m²/s]': { value: 0, tolerance: 1e-7 },
  },
});
