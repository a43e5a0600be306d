/**
 * Welds of one rod: how its equations pass to the bodies it is tied to. First the rows B of the welded nodes and held
 * frames, then the rod is eliminated, S = C − B K⁻¹ Bᵀ, and at last its own step is found from that of the bodies.
 */
import { factorBand, finishBand, forwardBand, inversePivot, readEntry, solveBand } from '../../linalg/band.ts';
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
  out.set([1, 0, 0, 0, a[2], -a[1], 0, 1, 0, -a[2], 0, a[0], 0, 0, 1, a[1], -a[0], 0]);
}

const slave = new Float64Array(18);
const otherSlave = new Float64Array(18);
const rotationBlock = new Float64Array(9);

/** Adds v to entry (i, j) and (j, i) of the bodies' matrix, once on the diagonal. */
export function addOuter(system: System, i: number, j: number, v: number): void {
  const n = 6 * system.bodies.length;
  system.outer[i * n + j] += v;
}

/** Rows of B for every weld of a rod, and its share of the bodies' matrix and right-hand side, before elimination. */
export function assembleTies(system: System, member: Member): void {
  const { der, work, ties, heldTorque } = member;
  const { size, rod } = der;
  const { matrix, residual, step } = work;
  for (const tie of ties) {
    const { rows, lever, node, held } = tie;
    rows.fill(0);
    const o = 4 * node;
    rotationBlock.fill(0);
    if (held >= 0) addHeldHessian(rotationBlock, rows.subarray(3 * size), der, held);
    ties.forEach((other, m) => {
      for (let a = 0; a < 3; a++)
        for (let j = 0; j < 3; j++) tie.heldAt[9 * m + 3 * a + j] = rows[(3 + a) * size + 4 * other.node + j];
    });
    writeSlave(slave, lever);
    // K rows of the node, through the slave relation; a closed rod couples across its seam as well
    const first = Math.max(0, o - 12);
    const last = Math.min(size, o + 15);
    tie.from = rod.closed ? 0 : first;
    tie.to = rod.closed ? size : last;
    const reach = (d: number): void => {
      for (let i = 0; i < 3; i++) {
        const value = readEntry(matrix, o + i, d);
        if (value === 0) continue;
        for (let k = 0; k < 6; k++) rows[k * size + d] += slave[6 * i + k] * value;
      }
    };
    for (let d = first; d < last; d++) reach(d);
    if (rod.closed) {
      for (let d = 0; d < Math.min(7, first); d++) reach(d);
      for (let d = Math.max(last, size - 8); d < size; d++) reach(d);
    }
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
    tie.solved.set(tie.rows);
    for (let k = 0; k < 6; k++) {
      if (whole) solveBand(factor, matrix, tie.solved.subarray(k * size, (k + 1) * size));
      else forwardBand(factor, size, tie.solved, k * size, tie.from);
    }
  }
  for (const tie of ties) {
    for (const other of ties) {
      const from = whole ? tie.from : Math.max(tie.from, other.from);
      const to = whole ? tie.to : size;
      for (let k = 0; k < 6; k++) {
        const left = whole ? tie.rows : tie.solved;
        for (let m = 0; m < 6; m++) {
          let sum = 0;
          for (let d = from; d < to; d++)
            sum += left[k * size + d] * other.solved[m * size + d] * (whole ? 1 : inversePivot(factor, d));
          addOuter(system, 6 * tie.body + k, 6 * other.body + m, -sum);
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
    for (let k = 0; k < 6; k++) {
      const move = system.outerRight[6 * tie.body + k];
      for (let d = whole ? 0 : tie.from; d < size; d++) step[d] -= tie.solved[k * size + d] * move;
    }
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
