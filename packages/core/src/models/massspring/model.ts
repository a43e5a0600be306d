/** Hair of particles and springs with altitude springs [Selle2008], as README.md beside this file describes it. */

import { SceneError } from '../../errors.ts';
import type { Bundle, BundleState, BundleStep, Coupling, Drive, Model, StepOutcome } from '../../model.ts';
import { bodyModule } from '../../scene/bodies.ts';
import type { Rod } from '../../scene/compiled.ts';
import { compileAlong } from '../../scene/parameter.ts';
import { canBeStretched } from '../../scene/stretched.ts';
import type { Scene } from '../../scene/types.ts';
import { advanceAllOrNone } from '../allOrNone.ts';
import { sumReadouts } from '../readouts.ts';
import { cloneState, packState } from '../stateParts.ts';
import { createRestRod } from './atRest.ts';
import { rememberOrientation } from './energy.ts';
import { evaluatePins, initializeState, poseSamples } from './kinematics.ts';
import { layGhosts } from './lay.ts';
import { exportMatrices, findModes } from './modal.ts';
import { massSpringCapabilities } from './options.ts';
import { addEnergies, addMomentum, measureReactions, readChannel } from './readouts.ts';
import { readOptions, refuse, warn, warnMisfit, warnStiffness } from './refuse.ts';
import { buildHair, type Hair, memorySize, particlesOf } from './rod.ts';
import { findSlip, holdsTurns, measureTwist } from './slip.ts';
import { findEquilibrium, findSoftPlace } from './statics.ts';
import { addWeightCouple, createWorkspace, stepHair, type Workspace } from './step.ts';
import { createTruss } from './truss.ts';

/** Data of steps. */
interface HairBundle {
  readonly hairs: readonly Hair[];
  /** Work space of each hair, shared by those of the same size. */
  readonly tools: readonly Workspace[];
  readonly options: ReturnType<typeof readOptions>;
  /** Work space for the twist at the nodes of a hair, before and after a step. */
  readonly twists: { readonly before: Float64Array; readonly after: Float64Array };
}

function compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle {
  const options = readOptions(scene.solver?.massspring ?? {});
  if (coupling.welds.length > 0)
    throw new SceneError(
      ['welds'],
      "the model 'massspring' does not move bodies; use model: der for rods that are welded",
    );
  rods.forEach((rod, k) => {
    refuse(rod, drives[k], scene);
  });
  const warnings = warn(rods, options);
  const { state, hairs } = createHairs(rods, drives, options, warnings);
  const tools = layAllGhosts(hairs);
  const mostNodes = Math.max(...rods.map(({ nodeCount }) => nodeCount));
  const twists = { before: new Float64Array(mostNodes), after: new Float64Array(mostNodes) };
  const bundle: HairBundle = { hairs, tools, options, twists };
  const before = cloneState(state);
  const refresh = (t: number): void => {
    for (const hair of hairs) poseAt(hair, t);
  };
  return {
    model: 'massspring',
    warnings,
    rods,
    samples: hairs.map(({ samples }) => samples),
    bodies: [],
    state,
    refresh,
    restart: () => {},
    advance: (step) => advanceAllOrNone({ state, before, refresh }, step, () => advanceHairs(bundle, step)),
    ...sumReadouts(hairs, { addEnergies, addMomentum }),
    readChannel: (out, rod, channel) => readChannel(out, hairs[rod], channel),
    takeRemarks: createWatch(hairs),
    equilibrate: (rod, t, wanted) => findEquilibrium(hairs[rod], tools[rod], t, wanted),
    atRest: (rod) => createRestRod(hairs[rod]),
    reactions: (rod, t) => measureReactions(hairs[rod], tools[rod], t),
    addLoadCouple: (out, rod, t) => addWeightCouple(out, hairs[rod], t),
    modes: (rod, t, count) => findModes(hairs[rod], tools[rod], t, count),
    matrices: (rod, t) => exportMatrices(hairs[rod], tools[rod], t),
  };
}

/** Hairs at t = 0, over one state. */
function createHairs(
  rods: readonly Rod[],
  drives: readonly Drive[],
  options: HairBundle['options'],
  warnings: string[],
): { readonly state: BundleState; readonly hairs: Hair[] } {
  const { state, parts } = packState(
    rods.map((rod, k) => {
      const size = 3 * particlesOf(rod, drives[k].pins);
      return { q: size, v: size, memory: memorySize(rod, drives[k].pins) };
    }),
  );
  const hairs = rods.map((rod, k): Hair => {
    const truss = createTruss(rod, options.stretch, canBeStretched(rod, drives[k].pins));
    warnings.push(...warnMisfit(rod, truss, options), ...warnStiffness(rod, truss, drives[k], options));
    const hair = buildHair({ rod, drive: drives[k], truss, options, ...parts[k] });
    evaluatePins(hair, 0);
    initializeState(hair);
    return hair;
  });
  return { state, hairs };
}

/** Places the ghost particles of all hairs; returns the hairs' work space. */
function layAllGhosts(hairs: readonly Hair[]): Workspace[] {
  const toolbox = new Map<number, Workspace>();
  return hairs.map((hair) => {
    const work = toolbox.get(hair.size) ?? createWorkspace(hair);
    toolbox.set(hair.size, work);
    hair.orientation.fill(1);
    layGhosts(hair, work);
    rememberOrientation(hair);
    return work;
  });
}

function poseAt(hair: Hair, t: number): void {
  hair.restTension = undefined;
  hair.linkForces = undefined;
  evaluatePins(hair, t);
  poseSamples(hair);
}

/** Remarks after a step on hairs that bend or twist farther than their springs can follow, once for each hair. */
function createWatch(hairs: readonly Hair[]): () => string[] {
  const watched = new Set(hairs);
  return () => {
    const remarks: string[] = [];
    for (const hair of watched) {
      const place = findSoftPlace(hair);
      if (place === undefined) continue;
      watched.delete(hair);
      remarks.push(`rod '${hair.rod.id}' from t = ${Number(hair.poseTime.toPrecision(4))} s on: ${place}`);
    }
    return remarks;
  };
}

/** One step of all hairs. On failure their state is arbitrary. */
function advanceHairs({ hairs, tools, options, twists }: HairBundle, { t, dt, robust }: BundleStep): StepOutcome {
  const report = { ok: true, solves: 0, reason: '' };
  const cost = { iterations: 0, iterationsMax: 0, shifts: 0 };
  for (let k = 0; k < hairs.length; k++) {
    const hair = hairs[k];
    poseAt(hair, t);
    const isHeld = holdsTurns(hair);
    if (isHeld) measureTwist(twists.before, hair);
    let done = stepHair(hair, tools[k], { t, h: dt, theta: options.theta, robust }, report);
    poseSamples(hair);
    if (isHeld) measureTwist(twists.after, hair);
    const slip = isHeld && done ? findSlip(twists.before, twists.after) : -1;
    if (slip >= 0) {
      done = false;
      report.reason = `the twist at node ${slip} passed half a turn per edge, beyond which springs lose a turn: use more edges, or der`;
    }
    cost.iterations += report.solves;
    cost.iterationsMax = Math.max(cost.iterationsMax, report.solves);
    if (done) continue;
    return { ok: false, ...cost, failure: { rod: hair.rod.id, reason: report.reason } };
  }
  return { ok: true, ...cost };
}

/** Mass-spring hair [Selle2008], for `createWorld(scene, { models: [massspring] })`. */
export const massSpringModel: Model = {
  id: 'massspring',
  capabilities: massSpringCapabilities,
  compileAlong,
  bodies: bodyModule,
  compile,
};
