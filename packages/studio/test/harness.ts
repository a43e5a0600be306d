/**
 * A page of the studio for a file of tests, and what is often done on it.
 *
 * A page is loaded once: `open` leads it to another scene as a pasted link does. It draws coarsely (`?quality=low`), because the processor
 * draws it. `visit` loads it anew, with nothing stored; so does `open` after a test that failed.
 */
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { allowScripting, launchBrowser, type Server, serveStudio } from './browser.ts';

const require = createRequire(import.meta.url);

/** The page that is open. */
export let page: Page;
export let server: Server;
/** What the browser has complained of; a test that expects complaints clears them. */
export const complaints: string[] = [];

/** For one thing to happen [ms]: two cores that others use too may take a minute for what takes a second on a quiet machine. */
const patience = 120_000;

/** Wide enough for both panels beside the view. */
export const screen = { viewport: { width: 1200, height: 720 }, deviceScaleFactor: 0.5 };

/** Between two looks at a page that is to come to something [ms]. */
const polling = 60;

let browser: Browser;
let context: BrowserContext;
let others: BrowserContext[] = [];
let isOpen = false;

/** To be called once by a file of tests. */
export function useStudio(): void {
  vi.setConfig({ testTimeout: 300_000, hookTimeout: 2 * patience });

  beforeAll(async () => {
    server = await serveStudio();
    browser = await launchBrowser();
    context = await browser.newContext({ ...screen, acceptDownloads: true });
    context.setDefaultTimeout(patience);
    await allowScripting(context);
  }, 2 * patience);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    isOpen = false;
  }, patience);

  beforeEach(() => {
    complaints.length = 0;
  });

  afterEach(async ({ task }) => {
    await Promise.all(others.map((each) => each.close()));
    others = [];
    if (task.result?.state === 'fail') await leave();
    expect(complaints).toEqual([]);
  }, patience);
}

/** Closes all pages: the next test starts on a new one. */
async function leave(): Promise<void> {
  isOpen = false;
  await Promise.all(context.pages().map((each) => each.close()));
}

function listen(to: Page): void {
  to.on('pageerror', (error) => complaints.push(String(error.stack)));
}

/** Of another visitor, who has been here never before. */
export async function newPage(viewport: { width: number; height: number } = screen.viewport): Promise<Page> {
  const other = await browser.newContext({ ...screen, viewport });
  // of pages that it opens, too
  other.setDefaultTimeout(patience);
  await allowScripting(other);
  others.push(other);
  const opened = await other.newPage();
  listen(opened);
  return opened;
}

/** The address of the page that ends in this, and may begin with a query. */
export const addressOf = (rest: string): string => `${server.url}${rest.startsWith('?') ? '' : '?quality=low'}${rest}`;

/** Waits until something holds in the page. */
export const until = <T>(holds: (arg: T) => unknown, arg?: T): Promise<unknown> =>
  page.waitForFunction(holds as (arg: unknown) => unknown, arg, { polling });

/** Loads the page as one who has never been here. */
export async function visit(rest: string): Promise<void> {
  await leave();
  page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: new URL(server.url).origin, storageTypes: 'all' });
  listen(page);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(addressOf(rest));
  await isShown();
  isOpen = true;
}

/** Leads the page to another scene: one model, nothing stored is lost. */
export async function open(fragment: string): Promise<void> {
  if (!isOpen) return visit(fragment);
  const before = await page.evaluate((hash) => {
    const { number } = window.tendrilStudio.run();
    window.history.replaceState(null, '', hash);
    window.dispatchEvent(new PopStateEvent('popstate'));
    return number;
  }, fragment);
  await until((number) => window.tendrilStudio.run().number > number, before);
  await isShown();
  // what another test opened beside the view
  await page.locator('.stage').focus();
  await page.keyboard.press('Escape');
}

/** Loads the page again, where it is. */
export async function reload(): Promise<void> {
  await page.reload();
  await isShown();
}

/** Goes to an address as one who types it. */
export async function goTo(rest: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(addressOf(rest));
  await isShown();
}

export const isShown = (): Promise<unknown> => until(() => window.tendrilStudio?.position(0, 0).length === 3);

export const title = (words: string): Promise<unknown> =>
  until((start) => document.querySelector('h1')?.textContent?.startsWith(start), words);

export const clock = (): Promise<number> =>
  page.locator('.clock').evaluate((element) => Number(/=\s*([\d.]+)/.exec(element.textContent ?? '')?.[1]));

export const waitForClock = (least: number, most = Number.MAX_VALUE): Promise<unknown> =>
  until(
    ([low, high]) => {
      const t = Number(/=\s*([\d.]+)/.exec(document.querySelector('.clock')?.textContent ?? '')?.[1]);
      return t >= low && t <= high;
    },
    [least, most],
  );

/** Waits until the run has gone on. Not for a later time: at its end it begins again. */
export const waitForMotion = async (): Promise<void> => {
  const before = await page.locator('.clock').textContent();
  await until((words) => document.querySelector('.clock')?.textContent !== words, before);
};

/** Stops the run at the first time not before this one that the page shows, however late this process hears of it. */
export const pauseFrom = (least: number): Promise<unknown> =>
  until((low) => {
    const t = Number(/=\s*([\d.]+)/.exec(document.querySelector('.clock')?.textContent ?? '')?.[1]);
    if (!(t >= low)) return false;
    document.querySelector<HTMLButtonElement>('.timeline button[aria-label^="Pause"]')?.click();
    return document.querySelector('.timeline button[aria-label^="Play"]') !== null;
  }, least);

/** Until what was asked before is on the screen, however slow the machine is. */
export const drawn = (): Promise<void> => page.evaluate(() => window.tendrilStudio.drawn());

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

/** The scene that is open. */
export const text = (): Promise<string> => page.evaluate(() => window.tendrilStudio.text());

/** Types another text over the scene, whose panel is open. */
export async function typeScene(words: string): Promise<void> {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(words);
}

/** Stops the run, and finds where a node is drawn: a rod that moves would be elsewhere when the mouse comes. */
export const stopAndFind = async (rod: number, node: number): Promise<{ x: number; y: number }> => {
  const pause = page.getByRole('button', { name: 'Pause' });
  if ((await pause.count()) > 0) await pause.click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  // the camera comes to rest after the run does: until two pictures have the node at the same place
  const found = await page.evaluate(
    async ([r, n]) => {
      for (let last = { x: Number.NaN, y: Number.NaN }; ; ) {
        await window.tendrilStudio.drawn();
        const at = window.tendrilStudio.drawnAt(r, n);
        if (!at || Math.hypot(at.x - last.x, at.y - last.y) < 0.1) return at;
        last = at;
      }
    },
    [rod, node],
  );
  if (!found) throw new Error('the node is nowhere');
  return found;
};

/** Clicks on a node; the run stands still then. */
export const clickNode = async (rod: number, node: number): Promise<void> => {
  const { x, y } = await stopAndFind(rod, node);
  await page.mouse.click(x, y);
};

/** What axe finds, of any weight. */
export async function findFaults(on: Page = page): Promise<string[]> {
  if (!(await on.evaluate(() => 'axe' in window)))
    await on.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
  return on.evaluate(async () => {
    const { axe } = window as typeof window & { readonly axe: typeof import('axe-core') };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  });
}
