/** A thread that checks scenes. One that does not answer in time is ended and replaced, and that is a finding. */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Verdict } from './runScene.ts';
import type { SceneJson } from './scenes.ts';

/**
 * More than any honest scene of a few steps takes: processor time of all threads, which does not depend on what else the machine does, and time in all,
 * in case that the thread waits for ever [s].
 */
const usualPatience = { processor: 60, all: 1200 };

export interface Checker {
  check(scene: SceneJson): Promise<Verdict>;
  close(): void;
}

/** `program`: address of the module that the thread runs; it answers each scene with a verdict. */
export function createChecker(program: string, patience = usualPatience): Checker {
  let worker: Worker | undefined;
  return {
    check(scene) {
      worker ??= new Worker(fileURLToPath(program));
      const thread = worker;
      return new Promise((resolve) => {
        const end = (verdict: Verdict): void => {
          clearInterval(timer);
          thread.off('message', end);
          thread.off('error', crash);
          resolve(verdict);
        };
        const giveUp = (oracle: 'hang' | 'crash', detail: string): void => {
          void thread.terminate();
          worker = undefined;
          end({ outcome: 'ran', finding: { oracle, detail } });
        };
        const crash = (error: Error): void => giveUp('crash', error.message);
        const [start, before] = [Date.now(), process.cpuUsage()];
        const timer = setInterval(() => {
          const { user, system } = process.cpuUsage(before);
          if (user + system > 1e6 * patience.processor)
            giveUp('hang', `no answer in ${patience.processor} s of processor time`);
          else if (Date.now() - start > 1000 * patience.all) giveUp('hang', `no answer in ${patience.all} s`);
        }, 500);
        thread.on('message', end);
        thread.on('error', crash);
        thread.postMessage(scene);
      });
    },
    close: () => void worker?.terminate(),
  };
}
