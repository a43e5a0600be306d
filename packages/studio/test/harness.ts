/**
 * A page of the studio for each test, and what is often done on it.
 *
 * The pages of a file share a browser context, so that scripts are fetched and compiled once; what the page stores is deleted before
 * each test.
 */
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { launchBrowser, type Server, serveStudio } from './browser.ts';

const require = createRequire(import.meta.url);

/** Of the test that runs. */
export let page: Page;
export let server: Server;
/** What the browser has complained of; a test that expects complaints clears them. */
export const complaints: string[] = [];

/** For one thing to happen [ms]. */
const patience = Number(process.env.STUDIO_PATIENCE ?? 60_000);

let browser: Browser;
let context: BrowserContext;
let others: BrowserContext[] = [];

/** To be called once by a file of tests. */
export function useStudio(): void {
  // two cores that others use too are slow: what takes a second on a quiet machine may take twenty
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

  beforeAll(async () => {
    server = await serveStudio();
    browser = await launchBrowser();
    context = await browser.newContext({ viewport: { width: 1100, height: 720 }, acceptDownloads: true });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  beforeEach(async () => {
    page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin: new URL(server.url).origin, storageTypes: 'all' });
    page.setDefaultTimeout(patience);
    complaints.length = 0;
    page.on('pageerror', (error) => complaints.push(String(error.stack)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
  });

  afterEach(async () => {
    await Promise.all([...context.pages(), ...others].map((each) => each.close()));
    others = [];
    expect(complaints).toEqual([]);
  });
}

/** Of another visitor, who has been here never before. */
export async function newPage(): Promise<Page> {
  const other = await browser.newContext({ viewport: { width: 1100, height: 720 } });
  others.push(other);
  const opened = await other.newPage();
  opened.setDefaultTimeout(patience);
  opened.on('pageerror', (error) => complaints.push(String(error.stack)));
  return opened;
}

export async function open(fragment: string): Promise<void> {
  await page.goto(server.url + fragment);
  await page.waitForFunction(() => window.tendrilStudio?.position(0, 0).length === 3);
}

export const clock = (): Promise<number> =>
  page.locator('.clock').evaluate((element) => Number(/=\s*([\d.]+)/.exec(element.textContent ?? '')?.[1]));

export const waitForClock = (least: number, most = Number.MAX_VALUE): Promise<unknown> =>
  page.waitForFunction(
    ([least, most]) => {
      const t = Number(/=\s*([\d.]+)/.exec(document.querySelector('.clock')?.textContent ?? '')?.[1]);
      return t >= least && t <= most;
    },
    [least, most],
  );

/** Until what was asked before is on the screen, however slow the machine is. */
export const drawn = (): Promise<void> =>
  page.evaluate(async () => {
    for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame);
  });

/** Drops a scene on the page. */
export const dropText = (yaml: string): Promise<void> =>
  page.evaluate((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], 'test.yaml'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
  }, yaml);

export const dropFile = (name: string, bytes: Uint8Array): Promise<void> =>
  page.evaluate(
    ([fileName, base64]) => {
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    [name, Buffer.from(bytes).toString('base64')],
  );

export const text = (): Promise<string> => page.locator('textarea').inputValue();

/** Clicks on a node. */
export const clickNode = async (rod: number, node: number): Promise<void> => {
  const at = await page.evaluate(([r, n]) => window.tendrilStudio.place(r, n), [rod, node]);
  if (!at) throw new Error('the node is nowhere');
  await page.mouse.click(at.x, at.y);
};

/** What axe finds that is serious. */
export async function findFaults(): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window)))
    await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
  return page.evaluate(async () => {
    const { axe } = window as typeof window & { readonly axe: typeof import('axe-core') };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  });
}
