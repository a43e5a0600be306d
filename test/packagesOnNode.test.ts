/** The packed packages, installed by npm on Node 20, 22 and 24. Needs a network and minutes, so only `npm run test:long` runs it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installOn } from './packages/install.ts';
import { packAll, readManifest } from './packages/pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'tendril-install-'));
let tarballs: string[] = [];
const hashes = new Map<number, string>();

beforeAll(() => {
  tarballs = packAll(folder).map(({ tarball }) => tarball);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

it.each([20, 22, 24])('library and command work on Node %i', { timeout: 900_000 }, (major) => {
  const { version, hash, command } = installOn(major, folder, tarballs);
  expect(version).toMatch(new RegExp(`^v${major}\\.`));
  expect(hash).toMatch(/^[0-9a-f]{8,}$/);
  expect(command).toContain(readManifest('packages/cli').version);
  hashes.set(major, hash);
});

it('every version of Node computes the same state', () => {
  expect([hashes.size, new Set(hashes.values()).size]).toEqual([3, 1]);
});
