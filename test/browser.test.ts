/** The library runs where there is no Node: bundled for browsers, in a context with nothing but the language. */
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { type BuildResult, build } from 'esbuild';
import { expect, it } from 'vitest';
import { read, root } from './files.ts';

async function bundle(contents: string): Promise<BuildResult<{ write: false; metafile: true }>> {
  return build({
    stdin: { contents, loader: 'ts', resolveDir: root },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'result',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
}

/** Compressed size [bytes]. The table of docs/library.md must state it for `what` within 5 %. */
function report(what: string, code: Uint8Array): number {
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`;
  const packed = gzipSync(code).length;
  console.log(`${what} in a browser: ${kilobytes(code.length)}, ${kilobytes(packed)} compressed`);
  const row = read('docs/library.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${what} |`));
  const stated = Number(row?.match(/\| (\d+) kB \|$/)?.[1]);
  expect(Math.abs(1000 * stated - packed) / packed, `docs/library.md, size of ${what}`).toBeLessThan(0.05);
  return packed;
}

const swing = `{
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: [{
    id: 'rod',
    shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
    edges: 10,
    section: { type: 'circle', radius: 0.005 },
    material: { E: 1e7, nu: 0.5, density: 1000 },
  }],
  pins: [{ rod: 'rod', at: 'start' }],
}`;

it('@tendril-sim/core', async () => {
  const { outputFiles, metafile } = await bundle(`
    import { createWorld } from '@tendril-sim/core';
    const world = createWorld(${swing});
    for (let k = 0; k < 20; k++) world.step(0.005);
    export const height = world.samples[0].nodePosition[32];
  `);
  const inputs = Object.keys(metafile.inputs).filter((path) => !/<stdin>|packages\/core\//.test(path));
  expect(inputs).toEqual([]);
  expect(report('`@tendril-sim/core`: six models, contact, grooming', outputFiles[0].contents)).toBeLessThan(433_000);
  const context = createContext({});
  runInContext(outputFiles[0].text, context);
  // 0.1 s of a fall that the clamp slows: below the start, above free fall
  const height = runInContext('result.height', context) as number;
  expect(height).toBeLessThan(0);
  expect(height).toBeGreaterThan((-9.81 * 0.1 ** 2) / 2 - 0.01);
});

/** A program that makes its world from parts: what the script weighs, and how far the rod has fallen. */
async function runParts(
  parts: string,
  name: string,
  options = '',
): Promise<{ packed: number; files: string[]; height: number }> {
  const { outputFiles, metafile } = await bundle(`
    import { createWorld } from '@tendril-sim/core/world';
    ${parts}
    const world = createWorld(${swing}, { models: [model]${options} });
    for (let k = 0; k < 20; k++) world.step(0.005);
    export const height = world.samples[0].nodePosition[32];
  `);
  const context = createContext({});
  runInContext(outputFiles[0].text, context);
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    packed: report(name, outputFiles[0].contents),
    files: files.map(([path]) => path.replace(/^.*\/core\/dist\//, '')),
    height: runInContext('result.height', context) as number,
  };
}

const isForeign = (path: string): boolean =>
  /^(contact|batch|kernels|threads|groom)\/|^models\/(?!der\/)\w+\/(?!options)/.test(path);

it('one model alone', async () => {
  const rope = await runParts(
    "import { createDerModel } from '@tendril-sim/core/models/der'; const model = createDerModel();",
    '`/world` with `createDerModel()`',
  );
  const whole = await runParts("import { der as model } from '@tendril-sim/core/models/der';", '`/world` with `der`');
  const touching = await runParts(
    "import { contact } from '@tendril-sim/core/contact'; import { der as model } from '@tendril-sim/core/models/der';",
    '`/world` with `der` and `contact`',
    ', contact',
  );
  expect(rope.files.filter(isForeign)).toEqual([]);
  expect(whole.files.filter(isForeign)).toEqual([]);
  expect(rope.packed).toBeLessThan(96_000);
  expect(whole.packed).toBeLessThan(156_000);
  const rounded = (bytes: number): string => `about ${10 * Math.round(bytes / 10_000)} kB`;
  const example = read('examples/web/README.md');
  expect([rope, whole].filter(({ packed }) => !example.includes(rounded(packed)))).toEqual([]);
  const { outputFiles } = await bundle(`
    import { createWorld } from '@tendril-sim/core';
    const world = createWorld(${swing});
    for (let k = 0; k < 20; k++) world.step(0.005);
    export const height = world.samples[0].nodePosition[32];
  `);
  const context = createContext({});
  runInContext(outputFiles[0].text, context);
  // the same bits as from the package that has everything
  const height = runInContext('result.height', context) as number;
  expect(rope.height).toBe(height);
  expect(whole.height).toBe(height);
  expect(touching.height).toBe(height);
});

it('@tendril-sim/io', async () => {
  const { outputFiles, metafile } = await bundle(`
    import { parseScene, buildResult, formatResult, createRecordingEncoder, decodeRecording, recordingFrame, recordingHeader } from '@tendril-sim/io';
    import { createWorld } from '@tendril-sim/core';
    const text = 'tendril: 1\\nrods: [{ id: hair, shape: { type: straight, from: [0, 0, 0], to: [10 cm, 0, 0] }, section: { type: circle, radius: 0.04 mm }, material: { E: 3.58 GPa, nu: 0.35, density: 1320 } }]';
    const world = createWorld(parseScene(text, 'hair.yaml').scene);
    const encoder = createRecordingEncoder(recordingHeader(world, { version: '0' }));
    const parts = [encoder.encodeHeader(), encoder.encodeFrame(recordingFrame(world)), encoder.encodeFooter()];
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
    export const end = decodeRecording(bytes, 'a').frame(0).rods[0].nodePosition[150];
    export const result = JSON.parse(formatResult(buildResult({ world, version: '0', command: 'run', wallSeconds: 0 })));
  `);
  expect(Object.keys(metafile.inputs).filter((path) => path.includes('node:'))).toEqual([]);
  expect(
    report('`@tendril-sim/core` and `@tendril-sim/io`: also YAML and the schema', outputFiles[0].contents),
  ).toBeLessThan(525_000);
  // text in and out is the one thing of the web platform that files need
  const context = createContext({ TextEncoder, TextDecoder });
  runInContext(outputFiles[0].text, context);
  expect(runInContext('result.end', context)).toBeCloseTo(0.1, 12);
  expect(runInContext('result.result.rods[0].id', context)).toBe('hair');
});
