/** What kernels and TypeScript share is written once; the build derives the AssemblyScript side from it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entriesOf, writeShared } from '../../kernels/shared.ts';
import * as constants from '../../src/constants.ts';
import * as description from '../../src/kernels/description.ts';

const folder = new URL('../../kernels/assembly/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

describe('the AssemblyScript side of shared layouts and constants', () => {
  it('is that of the present description', () => {
    expect(read('shared.ts').split('\n').slice(2).join('\n')).toBe(writeShared(constants, description));
  });

  it('is declared nowhere else', () => {
    const names = [...read('shared.ts').matchAll(/export (?:const|class) (\w+)/g)].map(([, name]) => name);
    expect(names).toContain('PAIR_WINDOW');
    const files = [
      'contact',
      'fibers',
      'mixing',
      'newton',
      'order',
      'pair',
      'stage',
      'step',
      'contactLaw',
      'blocks',
      'symmetric',
    ];
    const again = files.flatMap((file) =>
      [...read(`${file}.ts`).matchAll(/^(?:export )?(?:const|class) (\w+)/gm)]
        .filter(([, name]) => names.includes(name))
        .map(([, name]) => `${file}.ts: ${name}`),
    );
    expect(again).toEqual([]);
  });

  it('has entries that do not overlap', () => {
    const entries = Object.entries(description.contactEntries);
    const vectors = ['NORMAL', 'SURFACE', 'IMPULSE', 'BEFORE', 'FREE', 'COPY', 'LINEAR', 'VELOCITY'];
    entries.slice(0, -1).forEach(([name, at], k) => {
      expect([name, entries[k + 1][1]]).toEqual([name, at + (vectors.includes(name) ? 3 : 1)]);
    });
  });

  it('is rejected where arrays of contacts are too small for their entries', () => {
    const pairFields = description.pairFields.map(([name, unit, entries = 1]) =>
      name === 'mixing' ? ([name, unit, entries - 1] as const) : ([name, unit, entries] as const),
    );
    expect(entriesOf(description, 'mixing')).toBe(12 + 6 * constants.andersonWindows.PAIR_WINDOW);
    expect(() => writeShared(constants, { ...description, pairFields })).toThrow('arrays of contacts');
  });
});
