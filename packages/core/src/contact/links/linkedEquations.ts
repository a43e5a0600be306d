/**
 * Static equations of linked rods: residuals, one sparse matrix, and the Newton step.
 *
 * The rods' matrices are on the diagonal of the matrix, the links' blocks between them. Link forces are separate unknowns, f = k(e + B dq) after a
 * step, like the tensions of edges: with f = k e a stiff joint between cross-sections that turn stalls the iteration.
 */

import { factorSparse } from '../../linalg/sparse.ts';
import type { OutsideForces, RestRod } from '../../model.ts';
import type { Samples } from '../../port.ts';
import type { RestGroup } from './assembly.ts';
import type { Link } from './linkData.ts';
import { setLinkForce, stiffnessOf } from './links.ts';
import { createMappedLink, listEnds, type MappedLink, mapLink } from './mapping.ts';
import { type LinkScene, sumLinkForces } from './restForces.ts';
import { isDirect, measureBlock, writeBlockMatrix } from './stiffness.ts';

export interface LinkedEquations extends RestGroup {
  readonly scene: LinkScene;
  /** For each block, as of the last `evaluate`. */
  readonly mapped: readonly MappedLink[];
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
  const { parts, first, size, blocks, blockUnknown, rods } = group;
  const partOf = new Map(rods.map((rod, m) => [rod, m]));
  const scale = new Float64Array(size);
  const zero = new Float64Array(size);
  parts.forEach((part, m) => {
    scale.set(part.scale, first[m]);
    zero.set(part.zero, first[m]);
  });
  return {
    ...group,
    scene: { ...scene, samples: scene.samples.map((own, rod) => chordSamplesOf(parts, partOf, rod) ?? own) },
    mapped: blocks.map((block, b) => createMappedLink(block, blockUnknown[b].length)),
    scale,
    zero,
    fixed: new Uint8Array(size),
    forceSize: new Float64Array(parts.length),
    partOf,
    heldForce: blocks.map(({ force }) => force.slice()),
  };
}

/** Samples with edges along their chords, of rods of a group whose models have them. */
function chordSamplesOf(
  parts: readonly RestRod[],
  partOf: ReadonlyMap<number, number>,
  rod: number,
): Samples | undefined {
  return parts[partOf.get(rod) ?? -1]?.readChords?.();
}

/** What `evaluate` computes. */
export interface Evaluation {
  readonly t: number;
  /** `tangent`: the matrix that stability verdicts need. */
  readonly what: 'matrix' | 'tangent';
  /** Weight of a fictitious inertia about the last `hold`, in the metric of the stiffness. */
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
  const { parts, first, values, entries, partSlot, fixed, forceSize, x } = system;
  for (let m = 0; m < parts.length; m++) {
    const part = parts[m];
    forceSize[m] = part.evaluate(t, what);
    if (Number.isNaN(forceSize[m])) return false;
    part.readMatrix(entries);
    const slot = partSlot[m];
    for (let k = 0; k < slot.length; k++) values[slot[k]] += entries[k];
    const displacement = x.subarray(first[m], first[m] + part.size);
    if (inertia > 0) part.writeDisplacement(displacement);
    for (let d = 0; d < part.size; d++) {
      fixed[first[m] + d] = part.fixed[d];
      if (inertia === 0) continue;
      part.residual[d] += inertia * part.scale[d] * displacement[d];
      values[first[m] + d] += inertia * part.scale[d];
    }
  }
  return true;
}

const unlimited = (): number => Infinity;

function addLinks(system: LinkedEquations, what: Evaluation['what']): void {
  const { parts, first, blocks, blockUnknown, blockPart, blockSlot, mapped, values, forceSize, partOf, scene } = system;
  const { links, rods, samples } = scene;
  blocks.forEach((block, b) => {
    measureBlock(block, links, rods, samples);
    writeBlockMatrix(block, links, rods, samples, what === 'tangent' ? limitStiffness(system, b) : unlimited);
    mapLink(mapped[b], block, (rod) => parts[partOf.get(rod) as number]);
    const { gradient, matrix } = mapped[b];
    const unknown = blockUnknown[b];
    let k = 0;
    for (let i = 0; i < unknown.length; i++) {
      const m = blockPart[b][i];
      parts[m].residual[unknown[i] - first[m]] += gradient[i];
      for (let j = 0; j <= i; j++, k++) {
        // in a ring of few nodes one of them may occur twice
        const twice = i !== j && unknown[i] === unknown[j] ? 2 : 1;
        values[blockSlot[b][k]] += twice * matrix[i * unknown.length + j];
      }
    }
    const { rodA, rodB } = block.link.plan;
    for (let r = 0; r < Math.min(3, block.link.rows); r++) {
      const size = Math.abs(block.force[r]);
      // else rods without loads would be compared with forces that are rounding
      if (size <= stiffnessOf(block.link, r) * smallestStrain(scene, block.link, r)) continue;
      forceSize[partOf.get(rodA) as number] += size;
      if (rodB >= 0) forceSize[partOf.get(rodB) as number] += size;
    }
  });
}

/** Stiffness limit of each row of block b: next to springs much stiffer than bending, signs of eigenvalues are lost in rounding. */
function limitStiffness({ blocks, parts, partOf }: LinkedEquations, b: number): (row: number) => number {
  const { link, perEnd } = blocks[b];
  return (row) => {
    let stiffest = 0;
    for (const { rod, edge } of listEnds(link)) {
      const part = parts[partOf.get(rod) as number];
      if (row < 3) stiffest = Math.max(stiffest, part.edgeScale(edge, 'nodes'));
      else if (perEnd === 7) stiffest = Math.max(stiffest, part.edgeScale(edge, 'turn'));
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
export interface ForceResidual {
  readonly settled: boolean;
  /** Largest residual force [N], and its tolerance. */
  readonly residual: number;
  readonly tolerance: number;
}

/** Strain of a row below which it is rounding: displacement [m] or angle [rad]. */
function smallestStrain({ rods, samples }: LinkScene, { plan: { rodA, edgeA } }: Link, row: number): number {
  if (row >= 3) return 1e-12;
  const { length, edgeLengthRest } = rods[rodA];
  const [x, y, z] = samples[rodA].nodePosition;
  const extent = Math.max(length, Math.abs(x), Math.abs(y), Math.abs(z));
  return Math.max(1e-12 * edgeLengthRest[edgeA], 4e-15 * extent);
}

/** True if all rods are in equilibrium, and every link has the force of its strain. */
export function measureBalance({ parts, blocks, forceSize, scene }: LinkedEquations, tolerance: number): ForceResidual {
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
    for (let r = 0; r < link.rows; r++) {
      if (isDirect(link, r)) continue;
      const k = stiffnessOf(link, r);
      const least = smallestStrain(scene, link, r);
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
export function writeRight({ parts, first, x, fixed, blocks, blockUnknown, mapped }: LinkedEquations): void {
  parts.forEach((part, m) => {
    part.writeRight();
    for (let d = 0; d < part.size; d++) x[first[m] + d] = fixed[first[m] + d] ? 0 : part.step[d];
  });
  blocks.forEach(({ link, force }, b) => {
    const { rate } = mapped[b];
    const n = blockUnknown[b].length;
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

/** Moves rods and link forces by `part` of the step in x, which the rods' `step` has too; `shift`: that of its matrix. */
export function takeStep(
  { parts, x, fixed, blocks, blockUnknown, mapped }: LinkedEquations,
  part: number,
  shift: number,
): void {
  blocks.forEach(({ link, force }, b) => {
    const { rate } = mapped[b];
    const n = blockUnknown[b].length;
    for (let r = 0; r < link.rows; r++) {
      if (isDirect(link, r)) continue;
      let strain = link.strain[r];
      for (let i = 0; i < n; i++) strain += rate[r * n + i] * (fixed[blockUnknown[b][i]] ? 0 : x[blockUnknown[b][i]]);
      force[r] += part * (stiffnessOf(link, r) * strain - force[r]);
    }
  });
  for (const one of parts) one.takeStep(part, shift);
}

/** The part of x that belongs to rod m of the group. */
export function stepOf({ parts, first, x }: LinkedEquations, m: number): Float64Array {
  return x.subarray(first[m], first[m] + parts[m].size);
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

/** Largest change of a link's angle by a move of the pins [rad]: links do not count turns, so that more than half a turn would be lost. */
const LARGEST_TURN = 1;

/**
 * Moves pins to their place at t, and sets link forces from the strains. Returns false if that is too much at once: a rod's state is impossible, or a link
 * turns too far.
 */
export function start({ parts, blocks, scene }: LinkedEquations, t: number): boolean {
  const { links, rods, samples } = scene;
  const before = blocks.map((block) => {
    measureBlock(block, links, rods, samples);
    return block.link.strain.slice(3);
  });
  let isPossible = true;
  for (const part of parts) if (!part.place(t)) isPossible = false;
  blocks.forEach((block, b) => {
    measureBlock(block, links, rods, samples);
    if (before[b].some((angle, r) => !(Math.abs(block.link.strain[3 + r] - angle) <= LARGEST_TURN))) isPossible = false;
    for (let r = 0; r < block.link.rows; r++) block.force[r] = stiffnessOf(block.link, r) * block.link.strain[r];
  });
  return isPossible;
}

/** Writes samples at rest, and the warm start of the links' next step. */
export function finish({ parts, blocks, rods, scene }: LinkedEquations, isEquilibrium: boolean): void {
  const outside = sumLinkForces(blocks, scene);
  for (const { link, force } of blocks) setLinkForce(scene.links, link, force);
  parts.forEach((part, m) => {
    part.finish(isEquilibrium);
    part.applyForces(outside.get(rods[m]) as OutsideForces);
  });
}
