/**
 * The exact tangent stiffness: springs with the effect of tension on their direction, and altitude springs with the second derivatives of the altitude, by
 * differences of its gradient (twelve unknowns, exact to eight digits). Only statics and modes need it.
 */
import { addWide, type WideBand } from '../../linalg/wideBand.ts';
import { direction, evaluateAltitude, weights } from './altitude.ts';
import { addRowForce, addRowMatrix, type Row, writeAltitude, writeSpring } from './energy.ts';
import type { Hair } from './rod.ts';

const gradient = new Float64Array(12);
const plus = new Float64Array(12);
const corner = new Float64Array(12);
const hessian = new Float64Array(144);

function writeGradient(out: Float64Array, kind: number, sign: number): void {
  evaluateAltitude(corner, 0, kind, sign);
  for (let p = 0; p < 4; p++) for (let k = 0; k < 3; k++) out[3 * p + k] = weights[p] * direction[k];
}

/** Entries of ∂²h/∂x² on and below the diagonal. */
export const CURVATURE = 78;

/** Second derivatives of the altitude of the row at x, into `out` from o on. */
export function writeAltitudeCurvature(out: Float64Array, o: number, row: Row, x: Float64Array): void {
  const sign = row.length < 0 ? -1 : 1;
  const { kind } = row;
  for (let d = 0; d < 12; d++) corner[d] = x[3 * row.first + d];
  let size = 0;
  for (let d = 3; d < 12; d++) size = Math.max(size, Math.abs(corner[d] - corner[d - 3]));
  const h = 1e-5 * size;
  for (let d = 0; d < 12; d++) {
    const kept = corner[d];
    corner[d] = kept + h;
    writeGradient(plus, kind, sign);
    corner[d] = kept - h;
    writeGradient(gradient, kind, sign);
    corner[d] = kept;
    for (let e = 0; e < 12; e++) hessian[12 * d + e] = (plus[e] - gradient[e]) / (2 * h);
  }
  let k = o;
  for (let d = 0; d < 12; d++)
    for (let e = 0; e <= d; e++) out[k++] = 0.5 * (hessian[12 * d + e] + hessian[12 * e + d]);
}

/** matrix += scale·k e ∂²h/∂x² */
export function addAltitudeCurvature(
  matrix: WideBand,
  row: Row,
  curvature: Float64Array,
  o: number,
  scale: number,
): void {
  const f = scale * row.stiffness * row.value;
  let k = o;
  for (let d = 0; d < 12; d++)
    for (let e = 0; e <= d; e++) addWide(matrix, 3 * row.first + d, 3 * row.first + e, f * curvature[k++]);
}

const curvature = new Float64Array(CURVATURE);

/** matrix += t/L (1 − nnᵀ) between the ends of a spring under tension t. */
export function addTension(matrix: WideBand, row: Row, tension: number): void {
  const g = tension / row.length;
  const n = row.direction;
  const a = 3 * row.particle[0];
  const b = 3 * row.particle[1];
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const value = g * ((i === j ? 1 : 0) - n[i] * n[j]);
      addWide(matrix, b + i, a + j, -value);
      if (j > i) continue;
      addWide(matrix, a + i, a + j, value);
      addWide(matrix, b + i, b + j, value);
    }
  }
}

/**
 * Gradient of the elastic energy and its Hessian at the current positions. With `tension` the springs' forces are those
 * numbers, unknowns of their own, and `error` gets L − rest − tension/k; without, forces are those of the springs.
 */
export function assembleTangent(
  matrix: WideBand | undefined,
  residual: Float64Array,
  hair: Hair,
  row: Row,
  tension: Float64Array | undefined,
  error: Float64Array | undefined,
): void {
  const { q, springs, tetrahedra } = hair;
  for (let s = 0; s < springs.count; s++) {
    if (!writeSpring(row, hair, s, q, q)) {
      if (error) error[s] = 0;
      continue;
    }
    const force = tension ? tension[s] : row.stiffness * row.value;
    if (tension && error) error[s] = row.value - force / row.stiffness;
    row.value = force / row.stiffness;
    addRowForce(residual, row, 1);
    if (!matrix) continue;
    addRowMatrix(matrix, row, row.stiffness);
    addTension(matrix, row, force);
  }
  for (let t = 0; t < tetrahedra.count; t++) {
    if (!writeAltitude(row, hair, t, q, q)) continue;
    addRowForce(residual, row, 1);
    if (!matrix) continue;
    addRowMatrix(matrix, row, row.stiffness);
    writeAltitudeCurvature(curvature, 0, row, q);
    addAltitudeCurvature(matrix, row, curvature, 0, 1);
  }
}
