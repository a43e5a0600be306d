/**
 * Recent scenes: everything that a visitor made or opened from a file, newest first. The browser's database keeps them; the one that is
 * open is in the local storage too, because a reload does not wait for a database.
 */
import { type Signal, signal } from '@preact/signals';
import type { Entry } from './history.ts';
import { readKept, writeKept } from './saved.ts';

export interface Work extends Omit<Entry, 'recording'> {
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

const limit = 24;
const openKey = 'tendril-studio-work';

export const recent: Signal<readonly Work[]> = signal([]);

/** A name for a scene that is new. */
export const newWork = (): string => `${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`;

let read: Promise<void> | undefined;

/** What earlier visits left. */
export function readRecent(): Promise<void> {
  read ??= readKept('recent').then((list) => {
    const open = readOpen();
    const known = new Map<string, Work>();
    for (const one of [...recent.value, ...(open ? [open] : []), ...(list ?? [])]) {
      const present = known.get(one.work);
      if (!present || present.time < one.time) known.set(one.work, one);
    }
    recent.value = [...known.values()].sort((a, b) => b.time - a.time).slice(0, limit);
  });
  return read;
}

let writing: ReturnType<typeof setTimeout> | undefined;

/** Keeps a scene under its name. */
export function keepWork(entry: Entry, title: string): void {
  const { recording: _, ...rest } = entry;
  const work: Work = { ...rest, title, time: Date.now() };
  recent.value = [work, ...recent.value.filter((one) => one.work !== work.work)].slice(0, limit);
  try {
    const { hair: __, ...small } = work;
    localStorage.setItem(openKey, JSON.stringify(small));
  } catch {
    // no storage (a private window, or full): the page works without
  }
  clearTimeout(writing);
  writing = setTimeout(() => void readRecent().then(() => writeKept('recent', recent.value)), 150);
}

function readOpen(): Work | undefined {
  try {
    const work = JSON.parse(localStorage.getItem(openKey) ?? 'null') as Partial<Work> | null;
    if (typeof work?.text !== 'string' || typeof work.name !== 'string' || typeof work.work !== 'string')
      return undefined;
    return {
      title: '',
      time: 0,
      changed: true,
      ...work,
      text: work.text,
      name: work.name,
      work: work.work,
      caseId: typeof work.caseId === 'string' ? work.caseId : undefined,
    };
  } catch {
    return undefined;
  }
}

/** The scene that was worked on last. */
export const lastWork = (): Work | undefined => readOpen();

/** Undefined where this browser does not have it. */
export async function findWork(work: string): Promise<Work | undefined> {
  const open = readOpen();
  if (open?.work === work && !/\.hairstyle\b/.test(open.text)) return open;
  await readRecent();
  return recent.value.find((one) => one.work === work);
}

export const titleOfWork = (work: string): string | undefined => recent.value.find((one) => one.work === work)?.title;

export function forgetWork(work: string): void {
  recent.value = recent.value.filter((one) => one.work !== work);
  void writeKept('recent', recent.value);
}
