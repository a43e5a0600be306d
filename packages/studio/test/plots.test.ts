/** Plots: reading values under the mouse, moving the cursor by dragging, logarithmic axes. The scene has a solution in closed form. */
import { describe, expect, it } from 'vitest';
import { clock, drawn, dropText, page, title, until, useStudio, visit, waitForClock } from './harness.ts';

useStudio();

const g = 9.81;
/** Mass [kg] and height [m] of a rod that falls. */
const [mass, height] = [2, 8];

const falling = `tendril: 1
title: A rod that falls
gravity: [ 0, 0, -${g} ]
rods:
  - id: rod
    shape: { type: straight, from: [ 0, 0, ${height} ], to: [ 1, 0, ${height} ] }
    edges: 6
    section: { type: stiffness, EI1: 1, GJ: 1, mass: ${mass}, radius: 0.02 }
time: { duration: 1, step: 0.01 }
`;

const plot = (): ReturnType<typeof page.locator> => page.getByRole('figure', { name: 'Energies over time' });
/** What stands beside the name of an energy. */
const readOut = async (name: string): Promise<number> =>
  Number((await plot().locator(`.key-${name} b`).textContent())?.replace('−', '-'));

/** A place in the plot, by shares of its width and height. */
async function place(x: number, y = 0.5): Promise<{ x: number; y: number }> {
  const box = await plot().locator('.u-over').boundingBox();
  if (!box) throw new Error('the plot is nowhere');
  return { x: box.x + x * box.width, y: box.y + y * box.height };
}

/** Height above the lower edge at which the curve of kinetic energy is drawn, at shares of the width [pixels of the plot]. */
const heightsOf = (shares: readonly number[]): Promise<number[]> =>
  page.evaluate((list) => {
    const host = document.querySelector('figure[aria-label^="Energies"]') as HTMLElement;
    const over = (host.querySelector('.u-over') as HTMLElement).getBoundingClientRect();
    const canvas = host.querySelector('canvas') as HTMLCanvasElement;
    const box = canvas.getBoundingClientRect();
    const scale = canvas.width / box.width;
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
    const ink = [0x00, 0x72, 0xb2];
    return list.map((share) => {
      const x = Math.round((over.left - box.left + share * over.width) * scale);
      const [top, rows] = [Math.round((over.top - box.top) * scale), Math.round(over.height * scale)];
      // the curve is thinner than a pixel: some columns beside each other
      const columns = 3;
      const { data } = pen.getImageData(x - 1, top, columns, rows);
      let [sum, weight] = [0, 0];
      for (let k = 0; k < rows * columns; k++) {
        const far = Math.max(...ink.map((value, c) => Math.abs(value - data[4 * k + c])));
        const own = far < 60 ? data[4 * k + 3] : 0;
        sum += own * (rows - Math.floor(k / columns) - 0.5);
        weight += own;
      }
      return sum / weight / scale;
    });
  }, shares);

describe('plots', () => {
  it('show values under the mouse, follow a drag, and have a logarithmic axis', async () => {
    await visit('#case=michell-ring');
    await page.emulateMedia({ colorScheme: 'light' });
    // curves of a pixel or more, and high enough to be told apart
    const session = await page.context().newCDPSession(page);
    const metrics = { width: 1400, height: 900, deviceScaleFactor: 1, mobile: false };
    await session.send('Emulation.setDeviceMetricsOverride', metrics);
    await dropText(falling);
    await title('A rod that falls');
    await waitForClock(0.2);
    // the whole run is there
    await until(() => window.tendrilStudio.run().last > 0.999);
    const pause = page.getByRole('button', { name: 'Pause' });
    if ((await pause.count()) > 0) await pause.click();
    await page.getByRole('button', { name: 'Play' }).waitFor();

    // under the mouse: the values of that instant, not of the cursor
    for (const share of [0.4, 0.8]) {
      const { x, y } = await place(share);
      await page.mouse.move(x, y);
      await expect
        .poll(async () => Number.parseFloat((await plot().locator('.plot-at').textContent()) ?? ''))
        .toBeCloseTo(share, 1);
      const time = Number.parseFloat((await plot().locator('.plot-at').textContent()) ?? '');
      expect(Math.abs(time - share)).toBeLessThan(0.02);
      const kinetic = 0.5 * mass * (g * time) ** 2;
      // three digits are shown, of a scheme of second order or first
      expect(Math.abs((await readOut('kinetic')) / kinetic - 1)).toBeLessThan(0.03);
      expect(Math.abs((await readOut('total')) / (mass * g * height) - 1)).toBeLessThan(0.03);
    }
    await page.mouse.move(5, 5);
    await plot().locator('.plot-at').waitFor({ state: 'detached' });

    // pressed and dragged: the cursor of the timeline goes along, and the picture with it
    const from = await place(0.25);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await expect.poll(clock).toBeCloseTo(0.25, 1);
    const to = await place(0.6);
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await expect.poll(async () => Math.abs((await clock()) - 0.6)).toBeLessThan(0.02);
    await page.mouse.up();
    const settled = await clock();
    await page.mouse.move(from.x, from.y);
    await drawn();
    // released, it stays
    expect(await clock()).toBe(settled);
    await page.mouse.move(5, 5);
    await expect
      .poll(async () => Math.abs((await readOut('kinetic')) / (0.5 * mass * (g * settled) ** 2) - 1))
      .toBeLessThan(0.03);

    // kinetic energy grows with t²: on a linear axis, which begins at zero, it is four times as high after twice the time
    const [low, high] = await heightsOf([0.3125, 0.625]);
    expect(high / low).toBeGreaterThan(3.3);
    expect(high / low).toBeLessThan(4.8);
    // and on a logarithmic axis it rises as much again whenever the time grows by the same factor
    const log = plot().getByRole('button', { name: 'log' });
    await log.click();
    expect(await log.getAttribute('aria-pressed')).toBe('true');
    await expect
      .poll(async () => {
        const [a, b, c] = await heightsOf([0.1, 0.25, 0.625]);
        return Math.abs((c - b) / (b - a) - 1);
      })
      .toBeLessThan(0.25);
    // the values are those of before
    expect(Math.abs((await readOut('kinetic')) / (0.5 * mass * (g * settled) ** 2) - 1)).toBeLessThan(0.03);
  });

  it('has the values along the rod under the mouse', async () => {
    await visit('#case=michell-ring&t=0.2&color=twist');
    const along = page.getByRole('figure', { name: 'Twist along the rod' });
    await along.waitFor();
    const over = await along.locator('.u-over').boundingBox();
    if (!over) throw new Error('the plot is nowhere');
    await page.mouse.move(over.x + 0.5 * over.width, over.y + 0.5 * over.height);
    // a ring of radius 1 with a twist of 14 rad: half way round, and 14/2π rad/m while it is flat
    await expect.poll(async () => (await along.locator('figcaption').textContent()) ?? '').toMatch(/at 3\.1\d? m/);
    const twist = Number(await along.locator('figcaption b').first().textContent());
    expect(Math.abs(twist - 14 / (2 * Math.PI))).toBeLessThan(0.05);
  });
});
