/**
 * Newton's matrix of the recursive residual, exact and in O(n).
 *
 * Every link carries z = (δξ; δv; δa): how its pose, velocity and acceleration, in its own axes, change with the joints. Outwards z = Φ z(parent) + Ψ δφ.
 * Inwards, the force through a joint changes by P z + p; the joint's own equation gives δφ = G z(parent) + k and is eliminated, which turns P into the
 * parent's. This is the articulated-body recursion with 6 × 18 matrices in place of 6 × 6: the velocity and pose terms make it unsymmetric. For
 * equilibria the first six columns are enough. Columns of P: ξω ξv vω vv aω av.
 *
 * Why not the simplified matrix H + hC + h²K: docs/notes/strand.md#newtons-matrix.
 */
import { carryPlaces, factorPlaces } from './places.ts';
import { BLOCK, COLUMNS, type Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { bringMotion, invert3, multiply3, turn, turnBack } from './spatial.ts';
import { expandSymmetric, timesCross, writeOwn } from './terms.ts';
import {
  carriedRow,
  D,
  invertPivot,
  multiplyPhi,
  multiplyPsi,
  own,
  subtractTorqueSlope,
  writePsi,
} from './transfer.ts';

const f = new Float64Array(3);
const drag = new Float64Array(9);
const local = new Float64Array(9);
const A = new Float64Array(9);
const half = new Float64Array(9);
const transposed = new Float64Array(9);
const momentum = new Float64Array(6);

/** Negative eigenvalues of the symmetric part, by the signs of its pivots. */
function countNegative(M: Float64Array, floor: number): number {
  const a = M[0];
  const b = 0.5 * (M[1] + M[3]);
  const c = 0.5 * (M[2] + M[6]);
  const e = 0.5 * (M[5] + M[7]);
  if (!(Math.abs(a) > floor)) return 0;
  const d = M[4] - (b * b) / a;
  if (!(Math.abs(d) > floor)) return a < 0 ? 1 : 0;
  const l = (e - (b * c) / a) / d;
  const g = M[8] - (c * c) / a - l * l * d;
  return (a < 0 ? 1 : 0) + (d < 0 ? 1 : 0) + (g < -floor ? 1 : 0);
}

/**
 * Eliminates all joints for the current state, after `evaluateResidual`. `shift`: multiple of the joints' stiffness
 * that is added to the matrix. False if a pivot is singular.
 */
export function factorSweep(tree: StrandTree, sweep: Sweep, shift: number): boolean {
  sweep.compact = tree.departure !== undefined;
  sweep.shift = shift;
  if (sweep.compact) return factorPlaces(tree, sweep, shift, countNegative);
  const { linkCount, parent, force, rotation, offset } = tree;
  const { P, G, F, inverse, columns } = sweep;
  sweep.placeless = columns > 6 && isPlaceless(tree);
  const { placeless } = sweep;
  for (let j = 0; j < linkCount; j++) writeOwn(tree, sweep, j);
  P.fill(0, BLOCK * linkCount);
  sweep.negative = 0;
  sweep.drift = 0;
  for (let j = linkCount - 1; j >= 0; j--) {
    if (columns > 6) writePsi(tree, sweep, j);
    multiplyPsi(sweep, j);
    multiplyPhi(tree, sweep, j);
    for (let k = 0; k < 9; k++) D[k] = own[k];
    subtractTorqueSlope(tree, sweep, j);
    if (!invertPivot(tree, sweep, j, shift, countNegative)) return false;
    const g = 3 * COLUMNS * j;
    const v = 9 * j;
    eliminateJoint(G, g, inverse, v, columns, placeless);
    // F = P Ψ − [[n]; [f]] Th
    subtractForceTurn(own, 0, force, 6 * j, sweep.turn, v);
    subtractForceTurn(own, 9, force, 6 * j + 3, sweep.turn, v);
    for (let k = 0; k < 18; k++) F[18 * j + k] = own[k];
    const up = BLOCK * (parent[j] < 0 ? linkCount : parent[j]);
    addToParent(P, up, G, g, columns, rotation, 9 * j, offset[j], placeless);
  }
  return factorBase(tree, sweep);
}

/** As `factorSweep`, with the least shift that makes all pivots positive. */
export function factorShifted(tree: StrandTree, sweep: Sweep): boolean {
  let shift = 0;
  while (!factorSweep(tree, sweep, shift) || sweep.negative > 0) {
    shift = shift === 0 ? 1e-6 : 4 * shift;
    if (shift > 1e8) return false;
  }
  return true;
}

/** True if no force changes with the place of a link alone: no spring holds one, no point mass is attached to one. */
function isPlaceless({ pointMasses, tipSpring, linkCount }: StrandTree): boolean {
  if (pointMasses) return false;
  for (let j = 0; j < linkCount; j++) if (tipSpring[j] !== 0) return false;
  return true;
}

/** G = −(inverse pivot) × the joint's own rows. */
function eliminateJoint(
  G: Float64Array,
  g: number,
  inverse: Float64Array,
  v: number,
  columns: number,
  placeless: boolean,
): void {
  const i0 = inverse[v];
  const i1 = inverse[v + 1];
  const i2 = inverse[v + 2];
  const i3 = inverse[v + 3];
  const i4 = inverse[v + 4];
  const i5 = inverse[v + 5];
  const i6 = inverse[v + 6];
  const i7 = inverse[v + 7];
  const i8 = inverse[v + 8];
  for (let c = 0; c < columns; c++) {
    if (c === 3 && placeless) c = 6;
    const x = carriedRow[c];
    const y = carriedRow[COLUMNS + c];
    const z = carriedRow[2 * COLUMNS + c];
    G[g + c] = -(i0 * x + i1 * y + i2 * z);
    G[g + COLUMNS + c] = -(i3 * x + i4 * y + i5 * z);
    G[g + 2 * COLUMNS + c] = -(i6 * x + i7 * y + i8 * z);
  }
}

/** M −= [v] Th, 3 × 3 rows at o. */
function subtractForceTurn(M: Float64Array, o: number, v: Float64Array, i: number, Th: Float64Array, t: number): void {
  for (let c = 0; c < 3; c++) {
    const a0 = Th[t + c];
    const a1 = Th[t + 3 + c];
    const a2 = Th[t + 6 + c];
    M[o + c] -= v[i + 1] * a2 - v[i + 2] * a1;
    M[o + 3 + c] -= v[i + 2] * a0 - v[i] * a2;
    M[o + 6 + c] -= v[i] * a1 - v[i + 1] * a0;
  }
}

/** Adds Xᵀ(P Φ + F G) to the parent. */
function addToParent(
  P: Float64Array,
  o: number,
  G: Float64Array,
  g: number,
  columns: number,
  R: Float64Array,
  r: number,
  d: number,
  placeless: boolean,
): void {
  const r0 = R[r];
  const r1 = R[r + 1];
  const r2 = R[r + 2];
  const r3 = R[r + 3];
  const r4 = R[r + 4];
  const r5 = R[r + 5];
  const r6 = R[r + 6];
  const r7 = R[r + 7];
  const r8 = R[r + 8];
  for (let c = 0; c < columns; c++) {
    if (c === 3 && placeless) c = 6;
    const x = G[g + c];
    const y = G[g + COLUMNS + c];
    const z = G[g + 2 * COLUMNS + c];
    const n0 = carriedRow[c] + own[0] * x + own[1] * y + own[2] * z;
    const n1 = carriedRow[COLUMNS + c] + own[3] * x + own[4] * y + own[5] * z;
    const n2 = carriedRow[2 * COLUMNS + c] + own[6] * x + own[7] * y + own[8] * z;
    const f0 = carriedRow[3 * COLUMNS + c] + own[9] * x + own[10] * y + own[11] * z;
    const f1 = carriedRow[4 * COLUMNS + c] + own[12] * x + own[13] * y + own[14] * z;
    const f2 = carriedRow[5 * COLUMNS + c] + own[15] * x + own[16] * y + own[17] * z;
    const fx = r0 * f0 + r1 * f1 + r2 * f2;
    const fy = r3 * f0 + r4 * f1 + r5 * f2;
    P[o + c] += r0 * n0 + r1 * n1 + r2 * n2 - d * fy;
    P[o + COLUMNS + c] += r3 * n0 + r4 * n1 + r5 * n2 + d * fx;
    P[o + 2 * COLUMNS + c] += r6 * n0 + r7 * n1 + r8 * n2;
    P[o + 3 * COLUMNS + c] += fx;
    P[o + 4 * COLUMNS + c] += fy;
    P[o + 5 * COLUMNS + c] += r6 * f0 + r7 * f1 + r8 * f2;
  }
}

const baseMatrix = new Float64Array(9);
const spinMatrix = new Float64Array(9);

/** Factors the equations of a free base: δy in world axes changes ξv, vv and av. */
function factorBase({ linkCount, base }: StrandTree, sweep: Sweep): boolean {
  const { P, columns, coefficient: c, baseInverse } = sweep;
  baseInverse.fill(0);
  if (!base.free[0] && !base.free[1] && !base.free[2]) return true;
  const o = BLOCK * linkCount + 3 * COLUMNS;
  for (let r = 0; r < 3; r++) {
    for (let k = 0; k < 3; k++) {
      const at = o + COLUMNS * r + k;
      A[3 * r + k] = P[at + 3] + (columns > 6 ? c * P[at + 9] + c * c * P[at + 15] : 0);
      local[3 * r + k] = columns > 6 ? P[at + 15] : 0;
    }
  }
  if (columns > 6) {
    timesCross(spinMatrix, local, base.motion);
    for (let k = 0; k < 9; k++) A[k] -= c * spinMatrix[k];
  }
  // to world axes: R M Rᵀ
  multiply3(half, 0, base.rotation, 0, A, 0);
  for (let i = 0; i < 3; i++) for (let k = 0; k < 3; k++) transposed[3 * i + k] = base.rotation[3 * k + i];
  multiply3(baseMatrix, 0, half, 0, transposed, 0);
  expandSymmetric(drag, base.drag, 0);
  for (let i = 0; i < 3; i++) {
    for (let k = 0; k < 3; k++) {
      if (columns > 6) baseMatrix[3 * i + k] += c * drag[3 * i + k] + (i === k ? c * c * base.mass : 0);
      if (!base.free[i] || !base.free[k]) baseMatrix[3 * i + k] = i === k ? 1 : 0;
    }
  }
  if (columns === 6) {
    // a free origin has no stiffness in statics: it stays, and its residual remains
    return true;
  }
  return invert3(baseInverse, 0, baseMatrix, 0) !== 0;
}

const right = new Float64Array(3);
const shiftBase = new Float64Array(3);

/** Right-hand side of a sweep. */
interface SweepForces {
  /** 3 per joint, then 3 of the base. */
  readonly residual?: Float64Array;
  /** 6 per link, in the link's axes. */
  readonly wrench?: Float64Array;
}

/**
 * Solves for δφ (3 per joint) and δy (3, base): the matrix times `out` is −`residual` minus the forces of `wrench`. Links after `outermost` have
 * neither. If forces depend on positions alone, links after `last` get no result. Leaves z of every other link in the sweep.
 */
export function solveSweep(
  out: Float64Array,
  tree: StrandTree,
  sweep: Sweep,
  { residual, wrench }: SweepForces,
  outermost: number = tree.linkCount - 1,
  last: number = tree.linkCount - 1,
): void {
  const { linkCount, parent, rotation, offset, base } = tree;
  const { p, F, inverse } = sweep;
  if (wrench) for (let k = 0; k < 6 * linkCount; k++) p[k] = wrench[k];
  else p.fill(0, 0, 6 * linkCount);
  p.fill(0, 6 * linkCount);
  out.fill(0, 3 * outermost + 3, 3 * linkCount);
  for (let j = outermost; j >= 0; j--) {
    const v = 9 * j;
    const x = (residual ? residual[3 * j] : 0) + p[6 * j];
    const y = (residual ? residual[3 * j + 1] : 0) + p[6 * j + 1];
    const z = (residual ? residual[3 * j + 2] : 0) + p[6 * j + 2];
    const k0 = -(inverse[v] * x + inverse[v + 1] * y + inverse[v + 2] * z);
    const k1 = -(inverse[v + 3] * x + inverse[v + 4] * y + inverse[v + 5] * z);
    const k2 = -(inverse[v + 6] * x + inverse[v + 7] * y + inverse[v + 8] * z);
    out[3 * j] = k0;
    out[3 * j + 1] = k1;
    out[3 * j + 2] = k2;
    const o = 18 * j;
    for (let r = 0; r < 6; r++)
      momentum[r] = p[6 * j + r] + F[o + 3 * r] * k0 + F[o + 3 * r + 1] * k1 + F[o + 3 * r + 2] * k2;
    const i = parent[j] < 0 ? linkCount : parent[j];
    addForceTo(p, 6 * i, rotation, 9 * j, offset[j], momentum);
  }
  const o = 3 * linkCount;
  turn(right, 0, base.rotation, 0, p, 6 * linkCount + 3);
  for (let k = 0; k < 3; k++) {
    right[k] = -(right[k] + (residual ? residual[o + k] : 0));
    if (!base.free[k]) right[k] = 0;
  }
  turn(shiftBase, 0, sweep.baseInverse, 0, right, 0);
  for (let k = 0; k < 3; k++) out[o + k] = shiftBase[k];
  if (sweep.compact) carryPlaces(out, tree, sweep, shiftBase, last);
  else carryOutwards(out, tree, sweep);
}

function addForceTo(out: Float64Array, o: number, R: Float64Array, r: number, d: number, g: Float64Array): void {
  const fx = R[r] * g[3] + R[r + 1] * g[4] + R[r + 2] * g[5];
  const fy = R[r + 3] * g[3] + R[r + 4] * g[4] + R[r + 5] * g[5];
  out[o] += R[r] * g[0] + R[r + 1] * g[1] + R[r + 2] * g[2] - d * fy;
  out[o + 1] += R[r + 3] * g[0] + R[r + 4] * g[1] + R[r + 5] * g[2] + d * fx;
  out[o + 2] += R[r + 6] * g[0] + R[r + 7] * g[1] + R[r + 8] * g[2];
  out[o + 3] += fx;
  out[o + 4] += fy;
  out[o + 5] += R[r + 6] * g[3] + R[r + 7] * g[4] + R[r + 8] * g[5];
}

/** δφ = G z(parent) + k, z = Φ z(parent) + Ψ δφ. */
function carryOutwards(out: Float64Array, tree: StrandTree, sweep: Sweep): void {
  const { linkCount, parent, rotation, offset, v, base } = tree;
  const { z, G, turn: Th, psiV, psiA, columns, coefficient: c } = sweep;
  const b = COLUMNS * linkCount;
  z.fill(0, b);
  turnBack(f, 0, base.rotation, 0, shiftBase, 0);
  for (let k = 0; k < 3; k++) {
    z[b + 3 + k] = f[k];
    if (columns === 6) continue;
    const s = base.motion[(k + 1) % 3] * f[(k + 2) % 3] - base.motion[(k + 2) % 3] * f[(k + 1) % 3];
    z[b + 9 + k] = c * f[k];
    z[b + 15 + k] = c * c * f[k] - c * s;
  }
  for (let j = 0; j < linkCount; j++) {
    const from = COLUMNS * (parent[j] < 0 ? linkCount : parent[j]);
    const to = COLUMNS * j;
    addCarried(out, 3 * j, G, 3 * COLUMNS * j, z, from, columns, sweep.placeless);
    const x = out[3 * j];
    const y = out[3 * j + 1];
    const w = out[3 * j + 2];
    for (let block = 0; block < columns; block += 6)
      bringMotion(z, to + block, rotation, 9 * j, offset[j], z, from + block);
    const t = 9 * j;
    for (let r = 0; r < 3; r++) z[to + r] += Th[t + 3 * r] * x + Th[t + 3 * r + 1] * y + Th[t + 3 * r + 2] * w;
    if (columns === 6) continue;
    // −crm(S w) on the carried δv
    for (let half6 = 0; half6 < 6; half6 += 3) {
      const e = to + 6 + half6;
      const s = 3 + 3 * j;
      z[e + 6] -= v[s + 1] * z[e + 2] - v[s + 2] * z[e + 1];
      z[e + 7] -= v[s + 2] * z[e] - v[s] * z[e + 2];
      z[e + 8] -= v[s] * z[e + 1] - v[s + 1] * z[e];
    }
    const s = 18 * j;
    for (let r = 0; r < 6; r++) {
      z[to + 6 + r] += psiV[s + 3 * r] * x + psiV[s + 3 * r + 1] * y + psiV[s + 3 * r + 2] * w;
      z[to + 12 + r] += psiA[s + 3 * r] * x + psiA[s + 3 * r + 1] * y + psiA[s + 3 * r + 2] * w;
    }
  }
}

/** Adds G z, with z of the parent, to three numbers of `out`. */
function addCarried(
  out: Float64Array,
  o: number,
  G: Float64Array,
  g: number,
  z: Float64Array,
  from: number,
  columns: number,
  placeless: boolean,
): void {
  let x = out[o];
  let y = out[o + 1];
  let w = out[o + 2];
  for (let k = 0; k < columns; k++) {
    if (k === 3 && placeless) k = 6;
    const moved = z[from + k];
    x += G[g + k] * moved;
    y += G[g + COLUMNS + k] * moved;
    w += G[g + 2 * COLUMNS + k] * moved;
  }
  out[o] = x;
  out[o + 1] = y;
  out[o + 2] = w;
}

/** δθ = δφ: rotations are measured from the joints' current state. */
export function setStraightChart(sweep: Sweep, links: number): void {
  sweep.turn.fill(0);
  for (let j = 0; j < links; j++) for (let k = 0; k < 3; k++) sweep.turn[9 * j + 4 * k] = 1;
}
