/**
 * Oriented strands [Hadap2006]: trees of rigid links with spherical joints, in joint coordinates. README.md in this folder lists the files; docs/strand.md
 * describes the model.
 */

import { SceneError } from '../../errors.ts';
import { halvingsLeft, sumSubsteps } from '../../math/substeps.ts';
import type { Bundle, BundleState, BundleStep, Coupling, Drive, Model, StepOutcome } from '../../model.ts';
import { bodyModule } from '../../scene/bodies.ts';
import type { Rod } from '../../scene/compiled.ts';
import { warnStretch } from '../../scene/doubts.ts';
import { findNode } from '../../scene/layout.ts';
import { compileAlong } from '../../scene/parameter.ts';
import type { Scene } from '../../scene/types.ts';
import { advanceAllOrNone } from '../allOrNone.ts';
import type { BundleQueries } from '../readouts.ts';
import { cloneState, copyState, packState, partOf } from '../stateParts.ts';
import { measureWorkError } from '../virtualWork.ts';
import { addBodyLinks, carryBodies } from './bodyLinks.ts';
import { countRows, createConstraints } from './constraints.ts';
import { createStrandContact } from './contact.ts';
import { clearContact } from './contactStep.ts';
import { checkDirections, compileDirection } from './direction.ts';
import { poseAtRest, poseTree, recallBase, settleTree } from './drive.ts';
import { hasEndedHere } from './guard.ts';
import { initializeState, poseLinks, poseSamples } from './kinematics.ts';
import { exportMatrices, findModes } from './modal.ts';
import { findNatural } from './natural.ts';
import { type StrandJoint, type StrandOptions, strandCapabilities } from './options.ts';
import { createPinWatch } from './pinWatch.ts';
import { addBodiesActing, addEnergies, addMomentum, bendTree, measureReactions, readChannel } from './readouts.ts';
import type { Sweep } from './records.ts';
import { checkJoints, refuseAnisotropy, refuseRod, refuseTolerance, refuseTree } from './refuse.ts';
import { createTree, memoryCount, positionCount, type StrandTree, type TreeRod, velocityCount } from './rod.ts';
import { createSpinWatch } from './spinWatch.ts';
import { findEquilibrium, type StaticsWork } from './statics.ts';
import { advanceTree, type StepOptions, type StepResult } from './step.ts';
import { createSweep } from './terms.ts';
import { createStepWork, type StepWork } from './trial.ts';

/** Data of steps and queries. */
interface StrandBundle {
  readonly trees: readonly StrandTree[];
  readonly options: StepOptions;
  readonly scene: Scene;
  readonly coupling: Coupling;
  readonly workOf: (tree: StrandTree) => StepWork;
  /** State of each tree at the start of a step, and at the start of a substep of it. */
  readonly starts: readonly BundleState[];
  readonly substepStarts: readonly BundleState[];
}

function compile(rods: readonly Rod[], given: readonly Drive[], scene: Scene, coupling: Coupling): Bundle {
  const drives = given.map((drive) => withoutWelds(drive, coupling));
  refuseScene(rods, drives, scene);
  const options = readOptions(scene);
  const { state, trees } = createTrees(rods, drives, scene, coupling);
  // one elimination, as large as the largest tree needs
  const counts = trees.map(({ linkCount }) => linkCount);
  const sweep = createSweep(Math.max(...counts));
  const works = new Map(counts.map((links) => [links, createStepWork(links, sweep)]));
  const workOf = (tree: StrandTree): StepWork => works.get(tree.linkCount) as StepWork;
  checkDirections(scene);
  const warnings: string[] = [];
  warnStretch(rods, scene, 'strand', warnings);
  for (const tree of trees) {
    tree.direction = compileDirection(tree, scene);
    if (tree.direction?.scale) tree.trueMotion = new Float64Array(6 * tree.linkCount);
    if (tree.rods.some(({ rod }) => rod.naturalFromEquilibrium)) findNatural(tree, sweep, warnings);
  }
  const before = cloneState(state);
  const starts = trees.map((tree) => partOf(tree, state, before));
  const bundle: StrandBundle = {
    trees,
    options,
    scene,
    coupling,
    workOf,
    starts,
    substepStarts: trees.map(cloneState),
  };
  const place = placeRods(rods, trees);
  const refresh = (t: number, without?: Uint8Array): void => {
    trees.forEach((tree, k) => {
      if (!without?.[k]) poseTree(tree, t);
    });
  };
  return {
    model: 'strand',
    rods,
    samples: place.map(({ strand }) => strand.samples),
    bodies: trees.flatMap(({ bodies }) => bodies),
    warnings,
    state,
    refresh,
    settle: (t) => {
      for (const tree of trees) settleTree(tree, t);
    },
    restart: () => {
      for (const tree of trees) {
        tree.history.header.fill(0);
        recallBase(tree);
      }
    },
    advance: (step) => advanceAllOrNone({ state, before, refresh }, step, () => advanceTrees(bundle, step)),
    ...watchTrees(trees),
    contact: createStrandContact({ trees, place, workOf, state, options }),
    ...createQueries(bundle, place, sweep),
  };
}

function watchTrees(trees: readonly StrandTree[]): Pick<Bundle, 'violation' | 'takeRemarks'> {
  const watches = [createSpinWatch(trees), createPinWatch(trees)];
  return {
    ...(trees.some(({ constraints }) => constraints) && {
      violation: () => Math.max(...trees.map(({ constraints }) => constraints?.violation ?? 0)),
    }),
    takeRemarks: () => watches.flatMap((watch) => watch()),
  };
}

/** Pins and loads of a rod; bodies are part of its tree. */
function withoutWelds(drive: Drive, { welds }: Coupling): Drive {
  const isWeld = drive.pins.map((pin) => welds.some((weld) => weld.pin === pin));
  if (!isWeld.includes(true)) return drive;
  const pins = drive.pins.filter((_, k) => !isWeld[k]);
  // loads may be added and removed while the world runs
  return Object.create(drive, { pins: { value: pins } }) as Drive;
}

function refuseScene(rods: readonly Rod[], drives: readonly Drive[], scene: Scene): void {
  refuseTolerance(scene.solver?.strand?.tolerance);
  refuseAnisotropy(rods, scene.solver?.strand?.stiffness);
  rods.forEach((rod, k) => {
    refuseRod(
      rod,
      drives[k],
      scene.rods.findIndex(({ id }) => id === rod.id),
    );
  });
}

function readOptions({ solver }: Scene): StepOptions {
  const wishes: StrandOptions = solver?.strand ?? {};
  return {
    order: wishes.integrator === 'implicit-euler' ? 1 : 2,
    tolerance: wishes.tolerance ?? 1e-8,
    iterations: wishes.iterations ?? 40,
    stepError: wishes.stepError ?? 0,
    numeric: wishes.jacobian === 'numeric',
  };
}

/** Rods that grow from each other as trees, over one state. */
function createTrees(
  rods: readonly Rod[],
  drives: readonly Drive[],
  scene: Scene,
  coupling: Coupling,
): { readonly state: BundleState; readonly trees: StrandTree[] } {
  const groups = findTrees(rods, drives, scene);
  addBodyLinks(groups, rods, coupling, scene);
  const counts = groups.map((parts) => parts.reduce((sum, { rod }) => sum + rod.edgeCount, 0));
  checkJoints(scene);
  const { state, parts: views } = packState(
    groups.map((parts, k) => ({
      q: positionCount(counts[k]),
      v: velocityCount(counts[k]),
      memory: memoryCount(counts[k]) + countRows(parts, scene),
    })),
  );
  const stiffness = scene.solver?.strand?.stiffness ?? 'gibbs';
  const trees = groups.map((parts, k) => {
    const { q, v, memory } = views[k];
    const plain = createTree(parts, stiffness, { q, v, memory });
    initializeState(plain);
    const tree = { ...plain, bodies: carryBodies(plain, parts) };
    const forces = tree.memory.subarray(memoryCount(counts[k]));
    tree.constraints = createConstraints(tree, scene, forces, (spec, path) => nodeOfJoint(spec, rods, path));
    return tree;
  });
  trees.forEach((tree) => {
    refuseTree(tree);
  });
  return { state, trees };
}

interface RodPlace {
  readonly tree: StrandTree;
  readonly strand: StrandTree['rods'][number];
}

/** The tree of each rod, and the rod in it. */
function placeRods(rods: readonly Rod[], trees: readonly StrandTree[]): RodPlace[] {
  return rods.map((_, index) => {
    const tree = trees.find(({ rods: members }) => members.some((member) => member.index === index)) as StrandTree;
    return { tree, strand: tree.rods.find((member) => member.index === index) as RodPlace['strand'] };
  });
}

/** One step of all trees, each in substeps if its whole step fails. On failure their state is arbitrary. */
function advanceTrees(bundle: StrandBundle, interval: BundleStep): StepOutcome {
  const { trees, workOf, options } = bundle;
  const { t, dt, without } = interval;
  let iterations = 0;
  let iterationsMax = 0;
  let substeps = 1;
  let rejected = 0;
  for (let k = 0; k < trees.length; k++) {
    if (without?.[k]) continue;
    const tree = trees[k];
    clearContact(tree);
    let step = advanceTree(tree, workOf(tree), interval, options);
    if (!step.ok) step = advanceInSubsteps(bundle, k, t, dt, step);
    iterations += step.iterations;
    iterationsMax = Math.max(iterationsMax, step.iterationsMax);
    substeps = Math.max(substeps, step.substeps);
    rejected += step.rejected;
    if (step.ok) {
      if (!hasEndedHere(tree, t + dt)) poseSamples(tree);
      continue;
    }
    const failure = { rod: tree.rods[0].rod.id, reason: step.reason };
    return { ok: false, iterations, iterationsMax, shifts: 0, failure };
  }
  return { ok: true, iterations, iterationsMax, shifts: 0, substeps, rejected };
}

/** The step of one tree in substeps, while all others wait at its end: trees are independent. */
function advanceInSubsteps(bundle: StrandBundle, k: number, t: number, dt: number, whole: StepResult): StepResult {
  const { trees, starts, substepStarts, scene, coupling, workOf, options } = bundle;
  const tree = trees[k];
  const back = (to: BundleState, now: number): void => {
    copyState(tree, to);
    poseTree(tree, now);
  };
  back(starts[k], t);
  const halvings = halvingsLeft(scene.time, dt);
  // Robust steps may gain energy, which makes the next ones fail, so only the shortest are robust. They meet points on paths more closely than others.
  const robustShare = tree.constraints ? 1 / 4 : 2 ** -halvings;
  const { last, ...sum } = sumSubsteps({ t, dt }, halvings, { ...whole }, (from, length, share) => {
    coupling.onSubstep?.(from);
    copyState(substepStarts[k], tree);
    const one = advanceTree(tree, workOf(tree), { t: from, dt: length, robust: share <= robustShare }, options);
    if (one.ok) poseSamples(tree);
    else back(substepStarts[k], from);
    return one.ok ? one : { ...one, rejected: one.rejected + 1 };
  });
  return { ...sum, reason: last.reason };
}

/** Read-outs, equilibria and modes. */
function createQueries({ trees, workOf }: StrandBundle, place: readonly RodPlace[], sweep: Sweep): BundleQueries {
  const staticsOf = (tree: StrandTree): StaticsWork => {
    const { direction, trial, q0 } = workOf(tree);
    return { sweep, direction, scaled: trial, q0 };
  };
  return {
    ...(trees.some(({ adopt }) => adopt) && {
      animate: (t) => {
        for (const tree of trees) {
          tree.adopt?.(t);
          // deformations are relative to natural shapes
          if (tree.adopt) poseLinks(tree);
        }
      },
    }),
    addEnergies: (out, t) => {
      for (const tree of trees) addEnergies(out, tree, t);
    },
    addMomentum: (out) => {
      for (const tree of trees) addMomentum(out, tree);
    },
    readChannel: (out, rod, channel) => readChannel(out, place[rod].tree, place[rod].strand, channel),
    equilibrate: (rod, t, wanted) => {
      const { tree, strand } = place[rod];
      const report = findEquilibrium(tree, staticsOf(tree), strand.rod.id, { t, options: wanted });
      poseAtRest(tree, t);
      return report;
    },
    hasJointUnknowns: true,
    reactions: (rod, t, when: 'after-step' | 'any-time' = 'any-time') =>
      measureReactions(place[rod].tree, place[rod].strand, t, when),
    workError: (rod, acting, moment) => {
      const { tree } = place[rod];
      const all = addBodiesActing(tree, acting, tree.time);
      return measureWorkError(all, (direction, angle) => bendTree(tree, direction, angle), moment);
    },
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
export function findTrees(rods: readonly Rod[], drives: readonly Drive[], scene: Scene): TreeRod[][] {
  const groups: TreeRod[][] = [];
  const placed = new Map<string, { group: TreeRod[]; part: number }>();
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

/** Oriented strands [Hadap2006], for `createWorld(scene, { models: [strand] })`. */
export const strandModel: Model = {
  id: 'strand',
  capabilities: strandCapabilities,
  compileAlong,
  bodies: bodyModule,
  compile,
};
