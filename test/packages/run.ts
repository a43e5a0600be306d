/**
 * `npm run packages`: installs the packed packages by npm into empty projects, and uses them on Node 20, 22 and 24 (npm package `node`). Needs a
 * network; `test/packages.test.ts` does without.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAll } from './pack.ts';

const program = `import { createWorld } from '@tendril-sim/core';
import { loadDer } from '@tendril-sim/core/kernels';
import { parseScene } from '@tendril-sim/io';
const { scene } = parseScene(\`tendril: 1
rods:
  - id: ring
    shape: { type: ring, radius: 5 cm }
    section: { type: circle, radius: 1 mm }
    material: { E: 2 GPa, nu: 0.4, density: 1.1 g/cm^3 }
time: { duration: 1 s, step: 1 ms }\`, 'ring.yaml');
const world = createWorld(scene, { models: [await loadDer()] });
world.step();
console.log(world.hash());`;

const folder = mkdtempSync(join(tmpdir(), 'tendril-install-'));
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' && command === 'npm' });
try {
  const packed = packAll(folder);
  const hashes = new Set<string>();
  for (const major of [20, 22, 24]) {
    const project = join(folder, `node${major}`);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(project, 'main.js'), program);
    const tarballs = packed.map(({ tarball }) => tarball);
    run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `node@${major}`, ...tarballs], project);
    const node = join(project, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    const hash = run(node, ['main.js'], project).trim();
    hashes.add(hash);
    const cli = join('node_modules', '@tendril-sim', 'cli', 'bin', 'tendril.mjs');
    run(node, [cli, 'new', 'cable.yaml'], project);
    run(node, [cli, 'run', 'cable.yaml', '--until', '0.1', '--quiet'], project);
    run(node, [cli, 'export', 'out/cable', '--to', 'usda'], project);
    console.log(`${run(node, ['--version'], project).trim()}: library ${hash}; new, run and export work`);
  }
  if (hashes.size > 1) throw new Error('the versions of Node give different states');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
