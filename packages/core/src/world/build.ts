/**
 * Builds the parts of a world from a scene: compiled rods, pins and loads; one bundle per model; and obstacles, contact and a rigid-body engine if the
 * scene has them. All errors of the scene are detected here.
 */

import type { Breakable } from '../breakPort.ts';
import type { ContactWorld } from '../contact/contactWorld.ts';
import type { Continuum } from '../contact/continuum.ts';
import type { ContactModule } from '../contact/index.ts';
import type { StillScene } from '../contact/rest/stillTime.ts';
import type { Collider } from '../contact/shapes/collider.ts';
import type { WorldOptions } from '../engine.ts';
import { SceneError } from '../errors.ts';
import type { Bundle } from '../model.ts';
import type { LoadSource, Samples } from '../port.ts';
import type { CompiledBody, Weld } from '../scene/bodies.ts';
import { checkFinite } from '../scene/check.ts';
import { type CompiledScene, compileExpanded } from '../scene/compile.ts';
import type { Pin, Rod } from '../scene/compiled.ts';
import { createGrip, type Grip } from '../scene/grip.ts';
import type { Jumps } from '../scene/jumps.ts';
import { gravityOf } from '../scene/loads.ts';
import type { Scene } from '../scene/types.ts';
import { animateRods } from './animateRods.ts';
import { createStepBudget, type StepBudget } from './budget.ts';
import { compileBundles, type RodPlace } from './bundles.ts';
import { createEngineTurn, type EngineTurn } from './engineTurn.ts';
import { createRemarkWatch } from './remarks.ts';

/** Pins and loads of one rod; loads may be added and removed while the world runs. */
export interface OpenDrive {
  readonly pins: readonly Pin[];
  readonly sources: LoadSource[];
  /** See `Drive`. */
  overrides: number;
  readonly stillAt?: { readonly time: number };
}

/** Mutable state of a world besides that of its bundles, contacts and engine. */
export interface Clock {
  /** [s] */
  time: number;
  stepCount: number;
  /** Length of the last step [s]; 0 if there was none since the world was made or restored. */
  lastStep: number;
  /** True while contact forces are applied to the rods: avoids applying them again for every channel that is read. */
  hasContactForces: boolean;
}

/** All parts of a world. Stepping, reading and statics are functions of it. */
export interface WorldParts {
  readonly scene: Scene;
  readonly options: WorldOptions;
  readonly rods: readonly Rod[];
  readonly bodies: readonly CompiledBody[];
  /** Times at which pins are released [s]. */
  readonly releases: readonly number[];
  /** Times at which loads jump. */
  readonly jumps: Jumps | undefined;
  readonly drives: readonly OpenDrive[];
  readonly grips: readonly Grip[];
  readonly colliders: readonly Collider[];
  readonly warnings: readonly string[];
  readonly bundles: readonly Bundle[];
  readonly placeOfRod: readonly RodPlace[];
  readonly samples: readonly Samples[];
  readonly continuum: Continuum | undefined;
  readonly contact: ContactWorld | undefined;
  readonly engine: EngineTurn | undefined;
  readonly budget: StepBudget;
  /** Call after a step to time t: returns remarks on it. */
  readonly takeRemarks: (t: number) => readonly string[];
  /** Rods and links that can break. */
  readonly breakables: readonly Breakable[];
  readonly welds: readonly Weld[];
  /** True if properties of a rod change in time. */
  readonly isAnimated: boolean;
  readonly clock: Clock;
}

/** Builds a world. `still`: pins, loads and obstacles that do not move, instead of the scene's. */
export function buildWorld(input: Scene, options: WorldOptions, still?: StillScene): WorldParts {
  const compiled = compileFrom(input, options, still);
  const { scene, rods, warnings, bodies, releases, jumps } = compiled;
  const contactModule = chooseContact(compiled, options);
  const { start } = options;
  const first = scene.statics?.parameter === undefined ? 0 : (scene.statics.from ?? 0);
  const clock: Clock = { time: start?.time ?? first, stepCount: 0, lastStep: 0, hasContactForces: false };
  const { drives, grips } = openDrives(compiled, () => restartMotion(parts, clock.time));
  const moving = contactModule ? buildColliders(contactModule, compiled, options) : [];
  const colliders = still ? moving.map(still.holdCollider) : moving;
  const budget = createStepBudget(options, scene.time?.halvings ?? 8, rods.length);
  const continuum = buildContinuum(contactModule, compiled, drives, () => samples);
  const { bundles, placeOfRod } = compileBundles(scene, compiled, drives, options.models ?? [], budget.ask);
  const samples = placeOfRod.map(({ bundle, index }) => bundle.samples[index]);
  compiled.endBuilding?.();
  for (const bundle of bundles) bundle.refresh(clock.time);
  continuum?.begin();
  const canTouch = scene.contact || scene.links?.length || colliders.some(({ acts }) => acts.includes(1));
  const contact = (canTouch ? contactModule : undefined)?.createContactWorld({
    ...compiled,
    bundles,
    placeOfRod: placeOfRod.map(({ bundle, index }) => ({ bundle: bundles.indexOf(bundle), index })),
    colliders,
    bodyIds: bodies.map(({ body }) => body.id),
    drives,
    time: clock.time,
    spend: budget.spend,
  });
  if (start) for (const bundle of bundles) bundle.restart(clock.time);
  moveBodiesOnPaths(bodies, clock.time);
  const engine = createEngineTurn(scene, bodies, bundles, options);
  const parts: WorldParts = {
    scene,
    options,
    // for `natural: equilibrium`, the model has computed the natural shape
    rods: placeOfRod.map(({ bundle, index }) => bundle.rods[index]),
    bodies,
    releases,
    jumps,
    drives,
    grips,
    colliders,
    warnings: [...warnings, ...bundles.flatMap((bundle) => bundle.warnings ?? [])],
    bundles,
    placeOfRod,
    samples,
    continuum,
    contact,
    engine,
    budget,
    takeRemarks: createRemarkWatch(compiled, { bundles, samples, drives, colliders, contact, contactModule, clock }),
    breakables: [...bundles, ...(contact ? [contact] : [])].flatMap(({ breakable }) => (breakable ? [breakable] : [])),
    welds: compiled.welds,
    isAnimated: rods.some(({ animation }) => animation),
    clock,
  };
  return startAnimation(parts);
}

function startAnimation(parts: WorldParts): WorldParts {
  animateRods(parts, parts.clock.time);
  return parts;
}

/** Creates the grid of dense hair, if the scene has one, and adds its forces to the load sources of the rods. */
function buildContinuum(
  contactModule: ContactModule | undefined,
  { scene, rods }: CompiledScene,
  drives: readonly OpenDrive[],
  samples: () => readonly Samples[],
): Continuum | undefined {
  const { between, continuum: options } = scene.contact ?? {};
  if (between !== 'continuum' || !options) return undefined;
  const continuum = contactModule?.createContinuum(rods, samples, gravityOf(scene), options);
  if (continuum) for (const [index, { sources }] of drives.entries()) sources.push(continuum.sources[index]);
  return continuum;
}

/** The scene with its weaves as rods and links. */
function expandScene(scene: Scene, contact: ContactModule | undefined): Scene {
  if (!scene.weaves) return scene;
  if (!contact) throw withoutContact('weaves');
  checkFinite(scene, []);
  return contact.expandWeaves(scene).scene;
}

function withoutContact(field: string): SceneError {
  return new SceneError(
    [field],
    `this world was made without contact; pass contact of @tendril-sim/core/contact to createWorld, or remove '${field}'`,
  );
}

/** The compiled scene, with rods in the state of `options.start`. */
function compileFrom(scene: Scene, options: WorldOptions, still: StillScene | undefined): CompiledScene {
  const { start, contact } = options;
  const { jumps, ...compiled } = compileAlongParameter(expandScene(scene, contact), options);
  const rods = start ? compiled.rods.map((rod, k) => ({ ...rod, ...start.rods[k] })) : compiled.rods;
  return {
    ...compiled,
    rods: still ? rods.map(still.holdRod) : rods,
    ...(still ? { drives: [...still.drives], releases: [] } : jumps && { jumps }),
  };
}

/** The compiled scene; along `statics.parameter` if the scene has one. */
function compileAlongParameter(scene: Scene, { contact, animation, wind, models }: WorldOptions): CompiledScene {
  const bodies = models?.find((model) => model.bodies)?.bodies;
  const features = {
    ...(contact && { compileLinks: contact.compileLinks }),
    ...(animation && { animation }),
    ...(wind && { wind }),
    ...(bodies && { bodies }),
  };
  const compile = (one: Scene): CompiledScene => compileExpanded(one, features);
  const name = scene.statics?.parameter;
  if (name === undefined) return compile(scene);
  const able = models?.find(({ compileAlong }) => compileAlong);
  if (able?.compileAlong) return able.compileAlong(scene, name, compile);
  throw new SceneError(
    ['statics', 'parameter'],
    "this program has der without branches; pass derBranches to createDerModel, or remove 'parameter'",
  );
}

/** Creates lists of pins and loads that can change while the world runs, and a grip on every pin that no body holds. */
function openDrives(
  { drives, welds, carried }: CompiledScene,
  restart: () => void,
): { readonly drives: OpenDrive[]; readonly grips: Grip[] } {
  const grips: Grip[] = [];
  const isOfBody = (pin: Pin): boolean => welds.some((weld) => weld.pin === pin) || carried.includes(pin);
  const open = drives.map(({ pins, sources, stillAt }) => {
    const noteOverride = (): void => {
      drive.overrides++;
    };
    const drive: OpenDrive = {
      sources: [...sources],
      pins: pins.map((pin) => {
        if (isOfBody(pin)) return pin;
        const gripped = createGrip(pin, restart, noteOverride);
        grips.push(gripped.grip);
        return gripped.pin;
      }),
      overrides: 0,
      ...(stillAt && { stillAt }),
    };
    return drive;
  });
  return { drives: open, grips };
}

/** The contact module, if the scene needs it. */
function chooseContact({ scene }: CompiledScene, options: WorldOptions): ContactModule | undefined {
  const field = scene.contact ? 'contact' : scene.links?.length ? 'links' : scene.colliders?.length ? 'colliders' : '';
  if (field === '') return undefined;
  if (!options.contact) throw withoutContact(field);
  return options.contact;
}

function buildColliders(
  { compileColliders, warnUnmet }: ContactModule,
  { scene, rods, bodies, warnings }: CompiledScene,
  options: WorldOptions,
): Collider[] {
  const colliders = compileColliders(scene, rods, bodies, warnings);
  for (const { shape } of colliders) shape.insist?.();
  if (!options.bodies) warnUnmet(colliders, bodies, warnings);
  return colliders;
}

/** Moves bodies with a path to their poses at t. */
export function moveBodiesOnPaths(bodies: readonly CompiledBody[], t: number): void {
  for (const { path, pose } of bodies) path?.evaluate(pose, t);
}

/** Updates samples of rods that a GPU moves. */
export function readBack({ bundles }: Pick<WorldParts, 'bundles'>): void {
  for (const bundle of bundles) bundle.readBack?.();
}

/** After forces have jumped: the bundles recompute their accelerations at t. */
export function restartMotion({ bundles, contact }: WorldParts, t: number): void {
  contact?.applyContactForces();
  for (const bundle of bundles) bundle.restart(t);
}
