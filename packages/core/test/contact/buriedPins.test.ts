/** Pins that an obstacle swallows in the course of a run: remarked on, other than roots that start inside and pins that stay outside. */
import { describe, expect, it } from 'vitest';
import { createWorld, type Scene } from '../../src/index.ts';

const RADIUS = 2e-3;
const LIFT = 0.05;

/** A cantilever at height `start`, over a floor that rises by 5 cm in 0.1 s. */
function cantilever(start: number, changes: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        edges: 12,
        shape: { type: 'straight', from: [0, 0, start], to: [0.3, 0, start] },
        section: { type: 'circle', radius: RADIUS },
        material: { E: 1e8, nu: 0.4, density: 1200 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    colliders: [{ id: 'floor', type: 'plane', path: { keys: [{ time: 0 }, { time: 0.1, offset: [0, 0, LIFT] }] } }],
    time: { duration: 0.2, step: 4e-3 },
    ...changes,
  };
}

function remarksOf(scene: Scene, steps = 50): string[] {
  const world = createWorld(scene);
  return Array.from({ length: steps }, () => world.step().remarks ?? [])
    .flat()
    .filter((remark) => remark.startsWith('a pin holds'));
}

describe('pins that obstacles swallow', () => {
  it('remarks once when an obstacle moves over a pin', () => {
    const remarks = remarksOf(cantilever(0.03));
    expect(remarks).toHaveLength(1);
    expect(remarks[0]).toContain("holds rod 'rod' 0.0");
    expect(remarks[0]).toContain("deep in collider 'floor'");
  });

  it('remarks in a run of a few long steps', () => {
    expect(remarksOf(cantilever(0.03, { time: { duration: 0.2, step: 0.02 } }), 8)).toHaveLength(1);
  });

  it('remarks when the pin moves into an obstacle at rest', () => {
    const path = { keys: [{ time: 0 }, { time: 0.1, offset: [0, 0, -0.05] as const }] };
    const scene = cantilever(0.03, {
      pins: [{ rod: 'rod', at: 'start', path }],
      colliders: [{ id: 'floor', type: 'plane' }],
    });
    expect(remarksOf(scene)).toHaveLength(1);
  });

  it('does not remark where the pin moves with the obstacle, or is out of its reach', () => {
    const path = { keys: [{ time: 0 }, { time: 0.1, offset: [0, 0, LIFT] as const }] };
    expect(remarksOf(cantilever(2 * RADIUS, { pins: [{ rod: 'rod', at: 'start', path }] }))).toEqual([]);
    expect(remarksOf(cantilever(LIFT + RADIUS))).toEqual([]);
  });

  it('remarks when an obstacle rises over a root that starts inside', () => {
    expect(remarksOf(cantilever(-2 * RADIUS))).toHaveLength(1);
  });

  it('does not remark on a root that stays as deep as it starts, nor after its release', () => {
    expect(remarksOf(cantilever(-2 * RADIUS, { colliders: [{ id: 'floor', type: 'plane' }] }))).toEqual([]);
    expect(remarksOf(cantilever(0.03, { pins: [{ rod: 'rod', at: 'start', release: 0.05 }] }))).toEqual([]);
  });
});
