/**
 * Opens our exports with programs that we did not write. By hand, not in the tests: Blender and VTK are large.
 *
 *   apt-get install blender python3-numpy python3-vtk9       (Debian 12)
 *   apt-get install alembic-graphics libalembic-graphics-dev g++       (Debian 14; or ABC_READ names a build of abc_read.cpp)
 *   npm run programs
 *
 * The add-on of blender/ is used in Blender without a window. Each compares where the nodes are in the last frame with the recording itself.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readRecordingFile } from '@tendril-sim/io/node';

const here = join(process.cwd(), 'test/programs/');
const tendril = join(process.cwd(), 'packages/cli/bin/tendril.mjs');
const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'tendril-programs-'));
mkdirSync(folder, { recursive: true });
const call = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const scene = `tendril: 1
title: What other programs open
gravity: [0, 0, -9.81]
materials: { rubber: { E: 5 MPa, nu: 0.5, density: 1200 } }
rods:
  - { id: cable, shape: { type: straight, from: [0, 0, 0], to: [0.4, 0, 0] }, edges: 30, section: { type: circle, radius: 4 mm }, material: rubber }
  - { id: ring, shape: { type: ring, center: [0.2, 0.2, 0], radius: 0.1 }, edges: 30, section: { type: circle, radius: 4 mm }, material: rubber }
  - { id: hang, shape: { type: straight, from: [0, -0.2, 0], to: [0.2, -0.2, 0] }, edges: 20, section: { type: circle, radius: 4 mm }, material: rubber }
bodies: [{ id: bob, solid: { type: box, density: 500, size: [0.04, 0.03, 0.02] }, position: [0.22, -0.2, 0] }]
welds: [{ rod: hang, at: end, body: bob }]
pins: [{ rod: cable, at: start }, { rod: ring, at: start }, { rod: hang, at: start }]
colliders: [{ id: table, type: box, size: [0.4, 0.4, 0.02], position: [0.2, 0, -1] }]
time: { duration: 0.5, step: 5 ms }
output: { every: 20 ms }
`;
writeFileSync(join(folder, 'scene.yaml'), scene);
const out = join(folder, 'out');
const recordingFile = join(out, 'recording.tendril');
if (!existsSync(recordingFile)) call('node', tendril, 'run', join(folder, 'scene.yaml'), '--out', out, '--quiet');
for (const format of ['usda', 'usdc', 'abc', 'glb', 'vtp'])
  call('node', tendril, 'export', recordingFile, '--to', format, '--force');
const recording = readRecordingFile(recordingFile);
const last = recording.frame(recording.frameCount - 1);
const expected = last.rods.map(({ nodePosition }) => bounds(nodePosition));

let failed = 0;
const check = (
  program: string,
  name: string,
  found: ArrayLike<number>,
  wanted: readonly number[],
  tolerance: number,
): void => {
  const error = Math.max(...wanted.map((value, k) => Math.abs(value - found[k])));
  const good = error <= tolerance;
  if (!good) failed++;
  console.log(`${good ? 'ok  ' : 'MISS'} ${program}: ${name}, largest difference ${error.toExponential(1)} m`);
};
const attempt = async (program: string, action: () => void | Promise<void>): Promise<void> => {
  try {
    await action();
  } catch (error) {
    failed++;
    console.log(
      `MISS ${program}: ${String(error.stderr ?? error.message)
        .trim()
        .split('\n')
        .pop()}`,
    );
  }
};

await attempt('VTK', () => {
  const frames = join(out, 'recording-frames');
  const report = JSON.parse(call('/usr/bin/python3', join(here, 'vtk_read.py'), join(frames, 'rods-25.vtp')));
  check(
    `VTK ${report.version}`,
    `${report.lines} poly-lines, arrays ${report.arrays.join(' ')}`,
    report.bounds,
    union(expected),
    1e-12,
  );
});
await attempt('Blender', () => {
  const text = call('blender', '-b', '-P', join(here, 'blender_read.py'), '--', join(out, 'recording.glb'), '0.5');
  const report = JSON.parse(/^RESULT (.*)$/m.exec(text)[1]);
  recording.header.rods.forEach(({ id }, k) => {
    const { rings, keys } = report.objects[id];
    // the mean of a ring of eight corners is its node
    check(`Blender ${report.version}`, `${id}, ${keys} shape keys`, bounds(rings.flat()), expected[k], 2e-6);
  });
});
await attempt('the add-on in Blender', () => {
  const script = join(here, 'blender_addon.py');
  const text = execFileSync(
    'blender',
    ['-b', '-P', script, '--', join(folder, 'addon'), join(process.cwd(), 'blender')],
    {
      encoding: 'utf8',
      env: { ...process.env, TENDRIL: `node ${tendril}` },
    },
  );
  const { version, frames, played, root, moved, inside } = JSON.parse(/^RESULT (.*)$/m.exec(text)[1]);
  check(`Blender ${version}, add-on`, `${frames} frames, view against recording`, [played], [0], 1e-6);
  // three frames to settle and thirteen of the timeline; the ball has a radius of 0.1 m and turns by 0.8 rad
  check(`Blender ${version}, add-on`, 'roots against the turned ball', [root], [0], 1e-6);
  if (frames !== 16 || !(moved > 0.03 && moved < 0.3) || !(inside > 0.099) || !/^REFUSED/m.test(text))
    throw new Error(`${frames} frames, moved by ${moved} m, nearest point ${inside} m from the middle of the ball`);
});
await attempt('Alembic', () => {
  const reader = process.env.ABC_READ ?? join(folder, 'abc_read');
  const libraries = ['-lAlembic', '-lImath'];
  if (!existsSync(reader))
    call('g++', '-std=c++17', '-I/usr/include/Imath', join(here, 'abc_read.cpp'), ...libraries, '-o', reader);
  const report = JSON.parse(call(reader, join(out, 'recording.abc')));
  check(report.version, `${report.samples} samples`, report.bounds, union(expected), 1e-7);
});
await attempt('TinyUSDZ', async () => {
  const usd = await openTinyUsd();
  for (const format of ['usda', 'usdc']) readWithTinyUsd(usd, format);
});
await attempt("three.js's USD parser", async () => {
  const { USDAParser } = await import('three/examples/jsm/loaders/usd/USDAParser.js');
  const parsed = new USDAParser().parseText(readFileSync(join(out, 'recording.usda'), 'utf8'));
  const kinds = JSON.stringify(parsed).match(/BasisCurves/g) ?? [];
  if (kinds.length < 3) throw new Error(`it found ${kinds.length} curves`);
  console.log(`ok   three.js's USD parser: ${kinds.length} BasisCurves`);
});
console.log(failed === 0 ? 'all read what we wrote' : `${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function readWithTinyUsd(usd, format) {
  const layer = new usd.TinyUSDZLoaderNative();
  const bytes = readFileSync(join(out, `recording.${format}`));
  if (!layer.loadAsLayerFromBinary(bytes, `recording.${format}`)) throw new Error(layer.error());
  const stage = new usd.TinyUSDZLoaderNative();
  if (!stage.loadFromBinary(bytes, `recording.${format}`)) throw new Error(stage.error());
  // what it understood, in its own words
  const text = layer.layerToString();
  recording.header.rods.forEach(({ id }, k) => {
    const prim = text.slice(text.indexOf(`BasisCurves "${id}"`));
    const samples = /points\.timeSamples = \{(.*?)\}/s.exec(prim)[1].trim().split('\n');
    const numbers = (
      samples
        .at(-1)
        .replace(/^\s*[\d.]+:/, '')
        .match(/-?\d[\d.e-]*/g) ?? []
    ).map(Number);
    check('TinyUSDZ', `${format}, ${id}, ${samples.length} time samples`, bounds(numbers), expected[k], 1e-7);
  });
}

function bounds(points) {
  const values = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    values[i % 3] = Math.min(values[i % 3], points[i]);
    values[3 + (i % 3)] = Math.max(values[3 + (i % 3)], points[i]);
  }
  return values;
}

function union(boxes) {
  return [0, 1, 2]
    .map((k) => Math.min(...boxes.map((box) => box[k])))
    .concat([3, 4, 5].map((k) => Math.max(...boxes.map((box) => box[k]))));
}

/** The npm package `tinyusdz`, fetched into the folder of this run; it is built for browsers and told that this is one. */
async function openTinyUsd() {
  const place = join(folder, 'tinyusdz');
  if (!existsSync(place)) {
    mkdirSync(place);
    const archive = call('npm', 'pack', '--silent', '--pack-destination', place, 'tinyusdz@0.9.0-rc10')
      .trim()
      .split('\n')
      .pop();
    call('tar', 'xzf', join(place, archive), '-C', place, '--strip-components', '1');
  }
  const code = readFileSync(join(place, 'tinyusdz.js'), 'utf8');
  writeFileSync(
    join(place, 'reader.mjs'),
    code.replace(/ENVIRONMENT_IS_NODE=typeof process[^;]*;/, 'ENVIRONMENT_IS_NODE=false;'),
  );
  Object.assign(globalThis, {
    window: globalThis,
    self: globalThis,
    document: { currentScript: null },
    location: { href: 'file:///' },
  });
  const { default: start } = await import(pathToFileURL(join(place, 'reader.mjs')).href);
  return start({ wasmBinary: readFileSync(join(place, 'tinyusdz.wasm')) });
}
