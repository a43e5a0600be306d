/** Cloth that falls on obstacles: links and contacts in one solution, where it is hard. */
import { describe, expect, it } from 'vitest';
import { addContact, createContactSet } from '../../src/contact/contactSet.ts';
import { createLinkRows, setGroup } from '../../src/contact/links/arrays.ts';
import { sumPulls } from '../../src/contact/links/drift.ts';
import { countJoined } from '../../src/contact/links/linkSides.ts';
import { keepsPositions } from '../../src/contact/solve/sideVelocities.ts';
import type { ModelId, RodSpec, Scene, Vec3 } from '../../src/scene/types.ts';
import { createWorld, type World } from '../../src/world/world.ts';

const g = 9.81;
const dt = 1 / 240;

/** n × n hairs on 20 cm, one edge a crossing, 1 mm above a ball. */
const cloth = (n: number, damping: number, tolerance: number): Scene => ({
  tendril: 1,
  gravity: [0, 0, -g],
  rods: [],
  weaves: [
    {
      id: 'cloth',
      center: [0, 0, 0.061],
      warp: { count: n, spacing: 0.2 / n },
      edges: 1,
      section: { type: 'circle', radius: 3e-5 },
      material: { E: 3.58e9, G: 1.07e9, density: 1107, ...(damping > 0 && { damping: { mass: damping } }) },
      joints: { stiffness: 10, rotation: { about: 'normal', stiffness: (0.6 * 2.28e-9 * n) / 0.2 } },
    },
  ],
  colliders: [{ id: 'ball', type: 'sphere', radius: 0.06, friction: 0.3 }],
  contact: { between: 'none', tolerance, iterations: tolerance < 1e-3 ? 5000 : 300 },
  time: { duration: 1, step: dt },
});

/** What the change of momentum of a step is other than by weight, obstacles and damping, over the weight. */
function defect(world: World, damping: number): number {
  const before = world.momentum().linear.slice();
  world.step();
  const { linear, mass } = world.momentum();
  const force = [0, 0, -mass * g];
  for (const one of world.contactForces()) for (let k = 0; k < 3; k++) force[k] += one.force[k];
  const wrong = force.map((f, k) => linear[k] - before[k] - dt * (f - damping * linear[k]));
  return Math.hypot(...wrong) / (mass * g * dt);
}

describe('cloth on a ball', () => {
  it('comes to the same whatever the tolerance, without a step that is cut or does not converge', () => {
    const run = (tolerance: number): { height: number; iterations: number; low: number } => {
      const world = createWorld(cloth(16, 10, tolerance));
      let iterations = 0;
      for (let k = 0; k < 14; k++) {
        expect(world.step()).toMatchObject({ substeps: 1 });
        expect(world.contactReport).toMatchObject({ converged: true });
        iterations += world.contactReport?.iterations ?? 0;
      }
      let low = Infinity;
      for (const { nodePosition: x } of world.samples)
        for (let i = 0; i < x.length; i += 3) low = Math.min(low, Math.hypot(x[i], x[i + 1], x[i + 2]));
      return { height: world.momentum().center[2], iterations, low };
    };
    const [quick, exact] = [run(1e-3), run(1e-5)];
    // it has fallen by centimetres, the hair is 60 µm thick
    expect(exact.height).toBeLessThan(0.055);
    expect(Math.abs(quick.height - exact.height)).toBeLessThan(2e-6);
    // nodes lie on the ball, not in it: 5 % of the radius
    for (const { low } of [quick, exact]) expect(low).toBeGreaterThan(0.06 + 0.95 * 3e-5);
    expect(quick.iterations).toBeLessThan(0.5 * exact.iterations);
  });

  it('changes its momentum by what acts on it, the impact included', () => {
    const world = createWorld(cloth(24, 10, 1e-3));
    let most = 0;
    let touched = 0;
    for (let k = 0; k < 12; k++) {
      most = Math.max(most, defect(world, 10));
      touched = Math.max(touched, world.contactForces().length);
    }
    expect(touched).toBeGreaterThan(10);
    expect(most).toBeLessThan(1e-3);
  });
});

describe('what a solution with links is judged by', () => {
  it('places of contacts along their normals, by their size and not by velocities', () => {
    const set = createContactSet();
    const c = addContact(set);
    set.normal.set([0, 0, 1], 3 * c);
    set.size[c] = 1e-3;
    const arrays = {
      reached: Float64Array.of(9, 9, 0.04),
      copy: Float64Array.of(0, 0, 0),
      sideA: Int32Array.of(0),
      sideB: Int32Array.of(-1),
      isActive: Uint8Array.of(1),
    };
    // 0.04 m/s for 0.5 ms are 20 µm, 2 % of the size; sideways it may be where it likes
    expect(keepsPositions(set, arrays, 0.49e-3, 0.02)).toBe(true);
    expect(keepsPositions(set, arrays, 0.51e-3, 0.02)).toBe(false);
    arrays.isActive[0] = 0;
    expect(keepsPositions(set, arrays, 0.51e-3, 0.02)).toBe(true);
  });

  it('what is left of the glued masses moves no rod as a whole', () => {
    // two rods of 10 g with one link, of one side an end
    const rows = createLinkRows(new ArrayBuffer(4096), { links: 1, crossings: 0, rods: 2, sides: 2, otherSides: 2 });
    setGroup(rows, 0, 2);
    rows.mass.fill(0.01);
    rows.links.fill(1);
    rows.begins.fill(1);
    rows.entry.set([0, 1]);
    rows.first.set([0, 1]);
    rows.last.set([1, 2]);
    const mass = Float64Array.of(0.05, 0.05);
    const response = Float64Array.of(400, 400);
    expect(sumPulls(rows, mass, Float64Array.of(0, 0, 1e-3, 0, -2e-3, 0), 0, 2)).toBeCloseTo(0.01, 12);
    countJoined(rows, response, true, 0, 2);
    expect([...rows.joined]).toEqual([1, 1]);
    // with 16 links that answer together, where something touches; by itself where nothing does
    rows.links.fill(16);
    rows.mass.fill(0.01 / 4);
    response.fill(400 / 16);
    countJoined(rows, response, true, 0, 2);
    expect([...rows.joined]).toEqual([16, 16]);
    countJoined(rows, response, false, 0, 2);
    expect([...rows.joined]).toEqual([1, 1]);
  });
});

describe('modes of linked rods of other models', () => {
  it.each(['strand', 'helix'] as const)('are refused with a remedy: %s', (model) => {
    const rod = (id: string, to: Vec3, of: ModelId): RodSpec => ({
      id,
      model: of,
      shape: { type: 'straight', from: [-to[0], -to[1], 0], to },
      edges: 5,
      section: { type: 'circle', radius: 0.002 },
      material: { E: 1e7, nu: 0.5, density: 1000 },
    });
    const make = (): World =>
      createWorld({
        tendril: 1,
        rods: [rod('a', [0.1, 0, 0], 'der'), rod('b', [0, 0.1, 0], model)],
        pins: ['a', 'b'].map((id) => ({ rod: id, at: 'start' })),
        links: [{ rod: 'a', at: { u: 0.5 }, to: { rod: 'b', at: { u: 0.5 } }, stiffness: 100 }],
        time: { duration: 1, step: 1e-3 },
      });
    const refused = {
      name: 'SceneError',
      message: expect.stringMatching(/support the models der.*rod 'b' is of model.*; use one of these/),
    };
    expect(make().equilibrate()).toMatchObject([{ converged: true }, { converged: true }]);
    expect(() => make().modes(3)).toThrow(expect.objectContaining(refused));
    expect(() => make().matrices()).toThrow(expect.objectContaining(refused));
    expect(make().step().time).toBe(1e-3);
  });
});
