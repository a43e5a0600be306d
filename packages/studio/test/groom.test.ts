/** The grooming panel: growing, styling, saving, simulating. */
import { readFileSync } from 'node:fs';
import { decodeHairstyle } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { dropFile, findFaults, newPage, open, page, server, text, useStudio, waitForClock } from './harness.ts';

useStudio();

describe('grooming', () => {
  const says = (words: RegExp): Promise<unknown> =>
    page.waitForFunction(
      (source) => new RegExp(source).test(document.querySelector('.groom [role=status]')?.textContent ?? ''),
      words.source,
    );

  const start = async (): Promise<void> => {
    await open('#case=michell-ring');
    await page.keyboard.press('g');
    await says(/\d+ strands of \d+ helices/);
  };

  /** The mean of all tips [m]. */
  const tips = (): Promise<number[]> =>
    page.evaluate(() => {
      const { hairs, nodes } = window.tendrilStudio.hair();
      const sum = [0, 0, 0];
      for (let h = 0; h < hairs; h++)
        window.tendrilStudio.position(h, nodes - 1).forEach((x, k) => {
          sum[k] += x / hairs;
        });
      return sum;
    });

  const set = (what: string, value: string): Promise<void> => page.locator(`[data-groom="${what}"]`).fill(value);

  /** Drags the brush over the hair, from the middle of the view. */
  const brush = async (dx: number, dy: number): Promise<void> => {
    const box = await page.locator('.stage').boundingBox();
    if (!box) throw new Error('there is no view');
    const [x, y] = [box.x + 0.55 * box.width, box.y + 0.45 * box.height];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 4; k++) await page.mouse.move(x + (k * dx) / 4, y + (k * dy) / 4);
    await page.mouse.up();
  };

  it('grows hair by its numbers, and says where they are from', async () => {
    await start();
    await set('hairs', '400');
    await says(/, 400 hairs/);
    await set('guides', '24');
    await says(/^24 strands/);
    expect(await page.locator('.groom-numbers').textContent()).toMatch(/estimated.*measured.*cited/);
    await page.getByLabel('Type').selectOption('coily');
    await says(/of (1[1-9]|[2-9]\d) helices/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await says(/of 10 helices/);
    const long = await tips();
    await set('length', '8');
    await says(/ to (7\.\d|8) cm/);
    const short = await tips();
    expect(short[2]).toBeGreaterThan(long[2] + 0.03);
    await page.keyboard.press('Control+z');
    await says(/ to 2\d cm/);
    await page.keyboard.press('Control+y');
    await says(/ to (7\.\d|8) cm/);
    // a formula that is none says so, and what was there stays
    await page.getByText('Where', { exact: true }).click();
    await page.locator('.groom-formula input').fill('nz >');
    await page.locator('.groom-formula input').press('Enter');
    await page.locator('.toast').waitFor();
    await says(/^24 strands/);
    expect(await findFaults()).toEqual([]);
  });

  it('combs, cuts and curls under the brush, with undo', async () => {
    await start();
    await set('hairs', '400');
    await says(/, 400 hairs/);
    const before = await tips();
    await brush(70, -30);
    await says(/[1-9]\d* strands combed/);
    const combed = await tips();
    expect(Math.hypot(...combed.map((x, k) => x - before[k]))).toBeGreaterThan(2e-5);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForFunction(() => !/combed/.test(document.querySelector('.groom [role=status]')?.textContent ?? ''));
    const undone = await tips();
    expect(Math.hypot(...undone.map((x, k) => x - before[k]))).toBeLessThan(1e-7);
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
    await brush(20, 0);
    await says(/[1-9]\d* strands\. /);
    expect((await tips())[2]).toBeGreaterThan(before[2] + 1e-4);
    await page.getByRole('button', { name: 'Straighten' }).click();
    await brush(30, 10);
    await says(/[1-9]\d* strands\. /);
    await page.getByRole('button', { name: 'Trim all to' }).click();
    await says(/strands were longer/);
    await says(/ to 12 cm/);
  });

  it('saves and loads a hairstyle, and grows on a mesh that is dropped', async () => {
    await start();
    await set('hairs', '300');
    await set('guides', '16');
    await says(/^16 strands.*300 hairs/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save hairstyle' }).click(),
    ]);
    const bytes = readFileSync(await download.path());
    const style = decodeHairstyle(bytes, 'hair.hairstyle');
    expect([style.guideRoots.count, style.hairRoots?.count]).toEqual([16, 300]);
    await set('guides', '40');
    await says(/^40 strands/);
    await dropFile('again.hairstyle', bytes);
    await page.locator('.toast').getByText('again.hairstyle is open').waitFor();
    await says(/^16 strands.*300 hairs/);
    await dropFile('broken.hairstyle', bytes.subarray(0, 4000));
    await page.locator('.toast').getByText('truncated').waitFor();
    await says(/^16 strands/);
    const tent = 'v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';
    await dropFile('tent.obj', new TextEncoder().encode(tent));
    await page.getByRole('button', { name: 'tent.obj' }).waitFor();
  });

  /** Positions of some hairs. */
  const some = (): Promise<number[]> =>
    page.evaluate(() =>
      [0, 37, 120, 255].flatMap((h) => window.tendrilStudio.position(h, window.tendrilStudio.hair().nodes - 1)),
    );

  const farthest = (a: readonly number[], b: readonly number[]): number =>
    Math.max(...a.map((x, k) => Math.abs(x - b[k])));

  it('is kept over a reload, and goes into a link as it was made', async () => {
    await start();
    await set('hairs', '300');
    await set('guides', '16');
    await says(/^16 strands.*300 hairs/);
    const bare = await some();
    await brush(70, -30);
    await says(/[1-9]\d* strands combed/);
    await page.getByRole('button', { name: 'Trim all to' }).click();
    await says(/strands were longer/);
    await page.getByRole('button', { name: 'auburn' }).click();
    const styled = await some();
    expect(farthest(styled, bare)).toBeGreaterThan(0.005);
    await page.locator('.groom-kept').getByText('here after a reload').waitFor();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await page.waitForFunction(() => location.hash.startsWith('#h='));
    const link = page.url();
    expect(link.length).toBeLessThan(3000);

    await page.goto(`${server.url}#groom`);
    await page.reload();
    await says(/^16 strands.*300 hairs/);
    expect(farthest(await some(), styled)).toBeLessThan(1e-6);
    expect(await page.getByRole('button', { name: 'auburn' }).getAttribute('aria-pressed')).toBe('true');
    // a scene of it, too
    await page.getByLabel('Motion of the head').selectOption('nod');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Hair on a head that moves');
    await waitForClock(0.03);
    await page.reload();
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Hair on a head that moves');
    await waitForClock(0.03);
    expect(await page.evaluate(() => window.tendrilStudio.hair().hairs)).toBe(300);
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await page.waitForFunction(() => location.hash.includes('s=') && location.hash.includes('h='));
    const scene = page.url();

    // with nothing kept: somebody else's browser
    const other = await newPage();
    await other.goto(link);
    await other.waitForFunction(() =>
      /^16 strands.*300 hairs/.test(document.querySelector('.groom [role=status]')?.textContent ?? ''),
    );
    const there = await other.evaluate(() =>
      [0, 37, 120, 255].flatMap((h) => window.tendrilStudio.position(h, window.tendrilStudio.hair().nodes - 1)),
    );
    expect(farthest(there, styled)).toBeLessThan(1e-6);
    await other.goto('about:blank');
    await other.goto(scene);
    await other.waitForFunction(() => document.querySelector('h1')?.textContent === 'Hair on a head that moves');
    await other.waitForFunction(() => window.tendrilStudio.hair().hairs === 300);
    await other.goto('about:blank');
    await other.goto(`${server.url}#h=AAAA`);
    await other.locator('.toast').getByText('The link is damaged: its hair cannot be read').waitFor();
  });

  it('says that a link cannot carry hair from a file', async () => {
    await start();
    await set('hairs', '200');
    await set('guides', '12');
    await says(/^12 strands.*200 hairs/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save hairstyle' }).click(),
    ]);
    await dropFile('again.hairstyle', readFileSync(await download.path()));
    await page.locator('.toast').getByText('again.hairstyle is open').waitFor();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await page.locator('.toast').getByText('A link cannot carry this hair').waitFor();
  });

  it('becomes a scene that runs, on a head that the mouse moves', async () => {
    await start();
    await set('hairs', '300');
    await set('guides', '12');
    await says(/^12 strands.*300 hairs/);
    await page.getByLabel('Motion of the head').selectOption('mouse');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Hair on a head that moves');
    await waitForClock(0.05);
    expect(await page.evaluate(() => window.tendrilStudio.hair().hairs)).toBe(300);
    const box = await page.locator('.stage').boundingBox();
    if (!box) throw new Error('there is no view');
    const [x, y] = [box.x + 0.5 * box.width, box.y + 0.45 * box.height];
    await page.keyboard.down('Shift');
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 4; k++) await page.mouse.move(x + 15 * k, y);
    await page.waitForFunction(() => Math.hypot(...(window.tendrilStudio.collider(0) ?? [0])) > 0.005);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByRole('tab', { name: 'Scene' }).click();
    expect(await text()).toMatch(/strands:[\s\S]*hair\.hairstyle[\s\S]*mesh-file/);
    // and back to the brushes
    await page.getByRole('button', { name: 'Groom' }).click();
    await says(/^12 strands/);
  });
});
