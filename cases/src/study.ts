/**
 * A study: an experiment of a paper with what the paper claims, what is measured here and why the two differ. Where a case
 * asks for a number and says pass or miss, a study draws curves for a reader. `tendril report` writes them as a page.
 *
 * Studies are generators, so that whoever runs them can show how far they are and stop between two steps.
 */

import { type ModelId, SimulationError, type World } from '@tendril-sim/core';
import { log, square } from '@tendril-sim/core/math';
import { type SceneInput, sceneFromObject } from '@tendril-sim/io';
import { createWorld } from './world.ts';

/** `quick`: seconds, for a test; `full`: everything that the paper did, minutes. */
export type Profile = 'quick' | 'normal' | 'full';

/** One curve of a chart. */
export interface ChartLine {
  /** Name in the legend. */
  readonly label: string;
  /** Values along the x axis. */
  readonly x: readonly number[];
  /** Values along the y axis. */
  readonly y: readonly number[];
  /** Colour by place in a palette; lines of one colour belong together. */
  readonly color: number;
  /** True for a dashed line. */
  readonly dash?: boolean;
  /** True to mark the points. */
  readonly dots?: boolean;
  /** Values of x at which it failed. */
  readonly failures?: readonly number[];
}

/** A chart of a report: curves over one pair of axes. */
export interface Chart {
  readonly kind: 'chart';
  /** Title. */
  readonly title: string;
  /** Sentence below the chart. */
  readonly caption: string;
  /** Label, unit and scale of the x axis. */
  readonly x: { readonly label: string; readonly unit?: string; readonly scale?: 'linear' | 'log' };
  /** Label, unit and scale of the y axis. */
  readonly y: { readonly label: string; readonly unit?: string; readonly scale?: 'linear' | 'log' };
  /** Curves. */
  readonly lines: readonly ChartLine[];
}

/** Rods at several instants. */
export interface Snapshots {
  readonly kind: 'snapshots';
  /** Title. */
  readonly title: string;
  /** Sentence below the pictures. */
  readonly caption: string;
  /** Instants [s]. */
  readonly times: readonly number[];
  /** Rods, with their shapes at each instant. */
  readonly rods: readonly {
    readonly id: string;
    readonly radius: ArrayLike<number>;
    /** Node positions [m], one array a time. */
    readonly frames: readonly Float64Array[];
    /** Rods of one hue belong together. */
    readonly hue: number;
  }[];
  /** Acceleration of gravity [m/s²], which says where down is. */
  readonly gravity: readonly [number, number, number];
}

/** A table of a report. */
export interface StudyTable {
  readonly kind: 'table';
  /** Title. */
  readonly title: string;
  /** Sentence below the table. */
  readonly caption: string;
  /** Headings. */
  readonly columns: readonly string[];
  /** Cells, row by row. */
  readonly rows: readonly (readonly (string | number)[])[];
}

/** Whether the paper's claim is found here. */
export type Verdict = 'holds' | 'in part' | 'does not hold';

/** What a study measured, and its verdict on the claim. */
export interface StudyResult {
  /** Whether the claim holds. */
  readonly verdict: Verdict;
  /** One sentence with the number that matters. */
  readonly headline: string;
  /** Paragraphs. */
  readonly measured: readonly string[];
  /** Reasons, where the claim holds in part or not. */
  readonly why: readonly string[];
  /** Charts, pictures and tables. */
  readonly exhibits: readonly (Chart | Snapshots | StudyTable)[];
}

/** A study of a paper's figure. `run` yields progress messages and returns the result. */
export interface PaperStudy {
  /** Name, unique among studies. */
  readonly id: string;
  /** What it repeats, such as `Fig. 3`. */
  readonly figure: string;
  /** Heading. */
  readonly title: string;
  /** What the paper claims. */
  readonly claim: string;
  /** Parameters, and what had to be assumed. */
  readonly setup: string;
  /** Yields what it is doing, often enough to be stopped. */
  run(profile: Profile): Generator<string, StudyResult>;
}

/** What a run gave, and what it cost. */
export interface Trace {
  /** The world at the end of the run. */
  readonly world: World;
  /** Why it stopped early. */
  readonly failure?: string;
  /** Steps taken. */
  readonly steps: number;
  /** Linear systems solved. */
  readonly solves: number;
  /** [s]; measured here, with whatever else ran. */
  readonly wall: number;
}

/** Runs a scene to `until`, calling `observe` at the start and after every step; a failure ends it and is no exception. */
export function* trace(
  input: SceneInput,
  until: number,
  what: string,
  observe: (world: World) => void = () => {},
): Generator<string, Trace> {
  const world = createWorld(sceneFromObject(input, 'study'));
  observe(world);
  let [steps, solves, wall] = [0, 0, 0];
  let last = performance.now();
  while (world.time < until - 1e-9) {
    try {
      const report = world.step();
      solves += report.iterations;
      steps++;
    } catch (error) {
      if (!(error instanceof SimulationError)) throw error;
      return { world, failure: error.message, steps, solves, wall: wall + (performance.now() - last) / 1000 };
    }
    const now = performance.now();
    wall += (now - last) / 1000;
    observe(world);
    if (steps % 16 === 0) yield `${what}, t = ${world.time.toFixed(2)} s`;
    last = performance.now();
  }
  return { world, steps, solves, wall };
}

/** Runs a generator to its end, for those who neither watch nor stop. */
export function finish<T>(generator: Generator<string, T>): T {
  for (;;) {
    const next = generator.next();
    if (next.done) return next.value;
  }
}

/** Slope of log y over log x by least squares: the measured order where x is a step. */
export function slope(x: readonly number[], y: readonly number[]): number {
  const pairs = x.map((value, k) => [log(value), log(y[k])]).filter((pair) => pair.every(Number.isFinite));
  const mean = (k: number): number => pairs.reduce((sum, pair) => sum + pair[k], 0) / pairs.length;
  const [mx, my] = [mean(0), mean(1)];
  const along = pairs.reduce((sum, [a]) => sum + square(a - mx), 0);
  return pairs.reduce((sum, [a, b]) => sum + (a - mx) * (b - my), 0) / along;
}

/** Two or three digits, in words that a reader takes in: 0.12, 3.4e-7. */
export function brief(value: number, digits = 2): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  const plain = magnitude >= 1e-3 && magnitude < 1e4;
  return (
    plain
      ? String(Number(value.toPrecision(digits)))
      : value
          .toExponential(digits - 1)
          .replace(/\.?0+e/, 'e')
          .replace('e+', 'e')
  ).replace(/-/g, '−');
}

/** 3.4e−7 → 3.4·10⁻⁷ is left to the page; per cent here. */
export function percent(value: number, digits = 2): string {
  return `${brief(100 * value, digits)} %`;
}

export type { ModelId };
