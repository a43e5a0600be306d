import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { fetchHairs } from '../acting.ts';
import { attachBrush } from '../brush.ts';
import { isBare } from '../frames.ts';
import { attachHands } from '../handling.ts';
import { cursor, tick } from '../playback.ts';
import type { Frame } from '../protocol.ts';
import { pullForce, view as sessionView } from '../session.ts';
import * as state from '../state.ts';
import { createView } from '../view/view.ts';
import type { View } from '../view/viewTypes.ts';
import { current } from './current.ts';
import { Messages } from './messages.tsx';
import { Lanes, Overlay } from './overlay.tsx';
import { viewOptions } from './viewOptions.ts';

/** Least time from one showing of the numbers beside the view to the next [ms]. */
const wordsPause = state.isCoarse ? 250 : 80;

/** Least time from the begin of one picture to the next, by how long one takes [ms]: coarse ones leave the processor to others. */
const pauseAfter = (time: number): number => (state.isCoarse ? Math.min(Math.max(150, 4 * time), 1500) : 0);

/** From the first paint of the page until the view is built [ms]. */
const patience = 40;

export function Viewport(): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let stop: (() => void) | undefined;
    // the page is painted and its worker gets its script before the view is built, which takes the page's thread for a while
    const timer = setTimeout(() => {
      if (canvas.current) stop = start(canvas.current);
    }, patience);
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, []);
  return (
    <div class="viewport">
      <canvas
        ref={canvas}
        tabIndex={0}
        class={`stage tool-${state.tool.value}`}
        role="img"
        aria-label={`3D view of ${state.loaded.value?.title || state.sceneName.value}. Shift and arrow keys orbit, plus and minus zoom, B blows at it.`}
      />
      <Lanes />
      <Overlay />
      <Messages />
    </div>
  );
}

function start(canvas: HTMLCanvasElement): (() => void) | undefined {
  let view: View;
  try {
    view = createView(canvas, { isCoarse: state.isCoarse });
  } catch {
    state.fatal.value =
      'This browser gives no WebGL, with which the view is drawn. Switch on hardware acceleration, or try another browser; the scene and its numbers work all the same.';
    return runBlind();
  }
  current.view = view;
  sessionView.pins = (released) => view.setReleased(released);
  sessionView.loaded = (scene, options) => view.load(scene, options);
  if (state.loaded.value) view.load(state.loaded.value, { keepCamera: false });
  for (const use of current.expecting.splice(0)) use(view);
  const hands = attachHands(canvas, view);
  const undo = [
    attachBrush(canvas, view),
    hands.detach,
    state.hairColor.subscribe(setOptions),
    state.colorBy.subscribe(setOptions),
    state.stripe.subscribe(setOptions),
    state.finish.subscribe(setOptions),
    state.ghost.subscribe(setOptions),
    state.grid.subscribe(setOptions),
    state.overlay.subscribe(setOptions),
    state.materialFrames.subscribe(setOptions),
    state.forces.subscribe(setOptions),
    state.dark.subscribe(setOptions),
    state.viewInset.subscribe((pixels) => view.setInset(pixels)),
    state.failure.subscribe((failure) => {
      state.loaded.value?.lanes.forEach((_, lane) => {
        view.setFailed(lane, failure?.lane === lane ? failure.rod : undefined);
      });
    }),
  ];
  function setOptions(): void {
    view.setOptions(viewOptions());
  }
  const observer = new ResizeObserver(() => view.resize());
  if (canvas.parentElement) observer.observe(canvas.parentElement);
  let last = performance.now();
  let drew = last;
  let pictureTime = 0;
  let isFirstAfter = false;
  let told = 0;
  let shown: { a: unknown; b: unknown; weight: number } | undefined;
  let shownIn: unknown;
  let handle = requestAnimationFrame(draw);
  function draw(now: number): void {
    handle = requestAnimationFrame(draw);
    const seconds = (now - last) / 1000;
    last = now;
    const time = tick(seconds);
    if (isFirstAfter) pictureTime = now - drew;
    isFirstAfter = false;
    if (now - drew < pauseAfter(pictureTime) && current.waiting.length === 0) return;
    const around = findFrames(time);
    if (around) {
      if (
        shown?.a !== around.a ||
        shown.b !== around.b ||
        shown.weight !== around.weight ||
        shownIn !== state.loaded.value
      ) {
        shown = around;
        shownIn = state.loaded.value;
        view.show(around.a, around.b, around.weight);
      }
    }
    isFirstAfter = view.render(Math.min((now - drew) / 1000, 0.1));
    drew = now;
    const waiting = current.waiting.splice(0);
    if (now - told >= wordsPause || waiting.length > 0) {
      told = now;
      hands.look();
      publish(view);
    }
    for (const each of waiting) each();
  }
  return () => {
    cancelAnimationFrame(handle);
    observer.disconnect();
    for (const each of undo) each();
    view.dispose();
    current.view = undefined;
  };
}

/** Frames that are being filled with hairs. */
const filling = new Set<Frame>();

/** The frames around a time. Those of hair that have only guides are asked for; undefined until they are there. */
function findFrames(time: number): ReturnType<typeof state.frames.around> {
  const around = state.frames.around(time);
  if (!around?.a.lanes.some(({ guides }) => guides)) return around;
  const { frames } = state.frames;
  const at = frames.indexOf(around.a);
  // the next ones too: they are wanted soon
  for (const frame of [around.a, around.b, ...frames.slice(at + 2, at + 5)]) {
    if (!isBare(frame) || filling.has(frame) || filling.size > 6) continue;
    filling.add(frame);
    // a run that is over needs them no more
    void fetchHairs(frame)
      .catch(() => {})
      .finally(() => filling.delete(frame));
  }
  const usable = (frame: Frame): boolean => !isBare(frame);
  if (usable(around.a) && usable(around.b)) return around;
  const near = [around.a, around.b, frames[at - 1], frames[at - 2]].find((frame) => frame && usable(frame));
  return near && { a: near, b: near, weight: 0 };
}

/** The clock goes on where nothing can be drawn: plots, numbers and files work. */
function runBlind(): () => void {
  let last = performance.now();
  const handle = setInterval(() => {
    const now = performance.now();
    state.clock.value = tick((now - last) / 1000);
    state.reached.value = state.frames.last;
    last = now;
  }, 50);
  return () => clearInterval(handle);
}

/** Numbers for people, some times a second. */
function publish(view: View): void {
  state.clock.value = cursor();
  state.reached.value = state.frames.last;
  const legend = view.legend();
  const before = state.legend.value;
  if (
    legend.by !== before.by ||
    Math.abs(legend.high - before.high) > 0.01 * Math.abs(before.high) ||
    legend.thickness !== before.thickness
  )
    state.legend.value = legend;
  publishForces(view);
  publishContacts();
  const bar = view.scaleBar();
  if (bar.label !== state.scaleBar.value.label || Math.abs(bar.pixels - state.scaleBar.value.pixels) > 1)
    state.scaleBar.value = bar;
  if (state.pulling.value) state.pulling.value = { ...state.pulling.value, force: pullForce.value };
  const { frames } = state.frames;
  const recent = frames[frames.length - 1];
  if (recent && state.playing.value && recent.lanes.some(({ cost }) => cost > 0)) {
    const old = state.costs.value;
    state.costs.value = recent.lanes.map(({ cost }, k) =>
      old[k] > 0 && cost > 0 ? old[k] + 0.15 * (cost - old[k]) : cost || old[k] || 0,
    );
  }
}

function publishContacts(): void {
  const lanes = state.frames.around(cursor())?.a.lanes ?? [];
  const next = lanes.map(({ contact }) => contact);
  if (JSON.stringify(next) !== JSON.stringify(state.contacts.value)) state.contacts.value = next;
  const doubts = lanes.map((lane) => lane.doubts ?? []);
  if (JSON.stringify(doubts) !== JSON.stringify(state.doubts.value)) state.doubts.value = doubts;
}

function publishForces(view: View): void {
  if (!state.forces.value) return;
  const { value: before } = state.forceLegend;
  const next = view.forceLegend();
  if (
    next.force === before.force &&
    Math.abs(next.pixels - before.pixels) < 0.5 &&
    `${next.kinds}` === `${before.kinds}`
  )
    return;
  state.forceLegend.value = next;
}
