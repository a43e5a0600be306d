/** Studies on this machine, as processes that are killed, interrupted and starved. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SweepOptions, sweep } from '../../cli/src/commands/sweep.ts';
import { merge } from '../../cli/src/commands/sweepMerge.ts';
import { checkFirstRun } from '../../cli/src/sweep/check.ts';
import type { Terminal } from '../../cli/src/terminal.ts';
import { version } from '../../cli/src/version.ts';
import { createPool, type Pool } from '../src/pool/pool.ts';
import type { Outcome } from '../src/run/execute.ts';
import { readOutcomes } from '../src/store/store.ts';
import { readStudy } from '../src/study/plan.ts';
import {
  type Bench,
  childrenOf,
  countFinished,
  createBench,
  isAlive,
  type Running,
  rodScene,
  runStudy,
  start,
  studyOf,
  until,
} from './harness.ts';

interface Dictionary {
  readonly runs: number;
  readonly hash: string;
  readonly counts: Record<string, number>;
  readonly columns: { readonly name: string; readonly unit?: string }[];
}

let bench: Bench;
let pool: Pool;
const running: Running[] = [];
const launch = (...args: string[]): Running => {
  const one = start(args, { cwd: bench.folder });
  running.push(one);
  return one;
};
beforeAll(() => {
  bench = createBench();
  pool = createPool(2);
});
afterAll(() => {
  // of a test that failed
  for (const { child } of running) child.kill('SIGKILL');
  pool.close();
  bench.remove();
});

/** Enough that a study is killed in the middle of it. */
const count = 120;

async function readAll(folder: string): Promise<Outcome[]> {
  const found: Outcome[] = [];
  for await (const outcome of readOutcomes(folder)) found.push(outcome);
  return found;
}

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command in this process: for what it prints and returns. Faults of the command's own process need one. */
async function inProcess(command: (terminal: Terminal) => Promise<number>): Promise<Said> {
  let [out, err] = ['', ''];
  const code = await command({
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    live: false,
    columns: 80,
  });
  return { code, out, err };
}
const sweepHere = (file: string, out: string, options: SweepOptions = {}): Promise<Said> =>
  inProcess((terminal) => sweep(bench.at(file), { out: bench.at(out), workers: 1, ...options }, terminal));
/** In place of the range of Young's modulus. */
const over = (study: string, parameter: string): string => study.replace(/\{ path: .* \}/, `{ ${parameter} }`);

describe('a study', () => {
  let whole: Dictionary;

  it('gives a data set with units, statuses and the right numbers', async () => {
    bench.write('study.yaml', studyOf(count));
    const { code, out } = await sweepHere('study.yaml', 'whole', { csv: true });
    expect(code, out).toBe(0);
    whole = bench.json('whole/dictionary.json');
    expect(whole.counts).toEqual({ done: count });
    expect(whole.columns.find(({ name }) => name === 'E')?.unit).toBe('Pa');
    const [head, first] = bench.read('whole/results.csv').split('\n');
    const cell = (name: string): string => first.split(',')[head.split(',').indexOf(name)];
    // small deflection: w L⁴ / (8 EI), within the error of ten edges and of linear theory
    const [w, inertia] = [1300 * 9.81 * Math.PI * 1e-6, (Math.PI * 1e-12) / 4];
    expect(Number(cell('tip')) / (-(w * 0.2 ** 4) / (8 * 1e9 * inertia))).toBeCloseTo(1, 1);
    expect(cell('E')).toBe('1000000000');
    expect(cell('status')).toBe('done');
  });

  it('survives kill -9 of a worker and of the coordinator, each run once, the same data', async () => {
    const out = bench.at('killed');
    const run = launch('sweep', 'study.yaml', '--out', 'killed', '--workers', '2');
    await until(() => countFinished(out) > 20);
    process.kill(childrenOf(run.child.pid as number)[0], 'SIGKILL');
    await until(() => countFinished(out) > 40);
    run.child.kill('SIGKILL');
    expect((await run.ended).signal).toBe('SIGKILL');
    const kept = countFinished(out);
    expect(kept).toBeLessThan(count);
    // a line that was cut
    appendFileSync(`${out}/journal/00000.jsonl`, '{"index":119,"hash":"x');
    const again = await runStudy(bench.at('study.yaml'), out, { pool });
    expect([again.end, again.before, again.hash]).toEqual(['complete', kept, whole.hash]);
    const hashes = again.outcomes.map(({ hash }) => hash);
    expect([hashes.length, new Set(hashes).size]).toEqual([count, count]);
  });

  it('leaves no process behind that goes on with an endless run', async () => {
    bench.write(
      'endless.yaml',
      over(studyOf(1), 'path: time.duration, name: T, values: [1 ms, 1000000 s]').replace('statics', 'run'),
    );
    const run = launch('sweep', 'endless.yaml', '--out', 'endless', '--workers', '1');
    // then the worker is in the second run
    await until(() => countFinished(bench.at('endless')) === 1);
    const [worker] = childrenOf(run.child.pid as number);
    run.child.kill('SIGKILL');
    await run.ended;
    expect(isAlive(worker)).toBe(true);
    await until(() => !isAlive(worker));
  });

  it('stops at Ctrl-C with what it has, and makes nothing twice', async () => {
    const run = launch('sweep', 'study.yaml', '--out', 'stopped');
    await until(() => countFinished(bench.at('stopped')) > 10);
    run.child.kill('SIGINT');
    const { code, out } = await run.ended;
    expect(code).toBe(130);
    expect(out).toContain('the same command resumes the study');
    const { runs } = bench.json<Dictionary>('stopped/dictionary.json');
    expect(runs).toBeGreaterThan(10);
    expect(runs).toBeLessThan(count);
    const { err } = await sweepHere('study.yaml', 'stopped');
    expect(err).toContain(`${runs} of them are finished already`);
    expect(bench.json<Dictionary>('stopped/dictionary.json').hash).toBe(whole.hash);
  });

  it('in shards and merged is the same', async () => {
    for (const number of [1, 2]) {
      const shard = await runStudy(bench.at('study.yaml'), bench.at(`sharded/shards/${number}-of-2`), {
        pool,
        shard: { number, of: 2 },
      });
      expect(shard.runs).toBe(count / 2);
    }
    const { code, out } = await inProcess((terminal) => merge([bench.at('sharded')], {}, terminal));
    expect(code, out).toBe(0);
    expect(out).toContain(`2 folders: ${count} of ${count} runs`);
    expect(bench.json<Dictionary>('sharded/dictionary.json').hash).toBe(whole.hash);
  });

  it('that grows keeps the runs it has', async () => {
    bench.write('growing.yaml', studyOf(5).replace(/range: .*\}/, 'values: [1 GPa, 2 GPa] }'));
    await runStudy(bench.at('growing.yaml'), bench.at('grown'), { pool });
    bench.write('growing.yaml', studyOf(5).replace(/range: .*\}/, 'values: [3 GPa, 2 GPa, 1 GPa] }'));
    const { before, runs } = await runStudy(bench.at('growing.yaml'), bench.at('grown'), { pool });
    expect([before, runs]).toEqual([2, 3]);
    // killed after the folder was emptied: the runs that it had are in a file
    const kept = (await readAll(bench.at('grown'))).map((outcome) => JSON.stringify(outcome)).join('\n');
    bench.write('grown/kept.jsonl', `${kept}\n`);
    for (const name of ['journal', 'data']) rmSync(bench.at(`grown/${name}`), { recursive: true });
    bench.write('growing.yaml', studyOf(5).replace(/range: .*\}/, 'values: [3 GPa, 2 GPa, 1 GPa, 4 GPa] }'));
    const again = await runStudy(bench.at('growing.yaml'), bench.at('grown'), { pool });
    expect([again.before, again.runs]).toEqual([3, 4]);
    expect(existsSync(bench.at('grown/kept.jsonl'))).toBe(false);
  });
});

describe('faults of runs', () => {
  it('become rows that say what happened, and the others are done', async () => {
    // refused: no edges; the coordinator warns of it before anything runs
    bench.write(
      'faults.yaml',
      `sweep: 1\nscene: rod.yaml\ncommand: run\nparameters: [{ path: 'rods[0].edges', name: n, values: [10, 0, 12] }]\nquantities: { tip: { of: probe.tip.z, over: min }, steps: steps.count }\n`,
    );
    const { code, err } = await sweepHere('faults.yaml', 'faults', { csv: true });
    expect(code).toBe(3);
    expect(err).toContain('run 1 is invalid');
    const table = bench.read('faults/results.csv');
    expect(table).toMatch(/^0,,10,0\.02,-0\.00\d+,20,done/m);
    expect(table).toMatch(/^1,,0,,,,refused,".*whole number of at least 2/m);
    expect(bench.json<Dictionary>('faults/dictionary.json').counts).toEqual({ done: 2, refused: 1 });
  });

  it('of time and memory are killed and reported', async () => {
    bench.write(
      'slow.yaml',
      over(studyOf(2, 'limits: { time: 0.5 s }'), 'path: time.duration, name: T, values: [5 ms, 1e6]').replace(
        'statics',
        'run',
      ),
    );
    const slow = await runStudy(bench.at('slow.yaml'), bench.at('slow'), { pool });
    expect(slow.counts).toEqual({ done: 1, timeout: 1 });
    expect(slow.outcomes[1].message).toContain('the run took longer than 0.5 s and was killed');
    // longer than a timer of Node can wait
    bench.write('patient.yaml', studyOf(1, 'limits: { time: 1000 h }'));
    expect((await runStudy(bench.at('patient.yaml'), bench.at('patient'), { pool })).counts).toEqual({ done: 1 });
    bench.write(
      'large.yaml',
      over(studyOf(2, 'limits: { memory: 200 MB }'), "path: 'rods[0].edges', name: n, values: [10, 1000000]"),
    );
    const large = await runStudy(bench.at('large.yaml'), bench.at('large'), { pool });
    expect(large.counts).toEqual({ done: 1, 'out-of-memory': 1 });
    expect(large.outcomes[1].message).toContain('the run needed more than 200 MB');
    // less than Node itself takes, though its heap is small: resident memory counts too
    const study = await readStudy(bench.at('slow.yaml'), version);
    const plan = { ...study.plan, limits: { memory: 70e6, time: 20 } };
    expect((await pool.execute(plan, study.spec(1))).status).toBe('out-of-memory');
  });

  it('of a scene that diverges leave no numbers', async () => {
    bench.write(
      'wild.yaml',
      rodScene.replace('time: {', 'solver: { der: { iterations: 1, tolerance: 1e-14 } }\ntime: { halvings: 0, '),
    );
    bench.write(
      'diverge.yaml',
      `sweep: 1\nscene: wild.yaml\ncommand: run\nparameters: [{ path: gravity, name: g, values: [[0, 0, 0], [0, 0, -1e4]] }]\nquantities: { tip: probe.tip.z }\n`,
    );
    const { outcomes } = await runStudy(bench.at('diverge.yaml'), bench.at('diverge'), { pool });
    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'failed']);
    expect(outcomes[1].rows).toEqual([{ time: null, cells: [null] }]);
    expect(outcomes[1].message).not.toBe('');
  });

  it('of a full disk stop the study with a message, and nothing is lost', async () => {
    const disk = bench.at('disk');
    mkdirSync(disk);
    let mounted = false;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', disk], { stdio: 'ignore' });
      mounted = true;
    } catch {
      // without the right to mount, a limit on the size of files does the same
    }
    try {
      const { code, err } = await start(['sweep', 'study.yaml', '--out', 'disk/full', '-q'], {
        cwd: bench.folder,
        ...(!mounted && { shell: 'ulimit -f 24;' }),
      }).ended;
      expect(code, err).toBe(2);
      expect(err).toMatch(/the disk is full|larger than|EFBIG|File too large/);
      const kept = await readAll(`${disk}/full`);
      expect(kept.length).toBeGreaterThan(10);
      if (mounted) execFileSync('mount', ['-o', 'remount,size=4m', disk]);
      const again = await runStudy(bench.at('study.yaml'), `${disk}/full`, { pool });
      expect([again.before, again.hash]).toEqual([kept.length, bench.json<Dictionary>('whole/dictionary.json').hash]);
    } finally {
      if (mounted) execFileSync('umount', [disk]);
    }
  });

  it('of a study are found before anything runs', async () => {
    bench.write('wrong.yaml', studyOf(3).replace('probe.tip.z', 'probe.top.z'));
    const problem = (from: string, to: string): Promise<string> => {
      bench.write('wrong.yaml', studyOf(3).replace(from, to));
      return readStudy(bench.at('wrong.yaml'), version)
        .then(checkFirstRun)
        .then(String, ({ message }: Error) => message.replace(bench.at(''), ''));
    };
    expect(await problem('probe.tip.z', 'probe.top.z')).toContain(
      "wrong.yaml:6:20 quantities.tip: 'probe.top.z': there is no 'top' in 'probe'; did you mean 'tip'?",
    );
    expect(await problem('probe.tip.z', 'steps.count')).toContain("there is no 'steps'");
    expect(await problem('probe.tip.z', 'energie.bending')).toContain("did you mean 'energy'?");
    const misspelled = await problem('probe.tip.z', 'rod.rod.stretchMx');
    expect(misspelled).toContain("did you mean 'stretchMax'?");
    const unknown = await problem('probe.tip.z', 'rod.rod.colour');
    expect(unknown).toContain("'stretchMax'");
    // the former name is read, not recommended
    expect(unknown).not.toContain('maxStretch');
    expect(await problem('material.E', 'material.Y')).toContain(
      "wrong.yaml:5:13 parameters[0].path: rods[0].material.Y: unknown field 'Y'",
    );
    // in SI both would be numbers
    expect(await problem('from: 1 GPa, to: 10 GPa', 'from: 1 s, to: 10 s')).toContain(
      'wrong.yaml:5:5 parameters[0]: rods[0].material.E: expected a pressure such as "3 GPa"',
    );
    expect(await problem('rod.yaml', 'rod.yaml')).toBe('');
  });
});
