/** Planar elasticas from their differential equation: what theory says to the cases of slender rods under their weight. */
import { cos, sin } from '@tendril-sim/core/math';

/** θ″ = f(s, θ) on [0, 1] with θ(0) = 0 and θ′(1) = end. */
export interface AngleProblem {
  force(s: number, theta: number): number;
  /** ∂f/∂θ */
  slope(s: number, theta: number): number;
  readonly end: number;
}

/**
 * Newton's method on central differences with n intervals, from `start` (by default 0). The last interval uses a mirrored point for
 * the slope at the end. Second order in 1/n.
 */
export function solveAngles(problem: AngleProblem, n: number, start?: Float64Array): Float64Array {
  const h = 1 / n;
  const theta = start?.slice() ?? new Float64Array(n + 1);
  const [diagonal, right] = [new Float64Array(n + 1), new Float64Array(n + 1)];
  for (let iteration = 0; iteration < 200; iteration++) {
    for (let i = 1; i <= n; i++) {
      const next = i < n ? theta[i + 1] : theta[n - 1] + 2 * h * problem.end;
      right[i] = -(theta[i - 1] - 2 * theta[i] + next - h * h * problem.force(i * h, theta[i]));
      diagonal[i] = -2 - h * h * problem.slope(i * h, theta[i]);
    }
    // off the diagonal: 1, and 2 in the last row
    for (let i = 2; i <= n; i++) {
      const factor = (i < n ? 1 : 2) / diagonal[i - 1];
      diagonal[i] -= factor;
      right[i] -= factor * right[i - 1];
    }
    let [change, largest] = [0, 0];
    for (let i = n; i >= 1; i--) {
      change = (right[i] - (i < n ? change : 0)) / diagonal[i];
      right[i] = change;
      largest = Math.max(largest, Math.abs(change));
    }
    const damp = Math.min(1, 0.5 / largest);
    for (let i = 1; i <= n; i++) theta[i] += damp * right[i];
    if (largest < 1e-13 * Math.max(1, Math.abs(theta[n]))) return theta;
    if (iteration > 30 && largest < 1e-10) return theta;
  }
  throw new Error('the elastica was not found');
}

/** End of the curve with these angles [x, y], by the trapezoidal rule. */
export function endOf(theta: Float64Array): [number, number] {
  const n = theta.length - 1;
  let [x, y] = [0, 0];
  for (let i = 0; i <= n; i++) {
    const weight = (i === 0 || i === n ? 0.5 : 1) / n;
    x += weight * cos(theta[i]);
    y += weight * sin(theta[i]);
  }
  return [x, y];
}

/** Tip of a horizontal cantilever under its weight, Γ = ρAgL³/EI, in lengths: how far out, and how far down. */
export function heavyCantileverTip(gamma: number): [number, number] {
  const problem: AngleProblem = {
    force: (s, theta) => -gamma * (1 - s) * cos(theta),
    slope: (s, theta) => gamma * (1 - s) * sin(theta),
    end: 0,
  };
  const [coarse, fine] = [1000, 2000].map((n) => endOf(solveAngles(problem, n)));
  // both errors are of second order
  return [0, 1].map((k) => fine[k] + (fine[k] - coarse[k]) / 3) as [number, number];
}
