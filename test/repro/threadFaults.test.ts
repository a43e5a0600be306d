/** Worker threads that end, throw, or do not know what was changed while the world runs: the caller notices, and says so. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createPointSpring, createWorld, type Model, type Scene, SceneError, SimulationError } from '@tendril-sim/core';
import { countUsefulThreads, loadDer, loadThreadedDer } from '@tendril-sim/core/kernels';
import { afterAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../packages/cli/test/harness.ts';
import { eager, floorAt, hairs } from '../../packages/core/test/threads/teams.ts';
// the sources have no file that a thread could run
import { startThreads, type Threads } from '../../packages/io/dist/node.js';

/** Most time until a caller notices [s]: two on an idle machine, more on a busy one; one that does not notice waits forever. */
const patience = 200;

const folder = mkdtempSync(join(tmpdir(), 'tendril-threads-'));
const started: Threads[] = [];
afterAll(() => {
  for (const threads of started) threads.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = (count: number, script?: URL): Threads => {
  const threads = startThreads(count, script);
  started.push(threads);
  return threads;
};

/** Workers that end at the so-manieth atomic addition: each request has one, at its end. */
const mortal = (additions: number): URL => {
  const kernels = pathToFileURL(fileURLToPath(new URL('../../packages/core/dist/kernels/index.js', import.meta.url)));
  const file = join(folder, `mortal${additions}.mjs`);
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads';
import { serveThread } from '${kernels}';
const { add } = Atomics;
let left = ${additions};
Atomics.add = (...given) => {
  if (left-- === 0) process.exit(1);
  return add(...given);
};
parentPort.on('message', (message) => serveThread(message));
`,
  );
  return pathToFileURL(file);
};

/** Two workers: as they begin a request, one ends, and the other one takes a while. */
const endsWhileOtherWorks = (turn: number): URL => {
  const kernels = pathToFileURL(fileURLToPath(new URL('../../packages/core/dist/kernels/index.js', import.meta.url)));
  const file = join(folder, 'endsWhileOtherWorks.mjs');
  writeFileSync(
    file,
    `import { parentPort, threadId } from 'node:worker_threads';
import { serveThread } from '${kernels}';
const { store } = Atomics;
// a worker notes the number of every request that it begins
Atomics.store = (list, at, value) => {
  store(list, at, value);
  if (value === ${turn} && threadId % 2 === 0) process.exit(1);
  for (const start = performance.now(); value === ${turn} && performance.now() < start + 700; );
  return value;
};
parentPort.on('message', (message) => serveThread(message));
`,
  );
  return pathToFileURL(file);
};

const one = await loadDer();
const scenes: readonly (readonly [string, Scene])[] = [
  ['free', hairs],
  ['on a floor', { ...hairs, pins: hairs.pins?.slice(0, 7), colliders: floorAt(-0.004) }],
];

describe.each(scenes)('a worker that ends: hairs, %s', (_, scene) => {
  const stepUntilError = (
    models: readonly Model[],
  ): { error: unknown; seconds: number; good: number; same: boolean } => {
    const world = createWorld(scene, { models });
    for (;;) {
      const [hash, good, begin] = [world.hash(), world.stepCount, performance.now()];
      try {
        world.step();
      } catch (error) {
        const seconds = (performance.now() - begin) / 1000;
        // the last good state, from which the caller's thread goes on alone to the same end
        const same = world.hash() === hash;
        const reference = createWorld(scene, { models: [one] });
        for (let k = 0; k < good + 5; k++) reference.step();
        for (let k = 0; k < 5; k++) world.step();
        return { error, seconds, good, same: same && world.hash() === reference.hash() };
      }
      if (good > 200) throw new Error('no worker has ended');
    }
  };

  it.each([9, 40])('in the middle of a step, after %i requests', async (additions) => {
    const { ports } = start(3, mortal(additions));
    const { error, seconds, same } = stepUntilError([await loadThreadedDer(ports, eager)]);
    expect(error).toBeInstanceOf(SimulationError);
    expect(String(error)).toMatch(/worker thread \d has ended/);
    expect(seconds).toBeLessThan(patience);
    expect(same).toBe(true);
  });

  it('because the threads were closed', async () => {
    const threads = start(2);
    const model = await loadThreadedDer(threads.ports, eager);
    const world = createWorld(scene, { models: [model] });
    world.step();
    threads.close();
    const begin = performance.now();
    expect(() => world.step()).toThrow(/worker thread 1 has ended/);
    expect((performance.now() - begin) / 1000).toBeLessThan(patience);
    expect(() => createWorld(scene, { models: [model] })).toThrow(/worker thread 1 has ended/);
  });

  it('and nobody reports it, as in a browser', async () => {
    const threads = start(3);
    const ports = threads.ports.map(({ postMessage }) => ({ postMessage }));
    // once this is loaded, the workers have started and answer fast
    await loadThreadedDer(ports, { ...eager, answerSeconds: 240 });
    const [model, impatient] = [
      await loadThreadedDer(ports, { ...eager, answerSeconds: 3 }),
      await loadThreadedDer(ports, { ...eager, answerSeconds: 3 }),
    ];
    const world = createWorld(scene, { models: [impatient] });
    world.step();
    const hash = world.hash();
    threads.close();
    expect(() => world.step()).toThrow(/worker thread 1 has ended/);
    expect(world.hash()).toBe(hash);
    world.step();
    expect(world.stepCount).toBe(2);
    expect(() => createWorld(scene, { models: [model] })).toThrow(/worker thread 1 has ended/);
  });
});

it('restores the state after a worker that still moves rods has stopped', async () => {
  const { ports } = start(3, endsWhileOtherWorks(12));
  const world = createWorld(hairs, { models: [await loadThreadedDer(ports, eager)] });
  let hash = '';
  expect(() => {
    for (let k = 0; k < 40; k++) {
      hash = world.hash();
      world.step();
    }
  }).toThrow(/worker thread \d has ended/);
  // time in which a worker would write what it had begun
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(world.hash()).toBe(hash);
});

describe('loads and grips that were added while the world runs', () => {
  it.each(scenes)('act on the rods of all threads: hairs, %s', async (_, scene) => {
    const act = (models: readonly Model[]): string[] => {
      const world = createWorld(scene, { models });
      const hashes: string[] = [];
      const go = (steps: number): void => {
        for (let k = 0; k < steps; k++) world.step();
        hashes.push(world.hash());
      };
      go(2);
      const removals = [1, 4, 6, 10].map((rod) => {
        const spring = createPointSpring(5, 0.01, 0);
        spring.target.set([0.05, 0.01 * rod, 0.05]);
        return world.addLoad(rod, spring);
      });
      const height = (): number => world.samples[10].nodePosition[17];
      const before = height();
      go(5);
      expect(height()).toBeGreaterThan(before);
      for (const grip of world.grips.slice(1, 6)) grip.move({ offset: [0.004, 0, 0.01] }, world.time, 0.01);
      go(5);
      for (const remove of removals) remove();
      go(3);
      world.grips[5].release();
      go(5);
      return hashes;
    };
    const expected = act([one]);
    expect(new Set(expected).size).toBe(expected.length);
    for (const count of [2, 3]) expect(act([await loadThreadedDer(start(count).ports, eager)])).toEqual(expected);
  });
});

describe('a formula that fails in a worker', () => {
  const failing: Scene = {
    ...hairs,
    fields: [{ type: 'force', per: 'mass', formula: ['0', '0', 'sqrt((y < 0.07 ? 1 : 0.03) - t)'] }],
  };

  it('throws what it throws in one thread, and the state is that of the last good step', async () => {
    const run = (models: readonly Model[]): { error: unknown; hash: string; good: number } => {
      const world = createWorld(failing, { models });
      for (;;) {
        const [hash, good] = [world.hash(), world.stepCount];
        try {
          world.step();
        } catch (error) {
          expect(world.hash()).toBe(hash);
          return { error, hash, good };
        }
      }
    };
    const threaded = run([await loadThreadedDer(start(3).ports, eager)]);
    const reference = createWorld(failing, { models: [one] });
    for (let k = 0; k < threaded.good; k++) reference.step();
    expect(threaded.hash).toBe(reference.hash());
    let expected: unknown;
    try {
      reference.step();
    } catch (error) {
      expected = error;
    }
    expect(expected).toBeInstanceOf(SceneError);
    expect(threaded.error).toBeInstanceOf(SceneError);
    expect({ ...(threaded.error as SceneError) }).toEqual({ ...(expected as SceneError) });
    expect(String(threaded.error)).toBe(String(expected));
  });
});

describe('tendril run', () => {
  it('answers a formula that fails in a worker as bad input', async () => {
    const box = sandbox();
    const fields = [{ type: 'force', per: 'mass', formula: ['0', '0', 'sqrt((y < 0.07 ? 1 : 0.03) - t)'] }];
    box.write('scene.json', JSON.stringify({ ...hairs, fields, time: { duration: 0.1, step: 0.005 } }));
    const [single, double] = await Promise.all(
      ['1', '2'].map((threads) => box.run('run', 'scene.json', '--threads', threads, '--out', `out${threads}`)),
    );
    expect(single.code).toBe(2);
    expect(double.code).toBe(2);
    const errorOf = (text: string): string | undefined => text.split('\n').find((line) => line.startsWith('error:'));
    expect(errorOf(single.err)).toMatch(/fields\[0\]\.formula\[2\]/);
    expect(errorOf(double.err)).toBe(errorOf(single.err));
  });

  it('starts no more threads than rods can keep busy', async () => {
    expect([1, 2, 3, 4, 11, 1000].map(countUsefulThreads)).toEqual([1, 1, 1, 2, 5, 500]);
    const box = sandbox();
    box.write(
      'scene.json',
      JSON.stringify({ ...hairs, rods: hairs.rods.slice(0, 2), pins: [], time: { duration: 0.01, step: 0.005 } }),
    );
    const { child, finished } = box.start('run', 'scene.json', '--threads', '48', '--out', 'out');
    let most = 0;
    const watch = setInterval(() => {
      try {
        most = Math.max(most, readdirSync(`/proc/${child.pid}/task`).length);
      } catch {
        // it has ended
      }
    }, 5);
    const { code } = await finished;
    clearInterval(watch);
    expect(code).toBe(0);
    // Node has about a dozen of its own
    expect(most).toBeLessThan(30);
  });
});
