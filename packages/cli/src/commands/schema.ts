/** `tendril schema`: the JSON Schema of scene files, for editors and other programs. */
import { existsSync } from 'node:fs';
import { sceneJsonSchema } from '@tendril-sim/io';
import { writeFileAtomic } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface SchemaOptions {
  readonly out?: string;
  readonly force?: boolean;
  /** For study files instead of scenes. */
  readonly sweep?: boolean;
}

export async function schema(options: SchemaOptions, terminal: Terminal): Promise<number> {
  const value = options.sweep ? (await import('@tendril-sim/sweep')).studyJsonSchema() : sceneJsonSchema();
  const content = `${JSON.stringify(value, null, 2)}\n`;
  if (options.out === undefined) {
    terminal.out(content);
    return exitCode.done;
  }
  if (existsSync(options.out) && !options.force)
    throw new UsageError(`'${options.out}' exists; add --force to replace it`);
  writeFileAtomic(options.out, content, { overwrite: options.force === true });
  terminal.err(`wrote ${options.out}\n`);
  return exitCode.done;
}
