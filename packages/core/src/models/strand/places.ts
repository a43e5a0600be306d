/**
 * The elimination of newton.ts for forces that depend on positions alone, as in steps with contact: six columns, stored contiguously, with loops written
 * out. When long hair strikes a head, eliminations and solves with all columns took a third of the time.
 */

import type { Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { invert3, turnBack } from './spatial.ts';
import { expandSymmetric, toLocal } from './terms.ts';
import { D, invertPivot, subtractTorqueSlope } from './transfer.ts';

/** 6 × 6 per link. */
const PLACES = 36;
/** Stride of a link's six numbers in z, as in the elimination with all columns. */
const STRIDE = 18;

const f = new Float64Array(3);
const m = new Float64Array(3);
const load = new Float64Array(3);
const drag = new Float64Array(9);
const local = new Float64Array(9);

/** How the force of a single link changes with its place, about its joint. */
function writeOwnPlaces(tree: StrandTree, P: Float64Array, j: number): void {
  const { world, tipForce, pull, linkTorque, tipDrag, length, inertia, spinDamping, tipMass, tipSpring } = tree;
  const { departure: at, pointMasses } = tree;
  if (!at) return;
  const { h, slope, force, torque } = at;
  const o = PLACES * j;
  const l = length[j];
  for (let k = 0; k < 3; k++) load[k] = tipForce[3 * j + k] + pull[3 * j + k];
  turnBack(f, 0, world, 9 * j, load, 0);
  turnBack(m, 0, world, 9 * j, linkTorque, 3 * j);
  for (let k = 0; k < 3; k++) {
    f[k] -= force[3 * j + k];
    m[k] += torque[3 * j + k];
  }
  const d = 6 * j;
  const dragged = tipDrag[d] !== 0 || tipDrag[d + 3] !== 0 || tipDrag[d + 5] !== 0;
  const even = dragged && isEven(tipDrag, d);
  const s = tipSpring[j] + tipMass[j] / (h * h) + (even ? tipDrag[d] / h : 0);
  const polar = inertia[36 * j + 14] / (h * h) + spinDamping[j] / h;
  const t = f[2] + s * l;
  const f0 = f[0];
  const f1 = f[1];
  const m0 = m[0];
  const m1 = m[1];
  const m2 = m[2];
  // rows of the torque: r × those of the force, and −[m]
  P[o] = l * t;
  P[o + 1] = m2;
  P[o + 2] = -l * f0 - m1;
  P[o + 4] = -l * s;
  P[o + 6] = -m2;
  P[o + 7] = l * t;
  P[o + 8] = -l * f1 + m0;
  P[o + 9] = l * s;
  P[o + 12] = m1 + polar * slope[2 * j];
  P[o + 13] = -m0 + polar * slope[2 * j + 1];
  P[o + 14] = polar;
  // rows of the force: −[f] − s[r], and s
  P[o + 19] = t;
  P[o + 20] = -f1;
  P[o + 21] = s;
  P[o + 24] = -t;
  P[o + 26] = f0;
  P[o + 28] = s;
  P[o + 30] = f1;
  P[o + 31] = -f0;
  P[o + 35] = s;
  if (dragged && !even) addDrag(P, o, tree, j, l, h);
  if (pointMasses) for (let k = 0; k < PLACES; k++) P[o + k] += pointMasses[36 * j + k];
}

/** True if drag is the same in all directions, as that of mass damping. */
function isEven(a: Float64Array, i: number): boolean {
  return a[i + 1] === 0 && a[i + 2] === 0 && a[i + 4] === 0 && a[i] === a[i + 3] && a[i] === a[i + 5];
}

/** Drag on the tip's mean velocity. */
function addDrag(P: Float64Array, o: number, { tipDrag, world }: StrandTree, j: number, l: number, h: number): void {
  expandSymmetric(drag, tipDrag, 6 * j);
  toLocal(local, drag, world, 9 * j);
  for (let r = 0; r < 3; r++) {
    const a = local[3 * r] / h;
    const b = local[3 * r + 1] / h;
    const c = local[3 * r + 2] / h;
    const to = o + 18 + 6 * r;
    P[to] -= l * b;
    P[to + 1] += l * a;
    P[to + 3] += a;
    P[to + 4] += b;
    P[to + 5] += c;
    if (r === 2) continue;
    // the moment about the joint
    const turned = r === 0 ? o + 6 : o;
    const arm = r === 0 ? l : -l;
    P[turned] -= arm * l * b;
    P[turned + 1] += arm * l * a;
    P[turned + 3] += arm * a;
    P[turned + 4] += arm * b;
    P[turned + 5] += arm * c;
  }
}

/** P Th, 6 × 3; P X, 6 × 6. */
const turned = new Float64Array(18);
const carried = new Float64Array(PLACES);

/** Products of a link's own block with the motion of its joint and with that of its parent. */
function multiplyBlock(P: Float64Array, o: number, Th: Float64Array, t: number, R: Float64Array, d: number): void {
  const t0 = Th[t];
  const t1 = Th[t + 1];
  const t2 = Th[t + 2];
  const t3 = Th[t + 3];
  const t4 = Th[t + 4];
  const t5 = Th[t + 5];
  const t6 = Th[t + 6];
  const t7 = Th[t + 7];
  const t8 = Th[t + 8];
  const r0 = R[t];
  const r1 = R[t + 1];
  const r2 = R[t + 2];
  const r3 = R[t + 3];
  const r4 = R[t + 4];
  const r5 = R[t + 5];
  const r6 = R[t + 6];
  const r7 = R[t + 7];
  const r8 = R[t + 8];
  for (let r = 0; r < 6; r++) {
    const at = o + 6 * r;
    const a0 = P[at];
    const a1 = P[at + 1];
    const a2 = P[at + 2];
    const b0 = P[at + 3];
    const b1 = P[at + 4];
    const b2 = P[at + 5];
    turned[3 * r] = a0 * t0 + a1 * t3 + a2 * t6;
    turned[3 * r + 1] = a0 * t1 + a1 * t4 + a2 * t7;
    turned[3 * r + 2] = a0 * t2 + a1 * t5 + a2 * t8;
    const x = r0 * b0 + r1 * b1 + r2 * b2;
    const y = r3 * b0 + r4 * b1 + r5 * b2;
    const to = 6 * r;
    carried[to] = r0 * a0 + r1 * a1 + r2 * a2 - d * y;
    carried[to + 1] = r3 * a0 + r4 * a1 + r5 * a2 + d * x;
    carried[to + 2] = r6 * a0 + r7 * a1 + r8 * a2;
    carried[to + 3] = x;
    carried[to + 4] = y;
    carried[to + 5] = r6 * b0 + r7 * b1 + r8 * b2;
  }
}

/** G = −(inverse pivot)(P X), and Xᵀ(P X + F G) to the parent. */
function passOn(
  P: Float64Array,
  up: number,
  G: Float64Array,
  F: Float64Array,
  inverse: Float64Array,
  R: Float64Array,
  j: number,
  d: number,
): void {
  const v = 9 * j;
  const g = 18 * j;
  const r0 = R[v];
  const r1 = R[v + 1];
  const r2 = R[v + 2];
  const r3 = R[v + 3];
  const r4 = R[v + 4];
  const r5 = R[v + 5];
  const r6 = R[v + 6];
  const r7 = R[v + 7];
  const r8 = R[v + 8];
  for (let c = 0; c < 6; c++) {
    const w0 = carried[c];
    const w1 = carried[6 + c];
    const w2 = carried[12 + c];
    const x = -(inverse[v] * w0 + inverse[v + 1] * w1 + inverse[v + 2] * w2);
    const y = -(inverse[v + 3] * w0 + inverse[v + 4] * w1 + inverse[v + 5] * w2);
    const z = -(inverse[v + 6] * w0 + inverse[v + 7] * w1 + inverse[v + 8] * w2);
    G[g + c] = x;
    G[g + 6 + c] = y;
    G[g + 12 + c] = z;
    const n0 = w0 + F[g] * x + F[g + 1] * y + F[g + 2] * z;
    const n1 = w1 + F[g + 3] * x + F[g + 4] * y + F[g + 5] * z;
    const n2 = w2 + F[g + 6] * x + F[g + 7] * y + F[g + 8] * z;
    const f0 = carried[18 + c] + F[g + 9] * x + F[g + 10] * y + F[g + 11] * z;
    const f1 = carried[24 + c] + F[g + 12] * x + F[g + 13] * y + F[g + 14] * z;
    const f2 = carried[30 + c] + F[g + 15] * x + F[g + 16] * y + F[g + 17] * z;
    const fx = r0 * f0 + r1 * f1 + r2 * f2;
    const fy = r3 * f0 + r4 * f1 + r5 * f2;
    P[up + c] += r0 * n0 + r1 * n1 + r2 * n2 - d * fy;
    P[up + 6 + c] += r3 * n0 + r4 * n1 + r5 * n2 + d * fx;
    P[up + 12 + c] += r6 * n0 + r7 * n1 + r8 * n2;
    P[up + 18 + c] += fx;
    P[up + 24 + c] += fy;
    P[up + 30 + c] += r6 * f0 + r7 * f1 + r8 * f2;
  }
}

/** F = P Th − [[n]; [f]] Th: the force turns with the joint on its way to the parent. */
function writeForceTurn(F: Float64Array, j: number, force: Float64Array, Th: Float64Array): void {
  const t = 9 * j;
  const s = 6 * j;
  const o = 18 * j;
  for (let c = 0; c < 3; c++) {
    const a0 = Th[t + c];
    const a1 = Th[t + 3 + c];
    const a2 = Th[t + 6 + c];
    F[o + c] = turned[c] - force[s + 1] * a2 + force[s + 2] * a1;
    F[o + 3 + c] = turned[3 + c] - force[s + 2] * a0 + force[s] * a2;
    F[o + 6 + c] = turned[6 + c] - force[s] * a1 + force[s + 1] * a0;
    F[o + 9 + c] = turned[9 + c] - force[s + 4] * a2 + force[s + 5] * a1;
    F[o + 12 + c] = turned[12 + c] - force[s + 5] * a0 + force[s + 3] * a2;
    F[o + 15 + c] = turned[15 + c] - force[s + 3] * a1 + force[s + 4] * a0;
  }
}

/** As `factorSweep`. `count`: negative eigenvalues of a pivot. */
export function factorPlaces(
  tree: StrandTree,
  sweep: Sweep,
  shift: number,
  count: (pivot: Float64Array, floor: number) => number,
): boolean {
  const { linkCount, parent, force, rotation, offset } = tree;
  const { P, G, F, inverse, turn: Th } = sweep;
  P.fill(0, 0, PLACES * (linkCount + 1));
  for (let j = 0; j < linkCount; j++) writeOwnPlaces(tree, P, j);
  sweep.negative = 0;
  sweep.drift = 0;
  for (let j = linkCount - 1; j >= 0; j--) {
    multiplyBlock(P, PLACES * j, Th, 9 * j, rotation, offset[j]);
    for (let k = 0; k < 9; k++) D[k] = turned[k];
    subtractTorqueSlope(tree, sweep, j);
    if (!invertPivot(tree, sweep, j, shift, count)) return false;
    writeForceTurn(F, j, force, Th);
    passOn(P, PLACES * (parent[j] < 0 ? linkCount : parent[j]), G, F, inverse, rotation, j, offset[j]);
  }
  return factorBase(tree, sweep);
}

const block = new Float64Array(9);
const axes = new Float64Array(9);
const baseMatrix = new Float64Array(9);

/** Factors the equations of a free base. */
function factorBase({ linkCount, base }: StrandTree, { P, coefficient: c, baseInverse }: Sweep): boolean {
  baseInverse.fill(0);
  if (!base.free[0] && !base.free[1] && !base.free[2]) return true;
  const o = PLACES * linkCount + 18;
  for (let r = 0; r < 3; r++) for (let k = 0; k < 3; k++) block[3 * r + k] = P[o + 6 * r + 3 + k];
  // to world axes
  for (let i = 0; i < 3; i++) for (let k = 0; k < 3; k++) axes[3 * i + k] = base.rotation[3 * k + i];
  toLocal(baseMatrix, block, axes, 0);
  expandSymmetric(drag, base.drag, 0);
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++) {
      baseMatrix[3 * i + k] += c * drag[3 * i + k] + (i === k ? c * c * base.mass : 0);
      if (!base.free[i] || !base.free[k]) baseMatrix[3 * i + k] = i === k ? 1 : 0;
    }
  }
  return invert3(baseInverse, 0, baseMatrix, 0) !== 0;
}

const shifted = new Float64Array(3);

/** From the base outwards: out += G z(parent), z = X z(parent) + Th out. `shift`: of the base, in world axes. */
export function carryPlaces(
  out: Float64Array,
  tree: StrandTree,
  sweep: Sweep,
  shift: Float64Array,
  last: number,
): void {
  const { linkCount, parent, rotation: R, offset, base } = tree;
  const { z, G, turn: Th } = sweep;
  const b = STRIDE * linkCount;
  turnBack(shifted, 0, base.rotation, 0, shift, 0);
  for (let k = 0; k < 3; k++) {
    z[b + k] = 0;
    z[b + 3 + k] = shifted[k];
  }
  for (let j = 0; j <= last; j++) {
    const from = STRIDE * (parent[j] < 0 ? linkCount : parent[j]);
    const to = STRIDE * j;
    const g = 18 * j;
    const r = 9 * j;
    const d = offset[j];
    const z0 = z[from];
    const z1 = z[from + 1];
    const z2 = z[from + 2];
    const z3 = z[from + 3];
    const z4 = z[from + 4];
    const z5 = z[from + 5];
    const x = out[3 * j] + G[g] * z0 + G[g + 1] * z1 + G[g + 2] * z2 + G[g + 3] * z3 + G[g + 4] * z4 + G[g + 5] * z5;
    const y =
      out[3 * j + 1] + G[g + 6] * z0 + G[g + 7] * z1 + G[g + 8] * z2 + G[g + 9] * z3 + G[g + 10] * z4 + G[g + 11] * z5;
    const w =
      out[3 * j + 2] +
      G[g + 12] * z0 +
      G[g + 13] * z1 +
      G[g + 14] * z2 +
      G[g + 15] * z3 +
      G[g + 16] * z4 +
      G[g + 17] * z5;
    out[3 * j] = x;
    out[3 * j + 1] = y;
    out[3 * j + 2] = w;
    const vx = z3 + d * z1;
    const vy = z4 - d * z0;
    for (let k = 0; k < 3; k++) {
      const c0 = R[r + k];
      const c1 = R[r + 3 + k];
      const c2 = R[r + 6 + k];
      const t = r + 3 * k;
      z[to + k] = c0 * z0 + c1 * z1 + c2 * z2 + Th[t] * x + Th[t + 1] * y + Th[t + 2] * w;
      z[to + 3 + k] = c0 * vx + c1 * vy + c2 * z5;
    }
  }
}
