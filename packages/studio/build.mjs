/**
 * Builds the page with vite, unless the last build made what is there from the same sources: `npm ci` builds, and so does `npm test`. Runs in the
 * root of the repository.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const sources = [
  ...[
    'index.html',
    'hair.html',
    'package.json',
    'tsconfig.json',
    'vite.config.ts',
    'notices.ts',
    'build.mjs',
    'public',
    'src',
  ].map((name) => `packages/studio/${name}`),
  ...['core', 'io', 'bridge'].map((name) => `packages/${name}/src`),
  'cases',
  'package-lock.json',
  'tsconfig.base.json',
];
const made = 'packages/studio/dist';
const stamp = 'node_modules/.cache/studio.digest';
const skipped = new Set(['dist', 'test', 'node_modules']);

/** @param {readonly string[]} paths files, and folders with all that is in them */
function digestOf(paths) {
  const hash = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const child = join(path, entry.name);
      if (entry.isFile()) hash.update(child).update('\0').update(readFileSync(child)).update('\0');
      else if (!skipped.has(entry.name)) add(child);
    }
  };
  for (const path of paths) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) add(path);
    else hash.update(path).update(existsSync(path) ? readFileSync(path) : '-');
  }
  return hash.digest('hex');
}

const stateOf = () => `${digestOf(sources)} ${digestOf([made])}`;

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== stateOf()) {
  rmSync(stamp, { force: true });
  const { build } = await import('vite');
  await build({ root: 'packages/studio', logLevel: 'warn' });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, stateOf());
}
