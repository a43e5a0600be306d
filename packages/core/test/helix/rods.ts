/** Rods of the model alone, in random poses, for tests of its parts. */
import { createWorkspace, type Workspace } from '../../src/models/helix/energy.ts';
import { placeRoot } from '../../src/models/helix/kinematics.ts';
import { createHelixRod, type HelixRod, memorySize } from '../../src/models/helix/rod.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { Scene } from '../../src/scene/types.ts';

export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** Three numbers a node or element of any size. */
export function fillRandom(out: Float64Array, random: () => number, size: number): void {
  for (let k = 0; k < out.length; k++) out[k] = size * random();
}

/** Lengthwise varying, anisotropic, with mass and polar inertia; clamped at its start. */
export function scene(edges: number, changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0.3, -1, -2],
    rods: [
      {
        id: 'a',
        model: 'helix',
        shape: { type: 'straight', from: [0.1, 0.2, 0.3], to: [0.9, 0.4, 0.7] },
        edges,
        section: {
          type: 'stiffness',
          EI1: { formula: '1 + 0.5*u' },
          EI2: { formula: '2 - u' },
          GJ: 0.8,
          mass: { formula: '1 + u' },
          inertia: 0.02,
        },
      },
    ],
    pins: [{ rod: 'a', at: 'start' }],
    ...changes,
  };
}

export function makeRod(input: Scene, elements: number): { h: HelixRod; w: Workspace } {
  const { rods, drives } = compileScene(input);
  const views = {
    q: new Float64Array(3 * elements),
    v: new Float64Array(3 * elements),
    memory: new Float64Array(memorySize(rods[0], drives[0], elements, false)),
  };
  const h = createHelixRod(rods[0], drives[0], elements, views);
  placeRoot(h, 0);
  return { h, w: createWorkspace(h) };
}

/** Largest difference relative to the largest entry of `expected`. */
export function relativeError(measured: ArrayLike<number>, expected: ArrayLike<number>): number {
  let error = 0;
  let size = 0;
  for (let k = 0; k < expected.length; k++) {
    error = Math.max(error, Math.abs(measured[k] - expected[k]));
    size = Math.max(size, Math.abs(expected[k]));
  }
  return error / size;
}
