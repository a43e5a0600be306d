/** Status of the studies and workers of a queue, from any machine; also as Prometheus metrics. */
import { type BullQueue, keys, openQueue, type RedisClient } from './connection.ts';

export interface StudyStatus {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly host: string;
  /** silent: its coordinator was killed, or has lost Redis. */
  readonly state: 'running' | 'complete' | 'interrupted' | 'silent';
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly updated: number;
}

export interface WorkerStatus {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly processes: number;
  readonly done: number;
  readonly crashed: number;
  readonly updated: number;
}

/** Studies, workers and numbers of waiting runs of a queue. */
export interface QueueStatus {
  /** Studies that are not finished. */
  readonly studies: readonly StudyStatus[];
  /** Workers that have reported. */
  readonly workers: readonly WorkerStatus[];
  /** Of this version's queue. */
  readonly counts: Readonly<Record<string, number>>;
  /** True if the queue gives no runs to workers. */
  readonly paused: boolean;
  /** Version of Tendril whose queue it is. */
  readonly version: string;
}

/** A worker or coordinator that was silent this long is gone [ms]. */
export const silence = 15_000;

/** Reads the status of a queue through an open connection; `readQueueStatus` opens the queue itself. */
export async function readStatus(redis: RedisClient, queue: BullQueue, version: string): Promise<QueueStatus> {
  const parse = <T>(entries: Record<string, string>): T[] =>
    Object.values(entries).map((text) => JSON.parse(text) as T);
  const [studies, workers] = [await redis.hgetall(keys.studies), await redis.hgetall(keys.workers)];
  const now = Date.now();
  return {
    studies: parse<StudyStatus>(studies)
      .map((one) =>
        one.state === 'running' && now - one.updated > silence ? { ...one, state: 'silent' as const } : one,
      )
      .sort((a, b) => b.started - a.started),
    workers: parse<WorkerStatus>(workers).filter(({ updated }) => now - updated < silence),
    counts: await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed', 'paused'),
    paused: await queue.isPaused(),
    version,
  };
}

/** Opens the queue of a version on a connection to Redis and reads its status. */
export async function readQueueStatus(redis: RedisClient, version: string): Promise<QueueStatus> {
  const queue = await openQueue(redis, version);
  return readStatus(redis, queue, version);
}

const escapeLabel = (text: string): string => text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type?: 'gauge' | 'counter';
  readonly rows: readonly (readonly [Readonly<Record<string, string>>, number])[];
}

function formatMetric({ name, help, type = 'gauge', rows }: Metric): string[] {
  const values = rows.map(([labels, value]) => {
    const text = Object.entries(labels).map(([key, label]) => `${key}="${escapeLabel(label)}"`);
    return `tendril_${name}${text.length > 0 ? `{${text.join(',')}}` : ''} ${value}`;
  });
  return [`# HELP tendril_${name} ${help}`, `# TYPE tendril_${name} ${type}`, ...values];
}

/** Text format 0.0.4 of Prometheus. */
export function formatMetrics({ studies, workers, counts, paused }: QueueStatus): string {
  const perStudy = (value: (one: StudyStatus) => number): Metric['rows'] =>
    studies.map((one) => [{ study: one.id, title: one.title }, value(one)]);
  const perWorker = (value: (one: WorkerStatus) => number): Metric['rows'] =>
    workers.map((one) => [{ host: one.host, pid: String(one.pid), version: one.version }, value(one)]);
  const metrics: readonly Metric[] = [
    { name: 'study_runs', help: 'Runs of a study.', rows: perStudy(({ total }) => total) },
    {
      name: 'study_runs_done',
      help: 'Finished runs of a study, failed ones included.',
      rows: perStudy(({ done }) => done),
    },
    { name: 'study_runs_failed', help: 'Failed runs of a study.', rows: perStudy(({ failed }) => failed) },
    {
      name: 'queue_runs',
      help: 'Runs in the queue by state.',
      rows: Object.entries(counts).map(([state, count]) => [{ state }, count]),
    },
    { name: 'queue_paused', help: '1 while the queue is paused.', rows: [[{}, paused ? 1 : 0]] },
    { name: 'worker_processes', help: 'Worker processes.', rows: perWorker(({ processes }) => processes) },
    {
      name: 'worker_runs_total',
      help: 'Runs that a worker has executed.',
      type: 'counter',
      rows: perWorker(({ done }) => done),
    },
    {
      name: 'worker_crashes_total',
      help: 'Worker processes that died under a run.',
      type: 'counter',
      rows: perWorker(({ crashed }) => crashed),
    },
  ];
  return `${metrics.flatMap(formatMetric).join('\n')}\n`;
}
