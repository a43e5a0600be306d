import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { aliases } from './test/native/aliases.ts';
import { LongestFirst } from './test/sequence.ts';

/** Tests that take minutes or a network: `npm run test:long` (`--mode long`) runs them, and all others. */
const long = ['test/packagesOnNode.test.ts'];

/**
 * Sources that Node loads, not Vite (test/native/hooks.mjs). Not those of `cli`, whose imports a test replaces, and none where
 * coverage is measured, which Vite's own modules are needed for.
 */
const native = /\/(packages\/(core|io|bridge|sweep)\/src|cases\/(?!test\/)[\w-]+)\/.*\.ts$/;
const isNative = !process.argv.includes('--coverage');

export default defineConfig(({ mode }) => ({
  resolve: {
    alias: aliases,
  },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'cases/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(mode === 'long' ? [] : long)],
    coverage: {
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'node_modules/.cache/coverage',
      include: ['packages/*/src/**/*.ts', 'cases/**/*.ts'],
      exclude: ['**/test/**', '**/dist/**', '**/generated/**', 'packages/studio/src/**'],
    },
    // a mode, not a variable of the shell: Windows has no syntax for one in npm scripts
    env: mode === 'long' ? { TENDRIL_LONG: '1' } : {},
    // two cores shared with browsers: what takes a second alone may take twenty; only a hang reaches these
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // files of one worker share its modules: without this, loading them anew takes a fifth of the suite's time
    isolate: false,
    ...(isNative && { setupFiles: ['./test/native/register.ts'], server: { deps: { external: [native] } } }),
    // one more than cores: a third of the files wait for browsers and other processes most of the time
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // the second prints `N passed, N failed` as the last line
    reporters: ['default', './test/summary.ts'],
  },
}));
