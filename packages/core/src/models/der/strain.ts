/**
 * The elastic energy of one joint as a function of three scalars p = (w1, w2, m): the curvature binormal along the material axes of the first edge,
 * and the twist. Two measures of strain:
 *
 * `rotation`: rotation vector between the two material frames (default). Exact for helices; errors 2 to 13 times smaller than those of `bergou2008` on
 *   curved and elliptic rods.
 * `bergou2008`: eq. 3 of the paper: curvature 2 tan(φ/2) along the axes of both edges, twist apart.
 * The average of both edges' curvatures [Bergou2010] is not offered: it multiplies bending by cos²(m/2) on twisted rods.
 *
 * Axes: strain (u_b1, u_b2, u_t) pairs with stiffness (EI2, EI1, GJ), since t′·d1 is bending about d2.
 */
import { acos, atan2, cos, hypot, sin } from '../../math/rounded/index.ts';

/** Outputs of a strain function, by index. */
export const ENERGY_BEND = 0;
export const ENERGY_TWIST = 1;
/** ∂E/∂p, 3 */
export const GRADIENT = 2;
/** ∂²E/∂p², packed 11 12 13 22 23 33 */
export const HESSIAN = 5;
/** The part JᵀKJ of the Hessian (no second derivative of strain), same packing: positive, used for viscous damping. */
export const GAUSS_NEWTON = 11;
export const STRAIN_OUT = 17;

/** Constants of a joint, by index: stiffness/length for (b1, b2, t), then the rest strain in the measure's own terms. */
export const JOINT_STRIDE = 8;

/** Writes the outputs for the strain p = (w1, w2, m) of the joint whose constants begin at `o`. */
export type StrainFunction = (out: Float64Array, joint: Float64Array, o: number, p: Float64Array) => void;

/** For the current joint: f(W) and its first two derivatives. */
const ratio = new Float64Array(3);

/** f = 2 acos(W)/√(1−W²), the length of a rotation vector by that of the quaternion's vector part, and f', f'' in W. */
export function writeAngleRatio(out: Float64Array, W: number): void {
  const x = 1 - W;
  if (x < 1e-3) {
    out[0] = 2 + x * (2 / 3 + x * (4 / 15 + x * (4 / 35 + x * (16 / 315))));
    out[1] = -(2 / 3 + x * (8 / 15 + x * (12 / 35 + x * (64 / 315))));
    out[2] = 8 / 15 + x * (24 / 35 + x * (64 / 105));
    return;
  }
  // a full turn at one joint has no direction back: keep it finite, the solver must not get there
  const s2 = Math.max(1 - W * W, 1e-12);
  const f = (2 * acos(W)) / Math.sqrt(s2);
  const f1 = (W * f - 2) / s2;
  out[0] = f;
  out[1] = f1;
  out[2] = (f + 3 * W * f1) / s2;
}

/** f alone, as in `writeAngleRatio`. */
export function angleRatio(W: number): number {
  const x = 1 - W;
  if (x < 1e-3) return 2 + x * (2 / 3 + x * (4 / 15 + x * (4 / 35 + x * (16 / 315))));
  return (2 * acos(W)) / Math.sqrt(Math.max(1 - W * W, 1e-12));
}

/** u = g·b with g = f(W) c and b = (½R(−m/2)w, sin m/2): the rotation vector from the quaternion of both frames. */
export function rotationStrain(out: Float64Array, joint: Float64Array, o: number, p: Float64Array): void {
  const w1 = p[0];
  const w2 = p[1];
  const m = p[2];
  const n = w1 * w1 + w2 * w2;
  const ca = cos(0.5 * m);
  const sa = sin(0.5 * m);
  const c2 = 1 / (1 + 0.25 * n);
  const c = Math.sqrt(c2);
  const W = c * ca;
  writeAngleRatio(ratio, W);
  const f = ratio[0];
  const f1 = ratio[1];
  const f2 = ratio[2];
  const cn = -0.125 * c * c2;
  const cnn = (3 / 64) * c * c2 * c2;
  const Wn = cn * ca;
  const Wm = -0.5 * c * sa;
  const g = f * c;
  const gn = f1 * Wn * c + f * cn;
  const gm = f1 * Wm * c;
  const gnn = (f2 * Wn * Wn + f1 * cnn * ca) * c + 2 * f1 * Wn * cn + f * cnn;
  const gnm = (f2 * Wn * Wm - 0.5 * f1 * cn * sa) * c + f1 * Wm * cn;
  const gmm = (f2 * Wm * Wm - 0.25 * f1 * W) * c;
  const g1 = 2 * w1 * gn;
  const g2 = 2 * w2 * gn;
  const g11 = 2 * gn + 4 * w1 * w1 * gnn;
  const g12 = 4 * w1 * w2 * gnn;
  const g22 = 2 * gn + 4 * w2 * w2 * gnn;
  const g1m = 2 * w1 * gnm;
  const g2m = 2 * w2 * gnm;
  const b1 = 0.5 * (ca * w1 + sa * w2);
  const b2 = 0.5 * (ca * w2 - sa * w1);
  const b3 = sa;
  const hc = 0.5 * ca;
  const hs = 0.5 * sa;
  // J = ∂u/∂p
  const j11 = g1 * b1 + g * hc;
  const j12 = g2 * b1 + g * hs;
  const j13 = gm * b1 + 0.5 * g * b2;
  const j21 = g1 * b2 - g * hs;
  const j22 = g2 * b2 + g * hc;
  const j23 = gm * b2 - 0.5 * g * b1;
  const j31 = g1 * b3;
  const j32 = g2 * b3;
  const j33 = gm * b3 + g * hc;
  const k1 = joint[o];
  const k2 = joint[o + 1];
  const k3 = joint[o + 2];
  const d1 = g * b1 - joint[o + 3];
  const d2 = g * b2 - joint[o + 4];
  const d3 = g * b3 - joint[o + 5];
  const e1 = k1 * d1;
  const e2 = k2 * d2;
  const e3 = k3 * d3;
  out[ENERGY_BEND] = 0.5 * (e1 * d1 + e2 * d2);
  out[ENERGY_TWIST] = 0.5 * e3 * d3;
  out[GRADIENT] = e1 * j11 + e2 * j21 + e3 * j31;
  out[GRADIENT + 1] = e1 * j12 + e2 * j22 + e3 * j32;
  out[GRADIENT + 2] = e1 * j13 + e2 * j23 + e3 * j33;
  const n11 = k1 * j11 * j11 + k2 * j21 * j21 + k3 * j31 * j31;
  const n12 = k1 * j11 * j12 + k2 * j21 * j22 + k3 * j31 * j32;
  const n13 = k1 * j11 * j13 + k2 * j21 * j23 + k3 * j31 * j33;
  const n22 = k1 * j12 * j12 + k2 * j22 * j22 + k3 * j32 * j32;
  const n23 = k1 * j12 * j13 + k2 * j22 * j23 + k3 * j32 * j33;
  const n33 = k1 * j13 * j13 + k2 * j23 * j23 + k3 * j33 * j33;
  out[GAUSS_NEWTON] = n11;
  out[GAUSS_NEWTON + 1] = n12;
  out[GAUSS_NEWTON + 2] = n13;
  out[GAUSS_NEWTON + 3] = n22;
  out[GAUSS_NEWTON + 4] = n23;
  out[GAUSS_NEWTON + 5] = n33;
  // second derivatives of u, contracted with ∂E/∂u: g_pp b + g_p b_p + b_p g_p + g b_pp
  const eb = e1 * b1 + e2 * b2 + e3 * b3;
  const eb1 = e1 * hc - e2 * hs;
  const eb2 = e1 * hs + e2 * hc;
  const ebm = 0.5 * (e1 * b2 - e2 * b1) + e3 * hc;
  const eb1m = -0.5 * (e1 * hs + e2 * hc);
  const eb2m = 0.5 * (e1 * hc - e2 * hs);
  out[HESSIAN] = n11 + g11 * eb + 2 * g1 * eb1;
  out[HESSIAN + 1] = n12 + g12 * eb + g1 * eb2 + g2 * eb1;
  out[HESSIAN + 2] = n13 + g1m * eb + g1 * ebm + gm * eb1 + g * eb1m;
  out[HESSIAN + 3] = n22 + g22 * eb + 2 * g2 * eb2;
  out[HESSIAN + 4] = n23 + g2m * eb + g2 * ebm + gm * eb2 + g * eb2m;
  out[HESSIAN + 5] = n33 + gmm * eb + 2 * gm * ebm - 0.25 * g * eb;
}

/** [Bergou2008 eq. 3]: both edges' material curvatures with half the weight each, and the twist. */
export function bergouStrain(out: Float64Array, joint: Float64Array, o: number, p: Float64Array): void {
  const w1 = p[0];
  const w2 = p[1];
  const m = p[2];
  const c = cos(m);
  const s = sin(m);
  // ω on the second edge: R(−m) ω on the first
  const v1 = c * w1 + s * w2;
  const v2 = c * w2 - s * w1;
  const k1 = 0.5 * joint[o];
  const k2 = 0.5 * joint[o + 1];
  const k3 = joint[o + 2];
  const a1 = w1 - joint[o + 3];
  const a2 = w2 - joint[o + 4];
  const b1 = v1 - joint[o + 5];
  const b2 = v2 - joint[o + 6];
  const dm = m - joint[o + 7];
  const f1 = k1 * b1;
  const f2 = k2 * b2;
  out[ENERGY_BEND] = 0.5 * (k1 * a1 * a1 + k2 * a2 * a2 + f1 * b1 + f2 * b2);
  out[ENERGY_TWIST] = 0.5 * k3 * dm * dm;
  // ∂v/∂m = (v2, −v1)
  out[GRADIENT] = k1 * a1 + c * f1 - s * f2;
  out[GRADIENT + 1] = k2 * a2 + s * f1 + c * f2;
  out[GRADIENT + 2] = f1 * v2 - f2 * v1 + k3 * dm;
  const n11 = k1 + k1 * c * c + k2 * s * s;
  const n12 = (k1 - k2) * c * s;
  const n13 = k1 * c * v2 + k2 * s * v1;
  const n22 = k2 + k1 * s * s + k2 * c * c;
  const n23 = k1 * s * v2 - k2 * c * v1;
  const n33 = k1 * v2 * v2 + k2 * v1 * v1 + k3;
  out[GAUSS_NEWTON] = n11;
  out[GAUSS_NEWTON + 1] = n12;
  out[GAUSS_NEWTON + 2] = n13;
  out[GAUSS_NEWTON + 3] = n22;
  out[GAUSS_NEWTON + 4] = n23;
  out[GAUSS_NEWTON + 5] = n33;
  out[HESSIAN] = n11;
  out[HESSIAN + 1] = n12;
  out[HESSIAN + 2] = n13 - s * f1 - c * f2;
  out[HESSIAN + 3] = n22;
  out[HESSIAN + 4] = n23 + c * f1 - s * f2;
  out[HESSIAN + 5] = n33 - f1 * v1 - f2 * v2;
}

/**
 * Writes the constants of a joint. `rest` is the natural rotation vector about (d1, d2, d3) at `r`; stiffness is per
 * length of the joint's domain.
 */
export function writeJointConstants(
  joint: Float64Array,
  o: number,
  measure: 'rotation' | 'bergou2008',
  stiffness: { readonly EI1: number; readonly EI2: number; readonly GJ: number },
  length: number,
  rest: ArrayLike<number>,
): void {
  joint[o] = stiffness.EI2 / length;
  joint[o + 1] = stiffness.EI1 / length;
  joint[o + 2] = stiffness.GJ / length;
  // t′·d1 = u2 and t′·d2 = −u1
  const b1 = rest[1];
  const b2 = -rest[0];
  const t = rest[2];
  if (measure === 'rotation') {
    joint[o + 3] = b1;
    joint[o + 4] = b2;
    joint[o + 5] = t;
    return;
  }
  // invert u = g·b: quaternion of the rotation, then its bend and twist parts
  const angle = hypot(b1, b2, t);
  const scale = angle < 1e-6 ? 0.5 : sin(0.5 * angle) / angle;
  const half = atan2(t * scale, cos(0.5 * angle));
  const c = hypot(t * scale, cos(0.5 * angle));
  const y1 = (2 * b1 * scale) / c;
  const y2 = (2 * b2 * scale) / c;
  joint[o + 3] = cos(half) * y1 - sin(half) * y2;
  joint[o + 4] = sin(half) * y1 + cos(half) * y2;
  joint[o + 5] = cos(half) * y1 + sin(half) * y2;
  joint[o + 6] = cos(half) * y2 - sin(half) * y1;
  joint[o + 7] = 2 * half;
}
