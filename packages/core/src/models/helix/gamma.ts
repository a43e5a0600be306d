/**
 * Geometry of an element, a piece of rod with constant Darboux vector, in its own axes.
 *
 * Over the length u an element turns the frame by the exponential of φ = κu and moves along u Γ₁(φ) e₃, where
 * Γ_m(φ) = Σ [φ]^k/(k+m)! = 1/m! + a_(m+1) [φ] + a_(m+2) [φ]². Γ₀ is the rotation, Γ₁ its left Jacobian: a change of κ by
 * δκ turns the end by u Γ₁ δκ (in the axes of the beginning), and moves it by u² D₁ δκ with D₁ = ∂(Γ₁ e₃)/∂φ.
 *
 * The closed form for helices [Bertails2006] contains the direction of the Darboux vector, which is undefined for a straight element.
 * This form does not contain it and needs no special cases: all coefficients are smooth at φ = 0 (math/rotationSeries.ts).
 *
 * φ is passed as an array: numbers that are passed to a function may be boxed, here at every element and node.
 *
 * NOTE: [Lou2013] prints the position without the start of the element and with vectors in the place of angles.
 */
import { curvatureOfSeries, slopeOfSeries, writeRotationSeries } from '../../math/rotationSeries.ts';

/** Coefficients a_0 … a_7 per element: enough for two derivatives of Γ₁. */
export const SERIES = 8;

const series = new Float64Array(SERIES);

/** Writes a_0 … a_7 of |φ| at `o`. */
export function writeSeries(out: Float64Array, o: number, phi: Float64Array): void {
  writeRotationSeries(series, phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2], SERIES);
  for (let k = 0; k < SERIES; k++) out[o + k] = series[k];
}

/** Γ₀ (m = 0) or Γ₁ (m = 1) of φ, with the series of |φ| at `o`. */
export function writeGamma(out: Float64Array, m: 0 | 1, phi: Float64Array, a: Float64Array, o: number): void {
  const x = phi[0];
  const y = phi[1];
  const z = phi[2];
  const s = a[o + m + 1];
  const c = a[o + m + 2];
  out[0] = 1 - c * (y * y + z * z);
  out[1] = c * x * y - s * z;
  out[2] = c * x * z + s * y;
  out[3] = c * x * y + s * z;
  out[4] = 1 - c * (x * x + z * z);
  out[5] = c * y * z - s * x;
  out[6] = c * x * z - s * y;
  out[7] = c * y * z + s * x;
  out[8] = 1 - c * (x * x + y * y);
}

/** Γ₁(φ) e₃: the chord of an element, divided by its length. */
export function writeChord(out: Float64Array, phi: Float64Array, a: Float64Array, o: number): void {
  const x = phi[0];
  const y = phi[1];
  const z = phi[2];
  out[0] = a[o + 2] * y + a[o + 3] * x * z;
  out[1] = -a[o + 2] * x + a[o + 3] * y * z;
  out[2] = 1 - a[o + 3] * (x * x + y * y);
}

/** D₁ = ∂(Γ₁ e₃)/∂φ, row by row. */
export function writeChordSlope(out: Float64Array, phi: Float64Array, a: Float64Array, o: number): void {
  const x = phi[0];
  const y = phi[1];
  const z = phi[2];
  const a2 = a[o + 2];
  const a3 = a[o + 3];
  const b2 = 2 * a[o + 4] - a3;
  const b3 = 3 * a[o + 5] - a[o + 4];
  const p = b2 * y + b3 * x * z;
  const q = -b2 * x + b3 * y * z;
  const r = -b3 * (x * x + y * y);
  out[0] = p * x + a3 * z;
  out[1] = p * y + a2;
  out[2] = p * z + a3 * x;
  out[3] = q * x - a2;
  out[4] = q * y + a3 * z;
  out[5] = q * z + a3 * y;
  out[6] = r * x - 2 * a3 * x;
  out[7] = r * y - 2 * a3 * y;
  out[8] = r * z;
}

/**
 * Adds factor·∂²h/∂φ² of h(φ) = Σ Y_ab (Γ_m)_ab to a symmetric 3×3 matrix. With Y = g xᵀ it is h = gᵀ Γ_m x: the work of
 * a force g on a point at x.
 */
export function addSecondDerivative(
  out: Float64Array,
  factor: number,
  m: 0 | 1,
  phi: Float64Array,
  a: Float64Array,
  o: number,
  Y: Float64Array,
): void {
  const x = phi[0];
  const y = phi[1];
  const z = phi[2];
  for (let k = 0; k < SERIES; k++) series[k] = a[o + k];
  const b1 = factor * slopeOfSeries(series, m + 1);
  const c1 = factor * curvatureOfSeries(series, m + 1);
  const a2 = factor * series[m + 2];
  const b2 = factor * slopeOfSeries(series, m + 2);
  const c2 = factor * curvatureOfSeries(series, m + 2);
  // antisymmetric part of Y, and its symmetric part less twice the trace
  const px = Y[7] - Y[5];
  const py = Y[2] - Y[6];
  const pz = Y[3] - Y[1];
  const trace = 2 * (Y[0] + Y[4] + Y[8]);
  const xx = 2 * Y[0] - trace;
  const xy = Y[1] + Y[3];
  const xz = Y[2] + Y[6];
  const yy = 2 * Y[4] - trace;
  const yz = Y[5] + Y[7];
  const zz = 2 * Y[8] - trace;
  const wx = xx * x + xy * y + xz * z;
  const wy = xy * x + yy * y + yz * z;
  const wz = xz * x + yz * y + zz * z;
  const turn = px * x + py * y + pz * z;
  const bend = 0.5 * (wx * x + wy * y + wz * z);
  // out = φ eᵀ + e φᵀ + round φφᵀ + even I + a2·(symmetric part)
  const ex = b1 * px + b2 * wx;
  const ey = b1 * py + b2 * wy;
  const ez = b1 * pz + b2 * wz;
  const even = b1 * turn + b2 * bend;
  const round = c1 * turn + c2 * bend;
  out[0] += 2 * x * ex + round * x * x + even + a2 * xx;
  out[4] += 2 * y * ey + round * y * y + even + a2 * yy;
  out[8] += 2 * z * ez + round * z * z + even + a2 * zz;
  const m01 = x * ey + y * ex + round * x * y + a2 * xy;
  const m02 = x * ez + z * ex + round * x * z + a2 * xz;
  const m12 = y * ez + z * ey + round * y * z + a2 * yz;
  out[1] += m01;
  out[3] += m01;
  out[2] += m02;
  out[6] += m02;
  out[5] += m12;
  out[7] += m12;
}
