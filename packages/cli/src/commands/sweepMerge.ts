/** `tendril sweep merge`: joins shards. */
import { countFailures, mergeStudies, shardFolders } from '@tendril-sim/sweep';
import { exitCode, UsageError } from '../exit.ts';
import { lockFolder } from '../lock.ts';
import { writeCsv } from '../sweep/csv.ts';
import { good, type Terminal } from '../terminal.ts';

export interface MergeOptions {
  readonly out?: string;
  readonly csv?: boolean;
}

export async function merge(
  folders: readonly string[],
  { out, csv }: MergeOptions,
  terminal: Terminal,
): Promise<number> {
  const shards = folders.flatMap((folder) => {
    const found = shardFolders(folder);
    return found.length > 0 ? found : [folder];
  });
  const whole = out ?? (folders.length === 1 && shards[0] !== folders[0] ? folders[0] : undefined);
  if (whole === undefined) throw new UsageError('several folders need --out, the folder for the result');
  const unlock = lockFolder(whole);
  try {
    const { runs, total, counts, hash, folders: count } = await mergeStudies(shards, whole);
    if (csv) await writeCsv(whole);
    terminal.out(`${good('✓')} ${count} folders: ${runs} of ${total} runs\n  data set ${hash}\n  ${whole}/data\n`);
    if (runs < total)
      terminal.err(`  ${total - runs} runs are missing; run their shards, or the study itself, to the end\n`);
    return countFailures(counts) > 0 ? exitCode.failed : exitCode.done;
  } finally {
    unlock();
  }
}
