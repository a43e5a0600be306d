// Four pages; everything else is vite's default.
import { resolve } from 'node:path';

const page = (name) => resolve(import.meta.dirname ?? '.', `${name}.html`);

export default {
  base: './',
  worker: { format: 'es' },
  build: {
    rollupOptions: { input: ['index', 'react', 'plain', 'hair'].map(page) },
    // three.js alone is larger than the default of 500 kB
    chunkSizeWarningLimit: 700,
  },
};
