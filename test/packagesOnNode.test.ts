/** The packed packages, installed by npm and run by Node 20, 22 and 24, Deno and Bun. Needs a network and minutes, so only `npm run test:long` runs it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installOn, type Runtime } from './packages/install.ts';
import { packAll, readManifest } from './packages/pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'tendril-install-'));
let tarballs: string[] = [];
const hashes = new Map<string, string>();

beforeAll(() => {
  tarballs = packAll(folder).map(({ tarball }) => tarball);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

const runtimes: readonly (Runtime & { readonly prints: RegExp })[] = [
  ...[20, 22, 24].map((major) => ({
    name: `node${major}`,
    install: `node@${major}`,
    program: 'node/bin/node',
    prints: new RegExp(`^v${major}\\.`),
  })),
  { name: 'deno', install: 'deno', program: 'deno/deno', flags: ['run', '--allow-all'], prints: /^deno / },
  // its package calls the program bun.exe everywhere
  {
    name: 'bun',
    install: 'bun',
    program: process.platform === 'win32' ? 'bun/bin/bun' : 'bun/bin/bun.exe',
    prints: /^\d+\./,
  },
];

it.each(runtimes)('library and command work on $name', { timeout: 900_000 }, (runtime) => {
  const { version, hash, command } = installOn(runtime, folder, tarballs);
  expect(version).toMatch(runtime.prints);
  expect(hash).toMatch(/^[0-9a-f]{8,}$/);
  expect(command).toContain(readManifest('packages/cli').version);
  hashes.set(runtime.name, hash);
});

it('every runtime computes the same state', () => {
  expect([hashes.size, new Set(hashes.values()).size]).toEqual([runtimes.length, 1]);
});
