/**
 * The ten main views look like their pictures in docs/images/studio, which `npm run pictures` renders.
 *
 * Both are compared in cells of 8 × 8 pixels, so that smooth edges, shadows of fewer pictures, and the compression of the stored file make no
 * difference. What is drawn makes one: the page has to be much more like the stored picture than that picture without its rods is.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPage, server, useStudio } from './harness.ts';
import { goToView, mainViews } from './views.ts';

useStudio();

const size = { width: 1440, height: 900 };
/** Share of cells that may look different. */
const limit = 0.012;

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Share of cells that differ. `erased`: what is painted over in the first picture, with the colour of its left edge. */
const difference = (page: Page, stored: Buffer, now: Buffer, erased?: Rect): Promise<number> =>
  page.evaluate(
    async ([pictures, rect, { width, height }]) => {
      const cell = 8;
      /** Differences of a channel, 0 to 255, that are seen as another colour. */
      const seen = 28;
      const cellsOf = async (base64: string, over?: Rect): Promise<Float32Array> => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes]));
        const canvas = new OffscreenCanvas(width, height);
        const pen = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
        pen.drawImage(bitmap, 0, 0, width, height);
        if (over) {
          // a row of the picture where nothing is but the background, drawn out over all of it
          for (let y = over.y; y < over.y + over.height; y++)
            pen.drawImage(canvas, over.x - 4, y, 1, 1, over.x, y, over.width, 1);
        }
        const { data } = pen.getImageData(0, 0, width, height);
        const [columns, rows] = [Math.floor(width / cell), Math.floor(height / cell)];
        const cells = new Float32Array(3 * columns * rows);
        for (let j = 0; j < rows * cell; j++)
          for (let i = 0; i < columns * cell; i++)
            for (let c = 0; c < 3; c++)
              cells[3 * (Math.floor(j / cell) * columns + Math.floor(i / cell)) + c] +=
                data[4 * (j * width + i) + c] / cell ** 2;
        return cells;
      };
      const [a, b] = [await cellsOf(pictures[0], rect), await cellsOf(pictures[1])];
      let other = 0;
      for (let k = 0; k < a.length; k += 3)
        if (Math.max(...[0, 1, 2].map((c) => Math.abs(a[k + c] - b[k + c]))) > seen) other++;
      return other / (a.length / 3);
    },
    [[stored.toString('base64'), now.toString('base64')], erased, size] as const,
  );

describe.each(Object.entries(mainViews))('%s', (name, view) => {
  it('looks like its picture', async () => {
    // half as many pixels on a side: cells are as large as before
    const page = await newPage(size);
    await goToView(page, server.url, view, { passes: 1 });
    const now = await page.screenshot();
    const stored = readFileSync(join(process.cwd(), 'docs/images/studio', `${name}.jpg`));
    const found = await difference(page, stored, now);
    console.log(`${name}: ${(100 * found).toFixed(2)} % of the picture differs`);
    const box = await page.locator('.viewport').boundingBox();
    if (!box) throw new Error('no view');
    // the middle half of the view, where rods are
    const middle = {
      x: Math.round(box.x + 0.2 * box.width),
      y: Math.round(box.y + 0.15 * box.height),
      width: Math.round(0.6 * box.width),
      height: Math.round(0.65 * box.height),
    };
    const without = await difference(page, stored, now, middle);
    console.log(`${name}: ${(100 * without).toFixed(2)} % without what is in the middle of the view`);
    expect(found).toBeLessThan(limit);
    expect(found).toBeLessThan(0.6 * without);
  });
});
