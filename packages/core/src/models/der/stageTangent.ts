/**
 * A stage of an implicit step as linear equations: derivatives of its residuals, and the solve with their transpose.
 *
 * The unknowns are q and the edge tensions λ, as in newton.ts. A stage also depends on q̂ and q̃, and on the positions at its start and at the first guess, because
 * frames are transported from there: along a displaced path they arrive turned by an angle α (holonomy). Later iterates of Newton's method count as the solution; that
 * neglects angles of the size of its second correction. Residuals and α are differentiated by central differences of the code that solves the stage. A residual depends on the nodes up to two away, so every fifth node is moved at once, and 20 differences give a whole matrix.
 */

import { addGeneral, createGeneralBand, type GeneralBand, solveGeneral } from '../../linalg/bandLu.ts';
import { angleAbout3, transport3 } from '../../math/vec3.ts';
import type { StepPoint, StepStage } from '../../model.ts';
import { dependsOnState } from '../loadJacobian.ts';
import { copyArrays } from '../snapshot.ts';
import { evaluatePins, followCenterline, measureEdges, placePinned } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import { evaluateLoads, evaluateStage, setPenalties, type Workspace } from './stage.ts';

/** A rod and its work space. */
export interface SteppedRod {
  readonly der: DerRod;
  readonly work: Workspace;
}

/** Nodes on either side that a residual depends on, and nodes between two that may move at once. */
const REACH = 2;
const COLORS = 2 * REACH + 1;
/** Rows per node: residuals of x and θ, error of the edge's length, turn α of its frame. */
const ROWS = 6;
const EDGE_ERROR = 4;
const TURN = 5;
const BLOCK = COLORS * ROWS;
/** Unknowns per node in the order of elimination: x, θ, λ; and entries on either side of the diagonal. */
const WIDTH = 5;
const BAND = REACH * WIDTH + WIDTH - 1;
/** Size of differences: positions relative to an edge, angles in radians. */
const DIFFERENCE = 1e-5;

/** What a stage is differentiated by: its unknowns, the positions from which frames are transported, or q̃. */
type Variable = 'end' | 'start' | 'guess' | 'rate';

interface Change {
  readonly of: Variable;
  readonly direction: Float64Array;
  readonly amount: number;
}

const scratch = new Float64Array(3);

/** Angle by which the current frame of edge j is turned from that of a point, transported to the current edge. */
export function turnFrom({ edgeReference, edgeTangent }: DerRod, point: StepPoint, j: number): number {
  const o = 3 * j;
  transport3(scratch, 0, point.edgeReference, o, point.edgeTangent, o, edgeTangent, o);
  return angleAbout3(scratch, 0, edgeReference, o, edgeTangent, o);
}

function add(out: Float64Array, change: Change | undefined, variable: Variable): void {
  if (change?.of !== variable) return;
  for (let d = 0; d < out.length; d++) out[d] += change.amount * change.direction[d];
}

/** Evaluates the residuals of a stage at its solution, or beside it. Returns false if the state is impossible. */
export function evaluateAt({ der, work }: SteppedRod, stage: StepStage, change?: Change): boolean {
  const { q, v, size, fixed, edgeReference, edgeTangent } = der;
  const { from, to, rate, t } = stage;
  copyArrays(der, from, ['edgeReference', 'edgeTangent', 'jointReferenceTwist']);
  evaluatePins(der, t);
  for (const [of, place] of [
    ['start', from.q],
    ['guess', stage.guess.q],
  ] as const) {
    if (of === 'start' && change?.of !== 'start') continue;
    q.set(place);
    if (of === 'guess') placePinned(der, q, undefined);
    add(q, change, of);
    if (!measureEdges(der, q, work.edgeWork)) return false;
    for (let o = 0; o < edgeTangent.length; o += 3)
      transport3(edgeReference, o, edgeReference, o, work.edgeWork, o, edgeTangent, o);
  }
  q.set(to.q);
  add(q, change, 'end');
  placePinned(der, q, v);
  der.edgeTension.set(to.edgeTension);
  work.qHat.set(stage.qHat);
  work.qRate.set(stage.qRate);
  add(work.qRate, change, 'rate');
  if (!followCenterline(der, work.edgeWork)) return false;
  for (let d = 0; d < size; d++) if (!fixed[d]) v[d] = rate * (q[d] - work.qRate[d]);
  setPenalties(der, work, stage.inertia);
  evaluateLoads(der, t);
  return !Number.isNaN(evaluateStage(der, work, stage, undefined));
}

/** Derivatives by x and θ of each node: `BLOCK` numbers per unknown, rows of the nodes from two before to two after. */
type Columns = Float64Array;

function readRows(out: Float64Array, { der, work }: SteppedRod, stage: StepStage): void {
  out.fill(0);
  for (let d = 0; d < der.size; d++) out[ROWS * (d >> 2) + (d & 3)] = work.residual[d];
  for (let j = 0; j < der.edgeCount; j++) {
    out[ROWS * j + EDGE_ERROR] = work.edgeError[j];
    out[ROWS * j + TURN] = turnFrom(der, stage.to, j);
  }
}

function differentiate(rod: SteppedRod, stage: StepStage, of: Variable): Columns | undefined {
  const { nodeCount, size, rod: compiled, edgeCount } = rod.der;
  const columns = new Float64Array(4 * nodeCount * BLOCK);
  const direction = new Float64Array(size);
  const [above, below] = [new Float64Array(ROWS * nodeCount), new Float64Array(ROWS * nodeCount)];
  for (let component = 0; component < (of === 'start' || of === 'guess' ? 3 : 4); component++)
    for (let color = 0; color < COLORS; color++) {
      const amount = DIFFERENCE * (component < 3 ? compiled.length / edgeCount : 1);
      direction.fill(0);
      for (let d = 4 * color + component; d < size; d += 4 * COLORS) direction[d] = 1;
      if (!evaluateAt(rod, stage, { of, direction, amount })) return undefined;
      readRows(above, rod, stage);
      if (!evaluateAt(rod, stage, { of, direction, amount: -amount })) return undefined;
      readRows(below, rod, stage);
      for (let i = color; i < nodeCount; i += COLORS)
        for (let r = Math.max(0, i - REACH); r <= Math.min(nodeCount - 1, i + REACH); r++)
          for (let e = 0; e < ROWS; e++)
            columns[(4 * i + component) * BLOCK + (r - i + REACH) * ROWS + e] =
              (above[ROWS * r + e] - below[ROWS * r + e]) / (2 * amount);
    }
  return columns;
}

/** Sum of column d times weights of the rows. */
function weigh(columns: Columns, d: number, weights: Float64Array): number {
  const first = (d >> 2) - REACH;
  let sum = 0;
  for (let b = 0; b < BLOCK; b++) {
    const row = ROWS * first + b;
    if (row >= 0 && row < weights.length) sum += columns[d * BLOCK + b] * weights[row];
  }
  return sum;
}

/** Derivatives of an output by the state at the end of a stage; `turn`: by the angles α. */
export interface StageAdjoint {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly acceleration: Float64Array;
  readonly tension: Float64Array;
  readonly turn: Float64Array;
}

/** Derivatives of the output by q̂, by q̃, by the positions at the start and at the guess, and by what the stage reads. */
export interface StagePull {
  readonly hat: Float64Array;
  readonly rate: Float64Array;
  readonly start: Float64Array;
  readonly guess: Float64Array;
  readonly readings: Float64Array;
}

/** Numbers that a stage reads from the scene: residuals, edge errors, turns, prescribed unknowns and their rates. */
export const countReadings = ({ size, edgeCount }: DerRod): number => 3 * size + 2 * edgeCount;

/** Writes them at `o`, evaluated for another scene. */
export function readStage(out: Float64Array, o: number, rod: SteppedRod, stage: StepStage): void {
  const { der, work } = rod;
  const { size, edgeCount, fixed } = der;
  evaluateAt(rod, stage);
  out.set(work.residual, o);
  out.set(work.edgeError, o + size);
  for (let j = 0; j < edgeCount; j++) out[o + size + edgeCount + j] = turnFrom(der, stage.to, j);
  const held = o + size + 2 * edgeCount;
  for (let d = 0; d < size; d++) {
    out[held + d] = fixed[d] ? der.q[d] : 0;
    out[held + size + d] = fixed[d] ? der.v[d] : 0;
  }
}

/** A linearized stage. */
export interface StageTangent {
  /** Returns undefined if the matrix is singular. */
  pullBack(adjoint: StageAdjoint): StagePull | undefined;
}

/** True if forces depend on velocities. */
const hasRates = ({ drive, massDamping, edgeDamping, joints }: DerRod): boolean =>
  dependsOnState(drive) || [massDamping, edgeDamping, joints.damping].some((all) => all.some((one) => one !== 0));

/** Linearizes a stage about its solution. Returns undefined if a state beside it is impossible. */
export function linearizeStage(rod: SteppedRod, stage: StepStage): StageTangent | undefined {
  const { der } = rod;
  const end = differentiate(rod, stage, 'end');
  const start = differentiate(rod, stage, 'start');
  const guess = differentiate(rod, stage, 'guess');
  const rates = hasRates(der) ? differentiate(rod, stage, 'rate') : new Float64Array(0);
  if (!end || !start || !guess || !rates || !evaluateAt(rod, stage)) return undefined;
  const fixed = der.fixed.slice();
  const mass = der.mass.slice();
  const { inertia: c, rate: s } = stage;
  const system = createSystem(rod, stage, end, fixed);
  return {
    pullBack({ q, v, acceleration, tension, turn }) {
      const { size, edgeCount, nodeCount } = der;
      const weights = new Float64Array(ROWS * nodeCount);
      const turned = turn.map((one, j) => one + q[4 * j + 3]);
      for (let j = 0; j < edgeCount; j++) weights[ROWS * j + TURN] = turned[j];
      const z = q.map((one, d) => one + (fixed[d] ? 0 : s * v[d]) + (mass[d] !== 0 ? c * acceleration[d] : 0));
      const right = new Float64Array(size + edgeCount);
      for (let d = 0; d < size; d++) right[d] = fixed[d] ? 0 : z[d] + weigh(end, d, weights);
      right.set(tension, size);
      if (!system.solve(right)) return undefined;
      for (let d = 0; d < size; d++) weights[ROWS * (d >> 2) + (d & 3)] = -right[d];
      for (let j = 0; j < edgeCount; j++) weights[ROWS * j + EDGE_ERROR] = -right[size + j];
      const readings = new Float64Array(countReadings(der));
      for (let k = 0; k < size + edgeCount; k++) readings[k] = -right[k];
      readings.set(turned, size + edgeCount);
      const held = size + 2 * edgeCount;
      for (let d = 0; d < size; d++) {
        if (!fixed[d]) continue;
        readings[held + d] = z[d];
        readings[held + size + d] = v[d];
      }
      return {
        hat: mass.map((m, d) => (m !== 0 ? c * (m * right[d] - acceleration[d]) : 0)),
        rate: v.map((one, d) => (fixed[d] ? 0 : -s * one) + (rates.length > 0 ? weigh(rates, d, weights) : 0)),
        start: q.map((_, d) => ((d & 3) === 3 ? 0 : weigh(start, d, weights))),
        guess: q.map((_, d) => ((d & 3) === 3 || fixed[d] ? 0 : weigh(guess, d, weights))),
        readings,
      };
    },
  };
}

/** The transpose of the matrix, in the order x0 θ0 λ0 x1 …; rows and columns are scaled so that forces and lengths have the same size. */
function createSystem(
  { der }: SteppedRod,
  stage: StepStage,
  end: Columns,
  fixed: Uint8Array,
): { solve(x: Float64Array): boolean } {
  const { size, edgeCount, nodeCount, mass, stiffnessScale, edgeTangent, edgeStiffness } = der;
  const count = size + edgeCount;
  const place = (k: number): number => (k < size ? WIDTH * (k >> 2) + (k & 3) : WIDTH * (k - size) + EDGE_ERROR);
  const stiffness = Float64Array.from({ length: count }, (_, k) => {
    const d = k < size ? k : 4 * (k - size);
    return stiffnessScale[d] + stage.inertia * mass[d] || 1;
  });
  const rowScale = (k: number): number => (k < size ? 1 / stiffness[k] : 1);
  const columnScale = (k: number): number => (k < size ? 1 : stiffness[k]);
  const matrix = createGeneralBand(count, BAND);
  const put = (row: number, column: number, value: number): void => {
    if (value === 0 || (row < size && fixed[row]) || (column < size && fixed[column])) return;
    addGeneral(matrix, place(column), place(row), value * rowScale(row) * columnScale(column));
  };
  for (let d = 0; d < size; d++) {
    if (fixed[d]) addGeneral(matrix, place(d), place(d), 1);
    for (let b = 0; b < BLOCK; b++) {
      const node = (d >> 2) - REACH + Math.floor(b / ROWS);
      const e = b % ROWS;
      if (node < 0 || node >= nodeCount || e === TURN) continue;
      const row = e === EDGE_ERROR ? size + node : 4 * node + e;
      if (e === EDGE_ERROR ? node < edgeCount : row < size) put(row, d, end[d * BLOCK + b]);
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    for (let k = 0; k < 3; k++) {
      put(4 * j + k, size + j, -edgeTangent[3 * j + k]);
      put(4 * j + 4 + k, size + j, edgeTangent[3 * j + k]);
    }
    if (edgeStiffness[j] < Infinity) put(size + j, size + j, -1 / edgeStiffness[j]);
  }
  const copy: GeneralBand = createGeneralBand(count, BAND);
  const ordered = new Float64Array(count);
  return {
    solve(x) {
      copy.entries.set(matrix.entries);
      for (let k = 0; k < count; k++) ordered[place(k)] = x[k] * columnScale(k);
      if (solveGeneral(copy, ordered) === 0) return false;
      for (let k = 0; k < count; k++) x[k] = k < size && fixed[k] ? 0 : ordered[place(k)] * rowScale(k);
      return x.every(Number.isFinite);
    },
  };
}
