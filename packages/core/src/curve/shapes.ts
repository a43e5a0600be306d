/**
 * Curves with arc length. Each is known in its own parameter p by position and two derivatives; frames are integrated in p,
 * so arc length is converted to p only once per place.
 *
 * Straight, arc, ring and helix have p = s, and constant torsion, so their frames have a closed form.
 */
import { cos, sin } from '../math/rounded/index.ts';
import { createArcTable } from './quadrature.ts';
import { createSpline } from './spline.ts';
import type { Vector } from './vector.ts';
import { addScaled, cross, distance, dot, norm, normalize, scale, subtract } from './vector.ts';

export interface Curve {
  readonly length: number;
  /** Ends meet: the curve can be walked round and round. */
  readonly closed: boolean;
  /** Curvature and torsion [1/m], if both are constant. */
  readonly constant?: { readonly curvature: number; readonly torsion: number };
  /** Own parameter at arc length s in [0, length]. */
  parameter(s: number): number;
  /** Position and its two derivatives by the parameter: 9 numbers. */
  evaluate(out: Float64Array, p: number): void;
}

const jet = new Float64Array(9);

export function positionAt(curve: Curve, p: number): Vector {
  curve.evaluate(jet, p);
  return [jet[0], jet[1], jet[2]];
}

/** Unit tangent; if the derivative of the parametrisation vanishes, that of a point nearby. */
export function tangentAt(curve: Curve, p: number): Vector {
  const end = curve.parameter(curve.length);
  const start = curve.parameter(0);
  for (let nudge = 0; nudge < 1e-2; nudge = nudge === 0 ? 1e-7 : 10 * nudge) {
    curve.evaluate(jet, p + (p > (start + end) / 2 ? -nudge : nudge) * (end - start));
    const speed = norm([jet[3], jet[4], jet[5]]);
    if (speed * Math.abs(end - start) > 1e-7 * curve.length) return normalize([jet[3], jet[4], jet[5]]);
  }
  return [Number.NaN, Number.NaN, Number.NaN];
}

/** Curvature vector dt/ds [1/m]. */
export function curvatureAt(curve: Curve, p: number): Vector {
  curve.evaluate(jet, p);
  const velocity: Vector = [jet[3], jet[4], jet[5]];
  const acceleration: Vector = [jet[6], jet[7], jet[8]];
  const v2 = dot(velocity, velocity);
  return scale(addScaled(acceleration, velocity, -dot(acceleration, velocity) / v2), 1 / v2);
}

export function createStraight(from: Vector, to: Vector): Curve {
  const length = distance(from, to);
  const t = normalize(subtract(to, from));
  return {
    length,
    closed: false,
    constant: { curvature: 0, torsion: 0 },
    parameter: (s) => s,
    evaluate(out, s) {
      out.fill(0);
      for (let k = 0; k < 3; k++) {
        out[k] = from[k] + s * t[k];
        out[3 + k] = t[k];
      }
    },
  };
}

/** A helix x(φ) = center + radius (cos φ e1 + sin φ e2) + rise·φ·axis from φ = 0 to `angle`, with axis = ±e1 × e2; unit vectors. */
export interface HelixShape {
  readonly center: Vector;
  readonly e1: Vector;
  readonly e2: Vector;
  readonly axis: Vector;
  readonly radius: number;
  /** Per radian [m]; 0 (the default) makes an arc or a ring. */
  readonly rise?: number;
  readonly angle: number;
  readonly closed: boolean;
}

export function createHelix({ center, e1, e2, axis, radius, rise = 0, angle, closed }: HelixShape): Curve {
  const speed = Math.sqrt(radius * radius + rise * rise);
  const handedness = Math.sign(dot(cross(e1, e2), axis));
  return {
    length: speed * angle,
    closed,
    constant: { curvature: radius / (speed * speed), torsion: (handedness * rise) / (speed * speed) },
    parameter: (s) => s,
    evaluate(out, s) {
      const phi = s / speed;
      const c = cos(phi);
      const sn = sin(phi);
      for (let k = 0; k < 3; k++) {
        out[k] = center[k] + radius * (c * e1[k] + sn * e2[k]) + rise * phi * axis[k];
        out[3 + k] = (radius * (c * e2[k] - sn * e1[k]) + rise * axis[k]) / speed;
        out[6 + k] = (-radius * (c * e1[k] + sn * e2[k])) / (speed * speed);
      }
    },
  };
}

/** Any parametrisation, walked by arc length. `breaks`: increasing parameters between which it is smooth. */
export function createParametric(
  evaluate: (out: Float64Array, p: number) => void,
  breaks: readonly number[],
  closed: boolean,
): Curve {
  const own = new Float64Array(9);
  const speed = (p: number): number => {
    evaluate(own, p);
    return Math.sqrt(own[3] * own[3] + own[4] * own[4] + own[5] * own[5]);
  };
  const { length, parameter } = createArcTable(speed, breaks);
  return { length, closed, parameter, evaluate };
}

/** C2 spline through points, knots at the chord lengths; closed: `points` without a repeated first point. */
export function createThroughPoints(points: readonly Vector[], { closed }: { readonly closed: boolean }): Curve {
  const all = closed ? [...points, points[0]] : points;
  const knots = [0];
  for (let i = 1; i < all.length; i++) knots.push(knots[i - 1] + norm(subtract(all[i], all[i - 1])));
  const spline = createSpline(knots, all, closed ? 'periodic' : 'smooth');
  const last = knots[knots.length - 1];
  // the end of a periodic spline is evaluated as its start
  const evaluate = (out: Float64Array, p: number): void => spline.evaluate(out, closed && p === last ? 0 : p);
  return createParametric(evaluate, knots, closed);
}
