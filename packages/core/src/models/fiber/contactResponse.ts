/** The response of one fiber to forces at its contact points: S, A, and the factor of A with point masses. contact.ts explains their use. */

import {
  type CreateFactor,
  createSymmetricFactor,
  factorSymmetric,
  type SymmetricFactor,
  solveSymmetric,
} from '../../linalg/blockSymmetric.ts';
import { type BlockTridiagonal, clearBlocks, createBlocks } from '../../linalg/blockTridiagonal.ts';
import { createSelectedInverse, invertSelected, type SelectedInverse } from '../../linalg/selectedInverse.ts';
import type { ContactSides } from '../../port.ts';
import { addElements } from './elements.ts';
import { constrainHeld, constrainRight, returnHeld } from './held.ts';
import { writeSpinGradient } from './kinematics.ts';
import type { FiberRod } from './rod.ts';
import { addDrag, addMassMatrix } from './step.ts';
import type { Workspace } from './workspace.ts';

/** Data of one rod over the iterations of a step with contact. */
export interface Slot {
  /** A/h² without and with point masses, and its factor. */
  readonly base: BlockTridiagonal;
  readonly withMasses: BlockTridiagonal;
  readonly factor: SymmetricFactor;
  readonly x: Float64Array;
  /** Contact forces on the particles [N]. */
  readonly force: Float64Array;
  readonly none: Float64Array;
  /** Indices of the rod's points among the sides; rows of S, 72 numbers per point. */
  side: Int32Array;
  rows: Float64Array;
  count: number;
  scale: number;
}

export function createSlot({ ringCount, size }: FiberRod, createFactor: CreateFactor): Slot {
  return {
    base: createBlocks(ringCount),
    withMasses: createBlocks(ringCount),
    factor: createFactor(ringCount),
    x: new Float64Array(size),
    force: new Float64Array(size),
    none: new Float64Array(size),
    side: new Int32Array(0),
    rows: new Float64Array(0),
    count: 0,
    scale: 1,
  };
}

export function copyBlocks(to: BlockTridiagonal, from: BlockTridiagonal): void {
  to.diagonal.set(from.diagonal);
  to.upper.set(from.upper);
  to.lower.set(from.lower);
}

const spin = new Float64Array(24);

/** Three rows of S for the point of side c: over the 24 coordinates of rings `edge` and `edge` + 1. */
export function writeRows(rows: Float64Array, o: number, fiber: FiberRod, sides: ContactSides, c: number): void {
  writeSpinGradient(spin, fiber.q, sides.edge[c]);
  const w = sides.weight[c];
  for (let axis = 0; axis < 3; axis++) {
    const arm = sides.arm[3 * c + axis];
    for (let d = 0; d < 24; d++) {
      const mean = d % 3 === axis ? 0.25 * (d < 12 ? 1 - w : w) : 0;
      rows[o + 24 * axis + d] = mean + arm * spin[d];
    }
  }
}

export function addSide(fiber: FiberRod, slot: Slot, sides: ContactSides, c: number): void {
  if (slot.count === slot.side.length) {
    const side = new Int32Array(2 * slot.count + 8);
    side.set(slot.side);
    slot.side = side;
    const rows = new Float64Array(72 * side.length);
    rows.set(slot.rows);
    slot.rows = rows;
  }
  slot.side[slot.count] = c;
  writeRows(slot.rows, 72 * slot.count, fiber, sides, c);
  slot.count++;
}

/** M(1 + αh)/h² + drag/h + Hessian at q into `base`, and a factor of it; positive definite. */
export function assembleResponse(fiber: FiberRod, work: Workspace, slot: Slot, h: number): boolean {
  const { base, withMasses, factor } = slot;
  work.elements.edgeChi.fill(0);
  work.elements.ringChi.fill(0);
  for (const mode of ['exact', 'exact-pulling'] as const) {
    clearBlocks(base);
    if (
      !addElements(fiber, work.elements, { force: work.image.fill(0), matrix: base }, { x0: fiber.q, y: fiber.q }, mode)
    )
      return false;
    // the kernel gives half the Hessian
    for (let k = 0; k < base.diagonal.length; k++) {
      base.diagonal[k] *= 2;
      base.upper[k] *= 2;
      base.lower[k] *= 2;
    }
    addMassMatrix(fiber, base, (i) => (1 + fiber.ringDamping[i] * h) / (h * h));
    addDrag(fiber, base, 1 / h);
    copyBlocks(withMasses, base);
    constrainHeld(fiber, withMasses, undefined);
    if (factorSymmetric(factor, withMasses, 0, slot.none, 'stop-at-negative')) return true;
  }
  return false;
}

export function solveSlot(fiber: FiberRod, { x, factor }: Slot): void {
  constrainRight(fiber, x);
  solveSymmetric(factor, x);
  returnHeld(fiber, x);
}

/** x += Sᵀ impulse of point i; the impulse is at index `from`. */
export function addImpulse(slot: Slot, sides: ContactSides, i: number, impulse: Float64Array, from: number): void {
  const at = 12 * sides.edge[slot.side[i]];
  for (let axis = 0; axis < 3; axis++)
    for (let d = 0; d < 24; d++) slot.x[at + d] += slot.rows[72 * i + 24 * axis + d] * impulse[from + axis];
}

/** out = S x/h² of point i: x solves the matrix A/h². */
export function readPoint(out: Float64Array, to: number, slot: Slot, sides: ContactSides, i: number): void {
  const at = 12 * sides.edge[slot.side[i]];
  for (let axis = 0; axis < 3; axis++) {
    let sum = 0;
    for (let d = 0; d < 24; d++) sum += slot.rows[72 * i + 24 * axis + d] * slot.x[at + d];
    out[to + axis] = slot.scale * sum;
  }
}

const unit = new Float64Array(3);
const moved = new Float64Array(3);

/** tr(S A⁻¹ Sᵀ)/3 of point i. */
function traceOf(fiber: FiberRod, slot: Slot, sides: ContactSides, i: number): number {
  let trace = 0;
  for (let axis = 0; axis < 3; axis++) {
    unit.fill(0);
    unit[axis] = 1;
    slot.x.fill(0);
    addImpulse(slot, sides, i, unit, 0);
    solveSlot(fiber, slot);
    readPoint(moved, 0, slot, sides, i);
    trace += moved[axis] / 3;
  }
  return trace;
}

/**
 * With at least this many sides, responses are read from blocks of the inverse instead of from one solve per side: for a rope with a hundred sides, the
 * solves took half of the time of the step.
 */
const MANY = 8;

/** Memory for the factor and the inverse of a matrix, by number of rings. */
const inverses = new Map<number, { readonly factor: SymmetricFactor; readonly inverse: SelectedInverse }>();

export function writeTraces(response: Float64Array, fiber: FiberRod, slot: Slot, sides: ContactSides): void {
  const { count, side, rows, scale } = slot;
  let inverse: SelectedInverse | undefined;
  if (count >= MANY) {
    const { ringCount } = fiber;
    const work = inverses.get(ringCount) ?? {
      factor: createSymmetricFactor(ringCount),
      inverse: createSelectedInverse(ringCount),
    };
    inverses.set(ringCount, work);
    let first = ringCount;
    for (let i = 0; i < count; i++) first = Math.min(first, sides.edge[side[i]]);
    if (factorSymmetric(work.factor, slot.withMasses, 0, slot.none, 'stop-at-negative')) {
      invertSelected(work.inverse, work.factor, first);
      inverse = work.inverse;
    }
  }
  for (let i = 0; i < count; i++) {
    const edge = sides.edge[side[i]];
    // a ring that a pin holds in part is solved in the coordinates of held.ts
    const held = fiber.held.some(({ active, ring }) => active && (ring === edge || ring === edge + 1));
    response[side[i]] =
      inverse && !held ? (scale / 3) * traceOfBlocks(inverse, rows, 72 * i, edge) : traceOf(fiber, slot, sides, i);
  }
}

/** tr(S Z Sᵀ) of the three rows at o, over two rings. */
function traceOfBlocks(
  { diagonal: Z, upper: Y }: SelectedInverse,
  rows: Float64Array,
  o: number,
  edge: number,
): number {
  const at = 144 * edge;
  let trace = 0;
  for (let s = o; s < o + 72; s += 24) {
    for (let a = 0; a < 12; a++) {
      const [x, y] = [rows[s + a], rows[s + 12 + a]];
      if (x === 0 && y === 0) continue;
      const row = at + 12 * a;
      let near = 0;
      let across = 0;
      let far = 0;
      for (let b = 0; b < 12; b++) {
        near += Z[row + b] * rows[s + b];
        across += Y[row + b] * rows[s + 12 + b];
        far += Z[row + 144 + b] * rows[s + 12 + b];
      }
      trace += x * (near + 2 * across) + y * far;
    }
  }
  return trace;
}

/** Adds ρ SᵀS/h² of point i. */
export function addPointMass({ withMasses, rows, side, scale }: Slot, sides: ContactSides, i: number): void {
  const rho = scale * sides.mass[side[i]];
  if (rho === 0) return;
  const at = 144 * sides.edge[side[i]];
  for (let a = 0; a < 24; a++) {
    for (let b = 0; b < 24; b++) {
      let sum = 0;
      for (let axis = 0; axis < 3; axis++) sum += rows[72 * i + 24 * axis + a] * rows[72 * i + 24 * axis + b];
      if (sum === 0) continue;
      const to = a < 12 === b < 12 ? withMasses.diagonal : a < 12 ? withMasses.upper : withMasses.lower;
      const block = a >= 12 && b >= 12 ? at + 144 : at;
      to[block + 12 * (a % 12) + (b % 12)] += rho * sum;
    }
  }
}
