/** Detects a file that belongs to another command: a study given to `tendril run`, a scene given to `tendril sweep`. */
import type { TextDocument } from './document.ts';
import { InputError } from './errors.ts';

/** By the field that holds the version of the format: what the file is, and the command that reads it. */
const kinds = {
  tendril: { noun: 'a scene', command: 'run' },
  sweep: { noun: 'a study', command: 'sweep' },
  fit: { noun: 'a fit', command: 'fit' },
} as const;

/** Throws InputError if a file lacks the version of the wanted format and has that of another. */
export function rejectOtherKind(document: TextDocument, source: string, wanted: keyof typeof kinds): void {
  const { value } = document;
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, wanted)) return;
  const found = (['tendril', 'sweep', 'fit'] as const).find((kind) => Object.hasOwn(value, kind));
  if (found === undefined) return;
  const { noun, command } = kinds[found];
  const message = `this file is ${noun}, not ${kinds[wanted].noun}; use: tendril ${command} ${source}`;
  throw new InputError(source, [{ ...document.place([found], 'key'), message }]);
}
