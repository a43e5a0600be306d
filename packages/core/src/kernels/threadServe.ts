/** The other side of threads.ts: what runs in a thread. */

import { cutLinkRows, type LinkRows } from '../contact/links/arrays.ts';
import { openCoarse } from '../contact/links/coarseBasis.ts';
import {
  type LinkLoopArrays,
  type LinkMixRows,
  lengthOf,
  RESTRICT,
  runLinkLoop,
  UNMIXED,
  UNPLACED,
} from '../contact/links/loops.ts';
import { applyAndPull } from '../contact/solve/admm.ts';
import { runLoop } from '../contact/solve/anderson.ts';
import { addWays } from '../contact/solve/displacements.ts';
import { cutLawRows, type LawArrays, type LawRows } from '../contact/solve/lawArrays.ts';
import type { SideRows } from '../contact/solve/sideArrays.ts';
import { countBlocks, cutMixRows, type MixRows, type TurnRows } from '../contact/solve/vectorLoops.ts';
import type { Bundle, BundleState, ContactPort, Model } from '../model.ts';
import { createDerModel } from '../models/der/model.ts';
import { createFiberModel } from '../models/fiber/model.ts';
import type { Allocate } from '../port.ts';
import type { ColliderSpec, Scene } from '../scene/types.ts';
import { createWorld } from '../world/world.ts';
import { claimPieces } from './claims.ts';
import {
  ADVANCE,
  AXES,
  arrive,
  boundOf,
  CAPACITY,
  CHANGES,
  CLEAR,
  COARSE,
  COMMAND,
  type Crew,
  type CrewMemory,
  DELIVER,
  DONE,
  DT,
  FACTOR,
  FETCH,
  FIRM,
  FROM,
  GAMMA,
  GAUGE,
  GIVEN,
  GOALS,
  GUESS,
  HOLD,
  KIND,
  LAST,
  LAW,
  LAWS,
  LEAVE,
  LIMIT,
  LINEARIZE,
  LINK,
  LINKS,
  LONE,
  LOOP,
  MIXING,
  openCrew,
  READ,
  REFRESH,
  RELEASED,
  REVERT,
  ROUGH,
  reportReady,
  SAVED,
  SEARCH,
  SERIAL,
  SETTLE,
  SIZE,
  SLOT,
  SOLVE,
  SPEED,
  STEP,
  serveTurn,
  shareOf,
  TIME,
  TOLERANCE,
  TOTAL,
  WAYS,
  WINDOW,
  waitFor,
  waitTurn,
  writeAnswer,
  writeVerdict,
} from './crew.ts';
import { loadDerKernel } from './der.ts';
import { loadFiberKernel } from './fiber.ts';
import { findSearcher, type Searcher, serveSearch } from './threadSearch.ts';
import { boundSides, clearShare, createLoneSum, cutLone, cutSides, type SidePart, settleRange } from './threadSides.ts';

/** Models whose bundles have parts. */
export type Threadable = 'der' | 'fiber';

/** The model, its state in memory of whoever calls. */
export async function loadMaker(id: Threadable, kernels: boolean): Promise<(allocate?: Allocate) => Model> {
  if (id === 'fiber') {
    const kernel = kernels ? await loadFiberKernel() : undefined;
    return (allocate) => createFiberModel(kernel, allocate);
  }
  const kernel = kernels ? await loadDerKernel() : undefined;
  return (allocate) => createDerModel(kernel, allocate);
}

/** What a thread gets to begin with. */
export interface Task {
  readonly kind: 'task';
  readonly model: Threadable;
  readonly kernels: boolean;
  /** All of it, or what the thread's rods need. */
  readonly scene: Scene;
  /** Obstacles that its rods may meet. */
  readonly colliders: readonly ColliderSpec[];
  /** Arrays in the order in which compiling asks for them. */
  readonly arrays: readonly { readonly buffer: SharedArrayBuffer; readonly from: number; readonly length: number }[];
  /** Which of them has the samples of all rods, or −1. */
  readonly samples: number;
  readonly memory: CrewMemory;
  /** Which thread. */
  readonly index: number;
  /** The first rod and part of its scene; `own`: that has no others than it may have to move. */
  readonly first: number;
  readonly part: number;
  readonly own: boolean;
}

/** Memory for sides. */
export interface RoomMessage {
  readonly kind: 'room';
  readonly slot: number;
  readonly buffer: SharedArrayBuffer;
}

interface Service {
  readonly task: Task;
  readonly crew: Crew;
  readonly bundle: Bundle;
  /** Systems that a request is about, of the rods that are the thread's now. */
  readonly marks: Uint8Array;
  readonly without: Uint8Array | undefined;
  readonly rooms: (SharedArrayBuffer | undefined)[];
  /** Where all have the rods' nodes. */
  readonly positions: Float64Array;
  /** Arrays of the solver's loops, as last laid out. */
  laws: { readonly buffer: SharedArrayBuffer; readonly count: number; readonly rows: LawRows } | undefined;
  links: { readonly buffer: SharedArrayBuffer; readonly rows: LinkRows } | undefined;
  mixing: { readonly buffer: SharedArrayBuffer; readonly rows: MixRows } | undefined;
  /** Parts of the sides in each slot, as last laid out. */
  readonly views: { serial: number; part: SidePart }[];
  /** What it finds contacts with obstacles by. */
  searcher: Searcher | undefined;
  turn: number;
}

let service: Service | undefined;

/**
 * To be called in a worker with every message that it gets. It compiles the scene, then serves requests until it is told to leave, or
 * to fetch another message.
 */
export async function serveThread(message: unknown): Promise<void> {
  const given = message as Task | RoomMessage;
  if (given.kind === 'task') {
    try {
      service = await startService(given);
    } catch (error) {
      reportReady(openCrew(given.memory), given.index, error);
      throw error;
    }
    // some may be waited for before others begin
    reportReady(service.crew, given.index);
  } else if (service) {
    service.rooms[given.slot] = given.buffer;
    arrive(service.crew.control, DONE, service.crew.count - 1);
  }
  if (service && serve(service)) service = undefined;
}

async function startService(task: Task): Promise<Service> {
  const make = await loadMaker(task.model, task.kernels);
  let given = 0;
  // the same order of allocation, the same memory; compiling writes what the caller wrote there
  const model = make((length) => {
    const { buffer, from, length: all } = task.arrays[given++];
    if (length !== all) throw new Error(`a thread compiles ${length} numbers where the caller has ${all}`);
    return new Float64Array(buffer, 8 * from, length);
  });
  let bundle: Bundle | undefined;
  const spy: Model = {
    ...model,
    compile(...parameters) {
      bundle = model.compile(...parameters);
      return bundle;
    },
  };
  createWorld(task.scene, { models: [spy] });
  if (!bundle?.parts) throw new Error('a thread has no rods to move');
  const crew = openCrew(task.memory);
  const { marks, without } = crew;
  const count = bundle.rods.length;
  return {
    task,
    crew,
    bundle,
    marks: task.own ? new Uint8Array(count) : marks,
    without: without.length === 0 ? undefined : task.own ? without.subarray(task.first, task.first + count) : without,
    rooms: [],
    positions: task.samples < 0 ? new Float64Array(0) : new Float64Array(task.arrays[task.samples].buffer),
    laws: undefined,
    links: undefined,
    mixing: undefined,
    views: [],
    searcher: undefined,
    turn: 0,
  };
}

/** Whether the thread was told to leave; else it has to fetch a message. */
function serve(of: Service): boolean {
  const { control } = of.crew;
  for (;;) {
    of.turn = waitTurn(control, of.turn);
    const command = control[COMMAND];
    if (command === LEAVE) return true;
    if (command === FETCH) return false;
    serveTurn(of.crew, of.task.index, () => {
      obey(of, command);
    });
  }
}

/** Rods that are the thread's now: first, and the one after the last, in its bundle's count. */
function ownRods({ task, crew }: Service): readonly [number, number] {
  return [crew.firstRods[task.index] - task.first, crew.firstRods[task.index + 1] - task.first];
}

/** Keeps the state of the rods that a thread, or the caller, moves now. */
export function saveOwn({ before, starts, firstRods }: Crew, { q, v, memory }: BundleState, index: number): void {
  let at = 0;
  [q, v, memory].forEach((list, k) => {
    const from = starts[k][firstRods[index]];
    const own = list.byteOffset / 8;
    before.set(list.subarray(from - own, starts[k][firstRods[index + 1]] - own), at + from);
    at += list.buffer.byteLength / 8;
  });
}

/** The same by shares that are not the rods'; waits until all is copied, because nothing may move before. */
export function saveShare({ before, control, count }: Crew, { q, v, memory }: BundleState, k: number): void {
  let at = 0;
  for (const list of [q, v, memory]) {
    const from = Math.floor((list.length * k) / count);
    before.set(list.subarray(from, Math.floor((list.length * (k + 1)) / count)), at + from);
    at += list.length;
  }
  arrive(control, SAVED, count);
  waitFor(control, SAVED, count);
}

/** Rods that others have moved meanwhile, of those that are marked or of all but those that are left alone. */
function adopt(of: Service, marked: Uint8Array | undefined, t: number, dt: number): void {
  const { task, crew, bundle } = of;
  const { behind, firstParts } = crew;
  const take = (rod: number): void => {
    if (!behind[task.first + rod] || (marked ? !marked[rod] : of.without?.[rod])) return;
    bundle.parts?.refreshRod?.(rod, t, dt);
    behind[task.first + rod] = 0;
  };
  if (task.own) {
    const [from, to] = ownRods(of);
    for (let rod = from; rod < to; rod++) take(rod);
  } else for (let u = firstParts[task.index]; u < firstParts[task.index + 1]; u++) bundle.parts?.rods(u).forEach(take);
}

/** The thread's part of the sides that the request is about. */
function findPart({ task, crew, rooms, views }: Service): SidePart {
  const { numbers } = crew;
  const slot = numbers[SLOT];
  if (views[slot]?.serial !== numbers[SERIAL]) {
    const from = numbers[FROM] + boundOf(crew, task.index);
    const to = numbers[FROM] + boundOf(crew, task.index + 1);
    const buffer = rooms[slot] as SharedArrayBuffer;
    const axes = numbers[AXES] === 1 ? 1 : 3;
    const part = cutSides(buffer, numbers[TOTAL], from, to, task.first, axes, numbers[GOALS] === 1);
    views[slot] = { serial: numbers[SERIAL], part };
  }
  const { part } = views[slot];
  part.sides.released = numbers[RELEASED] === 1;
  return part;
}

function obey(of: Service, command: number): void {
  const { task, crew, bundle, without } = of;
  const { numbers } = crew;
  const t = numbers[TIME];
  if (command === ADVANCE) {
    if (task.own) saveOwn(crew, bundle.state, task.index);
    else saveShare(crew, bundle.state, task.index);
    adopt(of, undefined, t, 0);
    const robust = numbers[FIRM] === 1;
    const [from, to] = [crew.firstParts[task.index] - task.part, crew.firstParts[task.index + 1] - task.part];
    const out = bundle.parts?.advance(from, to, t, numbers[DT], robust, without);
    if (out) writeAnswer(crew, task.index, out);
    return;
  }
  if (command === REFRESH) {
    bundle.refresh(t);
    // all threads do
    crew.behind.fill(0, task.first, task.first + bundle.rods.length);
    return;
  }
  if (command === SEARCH || command === DELIVER)
    of.searcher = serveSearch(crew, task, bundle.samples, of.rooms, command, of.searcher);
  else if (bundle.contact) {
    if (task.own) readMarks(of);
    touch(of, bundle.contact, command);
  }
}

/** Marks of the thread's own rods. */
function readMarks(of: Service): void {
  const { task, crew, marks } = of;
  const [from, to] = ownRods(of);
  marks.fill(0, 0, from).fill(0, to);
  marks.set(crew.marks.subarray(task.first + from, task.first + to), from);
}

/** Requests of contact. */
function touch(of: Service, port: ContactPort, command: number): void {
  const { task, crew, marks } = of;
  const { numbers } = crew;
  const { index } = task;
  const [t, dt, firm] = [numbers[TIME], numbers[DT], numbers[FIRM] === 1];
  if (command === HOLD) {
    const [from, to] = ownRods(of);
    port.hold(marks.fill(0).fill(1, from, to));
  } else if (command === REVERT) {
    port.revert(marks, t);
    for (let rod = marks.indexOf(1); rod >= 0; rod = marks.indexOf(1, rod + 1)) crew.behind[task.first + rod] = 0;
  } else if (command === SETTLE) settle(of, port);
  else if (command === CLEAR)
    clearShare(of.rooms[numbers[SLOT]] as SharedArrayBuffer, numbers[TOTAL], index, crew.count);
  else if (command === GAUGE) runLinkShare(of, UNPLACED, UNMIXED);
  else {
    const { sides, start, velocity, right, response, all } = findPart(of);
    if (command === SOLVE) port.solve(velocity, right, sides, numbers[FIRM] === 1 ? marks : undefined);
    else if (command === LOOP) runShare(of, all);
    else if (command === LAW) applyShare(of, all);
    else if (command === LINK) runLinkShare(of, all, numbers[CAPACITY] > 0 ? findMixing(of) : UNMIXED);
    else if (command === READ) port.readVelocity(start, sides);
    else if (command === WAYS) {
      of.searcher = findSearcher(task, of.rooms, of.searcher);
      const { position, nodeOffset } = of.searcher.rows;
      const nodes = { position, nodeOffset: nodeOffset.subarray(task.first), samples: of.bundle.samples };
      addWays(start, sides, sides.rod, nodes, dt, sides.count);
    } else if (command === FACTOR) writeVerdict(crew, index, port.factor(marks, sides));
    else {
      adopt(of, marks, t, dt);
      if (command === STEP) writeAnswer(crew, index, port.step(marks, sides, t, dt, firm, numbers[ROUGH] === 1));
      else if (command === GUESS) writeVerdict(crew, index, port.guess?.(start, marks, sides, t, dt) ?? false);
      else if (command === LINEARIZE)
        writeVerdict(crew, index, port.linearize(start, response, marks, sides, t, dt, firm));
    }
  }
}

/** The rows of the solver's loops, as the request has them. */
function findMixing(of: Service): MixRows {
  const { numbers } = of.crew;
  const buffer = of.rooms[MIXING] as SharedArrayBuffer;
  const [capacity, window] = [numbers[CAPACITY], numbers[WINDOW]];
  let { mixing } = of;
  if (mixing?.buffer !== buffer || mixing.rows.capacity !== capacity || mixing.rows.window !== window) {
    mixing = { buffer, rows: cutMixRows(buffer, capacity, window) };
    of.mixing = mixing;
  }
  return mixing.rows;
}

/** The thread's share of a loop of the solver. */
function runShare(of: Service, turn: TurnRows): void {
  const { task, crew } = of;
  const { numbers, count } = crew;
  const rows = findMixing(of);
  const size = numbers[SIZE];
  const blocks = countBlocks(size);
  const [from, to] = [shareOf(blocks, task.index, count), shareOf(blocks, task.index + 1, count)];
  const gamma = numbers.subarray(GAMMA, GAMMA + rows.window);
  runLoop(rows, turn, numbers[KIND], size, from, to, numbers[CHANGES], numbers[LAST], gamma);
}

/** The thread's share of a loop over links. */
function runLinkShare(of: Service, arrays: LinkLoopArrays, mix: LinkMixRows): void {
  const { task, crew, rooms } = of;
  const { numbers, count } = crew;
  const buffer = rooms[LINKS] as SharedArrayBuffer;
  if (of.links?.buffer !== buffer) of.links = { buffer, rows: cutLinkRows(buffer) };
  const { rows } = of.links;
  const kind = numbers[KIND];
  const length = lengthOf(kind, rows, arrays);
  const [from, to] = [shareOf(length, task.index, count), shareOf(length, task.index + 1, count)];
  const given = numbers.subarray(GAMMA, GAMMA + GIVEN);
  const cells = kind >= RESTRICT ? openCoarse(rooms[COARSE] as SharedArrayBuffer) : undefined;
  rows.answer[task.index] = runLinkLoop(kind, rows, arrays, mix, of.positions, given, from, to, cells);
}

/** The thread's share of the laws of contact. */
function applyShare(of: Service, all: SideRows): void {
  const { task, crew, rooms } = of;
  const { numbers, count } = crew;
  const buffer = rooms[LAWS] as SharedArrayBuffer;
  const contacts = numbers[SIZE];
  let { laws } = of;
  if (laws?.buffer !== buffer || laws.count !== contacts) {
    laws = { buffer, count: contacts, rows: cutLawRows(buffer, contacts) };
    of.laws = laws;
  }
  const { rows } = laws;
  const [from, to] = [shareOf(contacts, task.index, count), shareOf(contacts, task.index + 1, count)];
  const arrays: LawArrays = { ...rows, ...all, axes: numbers[AXES] === 1 ? 1 : 3 };
  rows.swing[task.index] = applyAndPull(rows, arrays, from, to);
}

function settle(of: Service, port: ContactPort): void {
  const { task, crew, rooms } = of;
  const { numbers, behind, claims, firstRods } = crew;
  const [t, dt] = [numbers[TIME], numbers[DT]];
  const rows = cutLone(rooms[LONE] as SharedArrayBuffer, numbers[TOTAL], numbers[FROM]);
  const wanted = {
    fresh: numbers[FIRM] === 1,
    t,
    dt,
    speed: numbers[SPEED],
    tolerance: numbers[TOLERANCE],
    iterations: numbers[LIMIT],
  };
  const [own, end] = [firstRods[task.index], firstRods[task.index + 1]];
  const sum = createLoneSum();
  const settleOwn = (from: number, to: number): void => {
    const [first, last] = boundSides({ rod: rows.system, count: numbers[TOTAL] }, [from, to]);
    for (let i = first; i < last; i++) {
      const rod = rows.system[i];
      // of the rods of others it does not know who has moved them
      if (behind[rod] || rod < own || rod >= end) of.bundle.parts?.refreshRod?.(rod - task.first, t, dt);
      behind[rod] = 0;
    }
    settleRange(sum, port, rows, numbers[TOTAL], from, to, task.first, wanted);
  };
  if (numbers[KIND] === 1) claimPieces(claims, task.index, behind.length, settleOwn);
  else settleOwn(own, end);
  writeAnswer(crew, task.index, sum);
}
