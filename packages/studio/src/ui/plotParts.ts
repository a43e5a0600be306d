/** What plots have in common: axes, the cursor of the timeline, scrubbing, read-outs. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { cursor, seek } from '../playback.ts';
import * as state from '../state.ts';
import { formatTicks } from './format.ts';

/** More points than this are not seen. */
const pointLimit = 500;
/** From one drawing of a plot to the next [ms]. */
const pause = state.isCoarse ? 500 : 120;

export type Build = (dark: boolean) => {
  readonly options: Omit<uPlot.Options, 'width' | 'height'>;
  readonly data: () => uPlot.AlignedData;
};

/** A plot that is drawn anew some times a second while something changes. */
export function usePlot(build: Build, key: string): { readonly current: HTMLDivElement | null } {
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
      const now = `${state.frames.stats.length} ${state.frames.last} ${cursor()} ${state.ghostStats.value.length}`;
      if (now === drawn) return;
      drawn = now;
      plot.setData(data());
    }, pause);
    return () => {
      clearInterval(timer);
      observer.disconnect();
      plot.destroy();
    };
  }, [key, dark]);
  return host;
}

/** Powers of ten of an axis with at most six of them. */
function powers(_plot: uPlot, _axis: number, low: number, high: number): number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const stride = Math.ceil((last - first + 1) / 6);
  return Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, k) => 10 ** (first + stride * k));
}

interface AxesStyle {
  readonly dark: boolean;
  /** Written behind the last number below. */
  readonly unitX: string;
  /** Along the vertical axis. */
  readonly labelY: string;
  readonly isLog?: boolean;
}

export function axes({ dark, unitX, labelY, isLog = false }: AxesStyle): uPlot.Axis[] {
  const ink = dark ? '#9aa4b2' : '#5c6470';
  const grid = { stroke: dark ? '#222934' : '#e6e3dc', width: 1 };
  const font = '11px ui-sans-serif, system-ui, sans-serif';
  const common = { stroke: ink, grid, ticks: { show: false }, font };
  return [
    { ...common, size: 20, gap: 3, values: (_, values) => formatTicks(values, unitX) },
    {
      ...common,
      size: 58,
      values: (_, values) => formatTicks(values),
      ...(isLog && { splits: powers, filter: (_: uPlot, splits: number[]) => splits }),
      label: labelY,
      labelSize: 14,
      labelFont: font,
      labelGap: 0,
    },
  ];
}

/** A line at the cursor of the timeline; pressing and dragging move it. */
export function timeCursor(dark: boolean): uPlot.Plugin {
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
      ready: ({ over, posToVal }) => {
        const go = (event: PointerEvent): void => {
          if ((event.buttons & 1) === 0) return;
          seek(posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
        };
        over.addEventListener('pointerdown', (event) => {
          over.setPointerCapture(event.pointerId);
          go(event);
        });
        over.addEventListener('pointermove', go);
      },
    },
  };
}

/** Tells the number of the point under the mouse; undefined where it is not over the plot. */
export function readOut(tell: (index: number | undefined, at: number) => void): uPlot.Plugin {
  return {
    hooks: {
      setCursor: ({ cursor: { idx, left }, data }) => {
        const inside = idx !== null && idx !== undefined && left !== undefined && left >= 0;
        tell(inside ? idx : undefined, inside ? data[0][idx] : 0);
      },
    },
  };
}

/** Ends of the vertical axis; never so close together that no tick fits between them. */
export function heights(_plot: uPlot, low: number | null, high: number | null): [number, number] {
  const from = Number.isFinite(low) ? (low as number) : 0;
  const to = Number.isFinite(high) ? (high as number) : 1;
  const size = Math.max(Math.abs(from), Math.abs(to));
  if (size < 1e-14) return [0, 1];
  const gap = to - from;
  if (gap < 1e-6 * size) return from >= 0 ? [0, 1.2 * size] : [-1.2 * size, to > 0 ? 1.2 * size : 0];
  return [from >= 0 && from < 0.5 * to ? 0 : from - 0.06 * gap, to + 0.06 * gap];
}

/** At most eight decades below the largest value. */
function decades(_plot: uPlot, low: number | null, high: number | null): [number, number] {
  const to = high && high > 0 ? high : 1;
  const from = Math.max(low && low > 0 ? low : to / 10, to * 1e-8);
  return [10 ** Math.floor(Math.log10(from)), 10 ** Math.ceil(Math.log10(to * 1.0001))];
}

export function timeScales(isLog: boolean): uPlot.Scales {
  return {
    x: { time: false, range: () => [0, Math.max(state.duration.value, state.frames.last)] },
    y: isLog ? { distr: 3, range: decades } : { range: heights },
  };
}

/** On a logarithmic axis the size of what is positive or negative; zero is left out. */
export const onAxis = (value: number | null | undefined, isLog: boolean): number | null =>
  value === undefined || value === null ? null : isLog ? Math.abs(value) || null : value;

export function thin<T>(samples: readonly T[]): T[] {
  const stride = Math.max(1, Math.ceil(samples.length / pointLimit));
  const some = samples.filter((_, k) => k % stride === 0);
  const last = samples[samples.length - 1];
  if (last !== undefined && some[some.length - 1] !== last) some.push(last);
  return some;
}

export const bare: Pick<uPlot.Options, 'legend' | 'padding'> = { legend: { show: false }, padding: [8, 26, 0, 0] };
export const noDrag: uPlot.Cursor = { drag: { x: false, y: false }, points: { show: false } };
