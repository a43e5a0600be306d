/** Plots under the view, linked to the cursor: energies and distances over time, and what runs along the rod at this instant. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type uPlot from 'uplot';
import { layoutOfLane } from '../frameLayout.ts';
import type { StatSample } from '../frames.ts';
import { cursor } from '../playback.ts';
import { type LaneInfo, type StatName, statNames } from '../protocol.ts';
import * as state from '../state.ts';
import { type ColorBy, quantities } from '../view/colormaps.ts';
import { formatNumber, formatTime } from './format.ts';
import { axes, bare, heights, noDrag, onAxis, readOut, thin, timeCursor, timeScales, usePlot } from './plotParts.ts';

const energies = [
  { name: 'kinetic', light: '#0072b2', dark: '#5aaee6' },
  { name: 'bending', light: '#c25e00', dark: '#f0a35e' },
  { name: 'twisting', light: '#00835f', dark: '#4cc9a0' },
  { name: 'stretching', light: '#a5457f', dark: '#e08cc0' },
  { name: 'potential', light: '#8a7a00', dark: '#d9cc4e' },
  { name: 'total', light: '#1d2129', dark: '#e8eaee' },
] as const;

const laneColors = {
  light: ['#b06f00', '#0072b2', '#00835f', '#a5457f'],
  dark: ['#e8a33d', '#4aa8e0', '#3bb58f', '#d98bbd'],
};

export function Plots(): JSX.Element {
  const count = state.loaded.value?.lanes.length ?? 0;
  // nothing until there is something: axes without a scene would show numbers that mean nothing
  if (count === 0) return <div class="plots" />;
  return (
    <div class="plots">
      {count > 1 ? <ComparisonPlot /> : <EnergyPlot />}
      <ProfilePlot />
    </div>
  );
}

/** Where the mouse is over a plot: the number of the point, and its place on the horizontal axis. */
interface Hovered {
  readonly index: number;
  readonly at: number;
}

const hover =
  (hovered: Signal<Hovered | undefined>) =>
  (index: number | undefined, at: number): void => {
    hovered.value = index === undefined ? undefined : { index, at };
  };

/** Between two samples, as the picture is between two frames. */
function mix(a: StatSample, b: StatSample, weight: number): StatSample {
  const blend = (x: number, y: number): number => x + weight * (y - x);
  return {
    time: blend(a.time, b.time),
    lanes: a.lanes.map((lane, k) => lane.map((value, i) => blend(value, b.lanes[k]?.[i] ?? value))),
    distances: a.distances.map((x, k) => {
      const y = b.distances[k];
      return x === undefined || y === undefined ? x : blend(x, y);
    }),
  };
}

/** The values of a time between the samples, else of the first or the last. */
function sampleAt(samples: readonly StatSample[], time: number): StatSample | undefined {
  let low = 0;
  let high = samples.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (samples[middle].time <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  const [a, b] = [samples[low], samples[low + 1]];
  return a && b && time > a.time ? mix(a, b, (time - a.time) / (b.time - a.time)) : a;
}

function LogButton({ log }: { readonly log: Signal<boolean> }): JSX.Element {
  return (
    <button
      type="button"
      class="plot-toggle"
      aria-pressed={log.value}
      title="Logarithmic axis: sizes of the values"
      onClick={() => {
        log.value = !log.value;
      }}
    >
      log
    </button>
  );
}

/** Curves over time with a ghost of each from the run before, as one axis of times. */
function withGhost(
  read: (sample: StatSample) => readonly (number | null | undefined)[],
  isLog: boolean,
): uPlot.AlignedData {
  const now = thin(state.frames.stats);
  const ghost = thin(state.ghostStats.value);
  const times = [...new Set([...now, ...ghost].map(({ time }) => time))].sort((a, b) => a - b);
  const at = new Map(times.map((time, k) => [time, k]));
  const columns = (samples: readonly StatSample[]): (number | null | undefined)[][] => {
    const count = samples.length > 0 ? read(samples[0]).length : 0;
    const out = Array.from({ length: count }, () => new Array<number | null | undefined>(times.length).fill(undefined));
    for (const sample of samples)
      read(sample).forEach((value, c) => {
        out[c][at.get(sample.time) ?? 0] = onAxis(value, isLog);
      });
    return out;
  };
  const empty = (): (number | null)[] => times.map(() => null);
  const present = columns(now);
  const before = columns(ghost);
  const width = Math.max(present.length, before.length);
  const all = [present, before].flatMap((list) => Array.from({ length: width }, (_, k) => list[k] ?? empty()));
  return [times, ...all] as uPlot.AlignedData;
}

function EnergyPlot(): JSX.Element {
  const title = state.loaded.value?.title ?? '';
  const log = useSignal(false);
  const hovered = useSignal<Hovered | undefined>(undefined);
  const isLog = log.value;
  const host = usePlot((dark) => {
    const curve = (ghost: boolean): uPlot.Series[] =>
      energies.map(({ name, light, dark: night }) => ({
        label: name,
        stroke: `${dark ? night : light}${ghost ? '48' : ''}`,
        width: name === 'total' ? 1.8 : 1.3,
        ...(name === 'total' && { dash: [5, 3] }),
        points: { show: false },
      }));
    return {
      options: {
        ...bare,
        cursor: noDrag,
        scales: timeScales(isLog),
        axes: axes({ dark, unitX: 's', labelY: isLog ? 'energy (size), J' : 'energy, J', isLog }),
        series: [{}, ...curve(false), ...curve(true)],
        plugins: [timeCursor(dark), readOut(hover(hovered))],
      },
      data: () =>
        withGhost(({ lanes }) => energies.map(({ name }) => lanes[0]?.[statNames.indexOf(name)] ?? null), isLog),
    };
  }, `energy ${title} ${isLog}`);
  const now = sampleAt(state.frames.stats, hovered.value?.at ?? state.clock.value)?.lanes[0];
  return (
    <figure class="plot" aria-label="Energies over time">
      <figcaption>
        <At hovered={hovered.value} />
        {energies
          .filter(({ name }) => isUsed(name))
          .map(({ name }) => (
            <span key={name} class={`key key-${name}`}>
              <i />
              {name} <b>{now && formatNumber(now[statNames.indexOf(name)])}</b>
            </span>
          ))}
        <LogButton log={log} />
      </figcaption>
      <div class="plot-host" ref={host} />
    </figure>
  );
}

/** The time whose values are written out, while the mouse is over a plot. */
function At({ hovered }: { readonly hovered: Hovered | undefined }): JSX.Element | null {
  return hovered ? <span class="quiet plot-at">{formatTime(hovered.at, state.duration.value)} s</span> : null;
}

/** Energies that the run has at all. */
function isUsed(name: StatName): boolean {
  const k = statNames.indexOf(name);
  const { stats } = state.frames;
  return (
    name === 'total' ||
    [stats[0], stats[stats.length >> 1], stats[stats.length - 1]].some(
      (sample) => Math.abs(sample?.lanes[0]?.[k] ?? 0) > 0,
    )
  );
}

const compared = ['distance', 'total', 'kinetic', 'bending', 'twisting', 'stretching', 'potential'] as const;
type Compared = (typeof compared)[number];

/** Models side by side: the distance from the first, or one of the energies of each. */
function ComparisonPlot(): JSX.Element {
  const lanes = state.loaded.value?.lanes ?? [];
  const names = lanes.map(({ variant }) => variant.label);
  const what = useSignal<Compared>('distance');
  const log = useSignal(false);
  const hovered = useSignal<Hovered | undefined>(undefined);
  const reference = lanes.findIndex(({ refused }) => refused === undefined);
  const running = lanes.flatMap(({ refused }, k) => (refused === undefined ? [k] : []));
  const shown = what.value === 'distance' ? running.filter((k) => k !== reference) : running;
  const [isLog, quantity] = [log.value, what.value];
  const read = ({ lanes: each, distances }: StatSample): (number | null)[] =>
    shown.map((k) => (quantity === 'distance' ? distances[k] : each[k]?.[statNames.indexOf(quantity)]) ?? null);
  const host = usePlot((dark) => {
    const curve = (ghost: boolean): uPlot.Series[] =>
      shown.map((k) => ({
        label: names[k],
        stroke: `${laneColors[dark ? 'dark' : 'light'][k % 4]}${ghost ? '48' : ''}`,
        width: 1.6,
        points: { show: false },
      }));
    return {
      options: {
        ...bare,
        cursor: noDrag,
        scales: timeScales(isLog),
        axes: axes({ dark, unitX: 's', labelY: quantity === 'distance' ? 'distance, m' : `${quantity}, J`, isLog }),
        series: [{}, ...curve(false), ...curve(true)],
        plugins: [timeCursor(dark), readOut(hover(hovered))],
      },
      data: () => withGhost(read, isLog),
    };
  }, `compare ${names.join()} ${shown.join()} ${quantity} ${isLog}`);
  const now = sampleAt(state.frames.stats, hovered.value?.at ?? state.clock.value);
  const values = now ? read(now) : [];
  return (
    <figure class="plot" aria-label="Models compared over time">
      <figcaption>
        <label class="plot-what">
          <span class="sr">Compared quantity</span>
          <select
            value={quantity}
            onChange={(event) => {
              what.value = event.currentTarget.value as Compared;
            }}
          >
            {compared.map((name) => (
              <option key={name} value={name}>
                {name === 'distance' ? `distance from ${names[reference] ?? ''}` : `${name} energy`}
              </option>
            ))}
          </select>
        </label>
        <At hovered={hovered.value} />
        {shown.length === 0 && <span>No second model runs this scene</span>}
        {shown.map((k, c) => (
          <span key={names[k]} class={`key lane-key-${k % 4}`}>
            <i />
            {names[k]} <b>{values[c] === null || values[c] === undefined ? '' : formatNumber(values[c])}</b>
          </span>
        ))}
        <LogButton log={log} />
      </figcaption>
      <div class="plot-host" ref={host} />
    </figure>
  );
}

function ProfilePlot(): JSX.Element | null {
  const lanes = state.loaded.value?.lanes ?? [];
  const by = state.colorBy.value === 'plain' ? 'curvature' : state.colorBy.value;
  const { label, unit } = quantities[by];
  const hovered = useSignal<Hovered | undefined>(undefined);
  const active = lanes.flatMap((lane, k) => (lane.refused === undefined && lane.rods.length > 0 ? [k] : []));
  const rods = lanes[active[0]]?.rods ?? [];
  const shown =
    active.length > 1
      ? active.map((lane) => ({ lane, rod: 0 }))
      : rods.slice(0, 4).map((_, rod) => ({ lane: active[0], rod }));
  const host = usePlot(
    (dark) => ({
      options: {
        ...bare,
        cursor: { ...noDrag, x: true, y: false },
        scales: { x: { time: false }, y: { range: heights } },
        axes: axes({ dark, unitX: 'm', labelY: `${label.toLowerCase()}, ${unit}` }),
        series: [
          {},
          ...shown.map(({ lane, rod }, k) => ({
            label: lanes[lane].rods[rod].id,
            stroke: laneColors[dark ? 'dark' : 'light'][k % 4],
            width: 1.6,
            points: { show: false },
          })),
        ],
        plugins: [readOut(hover(hovered))],
      },
      data: () => profile(lanes, shown, by),
    }),
    `profile ${by} ${lanes.map(({ variant, rods: each }) => `${variant.id} ${each.length} ${each[0]?.nodeCount}`).join()} ${state.loaded.value?.title}`,
  );
  // what is drawn are hairs that follow: they have no strain of their own
  if (state.loaded.value?.hair) return null;
  const at = hovered.value;
  const columns = at && state.clock.value >= 0 ? profile(lanes, shown, by) : [];
  const value = (k: number): ComponentChildren => {
    const found = at && columns[k + 1]?.[at.index];
    return typeof found === 'number' ? <b>{formatNumber(found)}</b> : null;
  };
  return (
    <figure class="plot" aria-label={`${label} along the rod`}>
      <figcaption>
        <span>
          {label} along the rod {at && <span class="quiet">at {formatNumber(at.at)} m</span>}
          {shown.length === 1 && value(0)}
        </span>
        {shown.length > 1 &&
          shown.map(({ lane, rod }, k) => (
            <span key={`${lane} ${rod}`} class={`key lane-key-${k % 4}`}>
              <i />
              <span>{active.length > 1 ? lanes[lane].variant.label : lanes[lane].rods[rod].id}</span> {value(k)}
            </span>
          ))}
      </figcaption>
      <div class="plot-host" ref={host} />
    </figure>
  );
}

/** Values at the cursor's instant on a common grid of arc lengths. */
function profile(
  lanes: readonly LaneInfo[],
  shown: readonly { lane: number; rod: number }[],
  by: Exclude<ColorBy, 'plain'>,
): uPlot.AlignedData {
  const frame = state.frames.around(cursor())?.a;
  const count = 160;
  const length = Math.max(1e-9, ...shown.map(({ lane, rod }) => lanes[lane].rods[rod].length));
  const grid = Array.from({ length: count + 1 }, (_, k) => (length * k) / count);
  const columns = shown.map(({ lane, rod }) => {
    const data = frame?.lanes[lane]?.data;
    const info = lanes[lane].rods[rod];
    if (!data?.length) return grid.map(() => null);
    const o = layoutOfLane(lanes[lane]).rods[rod][by];
    const values = by === 'tension' ? info.edgeCount : info.nodeCount;
    // free ends have no joint: their value would be a zero that means nothing
    const [first, last] = by === 'tension' || by === 'contact' || info.closed ? [0, values - 1] : [1, values - 2];
    const spans = by === 'tension' || info.closed ? values : values - 1;
    return grid.map((s) => {
      if (s > info.length * (1 + 1e-6)) return null;
      const place = Math.min(last, Math.max(first, (s / info.length) * spans - (by === 'tension' ? 0.5 : 0)));
      const i = Math.min(values - 2, Math.floor(place));
      return data[o + i] + (place - i) * (data[o + i + 1] - data[o + i]);
    });
  });
  return [grid, ...columns] as uPlot.AlignedData;
}
