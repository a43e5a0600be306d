/** Changes of scene values on the command line, such as `rods.0.edges=100`, applied before the scene is checked. */
import { parseDocument } from 'yaml';
import type { ScenePath } from './document.ts';
import { InputError } from './errors.ts';
import { nearestWord } from './suggest.ts';

/** A change of one field of a scene. */
export interface SceneChange {
  /** List entries by index or by their `id`. */
  readonly path: readonly string[];
  /** The value as it would be written in a file. */
  readonly value: unknown;
  /** Where the change comes from, for messages: `--set rods.0.edges=100`. */
  readonly origin: string;
}

/** Reads `path=value`; the value is YAML, so that numbers, text with units and lists can be given. */
export function parseChange(text: string, option = '--set'): SceneChange {
  const origin = `${option} ${text}`;
  const equals = text.indexOf('=');
  if (equals <= 0) throw new InputError(origin, `expected a field and a value, such as ${option} rods.0.edges=100`);
  const path = text
    .slice(0, equals)
    .trim()
    .replace(/\[(\w+)\]/g, '.$1')
    .split('.');
  if (path.some((key) => key === ''))
    throw new InputError(origin, 'the field has an empty part; write rods.0.edges=100');
  const document = parseDocument(text.slice(equals + 1), { prettyErrors: false });
  if (document.errors.length > 0)
    throw new InputError(origin, `the value is not valid YAML: ${document.errors[0].message}`);
  return { path, value: document.toJS({ maxAliasCount: 0 }), origin };
}

/** A changed scene, and data for messages. */
export interface ChangedScene {
  /** The scene as it would be read from a file. */
  readonly value: unknown;
  /** The change that a field comes from, if any. */
  originOf(path: ScenePath): string | undefined;
}

/** A copy of the values with some of them replaced. */
export function applyChanges(value: unknown, changes: readonly SceneChange[]): ChangedScene {
  const origins: { readonly path: ScenePath; readonly origin: string }[] = [];
  const changed = changes.reduce((scene, change) => {
    const path: PropertyKey[] = [];
    const next = setAt(scene, change, 0, path);
    origins.push({ path, origin: change.origin });
    return next;
  }, value);
  return {
    value: changed,
    originOf: (path) =>
      origins.findLast((one) => one.path.every((key, k) => k < path.length && String(path[k]) === String(key)))?.origin,
  };
}

/** A copy of `node` with the change below it; appends the keys on the way to `path`. */
function setAt(node: unknown, change: SceneChange, depth: number, path: PropertyKey[]): unknown {
  if (depth === change.path.length) return change.value;
  const key = change.path[depth];
  const fail = (message: string): never => {
    throw new InputError(change.origin, message);
  };
  if (Array.isArray(node)) {
    const index = findIndex(node, key);
    const before = change.path.slice(0, depth).join('.');
    if (index === undefined)
      return fail(
        `'${before}' has ${node.length} ${node.length === 1 ? 'entry' : 'entries'} and none is '${key}'; count from 0, or give the id of one`,
      );
    path.push(index);
    const child = setAt(node[index], change, depth + 1, path);
    return node.map((item: unknown, k) => (k === index ? child : item));
  }
  if (node !== undefined && node !== null && typeof node !== 'object')
    return fail(`'${change.path.slice(0, depth).join('.')}' is ${JSON.stringify(node)}, which has no field '${key}'`);
  path.push(key);
  const fields = (node ?? {}) as Record<string, unknown>;
  const names = Object.keys(fields);
  // a part of a named material or section can only be changed if there is one
  const isNamed = depth === 1 && (change.path[0] === 'materials' || change.path[0] === 'sections');
  if (isNamed && depth + 1 < change.path.length && !names.includes(key)) {
    const meant = nearestWord(key, names);
    const remedy = meant === undefined ? `there are ${names.join(', ') || 'none'}` : `did you mean '${meant}'?`;
    return fail(`'${change.path[0]}' has no '${key}'; ${remedy}`);
  }
  const child = setAt(Object.hasOwn(fields, key) ? fields[key] : undefined, change, depth + 1, path);
  // a field may have any name, including __proto__
  return Object.fromEntries([...Object.entries(fields).filter(([name]) => name !== key), [key, child]]);
}

function findIndex(list: readonly unknown[], key: string): number | undefined {
  const index = Number(key);
  if (Number.isInteger(index) && index >= 0 && index < list.length) return index;
  const named = list.findIndex(
    (item) => typeof item === 'object' && item !== null && (item as { id?: unknown }).id === key,
  );
  return named >= 0 ? named : undefined;
}
