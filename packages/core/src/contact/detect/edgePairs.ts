/**
 * Contact points of two edges.
 *
 * Edges that are nearly parallel (within 6°) touch along a line: the closest pair of points would jump from one end to the other in every step.
 * They get up to four contact points instead, one for each end that lies beside the other edge. Points within a thousandth of an end are moved to
 * it, so that the up to four pairs of edges that share two nodes give the same contact.
 */
import { closestOfSegments } from '../shapes/shape.ts';

const SNAP = 1e-3;
const PARALLEL = 0.01;

export interface EdgePlaces {
  count: number;
  /** Parameters on the first and the second edge, 0 or 1 at ends. */
  readonly s: Float64Array;
  readonly t: Float64Array;
}

export function createEdgePlaces(): EdgePlaces {
  return { count: 0, s: new Float64Array(4), t: new Float64Array(4) };
}

const pair = new Float64Array(2);

function add(out: EdgePlaces, s: number, t: number): void {
  s = s < SNAP ? 0 : s > 1 - SNAP ? 1 : s;
  t = t < SNAP ? 0 : t > 1 - SNAP ? 1 : t;
  for (let k = 0; k < out.count; k++) if (out.s[k] === s && out.t[k] === t) return;
  out.s[out.count] = s;
  out.t[out.count++] = t;
}

/** Edge 1 from x[a] to x[b], edge 2 from x[c] to x[d] (offsets of points in x). */
export function findPlaces(out: EdgePlaces, x: Float64Array, a: number, b: number, c: number, d: number): void {
  out.count = 0;
  const dx = x[b] - x[a];
  const dy = x[b + 1] - x[a + 1];
  const dz = x[b + 2] - x[a + 2];
  const ex = x[d] - x[c];
  const ey = x[d + 1] - x[c + 1];
  const ez = x[d + 2] - x[c + 2];
  const rx = x[a] - x[c];
  const ry = x[a + 1] - x[c + 1];
  const rz = x[a + 2] - x[c + 2];
  const dd = dx * dx + dy * dy + dz * dz;
  const ee = ex * ex + ey * ey + ez * ez;
  const de = dx * ex + dy * ey + dz * ez;
  if (dd * ee - de * de < PARALLEL * dd * ee) {
    const dr = dx * rx + dy * ry + dz * rz;
    const er = ex * rx + ey * ry + ez * rz;
    // ends of the second edge beside the first, then ends of the first beside the second
    const s0 = -dr / dd;
    const s1 = (de - dr) / dd;
    const t0 = er / ee;
    const t1 = (er + de) / ee;
    if (s0 >= 0 && s0 <= 1) add(out, s0, 0);
    if (s1 >= 0 && s1 <= 1) add(out, s1, 1);
    if (t0 >= 0 && t0 <= 1) add(out, 0, t0);
    if (t1 >= 0 && t1 <= 1) add(out, 1, t1);
    if (out.count > 0) return;
  }
  closestOfSegments(pair, dx, dy, dz, ex, ey, ez, rx, ry, rz);
  add(out, pair[0], pair[1]);
}

/** Distance of two segments whose ends move, as `closestOfSegments`, at time u in [0, 1] of the motion x → y. */
export function measureMoving(
  out: Float64Array,
  x: Float64Array,
  y: Float64Array,
  u: number,
  a: number,
  b: number,
  c: number,
  d: number,
): number {
  const w = 1 - u;
  const ax = w * x[a] + u * y[a];
  const ay = w * x[a + 1] + u * y[a + 1];
  const az = w * x[a + 2] + u * y[a + 2];
  const cx = w * x[c] + u * y[c];
  const cy = w * x[c + 1] + u * y[c + 1];
  const cz = w * x[c + 2] + u * y[c + 2];
  const dx = w * x[b] + u * y[b] - ax;
  const dy = w * x[b + 1] + u * y[b + 1] - ay;
  const dz = w * x[b + 2] + u * y[b + 2] - az;
  const ex = w * x[d] + u * y[d] - cx;
  const ey = w * x[d + 1] + u * y[d + 1] - cy;
  const ez = w * x[d + 2] + u * y[d + 2] - cz;
  closestOfSegments(out, dx, dy, dz, ex, ey, ez, ax - cx, ay - cy, az - cz);
  const s = out[0];
  const t = out[1];
  const px = ax + s * dx - cx - t * ex;
  const py = ay + s * dy - cy - t * ey;
  const pz = az + s * dz - cz - t * ez;
  return Math.sqrt(px * px + py * py + pz * pz);
}
