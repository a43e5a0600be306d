/**
 * Matrices and modes of linked rods. The rods' matrices are on the diagonal; a link adds those of stiffness.ts, in the rods' unknowns, including the
 * geometric stiffness of its force.
 */

import { SceneError } from '../../errors.ts';
import { analyzeSparse, createSparsePattern, factorSparse, type Groups, solveSparse } from '../../linalg/sparse.ts';
import { findLowestModes, type ModalProblem } from '../../linalg/subspace.ts';
import { pow } from '../../math/rounded/index.ts';
import type { Matrices, Modes, RestRod, SparseSymmetric } from '../../model.ts';
import { capabilitiesOf, modelsWith } from '../../models/registry.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { pathOfLink } from '../../scene/links.ts';
import type { Link, Links } from './linkData.ts';
import { dampingOf, stiffnessOf } from './links.ts';
import { createMappedLink, listUnknowns, mapLink } from './mapping.ts';
import { createLinkBlock, measureBlock, writeBlockMatrix } from './stiffness.ts';

/** Rods, and the links between them. */
export interface LinkedRods {
  readonly links: Links;
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  /** The equations of a rod at rest, if its model and its bodies allow for it. */
  restOf(rod: number): RestRod | undefined;
}

/** Matrices of the rods, and the index of each rod's first unknown among those of all rods. */
interface RodMatrices {
  readonly each: readonly Matrices[];
  readonly first: readonly number[];
  readonly size: number;
}

function numberUnknowns(each: readonly Matrices[]): RodMatrices {
  let size = 0;
  const first = each.map((one) => {
    size += one.size;
    return size - one.size;
  });
  return { each, first, size };
}

/** Joint matrices of all rods: mass, stiffness and damping, including those of the links. */
export function joinMatrices(each: readonly Matrices[], linked: LinkedRods): Matrices {
  const { links, rods } = linked;
  const matrices = numberUnknowns(each);
  for (const { plan } of links.list)
    for (const rod of plan.rodB >= 0 ? [plan.rodA, plan.rodB] : [plan.rodA])
      requireEdges(linked, matrices, rod, pathOfLink(plan));
  const blocks = placeLinks(linked, matrices);
  const join = (pick: (one: Matrices) => SparseSymmetric, entryOf: EntryOfLink): SparseSymmetric => {
    const sum = createSparseSum(matrices.size);
    addRods(sum, each.map(pick), matrices);
    addLinks(sum, blocks, entryOf);
    return packEntries(sum.entries);
  };
  return {
    rod: rods.length > 1 ? `${rods[0].id} and ${rods.length - 1} more` : rods[0].id,
    size: matrices.size,
    labels: each.flatMap(({ labels }, r) => labels.map((label) => `rod '${rods[r].id}' ${label}`)),
    mass: join(
      ({ mass }) => mass,
      () => 0,
    ),
    stiffness: join(
      ({ stiffness }) => stiffness,
      ({ matrix, at }, i, j) => matrix[i * at.length + j],
    ),
    damping: join(({ damping }) => damping, dampingEntry),
  };
}

/** The edges of a rod in its unknowns, with the row of each unknown in the rod's matrices; throws if the model has no such unknowns. */
function requireEdges(
  { rods, restOf }: LinkedRods,
  { each }: RodMatrices,
  rod: number,
  path: readonly (string | number)[],
): { readonly edges: RestRod; readonly unknowns: readonly number[] } {
  const edges = restOf(rod);
  const { unknowns } = each[rod];
  if (edges && unknowns) return { edges, unknowns };
  const { id, model } = rods[rod];
  const models = modelsWith('linkedEquilibria').join(', ');
  throw new SceneError(
    path,
    capabilitiesOf(rods[rod]).linkedEquilibria
      ? `rod '${id}' is joined to bodies, and modes and matrices with links do not support bodies; replace bodies by links`
      : `modes and matrices with links support the models ${models}, and rod '${id}' is of model '${model}'; use one of these, or record the motion and compute its spectrum`,
  );
}

/** A link in the unknowns of its rods: its matrix, its strains' derivatives, and the joint numbers of these unknowns (−1: prescribed). */
interface PlacedLink {
  readonly link: Link;
  readonly matrix: Float64Array;
  readonly rate: Float64Array;
  readonly at: readonly number[];
}

/** Stiffness and rates of all links at the current state. */
function placeLinks({ links, rods, samples, restOf }: LinkedRods, { each, first }: RodMatrices): PlacedLink[] {
  const chords = samples.map((own, rod) => restOf(rod)?.readChords?.() ?? own);
  const edgesOf = (rod: number): RestRod => restOf(rod) as RestRod;
  const rowOf = each.map(({ unknowns = [] }, r) => new Map(unknowns.map((d, i) => [d, first[r] + i])));
  return links.list.map((link) => {
    const block = createLinkBlock(link, rods);
    measureBlock(block, links, rods, chords);
    for (let r = 0; r < link.rows; r++) block.force[r] = stiffnessOf(link, r) * link.strain[r];
    // the gradient with this force
    measureBlock(block, links, rods, chords);
    writeBlockMatrix(block, links, rods, chords, () => Infinity);
    const unknowns = listUnknowns(block, edgesOf);
    const { matrix, rate, ...rest } = createMappedLink(block, unknowns.length);
    mapLink({ matrix, rate, ...rest }, block, edgesOf);
    return { link, matrix, rate, at: unknowns.map(({ rod, unknown }) => rowOf[rod].get(unknown) ?? -1) };
  });
}

type EntryOfLink = (link: PlacedLink, i: number, j: number) => number;

function dampingEntry({ link, rate, at }: PlacedLink, i: number, j: number): number {
  const n = at.length;
  let sum = 0;
  for (let r = 0; r < link.rows; r++) sum += dampingOf(link, r) * rate[r * n + i] * rate[r * n + j];
  return sum;
}

interface Entries {
  readonly row: number[];
  readonly column: number[];
  readonly value: number[];
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

function addRods(sum: SparseSum, each: readonly SparseSymmetric[], { first }: RodMatrices): void {
  each.forEach(({ row, column, value }, r) => {
    for (let k = 0; k < value.length; k++) sum.add(first[r] + row[k], first[r] + column[k], value[k]);
  });
}

function addLinks(sum: SparseSum, links: readonly PlacedLink[], entryOf: EntryOfLink): void {
  for (const link of links) {
    const { at } = link;
    for (let i = 0; i < at.length; i++) {
      for (let j = 0; j <= i; j++) {
        const value = at[i] < 0 || at[j] < 0 ? 0 : entryOf(link, i, j);
        // in a ring of few nodes one of them may occur twice
        if (value !== 0) sum.add(at[i], at[j], i !== j && at[i] === at[j] ? 2 * value : value);
      }
    }
  }
}

function packEntries({ row, column, value }: Entries): SparseSymmetric {
  return { row: Int32Array.from(row), column: Int32Array.from(column), value: Float64Array.from(value) };
}

/** y = Ax */
function multiplySparse(y: Float64Array, { row, column, value }: SparseSymmetric, x: Float64Array): void {
  y.fill(0);
  for (let k = 0; k < value.length; k++) {
    y[row[k]] += value[k] * x[column[k]];
    if (row[k] !== column[k]) y[column[k]] += value[k] * x[row[k]];
  }
}

/** The lowest modes of all rods together at time t, with the share of each rod. */
export function findLinkedModes(each: readonly Matrices[], linked: LinkedRods, t: number, count: number): Modes[] {
  const { rods } = linked;
  const matrices = numberUnknowns(each);
  const known = rods.map((_, r) => requireEdges(linked, matrices, r, ['links']));
  known.forEach(({ edges }, r) => {
    refuseFollowers(edges, rods[r], t);
  });
  const joined = joinMatrices(each, linked);
  const groups = groupByNode(
    known.map(({ edges, unknowns }) => unknowns.map((d) => edges.nodeOf(d))),
    linked.samples,
  );
  const longest = rods.reduce((most, { edgeCount }) => Math.max(most, edgeCount), 1);
  const found = findLowestModes(createEigenproblem(joined, groups, longest), count);
  const omega = found.values.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)));
  const shapes = found.vectors.map((vector) =>
    scaleShapes(
      known.map(({ edges, unknowns }, r) => {
        const own = new Float64Array(edges.size);
        unknowns.forEach((d, i) => {
          own[d] = vector[matrices.first[r] + i];
        });
        return readShape(rods[r], edges, own);
      }),
    ),
  );
  return rods.map(({ id }, r) => ({ rod: id, omega, shapes: shapes.map((one) => one[r]) }));
}

/** Throws if loads on the rod have no potential. */
function refuseFollowers(edges: RestRod, { id }: Rod, t: number): void {
  edges.evaluate(t, 'tangent');
  if (!edges.conservative)
    throw new SceneError(
      ['loads'],
      `rod '${id}' has loads without a potential, so it has no natural modes; use \`run\`, or remove followers, torques and wind from the scene`,
    );
}

/** Unknowns of a node and of the edge after it belong together, for the order of elimination. */
function groupByNode(nodeOf: readonly (readonly number[])[], samples: readonly Samples[]): Groups {
  const of: number[] = [];
  const place: number[] = [];
  nodeOf.forEach((nodes, r) => {
    const groups = new Map<number, number>();
    for (const node of nodes) {
      const group = groups.get(node) ?? place.length / 3;
      of.push(group);
      if (groups.has(node)) continue;
      groups.set(node, group);
      place.push(...samples[r].nodePosition.subarray(3 * node, 3 * node + 3));
    }
  });
  return { of, place };
}

/** Joint stiffness, factored with a small shift, and joint mass. `longest`: edges of the longest rod. */
function createEigenproblem({ size, mass, stiffness }: Matrices, groups: Groups, longest: number): ModalProblem {
  const pairs = [stiffness, mass].flatMap(({ row, column }) =>
    Array.from(row, (i, k): [number, number] => [i, column[k]]),
  );
  const pattern = createSparsePattern(size, pairs);
  const factor = analyzeSparse(pattern, pairs, groups);
  const diagonalOf = ({ row, column, value }: SparseSymmetric): Float64Array => {
    const diagonal = new Float64Array(size);
    for (let k = 0; k < value.length; k++) if (row[k] === column[k]) diagonal[row[k]] = value[k];
    return diagonal;
  };
  const stiff = diagonalOf(stiffness);
  const heavy = diagonalOf(mass);
  // a typical ω² of slow bending, as for a single rod
  let soft = Infinity;
  for (let i = 0; i < size; i++) if (heavy[i] > 0) soft = Math.min(soft, stiff[i] / heavy[i]);
  soft /= pow(longest, 4);
  const values = new Float64Array(pattern.slots);
  const add = ({ row, column, value }: SparseSymmetric, factorOf: number): void => {
    for (let k = 0; k < value.length; k++) values[pattern.slotOf(row[k], column[k])] += factorOf * value[k];
  };
  add(stiffness, 1);
  add(mass, 1e-3 * soft);
  factorSparse(factor, values, 0);
  return {
    modeCount: heavy.reduce((sum, m) => sum + (m > 0 ? 1 : 0), 0),
    multiplyMass: (y, x) => multiplySparse(y, mass, x),
    createStart: (random) => heavy.map((m) => (m > 0 ? random() / Math.sqrt(m) : 0)),
    soft,
    solve: (x) => solveSparse(factor, x),
    multiply: (y, x) => multiplySparse(y, stiffness, x),
  };
}

type ModeShape = Pick<Modes['shapes'][number], 'nodeDisplacement' | 'edgeTwist'>;

const edgeRates = new Float64Array(7 * 64);

/** Displacement of nodes and twist of edges along a vector of unknowns. */
function readShape({ nodeCount, edgeCount }: Rod, edges: RestRod, x: Float64Array): ModeShape {
  const nodeDisplacement = new Float64Array(3 * nodeCount);
  const edgeTwist = new Float64Array(edgeCount);
  for (let j = 0; j < edgeCount; j++) {
    const unknowns = edges.listEdgeUnknowns(j, 'nodes-and-turn');
    edges.writeEdgeRates(edgeRates, j, 'nodes-and-turn');
    const row = (i: number): number =>
      unknowns.reduce((sum, d, k) => sum + edgeRates[i * unknowns.length + k] * x[d], 0);
    const b = (j + 1) % nodeCount;
    for (let k = 0; k < 3; k++) {
      nodeDisplacement[3 * j + k] = row(k);
      nodeDisplacement[3 * b + k] = row(3 + k);
    }
    edgeTwist[j] = row(6);
  }
  return { nodeDisplacement, edgeTwist };
}

function largestOf(arrays: readonly Float64Array[]): number {
  let largest = 0;
  for (const array of arrays) for (const x of array) if (Math.abs(x) > Math.abs(largest)) largest = x;
  return largest;
}

/** Scales a mode so that its largest displacement is 1. A mode of pure spin moves no node: it is scaled by its angle. */
function scaleShapes(shapes: readonly ModeShape[]): ModeShape[] {
  const largest =
    largestOf(shapes.map(({ nodeDisplacement }) => nodeDisplacement)) ||
    largestOf(shapes.map(({ edgeTwist }) => edgeTwist));
  return shapes.map(({ nodeDisplacement, edgeTwist }) => ({
    nodeDisplacement: nodeDisplacement.map((x) => x / largest),
    edgeTwist: edgeTwist.map((x) => x / largest),
  }));
}
