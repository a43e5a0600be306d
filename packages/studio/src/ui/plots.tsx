/** Plots under the view, linked to the cursor: energies over time, and what runs along the rod at this instant. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { cursor, seek } from '../playback.ts';
import { type Frame, type LaneInfo, rodSize, statNames } from '../protocol.ts';
import * as state from '../state.ts';
import { type ColorBy, quantities } from '../view/colormaps.ts';
import { formatNumber } from './format.ts';

/** More points than this are not seen. */
const pointLimit = 500;

const series = [
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
      {count > 1 ? <DifferencePlot /> : <EnergyPlot />}
      <ProfilePlot />
    </div>
  );
}

type Build = (dark: boolean) => { options: Omit<uPlot.Options, 'width' | 'height'>; data: () => uPlot.AlignedData };

/** A plot that is drawn anew some times a second while something changes. */
function usePlot(build: Build, key: string): { host: { current: HTMLDivElement | null } } {
  const host = useRef<HTMLDivElement>(null);
  const dark = state.dark.value;
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const { options, data } = build(dark);
    const size = (): { width: number; height: number } => ({
      width: Math.max(80, element.clientWidth),
      height: Math.max(60, element.clientHeight),
    });
    const plot = new uPlot({ ...options, ...size() }, data(), element);
    const observer = new ResizeObserver(() => plot.setSize(size()));
    observer.observe(element);
    let drawn = '';
    const timer = setInterval(() => {
      const now = `${state.frames.frames.length} ${state.frames.last} ${cursor()}`;
      if (now === drawn) return;
      drawn = now;
      plot.setData(data());
    }, 120);
    return () => {
      clearInterval(timer);
      observer.disconnect();
      plot.destroy();
    };
  }, [key, dark]);
  return { host };
}

function axes(dark: boolean, unitY: string): uPlot.Axis[] {
  const ink = dark ? '#9aa4b2' : '#5c6470';
  const grid = { stroke: dark ? '#222934' : '#e6e3dc', width: 1 };
  const font = '11px ui-sans-serif, system-ui, sans-serif';
  const format = (_: unknown, values: number[]): string[] => values.map((value) => formatNumber(value));
  return [
    {
      stroke: ink,
      grid,
      ticks: { show: false },
      font,
      size: 20,
      gap: 3,
      values: format,
    },
    {
      stroke: ink,
      grid,
      ticks: { show: false },
      font,
      size: 58,
      values: format,
      label: unitY,
      labelSize: 14,
      labelFont: font,
      labelGap: 0,
    },
  ];
}

/** A line at the cursor of the timeline; a click goes there. */
function timeCursor(dark: boolean): uPlot.Plugin {
  return {
    hooks: {
      draw: (plot) => {
        const x = plot.valToPos(cursor(), 'x', true);
        const { ctx, bbox } = plot;
        ctx.save();
        ctx.strokeStyle = dark ? '#f0a35e' : '#a84b22';
        ctx.lineWidth = 1.5 * devicePixelRatio;
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
        ctx.restore();
      },
      ready: (plot) => {
        plot.over.addEventListener('click', () => {
          const { left } = plot.cursor;
          if (left !== undefined && left >= 0) seek(plot.posToVal(left, 'x'));
        });
      },
    },
  };
}

/** Ends of the vertical axis; never so close together that no tick fits between them. */
function heights(_plot: uPlot, low: number | null, high: number | null): [number, number] {
  const from = Number.isFinite(low) ? (low as number) : 0;
  const to = Number.isFinite(high) ? (high as number) : 1;
  const size = Math.max(Math.abs(from), Math.abs(to));
  if (size < 1e-14) return [0, 1];
  const gap = to - from;
  if (gap < 1e-6 * size) return from >= 0 ? [0, 1.2 * size] : [-1.2 * size, to > 0 ? 1.2 * size : 0];
  return [from >= 0 && from < 0.5 * to ? 0 : from - 0.06 * gap, to + 0.06 * gap];
}

function thin(frames: readonly Frame[]): Frame[] {
  const stride = Math.max(1, Math.ceil(frames.length / pointLimit));
  const some = frames.filter((_, k) => k % stride === 0);
  const last = frames[frames.length - 1];
  if (last && some[some.length - 1] !== last) some.push(last);
  return some;
}

const bare: Pick<uPlot.Options, 'legend' | 'padding'> = { legend: { show: false }, padding: [8, 12, 0, 0] };
const noDrag: uPlot.Cursor = { drag: { x: false, y: false }, points: { show: false } };

function EnergyPlot(): JSX.Element {
  const title = state.loaded.value?.title ?? '';
  const { host } = usePlot(
    (dark) => ({
      options: {
        ...bare,
        cursor: noDrag,
        scales: {
          x: { time: false, range: () => [0, Math.max(state.duration.value, state.frames.last)] },
          y: { range: heights },
        },
        axes: axes(dark, 'energy, J'),
        series: [
          {},
          ...series.map(({ name, light, dark: night }) => ({
            label: name,
            stroke: dark ? night : light,
            width: name === 'total' ? 1.8 : 1.3,
            dash: name === 'total' ? [5, 3] : undefined,
            points: { show: false },
          })),
        ],
        plugins: [timeCursor(dark)],
      },
      data: () => {
        const frames = thin(state.frames.frames);
        return [
          frames.map(({ time }) => time),
          ...series.map(({ name }) => {
            const k = statNames.indexOf(name);
            return frames.map(({ lanes }) => lanes[0]?.stats[k] ?? null);
          }),
        ] as uPlot.AlignedData;
      },
    }),
    `energy ${title}`,
  );
  const now = state.frames.around(state.clock.value)?.a.lanes[0]?.stats;
  return (
    <figure class="plot" aria-label="Energies over time">
      <figcaption>
        {series
          .filter(({ name }) => used(name))
          .map(({ name }) => (
            <span key={name} class={`key key-${name}`}>
              <i />
              {name} <b>{now && formatNumber(now[statNames.indexOf(name)])}</b>
            </span>
          ))}
      </figcaption>
      <div class="plot-host" ref={host} />
    </figure>
  );
}

/** Energies that the run has at all. */
function used(name: (typeof series)[number]['name']): boolean {
  const k = statNames.indexOf(name);
  const { frames } = state.frames;
  const last = frames[frames.length - 1];
  return (
    name === 'total' ||
    [frames[0], frames[frames.length >> 1], last].some((frame) => Math.abs(frame?.lanes[0]?.stats[k] ?? 0) > 0)
  );
}

/** Distance between centrelines [m]: the largest over places at equal parts of the length. */
function difference(frame: Frame, lanes: readonly LaneInfo[], lane: number): number | null {
  const reference = lanes.findIndex(({ refused }) => refused === undefined);
  const a = frame.lanes[reference]?.data;
  const b = frame.lanes[lane]?.data;
  if (!a?.length || !b?.length) return null;
  let offsetA = 0;
  let offsetB = 0;
  let most = 0;
  lanes[reference].rods.forEach((rod, r) => {
    const other = lanes[lane].rods[r];
    for (let k = 0; k <= 24; k++) {
      let square = 0;
      for (let c = 0; c < 3; c++)
        square += (along(a, offsetA, rod.nodeCount, k / 24, c) - along(b, offsetB, other.nodeCount, k / 24, c)) ** 2;
      most = Math.max(most, square);
    }
    offsetA += rodSize(rod);
    offsetB += rodSize(other);
  });
  return Math.sqrt(most);
}

function along(data: Float32Array, offset: number, nodes: number, u: number, c: number): number {
  const place = u * (nodes - 1);
  const i = Math.min(nodes - 2, Math.floor(place));
  const w = place - i;
  const o = offset + 3 * i + c;
  return (1 - w) * data[o] + w * data[o + 3];
}

function DifferencePlot(): JSX.Element {
  const lanes = state.loaded.value?.lanes ?? [];
  const names = lanes.map(({ variant }) => variant.label);
  const reference = lanes.findIndex(({ refused }) => refused === undefined);
  const others = lanes.flatMap((lane, k) => (k !== reference && lane.refused === undefined ? [k] : []));
  const { host } = usePlot(
    (dark) => ({
      options: {
        ...bare,
        cursor: noDrag,
        scales: {
          x: { time: false, range: () => [0, Math.max(state.duration.value, state.frames.last)] },
          y: { range: heights },
        },
        axes: axes(dark, 'distance, m'),
        series: [
          {},
          ...others.map((k) => ({
            label: names[k],
            stroke: laneColors[dark ? 'dark' : 'light'][k % 4],
            width: 1.6,
            points: { show: false },
          })),
        ],
        plugins: [timeCursor(dark)],
      },
      data: () => {
        const frames = thin(state.frames.frames);
        return [
          frames.map(({ time }) => time),
          ...others.map((k) => frames.map((frame) => difference(frame, lanes, k))),
        ] as uPlot.AlignedData;
      },
    }),
    `difference ${names.join()} ${others.join()}`,
  );
  return (
    <figure class="plot" aria-label="Distance between centrelines over time">
      <figcaption>
        <span>
          {others.length === 0 ? 'No second model runs this scene' : `Largest distance from ${names[reference]}`}
        </span>
        {others.map((k) => (
          <span key={names[k]} class={`key lane-key-${k % 4}`}>
            <i />
            {names[k]}
          </span>
        ))}
      </figcaption>
      <div class="plot-host" ref={host} />
    </figure>
  );
}

function ProfilePlot(): JSX.Element | null {
  const lanes = state.loaded.value?.lanes ?? [];
  const by = state.colorBy.value === 'plain' ? 'curvature' : state.colorBy.value;
  const { label, unit } = quantities[by];
  const active = lanes.flatMap((lane, k) => (lane.refused === undefined && lane.rods.length > 0 ? [k] : []));
  const rods = lanes[active[0]]?.rods ?? [];
  const shown =
    active.length > 1
      ? active.map((lane) => ({ lane, rod: 0 }))
      : rods.slice(0, 4).map((_, rod) => ({ lane: active[0], rod }));
  const { host } = usePlot(
    (dark) => ({
      options: {
        ...bare,
        cursor: { ...noDrag, x: true, y: false },
        scales: { x: { time: false }, y: { range: heights } },
        axes: axes(dark, `${label.toLowerCase()}, ${unit}`),
        series: [
          {},
          ...shown.map(({ lane, rod }, k) => ({
            label: lanes[lane].rods[rod].id,
            stroke: laneColors[dark ? 'dark' : 'light'][k % 4],
            width: 1.6,
            points: { show: false },
          })),
        ],
      },
      data: () => profile(lanes, shown, by),
    }),
    `profile ${by} ${lanes.map(({ variant, rods: each }) => `${variant.id} ${each.length} ${each[0]?.nodeCount}`).join()} ${state.loaded.value?.title}`,
  );
  // what is drawn are hairs that follow: they have no strain of their own
  if (state.loaded.value?.hair) return null;
  return (
    <figure class="plot" aria-label={`${label} along the rod`}>
      <figcaption>
        <span>
          {label} along the rod <span class="wide-only">(m)</span>
        </span>
        {shown.length > 1 &&
          shown.map(({ lane, rod }, k) => (
            <span key={`${lane} ${rod}`} class={`key lane-key-${k % 4}`}>
              <i />
              <span>{active.length > 1 ? lanes[lane].variant.label : lanes[lane].rods[rod].id}</span>
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
    let o = 0;
    for (let r = 0; r < rod; r++) o += rodSize(lanes[lane].rods[r]);
    o += 3 * info.nodeCount + 3 * info.edgeCount;
    if (by !== 'curvature') o += info.nodeCount;
    if (by === 'tension' || by === 'contact') o += info.nodeCount;
    if (by === 'contact') o += info.edgeCount;
    const values = by === 'tension' ? info.edgeCount : info.nodeCount;
    // free ends have no joint: their value would be a zero that means nothing
    const [first, last] = by === 'tension' || by === 'contact' || info.closed ? [0, values - 1] : [1, values - 2];
    return grid.map((s) => {
      if (s > info.length * (1 + 1e-6)) return null;
      const place = Math.min(
        last,
        Math.max(
          first,
          (s / info.length) * (by === 'tension' ? values : info.closed ? values : values - 1) -
            (by === 'tension' ? 0.5 : 0),
        ),
      );
      const i = Math.min(values - 2, Math.floor(place));
      return data[o + i] + (place - i) * (data[o + i + 1] - data[o + i]);
    });
  });
  return [grid, ...columns] as uPlot.AlignedData;
}
