/** The worker's side of contact: serves the requests that callerContact.ts and callerLoops.ts send. */
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
import { applyLawAndWriteRightSide } from '../contact/solve/admm.ts';
import { runLoop } from '../contact/solve/anderson.ts';
import { addDisplacementCorrection } from '../contact/solve/displacements.ts';
import { cutLawRows, type LawRows } from '../contact/solve/lawArrays.ts';
import { countBlocks, cutMixRows, type MixRows } from '../contact/solve/vectorLoops.ts';
import type { ContactPort } from '../model.ts';
import { writeAnswer, writeSuccess } from './answers.ts';
import type { Request, SidesReference } from './requests.ts';
import { findSearcher } from './sharedSearch.ts';
import {
  boundSides,
  clearShare,
  createSingleRodSum,
  cutSides,
  cutSingleRods,
  responseOf,
  type SidePart,
  stepRange,
} from './sideSlices.ts';
import { slots } from './slots.ts';
import { ownRods, refreshOwnRods, type Service } from './worker.ts';
import { shareOf } from './workerPool.ts';
import { takeChunks } from './workStealing.ts';

/** Views of shared buffers in the layout of the last request that used them. */
export interface ContactViews {
  /** By slot. */
  readonly sides: { layout: number; part: SidePart }[];
  law: { readonly buffer: SharedArrayBuffer; readonly count: number; readonly rows: LawRows } | undefined;
  links: { readonly buffer: SharedArrayBuffer; readonly rows: LinkRows } | undefined;
  mixing: { readonly buffer: SharedArrayBuffer; readonly rows: MixRows } | undefined;
}

type ContactRequest = Exclude<
  Request,
  Request<'advance' | 'refresh' | 'search' | 'deliver' | 'hold' | 'receive' | 'leave'>
>;

export function serveContact(service: Service, port: ContactPort, request: ContactRequest): void {
  const { task, pool, marks } = service;
  switch (request.kind) {
    case 'revert':
      port.revert(marks, request.t);
      for (let rod = marks.indexOf(1); rod >= 0; rod = marks.indexOf(1, rod + 1))
        pool.workerStale[task.first + rod] = 0;
      break;
    case 'stepSingleRods':
      stepSingleRods(service, port, request);
      break;
    case 'clear':
      clearShare(service.buffers[request.slot] as SharedArrayBuffer, request.bytes, task.index, pool.count);
      break;
    case 'linkLoopWithoutSides':
      runLinkShare(service, request, UNPLACED, UNMIXED);
      break;
    default:
      serveSides(service, port, request, findPart(service, request));
  }
}

/** Requests about contact sides. */
function serveSides(
  service: Service,
  port: ContactPort,
  request: Exclude<ContactRequest, Request<'revert' | 'stepSingleRods' | 'clear' | 'linkLoopWithoutSides'>>,
  part: SidePart,
): void {
  const { pool, marks, task } = service;
  const { sides, reached, velocityChange, right, all } = part;
  switch (request.kind) {
    case 'guess': {
      const { t, dt } = request;
      refreshMarkedRods(service, t, dt);
      writeSuccess(pool, task.index, port.guess?.(reached, marks, sides, { t, dt }) ?? false);
      break;
    }
    case 'linearize': {
      const { t, dt, fresh } = request;
      refreshMarkedRods(service, t, dt);
      writeSuccess(pool, task.index, port.linearize(responseOf(part), marks, sides, { t, dt, fresh }));
      break;
    }
    case 'step': {
      const { t, dt, robust, rough } = request;
      refreshMarkedRods(service, t, dt);
      writeAnswer(pool, task.index, port.step(marks, sides, { t, dt, robust, rough }));
      break;
    }
    case 'factor':
      writeSuccess(pool, task.index, port.factor(marks, sides));
      break;
    case 'solve':
      port.solve(velocityChange, right, sides, request.selected ? marks : undefined);
      break;
    case 'readVelocity':
      port.readVelocity(reached, sides);
      break;
    case 'addDisplacements':
      addDisplacements(service, part, request.dt);
      break;
    case 'solverLoop':
      runLoopShare(service, request, part);
      break;
    case 'contactLaw':
      applyLawShare(service, request, part);
      break;
    case 'linkLoop':
      runLinkShare(service, request, all, request.capacity > 0 ? findMixing(service, request) : UNMIXED);
      break;
  }
}

function refreshMarkedRods(service: Service, t: number, dt: number): void {
  refreshOwnRods(service, t, dt, (rod) => service.marks[rod] === 1);
}

/** The worker's part of the sides of the request. */
function findPart({ task, pool, buffers, views }: Service, request: SidesReference): SidePart {
  const { layout, slot, total, first, axes, hasGoals, isReleased } = request;
  if (views.sides[slot]?.layout !== layout) {
    const from = first + pool.sideBounds[task.index];
    const to = first + pool.sideBounds[task.index + 1];
    const buffer = buffers[slot] as SharedArrayBuffer;
    const range = { total, from, to, firstRod: task.first, axes: axes === 1 ? 1 : 3, hasGoals } as const;
    const part = cutSides(buffer, range);
    views.sides[slot] = { layout, part };
  }
  const { part } = views.sides[slot];
  part.sides.released = isReleased;
  return part;
}

function addDisplacements(service: Service, { reached, sides }: SidePart, dt: number): void {
  const { task, buffers, bundle } = service;
  service.searcher = findSearcher(task, buffers, service.searcher);
  const { position, nodeOffset } = service.searcher.rows;
  const nodes = { position, nodeOffset: nodeOffset.subarray(task.first), samples: bundle.samples };
  addDisplacementCorrection(reached, sides, sides.rod, nodes, dt, sides.count);
}

/** The rows of Anderson acceleration for the request. */
function findMixing({ buffers, views }: Service, request: Request<'solverLoop' | 'linkLoop'>): MixRows {
  const { capacity, window } = request;
  const buffer = buffers[slots.mixing] as SharedArrayBuffer;
  let { mixing } = views;
  if (mixing?.buffer !== buffer || mixing.rows.capacity !== capacity || mixing.rows.window !== window) {
    mixing = { buffer, rows: cutMixRows(buffer, capacity, window) };
    views.mixing = mixing;
  }
  return mixing.rows;
}

/** The worker's share of `all` items: the first, and the one after the last. */
function ownShare({ task, pool }: Service, all: number): readonly [number, number] {
  return [shareOf(all, task.index, pool.count), shareOf(all, task.index + 1, pool.count)];
}

function runLoopShare(service: Service, request: Request<'solverLoop'>, { all }: SidePart): void {
  const { loop, size, changes, last, values } = request;
  const rows = findMixing(service, request);
  const [from, to] = ownShare(service, countBlocks(size));
  runLoop(rows, all, { kind: loop, size, from, to, count: changes, slot: last, gamma: values });
}

function runLinkShare(
  service: Service,
  { loop, values }: Request<'linkLoop' | 'linkLoopWithoutSides'>,
  arrays: LinkLoopArrays,
  mix: LinkMixRows,
): void {
  const { task, buffers, views } = service;
  const buffer = buffers[slots.links] as SharedArrayBuffer;
  if (views.links?.buffer !== buffer) views.links = { buffer, rows: cutLinkRows(buffer) };
  const { rows } = views.links;
  const [from, to] = ownShare(service, lengthOf(loop, rows, arrays));
  const cells = loop >= RESTRICT ? openCoarse(buffers[slots.coarse] as SharedArrayBuffer) : undefined;
  const input = { rows, arrays, mix, position: service.positions, numbers: values, cells };
  rows.answer[task.index] = runLinkLoop(loop, input, from, to);
}

function applyLawShare(service: Service, { contacts, axes }: Request<'contactLaw'>, { all }: SidePart): void {
  const { task, buffers, views } = service;
  const buffer = buffers[slots.law] as SharedArrayBuffer;
  let { law } = views;
  if (law?.buffer !== buffer || law.count !== contacts) {
    law = { buffer, count: contacts, rows: cutLawRows(buffer, contacts) };
    views.law = law;
  }
  const { rows } = law;
  const [from, to] = ownShare(service, contacts);
  rows.impulseSpeed[task.index] = applyLawAndWriteRightSide(
    rows,
    { ...rows, ...all, axes: axes === 1 ? 1 : 3 },
    from,
    to,
  );
}

function stepSingleRods(service: Service, port: ContactPort, request: Request<'stepSingleRods'>): void {
  const { task, pool, buffers, parts } = service;
  const { workerStale, workStealing } = pool;
  const { t, dt, fresh, rods, contacts, speed, tolerance, iterations } = request;
  const wanted = { t, dt, fresh, speed, tolerance, iterations };
  const rows = cutSingleRods(buffers[slots.singleRods] as SharedArrayBuffer, rods, contacts);
  const [own, end] = ownRods(service);
  const sum = createSingleRodSum();
  const share = { port, rows, count: rods, first: task.first, wanted };
  const stepOwn = (from: number, to: number): void => {
    const [first, last] = boundSides({ rod: rows.system, count: rods }, [from, to]);
    for (let i = first; i < last; i++) {
      const rod = rows.system[i] - task.first;
      // a worker does not know which thread last moved a rod outside its range
      if (workerStale[rows.system[i]] || rod < own || rod >= end) parts.refreshRod?.(rod, t, dt);
      workerStale[rows.system[i]] = 0;
    }
    stepRange(sum, share, from, to);
  };
  if (request.stealing) takeChunks(workStealing, task.index, workerStale.length, stepOwn);
  else stepOwn(own + task.first, end + task.first);
  writeAnswer(pool, task.index, sum);
}
