/**
 * A step with contact: find, group by group solve for the impulses and step under them (solveIsland.ts), see whether anything passed
 * through, remember.
 *
 * Systems that nothing is near take their own scheme's step, of second order. The others take implicit Euler. Groups of systems
 * that contacts join do not know of each other: a second look at a step is for the groups that have new contacts, and a group whose
 * step fails is stepped in pieces by itself. (Long hair that falls on shoulders: of 190 strands one or two fail where their tips
 * whip, and all were cut into as many sub-steps.)
 */

import { stepInPieces } from '../math/pieces.ts';
import type { Bundle, ContactPort, Drive, StepOutcome } from '../model.ts';
import type { Weld } from '../scene/bodies.ts';
import type { Rod } from '../scene/compiled.ts';
import type { LinkPlan } from '../scene/links.ts';
import type { Scene } from '../scene/types.ts';
import { threadsOf } from '../threads/contactThreads.ts';
import { checkSpec, refuseUntouchable, warnOverlaps, warnStiffRepulsion } from './check.ts';
import {
  appendContact,
  appendContacts,
  type ContactSet,
  copyContact,
  copyMemory,
  createContactSet,
  isSorted,
  type Memory,
  recall,
  recollect,
  remember,
  restoreMemory,
  saveMemory,
  sortContacts,
  takePlaces,
} from './contactSet.ts';
import { reboundThreshold } from './detect/colliderContacts.ts';
import { createSearch, shareSearch } from './detect/colliderSearch.ts';
import { findRoots, warnRoots } from './detect/embeddedRoots.ts';
import { createFinder, type Finder, findContacts } from './detect/finder.ts';
import { findFirstImpact } from './detect/firstImpact.ts';
import { measureGaps } from './detect/gaps.ts';
import { createWatch } from './detect/missedContacts.ts';
import { readRules } from './detect/rules.ts';
import {
  commitLinks,
  createLinks,
  energyOfLinks,
  type Links,
  recallLinks,
  refuseUnlinkable,
  rememberLinks,
  resumeLinks,
} from './links/links.ts';
import { measureLinks } from './links/strain.ts';
import { addReport, type ContactForce, type ContactReport, clearReport, createReport, listForces } from './report.ts';
import { type Collider, placeCollider } from './shapes/collider.ts';
import { createGrouping, type Group, listSystems, type Marks } from './solve/islands.ts';
import { createLayout, layOut, NO_SIDES, type Place, writeForces } from './solve/sides.ts';
import { markStart, setBias, slipLimit } from './solve/sideVelocities.ts';
import { createLoneSolver } from './solve/singleRods.ts';
import { createGroupSolver, type SolveOptions, selects } from './solve/solveIsland.ts';
import { createUnsolved } from './solve/unconverged.ts';

export interface ContactWorld {
  readonly colliders: readonly Collider[];
  readonly finder: Finder;
  readonly set: ContactSet;
  readonly memory: Memory;
  /** Of all that was advanced since `begin`. */
  readonly report: ContactReport;
  /** A step of the world begins. */
  begin(): void;
  /** Like `Bundle.advance`, of all bundles together; on failure all are where they were. */
  advance(t: number, dt: number, robust: boolean): StepOutcome;
  findImpact(t: number, dt: number): number;
  /** As they are at time t, which is now. */
  forces(t: number): ContactForce[];
  /** Puts the forces of the last step's contacts and links on the rods, for those who ask what acts on them. */
  bear(): void;
  readonly links: Links;
  /** Of links, now [J]. */
  energy(): number;
  /** What the next step starts from, as plain numbers. */
  save(): Float64Array;
  restore(saved: Float64Array | undefined): void;
}

/** Of a system that has come near where contacts let it go, and has to be looked at again. */
const GLANCED = 2;

/** Acceleration of gravity [m/s²], at its full size. */
export function gravityOf({ gravity }: Scene): readonly number[] {
  if (gravity === undefined) return [0, 0, 0];
  return 'acceleration' in gravity ? gravity.acceleration : gravity;
}

export function createContactWorld(
  scene: Scene,
  rods: readonly Rod[],
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
  colliders: readonly Collider[],
  bodyIds: readonly string[],
  drives: readonly Drive[],
  welds: readonly Weld[],
  linkPlans: readonly LinkPlan[],
  warnings: string[],
  time: number,
): ContactWorld {
  const placeOfBody = bodyIds.map((id): Place | undefined => {
    const bundle = bundles.findIndex(({ bodies }) => bodies.some((body) => body.id === id));
    return bundle < 0 ? undefined : { bundle, index: bundles[bundle].bodies.findIndex((body) => body.id === id) };
  });
  const spec = scene.contact;
  const rules = readRules(scene, rods, drives, welds, linkPlans);
  const { pairs } = rules;
  checkSpec(scene);
  warnStiffRepulsion(scene, rods, warnings);
  refuseUnlinkable(linkPlans, rods, bundles, placeOfRod);
  refuseUntouchable(scene, rods, bundles, placeOfRod, colliders, pairs);
  const samples = placeOfRod.map(({ bundle, index }) => bundles[bundle].samples[index]);
  const linkedBundles = new Set(linkPlans.length > 0 ? placeOfRod.map(({ bundle }) => bundle) : []);
  const links = createLinks(linkPlans, rods, samples, (bytes) =>
    linkedBundles.size === 1 ? threadsOf(bundles[[...linkedBundles][0]].contact)?.linkRows(bytes) : undefined,
  );
  const g = gravityOf(scene);
  const shared = shareSearch(rods, bundles, placeOfRod, colliders);
  const finder = createFinder(rods, samples, colliders, rules, g, shared?.rows);
  const search = createSearch(finder, shared?.search, shared?.rows);
  // room that is not used costs nothing; what grows by doubling is a second's work for the garbage collector with thousands of rods
  const room = colliders.length > 0 ? finder.nodeCount >> 1 : 0;
  const raw = createContactSet(Math.max(64, room));
  const set = createContactSet(Math.max(64, room));
  const memory: Memory = { data: new Float64Array(0), count: 0 };
  const report = createReport();
  /** Of the present call of `advance`. */
  const present = createReport();
  const makeMarks = (): Uint8Array[] => bundles.map((bundle) => new Uint8Array(bundle.contact?.systemCount ?? 0));
  const everything = makeMarks().map((marks) => marks.fill(1));
  const without = makeMarks();
  const marked = makeMarks();
  const inside = makeMarks();
  const part = createContactSet();
  const systems = listSystems(bundles, placeOfRod);
  /** Groups that could not be moved as a whole. */
  const broken: Group[] = [];
  /** Contacts of groups that are done while others are stepped in pieces, and what those start from. */
  const aside = createContactSet();
  const pieceMemory: Memory = { data: new Float64Array(0), count: 0 };
  /** Obstacles that are placed and measured in no time. */
  const quickShapes = colliders.every(
    ({ body, shape: { type } }) => body < 0 && ['plane', 'sphere', 'capsule', 'box'].includes(type),
  );
  const rebounds = colliders.some(({ restitution }) => restitution > 0);
  const halvings = scene.time?.halvings ?? 8;
  const options: SolveOptions = {
    iterations: spec?.iterations ?? 300,
    tolerance: spec?.tolerance ?? 1e-4,
    solver: spec?.solver ?? 'admm',
    repulsion: spec?.repulsion ?? { stiffness: 0, reach: 0 },
  };
  /** Whether a group may go on from where it is, with what it missed. */
  const mayResume = ({ links: linked, systems: list }: Group): boolean => {
    if (options.solver !== 'admm' || linked) return false;
    const ports = new Set(list.map((s) => bundles[systems.bundleOf[s]].contact as ContactPort));
    return selects([...ports]);
  };
  /** Systems that contact has moved in the present attempt: 1, or GLANCED. */
  const stepped = new Uint8Array(systems.count);
  const unsolved = createUnsolved(systems, rods, colliders);
  const outcome = { iterations: 0, iterationsMax: 0, shifts: 0, substeps: 1 };

  const add = (one: StepOutcome): boolean => {
    outcome.iterations += one.iterations;
    outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
    outcome.shifts += one.shifts;
    outcome.substeps = Math.max(outcome.substeps, one.substeps ?? 1);
    return one.ok;
  };

  const find = (t: number, dt: number, from: Memory): void => {
    for (const collider of colliders) placeCollider(collider, t, dt);
    search.gather();
    raw.count = 0;
    findContacts(finder, raw, t, dt, search.find);
    sortContacts(set, raw);
    markStart(set, finder, slipLimit(solver.scaleOf(dt)));
    recall(set, from, dt);
  };

  /** The body that a contact's collider rides on. */
  const bodyOf = (of: ContactSet, c: number): Place | undefined => {
    const body = of.collider[c] < 0 ? -1 : colliders[of.collider[c]].body;
    return body < 0 ? undefined : placeOfBody[body];
  };
  const grouping = createGrouping(systems, bodyOf, links);
  const layout = createLayout(finder, bundles, placeOfRod, spec?.rolling ?? false, bodyOf, links);
  const solver = createGroupSolver(layout, rods, options);
  const watch = createWatch(finder, search, systems, spec, raw, solver.scaleOf);

  /** Systems that each set of marks has, so that a group among thousands costs no more than by itself. */
  const marksOf = new Map<Marks, readonly number[]>();
  const markOnly = (marks: Marks, list: readonly number[]): void => {
    for (const s of marksOf.get(marks) ?? []) marks[systems.bundleOf[s]][systems.numberOf[s]] = 0;
    for (const s of list) marks[systems.bundleOf[s]][systems.numberOf[s]] = 1;
    marksOf.set(marks, list);
  };
  const lone = createLoneSolver(
    finder,
    search,
    bundles,
    systems,
    options,
    spec?.rolling ?? false,
    Array.from(links.every.rods, (rod) => systems.ofRod(rod)),
  );
  const lookAt = (list: readonly number[], value: number): void => {
    for (const s of list) for (const rod of systems.rods[s]) finder.look[rod] = value;
  };
  const revert = (list: readonly number[], t: number): void => {
    markOnly(marked, list);
    bundles.forEach((bundle, b) => {
      bundle.contact?.revert(marked[b], t);
    });
  };
  const breakGroup = (group: Group, t: number): void => {
    broken.push(group);
    for (const s of group.systems) stepped[s] = 0;
    unsolved.forget(group.systems);
    revert(group.systems, t);
    lookAt(group.systems, 0);
  };

  /** One group's impulses and step; `resumed`: from where the group is. */
  const solveOne = (
    { contacts, links: linked, systems: list }: Group,
    t: number,
    dt: number,
    robust: boolean,
    resumed: boolean,
    first: boolean,
  ): StepOutcome => {
    markOnly(marked, list);
    part.count = 0;
    for (const c of contacts) appendContact(part, set, c);
    const look = quickShapes ? (of: ContactSet): number => watch.lookEarly(of, list, t, dt) : undefined;
    const one = solver.solve(part, linked, marked, t, dt, robust, resumed, first, look);
    for (const s of list) stepped[s] = solver.glanced ? GLANCED : 1;
    add(one);
    present.iterations = Math.max(present.iterations, solver.result.iterations);
    unsolved.note(list, solver.result);
    contacts.forEach((c, i) => {
      copyContact(set, c, part, i);
    });
    for (let i = contacts.length; i < part.count; i++) appendContact(set, part, i);
    return one;
  };

  /**
   * Moves the systems that `within` marks, all of which are at t, and leaves their contacts in `set`. Groups that cannot be
   * moved are in `broken`, with their systems at t. Not ok: a system that nothing touches cannot.
   */
  const attempt = (
    t: number,
    dt: number,
    robust: boolean,
    lenient: boolean,
    within: Marks,
    from: Memory,
  ): StepOutcome => {
    broken.length = 0;
    for (let s = 0; s < systems.count; s++) {
      const value = within[systems.bundleOf[s]][systems.numberOf[s]] ? 2 : 0;
      for (const rod of systems.rods[s]) finder.look[rod] = value;
    }
    find(t, dt, from);
    unsolved.begin(set);
    const isWithin = (s: number): boolean => within[systems.bundleOf[s]][systems.numberOf[s]] === 1;
    for (const { system, links: some } of grouping.linked) {
      if (!isWithin(system)) continue;
      measureLinks(links, some, rods, samples);
      recallLinks(links, some, from !== memory, dt);
    }
    lone.list(set, isWithin);
    let dirty = grouping.group(set, (s) => isWithin(s) && !lone.has(s));
    within.forEach((marks, b) => {
      for (let s = 0; s < marks.length; s++) without[b][s] = 1 - marks[s];
    });
    for (let s = 0; s < systems.count; s++) if (lone.has(s)) without[systems.bundleOf[s]][systems.numberOf[s]] = 1;
    for (const { systems: list } of dirty) for (const s of list) without[systems.bundleOf[s]][systems.numberOf[s]] = 1;
    for (let b = 0; b < bundles.length; b++) {
      const one = bundles[b].advance(t, dt, robust, without[b]);
      if (!add(one)) return one;
    }
    let failure: StepOutcome['failure'];
    stepped.fill(0);
    for (let round = 0; ; round++) {
      setBias(set, finder, dt, reboundThreshold(finder, dt));
      for (const group of round === 0 ? [...dirty, ...lone.settle(set, stepped, t, dt, revert)] : dirty) {
        const resumed = round > 0 && mayResume(group) && group.systems.some((s) => stepped[s]);
        const one = solveOne(group, t, dt, robust, resumed, round === 0 && mayResume(group));
        if (one.ok) continue;
        failure = one.failure;
        breakGroup(group, t);
      }
      if (round === 0) {
        add(lone.outcome);
        present.iterations = Math.max(present.iterations, lone.result.iterations);
        unsolved.noteAll((s) => lone.has(s) && stepped[s] > 0 && unsolved.unseen(s), lone.result);
      }
      const { met, missed } = watch.findMissed(t, dt, round, lenient, lone.unchecked);
      present.swept += met;
      for (let s = 0; s < systems.count; s++) if (stepped[s] === GLANCED) missed.add(s);
      if (!isSorted(set)) {
        // those that were found on the way
        part.count = 0;
        appendContacts(part, set);
        sortContacts(set, part);
      }
      if (missed.size === 0) return { ok: true, ...outcome, ...(failure && { failure }) };
      if (raw.count > 0) {
        // what met takes precedence over what was there under the same key
        takePlaces(raw, set);
        appendContacts(raw, set);
        sortContacts(set, raw);
      }
      // all others were looked at, and stay where they are
      for (let r = 0; r < rods.length; r++) finder.look[r] = Math.min(finder.look[r], 1);
      dirty = [];
      for (const group of grouping.group(set, (s) => missed.has(s))) {
        if (round >= 8) {
          const reason = met > 0 ? 'rods would pass through each other' : 'rods would sink into what they touch';
          failure = { rod: rods[set.rodA[group.contacts[0]]].id, reason };
          breakGroup(group, t);
          continue;
        }
        revert(mayResume(group) ? group.systems.filter((s) => !stepped[s]) : group.systems, t);
        lookAt(group.systems, 2);
        dirty.push(group);
      }
    }
  };

  /** The step of one group in pieces; its contacts come to `aside`. */
  const stepApart = ({ links: linked, systems: list }: Group, t: number, dt: number, robust: boolean): boolean => {
    markOnly(inside, list);
    // its own: of many groups, each would copy what all have
    copyMemory(pieceMemory, memory, (rod) => {
      const s = systems.ofRod(rod);
      return inside[systems.bundleOf[s]][systems.numberOf[s]] === 1;
    });
    if (linked) resumeLinks(links, linked);
    let last = dt;
    let pieces = 0;
    const finished = stepInPieces(halvings, (start, share) => {
      const from = t + dt * start;
      bundles.forEach((bundle, b) => {
        bundle.contact?.hold(inside[b]);
      });
      const one = attempt(from, dt * share, robust || share <= 1 / 4, robust || share <= 1 / 32, inside, pieceMemory);
      if (!one.ok || broken.length > 0) {
        revert(list, from);
        return false;
      }
      last = dt * share;
      pieces++;
      unsolved.tell(present, set);
      remember(pieceMemory, set, last);
      if (linked) rememberLinks(links, linked, last);
      return true;
    });
    outcome.substeps = Math.max(outcome.substeps, pieces);
    for (let c = 0; c < set.count && finished; c++) {
      const i = appendContact(aside, set, c);
      for (let k = 3 * i; k < 3 * i + 3; k++) aside.impulse[k] *= dt / last;
    }
    return finished;
  };

  /** Whether no other system is part of an obstacle. */
  const mayStandAlone = ({ systems: list }: Group): boolean =>
    colliders.every(({ body }) => {
      const place = body < 0 ? undefined : placeOfBody[body];
      return !place || list.includes(systems.ofBody(place));
    });

  /** Steps the broken groups one by one, while all others wait at the end of the step. */
  const mend = (t: number, dt: number, robust: boolean): boolean => {
    const groups = [...broken];
    const groupOf = new Map(groups.flatMap((group, k) => group.systems.map((s) => [s, k] as const)));
    aside.count = 0;
    for (let c = 0; c < set.count; c++) if (!groupOf.has(systems.ofRod(set.rodA[c]))) appendContact(aside, set, c);
    const positions = finder.position.slice();
    const start = bundles.map(({ state: { q, v, memory: m } }) => ({ q: q.slice(), v: v.slice(), memory: m.slice() }));
    const good =
      groups.every((group) => mayStandAlone(group) && stepApart(group, t, dt, robust)) &&
      !watch.meetsOthers(groupOf, positions);
    if (good) {
      sortContacts(set, aside);
      return true;
    }
    // as it was when the first of them was held
    markOnly(inside, [...groupOf.keys()]);
    bundles.forEach(({ state, contact: port }, b) => {
      state.q.set(start[b].q);
      state.v.set(start[b].v);
      state.memory.set(start[b].memory);
      bundles[b].refresh(t);
      port?.hold(inside[b]);
    });
    return false;
  };

  const advance = (t: number, dt: number, robust: boolean): StepOutcome => {
    Object.assign(outcome, { iterations: 0, iterationsMax: 0, shifts: 0, substeps: 1 });
    clearReport(present);
    for (const bundle of bundles) bundle.contact?.hold();
    const one = attempt(t, dt, robust, robust, everything, memory);
    // what broke is told of when it is stepped in pieces
    unsolved.tell(present, set);
    // groups that are stepped in pieces overwrite theirs
    rememberLinks(links, links.every, dt);
    if (!one.ok || (broken.length > 0 && !mend(t, dt, robust))) {
      bundles.forEach((bundle, b) => {
        bundle.contact?.revert(everything[b], t);
      });
      return { ...one, ...outcome, ok: false };
    }
    present.contacts = set.count;
    addReport(report, present);
    remember(memory, set, dt);
    commitLinks(links);
    return { ok: true, ...outcome };
  };

  /** Time until the first impact of a step that rebounds, or 0: the step is cut there. */
  const findImpact = (t: number, dt: number): number => {
    if (!rebounds) return 0;
    finder.look.fill(2);
    find(t, dt, memory);
    return findFirstImpact(set, finder, dt);
  };

  finder.roots = findRoots(finder, time);
  warnRoots(finder, warnings);
  find(time, 1e-9, memory);
  warnOverlaps(set, rods, colliders, warnings);
  set.count = 0;

  return {
    colliders,
    finder,
    set,
    memory,
    report,
    begin() {
      clearReport(report);
    },
    advance,
    findImpact,
    forces(t) {
      recollect(part, memory);
      measureGaps(finder, part, t);
      return listForces(part, rods, colliders, 1);
    },
    bear() {
      recollect(part, memory);
      measureLinks(links, links.every, rods, samples);
      recallLinks(links, links.every, false, 1);
      const arrays = layOut(layout, part, everything, links.count > 0 ? links.every : undefined);
      if (arrays.links) arrays.links.dt = 1;
      writeForces(part, arrays, 1);
      for (const { contact: port } of bundles)
        port?.bear?.(arrays.sides.find((one) => one.port === port)?.sides ?? NO_SIDES);
    },
    links,
    energy: () => energyOfLinks(links),
    save() {
      const own = saveMemory(memory);
      const saved = new Float64Array(links.memory.length + own.length);
      saved.set(links.memory);
      saved.set(own, links.memory.length);
      return saved;
    },
    restore(saved) {
      if (saved) links.memory.set(saved.subarray(0, links.memory.length));
      restoreMemory(memory, saved?.subarray(links.memory.length) ?? new Float64Array(0));
      set.count = 0;
    },
  };
}
