import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { notices } from './notices.ts';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * What the page says about the cases, without the cases themselves, which are fetched when they are opened: `virtual:cases` for the gallery, and
 * `virtual:claims`, which the panel of theory fetches.
 */
function caseFacts(): Plugin {
  const names = ['virtual:cases', 'virtual:claims'];
  return {
    name: 'case-facts',
    resolveId: (id) => (names.includes(id) ? `\0${id}` : undefined),
    async load(id) {
      if (!names.some((name) => id === `\0${name}`)) return undefined;
      // as `tsc -b` left them, which `npm run build` runs before this
      const { cases } = await import('@tendril-sim/cases');
      if (id.endsWith('claims'))
        return `export const claims = ${JSON.stringify(Object.fromEntries(cases.map(({ id, claim }) => [id, claim])))};`;
      const list = cases.map(({ id, title, source, models, topics = [], finish, group = 'classics' }) => ({
        id,
        title,
        source,
        models,
        topics,
        finish,
        group,
      }));
      return `export const cases = ${JSON.stringify(list)};`;
    },
  };
}

const licenses = notices();

/** A slow machine is no reason for a warning to whoever installs from a clone. */
const rolldownOptions = { checks: { bundlerTimings: false } };

export default defineConfig({
  root: source('.'),
  // relative addresses: the page works from any folder of any server
  base: './',
  resolve: {
    alias: [
      { find: '@tendril-sim/bridge/render', replacement: source('../bridge/src/render/index.ts') },
      { find: '@tendril-sim/bridge/three', replacement: source('../bridge/src/three/index.ts') },
      { find: '@tendril-sim/core/batch', replacement: source('../core/src/batch/index.ts') },
      { find: '@tendril-sim/core/world', replacement: source('../core/src/world/create.ts') },
      { find: '@tendril-sim/core/features', replacement: source('../core/src/features.ts') },
      { find: '@tendril-sim/core/contact', replacement: source('../core/src/contact/index.ts') },
      { find: '@tendril-sim/core/math', replacement: source('../core/src/math/rounded/index.ts') },
      { find: '@tendril-sim/core', replacement: source('../core/src/index.ts') },
      { find: '@tendril-sim/io', replacement: source('../io/src/index.ts') },
      { find: '@tendril-sim/cases/groups', replacement: source('../../cases/src/groups.ts') },
      { find: '@tendril-sim/cases', replacement: source('../../cases/src/index.ts') },
    ],
  },
  plugins: [caseFacts(), licenses.page()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es', plugins: () => [caseFacts(), licenses.worker()], rolldownOptions },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 1200,
    rolldownOptions: { ...rolldownOptions, input: [source('index.html'), source('hair.html')] },
    // pictures are no script
    assetsInlineLimit: 0,
  },
});
