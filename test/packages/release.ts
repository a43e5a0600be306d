/**
 * Prepares and makes releases. All packages have one version; docs/notes/packages.md says why.
 *
 *   npm run release                       dry run: checks everything, packs, publishes nothing
 *   npm run release -- --version          sets the next version, from the changes in .changeset, in all manifests and the changelog
 *   npm run release -- --check 0.3.0      fails unless this is the version
 *   npm run release -- --publish          checks, packs and publishes
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findWithoutSource, type Packed, packAll, published, readManifest, root } from './pack.ts';

const { values } = parseArgs({
  options: { version: { type: 'boolean' }, check: { type: 'string' }, publish: { type: 'boolean' } },
});

function npm(...args: string[]): void {
  execFileSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
}

/** Sentences of the changes that wait in .changeset. */
function readChanges(): string[] {
  const folder = join(root, '.changeset');
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.map((file) =>
    readFileSync(join(folder, file), 'utf8')
      .replace(/^---\n.*?\n---\n/s, '')
      .trim(),
  );
}

/** Lets changesets set the version in all manifests, and writes its changes to the changelog, CITATION.cff and the lock file. */
function setVersion(): void {
  const changes = readChanges();
  if (changes.length === 0) throw new Error('there are no changes in .changeset; npm run changeset adds one');
  npm('run', '--silent', 'changeset', '--', 'version');
  const { version } = readManifest(published[0]);
  const replace = (file: string, pattern: RegExp, by: string): void =>
    writeFileSync(join(root, file), readFileSync(join(root, file), 'utf8').replace(pattern, by));
  const list = changes.map((change) => `- ${change.replaceAll('\n', '\n  ')}`).join('\n');
  replace('CHANGELOG.md', /^(?=## )/m, `## ${version}\n\n${list}\n\n`);
  replace('CITATION.cff', /^version: .*$/m, `version: ${version}`);
  npm('install', '--package-lock-only', '--ignore-scripts', '--loglevel=error');
  console.log(`version ${version}; read CHANGELOG.md, commit, and push the tag v${version}`);
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
  const command = packages.find(({ manifest }) => manifest.name === '@tendril-sim/cli');
  if (!command?.files.includes('dist/site/index.html'))
    problems.push('the documentation that "tendril docs" serves is not built; run: npm run docs');
  return [...problems, ...packages.flatMap(findWithoutSource)];
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
    else {
      // npm can attest provenance on GitHub only; the first release is published by hand
      const provenance = process.env.GITHUB_ACTIONS ? ['--provenance'] : [];
      for (const { tarball } of packages) npm('publish', tarball, '--access', 'public', ...provenance);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const { version } = readManifest(published[0]);
  if (values.version) setVersion();
  else if (values.check !== undefined && values.check !== version)
    throw new Error(`the packages have version ${version}, not ${values.check}`);
  else if (values.check === undefined) release();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
