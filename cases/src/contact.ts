/** What the cases of contact measure alike. */
import type { World } from '@tendril/core';

/** Sum of a component of the contact forces on rods, from colliders or from rods. */
export function sumForces(world: World, kind: 'rod' | 'collider', axis: number): number {
  let sum = 0;
  for (const contact of world.contactForces()) if (contact.kind === kind) sum += contact.force[axis];
  return sum;
}

const clamp = (t: number): number => Math.min(1, Math.max(0, t));

/** Distance of two segments. */
function distance(x: Float64Array, a: number, b: number, y: Float64Array, c: number, d: number): number {
  const p = [0, 1, 2].map((k) => x[b + k] - x[a + k]);
  const q = [0, 1, 2].map((k) => y[d + k] - y[c + k]);
  const r = [0, 1, 2].map((k) => x[a + k] - y[c + k]);
  const dot = (u: readonly number[], v: readonly number[]): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const [pp, qq, pq, pr, qr] = [dot(p, p), dot(q, q), dot(p, q), dot(p, r), dot(q, r)];
  const determinant = pp * qq - pq * pq;
  let s = determinant > 1e-12 * pp * qq ? clamp((pq * qr - pr * qq) / determinant) : 0.5;
  let t = (pq * s + qr) / qq;
  if (t < 0 || t > 1) {
    t = clamp(t);
    s = clamp((pq * t - pr) / pp);
  }
  return Math.hypot(...[0, 1, 2].map((k) => r[k] + s * p[k] - t * q[k]));
}

/** Least distance of a rod's axis from itself, along which it is farther than `arc` [m]. */
export function selfDistance(world: World, rod: number, arc: number): number {
  const x = world.samples[rod].nodePosition;
  const { edgeCount, nodeCount, nodeArc } = world.rods[rod];
  let least = Infinity;
  for (let i = 0; i < edgeCount; i++) {
    for (let j = i + 1; j < edgeCount; j++) {
      if (nodeArc[j] - nodeArc[i] < arc) continue;
      const [b, d] = [3 * ((i + 1) % nodeCount), 3 * ((j + 1) % nodeCount)];
      least = Math.min(least, distance(x, 3 * i, b, x, 3 * j, d));
    }
  }
  return least;
}

/** Least distance of the axes of two rods. */
export function rodDistance(world: World, first: number, second: number): number {
  const [x, y] = [world.samples[first].nodePosition, world.samples[second].nodePosition];
  let least = Infinity;
  for (let i = 0; i < world.rods[first].edgeCount; i++) {
    const b = 3 * ((i + 1) % world.rods[first].nodeCount);
    for (let j = 0; j < world.rods[second].edgeCount; j++)
      least = Math.min(least, distance(x, 3 * i, b, y, 3 * j, 3 * ((j + 1) % world.rods[second].nodeCount)));
  }
  return least;
}

export function fastest(world: World): number {
  let most = 0;
  for (const { nodeVelocity } of world.samples)
    for (let k = 0; k < nodeVelocity.length; k += 3)
      most = Math.max(most, Math.hypot(nodeVelocity[k], nodeVelocity[k + 1], nodeVelocity[k + 2]));
  return most;
}
