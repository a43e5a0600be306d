/** What the cases of contact measure alike. */

import type { World } from '@tendril-sim/core';
import { hypot, square as squareOf } from '@tendril-sim/core/math';

/** Sum of a component of the contact forces on rods, from colliders or from rods. */
export function sumForces(world: World, kind: 'rod' | 'collider', axis: number): number {
  let sum = 0;
  for (const contact of world.contactForces()) if (contact.kind === kind) sum += contact.force[axis];
  return sum;
}

const clamp = (t: number): number => Math.min(1, Math.max(0, t));

/** Distance of two segments: from a to b of x, from c to d of y (offsets of points). */
export function segmentDistance(x: Float64Array, a: number, b: number, y: Float64Array, c: number, d: number): number {
  let [pp, qq, pq, pr, qr] = [0, 0, 0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const p = x[b + k] - x[a + k];
    const q = y[d + k] - y[c + k];
    const r = x[a + k] - y[c + k];
    pp += p * p;
    qq += q * q;
    pq += p * q;
    pr += p * r;
    qr += q * r;
  }
  const determinant = pp * qq - pq * pq;
  let s = determinant > 1e-12 * pp * qq ? clamp((pq * qr - pr * qq) / determinant) : 0.5;
  let t = (pq * s + qr) / qq;
  if (t < 0 || t > 1) {
    t = clamp(t);
    s = clamp((pq * t - pr) / pp);
  }
  let square = 0;
  for (let k = 0; k < 3; k++)
    square += squareOf(x[a + k] - y[c + k] + s * (x[b + k] - x[a + k]) - t * (y[d + k] - y[c + k]));
  return Math.sqrt(square);
}

/** Least distance of the axes of two rods. */
export function rodDistance(world: World, first: number, second: number): number {
  const [x, y] = [world.samples[first].nodePosition, world.samples[second].nodePosition];
  let least = Infinity;
  for (let i = 0; i < world.rods[first].edgeCount; i++) {
    const b = 3 * ((i + 1) % world.rods[first].nodeCount);
    for (let j = 0; j < world.rods[second].edgeCount; j++)
      least = Math.min(least, segmentDistance(x, 3 * i, b, y, 3 * j, 3 * ((j + 1) % world.rods[second].nodeCount)));
  }
  return least;
}

export function fastest(world: World): number {
  let most = 0;
  for (const { nodeVelocity } of world.samples)
    for (let k = 0; k < nodeVelocity.length; k += 3)
      most = Math.max(most, hypot(nodeVelocity[k], nodeVelocity[k + 1], nodeVelocity[k + 2]));
  return most;
}
