/**
 * The folder of a study. Finished runs are appended to a journal, one line of JSON each; when a chunk of runs is complete, its
 * journal becomes a Parquet part. A run counts once, by its hash, however often it is reported.
 *
 *   study.yaml, study.json   the study, and what this program made of it
 *   journal/00000.jsonl      finished runs of a chunk that is not complete; if it exists, it is what counts
 *   data/part-00000.parquet  rows of a chunk
 *   dictionary.json          what the columns mean, how many runs, hash of the data set
 *
 * Whatever is killed, lines in the journal stay; a line that was cut is ignored and its run is made again.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { InputError } from '@tendril-sim/io';
import { WriteError, writeFileAtomic } from '@tendril-sim/io/node';
import type { Outcome, Status } from '../run/execute.ts';
import type { Plan, Study } from '../study/plan.ts';
import type { Runs, Shard } from '../study/runs.ts';
import { type Column, columnsOf, combineDigests } from './columns.ts';
import { type PartSummary, readPart, readPartHashes, readPartSummary, writePart } from './part.ts';

export interface StudyRecord {
  readonly sweep: 1;
  readonly version: string;
  readonly title: string;
  readonly command: Plan['command'];
  readonly origin: string;
  /** Absolute path of the study file. */
  readonly source: string;
  readonly design: string;
  readonly runs: number;
  readonly duplicates: number;
  /** Of the plan and of the list of runs. */
  readonly key: string;
  readonly list: string;
  readonly shard?: Shard;
  readonly columns: readonly Column[];
  /** Parameters by their paths, to make the scene of a run again. */
  readonly plan: Plan;
}

export interface DataSummary {
  readonly runs: number;
  readonly total: number;
  readonly counts: Partial<Record<Status, number>>;
  readonly hash: string;
}

export interface Store {
  readonly folder: string;
  readonly columns: readonly Column[];
  /** How many runs are finished. */
  readonly done: number;
  readonly counts: Readonly<Partial<Record<Status, number>>>;
  has(position: number): boolean;
  /** Appends a finished run; false if it was there before. Throws WriteError if the disk is full. */
  add(outcome: Outcome): boolean;
  /** Lets finished runs reach the disk. */
  flush(): void;
  /** Writes parts of chunks that are not complete, and the dictionary. */
  finish(): Promise<DataSummary>;
  close(): void;
}

/** Runs per chunk: few enough to hold in memory, series included. */
const chunkRuns = 4096;
const chunkRunsOfSeries = 256;

const chunkName = (chunk: number): string => String(chunk).padStart(5, '0');

export interface StoreOptions {
  readonly study: Study;
  readonly runs: Runs;
  readonly shard?: Shard;
  /** Runs that failed are made again. */
  readonly retryFailed?: boolean;
}

export function readRecord(folder: string): StudyRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'study.json'), 'utf8')) as StudyRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new InputError(join(folder, 'study.json'), `this is no study: ${(error as Error).message}`);
  }
}

/** Opens or makes the folder. Results of an earlier study in it are kept as far as their runs are in this one. */
export async function openStore(folder: string, { study, runs, shard, retryFailed }: StoreOptions): Promise<Store> {
  makeFolders(folder);
  const before = readRecord(folder);
  const columns = columnsOf(study.plan, runs.numeric);
  const chunkSize = study.plan.series === false ? chunkRuns : chunkRunsOfSeries;
  const chunkCount = Math.ceil(runs.count / chunkSize);
  const kept: Outcome[] = [];
  if (before && (before.list !== runs.key || before.key !== study.plan.key)) {
    for await (const outcome of readOutcomes(folder)) if (runs.position(outcome.hash) !== undefined) kept.push(outcome);
    for (const name of ['journal', 'data']) rmSync(join(folder, name), { recursive: true, force: true });
    makeFolders(folder);
  }
  const record: StudyRecord = {
    sweep: 1,
    version: study.plan.version,
    title: study.plan.title,
    command: study.plan.command,
    origin: study.plan.origin,
    source: study.source,
    design: study.design,
    runs: runs.count,
    duplicates: runs.duplicates,
    key: study.plan.key,
    list: runs.key,
    ...(shard && { shard }),
    columns,
    plan: study.plan,
  };
  writeFileAtomic(join(folder, 'study.yaml'), study.text, { overwrite: true });
  writeFileAtomic(join(folder, 'study.json'), `${JSON.stringify(record, null, 2)}\n`, { overwrite: true });
  const store = createChunkStore({ folder, study, runs, columns, chunkSize, chunkCount });
  await store.load(retryFailed === true);
  for (const outcome of kept) store.add(outcome);
  return store;
}

function makeFolders(folder: string): void {
  try {
    for (const name of ['journal', 'data']) mkdirSync(join(folder, name), { recursive: true });
  } catch (error) {
    throw new InputError(folder, `cannot make the folder (${(error as Error).message}); choose another with --out`, {
      cause: error,
    });
  }
}

interface ChunkInput {
  readonly folder: string;
  readonly study: Study;
  readonly runs: Runs;
  readonly columns: readonly Column[];
  readonly chunkSize: number;
  readonly chunkCount: number;
}

const isGood = (status: Status): boolean => status === 'done' || status === 'doubtful';

function createChunkStore({ folder, study, runs, columns, chunkSize, chunkCount }: ChunkInput): Store & {
  load(retryFailed: boolean): Promise<void>;
} {
  const finished = new Uint8Array(runs.count);
  const left = Array.from({ length: chunkCount }, (_, c) => Math.min(chunkSize, runs.count - c * chunkSize));
  const counts: Partial<Record<Status, number>> = {};
  const summaries = new Map<number, PartSummary>();
  const handles = new Map<number, number>();
  let done = 0;
  const journal = (chunk: number): string => join(folder, 'journal', `${chunkName(chunk)}.jsonl`);
  const part = (chunk: number): string => join(folder, 'data', `part-${chunkName(chunk)}.parquet`);

  const note = (position: number, status: Status): void => {
    finished[position] = 1;
    left[Math.floor(position / chunkSize)]--;
    counts[status] = (counts[status] ?? 0) + 1;
    done++;
  };
  const closeJournal = (chunk: number): void => {
    const handle = handles.get(chunk);
    if (handle !== undefined) closeSync(handle);
    handles.delete(chunk);
  };
  /** In the order of the runs, each once. */
  const journaled = (chunk: number): Outcome[] => {
    const found = new Map<number, Outcome>();
    for (const outcome of readJournal(journal(chunk))) {
      const position = runs.position(outcome.hash);
      if (position !== undefined && !found.has(position)) found.set(position, outcome);
    }
    return [...found].sort(([a], [b]) => a - b).map(([, outcome]) => outcome);
  };
  const specOf = (outcome: Outcome): ReturnType<Runs['spec']> => runs.spec(runs.position(outcome.hash) as number);
  const convert = (chunk: number): void => {
    summaries.set(
      chunk,
      writePart(part(chunk), { plan: study.plan, columns, outcomes: journaled(chunk), spec: specOf }),
    );
  };
  const complete = (chunk: number): void => {
    closeJournal(chunk);
    convert(chunk);
    rmSync(journal(chunk), { force: true });
  };

  return {
    folder,
    columns,
    counts,
    get done() {
      return done;
    },
    has: (position) => finished[position] === 1,
    async load(retryFailed) {
      for (let chunk = 0; chunk < chunkCount; chunk++) {
        if (!existsSync(journal(chunk)) && existsSync(part(chunk))) {
          const summary = readPartSummary(part(chunk));
          const failed = Object.entries(summary.counts).some(([status]) => !isGood(status as Status));
          if (retryFailed && failed) {
            const outcomes = await readPart(part(chunk), columns);
            writeFileAtomic(journal(chunk), outcomes.map((one) => `${JSON.stringify(one)}\n`).join(''));
          } else {
            for (const hash of await readPartHashes(part(chunk))) {
              const position = runs.position(hash);
              // the part knows the statuses of its runs, in sum
              if (position !== undefined) note(position, 'done');
            }
            counts.done = (counts.done ?? 0) - summary.runs;
            for (const [status, count] of Object.entries(summary.counts))
              counts[status as Status] = (counts[status as Status] ?? 0) + count;
            summaries.set(chunk, summary);
            continue;
          }
        }
        if (!existsSync(journal(chunk))) continue;
        const outcomes = journaled(chunk);
        const good = retryFailed ? outcomes.filter(({ status }) => isGood(status)) : outcomes;
        // also drops a line that was cut, so that the next one begins on a line of its own
        writeFileAtomic(journal(chunk), good.map((one) => `${JSON.stringify(one)}\n`).join(''), { overwrite: true });
        for (const { hash, status } of good) note(runs.position(hash) as number, status);
        if (left[chunk] === 0) complete(chunk);
      }
    },
    add(outcome) {
      const position = runs.position(outcome.hash);
      if (position === undefined || finished[position] === 1) return false;
      const chunk = Math.floor(position / chunkSize);
      append(handles, chunk, journal(chunk), `${JSON.stringify(outcome)}\n`);
      note(position, outcome.status);
      if (left[chunk] === 0) complete(chunk);
      return true;
    },
    flush() {
      for (const handle of handles.values()) fsyncSync(handle);
    },
    async finish() {
      for (let chunk = 0; chunk < chunkCount; chunk++) if (existsSync(journal(chunk))) convert(chunk);
      const digest = new Uint8Array(16);
      for (const summary of summaries.values()) combineDigests(digest, Buffer.from(summary.digest, 'hex'));
      const summary: DataSummary = {
        runs: done,
        total: runs.count,
        counts: { ...counts },
        hash: Buffer.from(digest).toString('hex'),
      };
      const { version, title, command, origin } = study.plan;
      const dictionary = { tendril: { dataset: 1, version }, title, command, origin, ...summary, columns };
      writeFileAtomic(join(folder, 'dictionary.json'), `${JSON.stringify(dictionary, null, 2)}\n`, { overwrite: true });
      return summary;
    },
    close() {
      for (const chunk of [...handles.keys()]) closeJournal(chunk);
    },
  };
}

/** One line, whole: what a full disk cut is taken back. */
function append(handles: Map<number, number>, chunk: number, path: string, line: string): void {
  let handle = handles.get(chunk);
  if (handle === undefined) {
    handle = openSync(path, 'a');
    handles.set(chunk, handle);
  }
  const bytes = Buffer.from(line);
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(handle, bytes, at);
  } catch (error) {
    if (at > 0) ftruncateSync(handle, fstatSync(handle).size - at);
    const code = (error as NodeJS.ErrnoException).code ?? '';
    const reason =
      code === 'ENOSPC' || code === 'EDQUOT'
        ? 'the disk is full; free some space and run the same command again'
        : (error as Error).message;
    throw new WriteError(path, `${reason}: finished runs before this one are kept`, { cause: error });
  }
}

function* readJournal(path: string): Generator<Outcome> {
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    try {
      yield JSON.parse(line) as Outcome;
    } catch {
      // a line that a crash or a full disk cut: its run is made again
    }
  }
}

/** All finished runs of a folder, parts and journals, each once. */
export async function* readOutcomes(folder: string): AsyncGenerator<Outcome> {
  const record = readRecord(folder);
  if (!record) throw new InputError(folder, 'this folder holds no study: it has no study.json');
  const seen = new Set<string>();
  const journals = new Set(listFiles(join(folder, 'journal'), '.jsonl'));
  const sources = [
    ...[...journals].map((name) => () => [...readJournal(join(folder, 'journal', name))]),
    ...listFiles(join(folder, 'data'), '.parquet')
      .filter((name) => !journals.has(`${name.replace(/^part-|\.parquet$/g, '')}.jsonl`))
      .map((name) => () => readPart(join(folder, 'data', name), record.columns)),
  ];
  for (const source of sources) {
    for (const outcome of await source()) {
      if (seen.has(outcome.hash)) continue;
      seen.add(outcome.hash);
      yield outcome;
    }
  }
}

export function listFiles(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
    .sort();
}

/** Used by tests to cut a line as a crash would. */
export const journalOf = (folder: string, chunk = 0): string => join(folder, 'journal', `${chunkName(chunk)}.jsonl`);
