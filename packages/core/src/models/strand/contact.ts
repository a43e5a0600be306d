/**
 * Contact for strands: the implicit step under forces at points, and its linear response, both by the sweep.
 *
 * A tree that touches something takes steps of first order: a second difference over an impact would answer with a rebound
 * that nobody asked for. Newton's matrix of the step is A/h²; a point mass glued to a link is a spring ρ/h² there, which
 * the elimination takes into the link's own terms. That is how a tree with many sides is solved (manySides.ts). Most have few, and
 * their response S A⁻¹ Sᵀ is found column by column anyway for its trace: it is kept, and over the rounds of a step it is kept while
 * the tree does not turn by more than NEAR from where it was found (what is left over, the next round sees). Point masses are added to
 * it by the identity of Woodbury, and the tens of solves that a contact solver asks for are products with a small matrix (a sweep each
 * made the solver ten times slower). [Hadap2006 §4] measures the same response by test forces, but of the
 * free accelerations; taken through the implicit step it knows the stiffness, and links without polar inertia do not matter.
 */

import type { BundleState, ContactPort, StepOutcome } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import { cloneState } from '../allOrNone.ts';
import { isFree, measureBulk, restoreTogether, rotateBack } from './bulk.ts';
import { depart } from './departure.ts';
import { recallBase, resumeDrive } from './drive.ts';
import { elasticEnergy } from './energy.ts';
import { evaluateBase, moveBase, moveLinks, poseLinks, poseSamples } from './kinematics.ts';
import { factorMany, MANY, solveMany, traceOfSide, writeAnswers } from './manySides.ts';
import { factorSweep } from './newton.ts';
import type { Bulk } from './records.ts';
import {
  addLinearStep,
  applyResponse,
  createSlot,
  glueMasses,
  isKnown,
  manyOf,
  NEAR,
  type Slot,
  writeResponse,
} from './response.ts';
import { moveSettled, settle } from './settle.ts';
import { type Start, type StepOptions, stepWithContact } from './step.ts';
import type { StrandTree } from './tree.ts';
import type { StepWork } from './trial.ts';

/** Newton for a first guess stops here [rad]: what is missing is added as the linear step from there. */
const LOOSE = 2e-3;

/**
 * Newton that needs more is not near its goal: the step is cut sooner. (One that goes downhill in the step's potential, with the matrix
 * shifted until it does, always came through, in tens of iterations: a hair that whips cost more than all others together.) With 10 in
 * place of 20, long hair takes 2 % fewer iterations, and 60 scenes of two hairs on the edge of a box have 216 extra pieces in place of 87.
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

/** Sides in the order of their trees. */
interface Buckets {
  order: Int32Array;
  readonly start: Int32Array;
  /** Trees that have any. */
  readonly present: Int32Array;
  count: number;
}

export function createStrandContact(parts: StrandContactParts): ContactPort {
  const { trees, place, workOf, state, options, many = MANY } = parts;
  const indexOf = new Map(trees.map((tree, k) => [tree, k]));
  const systemOfRod = Int32Array.from(place, ({ tree }) => indexOf.get(tree) as number);
  const slots: (Slot | undefined)[] = [];
  const held: Start = cloneState(state);
  const starts: Start[] = trees.map((tree) => partOf(tree, state, held));
  const positions = place.map(({ strand }) => strand.samples.nodePosition.slice());
  const buckets: Buckets = {
    order: new Int32Array(0),
    start: new Int32Array(trees.length + 1),
    present: new Int32Array(trees.length),
    count: 0,
  };
  // angles need not be known much better than contact knows the velocities
  const accurate = 100 * options.accuracy;
  const flying: { readonly trees: StrandTree[]; readonly bulks: Bulk[] } = { trees: [], bulks: [] };
  let h = 1;

  const slotOf = (k: number): Slot => {
    slots[k] ??= createSlot(
      trees[k],
      workOf(trees[k]),
      trees[k].rods.map(({ index }) => positions[index]),
    );
    return slots[k] as Slot;
  };

  /** Trees with sides, one after the other: `visit(tree, first, end)` in `buckets.order`. */
  const sort = (sides: ContactSides): void => {
    const { start } = buckets;
    if (buckets.order.length < sides.count) buckets.order = new Int32Array(2 * sides.count);
    start.fill(0);
    for (let c = 0; c < sides.count; c++) start[systemOfRod[sides.rod[c]] + 1]++;
    for (let k = 0; k < trees.length; k++) start[k + 1] += start[k];
    for (let c = sides.count - 1; c >= 0; c--) {
      const k = systemOfRod[sides.rod[c]] + 1;
      buckets.order[--start[k]] = c;
    }
    // what was counted down to the beginnings stands one place too far on
    for (let k = 0; k < trees.length; k++) start[k] = start[k + 1];
    start[trees.length] = sides.count;
    buckets.count = 0;
    for (let k = 0; k < trees.length; k++) if (start[k + 1] > start[k]) buckets.present[buckets.count++] = k;
  };

  const linkOf = (sides: ContactSides, c: number): number => place[sides.rod[c]].strand.firstLink + sides.edge[c];

  /** The step of the marked trees under the sides' forces: from its start, or on from where it came to. */
  const move = (
    marked: Uint8Array,
    sides: ContactSides,
    t: number,
    dt: number,
    again: boolean,
    accuracy: number,
    last: boolean,
    patience: number = SOON,
  ): StepOutcome => {
    let iterations = 0;
    let iterationsMax = 0;
    h = dt;
    for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) clearContact(trees[k]);
    for (let c = 0; c < sides.count; c++) addSideForce(place[sides.rod[c]].tree, linkOf(sides, c), sides, c);
    for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) {
      const tree = trees[k];
      const slot = slotOf(k);
      // a second look at the step starts from where the first came to
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
      const wishes = { ...options, accuracy, iterations: Math.min(options.iterations, patience) };
      const spent = stepWithContact(tree, slot.step, starts[k], t, dt, wishes, again || slot.came);
      iterations += Math.abs(spent);
      iterationsMax = Math.max(iterationsMax, Math.abs(spent));
      if (spent < 0) {
        tree.departure = undefined;
        const failure = { rod: tree.rods[0].rod.id, reason: `Newton did not converge in ${-spent} iterations` };
        return { ok: false, iterations, iterationsMax, shifts: 0, failure };
      }
      poseSamples(tree);
      tree.departure = undefined;
      slot.came = true;
      slot.loose = accuracy > accurate;
      slot.q.set(tree.q);
      if (last) slot.kinetic = settle(tree, departure, t + dt);
    }
    if (last) keepTurning(marked, t, dt);
    return { ok: true, iterations, iterationsMax, shifts: 0 };
  };

  /** Angular momentum where nothing holds it back; then all that follows from the rates of the marked trees. */
  const keepTurning = (marked: Uint8Array, t: number, dt: number): void => {
    flying.trees.length = 0;
    flying.bulks.length = 0;
    let alone = true;
    for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) {
      const tree = trees[k];
      if (!isFree(tree)) {
        alone = false;
        continue;
      }
      const { bulk, departure, kinetic } = slotOf(k);
      measureBulk(bulk, tree, departure, kinetic);
      rotateBack(bulk, tree);
      flying.trees.push(tree);
      flying.bulks.push(bulk);
    }
    if (alone) restoreTogether(flying.bulks, flying.trees, dt);
    for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1))
      moveSettled(trees[k], dt, t + dt, starts[k].v);
  };

  const readVelocity = (out: Float64Array, sides: ContactSides): void => {
    // the mean over the step: a link may turn by a radian in it, and its last velocity does not say where it went
    for (let c = 0; c < sides.count; c++) {
      const { nodePosition: x } = place[sides.rod[c]].strand.samples;
      const spin = slots[systemOfRod[sides.rod[c]]]?.departure.turned[linkOf(sides, c)] ?? 0;
      const from = positions[sides.rod[c]];
      const a = 3 * sides.edge[c];
      const w = sides.weight[c];
      for (let k = a; k < a + 3; k++) {
        const moved = (1 - w) * (x[k] - from[k]) + w * (x[k + 3] - from[k + 3]);
        out[3 * c + k - a] = moved / h + spin * sides.arm[3 * c + k - a];
      }
    }
  };

  /** H of a tree with many sides, where it is. */
  const factorGlued = (k: number, sides: ContactSides): boolean => {
    const slot = slotOf(k);
    const tree = trees[k];
    const { order, start } = buckets;
    const of = manyOf(slot, tree);
    of.sweep.columns = 6;
    of.sweep.coefficient = 1 / h;
    tree.departure = slot.departure;
    const m = start[k + 1] - start[k];
    const good = factorMany(of, tree, sides, order, start[k], m, linkOf, 1 / (h * h), slot.sweep.shift);
    tree.departure = undefined;
    return good;
  };

  return {
    systemOfRod,
    systemOfBody: new Int32Array(0),
    systemCount: trees.length,
    hold(marked) {
      for (let k = 0; k < trees.length; k++) {
        if (marked && !marked[k]) continue;
        copyTree(starts[k], trees[k]);
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
    },
    revert(marked, t) {
      for (let k = marked.indexOf(1); k >= 0; k = marked.indexOf(1, k + 1)) {
        copyTree(trees[k], starts[k]);
        poseTree(trees[k], t);
      }
    },
    step: (marked, sides, t, dt, robust, rough) => {
      h = dt;
      const patience = robust ? options.iterations : SOON;
      return move(marked, sides, t, dt, true, rough ? Math.max(LOOSE, accurate) : accurate, !rough, patience);
    },
    readsDisplacements: true,
    readVelocity,
    measureEnergy(out, k) {
      const { bending, twisting } = elasticEnergy(trees[k]);
      out.elastic += bending + twisting;
      for (const { rod, samples } of trees[k].rods) {
        for (let i = 0; i < samples.nodeVelocity.length; i++)
          out.kinetic += 0.5 * rod.nodeMass[(i / 3) | 0] * (samples.nodeVelocity[i] * samples.nodeVelocity[i]);
        for (let j = 0; j < rod.edgeCount; j++)
          out.kinetic += 0.5 * rod.edgeInertia[j] * (samples.edgeSpin[j] * samples.edgeSpin[j]);
      }
      return true;
    },
    applyForces(sides) {
      for (const tree of trees) clearContact(tree);
      for (let c = 0; c < sides.count; c++) addSideForce(place[sides.rod[c]].tree, linkOf(sides, c), sides, c);
    },
    // joint angles bear forces that are no longer in balance: the whole step under them is a good first guess
    guess(velocity, marked, sides, t, dt) {
      h = dt;
      if (!move(marked, sides, t, dt, false, Math.max(LOOSE, accurate), false).ok) return false;
      readVelocity(velocity, sides);
      return true;
    },
    linearize(velocity, response, marked, sides, t, dt, fresh) {
      h = dt;
      if (fresh && !move(marked, sides, t, dt, false, accurate, false).ok) return false;
      readVelocity(velocity, sides);
      sort(sides);
      const { order, start, present } = buckets;
      for (let b = 0; b < buckets.count; b++) {
        const k = present[b];
        const slot = slotOf(k);
        const tree = trees[k];
        const m = start[k + 1] - start[k];
        const few = m < many;
        if (!few || !isKnown(slot, tree, sides, order, start[k], m, linkOf)) {
          slot.sweep.columns = 6;
          slot.sweep.coefficient = 1 / dt;
          tree.departure = slot.departure;
          const good = (slot.sweep.drift < NEAR && slot.sweep.negative === 0) || factorShifted(slot, tree);
          tree.departure = undefined;
          if (!good) return false;
          if (few) writeResponse(slot, tree, sides, order, start[k], m, linkOf, 1 / (dt * dt));
          else writeAnswers(manyOf(slot, tree).answer, tree, slot.sweep);
        }
        if (slot.loose) addLinearStep(velocity, slot, tree, sides, order, start[k], m, linkOf, 1 / dt);
        if (!few) {
          const { answer } = manyOf(slot, tree);
          for (let i = start[k]; i < start[k + 1]; i++) {
            const c = order[i];
            response[c] = traceOfSide(answer, tree, linkOf(sides, c), sides, c, 1 / (3 * dt * dt));
          }
          continue;
        }
        for (let i = 0; i < m; i++) {
          let trace = 0;
          for (let r = 3 * i; r < 3 * i + 3; r++) trace += slot.free[r * 3 * m + r];
          response[order[start[k] + i]] = trace / 3;
        }
      }
      return true;
    },
    factor(_marked, sides) {
      const { order, start, present } = buckets;
      for (let b = 0; b < buckets.count; b++) {
        const k = present[b];
        const m = start[k + 1] - start[k];
        const slot = slotOf(k);
        if (m < many ? glueMasses(slot, sides, order, start[k], m) : factorGlued(k, sides)) continue;
        return false;
      }
      return true;
    },
    solve(velocity, impulse, sides) {
      const { order, start, present } = buckets;
      for (let b = 0; b < buckets.count; b++) {
        const k = present[b];
        const m = start[k + 1] - start[k];
        const slot = slotOf(k);
        if (m < many) applyResponse(velocity, slot.glued, impulse, order, start[k], m);
        else {
          const of = manyOf(slot, trees[k]);
          solveMany(velocity, of, trees[k], impulse, sides, order, start[k], m, linkOf, 1 / (h * h));
        }
      }
    },
  };
}

/** The matrix at the present state, shifted until it is positive. */
function factorShifted({ sweep }: Slot, tree: StrandTree): boolean {
  tree.glue = undefined;
  let shift = 0;
  while (!factorSweep(tree, sweep, shift) || sweep.negative > 0) {
    shift = shift === 0 ? 1e-6 : 4 * shift;
    if (shift > 1e8) return false;
  }
  return true;
}

/** All that follows from the state at time t. */
export function poseTree(tree: StrandTree, t: number): void {
  recallBase(tree);
  evaluateBase(tree, t);
  moveBase(tree, t, tree.originRate);
  poseLinks(tree);
  moveLinks(tree);
  poseSamples(tree);
}

/** A tree's part of a copy of the state. */
export function partOf(tree: StrandTree, state: BundleState, copy: BundleState): BundleState {
  return {
    q: sameSlice(tree.q, state.q, copy.q),
    v: sameSlice(tree.v, state.v, copy.v),
    memory: sameSlice(tree.memory, state.memory, copy.memory),
  };
}

/** The part of `other` that stands where `view` stands in `whole`. */
function sameSlice(view: Float64Array, whole: Float64Array, other: Float64Array): Float64Array {
  const o = (view.byteOffset - whole.byteOffset) / 8;
  return other.subarray(o, o + view.length);
}

export function copyTree(to: BundleState, from: BundleState): void {
  to.q.set(from.q);
  to.v.set(from.v);
  to.memory.set(from.memory);
}

/** No contact forces on the tree. */
export function clearContact(tree: StrandTree): void {
  if (!tree.contact) return;
  tree.contact.tip.fill(0);
  tree.contact.torque.fill(0);
  tree.contact.base.fill(0);
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
