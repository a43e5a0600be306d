/** Fields that can change while a scene runs. */
import { continuationOf, createWorld, livenessOf, type Scene, startOf, turnRing, wholeOf } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';

const ring = (twist: number, more: Partial<Scene> = {}): Scene => ({
  tendril: 1,
  rods: [
    {
      id: 'ring',
      shape: { type: 'ring', radius: 1, axis: [0, 0, 1] },
      edges: 40,
      natural: 'straight',
      frame: { twist },
      section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1, radius: 0.03 },
      velocity: { angular: [1e-3, 0, 0] },
    },
  ],
  time: { duration: 12, step: 0.02 },
  ...more,
});

describe('a change of a running scene', () => {
  it('is judged by the fields that differ', () => {
    const [rod] = ring(4).rods;
    const soft = { ...rod, section: { type: 'stiffness', EI1: 0.5, GJ: 1, mass: 1, radius: 0.03 } } as const;
    expect(continuationOf(ring(4), ring(4, { gravity: [0, 0, -1] }))).toBe('keep');
    expect(continuationOf(ring(4), ring(4, { rods: [soft] }))).toBe('keep');
    expect(continuationOf(ring(4), ring(5))).toBe('turn');
    expect(continuationOf(ring(4), ring(4, { rods: [{ ...rod, frame: undefined }] }))).toBe('turn');
    expect(continuationOf(ring(4), ring(4, { rods: [{ ...rod, edges: 41 }] }))).toBe('restart');
    expect(continuationOf(ring(4), ring(4, { rods: [rod, { ...rod, id: 'other' }] }))).toBe('restart');
    expect(continuationOf(ring(4), ring(4, { pins: [{ rod: 'ring', at: 'start' }] }))).toBe('restart');
    expect(continuationOf(ring(4), ring(4, { time: undefined }))).toBe('restart');
  });

  it('is said of a path as of a scene', () => {
    expect(livenessOf(['gravity', 2])).toBe('keep');
    expect(livenessOf(['rods', 3, 'section', 'EI1'])).toBe('keep');
    expect(livenessOf(['rods', 3, 'frame', 'twist'])).toBe('turn');
    expect(livenessOf(['rods', 3, 'edges'])).toBe('restart');
    expect(livenessOf(['time'])).toBe('restart');
  });

  it('turns a ring to a new twist without moving it: its energy is that of a fresh ring', () => {
    const world = createWorld(ring(8));
    for (let k = 0; k < 20; k++) world.step();
    const start = startOf(world.rods[0], world.samples[0], world.channel(0, 'twist'), wholeOf(world.rods[0], 0));
    const turned = createWorld(ring(10), { start: { time: world.time, rods: [turnRing(start, 2)] } });
    expect(turned.time).toBe(world.time);
    expect([...turned.samples[0].nodePosition]).toEqual([...world.samples[0].nodePosition]);
    expect(turned.energies().kinetic).toBeCloseTo(world.energies().kinetic, 12);
    expect(turned.energies().twisting).toBeCloseTo(createWorld(ring(10)).energies().twisting, 6);
    for (let k = 0; k < 20; k++) turned.step();
    expect(turned.energies().twisting).toBeCloseTo(createWorld(ring(10)).energies().twisting, 4);
  });
});
