/** The command `tendril`: reads the command line, calls one verb, and turns what happens into an exit code. */
import { SceneError, SimulationError } from '@tendril/core';
import { InputError, parseQuantity } from '@tendril/io';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type CheckOptions, check } from './commands/check.ts';
import { type ExportOptions, exportRecording } from './commands/export.ts';
import { type ModesOptions, modes } from './commands/modes.ts';
import { create } from './commands/new.ts';
import { type RunOptions, run } from './commands/run.ts';
import { type SchemaOptions, schema } from './commands/schema.ts';
import { type StaticsOptions, statics } from './commands/statics.ts';
import { type StudioOptions, studio } from './commands/studio.ts';
import { exitCode, isSystemError, UsageError } from './exit.ts';
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
    .addHelpText(
      'after',
      '\nExamples:\n  tendril check\n  tendril check heavy-cantilever michell-ring --full\n  tendril check --list',
    )
    .action(async (ids: string[], options: CheckOptions) => setCode(await check(ids, options, terminal)));

  verb('export <recording>', 'write a recording as a table or a picture')
    .addOption(new Option('-t, --to <format>', 'format').choices(['csv', 'svg', 'png']).makeOptionMandatory())
    .option('-o, --out <file>', 'file to write (default: beside the recording)')
    .option('-f, --force', 'replace the file if it exists')
    .option('--frame <n>', 'this frame only, from 0; negative counts from the end', parseInteger)
    .addHelpText('after', '\nExample:\n  tendril export out/scene/recording.tendril --to png --frame -1 --out last.png')
    .action((file: string, options: ExportOptions) => setCode(exportRecording(file, options, terminal)));

  verb('new [file]', 'write a small commented scene to start from (default: scene.yaml)').action(
    (file: string | undefined) => setCode(create(file, terminal)),
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
  const seconds = value.trim() !== '' && Number.isFinite(number) ? number : quantity(value);
  if (!(seconds > 0))
    throw new InvalidArgumentError('Expected a positive time in seconds, or with its unit: 2 or "500 ms".');
  return seconds;
}

function quantity(value: string): number {
  const result = parseQuantity(value, 'time');
  return result.ok ? result.value : Number.NaN;
}

function parseCount(value: string): number {
  const count = parseInteger(value);
  if (count < 1) throw new InvalidArgumentError('Expected a positive whole number.');
  return count;
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
