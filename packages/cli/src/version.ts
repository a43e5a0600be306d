import { readFileSync } from 'node:fs';

/** Version of this package, as written into every file it creates. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
