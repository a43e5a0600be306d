/** The file `study.json` in the folder of a study. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '@tendril-sim/io';
import type { Plan } from '../study/planTypes.ts';
import type { Shard } from '../study/runs.ts';
import type { Column } from './columns.ts';

/** Contents of `study.json`: what a folder holds the results of. */
export interface StudyRecord {
  readonly sweep: 1;
  /** Version of Tendril. */
  readonly version: string;
  /** Title of the study. */
  readonly title: string;
  /** Command that each run executes. */
  readonly command: Plan['command'];
  /** Scene file or case, for messages. */
  readonly origin: string;
  /** Absolute path of the study file. */
  readonly source: string;
  /** Description of the design. */
  readonly design: string;
  /** Number of runs. */
  readonly runs: number;
  /** Rows of the design that were left out because another has the same values. */
  readonly duplicates: number;
  /** Of the plan and of the list of runs. */
  readonly key: string;
  /** Hash of the list of runs. */
  readonly list: string;
  /** The part of the runs that this folder is for. */
  readonly shard?: Shard;
  /** Columns of the data set. */
  readonly columns: readonly Column[];
  /** Parameters by their paths, to make the scene of a run again. */
  readonly plan: Plan;
}

/** Reads `study.json` of a folder; undefined if there is none. Throws InputError if it cannot be read. */
export function readRecord(folder: string): StudyRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'study.json'), 'utf8')) as StudyRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new InputError(join(folder, 'study.json'), `this is no study: ${(error as Error).message}`);
  }
}
