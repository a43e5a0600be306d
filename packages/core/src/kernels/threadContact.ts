/**
 * Contact in threads: each has a port of its own for its own rods, and does what is asked of its part of the sides.
 *
 * Threads take part in groups of at least `least` systems; smaller ones are the caller's, who has a port for all rods. The start of a
 * step is in shared memory, and so are state and samples; what follows from them is each port's own. So who moves a rod in place of
 * another says so: `behind` is what the caller has moved in place of the threads, `stale` what they have moved and the caller has not
 * followed. A rod follows when it is next asked for, from the state alone, and that gives the same bits.
 */

import { cutLinkRows, type LinkRows } from '../contact/links/arrays.ts';
import { openCoarse } from '../contact/links/coarseBasis.ts';
import { lengthOf, RESTRICT, runLinkLoop, UNMIXED, UNPLACED } from '../contact/links/loops.ts';
import { applyAndPull } from '../contact/solve/admm.ts';
import { runLoop } from '../contact/solve/anderson.ts';
import { cutLawRows, type LawRows } from '../contact/solve/lawArrays.ts';
import { countBlocks, cutMixRows, type MixRows } from '../contact/solve/vectorLoops.ts';
import type { Bundle, ContactPort, LoneRods, StepOutcome } from '../model.ts';
import { axesOf, type ContactSides } from '../port.ts';
import type { SharedLinks, SharedLoops, ThreadedContactPort } from '../threads/contactThreads.ts';
import { claimPieces, listMeetings, resetClaims } from './claims.ts';
import {
  AXES,
  allCould,
  ask,
  CAPACITY,
  CHANGES,
  CLEAR,
  COARSE,
  type Crew,
  DT,
  FACTOR,
  FIRM,
  FROM,
  finish,
  GAMMA,
  GAUGE,
  GOALS,
  GUESS,
  gatherOutcomes,
  HOLD,
  KIND,
  LAST,
  LAW,
  LAWS,
  LIMIT,
  LINEARIZE,
  LINK,
  LINKS,
  LONE,
  LOOP,
  MIXING,
  READ,
  RELEASED,
  REVERT,
  ROUGH,
  SERIAL,
  SETTLE,
  SIZE,
  SLOT,
  SOLVE,
  SPEED,
  STEP,
  setBounds,
  shareOf,
  TIME,
  TOLERANCE,
  TOTAL,
  WAYS,
  WINDOW,
} from './crew.ts';
import { shareSearch } from './threadSearch.ts';
import {
  boundSides,
  clearShare,
  countTouches,
  createLoneSum,
  cutLone,
  cutSides,
  loneBytes,
  packLone,
  placeOfSides,
  type SidePart,
  settleRange,
  unpackLone,
} from './threadSides.ts';

/** What the caller keeps of its rods and those of others. */
export interface Watch {
  /** Rods that are behind their state here: 1. */
  readonly stale: Uint8Array;
  /** Whether any is. */
  any: boolean;
  /** Time that the rods are at [s], as far as requests tell. */
  now: number;
  /** Threads have left, or cannot take part. */
  alone: boolean;
  /** Ranges end where threads have met in the present step. */
  met: boolean;
}

/** Sides that threads know. */
interface Laid {
  readonly serial: number;
  readonly slot: number;
  readonly total: number;
  readonly from: number;
  readonly bounds: readonly number[];
  readonly own: SidePart;
}

/**
 * `apart`: whether rods lie in ranges, see ranges.ts; where they do not the caller works alone. `enlarge`: hands memory for a slot to the threads.
 * `begin`: to be called before every request. `rebalance`: before every step. `meet`: when rods were claimed. `positions`: where all have the rods' nodes.
 */
export function shareContact(
  crew: Crew,
  { port, parts }: { readonly port: ContactPort; readonly parts: Bundle['parts'] },
  watch: Watch,
  apart: boolean,
  {
    leastTouching: least,
    leastNumbers,
    leastNodes,
  }: Readonly<Record<'leastTouching' | 'leastNumbers' | 'leastNodes', number>>,
  enlarge: (slot: number, bytes: number) => SharedArrayBuffer,
  { begin, rebalance, meet }: Readonly<Record<'begin' | 'rebalance' | 'meet', () => void>>,
  positions: Float64Array,
): ThreadedContactPort {
  const { numbers, marks, behind, count, firstRods, claims } = crew;
  const { systemOfRod, systemCount } = port;
  const rooms: (SharedArrayBuffer | undefined)[] = [];
  const known = new WeakMap<ContactSides, Laid>();
  const everyone = new Uint8Array(systemCount).fill(1);
  /** Of marks, those of the caller's own rods. */
  const ownOf = (marked: Uint8Array): Uint8Array => marked.subarray(0, firstRods[1]);
  let serial = 0;
  /** Whether any sides were, in the step. */
  let laidOut = false;

  /** Whether as many systems are marked as are worth it. */
  const areMany = (marked: Uint8Array): boolean => {
    if (watch.alone || !apart) return false;
    let found = 0;
    for (let s = marked.indexOf(1); s >= 0 && found < least; s = marked.indexOf(1, s + 1)) found++;
    return found >= least;
  };
  const eachRod = (marked: Uint8Array, action: (rod: number) => void): void => {
    if (systemCount === systemOfRod.length)
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) action(s);
    else for (let rod = 0; rod < systemOfRod.length; rod++) if (marked[systemOfRod[rod]]) action(rod);
  };
  /** The caller is about to move rods; `follow`: from where they are. */
  const takeOver = (marked: Uint8Array, t: number, dt: number, follow: boolean): void => {
    eachRod(marked, (rod) => {
      if (follow) catchUp(rod, t, dt);
      watch.stale[rod] = 0;
      behind[rod] = 1;
    });
  };
  /** Threads are about to, the caller among them. */
  const handOver = (marked: Uint8Array, t: number, dt: number): void => {
    marks.set(marked);
    for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
      if (s >= firstRods[1]) watch.stale[s] = 1;
      else catchUp(s, t, dt);
    }
    watch.any = true;
  };
  const catchUp = (rod: number, t: number, dt: number): void => {
    if (watch.stale[rod]) parts?.refreshRod?.(rod, t, dt);
    watch.stale[rod] = 0;
  };

  const layoutOf = (sides: ContactSides): Laid | undefined => {
    const slot = rooms.indexOf(sides.rod.buffer as SharedArrayBuffer);
    if (slot < 0 || !apart) return undefined;
    let laid = known.get(sides);
    if (!laid) {
      const { total, from } = placeOfSides(sides);
      const bounds = boundSides(sides, firstRods);
      const own = cutSides(sides.rod.buffer, total, from, from + bounds[1], 0, axesOf(sides), sides.goal !== undefined);
      laidOut = true;
      laid = { serial: ++serial, slot, total, from, bounds, own };
      known.set(sides, laid);
    }
    return laid;
  };
  /** Asks for something to be done with these sides. */
  const request = (command: number, sides: ContactSides, laid: Laid): SidePart => {
    begin();
    numbers[SERIAL] = laid.serial;
    numbers[SLOT] = laid.slot;
    numbers[TOTAL] = laid.total;
    numbers[FROM] = laid.from;
    numbers[AXES] = axesOf(sides);
    numbers[GOALS] = sides.goal ? 1 : 0;
    numbers[RELEASED] = sides.released ? 1 : 0;
    laid.own.sides.released = sides.released ?? false;
    setBounds(crew, laid.bounds);
    ask(crew, command);
    return laid.own;
  };
  const setTimes = (t: number, dt: number, firm: boolean): void => {
    begin();
    numbers[TIME] = t;
    numbers[DT] = dt;
    numbers[FIRM] = firm ? 1 : 0;
  };

  const step: ContactPort['step'] = (marked, sides, t, dt, robust, rough): StepOutcome => {
    watch.now = t + dt;
    const laid = layoutOf(sides);
    if (!laid) {
      takeOver(marked, t, dt, true);
      return port.step(marked, sides, t, dt, robust, rough);
    }
    handOver(marked, t, dt);
    setTimes(t, dt, robust);
    numbers[ROUGH] = rough ? 1 : 0;
    const part = request(STEP, sides, laid);
    const own = port.step(ownOf(marked), part.sides, t, dt, robust, rough);
    finish(crew);
    return gatherOutcomes(crew, own);
  };

  /** Rods of the last job, which goes on where it began: with the threads, or here. */
  let together = false;
  const settle = (job: LoneRods): StepOutcome => {
    watch.now = job.t + job.dt;
    const lone = new Uint8Array(systemCount);
    let ordered = true;
    for (let i = 0; i < job.count; i++) {
      lone[job.system[i]] = 1;
      if (i > 0 && job.system[i] <= job.system[i - 1]) ordered = false;
    }
    if (job.fresh) together = ordered && areMany(lone);
    if (!together || !port.settle) {
      takeOver(lone, job.t, job.dt, true);
      return (port.settle as NonNullable<ContactPort['settle']>)(job);
    }
    const contacts = countTouches(job);
    const rows = cutLone(roomFor(LONE, loneBytes(job.count, contacts)), job.count, contacts);
    packLone(rows, job);
    // what has begun goes on in its ranges; and where most rods are in groups, or free, ranges are for those
    const claimed = job.fresh && !laidOut && 2 * job.count >= systemCount;
    if (claimed) resetClaims(claims);
    else handOver(lone, job.t, job.dt);
    watch.any = true;
    setTimes(job.t, job.dt, job.fresh);
    numbers[KIND] = claimed ? 1 : 0;
    numbers[TOTAL] = job.count;
    numbers[FROM] = contacts;
    numbers[SPEED] = job.speed;
    numbers[TOLERANCE] = job.tolerance;
    numbers[LIMIT] = job.iterations;
    ask(crew, SETTLE);
    const sum = createLoneSum();
    const settleOwn = (from: number, to: number): void => {
      if (claimed)
        for (let s = lone.indexOf(1, from); s >= 0 && s < to; s = lone.indexOf(1, s + 1)) catchUp(s, job.t, job.dt);
      settleRange(sum, port, rows, job.count, from, to, 0, job);
    };
    if (claimed) claimPieces(claims, 0, systemCount, settleOwn);
    else settleOwn(0, firstRods[1]);
    finish(crew);
    if (claimed) takeNote(lone);
    unpackLone(job, rows);
    const { turns, error, converged, ...all } = gatherOutcomes(crew, sum);
    job.turns = Math.max(sum.turns, turns);
    job.error = Math.max(sum.error, error);
    job.converged = sum.converged && converged;
    return all;
  };
  /** Who has moved which of the rods that were claimed. */
  const takeNote = (lone: Uint8Array): void => {
    const met = listMeetings(claims, systemCount);
    meet();
    for (let k = 0; k < count; k++)
      for (let s = lone.indexOf(1, met[k]); s >= 0 && s < met[k + 1]; s = lone.indexOf(1, s + 1)) {
        watch.stale[s] = k > 0 ? 1 : 0;
        behind[s] = firstRods[k] <= s && s < firstRods[k + 1] ? 0 : 1;
      }
  };

  const roomFor = (slot: number, bytes: number, exactly = false): SharedArrayBuffer => {
    const there = rooms[slot];
    if (there && there.byteLength >= bytes) return there;
    begin();
    rooms[slot] = enlarge(slot, exactly ? bytes : Math.max(2 * bytes, 4096));
    return rooms[slot];
  };

  /** All zero, which for a cloth of thousands of fibers is a gigabyte to write. */
  const clearRoom = (slot: number, bytes: number): SharedArrayBuffer => {
    const room = roomFor(slot, bytes);
    if (bytes < 8 * leastNumbers) {
      new Uint8Array(room, 0, bytes).fill(0);
      return room;
    }
    begin();
    numbers[SLOT] = slot;
    numbers[TOTAL] = bytes;
    ask(crew, CLEAR);
    clearShare(room, bytes, 0, count);
    finish(crew);
    return room;
  };

  /** Whether threads know where nodes are at the start of a step. */
  let searched = false;
  /** Rows of the links, once they are asked for. */
  let links: LinkRows | undefined;
  const linkRows = (bytes: number): SharedLinks | undefined => {
    if (watch.alone || !apart || positions.length === 0 || bytes < 8 * leastNumbers) return undefined;
    const memory = roomFor(LINKS, bytes, true);
    return {
      memory,
      run(kind, given) {
        if (watch.alone) return false;
        links ??= cutLinkRows(memory);
        begin();
        numbers[KIND] = kind;
        numbers.set(given, GAMMA);
        const end = shareOf(lengthOf(kind, links, UNPLACED), 1, count);
        ask(crew, GAUGE);
        runLinkLoop(kind, links, UNPLACED, UNMIXED, positions, given, 0, end);
        finish(crew);
        return true;
      },
    };
  };

  const solverLoops = (sides: ContactSides): SharedLoops | undefined => {
    const laid = layoutOf(sides);
    if (!laid || axesOf(sides) * sides.count < leastNumbers) return undefined;
    let rows: MixRows | undefined;
    let laws: LawRows | undefined;
    const mixingFor = (capacity: number, window: number): MixRows => {
      const buffer = rooms[MIXING] as SharedArrayBuffer;
      if (rows?.weight.buffer !== buffer || rows.capacity !== capacity || rows.window !== window)
        rows = cutMixRows(buffer, capacity, window);
      return rows;
    };
    return {
      lawMemory(bytes) {
        laws = undefined;
        return roomFor(LAWS, bytes);
      },
      runLaw(contacts) {
        laws ??= cutLawRows(rooms[LAWS] as SharedArrayBuffer, contacts);
        begin();
        numbers[SIZE] = contacts;
        const { all } = request(LAW, sides, laid);
        let swing = applyAndPull(laws, { ...laws, ...all, axes: axesOf(sides) }, 0, shareOf(contacts, 1, count));
        finish(crew);
        for (let k = 1; k < count; k++) swing = Math.max(swing, laws.swing[k]);
        return swing;
      },
      runLinks(kind, capacity, window, given) {
        if (!links) throw new Error('links have no memory that threads see');
        begin();
        numbers[KIND] = kind;
        numbers[CAPACITY] = capacity;
        numbers[WINDOW] = window;
        numbers.set(given, GAMMA);
        const mix = capacity > 0 ? mixingFor(capacity, window) : UNMIXED;
        const { all } = request(LINK, sides, laid);
        const end = shareOf(lengthOf(kind, links, all), 1, count);
        const cells = kind >= RESTRICT ? openCoarse(rooms[COARSE] as SharedArrayBuffer) : undefined;
        let most = runLinkLoop(kind, links, all, mix, positions, given, 0, end, cells);
        finish(crew);
        for (let k = 1; k < count; k++) most = Math.max(most, links.answer[k]);
        return most;
      },
      coarseMemory: (bytes) => roomFor(COARSE, bytes, true),
      memory: (bytes) => roomFor(MIXING, bytes),
      run(kind, capacity, window, size, changes, last, gamma) {
        const mix = mixingFor(capacity, window);
        begin();
        numbers[KIND] = kind;
        numbers[CAPACITY] = capacity;
        numbers[WINDOW] = window;
        numbers[SIZE] = size;
        numbers[CHANGES] = changes;
        numbers[LAST] = last;
        numbers.set(gamma, GAMMA);
        const { all } = request(LOOP, sides, laid);
        runLoop(mix, all, kind, size, 0, shareOf(countBlocks(size), 1, count), changes, last, gamma);
        finish(crew);
      },
    };
  };

  return {
    ...port,
    threads: {
      sideBuffer: (slot, bytes, marked) => (areMany(marked) ? clearRoom(slot, bytes) : undefined),
      solverLoops,
      colliderSearch(bytes) {
        searched = apart && !watch.alone;
        return searched ? shareSearch(crew, watch, leastNodes, bytes, enlarge, begin) : undefined;
      },
      addDisplacements(sides, dt, own) {
        const laid = searched ? layoutOf(sides) : undefined;
        if (!laid || sides.count < leastNumbers / 3) return false;
        begin();
        numbers[DT] = dt;
        request(WAYS, sides, laid);
        own(laid.bounds[1]);
        finish(crew);
        return true;
      },
      linkRows,
    },
    hold(marked) {
      if (marked || watch.alone || !apart) return port.hold(marked);
      begin();
      laidOut = false;
      rebalance();
      ask(crew, HOLD);
      port.hold(ownOf(everyone));
      finish(crew);
    },
    revert(marked, t) {
      watch.now = t;
      if (!areMany(marked)) {
        takeOver(marked, t, 0, false);
        return port.revert(marked, t);
      }
      handOver(marked, t, 0);
      setTimes(t, 0, false);
      ask(crew, REVERT);
      port.revert(ownOf(marked), t);
      finish(crew);
    },
    ...(port.guess && {
      guess(velocity, marked, sides, t, dt) {
        watch.now = t + dt;
        const laid = layoutOf(sides);
        if (!laid) {
          takeOver(marked, t, dt, true);
          return port.guess?.(velocity, marked, sides, t, dt) ?? false;
        }
        handOver(marked, t, dt);
        setTimes(t, dt, false);
        const part = request(GUESS, sides, laid);
        const own = port.guess?.(part.start, ownOf(marked), part.sides, t, dt) ?? false;
        finish(crew);
        return own && allCould(crew);
      },
    }),
    linearize(velocity, response, marked, sides, t, dt, fresh) {
      watch.now = t + dt;
      const laid = layoutOf(sides);
      if (!laid) {
        takeOver(marked, t, dt, true);
        return port.linearize(velocity, response, marked, sides, t, dt, fresh);
      }
      handOver(marked, t, dt);
      setTimes(t, dt, fresh);
      const part = request(LINEARIZE, sides, laid);
      const own = port.linearize(part.start, part.response, ownOf(marked), part.sides, t, dt, fresh);
      finish(crew);
      return own && allCould(crew);
    },
    step,
    ...(port.measureEnergy && {
      measureEnergy(out, s, t) {
        catchUp(s, t, 0);
        return port.measureEnergy?.(out, s, t) ?? false;
      },
    }),
    ...(port.settle && { settle }),
    readVelocity(out, sides) {
      const laid = layoutOf(sides);
      if (!laid) return port.readVelocity(out, sides);
      const part = request(READ, sides, laid);
      port.readVelocity(part.start, part.sides);
      finish(crew);
    },
    factor(marked, sides) {
      const laid = layoutOf(sides);
      if (!laid) return port.factor(marked, sides);
      marks.set(marked);
      const part = request(FACTOR, sides, laid);
      const own = port.factor(ownOf(marked), part.sides);
      finish(crew);
      return own && allCould(crew);
    },
    solve(velocity, impulse, sides, marked) {
      const laid = layoutOf(sides);
      if (!laid) return port.solve(velocity, impulse, sides, marked);
      begin();
      if (marked) marks.set(marked);
      numbers[FIRM] = marked ? 1 : 0;
      const part = request(SOLVE, sides, laid);
      port.solve(part.velocity, part.right, part.sides, marked && ownOf(marked));
      finish(crew);
    },
  };
}
