/**
 * Every command that writes a folder: on a full disk, in a folder that cannot be written, beside another command, killed, and with nobody who reads its
 * output. Files are the old ones or whole new ones, and an old result never stands beside new files.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { createWorld } from '@tendril-sim/core';
import { parseScene } from '@tendril-sim/io';
import { beforeAll, describe, expect, it } from 'vitest';
import { command, type Finished, type Sandbox, sandbox, scene } from './harness.ts';

interface Writer {
  readonly name: string;
  /** Arguments without the folder. */
  readonly args: readonly string[];
}

/** One command per kind of writer; the others only in `npm run test:long`. */
const usual: readonly Writer[] = [
  { name: 'statics', args: ['statics', 'a.yaml'] },
  { name: 'fit', args: ['fit', 'fit.yaml'] },
];
const others: readonly Writer[] = [
  { name: 'run', args: ['run', 'a.yaml'] },
  { name: 'modes', args: ['modes', 'a.yaml'] },
  { name: 'compare', args: ['compare', 'a.yaml', '--models', 'der,helix'] },
  {
    name: 'gradient',
    args: ['gradient', 'a.yaml', '--of', 'energy.bending', '--by', 'rods.0.material.E', '--along'],
  },
  { name: 'branches', args: ['statics', 'branches.yaml'] },
];
const writers = [...usual, ...(process.env.TENDRIL_LONG ? others : [])];
const isLinux = process.platform === 'linux';

let box: Sandbox;
beforeAll(() => {
  box = sandbox();
  box.write('a.yaml', scene());
  box.write(
    'branches.yaml',
    scene({ more: 'statics: { follow: branch, from: 0, to: 1 }' }).replace(
      'gravity: [0, 0, -9.81]',
      'gravity: [0, 0, -1]',
    ),
  );
  const world = createWorld(parseScene(scene(), 'a.yaml').scene);
  world.equilibrate(0);
  const x = world.samples[0].nodePosition;
  const rows = [4, 8, 12].map((i) => `${i / 12},${[0, 1, 2].map((k) => 1e3 * x[3 * i + k]).join(',')}`);
  box.write('shape.csv', `u,x [mm],y [mm],z [mm]\n${rows.join('\n')}\n`);
  box.write(
    'fit.yaml',
    `fit: 1
scene: a.yaml
parameters: [{ name: E, path: rods.0.material.E, start: 6e6 }]
experiments: [{ shape: { file: shape.csv, rod: rod } }]
`,
  );
});

type Files = ReadonlyMap<string, string>;

const readFolder = (folder: string): Files => {
  const entries = readdirSync(join(box.path, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath ?? one.path, one.name));
  return new Map(paths.map((path) => [relative(join(box.path, folder), path), readFileSync(path, 'latin1')]));
};

const isWhole = (name: string, content: string): boolean => {
  if (name.endsWith('.json')) return JSON.parse(content) !== undefined;
  if (name.endsWith('.csv')) return content.endsWith('\n');
  if (name.endsWith('.svg')) return content.trimEnd().endsWith('</svg>');
  return content.length > 0;
};

/** Files that are neither old nor whole, hidden ones, and new ones that an old result vouches for. */
function findFaults(folder: string, before: Files): string[] {
  const now = readFolder(folder);
  const isOld = (name: string): boolean => now.get(name) === before.get(name);
  const faults = [...now].flatMap(([name, content]) => {
    if (basename(name).startsWith('.')) return [`${name} is left`];
    return isOld(name) || isWhole(name, content) ? [] : [`${name} is cut off`];
  });
  for (const result of ['result.json', 'compare.json'])
    if (now.has(result) && isOld(result))
      faults.push(...[...now.keys()].filter((name) => !isOld(name)).map((name) => `old ${result} beside new ${name}`));
  return faults;
}

/** A limit on the size of files: Node sees a failed write, as on a full disk. */
function runInShell(script: string, args: readonly string[]): Promise<Finished> {
  const child = spawn('sh', ['-c', script, process.execPath, command, ...args], { cwd: box.path });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

describe.runIf(isLinux).each(writers)('$name', ({ name, args }) => {
  const out = `${name}-out`;
  const force = ['--out', out, '--force'];

  it('leaves whole files, of one run, where the disk is full', async () => {
    const first = await box.run(...args, '--out', out);
    expect(first, first.err).toMatchObject({ code: 0 });
    const before = readFolder(out);
    expect(before.size).toBeGreaterThan(0);
    expect(findFaults(out, new Map())).toEqual([]);
    const { code, out: said, err } = await runInShell('ulimit -f 1; exec "$0" "$@"', [...args, ...force]);
    expect({ code, err }).toMatchObject({ code: 2 });
    // the values that a fit has found are on the terminal at least
    if (name === 'fit') expect(said).toMatch(/E +\d/);
    expect(err).toContain('the file is larger than the system allows');
    expect(findFaults(out, before)).toEqual([]);
  });

  it('rejects a folder that cannot be written, and one in which another command writes', async () => {
    const nowhere = await box.run(...args, '--out', '/proc/nowhere');
    expect(nowhere).toMatchObject({ code: 2 });
    expect(nowhere.err).toMatch(/\/proc\/nowhere.*(cannot|does not exist)/);
    const locked = `${name}-locked`;
    mkdirSync(join(box.path, locked));
    // this process holds it
    const began = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[19];
    const { hostname } = await import('node:os');
    box.write(join(locked, '.tendril.lock'), JSON.stringify({ pid: process.pid, host: hostname(), began }));
    const second = await box.run(...args, '--out', locked, '--force');
    expect(second).toMatchObject({ code: 2 });
    expect(second.err).toContain(`another tendril (process ${process.pid}) is writing into '${locked}'`);
    expect(readdirSync(join(box.path, locked))).toEqual(['.tendril.lock']);
  });

  it.runIf(process.env.TENDRIL_LONG)(
    'is killed at any moment, and done again',
    async () => {
      const again = await box.run(...args, ...force);
      expect(again, again.err).toMatchObject({ code: 0 });
      for (let k = 0; k < 6; k++) {
        const before = readFolder(out);
        const { child, finished } = box.start(...args, ...force);
        await new Promise((resolve) => setTimeout(resolve, 250 * (k + 1) * (0.8 + 0.4 * Math.random())));
        child.kill('SIGKILL');
        await finished;
        // hidden files of the killed command stay for `tendril recover`
        expect(findFaults(out, before).filter((fault) => !fault.endsWith('is left'))).toEqual([]);
        expect(await box.run(...args, ...force)).toMatchObject({ code: 0 });
        expect(findFaults(out, new Map())).toEqual([]);
      }
    },
    300_000,
  );

  it.runIf(process.env.TENDRIL_LONG)('does its work when nobody reads the output', async () => {
    const closed = `${name}-closed`;
    const { code } = await runInShell('{ "$0" "$@"; echo "code $?" >&2; } | true', [...args, '--out', closed]);
    expect(code).toBe(0);
    expect(findFaults(closed, new Map())).toEqual([]);
    expect([...readFolder(closed).keys()].sort()).toEqual([...readFolder(out).keys()].sort());
  });
});

describe.runIf(isLinux)('new --example', () => {
  it('leaves nothing where the disk is full', async () => {
    mkdirSync(join(box.path, 'examples'));
    const { code, err } = await runInShell('ulimit -f 1; exec "$0" "$@"', [
      'new',
      'examples/mine',
      '--example',
      'mechanics',
    ]);
    expect({ code, err }).toMatchObject({ code: 2 });
    expect(readdirSync(join(box.path, 'examples'))).toEqual([]);
  });
});

const printers: readonly (readonly string[])[] = [
  ['schema'],
  ...(process.env.TENDRIL_LONG
    ? [
        ['check', 'heavy-cantilever', '--json'],
        ['statics', 'a.yaml', '--json', '--out', 'printed', '--force'],
        ['completion', 'bash'],
        ['validate', 'a.yaml'],
        ['gradient', 'a.yaml', '--of', 'energy.bending', '--by', 'rods.0.material.E', '--json'],
      ]
    : []),
];

describe.runIf(existsSync('/dev/full')).each(printers)('the output of %s', (...args) => {
  it('is missed on a full disk, and not where its reader has gone', async () => {
    const full = await runInShell('exec "$0" "$@" > /dev/full', args);
    expect(full).toMatchObject({ code: 2 });
    expect(full.err).toContain('standard output cannot be written');
    const { err } = await runInShell('{ "$0" "$@"; echo "code $?" >&2; } | true', args);
    expect(err).toMatch(/code 0\n$/);
  });
});
