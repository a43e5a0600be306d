/** Links between pages lead somewhere, anchors included. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cases } from '@tendril-sim/cases';
import { expect, it } from 'vitest';
import { pages, read, root } from './files.ts';
import { anchorsOf, linksOf } from './markdown.ts';

const repository = 'https://github.com/tendril-sim/tendril/blob/main/';

it('every relative link and anchor resolves', () => {
  const list = pages();
  expect(list).toContain('README.md');
  let count = 0;
  const broken: string[] = [];
  for (const page of list) {
    for (const link of linksOf(read(page))) {
      // READMEs of packages are read on npm: they link to the repository by its address
      const local = link.startsWith(repository) ? `/${link.slice(repository.length)}` : link;
      if (/^[a-z]+:/.test(local)) continue;
      count++;
      const [path, anchor] = local.split('#');
      const target = path === '' ? page : path.startsWith('/') ? path.slice(1) : join(dirname(page), path);
      if (!existsSync(join(root, target))) broken.push(`${page}: ${link} does not exist`);
      else if (anchor !== undefined && !hasAnchor(target, anchor)) broken.push(`${page}: ${link} has no such heading`);
    }
  }
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(40);
});

function hasAnchor(target: string, anchor: string): boolean {
  return !statSync(join(root, target)).isDirectory() && anchorsOf(read(target)).has(anchor);
}

it('every case has a page of at most 40 lines beside its tables, and docs/validation.md links it', () => {
  const validation = read('docs/validation.md');
  for (const { id } of cases) {
    const page = `cases/${id}/README.md`;
    expect(existsSync(join(root, page)), page).toBe(true);
    const written = read(page).replaceAll(/<!-- results[^>]*-->[\s\S]*?<!-- end of results -->\n/g, '');
    expect(written.trimEnd().split('\n').length, page).toBeLessThanOrEqual(40);
    expect(validation).toContain(`(../${page})`);
  }
});
