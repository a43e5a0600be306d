/**
 * Rays against cones and triangles.
 *
 * A ray hits a cone only where it enters: a ray that starts inside a joint of two cones, or inside a hair, leaves without touching it again.
 */
import type { Bvh } from './bvh.ts';
import type { RenderGeometry } from './types.ts';

/** A ray; the direction is a unit vector. */
export interface Ray {
  ox: number;
  oy: number;
  oz: number;
  dx: number;
  dy: number;
  dz: number;
  /** Reciprocals of the direction; `aim` sets them. */
  ix: number;
  iy: number;
  iz: number;
}

/** Creates a ray. */
export function createRay(): Ray {
  return { ox: 0, oy: 0, oz: 0, dx: 0, dy: 0, dz: 1, ix: 0, iy: 0, iz: 1 };
}

/** Sets the direction of a ray, a unit vector. */
export function aim(ray: Ray, dx: number, dy: number, dz: number): void {
  ray.dx = dx;
  ray.dy = dy;
  ray.dz = dz;
  ray.ix = 1 / dx;
  ray.iy = 1 / dy;
  ray.iz = 1 / dz;
}

/** The nearest hit. */
export interface Hit {
  /** Distance; infinite if nothing was hit. */
  t: number;
  primitive: number;
  /** Weights of the second and third corner of a triangle. */
  u: number;
  v: number;
}

/** Finds what a ray hits. */
export interface Intersector {
  /** Writes the nearest hit beyond `near`. */
  closest(ray: Ray, near: number, hit: Hit): void;
  /** Whether anything lies between `near` and infinity. */
  isBlocked(ray: Ray, near: number): boolean;
}

/** Creates an intersector; it is not reentrant. */
export function createIntersector(geometry: RenderGeometry, bvh: Bvh): Intersector {
  const { cone, triangle } = geometry;
  const { bounds, link, order } = bvh;
  const cones = cone.length / 8;
  const isEmpty = cones + triangle.length / 9 === 0;
  const stack = new Int32Array(128);
  const found: Hit = { t: 0, primitive: 0, u: 0, v: 0 };

  const testPrimitive = (ray: Ray, near: number, k: number, hit: Hit): void => {
    if (k < cones) {
      const t = hitCone(cone, 8 * k, ray);
      if (t > near && t < hit.t) {
        hit.t = t;
        hit.primitive = k;
      }
    } else hitTriangle(triangle, k - cones, ray, near, hit, k);
  };

  const walk = (ray: Ray, near: number, hit: Hit, hitOf: 'any' | 'nearest'): void => {
    hit.t = Infinity;
    if (isEmpty) return;
    let top = 0;
    let node = 0;
    for (;;) {
      const count = link[2 * node + 1];
      const first = link[2 * node];
      if (count > 0) {
        for (let i = first; i < first + count; i++) testPrimitive(ray, near, order[i], hit);
        if (hitOf === 'any' && hit.t < Infinity) return;
      } else {
        const a = enter(bounds, 6 * first, ray, hit.t);
        const b = enter(bounds, 6 * first + 6, ray, hit.t);
        if (a < Infinity && b < Infinity) {
          stack[top++] = a < b ? first + 1 : first;
          node = a < b ? first : first + 1;
          continue;
        }
        if (a < Infinity || b < Infinity) {
          node = a < Infinity ? first : first + 1;
          continue;
        }
      }
      if (top === 0) return;
      node = stack[--top];
    }
  };

  return {
    closest: (ray, near, hit) => walk(ray, near, hit, 'nearest'),
    isBlocked(ray, near) {
      walk(ray, near, found, 'any');
      return found.t < Infinity;
    },
  };
}

/** Distance at which a ray enters a box, 0 from inside; infinite if it misses, or enters beyond `far`. */
function enter(b: Float32Array, o: number, ray: Ray, far: number): number {
  const x0 = (b[o] - ray.ox) * ray.ix;
  const x1 = (b[o + 3] - ray.ox) * ray.ix;
  const y0 = (b[o + 1] - ray.oy) * ray.iy;
  const y1 = (b[o + 4] - ray.oy) * ray.iy;
  const z0 = (b[o + 2] - ray.oz) * ray.iz;
  const z1 = (b[o + 5] - ray.oz) * ray.iz;
  const t0 = Math.max(Math.min(x0, x1), Math.min(y0, y1), Math.min(z0, z1), 0);
  const t1 = Math.min(Math.max(x0, x1), Math.max(y0, y1), Math.max(z0, z1), far);
  return t0 <= t1 ? t0 : Infinity;
}

/** Distance at which a ray enters a round cone: two balls and the cone that touches both; −1 if it does not. */
function hitCone(cone: Float32Array, o: number, ray: Ray): number {
  const { dx, dy, dz } = ray;
  const bax = cone[o + 4] - cone[o];
  const bay = cone[o + 5] - cone[o + 1];
  const baz = cone[o + 6] - cone[o + 2];
  const oax = ray.ox - cone[o];
  const oay = ray.oy - cone[o + 1];
  const oaz = ray.oz - cone[o + 2];
  const ra = cone[o + 3];
  const rb = cone[o + 7];
  const rr = ra - rb;
  const m0 = bax * bax + bay * bay + baz * baz;
  const m1 = bax * oax + bay * oay + baz * oaz;
  const m2 = bax * dx + bay * dy + baz * dz;
  const m3 = dx * oax + dy * oay + dz * oaz;
  const m5 = oax * oax + oay * oay + oaz * oaz;
  const d2 = m0 - rr * rr;
  if (d2 > 0) {
    const k2 = d2 - m2 * m2;
    const k1 = d2 * m3 - m1 * m2 + m2 * rr * ra;
    const k0 = d2 * m5 - m1 * m1 + 2 * m1 * rr * ra - m0 * ra * ra;
    const h = k1 * k1 - k0 * k2;
    if (h < 0) return -1;
    const t = (-Math.sqrt(h) - k1) / k2;
    const y = m1 - ra * rr + t * m2;
    if (y > 0 && y < d2) return t;
  }
  const m6 = m3 - m2;
  const m7 = m5 - 2 * m1 + m0;
  const h1 = m3 * m3 - m5 + ra * ra;
  const h2 = m6 * m6 - m7 + rb * rb;
  const t1 = h1 > 0 ? -m3 - Math.sqrt(h1) : Infinity;
  const t2 = h2 > 0 ? -m6 - Math.sqrt(h2) : Infinity;
  const t = Math.min(t1, t2);
  return t < Infinity ? t : -1;
}

/** Möller and Trumbore, both sides. */
function hitTriangle(p: Float32Array, index: number, ray: Ray, near: number, hit: Hit, primitive: number): void {
  const o = 9 * index;
  const ax = p[o];
  const ay = p[o + 1];
  const az = p[o + 2];
  const ex = p[o + 3] - ax;
  const ey = p[o + 4] - ay;
  const ez = p[o + 5] - az;
  const fx = p[o + 6] - ax;
  const fy = p[o + 7] - ay;
  const fz = p[o + 8] - az;
  const { dx, dy, dz } = ray;
  const px = dy * fz - dz * fy;
  const py = dz * fx - dx * fz;
  const pz = dx * fy - dy * fx;
  const det = ex * px + ey * py + ez * pz;
  if (det === 0) return;
  const inverse = 1 / det;
  const sx = ray.ox - ax;
  const sy = ray.oy - ay;
  const sz = ray.oz - az;
  const u = (sx * px + sy * py + sz * pz) * inverse;
  if (u < 0 || u > 1) return;
  const qx = sy * ez - sz * ey;
  const qy = sz * ex - sx * ez;
  const qz = sx * ey - sy * ex;
  const v = (dx * qx + dy * qy + dz * qz) * inverse;
  if (v < 0 || u + v > 1) return;
  const t = (fx * qx + fy * qy + fz * qz) * inverse;
  if (t <= near || t >= hit.t) return;
  hit.t = t;
  hit.primitive = primitive;
  hit.u = u;
  hit.v = v;
}
