/** Packs the packages as npm would publish them, and installs them in an empty project without a network. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root of the repository: tests and npm scripts run there, also where this file is bundled into another folder. */
export const root: string = process.cwd();

/** Folders of the packages that are published, those that others stand on first. */
export const published = [
  'packages/core',
  'packages/io',
  'packages/bridge',
  'cases',
  'packages/sweep',
  'packages/studio',
  'packages/cli',
] as const;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly keywords?: readonly string[];
  readonly repository?: { readonly url: string; readonly directory: string };
  readonly engines?: { readonly node: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Packed {
  readonly manifest: Manifest;
  readonly tarball: string;
  /** Paths in the package. */
  readonly files: readonly string[];
  /** Installed. */
  readonly folder: string;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

/** Packs all packages into a folder, and installs them in its node_modules with links to what they say they depend on, and nothing else. */
export function packAll(into: string): Packed[] {
  const workspaces = published.flatMap((folder) => ['-w', folder]);
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', into, ...workspaces];
  const report = execFileSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  const list = Object.values(JSON.parse(report) as Record<string, PackReport>);
  return list.map(({ name, filename, files }) => {
    const folder = join(into, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    // newer versions of npm print the name with its scope
    const tarball = join(into, filename.replace('@', '').replace('/', '-'));
    execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    linkOthers(folder, manifest);
    return { manifest, tarball, folder, files: files.map(({ path }) => path) };
  });
}

/** Dependencies by other people, in a folder of the package's own: one that it does not name is not found. */
function linkOthers(folder: string, { dependencies, peerDependencies }: Manifest): void {
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    if (name.startsWith('@tendril-sim/')) continue;
    const target = join(folder, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), target, 'junction');
  }
}

interface PackReport {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Compiled files of a package without their source, for which its source maps ask: the source is not published, or gone while dist was not built afresh. The
 * documentation is not compiled from sources of the package.
 */
export function findWithoutSource({ manifest, files, folder }: Packed): string[] {
  if (manifest.name === '@tendril-sim/studio') return [];
  const sourceOf = (file: string): string =>
    file.replace(/^dist\//, manifest.name === '@tendril-sim/cases' ? '' : 'src/').replace(/\.js$/, '.ts');
  return files
    .filter((file) => /^dist\/(?!site\/).*\.js$/.test(file) && !existsSync(join(folder, sourceOf(file))))
    .map((file) => `${manifest.name}: ${file} has no source; publish it ("files"), or delete dist and build again`);
}

/** Names of packages that an install of one brings along, itself first. */
export function closureOf(name: string, packages: readonly Packed[]): string[] {
  const found = [name];
  for (const one of found) {
    const manifest = packages.find((packed) => packed.manifest.name === one)?.manifest;
    for (const dependency of Object.keys(manifest?.dependencies ?? {}))
      if (!found.includes(dependency)) found.push(dependency);
  }
  return found;
}
