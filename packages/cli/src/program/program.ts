/** The command line of `tendril`. */
import { Command } from 'commander';
import { formatError, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { addFiles } from './files.ts';
import { addInverse } from './inverse.ts';
import { addMachine } from './machine.ts';
import { addSimulations } from './simulations.ts';
import { addSweep } from './sweep.ts';

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
    .helpCommand('help [command]', 'print the help of a command')
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
  tendril new scene.yaml            write a small scene to start from
  tendril run scene.yaml            simulate it; results go to out/scene/
  tendril run heavy-cantilever      simulate one of the built-in cases
  tendril statics scene.yaml        find the equilibrium and its stability
  tendril modes scene.yaml          find natural frequencies
  tendril check                     compare the built-in cases with theory
  tendril compare scene.yaml --models der,cosserat
                                    the same scene on several models
  tendril studio                    open the studio: look at rods and pull them
  tendril doctor                    print what this machine supports

Exit codes: 0 done, 1 a check missed, 2 bad input, 3 the simulation failed (state saved), 4 not solved (with --strict),
70 a bug, 130 interrupted.`,
    );

  const verb = (usage: string, description: string): Command =>
    program.command(usage).description(description).showHelpAfterError('Add --help for the options.');
  addSimulations({ verb, terminal, setCode });
  addInverse({ verb, terminal, setCode });
  addFiles({ verb, terminal, setCode });
  addSweep({ verb, terminal, setCode });
  addMachine({ verb, terminal, setCode });
  return program;
}
