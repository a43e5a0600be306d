/** The status of a queue as a page of the studio that reloads every two seconds, and as Prometheus metrics. */
import { connectRedis, formatMetrics, openQueue, type QueueStatus, readStatus } from '@tendril-sim/sweep';
import { htmlPage, htmlTable } from '../html/page.ts';
import { version } from '../version.ts';

export interface StatusSource {
  /** HTML. */
  page(): Promise<string>;
  metrics(): Promise<string>;
  close(): void;
}

export async function openStatus(url: string): Promise<StatusSource> {
  const redis = await connectRedis(url);
  const queue = await openQueue(redis, version);
  const read = (): Promise<QueueStatus> => readStatus(redis, queue, version);
  return {
    page: async () => buildPage(await read()),
    metrics: async () => formatMetrics(await read()),
    close: () => redis.disconnect(),
  };
}

function buildPage({ studies, workers, counts, paused }: QueueStatus): string {
  const waiting = (counts.wait ?? 0) + (counts.prioritized ?? 0) + (counts.paused ?? 0);
  const body = [
    '<section><h2>Studies</h2>',
    htmlTable(
      ['study', 'state', 'done', 'of', 'failed', 'version'],
      studies.map((one) => [one.title, one.state, one.done, one.total, one.failed, `v ${one.version}`]),
    ),
    '</section><section><h2>Workers</h2>',
    htmlTable(
      ['worker', 'processes', 'runs', 'crashes', 'version'],
      workers.map((one) => [`${one.host} ${one.pid}`, one.processes, one.done, one.crashed, `v ${one.version}`]),
    ),
    '</section>',
  ].join('');
  return htmlPage({
    title: 'Studies',
    kicker: 'tendril studio',
    lead: `${waiting} runs wait, ${counts.active ?? 0} are active, ${counts.failed ?? 0} are set aside${paused ? '; the queue is paused' : ''}.`,
    facts: `${workers.length} ${workers.length === 1 ? 'worker' : 'workers'}`,
    body,
    footer: 'This page loads itself again every two seconds.',
  }).replace('<meta charset="utf-8">', '<meta charset="utf-8">\n<meta http-equiv="refresh" content="2">');
}
