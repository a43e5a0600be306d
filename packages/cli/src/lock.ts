/**
 * One command at a time writes into a folder: a lock file names the process. A lock whose process has ended counts for
 * nothing, so that a run that was killed does not block the next one.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './exit.ts';

const lockName = '.tendril.lock';

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, by the clock of the system; empty where it cannot be told. Process ids are used again. */
  readonly began: string;
}

/** Takes the lock; throws where another process has it. Returns what releases it. */
export function lockFolder(folder: string): () => void {
  const file = join(folder, lockName);
  const holder: Holder = { pid: process.pid, host: hostname(), began: beginOf(process.pid) };
  for (let trial = 0; ; trial++) {
    try {
      createWhole(file, JSON.stringify(holder));
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || trial > 0) throw error;
      refuseLocked(folder);
      rmSync(file, { force: true });
    }
  }
}

/** A new file that nobody sees half written; fails where it exists. */
function createWhole(file: string, content: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // not every file system has hard links
    writeFileSync(file, content, { flag: 'wx' });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Throws where a process that runs holds the lock of a folder. */
export function refuseLocked(folder: string): void {
  const holder = readHolder(folder);
  if (!holder || !isRunning(holder)) return;
  if (holder.host !== hostname())
    throw new UsageError(
      `process ${holder.pid} on '${holder.host}' writes into '${folder}'; choose another --out, or remove ${join(folder, lockName)} if it has ended`,
    );
  throw new UsageError(
    `another tendril (process ${holder.pid}) writes into '${folder}' now; wait for it, or choose another --out`,
  );
}

/** Whether a command was cut off in this folder: its lock is there and its process is not. */
export function isAbandoned(folder: string): boolean {
  const holder = readHolder(folder);
  return holder !== undefined && !isRunning(holder);
}

export function removeLock(folder: string): void {
  rmSync(join(folder, lockName), { force: true });
}

function readHolder(folder: string): Holder | undefined {
  try {
    const { pid, host, began } = JSON.parse(readFileSync(join(folder, lockName), 'utf8')) as Partial<Holder>;
    if (!Number.isInteger(pid) || typeof host !== 'string' || typeof began !== 'string') return undefined;
    return { pid: pid as number, host, began };
  } catch {
    return undefined;
  }
}

/** Of another machine it cannot be told: such a process counts as running. */
function isRunning({ pid, host, began }: Holder): boolean {
  return host !== hostname() || (isAlive(pid) && beginOf(pid) === began);
}

/** Whether this machine has a process of that number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Linux says in field 22 when a process began; elsewhere the process id has to do. */
function beginOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name, in parentheses, may hold spaces
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
