/**
 * Solids in their own axes: signed distance, outward normal, and the point of an edge with the least distance.
 *
 * The distance is exact, so it is 1-Lipschitz: along an edge of length l it is nowhere below (φ(a) + φ(b) − l)/2. Most edges are rejected by that
 * bound without a search.
 */

/** Writes the distance [m] to out[0] and the outward unit normal to out[1…3]. */
export type DistanceFunction = (out: Float64Array, x: number, y: number, z: number) => void;

export interface Shape {
  readonly type: string;
  /** True if a distance takes only nanoseconds: the solver then searches for penetrating points in every pass. */
  readonly isCheap?: boolean;
  /** True for a surface without an inside: the distance does not show that a point has passed through it. */
  readonly thin?: boolean;
  readonly distance: DistanceFunction;
  /**
   * Parameter t in [0, 1] at which the edge from a to b is closest. Callers test the ends separately, so a point that is no closer than an end may
   * be reported as that end.
   */
  closest(a: Float64Array, b: Float64Array): number;
  /** Bounding box of the solid in its own axes: 3 least, 3 greatest; infinite where the solid is unbounded. */
  readonly bounds: Float64Array;
  /**
   * Velocity of the surface, in the solid's axes, at the point that the last `distance` found: the mean over the time `dt` after that of `update`, or before
   * it if `dt` is negative; `dt` = 0: the rate. Absent for rigid shapes.
   */
  surfaceVelocity?(out: Float64Array, dt: number): void;
  /** Sets the time t of a shape that changes. */
  update?(t: number): void;
  /** Makes non-finite distances an error that says where. Not the default, because renderers evaluate a formula where it is undefined. */
  insist?(): void;
}

const clampUnit = (t: number): number => (t < 0 ? 0 : t > 1 ? 1 : t);

/** Half space on the side that the normal points away from. */
export function createPlane(nx: number, ny: number, nz: number): Shape {
  return {
    type: 'plane',
    isCheap: true,
    distance(out, x, y, z) {
      out[0] = nx * x + ny * y + nz * z;
      out[1] = nx;
      out[2] = ny;
      out[3] = nz;
    },
    closest: (a, b) => (nx * (b[0] - a[0]) + ny * (b[1] - a[1]) + nz * (b[2] - a[2]) < 0 ? 1 : 0),
    bounds: Float64Array.of(-Infinity, -Infinity, -Infinity, Infinity, Infinity, Infinity),
  };
}

export function createSphere(radius: number): Shape {
  return {
    type: 'sphere',
    isCheap: true,
    distance(out, x, y, z) {
      writeRadial(out, x, y, z, radius);
    },
    closest(a, b) {
      const x = b[0] - a[0];
      const y = b[1] - a[1];
      const z = b[2] - a[2];
      return clampUnit(-(a[0] * x + a[1] * y + a[2] * z) / (x * x + y * y + z * z));
    },
    bounds: Float64Array.of(-radius, -radius, -radius, radius, radius, radius),
  };
}

/** |x| − radius and x/|x|; at the centre the direction is arbitrary. */
function writeRadial(out: Float64Array, x: number, y: number, z: number, radius: number): void {
  const d = Math.sqrt(x * x + y * y + z * z);
  out[0] = d - radius;
  if (d > 1e-12 * radius) {
    out[1] = x / d;
    out[2] = y / d;
    out[3] = z / d;
  } else {
    out[1] = 0;
    out[2] = 0;
    out[3] = 1;
  }
}

/** Parameters (s, t) of the closest points of two segments p + s·d and q + t·e, into `out`. */
export function closestOfSegments(
  out: Float64Array,
  dx: number,
  dy: number,
  dz: number,
  ex: number,
  ey: number,
  ez: number,
  rx: number,
  ry: number,
  rz: number,
): void {
  // r = p − q
  const a = dx * dx + dy * dy + dz * dz;
  const e = ex * ex + ey * ey + ez * ez;
  const b = dx * ex + dy * ey + dz * ez;
  const c = dx * rx + dy * ry + dz * rz;
  const f = ex * rx + ey * ry + ez * rz;
  const determinant = a * e - b * b;
  let s = determinant > 1e-12 * a * e ? clampUnit((b * f - c * e) / determinant) : 0.5;
  let t = e > 0 ? (b * s + f) / e : 0;
  if (t < 0) {
    t = 0;
    s = a > 0 ? clampUnit(-c / a) : 0;
  } else if (t > 1) {
    t = 1;
    s = a > 0 ? clampUnit((b - c) / a) : 0;
  }
  out[0] = s;
  out[1] = t;
}

const parameters = new Float64Array(2);

export function createCapsule(from: ArrayLike<number>, to: ArrayLike<number>, radius: number): Shape {
  const [px, py, pz] = [from[0], from[1], from[2]];
  const [dx, dy, dz] = [to[0] - px, to[1] - py, to[2] - pz];
  const length2 = dx * dx + dy * dy + dz * dz;
  return {
    type: 'capsule',
    isCheap: true,
    distance(out, x, y, z) {
      const t = length2 > 0 ? clampUnit(((x - px) * dx + (y - py) * dy + (z - pz) * dz) / length2) : 0;
      writeRadial(out, x - px - t * dx, y - py - t * dy, z - pz - t * dz, radius);
    },
    closest(a, b) {
      closestOfSegments(parameters, b[0] - a[0], b[1] - a[1], b[2] - a[2], dx, dy, dz, a[0] - px, a[1] - py, a[2] - pz);
      return parameters[0];
    },
    bounds: Float64Array.from([0, 1, 2, 3, 4, 5], (k) =>
      k < 3 ? Math.min(from[k], to[k]) - radius : Math.max(from[k - 3], to[k - 3]) + radius,
    ),
  };
}

/** Torus about the z axis: all points within `radius` of a circle of radius `ring`, `radius` < `ring`. */
export function createTorus(ring: number, radius: number): Shape {
  const distance: DistanceFunction = (out, x, y, z) => {
    const across = Math.sqrt(x * x + y * y);
    // on the axis every perpendicular direction is equally near
    const ux = across > 0 ? x / across : 1;
    const uy = across > 0 ? y / across : 0;
    const outwards = across - ring;
    const d = Math.sqrt(outwards * outwards + z * z);
    out[0] = d - radius;
    const [a, b] = d > 1e-12 * radius ? [outwards / d, z / d] : [0, 1];
    out[1] = a * ux;
    out[2] = a * uy;
    out[3] = b;
  };
  const reach = ring + radius;
  return {
    type: 'torus',
    isCheap: true,
    distance,
    closest: (a, b) => searchEdge(distance, a, b),
    bounds: Float64Array.of(-reach, -reach, -radius, reach, reach, radius),
  };
}

/** Box with half lengths a, b, c and edges rounded by `rounding`. */
export function createBox(a: number, b: number, c: number, rounding: number): Shape {
  const half = [a - rounding, b - rounding, c - rounding];
  const distance: DistanceFunction = (out, x, y, z) => {
    const sx = x < 0 ? -1 : 1;
    const sy = y < 0 ? -1 : 1;
    const sz = z < 0 ? -1 : 1;
    const ex = sx * x - half[0];
    const ey = sy * y - half[1];
    const ez = sz * z - half[2];
    out[1] = 0;
    out[2] = 0;
    out[3] = 0;
    if (ex <= 0 && ey <= 0 && ez <= 0) {
      // inside: the nearest face
      if (ex >= ey && ex >= ez) {
        out[0] = ex - rounding;
        out[1] = sx;
      } else if (ey >= ez) {
        out[0] = ey - rounding;
        out[2] = sy;
      } else {
        out[0] = ez - rounding;
        out[3] = sz;
      }
      return;
    }
    const fx = ex > 0 ? ex : 0;
    const fy = ey > 0 ? ey : 0;
    const fz = ez > 0 ? ez : 0;
    const d = Math.sqrt(fx * fx + fy * fy + fz * fz);
    out[0] = d - rounding;
    out[1] = (sx * fx) / d;
    out[2] = (sy * fy) / d;
    out[3] = (sz * fz) / d;
  };
  return {
    type: 'box',
    isCheap: true,
    distance,
    // the distance to a convex solid is convex along an edge
    closest: (p, q) => searchConvex(distance, p, q, 0, 1),
    bounds: Float64Array.of(-a, -b, -c, a, b, c),
  };
}

const probe = new Float64Array(4);

const along = (distance: DistanceFunction, a: Float64Array, b: Float64Array, t: number): number => {
  distance(probe, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]));
  return probe[0];
};

const GOLDEN = 0.5 * (Math.sqrt(5) - 1);

/** Minimizes a function that is convex on [from, to] by golden section, to 1e-7 of the edge. For convex solids: from 0 to 1. */
export function searchConvex(
  distance: DistanceFunction,
  a: Float64Array,
  b: Float64Array,
  from: number,
  to: number,
): number {
  let low = from;
  let high = to;
  let s = high - GOLDEN * (high - low);
  let t = low + GOLDEN * (high - low);
  let fs = along(distance, a, b, s);
  let ft = along(distance, a, b, t);
  while (high - low > 1e-7) {
    if (fs <= ft) {
      high = t;
      t = s;
      ft = fs;
      s = high - GOLDEN * (high - low);
      fs = along(distance, a, b, s);
    } else {
      low = s;
      s = t;
      fs = ft;
      t = low + GOLDEN * (high - low);
      ft = along(distance, a, b, t);
    }
  }
  return 0.5 * (low + high);
}

/** For solids that are not convex: the best of nine samples, then golden section between its neighbours. */
export function searchEdge(distance: DistanceFunction, a: Float64Array, b: Float64Array): number {
  let best = 0;
  let least = Infinity;
  for (let k = 0; k <= 8; k++) {
    const value = along(distance, a, b, k / 8);
    if (value >= least) continue;
    least = value;
    best = k / 8;
  }
  const t = searchConvex(distance, a, b, Math.max(0, best - 0.125), Math.min(1, best + 0.125));
  return along(distance, a, b, t) < least ? t : best;
}
