/** What was probably meant by a word that is not known. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nearestWord } from '@tendril-sim/io';

/** The candidate that was probably meant, if any is near: one that begins so, or one a few letters off. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const begins = word.length >= 3 ? candidates.find((candidate) => candidate.startsWith(word)) : undefined;
  return begins ?? nearestWord(word, candidates);
}

/** A file beside the one that was named, whose name is near. */
export function suggestFile(path: string, isWanted: (name: string) => boolean = () => true): string | undefined {
  const folder = dirname(path);
  let names: string[];
  try {
    names = readdirSync(folder).filter(isWanted);
  } catch {
    return undefined;
  }
  // `cable` for cable.yaml, or letters that are wrong
  const found = names.find((name) => name.startsWith(`${basename(path)}.`)) ?? nearestWord(basename(path), names);
  return found === undefined ? undefined : join(folder, found);
}
