import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { attachHands } from '../handling.ts';
import { cursor, pullAt, view as sessionView, tick } from '../session.ts';
import * as state from '../state.ts';
import { cssGradient, mapOf, quantities } from '../view/colormaps.ts';
import { createView, type View } from '../view/view.ts';
import { formatNumber } from './format.ts';
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
    return undefined;
  }
  current.view = view;
  sessionView.pins = (released) => view.setReleased(released);
  sessionView.loaded = (scene, keepCamera) => view.load(scene, keepCamera);
  if (state.loaded.value) view.load(state.loaded.value, false);
  const undo = [
    attachHands(canvas, view),
    state.colorBy.subscribe(setOptions),
    state.stripe.subscribe(setOptions),
    state.ghost.subscribe(setOptions),
    state.grid.subscribe(setOptions),
    state.materialFrames.subscribe(setOptions),
    state.dark.subscribe(setOptions),
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
      dark: state.dark.value,
      grid: state.grid.value,
    });
  }
  const observer = new ResizeObserver(() => view.resize());
  if (canvas.parentElement) observer.observe(canvas.parentElement);
  let last = performance.now();
  let told = 0;
  let shown: unknown;
  let handle = requestAnimationFrame(draw);
  function draw(now: number): void {
    handle = requestAnimationFrame(draw);
    const seconds = (now - last) / 1000;
    last = now;
    const time = tick(seconds);
    const around = state.frames.around(time);
    if (around) {
      const key = `${around.a.time} ${around.b.time} ${around.weight}`;
      if (key !== shown || state.frames.frames.length === 1) {
        shown = key;
        view.show(around.a, around.b, around.weight);
      }
    }
    view.render(Math.min(seconds, 0.1));
    if (now - told < 80) return;
    told = now;
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
  const bar = view.scaleBar();
  if (bar.label !== state.scaleBar.value.label || Math.abs(bar.pixels - state.scaleBar.value.pixels) > 1)
    state.scaleBar.value = bar;
  if (state.pulling.value) state.pulling.value = { ...state.pulling.value, force: pullAt.force };
  const { frames } = state.frames;
  const recent = frames[frames.length - 1];
  if (recent && state.playing.value && recent.lanes.some(({ cost }) => cost > 0)) {
    const old = state.costs.value;
    state.costs.value = recent.lanes.map(({ cost }, k) =>
      old[k] > 0 && cost > 0 ? old[k] + 0.15 * (cost - old[k]) : cost || old[k] || 0,
    );
  }
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

function Overlay(): JSX.Element {
  return (
    <>
      <div class="tools" role="toolbar" aria-label="Hands">
        <ToolButton tool="pull" icon="hand" label="Pull: drag a rod (V)" />
        <ToolButton tool="pin" icon="pin" label="Pin or let go: click a place on a rod (P)" />
        <ToolButton tool="cut" icon="scissors" label="Cut: click a place on a rod (X)" />
        <ToolButton tool="wind" icon="wind" label="Wind: drag to blow (W)" />
        <span class="tools-gap" />
        <IconButton icon="focus" label="Show all (F)" onClick={() => current.view?.focus()} />
      </div>
      <Hint />
      <Legend />
      <ScaleBar />
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
  if ((!state.hint.value && !note && !hover) || (state.comparing.value && !hover)) return null;
  const hints = {
    pull: 'Drag the rod to pull it, the background to orbit. Wheel over a clamped end twists it.',
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

function ScaleBar(): JSX.Element {
  const { pixels, label } = state.scaleBar.value;
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
