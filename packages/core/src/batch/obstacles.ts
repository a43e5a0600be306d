/**
 * Obstacles of the merged contact solver: signed distances of analytic shapes, the closest point of an edge, and the motion of a surface.
 * Translated to WGSL like formulas.ts. World contact of the reference uses contact/shapes/ instead.
 */
import { add, dot, type Index, type Quaternion, scale, subtract, type Vector, vector } from './algebra.ts';
import { conjugate, rotate, rotationChange } from './formulas.ts';
import { PLANE } from './layout.ts';

/** A solid that strands or rods cannot enter. */
export interface Obstacle {
  /** Of layout.ts. */
  readonly kind: Index;
  /** At the start of the step. */
  readonly frame: Quaternion;
  readonly position: Vector;
  /** Half lengths without the rounding, and the rounding [m]. */
  readonly half: Vector;
  readonly rounding: number;
  readonly friction: number;
  /** Over the step: rotation, and displacement of the position [m]. */
  readonly turn: Quaternion;
  readonly shift: Vector;
}

/** Signed distance [m] and outward unit normal. */
export interface Distance {
  readonly value: number;
  readonly normal: Vector;
}

function signOf(x: number): number {
  let sign = 1;
  if (x < 0) {
    sign = -1;
  }
  return sign;
}

/** From a box with half lengths `half`, rounded; p in its axes. */
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

export function measureObstacle(o: Obstacle, x: Vector): Distance {
  const p = rotate(conjugate(o.frame), subtract(x, o.position));
  let local: Distance = { value: p[2], normal: vector(0, 0, 1) };
  if (o.kind !== PLANE) {
    local = boxDistance(p, o.half, o.rounding);
  }
  return { value: local.value, normal: rotate(o.frame, local.normal) };
}

/** Part of the edge at which it comes closest to a convex obstacle: the slope of the distance is halved to 2^-14. */
export function closestPart(o: Obstacle, start: Vector, edge: Vector): number {
  let low = 0;
  let high = 1;
  for (let k = 0; k < 14; k++) {
    const middle = 0.5 * (low + high);
    const slope = dot(measureObstacle(o, add(start, scale(middle, edge))).normal, edge);
    if (slope > 0) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return 0.5 * (low + high);
}

/** Displacement over the step of the obstacle's point at x [m]. */
export function surfaceShift(o: Obstacle, x: Vector): Vector {
  return add(o.shift, rotationChange(o.turn, subtract(x, o.position)));
}
