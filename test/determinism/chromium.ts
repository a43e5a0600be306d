/** Runs a bundle in Chromium. */
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../packages/studio/test/browser.ts';

export interface DeterminismPage {
  readonly browser: Browser;
  readonly page: Page;
}

/** A page that holds the functions of `page.ts` as `determinism`, made from what `npm run build` wrote. */
export async function openPage(): Promise<DeterminismPage> {
  const { outputFiles } = await build({
    entryPoints: ['test/determinism/page.ts'],
    bundle: true,
    format: 'iife',
    write: false,
    logLevel: 'error',
  });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(240_000);
  await page.addScriptTag({ content: outputFiles[0].text });
  return { browser, page };
}
