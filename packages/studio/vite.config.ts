import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: source('.'),
  // relative addresses: the page works from any folder of any server
  base: './',
  resolve: {
    alias: [
      { find: '@tendril/bridge/three', replacement: source('../bridge/src/three/index.ts') },
      { find: '@tendril/core', replacement: source('../core/src/index.ts') },
      { find: '@tendril/io', replacement: source('../io/src/index.ts') },
      { find: '@tendril/cases', replacement: source('../../cases/src/index.ts') },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 1200 },
});
