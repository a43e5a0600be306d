/** Scenes and helpers for the tests of the compiler. */
import { expect } from 'vitest';
import type { Frame, Vector } from '../../src/curve/vector.ts';
import { normalize } from '../../src/curve/vector.ts';
import { SceneError } from '../../src/errors.ts';
import type { Samples } from '../../src/port.ts';
import { createSamples } from '../../src/port.ts';
import type { Rod } from '../../src/scene/compiled.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { RodSpec, Scene } from '../../src/scene/types.ts';

export const steel = { E: 2e11, nu: 0.3, density: 7800 } as const;
export const wire = { type: 'circle', radius: 1e-3 } as const;

export const rodSpec = (change: Partial<RodSpec> = {}): RodSpec => ({
  id: 'a',
  shape: { type: 'straight', from: [0, 0, 0], to: [2, 0, 0] },
  edges: 10,
  section: wire,
  material: steel,
  ...change,
});
export const sceneOf = (rod: Partial<RodSpec> = {}, rest: Partial<Scene> = {}): Scene => ({
  tendril: 1,
  rods: [rodSpec(rod)],
  ...rest,
});
export const compileOne = (rod: Partial<RodSpec> = {}, rest: Partial<Scene> = {}): Rod =>
  compileScene(sceneOf(rod, rest)).rods[0];

/** Runs `build` and expects a SceneError at `path` whose message matches. */
export function expectSceneError(build: () => unknown, path: readonly (string | number)[], message: RegExp): void {
  let caught: unknown;
  try {
    build();
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(SceneError);
  const error = caught as SceneError;
  expect(error.path).toEqual(path);
  expect(error.message).toMatch(message);
}

export const vectorAt = (array: ArrayLike<number>, i: number): Vector => [
  array[3 * i],
  array[3 * i + 1],
  array[3 * i + 2],
];
export const nodeFrame = (rod: Rod, i: number): Frame => ({
  tangent: vectorAt(rod.nodeTangent, i),
  d1: vectorAt(rod.nodeDirector, i),
});
export function edgeFrame(rod: Rod, j: number): Frame {
  const a = vectorAt(rod.nodePosition, j);
  const b = vectorAt(rod.nodePosition, (j + 1) % rod.nodeCount);
  return { tangent: normalize([b[0] - a[0], b[1] - a[1], b[2] - a[2]]), d1: vectorAt(rod.edgeDirector, j) };
}
export const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((total, value) => total + value, 0);

/** Samples of the rod as it starts. */
export function samplesOf(rod: Rod): Samples {
  const samples = createSamples(rod);
  samples.nodePosition.set(rod.nodePosition);
  samples.nodeVelocity.set(rod.nodeVelocity);
  samples.edgeDirector.set(rod.edgeDirector);
  for (let j = 0; j < rod.edgeCount; j++) samples.edgeTangent.set(edgeFrame(rod, j).tangent, 3 * j);
  return samples;
}
