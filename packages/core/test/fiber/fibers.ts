/** Fibers made by hand for tests of the model alone. */
import type { Drive } from '../../src/model.ts';
import { evaluateHeld, imposeHeld } from '../../src/models/fiber/held.ts';
import { initializeState } from '../../src/models/fiber/kinematics.ts';
import type { FiberOptions } from '../../src/models/fiber/options.ts';
import { createFiberRod, type FiberRod } from '../../src/models/fiber/rod.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { Scene } from '../../src/scene/types.ts';
import { createRandom } from '../der/rods.ts';

/** The paper's hair: E 3.58 GPa, G 1.07 GPa, 60 µm, 31.3 µg/cm. */
export const HAIR = { EI: 2.2775e-9, GJ: 1.3614e-9, EA: 10.122, mass: 3.13e-6 };

export function hairScene(
  L: number,
  edges: number,
  more: Partial<Scene> = {},
  damping: number | { readonly mass: number; readonly stiffness: number } = 0,
  options: FiberOptions = {},
): Scene {
  return {
    tendril: 1,
    gravity: [0, -9.81, 0],
    rods: [
      {
        id: 'hair',
        model: 'fiber',
        shape: { type: 'straight', from: [0, 0, 0], to: [L, 0, 0] },
        edges,
        section: {
          type: 'stiffness',
          EA: HAIR.EA,
          EI1: HAIR.EI,
          GJ: HAIR.GJ,
          mass: HAIR.mass,
          damping: typeof damping === 'number' ? { mass: damping } : damping,
        },
      },
    ],
    pins: [{ rod: 'hair', at: 'start' }],
    time: { duration: 1, step: 1e-3 },
    solver: { fiber: { scaffold: 1e-3, ...options } },
    ...more,
  };
}

/** The first rod of a scene as a network, in its initial state. */
export function makeFiber(scene: Scene): FiberRod {
  const { rods, drives } = compileScene(scene);
  const size = 12 * rods[0].nodeCount;
  const state = { q: new Float64Array(size), v: new Float64Array(size), memory: new Float64Array(0) };
  const options = scene.solver?.fiber ?? {};
  const fiber = createFiberRod({ rod: rods[0], drive: drives[0] as Drive, scene, options, warnings: [] }, state);
  initializeState(fiber);
  evaluateHeld(fiber, 0);
  imposeHeld(fiber, fiber.q);
  return fiber;
}

/** A curled, anisotropic fiber of a few cuboids, its particles thrown about by a fifth of the scaffold's width. */
export function crookedFiber(seed: number): FiberRod {
  const fiber = makeFiber({
    tendril: 1,
    rods: [
      {
        id: 'a',
        model: 'fiber',
        shape: { type: 'helix', radius: 1, pitch: 1, turns: 0.3 },
        edges: 4,
        frame: { twist: 0.3 },
        section: { type: 'stiffness', EI1: 1, EI2: 3, GJ: 2, mass: 1.3, inertia: 0.01 },
      },
    ],
    solver: { fiber: { scaffold: 0.2, inertia: 'section' } },
  });
  const random = createRandom(seed);
  for (let d = 0; d < fiber.size; d++) fiber.q[d] += 0.04 * random();
  return fiber;
}
