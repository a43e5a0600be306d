/** The library: `import { createWorld, parseScene } from 'tendril'`. Runs in Node and in the browser. */
export * from '@tendril-sim/core';
export * from '@tendril-sim/io';
