/**
 * When does a hanging rod with natural curvature leave its plane? Kirchhoff's rod with L = EI = 1, clamped at its upper end
 * pointing down, weight Γ, natural curvature κ in a plane.
 *
 * In the plane the angle θ from the vertical obeys θ″ = Γ(1 − s) sin θ with θ(0) = 0 and θ′(1) = κ. Turn its frames by small angles
 * τ about the tangent and ψ about the normal in the plane. The energy changes by
 *
 *   ½∫ c(τ′ − ψθ′)² + (ψ′ + τθ′)² − (θ′ − κ)(τψ′ − ψτ′ + θ′(τ² + ψ²)) + Γ(1 − s)(ψ² cos θ + τψ sin θ) ds,  c = GJ/EI.
 *
 * The planar rod is stable while this form is positive; it is discretised by linear elements, and negative pivots are counted.
 */
import { cos, sin } from '@tendril-sim/core/math';
import { type AngleProblem, solveAngles } from '../src/elastica.ts';

type Row = readonly [number, number, number, number];

/** A symmetric 2 × 2 matrix: xx, xy, yy. */
type Block = [number, number, number];

const planar = (gamma: number, kappa: number): AngleProblem => ({
  force: (s, theta) => gamma * (1 - s) * sin(theta),
  slope: (s, theta) => gamma * (1 - s) * cos(theta),
  end: kappa,
});

/** The form on one element as a 4 × 4 matrix over (τ, ψ) at its start and its end. */
function elementForm(theta: Float64Array, e: number, gamma: number, kappa: number, c: number): number[][] {
  const h = 1 / (theta.length - 1);
  const angle = (theta[e] + theta[e + 1]) / 2;
  const bend = (theta[e + 1] - theta[e]) / h;
  const moment = bend - kappa;
  const weight = gamma * (1 - (e + 0.5) * h);
  const [tau, psi]: Row[] = [
    [0.5, 0, 0.5, 0],
    [0, 0.5, 0, 0.5],
  ];
  const [dTau, dPsi]: Row[] = [
    [-1 / h, 0, 1 / h, 0],
    [0, -1 / h, 0, 1 / h],
  ];
  const twist = dTau.map((x, k) => x - bend * psi[k]);
  const across = dPsi.map((x, k) => x + bend * tau[k]);
  const out = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
  const add = (a: readonly number[], b: readonly number[], factor: number): void => {
    for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) out[i][j] += 0.5 * h * factor * (a[i] * b[j] + b[i] * a[j]);
  };
  add(twist, twist, c);
  add(across, across, 1);
  add(tau, dPsi, -moment);
  add(psi, dTau, moment);
  add(tau, tau, -moment * bend);
  add(psi, psi, weight * cos(angle) - moment * bend);
  add(tau, psi, weight * sin(angle));
  return out;
}

/** Directions out of the plane in which the energy falls. */
function countNegative(theta: Float64Array, gamma: number, kappa: number, c: number): number {
  const n = theta.length - 1;
  let pivot: Block = [0, 0, 0];
  let negative = 0;
  for (let e = 0; e < n; e++) {
    const k = elementForm(theta, e, gamma, kappa, c);
    const [a, b, p, q] = [k[0][2], k[0][3], k[1][2], k[1][3]];
    const end: Block = [k[2][2], k[2][3], k[3][3]];
    if (e === 0) {
      // the start is clamped
      pivot = end;
      continue;
    }
    pivot = [pivot[0] + k[0][0], pivot[1] + k[0][1], pivot[2] + k[1][1]];
    const determinant = pivot[0] * pivot[2] - pivot[1] * pivot[1];
    negative += signature(pivot);
    const [x, xy, y] = [pivot[2] / determinant, -pivot[1] / determinant, pivot[0] / determinant];
    pivot = [
      end[0] - (a * (x * a + xy * p) + p * (xy * a + y * p)),
      end[1] - (a * (x * b + xy * q) + p * (xy * b + y * q)),
      end[2] - (b * (x * b + xy * q) + q * (xy * b + y * q)),
    ];
  }
  return negative + signature(pivot);
}

/** Negative eigenvalues of a symmetric 2 × 2 matrix. */
function signature([xx, xy, yy]: Block): number {
  if (xx * yy - xy * xy < 0) return 1;
  return xx + yy < 0 ? 2 : 0;
}

/** The natural curvature κL at which the planar shape, followed from the straight rod, loses its stability. */
export function criticalCurvature(gamma: number, c: number, n = 400): number {
  let theta: Float64Array = new Float64Array(n + 1);
  let [kappa, step] = [0, 0.25];
  while (step > 1e-5) {
    const next = solveAngles(planar(gamma, kappa + step), n, theta);
    if (countNegative(next, gamma, kappa + step, c) > 0) step /= 2;
    else {
      kappa += step;
      theta = next;
    }
    if (kappa > 60) return Number.POSITIVE_INFINITY;
  }
  return kappa + step;
}

/** The same from two resolutions, extrapolated. */
export function criticalCurvatureExact(gamma: number, c: number): number {
  const [coarse, fine] = [criticalCurvature(gamma, c, 300), criticalCurvature(gamma, c, 600)];
  return fine + (fine - coarse) / 3;
}
