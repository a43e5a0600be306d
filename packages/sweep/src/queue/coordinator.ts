/**
 * Runs a study through a queue: adds its runs, collects results into the store, and adds again what got lost. The store counts each run
 * once, so nothing here has to be exactly once: results stay in Redis until they are on disk.
 */
import { hostname } from 'node:os';
import { InputError } from '@tendril-sim/io';
import { countFailures, type End, isFailure, type RunOptions } from '../local.ts';
import { emptyRow, type Outcome } from '../run/execute.ts';
import { type Convergence, createConvergence } from '../stop.ts';
import type { Store } from '../store/store.ts';
import { digest, type Study } from '../study/plan.ts';
import type { Runs } from '../study/runs.ts';
import { type BullQueue, connectRedis, keys, openQueue, type RedisClient } from './connection.ts';
import type { StudyStatus, WorkerStatus } from './status.ts';

export interface QueueOptions extends RunOptions {
  readonly url: string;
  readonly priority: number;
  readonly say?: (text: string) => void;
}

/** Runs in the queue at most, so that a study of 100,000 does not fill Redis. */
const mostQueued = 4000;
const bulk = 500;
/** Results that are moved to the store at once. */
const batch = 1000;
const tries = 3;
const backoff = 500;
/** Coordinator's lock [s], renewed every second. */
const lockSeconds = 10;

export async function runThroughQueue(study: Study, runs: Runs, store: Store, options: QueueOptions): Promise<End> {
  const redis = await connectRedis(options.url);
  const id = digest(`${study.plan.key}${runs.key}`).slice(0, 16);
  try {
    await claim(redis, id, options);
    const queue = await openQueue(redis, study.plan.version);
    const started = Date.now();
    await redis.set(keys.plan(id), JSON.stringify(study.plan));
    const session = createSession({ study, runs, store, options, redis, queue, id, started });
    const end = await session.run();
    const leave = async (): Promise<void> => {
      await session.publish(end === 'complete' || end === 'converged' ? 'complete' : 'interrupted');
      if (end === 'complete') await redis.del(keys.plan(id), keys.results(id));
      await redis.del(keys.coordinator(id));
    };
    // Redis may be away
    await Promise.race([leave(), pause(2000)]);
    return end;
  } finally {
    redis.disconnect();
  }
}

/** One coordinator collects a study; that of a process of this machine which has ended does not count. */
async function claim(redis: RedisClient, id: string, { isInterrupted, say }: QueueOptions): Promise<void> {
  const me = `${hostname()}:${process.pid}`;
  let isTold = false;
  for (const end = Date.now() + 1500 * lockSeconds; ; ) {
    if ((await redis.set(keys.coordinator(id), me, 'EX', lockSeconds, 'NX')) !== null) return;
    const holder = (await redis.get(keys.coordinator(id))) ?? '';
    const [host, pid] = holder.split(':');
    if (host === hostname() && !isAlive(Number(pid))) {
      await redis.set(keys.coordinator(id), me, 'EX', lockSeconds);
      return;
    }
    if (Date.now() > end || isInterrupted?.())
      throw new InputError('queue', `process ${pid} on '${host}' collects this study already; wait for it, or stop it`);
    if (!isTold) say?.(`process ${pid} on '${host}' collects this study; waiting in case it has died`);
    isTold = true;
    await pause(500);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface SessionInput {
  readonly study: Study;
  readonly runs: Runs;
  readonly store: Store;
  readonly options: QueueOptions;
  readonly redis: RedisClient;
  readonly queue: BullQueue;
  readonly id: string;
  readonly started: number;
}

interface Session {
  run(): Promise<End>;
  publish(state: StudyStatus['state']): Promise<void>;
}

function createSession(input: SessionInput): Session {
  const { study, runs, store, options, redis, queue, id, started } = input;
  const outstanding = new Set<number>();
  let next = 0;
  let convergence: Convergence | undefined;
  /** End of the present block: with a rule of convergence, the next one waits for its decision. */
  let limit = runs.count;
  let firstDone = 0;
  let firstTime = 0;
  let lastProgress = Date.now();
  let isTold = false;

  const take = (outcome: Outcome): void => {
    const position = runs.position(outcome.hash);
    if (position !== undefined) outstanding.delete(position);
    if (!store.add(outcome)) return;
    if (position !== undefined) convergence?.add(position, outcome);
    lastProgress = Date.now();
    if (firstTime === 0) [firstTime, firstDone] = [performance.now(), store.done];
    if (isFailure(outcome)) options.onFailure?.(outcome);
    const made = store.done - firstDone;
    const per = (performance.now() - firstTime) / 1000 / Math.max(1, made);
    const known = made >= 3 ? { secondsPerRun: per, secondsLeft: per * (runs.count - store.done) } : {};
    options.onProgress?.({ done: store.done, total: runs.count, failed: countFailures(store.counts), ...known });
  };
  /** Results leave Redis once they are on disk. */
  const collect = async (): Promise<number> => {
    const found = await redis.lrange(keys.results(id), 0, batch - 1);
    if (found.length === 0) return 0;
    for (const text of found) take(JSON.parse(text) as Outcome);
    store.flush();
    await redis.ltrim(keys.results(id), found.length, -1);
    return found.length;
  };
  const add = async (positions: readonly number[]): Promise<void> => {
    for (let k = 0; k < positions.length; k += bulk) {
      const jobs = positions.slice(k, k + bulk).map((position) => {
        const spec = runs.spec(position);
        return {
          name: 'run',
          data: { study: id, spec },
          opts: {
            // the same run is in the queue once
            jobId: `${id}-${spec.hash}`,
            attempts: tries,
            backoff: { type: 'exponential', delay: backoff },
            priority: options.priority,
            removeOnComplete: true,
          },
        };
      });
      await queue.addBulk(jobs);
    }
  };
  const refill = async (): Promise<void> => {
    if (outstanding.size > mostQueued - bulk) return;
    const more: number[] = [];
    for (; next < limit && outstanding.size < mostQueued; next++) {
      if (store.has(next)) continue;
      outstanding.add(next);
      more.push(next);
    }
    await add(more);
  };
  /** Runs that failed three times are set aside: their error becomes their outcome. */
  const setAside = async (): Promise<void> => {
    for (const job of await queue.getJobs(['failed'], 0, 199)) {
      if (job?.data.study !== id) continue;
      const { spec } = job.data;
      const message = `set aside after ${tries} tries: ${job.failedReason ?? 'unknown'}`;
      take({
        index: spec.index,
        hash: spec.hash,
        status: 'crashed',
        message,
        wall: 0,
        tries,
        rows: [emptyRow(study.plan)],
      });
      store.flush();
      await job.remove();
    }
  };
  /** A Redis that lost its last second, or a queue that was emptied by hand: what is missing is added again. */
  const restore = async (): Promise<void> => {
    if (Date.now() - lastProgress < 3000 || outstanding.size === 0) return;
    const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'paused', 'failed');
    if (Object.values(counts).some((count) => count > 0)) return;
    await collect();
    await redis.set(keys.plan(id), JSON.stringify(study.plan));
    await add([...outstanding]);
    lastProgress = Date.now();
  };
  const warnOfSkew = async (): Promise<void> => {
    if (isTold || Date.now() - lastProgress < 4000) return;
    const workers = Object.values(await redis.hgetall(keys.workers)).map((text) => JSON.parse(text) as WorkerStatus);
    const present = workers.filter(({ updated }) => Date.now() - updated < 15_000);
    if (present.some(({ version }) => version === study.plan.version)) return;
    isTold = true;
    const others = [...new Set(present.map(({ version }) => version))].join(', ');
    options.say?.(
      `no worker of version ${study.plan.version} is connected${others === '' ? '' : `, only of ${others}`}; start one by: tendril worker --queue …`,
    );
  };
  const isDrained = async (): Promise<boolean> => Number((await redis.get(keys.drained)) ?? 0) > started;
  const publish = async (state: StudyStatus['state']): Promise<void> => {
    const { title, version } = study.plan;
    const status: StudyStatus = {
      id,
      title,
      version,
      total: runs.count,
      done: store.done,
      failed: countFailures(store.counts),
      host: hostname(),
      state,
      started,
      updated: Date.now(),
    };
    await redis.hset(keys.studies, id, JSON.stringify(status));
    await redis.set(keys.coordinator(id), `${hostname()}:${process.pid}`, 'EX', lockSeconds);
  };
  /** Once a second. */
  const lookAround = async (): Promise<End | undefined> => {
    await publish('running');
    await setAside();
    await restore();
    await warnOfSkew();
    if (!(await isDrained())) return undefined;
    options.say?.('the queue was drained');
    return 'interrupted';
  };
  const loop = async (): Promise<End> => {
    const deadline =
      study.file.stop?.deadline === undefined ? Number.POSITIVE_INFINITY : started + 1000 * study.file.stop.deadline;
    convergence = await createConvergence(study, runs, store);
    let block = 0;
    limit = convergence?.blocks[0].to ?? runs.count;
    for (let second = 0; ; ) {
      while ((await collect()) > 0) {
        // all that is there
      }
      if (convergence && next >= limit && outstanding.size === 0) {
        if (convergence.isConverged(limit)) return 'converged';
        block++;
        limit = convergence.blocks[block]?.to ?? runs.count;
      }
      if (store.done === runs.count) return 'complete';
      if (Date.now() > deadline) return 'deadline';
      await refill();
      if (Date.now() - second > 1000) {
        second = Date.now();
        const end = await lookAround();
        if (end) return end;
      }
      await pause(20);
    }
  };
  return { publish, run: () => raceInterrupt(loop(), options) };
}

/** Also while Redis is away and commands wait for it. */
async function raceInterrupt(work: Promise<End>, { isInterrupted }: QueueOptions): Promise<End> {
  let timer: NodeJS.Timeout | undefined;
  const interrupted = new Promise<End>((resolve) => {
    timer = setInterval(() => isInterrupted?.() && resolve('interrupted'), 50);
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    clearInterval(timer);
  }
}
