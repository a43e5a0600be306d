/** Vector loops of the contact solver and of links over shared memory, the caller's side; contactThreads.ts describes them. */
import { cutLinkRows, type LinkRows } from '../contact/links/arrays.ts';
import { openCoarse } from '../contact/links/coarseBasis.ts';
import { lengthOf, RESTRICT, runLinkLoop, UNMIXED, UNPLACED } from '../contact/links/loops.ts';
import { applyAndPull } from '../contact/solve/admm.ts';
import { runLoop } from '../contact/solve/anderson.ts';
import { cutLawRows, type LawRows } from '../contact/solve/lawArrays.ts';
import { countBlocks, cutMixRows, type MixRows } from '../contact/solve/vectorLoops.ts';
import { axesOf, type ContactSides } from '../port.ts';
import type { ContactThreads, SharedLinks, SharedLoops } from './contactThreads.ts';
import { isAlone, syncWorkers } from './sharedBundle.ts';
import { bufferFor, findLayout, referTo, type SharedSides } from './sharedSides.ts';
import { slots } from './slots.ts';
import { runRequest, shareOf } from './workerPool.ts';

export function createCallerLoops(shared: SharedSides): Pick<ContactThreads, 'solverLoops' | 'linkRows'> {
  const { of, buffers } = shared;
  const { pool, positions, options } = of;
  const { count } = pool;
  /** Rows of the links, once requested. */
  let links: LinkRows | undefined;

  const linkRows = (bytes: number): SharedLinks | undefined => {
    if (isAlone(of) || !of.inRanges || positions.length === 0 || bytes < 8 * options.leastNumbers) return undefined;
    const memory = bufferFor(shared, slots.links, bytes, true);
    return {
      memory,
      run(loop, values) {
        if (isAlone(of)) return false;
        links ??= cutLinkRows(memory);
        syncWorkers(of);
        const rows = links;
        const end = shareOf(lengthOf(loop, rows, UNPLACED), 1, count);
        runRequest(pool, { kind: 'linkLoopWithoutSides', loop, values }, () => {
          runLinkLoop(loop, rows, UNPLACED, UNMIXED, positions, values, 0, end);
        });
        return true;
      },
    };
  };

  const solverLoops = (sides: ContactSides): SharedLoops | undefined => {
    const laid = findLayout(shared, sides);
    if (!laid || axesOf(sides) * sides.count < options.leastNumbers) return undefined;
    let mix: MixRows | undefined;
    let law: LawRows | undefined;
    const mixFor = (capacity: number, window: number): MixRows => {
      const buffer = buffers[slots.mixing] as SharedArrayBuffer;
      if (mix?.weight.buffer !== buffer || mix.capacity !== capacity || mix.window !== window)
        mix = cutMixRows(buffer, capacity, window);
      return mix;
    };
    return {
      lawMemory(bytes) {
        law = undefined;
        return bufferFor(shared, slots.law, bytes);
      },
      runLaw(contacts) {
        law ??= cutLawRows(buffers[slots.law] as SharedArrayBuffer, contacts);
        const rows = law;
        const { reference, part } = referTo(shared, sides, laid);
        let swing = runRequest(pool, { kind: 'contactLaw', ...reference, contacts }, () =>
          applyAndPull(rows, { ...rows, ...part.all, axes: axesOf(sides) }, 0, shareOf(contacts, 1, count)),
        );
        for (let k = 1; k < count; k++) swing = Math.max(swing, rows.swing[k]);
        return swing;
      },
      runLinks(loop, capacity, window, values) {
        if (!links) throw new Error('links have no memory that threads see');
        const rows = links;
        const own = capacity > 0 ? mixFor(capacity, window) : UNMIXED;
        const { reference, part } = referTo(shared, sides, laid);
        const end = shareOf(lengthOf(loop, rows, part.all), 1, count);
        const cells = loop >= RESTRICT ? openCoarse(buffers[slots.coarse] as SharedArrayBuffer) : undefined;
        let most = runRequest(pool, { kind: 'linkLoop', ...reference, loop, capacity, window, values }, () =>
          runLinkLoop(loop, rows, part.all, own, positions, values, 0, end, cells),
        );
        for (let k = 1; k < count; k++) most = Math.max(most, rows.answer[k]);
        return most;
      },
      coarseMemory: (bytes) => bufferFor(shared, slots.coarse, bytes, true),
      memory: (bytes) => bufferFor(shared, slots.mixing, bytes),
      run(loop, capacity, window, size, changes, last, values) {
        const own = mixFor(capacity, window);
        const { reference, part } = referTo(shared, sides, laid);
        const end = shareOf(countBlocks(size), 1, count);
        runRequest(
          pool,
          { kind: 'solverLoop', ...reference, loop, capacity, window, size, changes, last, values },
          () => {
            runLoop(own, part.all, { kind: loop, size, from: 0, to: end, count: changes, slot: last, gamma: values });
          },
        );
      },
    };
  };

  return { solverLoops, linkRows };
}
