/** Runs in a worker thread: compiles its part of the scene, then serves requests until it is asked to exit. */
import type { Bundle, ContactPort, Model } from '../model.ts';
import { createWorld } from '../world/world.ts';
import { writeAnswer } from './answers.ts';
import type { BufferMessage, HelloMessage, Task } from './messages.ts';
import { loadModelMaker } from './modelMaker.ts';
import type { Request } from './requests.ts';
import { type Searcher, serveSearch } from './sharedSearch.ts';
import { saveRange, saveShare } from './stateCopies.ts';
import { type ContactViews, serveContact } from './workerContact.ts';
import {
  acceptRequest,
  completeRequest,
  openPool,
  reportDone,
  reportReady,
  serveRequest,
  type WorkerPool,
  waitForRequest,
} from './workerPool.ts';

/** State of a serving worker. */
export interface Service {
  readonly task: Task;
  readonly pool: WorkerPool;
  readonly bundle: Bundle;
  readonly parts: NonNullable<Bundle['parts']>;
  /** 1 for each system that the request concerns and the worker owns. */
  readonly marks: Uint8Array;
  readonly skipped: Uint8Array;
  readonly buffers: (SharedArrayBuffer | undefined)[];
  /** Node positions of all rods in shared memory. */
  readonly positions: Float64Array;
  /** Views of shared buffers in the layout of the last request that used them. */
  readonly views: ContactViews;
  searcher: Searcher | undefined;
  requestNumber: number;
}

/** The world that the worker serves now. */
let current: Service | undefined;

/** Serves worlds of another thread: call it in a worker with the data of every message that the worker receives. */
export async function serveThread(message: unknown): Promise<void> {
  const given = message as HelloMessage | Task | BufferMessage;
  if (given.kind === 'hello') {
    Atomics.store(new Int32Array(given.memory), given.index, 1);
    return;
  }
  if (given.kind === 'task') {
    try {
      current = await startService(given);
    } catch (error) {
      current = undefined;
      // the caller rethrows the error
      reportReady(openPool(given.memory), given.index, error);
      return;
    }
    // workers start one after the other
    reportReady(current.pool, given.index);
  } else if (given.kind === 'buffer' && current) {
    current.buffers[given.slot] = given.buffer;
    reportDone(current.pool);
  }
  if (current && serveUntilReleased(current)) current = undefined;
}

async function startService(task: Task): Promise<Service> {
  const make = await loadModelMaker(task.model, task.kernels);
  let given = 0;
  // allocating in the caller's order gives the caller's memory; compiling writes the values that are already there
  const model = make((length) => {
    const { buffer, from, length: all } = task.arrays[given++];
    if (length !== all) throw new Error(`a thread compiles ${length} numbers where the caller has ${all}`);
    return new Float64Array(buffer, 8 * from, length);
  });
  let bundle: Bundle | undefined;
  const recordingModel: Model = {
    ...model,
    compile(...parameters) {
      bundle = model.compile(...parameters);
      return bundle;
    },
  };
  createWorld(task.scene, { models: [recordingModel] });
  if (!bundle?.parts) throw new Error('a thread has no rods to move');
  const pool = openPool(task.memory);
  const { marks, skipped } = pool;
  const count = bundle.rods.length;
  return {
    task,
    pool,
    bundle,
    parts: bundle.parts,
    marks: task.inRanges ? new Uint8Array(count) : marks,
    skipped: task.inRanges ? skipped.subarray(task.first, task.first + count) : skipped,
    buffers: [],
    positions: task.samples < 0 ? new Float64Array(0) : new Float64Array(task.arrays[task.samples].buffer),
    views: { sides: [], law: undefined, links: undefined, mixing: undefined },
    searcher: undefined,
    requestNumber: 0,
  };
}

/** Serves requests. Returns true if the worker was released, false if it must return to the event loop to receive a message. */
function serveUntilReleased(service: Service): boolean {
  for (;;) {
    const { requestNumber, request } = waitForRequest(service.pool, service.requestNumber);
    service.requestNumber = requestNumber;
    if (!acceptRequest(service.pool, service.task.index, requestNumber) || request.kind === 'leave') return true;
    if (request.kind === 'receive') {
      completeRequest(service.pool, service.task.index);
      return false;
    }
    serveRequest(service.pool, service.task.index, request, () => {
      handleRequest(service, request);
    });
  }
}

/** Range of the rods that the worker owns now, as indices in its bundle: the first, and the one after the last. */
export function ownRods({ task, pool }: Service): readonly [number, number] {
  return [pool.firstRods[task.index] - task.first, pool.firstRods[task.index + 1] - task.first];
}

/** Refreshes those of the worker's rods that other threads have moved and that are `chosen`. */
export function refreshOwnRods(service: Service, t: number, dt: number, chosen: (rod: number) => boolean): void {
  const { task, pool, parts } = service;
  const { workerStale, firstParts } = pool;
  const follow = (rod: number): void => {
    if (!workerStale[task.first + rod] || !chosen(rod)) return;
    parts.refreshRod?.(rod, t, dt);
    workerStale[task.first + rod] = 0;
  };
  if (task.inRanges) {
    const [from, to] = ownRods(service);
    for (let rod = from; rod < to; rod++) follow(rod);
  } else for (let u = firstParts[task.index]; u < firstParts[task.index + 1]; u++) parts.rods(u).forEach(follow);
}

function handleRequest(service: Service, request: Exclude<Request, Request<'receive' | 'leave'>>): void {
  const { task, pool, bundle } = service;
  switch (request.kind) {
    case 'advance':
      advance(service, request);
      break;
    case 'refresh':
      refresh(service, request);
      break;
    case 'search':
    case 'deliver':
      service.searcher = serveSearch(service, request);
      break;
    case 'hold':
      if (request.savesStart) saveRange(pool, bundle.state, task.index);
      hold(service, bundle.contact as ContactPort);
      break;
    default:
      if (!bundle.contact) throw new Error(`a thread without contact is asked for '${request.kind}'`);
      if (task.inRanges) readMarks(service);
      serveContact(service, bundle.contact, request);
  }
}

function advance(service: Service, { t, dt, robust, savesStart, skips }: Request<'advance'>): void {
  const { task, pool, bundle, parts } = service;
  if (savesStart && task.inRanges) saveRange(pool, bundle.state, task.index);
  else if (savesStart) saveShare(pool, bundle.state, task.index);
  const skipped = skips ? service.skipped : undefined;
  refreshOwnRods(service, t, 0, (rod) => !skipped?.[rod]);
  const [from, to] = [pool.firstParts[task.index] - task.part, pool.firstParts[task.index + 1] - task.part];
  writeAnswer(pool, task.index, parts.advance(from, to, { t, dt, robust, without: skipped }));
}

/** Every thread refreshes its own rods. */
function refresh({ task, pool, bundle, skipped }: Service, { t, skips }: Request<'refresh'>): void {
  const { systemOfRod } = bundle.contact ?? {};
  bundle.refresh(t, skips ? skipped : undefined);
  bundle.rods.forEach((_, rod) => {
    if (!skips || !skipped[systemOfRod?.[rod] ?? rod]) pool.workerStale[task.first + rod] = 0;
  });
}

function hold(service: Service, port: ContactPort): void {
  const [from, to] = ownRods(service);
  port.hold(service.marks.fill(0).fill(1, from, to));
}

/** Copies the marks of the worker's own rods. */
function readMarks(service: Service): void {
  const { task, pool, marks } = service;
  const [from, to] = ownRods(service);
  marks.fill(0, 0, from).fill(0, to);
  marks.set(pool.marks.subarray(task.first + from, task.first + to), from);
}
