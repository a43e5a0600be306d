/**
 * Springs and shear elements between a start and an end of a step: mean forces, and how they change with the end.
 *
 * A spring that goes from length l0 to l1 pulls with t = k((l0 + l1)/2 − L) along u = (d0 + d1)/(l0 + l1). Then t(l1 − l0) is the
 * change of its energy and u·(d1 − d0) = l1 − l0, so what it does to the particles is exactly what it stores: energy, momentum
 * and angular momentum are kept to rounding (a discrete gradient [Gonzalez1996]). Lengths are taken at the ends of the step, so a rotation makes no strain.
 *
 *     ∂(t u)/∂d1 = (k/2 − τ/S) u eᵀ + (τ/S) 1,     S = l0 + l1, e = d1/l1, τ = t
 *
 * is not symmetric, and its symmetric part needs ten times the iterations. With τ predicted linearly instead of the tension of
 * the iterate (a mixed Newton method, tension as an unknown), iterations do not depend on k.
 *
 * With the same positions at both ends this is the ordinary force, and the matrix is half its Hessian: the only kernel there
 * is, for statics, modes and all integrators.
 */
import type { BlockTridiagonal } from '../../linalg/blockTridiagonal.ts';
import { type FiberRod, RING_FROM, RING_TO } from './network.ts';

/**
 * Tension in the matrix: `given` (predicted, in `tau`) or `exact` (of the iterate); `pulling`, `exact-pulling`: the same where
 * it pulls, and 0 where it pushes, which makes the matrix positive semidefinite.
 */
export type TensionMode = 'given' | 'exact' | 'pulling' | 'exact-pulling';

export interface Elements {
  /** Tension [N] of the iterate, and the one that the matrix uses: longitudinal 4 a cuboid, shear 4 a cuboid, rings 6 a ring. */
  readonly tension: Float64Array;
  readonly tau: Float64Array;
  /** Direction at the end of the step, 3 each; of a shear element p, q: 6. */
  readonly direction: Float64Array;
  /** Lengths at the end of the step [m]; shear elements have two. */
  readonly length: Float64Array;
  /** Viscous share χ of a cuboid and of a ring: t gets χ k (l1 − l0)/2 more. */
  readonly edgeChi: Float64Array;
  readonly ringChi: Float64Array;
  readonly shearAt: number;
  readonly ringAt: number;
}

export function createElements(fiber: FiberRod): Elements {
  const { edgeCount, ringCount } = fiber;
  const count = 8 * edgeCount + 6 * ringCount;
  return {
    tension: new Float64Array(count),
    tau: new Float64Array(count),
    direction: new Float64Array(3 * 4 * edgeCount + 6 * 4 * edgeCount + 3 * 6 * ringCount),
    length: new Float64Array(12 * edgeCount + 6 * ringCount),
    edgeChi: new Float64Array(edgeCount),
    ringChi: new Float64Array(ringCount),
    shearAt: 4 * edgeCount,
    ringAt: 8 * edgeCount,
  };
}

/** a[o…] += f·(u eᵀ) + g·1, a 3 × 3 block in a row-major 12 × 12 one. */
function addPart(
  a: Float64Array,
  o: number,
  f: number,
  ux: number,
  uy: number,
  uz: number,
  ex: number,
  ey: number,
  ez: number,
  g: number,
): void {
  const fx = f * ux;
  const fy = f * uy;
  const fz = f * uz;
  a[o] += fx * ex + g;
  a[o + 1] += fx * ey;
  a[o + 2] += fx * ez;
  a[o + 12] += fy * ex;
  a[o + 13] += fy * ey + g;
  a[o + 14] += fy * ez;
  a[o + 24] += fz * ex;
  a[o + 25] += fz * ey;
  a[o + 26] += fz * ez + g;
}

/** Force and matrix of one spring; returns false where it has no length. `n`: its number; the blocks: ii, ij, ji, jj. */
function addSpring(
  elements: Elements,
  n: number,
  at: number,
  lengthAt: number,
  force: Float64Array,
  matrix: BlockTridiagonal | undefined,
  x0: Float64Array,
  y: Float64Array,
  i: number,
  j: number,
  k: number,
  rest: number,
  chi: number,
  mode: TensionMode,
  ii: number,
  jj: number,
  within: boolean,
  ij: number,
  ji: number,
): boolean {
  const ax = x0[j] - x0[i];
  const ay = x0[j + 1] - x0[i + 1];
  const az = x0[j + 2] - x0[i + 2];
  const bx = y[j] - y[i];
  const by = y[j + 1] - y[i + 1];
  const bz = y[j + 2] - y[i + 2];
  const l0 = Math.sqrt(ax * ax + ay * ay + az * az);
  const l1 = Math.sqrt(bx * bx + by * by + bz * bz);
  if (!(l1 > 0)) return false;
  const sum = l0 + l1;
  const ux = (ax + bx) / sum;
  const uy = (ay + by) / sum;
  const uz = (az + bz) / sum;
  const t = k * (0.5 * sum - rest) + 0.5 * chi * k * (l1 - l0);
  force[i] += t * ux;
  force[i + 1] += t * uy;
  force[i + 2] += t * uz;
  force[j] -= t * ux;
  force[j + 1] -= t * uy;
  force[j + 2] -= t * uz;
  elements.tension[n] = t;
  const ex = bx / l1;
  const ey = by / l1;
  const ez = bz / l1;
  elements.direction[at] = ex;
  elements.direction[at + 1] = ey;
  elements.direction[at + 2] = ez;
  elements.length[lengthAt] = l1;
  if (!matrix) return true;
  let tau = mode === 'given' || mode === 'pulling' ? elements.tau[n] : t;
  if (tau < 0 && (mode === 'pulling' || mode === 'exact-pulling')) tau = 0;
  const g = tau / sum;
  const f = 0.5 * k * (1 + chi) - g;
  const { diagonal } = matrix;
  addPart(diagonal, ii, f, ux, uy, uz, ex, ey, ez, g);
  addPart(diagonal, jj, f, ux, uy, uz, ex, ey, ez, g);
  addPart(within ? diagonal : matrix.upper, ij, -f, ux, uy, uz, ex, ey, ez, -g);
  addPart(within ? diagonal : matrix.lower, ji, -f, ux, uy, uz, ex, ey, ez, -g);
  return true;
}

/**
 * Adds the mean elastic force over a step from x0 to y to `force`, and −∂force/∂y to the matrix. False where a spring has no
 * length or a position is no number.
 */
export function addElements(
  fiber: FiberRod,
  elements: Elements,
  force: Float64Array,
  matrix: BlockTridiagonal | undefined,
  x0: Float64Array,
  y: Float64Array,
  mode: TensionMode,
): boolean {
  const { edgeCount, ringCount, longRest, longStiffness, ringStiffness, width1, width2 } = fiber;
  const { edgeChi, ringChi, ringAt } = elements;
  const diagonalRest = Math.sqrt(width1 * width1 + width2 * width2);
  let ok = true;
  for (let b = 0; b < edgeCount; b++) {
    const k = longStiffness[b];
    for (let c = 0; c < 4; c++) {
      const i = 12 * b + 3 * c;
      const n = 4 * b + c;
      const own = 144 * b + 39 * c;
      const ok1 = addSpring(
        elements,
        n,
        3 * n,
        n,
        force,
        matrix,
        x0,
        y,
        i,
        i + 12,
        k,
        longRest[n],
        edgeChi[b],
        mode,
        own,
        own + 144,
        false,
        own,
        own,
      );
      const ok2 = addShear(fiber, elements, force, matrix, x0, y, b, c, mode);
      ok = ok && ok1 && ok2;
    }
  }
  const ringDirection = 36 * edgeCount;
  for (let r = 0; r < ringCount; r++) {
    const k = ringStiffness[r];
    for (let m = 0; m < 6; m++) {
      const from = RING_FROM[m];
      const to = RING_TO[m];
      const n = ringAt + 6 * r + m;
      const rest = m > 3 ? diagonalRest : (m & 1) === 0 ? width1 : width2;
      const base = 144 * r;
      const whole = addSpring(
        elements,
        n,
        ringDirection + 18 * r + 3 * m,
        12 * edgeCount + 6 * r + m,
        force,
        matrix,
        x0,
        y,
        12 * r + 3 * from,
        12 * r + 3 * to,
        k,
        rest,
        ringChi[r],
        mode,
        base + 39 * from,
        base + 39 * to,
        true,
        base + 36 * from + 3 * to,
        base + 36 * to + 3 * from,
      );
      ok = ok && whole;
    }
  }
  return ok;
}

/** The shear element on face c of cuboid b: diagonals p (c → c + 1) and q (c + 1 → c). */
function addShear(
  fiber: FiberRod,
  elements: Elements,
  force: Float64Array,
  matrix: BlockTridiagonal | undefined,
  x0: Float64Array,
  y: Float64Array,
  b: number,
  c: number,
  mode: TensionMode,
): boolean {
  const d = (c + 1) & 3;
  const n = 4 * b + c;
  const k = fiber.shearStiffness[2 * b + (c & 1)];
  const chi = elements.edgeChi[b];
  // i → j is p, m → o is q
  const i = 12 * b + 3 * c;
  const j = 12 * b + 12 + 3 * d;
  const m = 12 * b + 3 * d;
  const o = 12 * b + 12 + 3 * c;
  const p0x = x0[j] - x0[i];
  const p0y = x0[j + 1] - x0[i + 1];
  const p0z = x0[j + 2] - x0[i + 2];
  const q0x = x0[o] - x0[m];
  const q0y = x0[o + 1] - x0[m + 1];
  const q0z = x0[o + 2] - x0[m + 2];
  const p1x = y[j] - y[i];
  const p1y = y[j + 1] - y[i + 1];
  const p1z = y[j + 2] - y[i + 2];
  const q1x = y[o] - y[m];
  const q1y = y[o + 1] - y[m + 1];
  const q1z = y[o + 2] - y[m + 2];
  const lp0 = Math.sqrt(p0x * p0x + p0y * p0y + p0z * p0z);
  const lq0 = Math.sqrt(q0x * q0x + q0y * q0y + q0z * q0z);
  const lp1 = Math.sqrt(p1x * p1x + p1y * p1y + p1z * p1z);
  const lq1 = Math.sqrt(q1x * q1x + q1y * q1y + q1z * q1z);
  if (!(lp1 > 0) || !(lq1 > 0)) return false;
  const sp = lp0 + lp1;
  const sq = lq0 + lq1;
  const ux = (p0x + p1x) / sp;
  const uy = (p0y + p1y) / sp;
  const uz = (p0z + p1z) / sp;
  const wx = (q0x + q1x) / sq;
  const wy = (q0y + q1y) / sq;
  const wz = (q0z + q1z) / sq;
  const t = k * (0.5 * (sp - sq) - fiber.shearRest[n]) + 0.5 * chi * k * (lp1 - lq1 - lp0 + lq0);
  force[i] += t * ux;
  force[i + 1] += t * uy;
  force[i + 2] += t * uz;
  force[j] -= t * ux;
  force[j + 1] -= t * uy;
  force[j + 2] -= t * uz;
  force[m] -= t * wx;
  force[m + 1] -= t * wy;
  force[m + 2] -= t * wz;
  force[o] += t * wx;
  force[o + 1] += t * wy;
  force[o + 2] += t * wz;
  const { tension, tau, direction, length, shearAt } = elements;
  tension[shearAt + n] = t;
  const at = 12 * fiber.edgeCount + 6 * n;
  const ex = p1x / lp1;
  const ey = p1y / lp1;
  const ez = p1z / lp1;
  const gx = q1x / lq1;
  const gy = q1y / lq1;
  const gz = q1z / lq1;
  direction[at] = ex;
  direction[at + 1] = ey;
  direction[at + 2] = ez;
  direction[at + 3] = gx;
  direction[at + 4] = gy;
  direction[at + 5] = gz;
  length[4 * fiber.edgeCount + 2 * n] = lp1;
  length[4 * fiber.edgeCount + 2 * n + 1] = lq1;
  if (!matrix) return true;
  let tp = mode === 'given' || mode === 'pulling' ? tau[shearAt + n] : t;
  let tq = -tp;
  if (mode === 'pulling' || mode === 'exact-pulling') {
    tp = tp > 0 ? tp : 0;
    tq = tq > 0 ? tq : 0;
  }
  const half = 0.5 * k * (1 + chi);
  const a = tp / sp;
  const e = tq / sq;
  const fp = half - a;
  const fq = half - e;
  const { diagonal, upper, lower } = matrix;
  const base = 144 * b;
  const next = base + 144;
  const oc = 3 * c;
  const od = 3 * d;
  // p on its ends
  addPart(diagonal, base + 39 * c, fp, ux, uy, uz, ex, ey, ez, a);
  addPart(diagonal, next + 39 * d, fp, ux, uy, uz, ex, ey, ez, a);
  addPart(upper, base + 36 * c + od, -fp, ux, uy, uz, ex, ey, ez, -a);
  addPart(lower, base + 36 * d + oc, -fp, ux, uy, uz, ex, ey, ez, -a);
  // q on its ends
  addPart(diagonal, base + 39 * d, fq, wx, wy, wz, gx, gy, gz, e);
  addPart(diagonal, next + 39 * c, fq, wx, wy, wz, gx, gy, gz, e);
  addPart(upper, base + 36 * d + oc, -fq, wx, wy, wz, gx, gy, gz, -e);
  addPart(lower, base + 36 * c + od, -fq, wx, wy, wz, gx, gy, gz, -e);
  // p feels q and q feels p
  addPart(diagonal, base + 36 * c + od, -half, ux, uy, uz, gx, gy, gz, 0);
  addPart(upper, base + 36 * c + oc, half, ux, uy, uz, gx, gy, gz, 0);
  addPart(lower, base + 36 * d + od, half, ux, uy, uz, gx, gy, gz, 0);
  addPart(diagonal, next + 36 * d + oc, -half, ux, uy, uz, gx, gy, gz, 0);
  addPart(diagonal, base + 36 * d + oc, -half, wx, wy, wz, ex, ey, ez, 0);
  addPart(upper, base + 36 * d + od, half, wx, wy, wz, ex, ey, ez, 0);
  addPart(lower, base + 36 * c + oc, half, wx, wy, wz, ex, ey, ez, 0);
  addPart(diagonal, next + 36 * c + od, -half, wx, wy, wz, ex, ey, ez, 0);
  return true;
}

/** Largest turn [rad] of a longitudinal spring or ring edge that the displacement dx would make. */
export function largestTurn(fiber: FiberRod, elements: Elements, dx: Float64Array): number {
  const { edgeCount, ringCount } = fiber;
  let largest = 0;
  for (let b = 0; b < edgeCount; b++) {
    for (let c = 0; c < 4; c++) {
      const i = 12 * b + 3 * c;
      const x = dx[i + 12] - dx[i];
      const y = dx[i + 13] - dx[i + 1];
      const z = dx[i + 14] - dx[i + 2];
      const l = elements.length[4 * b + c];
      largest = Math.max(largest, (x * x + y * y + z * z) / (l * l));
    }
  }
  for (let r = 0; r < ringCount; r++) {
    for (let m = 0; m < 4; m++) {
      const i = 12 * r + 3 * RING_FROM[m];
      const j = 12 * r + 3 * RING_TO[m];
      const l = elements.length[12 * edgeCount + 6 * r + m];
      const x = dx[j] - dx[i];
      const y = dx[j + 1] - dx[i + 1];
      const z = dx[j + 2] - dx[i + 2];
      largest = Math.max(largest, (x * x + y * y + z * z) / (l * l));
    }
  }
  return Math.sqrt(largest);
}

/** τ moves by the share s towards the tension that a displacement dx would bring; `share` of k(1 + χ) acts: ½ in a step, 1 in statics. */
export function predictTension(
  fiber: FiberRod,
  { tension, tau, direction, edgeChi, ringChi, shearAt, ringAt }: Elements,
  dx: Float64Array,
  s: number,
  share: number,
): void {
  const { edgeCount, ringCount, longStiffness, shearStiffness, ringStiffness } = fiber;
  const stretch = (at: number, i: number, j: number): number =>
    direction[at] * (dx[j] - dx[i]) +
    direction[at + 1] * (dx[j + 1] - dx[i + 1]) +
    direction[at + 2] * (dx[j + 2] - dx[i + 2]);
  for (let b = 0; b < edgeCount; b++) {
    const viscous = share * (1 + edgeChi[b]);
    for (let c = 0; c < 4; c++) {
      const n = 4 * b + c;
      const i = 12 * b + 3 * c;
      const m = 12 * b + 3 * ((c + 1) & 3);
      tau[n] += s * (tension[n] + viscous * longStiffness[b] * stretch(3 * n, i, i + 12) - tau[n]);
      const at = 12 * edgeCount + 6 * n;
      const change = stretch(at, i, m + 12) - stretch(at + 3, m, i + 12);
      const k = viscous * shearStiffness[2 * b + (c & 1)];
      tau[shearAt + n] += s * (tension[shearAt + n] + k * change - tau[shearAt + n]);
    }
  }
  for (let r = 0; r < ringCount; r++) {
    const k = share * (1 + ringChi[r]) * ringStiffness[r];
    for (let m = 0; m < 6; m++) {
      const n = ringAt + 6 * r + m;
      const at = 36 * edgeCount + 18 * r + 3 * m;
      tau[n] += s * (tension[n] + k * stretch(at, 12 * r + 3 * RING_FROM[m], 12 * r + 3 * RING_TO[m]) - tau[n]);
    }
  }
}
