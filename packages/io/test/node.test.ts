import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRecordingEncoder, InputError, recordingFrame, recordingHeader } from '../src/index.ts';
import {
  createAtomicWriter,
  openWithin,
  readRecordingFile,
  readSceneFile,
  readStateFile,
  writeFileAtomic,
  writeStateFile,
} from '../src/node.ts';
import { fakeWorld, scene, state } from './fixtures.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tendril-io-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string): string => join(folder, name);
/** Windows has neither permission bits nor signals. */
const hasModes = process.platform !== 'win32';

describe('files', () => {
  it('reads scenes and names the file in errors', () => {
    writeFileSync(
      file('a.yaml'),
      '\ufefftendril: 1\nrods: [{ id: a, shape: { type: ring, radius: 5 cm }, section: s }]',
    );
    expect(readSceneFile(file('a.yaml')).scene.rods[0].shape).toEqual({ type: 'ring', radius: 0.05 });
    writeFileSync(file('b.yaml'), 'tendril: 1\nrods: 5');
    expect(() => readSceneFile(file('b.yaml'))).toThrow(`${file('b.yaml')}:2:7 rods: expected a list of rods, got 5`);
  });

  it('explains files that cannot be read', () => {
    const fail = (path: string): string => {
      try {
        readSceneFile(path);
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        return (error as Error).message;
      }
      return 'accepted';
    };
    expect(fail(file('none.yaml'))).toBe(`${file('none.yaml')}: no such file; check the name`);
    expect(fail(folder)).toMatch(/this is a folder/);
    writeFileSync(file('x.yaml'), 'tendril: 1');
    expect(fail(file('x.yaml/y.yaml'))).toMatch(/is a file, not a folder/);
    writeFileSync(file('latin.yaml'), Uint8Array.from([0x61, 0xe9, 0x62]));
    expect(fail(file('latin.yaml'))).toMatch(/not UTF-8/);
    if (hasModes && process.getuid?.() !== 0) {
      chmodSync(file('x.yaml'), 0);
      expect(fail(file('x.yaml'))).toMatch(/not allowed to read/);
    }
  });

  it('writes and reads states and recordings', () => {
    writeStateFile(file('s.tsta'), state, { scene, version: '1' });
    expect(readStateFile(file('s.tsta'), scene).state).toEqual(state);
    const world = fakeWorld();
    const encoder = createRecordingEncoder(recordingHeader(world, { version: '1' }));
    const writer = createAtomicWriter(file('r.trec'));
    for (const part of [encoder.encodeHeader(), encoder.encodeFrame(recordingFrame(world)), encoder.encodeFooter()])
      writer.append(part);
    expect(existsSync(file('r.trec'))).toBe(false);
    writer.commit();
    expect(statSync(file('r.trec')).size).toBe(writer.bytesWritten);
    expect(readRecordingFile(file('r.trec')).frameCount).toBe(1);
    expect(() => readRecordingFile(file('s.tsta'))).toThrow(/not a Tendril recording/);
    expect(() => readStateFile(file('r.trec'))).toThrow(/not a Tendril state/);
  });

  it('overwrites only when told to', () => {
    writeFileAtomic(file('a'), 'old');
    expect(() => writeFileAtomic(file('a'), 'new')).toThrow(/exists already; choose another name, or allow/);
    expect(readFileSync(file('a'), 'utf8')).toBe('old');
    if (hasModes) chmodSync(file('a'), 0o640);
    writeFileAtomic(file('a'), 'new', { overwrite: true });
    expect(readFileSync(file('a'), 'utf8')).toBe('new');
    if (hasModes) expect(statSync(file('a')).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('does not replace a file that came in the meantime', () => {
    const writer = createAtomicWriter(file('a'));
    writer.append('mine');
    writeFileSync(file('a'), 'theirs');
    expect(() => writer.commit()).toThrow(/exists already/);
    expect(readFileSync(file('a'), 'utf8')).toBe('theirs');
    // the work is not lost until its owner says so
    expect(readFileSync(writer.temporary, 'utf8')).toBe('mine');
    writer.abort();
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('aborts without a trace', () => {
    writeFileSync(file('a'), 'old');
    const writer = createAtomicWriter(file('a'), { overwrite: true });
    writer.append('half');
    writer.abort();
    writer.abort();
    expect(() => writer.append('more')).toThrow(/aborted/);
    expect(() => writer.commit()).toThrow(/aborted/);
    expect(readFileSync(file('a'), 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('follows a link to the file it names', () => {
    writeFileSync(file('real'), 'old');
    symlinkSync(file('real'), file('link'));
    writeFileAtomic(file('link'), 'new', { overwrite: true });
    expect(readFileSync(file('real'), 'utf8')).toBe('new');
  });

  it('refuses folders and places that do not exist', () => {
    mkdirSync(file('d'));
    expect(() => writeFileAtomic(file('d'), 'x', { overwrite: true })).toThrow(/this is a folder/);
    expect(() => writeFileAtomic(file('none/a'), 'x')).toThrow(/none' does not exist; create it first/);
  });

  it('leaves the old file when the process is killed while writing', () => {
    writeFileSync(file('a'), 'old');
    // esbuild's bundle lets a plain node run the TypeScript source
    const script = `import { createAtomicWriter } from ${JSON.stringify(fileURLToPath(new URL('../src/node.ts', import.meta.url)))};
const writer = createAtomicWriter(process.argv[2], { overwrite: true });
writer.append('half of the new');
process.kill(process.pid, 'SIGKILL');`;
    writeFileSync(file('crash.ts'), script);
    buildSync({ entryPoints: [file('crash.ts')], bundle: true, platform: 'node', outfile: file('crash.cjs') });
    const run = spawnSync(process.execPath, [file('crash.cjs'), file('a')]);
    if (hasModes) expect(run.signal).toBe('SIGKILL');
    else expect(run.status).not.toBe(0);
    expect(readFileSync(file('a'), 'utf8')).toBe('old');
    writeFileAtomic(file('a'), 'new', { overwrite: true });
    expect(readFileSync(file('a'), 'utf8')).toBe('new');
  });
});

describe('files that a scene names', () => {
  it('are read in its folder and below, and nowhere else', () => {
    const home = mkdtempSync(join(tmpdir(), 'tendril-within-'));
    try {
      mkdirSync(join(home, 'scenes/data'), { recursive: true });
      for (const name of ['secret.csv', 'scenes/own.csv', 'scenes/data/own.csv'])
        writeFileSync(join(home, name), '0,0,0\n1,0,0');
      symlinkSync(join(home, 'secret.csv'), join(home, 'scenes/link.csv'));
      symlinkSync(join(home, 'scenes/data'), join(home, 'scenes/more'));
      const open = openWithin(join(home, 'scenes'));
      for (const name of ['own.csv', 'data/own.csv', './data/../own.csv', 'more/own.csv'])
        expect(open(name).length).toBe(11);
      for (const name of [
        '../secret.csv',
        'data/../../secret.csv',
        join(home, 'secret.csv'),
        'link.csv',
        'C:\\a.csv',
        'a\0b',
      ])
        expect(() => open(name)).toThrow(/outside the scene's folder/);
      expect(() => open('none.csv')).toThrow(/no such file/);
      expect(() => open('data')).toThrow(InputError);
      const text = `tendril: 1\nstrands: [{ file: ../secret.csv, section: { type: circle, radius: 1 mm }, material: { E: 1 GPa, nu: 0.3, density: 1000 } }]`;
      writeFileSync(join(home, 'scenes/a.yaml'), text);
      expect(() => readSceneFile(join(home, 'scenes/a.yaml'))).toThrow(/a\.yaml:2:19 strands\[0\]\.file: .*outside/);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
