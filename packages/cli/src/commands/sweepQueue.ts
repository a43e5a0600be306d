/** `tendril sweep queue`: inspects a queue from any machine, pauses, resumes and drains it. */
import { connectRedis, formatMetrics, openQueue, type QueueStatus, queueKeys, readStatus } from '@tendril-sim/sweep';
import { exitCode, UsageError } from '../exit.ts';
import { formatDuration, formatTable, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { insistQueue } from './worker.ts';

export interface QueueCommandOptions {
  readonly queue?: string;
  readonly json?: boolean;
  readonly metrics?: boolean;
}

const actions = ['status', 'pause', 'resume', 'drain'] as const;

export async function queueCommand(action: string, options: QueueCommandOptions, terminal: Terminal): Promise<number> {
  if (!(actions as readonly string[]).includes(action))
    throw new UsageError(`expected one of ${actions.join(', ')}, got '${action}'`);
  const redis = await connectRedis(insistQueue(options.queue));
  try {
    const queue = await openQueue(redis, version);
    if (action === 'pause') await queue.pause();
    if (action === 'resume') await queue.resume();
    if (action === 'drain') {
      // coordinators must stop adding runs before waiting runs are removed
      await redis.set(queueKeys.drained, String(Date.now()));
      await queue.drain(true);
    }
    const status = await readStatus(redis, queue, version);
    if (options.metrics) terminal.out(formatMetrics(status));
    else terminal.out(options.json ? `${JSON.stringify(status, null, 2)}\n` : formatStatus(status));
    return exitCode.done;
  } finally {
    redis.disconnect();
  }
}

function formatStatus({ studies, workers, counts, paused }: QueueStatus): string {
  const left = { align: 'left' as const };
  const ago = (time: number): string => `${formatDuration((Date.now() - time) / 1000)} ago`;
  const lines = [
    studies.length === 0
      ? '  no studies\n'
      : formatTable(
          [
            { title: 'study', ...left },
            { title: 'state', ...left },
            { title: 'done' },
            { title: 'of' },
            { title: 'failed' },
            { title: 'version' },
            { title: 'updated' },
          ],
          studies.map((one) => [
            one.title,
            one.state,
            String(one.done),
            String(one.total),
            String(one.failed),
            one.version,
            ago(one.updated),
          ]),
        ),
    workers.length === 0
      ? '  no workers\n'
      : formatTable(
          [
            { title: 'worker', ...left },
            { title: 'processes' },
            { title: 'runs' },
            { title: 'crashes' },
            { title: 'version' },
          ],
          workers.map((one) => [
            `${one.host} ${one.pid}`,
            String(one.processes),
            String(one.done),
            String(one.crashed),
            one.version,
          ]),
        ),
  ];
  const waiting = (counts.wait ?? 0) + (counts.prioritized ?? 0) + (counts.paused ?? 0);
  return `${lines.join('\n')}\n  ${waiting} waiting, ${counts.active ?? 0} active, ${counts.delayed ?? 0} to be tried again, ${counts.failed ?? 0} set aside${paused ? '; paused' : ''}\n`;
}
