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
import type { Study } from '../study/planTypes.ts';
import type { Runs, Shard } from '../study/runs.ts';
import { type Column, columnsOf, combineDigests } from './columns.ts';
import { type PartSummary, readPart, readPartHashes, readPartSummary, writePart } from './part.ts';
import { readRecord, type StudyRecord } from './record.ts';

/** Number of finished runs, by status, and a hash of their results. */
export interface DataSummary {
  /** Finished runs. */
  readonly runs: number;
  /** Runs of the study. */
  readonly total: number;
  /** Finished runs by status. */
  readonly counts: Partial<Record<Status, number>>;
  /** Hash of all results. */
  readonly hash: string;
}

/** Results of a study in a folder: a journal of finished runs, and Parquet files. */
export interface Store {
  /** Folder of the results. */
  readonly folder: string;
  /** Columns of the data set. */
  readonly columns: readonly Column[];
  /** How many runs are finished. */
  readonly done: number;
  /** Finished runs by status. */
  readonly counts: Readonly<Partial<Record<Status, number>>>;
  /** True if the run at this position is finished. */
  has(position: number): boolean;
  /** Appends a finished run; false if it was there before. Throws WriteError if the disk is full. */
  add(outcome: Outcome): boolean;
  /** Lets finished runs reach the disk. */
  flush(): void;
  /** Writes parts of chunks that are not complete, and the dictionary. */
  finish(): Promise<DataSummary>;
  /** Closes the journal files. */
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

/** Opens or makes the folder. Results of an earlier study in it are kept as far as their runs are in this one. */
export async function openStore(folder: string, { study, runs, shard, retryFailed }: StoreOptions): Promise<Store> {
  makeFolders(folder);
  const before = readRecord(folder);
  const columns = columnsOf(study.plan, runs.numeric);
  const chunkSize = study.plan.series === false ? chunkRuns : chunkRunsOfSeries;
  const chunkCount = Math.ceil(runs.count / chunkSize);
  const isChanged = before !== undefined && (before.list !== runs.key || before.key !== study.plan.key);
  if (isChanged) await setAsideKept(folder, runs);
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
  const store = await openChunks({ folder, study, runs, columns, chunkSize, chunkCount }, retryFailed === true);
  if (existsSync(keptPath(folder))) {
    for (const outcome of readJournal(keptPath(folder))) store.add(outcome);
    store.flush();
    rmSync(keptPath(folder));
  }
  return store;
}

const keptPath = (folder: string): string => join(folder, 'kept.jsonl');

/** Before the folder of a changed study is emptied: runs that are in the new list too wait in a file, whatever is killed now. */
async function setAsideKept(folder: string, runs: Runs): Promise<void> {
  const kept: Outcome[] = [];
  const sources = [readOutcomes(folder), existsSync(keptPath(folder)) ? readJournal(keptPath(folder)) : []];
  for (const source of sources)
    for await (const outcome of source) if (runs.position(outcome.hash) !== undefined) kept.push(outcome);
  writeJournal(keptPath(folder), kept);
  for (const name of ['journal', 'data']) rmSync(join(folder, name), { recursive: true, force: true });
  makeFolders(folder);
}

function makeFolders(folder: string): void {
  try {
    for (const name of ['journal', 'data']) mkdirSync(join(folder, name), { recursive: true });
  } catch (error) {
    throw new InputError(folder, `cannot create the folder (${(error as Error).message}); choose another with --out`, {
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

/** What is known of the chunks of a study. */
interface Chunks extends ChunkInput {
  /** 1 for each run that is finished. */
  readonly finished: Uint8Array;
  /** Runs of each chunk that are not finished. */
  readonly left: number[];
  readonly counts: Partial<Record<Status, number>>;
  readonly summaries: Map<number, PartSummary>;
  /** Open journals. */
  readonly handles: Map<number, number>;
  done: number;
}

const journalPath = ({ folder }: Pick<Chunks, 'folder'>, chunk: number): string =>
  join(folder, 'journal', `${chunkName(chunk)}.jsonl`);
const partPath = ({ folder }: Pick<Chunks, 'folder'>, chunk: number): string =>
  join(folder, 'data', `part-${chunkName(chunk)}.parquet`);

function note(chunks: Chunks, position: number, status: Status): void {
  chunks.finished[position] = 1;
  chunks.left[Math.floor(position / chunks.chunkSize)]--;
  chunks.counts[status] = (chunks.counts[status] ?? 0) + 1;
  chunks.done++;
}

function closeJournal({ handles }: Chunks, chunk: number): void {
  const handle = handles.get(chunk);
  if (handle !== undefined) closeSync(handle);
  handles.delete(chunk);
}

/** Outcomes of a journal, in the order of the runs, each once. */
function journaled(chunks: Chunks, chunk: number): Outcome[] {
  const found = new Map<number, Outcome>();
  for (const outcome of readJournal(journalPath(chunks, chunk))) {
    const position = chunks.runs.position(outcome.hash);
    if (position !== undefined && !found.has(position)) found.set(position, outcome);
  }
  return [...found].sort(([a], [b]) => a - b).map(([, outcome]) => outcome);
}

/** Writes the part of a journal. */
function convert(chunks: Chunks, chunk: number): void {
  const { study, columns, runs, summaries } = chunks;
  const summary = writePart(partPath(chunks, chunk), {
    plan: study.plan,
    columns,
    outcomes: journaled(chunks, chunk),
    spec: ({ hash }) => runs.spec(runs.position(hash) as number),
  });
  summaries.set(chunk, summary);
}

/** A chunk without a run left: its journal becomes a part. */
function complete(chunks: Chunks, chunk: number): void {
  closeJournal(chunks, chunk);
  convert(chunks, chunk);
  rmSync(journalPath(chunks, chunk), { force: true });
}

const writeJournal = (path: string, outcomes: readonly Outcome[]): void =>
  writeFileAtomic(path, outcomes.map((one) => `${JSON.stringify(one)}\n`).join(''), { overwrite: true });

/** Takes the runs of a part as finished. */
async function loadPart(chunks: Chunks, chunk: number, summary: PartSummary): Promise<void> {
  const { counts, runs } = chunks;
  for (const hash of await readPartHashes(partPath(chunks, chunk))) {
    const position = runs.position(hash);
    // the part knows the statuses of its runs, in sum
    if (position !== undefined) note(chunks, position, 'done');
  }
  counts.done = (counts.done ?? 0) - summary.runs;
  for (const [status, count] of Object.entries(summary.counts))
    counts[status as Status] = (counts[status as Status] ?? 0) + count;
  chunks.summaries.set(chunk, summary);
}

/** Finds the finished runs of a chunk. With `retryFailed`, those that failed are not. */
async function loadChunk(chunks: Chunks, chunk: number, retryFailed: boolean): Promise<void> {
  const [journal, part] = [journalPath(chunks, chunk), partPath(chunks, chunk)];
  if (!existsSync(journal) && existsSync(part)) {
    const summary = readPartSummary(part);
    const hasFailed = Object.keys(summary.counts).some((status) => !isGood(status as Status));
    if (!(retryFailed && hasFailed)) return loadPart(chunks, chunk, summary);
    writeJournal(journal, await readPart(part, chunks.columns));
  }
  if (!existsSync(journal)) return;
  const outcomes = journaled(chunks, chunk);
  const kept = retryFailed ? outcomes.filter(({ status }) => isGood(status)) : outcomes;
  // also drops a line that was cut, so that the next one begins on a line of its own
  writeJournal(journal, kept);
  for (const { hash, status } of kept) note(chunks, chunks.runs.position(hash) as number, status);
  if (chunks.left[chunk] === 0) complete(chunks, chunk);
}

function finishChunks(chunks: Chunks): DataSummary {
  const { folder, study, runs, columns, summaries } = chunks;
  for (let chunk = 0; chunk < chunks.chunkCount; chunk++)
    if (existsSync(journalPath(chunks, chunk))) convert(chunks, chunk);
  const digest = new Uint8Array(16);
  for (const summary of summaries.values()) combineDigests(digest, Buffer.from(summary.digest, 'hex'));
  const summary: DataSummary = {
    runs: chunks.done,
    total: runs.count,
    counts: { ...chunks.counts },
    hash: Buffer.from(digest).toString('hex'),
  };
  const { version, title, command, origin } = study.plan;
  const dictionary = { tendril: { dataset: 1, version }, title, command, origin, ...summary, columns };
  writeFileAtomic(join(folder, 'dictionary.json'), `${JSON.stringify(dictionary, null, 2)}\n`, { overwrite: true });
  return summary;
}

async function openChunks(input: ChunkInput, retryFailed: boolean): Promise<Store> {
  const { folder, runs, columns, chunkSize, chunkCount } = input;
  const chunks: Chunks = {
    ...input,
    finished: new Uint8Array(runs.count),
    left: Array.from({ length: chunkCount }, (_, c) => Math.min(chunkSize, runs.count - c * chunkSize)),
    counts: {},
    summaries: new Map(),
    handles: new Map(),
    done: 0,
  };
  for (let chunk = 0; chunk < chunkCount; chunk++) await loadChunk(chunks, chunk, retryFailed);
  const { finished, left, handles, counts } = chunks;
  return {
    folder,
    columns,
    counts,
    get done() {
      return chunks.done;
    },
    has: (position) => finished[position] === 1,
    add(outcome) {
      const position = runs.position(outcome.hash);
      if (position === undefined || finished[position] === 1) return false;
      const chunk = Math.floor(position / chunkSize);
      append(handles, chunk, journalPath(chunks, chunk), `${JSON.stringify(outcome)}\n`);
      note(chunks, position, outcome.status);
      if (left[chunk] === 0) complete(chunks, chunk);
      return true;
    },
    flush() {
      for (const handle of handles.values()) fsyncSync(handle);
    },
    finish: async () => finishChunks(chunks),
    close() {
      for (const chunk of [...handles.keys()]) closeJournal(chunks, chunk);
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
  if (!record) throw new InputError(folder, 'this folder has no study: study.json is missing');
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

/** Names of the files of a folder with this ending, sorted; none if the folder does not exist. */
export function listFiles(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
    .sort();
}
