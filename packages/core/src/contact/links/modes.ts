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
  const other = rods.find((rod) => !capabilitiesOf(rod).nodalUnknowns);
  if (other)
    throw new SceneError(
      ['links'],
      `modes and matrices with links know rods of model ${modelsWith('nodalUnknowns').join(', ')}, and rod '${other.id}' is of model '${other.model}'; use ${modelsWith('nodalUnknowns').join(', ')} for all rods, or record the motion and look at its spectrum`,
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
  const numbers = numberUnknowns(each);
  const blocks = links.list.map((link) => {
    const block = createLinkBlock(link, rods);
    measureBlock(block, links, rods, samples);
    for (let r = 0; r < link.rows; r++) block.force[r] = stiffnessOf(link, r) * link.strain[r];
    writeBlockMatrix(block, links, rods, samples, () => Infinity);
    const at = Array.from(block.unknown, (_, i) => numbers.of[block.rod[i]].get(labelOf(block, i)) ?? -1);
    return { block, at };
  });
  type Entry = (block: LinkBlock, i: number, j: number) => number;
  const gather = (pick: (one: Matrices) => SparseSymmetric, entryOf: Entry): Entries => {
    const out: Entries = { row: [], column: [], value: [] };
    const slots = new Map<number, number>();
    const add = (i: number, j: number, value: number): void => {
      const [a, b] = [Math.max(i, j), Math.min(i, j)];
      const slot = slots.get(a * numbers.size + b);
      if (slot !== undefined) {
        out.value[slot] += value;
        return;
      }
      slots.set(a * numbers.size + b, out.value.length);
      out.row.push(a);
      out.column.push(b);
      out.value.push(value);
    };
    each.forEach((one, r) => {
      const { row, column, value } = pick(one);
      for (let k = 0; k < value.length; k++) add(numbers.first[r] + row[k], numbers.first[r] + column[k], value[k]);
    });
    for (const { block, at } of blocks) {
      for (let i = 0; i < block.size; i++) {
        for (let j = 0; j <= i; j++) {
          const value = at[i] < 0 || at[j] < 0 ? 0 : entryOf(block, i, j);
          // in a ring of few nodes one of them may occur twice
          if (value !== 0) add(at[i], at[j], i !== j && at[i] === at[j] ? 2 * value : value);
        }
      }
    }
    return out;
  };
  const pack = ({ row, column, value }: Entries): SparseSymmetric => ({
    row: Int32Array.from(row),
    column: Int32Array.from(column),
    value: Float64Array.from(value),
  });
  return {
    rod: rods.length > 1 ? `${rods[0].id} and ${rods.length - 1} more` : rods[0].id,
    size: numbers.size,
    labels: each.flatMap(({ labels }, r) => labels.map((label) => `rod '${rods[r].id}' ${label}`)),
    mass: pack(
      gather(
        ({ mass }) => mass,
        () => 0,
      ),
    ),
    stiffness: pack(
      gather(
        ({ stiffness }) => stiffness,
        ({ matrix, size }, i, j) => matrix[i * size + j],
      ),
    ),
    damping: pack(
      gather(
        ({ damping }) => damping,
        ({ link, rate, size }, i, j) => {
          let sum = 0;
          for (let r = 0; r < link.rows; r++) sum += dampingOf(link, r) * rate[r * size + i] * rate[r * size + j];
          return sum;
        },
      ),
    ),
  };
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

/** The lowest modes of all rods together, with the share of each rod. */
export function findLinkedModes(
  joined: Matrices,
  each: readonly Matrices[],
  rods: readonly Rod[],
  samples: readonly Samples[],
  count: number,
): Modes[] {
  const { size, mass, stiffness } = joined;
  const diagonal = new Float64Array(size);
  for (let k = 0; k < mass.value.length; k++) diagonal[mass.row[k]] = mass.value[k];
  const pairs = Array.from(stiffness.row, (i, k): [number, number] => [i, stiffness.column[k]]);
  const pattern = createSparsePattern(size, pairs);
  const factor = analyzeSparse(pattern, pairs, groupByNode(each, samples));
  const values = new Float64Array(pattern.slots);
  const stiff = new Float64Array(size);
  for (let k = 0; k < pairs.length; k++) {
    values[pattern.slotOf(...pairs[k])] += stiffness.value[k];
    if (pairs[k][0] === pairs[k][1]) stiff[pairs[k][0]] = stiffness.value[k];
  }
  // a typical ω² of slow bending, as for a single rod
  let soft = Infinity;
  for (let i = 0; i < size; i++) if (diagonal[i] > 0) soft = Math.min(soft, stiff[i] / diagonal[i]);
  const longest = rods.reduce((most, { edgeCount }) => Math.max(most, edgeCount), 1);
  soft /= pow(longest, 4);
  for (let i = 0; i < size; i++) values[i] += 1e-3 * soft * diagonal[i];
  factorSparse(factor, values, 0);
  const found = findLowestModes(
    {
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
    },
    count,
  );
  const omega = found.values.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)));
  const { first } = numberUnknowns(each);
  const shapes = rods.map(() => [] as Modes['shapes'][number][]);
  for (const vector of found.vectors) {
    let largest = 0;
    joined.labels.forEach((label, i) => {
      if (!label.endsWith('twist') && Math.abs(vector[i]) > Math.abs(largest)) largest = vector[i];
    });
    // a mode of pure spin moves no node: it is scaled by its angle
    if (largest === 0) for (const x of vector) if (Math.abs(x) > Math.abs(largest)) largest = x;
    rods.forEach(({ nodeCount, edgeCount }, r) => {
      const nodeDisplacement = new Float64Array(3 * nodeCount);
      const edgeTwist = new Float64Array(edgeCount);
      each[r].labels.forEach((label, i) => {
        const [kind, index, what] = label.split(' ');
        const value = vector[first[r] + i] / largest;
        if (kind === 'edge') edgeTwist[Number(index)] = value;
        else nodeDisplacement[3 * Number(index) + AXES.indexOf(what)] = value;
      });
      shapes[r].push({ nodeDisplacement, edgeTwist });
    });
  }
  return rods.map(({ id }, r) => ({ rod: id, omega, shapes: shapes[r] }));
}
