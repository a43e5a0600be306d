import type { World } from '@tendril-sim/core';
import { asin } from '@tendril-sim/core/math';

type Vector = readonly [number, number, number];

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** Signed solid angle of the directions in which edge ab is seen to cross edge cd, over 2π. */
function crossing(a: Vector, b: Vector, c: Vector, d: Vector): number {
  const normals = [
    cross(minus(c, a), minus(d, a)),
    cross(minus(d, a), minus(d, b)),
    cross(minus(d, b), minus(c, b)),
    cross(minus(c, b), minus(c, a)),
  ];
  let angle = 0;
  for (let k = 0; k < 4; k++) {
    const [m, n] = [normals[k], normals[(k + 1) % 4]];
    const size = Math.sqrt(dot(m, m) * dot(n, n));
    if (size === 0) return 0; // in one plane
    angle += asin(Math.max(-1, Math.min(1, dot(m, n) / size)));
  }
  return (angle * Math.sign(dot(cross(minus(d, c), minus(b, a)), minus(c, a)))) / (2 * Math.PI);
}

/** Writhe of a closed polygon, after Klenin and Langowski 2000. */
function writhe(points: readonly Vector[]): number {
  const count = points.length;
  let sum = 0;
  for (let i = 2; i < count; i++) {
    for (let j = i === count - 1 ? 1 : 0; j < i - 1; j++)
      sum += crossing(points[i], points[(i + 1) % count], points[j], points[j + 1]);
  }
  return sum;
}

/** Twist [rad] between two nodes, of which the first may be the start and the second the end. */
export function twistBetween(world: World, from: number, to: number): number {
  const twist = world.channel(0, 'twist');
  const { nodeArc } = world.rods[0];
  let sum = 0;
  for (let j = from; j < to; j++) sum += ((twist[j] + twist[j + 1]) * (nodeArc[j + 1] - nodeArc[j])) / 2;
  return sum;
}

/**
 * Linking number of a rod that is clamped at both ends along x, and closed by a wide loop in a plane: twist and writhe
 * (Călugăreanu). The clamps and the strands' passing through each other alone can change it.
 */
export function linkingNumber(world: World): number {
  const { nodePosition } = world.samples[0];
  const { nodeCount, length } = world.rods[0];
  const points = Array.from(
    { length: nodeCount },
    (_, i): Vector => [nodePosition[3 * i], nodePosition[3 * i + 1], nodePosition[3 * i + 2]],
  );
  const far = 3 * length;
  points.push([far, 0, 0], [far, 0, -far], [-far, 0, -far], [-far, 0, 0]);
  return twistBetween(world, 0, nodeCount - 1) / (2 * Math.PI) + writhe(points);
}
