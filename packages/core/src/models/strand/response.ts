/**
 * The response of a tree's sides, S A⁻¹ Sᵀ, as a small dense matrix; with point masses on the sides, S H⁻¹ Sᵀ. contact.ts explains its use.
 */
import { createBulk } from './bulk.ts';
import { createDeparture } from './departure.ts';
import type { ManySides } from './manySides.ts';
import { solveSweep } from './newton.ts';
import type { Bulk, Departure, Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { addWrench, readSide } from './sideMaps.ts';
import { invert3 } from './spatial.ts';
import { createSweep } from './terms.ts';
import { linkOf, type TreeSides } from './treeSides.ts';
import type { StepWork } from './trial.ts';

/** The sweep of one tree, kept over the iterations of a step. */
export interface Slot {
  readonly sweep: Sweep;
  /** Work space of the step, with the slot's own sweep: the last matrix of a step is that of the response. */
  readonly step: StepWork;
  readonly departure: Departure;
  readonly bulk: Bulk;
  /** Kinetic energy at the end of the step [J]. */
  kinetic: number;
  readonly wrench: Float64Array;
  readonly x: Float64Array;
  /** Present if the tree has many sides. */
  many: ManySides | undefined;
  /** S A⁻¹ Sᵀ of the tree's sides, and S H⁻¹ Sᵀ; dense, by rows. */
  free: Float64Array;
  withMasses: Float64Array;
  /** True if the tree has been stepped in this step of contact. */
  came: boolean;
  /** It stopped short of the solution: the residual is not zero. */
  loose: boolean;
  readonly q: Float64Array;
  /** State and sides for which `free` was computed: link, weight and arm of each side; −1 if none. */
  known: number;
  readonly foundAt: Float64Array;
  foundFor: Float64Array;
  /** Point masses in `withMasses`; not there yet: NaN. */
  masses: Float64Array;
}

/** Quaternions that change by less leave the response as it is. */
export const NEAR = 2e-2;

export function createSlot({ linkCount: links, q }: StrandTree, work: StepWork, nodes: readonly Float64Array[]): Slot {
  const sweep = createSweep(links);
  return {
    sweep,
    step: { ...work, sweep },
    departure: createDeparture(links, nodes),
    bulk: createBulk(),
    kinetic: 0,
    wrench: new Float64Array(6 * links),
    x: new Float64Array(3 * links + 3),
    many: undefined,
    free: new Float64Array(0),
    withMasses: new Float64Array(0),
    came: false,
    loose: false,
    q: new Float64Array(q.length),
    known: -1,
    foundAt: new Float64Array(q.length),
    foundFor: new Float64Array(0),
    masses: new Float64Array(0),
  };
}

/**
 * True if the response of these sides was already computed in this step, near the current state; if not, records the state for the computation that
 * follows.
 */
export function isKnown(
  slot: Slot,
  { q }: StrandTree,
  { sides, order, from, count: m, firstLink }: TreeSides,
): boolean {
  if (slot.foundFor.length < 5 * m) {
    slot.free = new Float64Array(36 * m * m);
    slot.withMasses = new Float64Array(36 * m * m);
    slot.foundFor = new Float64Array(10 * m);
    slot.masses = new Float64Array(2 * m);
    slot.known = -1;
  }
  const { weight, arm } = sides;
  const { foundFor, foundAt, masses } = slot;
  let same = slot.known === m;
  for (let k = 0; k < q.length && same; k++) same = Math.abs(q[k] - foundAt[k]) < NEAR;
  for (let i = 0; i < m && same; i++) {
    const c = order[from + i];
    same = foundFor[5 * i] === linkOf(firstLink, sides, c) && foundFor[5 * i + 1] === weight[c];
    for (let k = 0; k < 3 && same; k++) same = foundFor[5 * i + 2 + k] === arm[3 * c + k];
  }
  if (same) return true;
  slot.known = m;
  foundAt.set(q);
  masses.fill(Number.NaN);
  for (let i = 0; i < m; i++) {
    const c = order[from + i];
    foundFor[5 * i] = linkOf(firstLink, sides, c);
    foundFor[5 * i + 1] = weight[c];
    for (let k = 0; k < 3; k++) foundFor[5 * i + 2 + k] = arm[3 * c + k];
  }
  return false;
}

const moved = new Float64Array(3);

/** S A⁻¹ Sᵀ of the tree's sides, a unit force at a time. */
export function writeResponse(
  { sweep, wrench, x, free }: Slot,
  tree: StrandTree,
  { sides, order, from, count: m, firstLink }: TreeSides,
  scale: number,
): void {
  let last = 0;
  for (let i = 0; i < m; i++) last = Math.max(last, linkOf(firstLink, sides, order[from + i]));
  for (let column = 0; column < 3 * m; column++) {
    const side = order[from + Math.floor(column / 3)];
    const axis = column % 3;
    const link = linkOf(firstLink, sides, side);
    wrench.fill(0);
    addWrench(wrench, tree, link, sides, side, axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0);
    solveSweep(x, tree, sweep, { wrench }, link, last);
    for (let i = 0; i < m; i++) {
      const c = order[from + i];
      readSide(moved, 0, tree, sweep, linkOf(firstLink, sides, c), sides, c, scale);
      for (let k = 0; k < 3; k++) free[(3 * i + k) * 3 * m + column] = moved[k];
    }
  }
}

/** Adds the velocities of the linear step from the current state to balance to those of the sides. */
export function addLinearStep(
  velocity: Float64Array,
  { sweep, x }: Slot,
  tree: StrandTree,
  { sides, order, from, count: m, firstLink }: TreeSides,
  scale: number,
): void {
  solveSweep(x, tree, sweep, { residual: tree.residual });
  for (let i = 0; i < m; i++) {
    const c = order[from + i];
    readSide(moved, 0, tree, sweep, linkOf(firstLink, sides, c), sides, c, scale);
    for (let k = 0; k < 3; k++) velocity[3 * c + k] += moved[k];
  }
}

/** Scratch of a tree's sides. */
const work = { matrix: new Float64Array(0), right: new Float64Array(0) };

/** velocity = W impulse for the tree's sides: three rows at a time, so that an impulse is read once for them. */
export function applyResponse(
  velocity: Float64Array,
  W: Float64Array,
  impulse: Float64Array,
  { order, from, count: m }: TreeSides,
): void {
  const n = 3 * m;
  if (work.right.length < n) work.right = new Float64Array(2 * n);
  const { right } = work;
  for (let i = 0; i < m; i++) {
    const o = 3 * order[from + i];
    right[3 * i] = impulse[o];
    right[3 * i + 1] = impulse[o + 1];
    right[3 * i + 2] = impulse[o + 2];
  }
  for (let i = 0; i < m; i++) {
    const r0 = 3 * i * n;
    const r1 = r0 + n;
    const r2 = r1 + n;
    let x = 0;
    let y = 0;
    let z = 0;
    for (let c = 0; c < n; c++) {
      const p = right[c];
      x += W[r0 + c] * p;
      y += W[r1 + c] * p;
      z += W[r2 + c] * p;
    }
    const o = 3 * order[from + i];
    velocity[o] = x;
    velocity[o + 1] = y;
    velocity[o + 2] = z;
  }
}

/**
 * S H⁻¹ Sᵀ = (1 + W P)⁻¹ W = (1 − (1 + W P)⁻¹) P⁻¹, with W = S A⁻¹ Sᵀ and P the point masses; a side without mass
 * takes the first form. W P has a positive symmetric part in the measure of P, so blocks need no pivoting.
 */
export function attachMasses({ free, withMasses, masses }: Slot, { sides, order, from, count: m }: TreeSides): boolean {
  const { mass } = sides;
  const n = 3 * m;
  let same = true;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < m; i++) {
    const rho = mass[order[from + i]];
    same &&= masses[i] === rho;
    masses[i] = rho;
    least = Math.min(least, rho);
  }
  if (same) return true;
  if (work.matrix.length < n * n) work.matrix = new Float64Array(2 * n * n);
  const { matrix: A } = work;
  for (let i = 0; i < m; i++) {
    const rho = masses[i];
    for (let r = 0; r < n; r++) {
      const o = r * n + 3 * i;
      A[o] = free[o] * rho;
      A[o + 1] = free[o + 1] * rho;
      A[o + 2] = free[o + 2] * rho;
    }
  }
  for (let r = 0; r < n; r++) A[r * n + r] += 1;
  if (!invertBlocks(A, m)) {
    masses.fill(Number.NaN);
    return false;
  }
  for (let i = 0; i < m && least > 0; i++) {
    const part = 1 / masses[i];
    for (let r = 0; r < n; r++) {
      for (let c = 3 * i; c < 3 * i + 3; c++) withMasses[r * n + c] = ((r === c ? 1 : 0) - A[r * n + c]) * part;
    }
  }
  for (let r = 0; r < n && !(least > 0); r++) {
    for (let c = 0; c < n; c++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += A[r * n + k] * free[k * n + c];
      withMasses[r * n + c] = sum;
    }
  }
  return true;
}

const pivot = new Float64Array(9);
const inverse = new Float64Array(9);
const block = new Float64Array(9);

/** A becomes its inverse: m × m blocks of 3 × 3, by rows. False if a block is singular. */
function invertBlocks(A: Float64Array, m: number): boolean {
  const n = 3 * m;
  for (let k = 0; k < m; k++) {
    const row = 3 * k * n;
    readBlock(pivot, A, row + 3 * k, n);
    if (invert3(inverse, 0, pivot, 0) === 0) return false;
    // the pivot's row, then all others
    for (let j = 0; j < m; j++) {
      if (j === k) continue;
      const o = row + 3 * j;
      readBlock(block, A, o, n);
      writeProduct(A, o, n, inverse, block, 1);
    }
    for (let i = 0; i < m; i++) {
      if (i === k) continue;
      const to = 3 * i * n;
      readBlock(block, A, to + 3 * k, n);
      subtractBlockRow(A, to, row, n, block, 3 * k);
      writeProduct(A, to + 3 * k, n, block, inverse, -1);
    }
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) A[row + r * n + 3 * k + c] = inverse[3 * r + c];
  }
  return true;
}

function readBlock(out: Float64Array, A: Float64Array, o: number, n: number): void {
  for (let k = 0; k < 3; k++) {
    out[k] = A[o + k];
    out[3 + k] = A[o + n + k];
    out[6 + k] = A[o + 2 * n + k];
  }
}

/** The block at o becomes factor · L R. */
function writeProduct(A: Float64Array, o: number, n: number, L: Float64Array, R: Float64Array, factor: number): void {
  for (let c = 0; c < 3; c++) {
    const x = factor * R[c];
    const y = factor * R[3 + c];
    const z = factor * R[6 + c];
    A[o + c] = L[0] * x + L[1] * y + L[2] * z;
    A[o + n + c] = L[3] * x + L[4] * y + L[5] * z;
    A[o + 2 * n + c] = L[6] * x + L[7] * y + L[8] * z;
  }
}

/** Three rows at `to` less M times those at `from`, but for the three columns at `skip`. */
function subtractBlockRow(A: Float64Array, to: number, from: number, n: number, M: Float64Array, skip: number): void {
  const [a, b, c, d, e, f, g, h, i] = M;
  for (let k = 0; k < n; k++) {
    if (k === skip) k += 3;
    if (k >= n) return;
    const x = A[from + k];
    const y = A[from + n + k];
    const z = A[from + 2 * n + k];
    A[to + k] -= a * x + b * y + c * z;
    A[to + n + k] -= d * x + e * y + f * z;
    A[to + 2 * n + k] -= g * x + h * y + i * z;
  }
}
