/**
 * The impulses of one group of contacts, and the step of its systems under them.
 *
 * A contact is taken up where its gap may close within the step; of those that do lie near, many carry nothing in the end (hair on
 * a head: the nodes beside the middles of the edges). Models that make a first guess of the step (`guess`), or whose response may be
 * asked for some sides (`selective`), tell which would close under the forces of the last step. The others are left out of the solution and looked at after it: one that would have closed is
 * taken in, and the solution goes on. The law of contact holds for all in the end; long hair at rest on a
 * head solves for a third of its contacts.
 */
import type { ContactPort, StepOutcome } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import { appendContact, type ContactSet, copyContact, createContactSet } from '../contactSet.ts';
import type { LinkSet } from '../links/links.ts';
import { wakeContacts } from './activeSet.ts';
import { PLACE, type SideArrays, type SolveResult, solveAdmm, weighContacts } from './admm.ts';
import { countWays, readVelocities } from './displacements.ts';
import { isFrictionless, readPush, straighten, surfaceAlong, writePush } from './frictionless.ts';
import { applyRepulsion, solveGaussSeidel, solveLumped } from './gaussSeidel.ts';
import { type Layout, layOut, portsOf, recountCrowds, writeForces } from './sides.ts';
import { isPredicted, keepsPlaces, markSliding, missOf } from './sideVelocities.ts';

export interface SolveOptions {
  readonly iterations: number;
  readonly tolerance: number;
  readonly solver: 'admm' | 'gauss-seidel' | 'impulses' | 'repulsion';
  readonly repulsion: { readonly stiffness: number; readonly reach: number };
}

/** Adds to `set` what a group's systems, where they are now, have sunk into; of a place that is there already, the new contact. */
export type Look = (set: ContactSet) => number;

export interface GroupSolver {
  /** How the last group was solved: iterations of all rounds together. */
  readonly result: SolveResult;
  /** Whether it was left as a first look leaves it. */
  readonly glanced: boolean;
  /** What velocities are compared with [m/s]. */
  scaleOf(dt: number): number;
  /**
   * `resumed`: from where the systems are, those that are at the start of the step included. `first`: who calls will look whether contacts
   * were missed and come back: where impacts are abrupt, a first look will do.
   */
  solve(
    set: ContactSet,
    links: LinkSet | undefined,
    systems: readonly Uint8Array[],
    t: number,
    dt: number,
    robust: boolean,
    resumed: boolean,
    first: boolean,
    look: Look | undefined,
  ): StepOutcome;
}

/**
 * Whether models let some of the contacts be solved for that they know of: all by the same way, of a guess or of a choice among what
 * was made linear.
 */
export function selects(ports: readonly ContactPort[]): boolean {
  return ports.every((port) => port.guess !== undefined) || ports.every((port) => port.selective === true);
}

/** Rounds of making linear, solving and stepping; and how many more contacts that are taken in late may cause. */
const ROUNDS = 4;
const LATE_ROUNDS = 4;

/**
 * The same where links join rods that go with their masses glued on (see ContactSides.goal). Under forces that stay as they are, a hair that
 * links hold by its sections, and nothing else, turns about its axis by radians for a torque that is a thousandth wrong, or
 * finds no balance at all: steps of crimped cloth were cut for that.
 */
const LINKED_ROUNDS = 12;

const TAKEN = 2 ** 30;

/** Slots of memory (ContactPort.room) for the sides of all contacts, and of those that are solved for. */
const ALL = 0;
const LIVE = 1;

/**
 * Where contacts would close by more than ABRUPT tolerances, the forces of the last step say little, and the response is not linear
 * as far as that: a first round is for coming near only, with a tolerance that is ROUGH times as large.
 */
const ABRUPT = 1000;
const ROUGH = 30;

/**
 * So does the first round where links join rods that touch something, and each after it that leaves rods far from where they should have come: what
 * the solver need not be exact in is NEARER of that. Cloth of 2 × 50 hairs that falls on a statue takes 100 to 290 iterations a
 * step where it took 110 to 390; steps that one round would have done for take as many as they did.
 */
const NEARER = 0.1;

/** A contact whose gap would be below this part of its size after the step is solved for. */
const CLOSE = 0.02;

export function createGroupSolver(layout: Layout, rods: readonly Rod[], options: SolveOptions): GroupSolver {
  const { acceleration } = layout.finder;
  // without gravity, links are as exact as a millionth of an edge wants
  const scaleOf = (dt: number): number => Math.max(acceleration * dt, (1e-6 * layout.links.size) / dt);
  const total: SolveResult = { iterations: 0, error: 0, converged: true };
  const result: SolveResult = { iterations: 0, error: 0, converged: true };
  const outcome = { iterations: 0, iterationsMax: 0, shifts: 0 };
  const live = createContactSet();
  /** Place in `live` of each contact; −1 for those left out, TAKEN where it has none yet. */
  let placeOf = new Int32Array(64).fill(-1);
  let placed = 0;
  let glanced = false;
  /** How fast the worst of those that were taken in last would close beyond their gap [m/s]. */
  let worst = 0;
  /** Whether the last step left rods under way. */
  let unfinished = false;

  const failed = (set: ContactSet, reason: string): StepOutcome => ({
    ok: false,
    ...outcome,
    failure: { rod: rods[set.count > 0 ? set.rodA[0] : layout.links.plans[0].rodA].id, reason },
  });

  /** How far velocities may be from those of the linear response. */
  const limitOf = (scale: number): number => Math.max(options.tolerance * scale, total.error);

  const findImpulses = (set: ContactSet, arrays: SideArrays, dt: number, factor: number): StepOutcome | undefined => {
    const { solver, tolerance, iterations, repulsion } = options;
    const scale = scaleOf(dt);
    if (solver === 'admm') {
      if (!weighContacts(set, arrays)) return failed(set, 'the response to contact is not positive');
      solveAdmm(result, set, arrays, scale, factor * tolerance, iterations, (factor * PLACE) / dt);
    } else if (solver === 'gauss-seidel') {
      for (const { port, sides, systems } of arrays.sides)
        if (!port.factor(systems, sides)) return failed(set, 'the response to contact is not positive');
      solveGaussSeidel(result, set, arrays, scale, tolerance, iterations);
    } else if (solver === 'impulses') solveLumped(result, set, arrays, layout.finder, tolerance * scale);
    else applyRepulsion(result, set, rods, repulsion.stiffness, repulsion.reach, dt);
    total.iterations += result.iterations;
    total.error = result.error;
    total.converged = result.converged;
    return undefined;
  };

  const takeStep = (
    arrays: SideArrays,
    t: number,
    dt: number,
    robust: boolean,
    rough: boolean,
  ): StepOutcome | undefined => {
    unfinished = false;
    for (const { port, sides, systems } of arrays.sides) {
      const one = port.step(systems, sides, t, dt, robust, rough);
      unfinished ||= one.unfinished ?? false;
      outcome.iterations += one.iterations;
      outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
      outcome.shifts += one.shifts;
      if (!one.ok) return { ...one, ...outcome };
    }
    readVelocities(arrays, layout.finder, dt);
    return undefined;
  };

  const makeLinear = (
    set: ContactSet,
    arrays: SideArrays,
    t: number,
    dt: number,
    fresh: boolean,
  ): StepOutcome | undefined => {
    writeForces(set, arrays, dt);
    for (const one of arrays.sides) {
      const { port, sides, systems, start, response } = one;
      if (!port.linearize(start, response, systems, sides, t, dt, fresh))
        return failed(set, 'the response to contact cannot be found');
      // without a guess, a fresh start has moved nothing yet
      if (!fresh || port.guess) countWays(one, arrays.rod, layout.finder, dt);
      if (arrays.links && !sides.goal) arrays.copy.set(start, 3 * one.from);
    }
    if (arrays.links) arrays.links.guessed = fresh;
    return undefined;
  };

  /** Makes linear, solves, steps. */
  const takeRound = (
    set: ContactSet,
    arrays: SideArrays,
    t: number,
    dt: number,
    robust: boolean,
    linear: 'fresh' | 'again' | 'done',
    rough: boolean,
    looser = rough ? ROUGH : 1,
  ): StepOutcome | undefined => {
    const unable = linear === 'done' ? undefined : makeLinear(set, arrays, t, dt, linear === 'fresh');
    if (unable) return unable;
    if (arrays.axes === 1) readPush(set, arrays);
    else arrays.impulseStart.set(set.impulse.subarray(0, 3 * set.count));
    for (const { impulse, impulseStart } of arrays.links?.set.others ?? []) impulseStart.set(impulse);
    const trouble = findImpulses(set, arrays, dt, looser);
    if (trouble) return trouble;
    if (arrays.axes === 1) writePush(set, arrays);
    writeForces(set, arrays, dt);
    return takeStep(arrays, t, dt, robust, rough);
  };

  /** Takes in the contacts that would close, with the velocities that the sides have; how many are new. */
  const takeIn = (set: ContactSet, { start, sideA, sideB, axes }: SideArrays, dt: number, margin: number): number => {
    let fresh = 0;
    worst = 0;
    if (placeOf.length < set.count) {
      const longer = new Int32Array(2 * set.count).fill(-1);
      longer.set(placeOf);
      placeOf = longer;
    }
    placed = Math.max(placed, set.count);
    for (let c = 0; c < set.count; c++) {
      if (placeOf[c] >= 0) continue;
      const o = 3 * c;
      let u = set.bias[c];
      if (axes === 1) u += start[sideA[c]] - (sideB[c] >= 0 ? start[sideB[c]] : surfaceAlong(set, c));
      for (let k = 0; k < 3 && axes === 3; k++) {
        const other = sideB[c] >= 0 ? start[3 * sideB[c] + k] : set.surface[o + k];
        u += set.normal[o + k] * (start[3 * sideA[c] + k] - other);
      }
      const loaded = set.impulse[o] !== 0 || set.impulse[o + 1] !== 0 || set.impulse[o + 2] !== 0;
      if (!loaded && u * dt >= margin * set.size[c]) continue;
      placeOf[c] = TAKEN;
      worst = Math.max(worst, -u);
      fresh++;
    }
    return fresh;
  };

  /** Contacts that are solved for, in order. */
  const gatherLive = (set: ContactSet): void => {
    live.count = 0;
    for (let c = 0; c < set.count; c++) {
      if (placeOf[c] < 0) continue;
      placeOf[c] = appendContact(live, set, c);
    }
  };
  const returnLive = (set: ContactSet): void => {
    for (let c = 0; c < set.count; c++)
      if (placeOf[c] >= 0 && placeOf[c] < TAKEN) copyContact(set, c, live, placeOf[c]);
  };

  const makeGuess = (set: ContactSet, arrays: SideArrays, t: number, dt: number): StepOutcome | undefined => {
    writeForces(set, arrays, dt);
    for (const one of arrays.sides) {
      const { port, sides, systems, start } = one;
      if (!port.guess?.(start, systems, sides, t, dt)) return failed(set, 'the response to contact cannot be found');
      countWays(one, arrays.rod, layout.finder, dt);
    }
    return undefined;
  };

  /** Velocities and responses of the sides that are solved for, out of those of all. */
  const pickSides = (some: SideArrays, all: SideArrays, set: ContactSet): void => {
    const { axes } = all;
    const pick = (to: number, from: number): void => {
      if (from < 0) return;
      some.response[to] = all.response[from];
      for (let k = 0; k < axes; k++) some.start[axes * to + k] = all.start[axes * from + k];
    };
    for (let c = 0; c < set.count; c++) {
      if (placeOf[c] < 0) continue;
      pick(some.sideA[placeOf[c]], all.sideA[c]);
      pick(some.sideB[placeOf[c]], all.sideB[c]);
    }
  };

  const solveAll = (
    set: ContactSet,
    links: LinkSet | undefined,
    systems: readonly Uint8Array[],
    t: number,
    dt: number,
    robust: boolean,
  ): StepOutcome => {
    const arrays = layOut(layout, set, systems, links, 3, ALL);
    if (arrays.links) arrays.links.dt = dt;
    const scale = scaleOf(dt);
    const glued = arrays.sides.some(({ sides }) => sides.goal);
    const most = glued ? LINKED_ROUNDS : ROUNDS;
    // a tolerance that is coarse beside a thin fiber would leave it in the obstacle, to be found and solved for over and over
    const placed = (): boolean => !glued || keepsPlaces(set, arrays, dt, PLACE);
    let looser = glued && set.count > 0 ? ROUGH : 1;
    const choosing = arrays.links && options.solver === 'admm' && set.count > 0;
    const wake = (velocity: Float64Array, margin: number): boolean => {
      if (!choosing) return false;
      const woken = wakeContacts(set, arrays, velocity, dt, margin, CLOSE);
      recountCrowds(layout, set, arrays);
      return woken > 0;
    };
    if (choosing) {
      const unable = makeLinear(set, arrays, t, dt, true);
      if (unable) return unable;
      arrays.awake.fill(0);
      wake(arrays.copy, CLOSE);
    }
    let late = 0;
    for (let round = 0; ; round++) {
      const linear = round > 0 ? 'again' : choosing ? 'done' : 'fresh';
      const trouble = takeRound(set, arrays, t, dt, robust, linear, false, looser);
      if (trouble) return trouble;
      if (unfinished) {
        if (round - late >= most - 1) return failed(set, 'rods and what joins them do not come together');
        continue;
      }
      // what goes no deeper than contacts at rest may is let go
      if (late < LATE_ROUNDS && wake(arrays.start, -CLOSE / 2)) {
        late++;
        continue;
      }
      // where the rods came to where the linear response had them, that is it
      if (options.solver === 'repulsion' || round - late >= most - 1) break;
      if (looser > 1) {
        // where the response is far from linear, the next round will not be the last either
        looser = Math.min(looser, (NEARER * missOf(arrays)) / (options.tolerance * scale));
        if (looser < 2 || round - late >= ROUNDS - 2) looser = 1;
        continue;
      }
      if (options.solver === 'impulses' ? total.converged : isPredicted(arrays, limitOf(scale)) && placed()) break;
    }
    if (glued) {
      for (const { sides } of arrays.sides) sides.released = true;
      for (const { port, sides, systems: own } of arrays.sides) if (sides.goal) port.step(own, sides, t, dt, robust);
      readVelocities(arrays, layout.finder, dt);
    }
    markSliding(set, arrays, scale);
    return { ok: true, ...outcome };
  };

  const solveLive = (
    set: ContactSet,
    systems: readonly Uint8Array[],
    t: number,
    dt: number,
    robust: boolean,
    resumed: boolean,
    first: boolean,
    look: Look | undefined,
    every: SideArrays,
  ): StepOutcome => {
    const scale = scaleOf(dt);
    let all = every;
    let { axes } = all;
    // as far as the group before had written: the next of thousands may be small
    placeOf.fill(-1, 0, placed);
    placed = 0;
    const guessed = resumed || all.sides.every(({ port }) => port.guess);
    if (resumed) writeForces(set, all, dt);
    const unable = resumed
      ? takeStep(all, t, dt, robust, true)
      : guessed
        ? makeGuess(set, all, t, dt)
        : makeLinear(set, all, t, dt, true);
    if (unable) return unable;
    if (takeIn(set, all, dt, CLOSE) === 0) return takeStep(all, t, dt, robust, false) ?? { ok: true, ...outcome };
    gatherLive(set);
    let arrays = live.count === set.count ? all : layOut(layout, live, systems, undefined, axes, LIVE);
    if (!guessed && arrays !== all) pickSides(arrays, all, set);
    let rough = false;
    for (let round = 0, late = 0; ; round++) {
      rough = round < ROUNDS - 1 && ((first && rough) || worst > ABRUPT * options.tolerance * scale);
      worst = 0;
      const trouble = takeRound(live, arrays, t, dt, robust, round === 0 && !guessed ? 'done' : 'again', rough);
      if (trouble) return trouble;
      const predicted = !rough && isPredicted(arrays, limitOf(scale));
      let changed = false;
      if (rough && look) {
        returnLive(set);
        // what has sunk while it came near will not be missed in the end
        changed = look(set) > 0;
        if (axes === 1 && !isFrictionless(set)) axes = 3;
        if (axes === 1) straighten(set);
        if (changed) all = layOut(layout, set, systems, undefined, axes, ALL);
      }
      if (live.count < set.count) {
        readVelocities(all, layout.finder, dt);
        // what goes no deeper than contacts at rest may is let go
        if (late < LATE_ROUNDS && takeIn(set, all, dt, -0.01) > 0) changed = true;
      }
      if (changed) {
        late++;
        if (!(rough && look)) returnLive(set);
        gatherLive(set);
        arrays = layOut(layout, live, systems, undefined, axes, LIVE);
        continue;
      }
      glanced = first && rough;
      if (glanced || predicted || round - late >= ROUNDS - 1) break;
    }
    markSliding(live, arrays, scale);
    returnLive(set);
    return { ok: true, ...outcome };
  };

  return {
    result: total,
    scaleOf,
    get glanced() {
      return glanced;
    },
    solve(set, links, systems, t, dt, robust, resumed, first, look) {
      glanced = false;
      Object.assign(total, { iterations: 0, error: 0, converged: true });
      Object.assign(outcome, { iterations: 0, iterationsMax: 0, shifts: 0 });
      if (options.solver === 'admm' && !links) {
        const ports = portsOf(layout, set);
        if (selects(ports)) {
          const axes = ports.every(({ directed }) => directed) && isFrictionless(set) ? 1 : 3;
          if (axes === 1) straighten(set);
          const all = layOut(layout, set, systems, undefined, axes, ALL);
          return solveLive(set, systems, t, dt, robust, resumed, first, look, all);
        }
      }
      return solveAll(set, links, systems, t, dt, robust);
    },
  };
}
