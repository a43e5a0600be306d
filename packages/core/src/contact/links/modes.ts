/**
 * Matrices and modes of linked rods. The rods' matrices are on the diagonal; a link adds those of stiffness.ts, in the rods' unknowns (nodes and the
 * twist of edges, by their labels), including the geometric stiffness of its force.
 */

import { SceneError } from '../../errors.ts';
import { analyzeSparse, createSparsePattern, factorSparse, type Groups, solveSparse } from '../../linalg/sparse.ts';
import { findLowestModes } from '../../linalg/subspace.ts';
import { pow } from '../../math/rounded/index.ts';
import type { Matrices, Modes, SparseSymmetric } from '../../model.ts';
import { capabilitiesOf, modelsWith } from '../../models/registry.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { pathOfLink } from '../../scene/links.ts';
import type { Links } from './linkData.ts';
import { dampingOf, stiffnessOf } from './links.ts';
import { createLinkBlock, type LinkBlock, measureBlock, writeBlockMatrix } from './stiffness.ts';

interface Entries {
  readonly row: number[];
  readonly column: number[];
  readonly value: number[];
}

/** Indices of the unknowns of all rods in one list; −1 for prescribed ones. */
interface Numbering {
  readonly first: readonly number[];
  readonly of: readonly ReadonlyMap<string, number>[];
  readonly size: number;
}

const AXES = ['x', 'y', 'z'];

function numberUnknowns(each: readonly Matrices[]): Numbering {
  let size = 0;
  const first = each.map((one) => {
    size += one.size;
    return size - one.size;
  });
  return { first, size, of: each.map(({ labels }, r) => new Map(labels.map((label, i) => [label, first[r] + i]))) };
}

/** Names of a block's coordinates. */
function labelOf({ unknown, perEnd }: LinkBlock, i: number): string {
  const d = unknown[i];
  return perEnd === 7 && i % 7 === 6 ? `edge ${d >> 2} twist` : `node ${d >> 2} ${AXES[d & 3]}`;
}

/** Joint matrices of all rods: mass, stiffness and damping, including those of the links. */
export function joinMatrices(
  each: readonly Matrices[],
  links: Links,
  rods: readonly Rod[],
  samples: readonly Samples[],
): Matrices {
  refuseUnjoinable(each, links, rods);
  const numbers = numberUnknowns(each);
  const blocks = measureBlocks(links, rods, samples, numbers);
  const join = (pick: (one: Matrices) => SparseSymmetric, entryOf: EntryOfBlock): SparseSymmetric => {
    const sum = createSparseSum(numbers.size);
    addRods(sum, each.map(pick), numbers);
    addBlocks(sum, blocks, entryOf);
    return packEntries(sum.entries);
  };
  return {
    rod: rods.length > 1 ? `${rods[0].id} and ${rods.length - 1} more` : rods[0].id,
    size: numbers.size,
    labels: each.flatMap(({ labels }, r) => labels.map((label) => `rod '${rods[r].id}' ${label}`)),
    mass: join(
      ({ mass }) => mass,
      () => 0,
    ),
    stiffness: join(
      ({ stiffness }) => stiffness,
      ({ matrix, size }, i, j) => matrix[i * size + j],
    ),
    damping: join(({ damping }) => damping, dampingEntry),
  };
}

/** Throws for models and bodies whose matrices links cannot join. */
function refuseUnjoinable(each: readonly Matrices[], links: Links, rods: readonly Rod[]): void {
  const other = rods.find((rod) => !capabilitiesOf(rod).nodalUnknowns);
  const models = modelsWith('nodalUnknowns').join(', ');
  if (other)
    throw new SceneError(
      ['links'],
      `modes and matrices with links know rods of model ${models}, and rod '${other.id}' is of model '${other.model}'; use ${models} for all rods, or record the motion and look at its spectrum`,
    );
  for (const { plan } of links.list) {
    for (const rod of plan.rodB >= 0 ? [plan.rodA, plan.rodB] : [plan.rodA]) {
      if (each[rod].labels.every((label) => /^(node|edge) \d+ \w+$/.test(label))) continue;
      throw new SceneError(
        pathOfLink(plan),
        `rod '${rods[rod].id}' is joined to bodies, and modes and matrices with links know rods without; replace bodies by links`,
      );
    }
  }
}

/** A link's derivatives, and the joint numbers of its unknowns (−1: held). */
interface PlacedBlock {
  readonly block: LinkBlock;
  readonly at: readonly number[];
}

/** Stiffness and rates of all links at the current state. */
function measureBlocks(
  links: Links,
  rods: readonly Rod[],
  samples: readonly Samples[],
  numbers: ReturnType<typeof numberUnknowns>,
): PlacedBlock[] {
  return links.list.map((link) => {
    const block = createLinkBlock(link, rods);
    measureBlock(block, links, rods, samples);
    for (let r = 0; r < link.rows; r++) block.force[r] = stiffnessOf(link, r) * link.strain[r];
    writeBlockMatrix(block, links, rods, samples, () => Infinity);
    return { block, at: Array.from(block.unknown, (_, i) => numbers.of[block.rod[i]].get(labelOf(block, i)) ?? -1) };
  });
}

type EntryOfBlock = (block: LinkBlock, i: number, j: number) => number;

function dampingEntry({ link, rate, size }: LinkBlock, i: number, j: number): number {
  let sum = 0;
  for (let r = 0; r < link.rows; r++) sum += dampingOf(link, r) * rate[r * size + i] * rate[r * size + j];
  return sum;
}

/** A sparse symmetric matrix as a sum of entries of its lower triangle. */
interface SparseSum {
  readonly entries: Entries;
  add(i: number, j: number, value: number): void;
}

function createSparseSum(size: number): SparseSum {
  const entries: Entries = { row: [], column: [], value: [] };
  const slots = new Map<number, number>();
  return {
    entries,
    add(i, j, value) {
      const [a, b] = [Math.max(i, j), Math.min(i, j)];
      const slot = slots.get(a * size + b);
      if (slot !== undefined) {
        entries.value[slot] += value;
        return;
      }
      slots.set(a * size + b, entries.value.length);
      entries.row.push(a);
      entries.column.push(b);
      entries.value.push(value);
    },
  };
}

function addRods(sum: SparseSum, each: readonly SparseSymmetric[], { first }: ReturnType<typeof numberUnknowns>): void {
  each.forEach(({ row, column, value }, r) => {
    for (let k = 0; k < value.length; k++) sum.add(first[r] + row[k], first[r] + column[k], value[k]);
  });
}

function addBlocks(sum: SparseSum, blocks: readonly PlacedBlock[], entryOf: EntryOfBlock): void {
  for (const { block, at } of blocks) {
    for (let i = 0; i < block.size; i++) {
      for (let j = 0; j <= i; j++) {
        const value = at[i] < 0 || at[j] < 0 ? 0 : entryOf(block, i, j);
        // in a ring of few nodes one of them may occur twice
        if (value !== 0) sum.add(at[i], at[j], i !== j && at[i] === at[j] ? 2 * value : value);
      }
    }
  }
}

function packEntries({ row, column, value }: Entries): SparseSymmetric {
  return { row: Int32Array.from(row), column: Int32Array.from(column), value: Float64Array.from(value) };
}

/** Unknowns of a node and of the edge after it belong together. */
function groupByNode(each: readonly Matrices[], samples: readonly Samples[]): Groups {
  const of: number[] = [];
  const place: number[] = [];
  each.forEach(({ labels }, r) => {
    const groups = new Map<string, number>();
    for (const label of labels) {
      const node = label.split(' ')[1];
      const group = groups.get(node) ?? place.length / 3;
      of.push(group);
      if (groups.has(node)) continue;
      groups.set(node, group);
      for (let k = 0; k < 3; k++) place.push(samples[r].nodePosition[3 * Number(node) + k]);
    }
  });
  return { of, place };
}

/** Joint matrices, the matrices and samples of the rods that they were joined from. */
export interface JoinedRods {
  readonly joined: Matrices;
  readonly each: readonly Matrices[];
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
}

/** The lowest modes of all rods together, with the share of each rod. */
export function findLinkedModes(of: JoinedRods, count: number): Modes[] {
  const found = findLowestModes(createEigenproblem(of), count);
  const omega = found.values.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)));
  const shapes = of.rods.map(() => [] as Modes['shapes'][number][]);
  const { first } = numberUnknowns(of.each);
  for (const vector of found.vectors) {
    const largest = findLargest(vector, of.joined.labels);
    of.rods.forEach((rod, r) => {
      shapes[r].push(readShape(rod, of.each[r].labels, (i) => vector[first[r] + i] / largest));
    });
  }
  return of.rods.map(({ id }, r) => ({ rod: id, omega, shapes: shapes[r] }));
}

/** Joint stiffness, factored with a small shift, and joint mass. */
function createEigenproblem(of: JoinedRods): Parameters<typeof findLowestModes>[0] {
  const { size, mass, stiffness } = of.joined;
  const diagonal = new Float64Array(size);
  for (let k = 0; k < mass.value.length; k++) diagonal[mass.row[k]] = mass.value[k];
  const pairs = Array.from(stiffness.row, (i, k): [number, number] => [i, stiffness.column[k]]);
  const pattern = createSparsePattern(size, pairs);
  const factor = analyzeSparse(pattern, pairs, groupByNode(of.each, of.samples));
  const values = new Float64Array(pattern.slots);
  const stiff = new Float64Array(size);
  for (let k = 0; k < pairs.length; k++) {
    values[pattern.slotOf(...pairs[k])] += stiffness.value[k];
    if (pairs[k][0] === pairs[k][1]) stiff[pairs[k][0]] = stiffness.value[k];
  }
  // a typical ω² of slow bending, as for a single rod
  let soft = Infinity;
  for (let i = 0; i < size; i++) if (diagonal[i] > 0) soft = Math.min(soft, stiff[i] / diagonal[i]);
  const longest = of.rods.reduce((most, { edgeCount }) => Math.max(most, edgeCount), 1);
  soft /= pow(longest, 4);
  for (let i = 0; i < size; i++) values[i] += 1e-3 * soft * diagonal[i];
  factorSparse(factor, values, 0);
  return {
    mass: diagonal,
    soft,
    solve: (x) => solveSparse(factor, x),
    multiply: (y, x) => {
      y.fill(0);
      for (let k = 0; k < pairs.length; k++) {
        const [i, j] = pairs[k];
        y[i] += stiffness.value[k] * x[j];
        if (i !== j) y[j] += stiffness.value[k] * x[i];
      }
    },
  };
}

/** Largest displacement of a mode. A mode of pure spin moves no node: it is scaled by its angle. */
function findLargest(vector: ArrayLike<number>, labels: readonly string[]): number {
  let largest = 0;
  labels.forEach((label, i) => {
    if (!label.endsWith('twist') && Math.abs(vector[i]) > Math.abs(largest)) largest = vector[i];
  });
  if (largest === 0)
    for (let i = 0; i < vector.length; i++) if (Math.abs(vector[i]) > Math.abs(largest)) largest = vector[i];
  return largest;
}

/** A rod's share of a mode; `value` returns the entry of its unknown i. */
function readShape(
  { nodeCount, edgeCount }: Rod,
  labels: readonly string[],
  value: (i: number) => number,
): Modes['shapes'][number] {
  const nodeDisplacement = new Float64Array(3 * nodeCount);
  const edgeTwist = new Float64Array(edgeCount);
  labels.forEach((label, i) => {
    const [kind, index, what] = label.split(' ');
    if (kind === 'edge') edgeTwist[Number(index)] = value(i);
    else nodeDisplacement[3 * Number(index) + AXES.indexOf(what)] = value(i);
  });
  return { nodeDisplacement, edgeTwist };
}
