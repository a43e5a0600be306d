/** A run in the page: its clock, its sliders, its obstacles, its forces, its models side by side. */
import { createWorld } from '@tendril-sim/core';
import { createRecordingEncoder, recordingFrame, recordingHeader } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { forceKinds } from '../src/protocol.ts';
import { forceColors } from '../src/view/arrows.ts';
import {
  clock,
  drawn,
  dropFile,
  dropText,
  open,
  page,
  pauseFrom,
  text,
  title,
  until,
  useStudio,
  waitForClock,
} from './harness.ts';
import { pulled } from './scenes.ts';

useStudio();

describe('a run', () => {
  it('plays, pauses, steps, scrubs and restarts', async () => {
    await open('#case=cantilever-release');
    await waitForClock(0.2);
    await page.locator('.stage').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await drawn();
    const paused = await clock();
    await drawn();
    expect(await clock()).toBe(paused);
    await page.keyboard.press('ArrowLeft');
    await waitForClock(0, paused - 1e-4);
    await page.getByLabel('Time', { exact: true }).fill('0.1');
    await waitForClock(0.05, 0.15);
    await page.keyboard.press('r');
    await page.locator('.stage').focus();
    await page.keyboard.press('r');
    await waitForClock(0.05);
  });

  it('answers to a slider at once, or starts anew and says so; undo and redo', async () => {
    await open('#case=michell-ring');
    // a run that began again would look like one that started anew
    await page.getByRole('button', { name: 'Loop (L)' }).click();
    await waitForClock(0.3);
    const slide = async (path: string, value: string): Promise<void> => {
      await page.locator(`[data-path="${path}"]`).fill(value);
    };
    await slide('rods.0.section.EI1', '0.8');
    await page.getByRole('tab', { name: 'Scene' }).click();
    await until(() => /EI1: 3\.98/.test(window.tendrilStudio.text()));
    // the run went on: its state was kept
    expect(await clock()).toBeGreaterThan(0.25);
    await page.getByRole('tab', { name: 'Inspector' }).click();
    await slide('rods.0.edges', '0.4');
    await page.locator('.toast').getByText('Restarted').waitFor();
    await page.getByRole('tab', { name: 'Scene' }).click();
    expect(await text()).not.toContain('edges: 60');
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(() => /edges: 60/.test(window.tendrilStudio.text()));
    await page.locator('.stage').focus();
    await page.keyboard.press('Control+z');
    await until(() => /EI1: 1,/.test(window.tendrilStudio.text()));
    await page.keyboard.press('Control+y');
    await until(() => /EI1: 3\.98/.test(window.tendrilStudio.text()));
    await page.getByRole('button', { name: 'Loop (L)' }).click();
  });

  it('draws colliders where they are', async () => {
    await open('#case=michell-ring');
    await dropText(`tendril: 1
title: A ball on its way
rods:
  - id: rod
    shape: { type: straight, from: [ 0, 0, 0 ], to: [ 1, 0, 0 ] }
    edges: 10
    section: { type: circle, radius: 0.01 }
    material: { E: 1 MPa, nu: 0.4, density: 1000 }
pins:
  - { rod: rod, at: start }
colliders:
  - { type: sphere, radius: 0.1, position: [ 0, 0, 1 ], path: { interpolation: linear, keys: [ { time: 0, offset: [ 0, 0, 0 ] }, { time: 2, offset: [ 2, 0, 0 ] } ] } }
  - { type: formula, formula: "hypot(x, y, z) - 0.2", position: [ 0, 0, -1 ] }
time: { duration: 2, step: 0.01 }
`);
    await title('A ball on its way');
    await waitForClock(0.5);
    await page.locator('.stage').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await drawn();
    const t = await clock();
    const at = await page.evaluate(() => window.tendrilStudio.collider(0));
    expect(at?.[0]).toBeCloseTo(t, 1);
    expect(at?.[2]).toBeCloseTo(1, 6);
    expect(await page.evaluate(() => window.tendrilStudio.collider(1))).toEqual([0, 0, -1]);
  });

  it('shows its checks against theory', async () => {
    await open('#case=helix-reconstruction');
    await page.getByRole('tab', { name: 'Theory' }).click();
    await page.getByRole('button', { name: 'Measure and compare' }).click();
    await page.locator('.verdict').waitFor();
    expect(await page.locator('.verdict').textContent()).toMatch(/All \d+ checks as theory says/);
    expect(await page.locator('.checks li').count()).toBeGreaterThan(0);
  });

  it('runs under several models side by side, and says in words what one refuses', async () => {
    await open('#case=cantilever-release');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Compare models' });
    await dialog.getByRole('checkbox').first().check();
    await dialog.getByText('der, implicit-euler', { exact: true }).click();
    // an explicit scheme refuses rods with stiffness damping, or runs
    await dialog.getByText('der, midpoint', { exact: true }).click();
    await until(() => document.querySelectorAll('.lane-head').length === 3);
    await waitForClock(0.1);
    const heads = await page.locator('.lane-head').allTextContents();
    expect(heads[0]).toContain('der');
    expect(heads[1]).toContain('implicit-euler');
    // over each other: each takes the whole view, and all are in one picture
    const areas = (): Promise<number[]> =>
      page.evaluate(() => window.tendrilStudio.lanes().map(({ width, height }) => width * height));
    const [part] = await areas();
    await dialog.getByRole('button', { name: 'Over each other' }).click();
    await until(() => document.querySelectorAll('.lane-list .lane-head').length === 3);
    expect(Math.min(...(await areas()))).toBeGreaterThan(1.9 * part);
    // in a figure equal curves would hide each other: each is thinner than the one before
    const figure = await page.evaluate(() => window.tendrilStudio.svg());
    const widths = [...figure.matchAll(/<path d="[^"]*" stroke="[^"]*" stroke-width="([\d.]+)"/g)].map(([, one]) =>
      Number(one),
    );
    const thickest = Math.max(...widths);
    expect(widths.some((width) => Math.abs(width / thickest - 2 / 3) < 0.02)).toBe(true);
    expect(widths.some((width) => Math.abs(width / thickest - 1 / 3) < 0.02)).toBe(true);
    await dialog.getByRole('button', { name: 'Back to one view' }).click();
    await until(() => document.querySelectorAll('.lane-head').length === 0);
  });
});

describe('forces', () => {
  /** Pixels of the picture that are red as the arrows of contacts are, in any light: rods are orange or blue. */
  const red = (): Promise<number> =>
    page.evaluate(async () => {
      const bitmap = await createImageBitmap((await window.tendrilStudio.picture()) as Blob);
      const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext(
        '2d',
      ) as OffscreenCanvasRenderingContext2D;
      pen.drawImage(bitmap, 0, 0);
      const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
      let count = 0;
      for (let k = 0; k < data.length; k += 4) if (data[k] - data[k + 1] > 60 && data[k + 2] >= data[k + 1]) count++;
      return count;
    });

  it('are shown on demand, with their scale', async () => {
    await open('#case=michell-ring');
    await dropText(JSON.stringify(pulled));
    await title('Everything pulls');
    await pauseFrom(0.6);
    expect(await page.locator('.forces').count()).toBe(0);
    await drawn();
    const before = await red();
    await page.getByRole('button', { name: 'Forces as arrows' }).click();
    await page.locator('.forces').getByText('contacts').waitFor();
    await page
      .locator('.corner')
      .getByText(/^\d+ contacts/)
      .waitFor();
    await until(() => / (k|m|µ|n)?N/.test(document.querySelector('.forces')?.textContent ?? ''));
    await expect.poll(red, { timeout: 120_000 }).toBeGreaterThan(before + 5);
    const kinds = await page.evaluate(() => window.tendrilStudio.forces().map(({ kind }) => kind));
    expect(new Set(kinds)).toEqual(new Set(forceKinds));
    // as lines, too: a head for each
    const svg = await page.evaluate(() => window.tendrilStudio.svg());
    for (const kind of ['pin', 'link'] as const)
      expect(svg.match(new RegExp(`fill="${forceColors[kind].light}"`, 'g')), kind).toHaveLength(
        kinds.filter((one) => one === kind).length,
      );
    await page.keyboard.press('a');
    await page.locator('.forces').waitFor({ state: 'detached' });
  });

  it('of a recording are its loads, and the page says what is not in it', async () => {
    const world = createWorld(pulled);
    const encoder = createRecordingEncoder(recordingHeader(world, { version: '0' }));
    const parts = [encoder.encodeHeader()];
    for (let k = 0; k < 3; k++) parts.push(encoder.encodeFrame({ ...recordingFrame(world), time: k / 4 }));
    parts.push(encoder.encodeFooter());
    await open('#case=michell-ring');
    await page.keyboard.press('a');
    await dropFile('run.tendril', Buffer.concat(parts));
    await title('Everything pulls');
    await page.locator('.forces').getByText('a recording keeps loads').waitFor();
    await page.locator('.forces-kinds').getByText('loads').waitFor();
    expect(await page.evaluate(() => window.tendrilStudio.forces().map(({ kind }) => kind))).toEqual(
      Array(9).fill('load'),
    );
    await page.keyboard.press('a');
  });
});
