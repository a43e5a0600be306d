/** Patterns of names: `hair-*` in pins, welds and colliders selects all rods whose names match. */
import { listNames, type Scene } from '@tendril-sim/core';

/** A pattern that no rod matches, and its location. */
export class PatternError extends Error {
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.name = 'PatternError';
    this.path = path;
  }
}

export interface Expanded {
  readonly scene: Scene;
  /** For each pin and weld of the scene, the index of the one in the file that it comes from. */
  readonly pinOrigin: readonly number[];
  readonly weldOrigin: readonly number[];
}

/** A name with `*` that is not the name of a rod selects all rods that match it. */
export function expandPatterns(scene: Scene): Expanded {
  const names = scene.rods.map(({ id }) => id);
  const known = new Set(names);
  const namesOf = (name: string, path: readonly (string | number)[]): readonly string[] => {
    if (!name.includes('*') || known.has(name)) return [name];
    const parts = name.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    const pattern = new RegExp(`^${parts.join('.*')}$`, 's');
    const found = names.filter((id) => pattern.test(id));
    if (found.length === 0)
      throw new PatternError(path, `no rod has a name like '${name}'; known: ${listNames(names, name)}`);
    return found;
  };
  const expand = <T extends { readonly rod: string }>(
    list: readonly T[] | undefined,
    key: string,
  ): { readonly list: readonly T[] | undefined; readonly origin: number[] } => {
    const origin: number[] = [];
    const all = list?.flatMap((spec, k) => {
      const rods = namesOf(spec.rod, [key, k, 'rod']);
      for (const _ of rods) origin.push(k);
      return rods.length === 1 && rods[0] === spec.rod ? [spec] : rods.map((rod) => ({ ...spec, rod }));
    });
    return { list: all, origin };
  };
  const pins = expand(scene.pins, 'pins');
  const welds = expand(scene.welds, 'welds');
  const colliders = scene.colliders?.map((spec, k) =>
    spec.rods?.some((name) => name.includes('*'))
      ? { ...spec, rods: spec.rods.flatMap((name, i) => namesOf(name, ['colliders', k, 'rods', i])) }
      : spec,
  );
  return {
    scene: {
      ...scene,
      ...(pins.list && { pins: pins.list }),
      ...(welds.list && { welds: welds.list }),
      ...(colliders && { colliders }),
    },
    pinOrigin: pins.origin,
    weldOrigin: welds.origin,
  };
}
