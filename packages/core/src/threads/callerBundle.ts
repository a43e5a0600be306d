/**
 * The caller's side of a bundle whose rods several threads move.
 *
 * State, samples and the start of a step are in shared memory. Each worker compiles the part of the scene that its rods need (ranges.ts), and so has
 * its own model, pins and loads. The caller has the model, pins and loads of all rods, detects contacts between rods and answers queries. A request goes to all threads
 * (requests.ts); each, including the caller, processes its own range. Which rods are solved together does not depend on the number of threads, and no
 * range reads another, so the result has the same bits with any number of threads.
 *
 * Rods with bodies, and rods that grow from others, are not in ranges: every worker then compiles the whole scene, and the caller solves contact.
 * The caller blocks while it waits, which browsers allow in workers only. Measurements: docs/notes/threads.md.
 */
import type { Bundle, BundleStep, StepOutcome } from '../model.ts';
import { combineAnswers } from './answers.ts';
import { shareContact } from './callerContact.ts';
import type { Task } from './messages.ts';
import type { ThreadPort } from './options.ts';
import { divide } from './ranges.ts';
import { pickColliders, pickRods } from './sceneParts.ts';
import { beginSaving, isAlone, rebalance, type SharedBundle, type ShareInput, syncWorkers } from './sharedBundle.ts';
import { copyAll, restoreAll, restoreStepStart, saveRange, saveShare } from './stateCopies.ts';
import {
  createPoolMemory,
  isUnaccepted,
  openPool,
  type PoolMemory,
  runRequest,
  sendRequest,
  type WorkerPool,
  waitForReady,
} from './workerPool.ts';
import { listChunks } from './workStealing.ts';

/** Workers that have not answered in time, by their ports; only of ports that cannot report their end (`hasEnded`). */
const unresponsive = new WeakSet<ThreadPort>();

/** Opens the caller's view of the pool. Workers whose ports do not report their end have `answerSeconds` to begin or to complete a request. */
function watchPool(memory: PoolMemory, ports: readonly ThreadPort[], answerSeconds: number): WorkerPool {
  const pool: WorkerPool = openPool(memory, {
    findEnded(seconds) {
      const isLate = seconds > answerSeconds;
      ports.forEach((port, k) => {
        if (!port.hasEnded && isLate && isUnaccepted(pool, k + 1)) unresponsive.add(port);
      });
      return 1 + ports.findIndex((port) => port.hasEnded?.() ?? unresponsive.has(port));
    },
    isGone(thread, seconds) {
      const port = ports[thread - 1];
      return port.hasEnded?.() ?? (unresponsive.has(port) || seconds > answerSeconds);
    },
  });
  return pool;
}

/** Shares a bundle among the caller and the workers. Rethrows errors that workers throw when they compile their part. */
export function shareBundle(input: ShareInput): { readonly bundle: Bundle; readonly release: () => void } {
  const { bundle, parts, scene, arrays, workers, options } = input;
  const { state, rods } = bundle;
  const inRanges = bundle.bodies.length === 0 && scene.rods.every(({ parent }) => !parent);
  const plan = divide(parts, rods.length, workers.length + 1, inRanges);
  const count = plan.compiled.length;
  const ports = workers.slice(0, count - 1);
  const memory = createPoolMemory({
    count,
    rods: rods.length,
    systems: inRanges ? rods.length : (bundle.contact?.systemCount ?? 0),
    state: 2 * state.q.length + state.memory.length,
    chunks: listChunks(plan),
  });
  const pool = watchPool(memory, ports, options.answerSeconds);
  pool.firstRods.set(plan.rods);
  pool.firstParts.set(plan.parts);
  const samples = arrays.findIndex(({ buffer }) =>
    bundle.samples.every(({ nodePosition }) => nodePosition.buffer === buffer),
  );
  const sharedBundle: SharedBundle = {
    ...input,
    pool,
    ports,
    ranges: { ...plan, rods: pool.firstRods, parts: pool.firstParts },
    inRanges,
    positions: samples < 0 ? new Float64Array(0) : new Float64Array(arrays[samples].buffer),
    callerStale: new Uint8Array(rods.length),
    hasCallerStale: false,
    time: 0,
    overridden: new Uint8Array(rods.length),
    hasOverridden: false,
    isReleased: false,
    hasMeetings: false,
    isAtStepStart: true,
    hasMoved: false,
    unsyncedTime: undefined,
    isWrittenByStatics: false,
    substepStart: undefined,
  };
  pool.starts.forEach((starts, k) => {
    const list = [state.q, state.v, state.memory][k];
    const known = arrays.find(({ buffer }) => buffer === list.buffer);
    if (inRanges && known) starts.set(known.starts);
  });
  startWorkers(sharedBundle, memory, samples);
  const release = (): void => {
    if (isAlone(sharedBundle)) return;
    sharedBundle.isReleased = true;
    sendRequest(pool, { kind: 'leave' });
  };
  return { bundle: wrapBundle(sharedBundle), release };
}

/** Has all workers compile their part of the scene. */
function startWorkers(sharedBundle: SharedBundle, memory: PoolMemory, samples: number): void {
  const { pool, ports, bundle, model, options, scene, arrays, ranges, inRanges } = sharedBundle;
  const { state } = bundle;
  copyAll(pool.stepStart, state);
  const describe = (index: number): Task => {
    const { first, end, part } = ranges.compiled[index];
    const { kernels } = options;
    const common = { kind: 'task', model, kernels, memory, index, first, inRanges, part, samples } as const;
    if (!inRanges) {
      const whole = arrays.map(({ buffer }) => ({ buffer, from: 0, length: buffer.byteLength / 8 }));
      return { ...common, scene, colliders: [], arrays: whole };
    }
    const ids = new Set(bundle.rods.slice(first, end).map(({ id }) => id));
    const own = arrays.map(({ buffer, starts }) => ({
      buffer,
      from: starts[first],
      length: starts[end] - starts[first],
    }));
    return { ...common, scene: pickRods(scene, ids), colliders: pickColliders(scene), arrays: own };
  };
  // even workers first, then odd ones: neighbours write the state of rods that either may move. Nothing may move before all have compiled
  for (const odd of [0, 1]) {
    ports.forEach((port, k) => {
      if (k % 2 === odd) port.postMessage(describe(k + 1));
    });
    waitForReady(pool, odd === 0 ? (ports.length + 1) >> 1 : ports.length);
  }
  const [q, v] = [state.q.length, 2 * state.q.length];
  const isSame = (list: Float64Array, at: number): boolean =>
    list.every((value, k) => Object.is(value, pool.stepStart[at + k]));
  if (isSame(state.q, 0) && isSame(state.v, q) && isSame(state.memory, v)) return;
  // the world does not start at the scene's start time, but workers have only the scene
  restoreAll(pool.stepStart, state);
  if (isAlone(sharedBundle)) return;
  sharedBundle.isReleased = true;
  sendRequest(pool, { kind: 'leave' });
}

/** Refreshes what the caller derives from rods that workers have moved, at the time to which they moved: the world's clock may differ in its last bit. */
function refreshStale(sharedBundle: SharedBundle): void {
  if (!sharedBundle.hasCallerStale) return;
  sharedBundle.bundle.refresh(sharedBundle.time);
  sharedBundle.callerStale.fill(0);
  sharedBundle.hasCallerStale = false;
}

/** Records that the caller has written the state for time t: workers must refresh before the next request. */
function markUnsynced(sharedBundle: SharedBundle, t: number): void {
  sharedBundle.time = t;
  if (!isAlone(sharedBundle)) sharedBundle.unsyncedTime = t;
}

function refresh(sharedBundle: SharedBundle, t: number): void {
  sharedBundle.bundle.refresh(t);
  sharedBundle.callerStale.fill(0);
  sharedBundle.hasCallerStale = false;
  markUnsynced(sharedBundle, t);
}

/** As `refresh`, in all threads at once, for all rods but those that were left out of the step: they may wait at its end. */
function refreshMoved(sharedBundle: SharedBundle, t: number, leftOut: Uint8Array): void {
  const { pool, bundle, callerStale } = sharedBundle;
  pool.skipped.set(leftOut);
  sharedBundle.time = t;
  runRequest(pool, { kind: 'refresh', t, skips: true }, () => {
    bundle.refresh(t, leftOut);
  });
  const { systemOfRod } = bundle.contact ?? {};
  callerStale.forEach((_, rod) => {
    if (!leftOut[systemOfRod?.[rod] ?? rod]) callerStale[rod] = 0;
  });
}

/** Starts a step of the world. Rods whose loads or pins were changed since the scene was compiled are overridden: the caller moves them. */
function beginStep(sharedBundle: SharedBundle): void {
  sharedBundle.isAtStepStart = true;
  const { drives, parts, overridden } = sharedBundle;
  if (isAlone(sharedBundle)) return;
  let any = false;
  for (let k = 0; k < drives.length && !any; k++) any = (drives[k].overrides ?? 0) > 0;
  if (!any && !sharedBundle.hasOverridden) return;
  if (!sharedBundle.inRanges || !parts.refreshRod) {
    // workers only know the loads of the scene, and the caller cannot take over single rods
    refreshStale(sharedBundle);
    sharedBundle.isReleased = true;
    sendRequest(sharedBundle.pool, { kind: 'leave' });
    return;
  }
  overridden.fill(0);
  for (let u = 0; u < parts.count && any; u++) {
    const rods = parts.rods(u);
    if (rods.some((rod) => (drives[rod].overrides ?? 0) > 0)) for (const rod of rods) overridden[rod] = 1;
  }
  sharedBundle.hasOverridden = any;
}

/** After a step that threw: restores the state of its start. */
function undoStep(sharedBundle: SharedBundle, t: number): void {
  if (sharedBundle.isAtStepStart) return;
  restoreStepStart(sharedBundle.pool, sharedBundle.bundle.state, sharedBundle.inRanges);
  refresh(sharedBundle, t);
}

/** Refreshes rods in the caller's range that workers have moved, except skipped ones. */
function refreshOwnRods(
  { callerStale, pool, parts, inRanges }: SharedBundle,
  t: number,
  skipped: Uint8Array | undefined,
): void {
  const end = inRanges ? pool.firstRods[1] : 0;
  for (let rod = callerStale.indexOf(1); rod >= 0 && rod < end; rod = callerStale.indexOf(1, rod + 1)) {
    if (skipped?.[rod]) continue;
    parts.refreshRod?.(rod, t, 0);
    callerStale[rod] = 0;
  }
}

/** Steps the overridden rods, except those that contact moves, with the caller's loads and pins. */
function advanceOverridden(sharedBundle: SharedBundle, step: BundleStep): StepOutcome {
  const { t, without: leftOut } = step;
  const { overridden, callerStale, pool, parts } = sharedBundle;
  const others = overridden.map((one, rod) => (one && !leftOut?.[rod] ? 0 : 1));
  for (let rod = others.indexOf(0); rod >= 0; rod = others.indexOf(0, rod + 1)) {
    if (callerStale[rod]) parts.refreshRod?.(rod, t, 0);
    callerStale[rod] = 0;
    pool.workerStale[rod] = 1;
  }
  return parts.advance(0, parts.count, { ...step, without: others });
}

/** State at the start of this substep, to which rods return if it fails. */
function findSubstepStart(sharedBundle: SharedBundle): Float64Array {
  if (sharedBundle.isAtStepStart || !sharedBundle.hasMoved) return sharedBundle.pool.stepStart;
  sharedBundle.substepStart ??= new Float64Array(sharedBundle.pool.stepStart.length);
  copyAll(sharedBundle.substepStart, sharedBundle.bundle.state);
  return sharedBundle.substepStart;
}

function advance(sharedBundle: SharedBundle, step: BundleStep): StepOutcome {
  const { t, dt, robust, without: leftOut } = step;
  const { bundle, pool, parts, inRanges, hasOverridden } = sharedBundle;
  if (isAlone(sharedBundle)) {
    refreshStale(sharedBundle);
    sharedBundle.time = t + dt;
    return bundle.advance(step);
  }
  if (sharedBundle.isWrittenByStatics) markUnsynced(sharedBundle, t);
  syncWorkers(sharedBundle);
  if (!bundle.contact || !leftOut) rebalance(sharedBundle);
  sharedBundle.time = t + dt;
  const skipped = hasOverridden ? sharedBundle.overridden.map((one, rod) => one | (leftOut?.[rod] ?? 0)) : leftOut;
  if (skipped) pool.skipped.set(skipped);
  refreshOwnRods(sharedBundle, t, skipped);
  const substepStart = findSubstepStart(sharedBundle);
  const savesStart = beginSaving(sharedBundle);
  sharedBundle.hasMoved = true;
  const own = runRequest(pool, { kind: 'advance', t, dt, robust, savesStart, skips: skipped !== undefined }, () => {
    if (savesStart && inRanges) saveRange(pool, bundle.state, 0);
    else if (savesStart) saveShare(pool, bundle.state, 0);
    return parts.advance(0, pool.firstParts[1], { t, dt, robust, without: skipped });
  });
  markStale(sharedBundle, skipped);
  let out: StepOutcome = combineAnswers(pool, own);
  if (out.ok && hasOverridden) out = combineOutcomes(out, advanceOverridden(sharedBundle, step));
  const { ok, iterations, iterationsMax, shifts, substeps, rejected, failure } = out;
  if (ok) return { ok, iterations, iterationsMax, shifts, substeps, rejected };
  restoreAll(substepStart, bundle.state);
  if (leftOut) refreshMoved(sharedBundle, t, leftOut);
  else refresh(sharedBundle, t);
  return { ok, iterations, iterationsMax, shifts, ...(failure && { failure }) };
}

/** Marks the rods that workers have just moved as stale in the caller's thread. */
function markStale(sharedBundle: SharedBundle, skipped: Uint8Array | undefined): void {
  const { callerStale, pool, parts, inRanges, bundle } = sharedBundle;
  const { systemOfRod } = bundle.contact ?? {};
  const isMoved = (rod: number): boolean => !skipped?.[systemOfRod?.[rod] ?? rod];
  if (inRanges) {
    for (let rod = pool.firstRods[1]; rod < callerStale.length; rod++) if (isMoved(rod)) callerStale[rod] = 1;
  } else {
    for (let u = pool.firstParts[1]; u < parts.count; u++)
      for (const rod of parts.rods(u)) if (isMoved(rod)) callerStale[rod] = 1;
  }
  sharedBundle.hasCallerStale = true;
}

function combineOutcomes(a: StepOutcome, b: StepOutcome): StepOutcome {
  return {
    ...b,
    iterations: a.iterations + b.iterations,
    iterationsMax: Math.max(a.iterationsMax, b.iterationsMax),
    shifts: a.shifts + b.shifts,
    substeps: Math.max(a.substeps ?? 1, b.substeps ?? 1),
    rejected: (a.rejected ?? 0) + (b.rejected ?? 0),
  };
}

/** The bundle that the world sees: refreshes stale rods before they are read, and notifies workers of writes. */
function wrapBundle(sharedBundle: SharedBundle): Bundle {
  const { bundle } = sharedBundle;
  const { placeBodies, atRest } = bundle;
  const contact = bundle.contact && shareContact(sharedBundle, bundle.contact);
  const reading =
    <A extends unknown[], R>(read: (...given: A) => R): ((...given: A) => R) =>
    (...given) => {
      refreshStale(sharedBundle);
      return read(...given);
    };
  return {
    ...bundle,
    parts: undefined,
    beginStep: () => {
      beginStep(sharedBundle);
    },
    undoStep: (t) => {
      undoStep(sharedBundle, t);
    },
    refresh: (t) => refresh(sharedBundle, t),
    advance: (step) => advance(sharedBundle, step),
    ...(contact && {
      contact: { ...contact, ...(contact.applyForces && { applyForces: reading(contact.applyForces) }) },
    }),
    restart(t) {
      refreshStale(sharedBundle);
      bundle.restart(t);
      markUnsynced(sharedBundle, t);
    },
    ...(placeBodies && {
      placeBodies(motions, t) {
        refreshStale(sharedBundle);
        placeBodies(motions, t);
        markUnsynced(sharedBundle, t);
      },
    }),
    equilibrate(rod, t, wanted) {
      refreshStale(sharedBundle);
      const report = bundle.equilibrate(rod, t, wanted);
      markUnsynced(sharedBundle, t);
      return report;
    },
    ...(atRest && {
      atRest(rod) {
        refreshStale(sharedBundle);
        sharedBundle.isWrittenByStatics = true;
        return atRest(rod);
      },
    }),
    ...(bundle.animate && { animate: reading(bundle.animate) }),
    addEnergies: reading(bundle.addEnergies),
    addMomentum: reading(bundle.addMomentum),
    ...(bundle.addRodMomentum && { addRodMomentum: reading(bundle.addRodMomentum) }),
    ...(bundle.addLoadCouple && { addLoadCouple: reading(bundle.addLoadCouple) }),
    readChannel: reading(bundle.readChannel),
    reactions: reading(bundle.reactions),
    modes: reading(bundle.modes),
    matrices: reading(bundle.matrices),
  };
}
