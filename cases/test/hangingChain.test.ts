/** The chain as it is laid out: who is linked with whom, how near, and at rest. */
import { describe, expect, it } from 'vitest';
import { hangingChain, RADIUS, SPACING, WIRE } from '../hanging-chain/scene.ts';
// gives cases their world
import '../src/index.ts';
import { worldOf } from '../src/case.ts';

type Vector = readonly [number, number, number];

const world = worldOf(hangingChain({ links: 5, edges: 30, pull: 6, duration: 10 }));
const curves = world.samples.map(({ nodePosition }) =>
  Array.from(
    { length: nodePosition.length / 3 },
    (_, i): Vector => [nodePosition[3 * i], nodePosition[3 * i + 1], nodePosition[3 * i + 2]],
  ),
);
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Gauss's integral over two polygons, each closed across its gap, by fine points. */
function linking(a: readonly Vector[], b: readonly Vector[]): number {
  const refine = (curve: readonly Vector[]): Vector[] =>
    curve.flatMap((p, i) => {
      const q = curve[(i + 1) % curve.length];
      return Array.from({ length: 6 }, (_, k): Vector => {
        const w = (k + 0.5) / 6;
        return [p[0] + w * (q[0] - p[0]), p[1] + w * (q[1] - p[1]), p[2] + w * (q[2] - p[2])];
      });
    });
  const step = (curve: readonly Vector[], i: number): Vector => {
    const j = Math.floor(i / 6);
    const [x, y, z] = minus(curve[(j + 1) % curve.length], curve[j]);
    return [x / 6, y / 6, z / 6];
  };
  const [p, q] = [refine(a), refine(b)];
  let sum = 0;
  p.forEach((x, i) => {
    q.forEach((y, j) => {
      const r = minus(x, y);
      sum += dot(r, cross(step(a, i), step(b, j))) / dot(r, r) ** 1.5;
    });
  });
  return sum / (4 * Math.PI);
}

describe('hanging chain', () => {
  it('links neighbours once, and nobody else', () => {
    curves.forEach((a, i) => {
      curves.slice(0, i).forEach((b, j) => {
        expect(Math.abs(linking(a, b))).toBeCloseTo(i - j === 1 ? 1 : 0, 2);
      });
    });
  });

  it('has room between the wires', () => {
    let nearest = Infinity;
    curves.forEach((a, i) => {
      for (const b of curves.slice(0, i))
        for (const p of a) for (const q of b) nearest = Math.min(nearest, Math.hypot(...minus(p, q)));
    });
    expect(nearest).toBeGreaterThan(2.5 * WIRE);
    expect(nearest).toBeLessThan(2 * RADIUS - SPACING + 0.05);
  });

  it('starts without stress, held at both ends, and steps', () => {
    const { bending, twisting } = world.energies();
    expect(bending).toBeLessThan(1e-6);
    expect(twisting).toBeLessThan(1e-9);
    const pinned = world.reactions().map(({ node, rod }) => {
      const { nodePosition } = world.samples[world.rods.findIndex(({ id }) => id === rod)];
      return nodePosition[3 * node];
    });
    expect(pinned[0]).toBeCloseTo(-RADIUS, 2);
    expect(pinned[1]).toBeCloseTo(4 * SPACING + RADIUS, 2);
    for (let k = 0; k < 5; k++) world.step();
    expect(world.energies().kinetic).toBeGreaterThan(0);
  });
});
