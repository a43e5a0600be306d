/**
 * Renders the pictures of the gallery with the page's own view, in Chromium: src/thumbs/<case>.webp.
 * `npm run thumbnails` after a case was added or the view has changed; with names of cases, these alone.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allowScripting, launchBrowser, serveStudio } from './test/browser.ts';

const folder = join(process.cwd(), 'packages/studio/src/thumbs/');
await mkdir(folder, { recursive: true });
const server = await serveStudio();
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 700 }, deviceScaleFactor: 1 });
  await allowScripting(page);
  await page.goto(server.url);
  await page.waitForSelector('[data-case]');
  await page.waitForFunction(() => window.tendrilStudio);
  const all = await page.$$eval('[data-case]', (cards) => cards.map((card) => card.getAttribute('data-case')));
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : all;
  // what runs in the page would only take time from the pictures
  await page.keyboard.press('Space');
  for (const id of wanted) {
    const bytes = await page.evaluate(async (name) => {
      const blob = await window.tendrilStudio.renderThumbnail(name, 25);
      return blob ? Array.from(new Uint8Array(await blob.arrayBuffer())) : undefined;
    }, id);
    if (!bytes) throw new Error(`no picture of ${id}`);
    await writeFile(`${folder}${id}.webp`, Uint8Array.from(bytes));
    console.log(`${id}.webp  ${(bytes.length / 1024).toFixed(1)} kB`);
  }
} finally {
  await browser.close();
  server.close();
}
