/** examples/web in Chromium: built by vite as its README says, then the four pages run. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../packages/studio/test/browser.ts';
import { root } from './files.ts';

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
let folder: string;
let server: Server;
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tendril-web-'));
  await build({
    root: join(root, 'examples/web'),
    configFile: join(root, 'examples/web/vite.config.js'),
    logLevel: 'error',
    // the repository has no React; Preact has its interface
    resolve: {
      alias: {
        'react/jsx-runtime': 'preact/jsx-runtime',
        'react-dom/client': 'preact/compat/client',
        react: 'preact/compat',
      },
    },
    build: { outDir: folder, emptyOutDir: true },
  });
  server = createServer((request, response) => {
    try {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      const content = readFileSync(join(folder, path));
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  browser = await launchBrowser();
  page = await browser.newPage({ viewport: { width: 640, height: 480 } });
  page.setDefaultTimeout(240_000);
  page.on('pageerror', ({ message }) => problems.push(message));
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (name: string): Promise<unknown> =>
  page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`);
const tip = async (): Promise<number[]> =>
  ((await page.evaluate('document.body.dataset.tip')) as string).split(' ').map(Number);

it('the rope falls, and its end follows the mouse', async () => {
  await open('index.html');
  // from x = 1 at the height of the pin it swings down, until it hangs: for sixty pictures, each a sixtieth of a second or more after
  // another, which is longer than half a swing. Of a rope on its way up the hand might get a node that is too near the pin
  await page.waitForFunction(() => {
    const scope = globalThis as typeof globalThis & { low?: { tip?: string; pictures: number } };
    const { tip } = document.body.dataset;
    scope.low ??= { pictures: 0 };
    if (tip === scope.low.tip) return false;
    const isLow = Number(tip?.split(' ')[2]) < -0.9;
    scope.low = { tip, pictures: isLow ? scope.low.pictures + 1 : 0 };
    return scope.low.pictures >= 60;
  });
  // pull what is nearest to the mouse to (0.34, 0, −0.45) m
  await page.mouse.move(320, 385);
  await page.mouse.down();
  await page.mouse.move(400, 240, { steps: 5 });
  // it comes there and stays for forty pictures, each a sixtieth of a second or more after another: without the hand it would swing on
  await page.waitForFunction(() => {
    const scope = globalThis as typeof globalThis & { near?: { tip?: string; pictures: number } };
    const { held = '', tip } = document.body.dataset;
    scope.near ??= { pictures: 0 };
    if (tip === scope.near.tip) return false;
    const [x, , z] = held.split(' ').map(Number);
    const isNear = Math.hypot(x - 0.34, z + 0.45) < 0.1;
    scope.near = { tip, pictures: isNear ? scope.near.pictures + 1 : 0 };
    return scope.near.pictures >= 40;
  });
  await page.mouse.up();
  expect((await tip()).every(Number.isFinite)).toBe(true);
  expect(problems).toEqual([]);
});

it('the rope in a component falls, and follows the mouse', async () => {
  await open('react.html');
  await page.waitForFunction(() => Number(document.body.dataset.tip?.split(' ')[2]) < -0.7);
  const box = await page.locator('canvas').boundingBox();
  if (!box) throw new Error('no canvas');
  const [x, , z] = await tip();
  await page.mouse.move(box.x + 280 + 240 * x, box.y + 40 - 240 * z);
  await page.mouse.down();
  // to (0.6, 0, −0.5) m
  await page.mouse.move(box.x + 280 + 144, box.y + 160, { steps: 5 });
  await page.waitForFunction(() => Number(document.body.dataset.tip?.split(' ')[0]) > 0.5);
  await page.mouse.up();
  expect(problems).toEqual([]);
});

it('the plain script steps', async () => {
  await open('plain.html');
  await page.waitForFunction(() => Number(document.body.dataset.time) > 0.3);
  expect(problems).toEqual([]);
});

it('hair on the glTF head moves', async () => {
  // the processor draws its hair
  await page.setViewportSize({ width: 160, height: 120 });
  await open('hair.html');
  await page.waitForFunction(() => Number(document.body.dataset.time) > 0.1);
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
  expect(problems).toEqual([]);
});
