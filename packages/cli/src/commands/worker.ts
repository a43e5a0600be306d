/** `tendril worker`: executes runs of studies from a queue. */
import { createServer, type Server } from 'node:http';
import { availableParallelism } from 'node:os';
import { formatMetrics, maskUrl, runWorker } from '@tendril-sim/sweep';
import { exitCode, UsageError } from '../exit.ts';
import { withInterrupt } from '../interrupt.ts';
import { formatWarning, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';

export interface WorkerCommandOptions {
  readonly queue?: string;
  readonly workers?: number;
  /** [s] */
  readonly idle?: number;
  /** [s] */
  readonly takeover?: number;
  /** Port. */
  readonly metrics?: number;
  readonly quiet?: boolean;
}

export function insistQueue(queue: string | undefined): string {
  const url = queue ?? (process.env.TENDRIL_QUEUE || undefined);
  if (url === undefined)
    throw new UsageError(
      'name the queue with --queue redis://:password@host:6379, or in the environment as TENDRIL_QUEUE',
    );
  return url;
}

export async function worker(options: WorkerCommandOptions, terminal: Terminal): Promise<number> {
  const url = insistQueue(options.queue);
  const processes = options.workers ?? availableParallelism();
  const say = (text: string): void => void (options.quiet || terminal.err(formatWarning(text)));
  let metrics = '';
  const server = options.metrics === undefined ? undefined : await serveMetrics(options.metrics, () => metrics);
  try {
    return await withInterrupt(async (interrupt) => {
      if (!options.quiet)
        terminal.err(`worker of version ${version} at ${maskUrl(url)}: ${processes} processes; Ctrl-C ends it\n`);
      const done = await runWorker({
        url,
        version,
        processes,
        say,
        ...(options.idle !== undefined && { idle: options.idle }),
        ...(options.takeover !== undefined && { takeover: options.takeover }),
        isInterrupted: () => interrupt.requested,
        onStatus: (status) => {
          metrics = formatMetrics({ studies: [], workers: [status], counts: {}, paused: false, version });
        },
      });
      if (!options.quiet) terminal.err(`${done} runs executed\n`);
      return interrupt.requested ? exitCode.interrupted : exitCode.done;
    });
  } finally {
    server?.close();
  }
}

/** Listens on the loopback interface only; a remote collector reads it through its own agent. */
function serveMetrics(port: number, read: () => string): Promise<Server> {
  const server = createServer((request, response) => {
    const isAsked = request.method === 'GET' && request.url === '/metrics';
    response.writeHead(isAsked ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(isAsked ? read() : 'the metrics are at /metrics\n');
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' ? new UsageError(`port ${port} is in use; choose another with --metrics`) : error,
      ),
    );
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
