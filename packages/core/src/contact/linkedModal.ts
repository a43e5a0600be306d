/**
 * Matrices and modes of rods that links join, about a state in which no link pulls.
 *
 * The rods' own matrices stand on the diagonal; a link adds Cᵀ k C, with C written in the rods' unknowns (nodes and the twist
 * of edges, as their labels say). A link that pulls would add what its force turns with; such states are refused.
 */
import { SceneError } from '../errors.ts';
import { analyzeSparse, createSparsePattern, factorSparse, solveSparse } from '../linalg/sparse.ts';
import { findLowestModes } from '../linalg/subspace.ts';
import type { Matrices, Modes, SparseSymmetric } from '../model.ts';
import type { Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';
import { measureLinks } from './linkStrain.ts';
import { dampingOf, type Link, type Links, stiffnessOf } from './links.ts';

interface Entries {
  readonly row: number[];
  readonly column: number[];
  readonly value: number[];
}

/** Numbers of the unknowns of all rods in one row; −1 where one is prescribed. */
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

/** Row of C in the unknowns: their numbers and coefficients. */
function writeRow(link: Link, row: number, links: Links, rods: readonly Rod[], numbers: Numbering): [number, number][] {
  const { sideCount, firstSide, coefficient } = link;
  const out = new Map<number, number>();
  const add = (rod: number, label: string, value: number): void => {
    const i = numbers.of[rod].get(label);
    if (i !== undefined && value !== 0) out.set(i, (out.get(i) ?? 0) + value);
  };
  for (let i = 0; i < sideCount; i++) {
    const s = firstSide + i;
    const rod = links.sideRod[s];
    const edge = links.sideEdge[s];
    const weight = links.sideWeight[s];
    let spin = 0;
    for (let k = 0; k < 3; k++) {
      const c = coefficient[3 * (row * sideCount + i) + k];
      add(rod, `node ${edge} ${AXES[k]}`, (1 - weight) * c);
      add(rod, `node ${(edge + 1) % rods[rod].nodeCount} ${AXES[k]}`, weight * c);
      spin += c * links.sideArm[3 * s + k];
    }
    add(rod, `edge ${edge} twist`, spin);
  }
  return [...out];
}

/** All rods in one: mass, stiffness and damping, with those of the links. */
export function joinMatrices(
  each: readonly Matrices[],
  links: Links,
  rods: readonly Rod[],
  samples: readonly Samples[],
): Matrices {
  const other = rods.find(({ model }) => model !== 'der');
  if (other)
    throw new SceneError(
      ['links'],
      `modes and matrices with links need the unknowns of 'der'; rod '${other.id}' is of model '${other.model}'`,
    );
  measureLinks(links, links.list, rods, samples);
  refusePulling(links, rods);
  const numbers = numberUnknowns(each);
  const gather = (pick: (one: Matrices) => SparseSymmetric, factorOf: (link: Link, row: number) => number): Entries => {
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
    for (const link of links.list) {
      for (let row = 0; row < link.rows; row++) {
        const factor = factorOf(link, row);
        if (factor === 0) continue;
        const terms = writeRow(link, row, links, rods, numbers);
        terms.forEach(([i, a], m) => {
          for (let n = 0; n <= m; n++) add(i, terms[n][0], factor * a * terms[n][1]);
        });
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
    stiffness: pack(gather(({ stiffness }) => stiffness, stiffnessOf)),
    damping: pack(gather(({ damping }) => damping, dampingOf)),
  };
}

/** A link that pulls has a stiffness of its own that is not written here. */
function refusePulling({ list }: Links, rods: readonly Rod[]): void {
  for (const { plan, strain } of list) {
    const size = rods[plan.rodA].edgeLengthRest[plan.edgeA];
    if (strain.every((e, r) => Math.abs(e) <= 1e-6 * (r < 3 ? size : 1))) continue;
    throw new SceneError(
      [...plan.path],
      `link '${plan.id}' pulls, and modes and matrices are known only where no link does; use rest: start, and modes about: initial`,
    );
  }
}

/** The lowest modes of all rods together, for each rod its share. */
export function findLinkedModes(
  joined: Matrices,
  each: readonly Matrices[],
  rods: readonly Rod[],
  count: number,
): Modes[] {
  const { size, mass, stiffness } = joined;
  const diagonal = new Float64Array(size);
  for (let k = 0; k < mass.value.length; k++) diagonal[mass.row[k]] = mass.value[k];
  const pairs = Array.from(stiffness.row, (i, k): [number, number] => [i, stiffness.column[k]]);
  const pattern = createSparsePattern(size, pairs);
  const factor = analyzeSparse(pattern, pairs);
  const values = new Float64Array(pattern.slots);
  const stiff = new Float64Array(size);
  for (let k = 0; k < pairs.length; k++) {
    values[pattern.slotOf(...pairs[k])] += stiffness.value[k];
    if (pairs[k][0] === pairs[k][1]) stiff[pairs[k][0]] = stiffness.value[k];
  }
  // a typical ω² of slow bending, as for a rod alone
  let soft = Infinity;
  for (let i = 0; i < size; i++) if (diagonal[i] > 0) soft = Math.min(soft, stiff[i] / diagonal[i]);
  const longest = rods.reduce((most, { edgeCount }) => Math.max(most, edgeCount), 1);
  soft /= longest ** 4;
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
    // a mode that only spins moves no node: it is scaled by its angle
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
