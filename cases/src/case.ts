/**
 * A case: a scene, what to measure on it, and what to expect. One object, read by the tests, by `tendril check`, by
 * `tendril run <id>` and by the documentation.
 */

import type { EquilibriumReport, ModelId, Scene, World } from '@tendril-sim/core';
import { hypotOf, log } from '@tendril-sim/core/math';
import { type SceneInput, sceneFromObject } from '@tendril-sim/io';
import type { CaseGroup, CaseTopic } from './groups.ts';
import type { PaperClaim } from './papers.ts';
import { createWorld } from './world.ts';

/** A number, or one for each resolution n and model. */
export type Bound = number | ((n: number, model: ModelId) => number);

interface Asked {
  /** Models that it is asked of; default all of the case. */
  readonly models?: readonly ModelId[];
}

/** A value that theory gives, with the largest error that is allowed. */
export interface ExactValue extends Asked {
  /** What theory says. */
  readonly value: number;
  /** Largest allowed error, at resolution n, of a model. */
  readonly tolerance: Bound;
  /** The error is |measured − value| / scale; default |value|, or 1 where value is 0. */
  readonly scale?: number;
  /** Least order of convergence in 1/n between successive resolutions; of a model that has none, undefined. */
  readonly order?: number | ((model: ModelId) => number | undefined);
  /** Below this error, rounding and the reference's own digits decide: no order is asked for. */
  readonly floor?: number | ((model: ModelId) => number);
}

/** measured ≤ bound: errors, penetrations, counts of failures. */
export interface AtMost extends Asked {
  readonly atMost: Bound;
}

/** measured ≥ bound: how much better one method is than another. */
export interface AtLeast extends Asked {
  readonly atLeast: Bound;
}

/** low ≤ measured ≤ high: quantities that only experiments give. */
export interface Band extends Asked {
  readonly from: Bound;
  readonly to: Bound;
}

/** A point of a measured curve. */
export type CurvePoint = readonly [x: number, y: number];

/** Every point of a measured curve lies in a band about the curve that theory gives. */
export interface CurveInBand extends Asked {
  /** Theory: y at x, for resolution n and a model. */
  readonly curve: (x: number, n: number, model: ModelId) => number;
  /** Half the width of the band: the largest allowed |measured − curve| / scale. */
  readonly within: Bound;
  /** Default 1. */
  readonly scale?: number;
}

/** The measured quantity is less than another one that is measured with it. */
export interface Ordering extends Asked {
  readonly lessThan: string;
}

/** `measure` returns true. */
export interface Holds extends Asked {
  readonly holds: true;
}

/** What a measured quantity is compared with. */
export type Expectation = ExactValue | AtMost | AtLeast | Band | CurveInBand | Ordering | Holds;

/** Expectations by the names of measured quantities. */
export type Expectations = Readonly<Record<string, Expectation>>;

/** Measured quantities by name: a boolean for an expectation that `holds`, points for one of a `curve`. */
export type Measured = Readonly<Record<string, number | boolean | readonly CurvePoint[]>>;

/** Resolutions n of a case: `quick` for the tests, `full` for `tendril check --full`. */
export interface Resolutions {
  readonly quick: readonly number[];
  readonly full: readonly number[];
}

/** A quantity of the scene worth changing by hand, and where theory says that something happens. */
export interface CaseControl {
  /** Where it is in the scene, such as `['rods', 0, 'frame', 'twist']`. */
  readonly path: readonly (string | number)[];
  readonly label: string;
  readonly symbol?: string;
  readonly unit?: string;
  /** Ends of its slider. */
  readonly low: number;
  readonly high: number;
  /** What is shown is the value of the scene times this: −1 for a force that points down. Default 1. */
  readonly factor?: number;
  /** By the other values of the scene; undefined where theory says nothing about them. */
  threshold?(scene: Scene): { readonly at: number; readonly what: string } | undefined;
}

/** An experiment with a known result: its scene, what to measure on it, and what theory expects. */
export interface Case {
  readonly id: string;
  readonly title: string;
  /** Which part of a gallery shows it; default `classics`. */
  readonly group?: CaseGroup;
  /** What it is about, for a gallery's filters. */
  readonly topics?: readonly CaseTopic[];
  /** What a viewer lets its rods look as if made of; default rubber. */
  readonly finish?: 'rubber' | 'steel' | 'rope' | 'yarn' | 'wood';
  /** What a viewer colours its rods by; default curvature. */
  readonly colorBy?: 'curvature' | 'twist';
  /** Where the numbers come from. */
  readonly source: string;
  readonly models: readonly ModelId[];
  /** Figures and claims of papers that it shows; `tendril report --paper` collects them. */
  readonly papers?: readonly PaperClaim[];
  /** Resolutions (edges, or steps a unit of time): for the tests, and for `check --full`. */
  readonly quick: readonly number[];
  readonly full: readonly number[];
  /** Where a model counts otherwise: a super-helix has few elements, a mass-spring hair does not converge. */
  readonly resolutions?: Readonly<Partial<Record<ModelId, Resolutions>>>;
  /** A scene worth running and looking at. */
  scene(): SceneInput;
  /** Measured quantities by name at resolution n. */
  measure(n: number, model: ModelId): Measured;
  /** By the names of measured quantities. */
  readonly expect: Expectations;
  /** Up to three quantities that matter most; the studio shows them above all others. */
  readonly controls?: readonly CaseControl[];
  /** A figure of what was found; `check --out` draws it. */
  figure?(rows: readonly CheckRow[]): CaseFigure;
}

/** Curves over a common axis or over axes of their own, and points. */
export interface CaseFigure {
  readonly title: string;
  readonly subtitle?: string;
  readonly x: readonly number[];
  readonly xLabel: string;
  readonly xUnit?: string;
  readonly xScale?: 'linear' | 'log';
  readonly yLabel: string;
  readonly yUnit?: string;
  readonly yScale?: 'linear' | 'log';
  readonly lines: readonly {
    readonly label: string;
    readonly y: readonly number[];
    /** Default: the common axis. */
    readonly x?: readonly number[];
    readonly dots?: boolean;
  }[];
  readonly points: readonly { readonly x: number; readonly y: number; readonly filled: boolean }[];
}

/** How measured and expected value are compared; `in` stands for a band. */
export type Relation = '=' | '≤' | '≥' | '<' | 'in';

/** One comparison of a measured quantity with its expectation, for one model and resolution. */
export interface CheckRow {
  readonly case: string;
  readonly model: string;
  readonly n: number;
  readonly quantity: string;
  readonly measured: number;
  readonly expected: number;
  /** Of a curve: the x of the point that is farthest from theory; the other fields are of that point. */
  readonly at?: number;
  /** How the two are compared: `≤` where an upper bound is expected. */
  readonly relation: Relation;
  readonly error: number;
  readonly tolerance: number;
  readonly order: number | null;
  readonly pass: boolean;
}

/** Options of `runChecks`: `full` measures at the fine resolutions, `model` selects one model. */
export interface CheckOptions {
  readonly full: boolean;
  readonly model?: string;
  readonly onProgress?: (done: number, of: number, what: string) => void;
}

/** A case as it is written: theory that has to be computed is a function, called once when a check asks for it. */
export type CaseDefinition = Omit<Case, 'expect'> & { readonly expect: Expectations | (() => Expectations) };

/** Makes a case of its definition; an `expect` that is a function is called when a check first needs it. */
export function defineCase({ expect, ...rest }: CaseDefinition): Case {
  let known = typeof expect === 'function' ? undefined : expect;
  return {
    ...rest,
    get expect(): Expectations {
      known ??= (expect as () => Expectations)();
      return known;
    },
  };
}

/** Measures a case on its models, from coarse to fine, and compares every quantity with its expectation. Throws if a quantity has none. */
export function runChecks(subject: Case, options: CheckOptions): CheckRow[] {
  const models = subject.models.filter((model) => options.model === undefined || options.model === model);
  const resolutionsOf = (model: ModelId): readonly number[] => {
    const { quick, full } = subject.resolutions?.[model] ?? subject;
    return options.full ? full : quick;
  };
  const total = models.reduce((sum, model) => sum + resolutionsOf(model).length, 0);
  const rows: CheckRow[] = [];
  let done = 0;
  for (const model of models) {
    const before = new Map<string, { n: number; error: number }>();
    for (const n of resolutionsOf(model)) {
      options.onProgress?.(done++, total, `${subject.id}, ${model}, n = ${n}`);
      const measured = subject.measure(n, model);
      rejectUnexpected(subject, measured);
      for (const [quantity, expected] of Object.entries(subject.expect)) {
        if (expected.models && !expected.models.includes(model)) continue;
        const row = judge({ case: subject.id, model, n, quantity }, measured, expected, before.get(quantity));
        before.set(quantity, { n, error: row.error });
        rows.push(row);
      }
    }
  }
  return rows;
}

/** Throws if something is measured that no expectation judges or compares with. */
function rejectUnexpected({ id, expect }: Case, measured: Measured): void {
  const partners = Object.values(expect).flatMap((one) => ('lessThan' in one ? [one.lessThan] : []));
  const loose = Object.keys(measured).find((name) => !(name in expect) && !partners.includes(name));
  if (loose !== undefined) throw new Error(`case ${id} measures '${loose}' and expects nothing of it`);
}

type Asking = Pick<CheckRow, 'case' | 'n' | 'quantity'> & { readonly model: ModelId };

function judge(
  asking: Asking,
  measured: Measured,
  expected: Expectation,
  before: { readonly n: number; readonly error: number } | undefined,
): CheckRow {
  const { n, model, quantity } = asking;
  if ('curve' in expected) return judgeCurve(asking, measured[quantity], expected);
  const found = Number(measured[quantity] ?? Number.NaN);
  const { value, relation, error, tolerance } = compare(found, expected, measured, asking);
  const order = before && 'value' in expected ? log(before.error / error) / log(n / before.n) : null;
  const base = { ...asking, measured: found, expected: value, relation, error, tolerance, order };
  if (relation === '<') return { ...base, pass: found < value };
  if (!('value' in expected)) return { ...base, pass: error <= tolerance };
  const least = typeof expected.order === 'function' ? expected.order(model) : expected.order;
  const floor = typeof expected.floor === 'function' ? expected.floor(model) : (expected.floor ?? 0);
  return {
    ...base,
    pass: error <= tolerance && (least === undefined || order === null || error <= floor || order >= least),
  };
}

/** A curve is judged by the point that is farthest from theory. */
function judgeCurve(asking: Asking, measured: Measured[string] | undefined, expected: CurveInBand): CheckRow {
  const { n, model } = asking;
  const { curve, within, scale = 1 } = expected;
  const tolerance = typeof within === 'number' ? within : within(n, model);
  const points = Array.isArray(measured) ? (measured as readonly CurvePoint[]) : [];
  let worst = { measured: Number.NaN, expected: Number.NaN, at: Number.NaN, error: Number.NaN };
  for (const [at, y] of points) {
    const theory = curve(at, n, model);
    const error = Math.abs(y - theory) / scale;
    // a point that is no number is the worst, and stays it
    if (!(error <= worst.error)) worst = { measured: y, expected: theory, at, error };
    if (Number.isNaN(error)) break;
  }
  return { ...asking, ...worst, relation: '=', tolerance, order: null, pass: worst.error <= tolerance };
}

type Comparison = Pick<CheckRow, 'relation' | 'error' | 'tolerance'> & { readonly value: number };

/** What is expected as a value with a relation, and the error: of a bound, how far it is exceeded. */
function compare(
  found: number,
  expected: Exclude<Expectation, CurveInBand>,
  measured: Measured,
  { n, model }: Asking,
): Comparison {
  const at = (bound: Bound): number => (typeof bound === 'number' ? bound : bound(n, model));
  // NaN exceeds every bound
  const beyond = (excess: number): number => (excess <= 0 ? 0 : excess);
  if ('atMost' in expected) {
    const value = at(expected.atMost);
    return { value, relation: '≤', error: beyond(found - value), tolerance: 0 };
  }
  if ('atLeast' in expected) {
    const value = at(expected.atLeast);
    return { value, relation: '≥', error: beyond(value - found), tolerance: 0 };
  }
  if ('lessThan' in expected) {
    const value = Number(measured[expected.lessThan] ?? Number.NaN);
    return { value, relation: '<', error: beyond(found - value), tolerance: 0 };
  }
  if ('from' in expected) {
    const [low, high] = [at(expected.from), at(expected.to)];
    const value = (low + high) / 2;
    return { value, relation: 'in', error: Math.abs(found - value), tolerance: (high - low) / 2 };
  }
  if ('holds' in expected) return { value: 1, relation: '=', error: Math.abs(found - 1), tolerance: 0 };
  const scale = expected.scale ?? (Math.abs(expected.value) || 1);
  const error = Math.abs(found - expected.value) / scale;
  return { value: expected.value, relation: '=', error, tolerance: at(expected.tolerance) };
}

/** The scene with all its rods on one model. */
export function onModel(input: SceneInput, model: ModelId): SceneInput {
  return { ...input, rods: input.rods.map((rod) => ({ ...rod, model })) };
}

/** Set by `firstScene`, to which `worldOf` then throws its scene. */
let isCapturing = false;

class CapturedScene extends Error {
  readonly scene: Scene;
  constructor(scene: Scene) {
    super('a scene was captured');
    this.scene = scene;
  }
}

/** World of a scene written as in a file: units allowed, validated. */
export function worldOf(input: SceneInput): World {
  const scene = sceneFromObject(input, 'case');
  if (isCapturing) throw new CapturedScene(scene);
  return createWorld(scene);
}

/** The first scene that a case measures with a model at its coarsest quick resolution. */
export function firstScene(subject: Case, model: ModelId): Scene {
  const { quick } = subject.resolutions?.[model] ?? subject;
  isCapturing = true;
  try {
    subject.measure(quick[0], model);
  } catch (error) {
    if (error instanceof CapturedScene) return error.scene;
    throw error;
  } finally {
    isCapturing = false;
  }
  throw new Error(`case ${subject.id} measures without a world`);
}

/** Equilibrium, or an exception that says why there is none. */
export function equilibrium(world: World, t?: number): EquilibriumReport[] {
  const reports = world.equilibrate(t);
  for (const report of reports) {
    if (!report.converged)
      throw new Error(
        `rod ${report.rod}: ${report.reason} (residual ${report.residual}, tolerance ${report.tolerance})`,
      );
  }
  return reports;
}

/** Position of a node; negative counts from the end. */
export function nodeAt(world: World, rod: number, node: number): [number, number, number] {
  const { nodePosition } = world.samples[rod];
  const o = 3 * (node < 0 ? world.rods[rod].nodeCount + node : node);
  return [nodePosition[o], nodePosition[o + 1], nodePosition[o + 2]];
}

/** Euclidean distance of two points. */
export function distance(a: readonly number[], b: readonly number[]): number {
  return hypotOf(a.map((x, k) => x - b[k]));
}
