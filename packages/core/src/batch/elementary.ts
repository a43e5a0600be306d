/**
 * The transcendental functions of the formulas, in double precision. Targets in single precision use single.ts instead:
 * same names, polynomials, because WGSL guarantees only 2^-11 for sin and cos.
 */
import { atan, cos, sin } from '../math/rounded/index.ts';

/** sin(√s)/√s */
export function sineRatio(s: number): number {
  if (s < 1e-4) return 1 - s * (1 / 6 - s * (1 / 120 - s / 5040));
  const x = Math.sqrt(s);
  return sin(x) / x;
}

/** cos(√s) */
export function cosineOfRoot(s: number): number {
  return cos(Math.sqrt(s));
}

/** atan(√y)/√y */
export function arctangentRatio(y: number): number {
  if (y < 1e-4) return 1 - y * (1 / 3 - y * (1 / 5 - y * (1 / 7 - y / 9)));
  const z = Math.sqrt(y);
  return atan(z) / z;
}

/** (1 − (θ/2) cot(θ/2))/θ², given θ²: the second coefficient in the inverse derivative of the exponential map. */
export function logarithmCoefficient(theta2: number): number {
  if (theta2 < 0.04)
    return 1 / 12 + theta2 * (1 / 720 + theta2 * (1 / 30240 + theta2 * (1 / 1209600 + theta2 / 47900160)));
  const half = 0.5 * Math.sqrt(theta2);
  return (1 - (half * cos(half)) / sin(half)) / theta2;
}
