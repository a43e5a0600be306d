/** Scenes that differ in single numbers: a scene as it was written, with some of its fields replaced. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Scene } from '@tendril-sim/core';
import {
  applyChanges,
  createFileResolver,
  InputError,
  nearestWord,
  parseText,
  type SceneChange,
  sceneFromObject,
} from '@tendril-sim/io';
import { openWithin } from '@tendril-sim/io/node';
import { readAmount } from '../study/amounts.ts';
import { refuseDevice } from '../study/device.ts';

/** A field and the number that it gets, in SI. */
export interface FieldValue {
  /** Names and indices from the top of the scene to the field. */
  readonly path: readonly string[];
  /** Value in SI. */
  readonly value: number;
}

/** A scene whose numbers can be replaced. */
export interface SceneFamily {
  /** File or case, for messages. */
  readonly origin: string;
  /** Number in a field, in SI. Throws InputError, with a suggestion, if there is none. */
  valueOf(path: readonly string[]): number;
  /** Throws InputError if the field does not accept amounts in this unit. */
  checkUnit(path: readonly string[], unit: string): void;
  /** The scene with these values. Throws InputError if it is not valid. */
  build(values: readonly FieldValue[]): Scene;
}

/** Opens a scene file, or a case by its name; `folder` is what relative names refer to. */
export async function openFamily(reference: string, folder = '.'): Promise<SceneFamily> {
  const path = resolve(folder, reference);
  refuseDevice(path, 'a scene');
  let text: string | undefined;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new InputError(path, `the scene cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (text !== undefined) return createFamily(parseText(text, path).value, reference, dirname(path));
  const { cases, findCase } = await import('@tendril-sim/cases');
  const found = findCase(reference);
  if (found) return createFamily(found.scene(), `case ${found.id}`, folder);
  const meant = nearestWord(
    reference,
    cases.map(({ id }) => id),
  );
  throw new InputError(
    reference,
    `there is no scene file and no case of this name${meant ? `; did you mean '${meant}'?` : ''}`,
  );
}

function createFamily(written: unknown, origin: string, folder: string): SceneFamily {
  const files = createFileResolver(openWithin(folder));
  let base: Scene | undefined;
  return {
    origin,
    valueOf: (path) => readField(written, path, origin),
    checkUnit(path, unit) {
      const value = `1 ${unit}`;
      sceneFromObject(written, origin, { files, changes: [{ path, value, origin: `${path.join('.')} = ${value}` }] });
    },
    build(values) {
      const changes = values.map(
        ({ path, value }): SceneChange => ({ path, value, origin: `${path.join('.')} = ${value}` }),
      );
      base ??= sceneFromObject(written, origin, { files });
      // a number in place of a number needs no new validation, which takes longer than everything else
      if (values.every(({ path }) => typeof follow(base, path) === 'number'))
        return applyChanges(base, changes).value as Scene;
      return sceneFromObject(written, origin, { files, changes });
    },
  };
}

/** Value at a path; undefined if there is none. */
function follow(node: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => {
    if (typeof at !== 'object' || at === null) return undefined;
    return Array.isArray(at) ? pick(at, key) : (at as Record<string, unknown>)[key];
  }, node);
}

/** Follows a path through groups and lists; entries of a list by index or `id`. */
function readField(written: unknown, path: readonly string[], origin: string): number {
  let node = written;
  const fail = (message: string): never => {
    throw new InputError(origin, `field '${path.join('.')}': ${message}`);
  };
  for (const [depth, key] of path.entries()) {
    const at = depth === 0 ? 'the scene' : `'${path.slice(0, depth).join('.')}'`;
    if (typeof node !== 'object' || node === null) return fail(`${at} is ${JSON.stringify(node)}, which has no fields`);
    const known = Array.isArray(node)
      ? node.flatMap((item: { id?: unknown } | null, k) => [
          String(k),
          ...(typeof item?.id === 'string' ? [item.id] : []),
        ])
      : Object.keys(node);
    if (!known.includes(key)) {
      const meant = nearestWord(key, known);
      return fail(`${at} has no '${key}'${meant ? `; did you mean '${meant}'?` : `; it has ${known.join(', ')}`}`);
    }
    node = Array.isArray(node) ? pick(node, key) : (node as Record<string, unknown>)[key];
  }
  const amount = readAmount(node)?.value;
  if (amount === undefined || !Number.isFinite(amount))
    return fail(`expected a number, or text with a unit such as "2 GPa", got ${JSON.stringify(node)}`);
  return amount;
}

function pick(list: readonly unknown[], key: string): unknown {
  const index = Number(key);
  return Number.isInteger(index)
    ? list[index]
    : list.find((item) => typeof item === 'object' && item !== null && (item as { id?: unknown }).id === key);
}
