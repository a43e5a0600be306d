/** Solids given by a signed distance: a formula, or values on a grid. */
import { type DistanceFunction, type Shape, searchEdge } from './shape.ts';

/** Value of a formula at a place and a time; negative inside the solid. */
type FormulaValue = (x: number, y: number, z: number, t: number) => number;

/** A formula, the time at which it is evaluated, and the place of the last query. */
interface Formula {
  readonly value: FormulaValue;
  /** Step of the central differences [m]. */
  readonly e: number;
  time: number;
  readonly place: Float64Array;
}

/**
 * `value` need not be a true distance: this shape uses f/|∇f|, which is one to first order near the surface. The gradient is computed by
 * central differences of 1e-6 of `size` (about the extent of the solid). `refuse` throws the error for a value that is not finite.
 */
export function createFormulaShape(
  value: FormulaValue,
  size: number,
  refuse: (value: number, place: Float64Array, t: number) => void = () => {},
): Shape & { update(t: number): void } {
  const formula: Formula = { value, e: 1e-6 * size, time: 0, place: new Float64Array(3) };
  const distance: DistanceFunction = (out, x, y, z) => {
    measureFormula(out, formula, x, y, z);
  };
  let insists = false;
  return {
    type: 'formula',
    distance(out, x, y, z) {
      const { place } = formula;
      place[0] = x;
      place[1] = y;
      place[2] = z;
      distance(out, x, y, z);
      if (!insists || Number.isFinite(out[0])) return;
      const f = value(x, y, z, formula.time);
      if (!Number.isFinite(f)) refuse(f, place, formula.time);
    },
    insist() {
      insists = true;
    },
    closest: (a, b) => searchEdge(distance, a, b),
    bounds: Float64Array.of(-Infinity, -Infinity, -Infinity, Infinity, Infinity, Infinity),
    update(t) {
      formula.time = t;
    },
    surfaceVelocity(out, dt) {
      measureFormulaVelocity(out, formula, dt);
    },
  };
}

function measureFormula(out: Float64Array, { value, e, time }: Formula, x: number, y: number, z: number): void {
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
}

const at = new Float64Array(4);
/** Step of the time derivative [s]. */
const TIME_STEP = 1e-6;

/** The surface f = 0 moves along its normal with −(∂f/∂t)/|∇f|; over a time dt, by the change of the distance. */
function measureFormulaVelocity(out: Float64Array, formula: Formula, dt: number): void {
  const { time: now, place } = formula;
  const measureAt = (time: number): number => {
    formula.time = time;
    measureFormula(at, formula, place[0], place[1], place[2]);
    return at[0];
  };
  const here = measureAt(now);
  const [nx, ny, nz] = [at[1], at[2], at[3]];
  let speed = dt === 0 ? Number.NaN : -(measureAt(now + dt) - here) / dt;
  // NaN: the caller wants the rate, or the formula has no value at the other time
  if (Number.isNaN(speed)) {
    const later = measureAt(now + TIME_STEP);
    speed = -(later - measureAt(now - TIME_STEP)) / (2 * TIME_STEP);
    // NaN: the formula begins to hold now
    if (Number.isNaN(speed)) speed = -(later - here) / TIME_STEP;
  }
  formula.time = now;
  out[0] = speed * nx;
  out[1] = speed * ny;
  out[2] = speed * nz;
}

/** Values on a grid: the position of the first, the spacing [m], the number of values along each axis. */
interface ValueGrid {
  readonly origin: ArrayLike<number>;
  readonly spacing: number;
  readonly count: ArrayLike<number>;
  readonly values: Float64Array;
}

/** Trilinear interpolation between grid points; outside the grid, the value at its border plus the distance to the border. */
export function createGridShape(grid: ValueGrid): Shape {
  const { origin, spacing, count } = grid;
  const distance: DistanceFunction = (out, x, y, z) => {
    query[0] = x;
    query[1] = y;
    query[2] = z;
    interpolateGrid(out, grid, locateCell(grid));
  };
  const far = (k: number): number => origin[k] + (count[k] - 1) * spacing;
  return {
    type: 'grid',
    distance,
    closest: (a, b) => searchEdge(distance, a, b),
    bounds: Float64Array.of(origin[0], origin[1], origin[2], far(0), far(1), far(2)),
  };
}

/** The point of a query; its cell, its position within the cell, and the vector by which it lies outside the grid [m]. */
const query = new Float64Array(3);
const base = new Int32Array(3);
const cell = new Float64Array(3);
const outside = new Float64Array(3);

/** Locates `query` in the grid; returns its squared distance from the grid. */
function locateCell({ origin, spacing, count }: ValueGrid): number {
  let beyond = 0;
  for (let k = 0; k < 3; k++) {
    const u = (query[k] - origin[k]) / spacing;
    const last = count[k] - 1;
    const inside = u < 0 ? 0 : u > last ? last : u;
    outside[k] = (u - inside) * spacing;
    beyond += outside[k] * outside[k];
    base[k] = Math.min(last - 1, Math.floor(inside));
    cell[k] = inside - base[k];
  }
  return beyond;
}

function interpolateGrid(out: Float64Array, { spacing, count, values }: ValueGrid, beyond: number): void {
  const [nx, ny] = [count[0], count[1]];
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
  let gx = (1 - w) * ((1 - v) * (v100 - v000) + v * (v110 - v010)) + w * ((1 - v) * (v101 - v001) + v * (v111 - v011));
  let gy = (1 - w) * (x10 - x00) + w * (x11 - x01);
  let gz = y1 - y0;
  if (beyond > 0) {
    // far away only the size of the distance matters; the direction is approximate
    const d = Math.sqrt(beyond);
    out[0] = Math.max(value, 0) + d;
    gx += (outside[0] / d) * spacing;
    gy += (outside[1] / d) * spacing;
    gz += (outside[2] / d) * spacing;
  } else out[0] = value;
  const slope = Math.sqrt(gx * gx + gy * gy + gz * gz);
  out[1] = slope > 0 ? gx / slope : 0;
  out[2] = slope > 0 ? gy / slope : 0;
  out[3] = slope > 0 ? gz / slope : 1;
}
