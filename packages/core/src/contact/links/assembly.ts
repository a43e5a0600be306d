/** Linked rods, and the sparsity pattern of their equations: one sparse matrix, eliminated node by node. */
import { SceneError } from '../../errors.ts';
import { analyzeSparse, createSparsePattern, type Groups, type SparseFactor } from '../../linalg/sparse.ts';
import type { RestRod } from '../../model.ts';
import { capabilitiesOf, modelsWith } from '../../models/registry.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { pathOfLink } from '../../scene/links.ts';
import type { Link, Links } from './linkData.ts';
import { listUnknowns } from './mapping.ts';
import { createLinkBlock, type LinkBlock } from './stiffness.ts';

/** Linked rods and their equations. */
export interface RestGroup {
  readonly rods: readonly number[];
  readonly parts: readonly RestRod[];
  readonly first: readonly number[];
  readonly size: number;
  readonly blocks: readonly LinkBlock[];
  /** Slots of the entries of parts and blocks, in their order; −1 for prescribed unknowns. */
  readonly partSlot: readonly Int32Array[];
  readonly blockSlot: readonly Int32Array[];
  /** Unknowns that the edges of a block depend on: their numbers in the group, and their rods. */
  readonly blockUnknown: readonly Int32Array[];
  readonly blockPart: readonly Int32Array[];
  readonly factor: SparseFactor;
  readonly values: Float64Array;
  readonly entries: Float64Array;
  readonly x: Float64Array;
}

/** Sets of rods joined by links. */
export function joinRods(links: Links, count: number): number[][] {
  const parent = Array.from({ length: count }, (_, k) => k);
  const root = (k: number): number => {
    while (parent[k] !== k) {
      parent[k] = parent[parent[k]];
      k = parent[k];
    }
    return k;
  };
  const linked = new Set<number>();
  for (const { plan } of links.list) {
    linked.add(plan.rodA);
    if (plan.rodB < 0) continue;
    linked.add(plan.rodB);
    parent[root(plan.rodB)] = root(plan.rodA);
  }
  const sets = new Map<number, number[]>();
  for (const rod of [...linked].sort((a, b) => a - b)) {
    const set = sets.get(root(rod));
    if (set) set.push(rod);
    else sets.set(root(rod), [rod]);
  }
  return [...sets.values()];
}

interface GroupParts {
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  /** A rod at rest, if its model and its bodies allow for it. */
  restOf(rod: number): RestRod | undefined;
}

/** The rod at rest; throws an error with the reason if links cannot hold it. */
function requireRest({ rods, restOf }: GroupParts, rod: number, list: readonly Link[]): RestRod {
  const part = restOf(rod);
  if (part) return part;
  const { model, id } = rods[rod];
  const link = list.find(({ plan }) => plan.rodA === rod || plan.rodB === rod) as Link;
  const models = modelsWith('linkedEquilibria').join(', ');
  throw new SceneError(
    pathOfLink(link.plan),
    capabilitiesOf(rods[rod]).linkedEquilibria
      ? `rod '${id}' is joined to bodies, and statics with links does not support bodies; let the scene come to rest with damping, or replace bodies by links`
      : `statics with more than 20 links, or with links that hold angles or carry an offset, supports the models ${models}, and rod '${id}' is of model '${model}'; use one of these, or let the scene come to rest with damping`,
  );
}

/** Unknowns of a node and of the edge after it belong together, for the order of elimination. */
function groupByNode(parts: readonly RestRod[], first: readonly number[], samples: readonly Samples[]): Groups {
  const of: number[] = [];
  const place: number[] = [];
  parts.forEach((part, m) => {
    const nodes = place.length / 3;
    for (let d = 0; d < part.size; d++) of[first[m] + d] = nodes + part.nodeOf(d);
    for (const x of samples[m].nodePosition) place.push(x);
  });
  return { of, place };
}

/** Joins rods by the links between them: numbers of the unknowns, pattern of the matrix, its factor. */
export function createGroup(members: readonly number[], list: readonly Link[], given: GroupParts): RestGroup {
  const { rods, samples } = given;
  const place = new Map(members.map((rod, m) => [rod, m]));
  const parts = members.map((rod) => requireRest(given, rod, list));
  let size = 0;
  const first = parts.map((part) => {
    size += part.size;
    return size - part.size;
  });
  const blocks = list.map((link) => createLinkBlock(link, rods));
  const partOf = (rod: number): number => place.get(rod) as number;
  const unknowns = blocks.map((block) =>
    listUnknowns(block, (rod) => parts[partOf(rod)]).map(({ rod, unknown }) => {
      const m = partOf(rod);
      return { m, d: first[m] + unknown };
    }),
  );
  const blockUnknown = unknowns.map((list) => Int32Array.from(list, ({ d }) => d));
  const pairs: [number, number][] = [];
  parts.forEach((part, m) => {
    for (const [i, j] of part.pairs) pairs.push([first[m] + i, first[m] + j]);
  });
  for (const unknown of blockUnknown)
    for (let i = 0; i < unknown.length; i++) for (let j = 0; j <= i; j++) pairs.push([unknown[i], unknown[j]]);
  const groups = groupByNode(
    parts,
    first,
    members.map((rod) => samples[rod]),
  );
  const pattern = createSparsePattern(size, pairs);
  return {
    rods: members,
    parts,
    first,
    size,
    blocks,
    partSlot: parts.map((part, m) =>
      Int32Array.from(part.pairs, ([i, j]) => pattern.slotOf(first[m] + i, first[m] + j)),
    ),
    blockSlot: blockUnknown.map((unknown) => {
      const slot: number[] = [];
      for (let i = 0; i < unknown.length; i++)
        for (let j = 0; j <= i; j++) slot.push(pattern.slotOf(unknown[i], unknown[j]));
      return Int32Array.from(slot);
    }),
    blockUnknown,
    blockPart: unknowns.map((list) => Int32Array.from(list, ({ m }) => m)),
    factor: analyzeSparse(pattern, pairs, groups),
    values: new Float64Array(pattern.slots),
    entries: new Float64Array(parts.reduce((most, part) => Math.max(most, part.pairs.length), 0)),
    x: new Float64Array(size),
  };
}
