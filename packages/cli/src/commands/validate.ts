/** `tendril validate`: reads a scene and compiles it, without simulating. */
import { exitCode } from '../exit.ts';
import { openWorld } from '../openWorld.ts';
import { loadSource, type SourceChanges } from '../source.ts';
import { describeRods, reportWarnings } from '../summary.ts';
import { good, type Terminal } from '../terminal.ts';

export interface ValidateOptions extends SourceChanges {
  readonly quiet?: boolean;
}

/** Throws the errors that `run` would throw before its first step. */
export async function validate(reference: string, options: ValidateOptions, terminal: Terminal): Promise<number> {
  const source = await loadSource(reference, options);
  const world = await openWorld(source, { threads: 1 });
  reportWarnings([...source.warnings, ...world.warnings], terminal);
  if (!options.quiet) terminal.out(`${good('✓')} ${source.origin} is valid: ${describeRods(world.rods)}\n`);
  return exitCode.done;
}
