/**
 * Eliminates a rod from the equations of the bodies it is tied to, S = C − B K⁻¹ Bᵀ, and finally computes its own step from theirs.
 *
 * With K = LDLᵀ this needs only the forward solves, L⁻¹B, which are zero outside their fill (ordering.ts). A closed rod that no weld divides has a
 * border, and is solved as a whole.
 */

import { finishBand, forwardBand, inversePivot, PAD, solveBand } from '../../linalg/band.ts';
import { BAND_WIDTH, ROW } from '../../linalg/bandMatrix.ts';
import { forwardBandTriple } from '../../linalg/bandRows.ts';
import type { PivotRule } from '../../linalg/pivotRule.ts';
import { factorInOrder, isParted } from './ordering.ts';
import { addOuter, type Member, type System, writeSlave } from './welds.ts';

const slave = new Float64Array(18);
const products = new Float64Array(36);

/** The order for the current matrix. */
function takeOrder(member: Member): void {
  const { der, work, parted, natural, ties } = member;
  const order = parted && isParted(work.matrix, parted, der.rod.closed) ? parted : natural;
  // entries without fill stay zero
  if (order !== member.order) for (const { solved } of ties) solved.fill(0);
  member.order = order;
}

/** Adds Σ a_k b_m/D over indices `from` to before `to` to `products`, two rows of a at a time: reading costs more than multiplying. */
function addProducts(
  left: Float64Array,
  right: Float64Array,
  size: number,
  lower: Float64Array | undefined,
  from: number,
  to: number,
): void {
  for (let k = 0; k < 6; k += 2) {
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
    for (let d = from; d < to; d++) {
      const weight = lower ? lower[d * ROW + PAD + BAND_WIDTH] : 1;
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
    const o = 6 * k;
    products[o] += a0;
    products[o + 1] += a1;
    products[o + 2] += a2;
    products[o + 3] += a3;
    products[o + 4] += a4;
    products[o + 5] += a5;
    products[o + 6] += b0;
    products[o + 7] += b1;
    products[o + 8] += b2;
    products[o + 9] += b3;
    products[o + 10] += b4;
    products[o + 11] += b5;
  }
}

/** L⁻¹B of one tie, or K⁻¹B. */
function solveRows({ der, order, ties }: Member, t: number): void {
  const { size } = der;
  const { factor, matrix, unknown } = order;
  const { rows, solved, held, lever: a } = ties[t];
  if (matrix.borderSize > 0) {
    solved.set(rows);
    for (let k = 0; k < 6; k++) solveBand(factor, matrix, solved.subarray(k * size, (k + 1) * size));
    return;
  }
  // the turning rows of a ball joint follow from the others
  const own = held < 0 ? 3 : 6;
  for (const { from, head, to } of order.fills[t]) {
    for (let o = 0; o < own * size; o += size) {
      for (let p = from; p < head; p++) solved[o + p] = rows[o + unknown[p]];
      solved.fill(0, o + head, o + to);
    }
    for (let o = 0; o < own * size; o += 3 * size) forwardBandTriple(factor, size, solved, o, from, to);
    if (held >= 0) continue;
    for (let p = from; p < to; p++) {
      const x = solved[p];
      const y = solved[size + p];
      const z = solved[2 * size + p];
      solved[3 * size + p] = a[1] * z - a[2] * y;
      solved[4 * size + p] = a[2] * x - a[0] * z;
      solved[5 * size + p] = a[0] * y - a[1] * x;
    }
  }
}

/** B K⁻¹ Bᵀ of two ties, into `products`. */
function multiplyTies({ der, order, ties }: Member, t: number, u: number): void {
  const { size } = der;
  products.fill(0);
  if (order.matrix.borderSize > 0) {
    addProducts(ties[t].rows, ties[u].solved, size, undefined, ties[t].from, ties[t].to);
    return;
  }
  for (const one of order.fills[t]) {
    for (const two of order.fills[u]) {
      if (one.piece !== two.piece) continue;
      addProducts(ties[t].solved, ties[u].solved, size, order.factor.lower, Math.max(one.from, two.from), one.to);
    }
  }
}

/** Factors a rod, or reports that it is not positive definite; then eliminates it from the bodies' equations. */
export function eliminate(system: System, member: Member, shift: number, rule: PivotRule): boolean {
  takeOrder(member);
  const { der, work, order, ties } = member;
  if (!factorInOrder(der, work, order, shift, rule) && rule === 'stop-at-negative') return false;
  for (let t = 0; t < ties.length; t++) solveRows(member, t);
  for (let t = 0; t < ties.length; t++) {
    for (let u = 0; u < ties.length; u++) {
      const row = 6 * ties[t].body;
      const column = 6 * ties[u].body;
      // the lower triangle is all that is read of the bodies' matrix
      if (column > row) continue;
      multiplyTies(member, t, u);
      for (let k = 0; k < 6; k++)
        for (let m = 0; m < 6; m++) addOuter(system, row + k, column + m, -products[6 * k + m]);
    }
  }
  reduceRight(system, member);
  return true;
}

/** Forward solve with the right-hand side in work.step, and its contribution to the bodies. */
export function reduceRight(system: System, { der, work, order, ties }: Member): void {
  const { size } = der;
  const { factor, matrix, step, unknown } = order;
  const whole = matrix.borderSize > 0;
  if (order.moved) for (let p = 0; p < size; p++) step[p] = work.step[unknown[p]];
  if (whole) solveBand(factor, matrix, step);
  else forwardBand(factor, size, step, 0, 0);
  for (let t = 0; t < ties.length; t++) {
    const { rows, solved, from, to, body } = ties[t];
    for (let k = 0; k < 6; k++) {
      const o = k * size;
      let sum = 0;
      if (whole) for (let d = from; d < to; d++) sum += rows[o + d] * step[d];
      else
        for (const fill of order.fills[t])
          for (let p = fill.from; p < fill.to; p++) sum += solved[o + p] * step[p] * inversePivot(factor, p);
      system.outerRight[6 * body + k] -= sum;
    }
  }
}

/** The step of a rod's own unknowns once those of the bodies are known, and of the welded nodes. */
export function substituteBack(system: System, { der, work, order, ties }: Member): void {
  const { size } = der;
  const { step, matrix, factor, unknown } = order;
  const whole = matrix.borderSize > 0;
  for (let t = 0; t < ties.length; t++) {
    const { solved, body } = ties[t];
    if (whole) subtractRows(step, solved, size, system.outerRight, 6 * body, 0, size);
    else
      for (const { from, to } of order.fills[t])
        subtractRows(step, solved, size, system.outerRight, 6 * body, from, to);
  }
  if (!whole) finishBand(factor, size, step, 0);
  if (order.moved) for (let p = 0; p < size; p++) work.step[unknown[p]] = step[p];
  for (const tie of ties) {
    writeSlave(slave, tie.lever);
    for (let i = 0; i < 3; i++) {
      let sum = 0;
      for (let k = 0; k < 6; k++) sum += slave[6 * i + k] * system.outerRight[6 * tie.body + k];
      work.step[4 * tie.node + i] = sum;
    }
  }
}

/** step −= Σ x_k row_k over places `from` to before `to`. */
function subtractRows(
  step: Float64Array,
  rows: Float64Array,
  size: number,
  x: Float64Array,
  o: number,
  from: number,
  to: number,
): void {
  const x0 = x[o];
  const x1 = x[o + 1];
  const x2 = x[o + 2];
  const x3 = x[o + 3];
  const x4 = x[o + 4];
  const x5 = x[o + 5];
  for (let d = from; d < to; d++)
    step[d] -=
      rows[d] * x0 +
      rows[size + d] * x1 +
      rows[2 * size + d] * x2 +
      rows[3 * size + d] * x3 +
      rows[4 * size + d] * x4 +
      rows[5 * size + d] * x5;
}
