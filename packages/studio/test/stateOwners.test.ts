/** Who writes what the page knows: signals are global, so that every panel can read them, and each has few writers. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(process.cwd(), 'packages/studio/src');

/** Names of files by the signal that they write. */
function findWriters(): Map<string, Set<string>> {
  const writers = new Map<string, Set<string>>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(entry)) continue;
    const text = readFileSync(join(folder, entry), 'utf8');
    for (const [, signal] of text.matchAll(/\bstate\.(\w+)\.value (?:[-+|&?]{0,2})=(?!=)/g))
      writers.set(signal, (writers.get(signal) ?? new Set()).add(basename(entry).replace(/\.tsx?$/, '')));
  }
  return writers;
}

/** The scene and what runs: a change anywhere else would show frames of other values than those on the page. */
const owners: Readonly<Record<string, readonly string[]>> = {
  text: ['session'],
  sceneName: ['session'],
  caseId: ['opening', 'session'],
  changed: ['session'],
  problems: ['session'],
  canUndo: ['session'],
  canRedo: ['session'],
  schema: ['schema'],
  loading: ['building', 'session'],
  loaded: ['session'],
  recorded: ['session'],
  variants: ['opening', 'session'],
  ghostStats: ['session'],
  clock: ['playback', 'viewport'],
  reached: ['viewport'],
  contacts: ['viewport'],
  doubts: ['viewport'],
  costs: ['viewport'],
};

it('is settled for the scene, the run and the clock', () => {
  const writers = findWriters();
  for (const [signal, files] of Object.entries(owners))
    expect([...(writers.get(signal) ?? [])].sort(), signal).toEqual(files);
});

it('is few files for every signal', () => {
  const crowded = [...findWriters()].filter(([, files]) => files.size > 6);
  expect(crowded.map(([signal]) => signal)).toEqual([]);
});
