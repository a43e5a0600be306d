/** Every command that writes, on a full disk, in a folder that cannot be written, and killed: what was there before stays. */
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { command, type Sandbox, sandbox, scene } from './harness.ts';

interface Writer {
  readonly name: string;
  /** Arguments that write `out`. */
  readonly args: (out: string) => string[];
  readonly file: string;
  /** False: a command without `--force`, which replaces its files. */
  readonly force?: false;
  /** A file that must be in the folder of the output. */
  readonly beside?: string;
}

const words = (text: string): string[] => text.split(' ');

/** One command per kind of writer; the others only in `npm run test:long`. */
const usual: readonly Writer[] = [
  { name: 'export csv', args: (out) => ['export', 'rec', '--to', 'csv', '--out', out], file: 'a.csv' },
  {
    name: 'groom grow',
    args: (out) => ['groom', 'grow', 'mesh.obj', '--length', '0.1', '--out', out],
    file: 'a.hairstyle',
  },
  { name: 'export mp4', args: (out) => ['export', 'rec', '--to', 'mp4', '--fps', '20', '--out', out], file: 'a.mp4' },
  { name: 'report', args: (out) => ['report', 'a.yaml', '--models', 'der,helix', '--out', out], file: 'a.html' },
];
const others: readonly Writer[] = [
  { name: 'import', args: (out) => ['import', 'curves.obj', '--out', out], file: 'b.yaml' },
  { name: 'design', args: (out) => ['design', 'a.yaml', '--out', out], file: 'c.yaml' },
  {
    name: 'groom cut',
    args: (out) => ['groom', 'cut', 'a.hairstyle', '--length', '0.05', '--out', out],
    file: 'b.hairstyle',
  },
  {
    name: 'groom comb',
    args: (out) => [...words('groom comb a.hairstyle --from 0,0,0 --to 0.1,0,0 --radius 1 --out'), out],
    file: 'c.hairstyle',
  },
  {
    name: 'groom curl',
    args: (out) => ['groom', 'curl', 'a.hairstyle', '--curl', '5 mm,10 mm', '--out', out],
    file: 'd.hairstyle',
  },
  {
    name: 'groom scene',
    args: (out) => ['groom', 'scene', join(dirname(out), 'a.hairstyle'), '--motion', 'shake', '--out', out],
    file: 'd.yaml',
    beside: 'a.hairstyle',
  },
  {
    name: 'groom pack',
    args: (out) => [...words('groom pack b.hairstyle hair/recording.tendril --out'), out],
    file: 'a.motion',
  },
  {
    name: 'groom export',
    args: (out) => ['groom', 'export', 'a.hairstyle', '--to', 'usda', '--out', out],
    file: 'b.usda',
  },
  {
    name: 'check',
    args: (out) => [...words('check cantilever-master-curve --model der --out'), dirname(out)],
    file: 'cantilever-master-curve.svg',
    force: false,
  },
  { name: 'sweep report', args: (out) => ['sweep', 'report', 'study', '--out', out], file: 'study.html' },
  { name: 'sweep csv', args: (out) => ['sweep', 'csv', 'study', '--out', out], file: 'study.csv' },
  {
    name: 'export webm',
    args: (out) => ['export', 'rec', '--to', 'webm', '--fps', '20', '--out', out],
    file: 'a.webm',
  },
  { name: 'schema', args: (out) => ['schema', '--out', out], file: 'schema.json' },
  ...['png', 'svg', 'usda', 'usdc', 'abc', 'glb', 'parquet', 'apng', 'vtp'].map((to) => ({
    name: `export ${to}`,
    args: (out: string) => ['export', 'rec', '--to', to, '--out', out],
    file: `a.${to === 'vtp' ? 'pvd' : to}`,
  })),
];
const writers = [...usual, ...(process.env.TENDRIL_LONG ? others : [])];
const isLinux = process.platform === 'linux';

let box: Sandbox;
beforeAll(async () => {
  box = sandbox();
  box.write('a.yaml', scene());
  box.write('mesh.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n');
  const points = Array.from({ length: 40 }, (_, k) => `v ${k / 40} 0 0\n`).join('');
  box.write('curves.obj', `${points}l ${Array.from({ length: 40 }, (_, k) => k + 1).join(' ')}\n`);
  // it is not on every machine; like this one, it writes to its last argument what it reads
  mkdirSync(join(box.path, 'bin'));
  box.write('bin/ffmpeg', '#!/bin/sh\nfor file; do :; done\nexec cat > "$file"\n');
  chmodSync(join(box.path, 'bin/ffmpeg'), 0o755);
  process.env.PATH = `${join(box.path, 'bin')}:${process.env.PATH}`;
  expect((await box.run('run', 'a.yaml', '--out', 'rec', '-q')).code).toBe(0);
  if (process.env.TENDRIL_LONG) await prepareOthers();
});

async function prepareOthers(): Promise<void> {
  box.write(
    'study.yaml',
    "sweep: 1\nscene: a.yaml\ncommand: statics\nparameters: [{ path: 'rods[0].material.E', name: E, range: { from: 5 MPa, to: 9 MPa, count: 40 } }]\nquantities: { bent: energy.bending }\n",
  );
  const commands = [
    'groom grow mesh.obj --length 0.1 --out a.hairstyle',
    'groom grow mesh.obj --length 0.1 --guides 3 --out b.hairstyle',
    'groom scene b.hairstyle --out b-scene.yaml',
    'run b-scene.yaml --until 0.02 --out hair -q',
    'sweep study.yaml --out study -q',
  ];
  for (const one of commands) expect(await box.run(...words(one)), one).toMatchObject({ code: 0 });
}

interface Ended {
  readonly code: number | null;
  readonly err: string;
}

/** A limit on the size of files: Node sees a failed write, as on a full disk. */
function runOnFullDisk(args: readonly string[]): Promise<Ended> {
  const script = 'ulimit -f 1; exec "$0" "$@"';
  const child = spawn('sh', ['-c', script, process.execPath, command, ...args], { cwd: box.path });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, err })));
}

const old = 'what was there before\n';

describe.runIf(isLinux).each(writers)('$name', ({ name, args, file, force, beside }) => {
  const more = force === false ? [] : ['--force'];
  const makeFolder = (folder: string): void => {
    mkdirSync(join(box.path, folder));
    if (beside) copyFileSync(join(box.path, beside), join(box.path, folder, beside));
  };

  it('keeps the old file and leaves no other where the disk is full', async () => {
    const folder = `full-${name}`;
    makeFolder(folder);
    const out = join(folder, file);
    box.write(out, old);
    const { code, err } = await runOnFullDisk([...args(out), ...more]);
    expect({ code, err }).toMatchObject({ code: 2 });
    expect(err).toContain('the file is larger than the system allows');
    expect(box.read(out)).toBe(old);
    expect(readdirSync(join(box.path, folder)).filter((one) => one.endsWith('.tmp'))).toEqual([]);
  });

  it.skipIf(beside)('rejects a folder that cannot be written', async () => {
    const { code, err } = await box.run(...args(join('/proc/nowhere', file)));
    expect({ code, err }).toMatchObject({ code: 2 });
    expect(err).toMatch(/\/proc\/nowhere.*(cannot|does not exist)/);
  });

  it.runIf(process.env.TENDRIL_LONG)('leaves the old file or the whole new one when it is killed', async () => {
    makeFolder(`killed-${name}`);
    const out = join(`killed-${name}`, file);
    const { code } = await box.run(...args(out));
    expect(code).toBe(0);
    const whole = box.bytes(out).length;
    if (force !== false && !beside) {
      const { code: again, err } = await box.run(...args(out));
      expect({ again, err }).toMatchObject({ again: 2, err: expect.stringContaining('exists') });
    }
    for (let k = 0; k < 6; k++) {
      box.write(out, old);
      const { child, finished } = box.start(...args(out), ...more);
      // within the time that the command takes, start included
      const wait = 250 * (k + 1) * (0.8 + 0.4 * Math.random());
      await new Promise((resolve) => setTimeout(resolve, wait));
      child.kill('SIGKILL');
      await finished;
      const size = box.bytes(out).length;
      if (size === old.length) expect(box.read(out)).toBe(old);
      else expect(Math.abs(size / whole - 1)).toBeLessThan(0.05);
    }
  });
});

describe('a report whose folder has gone', () => {
  it('is saved among the temporary files', async () => {
    const folder = join(box.path, 'gone');
    mkdirSync(folder);
    const { finished } = box.start('report', 'a.yaml', '--models', 'der,helix', '--out', join('gone', 'a.html'));
    await expect.poll(() => readdirSync(folder).length, { timeout: 240_000 }).toBe(1);
    rmSync(folder, { recursive: true });
    const { code, err } = await finished;
    expect({ code, err }).toMatchObject({ code: 2 });
    const [, saved] = /the report is saved as (\S+)/.exec(err) ?? [];
    expect(readFileSync(saved, 'utf8')).toContain('<!doctype html>');
    rmSync(saved);
  });
});
