/** Reads the command line, runs one command, and converts the outcome to an exit code. */
import { CommanderError } from 'commander';
import { describeBug, exitCode, isSystemError, UsageError } from './exit.ts';
import { createProgram } from './program/program.ts';
import { formatError, type Terminal } from './terminal.ts';

export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
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

async function report(error: unknown, terminal: Terminal): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.badInput;
  if (error instanceof UsageError) {
    terminal.err(formatError(error.message));
    return exitCode.badInput;
  }
  const [{ SceneError, SimulationError }, { InputError }] = await Promise.all([
    import('@tendril-sim/core'),
    import('@tendril-sim/io'),
  ]);
  if (error instanceof InputError) {
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
  terminal.err(formatError(describeBug(error)));
  return exitCode.bug;
}
