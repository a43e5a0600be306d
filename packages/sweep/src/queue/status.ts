/** What a queue tells about studies and workers, from any machine; also as Prometheus metrics. */
import { type BullQueue, keys, openQueue, type RedisClient } from './connection.ts';

export interface StudyStatus {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly host: string;
  readonly state: 'running' | 'complete' | 'interrupted';
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

export interface QueueStatus {
  readonly studies: readonly StudyStatus[];
  readonly workers: readonly WorkerStatus[];
  /** Of this version's queue. */
  readonly counts: Readonly<Record<string, number>>;
  readonly paused: boolean;
  readonly version: string;
}

/** A worker that was silent this long is gone [ms]. */
const silence = 15_000;

export async function readStatus(redis: RedisClient, queue: BullQueue, version: string): Promise<QueueStatus> {
  const parse = <T>(entries: Record<string, string>): T[] =>
    Object.values(entries).map((text) => JSON.parse(text) as T);
  const [studies, workers] = [await redis.hgetall(keys.studies), await redis.hgetall(keys.workers)];
  const now = Date.now();
  return {
    studies: parse<StudyStatus>(studies).sort((a, b) => b.started - a.started),
    workers: parse<WorkerStatus>(workers).filter(({ updated }) => now - updated < silence),
    counts: await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed', 'paused'),
    paused: await queue.isPaused(),
    version,
  };
}

/** Opens, reads, closes. */
export async function lookAtQueue(redis: RedisClient, version: string): Promise<QueueStatus> {
  const queue = await openQueue(redis, version);
  return readStatus(redis, queue, version);
}

const escapeLabel = (text: string): string => text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');

/** Text format 0.0.4 of Prometheus. */
export function formatMetrics({ studies, workers, counts, paused }: QueueStatus): string {
  const lines: string[] = [];
  const metric = (
    name: string,
    help: string,
    type: 'gauge' | 'counter',
    rows: readonly (readonly [Record<string, string>, number])[],
  ): void => {
    lines.push(`# HELP tendril_${name} ${help}`, `# TYPE tendril_${name} ${type}`);
    for (const [labels, value] of rows) {
      const text = Object.entries(labels).map(([key, label]) => `${key}="${escapeLabel(label)}"`);
      lines.push(`tendril_${name}${text.length > 0 ? `{${text.join(',')}}` : ''} ${value}`);
    }
  };
  const ofStudy = ({ id, title }: StudyStatus): Record<string, string> => ({ study: id, title });
  const ofWorker = ({ host, pid, version }: WorkerStatus): Record<string, string> => ({
    host,
    pid: String(pid),
    version,
  });
  metric(
    'study_runs',
    'Runs of a study.',
    'gauge',
    studies.map((one) => [ofStudy(one), one.total]),
  );
  metric(
    'study_runs_done',
    'Finished runs of a study, failed ones included.',
    'gauge',
    studies.map((one) => [ofStudy(one), one.done]),
  );
  metric(
    'study_runs_failed',
    'Failed runs of a study.',
    'gauge',
    studies.map((one) => [ofStudy(one), one.failed]),
  );
  metric(
    'queue_runs',
    'Runs in the queue by state.',
    'gauge',
    Object.entries(counts).map(([state, count]) => [{ state }, count]),
  );
  metric('queue_paused', '1 while the queue is paused.', 'gauge', [[{}, paused ? 1 : 0]]);
  metric(
    'worker_processes',
    'Worker processes.',
    'gauge',
    workers.map((one) => [ofWorker(one), one.processes]),
  );
  metric(
    'worker_runs_total',
    'Runs that a worker has executed.',
    'counter',
    workers.map((one) => [ofWorker(one), one.done]),
  );
  metric(
    'worker_crashes_total',
    'Worker processes that died under a run.',
    'counter',
    workers.map((one) => [ofWorker(one), one.crashed]),
  );
  return `${lines.join('\n')}\n`;
}
