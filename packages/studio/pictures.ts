/**
 * Pictures of the ten main views of the page, in Chromium: docs/images/studio/<view>.jpg.
 * `npm run pictures [-- [--folder out] [--size 1440x900] [--theme light] [--type jpeg] [view…]]`
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allowScripting, launchBrowser, serveStudio } from './test/browser.ts';
import { goToView, mainViews } from './test/views.ts';

/** Of which a picture is the mean. */
const passes = 16;

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
  for (const [name, view] of Object.entries(mainViews)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const colorScheme = values.theme === 'dark' ? 'dark' : 'light';
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    await allowScripting(page);
    page.setDefaultTimeout(300_000);
    await goToView(page, server.url, view, { passes, narrow: width < 900 });
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
