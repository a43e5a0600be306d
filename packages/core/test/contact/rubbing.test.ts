/** Equilibria one after another, between which an obstacle with friction moves: their reports say that the path is not one of slow motion. */
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../src/scene/types.ts';
import { createWorld } from '../../src/world/world.ts';

/** A heavy cantilever whose tip lies on a table, which may rise and slide. */
const scene = (friction: number, moves: 'moves' | 'rests'): Scene => ({
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'rod',
      shape: { type: 'straight', from: [0, 0, 0.1], to: [0.5, 0, 0.1] },
      edges: 30,
      section: { type: 'circle', radius: 0.002 },
      material: { E: 1e8, nu: 0.4, density: 1200 },
    },
  ],
  pins: [{ rod: 'rod', at: 'start' }],
  colliders: [
    {
      id: 'table',
      type: 'plane',
      position: [0, 0, 0],
      normal: [0, 0, 1],
      friction,
      ...(moves === 'moves' && { path: { keys: [{ time: 0 }, { time: 1, offset: [0.02, 0.05, 0.03] }] } }),
    },
  ],
  contact: { friction },
});

const remarksOf = (one: Scene): (string | undefined)[] => {
  const world = createWorld(one);
  return [0, 0.25, 0.5].map((t) => {
    const [{ converged, remark }] = world.equilibrate(t);
    expect(converged).toBe(true);
    expect(world.contactForces().length).toBeGreaterThan(0);
    return remark;
  });
};

describe('an obstacle that moves between equilibria', () => {
  it('gets a remark if it has friction and touches the rod', () => {
    const [first, ...next] = remarksOf(scene(0.5, 'moves'));
    expect(first).toBeUndefined();
    for (const remark of next) expect(remark).toContain("collider 'table', which has friction and has moved");
  });

  it('gets none without friction, or at rest', () => {
    expect(remarksOf(scene(0, 'moves'))).toEqual([undefined, undefined, undefined]);
    expect(remarksOf(scene(0.5, 'rests'))).toEqual([undefined, undefined, undefined]);
  });
});
