/** `tendril run`: simulates a scene in time. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Backend,
  type Break,
  describeBreak,
  requireTime,
  SceneError,
  SimulationError,
  type World,
} from '@tendril-sim/core';
import {
  buildResult,
  createStepTotals,
  describeGain,
  describeLoss,
  describeMissed,
  describeUnsettled,
  InputError,
  type StepTotals,
  type Stop,
} from '@tendril-sim/io';
import { readStateFile } from '@tendril-sim/io/node';
import { exitCode } from '../exit.ts';
import { checkFolder, checkpointName, type Folder, findUnfinished, openFolder } from '../folder.ts';
import { createBreather, type Interrupt, withInterrupt } from '../interrupt.ts';
import { openWorld } from '../openWorld.ts';
import { createFolderRecorder, type Recorder, writeResult } from '../recorder.ts';
import { explained, loadSource, type Source } from '../source.ts';
import { type EarlyStop, explainStop, interruptedStop } from '../stop.ts';
import { describeRods, formatStep, reportFolder, reportWarnings } from '../summary.ts';
import {
  bad,
  createProgress,
  doubtful,
  formatDuration,
  formatError,
  formatNumber,
  formatWarning,
  good,
  type Progress,
  type Terminal,
} from '../terminal.ts';
import { version } from '../version.ts';

export interface RunOptions {
  readonly out?: string;
  readonly model?: string;
  /** [s] */
  readonly until?: number;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly resume?: string;
  readonly quiet?: boolean;
  readonly threads?: number;
  readonly plain?: boolean;
  readonly backend?: Backend;
  /** Wall time between checkpoints [s]; false: none. */
  readonly checkpoint?: number | false;
  /** Unsolved contact or equilibria give a separate exit code. */
  readonly strict?: boolean;
  readonly set?: readonly string[];
}

/** Approximate limit of rows of energies.csv: enough for any plot, small enough to open. */
const energyRows = 4000;

/** Default wall time between checkpoints [s]. */
const checkpointEvery = 60;

export async function run(reference: string, options: RunOptions, terminal: Terminal): Promise<number> {
  checkFolder(options);
  const source = await loadSource(reference, options);
  const warn = (warning: string): void => void (options.quiet || terminal.err(formatWarning(warning)));
  const announce = (line: string): void => void (options.quiet || terminal.err(`${line}\n`));
  const world = await openWorld(source, { ...options, gpu: true, warn, announce });
  const { duration } = explained(source, () => requireTime(source.scene, 'use tendril statics'));
  if (options.resume !== undefined) resume(world, options.resume, duration, source);
  if (!options.quiet) reportWarnings([...source.warnings, ...world.warnings], terminal);
  const unfinished = options.out === undefined && !options.quiet ? findUnfinished(source.name) : undefined;
  if (unfinished !== undefined)
    terminal.err(
      formatWarning(`a run was killed in '${unfinished}'; save its frames with: tendril recover ${unfinished}`),
    );
  const folder = openFolder({ ...options, name: source.name });
  try {
    // also while files are written
    return await withInterrupt((interrupt) => runInto({ folder, source, world, options, terminal, interrupt }));
  } finally {
    folder.close();
  }
}

/** A command that moves a world and writes a folder. */
export interface WorldJob<Options> {
  readonly folder: Folder;
  readonly source: Source;
  readonly world: World;
  readonly options: Options;
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
}

/** Prints remarks of steps as they come, and keeps each for the result. */
function collectRemarks(
  terminal: Terminal,
  { quiet }: Pick<RunOptions, 'quiet'>,
): { readonly remarks: ReadonlySet<string>; warn(remark: string): void } {
  const remarks = new Set<string>();
  return {
    remarks,
    warn(remark) {
      remarks.add(remark);
      if (!quiet) terminal.err(formatWarning(remark));
    },
  };
}

async function runInto({ folder, source, world, options, terminal, interrupt }: WorldJob<RunOptions>): Promise<number> {
  const recorder = explained(source, () => createFolderRecorder(world, folder));
  const progress = createProgress(terminal, options.quiet === true);
  const totals = createStepTotals();
  const startWall = performance.now();
  const startTime = world.time;
  const { remarks, warn } = collectRemarks(terminal, options);
  try {
    const early = await simulate({
      world,
      recorder,
      totals,
      progress,
      interrupt,
      start: startTime,
      explain: source.explain,
      checkpoint: options.checkpoint ?? checkpointEvery,
      warn,
      tell: createBreakTeller((line) => void (options.quiet || terminal.err(line))),
    });
    const wallSeconds = (performance.now() - startWall) / 1000;
    progress.done();
    const failures = recorder.finish({
      title: source.scene.title ?? source.name,
      subtitle: `${describeRods(world.rods)} · ${formatStep(source.scene.time?.step ?? 0)}`,
    });
    const state = join(folder.path, 'state.tendril');
    const stop = early && { ...early.stop, remedy: early.stop.remedy.replace('STATE', state) };
    const result = buildResult({
      world,
      version,
      command: 'run',
      file: source.origin,
      steps: totals.totals(),
      wallSeconds,
      probes: recorder.probes.series.length > 0 ? recorder.probes.series : undefined,
      stopped: stop,
      warnings: [...remarks, ...failures.map(({ message }) => message)],
    });
    const content = writeResult(result, folder);
    for (const { message } of failures) terminal.err(formatError(message));
    if (stop && stop.reason !== 'interrupted') terminal.err(formatError(`${stop.reason}\n  ${stop.remedy}`));
    if (options.json) terminal.out(content);
    if (!options.quiet) {
      const outcome: Outcome = {
        world,
        simulated: world.time - startTime,
        wall: wallSeconds,
        steps: result.steps,
        stop,
      };
      summarise(outcome, folder, options.json ? terminal.err : terminal.out);
    }
    return early?.code ?? (failures.length > 0 ? exitCode.badInput : strictCode(options, result.steps));
  } catch (error) {
    progress.done();
    throw endBadly(error, recorder, source);
  }
}

/** Saves what is possible after an error that ends the command; returns the error to report. */
export function endBadly(error: unknown, recorder: Recorder, source: Source): unknown {
  if (!(error instanceof SceneError)) {
    recorder.salvage();
    return error;
  }
  recorder.discard();
  return source.explain(error);
}

/** Summary of a completed run. */
export function strictCode(
  { strict }: Pick<RunOptions, 'strict'>,
  { contact, energyGain, momentumGain }: Pick<StepTotals, 'contact' | 'energyGain' | 'momentumGain'>,
): number {
  const isSolved = (contact?.missed ?? 0) === 0 && energyGain === undefined && momentumGain === undefined;
  return strict && !isSolved ? exitCode.unsolved : exitCode.done;
}

/** Starts from a state file, or from that of a folder with results. */
function resume(world: World, reference: string, until: number, source: Source): void {
  const file = findState(reference);
  const { state } = readStateFile(file, source.scene);
  explained(source, () => world.restore(state));
  if (world.time >= until) {
    throw new InputError(
      file,
      `the state is at t = ${formatNumber(world.time)} s, but the run would end at ${formatNumber(until)} s; give a later --until`,
    );
  }
}

function findState(reference: string): string {
  if (!existsSync(reference) || !statSync(reference).isDirectory()) return reference;
  const found = ['state.tendril', checkpointName].map((name) => join(reference, name)).find((file) => existsSync(file));
  if (found === undefined) throw new InputError(reference, 'the folder has no state.tendril to resume from');
  return found;
}

export interface Simulation {
  readonly world: World;
  readonly recorder: Recorder;
  readonly totals: ReturnType<typeof createStepTotals>;
  readonly progress: Progress;
  readonly interrupt: Interrupt;
  /** Start time of the progress display [s]. */
  readonly start: number;
  readonly explain: Source['explain'];
  /** Wall time between checkpoints [s]; default: none. */
  readonly checkpoint?: number | false;
  /** Called with messages for the user about a step. */
  readonly warn?: (warning: string) => void;
  /** Called with what broke in a step. */
  readonly tell?: (breaks: readonly Break[]) => void;
}

/** Steps up to the last frame; returns the reason if it stopped early. Throws SceneError if the first step shows that the scene is invalid. */
export async function simulate(simulation: Simulation): Promise<EarlyStop | undefined> {
  const { world, recorder, totals, explain } = simulation;
  try {
    const early = await advance(simulation);
    if (recorder.lastFrame !== world.time) recorder.frame();
    recorder.energyRow();
    return early;
  } catch (error) {
    // failed at the start: there is nothing to keep
    if (error instanceof SceneError && world.time === simulation.start) throw error;
    const early = explainStop(error, world.time, explain);
    if (error instanceof SimulationError) totals.fail();
    try {
      if (recorder.lastFrame !== world.time) recorder.frame();
      recorder.energyRow();
    } catch {
      // the error that stopped the run is the one to report
    }
    return early;
  }
}

/** Breaks that are printed; result.json lists all of them. */
const PRINTED_BREAKS = 20;

/** Prints the first breaks of a run, a line each. */
function createBreakTeller(print: (line: string) => void): NonNullable<Simulation['tell']> {
  let count = 0;
  return (breaks) => {
    for (const one of breaks) {
      count++;
      if (count <= PRINTED_BREAKS) print(`${describeBreak(one)}\n`);
      else if (count === PRINTED_BREAKS + 1) print('more breaks follow; result.json lists all of them\n');
    }
  };
}

async function advance(simulation: Simulation): Promise<EarlyStop | undefined> {
  const { world, recorder, totals, progress, interrupt, start, checkpoint, warn, tell } = simulation;
  const { duration: end, step = 0 } = world.scene.time ?? { duration: 0 };
  // times accumulate rounding errors, so comparisons tolerate a small fraction of a step
  const tolerance = step * 1e-6;
  // a whole number of steps, so that frames are equally far apart
  const every = Math.max(world.scene.output?.every ?? step * frameStride(Math.round(end / step)), step);
  const stride = Math.max(1, Math.ceil((end - start) / step / energyRows));
  let nextFrame = Math.floor((world.time + tolerance) / every) + 1;
  let sinceReport = { iterations: 0, steps: 0 };
  let lastCheckpoint = performance.now();
  const breathe = createBreather();
  recorder.frame();
  recorder.energyRow();
  while (world.time < end - tolerance) {
    const remaining = end - world.time;
    const report = world.step(remaining < step - tolerance ? remaining : step, 'later');
    totals.add(report);
    for (const remark of report.remarks ?? []) warn?.(remark);
    if (report.breaks) tell?.(report.breaks);
    sinceReport.iterations += report.iterations;
    sinceReport.steps++;
    if (world.time >= nextFrame * every - tolerance) {
      recorder.frame();
      nextFrame = Math.floor((world.time + tolerance) / every) + 1;
    }
    const ended = world.time >= end - tolerance;
    if (!ended && totals.totals().count % stride === 0) recorder.energyRow();
    if (checkpoint && !ended && performance.now() - lastCheckpoint >= 1000 * checkpoint) {
      recorder.checkpoint();
      lastCheckpoint = performance.now();
    }
    progress.update({
      fraction: Math.min(1, (world.time - start) / (end - start)),
      time: world.time,
      end,
      iterations: sinceReport.iterations / sinceReport.steps,
    });
    if (sinceReport.steps >= 200) sinceReport = { iterations: 0, steps: 0 };
    await breathe();
    if (interrupt.requested && !ended) return interruptedStop(world.time, 'continue with --resume STATE');
  }
  return undefined;
}

interface Outcome {
  readonly world: World;
  /** [s] */
  readonly simulated: number;
  /** [s] */
  readonly wall: number;
  readonly steps: StepTotals;
  readonly stop: Stop | undefined;
}

function summarise(
  { world, simulated, wall, steps, stop }: Outcome,
  folder: Folder,
  print: (content: string) => void,
): void {
  const missed = describeMissed(steps, world.scene);
  const gained = describeGain(steps);
  const doubt = missed !== undefined ? 'not solved' : gained !== undefined ? 'out of balance' : undefined;
  const done = doubt === undefined ? good('✓ done') : doubtful(`! done, but ${doubt}`);
  const head = stop === undefined ? done : bad(stop.reason === 'interrupted' ? '■ interrupted' : '✗ failed');
  const speed = simulated > 0 ? `, ${formatNumber(simulated / wall, 2)}× real time` : '';
  print(
    `${head} at t = ${formatNumber(world.time, 6)} s: ${steps.count} ${steps.count === 1 ? 'step' : 'steps'} in ${formatDuration(wall)}${speed}\n`,
  );
  const energies = world.energies();
  const each = steps.count > 0 ? formatNumber(steps.iterations / steps.count, 3) : '0';
  const cut =
    steps.failures > 0 ? `, ${steps.failures} failed and ${steps.failures === 1 ? 'was' : 'were'} halved` : '';
  print(
    `  ${each} iterations per step${cut}; total energy ${formatNumber(energies.total, 6)} J, kinetic ${formatNumber(energies.kinetic, 3)} J\n`,
  );
  for (const text of [missed, gained, describeLoss(steps), describeUnsettled(world.reactions())])
    if (text !== undefined) print(`  ${doubtful(text)}\n`);
  print(`  state ${world.hash()}\n`);
  if (stop?.reason === 'interrupted') print(`  ${stop.remedy}\n`);
  reportFolder(folder, print);
}

/** Steps per frame for about a hundred frames: preferably a divisor of the number of steps, so that times are round. */
function frameStride(steps: number): number {
  const least = Math.max(1, Math.ceil(steps / 100));
  for (let stride = least; stride <= 2 * least; stride++) if (steps % stride === 0) return stride;
  return least;
}
