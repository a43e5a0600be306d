/**
 * Coarse-grid correction: removes errors of a cloth that extend over many links, in every iteration of the solver.
 *
 * It is the correction of drift.ts, with the velocities P c of coarseBasis.ts (some hundred corners c) instead of one velocity for all:
 *     K c = Pᵀ ρ(S v − y),    K = Pᵀ ρ(1 − S H⁻¹ Sᵀ ρ) P = Pᵀ (1/ρ + S A⁻¹ Sᵀ)⁻¹ P.
 * K is a sum over systems (rods). Among rods that pass through the same cells, with or without contact, SAMPLES are solved and represent all.
 * K is computed after PATIENCE iterations of a round, and kept until a later round of the step needs as many.
 *
 * Derivation and measurements: docs/notes/contact-solver.md#coarse-grid-correction.
 */

import { factorPositive, solvePositive } from '../../linalg/dense.ts';
import type { ContactPort } from '../../model.ts';
import type { BundleSides, SideArrays } from '../solve/sideArrays.ts';
import { RELAXATION } from '../solve/vectorLoops.ts';
import { rodsOf } from './arrays.ts';
import { CORNERS, type CoarseRows, gather, weightOf } from './coarseBasis.ts';
import { makeCoarse } from './coarseCells.ts';
import { loopLinks } from './law.ts';
import type { Coarse, LinkGroup } from './linkData.ts';
import { type LinkLoopArrays, PROLONG, RESTRICT } from './loops.ts';

/** Iterations without the correction. */
export const PATIENCE = 30;

/** Maximum number of corners, and minimum number of links per corner. */
const MOST = 450;
const EACH = 120;
/** Fewer corners are no better than one velocity for all. */
const LEAST = 16;

const SAMPLES = 6;

/** The links of a group and its sides, as far as K depends on them. */
export type CoarseGroup = Pick<LinkGroup, 'set' | 'all' | 'rows' | 'shared' | 'coarse'>;
export interface CoarseArrays extends Pick<SideArrays, 'rod' | 'mass' | 'velocityChange' | 'right'> {
  readonly bundles: readonly (Omit<BundleSides, 'port' | 'response' | 'reached'> & {
    readonly port: Pick<ContactPort, 'systemOfRod' | 'solve'>;
  })[];
}

/** Cells for the group's links: those of the last call if the links are the same. */
function findCoarse({ set, all, shared }: CoarseGroup): Coarse | undefined {
  const most = Math.min(MOST, Math.floor(set.count / EACH));
  if (most < LEAST) return undefined;
  const { last } = all.coarse;
  if (last?.set === set && (!shared || shared.coarseMemory(0) === last.rows.header.buffer)) return last;
  const rows = makeCoarse(all, set, most, (bytes) => shared?.coarseMemory(bytes) ?? new ArrayBuffer(bytes));
  if (!rows) return undefined;
  const size = rows.move.length;
  all.coarse.last = {
    rows,
    set,
    factor: new Float64Array(size * size),
    lumped: new Float64Array(size),
    pull: new Float64Array(size),
    step: new Float64Array(size),
  };
  return all.coarse.last;
}

/** A system whose columns are computed. */
interface Sample {
  readonly bundle: number;
  readonly system: number;
  /** Rods of the system, as rows. */
  readonly rods: number[];
  /** Number of systems that it represents. */
  weight: number;
  /** Corners that affect it. */
  corners: number[];
}

/** Linked systems of the group, and the samples among them. */
function chooseSamples({ rows }: Coarse, group: CoarseGroup, { bundles, rod }: CoarseArrays): Sample[] {
  const { first } = group.rows;
  const kinds = new Map<string, Sample[]>();
  let bundle = 0;
  const systems = new Map<string, Sample>();
  for (let j = 0; j < rodsOf(group.rows); j++) {
    while (bundle + 1 < bundles.length && bundles[bundle + 1].from <= first[j]) bundle++;
    const { port, sides: own, from } = bundles[bundle];
    const system = port.systemOfRod[own.rod[first[j] - from]];
    const key = `${bundle} ${system}`;
    const one = systems.get(key) ?? { bundle, system, rods: [], weight: 1, corners: [] };
    one.rods.push(j);
    systems.set(key, one);
  }
  for (const one of systems.values()) {
    let [path, hasContact] = ['', false];
    for (const j of one.rods) {
      for (let r = rows.rodRun[j]; r < rows.rodRun[j + 1]; r++) path += `${rows.corner[CORNERS * r]} `;
      // sides of contacts come before those of links
      hasContact ||= first[j] > 0 && rod[first[j] - 1] === rod[first[j]];
    }
    const kind = `${path}${hasContact}`;
    const list = kinds.get(kind);
    if (list) list.push(one);
    else kinds.set(kind, [one]);
  }
  return [...kinds.values()].flatMap((list) => {
    const count = Math.min(SAMPLES, list.length);
    return Array.from({ length: count }, (_, k) => {
      const one = list[Math.floor(((k + 0.5) * list.length) / count)];
      one.weight = list.length / count;
      const corners = new Set<number>();
      for (const j of one.rods)
        for (let r = CORNERS * rows.rodRun[j]; r < CORNERS * rows.rodRun[j + 1]; r++)
          if (rows.corner[r] >= 0) corners.add(rows.corner[r]);
      one.corners = [...corners];
      return one;
    });
  });
}

/** Calls `action` with the sides of a sample's rods that corner v affects, and their weights. */
function eachSide(
  { rows }: Coarse,
  first: Int32Array,
  { rods }: Sample,
  v: number,
  action: (s: number, weight: number) => void,
): void {
  const { rodRun, runSide, corner, fraction } = rows;
  for (const j of rods) {
    const shift = first[j] - runSide[rodRun[j]];
    for (let r = rodRun[j]; r < rodRun[j + 1]; r++) {
      let there = false;
      for (let c = 0; c < CORNERS; c++) there ||= corner[CORNERS * r + c] === v;
      for (let i = runSide[r]; there && i < runSide[r + 1]; i++) {
        let weight = 0;
        for (let c = 0; c < CORNERS; c++) if (corner[CORNERS * r + c] === v) weight += weightOf(fraction, 3 * i, c);
        action(i + shift, weight);
      }
    }
  }
}

/** Computes K from the current weights and response. Overwrites velocities and right-hand sides. */
export function weighCoarse(group: CoarseGroup, arrays: CoarseArrays): Coarse | undefined {
  const coarse = findCoarse(group);
  if (!coarse) return undefined;
  const { mass, velocityChange, right, bundles } = arrays;
  const { first } = group.rows;
  const { factor: k, lumped, rows } = coarse;
  const size = lumped.length;
  const samples = chooseSamples(coarse, group, arrays);
  const marked = bundles.map(({ systems }) => new Uint8Array(systems.length));
  for (const { bundle, system } of samples) marked[bundle][system] = 1;
  const solve = (): void =>
    bundles.forEach(({ port, sides: own, velocityChange: out, right: impulse }, b) => {
      port.solve(out, impulse, own, marked[b]);
    });
  right.fill(0);
  solve();
  const rest = velocityChange.slice();
  k.fill(0);
  lumped.fill(0);
  const columns = samples.reduce((most, { corners }) => Math.max(most, corners.length), 0);
  for (let column = 0; column < columns; column++) {
    for (let axis = 0; axis < 3; axis++) {
      for (const one of samples) {
        if (column >= one.corners.length) continue;
        eachSide(coarse, first, one, one.corners[column], (s, weight) => {
          right[3 * s + axis] = weight * mass[s];
        });
      }
      solve();
      for (const one of samples)
        if (column < one.corners.length) {
          const at = 3 * one.corners[column] + axis;
          addColumn({ k, size, at }, rows, first, one, arrays, rest);
          eachSide(coarse, first, one, one.corners[column], (s) => {
            lumped[at] += one.weight * right[3 * s + axis];
            right[3 * s + axis] = 0;
          });
        }
    }
  }
  for (let i = 0; i < size; i++) {
    // a system that barely reaches into a cell has a negligible weight at its corners
    k[i * size + i] += 1e-6 * lumped[i];
    for (let j = 0; j < i; j++) k[i * size + j] = 0.5 * (k[i * size + j] + k[j * size + i]);
  }
  return factorPositive(k, size) ? coarse : undefined;
}

/** Adds a sample's response to column `at` of the matrix k (`size` rows), whose load is in `right`, at all corners of the sample. */
function addColumn(
  { k, size, at }: { readonly k: Float64Array; readonly size: number; readonly at: number },
  { rodRun, runSide, corner, fraction }: CoarseRows,
  first: Int32Array,
  { rods, weight }: Sample,
  { mass, velocityChange, right }: CoarseArrays,
  rest: Float64Array,
): void {
  for (const j of rods) {
    const shift = first[j] - runSide[rodRun[j]];
    for (let r = rodRun[j]; r < rodRun[j + 1]; r++) {
      if (corner[CORNERS * r] < 0) continue;
      for (let i = runSide[r]; i < runSide[r + 1]; i++) {
        const s = i + shift;
        const rho = weight * mass[s];
        const x = weight * right[3 * s] - rho * (velocityChange[3 * s] - rest[3 * s]);
        const y = weight * right[3 * s + 1] - rho * (velocityChange[3 * s + 1] - rest[3 * s + 1]);
        const z = weight * right[3 * s + 2] - rho * (velocityChange[3 * s + 2] - rest[3 * s + 2]);
        for (let c = 0; c < CORNERS; c++) {
          const w = weightOf(fraction, 3 * i, c);
          if (w === 0) continue;
          const o = 3 * corner[CORNERS * r + c] * size + at;
          k[o] += w * x;
          k[o + size] += w * y;
          k[o + 2 * size] += w * z;
        }
      }
    }
  }
}

/** Adds the correction to the change of the iteration, RELAXATION times the residual of the sides: in `velocityChange`. */
export function correctCoarse(coarse: Coarse, group: CoarseGroup, arrays: LinkLoopArrays): void {
  const { rows, factor, lumped, pull, step } = coarse;
  loopLinks(group, RESTRICT, arrays);
  gather(pull, rows);
  step.set(pull);
  solvePositive(factor, step.length, step);
  for (let i = 0; i < step.length; i++) rows.move[i] = step[i] / RELAXATION - (lumped[i] > 0 ? pull[i] / lumped[i] : 0);
  loopLinks(group, PROLONG, arrays);
}
