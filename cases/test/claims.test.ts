import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cases } from '../src/index.ts';

const plain = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

it.each(cases.map(({ id, claim }) => [id, claim] as const))('%s claims what its page claims', (id, claim) => {
  const page = readFileSync(join(process.cwd(), 'cases', id, 'README.md'), 'utf8');
  const [, rest = ''] = page.split('**Claim.**');
  expect(plain(rest.split(/\n\s*\n/)[0])).toBe(claim);
});
