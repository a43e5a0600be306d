import type { World } from '@tendril-sim/core';
import { atan2, sin, square } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, type CaseFigure, defineCase, worldOf } from '../src/case.ts';
import { gravity, numberAt } from '../src/controls.ts';

/**
 * The steel spring of `helical-spring` (five turns) with a body on its axis, free to move along and turn about it. The body's
 * inertia is tuned so that both motions have the same frequency: they then trade all their energy, once in a beat period.
 */
const MASS = 0.5;
const INERTIA = 6.42984896368e-5;
const STIFFNESS = { axial: 241.889692598, torsional: 0.0311062837855 };
const BEAT = 13.7835108428;
const HEIGHT = 0.025;

function scene(perTurn: number, step: number, duration: number): SceneInput {
  return {
    tendril: 1,
    title: 'Wilberforce pendulum: bouncing turns into twisting and back',
    // next to no mass in the wire: the theory is for a massless spring about its natural state
    materials: { steel: { E: '200 GPa', nu: 0.3, density: 8 } },
    rods: [
      {
        id: 'spring',
        shape: { type: 'helix', axis: [0, 0, 1], start: [1, 0, 0], radius: '10 mm', pitch: '5 mm', turns: 5 },
        edges: 5 * perTurn,
        section: { type: 'circle', radius: '0.5 mm' },
        material: 'steel',
      },
    ],
    pins: [{ rod: 'spring', at: 'start' }],
    bodies: [
      {
        id: 'bob',
        mass: MASS,
        inertia: [INERTIA, INERTIA, INERTIA],
        // on the axis of the nodes, which lie on a slightly larger circle through the start of the wire
        position: [0.01 - (0.01 * (Math.PI / perTurn)) / sin(Math.PI / perTurn), 0, HEIGHT],
        velocity: { linear: [0, 0, 0.02] },
        free: { translation: ['z'], rotation: ['z'] },
      },
    ],
    welds: [{ rod: 'spring', at: 'end', body: 'bob' }],
    time: { duration, step },
    // midpoint would keep the bob's energy exactly, but lets the stretch of the wire ring and grow
    solver: { der: { integrator: 'tr-bdf2', twist: 'quasistatic' } },
    output: { every: 0.05 },
  };
}

const BOB = { mass: 0.3, inertia: 8.4e-5 };

/** As in the paper: the spring hangs from its upper end, and the bob, free in all directions, is let go where it is unstretched. */
function hanging(perTurn: number, step: number, duration: number): SceneInput {
  return {
    tendril: 1,
    title: 'Wilberforce pendulum: a hanging spring, bouncing and turning by turns',
    gravity: [0, 0, -9.81],
    materials: { steel: { E: '200 GPa', nu: 0.3, density: 7850 } },
    rods: [
      {
        id: 'spring',
        shape: { type: 'helix', axis: [0, 0, -1], start: [1, 0, 0], radius: '15 mm', pitch: '4 mm', turns: 12 },
        edges: 12 * perTurn,
        section: { type: 'circle', radius: '0.5 mm' },
        material: 'steel',
      },
    ],
    pins: [{ rod: 'spring', at: 'start' }],
    bodies: [{ id: 'bob', mass: BOB.mass, inertia: [1e-4, 1e-4, BOB.inertia], position: [0, 0, -0.048] }],
    welds: [{ rod: 'spring', at: 'end', body: 'bob' }],
    time: { duration, step },
    solver: { der: { integrator: 'tr-bdf2' } },
    output: {
      every: 0.05,
      probes: [
        { name: 'bouncing', body: 'bob', quantity: 'translationalEnergy' },
        { name: 'turning', body: 'bob', quantity: 'rotationalEnergy' },
      ],
    },
  };
}

/** Largest kinetic energies of bouncing and turning [mJ] in every half second, about two swings. */
function hangingEnergies(
  perTurn: number,
  step: number,
  duration: number,
): Record<'time' | 'bouncing' | 'turning', number[]> {
  const world = worldOf(hanging(perTurn, step, duration));
  const out: ReturnType<typeof hangingEnergies> = { time: [], bouncing: [], turning: [] };
  let [bouncing, turning] = [0, 0];
  while (world.time < duration - 1e-9) {
    world.step();
    const { velocity, angularVelocity } = world.bodies[0].pose;
    bouncing = Math.max(bouncing, 500 * BOB.mass * square(velocity[2]));
    turning = Math.max(turning, 500 * BOB.inertia * square(angularVelocity[2]));
    if (world.time < 0.5 * (out.time.length + 1) - 1e-9) continue;
    out.time.push(world.time - 0.25);
    out.bouncing.push(bouncing);
    out.turning.push(turning);
    [bouncing, turning] = [0, 0];
  }
  return out;
}

/** The paper's plot, of the hanging spring with a free bob. */
function exchange(): CaseFigure {
  const { time, bouncing, turning } = hangingEnergies(10, 0.005, 30);
  return {
    title: 'Wilberforce pendulum: energies of the hanging bob',
    subtitle: 'kinetic energy, the largest of every half second',
    x: time,
    xLabel: 'time',
    xUnit: 's',
    yLabel: 'energy [mJ]',
    lines: [
      { label: 'turning', y: turning },
      { label: 'bouncing', y: bouncing },
    ],
    points: [],
  };
}

/** Energy of the axial motion and of the turning, with the linear stiffnesses. */
function shares(world: World): { axial: number; torsional: number } {
  const { pose } = world.bodies[0];
  const z = pose.position[2] - HEIGHT;
  const psi = 2 * atan2(pose.orientation[3], pose.orientation[0]);
  return {
    axial: 0.5 * MASS * (pose.velocity[2] * pose.velocity[2]) + 0.5 * STIFFNESS.axial * z * z,
    torsional:
      0.5 * INERTIA * (pose.angularVelocity[2] * pose.angularVelocity[2]) + 0.5 * STIFFNESS.torsional * psi * psi,
  };
}

export const wilberforcePendulum: Case = defineCase({
  id: 'wilberforce-pendulum',
  topics: ['theory', 'art'],
  finish: 'steel',
  title: 'Wilberforce pendulum',
  claim:
    'A body on a helical spring, its inertia tuned so that bouncing and turning have one frequency, passes all its energy from the one motion to the other and back, in the beat period that the coupling of the helix gives.',
  group: 'bergou2008',
  colorBy: 'twist',
  source: 'Bergou et al. 2008, Fig. 11; Kirchhoff helix with a guided, tuned body',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 11',
      claim:
        'A body on a helical spring that is lifted and let go first bounces, then turns, then bounces again: the energy goes back and forth between both motions.',
      remark:
        'Scene and plot are the paper’s: a spring that hangs, with a free bob. The beat period is compared on a bob that is guided along the axis, without gravity, for which linear theory gives it.',
      timed: { row: 'Fig. 11', scene: () => scene(4, 0.001, 15), from: 0.1 },
    },
  ],
  quick: [20],
  full: [20, 40],
  controls: [
    {
      path: ['bodies', 0, 'inertia', 2],
      label: 'Inertia about the axis',
      symbol: 'I',
      unit: 'kg·m²',
      low: 2e-5,
      high: 3e-4,
      // a close-coiled spring of round wire has Kψψ/Kzz = R² EI/GJ = R² (1 + ν)
      threshold: (scene) => {
        const radius = numberAt(scene, ['rods', 0, 'shape', 'radius']);
        const nu = numberAt(scene, ['materials', 'steel', 'nu']);
        const at = numberAt(scene, ['bodies', 0, 'mass']) * radius * radius * (1 + nu);
        return { at, what: `turns as often as it bounces at ${(1e6 * at).toFixed(0)} kg·mm²` };
      },
    },
    { path: ['bodies', 0, 'mass'], label: 'Mass of the bob', symbol: 'm', unit: 'kg', low: 0.05, high: 1 },
    gravity({ high: 20 }),
  ],
  scene: () => hanging(10, 0.005, 15),
  figure: exchange,
  measure(n) {
    // ωh = 0.1: TR-BDF2 then loses a few parts in a thousand of the energy
    const step = 0.1 / 22;
    const world = worldOf(scene(n, step, BEAT));
    const start = world.energies().total;
    let drift = 0;
    let most = 0;
    const crossings: number[] = [];
    let before = 0;
    let smooth = 0;
    // the share of the turning motion, smoothed over about a period of the oscillation
    const blend = step / 0.15;
    while (world.time < 0.85 * BEAT) {
      world.step();
      const { axial, torsional } = shares(world);
      smooth += blend * (torsional / (axial + torsional) - smooth);
      if (smooth > 0.5 !== before > 0.5) crossings.push(world.time - (step * (smooth - 0.5)) / (smooth - before));
      before = smooth;
      most = Math.max(most, torsional / (axial + torsional));
      drift = Math.max(drift, Math.abs(world.energies().total / start - 1));
    }
    // it has turned most after half a beat of 14 s
    const free = hangingEnergies(8, 0.006, 7.5);
    const sharesOfTurning = free.turning.map((turning, k) => turning / (turning + free.bouncing[k]));
    return {
      'hanging, free bob: share of turning at first': sharesOfTurning[0],
      'hanging, free bob: largest share of turning': Math.max(...sharesOfTurning),
      // the share is sin²(πt/T): it is above one half from T/4 to 3T/4
      'beat period [s]': 2 * (crossings[1] - crossings[0]),
      'largest share of the turning motion': most,
      'change of the total energy': drift,
    };
  },
  expect: {
    'beat period [s]': { value: BEAT, tolerance: (n) => 13 / (n * n), order: 1.7 },
    'largest share of the turning motion': { value: 1, tolerance: 0.03 },
    'change of the total energy': { value: 0, tolerance: 0.01 },
    'hanging, free bob: share of turning at first': { value: 0, tolerance: 0.03 },
    'hanging, free bob: largest share of turning': { value: 1, tolerance: 0.08 },
  },
});
