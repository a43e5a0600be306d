/** Nearest point of a triangle. */

/** Nearest point of a triangle: barycentric weights of b and c, and the feature: 0 face, 1…3 edge, 4…6 vertex. */
export interface Nearest {
  v: number;
  w: number;
  feature: number;
}
/** Result of the last query. */
export const nearest: Nearest = { v: 0, w: 0, feature: 0 };

function set(v: number, w: number, feature: number): Nearest {
  nearest.v = v;
  nearest.w = w;
  nearest.feature = feature;
  return nearest;
}

/** Nearest point of triangle abc (offsets into `vertices`) to (x, y, z), also in `nearest`. The signs of six dot products give the region. */
export function findNearest(
  vertices: Float64Array,
  a: number,
  b: number,
  c: number,
  x: number,
  y: number,
  z: number,
): Nearest {
  const abx = vertices[b] - vertices[a];
  const aby = vertices[b + 1] - vertices[a + 1];
  const abz = vertices[b + 2] - vertices[a + 2];
  const acx = vertices[c] - vertices[a];
  const acy = vertices[c + 1] - vertices[a + 1];
  const acz = vertices[c + 2] - vertices[a + 2];
  const apx = x - vertices[a];
  const apy = y - vertices[a + 1];
  const apz = z - vertices[a + 2];
  const d1 = abx * apx + aby * apy + abz * apz;
  const d2 = acx * apx + acy * apy + acz * apz;
  if (d1 <= 0 && d2 <= 0) return set(0, 0, 4);
  const bpx = x - vertices[b];
  const bpy = y - vertices[b + 1];
  const bpz = z - vertices[b + 2];
  const d3 = abx * bpx + aby * bpy + abz * bpz;
  const d4 = acx * bpx + acy * bpy + acz * bpz;
  if (d3 >= 0 && d4 <= d3) return set(1, 0, 5);
  const vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return set(d1 / (d1 - d3), 0, 1);
  const cpx = x - vertices[c];
  const cpy = y - vertices[c + 1];
  const cpz = z - vertices[c + 2];
  const d5 = abx * cpx + aby * cpy + abz * cpz;
  const d6 = acx * cpx + acy * cpy + acz * cpz;
  if (d6 >= 0 && d5 <= d6) return set(0, 1, 6);
  const vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return set(0, d2 / (d2 - d6), 3);
  const va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const w = (d4 - d3) / (d4 - d3 + (d5 - d6));
    return set(1 - w, w, 2);
  }
  const total = va + vb + vc;
  return set(vb / total, vc / total, 0);
}
