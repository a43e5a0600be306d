/** Welds of one rod: the rows B of the welded nodes and held frames; elimination.ts eliminates the rod from the bodies' equations. */
import { type BorderedBand, readEntry } from '../../linalg/bandMatrix.ts';
import type { SparseFactor } from '../../linalg/sparse.ts';
import type { NewtonResult } from '../../statics/search.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import type { DerBody } from './body.ts';
import { addHeldHessian } from './held.ts';
import type { PairSolver } from './kernel.ts';
import type { Ordering } from './ordering.ts';
import type { DerRod } from './rod.ts';
import type { Stage, Workspace } from './stage.ts';

/** A weld from the rod's point of view. */
export interface Tie {
  readonly body: number;
  readonly node: number;
  /** Held frame, −1 for a ball joint. */
  readonly held: number;
  /** B, 6 rows of der.size. */
  readonly rows: Float64Array;
  /** L⁻¹B in the order of elimination, or K⁻¹B if the rod is solved as a whole. */
  readonly solved: Float64Array;
  /** Unknowns at which the rows are not zero: from `from` to before `to`. */
  from: number;
  to: number;
  /** Mixed derivatives of the held frame with each tie's node, 3 × 3 each. */
  readonly heldAt: Float64Array;
  /** Current vector from the compound's centre of mass to the node, world axes. */
  readonly lever: Float64Array;
}

export interface Member {
  readonly der: DerRod;
  readonly work: Workspace;
  readonly ties: readonly Tie[];
  readonly heldTorque: Float64Array;
  /** The natural order, and the one towards its welds; the one of the last elimination. */
  readonly natural: Ordering;
  readonly parted?: Ordering;
  order: Ordering;
}

/** Entries (i, j) of the bodies' matrix that are not structurally zero, their slots, and the factor. */
export interface SparseOuter {
  readonly row: Int32Array;
  readonly column: Int32Array;
  readonly slot: Int32Array;
  readonly values: Float64Array;
  readonly scale: Float64Array;
  readonly factor: SparseFactor;
}

export type WeldedSolver = (system: System, stage: Stage, options: NewtonOptions) => NewtonResult;

export interface System {
  readonly members: readonly Member[];
  readonly bodies: readonly DerBody[];
  readonly outer: Float64Array;
  readonly outerRight: Float64Array;
  /** Contribution of spins to the bodies' matrix, 3 × 3 per body, and work space of the refinement. */
  readonly gyroscopic: Float64Array;
  readonly outerSaved: Float64Array;
  readonly outerStart: Float64Array;
  readonly outerTrial: Float64Array;
  /** Shift of the diagonal of the bodies' matrix that makes it positive. */
  readonly outerShift: Float64Array;
  /** With bodies: solves one stage. */
  readonly solveWelded?: WeldedSolver;
  /** For two rods without bodies: solves both at once. */
  pair?: PairSolver;
  /** For many bodies: which of them are coupled by rods, and the factor of their matrix. */
  readonly sparse?: SparseOuter;
}

/** Updates the levers of the welds. */
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

/** Terms of a rod's equations to assemble: its stiffness, and its damping times `rateScale` [1/s], 0 at rest. */
export interface TieTerms {
  readonly elastic: boolean;
  readonly rateScale: number;
}

/** Rows of B for one weld: K of its node, and the mixed derivatives of its held frame, whose rotation block is left in `rotationBlock`. */
function writeRows({ der, work, ties }: Member, tie: Tie, { elastic, rateScale }: TieTerms): void {
  const { size, rod } = der;
  const { rows, node, held, lever, heldAt } = tie;
  for (let k = 0; k < 6; k++) rows.fill(0, k * size + tie.from, k * size + tie.to);
  const o = 4 * node;
  rotationBlock.fill(0);
  const place = { h: held, at: 3 * size };
  if (held >= 0 && elastic) addHeldHessian(rotationBlock, rows, der, { ...place, rateScale: 0 });
  if (held >= 0 && rateScale > 0) addHeldHessian(rotationBlock, rows, der, { ...place, rateScale });
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

/** Rows of B for every weld of a rod, and its contribution to the bodies' matrix and right-hand side, before elimination. */
export function assembleTies(system: System, member: Member, terms: TieTerms): void {
  const { der, work, ties, heldTorque } = member;
  const { size } = der;
  const { residual, step } = work;
  for (const tie of ties) {
    const { lever, node, held } = tie;
    const o = 4 * node;
    writeRows(member, tie, terms);
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
  // the rows' entries at slaved nodes belong to the bodies: they include Gᵀ K G once, held frames twice
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
