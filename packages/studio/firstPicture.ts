/**
 * Measures how long a first visit waits until a rod moves, in Chromium without throttling: wall time, and processor time of the browser's
 * processes, which says more on a machine that does other things too. `npm run first-picture [-- runs]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { launchBrowser, serveStudio } from './test/browser.ts';

interface Visit {
  /** Until the clock of the page moves, after navigation [s]. */
  readonly wall: number;
  /** Processor time until then [s]: of the page and its worker, of the process that draws, of the rest of the browser. */
  readonly page: number;
  readonly drawing: number;
  readonly browser: number;
  /** Script that was fetched, compressed [kB]. */
  readonly script: number;
}

type Spent = Pick<Visit, 'page' | 'drawing' | 'browser'>;

async function processorTime(browser: Browser): Promise<Spent> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const spent = { page: 0, drawing: 0, browser: 0 };
  for (const { type, cpuTime } of processInfo)
    spent[type === 'renderer' ? 'page' : type === 'GPU' ? 'drawing' : 'browser'] += cpuTime;
  return spent;
}

/** Waits until the browser has finished what it does when it starts, its own first page among it. */
async function settle(browser: Browser): Promise<Spent> {
  for (let before = await processorTime(browser); ; ) {
    await sleep(500);
    const now = await processorTime(browser);
    if (now.page + now.browser < before.page + before.browser + 0.03) return now;
    before = now;
  }
}

async function visit(url: string): Promise<Visit> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const bodies: Promise<Buffer>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) bodies.push(response.body());
    });
    await page.addInitScript(() => {
      const look = (): void => {
        const time = Number(/=\s*([\d.]+)/.exec(document.querySelector('.clock')?.textContent ?? '')?.[1]);
        if (time > 0) performance.mark('moves');
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    const before = await settle(browser);
    await page.goto(url);
    await page.waitForFunction(() => performance.getEntriesByName('moves').length > 0);
    const after = await processorTime(browser);
    const wall = await page.evaluate(() => performance.getEntriesByName('moves')[0].startTime / 1000);
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    return {
      wall,
      page: after.page - before.page,
      drawing: after.drawing - before.drawing,
      browser: after.browser - before.browser,
      script: sizes.reduce((sum, size) => sum + size, 0) / 1000,
    };
  } finally {
    await browser.close();
  }
}

const server = await serveStudio();
try {
  const visits: Visit[] = [];
  for (let k = 0; k < Number(process.argv[2] ?? 5); k++) visits.push(await visit(server.url));
  for (const [name, unit] of [
    ['wall', 's'],
    ['page', 's'],
    ['drawing', 's'],
    ['browser', 's'],
    ['script', 'kB'],
  ] as const) {
    const values = visits.map((one) => one[name]).sort((a, b) => a - b);
    const [least, middle] = [values[0], values[values.length >> 1]];
    console.log(
      `${name}: ${least.toFixed(2)} ${unit} at best, median ${middle.toFixed(2)} ${unit} of ${values.length}`,
    );
  }
} finally {
  server.close();
}
