/**
 * Oriented strands [Hadap2006]: trees of rigid links with spherical joints, in joint coordinates. README.md beside this
 * file says which file does what; docs/strand.md says what the model is for.
 */

import { SceneError } from '../../errors.ts';
import { halvingsLeft, sumPieces } from '../../math/pieces.ts';
import type { Bundle, BundleState, Coupling, Drive, Model, StepOutcome } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import { findNode } from '../../scene/layout.ts';
import type { Scene } from '../../scene/types.ts';
import { advanceAllOrNone } from '../allOrNone.ts';
import { cloneState, copyState, partOf } from '../stateParts.ts';
import { countRows, createConstraints } from './constraints.ts';
import { createStrandContact } from './contact.ts';
import { clearContact, poseTree } from './contactStep.ts';
import { checkDirections, compileDirection } from './direction.ts';
import { recallBase } from './drive.ts';
import { initializeState, poseSamples } from './kinematics.ts';
import { exportMatrices, findModes } from './modal.ts';
import { findNatural } from './natural.ts';
import { type StrandJoint, type StrandOptions, strandCapabilities } from './options.ts';
import { addEnergies, addMomentum, measureReactions, readChannel } from './readouts.ts';
import { checkJoints, refuseAnisotropy, refuseRod, refuseTolerance, refuseTree } from './refuse.ts';
import { findEquilibrium, type StaticsWork } from './statics.ts';
import { advanceTree, type StepOptions, type StepResult } from './step.ts';
import { createSweep } from './terms.ts';
import { createTree, memoryCount, type Part, positionCount, type StrandTree, velocityCount } from './tree.ts';
import { createStepWork, type StepWork } from './trial.ts';

function compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle {
  const wishes: StrandOptions = scene.solver?.strand ?? {};
  if (coupling.welds.length > 0)
    throw new SceneError(['welds'], 'the model strand is not welded to bodies; use model: der for those rods');
  refuseTolerance(wishes.tolerance);
  refuseAnisotropy(rods, wishes.stiffness);
  rods.forEach((rod, k) => {
    refuseRod(
      rod,
      drives[k],
      scene.rods.findIndex(({ id }) => id === rod.id),
    );
  });
  const options: StepOptions = {
    order: wishes.integrator === 'implicit-euler' ? 1 : 2,
    tolerance: wishes.tolerance ?? 1e-8,
    iterations: wishes.iterations ?? 40,
    stepError: wishes.stepError ?? 0,
    numeric: wishes.jacobian === 'numeric',
  };
  const groups = findTrees(rods, drives, scene);
  const counts = groups.map((parts) => parts.reduce((sum, { rod }) => sum + rod.edgeCount, 0));
  checkJoints(scene);
  const rows = groups.map((parts) => countRows(parts, scene));
  const total = (count: (links: number) => number): number => counts.reduce((sum, links) => sum + count(links), 0);
  const state = {
    q: new Float64Array(total(positionCount)),
    v: new Float64Array(total(velocityCount)),
    memory: new Float64Array(total(memoryCount) + rows.reduce((sum, count) => sum + count, 0)),
  };
  const at = { q: 0, v: 0, memory: 0 };
  const trees = groups.map((parts, k) => {
    const take = (name: 'q' | 'v' | 'memory', count: number): Float64Array => {
      at[name] += count;
      return state[name].subarray(at[name] - count, at[name]);
    };
    const links = counts[k];
    const tree = createTree(
      parts,
      wishes.stiffness ?? 'gibbs',
      take('q', positionCount(links)),
      take('v', velocityCount(links)),
      take('memory', memoryCount(links) + rows[k]),
    );
    const forces = tree.memory.subarray(memoryCount(links));
    tree.constraints = createConstraints(tree, scene, forces, (spec, path) => nodeOfJoint(spec, rods, path));
    return tree;
  });
  trees.forEach((tree) => {
    refuseTree(tree);
  });
  // one work space, as large as the largest tree needs
  const most = Math.max(...counts);
  const sweep = createSweep(most);
  const works = new Map(counts.map((links) => [links, createStepWork(links, sweep)]));
  const statics = new Map<number, StaticsWork>();
  for (const [links, { direction, trial, q0 }] of works) statics.set(links, { sweep, direction, scaled: trial, q0 });
  const place = rods.map((_, index) => {
    const tree = trees.find(({ rods: members }) => members.some((member) => member.index === index)) as StrandTree;
    return { tree, strand: tree.rods.find((member) => member.index === index) as StrandTree['rods'][number] };
  });
  checkDirections(scene);
  const warnings: string[] = [];
  for (const tree of trees) {
    initializeState(tree);
    tree.direction = compileDirection(tree, scene);
    if (tree.direction?.scale) tree.trueMotion = new Float64Array(6 * tree.linkCount);
    if (tree.rods.some(({ rod }) => rod.naturalFromEquilibrium)) findNatural(tree, sweep, warnings);
  }
  const before = cloneState(state);
  const starts = trees.map((tree) => partOf(tree, state, before));
  const piece = trees.map(cloneState);

  const refresh = (t: number): void => {
    for (const tree of trees) poseTree(tree, t);
  };

  const workOf = (tree: StrandTree): StepWork => works.get(tree.linkCount) as StepWork;

  /** The step of one tree in pieces, while all others wait at its end: trees do not know of each other. */
  const advanceApart = (k: number, t: number, dt: number, whole: StepResult): StepResult => {
    const tree = trees[k];
    const back = (to: BundleState, now: number): void => {
      copyState(tree, to);
      poseTree(tree, now);
    };
    back(starts[k], t);
    const { last, ...sum } = sumPieces({ t, dt }, halvingsLeft(scene.time, dt), { ...whole }, (from, length, share) => {
      coupling.onPiece?.(from);
      copyState(piece[k], tree);
      const one = advanceTree(tree, workOf(tree), from, length, options, share <= 1 / 4);
      if (one.ok) poseSamples(tree);
      else back(piece[k], from);
      return one.ok ? one : { ...one, rejected: one.rejected + 1 };
    });
    return { ...sum, reason: last.reason };
  };

  const advanceTrees = (t: number, dt: number, robust: boolean, without?: Uint8Array): StepOutcome => {
    let iterations = 0;
    let iterationsMax = 0;
    let substeps = 1;
    let rejected = 0;
    let violation = 0;
    for (let k = 0; k < trees.length; k++) {
      if (without?.[k]) continue;
      const tree = trees[k];
      clearContact(tree);
      let step = advanceTree(tree, workOf(tree), t, dt, options, robust);
      if (!step.ok) step = advanceApart(k, t, dt, step);
      iterations += step.iterations;
      iterationsMax = Math.max(iterationsMax, step.iterationsMax);
      substeps = Math.max(substeps, step.substeps);
      rejected += step.rejected;
      violation = Math.max(violation, tree.constraints?.violation ?? 0);
      if (step.ok) {
        poseSamples(tree);
        continue;
      }
      const failure = { rod: tree.rods[0].rod.id, reason: step.reason };
      return { ok: false, iterations, iterationsMax, shifts: 0, failure };
    }
    return { ok: true, iterations, iterationsMax, shifts: 0, substeps, rejected, ...(violation > 0 && { violation }) };
  };

  return {
    model: 'strand',
    rods,
    samples: place.map(({ strand }) => strand.samples),
    bodies: [],
    warnings,
    state,
    refresh,
    restart: () => {
      for (const tree of trees) {
        tree.history.header.fill(0);
        recallBase(tree);
      }
    },
    advance: (t, dt, robust, without) =>
      advanceAllOrNone({ state, before, refresh }, t, () => advanceTrees(t, dt, robust, without)),
    contact: createStrandContact({ trees, place, workOf, state, options }),
    addEnergies: (out, t) => {
      for (const tree of trees) addEnergies(out, tree, t);
    },
    addMomentum: (out) => {
      for (const tree of trees) addMomentum(out, tree);
    },
    readChannel: (out, rod, channel) => readChannel(out, place[rod].tree, place[rod].strand, channel),
    equilibrate: (rod, t, wanted) => {
      const { tree } = place[rod];
      const work = statics.get(tree.linkCount) as StaticsWork;
      const report = findEquilibrium(tree, work, rods[rod].id, t, wanted);
      refresh(t);
      return report;
    },
    reactions: (rod, t) => measureReactions(place[rod].tree, place[rod].strand, t),
    modes: (rod, t, count) => findModes(place[rod].tree, place[rod].strand, sweep, t, count),
    matrices: (rod, t) => exportMatrices(place[rod].tree, place[rod].strand, sweep, t),
  };
}

/** The node of a joint: a location that is one of the rod's nodes, but its end. */
function nodeOfJoint(spec: StrandJoint, rods: readonly Rod[], path: readonly (string | number)[]): number {
  const rod = rods.find(({ id }) => id === spec.rod) as Rod;
  const nodeU = Array.from(rod.nodeArc, (arc) => arc / rod.length);
  const layout = { closed: false, edgeCount: rod.edgeCount, nodeCount: rod.nodeCount, nodeU, length: rod.length };
  const node = findNode(spec.at, layout, [...path, 'at']);
  if (node < rod.edgeCount) return node;
  throw new SceneError([...path, 'at'], `the end of rod '${rod.id}' has no joint; name an earlier place`);
}

/** Rods that grow from each other, parents first. */
export function findTrees(rods: readonly Rod[], drives: readonly Drive[], scene: Scene): Part[][] {
  const groups: Part[][] = [];
  const placed = new Map<string, { group: Part[]; part: number }>();
  rods.forEach((rod, index) => {
    const up = rod.parent && placed.get(scene.rods[rod.parent.rod].id);
    const group = up?.group ?? [];
    if (!up) groups.push(group);
    placed.set(rod.id, { group, part: group.length });
    const parent = up && rod.parent ? { parent: { part: up.part, node: rod.parent.node } } : {};
    group.push({ rod, index, drive: drives[index], ...parent });
  });
  return groups;
}

export const strandModel: Model = {
  id: 'strand',
  capabilities: strandCapabilities,
  compile,
};
