/**
 * Prepares and makes releases. All packages have one version; docs/notes/packages.md says why.
 *
 *   npm run release                       dry run: checks everything, packs, publishes nothing
 *   npm run release -- --version 0.3.0    sets the version in all manifests
 *   npm run release -- --check 0.3.0      fails unless this is the version
 *   npm run release -- --publish          checks, packs and publishes
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Packed, packAll, published, readManifest, root } from './pack.ts';

const { values } = parseArgs({
  options: { version: { type: 'string' }, check: { type: 'string' }, publish: { type: 'boolean' } },
});

function npm(...args: string[]): void {
  execFileSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
}

/** Replaces the version in every manifest of the workspace, and what packages of it ask of each other. */
function setVersion(version: string): void {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) throw new Error(`'${version}' is no version such as 0.3.0`);
  for (const folder of [...published, 'benchmarks']) {
    const file = join(root, folder, 'package.json');
    const text = readFileSync(file, 'utf8')
      .replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`)
      .replace(/("@tendril-sim\/[\w-]+": )"(\^?)\d[^"]*"/g, `$1"$2${version}"`);
    writeFileSync(file, text);
  }
  const citation = join(root, 'CITATION.cff');
  writeFileSync(citation, readFileSync(citation, 'utf8').replace(/^version: .*$/m, `version: ${version}`));
  npm('install', '--package-lock-only', '--ignore-scripts', '--loglevel=error');
  console.log(`version ${version}; now name it in CHANGELOG.md, commit, and push the tag v${version}`);
}

/** What is wrong with a release as the files are. */
function findProblems(packages: readonly Packed[]): string[] {
  const { version } = readManifest(published[0]);
  const problems: string[] = [];
  for (const { manifest } of packages) {
    if (manifest.version !== version) problems.push(`${manifest.name} has version ${manifest.version}, not ${version}`);
    for (const [name, range] of Object.entries(manifest.dependencies ?? {}))
      if (name.startsWith('@tendril-sim/') && range !== `^${version}`)
        problems.push(`${manifest.name} asks for ${name} ${range}, not ^${version}`);
  }
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  if (!changelog.split('\n').some((line) => line.startsWith(`## ${version}`)))
    problems.push(`CHANGELOG.md has no section for ${version}`);
  if (!readFileSync(join(root, 'CITATION.cff'), 'utf8').includes(`version: ${version}\n`))
    problems.push(`CITATION.cff does not name version ${version}`);
  return [...problems, ...packages.flatMap(findLeftovers)];
}

/** Compiled files whose source is gone: they stay in dist until it is deleted. */
function findLeftovers({ manifest, files, folder }: Packed): string[] {
  if (manifest.name === '@tendril-sim/studio') return [];
  const sourceOf = (file: string): string =>
    file.replace(/^dist\//, manifest.name === '@tendril-sim/cases' ? '' : 'src/').replace(/\.js$/, '.ts');
  return files
    .filter((file) => /^dist\/.*\.js$/.test(file) && !existsSync(join(folder, sourceOf(file))))
    .map((file) => `${manifest.name}: ${file} has no source; delete dist and build again`);
}

function release(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tendril-release-'));
  try {
    const packages = packAll(folder);
    for (const { manifest, tarball, files } of packages) {
      const size = `${(statSync(tarball).size / 1000).toFixed(0)} kB`;
      console.log(`${manifest.name}@${manifest.version}  ${size}, ${files.length} files`);
    }
    const problems = findProblems(packages);
    if (problems.length > 0) throw new Error(`not ready:\n  ${problems.join('\n  ')}`);
    if (!values.publish) console.log('dry run: everything is ready, nothing was published');
    else for (const { tarball } of packages) npm('publish', tarball, '--access', 'public', '--provenance');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const { version } = readManifest(published[0]);
  if (values.version !== undefined) setVersion(values.version);
  else if (values.check !== undefined && values.check !== version)
    throw new Error(`the packages have version ${version}, not ${values.check}`);
  else if (values.check === undefined) release();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
