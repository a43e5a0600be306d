/** Sources that tests run on in place of the packages; the command line tests run on what `npm run build` made. */
import { fileURLToPath } from 'node:url';

export interface Alias {
  readonly find: string | RegExp;
  readonly replacement: string;
}

const source = (path: string): string => fileURLToPath(new URL(path, new URL('../../', import.meta.url)));

export const aliases: Alias[] = [
  { find: 'virtual:cases', replacement: source('./packages/studio/test/caseList.ts') },
  { find: '@tendril-sim/io/units', replacement: source('./packages/io/src/units.ts') },
  { find: '@tendril-sim/io/node', replacement: source('./packages/io/src/node.ts') },
  { find: '@tendril-sim/core/kernels', replacement: source('./packages/core/src/kernels/index.ts') },
  { find: '@tendril-sim/core/batch', replacement: source('./packages/core/src/batch/index.ts') },
  { find: '@tendril-sim/core/world', replacement: source('./packages/core/src/world/create.ts') },
  { find: '@tendril-sim/core/features', replacement: source('./packages/core/src/features.ts') },
  { find: '@tendril-sim/core/contact', replacement: source('./packages/core/src/contact/index.ts') },
  { find: /^@tendril-sim\/core\/models\/(\w+)$/, replacement: source('./packages/core/src/models/$1/index.ts') },
  { find: '@tendril-sim/core/math', replacement: source('./packages/core/src/math/rounded/index.ts') },
  { find: '@tendril-sim/core', replacement: source('./packages/core/src/index.ts') },
  { find: '@tendril-sim/io', replacement: source('./packages/io/src/index.ts') },
  { find: '@tendril-sim/bridge/rapier', replacement: source('./packages/bridge/src/rapier/index.ts') },
  { find: '@tendril-sim/sweep', replacement: source('./packages/sweep/src/index.ts') },
  { find: '@tendril-sim/cases/groups', replacement: source('./cases/src/groups.ts') },
  { find: '@tendril-sim/cases/catalog', replacement: source('./cases/src/catalog.ts') },
  { find: '@tendril-sim/cases', replacement: source('./cases/src/index.ts') },
];
