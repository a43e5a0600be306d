/**
 * Checks that waiting for workers is possible, before anything waits.
 *
 * A world blocks its thread until the workers answer. A worker of a browser does not even start while the thread that created it is blocked, and
 * waiting needs shared memory. So `loadThreadedDer` and `loadThreadedFiber` check the platform, await an answer of every worker, and throw if one
 * is missing.
 */
import type { HelloMessage } from './messages.ts';
import type { ThreadPort } from './options.ts';

/** Interval at which the caller checks for answers [ms]. */
const INTERVAL = 5;

/** Workers that have answered. They cannot answer again while they serve a world. */
const answered = new WeakSet<ThreadPort>();

/** Globals by which a page and its workers are recognised; all undefined in Node. */
interface Platform {
  readonly crossOriginIsolated?: boolean;
  readonly document?: unknown;
}

/** Throws an error that names the remedy if this thread must not wait for others, or shares no memory with them. */
export function checkPlatform({ crossOriginIsolated, document }: Platform, hasSharedMemory: boolean): void {
  if (document !== undefined)
    throw new Error(
      'threads in a browser: the main thread of a page must not wait for others; call loadThreadedDer and createWorld in a worker',
    );
  if (!hasSharedMemory || crossOriginIsolated === false)
    throw new Error(
      "threads in a browser need shared memory, and this page may not have any: serve it, and the workers' scripts, with the headers 'Cross-Origin-Opener-Policy: same-origin' and 'Cross-Origin-Embedder-Policy: require-corp'; crossOriginIsolated is then true",
    );
}

/**
 * Waits until every worker answers, for `seconds` at most. Ports that report their end (`hasEnded`) are not waited for: their workers start while
 * the caller is blocked, and the caller notices if they do not.
 */
export async function awaitWorkers(ports: readonly ThreadPort[], seconds: number): Promise<void> {
  const silent = ports.filter((port) => !port.hasEnded && !answered.has(port));
  if (silent.length === 0) return;
  checkPlatform(globalThis as Platform, typeof SharedArrayBuffer !== 'undefined');
  const memory = new SharedArrayBuffer(4 * silent.length);
  const answers = new Int32Array(memory);
  let fault: string | undefined;
  silent.forEach((port, index) => {
    port.addEventListener?.('error', (event) => {
      fault ??= (event as { readonly message?: string }).message || 'its script cannot be loaded';
    });
    const message: HelloMessage = { kind: 'hello', memory, index };
    port.postMessage(message);
  });
  for (const end = performance.now() + 1000 * seconds; answers.includes(0); ) {
    const missing = `worker thread ${1 + ports.indexOf(silent[answers.indexOf(0)])}`;
    if (fault !== undefined) throw new Error(`${missing} does not start: ${fault}`);
    if (performance.now() > end)
      throw new Error(
        `${missing} did not answer within ${seconds} s: its script must call serveThread with the data of every message`,
      );
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
  for (const port of silent) answered.add(port);
}
