/**
 * The batch formulation as a model of the world: takes the place of `der` for inextensible rods held at their first node. This is the
 * reference in double precision; SIMD and GPU targets run the same sweeps.
 */
import { SceneError } from '../errors.ts';
import type { Bundle, BundleState, BundleStep, Coupling, Drive, Model, StepOutcome } from '../model.ts';
import { type DerOptions, derCapabilities } from '../models/der/options.ts';
import { copyState, packState } from '../models/stateParts.ts';
import { bodyModule } from '../scene/bodies.ts';
import type { Rod } from '../scene/compiled.ts';
import type { Scene } from '../scene/types.ts';
import { createBatchContact } from './contactPort.ts';
import { createOwnContact, type ReferenceContact } from './ownContact.ts';
import { addEnergies, addMomentum, measureReactions, readChannel } from './readouts.ts';
import { type BatchRod, createBatchRod, refuseRod, stateSizes } from './rod.ts';
import { startMotion } from './start.ts';
import { findEquilibrium } from './statics.ts';
import { adoptState, type Scheme, type StepOptions, type StepResult, stepStrand } from './step.ts';

/** Throws SceneError for scenes that the formulation does not cover. */
function refuseScene(scene: Scene, coupling: Coupling): void {
  const refuse = (field: string, what: string): never => {
    throw new SceneError([field], `the batch backend has no ${what} yet; use solver.der.backend: standard`);
  };
  if (scene.links?.length || scene.weaves?.length) refuse(scene.links?.length ? 'links' : 'weaves', 'links');
  if (coupling.welds.length > 0) refuse('welds', 'rods welded to bodies');
}

/**
 * Newton iterations before a step counts as failed. A flat hair that buckles sideways leaves its unstable shape by some 10 % per iteration, which takes
 * a hundred and more; halving the step does not help there, since twist has no inertia.
 */
const ITERATIONS = 300;

/** `merged`: contact is merged into the iterations, which needs a scheme of one stage. */
function readOptions(scene: Scene, merged: boolean): StepOptions {
  const {
    integrator = merged ? 'bdf2' : 'tr-bdf2',
    strain = 'rotation',
    tolerance = 1e-9,
    iterations = ITERATIONS,
  } = scene.solver?.der ?? {};
  const wrong = (field: keyof DerOptions, value: string, right: string): never => {
    throw new SceneError(['solver', 'der', field], `the batch backend has no ${field} '${value}'; use ${right}`);
  };
  if (integrator !== 'tr-bdf2' && integrator !== 'bdf2' && integrator !== 'implicit-euler')
    wrong('integrator', integrator, 'tr-bdf2, bdf2 or implicit-euler');
  if (merged && integrator === 'tr-bdf2')
    throw new SceneError(
      ['solver', 'der', 'integrator'],
      'contact on the GPU needs a scheme with one stage; use bdf2 or implicit-euler, or backend: batch',
    );
  if (strain !== 'rotation') wrong('strain', strain, 'rotation');
  return { scheme: integrator as Scheme, tolerance: 0.01 * tolerance, iterations };
}

/** Warns about what the formulation leaves out of a scene. */
function listRemarks(rods: readonly Rod[], scene: Scene): string[] {
  const spinning = rods.find(({ edgeInertia }) => edgeInertia.some((inertia) => inertia > 0));
  if (!spinning || scene.solver?.der?.twist === 'quasistatic') return [];
  return [
    `the batch backend ignores the inertia of twist (rod '${spinning.id}' and others); set solver.der.twist: quasistatic to accept this`,
  ];
}

/** A bundle with what is inside it, for a device that moves some of its strands. */
export interface BatchBundle {
  readonly bundle: Bundle;
  readonly strands: readonly BatchRod[];
  readonly options: StepOptions;
  /** True if contact is merged into the strands' own iterations (`Bundle.ownContact`), not the world's. */
  readonly isMerged: boolean;
}

function refuseRods(rods: readonly Rod[], drives: readonly Drive[], scene: Scene): void {
  const rodAt = new Map(scene.rods.map(({ id }, index) => [id, index]));
  const pinAt = new Map(scene.pins?.map((pin, index) => [pin.rod, index]));
  rods.forEach((rod, k) => {
    refuseRod(rod, drives[k], { rod: rodAt.get(rod.id) ?? -1, pin: pinAt.get(rod.id) ?? -1 });
  });
}

/** Strands and options of a bundle, its state, and its merged contact if it has one. */
interface Compiled {
  readonly batch: readonly BatchRod[];
  readonly options: StepOptions;
  readonly state: BundleState;
  readonly states: readonly BundleState[];
  readonly own: ReferenceContact | undefined;
}

type Advance = Bundle['advance'];

/** Steps strand by strand, without those marked in `without`; stops at the first that fails. */
function stepEach({ batch, options }: Compiled, interval: BundleStep): StepResult & { failed: number } {
  const total = { ok: true, iterations: 0, iterationsMax: 0, reason: '', failed: -1 };
  for (const [k, one] of batch.entries()) {
    if (interval.without?.[k]) continue;
    const step = stepStrand(one, interval, options);
    total.iterations += step.iterations;
    total.iterationsMax = Math.max(total.iterationsMax, step.iterationsMax);
    if (!step.ok) return { ...total, ok: false, reason: step.reason, failed: k };
  }
  return total;
}

const adoptAll = (batch: readonly BatchRod[], t: number): void => {
  for (const one of batch) adoptState(one, t);
};

/** A step of the bundle. If it fails, the state is that of its start. */
function createAdvance(compiled: Compiled): Advance {
  const { batch, options, state, own } = compiled;
  const before: BundleState = { q: state.q.slice(), v: state.v.slice(), memory: state.memory.slice() };
  return (step): StepOutcome => {
    const { t, dt, robust } = step;
    copyState(before, state);
    own?.begin(t, dt);
    const restore = (): void => {
      copyState(state, before);
      own?.undo();
      adoptAll(batch, t);
    };
    const { ok, iterations, iterationsMax, reason, failed } =
      own?.step({ t, dt, robust, restore }, options) ?? stepEach(compiled, step);
    const total = { ok, iterations, iterationsMax, shifts: 0 };
    if (ok) return total;
    restore();
    return { ...total, failure: { rod: batch[failed].rod.id, reason } };
  };
}

const noModes = (): never => {
  throw new SceneError(
    ['solver', 'der', 'backend'],
    'the batch backend has no modes or matrices; use backend: standard',
  );
};

function createBundle(rods: readonly Rod[], scene: Scene, compiled: Compiled): Bundle {
  const { batch, options, state, states, own } = compiled;
  const restart = (t: number): void => {
    adoptAll(batch, t);
    for (const one of batch) startMotion(one, t);
  };
  restart(0);
  const advance = createAdvance(compiled);
  let now = 0;
  return {
    model: 'der',
    rods,
    samples: batch.map(({ samples }) => samples),
    bodies: [],
    warnings: listRemarks(rods, scene),
    state,
    refresh: (t) => {
      now = t;
      adoptAll(batch, t);
    },
    restart,
    ...(own ? { ownContact: own } : { contact: createBatchContact({ batch, states, options }) }),
    advance: (step) => {
      const outcome = advance(step);
      now = outcome.ok ? step.t + step.dt : step.t;
      return outcome;
    },
    addEnergies: (out, t) => {
      for (const one of batch) addEnergies(out, one, t);
    },
    addMomentum: (out) => {
      for (const one of batch) addMomentum(out, one);
    },
    readChannel: (out, rod, channel) => readChannel(out, batch[rod], channel, now),
    equilibrate: (rod, t, wanted) => {
      now = t;
      return findEquilibrium(batch[rod], t, wanted);
    },
    reactions: (rod, t) => measureReactions(batch[rod], t),
    modes: noModes,
    matrices: noModes,
  };
}

export function compileBatch(
  rods: readonly Rod[],
  drives: readonly Drive[],
  scene: Scene,
  coupling: Coupling & { readonly mergedContact?: string },
): BatchBundle {
  refuseScene(scene, coupling);
  const { mergedContact } = coupling;
  const isMerged = mergedContact !== undefined;
  const options = readOptions(scene, isMerged);
  refuseRods(rods, drives, scene);
  const { state, parts: states } = packState(rods.map(stateSizes));
  const batch = rods.map((rod, k): BatchRod => createBatchRod(rod, drives[k], states[k]));
  const own = isMerged ? createOwnContact(mergedContact, batch) : undefined;
  const bundle = createBundle(rods, scene, { batch, options, state, states, own });
  return { bundle, strands: batch, options, isMerged };
}

/** Stands in for `der`: pass it in `models` of `createWorld`. */
export const batchModel: Model = {
  id: 'der',
  backend: 'batch',
  capabilities: {
    ...derCapabilities,
    closed: false,
    animated: [],
    changingRods: false,
    bodies: false,
    hinges: false,
    contact: false,
    linkedEquilibria: false,
  },
  bodies: bodyModule,
  compile: (rods, drives, scene, coupling) => compileBatch(rods, drives, scene, coupling).bundle,
};

/** What the GPU does, in double precision on the CPU: contact with obstacles is merged into Newton's iterations. */
export const mergedBatchModel: Model = {
  ...batchModel,
  compile: (rods, drives, scene, coupling) =>
    compileBatch(rods, drives, scene, { ...coupling, mergedContact: 'the merged batch model' }).bundle,
};
