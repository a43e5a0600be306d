/** `tendril run`: simulates a scene in time. */
import { join } from 'node:path';
import { SceneError, SimulationError, type World } from '@tendril/core';
import { buildResult, createStepTotals, describeMissed, InputError, type StepTotals, type Stop } from '@tendril/io';
import { readStateFile } from '@tendril/io/node';
import { exitCode } from '../exit.ts';
import { checkFolder, type Folder, openFolder } from '../folder.ts';
import { createBreather, type Interrupt, withInterrupt } from '../interrupt.ts';
import { createRecorder, type Recorder, writeResult } from '../recorder.ts';
import { explained, loadSource, openWorld, type Source } from '../source.ts';
import { describeRods, formatStep, reportFolder, reportWarnings } from '../summary.ts';
import {
  bad,
  createProgress,
  doubtful,
  formatDuration,
  formatError,
  formatNumber,
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
}

/** Rows of energies.csv at most, about: enough for any plot, small enough to open. */
const energyRows = 4000;

export async function run(reference: string, options: RunOptions, terminal: Terminal): Promise<number> {
  checkFolder(options);
  const source = loadSource(reference, options);
  const world = await openWorld(source, options);
  const time = source.scene.time;
  if (!time) {
    throw source.explain(
      new SceneError(
        ['time'],
        'the scene says no time to simulate; add time: { duration: 1 s, step: 1 ms }, or use tendril statics',
      ),
    );
  }
  if (options.resume !== undefined) resume(world, options.resume, time.duration, source);
  if (!options.quiet) reportWarnings([...source.warnings, ...world.warnings], terminal);

  const folder = openFolder({ ...options, name: source.name });
  const recorder = explained(source, () => createRecorder(world, folder));
  const progress = createProgress(terminal, options.quiet === true);
  const totals = createStepTotals();
  const startWall = performance.now();
  const startTime = world.time;
  try {
    const stopped = await withInterrupt((interrupt) =>
      simulate(world, recorder, totals, progress, interrupt, startTime),
    );
    const wallSeconds = (performance.now() - startWall) / 1000;
    progress.done();
    if (recorder.lastFrame !== world.time) recorder.frame();
    recorder.energyRow();
    recorder.finish({
      title: source.scene.title ?? source.name,
      subtitle: `${describeRods(world.rods)} · ${formatStep(time.step)}`,
    });
    const stop = stopped && { ...stopped, remedy: stopped.remedy.replace('STATE', join(folder.path, 'state.tendril')) };
    const result = buildResult({
      world,
      version,
      command: 'run',
      file: source.origin,
      steps: totals.totals(),
      wallSeconds,
      probes: recorder.probes.series.length > 0 ? recorder.probes.series : undefined,
      stopped: stop,
    });
    const content = writeResult(result, folder);
    if (options.json) terminal.out(content);
    const print = options.json ? terminal.err : terminal.out;
    if (!options.quiet || stop)
      summarise(world, world.time - startTime, wallSeconds, totals.totals(), folder, stop, print, terminal);
    return stop === undefined ? exitCode.done : stop.reason === 'interrupted' ? exitCode.interrupted : exitCode.failed;
  } catch (error) {
    progress.done();
    recorder.salvage();
    throw error instanceof SceneError ? source.explain(error) : error;
  }
}

function resume(world: World, file: string, until: number, source: Source): void {
  const { state } = readStateFile(file, source.scene);
  explained(source, () => world.restore(state));
  if (world.time >= until) {
    throw new InputError(
      file,
      `the state is at t = ${formatNumber(world.time)} s and the run would end at ${formatNumber(until)} s; give a later --until`,
    );
  }
}

/** The loop; returns why it stopped early, if it did. */
export async function simulate(
  world: World,
  recorder: Recorder,
  totals: ReturnType<typeof createStepTotals>,
  progress: Progress,
  interrupt: Interrupt,
  start: number,
): Promise<Stop | undefined> {
  const { duration: end, step = 0 } = world.scene.time ?? { duration: 0 };
  // Steps add up with rounding, so instants are compared with a small part of a step.
  const tolerance = step * 1e-6;
  // a whole number of steps, so that frames are equally far apart
  const every = Math.max(world.scene.output?.every ?? step * frameStride(Math.round(end / step)), step);
  const stride = Math.max(1, Math.ceil((end - start) / step / energyRows));
  const breathe = createBreather();
  let nextFrame = Math.floor((world.time + tolerance) / every) + 1;
  let sinceReport = { iterations: 0, steps: 0 };
  recorder.frame();
  recorder.energyRow();
  while (world.time < end - tolerance) {
    const remaining = end - world.time;
    try {
      const report = world.step(remaining < step - tolerance ? remaining : step);
      totals.add(report);
      sinceReport.iterations += report.iterations;
      sinceReport.steps++;
    } catch (error) {
      if (!(error instanceof SimulationError)) throw error;
      totals.fail();
      return {
        reason: error.message,
        time: world.time,
        remedy: error.remedy,
        ...(error.rod === '' ? {} : { rod: error.rod }),
      };
    }
    if (world.time >= nextFrame * every - tolerance) {
      recorder.frame();
      nextFrame = Math.floor((world.time + tolerance) / every) + 1;
    }
    const ended = world.time >= end - tolerance;
    if (!ended && totals.totals().count % stride === 0) recorder.energyRow();
    progress.update({
      fraction: Math.min(1, (world.time - start) / (end - start)),
      time: world.time,
      end,
      iterations: sinceReport.iterations / sinceReport.steps,
    });
    if (sinceReport.steps >= 200) sinceReport = { iterations: 0, steps: 0 };
    await breathe();
    if (interrupt.requested && !ended) {
      return { reason: 'interrupted', time: world.time, remedy: 'go on with the option --resume STATE' };
    }
  }
  return undefined;
}

function summarise(
  world: World,
  simulated: number,
  wall: number,
  steps: StepTotals,
  folder: Folder,
  stop: Stop | undefined,
  print: (content: string) => void,
  terminal: Terminal,
): void {
  if (stop && stop.reason !== 'interrupted') terminal.err(formatError(`${stop.reason}\n  ${stop.remedy}`));
  const missed = describeMissed(steps, world.scene);
  const done = missed === undefined ? good('✓ done') : doubtful('! done, but not solved');
  const head = stop === undefined ? done : bad(stop.reason === 'interrupted' ? '■ interrupted' : '✗ failed');
  const speed = simulated > 0 ? `, ${formatNumber(simulated / wall, 2)}× real time` : '';
  print(
    `${head} at t = ${formatNumber(world.time, 6)} s: ${steps.count} ${steps.count === 1 ? 'step' : 'steps'} in ${formatDuration(wall)}${speed}\n`,
  );
  const energies = world.energies();
  const each = steps.count > 0 ? formatNumber(steps.iterations / steps.count, 3) : '0';
  const cut =
    steps.failures > 0 ? `, ${steps.failures} failed and ${steps.failures === 1 ? 'was' : 'were'} cut smaller` : '';
  print(
    `  ${each} iterations a step${cut}; total energy ${formatNumber(energies.total, 6)} J, kinetic ${formatNumber(energies.kinetic, 3)} J\n`,
  );
  if (missed !== undefined) print(`  ${doubtful(missed)}\n`);
  print(`  state ${world.hash()}\n`);
  if (stop?.reason === 'interrupted') print(`  ${stop.remedy}\n`);
  reportFolder(folder, print);
}

/** Steps from frame to frame for about a hundred frames: a divisor of all steps where one is near, so that times are round. */
function frameStride(steps: number): number {
  const least = Math.max(1, Math.ceil(steps / 100));
  for (let stride = least; stride <= 2 * least; stride++) if (steps % stride === 0) return stride;
  return least;
}
