/**
 * The caller's side of contact for a shared bundle. Each thread has a ContactPort for its own rods and handles the sides on those rods; the caller's
 * own port knows all rods.
 *
 * Threads share the work on at least `leastTouching` systems; the caller solves smaller groups alone. State, samples and the start of the step are
 * in shared memory; what a model derives from them (frames, factors) belongs to each port. A thread that moves a rod marks it for the others:
 * `workerStale` if the worker that owns the rod must refresh it, `callerStale` if the caller must. They refresh a rod when they next need it, from its
 * state alone, so it has the same bits.
 */
import type { ContactPort, SingleRodBatch, StepOutcome } from '../model.ts';
import { allSucceeded, combineAnswers } from './answers.ts';
import { createCallerLoops } from './callerLoops.ts';
import type { ThreadedContactPort } from './contactThreads.ts';
import { beginSaving, isAlone, moveEndsToMeetings, rebalance, type SharedBundle, syncWorkers } from './sharedBundle.ts';
import { createSharedSearch } from './sharedSearch.ts';
import {
  bufferFor,
  clearedBuffer,
  createSharedSides,
  findLayout,
  prepareSides,
  type SharedSides,
} from './sharedSides.ts';
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
import { saveRange } from './stateCopies.ts';
import { runRequest } from './workerPool.ts';
import { listMeetings, resetWorkStealing, takeChunks } from './workStealing.ts';

/** The caller's port and its shared sides, and the bookkeeping that must precede a move of rods. */
interface SharedPort {
  readonly sharedBundle: SharedBundle;
  readonly port: ContactPort;
  readonly shared: SharedSides;
  /** True if threads share the work on the marked systems. */
  isShared(marked: Uint8Array): boolean;
  /** Call before the caller alone moves the marked systems. `from`: the state from which they move. */
  beforeCallerMoves(marked: Uint8Array, t: number, dt: number, from: 'current-state' | 'step-start'): void;
  /** Call before every thread moves those of the marked systems that it owns. */
  beforeAllMove(marked: Uint8Array, t: number, dt: number): void;
  refreshIfStale(rod: number, t: number, dt: number): void;
  /** The marks of the rods in the caller's range. */
  callersPart(marked: Uint8Array): Uint8Array;
}

function createSharedPort(sharedBundle: SharedBundle, port: ContactPort): SharedPort {
  const { pool, parts, options } = sharedBundle;
  const { systemOfRod, systemCount } = port;
  const { workerStale, firstRods, marks } = pool;
  const eachRod = (marked: Uint8Array, action: (rod: number) => void): void => {
    if (systemCount === systemOfRod.length)
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) action(s);
    else for (let rod = 0; rod < systemOfRod.length; rod++) if (marked[systemOfRod[rod]]) action(rod);
  };
  const refreshIfStale = (rod: number, t: number, dt: number): void => {
    if (sharedBundle.callerStale[rod]) parts.refreshRod?.(rod, t, dt);
    sharedBundle.callerStale[rod] = 0;
  };
  return {
    sharedBundle,
    port,
    shared: createSharedSides(sharedBundle),
    isShared(marked) {
      if (isAlone(sharedBundle) || !sharedBundle.inRanges) return false;
      let found = 0;
      for (let s = marked.indexOf(1); s >= 0 && (found < options.leastTouching || sharedBundle.hasOverridden); ) {
        // only the caller has this rod's loads or pins
        if (sharedBundle.overridden[s]) return false;
        found++;
        s = marked.indexOf(1, s + 1);
      }
      return found >= options.leastTouching;
    },
    beforeCallerMoves(marked, t, dt, from) {
      sharedBundle.hasMoved = true;
      eachRod(marked, (rod) => {
        if (from === 'current-state') refreshIfStale(rod, t, dt);
        sharedBundle.callerStale[rod] = 0;
        workerStale[rod] = 1;
      });
    },
    beforeAllMove(marked, t, dt) {
      sharedBundle.hasMoved = true;
      marks.set(marked);
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
        if (s >= firstRods[1]) sharedBundle.callerStale[s] = 1;
        else refreshIfStale(s, t, dt);
      }
      sharedBundle.hasCallerStale = true;
    },
    refreshIfStale,
    callersPart: (marked) => marked.subarray(0, firstRods[1]),
  };
}

/** Wraps `port`, the caller's own port for all rods of the bundle, so that threads share its work. */
export function shareContact(sharedBundle: SharedBundle, port: ContactPort): ThreadedContactPort {
  const sharedPort = createSharedPort(sharedBundle, port);
  const { shared, isShared } = sharedPort;
  const { pool, options } = sharedBundle;
  /** True if workers have the node positions at the start of the step. */
  let isSearching = false;
  return {
    ...port,
    ...createHold(sharedPort),
    ...createStep(sharedPort),
    ...createResponse(sharedPort),
    ...(port.stepSingleRods && { stepSingleRods: createSingleRodStep(sharedPort, port.stepSingleRods) }),
    threads: {
      ...createCallerLoops(shared),
      sideBuffer: (slot, bytes, marked) => (isShared(marked) ? clearedBuffer(shared, slot, bytes) : undefined),
      colliderSearch(bytes) {
        isSearching = sharedBundle.inRanges && !isAlone(sharedBundle);
        return isSearching ? createSharedSearch(sharedBundle, bytes) : undefined;
      },
      addDisplacements(sides, dt, own) {
        const layout = isSearching ? findLayout(shared, sides) : undefined;
        if (!layout || sides.count < options.leastNumbers / 3) return false;
        const { reference } = prepareSides(shared, sides, layout);
        runRequest(pool, { kind: 'addDisplacements', ...reference, dt }, () => {
          own(layout.bounds[1]);
        });
        return true;
      },
    },
  };
}

/** Members of the port that hold the start of a step and return to it. */
function createHold({
  sharedBundle,
  port,
  shared,
  isShared,
  beforeCallerMoves,
  beforeAllMove,
  callersPart,
}: SharedPort): HoldMembers {
  const { pool, bundle } = sharedBundle;
  const everySystem = new Uint8Array(port.systemCount).fill(1);
  return {
    hold(marked) {
      if (marked || isAlone(sharedBundle) || !sharedBundle.inRanges) return port.hold(marked);
      syncWorkers(sharedBundle);
      shared.isUsed = false;
      rebalance(sharedBundle);
      const savesStart = beginSaving(sharedBundle);
      runRequest(pool, { kind: 'hold', savesStart }, () => {
        if (savesStart) saveRange(pool, bundle.state, 0);
        port.hold(callersPart(everySystem));
      });
    },
    revert(marked, t) {
      sharedBundle.time = t;
      if (!isShared(marked)) {
        beforeCallerMoves(marked, t, 0, 'step-start');
        return port.revert(marked, t);
      }
      beforeAllMove(marked, t, 0);
      syncWorkers(sharedBundle);
      runRequest(pool, { kind: 'revert', t }, () => {
        port.revert(callersPart(marked), t);
      });
    },
  };
}

type HoldMembers = Pick<ContactPort, 'hold' | 'revert'>;

/** Members of the port that step rods or read their motion. */
function createStep(sharedPort: SharedPort): Pick<ContactPort, 'guess' | 'step' | 'measureEnergy'> {
  const { sharedBundle, port, shared, beforeCallerMoves, beforeAllMove, callersPart } = sharedPort;
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
        const layout = findLayout(shared, sides);
        if (!layout) {
          beforeCallerMoves(marked, t, dt, 'current-state');
          return guess(velocity, marked, sides, { t, dt });
        }
        beforeAllMove(marked, t, dt);
        const { reference, part } = prepareSides(shared, sides, layout);
        const own = runRequest(pool, { kind: 'guess', ...reference, t, dt }, () =>
          guess(part.reached, callersPart(marked), part.sides, { t, dt }),
        );
        return own && allSucceeded(pool);
      },
    }),
    step(marked, sides, { t, dt, robust, rough = false }) {
      sharedBundle.time = t + dt;
      const layout = findLayout(shared, sides);
      if (!layout) {
        beforeCallerMoves(marked, t, dt, 'current-state');
        return port.step(marked, sides, { t, dt, robust, rough });
      }
      beforeAllMove(marked, t, dt);
      const { reference, part } = prepareSides(shared, sides, layout);
      const own = runRequest(pool, { kind: 'step', ...reference, t, dt, robust, rough }, () =>
        port.step(callersPart(marked), part.sides, { t, dt, robust, rough }),
      );
      return combineAnswers(pool, own);
    },
    ...(measureEnergy && {
      measureEnergy(out, system, t) {
        for (const rod of rodsOf(system)) sharedPort.refreshIfStale(rod, t, 0);
        return measureEnergy(out, system, t);
      },
    }),
  };
}

/** Members of the port that compute the linear response of rods and solve with it. */
function createResponse(sharedPort: SharedPort): Pick<ContactPort, 'linearize' | 'readVelocity' | 'factor' | 'solve'> {
  const { sharedBundle, port, shared, beforeCallerMoves, beforeAllMove, callersPart } = sharedPort;
  const { pool } = sharedBundle;
  const { marks } = pool;
  return {
    linearize(out, marked, sides, { t, dt, fresh }) {
      sharedBundle.time = t + dt;
      const layout = findLayout(shared, sides);
      if (!layout) {
        beforeCallerMoves(marked, t, dt, 'current-state');
        return port.linearize(out, marked, sides, { t, dt, fresh });
      }
      beforeAllMove(marked, t, dt);
      const { reference, part } = prepareSides(shared, sides, layout);
      const own = runRequest(pool, { kind: 'linearize', ...reference, t, dt, fresh }, () =>
        port.linearize(responseOf(part), callersPart(marked), part.sides, { t, dt, fresh }),
      );
      return own && allSucceeded(pool);
    },
    readVelocity(out, sides) {
      const layout = findLayout(shared, sides);
      if (!layout) return port.readVelocity(out, sides);
      const { reference, part } = prepareSides(shared, sides, layout);
      runRequest(pool, { kind: 'readVelocity', ...reference }, () => {
        port.readVelocity(part.reached, part.sides);
      });
    },
    factor(marked, sides) {
      const layout = findLayout(shared, sides);
      if (!layout) return port.factor(marked, sides);
      marks.set(marked);
      const { reference, part } = prepareSides(shared, sides, layout);
      const own = runRequest(pool, { kind: 'factor', ...reference }, () =>
        port.factor(callersPart(marked), part.sides),
      );
      return own && allSucceeded(pool);
    },
    solve(velocity, impulse, sides, marked) {
      const layout = findLayout(shared, sides);
      if (!layout) return port.solve(velocity, impulse, sides, marked);
      if (marked) marks.set(marked);
      const { reference, part } = prepareSides(shared, sides, layout);
      runRequest(pool, { kind: 'solve', ...reference, selected: marked !== undefined }, () => {
        port.solve(part.velocityChange, part.right, part.sides, marked && callersPart(marked));
      });
    },
  };
}

/** Single rods against colliders. */
function createSingleRodStep(
  sharedPort: SharedPort,
  stepAlone: NonNullable<ContactPort['stepSingleRods']>,
): (job: SingleRodBatch) => StepOutcome {
  const { sharedBundle, port, shared, isShared, beforeCallerMoves, beforeAllMove } = sharedPort;
  const { pool } = sharedBundle;
  const { systemCount } = port;
  /** True if threads share the last job. A job that continues stays with the threads that began it. */
  let isSharedJob = false;
  return (job) => {
    sharedBundle.time = job.t + job.dt;
    const marked = new Uint8Array(systemCount);
    let ordered = true;
    for (let i = 0; i < job.count; i++) {
      marked[job.system[i]] = 1;
      if (i > 0 && job.system[i] <= job.system[i - 1]) ordered = false;
    }
    if (job.fresh) isSharedJob = ordered && isShared(marked);
    if (!isSharedJob) {
      beforeCallerMoves(marked, job.t, job.dt, 'current-state');
      return stepAlone(job);
    }
    const contacts = countContacts(job);
    const rows = cutSingleRods(
      bufferFor(shared, slots.singleRods, singleRodBytes(job.count, contacts)),
      job.count,
      contacts,
    );
    packSingleRods(rows, job);
    // a job that continues stays in its ranges; if most rods are free or in islands, the ranges are balanced for those and must not move
    const stealing = job.fresh && !shared.isUsed && 2 * job.count >= systemCount;
    if (stealing) resetWorkStealing(pool.workStealing);
    else beforeAllMove(marked, job.t, job.dt);
    sharedBundle.hasMoved = true;
    sharedBundle.hasCallerStale = true;
    const sum = stepTogether(sharedPort, job, rows, { marked, contacts, stealing });
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
  { sharedBundle, port, refreshIfStale }: SharedPort,
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
      for (let s = marked.indexOf(1, from); s >= 0 && s < to; s = marked.indexOf(1, s + 1)) refreshIfStale(s, t, dt);
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
  const { pool, callerStale } = sharedBundle;
  const { workerStale, firstRods, count } = pool;
  const met = listMeetings(pool.workStealing, marked.length);
  moveEndsToMeetings(sharedBundle);
  for (let k = 0; k < count; k++)
    for (let s = marked.indexOf(1, met[k]); s >= 0 && s < met[k + 1]; s = marked.indexOf(1, s + 1)) {
      callerStale[s] = k > 0 ? 1 : 0;
      workerStale[s] = firstRods[k] <= s && s < firstRods[k + 1] ? 0 : 1;
    }
}
