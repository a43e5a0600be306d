/**
 * Energy, gradient and Hessian of a rod in the unknowns x, θ (stretch enters through the tension, see newton.ts).
 *
 * A joint's energy depends on its two edge vectors and two angles only: 8 variables e, θe, f, θf. Its derivatives are
 * built there and mapped to the 11 unknowns x−, θe, x, θf, x+. Derivatives of the frames by transport make the raw
 * Hessian unsymmetric; what stands here is its symmetric part, which is the exact Hessian of the energy along the
 * retraction x, θ → moved frames (tested against directional second differences).
 *
 * Element Hessians are not made positive one by one: a prototype needed 155 Newton iterations in place of 8 that way.
 */
import { addEntry, BAND_WIDTH, type BorderedBand } from '../../linalg/band.ts';
import type { DerRod } from './rod.ts';
import { ENERGY_BEND, ENERGY_TWIST, GAUSS_NEWTON, GRADIENT, HESSIAN, JOINT_STRIDE, STRAIN_OUT } from './strain.ts';

/** Derivatives of one joint in its 8 variables. */
const strainOut = new Float64Array(STRAIN_OUT);
/** Rows w1, w2, m of ∂p/∂(e, θe, f, θf). */
const D = new Float64Array(24);
const H = new Float64Array(64);
const rate = new Float64Array(8);
const gradient8 = new Float64Array(8);
const local = new Float64Array(111);
const unknowns = new Int32Array(11);

export interface ElasticEnergy {
  bending: number;
  twisting: number;
}

/**
 * Geometry of the joint at hand: te, tf, κb, m1, m2 (3 each), then χ, |e|, |f|. An array, since numbers kept in
 * variables of the module are boxed at every assignment: `evaluateJoint` fell from 18 to 6 % of a step.
 */
const P = new Float64Array(18);

/** Primitives of joint i: fills P, D and strainOut; returns false if the edges point against each other. */
function evaluateJoint(der: DerRod, i: number): boolean {
  const { joints, held, edgeTangent, edgeM1, edgeM2, edgeLength } = der;
  const before = joints.before[i];
  const after = joints.after[i];
  const a = before >= 0 ? 3 * before : 3 * (-1 - before);
  const tangentE = before >= 0 ? edgeTangent : held.tangent;
  const first = before >= 0 ? edgeM1 : held.m1;
  const second = before >= 0 ? edgeM2 : held.m2;
  const teX = tangentE[a];
  const teY = tangentE[a + 1];
  const teZ = tangentE[a + 2];
  const m1X = first[a];
  const m1Y = first[a + 1];
  const m1Z = first[a + 2];
  const m2X = second[a];
  const m2Y = second[a + 1];
  const m2Z = second[a + 2];
  const lengthE = before >= 0 ? edgeLength[before] : 1;
  const tangent = after >= 0 ? edgeTangent : held.tangent;
  const o = after >= 0 ? 3 * after : 3 * (-1 - after);
  const tfX = tangent[o];
  const tfY = tangent[o + 1];
  const tfZ = tangent[o + 2];
  const lengthF = after >= 0 ? edgeLength[after] : 1;
  const chi = 1 + teX * tfX + teY * tfY + teZ * tfZ;
  if (!(chi > 1e-6)) return false;
  const scale = 2 / chi;
  const kbX = scale * (teY * tfZ - teZ * tfY);
  const kbY = scale * (teZ * tfX - teX * tfZ);
  const kbZ = scale * (teX * tfY - teY * tfX);
  const w1 = kbX * m2X + kbY * m2Y + kbZ * m2Z;
  const w2 = -(kbX * m1X + kbY * m1Y + kbZ * m1Z);
  der.strain(strainOut, joints.constants, JOINT_STRIDE * i, w1, w2, der.jointTwist[i]);
  // ∂w/∂e = (2 tf × μ/χ − w tt)/|e|, ∂w/∂f = (−2 te × μ/χ − w tt)/|f|, μ = m2 and −m1
  const ttX = (teX + tfX) / chi;
  const ttY = (teY + tfY) / chi;
  const ttZ = (teZ + tfZ) / chi;
  const ie = 1 / lengthE;
  const jf = 1 / lengthF;
  D[0] = ie * (scale * (tfY * m2Z - tfZ * m2Y) - w1 * ttX);
  D[1] = ie * (scale * (tfZ * m2X - tfX * m2Z) - w1 * ttY);
  D[2] = ie * (scale * (tfX * m2Y - tfY * m2X) - w1 * ttZ);
  D[3] = w2;
  D[4] = jf * (-scale * (teY * m2Z - teZ * m2Y) - w1 * ttX);
  D[5] = jf * (-scale * (teZ * m2X - teX * m2Z) - w1 * ttY);
  D[6] = jf * (-scale * (teX * m2Y - teY * m2X) - w1 * ttZ);
  D[8] = ie * (-scale * (tfY * m1Z - tfZ * m1Y) - w2 * ttX);
  D[9] = ie * (-scale * (tfZ * m1X - tfX * m1Z) - w2 * ttY);
  D[10] = ie * (-scale * (tfX * m1Y - tfY * m1X) - w2 * ttZ);
  D[11] = -w1;
  D[12] = jf * (scale * (teY * m1Z - teZ * m1Y) - w2 * ttX);
  D[13] = jf * (scale * (teZ * m1X - teX * m1Z) - w2 * ttY);
  D[14] = jf * (scale * (teX * m1Y - teY * m1X) - w2 * ttZ);
  // ∂m/∂e = kb/2|e|, ∂m/∂f = kb/2|f| [Bergou2008 eq. 9]
  D[16] = 0.5 * ie * kbX;
  D[17] = 0.5 * ie * kbY;
  D[18] = 0.5 * ie * kbZ;
  D[19] = -1;
  D[20] = 0.5 * jf * kbX;
  D[21] = 0.5 * jf * kbY;
  D[22] = 0.5 * jf * kbZ;
  D[23] = 1;
  P[0] = teX;
  P[1] = teY;
  P[2] = teZ;
  P[3] = tfX;
  P[4] = tfY;
  P[5] = tfZ;
  P[6] = kbX;
  P[7] = kbY;
  P[8] = kbZ;
  P[9] = m1X;
  P[10] = m1Y;
  P[11] = m1Z;
  P[12] = m2X;
  P[13] = m2Y;
  P[14] = m2Z;
  P[15] = chi;
  P[16] = lengthE;
  P[17] = lengthF;
  return true;
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

/** Rates of (e, θe, f, θf) at joint i from the rates of the unknowns. */
function gatherRate(der: DerRod, i: number, v: Float64Array): void {
  const { joints, nodeCount } = der;
  const before = joints.before[i];
  const after = joints.after[i];
  const o = 4 * joints.node[i];
  for (let k = 0; k < 3; k++) {
    rate[k] = before >= 0 ? v[o + k] - v[4 * before + k] : 0;
    rate[4 + k] = after >= 0 ? v[(after + 1 < nodeCount ? 4 * (after + 1) : 0) + k] - v[o + k] : 0;
  }
  // NOTE: the rate of a held frame counts as zero: its motion drags the rod elastically, not viscously.
  rate[3] = before >= 0 ? v[4 * before + 3] : 0;
  rate[7] = after >= 0 ? v[4 * after + 3] : 0;
}

/** Viscous part of joint i, β·JᵀKJ·v, added to gradient8. */
function addViscousGradient(der: DerRod, i: number, v: Float64Array): void {
  gatherRate(der, i, v);
  let r1 = 0;
  let r2 = 0;
  let r3 = 0;
  for (let a = 0; a < 8; a++) {
    r1 += D[a] * rate[a];
    r2 += D[8 + a] * rate[a];
    r3 += D[16 + a] * rate[a];
  }
  const beta = der.joints.damping[i];
  const n = strainOut;
  const o = GAUSS_NEWTON;
  const f1 = beta * (n[o] * r1 + n[o + 1] * r2 + n[o + 2] * r3);
  const f2 = beta * (n[o + 1] * r1 + n[o + 3] * r2 + n[o + 4] * r3);
  const f3 = beta * (n[o + 2] * r1 + n[o + 4] * r2 + n[o + 5] * r3);
  for (let a = 0; a < 8; a++) gradient8[a] += f1 * D[a] + f2 * D[8 + a] + f3 * D[16 + a];
}

/** Elastic energy of bending and twisting [J]; adds its gradient when `out` is given. False where edges fold back. */
export function addElasticGradient(
  out: Float64Array | undefined,
  der: DerRod,
  v: Float64Array | undefined,
  energy: ElasticEnergy | undefined,
): boolean {
  for (let i = 0; i < der.joints.count; i++) {
    if (!der.jointActive[i]) continue;
    if (!evaluateJoint(der, i)) return false;
    if (energy) {
      energy.bending += strainOut[ENERGY_BEND];
      energy.twisting += strainOut[ENERGY_TWIST];
    }
    if (!out) continue;
    const e1 = strainOut[GRADIENT];
    const e2 = strainOut[GRADIENT + 1];
    const e3 = strainOut[GRADIENT + 2];
    for (let a = 0; a < 8; a++) gradient8[a] = e1 * D[a] + e2 * D[8 + a] + e3 * D[16 + a];
    if (v && der.joints.damping[i] > 0) addViscousGradient(der, i, v);
    scatterGradient(out, der, i, gradient8);
  }
  return true;
}

/** Dᵀ·S·D for packed symmetric S (6) at `o`, scaled, added to H; all 8 × 8 lower entries. */
function addCongruence(S: Float64Array, o: number, scale: number): void {
  const s11 = scale * S[o];
  const s12 = scale * S[o + 1];
  const s13 = scale * S[o + 2];
  const s22 = scale * S[o + 3];
  const s23 = scale * S[o + 4];
  const s33 = scale * S[o + 5];
  for (let a = 0; a < 8; a++) {
    const d1 = D[a];
    const d2 = D[8 + a];
    const d3 = D[16 + a];
    const x = s11 * d1 + s12 * d2 + s13 * d3;
    const y = s12 * d1 + s22 * d2 + s23 * d3;
    const z = s13 * d1 + s23 * d2 + s33 * d3;
    for (let b = 0; b <= a; b++) H[8 * a + b] += x * D[b] + y * D[8 + b] + z * D[16 + b];
  }
}

/** Second derivatives of w1, w2 and m, weighted by ∂E/∂p, added to the lower triangle of H. */
function addCurvatureOfPrimitives(): void {
  const p1 = strainOut[GRADIENT];
  const p2 = strainOut[GRADIENT + 1];
  const p3 = strainOut[GRADIENT + 2];
  const teX = P[0];
  const teY = P[1];
  const teZ = P[2];
  const tfX = P[3];
  const tfY = P[4];
  const tfZ = P[5];
  const kbX = P[6];
  const kbY = P[7];
  const kbZ = P[8];
  const chi = P[15];
  const ie = 1 / P[16];
  const jf = 1 / P[17];
  const ttX = (teX + tfX) / chi;
  const ttY = (teY + tfY) / chi;
  const ttZ = (teZ + tfZ) / chi;
  const w1 = -D[11];
  const w2 = D[3];
  // both curvatures at once: μ = p1 m2 − p2 m1 is again a vector that rides on the first edge
  const muX = p1 * P[12] - p2 * P[9];
  const muY = p1 * P[13] - p2 * P[10];
  const muZ = p1 * P[14] - p2 * P[11];
  const c = p1 * w1 + p2 * w2;
  const q = c / chi;
  const geX = p1 * D[0] + p2 * D[8];
  const geY = p1 * D[1] + p2 * D[9];
  const geZ = p1 * D[2] + p2 * D[10];
  const gfX = p1 * D[4] + p2 * D[12];
  const gfY = p1 * D[5] + p2 * D[13];
  const gfZ = p1 * D[6] + p2 * D[14];
  // e e: −(Ge ttᵀ + tt Geᵀ) − (c/χ)(I − te teᵀ) + ½(kb μᵀ + μ kbᵀ) and twist −¼(kb (te+tt)ᵀ + (te+tt) kbᵀ)
  const ie2 = ie * ie;
  const rX = 0.5 * muX - 0.25 * p3 * (teX + ttX);
  const rY = 0.5 * muY - 0.25 * p3 * (teY + ttY);
  const rZ = 0.5 * muZ - 0.25 * p3 * (teZ + ttZ);
  H[0] += ie2 * (2 * kbX * rX - q * (1 - teX * teX)) - ie * 2 * geX * ttX;
  H[8] += ie2 * (kbY * rX + rY * kbX + q * teY * teX) - ie * (geY * ttX + ttY * geX);
  H[9] += ie2 * (2 * kbY * rY - q * (1 - teY * teY)) - ie * 2 * geY * ttY;
  H[16] += ie2 * (kbZ * rX + rZ * kbX + q * teZ * teX) - ie * (geZ * ttX + ttZ * geX);
  H[17] += ie2 * (kbZ * rY + rZ * kbY + q * teZ * teY) - ie * (geZ * ttY + ttZ * geY);
  H[18] += ie2 * (2 * kbZ * rZ - q * (1 - teZ * teZ)) - ie * 2 * geZ * ttZ;
  // f f
  const jf2 = jf * jf;
  const sX = -0.25 * p3 * (tfX + ttX);
  const sY = -0.25 * p3 * (tfY + ttY);
  const sZ = -0.25 * p3 * (tfZ + ttZ);
  H[36] += jf2 * (2 * kbX * sX - q * (1 - tfX * tfX)) - jf * 2 * gfX * ttX;
  H[44] += jf2 * (kbY * sX + sY * kbX + q * tfY * tfX) - jf * (gfY * ttX + ttY * gfX);
  H[45] += jf2 * (2 * kbY * sY - q * (1 - tfY * tfY)) - jf * 2 * gfY * ttY;
  H[52] += jf2 * (kbZ * sX + sZ * kbX + q * tfZ * tfX) - jf * (gfZ * ttX + ttZ * gfX);
  H[53] += jf2 * (kbZ * sY + sZ * kbY + q * tfZ * tfY) - jf * (gfZ * ttY + ttZ * gfY);
  H[54] += jf2 * (2 * kbZ * sZ - q * (1 - tfZ * tfZ)) - jf * 2 * gfZ * ttZ;
  // f (rows) e (columns): transpose of −(2/χ)[μ]× − Ge ttᵀ − tt Gfᵀ − (c/χ)(I + te tfᵀ), twist ½((2/χ)[te]× − kb ttᵀ)
  const ij = ie * jf;
  const k2 = 2 / chi;
  const aX = -k2 * muX + 0.5 * p3 * k2 * teX;
  const aY = -k2 * muY + 0.5 * p3 * k2 * teY;
  const aZ = -k2 * muZ + 0.5 * p3 * k2 * teZ;
  const hX = 0.5 * p3 * kbX;
  const hY = 0.5 * p3 * kbY;
  const hZ = 0.5 * p3 * kbZ;
  H[32] += ij * (-hX * ttX - q * (1 + teX * tfX)) - jf * geX * ttX - ie * ttX * gfX;
  H[33] += ij * (aZ - hY * ttX - q * teY * tfX) - jf * geY * ttX - ie * ttY * gfX;
  H[34] += ij * (-aY - hZ * ttX - q * teZ * tfX) - jf * geZ * ttX - ie * ttZ * gfX;
  H[40] += ij * (-aZ - hX * ttY - q * teX * tfY) - jf * geX * ttY - ie * ttX * gfY;
  H[41] += ij * (-hY * ttY - q * (1 + teY * tfY)) - jf * geY * ttY - ie * ttY * gfY;
  H[42] += ij * (aX - hZ * ttY - q * teZ * tfY) - jf * geZ * ttY - ie * ttZ * gfY;
  H[48] += ij * (aY - hX * ttZ - q * teX * tfZ) - jf * geX * ttZ - ie * ttX * gfZ;
  H[49] += ij * (-aX - hY * ttZ - q * teY * tfZ) - jf * geY * ttZ - ie * ttY * gfZ;
  H[50] += ij * (-hZ * ttZ - q * (1 + teZ * tfZ)) - jf * geZ * ttZ - ie * ttZ * gfZ;
  // θe: μ′ turns m2 to −m1 and −m1 to −m2
  for (let k = 0; k < 3; k++) {
    H[24 + k] += p1 * D[8 + k] - p2 * D[k];
    H[32 + 8 * k + 3] += p1 * D[12 + k] - p2 * D[4 + k];
  }
  H[27] -= c;
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

/** Adds H of joint i to the matrix; a held frame's rows are left out. */
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
 * Torque [N m] that the holder of each held frame exerts on the rod, 3 a frame: the derivative of the energy with respect to a
 * rotation of the frame, t × ∂E/∂t + (∂E/∂θ) t.
 */
export function writeHeldTorque(out: Float64Array, der: DerRod): void {
  const { joints, jointActive } = der;
  out.fill(0);
  for (let i = 0; i < joints.count; i++) {
    const before = joints.before[i];
    const after = joints.after[i];
    if (!jointActive[i] || (before >= 0 && after >= 0) || !evaluateJoint(der, i)) continue;
    const first = before < 0 ? 0 : 4;
    const t = before < 0 ? 0 : 3;
    const o = 3 * (-1 - (before < 0 ? before : after));
    for (let a = 0; a < 4; a++) {
      gradient8[a] = 0;
      for (let k = 0; k < 3; k++) gradient8[a] += strainOut[GRADIENT + k] * D[8 * k + first + a];
    }
    out[o] += P[t + 1] * gradient8[2] - P[t + 2] * gradient8[1] + gradient8[3] * P[t];
    out[o + 1] += P[t + 2] * gradient8[0] - P[t] * gradient8[2] + gradient8[3] * P[t + 1];
    out[o + 2] += P[t] * gradient8[1] - P[t + 1] * gradient8[0] + gradient8[3] * P[t + 2];
  }
}

/**
 * Gradient and Hessian of bending and twisting, and of their viscous damping: with rates v and a Newton variable that
 * moves v by `rateScale`, adds β·JᵀKJ·v to the gradient and rateScale·β·JᵀKJ to the matrix. Without `elastic`: damping alone.
 */
export function addElasticHessian(
  matrix: BorderedBand,
  gradient: Float64Array,
  der: DerRod,
  v: Float64Array | undefined,
  rateScale: number,
  elastic: boolean,
): boolean {
  const { joints } = der;
  for (let i = 0; i < joints.count; i++) {
    if (!der.jointActive[i]) continue;
    if (!evaluateJoint(der, i)) return false;
    H.fill(0);
    const e1 = elastic ? strainOut[GRADIENT] : 0;
    const e2 = elastic ? strainOut[GRADIENT + 1] : 0;
    const e3 = elastic ? strainOut[GRADIENT + 2] : 0;
    for (let a = 0; a < 8; a++) gradient8[a] = e1 * D[a] + e2 * D[8 + a] + e3 * D[16 + a];
    if (elastic) {
      addCongruence(strainOut, HESSIAN, 1);
      addCurvatureOfPrimitives();
    }
    const beta = joints.damping[i];
    if (v && beta > 0) {
      addCongruence(strainOut, GAUSS_NEWTON, beta * rateScale);
      addViscousGradient(der, i, v);
    }
    scatterGradient(gradient, der, i, gradient8);
    dropHeld(der, i);
    scatterHessian(matrix, der, i);
  }
  return true;
}

const heldColumns = new Float64Array(12);

/**
 * Second derivatives with respect to a rotation φ of held frame h: adds to `rotation` (3 × 3) and to the mixed ones with
 * the unknowns, `mixed` (row k: φ_k, der.size entries). The frame's edge vector and angle move by (φ × t, t·φ).
 */
export function addHeldHessian(rotation: Float64Array, mixed: Float64Array, der: DerRod, h: number): void {
  const { joints, jointActive, nodeCount, size } = der;
  for (let i = 0; i < joints.count; i++) {
    const before = joints.before[i];
    const after = joints.after[i];
    if (!jointActive[i] || (before !== -1 - h && after !== -1 - h) || !evaluateJoint(der, i)) continue;
    H.fill(0);
    addCongruence(strainOut, HESSIAN, 1);
    addCurvatureOfPrimitives();
    const own = before < 0 ? 0 : 4;
    const other = 4 - own;
    const t = before < 0 ? 0 : 3;
    const tx = P[t];
    const ty = P[t + 1];
    const tz = P[t + 2];
    // columns of ∂(e, θ)/∂φ: φ × t and t·φ, 4 × 3
    heldColumns.set([0, tz, -ty, -tz, 0, tx, ty, -tx, 0, tx, ty, tz]);
    const hessian = (a: number, b: number): number => (a >= b ? H[8 * a + b] : H[8 * b + a]);
    let gx = 0;
    let gy = 0;
    let gz = 0;
    for (let k = 0; k < 3; k++) {
      gx += strainOut[GRADIENT + k] * D[8 * k + own];
      gy += strainOut[GRADIENT + k] * D[8 * k + own + 1];
      gz += strainOut[GRADIENT + k] * D[8 * k + own + 2];
    }
    const along = tx * gx + ty * gy + tz * gz;
    const tangent = [tx, ty, tz];
    const force = [gx, gy, gz];
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        let sum = 0.5 * (tangent[a] * force[b] + force[a] * tangent[b]) - (a === b ? along : 0);
        for (let m = 0; m < 4; m++) {
          for (let n = 0; n < 4; n++)
            sum += heldColumns[3 * m + a] * hessian(own + m, own + n) * heldColumns[3 * n + b];
        }
        rotation[3 * a + b] += sum;
      }
      const node = 4 * joints.node[i];
      const row = a * size;
      for (let n = 0; n < 4; n++) {
        let sum = 0;
        for (let m = 0; m < 4; m++) sum += heldColumns[3 * m + a] * hessian(own + m, other + n);
        if (n === 3) mixed[row + 4 * (before < 0 ? after : before) + 3] += sum;
        else if (before < 0) {
          mixed[row + (after + 1 < nodeCount ? 4 * (after + 1) : 0) + n] += sum;
          mixed[row + node + n] -= sum;
        } else {
          mixed[row + node + n] += sum;
          mixed[row + 4 * before + n] -= sum;
        }
      }
    }
  }
}
