/** Builds the program of another commit beside this one, with the packages that are installed here. */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ownTree: string = fileURLToPath(new URL('../..', import.meta.url));

const text = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: ownTree, encoding: 'utf8' }).trim();

/** Links what is installed here, and the packages of the other tree by their names there. */
function linkPackages(tree: string): void {
  const installed = join(ownTree, 'node_modules');
  const modules = join(tree, 'node_modules');
  const own = readPackages(ownTree);
  for (const name of readdirSync(installed)) {
    if (name === '.cache' || own.some(([id]) => dirname(id) === name)) continue;
    mkdirSync(modules, { recursive: true });
    symlinkSync(join(installed, name), join(modules, name));
  }
  for (const [id, folder] of readPackages(tree)) {
    mkdirSync(dirname(join(modules, id)), { recursive: true });
    symlinkSync(join(tree, folder), join(modules, id));
  }
}

/** Name and folder of each package of a tree. */
function readPackages(tree: string): [string, string][] {
  const read = (file: string): { name: string; workspaces: string[] } => JSON.parse(readFileSync(file, 'utf8'));
  return read(join(tree, 'package.json')).workspaces.map((folder) => [
    read(join(tree, folder, 'package.json')).name,
    folder,
  ]);
}

/** Folder with the built benchmarks of a commit, in the folder for temporary files; built once. */
export function buildOther(commit: string): string {
  const id = text('git', 'rev-parse', '--short=12', `${commit}^{commit}`);
  const tree = join(tmpdir(), `tendril-bench-${id}`);
  const rows = join(tree, 'benchmarks/dist/rows.js');
  if (existsSync(rows)) return tree;
  console.error(`building ${id} in ${tree}`);
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree);
  execFileSync('tar', ['-x', '-C', tree], {
    input: execFileSync('git', ['archive', id], { cwd: ownTree, maxBuffer: 2 ** 30 }),
  });
  linkPackages(tree);
  const here: ExecFileSyncOptions = { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('npm', ['run', '--silent', 'build:kernels'], here);
  try {
    execFileSync('npx', ['tsc', '-b', 'benchmarks'], here);
  } catch (error) {
    // an error of types in a part that the rows do not need
    if (!existsSync(rows)) throw error;
  }
  return tree;
}
