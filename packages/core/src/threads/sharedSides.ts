/** Shared buffers of a bundle's contact, and the contact sides in them, as the caller sees them. */
import { axesOf, type ContactSides } from '../port.ts';
import type { SidesReference } from './requests.ts';
import { isAlone, type SharedBundle, shareBuffer, syncWorkers } from './sharedBundle.ts';
import { boundSides, clearShare, cutSides, placeOfSides, type SidePart } from './sideSlices.ts';
import { runRequest } from './workerPool.ts';

/** Sides in memory that workers see. */
interface LaidOutSides {
  readonly layout: number;
  readonly slot: number;
  readonly total: number;
  readonly first: number;
  /** Index of each thread's first side. */
  readonly bounds: readonly number[];
  readonly own: SidePart;
}

export interface SharedSides {
  readonly sharedBundle: SharedBundle;
  readonly buffers: (SharedArrayBuffer | undefined)[];
  readonly known: WeakMap<ContactSides, LaidOutSides>;
  /** Number of the last layout. */
  layouts: number;
  /** True if any sides were laid out in this step. */
  isUsed: boolean;
}

export function createSharedSides(sharedBundle: SharedBundle): SharedSides {
  return { sharedBundle, buffers: [], known: new WeakMap(), layouts: 0, isUsed: false };
}

/** The buffer of a slot, with spare capacity unless it must be exact. */
export function bufferFor(
  { sharedBundle, buffers }: SharedSides,
  slot: number,
  bytes: number,
  capacity: 'exact' | 'spare' = 'spare',
): SharedArrayBuffer {
  const present = buffers[slot];
  if (present && present.byteLength >= bytes) return present;
  syncWorkers(sharedBundle);
  const made = shareBuffer(sharedBundle, slot, capacity === 'exact' ? bytes : Math.max(2 * bytes, 4096));
  buffers[slot] = made;
  return made;
}

/** Like `bufferFor`, but zeroed, by all threads if it is large: for a cloth of thousands of fibers it has a gigabyte. */
export function clearedBuffer(shared: SharedSides, slot: number, bytes: number): SharedArrayBuffer {
  const { sharedBundle } = shared;
  const buffer = bufferFor(shared, slot, bytes);
  if (bytes < 8 * sharedBundle.options.leastNumbers) {
    new Uint8Array(buffer, 0, bytes).fill(0);
    return buffer;
  }
  syncWorkers(sharedBundle);
  runRequest(sharedBundle.pool, { kind: 'clear', slot, bytes }, () => {
    clearShare(buffer, bytes, 0, sharedBundle.pool.count);
  });
  return buffer;
}

/** Where the sides lie in shared memory; undefined if they do not, and the caller works alone. */
export function findLayout(shared: SharedSides, sides: ContactSides): LaidOutSides | undefined {
  const { sharedBundle, buffers, known } = shared;
  const slot = buffers.indexOf(sides.rod.buffer as SharedArrayBuffer);
  if (slot < 0 || !sharedBundle.inRanges || isAlone(sharedBundle)) return undefined;
  let laidOut = known.get(sides);
  if (!laidOut) {
    const { total, from: first } = placeOfSides(sides);
    const bounds = boundSides(sides, sharedBundle.pool.firstRods);
    const own = cutSides(sides.rod.buffer, {
      total,
      from: first,
      to: first + bounds[1],
      firstRod: 0,
      axes: axesOf(sides),
      hasGoals: sides.goal !== undefined,
    });
    shared.isUsed = true;
    laidOut = { layout: ++shared.layouts, slot, total, first, bounds, own };
    known.set(sides, laidOut);
  }
  return laidOut;
}

/** Prepares a request on these sides: writes their bounds, and returns the request's reference to them and the caller's part. */
export function prepareSides(
  { sharedBundle }: SharedSides,
  sides: ContactSides,
  laidOut: LaidOutSides,
): { readonly reference: SidesReference; readonly part: SidePart } {
  syncWorkers(sharedBundle);
  const { layout, slot, total, first, bounds, own } = laidOut;
  const isReleased = sides.released ?? false;
  own.sides.released = isReleased;
  sharedBundle.pool.sideBounds.set(bounds);
  const axes = axesOf(sides);
  return {
    reference: { layout, slot, total, first, axes, hasGoals: sides.goal !== undefined, isReleased },
    part: own,
  };
}
