/** What the model refuses, with words that help; modes and matrices; hair by name. */
import { describe, expect, it } from 'vitest';
import {
  createWorld,
  type HairType,
  hairMaterial,
  hairSection,
  hairTypes,
  type Scene,
  SceneError,
} from '../../src/index.ts';

const scene = (changes: Partial<Scene> = {}, rod: Partial<Scene['rods'][0]> = {}): Scene => ({
  tendril: 1,
  rods: [
    {
      id: 'a',
      model: 'helix',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 20,
      section: { type: 'stiffness', EI1: 1, GJ: 2 / 3, mass: 1 },
      ...rod,
    },
  ],
  pins: [{ rod: 'a', at: 'start' }],
  ...changes,
});

const clamp = { rod: 'a', at: 'start' as const };
const body = { id: 'b', mass: 1, inertia: [1, 1, 1], position: [1, 0, 0] as const };

describe('refused', () => {
  it.each<[string, Scene, (string | number)[], RegExp]>([
    ['a free rod', scene({ pins: [] }), ['rods', 0, 'model'], /wants a clamped root; add a pin/],
    ['a hinge', scene({ pins: [{ ...clamp, hold: 'position' }] }), ['rods', 0, 'model'], /clamped root/],
    [
      'a clamp along some axes',
      scene({ pins: [{ ...clamp, axes: ['x', 'y'] }] }),
      ['rods', 0, 'model'],
      /clamped root/,
    ],
    [
      'a pin in the middle',
      scene({ pins: [clamp, { rod: 'a', at: { u: 0.5 }, hold: 'position' }] }),
      ['pins', 1, 'at'],
      /at its start and its end/,
    ],
    ['letting go', scene({ pins: [{ ...clamp, release: 1 }] }), ['pins', 0, 'release'], /cannot let go/],
    ['a ring', scene({ pins: [] }, { shape: { type: 'ring', radius: 1 } }), ['rods', 0, 'model'], /no closed rods/],
    ['a weld', scene({ bodies: [body], welds: [{ rod: 'a', at: 'end', body: 'b' }] }), ['welds', 0], /no bodies/],
    [
      'too many elements',
      scene({ solver: { helix: { elements: 21 } } }),
      ['solver', 'helix', 'elements'],
      /from 1 to 20/,
    ],
    [
      'half an element',
      scene({ solver: { helix: { elements: 2.5 } } }),
      ['solver', 'helix', 'elements'],
      /whole number/,
    ],
    [
      'a curl and a shape',
      scene({}, { natural: { curl: { radius: 1, pitch: 1 }, shape: { type: 'ring', radius: 1 } } }),
      ['rods', 0, 'natural', 'shape'],
      /curl/,
    ],
    [
      'a curl without radius',
      scene({}, { natural: { curl: { radius: 0, pitch: 1 } } }),
      ['rods', 0, 'natural', 'curl', 'radius'],
      /positive/,
    ],
    [
      'unknown hair',
      scene({}, { hair: 'blue' as HairType }),
      ['rods', 0, 'hair'],
      /unknown hair type 'blue'; known: straight/,
    ],
    ['no section', scene({}, { section: undefined }), ['rods', 0, 'section'], /no section; give one, or a hair type/],
  ])('%s', (_, input, path, words) => {
    let error: unknown;
    try {
      createWorld(input);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SceneError);
    expect((error as SceneError).message).toMatch(words);
    expect((error as SceneError).path).toEqual(path);
  });
});

describe('modes', () => {
  it('know unstable equilibria', () => {
    const world = createWorld(
      scene({ loads: [{ type: 'force', rod: 'a', at: 'end', force: [-4, 0, 0] }], statics: { stability: 'report' } }),
    );
    expect(world.equilibrate()[0].negativeModes).toBe(2);
    const { omega } = world.modes(4)[0];
    expect([...omega].map(Math.sign)).toEqual([-1, -1, 1, 1]);
  });

  it('agree with the matrices, which have the labels of the unknowns', () => {
    const world = createWorld(
      scene(
        { gravity: [0, 0, -3] },
        {
          section: {
            type: 'stiffness',
            EI1: 1,
            EI2: 3,
            GJ: 2 / 3,
            mass: 1,
            inertia: 0.01,
            damping: { mass: 2, stiffness: 0.1 },
          },
        },
      ),
    );
    world.equilibrate();
    const [{ omega }] = world.modes(3);
    const [{ size, labels, mass, stiffness, damping }] = world.matrices();
    expect(size).toBe(60);
    expect(labels.slice(0, 4)).toEqual(['element 0 κ1', 'element 0 κ2', 'element 0 τ', 'element 1 κ1']);
    const dense = ({ row, column, value }: typeof mass): Float64Array => {
      const out = new Float64Array(size * size);
      value.forEach((x, k) => {
        out[row[k] * size + column[k]] = x;
        out[column[k] * size + row[k]] = x;
      });
      return out;
    };
    const [M, K, C] = [mass, stiffness, damping].map(dense);
    // Rayleigh: C = αM + β·(elastic K), and the total of mass that a rigid turn of all sees
    let sum = 0;
    for (let k = 0; k < size; k++) sum += C[k * size + k] - 2 * M[k * size + k] - 0.1 * [1, 3, 2 / 3][k % 3] * 0.05;
    expect(Math.abs(sum)).toBeLessThan(0.1);
    // smallest ω² by inverse iteration on K x = ω² M x
    let x = Float64Array.from({ length: size }, (_, d) => 1 + Math.sin(d));
    let quotient = 0;
    for (let round = 0; round < 100; round++) {
      const b = x.map((_, r) => x.reduce((acc, value, c) => acc + M[r * size + c] * value, 0));
      const y = solve(K, b);
      const scale = 1 / Math.hypot(...y);
      quotient =
        b.reduce((acc, value, d) => acc + value * x[d], 0) / b.reduce((acc, value, d) => acc + value * y[d], 0);
      x = y.map((value) => value * scale);
    }
    expect(Math.abs(Math.sqrt(quotient) / omega[0] - 1)).toBeLessThan(1e-6);
  });

  it('are refused with loads that have no potential', () => {
    const world = createWorld(scene({ loads: [{ type: 'torque', rod: 'a', at: 'end', torque: [1, 1, 0] }] }));
    world.equilibrate();
    expect(() => world.modes()).toThrow(/loads without a potential/);
  });
});

function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const n = right.length;
  const a = matrix.slice();
  const x = right.slice();
  for (let k = 0; k < n; k++) {
    for (let r = k + 1; r < n; r++) {
      const factor = a[r * n + k] / a[k * n + k];
      for (let c = k; c < n; c++) a[r * n + c] -= factor * a[k * n + c];
      x[r] -= factor * x[k];
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let c = k + 1; c < n; c++) x[k] -= a[k * n + c] * x[c];
    x[k] /= a[k * n + k];
  }
  return x;
}

describe('hair by name', () => {
  it('stands for what its preset says, on any model, and gives way to what the rod says', () => {
    for (const model of ['der', 'helix'] as const) {
      const short = scene(
        {},
        { model, shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] }, section: undefined, hair: 'curly' },
      );
      const { curl } = hairTypes.curly;
      const long = scene(
        {},
        {
          model,
          shape: { type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] },
          section: hairSection(hairTypes.curly),
          material: hairMaterial,
          natural: { curl },
        },
      );
      expect(createWorld(short).energies()).toEqual(createWorld(long).energies());
      const own = createWorld(scene({}, { ...short.rods[0], natural: 'straight' }));
      expect(own.energies().total).toBe(0);
    }
  });

  it('names a source for every number, and marks estimates', () => {
    for (const [name, { area, ellipticity, sources }] of Object.entries(hairTypes)) {
      const section = hairSection({ area, ellipticity }) as { a: number; b: number };
      expect(Math.PI * section.a * section.b).toBeCloseTo(area, 20);
      expect(section.a / section.b).toBeCloseTo(ellipticity, 12);
      for (const source of Object.values(sources)) expect(source, name).toMatch(/estimate|TRI Princeton|Kamath/);
    }
  });
});
