/**
 * Threads over ranges of rods.
 *
 * Every thread compiles the same scene for itself and so has models, pins and loads of its own; what is shared is the
 * state and the samples, in shared memory. A step is one word written to all threads: each advances its range of the
 * bundle's parts, the caller among them, and the caller waits for the rest. Which rods are solved together does not
 * depend on the number of threads, and no part reads another: so the result is the same, bit for bit.
 *
 * The caller blocks while it waits, which browsers allow in workers only.
 *
 * Below `leastParts` threads cost more than they save: a step's hand-over takes some 20 µs. A pair of fibers takes ten times as
 * long as a pair of rods: two threads take 0.63 of the time for two pairs of 10 edges, 0.58 for four, 0.52 for sixteen of 31, and 1.06
 * for two pairs of 6 edges (shortest of many steps, on a machine with other work).
 */
import type { Bundle, BundleState, Model, StepOutcome } from '../model.ts';
import { createDerModel } from '../models/der/model.ts';
import { createFiberModel } from '../models/fiber/model.ts';
import type { Allocate } from '../port.ts';
import type { Scene } from '../scene/types.ts';
import { createWorld } from '../world.ts';
import { loadDerKernel } from './der.ts';
import { loadFiberKernel } from './fiber.ts';

/** A worker of Node or of a browser, as far as it is needed. */
export interface ThreadPort {
  postMessage(message: unknown): void;
}

/** What a thread is asked to do, in `control[COMMAND]`; every request raises `control[TURN]`. */
const TURN = 0;
const COMMAND = 1;
const READY = 2;
const DONE = 3;
const SAVED = 4;
const CONTROL = 5;
const ADVANCE = 1;
const REFRESH = 2;
const LEAVE = 3;

/** `numbers`: t, dt, robust; then for each thread ok, iterations, iterationsMax, shifts, substeps, rejected. */
const ARGUMENTS = 3;
const ANSWER = 6;

/** Models whose bundles have parts. */
type Threadable = 'der' | 'fiber';

/** The model with kernels, its state in memory of whoever calls. */
async function loadMaker(id: Threadable): Promise<(allocate?: Allocate) => Model> {
  if (id === 'fiber') {
    const kernel = await loadFiberKernel();
    return (allocate) => createFiberModel(kernel, allocate);
  }
  const kernel = await loadDerKernel();
  return (allocate) => createDerModel(kernel, allocate);
}

interface Task {
  readonly model: Threadable;
  readonly scene: Scene;
  readonly buffers: readonly SharedArrayBuffer[];
  readonly control: SharedArrayBuffer;
  readonly numbers: SharedArrayBuffer;
  /** 1 for each system that contact moves and the threads leave alone; empty where a scene has no contact. */
  readonly without: SharedArrayBuffer;
  /** Where the state at the start of a step is kept, all of it in one; every thread copies a share. */
  readonly before: SharedArrayBuffer;
  /** Which thread, and of how many. */
  readonly index: number;
  readonly count: number;
}

export interface ThreadOptions {
  /** Parts of a bundle below which the caller works alone. Default 32, for fibers 4. */
  readonly leastParts?: number;
}

/** Discrete elastic rods with kernels and with the given threads beside the caller's own. */
export function loadThreadedDer(ports: readonly ThreadPort[], options: ThreadOptions = {}): Promise<Model> {
  return loadThreaded('der', ports, options.leastParts ?? 32);
}

/** Stiff fibers in the same way. Threads serve one bundle at a time: a scene with both models needs some for each. */
export function loadThreadedFiber(ports: readonly ThreadPort[], options: ThreadOptions = {}): Promise<Model> {
  return loadThreaded('fiber', ports, options.leastParts ?? 4);
}

/** Lets a thread, and those with it, go from the bundle they serve now, which then goes on alone. */
const dismissals = new WeakMap<ThreadPort, () => void>();

async function loadThreaded(model: Threadable, ports: readonly ThreadPort[], leastParts: number): Promise<Model> {
  const make = await loadMaker(model);
  return {
    ...make(),
    compile(rods, drives, scene, coupling) {
      const buffers: SharedArrayBuffer[] = [];
      const allocate: Allocate = (length) => {
        const buffer = new SharedArrayBuffer(8 * length);
        buffers.push(buffer);
        return new Float64Array(buffer);
      };
      const bundle = make(allocate).compile(rods, drives, scene, coupling);
      const { parts } = bundle;
      if (!parts || ports.length === 0 || parts.count < leastParts) return bundle;
      for (const port of ports) dismissals.get(port)?.();
      const team = shareWork(model, bundle, parts, ports, scene, buffers);
      for (const port of ports) dismissals.set(port, team.dismiss);
      return team.bundle;
    },
  };
}

function shareWork(
  model: Threadable,
  bundle: Bundle,
  parts: NonNullable<Bundle['parts']>,
  ports: readonly ThreadPort[],
  scene: Scene,
  buffers: readonly SharedArrayBuffer[],
): { readonly bundle: Bundle; readonly dismiss: () => void } {
  const count = ports.length + 1;
  const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL));
  const numbers = new Float64Array(new SharedArrayBuffer(8 * (ARGUMENTS + ANSWER * count)));
  const touching = scene.contact !== undefined || (scene.colliders?.length ?? 0) > 0;
  const without = new Uint8Array(new SharedArrayBuffer(touching ? (bundle.contact?.systemCount ?? 0) : 0));
  const { state } = bundle;
  const before = new Float64Array(new SharedArrayBuffer(8 * (2 * state.q.length + state.memory.length)));
  const shares = {
    model,
    scene,
    buffers,
    control: control.buffer,
    numbers: numbers.buffer,
    without: without.buffer,
    before: before.buffer,
    count,
  };
  ports.forEach((port, k) => {
    const task: Task = { ...shares, index: k + 1 };
    port.postMessage(task);
  });
  // compiling writes the initial state to where it is already: nothing may move before all have done so
  waitFor(control, READY, ports.length);
  /** What follows from the state is behind it: others moved it. */
  let stale = false;
  let alone = false;

  const ask = (command: number): void => {
    control[COMMAND] = command;
    Atomics.store(control, DONE, 0);
    Atomics.store(control, SAVED, 0);
    Atomics.add(control, TURN, 1);
    Atomics.notify(control, TURN);
  };
  const renew = (t: number): void => {
    if (!stale) return;
    bundle.refresh(t);
    stale = false;
  };
  const refresh = (t: number): void => {
    bundle.refresh(t);
    stale = false;
    if (alone) return;
    numbers[0] = t;
    ask(REFRESH);
    waitFor(control, DONE, ports.length);
  };

  const advance = (t: number, dt: number, robust: boolean, left?: Uint8Array): StepOutcome => {
    if (alone) {
      renew(t);
      return bundle.advance(t, dt, robust, left);
    }
    if (left) without.set(left);
    numbers.set([t, dt, robust ? 1 : 0]);
    ask(ADVANCE);
    saveShare(before, state, control, 0, count);
    const own = parts.advance(0, lastOf(parts.count, 0, count), t, dt, robust, left);
    waitFor(control, DONE, ports.length);
    let { ok, iterations, iterationsMax, shifts, substeps = 1, rejected = 0 } = own;
    for (let k = 1; k < count; k++) {
      const at = ARGUMENTS + ANSWER * k;
      ok &&= numbers[at] === 1;
      iterations += numbers[at + 1];
      iterationsMax = Math.max(iterationsMax, numbers[at + 2]);
      shifts += numbers[at + 3];
      substeps = Math.max(substeps, numbers[at + 4]);
      rejected += numbers[at + 5];
    }
    stale = true;
    if (ok) return { ok, iterations, iterationsMax, shifts, substeps, rejected };
    state.q.set(before.subarray(0, state.q.length));
    state.v.set(before.subarray(state.q.length, 2 * state.q.length));
    state.memory.set(before.subarray(2 * state.q.length));
    refresh(t);
    if (own.failure) return { ...own, iterations, iterationsMax, shifts };
    // another thread's rod failed: the caller fails with it once more, to say which and why
    const again = bundle.advance(t, dt, robust, left);
    refresh(t);
    return again;
  };

  const dismiss = (): void => {
    if (alone) return;
    alone = true;
    ask(LEAVE);
  };
  const { contact } = bundle;
  const shared: Bundle = {
    ...bundle,
    parts: undefined,
    refresh,
    advance,
    // contact works on the caller's rods; the threads find out about them from the state, before they go on
    ...(contact && {
      contact: {
        ...contact,
        linearize(...given) {
          renew(given[4]);
          return contact.linearize(...given);
        },
        step(...given) {
          renew(given[2]);
          return contact.step(...given);
        },
      },
    }),
    restart(t) {
      renew(t);
      bundle.restart(t);
      refresh(t);
    },
    addEnergies(out, t) {
      renew(t);
      bundle.addEnergies(out, t);
    },
    addMomentum(out) {
      renew(numbers[0] + numbers[1]);
      bundle.addMomentum(out);
    },
    readChannel(out, rod, channel) {
      renew(numbers[0] + numbers[1]);
      bundle.readChannel(out, rod, channel);
    },
    equilibrate(rod, t, wanted) {
      renew(t);
      const report = bundle.equilibrate(rod, t, wanted);
      refresh(t);
      return report;
    },
    reactions(rod, t) {
      renew(t);
      return bundle.reactions(rod, t);
    },
    modes(rod, t, wanted) {
      renew(t);
      return bundle.modes(rod, t, wanted);
    },
    matrices(rod, t) {
      renew(t);
      return bundle.matrices(rod, t);
    },
  };
  return { bundle: shared, dismiss };
}

/** Copies thread k's share of the state, and waits until all is copied: nothing may move before. */
function saveShare(
  before: Float64Array,
  { q, v, memory }: BundleState,
  control: Int32Array,
  k: number,
  count: number,
): void {
  let at = 0;
  for (const list of [q, v, memory]) {
    const from = k === 0 ? 0 : lastOf(list.length, k - 1, count);
    before.set(list.subarray(from, lastOf(list.length, k, count)), at + from);
    at += list.length;
  }
  Atomics.add(control, SAVED, 1);
  Atomics.notify(control, SAVED);
  waitFor(control, SAVED, count);
}

/** First part that is no longer thread k's. */
function lastOf(parts: number, k: number, count: number): number {
  return Math.floor((parts * (k + 1)) / count);
}

function waitFor(control: Int32Array, word: number, value: number): void {
  for (;;) {
    const seen = Atomics.load(control, word);
    if (seen === value) return;
    Atomics.wait(control, word, seen);
  }
}

/**
 * The other side: to be called in a worker with every message that it gets. It compiles the scene, then serves requests
 * until it is told to leave.
 */
export async function serveThread(message: unknown): Promise<void> {
  const {
    model: id,
    scene,
    buffers,
    control: words,
    numbers: shared,
    without: marks,
    before: kept,
    index,
    count,
  } = message as Task;
  const control = new Int32Array(words);
  const numbers = new Float64Array(shared);
  const before = new Float64Array(kept);
  const without = marks.byteLength > 0 ? new Uint8Array(marks) : undefined;
  let given = 0;
  // the same order of allocation, the same memory; compiling writes what the caller wrote there
  const make = await loadMaker(id);
  const model = make(() => new Float64Array(buffers[given++]));
  let bundle: Bundle | undefined;
  const spy: Model = {
    ...model,
    compile(...parameters) {
      bundle = model.compile(...parameters);
      return bundle;
    },
  };
  createWorld(scene, { models: [spy] });
  const parts = bundle?.parts;
  if (!bundle || !parts) return;
  const from = lastOf(parts.count, index - 1, count);
  const to = lastOf(parts.count, index, count);
  let turn = 0;
  Atomics.add(control, READY, 1);
  Atomics.notify(control, READY);
  for (;;) {
    Atomics.wait(control, TURN, turn);
    turn = Atomics.load(control, TURN);
    const [t, dt, robust] = numbers;
    if (control[COMMAND] === LEAVE) return;
    if (control[COMMAND] === REFRESH) bundle.refresh(t);
    else {
      saveShare(before, bundle.state, control, index, count);
      const outcome = parts.advance(from, to, t, dt, robust === 1, without);
      const { ok, iterations, iterationsMax, shifts, substeps = 1, rejected = 0 } = outcome;
      numbers.set([ok ? 1 : 0, iterations, iterationsMax, shifts, substeps, rejected], ARGUMENTS + ANSWER * index);
    }
    Atomics.add(control, DONE, 1);
    Atomics.notify(control, DONE);
  }
}
