/**
 * Threads over ranges of rods.
 *
 * State, samples and the start of a step are in shared memory. Each thread compiles the part of the scene that its rods need (ranges.ts), and so
 * has models, pins and loads of its own; the caller has all of them, finds contacts of rods with rods and answers questions. A request is a word
 * written to all threads (crew.ts): each does it for its range, the caller among them, and the caller waits for the rest. Which rods are
 * solved together does not depend on the number of threads, and no part reads another: so the result is the same, bit for bit.
 * Contact goes the same way (threadContact.ts), and so does finding what touches obstacles (threadSearch.ts). Rods that touch nothing but obstacles,
 * and what is looked for, are claimed piece by piece (claims.ts).
 *
 * Systems with bodies join rods from anywhere: every thread then compiles all of the scene, as it has to for rods that grow from others, and
 * contact is the caller's.
 *
 * The caller blocks while it waits, which browsers allow in workers only.
 *
 * Below `leastParts` threads cost more than they save: a step's hand-over takes some 20 µs. A pair of fibers takes ten times as
 * long as a pair of rods: two threads take 0.63 of the time for two pairs of 10 edges, 0.58 for four, 0.52 for sixteen of 31, and 1.06
 * for two pairs of 6 edges (shortest of many steps, on a machine with other work).
 *
 * In contact a hand-over takes 5 µs while threads look, and some 50 µs where they sleep. A solve for rods of 31 edges with 20 sides each, shortest of
 * 3,000 on a machine with other work: 16 rods 23 µs by two threads and 39 by one, 32 rods 53 and 80, 64 rods 83 and 163; 8 rods 66 and 20. Hence
 * `leastTouching`. The solver's own loops go through some ten arrays a turn, 5 ns a number each: `leastNumbers` is where half of that is what
 * their three hand-overs cost at worst. Finding contacts with a ball takes some 0.15 µs a node: `leastNodes` is where half of that is ten hand-overs.
 */
import type { Bundle, Model, StepOutcome } from '../model.ts';
import type { Allocate } from '../port.ts';
import type { Scene } from '../scene/types.ts';
import { listMeetings, listPieces } from './claims.ts';
import {
  ADVANCE,
  ask,
  createCrewMemory,
  DT,
  FETCH,
  FIRM,
  finish,
  gatherOutcomes,
  LEAVE,
  openCrew,
  REFRESH,
  TIME,
  waitReady,
} from './crew.ts';
import { type Balance, balanceByTime, divide, moveRanges, type Ranges } from './ranges.ts';
import { shareContact, type Watch } from './threadContact.ts';
import { pickColliders, pickRods } from './threadScene.ts';
import { loadMaker, type RoomMessage, saveOwn, saveShare, type Task, type Threadable } from './threadServe.ts';

export { serveThread } from './threadServe.ts';

/** A worker of Node or of a browser, as far as it is needed. */
export interface ThreadPort {
  postMessage(message: unknown): void;
}

export interface ThreadOptions {
  /** Parts of a bundle below which the caller works alone. Default 32, for fibers 4. */
  readonly leastParts?: number;
  /** Rods that contact joins, or that touch obstacles, below which it does so. Default 32, for fibers 4. */
  readonly leastTouching?: number;
  /** Numbers that the contact solver iterates on below which its own loops are the caller's: default 32768. */
  readonly leastNumbers?: number;
  /** Nodes that are looked at below which the caller finds contacts with obstacles itself: default 4096. */
  readonly leastNodes?: number;
  /** Whether rods are solved by kernels, two at a time; default true. Rods of cloth, which links join, have little use for them. */
  readonly kernels?: boolean;
  /** Where ranges of rods should end, asked for in every step: by default to where threads take as long as each other. */
  readonly balance?: Balance;
}

const defaults = { leastNumbers: 32768, leastNodes: 4096, kernels: true, balance: balanceByTime };

/** Discrete elastic rods with kernels and with the given threads beside the caller's own. */
export function loadThreadedDer(ports: readonly ThreadPort[], options: ThreadOptions = {}): Promise<Model> {
  return loadThreaded('der', ports, { ...defaults, leastParts: 32, leastTouching: 32, ...options });
}

/** Stiff fibers in the same way. Threads serve one bundle at a time: a scene with both models needs some for each. */
export function loadThreadedFiber(ports: readonly ThreadPort[], options: ThreadOptions = {}): Promise<Model> {
  return loadThreaded('fiber', ports, { ...defaults, leastParts: 4, leastTouching: 4, ...options });
}

/** Lets a thread, and those with it, go from the bundle they serve now, which then goes on alone. */
const dismissals = new WeakMap<ThreadPort, () => void>();

/** Memory that all threads see, and where in it each rod's numbers begin. */
interface SharedArray {
  readonly buffer: SharedArrayBuffer;
  readonly starts: Float64Array;
}

async function loadThreaded(
  model: Threadable,
  ports: readonly ThreadPort[],
  options: Required<ThreadOptions>,
): Promise<Model> {
  const make = await loadMaker(model, options.kernels);
  return {
    ...make(),
    compile(rods, drives, scene, coupling) {
      const arrays: SharedArray[] = [];
      const allocate: Allocate = (length, sizes = []) => {
        const buffer = new SharedArrayBuffer(8 * length);
        const starts = new Float64Array(rods.length + 1);
        for (let k = 0; k < rods.length; k++) starts[k + 1] = starts[k] + (sizes[k] ?? 0);
        arrays.push({ buffer, starts });
        return new Float64Array(buffer);
      };
      const bundle = make(allocate).compile(rods, drives, scene, coupling);
      const { parts } = bundle;
      if (!parts || ports.length === 0 || parts.count < options.leastParts) return bundle;
      // a continuum of hair is the caller's, and every rod feels it
      if (scene.contact?.between === 'continuum') return bundle;
      for (const port of ports) dismissals.get(port)?.();
      const team = shareWork(model, bundle, parts, ports, scene, arrays, options);
      for (const port of ports) dismissals.set(port, team.dismiss);
      return team.bundle;
    },
  };
}

function shareWork(
  model: Threadable,
  bundle: Bundle,
  parts: NonNullable<Bundle['parts']>,
  workers: readonly ThreadPort[],
  scene: Scene,
  arrays: readonly SharedArray[],
  options: Required<ThreadOptions>,
): { readonly bundle: Bundle; readonly dismiss: () => void } {
  const { state } = bundle;
  const apart = bundle.bodies.length === 0 && scene.rods.every(({ parent }) => !parent);
  const plan = divide(parts, bundle.rods.length, workers.length + 1, apart);
  const count = plan.compiled.length;
  const ports = workers.slice(0, count - 1);
  const touching = scene.contact !== undefined || (scene.colliders?.length ?? 0) > 0 || (scene.links?.length ?? 0) > 0;
  const memory = createCrewMemory(
    count,
    bundle.rods.length,
    bundle.contact?.systemCount ?? 0,
    touching,
    2 * state.q.length + state.memory.length,
    listPieces(plan),
  );
  const crew = openCrew(memory);
  const { numbers, before, firstRods, firstParts, busy, behind } = crew;
  const samples = arrays.findIndex(({ buffer }) =>
    bundle.samples.every(({ nodePosition }) => nodePosition.buffer === buffer),
  );
  firstRods.set(plan.rods);
  firstParts.set(plan.parts);
  const ranges: Ranges = { ...plan, rods: firstRods, parts: firstParts };
  crew.starts.forEach((starts, k) => {
    const list = [state.q, state.v, state.memory][k];
    const known = arrays.find(({ buffer }) => buffer === list.buffer);
    if (apart && known) starts.set(known.starts);
  });
  [state.q, state.v, state.memory].reduce((at, list) => {
    before.set(list, at);
    return at + list.length;
  }, 0);
  // every other, then those between: neighbours write the state of the rods that either may move. Nothing may move before all have compiled
  for (const odd of [0, 1]) {
    ports.forEach((port, k) => {
      if (k % 2 === odd) port.postMessage(describeTask(k + 1));
    });
    waitReady(crew, odd === 0 ? (ports.length + 1) >> 1 : ports.length);
  }
  const watch: Watch = { stale: new Uint8Array(bundle.rods.length), any: false, now: 0, alone: count < 2, met: false };
  /** Threads have not seen the state that the caller wrote, for this time. */
  let unseen: number | undefined;
  /** Rods that the caller moves itself, where they are in no ranges. */
  const mine = new Uint8Array(bundle.rods.length);
  if (!apart) for (let u = 0; u < firstParts[1]; u++) for (const rod of parts.rods(u)) mine[rod] = 1;

  function describeTask(index: number): Task {
    const { first, end, part } = plan.compiled[index];
    const common = {
      kind: 'task',
      model,
      kernels: options.kernels,
      memory,
      index,
      first,
      own: apart,
      part,
      samples,
    } as const;
    if (!apart) {
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
  }

  /** Rods that come to a thread are known to it by their state alone; of its own, the caller knows which are (`watch.stale`). */
  const move = (wanted: ArrayLike<number>): void => {
    moveRanges(ranges, wanted, (k, from, to) => {
      if (k > 0) behind.fill(1, from, to);
    });
  };
  /** Between two steps. */
  const rebalance = (): void => {
    if (watch.alone || !apart || !parts.refreshRod) return;
    if (!watch.met) move(options.balance(firstRods, busy));
    watch.met = false;
    busy.fill(0);
  };
  /** Ranges end where threads have met. */
  const meet = (): void => {
    move(listMeetings(crew.claims, behind.length));
    watch.met = true;
  };

  const begin = (): void => {
    if (unseen === undefined) return;
    const kept = [numbers[TIME], numbers[DT]];
    numbers[TIME] = unseen;
    unseen = undefined;
    ask(crew, REFRESH);
    finish(crew);
    numbers.set(kept, TIME);
  };
  /** At the time that the rods were moved to, which may be another in its last bit than the world has counted. */
  const renew = (): void => {
    if (!watch.any) return;
    bundle.refresh(watch.now);
    watch.stale.fill(0);
    watch.any = false;
  };
  /** The caller has written the state, and follows it. */
  const tell = (t: number): void => {
    watch.now = t;
    if (!watch.alone) unseen = t;
  };
  const refresh = (t: number): void => {
    bundle.refresh(t);
    watch.stale.fill(0);
    watch.any = false;
    tell(t);
  };
  /** Equilibria with links write to rods that they were given once. */
  let written = false;
  const lend = (): void => {
    renew();
    written = true;
  };
  const enlarge = (slot: number, bytes: number): SharedArrayBuffer => {
    const buffer = new SharedArrayBuffer(bytes);
    const message: RoomMessage = { kind: 'room', slot, buffer };
    ask(crew, FETCH);
    for (const port of ports) port.postMessage(message);
    finish(crew);
    return buffer;
  };

  /** Rods that have come to the caller, as others left them, but for those that are left alone. */
  const adoptStale = (t: number, left: Uint8Array | undefined): void => {
    const { stale } = watch;
    for (let rod = stale.indexOf(1); apart && rod >= 0 && rod < firstRods[1]; rod = stale.indexOf(1, rod + 1)) {
      if (left?.[rod]) continue;
      parts.refreshRod?.(rod, t, 0);
      stale[rod] = 0;
    }
  };

  const advance = (t: number, dt: number, robust: boolean, left?: Uint8Array): StepOutcome => {
    if (watch.alone) {
      renew();
      watch.now = t + dt;
      return bundle.advance(t, dt, robust, left);
    }
    if (written) tell(t);
    begin();
    if (!touching) rebalance();
    watch.now = t + dt;
    if (left) crew.without.set(left);
    adoptStale(t, left);
    numbers[TIME] = t;
    numbers[DT] = dt;
    numbers[FIRM] = robust ? 1 : 0;
    ask(crew, ADVANCE);
    if (apart) saveOwn(crew, state, 0);
    else saveShare(crew, state, 0);
    const own = parts.advance(0, firstParts[1], t, dt, robust, left);
    finish(crew);
    const { systemOfRod } = bundle.contact ?? {};
    for (let rod = apart ? firstRods[1] : 0; rod < mine.length; rod++)
      if (!mine[rod] && !left?.[systemOfRod?.[rod] ?? rod]) watch.stale[rod] = 1;
    watch.any = true;
    const { ok, iterations, iterationsMax, shifts, substeps, rejected, failure } = gatherOutcomes(crew, own);
    if (ok) return { ok, iterations, iterationsMax, shifts, substeps, rejected };
    state.q.set(before.subarray(0, state.q.length));
    state.v.set(before.subarray(state.q.length, 2 * state.q.length));
    state.memory.set(before.subarray(2 * state.q.length));
    refresh(t);
    return { ok, iterations, iterationsMax, shifts, ...(failure && { failure }) };
  };

  const dismiss = (): void => {
    if (watch.alone) return;
    watch.alone = true;
    ask(crew, LEAVE);
  };
  const same = (list: Float64Array, at: number): boolean => list.every((value, k) => Object.is(value, before[at + k]));
  if (!same(state.q, 0) || !same(state.v, state.q.length) || !same(state.memory, 2 * state.q.length)) {
    // the world does not begin where its scene does, which is all that threads know
    state.q.set(before.subarray(0, state.q.length));
    state.v.set(before.subarray(state.q.length, 2 * state.q.length));
    state.memory.set(before.subarray(2 * state.q.length));
    dismiss();
  }
  return { bundle: wrap(bundle, { renew, refresh, tell, lend }, advance, shared()), dismiss };

  function shared(): Bundle['contact'] {
    const positions = samples < 0 ? new Float64Array(0) : new Float64Array(arrays[samples].buffer);
    return (
      bundle.contact &&
      shareContact(
        crew,
        { port: bundle.contact, parts },
        watch,
        apart,
        options,
        enlarge,
        { begin, rebalance, meet },
        positions,
      )
    );
  }
}

/** The caller's bundle: whoever asks what follows from the state finds it up to date, and what is written is told to the threads. */
function wrap(
  bundle: Bundle,
  {
    renew,
    refresh,
    tell,
    lend,
  }: Readonly<Record<'refresh' | 'tell', (t: number) => void> & Record<'renew' | 'lend', () => void>>,
  advance: Bundle['advance'],
  contact: Bundle['contact'],
): Bundle {
  const { placeBodies, atRest } = bundle;
  return {
    ...bundle,
    parts: undefined,
    refresh,
    advance,
    ...(contact && {
      contact: {
        ...contact,
        ...(contact.bear && {
          bear(sides) {
            renew();
            contact.bear?.(sides);
          },
        }),
      },
    }),
    restart(t) {
      renew();
      bundle.restart(t);
      tell(t);
    },
    ...(placeBodies && {
      placeBodies(motions, t) {
        renew();
        placeBodies(motions, t);
        tell(t);
      },
    }),
    addEnergies(out, t) {
      renew();
      bundle.addEnergies(out, t);
    },
    addMomentum(out) {
      renew();
      bundle.addMomentum(out);
    },
    readChannel(out, rod, channel) {
      renew();
      bundle.readChannel(out, rod, channel);
    },
    equilibrate(rod, t, wanted) {
      renew();
      const report = bundle.equilibrate(rod, t, wanted);
      tell(t);
      return report;
    },
    ...(atRest && {
      atRest(rod) {
        lend();
        return atRest(rod);
      },
    }),
    reactions(rod, t) {
      renew();
      return bundle.reactions(rod, t);
    },
    modes(rod, t, wanted) {
      renew();
      return bundle.modes(rod, t, wanted);
    },
    matrices(rod, t) {
      renew();
      return bundle.matrices(rod, t);
    },
  };
}
