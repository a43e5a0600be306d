/**
 * Everything that needs the whole rod at once, in linear time.
 *
 * An element is a joint with three degrees of freedom, its curvatures: it rotates and moves the rest of the rod by S δκ = (A δκ, B δκ). One sweep from
 * tip to root sums the forces on the rest (F, and Y = Σ f dᵀ, whose antisymmetric part is the moment) and its articulated inertia, and eliminates the
 * element's unknowns; a second sweep from root to tip gives the solution. This is the recursion for chains of rigid links [Featherstone2008], plus mass
 * inside elements and the change of the forces' direction (blocks `second` and W), so it is the exact Newton direction.
 *
 * The pivots D are 3×3. Their negative eigenvalues are those of the whole matrix, because elimination is a congruence. Without elimination the same
 * blocks give the dense matrix, for modes and for checks.
 */
import type { PivotRule } from '../../linalg/pivotRule.ts';
import { type Assembly, joinPointMasses } from './assembly.ts';
import { aa, addTip, clearOutboard, F, joinElement, joinInterior, ka, kk, km, ma, mm, Y } from './blocks.ts';
import type { HelixChain } from './rod.ts';

/**
 * Gradient, and factor of the second derivative + `a.diagonal`. Terms `geometric`: with the
 * forces' change of direction; `elastic`: without, and then the matrix is always positive definite.
 */
export function factorRod(h: HelixChain, a: Assembly, rule: PivotRule, terms: 'geometric' | 'elastic'): boolean {
  clearOutboard();
  a.negative = 0;
  for (let e = h.elementCount - 1; e >= 0; e--) {
    addTip(h, a, h.elementNode[e + 1]);
    joinElement(h, a, e, terms);
    if (h.hasInterior || a.hasEdgeMoment) joinInterior(h, a, e, terms);
    if (a.pointMasses) joinPointMasses(a.pointMasses, e);
    for (let k = 0; k < 3; k++) kk[4 * k] += a.diagonal[3 * e + k];
    if (!eliminate(a, e) && rule === 'stop-at-negative') return false;
  }
  addTip(h, a, 0);
  a.rootGradient.set(F);
  a.rootMoment.set(Y);
  return a.negative === 0;
}

/** LDLᵀ of the pivot kk; its unknowns are taken out of the inertia. */
function eliminate(a: Assembly, e: number): boolean {
  const { pivot, coupling } = a;
  const p = 6 * e;
  const d0 = kk[0];
  const i0 = 1 / d0;
  const l1 = kk[3] * i0;
  const l2 = kk[6] * i0;
  const d1 = kk[4] - l1 * kk[3];
  const i1 = 1 / d1;
  const s = kk[7] - l2 * kk[3];
  const l3 = s * i1;
  const d2 = kk[8] - l2 * kk[6] - l3 * s;
  const i2 = 1 / d2;
  pivot[p] = l1;
  pivot[p + 1] = l2;
  pivot[p + 2] = l3;
  pivot[p + 3] = i0;
  pivot[p + 4] = i1;
  pivot[p + 5] = i2;
  const negative = (d0 > 0 ? 0 : 1) + (d1 > 0 ? 0 : 1) + (d2 > 0 ? 0 : 1);
  a.negative += negative;
  const c = 18 * e;
  for (let k = 0; k < 3; k++) {
    const x = ka[k];
    const y = ka[3 + k] - l1 * x;
    coupling[c + k] = x;
    coupling[c + 6 + k] = y;
    coupling[c + 12 + k] = ka[6 + k] - l2 * x - l3 * y;
    const u = km[k];
    const v = km[3 + k] - l1 * u;
    coupling[c + 3 + k] = u;
    coupling[c + 9 + k] = v;
    coupling[c + 15 + k] = km[6 + k] - l2 * u - l3 * v;
  }
  for (let r = 0; r < 3; r++) {
    const ax = coupling[c + r] * i0;
    const ay = coupling[c + 6 + r] * i1;
    const az = coupling[c + 12 + r] * i2;
    const mx = coupling[c + 3 + r] * i0;
    const my = coupling[c + 9 + r] * i1;
    const mz = coupling[c + 15 + r] * i2;
    for (let k = 0; k < 3; k++) {
      const x = coupling[c + k];
      const y = coupling[c + 6 + k];
      const z = coupling[c + 12 + k];
      aa[3 * r + k] -= ax * x + ay * y + az * z;
      ma[3 * r + k] -= mx * x + my * y + mz * z;
      mm[3 * r + k] -= mx * coupling[c + 3 + k] + my * coupling[c + 9 + k] + mz * coupling[c + 15 + k];
    }
  }
  return negative === 0;
}

const outboard = new Float64Array(6);

/** Solves with the factor, in place: x is the right-hand side, then the solution. */
export function solveRod(h: HelixChain, a: Assembly, x: Float64Array): void {
  const { pivot, coupling } = a;
  const { elementCount, jacobianAngular: A, jacobianLinear: B, position } = h;
  const p = outboard.fill(0);
  for (let e = elementCount - 1; e >= 0; e--) {
    const at = 9 * e;
    const o = 3 * e;
    const f = 6 * e;
    const c = 18 * e;
    const z0 = x[o] - column(A, B, at, p);
    const z1 = x[o + 1] - column(A, B, at + 1, p) - pivot[f] * z0;
    const z2 = x[o + 2] - column(A, B, at + 2, p) - pivot[f + 1] * z0 - pivot[f + 2] * z1;
    x[o] = z0;
    x[o + 1] = z1;
    x[o + 2] = z2;
    const dx = position[o + 3] - position[o];
    const dy = position[o + 4] - position[o + 1];
    const dz = position[o + 5] - position[o + 2];
    // Xᵀ p: the moment about the near end
    p[0] += dy * p[5] - dz * p[4];
    p[1] += dz * p[3] - dx * p[5];
    p[2] += dx * p[4] - dy * p[3];
    const y0 = z0 * pivot[f + 3];
    const y1 = z1 * pivot[f + 4];
    const y2 = z2 * pivot[f + 5];
    for (let k = 0; k < 6; k++) p[k] += coupling[c + k] * y0 + coupling[c + 6 + k] * y1 + coupling[c + 12 + k] * y2;
  }
  p.fill(0);
  for (let e = 0; e < elementCount; e++) {
    const at = 9 * e;
    const o = 3 * e;
    const f = 6 * e;
    const c = 18 * e;
    let z0 = x[o];
    let z1 = x[o + 1];
    let z2 = x[o + 2];
    for (let k = 0; k < 6; k++) {
      z0 -= coupling[c + k] * p[k];
      z1 -= coupling[c + 6 + k] * p[k];
      z2 -= coupling[c + 12 + k] * p[k];
    }
    z2 *= pivot[f + 5];
    z1 = z1 * pivot[f + 4] - pivot[f + 2] * z2;
    z0 = z0 * pivot[f + 3] - pivot[f] * z1 - pivot[f + 1] * z2;
    x[o] = z0;
    x[o + 1] = z1;
    x[o + 2] = z2;
    const dx = position[o + 3] - position[o];
    const dy = position[o + 4] - position[o + 1];
    const dz = position[o + 5] - position[o + 2];
    // the motion of the far end: ω, v + ω × d, and what the element adds
    p[3] += p[1] * dz - p[2] * dy;
    p[4] += p[2] * dx - p[0] * dz;
    p[5] += p[0] * dy - p[1] * dx;
    for (let k = 0; k < 3; k++) {
      p[k] += A[at + 3 * k] * z0 + A[at + 3 * k + 1] * z1 + A[at + 3 * k + 2] * z2;
      p[3 + k] += B[at + 3 * k] * z0 + B[at + 3 * k + 1] * z1 + B[at + 3 * k + 2] * z2;
    }
  }
}

/** One entry of Sᵀ p; `at` is the column's first element. */
function column(A: Float64Array, B: Float64Array, at: number, p: Float64Array): number {
  return A[at] * p[0] + A[at + 3] * p[1] + A[at + 6] * p[2] + B[at] * p[3] + B[at + 3] * p[4] + B[at + 6] * p[5];
}

/** Gradient, and the second derivative + `a.diagonal` as a dense symmetric matrix (row by row). O(N²). */
export function writeDense(matrix: Float64Array, h: HelixChain, a: Assembly, terms: 'geometric' | 'elastic'): void {
  const { elementCount, jacobianAngular: A, jacobianLinear: B, position } = h;
  const n = 3 * elementCount;
  const blocks = new Float64Array(18 * elementCount);
  clearOutboard();
  matrix.fill(0);
  for (let e = elementCount - 1; e >= 0; e--) {
    addTip(h, a, h.elementNode[e + 1]);
    joinElement(h, a, e, terms);
    if (h.hasInterior || a.hasEdgeMoment) joinInterior(h, a, e, terms);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        matrix[(3 * e + r) * n + 3 * e + c] = kk[3 * r + c];
        blocks[18 * e + 6 * r + c] = ka[3 * r + c];
        blocks[18 * e + 6 * r + 3 + c] = km[3 * r + c];
      }
      matrix[(3 * e + r) * (n + 1)] += a.diagonal[3 * e + r];
    }
  }
  const motion = new Float64Array(6);
  for (let d = 0; d < n; d++) {
    const from = Math.floor(d / 3);
    for (let k = 0; k < 3; k++) {
      motion[k] = A[9 * from + 3 * k + (d % 3)];
      motion[3 + k] = B[9 * from + 3 * k + (d % 3)];
    }
    for (let e = from + 1; e < elementCount; e++) {
      for (let r = 0; r < 3; r++) {
        let sum = 0;
        for (let k = 0; k < 6; k++) sum += blocks[18 * e + 6 * r + k] * motion[k];
        matrix[(3 * e + r) * n + d] = sum;
        matrix[d * n + 3 * e + r] = sum;
      }
      const dx = position[3 * e + 3] - position[3 * e];
      const dy = position[3 * e + 4] - position[3 * e + 1];
      const dz = position[3 * e + 5] - position[3 * e + 2];
      motion[3] += motion[1] * dz - motion[2] * dy;
      motion[4] += motion[2] * dx - motion[0] * dz;
      motion[5] += motion[0] * dy - motion[1] * dx;
    }
  }
}
