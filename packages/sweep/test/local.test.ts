/** Studies on this machine, as processes that are killed, interrupted and starved. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOutcomes } from '../src/store/store.ts';
import { type Bench, childrenOf, createBench, rodScene, start, studyOf, tendril, until } from './harness.ts';

interface Dictionary {
  readonly runs: number;
  readonly hash: string;
  readonly counts: Record<string, number>;
  readonly columns: { readonly name: string; readonly unit?: string }[];
}

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.remove());

const count = 300;
const dictionary = (out: string): Dictionary => bench.json(join(out, 'dictionary.json'));
const lines = (out: string): number =>
  existsSync(join(bench.folder, out, 'journal/00000.jsonl'))
    ? readFileSync(join(bench.folder, out, 'journal/00000.jsonl'), 'utf8').split('\n').length - 1
    : 0;
describe('a study', { timeout: 120_000 }, () => {
  let whole: Dictionary;

  it('gives a data set with units, statuses and the right numbers', async () => {
    bench.write('study.yaml', studyOf(count));
    const { code, out } = await tendril(['sweep', 'study.yaml', '--out', 'whole', '--csv'], bench.folder);
    expect(code, out).toBe(0);
    whole = dictionary('whole');
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
    const run = start(['sweep', 'study.yaml', '--out', 'killed', '--workers', '2'], { cwd: bench.folder });
    await until(() => lines('killed') > 20);
    const [first] = childrenOf(run.child.pid as number);
    process.kill(first, 'SIGKILL');
    await until(() => lines('killed') > 80);
    run.child.kill('SIGKILL');
    expect((await run.ended).signal).toBe('SIGKILL');
    const kept = lines('killed');
    expect(kept).toBeLessThan(count);
    // a line that was cut
    appendFileSync(join(bench.folder, 'killed/journal/00000.jsonl'), '{"index":299,"hash":"x');
    const again = await tendril(['sweep', 'study.yaml', '--out', 'killed'], bench.folder);
    expect(again.code, again.err).toBe(0);
    expect(again.err).toContain(`${kept} of them are finished already`);
    expect(dictionary('killed').hash).toBe(whole.hash);
    const hashes: string[] = [];
    for await (const { hash } of readOutcomes(join(bench.folder, 'killed'))) hashes.push(hash);
    expect([hashes.length, new Set(hashes).size]).toEqual([count, count]);
  });

  it('leaves no process behind that goes on with an endless run', async () => {
    bench.write('endless.yaml', rodScene.replace('duration: 20 ms', 'duration: 1000000 s'));
    bench.write('endless-study.yaml', studyOf(1).replace('rod.yaml', 'endless.yaml').replace('statics', 'run'));
    const run = start(['sweep', 'endless-study.yaml', '--out', 'endless'], { cwd: bench.folder });
    await until(() => childrenOf(run.child.pid as number).length > 0);
    const [worker] = childrenOf(run.child.pid as number);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    run.child.kill('SIGKILL');
    const isAlive = (): boolean => {
      try {
        return process.kill(worker, 0);
      } catch {
        return false;
      }
    };
    expect(isAlive()).toBe(true);
    await until(() => !isAlive(), 10);
  });

  it('stops at Ctrl-C with what it has, and makes nothing twice', async () => {
    const run = start(['sweep', 'study.yaml', '--out', 'stopped'], { cwd: bench.folder });
    await until(() => lines('stopped') > 10);
    run.child.kill('SIGINT');
    const { code, out } = await run.ended;
    expect(code).toBe(130);
    expect(out).toContain('the same command goes on from here');
    expect(dictionary('stopped').runs).toBeGreaterThan(10);
    await tendril(['sweep', 'study.yaml', '--out', 'stopped'], bench.folder);
    expect(dictionary('stopped').hash).toBe(whole.hash);
    const { err } = await tendril(['sweep', 'study.yaml', '--out', 'stopped'], bench.folder);
    expect(err).toContain(`${count} of them are finished already`);
  });

  it('in shards and merged is the same', async () => {
    for (const shard of ['1/2', '2/2'])
      expect(
        (await tendril(['sweep', 'study.yaml', '--out', 'sharded', '--shard', shard, '-q'], bench.folder)).code,
      ).toBe(0);
    const { code, out } = await tendril(['sweep', 'merge', 'sharded'], bench.folder);
    expect(code, out).toBe(0);
    expect(out).toContain('2 folders: 300 of 300 runs');
    expect(dictionary('sharded').hash).toBe(whole.hash);
  });

  it('that grows keeps the runs it has', async () => {
    bench.write('growing.yaml', studyOf(5).replace(/range: .*\}/, 'values: [1 GPa, 2 GPa] }'));
    await tendril(['sweep', 'growing.yaml', '-q'], bench.folder);
    bench.write('growing.yaml', studyOf(5).replace(/range: .*\}/, 'values: [3 GPa, 2 GPa, 1 GPa] }'));
    const { err } = await tendril(['sweep', 'growing.yaml'], bench.folder);
    expect(err).toContain('2 of them are finished already');
    expect(dictionary('out/growing-sweep').runs).toBe(3);
  });
});

describe('faults of runs', { timeout: 120_000 }, () => {
  it('become rows that say what happened, and the others are done', async () => {
    // refused: no edges; the coordinator warns of it before anything runs
    bench.write(
      'faults.yaml',
      `sweep: 1\nscene: rod.yaml\ncommand: run\nparameters: [{ path: 'rods[0].edges', name: n, values: [10, 0, 12] }]\nquantities: { tip: { of: probe.tip.z, over: min }, steps: steps.count }\n`,
    );
    const { code, err } = await tendril(['sweep', 'faults.yaml', '--csv'], bench.folder);
    expect(code).toBe(3);
    expect(err).toContain('run 1 will be refused');
    const table = bench.read('out/faults-sweep/results.csv');
    expect(table).toMatch(/^0,,10,0\.02,-0\.00\d+,20,done/m);
    expect(table).toMatch(/^1,,0,,,,refused,".*whole number of at least 2/m);
    expect(dictionary('out/faults-sweep').counts).toEqual({ done: 2, refused: 1 });
  });

  it('of time and memory are killed and reported', async () => {
    bench.write(
      'slow.yaml',
      studyOf(2, 'limits: { time: 1 s }')
        .replace('command: statics', 'command: run')
        .replace(
          "'rods[0].material.E', name: E, range: { from: 1 GPa, to: 10 GPa, count: 2, scale: log }",
          "'time.duration', name: E, values: [5 ms, 1e6]",
        ),
    );
    const slow = await tendril(['sweep', 'slow.yaml'], bench.folder);
    expect(slow.err).toContain('run 1 timeout: the run took longer than 1 s and was killed');
    expect(dictionary('out/slow-sweep').counts).toEqual({ done: 1, timeout: 1 });
    bench.write(
      'large.yaml',
      studyOf(2, 'limits: { memory: 200 MB }').replace(
        "'rods[0].material.E', name: E, range: { from: 1 GPa, to: 10 GPa, count: 2, scale: log }",
        "'rods[0].edges', name: E, values: [10, 1000000]",
      ),
    );
    const large = await tendril(['sweep', 'large.yaml'], bench.folder);
    expect(large.err).toContain('run 1 out-of-memory: the run needed more than 200 MB');
    expect(dictionary('out/large-sweep').counts).toEqual({ done: 1, 'out-of-memory': 1 });
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
    const { code } = await tendril(['sweep', 'diverge.yaml', '--csv'], bench.folder);
    expect(code).toBe(3);
    expect(bench.read('out/diverge-sweep/results.csv')).toMatch(/^1,,"\[0,0,-10000\]",,,failed,/m);
  });

  it('of a full disk stop the study with a message, and nothing is lost', async () => {
    const disk = join(bench.folder, 'disk');
    mkdirSync(disk);
    let mounted = false;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
      mounted = true;
    } catch {
      // without the right to mount, a limit on the size of files does the same
    }
    try {
      const { child, ended } = start(['sweep', 'study.yaml', '--out', 'disk/full', '-q'], {
        cwd: bench.folder,
        ...(!mounted && { shell: 'ulimit -f 24;' }),
      });
      void child;
      const { code, err } = await ended;
      expect(code, err).toBe(2);
      expect(err).toMatch(/the disk is full|larger than|EFBIG|File too large/);
      const kept: string[] = [];
      for await (const { hash } of readOutcomes(join(disk, 'full'))) kept.push(hash);
      expect(kept.length).toBeGreaterThan(10);
      if (mounted) execFileSync('mount', ['-o', 'remount,size=4m', disk]);
      const again = await tendril(['sweep', 'study.yaml', '--out', 'disk/full'], bench.folder);
      expect(again.code, again.err).toBe(0);
      expect(dictionary('disk/full').hash).toBe(dictionary('whole').hash);
    } finally {
      if (mounted) execFileSync('umount', [disk]);
    }
  });

  it('of a study are found before anything runs', async () => {
    bench.write('wrong.yaml', studyOf(3).replace('probe.tip.z', 'probe.top.z'));
    const { code, err } = await tendril(['sweep', 'wrong.yaml'], bench.folder);
    expect(code).toBe(2);
    expect(err).toContain("the scene has no probe 'top'; it has tip");
    bench.write('typo.yaml', studyOf(3).replace('material.E', 'material.Y'));
    expect((await tendril(['sweep', 'typo.yaml'], bench.folder)).err).toContain("unknown field 'Y'");
  });
});
