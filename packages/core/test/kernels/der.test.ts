/** Kernels against the reference: the same scenes, with and without. */
import { beforeAll, describe, expect, it } from 'vitest';
import { TranslationError, translate } from '../../kernels/translate.ts';
import { createPointSpring, createWorld, type Model, type Scene, type World } from '../../src/index.ts';
import { loadDer } from '../../src/kernels/index.ts';

let der: Model;
beforeAll(async () => {
  der = await loadDer();
});

const hair = { E: 3.5e9, G: 1e9, density: 1300 };

/** Strands that differ in everything but their layout. */
function strands(count: number, edges: number, change: Partial<Scene> = {}): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: Array.from({ length: count }, (_, k) => ({
      id: `rod ${k}`,
      shape:
        k % 2 === 0
          ? { type: 'helix', radius: 0.01 + 0.001 * k, pitch: 0.02, turns: 1.5 }
          : { type: 'straight', from: [0, 0.01 * k, 0], to: [0.1, 0.01 * k, 0.01 * k] },
      edges,
      section: { type: 'ellipse', a: 4e-5 + 1e-6 * k, b: 3e-5 },
      material: { ...hair, damping: { mass: 0.5 * k, stiffness: 1e-4 * (k % 3) } },
    })),
    pins: Array.from({ length: count }, (_, k) => ({ rod: `rod ${k}`, at: 'start' })),
    time: { duration: 1, step: 1 / 240 },
    ...change,
  };
}

/** Largest distance of a node between two worlds. */
function distance(a: World, b: World): number {
  let largest = 0;
  a.samples.forEach(({ nodePosition }, rod) => {
    nodePosition.forEach((x, k) => {
      largest = Math.max(largest, Math.abs(x - b.samples[rod].nodePosition[k]));
    });
  });
  return largest;
}

function compare(scene: Scene, steps: number): { plain: World; fast: World } {
  const plain = createWorld(scene);
  const fast = createWorld(scene, { models: [der] });
  const start = createWorld(scene);
  for (let k = 0; k < steps; k++) {
    plain.step();
    fast.step();
  }
  expect(distance(plain, start)).toBeGreaterThan(1e-3);
  expect(distance(plain, fast)).toBeLessThan(1e-12);
  return { plain, fast };
}

describe('rods two at a time', () => {
  it.each(['implicit-euler', 'tr-bdf2', 'midpoint'] as const)('move as one by one: %s', (integrator) => {
    const { plain, fast } = compare(strands(5, 16, { solver: { der: { integrator } } }), 30);
    expect(fast.energies().total).toBeCloseTo(plain.energies().total, 16);
    // something was paired: the work is counted for two rods at once
    expect(fast.step().iterations).toBeLessThan(0.8 * plain.step().iterations);
  });

  it('clamped at both ends, moved and twisted; with ends free; without stretch', () => {
    const base = strands(4, 12);
    const pins = base.rods.flatMap(({ id }, k) => [
      { rod: id, at: 'start' as const },
      {
        rod: id,
        at: 'end' as const,
        path: { keys: [{ time: 0 }, { time: 0.2, offset: [-0.01, 0, 0.005 * k] as const, twist: 2 + k }] },
      },
    ]);
    compare({ ...base, pins }, 40);
    compare({ ...base, pins: [] }, 30);
    compare({ ...base, rods: base.rods.map((rod) => ({ ...rod, inextensible: true })) }, 30);
  });

  it('leaves hinges to the reference', () => {
    const base = strands(4, 10);
    const pins = base.rods.map(({ id }) => ({
      rod: id,
      at: 'start' as const,
      hold: 'hinge' as const,
      axis: [0, 1, 0] as const,
    }));
    compare({ ...base, pins }, 30);
  });

  it('under loads that look at them: air, followers, torques, a hand', () => {
    const base = strands(4, 10);
    const loads = base.rods.map(({ id }, k) => ({
      type: 'force' as const,
      rod: id,
      at: 'end' as const,
      force: [0, 1e-6 * k, 2e-6] as const,
      frame: 'material' as const,
    }));
    const air = [{ type: 'air' as const, linear: [1e-4, 5e-5] as const, rods: ['rod 1', 'rod 2'] }];
    for (const integrator of ['tr-bdf2', 'midpoint'] as const) {
      const { plain, fast } = compare({ ...base, loads, fields: air, solver: { der: { integrator } } }, 30);
      expect(fast.step().iterations).toBeLessThan(0.8 * plain.step().iterations);
    }
    const torques = base.rods.map(({ id }, k) => ({
      type: 'torque' as const,
      rod: id,
      at: 'end' as const,
      torque: [2e-9 * k, 1e-9, 0] as const,
    }));
    compare({ ...base, loads: torques }, 30);
    const plain = createWorld(base);
    const fast = createWorld(base, { models: [der] });
    for (const world of [plain, fast]) {
      const hand = createPointSpring(10, 1e-3, 1e-4);
      world.addLoad(0, hand);
      for (let k = 0; k < 10; k++) world.step();
    }
    expect(distance(plain, fast)).toBeLessThan(1e-12);
  });

  it('goes back to one by one where two differ: a pin let go, a clamp that turns far in a step', () => {
    const base = strands(4, 10);
    const pins = (base.pins ?? []).map((pin, k) => (k === 1 ? { ...pin, release: 0.05 } : pin));
    compare({ ...base, pins }, 30);
    const spun = (base.pins ?? []).map((pin) => ({ ...pin, path: { keys: [{ time: 0 }, { time: 0.1, twist: 30 }] } }));
    compare({ ...base, pins: spun }, 15);
  });

  it.each(['implicit-euler', 'tr-bdf2'] as const)('in scenes with contact, touching or not: %s', (integrator) => {
    const base = strands(6, 12, { solver: { der: { integrator } } });
    const scene: Scene = {
      ...base,
      // some fall onto the floor, some hang above it
      pins: (base.pins ?? []).filter((_, k) => k % 3 > 0),
      colliders: [{ type: 'plane', position: [0, 0, -0.012], normal: [0, 0, 1], friction: 0.3 }],
    };
    const plain = createWorld(scene);
    const fast = createWorld(scene, { models: [der] });
    let touching = 0;
    let [few, many] = [0, 0];
    let whole = 0;
    for (let k = 0; k < 40; k++) {
      const [one, two] = [plain.step(), fast.step()];
      many += one.iterations;
      few += two.iterations;
      touching += plain.contactForces().length;
      // both solve for contact to its tolerance, on ways of their own (contact/singleRods.test.ts compares them at a better one); a step that
      // one of them takes in pieces is another step, of first order
      if (whole === k && one.substeps === 1 && two.substeps === 1) {
        whole++;
        expect(distance(plain, fast)).toBeLessThan(5e-6);
        expect(fast.contactForces().length).toBe(plain.contactForces().length);
        const { total, kinetic } = plain.energies();
        expect(Math.abs(fast.energies().total - total)).toBeLessThan(1e-3 * (Math.abs(total) + kinetic));
        expect(fast.reactions()[0].force[2] / plain.reactions()[0].force[2]).toBeCloseTo(1, 3);
      }
    }
    expect(whole).toBeGreaterThan(20);
    expect(touching).toBeGreaterThan(100);
    // what touches apart from others is solved apart from them, and so by itself
    expect(few).toBeLessThan(0.97 * many);
    expect(distance(plain, fast)).toBeLessThan(1e-4);
  });

  it('in contact with each other', () => {
    // two crossed rods fall onto a third that is held at both ends
    const r = 2e-3;
    const rod = (id: string, from: readonly [number, number, number], to: readonly [number, number, number]) => ({
      id,
      shape: { type: 'straight' as const, from, to },
      edges: 8,
      section: { type: 'circle' as const, radius: r },
      material: { E: 1e6, nu: 0.4, density: 1000 },
    });
    const scene: Scene = {
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        rod('beam', [-0.1, 0, 0], [0.1, 0, 0]),
        rod('one', [0.01, -0.08, 2.5 * r], [-0.02, 0.07, 2.5 * r]),
        rod('two', [-0.09, -0.01, 5 * r], [0.06, 0.01, 5 * r]),
      ],
      pins: [
        { rod: 'beam', at: 'start' },
        { rod: 'beam', at: 'end' },
      ],
      contact: { friction: 0.5 },
      time: { duration: 1, step: 1 / 480 },
    };
    const plain = createWorld(scene);
    const fast = createWorld(scene, { models: [der] });
    let [few, many] = [0, 0];
    for (let k = 0; k < 30; k++) {
      many += plain.step().iterations;
      few += fast.step().iterations;
    }
    expect(plain.contactForces().length).toBeGreaterThan(1);
    expect(few).toBeLessThan(0.9 * many);
    expect(distance(plain, fast)).toBeLessThan(1e-9);
  });

  it('shift matrices that are not positive: rods that buckle under their ends', () => {
    const base = strands(4, 12, {
      time: { duration: 1, step: 0.02 },
      solver: { der: { integrator: 'implicit-euler' } },
    });
    const rods = base.rods.map((rod, k) => ({
      ...rod,
      shape: { type: 'straight' as const, from: [0, 0.01 * k, 0] as const, to: [0.1, 0.01 * k, 0] as const },
    }));
    const pins = rods.flatMap(({ id }) => [
      { rod: id, at: 'start' as const },
      { rod: id, at: 'end' as const, path: { keys: [{ time: 0 }, { time: 0.2, offset: [-0.03, 0, 0] as const }] } },
    ]);
    const plain = createWorld({ ...base, rods, pins });
    const fast = createWorld({ ...base, rods, pins }, { models: [der] });
    let shifts = 0;
    for (let k = 0; k < 3; k++) {
      plain.step();
      shifts += fast.step().shifts;
    }
    expect(shifts).toBeGreaterThan(0);
    expect(distance(plain, fast)).toBeLessThan(1e-9);
  });

  it('tells what follows from a state that it moved: energies, momentum, channels, reactions, modes', () => {
    const scene = strands(4, 10);
    const plain = createWorld(scene);
    const fast = createWorld(scene, { models: [der] });
    for (let k = 0; k < 20; k++) {
      plain.step();
      fast.step();
    }
    const near = (a: ArrayLike<number>, b: ArrayLike<number>): void => {
      let size = 0;
      for (let k = 0; k < a.length; k++) size = Math.max(size, Math.abs(b[k]));
      expect(size).toBeGreaterThan(0);
      for (let k = 0; k < a.length; k++) expect(Math.abs(a[k] - b[k])).toBeLessThan(1e-8 * size);
    };
    near(Object.values(fast.energies()), Object.values(plain.energies()));
    near(fast.momentum().angular, plain.momentum().angular);
    for (const channel of ['tension', 'curvature', 'twist'] as const)
      near(fast.channel(2, channel), plain.channel(2, channel));
    near(fast.reactions()[1].torque, plain.reactions()[1].torque);
    near(fast.modes(3)[0].omega, plain.modes(3)[0].omega);
    near(fast.samples[3].edgeDirector, plain.samples[3].edgeDirector);
    near(fast.samples[3].edgeSpin, plain.samples[3].edgeSpin);
    near(fast.samples[3].nodeVelocity, plain.samples[3].nodeVelocity);
  });

  it('does not depend on the company a rod is in', () => {
    const two = createWorld(strands(2, 10), { models: [der] });
    const four = createWorld(strands(4, 10), { models: [der] });
    for (let k = 0; k < 20; k++) {
      two.step();
      four.step();
    }
    expect([...two.samples[1].nodePosition]).toEqual([...four.samples[1].nodePosition]);
  });

  it('restarts bit for bit', () => {
    const scene = strands(3, 10);
    const world = createWorld(scene, { models: [der] });
    for (let k = 0; k < 5; k++) world.step();
    const saved = world.save();
    const other = createWorld(scene, { models: [der] });
    other.restore(saved);
    for (let k = 0; k < 5; k++) {
      world.step();
      other.step();
    }
    expect(other.hash()).toBe(world.hash());
  });

  it('fails as a value: a step that is too long is cut', () => {
    const scene = strands(2, 10, { time: { duration: 10, step: 5 }, solver: { der: { iterations: 3 } } });
    const world = createWorld(scene, { models: [der] });
    const plain = createWorld(scene);
    const { substeps } = world.step();
    expect(substeps).toBeGreaterThan(1);
    expect(plain.step().substeps).toBe(substeps);
    world.samples.forEach(({ nodePosition }, rod) => {
      nodePosition.forEach((x, k) => {
        expect(x).toBeCloseTo(plain.samples[rod].nodePosition[k], 9);
      });
    });
  });
});

describe('translation of formulas', () => {
  const of = (body: string): string =>
    translate([
      { file: 'a.ts', text: `function f(out: Float64Array, o: number, x: number): void {${body}}`, functions: ['f'] },
    ]);

  it('makes pairs of numbers, and integers of indices', () => {
    expect(of('const a = 3 * o; out[a + 1] += 2 * x - out[o];')).toContain(
      'v128.store(out + (<usize>(3 * o) << 4), ' +
        'add(v128.load(out + (<usize>(3 * o) << 4), 16), sub(mul(f64x2.splat(2.0), x), v128.load(out + (<usize>(o) << 4), 0))), 16);',
    );
    // all entries of an array share one address, and no offset is negative
    expect(of('out[o - 2] = out[o + 1];')).toContain(
      'v128.store(out + (<usize>(o) << 4) - 32, v128.load(out + (<usize>(o) << 4) - 32, 48), 0);',
    );
  });

  it('does now what is known: loops, branches, zeros and ones', () => {
    const lines = of('let s = 0; for (let k = 0; k < 3; k++) { if (k === 1) continue; s += out[k] * 1; } out[o] = s;');
    expect(lines.match(/v128\.load\(out, \d+\)/g)).toEqual(['v128.load(out, 0)', 'v128.load(out, 32)']);
    expect(lines).not.toMatch(/for|mul/);
  });

  it('puts calls in their place and work space in variables where a function is wanted flat', () => {
    const text = `
      const work = new Float64Array(2);
      function square(x: number): number { return x * x; }
      function f(out: Float64Array, x: number, twice: number): void {
        work[0] = square(x);
        if (twice === 1) work[0] += x;
        out[1] = work[0] + work[1];
      }`;
    const source = { file: 'a.ts', text, functions: ['square', 'f'] };
    const flat = translate([source], [{ name: 'g', from: 'f', given: { twice: 0 }, scalars: ['work'] }]);
    expect(flat).toContain(
      'export function g(out: usize, x: v128): void {\n  const work_0_0: v128 = mul(x, x);\n  v128.store(out, work_0_0, 16);\n}',
    );
  });

  it('refuses what would differ from rod to rod, and what it does not know', () => {
    expect(() => of('if (x > 0) out[o] = 1;')).toThrow(TranslationError);
    expect(() => of('out[o] = x % 2;')).toThrow(TranslationError);
    expect(() => of('while (o > 0) out[o] = x;')).toThrow(TranslationError);
    expect(() => of('for (let k = 0; k < o; k++) out[k] = x;')).toThrow(TranslationError);
    expect(() => translate([{ file: 'a.ts', text: '', functions: ['f'] }])).toThrow(/no function f/);
  });
});
