/** A tapered, elliptic, naturally curved and twisted rod, and what is done to it. */
import type { PinSpec, RodSpec, Scene } from '../../src/index.ts';

export const DT: number = 1 / 240;
export const material = { E: 3.58e9, G: 1.07e9, density: 1300 };

export const rod: RodSpec = {
  id: 'strand',
  shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0.02, 0.1] },
  edges: 12,
  inextensible: true,
  natural: { curvature: [20, 5, 8] },
  section: { type: 'ellipse', a: 60e-6, b: { formula: '40e-6 * (1 - 0.3 * u)' } },
  material,
};

export const clamp: PinSpec = { rod: 'strand', at: 'start' };

export function sceneOf(changes: Partial<Scene> = {}, rodChanges: Partial<RodSpec> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: [{ ...rod, ...rodChanges }],
    pins: [clamp],
    time: { step: DT, duration: 1 },
    ...changes,
  };
}

export function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k] - b[k]));
  return most;
}
