/** Joins folders of one study, such as its shards, into one. A run that several of them hold counts once. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '@tendril-sim/io';
import { readRecord } from './store/record.ts';
import { type DataSummary, openStore, readOutcomes } from './store/store.ts';
import { parseStudyCopy } from './study/plan.ts';
import type { Study } from './study/planTypes.ts';
import { listRuns } from './study/runs.ts';

/** Folders of shards below the folder of a study. */
export function shardFolders(folder: string): string[] {
  const shards = join(folder, 'shards');
  if (!existsSync(shards)) return [];
  return readdirSync(shards)
    .filter((name) => existsSync(join(shards, name, 'study.json')))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => join(shards, name));
}

/** What `mergeStudies` wrote, and from how many folders. */
export interface MergeSummary extends DataSummary {
  /** Number of folders that were merged. */
  readonly folders: number;
}

/** Throws InputError if the folders are of different studies or versions. */
export async function mergeStudies(folders: readonly string[], out: string): Promise<MergeSummary> {
  const records = folders.map((folder) => {
    const record = readRecord(folder);
    if (!record) throw new InputError(folder, 'this folder has no study: study.json is missing');
    return record;
  });
  const [first] = records;
  if (!first) throw new InputError(out, 'there is nothing to merge; name the folders, or a folder with shards');
  for (const [k, { key, version }] of records.entries()) {
    if (version !== first.version)
      throw new InputError(
        folders[k],
        `it was made by version ${version}, '${folders[0]}' by ${first.version}; run one of them again`,
      );
    if (key !== first.key) throw new InputError(folders[k], `it is of another study than '${folders[0]}'`);
  }
  const study: Study = await parseStudyCopy(folders[0], first);
  const runs = listRuns(study);
  const store = await openStore(out, { study, runs });
  try {
    for (const folder of folders) for await (const outcome of readOutcomes(folder)) store.add(outcome);
    return { ...(await store.finish()), folders: folders.length };
  } finally {
    store.close();
  }
}
