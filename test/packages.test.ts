/**
 * The packages as a user gets them: packed by npm, put into an empty project with nothing but what they say they depend on, then imported
 * in Node, type-checked and bundled. `npm run packages` also installs them with npm on Node 20, 22 and 24, Deno and Bun (packagesOnNode.test.ts).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import ts from 'typescript';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { read } from './files.ts';
import { linksOf } from './markdown.ts';
import {
  closureOf,
  findWithoutSource,
  type Manifest,
  type Packed,
  packAll,
  published,
  readManifest,
} from './packages/pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'tendril-packages-'));
let packages: Packed[] = [];

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  packages = packAll(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

const name = (short: string): string => `@tendril-sim/${short}`;
const find = (short: string): Packed => packages.find(({ manifest }) => manifest.name === name(short)) as Packed;

describe.each(published)('%s', (path) => {
  const manifest = readManifest(path);
  const packed = (): Packed => packages.find((one) => one.manifest.name === manifest.name) as Packed;

  it('says what it is, where it comes from and what it needs', () => {
    const { description, keywords, license, repository, engines, exports } = manifest;
    expect(manifest.private).toBeUndefined();
    expect([description, keywords, exports, engines?.node].every(Boolean)).toBe(true);
    expect([license, repository?.directory]).toEqual(['MIT', path]);
    const loose = Object.entries(manifest.dependencies ?? {}).filter(([, range]) => !range.startsWith('^'));
    expect(loose).toEqual([]);
  });

  it('contains its license, a page without relative links, and nothing private', () => {
    const { files } = packed();
    expect(read(`${path}/LICENSE`)).toBe(read('LICENSE'));
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(files.filter((file) => /(^|\/)test\/|\.tsbuildinfo$|\.test\.|(^|\/)benchmark\./.test(file))).toEqual([]);
    expect(linksOf(read(`${path}/README.md`)).filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
  });

  it('contains the source of every compiled file', () => {
    expect(findWithoutSource(packed())).toEqual([]);
  });

  it('pleases publint', async () => {
    const { messages } = await publint({ pkgDir: packed().folder, pack: false, level: 'warning' });
    expect(messages).toEqual([]);
  });
});

/** Imports of a package that have types, such as `@tendril-sim/io/node`; `*` becomes the model der. */
function entries({ name, exports = {} }: Manifest): string[] {
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([path]) => `${name}${path.slice(1).replace('*', 'der')}`);
}

describe('a project of its own', () => {
  it('gets no renderer, no fonts, no Rapier and no studio with the library', () => {
    expect(closureOf(name('core'), packages)).toEqual([name('core')]);
    expect(closureOf(name('io'), packages).sort()).toEqual([
      name('core'),
      name('io'),
      'hyparquet-writer',
      'yaml',
      'zod',
    ]);
    expect(closureOf(name('bridge'), packages)).toEqual([name('bridge'), name('core')]);
  });

  it('imports every entry in Node, and simulates', () => {
    const list = ['core', 'io', 'bridge', 'sweep', 'cases'].flatMap((short) => entries(find(short).manifest));
    expect(list).toContain(name('core/kernels'));
    writeFileSync(
      join(folder, 'main.js'),
      `import { createWorld } from '@tendril-sim/core';
import { parseScene } from '@tendril-sim/io';
for (const entry of ${JSON.stringify(list)}) if (Object.keys(await import(entry)).length === 0) throw new Error(entry);
const { scene } = parseScene(\`${scene}\`, 'rope.yaml');
const world = createWorld(scene);
for (let k = 0; k < 10; k++) world.step();
console.log(world.time, world.samples[0].nodePosition.at(-1) < 0);`,
    );
    expect(execFileSync(process.execPath, ['main.js'], { cwd: folder, encoding: 'utf8' })).toBe('0.1 true\n');
  });

  it.each([
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
    ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
  ] as const)('finds types with moduleResolution %s', (title, module, moduleResolution) => {
    const file = join(folder, `${title}.ts`);
    writeFileSync(file, consumer);
    const program = ts.createProgram([file], {
      module,
      moduleResolution,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
      types: [],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    });
    const found = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    // the second line of the consumer is wrong on purpose: types that are not found would let it pass
    expect(found).toEqual([expect.stringContaining("'string' is not assignable to type 'number'")]);
  });

  it('bundles with vite for the browser, a rope by der in at most 92 kB gzipped', async () => {
    writeFileSync(join(folder, 'rope.js'), rope);
    writeFileSync(join(folder, 'all.js'), "export * from '@tendril-sim/core'; export * from '@tendril-sim/io';");
    const bundle = async (entry: string): Promise<string> => {
      const result = await build({
        root: folder,
        configFile: false,
        logLevel: 'error',
        build: { write: false, rolldownOptions: { input: join(folder, entry), preserveEntrySignatures: 'strict' } },
      });
      const chunks = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
      return chunks.map((chunk) => ('code' in chunk ? chunk.code : '')).join('\n');
    };
    expect(gzipSync(await bundle('rope.js')).length).toBeLessThan(92_000);
    expect(await bundle('all.js')).not.toMatch(/from ?["']node:|__vite-browser-external/);
  });
});

describe('types for every way of resolving modules', () => {
  it.each(['core', 'io', 'bridge', 'sweep', 'cases'])('are right in %s', async (short) => {
    const { tarball } = find(short);
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
    if (!analysis.types) throw new Error('no types');
    // these packages are modules for Node 20 and newer: neither require() nor the resolution of Node 10 is meant to find them
    const serious = analysis.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    );
    expect(serious).toEqual([]);
  });
});

const scene = `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: rope
    shape: { type: straight, from: [0, 0, 0], to: [1 m, 0, 0] }
    section: { type: circle, radius: 5 mm }
    material: { E: 5 MPa, nu: 0.5, density: 1200 }
pins: [{ rod: rope, at: start }]
time: { duration: 1 s, step: 10 ms }`;

const consumer = `import { createWorld, type Scene } from '@tendril-sim/core';
export const wrong: number = parseScene('', '').scene.title ?? '';
import { contact } from '@tendril-sim/core/contact';
import * as kernels from '@tendril-sim/core/kernels';
import { parseScene } from '@tendril-sim/io';
import { readSceneFile } from '@tendril-sim/io/node';
const scene: Scene = readSceneFile('a.yaml').scene;
export const z: number = createWorld(scene).samples[0].nodePosition[2];
export { contact, kernels };
`;

const rope = `import { createDerModel } from '@tendril-sim/core/models/der';
import { createWorld } from '@tendril-sim/core/world';
export const start = (scene) => createWorld(scene, { models: [createDerModel()] });
`;
