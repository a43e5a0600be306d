import { describe, expect, it } from 'vitest';
import type { Model, Scene } from '../../src/index.ts';
import { der } from '../../src/models/der/index.ts';
import { fiber } from '../../src/models/fiber/index.ts';
import { helix } from '../../src/models/helix/index.ts';
import { strand } from '../../src/models/strand/index.ts';
import { compileScene } from '../../src/scene/compileScene.ts';

const dt = 1e-4;
const path = { keys: [{ time: 0 }, { time: 0.05, offset: [0.01, 0.02, 0.03], rotation: [0.1, 0.5, 0.3] }] } as const;

/** Two rods whose clamps move; soon the load of the first one is not a number. */
const failing = (model: string, solver: Scene['solver']): Scene => ({
  tendril: 1,
  rods: ['fails', 'waits'].map((id, k) => ({
    id,
    model: model as never,
    shape: { type: 'straight', from: [0, 0.1 * k, 0], to: [0.2, 0.1 * k, 0] },
    frame: { d1: [0, 0, 1] },
    edges: 8,
    section: { type: 'circle', radius: 0.002 },
    material: { E: 1e6, nu: 0.5, density: 1000 },
  })),
  pins: ['fails', 'waits'].map((rod) => ({ rod, at: 'start', path })),
  fields: [{ type: 'force', per: 'mass', rods: ['fails'], formula: ['sqrt(0.00095 - t)', '0', '0'] }],
  solver,
});

const models: [string, Model, Scene['solver']][] = [
  ['der', der, {}],
  ['der with shake', der, { der: { integrator: 'shake' } }],
  ['der with fast-projection', der, { der: { integrator: 'fast-projection' } }],
  ['fiber', fiber, {}],
  ['strand', strand, {}],
  ['helix', helix, {}],
  ['helix with semi-implicit', helix, { helix: { integrator: 'semi-implicit' } }],
];

describe('a rod that waits at the end of the step while the step of another one fails', () => {
  for (const [title, model, solver] of models)
    it(`stays where it is: ${title}`, () => {
      const scene = failing(model.id, solver);
      const { rods, drives, bodies, welds } = compileScene(scene);
      const bundle = model.compile(rods, drives, scene, { bodies, welds });
      const [, samples] = bundle.samples;
      const read = (): number[] => [...samples.nodePosition, ...samples.nodeVelocity, ...samples.edgeDirector];
      bundle.refresh(10 * dt);
      const start = read();
      // as a step of contact does it: the waiting rod is moved first, then the other one alone
      bundle.refresh(30 * dt, Uint8Array.of(1, 0));
      const [moved, state] = [read(), bundle.state.memory.slice()];
      const advance = (): unknown => bundle.advance({ t: 10 * dt, dt, robust: false, without: Uint8Array.of(0, 1) });
      let ok = false;
      try {
        ok = (advance() as { ok: boolean }).ok;
      } catch {}
      expect(ok).toBe(false);
      expect(read()).toEqual(moved);
      expect(bundle.state.memory).toEqual(state);
      // and the wait is not for nothing
      if (model.id === 'helix' || model.id === 'strand') expect(moved).not.toEqual(start);
    });
});
