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

const strictWords = 'exit code 4 where contact is not solved to its tolerance, or energy is created';

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
    'what computes rods of model der: standard (default), batch, simd, gpu, or auto (gpu or simd where they serve)',
  ).choices(['standard', 'batch', 'simd', 'gpu', 'auto']);

const withOutput = (command: Command): Command =>
  withModel(command)
    .option('-o, --out <dir>', 'folder for the results (default: a fresh out/<name>)')
    .option('-f, --force', 'replace the results that --out holds')
    .option('--json', 'print result.json alone on standard output')
    .option('-q, --quiet', 'print nothing but errors');

function addRun({ verb, terminal, setCode }: Program): void {
  withOutput(verb('run <scene>', 'simulate a scene file or a case in time'))
    .option('-u, --until <time>', 'simulate up to this time, such as 2 or "500 ms"', parseTime)
    .option('-r, --resume <state>', 'go on from a state.tendril of the same scene, or from that of a folder')
    .option(
      '--checkpoint <time>',
      'save the state so often, by the clock on the wall, for a run that is killed (default: "1 min")',
      parseTime,
    )
    .option('--no-checkpoint', 'save it at the end alone')
    .option('--strict', strictWords)
    .option('--threads <n>', 'threads over rods; the result does not depend on them', parseCount)
    .option('--plain', 'without kernels in WebAssembly: the reference code alone')
    .addOption(backendOption())
    .addHelpText(
      'after',
      `
Writes recording.tendril, energies.csv, energies.svg, picture.svg, picture.png, probes.csv and probes.svg (if the scene has probes),
state.tendril (for --resume) and result.json. Ctrl-C finishes the current step and writes all of them; a second Ctrl-C ends at once.
The scene - is read from standard input. tendril recover saves the frames and the last checkpoint of a killed run.

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
      new Option('--stability <what>', 'seek: leave unstable equilibria; report: stay and say so').choices([
        'seek',
        'report',
      ]),
    )
    .addHelpText(
      'after',
      `
With statics: { from, to, steps } in the scene, follows the equilibrium along time, in which pins and loads change,
and finds the critical points where its stability changes. With statics: { from, to, follow: branch } it goes along the
branch of equilibria, through folds where t turns back; switches: 1 follows the branches that leave it, too.

Examples:
  tendril statics michell-ring --stability report`,
    )
    .action(async (scene: string, options: StaticsOptions) => {
      const { statics } = await import('../commands/statics.ts');
      setCode(await statics(scene, options, terminal));
    });
}

function addModes({ verb, terminal, setCode }: Program): void {
  withOutput(verb('modes <scene>', 'find natural frequencies and mode shapes'))
    .option('-n, --count <n>', 'how many modes', parseCount)
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
  withModel(verb('validate <scene>', 'check a scene without simulating it; exit code 2 where it is wrong'))
    .option('-q, --quiet', 'print nothing but errors and warnings')
    .addHelpText('after', '\nExample:\n  tendril validate scene.yaml')
    .action(async (scene: string, options: ValidateOptions) => {
      const { validate } = await import('../commands/validate.ts');
      setCode(await validate(scene, options, terminal));
    });
}

function addCheck({ verb, terminal, setCode }: Program): void {
  verb('check [cases...]', 'compare the built-in cases with theory; exit code 1 on a miss')
    .option('--full', 'finer resolutions: slower, and with orders of convergence')
    .option('-m, --model <model>', 'on this model only')
    .option('--json', 'print one array, an entry for each check')
    .option('-l, --list', 'list the cases, run none')
    .option('--rows', 'every resolution, also when all cases are run')
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
  verb('compare <scene>', 'the same scene on several models, side by side')
    .requiredOption('--models <list>', 'models, separated by commas, or all; distances are from the first')
    .option('--statics', 'compare equilibria in place of runs')
    .option('-u, --until <time>', 'simulate up to this time, such as 2 or "500 ms"', parseTime)
    .option('-o, --out <dir>', 'folder for the results (default: a fresh out/<name>-compare)')
    .option('-f, --force', 'replace the results that --out holds')
    .option('--json', 'print compare.json alone on standard output')
    .option('--set <field=value>', 'change a field of the scene, such as rods.0.edges=100; may be repeated', collect)
    .option('--strict', strictWords)
    .option('-q, --quiet', 'print nothing but errors')
    .addHelpText(
      'after',
      `
Writes compare.json, compare.csv, distances.csv, distances.svg, shapes.svg and shapes.png, and a folder for each model with
what tendril run or statics writes. A model that refuses the scene is reported with its reason; the others go on.

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
  verb('report [scene]', 'a page with plots: the experiments of a paper, or a scene on several models')
    .requiredOption('-o, --out <file>', 'the page, such as report.html')
    .option('-f, --force', 'replace the page if it exists')
    .option('--paper <id>', `every figure of a paper, with the case that shows it: ${paperIds.join(', ')}`)
    .option('--models <list>', 'of a scene: models, separated by commas, or all (default)')
    .option('--quick', 'without a scene: coarse and short, to see what it looks like; a scene is run as it is written')
    .option('--full', 'without a scene: everything the paper did, with 2000 cuboids, many minutes')
    .option('-q, --quiet', 'print nothing but errors')
    .addHelpText(
      'after',
      `
Writes one HTML file that opens anywhere, with its plots inside: nothing is loaded from elsewhere. Without a scene it runs
the experiments of Michels et al. 2015 on stiff fibers and says for each what the paper claims, what was measured, and why they
differ. With a scene, or the name of a case, it compares models on it: shapes, energies, times, equilibria, and what each of them
refused or warned of. Ctrl-C writes nothing.

With --paper it runs the cases that show a paper's figures: the claim, what was measured, the picture, a verdict, and the reason
where a figure is not shown. --quick leaves the pictures of scenes out, --full checks at fine resolutions. With bergou2008 it also
measures the times of the paper's Table 1 on this machine. A name that ends in .md gives Markdown without pictures.

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
