/**
 * Energy, gradient and Hessian of a rod in the unknowns x, θ (stretch enters through the tension, see newton.ts).
 *
 * A joint's energy depends on its two edge vectors and two angles only: 8 variables e, θe, f, θf. Its derivatives are computed there and mapped to the 11
 * unknowns x−, θe, x, θf, x+. Transport of the frames makes the raw Hessian unsymmetric; this file uses its symmetric part, which is the exact Hessian of
 * the energy along the retraction x, θ → moved frames (tested against directional second differences).
 *
 * Element Hessians are not made positive definite separately: a prototype then needed 155 Newton iterations instead of 8.
 */
import { addEntry, BAND_WIDTH, type BorderedBand } from '../../linalg/bandMatrix.ts';
import { addViscous, gatherMotion } from './damping.ts';
import { addCongruence, addCurvatureOfPrimitives, D, evaluateJoint, H, strainOut } from './joint.ts';
import type { DerRod } from './rod.ts';
import { ENERGY_BEND, ENERGY_TWIST, GAUSS_NEWTON, GRADIENT, HESSIAN } from './strain.ts';

const gradient8 = new Float64Array(8);
const local = new Float64Array(111);
const unknowns = new Int32Array(11);

export interface ElasticEnergy {
  bending: number;
  twisting: number;
}

/** Scatters a gradient in (e, θe, f, θf) to the unknowns of joint i. */
function scatterGradient(out: Float64Array, der: DerRod, i: number, g: Float64Array): void {
  const { joints, nodeCount } = der;
  const before = joints.before[i];
  const after = joints.after[i];
  const o = 4 * joints.node[i];
  if (before >= 0) {
    const a = 4 * before;
    out[a] -= g[0];
    out[a + 1] -= g[1];
    out[a + 2] -= g[2];
    out[a + 3] += g[3];
    out[o] += g[0];
    out[o + 1] += g[1];
    out[o + 2] += g[2];
  }
  if (after >= 0) {
    const b = after + 1 < nodeCount ? 4 * (after + 1) : 0;
    out[o] -= g[4];
    out[o + 1] -= g[5];
    out[o + 2] -= g[6];
    out[4 * after + 3] += g[7];
    out[b] += g[4];
    out[b + 1] += g[5];
    out[b + 2] += g[6];
  }
}

/** ∂E/∂(e, θe, f, θf) of the current joint. */
function writeGradient(g: Float64Array): void {
  const e1 = strainOut[GRADIENT];
  const e2 = strainOut[GRADIENT + 1];
  const e3 = strainOut[GRADIENT + 2];
  for (let a = 0; a < 8; a++) g[a] = e1 * D[a] + e2 * D[8 + a] + e3 * D[16 + a];
}

/**
 * Elastic energy of bending and twisting [J]; adds its gradient if `out` is given. Returns false if edges fold back.
 *
 * A joint that is folded by 180° contributes nothing. Its energy has a ridge there: the torques on both sides are opposite, and zero is between them. So
 * a step may end with two edges on each other, as where contact presses a soft rod flat; an equilibrium may not.
 */
export function addElasticGradient(
  out: Float64Array | undefined,
  der: DerRod,
  v: Float64Array | undefined,
  energy: ElasticEnergy | undefined,
): boolean {
  let isFolded = false;
  if (out && v) der.hinges?.spin(der, v);
  for (let i = 0; i < der.joints.count; i++) {
    if (!der.jointActive[i]) continue;
    if (!evaluateJoint(der, i)) {
      isFolded = true;
      continue;
    }
    if (energy) {
      energy.bending += strainOut[ENERGY_BEND];
      energy.twisting += strainOut[ENERGY_TWIST];
    }
    if (!out) continue;
    writeGradient(gradient8);
    if (v && der.joints.damping[i] > 0) {
      gatherMotion(der, i, v);
      addViscous(gradient8, der.joints.damping[i]);
    }
    scatterGradient(out, der, i, gradient8);
  }
  return !isFolded;
}

/**
 * Adds H (8 × 8, lower), mapped to the unknowns x−, θe, x, θf, x+ (11 × 11, lower), to `out`: entry (r, c) at
 * base + 10 r + c, which is how eleven consecutive unknowns lie in the band.
 */
function addNodeBlock(out: Float64Array, base: number): void {
  for (let a = 0; a < 3; a++) {
    const row0 = base + 10 * a;
    const row4 = row0 + 40;
    const row8 = row0 + 80;
    for (let b = 0; b < 3; b++) {
      const ee = a >= b ? H[8 * a + b] : H[8 * b + a];
      const ff = a >= b ? H[8 * a + b + 36] : H[8 * b + a + 36];
      const fe = H[8 * a + b + 32];
      out[row4 + b] += fe - ee;
      out[row8 + b] -= fe;
      out[row8 + 4 + b] += fe - ff;
      if (b > a) continue;
      out[row0 + b] += ee;
      out[row4 + 4 + b] += ee - H[8 * b + a + 32] - fe + ff;
      out[row8 + 8 + b] += ff;
    }
    const te = H[24 + a];
    const ft = H[8 * a + 35];
    const ue = H[56 + a];
    const uf = H[60 + a];
    out[base + 30 + a] -= te;
    out[row4 + 3] += te - ft;
    out[row8 + 3] += ft;
    out[base + 70 + a] -= ue;
    out[base + 74 + a] += ue - uf;
    out[row8 + 7] += uf;
  }
  out[base + 33] += H[27];
  out[base + 73] += H[59];
  out[base + 77] += H[63];
}

/** Adds H of joint i to the matrix, without the rows of a held frame. */
function scatterHessian(matrix: BorderedBand, der: DerRod, i: number): void {
  const { joints, nodeCount } = der;
  const before = joints.before[i];
  const after = joints.after[i];
  const node = joints.node[i];
  const k = matrix.borderSize;
  if (before === node - 1 && after === node && node + 1 < nodeCount && 4 * before >= k) {
    addNodeBlock(matrix.band, (4 * before - k) * (BAND_WIDTH + 1) + BAND_WIDTH);
    return;
  }
  local.fill(0);
  addNodeBlock(local, 0);
  for (let a = 0; a < 3; a++) {
    unknowns[a] = before >= 0 ? 4 * before + a : -1;
    unknowns[4 + a] = 4 * node + a;
    unknowns[8 + a] = after >= 0 ? (after + 1 < nodeCount ? 4 * (after + 1) : 0) + a : -1;
  }
  unknowns[3] = before >= 0 ? 4 * before + 3 : -1;
  unknowns[7] = after >= 0 ? 4 * after + 3 : -1;
  for (let a = 0; a < 11; a++) {
    if (unknowns[a] < 0) continue;
    for (let b = 0; b <= a; b++) if (unknowns[b] >= 0) addEntry(matrix, unknowns[a], unknowns[b], local[10 * a + b]);
  }
}

/** Clears the variables of a held frame, which does not move, from D: its columns then vanish from H. */
function dropHeld(der: DerRod, i: number): void {
  const held = der.joints.before[i] < 0 ? 0 : der.joints.after[i] < 0 ? 4 : -1;
  if (held < 0) return;
  for (let a = held; a < held + 4; a++) {
    for (let b = 0; b < 8; b++) {
      H[8 * a + b] = 0;
      H[8 * b + a] = 0;
    }
  }
}

/**
 * Gradient and Hessian of bending and twisting, and of their viscous damping: with rates v and a Newton variable that
 * moves v by `rateScale`, adds β·JᵀKJ·v to the gradient and rateScale·β·JᵀKJ to the matrix. Terms `viscous`: damping alone.
 * Returns false if edges fold back, as `addElasticGradient`.
 */
export function addElasticHessian(
  matrix: BorderedBand,
  gradient: Float64Array,
  der: DerRod,
  v: Float64Array | undefined,
  rateScale: number,
  terms: 'elastic-and-viscous' | 'viscous',
): boolean {
  const { joints } = der;
  let isFolded = false;
  if (v) der.hinges?.spin(der, v);
  for (let i = 0; i < joints.count; i++) {
    if (!der.jointActive[i]) continue;
    if (!evaluateJoint(der, i)) {
      isFolded = true;
      continue;
    }
    H.fill(0);
    if (terms === 'elastic-and-viscous') writeGradient(gradient8);
    else gradient8.fill(0);
    if (terms === 'elastic-and-viscous') {
      addCongruence(strainOut, HESSIAN, 1);
      addCurvatureOfPrimitives();
    }
    const beta = joints.damping[i];
    if (v && beta > 0) {
      addCongruence(strainOut, GAUSS_NEWTON, beta * rateScale);
      gatherMotion(der, i, v);
      addViscous(gradient8, beta);
    }
    scatterGradient(gradient, der, i, gradient8);
    dropHeld(der, i);
    scatterHessian(matrix, der, i);
  }
  const { hinges } = der;
  for (let h = 0; hinges && h < der.held.count; h++) {
    if (!der.held.hinged[h]) continue;
    const i = terms === 'elastic-and-viscous' ? hinges.condense(der, h, 0) : -1;
    if (i >= 0) scatterHessian(matrix, der, i);
    const k = v ? hinges.condense(der, h, rateScale) : -1;
    if (k >= 0) scatterHessian(matrix, der, k);
  }
  return !isFolded;
}
