/**
 * Static equations of linked rods: residuals, one sparse matrix, and the Newton step.
 *
 * The rods' matrices are on the diagonal of the matrix, the links' blocks between them. Link forces are separate unknowns, f = k(e + B dq) after a
 * step, like the tensions of edges: with f = k e a stiff joint between cross-sections that turn stalls the iteration.
 */

import { factorSparse } from '../../linalg/sparse.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { RestGroup } from './assembly.ts';
import type { Links } from './linkData.ts';
import { setLinkForce, stiffnessOf } from './links.ts';
import { isDirect, measureBlock, writeBlockMatrix } from './stiffness.ts';

/** Links and rods of the whole scene. */
export interface LinkScene {
  readonly links: Links;
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
}

export interface LinkedEquations extends RestGroup {
  readonly scene: LinkScene;
  /** For each unknown: its stiffness, as the scale of shifts, and the stiffness below which it counts as zero. */
  readonly scale: Float64Array;
  readonly zero: Float64Array;
  /** 1 for prescribed unknowns, as of the last `evaluate`. */
  readonly fixed: Uint8Array;
  /** For each rod: sum of the magnitudes of the forces on it [N], as of the last `evaluate`. */
  readonly forceSize: Float64Array;
  /** Index in `parts` of a rod of the scene. */
  readonly partOf: ReadonlyMap<number, number>;
  /** Link forces at the last `hold`. */
  readonly heldForce: readonly Float64Array[];
}

export function createLinkedEquations(group: RestGroup, scene: LinkScene): LinkedEquations {
  const { parts, first, size, blocks, rods } = group;
  const scale = new Float64Array(size);
  const zero = new Float64Array(size);
  parts.forEach((part, m) => {
    scale.set(part.scale, first[m]);
    zero.set(part.zero, first[m]);
  });
  return {
    ...group,
    scene,
    scale,
    zero,
    fixed: new Uint8Array(size),
    forceSize: new Float64Array(parts.length),
    partOf: new Map(rods.map((rod, m) => [rod, m])),
    heldForce: blocks.map(({ force }) => force.slice()),
  };
}

/** What `evaluate` computes. */
export interface Evaluation {
  readonly t: number;
  /** `tangent`: the matrix that stability verdicts need. */
  readonly what: 'matrix' | 'tangent';
  /** Weight of a fictitious inertia about `anchor`, in the metric of the stiffness. */
  readonly inertia: number;
}

/** Computes residuals, matrix and force magnitudes of rods and links at time t. Returns false if a rod has no residual. */
export function evaluate(system: LinkedEquations, evaluation: Evaluation): boolean {
  system.values.fill(0);
  if (!addRods(system, evaluation)) return false;
  addLinks(system, evaluation.what);
  dropFixed(system);
  return true;
}

function addRods(system: LinkedEquations, { t, what, inertia }: Evaluation): boolean {
  const { parts, first, values, entries, partSlot, fixed, forceSize, anchor } = system;
  for (let m = 0; m < parts.length; m++) {
    const part = parts[m];
    forceSize[m] = part.evaluate(t, what);
    if (Number.isNaN(forceSize[m])) return false;
    part.readMatrix(entries);
    const slot = partSlot[m];
    for (let k = 0; k < slot.length; k++) values[slot[k]] += entries[k];
    for (let d = 0; d < part.size; d++) {
      fixed[first[m] + d] = part.fixed[d];
      if (inertia === 0) continue;
      part.residual[d] += inertia * part.scale[d] * (part.q[d] - anchor[first[m] + d]);
      values[first[m] + d] += inertia * part.scale[d];
    }
  }
  return true;
}

const unlimited = (): number => Infinity;

function addLinks(system: LinkedEquations, what: Evaluation['what']): void {
  const { parts, blocks, blockUnknown, blockSlot, values, forceSize, partOf, scene } = system;
  const { links, rods, samples } = scene;
  blocks.forEach((block, b) => {
    measureBlock(block, links, rods, samples);
    writeBlockMatrix(block, links, rods, samples, what === 'tangent' ? limitStiffness(system, b) : unlimited);
    let k = 0;
    for (let i = 0; i < block.size; i++) {
      const m = partOf.get(block.rod[i]) as number;
      parts[m].residual[block.unknown[i]] += block.gradient[i];
      for (let j = 0; j <= i; j++, k++) {
        // in a ring of few nodes one of them may occur twice
        const twice = i !== j && blockUnknown[b][i] === blockUnknown[b][j] ? 2 : 1;
        values[blockSlot[b][k]] += twice * block.matrix[i * block.size + j];
      }
    }
    const { rodA, rodB } = block.link.plan;
    for (let r = 0; r < Math.min(3, block.link.rows); r++) {
      const size = Math.abs(block.force[r]);
      forceSize[partOf.get(rodA) as number] += size;
      if (rodB >= 0) forceSize[partOf.get(rodB) as number] += size;
    }
  });
}

/** Stiffness limit of each row of block b: next to springs much stiffer than bending, signs of eigenvalues are lost in rounding. */
function limitStiffness({ blocks, blockUnknown, scale }: LinkedEquations, b: number): (row: number) => number {
  return (row) => {
    let stiffest = 0;
    const unknown = blockUnknown[b];
    for (let i = 0; i < unknown.length; i++) {
      const twist = blocks[b].perEnd === 7 && i % 7 === 6;
      if (row < 3 !== twist) stiffest = Math.max(stiffest, scale[unknown[i]]);
    }
    return stiffest > 0 ? 1e4 * stiffest : Infinity;
  };
}

/** Replaces rows and columns of prescribed unknowns by those of the identity. */
function dropFixed({ parts, first, partSlot, blockSlot, blockUnknown, values, fixed }: LinkedEquations): void {
  const drop = (slot: number, i: number, j: number): void => {
    if (fixed[i] || fixed[j]) values[slot] = i === j ? 1 : 0;
  };
  parts.forEach((part, m) => {
    part.pairs.forEach(([i, j], k) => {
      drop(partSlot[m][k], first[m] + i, first[m] + j);
    });
  });
  blockUnknown.forEach((unknown, b) => {
    let k = 0;
    for (let i = 0; i < unknown.length; i++)
      for (let j = 0; j <= i; j++, k++) drop(blockSlot[b][k], unknown[i], unknown[j]);
  });
}

/** Force balance of a system, after `evaluate`. */
export interface Balance {
  readonly settled: boolean;
  /** Largest residual force [N], and its tolerance. */
  readonly residual: number;
  readonly tolerance: number;
}

/** Whether all rods are in equilibrium, and every link has the force of its strain. */
export function measureBalance({ parts, blocks, forceSize, scene }: LinkedEquations, tolerance: number): Balance {
  let settled = true;
  let residual = 0;
  let limit = 0;
  parts.forEach((part, m) => {
    const one = part.settled(forceSize[m], tolerance);
    if (!one.settled) settled = false;
    residual = Math.max(residual, one.residual);
    limit = Math.max(limit, one.limit);
  });
  for (const { link, force } of blocks) {
    const { rodA, edgeA } = link.plan;
    const { length, edgeLengthRest } = scene.rods[rodA];
    const x = scene.samples[rodA].nodePosition;
    const extent = Math.max(length, Math.abs(x[0]), Math.abs(x[1]), Math.abs(x[2]));
    for (let r = 0; r < link.rows; r++) {
      if (isDirect(link, r)) continue;
      const k = stiffnessOf(link, r);
      const least = r < 3 ? Math.max(1e-12 * edgeLengthRest[edgeA], 4e-15 * extent) : 1e-12;
      if (!(Math.abs(link.strain[r] - force[r] / k) <= Math.max(least, limit / k))) settled = false;
    }
  }
  return { settled, residual, tolerance: limit };
}

/** Factors the matrix plus `shift` times the unknowns' stiffness. Returns false if it is not positive definite, unless that is allowed. */
export function factorShifted(system: LinkedEquations, shift: number, allowsIndefinite = false): boolean {
  const { values, size, fixed, scale, factor } = system;
  const saved = shift > 0 ? values.slice(0, size) : undefined;
  for (let i = 0; i < size && saved; i++) if (!fixed[i]) values[i] += shift * scale[i];
  const done = factorSparse(factor, values, 0) && (factor.negative === 0 || allowsIndefinite);
  if (saved) values.set(saved);
  return done;
}

/** Writes the right-hand side of Newton's equations to x. */
export function writeRight({ parts, first, x, fixed, blocks, blockUnknown }: LinkedEquations): void {
  parts.forEach((part, m) => {
    part.writeRight();
    for (let d = 0; d < part.size; d++) x[first[m] + d] = fixed[first[m] + d] ? 0 : part.step[d];
  });
  blocks.forEach(({ link, rate, force, size: n }, b) => {
    for (let r = 0; r < link.rows; r++) {
      if (isDirect(link, r)) continue;
      const lag = stiffnessOf(link, r) * link.strain[r] - force[r];
      for (let i = 0; i < n; i++) {
        const d = blockUnknown[b][i];
        if (!fixed[d]) x[d] -= lag * rate[r * n + i];
      }
    }
  });
}

/** Moves rods and link forces by `part` of the step in x, which the rods' `step` has too. */
export function takeStep({ parts, x, fixed, blocks, blockUnknown }: LinkedEquations, part: number): void {
  blocks.forEach(({ link, rate, force, size: n }, b) => {
    for (let r = 0; r < link.rows; r++) {
      if (isDirect(link, r)) continue;
      let strain = link.strain[r];
      for (let i = 0; i < n; i++) strain += rate[r * n + i] * (fixed[blockUnknown[b][i]] ? 0 : x[blockUnknown[b][i]]);
      force[r] += part * (stiffnessOf(link, r) * strain - force[r]);
    }
  });
  for (const one of parts) one.takeStep(part);
}

/** Largest rotation or stretch of an edge of rod m of the group by x [rad]. */
export function largestTurn({ parts, first, x, rods: members, scene }: LinkedEquations, m: number): number {
  const { edgeLengthRest, edgeCount } = scene.rods[members[m]];
  let turn = 0;
  for (let d = first[m] + 4; d < first[m] + parts[m].size; d++) {
    const k = d - first[m];
    const edge = edgeLengthRest[Math.min((k >> 2) - 1, edgeCount - 1)];
    turn = Math.max(turn, (k & 3) === 3 ? Math.abs(x[d]) : Math.abs(x[d] - x[d - 4]) / edge);
  }
  return turn;
}

/** Saves rods and link forces. */
export function hold({ parts, blocks, heldForce }: LinkedEquations): void {
  for (const part of parts) part.hold();
  blocks.forEach(({ force }, b) => {
    heldForce[b].set(force);
  });
}

/** Restores the last `hold`. */
export function revert({ parts, blocks, heldForce }: LinkedEquations, t: number): void {
  for (const part of parts) part.revert(t);
  blocks.forEach(({ force }, b) => {
    force.set(heldForce[b]);
  });
}

/** Moves pins to their place at t, and sets link forces from the strains. */
export function start({ parts, blocks, scene }: LinkedEquations, t: number): void {
  parts.every((part) => part.place(t));
  for (const block of blocks) {
    measureBlock(block, scene.links, scene.rods, scene.samples);
    for (let r = 0; r < block.link.rows; r++) block.force[r] = stiffnessOf(block.link, r) * block.link.strain[r];
  }
}

/** Writes samples at rest, and the warm start of the links' next step. */
export function finish({ parts, blocks, partOf, scene }: LinkedEquations): void {
  const outside = parts.map((part) => new Float64Array(part.size));
  for (const block of blocks) {
    measureBlock(block, scene.links, scene.rods, scene.samples);
    setLinkForce(scene.links, block.link, block.force);
    for (let i = 0; i < block.size; i++)
      outside[partOf.get(block.rod[i]) as number][block.unknown[i]] -= block.gradient[i];
  }
  parts.forEach((part, m) => {
    part.finish(outside[m]);
  });
}
