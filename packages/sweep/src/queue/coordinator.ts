/**
 * Runs a study through a queue: adds its runs, collects results into the store, and adds again what got lost. The store counts each run
 * once, so nothing here has to be exactly once: results stay in Redis until they are on disk.
 */
import { hostname } from 'node:os';
import { InputError } from '@tendril-sim/io';
import { type Clock, countFailures, createClock, type End, type RunOptions } from '../local.ts';
import { emptyRow, type Outcome } from '../run/execute.ts';
import { placeRecordings } from '../run/record.ts';
import { type Convergence, createConvergence } from '../stop.ts';
import type { Store } from '../store/store.ts';
import { digest } from '../study/plan.ts';
import type { Study } from '../study/planTypes.ts';
import type { Runs } from '../study/runs.ts';
import {
  type BullQueue,
  connectRedis,
  explainRedis,
  isRejection,
  type Job,
  keys,
  openQueue,
  type RedisClient,
} from './connection.ts';
import { type StudyStatus, silence, type WorkerStatus } from './status.ts';

/** Options of `runThroughQueue`: the address of Redis, the priority of the study among others, and where messages go. */
export interface QueueOptions extends RunOptions {
  /** Address of Redis. */
  readonly url: string;
  /** Priority among the studies of the queue; 1 is highest. */
  readonly priority: number;
  /** Receives messages for people. */
  readonly say?: (text: string) => void;
  /** Without progress this long, the queue is examined for lost runs and missing workers [ms]; default 4000. */
  readonly patience?: number;
  /** Before the second try of a run whose process died, doubled before the third [ms]; default 500. */
  readonly backoff?: number;
}

/** Runs in the queue at most, so that a study of 100,000 does not fill Redis. */
const mostQueued = 4000;
const bulk = 500;
/** Results that are moved to the store at once. */
const batch = 1000;
const tries = 3;
const backoff = 500;
const patience = 4000;
/** Between two looks for results [ms]: each that finds some ends with an fsync. */
const collectEvery = 50;
/** Coordinator's lock [s], renewed every second. */
const lockSeconds = 10;

/**
 * Runs a study through a queue: workers (`runWorker`) on any machine execute its runs, and results arrive in the store. Throws
 * InputError if Redis cannot be reached or another process runs the same study.
 */
export async function runThroughQueue(study: Study, runs: Runs, store: Store, options: QueueOptions): Promise<End> {
  const redis = await connectRedis(options.url);
  let isWaiting = false;
  redis.on('close', () => {
    if (!isWaiting) options.say?.('the connection to Redis is lost; waiting for it');
    isWaiting = true;
  });
  redis.on('ready', () => {
    isWaiting = false;
  });
  const id = digest(`${study.plan.key}${runs.key}`).slice(0, 16);
  try {
    await claim(redis, id, options);
    const convergence = await createConvergence(study, runs, store);
    const session: Session = {
      study,
      runs,
      store,
      options,
      redis,
      queue: await openQueue(redis, study.plan.version),
      id,
      plan: JSON.stringify(placeRecordings(study.plan, store.folder)),
      started: Date.now(),
      drained: await redis.get(keys.drained),
      clock: createClock(store, runs.count, options),
      convergence,
      outstanding: new Set(),
      next: 0,
      limit: convergence?.blocks[0].to ?? runs.count,
      lastProgress: Date.now(),
      restored: 0,
      hasWarned: false,
      lookedAround: 0,
      rejection: '',
    };
    await publishPlan(session);
    await forgetFailures(session);
    const end = await raceInterrupt(runSession(session), options);
    const leave = async (): Promise<void> => {
      await publish(session, end === 'complete' || end === 'converged' ? 'complete' : 'interrupted');
      if (end === 'complete') await redis.del(keys.plan(id), keys.planHash(id), keys.results(id));
      await redis.del(keys.coordinator(id));
    };
    // Redis may be away
    await Promise.race([leave(), pause(2000)]);
    return end;
  } catch (error) {
    throw isRejection(error) ? explainRedis(options.url, error as Error) : error;
  } finally {
    isWaiting = true;
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

/** A study that is being collected. */
interface Session {
  readonly study: Study;
  readonly runs: Runs;
  readonly store: Store;
  readonly options: QueueOptions;
  readonly redis: RedisClient;
  readonly queue: BullQueue;
  readonly id: string;
  /** As workers get it. */
  readonly plan: string;
  /** Milliseconds since 1970. */
  readonly started: number;
  /** Mark of the last draining of the queue, at the start. */
  readonly drained: string | null;
  readonly clock: Clock;
  readonly convergence: Convergence | undefined;
  /** Positions of runs that are in the queue. */
  readonly outstanding: Set<number>;
  /** First run that was not added yet. */
  next: number;
  /** End of the present block: with a rule of convergence, the next one waits for its decision. */
  limit: number;
  lastProgress: number;
  /** Time without progress after which runs were last added again [ms]. */
  restored: number;
  hasWarned: boolean;
  lookedAround: number;
  /** Last message of a Redis that rejects commands. */
  rejection: string;
}

async function publishPlan({ redis, id, plan }: Session): Promise<void> {
  await redis.set(keys.plan(id), plan);
  await redis.set(keys.planHash(id), digest(plan));
}

function takeOutcome(session: Session, outcome: Outcome): void {
  const { runs, store, outstanding, convergence, clock } = session;
  const position = runs.position(outcome.hash);
  if (position !== undefined) outstanding.delete(position);
  if (!store.add(outcome)) return;
  if (position !== undefined) convergence?.add(position, outcome);
  session.lastProgress = Date.now();
  clock.finished(outcome);
}

/** Moves results to the store; they leave Redis once they are on disk. Returns how many there were. */
async function collect(session: Session): Promise<number> {
  const { redis, id, store } = session;
  const found = await redis.lrange(keys.results(id), 0, batch - 1);
  if (found.length === 0) return 0;
  for (const text of found) takeOutcome(session, JSON.parse(text) as Outcome);
  store.flush();
  await redis.ltrim(keys.results(id), found.length, -1);
  return found.length;
}

async function addJobs({ id, runs, options, queue }: Session, positions: readonly number[]): Promise<void> {
  for (let k = 0; k < positions.length; k += bulk) {
    const jobs = positions.slice(k, k + bulk).map((position) => {
      const spec = runs.spec(position);
      return {
        name: 'run',
        data: { study: id, spec },
        opts: {
          // the same run is in the queue once
          jobId: jobId(id, spec.hash),
          attempts: tries,
          backoff: { type: 'exponential', delay: options.backoff ?? backoff },
          priority: options.priority,
          removeOnComplete: true,
        },
      };
    });
    await queue.addBulk(jobs);
  }
}

const jobId = (study: string, hash: string): string => `${study}-${hash}`;

/** Removes runs that no worker has begun. */
async function withdraw({ queue, outstanding, runs, id }: Session): Promise<void> {
  for (const position of outstanding) await queue.remove(jobId(id, runs.hash(position)));
}

async function refill(session: Session): Promise<void> {
  const { outstanding, store } = session;
  if (outstanding.size > mostQueued - bulk) return;
  const more: number[] = [];
  for (; session.next < session.limit && outstanding.size < mostQueued; session.next++) {
    if (store.has(session.next)) continue;
    outstanding.add(session.next);
    more.push(session.next);
  }
  await addJobs(session, more);
}

/** Failed runs of this study; the queue may hold others. */
async function failedJobs({ queue, id }: Session): Promise<Job[]> {
  const jobs = await queue.getJobs(['failed'], 0, -1);
  return jobs.flatMap((job) => (job?.data.study === id ? [job] : []));
}

/** Runs that failed under an earlier coordinator are tried again: while they are in the queue, the same run cannot be added, and they would be set aside at once. */
async function forgetFailures(session: Session): Promise<void> {
  for (const job of await failedJobs(session)) await job.remove();
}

/** Runs that failed three times are set aside: their error becomes their outcome. */
async function setAside(session: Session): Promise<void> {
  const { study, store } = session;
  for (const job of await failedJobs(session)) {
    const { index, hash } = job.data.spec;
    const message = `set aside after ${tries} tries: ${job.failedReason ?? 'unknown'}`;
    takeOutcome(session, {
      index,
      hash,
      status: 'crashed',
      message,
      wall: 0,
      tries,
      rows: [emptyRow(study.plan)],
    });
    store.flush();
    await job.remove();
  }
}

/**
 * A Redis that lost its last second, or a queue that was emptied by hand: adds what is missing again. Runs that are in the queue stay as they
 * are, because they have the same id. Without progress the next time comes after twice as long.
 */
async function restoreLost(session: Session): Promise<void> {
  const { outstanding, options } = session;
  const waited = Date.now() - session.lastProgress;
  if (waited < (options.patience ?? patience)) session.restored = 0;
  if (waited < Math.max(options.patience ?? patience, 2 * session.restored) || outstanding.size === 0) return;
  session.restored = waited;
  await collect(session);
  await publishPlan(session);
  await addJobs(session, [...outstanding]);
}

async function warnOfSkew(session: Session): Promise<void> {
  const { redis, study, options } = session;
  if (session.hasWarned || Date.now() - session.lastProgress < (options.patience ?? patience)) return;
  const workers = Object.values(await redis.hgetall(keys.workers)).map((text) => JSON.parse(text) as WorkerStatus);
  const present = workers.filter(({ updated }) => Date.now() - updated < silence);
  if (present.some(({ version }) => version === study.plan.version)) return;
  session.hasWarned = true;
  const others = [...new Set(present.map(({ version }) => version))].join(', ');
  options.say?.(
    `no worker of version ${study.plan.version} is connected${others === '' ? '' : `, only of ${others}`}; start one by: tendril worker --queue …`,
  );
}

async function publish(
  { study, runs, store, redis, id, started }: Session,
  state: StudyStatus['state'],
): Promise<void> {
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
}

/** Once a second. */
async function lookAround(session: Session): Promise<End | undefined> {
  await publish(session, 'running');
  if ((await session.redis.get(keys.drained)) !== session.drained) {
    // runs that were added since
    await withdraw(session);
    session.options.say?.('the queue was drained');
    return 'interrupted';
  }
  await setAside(session);
  await restoreLost(session);
  await warnOfSkew(session);
  return undefined;
}

/** Once every few milliseconds. */
async function turn(session: Session): Promise<End | undefined> {
  const { study, runs, store, started, convergence, outstanding } = session;
  const { deadline = Number.POSITIVE_INFINITY } = study.file.stop ?? {};
  while ((await collect(session)) > 0) {
    // all that is there
  }
  if (convergence && session.next >= session.limit && outstanding.size === 0) {
    if (convergence.isConverged(session.limit)) return 'converged';
    session.limit = convergence.blocks.find(({ to }) => to > session.limit)?.to ?? runs.count;
  }
  if (store.done === runs.count) return 'complete';
  if (Date.now() > started + 1000 * deadline) {
    await withdraw(session);
    return 'deadline';
  }
  await refill(session);
  if (Date.now() - session.lookedAround <= 1000) return undefined;
  session.lookedAround = Date.now();
  return lookAround(session);
}

/** A Redis that rejects commands is waited for: what was not added is added again. */
async function runSession(session: Session): Promise<End> {
  for (;;) {
    try {
      const end = await turn(session);
      if (end) return end;
      await pause(collectEvery);
    } catch (error) {
      if (!isRejection(error)) throw error;
      const { message } = error as Error;
      if (session.rejection !== message) session.options.say?.(`Redis rejects commands (${message}); waiting`);
      session.rejection = message;
      await pause(1000);
    }
  }
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
