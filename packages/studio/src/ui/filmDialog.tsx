/** What of the run becomes a path-traced film, how large and how fine. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { FilmFormat } from '../filmWriter.ts';
import { findCodec } from '../filmWriter.ts';
import * as state from '../state.ts';
import { type FilmPlan, pictureCount, renderFilm } from '../tracedFilm.ts';
import { current } from './current.ts';
import { shortNumber } from './format.ts';
import { Icon } from './icons.tsx';

const sizes = ['640x360', '1280x720', '1920x1080', '1080x1080', '1080x1920'] as const;
const qualities = [
  { samples: 8, label: 'draft, 8 samples' },
  { samples: 32, label: 'good, 32 samples' },
  { samples: 128, label: 'fine, 128 samples' },
] as const;
const rates = [12, 24, 25, 30, 60] as const;
const formats: readonly { readonly format: FilmFormat; readonly label: string }[] = [
  { format: 'webm', label: 'WebM' },
  { format: 'zip', label: 'numbered PNGs in a ZIP' },
];

type Draft = Omit<FilmPlan, 'width' | 'height'> & { readonly size: string };

/** Until where the run is known: a run that goes on grows meanwhile. */
const endOf = (): number => state.frames.last;

function planOf({ size, ...rest }: Draft): FilmPlan {
  const [width, height] = size.split('x').map(Number);
  return { ...rest, width, height };
}

/** Why there is no such film; undefined where there is one. */
function faultOf(plan: FilmPlan): string | undefined {
  const { from, to, speed } = plan;
  if (![from, to, speed].every(Number.isFinite)) return 'Every field needs a number.';
  if (from < state.frames.first || to > endOf() * (1 + 1e-6))
    return `The run is known from ${shortNumber(state.frames.first)} s to ${shortNumber(endOf())} s.`;
  if (to < from) return 'The end lies before the start.';
  if (speed <= 0) return 'The speed has to be positive.';
  return undefined;
}

export function FilmDialog(): JSX.Element {
  const draft = useSignal<Draft>({
    from: state.frames.first,
    to: Number((state.openEnded.value ? endOf() : Math.min(endOf(), state.duration.value)).toPrecision(7)),
    speed: Number((state.pace.value * state.speed.value).toPrecision(2)),
    fps: 30,
    size: '1280x720',
    samples: 32,
    format: 'webm',
  });
  const set = (part: Partial<Draft>): void => {
    draft.value = { ...draft.value, ...part };
  };
  useEffect(() => {
    void findCodec({ width: 1280, height: 720, fps: 30 }).then((codec) => {
      if (!codec) set({ format: 'zip' });
    });
  }, []);
  const plan = planOf(draft.value);
  const fault = faultOf(plan);
  const close = (): void => {
    state.filmOpen.value = false;
  };
  return (
    <div class="popover film" role="dialog" aria-label="Path-traced film">
      <header>
        <h2>Path-traced film</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <p class="quiet small">
        From where you look now; if you have not moved the camera, it stands where it sees the whole motion. Workers
        trace while the page goes on.
      </p>
      <NumberRow label="From" unit="s" value={plan.from} change={(from) => set({ from })} />
      <NumberRow label="To" unit="s" value={plan.to} change={(to) => set({ to })} />
      <NumberRow label="Speed" unit="× real time" value={plan.speed} change={(speed) => set({ speed })} />
      <Choice
        label="Pictures per second"
        value={plan.fps}
        options={rates.map((rate) => [rate, String(rate)])}
        change={(fps) => set({ fps: Number(fps) })}
      />
      <Choice
        label="Size"
        value={draft.value.size}
        options={sizes.map((size) => [size, size.replace('x', ' × ')])}
        change={(size) => set({ size })}
      />
      <Choice
        label="Quality"
        value={plan.samples}
        options={qualities.map(({ samples, label }) => [samples, label])}
        change={(samples) => set({ samples: Number(samples) })}
      />
      <Choice
        label="File"
        value={plan.format}
        options={formats.map(({ format, label }) => [format, label])}
        change={(format) => set({ format: format as FilmFormat })}
      />
      {state.comparing.value && !state.overlay.value && (
        <p class="small">Of models side by side the film shows the first; drawn over each other (O), all.</p>
      )}
      <p class="small" role="status">
        {fault ?? describe(plan)}
      </p>
      <button
        type="button"
        class="action"
        disabled={fault !== undefined || state.rendering.value !== undefined}
        onClick={() => {
          if (!current.view) return;
          close();
          void renderFilm(plan, current.view);
        }}
      >
        Render
      </button>
    </div>
  );
}

function describe(plan: FilmPlan): string {
  const count = pictureCount(plan);
  const length = shortNumber(Number((count / plan.fps).toPrecision(3)));
  const rest =
    endOf() < state.duration.value ? ` The run is known until ${shortNumber(endOf())} s: let it run to film more.` : '';
  return `${count} ${count === 1 ? 'picture' : 'pictures'}, ${length} s of film.${rest}`;
}

interface RowProps<T> {
  readonly label: string;
  readonly value: T;
  change(value: T): void;
}

function NumberRow({ label, unit, value, change }: RowProps<number> & { readonly unit: string }): JSX.Element {
  return (
    <label class="row">
      <span class="label">{label}</span>
      <input
        class="number"
        type="number"
        step="any"
        value={value}
        onInput={(event) => change(event.currentTarget.valueAsNumber)}
      />
      <span class="unit">{unit}</span>
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | number;
  readonly options: readonly (readonly [value: string | number, label: string])[];
  change(value: string): void;
}

function Choice({ label, value, options, change }: ChoiceProps): JSX.Element {
  return (
    <label class="row">
      <span class="label">{label}</span>
      <select value={String(value)} onChange={(event) => change(event.currentTarget.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={String(option)}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
