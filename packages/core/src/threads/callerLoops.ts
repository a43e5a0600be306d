/** The caller's side of vector loops over shared memory, for the contact solver and for links. contactThreads.ts describes them. */
import { cutLinkRows, type LinkRows } from '../contact/links/arrays.ts';
import { openCoarse } from '../contact/links/coarseBasis.ts';
import { lengthOf, RESTRICT, runLinkLoop, UNMIXED, UNPLACED } from '../contact/links/loops.ts';
import { applyLawAndWriteRightSide } from '../contact/solve/admm.ts';
import { runLoop } from '../contact/solve/anderson.ts';
import { cutLawRows, type LawRows } from '../contact/solve/lawArrays.ts';
import { countBlocks, cutMixRows, type MixRows } from '../contact/solve/vectorLoops.ts';
import { axesOf, type ContactSides } from '../port.ts';
import type { ContactThreads, SharedLinks, SharedLoops } from './contactThreads.ts';
import { isAlone, syncWorkers } from './sharedBundle.ts';
import { bufferFor, findLayout, prepareSides, type SharedSides } from './sharedSides.ts';
import { slots } from './slots.ts';
import { runRequest, shareOf } from './workerPool.ts';

/** Memory of the loops, as last layout out. */
interface LoopMemory {
  readonly shared: SharedSides;
  /** Rows of the links, once requested. */
  links: LinkRows | undefined;
}

export function createCallerLoops(shared: SharedSides): Pick<ContactThreads, 'solverLoops' | 'linkRows'> {
  const memory: LoopMemory = { shared, links: undefined };
  return {
    linkRows: (bytes) => shareLinks(memory, bytes),
    solverLoops: (sides) => createSolverLoops(memory, sides),
  };
}

/** Shared memory for the rows of links, and their loops; undefined if there are too few numbers for threads. */
function shareLinks(own: LoopMemory, bytes: number): SharedLinks | undefined {
  const { shared } = own;
  const { sharedBundle } = shared;
  const { pool, positions, options } = sharedBundle;
  if (isAlone(sharedBundle) || !sharedBundle.inRanges || positions.length === 0 || bytes < 8 * options.leastNumbers)
    return undefined;
  const memory = bufferFor(shared, slots.links, bytes, 'exact');
  return {
    memory,
    run(loop, values) {
      if (isAlone(sharedBundle)) return false;
      own.links ??= cutLinkRows(memory);
      syncWorkers(sharedBundle);
      const rows = own.links;
      const to = shareOf(lengthOf(loop, rows, UNPLACED), 1, pool.count);
      runRequest(pool, { kind: 'linkLoopWithoutSides', loop, values }, () => {
        runLinkLoop(loop, { rows, arrays: UNPLACED, mix: UNMIXED, position: positions, numbers: values }, 0, to);
      });
      return true;
    },
  };
}

/** Loops over the sides that were layout out last; undefined if the sides are too few for threads. */
function createSolverLoops(loopMemory: LoopMemory, sides: ContactSides): SharedLoops | undefined {
  const { shared } = loopMemory;
  const { sharedBundle, buffers } = shared;
  const { pool, positions, options } = sharedBundle;
  const { count } = pool;
  const layout = findLayout(shared, sides);
  if (!layout || axesOf(sides) * sides.count < options.leastNumbers) return undefined;
  const mixFor = createMixRows(shared);
  let law: LawRows | undefined;
  return {
    lawMemory(bytes) {
      law = undefined;
      return bufferFor(shared, slots.law, bytes);
    },
    runLaw(contacts) {
      law ??= cutLawRows(buffers[slots.law] as SharedArrayBuffer, contacts);
      const rows = law;
      const { reference, part } = prepareSides(shared, sides, layout);
      const own = runRequest(pool, { kind: 'contactLaw', ...reference, contacts }, () =>
        applyLawAndWriteRightSide(rows, { ...rows, ...part.all, axes: axesOf(sides) }, 0, shareOf(contacts, 1, count)),
      );
      return takeLargest(own, rows.impulseSpeed, count);
    },
    runLinks(loop, capacity, window, values) {
      const { links: rows } = loopMemory;
      if (!rows) throw new Error('links have no memory that threads see');
      const mixed = capacity > 0 ? mixFor(capacity, window) : UNMIXED;
      const { reference, part } = prepareSides(shared, sides, layout);
      const to = shareOf(lengthOf(loop, rows, part.all), 1, count);
      const cells = loop >= RESTRICT ? openCoarse(buffers[slots.coarse] as SharedArrayBuffer) : undefined;
      const input = { rows, arrays: part.all, mix: mixed, position: positions, numbers: values, cells };
      const own = runRequest(pool, { kind: 'linkLoop', ...reference, loop, capacity, window, values }, () =>
        runLinkLoop(loop, input, 0, to),
      );
      return takeLargest(own, rows.answer, count);
    },
    coarseMemory: (bytes) => bufferFor(shared, slots.coarse, bytes, 'exact'),
    memory: (bytes) => bufferFor(shared, slots.mixing, bytes),
    run({ kind: loop, capacity, window, size, count: changes, slot: last, gamma: values }) {
      const own = mixFor(capacity, window);
      const { reference, part } = prepareSides(shared, sides, layout);
      const to = shareOf(countBlocks(size), 1, count);
      const request = {
        kind: 'solverLoop',
        ...reference,
        loop,
        capacity,
        window,
        size,
        changes,
        last,
        values,
      } as const;
      runRequest(pool, request, () => {
        runLoop(own, part.all, { kind: loop, size, from: 0, to, count: changes, slot: last, gamma: values });
      });
    },
  };
}

/** Rows of Anderson acceleration in the shared buffer, cut anew only if the buffer or their size has changed. */
function createMixRows({ buffers }: SharedSides): (capacity: number, window: number) => MixRows {
  let mix: MixRows | undefined;
  return (capacity, window) => {
    const buffer = buffers[slots.mixing] as SharedArrayBuffer;
    if (mix?.weight.buffer !== buffer || mix.capacity !== capacity || mix.window !== window)
      mix = cutMixRows(buffer, capacity, window);
    return mix;
  };
}

/** Largest of the caller's value and those that workers have written. */
function takeLargest(own: number, written: ArrayLike<number>, count: number): number {
  let largest = own;
  for (let k = 1; k < count; k++) largest = Math.max(largest, written[k]);
  return largest;
}
