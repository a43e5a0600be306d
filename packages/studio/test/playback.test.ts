/** The cursor in time, without a page. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  cursor,
  expectNothing,
  rewind,
  seek,
  startPlayback,
  stepFrames,
  takeFrame,
  tick,
  togglePlay,
} from '../src/playback.ts';
import type { Frame, Loaded } from '../src/protocol.ts';
import * as state from '../src/state.ts';

const asked: number[] = [];
let restarts = 0;

const frame = (time: number): Frame => ({
  time,
  lanes: [{ data: new Float32Array(3), stats: new Float64Array(9), cost: 0 }],
});

/** Frames of a run of ten seconds, which is shown in real time, up to `last`. */
function run(first: number, last: number): void {
  state.frames.clear();
  for (let k = Math.round(10 * first); k <= Math.round(10 * last); k++) state.frames.add(frame(k / 10));
}

beforeEach(() => {
  asked.length = 0;
  restarts = 0;
  startPlayback(
    (time) => asked.push(time),
    () => {
      restarts++;
    },
  );
  state.loaded.value = { time: { duration: 10, step: 0.1 }, lanes: [] } as unknown as Loaded;
  state.recorded.value = undefined;
  state.openEnded.value = false;
  // tests of one worker share the state of the page
  state.speed.value = 1;
  state.loop.value = true;
  state.playing.value = true;
  rewind();
  expectNothing();
});

describe('playback', () => {
  it('goes on by the clock, never past what is known, and asks for what comes next once', () => {
    run(0, 1);
    expect(tick(0.05)).toBeCloseTo(0.05, 12);
    expect(asked).toEqual([]);
    // a page that slept does not jump
    expect(tick(60)).toBeCloseTo(0.15, 12);
    for (let k = 0; k < 20; k++) tick(0.1);
    expect(cursor()).toBe(1);
    expect(asked.length).toBeGreaterThan(0);
    const most = asked.length;
    tick(0.1);
    tick(0.1);
    expect(asked).toHaveLength(most);
  });

  it('begins again at the end; a run that was changed on its way is run anew from the start', () => {
    run(0, 10);
    seek(9.95);
    togglePlay();
    tick(0.1);
    expect(cursor()).toBe(0);
    expect(restarts).toBe(0);
    run(4, 10);
    seek(9.95);
    togglePlay();
    tick(0.1);
    expect(restarts).toBe(1);
    state.loop.value = false;
    seek(9.95);
    togglePlay();
    tick(0.1);
    expect(state.playing.value).toBe(false);
    expect(cursor()).toBe(10);
  });

  it('rests on a frame, and steps from frame to frame and beyond the last', () => {
    run(0, 1);
    tick(0.07);
    togglePlay();
    expect(cursor()).toBe(0);
    stepFrames(1);
    expect(cursor()).toBe(0.1);
    seek(5);
    expect(cursor()).toBe(1);
    stepFrames(1);
    expect(asked).toEqual([1.1]);
    state.frames.add(frame(1.1));
    takeFrame();
    expect(cursor()).toBe(1.1);
    // nobody has asked for this one: the cursor stands
    state.frames.add(frame(1.2));
    takeFrame();
    expect(cursor()).toBe(1.1);
  });
});
