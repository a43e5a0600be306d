/** The data of a bundle of rods: built from the scene, and used by every step, statics and queries. */
import { SceneError } from '../../errors.ts';
import type { BundleState, Coupling, Drive } from '../../model.ts';
import { type Allocate, allocatePlain } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import type { NewtonOptions } from '../mixedNewton.ts';
import { cloneState } from '../stateParts.ts';
import type { createRestRod } from './atRest.ts';
import type { DerBody } from './body.ts';
import type { BodyParts } from './bodyParts.ts';
import type { BranchParts } from './branch.ts';
import type { createBreaking } from './breaking.ts';
import type { createDerContact } from './contact.ts';
import { initializeForces } from './coupling.ts';
import type { createExplicitSchemes, ExplicitSchemes } from './explicitSchemes.ts';
import type { HingeParts } from './hingeParts.ts';
import type { DerKernel } from './kernel.ts';
import { evaluatePins, initializeState, placePinned, rebuildFrames, restoreFrames } from './kinematics.ts';
import type { createMaterials } from './material.ts';
import type { ModalParts } from './modal.ts';
import type { designRods } from './natural.ts';
import type { DerOptions } from './options.ts';
import {
  type BundleSystem,
  createSystems,
  createTools,
  createUnits,
  findSystems,
  layOutState,
  pairUp,
  type Tools,
  type Unit,
} from './parts.ts';
import { refuse } from './refuse.ts';
import type { linearizeDer } from './restTangent.ts';
import type { DerRod } from './rod.ts';
import { initializeMotion } from './start.ts';
import type { linearizeDerSteps } from './stepTangent.ts';

/** Optional parts of the model. A program that leaves parts out does not bundle their code. */
export interface DerParts {
  /** Contact with obstacles and rods, and links; without it, scenes that have them are rejected. */
  readonly contact?: typeof createDerContact;
  /** Bodies that are welded to rods; without it, scenes that have them are rejected. */
  readonly bodies?: BodyParts;
  /** Hinges (`hold: hinge`); without it, scenes that have them are rejected. */
  readonly hinges?: HingeParts;
  /** Branches of equilibria, and equilibria along a number of the scene; without it, scenes with `statics.parameter` are rejected. */
  readonly branches?: BranchParts;
  /** Equilibria and modes of rods that are linked to each other. */
  readonly links?: typeof createRestRod;
  /** Derivatives of equilibria. */
  readonly derivatives?: typeof linearizeDer;
  /** Derivatives of runs. */
  readonly stepDerivatives?: typeof linearizeDerSteps;
  /** `natural: equilibrium`; without it, scenes that ask for it are rejected. */
  readonly natural?: typeof designRods;
  /** Laws of bending and twist (`law`); without it, scenes that have them are rejected. */
  readonly materials?: typeof createMaterials;
  /** Rods that break (`break`); without it, scenes that have them are rejected. */
  readonly breaking?: typeof createBreaking;
  /** Natural modes and matrices; without it, `modes` and `matrices` of a world throw. */
  readonly modes?: ModalParts;
  /** The integrators `shake` and `fast-projection`. */
  readonly explicit?: typeof createExplicitSchemes;
  /** Solves rods two at a time. */
  readonly kernel?: DerKernel;
  /** Provides the memory of the rods' arrays. Default: memory of JavaScript. */
  readonly allocate?: Allocate;
}

/** Inputs from which a bundle is compiled. */
export interface DerInput {
  readonly rods: readonly Rod[];
  readonly drives: readonly Drive[];
  readonly scene: Scene;
  readonly coupling: Coupling;
}

export interface DerBundle extends DerInput {
  readonly warnings: readonly string[];
  readonly scheme: string;
  readonly newton: NewtonOptions;
  readonly state: BundleState;
  /** State at the start of a step of the whole bundle. */
  readonly before: BundleState;
  readonly ders: readonly DerRod[];
  readonly bodies: readonly DerBody[];
  /** Work space of each rod. */
  readonly tools: readonly Tools[];
  readonly systems: readonly BundleSystem[];
  readonly systemOfRod: readonly BundleSystem[];
  readonly units: readonly Unit[];
  /** Only with an explicit integrator. */
  readonly explicitSchemes: ExplicitSchemes | undefined;
  /**
   * Time to which a kernel has moved a rod, while its pins, lengths, tangents, axes and twist are not updated; else NaN. `renew` updates them.
   */
  readonly movedTo: Float64Array;
}

/** Builds rods and bodies in their state at t = 0. Throws SceneError for features that the scheme or the program does not support. */
export function createBundle(input: DerInput, parts: DerParts): DerBundle {
  const { drives, scene, coupling } = input;
  const wishes: DerOptions = scene.solver?.der ?? {};
  const scheme = wishes.integrator ?? 'tr-bdf2';
  const explicit = scheme === 'shake' || scheme === 'fast-projection';
  refuse(input.rods, drives, scene, coupling, scheme, explicit);
  refuseMissingParts(input, parts, explicit ? scheme : undefined);
  const materials = parts.materials?.(scene, input.rods);
  // the explicit schemes and their strain are those of the paper; twist has no inertia there
  const options: DerOptions = explicit ? { ...wishes, strain: 'bergou2008', twist: 'quasistatic' } : wishes;
  const { rods, warnings } =
    needsDesign(input) && parts.natural ? parts.natural(input, options) : { ...input, warnings: [] };
  const { state, ders, bodyOf } = layOutState(rods, drives, options, coupling, {
    allocate: parts.allocate ?? allocatePlain,
    materials,
    breaking: parts.breaking?.(scene, input),
    bodyParts: parts.bodies,
    hinges: parts.hinges,
  });
  const bodies = [...bodyOf.values()];
  const joined = findSystems(rods.length, coupling);
  const { kernel } = parts;
  const paired = kernel && !explicit && scheme !== 'bdf2' ? pairUp(joined, ders) : joined.map((_, s) => [s]);
  const tools = createTools(joined, ders, paired);
  const systems = createSystems(joined, ders, tools, bodyOf, parts.bodies);
  const units: readonly Unit[] = kernel
    ? createUnits(paired, systems, ders, tools, kernel)
    : paired.map((list) => ({ systems: list }));
  const systemOfRod: BundleSystem[] = [];
  for (const one of systems) for (const k of one.rods) systemOfRod[k] = one;
  const bundle = {
    ...input,
    rods,
    warnings,
    scheme,
    newton: { tolerance: options.tolerance ?? 1e-9, iterations: options.iterations ?? 25, rotation: 1 },
    state,
    ders,
    bodies,
    tools,
    systems,
    systemOfRod,
    units,
    explicitSchemes: explicit ? parts.explicit?.({ scene, rods, ders, bodies, tools, systems, scheme }) : undefined,
    movedTo: new Float64Array(rods.length).fill(Number.NaN),
  };
  for (const body of bodies) parts.bodies?.initializeBody(body);
  initialize(bundle);
  return { ...bundle, before: cloneState(state) };
}

function needsDesign({ rods }: DerInput): boolean {
  return rods.some(({ naturalFromEquilibrium }) => naturalFromEquilibrium);
}

function refuseMissingParts(
  input: DerInput,
  { explicit, bodies, natural, materials, breaking, hinges }: DerParts,
  scheme: string | undefined,
): void {
  if (scheme && !explicit)
    throw new SceneError(
      ['solver', 'der', 'integrator'],
      `this program has der without its explicit integrators; use tr-bdf2 in place of ${scheme}, or pass derExplicit to createDerModel`,
    );
  if (input.coupling.welds.length > 0 && !bodies)
    throw new SceneError(['welds'], 'this program has der without bodies; pass derBodies to createDerModel');
  if (!hinges && input.drives.some(({ pins }) => pins.some(({ orientation }) => orientation === 'hinge')))
    throw new SceneError(['pins'], 'this program has der without hinges; pass derHinges to createDerModel');
  if (!materials && input.rods.some(({ law }) => law))
    throw new SceneError(
      ['rods'],
      'this program has der without laws of materials; pass derMaterials to createDerModel',
    );
  if (!breaking && input.rods.some(({ strength }) => strength))
    throw new SceneError(['rods'], 'this program has der without rods that break; pass derBreaking to createDerModel');
  if (needsDesign(input) && !natural)
    throw new SceneError(
      ['rods'],
      'this program has der without natural: equilibrium; pass derNatural to createDerModel',
    );
}

type Unstarted = Omit<DerBundle, 'before'>;

/** State, pins and frames at t = 0, and the forces that the scheme starts with. */
function initialize(bundle: Unstarted): void {
  const { ders, tools, explicitSchemes } = bundle;
  ders.forEach((der, k) => {
    evaluatePins(der, 0);
    initializeState(der, tools[k].work.edgeWork);
    placePinned(der, der.q, der.v);
    rebuildFrames(der, tools[k].work.edgeWork);
  });
  explicitSchemes?.begin();
  const failure = initializeScheme(bundle, 0);
  if (failure) throw new SceneError(['rods'], failure);
}

/** Computes the forces at t that the scheme stores from step to step. Returns an error, or an empty string. */
export function initializeScheme({ rods, ders, tools, systems, explicitSchemes }: Unstarted, t: number): string {
  let trouble = '';
  systems.forEach(({ system, rods: members }, s) => {
    if (explicitSchemes) trouble ||= explicitSchemes.initialize(s, t);
    else {
      for (const k of members) initializeMotion(ders[k], tools[k].work, t);
      initializeForces(system, t);
    }
    if (trouble && !trouble.startsWith('rod ')) trouble = `rod '${rods[members[0]].id}' cannot start: ${trouble}`;
  });
  return trouble;
}

/** Updates quantities derived from the state of rod k, after a kernel has moved it. */
export function renew({ ders, tools, movedTo }: DerBundle, k: number): void {
  if (Number.isNaN(movedTo[k])) return;
  evaluatePins(ders[k], movedTo[k]);
  restoreFrames(ders[k], tools[k].work.edgeWork);
  movedTo[k] = Number.NaN;
}

export function renewAll(bundle: DerBundle): void {
  for (let k = 0; k < bundle.ders.length; k++) renew(bundle, k);
}
