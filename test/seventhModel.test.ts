/** A seventh model is its folder and a few lines in two files: ids, options, schema, messages and capabilities follow from them. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Core from '@tendril-sim/core';
import type * as Io from '@tendril-sim/io';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './files.ts';

/** What a model's author writes outside its folder: text before other text. */
const edits: Readonly<Record<string, readonly (readonly [before: string, added: string])[]>> = {
  'core/src/models/registry.ts': [
    [
      'import type { OptionFields }',
      "import { type DustOptions, dustCapabilities, dustOptions } from './dust/options.ts';\n",
    ],
    ['  readonly der?: DerOptions;', '  readonly dust?: DustOptions;\n'],
    ['  der: derOptions,', '  dust: dustOptions,\n'],
    ['  der: derCapabilities,', '  dust: dustCapabilities,\n'],
  ],
  'core/src/models/index.ts': [
    ['import { fiber }', "import { dust } from './dust/index.ts';\n"],
    ['der, helix', 'dust, '],
  ],
};

let folder = '';
let copy: { core: typeof Core; io: typeof Io };

function edit(path: string): void {
  const file = join(folder, path);
  let text = readFileSync(file, 'utf8');
  for (const [before, added] of edits[path]) {
    expect(text, `in ${path}`).toContain(before);
    text = text.replace(before, `${added}${before}`);
  }
  writeFileSync(file, text);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tendril-seventh-'));
  for (const name of ['core', 'io'])
    cpSync(join(root, 'packages', name, 'src'), join(folder, name, 'src'), { recursive: true });
  cpSync(join(root, 'test/seventhModel/dust'), join(folder, 'core/src/models/dust'), { recursive: true });
  Object.keys(edits).forEach(edit);
  const entry = join(folder, 'entry.ts');
  writeFileSync(entry, "export * as core from '@tendril-sim/core'; export * as io from './io/src/index.ts';");
  await build({
    entryPoints: [entry],
    outfile: join(folder, 'entry.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    nodePaths: [join(root, 'node_modules')],
    alias: {
      '@tendril-sim/core/math': join(folder, 'core/src/math/rounded/index.ts'),
      '@tendril-sim/core': join(folder, 'core/src/index.ts'),
    },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
  copy = await import(/* @vite-ignore */ join(folder, 'entry.mjs'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scene = (extra: string): string => `tendril: 1
gravity: [0, 0, -10]
rods:
  - id: cloud
    model: dust
    shape: { type: straight, from: [0, 0, 0], to: [1, 0, 0] }
    edges: 4
    section: { type: circle, radius: 1 mm }
    material: { E: 1 GPa, nu: 0.3, density: 1000 }
time: { duration: 1, step: 0.01 }
${extra}`;

describe('a seventh model', () => {
  it('changes at most four files outside its folder', () => {
    expect(Object.keys(edits)).toEqual(['core/src/models/registry.ts', 'core/src/models/index.ts']);
  });

  it('has types that fit, where its lines are and where they are used', () => {
    const files = [
      ...Object.keys(edits),
      'core/src/models/dust/index.ts',
      'core/src/models/dust/options.ts',
      'core/src/world/bundles.ts',
      'io/src/schema/solver.ts',
    ].map((path) => join(folder, path));
    const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
    const program = ts.createProgram(files, {
      ...options,
      composite: false,
      noEmit: true,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      paths: {
        '@tendril-sim/core/math': [join(folder, 'core/src/math/rounded/index.ts')],
        '@tendril-sim/core': [join(folder, 'core/src/index.ts')],
        zod: [join(root, 'node_modules/zod')],
      },
    });
    const wrong = program
      .getSourceFiles()
      .filter(({ fileName }) => files.includes(fileName))
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
    expect(wrong).toEqual([]);
  });

  it('runs from a scene file with its options', () => {
    const { core, io } = copy;
    expect(core.availableModels()).toContain('dust');
    const world = core.createWorld(io.parseScene(scene('solver: { dust: { drag: 2 1/s } }'), 'a.yaml').scene);
    for (let k = 0; k < 100; k++) world.step();
    // z = −(g/c)(t − (1 − e^(−ct))/c)
    expect(world.samples[0].nodePosition[2]).toBeCloseTo((-10 / 2) * (1 - (1 - Math.exp(-2)) / 2), 12);
  });

  it('is in the schema, and its mistakes are explained', () => {
    const { io } = copy;
    const schema = JSON.stringify(io.sceneJsonSchema());
    expect(schema).toContain('"dust"');
    expect(schema).toContain('Rate at which velocities decay');
    expect(() => io.parseScene(scene('solver: { dust: { drga: 2 } }'), 'a.yaml')).toThrow("did you mean 'drag'?");
    expect(() => io.parseScene(scene('solver: { dust: { drag: -1 } }'), 'a.yaml')).toThrow('must not be negative');
  });

  it('is refused what it cannot do, by its capabilities', () => {
    const { core, io } = copy;
    const make = (extra: string): unknown => core.createWorld(io.parseScene(scene(extra), 'a.yaml').scene);
    expect(() => make('pins: [{ rod: cloud, at: start, hold: hinge, axis: [0, 1, 0] }]')).toThrow(
      "model 'dust' has no hinges; use der",
    );
    expect(() => make('colliders: [{ id: floor, type: plane, position: [0, 0, -1], normal: [0, 0, 1] }]')).toThrow(
      'dust',
    );
  });
});
