/** The page in a real browser: Chromium without a graphics card, as on a test machine. */
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { cases } from '@tendril-sim/cases';
import { availableModels } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import {
  addressOf,
  drawn,
  dropText,
  findFaults,
  newPage,
  open,
  page,
  screen,
  server,
  title,
  until,
  useStudio,
  visit,
  waitForClock,
} from './harness.ts';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

useStudio();

/** Four rods that fall, bend and stretch on a floor: all energies, and several curves along rods. */
const four = `tendril: 1
title: Four rods
gravity: [ 0, 0, -9.81 ]
rods:
${[0, 1, 2, 3]
  .map(
    (k) => `  - id: rod${k}
    shape: { type: straight, from: [ 0, ${0.2 * k}, 0.3 ], to: [ 1, ${0.2 * k}, 0.3 ] }
    edges: 8
    frame: { twist: 1 }
    section: { type: ellipse, a: 0.01, b: 0.008 }
    material: { E: 20 MPa, nu: 0.4, density: 1000, damping: { mass: 2 } }`,
  )
  .join('\n')}
pins:
  - { rod: rod0, at: start }
time: { duration: 4, step: 0.02 }
`;

describe('the page', () => {
  it('is small, shows a case that moves at once, and every case with its picture', async () => {
    // as a visitor gets it, on a small screen: this one is drawn with all there is
    const begin = Date.now();
    await visit('?');
    await page.setViewportSize({ width: 640, height: 400 });
    await waitForClock(0.05);
    console.log(`studio: a rod moves after ${Date.now() - begin} ms`);
    // what the tests ask for is no part of what a visitor gets
    const isHook = (path: string): boolean => /\/(scripting|figure)-/.test(path);
    const scripts = [...new Set(server.served)].filter((path) => path.endsWith('.js') && !isHook(path));
    const sizes = scripts.map((path) => gzipSync(readFileSync(`${dist}${path}`)).length / 1000);
    const whole = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`studio: ${whole.toFixed(0)} kB of script in ${scripts.length} files, compressed, when a case moves`);
    expect(whole).toBeGreaterThan(200);
    expect(whole).toBeLessThan(450);
    // one model of six, one case of all, and nothing for checks and exports
    const ofModels = new RegExp(`/(lean|${availableModels().join('|')})-`);
    expect(scripts.filter((path) => ofModels.test(path))).toHaveLength(1);
    const isExports = (path: string): boolean => path.includes('/files-') && statSync(`${dist}${path}`).size > 40_000;
    expect(scripts.filter(isExports)).toEqual([]);
    // nor pictures of a gallery that is closed
    expect(server.served.filter((path) => path.endsWith('.webp'))).toEqual([]);
    // it works offline: nothing is fetched from elsewhere
    const html = readFileSync(`${dist}index.html`, 'utf8');
    expect(html).not.toMatch(/https?:/);
    expect(await page.locator('.card').count()).toBe(cases.length);
    // what is drawn is no empty canvas, and standing still it becomes finer: shadows, smooth edges
    await page.locator('.stage').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await drawn();
    const colors = await page.evaluate(async () => {
      const bitmap = await createImageBitmap((await window.tendrilStudio.picture()) as Blob);
      const copy = new OffscreenCanvas(bitmap.width, bitmap.height);
      const pen = copy.getContext('2d') as OffscreenCanvasRenderingContext2D;
      pen.drawImage(bitmap, 0, 0);
      const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
      const seen = new Set<number>();
      for (let k = 0; k < data.length; k += 4) seen.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
      return seen.size;
    });
    expect(colors).toBeGreaterThan(200);
  });

  it('has a picture on every card that is seen', async () => {
    await visit('#case=michell-ring');
    await until(() => document.querySelectorAll('.card .thumb img').length >= 15);
  });

  it('finds cases by words, opens them, and by number', async () => {
    await open('#case=heavy-cantilever');
    await page.getByLabel('Search cases').fill('bergou wilber');
    expect(await page.locator('.card').count()).toBe(1);
    await page.locator('.card').click();
    await title('Wilberforce');
    expect(page.url()).toContain('#case=wilberforce-pendulum');
    await page.getByLabel('Search cases').fill('');
    await page.locator('.stage').focus();
    await page.keyboard.press('2');
    await title('Cantilevers with');
  });

  it('shows rods and time alone where it is a small figure in another page', async () => {
    const small = await newPage({ width: 320, height: 240 });
    await small.goto(addressOf('?embed&quality=low#case=trefoil-knot'));
    await small.locator('.clock').waitFor();
    await small.waitForFunction(() => window.tendrilStudio?.position(0, 0).length === 3);
    for (const part of ['.hint', '.corner', '.tools'])
      expect(await small.locator(part).first().isVisible()).toBe(false);
    await small.setViewportSize({ width: 640, height: 400 });
    for (const part of ['.corner', '.tools']) await small.locator(part).first().waitFor();
  });

  it('keeps menus on a small screen', async () => {
    const phone = await newPage({ width: 360, height: 640 });
    await phone.goto(addressOf('#case=michell-ring'));
    for (const title of ['Save', 'What is shown: colours, grid, frames, forces']) {
      await phone.locator(`summary[title="${title}"]`).click();
      const box = await phone.locator('.menu[open] .menu-body').boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(360);
      expect((box?.y ?? 0) + (box?.height ?? 999)).toBeLessThanOrEqual(640);
    }
  });

  it('closes a menu by a second click, a click elsewhere, Escape, Tab past it, and a chosen entry', async () => {
    await open('#case=michell-ring');
    const menu = page.locator('summary[title="Save"]');
    const entry = page.getByRole('button', { name: 'Scene as YAML' });
    const isClosed = (): Promise<void> => entry.waitFor({ state: 'detached' });
    const openMenu = async (): Promise<void> => {
      await menu.click();
      await entry.waitFor();
    };
    await openMenu();
    await menu.click();
    await isClosed();
    await openMenu();
    // the view keeps the pointer for itself
    await page.locator('.stage').click({ position: { x: 30, y: 200 } });
    await isClosed();
    await page.keyboard.press('c');
    const compare = page.getByRole('dialog', { name: 'Compare models' });
    await compare.waitFor();
    await openMenu();
    await entry.focus();
    await page.keyboard.press('Escape');
    await isClosed();
    expect(await menu.evaluate((element) => element === document.activeElement)).toBe(true);
    // one thing at a time
    await compare.waitFor();
    await page.keyboard.press('Escape');
    await compare.waitFor({ state: 'detached' });
    // two presses, faster than the page draws: one for each
    await page.keyboard.press('c');
    await compare.waitFor();
    await openMenu();
    await page.evaluate(() => {
      for (let k = 0; k < 2; k++)
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    });
    await isClosed();
    await compare.waitFor({ state: 'detached', timeout: 10_000 });
    await openMenu();
    await page.locator('.stage').focus();
    await isClosed();
    await openMenu();
    await Promise.all([page.waitForEvent('download'), entry.click()]);
    await isClosed();
    // switches leave it open
    await page.locator('summary').getByText('Show').click();
    await page.getByLabel('Grid').uncheck();
    await page.getByLabel('Grid').check();
    await page.keyboard.press('Escape');
    await page.getByLabel('Grid').waitFor({ state: 'detached' });
  });

  it('names every curve, and has every button in its place, on small screens too', async () => {
    await dropText(four);
    await title('Four rods');
    // all six energies are there
    await waitForClock(0.1);
    for (const [width, height] of [
      [1400, 900],
      [1024, 680],
      [910, 600],
    ]) {
      await page.setViewportSize({ width, height });
      await drawn();
      const look = (): Promise<{ count: number; hidden: (string | null)[] }> =>
        page.evaluate(() => {
          // no part of it outside of what holds it, or under something else
          const seen = (element: Element): boolean => {
            const { left, right, top, bottom } = element.getBoundingClientRect();
            const box = (element.closest('.plot') ?? element.closest('.timeline'))?.getBoundingClientRect();
            if (!box || left < box.left || right > box.right + 0.5 || top < box.top || bottom > box.bottom)
              return false;
            return [left + 2, right - 2].every((x) => {
              const front = document.elementFromPoint(x, (top + bottom) / 2);
              return front !== null && (element.contains(front) || front.contains(element));
            });
          };
          const all = [...document.querySelectorAll('.plot .key, .timeline button, .timeline select, .clock')].filter(
            (one) => one.getClientRects().length > 0,
          );
          return { count: all.length, hidden: all.filter((one) => !seen(one)).map(({ textContent }) => textContent) };
        });
      // plots follow the size by and by
      await expect.poll(async () => (await look()).hidden, { timeout: 60_000, message: `${width}` }).toEqual([]);
      // energies, rods, buttons, speed, clock
      expect((await look()).count, `${width}`).toBe(6 + 4 + 7 + 1 + 1);
    }
    await page.setViewportSize(screen.viewport);
  });

  it('has nothing over anything else in the view, on small screens too', async () => {
    await open('#case=hanging-chain');
    await page.locator('.stage').focus();
    await page.keyboard.press('a');
    await page.locator('.forces-line').waitFor();
    await page.locator('.corner .contacts').waitFor();
    for (const [width, height] of [
      [1400, 900],
      [1024, 680],
      [910, 600],
      [390, 844],
    ]) {
      await page.setViewportSize({ width, height });
      const look = (): Promise<string[]> =>
        page.evaluate(() => {
          const parts = [
            ...document.querySelectorAll(
              '.viewport :is(.tools, .hint, .contacts, .legend, .scale, .forces, .big-slider)',
            ),
          ];
          const boxes = parts.map((part) => part.getBoundingClientRect());
          const found: string[] = [];
          parts.forEach((part, i) => {
            const a = boxes[i];
            if (part.scrollWidth > part.clientWidth + 1) found.push(`${part.className} is cut`);
            boxes.slice(0, i).forEach((b, j) => {
              if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
                found.push(`${part.className} over ${parts[j].className}`);
            });
          });
          return found;
        });
      // with plots and, on a phone, with the slider that lies over the view without them
      for (const plots of width < 900 ? [true, false] : [true]) {
        if (!plots) await page.getByRole('button', { name: 'Plots' }).click();
        await drawn();
        await expect.poll(look, { timeout: 60_000, message: `${width}, plots: ${plots}` }).toEqual([]);
      }
    }
    await page.getByRole('button', { name: 'Plots' }).click();
    await page.setViewportSize(screen.viewport);
    await page.locator('.stage').focus();
    await page.keyboard.press('a');
  });

  it('has one panel beside the view where there is no room for two: the one that was opened last', async () => {
    await visit('#case=michell-ring');
    const wide = async (selector: string): Promise<boolean> =>
      ((await page.locator(selector).boundingBox())?.width ?? 0) > 100;
    expect([await wide('.gallery'), await wide('.side')]).toEqual([true, true]);
    await page.setViewportSize({ width: 1000, height: 700 });
    await expect.poll(async () => [await wide('.gallery'), await wide('.side')]).toEqual([false, true]);
    await page.getByRole('button', { name: 'Gallery' }).click();
    await expect.poll(async () => [await wide('.gallery'), await wide('.side')]).toEqual([true, false]);
    await page.getByRole('button', { name: 'Inspector' }).click();
    await expect.poll(async () => [await wide('.gallery'), await wide('.side')]).toEqual([false, true]);
    await page.setViewportSize(screen.viewport);
    await page.getByRole('button', { name: 'Gallery' }).click();
    await expect.poll(async () => [await wide('.gallery'), await wide('.side')]).toEqual([true, true]);
  });

  it('has no fault of accessibility that axe finds, light and dark', async () => {
    await open('#case=michell-ring');
    // nothing fades from one theme to the other, through colours of little contrast; what is under the mouse may
    await page.mouse.move(600, 300);
    const fading = await page.evaluate(() => {
      const { dataset } = document.documentElement;
      const before = dataset.theme;
      return ['light', 'dark', before].flatMap((theme) => {
        dataset.theme = theme;
        return document.getAnimations().map(({ effect }) => (effect as KeyframeEffect).target?.className);
      });
    });
    expect(fading).toEqual([]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await until((theme) => document.documentElement.dataset.theme === theme, colorScheme);
      for (const tab of ['Inspector', 'Theory', 'Scene']) {
        await page.getByRole('tab', { name: tab }).click();
        expect(await findFaults(), `${tab}, ${colorScheme}`).toEqual([]);
      }
      // keys and hands, and what draws on this device
      await page.locator('.stage').focus();
      await page.keyboard.press('?');
      await page.locator('.device').getByText('WebGPU').waitFor();
      expect(await page.locator('.device').textContent()).toMatch(/WebGL 2 on .*SwiftShader.*processor/);
      expect(await findFaults(), `help, ${colorScheme}`).toEqual([]);
      await page.keyboard.press('Escape');
    }
  });
});
