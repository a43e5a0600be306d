/**
 * One joint: energy of the rotation between two frames, with first and second derivatives.
 *
 * r = q_A⁻¹ q_B, φ = log r, E = ½ (φ − φ0)·K(φ − φ0), m = K(φ − φ0). A rotation of either frame in its own axes,
 * q ← q·exp(δ), changes φ by φ' = G_B δ_B − G_A δ_A with G_B = 1 + ½[φ] + a[φ]², G_A = 1 − ½[φ] + a[φ]² = G_Bᵀ and
 * a(θ) = (1 − ½θ cot ½θ)/θ². Along such paths φ'' follows from the same expression, and gives
 *     E'' = φ'·Kφ' + φ'·(C_A δ_A + C_B δ_B),   C_B = −½[m] + N, C_A = −½[m] − N,
 *     N = b φ(φ×(φ×m))ᵀ + a((m·φ)1 − 2φmᵀ + mφᵀ),   b = a'(θ)/θ.
 * The quaternions' signs are kept, so φ is continuous up to nearly two half turns: a joint counts twist beyond half a turn.
 */
import { atan2, cos, sin } from '../../math/rounded/index.ts';

/** Joints beyond this angle [rad] are rejected: G is singular at 2π. */
const LARGEST_ANGLE = 1.9 * Math.PI;

/** Results of `evaluateJoint`: gradients 3 each, Hessian blocks 9 each (row-major). */
export const gradientA: Float64Array = new Float64Array(3);
export const gradientB: Float64Array = new Float64Array(3);
export const hessianAA: Float64Array = new Float64Array(9);
export const hessianAB: Float64Array = new Float64Array(9);
export const hessianBB: Float64Array = new Float64Array(9);

/** φ of r = conj(a)·b·exp(closing e3/2); returns false if the joint is turned too far or NaN. */
export function measureRotation(
  out: Float64Array,
  o: number,
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  closing: number,
): boolean {
  let w = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2] + a[i + 3] * b[j + 3];
  let x = a[i] * b[j + 1] - a[i + 1] * b[j] - a[i + 2] * b[j + 3] + a[i + 3] * b[j + 2];
  let y = a[i] * b[j + 2] + a[i + 1] * b[j + 3] - a[i + 2] * b[j] - a[i + 3] * b[j + 1];
  let z = a[i] * b[j + 3] - a[i + 1] * b[j + 2] + a[i + 2] * b[j + 1] - a[i + 3] * b[j];
  if (closing !== 0) {
    const c = cos(0.5 * closing);
    const s = sin(0.5 * closing);
    const w0 = w;
    const x0 = x;
    w = w0 * c - z * s;
    z = z * c + w0 * s;
    x = x0 * c + y * s;
    y = y * c - x0 * s;
  }
  const sine = Math.sqrt(x * x + y * y + z * z);
  const angle = 2 * atan2(sine, w);
  if (!(angle < LARGEST_ANGLE)) return false;
  const scale = sine < 1e-6 ? (2 - (2 * sine * sine) / (3 * w * w)) / w : angle / sine;
  out[o] = scale * x;
  out[o + 1] = scale * y;
  out[o + 2] = scale * z;
  return true;
}

/** a(θ) and b(θ) = a'(θ)/θ; by Bernoulli series where the closed form loses digits. */
export function inverseSeries(square: number): { a: number; b: number } {
  const s = square;
  if (s < 0.25) {
    return {
      a: 1 / 12 + s * (1 / 720 + s * (1 / 30240 + s * (1 / 1209600 + s * (1 / 47900160 + (s * 691) / 1307674368000)))),
      b:
        1 / 360 +
        s * (1 / 7560 + s * (1 / 201600 + s * (1 / 5987520 + s * ((691 * 10) / 1307674368000 + s / 6227020800)))),
    };
  }
  const theta = Math.sqrt(s);
  const half = 0.5 * theta;
  const cot = cos(half) / sin(half);
  const a = (1 - half * cot) / s;
  const slope = -2 / (s * theta) + cot / (2 * s) + (1 + cot * cot) / (4 * theta);
  return { a, b: slope / theta };
}

/** Adds ½ (φ − φ0)·K(φ − φ0), separately for bending and twisting. */
export function jointEnergy(
  out: { bending: number; twisting: number },
  phi: Float64Array,
  o: number,
  stiffness: Float64Array,
  rest: Float64Array,
): void {
  const x = phi[o] - rest[o];
  const y = phi[o + 1] - rest[o + 1];
  const z = phi[o + 2] - rest[o + 2];
  out.bending += 0.5 * (stiffness[o] * x * x + stiffness[o + 1] * y * y);
  out.twisting += 0.5 * stiffness[o + 2] * z * z;
}

const GA = new Float64Array(9);
const GB = new Float64Array(9);
const CA = new Float64Array(9);
const CB = new Float64Array(9);

/**
 * Gradients at the joint for moment m (which may include a viscous part), and the Hessian blocks for its three stiffnesses at offset
 * `o`, times `viscous`.
 */
export function evaluateJoint(
  phi: Float64Array,
  o: number,
  m: Float64Array,
  stiffness: Float64Array,
  viscous: number,
  what: 'hessian' | 'gradient',
): void {
  const x = phi[o];
  const y = phi[o + 1];
  const z = phi[o + 2];
  const { a, b } = inverseSeries(x * x + y * y + z * z);
  const [mx, my, mz] = m;
  // φ×m and φ×(φ×m)
  const px = y * mz - z * my;
  const py = z * mx - x * mz;
  const pz = x * my - y * mx;
  const ppx = y * pz - z * py;
  const ppy = z * px - x * pz;
  const ppz = x * py - y * px;
  gradientA[0] = -(mx + 0.5 * px + a * ppx);
  gradientA[1] = -(my + 0.5 * py + a * ppy);
  gradientA[2] = -(mz + 0.5 * pz + a * ppz);
  gradientB[0] = mx - 0.5 * px + a * ppx;
  gradientB[1] = my - 0.5 * py + a * ppy;
  gradientB[2] = mz - 0.5 * pz + a * ppz;
  if (what === 'gradient') return;
  writeTurns([x, y, z], [mx, my, mz], [ppx, ppy, ppz], a, b);
  writeHessian(stiffness, o, viscous);
}

/** G and C of both frames, see the head of this file, from φ, m, φ×(φ×m), a and b. */
function writeTurns(v: readonly number[], mm: readonly number[], pp: readonly number[], a: number, b: number): void {
  const [x, y, z] = v;
  // G = 1 ± ½[φ] + a(φφᵀ − |φ|²1)
  const trace = 1 - a * (x * x + y * y + z * z);
  const along = mm[0] * x + mm[1] * y + mm[2] * z;
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const g = a * v[i] * v[j] + (i === j ? trace : 0);
      const n = b * v[i] * pp[j] + a * ((i === j ? along : 0) - 2 * v[i] * mm[j] + mm[i] * v[j]);
      GA[3 * i + j] = g;
      GB[3 * i + j] = g;
      CA[3 * i + j] = -n;
      CB[3 * i + j] = n;
    }
  }
  addCross(GB, v, 0.5);
  addCross(GA, v, -0.5);
  addCross(CA, mm, -0.5);
  addCross(CB, mm, -0.5);
}

/** The blocks of the Hessian from G and C. */
function writeHessian(stiffness: Float64Array, o: number, viscous: number): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      let aa = 0;
      let ab = 0;
      let bb = 0;
      for (let k = 0; k < 3; k++) {
        const s = viscous * stiffness[o + k];
        aa += s * GA[3 * k + i] * GA[3 * k + j];
        ab -= s * GA[3 * k + i] * GB[3 * k + j];
        bb += s * GB[3 * k + i] * GB[3 * k + j];
        aa -= 0.5 * (GA[3 * k + i] * CA[3 * k + j] + CA[3 * k + i] * GA[3 * k + j]);
        bb += 0.5 * (GB[3 * k + i] * CB[3 * k + j] + CB[3 * k + i] * GB[3 * k + j]);
        ab += 0.5 * (CA[3 * k + i] * GB[3 * k + j] - GA[3 * k + i] * CB[3 * k + j]);
      }
      hessianAA[3 * i + j] = aa;
      hessianAB[3 * i + j] = ab;
      hessianBB[3 * i + j] = bb;
    }
  }
}

/** matrix += scale·[v] */
function addCross(matrix: Float64Array, v: readonly number[], scale: number): void {
  matrix[1] -= scale * v[2];
  matrix[2] += scale * v[1];
  matrix[3] += scale * v[2];
  matrix[5] -= scale * v[0];
  matrix[6] -= scale * v[1];
  matrix[7] += scale * v[0];
}

/** Rate of φ for angular velocities wA and wB (material axes). */
export function writeRotationRate(
  out: Float64Array,
  phi: Float64Array,
  o: number,
  wA: ArrayLike<number>,
  i: number,
  wB: ArrayLike<number>,
  j: number,
): void {
  const x = phi[o];
  const y = phi[o + 1];
  const z = phi[o + 2];
  const { a } = inverseSeries(x * x + y * y + z * z);
  // G_B w_B − G_A w_A = (1 + a[φ]²)(w_B − w_A) + ½φ×(w_B + w_A)
  const dx = wB[j] - wA[i];
  const dy = wB[j + 1] - wA[i + 1];
  const dz = wB[j + 2] - wA[i + 2];
  const sx = 0.5 * (wB[j] + wA[i]);
  const sy = 0.5 * (wB[j + 1] + wA[i + 1]);
  const sz = 0.5 * (wB[j + 2] + wA[i + 2]);
  const ax = sx + a * (y * dz - z * dy);
  const ay = sy + a * (z * dx - x * dz);
  const az = sz + a * (x * dy - y * dx);
  out[0] = dx + y * az - z * ay;
  out[1] = dy + z * ax - x * az;
  out[2] = dz + x * ay - y * ax;
}

/**
 * A frame of which only the direction t (world) is held: E = ½k·angle(t, d3)². Writes gradient and Hessian of the edge into
 * those of B, and returns the energy. p = Rᵀt; c = p·e3, c' = (−p2, p1, 0)·δ, c'' = −p3 δ·δ + δ3 (p·δ).
 */
export function evaluateTangentJoint(
  frame: Float64Array,
  f: number,
  tangent: Float64Array,
  t: number,
  k: number,
  what: 'hessian' | 'gradient',
): number {
  const p1 = frame[f] * tangent[t] + frame[f + 1] * tangent[t + 1] + frame[f + 2] * tangent[t + 2];
  const p2 = frame[f + 3] * tangent[t] + frame[f + 4] * tangent[t + 1] + frame[f + 5] * tangent[t + 2];
  const p3 = frame[f + 6] * tangent[t] + frame[f + 7] * tangent[t + 1] + frame[f + 8] * tangent[t + 2];
  const sine = Math.sqrt(p1 * p1 + p2 * p2);
  const angle = atan2(sine, p3);
  const s2 = sine * sine;
  // d/dc and d²/dc² of ½ acos²c
  const first = sine < 1e-4 ? -(1 + s2 / 6) : -angle / sine;
  const second = sine < 1e-2 ? 1 / 3 + (2 * s2) / 15 + (8 * s2 * s2) / 105 : (1 - (angle * p3) / sine) / s2;
  gradientB[0] = -k * first * p2;
  gradientB[1] = k * first * p1;
  gradientB[2] = 0;
  if (what === 'hessian') {
    const g = [-p2, p1, 0];
    const p = [p1, p2, p3];
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        const curvature = (i === j ? -p3 : 0) + 0.5 * ((i === 2 ? p[j] : 0) + (j === 2 ? p[i] : 0));
        hessianBB[3 * i + j] = k * (second * g[i] * g[j] + first * curvature);
      }
    }
  }
  return 0.5 * k * angle * angle;
}
