/** The implicit step of trees under forces at points: from the start of the step, or continuing from the trees' current state. */

import type { BundleState, StepOutcome } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import { cloneState, partOf } from '../stateParts.ts';
import { isFree, measureBulk, restoreTogether, rotateBack } from './bulk.ts';
import { depart } from './departure.ts';
import { resumeDrive } from './drive.ts';
import { moveAtEnd, writeEndVelocity } from './endVelocity.ts';
import { poseSamples } from './kinematics.ts';
import type { Bulk } from './records.ts';
import { createSlot, type Slot } from './response.ts';
import type { StrandTree } from './rod.ts';
import { type Start, type StepOptions, stepWithContact } from './step.ts';
import { createSidesByTree, linkOf, type SidesByTree } from './treeSides.ts';
import type { StepWork } from './trial.ts';

/** Correction at which Newton's method for a first guess stops [rad]; the rest is added as one linear step. */
const LOOSE = 2e-3;

/**
 * Maximum iterations; a solve that needs more is far from its solution, and the step is subdivided sooner. (Descent in the step's potential, with the
 * matrix shifted as needed, always converged, in tens of iterations: a hair that whips cost more than all others together.) With 10 instead of 20,
 * long hair takes 2 % fewer iterations, and 60 scenes of two hairs on the edge of a box have 216 extra substeps instead of 87.
 */
const SOON = 20;

export interface StrandContactParts {
  readonly trees: readonly StrandTree[];
  readonly place: readonly { readonly tree: StrandTree; readonly strand: StrandTree['rods'][number] }[];
  readonly workOf: (tree: StrandTree) => StepWork;
  readonly state: BundleState;
  readonly options: StepOptions;
  /** Sides from which on a tree's response is no matrix; for tests. */
  readonly many?: number;
}

/** Data of contact over a step. */
export interface StrandContact extends StrandContactParts {
  readonly systemOfRod: Int32Array;
  /** First link of each rod in its tree. */
  readonly firstLink: Int32Array;
  readonly byTree: SidesByTree;
  /** Slot of each tree that was in contact. */
  readonly slots: (Slot | undefined)[];
  /** State of each tree at the start of the step, and positions of the nodes of each rod. */
  readonly starts: readonly Start[];
  readonly positions: readonly Float64Array[];
  /** Tolerance of Newton's method for angles [rad]: not much finer than the tolerance of contact for velocities. */
  readonly accurate: number;
  /** Work space of `keepTurning`. */
  readonly flying: { readonly trees: StrandTree[]; readonly bulks: Bulk[] };
  /** Length of the step [s]. */
  h: number;
}

export function createContext(parts: StrandContactParts): StrandContact {
  const { trees, place, state, options } = parts;
  const indexOf = new Map(trees.map((tree, k) => [tree, k]));
  const systemOfRod = Int32Array.from(place, ({ tree }) => indexOf.get(tree) as number);
  const firstLink = Int32Array.from(place, ({ strand }) => strand.firstLink);
  const held = cloneState(state);
  return {
    ...parts,
    systemOfRod,
    firstLink,
    byTree: createSidesByTree(systemOfRod, firstLink, trees.length),
    slots: [],
    starts: trees.map((tree) => partOf(tree, state, held)),
    positions: listRods(parts).map(({ samples }) => samples.nodePosition.slice()),
    accurate: 100 * options.tolerance,
    flying: { trees: [], bulks: [] },
    h: 1,
  };
}

/** Rods of the scene by their index, then body links by theirs. */
export function listRods({ place, trees }: Pick<StrandContactParts, 'place' | 'trees'>): StrandTree['rods'] {
  const bodyLinks = trees.flatMap(({ rods }) => rods.filter(({ index }) => index >= place.length));
  return [...place.map(({ strand }) => strand), ...bodyLinks.sort((a, b) => a.index - b.index)];
}

export function slotOf({ slots, trees, workOf, positions }: StrandContact, k: number): Slot {
  slots[k] ??= createSlot(
    trees[k],
    workOf(trees[k]),
    trees[k].rods.map(({ index }) => positions[index]),
  );
  return slots[k];
}

export interface StepWishes {
  readonly t: number;
  readonly dt: number;
  /** True to continue from the trees' current state; else from the start of the step. */
  readonly again: boolean;
  /** A rough step stops short of the solution: `linearize` corrects for the rest. */
  readonly rough: boolean;
  /** After this step the forces do not change: velocities become those of its end. */
  readonly last: boolean;
  /** Newton may take all iterations of the options. */
  readonly robust: boolean;
}

/** Steps the marked trees under the sides' forces. On failure, their state is arbitrary. */
export function stepTrees(
  context: StrandContact,
  marked: Uint8Array,
  sides: ContactSides,
  wishes: StepWishes,
): StepOutcome {
  const { trees, options, accurate } = context;
  const { t, dt } = wishes;
  let iterations = 0;
  let iterationsMax = 0;
  context.h = dt;
  const tolerance = wishes.rough ? Math.max(LOOSE, accurate) : accurate;
  const patience = wishes.robust ? options.iterations : SOON;
  const limits = { ...options, tolerance, iterations: Math.min(options.iterations, patience) };
  for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) clearContact(trees[k]);
  addSideForces(context, sides);
  for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) {
    const spent = stepTree(context, k, wishes, limits);
    iterations += Math.abs(spent);
    iterationsMax = Math.max(iterationsMax, Math.abs(spent));
    if (spent < 0) {
      const failure = { rod: trees[k].rods[0].rod.id, reason: `Newton did not converge in ${-spent} iterations` };
      return { ok: false, iterations, iterationsMax, shifts: 0, failure };
    }
  }
  if (wishes.last) keepTurning(context, marked, t, dt);
  return { ok: true, iterations, iterationsMax, shifts: 0 };
}

/** Steps one tree; returns the iterations, negative on failure. */
function stepTree(context: StrandContact, k: number, { t, dt, again, last }: StepWishes, limits: StepOptions): number {
  const { trees, starts, accurate } = context;
  const tree = trees[k];
  const slot = slotOf(context, k);
  // a repeated step starts from the result of the first
  if (!again && slot.came) tree.q.set(slot.q);
  const { departure } = slot;
  if (!(departure.t === t && departure.h === dt)) {
    const { q, v } = tree;
    slot.q.set(q);
    q.set(starts[k].q);
    v.set(starts[k].v);
    depart(tree, departure, t, dt);
    q.set(slot.q);
  }
  tree.departure = departure;
  resumeDrive(departure.driven, tree);
  const spent = stepWithContact(tree, slot.step, starts[k], { t, dt, options: limits, again: again || slot.came });
  if (spent >= 0) poseSamples(tree);
  tree.departure = undefined;
  if (spent < 0) return spent;
  slot.came = true;
  slot.loose = limits.tolerance > accurate;
  slot.q.set(tree.q);
  if (last) slot.kinetic = writeEndVelocity(tree, departure, t + dt);
  return spent;
}

/** Restores the angular momentum of free trees, then updates everything that depends on the rates of the marked trees. */
function keepTurning(context: StrandContact, marked: Uint8Array, t: number, dt: number): void {
  const { trees, starts, flying } = context;
  flying.trees.length = 0;
  flying.bulks.length = 0;
  let alone = true;
  for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) {
    const tree = trees[k];
    if (!isFree(tree)) {
      alone = false;
      continue;
    }
    const { bulk, departure, kinetic } = slotOf(context, k);
    measureBulk(bulk, tree, departure, kinetic);
    rotateBack(bulk, tree);
    flying.trees.push(tree);
    flying.bulks.push(bulk);
  }
  if (alone) restoreTogether(flying.bulks, flying.trees, dt);
  for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) moveAtEnd(trees[k], dt, t + dt, starts[k].v);
}

/** Removes the contact forces from the tree. */
export function clearContact(tree: StrandTree): void {
  if (!tree.contact) return;
  tree.contact.tip.fill(0);
  tree.contact.torque.fill(0);
  tree.contact.base.fill(0);
}

export function addSideForces({ place, firstLink }: StrandContact, sides: ContactSides): void {
  for (let c = 0; c < sides.count; c++) addSideForce(place[sides.rod[c]].tree, linkOf(firstLink, sides, c), sides, c);
}

/** A force on the chord of an edge is one on its two nodes; with a lever it also turns the edge about itself. */
function addSideForce(tree: StrandTree, link: number, { weight, arm, force }: ContactSides, c: number): void {
  tree.contact ??= {
    tip: new Float64Array(3 * tree.linkCount),
    torque: new Float64Array(3 * tree.linkCount),
    base: new Float64Array(3),
  };
  const { tip, torque, base } = tree.contact;
  const o = 3 * c;
  const up = tree.parent[link];
  const spin = arm[o] * force[o] + arm[o + 1] * force[o + 1] + arm[o + 2] * force[o + 2];
  for (let k = 0; k < 3; k++) {
    tip[3 * link + k] += weight[c] * force[o + k];
    if (up >= 0) tip[3 * up + k] += (1 - weight[c]) * force[o + k];
    else base[k] += (1 - weight[c]) * force[o + k];
    torque[3 * link + k] += spin * tree.world[9 * link + 3 * k + 2];
  }
}
