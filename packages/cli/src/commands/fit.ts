/** `tendril fit`: finds the parameters of a scene that explain measurements, with confidence intervals. */
import { StoppedError } from '@tendril-sim/core';
import { csvLine } from '@tendril-sim/io';
import { type FitStudy, fitScene, readFitStudy, type SceneFit } from '@tendril-sim/sweep';
import { exitCode } from '../exit.ts';
import { checkFolder, type Folder, openFolder } from '../folder.ts';
import { type Interrupt, withInterrupt } from '../interrupt.ts';
import {
  doubtful,
  formatDuration,
  formatNumber,
  formatTable,
  formatWarning,
  good,
  type Terminal,
} from '../terminal.ts';
import { version } from '../version.ts';

export interface FitCommandOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export async function fit(file: string, options: FitCommandOptions, terminal: Terminal): Promise<number> {
  checkFolder(options);
  const study = await readFitStudy(file);
  const folder = openFolder({ ...options, name: 'fit' });
  try {
    return await withInterrupt(async (interrupt) => fitInto({ study, folder, interrupt }, options, terminal));
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    terminal.err('interrupted before the first iteration; there are no values yet\n');
    return exitCode.interrupted;
  } finally {
    folder.close();
  }
}

interface Job {
  readonly study: FitStudy;
  readonly folder: Folder;
  readonly interrupt: Interrupt;
}

function fitInto({ study, folder, interrupt }: Job, options: FitCommandOptions, terminal: Terminal): number {
  const start = performance.now();
  const found = fitScene(study, {
    onIteration({ iteration, sum }) {
      if (!options.quiet) terminal.err(`  iteration ${iteration}: sum of squares ${formatNumber(sum, 6)}\n`);
      return !interrupt.requested;
    },
    isStopped: () => interrupt.requested,
  });
  const warnings = listWarnings(study, found.result);
  const text = `${JSON.stringify(buildReport(study, found, warnings), undefined, 2)}\n`;
  const print = options.json ? terminal.err : terminal.out;
  // before the files: on a full disk the values are all that is left
  if (options.json) terminal.out(text);
  if (!options.quiet) {
    print(formatFit(found));
    print(`${describeEnd(found, (performance.now() - start) / 1000)}\n`);
  }
  folder.write('residuals.csv', listResiduals(found));
  folder.write('fit.json', text);
  folder.finish();
  if (!options.quiet) {
    print(
      `  ${folder.path}/fit.json, residuals.csv\n  use it with: tendril statics ${study.file.scene}${listSettings(study, found)}\n`,
    );
  }
  for (const warning of warnings) terminal.err(formatWarning(warning));
  if (found.result.end === 'stopped') return exitCode.interrupted;
  return found.result.end === 'converged' ? exitCode.done : exitCode.failed;
}

/** The content of fit.json. */
function buildReport(study: FitStudy, { result }: SceneFit, warnings: readonly string[]): object {
  const { parameters, sum, degrees, iterations, end, unidentified, correlation } = result;
  const n = parameters.length;
  return {
    fit: 1,
    version,
    scene: study.file.scene,
    end,
    iterations,
    sumOfSquares: sum,
    degreesOfFreedom: degrees,
    confidence: study.file.confidence ?? 0.95,
    deviationEstimated: study.estimateDeviation,
    parameters: parameters.map((one, k) => ({
      ...one,
      paths: study.parameters[k].paths.map((path) => path.join('.')),
    })),
    correlation: parameters.map((_, a) => Array.from(correlation.subarray(a * n, (a + 1) * n))),
    unidentified,
    warnings,
  };
}

function listWarnings(
  { estimateDeviation }: FitStudy,
  { sum, degrees, end, unidentified, parameters }: SceneFit['result'],
): string[] {
  return [
    ...(end === 'iterations'
      ? ['the fit has not converged within its iterations; raise `iterations` or start closer']
      : []),
    ...(end === 'stalled'
      ? ['no step reduces the sum of squares, but its gradient is not zero: values may be far from the best']
      : []),
    ...(end === 'stopped' ? ['interrupted: these are the best values so far'] : []),
    ...unidentified.map(
      (combination) =>
        `the data do not determine ${
          combination.length === 1
            ? `'${combination[0].name}'`
            : `the combination ${combination
                .map(({ name, weight }) => `${weight < 0 ? '−' : '+'} ${formatNumber(Math.abs(weight), 3)}·${name}`)
                .join(' ')
                .replace(/^\+ /, '')} (relative changes)`
        }; measure something that depends on it, give a prior, or fix a parameter`,
    ),
    ...parameters.flatMap(({ name, value, atBound }) =>
      atBound ? [`'${name}' is at its ${atBound} bound ${formatNumber(value, 5)}: it has no interval`] : [],
    ),
    // for many degrees of freedom the sum is normal, with deviation √2ν
    ...(end !== 'stopped' && !estimateDeviation && degrees > 0 && Math.abs(sum - degrees) > 5 * Math.sqrt(2 * degrees)
      ? [
          `the sum of squares is ${formatNumber(sum, 4)} for ${degrees} degrees of freedom: ${sum > degrees ? 'the model does not explain the data, or deviations are too small' : 'deviations are too large'}`,
        ]
      : []),
    ...(degrees <= 0 ? ['there are no more data than parameters, so the fit does not test the model'] : []),
  ];
}

function formatFit({ result }: SceneFit): string {
  return formatTable(
    ['parameter', 'value', 'deviation', 'from', 'to'].map((title) => ({ title })),
    result.parameters.map(({ name, value, deviation, interval }) => [
      name,
      formatNumber(value, 6),
      deviation === undefined ? '–' : formatNumber(deviation, 3),
      interval ? formatNumber(interval[0], 6) : '–',
      interval ? formatNumber(interval[1], 6) : '–',
    ]),
  );
}

function describeEnd({ result: { end, iterations, sum, degrees } }: SceneFit, seconds: number): string {
  const head = end === 'converged' ? good('✓ converged') : doubtful(`✗ ${end}`);
  return `${head} after ${iterations} iterations in ${formatDuration(seconds)}: sum of squares ${formatNumber(sum, 5)}, ${degrees} degrees of freedom`;
}

function listSettings({ parameters }: FitStudy, { result }: SceneFit): string {
  return parameters
    .flatMap(({ paths }, k) => paths.map((path) => ` --set ${path.join('.')}=${result.parameters[k].value}`))
    .join('');
}

function* listResiduals({ comparisons }: SceneFit): Generator<string> {
  yield csvLine(['experiment', 'measurement', 'measured', 'fitted', 'deviation', 'residual']);
  for (const { experiment, name, measured, fitted, deviation } of comparisons)
    yield csvLine([experiment, name, measured, fitted, Number.isNaN(deviation) ? '' : deviation, fitted - measured]);
}
