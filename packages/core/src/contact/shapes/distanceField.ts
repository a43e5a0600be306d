/** Solids given by a signed distance: a formula, or values on a grid. */
import { type DistanceFunction, type Shape, searchEdge } from './shape.ts';

/**
 * `value` need not be a true distance: this shape uses f/|∇f|, which is one to first order near the surface. The gradient is computed by
 * central differences of 1e-6 of `size` (about the extent of the solid).
 */
export function createFormulaShape(
  value: (x: number, y: number, z: number, t: number) => number,
  size: number,
  refuse: (value: number, x: number, y: number, z: number, t: number) => void = () => {},
): Shape & { update(t: number): void } {
  const e = 1e-6 * size;
  let time = 0;
  let insists = false;
  const distance: DistanceFunction = (out, x, y, z) => {
    const f = value(x, y, z, time);
    const gx = (value(x + e, y, z, time) - value(x - e, y, z, time)) / (2 * e);
    const gy = (value(x, y + e, z, time) - value(x, y - e, z, time)) / (2 * e);
    const gz = (value(x, y, z + e, time) - value(x, y, z - e, time)) / (2 * e);
    const slope = Math.sqrt(gx * gx + gy * gy + gz * gz);
    if (!(slope > 0)) {
      // a crest: the gradient vanishes, any direction will do
      out[0] = f;
      out[1] = 0;
      out[2] = 0;
      out[3] = 1;
      return;
    }
    out[0] = f / slope;
    out[1] = gx / slope;
    out[2] = gy / slope;
    out[3] = gz / slope;
  };
  const check = (x: number, y: number, z: number): void => {
    const f = insists ? value(x, y, z, time) : 0;
    if (!Number.isFinite(f)) refuse(f, x, y, z, time);
  };
  const step = 1e-6;
  const at = new Float64Array(4);
  const place = new Float64Array(3);
  return {
    type: 'formula',
    distance(out, x, y, z) {
      place[0] = x;
      place[1] = y;
      place[2] = z;
      distance(out, x, y, z);
      if (!Number.isFinite(out[0])) check(x, y, z);
    },
    insist() {
      insists = true;
    },
    closest: (a, b) => searchEdge(distance, a, b),
    bounds: Float64Array.of(-Infinity, -Infinity, -Infinity, Infinity, Infinity, Infinity),
    update(t) {
      time = t;
    },
    // the surface f = 0 moves along its normal with −(∂f/∂t)/|∇f|
    surfaceVelocity(out) {
      distance(at, place[0], place[1], place[2]);
      const now = time;
      const [nx, ny, nz] = [at[1], at[2], at[3]];
      time = now + step;
      distance(at, place[0], place[1], place[2]);
      const later = at[0];
      time = now - step;
      distance(at, place[0], place[1], place[2]);
      let speed = -(later - at[0]) / (2 * step);
      time = now;
      if (Number.isNaN(speed)) {
        // the formula begins to hold now
        distance(at, place[0], place[1], place[2]);
        speed = -(later - at[0]) / step;
      }
      out[0] = speed * nx;
      out[1] = speed * ny;
      out[2] = speed * nz;
    },
  };
}

/** Trilinear interpolation between grid points; outside the grid, the value at its border plus the distance to the border. */
export function createGridShape(
  origin: ArrayLike<number>,
  spacing: number,
  count: ArrayLike<number>,
  values: Float64Array,
): Shape {
  const [nx, ny, nz] = [count[0], count[1], count[2]];
  const cell = Float64Array.of(0, 0, 0);
  const base = Int32Array.of(0, 0, 0);
  const sizes = [nx, ny, nz];
  const distance: DistanceFunction = (out, x, y, z) => {
    let beyond = 0;
    let bx = 0;
    let by = 0;
    let bz = 0;
    for (let k = 0; k < 3; k++) {
      const u = ((k === 0 ? x : k === 1 ? y : z) - origin[k]) / spacing;
      const last = sizes[k] - 1;
      const inside = u < 0 ? 0 : u > last ? last : u;
      const over = (u - inside) * spacing;
      beyond += over * over;
      if (k === 0) bx = over;
      else if (k === 1) by = over;
      else bz = over;
      base[k] = Math.min(last - 1, Math.floor(inside));
      cell[k] = inside - base[k];
    }
    const u = cell[0];
    const v = cell[1];
    const w = cell[2];
    const o = base[0] + nx * (base[1] + ny * base[2]);
    const v000 = values[o];
    const v100 = values[o + 1];
    const v010 = values[o + nx];
    const v110 = values[o + nx + 1];
    const p = o + nx * ny;
    const v001 = values[p];
    const v101 = values[p + 1];
    const v011 = values[p + nx];
    const v111 = values[p + nx + 1];
    const x00 = v000 + u * (v100 - v000);
    const x10 = v010 + u * (v110 - v010);
    const x01 = v001 + u * (v101 - v001);
    const x11 = v011 + u * (v111 - v011);
    const y0 = x00 + v * (x10 - x00);
    const y1 = x01 + v * (x11 - x01);
    const value = y0 + w * (y1 - y0);
    let gx =
      (1 - w) * ((1 - v) * (v100 - v000) + v * (v110 - v010)) + w * ((1 - v) * (v101 - v001) + v * (v111 - v011));
    let gy = (1 - w) * (x10 - x00) + w * (x11 - x01);
    let gz = y1 - y0;
    if (beyond > 0) {
      // far away only the size of the distance matters; the direction is approximate
      const d = Math.sqrt(beyond);
      out[0] = Math.max(value, 0) + d;
      gx += (bx / d) * spacing;
      gy += (by / d) * spacing;
      gz += (bz / d) * spacing;
    } else out[0] = value;
    const slope = Math.sqrt(gx * gx + gy * gy + gz * gz);
    out[1] = slope > 0 ? gx / slope : 0;
    out[2] = slope > 0 ? gy / slope : 0;
    out[3] = slope > 0 ? gz / slope : 1;
  };
  const far = (k: number): number => origin[k] + (sizes[k] - 1) * spacing;
  return {
    type: 'grid',
    distance,
    closest: (a, b) => searchEdge(distance, a, b),
    bounds: Float64Array.of(origin[0], origin[1], origin[2], far(0), far(1), far(2)),
  };
}
