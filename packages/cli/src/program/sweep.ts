/** `tendril sweep` and the verbs below it; their code is loaded when one of them is called. */

import type { Shard } from '@tendril/sweep';
import { type Command, InvalidArgumentError } from 'commander';
import type { SweepOptions } from '../commands/sweep.ts';
import type { MergeOptions } from '../commands/sweepMerge.ts';
import { parseCount } from '../parsers.ts';
import type { Program } from './program.ts';

function parseShard(value: string): Shard {
  const match = /^(\d+)\/(\d+)$/.exec(value.trim());
  const [number, of] = match ? [Number(match[1]), Number(match[2])] : [0, 0];
  if (!(number >= 1 && number <= of))
    throw new InvalidArgumentError('Expected a shard such as 3/40, from 1/40 to 40/40.');
  return { number, of };
}

export function addSweep(program: Program): void {
  const { verb, terminal, setCode } = program;
  const sweepVerb = verb('sweep', 'run a study: many runs over parameters, into one table').argument(
    '[study]',
    'the study file',
  );
  sweepVerb
    .option('-o, --out <dir>', 'folder for the results (default: out/<name>-sweep); an unfinished study in it goes on')
    .option('-w, --workers <n>', 'worker processes (default: as many as cores)', parseCount)
    .option(
      '--shard <i/n>',
      'only the i-th of n slices, into <out>/shards/i-of-n; join them by: tendril sweep merge',
      parseShard,
    )
    .option('--csv', 'also write results.csv')
    .option('--retry-failed', 'run again what failed before')
    .option('--dry-run', 'check the study and count its runs, run none')
    .option('-f, --force', 'replace results of another version')
    .option('--json', 'print a summary as JSON on standard output')
    .option('-q, --quiet', 'print nothing but errors')
    .addHelpText(
      'after',
      `
Results go to <out>/data as Parquet, with dictionary.json beside it. Ctrl-C and kill -9 lose at most the runs in flight; the same
command goes on where it stopped. Exit code 3: some runs failed; the data set says which and why.

Examples:
  tendril sweep study.yaml
  tendril sweep study.yaml --dry-run
  tendril sweep study.yaml --shard 3/40 --out results
  tendril sweep merge results`,
    )
    .action(async (study: string | undefined, options: SweepOptions) => {
      if (study === undefined) return void sweepVerb.help({ error: true });
      const { sweep } = await import('../commands/sweep.ts');
      setCode(await sweep(study, options, terminal));
    });
  addVerbs(sweepVerb, program);
}

function addVerbs(parent: Command, { terminal, setCode }: Program): void {
  const verb = (usage: string, description: string): Command =>
    parent.command(usage).description(description).showHelpAfterError('(add --help to see how)');
  verb('merge <folders...>', 'join the shards of a study, or several folders of it')
    .option('-o, --out <dir>', 'folder for the whole (default: the one that holds the shards)')
    .option('--csv', 'also write results.csv')
    .action(async (folders: string[], options: MergeOptions) => {
      const { merge } = await import('../commands/sweepMerge.ts');
      setCode(await merge(folders, options, terminal));
    });
}
