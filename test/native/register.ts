/** Setup of a worker: Node itself loads the sources of the packages, see hooks.mjs. The files of a worker share it. */
import { register } from 'node:module';
import { aliases } from './aliases.ts';

const shared = globalThis as typeof globalThis & { loadsSources?: boolean };
if (!shared.loadsSources) {
  shared.loadsSources = true;
  process.setSourceMapsEnabled(true);
  register('./hooks.mjs', { parentURL: import.meta.url, data: { aliases } });
}
