/** The page with a head of hair on the GPU: hairstyles, motion and camera here; in a browser without WebGPU; with TENDRIL_LONG=1 also on a software GPU. */
import { openField } from '@tendril-sim/core/batch';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBust } from '../src/gpuHair/bust.ts';
import { eyeOf, lightBox, lookThrough, TARGET } from '../src/gpuHair/camera.ts';
import { normalsOf } from '../src/gpuHair/drawing.ts';
import { createMotion } from '../src/gpuHair/motion.ts';
import { readChoices } from '../src/gpuHair/panel.ts';
import { growStyle, NODES, styleIds } from '../src/gpuHair/style.ts';
import { bustDistance } from '../src/worker/groom/heads.ts';
import { findChromium, type Server, serveStudio } from './browser.ts';
import { findFaults } from './harness.ts';

describe('hairstyles', () => {
  const bust = makeBust();
  const skin = openField(bust.table);
  const node = (points: Float32Array, s: number, i: number): [number, number, number] => {
    const [x, y, z] = points.subarray(3 * (NODES * s + i));
    return [x, y, z];
  };

  it.each(styleIds)('%s: strands of equal edges leave the scalp and stay out of the skin', (id) => {
    const count = 150;
    const { points, edgeLengths, clearances } = growStyle(id, count, skin);
    for (let s = 0; s < count; s++) {
      expect(Math.abs(bustDistance(node(points, s, 0)))).toBeLessThan(3e-4);
      for (let i = 0; i + 1 < NODES; i++) {
        const [a, b] = [node(points, s, i), node(points, s, i + 1)];
        const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        expect(length / edgeLengths[s]).toBeCloseTo(1, 4);
        // the simulation knows the skin by its table, which is a few tenths of a millimetre off
        if (i > 1) expect(bustDistance(b)).toBeGreaterThan(-1e-3);
        // an edge keeps no more distance than it begins with, so that nothing pushes it
        const room = Math.min(...[a, b].map(([x, y, z]) => distanceBy(skin, x, y, z)));
        if (i > 1) expect(clearances[(NODES - 1) * s + i]).toBeLessThan(Math.max(room, 2.6e-4));
      }
    }
    const tips = Array.from({ length: count }, (_, s) => node(points, s, NODES - 1)[2]);
    expect(tips.filter((z) => z < -0.02).length).toBeGreaterThan(0.9 * count);
  });

  it('are the same each time, and more strands lie between those of fewer', () => {
    const [few, more] = [growStyle('curls', 40, skin), growStyle('curls', 80, skin)];
    expect(Array.from(more.points.subarray(0, few.points.length))).toEqual(Array.from(few.points));
  });

  it('grow on a bust whose normals point outwards', () => {
    const normals = normalsOf(bust.mesh);
    const { position } = bust.mesh;
    let outwards = 0;
    for (let v = 0; v < position.length; v += 30) {
      const [x, y, z] = position.subarray(v, v + 3);
      const size = Math.hypot(normals[v], normals[v + 1], normals[v + 2]);
      const at = (s: number): number =>
        bustDistance([x + (s * normals[v]) / size, y + (s * normals[v + 1]) / size, z + (s * normals[v + 2]) / size]);
      if (at(1e-3) > at(-1e-3)) outwards++;
    }
    expect(outwards / (position.length / 30)).toBeGreaterThan(0.98);
  });
});

function distanceBy(
  skin: { sample(out: Float64Array, ...x: [number, number, number]): void },
  ...x: [number, number, number]
): number {
  const out = new Float64Array(4);
  skin.sample(out, ...x);
  return out[0];
}

describe('motion', () => {
  it('reaches where a hand takes it, without a jump, and by the same way whatever the frames', () => {
    const [one, two] = [createMotion('rests'), createMotion('rests')];
    one.byHand = two.byHand = 2;
    let [last, rate] = [0, 0];
    for (let k = 0; k < 120; k++) {
      const { turn } = one.advance(1 / 60);
      two.advance(1 / 120);
      expect(two.advance(1 / 120).turn).toBeCloseTo(turn, 12);
      const now = 60 * (turn - last);
      // 14² · 2 rad/s², the start of the spring
      expect(Math.abs(now - rate)).toBeLessThan((2 * 14 * 14) / 60);
      [last, rate] = [turn, now];
    }
    expect(last).toBeCloseTo(2, 6);
  });

  it('blows as strongly as it is told, with gusts', () => {
    const motion = createMotion('turns');
    motion.wind = 2;
    const speeds = Array.from({ length: 600 }, () => Math.hypot(...motion.advance(1 / 60).wind));
    const mean = speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length;
    expect(mean / 2).toBeGreaterThan(0.85);
    expect(mean / 2).toBeLessThan(1.1);
    expect(Math.max(...speeds) / Math.min(...speeds)).toBeGreaterThan(2);
  });
});

it('the camera has its target in the middle, and depths from 0 to 1; the light has depths in metres', () => {
  const transform = (m: readonly number[], [x, y, z]: readonly number[]): number[] =>
    [0, 1, 2, 3].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
  const eye = eyeOf({ around: 0.7, above: 0.3, distance: 1.5 });
  const matrix = lookThrough(eye, TARGET, 0.2, 1.6);
  const [x, y, , w] = transform(matrix, TARGET);
  expect(Math.hypot(x, y)).toBeLessThan(1e-12);
  expect(w).toBeCloseTo(1.5, 12);
  const depthAt = (distance: number): number => {
    const p = [0, 1, 2].map((k) => eye[k] + ((TARGET[k] - eye[k]) * distance) / 1.5);
    const [, , z, one] = transform(matrix, p);
    return z / one;
  };
  expect(depthAt(0.05)).toBeCloseTo(0, 10);
  expect(depthAt(8)).toBeCloseTo(1, 10);
  // what is above is above
  expect(transform(matrix, [TARGET[0], TARGET[1], TARGET[2] + 0.1])[1]).toBeGreaterThan(0);
  const light = lightBox([0, 0.6, 0.8], [0.1, 0, 0], 0.36, 1.2);
  expect(transform(light, [0.1, 0, 0])[2]).toBeCloseTo(0.5, 12);
  expect(transform(light, [0.1, -0.06, -0.08])[2]).toBeCloseTo(0.5 + 0.1 / 1.2, 12);
});

it('an address chooses, within limits', () => {
  const usual = readChoices('');
  expect(readChoices('?style=curls&strands=30000&motion=shakes&wind=2&touches')).toMatchObject({
    style: 'curls',
    strands: 30000,
    motion: 'shakes',
    wind: 2,
    touches: true,
  });
  expect(readChoices('?color=blond').color).not.toEqual(usual.color);
  expect(readChoices('?style=none&strands=1e9&wind=-1&motion=&color=7')).toEqual(usual);
  expect(readChoices('?strands=NaN')).toEqual(usual);
});

describe('the page', () => {
  let server: Server;
  const browsers: Browser[] = [];
  const open = async (args: string[], query: string): Promise<Page> => {
    const browser = await chromium.launch({
      executablePath: findChromium(),
      timeout: 120_000,
      args: ['--no-sandbox', ...args],
    });
    browsers.push(browser);
    const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
    await page.goto(`${server.url}hair.html${query}`);
    return page;
  };
  beforeAll(async () => {
    server = await serveStudio();
  });
  afterAll(async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    server.close();
  });

  it('says what is missing, and where to go on, in a browser without WebGPU', async () => {
    const page = await open(['--disable-gpu', '--disable-features=WebGPU'], '');
    const status = page.getByRole('status');
    await page.waitForFunction(() => document.querySelector('#status')?.classList.contains('problem'), undefined, {
      timeout: 60_000,
    });
    expect(await status.textContent()).toMatch(/WebGPU/);
    expect(await status.getByRole('link', { name: 'Open the studio' }).getAttribute('href')).toBe('./');
    expect(await findFaults(page)).toEqual([]);
  }, 120_000);

  it.runIf(process.env.TENDRIL_LONG)(
    'simulates and draws hair on a software GPU, and the hair moves',
    async () => {
      const flags = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];
      const screen = ['--use-angle=swiftshader', '--use-vulkan=swiftshader', '--ignore-gpu-blocklist'];
      const page = await open([...flags, ...screen], '?strands=200&style=bob&color=copper&wind=4');
      const problems: string[] = [];
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      await page.getByText(/200 strands, 6,400 hairs · \d+ frames per second/).waitFor({ timeout: 500_000 });
      const shot = async (): Promise<Buffer> => page.screenshot({ clip: { x: 300, y: 40, width: 300, height: 380 } });
      const first = await shot();
      const pixels = (picture: Buffer): Promise<number[]> =>
        page.evaluate(
          async (data) => {
            const image = await createImageBitmap(await (await fetch(data)).blob());
            const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
            context?.drawImage(image, 0, 0);
            return Array.from(context?.getImageData(0, 0, image.width, image.height).data ?? []);
          },
          `data:image/png;base64,${picture.toString('base64')}`,
        );
      const colors = await pixels(first);
      let copper = 0;
      for (let k = 0; k < colors.length; k += 4) if (colors[k] > 1.4 * colors[k + 2] && colors[k] > 60) copper++;
      expect(copper / (colors.length / 4)).toBeGreaterThan(0.03);
      await page.waitForTimeout(5000);
      const later = await pixels(await shot());
      expect(later.filter((value, k) => Math.abs(value - colors[k]) > 40).length).toBeGreaterThan(500);
      expect(problems).toEqual([]);
    },
    600_000,
  );
});
