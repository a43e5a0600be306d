/**
 * `npm run fuzz -- [--runs 1000] [--seed 1] [--model der] [--out test/repro/scenes]`: random scenes, sound and damaged, against
 * the oracles. Each is checked in a thread that is given up after a while, so that a hang is a finding. What is found is shrunk
 * by fast-check and written as a scene file with the oracle in its name.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { startThreads } from '@tendril-sim/io/node';
import fc from 'fast-check';
import { checkScene, type Verdict } from './oracles.ts';
import { damagedScenes, type FuzzModel, type SceneJson, scenes } from './scenes.ts';

/** Longer than any honest scene of a few steps takes [ms]. */
const patience = 60_000;

if (isMainThread) await fuzz();
else {
  const { ports } = startThreads(2);
  parentPort?.on('message', async (scene: SceneJson) => parentPort?.postMessage(await checkScene(scene, ports)));
}

async function fuzz(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Date.now() % 1e9) },
      model: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const seed = Number(values.seed);
  const half = Math.ceil(Number(values.runs) / 2);
  const model = values.model as FuzzModel | undefined;
  console.log(`seed ${seed}, ${2 * half} scenes`);
  const found = [
    await search(scenes(model), seed, half, 'sound'),
    await search(damagedScenes(model), seed + 1, half, 'damaged'),
  ].filter((one) => one !== undefined);
  for (const { scene, verdict } of found) report(scene, verdict, values.out);
  process.exit(found.length > 0 ? 1 : 0);
}

interface Found {
  readonly scene: SceneJson;
  readonly verdict: Verdict;
}

async function search(
  arbitrary: fc.Arbitrary<SceneJson>,
  seed: number,
  numRuns: number,
  name: string,
): Promise<Found | undefined> {
  const checker = createChecker();
  let shrinking = false;
  const counts = { refused: 0, failed: 0, ran: 0 };
  const property = fc.asyncProperty(arbitrary, async (scene) => {
    const verdict = await checker.check(scene);
    counts[verdict.outcome]++;
    if (!verdict.finding) return;
    if (!shrinking) console.error(`${verdict.finding.oracle}: ${JSON.stringify(scene)}`);
    shrinking = true;
    throw new Error(verdict.finding.oracle);
  });
  const { failed, counterexample } = await fc.check(property, { seed, numRuns, endOnFailure: false });
  console.log(`${name}: ${counts.ran} ran, ${counts.failed} failed, ${counts.refused} refused`);
  const found =
    failed && counterexample
      ? { scene: counterexample[0], verdict: await checker.check(counterexample[0]) }
      : undefined;
  checker.close();
  return found;
}

/** A thread that checks scenes; one that does not answer in time is replaced, and that is a finding. */
function createChecker(): { check(scene: SceneJson): Promise<Verdict>; close(): void } {
  let worker: Worker | undefined;
  const start = (): Worker => new Worker(fileURLToPath(import.meta.url));
  return {
    check(scene) {
      worker ??= start();
      const thread = worker;
      return new Promise((resolve) => {
        const end = (verdict: Verdict): void => {
          clearTimeout(timer);
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
        const timer = setTimeout(() => giveUp('hang', `no answer in ${patience / 1000} s`), patience);
        thread.on('message', end);
        thread.on('error', crash);
        thread.postMessage(scene);
      });
    },
    close: () => void worker?.terminate(),
  };
}

function report(scene: SceneJson, { finding }: Verdict, out: string | undefined): void {
  console.error(`\nFOUND ${finding?.oracle}: ${finding?.detail}\n${JSON.stringify(scene)}`);
  if (out === undefined) return;
  mkdirSync(out, { recursive: true });
  const file = join(out, `fuzz-${finding?.oracle.replace(' ', '-')}-${Date.now().toString(36)}.json`);
  writeFileSync(file, `${JSON.stringify(scene, null, 2)}\n`);
  console.error(`wrote ${file}`);
}
