/**
 * Pictures of the ten main views of the page, in Chromium: docs/images/studio/<view>.jpg.
 * `npm run pictures [-- [--folder out] [--size 1440x900] [--theme light] [--type jpeg] [view…]]`
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { allowScripting, launchBrowser, serveStudio } from './test/browser.ts';

interface Shot {
  readonly address: string;
  /** When to take it [s], by the clock of the page; 0: at once. */
  readonly time?: number;
  readonly act?: (page: Page, narrow: boolean) => Promise<void>;
}

/** On a narrow screen panels are sheets, with buttons of their own. */
const openTab = (page: Page, narrow: boolean, name: string): Promise<void> =>
  narrow ? page.locator('.sheet-tabs').getByRole('button', { name }).click() : page.getByRole('tab', { name }).click();

const shots: Readonly<Record<string, Shot>> = {
  opening: { address: '', time: 5 },
  ring: { address: '#case=michell-ring', time: 1.5 },
  knot: { address: '#case=trefoil-knot', time: 0.9 },
  hair: { address: '#case=hair-ball', time: 0.5 },
  tree: { address: '#case=tree-in-wind', time: 1 },
  forces: { address: '#case=hanging-chain', time: 0.3, act: (page) => page.keyboard.press('a') },
  compare: {
    address: '#case=cantilever-release',
    time: 0.3,
    act: async (page) => {
      await page.keyboard.press('c');
      const dialog = page.getByRole('dialog', { name: 'Compare models' });
      await dialog.getByRole('checkbox').first().check();
      await dialog.getByText('der, implicit-euler', { exact: true }).click();
      await page.waitForFunction(() => document.querySelectorAll('.lane-head').length === 2);
      await page.keyboard.press('Escape');
      await waitForTime(page, 0.4);
    },
  },
  theory: {
    address: '#case=helix-reconstruction',
    act: async (page, narrow) => {
      await openTab(page, narrow, 'Theory');
      await page.getByRole('button', { name: 'Measure and compare' }).click();
      await page.locator('.verdict').waitFor();
    },
  },
  error: {
    address: '#case=michell-ring',
    time: 0.3,
    act: async (page, narrow) => {
      await openTab(page, narrow, 'Scene');
      const text = await page.evaluate(() => window.tendrilStudio.text());
      await page.locator('.cm-content').focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text.replace('radius: 1', 'radius: -1'));
      await page
        .locator('.problems')
        .getByRole('button')
        .first()
        .waitFor({ timeout: 5000 })
        .catch(() => {});
    },
  },
  groom: {
    address: '#groom',
    act: async (page) => {
      await page.locator('.groom [role=status]').getByText('strands').waitFor({ state: 'attached' });
    },
  },
};

const waitForTime = (page: Page, least: number): Promise<unknown> =>
  page.waitForFunction(
    (time) => Number(/=\s*([\d.]+)/.exec(document.querySelector('.clock')?.textContent ?? '')?.[1]) >= time,
    least,
  );

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: join(process.cwd(), 'docs/images/studio') },
    size: { type: 'string', default: '1440x900' },
    theme: { type: 'string', default: 'light' },
    type: { type: 'string', default: 'jpeg' },
  },
});
const [width, height] = values.size.split('x').map(Number);
const isPng = values.type === 'png';
await mkdir(values.folder, { recursive: true });
const server = await serveStudio();
const browser = await launchBrowser();
try {
  for (const [name, { address, time = 0, act }] of Object.entries(shots)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const colorScheme = values.theme === 'dark' ? 'dark' : 'light';
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    await allowScripting(page);
    page.setDefaultTimeout(60_000);
    await page.goto(server.url + address);
    await page.waitForFunction(() => window.tendrilStudio?.position(0, 0).length === 3);
    if (time > 0) await waitForTime(page, time);
    await act?.(page, width < 900);
    // a picture that stands still becomes finer with time
    const pause = page.getByRole('button', { name: 'Pause' });
    if ((await pause.count()) > 0) await pause.click();
    await page.waitForTimeout(12_000);
    const suffix = values.theme === 'dark' ? '-dark' : '';
    const file = `${name}${suffix}.${isPng ? 'png' : 'jpg'}`;
    await page.screenshot({
      path: join(values.folder, file),
      ...(isPng ? { type: 'png' } : { type: 'jpeg', quality: 72 }),
    });
    console.log(file);
    await page.close();
  }
} finally {
  await browser.close();
  server.close();
}
