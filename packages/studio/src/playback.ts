/** The cursor in time: what is shown of the run, and how far the worker has to be ahead of it. */
import * as state from './state.ts';

/** The cursor [s], as fine as it moves. */
let head = 0;
/** What the worker was asked to come to [s]. */
let asked = 0;
let ask: (time: number, every: number) => void = () => {};
/** Runs the scene from its start: what was computed begins later. */
let runFromStart: () => void = () => {};

/** Where to ask for more of the run, and for all of it. */
export function startPlayback(more: typeof ask, all: typeof runFromStart): void {
  ask = more;
  runFromStart = all;
}

/** To where a run begins. */
export function rewind(time = 0): void {
  destination = undefined;
  head = time;
  state.clock.value = time;
}

/** Back to the beginning of the scene; frames that begin later belong to a run that was changed on its way. */
function startOver(): void {
  if (state.recorded.value === undefined && state.frames.first > 0) runFromStart();
  else head = state.frames.first;
}

/** Another run: nothing was asked of it yet. */
export function expectNothing(): void {
  asked = 0;
}

/** A hand acts on the run as it is now, not on a moment that is past. */
export function jumpToEnd(): void {
  destination = undefined;
  head = state.frames.last;
}

/** Where the cursor goes as the run comes to it [s]. */
let destination: number | undefined;

/** Stands still there as soon as the run has come to it. */
export function goTo(time: number): void {
  state.playing.value = false;
  destination = Math.min(time, state.duration.value);
  if (state.frames.last < destination) ask(destination, (state.pace.value * state.speed.value) / 60);
  approach();
}

function approach(): void {
  if (destination === undefined) return;
  head = Math.min(Math.max(destination, state.frames.first), state.frames.last);
  state.clock.value = head;
}

export function togglePlay(): void {
  destination = undefined;
  const end = state.openEnded.value ? Number.POSITIVE_INFINITY : state.duration.value;
  if (!state.playing.value && head >= end - 1e-9) startOver();
  state.playing.value = !state.playing.value;
  // a pause rests on a frame, not a hair's breadth after one: the next step back is then seen to be a step
  if (!state.playing.value) {
    head = state.frames.around(head)?.a.time ?? head;
    state.clock.value = head;
  }
}

export function seek(time: number): void {
  destination = undefined;
  head = Math.min(Math.max(time, state.frames.first), state.frames.last);
  state.playing.value = false;
  state.clock.value = head;
}

/** One frame on or back; at the end of what is known, one step of the simulation. */
export function stepFrames(by: number): void {
  destination = undefined;
  state.playing.value = false;
  const { frames } = state.frames;
  const around = state.frames.around(head);
  if (!around) return;
  const at = frames.indexOf(around.weight > 0 && by < 0 ? around.b : around.a);
  const next = frames[at + by];
  if (next) head = next.time;
  else if (by > 0 && state.recorded.value === undefined) {
    const { step } = state.loaded.value?.time ?? { step: 0.01 };
    state.openEnded.value ||= head >= state.duration.value - 1e-9;
    ask(state.frames.last + step, step);
    goesToNext = true;
  }
  state.clock.value = head;
}

/** The cursor waits for a frame that was asked for while it stands. */
let goesToNext = false;

/** A frame has come. */
export function takeFrame(): void {
  approach();
  if (!goesToNext) return;
  goesToNext = false;
  jumpToEnd();
  state.clock.value = head;
}

/** Once a drawn frame: moves the cursor and asks the worker for what comes next. Returns where the cursor is. */
export function tick(seconds: number): number {
  const { last } = state.frames;
  if (state.playing.value) {
    goesToNext = false;
    destination = undefined;
  }
  const end = state.openEnded.value ? Number.POSITIVE_INFINITY : state.duration.value;
  if (!state.playing.value || state.frames.frames.length === 0) return head;
  const rate = state.pace.value * state.speed.value;
  // a page that slept does not jump
  const wanted = head + Math.min(seconds, 0.1) * rate;
  head = Math.min(wanted, last);
  if (head >= end - 1e-9 || (state.recorded.value !== undefined && head >= last)) {
    if (state.loop.value) startOver();
    else state.playing.value = false;
  }
  const ahead = Math.min(end, head + rate * 0.05 + (state.loaded.value?.time.step ?? 0));
  if (ahead > last && ahead > asked && state.recorded.value === undefined && !state.failure.value) {
    asked = ahead;
    ask(ahead, rate / 60);
  }
  return head;
}

export function cursor(): number {
  return head;
}
