/** What a visitor made does not vanish: undo, reload, the address, recent scenes. */
import { expect, it } from 'vitest';
import {
  addressOf,
  clock,
  complaints,
  dropFile,
  dropText,
  goTo,
  open,
  page,
  reload,
  text,
  title,
  until,
  useStudio,
  waitForClock,
} from './harness.ts';

useStudio();

const scene = (words: RegExp): Promise<unknown> =>
  until((source) => new RegExp(source).test(window.tendrilStudio.text()), words.source);

/** Michell's ring with a changed stiffness, its text on the right. */
const editRing = async (): Promise<void> => {
  await open('#case=michell-ring');
  await page.getByRole('tab', { name: 'Inspector' }).click();
  await page.locator('[data-path="rods.0.section.EI1"]').fill('0.8');
  await page.getByRole('tab', { name: 'Scene' }).click();
  await scene(/EI1: 3\.98/);
};

it('keeps the edits of a case over a reload', async () => {
  await editRing();
  await reload();
  await title('Michell');
  await page.getByRole('tab', { name: 'Scene' }).click();
  await scene(/EI1: 3\.98/);
  // a plain link shows the case as it was published
  await open('#case=michell-ring');
  await page.getByRole('tab', { name: 'Scene' }).click();
  await scene(/EI1: 1,/);
});

it('brings back by undo what a key, a card or a file has replaced', async () => {
  await editRing();
  await page.locator('.stage').focus();
  await page.keyboard.press('2');
  await title('Cantilevers with');
  await page.keyboard.press('Control+z');
  await title('Michell');
  await scene(/EI1: 3\.98/);
  await page.locator('[data-case="heavy-cantilever"]').click();
  await title('Heavy cantilever');
  // the card has the focus by the mouse: Space is for the run
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.keyboard.press('Control+z');
  await scene(/EI1: 3\.98/);
  const json = '{\n  "name": "x",\n  "scripts": {\n    "tendril": "node tendril.mjs"\n  }\n}';
  await dropFile('package.json', new TextEncoder().encode(json));
  await page.locator('.toast').getByText('package.json is no scene').waitFor();
  expect(await text()).toMatch(/EI1: 3\.98/);
  await page.keyboard.press('Control+z');
  await scene(/EI1: 1,/);
  await page.keyboard.press('Control+y');
  await page.keyboard.press('Control+y');
  await title('Heavy cantilever');
});

it('opens what was worked on last, and lists recent scenes, on another visit', async () => {
  await editRing();
  await page.locator('[data-case="heavy-cantilever"]').click();
  await title('Heavy cantilever');
  await goTo('');
  await title('Michell');
  await page.locator('[data-case="heavy-cantilever"]').click();
  await title('Heavy cantilever');
  await page
    .getByRole('button', { name: /^Michell's ring.*changed/ })
    .first()
    .click();
  await title('Michell');
  await page.getByRole('tab', { name: 'Scene' }).click();
  await scene(/EI1: 3\.98/);
});

it('goes on with a copy from where the run is, and keeps the scene itself', async () => {
  await editRing();
  await waitForClock(0.2);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Pause' }).click();
  const before = await clock();
  await page.locator('summary[title="Save"]').click();
  await page.getByRole('button', { name: 'Go on with a copy' }).click();
  await until(() => document.querySelector('h1')?.textContent?.endsWith('(copy)'));
  expect(Math.abs((await clock()) - before)).toBeLessThan(0.02);
  await page.getByRole('tab', { name: 'Inspector' }).click();
  await page.locator('[data-path="rods.0.section.GJ"]').fill('0.2');
  await until(() => !/GJ: 1,/.test(window.tendrilStudio.text()));
  await page.getByRole('tab', { name: 'Scene' }).click();
  await page.goBack();
  await until(() => !document.querySelector('h1')?.textContent?.endsWith('(copy)'));
  expect(await text()).toMatch(/EI1: 3\.98.*GJ: 1,|GJ: 1,.*EI1: 3\.98/);
  const recent = page
    .getByRole('region')
    .or(page.locator('.recent'))
    .getByRole('button', { name: /^Michell's ring/ });
  expect((await recent.allTextContents()).some((words) => words.includes('(copy)'))).toBe(true);
});

it('follows the address: pasted links, Back and Forward', async () => {
  await editRing();
  await page.locator('[data-case="heavy-cantilever"]').click();
  await title('Heavy cantilever');
  await page.goBack();
  await title('Michell');
  await scene(/EI1: 3\.98/);
  await page.goForward();
  await title('Heavy cantilever');
  await page.evaluate(() => {
    location.hash = '#case=wilberforce-pendulum';
  });
  await title('Wilberforce');
});

it('says in words that a part of the page could not be fetched, and tries again', async () => {
  await open('#case=michell-ring');
  await page.route('**/assets/case-*.js', (route) => route.abort());
  await page.locator('[data-case="becks-column"]').click();
  const alert = page.getByRole('alert');
  await alert.getByText('could not be fetched').waitFor();
  expect(await alert.textContent()).not.toMatch(/TypeError|http/);
  await page.unroute('**/assets/case-*.js');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await title('Beck');
  await waitForClock(0.01);
});

it('says that the simulation could not be fetched, and starts it when asked again', async () => {
  await open('#case=michell-ring');
  await page.route('**/assets/worker-*.js', (route) => route.abort());
  await page.goto('about:blank');
  await page.goto(addressOf('#case=becks-column'));
  const alert = page.getByRole('alert');
  await alert.getByText('could not be fetched').waitFor();
  await page.unroute('**/assets/worker-*.js');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await title('Beck');
  await waitForClock(0.01);
  complaints.length = 0;
});

it('says what takes long, and stops it', async () => {
  await open('#case=michell-ring');
  await dropText(`tendril: 1
title: Very many edges
rods:
  - id: rod
    shape: { type: straight, from: [ 0, 0, 0 ], to: [ 1, 0, 0 ] }
    edges: 250000
    section: { type: circle, radius: 0.01 }
    material: { E: 20 MPa, nu: 0.4, density: 1000 }
time: { duration: 1, step: 0.02 }
`);
  const wait = page.locator('.loading');
  await wait.getByText('Building').waitFor();
  await wait.getByRole('button', { name: 'Cancel' }).click();
  await wait.waitFor({ state: 'detached' });
  await title('Michell');
  await waitForClock(0.05);
});
