/** The grooming panel: growing, styling, saving, simulating. */
import { readFileSync } from 'node:fs';
import { type Accessor, Document, WebIO } from '@gltf-transform/core';
import { decodeHairstyle } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { encodePng } from '../../cli/src/apng.ts';
import { settingsOf } from '../src/grooming.ts';
import type { GroomSettings } from '../src/groomTypes.ts';
import { packText } from '../src/link.ts';
import {
  addressOf,
  drawn,
  dropFile,
  findFaults,
  goTo,
  newPage,
  open,
  page,
  text,
  title,
  until,
  useStudio,
  waitForClock,
} from './harness.ts';

useStudio();

describe('grooming', () => {
  const says = (words: RegExp): Promise<unknown> =>
    until(
      (source) => new RegExp(source).test(document.querySelector('.groom [role=status]')?.textContent ?? ''),
      words.source,
    );

  /** Little hair on a ball, which grows quickly, by a link; combed unless a test takes another brush. */
  const start = async (settings: Partial<GroomSettings> = {}, head: 'ball' | 'head' = 'ball'): Promise<void> => {
    // the bust is a mesh of a long formula, which takes seconds whenever it is opened
    const scalp = head === 'ball' && { scalp: 'nz > 0.05' };
    const all = { ...settingsOf('wavy'), guides: 12, hairs: 300, ...scalp, ...settings };
    const recipe = { head, settings: all, actions: [] };
    await open(`#h=${await packText(JSON.stringify(recipe))}`);
    await says(new RegExp(`^${all.guides} strands.* ${all.hairs} hairs`));
    await page.getByRole('button', { name: 'Comb', exact: true }).click();
    // few strands: a wide brush meets some
    await page.getByLabel('Size').fill('9');
  };

  /** The mean of all tips [m]. */
  const tips = (): Promise<number[]> =>
    page.evaluate(() => {
      const { hairs, nodes } = window.tendrilStudio.hair();
      const sum = [0, 0, 0];
      for (let h = 0; h < hairs; h++)
        window.tendrilStudio.position(h, nodes - 1).forEach((x, k) => {
          sum[k] += x / hairs;
        });
      return sum;
    });

  const set = (what: string, value: string): Promise<void> => page.locator(`[data-groom="${what}"]`).fill(value);

  /** Drags the brush over the hair, from the middle of a strand. */
  const brush = async (dx: number, dy: number): Promise<void> => {
    await drawn();
    const at = await page.evaluate(() => window.tendrilStudio.drawnAt(0, window.tendrilStudio.hair().nodes >> 1));
    if (!at) throw new Error('there is no hair in the view');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let k = 1; k <= 4; k++) await page.mouse.move(at.x + (k * dx) / 4, at.y + (k * dy) / 4);
    await page.mouse.up();
  };

  it('grows hair by its numbers, and says where they are from', async () => {
    // as a visitor finds it
    await open('#case=michell-ring');
    await page.keyboard.press('g');
    await says(/^96 strands of \d+ helices, 6000 hairs/);
    await set('hairs', '400');
    await says(/, 400 hairs/);
    await set('guides', '24');
    await says(/^24 strands/);
    expect(await page.locator('.groom-numbers').textContent()).toMatch(/estimated.*measured.*cited/);
    await page.getByLabel('Type').selectOption('coily');
    await says(/of (1[1-9]|[2-9]\d) helices/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await says(/of 10 helices/);
    const long = await tips();
    await set('length', '8');
    await says(/ to (7\.\d|8) cm/);
    const short = await tips();
    expect(short[2]).toBeGreaterThan(long[2] + 0.03);
    await page.keyboard.press('Control+z');
    await says(/ to 2\d cm/);
    await page.keyboard.press('Control+y');
    await says(/ to (7\.\d|8) cm/);
    // a formula that is none says so, and what was there stays
    await page.getByText('Where', { exact: true }).click();
    await page.locator('.groom-formula input').fill('nz >');
    await page.locator('.groom-formula input').press('Enter');
    await page.locator('.toast.bad').waitFor();
    await says(/^24 strands/);
    expect(await findFaults()).toEqual([]);
  });

  it('combs, cuts and curls under the brush, with undo', async () => {
    await start({ guides: 24, hairs: 400 });
    const before = await tips();
    await brush(70, -30);
    await says(/[1-9]\d* strands combed/);
    const combed = await tips();
    expect(Math.hypot(...combed.map((x, k) => x - before[k]))).toBeGreaterThan(2e-5);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(() => !/combed/.test(document.querySelector('.groom [role=status]')?.textContent ?? ''));
    const undone = await tips();
    expect(Math.hypot(...undone.map((x, k) => x - before[k]))).toBeLessThan(1e-7);
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
    await brush(20, 0);
    await says(/[1-9]\d* strands\. /);
    expect((await tips())[2]).toBeGreaterThan(before[2] + 1e-4);
    await page.getByRole('button', { name: 'Straighten' }).click();
    await brush(30, 10);
    await says(/[1-9]\d* strands\. /);
    await page.getByRole('button', { name: 'Trim all to' }).click();
    await says(/strands were longer/);
    await says(/ to 12 cm/);
  });

  it('saves and loads a hairstyle, and grows on a mesh that is dropped', async () => {
    await start({ guides: 16 });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save hairstyle' }).click(),
    ]);
    const bytes = readFileSync(await download.path());
    const style = decodeHairstyle(bytes, 'hair.hairstyle');
    expect([style.guideRoots.count, style.hairRoots?.count]).toEqual([16, 300]);
    await set('guides', '40');
    await says(/^40 strands/);
    await dropFile('again.hairstyle', bytes);
    await page.locator('.toast').getByText('again.hairstyle is open').waitFor();
    await says(/^16 strands.*300 hairs/);
    await dropFile('broken.hairstyle', bytes.subarray(0, 4000));
    await page.locator('.toast').getByText('truncated').waitFor();
    await says(/^16 strands/);
    const tent = 'v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';
    await dropFile('tent.obj', new TextEncoder().encode(tent));
    await page.getByRole('button', { name: 'tent.obj' }).waitFor();
    const map = encodePng({ width: 2, height: 1, pixels: Uint8Array.of(0, 0, 0, 255, 255, 255, 255, 255) });
    await dropFile('map.png', map);
    await page.locator('.toast').getByText('no texture coordinates').waitFor();
    // the texture is black where x is below 0, and grey about there
    const coordinates = tent
      .replace(/^f/m, 'vt 0 0\nvt 1 0\nvt 0.5 1\nf')
      .replace(/(?<=f.*)\b\d/g, (vertex) => `${vertex}/${[1, 2, 3, 3][Number(vertex) - 1]}`);
    await dropFile('mapped.obj', new TextEncoder().encode(coordinates));
    await page.getByRole('button', { name: 'mapped.obj' }).waitFor();
    await dropFile('map.png', map);
    await page.locator('.toast').getByText('Hair grows where map.png is bright').waitFor();
    const [count, roots] = await page.evaluate(() => {
      const { hairs } = window.tendrilStudio.hair();
      return [hairs, Array.from({ length: hairs }, (_, h) => window.tendrilStudio.position(h, 0)[0])] as const;
    });
    expect(count).toBe(300);
    expect(Math.min(...roots)).toBeGreaterThan(-0.051);
    expect(Math.max(...roots)).toBeGreaterThan(0.06);
  });

  it('grows styles by name, which links and the number of hairs keep', async () => {
    await start({ guides: 12 }, 'ball');
    for (const name of ['Bob', 'Braid'])
      expect(
        await page
          .getByRole('button', { name, exact: true })
          .locator('img')
          .evaluate((img) => (img as HTMLImageElement).naturalWidth),
      ).toBe(106);
    await page.getByRole('button', { name: 'Fur' }).click();
    await says(/^500 strands.*300 hairs/);
    expect(await page.getByRole('button', { name: 'Fur' }).getAttribute('aria-pressed')).toBe('true');
    await set('hairs', '400');
    await says(/^500 strands.*400 hairs/);
    expect(await page.getByRole('button', { name: 'Fur' }).getAttribute('aria-pressed')).toBe('true');
    const before = await some();
    // the address of the link that it was opened by is gone then
    await page.locator('.groom-kept').getByText('here after a reload').waitFor();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await until(() => location.hash.startsWith('#h='));
    const other = await newPage();
    await other.goto(addressOf(new URL(page.url()).hash));
    await other.waitForFunction(() =>
      /^500 strands.*400 hairs/.test(document.querySelector('.groom [role=status]')?.textContent ?? ''),
    );
    const there = await other.evaluate(() =>
      [0, 37, 120, 255].flatMap((h) => window.tendrilStudio.position(h, window.tendrilStudio.hair().nodes - 1)),
    );
    expect(farthest(there, before)).toBeLessThan(1e-6);
    await set('guides', '16');
    await says(/^16 strands/);
    expect(await page.getByRole('button', { name: 'Fur' }).getAttribute('aria-pressed')).toBe('false');
  });

  /** Positions of some hairs. */
  const some = (): Promise<number[]> =>
    page.evaluate(() =>
      [0, 37, 120, 255].flatMap((h) => window.tendrilStudio.position(h, window.tendrilStudio.hair().nodes - 1)),
    );

  const farthest = (a: readonly number[], b: readonly number[]): number =>
    Math.max(...a.map((x, k) => Math.abs(x - b[k])));

  it('is kept over a reload, and goes into a link as it was made', async () => {
    await start({ guides: 24 });
    const bare = await some();
    await brush(70, -30);
    await says(/[1-9]\d* strands combed/);
    await page.getByRole('button', { name: 'Trim all to' }).click();
    await says(/strands were longer/);
    const trimmed = await some();
    const tipNow = (): Promise<number> =>
      page.evaluate(() => window.tendrilStudio.position(37, window.tendrilStudio.hair().nodes - 1)[2]);
    for (const name of ['Puff', 'Smooth', 'Wrap']) {
      const before = await tipNow();
      await page.getByRole('button', { name }).click();
      await until(
        (z) => Math.abs(window.tendrilStudio.position(37, window.tendrilStudio.hair().nodes - 1)[2] - z) > 1e-5,
        before,
      );
      await says(/24 strands changed/);
    }
    expect(farthest(await some(), trimmed)).toBeGreaterThan(0.001);
    await page.getByRole('button', { name: 'auburn' }).click();
    const styled = await some();
    expect(farthest(styled, bare)).toBeGreaterThan(0.005);
    await page.locator('.groom-kept').getByText('here after a reload').waitFor();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await until(() => location.hash.startsWith('#h='));
    const link = new URL(page.url()).hash;
    expect(link.length).toBeLessThan(3000);

    await goTo('#groom');
    await says(/^24 strands.*300 hairs/);
    expect(farthest(await some(), styled)).toBeLessThan(1e-6);
    expect(await page.getByRole('button', { name: 'auburn' }).getAttribute('aria-pressed')).toBe('true');
    // a scene of it, too
    await page.getByLabel('Motion of the head').selectOption('nod');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await title('Hair on a head that moves');
    await waitForClock(0.01);
    await goTo(new URL(page.url()).hash);
    await title('Hair on a head that moves');
    await waitForClock(0.01);
    // what runs would only take time from the rest
    await page.locator('.stage').focus();
    await page.keyboard.press('Space');
    expect(await page.evaluate(() => window.tendrilStudio.hair().hairs)).toBe(300);
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await until(() => location.hash.includes('s=') && location.hash.includes('h='));
    const scene = new URL(page.url()).hash;

    // with nothing kept: somebody else's browser
    const other = await newPage();
    await other.goto(addressOf(link));
    await other.waitForFunction(() =>
      /^24 strands.*300 hairs/.test(document.querySelector('.groom [role=status]')?.textContent ?? ''),
    );
    const there = await other.evaluate(() =>
      [0, 37, 120, 255].flatMap((h) => window.tendrilStudio.position(h, window.tendrilStudio.hair().nodes - 1)),
    );
    expect(farthest(there, styled)).toBeLessThan(1e-6);
    const follow = (hash: string): Promise<void> =>
      other.evaluate((next) => {
        location.hash = next;
      }, hash);
    await follow(scene);
    await other.waitForFunction(() => document.querySelector('h1')?.textContent === 'Hair on a head that moves');
    await other.waitForFunction(() => window.tendrilStudio.hair().hairs === 300);
    await follow('#h=AAAA');
    await other.locator('.toast').getByText('The link is damaged: its hair cannot be read').waitFor();
  });

  it('says that a link cannot carry hair from a file', async () => {
    await start();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save hairstyle' }).click(),
    ]);
    await dropFile('again.hairstyle', readFileSync(await download.path()));
    await page.locator('.toast').getByText('again.hairstyle is open').waitFor();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await page.locator('.toast').getByText('A link cannot carry this hair').waitFor();
  });

  /** A tent that nods: a node that turns about x, as Blender writes it. */
  const nodding = async (): Promise<Uint8Array> => {
    const document = new Document();
    const buffer = document.createBuffer();
    const accessor = (type: 'SCALAR' | 'VEC3' | 'VEC4', values: Float32Array | Uint16Array): Accessor =>
      document.createAccessor().setType(type).setArray(values).setBuffer(buffer);
    const corners = Float32Array.of(-0.1, 0, 0.1, 0.1, 0, 0.1, 0, 0, -0.1, 0, 0.1, 0);
    const primitive = document
      .createPrimitive()
      .setAttribute('POSITION', accessor('VEC3', corners))
      .setIndices(accessor('SCALAR', Uint16Array.of(0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3)));
    const node = document.createNode('tent').setMesh(document.createMesh().addPrimitive(primitive));
    document.createScene().addChild(node);
    const times = Float32Array.from({ length: 73 }, (_, k) => k / 24);
    const turns = Float32Array.from([...times].flatMap((t) => [Math.sin(t), 0, 0, Math.cos(t)]));
    const sampler = document
      .createAnimationSampler()
      .setInput(accessor('SCALAR', times))
      .setOutput(accessor('VEC4', turns));
    const channel = document.createAnimationChannel().setTargetNode(node).setTargetPath('rotation').setSampler(sampler);
    document.createAnimation('Nod').addSampler(sampler).addChannel(channel);
    return new WebIO().writeBinary(document);
  };

  it('grows on an animated character that is dropped, and rides on its skin', async () => {
    await open('#case=michell-ring');
    await dropFile('tent.glb', await nodding());
    await page.getByRole('button', { name: 'tent.glb' }).waitFor();
    await set('hairs', '200');
    await set('guides', '12');
    await set('length', '6');
    await says(/^12 strands.*200 hairs/);
    expect(await page.getByLabel('Motion of the head').inputValue()).toBe('plays Nod');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await title('Hair on tent.glb');
    /** Roots of the newest frame in the axes of the node, which turns by 2t about x, and as they are. */
    const rootsFrom = async (least: number): Promise<{ own: number[][]; seen: number[][]; time: number }> => {
      const found = await page.waitForFunction(
        (low) => {
          const time = window.tendrilStudio.run().last;
          if (time < low) return undefined;
          return { time, seen: Array.from({ length: 200 }, (_, h) => [...window.tendrilStudio.position(h, 0)]) };
        },
        least,
        { polling: 60 },
      );
      const { seen, time } = (await found.jsonValue()) as { seen: number[][]; time: number };
      const [c, s] = [Math.cos(2 * time), Math.sin(2 * time)];
      return { seen, time, own: seen.map(([x, y, z]) => [x, c * y + s * z, c * z - s * y]) };
    };
    const distances = (a: number[][], b: number[][]): number[] =>
      a.map((p, h) => Math.hypot(...p.map((x, k) => x - b[h][k])));
    const before = await rootsFrom(0.01);
    const after = await rootsFrom(before.time + 0.1);
    expect(Math.max(...distances(before.seen, after.seen))).toBeGreaterThan(5e-3);
    // the path starts smoothly, so that it lags behind the file by a millimetre at first
    expect(Math.max(...distances(before.own, after.own))).toBeLessThan(4e-3);
  });

  it('becomes a scene that runs, on a head that the mouse moves', async () => {
    await start({ guides: 8 }, 'head');
    await page.getByLabel('Motion of the head').selectOption('mouse');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await title('Hair on a head that moves');
    await waitForClock(0.05);
    expect(await page.evaluate(() => window.tendrilStudio.hair().hairs)).toBe(300);
    const box = await page.locator('.stage').boundingBox();
    if (!box) throw new Error('there is no view');
    const [x, y] = [box.x + 0.5 * box.width, box.y + 0.45 * box.height];
    await page.keyboard.down('Shift');
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 4; k++) await page.mouse.move(x + 15 * k, y);
    await until(() => Math.hypot(...(window.tendrilStudio.collider(0) ?? [0])) > 0.005);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByRole('tab', { name: 'Scene' }).click();
    expect(await text()).toMatch(/strands:[\s\S]*hair\.hairstyle[\s\S]*mesh-file/);
    // and back to the brushes
    await page.getByRole('button', { name: 'Groom' }).click();
    await says(/^8 strands/);
  });
});
