/** `tendril render`: stills, numbered pictures, and what it rejects. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { stageOf } from '../src/footage.ts';
import { createPercentage } from '../src/progress.ts';
import { sandbox, scene } from './harness.ts';

/** Size of a PNG, and the mean of its filtered bytes as proof of content. */
function readPng(bytes: Uint8Array): { width: number; height: number; kinds: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  expect(view.getUint32(0)).toBe(0x89504e47);
  const data: Uint8Array[] = [];
  for (let at = 8; at < bytes.length; at += 12 + view.getUint32(at)) {
    const name = new TextDecoder().decode(bytes.subarray(at + 4, at + 8));
    if (name === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const rows = inflateSync(Buffer.concat(data));
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  expect(rows).toHaveLength((3 * width + 1) * height);
  return { width, height, kinds: new Set(rows).size };
}

describe('the view of a film', () => {
  it('covers rods and bodies, but no body without size', () => {
    const energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
    const rod = { id: 'hair', model: 'helix', closed: false, nodeCount: 2, edgeCount: 1 } as const;
    const at = (x: number) => ({ position: Float64Array.of(x, 0, 0), orientation: Float64Array.of(1, 0, 0, 0) });
    const clouds = stageOf({
      header: {
        version: '0',
        scene: { tendril: 1, rods: [] },
        rods: [{ ...rod, edgeLengthRest: [0.1], edgeRadius: [1e-4] }],
        bodies: [
          { id: 'head', radius: 0 },
          { id: 'lantern', radius: 0.02 },
        ],
      },
      frameCount: 1,
      frame: () => ({
        time: 0,
        energies,
        bodies: [at(-5), at(0.3)],
        rods: [{ nodePosition: Float64Array.of(0.1, 0, 0, 0.2, 0, 0), edgeDirector: Float64Array.of(0, 0, 1) }],
      }),
      timeOf: () => 0,
    });
    const x = clouds.flatMap((cloud) => Array.from({ length: cloud.length / 3 }, (_, i) => cloud[3 * i]));
    expect([Math.min(...x), Math.max(...x)]).toEqual([0.1, 0.32]);
  });
});

// several processes per test, each with threads: slow on a busy machine
describe('render', () => {
  it('writes a still, the same for one thread and for two', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 50 ms }' }));
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const look = ['--size', '48x32', '--samples', '2', '--material', 'rope'];
    const still = await box.run('render', 'a', ...look, '--threads', '1');
    expect([still.code, still.err]).toEqual([0, 'wrote a/recording-render.png\n']);
    const { width, height, kinds } = readPng(box.bytes('a/recording-render.png'));
    expect([width, height]).toEqual([48, 32]);
    expect(kinds).toBeGreaterThan(20);
    expect((await box.run('render', 'a', ...look, '--threads', '2', '--out', 'two.png')).code).toBe(0);
    expect(box.bytes('two.png')).toEqual(box.bytes('a/recording-render.png'));
    const other = await box.run('render', 'a', ...look, '--light', 'sun', '--frame', '0', '--out', 'sun.png');
    expect(other.code).toBe(0);
    expect(box.bytes('sun.png')).not.toEqual(box.bytes('two.png'));
    // an existing file stays
    const again = await box.run('render', 'a', ...look);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('--force')]);
  });

  it('writes numbered pictures of a range of frames', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 20 ms }' }));
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const film = ['--size', '24x16', '--samples', '1', '--frames', '1..5', '--every', '2', '--out', 'f/x.png'];
    const done = await box.run('render', 'a', ...film);
    expect([done.code, done.err]).toEqual([0, expect.stringContaining('wrote f/x.png as 3 pictures')]);
    expect(readPng(box.bytes('f/x-0002.png')).width).toBe(24);
    // a picture that is in the way is found before the first is computed
    rmSync(join(box.path, 'f/x-0000.png'));
    const again = await box.run('render', 'a', ...film);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("'f/x-0001.png' exists")]);
    expect(existsSync(join(box.path, 'f/x-0000.png'))).toBe(false);
  });

  it.each(['1', '2'])('ends soon after an interrupt, also within long rows: %s threads', async (threads) => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const { child, finished } = box.start(
      'render',
      'a',
      '--samples',
      '20000',
      '--size',
      '800x600',
      '--threads',
      threads,
    );
    // rows take minutes; the picture has begun by then or will be interrupted sooner
    await new Promise((resolve) => setTimeout(resolve, 4000));
    const before = performance.now();
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  it('rejects what is wrong, and says what is right', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const errors = await Promise.all(
      [
        ['--size', 'large'],
        ['--material', 'glass'],
        ['--material', 'nothing=rope'],
        ['--color', 'reddish'],
        ['--follow', 'nothing'],
        ['--frame', '999'],
        ['--out', 'x.gif'],
        ['--frames', '0..1', '--frame', '0'],
        ['--start', '0'],
        ['--animation'],
      ].map(async (options) => {
        const { code, err } = await box.run('render', 'a', ...options);
        expect(code).toBe(2);
        return err;
      }),
    );
    const hints = [
      '1920x1080',
      'rubber, steel',
      "no rod 'nothing'",
      '#b5652f',
      "body 'nothing'",
      'frames 0 to',
      '.png',
      '--frames',
      '.hairstyle',
      '.hairstyle',
    ];
    errors.forEach((err, k) => {
      expect(err).toContain(hints[k]);
    });
  });
});

it('says every ten seconds how far a picture is, where there is no terminal', () => {
  let text = '';
  let clock = 0;
  const terminal = { out: () => {}, err: (more: string) => (text += more), live: false, columns: 80 };
  const progress = createPercentage(terminal, 1, () => clock);
  for (let k = 0; k <= 50; k++) {
    clock = k / 2;
    progress.show(0, k / 50);
  }
  progress.finish(0);
  progress.clear();
  expect(text).toBe('40 %, 15 s left\n80 %, 5.0 s left\n');
});
