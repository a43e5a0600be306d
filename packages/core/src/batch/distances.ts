/**
 * Distances of obstacles: formulas for planes and rounded boxes, interpolation for distance fields, and the point of an edge that is closest.
 * Translated to WGSL like formulas.ts. World contact of the reference uses contact/shapes/ instead.
 */
import { add, dot, scale, subtract, type Vector, vector } from './algebra.ts';
import { conjugate, rotate } from './formulas.ts';
import { BOX, FIELD } from './layout.ts';
import type { Distance, Obstacle } from './obstacles.ts';
import { readField, type Strand } from './strand.ts';

function signOf(x: number): number {
  let sign = 1;
  if (x < 0) {
    sign = -1;
  }
  return sign;
}

/** Distance from a rounded box with half lengths `half`; p in its axes. */
function boxDistance(p: Vector, half: Vector, rounding: number): Distance {
  const e = vector(Math.abs(p[0]) - half[0], Math.abs(p[1]) - half[1], Math.abs(p[2]) - half[2]);
  const out = vector(Math.max(e[0], 0), Math.max(e[1], 0), Math.max(e[2], 0));
  const length = Math.sqrt(dot(out, out));
  let normal: Vector = vector(0, 0, signOf(p[2]));
  let value = Math.max(e[0], Math.max(e[1], e[2]));
  if (length > 0) {
    value = length;
    normal = vector(
      (signOf(p[0]) * out[0]) / length,
      (signOf(p[1]) * out[1]) / length,
      (signOf(p[2]) * out[2]) / length,
    );
  } else if (e[0] >= e[1] && e[0] >= e[2]) {
    normal = vector(signOf(p[0]), 0, 0);
  } else if (e[1] >= e[2]) {
    normal = vector(0, signOf(p[1]), 0);
  }
  return { value: value - rounding, normal };
}

/** A point in a distance field: index of its cell along each axis, position within the cell (0 to 1), and spacing of the grid [m]. */
interface FieldPlace {
  readonly cell: Vector;
  readonly within: Vector;
  readonly spacing: Vector;
}

/** Coordinate of p along an axis in units of the spacing; points outside get that of the border. */
function rowsTo(p: number, half: number, spacing: number, count: number): number {
  return Math.min(Math.max((p + half) / spacing, 0), count - 1);
}

function placeInField(o: Obstacle, p: Vector): FieldPlace {
  const spacing = vector(
    (2 * o.half[0]) / (o.counts[0] - 1),
    (2 * o.half[1]) / (o.counts[1] - 1),
    (2 * o.half[2]) / (o.counts[2] - 1),
  );
  const at = vector(
    rowsTo(p[0], o.half[0], spacing[0], o.counts[0]),
    rowsTo(p[1], o.half[1], spacing[1], o.counts[1]),
    rowsTo(p[2], o.half[2], spacing[2], o.counts[2]),
  );
  const cell = vector(
    Math.min(Math.floor(at[0]), o.counts[0] - 2),
    Math.min(Math.floor(at[1]), o.counts[1] - 2),
    Math.min(Math.floor(at[2]), o.counts[2] - 2),
  );
  return { cell, within: subtract(at, cell), spacing };
}

/** Adds the contribution of one corner of the cell; `corner` is 0 or 1 along each axis. */
function addCorner(s: Strand, o: Obstacle, at: FieldPlace, corner: Vector, sum: Distance): Distance {
  const along = subtract(at.within, corner);
  const weight = (1 - Math.abs(along[0])) * (1 - Math.abs(along[1])) * (1 - Math.abs(along[2]));
  const row =
    ((at.cell[2] + corner[2]) * o.counts[1] + (at.cell[1] + corner[1])) * o.counts[0] + (at.cell[0] + corner[0]);
  const there = readField(s, o.start, row);
  const away = vector(along[0] * at.spacing[0], along[1] * at.spacing[1], along[2] * at.spacing[2]);
  return {
    value: sum.value + weight * (there.value + 0.5 * dot(there.normal, away)),
    normal: add(sum.normal, scale(weight, there.normal)),
  };
}

/**
 * Distance from a distance field; p in its axes. Half of the slope at each corner makes the interpolation exact for quadratic distances, where values alone
 * leave an error of second order in the spacing. Outside the box, the distance from the box is added.
 */
function fieldDistance(s: Strand, o: Obstacle, p: Vector): Distance {
  const at = placeInField(o, p);
  let sum: Distance = { value: 0, normal: vector(0, 0, 0) };
  sum = addCorner(s, o, at, vector(0, 0, 0), sum);
  sum = addCorner(s, o, at, vector(1, 0, 0), sum);
  sum = addCorner(s, o, at, vector(0, 1, 0), sum);
  sum = addCorner(s, o, at, vector(1, 1, 0), sum);
  sum = addCorner(s, o, at, vector(0, 0, 1), sum);
  sum = addCorner(s, o, at, vector(1, 0, 1), sum);
  sum = addCorner(s, o, at, vector(0, 1, 1), sum);
  sum = addCorner(s, o, at, vector(1, 1, 1), sum);
  const beyond = vector(
    Math.max(Math.abs(p[0]) - o.half[0], 0),
    Math.max(Math.abs(p[1]) - o.half[1], 0),
    Math.max(Math.abs(p[2]) - o.half[2], 0),
  );
  const slope = Math.sqrt(dot(sum.normal, sum.normal));
  return {
    value: sum.value + Math.sqrt(dot(beyond, beyond)),
    normal: scale(1 / Math.max(slope, 1e-6), sum.normal),
  };
}

export function measureObstacle(s: Strand, o: Obstacle, x: Vector): Distance {
  const p = rotate(conjugate(o.frame), subtract(x, o.position));
  let local: Distance = { value: p[2], normal: vector(0, 0, 1) };
  if (o.kind === BOX) {
    local = boxDistance(p, o.half, o.rounding);
  }
  if (o.kind === FIELD) {
    local = fieldDistance(s, o, p);
  }
  return { value: local.value, normal: rotate(o.frame, local.normal) };
}

/** Centre of the range in which the closest part is searched: a distance field need not be convex, so it is the closest of four sample points. */
function middleOfRange(s: Strand, o: Obstacle, start: Vector, edge: Vector): number {
  let middle = 0.5;
  if (o.kind === FIELD) {
    let least = measureObstacle(s, o, add(start, scale(0.125, edge))).value;
    middle = 0.125;
    let place = 0.375;
    for (let k = 0; k < 3; k++) {
      const value = measureObstacle(s, o, add(start, scale(place, edge))).value;
      if (value < least) {
        least = value;
        middle = place;
      }
      place = place + 0.25;
    }
  }
  return middle;
}

/** Part of the edge that is closest to an obstacle: bisects for a change of sign of the slope of the distance. */
export function closestPart(s: Strand, o: Obstacle, start: Vector, edge: Vector): number {
  const around = middleOfRange(s, o, start, edge);
  const reach = o.kind === FIELD ? 0.125 : 0.5;
  let low = around - reach;
  let high = around + reach;
  for (let k = 0; k < 14; k++) {
    const middle = 0.5 * (low + high);
    const slope = dot(measureObstacle(s, o, add(start, scale(middle, edge))).normal, edge);
    if (slope > 0) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return 0.5 * (low + high);
}
