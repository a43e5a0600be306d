/**
 * Welds of one rod: how its equations pass to the bodies it is tied to. First the rows B of the welded nodes and held
 * frames, then the rod is eliminated, S = C − B K⁻¹ Bᵀ, and at last its own step is found from that of the bodies.
 */
import {
  type BorderedBand,
  factorBand,
  finishBand,
  forwardBand,
  inversePivot,
  readEntry,
  solveBand,
} from '../../linalg/band.ts';
import { forwardBandTriple } from '../../linalg/bandRows.ts';
import type { SparseFactor } from '../../linalg/sparse.ts';
import type { DerBody } from './body.ts';
import { addHeldHessian } from './held.ts';
import type { PairSolver } from './kernel.ts';
import type { DerRod } from './rod.ts';
import type { Workspace } from './stage.ts';

/** A weld as the rod sees it. */
export interface Tie {
  readonly body: number;
  readonly node: number;
  /** Held frame, −1 for a ball joint. */
  readonly held: number;
  /** B and K⁻¹B, 6 rows of der.size. */
  readonly rows: Float64Array;
  readonly solved: Float64Array;
  /** Unknowns at which the rows are not zero: from `from` to before `to`. */
  from: number;
  to: number;
  /** Mixed derivatives of the held frame with each tie's node, 3 × 3 each. */
  readonly heldAt: Float64Array;
  /** From the compound's centre of mass to the node now, world axes. */
  readonly lever: Float64Array;
}

export interface Member {
  readonly der: DerRod;
  readonly work: Workspace;
  readonly ties: readonly Tie[];
  readonly heldTorque: Float64Array;
}

/** Entries (i, j) of the bodies' matrix that are not zero for good, their slots, and the factor. */
export interface SparseOuter {
  readonly row: Int32Array;
  readonly column: Int32Array;
  readonly slot: Int32Array;
  readonly values: Float64Array;
  readonly scale: Float64Array;
  readonly factor: SparseFactor;
}

export interface System {
  readonly members: readonly Member[];
  readonly bodies: readonly DerBody[];
  readonly outer: Float64Array;
  readonly outerRight: Float64Array;
  /** Spins' share of the bodies' matrix, 3 × 3 a body, and work space of what refines the step for it. */
  readonly gyroscopic: Float64Array;
  readonly outerSaved: Float64Array;
  readonly outerStart: Float64Array;
  readonly outerTrial: Float64Array;
  /** Of two rods without bodies: solves both at once. */
  pair?: PairSolver;
  /** For many bodies: which of them rods couple, and the factor of their matrix. */
  readonly sparse?: SparseOuter;
}

/** Levers of the welds now. */
export function measureLevers({ der, ties }: Member, bodies: readonly DerBody[]): void {
  for (const tie of ties) {
    const { position } = bodies[tie.body];
    for (let k = 0; k < 3; k++) tie.lever[k] = der.q[4 * tie.node + k] - position[k];
  }
}

/** Coefficients of δx = δr + φ × a: 3 × 6 at `out`. */
export function writeSlave(out: Float64Array, a: Float64Array): void {
  out.fill(0);
  out[0] = 1;
  out[4] = a[2];
  out[5] = -a[1];
  out[7] = 1;
  out[9] = -a[2];
  out[11] = a[0];
  out[14] = 1;
  out[15] = a[1];
  out[16] = -a[0];
}

const slave = new Float64Array(18);
const otherSlave = new Float64Array(18);
const rotationBlock = new Float64Array(9);

/** Adds v to entry (i, j) and (j, i) of the bodies' matrix, once on the diagonal. */
export function addOuter(system: System, i: number, j: number, v: number): void {
  const n = 6 * system.bodies.length;
  system.outer[i * n + j] += v;
}

/** Adds column d of the node's three rows of K to the six rows of B, through δx = δr + φ × a. */
function addColumn(
  rows: Float64Array,
  size: number,
  matrix: BorderedBand,
  o: number,
  d: number,
  a: Float64Array,
): void {
  const x = readEntry(matrix, o, d);
  const y = readEntry(matrix, o + 1, d);
  const z = readEntry(matrix, o + 2, d);
  rows[d] += x;
  rows[size + d] += y;
  rows[2 * size + d] += z;
  rows[3 * size + d] += a[1] * z - a[2] * y;
  rows[4 * size + d] += a[2] * x - a[0] * z;
  rows[5 * size + d] += a[0] * y - a[1] * x;
}

/** Rows of B for one weld: K of its node, and the mixed derivatives of its held frame, whose rotation block is left in `rotationBlock`. */
function writeRows({ der, work, ties }: Member, tie: Tie): void {
  const { size, rod } = der;
  const { rows, node, held, lever, heldAt } = tie;
  for (let k = 0; k < 6; k++) rows.fill(0, k * size + tie.from, k * size + tie.to);
  const o = 4 * node;
  rotationBlock.fill(0);
  if (held >= 0) addHeldHessian(rotationBlock, rows, der, held, 3 * size);
  for (let m = 0; m < ties.length; m++) {
    const at = 4 * ties[m].node;
    for (let a = 0; a < 3; a++) for (let j = 0; j < 3; j++) heldAt[9 * m + 3 * a + j] = rows[(3 + a) * size + at + j];
  }
  // a closed rod couples across its seam as well
  const first = Math.max(0, o - 12);
  const last = Math.min(size, o + 15);
  tie.from = rod.closed ? 0 : first;
  tie.to = rod.closed ? size : last;
  for (let d = first; d < last; d++) addColumn(rows, size, work.matrix, o, d, lever);
  if (!rod.closed) return;
  for (let d = 0; d < Math.min(7, first); d++) addColumn(rows, size, work.matrix, o, d, lever);
  for (let d = Math.max(last, size - 8); d < size; d++) addColumn(rows, size, work.matrix, o, d, lever);
}

/** Rows of B for every weld of a rod, and its share of the bodies' matrix and right-hand side, before elimination. */
export function assembleTies(system: System, member: Member): void {
  const { der, work, ties, heldTorque } = member;
  const { size } = der;
  const { residual, step } = work;
  for (const tie of ties) {
    const { lever, node, held } = tie;
    const o = 4 * node;
    writeRows(member, tie);
    writeSlave(slave, lever);
    // second-order part of x = r + R a with the true gradient, and of the held frame
    const g = residual;
    const along = lever[0] * g[o] + lever[1] * g[o + 1] + lever[2] * g[o + 2];
    const base = 6 * tie.body;
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        const bend = 0.5 * (lever[a] * g[o + b] + g[o + a] * lever[b]) - (a === b ? along : 0);
        addOuter(system, base + 3 + a, base + 3 + b, bend + rotationBlock[3 * a + b]);
      }
    }
    // right-hand side at the slaved node and the held frame
    for (let k = 0; k < 6; k++) {
      let sum = 0;
      for (let i = 0; i < 3; i++) sum += slave[6 * i + k] * step[o + i];
      system.outerRight[base + k] += sum - (k >= 3 && held >= 0 ? heldTorque[3 * held + k - 3] : 0);
    }
  }
  // what the rows hold at slaved nodes belongs to the bodies: Gᵀ K G is in them once, held frames twice
  for (const tie of ties) {
    for (let index = 0; index < ties.length; index++) {
      const other = ties[index];
      writeSlave(otherSlave, other.lever);
      const o = 4 * other.node;
      // mixed held × slaved terms appear from both sides; K's own part from one
      for (let k = 0; k < 6; k++) {
        for (let m = 0; m < 6; m++) {
          let sum = 0;
          for (let j = 0; j < 3; j++) sum += tie.rows[k * size + o + j] * otherSlave[6 * j + m];
          addOuter(system, 6 * tie.body + k, 6 * other.body + m, sum);
        }
      }
      if (tie.held < 0) continue;
      // transpose of the held rows' share, which the other tie's rows do not have
      for (let a = 0; a < 3; a++) {
        for (let m = 0; m < 6; m++) {
          let sum = 0;
          for (let j = 0; j < 3; j++) sum += tie.heldAt[9 * index + 3 * a + j] * otherSlave[6 * j + m];
          addOuter(system, 6 * other.body + m, 6 * tie.body + 3 + a, sum);
        }
      }
    }
  }
  for (const tie of ties) {
    for (const other of ties)
      for (let k = 0; k < 6; k++) tie.rows.fill(0, k * size + 4 * other.node, k * size + 4 * other.node + 3);
    for (let d = tie.from; d < tie.to; d++) if (der.fixed[d]) for (let k = 0; k < 6; k++) tie.rows[k * size + d] = 0;
  }
}

const products = new Float64Array(12);

/** Rows k and k + 1 of B K⁻¹ Bᵀ of two ties, into `products`: two at a time, since reading costs more than multiplying. */
function multiplyRows({ der, work }: Member, tie: Tie, other: Tie, k: number): void {
  const { size } = der;
  const { factor, matrix } = work;
  const whole = matrix.borderSize > 0;
  const left = whole ? tie.rows : tie.solved;
  const right = other.solved;
  const to = whole ? tie.to : size;
  let a0 = 0;
  let a1 = 0;
  let a2 = 0;
  let a3 = 0;
  let a4 = 0;
  let a5 = 0;
  let b0 = 0;
  let b1 = 0;
  let b2 = 0;
  let b3 = 0;
  let b4 = 0;
  let b5 = 0;
  for (let d = whole ? tie.from : Math.max(tie.from, other.from); d < to; d++) {
    const weight = whole ? 1 : inversePivot(factor, d);
    const a = left[k * size + d] * weight;
    const b = left[k * size + size + d] * weight;
    const r0 = right[d];
    const r1 = right[size + d];
    const r2 = right[2 * size + d];
    const r3 = right[3 * size + d];
    const r4 = right[4 * size + d];
    const r5 = right[5 * size + d];
    a0 += a * r0;
    a1 += a * r1;
    a2 += a * r2;
    a3 += a * r3;
    a4 += a * r4;
    a5 += a * r5;
    b0 += b * r0;
    b1 += b * r1;
    b2 += b * r2;
    b3 += b * r3;
    b4 += b * r4;
    b5 += b * r5;
  }
  products[0] = a0;
  products[1] = a1;
  products[2] = a2;
  products[3] = a3;
  products[4] = a4;
  products[5] = a5;
  products[6] = b0;
  products[7] = b1;
  products[8] = b2;
  products[9] = b3;
  products[10] = b4;
  products[11] = b5;
}

/**
 * Factors a rod, or says that it is not positive definite; then takes it out of the bodies' equations. With K = LDLᵀ that
 * needs only the first halves of the solves, L⁻¹B, which are zero before the welded node.
 */
export function eliminate(system: System, member: Member, shift: number, stopEarly: boolean): boolean {
  const { der, work, ties } = member;
  const { matrix, factor, step } = work;
  const { size } = der;
  if (!factorBand(factor, matrix, shift, der.stiffnessScale, stopEarly) && stopEarly) return false;
  const whole = matrix.borderSize > 0;
  if (whole) solveBand(factor, matrix, step);
  else forwardBand(factor, size, step, 0, 0);
  for (const tie of ties) {
    const { rows, solved, from, to } = tie;
    if (whole) {
      solved.set(rows);
      for (let k = 0; k < 6; k++) solveBand(factor, matrix, solved.subarray(k * size, (k + 1) * size));
      continue;
    }
    for (let o = 0; o < 6 * size; o += size) {
      for (let d = from; d < to; d++) solved[o + d] = rows[o + d];
      solved.fill(0, o + to, o + size);
    }
    forwardBandTriple(factor, size, solved, 0, from);
    forwardBandTriple(factor, size, solved, 3 * size, from);
  }
  for (const tie of ties) {
    for (const other of ties) {
      // the lower triangle is all that is read of the bodies' matrix
      if (other.body > tie.body) continue;
      for (let k = 0; k < 6; k += 2) {
        multiplyRows(member, tie, other, k);
        for (let m = 0; m < 6; m++) {
          addOuter(system, 6 * tie.body + k, 6 * other.body + m, -products[m]);
          addOuter(system, 6 * tie.body + k + 1, 6 * other.body + m, -products[6 + m]);
        }
      }
    }
    for (let k = 0; k < 6; k++) {
      let right = 0;
      if (whole) for (let d = tie.from; d < tie.to; d++) right += tie.rows[k * size + d] * step[d];
      else for (let d = tie.from; d < size; d++) right += tie.solved[k * size + d] * step[d] * inversePivot(factor, d);
      system.outerRight[6 * tie.body + k] -= right;
    }
  }
  return true;
}

/** The step of a rod's own unknowns once those of the bodies are known, and of the welded nodes. */
export function substituteBack(system: System, { der, work, ties }: Member): void {
  const { size } = der;
  const { step, matrix, factor } = work;
  const whole = matrix.borderSize > 0;
  for (const tie of ties) {
    const { solved } = tie;
    const o = 6 * tie.body;
    const x = system.outerRight[o];
    const y = system.outerRight[o + 1];
    const z = system.outerRight[o + 2];
    const u = system.outerRight[o + 3];
    const v = system.outerRight[o + 4];
    const w = system.outerRight[o + 5];
    for (let d = whole ? 0 : tie.from; d < size; d++)
      step[d] -=
        solved[d] * x +
        solved[size + d] * y +
        solved[2 * size + d] * z +
        solved[3 * size + d] * u +
        solved[4 * size + d] * v +
        solved[5 * size + d] * w;
  }
  if (!whole) finishBand(factor, size, step, 0);
  for (const tie of ties) {
    writeSlave(slave, tie.lever);
    for (let i = 0; i < 3; i++) {
      let sum = 0;
      for (let k = 0; k < 6; k++) sum += slave[6 * i + k] * system.outerRight[6 * tie.body + k];
      step[4 * tie.node + i] = sum;
    }
  }
}
