/** Changes of a scene that runs, or has run: what is shown belongs to the values beside it. */
import { expect, it } from 'vitest';
import { dropText, open, page, useStudio, waitForClock } from './harness.ts';

useStudio();

const sagging = `tendril: 1
title: A rod that sags
gravity: [ 0, 0, -9.81 ]
rods:
  - id: rod
    shape: { type: straight, from: [ 0, 0, 0 ], to: [ 1, 0, 0 ] }
    edges: 12
    section: { type: circle, radius: 0.01 }
    material: { E: 20 MPa, nu: 0.4, density: 1000, damping: { mass: 20 } }
pins:
  - { rod: rod, at: start }
time: { duration: 1, step: 0.02 }
`;

const runSagging = async (): Promise<void> => {
  await open('#case=michell-ring');
  await page.getByLabel('Speed').selectOption('4');
  await dropText(sagging);
  await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'A rod that sags');
};

/** Waits until the run has come to its end and begins again. */
const waitForLoop = async (): Promise<void> => {
  await waitForClock(0.85);
  await waitForClock(0, 0.3);
};

const tip = (): Promise<number> => page.evaluate(() => window.tendrilStudio.position(0, 12)[2]);

it('resimulates after the run has finished and loops', async () => {
  await runSagging();
  await waitForLoop();
  const before = await tip();
  // ten times stiffer: the tip ends far higher
  await page.locator('[data-path="rods.0.material.E"]').fill('1');
  await page.waitForFunction((z) => window.tendrilStudio.position(0, 12)[2] > 0.6 * z, before);
  // the curve of the old values stays as a ghost, the frames do not
  await page.waitForFunction(() => window.tendrilStudio.run().ghost > 0);
  // played to its end, it is run from the start under the new values: nothing of the old run is left
  await page.waitForFunction(() => window.tendrilStudio.run().first === 0 && window.tendrilStudio.run().last > 0.3);
  const { values, first } = await page.evaluate(() => window.tendrilStudio.run());
  expect(first).toBe(0);
  expect(values).toContain('200 MPa');
  await waitForLoop();
  expect(await tip()).toBeGreaterThan(0.6 * before);
});

it('goes on from the cursor, not from the end of what was computed', async () => {
  await runSagging();
  await waitForClock(0.6);
  await page.locator('.stage').focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Time', { exact: true }).fill('0.3');
  await waitForClock(0.28, 0.32);
  await page.locator('[data-path="rods.0.material.E"]').fill('1');
  await page.waitForFunction(() => window.tendrilStudio.run().values.includes('200 MPa'));
  const { first, last } = await page.evaluate(() => window.tendrilStudio.run());
  expect(first).toBeGreaterThan(0.25);
  expect(first).toBeLessThanOrEqual(0.3);
  expect(last).toBe(first);
  // a pause stays one
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.tendrilStudio.run().last > 0.4);
});
