/** The ten main views of the page: how to come to each, always at the same instant. For their pictures, and for the test that compares them. */
import type { Page } from 'playwright-core';

export interface MainView {
  readonly address: string;
  /** The instant that it shows [s]. */
  readonly time?: number;
  /** Before the instant is shown. */
  readonly prepare?: (page: Page, narrow: boolean) => Promise<void>;
  /** Afterwards. */
  readonly finish?: (page: Page, narrow: boolean) => Promise<void>;
}

/** On a narrow screen panels are sheets, with buttons of their own. */
const openTab = (page: Page, narrow: boolean, name: string): Promise<void> =>
  narrow ? page.locator('.sheet-tabs').getByRole('button', { name }).click() : page.getByRole('tab', { name }).click();

export const mainViews: Readonly<Record<string, MainView>> = {
  opening: { address: '', time: 5 },
  ring: { address: '#case=michell-ring', time: 11 },
  knot: { address: '#case=trefoil-knot', time: 0.9 },
  hair: { address: '#case=hair-ball', time: 0.5 },
  tree: { address: '#case=tree-in-wind', time: 1 },
  forces: { address: '#case=hanging-chain', time: 0.3, finish: (page) => page.keyboard.press('a') },
  compare: {
    address: '#case=cantilever-release',
    time: 0.4,
    prepare: async (page) => {
      await page.keyboard.press('c');
      const dialog = page.getByRole('dialog', { name: 'Compare models' });
      await dialog.getByRole('checkbox').first().check();
      await dialog.getByText('der, implicit-euler', { exact: true }).click();
      await page.waitForFunction(() => document.querySelectorAll('.lane-head').length === 2);
      await page.keyboard.press('Escape');
    },
  },
  theory: {
    address: '#case=helix-reconstruction',
    time: 6,
    finish: async (page, narrow) => {
      await openTab(page, narrow, 'Theory');
      await page.getByRole('button', { name: 'Measure and compare' }).click();
      await page.locator('.verdict').waitFor();
    },
  },
  error: {
    address: '#case=michell-ring',
    time: 0.3,
    finish: async (page, narrow) => {
      await openTab(page, narrow, 'Scene');
      const text = await page.evaluate(() => window.tendrilStudio.text());
      await page.locator('.cm-content').focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text.replace('radius: 1', 'radius: -1'));
      await page.locator('.problems').getByRole('button').first().waitFor();
    },
  },
  groom: {
    address: '#groom',
    finish: async (page) => {
      await page.locator('.groom [role=status]').getByText('strands').waitFor({ state: 'attached' });
    },
  },
};

/** Leads a page to a view. `passes`: how many pictures its mean has at least; shadows come with the first. */
export async function goToView(
  page: Page,
  url: string,
  { address, time, prepare, finish }: MainView,
  { passes, narrow = false }: { readonly passes: number; readonly narrow?: boolean },
): Promise<void> {
  await page.goto(url + address);
  await page.waitForFunction(() => window.tendrilStudio?.position(0, 0).length === 3);
  await prepare?.(page, narrow);
  if (time !== undefined) {
    await page.waitForFunction((end) => window.tendrilStudio.run().last >= end - 1e-9, time);
    await page.evaluate((instant) => window.tendrilStudio.showAt(instant), time);
  }
  await finish?.(page, narrow);
  await page.waitForFunction((least) => window.tendrilStudio.passes >= least, passes);
}
