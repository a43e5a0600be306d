/** Suggestions for unknown words. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nearestWord } from '@tendril-sim/io';

/** The most similar candidate, if any: one with this beginning, or one that differs by a few letters. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const begins = word.length >= 3 ? candidates.find((candidate) => candidate.startsWith(word)) : undefined;
  return begins ?? nearestWord(word, candidates);
}

/** A file next to the one given, with a similar name. */
export function suggestFile(path: string, isWanted: (name: string) => boolean = () => true): string | undefined {
  const folder = dirname(path);
  let names: string[];
  try {
    names = readdirSync(folder).filter(isWanted);
  } catch {
    return undefined;
  }
  // `cable` for cable.yaml, or wrong letters
  const found = names.find((name) => name.startsWith(`${basename(path)}.`)) ?? nearestWord(basename(path), names);
  return found === undefined ? undefined : join(folder, found);
}
