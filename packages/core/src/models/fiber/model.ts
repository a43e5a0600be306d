/**
 * Stiff fibers as oscillator networks [Michels2015], with the mapping and the integrators described in README.md beside this file.
 */

import { SceneError } from '../../errors.ts';
import type { CreateBlocks } from '../../linalg/blockTridiagonal.ts';
import type { Bundle, BundleState, BundleStep, Coupling, Drive, Model, StepOutcome } from '../../model.ts';
import { type Allocate, allocatePlain, sampleSize } from '../../port.ts';
import { bodyModule } from '../../scene/bodies.ts';
import type { Rod } from '../../scene/compiled.ts';
import { compileAlong } from '../../scene/parameter.ts';
import type { Scene } from '../../scene/types.ts';
import { advanceAllOrNone } from '../allOrNone.ts';
import { type BundleQueries, sumReadouts } from '../readouts.ts';
import type { PartRange } from '../rodStep.ts';
import { cloneState } from '../stateParts.ts';
import { createRestRod } from './atRest.ts';
import { createFiberContact } from './contact.ts';
import { createDetiTools, stepDeti } from './deti.ts';
import { stepDetiR } from './detiR.ts';
import { evaluateHeld, imposeHeld } from './held.ts';
import { type FiberKernel, pairUp, type Unit } from './kernel.ts';
import { initializeState, poseSamples } from './kinematics.ts';
import { exportMatrices, findModes } from './modal.ts';
import { type FiberOptions, fiberCapabilities } from './options.ts';
import { addEnergies, addMomentum, measureReactions, readChannel } from './readouts.ts';
import { noteMaterials, refuseScheme, warnOptions, warnRolling, warnScheme } from './refuse.ts';
import { createFiberRod, type FiberRod, unknownCount, updateStiffness } from './rod.ts';
import { findEquilibrium } from './statics.ts';
import { type NewtonOptions, stepImplicit, stepMembers } from './step.ts';
import { warnTwistPull } from './twistPull.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** Data of steps and queries. */
interface FiberBundle {
  readonly fibers: readonly FiberRod[];
  readonly units: readonly Unit[];
  readonly scheme: NonNullable<FiberOptions['integrator']>;
  /** Tools of the integrator `deti`, one per fiber. */
  readonly tools: ReturnType<typeof createDetiTools>;
  /** The state includes the last step: its length, and a displacement (`deti`, `deti-r`) or where it began (viscous rods). */
  readonly remembers: boolean;
}

function compile(
  rods: readonly Rod[],
  drives: readonly Drive[],
  scene: Scene,
  coupling: Coupling,
  kernel: FiberKernel | undefined,
  allocate: Allocate,
): Bundle {
  const options: FiberOptions = scene.solver?.fiber ?? {};
  const scheme = options.integrator ?? 'energy-momentum';
  if (coupling.welds.length > 0)
    throw new SceneError(['welds'], 'model fiber is not welded to bodies; use pins, or model: der');
  const warnings: string[] = [];
  const isMultistep = scheme === 'deti' || scheme === 'deti-r';
  const remembers = isMultistep || rods.some(isViscous);
  const { state, fibers } = layOutState({ rods, drives, scene, options, warnings, allocate }, remembers);
  const units = createUnits(fibers, isMultistep ? undefined : kernel, kernel?.createBlocks, (fiber) =>
    newtonOptionsOf(fiber, scene, scheme),
  );
  const workOf = listWorks(units);
  fibers.forEach(startFiber);
  checkScene(fibers, scheme, scene, warnings);
  noteMaterials(rods, scene, warnings);
  const tools = scheme === 'deti' ? createDetiTools(fibers, options) : [];

  const bundle: FiberBundle = { fibers, units, scheme, tools, remembers };
  const refresh = (t: number, without?: Uint8Array): void => {
    fibers.forEach((fiber, k) => {
      if (!without?.[k]) refreshFiber(fiber, t);
    });
  };
  refresh(0);
  const before = cloneState(state);
  const contact = canTouch(bundle)
    ? createFiberContact(fibers, state, units, allocate, kernel?.createFactor)
    : undefined;
  return {
    model: 'fiber',
    rods,
    samples: fibers.map((fiber) => fiber.samples),
    bodies: [],
    warnings,
    state,
    refresh,
    restart: (t) => {
      for (const fiber of fibers) if (isMultistep) fiber.memory[0] = 0;
      refresh(t);
    },
    advance: (step) =>
      advanceAllOrNone({ state, before, refresh }, step, () =>
        advanceUnits(bundle, { from: 0, to: units.length }, step),
      ),
    parts: { ...createParts(bundle), ...(contact && { refreshRod: contact.refreshRod }) },
    ...(contact && { contact: contact.port }),
    ...createQueries(bundle, workOf, scene.time?.step ?? 1e-3),
  };
}

/** The units as parts that threads share. */
function createParts(bundle: FiberBundle): NonNullable<Bundle['parts']> {
  const { units } = bundle;
  return {
    count: units.length,
    rods: (u) => units[u].members.map(({ index }) => index),
    advance: (from, to, step) => advanceUnits(bundle, { from, to }, step),
  };
}

/** Rejects scenes that the scheme does not support, and warns about doubtful ones. */
function checkScene(
  fibers: readonly FiberRod[],
  scheme: FiberBundle['scheme'],
  scene: Scene,
  warnings: string[],
): void {
  const options: FiberOptions = scene.solver?.fiber ?? {};
  refuseScheme(fibers, scheme, scene, options);
  warnScheme(fibers, scheme, scene, warnings);
  warnOptions(options, warnings);
  if (scene.contact?.rolling) warnRolling(fibers, warnings);
  warnTwistPull(fibers, scene, warnings);
}

const isViscous = ({ halfDamping }: Rod): boolean => halfDamping.some((value) => value > 0);

/** The work space of each fiber. */
function listWorks(units: readonly Unit[]): Workspace[] {
  const works: Workspace[] = [];
  for (const { members } of units) for (const { index, work } of members) works[index] = work;
  return works;
}

function newtonOptionsOf({ width1, width2 }: FiberRod, scene: Scene, scheme: FiberBundle['scheme']): NewtonOptions {
  const options: FiberOptions = scene.solver?.fiber ?? {};
  // a single rod is halved here, which is cheaper than all of them; the world continues from there
  const isHalved = scheme === 'energy-momentum' || scheme === 'deti-r';
  return {
    tolerance: (options.tolerance ?? 1e-3) * Math.min(width1, width2),
    iterations: options.iterations ?? 12,
    depth: isHalved ? Math.min(4, scene.time?.halvings ?? 8) : 0,
    calm: options.calmRings === true,
  };
}

/** The state that the scene starts from. */
function startFiber(fiber: FiberRod): void {
  initializeState(fiber);
  evaluateHeld(fiber, 0);
  imposeHeld(fiber, fiber.q);
}

/** Throws SceneError if contact is impossible: its backward Euler steps have no stiffness damping, and deti cannot leave its basis. */
function canTouch({ scheme, fibers }: FiberBundle): boolean {
  return scheme !== 'deti' && fibers.every(({ edgeViscosity }) => edgeViscosity.every((value) => value === 0));
}

function refreshFiber(fiber: FiberRod, t: number): void {
  updateStiffness(fiber, t);
  evaluateHeld(fiber, t);
  poseSamples(fiber, fiber.q, fiber.v);
}

/** Steps units. On failure, their state is arbitrary. */
function advanceUnits(bundle: FiberBundle, { from, to }: PartRange, step: BundleStep): StepOutcome {
  const { fibers, units, scheme } = bundle;
  const { t, dt, robust, without } = step;
  let iterations = 0;
  let iterationsMax = 0;
  // of everything that is stepped without contact, also by other threads
  for (let k = 0; k < fibers.length; k++) if (!without?.[k]) fibers[k].contactForce = undefined;
  for (let u = from; u < to; u++) {
    const { members } = units[u];
    let wanted = 0;
    members.forEach(({ fiber, index }, lane) => {
      if (without?.[index]) return;
      wanted |= 1 << lane;
      readLoads(fiber);
    });
    if (wanted === 0) continue;
    const stepped = stepUnit(bundle, units[u], t, dt, wanted);
    for (let lane = 0; lane < members.length; lane++) {
      if (!(wanted & (1 << lane))) continue;
      const { fiber, work, options: newton } = members[lane];
      iterations += work.iterations;
      let ok = (stepped & (1 << lane)) !== 0;
      if (!ok && robust && scheme === 'energy-momentum') {
        // never needed in any run so far: a step that loses energy is better than a failed step
        ok = stepImplicit(fiber, work, 'implicit-euler', t, dt, newton);
        iterations += work.iterations;
      }
      iterationsMax = Math.max(iterationsMax, work.iterationsMax);
      if (!ok) {
        const failure = { rod: fiber.rod.id, reason: work.reason };
        return { ok, iterations, iterationsMax, shifts: 0, failure };
      }
      refreshFiber(fiber, t + dt);
    }
  }
  return { ok: true, iterations, iterationsMax, shifts: 0 };
}

/** Steps the members whose bit is set in `wanted`; returns the bits of those that were stepped. */
function stepUnit(
  { scheme, tools }: FiberBundle,
  { members, kernel }: Unit,
  t: number,
  dt: number,
  wanted: number,
): number {
  if (scheme !== 'deti' && scheme !== 'deti-r') return stepMembers(kernel, members, scheme, t, dt, wanted);
  const [{ fiber, work, index, options: newton }] = members;
  const ok = scheme === 'deti' ? stepDeti(fiber, tools[index], work, t, dt) : stepDetiR(fiber, work, t, dt, newton);
  return ok ? 1 : 0;
}

/** Read-outs, equilibria and modes. */
function createQueries(bundle: FiberBundle, workOf: readonly Workspace[], step: number): BundleQueries {
  const { fibers, remembers, scheme } = bundle;
  return {
    ...(fibers.some(({ rod }) => rod.animation) && {
      animate: (t) => {
        for (const fiber of fibers) updateStiffness(fiber, t);
      },
    }),
    ...sumReadouts(fibers, { addEnergies, addMomentum }),
    readChannel: (out, rod, channel) => readChannel(out, fibers[rod], channel),
    differentiatesLoads: true,
    equilibrate: (rod, t, wanted) => {
      readLoads(fibers[rod]);
      if (remembers) fibers[rod].memory[0] = 0;
      return findEquilibrium(fibers[rod], workOf[rod], t, wanted);
    },
    atRest: (rod) => {
      readLoads(fibers[rod]);
      return createRestRod(fibers[rod]);
    },
    reactions: (rod, t) => measureReactions(fibers[rod], workOf[rod], t, { step, scheme }),
    modes: (rod, t, count) => {
      readLoads(fibers[rod]);
      return findModes(fibers[rod], workOf[rod], t, count);
    },
    matrices: (rod, t) => {
      readLoads(fibers[rod]);
      return exportMatrices(fibers[rod], workOf[rod], t);
    },
  };
}

interface FiberInput {
  readonly rods: readonly Rod[];
  readonly drives: readonly Drive[];
  readonly scene: Scene;
  readonly options: FiberOptions;
  readonly warnings: string[];
  readonly allocate: Allocate;
}

/** The state that the fibers share, and their places in it. */
function layOutState(
  { rods, drives, scene, options, warnings, allocate }: FiberInput,
  remembers: boolean,
): { readonly state: BundleState; readonly fibers: FiberRod[] } {
  const sizes = rods.map(unknownCount);
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const total = sum(sizes);
  const memory = allocate(
    remembers ? total + rods.length : 0,
    sizes.map((size) => (remembers ? size + 1 : 0)),
  );
  const state = { q: allocate(total, sizes), v: allocate(total, sizes), memory };
  // samples of all fibers in one block of memory, in their order
  const sampled = rods.map(sampleSize);
  const samples = allocate(sum(sampled), sampled);
  let atSamples = 0;
  const allocateSamples: Allocate = (length) => {
    atSamples += length;
    return samples.subarray(atSamples - length, atSamples);
  };
  let at = 0;
  const fibers = rods.map((rod, k) => {
    const size = unknownCount(rod);
    const part = {
      q: state.q.subarray(at, at + size),
      v: state.v.subarray(at, at + size),
      memory: memory.subarray(remembers ? at + k : 0, remembers ? at + size + k + 1 : 0),
    };
    at += size;
    return createFiberRod({ rod, drive: drives[k], scene, options, warnings, allocate: allocateSamples }, part);
  });
  return { state, fibers };
}

/** Creates units: pairs if there is a kernel. Fibers of the same size that are not stepped together share their work space. */
function createUnits(
  fibers: readonly FiberRod[],
  kernel: FiberKernel | undefined,
  createBlocks: CreateBlocks | undefined,
  optionsOf: (fiber: FiberRod) => NewtonOptions,
): Unit[] {
  const works = new Map<string, Workspace>();
  const workOf = (fiber: FiberRod, lane: number): Workspace => {
    const key = `${fiber.ringCount} ${lane}`;
    const work = works.get(key) ?? createWorkspace(fiber, createBlocks);
    works.set(key, work);
    return work;
  };
  const lists = kernel ? pairUp(fibers) : fibers.map((_, k) => [k]);
  const pairs = kernel?.createPairs(lists.map((list) => list.map((k) => fibers[k])));
  return lists.map((list, u) => ({
    kernel: pairs?.[u],
    members: list.map((index, lane) => {
      const fiber = fibers[index];
      return { fiber, index, work: workOf(fiber, lane), options: optionsOf(fiber) };
    }),
  }));
}

/** Loads may have been added by hand since the last step. */
function readLoads(fiber: FiberRod): void {
  fiber.loadsDependOnState = fiber.drive.sources.some((source) => source.dependsOnState);
}

/** The model, with a kernel that steps fibers in pairs if one is given. */
export function createFiberModel(kernel?: FiberKernel, allocate: Allocate = allocatePlain): Model {
  return {
    id: 'fiber',
    isFast: kernel !== undefined,
    capabilities: fiberCapabilities,
    compileAlong,
    bodies: bodyModule,
    compile: (rods, drives, scene, coupling) => compile(rods, drives, scene, coupling, kernel, allocate),
  };
}

/** Stiff fibers [Michels2015], for `createWorld(scene, { models: [fiber] })`. */
export const fiberModel: Model = createFiberModel();
