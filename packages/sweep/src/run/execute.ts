/**
 * One run of a study as a function: plan and run in, rows out. The local pool, shards and queue workers all call it. The result
 * depends on nothing but its arguments, except for the wall time.
 */
import {
  type Critical,
  createBisector,
  createProbes,
  createWorld,
  describeJumps,
  describeLeftBranches,
  describeLostCritical,
  type EquilibriumReport,
  type Model,
  type ModelId,
  type ProbeRecorder,
  requireTime,
  type Scene,
  SceneError,
  SimulationError,
  staticsInstants,
  summariseRow,
  type World,
  type WorldState,
} from '@tendril-sim/core';
import { loadSimdDer } from '@tendril-sim/core/batch';
import { loadDer, loadFiber } from '@tendril-sim/core/kernels';
import { createFileResolver, createStepTotals, InputError, type SceneChange, sceneFromObject } from '@tendril-sim/io';
import { openWithin } from '@tendril-sim/io/node';
import type { Plan, RunSpec } from '../study/planTypes.ts';
import { addEquilibriumRemarks, addRemarks, createRemarks, doubtsOfRun, judge, type Remarks } from './doubts.ts';
import { compileQuantity, lookUp, type QuantityExpression, UnknownQuantityError } from './expression.ts';
import { createRunRecorder, type RunRecorder } from './record.ts';
import { createScope, type Findings } from './scope.ts';

/**
 * done; doubtful: done, but contact was not solved, energy was created or lost, a step or an equilibrium has a remark, or another branch was found; unconverged: no equilibrium;
 * failed: the simulation stopped, or its recording was lost; refused: the scene is wrong. The others come from the pool: timeout, out-of-memory, crashed.
 */
export type Status =
  | 'done'
  | 'doubtful'
  | 'unconverged'
  | 'failed'
  | 'refused'
  | 'timeout'
  | 'out-of-memory'
  | 'crashed';

/** null: not known. */
export type Cell = number | string | boolean | null;

/** Result of one run, also of one that failed. */
export interface Outcome {
  /** Index of the run in the study. */
  readonly index: number;
  /** Hash of the run's specification. */
  readonly hash: string;
  /** Whether it succeeded, or how it failed. */
  readonly status: Status;
  /** What went wrong, and what to try. */
  readonly message?: string;
  /** Wall time [s]. */
  readonly wall: number;
  /** Number of tries, if more than one. */
  readonly tries?: number;
  /** Time [s] (null for a check) and values of the quantities; one row per instant of a series. */
  readonly rows: readonly { readonly time: number | null; readonly cells: readonly Cell[] }[];
  /** Path or address of the recording, if one was kept. */
  readonly recording?: string;
}

/** Columns of a check, in place of quantities. */
export const checkColumns = ['quantity', 'measured', 'expected', 'error', 'tolerance', 'pass'] as const;

export interface Executor {
  execute(spec: RunSpec): Promise<Outcome>;
}

/** Holds what all runs of a plan share: expressions, kernels, the file resolver. */
export function createExecutor(plan: Plan): Executor {
  const quantities = plan.quantities.map(({ of, over }) => ({ over, expression: compileQuantity(of) }));
  const derived = plan.set.map(({ path, expression }) => ({ path, expression: compileQuantity(expression) }));
  const files = createFileResolver(openWithin(plan.folder));
  const build = (spec: RunSpec): Scene => buildScene(plan, spec, derived, files);
  return {
    async execute(spec) {
      const start = performance.now();
      const seconds = (): number => (performance.now() - start) / 1000;
      const head = { index: spec.index, hash: spec.hash };
      try {
        if (plan.command === 'check') return { ...head, ...(await check(spec)), wall: seconds() };
        const scene = build(spec);
        const world = await openWorld(scene);
        const job: Job = { plan, spec, world, quantities, probes: createProbes(world) };
        return { ...head, ...(await command(job)), wall: seconds() };
      } catch (error) {
        return { ...head, ...explain(error), rows: [emptyRow(plan)], wall: seconds() };
      }
    },
  };
}

export function emptyRow(plan: Plan): Outcome['rows'][number] {
  const width = plan.command === 'check' ? checkColumns.length : plan.quantities.length;
  return { time: null, cells: new Array<Cell>(width).fill(null) };
}

function explain(error: unknown): Pick<Outcome, 'status' | 'message'> {
  if (error instanceof SceneError) {
    const field = error.path.length > 0 ? `${error.path.map(String).join('.')}: ` : '';
    return { status: 'refused', message: `${field}${error.message}` };
  }
  if (error instanceof InputError || error instanceof UnknownQuantityError)
    return { status: 'refused', message: error.message };
  if (error instanceof SimulationError) return { status: 'failed', message: `${error.message}; ${error.remedy}` };
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: 'crashed', message: `this is a bug in tendril: ${detail}` };
}

/** The scene with the run's values in it. Throws InputError. */
export function buildScene(
  plan: Plan,
  spec: Pick<RunSpec, 'values' | 'model'>,
  derived: readonly { readonly path: readonly string[]; readonly expression: QuantityExpression }[],
  files: ReturnType<typeof createFileResolver>,
): Scene {
  const parameters = parameterMap(plan, spec);
  const changes: SceneChange[] = plan.parameters.flatMap(({ name, paths }, k) =>
    paths.map((path) => ({
      path,
      value: spec.values[k],
      origin: `parameter ${name} = ${JSON.stringify(spec.values[k])}`,
    })),
  );
  for (const { path, expression } of derived) {
    const value = expression.evaluate((reference) => lookUp(Object.fromEntries(parameters), reference));
    changes.push({ path, value, origin: `set ${path.join('.')} = ${value}` });
  }
  const scene = sceneFromObject(plan.scene, plan.origin, { changes, files });
  const { model } = spec;
  return model === undefined ? scene : { ...scene, rods: scene.rods.map((rod) => ({ ...rod, model })) };
}

function parameterMap(plan: Plan, { values, model }: Pick<RunSpec, 'values' | 'model'>): ReadonlyMap<string, unknown> {
  const entries = plan.parameters.map(({ name }, k): [string, unknown] => [name, values[k]]);
  return new Map(model === undefined ? entries : [['model', model], ...entries]);
}

/** With the engine that the scene asks for and with kernels, as `tendril run` has them, in one thread. */
async function openWorld(scene: Scene): Promise<World> {
  const bodies = scene.engine ? await (await import('@tendril-sim/bridge/rapier')).loadRapier() : undefined;
  const count = (id: ModelId): number => scene.rods.filter(({ model = 'der' }) => model === id).length;
  const models: Model[] = [];
  const backend = scene.solver?.der?.backend;
  if (backend === 'simd') models.push(await loadSimdDer());
  else if (backend !== 'batch' && count('der') > 1) models.push(await loadDer());
  if (count('fiber') > 0) models.push(await loadFiber());
  return createWorld(scene, { models, ...(bodies && { bodies }) });
}

interface Job {
  readonly plan: Plan;
  readonly spec: RunSpec;
  readonly world: World;
  readonly quantities: readonly {
    readonly over: Plan['quantities'][number]['over'];
    readonly expression: QuantityExpression;
  }[];
  readonly probes: ProbeRecorder;
}

type Found = Omit<Outcome, 'index' | 'hash' | 'wall'>;

async function command(job: Job): Promise<Found> {
  switch (job.plan.command) {
    case 'run':
      return simulate(job);
    case 'statics':
      return findEquilibria(job);
    case 'modes':
      return findModes(job);
    default: {
      const table = createTable(job);
      table.instant({});
      return { ...judge([], job.world), rows: table.rows({}) };
    }
  }
}

interface QuantityTable {
  /** Evaluates what is needed at this instant. */
  instant(extra: Partial<Findings>): void;
  /** At the end: one row, or one per instant. */
  rows(extra: Partial<Findings>): Outcome['rows'];
}

/** Numbers at the recorded instants, and what is asked over all of them. */
function createTable({ plan, spec, world, quantities, probes }: Job): QuantityTable {
  const parameters = parameterMap(plan, spec);
  const keeps = plan.series !== false || quantities.some(({ over }) => over !== 'end');
  const times: number[] = [];
  const series: number[][] = quantities.map(() => []);
  const evaluate = (expression: QuantityExpression, extra: Partial<Findings>): number => {
    const scope = createScope({ world, probes: probes.series, parameters, ...extra });
    return expression.evaluate((reference) => lookUp(scope, reference));
  };
  return {
    instant(extra) {
      probes.observe(world);
      if (!keeps) return;
      times.push(world.time);
      quantities.forEach(({ expression, over }, k) => {
        if (plan.series !== false || over !== 'end') series[k].push(evaluate(expression, extra));
      });
    },
    rows(extra) {
      const final = quantities.map(({ expression, over }, k) =>
        over === 'end' ? evaluate(expression, extra) : summarise(series[k], over),
      );
      if (plan.series === false) return [{ time: world.time, cells: final.map(toCell) }];
      return times.map((time, i) => ({
        time,
        cells: quantities.map(({ over }, k) => toCell(over === 'end' ? series[k][i] : final[k])),
      }));
    },
  };
}

function summarise(values: readonly number[], over: Plan['quantities'][number]['over']): number {
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  switch (over) {
    case 'start':
      return values[0];
    case 'max':
      return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    case 'min':
      return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
    case 'mean':
      return mean(values);
    case 'rms':
      return Math.sqrt(mean(values.map((value) => value * value)));
    default:
      return values[values.length - 1];
  }
}

/** JSON and Parquet have no NaN that all readers agree on: unknown is null. */
function toCell(value: number): Cell {
  return Number.isFinite(value) ? value : null;
}

/** Consecutive recorded instants below the rest energy that end a run. */
const restInstants = 3;

async function simulate(job: Job): Promise<Found> {
  const { plan, spec, world } = job;
  requireTime(world.scene, 'use command statics');
  const table = createTable(job);
  const totals = createStepTotals();
  const remarks = createRemarks();
  const recorder = createRunRecorder(plan, spec, world);
  let failure: SimulationError | undefined;
  try {
    advance(job, table, { totals, remarks }, recorder);
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    failure = error;
    totals.fail();
  }
  const steps = totals.totals();
  const { lost, ...named } = await keepRecording(recorder);
  if (lost !== undefined) return { status: 'failed', message: lost, rows: [emptyRow(plan)] };
  if (failure) {
    // what the last good state shows is no result
    return { status: 'failed', message: `${failure.message}; ${failure.remedy}`, rows: [emptyRow(plan)], ...named };
  }
  const readsReactions = plan.quantities.some(({ of }) => of.includes('reaction'));
  const doubts = doubtsOfRun(world, steps, remarks, readsReactions);
  return { ...judge(doubts, world), rows: table.rows({ steps }), ...named };
}

/** Where the recording is, or why it could not be kept: a full disk, a store that cannot be reached. */
async function keepRecording(recorder: RunRecorder | undefined): Promise<{ recording?: string; lost?: string }> {
  try {
    const recording = await recorder?.finish();
    return recording === undefined ? {} : { recording };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      lost: `the recording could not be kept: ${reason}; when that is mended, --retry-failed makes the run again`,
    };
  }
}

function advance(
  { plan, world }: Job,
  table: QuantityTable,
  { totals, remarks }: { readonly totals: ReturnType<typeof createStepTotals>; readonly remarks: Remarks },
  recorder: RunRecorder | undefined,
): void {
  const { duration: end = 0, step = 0 } = world.scene.time ?? {};
  const tolerance = step * 1e-6;
  const wanted = (plan.series !== false ? plan.series.every : undefined) ?? world.scene.output?.every ?? end / 100;
  const every = Math.max(wanted, step);
  let calm = 0;
  const show = (): boolean => {
    table.instant({ steps: totals.totals() });
    recorder?.frame();
    if (plan.rest === undefined) return false;
    calm = world.time > 0 && world.energies().kinetic < plan.rest ? calm + 1 : 0;
    return calm >= restInstants;
  };
  show();
  let next = 1;
  while (world.time < end - tolerance) {
    const remaining = end - world.time;
    const report = world.step(remaining < step - tolerance ? remaining : step);
    totals.add(report);
    addRemarks(remarks, report);
    const isLast = world.time >= end - tolerance;
    if (!isLast && world.time < next * every - tolerance) continue;
    next = Math.floor((world.time + tolerance) / every) + 1;
    if (show()) return;
  }
}

/** As `tendril statics`: one equilibrium, or a path with its critical points. */
function findEquilibria(job: Job): Found {
  const { world, plan } = job;
  const table = createTable(job);
  const times = staticsInstants(world.scene);
  const bisector = createBisector(world.scene);
  const critical: Critical[] = [];
  const doubts: string[] = [];
  const remarks = createRemarks();
  let before: { readonly state: WorldState; readonly negativeModes: number } | undefined;
  let reports: EquilibriumReport[] = [];
  for (const time of times) {
    reports = world.equilibrate(time);
    const row = summariseRow(time, reports, world.energies());
    if (!row.converged)
      return { status: 'unconverged', message: describeFailure(time, reports), rows: [emptyRow(plan)] };
    const changed = before !== undefined && (before.negativeModes !== row.negativeModes || row.saddlesLeft > 0);
    const found = before && changed ? bisector.find(before.state, before.negativeModes, time) : undefined;
    if (found) critical.push(found);
    const lost = before && changed ? describeLostCritical(before.state.time, time, found) : undefined;
    doubts.push(...describeLeftBranches(time, reports), ...describeJumps(reports), ...(lost ? [lost] : []));
    addEquilibriumRemarks(remarks, reports);
    if (times.length > 1) before = { state: world.save(), negativeModes: row.negativeModes };
    table.instant({ equilibrium: reports, critical });
  }
  return { ...judge([...doubts, ...remarks.list()], world), rows: table.rows({ equilibrium: reports, critical }) };
}

function describeFailure(time: number, reports: readonly EquilibriumReport[]): string {
  const failed = reports.find(({ converged }) => !converged);
  const reason = failed?.reason ? `: ${failed.reason}` : '';
  return `no equilibrium found for rod '${failed?.rod ?? ''}' at t = ${time} s (residual ${failed?.residual.toPrecision(2)} N, wanted ${failed?.tolerance.toPrecision(2)} N)${reason}`;
}

function findModes(job: Job): Found {
  const { world, plan } = job;
  const about = world.scene.modes?.about ?? 'equilibrium';
  const equilibrium = about === 'equilibrium' ? world.equilibrate() : undefined;
  if (equilibrium?.some(({ converged }) => !converged))
    return { status: 'unconverged', message: describeFailure(world.time, equilibrium), rows: [emptyRow(plan)] };
  const extra = { modes: world.modes(plan.count), ...(equilibrium && { equilibrium }) };
  const table = createTable(job);
  table.instant(extra);
  const remarks = createRemarks();
  addEquilibriumRemarks(remarks, equilibrium ?? []);
  const doubts = [...describeLeftBranches(world.time, equilibrium ?? []), ...remarks.list()];
  return { ...judge(doubts, world), rows: table.rows(extra) };
}

async function check({ values, model }: RunSpec): Promise<Found> {
  // computes its theory when it is loaded: not needed by other commands
  const { findCase, runChecks } = await import('@tendril-sim/cases');
  const [id, n] = values as [string, number];
  const subject = findCase(id);
  if (!subject) throw new SceneError([], `there is no case '${id}'`);
  const found = runChecks({ ...subject, quick: [n], resolutions: undefined }, { full: false, model });
  const rows = found.map(({ quantity, measured, expected, error, tolerance, pass }) => ({
    time: null,
    cells: [quantity, toCell(measured), expected, toCell(error), tolerance, pass],
  }));
  return { status: 'done', rows };
}
