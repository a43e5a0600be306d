/** A rod that breaks: its code is fetched when a scene needs it, and its pieces come apart. */
import { expect, it } from 'vitest';
import { open, page, useStudio } from './harness.ts';

useStudio();

it('runs a bar until it snaps', async () => {
  await open('#case=snapped-bar');
  await page.getByLabel('Speed').selectOption('4');
  const found = await page.waitForFunction(() => {
    const { tendrilStudio } = window;
    if (tendrilStudio.run().last < 0.65) return undefined;
    return [38, 39, 40].map((node) => tendrilStudio.position(0, node)[0]);
  });
  const [before, end, pin] = (await found.jsonValue()) as number[];
  // the last edge broke: the bar went back by its stretch of 5 mm, and its pin went on
  expect(end - before).toBeCloseTo(0.025, 4);
  expect(pin - end).toBeGreaterThan(0.029);
});
