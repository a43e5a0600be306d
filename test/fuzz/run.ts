/**
 * `npm run fuzz -- [--scenes 1000] [--from 1] [--model der] [--kind rich] [--out test/repro/scenes]`: random scenes, sound and damaged, against the
 * oracles.
 *
 * A scene is drawn from its own number, so that a run can go on where another ended (`--from`) and one scene can be repeated (`--from 5 --scenes 1`).
 * Every fourth is damaged, every fourth has more than loads and pins. Each scene is checked in a thread that is given up after a while, so that a hang is a finding. A finding is shrunk by
 * fast-check, which repeats it; the summary counts scenes alone. With `--out` the shrunk scene is written with the oracle in its name.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort } from 'node:worker_threads';
import { startThreads } from '@tendril-sim/io/node';
import fc from 'fast-check';
import { type Checker, createChecker } from './checker.ts';
import { checkScene } from './oracles.ts';
import { richScenes } from './richScenes.ts';
import type { Verdict } from './runScene.ts';
import { damagedScenes, type FuzzModel, type SceneJson, scenes } from './scenes.ts';

const kinds = { plain: scenes, rich: richScenes, damaged: damagedScenes };
type Kind = keyof typeof kinds;

/** A summary of the scenes so far is printed after each of so many. */
const interval = 500;

/** A finding is shrunk by so many repeats at most, and for so long [ms]. */
const shrinks = { repeats: 150, time: 60_000 };

if (isMainThread) await fuzz();
else {
  const { ports } = startThreads(2);
  parentPort?.on('message', async (scene: SceneJson) => parentPort?.postMessage(await checkScene(scene, { ports })));
}

interface Counts {
  refused: number;
  failed: number;
  warned: number;
  ran: number;
  findings: number;
}

async function fuzz(): Promise<void> {
  const { values } = parseArgs({
    options: {
      scenes: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      model: { type: 'string' },
      kind: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const from = Number(values.from);
  const count = Number(values.scenes);
  const wanted: Wanted = { model: values.model as FuzzModel | undefined, kind: values.kind as Kind | undefined };
  const checker = createChecker(import.meta.url);
  const counts: Counts = { refused: 0, failed: 0, warned: 0, ran: 0, findings: 0 };
  console.log(`scenes ${from} to ${from + count - 1}`);
  for (let k = from; k < from + count; k++) {
    const [scene] = draw(k, wanted);
    const verdict = await checker.check(scene);
    counts[verdict.outcome]++;
    if (verdict.finding) {
      counts.findings++;
      console.error(`scene ${k}: ${verdict.finding.oracle}: ${verdict.finding.detail}\n${JSON.stringify(scene)}`);
      report(k, await shrink(checker, k, { scene, verdict, wanted }), values.out);
    }
    if ((k - from + 1) % interval === 0) console.log(summarize(k - from + 1, counts));
  }
  checker.close();
  if (count % interval !== 0) console.log(summarize(count, counts));
  process.exit(counts.findings > 0 ? 1 : 0);
}

function summarize(scenes: number, { ran, warned, failed, refused, findings }: Counts): string {
  return `${scenes} scenes, ${findings} findings (${ran} ran, ${warned} ran with a warning, ${failed} failed with a reason, ${refused} were refused)`;
}

/** What is asked for; by default, kinds take turns, and models are drawn. */
interface Wanted {
  readonly model: FuzzModel | undefined;
  readonly kind: Kind | undefined;
}

function arbitraryOf(k: number, { model, kind }: Wanted): fc.Arbitrary<SceneJson> {
  const turn: readonly Kind[] = ['damaged', 'plain', 'rich', 'plain'];
  return kinds[kind ?? turn[k % 4]](model);
}

/** Neighbouring numbers must not give similar scenes. */
function seedOf(k: number): number {
  return Math.imul(k, 0x9e3779b1) ^ (k >>> 7);
}

function draw(k: number, wanted: Wanted): SceneJson[] {
  return fc.sample(arbitraryOf(k, wanted), { seed: seedOf(k), numRuns: 1 });
}

interface Found {
  readonly scene: SceneJson;
  readonly verdict: Verdict;
}

/** The smallest scene that fast-check reaches in which the same oracle finds something. */
async function shrink(checker: Checker, k: number, first: Found & { readonly wanted: Wanted }): Promise<Found> {
  const { wanted } = first;
  let smallest: Found = first;
  let repeats = 0;
  const end = Date.now() + shrinks.time;
  const property = fc.asyncProperty(arbitraryOf(k, wanted), async (scene) => {
    if (++repeats > shrinks.repeats || Date.now() > end) return;
    const verdict = await checker.check(scene);
    if (verdict.finding?.oracle !== first.verdict.finding?.oracle) return;
    smallest = { scene, verdict };
    throw new Error('found');
  });
  // a hang would take the whole time again and again
  if (first.verdict.finding?.oracle !== 'hang') await fc.check(property, { seed: seedOf(k), numRuns: 1 });
  return smallest;
}

function report(k: number, { scene, verdict: { finding } }: Found, out: string | undefined): void {
  console.error(`scene ${k} shrunk: ${finding?.oracle}: ${finding?.detail}\n${JSON.stringify(scene)}`);
  if (out === undefined) return;
  mkdirSync(out, { recursive: true });
  const file = join(out, `fuzz-${finding?.oracle.replace(' ', '-')}-${k}.json`);
  writeFileSync(file, `${JSON.stringify(scene, null, 2)}\n`);
  console.error(`wrote ${file}`);
}
