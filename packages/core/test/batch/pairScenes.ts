/** Scenes of hairs that touch each other. */
import type { RodSpec, Scene } from '../../src/index.ts';
import { DT } from './scenes.ts';

export const RADIUS = 2e-4;
export type Point = [number, number, number];

export function rod(id: string, from: Point, to: Point, changes: Partial<RodSpec> = {}): RodSpec {
  return {
    id,
    shape: { type: 'straight', from, to },
    edges: 12,
    section: { type: 'circle', radius: RADIUS },
    material: { E: 1e8, G: 4e7, density: 1300, damping: { mass: 3 } },
    inextensible: true,
    ...changes,
  } as RodSpec;
}

export const stiff = { material: { E: 1e10, G: 4e9, density: 1300, damping: { mass: 3 } } };
export const undamped = { material: { E: 1e8, G: 4e7, density: 1300 } };

export function sceneOf(rods: readonly RodSpec[], changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods,
    contact: { friction: 0.3 },
    time: { step: DT, duration: 1 },
    solver: { der: { integrator: 'implicit-euler', twist: 'quasistatic' } },
    ...changes,
  } as Scene;
}
