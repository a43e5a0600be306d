/** Every work that is cited, in sources and in pages, is in the bibliography. */
import { describe, expect, it } from 'vitest';
import { pages, read, sources } from './files.ts';
import { proseOf } from './markdown.ts';

const citation = /\[((?:\p{Lu}\p{L}+\d{4}[a-z]?)(?:[^\]]*))\](?!\()/gu;
const bibliography = read('docs/references.bib');
const entries = [...bibliography.matchAll(/^@(\w+)\{([^,\s]+),\n([\s\S]*?)^\}/gm)].map(([, type, key, body]) => ({
  type,
  key,
  fields: new Set([...body.matchAll(/^\s*(\w+)\s*=/gm)].map(([, field]) => field)),
}));

/** Keys in [Key2008 eq. 3] and in [Key2008; Other2010 §2]. */
function keysIn(text: string): string[] {
  return [...text.matchAll(citation)].flatMap(([, inside]) => inside.match(/\p{Lu}\p{L}+\d{4}[a-z]?/gu) ?? []);
}

describe('docs/references.bib', () => {
  const known = new Set(entries.map(({ key }) => key));

  it('has every work that is cited', () => {
    const cited = [
      ...sources().map((path) => [path, keysIn(read(path))] as const),
      ...pages().map((path) => [path, keysIn(proseOf(read(path)))] as const),
    ];
    expect(cited.flatMap(([, keys]) => keys).length).toBeGreaterThan(10);
    const unknown = cited.flatMap(([path, keys]) =>
      keys.filter((key) => !known.has(key)).map((key) => `${path}: ${key}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has whole entries, each once, keyed by author and year', () => {
    expect(entries.length).toBe([...bibliography.matchAll(/^@/gm)].length);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
    for (const { type, key, fields } of entries) {
      const wanted =
        { article: ['journal', 'volume'], inproceedings: ['booktitle'], misc: ['howpublished'] }[type] ?? [];
      for (const field of ['author', 'title', 'year', ...wanted]) expect(fields, key).toContain(field);
      const [, year] = new RegExp(`\\{${key},[\\s\\S]*?year\\s*=\\s*\\{(\\d{4})\\}`).exec(bibliography) ?? [];
      expect(key).toMatch(new RegExp(`${year}[a-z]?$`));
    }
  });
});
