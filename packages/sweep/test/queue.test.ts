/** Studies through Redis: nothing is lost and each run counts once, whatever is killed; faults of the queue have clear messages. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueCommand } from '../../cli/src/commands/sweepQueue.ts';
import { version } from '../../cli/src/version.ts';
import { connectRedis, keys, loadBullmq, openQueue, queueName, queuePrefix } from '../src/queue/connection.ts';
import { type QueueOptions, runThroughQueue } from '../src/queue/coordinator.ts';
import { formatMetrics, type QueueStatus, readQueueStatus } from '../src/queue/status.ts';
import { runWorker, type WorkerOptions } from '../src/queue/worker.ts';
import {
  type Bench,
  countFinished,
  createBench,
  type Finished,
  type Running,
  runStudy,
  type StudyOptions,
  start,
  studyOf,
  tendril,
  until,
  workersOf,
} from './harness.ts';
import { createRedis, makeCertificates, type TestRedis } from './redis.ts';

let bench: Bench;
let redis: TestRedis;
const running: Running[] = [];

beforeAll(async () => {
  bench = createBench();
  redis = await createRedis();
  await redis.start();
});
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
const finished = (out: string): number => countFinished(bench.at(out));
const statusOf = async (): Promise<QueueStatus> => {
  const client = await connectRedis(redis.url);
  try {
    return await readQueueStatus(client, version);
  } finally {
    client.disconnect();
  }
};
/** A worker in this process. */
function work(options: Partial<WorkerOptions> = {}): { stop(): Promise<number> } {
  let isOver = false;
  const done = runWorker({ url: redis.url, version, processes: 1, isInterrupted: () => isOver, ...options });
  return {
    stop: () => {
      isOver = true;
      return done;
    },
  };
}
/** A coordinator in this process, in a hurry. */
const coordinate = (
  name: string,
  options: Partial<QueueOptions> = {},
  more: Pick<StudyOptions, 'retryFailed'> = {},
): Promise<Finished> =>
  runStudy(bench.at(`${name}.yaml`), bench.at(name), {
    ...more,
    run: (study, runs, store) =>
      runThroughQueue(study, runs, store, {
        url: redis.url,
        priority: study.priority,
        patience: 500,
        backoff: 50,
        ...options,
      }),
  });
const act = async (action: string): Promise<string> => {
  let text = '';
  const out = (more: string): void => {
    text += more;
  };
  const terminal = { out, err: () => {}, live: false, columns: 80 };
  expect(await queueCommand(action, { queue: redis.url }, terminal)).toBe(0);
  return text;
};

describe('a study through a queue', () => {
  const count = 200;

  it('ends complete and equal to an undisturbed one after kill -9 of a worker, of the coordinator and of Redis', async () => {
    bench.write('study.yaml', studyOf(count));
    const worker = ['worker', '-q', '--workers', '1', '--takeover', '2'];
    const [first] = [launch(...worker), launch(...worker)];
    const coordinator = launch('sweep', 'study.yaml', '--out', 'queued');
    await until(() => finished('queued') > 25);
    first.child.kill('SIGKILL');
    await until(() => finished('queued') > 60);
    coordinator.child.kill('SIGKILL');
    await coordinator.ended;
    const again = launch('sweep', 'study.yaml', '--out', 'queued');
    await until(() => finished('queued') > 100);
    await redis.kill();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await redis.start();
    const { code, err } = await again.ended;
    expect(code, err).toBe(0);
    const undisturbed = await runStudy(bench.at('study.yaml'), bench.at('local'));
    const queued = await runStudy(bench.at('study.yaml'), bench.at('queued'));
    expect([queued.before, queued.hash]).toEqual([count, undisturbed.hash]);
    const hashes = queued.outcomes.map(({ hash }) => hash);
    expect([hashes.length, new Set(hashes).size]).toEqual([count, count]);
  });

  it('is seen from anywhere, and as metrics', async () => {
    const { out } = await tendril(['sweep', 'queue', '--queue', redis.url], bench.folder);
    expect(out).toMatch(new RegExp(`study +complete +${count} +${count} +0 +${version}`));
    expect(out).toContain('0 waiting, 0 active');
    const studio = launch('studio', '--no-open', '--queue', redis.url);
    let printed = '';
    studio.child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await until(() => printed.includes('/metrics'));
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '';
    expect(await (await fetch(`${address}/status`)).text()).toMatch(
      new RegExp(`<td[^>]*>study</td><td[^>]*>complete</td><td>${count}</td>`),
    );
    expect(await (await fetch(`${address}/metrics`)).text()).toContain('tendril_study_runs_done');
    const metrics = formatMetrics(await statusOf());
    expect(metrics).toMatch(
      new RegExp(`^tendril_study_runs_done\\{study="[0-9a-f]{16}",title="study"\\} ${count}$`, 'm'),
    );
    expect(metrics).toMatch(
      new RegExp(`^tendril_worker_runs_total\\{host="[^"]+",pid="\\d+",version="${version}"\\} [1-9]\\d*$`, 'm'),
    );
    for (const { child } of running) child.kill('SIGKILL');
  });

  it('is paused, resumed and drained', async () => {
    const worker = work();
    expect(await act('pause')).toContain('paused');
    bench.write('paused.yaml', studyOf(50));
    const said: string[] = [];
    const run = coordinate('paused', { say: (text) => said.push(text) });
    let status = await statusOf();
    while (Object.values(status.counts).every((waiting) => waiting === 0)) status = await statusOf();
    expect(status.paused).toBe(true);
    // longer than the worker waits for a run
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(finished('paused')).toBe(0);
    await act('drain');
    expect((await run).end).toBe('interrupted');
    expect(said).toContain('the queue was drained');
    await act('resume');
    expect((await coordinate('paused')).runs).toBe(50);
    expect(await worker.stop()).toBe(50);
  });

  it('with a lower number of priority comes first', async () => {
    const order: string[] = [];
    await act('pause');
    const study = (name: string, priority: number): Promise<Finished> => {
      // of different lengths: the same studies would be one
      bench.write(`${name}.yaml`, studyOf(name === 'late' ? 20 : 21, `priority: ${priority}\n`));
      return coordinate(name, { onProgress: () => order.push(name) });
    };
    const both = [study('late', 10), study('urgent', 1)];
    const waiting = async (): Promise<number> => Object.values((await statusOf()).counts).reduce((a, b) => a + b, 0);
    while ((await waiting()) < 41) await new Promise((resolve) => setTimeout(resolve, 20));
    const client = await connectRedis(redis.url);
    const worker = work();
    await act('resume');
    await Promise.all(both);
    await worker.stop();
    client.disconnect();
    // the worker holds some runs besides the one it computes, and two coordinators hear of results one after the other
    expect(order.slice(0, 20).filter((name) => name === 'urgent').length).toBeGreaterThanOrEqual(15);
    expect(order.length).toBe(41);
  });

  it('stops at its deadline, and workers begin none of its runs after it', async () => {
    bench.write('deadline.yaml', studyOf(3000, 'stop: { deadline: 0.5 s }\n'));
    const worker = work();
    const { end, runs } = await coordinate('deadline');
    expect(end).toBe('deadline');
    expect(runs).toBeLessThan(3000);
    const { counts } = await statusOf();
    expect((counts.wait ?? 0) + (counts.prioritized ?? 0)).toBe(0);
    await worker.stop();
  });

  it('sets a run aside whose process dies three times, and makes the others', async () => {
    bench.write(
      'poison.yaml',
      studyOf(2)
        .replace('command: statics', 'command: run')
        .replace(/'rods\[0\].material.E', name: E, range: .* \}/, "'time.duration', name: E, values: [5 ms, 1e6] }"),
    );
    const worker = work();
    const failures: string[] = [];
    const run = coordinate('poison', { onFailure: ({ message = '' }) => failures.push(message) });
    await until(() => finished('poison') === 1);
    for (let k = 0; k < 3; k++) {
      // the process that computes the endless run
      await until(() => workersOf(process.pid).length === 1);
      const [pid] = workersOf(process.pid);
      process.kill(pid, 'SIGKILL');
      await until(() => !workersOf(process.pid).includes(pid));
    }
    const { counts } = await run;
    expect(failures).toEqual(['set aside after 3 tries: the worker process was killed by SIGKILL']);
    expect(counts).toEqual({ done: 1, crashed: 1 });
    await worker.stop();
  });

  it('uses the limits of the study as it is now, also in a worker that knows it', async () => {
    const study = (limit: string): string =>
      studyOf(1, `limits: { time: ${limit} }\n`)
        .replace('command: statics', 'command: run')
        .replace(/'rods\[0\].material.E', name: E, range: .* \}/, "'time.duration', name: E, values: [1 s] }");
    const worker = work();
    bench.write('limited.yaml', study('1 ms'));
    expect((await coordinate('limited')).counts).toEqual({ timeout: 1 });
    bench.write('limited.yaml', study('1 min'));
    expect((await coordinate('limited', {}, { retryFailed: true })).counts).toEqual({ done: 1 });
    await worker.stop();
  });

  it('waits for a Redis whose memory is full, and no run is blamed for it', async () => {
    bench.write('full.yaml', studyOf(40));
    const said: string[] = [];
    const say = (text: string): void => void said.push(text);
    const run = coordinate('full', { say });
    await until(async () => (await statusOf()).counts.prioritized === 40);
    await redis.configure('maxmemory', '1');
    const worker = work({ say });
    await until(() => said.filter((text) => /^Redis rejects commands \(OOM .*waiting$/.test(text)).length === 2);
    expect(finished('full')).toBe(0);
    await redis.configure('maxmemory', '0');
    expect((await run).counts).toEqual({ done: 40 });
    await worker.stop();
  });

  it('gives a run back when its worker is stopped, which is no try', async () => {
    bench.write(
      'moved.yaml',
      studyOf(2)
        .replace('command: statics', 'command: run')
        .replace(/'rods\[0\].material.E', name: E, range: .* \}/, "'time.duration', name: E, values: [5 ms, 4 s] }"),
    );
    const run = coordinate('moved');
    for (let k = 0; k < 4; k++) {
      const worker = work();
      await until(() => workersOf(process.pid).length === 1);
      if (k === 0) await until(() => finished('moved') === 1);
      if (k === 3) {
        const { outcomes } = await run;
        expect(outcomes.map(({ status, tries }) => [status, tries])).toEqual([
          ['done', undefined],
          ['done', undefined],
        ]);
      }
      await worker.stop();
      await until(() => workersOf(process.pid).length === 0);
    }
  });

  it('tries runs again that failed under an earlier coordinator', async () => {
    bench.write('again.yaml', studyOf(5));
    const first = coordinate('again');
    await until(async () => (await statusOf()).counts.prioritized === 5);
    const client = await connectRedis(redis.url);
    const { Worker } = await loadBullmq();
    const queue = await openQueue(client, version);
    const jobs = await queue.getJobs(['prioritized'], 0, 1);
    const worker = work();
    await first;
    await worker.stop();
    // two of them are left in the queue, as by a worker that lost its lock while the last coordinator ended
    await queue.addBulk(
      jobs.flatMap((job) => {
        if (!job) return [];
        const { study, spec } = job.data;
        const opts = { jobId: `${study}-${spec.hash}`, attempts: 1, priority: 1, removeOnComplete: true };
        return { name: 'run', data: job.data, opts: { ...opts, backoff: { type: 'exponential', delay: 50 } } };
      }),
    );
    const breaking = new Worker(
      queueName(version),
      async () => {
        throw new Error('lost');
      },
      { connection: client, prefix: queuePrefix },
    );
    await until(async () => (await statusOf()).counts.failed === 2);
    await breaking.close();
    client.disconnect();
    bench.write('afresh.yaml', studyOf(5));
    const second = coordinate('afresh');
    const next = work();
    expect((await second).counts).toEqual({ done: 5 });
    await next.stop();
  });

  it('stops with a message when the disk of the coordinator is full, and loses nothing', async ({ skip }) => {
    const disk = bench.at('disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      skip('needs the right to mount a small disk');
    }
    const worker = work();
    try {
      bench.write('disk.yaml', studyOf(200));
      await expect(coordinate('disk')).rejects.toThrow(
        /the disk is full; free some space and run the same command again/,
      );
      expect(finished('disk')).toBeGreaterThan(10);
      execFileSync('mount', ['-o', 'remount,size=4m', disk]);
      const { runs, counts, before } = await coordinate('disk');
      expect([runs, counts]).toEqual([200, { done: 200 }]);
      expect(before).toBeGreaterThan(10);
    } finally {
      await worker.stop();
      execFileSync('umount', [disk]);
    }
  });

  it('says when versions differ, and loses nothing', async () => {
    const said: string[] = [];
    bench.write('skew.yaml', studyOf(30));
    const client = await connectRedis(redis.url);
    await client.del(keys.workers);
    client.disconnect();
    await until(() => workersOf(process.pid).length === 0);
    const other = work({ version: '9.9.9', say: (text) => said.push(text) });
    const told: string[] = [];
    const run = coordinate('skew', { say: (text) => told.push(text) });
    await until(() => told.length > 0 && said.length > 0);
    expect(said).toContain(`study 'skew' needs version ${version}; this worker has 9.9.9 and does not take its runs`);
    expect(told[0]).toContain(`no worker of version ${version} is connected, only of 9.9.9`);
    expect(finished('skew')).toBe(0);
    // who takes a run starts a process for it
    expect(workersOf(process.pid)).toEqual([]);
    expect(await other.stop()).toBe(0);
    const worker = work();
    expect((await run).runs).toBe(30);
    await worker.stop();
  });

  it('says when Redis refuses or is not there, without the password', async () => {
    const wrong = await tendril(
      ['sweep', 'study.yaml', '--out', 'wrong', '--queue', `redis://:secret@127.0.0.1:${redis.port}`],
      bench.folder,
    );
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain(`redis://127.0.0.1:${redis.port}: Redis refuses the user or password`);
    const problem = (url: string): Promise<string> => connectRedis(url).then(String, (error: Error) => error.message);
    const none = await problem(`redis://127.0.0.1:${redis.port}`);
    expect(none).toContain('Redis refuses the user or password');
    const away = await problem('redis://:secret@127.0.0.1:1');
    expect(away).toMatch(/redis:\/\/127\.0\.0\.1:1: Redis cannot be reached \(.*ECONNREFUSED/);
    expect(wrong.err + none + away).not.toContain('secret');
  });
});

describe('a queue behind TLS', () => {
  const variables = ['TENDRIL_QUEUE_CA', 'TENDRIL_QUEUE_CERT', 'TENDRIL_QUEUE_KEY'] as const;
  afterAll(() => {
    for (const name of variables) delete process.env[name];
  });

  it('is used with the certificates that the environment names, and refused without', async () => {
    mkdirSync(bench.at('tls'));
    const { ca, cert, key } = makeCertificates(bench.at('tls'));
    const server = await createRedis({ ca, cert, key });
    await server.start();
    try {
      bench.write('secure.yaml', studyOf(10));
      await expect(connectRedis(server.url)).rejects.toThrow(/certificate of Redis is not trusted.*TENDRIL_QUEUE_CA/s);
      process.env.TENDRIL_QUEUE_CA = ca;
      // Redis asks for a certificate of the client too
      await expect(connectRedis(server.url)).rejects.toThrow('127.0.0.1');
      process.env.TENDRIL_QUEUE_CERT = cert;
      process.env.TENDRIL_QUEUE_KEY = key;
      const worker = work({ url: server.url });
      expect((await coordinate('secure', { url: server.url })).counts).toEqual({ done: 10 });
      expect(await worker.stop()).toBe(10);
      // nobody speaks to it without TLS
      await expect(connectRedis(server.url.replace('rediss', 'redis'))).rejects.toThrow();
    } finally {
      await server.remove();
    }
  });
});
