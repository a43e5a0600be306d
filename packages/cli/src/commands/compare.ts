/** `tendril compare`: the same scene on several models, side by side. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  availableModels,
  createWorld,
  type ModelId,
  requireTime,
  type Scene,
  SceneError,
  staticsInstants,
  summariseRow,
  type World,
} from '@tendril-sim/core';
import {
  buildResult,
  createStepTotals,
  describeGain,
  describeLoss,
  describeMissed,
  InputError,
  type Stop,
} from '@tendril-sim/io';
import { WriteError } from '@tendril-sim/io/node';
import { keepFrame, type ShapeFrame } from '../comparison.ts';
import { exitCode, UsageError } from '../exit.ts';
import { checkFolder, type Folder, openFolder } from '../folder.ts';
import { createBreather, type Interrupt, isInterrupted, withInterrupt } from '../interrupt.ts';
import { createFolderRecorder, type Recorder, writeResult } from '../recorder.ts';
import { buildReport, drawFigures, formatRun, formatStatics, type Outcome, writeTables } from '../report.ts';
import { explained, loadSource, type Source } from '../source.ts';
import { suggest } from '../suggest.ts';
import { describeRods, reportFolder, reportWarnings } from '../summary.ts';
import { createProgress, dim, formatError, formatWarning, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { endBadly, simulate, strictCode } from './run.ts';
import { explainFailure } from './statics.ts';

export interface CompareOptions {
  readonly models: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** [s] */
  readonly until?: number;
  readonly statics?: boolean;
  readonly strict?: boolean;
  readonly set?: readonly string[];
}

export async function compare(reference: string, options: CompareOptions, terminal: Terminal): Promise<number> {
  const models = readModels(options.models);
  checkFolder(options);
  const source = await loadSource(reference, { until: options.until, set: options.set });
  if (!options.statics) explained(source, () => requireTime(source.scene, 'use --statics'));
  const folder = openFolder({ ...options, name: `${source.name}-compare` });
  try {
    return await withInterrupt((interrupt) => compareInto({ folder, source, models, options, terminal, interrupt }));
  } finally {
    folder.close();
  }
}

interface Comparison {
  readonly folder: Folder;
  readonly source: Source;
  readonly models: readonly ModelId[];
  readonly options: CompareOptions;
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
}

async function compareInto({ folder, source, models, options, terminal, interrupt }: Comparison): Promise<number> {
  const outcomes = await runModels(source, models, options, folder, terminal, interrupt);
  const report = buildReport(source, options, outcomes);
  writeTables(folder, report);
  drawFigures(folder, source, report, outcomes);
  const content = `${JSON.stringify(report, null, 2)}\n`;
  folder.write('compare.json', content);
  folder.finish();
  // with --force, also removes results of models that are no longer compared
  for (const model of options.force ? availableModels() : []) {
    const path = join(folder.path, model);
    if (folder.written.includes(`${model}/`) || !existsSync(path)) continue;
    const old = openFolder({ out: path, force: true, name: model });
    old.finish();
    old.close();
  }
  if (options.json) terminal.out(content);
  const print = options.json ? terminal.err : terminal.out;
  for (const { model, status, reason } of outcomes) {
    // a model that cannot run a scene is reported, and is not an error as long as another model can
    if (status === 'refused') terminal.err(formatWarning(`${model} refused: ${reason}`));
    if (status === 'failed') terminal.err(formatError(`${model} failed: ${reason}`));
  }
  if (!options.quiet) {
    print(options.statics ? formatStatics(report) : formatRun(report));
    print(`  ${dim(report.remark)}\n`);
    reportFolder(folder, print);
  }
  if (outcomes.some(({ status }) => status === 'interrupted') || outcomes.length < models.length)
    return exitCode.interrupted;
  if (outcomes.some(({ status }) => status === 'failed')) return exitCode.failed;
  if (outcomes.every(({ status }) => status === 'refused')) return exitCode.badInput;
  return Math.max(...outcomes.map(({ steps }) => strictCode(options, steps ?? {})));
}

/** One model after the other, until all are done or Ctrl-C comes. */
export async function runModels(
  source: Source,
  models: readonly ModelId[],
  options: Pick<CompareOptions, 'statics' | 'quiet' | 'force'>,
  folder: Folder,
  terminal: Terminal,
  interrupt: Interrupt,
): Promise<Outcome[]> {
  const out: Outcome[] = [];
  for (const model of models) {
    if (interrupt.requested) break;
    if (!options.quiet) terminal.err(dim(`${model}${options.statics ? ', statics' : ''}\n`));
    out.push(await runModel(source, model, options, folder, terminal, interrupt));
  }
  return out;
}

export function readModels(list: string): ModelId[] {
  const known = availableModels();
  if (list.trim() === 'all') return [...known];
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  for (const name of names) {
    if ((known as readonly string[]).includes(name)) continue;
    const meant = suggest(name, known);
    throw new UsageError(
      `there is no model '${name}'${meant ? `; did you mean '${meant}'?` : ''}\nmodels: ${known.join(', ')}, or all`,
    );
  }
  const unique = [...new Set(names)] as ModelId[];
  if (unique.length < 2) {
    const twice = names.length > 1 ? `${names.length} times '${names[0]}'` : `only '${names[0]}'`;
    throw new UsageError(
      `--models names ${names.length === 0 ? 'no model' : twice}; a comparison needs two or more, such as --models der,cosserat\nmodels: ${known.join(', ')}, or all`,
    );
  }
  return unique;
}

/** Simulates the scene or finds its equilibrium on one model; errors are part of the outcome and do not end the comparison. */
async function runModel(
  source: Source,
  model: ModelId,
  options: Pick<CompareOptions, 'statics' | 'quiet' | 'force'>,
  parent: Folder,
  terminal: Terminal,
  interrupt: Interrupt,
): Promise<Outcome> {
  const none = {
    frames: [],
    energies: [],
    simulated: 0,
    wallSeconds: 0,
    energyStart: 0,
    energyEnd: 0,
    energyChangeMax: 0,
  };
  const scene: Scene = { ...source.scene, rods: source.scene.rods.map((rod) => ({ ...rod, model })) };
  let world: World;
  try {
    world = createWorld(scene, { onSubstep: isInterrupted });
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return { model, status: 'refused', reason: source.explain(error).message, ...none };
  }
  const folder = openFolder({ out: join(parent.path, model), force: options.force, name: model });
  try {
    const outcome = await runInto({ source, model, world, folder, options, terminal, interrupt });
    parent.note(`${model}/`);
    return outcome;
  } catch (error) {
    if (!(error instanceof InputError) || error instanceof WriteError) throw error;
    return { model, status: 'refused', reason: error.message, ...none };
  } finally {
    folder.close();
  }
}

interface Job {
  readonly source: Source;
  readonly model: ModelId;
  readonly world: World;
  readonly folder: Folder;
  readonly options: Pick<CompareOptions, 'statics' | 'quiet'>;
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
}

/** Throws InputError if the first step or equilibrium shows that the model does not support the scene. */
async function runInto({ source, model, world, folder, options, terminal, interrupt }: Job): Promise<Outcome> {
  const recorder = createFolderRecorder(world, folder);
  const frames: ShapeFrame[] = [];
  const watched = watch(recorder, world, frames);
  const totals = createStepTotals();
  const progress = createProgress(terminal, options.quiet === true);
  const start = performance.now();
  let stop: Stop | undefined;
  let last: Outcome['equilibrium'];
  const remarks = new Set<string>();
  const warn = (remark: string): void => void remarks.add(remark);
  try {
    if (options.statics) ({ stop, last } = await findEquilibria(world, watched, interrupt, warn));
    else {
      const { explain } = source;
      stop = (await simulate({ world, recorder: watched, totals, progress, interrupt, start: 0, explain, warn }))?.stop;
    }
  } catch (error) {
    progress.done();
    throw endBadly(error, recorder, source);
  }
  const wallSeconds = (performance.now() - start) / 1000;
  progress.done();
  const [failure] = recorder.finish({
    title: source.scene.title ?? source.name,
    subtitle: describeRods(world.rods),
  });
  if (failure) throw failure;
  const command = options.statics ? 'statics' : 'run';
  const steps = totals.totals();
  const warnings = [...remarks];
  writeResult(
    buildResult({ world, version, command, file: source.origin, steps, wallSeconds, stopped: stop, warnings }),
    folder,
  );
  const findings = [describeMissed(steps, world.scene), describeGain(steps), describeLoss(steps)];
  if (!options.quiet)
    for (const text of [...world.warnings, ...remarks, ...findings])
      if (text !== undefined) reportWarnings([`${model}: ${text}`], terminal);
  const energies = recorder.energies.map(({ total }) => total);
  return {
    model,
    status: stop === undefined ? 'done' : stop.reason === 'interrupted' ? 'interrupted' : 'failed',
    ...(stop && { reason: stop.reason }),
    world,
    frames,
    energies: recorder.energies,
    steps: totals.totals(),
    simulated: world.time,
    wallSeconds,
    energyStart: energies[0] ?? 0,
    energyEnd: energies[energies.length - 1] ?? 0,
    energyChangeMax: energies.reduce((most, total) => Math.max(most, Math.abs(total - energies[0])), 0),
    ...(last && { equilibrium: last }),
  };
}

/** A recorder that also keeps every frame in memory. */
function watch(recorder: Recorder, world: World, frames: ShapeFrame[]): Recorder {
  return {
    ...recorder,
    get lastFrame() {
      return recorder.lastFrame;
    },
    frame() {
      recorder.frame();
      frames.push(keepFrame(world));
    },
  };
}

/** Equilibria at the instants that the scene names. */
async function findEquilibria(
  world: World,
  recorder: Recorder,
  interrupt: Interrupt,
  warn: (remark: string) => void,
): Promise<{ stop?: Stop; last?: Outcome['equilibrium'] }> {
  const breathe = createBreather();
  const before = world.save();
  let last: Outcome['equilibrium'];
  for (const time of staticsInstants(world.scene)) {
    const reports = world.equilibrate(time);
    for (const { remark } of reports) if (remark !== undefined) warn(remark);
    const row = summariseRow(time, reports, world.energies());
    if (!row.converged) {
      if (Number.isNaN(recorder.lastFrame)) {
        world.restore(before);
        recorder.frame();
      }
      return { stop: explainFailure(time, reports), last };
    }
    last = { ...row, residual: Math.max(...reports.map(({ residual }) => residual)) };
    recorder.frame();
    recorder.energyRow();
    await breathe();
    if (interrupt.requested) return { stop: { reason: 'interrupted', time, remedy: 'run it again' }, last };
  }
  return { last };
}
