/** How a sweep passes a link's terms to its parent: products with Φ and Ψ, which carry motion from the parent to the link and add that of the joint. */

import { BALL, RIGID } from './bodyLinkTypes.ts';
import { addJointSprings } from './constraints.ts';
import { writeJointTangent } from './energy.ts';
import { BLOCK, COLUMNS, type Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { invert3 } from './spatial.ts';
import { toLocal } from './terms.ts';

/** P Φ, 6 × 18; P Ψ, 6 × 3; the joint's pivot, 3 × 3. */
export const carriedRow: Float64Array = new Float64Array(BLOCK);
export const own: Float64Array = new Float64Array(18);
export const D: Float64Array = new Float64Array(9);
const tangent = new Float64Array(9);
const jointTangent = new Float64Array(9);

/** Ψ: how δφ moves the link, in addition to its parent's motion. */
export function writePsi(tree: StrandTree, sweep: Sweep, j: number): void {
  const { carried, carriedAcceleration, motion: vel, v } = tree;
  const { turn: Th, rate: W, psiV, psiA, coefficient } = sweep;
  const t = 9 * j;
  const o = 18 * j;
  const s = 6 * j;
  const w0 = v[3 + 3 * j];
  const w1 = v[4 + 3 * j];
  const w2 = v[5 + 3 * j];
  for (let c = 0; c < 3; c++) {
    const a0 = Th[t + c];
    const a1 = Th[t + 3 + c];
    const a2 = Th[t + 6 + c];
    const b0 = W[t + c];
    const b1 = W[t + 3 + c];
    const b2 = W[t + 6 + c];
    const p0 = carried[s + 1] * a2 - carried[s + 2] * a1 + b0;
    const p1 = carried[s + 2] * a0 - carried[s] * a2 + b1;
    const p2 = carried[s] * a1 - carried[s + 1] * a0 + b2;
    const p3 = carried[s + 4] * a2 - carried[s + 5] * a1;
    const p4 = carried[s + 5] * a0 - carried[s + 3] * a2;
    const p5 = carried[s + 3] * a1 - carried[s + 4] * a0;
    psiV[o + c] = p0;
    psiV[o + 3 + c] = p1;
    psiV[o + 6 + c] = p2;
    psiV[o + 9 + c] = p3;
    psiV[o + 12 + c] = p4;
    psiV[o + 15 + c] = p5;
    const e = carriedAcceleration;
    psiA[o + c] =
      e[s + 1] * a2 - e[s + 2] * a1 + coefficient * b0 - (w1 * p2 - w2 * p1) + vel[s + 1] * b2 - vel[s + 2] * b1;
    psiA[o + 3 + c] =
      e[s + 2] * a0 - e[s] * a2 + coefficient * b1 - (w2 * p0 - w0 * p2) + vel[s + 2] * b0 - vel[s] * b2;
    psiA[o + 6 + c] =
      e[s] * a1 - e[s + 1] * a0 + coefficient * b2 - (w0 * p1 - w1 * p0) + vel[s] * b1 - vel[s + 1] * b0;
    psiA[o + 9 + c] = e[s + 4] * a2 - e[s + 5] * a1 - (w1 * p5 - w2 * p4) + vel[s + 4] * b2 - vel[s + 5] * b1;
    psiA[o + 12 + c] = e[s + 5] * a0 - e[s + 3] * a2 - (w2 * p3 - w0 * p5) + vel[s + 5] * b0 - vel[s + 3] * b2;
    psiA[o + 15 + c] = e[s + 3] * a1 - e[s + 4] * a0 - (w0 * p4 - w1 * p3) + vel[s + 3] * b1 - vel[s + 4] * b0;
  }
}

/** own = P Ψ, 6 × 3. */
export function multiplyPsi(sweep: Sweep, j: number): void {
  const { P, turn: Th, psiV: V, psiA: A, columns } = sweep;
  const t = 9 * j;
  const s = 18 * j;
  for (let c = 0; c < 3; c++) {
    const t0 = Th[t + c];
    const t1 = Th[t + 3 + c];
    const t2 = Th[t + 6 + c];
    for (let r = 0; r < 6; r++) {
      const o = BLOCK * j + COLUMNS * r;
      own[3 * r + c] = P[o] * t0 + P[o + 1] * t1 + P[o + 2] * t2;
    }
    if (columns === 6) continue;
    const v0 = V[s + c];
    const v1 = V[s + 3 + c];
    const v2 = V[s + 6 + c];
    const v3 = V[s + 9 + c];
    const v4 = V[s + 12 + c];
    const v5 = V[s + 15 + c];
    const a0 = A[s + c];
    const a1 = A[s + 3 + c];
    const a2 = A[s + 6 + c];
    const a3 = A[s + 9 + c];
    const a4 = A[s + 12 + c];
    const a5 = A[s + 15 + c];
    for (let r = 0; r < 6; r++) {
      const o = BLOCK * j + COLUMNS * r;
      own[3 * r + c] +=
        P[o + 6] * v0 +
        P[o + 7] * v1 +
        P[o + 8] * v2 +
        P[o + 9] * v3 +
        P[o + 10] * v4 +
        P[o + 11] * v5 +
        P[o + 12] * a0 +
        P[o + 13] * a1 +
        P[o + 14] * a2 +
        P[o + 15] * a3 +
        P[o + 16] * a4 +
        P[o + 17] * a5;
    }
  }
}

/** carriedRow = P Φ: rows transform to the parent like forces. Skips columns ξv if they are zero. */
export function multiplyPhi(tree: StrandTree, sweep: Sweep, j: number): void {
  const { rotation, offset, v } = tree;
  const { P, columns, placeless } = sweep;
  const R = 9 * j;
  // local variables: the compiler would read these entries again after every write to another array
  const r0 = rotation[R];
  const r1 = rotation[R + 1];
  const r2 = rotation[R + 2];
  const r3 = rotation[R + 3];
  const r4 = rotation[R + 4];
  const r5 = rotation[R + 5];
  const r6 = rotation[R + 6];
  const r7 = rotation[R + 7];
  const r8 = rotation[R + 8];
  const d = offset[j];
  const w0 = v[3 + 3 * j];
  const w1 = v[4 + 3 * j];
  const w2 = v[5 + 3 * j];
  for (let r = 0; r < 6; r++) {
    const o = BLOCK * j + COLUMNS * r;
    for (let block = 0; block < columns; block += 6) {
      const at = COLUMNS * r + block;
      let a0 = P[o + block];
      let a1 = P[o + block + 1];
      let a2 = P[o + block + 2];
      if (block === 0 && placeless) {
        carriedRow[at] = r0 * a0 + r1 * a1 + r2 * a2;
        carriedRow[at + 1] = r3 * a0 + r4 * a1 + r5 * a2;
        carriedRow[at + 2] = r6 * a0 + r7 * a1 + r8 * a2;
        continue;
      }
      let b0 = P[o + block + 3];
      let b1 = P[o + block + 4];
      let b2 = P[o + block + 5];
      if (block === 6) {
        // less Pa crm(S w)
        a0 -= P[o + 13] * w2 - P[o + 14] * w1;
        a1 -= P[o + 14] * w0 - P[o + 12] * w2;
        a2 -= P[o + 12] * w1 - P[o + 13] * w0;
        b0 -= P[o + 16] * w2 - P[o + 17] * w1;
        b1 -= P[o + 17] * w0 - P[o + 15] * w2;
        b2 -= P[o + 15] * w1 - P[o + 16] * w0;
      }
      const x = r0 * b0 + r1 * b1 + r2 * b2;
      const y = r3 * b0 + r4 * b1 + r5 * b2;
      const z = r6 * b0 + r7 * b1 + r8 * b2;
      carriedRow[at] = r0 * a0 + r1 * a1 + r2 * a2 - d * y;
      carriedRow[at + 1] = r3 * a0 + r4 * a1 + r5 * a2 + d * x;
      carriedRow[at + 2] = r6 * a0 + r7 * a1 + r8 * a2;
      carriedRow[at + 3] = x;
      carriedRow[at + 4] = y;
      carriedRow[at + 5] = z;
    }
  }
}

/** True if the axes of the joint are those of the child: a joint that is straight at rest. */
function isAligned(B: Float64Array, b: number): boolean {
  return B[b] === 1 && B[b + 4] === 1 && B[b + 8] === 1;
}

/** D −= M T, 3 × 3. */
function subtractProduct(M: Float64Array, T: Float64Array, t: number): void {
  for (let r = 0; r < 9; r += 3) {
    const x = M[r];
    const y = M[r + 1];
    const z = M[r + 2];
    D[r] -= x * T[t] + y * T[t + 3] + z * T[t + 6];
    D[r + 1] -= x * T[t + 1] + y * T[t + 4] + z * T[t + 7];
    D[r + 2] -= x * T[t + 2] + y * T[t + 5] + z * T[t + 8];
  }
}

/** −∂τ/∂φ of joint j into D: springs, dashpots. */
export function subtractTorqueSlope(tree: StrandTree, sweep: Sweep, j: number): void {
  const { stiffness, damping, deformation, toJoint, law } = tree;
  if (tree.constraints && tree.constraints.spring > 0) addJointSprings(D, tree.constraints, tree, j);
  if (j === 0 && !tree.rootHeld) return;
  const lawHere = j === 0 && tree.swingOnly ? 'swing-twist' : law;
  writeJointTangent(jointTangent, lawHere, deformation, stiffness, j);
  // in the child's axes: Bᵀ (∂τ/∂θ) B
  const aligned = isAligned(toJoint, 9 * j);
  if (!aligned) toLocal(tangent, jointTangent, toJoint, 9 * j);
  const { turn: Th, rate: W, columns } = sweep;
  const t = 9 * j;
  subtractProduct(aligned ? jointTangent : tangent, Th, t);
  if ((columns === 6 && !tree.departure) || !(damping[3 * j] + damping[3 * j + 1] + damping[3 * j + 2] > 0)) return;
  if (aligned) {
    for (let r = 0; r < 3; r++) {
      const viscous = damping[3 * j + r];
      D[3 * r] += viscous * W[t + 3 * r];
      D[3 * r + 1] += viscous * W[t + 3 * r + 1];
      D[3 * r + 2] += viscous * W[t + 3 * r + 2];
    }
    return;
  }
  jointTangent.fill(0);
  for (let k = 0; k < 3; k++) jointTangent[4 * k] = -damping[3 * j + k];
  toLocal(tangent, jointTangent, toJoint, 9 * j);
  subtractProduct(tangent, W, t);
}

/** Inverts the pivot D of joint j, and adds its negative eigenvalues to the sweep's. A rigid joint does not respond. False if the pivot is singular. */
export function invertPivot(
  tree: StrandTree,
  sweep: Sweep,
  j: number,
  shift: number,
  count: (pivot: Float64Array, floor: number) => number,
): boolean {
  if (tree.lock[j] === RIGID) {
    sweep.inverse.fill(0, 9 * j, 9 * j + 9);
    return true;
  }
  sweep.negative += count(D, 1e-10 * shiftPivot(tree, j, shift));
  return invert3(sweep.inverse, 9 * j, D, 0) !== 0;
}

/** Adds `shift` times the stiffness of joint j to its pivot D; returns the largest of its stiffnesses. */
function shiftPivot({ stiffness, linkCount, lock }: StrandTree, j: number, shift: number): number {
  let scale = 0;
  for (let k = 0; k < 3; k++) {
    // if the root or a ball joint has no stiffness, use that of a neighbour
    const s = stiffness[3 * (lock[j] === BALL ? 0 : Math.max(j, Math.min(1, linkCount - 1))) + k];
    D[4 * k] += shift * s;
    scale = Math.max(scale, s);
  }
  return scale;
}
