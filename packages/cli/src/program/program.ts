/** The command line of `tendril`. */
import { Command } from 'commander';
import { formatError, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { addFiles } from './files.ts';
import { addInverse } from './inverse.ts';
import { addMachine } from './machine.ts';
import { addSimulations } from './simulations.ts';
import { addSweep } from './sweep.ts';

/** The list of commands: headings, and below them the commands, each with the line that describes it there. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Start here:': {
    new: 'write a small commented scene, or an example folder',
    studio: 'look at rods in a browser, pull and edit them',
    docs: 'open the documentation in a browser',
  },
  'Simulate:': {
    run: 'simulate in time',
    statics: 'find equilibria and their stability',
    modes: 'find natural frequencies and mode shapes',
    validate: 'check a scene without simulating it',
    compare: 'simulate one scene on several models',
  },
  'Compare with theory:': {
    check: 'compare the built-in cases with theory',
    report: "write a page with a paper's figures and verdicts",
  },
  'Pictures and files:': {
    export: 'write a recording as table, picture, film or 3D file',
    render: 'path-trace a still or a film of a recording',
    import: 'make a scene from a file of curves',
    groom: 'grow, style and play hair on a mesh',
  },
  'Studies and inverse problems:': {
    sweep: 'run a study: many runs over parameters',
    worker: 'execute runs of studies from a queue',
    gradient: 'differentiate an equilibrium by numbers of its scene',
    fit: 'find parameters that explain measurements',
    design: 'find natural shapes that do not sag',
  },
  'Other:': {
    doctor: 'print what this machine offers and what is used',
    recover: 'save the frames and checkpoint of a killed run',
    schema: 'print the JSON Schema of scene or study files',
    completion: 'print a completion script for bash, zsh or fish',
    help: 'print the help of a command',
  },
};

/** Sorts the commands, and gives each its heading and its line. */
function groupCommands(program: Command): void {
  const order = Object.values(groups).flatMap(Object.keys);
  (program.commands as Command[]).sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()));
  for (const [heading, lines] of Object.entries(groups))
    for (const command of program.commands) {
      const line = lines[command.name()];
      if (line !== undefined) command.helpGroup(heading).summary(line);
    }
}

/** A program or command that commands are added to. */
export interface Program {
  /** Adds a command with the same settings as the program. */
  verb(usage: string, description: string): Command;
  readonly terminal: Terminal;
  setCode(code: number): void;
}

export function createProgram(terminal: Terminal, setCode: (code: number) => void): Command {
  const program = new Command('tendril')
    .description('Simulates elastic rods: hair, yarn, rope, cable, springs, plants.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpCommand(
      new Command('help').argument('[command]').helpOption(false).helpGroup('Other:').summary(groups['Other:'].help),
    )
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${command.usage().replace(/\[options\] ?/, '')}`.trim(),
    })
    // subcommands have their own options
    .enablePositionalOptions()
    .showHelpAfterError("Run 'tendril --help' for the commands.")
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
  tendril new scene.yaml         write a small scene
  tendril run scene.yaml         simulate it; results go to out/scene/
  tendril run trefoil-knot       simulate a built-in case; check --list has all
  tendril statics scene.yaml     find the equilibrium and its stability

A scene is a file, the name of a case, or - for standard input.
Exit codes: 0 done, 1 a check missed, 2 bad input, 3 the simulation failed,
4 not solved (with --strict), 70 a bug, 130 interrupted.`,
    );

  const verb = (usage: string, description: string): Command =>
    program.command(usage).description(description).showHelpAfterError('Add --help for the options.');
  addSimulations({ verb, terminal, setCode });
  addInverse({ verb, terminal, setCode });
  addFiles({ verb, terminal, setCode });
  addSweep({ verb, terminal, setCode });
  addMachine({ verb, terminal, setCode });
  groupCommands(program);
  return program;
}
