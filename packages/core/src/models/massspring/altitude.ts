/**
 * Altitude springs against the collapse of tetrahedra [Selle2008]: of the seven altitudes, four from a point to a face and three
 * between opposite edges, only the smallest acts. Its foot then lies inside the face or the edges, its weights are within
 * 0 … 1, and forces stay bounded. Altitudes are signed with the volume, so that an inverted tetrahedron is pushed back
 * through zero; at zero volume the last sign counts.
 *
 * The gradient of an altitude is its direction times the weights: h = n·Σ c x; the variation of n and c is of second order.
 */

/** Corners: the point and its face, or edge against edge. */
const faces = [
  [0, 1, 2, 3],
  [1, 0, 2, 3],
  [2, 0, 1, 3],
  [3, 0, 1, 2],
] as const;
const edges = [
  [0, 1, 2, 3],
  [0, 2, 1, 3],
  [0, 3, 1, 2],
] as const;

/** Result of `evaluateAltitude`: weights of the four particles, unit direction. */
export const weights: Float64Array = new Float64Array(4);
export const direction: Float64Array = new Float64Array(3);

/** Six times the volume. */
export function volumeOf(x: Float64Array, first: number): number {
  const o = 3 * first;
  const e = (p: number, k: number): number => x[o + 3 * p + k] - x[o + k];
  return (
    e(1, 0) * (e(2, 1) * e(3, 2) - e(2, 2) * e(3, 1)) +
    e(1, 1) * (e(2, 2) * e(3, 0) - e(2, 0) * e(3, 2)) +
    e(1, 2) * (e(2, 0) * e(3, 1) - e(2, 1) * e(3, 0))
  );
}

/** Altitude of one kind, with the given sign [m]; its weights and direction stay in `weights` and `direction`. */
export function evaluateAltitude(x: Float64Array, first: number, kind: number, sign: number): number {
  const height = kind < 4 ? pointToFace(x, first, kind) : edgeToEdge(x, first, kind - 4);
  if (height < 0 !== sign < 0) {
    for (let k = 0; k < 3; k++) direction[k] = -direction[k];
    return -height;
  }
  return height;
}

function pointToFace(x: Float64Array, first: number, kind: number): number {
  const [p, a, b, c] = faces[kind];
  const at = (i: number, k: number): number => x[3 * (first + i) + k];
  const ux = at(b, 0) - at(a, 0);
  const uy = at(b, 1) - at(a, 1);
  const uz = at(b, 2) - at(a, 2);
  const vx = at(c, 0) - at(a, 0);
  const vy = at(c, 1) - at(a, 1);
  const vz = at(c, 2) - at(a, 2);
  const rx = at(p, 0) - at(a, 0);
  const ry = at(p, 1) - at(a, 1);
  const rz = at(p, 2) - at(a, 2);
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const area = Math.sqrt(nx * nx + ny * ny + nz * nz);
  if (!(area > 0)) return Infinity;
  const height = (nx * rx + ny * ry + nz * rz) / area;
  // areas of r against the sides; the part of r along n drops out
  const wb = ((ry * vz - rz * vy) * nx + (rz * vx - rx * vz) * ny + (rx * vy - ry * vx) * nz) / (area * area);
  const wc = ((uy * rz - uz * ry) * nx + (uz * rx - ux * rz) * ny + (ux * ry - uy * rx) * nz) / (area * area);
  weights[p] = 1;
  weights[a] = wb + wc - 1;
  weights[b] = -wb;
  weights[c] = -wc;
  direction[0] = nx / area;
  direction[1] = ny / area;
  direction[2] = nz / area;
  return height;
}

function edgeToEdge(x: Float64Array, first: number, kind: number): number {
  const [i, j, m, o] = edges[kind];
  const at = (p: number, k: number): number => x[3 * (first + p) + k];
  const ux = at(j, 0) - at(i, 0);
  const uy = at(j, 1) - at(i, 1);
  const uz = at(j, 2) - at(i, 2);
  const vx = at(o, 0) - at(m, 0);
  const vy = at(o, 1) - at(m, 1);
  const vz = at(o, 2) - at(m, 2);
  const rx = at(m, 0) - at(i, 0);
  const ry = at(m, 1) - at(i, 1);
  const rz = at(m, 2) - at(i, 2);
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const area2 = nx * nx + ny * ny + nz * nz;
  if (!(area2 > 0)) return Infinity;
  const area = Math.sqrt(area2);
  const uu = ux * ux + uy * uy + uz * uz;
  const vv = vx * vx + vy * vy + vz * vz;
  const uv = ux * vx + uy * vy + uz * vz;
  const ru = rx * ux + ry * uy + rz * uz;
  const rv = rx * vx + ry * vy + rz * vz;
  const s = (ru * vv - rv * uv) / area2;
  const t = (ru * uv - rv * uu) / area2;
  weights[i] = s - 1;
  weights[j] = -s;
  weights[m] = 1 - t;
  weights[o] = t;
  direction[0] = nx / area;
  direction[1] = ny / area;
  direction[2] = nz / area;
  return (nx * rx + ny * ry + nz * rz) / area;
}

/** All seven, signed with the volume. */
export function measureAltitudes(out: Float64Array, o: number, x: Float64Array, first: number): void {
  const sign = volumeOf(x, first) < 0 ? -1 : 1;
  for (let kind = 0; kind < 7; kind++) out[o + kind] = evaluateAltitude(x, first, kind, sign);
}

/** Altitudes that differ by less than this fraction are equal: a straight rod has pairs of them, and rounding must not choose. */
const TIE = 1e-9;

/** The kind whose altitude is smallest now; the first of equals. */
export function smallestAltitude(x: Float64Array, first: number): number {
  let best = 0;
  let least = Infinity;
  for (let kind = 0; kind < 7; kind++) {
    const height = Math.abs(evaluateAltitude(x, first, kind, 1));
    if (height < (1 - TIE) * least) {
      least = height;
      best = kind;
    }
  }
  return best;
}
