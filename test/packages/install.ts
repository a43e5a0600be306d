/** Installs the packed packages by npm into an empty project with a given Node (npm package `node`), Deno or Bun, and uses them there. Needs a network. */
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

/** Something that runs the packages: an npm package that contains its program. */
export interface Runtime {
  readonly name: string;
  /** What npm installs. */
  readonly install: string;
  /** Program in `node_modules`, without `.exe`. */
  readonly program: string;
  /** Arguments before a script. */
  readonly flags?: readonly string[];
}

export interface Installed {
  /** The version of the runtime, as it prints it. */
  readonly version: string;
  /** State hash of the library's program. */
  readonly hash: string;
  /** What the command printed about itself. */
  readonly command: string;
}

/** Installs tarballs and a runtime in `into`, runs the library, and makes, runs and exports a scene by the command. */
export function installOn(runtime: Runtime, into: string, tarballs: readonly string[]): Installed {
  const project = join(into, runtime.name);
  mkdirSync(project);
  const isWindows = process.platform === 'win32';
  const execute = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: project, encoding: 'utf8', shell: isWindows && command === 'npm' }).trim();
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'main.js'), program);
  execute('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', runtime.install, ...tarballs);
  const executable = join(project, 'node_modules', runtime.program + (isWindows ? '.exe' : ''));
  const run = (script: string, ...args: string[]): string =>
    execute(executable, ...(runtime.flags ?? []), script, ...args);
  const cli = join('node_modules', '@tendril-sim', 'cli', 'bin', 'tendril.mjs');
  run(cli, 'new', 'cable.yaml');
  run(cli, 'run', 'cable.yaml', '--until', '0.1', '--quiet');
  run(cli, 'export', 'out/cable', '--to', 'usda');
  return { version: execute(executable, '--version'), hash: run('main.js'), command: run(cli, '--version') };
}
