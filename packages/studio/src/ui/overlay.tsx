/** What lies over the view: tools, hints, legends, the heads of lanes. */
import type { JSX } from 'preact';
import { brush, busy } from '../grooming.ts';
import type { ForceKind } from '../protocol.ts';
import * as state from '../state.ts';
import { forceColors } from '../view/arrows.ts';
import { cssGradient, mapOf, quantities } from '../view/colormaps.ts';
import { Contacts } from './contacts.tsx';
import { BigSlider } from './controls.tsx';
import { current } from './current.ts';
import { Doubts } from './doubts.tsx';
import { formatForce, formatNumber } from './format.ts';
import { Icon, IconButton } from './icons.tsx';

export function Lanes(): JSX.Element | null {
  const lanes = state.loaded.value?.lanes ?? [];
  if (lanes.length < 2) return null;
  if (state.overlay.value)
    return (
      <div class="lane-list">
        {lanes.map(({ variant, refused }, k) => (
          <div key={variant.id}>
            <LaneHead lane={k} />
            {refused !== undefined && <p class="quiet small">{refused}</p>}
          </div>
        ))}
      </div>
    );
  const rects = current.view?.laneRects ?? [];
  return (
    <>
      {lanes.map(({ variant, refused }, k) => {
        const rect = rects[k];
        if (!rect) return null;
        return (
          <div
            key={variant.id}
            class={`lane ${rect.x === 0 && rect.y === 0 ? 'first' : ''}`}
            style={{ left: `${rect.x}px`, top: `${rect.y}px`, width: `${rect.width}px`, height: `${rect.height}px` }}
          >
            <LaneHead lane={k} />
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

/** Which model a lane runs, and what it costs. */
function LaneHead({ lane }: { readonly lane: number }): JSX.Element | null {
  const info = state.loaded.value?.lanes[lane];
  if (!info) return null;
  const cost = state.costs.value[lane];
  const runs = info.refused === undefined;
  return (
    <div class="lane-head">
      <span class={`lane-dot lane-${lane % 4}`} />
      <strong>{info.variant.label}</strong>
      {runs && cost > 0 && (
        <span class="quiet" title="Time to compute one second of the run, in this browser, on one core">
          {formatNumber(cost)} ms per second
        </span>
      )}
      {runs && <Contacts of={state.contacts.value[lane]} short />}
      {runs && <Doubts lane={lane} />}
    </div>
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

export function Overlay(): JSX.Element {
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
        {!state.comparing.value && <Doubts lane={0} />}
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

/** What can be done to the rods that are there, with what the visitor has in hand. */
function pullHint(): string {
  const { controls = [], lanes = [] } = state.loaded.value ?? {};
  if (state.viewInset.value > 0 && controls[0]?.threshold)
    return 'Drag the slider across its mark, or pull the rod itself.';
  const rods = lanes.some(({ rods }) => rods.length > 1) ? 'a rod' : 'the rod';
  const hasClamp = lanes.some(({ pins }) => pins.some(({ clamps, released }) => clamps && !released));
  const hasWheel = matchMedia('(pointer: fine)').matches;
  return `Drag ${rods} to pull it, the background to orbit.${hasClamp && hasWheel ? ' Wheel over a clamped end twists it.' : ''}`;
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
    pull: hairy ? hair[hairy] : pullHint(),
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
