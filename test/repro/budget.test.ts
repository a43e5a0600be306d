/** A step that cannot be taken ends soon, can be stopped, and leaves the world as it was. */
import { createWorld, type Scene, SimulationError, StoppedError, type SubstepProgress } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { halvingsLeft } from '../../packages/core/src/math/substeps.ts';

/** Thin hairs on a floor, one of them twisted by a torque far beyond what its step can follow. */
const impossible: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [0, 1, 2].map((k) => ({
    id: `hair${k}`,
    shape: { type: 'straight', from: [0, 0.01 * k, 0.0005], to: [0.1, 0.01 * k, 0.0005] },
    edges: 8,
    section: { type: 'circle', radius: 0.0003 },
    material: { E: 3e9, nu: 0.4, density: 1300 },
  })),
  pins: [0, 1, 2].map((k) => ({ rod: `hair${k}`, at: 'start' })),
  loads: [{ type: 'torque', rod: 'hair1', at: 'end', torque: [0, -0.5, 0.3], frame: 'material' }],
  colliders: [{ type: 'plane', friction: 0.3 }],
  time: { duration: 1, step: 0.005 },
};

describe('a step that fails however it is split', () => {
  it('ends after a bounded number of substeps, with an error, and changes nothing', () => {
    const tried: SubstepProgress[] = [];
    const world = createWorld(impossible, {
      onSubstep: (progress) => {
        // pieces of one rod do not count
        if (progress.attempts > tried.length) tried.push(progress);
        return false;
      },
    });
    const before = world.hash();
    expect(() => world.step()).toThrow(SimulationError);
    expect(world.hash()).toBe(before);
    expect(tried.length).toBeGreaterThan(8);
    expect(tried.length).toBeLessThanOrEqual(2 ** 8 * (4 + 3) + 1);
    expect(tried.at(-1)).toMatchObject({ start: 0, dt: 0.005, attempts: tried.length });
  });

  it('can be stopped', () => {
    const world = createWorld(impossible, { onSubstep: ({ attempts }) => attempts === 5 });
    const before = world.hash();
    expect(() => world.step()).toThrow(StoppedError);
    expect([world.time, world.stepCount, world.hash()]).toEqual([0, 0, before]);
  });

  it.each(['der', 'strand'] as const)('can be stopped between the pieces that %s takes of one rod', (model) => {
    const { colliders: _, ...alone } = impossible;
    let calls = 0;
    const world = createWorld(
      { ...alone, rods: alone.rods.map((rod) => ({ ...rod, model })) },
      { onSubstep: ({ attempts }) => attempts === 1 && ++calls === 5 },
    );
    const before = world.hash();
    expect(() => world.step()).toThrow(StoppedError);
    expect([world.time, world.stepCount, world.hash()]).toEqual([0, 0, before]);
  });
});

it('says where a rod is folded whose step fails', () => {
  // falls on its end at 10 m/s: edges of 17 mm cannot bend as the rod would
  const world = createWorld({
    tendril: 1,
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0.004], to: [0.02783462, 0, 0.202053614] },
        edges: 12,
        section: { type: 'circle', radius: 0.001 },
        material: { E: 1e6, nu: 0.3, density: 1000 },
        velocity: { linear: [0, 0, -10] },
      },
    ],
    colliders: [{ id: 'floor', type: 'plane', friction: 0.5 }],
    time: { duration: 0.02, step: 0.001, halvings: 1 },
  });
  for (let k = 0; k < 5; k++) world.step();
  expect(() => world.step(10)).toThrow(/failed for rod 'rod': .*; before it, the rod is folded by 1\d\d° at node \d+/);
});

it.each([
  ['der', 8],
  ['strand', 8],
  ['der', 32],
] as const)('remarks once that a rod of %s with %i edges is folded, if it is', (model, edges) => {
  // wound up by its clamp: 8 edges bend by more than half a turn each, 32 by 0.6 rad
  const rotation = { keys: [{ time: 0 }, { time: 0.7, rotation: [0, 0, 7] }] } as const;
  const world = createWorld({
    tendril: 1,
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] },
        edges,
        section: { type: 'circle', radius: 0.003 },
        material: { E: 1e6, nu: 0.4, density: 1000 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start', path: rotation }],
    time: { duration: 0.7, step: 0.01 },
  });
  const remarks: string[] = [];
  for (let k = 0; k < 70; k++) remarks.push(...(world.step().remarks ?? []));
  const folded =
    /^rod 'rod' is folded by \d+° between (two edges|a clamp and the edge beside it), at node \d, from t = 0\.\d+ s on: .*use more edges/;
  expect(remarks).toEqual(edges === 8 ? [expect.stringMatching(folded)] : []);
});

it.each([
  ['der', 8],
  ['cosserat', 8],
  ['cosserat', 32],
] as const)('remarks on an equilibrium of %s with %i edges that is folded, if it is', (model, edges) => {
  // the end of a clamped rod is turned over by two turns
  const world = createWorld({
    tendril: 1,
    rods: [
      {
        id: 'rod',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
      },
    ],
    pins: [{ rod: 'rod', at: 'start' }],
    loads: [{ type: 'torque', rod: 'rod', at: 'end', torque: [0, 0, 13.5] }],
  });
  const [{ converged, remark }] = world.equilibrate();
  expect(converged).toBe(true);
  if (edges === 8)
    expect(remark).toMatch(/^rod 'rod' is folded by \d+° between two edges, at node \d: .*use more edges$/);
  else expect(remark).toBeUndefined();
});

it('halves no further inside a piece than the whole step may be halved', () => {
  const time = { step: 0.01, halvings: 6 };
  expect([0, 1, 4, 6, 9].map((k) => halvingsLeft(time, 0.01 / 2 ** k))).toEqual([6, 5, 2, 0, 0]);
  // a step that is longer than the scene's, and a scene that has none
  expect([halvingsLeft(time, 0.08), halvingsLeft({ halvings: 3 }, 0.01)]).toEqual([6, 3]);
});
