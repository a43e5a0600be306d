/**
 * Ellipsoids: exact distance to the surface Σ (x/e)² = 1 with radii e = (a, b, c).
 *
 * At the nearest point p of the surface, x − p is normal to it [Eberly2013]. Let c be the least radius and r = e²/c². Then p = r·x/(μ + r), and
 * μ > −1 is the only root of G(μ) = Σ (r·(x/e)/(μ + r))² = 1. The difference x − p is μ·w, where w = x/(μ + r) has the direction of the normal. So the
 * distance is μ·|w|, without cancellation near the surface.
 */
import { type DistanceFunction, type Shape, searchConvex } from './shape.ts';

/** Limit on Newton iterations; points take five on average, points near a plane of symmetry more. */
const MOST = 60;

export function createEllipsoid(radii: ArrayLike<number>): Shape {
  const [a, b, c] = [radii[0], radii[1], radii[2]];
  const least = Math.min(a, b, c);
  /** The ratios r less 1; exactly 0 along the least radius. */
  const excess = [a, b, c].map((radius) => ((radius - least) / least) * ((radius + least) / least));
  const [p, q, r] = excess;
  const short = excess.indexOf(0);
  const divide = (x: number, by: number): number => (x === 0 ? 0 : x / by);
  const distance: DistanceFunction = (out, x, y, z) => {
    const s = findRoot(excess, Math.abs(x) / a, Math.abs(y) / b, Math.abs(z) / c);
    out[1] = divide(x, s + p);
    out[2] = divide(y, s + q);
    out[3] = divide(z, s + r);
    // in the plane of the longer axes, near the centre: two points are nearest, above and below; returns the one above
    if (s === 0) {
      const u = (a * out[1]) / (least * least);
      const v = (b * out[2]) / (least * least);
      const w = (c * out[3]) / (least * least);
      out[1 + short] = least * Math.sqrt(Math.max(0, 1 - u * u - v * v - w * w));
    }
    const length = Math.sqrt(out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    out[0] = (s - 1) * length;
    out[1] /= length;
    out[2] /= length;
    out[3] /= length;
  };
  return {
    type: 'ellipsoid',
    isCheap: true,
    distance,
    // the distance to a convex solid is convex along an edge
    closest: (from, to) => searchConvex(distance, from, to, 0, 1),
    bounds: Float64Array.of(-a, -b, -c, a, b, c),
  };
}

/**
 * The root as s = μ + 1, for coordinates divided by their radii; 0 if there is none above 0. `excess`: r − 1. Newton's method on 1/√G, which is concave
 * in s: it rises from a start below the root, and converges in one iteration if one coordinate is much larger than the others.
 */
function findRoot(excess: readonly number[], x: number, y: number, z: number): number {
  const p = excess[0];
  const q = excess[1];
  const r = excess[2];
  const a = (1 + p) * x;
  const b = (1 + q) * y;
  const c = (1 + r) * z;
  let s = Math.max(a - p, b - q, c - r, 0);
  for (let k = 0; k < MOST; k++) {
    // a coordinate that is 0 has no term, even where its divisor is 0
    const i = a === 0 ? 0 : 1 / (s + p);
    const j = b === 0 ? 0 : 1 / (s + q);
    const l = c === 0 ? 0 : 1 / (s + r);
    const u = a * i * (a * i);
    const v = b * j * (b * j);
    const w = c * l * (c * l);
    const sum = u + v + w;
    const next = s + (sum * (Math.sqrt(sum) - 1)) / (u * i + v * j + w * l);
    if (!(next > s)) break;
    s = next;
  }
  return s;
}
