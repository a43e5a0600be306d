/** What goes wrong in the page, and what it says. */
import { describe, expect, it } from 'vitest';
import { packText } from '../src/link.ts';
import {
  complaints,
  dropText,
  findFaults,
  open,
  page,
  server,
  text,
  typeScene,
  until,
  useStudio,
  waitForClock,
  waitForMotion,
} from './harness.ts';

useStudio();

describe('what goes wrong', () => {
  it('is shown at its line with a remedy that works, while the run goes on', async () => {
    await open('#case=michell-ring');
    await page.getByRole('tab', { name: 'Scene' }).click();
    await typeScene((await text()).replace('edges: 60', 'edgess: 40'));
    const problem = page.locator('.problems li').first();
    await problem.getByText("did you mean 'edges'?").waitFor();
    expect(await problem.textContent()).toMatch(/6:5/);
    await waitForMotion();
    await problem.getByRole('button', { name: "Write 'edges'" }).click();
    await page.locator('.problems').getByText('The scene is sound').waitFor();
    expect(await text()).toContain('edges: 40');
  });

  it('is prevented: the editor offers what the schema allows, and undo goes back to before the typing', async () => {
    await open('#case=michell-ring');
    await page.getByRole('tab', { name: 'Scene' }).click();
    const before = await text();
    const content = page.locator('.cm-content');
    await content.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('grav');
    const offered = page.locator('.cm-tooltip-autocomplete li');
    await offered.getByText('gravity').waitFor();
    await page.locator('.cm-completionInfo').getByText('cceleration').waitFor();
    // while a list is computed again, the editor ignores the key
    await page.locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type(' [ 0, 0, -1 ]');
    await until(() => window.tendrilStudio.text().endsWith('gravity: [ 0, 0, -1 ]'));
    // the words that were chosen, then those that were typed
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await until((words) => window.tendrilStudio.text() === words, before);
    expect(await findFaults()).toEqual([]);
  });

  it('is all that is shown where nothing ran before', async () => {
    await page.addInitScript(() => {
      localStorage.clear();
    });
    await page.goto(`${server.url}#name=bad.yaml&s=${await packText('tendril: 1\nrods: 3\n')}`);
    await page.locator('.message').getByText('Nothing runs until it is mended').waitFor();
    await page.locator('.side-body').getByText('The scene has a problem').waitFor();
    for (const what of ['.scale', '.hint', '.uplot']) expect(await page.locator(what).count(), what).toBe(0);
    expect(await page.locator('.clock').textContent()).toBe('');
  });

  it('stops the run in words, and the remedy is a button', async () => {
    const yaml = `tendril: 1
title: Too large a step
gravity: [ 0, 0, -1000 ]
rods:
  - id: rod
    shape: { type: straight, from: [ 0, 0, 0 ], to: [ 1, 0, 0 ] }
    edges: 30
    section: { type: circle, radius: 0.005 }
    material: { E: 1 MPa, nu: 0.4, density: 1000 }
pins:
  - { rod: rod, at: start }
time: { duration: 10, step: 0.5, halvings: 0 }
solver: { der: { iterations: 3 } }
`;
    await open('#case=michell-ring');
    await dropText(yaml);
    const panel = page.locator('.failure');
    await panel.getByText('The simulation could not go on').waitFor();
    expect(await panel.textContent()).toContain("rod 'rod'");
    await panel.getByRole('button', { name: 'Halve the step' }).click();
    await page.getByRole('tab', { name: 'Scene' }).click();
    await page.waitForFunction(() => /step: 0\.25/.test(window.tendrilStudio.text()));
  });

  it('is said where there is no WebGL', async () => {
    await page.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.goto(server.url);
    await page.locator('.fatal').getByText('no WebGL').waitFor();
    // the run goes on all the same
    await waitForClock(0.05);
    complaints.length = 0;
  });
});
