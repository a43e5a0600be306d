/**
 * Studies of many runs as their users start them: `tendril sweep` and `tendril worker` in processes of their own, on two cores. Seconds are per
 * run, with the start of the program and of its workers. The queue needs redis-server or valkey-server. See docs/sweep.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWorld } from '@tendril-sim/core';
import { parseScene } from '@tendril-sim/io';
import { time } from './measure.ts';
import type { Row } from './rows.ts';

const program = fileURLToPath(new URL('../../packages/cli/bin/tendril.mjs', import.meta.url));
const servers = ['/usr/bin/redis-server', '/usr/bin/valkey-server', '/usr/local/bin/redis-server'];

const rod = (edges: number): string => `tendril: 1
gravity: [0, 0, -9.81]
rods:
  - id: rod
    shape: { type: straight, from: [0, 0, 0], to: [20 cm, 0, 0] }
    edges: ${edges}
    section: { type: circle, radius: 1 mm }
    material: { E: 3 GPa, nu: 0.35, density: 1.3 g/cm^3 }
pins: [{ rod: rod, at: start }]
time: { duration: 50 ms, step: 1 ms }
output: { probes: [{ name: tip, rod: rod, at: end }] }
`;

/** Runs over Young's modulus. */
const study = (command: string, count: number): string => `sweep: 1
scene: rod.yaml
command: ${command}
parameters: [{ path: 'rods[0].material.E', name: E, range: { from: 0.1 GPa, to: 10 GPa, count: ${count}, scale: log } }]
quantities: { tip: probe.tip.z, bending: { of: energy.bending, unit: J } }
`;

interface Measured {
  /** From the start of the process to its end. */
  readonly seconds: number;
  /** From the first worker process to the last run, as `--json` says. */
  readonly running: number;
  /** Largest sum of resident memory of the process and its workers [bytes], and of the process alone. */
  readonly memory: number;
  readonly own: number;
  /** Computing time of all of them [s]: on a machine with other work, what says most. */
  readonly cpu: number;
}

interface Resources {
  /** Resident memory of a process [bytes], and with its children. */
  readonly own: number;
  readonly all: number;
  /** Computing time of both [s]. */
  readonly cpu: number;
}

/** Linux alone; elsewhere zero. */
function resourcesOf(pid: number): Resources {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
    // fields 14 and 15, in hundredths of a second; the name before them may hold spaces
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    const cpu = (Number(fields[11]) + Number(fields[12])) / 100;
    // a child belongs to the thread that started it
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(/\s+/).filter(Boolean),
    );
    const below = children.map((child) => resourcesOf(Number(child)));
    return {
      own,
      all: below.reduce((sum, { all }) => sum + all, own),
      cpu: below.reduce((sum, child) => sum + child.cpu, cpu),
    };
  } catch {
    return { own: 0, all: 0, cpu: 0 };
  }
}

interface Setting {
  readonly edges: number;
  readonly command: string;
  readonly count: number;
  readonly options: readonly string[];
}

/** Runs a study in a folder of its own. */
async function measure({ edges, command, count, options }: Setting): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'tendril-bench-'));
  writeFileSync(join(folder, 'rod.yaml'), rod(edges));
  writeFileSync(join(folder, 'study.yaml'), study(command, count));
  const start = performance.now();
  const child = spawn(process.execPath, [program, 'sweep', 'study.yaml', '--json', '-q', ...options], { cwd: folder });
  let [memory, own, cpu] = [0, 0, 0];
  const watch = setInterval(() => {
    const used = resourcesOf(child.pid ?? 0);
    memory = Math.max(memory, used.all);
    own = Math.max(own, used.own);
    cpu = Math.max(cpu, used.cpu);
  }, 100);
  let [printed, problem] = ['', ''];
  child.stdout.on('data', (text: Buffer) => {
    printed += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    problem += text.toString();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const seconds = (performance.now() - start) / 1000;
  clearInterval(watch);
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the study ended with code ${code}: ${problem}`);
  const { wallSeconds, counts } = JSON.parse(printed) as { wallSeconds: number; counts: { done?: number } };
  if (counts.done !== count) throw new Error(`${counts.done} of ${count} runs are done`);
  return { seconds, running: wallSeconds, memory, own, cpu };
}

const row = (name: string, seconds: number, note: string): Row => ({
  name,
  nodes: 51,
  timing: { seconds, spread: 0 },
  iterations: 0,
  note,
});

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

async function staticsRow(name: string): Promise<Row> {
  const count = 10_000;
  const found = await measure({ edges: 50, command: 'statics', count, options: ['--workers', '2'] });
  const note = `${count} statics of 50 edges by two workers: ${found.seconds.toFixed(1)} s in all, ${found.cpu.toFixed(1)} s of computing time; wanted: 30 s`;
  return row(name, found.seconds / count, note);
}

/** Wall time per run of a study with one worker, less that of the bare simulation in a loop. */
async function overheadRow(name: string): Promise<Row> {
  const count = 2000;
  const { scene } = parseScene(rod(50), 'rod.yaml');
  const bare = time(() => void createWorld(scene).equilibrate()).seconds;
  const found = await measure({ edges: 50, command: 'statics', count, options: ['--workers', '1'] });
  const overhead = found.seconds / count - bare;
  const milli = (seconds: number): string => `${(1000 * seconds).toFixed(2)} ms`;
  return row(name, overhead, `${milli(overhead)} per run beyond the simulation (${milli(bare)}); wanted: 5 ms`);
}

/** One and two workers in turn; what two lone processes reach with the same simulations says what the machine can give. */
async function scalingRow(name: string): Promise<Row> {
  // long enough that starting and compiling, which every worker does for itself, is a few per cent
  const count = 3000;
  const rounds = 2;
  const best = { one: Number.POSITIVE_INFINITY, two: Number.POSITIVE_INFINITY };
  const run = (workers: number): Promise<Measured> =>
    measure({ edges: 50, command: 'run', count, options: ['--workers', String(workers)] });
  for (let k = 0; k < rounds; k++) {
    best.one = Math.min(best.one, (await run(1)).running);
    best.two = Math.min(best.two, (await run(2)).running);
  }
  const lone = { one: Number.POSITIVE_INFINITY, two: Number.POSITIVE_INFINITY };
  for (let k = 0; k < rounds; k++) {
    lone.one = Math.min(lone.one, await busy(1));
    lone.two = Math.min(lone.two, await busy(2));
  }
  const note = `two workers ${(best.one / best.two).toFixed(2)} times one, ${count} runs of 50 steps; wanted: 1.9; two lone processes with the same simulations on this machine: ${((2 * lone.one) / lone.two).toFixed(2)}`;
  return row(name, best.two / count, note);
}

/**
 * Seconds that `count` lone processes need for the simulations of a worker each, at once. Hardware threads of one core share its units, so that
 * two such processes may be far from twice as fast as one.
 */
async function busy(count: number): Promise<number> {
  const [core, io] = ['core', 'io'].map(
    (name) => new URL(`../../packages/${name}/dist/index.js`, import.meta.url).href,
  );
  const work = `import { createWorld } from '${core}';
import { parseScene } from '${io}';
const { scene } = parseScene(${JSON.stringify(rod(50))}, 'rod.yaml');
const start = performance.now();
for (let run = 0; run < 300; run++) {
  const world = createWorld(scene);
  for (let k = 0; k < 50; k++) world.step();
}
console.log(performance.now() - start);`;
  const all = Array.from(
    { length: count },
    () =>
      new Promise<number>((resolve) => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', work]);
        let text = '';
        child.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        child.on('close', () => resolve(Number.parseFloat(text) / 1000));
      }),
  );
  return Math.max(...(await Promise.all(all)));
}

async function memoryRow(name: string): Promise<Row> {
  const count = 100_000;
  const found = await measure({ edges: 2, command: 'validate', count, options: ['--workers', '2'] });
  const note = `${count} runs: ${megabytes(found.memory)} with both workers, ${megabytes(found.own)} without; wanted: 500 MB`;
  return row(name, found.seconds / count, note);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function queueRow(name: string): Promise<Row> {
  const server = servers.find((path) => existsSync(path));
  if (server === undefined)
    throw new Error('install redis-server or valkey-server (Debian: apt-get install redis-server)');
  const count = 10_000;
  const folder = mkdtempSync(join(tmpdir(), 'tendril-bench-redis-'));
  const port = await freePort();
  const url = `redis://:benchmark@127.0.0.1:${port}`;
  const started: ChildProcess[] = [];
  try {
    const options = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--requirepass',
      'benchmark',
      '--appendonly',
      'yes',
    ];
    started.push(spawn(server, [...options, '--dir', folder, '--save', ''], { stdio: 'ignore' }));
    await new Promise((resolve) => setTimeout(resolve, 500));
    started.push(
      spawn(process.execPath, [program, 'worker', '-q', '--workers', '2', '--queue', url], { stdio: 'ignore' }),
    );
    const found = await measure({ edges: 2, command: 'validate', count, options: ['--queue', url] });
    const note = `${Math.round(count / found.running)} empty runs per second through Redis on loopback, append-only file on; wanted: 500`;
    return row(name, found.running / count, note);
  } finally {
    for (const child of started.reverse()) child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 500));
    rmSync(folder, { recursive: true, force: true });
  }
}

export const sweepRows: Readonly<Record<string, () => Promise<Row>>> = {
  'sweep-statics-10000': () => staticsRow('sweep-statics-10000'),
  'sweep-overhead': () => overheadRow('sweep-overhead'),
  'sweep-two-workers': () => scalingRow('sweep-two-workers'),
  'sweep-queue-10000': () => queueRow('sweep-queue-10000'),
  'sweep-memory-100000': () => memoryRow('sweep-memory-100000'),
};
