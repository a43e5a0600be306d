/** The API reference: typedoc reads the entry points of the packages; its first page says what each import is for. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { root } from '../test/files.ts';
import { entryPoints } from './undocumented.ts';

/** What programs import, and for what. */
export const imports: readonly (readonly [name: string, about: string])[] = [
  ['core', 'worlds with all models and contact: `createWorld`, `simulate`, recorders, probes, hair on meshes'],
  ['core/world', '`createWorld` with only the models and features that you pass to it'],
  ['core/models/der', 'Discrete Elastic Rods, whole or by its parts: `der`, `createDerModel`'],
  ['core/models/helix', 'super-helices: `helix`'],
  ['core/models/strand', 'oriented strands: `strand`'],
  ['core/models/fiber', 'stiff fibers: `fiber`'],
  ['core/models/cosserat', 'special Cosserat rods: `cosserat`'],
  ['core/models/massspring', 'mass-spring hair: `massspring`'],
  ['core/contact', 'contact, obstacles and links for `core/world`'],
  ['core/features', 'animated rods, winds of parts and paths of equilibria for `core/world`'],
  ['core/kernels', 'models in WebAssembly with SIMD, and worker threads: `loadDer`, `loadThreadedDer`, `serveThread`'],
  ['core/batch', 'many strands at once, also on a GPU: `createGpuBatch`'],
  ['core/math', 'elementary functions with the same bits on every machine'],
  ['io', 'scene files, recordings, states, results, and exports: `parseScene`, `buildResult`'],
  ['io/node', 'the same with files: `readSceneFile`, `startThreads`'],
  ['io/units', 'quantities with units'],
  ['bridge/three', 'rods and hair as objects of three.js: `createRodObject`, `createHairObject`'],
  ['bridge/rapier', 'rigid bodies by Rapier: `rapierEngine`'],
  ['bridge/render', 'a path tracer for pictures'],
  ['sweep', 'studies of many runs, fits and rest shapes'],
  ['cases', 'the cases of `tendril check`: scenes with a known answer'],
  ['cases/catalog', 'the same cases, each loaded when it is asked for'],
  ['cases/groups', 'the groups of cases in the gallery'],
];

/** Address of a module's page in the reference. */
const moduleAddress = (name: string): string => `modules/_tendril-sim_${name.replaceAll('/', '_')}.html`;

/** First page of the reference, as Markdown. */
function overview(): string {
  const rows = imports.map(([name, about]) => `| [\`@tendril-sim/${name}\`](${moduleAddress(name)}) | ${about} |`);
  return `Every symbol that the packages export. [The library](../docs/library.html) is the guide, with examples.

| import | content |
| --- | --- |
${rows.join('\n')}
`;
}

function runTypedoc(out: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'tendril-reference-'));
  const readme = join(folder, 'overview.md');
  writeFileSync(readme, overview());
  execFileSync(
    process.execPath,
    [
      join(root, 'node_modules/typedoc/bin/typedoc'),
      ...entryPoints.flatMap((path) => ['--entryPoints', path]),
      ...['--tsconfig', 'site/tsconfig.json', '--skipErrorChecking', '--readme', readme, '--name', 'API'],
      ...['--navigation.includeFolders', 'false', '--customCss', join(root, 'site/reference.css')],
      ...['--plugin', join(root, 'site/importNames.mjs'), '--favicon', join(root, 'packages/studio/public/icon.svg')],
      ...['--githubPages', 'false', '--disableSources', '--logLevel', 'Error', '--out', out],
    ],
    { cwd: root, stdio: 'inherit' },
  );
  rmSync(folder, { recursive: true });
}

/** Links the head of a page to the guides, and removes typedoc's inline script, which the policy of `tendril docs` blocks. */
function adaptPage(html: string, guide: string): string {
  const back = `<a href="${guide}" class="title">Tendril</a> · `;
  return html
    .replace(/<a href="[^"]*" class="title">.*?<\/a>/, (link) => `<div>${back}${link}</div>`)
    .replace(/<body><script>.*?<\/script>/s, '<body>');
}

/** Writes the reference to `out`, a folder of the site. Throws if a module of the overview has no page. */
export function writeReference(out: string): void {
  runTypedoc(out);
  const written = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
  const missing = imports.filter(([name]) => !written.includes(moduleAddress(name)));
  if (missing.length > 0) throw new Error(`typedoc wrote no page of ${missing.map(([name]) => name).join(', ')}`);
  for (const file of written.filter((one) => one.endsWith('.html'))) {
    const path = join(out, file);
    const guide = relative(dirname(path), join(out, '../index.html')).replaceAll('\\', '/');
    writeFileSync(path, adaptPage(readFileSync(path, 'utf8'), guide));
  }
}
