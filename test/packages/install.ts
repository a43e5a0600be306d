/** Installs the packed packages by npm into an empty project with a given Node (npm package `node`), and uses them there. Needs a network. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

export interface Installed {
  /** The version of Node that ran, as it prints it. */
  readonly version: string;
  /** State hash of the library's program. */
  readonly hash: string;
  /** What the command printed about itself. */
  readonly command: string;
}

/** Installs tarballs with Node `major` in `into`, runs the library, and makes, runs and exports a scene by the command. */
export function installOn(major: number, into: string, tarballs: readonly string[]): Installed {
  const project = join(into, `node${major}`);
  mkdirSync(project);
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, {
      cwd: project,
      encoding: 'utf8',
      shell: process.platform === 'win32' && command === 'npm',
    }).trim();
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'main.js'), program);
  run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', `node@${major}`, ...tarballs);
  const node = join(project, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const cli = join('node_modules', '@tendril-sim', 'cli', 'bin', 'tendril.mjs');
  run(node, cli, 'new', 'cable.yaml');
  run(node, cli, 'run', 'cable.yaml', '--until', '0.1', '--quiet');
  run(node, cli, 'export', 'out/cable', '--to', 'usda');
  return { version: run(node, '--version'), hash: run(node, 'main.js'), command: run(node, cli, '--version') };
}
