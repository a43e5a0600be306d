/**
 * The special Cosserat rod: bending, twist, shear and stretch [Michels2015 App. C], in the staggered form described in
 * README.md beside this file.
 */

import { SceneError } from '../../errors.ts';
import type { Bundle, BundleStep, Coupling, Drive, Model, StepOutcome } from '../../model.ts';
import { bodyModule } from '../../scene/bodies.ts';
import type { Rod } from '../../scene/compiled.ts';
import { compileAlong } from '../../scene/parameter.ts';
import type { Scene } from '../../scene/types.ts';
import { followBranch } from '../../statics/branch.ts';
import { advanceAllOrNone } from '../allOrNone.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import { type BundleQueries, sumReadouts } from '../readouts.ts';
import type { RodStep } from '../rodStep.ts';
import { cloneState, packState } from '../stateParts.ts';
import { createRestRod } from './atRest.ts';
import { createBranchRod } from './branch.ts';
import { stretchForces } from './energy.ts';
import { stepVerlet } from './explicit.ts';
import {
  evaluatePins,
  initializeState,
  measureStrain,
  placePinned,
  poseSamples,
  rememberHeldFrames,
} from './kinematics.ts';
import { exportMatrices, findModes } from './modal.ts';
import { type CosseratOptions, cosseratCapabilities } from './options.ts';
import { addEnergies, addMomentum, measureReactions, readChannel } from './readouts.ts';
import { readSection, readStableStep, refuse } from './refuse.ts';
import { type CosseratRod, coordinateCount, createCosseratRod, memorySize, unknownCount } from './rod.ts';
import { createWorkspace, type Workspace } from './stage.ts';
import { relaxFrames } from './start.ts';
import { findEquilibrium } from './statics.ts';
import { createSnapshot, returnToSnapshot, type Snapshot, stepImplicit, takeSnapshot } from './step.ts';

/** Work space is shared by rods of the same shape. */
interface Tools {
  readonly work: Workspace;
  readonly start: Snapshot;
  readonly entry: Snapshot;
}

/** Data of steps and queries. */
interface CosseratBundle {
  readonly parts: readonly CosseratRod[];
  readonly tools: readonly Tools[];
  readonly scheme: NonNullable<CosseratOptions['integrator']>;
  readonly newton: NewtonOptions;
  /** Longest stable step of each rod, with `verlet` [s]. */
  readonly stable: readonly ReturnType<typeof readStableStep>[];
}

function compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle {
  const options: CosseratOptions = scene.solver?.cosserat ?? {};
  const scheme = options.integrator ?? 'tr-bdf2';
  const rule = readSection(options, scheme);
  refuse(rods, scene, coupling, scheme, rule);
  const { state, parts: views } = packState(
    rods.map((rod, k) => ({
      q: coordinateCount(rod),
      v: unknownCount(rod),
      memory: memorySize(rod, drives[k].pins),
    })),
  );
  const parts = rods.map((rod, k) => createCosseratRod(rod, drives[k], rule, views[k].q, views[k].v, views[k].memory));
  const tools = createTools(parts);
  parts.forEach((cos, k) => {
    initialize(cos);
    if (scheme !== 'verlet') relaxFrames(cos, tools[k].work, tools[k].start, 0);
  });
  const stable = scheme === 'verlet' ? parts.map((cos) => readStableStep(cos, scene)) : [];
  const newton = { tolerance: options.tolerance ?? 1e-9, iterations: options.iterations ?? 25, rotation: 1 };
  const bundle: CosseratBundle = { parts, tools, scheme, newton, stable };
  const before = cloneState(state);
  const refresh = (t: number): void => {
    for (const cos of parts) {
      cos.linkForces = undefined;
      evaluatePins(cos, t);
      measureStrain(cos);
      poseSamples(cos);
    }
  };
  return {
    model: 'cosserat',
    rods,
    samples: parts.map(({ samples }) => samples),
    bodies: [],
    state,
    refresh,
    restart: () => {
      for (const cos of parts) cos.history[0] = 0;
    },
    advance: (step) => advanceAllOrNone({ state, before, refresh }, step, () => advanceRods(bundle, step)),
    ...createQueries(bundle),
  };
}

/** Work space, shared by rods of the same shape. */
function createTools(parts: readonly CosseratRod[]): Tools[] {
  const toolbox = new Map<string, Tools>();
  return parts.map((cos): Tools => {
    const key = `${cos.nodeCount} ${cos.edgeCount} ${cos.heldPin.length}`;
    const known = toolbox.get(key) ?? {
      work: createWorkspace(cos),
      start: createSnapshot(cos),
      entry: createSnapshot(cos),
    };
    toolbox.set(key, known);
    return known;
  });
}

/** The state at t = 0. Throws SceneError for a twist that joints cannot count. */
function initialize(cos: CosseratRod): void {
  evaluatePins(cos, 0);
  if (!initializeState(cos)) {
    throw new SceneError(
      ['rods'],
      `rod '${cos.rod.id}' is twisted by more than a joint can count, about one turn per edge; use more edges`,
    );
  }
  placePinned(cos, 'motion');
  rememberHeldFrames(cos);
  measureStrain(cos);
  stretchForces(cos);
}

/** One step of all rods. On failure their state is arbitrary. */
function advanceRods(bundle: CosseratBundle, { t, dt, robust }: BundleStep): StepOutcome {
  const { parts, tools, scheme, newton, stable } = bundle;
  const report: RodStep = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
  for (let k = 0; k < parts.length; k++) {
    const { work, start } = tools[k];
    if (scheme === 'verlet') report.ok = stepVerlet(parts[k], work, stable[k], t, dt, report);
    else stepImplicit({ cos: parts[k], work, start, t, h: dt, options: newton, out: report }, { scheme, robust });
    if (report.ok) continue;
    return { ...report, failure: { rod: parts[k].rod.id, reason: report.reason } };
  }
  for (const cos of parts) poseSamples(cos);
  return { ok: true, iterations: report.iterations, iterationsMax: report.iterationsMax, shifts: report.shifts };
}

/** Read-outs, equilibria and modes. */
function createQueries({ parts, tools }: CosseratBundle): BundleQueries {
  return {
    ...(parts.some(({ adopt }) => adopt) && {
      animate: (t) => {
        for (const cos of parts) {
          cos.adopt?.(t);
          if (cos.adopt) measureStrain(cos);
        }
      },
    }),
    ...sumReadouts(parts, { addEnergies, addMomentum }),
    readChannel: (out, rod, channel) => readChannel(out, parts[rod], channel),
    differentiatesLoads: true,
    equilibrate: (rod, t, wanted) => {
      const { work, start, entry } = tools[rod];
      return findEquilibrium(parts[rod], work, { start, entry }, t, wanted);
    },
    branch: (rod, t, asked) => {
      const { work, start, entry } = tools[rod];
      return followBranch(createBranchRod(parts[rod], work, { start, entry }, t), asked);
    },
    atRest: (rod) => createRestRod(parts[rod]),
    reactions: (rod, t) => measureReactions(parts[rod], tools[rod].work, t),
    modes: (rod, t, count) => withState(parts[rod], tools[rod], () => findModes(parts[rod], tools[rod].work, t, count)),
    matrices: (rod, t) => withState(parts[rod], tools[rod], () => exportMatrices(parts[rod], tools[rod].work, t)),
  };
}

/** Runs a query and restores the state afterwards. */
function withState<T>(cos: CosseratRod, { entry }: Tools, action: () => T): T {
  takeSnapshot(entry, cos);
  try {
    return action();
  } finally {
    returnToSnapshot(cos, entry);
    measureStrain(cos);
    poseSamples(cos);
  }
}

/** Special Cosserat rods with shear and stretch, for `createWorld(scene, { models: [cosserat] })`. */
export const cosseratModel: Model = {
  id: 'cosserat',
  capabilities: cosseratCapabilities,
  compileAlong,
  bodies: bodyModule,
  compile,
};
