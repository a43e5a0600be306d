/**
 * `tendril worker`: takes runs of all studies of its version from a queue and executes them in a pool of processes. The event loop stays
 * free, so that locks of long runs are renewed; a worker that dies loses its locks, and others take its runs over.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createPool, type Pool, PoolClosed, WorkerCrash } from '../pool/pool.ts';
import type { Plan } from '../study/planTypes.ts';
import {
  connectRedis,
  isRejection,
  type Job,
  keys,
  loadBullmq,
  queueName,
  queuePrefix,
  type RedisClient,
} from './connection.ts';
import type { StudyStatus, WorkerStatus } from './status.ts';

/** Options of `runWorker`. */
export interface WorkerOptions {
  /** Address of Redis. */
  readonly url: string;
  /** Version of Tendril; a worker takes runs of its own version only. */
  readonly version: string;
  /** Number of runs at a time. */
  readonly processes: number;
  /** Asked between runs: true stops the worker. */
  readonly isInterrupted: () => boolean;
  /** Ends when the queue has been empty this long [s]; default: never. */
  readonly idle?: number;
  /** Its runs are taken over by others when it was silent this long [s]; default 10. */
  readonly takeover?: number;
  /** Receives messages for people. */
  readonly say?: (text: string) => void;
  /** Called when the status of the worker changes. */
  readonly onStatus?: (status: WorkerStatus) => void;
}

/** A lock that is not renewed this long is lost [s]. */
const defaultTakeover = 10;

/** Runs until interrupted; returns how many runs it executed. Results are pushed before a run counts as finished: it may then be executed twice, and counts once. */
export async function runWorker(options: WorkerOptions): Promise<number> {
  const { url, version, processes, say, takeover = defaultTakeover } = options;
  const redis = await connectRedis(url);
  const { Worker, DelayedError } = await loadBullmq();
  const pool = createPool(processes);
  const state = { id: randomUUID(), done: 0, crashed: 0, busy: Date.now() };
  const plans = new Map<string, Promise<Plan>>();
  const worker = new Worker(
    queueName(version),
    async (job, token) => {
      if (await execute(job, { redis, pool, plans, state })) return;
      await job.moveToDelayed(Date.now(), token);
      throw new DelayedError();
    },
    { connection: redis, ...queueOptions(processes, takeover) },
  );
  let isLost = false;
  worker.on('error', (error) => {
    if (isLost || !/ECONN|closed|EPIPE|ENOTFOUND/i.test(String(error))) return;
    isLost = true;
    say?.('the connection to Redis is lost; waiting for it');
  });
  const warned = new Set<string>();
  let rejection = '';
  try {
    while (!options.isInterrupted()) {
      const status = describeWorker(state, options);
      options.onStatus?.(status);
      try {
        await Promise.race([register(redis, status), pause(2000)]);
        await Promise.race([warnOfSkew(redis, version, warned, say), pause(2000)]);
        rejection = '';
      } catch (error) {
        if (!isRejection(error)) throw error;
        const { message } = error as Error;
        if (rejection !== message) say?.(`Redis rejects commands (${message}); waiting`);
        rejection = message;
      }
      if (options.idle !== undefined && Date.now() - state.busy > 1000 * options.idle) break;
      for (let k = 0; k < 10 && !options.isInterrupted(); k++) await pause(100);
      isLost = false;
    }
  } finally {
    // runs in flight go back to the queue
    pool.close();
    await Promise.race([worker.close(), pause(2000)]);
    await Promise.race([redis.hdel(keys.workers, state.id), pause(1000)]);
    redis.disconnect();
  }
  return state.done;
}

function queueOptions(processes: number, takeover: number) {
  return {
    prefix: queuePrefix,
    // one more than processes, so that none waits for the queue
    concurrency: processes + 1,
    lockDuration: 1000 * takeover,
    stalledInterval: 500 * takeover,
    maxStalledCount: 2,
    drainDelay: 1,
  };
}

function describeWorker(
  { id, done, crashed }: Pick<WorkerStatus, 'id' | 'done' | 'crashed'>,
  { version, processes }: WorkerOptions,
): WorkerStatus {
  return { id, host: hostname(), pid: process.pid, version, processes, done, crashed, updated: Date.now() };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function register(redis: RedisClient, status: WorkerStatus): Promise<void> {
  await redis.hset(keys.workers, status.id, JSON.stringify(status));
}

interface Execution {
  readonly redis: RedisClient;
  readonly pool: Pool;
  readonly plans: Map<string, Promise<Plan>>;
  readonly state: { done: number; crashed: number; busy: number };
}

/** False if the worker ends before the run does: it then goes back to the queue, and that is no try. */
async function execute({ data, attemptsMade }: Job, { redis, pool, plans, state }: Execution): Promise<boolean> {
  const { study, spec } = data;
  state.busy = Date.now();
  const plan = await planOf(study, redis, plans);
  try {
    const outcome = await pool.execute(plan, spec);
    const tries = attemptsMade + 1;
    await push(redis, keys.results(study), JSON.stringify(tries > 1 ? { ...outcome, tries } : outcome));
    state.done++;
    state.busy = Date.now();
    return true;
  } catch (error) {
    if (error instanceof PoolClosed) return false;
    if (error instanceof WorkerCrash) state.crashed++;
    throw error;
  }
}

/** Waits while Redis rejects the result: the run is not to blame, and this is no failed try. */
async function push(redis: RedisClient, key: string, value: string): Promise<void> {
  for (;;) {
    try {
      await redis.rpush(key, value);
      return;
    } catch (error) {
      if (!isRejection(error)) throw error;
      await pause(1000);
    }
  }
}

/** Plans that a worker keeps. */
const mostPlans = 8;

async function planOf(study: string, redis: RedisClient, plans: Map<string, Promise<Plan>>): Promise<Plan> {
  const key = `${study} ${await redis.get(keys.planHash(study))}`;
  let plan = plans.get(key);
  if (!plan) {
    plan = redis.get(keys.plan(study)).then((text) => {
      if (text === null)
        throw new Error(`the plan of study ${study} is gone from the queue; start its coordinator again`);
      return JSON.parse(text) as Plan;
    });
    // asked for again by the next try
    plan.catch(() => plans.delete(key));
    plans.set(key, plan);
    for (const oldest of plans.keys()) if (plans.size > mostPlans) plans.delete(oldest);
  }
  return plan;
}

async function warnOfSkew(
  redis: RedisClient,
  version: string,
  warned: Set<string>,
  say: WorkerOptions['say'],
): Promise<void> {
  for (const text of Object.values(await redis.hgetall(keys.studies))) {
    const study = JSON.parse(text) as StudyStatus;
    if (study.version === version || study.state !== 'running' || warned.has(study.id)) continue;
    warned.add(study.id);
    say?.(
      `study '${study.title}' needs version ${study.version}; this worker has ${version} and does not take its runs`,
    );
  }
}
