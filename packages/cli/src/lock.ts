/**
 * Ensures that only one command at a time writes into a folder: a lock file names its process. A lock whose process has ended is ignored, so that a run that was
 * killed does not block the next one.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './exit.ts';

const lockName = '.tendril.lock';

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start time of the process by the system's clock; empty if unknown. Distinguishes processes, because ids are reused. */
  readonly began: string;
}

/** Acquires the lock; throws if another process holds it. Returns a function that releases it. */
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

/** Creates a file atomically; fails if it exists. */
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

/** Throws if a running process holds the lock of a folder. */
export function refuseLocked(folder: string): void {
  const holder = readHolder(folder);
  if (!holder || !isRunning(holder)) return;
  if (holder.host !== hostname())
    throw new UsageError(
      `process ${holder.pid} on '${holder.host}' writes into '${folder}'; choose another --out, or remove ${join(folder, lockName)} if it has ended`,
    );
  throw new UsageError(
    `another tendril (process ${holder.pid}) is writing into '${folder}'; wait for it, or choose another --out`,
  );
}

/** True if a command was killed in this folder: its lock exists and its process does not. */
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

/** A process of another machine cannot be checked, and counts as running. */
function isRunning({ pid, host, began }: Holder): boolean {
  return host !== hostname() || (isAlive(pid) && beginOf(pid) === began);
}

/** True if this machine has a process with that id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time of a process, field 22 on Linux; other systems rely on the process id. */
function beginOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name, in parentheses, may hold spaces
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
