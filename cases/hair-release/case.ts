import type { HelixOptions } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';

const LENGTH = 0.3;

function scene(integrator: HelixOptions['integrator'], steps: number, stiffness: number, edges = 10): SceneInput {
  return {
    tendril: 1,
    title: 'Straight hair is let go',
    gravity: [0, 0, -9.81],
    rods: [
      {
        id: 'hair',
        model: 'helix',
        hair: 'straight',
        material: { E: 3.58e9, G: 1.07e9, density: 1300, damping: { stiffness } },
        shape: { type: 'straight', from: [0, 0, 0], to: [LENGTH, 0, 0] },
        edges,
      },
    ],
    pins: [{ rod: 'hair', at: 'start' }],
    // a step that fails shall end the run
    time: { duration: 1, step: 1 / steps, halvings: 0 },
    output: { every: 0.01 },
    solver: { helix: { integrator } },
  };
}

/** Largest gain over the energy at the start, relative to what the fall sets free, and the loss at the end, in 1 s. */
function follow(
  integrator: HelixOptions['integrator'],
  steps: number,
  stiffness: number,
): { gain: number; loss: number } {
  const world = worldOf(scene(integrator, steps, stiffness));
  const resting = worldOf(scene(integrator, steps, stiffness));
  resting.equilibrate();
  const start = world.energies().total;
  const drop = start - resting.energies().total;
  let gain = 0;
  for (let k = 0; k < steps; k++) {
    try {
      world.step();
    } catch {
      return { gain: Number.POSITIVE_INFINITY, loss: Number.POSITIVE_INFINITY };
    }
    gain = Math.max(gain, (world.energies().total - start) / drop);
  }
  return { gain, loss: (start - world.energies().total) / drop };
}

export const hairRelease: Case = defineCase({
  id: 'hair-release',
  title: 'Energy of straight hair that is let go',
  group: 'bertails2006',
  source: 'no force does work but weight: the total energy is constant',
  models: ['helix'],
  quick: [60, 240],
  full: [30, 60, 120, 240, 480, 960],
  scene: () => scene('bdf2', 500, 0, 20),
  measure(n) {
    const euler = follow('implicit-euler', n, 0);
    const bdf2 = follow('bdf2', n, 0);
    return {
      'implicit-euler: largest gain': euler.gain,
      'bdf2: largest gain': bdf2.gain,
      'bdf2: loss over that of implicit-euler': bdf2.loss / euler.loss,
      'semi-implicit, damped by 0.2 s: largest gain': follow('semi-implicit', n, 0.2).gain,
      // the published scheme without damping: it gains more than it ever had
      'semi-implicit, undamped: gains energy': follow('semi-implicit', n, 0).gain > 0.1,
    };
  },
  expect: {
    'implicit-euler: largest gain': { atMost: 1e-12 },
    'bdf2: largest gain': { atMost: 1e-12 },
    // second order against first, once the steps resolve the vibrations that lose the energy
    'bdf2: loss over that of implicit-euler': { atMost: (n) => Math.min(0.65, 130 / n) },
    'semi-implicit, damped by 0.2 s: largest gain': { atMost: 1e-12 },
    'semi-implicit, undamped: gains energy': { holds: true },
  },
});
