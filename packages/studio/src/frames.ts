/**
 * The frames of a run, in memory. Bounded: when there is no room, some of the older frames go, so that a long run stays whole
 * and its recent past fine.
 *
 * Energies are kept apart, of every frame that ever came. Of hair a frame keeps the guides; the hairs themselves are kept of a few frames
 * and made again by the worker where they are missing (`fill`).
 */
import type { Frame } from './protocol.ts';
import { thinOut } from './thinning.ts';

const byteLimit = 128 * 1024 * 1024;
const countLimit = 6000;
/** Frames of which hairs are kept. */
const fullLimit = 16;
const statLimit = 40_000;

/** The numbers of each lane at an instant. */
export interface StatSample {
  readonly time: number;
  readonly lanes: readonly Float64Array[];
  readonly distances: readonly (number | undefined)[];
}

export interface FrameStore {
  readonly frames: readonly Frame[];
  readonly stats: readonly StatSample[];
  readonly first: number;
  readonly last: number;
  clear(): void;
  add(frame: Frame): void;
  /** Hairs of a frame that has only guides. */
  fill(frame: Frame, data: Float32Array): void;
  /** The two frames around a time, and how far it is from the first to the second, 0…1. */
  around(time: number): { a: Frame; b: Frame; weight: number } | undefined;
}

/** Whether only the guides of its hair are at hand. */
export const isBare = ({ lanes }: Frame): boolean => lanes.some(({ data, guides }) => guides && data.length === 0);

export const withHairs = (frame: Frame, data: Float32Array): Frame => ({
  ...frame,
  lanes: frame.lanes.map((lane) => (lane.guides ? { ...lane, data } : lane)),
});

const sizeOf = ({ lanes }: Frame): number =>
  lanes.reduce(
    (sum, { data, forces, guides }) =>
      sum + (guides ? guides.byteLength : data.byteLength) + (forces?.byteLength ?? 0) + 200,
    0,
  );

/** The two frames around a time, by bisection, and how far it is from the first to the second, 0…1. */
export function findAround(frames: readonly Frame[], time: number): ReturnType<FrameStore['around']> {
  if (frames.length === 0) return undefined;
  let low = 0;
  let high = frames.length - 1;
  if (time >= frames[high].time) return { a: frames[high], b: frames[high], weight: 0 };
  if (time <= frames[0].time) return { a: frames[0], b: frames[0], weight: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (frames[middle].time <= time) low = middle;
    else high = middle;
  }
  const a = frames[low];
  const b = frames[high];
  return { a, b, weight: (time - a.time) / (b.time - a.time) };
}

/** The list with the numbers of a frame, which replace those of the same instant. */
function withStats(stats: StatSample[], { time, lanes }: Frame): StatSample[] {
  const sample = { time, lanes: lanes.map((lane) => lane.stats), distances: lanes.map(({ distance }) => distance) };
  if (stats[stats.length - 1]?.time === time) stats[stats.length - 1] = sample;
  else stats.push(sample);
  return stats.length > statLimit ? thinOut(stats) : stats;
}

export function createFrameStore(limit: number = byteLimit): FrameStore {
  let frames: Frame[] = [];
  let stats: StatSample[] = [];
  let full: Frame[] = [];
  let bytes = 0;
  const replace = (frame: Frame, by: Frame): void => {
    const at = frames.lastIndexOf(frame);
    if (at >= 0) frames[at] = by;
  };
  /** The frame whose hairs were not used for longest gives them up. */
  const keepFull = (frame: Frame): void => {
    if (!frame.lanes.some(({ guides }) => guides)) return;
    full.push(frame);
    if (full.length <= fullLimit) return;
    const [oldest, ...rest] = full;
    full = rest;
    replace(oldest, withHairs(oldest, new Float32Array(0)));
  };
  return {
    get frames() {
      return frames;
    },
    get stats() {
      return stats;
    },
    get first() {
      return frames[0]?.time ?? 0;
    },
    get last() {
      return frames[frames.length - 1]?.time ?? 0;
    },
    clear() {
      frames = [];
      stats = [];
      full = [];
      bytes = 0;
    },
    add(frame) {
      const last = frames[frames.length - 1];
      if (last && frame.time < last.time) return;
      if (last && frame.time === last.time) {
        // the same instant again: it was changed by hand, or brought to rest
        bytes -= sizeOf(last);
        frames[frames.length - 1] = frame;
      } else frames.push(frame);
      bytes += sizeOf(frame);
      stats = withStats(stats, frame);
      keepFull(frame);
      if (bytes <= limit && frames.length <= countLimit) return;
      frames = thinOut(frames);
      bytes = frames.reduce((sum, one) => sum + sizeOf(one), 0);
    },
    fill(frame, data) {
      const filled = withHairs(frame, data);
      replace(frame, filled);
      keepFull(filled);
    },
    around: (time) => findAround(frames, time),
  };
}
