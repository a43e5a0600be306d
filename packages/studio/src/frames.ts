/**
 * The frames of a run, in memory. Bounded: when there is no room, every second frame of the older part goes, so that a long
 * run stays whole and its recent past fine.
 */
import type { Frame } from './protocol.ts';

const byteLimit = 128 * 1024 * 1024;
const countLimit = 6000;

export interface FrameStore {
  readonly frames: readonly Frame[];
  readonly first: number;
  readonly last: number;
  clear(): void;
  add(frame: Frame): void;
  /** The two frames around a time, and how far it is from the first to the second, 0…1. */
  around(time: number): { a: Frame; b: Frame; weight: number } | undefined;
}

export function createFrameStore(limit: number = byteLimit): FrameStore {
  let frames: Frame[] = [];
  let bytes = 0;
  const sizeOf = ({ lanes }: Frame): number =>
    lanes.reduce((sum, { data, forces }) => sum + data.byteLength + (forces?.byteLength ?? 0) + 200, 0);
  const thin = (): void => {
    const old = Math.floor(frames.length * 0.75);
    frames = frames.filter((_, k) => k >= old || k % 2 === 0);
    bytes = frames.reduce((sum, frame) => sum + sizeOf(frame), 0);
  };
  return {
    get frames() {
      return frames;
    },
    get first() {
      return frames[0]?.time ?? 0;
    },
    get last() {
      return frames[frames.length - 1]?.time ?? 0;
    },
    clear() {
      frames = [];
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
      if (bytes > limit || frames.length > countLimit) thin();
    },
    around(time) {
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
    },
  };
}
