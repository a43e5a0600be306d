/**
 * A case: a scene, what to measure on it, and what to expect. One object, read by the tests, by `tendril check`, by
 * `tendril run <id>` and by the documentation.
 */

import type { EquilibriumReport, ModelId, Scene, World } from '@tendril-sim/core';
import { hypotOf } from '@tendril-sim/core/math';
import { type SceneInput, sceneFromObject } from '@tendril-sim/io';
import { type CheckRow, type Expectations, judge, type Measured } from './expectation.ts';
import type { CaseGroup, CaseTopic } from './groups.ts';
import type { PaperClaim } from './papers.ts';
import { createWorld } from './world.ts';

/** Resolutions n of a case: `quick` for the tests, `full` for `tendril check --full`. */
export interface Resolutions {
  /** For the tests. */
  readonly quick: readonly number[];
  /** For `tendril check --full`. */
  readonly full: readonly number[];
}

/** Where a value is in a scene, such as `['rods', 0, 'frame', 'twist']`. */
export type ScenePath = readonly (string | number)[];

/** A quantity of the scene worth changing by hand, and where theory says that something happens. */
export interface CaseControl {
  /** Where it is in the scene. */
  readonly path: ScenePath;
  /** Further places that have the same value and change with it, such as the same field of other rods. */
  readonly also?: readonly ScenePath[];
  /** Name of the quantity. */
  readonly label: string;
  /** Its symbol. */
  readonly symbol?: string;
  /** SI unit. */
  readonly unit?: string;
  /** Ends of its slider. */
  readonly low: number;
  /** Upper end of its slider. */
  readonly high: number;
  /** What is shown is the value of the scene times this: −1 for a force that points down. Default 1. */
  readonly factor?: number;
  /** By the other values of the scene; undefined where theory says nothing about them. */
  threshold?(scene: Scene): { readonly at: number; readonly what: string } | undefined;
}

/** An experiment with a known result: its scene, what to measure on it, and what theory expects. */
export interface Case {
  /** Name of the case, and of its folder. */
  readonly id: string;
  /** Heading. */
  readonly title: string;
  /** What it shows, in plain text; its README begins with the same words. */
  readonly claim: string;
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
  /** Models that it runs on. */
  readonly models: readonly ModelId[];
  /** Figures and claims of papers that it shows; `tendril report --paper` collects them. */
  readonly papers?: readonly PaperClaim[];
  /** Resolutions (edges, or steps a unit of time): for the tests, and for `check --full`. */
  readonly quick: readonly number[];
  /** Resolutions for `check --full`. */
  readonly full: readonly number[];
  /** Where a model counts otherwise: a super-helix has few elements, a mass-spring hair does not converge. */
  readonly resolutions?: Readonly<Partial<Record<ModelId, Resolutions>>>;
  /** A scene worth running and looking at. */
  scene(): SceneInput;
  /** Measured quantities by name at resolution n. */
  measure(n: number, model: ModelId): Measured;
  /** By the names of measured quantities. */
  readonly expect: Expectations;
  /** Up to three quantities that matter most, with theory's thresholds; the studio shows them above all others. */
  readonly controls?: readonly CaseControl[];
  /** A figure of what was found; `check --out` draws it. */
  figure?(rows: readonly CheckRow[]): CaseFigure;
}

/** Curves over a common axis or over axes of their own, and points. */
export interface CaseFigure {
  /** Title of the figure. */
  readonly title: string;
  /** Line below the title. */
  readonly subtitle?: string;
  /** Common axis of the lines. */
  readonly x: readonly number[];
  /** Label of the x axis. */
  readonly xLabel: string;
  /** Unit of the x axis. */
  readonly xUnit?: string;
  /** Scale of the x axis. Default `linear`. */
  readonly xScale?: 'linear' | 'log';
  /** Label of the y axis. */
  readonly yLabel: string;
  /** Unit of the y axis. */
  readonly yUnit?: string;
  /** Scale of the y axis. Default `linear`. */
  readonly yScale?: 'linear' | 'log';
  /** Curves. */
  readonly lines: readonly {
    readonly label: string;
    readonly y: readonly number[];
    /** Default: the common axis. */
    readonly x?: readonly number[];
    readonly dots?: boolean;
  }[];
  /** Points; those that are not filled are drawn as circles. */
  readonly points: readonly { readonly x: number; readonly y: number; readonly filled: boolean }[];
}

/** Options of `runChecks`: `full` measures at the fine resolutions, `model` selects one model. */
export interface CheckOptions {
  /** True to measure at the fine resolutions. */
  readonly full: boolean;
  /** Id of the only model to measure. Default: all of the case. */
  readonly model?: string;
  /** Called after each measurement with the number done, the total, and what was measured. */
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
