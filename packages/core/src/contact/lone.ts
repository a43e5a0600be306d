/**
 * Rods that touch obstacles and nothing else, all in one go: their contacts do not know of each other, and a model that can
 * (ContactPort.settle) solves many of them at once. Of hair on a head that is nearly all.
 *
 * A rod that has slid or fallen far lies deeper in the end than its contacts, made at the start of the step, can tell. It is looked at
 * where it has come to, and goes on from there with the contacts that it has there: a sphere's surface turns by a tenth of a radian a
 * step under a hair that falls. To start anew, as other groups do, took three times as long.
 *
 * Whatever is not done here is left to the solution of groups.
 */
import type { Bundle, LoneRods, StepOutcome } from '../model.ts';
import type { SolveResult } from './admm.ts';
import type { Finder } from './find.ts';
import { reboundThreshold } from './findCollider.ts';
import type { Group, Systems } from './groups.ts';
import { appendContact, type ContactSet, copyContact, createContactSet } from './set.ts';
import { markStart, setBias, slipLimit } from './sides.ts';
import type { SolveOptions } from './solveGroup.ts';
import { findSunken } from './sunken.ts';
import { gatherEnd } from './sweep.ts';

/** How often contacts may change on the way; and how deep a place may lie, in radii, before that. */
const LOOKS = 5;
const DEEP = 0.04;

export interface LoneSolver {
  /** Of the last call: what it took. */
  readonly outcome: StepOutcome;
  readonly result: SolveResult;
  /**
   * Steps those groups that it can, with the contacts in `set`, which it adds to; returns the others. `stepped`: 1 for each system that
   * is on its way already, and goes on from there; those that were tried in vain are at the start of the step again.
   */
  settle(
    groups: readonly Group[],
    set: ContactSet,
    stepped: Uint8Array,
    t: number,
    dt: number,
    revert: (systems: readonly number[], t: number) => void,
  ): readonly Group[];
  /** Rods that the last call did not see the end of; asked for once. */
  unchecked(): readonly number[];
}

/** A rod on its way: its group's contacts, which may grow, and where they are in what is solved for. */
interface Way {
  readonly group: Group;
  readonly system: number;
  contacts: readonly number[];
  sunken: boolean;
}

interface Job extends LoneRods {
  count: number;
  system: Int32Array;
  from: Int32Array;
  to: Int32Array;
  done: Uint8Array;
  fresh: boolean;
  contacts: ContactSet;
  t: number;
  dt: number;
  speed: number;
}

export function createLoneSolver(
  finder: Finder,
  bundles: readonly Bundle[],
  systems: Systems,
  options: SolveOptions,
  rolling: boolean,
  gravity: readonly number[],
): LoneSolver {
  const able = bundles.map(({ contact }) => contact?.settle !== undefined);
  const possible = options.solver === 'admm' && !rolling && able.includes(true);
  const checked = new Uint8Array(finder.rods.length);
  const part = createContactSet();
  const raw = createContactSet();
  const end = new Float64Array(possible ? 3 * finder.nodeCount : 0);
  const job: Job = {
    count: 0,
    system: new Int32Array(0),
    from: new Int32Array(0),
    to: new Int32Array(0),
    done: new Uint8Array(0),
    fresh: true,
    contacts: part,
    t: 0,
    dt: 0,
    speed: 0,
    tolerance: options.tolerance,
    iterations: options.iterations,
    turns: 0,
    error: 0,
    converged: true,
  };
  const outcome = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0 };
  const total = { iterations: 0, error: 0, converged: true };

  const isLone = ({ systems: list, links, contacts }: Group, set: ContactSet): boolean => {
    if (list.length !== 1 || links.length > 0 || !able[systems.bundleOf[list[0]]]) return false;
    const [rod] = systems.rods[list[0]];
    if (systems.rods[list[0]].length !== 1) return false;
    for (let k = 0; k < contacts.length; k++) {
      const c = contacts[k];
      if (c !== contacts[0] + k || set.rodB[c] >= 0 || set.rodA[c] !== rod) return false;
      if (finder.colliders[set.collider[c]].body >= 0) return false;
    }
    return true;
  };

  const startJob = (count: number, fresh: boolean): void => {
    job.count = 0;
    job.fresh = fresh;
    part.count = 0;
    if (job.system.length >= count) return;
    job.system = new Int32Array(2 * count);
    job.from = new Int32Array(2 * count);
    job.to = new Int32Array(2 * count);
    job.done = new Uint8Array(2 * count);
  };

  /** One bundle's rods: from the contacts in `set` to those that they end with. Those that are not done are moved to `rest`. */
  const run = (ways: readonly Way[], bundle: Bundle, set: ContactSet, rest: Way[]): Way[] => {
    // at first the contacts of a rod lie side by side
    job.contacts = job.fresh ? set : part;
    for (const { system, contacts } of ways) {
      const i = job.count++;
      job.system[i] = systems.numberOf[system];
      job.from[i] = job.fresh ? contacts[0] : part.count;
      if (!job.fresh) for (const c of contacts) appendContact(part, set, c);
      job.to[i] = job.from[i] + contacts.length;
    }
    const one = bundle.contact?.settle?.(job);
    if (one) {
      outcome.iterations += one.iterations;
      outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
      outcome.shifts += one.shifts;
      total.iterations = Math.max(total.iterations, job.turns);
      total.error = Math.max(total.error, job.error);
      total.converged &&= job.converged;
    }
    return ways.filter((way, i) => {
      if (!one || !job.done[i]) {
        rest.push(way);
        return false;
      }
      for (let k = 0; k < way.contacts.length && !job.fresh; k++)
        copyContact(set, way.contacts[k], part, job.from[i] + k);
      return true;
    });
  };

  /** What the rods have sunk into goes to their contacts; returns those that have. */
  const look = (ways: readonly Way[], set: ContactSet, t: number, dt: number): Way[] => {
    const rods = ways.map(({ system }) => systems.rods[system][0]);
    gatherEnd(end, finder, rods);
    raw.count = 0;
    findSunken(finder, raw, end, t, dt, DEEP, rods);
    for (const way of ways) way.sunken = false;
    if (raw.count === 0) return [];
    setBias(raw, dt, gravity, reboundThreshold(finder, dt));
    markStart(raw, finder, slipLimit(job.speed));
    const wayOf = new Map<number, Way>();
    ways.forEach((way, k) => {
      wayOf.set(rods[k], way);
    });
    for (let c = 0; c < raw.count; c++) {
      const way = wayOf.get(raw.rodA[c]) as Way;
      way.sunken = true;
      const there = way.contacts.find((k) => set.key[k] === raw.key[c]);
      if (there === undefined) way.contacts = [...way.contacts, appendContact(set, raw, c)];
      else {
        for (let k = 0; k < 3; k++) raw.impulse[3 * c + k] = set.impulse[3 * there + k];
        raw.sliding[c] = set.sliding[there];
        copyContact(set, there, raw, c);
      }
    }
    return ways.filter(({ sunken }) => sunken);
  };

  return {
    outcome,
    result: total,
    settle(groups, set, stepped, t, dt, revert) {
      Object.assign(outcome, { iterations: 0, iterationsMax: 0, shifts: 0 });
      Object.assign(total, { iterations: 0, error: 0, converged: true });
      checked.fill(0);
      if (!possible) return groups;
      const others: Group[] = [];
      const ofBundle = bundles.map((): Way[] => []);
      for (const group of groups) {
        const [system] = group.systems;
        if (!isLone(group, set)) others.push(group);
        else ofBundle[systems.bundleOf[system]].push({ group, system, contacts: group.contacts, sunken: false });
      }
      Object.assign(job, { t, dt, speed: finder.acceleration * dt });
      const rest: Way[] = [];
      bundles.forEach((bundle, b) => {
        const underway = ofBundle[b].filter(({ system }) => stepped[system]);
        let ways = ofBundle[b].filter(({ system }) => !stepped[system]);
        for (let round = 0; round < LOOKS; round++) {
          if (round === 1) ways = [...ways, ...underway];
          if (ways.length === 0) continue;
          startJob(ways.length, round === 0);
          const done = run(ways, bundle, set, rest);
          ways = look(done, set, t, dt);
          for (const { system, sunken } of done) {
            stepped[system] = 1;
            if (!sunken) checked[systems.rods[system][0]] = 1;
          }
        }
      });
      if (rest.length === 0) return others;
      const failed = rest.map(({ system }) => system);
      revert(failed, t);
      for (const system of failed) stepped[system] = 0;
      return [...others, ...rest.map(({ group, contacts }) => ({ ...group, contacts }))];
    },
    unchecked() {
      const list: number[] = [];
      for (let r = 0; r < checked.length; r++) if (!checked[r]) list.push(r);
      // what is stepped again is to be looked at again
      checked.fill(0);
      return list;
    },
  };
}
