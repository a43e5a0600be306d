/** Equilibria that were wrong without a warning. */
import { readFileSync } from 'node:fs';
import { createWorld, type ModelId, type World } from '@tendril-sim/core';
import { parseScene } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';

function openScene(name: string, change: { readonly edges?: number; readonly model?: ModelId } = {}): World {
  const { scene } = parseScene(readFileSync(new URL(`scenes/${name}.yaml`, import.meta.url), 'utf8'), name);
  return createWorld({ ...scene, rods: scene.rods?.map((rod) => ({ ...rod, ...change })) });
}

function tipOf(world: World): number[] {
  return [...world.samples[0].nodePosition.slice(-3)];
}

describe('a stiff, finely divided bar', () => {
  it.each([100, 400, 1500])('sags and hangs on its clamp with %s edges', (edges) => {
    const world = openScene('der-no-sag', { edges });
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    const weight = 7850 * Math.PI * 0.01 ** 2 * 0.1 * 9.81;
    const sag = (weight * 0.1 ** 3) / (8 * 200e9 * (Math.PI / 4) * 0.01 ** 4);
    expect(-tipOf(world)[2] / sag).toBeCloseTo(1, 3);
    expect(world.reactions()[0].force[2] / weight).toBeCloseTo(1, 9);
    expect(-world.reactions()[0].torque[1] / (0.05 * weight)).toBeCloseTo(1, 6);
  });
});

describe('a finely divided inextensible rod', () => {
  it.each([400, 1600, 4000])('ends where theory says with %s edges', (edges) => {
    const world = openScene('der-fine', { edges });
    expect(world.equilibrate()[0].converged).toBe(true);
    const [x, , z] = tipOf(world);
    expect(Math.hypot(x - 0.656353761, z + 0.700199716)).toBeLessThan(1 / edges ** 2 + 1e-9);
  });
});

describe('stability: report', () => {
  /** The load at which the first negative mode appears, and how far the rod has left its plane on the way. */
  function follow(world: World, step: number): { readonly critical: number; readonly outOfPlane: number } {
    let critical = Number.NaN;
    let outOfPlane = 0;
    for (let k = 1; k <= 15 / step; k++) {
      const [report] = world.equilibrate(k * step);
      expect(report).toMatchObject({ converged: true, criterion: 'energy' });
      if (report.negativeModes > 0 && Number.isNaN(critical)) critical = k * step;
      const { nodePosition } = world.samples[0];
      for (let i = 0; i < nodePosition.length; i += 3) outOfPlane = Math.max(outOfPlane, Math.abs(nodePosition[i + 1]));
    }
    return { critical, outOfPlane };
  }

  it.each([
    { model: 'der', edges: 100, step: 0.5 },
    { model: 'der', edges: 300, step: 0.25 },
    { model: 'der', edges: 1200, step: 0.5 },
    { model: 'cosserat', edges: 100, step: 0.5 },
    { model: 'cosserat', edges: 800, step: 0.5 },
  ] as const)('stays on the planar branch of $model with $edges edges', ({ model, edges, step }) => {
    const { critical, outOfPlane } = follow(openScene('report-leaves-branch', { model, edges }), step);
    expect(Math.abs(critical - 11.869)).toBeLessThan(step + 0.02);
    expect(outOfPlane).toBeLessThan(1e-6);
  });
});

describe('a closed ring that is clamped where it was joined', () => {
  /** Where the node opposite the clamp hangs, and the torque of the clamp. */
  function hang(model: ModelId, at: number): number[] {
    const world = createWorld({
      tendril: 1,
      gravity: [0.3, 0.2, -1],
      rods: [
        {
          id: 'ring',
          model,
          shape: { type: 'ring', radius: 1, axis: [0, 1, 0] },
          edges: 40,
          section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 },
        },
      ],
      pins: [{ rod: 'ring', at: at === 0 ? 'start' : { node: at } }],
    });
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    const opposite = 3 * ((at + 20) % 40);
    return [...world.samples[0].nodePosition.slice(opposite, opposite + 3), ...world.reactions()[0].torque];
  }

  it('is at rest without loads', () => {
    const world = openScene('cosserat-ring-clamp');
    expect(world.energies().bending).toBeLessThan(1e-20);
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
  });

  it.each([0, 10])('hangs as one of der does, clamped at node %s', (at) => {
    const other = hang('der', at);
    hang('cosserat', at).forEach((value, k) => {
      expect(value).toBeCloseTo(other[k], 8);
    });
  });
});

describe('a fiber that was laid straight and wants to be a helix', () => {
  it.each([40, 160])('reaches its natural shape with %s edges', (edges) => {
    const world = createWorld({
      tendril: 1,
      rods: [
        {
          id: 'helix',
          model: 'fiber',
          shape: { type: 'straight', from: [0, 0, 0], to: [2, 0, 0] },
          edges,
          frame: { d1: [0, 1, 0] },
          natural: { curvature: [0, 4, -2] },
          section: { type: 'stiffness', EI1: 1, EI2: 1.5, GJ: 0.8, mass: 1, radius: 0.01 },
        },
      ],
      pins: [{ rod: 'helix', at: 'start' }],
    });
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    // the elastic energy of an end that is 1e-7 lengths away
    expect(world.energies().total).toBeLessThan(1e-14);
  });
});

describe('a stiff, finely divided rod under a small load', () => {
  // `strand` accepted the unloaded shape: its tolerance grew with the number of links and passed the load
  it.each([
    { model: 'strand', edges: 100, load: 1e-13 },
    { model: 'strand', edges: 2000, load: 1e-11 },
    { model: 'helix', edges: 2000, load: 1e-11 },
  ] as const)('of $model sags with $edges edges and $load EI/L³', ({ model, edges, load }) => {
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -load],
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
    });
    expect(world.equilibrate()[0]).toMatchObject({ converged: true, stable: true });
    expect((-8 * world.samples[0].nodePosition[3 * edges + 2]) / load).toBeCloseTo(1, 3);
  });
});

describe('an equilibrium on the way of a pin that moves', () => {
  // strand and fiber counted the acceleration of the path: no balance, and with strand kinetic energy
  it.each<ModelId>(['der', 'strand', 'helix', 'fiber', 'cosserat', 'massspring'])(
    '%s is at rest, and the pin carries the weight alone',
    (model) => {
      const world = createWorld({
        tendril: 1,
        gravity: [0, 0, -9.81],
        rods: [
          {
            id: 'rod',
            model,
            shape: { type: 'straight', from: [0, 0, 0], to: [0.5, 0, 0] },
            edges: 12,
            section: { type: 'circle', radius: 0.004 },
            material: { E: 1e9, nu: 0.3, density: 1000 },
          },
        ],
        pins: [
          {
            rod: 'rod',
            at: 'start',
            path: { keys: [{ time: 0 }, { time: 0.3, offset: [0.3, 0, 0.5], rotation: [1, 0, 0] }] },
          },
        ],
      });
      for (const t of [0, 0.1, 0.15]) {
        const [{ converged, stable }] = world.equilibrate(t);
        expect([converged, stable]).toEqual([true, true]);
        expect(world.energies().kinetic).toBe(0);
        const [{ force }] = world.reactions();
        const weight = 1000 * Math.PI * 0.004 ** 2 * 0.5 * 9.81;
        for (let k = 0; k < 3; k++) expect(Math.abs(force[k] - (k === 2 ? weight : 0))).toBeLessThan(1e-8 * weight);
      }
    },
  );
});
