/** Layers on hairs: closed forms on straight hairs, order, and motion with the head. */
import { describe, expect, it } from 'vitest';
import { createHairs, type GuidePose, writeHairs } from '../../src/groom/hairs.ts';
import { type HairLayer, layerNodes } from '../../src/groom/layers.ts';
import { placeRoots } from '../../src/groom/roots.ts';
import { createSurface } from '../../src/surface/surface.ts';
import { ball } from './meshes.ts';

const surface = createSurface(ball(0.1, 24, 48));
const guideRoots = placeRoots(surface, { count: 100, spread: true });
const hairRoots = placeRoots(surface, { count: 600, seed: 3 });
const nodes = 121;
const length = 0.06;
/** Straight guides along the normals. */
const straight: GuidePose = {
  nodes: 11,
  position: Float64Array.from({ length: 33 * guideRoots.count }, (_, k) => {
    const [o, i] = [3 * Math.floor(k / 33) + (k % 3), Math.floor((k % 33) / 3)];
    return guideRoots.position[o] + ((length * i) / 10) * guideRoots.normal[o];
  }),
};

function place(layers: readonly HairLayer[], pose = straight): Float64Array {
  const out = new Float64Array(3 * nodes * hairRoots.count);
  writeHairs(out, createHairs(guideRoots, hairRoots, { layers, seed: 5 }), pose, nodes);
  return out;
}

/** Distance of node i of hair h from the normal at its root, and the angle about it. */
function across(points: Float64Array, h: number, i: number): { radius: number; angle: number; height: number } {
  const o = 3 * (nodes * h + i);
  const r = [0, 1, 2].map((k) => points[o + k] - hairRoots.position[3 * h + k]);
  const n = hairRoots.normal.subarray(3 * h, 3 * h + 3);
  const s = hairRoots.side.subarray(3 * h, 3 * h + 3);
  const t = [n[1] * s[2] - n[2] * s[1], n[2] * s[0] - n[0] * s[2], n[0] * s[1] - n[1] * s[0]];
  const dot = (a: ArrayLike<number>): number => r[0] * a[0] + r[1] * a[1] + r[2] * a[2];
  return { radius: Math.hypot(dot(s), dot(t)), angle: Math.atan2(dot(t), dot(s)), height: dot(n) };
}

const largest = (a: Float64Array, b: Float64Array): number => a.reduce((m, x, k) => Math.max(m, Math.abs(x - b[k])), 0);

describe('layers of hairs', () => {
  it('curl winds a straight hair to a helix of its radius and pitch', () => {
    const curl = { type: 'curl', radius: 0.002, pitch: 0.01 } as const;
    for (const pitch of [0.01, -0.01]) {
      const points = place([{ ...curl, pitch }]);
      for (let h = 0; h < hairRoots.count; h += 37) {
        expect(across(points, h, 0).radius).toBeLessThan(1e-15);
        for (const i of [30, 77, 120]) {
          const { radius, angle, height } = across(points, h, i);
          expect(radius).toBeCloseTo(0.002, 9);
          expect(height).toBeCloseTo((length * i) / (nodes - 1), 9);
          const wanted = (2 * Math.PI * height) / pitch;
          expect(Math.cos(angle - wanted)).toBeCloseTo(1, 9);
        }
      }
    }
    const random = place([{ ...curl, phase: 1 }]);
    const mean =
      Array.from({ length: 600 }, (_, h) => Math.cos(across(random, h, 60).angle)).reduce((a, b) => a + b) / 600;
    expect(Math.abs(mean), 'phases without order').toBeLessThan(0.15);
  });

  it('frizz has its amplitude and starts at the root', () => {
    const points = place([{ type: 'frizz', amplitude: 0.001, wavelength: 0.006 }]);
    let sum = 0;
    for (let h = 0; h < hairRoots.count; h++) {
      expect(across(points, h, 0).radius).toBeLessThan(1e-15);
      for (let i = 20; i < nodes; i++) sum += across(points, h, i).radius ** 2;
    }
    expect(Math.sqrt(sum / (hairRoots.count * (nodes - 20))) / 0.001).toBeCloseTo(1, 1);
  });

  it('clumps meet at their tips, and clumps of clumps at fewer', () => {
    const tips = (layers: readonly HairLayer[]): number => {
      const points = place(layers);
      const seen = new Set<string>();
      for (let h = 0; h < hairRoots.count; h++) {
        const o = 3 * (nodes * h + nodes - 1);
        seen.add([0, 1, 2].map((k) => points[o + k].toFixed(9)).join());
      }
      return seen.size;
    };
    expect(tips([{ type: 'clump', count: 40, strength: 1 }])).toBe(40);
    expect(
      tips([
        { type: 'clump', count: 40, strength: 1 },
        { type: 'clump', count: 150, strength: 1 },
      ]),
    ).toBe(40);
    expect(tips([{ type: 'clump', count: 40, strength: 0.5 }])).toBe(600);
  });

  it('apply in order, to any part of the hairs alike', () => {
    const clump: HairLayer = { type: 'clump', count: 30, strength: 1 };
    const curl: HairLayer = { type: 'curl', radius: 0.002, pitch: 0.01, phase: 1 };
    const [first, last] = [place([curl, clump]), place([clump, curl])];
    expect(largest(first, last)).toBeGreaterThan(0.001);
    const part = new Float64Array(3 * nodes * 7);
    const hairs = createHairs(guideRoots, hairRoots, { layers: [curl, clump], seed: 5 });
    writeHairs(part, hairs, straight, nodes, { from: 100, to: 107 });
    expect(largest(part, first.slice(300 * nodes, 321 * nodes))).toBe(0);
  });

  it('turn with the head', () => {
    const layers: HairLayer[] = [
      { type: 'clump', count: 50, strength: 0.6 },
      { type: 'curl', radius: 0.002, pitch: 0.012, phase: 0.4 },
      { type: 'frizz', amplitude: 0.0005, wavelength: 0.01 },
    ];
    const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
    const q = [c, -s, 0, s, c, 0, 0, 0, 1];
    const move = (p: ArrayLike<number>): Float64Array =>
      Float64Array.from(p, (_, k) => {
        const [o, r] = [k - (k % 3), k % 3];
        return q[3 * r] * p[o] + q[3 * r + 1] * p[o + 1] + q[3 * r + 2] * p[o + 2] + [1, 2, 3][r];
      });
    const turn = Float64Array.from({ length: 9 * guideRoots.count }, (_, k) => q[k % 9]);
    const turned = place(layers, { nodes: 11, position: move(straight.position), turn });
    expect(largest(turned, move(place(layers)))).toBeLessThan(1e-7);
  });

  it('say how many points show them, and refuse what cannot be', () => {
    expect(layerNodes(undefined, 0.2, 21)).toBe(21);
    expect(layerNodes([{ type: 'curl', radius: 0.01, pitch: -0.02 }], 0.2, 21)).toBe(81);
    expect(() => place([{ type: 'clump', count: 0, strength: 1 }])).toThrow(/from 1 to 100000/);
    expect(() => place([{ type: 'clump', count: 3, strength: 2 }])).toThrow(/from 0 to 1/);
    expect(() => place([{ type: 'curl', radius: 0.01, pitch: 0 }])).toThrow(/other than zero/);
    expect(() => place([{ type: 'frizz', amplitude: -1, wavelength: 1 }])).toThrow(/zero or more/);
    expect(() => place([{ type: 'braid' } as unknown as HairLayer])).toThrow(/clump, curl, frizz/);
  });
});
