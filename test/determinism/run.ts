/**
 * Prints how many state hashes agree between engines, numbers of threads, and habits (reads between steps, resuming):
 *
 *   npm run determinism [-- --every 3 --steps 8]
 *
 * Node 20, 22 and 24 come from the npm package `node` and are kept in node_modules/.cache; a version that cannot be fetched is
 * skipped with a message. Exit code 1 if any hash differs.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPage } from './chromium.ts';
import type { Found } from './ways.ts';

const { values } = parseArgs({
  options: { every: { type: 'string', default: '1' }, steps: { type: 'string', default: '8' } },
});
const [every, steps] = [Number(values.every), Number(values.steps)];

function findNode(major: number): string | undefined {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const folder = join(process.cwd(), `node_modules/.cache/node-${major}`);
  const binary = join(folder, 'node_modules/node/bin/node');
  if (!existsSync(binary))
    spawnSync('npm', ['install', '--no-save', '--no-audit', '--silent', '--prefix', folder, `node@${major}`], {
      timeout: 300_000,
    });
  return existsSync(binary) ? binary : undefined;
}

const engines = new Map<string, Found>();
for (const major of [20, 22, 24]) {
  const node = findNode(major);
  if (!node) {
    console.log(`Node ${major}: skipped, npm cannot fetch it`);
    continue;
  }
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
  const out = execFileSync(node, ['node_modules/.cache/determinism.mjs', String(every), String(steps)], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  engines.set(`Node ${version}`, JSON.parse(out) as Found);
}
try {
  const { browser, page } = await openPage();
  const found = await page.evaluate(`determinism.findHashes(${every}, ${steps})`);
  engines.set(`Chromium ${browser.version()}`, found as Found);
  await browser.close();
} catch (error) {
  console.log(`Chromium: skipped, ${String(error)}`);
}

/** Plain runs must equal plain runs; kernels and threads must equal kernels: the two differ in the order of additions. */
const [reference] = engines.values();
const expectedWay = (way: string): string => (way.startsWith('plain') ? 'plain, steps' : 'kernels, steps');
const ways = Object.keys(reference);
const width = 1 + Math.max(...ways.map(({ length }) => length));
console.log(`\nHashes that agree with ${[...engines.keys()][0]}, ${steps} steps each:\n`);
console.log(`${' '.repeat(width)}${[...engines.keys()].map((name) => name.padStart(26)).join('')}`);
let different = 0;
for (const way of ways) {
  const cells = [...engines.values()].map((found) => {
    const hashes = Object.entries(found[way] ?? {});
    if (hashes.length === 0) return '–';
    const expected = reference[expectedWay(way)];
    const wrong = hashes.filter(([subject, hash]) => hash !== expected[subject]);
    different += wrong.length;
    for (const [subject] of wrong) console.error(`differs: ${way}: ${subject}`);
    return `${hashes.length - wrong.length} of ${hashes.length}`;
  });
  console.log(`${way.padEnd(width)}${cells.map((cell) => cell.padStart(26)).join('')}`);
}
process.exit(different > 0 ? 1 : 0);
