/** The camera sees all of a scene, and comes as near as that allows. */
import { Box3, PerspectiveCamera, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { ballOf, fitDistance, frameBox } from '../src/view/frameCamera.ts';

const half = (14 * Math.PI) / 180;

const shapes: Readonly<Record<string, (u: number) => readonly [number, number, number]>> = {
  ring: (u) => [Math.cos(2 * Math.PI * u), Math.sin(2 * Math.PI * u), 0],
  'upright ring': (u) => [Math.cos(2 * Math.PI * u), 0, Math.sin(2 * Math.PI * u)],
  rod: (u) => [u, 0.4 * u, 0.2 * u],
  helix: (u) => [3 * u, 0.3 * Math.cos(20 * u), 0.3 * Math.sin(20 * u)],
};

/** How far the outermost point is from the middle of the picture, 1 at its edge. */
function reachAt(points: Float64Array, aspect: number, usesBall: boolean): number {
  const box = new Box3().setFromArray(points as unknown as number[]);
  const framing = frameBox(box, [0, 0, -9.81]);
  const ball = usesBall ? ballOf([points], framing.center) : Number.POSITIVE_INFINITY;
  const distance = fitDistance({ box, ball }, framing, half, aspect);
  const camera = new PerspectiveCamera((360 * half) / Math.PI, aspect, 0.01, 100);
  camera.up.copy(framing.up);
  camera.position.copy(framing.center).addScaledVector(framing.from, distance);
  camera.lookAt(framing.center);
  camera.updateMatrixWorld();
  let most = 0;
  for (let i = 0; i < points.length; i += 3) {
    const at = new Vector3().fromArray(points, i).project(camera);
    most = Math.max(most, Math.abs(at.x), Math.abs(at.y));
  }
  return most;
}

describe('a framed scene', () => {
  it.each(Object.keys(shapes))('is seen whole, near the edge of the picture: %s', (name) => {
    const points = Float64Array.from(Array.from({ length: 101 }, (_, k) => shapes[name](k / 100)).flat());
    for (const aspect of [0.46, 1, 1.6]) {
      expect(reachAt(points, aspect, true), `${aspect}`).toBeLessThanOrEqual(1 + 1e-9);
      expect(reachAt(points, aspect, true), `${aspect}`).toBeGreaterThanOrEqual(reachAt(points, aspect, false) - 1e-9);
    }
    expect(reachAt(points, 1, true)).toBeGreaterThan(0.65);
  });

  it('comes nearer to a ring than its box allows', () => {
    const points = Float64Array.from(Array.from({ length: 101 }, (_, k) => shapes.ring(k / 100)).flat());
    expect(reachAt(points, 0.46, true) / reachAt(points, 0.46, false)).toBeGreaterThan(1.2);
  });
});
