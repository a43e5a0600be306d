/** Files and links: what is saved, shared, dropped. */
import { readFileSync } from 'node:fs';
import { createWorld, type Scene } from '@tendril-sim/core';
import { createRecordingEncoder, decodeRecording, recordingFrame, recordingHeader } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { sweepReport } from '../../cli/src/commands/sweepReport.ts';
import { createExecutor } from '../../sweep/src/run/execute.ts';
import { createBench, runStudy, studyOf } from '../../sweep/test/harness.ts';
import {
  clock,
  drawn,
  dropFile,
  newPage,
  open,
  page,
  screen,
  server,
  text,
  title,
  until,
  useStudio,
  waitForClock,
} from './harness.ts';

useStudio();

describe('files', () => {
  it('saves the scene, a picture and a table', async () => {
    await open('#case=michell-ring');
    await waitForClock(0.1);
    await page.keyboard.press('Space');
    const save = async (name: string): Promise<{ name: string; content: Buffer }> => {
      await page.locator('summary[title="Save"]').click();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
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
    // with what a paper needs: the legend, a scale, the time
    expect(svg.content.toString()).toMatch(/Twist, rad\/m[\s\S]*linearGradient|linearGradient[\s\S]*Twist, rad\/m/);
    expect(svg.content.toString()).toMatch(/>t = [\d.]+ s</);
    expect(svg.content.toString()).toMatch(/>\d+ (cm|m|mm)</);
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

  it('traces a film of a part of the run, as WebM and as pictures, and can be stopped', async () => {
    await open('#case=michell-ring');
    await waitForClock(0.3);
    await page.keyboard.press('Space');
    const tracing = page.getByRole('status', { name: 'Path tracing' });
    const dialog = page.getByRole('dialog', { name: 'Path-traced film' });
    const render = async (file: string): Promise<void> => {
      await page.locator('summary[title="Save"]').click();
      await page.getByRole('button', { name: 'Film, path-traced' }).click();
      await dialog.getByLabel('Size').selectOption('640x360');
      await dialog.getByLabel('Quality').selectOption('8');
      await dialog.getByLabel('Pictures per second').selectOption('12');
      await dialog.getByLabel('Speed').fill('3');
      await dialog.getByRole('spinbutton', { name: 'To', exact: false }).first().fill('900');
      await dialog.getByText('The run is known from 0 s').waitFor();
      expect(await dialog.getByRole('button', { name: 'Render' }).isDisabled()).toBe(true);
      await dialog.getByRole('spinbutton', { name: 'To', exact: false }).first().fill('0.25');
      await dialog.getByText('2 pictures').waitFor();
      await dialog.getByLabel('File').selectOption(file);
      await dialog.getByRole('button', { name: 'Render' }).click();
    };
    await render('webm');
    await tracing.getByText('Tracing picture 1 of 2').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await tracing.waitFor({ state: 'detached' });
    const [film] = await Promise.all([page.waitForEvent('download'), render('webm')]);
    expect(film.suggestedFilename()).toBe('michell-ring.webm');
    const content = readFileSync(await film.path()).toString('base64');
    const { width, duration, redder } = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const video = document.createElement('video');
      video.muted = true;
      video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }));
      await new Promise((resolve) => {
        video.onloadeddata = resolve;
      });
      await new Promise((resolve) => {
        video.onseeked = resolve;
        video.currentTime = 0.1;
      });
      const pen = new OffscreenCanvas(640, 360).getContext('2d') as OffscreenCanvasRenderingContext2D;
      pen.drawImage(video, 0, 0);
      const { data } = pen.getImageData(0, 0, 640, 360);
      let count = 0;
      for (let k = 0; k < data.length; k += 4) if (data[k] - data[k + 2] > 50) count++;
      return { width: video.videoWidth, duration: video.duration, redder: count / (640 * 360) };
    }, content);
    expect({ width, duration: Math.round(12 * duration) }).toEqual({ width: 640, duration: 2 });
    // the ring of rubber fills a part of the picture
    expect(redder).toBeGreaterThan(0.01);
    expect(redder).toBeLessThan(0.3);
    const [pictures] = await Promise.all([page.waitForEvent('download'), render('zip')]);
    const names = readFileSync(await pictures.path())
      .toString('latin1')
      .match(/michell-ring-\d{4}\.png/g);
    expect([...new Set(names)]).toEqual(['michell-ring-0000.png', 'michell-ring-0001.png']);
  });

  it('traces a still of what the view shows, with progress and a way out', async () => {
    await open('#case=michell-ring');
    await waitForClock(0.1);
    await page.keyboard.press('Space');
    // small: a processor traces it
    await page.setViewportSize({ width: 1200, height: 480 });
    await drawn();
    const start = async (): Promise<void> => {
      await page.locator('summary[title="Save"]').click();
      await page.getByRole('button', { name: 'Picture, path-traced' }).click();
      await page.getByRole('status', { name: 'Path tracing' }).getByRole('progressbar').waitFor();
    };
    await start();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status', { name: 'Path tracing' }).waitFor({ state: 'detached' });
    await drawn();
    const [download] = await Promise.all([page.waitForEvent('download'), start()]);
    expect(download.suggestedFilename()).toBe('michell-ring-still.png');
    const png = readFileSync(await download.path()).toString('base64');
    // where the view draws nodes, the still has the rod: darker and redder than the ground
    const { share, corner } = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext(
        '2d',
      ) as OffscreenCanvasRenderingContext2D;
      pen.drawImage(bitmap, 0, 0);
      const box = (document.querySelector('canvas.stage') as HTMLCanvasElement).getBoundingClientRect();
      const count = 60;
      let hits = 0;
      for (let node = 0; node < count; node++) {
        const at = window.tendrilStudio.drawnAt(0, node);
        if (!at) continue;
        const x = ((at.x - box.left) * bitmap.width) / box.width;
        const y = ((at.y - box.top) * bitmap.height) / box.height;
        const { data } = pen.getImageData(Math.round(x) - 2, Math.round(y) - 2, 5, 5);
        let redder = 0;
        for (let k = 0; k < data.length; k += 4) redder = Math.max(redder, data[k] - data[k + 2]);
        if (redder > 50) hits++;
      }
      return { share: hits / count, corner: [...pen.getImageData(2, 2, 1, 1).data] };
    }, png);
    expect(share).toBeGreaterThan(0.7);
    expect(Math.min(...corner)).toBeGreaterThan(200);
    await page.setViewportSize(screen.viewport);
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
        // some pictures, however slow the page is
        for (let k = 0; k < 3; k++) await drawn();
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

  it('opens a run that is clicked in the report of a study', async () => {
    const bench = createBench();
    try {
      bench.write('study.yaml', studyOf(3));
      // three runs need no processes
      await runStudy(bench.at('study.yaml'), bench.at('results'), {
        run: async (study, runs, store) => {
          const executor = createExecutor(study.plan);
          for (let k = 0; k < runs.count; k++) store.add(await executor.execute(runs.spec(k)));
          return 'complete';
        },
      });
      const terminal = { out: () => {}, err: () => {}, live: false, columns: 80 };
      await sweepReport(bench.at('results'), { studio: server.url }, terminal);
      const report = await newPage();
      await report.goto(`file://${bench.at('results/report.html')}`);
      const opened = report.context().waitForEvent('page');
      await report.locator('svg a:has(circle)').last().click();
      const studio = await opened;
      await studio.waitForFunction(() => window.tendrilStudio?.position(0, 0).length === 3);
      await studio.getByRole('tab', { name: 'Scene' }).click();
      // the last run has the largest modulus
      const scene = JSON.parse(await studio.evaluate(() => window.tendrilStudio.text())) as {
        rods: { material: { E: number } }[];
      };
      expect(scene.rods[0].material.E).toBeCloseTo(10e9, -1);
      expect(studio.url()).toContain('run-2.yaml');
    } finally {
      bench.remove();
    }
  });

  it('puts the scene in a link, and how it is looked at', async () => {
    await open('#case=michell-ring');
    await page.locator('[data-path="rods.0.frame.twist"]').fill('0.6');
    await until(() => !window.tendrilStudio.run().values.includes('"twist":14'));
    await page.locator('.stage').focus();
    // from the start under the new twist, as whoever opens the link sees it
    await page.keyboard.press('r');
    await waitForClock(0.2);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    const stood = await clock();
    // across the picture, because a slider over its lower edge shifts the whole
    const across = (): Promise<number[]> =>
      page.evaluate(() => {
        const [a, b] = [0, 16].map((node) => window.tendrilStudio.drawnAt(0, node) ?? { x: 0, y: 0 });
        return [b.x - a.x, b.y - a.y];
      });
    const before = await across();
    await page.keyboard.press('Shift+ArrowLeft');
    // the camera glides to where it stays, a little with every picture
    let turned = before;
    const isThere = async (): Promise<boolean> => {
      const last = turned;
      await drawn();
      turned = await across();
      return `${turned}` !== `${before}` && `${turned}` === `${last}`;
    };
    await expect.poll(isThere, { timeout: 60_000, interval: 10 }).toBe(true);
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await until(() => location.hash.includes('s='));
    const link = new URL(page.url()).hash;
    expect(link).toMatch(/&camera=[-\d.,e]+&t=[\d.]+&color=twist$/);
    await open('#case=heavy-cantilever');
    await open(link);
    await waitForClock(stood - 0.002, stood + 0.002);
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await drawn();
    const again = await across();
    expect(Math.hypot(turned[0] - before[0], turned[1] - before[1])).toBeGreaterThan(10);
    expect(Math.hypot(again[0] - turned[0], again[1] - turned[1])).toBeLessThan(3);
    await page.getByRole('tab', { name: 'Scene' }).click();
    const twist = /twist: ([\d.]+)/.exec(await text())?.[1];
    expect(Number(twist)).toBeCloseTo(14 * 10 ** 0.2, 1);
    await page.getByRole('tab', { name: 'Inspector' }).click();
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
    await until(() => document.querySelector('h1')?.textContent === 'Curves of line.obj');
    const mesh = 'v -1 -1 -2\nv 1 -1 -2\nv 0 1 -2\nv 0 0 -1.5\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';
    await dropFile('tent.obj', new TextEncoder().encode(mesh));
    await page.getByRole('tab', { name: 'Scene' }).click();
    await until(() => /type: mesh/.test(window.tendrilStudio.text()));
    await page.locator('.problems').getByText('The scene is sound').waitFor();
  });

  it('shows a recording of many strands as hair', async () => {
    const strands: Scene = {
      tendril: 1,
      title: 'Two hundred strands',
      rods: Array.from({ length: 200 }, (_, k) => ({
        id: `s${k}`,
        shape: {
          type: 'arc' as const,
          from: [0.1 * Math.cos(k), 0.1 * Math.sin(k), 0.0005 * k] as const,
          tangent: [Math.cos(k), Math.sin(k), 1] as const,
          normal: [Math.cos(k), Math.sin(k), -1] as const,
          radius: 0.1,
          angle: 2,
        },
        edges: 9,
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
    await title('Two hundred strands');
    await until(() => window.tendrilStudio.hair().hairs === 200);
    await drawn();
    const drawnAt = await page.evaluate(() => [0, 199].map((rod) => window.tendrilStudio.drawnAt(rod, 9)));
    expect(drawnAt.filter((at) => at && at.x > 0 && at.y > 0)).toHaveLength(2);
  });
});
