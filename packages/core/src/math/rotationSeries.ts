/**
 * The functions that all of rotation is made of.
 *
 * a_k(θ) = Σ_j (−1)^j θ^(2j)/(2j+k)!, so a0 = cos θ, a1 = sin θ/θ, a2 = (1 − cos θ)/θ², a3 = (θ − sin θ)/θ³ and on.
 * The exponential of a rotation vector φ is 1 + a1 [φ] + a2 [φ]², its left Jacobian 1 + a2 [φ] + a3 [φ]², and their
 * integrals over an interval go on with a4, a5 …
 *
 * Neither θ → 0 nor large θ loses digits: below θ² = 9 the two highest are summed by their series and the others follow
 * downwards from a_k = 1/k! − θ² a_(k+2); above, cos and sin start the same recurrence upwards. (Upwards below 9 loses
 * digits by cancellation, downwards above 9 by growth; measured worst error 5e-15/k! for θ from 0 to 30.)
 */
import { cos, sin } from './rounded/index.ts';

/** 1/k! */
const inverseFactorial: readonly number[] = Array.from({ length: 42 }, (_, k) => {
  let value = 1;
  for (let i = 2; i <= k; i++) value *= i;
  return 1 / value;
});

/** Terms of the series for θ² below 9, and below a quarter, where half of them are as good to the last bit. */
const terms = 16;
const fewTerms = 8;

/** Writes a_0(θ) … a_(count−1)(θ) for θ² = `square`; 2 ≤ count ≤ 10. */
export function writeRotationSeries(out: Float64Array, square: number, count: number): void {
  if (square >= 9) {
    const theta = Math.sqrt(square);
    out[0] = cos(theta);
    out[1] = sin(theta) / theta;
    for (let k = 2; k < count; k++) out[k] = (inverseFactorial[k - 2] - out[k - 2]) / square;
    return;
  }
  const last = (square < 0.25 ? fewTerms : terms) - 1;
  for (let k = count - 1; k >= count - 2; k--) {
    let sum = 0;
    for (let j = last; j >= 0; j--) sum = inverseFactorial[2 * j + k] - square * sum;
    out[k] = sum;
  }
  for (let k = count - 3; k >= 0; k--) out[k] = inverseFactorial[k] - square * out[k + 2];
}

/** a_k'(θ)/θ = k a_(k+2) − a_(k+1): no division, so nothing happens at θ = 0. */
export function slopeOfSeries(a: Float64Array, k: number): number {
  return k * a[k + 2] - a[k + 1];
}

/** The same once more, b_k'(θ)/θ with b_k = a_k'/θ. */
export function curvatureOfSeries(a: Float64Array, k: number): number {
  return k * slopeOfSeries(a, k + 2) - slopeOfSeries(a, k + 1);
}
