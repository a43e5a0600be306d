/** Live figures of the documentation: the built site, served as plain files, runs the scene of a page and lets the reader pull it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { cases } from '@tendril-sim/cases';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allowScripting, launchBrowser } from '../packages/studio/test/browser.ts';
import { liveScene, writeSite } from '../site/build.ts';
import { pages, read } from './files.ts';

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const folder = mkdtempSync(join(tmpdir(), 'tendril-site-'));
let server: Server;
let browser: Browser;

beforeAll(async () => {
  writeSite(folder);
  server = createServer((request, response) => {
    try {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      const content = readFileSync(join(folder, path));
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('names cases that exist, and leaves out scenes that cannot run in a page', () => {
  const known = new Set(cases.map(({ id }) => id));
  const named = pages().flatMap((path) => [...read(path).matchAll(/^<!-- live: (.*) -->$/gm)].map(([, id]) => id));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((id) => !known.has(id))).toEqual([]);
  const scene = 'tendril: 1\nrods: []\ntime: { duration: 1 s, step: 1 ms }\n';
  expect(liveScene(scene)).toMatch(/^name=scene\.yaml&s=[\w-]+$/);
  expect(liveScene(scene.replace('time:', 'output:'))).toBeUndefined();
  expect(liveScene(`${scene}strands: { file: a.hairstyle }`)).toBeUndefined();
});

it('runs the scene of a page, and a reader can pull it', async () => {
  const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
  page.setDefaultTimeout(240_000);
  await allowScripting(page);
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/start.html`);
  await page.locator('figure.live button').first().click();
  const shown = await page.waitForSelector('figure.live iframe');
  await shown.scrollIntoViewIfNeeded();
  const frame = await shown.contentFrame();
  if (!frame) throw new Error('the figure has no page');
  await frame.waitForFunction('window.tendrilStudio?.run().frames > 20', undefined, { timeout: 240_000 });
  // the view and the timeline, none of the panels
  expect(await frame.locator('header.top, .gallery, .side').count()).toBe(0);
  // whatever the width of the page, the hint leaves the tools free
  for (const width of [1200, 420, 900]) {
    await page.setViewportSize({ width, height: 700 });
    const isFree = async (): Promise<boolean> => {
      const [tools, hint] = await Promise.all(['.tools', '.hint'].map((part) => frame.locator(part).boundingBox()));
      if (!tools || !hint) throw new Error('the figure has no tools or no hint');
      return hint.x >= tools.x + tools.width || hint.y >= tools.y + tools.height;
    };
    await expect.poll(isFree, { timeout: 60_000, message: `${width}` }).toBe(true);
  }
  await shown.scrollIntoViewIfNeeded();
  const corner = await shown.boundingBox();
  if (!corner) throw new Error('the figure is not shown');
  // the rod moves while the mouse is on its way: a hand that misses tries again
  const reach = async (): Promise<boolean> => {
    const node = (await frame.evaluate('tendrilStudio.drawnAt(0, 20)')) as { x: number; y: number };
    await page.mouse.move(corner.x + node.x, corner.y + node.y);
    await page.mouse.down();
    await page.mouse.move(corner.x + node.x + 60, corner.y + node.y - 40, { steps: 4 });
    const pulled = await frame
      .waitForFunction('tendrilStudio.pull() !== undefined', undefined, { timeout: 5000 })
      .then(() => true)
      .catch(() => false);
    await page.mouse.up();
    return pulled;
  };
  await expect.poll(reach, { timeout: 240_000 }).toBe(true);
  expect(problems).toEqual([]);
});
