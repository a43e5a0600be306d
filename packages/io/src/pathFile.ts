/** Reads the path of a motion from a separate file: the keys of a `path`, as in a scene. */
import type { PathSpec } from '@tendril-sim/core';
import { parseText } from './document.ts';
import { path } from './schema/drive.ts';
import { explainIssues } from './validation.ts';

/** A list of keys, `keys:` with one, or `path:` with those; YAML or JSON. Throws InputError with the line of the error. */
export function parsePath(text: string, source: string): PathSpec {
  const written = parseText(text, source);
  const { value } = written;
  const inner = typeof value === 'object' && value !== null && 'path' in value ? value.path : value;
  const isList = Array.isArray(inner);
  const result = path.safeParse(isList ? { keys: inner } : inner);
  if (result.success) return result.data;
  const inFile = (at: readonly PropertyKey[]): PropertyKey[] => [
    ...(inner === value ? [] : ['path']),
    ...(isList ? at.slice(1) : at),
  ];
  throw explainIssues(result.error.issues, source, {
    locate: (at) => written.place(inFile(at), 'value'),
    locateKey: (at) => written.place(inFile(at), 'key'),
  });
}
