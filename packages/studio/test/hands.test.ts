/** Hands in the page: pulling, cutting, pinning. */
import { describe, expect, it } from 'vitest';
import { clickNode, clock, open, page, stopAndFind, until, useStudio, waitForClock, waitForMotion } from './harness.ts';

useStudio();

describe('a rod under the hand', () => {
  it('is pulled by the mouse', async () => {
    await open('#case=curved-cantilever');
    await waitForClock(0.05);
    const at = await stopAndFind(0, 60);
    const before = await page.evaluate(() => window.tendrilStudio.position(0, 60));
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let k = 1; k <= 8; k++) await page.mouse.move(at.x, at.y - 20 * k);
    await until(() => /[1-9].* N/.test(document.querySelector('.pull-label')?.textContent ?? ''));
    // upwards against its weight, which alone would take it down
    await until((z) => window.tendrilStudio.position(0, 60)[2] > z + 0.05, before[2]);
    await page.mouse.up();
    expect(await page.locator('.pull-label').count()).toBe(0);
  });

  it('stays in a hand that keeps still, whatever moves: the rod, and the camera', async () => {
    await open('#case=curved-cantilever');
    await waitForClock(0.05);
    const at = await stopAndFind(0, 60);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    const mouse = { x: at.x - 60, y: at.y - 80 };
    await page.mouse.move(mouse.x, mouse.y);
    await until(() => window.tendrilStudio.pull());
    /** The band as it is drawn, and how far its end is from the node that is held [pixels]. */
    const look = (): Promise<{ hand: { x: number; y: number }; rod: { x: number; y: number }; away: number }> =>
      page.evaluate(async () => {
        // the last frame of the run may not have been drawn yet: one of ten pictures must fit
        for (let k = 1; ; k++) {
          await window.tendrilStudio.drawn();
          const band = window.tendrilStudio.pull();
          const tip = window.tendrilStudio.drawnAt(0, 60);
          if (!band || !tip) throw new Error('no hand');
          const away = Math.hypot(tip.x - band.rod.x, tip.y - band.rod.y);
          if (away < 0.5 || k === 10) return { ...band, away };
        }
      });
    // from where it was taken: by now it may be near where the hand takes it
    await until(({ x, y }) => {
      const { rod } = window.tendrilStudio.pull() ?? { rod: { x, y } };
      return Math.hypot(rod.x - x, rod.y - y) > 10;
    }, at);
    // The end of the band went with the rod, and the hand did not. Compared in a pause: in a run the rod's newest frame is ahead of the
    // band, which moves when the frame is drawn.
    await page.keyboard.press('Space');
    const still = await look();
    expect(still.away).toBeLessThan(0.5);
    const offMouse = ({ hand }: typeof still): number => Math.hypot(hand.x - mouse.x, hand.y - mouse.y);
    expect(offMouse(still)).toBeLessThan(1);
    // the camera goes nearer and around, on a mouse that has not moved since
    for (const key of ['Shift+ArrowLeft', 'Shift+ArrowLeft', '+']) await page.keyboard.press(key);
    await until((x) => Math.abs((window.tendrilStudio.pull()?.rod.x ?? x) - x) > 10, still.rod.x);
    const turned = await look();
    expect(turned.away).toBeLessThan(0.5);
    expect(offMouse(turned)).toBeLessThan(1);
    await page.mouse.up();
    expect(await page.evaluate(() => window.tendrilStudio.pull())).toBeUndefined();
  });

  it('is cut where one clicks, both parts go on, and R makes it whole', async () => {
    await open('#case=curved-cantilever');
    await waitForClock(0.05);
    await page.keyboard.press('x');
    const before = await clock();
    const tip = await page.evaluate(() => window.tendrilStudio.position(0, 60));
    await clickNode(0, 30);
    await page.locator('.toast').getByText('Cut.').waitFor();
    await until(() => window.tendrilStudio.position(1, 0).length === 3);
    // the run goes on from where it was: no new start, the clamp holds, the rest falls
    await waitForClock(before);
    const near = await page.evaluate(() => Math.hypot(...window.tendrilStudio.position(0, 0)));
    expect(near).toBeLessThan(1e-6);
    await until((z) => window.tendrilStudio.position(1, 5)[2] < z - 0.5, tip[2]);
    // a slider goes on with the parts
    await page.locator('[data-path="rods.0.section.EI1"]').fill('0.6');
    await waitForMotion();
    expect(await page.evaluate(() => window.tendrilStudio.position(1, 0).length)).toBe(3);
    await page.locator('.stage').focus();
    await page.keyboard.press('r');
    await until(() => window.tendrilStudio.position(1, 0).length === 0);
    await until(() => window.tendrilStudio.position(0, 60).length === 3);
  });

  it('is pinned where one clicks, exactly, and let go again', async () => {
    await open('#case=curved-cantilever');
    await waitForClock(0.05);
    await page.keyboard.press('p');
    await clickNode(0, 40);
    await page.locator('.toast').getByText('Pinned here').waitFor();
    await until(() => window.tendrilStudio.pins().length === 2);
    const { rod, node } = await page.evaluate(() => window.tendrilStudio.pins()[1]);
    const held = await page.evaluate(([r, n]) => window.tendrilStudio.position(r, n), [rod, node]);
    const tip = await page.evaluate(() => window.tendrilStudio.position(0, 60));
    // the tip moves on, the pin does not by a bit
    await until((x) => {
      const now = window.tendrilStudio.position(0, 60);
      return Math.hypot(now[0] - x[0], now[1] - x[1], now[2] - x[2]) > 1e-3;
    }, tip);
    expect(await page.evaluate(([r, n]) => window.tendrilStudio.position(r, n), [rod, node])).toEqual(held);
    await clickNode(rod, node);
    await page.locator('.toast').getByText('Let go.').waitFor();
    await until(([r, n, z]) => window.tendrilStudio.position(r, n)[2] !== z, [rod, node, held[2]]);
  });
});
