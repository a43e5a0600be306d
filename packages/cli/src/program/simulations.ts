/** The commands that simulate: run, statics, modes, compare, report, check, validate. Their code is loaded when one is called. */
import { paperIds } from '@tendril-sim/cases/catalog';
import { type Command, Option } from 'commander';
import type { CheckOptions } from '../commands/check.ts';
import type { CompareOptions } from '../commands/compare.ts';
import type { ModesOptions } from '../commands/modes.ts';
import type { ReportOptions } from '../commands/report.ts';
import type { RunOptions } from '../commands/run.ts';
import type { StaticsOptions } from '../commands/statics.ts';
import type { ValidateOptions } from '../commands/validate.ts';
import { collect, parseCount, parseTime } from '../parsers.ts';
import type { Program } from './program.ts';

const strictWords = 'exit with code 4 if contact missed its tolerance or energy was created';

export function addSimulations(program: Program): void {
  addRun(program);
  addStatics(program);
  addModes(program);
  addValidate(program);
  addCheck(program);
  addCompare(program);
  addReport(program);
}

const withModel = (command: Command): Command =>
  command
    .option('-m, --model <model>', 'model for all rods, such as der')
    .option('--set <field=value>', 'change a field of the scene, such as rods.0.edges=100; may be repeated', collect);

const backendOption = (): Option =>
  new Option(
    '--backend <name>',
    'backend for rods of model der (default: standard); auto chooses gpu or simd if the scene allows it',
  ).choices(['standard', 'batch', 'simd', 'gpu', 'auto']);

const withOutput = (command: Command): Command =>
  withModel(command)
    .optionsGroup('Results:')
    .option('-o, --out <dir>', 'folder for the results (default: a new out/<name>)')
    .option('-f, --force', 'replace the results in --out')
    .option('--json', 'print only result.json on standard output')
    .option('-q, --quiet', 'print only errors')
    .optionsGroup('Options:');

function addRun({ verb, terminal, setCode }: Program): void {
  withOutput(verb('run <scene>', 'simulate a scene file or a case in time'))
    .option('-u, --until <time>', 'simulate up to this time, such as 2 or "500 ms"', parseTime)
    .option('-r, --resume <state>', 'continue from a state.tendril of the same scene, or from a folder that has one')
    .option('--checkpoint <time>', 'wall-clock time between saved states (default: "1 min")', parseTime)
    .option('--no-checkpoint', 'save the state only at the end')
    .option('--strict', strictWords)
    .option('--threads <n>', 'number of threads; the result does not depend on it', parseCount)
    .option('--plain', 'use the reference code instead of the WebAssembly kernels')
    .addOption(backendOption())
    .addHelpText(
      'after',
      `
Writes result.json, pictures, energies, probes, recording.tendril for export,
render and the studio, and state.tendril for --resume. Ctrl-C finishes the
current step and writes all of them; a second Ctrl-C ends at once.
If the scene is -, it is read from standard input.

Examples:
  tendril run scene.yaml --until "0.5 s"
  tendril run scene.yaml --set rods.0.edges=100 --set 'time.step=1 ms'
  tendril run scene.yaml --out results/a --json > a.json
  tendril run scene.yaml --resume out/scene/state.tendril --until 10`,
    )
    .action(async (scene: string, options: RunOptions) => {
      const { run } = await import('../commands/run.ts');
      setCode(await run(scene, options, terminal));
    });
}

function addStatics({ verb, terminal, setCode }: Program): void {
  withOutput(verb('statics <scene>', 'find equilibria and their stability'))
    .addOption(backendOption())
    .addOption(
      new Option('--stability <what>', 'seek: leave unstable equilibria; report: stay on them and report them').choices(
        ['seek', 'report'],
      ),
    )
    .addHelpText(
      'after',
      `
With statics: { from, to, steps } in the scene, the command follows the
equilibrium while pins and loads change in time, and finds the critical instants
at which stability changes. With statics: { from, to, follow: branch } it
follows the branch of equilibria by arc length, through folds; switches: 1 also
follows the branches that leave it.

Examples:
  tendril statics scene.yaml
  tendril statics michell-ring --stability report`,
    )
    .action(async (scene: string, options: StaticsOptions) => {
      const { statics } = await import('../commands/statics.ts');
      setCode(await statics(scene, options, terminal));
    });
}

function addModes({ verb, terminal, setCode }: Program): void {
  withOutput(verb('modes <scene>', 'find natural frequencies and mode shapes'))
    .option('-n, --count <n>', 'number of modes (default: as in the scene, else 10)', parseCount)
    .addOption(
      new Option('--about <shape>', 'about the equilibrium (default) or the initial shape').choices([
        'equilibrium',
        'initial',
      ]),
    )
    .option('--matrices', 'also write the mass, stiffness and damping matrices (Matrix Market)')
    .addHelpText('after', '\nExample:\n  tendril modes cantilever-frequencies --count 6 --matrices')
    .action(async (scene: string, options: ModesOptions) => {
      const { modes } = await import('../commands/modes.ts');
      setCode(await modes(scene, options, terminal));
    });
}

function addValidate({ verb, terminal, setCode }: Program): void {
  withModel(verb('validate <scene>', 'check a scene without simulating it; exit code 2 if it is invalid'))
    .option('-q, --quiet', 'print only errors and warnings')
    .addHelpText('after', '\nExample:\n  tendril validate scene.yaml')
    .action(async (scene: string, options: ValidateOptions) => {
      const { validate } = await import('../commands/validate.ts');
      setCode(await validate(scene, options, terminal));
    });
}

function addCheck({ verb, terminal, setCode }: Program): void {
  verb('check [cases...]', 'compare the built-in cases with theory; exit code 1 on a miss')
    .option('--full', 'finer resolutions; much slower')
    .option('-m, --model <model>', 'check only this model')
    .option('--json', 'print a JSON array with one entry per comparison')
    .option('-l, --list', 'list the cases without running them')
    .option('--rows', 'print every resolution, also for all cases')
    .option('-o, --out <dir>', 'folder for the figures of cases that have one')
    .addHelpText(
      'after',
      '\nExamples:\n  tendril check\n  tendril check heavy-cantilever michell-ring --full\n  tendril check --list',
    )
    .action(async (ids: string[], options: CheckOptions) => {
      const { check } = await import('../commands/check.ts');
      setCode(await check(ids, options, terminal));
    });
}

function addCompare({ verb, terminal, setCode }: Program): void {
  verb('compare <scene>', 'simulate the same scene on several models, side by side')
    .requiredOption('--models <list>', 'models, separated by commas, or all; the first is the reference')
    .option('--statics', 'compare equilibria instead of runs')
    .option('-u, --until <time>', 'simulate up to this time, such as 2 or "500 ms"', parseTime)
    .option('-o, --out <dir>', 'folder for the results (default: a new out/<name>-compare)')
    .option('-f, --force', 'replace the results in --out')
    .option('--json', 'print only compare.json on standard output')
    .option('--set <field=value>', 'change a field of the scene, such as rods.0.edges=100; may be repeated', collect)
    .option('--strict', strictWords)
    .option('-q, --quiet', 'print only errors')
    .addHelpText(
      'after',
      `
Writes compare.json, compare.csv, distances.csv, distances.svg, shapes.svg and
shapes.png, and one folder per model with the files of tendril run or statics.
A model that rejects the scene is listed with the reason; the others continue.

Examples:
  tendril compare heavy-cantilever --models der,cosserat --until "1 s"
  tendril compare scene.yaml --models all --statics`,
    )
    .action(async (scene: string, options: CompareOptions) => {
      const { compare } = await import('../commands/compare.ts');
      setCode(await compare(scene, options, terminal));
    });
}

function addReport({ verb, terminal, setCode }: Program): void {
  verb('report [scene]', 'write a page with plots: the experiments of a paper, or a scene on several models')
    .requiredOption('-o, --out <file>', 'page to write, such as report.html')
    .option('-f, --force', 'replace the page if it exists')
    .option('--paper <id>', `every figure of a paper, with the case that shows it: ${paperIds.join(', ')}`)
    .option('--models <list>', 'with a scene: models, separated by commas, or all (default)')
    .option('--quick', 'without a scene: a coarse and short preview')
    .option('--full', 'without a scene: everything in the paper, with 2000 cuboids; takes many minutes')
    .option('-q, --quiet', 'print only errors')
    .addHelpText(
      'after',
      `
Writes one self-contained HTML file.

With --paper it runs the cases that reproduce a paper's figures: claim,
measurement, picture, verdict, and why a figure is not shown. --quick omits the
pictures of scenes; --full uses fine resolutions. bergou2008 also measures the
times of the paper's Table 1 on this machine. If the file name ends in .md, the
page is Markdown without pictures.

With a scene or a case it compares models: shapes, energies, times, equilibria,
and why models rejected the scene or warned. Without either it runs the
experiments of Michels et al. 2015 on stiff fibers. Ctrl-C writes nothing.

Examples:
  tendril report --out report.html
  tendril report --paper bergou2008 --out bergou2008.html
  tendril report scene.yaml --models fiber,cosserat,massspring --out scene.html`,
    )
    .action(async (scene: string | undefined, options: ReportOptions) => {
      const { report: writeReport } = await import('../commands/report.ts');
      setCode(await writeReport(scene, options, terminal));
    });
}
