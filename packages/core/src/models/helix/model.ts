/**
 * Super-helices [Bertails2006]: rods as chains of helical elements, whose unknowns are curvatures. README.md in this folder describes the model and its
 * solver.
 */

import { SceneError } from '../../errors.ts';
import { square as squareOf } from '../../math/rounded/index.ts';
import type { Bundle, BundleState, BundleStep, Coupling, Drive, Model, StepOutcome } from '../../model.ts';
import { bodyModule } from '../../scene/bodies.ts';
import type { Rod } from '../../scene/compiled.ts';
import { warnStretch } from '../../scene/doubts.ts';
import { compileAlong } from '../../scene/parameter.ts';
import type { Scene } from '../../scene/types.ts';
import { advanceAllOrNone } from '../allOrNone.ts';
import { sumReadouts } from '../readouts.ts';
import { cloneState, packState } from '../stateParts.ts';
import { measureWorkError } from '../virtualWork.ts';
import { createHelixContact } from './contact.ts';
import { createWorkspace, type Workspace } from './energy.ts';
import { fitTurns, measureTurns } from './fit.ts';
import { findNatural } from './inverse.ts';
import { animateHelix, placeRoot, poseSamples } from './kinematics.ts';
import { exportMatrices, findModes } from './modal.ts';
import type { NewtonOptions } from './newton.ts';
import { type HelixOptions, helixCapabilities } from './options.ts';
import { addEnergies, addMomentum, bendRod, measureReactions, readChannel } from './readouts.ts';
import { checkEnds, refuse } from './refuse.ts';
import { createHelixRod, type HelixRod, memorySize } from './rod.ts';
import { stepSemiImplicit } from './semiImplicit.ts';
import { closeGap, initializeAcceleration, initializeVelocity } from './start.ts';
import { findEquilibrium } from './statics.ts';
import { stepIncremental } from './step.ts';

/**
 * Hint for rods without rotational inertia: twist then reaches equilibrium within every step, however short, while the centreline hardly moves; in
 * curvatures that is a narrow, curved valley. The three of 150 random scenes that failed for this reason ran with an inertia of 1e-6 × mass ×
 * length².
 */
const NO_INERTIA = '; its twist has no inertia: give the section an `inertia` if it starts twisted';

/** Data of steps. */
interface HelixBundle {
  readonly helices: readonly HelixRod[];
  /** Work space of each rod, shared by those of the same shape. */
  readonly works: readonly Workspace[];
  readonly semiImplicit: boolean;
  readonly newton: NewtonOptions;
  /** Options for the shortest substeps: a twist without inertia may turn frames by radians in one step, however short. */
  readonly patient: NewtonOptions;
}

function compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle {
  const options = scene.solver?.helix ?? {};
  refuse(rods, drives, scene, coupling);
  const { state, helices } = createHelices(rods, drives, options);
  const works = createWorks(helices);
  const warnings: string[] = [];
  warnStretch(rods, scene, 'helix', warnings);
  checkEnds(rods, drives, scene, warnings);
  helices.forEach((h, k) => {
    startHelix(h, works[k], scene.time?.step ?? 1e-3, warnings);
  });
  const newton = { tolerance: options.tolerance ?? 1e-9, iterations: options.iterations ?? 50, rotation: 20 };
  const patient = { ...newton, iterations: 10 * newton.iterations };
  const bundle: HelixBundle = { helices, works, semiImplicit: options.integrator === 'semi-implicit', newton, patient };
  const before = cloneState(state);
  const refresh = (t: number, without?: Uint8Array): void => {
    helices.forEach((h, k) => {
      if (without?.[k]) return;
      h.contact = undefined;
      placeRoot(h, t);
      poseSamples(h);
    });
  };
  return {
    model: 'helix',
    rods,
    samples: helices.map((h) => h.samples),
    bodies: [],
    state,
    warnings,
    refresh,
    restart: () => {
      for (const h of helices) h.history.fill(0);
    },
    advance: (step) => advanceAllOrNone({ state, before, refresh }, step, () => advanceRods(bundle, step)),
    contact: createHelixContact({ helices, state, newton, patient }),
    ...animateAll(helices),
    ...sumReadouts(helices, { addEnergies, addMomentum }),
    readChannel: (out, rod, channel) => readChannel(out, helices[rod], works[rod], channel),
    equilibrate: (rod, t, wanted) => findEquilibrium(helices[rod], works[rod], t, wanted),
    reactions: (rod, t) => measureReactions(helices[rod], works[rod], t),
    workError: (rod, acting, moment) =>
      measureWorkError(acting, (direction, angle) => bendRod(helices[rod], works[rod], direction, angle), moment),
    modes: (rod, t, count) => findModes(helices[rod], works[rod], t, count),
    matrices: (rod, t) => exportMatrices(helices[rod], works[rod], t),
  };
}

function animateAll(helices: readonly HelixRod[]): Pick<Bundle, 'animate'> {
  if (!helices.some(({ adopt }) => adopt)) return {};
  return {
    animate: (t) => {
      for (const h of helices) animateHelix(h, t);
    },
  };
}

/** Shape, velocity and acceleration that the scene starts from. */
function startHelix(h: HelixRod, work: Workspace, step: number, warnings: string[]): void {
  initializeShape(h, warnings);
  if (h.hold) closeGap(h, work, h.hold);
  if (h.rod.naturalFromEquilibrium) initializeNatural(h, work, warnings);
  initializeVelocity(h, work, 0, step);
  initializeAcceleration(h, work, 0, step);
  poseSamples(h);
}

/** Rods as chains of elements, over one state. */
function createHelices(
  rods: readonly Rod[],
  drives: readonly Drive[],
  { elements, integrator }: HelixOptions,
): { readonly state: BundleState; readonly helices: HelixRod[] } {
  const counts = rods.map((rod) => elements ?? rod.edgeCount);
  const { state, parts } = packState(
    rods.map((rod, k) => ({
      q: 3 * counts[k],
      v: 3 * counts[k],
      memory: memorySize(rod, drives[k], counts[k], integrator === 'bdf2'),
    })),
  );
  return { state, helices: rods.map((rod, k) => createHelixRod(rod, drives[k], counts[k], parts[k])) };
}

function createWorks(helices: readonly HelixRod[]): Workspace[] {
  const toolbox = new Map<string, Workspace>();
  return helices.map((h) => {
    const key = `${h.nodeCount} ${h.elementCount}`;
    const work = toolbox.get(key) ?? createWorkspace(h, h.history.length);
    toolbox.set(key, work);
    return work;
  });
}

/** One step of all rods. On failure their state is arbitrary. */
function advanceRods(bundle: HelixBundle, { t, dt, robust, without }: BundleStep): StepOutcome {
  const { helices, works, semiImplicit, newton, patient } = bundle;
  let iterations = 0;
  let iterationsMax = 0;
  let shifts = 0;
  for (let k = 0; k < helices.length; k++) {
    if (without?.[k]) continue;
    helices[k].contact = undefined;
    const step =
      semiImplicit && !robust
        ? stepSemiImplicit(helices[k], works[k], t, dt)
        : stepIncremental(helices[k], works[k], t, dt, robust ? patient : newton);
    iterations += step.iterations;
    iterationsMax = Math.max(iterationsMax, step.iterations);
    shifts += step.shifts;
    if (step.converged) continue;
    const hasInertia = helices[k].nodeInertia.some((inertia) => inertia > 0);
    const reason = step.reason + (hasInertia ? '' : NO_INERTIA);
    return { ok: false, iterations, iterationsMax, shifts, failure: { rod: helices[k].rod.id, reason } };
  }
  helices.forEach((h, k) => {
    if (!without?.[k]) poseSamples(h);
  });
  return { ok: true, iterations, iterationsMax, shifts };
}

/** Curvatures of the initial and of the natural shape. */
function initializeShape(h: HelixRod, warnings: string[]): void {
  const { rod, elementNode, edgeCount } = h;
  const turns = measureTurns(rod);
  const rest = rod.halfStrainRest;
  checkTurns(h, turns, 'initial', warnings);
  checkTurns(h, rest, 'natural', warnings);
  const natural = fitTurns(rod.edgeLengthRest, rest, elementNode);
  h.kappaStart.set(natural.curvature);
  h.kappaRest.set(natural.curvature);
  let same = true;
  for (let k = 0; k < 6 * edgeCount; k++) same &&= Math.abs(turns[k] - rest[k]) < 1e-9;
  const initial = same ? natural : fitTurns(rod.edgeLengthRest, turns, elementNode);
  h.q.set(initial.curvature);
  if (initial.error.largest > 0.01 * rod.length)
    warnings.push(
      `rod '${rod.id}': ${h.elementCount} helical elements miss its initial shape by up to ${initial.error.largest.toPrecision(2)} m; use more elements`,
    );
}

/** The natural shape for which the initial one is in equilibrium; warns if that is unstable. */
function initializeNatural(h: HelixRod, w: Workspace, warnings: string[]): void {
  placeRoot(h, 0);
  const { stable, stiffnessFactor } = findNatural(h, w, 0);
  if (stable) return;
  const remedy = stiffnessFactor
    ? `${stiffnessFactor.toPrecision(3)} times its stiffness would hold it`
    : 'make it stiffer, or lighten its loads';
  warnings.push(`rod '${h.rod.id}': its initial shape is an unstable equilibrium, which the rod will leave; ${remedy}`);
}

/** Weight and inertia act at nodes: an edge that winds a lot hides the shape between them. */
function checkTurns({ rod }: HelixRod, turns: Float64Array, kind: string, warnings: string[]): void {
  let largest = 0;
  for (let j = 0; j < rod.edgeCount; j++) {
    let square = 0;
    for (let k = 0; k < 3; k++) square += squareOf(turns[6 * j + k] + turns[6 * j + 3 + k]);
    largest = Math.max(largest, Math.sqrt(square));
  }
  const enough = Math.ceil((rod.edgeCount * largest) / (Math.PI / 2));
  if (largest > 2 * Math.PI)
    throw new SceneError(
      ['rods'],
      `rod '${rod.id}': its ${kind} shape winds an edge by ${largest.toFixed(1)} rad, more than a full turn; use at least ${enough} edges`,
    );
  if (largest > Math.PI / 2)
    warnings.push(
      `rod '${rod.id}': its ${kind} shape winds an edge by ${largest.toFixed(1)} rad, and its weight acts at nodes only; use ${enough} edges or more`,
    );
}

/** Super-helices [Bertails2006], for `createWorld(scene, { models: [helix] })`. */
export const helixModel: Model = {
  id: 'helix',
  capabilities: helixCapabilities,
  compileAlong,
  bodies: bodyModule,
  compile,
};
