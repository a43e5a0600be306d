/**
 * Contact of a shared bundle, the caller's side. Each thread has a ContactPort for its own rods and handles the sides of those rods; the caller's
 * own port knows all rods.
 *
 * Threads share the work on at least `leastTouching` systems; the caller solves smaller groups alone. State, samples and the start of the step are
 * in shared memory; data that a model derives from them belongs to each port. A thread that moves a rod of another thread marks it: `behind` means
 * that the caller moved it instead of its worker, `stale` that a worker moved it and the caller has not derived its own data yet. The data is
 * derived when the rod is next needed, from the state alone, so it has the same bits.
 */
import type { ContactPort, SingleRodBatch, StepOutcome } from '../model.ts';
import { allSucceeded, combineAnswers } from './answers.ts';
import { createCallerLoops } from './callerLoops.ts';
import type { ThreadedContactPort } from './contactThreads.ts';
import {
  beginKeeping,
  isAlone,
  moveEndsToMeetings,
  rebalance,
  type SharedBundle,
  syncWorkers,
} from './sharedBundle.ts';
import { createSharedSearch } from './sharedSearch.ts';
import { bufferFor, clearedBuffer, createSharedSides, findLayout, referTo, type SharedSides } from './sharedSides.ts';
import {
  countContacts,
  createSingleRodSum,
  cutSingleRods,
  packSingleRods,
  responseOf,
  type SingleRodRows,
  singleRodBytes,
  stepRange,
  unpackSingleRods,
} from './sideSlices.ts';
import { slots } from './slots.ts';
import { keepRange } from './stateCopies.ts';
import { runRequest } from './workerPool.ts';
import { listMeetings, resetWorkStealing, takeChunks } from './workStealing.ts';

/** The port with its sides and marks, and the rules for which thread may move which rods. */
interface SharedPort {
  readonly sharedBundle: SharedBundle;
  readonly port: ContactPort;
  readonly shared: SharedSides;
  /** Whether threads share the work on these systems. */
  isShared(marked: Uint8Array): boolean;
  /** Called before the caller moves rods alone; `follows`: from their current state, not from the start of the step. */
  takeOver(marked: Uint8Array, t: number, dt: number, follows: boolean): void;
  /** Called before all threads move rods, each its own. */
  handOver(marked: Uint8Array, t: number, dt: number): void;
  catchUp(rod: number, t: number, dt: number): void;
  /** The part of the marks that belongs to the caller's own rods. */
  ownOf(marked: Uint8Array): Uint8Array;
}

function createSharedPort(sharedBundle: SharedBundle, port: ContactPort): SharedPort {
  const { pool, parts, options } = sharedBundle;
  const { systemOfRod, systemCount } = port;
  const { behind, firstRods, marks } = pool;
  const eachRod = (marked: Uint8Array, action: (rod: number) => void): void => {
    if (systemCount === systemOfRod.length)
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) action(s);
    else for (let rod = 0; rod < systemOfRod.length; rod++) if (marked[systemOfRod[rod]]) action(rod);
  };
  const catchUp = (rod: number, t: number, dt: number): void => {
    if (sharedBundle.stale[rod]) parts.refreshRod?.(rod, t, dt);
    sharedBundle.stale[rod] = 0;
  };
  return {
    sharedBundle,
    port,
    shared: createSharedSides(sharedBundle),
    isShared(marked) {
      if (isAlone(sharedBundle) || !sharedBundle.inRanges) return false;
      let found = 0;
      for (let s = marked.indexOf(1); s >= 0 && (found < options.leastTouching || sharedBundle.hasOverridden); ) {
        // only the caller has the loads or pins of this rod
        if (sharedBundle.overridden[s]) return false;
        found++;
        s = marked.indexOf(1, s + 1);
      }
      return found >= options.leastTouching;
    },
    takeOver(marked, t, dt, follows) {
      sharedBundle.hasMoved = true;
      eachRod(marked, (rod) => {
        if (follows) catchUp(rod, t, dt);
        sharedBundle.stale[rod] = 0;
        behind[rod] = 1;
      });
    },
    handOver(marked, t, dt) {
      sharedBundle.hasMoved = true;
      marks.set(marked);
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
        if (s >= firstRods[1]) sharedBundle.stale[s] = 1;
        else catchUp(s, t, dt);
      }
      sharedBundle.hasStale = true;
    },
    catchUp,
    ownOf: (marked) => marked.subarray(0, firstRods[1]),
  };
}

/** `port`: the caller's own, for all rods of the bundle. */
export function shareContact(sharedBundle: SharedBundle, port: ContactPort): ThreadedContactPort {
  const mine = createSharedPort(sharedBundle, port);
  const { shared, isShared } = mine;
  const { pool, options } = sharedBundle;
  /** Whether workers have the node positions of the start of the step. */
  let isSearching = false;
  return {
    ...port,
    ...createHold(mine),
    ...createStep(mine),
    ...createResponse(mine),
    ...(port.stepSingleRods && { stepSingleRods: createSingleRodStep(mine, port.stepSingleRods) }),
    threads: {
      ...createCallerLoops(shared),
      sideBuffer: (slot, bytes, marked) => (isShared(marked) ? clearedBuffer(shared, slot, bytes) : undefined),
      colliderSearch(bytes) {
        isSearching = sharedBundle.inRanges && !isAlone(sharedBundle);
        return isSearching ? createSharedSearch(sharedBundle, bytes) : undefined;
      },
      addDisplacements(sides, dt, own) {
        const laid = isSearching ? findLayout(shared, sides) : undefined;
        if (!laid || sides.count < options.leastNumbers / 3) return false;
        const { reference } = referTo(shared, sides, laid);
        runRequest(pool, { kind: 'addDisplacements', ...reference, dt }, () => {
          own(laid.bounds[1]);
        });
        return true;
      },
    },
  };
}

/** Members of the port that hold the start of a step and return to it. */
function createHold({ sharedBundle, port, shared, isShared, takeOver, handOver, ownOf }: SharedPort): Hold {
  const { pool, bundle } = sharedBundle;
  const everyone = new Uint8Array(port.systemCount).fill(1);
  return {
    hold(marked) {
      if (marked || isAlone(sharedBundle) || !sharedBundle.inRanges) return port.hold(marked);
      syncWorkers(sharedBundle);
      shared.isUsed = false;
      rebalance(sharedBundle);
      const keeps = beginKeeping(sharedBundle);
      runRequest(pool, { kind: 'hold', keeps }, () => {
        if (keeps) keepRange(pool, bundle.state, 0);
        port.hold(ownOf(everyone));
      });
    },
    revert(marked, t) {
      sharedBundle.time = t;
      if (!isShared(marked)) {
        takeOver(marked, t, 0, false);
        return port.revert(marked, t);
      }
      handOver(marked, t, 0);
      syncWorkers(sharedBundle);
      runRequest(pool, { kind: 'revert', t }, () => {
        port.revert(ownOf(marked), t);
      });
    },
  };
}

type Hold = Pick<ContactPort, 'hold' | 'revert'>;

/** Members of the port that step rods or read their motion. */
function createStep(mine: SharedPort): Pick<ContactPort, 'guess' | 'step' | 'measureEnergy'> {
  const { sharedBundle, port, shared, takeOver, handOver, ownOf } = mine;
  const { pool } = sharedBundle;
  const { guess, measureEnergy, systemOfRod, systemCount } = port;
  const rodsOf = (system: number): number[] =>
    systemCount === systemOfRod.length
      ? [system]
      : [...systemOfRod.keys()].filter((rod) => systemOfRod[rod] === system);
  return {
    ...(guess && {
      guess(velocity, marked, sides, { t, dt }) {
        sharedBundle.time = t + dt;
        const laid = findLayout(shared, sides);
        if (!laid) {
          takeOver(marked, t, dt, true);
          return guess(velocity, marked, sides, { t, dt });
        }
        handOver(marked, t, dt);
        const { reference, part } = referTo(shared, sides, laid);
        const own = runRequest(pool, { kind: 'guess', ...reference, t, dt }, () =>
          guess(part.reached, ownOf(marked), part.sides, { t, dt }),
        );
        return own && allSucceeded(pool);
      },
    }),
    step(marked, sides, { t, dt, robust, rough = false }) {
      sharedBundle.time = t + dt;
      const laid = findLayout(shared, sides);
      if (!laid) {
        takeOver(marked, t, dt, true);
        return port.step(marked, sides, { t, dt, robust, rough });
      }
      handOver(marked, t, dt);
      const { reference, part } = referTo(shared, sides, laid);
      const own = runRequest(pool, { kind: 'step', ...reference, t, dt, robust, rough }, () =>
        port.step(ownOf(marked), part.sides, { t, dt, robust, rough }),
      );
      return combineAnswers(pool, own);
    },
    ...(measureEnergy && {
      measureEnergy(out, system, t) {
        for (const rod of rodsOf(system)) mine.catchUp(rod, t, 0);
        return measureEnergy(out, system, t);
      },
    }),
  };
}

/** Members of the port that compute the linear response of rods and solve with it. */
function createResponse(mine: SharedPort): Pick<ContactPort, 'linearize' | 'readVelocity' | 'factor' | 'solve'> {
  const { sharedBundle, port, shared, takeOver, handOver, ownOf } = mine;
  const { pool } = sharedBundle;
  const { marks } = pool;
  return {
    linearize(out, marked, sides, { t, dt, fresh }) {
      sharedBundle.time = t + dt;
      const laid = findLayout(shared, sides);
      if (!laid) {
        takeOver(marked, t, dt, true);
        return port.linearize(out, marked, sides, { t, dt, fresh });
      }
      handOver(marked, t, dt);
      const { reference, part } = referTo(shared, sides, laid);
      const own = runRequest(pool, { kind: 'linearize', ...reference, t, dt, fresh }, () =>
        port.linearize(responseOf(part), ownOf(marked), part.sides, { t, dt, fresh }),
      );
      return own && allSucceeded(pool);
    },
    readVelocity(out, sides) {
      const laid = findLayout(shared, sides);
      if (!laid) return port.readVelocity(out, sides);
      const { reference, part } = referTo(shared, sides, laid);
      runRequest(pool, { kind: 'readVelocity', ...reference }, () => {
        port.readVelocity(part.reached, part.sides);
      });
    },
    factor(marked, sides) {
      const laid = findLayout(shared, sides);
      if (!laid) return port.factor(marked, sides);
      marks.set(marked);
      const { reference, part } = referTo(shared, sides, laid);
      const own = runRequest(pool, { kind: 'factor', ...reference }, () => port.factor(ownOf(marked), part.sides));
      return own && allSucceeded(pool);
    },
    solve(velocity, impulse, sides, marked) {
      const laid = findLayout(shared, sides);
      if (!laid) return port.solve(velocity, impulse, sides, marked);
      if (marked) marks.set(marked);
      const { reference, part } = referTo(shared, sides, laid);
      runRequest(pool, { kind: 'solve', ...reference, selected: marked !== undefined }, () => {
        port.solve(part.velocityChange, part.right, part.sides, marked && ownOf(marked));
      });
    },
  };
}

/** Single rods against colliders. */
function createSingleRodStep(
  mine: SharedPort,
  stepAlone: NonNullable<ContactPort['stepSingleRods']>,
): (job: SingleRodBatch) => StepOutcome {
  const { sharedBundle, port, shared, isShared, takeOver, handOver } = mine;
  const { pool } = sharedBundle;
  const { systemCount } = port;
  /** True if threads share the last job: a job that continues stays with the threads that began it. */
  let together = false;
  return (job) => {
    sharedBundle.time = job.t + job.dt;
    const marked = new Uint8Array(systemCount);
    let ordered = true;
    for (let i = 0; i < job.count; i++) {
      marked[job.system[i]] = 1;
      if (i > 0 && job.system[i] <= job.system[i - 1]) ordered = false;
    }
    if (job.fresh) together = ordered && isShared(marked);
    if (!together) {
      takeOver(marked, job.t, job.dt, true);
      return stepAlone(job);
    }
    const contacts = countContacts(job);
    const rows = cutSingleRods(
      bufferFor(shared, slots.singleRods, singleRodBytes(job.count, contacts)),
      job.count,
      contacts,
    );
    packSingleRods(rows, job);
    // a job that continues stays in its ranges; if most rods are in islands or free, ranges are balanced for those
    const stealing = job.fresh && !shared.isUsed && 2 * job.count >= systemCount;
    if (stealing) resetWorkStealing(pool.workStealing);
    else handOver(marked, job.t, job.dt);
    sharedBundle.hasMoved = true;
    sharedBundle.hasStale = true;
    const sum = stepTogether(mine, job, rows, { marked, contacts, stealing });
    if (stealing) recordMovers(sharedBundle, marked);
    unpackSingleRods(job, rows);
    const { solverIterations, error, converged, ...all } = combineAnswers(pool, sum);
    job.solverIterations = Math.max(sum.solverIterations, solverIterations);
    job.error = Math.max(sum.error, error);
    job.converged = sum.converged && converged;
    return all;
  };
}

interface SingleRodPlan {
  readonly marked: Uint8Array;
  readonly contacts: number;
  readonly stealing: boolean;
}

function stepTogether(
  { sharedBundle, port, catchUp }: SharedPort,
  job: SingleRodBatch,
  rows: SingleRodRows,
  { marked, contacts, stealing }: SingleRodPlan,
): ReturnType<typeof createSingleRodSum> {
  const { pool } = sharedBundle;
  const { t, dt, fresh, count: rods, speed, tolerance, iterations } = job;
  const sum = createSingleRodSum();
  const share = { port, rows, count: rods, first: 0, wanted: job };
  const stepOwn = (from: number, to: number): void => {
    if (stealing)
      for (let s = marked.indexOf(1, from); s >= 0 && s < to; s = marked.indexOf(1, s + 1)) catchUp(s, t, dt);
    stepRange(sum, share, from, to);
  };
  syncWorkers(sharedBundle);
  const request = {
    kind: 'stepSingleRods',
    t,
    dt,
    fresh,
    rods,
    contacts,
    speed,
    tolerance,
    iterations,
    stealing,
  } as const;
  runRequest(pool, request, () => {
    if (stealing) takeChunks(pool.workStealing, 0, port.systemCount, stepOwn);
    else stepOwn(0, pool.firstRods[1]);
  });
  return sum;
}

/** Records which thread moved each rod of a job that was divided by work stealing. */
function recordMovers(sharedBundle: SharedBundle, marked: Uint8Array): void {
  const { pool, stale } = sharedBundle;
  const { behind, firstRods, count } = pool;
  const met = listMeetings(pool.workStealing, marked.length);
  moveEndsToMeetings(sharedBundle);
  for (let k = 0; k < count; k++)
    for (let s = marked.indexOf(1, met[k]); s >= 0 && s < met[k + 1]; s = marked.indexOf(1, s + 1)) {
      stale[s] = k > 0 ? 1 : 0;
      behind[s] = firstRods[k] <= s && s < firstRods[k + 1] ? 0 : 1;
    }
}
