/** The page in a real browser: Chromium without a graphics card, as on a test machine. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { cases } from '@tendril/cases';
import { createWorld, type Scene } from '@tendril/core';
import { createRecordingEncoder, decodeHairstyle, decodeRecording, recordingFrame, recordingHeader } from '@tendril/io';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { launchBrowser, type Server, serveStudio } from './browser.ts';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const require = createRequire(import.meta.url);

// two cores that others use too are slow: what takes a second on a quiet machine may take twenty
vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000, retry: 1 });

let browser: Browser;
let server: Server;
let context: BrowserContext;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  server = await serveStudio();
  browser = await launchBrowser();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  server?.close();
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1100, height: 720 }, acceptDownloads: true });
  page = await context.newPage();
  page.setDefaultTimeout(90_000);
  complaints.length = 0;
  page.on('pageerror', (error) => complaints.push(String(error.stack)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
});

afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function open(fragment: string): Promise<void> {
  await page.goto(server.url + fragment);
  await page.waitForFunction(() => window.tendrilStudio?.position(0, 0).length === 3);
}

const clock = (): Promise<number> =>
  page.locator('.clock').evaluate((element) => Number(/=\s*([\d.]+)/.exec(element.textContent ?? '')?.[1]));

const waitForClock = (least: number, most = Number.MAX_VALUE): Promise<unknown> =>
  page.waitForFunction(
    ([least, most]) => {
      const t = Number(/=\s*([\d.]+)/.exec(document.querySelector('.clock')?.textContent ?? '')?.[1]);
      return t >= least && t <= most;
    },
    [least, most],
  );

/** Until what was asked before is on the screen, however slow the machine is. */
const drawn = (): Promise<void> =>
  page.evaluate(async () => {
    for (let k = 0; k < 3; k++) await new Promise(requestAnimationFrame);
  });

/** Drops a scene on the page. */
const dropText = (yaml: string): Promise<void> =>
  page.evaluate((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], 'test.yaml'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
  }, yaml);

const dropFile = (name: string, bytes: Uint8Array): Promise<void> =>
  page.evaluate(
    ([fileName, base64]) => {
      const content = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    [name, Buffer.from(bytes).toString('base64')],
  );

const text = (): Promise<string> => page.locator('textarea').inputValue();

describe('the page', () => {
  it('is small: what is fetched until a case moves with its plots beside it', async () => {
    server.served.length = 0;
    await open('');
    await waitForClock(0.05);
    await page.locator('.uplot').first().waitFor();
    const scripts = [...new Set(server.served)].filter((path) => path.endsWith('.js'));
    const sizes = scripts.map((path) => gzipSync(readFileSync(`${dist}${path}`)).length / 1000);
    const whole = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`studio: ${whole.toFixed(0)} kB of script in ${scripts.length} files, compressed, when a case moves`);
    expect(whole).toBeGreaterThan(200);
    expect(whole).toBeLessThan(450);
    // one model of six, one case of all, and nothing for checks and exports
    expect(scripts.filter((path) => path.includes('/model-'))).toHaveLength(1);
    expect(scripts.filter((path) => path.includes('/files-'))).toEqual([]);
    // it works offline: nothing is fetched from elsewhere
    const html = readFileSync(`${dist}index.html`, 'utf8');
    expect(html).not.toMatch(/https?:/);
  });

  it('shows a case that moves at once, and every case with its picture', async () => {
    const begin = Date.now();
    await open('');
    console.log(`studio: first picture after ${Date.now() - begin} ms`);
    await waitForClock(0.1);
    expect(await page.locator('.card').count()).toBe(cases.length);
    await page.waitForFunction(() => document.querySelectorAll('.card .thumb img').length >= 15);
    // what is drawn is no empty canvas
    const colors = await page.evaluate(async () => {
      const bitmap = await createImageBitmap((await window.tendrilStudio.picture()) as Blob);
      const copy = new OffscreenCanvas(bitmap.width, bitmap.height);
      const pen = copy.getContext('2d') as OffscreenCanvasRenderingContext2D;
      pen.drawImage(bitmap, 0, 0);
      const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
      const seen = new Set<number>();
      for (let k = 0; k < data.length; k += 4) seen.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
      return seen.size;
    });
    expect(colors).toBeGreaterThan(20);
  });

  it('finds cases by words, opens them, and by number', async () => {
    await open('#case=heavy-cantilever');
    await page.getByLabel('Search cases').fill('bergou wilber');
    expect(await page.locator('.card').count()).toBe(1);
    await page.locator('.card').click();
    await page.waitForFunction(() => document.querySelector('h1')?.textContent?.startsWith('Wilberforce'));
    expect(page.url()).toContain('#case=wilberforce-pendulum');
    await page.getByLabel('Search cases').fill('');
    await page.locator('.stage').focus();
    await page.keyboard.press('2');
    await page.waitForFunction(() => document.querySelector('h1')?.textContent?.startsWith('End-loaded'));
  });

  it.each(['light', 'dark'] as const)('has no serious fault of accessibility, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await open('#case=michell-ring');
    await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
    for (const tab of ['Inspector', 'Theory', 'Scene']) {
      await page.getByRole('tab', { name: tab }).click();
      const faults = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: typeof import('axe-core') };
        const { violations } = await axe.run();
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
      });
      expect(faults, tab).toEqual([]);
    }
  });
});

describe('a run', () => {
  it('plays, pauses, steps, scrubs and restarts', async () => {
    await open('#case=cantilever-release');
    await waitForClock(0.2);
    await page.locator('.stage').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await drawn();
    const paused = await clock();
    await drawn();
    expect(await clock()).toBe(paused);
    await page.keyboard.press('ArrowLeft');
    await waitForClock(0, paused - 1e-4);
    await page.getByLabel('Time', { exact: true }).fill('0.1');
    await waitForClock(0.05, 0.15);
    await page.keyboard.press('r');
    await page.locator('.stage').focus();
    await page.keyboard.press('r');
    await waitForClock(0.05);
  });

  it('answers to a slider at once, or starts anew and says so; undo and redo', async () => {
    await open('#case=michell-ring');
    await waitForClock(0.3);
    const slide = async (path: string, value: string): Promise<void> => {
      await page.locator(`[data-path="${path}"]`).fill(value);
    };
    await slide('rods.0.section.EI1', '0.8');
    await page.getByRole('tab', { name: 'Scene' }).click();
    await page.waitForFunction(() => /EI1: 3\.98/.test(document.querySelector('textarea')?.value ?? ''));
    // the run went on: its state was kept
    expect(await clock()).toBeGreaterThan(0.25);
    await page.getByRole('tab', { name: 'Inspector' }).click();
    await slide('rods.0.edges', '0.4');
    await page.locator('.toast').getByText('Restarted').waitFor();
    await page.getByRole('tab', { name: 'Scene' }).click();
    expect(await text()).not.toContain('edges: 60');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForFunction(() => /edges: 60/.test(document.querySelector('textarea')?.value ?? ''));
    await page.locator('.stage').focus();
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => /EI1: 1,/.test(document.querySelector('textarea')?.value ?? ''));
    await page.keyboard.press('Control+y');
    await page.waitForFunction(() => /EI1: 3\.98/.test(document.querySelector('textarea')?.value ?? ''));
  });

  it('is pulled by the mouse', async () => {
    await open('#case=curved-cantilever');
    await waitForClock(0.05);
    const before = await page.evaluate(() => window.tendrilStudio.position(0, 60));
    const at = await page.evaluate(() => window.tendrilStudio.place(0, 60));
    if (!at) throw new Error('the tip is nowhere');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let k = 1; k <= 8; k++) {
      await page.mouse.move(at.x, at.y - 20 * k);
      await page.waitForTimeout(60);
    }
    await page.locator('.pull-label').waitFor();
    await page.waitForFunction(() => /[1-9].* N/.test(document.querySelector('.pull-label')?.textContent ?? ''));
    // upwards against its weight, which alone would take it down
    await page.waitForFunction((z) => window.tendrilStudio.position(0, 60)[2] > z + 0.05, before[2]);
    await page.mouse.up();
    expect(await page.locator('.pull-label').count()).toBe(0);
  });

  /** Clicks on a node. */
  const click = async (rod: number, node: number): Promise<void> => {
    const at = await page.evaluate(([r, n]) => window.tendrilStudio.place(r, n), [rod, node]);
    if (!at) throw new Error('the node is nowhere');
    await page.mouse.click(at.x, at.y);
  };

  it('is cut where one clicks, both parts go on, and R makes it whole', async () => {
    await open('#case=curved-cantilever');
    await waitForClock(0.05);
    await page.keyboard.press('x');
    const before = await clock();
    const tip = await page.evaluate(() => window.tendrilStudio.position(0, 60));
    await click(0, 30);
    await page.locator('.toast').getByText('Cut.').waitFor();
    await page.waitForFunction(() => window.tendrilStudio.position(1, 0).length === 3);
    // the run goes on from where it was: no new start, the clamp holds, the rest falls
    await waitForClock(before);
    const near = await page.evaluate(() => Math.hypot(...window.tendrilStudio.position(0, 0)));
    expect(near).toBeLessThan(1e-6);
    await page.waitForFunction((z) => window.tendrilStudio.position(1, 5)[2] < z - 0.5, tip[2]);
    // a slider goes on with the parts
    await page.locator('[data-path="rods.0.section.EI1"]').fill('0.6');
    await waitForClock((await clock()) + 0.05);
    expect(await page.evaluate(() => window.tendrilStudio.position(1, 0).length)).toBe(3);
    await page.locator('.stage').focus();
    await page.keyboard.press('r');
    await page.waitForFunction(() => window.tendrilStudio.position(1, 0).length === 0);
    await page.waitForFunction(() => window.tendrilStudio.position(0, 60).length === 3);
  });

  it('is pinned where one clicks, exactly, and let go again', async () => {
    await open('#case=curved-cantilever');
    await waitForClock(0.05);
    await page.keyboard.press('p');
    await click(0, 40);
    await page.locator('.toast').getByText('Pinned here').waitFor();
    await page.waitForFunction(() => window.tendrilStudio.pins().length === 2);
    const { rod, node } = await page.evaluate(() => window.tendrilStudio.pins()[1]);
    const held = await page.evaluate(([r, n]) => window.tendrilStudio.position(r, n), [rod, node]);
    const tip = await page.evaluate(() => window.tendrilStudio.position(0, 60));
    // the tip moves on, the pin does not by a bit
    await page.waitForFunction((x) => {
      const now = window.tendrilStudio.position(0, 60);
      return Math.hypot(now[0] - x[0], now[1] - x[1], now[2] - x[2]) > 1e-3;
    }, tip);
    expect(await page.evaluate(([r, n]) => window.tendrilStudio.position(r, n), [rod, node])).toEqual(held);
    await click(rod, node);
    await page.locator('.toast').getByText('Let go.').waitFor();
    await page.waitForFunction(([r, n, z]) => window.tendrilStudio.position(r, n)[2] !== z, [rod, node, held[2]]);
  });

  it('draws colliders where they are', async () => {
    await open('#case=michell-ring');
    await dropText(`tendril: 1
title: A ball on its way
rods:
  - id: rod
    shape: { type: straight, from: [ 0, 0, 0 ], to: [ 1, 0, 0 ] }
    edges: 10
    section: { type: circle, radius: 0.01 }
    material: { E: 1 MPa, nu: 0.4, density: 1000 }
pins:
  - { rod: rod, at: start }
colliders:
  - { type: sphere, radius: 0.1, position: [ 0, 0, 1 ], path: { interpolation: linear, keys: [ { time: 0, offset: [ 0, 0, 0 ] }, { time: 2, offset: [ 2, 0, 0 ] } ] } }
  - { type: formula, formula: "hypot(x, y, z) - 0.2", position: [ 0, 0, -1 ] }
time: { duration: 2, step: 0.01 }
`);
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'A ball on its way');
    await waitForClock(0.5);
    await page.locator('.stage').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await drawn();
    const t = await clock();
    const at = await page.evaluate(() => window.tendrilStudio.collider(0));
    expect(at?.[0]).toBeCloseTo(t, 1);
    expect(at?.[2]).toBeCloseTo(1, 6);
    expect(await page.evaluate(() => window.tendrilStudio.collider(1))).toEqual([0, 0, -1]);
  });

  it('shows its checks against theory', async () => {
    await open('#case=helix-reconstruction');
    await page.getByRole('tab', { name: 'Theory' }).click();
    await page.getByRole('button', { name: 'Measure and compare' }).click();
    await page.locator('.verdict').waitFor({ timeout: 60_000 });
    expect(await page.locator('.verdict').textContent()).toMatch(/All \d+ checks as theory says/);
    expect(await page.locator('.checks li').count()).toBeGreaterThan(0);
  });

  it('runs under several models side by side, and says in words what one refuses', async () => {
    await open('#case=cantilever-release');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Compare models' });
    await dialog.getByRole('checkbox').first().check();
    await dialog.getByText('der, implicit-euler', { exact: true }).click();
    // an explicit scheme refuses rods with stiffness damping, or runs; what is not in this build is refused by name
    await dialog.getByText('der, midpoint', { exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll('.lane-head').length === 3);
    await waitForClock(0.1);
    const heads = await page.locator('.lane-head').allTextContents();
    expect(heads[0]).toContain('der');
    expect(heads[1]).toContain('implicit-euler');
    const tag = page.locator('.compare .tag').first();
    if ((await tag.count()) > 0) {
      await tag.click();
      await page.locator('.lane-refused').getByText('is not available').waitFor();
    }
    await dialog.getByRole('button', { name: 'Back to one view' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.lane-head').length === 0);
  });
});

describe('files', () => {
  it('saves the scene, a picture and a table', async () => {
    await open('#case=michell-ring');
    await waitForClock(0.1);
    const save = async (name: string): Promise<{ name: string; content: Buffer }> => {
      await page.locator('summary[title="Save"]').click();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      await page.locator('summary[title="Save"]').click();
      return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
    };
    const yaml = await save('Scene as YAML');
    expect(yaml.name).toBe('michell-ring.yaml');
    expect(yaml.content.toString()).toContain("Michell's ring");
    const picture = await save('Picture as PNG');
    expect(picture.content.subarray(1, 4).toString()).toBe('PNG');
    const table = await save('Energies as CSV');
    expect(table.content.toString().split('\n')[0]).toContain('time_s,kinetic_J');
    expect(table.content.toString().split('\n').length).toBeGreaterThan(3);
    const usd = await save('Run as USD');
    expect(usd.content.toString()).toMatch(/^#usda 1.0[\s\S]*BasisCurves/);
    const glb = await save('Run as glTF');
    expect(glb.content.subarray(0, 4).toString()).toBe('glTF');
    const svg = await save('Picture as SVG');
    expect(svg.content.toString()).toMatch(/^<svg[\s\S]*stroke="rgb\(\d+ \d+ \d+\)"/);
    const vtk = await save('Run as VTK');
    expect(vtk.name).toBe('michell-ring.vtk.zip');
    expect(vtk.content.toString('latin1')).toMatch(/^PK[\s\S]*run\.pvd[\s\S]*frames\/rods-0+\.vtp/);
    const nodes = await save('Run as CSV');
    expect(nodes.content.toString().split('\n')[0]).toBe(
      'frame,time,rod,node,x,y,z,d1x,d1y,d1z,curvature,twist,tension',
    );
    const parquet = await save('Run as Parquet');
    expect(parquet.content.subarray(0, 4).toString()).toBe('PAR1');
    const run = decodeRecording(await save('Run as recording').then(({ content }) => content), 'run.tendril');
    expect(run.frameCount).toBeGreaterThan(3);
    expect(run.header.rods[0].id).toBe('ring');
  });

  it('films the run', async () => {
    await open('#case=helix-reconstruction');
    await waitForClock(0.01);
    await page.locator('summary[title="Save"]').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.getByRole('button', { name: /^Film as/ }).click();
        await page.locator('.toast').getByText('Filming').waitFor();
        await drawn();
        await page.locator('.stage').focus();
        await page.keyboard.press('Space');
      })(),
    ]);
    const film = readFileSync(await download.path());
    expect(film.length).toBeGreaterThan(500);
    expect(download.suggestedFilename()).toMatch(/\.(webm|mp4)$/);
    const webm = film.readUInt32BE(0) === 0x1a45dfa3;
    expect(webm || film.subarray(4, 8).toString() === 'ftyp').toBe(true);
  });

  it('puts the scene in a link, and keeps work over a reload', async () => {
    await open('#case=michell-ring');
    await page.locator('[data-path="rods.0.frame.twist"]').fill('0.6');
    await page.locator('.toast').getByText('Restarted').waitFor();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await page.waitForFunction(() => location.hash.includes('s='));
    const link = page.url();
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForFunction(() => window.tendrilStudio?.position(0, 0).length === 3);
    await page.getByRole('tab', { name: 'Scene' }).click();
    const twist = /twist: ([\d.]+)/.exec(await text())?.[1];
    expect(Number(twist)).toBeCloseTo(14 * 10 ** 0.2, 1);
    await page.goto('about:blank');
    await page.goto(server.url);
    await page.waitForFunction(() => window.tendrilStudio?.position(0, 0).length === 3);
    await page.getByRole('tab', { name: 'Scene' }).click();
    expect(await text()).toContain(`twist: ${twist}`);
  });

  it('says what a file is not, and keeps what was open', async () => {
    await open('#case=michell-ring');
    await dropFile('scene.yaml', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1, 2));
    await page.locator('.toast').getByText('neither a scene nor a recording').waitFor();
    await dropFile('notes.yaml', new TextEncoder().encode('shopping:\n  - bread\n'));
    await page.locator('.toast').getByText('is no scene').waitFor();
    await dropFile('old.tendril', new TextEncoder().encode('TREC but nothing more'));
    await page.locator('.toast').getByText('old.tendril cannot be shown').waitFor();
    expect(await page.locator('h1').textContent()).toContain('Michell');
  });

  it('makes a scene of curves, and a thing in the way of a mesh', async () => {
    await open('#case=michell-ring');
    await dropFile('line.obj', new TextEncoder().encode('v 0 0 0\nv 0.1 0 0\nv 0.2 0 0.05\nv 0.3 0 0.1\nl 1 2 3 4\n'));
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Curves of line.obj');
    const mesh = 'v -1 -1 -2\nv 1 -1 -2\nv 0 1 -2\nv 0 0 -1.5\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';
    await dropFile('tent.obj', new TextEncoder().encode(mesh));
    await page.getByRole('tab', { name: 'Scene' }).click();
    await page.waitForFunction(() => /type: mesh/.test(document.querySelector('textarea')?.value ?? ''));
    await page.locator('.problems').getByText('The scene is sound').waitFor();
  });

  it('shows a recording of 2,000 strands', async () => {
    const strands: Scene = {
      tendril: 1,
      title: 'Two thousand strands',
      rods: Array.from({ length: 2000 }, (_, k) => ({
        id: `s${k}`,
        shape: {
          type: 'arc' as const,
          from: [0.1 * Math.cos(k), 0.1 * Math.sin(k), 0.00005 * k] as const,
          tangent: [Math.cos(k), Math.sin(k), 1] as const,
          normal: [Math.cos(k), Math.sin(k), -1] as const,
          radius: 0.1,
          angle: 2,
        },
        edges: 15,
        section: { type: 'circle' as const, radius: 4e-5 },
        material: { E: 3.6e9, nu: 0.35, density: 1320 },
      })),
    };
    const world = createWorld(strands);
    const encoder = createRecordingEncoder(recordingHeader(world, { version: '0' }));
    const parts = [encoder.encodeHeader()];
    for (let k = 0; k < 3; k++) parts.push(encoder.encodeFrame({ ...recordingFrame(world), time: k / 4 }));
    parts.push(encoder.encodeFooter());
    await open('#case=michell-ring');
    await dropFile('hair.tendril', Buffer.concat(parts));
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Two thousand strands');
    await page.waitForFunction(() => window.tendrilStudio.position(1999, 15).length === 3);
    const frames = await page.evaluate(async () => {
      const begin = performance.now();
      for (let k = 0; k < 10; k++) await new Promise(requestAnimationFrame);
      return 10_000 / (performance.now() - begin);
    });
    console.log(`studio: 2,000 strands at ${frames.toFixed(0)} frames a second in software`);
    expect(frames).toBeGreaterThan(0.5);
  });
});

describe('grooming', () => {
  const says = (words: RegExp): Promise<unknown> =>
    page.waitForFunction(
      (source) => new RegExp(source).test(document.querySelector('.groom [role=status]')?.textContent ?? ''),
      words.source,
    );

  const start = async (): Promise<void> => {
    await open('#case=michell-ring');
    await page.keyboard.press('g');
    await says(/\d+ strands of \d+ helices/);
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

  /** Drags the brush over the hair, from the middle of the view. */
  const brush = async (dx: number, dy: number): Promise<void> => {
    const box = await page.locator('.stage').boundingBox();
    if (!box) throw new Error('there is no view');
    const [x, y] = [box.x + 0.55 * box.width, box.y + 0.45 * box.height];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 4; k++) await page.mouse.move(x + (k * dx) / 4, y + (k * dy) / 4);
    await page.mouse.up();
  };

  it('grows hair by its numbers, and says where they are from', async () => {
    await start();
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
    await page.locator('.toast').waitFor();
    await says(/^24 strands/);
    await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
    const faults = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: typeof import('axe-core') };
      const { violations } = await axe.run();
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
    });
    expect(faults).toEqual([]);
  });

  it('combs, cuts and curls under the brush, with undo', async () => {
    await start();
    await set('hairs', '400');
    await says(/, 400 hairs/);
    const before = await tips();
    await brush(70, -30);
    await says(/[1-9]\d* strands combed/);
    const combed = await tips();
    expect(Math.hypot(...combed.map((x, k) => x - before[k]))).toBeGreaterThan(2e-5);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForFunction(() => !/combed/.test(document.querySelector('.groom [role=status]')?.textContent ?? ''));
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
    await start();
    await set('hairs', '300');
    await set('guides', '16');
    await says(/^16 strands.*300 hairs/);
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
  });

  it('becomes a scene that runs, on a head that the mouse moves', async () => {
    await start();
    await set('hairs', '300');
    await set('guides', '12');
    await says(/^12 strands.*300 hairs/);
    await page.getByLabel('Motion of the head').selectOption('mouse');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Hair on a head that moves');
    await waitForClock(0.05);
    expect(await page.evaluate(() => window.tendrilStudio.hair().hairs)).toBe(300);
    const box = await page.locator('.stage').boundingBox();
    if (!box) throw new Error('there is no view');
    const [x, y] = [box.x + 0.5 * box.width, box.y + 0.45 * box.height];
    await page.keyboard.down('Shift');
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let k = 1; k <= 4; k++) await page.mouse.move(x + 15 * k, y);
    await page.waitForFunction(() => Math.hypot(...(window.tendrilStudio.collider(0) ?? [0])) > 0.005);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByRole('tab', { name: 'Scene' }).click();
    expect(await text()).toMatch(/strands:[\s\S]*hair\.hairstyle[\s\S]*mesh-file/);
    // and back to the brushes
    await page.getByRole('button', { name: 'Groom' }).click();
    await says(/^12 strands/);
  });
});

describe('what goes wrong', () => {
  it('is shown at its line with a remedy that works, while the run goes on', async () => {
    await open('#case=michell-ring');
    await page.getByRole('tab', { name: 'Scene' }).click();
    await page.locator('textarea').fill((await text()).replace('edges: 60', 'edgess: 40'));
    const problem = page.locator('.problems li').first();
    await problem.getByText("did you mean 'edges'?").waitFor();
    expect(await problem.textContent()).toMatch(/6:5/);
    await waitForClock((await clock()) + 0.001);
    await problem.getByRole('button', { name: "Write 'edges'" }).click();
    await page.locator('.problems').getByText('The scene is sound').waitFor();
    expect(await text()).toContain('edges: 40');
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
    await page.waitForFunction(() => /step: 0\.25/.test(document.querySelector('textarea')?.value ?? ''));
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
