/** A worker of `loadSimdDer`: serves requests for its range of strands. */
import { encodeError, writeText } from '../../threads/failure.ts';
import type { GpuCaller, StepAnswer } from '../gpu/caller.ts';
import { ANSWER, type GpuMessage, OUTCOME } from '../gpu/requests.ts';
import { createSimdDevice } from './device.ts';
import { compileSimd } from './memory.ts';

/** Fields of an answer that are lengths, stored as the bits of floats. */
const LENGTHS: readonly (keyof StepAnswer)[] = ['overlap', 'error'];

let device: Promise<GpuCaller> | undefined;

/** Serves worlds of another thread: call it in a worker with the data of every message that the worker receives. Never throws. */
export async function serveSimd(message: unknown): Promise<void> {
  const { request, answer } = message as GpuMessage;
  const words = new Int32Array(answer.words);
  const floats = new Float32Array(answer.words);
  const finish = (outcome: number): void => {
    Atomics.store(words, ANSWER.outcome, outcome);
    Atomics.notify(words, ANSWER.outcome);
  };
  try {
    device ??= compileSimd().then(createSimdDevice);
    const found = (await device).call(request);
    for (const name of Object.keys(found) as (keyof StepAnswer)[])
      (LENGTHS.includes(name) ? floats : words)[ANSWER[name]] = found[name];
    finish(OUTCOME.done);
  } catch (error) {
    writeText(new Uint16Array(answer.letters), 0, encodeError(error));
    finish(OUTCOME.error);
  }
}
