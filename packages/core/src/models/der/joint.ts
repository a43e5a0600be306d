/**
 * One joint: the three scalars its energy depends on, their first and second derivatives in its 8 variables e, θe, f, θf.
 *
 * The current joint is in arrays of this module, filled by `evaluateJoint` and read by its caller: nothing is allocated, and nothing outlives the next
 * call.
 */
import { dot3 } from '../../math/vec3.ts';
import type { DerRod } from './rod.ts';
import { GRADIENT, JOINT_STRIDE, STRAIN_OUT } from './strain.ts';

/** Input of the strain function: w1, w2, m. An array, as `P` is: a number that is passed to a function may be boxed, here at every joint. */
export const strainIn: Float64Array = new Float64Array(3);
/** Output of the strain function; see strain.ts for the indices. */
export const strainOut: Float64Array = new Float64Array(STRAIN_OUT);
/** Rows w1, w2, m of ∂p/∂(e, θe, f, θf). */
export const D: Float64Array = new Float64Array(24);
/** Second derivatives of the energy in the 8 variables, lower triangle; the function that fills it clears it first. */
export const H: Float64Array = new Float64Array(64);

/**
 * Geometry of the current joint: te, tf, κb, m1, m2 (3 numbers each), then χ, |e|, |f|. An array, because module variables box a number at every
 * assignment: `evaluateJoint` fell from 18 to 6 % of a step.
 */
export const P: Float64Array = new Float64Array(18);

/** 1 + te·tf at which the edges of a joint point against each other, within 0.08°. */
export const FOLDED = 1e-6;

/** Primitives of joint i: fills P, D and strainOut; returns false if the edges point against each other. */
export function evaluateJoint(der: DerRod, i: number): boolean {
  const { joints, held, edgeTangent, edgeM1, edgeM2, edgeLength } = der;
  const before = joints.before[i];
  const after = joints.after[i];
  const a = before >= 0 ? 3 * before : 3 * (-1 - before);
  const o = after >= 0 ? 3 * after : 3 * (-1 - after);
  const tangentE = before >= 0 ? edgeTangent : held.tangent;
  const tangentF = after >= 0 ? edgeTangent : held.tangent;
  const chi = 1 + dot3(tangentE, a, tangentF, o);
  if (!(chi > FOLDED)) return false;
  P[15] = chi;
  P[16] = before >= 0 ? edgeLength[before] : 1;
  P[17] = after >= 0 ? edgeLength[after] : 1;
  writeJoint(tangentE, before >= 0 ? edgeM1 : held.m1, before >= 0 ? edgeM2 : held.m2, a, tangentF, o);
  strainIn[2] = der.jointTwist[i];
  der.strain(strainOut, joints.constants, JOINT_STRIDE * i, strainIn);
  return true;
}

/** P, D, w1 and w2 from the first edge's tangent and axes at `a`, the second's tangent at `o`, and from χ = 1 + te·tf and the lengths, which P has. */
function writeJoint(
  tangentE: Float64Array,
  first: Float64Array,
  second: Float64Array,
  a: number,
  tangentF: Float64Array,
  o: number,
): void {
  const chi = P[15];
  const teX = tangentE[a];
  const teY = tangentE[a + 1];
  const teZ = tangentE[a + 2];
  const m1X = first[a];
  const m1Y = first[a + 1];
  const m1Z = first[a + 2];
  const m2X = second[a];
  const m2Y = second[a + 1];
  const m2Z = second[a + 2];
  const tfX = tangentF[o];
  const tfY = tangentF[o + 1];
  const tfZ = tangentF[o + 2];
  const scale = 2 / chi;
  const kbX = scale * (teY * tfZ - teZ * tfY);
  const kbY = scale * (teZ * tfX - teX * tfZ);
  const kbZ = scale * (teX * tfY - teY * tfX);
  const w1 = kbX * m2X + kbY * m2Y + kbZ * m2Z;
  const w2 = -(kbX * m1X + kbY * m1Y + kbZ * m1Z);
  // ∂w/∂e = (2 tf × μ/χ − w tt)/|e|, ∂w/∂f = (−2 te × μ/χ − w tt)/|f|, μ = m2 and −m1
  const half = 0.5 * scale;
  const ttX = half * (teX + tfX);
  const ttY = half * (teY + tfY);
  const ttZ = half * (teZ + tfZ);
  const ie = 1 / P[16];
  const jf = 1 / P[17];
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
  strainIn[0] = w1;
  strainIn[1] = w2;
}

/** Dᵀ·S·D for packed symmetric S (6) at `o`, scaled, added to H; all 8 × 8 lower entries. */
export function addCongruence(S: Float64Array, o: number, scale: number): void {
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
export function addCurvatureOfPrimitives(): void {
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
  const k2 = 2 / chi;
  const half = 0.5 * k2;
  const ttX = half * (teX + tfX);
  const ttY = half * (teY + tfY);
  const ttZ = half * (teZ + tfZ);
  const w1 = -D[11];
  const w2 = D[3];
  // both curvatures at once: μ = p1 m2 − p2 m1 is again a vector attached to the first edge
  const muX = p1 * P[12] - p2 * P[9];
  const muY = p1 * P[13] - p2 * P[10];
  const muZ = p1 * P[14] - p2 * P[11];
  const c = p1 * w1 + p2 * w2;
  const q = half * c;
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
