/** Everything that the packages export has a doc comment, and the API reference shows it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { imports } from '../site/reference.ts';
import { undocumented } from '../site/undocumented.ts';
import { read, root } from './files.ts';

it('every public symbol and every field of it is documented', () => {
  expect(undocumented()).toEqual([]);
});

it('the first page of the API reference names every import of the packages', () => {
  const models = readdirSync(join(root, 'packages/core/src/models'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const names = ['packages/core', 'packages/io', 'packages/bridge', 'packages/sweep', 'cases'].flatMap((folder) => {
    const { name, exports } = JSON.parse(read(`${folder}/package.json`)) as { name: string; exports: object };
    const typed = Object.entries(exports).filter(([, target]) => typeof target === 'object');
    return typed.flatMap(([path]) =>
      (path.includes('*') ? models : ['']).map((model) => name + path.slice(1).replace('*', model)),
    );
  });
  expect(imports.map(([short]) => `@tendril-sim/${short}`).sort()).toEqual(names.sort());
});
