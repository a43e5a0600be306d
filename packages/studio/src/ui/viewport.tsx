import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { fetchHairs } from '../acting.ts';
import { attachBrush } from '../brush.ts';
import { isBare } from '../frames.ts';
import { brush, busy } from '../grooming.ts';
import { attachHands } from '../handling.ts';
import { cursor, tick } from '../playback.ts';
import type { ForceKind, Frame } from '../protocol.ts';
import { pullForce, view as sessionView } from '../session.ts';
import * as state from '../state.ts';
import { forceColors } from '../view/arrows.ts';
import { cssGradient, mapOf, quantities } from '../view/colormaps.ts';
import { createView } from '../view/view.ts';
import type { View } from '../view/viewTypes.ts';
import { Contacts } from './contacts.tsx';
import { BigSlider } from './controls.tsx';
import { formatForce, formatNumber } from './format.ts';
import { Icon, IconButton } from './icons.tsx';
import { Messages } from './messages.tsx';

/** The view that is shown, for the keyboard and for pictures. */
export const current: { view: View | undefined } = { view: undefined };

export function Viewport(): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current ? start(canvas.current) : undefined), []);
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
    view = createView(canvas);
  } catch {
    state.fatal.value =
      'This browser gives no WebGL, with which the view is drawn. Switch on hardware acceleration, or try another browser; the scene and its numbers work all the same.';
    return runBlind();
  }
  current.view = view;
  sessionView.pins = (released) => view.setReleased(released);
  sessionView.loaded = (scene, keepCamera) => view.load(scene, keepCamera);
  if (state.loaded.value) view.load(state.loaded.value, false);
  const hands = attachHands(canvas, view);
  const undo = [
    attachBrush(canvas, view),
    hands.detach,
    state.hairColor.subscribe(setOptions),
    state.colorBy.subscribe(setOptions),
    state.stripe.subscribe(setOptions),
    state.ghost.subscribe(setOptions),
    state.grid.subscribe(setOptions),
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
    view.setOptions({
      colorBy: state.colorBy.value,
      stripe: state.stripe.value,
      ghost: state.ghost.value,
      frames: state.materialFrames.value,
      forces: state.forces.value,
      dark: state.dark.value,
      grid: state.grid.value,
      hairColor: hairColorFor(state.hairColor.value, state.dark.value),
    });
  }
  const observer = new ResizeObserver(() => view.resize());
  if (canvas.parentElement) observer.observe(canvas.parentElement);
  let last = performance.now();
  let told = 0;
  let shown: { a: unknown; b: unknown; weight: number } | undefined;
  let shownIn: unknown;
  let handle = requestAnimationFrame(draw);
  function draw(now: number): void {
    handle = requestAnimationFrame(draw);
    const seconds = (now - last) / 1000;
    last = now;
    const time = tick(seconds);
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
    view.render(Math.min(seconds, 0.1));
    if (now - told < 80) return;
    told = now;
    hands.look();
    publish(view);
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

/** On a dark page hair is a little lighter: dark hair would not be seen. */
function hairColorFor(color: string, dark: boolean): string {
  if (!dark) return color;
  const parts = [1, 3, 5].map((k) => Number.parseInt(color.slice(k, k + 2), 16));
  return `#${parts
    .map((c) =>
      Math.round(c + 0.16 * (200 - c))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
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
  const next = state.frames.around(cursor())?.a.lanes.map(({ contact }) => contact) ?? [];
  if (JSON.stringify(next) !== JSON.stringify(state.contacts.value)) state.contacts.value = next;
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

function Lanes(): JSX.Element | null {
  const lanes = state.loaded.value?.lanes ?? [];
  if (lanes.length < 2) return null;
  const rects = current.view?.laneRects ?? [];
  const box = current.view ? rects : [];
  return (
    <>
      {lanes.map(({ variant, refused }, k) => {
        const rect = box[k];
        if (!rect) return null;
        const cost = state.costs.value[k];
        return (
          <div
            key={variant.id}
            class={`lane ${rect.x === 0 && rect.y === 0 ? 'first' : ''}`}
            style={{ left: `${rect.x}px`, top: `${rect.y}px`, width: `${rect.width}px`, height: `${rect.height}px` }}
          >
            <div class="lane-head">
              <span class={`lane-dot lane-${k % 4}`} />
              <strong>{variant.label}</strong>
              {refused === undefined && cost > 0 && (
                <span
                  class="quiet"
                  title="Milliseconds of computing for one simulated second, in this browser, on one core"
                >
                  {formatNumber(cost)} ms/s
                </span>
              )}
              {refused === undefined && <Contacts of={state.contacts.value[k]} short />}
            </div>
            {refused !== undefined && (
              <div class="lane-refused" role="note">
                <Icon name="warn" />
                <p>{refused}</p>
              </div>
            )}
          </div>
        );
      })}
    </>
  );
}

function BrushRing(): JSX.Element | null {
  const ring = state.brushRing.value;
  if (!ring) return null;
  const { x, y, size } = ring;
  return <div class="brush-ring" style={{ left: `${x}px`, top: `${y}px`, width: `${size}px`, height: `${size}px` }} />;
}

function GroomOverlay(): JSX.Element {
  const words = {
    orbit: 'Drag to turn the head.',
    comb: 'Drag over the hair to comb it, the background to turn the head.',
    cut: 'Drag over the hair to cut it.',
    curl: 'Drag over the hair to curl it.',
    straighten: 'Drag over the hair to straighten it.',
  };
  return (
    <>
      <div class="tools" role="toolbar" aria-label="View">
        <IconButton icon="focus" label="Show all (F)" onClick={() => current.view?.focus()} />
      </div>
      {busy.value ? (
        <p class="hint" role="status">
          {busy.value}
        </p>
      ) : (
        state.hint.value && <p class="hint">{words[brush.value]}</p>
      )}
      <BrushRing />
      <ScaleBar />
    </>
  );
}

function Overlay(): JSX.Element {
  if (state.grooming.value) return <GroomOverlay />;
  return (
    <>
      <div class="tools" role="toolbar" aria-label="Hands">
        <ToolButton tool="pull" icon="hand" label="Pull: drag a rod (V)" />
        <ToolButton tool="pin" icon="pin" label="Pin or let go: click a place on a rod (P)" />
        <ToolButton tool="cut" icon="scissors" label="Cut: click a place on a rod (X)" />
        <ToolButton tool="wind" icon="wind" label="Wind: drag to blow (W)" />
        <span class="tools-gap" />
        <IconButton icon="focus" label="Show all (F)" onClick={() => current.view?.focus()} />
        <IconButton
          icon="arrow"
          label="Forces as arrows (A)"
          pressed={state.forces.value}
          onClick={() => {
            state.forces.value = !state.forces.value;
          }}
        />
      </div>
      <Hint />
      <div class="corner">
        {!state.comparing.value && <Contacts of={state.contacts.value[0]} />}
        <Legend />
      </div>
      <Forces />
      <ScaleBar />
      {!state.viewOnly && <BigSlider />}
      <PullLabel />
    </>
  );
}

function ToolButton({
  tool,
  icon,
  label,
}: {
  tool: state.Tool;
  icon: 'hand' | 'pin' | 'scissors' | 'wind';
  label: string;
}): JSX.Element {
  return (
    <IconButton
      icon={icon}
      label={label}
      pressed={state.tool.value === tool}
      onClick={() => {
        state.tool.value = tool;
      }}
    />
  );
}

function Hint(): JSX.Element | null {
  const note = state.loaded.value?.time.note;
  const hover = state.hovering.value;
  if (!state.loaded.value) return null;
  if ((!state.hint.value && !note && !hover) || (state.comparing.value && !hover)) return null;
  const hair = {
    movable: 'Drag the face, or Shift-drag anywhere, to move the head; drag hair to pull it.',
    driven: 'Drag hair to pull it, the background to orbit.',
  };
  const hairy = state.loaded.value?.hair;
  const hints = {
    pull: hairy ? hair[hairy] : 'Drag the rod to pull it, the background to orbit. Wheel over a clamped end twists it.',
    pin: 'Click a place on a rod to pin it there, click again to let go.',
    cut: 'Click a place on a rod to cut it there. R makes it whole again.',
    wind: 'Drag across the view to blow.',
  };
  return <p class="hint">{hover ?? note ?? hints[state.tool.value]}</p>;
}

function Legend(): JSX.Element | null {
  const { by, low, high, thickness } = state.legend.value;
  const thick = thickness > 1.05 ? `drawn ${formatNumber(thickness, 2)}× as thick` : undefined;
  const map = mapOf(by, state.dark.value);
  if (by === 'plain' || !map || !(state.loaded.value && state.loaded.value.lanes[0]?.rods.length <= 150))
    return thick ? <div class="legend quiet">{thick}</div> : null;
  const { label, unit, signed } = quantities[by];
  return (
    <div
      class="legend"
      role="img"
      aria-label={`Colours show ${label.toLowerCase()} from ${formatNumber(low)} to ${formatNumber(high)} ${unit}`}
    >
      <div class="legend-title">
        {label} <span class="quiet">{unit}</span>
      </div>
      <div class="legend-bar" style={{ background: cssGradient(map) }} />
      <div class="legend-ticks">
        <span>{formatNumber(low, 2)}</span>
        <span>{formatNumber(signed ? 0 : high / 2, 2)}</span>
        <span>{formatNumber(high, 2)}</span>
      </div>
      {thick && <div class="quiet">{thick}</div>}
    </div>
  );
}

const forceWords: Readonly<Record<ForceKind, string>> = {
  contact: 'contacts',
  pin: 'pins',
  link: 'links',
  load: 'loads',
};

/** What the arrows are, and how long a newton is. */
function Forces(): JSX.Element | null {
  if (!state.forces.value || !state.loaded.value) return null;
  const { pixels, force, kinds } = state.forceLegend.value;
  const theme = state.dark.value ? 'dark' : 'light';
  const known = kinds.length > 0 && force > 0;
  return (
    <div
      class="forces"
      role="img"
      aria-label={`Arrows show forces${known ? `: ${forceList(kinds)}` : '; there are none now'}`}
    >
      {known ? (
        <>
          <span class="forces-kinds">
            {kinds.map((kind) => (
              <span key={kind} style={{ color: forceColors[kind][theme] }}>
                <i />
                {forceWords[kind]}
              </span>
            ))}
          </span>
          <span class="forces-line" style={{ width: `${Math.round(pixels)}px` }} />
          <span>{formatForce(force)}</span>
        </>
      ) : (
        <span>no forces now</span>
      )}
      {state.recorded.value !== undefined && <span class="quiet">a recording keeps loads, no contacts or pins</span>}
    </div>
  );
}

function forceList(kinds: readonly ForceKind[]): string {
  return kinds.map((kind) => forceWords[kind]).join(', ');
}

function ScaleBar(): JSX.Element | null {
  const { pixels, label } = state.scaleBar.value;
  if (!state.loaded.value) return null;
  return (
    <div class="scale" aria-hidden="true">
      <span class="scale-line" style={{ width: `${Math.round(pixels)}px` }} />
      <span>{label}</span>
    </div>
  );
}

function PullLabel(): JSX.Element | null {
  const pull = state.pulling.value;
  if (!pull) return null;
  return (
    <div class="pull-label" style={{ left: `${pull.x}px`, top: `${pull.y}px` }}>
      {formatNumber(pull.force)} N
    </div>
  );
}
