/**
 * Data of one rod over the iterations of a step with contact: its matrix with and without the solver's point masses, their factors, and the response of
 * its sides to impulses.
 */

import { type BorderedFactor, createBorderedFactor, factorBand, solveBand } from '../../linalg/band.ts';
import { invertWithinBand, readInverse } from '../../linalg/bandInverse.ts';
import { type BorderedBand, clearBand, createBorderedBand, fixUnknown } from '../../linalg/bandMatrix.ts';
import { axesOf, type ContactSides } from '../../port.ts';
import { addSides, readSides, row, unknown, writeRow } from './contactSides.ts';
import { type DerRod, RING_BORDER } from './rod.ts';
import { evaluateStage, type Stage, setPenalties, type Workspace } from './stage.ts';

export interface Slot {
  readonly matrix: BorderedBand;
  readonly factor: BorderedFactor;
  readonly x: Float64Array;
  /** Unbalanced forces at the linearization, as impulses; for sides with goals. */
  readonly right: Float64Array;
  shift: number;
  /** Number of solves since the factorization. */
  turns: number;
  /** S H⁻¹ Sᵀ of the rod's sides, once there were enough solves. */
  response: Float64Array;
}

export function createSlot({ size, rod }: DerRod): Slot {
  const border = rod.closed ? RING_BORDER : 0;
  const matrix = createBorderedBand(size - border, border);
  return {
    matrix,
    factor: createBorderedFactor(matrix),
    x: new Float64Array(size),
    right: new Float64Array(size),
    shift: 0,
    turns: 0,
    response: new Float64Array(0),
  };
}

/** Writes the Newton matrix of the stage at the current state to the slot, its factor to the work space. */
export function assemble(der: DerRod, work: Workspace, slot: Slot, stage: Stage): boolean {
  const { matrix } = slot;
  setPenalties(der, work, stage.inertia);
  clearBand(matrix);
  if (Number.isNaN(evaluateStage(der, work, stage, matrix))) return false;
  for (let d = 0; d < der.size; d++) if (der.fixed[d]) fixUnknown(matrix, d);
  slot.shift = 0;
  while (!factorBand(work.factor, matrix, slot.shift, der.stiffnessScale, 'stop-at-negative')) {
    slot.shift = slot.shift === 0 ? 1e-7 : 4 * slot.shift;
    if (slot.shift > 1e8) return false;
  }
  return true;
}

/** H of a rod: with goals, and if possible, without the shift that A needed. */
export function factorWithMasses({ factor, matrix, shift }: Slot, der: DerRod, goals: boolean): boolean {
  if (!goals || shift === 0) return factorBand(factor, matrix, shift, der.stiffnessScale, 'stop-at-negative');
  for (let less = 0; less <= shift; less = less === 0 ? 1e-7 : 4 * less)
    if (factorBand(factor, matrix, less, der.stiffnessScale, 'stop-at-negative')) return true;
  return false;
}

/** A rod with A factored, and memory for the inverse within the band. */
interface FactoredRod {
  readonly der: DerRod;
  readonly factor: BorderedFactor;
  readonly slot: Slot;
  readonly inverse: Float64Array;
}

/** tr(S A⁻¹ Sᵀ)/3 of sides c … end − 1 of one rod, or S A⁻¹ Sᵀ along their directions: from the inverse within the band, or by a solve for each. */
export function measureResponse(
  response: Float64Array,
  { der, factor, slot, inverse }: FactoredRod,
  sides: ContactSides,
  c: number,
  end: number,
  scale: number,
): void {
  const ring = slot.matrix.borderSize > 0;
  const axes = axesOf(sides);
  let first = der.size;
  for (let s = c; s < end; s++) first = Math.min(first, 4 * sides.edge[s]);
  if (!ring) invertWithinBand(inverse, factor, der.size, first);
  for (let s = c; s < end; s++) {
    let trace = 0;
    for (let k = 0; k < axes; k++) {
      writeRow(der, sides, s, k, 'free');
      if (ring) {
        slot.x.fill(0);
        for (let i = 0; i < 7; i++) slot.x[unknown[i]] += row[i];
        solveBand(factor, slot.matrix, slot.x);
        for (let i = 0; i < 7; i++) trace += row[i] * slot.x[unknown[i]];
        continue;
      }
      for (let i = 0; i < 7; i++) {
        if (row[i] === 0) continue;
        let sum = 0;
        for (let j = 0; j < i; j++) if (row[j] !== 0) sum += row[j] * readInverse(inverse, unknown[j], unknown[i]);
        trace += row[i] * (2 * sum + row[i] * readInverse(inverse, unknown[i], unknown[i]));
      }
    }
    response[s] = (scale * trace) / axes;
  }
}

/** Sides c … end − 1, all of one rod, and the factor from displacements to velocities [1/s²]. */
interface SideRange {
  readonly sides: ContactSides;
  readonly c: number;
  readonly end: number;
  readonly scale: number;
}

/** Products per unknown in a banded solve, twice: products with a dense matrix are faster each. */
const WORTH = 40;

/**
 * velocity = S H⁻¹ Sᵀ impulse at some sides of one rod: by banded solves, or by the dense matrix if it is needed so often that computing it, with
 * one solve per column, pays off. A hard contact step needs hundreds.
 */
export function respondTo(
  velocity: Float64Array,
  impulse: Float64Array,
  der: DerRod,
  slot: Slot,
  range: SideRange,
): void {
  const { sides, c, end } = range;
  const axes = axesOf(sides);
  const size = axes * (end - c);
  const enough = Math.ceil(size / 4);
  if (sides.goal || slot.turns++ < enough || size * size > WORTH * der.size) {
    solveSides(velocity, impulse, der, slot, range);
    return;
  }
  if (slot.turns === enough + 1) writeResponse(der, slot, range);
  multiply(velocity, slot.response, impulse, axes * c, size);
}

/** velocity = S H⁻¹ Sᵀ impulse by one banded solve. */
function solveSides(
  velocity: Float64Array,
  impulse: Float64Array,
  der: DerRod,
  { x, right, factor, matrix }: Slot,
  { sides, c, end, scale }: SideRange,
): void {
  if (sides.goal) x.set(right);
  else x.fill(0);
  addSides(x, der, impulse, sides, c, end);
  for (let d = 0; d < der.size; d++) if (der.fixed[d]) x[d] = 0;
  solveBand(factor, matrix, x);
  readSides(velocity, der, x, sides, c, end, scale);
}

let unit = new Float64Array(0);
let column = new Float64Array(0);

/** The dense matrix of the same map, column by column. */
function writeResponse(der: DerRod, slot: Slot, range: SideRange): void {
  const { sides, c, end } = range;
  const axes = axesOf(sides);
  const size = axes * (end - c);
  // with spare capacity, but not too much: 25,000 hairs have one each
  if (slot.response.length < size * size)
    slot.response = new Float64Array(Math.min(2 * size * size, Math.max(size * size, WORTH * der.size)));
  const first = axes * c;
  if (unit.length < axes * end) {
    unit = new Float64Array(2 * axes * end);
    column = new Float64Array(2 * axes * end);
  }
  for (let j = 0; j < size; j++) {
    unit[first + j] = 1;
    solveSides(column, unit, der, slot, range);
    unit[first + j] = 0;
    // symmetric: columns are rows
    for (let i = 0; i < size; i++) slot.response[j * size + i] = column[first + i];
  }
}

/** y = A x for `size` numbers from index `at`; A is symmetric. Four rows at a time, each summed in order: reading x is half of the work. */
function multiply(y: Float64Array, a: Float64Array, x: Float64Array, at: number, size: number): void {
  let i = 0;
  for (; i + 3 < size; i += 4) {
    const p = i * size;
    const q = p + size;
    const r = q + size;
    const s = r + size;
    let first = 0;
    let second = 0;
    let third = 0;
    let fourth = 0;
    for (let j = 0; j < size; j++) {
      const value = x[at + j];
      first += a[p + j] * value;
      second += a[q + j] * value;
      third += a[r + j] * value;
      fourth += a[s + j] * value;
    }
    y[at + i] = first;
    y[at + i + 1] = second;
    y[at + i + 2] = third;
    y[at + i + 3] = fourth;
  }
  for (; i < size; i++) {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += a[i * size + j] * x[at + j];
    y[at + i] = sum;
  }
}
