/** `tendril export`: tables, pictures, films, files of other programs. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, scene } from './harness.ts';

describe('export', () => {
  it('writes a recording as a table and as pictures, without overwriting', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 10 ms }' }));
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const recording = 'a/recording.tendril';
    expect((await box.run('export', recording, '--to', 'csv')).code).toBe(0);
    expect(box.read('a/recording.csv').trim().split('\n')).toHaveLength(1 + 11 * 13);
    expect((await box.run('export', recording, '--to', 'csv')).code).toBe(2);
    expect((await box.run('export', recording, '--to', 'csv', '--force', '--frame', '-1')).code).toBe(0);
    expect(box.read('a/recording.csv').trim().split('\n')).toHaveLength(1 + 13);
    expect((await box.run('export', recording, '--to', 'svg', '--out', 'p.svg')).code).toBe(0);
    expect(box.read('p.svg')).toContain('</svg>');
    expect((await box.run('export', recording, '--to', 'png', '--out', 'p.png', '--frame', '3')).code).toBe(0);
    expect((await box.run('export', recording, '--to', 'png', '--out', 'q.png', '--frame', '99')).err).toContain(
      'frames 0 to 10',
    );
  });

  it('writes a recording for other programs', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 20 ms }' }));
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const recording = 'a/recording.tendril';
    const all = await Promise.all(
      ['usda', 'usdc', 'abc', 'glb', 'vtp', 'parquet'].map((format) =>
        box.run('export', recording, '--to', format, '--every', '2'),
      ),
    );
    expect(all.map(({ code, err }) => [code, err])).toEqual([
      [0, 'wrote a/recording.usda\n'],
      [0, 'wrote a/recording.usdc\n'],
      [0, 'wrote a/recording.abc\n'],
      [0, 'wrote a/recording.glb\n'],
      [0, 'wrote a/recording.pvd and 3 frames in a/recording-frames\n'],
      [0, 'wrote a/recording.parquet\n'],
    ]);
    expect(box.read('a/recording.usda')).toContain('endTimeCode = 2\n');
    expect(box.read('a/recording.pvd').match(/<DataSet /g)).toHaveLength(3);
    expect(box.read('a/recording-frames/rods-2.vtp')).toContain('Name="tension"');
    const startOf = (name: string, size: number): string =>
      new TextDecoder().decode(box.bytes(`a/recording.${name}`).subarray(0, size));
    expect([startOf('glb', 4), startOf('usdc', 8), startOf('abc', 5)]).toEqual(['glTF', 'PXR-USDC', 'Ogawa']);
    const again = await box.run('export', recording, '--to', 'vtp');
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('--force')]);
    mkdirSync(join(box.path, 'cable'));
    box.write('cable/recording.tendril', '');
    const mistyped = await box.run('export', 'cabel', '--to', 'csv');
    expect([mistyped.code, mistyped.err]).toEqual([2, expect.stringContaining("did you mean 'cable'?")]);
    // fibers around the rod, in every format: their radius is that of the bundle, their places keep
    const wisps = await box.run(
      ...[
        'export',
        recording,
        '--to',
        'csv',
        '--out',
        'wisps.csv',
        '--fibers',
        '6',
        '--bundle',
        '3 mm',
        '--taper',
        '0',
      ],
    );
    expect(wisps.code).toBe(0);
    const rows = box
      .read('wisps.csv')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));
    expect([...new Set(rows.map(([, , rod]) => rod))]).toEqual([0, 1, 2, 3, 4, 5].map((k) => `rod-${k}`));
    const firsts = rows
      .filter(([frame, , , node]) => frame === '0' && node === '0')
      .map((row) => row.slice(4, 7).map(Number));
    for (const [x, y, z] of firsts) {
      expect(x).toBeCloseTo(0, 9);
      expect(Math.hypot(y, z)).toBeLessThan(3e-3);
    }
    expect(Math.max(...firsts.map(([, y, z]) => Math.hypot(y, z)))).toBeGreaterThan(2.8e-3);
    expect((await box.run('export', recording, '--to', 'csv', '--fibers', '6')).err).toContain('--bundle');
    expect((await box.run('export', recording, '--to', 'csv', '--blend', '1')).err).toContain('needs --fibers');
    const beyond = ['--fibers', '6', '--bundle', '1 mm', '--blend', '2', '--out', 'b.csv'];
    expect((await box.run('export', recording, '--to', 'csv', ...beyond)).err).toContain(
      '--blend: must be from 0 to 1',
    );
    const misplaced = await box.run('export', recording, '--to', 'usda', '--fps', '25');
    expect([misplaced.code, misplaced.err]).toEqual([2, expect.stringContaining('--fps applies only to films')]);
  });

  it('rejects films of billions of pictures', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene());
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    for (const option of [
      ['--speed', '1e-300'],
      ['--speed', '1e-9'],
      ['--fps', '1e300'],
    ]) {
      const { code, err } = await box.run('export', 'a', '--to', 'apng', ...option);
      expect([code, err]).toEqual([2, expect.stringContaining('1000000 are the most')]);
    }
  });

  it('makes a film, or says what it needs', async () => {
    const box = sandbox();
    box.write('swing.yaml', scene({ more: 'output: { every: 20 ms }' }));
    await box.run('run', 'swing.yaml', '--out', 'a', '--quiet');
    const { code, err } = await box.run('export', 'a/recording.tendril', '--to', 'webm', '--fps', '20');
    // other machines than this one have no ffmpeg
    if (code === 0) expect(box.bytes('a/recording.webm').length).toBeGreaterThan(1000);
    else expect([code, err]).toEqual([2, expect.stringContaining('install it')]);
    expect(readdirSync(join(box.path, 'a')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
