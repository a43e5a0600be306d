/**
 * Contact for strands: the implicit step under forces at points, and its linear response, both by the sweep.
 *
 * A tree in contact takes first-order steps: a second difference over an impact would cause a spurious rebound. Newton's matrix of the step is A/h²; a point
 * mass on a link is a spring ρ/h² there, which the elimination adds to the link's own terms. Trees with many sides are solved that way (manySides.ts).
 * Most have few, and their response S A⁻¹ Sᵀ is computed column by column anyway for its trace: it is stored, and reused over the rounds of a step while
 * the tree does not turn by more than NEAR from where it was computed (the next round corrects the rest). The Woodbury identity adds point masses, so the
 * tens of solves of a contact solver are products with a small matrix (a sweep each made the solver ten times slower). [Hadap2006 §4] measures the same
 * response by test forces, but of the free accelerations; taken through the implicit step it includes the stiffness, and links without polar inertia do
 * not matter.
 */

import type { ContactPort, SystemEnergy } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import { copyState } from '../stateParts.ts';
import {
  addSideForces,
  clearContact,
  createContext,
  type StrandContact,
  type StrandContactParts,
  slotOf,
  stepTrees,
} from './contactStep.ts';
import { poseTree } from './drive.ts';
import { elasticEnergy } from './energy.ts';
import { factorMany, MANY, manyOf, solveMany, traceOfSide, writeAnswers } from './manySides.ts';
import { factorShifted } from './newton.ts';
import { addLinearStep, applyResponse, attachMasses, isKnown, NEAR, type Slot, writeResponse } from './response.ts';
import type { StrandTree } from './rod.ts';
import { linkOf, selectTree, sortSides, type TreeSides } from './treeSides.ts';

export function createStrandContact(parts: StrandContactParts): ContactPort {
  const context = createContext(parts);
  const { trees, systemOfRod, starts } = context;
  return {
    systemOfRod,
    systemOfBody: new Int32Array(0),
    systemCount: trees.length,
    hold: (marked) => hold(context, marked),
    revert(marked, t) {
      for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) {
        copyState(trees[k], starts[k]);
        poseTree(trees[k], t);
      }
    },
    step: (marked, sides, { t, dt, robust, rough = false }) =>
      stepTrees(context, marked, sides, { t, dt, again: true, rough, last: !rough, robust }),
    readsDisplacements: true,
    readVelocity: (out, sides) => readVelocity(context, out, sides),
    measureEnergy(out, k) {
      // the work of loads on bodies is not known to the contact solver
      if (trees[k].bodies.length > 0) return false;
      addEnergy(out, trees[k]);
      return true;
    },
    applyForces(sides) {
      for (const tree of trees) clearContact(tree);
      addSideForces(context, sides);
    },
    // joint angles balance the forces of the last step: the whole step under these forces is a good first guess
    guess(velocity, marked, sides, { t, dt }) {
      const wishes = { t, dt, again: false, rough: true, last: false, robust: false };
      if (!stepTrees(context, marked, sides, wishes).ok) return false;
      readVelocity(context, velocity, sides);
      return true;
    },
    linearize({ velocity, response }, marked, sides, { t, dt, fresh }) {
      context.h = dt;
      const wishes = { t, dt, again: false, rough: false, last: false, robust: false };
      if (fresh && !stepTrees(context, marked, sides, wishes).ok) return false;
      readVelocity(context, velocity, sides);
      return linearizeTrees(context, velocity, response, sides);
    },
    factor: (_marked, sides) => factorTrees(context, sides),
    solve: (velocity, impulse, sides) => solveTrees(context, velocity, impulse, sides),
  };
}

/** Saves the current state of the marked trees, or of all, as the start of the step. */
function hold({ trees, starts, slots, place, systemOfRod, positions }: StrandContact, marked?: Uint8Array): void {
  for (let k = 0; k < trees.length; k++) {
    if (marked && !marked[k]) continue;
    copyState(starts[k], trees[k]);
    const slot = slots[k];
    if (!slot) continue;
    slot.came = false;
    slot.known = -1;
    slot.departure.t = Number.NaN;
    slot.sweep.drift = Number.POSITIVE_INFINITY;
  }
  place.forEach(({ strand }, rod) => {
    if (!marked || marked[systemOfRod[rod]]) positions[rod].set(strand.samples.nodePosition);
  });
  for (let k = 0; k < trees.length; k++) {
    if (trees[k].bodies.length === 0 || (marked && !marked[k])) continue;
    for (const { index, samples } of trees[k].rods) positions[index].set(samples.nodePosition);
  }
}

/** The mean over the step: a link may turn by a radian in it, so its last velocity does not give its displacement. */
function readVelocity(context: StrandContact, out: Float64Array, sides: ContactSides): void {
  const { place, slots, systemOfRod, firstLink, positions, h } = context;
  for (let c = 0; c < sides.count; c++) {
    const { nodePosition: x } = place[sides.rod[c]].strand.samples;
    const spin = slots[systemOfRod[sides.rod[c]]]?.departure.turned[linkOf(firstLink, sides, c)] ?? 0;
    const from = positions[sides.rod[c]];
    const a = 3 * sides.edge[c];
    const w = sides.weight[c];
    for (let k = a; k < a + 3; k++) {
      const moved = (1 - w) * (x[k] - from[k]) + w * (x[k + 3] - from[k + 3]);
      out[3 * c + k - a] = moved / h + spin * sides.arm[3 * c + k - a];
    }
  }
}

function isMany({ many = MANY }: StrandContact, { count }: TreeSides): boolean {
  return count >= many;
}

/** Computes the response of every tree with sides, at its current state. */
function linearizeTrees(
  context: StrandContact,
  velocity: Float64Array,
  response: Float64Array,
  sides: ContactSides,
): boolean {
  const { byTree, trees, h } = context;
  sortSides(byTree, sides);
  for (let b = 0; b < byTree.presentCount; b++) {
    const k = byTree.present[b];
    const slot = slotOf(context, k);
    const own = selectTree(byTree, k, sides);
    const many = isMany(context, own);
    if ((many || !isKnown(slot, trees[k], own)) && !findResponse(slot, trees[k], own, many, h)) return false;
    if (slot.loose) addLinearStep(velocity, slot, trees[k], own, 1 / h);
    if (many) writeTraces(response, slot, trees[k], own, h);
    else readTraces(response, slot, own);
  }
  return true;
}

/** The response as a matrix, or with many sides as that of each link. False if the tree's matrix cannot be factored. */
function findResponse(slot: Slot, tree: StrandTree, own: TreeSides, many: boolean, h: number): boolean {
  const { sweep, departure } = slot;
  sweep.columns = 6;
  sweep.coefficient = 1 / h;
  tree.departure = departure;
  const isFactored = sweep.drift < NEAR && sweep.negative === 0;
  if (!isFactored) tree.pointMasses = undefined;
  const good = isFactored || factorShifted(tree, sweep);
  tree.departure = undefined;
  if (!good) return false;
  if (many) writeAnswers(manyOf(slot, tree).answer, tree, sweep);
  else writeResponse(slot, tree, own, 1 / (h * h));
  return true;
}

function writeTraces(response: Float64Array, slot: Slot, tree: StrandTree, own: TreeSides, h: number): void {
  const { sides, order, from, count, firstLink } = own;
  const { answer } = manyOf(slot, tree);
  for (let i = from; i < from + count; i++) {
    const c = order[i];
    response[c] = traceOfSide(answer, tree, linkOf(firstLink, sides, c), sides, c, 1 / (3 * h * h));
  }
}

function readTraces(response: Float64Array, { free }: Slot, { order, from, count: m }: TreeSides): void {
  for (let i = 0; i < m; i++) {
    let trace = 0;
    for (let r = 3 * i; r < 3 * i + 3; r++) trace += free[r * 3 * m + r];
    response[order[from + i]] = trace / 3;
  }
}

function factorTrees(context: StrandContact, sides: ContactSides): boolean {
  const { byTree, trees, h } = context;
  for (let b = 0; b < byTree.presentCount; b++) {
    const k = byTree.present[b];
    const slot = slotOf(context, k);
    const own = selectTree(byTree, k, sides);
    if (!(isMany(context, own) ? factorWithMasses(slot, trees[k], own, h) : attachMasses(slot, own))) return false;
  }
  return true;
}

/** Factors H of a tree with many sides, at its current state. */
function factorWithMasses(slot: Slot, tree: StrandTree, own: TreeSides, h: number): boolean {
  const many = manyOf(slot, tree);
  many.sweep.columns = 6;
  many.sweep.coefficient = 1 / h;
  tree.departure = slot.departure;
  const good = factorMany(many, tree, own, 1 / (h * h), slot.sweep.shift);
  tree.departure = undefined;
  return good;
}

function solveTrees(context: StrandContact, velocity: Float64Array, impulse: Float64Array, sides: ContactSides): void {
  const { byTree, trees, h } = context;
  for (let b = 0; b < byTree.presentCount; b++) {
    const k = byTree.present[b];
    const slot = slotOf(context, k);
    const own = selectTree(byTree, k, sides);
    if (isMany(context, own)) solveMany(velocity, manyOf(slot, trees[k]), trees[k], impulse, own, 1 / (h * h));
    else applyResponse(velocity, slot.withMasses, impulse, own);
  }
}

function addEnergy(out: SystemEnergy, tree: StrandTree): void {
  const { bending, twisting } = elasticEnergy(tree);
  out.elastic += bending + twisting;
  for (const { rod, samples } of tree.rods) {
    for (let i = 0; i < samples.nodeVelocity.length; i++)
      out.kinetic += 0.5 * rod.nodeMass[(i / 3) | 0] * (samples.nodeVelocity[i] * samples.nodeVelocity[i]);
    for (let j = 0; j < rod.edgeCount; j++)
      out.kinetic += 0.5 * rod.edgeInertia[j] * (samples.edgeSpin[j] * samples.edgeSpin[j]);
  }
}
