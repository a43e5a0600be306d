/** The contact port of fibers: its linear response is that of the step, and fibers rest on obstacles and on each other. */
import { describe, expect, it } from 'vitest';
import { createWorld, type ModelId, type Scene, type World } from '../../src/index.ts';
import { fiberModel } from '../../src/models/fiber/model.ts';
import type { ContactSides } from '../../src/port.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import { describePort, describeStrand, strandOverBall } from '../contact/modelPort.ts';
import { bent, sidesOf } from '../contact/support.ts';

describePort('the contact port of a fiber', fiberModel);

describeStrand(
  'fiber',
  0,
  160,
  (['energy-momentum', 'deti-r'] as const).map((integrator) => ({ fiber: { integrator } })),
);

it('has the response of many sides from blocks of the inverse as from solves', () => {
  const scene: Scene = {
    tendril: 1,
    gravity: [1, 2, -5],
    rods: [{ ...bent, model: 'fiber' }],
    pins: [{ rod: 'rod', at: 'start', hold: 'position' }],
  };
  const count = 15;
  const sides: ContactSides = {
    count,
    rod: new Int32Array(count),
    edge: Int32Array.from({ length: count }, (_, c) => Math.floor(c / 2)),
    weight: Float64Array.from({ length: count }, (_, c) => ((7 * c) % 11) / 10),
    arm: Float64Array.from({ length: 3 * count }, (_, k) => 0.001 * Math.sin(5 * k + 1)),
    force: new Float64Array(3 * count),
    mass: new Float64Array(count),
  };
  const { rods, drives, bodies, welds } = compileScene(scene);
  const { contact: port } = fiberModel.compile(rods, drives, scene, { bodies, welds });
  const marks = Uint8Array.of(1);
  const response = new Float64Array(count);
  port?.hold();
  expect(
    port?.linearize({ velocity: new Float64Array(3 * count), response }, marks, sides, {
      t: 0,
      dt: 1 / 300,
      fresh: true,
    }),
  ).toBe(true);
  expect(port?.factor(marks, sides)).toBe(true);
  for (let c = 0; c < count; c++) {
    let trace = 0;
    for (let k = 0; k < 3; k++) {
      const [right, out] = [new Float64Array(3 * count), new Float64Array(3 * count)];
      right[3 * c + k] = 1;
      port?.solve(out, right, sides);
      trace += out[3 * c + k] / 3;
    }
    expect(trace).toBeGreaterThan(0);
    expect(response[c] / trace).toBeCloseTo(1, 8);
  }
});

it('is refused where steps with contact cannot be taken', () => {
  expect(() => createWorld(strandOverBall('fiber', 0, { fiber: { integrator: 'deti' } }))).toThrow(
    /does not support contact/,
  );
});

describe('fibers beside Discrete Elastic Rods', () => {
  const r = 1e-3;
  type Point = readonly [number, number, number];
  const rod = (model: ModelId, id: string, from: Point, to: Point, edges: number, E = 1e8) => ({
    id,
    model,
    shape: { type: 'straight' as const, from, to },
    edges,
    section: { type: 'circle' as const, radius: r },
    material: { E, nu: 0.35, density: 1200, damping: { mass: 10 } },
  });
  const base = { tendril: 1, gravity: [0, 0, -9.81], time: { duration: 1, step: 1 / 240 } } as const;

  /** After so many steps: what obstacles, pins and rods carry, and how deep anything went in [radii]. */
  const settle = (
    scene: Scene,
    steps: number,
  ): { world: World; support: number; between: number; depth: number; ends: number[] } => {
    const world = createWorld(scene);
    let depth = 0;
    for (let k = 0; k < steps; k++) {
      world.step();
      for (const { gap } of world.contactForces()) depth = Math.max(depth, -gap / r);
    }
    const forces = world.contactForces();
    const sum = (kind: 'rod' | 'collider'): number =>
      forces.reduce((total, one) => total + (one.kind === kind ? one.force[2] : 0), 0);
    const pins = world.reactions().reduce((total, { force }) => total + force[2], 0);
    const weight = 9.81 * world.momentum().mass;
    const ends = world.samples.flatMap(({ nodePosition }) => [...nodePosition.slice(-3)]);
    return { world, support: (sum('collider') + pins) / weight, between: Math.abs(sum('rod')) / weight, depth, ends };
  };
  const agree = (scene: (model: ModelId) => Scene, steps: number, apart: number): ReturnType<typeof settle> => {
    const [fiber, der] = [settle(scene('fiber'), steps), settle(scene('der'), steps)];
    for (const one of [fiber, der]) {
      expect(Math.abs(one.support - 1)).toBeLessThan(1e-3);
      expect(one.depth).toBeLessThan(0.05);
    }
    expect(Math.abs(fiber.between - der.between)).toBeLessThan(1e-3);
    fiber.ends.forEach((x, k) => {
      expect(Math.abs(x - der.ends[k]) / r).toBeLessThan(apart);
    });
    return fiber;
  };

  it('lie across each other', () => {
    const { between } = agree(
      (model) => ({
        ...base,
        rods: [
          rod(model, 'beam', [-0.1, 0, 0], [0.1, 0, 0], 12),
          rod(model, 'over', [0.005, -0.08, 2.3 * r], [-0.005, 0.08, 2.3 * r], 12),
        ],
        pins: [
          { rod: 'beam', at: 'start' },
          { rod: 'beam', at: 'end' },
        ],
        contact: { friction: 0.4 },
        // clamped at both ends it is stretch that holds the beam
        solver: { fiber: { scaffold: 'section' } },
      }),
      180,
      0.2,
    );
    // the upper one weighs 0.16/0.36 of both
    expect(between).toBeCloseTo(0.16 / 0.36, 3);
  });

  it('hang over a ball by friction', () => {
    agree(
      (model) => ({
        ...base,
        rods: [rod(model, 'hair', [0, 0, 0.0512], [0.16, 0.01, 0.0512], 16, 2e6)],
        pins: [{ rod: 'hair', at: 'start' }],
        colliders: [{ type: 'sphere', radius: 0.05, friction: 0.5 }],
      }),
      300,
      0.2,
    );
  });

  it('lie in a pile', () => {
    const pile = agree(
      (model) => ({
        ...base,
        rods: Array.from({ length: 5 }, (_, k) => {
          const [x, y, z] = [0.05 * Math.cos(0.9 * k), 0.05 * Math.sin(0.9 * k), r * (1.2 + 2.6 * k)];
          return rod(model, `rod ${k}`, [-x, -y, z], [x, y, z], 8);
        }),
        colliders: [{ type: 'plane', normal: [0, 0, 1], friction: 0.4 }],
        contact: { friction: 0.4 },
      }),
      120,
      0.1,
    );
    // every one carries those above it: 4 + 3 + 2 + 1 of 5
    expect(pile.between).toBeCloseTo(2, 2);
  });

  it('roll as fast as a cylinder, however far they turn in a step', () => {
    const radius = 5e-3;
    const roll = (steps: number, step: number, inertia?: 'scaffold'): World => {
      const log = createWorld({
        tendril: 1,
        gravity: [9.81 * Math.sin(0.3), 0, -9.81 * Math.cos(0.3)],
        rods: [
          {
            ...rod('fiber', 'log', [0, 0, radius], [0, 0.2, radius], 4),
            section: { type: 'circle', radius },
            material: { E: 1e8, nu: 0.35, density: 1200 },
          },
        ],
        colliders: [{ type: 'plane', normal: [0, 0, 1], friction: 0.3 }],
        contact: { rolling: true },
        time: { duration: 1, step },
        ...(inertia && { solver: { fiber: { inertia, scaffold: 0.02 } } }),
      });
      for (let k = 0; k < steps; k++) log.step();
      return log;
    };
    for (const step of [1 / 240, 1 / 480]) {
      // it turns by up to half a radian in a step of 1/240 s
      const steps = Math.round(0.3 / step);
      const log = roll(steps, step);
      // two thirds of what slides without friction; h² Σ k by implicit Euler
      const exact = (2 / 3) * 9.81 * Math.sin(0.3) * step * step * 0.5 * steps * (steps + 1);
      const [{ nodePosition, nodeVelocity, edgeSpin }] = log.samples;
      expect(Math.abs(nodePosition[0] / exact - 1)).toBeLessThan(1e-4);
      expect(Math.abs((radius * edgeSpin[0]) / nodeVelocity[0] - 1)).toBeLessThan(1e-4);
      expect(log.warnings).toEqual([]);
    }
    expect(roll(0, 1e-3, 'scaffold').warnings.join()).toMatch(/rolls with the inertia of its scaffold/);
  });
});

it('presses on the pin of the ring that it touches, until the next step without, whoever takes that', () => {
  const scene: Scene = {
    tendril: 1,
    rods: [4, 5].map((edges, k) => ({
      id: `rod ${k}`,
      model: 'fiber' as const,
      shape: { type: 'straight' as const, from: [0, k, 0] as const, to: [0.1, k, 0] as const },
      edges,
      section: { type: 'circle' as const, radius: 1e-3 },
      material: { E: 1e7, nu: 0.3, density: 1000 },
    })),
    pins: [{ rod: 'rod 0', at: 'start' }],
  };
  const { rods, drives, bodies, welds } = compileScene(scene);
  const bundle = fiberModel.compile(rods, drives, scene, { bodies, welds });
  const { contact, parts } = bundle;
  if (!contact || !parts) throw new Error('no port');
  const sides: ContactSides = { ...sidesOf([{ rod: 0 }]), force: Float64Array.of(0, 0, -1) };
  contact.hold();
  expect(contact.step(Uint8Array.of(1, 0), sides, { t: 0, dt: 1e-3, robust: false }).ok).toBe(true);
  expect(bundle.reactions(0, 1e-3)[0].force[2]).toBeCloseTo(1, 6);
  expect(parts.advance(1, 2, { t: 1e-3, dt: 1e-3, robust: false, without: Uint8Array.of(1, 0) }).ok).toBe(true);
  expect(bundle.reactions(0, 1e-3)[0].force[2]).toBeCloseTo(1, 6);
  expect(parts.advance(1, 2, { t: 1e-3, dt: 1e-3, robust: false }).ok).toBe(true);
  expect(bundle.reactions(0, 1e-3)[0].force[2]).toBeCloseTo(0, 6);
});
