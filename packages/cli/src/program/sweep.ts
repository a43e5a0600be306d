/** `tendril sweep` and its subcommands; their code is loaded when one of them is called. */

import type { Shard } from '@tendril-sim/sweep';
import { type Command, InvalidArgumentError } from 'commander';
import type { SweepOptions } from '../commands/sweep.ts';
import type { MergeOptions } from '../commands/sweepMerge.ts';
import type { QueueCommandOptions } from '../commands/sweepQueue.ts';
import type { QueryOptions, SweepReportOptions } from '../commands/sweepReport.ts';
import type { WorkerCommandOptions } from '../commands/worker.ts';
import { parseCount, parsePort, parsePositive } from '../parsers.ts';
import type { CsvOptions } from '../sweep/csv.ts';
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
    // its options come before its subcommands, which have options of the same names
    .enablePositionalOptions()
    .option('-o, --out <dir>', 'folder for the results (default: out/<name>-sweep); resumes an unfinished study')
    .option('-w, --workers <n>', 'number of worker processes (default: one per core)', parseCount)
    .option(
      '--shard <i/n>',
      'run only the i-th of n shards, into <out>/shards/i-of-n; tendril sweep merge joins them',
      parseShard,
    )
    .option(
      '--queue <url>',
      'send the runs through Redis to tendril worker, such as redis://:password@host:6379 (default: TENDRIL_QUEUE)',
    )
    .option('--priority <n>', 'priority in the queue; 1 is highest (default: 10)', parseCount)
    .option('--csv', 'also write results.csv')
    .option('--retry-failed', 'repeat failed runs')
    .option('--dry-run', 'check the study and count its runs without running them')
    .option('-f, --force', 'replace results that another version wrote')
    .option('--json', 'print a summary as JSON on standard output')
    .option('-q, --quiet', 'print only errors')
    .addHelpText(
      'after',
      `
Results go to <out>/data as Parquet, with dictionary.json beside it. Ctrl-C and
kill -9 lose at most the runs in progress; the same command resumes the study.
Exit code 3: some runs failed; the data set says which and why.

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
  addWorker(program);
}

function addWorker({ verb, terminal, setCode }: Program): void {
  verb('worker', 'execute runs of studies from a queue, on any number of machines')
    .option(
      '--queue <url>',
      'address of Redis, such as redis://:password@host:6379; rediss:// uses TLS (default: TENDRIL_QUEUE)',
    )
    .option('-w, --workers <n>', 'number of worker processes (default: one per core)', parseCount)
    .option('--idle <s>', 'end after this many seconds without runs', parsePositive)
    .option(
      '--takeover <s>',
      'seconds of silence after which other workers take over its runs (default: 10)',
      parsePositive,
    )
    .option('--metrics <port>', 'serve Prometheus metrics at http://127.0.0.1:<port>/metrics', parsePort)
    .option('-q, --quiet', 'print only errors')
    .addHelpText('after', '\nExample:\n  tendril worker --queue redis://:secret@farm:6379')
    .action(async (options: WorkerCommandOptions) => {
      const { worker } = await import('../commands/worker.ts');
      setCode(await worker(options, terminal));
    });
}

function addVerbs(parent: Command, { terminal, setCode }: Program): void {
  const verb = (usage: string, description: string): Command =>
    parent.command(usage).description(description).showHelpAfterError('Add --help for the options.');
  verb('queue [action]', 'show or control a queue: status (default), pause, resume, drain')
    .option('--queue <url>', 'address of Redis (default: TENDRIL_QUEUE)')
    .option('--json', 'print JSON')
    .option('--metrics', 'print Prometheus metrics')
    .action(async (action: string | undefined, options: QueueCommandOptions) => {
      const { queueCommand } = await import('../commands/sweepQueue.ts');
      setCode(await queueCommand(action ?? 'status', options, terminal));
    });
  verb('query <folder> <sql>', 'run SQL on a data set; its table is called runs')
    .option('--csv', 'print CSV')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tendril sweep query out/study-sweep "select E, min(tip) from runs group by E"')
    .action(async (folder: string, sql: string, options: QueryOptions) => {
      const { query } = await import('../commands/sweepReport.ts');
      setCode(await query(folder, sql, options, terminal));
    });
  verb('report <folder>', 'write a page: parallel coordinates, scatter plots, response surfaces, sensitivity, failures')
    .option('-o, --out <file>', 'page to write (default: report.html in the folder)')
    .option('-f, --force', 'replace the page if it exists')
    .option('--studio <url>', 'address of the studio that opens a run when it is clicked', 'http://127.0.0.1:4173')
    .action(async (folder: string, options: SweepReportOptions) => {
      const { sweepReport } = await import('../commands/sweepReport.ts');
      setCode(await sweepReport(folder, options, terminal));
    });
  verb('csv <folder>', 'write the data set as results.csv')
    .option('-o, --out <file>', 'file to write (default: results.csv in the folder)')
    .option('-f, --force', 'replace the file if it exists')
    .action(async (folder: string, options: CsvOptions) => {
      const { writeCsv } = await import('../sweep/csv.ts');
      terminal.out(`wrote ${await writeCsv(folder, options)}\n`);
    });
  verb('merge <folders...>', 'join the shards, or several folders, of one study')
    .option('-o, --out <dir>', 'folder for the result (default: the folder with the shards)')
    .option('--csv', 'also write results.csv')
    .action(async (folders: string[], options: MergeOptions) => {
      const { merge } = await import('../commands/sweepMerge.ts');
      setCode(await merge(folders, options, terminal));
    });
}
