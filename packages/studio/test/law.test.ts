/** A rod with a material law, whose code is fetched when a scene needs it: loads, runs, continues from a saved state, is saved and reopened. */
import { readFileSync } from 'node:fs';
import { decodeRecording } from '@tendril-sim/io';
import { expect, it } from 'vitest';
import { dropFile, dropText, open, page, server, text, typeScene, useStudio, waitForClock } from './harness.ts';

useStudio();

const creeping = `tendril: 1
title: A band that creeps
gravity: [ 0, 0, -9.81 ]
rods:
  - id: band
    shape: { type: straight, from: [ 0, 0, 0 ], to: [ 0.3, 0, 0 ] }
    edges: 12
    section: { type: circle, radius: 0.002 }
    material: { E: 2 MPa, nu: 0.5, density: 1100 }
    law: { type: viscoelastic, terms: [ { ratio: 0.8, time: 0.1 }, { ratio: 0.4, time: 2 } ] }
pins:
  - { rod: band, at: start }
time: { duration: 1, step: 0.02 }
`;

const title = (words: string): Promise<unknown> =>
  page.waitForFunction((start) => document.querySelector('h1')?.textContent?.startsWith(start), words);

/** Height of the tip in the last frame of a run that began after `first`. */
const tipAtEnd = async (first: number): Promise<number> => {
  const found = await page.waitForFunction((least) => {
    const run = window.tendrilStudio.run();
    return run.first >= least && run.last > 0.999 ? [window.tendrilStudio.position(0, 12)[2]] : undefined;
  }, first);
  return ((await found.jsonValue()) as number[])[0];
};

it('runs a material law, continues it from the cursor, saves it and opens it again', async () => {
  server.served.length = 0;
  await open('#case=michell-ring');
  await page.getByLabel('Speed').selectOption('4');
  await page.getByRole('button', { name: 'Loop (L)' }).click();
  await dropText(creeping);
  await title('A band that creeps');
  const whole = await tipAtEnd(0);
  // the elastic rod would hang lower: the law resists
  expect(whole).toBeLessThan(-0.05);
  // a change and its undoing at the same instant: the rest of the run is what it was, so the history of the material was restored
  await page.getByLabel('Time', { exact: true }).fill('0.5');
  await waitForClock(0.48, 0.52);
  await page.getByRole('tab', { name: 'Scene' }).click();
  await typeScene((await text()).replace('E: 2 MPa', 'E: 3 MPa'));
  await page.waitForFunction(() => window.tendrilStudio.run().values.includes('3 MPa'));
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => window.tendrilStudio.run().values.includes('2 MPa'));
  await page.getByRole('button', { name: 'Play' }).click();
  expect(await tipAtEnd(0.3)).toBeCloseTo(whole, 6);
  await page.locator('summary[title="Save"]').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Run as recording' }).click(),
  ]);
  const bytes = readFileSync(await download.path());
  expect(decodeRecording(bytes, 'run.tendril').header.scene.rods[0].law?.type).toBe('viscoelastic');
  await page.reload();
  await title('A band that creeps');
  await waitForClock(0.1);
  await dropFile('run.tendril', bytes);
  // a recording has no equilibrium to look for
  await page.getByRole('button', { name: 'Let it come to rest here' }).waitFor({ state: 'detached' });
  await page.waitForFunction(() => window.tendrilStudio.run().last > 0.99);
});
