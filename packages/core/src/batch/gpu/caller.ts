/** The world's side of the device's thread: posts a request and blocks until the answer is there. */
import { decodeError, readText, TEXT_SIZE } from '../../threads/failure.ts';
import type { ThreadPort } from '../../threads/options.ts';
import { ANSWER, ANSWER_WORDS, type GpuMessage, type GpuRequest, OUTCOME } from './requests.ts';

/** The device is gone: reset by its driver, unplugged, or its thread has ended. Its memory is lost. */
export class DeviceLostError extends Error {}

export interface StepAnswer {
  /** Strands that did not converge or folded, and the first of them. */
  readonly failed: number;
  readonly firstGroup: number;
  readonly firstStrand: number;
  readonly iterationsMax: number;
  readonly iterations: number;
  /** Report on contact: contacts that carry force, deepest overlap [m], iterations, largest error [m], strands that did not settle, the first of them. */
  readonly loaded: number;
  readonly overlap: number;
  readonly contactIterations: number;
  readonly error: number;
  readonly unsettled: number;
  readonly unsettledGroup: number;
  readonly unsettledStrand: number;
  /** Rows of contacts. */
  readonly rows: number;
}

export interface GpuCaller {
  /** Where strands are computed, in words that continue "did not converge in 9 iterations". */
  readonly where: string;
  /** Its name in messages. */
  readonly device: string;
  /** True if it moves strands that are not clamped at their first node. */
  readonly movesLooseRoots: boolean;
  /** Sends a request and waits. Throws DeviceLostError, or what the device's thread threw. */
  call(request: GpuRequest): StepAnswer;
}

/** Interval at which a waiting caller checks whether the thread has ended [ms]. */
const WATCH = 100;

/** Requests to one thread: `wait` returns the answer to the last one. */
export interface DeviceChannel {
  post(request: GpuRequest): void;
  /** Throws DeviceLostError, or what the device's thread threw. */
  wait(): StepAnswer;
}

export function createCaller(port: ThreadPort): GpuCaller {
  const channel = openChannel(port, "the device's thread has ended");
  return {
    where: 'on the GPU',
    device: 'the GPU',
    movesLooseRoots: false,
    call(request) {
      channel.post(request);
      return channel.wait();
    },
  };
}

/** `ended`: message if the thread has ended. */
export function openChannel(port: ThreadPort, ended: string): DeviceChannel {
  if (typeof SharedArrayBuffer === 'undefined')
    throw new Error(
      'threads need SharedArrayBuffer: serve the page with Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp',
    );
  const words = new Int32Array(new SharedArrayBuffer(4 * ANSWER_WORDS));
  const floats = new Float32Array(words.buffer);
  const letters = new Uint16Array(new SharedArrayBuffer(2 * TEXT_SIZE));
  const answer = { words: words.buffer as SharedArrayBuffer, letters: letters.buffer as SharedArrayBuffer };
  return {
    post(request) {
      words.fill(0);
      const message: GpuMessage = { request, answer };
      port.postMessage(message);
    },
    wait() {
      while (Atomics.wait(words, ANSWER.outcome, 0, WATCH) === 'timed-out')
        if (port.hasEnded?.() && Atomics.load(words, ANSWER.outcome) === 0) throw new DeviceLostError(ended);
      const outcome = Atomics.load(words, ANSWER.outcome);
      if (outcome === OUTCOME.lost) throw new DeviceLostError(decodeError(readText(letters, 0)).message);
      if (outcome === OUTCOME.error) throw decodeError(readText(letters, 0));
      return {
        failed: words[ANSWER.failed],
        firstGroup: words[ANSWER.firstGroup],
        firstStrand: words[ANSWER.firstStrand],
        iterationsMax: words[ANSWER.iterationsMax],
        iterations: words[ANSWER.iterations],
        loaded: words[ANSWER.loaded],
        overlap: floats[ANSWER.overlap],
        contactIterations: words[ANSWER.contactIterations],
        error: floats[ANSWER.error],
        unsettled: words[ANSWER.unsettled],
        unsettledGroup: words[ANSWER.unsettledGroup],
        unsettledStrand: words[ANSWER.unsettledStrand],
        rows: words[ANSWER.rows],
      };
    },
  };
}
