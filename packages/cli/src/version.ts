import { readFileSync } from 'node:fs';

/** Of this package, as written into every file it makes. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
