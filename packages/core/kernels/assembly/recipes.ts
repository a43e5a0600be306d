/**
 * Formulas of the model combined for the kernels: input of kernels/translate.ts, never run. Arrays are passed from the relevant entry on, so that
 * indices are constant.
 */

/**
 * A joint between two edges: adds its gradient to the residual of x−, θe, x, θf, x+ and, with `matrix`, its Hessian to their rows of the band, from
 * the diagonal of the first on. With `viscous` both have their damping; v are the rates.
 */
function addJoint(
  te: Float64Array,
  m1: Float64Array,
  m2: Float64Array,
  tf: Float64Array,
  lengthE: number,
  lengthF: number,
  chi: number,
  constants: Float64Array,
  twist: number,
  residual: Float64Array,
  band: Float64Array,
  v: Float64Array,
  damping: number,
  rateScale: number,
  matrix: number,
  viscous: number,
): void {
  P[15] = chi;
  P[16] = lengthE;
  P[17] = lengthF;
  writeJoint(te, m1, m2, 0, tf, 0);
  strainIn[2] = twist;
  rotationStrain(strainOut, constants, 0, strainIn);
  writeGradient(gradient8);
  if (viscous === 1) {
    for (let k = 0; k < 3; k++) {
      rate[k] = v[4 + k] - v[k];
      rate[4 + k] = v[8 + k] - v[4 + k];
    }
    rate[3] = v[3];
    rate[7] = v[7];
    addViscous(gradient8, damping);
  }
  for (let k = 0; k < 3; k++) {
    residual[k] -= gradient8[k];
    residual[4 + k] += gradient8[k] - gradient8[4 + k];
    residual[8 + k] += gradient8[4 + k];
  }
  residual[3] += gradient8[3];
  residual[7] += gradient8[7];
  if (matrix === 1) {
    addCongruence(strainOut, HESSIAN, 1);
    addCurvatureOfPrimitives();
    if (viscous === 1) addCongruence(strainOut, GAUSS_NEWTON, damping * rateScale);
    addNodeBlock(band, 0);
  }
}

/** Angle from the director of one frame, transported to the tangent of the next, to the director of that. */
function turnBetween(director: Float64Array, tangent: Float64Array, to: Float64Array, t: Float64Array): number {
  transport3(scratch, 0, director, 0, tangent, 0, t, 0);
  return angleAbout3(scratch, 0, to, 0, t, 0);
}

/** Σ l x over the ten unknowns before one; both arrays start at the first of them. */
function multiplyRow(l: Float64Array, x: Float64Array): number {
  let sum = l[0] * x[0];
  for (let k = 1; k < 10; k++) sum += l[k] * x[k];
  return sum;
}

/** An unknown less Σ l x over the ten after it, the farthest first; both arrays start at this unknown. */
function subtractColumn(l: Float64Array, x: Float64Array): number {
  let sum = x[0];
  for (let k = 0; k < 10; k++) sum -= l[110 - 10 * k] * x[10 - k];
  return sum;
}

/** Row i of the inverse within the band, Z_i,i … Z_i,i+10, from the ten rows after it (linalg/bandInverse.ts); both arrays start at row i. */
function invertRow(z: Float64Array, l: Float64Array): void {
  for (let j = 1; j < 11; j++) {
    let sum = l[20] * z[11 + j - 1];
    for (let k = 2; k < 11; k++) {
      if (k <= j) sum += l[10 + 10 * k] * z[11 * k + j - k];
      else sum += l[10 + 10 * k] * z[11 * j + k - j];
    }
    z[j] = -sum;
  }
  let diagonal = l[10];
  for (let k = 1; k < 11; k++) diagonal -= l[10 + 10 * k] * z[k];
  z[0] = diagonal;
}
