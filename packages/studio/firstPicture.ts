/**
 * Measures how long a first visit waits until a rod moves, in Chromium without throttling: wall time, and processor time of all processes of
 * the browser, which says more on a machine that does other things too. `npm run first-picture [-- runs]`
 */
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { launchBrowser, serveStudio } from './test/browser.ts';

interface Visit {
  /** Until the clock of the page moves, after navigation [s]. */
  readonly wall: number;
  /** Processor time of all processes until then [s]. */
  readonly processor: number;
  /** Script that was fetched, compressed [kB]. */
  readonly script: number;
}

async function processorTime(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
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
    const before = await processorTime(browser);
    await page.goto(url);
    await page.waitForFunction(() => performance.getEntriesByName('moves').length > 0);
    const processor = (await processorTime(browser)) - before;
    const wall = await page.evaluate(() => performance.getEntriesByName('moves')[0].startTime / 1000);
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    return { wall, processor, script: sizes.reduce((sum, size) => sum + size, 0) / 1000 };
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
    ['processor', 's'],
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
