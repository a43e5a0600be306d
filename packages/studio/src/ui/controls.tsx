/** The quantities that matter most, as large sliders with theory's threshold marked on them. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Control } from '../protocol.ts';
import * as state from '../state.ts';
import { editsOf, isLive, sendEdit } from './edits.ts';
import { formatQuantity } from './format.ts';

/** Far apart ends that are both positive are spread by their ratio. */
const isLog = ({ low, high }: Control): boolean => low > 0 && high / low > 20;

const placeOf = (control: Control, x: number): number => {
  const { low, high } = control;
  const u = isLog(control) ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);
  return Math.min(1, Math.max(0, u));
};

const valueFrom = (control: Control, u: number): number => {
  const { low, high } = control;
  const x = isLog(control) ? low * (high / low) ** u : low + u * (high - low);
  return Number(x.toPrecision(4));
};

export function ControlSlider({
  control,
  large,
}: {
  readonly control: Control;
  readonly large?: boolean;
}): JSX.Element {
  const { path, label, symbol, unit, value, factor, threshold } = control;
  const shown = factor * value;
  const written = formatQuantity(shown, unit ?? '', 4);
  const isBeyond = threshold !== undefined && shown > threshold.at;
  const at = threshold && placeOf(control, threshold.at);
  return (
    <div class={`control ${large ? 'large' : ''}`}>
      <div class="control-head">
        <span>
          {label} {symbol && <i>{symbol}</i>}
        </span>
        <output>
          {written.number} <span class="quiet">{written.unit}</span>
        </output>
      </div>
      <div class="control-track">
        {at !== undefined && <span class="control-mark" style={{ left: `calc(8px + ${at} * (100% - 16px))` }} />}
        <input
          type="range"
          min={0}
          max={1}
          step={0.001}
          value={placeOf(control, shown)}
          aria-label={label}
          aria-valuetext={`${written.number} ${written.unit}`}
          data-control={path.join('.')}
          title={isLive(path) ? 'Changes the run as it goes' : 'Starts the run anew'}
          onInput={(event) => {
            const next = valueFrom(control, Number(event.currentTarget.value)) / factor;
            state.hint.value = false;
            void sendEdit(editsOf(control, next), path.join('.'));
          }}
        />
      </div>
      {threshold && <p class={`control-note ${isBeyond ? 'beyond' : ''}`}>{threshold.what}</p>}
    </div>
  );
}

/** All of them, above the fields of the scene. */
export function Controls(): JSX.Element | null {
  const controls = state.loaded.value?.controls ?? [];
  if (controls.length === 0) return null;
  return (
    <section class="controls" aria-label="What matters most">
      {controls.map((control) => (
        <ControlSlider key={control.path.join('.')} control={control} />
      ))}
    </section>
  );
}

/** The first of them over the view, while the panel that has all is closed. */
export function BigSlider(): JSX.Element | null {
  const control = state.loaded.value?.controls[0];
  const host = useRef<HTMLDivElement>(null);
  const isClosed = state.narrow.value ? state.sheet.value === 'view' && !state.plotsOpen.value : !state.sideOpen.value;
  const isShown = control && isClosed && !state.comparing.value && state.recorded.value === undefined;
  useEffect(() => {
    state.viewInset.value = isShown && host.current ? host.current.offsetHeight + 30 : 0;
  }, [isShown]);
  if (!isShown) return null;
  return (
    <div class="big-slider" ref={host}>
      <ControlSlider control={control} large />
    </div>
  );
}
