/** The command `tendril`: reads the command line, calls one verb, and turns what happens into an exit code. */
import { SceneError, SimulationError } from '@tendril/core';
import { InputError, importMaterials, parseQuantity } from '@tendril/io';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type CheckOptions, check } from './commands/check.ts';
import { type CompareOptions, compare } from './commands/compare.ts';
import { type ExportOptions, exportFormats, exportRecording } from './commands/export.ts';
import { type ImportCommandOptions, importCurves } from './commands/import.ts';
import { type ModesOptions, modes } from './commands/modes.ts';
import { create, templates } from './commands/new.ts';
import { type ReportOptions, report as writeReport } from './commands/report.ts';
import { type RunOptions, run } from './commands/run.ts';
import { type SchemaOptions, schema } from './commands/schema.ts';
import { type StaticsOptions, statics } from './commands/statics.ts';
import { type StudioOptions, studio } from './commands/studio.ts';
import { exitCode, isSystemError, UsageError } from './exit.ts';
import { addGroom } from './groomProgram.ts';
import { formatError, processTerminal, type Terminal } from './terminal.ts';
import { version } from './version.ts';

export async function main(argv: readonly string[]): Promise<number> {
  // A reader that closes the pipe (head, less) is no error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCode.done);
    throw error;
  });
  const terminal = processTerminal();
  let code: number = exitCode.done;
  const program = createProgram(terminal, (value) => {
    code = value;
  });
  try {
    await program.parseAsync([...argv]);
    return code;
  } catch (error) {
    return report(error, terminal);
  }
}

function report(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.badInput;
  if (error instanceof InputError || error instanceof UsageError) {
    terminal.err(formatError(error.message));
    return exitCode.badInput;
  }
  if (error instanceof SceneError) {
    const field = error.path.length > 0 ? `${error.path.join('.')}: ` : '';
    terminal.err(formatError(`${field}${error.message}`));
    return exitCode.badInput;
  }
  if (error instanceof SimulationError) {
    terminal.err(formatError(`${error.message}\n  ${error.remedy}`));
    return exitCode.failed;
  }
  if (isSystemError(error)) {
    terminal.err(formatError(error.message));
    return exitCode.badInput;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.err(formatError(`this is a bug in tendril; please report it with the scene and this text\n${detail}`));
  return exitCode.bug;
}

function createProgram(terminal: Terminal, setCode: (code: number) => void): Command {
  const program = new Command('tendril')
    .description('Simulates things that are long and thin: hair, yarn, rope, cable, springs, plants.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('(tendril --help shows how)')
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (content, write) => write(formatError(content.replace(/^error: /, '').trimEnd())),
    })
    .addHelpText(
      'after',
      `
Examples:
  tendril new scene.yaml            write a small scene to start from
  tendril run scene.yaml            simulate it; results go to out/scene/
  tendril run heavy-cantilever      simulate one of the built-in cases
  tendril statics scene.yaml        find the equilibrium and its stability
  tendril modes scene.yaml          find natural frequencies
  tendril check                     compare the built-in cases with theory
  tendril compare scene.yaml --models der,cosserat
                                    the same scene on several models
  tendril studio                    look at all of them in a browser, and pull at them

Exit codes: 0 done, 1 a check missed, 2 bad input, 3 the simulation failed (state saved), 130 interrupted.`,
    );

  /** A verb under the same rules as the program. */
  const verb = (usage: string, description: string): Command => {
    const command = program.command(usage).description(description).showHelpAfterError('(add --help to see how)');
    return command;
  };
  const withOutput = (command: Command): Command =>
    command
      .option('-o, --out <dir>', 'folder for the results (default: a fresh out/<name>)')
      .option('-f, --force', 'replace the results that --out holds')
      .option('-m, --model <model>', 'model for all rods, such as der')
      .option('--json', 'print result.json alone on standard output')
      .option('-q, --quiet', 'print nothing but errors');

  withOutput(verb('run <scene>', 'simulate a scene file or a case in time'))
    .option('-u, --until <time>', 'simulate up to this time, such as 2 or "500 ms"', parseTime)
    .option('-r, --resume <state>', 'go on from a state.tendril of the same scene')
    .option('--threads <n>', 'threads over rods; the result does not depend on them', parseCount)
    .option('--plain', 'without kernels in WebAssembly: the reference code alone')
    .addHelpText(
      'after',
      `
Writes recording.tendril, energies.csv, energies.svg, picture.svg, picture.png, probes.csv (if the scene has probes),
state.tendril (to go on from) and result.json. Ctrl-C finishes the present step and writes all of them.

Examples:
  tendril run scene.yaml --until "0.5 s"
  tendril run scene.yaml --out results/a --json > a.json
  tendril run scene.yaml --resume out/scene/state.tendril --until 10`,
    )
    .action(async (scene: string, options: RunOptions) => setCode(await run(scene, options, terminal)));

  withOutput(verb('statics <scene>', 'find equilibria and their stability'))
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
and finds the critical points where its stability changes.

Example:
  tendril statics michell-ring --stability report`,
    )
    .action(async (scene: string, options: StaticsOptions) => setCode(await statics(scene, options, terminal)));

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
    .action(async (scene: string, options: ModesOptions) => setCode(await modes(scene, options, terminal)));

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
    .action(async (ids: string[], options: CheckOptions) => setCode(await check(ids, options, terminal)));

  verb('compare <scene>', 'the same scene on several models, side by side')
    .requiredOption('--models <list>', 'models, separated by commas, or all; distances are from the first')
    .option('--statics', 'compare equilibria in place of runs')
    .option('-u, --until <time>', 'simulate up to this time, such as 2 or "500 ms"', parseTime)
    .option('-o, --out <dir>', 'folder for the results (default: a fresh out/<name>-compare)')
    .option('-f, --force', 'replace the results that --out holds')
    .option('--json', 'print compare.json alone on standard output')
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
    .action(async (scene: string, options: CompareOptions) => setCode(await compare(scene, options, terminal)));

  verb('report [scene]', 'a page with plots: the experiments of a paper, or a scene on several models')
    .requiredOption('-o, --out <file>', 'the page, such as report.html')
    .option('-f, --force', 'replace the page if it exists')
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

Examples:
  tendril report --out report.html
  tendril report scene.yaml --models fiber,cosserat,massspring --out scene.html`,
    )
    .action(async (scene: string | undefined, options: ReportOptions) =>
      setCode(await writeReport(scene, options, terminal)),
    );

  verb('export <recording>', 'write a recording as a table, a picture, a film, or for other programs')
    .addOption(new Option('-t, --to <format>', 'format').choices(exportFormats).makeOptionMandatory())
    .option('-o, --out <file>', 'file to write (default: beside the recording)')
    .option('-f, --force', 'replace the file if it exists')
    .option('--frame <n>', 'this frame only, from 0; negative counts from the end', parseInteger)
    .option('--every <n>', 'every nth frame only', parseCount)
    .addOption(new Option('--look <look>', 'glb: rods as tubes or as lines').choices(['tubes', 'lines']))
    .option('--fps <n>', 'mp4, webm: pictures a second (default: 30)', parsePositive)
    .option('--speed <factor>', 'mp4, webm: 0.1 is ten times slower than it is (default: 1)', parsePositive)
    .option('--fibers <n>', 'so many fibers around each rod, in place of it', parseCount)
    .option('--bundle <length>', 'radius of that bundle, such as "2 mm"', parseLength)
    .option('--taper <factor>', 'radius of the bundle at its end, relative to its start (default: 1)', parseShare)
    .option(
      '--winding <turns>',
      'how often fibers wind about their rod, beside its own twist (default: 0)',
      parseNumber,
    )
    .option('--blend <share>', 'how much fibers follow neighbouring rods, 0 to 1 (default: 0)', parseShare)
    .option('--fiber-radius <length>', 'of a fiber (default: as thick as its rod)', parseLength)
    .addHelpText(
      'after',
      `
  usda          Universal Scene Description, for Houdini, Maya, usdview, Blender
  glb           glTF, animated, for Blender and the web
  vtp           VTK, a file a frame and a .pvd, for ParaView
  csv, parquet  tables, one row a node and frame
  svg, png      pictures
  mp4, webm     films; they need ffmpeg

Examples:
  tendril export out/scene/recording.tendril --to usda
  tendril export out/scene/recording.tendril --to png --frame -1 --out last.png
  tendril export out/scene/recording.tendril --to mp4 --speed 0.25
  tendril export out/scene/recording.tendril --to usda --fibers 50 --bundle "2 mm" --taper 0.3`,
    )
    .action(async (file: string, options: ExportOptions) => setCode(await exportRecording(file, options, terminal)));

  verb('import <curves>', 'make a scene of curves: .usda, .obj, .hair, .tfx, .glb, .gltf, .csv')
    .option('-o, --out <file>', 'scene to write (default: beside the curves)')
    .option('-f, --force', 'replace the scene if it exists')
    .option('-m, --model <model>', 'model for all rods, such as der')
    .option(
      '--unit <length>',
      'length of a unit of the file, such as "1 cm" (default: as the file says, else 1 m)',
      parseLength,
    )
    .addOption(
      new Option('--up <axis>', 'which axis is up in the file (default: as it says, else z)').choices(['y', 'z']),
    )
    .option('--frame <n>', 'of files that move: the nth sample; negative counts from the end', parseInteger)
    .option('--every <n>', 'every nth curve only', parseCount)
    .option('--count <n>', 'at most so many curves', parseCount)
    .option('--edges <n>', 'edges of each rod (default: the points as they are)', parseCount)
    .option('--radius <length>', 'radius of the rods (default: as the file says, else 0.03 mm)', parseLength)
    .addOption(new Option('--material <name>', 'material (default: hair)').choices(Object.keys(importMaterials)))
    .addOption(
      new Option('--root <hold>', 'how first points are held (default: clamp)').choices(['clamp', 'position', 'free']),
    )
    .option('--refer', 'name the file in the scene, also for few curves')
    .addHelpText(
      'after',
      `
A few curves are written into the scene; many stay in their file, which the scene names.

Examples:
  tendril import wig.hair --unit "1 in" --every 10
  tendril import spline.obj --material rubber --radius "2 mm" --out cable.yaml`,
    )
    .action((file: string, options: ImportCommandOptions) => setCode(importCurves(file, options, terminal)));

  addGroom(verb('groom', 'grow, style and play hair on a mesh'), terminal, setCode, {
    count: parseCount,
    length: parseLength,
    integer: parseInteger,
  });

  verb('new [file]', 'write a small commented scene to start from (default: scene.yaml)')
    .addOption(new Option('--template <name>', 'what it is about').choices(Object.keys(templates)).default('cable'))
    .action((file: string | undefined, { template }: { template: string }) =>
      setCode(create(file, template, terminal)),
    );

  verb('studio [scene]', 'open the studio in a browser: look at rods, pull them, compare with theory')
    .option('-p, --port <n>', 'port to serve on (default: a free one)', parsePort)
    .option('--no-open', 'only print the address')
    .addHelpText(
      'after',
      '\nServes this machine alone. Examples:\n  tendril studio\n  tendril studio scene.yaml\n  tendril studio michell-ring --port 8080',
    )
    .action(async (scene: string | undefined, options: StudioOptions) =>
      setCode(await studio(scene, options, terminal)),
    );

  verb('schema', 'print the JSON Schema of scene files')
    .option('-o, --out <file>', 'write it to a file')
    .option('-f, --force', 'replace the file if it exists')
    .action((options: SchemaOptions) => setCode(schema(options, terminal)));

  return program;
}

function parseTime(value: string): number {
  const number = Number(value);
  const seconds = value.trim() !== '' && Number.isFinite(number) ? number : quantity(value, 'time');
  if (!(seconds > 0))
    throw new InvalidArgumentError('Expected a positive time in seconds, or with its unit: 2 or "500 ms".');
  return seconds;
}

function parseLength(value: string): number {
  const number = Number(value);
  const metres = value.trim() !== '' && Number.isFinite(number) ? number : quantity(value, 'length');
  if (!(metres > 0))
    throw new InvalidArgumentError('Expected a positive length in metres, or with its unit: 0.01 or "1 cm".');
  return metres;
}

function quantity(value: string, dimension: 'time' | 'length'): number {
  const result = parseQuantity(value, dimension);
  return result.ok ? result.value : Number.NaN;
}

function parseCount(value: string): number {
  const count = parseInteger(value);
  if (count < 1) throw new InvalidArgumentError('Expected a positive whole number.');
  return count;
}

function parsePositive(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number > 0 && Number.isFinite(number)))
    throw new InvalidArgumentError('Expected a positive number.');
  return number;
}

/** Zero or more. */
function parseShare(value: string): number {
  const number = parseNumber(value);
  if (number < 0) throw new InvalidArgumentError('Expected zero or more.');
  return number;
}

function parseNumber(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Expected a number.');
  return number;
}

function parsePort(value: string): number {
  const port = parseInteger(value);
  if (port < 0 || port > 65535) throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}

function parseInteger(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number)) throw new InvalidArgumentError('Expected a whole number.');
  return number;
}
