/** The commands about the machine: doctor, completion. Their code is loaded when one of them is called. */
import { Argument, type Command } from 'commander';
import { type Shell, shells } from '../choices.ts';
import type { DoctorOptions } from '../commands/doctor.ts';
import type { Program } from './program.ts';

export function addMachine({ verb, terminal, setCode }: Program): void {
  verb('doctor', 'print what this machine supports and what Tendril will use')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code 1: something that runs need is missing.\n\nExample:\n  tendril doctor')
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('../commands/doctor.ts');
      setCode(await doctor(options, terminal));
    });

  verb('completion', 'print a completion script for a shell: commands, options and cases')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  source <(tendril completion bash)
  tendril completion zsh > "\${fpath[1]}/_tendril"
  tendril completion fish > ~/.config/fish/completions/tendril.fish`,
    )
    .action(async (shell: Shell, _options: unknown, command: Command) => {
      const { completion } = await import('../commands/completion.ts');
      terminal.out(completion(command.parent ?? command, shell));
    });
}
