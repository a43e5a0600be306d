/** Contact and links of a world: builds the data that the stages of a step share (context.ts), and answers queries about the last step. */

import type { Breakable } from '../breakPort.ts';
import { halvingsLeft } from '../math/substeps.ts';
import type {
  Bundle,
  Drive,
  EquilibriumOptions,
  EquilibriumReport,
  Matrices,
  Modes,
  RestRod,
  StepOutcome,
} from '../model.ts';
import { type LoadSource, NO_SIDES, type StepRequest } from '../port.ts';
import type { Weld } from '../scene/bodies.ts';
import type { Rod } from '../scene/compiled.ts';
import type { LinkPlan } from '../scene/links.ts';
import { gravityOf } from '../scene/loads.ts';
import type { ContactSpec, Scene } from '../scene/types.ts';
import { threadsOf } from '../threads/contactThreads.ts';
import type { BundlePlace } from './bundlePlace.ts';
import { checkSpec, refuseUntouchable, warnOverlaps, warnStiffRepulsion } from './check.ts';
import { type ContactSet, createContactSet } from './contactSet.ts';
import type { ContactContext } from './context.ts';
import { createColliderSearch, shareColliderSearch } from './detect/colliderSearch.ts';
import { findRoots, warnRoots } from './detect/embeddedRoots.ts';
import { createFinder } from './detect/finder.ts';
import { measureGaps } from './detect/gaps.ts';
import { createMissedContactDetector } from './detect/missedContacts.ts';
import { readRules } from './detect/rules.ts';
import { createEnergyCheck } from './energy.ts';
import { canBreak, createBreakableLinks, refuseBreakable } from './links/breaking.ts';
import type { LoneRest } from './links/forceStatics.ts';
import type { Links } from './links/linkData.ts';
import { createLinks, energyOfLinks, recallLinks, refuseUnlinkable } from './links/links.ts';
import { findLinkedModes, joinMatrices } from './links/modes.ts';
import { applyRestForces } from './links/restForces.ts';
import { createLinkedRest, type LinkedRest } from './links/statics.ts';
import { measureLinks } from './links/strain.ts';
import { createOwnContactWorld } from './ownContact.ts';
import {
  type ContactForce,
  type ContactReport,
  clearReport,
  createReport,
  type LinkForce,
  listForces,
  listLinkForces,
} from './report.ts';
import { type FollowedContacts, followContacts } from './rest/branchContacts.ts';
import { holdContacts } from './rest/heldContacts.ts';
import { refineRod } from './rest/refine.ts';
import type { Collider } from './shapes/collider.ts';
import type { SolveOptions } from './solve/islandRound.ts';
import { createIslandSolver } from './solve/islandSolver.ts';
import { createIslandBuilder, createMarks, listSystems } from './solve/islands.ts';
import { createLayout, layOutSides, type SideLayout, writeForces } from './solve/sides.ts';
import { createSingleRodSolver } from './solve/singleRods.ts';
import { createSolveLog } from './solve/solveLog.ts';
import { findImpact, findSortedContacts } from './stages.ts';
import { advanceWithContact } from './step.ts';
import { listStored, restoreWarmStart, saveWarmStart } from './warmStart.ts';

/**
 * Iteration limit of the contact solver, and how often it may fail to converge in a step before its result is accepted and reported. A rope of
 * three half turns that starts to slip takes 540; rings of a chain that meet at a bend may take any number in one step and few in half of it.
 */
export const defaultContactIterations = 1000;
const RETRIES = 5;

export interface ContactWorld {
  readonly links: Links;
  /** Links that can break; absent if none can. */
  readonly breakable?: Breakable;
  /** Report on all calls of `advance` since `begin`. */
  readonly report: ContactReport;
  /** Starts a step of the world. */
  begin(): void;
  /** Like `Bundle.advance`, for all bundles together; on failure restores all of them. */
  advance(step: StepRequest): StepOutcome;
  /** Time until the first impact that rebounds within the step, or 0. */
  findImpact(t: number, dt: number): number;
  /** Contacts of the last step that carry force, with the gaps at the current time t. */
  forces(t: number): ContactForce[];
  /** Applies the forces of the last step's contacts and links to the rods, for reactions and channels. */
  applyContactForces(): void;
  /** Energy of the links now [J]. */
  energy(): number;
  /** Energy that broken links had [J]; absent if none can break. */
  readonly dissipated?: (() => number) | undefined;
  /** Force of every link, in the scene's order. */
  linkForces(): LinkForce[];
  /** Solver for equilibria of rods that are joined by links; absent without links. */
  createLinkedRest(): LinkedRest | undefined;
  /** Refines a rod's equilibrium and its contact forces (rest/refine.ts). Undefined if it cannot; the rod's state is then arbitrary. */
  refineRest(rod: number, t: number, options: EquilibriumOptions): EquilibriumReport | undefined;
  /** The rod's contacts on a branch of equilibria (rest/branchContacts.ts); throws if those at the start, t, are not supported. */
  followContacts(rod: number, t: number): FollowedContacts;
  /** Holds the contacts of a rod for modes (rest/heldContacts.ts); the returned function releases them. */
  holdContacts(rod: number): () => void;
  /** Matrices of all rods joined by the links into one, and natural modes of all rods together. */
  joinMatrices(each: readonly Matrices[]): Matrices;
  findModes(each: readonly Matrices[], t: number, count: number): Modes[];
  /** The warm start of the next step, as plain numbers. */
  save(): Float64Array;
  restore(saved: Float64Array | undefined): void;
}

export interface ContactWorldParts {
  /** See ContactSettings. */
  readonly spend: (t: number) => void;
  readonly scene: Scene;
  readonly rods: readonly Rod[];
  readonly bundles: readonly Bundle[];
  readonly placeOfRod: readonly BundlePlace[];
  readonly colliders: readonly Collider[];
  readonly bodyIds: readonly string[];
  readonly drives: readonly (Drive & { readonly sources: LoadSource[] })[];
  readonly welds: readonly Weld[];
  readonly links: readonly LinkPlan[];
  /** Warnings about the scene are appended here. */
  readonly warnings: string[];
  /** Start time of the world [s]. */
  readonly time: number;
}

export function createContactWorld(parts: ContactWorldParts): ContactWorld {
  for (const bundle of parts.bundles)
    if (bundle.ownContact) return createOwnContactWorld(parts, bundle, bundle.ownContact);
  return createSharedContactWorld(parts);
}

/** Contact solved by this folder, for all bundles together. */
function createSharedContactWorld(parts: ContactWorldParts): ContactWorld {
  const { context, layout } = buildContext(parts);
  const { links, warmStart, stepReport, rods, samples, colliders, bundles } = context;
  warnAtStart(context, parts);
  const stored = createContactSet();
  const applyContactForces = (): void => {
    listStored(stored, warmStart);
    measureLinks(links, links.every, rods, samples);
    recallLinks(links, links.every, 'last-step', 1);
    const arrays = layOutSides(layout, stored, {
      systems: context.everySystem,
      linked: links.count > 0 ? links.every : undefined,
    });
    if (arrays.links) arrays.links.dt = 1;
    writeForces(stored, arrays, 1);
    for (const { contact: port } of bundles)
      port?.applyForces?.(arrays.bundles.find((one) => one.port === port)?.sides ?? NO_SIDES);
    applyRestForces(portless, { links, rods, samples }, restOf);
  };
  const bundleOf = (rod: number): Bundle => bundles[parts.placeOfRod[rod].bundle];
  const portless = new Set([...links.every.rods].filter((rod) => !bundleOf(rod).contact));
  const restOf = rememberRest((rod) => bundleOf(rod).atRest?.(parts.placeOfRod[rod].index));
  const alone = createLoneRest(parts, applyContactForces);
  const linked = { links, rods, samples, restOf };
  return {
    links,
    report: stepReport,
    begin() {
      if (portless.size > 0) refuseUnlinkable(parts.links, parts, 'motion');
      clearReport(stepReport);
    },
    advance: (step) => advanceWithContact(context, step),
    findImpact: (t, dt) => findImpact(context, t, dt),
    forces(t) {
      listStored(stored, warmStart);
      measureGaps(context.finder, stored, t);
      return listForces(stored, rods, colliders, 1);
    },
    applyContactForces,
    energy: () => energyOfLinks(links),
    dissipated: canBreak(links, rods) ? () => links.broken[links.count] : undefined,
    ...(canBreak(links, rods) && { breakable: createBreakableLinks(links, rods, samples) }),
    linkForces: () => listLinkForces(links, rods),
    createLinkedRest: () =>
      links.count === 0 || refuseBreakable(links, rods)
        ? undefined
        : createLinkedRest({ links, rods, samples, restOf, alone, pinsOf: (rod) => parts.drives[rod].pins }),
    refineRest: (rod, t, options) => refineRod(context, { alone, pins: parts.drives[rod].pins }, rod, t, options),
    followContacts: (rod, t) => followContacts(context, { rod, alone, pins: parts.drives[rod].pins }, t),
    holdContacts: (rod) => holdContacts(context, alone, rod),
    joinMatrices: (each) => joinMatrices(each, linked),
    findModes: (each, t, count) => findLinkedModes(each, linked, t, count),
    save: () => saveMemory(context),
    restore(saved) {
      restoreMemory(context, saved);
    },
  };
}

/** The equations of rods at rest, created on the first request for a rod. */
function rememberRest(create: (rod: number) => RestRod | undefined): (rod: number) => RestRod | undefined {
  const known = new Map<number, RestRod | undefined>();
  return (rod) => {
    if (!known.has(rod)) known.set(rod, create(rod));
    return known.get(rod);
  };
}

/** What links remember, which of them have broken if they can, then the warm start of contacts. */
function saveMemory({ links, warmStart, rods }: ContactContext): Float64Array {
  const parts = [links.memory, ...(canBreak(links, rods) ? [links.broken] : []), saveWarmStart(warmStart)];
  const saved = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    saved.set(part, at);
    at += part.length;
  }
  return saved;
}

function restoreMemory({ links, warmStart, contacts, rods }: ContactContext, saved: Float64Array | undefined): void {
  const end = links.memory.length;
  const after = end + (canBreak(links, rods) ? links.broken.length : 0);
  if (saved) {
    links.memory.set(saved.subarray(0, end));
    if (after > end) links.broken.set(saved.subarray(end, after));
  }
  restoreWarmStart(warmStart, saved?.subarray(after));
  contacts.count = 0;
}

/** Single rods, for equilibria under constant forces of links. */
function createLoneRest({ bundles, placeOfRod, drives }: ContactWorldParts, applyForces: () => void): LoneRest {
  const clearForces = (rod: number): void => bundles[placeOfRod[rod].bundle].contact?.applyForces?.(NO_SIDES);
  return {
    applyForces,
    clearForces,
    equilibrate(rod, t, options) {
      const { bundle, index } = placeOfRod[rod];
      clearForces(rod);
      return bundles[bundle].equilibrate(index, t, options);
    },
    addLoad(rod, source) {
      const { sources } = drives[rod];
      sources.push(source);
      return () => sources.splice(sources.indexOf(source), 1);
    },
  };
}

function warnAtStart(context: ContactContext, { rods, colliders, warnings, time }: ContactWorldParts): void {
  const { finder, contacts, warmStart } = context;
  finder.roots = findRoots(finder, time);
  warnRoots(finder, warnings);
  findSortedContacts(context, time, 1e-9, warmStart);
  warnOverlaps(contacts, rods, colliders, warnings);
  contacts.count = 0;
}

function readSolveOptions(spec: ContactSpec | undefined): SolveOptions {
  return {
    iterations: spec?.iterations ?? defaultContactIterations,
    tolerance: spec?.tolerance ?? 1e-4,
    solver: spec?.solver ?? 'admm',
    repulsion: spec?.repulsion ?? { stiffness: 0, reach: 0 },
  };
}

function readSettings(
  { scene, colliders, spend }: ContactWorldParts,
  options: SolveOptions,
): ContactContext['settings'] {
  return {
    halvings: (dt) => halvingsLeft(scene.time, dt),
    spend,
    canResume: options.solver === 'admm',
    hasCheapShapes: colliders.every(({ body, shape }) => body < 0 && shape.isCheap === true),
    hasRestitution: colliders.some(({ restitution }) => restitution > 0),
    keepsLaw: options.solver === 'admm' || options.solver === 'gauss-seidel',
    retries: scene.contact?.iterations === undefined ? RETRIES : 0,
    tolerance: options.tolerance,
  };
}

function buildContext(parts: ContactWorldParts): { context: ContactContext; layout: SideLayout } {
  const { scene, rods, bundles, placeOfRod, colliders } = parts;
  const spec = scene.contact;
  const rolling = spec?.rolling ?? false;
  const rules = readRules(parts);
  checkScene(parts, rules.pairs);
  const samples = placeOfRod.map(({ bundle, index }) => bundles[bundle].samples[index]);
  const links = buildLinks(parts, samples);
  const shared = shareColliderSearch(rods, bundles, placeOfRod, colliders);
  const finder = createFinder({ rods, samples, colliders, rules, gravity: gravityOf(scene), shared: shared?.rows });
  const search = createColliderSearch(finder, shared?.search, shared?.rows);
  const systems = listSystems(bundles, placeOfRod);
  const placeOfBody = parts.bodyIds.map((id) => findBody(bundles, id));
  /** Body that the contact's collider is attached to. */
  const bodyOf = (of: ContactSet, c: number): BundlePlace | undefined => {
    const body = of.collider[c] < 0 ? -1 : colliders[of.collider[c]].body;
    return body < 0 ? undefined : placeOfBody[body];
  };
  const layout = createLayout({ finder, bundles, placeOfRod, rolling, bodyOf, links });
  const options = readSolveOptions(spec);
  const solver = createIslandSolver(layout, rods, options);
  // unused capacity costs nothing; growing by doubling costs a second of garbage collection with thousands of rods
  const capacity = Math.max(64, colliders.length > 0 ? finder.nodeCount >> 1 : 0);
  const found = createContactSet(capacity);
  const linked = Array.from(links.every.rods, (rod) => systems.ofRod(rod));
  const context: ContactContext = {
    rods,
    samples,
    bundles,
    colliders,
    links,
    systems,
    placeOfBody,
    finder,
    search,
    missed: createMissedContactDetector({ finder, search, systems, spec, found, scaleOf: solver.scaleOf }),
    islands: createIslandBuilder(systems, bodyOf, links),
    solver,
    singleRods: createSingleRodSolver({ finder, search, bundles, systems, options, rolling, linked }),
    log: createSolveLog(systems, rods, colliders),
    energies: createEnergyCheck({ finder, bundles, placeOfRod, systems, drives: parts.drives }),
    contacts: createContactSet(capacity),
    found,
    islandContacts: createContactSet(),
    warmStart: { data: new Float64Array(0), count: 0 },
    everySystem: createMarks(bundles).map((marks) => marks.fill(1)),
    leftOut: createMarks(bundles),
    islandMarks: { marks: createMarks(bundles), listed: [] },
    substepMarks: { marks: createMarks(bundles), listed: [] },
    stepped: new Uint8Array(systems.count),
    failedIslands: [],
    report: createReport(),
    stepReport: createReport(),
    outcome: { iterations: 0, iterationsMax: 0, shifts: 0, substeps: 1 },
    retriesLeft: 0,
    violationsLeft: 0,
    settings: readSettings(parts, options),
  };
  return { context, layout };
}

/** Throws for scenes that contact and links cannot solve; warns about doubtful ones. */
function checkScene(
  { scene, rods, bundles, placeOfRod, colliders, links, warnings }: ContactWorldParts,
  pairs: boolean,
): void {
  checkSpec(scene);
  warnStiffRepulsion(scene, rods, warnings);
  refuseUnlinkable(links, { rods, bundles, placeOfRod }, 'rest');
  refuseUntouchable({ scene, rods, bundles, placeOfRod, colliders }, pairs);
}

/** Puts the links in shared memory if all rods are in one bundle that uses worker threads. */
function buildLinks(
  { links, rods, bundles, placeOfRod }: ContactWorldParts,
  samples: ContactContext['samples'],
): Links {
  const linkedBundles = new Set(links.length > 0 ? placeOfRod.map(({ bundle }) => bundle) : []);
  return createLinks(links, rods, samples, (bytes) =>
    linkedBundles.size === 1 ? threadsOf(bundles[[...linkedBundles][0]].contact)?.linkRows(bytes) : undefined,
  );
}

function findBody(bundles: readonly Bundle[], id: string): BundlePlace | undefined {
  const bundle = bundles.findIndex(({ bodies }) => bodies.some((body) => body.id === id));
  return bundle < 0 ? undefined : { bundle, index: bundles[bundle].bodies.findIndex((body) => body.id === id) };
}
