/** Warnings about a scene, and what its steps find, are on the page. */
import { createWorld, type Scene } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { createDoubts } from '../src/worker/doubts.ts';
import { createLane } from '../src/worker/lane.ts';
import { clock, dropText, findFaults, open, page, until, useStudio, waitForClock } from './harness.ts';

useStudio();

const yaml = `tendril: 1
title: A soft truss
gravity: [0, 0, -9.81]
rods:
  - id: hair
    model: massspring
    shape: { type: straight, from: [0, 0, 0], to: [30 cm, 0, 0] }
    edges: 20
    section: { type: circle, radius: 3 mm }
    material: { E: 2 MPa, nu: 0.4, density: 1000 }
pins:
  - { rod: hair, at: start }
time: { duration: 2 s, step: 5 ms }
`;

it('has a button with the number of warnings, and their texts behind it', async () => {
  await open('#case=drop');
  await dropText(yaml);
  await waitForClock(0.6);
  const doubts = page.locator('.corner .doubts');
  // of the scene, and of a step
  await until(() => /[2-9] warnings/.test(document.querySelector('.corner .doubts summary')?.textContent ?? ''));
  expect(await doubts.locator('ul').isVisible()).toBe(false);
  await doubts.locator('summary').click();
  await doubts.getByText('the springs are far too soft').waitFor();
  expect(await clock()).toBeGreaterThan(0.5);
  expect(await findFaults()).toEqual([]);
  if (process.env.TENDRIL_PICTURE) await page.screenshot({ path: process.env.TENDRIL_PICTURE });
});

it('has none where nothing is in doubt', async () => {
  await open('#case=drop');
  await dropText(yaml.replace('massspring', 'der').replace('A soft truss', 'A soft rod'));
  await page.locator('.doubts').waitFor({ state: 'detached' });
  await waitForClock(0.3);
  expect(await page.locator('.doubts').count()).toBe(0);
});

it('collects remarks once, and what the audit has found', () => {
  const doubts = createDoubts();
  const step = { dt: 1, substeps: 1, iterations: 1, iterationsMax: 1, shifts: 0 };
  doubts.add({ ...step, time: 1, remarks: ['a rod is folded'] });
  doubts.add({ ...step, time: 2, remarks: ['a rod is folded'] });
  expect(doubts.list()).toEqual(['a rod is folded']);
  doubts.add({ ...step, time: 3, energyGain: { gain: 2, step: 2, scale: 4 } });
  expect(doubts.list()[1]).toContain('energy was created: 2.0 J');
});

it('gives frames the remarks of a world', () => {
  const scene: Scene = {
    tendril: 1,
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges: 8,
        section: { type: 'circle', radius: 0.01 },
        material: { E: 1e6, nu: 0.4, density: 1000 },
      },
    ],
    time: { duration: 1, step: 0.01 },
  };
  const world = createWorld(scene);
  const lane = createLane(scene, { id: '', label: '' }, 0, world);
  const step = world.step.bind(world);
  world.step = (dt) => ({ ...step(dt), remarks: ['look here'] });
  expect(lane.frame().doubts).toBeUndefined();
  lane.step();
  expect(lane.frame().doubts).toEqual(['look here']);
});
