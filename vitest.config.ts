import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/sequence.ts';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Tests that take minutes or a network: `npm run test:long` runs them, and all others. */
const long = ['test/packagesOnNode.test.ts'];

export default defineConfig({
  resolve: {
    // tests run on the sources; the command line tests run on what `npm run build` made
    alias: [
      { find: '@tendril-sim/io/units', replacement: source('./packages/io/src/units.ts') },
      { find: '@tendril-sim/io/node', replacement: source('./packages/io/src/node.ts') },
      { find: '@tendril-sim/core/kernels', replacement: source('./packages/core/src/kernels/index.ts') },
      { find: '@tendril-sim/core/batch', replacement: source('./packages/core/src/batch/index.ts') },
      { find: '@tendril-sim/core/world', replacement: source('./packages/core/src/world/create.ts') },
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
    ],
  },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'cases/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(process.env.TENDRIL_LONG ? [] : long)],
    coverage: {
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'node_modules/.cache/coverage',
      include: ['packages/*/src/**/*.ts', 'cases/**/*.ts'],
      exclude: ['**/test/**', '**/dist/**', '**/generated/**', 'packages/studio/src/**'],
    },
    testTimeout: 60_000,
    // files of one worker share its modules: without this, loading them anew takes a fifth of the suite's time
    isolate: false,
    // on two cores the default is one, and the suite takes nearly twice as long
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // the second prints `N passed, N failed` as the last line
    reporters: ['default', './test/summary.ts'],
  },
});
