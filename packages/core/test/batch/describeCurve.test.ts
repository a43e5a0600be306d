import { expect, test } from 'vitest';
import type { Vector } from '../../src/batch/algebra.ts';
import { directorOf } from '../../src/batch/formulas.ts';
import { describeRod } from '../../src/batch/gpu/describe.ts';
import { describeCurve } from '../../src/batch/gpu/describeCurve.ts';
import type { StrandDescription } from '../../src/batch/gpu/pack.ts';
import { compileScene, type RodSpec, type Vec3 } from '../../src/index.ts';
import { farthest, material, sceneOf } from './scenes.ts';

/** Edges of different lengths, which bend in and out of a plane. */
const points = Array.from({ length: 9 }, (_, i): Vec3 => {
  const t = 0.3 * i + 0.02 * i * i;
  return [0.05 * Math.cos(t), 0.05 * Math.sin(t), 0.01 * t + 0.004 * Math.sin(3 * t)];
});

const section = { a: 60e-6, b: 40e-6 };

function rodOf(changes: Partial<RodSpec> = {}): StrandDescription {
  const rod: Partial<RodSpec> = { shape: { type: 'points', points }, natural: 'initial' };
  const { rods, drives } = compileScene(
    sceneOf({}, { ...rod, edges: undefined, section: { type: 'ellipse', ...section }, ...changes }),
  );
  return describeRod(rods[0], drives[0], { rod: 0, pin: 0 });
}

function curveOf(director?: Vector): StrandDescription {
  const { E, G, density } = material;
  return describeCurve(points.flat(), { ...section, youngModulus: E, shearModulus: G, density }, director);
}

test('a curve becomes the strand that a rod of the same shape becomes', () => {
  const rod = rodOf();
  const curve = curveOf(directorOf(rod.frame));
  expect(curve.place).toEqual(rod.place);
  for (const name of ['frame', 'edgeLength', 'nodeMass', 'jointStiffness', 'relative'] as const) {
    const size = Math.max(...Array.from(rod[name], Math.abs));
    expect(size).toBeGreaterThan(0);
    expect(farthest(curve[name], rod[name]) / size, name).toBeLessThan(1e-12);
  }
  const bends = Math.max(...Array.from(rod.jointStrainRest, Math.abs));
  expect(bends).toBeGreaterThan(0.1);
  // a rod finds its natural curvature from its shape, and that of the joint from the curvature
  expect(farthest(curve.jointStrainRest, rod.jointStrainRest)).toBeLessThan(1e-9 * bends);
});

test('a curve begins with the director that is wished for, or one across it', () => {
  const wish: Vector = [0, 0, 1];
  const { frame } = curveOf(wish);
  const d = directorOf(frame);
  const t = [0, 1, 2].map((k) => points[1][k] - points[0][k]);
  const size = Math.hypot(...t);
  const along = t[2] / size;
  expect(d[2]).toBeCloseTo(Math.sqrt(1 - along * along), 12);
  expect(t[0] * d[0] + t[1] * d[1] + t[2] * d[2]).toBeCloseTo(0, 14);
  const [x, y, z] = t.map((c) => c / size);
  const across = directorOf(curveOf([x, y, z]).frame);
  expect(x * across[0] + y * across[1] + z * across[2]).toBeCloseTo(0, 12);
});

test.each([
  [[0, 0, 0], /has no edges/],
  [[0, 0, 0, 1], /has no edges/],
  [[0, 0, 0, 1, 0, 0, 1, 0, 0], /edge 1 of a curve has the length 0/],
  [[0, 0, 0, Number.NaN, 0, 0], /edge 0 of a curve has the length NaN/],
  [[0, 0, 0, 1, 0, 0, 0, 0, 1e-3], /turns back on itself/],
])('the curve %j is refused', (numbers, message) => {
  const { E, G, density } = material;
  const given = { ...section, youngModulus: E, shearModulus: G, density };
  expect(() => describeCurve(numbers, given)).toThrow(message);
});
