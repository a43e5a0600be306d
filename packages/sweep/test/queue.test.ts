/** Studies through Redis: nothing is lost and each run counts once, whatever is killed; faults of the queue have clear messages. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis, keys } from '../src/queue/connection.ts';
import { formatMetrics, lookAtQueue } from '../src/queue/status.ts';
import { runWorker } from '../src/queue/worker.ts';
import { readOutcomes } from '../src/store/store.ts';
import { type Bench, childrenOf, createBench, type Running, start, studyOf, tendril, until } from './harness.ts';
import { createRedis, type TestRedis } from './redis.ts';

interface Dictionary {
  readonly runs: number;
  readonly hash: string;
  readonly counts: Record<string, number>;
}

let bench: Bench;
let redis: TestRedis;
const running: Running[] = [];

beforeAll(async () => {
  bench = createBench();
  redis = await createRedis();
  await redis.start();
}, 30_000);
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await redis.remove();
  bench.remove();
});

const launch = (...args: string[]): Running => {
  const one = start(args, { cwd: bench.folder, env: { TENDRIL_QUEUE: redis.url } });
  running.push(one);
  return one;
};
const dictionary = (out: string): Dictionary => bench.json(join(out, 'dictionary.json'));
const finished = (out: string): number => {
  const journal = join(bench.folder, out, 'journal/00000.jsonl');
  return existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0;
};
const statusOf = async () => {
  const client = await connectRedis(redis.url);
  try {
    return await lookAtQueue(client, '0.1.0');
  } finally {
    client.disconnect();
  }
};

describe('a study through a queue', { timeout: 180_000 }, () => {
  const count = 1000;

  it('ends complete and equal to an undisturbed one after kill -9 of a worker, of the coordinator and of Redis', async () => {
    bench.write('study.yaml', studyOf(count));
    const [first] = [launch('worker', '-q', '--workers', '1'), launch('worker', '-q', '--workers', '1')];
    const coordinator = launch('sweep', 'study.yaml', '--out', 'queued');
    await until(() => finished('queued') > 100, 60);
    first.child.kill('SIGKILL');
    await until(() => finished('queued') > 250, 60);
    coordinator.child.kill('SIGKILL');
    await coordinator.ended;
    const again = launch('sweep', 'study.yaml', '--out', 'queued');
    await until(() => finished('queued') > 450, 60);
    await redis.kill();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await redis.start();
    const { code, err } = await again.ended;
    expect(code, err).toBe(0);
    const undisturbed = await tendril(['sweep', 'study.yaml', '--out', 'local', '-q'], bench.folder);
    expect(undisturbed.code).toBe(0);
    expect(dictionary('queued').hash).toBe(dictionary('local').hash);
    const hashes: string[] = [];
    for await (const { hash } of readOutcomes(join(bench.folder, 'queued'))) hashes.push(hash);
    expect([hashes.length, new Set(hashes).size]).toEqual([count, count]);
  });

  it('is seen from anywhere, and as metrics', async () => {
    const { out } = await tendril(['sweep', 'queue', '--queue', redis.url], bench.folder);
    expect(out).toMatch(/study +complete +1000 +1000 +0 +0\.1\.0/);
    expect(out).toContain('0 waiting, 0 active');
    const studio = launch('studio', '--no-open', '--queue', redis.url);
    let printed = '';
    studio.child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await until(() => printed.includes('/metrics'), 30);
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '';
    expect(await (await fetch(`${address}/status`)).text()).toMatch(
      /<td[^>]*>study<\/td><td[^>]*>complete<\/td><td>1000<\/td>/,
    );
    expect(await (await fetch(`${address}/metrics`)).text()).toContain('tendril_study_runs_done');
    const metrics = formatMetrics(await statusOf());
    expect(metrics).toMatch(/^tendril_study_runs_done\{study="[0-9a-f]{16}",title="study"\} 1000$/m);
    expect(metrics).toMatch(/^tendril_worker_runs_total\{host="[^"]+",pid="\d+",version="0\.1\.0"\} [1-9]\d*$/m);
  });

  it('is paused, resumed and drained', async () => {
    const act = (action: string): Promise<{ code: number | null }> =>
      tendril(['sweep', 'queue', action, '--queue', redis.url], bench.folder);
    expect((await act('pause')).code).toBe(0);
    bench.write('paused.yaml', studyOf(50));
    const run = launch('sweep', 'paused.yaml', '--out', 'paused');
    await until(() => existsSync(join(bench.folder, 'paused/study.json')));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await statusOf()).paused).toBe(true);
    expect(finished('paused')).toBe(0);
    await act('drain');
    const { code, err } = await run.ended;
    expect(code).toBe(130);
    expect(err).toContain('the queue was drained');
    await act('resume');
    expect((await launch('sweep', 'paused.yaml', '--out', 'paused').ended).code).toBe(0);
    expect(dictionary('paused').runs).toBe(50);
  });

  it('sets a run aside whose process dies three times, and makes the others', async () => {
    bench.write(
      'poison.yaml',
      studyOf(2)
        .replace('command: statics', 'command: run')
        .replace(/'rods\[0\].material.E', name: E, range: .* \}/, "'time.duration', name: E, values: [5 ms, 1e6] }"),
    );
    for (const { child } of running) child.kill('SIGKILL');
    const worker = launch('worker', '-q', '--workers', '1');
    const run = launch('sweep', 'poison.yaml', '--out', 'poison');
    await until(() => finished('poison') === 1, 60);
    for (let k = 0; k < 3; k++) {
      // the process that computes the endless run
      await until(() => childrenOf(worker.child.pid as number).length > 0, 20);
      await new Promise((resolve) => setTimeout(resolve, 700));
      for (const pid of childrenOf(worker.child.pid as number)) process.kill(pid, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** k + 300));
    }
    const { code, err } = await run.ended;
    expect(code).toBe(3);
    expect(err).toContain('run 1 crashed: set aside after 3 tries: the worker process was killed by SIGKILL');
    expect(dictionary('poison').counts).toEqual({ done: 1, crashed: 1 });
  });

  it('says when versions differ, and loses nothing', async () => {
    const said: string[] = [];
    bench.write('skew.yaml', studyOf(30));
    for (const { child } of running) child.kill('SIGKILL');
    const client = await connectRedis(redis.url);
    await client.del(keys.workers);
    let isOver = false;
    const other = runWorker({
      url: redis.url,
      version: '9.9.9',
      processes: 1,
      isInterrupted: () => isOver,
      say: (text) => said.push(text),
    });
    const run = launch('sweep', 'skew.yaml', '--out', 'skew');
    await until(() => said.some((text) => text.includes('skew')), 30);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect(said).toContain("study 'skew' needs version 0.1.0; this worker has 9.9.9 and does not take its runs");
    expect(finished('skew')).toBe(0);
    isOver = true;
    expect(await other).toBe(0);
    launch('worker', '-q', '--workers', '1');
    const { code, err } = await run.ended;
    expect(err).toContain('no worker of version 0.1.0 is connected, only of 9.9.9');
    expect(code).toBe(0);
    expect(dictionary('skew').runs).toBe(30);
    client.disconnect();
  });

  it('says when Redis refuses or is not there, without the password', async () => {
    const wrong = await tendril(
      ['sweep', 'study.yaml', '--out', 'wrong', '--queue', `redis://:secret@127.0.0.1:${redis.port}`],
      bench.folder,
    );
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain(`redis://127.0.0.1:${redis.port}: Redis refuses the user or password`);
    const none = await tendril(['worker', '--queue', `redis://127.0.0.1:${redis.port}`], bench.folder);
    expect(none.err).toContain('Redis refuses the user or password');
    const away = await tendril(['worker', '--queue', 'redis://:secret@127.0.0.1:1'], bench.folder);
    expect(away.code).toBe(2);
    expect(away.err).toMatch(/redis:\/\/127\.0\.0\.1:1: Redis cannot be reached \(.*ECONNREFUSED/);
    expect(wrong.err + none.err + away.err).not.toContain('secret');
  });
});
