/** Worker threads in Chromium. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium } from '../../../studio/test/browser.ts';
import { createWorld, type Scene } from '../../src/index.ts';
import { loadDer } from '../../src/kernels/index.ts';
import { checkPlatform } from '../../src/threads/startup.ts';

const hairs: Scene = {
  tendril: 1,
  gravity: [0, 0, -9.81],
  rods: Array.from({ length: 9 }, (_, k) => ({
    id: `hair ${k}`,
    shape: { type: 'straight', from: [0, 0.01 * k, 0], to: [0.1, 0.01 * k, 0] },
    edges: 8,
    section: { type: 'circle', radius: 3e-5 },
    material: { E: 3.5e9, G: 1e9, density: 1300 },
  })),
  pins: Array.from({ length: 9 }, (_, k) => ({ rod: `hair ${k}`, at: 'start' })),
  colliders: [{ type: 'plane', position: [0, 0, -0.004], normal: [0, 0, 1], friction: 0.3 }],
  time: { duration: 1, step: 0.004 },
};
const STEPS = 12;
/** For a worker to answer [s]: on a busy machine it takes seconds to load the library. */
const patience = 120;

/** Scripts of the page; `/tendril.js` is the library. */
const scripts: Readonly<Record<string, string>> = {
  '/thread.js': `
    import { serveThread } from '/tendril.js';
    onmessage = ({ data }) => serveThread(data);`,
  '/mute.js': 'onmessage = () => {};',
  '/main.js': `
    import { createWorld, loadThreadedDer } from '/tendril.js';
    async function run(script, count, answerSeconds) {
      const eager = { leastParts: 2, leastTouching: 2, leastNumbers: 1, leastNodes: 1, answerSeconds };
      const workers = Array.from({ length: count - 1 }, () => new Worker(script, { type: 'module' }));
      const world = createWorld(${JSON.stringify(hairs)}, { models: [await loadThreadedDer(workers, eager)] });
      for (let k = 0; k < ${STEPS}; k++) world.step();
      return { hash: world.hash(), touched: world.contactForces().length };
    }
    const settle = (...given) =>
      run(...given).then((result) => ({ result }), (error) => ({ error: error.message }));
    if (typeof document === 'undefined') onmessage = async ({ data }) => postMessage(await settle(...data));
    else globalThis.settle = settle;`,
};

interface Outcome {
  readonly result?: { readonly hash: string; readonly touched: number };
  readonly error?: string;
}

const servers: Server[] = [];
const serve = async (headers: Readonly<Record<string, string>>): Promise<string> => {
  const server = createServer(({ url: path = '/' }, response) => {
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    const text =
      path === '/'
        ? '<script type="module" src="/main.js"></script>'
        : path === '/tendril.js'
          ? library
          : scripts[path];
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type, ...headers });
    response.end(text);
  });
  servers.push(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

let library: string;
let browser: Browser;
let isolated: string;
let open: string;
beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "export { createWorld } from './index.ts'; export { loadThreadedDer, serveThread } from './kernels/index.ts';",
      resolveDir: 'packages/core/src',
    },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
  });
  library = outputFiles[0].text;
  browser = await chromium.launch({
    executablePath: findChromium(),
    timeout: 120_000,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  isolated = await serve({
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  });
  open = await serve({});
});
afterAll(async () => {
  await browser.close();
  for (const server of servers) server.close();
});

/** Runs the world of the page with `count` threads; `place`: in a worker, as the docs ask for, or in the page. */
const run = async (
  url: string,
  script: string,
  count: number,
  answerSeconds: number,
  place: 'worker' | 'page' = 'worker',
): Promise<Outcome> => {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  try {
    await page.goto(url);
    const given = { parameters: [script, count, answerSeconds], place };
    return await page.evaluate(({ parameters, place }) => {
      if (place === 'page')
        return (globalThis as unknown as { settle(...given: unknown[]): Promise<Outcome> }).settle(...parameters);
      const worker = new Worker('/main.js', { type: 'module' });
      worker.postMessage(parameters);
      return new Promise<Outcome>((resolve) => {
        worker.onmessage = ({ data }) => resolve(data as Outcome);
      });
    }, given);
  } finally {
    await page.close();
  }
};

it('gives the bits of one thread in Node', async () => {
  const world = createWorld(hairs, { models: [await loadDer()] });
  for (let k = 0; k < STEPS; k++) world.step();
  const { result, error } = await run(isolated, '/thread.js', 3, patience);
  expect(error).toBeUndefined();
  expect(result?.touched).toBeGreaterThan(20);
  expect(result?.hash).toBe(world.hash());
});

it.each([
  [
    'a page without the headers',
    () => run(open, '/thread.js', 2, patience),
    /Cross-Origin-Embedder-Policy: require-corp/,
  ],
  ['the main thread of a page', () => run(isolated, '/thread.js', 2, patience, 'page'), /main thread .* in a worker/],
  ['a script that is not there', () => run(isolated, '/nowhere.js', 2, patience), /worker thread 1 does not start/],
  [
    'a script that does not serve',
    () => run(isolated, '/mute.js', 2, 1),
    /thread 1 did not answer within 1 s.*serveThread/,
  ],
])('an error says what is wrong with %s', async (_, act, message) => {
  expect((await act()).error).toMatch(message);
});

it('is no concern of Node', () => {
  expect(() => checkPlatform({}, true)).not.toThrow();
});
